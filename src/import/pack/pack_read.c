// SPDX-License-Identifier: MIT
// The JSON of a pack (docs/streams.md), read into the desc that packs are made from. What the text
// says of itself is checked here, with its line; what the parts mean together by those who make
// them.
#include <float.h>
#include <string.h>

#include "core/json_read.h"
#include "sinew/stream_pack.h"

enum {
    PACK_DEPTH = 16,
    PACK_MAX_FRAMES = 10000000,
    PACK_MAX_STREAMS = 1 << 20, // joints times clips: what room is made for, streams or not
    PACK_MAX_MESHES = 65536,
    PACK_MAX_INFLUENCES = 64
};
#define PACK_LARGEST ((double)FLT_MAX / 8) // differences and sums of these are floats

typedef struct pack_reader {
    sinewi_json_reader read;
    sinew_stream_pack_desc desc;
} pack_reader;

#define PACK_FAIL(r, value, code, ...) SINEWI_READ_FAIL(&(r)->read, value, code, __VA_ARGS__)

static const char order_words[] = "ZYX ZXY YZX YXZ XZY XYZ"; // in the order of the enum
static const char rule_words[] = "inherit accumulate compensate";

static bool pack_good(const pack_reader *r)
{
    return r->read.result == SINEW_OK;
}

static void *pack_take(pack_reader *r, size_t count, size_t size)
{
    return sinewi_read_take(&r->read, r->read.arena, count, size);
}

static const sinewi_json_value *pack_first(const pack_reader *r, const sinewi_json_value *list)
{
    return list && pack_good(r) ? sinewi_json_first(&r->read.json, list) : NULL;
}

static const sinewi_json_value *pack_next(const pack_reader *r, const sinewi_json_value *value)
{
    return pack_good(r) ? sinewi_json_next(&r->read.json, value) : NULL;
}

static const char *pack_text_member(pack_reader *r, const sinewi_json_value *object,
                                    const char *key, const char *thing)
{
    const sinewi_json_value *value = sinewi_read_member(&r->read, object, key);
    return value ? sinewi_read_text(&r->read, value, thing) : NULL;
}

// ---- Lists of numbers -------------------------------------------------------------------------------------

// A list of `count` numbers; UINT32_MAX: any multiple of `of`.
static float *pack_floats(pack_reader *r, const sinewi_json_value *list, uint32_t count,
                          uint32_t of, uint32_t *out_count)
{
    if (!list || !pack_good(r) ||
        !sinewi_read_is(&r->read, list, SINEWI_JSON_ARRAY, "an array of numbers"))
        return NULL;
    if (count != UINT32_MAX && list->count != count)
        PACK_FAIL(r, list, SINEW_ERROR_COUNT_MISMATCH, "%u numbers; there must be %u",
                  (unsigned)list->count, (unsigned)count);
    else if (list->count % of)
        PACK_FAIL(r, list, SINEW_ERROR_COUNT_MISMATCH, "%u numbers; there must be a multiple of %u",
                  (unsigned)list->count, (unsigned)of);
    if (!pack_good(r))
        return NULL;
    float *values = pack_take(r, list->count, sizeof *values);
    uint32_t i = 0;
    for (const sinewi_json_value *m = pack_first(r, values ? list : NULL); m; m = pack_next(r, m))
        values[i++] = (float)sinewi_read_number_in(&r->read, m, -PACK_LARGEST, PACK_LARGEST);
    if (out_count)
        *out_count = list->count;
    return values;
}

static float *pack_float_member(pack_reader *r, const sinewi_json_value *object, const char *key,
                                uint64_t count)
{
    const sinewi_json_value *list = sinewi_read_member(&r->read, object, key);
    if (list && count >= UINT32_MAX)
        PACK_FAIL(r, list, SINEW_ERROR_LIMIT_EXCEEDED, "too many numbers");
    return list ? pack_floats(r, list, (uint32_t)count, 1, NULL) : NULL;
}

