// SPDX-License-Identifier: MIT
// Scenes, nodes, materials and cameras of a glTF file.
#include <math.h>
#include <string.h>

#include "core/quaternion.h"
#include "import/gltf/gltf_internal.h"

// ---- Materials --------------------------------------------------------------------------------------------

// Numbers of a look, which have no repair: each must be a float.
static bool read_look(gltf_reader *r, const sinewi_json_value *object, const char *key,
                      uint32_t count, float *out, bool *out_there)
{
    if (!sinewi_gltf_floats(r, object, key, count, out, out_there))
        return false;
    return !*out_there || sinewi_all_finite(out, count) ||
           sinewi_gltf_fail(r, sinewi_json_get(&r->json, object, key), SINEW_ERROR_INVALID_VALUE,
                            "a number beyond the range of float");
}

static bool read_texture_use(gltf_reader *r, const sinewi_json_value *holder, const char *key,
                             const char *scale_key, sinew_texture_use *out)
{
    const sinewi_json_value *v, *transform;
    uint64_t uv;
    bool there;
    if (!sinewi_gltf_member(r, holder, key, SINEWI_JSON_OBJECT, &v))
        return false;
    if (!v)
        return true;
    if (!sinewi_gltf_index(r, v, "index", r->view->texture_count, "textures", &out->texture) ||
        !sinewi_gltf_whole(r, v, "texCoord", 1024, 0, &uv) ||
        (scale_key && !sinewi_gltf_float(r, v, scale_key, 1.0f, &out->scale)))
        return false;
    out->uv = (uint32_t)uv;
    transform = sinewi_gltf_extension(r, v, "KHR_texture_transform");
    if (transform && transform->type == SINEWI_JSON_OBJECT) {
        float pair[2];
        if (!read_look(r, transform, "offset", 2, pair, &there))
            return false;
        if (there)
            out->offset = (sinew_vec2){pair[0], pair[1]};
        if (!read_look(r, transform, "scale", 2, pair, &there))
            return false;
        if (there)
            out->tiling = (sinew_vec2){pair[0], pair[1]};
        if (!sinewi_gltf_float(r, transform, "rotation", 0.0f, &out->rotation) ||
            !sinewi_gltf_whole(r, transform, "texCoord", 1024, out->uv, &uv))
            return false;
        out->uv = (uint32_t)uv;
    }
    return true;
}

// What can be told of KHR_materials_pbrSpecularGlossiness without its shading: the colour of a
// thing that is no metal, and how rough it is.
static bool read_diffuse(gltf_reader *r, const sinewi_json_value *v, sinew_material *m)
{
    const sinewi_json_value *extension =
        sinewi_gltf_extension(r, v, "KHR_materials_pbrSpecularGlossiness");
    float numbers[4], glossiness;
    bool there;
    if (!extension)
        return true;
    if (!read_look(r, extension, "diffuseFactor", 4, numbers, &there) ||
        !sinewi_gltf_float(r, extension, "glossinessFactor", 1.0f, &glossiness) ||
        !read_texture_use(r, extension, "diffuseTexture", NULL, &m->base_color_texture))
        return false;
    if (there)
        m->base_color = (sinew_vec4){numbers[0], numbers[1], numbers[2], numbers[3]};
    m->metallic = 0.0f;
    m->roughness = 1.0f - glossiness;
    return true;
}

// Extras are anything: only `true` means something.
static bool extras_say(const gltf_reader *r, const sinewi_json_value *v, const char *key)
{
    const sinewi_json_value *extras = sinewi_json_get(&r->json, v, "extras");
    const sinewi_json_value *said = extras && extras->type == SINEWI_JSON_OBJECT
                                        ? sinewi_json_get(&r->json, extras, key)
                                        : NULL;
    return said && said->type == SINEWI_JSON_TRUE;
}

