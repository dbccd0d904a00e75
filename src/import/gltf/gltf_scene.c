// SPDX-License-Identifier: MIT
// Scenes, nodes, skins, materials and cameras of a glTF file.
#include <math.h>
#include <string.h>

#include "core/quaternion.h"
#include "import/gltf/gltf_internal.h"

// ---- Materials --------------------------------------------------------------------------------------------

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
        if (!sinewi_gltf_floats(r, transform, "offset", 2, pair, &there))
            return false;
        if (there)
            out->offset = (sinew_vec2){pair[0], pair[1]};
        if (!sinewi_gltf_floats(r, transform, "scale", 2, pair, &there))
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

static bool read_material(gltf_reader *r, const sinewi_json_value *v, sinew_material *m)
{
    const sinewi_json_value *pbr, *mode;
    float numbers[4];
    bool there;
    *m = sinew_material_default();
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
        !sinewi_gltf_floats(r, pbr, "baseColorFactor", 4, numbers, &there))
        return false;
    if (there)
        m->base_color = (sinew_vec4){numbers[0], numbers[1], numbers[2], numbers[3]};
    if (!sinewi_gltf_floats(r, v, "emissiveFactor", 3, numbers, &there))
        return false;
    if (there)
        m->emissive = sinew_vec3_make(numbers[0], numbers[1], numbers[2]);
    float strength;
    if (!sinewi_gltf_float(r, sinewi_gltf_extension(r, v, "KHR_materials_emissive_strength"),
                           "emissiveStrength", 1.0f, &strength))
        return false;
    m->emissive = sinew_vec3_scale(m->emissive, strength);
    m->unlit = sinewi_gltf_extension(r, v, "KHR_materials_unlit") != NULL;
    m->alpha_mode = sinewi_json_is(mode, "MASK")    ? SINEW_ALPHA_MASK
                    : sinewi_json_is(mode, "BLEND") ? SINEW_ALPHA_BLEND
                                                    : SINEW_ALPHA_OPAQUE;
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
            !sinewi_gltf_index(r, values[i], "source", r->view->image_count, "images",
                               &textures[i].image) ||
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

// ---- Skins ------------------------------------------------------------------------------------------------