// Whole numbers from `least` to `most`.
static int64_t pack_whole_of(pack_reader *r, const sinewi_json_value *value, double least,
                             double most)
{
    double number = sinewi_read_number_in(&r->read, value, least, most);
    int64_t whole = (int64_t)number;
    if ((double)whole != number)
        PACK_FAIL(r, value, SINEW_ERROR_INVALID_VALUE, "%g; this must be a whole number", number);
    return whole;
}

static int32_t *pack_wholes(pack_reader *r, const sinewi_json_value *list, double least,
                            double most, uint32_t *out_count)
{
    *out_count = 0;
    if (!list || !pack_good(r) ||
        !sinewi_read_is(&r->read, list, SINEWI_JSON_ARRAY, "an array of whole numbers"))
        return NULL;
    int32_t *values = pack_take(r, list->count, sizeof *values);
    uint32_t i = 0;
    for (const sinewi_json_value *m = pack_first(r, values ? list : NULL); m; m = pack_next(r, m))
        values[i++] = (int32_t)pack_whole_of(r, m, least, most);
    *out_count = list->count;
    return values;
}

// ---- The rig ----------------------------------------------------------------------------------------------

static sinew_quat pack_rotation(pack_reader *r, const sinewi_json_value *object,
                                sinew_euler_order order)
{
    const sinewi_json_value *value = sinewi_read_member(&r->read, object, "rotation");
    if (!value)
        return sinew_quat_identity();
    uint32_t count = 0;
    const float *v = pack_floats(r, value, UINT32_MAX, 1, &count);
    if (v && count != 3 && count != 4)
        PACK_FAIL(r, value, SINEW_ERROR_COUNT_MISMATCH,
                  "%u numbers; there must be three angles or a quaternion of four",
                  (unsigned)count);
    if (!v || !pack_good(r))
        return sinew_quat_identity();
    return count == 4 ? sinew_quat_make(v[0], v[1], v[2], v[3])
                      : sinew_quat_from_euler(sinew_vec3_make(v[0], v[1], v[2]), order,
                                              r->desc.rig.angle_unit);
}

static void read_pack_joint(pack_reader *r, const sinewi_json_value *value, uint32_t joint_count,
                            sinew_stream_joint_desc *joint, sinew_scale_rule rule,
                            sinew_mat4 *inverse_bind, bool *has_bind)
{
    sinewi_read_check_members(
        &r->read, value,
        "name parent translation rotation scale order scale_rule vertices inverse_bind");
    joint->joint.name = pack_text_member(r, value, "name", "the name of a joint");
    joint->joint.node = -1;
    const sinewi_json_value *parent = sinewi_read_member(&r->read, value, "parent");
    joint->joint.parent =
        parent ? (int32_t)pack_whole_of(r, parent, -1, (double)joint_count - 1) : -1;
    joint->order =
        (sinew_euler_order)sinewi_read_word(&r->read, value, "order", order_words, SINEW_EULER_ZYX);
    joint->joint.rest.translation =
        sinewi_read_vector(&r->read, value, "translation", sinew_vec3_make(0, 0, 0));
    joint->joint.rest.rotation = pack_rotation(r, value, joint->order);
    joint->joint.rest.scale =
        sinewi_read_vector(&r->read, value, "scale", sinew_vec3_make(1, 1, 1));
    joint->joint.scale_rule =
        (sinew_scale_rule)sinewi_read_word(&r->read, value, "scale_rule", rule_words, rule);
    joint->vertex_count = sinewi_read_whole(&r->read, value, "vertices", 0, UINT32_MAX);
    const float *bind = pack_float_member(r, value, "inverse_bind", 16);
    *has_bind = bind != NULL;
    *inverse_bind = sinew_mat4_identity();
    if (bind)
        memcpy(inverse_bind->m, bind, sizeof inverse_bind->m);
}

