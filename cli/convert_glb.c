// SPDX-License-Identifier: MIT
// The nodes of a document and their animations as one GLB: no meshes, materials or pictures. What
// skins there are, or else the rigs, come as skins, since many programs take only the joints of
// skins for bones.
//
// Keys are written as they are (interpolation, splines), or sampled at a rate. glTF wants times
// that increase: of two keys at one time (a jump) the first moves down by the smallest step of a
// float. Tracks that share their times share the accessor.
//
// Source: glTF 2.0, "Animations", "Skins", "GLB File Format Specification".
#include "cli/convert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json_writer.h"

enum { CONVERT_MOST_FRAMES = 1 << 24, CONVERT_FLOAT = 5126 };

typedef struct convert_accessor {
    float *values; // owned
    size_t count;  // elements
    unsigned width;
    bool is_times; // with bounds
    uint64_t offset;
} convert_accessor;

typedef struct convert_track {
    const sinew_track *source;
    uint32_t times, values; // accessors
    sinew_interpolation interpolation;
} convert_track;

typedef struct convert_file {
    const convert_glb_desc *desc;
    convert_accessor *accessors;
    size_t accessor_count, accessor_room;
    convert_track *tracks; // of all clips
    uint32_t *first_track; // [clip_count + 1]
    uint32_t track_count;
    bool *animated;    // [node_count]
    uint32_t *binds;   // [skin count] accessors of inverse binds
    uint64_t size;     // of the binary
    sinew_mat4 *world; // [node_count] at rest
    int32_t *roots;    // [node_count] the root above each node
    convert_glb_report *report;
} convert_file;

// ---- Accessors ------------------------------------------------------------------------------------------

static float *convert_add(convert_file *f, size_t count, unsigned width, bool is_times)
{
    if (f->accessor_count == f->accessor_room) {
        const size_t room = f->accessor_room ? 2 * f->accessor_room : 64;
        convert_accessor *more = realloc(f->accessors, room * sizeof *more);
        if (!more)
            return NULL;
        f->accessors = more;
        f->accessor_room = room;
    }
    float *values = malloc((count * width + 1) * sizeof *values);
    if (!values)
        return NULL;
    f->accessors[f->accessor_count++] = (convert_accessor){values, count, width, is_times, f->size};
    f->size += (uint64_t)count * width * 4;
    return values;
}

// Times that increase: of two equal ones the first is lowered, or, where there is no room below,
// the second raised.
static void convert_times(const sinew_track *track, float *out)
{
    for (uint32_t k = 0; k < track->key_count; k++) {
        out[k] = track->times[k];
        if (k == 0 || out[k] > out[k - 1])
            continue;
        const float lower = nextafterf(out[k], -1.0f);
        if (lower >= 0.0f && (k == 1 || lower > out[k - 2]))
            out[k - 1] = lower;
        else
            out[k] = nextafterf(out[k - 1], INFINITY);
    }
}

static sinew_result convert_keys(convert_file *f, const sinew_track *track, convert_track *out,
                                 uint32_t first)
{
    const size_t per_key = track->interpolation == SINEW_INTERPOLATION_CUBIC ? 3 : 1;
    out->interpolation = track->interpolation;
    // a spline of one key is a constant, and glTF's splines have two
    const bool lone = per_key == 3 && track->key_count == 1;
    if (lone)
        out->interpolation = SINEW_INTERPOLATION_LINEAR;
    out->times = UINT32_MAX;
    for (uint32_t t = first; t < f->track_count && out->times == UINT32_MAX; t++)
        if (f->tracks[t].source->times == track->times &&
            f->tracks[t].source->key_count == track->key_count)
            out->times = f->tracks[t].times;
    if (out->times == UINT32_MAX) {
        out->times = (uint32_t)f->accessor_count;
        float *times = convert_add(f, track->key_count, 1, true);
        if (!times)
            return SINEW_ERROR_OUT_OF_MEMORY;
        convert_times(track, times);
    }
    const size_t count = track->key_count * (lone ? 1 : per_key);
    out->values = (uint32_t)f->accessor_count;
    float *values = convert_add(f, count, track->component_count, false);
    if (!values)
        return SINEW_ERROR_OUT_OF_MEMORY;
    memcpy(values, track->values + (lone ? track->component_count : 0),
           count * track->component_count * sizeof *values);
    return SINEW_OK;
}

