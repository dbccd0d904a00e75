// SPDX-License-Identifier: MIT
// Documents: their life, and what follows from a file's data once it is read (parents, instances,
// rigs).
#include "import/document_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- Life -------------------------------------------------------------------------------------------------

sinewi_document *sinewi_document_new(const sinew_allocator *allocator, size_t memory_limit)
{
    sinew_allocator memory = sinewi_allocator(allocator);
    sinewi_document *document = sinewi_alloc(&memory, sizeof *document, 16);
    if (!document)
        return NULL;
    memset(document, 0, sizeof *document);
    sinewi_arena_init(&document->arena, &memory, memory_limit);
    document->view.file = document->view.format = document->view.generator =
        document->view.copyright = "";
    document->view.default_scene = -1;
    return document;
}

void sinew_document_destroy(sinew_document *document)
{
    if (!document)
        return;
    sinewi_document *owner = (sinewi_document *)document; // the view is its first member
    sinew_allocator memory = owner->arena.allocator;
    for (uint32_t i = 0; i < owner->view.clip_count; i++)
        sinew_clip_destroy(owner->clips[i]);
    sinewi_arena_free(&owner->arena);
    sinewi_free(&memory, owner, sizeof *owner, 16);
}

static sinew_result arena_error(const sinewi_arena *arena, sinew_error *error)
{
    if (arena->over_limit)
        return sinewi_error(error, SINEW_ERROR_LIMIT_EXCEEDED, "",
                            "the document needs more memory than the limit of %zu bytes",
                            arena->limit);
    return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "out of memory");
}

// ---- Finish: nodes ----------------------------------------------------------------------------------------

static sinew_result link_nodes(sinewi_document *document, sinew_error *error)
{
    sinew_document *view = &document->view;
    sinew_node *nodes = (sinew_node *)view->nodes;
    char path[64];
    for (uint32_t i = 0; i < view->node_count; i++) {
        nodes[i].parent = -1;
        nodes[i].in_scene = false;
    }
    for (uint32_t i = 0; i < view->node_count; i++)
        for (uint32_t k = 0; k < nodes[i].child_count; k++) {
            uint32_t child = nodes[i].children[k];
            snprintf(path, sizeof path, "nodes[%u].children[%u]", i, k);
            if (child >= view->node_count)
                return sinewi_error(error, SINEW_ERROR_INDEX_RANGE, path,
                                    "node %u does not exist; there are %u", child,
                                    view->node_count);
            if (child == i)
                return sinewi_error(error, SINEW_ERROR_NODE_CYCLE, path, "node %u is its own child",
                                    child);
            if (nodes[child].parent >= 0)
                return sinewi_error(error, SINEW_ERROR_NODE_TWO_PARENTS, path,
                                    "node %u is a child of node %d too", child,
                                    nodes[child].parent);
            nodes[child].parent = (int32_t)i;
        }
    return SINEW_OK;
}

// order: all nodes, parents first. Nodes that no root reaches form cycles.
static sinew_result order_nodes(sinewi_document *document, uint32_t *order, sinew_error *error)
{
    const sinew_document *view = &document->view;
    uint32_t count = 0;
    for (uint32_t i = 0; i < view->node_count; i++)
        if (view->nodes[i].parent < 0)
            order[count++] = i;
    for (uint32_t at = 0; at < count; at++) {
        const sinew_node *node = &view->nodes[order[at]];
        for (uint32_t k = 0; k < node->child_count; k++)
            order[count++] = node->children[k];
    }
    if (count == view->node_count)
        return SINEW_OK;
    bool *reached = sinewi_arena_alloc(&document->arena, view->node_count, sizeof *reached);
    if (!reached)
        return arena_error(&document->arena, error);
    for (uint32_t k = 0; k < count; k++)
        reached[order[k]] = true;
    uint32_t lost = 0;
    while (reached[lost])
        lost++;
    for (uint32_t k = 0; k < view->node_count; k++) // up and up: ends inside the cycle
        lost = (uint32_t)view->nodes[lost].parent;
    char path[64];
    snprintf(path, sizeof path, "nodes[%u]", lost);
    return sinewi_error(error, SINEW_ERROR_NODE_CYCLE, path, "node %u is among its own descendants",
                        lost);
}