static void read_pack_rig(pack_reader *r, const sinewi_json_value *object)
{
    sinew_stream_rig_desc *rig = &r->desc.rig;
    sinewi_read_check_members(&r->read, object, "angles root_scale height scale_rule joints");
    rig->angle_unit = (sinew_angle_unit)sinewi_read_word(
        &r->read, object, "angles", "radians degrees binary", SINEW_ANGLE_RADIANS);
    rig->root_scale = (float)sinewi_read_number(&r->read, object, "root_scale", 1, -1e9, 1e9);
    rig->height = (float)sinewi_read_number(&r->read, object, "height", 0, -1e9, 1e9);
    sinew_scale_rule rule = (sinew_scale_rule)sinewi_read_word(&r->read, object, "scale_rule",
                                                               rule_words, SINEW_SCALE_INHERIT);
    const sinewi_json_value *list =
        sinewi_read_list(&r->read, object, "joints", SINEW_MAX_JOINTS, true);
    uint32_t n = list ? list->count : 0;
    sinew_stream_joint_desc *joints = pack_take(r, n, sizeof *joints);
    sinew_mat4 *binds = pack_take(r, n, sizeof *binds);
    bool any_bind = false;
    for (const sinewi_json_value *m = pack_first(r, list); m; m = pack_next(r, m)) {
        bool has_bind;
        read_pack_joint(r, m, n, &joints[rig->joint_count], rule, &binds[rig->joint_count],
                        &has_bind);
        any_bind |= has_bind;
        rig->joint_count++;
    }
    rig->joints = joints;
    r->desc.inverse_binds = any_bind ? binds : NULL;
}

// ---- Clips ------------------------------------------------------------------------------------------------

// null: not given; a number: all frames; an array: one a frame.
static void read_pack_component(pack_reader *r, const sinewi_json_value *value, uint32_t frames,
                                sinew_stream_values *out)
{
    if (value->type == SINEWI_JSON_NULL)
        return;
    out->type = SINEW_STREAM_FLOAT;
    if (value->type == SINEWI_JSON_NUMBER) {
        float *one = pack_take(r, 1, sizeof *one);
        if (one)
            *one = (float)sinewi_read_number_in(&r->read, value, -PACK_LARGEST, PACK_LARGEST);
        out->values = one;
    } else if (value->type == SINEWI_JSON_ARRAY) {
        out->values = pack_floats(r, value, frames, 1, NULL);
        out->stride = sizeof(float);
    } else {
        PACK_FAIL(r, value, SINEW_ERROR_JSON_TYPE,
                  "%s; this must be null, a number, or an array of one number a frame",
                  sinewi_json_type_phrase(value));
    }
}

static void read_pack_components(pack_reader *r, const sinewi_json_value *object, const char *key,
                                 uint32_t frames, sinew_stream_values out[3])
{
    const sinewi_json_value *list = sinewi_read_member(&r->read, object, key);
    if (!list || !sinewi_read_is(&r->read, list, SINEWI_JSON_ARRAY, "an array of three"))
        return;
    if (list->count != 3)
        PACK_FAIL(r, list, SINEW_ERROR_COUNT_MISMATCH, "%u components; there must be three",
                  (unsigned)list->count);
    uint32_t c = 0;
    for (const sinewi_json_value *m = pack_first(r, list); m; m = pack_next(r, m))
        read_pack_component(r, m, frames, &out[c++]);
}

