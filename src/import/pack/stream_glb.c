// SPDX-License-Identifier: MIT
// Documents of frame-stream rigs as .glb files, for other programs (glTF 2.0). Everything is walked
// three times in one order: for the accessors, for their views, for the data.
//
//     accessors   of each mesh: positions, normals, uvs, colors, joints and weights by fours,
//     indices
//                 of the skin: inverse binds
//     (in order)  of each clip and track: times (one array for all tracks without a jump), values
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sinew/stream_pack.h"

typedef enum glb_kind { GLB_FLOATS, GLB_WORDS, GLB_JOINTS, GLB_WEIGHTS, GLB_TIMES } glb_kind;
typedef enum glb_pass { GLB_COUNT, GLB_ACCESSORS, GLB_VIEWS, GLB_DATA } glb_pass;

typedef struct stream_glb {
    const sinew_document *document;
    char *out;
    size_t size, at; // `at` goes on where there is no room
    glb_pass pass;
    uint32_t index;  // accessors walked so far
    uint64_t offset; // bytes of data walked so far
    const float *shared_times;
    uint32_t shared_index;
} stream_glb;

typedef struct glb_array {
    glb_kind kind;
    const void *source;
    uint32_t count, width; // elements, numbers of each
    uint32_t set;          // JOINTS and WEIGHTS: which four
    uint32_t influences;
    bool bounds;
    uint32_t target; // 0: none
} glb_array;

// ---- Text -------------------------------------------------------------------------------------------------

static void glb_bytes(stream_glb *g, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++, g->at++)
        if (g->at < g->size)
            g->out[g->at] = ((const char *)bytes)[i];
}

static void glb_text(stream_glb *g, const char *text)
{
    glb_bytes(g, text, strlen(text));
}

static void glb_whole(stream_glb *g, const char *before, int64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)value);
    glb_text(g, before);
    glb_text(g, text);
}

// Nine digits read back to the same float. The C library may write another sign for the point.
static void glb_number(stream_glb *g, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.9g", value);
    for (char *c = text; *c; c++)
        if (!strchr("0123456789+-e", *c))
            *c = '.';
    glb_text(g, text);
}

static void glb_numbers(stream_glb *g, const char *before, const float *values, uint32_t count)
{
    glb_text(g, before);
    for (uint32_t i = 0; i < count; i++) {
        glb_text(g, i ? "," : "[");
        glb_number(g, (double)values[i]);
    }
    glb_text(g, "]");
}

static void glb_string(stream_glb *g, const char *before, const char *text)
{
    glb_text(g, before);
    glb_text(g, "\"");
    for (const char *c = text; *c; c++) {
        char escape[8];
        if (*c == '"' || *c == '\\')
            snprintf(escape, sizeof escape, "\\%c", *c);
        else if ((unsigned char)*c < 0x20)
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned)(unsigned char)*c);
        else
            snprintf(escape, sizeof escape, "%c", *c);
        glb_text(g, escape);
    }
    glb_text(g, "\"");
}

static void glb_uri(stream_glb *g, const char *before, const char *uri)
{
    glb_text(g, before);
    glb_text(g, "\"");
    for (const unsigned char *c = (const unsigned char *)uri; *c; c++) {
        char code[4];
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                     (*c >= '0' && *c <= '9') || strchr("-._~/", *c);
        snprintf(code, sizeof code, plain ? "%c" : "%%%02X", *c);
        glb_text(g, code);
    }
    glb_text(g, "\"");
}

// ---- Arrays -----------------------------------------------------------------------------------------------

// Keys of a jump share a time, which glTF forbids: the earlier one moves to the float before it.
static float glb_time(const glb_array *array, uint32_t i)
{
    const float *times = array->source;
    return i + 1 < array->count && times[i + 1] == times[i] ? nextafterf(times[i], -1.0f)
                                                            : times[i];
}

static float glb_float(const glb_array *array, uint32_t element, uint32_t component)
{
    const float *values = array->source;
    uint32_t k = 4 * array->set + component;
    if (array->kind == GLB_TIMES)
        return glb_time(array, element);
    if (array->kind == GLB_WEIGHTS)
        return k < array->influences ? values[(size_t)element * array->influences + k] : 0.0f;
    return values[(size_t)element * array->width + component];
}

static uint64_t glb_array_bytes(const glb_array *array)
{
    uint64_t each = array->kind == GLB_JOINTS ? 2 : 4;
    return array->count * each * array->width;
}

