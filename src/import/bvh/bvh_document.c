// SPDX-License-Identifier: MIT
// What is made of a BVH: a stream rig and clip, which keep its angles, and from those a document.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/bvh/bvh_internal.h"
#include "import/document_internal.h"

// ---- Checks -------------------------------------------------------------------------------------------------

static sinew_result refuse_joint(sinew_error *error, uint32_t joint, const char *message)
{
    char path[32];
    snprintf(path, sizeof path, "joints[%u]", joint);
    return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, path, "%s", message);
}

static bool is_usable(double x)
{
    return fabs(x) <= BVH_LARGEST;
}

sinew_result sinewi_bvh_check(const sinew_bvh *bvh, sinew_error *error)
{
    if (!bvh || (!bvh->joints && bvh->joint_count) ||
        (!bvh->values && bvh->frame_count && bvh->channel_count))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "the BVH, its joints and its values must be given");
    if (!(bvh->frame_time >= 1e-6 && bvh->frame_time <= 1e6))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "frame_time",
                            "a frame time of %g; it is from 0.000001 to 1,000,000 seconds",
                            bvh->frame_time);
    if (bvh->joint_count > SINEW_MAX_JOINTS)
        return sinewi_error(error, SINEW_ERROR_TOO_MANY_JOINTS, "", "%u joints; there may be %d",
                            bvh->joint_count, SINEW_MAX_JOINTS);
    uint64_t channels = 0;
    for (uint32_t j = 0; j < bvh->joint_count; j++) {
        const sinew_bvh_joint *joint = &bvh->joints[j];
        if (joint->parent < -1 || joint->parent >= (int32_t)j)
            return refuse_joint(error, j, "its parent is not a joint before it, nor -1");
        int32_t above = (int32_t)j - 1; // each step up closes a joint for good
        while (above > joint->parent)
            above = bvh->joints[above].parent;
        if (above != joint->parent)
            return refuse_joint(error, j,
                                "it does not follow its parent and what is below that: "
                                "joints are listed depth first");
        if (joint->parent >= 0 && bvh->joints[joint->parent].is_end)
            return refuse_joint(error, j, "its parent is an end site");
        if (joint->is_end && (joint->parent < 0 || joint->channel_count))
            return refuse_joint(error, j, "an end site has a parent and no channels");
        if (!is_usable(joint->offset[0]) || !is_usable(joint->offset[1]) ||
            !is_usable(joint->offset[2]))
            return refuse_joint(error, j, "its offset is not finite or too large");
        if (joint->channel_count > SINEW_BVH_CHANNEL_COUNT || joint->first_channel != channels)
            return refuse_joint(error, j, "its channels do not follow those of the joint before");
        channels += joint->channel_count;
        unsigned seen = 0;
        for (uint32_t c = 0; c < joint->channel_count; c++) {
            if ((unsigned)joint->channels[c] >= SINEW_BVH_CHANNEL_COUNT ||
                (seen >> joint->channels[c] & 1))
                return refuse_joint(error, j, "a channel that is none, or there twice");
            seen |= 1u << joint->channels[c];
        }
    }
    if (channels != bvh->channel_count)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "channel_count",
                            "the joints have %llu channels in all, a frame %u",
                            (unsigned long long)channels, bvh->channel_count);
    if (channels == 0 && bvh->frame_count > 1)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "frame_count",
                            "%u frames without channels; there is one at most", bvh->frame_count);
    const size_t count = (size_t)bvh->frame_count * bvh->channel_count;
    for (size_t i = 0; i < count; i++)
        if (!is_usable(bvh->values[i]))
            return sinewi_error(error, SINEW_ERROR_NOT_FINITE, "values",
                                "value %zu of frame %zu is not finite or too large",
                                i % bvh->channel_count, i / bvh->channel_count);
    return SINEW_OK;
}

