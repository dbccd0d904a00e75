// SPDX-License-Identifier: MIT
// The camera fits exactly: with the directions of right, up and forward fixed, a point p is in view
// of an eye e where |right . (p - e)| <= tx forward . (p - e), and the same upwards. Each of the
// four planes gives one bound that is a maximum over all points, so the eye that is nearest to
// everything and still sees it follows from four numbers, however many vertices and moments were
// looked at.
#include "cli/scene_view.h"

#include "cli/scene_bones.h"
#include "cli/scene_picture.h"
#include "cli/scene_shade.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#define SCENE_TAN 0.2   // tan of half the vertical angle of view: a long lens, little distortion
#define SCENE_FILL 0.86 // the part of the picture that the figure may fill
enum {
    GL_NEAREST_FILTER = 9728,
    GL_CLAMP_TO_EDGE_WRAP = 33071,
    GL_MIRRORED_REPEAT_WRAP = 33648,
};

// What is fixed for one primitive of one instance.
typedef struct scene_part {
    uint32_t instance, primitive; // of the posed document, of its mesh
    const sinew_primitive *source;
    sinew_raster_shape shape;
    uint32_t *indices; // of triangles, lines or points, all below vertex_count
    uint32_t index_count;
    float *uvs;    // transformed
    float *colors; // weights shown as colours, or shades of the moment
    float winding; // how well the triangles of the file agree with its normals: > 0 as glTF asks, <
                   // 0 inside out
    const sinew_raster_material *material;
    sinew_raster_material painted; // where it has been
    bool hidden;                   // additive, and without a texture
} scene_part;

enum { SCENE_MAX_TILES = 64 };

typedef struct scene_bounds {
    bool any;
    double right_max, left_max, up_max, down_max; // of the four planes
    double low[3], high[3];                       // along right, up, forward
    double ground;                                // lowest world y
} scene_bounds;

struct scene_view {
    const sinew_document *document;
    scene_view_desc desc;
    sinew_texture2d **textures; // [texture_count][2]: as colours, as numbers
    uint8_t *bad;               // [texture_count] cannot be decoded
    uint32_t bad_textures;
    const char *bad_name;             // of the first one
    sinew_raster_material *materials; // [material_count + 1], the last one for primitives without
    sinew_raster_material matte;      // carries weights
    sinew_raster_material ground;     // of the tiles that feet stand on
    scene_part *parts;
    uint32_t part_count;
    uint32_t shown_count;      // of the parts: all or none
    sinew_raster_mesh *meshes; // [part_count + 3], the last ones for ground, a cloud and bones
    scene_cloud cloud;
    bool has_cloud;
    float ground_positions[SCENE_MAX_TILES * 12], ground_normals[SCENE_MAX_TILES * 12];
    uint32_t ground_indices[SCENE_MAX_TILES * 6];
    int32_t *bones; // [node_count] nearest joint above a joint, -1 where none; -2: no joint
    bool show_joints;
    scene_bones solid; // where there are no meshes
    bool show_solid;
    bool sunny;
    sinew_raster_sun sun;
    sinew_raster_material bone;
    sinew_vec3 right, up, forward;
    double tan_x, tan_y; // of half the angle of view at zoom 1
    scene_bounds bounds;
};

// What the posed document holds of a part.
static const posed_primitive *scene_posed(const posed_document *posed, const scene_part *part)
{
    return &posed->instances[part->instance].primitives[part->primitive];
}

scene_view_desc scene_view_desc_default(void)
{
    scene_view_desc desc = {.yaw = 30.0, .pitch = 14.0, .zoom = 1.0};
    return desc;
}

// ---- Materials ----------------------------------------------------------------------------------

static sinew_texture_wrap scene_wrap(uint32_t wrap)
{
    if (wrap == GL_CLAMP_TO_EDGE_WRAP)
        return SINEW_TEXTURE_CLAMP;
    return wrap == GL_MIRRORED_REPEAT_WRAP ? SINEW_TEXTURE_MIRROR : SINEW_TEXTURE_REPEAT;
}