static void glb_little(stream_glb *g, uint32_t value, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++) {
        unsigned char byte = (unsigned char)(value >> 8 * i);
        glb_bytes(g, &byte, 1);
    }
}

static void write_glb_data(stream_glb *g, const glb_array *array)
{
    for (uint32_t i = 0; i < array->count; i++)
        for (uint32_t c = 0; c < array->width; c++) {
            if (array->kind == GLB_WORDS) {
                glb_little(g, ((const uint32_t *)array->source)[i], 4);
            } else if (array->kind == GLB_JOINTS) {
                uint32_t k = 4 * array->set + c;
                const uint16_t *joints = array->source;
                glb_little(
                    g, k < array->influences ? joints[(size_t)i * array->influences + k] : 0u, 2);
            } else {
                uint32_t bits;
                float value = glb_float(array, i, c);
                memcpy(&bits, &value, sizeof bits);
                glb_little(g, bits, 4);
            }
        }
}

static void write_glb_bounds(stream_glb *g, const glb_array *array)
{
    float low[3], high[3];
    for (uint32_t c = 0; c < array->width; c++) {
        low[c] = high[c] = glb_float(array, 0, c);
        for (uint32_t i = 1; i < array->count; i++) {
            float value = glb_float(array, i, c);
            low[c] = value < low[c] ? value : low[c];
            high[c] = value > high[c] ? value : high[c];
        }
    }
    glb_numbers(g, ",\"min\":", low, array->width);
    glb_numbers(g, ",\"max\":", high, array->width);
}

