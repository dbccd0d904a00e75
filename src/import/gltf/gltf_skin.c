// SPDX-License-Identifier: MIT
// Skins of a glTF file, and what is to be said about them once meshes and nodes are known (SPEC 8
// and 19).
#include <math.h>

#include "import/gltf/gltf_internal.h"

// ---- Skins ------------------------------------------------------------------------------------------------

bool sinewi_gltf_is_affine(const sinew_mat4 *m)
{
    // exporters that invert in floats write 0.99999994
    const float bound = 1e-5f;
    return fabsf(m->m[3]) <= bound && fabsf(m->m[7]) <= bound && fabsf(m->m[11]) <= bound &&
           fabsf(m->m[15] - 1.0f) <= bound;
}

static bool read_inverse_binds(gltf_reader *r, const sinewi_json_value *v,
                               sinew_document_skin *skin)
{
    const sinewi_json_value *place = sinewi_json_get(&r->json, v, "inverseBindMatrices");
    sinew_mat4 *binds = sinewi_gltf_alloc(r, skin->joint_count, sizeof *binds);
    if (!binds)
        return false;
    for (uint32_t k = 0; k < skin->joint_count; k++)
        binds[k] = sinew_mat4_identity();
    skin->inverse_binds = binds;
    if (!place)
        return true;
    const gltf_accessor *a;
    if (!sinewi_gltf_accessor(r, place, &a))
        return false;
    if (!a->is_matrix || a->width != 16 || a->component != 5126)
        return sinewi_gltf_fail(
            r, place, SINEW_ERROR_INVALID_VALUE,
            "%u components of type %u; inverse bind matrices are MAT4 of floats (5126)", a->width,
            a->component);
    skin->has_inverse_binds = true;
    gltf_accessor used = *a;
    used.count = a->count < skin->joint_count ? a->count : skin->joint_count;
    if (used.count)
        sinewi_gltf_read_floats(&used, false, binds[0].m);
    uint32_t bad = 0;
    for (uint32_t k = 0; k < used.count; k++)
        if (!sinewi_all_finite(binds[k].m, 16)) {
            binds[k] = sinew_mat4_identity();
            bad++;
        }
    uint32_t odd = 0;
    for (uint32_t k = 0; k < used.count; k++)
        odd += !sinewi_gltf_is_affine(&binds[k]);
    if (odd && !sinewi_gltf_forbid(r, place, SINEW_ERROR_INVALID_VALUE,
                                   "the last row of %u inverse bind matrices is not 0 0 0 1", odd))
        return false;
    if (bad &&
        !sinewi_gltf_find(
            r, place, SINEW_NODE_NOT_FINITE, bad, 0.0,
            "%u inverse bind matrices hold a NaN or an infinity; the identity was taken", bad))
        return false;
    if (a->strided && !sinewi_gltf_find(r, place, SINEW_SAMPLER_STRIDE, a->count, (double)a->stride,
                                        "inverse bind matrices have a byteStride (%zu), which glTF "
                                        "forbids; they were read with it",
                                        a->stride))
        return false;
    return a->count >= skin->joint_count ||
           sinewi_gltf_find(r, place, SINEW_INVERSE_BINDS_MISSING, skin->joint_count - a->count,
                            0.0, "%u inverse bind matrices for %u joints; the rest are identities",
                            a->count, skin->joint_count);
}