// The texture of a use, made when it is first asked for. One that cannot be decoded is counted
// once.
static sinew_result scene_texture(scene_view *view, const sinew_texture_use *use, bool linear,
                                  const sinew_texture2d **out)
{
    const sinew_document *document = view->document;
    *out = NULL;
    if (use->texture < 0 || (uint32_t)use->texture >= document->texture_count ||
        view->bad[use->texture])
        return SINEW_OK;
    sinew_texture2d **slot = &view->textures[(size_t)use->texture * 2 + (linear ? 1 : 0)];
    if (*slot == NULL) {
        const sinew_texture *texture = &document->textures[use->texture];
        sinew_picture picture = {0};
        sinew_result result = scene_picture_decode(document, (uint32_t)use->texture, &picture);
        if (result == SINEW_ERROR_OUT_OF_MEMORY)
            return result;
        if (result != SINEW_OK) {
            view->bad[use->texture] = 1;
            if (view->bad_textures++ == 0)
                view->bad_name = scene_picture_name(document, (uint32_t)use->texture);
            return SINEW_OK;
        }
        sinew_texture2d_desc desc = {
            .picture = &picture,
            .wrap_u = scene_wrap(texture->wrap_s),
            .wrap_v = scene_wrap(texture->wrap_t),
            .nearest = texture->mag_filter == GL_NEAREST_FILTER,
            .linear = linear,
        };
        result = sinew_texture2d_create(&desc, slot);
        sinew_picture_destroy(&picture);
        if (result != SINEW_OK)
            return result;
    }
    *out = *slot;
    return SINEW_OK;
}

// All textures of a material are read with one set of uvs: that of its base colour, or of the first
// one it has.
static const sinew_texture_use *scene_uv_use(const sinew_material *material)
{
    const sinew_texture_use *uses[] = {
        &material->base_color_texture, &material->emissive_texture, &material->normal_texture,
        &material->metallic_roughness_texture, &material->occlusion_texture};
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++)
        if (uses[i]->texture >= 0)
            return uses[i];
    return NULL;
}

static bool scene_same_uvs(const sinew_texture_use *a, const sinew_texture_use *b)
{
    return a != NULL && b->texture >= 0 && a->uv == b->uv && a->offset.x == b->offset.x &&
           a->offset.y == b->offset.y && a->rotation == b->rotation && a->tiling.x == b->tiling.x &&
           a->tiling.y == b->tiling.y;
}

static sinew_result scene_make_material(scene_view *view, const sinew_material *from,
                                        sinew_raster_material *out)
{
    static const sinew_raster_alpha alpha_modes[] = {SINEW_RASTER_OPAQUE, SINEW_RASTER_MASK,
                                                     SINEW_RASTER_BLEND};
    *out = sinew_raster_material_default();
    out->base_color = from->base_color;
    out->metallic = from->metallic;
    out->roughness = from->roughness;
    out->emissive = from->emissive;
    out->alpha_mode = from->additive ? SINEW_RASTER_ADD : alpha_modes[from->alpha_mode];
    out->alpha_cutoff = from->alpha_cutoff;
    out->double_sided = from->double_sided;
    out->unlit = from->unlit || view->desc.shade != NULL;
    out->normal_scale = from->normal_texture.scale;
    out->occlusion_strength = from->occlusion_texture.scale;
    const struct {
        const sinew_texture_use *use;
        bool linear;
        const sinew_texture2d **out;
    } uses[] = {
        {&from->base_color_texture, false, &out->base_color_texture},
        {&from->emissive_texture, false, &out->emissive_texture},
        {&from->normal_texture, true, &out->normal_texture},
        {&from->metallic_roughness_texture, true, &out->metallic_roughness_texture},
        {&from->occlusion_texture, true, &out->occlusion_texture},
    };
    const sinew_texture_use *uv_use = scene_uv_use(from);
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++) {
        if (!scene_same_uvs(uv_use, uses[i].use))
            continue;
        sinew_result result = scene_texture(view, uses[i].use, uses[i].linear, uses[i].out);
        if (result != SINEW_OK)
            return result;
    }
    return SINEW_OK;
}