static void read_pack_streams(pack_reader *r, const sinewi_json_value *object,
                              sinew_stream_clip_desc *clip)
{
    uint32_t joint_count = r->desc.rig.joint_count;
    const sinewi_json_value *list =
        sinewi_read_list(&r->read, object, "streams", joint_count, false);
    sinew_stream_channels *joints = pack_take(r, joint_count, sizeof *joints);
    uint8_t *given = pack_take(r, joint_count, 1);
    clip->joints = joints;
    clip->joint_count = joint_count;
    for (const sinewi_json_value *m = pack_first(r, list); m; m = pack_next(r, m)) {
        sinewi_read_check_members(&r->read, m, "joint translation rotation scale");
        const sinewi_json_value *at = sinewi_read_required(&r->read, m, "joint");
        int64_t joint = at ? pack_whole_of(r, at, 0, (double)joint_count - 1) : 0;
        if (!pack_good(r))
            return;
        if (given[joint])
            PACK_FAIL(r, at, SINEW_ERROR_NAME_TAKEN, "joint %d has streams already", (int)joint);
        given[joint] = 1;
        read_pack_components(r, m, "translation", clip->frame_count, joints[joint].translation);
        read_pack_components(r, m, "rotation", clip->frame_count, joints[joint].rotation);
        read_pack_components(r, m, "scale", clip->frame_count, joints[joint].scale);
    }
}

static void read_pack_limits(pack_reader *r, const sinewi_json_value *object,
                             sinew_stream_limits *limits)
{
    if (!object)
        return;
    sinewi_read_check_members(&r->read, object, "turn travel one_turn");
    limits->turn =
        (float)sinewi_read_number(&r->read, object, "turn", (double)limits->turn, 0, 1e9);
    limits->travel =
        (float)sinewi_read_number(&r->read, object, "travel", (double)limits->travel, 0, 1e9);
    limits->one_turn =
        (float)sinewi_read_number(&r->read, object, "one_turn", (double)limits->one_turn, 0, 1e9);
}

static void read_pack_clips(pack_reader *r, const sinewi_json_value *root)
{
    const sinewi_json_value *list = sinewi_read_list(&r->read, root, "clips", 4096, false);
    uint32_t n = list ? list->count : 0;
    if ((uint64_t)n * r->desc.rig.joint_count > PACK_MAX_STREAMS) {
        PACK_FAIL(r, list, SINEW_ERROR_LIMIT_EXCEEDED,
                  "%u clips of %u joints; the two multiplied may be %d", (unsigned)n,
                  (unsigned)r->desc.rig.joint_count, PACK_MAX_STREAMS);
        return;
    }
    sinew_stream_clip_desc *clips = pack_take(r, n, sizeof *clips);
    bool *loops = pack_take(r, n, sizeof *loops);
    r->desc.clips = clips;
    r->desc.clip_loops = loops;
    for (const sinewi_json_value *m = pack_first(r, list); m; m = pack_next(r, m)) {
        sinew_stream_clip_desc *clip = &clips[r->desc.clip_count];
        *clip = sinew_stream_clip_desc_default();
        sinewi_read_check_members(&r->read, m, "name rate frames loop_start loop limits streams");
        const sinewi_json_value *name = sinewi_read_required(&r->read, m, "name");
        clip->name = name ? sinewi_read_text(&r->read, name, "the name of a clip") : NULL;
        clip->rate = sinewi_read_number(&r->read, m, "rate", 30, 1e-6, 1e6);
        const sinewi_json_value *frames = sinewi_read_required(&r->read, m, "frames");
        clip->frame_count = frames ? (uint32_t)pack_whole_of(r, frames, 1, PACK_MAX_FRAMES) : 1;
        clip->loop_start = sinewi_read_whole(&r->read, m, "loop_start", 0, clip->frame_count - 1);
        loops[r->desc.clip_count] = sinewi_read_boolean(&r->read, m, "loop", false);
        read_pack_limits(r, sinewi_read_member(&r->read, m, "limits"), &clip->limits);
        if (pack_good(r))
            read_pack_streams(r, m, clip);
        r->desc.clip_count++;
    }
    const sinewi_json_value *idle = sinewi_read_member(&r->read, root, "idle");
    r->desc.idle = idle ? sinewi_read_text(&r->read, idle, "the name of a clip") : NULL;
    bool known = !r->desc.idle;
    for (uint32_t c = 0; !known && c < r->desc.clip_count; c++)
        known = clips[c].name && strcmp(clips[c].name, r->desc.idle) == 0;
    if (!known && pack_good(r))
        PACK_FAIL(r, idle, SINEW_ERROR_NOT_FOUND, "there is no clip '%s'; the pack has %u%s%s%s",
                  sinewi_short_name(r->desc.idle).text, (unsigned)r->desc.clip_count,
                  n ? ", the first is '" : "", n ? sinewi_short_name(clips[0].name).text : "",
                  n ? "'" : "");
}