static sinew_result mark_scenes(sinewi_document *document, const uint32_t *order,
                                sinew_error *error)
{
    sinew_document *view = &document->view;
    sinew_node *nodes = (sinew_node *)view->nodes;
    char path[64];
    for (uint32_t s = 0; s < view->scene_count; s++)
        for (uint32_t k = 0; k < view->scenes[s].node_count; k++) {
            uint32_t node = view->scenes[s].nodes[k];
            snprintf(path, sizeof path, "scenes[%u].nodes[%u]", s, k);
            if (node >= view->node_count)
                return sinewi_error(error, SINEW_ERROR_INDEX_RANGE, path,
                                    "node %u does not exist; there are %u", node, view->node_count);
            nodes[node].in_scene = true;
        }
    for (uint32_t k = 0; k < view->node_count; k++) {
        sinew_node *node = &nodes[order[k]];
        if (view->scene_count == 0 || (node->parent >= 0 && nodes[node->parent].in_scene))
            node->in_scene = true;
        node->hidden = node->hidden || (node->parent >= 0 && nodes[node->parent].hidden);
    }
    return SINEW_OK;
}

static sinew_result check_node_references(const sinew_document *view, sinew_error *error)
{
    char path[64];
    for (uint32_t i = 0; i < view->node_count; i++) {
        const sinew_node *node = &view->nodes[i];
        const struct {
            const char *word;
            int32_t index;
            uint32_t count;
        } references[] = {{"mesh", node->mesh, view->mesh_count},
                          {"skin", node->skin, view->skin_count},
                          {"camera", node->camera, view->camera_count}};
        for (int k = 0; k < 3; k++)
            if (references[k].index < -1 || references[k].index >= (int64_t)references[k].count) {
                snprintf(path, sizeof path, "nodes[%u].%s", i, references[k].word);
                return sinewi_error(error, SINEW_ERROR_INDEX_RANGE, path,
                                    "%s %d does not exist; there are %u", references[k].word,
                                    references[k].index, references[k].count);
            }
    }
    for (uint32_t s = 0; s < view->skin_count; s++)
        for (uint32_t k = 0; k < view->skins[s].joint_count; k++)
            if (view->skins[s].joints[k] >= view->node_count) {
                snprintf(path, sizeof path, "skins[%u].joints[%u]", s, k);
                return sinewi_error(error, SINEW_ERROR_INDEX_RANGE, path,
                                    "node %u does not exist; there are %u",
                                    view->skins[s].joints[k], view->node_count);
            }
    return SINEW_OK;
}

// Morph weights: a node's own, else its mesh's, else 0 for each target.
static sinew_result fill_morph_weights(sinewi_document *document, sinew_error *error)
{
    sinew_document *view = &document->view;
    for (uint32_t m = 0; m < view->mesh_count; m++) {
        sinew_mesh *mesh = (sinew_mesh *)&view->meshes[m];
        mesh->target_count = 0;
        for (uint32_t p = 0; p < mesh->primitive_count; p++)
            if (mesh->primitives[p].target_count > mesh->target_count)
                mesh->target_count = mesh->primitives[p].target_count;
        if (!mesh->weights && !(mesh->weights = sinewi_arena_alloc(
                                    &document->arena, mesh->target_count, sizeof(float))))
            return arena_error(&document->arena, error);
    }
    for (uint32_t i = 0; i < view->node_count; i++) {
        sinew_node *node = (sinew_node *)&view->nodes[i];
        if (node->mesh < 0)
            continue;
        if (!node->weights)
            node->weights = view->meshes[node->mesh].weights;
        node->weight_count = view->meshes[node->mesh].target_count;
    }
    return SINEW_OK;
}