static sinew_result scene_make_materials(scene_view *view)
{
    const sinew_document *document = view->document;
    view->textures = calloc((size_t)document->texture_count * 2 + 1, sizeof *view->textures);
    view->materials = calloc((size_t)document->material_count + 1, sizeof *view->materials);
    view->bad = calloc((size_t)document->texture_count + 1, 1);
    sinew_result result = SINEW_ERROR_OUT_OF_MEMORY;
    if (view->textures != NULL && view->materials != NULL && view->bad != NULL) {
        result = SINEW_OK;
        for (uint32_t i = 0; i < document->material_count && result == SINEW_OK; i++) {
            if (view->desc.weights == SCENE_WEIGHTS_OFF)
                result = scene_make_material(view, &document->materials[i], &view->materials[i]);
        }
        view->materials[document->material_count] = sinew_raster_material_default();
        view->materials[document->material_count].base_color = (sinew_vec4){0.8f, 0.8f, 0.8f, 1.0f};
        view->materials[document->material_count].unlit = view->desc.shade != NULL;
        view->matte = sinew_raster_material_default();
        view->ground = sinew_raster_material_default();
        view->ground.base_color = (sinew_vec4){0.45f, 0.4f, 0.32f, 1.0f};
        view->ground.double_sided = true;
        view->matte.roughness = 0.75f;
        view->bone = sinew_raster_material_default();
        view->bone.base_color = (sinew_vec4){0.85f, 0.36f, 0.05f, 1.0f};
        view->bone.roughness = 0.6f;
        view->bone.metallic = 0.0f;
        view->bone.double_sided = true;
    }
    return result;
}

// ---- Parts --------------------------------------------------------------------------------------

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
static float scene_winding(const scene_part *part, const float *positions, const float *normals)
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
static bool scene_find_bones(scene_view *view)
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

// The parts of one instance, or of one copy of it.
// Additive surfaces are pictures that glow: without one there is nothing to draw, nor where weights
// are shown.
static bool scene_adds_nothing(const scene_view *view, const sinew_material *material,
                               const sinew_raster_material *made)
{
    return material->additive &&
           (view->desc.weights != SCENE_WEIGHTS_OFF || made->base_color_texture == NULL);
}

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

static sinew_result scene_make_parts(scene_view *view)
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

sinew_result scene_view_create(const sinew_document *document, const scene_view_desc *desc,
                               scene_view **out)
{
    *out = NULL;
    scene_view *view = calloc(1, sizeof *view);
    if (view == NULL)
        return SINEW_ERROR_OUT_OF_MEMORY;
    view->document = document;
    view->desc = *desc;
    sinew_result result = scene_make_materials(view);
    if (result == SINEW_OK && !scene_find_bones(view))
        result = SINEW_ERROR_OUT_OF_MEMORY;
    if (result == SINEW_OK)
        result = scene_make_parts(view);
    if (result == SINEW_OK && view->part_count == 0 &&
        !scene_bones_make(&view->solid, document->node_count))
        result = SINEW_ERROR_OUT_OF_MEMORY;
    if (result != SINEW_OK) {
        scene_view_destroy(view);
        return result;
    }
    view->show_joints = desc->joints;
    view->show_solid = view->part_count == 0;
    view->shown_count = view->part_count;

    const float radians = 0.017453292519943295f;
    float yaw = (float)desc->yaw * radians, pitch = (float)desc->pitch * radians;
    sinew_vec3 back = sinew_vec3_make(sinew_sin(yaw) * sinew_cos(pitch), sinew_sin(pitch),
                                      sinew_cos(yaw) * sinew_cos(pitch));
    view->forward = sinew_vec3_scale(back, -1.0f);
    view->right = sinew_vec3_make(sinew_cos(yaw), 0.0f, -sinew_sin(yaw));
    view->up = sinew_vec3_cross(view->right, view->forward);
    *out = view;
    return SINEW_OK;
}

void scene_view_destroy(scene_view *view)
{
    if (view == NULL)
        return;
    for (size_t i = 0; view->textures != NULL && i < (size_t)view->document->texture_count * 2; i++)
        sinew_texture2d_destroy(view->textures[i]);
    for (uint32_t i = 0; i < view->part_count; i++) {
        free(view->parts[i].indices);
        free(view->parts[i].uvs);
        free(view->parts[i].colors);
    }
    free(view->textures);
    free(view->bad);
    free(view->materials);
    free(view->parts);
    free(view->meshes);
    free(view->bones);
    scene_bones_free(&view->solid);
    free(view);
}

