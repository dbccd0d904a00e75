// SPDX-License-Identifier: MIT
// Packs as text, in the form that pack_read.c reads.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinew/stream_pack.h"

typedef struct pack_text {
    char *out;
    size_t size, length; // length goes on where there is no room
    bool first;          // nothing stands before, in the object or array
} pack_text;

static void pack_put(pack_text *t, const char *text)
{
    for (; *text; text++, t->length++)
        if (t->length + 1 < t->size)
            t->out[t->length] = *text;
}

static void pack_put_string(pack_text *t, const char *text)
{
    pack_put(t, "\"");
    for (const char *c = text; *c; c++) {
        char escape[8];
        if (*c == '"' || *c == '\\')
            snprintf(escape, sizeof escape, "\\%c", *c);
        else if ((unsigned char)*c < 0x20)
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned)(unsigned char)*c);
        else
            snprintf(escape, sizeof escape, "%c", *c);
        pack_put(t, escape);
    }
    pack_put(t, "\"");
}

// As few digits as read back to the same float, -0 too. The C library may write another sign for
// the point.
static void pack_put_float(pack_text *t, double value, bool is_float)
{
    char text[40];
    int digits = 0;
    do
        snprintf(text, sizeof text, "%.*g", ++digits, value);
    while (digits < 17 &&
           (is_float ? strtof(text, NULL) != (float)value : strtod(text, NULL) != value));
    // an exponent above 0 means that there are fewer digits than stand before the point
    while (digits < 9 && strstr(text, "e+"))
        snprintf(text, sizeof text, "%.*g", ++digits, value);
    for (const char *c = text; *c; c++) {
        const char one[2] = {*c, '\0'};
        if (strchr("0123456789+-e", *c))
            pack_put(t, one);
        else if (strchr(",.", *c) || (*c & 0xC0) == 0xC0)
            pack_put(t, ".");
    }
}

static void pack_put_floats(pack_text *t, const float *values, size_t count)
{
    pack_put(t, "[");
    for (size_t i = 0; i < count; i++) {
        if (i)
            pack_put(t, ",");
        pack_put_float(t, (double)values[i], true);
    }
    pack_put(t, "]");
}

static void pack_put_wholes(pack_text *t, const int32_t *values, size_t count)
{
    pack_put(t, "[");
    for (size_t i = 0; i < count; i++) {
        char text[16];
        snprintf(text, sizeof text, "%s%d", i ? "," : "", (int)values[i]);
        pack_put(t, text);
    }
    pack_put(t, "]");
}

static void pack_key(pack_text *t, const char *key)
{
    if (!t->first)
        pack_put(t, ", ");
    t->first = false;
    pack_put_string(t, key);
    pack_put(t, ": ");
}

static void pack_member_whole(pack_text *t, const char *key, int64_t value, int64_t otherwise)
{
    if (value == otherwise)
        return;
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)value);
    pack_key(t, key);
    pack_put(t, text);
}

static void pack_member_floats(pack_text *t, const char *key, const float *values, size_t count)
{
    if (!values)
        return;
    pack_key(t, key);
    pack_put_floats(t, values, count);
}

static void pack_member_string(pack_text *t, const char *key, const char *text)
{
    if (!text || !text[0])
        return;
    pack_key(t, key);
    pack_put_string(t, text);
}

static void pack_member_flag(pack_text *t, const char *key, bool value)
{
    if (!value)
        return;
    pack_key(t, key);
    pack_put(t, "true");
}

// Opens an element of a list, on a line of its own.
static void pack_open_item(pack_text *t, uint32_t index)
{
    pack_put(t, index ? ",\n    {" : "\n    {");
    t->first = true;
}

static void pack_close_item(pack_text *t)
{
    pack_put(t, "}");
}

// ---- The rig ----------------------------------------------------------------------------------------------

static const char *const rule_names[] = {"inherit", "accumulate", "compensate"};

static void write_pack_joint(pack_text *t, const sinew_stream_joint_desc *joint,
                             const sinew_mat4 *inverse_bind)
{
    const sinew_joint_desc *j = &joint->joint;
    const sinew_vec3 *p = &j->rest.translation, *s = &j->rest.scale;
    const sinew_quat *q = &j->rest.rotation;
    pack_member_string(t, "name", j->name);
    pack_member_whole(t, "parent", j->parent, -1);
    if (p->x != 0.0f || p->y != 0.0f || p->z != 0.0f)
        pack_member_floats(t, "translation", &p->x, 3);
    if (q->x != 0.0f || q->y != 0.0f || q->z != 0.0f || q->w != 1.0f)
        pack_member_floats(t, "rotation", &q->x, 4);
    if (s->x != 1.0f || s->y != 1.0f || s->z != 1.0f)
        pack_member_floats(t, "scale", &s->x, 3);
    if (joint->order != SINEW_EULER_ZYX)
        pack_member_string(t, "order", sinew_euler_order_name(joint->order));
    if (j->scale_rule != SINEW_SCALE_INHERIT)
        pack_member_string(t, "scale_rule", rule_names[j->scale_rule]);
    pack_member_whole(t, "vertices", joint->vertex_count, 0);
    if (inverse_bind)
        pack_member_floats(t, "inverse_bind", inverse_bind->m, 16);
}