// ---- Finish: rigs -----------------------------------------------------------------------------------------

static uint32_t find_set(uint32_t *sets, uint32_t i)
{
    while (sets[i] != i) {
        sets[i] = sets[sets[i]];
        i = sets[i];
    }
    return i;
}

// The set of the lower skin wins, so that rigs come in the order of their first skins.
static void unite_sets(uint32_t *sets, uint32_t a, uint32_t b)
{
    a = find_set(sets, a);
    b = find_set(sets, b);
    if (a < b)
        sets[b] = a;
    else
        sets[a] = b;
}

// Skins unite where a joint of one is a joint, or an ancestor of a joint, of the other (SPEC 1). It
// is enough to look at the nearest ancestor that is any skin's joint: that one looks further up
// itself.
static bool unite_skins(sinewi_document *document, const uint32_t *order, uint32_t *sets)
{
    const sinew_document *view = &document->view;
    int32_t *skin_of = sinewi_arena_alloc(&document->arena, view->node_count, sizeof *skin_of);
    int32_t *nearest = sinewi_arena_alloc(&document->arena, view->node_count, sizeof *nearest);
    if (!skin_of || !nearest)
        return false;
    for (uint32_t i = 0; i < view->node_count; i++)
        skin_of[i] = -1;
    for (uint32_t s = 0; s < view->skin_count; s++)
        for (uint32_t k = 0; k < view->skins[s].joint_count; k++) {
            uint32_t node = view->skins[s].joints[k];
            if (skin_of[node] < 0)
                skin_of[node] = (int32_t)s;
            else
                unite_sets(sets, s, (uint32_t)skin_of[node]);
        }
    for (uint32_t k = 0; k < view->node_count; k++) {
        uint32_t node = order[k];
        int32_t parent = view->nodes[node].parent;
        nearest[node] = parent < 0 ? -1 : skin_of[parent] >= 0 ? skin_of[parent] : nearest[parent];
        if (skin_of[node] >= 0 && nearest[node] >= 0)
            unite_sets(sets, (uint32_t)skin_of[node], (uint32_t)nearest[node]);
    }
    return true;
}

enum {
    MAX_RIG_NODES = 1 << 24
}; // of all rigs together: ancestors are copied into each, and a file must not explode

// Gathers the nodes of one rig: `stamp` marks, then a pass in ascending order would cost all nodes
// a rig, so the gathered ones are sorted by the caller's counting over marks instead when there are
// many. Walks stop at marked nodes.
static bool gather_upwards(const sinew_document *view, uint32_t node, uint32_t stamp,
                           uint32_t *stamps, uint32_t *out, uint32_t *count, uint32_t room)
{
    for (int32_t at = (int32_t)node; at >= 0 && stamps[at] != stamp; at = view->nodes[at].parent) {
        if (*count == room)
            return false;
        stamps[at] = stamp;
        out[(*count)++] = (uint32_t)at;
    }
    return true;
}

static bool number_is_behind(const void *data, uint32_t a, uint32_t b)
{
    (void)data;
    return a > b;
}

static sinew_result finish_rig(sinewi_document *document, sinew_rig *rig, uint32_t *gathered,
                               uint32_t count, uint32_t *scratch, sinew_error *error)
{
    sinewi_sort(gathered, scratch, count, number_is_behind, NULL);
    rig->node_count = count;
    rig->nodes = sinewi_arena_copy(&document->arena, gathered, count, sizeof *gathered);
    if (!rig->nodes)
        return arena_error(&document->arena, error);
    rig->name = "";
    for (uint32_t k = 0; k < count; k++)
        if (document->view.nodes[gathered[k]].parent < 0) {
            rig->name = document->view.nodes[gathered[k]].name;
            break;
        }
    return SINEW_OK;
}