sinew_result scene_view_paint(scene_view *view, const sinew_primitive *primitive, int32_t texture)
{
    const sinew_texture_use use = {.texture = texture, .tiling = {1.0f, 1.0f}};
    const sinew_texture2d *picture;
    sinew_result result = scene_texture(view, &use, false, &picture);
    for (uint32_t i = 0; i < view->part_count && result == SINEW_OK; i++) {
        scene_part *part = &view->parts[i];
        if (part->source != primitive)
            continue;
        if (part->material != &part->painted)
            part->painted = *part->material;
        part->material = &part->painted;
        part->painted.base_color_texture = picture;
        part->hidden = picture == NULL && part->painted.alpha_mode == SINEW_RASTER_ADD;
    }
    return result;
}

uint32_t scene_view_bad_textures(const scene_view *view)
{
    return view->bad_textures;
}

const char *scene_view_bad_name(const scene_view *view)
{
    return view->bad_textures > 0 ? view->bad_name : "";
}

void scene_view_show_cloud(scene_view *view, const scene_cloud *cloud, bool alone)
{
    view->cloud = *cloud;
    view->has_cloud = true;
    view->show_solid = false;
    view->shown_count = alone ? 0 : view->part_count;
}

bool scene_view_has_content(const scene_view *view)
{
    if (view->has_cloud)
        return true;
    for (uint32_t i = 0; i < view->part_count; i++)
        if (view->parts[i].index_count > 0)
            return true;
    for (uint32_t i = 0; i < view->document->node_count; i++)
        if (view->bones[i] != -2)
            return true;
    return false;
}

// ---- Framing ------------------------------------------------------------------------------------

static double scene_max(double a, double b)
{
    return a > b ? a : b;
}
static double scene_min(double a, double b)
{
    return a < b ? a : b;
}

static void scene_frame_point(scene_view *view, sinew_vec3 p)
{
    scene_bounds *b = &view->bounds;
    const double along[3] = {sinew_vec3_dot(p, view->right), sinew_vec3_dot(p, view->up),
                             sinew_vec3_dot(p, view->forward)};
    for (int i = 0; i < 3; i++)
        if (!(along[i] > -1e15 && along[i] < 1e15))
            return;
    if (!b->any) {
        b->any = true;
        b->right_max = b->left_max = b->up_max = b->down_max = -DBL_MAX;
        b->ground = p.y;
        for (int i = 0; i < 3; i++)
            b->low[i] = b->high[i] = along[i];
    }
    const double tx = view->tan_x * SCENE_FILL, ty = view->tan_y * SCENE_FILL;
    b->right_max = scene_max(b->right_max, along[0] - tx * along[2]);
    b->left_max = scene_max(b->left_max, -along[0] - tx * along[2]);
    b->up_max = scene_max(b->up_max, along[1] - ty * along[2]);
    b->down_max = scene_max(b->down_max, -along[1] - ty * along[2]);
    b->ground = scene_min(b->ground, p.y);
    for (int i = 0; i < 3; i++) {
        b->low[i] = scene_min(b->low[i], along[i]);
        b->high[i] = scene_max(b->high[i], along[i]);
    }
}

void scene_view_begin(scene_view *view, double aspect)
{
    view->bounds = (scene_bounds){0};
    view->tan_x = aspect > 1.0 ? SCENE_TAN * aspect : SCENE_TAN;
    view->tan_y = aspect > 1.0 ? SCENE_TAN : SCENE_TAN / aspect;
}

static sinew_vec3 scene_joint(const posed_document *posed, uint32_t node)
{
    const float *m = posed->world[node].m;
    return sinew_vec3_make(m[12], m[13], m[14]);
}