sinew_euler_order sinewi_bvh_order(const sinew_bvh_joint *joint)
{
    // by the first axis, and whether the other two follow in the order x y z x y
    static const sinew_euler_order orders[3][2] = {{SINEW_EULER_XZY, SINEW_EULER_XYZ},
                                                   {SINEW_EULER_YXZ, SINEW_EULER_YZX},
                                                   {SINEW_EULER_ZYX, SINEW_EULER_ZXY}};
    unsigned axes[3], count = 0;
    for (uint32_t c = 0; c < joint->channel_count; c++)
        if (joint->channels[c] >= SINEW_BVH_X_ROTATION)
            axes[count++] = (unsigned)joint->channels[c] - SINEW_BVH_X_ROTATION;
    // axes that are not there turn by nothing, wherever they stand
    if (count == 0)
        return SINEW_EULER_ZYX;
    const unsigned second = count > 1 ? axes[1] : (axes[0] + 1) % 3;
    return orders[axes[0]][second == (axes[0] + 1) % 3];
}

// ---- A stream -----------------------------------------------------------------------------------------------

sinew_result sinew_bvh_make_rig(const sinew_bvh *bvh, const sinew_allocator *allocator,
                                sinew_stream_rig **out, sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!out)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "", "out must be given");
    sinew_result result = sinewi_bvh_check(bvh, error);
    if (result != SINEW_OK)
        return result;
    const sinew_allocator memory = sinewi_allocator(allocator);
    const size_t size = bvh->joint_count * sizeof(sinew_stream_joint_desc);
    sinew_stream_joint_desc *joints = sinewi_alloc(&memory, size, 16);
    if (!joints)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "out of memory");
    memset(joints, 0, size);
    for (uint32_t j = 0; j < bvh->joint_count; j++) {
        const sinew_bvh_joint *joint = &bvh->joints[j];
        joints[j].joint = (sinew_joint_desc){.name = joint->name,
                                             .parent = joint->parent,
                                             .node = (int32_t)j,
                                             .rest = sinew_transform_identity()};
        joints[j].joint.rest.translation = sinew_vec3_make(
            (float)joint->offset[0], (float)joint->offset[1], (float)joint->offset[2]);
        joints[j].order = sinewi_bvh_order(joint);
    }
    sinew_stream_rig_desc desc = sinew_stream_rig_desc_default();
    desc.joints = joints;
    desc.joint_count = bvh->joint_count;
    desc.angle_unit = SINEW_ANGLE_DEGREES;
    desc.allocator = memory;
    result = sinew_stream_rig_create(&desc, out, error);
    sinewi_free(&memory, joints, size, 16);
    return result;
}

// A value as a float. Of many whole turns the rest is kept, which a float could not hold.
static float stream_value(double value, bool is_angle)
{
    return (float)(is_angle && fabs(value) > 3600.0 ? fmod(value, 360.0) : value);
}

static sinew_result make_clip_of(const sinew_bvh *bvh, const sinew_stream_rig *rig,
                                 const sinew_allocator *memory, float *values,
                                 sinew_stream_channels *channels, sinew_stream_clip **out,
                                 sinew_error *error)
{
    const size_t width = bvh->channel_count;
    for (uint32_t j = 0; j < bvh->joint_count; j++) {
        const sinew_bvh_joint *joint = &bvh->joints[j];
        for (uint32_t c = 0; c < joint->channel_count; c++) {
            const unsigned channel = (unsigned)joint->channels[c];
            const bool is_angle = channel >= SINEW_BVH_X_ROTATION;
            float *column = values + joint->first_channel + c;
            const double *from = bvh->values + joint->first_channel + c;
            for (uint32_t f = 0; f < bvh->frame_count; f++)
                column[f * width] = stream_value(from[f * width], is_angle);
            sinew_stream_values *place = is_angle
                                             ? &channels[j].rotation[channel - SINEW_BVH_X_ROTATION]
                                             : &channels[j].translation[channel];
            place->values = column;
            place->stride = width * sizeof *values;
        }
    }
    sinew_stream_clip_desc desc = sinew_stream_clip_desc_default();
    desc.name = bvh->name ? bvh->name : "motion";
    desc.rig = rig;
    desc.joints = channels;
    desc.joint_count = bvh->joint_count;
    desc.frame_count = bvh->frame_count;
    desc.rate = 1.0 / bvh->frame_time;
    desc.allocator = *memory;
    return sinew_stream_clip_create(&desc, out, error);
}