static bool read_material(gltf_reader *r, const sinewi_json_value *v, sinew_material *m)
{
    const sinewi_json_value *pbr, *mode;
    float numbers[4];
    bool there;
    *m = sinew_material_default();
    m->additive = extras_say(r, v, "additive");
    if (!sinewi_gltf_text(r, v, "name", "", &m->name) || !sinewi_gltf_extras(r, v, &m->extras) ||
        !sinewi_gltf_member(r, v, "pbrMetallicRoughness", SINEWI_JSON_OBJECT, &pbr) ||
        !sinewi_gltf_member(r, v, "alphaMode", SINEWI_JSON_STRING, &mode) ||
        !sinewi_gltf_float(r, v, "alphaCutoff", 0.5f, &m->alpha_cutoff) ||
        !sinewi_gltf_bool(r, v, "doubleSided", false, &m->double_sided) ||
        !sinewi_gltf_float(r, pbr, "metallicFactor", 1.0f, &m->metallic) ||
        !sinewi_gltf_float(r, pbr, "roughnessFactor", 1.0f, &m->roughness) ||
        !read_texture_use(r, pbr, "baseColorTexture", NULL, &m->base_color_texture) ||
        !read_texture_use(r, pbr, "metallicRoughnessTexture", NULL,
                          &m->metallic_roughness_texture) ||
        !read_texture_use(r, v, "normalTexture", "scale", &m->normal_texture) ||
        !read_texture_use(r, v, "occlusionTexture", "strength", &m->occlusion_texture) ||
        !read_texture_use(r, v, "emissiveTexture", NULL, &m->emissive_texture) ||
        !read_look(r, pbr, "baseColorFactor", 4, numbers, &there))
        return false;
    if (there)
        m->base_color = (sinew_vec4){numbers[0], numbers[1], numbers[2], numbers[3]};
    if (!read_look(r, v, "emissiveFactor", 3, numbers, &there))
        return false;
    if (there)
        m->emissive = sinew_vec3_make(numbers[0], numbers[1], numbers[2]);
    if (!pbr && !read_diffuse(r, v, m))
        return false;
    float strength;
    if (!sinewi_gltf_float(r, sinewi_gltf_extension(r, v, "KHR_materials_emissive_strength"),
                           "emissiveStrength", 1.0f, &strength))
        return false;
    m->emissive = sinew_vec3_scale(m->emissive, strength);
    if (!isfinite(m->emissive.x) || !isfinite(m->emissive.y) || !isfinite(m->emissive.z))
        return sinewi_gltf_fail(r, v, SINEW_ERROR_INVALID_VALUE,
                                "emissiveFactor times emissiveStrength is beyond float");
    m->unlit = sinewi_gltf_extension(r, v, "KHR_materials_unlit") != NULL;
    m->alpha_mode = sinewi_json_is(mode, "MASK")    ? SINEW_ALPHA_MASK
                    : sinewi_json_is(mode, "BLEND") ? SINEW_ALPHA_BLEND
                                                    : SINEW_ALPHA_OPAQUE;
    return true;
}

// A picture of a kind that glTF itself does not know stands in an extension, perhaps beside one
// that it knows. Whatever it is, its bytes are handed on.
static bool read_texture_source(gltf_reader *r, const sinewi_json_value *texture, int32_t *out)
{
    static const char *const others[] = {"KHR_texture_basisu", "EXT_texture_webp",
                                         "EXT_texture_avif", "MSFT_texture_dds"};
    if (!sinewi_gltf_index(r, texture, "source", r->view->image_count, "images", out))
        return false;
    for (size_t k = 0; *out < 0 && k < sizeof others / sizeof *others; k++)
        if (!sinewi_gltf_index(r, sinewi_gltf_extension(r, texture, others[k]), "source",
                               r->view->image_count, "images", out))
            return false;
    return true;
}

static bool read_textures(gltf_reader *r)
{
    const sinewi_json_value **values, **samplers;
    uint32_t count, sampler_count;
    if (!sinewi_gltf_objects(r, r->root, "textures", &count, &values) ||
        !sinewi_gltf_objects(r, r->root, "samplers", &sampler_count, &samplers))
        return false;
    sinew_texture *textures = sinewi_gltf_alloc(r, count, sizeof *textures);
    if (!textures)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        int32_t sampler;
        if (!sinewi_gltf_text(r, values[i], "name", "", &textures[i].name) ||
            !read_texture_source(r, values[i], &textures[i].image) ||
            !sinewi_gltf_index(r, values[i], "sampler", sampler_count, "samplers", &sampler))
            return false;
        const struct {
            const char *key;
            uint32_t *out;
        } members[] = {{"wrapS", &textures[i].wrap_s},
                       {"wrapT", &textures[i].wrap_t},
                       {"minFilter", &textures[i].min_filter},
                       {"magFilter", &textures[i].mag_filter}};
        for (int k = 0; sampler >= 0 && k < 4; k++) {
            uint64_t value;
            if (!sinewi_gltf_whole(r, samplers[sampler], members[k].key, UINT32_MAX, 0, &value))
                return false;
            *members[k].out = (uint32_t)value;
        }
    }
    r->view->textures = textures;
    r->view->texture_count = count;
    return true;
}