void scene_view_frame(scene_view *view, const posed_document *posed)
{
    for (uint32_t i = 0; i < view->shown_count; i++) {
        const scene_part *part = &view->parts[i];
        const posed_primitive *p = scene_posed(posed, part);
        for (uint32_t k = 0; k < part->index_count; k++) {
            const float *v = p->positions + (size_t)part->indices[k] * 3;
            scene_frame_point(view, sinew_vec3_make(v[0], v[1], v[2]));
        }
    }
    for (uint32_t i = 0; view->has_cloud && i < view->cloud.point_count; i++) {
        const float *v = view->cloud.positions + (size_t)i * 3;
        scene_frame_point(view, sinew_vec3_make(v[0], v[1], v[2]));
    }
    for (uint32_t i = 0; (view->show_joints || view->show_solid) && i < view->document->node_count;
         i++)
        if (view->bones[i] != -2)
            scene_frame_point(view, scene_joint(posed, i));
}

double scene_view_aspect(const scene_view *view)
{
    const scene_bounds *b = &view->bounds;
    double width = b->high[0] - b->low[0], height = b->high[1] - b->low[1];
    if (!b->any || !(width > 0.0) || !(height > 0.0))
        return 1.0;
    return width / height;
}

// The nearest eye that sees all points. With R the largest x - tx z and L the largest -x - tx z of
// all points, an eye at (ex, ez) sees them where R <= ex - tx ez and L <= -ex - tx ez: so ez <= -(R
// + L) / 2 tx, and ex = (R - L) / 2 is the middle of what is allowed. The same for y; the smaller
// ez serves both.
static sinew_raster_camera scene_camera(const scene_view *view)
{
    scene_bounds b = view->bounds;
    if (!b.any)
        b = (scene_bounds){0};
    double square = 0.0;
    for (int i = 0; i < 3; i++)
        square += (b.high[i] - b.low[i]) * (b.high[i] - b.low[i]);
    // A little air, which also keeps the eye off a figure that is a single point.
    double air = square > 0.0 ? 0.01 * sqrt(square) : 0.5;
    double right = b.right_max + air, left = b.left_max + air, up = b.up_max + air,
           down = b.down_max + air;
    double tx = view->tan_x * SCENE_FILL, ty = view->tan_y * SCENE_FILL;
    double ez = scene_min(-(right + left) / (2.0 * tx), -(up + down) / (2.0 * ty));
    float ex = (float)((right - left) * 0.5), ey = (float)((up - down) * 0.5);
    sinew_vec3 eye =
        sinew_vec3_add(sinew_vec3_scale(view->right, ex), sinew_vec3_scale(view->up, ey));
    sinew_raster_camera camera = {
        .eye = sinew_vec3_add(eye, sinew_vec3_scale(view->forward, (float)ez)),
        .right = view->right,
        .up = view->up,
        .forward = view->forward,
        .tan_x = (float)(view->tan_x / view->desc.zoom),
        .tan_y = (float)(view->tan_y / view->desc.zoom),
        .near_distance = (float)scene_max((b.low[2] - ez) * 0.25, 1e-6 * air),
    };
    return camera;
}

// ---- Joints -------------------------------------------------------------------------------------

// A bone is a wedge from joint to joint, thick where it begins; all outlines come first, so that
// none crosses another bone's body.
static void scene_draw_joints(const scene_view *view, const posed_document *posed,
                              const sinew_raster_camera *camera, sinew_picture *picture,
                              const sinew_raster_view *area)
{
    static const uint8_t outline[4] = {24, 30, 44, 170}, bone[4] = {255, 176, 46, 235},
                         dot[4] = {255, 250, 240, 255};
    uint32_t side = area->width < area->height ? area->width : area->height;
    float unit = (float)side / 300.0f;
    unit = unit < 0.6f ? 0.6f : (unit > 4.0f ? 4.0f : unit);
    const float thick = 4.6f * unit, thin = 1.4f * unit, ball = 3.6f * unit, edge = 1.7f * unit;
    for (int pass = 0; pass < 3; pass++) {
        for (uint32_t i = 0; i < view->document->node_count; i++) {
            float x, y, px, py;
            if (view->bones[i] == -2 ||
                !sinew_raster_project(camera, area, scene_joint(posed, i), &x, &y))
                continue;
            bool linked = view->bones[i] >= 0 &&
                          sinew_raster_project(
                              camera, area, scene_joint(posed, (uint32_t)view->bones[i]), &px, &py);
            if (pass == 0 && linked)
                sinew_picture_line(picture, px, py, thick + edge, x, y, thin + edge, outline);
            else if (pass == 1 && linked)
                sinew_picture_line(picture, px, py, thick, x, y, thin, bone);
            else if (pass == 2) {
                sinew_picture_line(picture, x, y, ball + edge, x, y, ball + edge, outline);
                sinew_picture_line(picture, x, y, ball, x, y, ball, dot);
            }
        }
    }
}