static sinew_result convert_frames(convert_file *f, const sinew_track *track, double duration,
                                   uint32_t first, convert_track *out)
{
    const double exact = duration * f->desc->fps, nearest = floor(exact + 0.5);
    const double last = fabs(exact - nearest) <= nearest * 1e-6 ? nearest : floor(exact) + 1.0;
    if (!(last < CONVERT_MOST_FRAMES))
        return SINEW_ERROR_LIMIT_EXCEEDED;
    const size_t count = (size_t)last + 1;
    out->interpolation = SINEW_INTERPOLATION_LINEAR;
    if (first < f->track_count) {
        out->times = f->tracks[first].times;
    } else {
        out->times = (uint32_t)f->accessor_count;
        float *times = convert_add(f, count, 1, true);
        if (!times)
            return SINEW_ERROR_OUT_OF_MEMORY;
        for (size_t k = 0; k < count; k++)
            times[k] = (float)(k + 1 < count ? (double)k / f->desc->fps : duration);
    }
    out->values = (uint32_t)f->accessor_count;
    const uint32_t width = track->component_count;
    float *values = convert_add(f, count, width, false);
    if (!values)
        return SINEW_ERROR_OUT_OF_MEMORY;
    for (size_t k = 0; k < count; k++) {
        // as a float, as keys have it: a key at this very frame is hit
        const double time = k + 1 < count ? (double)(float)((double)k / f->desc->fps) : duration;
        const sinew_result result = sinew_track_sample(track, time, values + k * width, width);
        if (result != SINEW_OK)
            return result;
    }
    return SINEW_OK;
}

static sinew_result convert_tracks(convert_file *f)
{
    const sinew_document *d = f->desc->document;
    size_t room = 0;
    for (uint32_t c = 0; c < f->desc->clip_count; c++)
        room += sinew_clip_track_count(d->clips[f->desc->first_clip + c]);
    f->tracks = malloc((room + 1) * sizeof *f->tracks);
    f->first_track = calloc((size_t)f->desc->clip_count + 1, sizeof *f->first_track);
    if (!f->tracks || !f->first_track)
        return SINEW_ERROR_OUT_OF_MEMORY;
    for (uint32_t c = 0; c < f->desc->clip_count; c++) {
        const sinew_clip *clip = d->clips[f->desc->first_clip + c];
        const uint32_t first = f->track_count;
        f->first_track[c] = first;
        for (uint32_t t = 0; t < sinew_clip_track_count(clip); t++) {
            const sinew_track *track = &sinew_clip_tracks(clip)[t];
            if (track->property == SINEW_PROPERTY_WEIGHTS) {
                f->report->weights++;
                continue;
            }
            convert_track made = {.source = track};
            const sinew_result result =
                f->desc->fps > 0.0
                    ? convert_frames(f, track, sinew_clip_duration(clip), first, &made)
                    : convert_keys(f, track, &made, first);
            if (result != SINEW_OK)
                return result;
            f->animated[track->node] = true;
            f->tracks[f->track_count++] = made;
            f->report->keys += f->accessors[made.times].count;
        }
        f->report->clips += f->track_count > first; // glTF knows no animation without channels
    }
    f->first_track[f->desc->clip_count] = f->track_count;
    f->report->tracks = f->track_count;
    return SINEW_OK;
}

// ---- Skins ------------------------------------------------------------------------------------------------

static uint32_t convert_skin_count(const sinew_document *d)
{
    return d->skin_count ? d->skin_count : d->rig_count;
}

// Each node is on the way up once: where the way meets a node that is done, it ends.
static void convert_roots(convert_file *f)
{
    const sinew_document *d = f->desc->document;
    for (uint32_t i = 0; i < d->node_count; i++)
        f->roots[i] = -1;
    for (uint32_t i = 0; i < d->node_count; i++) {
        int32_t top = (int32_t)i;
        while (f->roots[top] < 0 && d->nodes[top].parent >= 0)
            top = d->nodes[top].parent;
        const int32_t root = f->roots[top] >= 0 ? f->roots[top] : top;
        for (int32_t at = (int32_t)i; at >= 0 && f->roots[at] < 0; at = d->nodes[at].parent)
            f->roots[at] = root;
    }
}

