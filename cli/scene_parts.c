// SPDX-License-Identifier: MIT
// What of a document is drawn: a part for each primitive that an instance shows, with its
// triangles, texture coordinates and colours; and which nodes are bones.
#include "cli/scene_internal.h"

#include <stdlib.h>
#include <string.h>

// Corner i of a primitive's list, whether it has indices or not. Corners past the vertices give
// false.
static bool scene_corner(const sinew_primitive *p, uint32_t i, uint32_t *out)
{
    *out = p->indices != NULL ? p->indices[i] : i;
    return *out < p->vertex_count;
}

// Strips, fans and loops become lists. Triangles keep the file's winding.
static bool scene_make_indices(const sinew_primitive *p, scene_part *part)
{
    uint32_t n = p->indices != NULL ? p->index_count : p->vertex_count;
    uint32_t shape_count = 0, corners = 3;
    part->shape = SINEW_RASTER_TRIANGLES;
    switch (p->topology) {
    case SINEW_TOPOLOGY_POINTS:
        shape_count = n, corners = 1, part->shape = SINEW_RASTER_POINTS;
        break;
    case SINEW_TOPOLOGY_LINES:
        shape_count = n / 2, corners = 2, part->shape = SINEW_RASTER_LINES;
        break;
    case SINEW_TOPOLOGY_LINE_LOOP:
        shape_count = n > 1 ? n : 0, corners = 2, part->shape = SINEW_RASTER_LINES;
        break;
    case SINEW_TOPOLOGY_LINE_STRIP:
        shape_count = n > 1 ? n - 1 : 0, corners = 2, part->shape = SINEW_RASTER_LINES;
        break;
    case SINEW_TOPOLOGY_TRIANGLES:
        shape_count = n / 3;
        break;
    case SINEW_TOPOLOGY_TRIANGLE_STRIP:
    case SINEW_TOPOLOGY_TRIANGLE_FAN:
        shape_count = n > 2 ? n - 2 : 0;
        break;
    }
    if ((uint64_t)shape_count * corners > (uint64_t)INT32_MAX)
        return false;
    part->indices = malloc(((size_t)shape_count * corners + 1) * sizeof *part->indices);
    if (part->indices == NULL)
        return false;
    for (uint32_t i = 0; i < shape_count; i++) {
        uint32_t c[3] = {i * corners, i * corners + 1, i * corners + 2};
        if (p->topology == SINEW_TOPOLOGY_LINE_LOOP || p->topology == SINEW_TOPOLOGY_LINE_STRIP) {
            c[0] = i, c[1] = (i + 1) % n;
        } else if (p->topology == SINEW_TOPOLOGY_TRIANGLE_STRIP) { // glTF 2.0, 3.7.2.1: p_i,
                                                                   // p_(i+1+i%2), p_(i+2-i%2)
            c[0] = i, c[1] = i + 1 + i % 2, c[2] = i + 2 - i % 2;
        } else if (p->topology == SINEW_TOPOLOGY_TRIANGLE_FAN) {
            c[0] = i + 1, c[1] = i + 2, c[2] = 0;
        }
        uint32_t *to = part->indices + part->index_count;
        bool inside = true;
        for (uint32_t k = 0; k < corners; k++)
            inside = scene_corner(p, c[k], &to[k]) && inside;
        if (inside)
            part->index_count += corners;
    }
    return true;
}

