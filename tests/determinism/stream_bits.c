// SPDX-License-Identifier: MIT
// A minute of frame streams: the bird of the fixtures in all its clips, leashed, and chains of
// every order and unit whose angles wander, are written otherwise and cut, 60 ticks a second. The
// hash of poses, matrices and of the keys that streams become must be one value on every machine,
// with every compiler and instruction set; instruction sets are compared here.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinew/sinew.h"
#include "sinew_fixtures.h"

enum { TICKS = 3600, CHAIN_JOINTS = 21, CHAIN_FRAMES = 64 };

static uint64_t hash;

static void must(sinew_result result, const char *what)
{
    if (result == SINEW_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, sinew_result_message(result));
    exit(1);
}

static void *take(size_t size)
{
    void *memory = aligned_alloc(64, (size + 63) / 64 * 64 + 64);
    if (!memory)
        must(SINEW_ERROR_OUT_OF_MEMORY, "memory");
    memset(memory, 0, (size + 63) / 64 * 64 + 64);
    return memory;
}

static void hash_floats(const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        if ((bits & 0x7F800000u) == 0x7F800000u)
            must(SINEW_ERROR_NOT_FINITE, "a value");
        for (int k = 0; k < 32; k += 8)
            hash = (hash ^ (bits >> k & 0xFF)) * 1099511628211u; // FNV-1a, little-endian
    }
}

static void hash_pose(const sinew_pose *pose)
{
    for (uint32_t p = 0; p < SINEW_PLANE_COUNT; p++)
        hash_floats(pose->planes + (size_t)p * pose->padded_count, pose->joint_count);
}

static void hash_clip(const sinew_clip *clip)
{
    for (uint32_t t = 0; t < sinew_clip_track_count(clip); t++) {
        const sinew_track *track = &sinew_clip_tracks(clip)[t];
        hash_floats(track->times, track->key_count);
        hash_floats(track->values, (size_t)track->key_count * track->component_count);
    }
}

static void play_bird(void)
{
    sinew_stream_pack *pack;
    must(sinew_fixture_bird(NULL, &pack), "the bird");
    uint32_t joints = sinew_skeleton_joint_count(sinew_stream_rig_skeleton(pack->rig));
    sinew_leash_stream_desc desc = {.rig = pack->rig, .idle = pack->clips[pack->idle]};
    sinew_leash_model *model;
    must(sinew_leash_model_from_stream(&desc, &model, NULL), "a leash");
    size_t size = sinew_stream_performer_size(pack->rig);
    void *memory = take(size);
    sinew_mat4 *draw = take(joints * sizeof *draw), *pivot = take(joints * sizeof *pivot);
    sinew_stream_performer *performer;
    must(sinew_stream_performer_init(memory, size, pack->rig, &performer), "a performer");
    sinew_leash leash;
    sinew_leash_init(&leash);
    for (uint32_t c = 0; c < pack->clip_count; c++) {
        hash_clip(pack->document->clips[c]);
        sinew_playhead head;
        sinew_stream_playhead_init(&head, pack->clips[c], SINEW_WRAP_LOOP, c ? 1.37 : -0.8, 0.0);
        for (int tick = 0; tick < TICKS; tick++) {
            sinew_playhead_advance(&head, 1.0 / 60.0);
            double frame = sinew_stream_clip_frame_at(pack->clips[c], head.time);
            must(sinew_stream_performer_show(performer, pack->clips[c], frame, tick % 7 != 0),
                 "a pose");
            must(sinew_leash_apply(
                     &(sinew_leash_args){.model = model,
                                         .leash = &leash,
                                         .limit = 0.25f,
                                         .dt = 1.0f / 60.0f,
                                         .draw = sinew_stream_performer_draw(performer),
                                         .pivot = sinew_stream_performer_pivot(performer),
                                         .joint_count = joints,
                                         .out_draw = draw,
                                         .out_pivot = pivot}),
                 "a leash");
            hash_pose(sinew_stream_performer_pose(performer));
            hash_floats(draw->m, (size_t)joints * 16);
            hash_floats(pivot->m, (size_t)joints * 16);
        }
    }
    free(memory);
    free(draw);
    free(pivot);
    sinew_leash_model_destroy(model);
    sinew_stream_pack_destroy(pack);
}