// Joints of a skin, or of a rig that stands for one; 0 for one that glTF does not allow: joints
// have a root in common.
static uint32_t convert_skin_joints(const convert_file *f, uint32_t skin, const uint32_t **out)
{
    const sinew_document *d = f->desc->document;
    *out = d->skin_count ? d->skins[skin].joints : d->rigs[skin].nodes;
    const uint32_t count = d->skin_count ? d->skins[skin].joint_count : d->rigs[skin].node_count;
    for (uint32_t k = 1; k < count; k++)
        if (f->roots[(*out)[k]] != f->roots[(*out)[0]])
            return 0;
    return count;
}

static sinew_result convert_skins(convert_file *f)
{
    const sinew_document *d = f->desc->document;
    f->binds = calloc((size_t)convert_skin_count(d) + 1, sizeof *f->binds);
    if (!f->binds)
        return SINEW_ERROR_OUT_OF_MEMORY;
    for (uint32_t s = 0; s < convert_skin_count(d); s++) {
        const uint32_t *joints;
        const uint32_t count = convert_skin_joints(f, s, &joints);
        if (count == 0)
            continue;
        f->binds[s] = (uint32_t)f->accessor_count;
        float *binds = convert_add(f, count, 16, false);
        if (!binds)
            return SINEW_ERROR_OUT_OF_MEMORY;
        for (uint32_t k = 0; k < count; k++) {
            sinew_mat4 bind = sinew_mat4_identity();
            if (d->skin_count)
                bind = d->skins[s].inverse_binds[k];
            else
                sinew_mat4_inverse(&f->world[joints[k]], &bind);
            bind.m[3] = bind.m[7] = bind.m[11] = 0.0f; // as glTF wants it, rounded or not
            bind.m[15] = 1.0f;
            memcpy(binds + (size_t)k * 16, bind.m, sizeof bind.m);
        }
    }
    return SINEW_OK;
}

static sinew_result convert_rest(convert_file *f)
{
    const sinew_document *d = f->desc->document;
    sinew_skeleton *skeleton;
    sinew_result result = sinew_document_skeleton(d, NULL, &skeleton, NULL);
    for (uint32_t i = 0; result == SINEW_OK && i < d->node_count; i++) {
        const int32_t joint = sinew_skeleton_joint_of_node(skeleton, (int32_t)i);
        f->world[i] = sinew_skeleton_rest_model(skeleton)[joint];
    }
    sinew_skeleton_destroy(skeleton);
    return result;
}

// ---- JSON -------------------------------------------------------------------------------------------------

static void convert_json_node(const convert_file *f, json_writer *w, uint32_t index)
{
    const sinew_node *node = &f->desc->document->nodes[index];
    const sinew_transform *t = &node->local;
    const float translation[] = {t->translation.x, t->translation.y, t->translation.z};
    const float rotation[] = {t->rotation.x, t->rotation.y, t->rotation.z, t->rotation.w};
    const float scale[] = {t->scale.x, t->scale.y, t->scale.z};
    const bool sheared = node->shear.x != 0.0f || node->shear.y != 0.0f || node->shear.z != 0.0f;
    json_open_object(w, NULL);
    if (node->name[0])
        json_text(w, "name", node->name);
    if (node->child_count) {
        json_open_array(w, "children");
        for (uint32_t k = 0; k < node->child_count; k++)
            json_whole(w, NULL, node->children[k]);
        json_close_array(w);
    }
    if (sheared && !f->animated[index]) {
        sinew_mat4 shear = sinew_mat4_identity(), matrix = sinew_mat4_from_transform(t);
        shear.m[4] = node->shear.x;
        shear.m[8] = node->shear.y;
        shear.m[9] = node->shear.z;
        matrix = sinew_mat4_mul(&matrix, &shear);
        json_singles(w, "matrix", matrix.m, 16);
        json_close_object(w);
        return;
    }
    f->report->sheared += sheared;
    if (translation[0] != 0.0f || translation[1] != 0.0f || translation[2] != 0.0f)
        json_singles(w, "translation", translation, 3);
    if (rotation[0] != 0.0f || rotation[1] != 0.0f || rotation[2] != 0.0f || rotation[3] != 1.0f)
        json_singles(w, "rotation", rotation, 4);
    if (scale[0] != 1.0f || scale[1] != 1.0f || scale[2] != 1.0f)
        json_singles(w, "scale", scale, 3);
    json_close_object(w);
}