// Nodes of a document without skins that any clip drives, and their ancestors.
static sinew_result make_animated_rig(sinewi_document *document, uint32_t *stamps,
                                      uint32_t *gathered, uint32_t *scratch, sinew_error *error)
{
    sinew_document *view = &document->view;
    uint32_t count = 0;
    for (uint32_t c = 0; c < view->clip_count; c++) {
        const sinew_track *tracks = sinew_clip_tracks(view->clips[c]);
        for (uint32_t t = 0; t < sinew_clip_track_count(view->clips[c]); t++)
            if (tracks[t].node >= 0 && (uint32_t)tracks[t].node < view->node_count)
                gather_upwards(view, (uint32_t)tracks[t].node, 1, stamps, gathered, &count,
                               view->node_count);
    }
    if (count == 0)
        return SINEW_OK;
    sinew_rig *rig = sinewi_arena_alloc(&document->arena, 1, sizeof *rig);
    if (!rig)
        return arena_error(&document->arena, error);
    rig->skins = sinewi_arena_alloc(&document->arena, 0, sizeof *rig->skins);
    view->rigs = rig;
    view->rig_count = 1;
    return finish_rig(document, rig, gathered, count, scratch, error);
}

static sinew_result make_rigs(sinewi_document *document, const uint32_t *order, sinew_error *error)
{
    sinew_document *view = &document->view;
    sinewi_arena *arena = &document->arena;
    uint32_t *stamps = sinewi_arena_alloc(arena, view->node_count, sizeof *stamps);
    uint32_t *gathered = sinewi_arena_alloc(arena, view->node_count, sizeof *gathered);
    uint32_t *scratch = sinewi_arena_alloc(arena, view->node_count, sizeof *scratch);
    uint32_t *sets = sinewi_arena_alloc(arena, view->skin_count, sizeof *sets);
    uint32_t *rig_of_set = sinewi_arena_alloc(arena, view->skin_count, sizeof *rig_of_set);
    if (!stamps || !gathered || !scratch || !sets || !rig_of_set)
        return arena_error(arena, error);
    uint32_t jointed = 0; // skins that have joints at all
    for (uint32_t s = 0; s < view->skin_count; s++)
        jointed += view->skins[s].joint_count > 0;
    if (jointed == 0)
        return make_animated_rig(document, stamps, gathered, scratch, error);

    for (uint32_t s = 0; s < view->skin_count; s++)
        sets[s] = s;
    if (!unite_skins(document, order, sets))
        return arena_error(arena, error);
    // Skins of each set, as runs of one array in the order of rigs.
    uint32_t rig_count = 0;
    for (uint32_t s = 0; s < view->skin_count; s++)
        if (view->skins[s].joint_count && find_set(sets, s) == s)
            rig_of_set[s] = rig_count++;
    sinew_rig *rigs = sinewi_arena_alloc(arena, rig_count, sizeof *rigs);
    uint32_t *starts = sinewi_arena_alloc(arena, rig_count + 1, sizeof *starts);
    uint32_t *skins = sinewi_arena_alloc(arena, jointed, sizeof *skins);
    if (!rigs || !starts || !skins)
        return arena_error(arena, error);
    for (uint32_t s = 0; s < view->skin_count; s++)
        if (view->skins[s].joint_count)
            starts[rig_of_set[find_set(sets, s)] + 1]++;
    for (uint32_t r = 0; r < rig_count; r++) {
        rigs[r].skin_count = starts[r + 1];
        starts[r + 1] += starts[r];
        rigs[r].skins = skins + starts[r];
    }
    for (uint32_t s = 0; s < view->skin_count; s++)
        if (view->skins[s].joint_count)
            skins[starts[rig_of_set[find_set(sets, s)]]++] = s;

    uint32_t total = 0;
    for (uint32_t r = 0; r < rig_count; r++) {
        uint32_t count = 0;
        for (uint32_t k = 0; k < rigs[r].skin_count; k++) {
            const sinew_document_skin *skin = &view->skins[rigs[r].skins[k]];
            for (uint32_t j = 0; j < skin->joint_count; j++)
                gather_upwards(view, skin->joints[j], r + 1, stamps, gathered, &count,
                               view->node_count);
        }
        if (count > MAX_RIG_NODES - total)
            return sinewi_error(error, SINEW_ERROR_LIMIT_EXCEEDED, "skins",
                                "the rigs of the skins have more than %d nodes together",
                                MAX_RIG_NODES);
        total += count;
        sinew_result result = finish_rig(document, &rigs[r], gathered, count, scratch, error);
        if (result != SINEW_OK)
            return result;
    }
    view->rigs = rigs;
    view->rig_count = rig_count;
    return SINEW_OK;
}