bool sinewi_gltf_read_skins(gltf_reader *r)
{
    const sinewi_json_value **values = r->skin_values;
    uint32_t count = r->skin_count, node_count = r->node_count;
    sinew_document_skin *skins = sinewi_gltf_alloc(r, count, sizeof *skins);
    if (!skins)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const sinewi_json_value *joints = sinewi_json_get(&r->json, values[i], "joints");
        if (joints && joints->count > r->limits.joint_count)
            return sinewi_gltf_fail(r, joints, SINEW_ERROR_LIMIT_EXCEEDED,
                                    "%u joints; the limit is %u", joints->count,
                                    r->limits.joint_count);
        if (!sinewi_gltf_text(r, values[i], "name", "", &skins[i].name) ||
            !sinewi_gltf_extras(r, values[i], &skins[i].extras) ||
            !sinewi_gltf_index_array(r, values[i], "joints", node_count, "nodes", &skins[i].joints,
                                     &skins[i].joint_count) ||
            !sinewi_gltf_index(r, values[i], "skeleton", node_count, "nodes", &skins[i].skeleton))
            return false;
        if (skins[i].joint_count == 0 &&
            !sinewi_gltf_find(r, values[i], SINEW_SKIN_EMPTY, 1, 0.0, "a skin without joints"))
            return false;
        if (!read_inverse_binds(r, values[i], &skins[i]))
            return false;
    }
    r->view->skins = skins;
    r->view->skin_count = count;
    return true;
}

// ---- What skins and their instances are like --------------------------------------------------------------

// The node at the top of the tree of each. Every node is passed twice at most, however deep the
// trees are.
static void find_tree_tops(const int32_t *parents, uint32_t count, uint32_t *tops)
{
    for (uint32_t i = 0; i < count; i++)
        tops[i] = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t top = i;
        while (tops[top] == UINT32_MAX && parents[top] >= 0)
            top = (uint32_t)parents[top];
        top = tops[top] == UINT32_MAX ? top : tops[top];
        for (uint32_t at = i; tops[at] == UINT32_MAX;) {
            tops[at] = top;
            if (parents[at] < 0)
                break;
            at = (uint32_t)parents[at];
        }
    }
}

// The hint names a common root of the joints, itself or above (glTF 2.0, "Skins"). `sides` of a
// node: 2 s + 1 where it stands below the hint of skin s, 2 s + 2 where it does not.
static bool check_skeleton(gltf_reader *r, uint32_t s, uint64_t *sides)
{
    const sinew_document_skin *skin = &r->view->skins[s];
    const uint64_t below = 2 * (uint64_t)s + 1, beside = below + 1;
    uint32_t outside = 0;
    if (skin->skeleton < 0)
        return true;
    sides[skin->skeleton] = below;
    for (uint32_t k = 0; k < skin->joint_count; k++) {
        // up to a node that is known, or out at the top; then the same way again
        int32_t at = (int32_t)skin->joints[k];
        while (at >= 0 && sides[at] != below && sides[at] != beside)
            at = r->node_parents[at];
        uint64_t side = at >= 0 ? sides[at] : beside;
        outside += side == beside;
        for (at = (int32_t)skin->joints[k]; at >= 0 && sides[at] != below && sides[at] != beside;
             at = r->node_parents[at])
            sides[at] = side;
    }
    return !outside ||
           sinewi_gltf_find(r, sinewi_json_get(&r->json, r->skin_values[s], "skeleton"),
                            SINEW_SKELETON_NOT_ABOVE, outside, skin->skeleton,
                            "%u of %u joints do not stand below node %d, which the skin names as "
                            "their root; the hint changes nothing",
                            outside, skin->joint_count, skin->skeleton);
}