static void convert_json_scene(const sinew_document *d, json_writer *w, const sinew_scene *scene)
{
    const uint32_t count = scene ? scene->node_count : d->node_count;
    bool any = false;
    json_open_object(w, NULL);
    if (scene && scene->name[0])
        json_text(w, "name", scene->name);
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t node = scene ? scene->nodes[k] : k;
        if (d->nodes[node].parent >= 0) // which glTF forbids; it is drawn with its parent
            continue;
        if (!any)
            json_open_array(w, "nodes");
        any = true;
        json_whole(w, NULL, node);
    }
    if (any)
        json_close_array(w);
    json_close_object(w);
}

static void convert_json_skins(const convert_file *f, json_writer *w)
{
    const sinew_document *d = f->desc->document;
    bool any = false;
    for (uint32_t s = 0; s < convert_skin_count(d); s++) {
        const uint32_t *joints;
        const uint32_t count = convert_skin_joints(f, s, &joints);
        if (count == 0)
            continue;
        if (!any)
            json_open_array(w, "skins");
        any = true;
        json_open_object(w, NULL);
        const char *name = d->skin_count ? d->skins[s].name : d->rigs[s].name;
        if (name[0])
            json_text(w, "name", name);
        json_open_array(w, "joints");
        for (uint32_t k = 0; k < count; k++)
            json_whole(w, NULL, joints[k]);
        json_close_array(w);
        json_whole(w, "inverseBindMatrices", f->binds[s]);
        json_close_object(w);
    }
    if (any)
        json_close_array(w);
}

static void convert_json_animation(const convert_file *f, json_writer *w, uint32_t clip)
{
    static const char *const paths[] = {"translation", "rotation", "scale"}, *const words[] = {
                                                                                 "STEP", "LINEAR",
                                                                                 "CUBICSPLINE"};
    const uint32_t first = f->first_track[clip], end = f->first_track[clip + 1];
    json_open_object(w, NULL);
    json_text(w, "name", sinew_clip_name(f->desc->document->clips[f->desc->first_clip + clip]));
    json_open_array(w, "channels");
    for (uint32_t t = first; t < end; t++) {
        json_open_object(w, NULL);
        json_whole(w, "sampler", t - first);
        json_open_object(w, "target");
        json_whole(w, "node", f->tracks[t].source->node);
        json_text(w, "path", paths[f->tracks[t].source->property]);
        json_close_object(w);
        json_close_object(w);
    }
    json_close_array(w);
    json_open_array(w, "samplers");
    for (uint32_t t = first; t < end; t++) {
        json_open_object(w, NULL);
        json_whole(w, "input", f->tracks[t].times);
        json_text(w, "interpolation", words[f->tracks[t].interpolation]);
        json_whole(w, "output", f->tracks[t].values);
        json_close_object(w);
    }
    json_close_array(w);
    json_close_object(w);
}

static void convert_json_data(const convert_file *f, json_writer *w)
{
    static const char *const types[] = {"", "SCALAR", "", "VEC3", "VEC4"};
    if (f->size == 0)
        return;
    json_open_array(w, "accessors");
    for (size_t i = 0; i < f->accessor_count; i++) {
        const convert_accessor *a = &f->accessors[i];
        json_open_object(w, NULL);
        json_whole(w, "bufferView", (int64_t)i);
        json_whole(w, "componentType", CONVERT_FLOAT);
        json_whole(w, "count", (int64_t)a->count);
        json_text(w, "type", a->width == 16 ? "MAT4" : types[a->width]);
        if (a->is_times) {
            json_singles(w, "min", a->values, 1);
            json_singles(w, "max", a->values + a->count - 1, 1);
        }
        json_close_object(w);
    }
    json_close_array(w);
    json_open_array(w, "bufferViews");
    for (size_t i = 0; i < f->accessor_count; i++) {
        const convert_accessor *a = &f->accessors[i];
        json_open_object(w, NULL);
        json_whole(w, "buffer", 0);
        json_whole(w, "byteOffset", (int64_t)a->offset);
        json_whole(w, "byteLength", (int64_t)(a->count * a->width * 4));
        json_close_object(w);
    }
    json_close_array(w);
    json_open_array(w, "buffers");
    json_open_object(w, NULL);
    json_whole(w, "byteLength", (int64_t)f->size);
    json_close_object(w);
    json_close_array(w);
}