// ---- Drawing ------------------------------------------------------------------------------------

// Whether a part's triangles run the other way round than in the file: where it has normals they
// tell, as the posed ones still point outwards; else the node's matrix does.
static bool scene_mirrored(const scene_part *part, const posed_document *posed,
                           const posed_primitive *p)
{
    const posed_instance *instance = &posed->instances[part->instance];
    if (part->winding != 0.0f && p->normals != NULL)
        return (scene_winding(part, p->positions, p->normals) < 0.0f) != (part->winding < 0.0f);
    if (instance->source->skinned)
        return false;
    const float *m = instance->world.m;
    sinew_vec3 x = sinew_vec3_make(m[0], m[1], m[2]), y = sinew_vec3_make(m[4], m[5], m[6]);
    return sinew_vec3_dot(sinew_vec3_cross(x, y), sinew_vec3_make(m[8], m[9], m[10])) < 0.0f;
}

// A tile under each foot that a mix puts on the ground; returns how many. What is retargeted stands
// on the ground of another figure's size, which is not here.
static uint32_t scene_lay_tiles(scene_view *view, const posed_document *posed)
{
    const bool retargeted = posed->other && posed->other->map;
    const uint32_t count = posed->mix && !retargeted ? sinew_mix_ground_count(posed->mix) : 0;
    const scene_bounds *b = &view->bounds;
    const float half = 0.08f * (float)(b->high[1] - b->low[1]);
    uint32_t tiles = 0;
    for (uint32_t i = 0; i < count && tiles < SCENE_MAX_TILES; i++) {
        const sinew_mix_ground ground = sinew_mix_ground_at(posed->mix, i);
        const sinew_vec3 up = {0.0f, 1.0f, 0.0f}, side = {1.0f, 0.0f, 0.0f};
        const sinew_vec3 n = sinew_vec3_normalize(ground.normal, up);
        const sinew_vec3 along =
            sinew_vec3_normalize(sinew_vec3_cross(side, n), sinew_vec3_make(0.0f, 0.0f, 1.0f));
        const sinew_vec3 across = sinew_vec3_cross(n, along);
        for (uint32_t k = 0; k < 4; k++) {
            const float u = k == 0 || k == 3 ? -half : half, v = k < 2 ? -half : half;
            const sinew_vec3 p =
                sinew_vec3_add(ground.point, sinew_vec3_add(sinew_vec3_scale(across, u),
                                                            sinew_vec3_scale(along, v)));
            memcpy(view->ground_positions + 12 * tiles + 3 * k, &p, sizeof p);
            memcpy(view->ground_normals + 12 * tiles + 3 * k, &n, sizeof n);
        }
        static const uint32_t corners[6] = {0, 1, 2, 0, 2, 3};
        for (uint32_t k = 0; k < 6; k++)
            view->ground_indices[6 * tiles + k] = 4 * tiles + corners[k];
        tiles++;
    }
    return tiles;
}

void scene_view_use_sun(scene_view *view)
{
    // From the left, from above, and from the viewer's side, as the studio's key light.
    const sinew_vec3 up = {0.0f, 1.0f, 0.0f};
    const sinew_vec3 front = sinew_vec3_cross(view->right, up);
    const sinew_vec3 key = sinew_vec3_add(sinew_vec3_add(sinew_vec3_scale(view->right, -0.55f), up),
                                          sinew_vec3_scale(front, 0.62f));
    view->sunny = true;
    view->sun = (sinew_raster_sun){sinew_vec3_normalize(key, up), 0.35f};
}