static bool check_skin_roots(gltf_reader *r)
{
    const int32_t *parents = r->node_parents;
    uint32_t *skin_of = sinewi_gltf_scratch(r, r->view->node_count,
                                            sizeof *skin_of); // 1 + the last skin with this joint
    uint32_t *tree_of = skin_of ? sinewi_gltf_scratch(r, r->view->node_count, sizeof *tree_of)
                                : NULL; // or in this tree
    uint32_t *tops = tree_of ? sinewi_gltf_scratch(r, r->view->node_count, sizeof *tops) : NULL;
    uint64_t *sides = tops ? sinewi_gltf_scratch(r, r->view->node_count, sizeof *sides) : NULL;
    if (!sides)
        return false;
    find_tree_tops(parents, r->view->node_count, tops);
    for (uint32_t s = 0; s < r->view->skin_count; s++) {
        const sinew_document_skin *skin = &r->view->skins[s];
        const sinewi_json_value *place = sinewi_json_get(&r->json, r->skin_values[s], "joints");
        uint32_t twice = 0;
        for (uint32_t k = 0; k < skin->joint_count; k++) {
            twice += skin_of[skin->joints[k]] == s + 1;
            skin_of[skin->joints[k]] = s + 1;
        }
        if (twice && !sinewi_gltf_forbid(r, place, SINEW_ERROR_INVALID_VALUE,
                                         "%u joints are listed more than once", twice))
            return false;
        if (!check_skeleton(r, s, sides))
            return false;
        // joints whose parent is no joint of the skin: they need a common ancestor
        uint32_t trees = 0;
        bool below = false;
        for (uint32_t k = 0; k < skin->joint_count; k++) {
            int32_t parent = parents[skin->joints[k]];
            if (parent >= 0 && skin_of[parent] == s + 1)
                continue;
            below |= parent >= 0;
            uint32_t *tree = &tree_of[tops[skin->joints[k]]];
            trees += *tree != s + 1;
            *tree = s + 1;
        }
        if (trees > 1 &&
            !sinewi_gltf_find(r, place, SINEW_SKIN_TWO_ROOTS, trees, 0.0,
                              "the joints stand in %u separate trees; they are all kept", trees))
            return false;
        if (trees == 1 && below &&
            !sinewi_gltf_find(
                r, place, SINEW_ROOT_NOT_A_JOINT, 1, 0.0,
                "the joints hang below a node that is no joint; its transform counts"))
            return false;
    }
    return true;
}

// Which joints a mesh is moved by, worked out once a mesh.
typedef struct mesh_usage {
    bool known;
    bool any; // it has vertices with influences
    const uint16_t *joints;
    uint32_t count;
} mesh_usage;

typedef struct usage_finder {
    uint32_t *seen;  // of each joint, the last round that met it
    uint32_t round;  // counts from 1
    uint16_t *found; // room for all joints
} usage_finder;

// joint_limit: joints of a skin that shows it. Joints past the smallest one have no weight, so that
// there is no need to look further once as many are found.
static bool find_mesh_usage(gltf_reader *r, const sinew_mesh *mesh, uint32_t joint_limit,
                            usage_finder *finder, mesh_usage *usage)
{
    if (usage->known)
        return true;
    usage->known = true;
    finder->round++;
    for (uint32_t p = 0; p < mesh->primitive_count; p++) {
        const sinew_primitive *primitive = &mesh->primitives[p];
        size_t count = (size_t)primitive->vertex_count * primitive->influence_count;
        usage->any |= count > 0;
        for (size_t k = 0; k < count && usage->count < joint_limit; k++) {
            uint16_t joint = primitive->joints[k];
            if (primitive->weights[k] > 0.0f && finder->seen[joint] != finder->round) {
                finder->seen[joint] = finder->round;
                finder->found[usage->count++] = joint;
            }
        }
    }
    usage->joints =
        sinewi_arena_copy(&r->scratch, finder->found, usage->count, sizeof *finder->found);
    return usage->joints || sinewi_gltf_no_memory(r);
}