static void write_pack_rig(pack_text *t, const sinew_stream_pack_desc *desc)
{
    static const char *const units[] = {"radians", "degrees", "binary"};
    const sinew_stream_rig_desc *rig = &desc->rig;
    pack_put(t, ",\n  \"rig\": {");
    t->first = true;
    pack_member_string(t, "angles", units[rig->angle_unit]);
    if (rig->root_scale > 0.0f && rig->root_scale != 1.0f) {
        pack_key(t, "root_scale");
        pack_put_float(t, (double)rig->root_scale, true);
    }
    if (rig->height > 0.0f) {
        pack_key(t, "height");
        pack_put_float(t, (double)rig->height, true);
    }
    pack_key(t, "joints");
    pack_put(t, "[");
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        pack_open_item(t, j);
        write_pack_joint(t, &rig->joints[j], desc->inverse_binds ? &desc->inverse_binds[j] : NULL);
        pack_close_item(t);
    }
    pack_put(t, "]}");
}

// ---- Clips ------------------------------------------------------------------------------------------------

static double pack_value_at(const sinew_stream_values *v, uint32_t frame)
{
    const char *at = (const char *)v->values + (size_t)frame * v->stride;
    int16_t whole;
    float value;
    if (v->type == SINEW_STREAM_INT16) {
        memcpy(&whole, at, sizeof whole);
        return whole;
    }
    memcpy(&value, at, sizeof value);
    return (double)value;
}

static void write_pack_components(pack_text *t, const char *key, const sinew_stream_values v[3],
                                  uint32_t frame_count)
{
    if (!v[0].values && !v[1].values && !v[2].values)
        return;
    pack_key(t, key);
    for (int c = 0; c < 3; c++) {
        pack_put(t, c ? ", " : "[");
        if (!v[c].values)
            pack_put(t, "null");
        else if (v[c].stride == 0)
            pack_put_float(t, pack_value_at(&v[c], 0), true);
        for (uint32_t f = 0; v[c].values && v[c].stride && f < frame_count; f++) {
            pack_put(t, f ? "," : "[");
            pack_put_float(t, pack_value_at(&v[c], f), true);
        }
        pack_put(t, v[c].values && v[c].stride ? "]" : "");
    }
    pack_put(t, "]");
}

static void write_pack_limits(pack_text *t, const sinew_stream_limits *limits)
{
    const sinew_stream_limits usual = sinew_stream_clip_desc_default().limits;
    if (limits->turn == usual.turn && limits->travel == usual.travel &&
        limits->one_turn == usual.one_turn)
        return;
    pack_key(t, "limits");
    pack_put(t, "{\"turn\": ");
    pack_put_float(t, (double)limits->turn, true);
    pack_put(t, ", \"travel\": ");
    pack_put_float(t, (double)limits->travel, true);
    pack_put(t, ", \"one_turn\": ");
    pack_put_float(t, (double)limits->one_turn, true);
    pack_put(t, "}");
}

static void write_pack_clip(pack_text *t, const sinew_stream_clip_desc *clip, bool loop)
{
    pack_member_string(t, "name", clip->name);
    if (clip->rate != 30.0) {
        pack_key(t, "rate");
        pack_put_float(t, clip->rate, false);
    }
    pack_member_whole(t, "frames", clip->frame_count, -1);
    pack_member_whole(t, "loop_start", clip->loop_start < clip->frame_count ? clip->loop_start : 0,
                      0);
    pack_member_flag(t, "loop", loop);
    write_pack_limits(t, &clip->limits);
    pack_key(t, "streams");
    pack_put(t, "[");
    bool any = false;
    for (uint32_t j = 0; j < clip->joint_count; j++) {
        const sinew_stream_channels *c = &clip->joints[j];
        bool given = false;
        for (int k = 0; k < 3; k++)
            given |= c->translation[k].values || c->rotation[k].values || c->scale[k].values;
        if (!given)
            continue;
        pack_put(t, any ? ",\n      {" : "\n      {");
        any = true;
        t->first = true;
        pack_member_whole(t, "joint", j, -1);
        write_pack_components(t, "translation", c->translation, clip->frame_count);
        write_pack_components(t, "rotation", c->rotation, clip->frame_count);
        write_pack_components(t, "scale", c->scale, clip->frame_count);
        pack_put(t, "}");
    }
    pack_put(t, "]");
}

// ---- Meshes and what paints them --------------------------------------------------------------------------