// ---- Finish: instances ------------------------------------------------------------------------------------

static float mesh_diagonal(const sinew_mesh *mesh)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t p = 0; p < mesh->primitive_count; p++) {
        const sinew_primitive *primitive = &mesh->primitives[p];
        for (size_t v = 0; primitive->positions && v < primitive->vertex_count; v++)
            for (size_t axis = 0; axis < 3; axis++) {
                double x = primitive->positions[3 * v + axis];
                low[axis] = x < low[axis] ? x : low[axis];
                high[axis] = x > high[axis] ? x : high[axis];
            }
    }
    double square = 0.0;
    for (int axis = 0; axis < 3; axis++)
        square +=
            high[axis] > low[axis] ? (high[axis] - low[axis]) * (high[axis] - low[axis]) : 0.0;
    return (float)sqrt(square);
}

static bool mesh_has_influences(const sinew_mesh *mesh)
{
    for (uint32_t p = 0; p < mesh->primitive_count; p++)
        if (mesh->primitives[p].influence_count)
            return true;
    return false;
}

// What resting needs again and again: instances of a skin as chains, and what is known of a mesh.
typedef struct rest_notes {
    int32_t *first, *next; // of each skin the first instance, of each instance the next; -1: none
    float *diagonals;      // of each mesh; below 0: not worked out yet
    int32_t *same;         // of each mesh the last instance of it that rests with this skin
    int32_t *same_skin;
} rest_notes;

// How the instances of one skin rest. The rig's skeleton serves: it holds every ancestor of the
// skin's joints. Instances of one mesh rest alike.
static sinew_result rest_instances(const sinewi_document *document, uint32_t skin_index,
                                   const sinew_skeleton *skeleton, sinew_instance *instances,
                                   rest_notes *notes, sinew_error *error)
{
    const sinew_document *view = &document->view;
    sinew_skin *skin;
    sinew_result result = sinew_document_make_skin(view, skin_index, skeleton,
                                                   &document->arena.allocator, &skin, error);
    for (int32_t i = notes->first[skin_index]; result == SINEW_OK && i >= 0; i = notes->next[i]) {
        uint32_t mesh = instances[i].mesh;
        if (notes->same_skin[mesh] == (int32_t)skin_index) {
            instances[i].rest = instances[notes->same[mesh]].rest;
            continue;
        }
        if (notes->diagonals[mesh] < 0.0f)
            notes->diagonals[mesh] = mesh_diagonal(&view->meshes[mesh]);
        result = sinew_skin_find_rest(skin, NULL, notes->diagonals[mesh], &instances[i].rest);
        notes->same[mesh] = i;
        notes->same_skin[mesh] = (int32_t)skin_index;
    }
    sinew_skin_destroy(skin);
    return result;
}