bool sinewi_gltf_read_materials(gltf_reader *r)
{
    const sinewi_json_value **values;
    uint32_t count;
    if (!read_textures(r) || !sinewi_gltf_objects(r, r->root, "materials", &count, &values))
        return false;
    sinew_material *materials = sinewi_gltf_alloc(r, count, sizeof *materials);
    if (!materials)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!read_material(r, values[i], &materials[i]))
            return false;
    r->view->materials = materials;
    r->view->material_count = count;
    return true;
}

bool sinewi_gltf_read_cameras(gltf_reader *r)
{
    const sinewi_json_value **values;
    uint32_t count;
    if (!sinewi_gltf_objects(r, r->root, "cameras", &count, &values))
        return false;
    sinew_camera *cameras = sinewi_gltf_alloc(r, count, sizeof *cameras);
    if (!cameras)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const sinewi_json_value *perspective, *orthographic;
        sinew_camera *c = &cameras[i];
        if (!sinewi_gltf_text(r, values[i], "name", "", &c->name) ||
            !sinewi_gltf_member(r, values[i], "perspective", SINEWI_JSON_OBJECT, &perspective) ||
            !sinewi_gltf_member(r, values[i], "orthographic", SINEWI_JSON_OBJECT, &orthographic))
            return false;
        c->perspective = perspective || !orthographic;
        const sinewi_json_value *v = perspective ? perspective : orthographic;
        if (!sinewi_gltf_float(r, v, "yfov", 0.0f, &c->yfov) ||
            !sinewi_gltf_float(r, v, "aspectRatio", 0.0f, &c->aspect) ||
            !sinewi_gltf_float(r, v, "xmag", 0.0f, &c->xmag) ||
            !sinewi_gltf_float(r, v, "ymag", 0.0f, &c->ymag) ||
            !sinewi_gltf_float(r, v, "znear", 0.0f, &c->znear) ||
            !sinewi_gltf_float(r, v, "zfar", 0.0f, &c->zfar))
            return false;
    }
    r->view->cameras = cameras;
    r->view->camera_count = count;
    return true;
}

// ---- Nodes ------------------------------------------------------------------------------------------------

// Numbers that are not finite become those of `instead`, all of them. Counts them.
static uint32_t replace_not_finite(float *values, const float *instead, uint32_t count)
{
    if (sinewi_all_finite(values, count))
        return 0;
    memcpy(values, instead, count * sizeof *values);
    return 1;
}

// Shear of a column beyond what rounding in float leaves in a matrix that was a product of
// translations, rotations and scales: no such product any more, which glTF forbids of nodes.
static const double STRICT_SHEAR = 1e-3;

static bool read_matrix(gltf_reader *r, const sinewi_json_value *v, sinew_node *node)
{
    sinew_mat4 m, unit = sinew_mat4_identity();
    bool there;
    if (!sinewi_gltf_floats(r, v, "matrix", 16, m.m, &there))
        return false;
    if (!there)
        return true;
    const sinewi_json_value *place = sinewi_json_get(&r->json, v, "matrix");
    if ((sinewi_json_get(&r->json, v, "translation") || sinewi_json_get(&r->json, v, "rotation") ||
         sinewi_json_get(&r->json, v, "scale")) &&
        !sinewi_gltf_forbid(r, place, SINEW_ERROR_INVALID_VALUE,
                            "a matrix beside translation, rotation or scale"))
        return false;
    *node = (sinew_node){.name = node->name,
                         .parent = -1,
                         .children = node->children,
                         .child_count = node->child_count,
                         .mesh = node->mesh,
                         .skin = node->skin,
                         .camera = node->camera,
                         .local = sinew_transform_identity(),
                         .extras = node->extras};
    if (replace_not_finite(m.m, unit.m, 16) &&
        !sinewi_gltf_find(r, place, SINEW_NODE_NOT_FINITE, 1, 0.0,
                          "a matrix holds a number beyond float; the identity was taken"))
        return false;
    if (!sinewi_gltf_is_affine(&m) &&
        !sinewi_gltf_forbid(r, place, SINEW_ERROR_INVALID_VALUE,
                            "the last row of the matrix is not 0 0 0 1"))
        return false;
    node->has_matrix = true;
    bool sheared = sinew_mat4_decompose(&m, &node->local, &node->shear);
    const float parts[] = {node->local.scale.x, node->local.scale.y, node->local.scale.z,
                           node->shear.x,       node->shear.y,       node->shear.z};
    if (!sinewi_all_finite(parts, sizeof parts / sizeof *parts)) { // of numbers that were finite
        node->local = sinew_transform_identity();
        node->shear = sinew_vec3_make(0, 0, 0);
        return sinewi_gltf_find(
            r, place, SINEW_NODE_NOT_FINITE, 1, 0.0,
            "the scale or shear of a matrix is beyond float; the identity was taken");
    }
    if (sheared) {
        double worst = fmax(fabs(node->shear.x), fmax(fabs(node->shear.y), fabs(node->shear.z)));
        if (worst > STRICT_SHEAR &&
            !sinewi_gltf_forbid(r, place, SINEW_ERROR_INVALID_VALUE,
                                "a matrix with shear (up to %.4g); it must be a translation, "
                                "rotation and scale",
                                worst))
            return false;
        return sinewi_gltf_find(r, place, SINEW_NODE_SHEARED, 1, worst,
                                "the matrix holds shear (up to %.4g), which no translation, "
                                "rotation and scale have; it is kept beside them",
                                worst);
    }
    return true;
}