// KHR_texture_transform: scale, then turn counter-clockwise as the picture (whose v points down)
// shows it, then move.
static bool scene_make_uvs(const scene_view *view, const sinew_primitive *p, scene_part *part)
{
    if (p->material < 0 || (uint32_t)p->material >= view->document->material_count)
        return true;
    const sinew_texture_use plain = {.texture = -1, .tiling = {1.0f, 1.0f}};
    const sinew_texture_use *use = scene_uv_use(&view->document->materials[p->material]);
    if (use == NULL && view->desc.painted)
        use = &plain; // it may get one
    if (use == NULL || use->uv >= p->uv_count)
        return true;
    part->uvs = malloc(((size_t)p->vertex_count + 1) * 2 * sizeof(float));
    if (part->uvs == NULL)
        return false;
    const float *from = p->uvs[use->uv];
    float s = sinew_sin(use->rotation), c = sinew_cos(use->rotation);
    for (uint32_t i = 0; i < p->vertex_count; i++) {
        float u = from[(size_t)i * 2] * use->tiling.x, v = from[(size_t)i * 2 + 1] * use->tiling.y;
        part->uvs[(size_t)i * 2] = (c * u + s * v) + use->offset.x;
        part->uvs[(size_t)i * 2 + 1] = (c * v - s * u) + use->offset.y;
    }
    return true;
}

// The sum over all triangles of the cosine between the side that winding calls the front and the
// normals.
float scene_winding(const scene_part *part, const float *positions, const float *normals)
{
    float sum = 0.0f;
    if (part->shape != SINEW_RASTER_TRIANGLES || positions == NULL || normals == NULL)
        return 0.0f;
    for (uint32_t i = 0; i + 3 <= part->index_count; i += 3) {
        const float *p[3], *n[3];
        for (int k = 0; k < 3; k++) {
            p[k] = positions + (size_t)part->indices[i + (uint32_t)k] * 3;
            n[k] = normals + (size_t)part->indices[i + (uint32_t)k] * 3;
        }
        sinew_vec3 ab = sinew_vec3_make(p[1][0] - p[0][0], p[1][1] - p[0][1], p[1][2] - p[0][2]);
        sinew_vec3 ac = sinew_vec3_make(p[2][0] - p[0][0], p[2][1] - p[0][1], p[2][2] - p[0][2]);
        const sinew_vec3 none = {0.0f, 0.0f, 0.0f};
        sinew_vec3 face = sinew_vec3_normalize(sinew_vec3_cross(ab, ac), none);
        sinew_vec3 mean =
            sinew_vec3_make((n[0][0] + n[1][0]) + n[2][0], (n[0][1] + n[1][1]) + n[2][1],
                            (n[0][2] + n[1][2]) + n[2][2]);
        sum += sinew_vec3_dot(face, sinew_vec3_normalize(mean, none));
    }
    return sum;
}

// ---- Weights as colours -------------------------------------------------------------------------

// Grey where a joint has no say, then from blue over green and yellow to red.
sinew_vec3 scene_weight_color(float weight)
{
    static const sinew_vec3 ramp[] = {{0.42f, 0.43f, 0.45f}, {0.03f, 0.13f, 0.70f},
                                      {0.02f, 0.50f, 0.55f}, {0.20f, 0.70f, 0.08f},
                                      {0.95f, 0.65f, 0.02f}, {0.85f, 0.03f, 0.02f}};
    const int last = (int)(sizeof ramp / sizeof ramp[0]) - 1;
    float t = weight < 0.0f ? 0.0f : (weight > 1.0f ? 1.0f : weight);
    // The first fiftieth leads from grey into the ramp, so that even faint weights show.
    t = t < 0.02f ? t * 50.0f : 1.0f + (t - 0.02f) / 0.98f * (float)(last - 1);
    int i = (int)t < last ? (int)t : last - 1;
    return sinew_vec3_lerp(ramp[i], ramp[i + 1], t - (float)i);
}

// Hues of neighbours in the document lie a golden section of the circle apart, so that joints that
// meet differ.
static sinew_vec3 scene_hue(uint32_t joint)
{
    float h =
        (float)((double)joint * 0.61803398875 - (double)(uint32_t)((double)joint * 0.61803398875)) *
        6.0f;
    float lift = joint % 3 == 0 ? 0.06f : (joint % 3 == 1 ? 0.02f : 0.14f);
    float r = fabsf(h - 3.0f) - 1.0f, g = 2.0f - fabsf(h - 2.0f), b = 2.0f - fabsf(h - 4.0f);
    const float channels[3] = {r, g, b};
    float out[3];
    for (int i = 0; i < 3; i++) {
        float c = channels[i] < 0.0f ? 0.0f : (channels[i] > 1.0f ? 1.0f : channels[i]);
        out[i] = lift + (0.85f - lift) * c * c;
    }
    return sinew_vec3_make(out[0], out[1], out[2]);
}