static bool read_index_array(gltf_reader *r, const sinewi_json_value *object, const char *key,
                             uint32_t count, const char *what, const uint32_t **out,
                             uint32_t *out_count)
{
    const sinewi_json_value *array;
    if (!sinewi_gltf_member(r, object, key, SINEWI_JSON_ARRAY, &array))
        return false;
    uint32_t *values = sinewi_gltf_alloc(r, array ? array->count : 0, sizeof *values);
    if (!values)
        return false;
    uint32_t i = 0;
    for (const sinewi_json_value *v = array ? sinewi_json_first(&r->json, array) : NULL; v;
         v = sinewi_json_next(&r->json, v))
        if (!sinewi_gltf_index_value(r, v, count, what, &values[i++]))
            return false;
    *out = values;
    *out_count = i;
    return true;
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
    const sinewi_json_value **values, **nodes;
    uint32_t count, node_count;
    if (!sinewi_gltf_objects(r, r->root, "skins", &count, &values) ||
        !sinewi_gltf_objects(r, r->root, "nodes", &node_count, &nodes))
        return false;
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
            !read_index_array(r, values[i], "joints", node_count, "nodes", &skins[i].joints,
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

// ---- Nodes ------------------------------------------------------------------------------------------------

// Numbers that are not finite become those of `instead`, all of them. Counts them.
static uint32_t replace_not_finite(float *values, const float *instead, uint32_t count)
{
    if (sinewi_all_finite(values, count))
        return 0;
    memcpy(values, instead, count * sizeof *values);
    return 1;
}

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
    node->has_matrix = true;
    if (sinew_mat4_decompose(&m, &node->local, &node->shear)) {
        double worst = fmax(fabs(node->shear.x), fmax(fabs(node->shear.y), fabs(node->shear.z)));
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

// Each node has at most one parent, and no node is above itself.
static bool check_hierarchy(gltf_reader *r, const sinewi_json_value **values,
                            const sinew_node *nodes, uint32_t count)
{
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
    return true;
}

bool sinewi_gltf_read_nodes(gltf_reader *r)
{
    const sinewi_json_value **values;
    uint32_t count;
    if (!sinewi_gltf_objects(r, r->root, "nodes", &count, &values))
        return false;
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
            !read_index_array(r, v, "children", count, "nodes", &n->children, &n->child_count) ||
            !sinewi_gltf_index(r, v, "mesh", r->view->mesh_count, "meshes", &n->mesh) ||
            !sinewi_gltf_index(r, v, "skin", r->view->skin_count, "skins", &n->skin) ||
            !sinewi_gltf_index(r, v, "camera", r->view->camera_count, "cameras", &n->camera) ||
            !read_trs(r, v, n) || !read_matrix(r, v, n) || !read_node_weights(r, v, n))
            return false;
    }
    r->view->nodes = nodes;
    r->view->node_count = count;
    return check_hierarchy(r, values, nodes, count);
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
    bool *has_parent =
        scenes ? sinewi_gltf_scratch(r, r->view->node_count, sizeof *has_parent) : NULL;
    if (!has_parent)
        return false;
    for (uint32_t i = 0; i < r->view->node_count; i++)
        for (uint32_t k = 0; k < r->view->nodes[i].child_count; k++)
            has_parent[r->view->nodes[i].children[k]] = true;
    for (uint32_t i = 0; i < count; i++) {
        if (!sinewi_gltf_text(r, values[i], "name", "", &scenes[i].name) ||
            !sinewi_gltf_extras(r, values[i], &scenes[i].extras) ||
            !read_index_array(r, values[i], "nodes", r->view->node_count, "nodes", &scenes[i].nodes,
                              &scenes[i].node_count))
            return false;
        uint32_t inner = 0, first = 0;
        for (uint32_t k = scenes[i].node_count; k-- > 0;)
            if (has_parent[scenes[i].nodes[k]]) {
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

static bool check_skin_roots(gltf_reader *r, const int32_t *parents,
                             const sinewi_json_value **skins)
{
    uint32_t *skin_of = sinewi_gltf_scratch(r, r->view->node_count,
                                            sizeof *skin_of); // 1 + the last skin with this joint
    uint32_t *tree_of = skin_of ? sinewi_gltf_scratch(r, r->view->node_count, sizeof *tree_of)
                                : NULL; // or in this tree
    uint32_t *tops = tree_of ? sinewi_gltf_scratch(r, r->view->node_count, sizeof *tops) : NULL;
    if (!tops)
        return false;
    find_tree_tops(parents, r->view->node_count, tops);
    for (uint32_t s = 0; s < r->view->skin_count; s++) {
        const sinew_document_skin *skin = &r->view->skins[s];
        const sinewi_json_value *place = sinewi_json_get(&r->json, skins[s], "joints");
        for (uint32_t k = 0; k < skin->joint_count; k++)
            skin_of[skin->joints[k]] = s + 1;
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

static bool find_mesh_usage(gltf_reader *r, const sinew_mesh *mesh, usage_finder *finder,
                            mesh_usage *usage)
{
    if (usage->known)
        return true;
    usage->known = true;
    finder->round++;
    for (uint32_t p = 0; p < mesh->primitive_count; p++) {
        const sinew_primitive *primitive = &mesh->primitives[p];
        size_t count = (size_t)primitive->vertex_count * primitive->influence_count;
        usage->any |= count > 0;
        for (size_t k = 0; k < count; k++) {
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
static bool check_unused_joints(gltf_reader *r, const sinewi_json_value **skins)
{
    const sinew_document *view = r->view;
    uint32_t *first =
        sinewi_gltf_scratch(r, view->skin_count, sizeof *first); // 1 + node; 0 ends the chain
    uint32_t *next = first ? sinewi_gltf_scratch(r, view->node_count, sizeof *next) : NULL;
    uint32_t *mesh_seen =
        next ? sinewi_gltf_scratch(r, view->mesh_count, sizeof *mesh_seen) : NULL; // 1 + skin
    // 1 + the last skin that a joint moves something of
    uint32_t *joint_seen =
        mesh_seen ? sinewi_gltf_scratch(r, SINEW_MAX_JOINTS + 1, sizeof *joint_seen) : NULL;
    mesh_usage *usages =
        joint_seen ? sinewi_gltf_scratch(r, view->mesh_count, sizeof *usages) : NULL;
    usage_finder finder = {0};
    finder.seen = usages ? sinewi_gltf_scratch(r, SINEW_MAX_JOINTS + 1, sizeof *finder.seen) : NULL;
    finder.found =
        finder.seen ? sinewi_gltf_scratch(r, SINEW_MAX_JOINTS + 1, sizeof *finder.found) : NULL;
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
            if (!find_mesh_usage(r, &view->meshes[mesh], &finder, &usages[mesh]))
                return false;
            shown |= usages[mesh].any;
            for (uint32_t k = 0; k < usages[mesh].count; k++) {
                uint32_t joint = usages[mesh].joints[k];
                used += joint < joints && joint_seen[joint] != s + 1;
                joint_seen[joint] = s + 1;
            }
        }
        if (shown && used < joints &&
            !sinewi_gltf_find(r, skins[s], SINEW_JOINTS_UNUSED, joints - used, 0.0,
                              "%u of %u joints move no vertex", joints - used, joints))
            return false;
    }
    return true;
}

bool sinewi_gltf_check_skinning(gltf_reader *r)
{
    const sinewi_json_value **skins, **nodes;
    uint32_t skin_count, node_count;
    if (!sinewi_gltf_objects(r, r->root, "skins", &skin_count, &skins) ||
        !sinewi_gltf_objects(r, r->root, "nodes", &node_count, &nodes))
        return false;
    int32_t *parents = sinewi_gltf_scratch(r, node_count, sizeof *parents);
    if (!parents)
        return false;
    for (uint32_t i = 0; i < node_count; i++)
        parents[i] = -1;
    for (uint32_t i = 0; i < node_count; i++)
        for (uint32_t k = 0; k < r->view->nodes[i].child_count; k++)
            parents[r->view->nodes[i].children[k]] = (int32_t)i;
    for (uint32_t i = 0; i < node_count; i++) {
        const sinew_node *node = &r->view->nodes[i];
        bool influences = false;
        for (uint32_t p = 0; node->mesh >= 0 && p < r->view->meshes[node->mesh].primitive_count;
             p++)
            influences |= r->view->meshes[node->mesh].primitives[p].influence_count > 0;
        bool good = true;
        if (node->skin >= 0 && node->mesh < 0)
            good = sinewi_gltf_find(r, nodes[i], SINEW_SKIN_WITHOUT_MESH, 1, 0.0,
                                    "node %u has a skin but no mesh", i);
        else if (node->skin >= 0 && !influences)
            good = sinewi_gltf_find(
                r, nodes[i], SINEW_SKIN_WITHOUT_INFLUENCES, 1, 0.0,
                "node %u has a skin, but mesh %d no joints and weights; it is drawn unskinned", i,
                node->mesh);
        else if (node->skin < 0 && influences)
            good = sinewi_gltf_find(
                r, nodes[i], SINEW_INFLUENCES_WITHOUT_SKIN, 1, 0.0,
                "mesh %d has joints and weights, but node %u no skin; it is drawn unskinned",
                node->mesh, i);
        if (!good)
            return false;
    }
    return check_skin_roots(r, parents, skins) && check_unused_joints(r, skins);
}