static void convert_json(const convert_file *f, json_writer *w)
{
    const sinew_document *d = f->desc->document;
    json_open_object(w, NULL);
    json_open_object(w, "asset");
    json_text(w, "version", "2.0");
    json_text(w, "generator", "sinew " SINEW_VERSION_STRING);
    if (d->copyright[0])
        json_text(w, "copyright", d->copyright);
    json_close_object(w);
    json_whole(w, "scene", d->default_scene >= 0 ? d->default_scene : 0);
    json_open_array(w, "scenes");
    for (uint32_t s = 0; s < d->scene_count; s++)
        convert_json_scene(d, w, &d->scenes[s]);
    if (d->scene_count == 0)
        convert_json_scene(d, w, NULL);
    json_close_array(w);
    if (d->node_count) {
        json_open_array(w, "nodes");
        for (uint32_t i = 0; i < d->node_count; i++)
            convert_json_node(f, w, i);
        json_close_array(w);
    }
    convert_json_skins(f, w);
    if (f->report->clips) {
        json_open_array(w, "animations");
        for (uint32_t c = 0; c < f->desc->clip_count; c++)
            if (f->first_track[c + 1] > f->first_track[c])
                convert_json_animation(f, w, c);
        json_close_array(w);
    }
    convert_json_data(f, w);
    json_close_object(w);
}

// ---- The file ---------------------------------------------------------------------------------------------

static void convert_word(uint8_t *out, uint32_t word)
{
    for (int b = 0; b < 4; b++)
        out[b] = (uint8_t)(word >> 8 * b);
}

static sinew_result convert_container(const convert_file *f, cli_output *out)
{
    uint8_t header[20] = {0}, chunk[8];
    cli_output_bytes(out, header, sizeof header);
    if (!out->failed) {
        json_writer w = {out->file, false};
        convert_json(f, &w);
    }
    cli_output_adopt(out);
    cli_output_align(out, 4, ' ');
    if (out->failed)
        return SINEW_OK; // said when the output is closed
    const uint64_t json_size = out->size - sizeof header,
                   total = out->size + (f->size ? sizeof chunk + f->size : 0);
    if (total > UINT32_MAX)
        return SINEW_ERROR_LIMIT_EXCEEDED;
    memcpy(header, "glTF", 4);
    convert_word(header + 4, 2);
    convert_word(header + 8, (uint32_t)total);
    convert_word(header + 12, (uint32_t)json_size);
    memcpy(header + 16, "JSON", 4);
    cli_output_patch(out, 0, header, sizeof header);
    if (f->size == 0)
        return SINEW_OK;
    convert_word(chunk, (uint32_t)f->size);
    memcpy(chunk + 4, "BIN", 4);
    cli_output_bytes(out, chunk, sizeof chunk);
    for (size_t i = 0; i < f->accessor_count; i++)
        cli_output_floats(out, f->accessors[i].values,
                          f->accessors[i].count * f->accessors[i].width);
    return SINEW_OK;
}

sinew_result convert_write_glb(const convert_glb_desc *desc, cli_output *out,
                               convert_glb_report *out_report)
{
    const uint32_t nodes = desc->document->node_count;
    *out_report = (convert_glb_report){0};
    convert_file f = {.desc = desc, .report = out_report};
    f.animated = calloc((size_t)nodes + 1, sizeof *f.animated);
    f.world = calloc((size_t)nodes + 1, sizeof *f.world);
    f.roots = calloc((size_t)nodes + 1, sizeof *f.roots);
    sinew_result result = f.animated && f.world && f.roots ? SINEW_OK : SINEW_ERROR_OUT_OF_MEMORY;
    if (result == SINEW_OK)
        convert_roots(&f);
    if (result == SINEW_OK)
        result = convert_rest(&f);
    if (result == SINEW_OK)
        result = convert_tracks(&f);
    if (result == SINEW_OK)
        result = convert_skins(&f);
    if (result == SINEW_OK)
        result = convert_container(&f, out);
    for (size_t i = 0; i < f.accessor_count; i++)
        free(f.accessors[i].values);
    free(f.accessors);
    free(f.tracks);
    free(f.first_track);
    free(f.binds);
    free(f.animated);
    free(f.world);
    free(f.roots);
    return result;
}