static uint32_t state;

static float chance(float size) // numerical recipes' generator; its upper bits
{
    state = state * 1664525u + 1013904223u;
    return size * ((float)(state >> 8) * (2.0f / 16777216.0f) - 1.0f);
}

static void play_chain(sinew_euler_order order, sinew_angle_unit unit)
{
    static float angles[CHAIN_JOINTS][CHAIN_FRAMES][3];
    float turn = (float)sinew_angle_turn(unit);
    sinew_stream_joint_desc joints[CHAIN_JOINTS];
    sinew_stream_channels channels[CHAIN_JOINTS];
    memset(joints, 0, sizeof joints);
    memset(channels, 0, sizeof channels);
    state = 12345u + (uint32_t)order * 3u + (uint32_t)unit;
    for (int j = 0; j < CHAIN_JOINTS; j++) {
        joints[j].joint.parent = j - 1;
        joints[j].joint.node = -1;
        joints[j].joint.rest = sinew_transform_identity();
        joints[j].order = order;
        float at[3] = {0, 0, 0};
        for (int f = 0; f < CHAIN_FRAMES; f++)
            for (int c = 0; c < 3; c++) {
                at[c] += chance(0.06f * turn);
                if (chance(1.0f) > 0.9f)
                    at[c] += 0.5f * turn;
                angles[j][f][c] = at[c];
            }
        for (int c = 0; c < 3; c++)
            channels[j].rotation[c] =
                (sinew_stream_values){&angles[j][0][c], sizeof angles[j][0], SINEW_STREAM_FLOAT};
    }
    sinew_stream_rig_desc rig_desc = sinew_stream_rig_desc_default();
    rig_desc.joints = joints;
    rig_desc.joint_count = CHAIN_JOINTS;
    rig_desc.angle_unit = unit;
    sinew_stream_rig *rig;
    must(sinew_stream_rig_create(&rig_desc, &rig, NULL), "a rig");
    sinew_stream_clip_desc desc = sinew_stream_clip_desc_default();
    desc.rig = rig;
    desc.joints = channels;
    desc.joint_count = CHAIN_JOINTS;
    desc.frame_count = CHAIN_FRAMES;
    desc.loop_start = 11;
    sinew_stream_clip *clip;
    must(sinew_stream_clip_create(&desc, &clip, NULL), "a clip");
    sinew_pose pose;
    size_t size = sinew_pose_size(CHAIN_JOINTS);
    void *planes = take(size);
    must(sinew_pose_init(&pose, CHAIN_JOINTS, planes, size), "a pose");
    for (int tick = 0; tick < 600; tick++) {
        must(sinew_stream_clip_sample(&(sinew_stream_sample_args){
                 .clip = clip, .time = tick / 47.0, .wrap = true, .out_pose = &pose}),
             "a pose");
        hash_pose(&pose);
    }
    free(planes);
    sinew_stream_clip_destroy(clip);
    sinew_stream_rig_destroy(rig);
}

static uint64_t run_all(void)
{
    hash = 14695981039346656037u;
    play_bird();
    for (int order = 0; order < SINEW_EULER_COUNT; order++)
        for (int unit = 0; unit <= SINEW_ANGLE_BINARY; unit++)
            play_chain((sinew_euler_order)order, (sinew_angle_unit)unit);
    return hash;
}

int main(void)
{
    sinew_isa_set_mask(1u << SINEW_ISA_SCALAR);
    const uint64_t expected = run_all();
    for (int isa = SINEW_ISA_SCALAR + 1; isa < SINEW_ISA_COUNT; isa++) {
        if (!(sinew_isa_available() >> isa & 1u))
            continue;
        sinew_isa_set_mask(1u << SINEW_ISA_SCALAR | 1u << isa);
        uint64_t found = run_all();
        if (found != expected) {
            fprintf(stderr, "%s gives %016llx, scalar code %016llx\n",
                    sinew_isa_name((sinew_isa)isa), (unsigned long long)found,
                    (unsigned long long)expected);
            return 1;
        }
    }
    printf("%016llx\n", (unsigned long long)expected);
    return 0;
}