static bool read_trs(gltf_reader *r, const sinewi_json_value *v, sinew_node *node)
{
    float t[3], q[4], s[3];
    bool has_t, has_q, has_s;
    static const float zero[3] = {0, 0, 0}, one[3] = {1, 1, 1}, unit[4] = {0, 0, 0, 1};
    if (!sinewi_gltf_floats(r, v, "translation", 3, t, &has_t) ||
        !sinewi_gltf_floats(r, v, "rotation", 4, q, &has_q) ||
        !sinewi_gltf_floats(r, v, "scale", 3, s, &has_s))
        return false;
    uint32_t bad = 0;
    if (has_t) {
        bad += replace_not_finite(t, zero, 3);
        node->local.translation = sinew_vec3_make(t[0], t[1], t[2]);
    }
    if (has_s) {
        bad += replace_not_finite(s, one, 3);
        node->local.scale = sinew_vec3_make(s[0], s[1], s[2]);
    }
    if (has_q) {
        const sinewi_json_value *place = sinewi_json_get(&r->json, v, "rotation");
        bad += replace_not_finite(q, unit, 4);
        double off = sinewi_normalize_rotation(q);
        if (off < 0.0) {
            memcpy(q, unit, sizeof q);
            if (!sinewi_gltf_find(r, place, SINEW_QUATERNION_ZERO, 1, 0.0,
                                  "the rotation is the zero quaternion; identity was taken"))
                return false;
        } else if (off > SINEWI_UNIT_TOLERANCE &&
                   !sinewi_gltf_find(r, place, SINEW_QUATERNION_NOT_UNIT, 1, off,
                                     "the rotation's length is off 1 by %.4g; it was normalised",
                                     off)) {
            return false;
        }
        node->local.rotation = sinew_quat_make(q[0], q[1], q[2], q[3]);
    }
    return !bad || sinewi_gltf_find(r, v, SINEW_NODE_NOT_FINITE, bad, 0.0,
                                    "%u of translation, rotation and scale hold a number beyond "
                                    "float; the default was taken",
                                    bad);
}

static bool read_node_weights(gltf_reader *r, const sinewi_json_value *v, sinew_node *node)
{
    if (node->mesh < 0)
        return true;
    node->weight_count = r->view->meshes[node->mesh].target_count;
    return sinewi_gltf_morph_weights(r, v, node->weight_count, &node->weights);
}

static bool read_visibility(gltf_reader *r, const sinewi_json_value *v, sinew_node *node)
{
    bool visible;
    if (!sinewi_gltf_bool(r, sinewi_gltf_extension(r, v, "KHR_node_visibility"), "visible", true,
                          &visible))
        return false;
    node->hidden = !visible;
    return true;
}

// Each node has at most one parent, and no node is above itself.
static bool check_hierarchy(gltf_reader *r)
{
    const sinewi_json_value **values = r->node_values;
    const sinew_node *nodes = r->view->nodes;
    uint32_t count = r->node_count;
    int32_t *parents = sinewi_gltf_scratch(r, count, sizeof *parents);
    uint8_t *states = parents ? sinewi_gltf_scratch(r, count, 1) : NULL;
    if (!states)
        return false;
    for (uint32_t i = 0; i < count; i++)
        parents[i] = -1;
    for (uint32_t i = 0; i < count; i++) {
        const sinewi_json_value *array = sinewi_json_get(&r->json, values[i], "children");
        const sinewi_json_value *place = array ? sinewi_json_first(&r->json, array) : NULL;
        for (uint32_t k = 0; k < nodes[i].child_count;
             k++, place = sinewi_json_next(&r->json, place)) {
            uint32_t child = nodes[i].children[k];
            if (child == i)
                return sinewi_gltf_fail(r, place, SINEW_ERROR_NODE_CYCLE,
                                        "node %u is its own child", child);
            if (parents[child] >= 0)
                return sinewi_gltf_fail(r, place, SINEW_ERROR_NODE_TWO_PARENTS,
                                        "node %u is a child of node %d already", child,
                                        parents[child]);
            parents[child] = (int32_t)i;
        }
    }
    for (uint32_t i = 0; i < count; i++) { // 1: on the way up from here, 2: known to end at a root
        uint32_t at = i;
        while (states[at] == 0) {
            states[at] = 1;
            if (parents[at] < 0)
                break;
            at = (uint32_t)parents[at];
            if (states[at] == 1)
                return sinewi_gltf_fail(r, values[at], SINEW_ERROR_NODE_CYCLE,
                                        "node %u is among its own descendants", at);
        }
        for (at = i; states[at] == 1; at = (uint32_t)parents[at]) {
            states[at] = 2;
            if (parents[at] < 0)
                break;
        }
    }
    r->node_parents = parents;
    return true;
}