static void write_pack_influences(pack_text *t, const sinew_primitive *p)
{
    size_t count = (size_t)p->vertex_count * p->influence_count;
    bool one = p->influence_count == 1, whole = true;
    for (size_t i = 0; i < count; i++) {
        one &= p->joints[i] == p->joints[0];
        whole &= p->weights[i] == 1.0f;
    }
    if (p->influence_count == 0)
        return;
    if (one && whole && count) {
        pack_member_whole(t, "joint", p->joints[0], -1);
        return;
    }
    pack_member_whole(t, "influences", p->influence_count, 1);
    pack_key(t, "joints");
    for (size_t i = 0; i < count; i++) {
        char text[16];
        snprintf(text, sizeof text, "%s%u", i ? "," : "[", (unsigned)p->joints[i]);
        pack_put(t, text);
    }
    pack_put(t, count ? "]" : "[]");
    if (!whole || p->influence_count > 1)
        pack_member_floats(t, "weights", p->weights, count);
}

static void write_pack_mesh(pack_text *t, const sinew_stream_mesh *mesh)
{
    const sinew_primitive *p = &mesh->primitive;
    size_t n = p->vertex_count;
    pack_member_string(t, "name", mesh->name);
    pack_member_whole(t, "material", p->material, -1);
    write_pack_influences(t, p);
    pack_key(t, "positions");
    pack_put_floats(t, p->positions, 3 * n);
    pack_member_floats(t, "normals", p->normals, 3 * n);
    pack_member_floats(t, "uvs", p->uv_count ? p->uvs[0] : NULL, 2 * n);
    pack_member_floats(t, "colors", p->color_count ? p->colors[0] : NULL, 4 * n);
    if (p->indices) {
        pack_key(t, "triangles");
        pack_put_wholes(t, (const int32_t *)p->indices, p->index_count);
    }
    pack_member_whole(t, "lane", mesh->paint.lane, -1);
    if (mesh->paint.texture_count) {
        pack_key(t, "pictures");
        pack_put_wholes(t, mesh->paint.textures, mesh->paint.texture_count);
    }
}

static void write_pack_material(pack_text *t, const sinew_material *m)
{
    pack_member_string(t, "name", m->name);
    pack_member_floats(t, "color", &m->base_color.x, 4);
    pack_member_whole(t, "texture", m->base_color_texture.texture, -1);
    pack_member_flag(t, "additive", m->additive);
    pack_member_flag(t, "unlit", m->unlit);
    pack_member_flag(t, "double_sided", m->double_sided);
}

static void write_pack_flipbooks(pack_text *t, const sinew_stream_pack_desc *desc)
{
    pack_put(t, ",\n  \"flipbooks\": {");
    t->first = true;
    for (uint32_t s = 0; s < desc->flipbook_count; s++) {
        const sinew_flipbook_set_desc *set = &desc->flipbooks[s];
        pack_key(t, set->name);
        pack_put(t, "[");
        for (uint32_t l = 0; l < set->lane_count; l++) {
            pack_put(t, l ? ", " : "");
            pack_put_wholes(t, set->lanes[l].entries, set->lanes[l].count);
        }
        pack_put(t, "]");
    }
    pack_put(t, "}");
}

size_t sinew_stream_pack_write(const sinew_stream_pack_desc *desc, char *out, size_t size)
{
    pack_text text = {out, out ? size : 0, 0, true}, *t = &text;
    if (!desc) {
        if (text.size)
            out[0] = '\0';
        return 0;
    }
    pack_put(t, "{\n  \"version\": 1");
    t->first = false;
    pack_member_string(t, "name", desc->name);
    write_pack_rig(t, desc);
    if (desc->texture_count) {
        pack_put(t, ",\n  \"textures\": [");
        for (uint32_t i = 0; i < desc->texture_count; i++) {
            pack_put(t, i ? ", " : "");
            pack_put_string(t, desc->textures[i]);
        }
        pack_put(t, "]");
    }
    pack_put(t, desc->material_count ? ",\n  \"materials\": [" : "");
    for (uint32_t i = 0; i < desc->material_count; i++) {
        pack_open_item(t, i);
        write_pack_material(t, &desc->materials[i]);
        pack_close_item(t);
    }
    pack_put(t, desc->material_count ? "],\n  \"clips\": [" : ",\n  \"clips\": [");
    for (uint32_t i = 0; i < desc->clip_count; i++) {
        pack_open_item(t, i);
        write_pack_clip(t, &desc->clips[i], desc->clip_loops && desc->clip_loops[i]);
        pack_close_item(t);
    }
    pack_put(t, "]");
    t->first = false;
    pack_member_string(t, "idle", desc->idle);
    pack_put(t, ",\n  \"meshes\": [");
    for (uint32_t i = 0; i < desc->mesh_count; i++) {
        pack_open_item(t, i);
        write_pack_mesh(t, &desc->meshes[i]);
        pack_close_item(t);
    }
    pack_put(t, "]");
    if (desc->flipbook_count)
        write_pack_flipbooks(t, desc);
    pack_put(t, "\n}\n");
    if (t->size)
        out[t->length < size ? t->length : size - 1] = '\0';
    return t->length;
}