bool scene_view_part(const scene_view *view, uint32_t mesh, uint32_t *out_instance,
                     uint32_t *out_primitive)
{
    if (mesh >= view->shown_count)
        return false;
    *out_instance = view->parts[mesh].instance;
    *out_primitive = view->parts[mesh].primitive;
    return true;
}

void scene_view_draw_over(const scene_view *view, const posed_document *posed,
                          const sinew_raster_camera *camera, sinew_picture *picture,
                          const sinew_raster_view *area)
{
    if (view->show_joints)
        scene_draw_joints(view, posed, camera, picture, area);
}

sinew_result scene_view_compose(scene_view *view, const posed_document *posed,
                                sinew_raster_scene *out)
{
    const bool shaded = view->desc.shade != NULL && view->desc.weights == SCENE_WEIGHTS_OFF;
    sinew_result result = SINEW_OK;
    for (uint32_t i = 0; i < view->shown_count; i++) {
        const scene_part *part = &view->parts[i];
        const posed_primitive *p = scene_posed(posed, part);
        bool plain_colors =
            view->desc.weights == SCENE_WEIGHTS_OFF && part->source->color_count > 0;
        if (shaded)
            result = scene_shade_colors(view->desc.shade, p->normals,
                                        plain_colors ? part->source->colors[0] : NULL,
                                        part->source->vertex_count, part->colors);
        if (result != SINEW_OK)
            return result;
        view->meshes[i] = (sinew_raster_mesh){
            .shape = part->shape,
            .vertex_count = part->source->vertex_count,
            .positions = p->positions,
            .normals = p->normals,
            .tangents = p->tangents,
            .uvs = part->uvs,
            .colors = plain_colors && !shaded ? part->source->colors[0] : part->colors,
            .indices = part->indices,
            .index_count = part->hidden || (view->sunny && part->shape != SINEW_RASTER_TRIANGLES)
                               ? 0
                               : part->index_count,
            .material = part->material,
            .flip_winding = scene_mirrored(part, posed, p),
        };
    }
    uint32_t mesh_count = view->shown_count;
    if (view->has_cloud)
        view->meshes[mesh_count++] = (sinew_raster_mesh){.shape = SINEW_RASTER_POINTS,
                                                         .vertex_count = view->cloud.point_count,
                                                         .positions = view->cloud.positions,
                                                         .normals = view->cloud.normals,
                                                         .colors = view->cloud.colors,
                                                         .material = &view->matte,
                                                         .point_size = view->cloud.size,
                                                         .balls = true};
    if (view->show_solid) {
        scene_bones_pose(&view->solid, posed, view->bones);
        view->meshes[mesh_count++] = (sinew_raster_mesh){.vertex_count = view->solid.vertex_count,
                                                         .positions = view->solid.positions,
                                                         .indices = view->solid.indices,
                                                         .index_count = view->solid.index_count,
                                                         .material = &view->bone};
    }
    const uint32_t tiles = scene_lay_tiles(view, posed);
    if (tiles > 0)
        view->meshes[mesh_count++] = (sinew_raster_mesh){.vertex_count = 4 * tiles,
                                                         .positions = view->ground_positions,
                                                         .normals = view->ground_normals,
                                                         .indices = view->ground_indices,
                                                         .index_count = 6 * tiles,
                                                         .material = &view->ground};
    *out = (sinew_raster_scene){
        .camera = scene_camera(view),
        .meshes = view->meshes,
        .mesh_count = mesh_count,
        .ground_height = (float)view->bounds.ground,
        .plain = view->sunny,
        .background = {0.82f, 0.85f, 0.9f},
        .sun = view->sunny ? &view->sun : NULL,
    };
    return SINEW_OK;
}

sinew_result scene_view_draw(scene_view *view, const posed_document *posed,
                             const sinew_parallel *parallel, sinew_picture *picture,
                             const sinew_raster_view *area)
{
    sinew_raster_scene scene;
    sinew_result result = scene_view_compose(view, posed, &scene);
    if (result == SINEW_OK)
        result = sinew_raster_draw(&scene, parallel, picture, area);
    if (result == SINEW_OK)
        scene_view_draw_over(view, posed, &scene.camera, picture, area);
    return result;
}