// One array in the pass that is under way; its accessor.
static uint32_t glb_walk(stream_glb *g, const glb_array *array)
{
    uint64_t bytes = glb_array_bytes(array);
    const char *comma = g->index ? "," : "";
    if (g->pass == GLB_ACCESSORS) {
        static const char *const types[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
        glb_text(g, comma);
        glb_whole(g, "{\"bufferView\":", g->index);
        glb_whole(g, ",\"componentType\":",
                  array->kind == GLB_JOINTS  ? 5123
                  : array->kind == GLB_WORDS ? 5125
                                             : 5126);
        glb_whole(g, ",\"count\":", array->count);
        glb_string(g, ",\"type\":", array->width == 16 ? "MAT4" : types[array->width]);
        if (array->bounds)
            write_glb_bounds(g, array);
        glb_text(g, "}");
    } else if (g->pass == GLB_VIEWS) {
        glb_text(g, comma);
        glb_whole(g, "{\"buffer\":0,\"byteOffset\":", (int64_t)g->offset);
        glb_whole(g, ",\"byteLength\":", (int64_t)bytes);
        if (array->target)
            glb_whole(g, ",\"target\":", array->target);
        glb_text(g, "}");
    } else if (g->pass == GLB_DATA) {
        write_glb_data(g, array);
    }
    g->offset += bytes;
    return g->index++;
}

enum { GLB_VERTICES = 34962, GLB_INDICES = 34963 };

static uint32_t glb_floats(stream_glb *g, const float *values, uint32_t count, uint32_t width,
                           bool bounds, uint32_t target)
{
    return glb_walk(g, &(glb_array){.kind = GLB_FLOATS,
                                    .source = values,
                                    .count = count,
                                    .width = width,
                                    .bounds = bounds,
                                    .target = target});
}

// ---- Parts of the document --------------------------------------------------------------------------------

// Walks a primitive's arrays; in the pass that counts it is also written, so that its accessors
// have the numbers that they will have.
static void glb_attribute(stream_glb *g, bool json, const char *name, uint32_t set,
                          uint32_t accessor)
{
    char text[40];
    if (!json)
        return;
    snprintf(text, sizeof text, name, (unsigned)set);
    glb_string(g, strcmp(text, "POSITION") == 0 ? "" : ",", text);
    glb_whole(g, ":", accessor);
}

static void walk_glb_primitive(stream_glb *g, const sinew_primitive *p, bool json)
{
    uint32_t n = p->vertex_count;
    glb_attribute(g, json, "POSITION", 0, glb_floats(g, p->positions, n, 3, true, GLB_VERTICES));
    if (p->normals)
        glb_attribute(g, json, "NORMAL", 0, glb_floats(g, p->normals, n, 3, false, GLB_VERTICES));
    for (uint32_t k = 0; k < p->uv_count; k++)
        glb_attribute(g, json, "TEXCOORD_%u", k,
                      glb_floats(g, p->uvs[k], n, 2, false, GLB_VERTICES));
    for (uint32_t k = 0; k < p->color_count; k++)
        glb_attribute(g, json, "COLOR_%u", k,
                      glb_floats(g, p->colors[k], n, 4, false, GLB_VERTICES));
    for (uint32_t k = 0; 4 * k < p->influence_count; k++) {
        glb_array array = {.kind = GLB_JOINTS,
                           .source = p->joints,
                           .count = n,
                           .width = 4,
                           .set = k,
                           .influences = p->influence_count,
                           .target = GLB_VERTICES};
        glb_attribute(g, json, "JOINTS_%u", k, glb_walk(g, &array));
        array.kind = GLB_WEIGHTS;
        array.source = p->weights;
        glb_attribute(g, json, "WEIGHTS_%u", k, glb_walk(g, &array));
    }
    glb_text(g, json ? "}" : "");
    if (!p->indices || !p->index_count)
        return;
    uint32_t indices = glb_walk(g, &(glb_array){.kind = GLB_WORDS,
                                                .source = p->indices,
                                                .count = p->index_count,
                                                .width = 1,
                                                .target = GLB_INDICES});
    if (json)
        glb_whole(g, ",\"indices\":", indices);
}

static void walk_glb_meshes(stream_glb *g, bool json)
{
    const sinew_document *d = g->document;
    for (uint32_t m = 0; m < d->mesh_count; m++) {
        const sinew_primitive *p = &d->meshes[m].primitives[0];
        if (json) {
            glb_string(g, m ? ",\n{\"name\":" : "{\"name\":", d->meshes[m].name);
            glb_text(g, ",\"primitives\":[{\"attributes\":{");
        }
        walk_glb_primitive(g, p, json);
        if (!json)
            continue;
        glb_whole(g, ",\"mode\":", p->topology);
        if (p->material >= 0)
            glb_whole(g, ",\"material\":", p->material);
        if (p->extras) {
            glb_text(g, ",\"extras\":");
            glb_text(g, p->extras);
        }
        glb_text(g, "}]}");
    }
}

static void walk_glb_skin(stream_glb *g, bool json)
{
    const sinew_document_skin *skin = &g->document->skins[0];
    uint32_t binds = glb_floats(g, skin->inverse_binds[0].m, skin->joint_count, 16, false, 0);
    if (!json)
        return;
    glb_string(g, "{\"name\":", skin->name);
    glb_whole(g, ",\"inverseBindMatrices\":", binds);
    for (uint32_t j = 0; j < skin->joint_count; j++)
        glb_whole(g, j ? "," : ",\"joints\":[", skin->joints[j]);
    glb_text(g, "]}");
}

static uint32_t walk_glb_times(stream_glb *g, const sinew_track *track)
{
    bool jumps = false;
    for (uint32_t k = 1; k < track->key_count; k++)
        jumps |= track->times[k] == track->times[k - 1];
    if (!jumps && track->key_count > 1 && track->times == g->shared_times)
        return g->shared_index;
    uint32_t index = glb_walk(g, &(glb_array){.kind = GLB_TIMES,
                                              .source = track->times,
                                              .count = track->key_count,
                                              .width = 1,
                                              .bounds = true});
    if (!jumps && track->key_count > 1) {
        g->shared_times = track->times;
        g->shared_index = index;
    }
    return index;
}

// Channels and samplers stand in two lists: the first is written on one walk over the tracks, the
// second on the way of the accessors.
static void walk_glb_clip(stream_glb *g, const sinew_clip *clip, bool json)
{
    static const char *const words[] = {"translation", "rotation", "scale"};
    uint32_t count = sinew_clip_track_count(clip);
    const sinew_track *tracks = sinew_clip_tracks(clip);
    for (uint32_t t = 0; json && t < count; t++) {
        glb_whole(g, t ? ",{\"sampler\":" : ",\"channels\":[{\"sampler\":", t);
        glb_whole(g, ",\"target\":{\"node\":", tracks[t].node);
        glb_string(g, ",\"path\":", words[tracks[t].property]);
        glb_text(g, "}}");
    }
    glb_text(g, json ? "],\"samplers\":[" : "");
    g->shared_times = NULL;
    for (uint32_t t = 0; t < count; t++) {
        uint32_t input = walk_glb_times(g, &tracks[t]);
        uint32_t output = glb_floats(g, tracks[t].values, tracks[t].key_count,
                                     tracks[t].component_count, false, 0);
        if (!json)
            continue;
        glb_whole(g, t ? ",{\"input\":" : "{\"input\":", input);
        glb_whole(g, ",\"output\":", output);
        glb_text(g, "}");
    }
    glb_text(g, json ? "]}" : "");
}

static void walk_glb_clips(stream_glb *g, bool json)
{
    const sinew_document *d = g->document;
    bool any = false;
    for (uint32_t c = 0; c < d->clip_count; c++) {
        if (sinew_clip_track_count(d->clips[c]) == 0)
            continue; // glTF has no animation of nothing
        if (json)
            glb_string(g, any ? ",\n{\"name\":" : "{\"name\":", sinew_clip_name(d->clips[c]));
        any = true;
        walk_glb_clip(g, d->clips[c], json);
    }
}

static bool glb_has_clips(const sinew_document *d)
{
    for (uint32_t c = 0; c < d->clip_count; c++)
        if (sinew_clip_track_count(d->clips[c]))
            return true;
    return false;
}

static bool glb_has_skin(const sinew_document *d)
{
    return d->skin_count && d->skins[0].joint_count;
}

static void start_glb_pass(stream_glb *g, glb_pass pass)
{
    g->pass = pass;
    g->index = 0;
    g->offset = 0;
}

static void walk_glb(stream_glb *g, glb_pass pass)
{
    start_glb_pass(g, pass);
    walk_glb_meshes(g, false);
    if (glb_has_skin(g->document))
        walk_glb_skin(g, false);
    walk_glb_clips(g, false);
}

// ---- What has no arrays -----------------------------------------------------------------------------------

static void write_glb_nodes(stream_glb *g)
{
    const sinew_document *d = g->document;
    for (uint32_t n = 0; n < d->node_count; n++) {
        const sinew_node *node = &d->nodes[n];
        glb_string(g, n ? ",\n{\"name\":" : "{\"name\":", node->name);
        glb_numbers(g, ",\"translation\":", &node->local.translation.x, 3);
        glb_numbers(g, ",\"rotation\":", &node->local.rotation.x, 4);
        glb_numbers(g, ",\"scale\":", &node->local.scale.x, 3);
        for (uint32_t k = 0; k < node->child_count; k++)
            glb_whole(g, k ? "," : ",\"children\":[", node->children[k]);
        glb_text(g, node->child_count ? "]" : "");
        if (node->mesh >= 0)
            glb_whole(g, ",\"mesh\":", node->mesh);
        if (node->mesh >= 0 && node->skin >= 0 && glb_has_skin(d))
            glb_whole(g, ",\"skin\":", node->skin);
        glb_text(g, "}");
    }
}

static void write_glb_materials(stream_glb *g)
{
    const sinew_document *d = g->document;
    for (uint32_t i = 0; i < d->material_count; i++) {
        const sinew_material *m = &d->materials[i];
        float color[4] = {m->base_color.x, m->base_color.y, m->base_color.z, m->base_color.w};
        for (int k = 0; k < 4; k++)
            color[k] = color[k] > 0.0f ? color[k] < 1.0f ? color[k] : 1.0f : 0.0f;
        glb_string(g, i ? ",\n{\"name\":" : "{\"name\":", m->name);
        glb_numbers(g, ",\"pbrMetallicRoughness\":{\"baseColorFactor\":", color, 4);
        glb_text(g, ",\"metallicFactor\":");
        glb_number(g, (double)m->metallic);
        glb_text(g, ",\"roughnessFactor\":");
        glb_number(g, (double)m->roughness);
        if (m->base_color_texture.texture >= 0) {
            glb_whole(g, ",\"baseColorTexture\":{\"index\":", m->base_color_texture.texture);
            glb_text(g, "}");
        }
        glb_text(g, m->double_sided ? "},\"doubleSided\":true" : "}");
        glb_text(g, m->unlit ? ",\"extensions\":{\"KHR_materials_unlit\":{}}" : "");
        glb_text(g, m->additive ? ",\"extras\":{\"additive\":true}}" : "}");
    }
}

static void write_glb_json(stream_glb *g)
{
    const sinew_document *d = g->document;
    bool unlit = false;
    for (uint32_t i = 0; i < d->material_count; i++)
        unlit |= d->materials[i].unlit;
    glb_text(g,
             "{\"asset\":{\"version\":\"2.0\",\"generator\":\"Sinew " SINEW_VERSION_STRING "\"}");
    glb_text(g, unlit ? ",\"extensionsUsed\":[\"KHR_materials_unlit\"]" : "");
    if (d->node_count) {
        for (uint32_t k = 0; k < d->scenes[0].node_count; k++)
            glb_whole(g, k ? "," : ",\"scene\":0,\"scenes\":[{\"nodes\":[", d->scenes[0].nodes[k]);
        glb_text(g, "]}],\n\"nodes\":[");
        write_glb_nodes(g);
        glb_text(g, "]");
    }
    if (d->material_count) {
        glb_text(g, ",\n\"materials\":[");
        write_glb_materials(g);
        glb_text(g, "]");
    }
    for (uint32_t i = 0; i < d->image_count; i++)
        glb_uri(g, i ? "},{\"uri\":" : ",\n\"images\":[{\"uri\":", d->images[i].uri);
    glb_text(g, d->image_count ? "}]" : "");
    for (uint32_t i = 0; i < d->texture_count; i++)
        glb_whole(g, i ? "},{\"source\":" : ",\n\"textures\":[{\"source\":", d->textures[i].image);
    glb_text(g, d->texture_count ? "}]" : "");
    start_glb_pass(g, GLB_COUNT);
    glb_text(g, d->mesh_count ? ",\n\"meshes\":[" : "");
    walk_glb_meshes(g, true);
    glb_text(g, d->mesh_count ? "]" : "");
    if (glb_has_skin(d)) {
        glb_text(g, ",\n\"skins\":[");
        walk_glb_skin(g, true);
        glb_text(g, "]");
    }
    if (glb_has_clips(d)) {
        glb_text(g, ",\n\"animations\":[");
        walk_glb_clips(g, true);
        glb_text(g, "]");
    }
    if (g->index) {
        glb_text(g, ",\n\"accessors\":[");
        walk_glb(g, GLB_ACCESSORS);
        glb_text(g, "],\n\"bufferViews\":[");
        walk_glb(g, GLB_VIEWS);
        glb_whole(g, "],\n\"buffers\":[{\"byteLength\":", (int64_t)g->offset);
        glb_text(g, "}]");
    }
    glb_text(g, "}");
    while (g->at % 4)
        glb_text(g, " ");
}

static bool glb_can_hold(const sinew_document *d)
{
    for (uint32_t m = 0; m < d->mesh_count; m++)
        if (d->meshes[m].primitive_count != 1 || d->meshes[m].primitives[0].vertex_count == 0 ||
            d->meshes[m].primitives[0].target_count)
            return false;
    for (uint32_t i = 0; i < d->image_count; i++)
        if (!d->images[i].uri)
            return false;
    for (uint32_t c = 0; c < d->clip_count; c++)
        for (uint32_t t = 0; t < sinew_clip_track_count(d->clips[c]); t++) {
            const sinew_track *track = &sinew_clip_tracks(d->clips[c])[t];
            if (track->property > SINEW_PROPERTY_SCALE ||
                track->interpolation != SINEW_INTERPOLATION_LINEAR)
                return false;
        }
    return d->scene_count == 1;
}

size_t sinew_stream_document_write_glb(const sinew_document *document, void *out, size_t size)
{
    if (!document || !glb_can_hold(document))
        return 0;
    // the JSON's length first: it stands before it
    stream_glb g = {.document = document};
    write_glb_json(&g);
    size_t json_size = g.at;
    uint64_t data_size = g.offset, total = 12 + 8 + json_size + (data_size ? 8 + data_size : 0);
    if (total > UINT32_MAX)
        return 0;
    g = (stream_glb){.document = document, .out = out, .size = out ? size : 0};
    glb_text(&g, "glTF");
    glb_little(&g, 2, 4);
    glb_little(&g, (uint32_t)total, 4);
    glb_little(&g, (uint32_t)json_size, 4);
    glb_text(&g, "JSON");
    write_glb_json(&g);
    if (data_size) {
        glb_little(&g, (uint32_t)data_size, 4);
        glb_bytes(&g, "BIN\0", 4);
        walk_glb(&g, GLB_DATA);
    }
    return g.at;
}