sinew_result sinew_bvh_make_clip(const sinew_bvh *bvh, const sinew_stream_rig *rig,
                                 const sinew_allocator *allocator, sinew_stream_clip **out,
                                 sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!out || !rig)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "the rig and out must be given");
    sinew_result result = sinewi_bvh_check(bvh, error);
    if (result != SINEW_OK)
        return result;
    if (bvh->frame_count == 0)
        return sinewi_error(error, SINEW_ERROR_NOT_FOUND, "", "the motion has no frames");
    const sinew_allocator memory = sinewi_allocator(allocator);
    const size_t count = (size_t)bvh->frame_count * bvh->channel_count,
                 size = bvh->joint_count * sizeof(sinew_stream_channels);
    float *values = sinewi_alloc(&memory, count * sizeof *values, 16);
    sinew_stream_channels *channels = sinewi_alloc(&memory, size, 16);
    if (values && channels) {
        memset(channels, 0, size);
        result = make_clip_of(bvh, rig, &memory, values, channels, out, error);
    } else {
        result = sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "out of memory");
    }
    sinewi_free(&memory, channels, size, 16);
    sinewi_free(&memory, values, count * sizeof *values, 16);
    return result;
}

// ---- A document ---------------------------------------------------------------------------------------------

static sinew_result no_memory_for_document(sinew_error *error)
{
    return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "out of memory");
}

static bool copy_bvh_findings(const sinew_bvh *bvh, sinewi_document *document)
{
    sinewi_arena *arena = &document->arena;
    sinew_finding *findings = sinewi_arena_alloc(arena, (uint64_t)bvh->finding_count + 2,
                                                 sizeof *findings); // two of its own
    if (!findings)
        return false;
    uint32_t n = 0;
    for (; n < bvh->finding_count; n++) {
        findings[n] = bvh->findings[n];
        findings[n].where = sinewi_arena_text(arena, findings[n].where, strlen(findings[n].where));
        findings[n].message =
            sinewi_arena_text(arena, findings[n].message, strlen(findings[n].message));
        if (!findings[n].where || !findings[n].message)
            return false;
    }
    if (bvh->frame_count == 0)
        findings[n++] = (sinew_finding){.code = SINEW_ANIMATION_EMPTY,
                                        .severity = SINEW_SEVERITY_WARNING,
                                        .where = "motion",
                                        .count = 1,
                                        .message = "the motion has no frames; there is no clip"};
    document->view.findings = findings;
    document->view.finding_count = n;
    return true;
}

static bool make_bvh_nodes(const sinew_bvh *bvh, sinewi_document *document)
{
    const uint32_t count = bvh->joint_count;
    sinewi_arena *arena = &document->arena;
    sinew_node *nodes = sinewi_arena_alloc(arena, count, sizeof *nodes);
    uint32_t *children = sinewi_arena_alloc(arena, count, sizeof *children), next = 0;
    if (!nodes || !children)
        return false;
    for (uint32_t j = 0; j < count; j++) {
        const sinew_bvh_joint *joint = &bvh->joints[j];
        const char *name = joint->name ? joint->name : "";
        nodes[j] = sinew_node_default();
        nodes[j].name = sinewi_arena_text(arena, name, strlen(name));
        nodes[j].local.translation = sinew_vec3_make(
            (float)joint->offset[0], (float)joint->offset[1], (float)joint->offset[2]);
        if (!nodes[j].name)
            return false;
        if (joint->parent >= 0)
            nodes[joint->parent].child_count++;
    }
    for (uint32_t j = 0; j < count; j++) { // each parent's children are a run of one array
        nodes[j].children = children + next;
        next += nodes[j].child_count;
        nodes[j].child_count = 0;
    }
    for (uint32_t j = 0; j < count; j++)
        if (bvh->joints[j].parent >= 0) {
            sinew_node *parent = &nodes[bvh->joints[j].parent];
            children[(size_t)(parent->children - children) + parent->child_count++] = j;
        }
    document->view.nodes = nodes;
    document->view.node_count = count;
    return true;
}