// ---- Meshes -----------------------------------------------------------------------------------------------

// Which joints move each vertex: one for all, one each, or several with weights.
static void read_pack_influences(pack_reader *r, const sinewi_json_value *object,
                                 sinew_primitive *p)
{
    const sinewi_json_value *one = sinewi_read_member(&r->read, object, "joint");
    const sinewi_json_value *each = sinewi_read_member(&r->read, object, "joints");
    const sinewi_json_value *weights = sinewi_read_member(&r->read, object, "weights");
    double most = (double)r->desc.rig.joint_count - 1;
    if ((one && each) || (!each && (weights || sinewi_read_member(&r->read, object, "influences"))))
        PACK_FAIL(r, object, SINEW_ERROR_INVALID_VALUE,
                  "'joint' stands alone, 'weights' and 'influences' beside 'joints'");
    if ((!one && !each) || !pack_good(r))
        return;
    p->influence_count =
        each ? sinewi_read_whole(&r->read, object, "influences", 1, PACK_MAX_INFLUENCES) : 1;
    uint32_t count = 0;
    int32_t *slots = each ? pack_wholes(r, each, 0, most, &count) : NULL;
    int32_t all = one ? (int32_t)pack_whole_of(r, one, 0, most) : 0;
    uint64_t wanted = (uint64_t)p->vertex_count * p->influence_count;
    if (p->influence_count == 0 || (each && pack_good(r) && count != wanted))
        PACK_FAIL(r, each ? each : object, SINEW_ERROR_COUNT_MISMATCH,
                  "%u joints; %u vertices of %u influences have %llu", (unsigned)count,
                  (unsigned)p->vertex_count, (unsigned)p->influence_count,
                  (unsigned long long)wanted);
    if (!pack_good(r))
        return;
    uint16_t *joints = pack_take(r, (size_t)wanted, sizeof *joints);
    float *shares = weights ? pack_float_member(r, object, "weights", wanted)
                            : pack_take(r, (size_t)wanted, sizeof *shares);
    if (!weights && p->influence_count > 1)
        PACK_FAIL(r, object, SINEW_ERROR_MISSING_PROPERTY,
                  "'weights' is missing; vertices follow %u joints each",
                  (unsigned)p->influence_count);
    for (size_t i = 0; pack_good(r) && i < wanted; i++) {
        joints[i] = (uint16_t)(slots ? slots[i] : all);
        if (!weights)
            shares[i] = 1.0f;
    }
    p->joints = joints;
    p->weights = shares;
}

static void read_pack_layer(pack_reader *r, const sinewi_json_value *object, const char *key,
                            uint64_t count, const float *const **out, uint32_t *out_count)
{
    const float *values = pack_float_member(r, object, key, count);
    const float **layer = values ? pack_take(r, 1, sizeof *layer) : NULL;
    if (!layer)
        return;
    layer[0] = values;
    *out = layer;
    *out_count = 1;
}