static sinew_result rest_all_instances(sinewi_document *document, sinew_instance *instances,
                                       sinew_error *error)
{
    sinew_document *view = &document->view;
    sinewi_arena *arena = &document->arena;
    int32_t *first = sinewi_arena_alloc(arena, view->skin_count, sizeof *first);
    int32_t *next = sinewi_arena_alloc(arena, view->instance_count, sizeof *next);
    float *diagonals = sinewi_arena_alloc(arena, view->mesh_count, sizeof *diagonals);
    int32_t *same = sinewi_arena_alloc(arena, view->mesh_count, sizeof *same);
    int32_t *same_skin = sinewi_arena_alloc(arena, view->mesh_count, sizeof *same_skin);
    if (!first || !next || !diagonals || !same || !same_skin)
        return arena_error(arena, error);
    rest_notes notes = {first, next, diagonals, same, same_skin};
    for (uint32_t m = 0; m < view->mesh_count; m++) {
        diagonals[m] = -1.0f;
        same_skin[m] = -1;
    }
    for (uint32_t s = 0; s < view->skin_count; s++)
        first[s] = -1;
    for (uint32_t i = view->instance_count; i-- > 0;)
        if (instances[i].skinned) {
            next[i] = first[instances[i].skin];
            first[instances[i].skin] = (int32_t)i;
        }
    for (uint32_t r = 0; r < view->rig_count; r++) {
        const sinew_rig *rig = &view->rigs[r];
        sinew_skeleton *skeleton = NULL; // made where a skin of the rig is shown at all
        sinew_result result = SINEW_OK;
        for (uint32_t k = 0; result == SINEW_OK && k < rig->skin_count; k++) {
            if (first[rig->skins[k]] < 0)
                continue;
            if (rig->node_count > SINEW_MAX_JOINTS) {
                char path[64];
                snprintf(path, sizeof path, "skins[%u]", rig->skins[k]);
                return sinewi_error(error, SINEW_ERROR_TOO_MANY_JOINTS, path,
                                    "the rig of this skin has %u nodes, ancestors and other skins "
                                    "included; a skeleton holds at most %d joints",
                                    rig->node_count, SINEW_MAX_JOINTS);
            }
            if (!skeleton)
                result = sinew_document_rig_skeleton(view, r, &document->arena.allocator, &skeleton,
                                                     error);
            if (result == SINEW_OK)
                result =
                    rest_instances(document, rig->skins[k], skeleton, instances, &notes, error);
        }
        sinew_skeleton_destroy(skeleton);
        if (result != SINEW_OK)
            return result;
    }
    return SINEW_OK;
}

static sinew_result make_instances(sinewi_document *document, sinew_error *error)
{
    sinew_document *view = &document->view;
    uint32_t count = 0;
    for (uint32_t i = 0; i < view->node_count; i++)
        count += view->nodes[i].in_scene && view->nodes[i].mesh >= 0;
    sinew_instance *instances = sinewi_arena_alloc(&document->arena, count, sizeof *instances);
    if (!instances)
        return arena_error(&document->arena, error);
    count = 0;
    for (uint32_t i = 0; i < view->node_count; i++) {
        const sinew_node *node = &view->nodes[i];
        if (!node->in_scene || node->mesh < 0)
            continue;
        sinew_instance *instance = &instances[count++];
        instance->node = i;
        instance->mesh = (uint32_t)node->mesh;
        instance->skin = node->skin;
        instance->hidden = node->hidden;
        instance->skinned = node->skin >= 0 && view->skins[node->skin].joint_count > 0 &&
                            mesh_has_influences(&view->meshes[node->mesh]);
    }
    view->instances = instances;
    view->instance_count = count;
    return rest_all_instances(document, instances, error);
}

sinew_result sinewi_document_finish(sinewi_document *document, sinew_error *error)
{
    document->view.clips = (const sinew_clip *const *)document->clips;
    sinew_result result = link_nodes(document, error);
    if (result == SINEW_OK)
        result = check_node_references(&document->view, error);
    uint32_t *order = NULL;
    if (result == SINEW_OK) {
        order = sinewi_arena_alloc(&document->arena, document->view.node_count, sizeof *order);
        result = order ? order_nodes(document, order, error) : arena_error(&document->arena, error);
    }
    if (result == SINEW_OK)
        result = mark_scenes(document, order, error);
    if (result == SINEW_OK)
        result = fill_morph_weights(document, error);
    if (result == SINEW_OK)
        result = make_rigs(document, order, error);
    if (result == SINEW_OK)
        result = make_instances(document, error);
    return result;
}