// ---- Glitches -----------------------------------------------------------------------------------------------

typedef struct bvh_glitches {
    uint64_t count;
    double worst, least; // degrees; least: what counts
    uint32_t frame;      // of the worst, and its joint
    int32_t node;
} bvh_glitches;

static double key_turn(const float *a, const float *b)
{
    const float dot = fabsf(((a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]) + a[3] * b[3]);
    return 2.0 * (double)sinew_acos(dot) * 57.29577951308232;
}

// Frames at which a joint is far from where it was and from where it goes on, which are near each
// other. Where keys share a time (a jump) the later one is the frame's.
static void count_glitches(const sinew_track *track, double rate, bvh_glitches *g)
{
    const float *before = NULL, *here = NULL;
    double way_here = 0.0;
    float time_here = 0.0f;
    for (uint32_t k = 0; k < track->key_count; k++) {
        if (k + 1 < track->key_count && track->times[k + 1] == track->times[k])
            continue;
        const float *next = track->values + 4 * (size_t)k;
        const double way_on = here ? key_turn(here, next) : 0.0;
        if (before && way_here > g->least && way_on > g->least) {
            const double smaller = way_here < way_on ? way_here : way_on;
            if (3.0 * key_turn(before, next) < smaller) {
                g->count++;
                if (smaller > g->worst) {
                    g->worst = smaller;
                    g->frame = (uint32_t)((double)time_here * rate + 0.5);
                    g->node = track->node;
                }
            }
        }
        before = here;
        here = next;
        way_here = way_on;
        time_here = track->times[k];
    }
}

// No joint of a body turns by more than some 1,500 degrees in a second and back at once.
static bool find_glitches(const sinew_bvh *bvh, sinewi_document *document)
{
    const double usual = 1500.0 * bvh->frame_time;
    bvh_glitches g = {.least = usual < 20.0 ? 20.0 : usual < 60.0 ? usual : 60.0};
    const sinew_clip *clip = document->clips[0];
    for (uint32_t t = 0; t < sinew_clip_track_count(clip); t++)
        if (sinew_clip_tracks(clip)[t].property == SINEW_PROPERTY_ROTATION)
            count_glitches(&sinew_clip_tracks(clip)[t], 1.0 / bvh->frame_time, &g);
    if (g.count == 0)
        return true;
    char where[48], message[SINEW_ERROR_MESSAGE_SIZE];
    snprintf(where, sizeof where, "frames[%u]", g.frame);
    snprintf(message, sizeof message,
             "%llu time%s a joint jumps away for a single frame and comes back; at worst '%s' at "
             "frame %u, by %.0f degrees",
             (unsigned long long)g.count, g.count == 1 ? "" : "s",
             sinewi_short_name(document->view.nodes[g.node].name).text, g.frame, g.worst);
    sinewi_arena *arena = &document->arena;
    sinew_finding *found = (sinew_finding *)document->view.findings + document->view.finding_count;
    *found = (sinew_finding){.code = SINEW_FRAME_GLITCH,
                             .severity = sinew_result_severity(SINEW_FRAME_GLITCH),
                             .where = sinewi_arena_text(arena, where, strlen(where)),
                             .count = g.count,
                             .worst = g.worst,
                             .message = sinewi_arena_text(arena, message, strlen(message))};
    document->view.finding_count++;
    return found->where && found->message;
}

// ---- The clip and the rig -------------------------------------------------------------------------------------