static bool scene_make_weight_colors(const scene_view *view, const sinew_instance *instance,
                                     const sinew_primitive *p, scene_part *part)
{
    part->colors = malloc(((size_t)p->vertex_count + 1) * 4 * sizeof(float));
    if (part->colors == NULL)
        return false;
    const sinew_document *document = view->document;
    const sinew_document_skin *skin = NULL;
    // What hangs rigidly below a joint follows it with all its weight.
    int32_t carrier = instance->skinned ? -1 : (int32_t)instance->node;
    while (carrier >= 0 && view->bones[carrier] == -2)
        carrier = document->nodes[carrier].parent;
    if (instance->skinned && instance->skin >= 0 && (uint32_t)instance->skin < document->skin_count)
        skin = &document->skins[instance->skin];
    for (uint32_t v = 0; v < p->vertex_count; v++) {
        float heat = 0.0f, total = 0.0f;
        sinew_vec3 sum = {0.0f, 0.0f, 0.0f};
        uint32_t count = skin != NULL ? p->influence_count : (carrier >= 0 ? 1 : 0);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t node = (uint32_t)carrier;
            float weight = 1.0f;
            if (skin != NULL) {
                uint32_t slot = p->joints[(size_t)v * count + i];
                weight = p->weights[(size_t)v * count + i];
                if (weight <= 0.0f || slot >= skin->joint_count)
                    continue;
                node = skin->joints[slot];
            }
            total += weight;
            sum = sinew_vec3_add(sum, sinew_vec3_scale(scene_hue(node), weight));
            if (view->desc.weight_nodes != NULL && view->desc.weight_nodes[node])
                heat += weight;
        }
        bool hues = view->desc.weights == SCENE_WEIGHTS_ALL && total > 0.0f;
        sinew_vec3 color = hues ? sum : scene_weight_color(heat);
        float *out = part->colors + (size_t)v * 4;
        out[0] = color.x, out[1] = color.y, out[2] = color.z, out[3] = 1.0f;
    }
    return true;
}

// ---- Making -------------------------------------------------------------------------------------

// Marks the nodes of the scene that is shown: the default one, or the first; all nodes where there
// are no scenes.
static bool scene_mark_nodes(const sinew_document *document, uint8_t *shown)
{
    if (document->scene_count == 0) {
        memset(shown, 1, document->node_count);
        return true;
    }
    uint32_t index =
        document->default_scene >= 0 && (uint32_t)document->default_scene < document->scene_count
            ? (uint32_t)document->default_scene
            : 0;
    const sinew_scene *scene = &document->scenes[index];
    uint32_t *stack = malloc(((size_t)document->node_count + 1) * sizeof *stack);
    if (stack == NULL)
        return false;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t count = 0;
        stack[count++] = scene->nodes[i];
        while (count > 0) {
            uint32_t node = stack[--count];
            if (shown[node])
                continue;
            shown[node] = 1;
            for (uint32_t c = 0; c < document->nodes[node].child_count; c++)
                if (!shown[document->nodes[node].children[c]])
                    stack[count++] = document->nodes[node].children[c];
        }
    }
    free(stack);
    return true;
}