// Nodes that show a mesh with a skin, as one chain a skin.
static bool check_unused_joints(gltf_reader *r)
{
    const sinew_document *view = r->view;
    if (view->skin_count == 0)
        return true;
    // a vertex names no joint past the skins of its mesh, unless they are all empty: then any
    uint32_t joint_room = 0;
    for (uint32_t s = 0; s < view->skin_count; s++) {
        uint32_t joints = view->skins[s].joint_count;
        joints = joints ? joints : SINEW_MAX_JOINTS + 1;
        joint_room = joints > joint_room ? joints : joint_room;
    }
    uint32_t *first =
        sinewi_gltf_scratch(r, view->skin_count, sizeof *first); // 1 + node; 0 ends the chain
    uint32_t *next = first ? sinewi_gltf_scratch(r, view->node_count, sizeof *next) : NULL;
    uint32_t *mesh_seen =
        next ? sinewi_gltf_scratch(r, view->mesh_count, sizeof *mesh_seen) : NULL; // 1 + skin
    // 1 + the last skin that a joint moves something of
    uint32_t *joint_seen =
        mesh_seen ? sinewi_gltf_scratch(r, joint_room, sizeof *joint_seen) : NULL;
    mesh_usage *usages =
        joint_seen ? sinewi_gltf_scratch(r, view->mesh_count, sizeof *usages) : NULL;
    usage_finder finder = {0};
    finder.seen = usages ? sinewi_gltf_scratch(r, joint_room, sizeof *finder.seen) : NULL;
    finder.found = finder.seen ? sinewi_gltf_scratch(r, joint_room, sizeof *finder.found) : NULL;
    if (!finder.found)
        return false;
    for (uint32_t i = view->node_count; i-- > 0;)
        if (view->nodes[i].skin >= 0 && view->nodes[i].mesh >= 0) {
            next[i] = first[view->nodes[i].skin];
            first[view->nodes[i].skin] = i + 1;
        }
    for (uint32_t s = 0; s < view->skin_count; s++) {
        uint32_t joints = view->skins[s].joint_count, used = 0;
        bool shown = false;
        for (uint32_t n = first[s]; n; n = next[n - 1]) {
            int32_t mesh = view->nodes[n - 1].mesh;
            if (mesh_seen[mesh] == s + 1)
                continue;
            mesh_seen[mesh] = s + 1;
            if (!find_mesh_usage(r, &view->meshes[mesh], joints, &finder, &usages[mesh]))
                return false;
            shown |= usages[mesh].any;
            for (uint32_t k = 0; k < usages[mesh].count; k++) {
                uint32_t joint = usages[mesh].joints[k];
                used += joint < joints && joint_seen[joint] != s + 1;
                joint_seen[joint] = s + 1;
            }
        }
        if (shown && used < joints &&
            !sinewi_gltf_find(r, r->skin_values[s], SINEW_JOINTS_UNUSED, joints - used, 0.0,
                              "%u of %u joints move no vertex", joints - used, joints))
            return false;
    }
    return true;
}

bool sinewi_gltf_check_skinning(gltf_reader *r)
{
    for (uint32_t i = 0; i < r->node_count; i++) {
        const sinew_node *node = &r->view->nodes[i];
        const sinew_mesh *mesh = node->mesh < 0 ? NULL : &r->view->meshes[node->mesh];
        uint32_t with = 0, without = 0; // primitives that have vertices
        for (uint32_t p = 0; mesh && p < mesh->primitive_count; p++) {
            with += mesh->primitives[p].influence_count > 0;
            without +=
                mesh->primitives[p].influence_count == 0 && mesh->primitives[p].vertex_count > 0;
        }
        bool good = true, influences = with > 0;
        if (node->skin >= 0 && node->mesh < 0)
            good = sinewi_gltf_find(r, r->node_values[i], SINEW_SKIN_WITHOUT_MESH, 1, 0.0,
                                    "node %u has a skin but no mesh", i);
        else if (node->skin >= 0 && !influences)
            good = sinewi_gltf_find(
                r, r->node_values[i], SINEW_SKIN_WITHOUT_INFLUENCES, 1, 0.0,
                "node %u has a skin, but mesh %d no joints and weights; it is drawn unskinned", i,
                node->mesh);
        else if (node->skin >= 0 && without)
            good =
                sinewi_gltf_find(r, r->node_values[i], SINEW_SKIN_WITHOUT_INFLUENCES, without, 0.0,
                                 "node %u has a skin, but %u of %u primitives of mesh %d no "
                                 "joints and weights; they are drawn unskinned",
                                 i, without, mesh->primitive_count, node->mesh);
        else if (node->skin < 0 && influences)
            good = sinewi_gltf_find(
                r, r->node_values[i], SINEW_INFLUENCES_WITHOUT_SKIN, 1, 0.0,
                "mesh %d has joints and weights, but node %u no skin; it is drawn unskinned",
                node->mesh, i);
        if (!good)
            return false;
    }
    return check_skin_roots(r) && check_unused_joints(r);
}