static void read_pack_mesh(pack_reader *r, const sinewi_json_value *object, sinew_stream_mesh *mesh)
{
    sinew_primitive *p = &mesh->primitive;
    sinewi_read_check_members(&r->read, object,
                              "name material joint joints influences weights positions normals uvs "
                              "colors triangles lane pictures");
    mesh->name = pack_text_member(r, object, "name", "the name of a mesh");
    p->topology = SINEW_TOPOLOGY_TRIANGLES;
    const sinewi_json_value *material = sinewi_read_member(&r->read, object, "material");
    p->material =
        material ? (int32_t)pack_whole_of(r, material, -1, (double)r->desc.material_count - 1) : -1;
    const sinewi_json_value *positions = sinewi_read_required(&r->read, object, "positions");
    uint32_t count = 0;
    p->positions = pack_floats(r, positions, UINT32_MAX, 3, &count);
    p->vertex_count = count / 3;
    uint64_t n = p->vertex_count;
    p->normals = pack_float_member(r, object, "normals", 3 * n);
    read_pack_layer(r, object, "uvs", 2 * n, &p->uvs, &p->uv_count);
    read_pack_layer(r, object, "colors", 4 * n, &p->colors, &p->color_count);
    const sinewi_json_value *triangles = sinewi_read_member(&r->read, object, "triangles");
    const int32_t *indices = pack_wholes(r, triangles, 0, (double)n - 1, &p->index_count);
    p->indices = (const uint32_t *)indices;
    if (triangles && p->index_count % 3)
        PACK_FAIL(r, triangles, SINEW_ERROR_COUNT_MISMATCH, "%u numbers; triangles have three each",
                  (unsigned)p->index_count);
    read_pack_influences(r, object, p);
    const sinewi_json_value *lane = sinewi_read_member(&r->read, object, "lane");
    mesh->paint.lane = lane ? (int32_t)pack_whole_of(r, lane, -1, 1e6) : -1;
    mesh->paint.textures =
        pack_wholes(r, sinewi_read_member(&r->read, object, "pictures"), -1,
                    (double)r->desc.texture_count - 1, &mesh->paint.texture_count);
}

static void read_pack_meshes(pack_reader *r, const sinewi_json_value *root)
{
    const sinewi_json_value *list =
        sinewi_read_list(&r->read, root, "meshes", PACK_MAX_MESHES, false);
    sinew_stream_mesh *meshes = pack_take(r, list ? list->count : 0, sizeof *meshes);
    r->desc.meshes = meshes;
    for (const sinewi_json_value *m = pack_first(r, list); m; m = pack_next(r, m))
        read_pack_mesh(r, m, &meshes[r->desc.mesh_count++]);
}

// ---- What paints them -------------------------------------------------------------------------------------

static void read_pack_textures(pack_reader *r, const sinewi_json_value *root)
{
    const sinewi_json_value *list =
        sinewi_read_list(&r->read, root, "textures", PACK_MAX_MESHES, false);
    const char **textures = pack_take(r, list ? list->count : 0, sizeof *textures);
    r->desc.textures = textures;
    for (const sinewi_json_value *m = pack_first(r, list); m; m = pack_next(r, m))
        textures[r->desc.texture_count++] =
            sinewi_read_text(&r->read, m, "the address of a picture");
}

static void read_pack_materials(pack_reader *r, const sinewi_json_value *root)
{
    const sinewi_json_value *list =
        sinewi_read_list(&r->read, root, "materials", PACK_MAX_MESHES, false);
    sinew_material *materials = pack_take(r, list ? list->count : 0, sizeof *materials);
    r->desc.materials = materials;
    for (const sinewi_json_value *m = pack_first(r, list); m; m = pack_next(r, m)) {
        sinew_material *material = &materials[r->desc.material_count++];
        *material = sinew_material_default();
        material->metallic = 0.0f;
        sinewi_read_check_members(&r->read, m, "name color texture additive unlit double_sided");
        material->name = pack_text_member(r, m, "name", "the name of a material");
        const float *color = pack_float_member(r, m, "color", 4);
        if (color)
            material->base_color = (sinew_vec4){color[0], color[1], color[2], color[3]};
        const sinewi_json_value *texture = sinewi_read_member(&r->read, m, "texture");
        if (texture)
            material->base_color_texture.texture =
                (int32_t)pack_whole_of(r, texture, -1, (double)r->desc.texture_count - 1);
        material->additive = sinewi_read_boolean(&r->read, m, "additive", false);
        material->unlit = sinewi_read_boolean(&r->read, m, "unlit", false);
        material->double_sided = sinewi_read_boolean(&r->read, m, "double_sided", false);
    }
}