// Joints are those of the skins; where there are none, the nodes of the rigs (which then are
// animated ones).
bool scene_find_bones(scene_view *view)
{
    const sinew_document *document = view->document;
    view->bones = malloc(((size_t)document->node_count + 1) * sizeof *view->bones);
    if (view->bones == NULL)
        return false;
    for (uint32_t i = 0; i < document->node_count; i++)
        view->bones[i] = -2;
    for (uint32_t s = 0; s < document->skin_count; s++)
        for (uint32_t j = 0; j < document->skins[s].joint_count; j++)
            view->bones[document->skins[s].joints[j]] = -1;
    for (uint32_t r = 0; document->skin_count == 0 && r < document->rig_count; r++)
        for (uint32_t i = 0; i < document->rigs[r].node_count; i++)
            view->bones[document->rigs[r].nodes[i]] = -1;
    for (uint32_t i = 0; i < document->node_count; i++) {
        if (view->bones[i] == -2)
            continue;
        int32_t above = document->nodes[i].parent;
        while (above >= 0 && view->bones[above] == -2)
            above = document->nodes[above].parent;
        view->bones[i] = above;
    }
    return true;
}

// Additive surfaces are pictures that glow: without one there is nothing to draw, nor where weights
// are shown.
static bool scene_adds_nothing(const scene_view *view, const sinew_material *material,
                               const sinew_raster_material *made)
{
    return material->additive &&
           (view->desc.weights != SCENE_WEIGHTS_OFF || made->base_color_texture == NULL);
}

// The parts of one instance, or of one copy of it.
static bool scene_add_instance(scene_view *view, const sinew_instance *instance,
                               uint32_t posed_index)
{
    const sinew_document *document = view->document;
    const sinew_mesh *mesh = &document->meshes[instance->mesh];
    bool made = true;
    for (uint32_t k = 0; k < mesh->primitive_count && made; k++) {
        const sinew_primitive *p = &mesh->primitives[k];
        if (p->vertex_count == 0 || p->positions == NULL)
            continue;
        scene_part *part = &view->parts[view->part_count++];
        *part = (scene_part){.instance = posed_index, .primitive = k, .source = p};
        bool own = p->material >= 0 && (uint32_t)p->material < document->material_count;
        part->material = &view->materials[own ? (uint32_t)p->material : document->material_count];
        part->hidden =
            own && scene_adds_nothing(view, &document->materials[p->material], part->material);
        if (part->hidden && !view->desc.painted) {
            view->part_count--;
            continue;
        }
        made = scene_make_indices(p, part);
        if (made && view->desc.weights != SCENE_WEIGHTS_OFF) {
            part->material = &view->matte;
            made = scene_make_weight_colors(view, instance, p, part);
        } else if (made) {
            made = scene_make_uvs(view, p, part);
        }
        if (made && view->desc.shade != NULL && part->colors == NULL)
            made = (part->colors = calloc((size_t)p->vertex_count + 1, 4 * sizeof(float))) != NULL;
        if (made)
            part->winding = scene_winding(part, p->positions, p->normals);
    }
    return made;
}

sinew_result scene_make_parts(scene_view *view)
{
    const sinew_document *document = view->document;
    size_t count = 0;
    for (uint32_t i = 0; i < document->instance_count; i++)
        count += (size_t)posed_copies(document, i) *
                 document->meshes[document->instances[i].mesh].primitive_count;
    view->parts = calloc(count + 1, sizeof *view->parts);
    view->meshes = calloc(count + 3, sizeof *view->meshes);
    uint8_t *shown = calloc((size_t)document->node_count + 1, 1);
    if (view->parts == NULL || view->meshes == NULL || shown == NULL ||
        !scene_mark_nodes(document, shown)) {
        free(shown);
        return SINEW_ERROR_OUT_OF_MEMORY;
    }
    bool made = true;
    uint32_t posed_index = 0;
    for (uint32_t i = 0; i < document->instance_count && made; i++) {
        const sinew_instance *instance = &document->instances[i];
        bool visible = shown[instance->node] && !instance->hidden;
        for (uint32_t c = 0; c < posed_copies(document, i) && made; c++, posed_index++)
            made = !visible || scene_add_instance(view, instance, posed_index);
    }
    free(shown);
    return made ? SINEW_OK : SINEW_ERROR_OUT_OF_MEMORY;
}