bool sinewi_gltf_read_nodes(gltf_reader *r)
{
    const sinewi_json_value **values = r->node_values;
    uint32_t count = r->node_count;
    if (count > r->limits.node_count)
        return sinewi_gltf_fail(r, sinewi_json_get(&r->json, r->root, "nodes"),
                                SINEW_ERROR_LIMIT_EXCEEDED, "%u nodes; the limit is %u", count,
                                r->limits.node_count);
    sinew_node *nodes = sinewi_gltf_alloc(r, count, sizeof *nodes);
    if (!nodes)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        sinew_node *n = &nodes[i];
        const sinewi_json_value *v = values[i];
        *n = sinew_node_default();
        if (!sinewi_gltf_text(r, v, "name", "", &n->name) ||
            !sinewi_gltf_extras(r, v, &n->extras) ||
            !sinewi_gltf_index_array(r, v, "children", count, "nodes", &n->children,
                                     &n->child_count) ||
            !sinewi_gltf_index(r, v, "mesh", r->view->mesh_count, "meshes", &n->mesh) ||
            !sinewi_gltf_index(r, v, "skin", r->view->skin_count, "skins", &n->skin) ||
            !sinewi_gltf_index(r, v, "camera", r->view->camera_count, "cameras", &n->camera) ||
            !read_trs(r, v, n) || !read_matrix(r, v, n) || !read_node_weights(r, v, n) ||
            !read_visibility(r, v, n) || !sinewi_gltf_read_copies(r, v, n))
            return false;
    }
    r->view->nodes = nodes;
    r->view->node_count = count;
    return check_hierarchy(r);
}

// ---- Scenes -----------------------------------------------------------------------------------------------

bool sinewi_gltf_read_scenes(gltf_reader *r)
{
    const sinewi_json_value **values;
    uint32_t count;
    if (!sinewi_gltf_objects(r, r->root, "scenes", &count, &values) ||
        !sinewi_gltf_index(r, r->root, "scene", count, "scenes", &r->view->default_scene))
        return false;
    sinew_scene *scenes = sinewi_gltf_alloc(r, count, sizeof *scenes);
    uint32_t *listed = // 1 + the last scene that lists the node
        scenes ? sinewi_gltf_scratch(r, r->view->node_count, sizeof *listed) : NULL;
    if (!listed)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!sinewi_gltf_text(r, values[i], "name", "", &scenes[i].name) ||
            !sinewi_gltf_extras(r, values[i], &scenes[i].extras) ||
            !sinewi_gltf_index_array(r, values[i], "nodes", r->view->node_count, "nodes",
                                     &scenes[i].nodes, &scenes[i].node_count))
            return false;
        uint32_t inner = 0, first = 0, twice = 0;
        for (uint32_t k = 0; k < scenes[i].node_count; k++) {
            twice += listed[scenes[i].nodes[k]] == i + 1;
            listed[scenes[i].nodes[k]] = i + 1;
        }
        if (twice && !sinewi_gltf_forbid(r, sinewi_json_get(&r->json, values[i], "nodes"),
                                         SINEW_ERROR_INVALID_VALUE,
                                         "%u nodes of the scene are listed more than once", twice))
            return false;
        for (uint32_t k = scenes[i].node_count; k-- > 0;)
            if (r->node_parents[scenes[i].nodes[k]] >= 0) {
                inner++;
                first = scenes[i].nodes[k];
            }
        if (inner && !sinewi_gltf_find(r, sinewi_json_get(&r->json, values[i], "nodes"),
                                       SINEW_SCENE_NODE_NOT_ROOT, inner, first,
                                       "%u nodes of the scene have a parent (the first is node "
                                       "%u); they are shown all the same",
                                       inner, first))
            return false;
    }
    r->view->scenes = scenes;
    r->view->scene_count = count;
    return true;
}