static void read_pack_flipbooks(pack_reader *r, const sinewi_json_value *root)
{
    const sinewi_json_value *object = sinewi_read_member(&r->read, root, "flipbooks");
    if (!object)
        return;
    sinewi_read_check_names(&r->read, object, "flipbook");
    if (pack_good(r) && object->count > SINEW_FLIPBOOK_MAX_SETS)
        PACK_FAIL(r, object, SINEW_ERROR_LIMIT_EXCEEDED, "%u of them; there may be %d",
                  (unsigned)object->count, SINEW_FLIPBOOK_MAX_SETS);
    sinew_flipbook_set_desc *sets = pack_take(r, object->count, sizeof *sets);
    r->desc.flipbooks = sets;
    for (const sinewi_json_value *m = pack_first(r, object); m; m = pack_next(r, m)) {
        sinew_flipbook_set_desc *set = &sets[r->desc.flipbook_count++];
        set->name = m->key;
        if (!sinewi_read_is(&r->read, m, SINEWI_JSON_ARRAY, "an array of lanes"))
            return;
        sinew_flipbook_stream *lanes = pack_take(r, m->count, sizeof *lanes);
        set->lanes = lanes;
        for (const sinewi_json_value *l = pack_first(r, m); l; l = pack_next(r, l)) {
            sinew_flipbook_stream *lane = &lanes[set->lane_count++];
            lane->entries = pack_wholes(r, l, -1, 1e9, &lane->count);
        }
    }
}

// ---- The file ---------------------------------------------------------------------------------------------

static void read_pack_root(pack_reader *r)
{
    const sinewi_json_value *root = sinewi_json_root(&r->read.json);
    sinewi_read_check_members(
        &r->read, root, "$schema version name rig clips idle meshes materials textures flipbooks");
    const sinewi_json_value *version = sinewi_read_required(&r->read, root, "version");
    if (version && sinewi_read_is(&r->read, version, SINEWI_JSON_NUMBER, "a number") &&
        version->number != 1.0)
        PACK_FAIL(r, version, SINEW_ERROR_VERSION, "version %g; this program reads version 1",
                  version->number);
    r->desc.name = pack_text_member(r, root, "name", "the name of a pack");
    const sinewi_json_value *rig = sinewi_read_required(&r->read, root, "rig");
    if (rig)
        read_pack_rig(r, rig);
    read_pack_textures(r, root);
    read_pack_materials(r, root);
    read_pack_clips(r, root);
    read_pack_meshes(r, root);
    read_pack_flipbooks(r, root);
}

sinew_result sinew_stream_pack_read(const char *text, size_t size, const char *file,
                                    const sinew_allocator *allocator, sinew_stream_pack **out,
                                    sinew_error *error)
{
    if (out)
        *out = NULL;
    if (error)
        memset(error, 0, sizeof *error);
    if (!out || (!text && size))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "", "text and out must be given");
    const char *name = file ? file : "(memory)";
    sinew_allocator memory = sinewi_allocator(allocator);
    sinewi_arena arena;
    sinewi_arena_init(&arena, &memory, 0);
    pack_reader r = {.read = {.arena = &arena, .error = error},
                     .desc = sinew_stream_pack_desc_default()};
    r.read.result = sinewi_json_parse(name, text, size, PACK_DEPTH, &arena, &r.read.json, error);
    if (pack_good(&r))
        read_pack_root(&r);
    if (pack_good(&r)) {
        r.desc.file = name;
        r.desc.allocator = memory;
        r.read.result = sinew_stream_pack_create(&r.desc, out, error);
        if (r.read.result != SINEW_OK && error)
            sinewi_copy_text(error->file, sizeof error->file, name);
    }
    sinewi_arena_free(&arena);
    return r.read.result;
}