static sinew_result make_bvh_clip(const sinew_bvh *bvh, sinewi_document *document,
                                  sinew_error *error)
{
    sinewi_arena *arena = &document->arena;
    const sinew_allocator *memory = &arena->allocator;
    const char **names = sinewi_arena_alloc(arena, 1, sizeof *names);
    uint32_t *channels = sinewi_arena_alloc(arena, 1, sizeof *channels);
    document->clips = sinewi_arena_alloc(arena, 1, sizeof *document->clips);
    if (!names || !channels || !document->clips)
        return no_memory_for_document(error);
    const char *name = bvh->name ? bvh->name : "motion";
    names[0] = sinewi_arena_text(arena, name, strlen(name));
    if (!names[0])
        return no_memory_for_document(error);
    channels[0] = bvh->channel_count;
    document->view.clip_names = names;
    document->view.clip_channel_counts = channels;
    sinew_stream_rig *rig = NULL;
    sinew_stream_clip *stream = NULL;
    sinew_result result = sinew_bvh_make_rig(bvh, memory, &rig, error);
    if (result == SINEW_OK)
        result = sinew_bvh_make_clip(bvh, rig, memory, &stream, error);
    if (result == SINEW_OK) {
        sinew_stream_source_desc desc = sinew_stream_source_desc_default();
        desc.clip = stream;
        desc.to_last_frame = true;
        desc.allocator = *memory;
        result = sinew_stream_clip_to_source(&desc, &document->clips[0], error);
    }
    document->view.clip_count = result == SINEW_OK;
    sinew_stream_clip_destroy(stream);
    sinew_stream_rig_destroy(rig);
    return result;
}

// All joints are the rig, those that no channel moves, too.
static sinew_result make_bvh_rig(sinewi_document *document, sinew_error *error)
{
    sinew_document *view = &document->view;
    sinew_rig *rig = sinewi_arena_alloc(&document->arena, 1, sizeof *rig);
    uint32_t *nodes = sinewi_arena_alloc(&document->arena, view->node_count, sizeof *nodes);
    uint32_t *skins = sinewi_arena_alloc(&document->arena, 0, sizeof *skins);
    if (!rig || !nodes || !skins)
        return no_memory_for_document(error);
    for (uint32_t i = 0; i < view->node_count; i++)
        nodes[i] = i;
    *rig = (sinew_rig){.name = view->nodes[0].name,
                       .nodes = nodes,
                       .node_count = view->node_count,
                       .skins = skins};
    view->rigs = rig;
    view->rig_count = 1;
    return SINEW_OK;
}

sinew_result sinew_bvh_make_document(const sinew_bvh *bvh, const sinew_allocator *allocator,
                                     sinew_document **out, sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!out)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "", "out must be given");
    sinew_result result = sinewi_bvh_check(bvh, error);
    if (result != SINEW_OK)
        return result;
    sinewi_document *document = sinewi_document_new(allocator, 0);
    if (!document)
        return no_memory_for_document(error);
    sinew_document *view = &document->view;
    const char *file = bvh->file ? bvh->file : "(memory)";
    view->format = "bvh";
    view->file = sinewi_arena_text(&document->arena, file, strlen(file));
    if (!view->file || !make_bvh_nodes(bvh, document) || !copy_bvh_findings(bvh, document))
        result = no_memory_for_document(error);
    if (result == SINEW_OK && bvh->frame_count > 0)
        result = make_bvh_clip(bvh, document, error);
    if (result == SINEW_OK && bvh->frame_count > 0 && !find_glitches(bvh, document))
        result = no_memory_for_document(error);
    if (result == SINEW_OK)
        result = sinewi_document_finish(document, error);
    if (result == SINEW_OK && view->node_count > 0)
        result = make_bvh_rig(document, error);
    if (result != SINEW_OK) {
        sinew_document_destroy(view);
        return result;
    }
    *out = view;
    return SINEW_OK;
}
