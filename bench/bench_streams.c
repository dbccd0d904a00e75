// SPDX-License-Identifier: MIT
// Frame streams: sampling a rig of 64 joints whose rotations all move, and the bird of the fixtures
// as it is on screen: posed, leashed, skinned and shaded, two of them (1,311 vertices each).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "extras/system.h"
#include "sinew/sinew.h"
#include "sinew_fixtures.h"

enum { STREAM_JOINTS = 64, STREAM_FRAMES = 300, STREAM_BIRDS = 2, STREAM_VERTICES = 1311 };

typedef struct stream_bird {
    sinew_stream_performer *performer;
    void *memory;
    sinew_leash leash;
    sinew_mat4 draw[16], pivot[16];
    sinew_mat3x4 palette[16];
    double frame;
} stream_bird;

typedef struct stream_data {
    sinew_stream_rig *rig;
    sinew_stream_clip *clip;
    sinew_pose pose;
    double frame;
    sinew_stream_pack *pack;
    sinew_leash_model *model;
    sinew_skin *skin;
    sinew_mesh_binding *binding;
    void *kernel_palette;
    size_t kernel_size;
    float *rows; // [vertices][4] position and shade
    stream_bird birds[STREAM_BIRDS];
} stream_data;

static stream_data *stream_bench;

static void sample_forward(void *user)
{
    stream_data *d = user;
    d->frame += 0.37; // 81 Hz of a clip of 30
    if (d->frame >= STREAM_FRAMES)
        d->frame -= STREAM_FRAMES;
    sinew_stream_clip_sample(&(sinew_stream_sample_args){
        .clip = d->clip, .time = d->frame, .in_frames = true, .wrap = true, .out_pose = &d->pose});
}

static void show_bird(stream_data *d, stream_bird *bird, bool skinned)
{
    bird->frame += 0.5; // 60 Hz
    sinew_stream_performer_show(bird->performer, d->pack->clips[1], bird->frame, true);
    if (!skinned)
        return;
    sinew_leash_apply(&(sinew_leash_args){.model = d->model,
                                          .leash = &bird->leash,
                                          .limit = 0.5f,
                                          .dt = 1.0f / 60.0f,
                                          .draw = sinew_stream_performer_draw(bird->performer),
                                          .pivot = sinew_stream_performer_pivot(bird->performer),
                                          .joint_count = 16,
                                          .out_draw = bird->draw,
                                          .out_pivot = bird->pivot});
    sinew_mat3x4 center;
    sinew_palette_build(&(sinew_palette_args){.skin = d->skin,
                                              .model = bird->draw,
                                              .model_count = 16,
                                              .out_palette = bird->palette,
                                              .out_count = 16,
                                              .out_center = &center});
    sinew_kernel_palette_build(bird->palette, 16, NULL, d->kernel_palette, d->kernel_size);
    sinew_skin_mesh(&(sinew_skin_mesh_args){.binding = d->binding,
                                            .kernel_palette = d->kernel_palette,
                                            .out_positions = d->rows,
                                            .out_position_stride = 16,
                                            .out_size = STREAM_VERTICES,
                                            .out_shades = d->rows + 3,
                                            .out_shade_stride = 16});
}

static void pose_birds(void *user)
{
    stream_data *d = user;
    for (int i = 0; i < STREAM_BIRDS; i++)
        show_bird(d, &d->birds[i], false);
}

static void draw_birds(void *user)
{
    stream_data *d = user;
    for (int i = 0; i < STREAM_BIRDS; i++)
        show_bird(d, &d->birds[i], true);
}

static void show_again(void *user)
{
    stream_data *d = user;
    for (int i = 0; i < STREAM_BIRDS; i++)
        sinew_stream_performer_show(d->birds[i].performer, d->pack->clips[1], 5.5, true);
}

// A chain that waves: all rotations move, in binary angles.
static bool make_wave(stream_data *d)
{
    sinew_stream_joint_desc joints[STREAM_JOINTS];
    sinew_stream_channels channels[STREAM_JOINTS];
    memset(joints, 0, sizeof joints);
    memset(channels, 0, sizeof channels);
    int16_t(*angles)[STREAM_JOINTS][3] = calloc(STREAM_FRAMES, sizeof *angles);
    if (!angles)
        return false;
    for (int j = 0; j < STREAM_JOINTS; j++) {
        joints[j].joint.parent = j - 1;
        joints[j].joint.node = -1;
        joints[j].joint.rest = sinew_transform_identity();
        joints[j].joint.rest.translation.y = 1.0f;
        for (int f = 0; f < STREAM_FRAMES; f++)
            for (int c = 0; c < 3; c++)
                angles[f][j][c] = (int16_t)(8000.0f * sinew_sin(0.07f * (float)(f * (c + 1) + j)));
        for (int c = 0; c < 3; c++)
            channels[j].rotation[c] =
                (sinew_stream_values){&angles[0][j][c], sizeof *angles, SINEW_STREAM_INT16};
    }
    sinew_stream_rig_desc rig = sinew_stream_rig_desc_default();
    rig.joints = joints;
    rig.joint_count = STREAM_JOINTS;
    rig.angle_unit = SINEW_ANGLE_BINARY;
    sinew_stream_clip_desc clip = sinew_stream_clip_desc_default();
    clip.joints = channels;
    clip.joint_count = STREAM_JOINTS;
    clip.frame_count = STREAM_FRAMES;
    bool made = sinew_stream_rig_create(&rig, &d->rig, NULL) == SINEW_OK;
    clip.rig = d->rig;
    made = made && sinew_stream_clip_create(&clip, &d->clip, NULL) == SINEW_OK;
    free(angles);
    void *planes = sinew_aligned_alloc(sinew_pose_size(STREAM_JOINTS));
    return made && planes &&
           sinew_pose_init(&d->pose, STREAM_JOINTS, planes, sinew_pose_size(STREAM_JOINTS)) ==
               SINEW_OK;
}

// The bird's primitives as one mesh.
static bool bind_bird(stream_data *d)
{
    static float positions[3 * STREAM_VERTICES], normals[3 * STREAM_VERTICES];
    static uint16_t joints[STREAM_VERTICES];
    uint32_t used = 0;
    for (uint32_t m = 0; m < d->pack->mesh_count; m++) {
        const sinew_primitive *p = &d->pack->meshes[m].primitive;
        if (used + p->vertex_count > STREAM_VERTICES)
            return false;
        memcpy(positions + 3 * used, p->positions, p->vertex_count * 12);
        memcpy(normals + 3 * used, p->normals, p->vertex_count * 12);
        memcpy(joints + used, p->joints, p->vertex_count * 2);
        used += p->vertex_count;
    }
    sinew_mesh_binding_desc desc = sinew_mesh_binding_desc_default();
    desc.vertex_count = used;
    desc.positions = positions;
    desc.normals = normals;
    desc.joints = joints;
    desc.influence_count = 1;
    desc.joint_count = 16;
    return sinew_mesh_binding_create(&desc, &d->binding, NULL) == SINEW_OK;
}

static bool make_birds(stream_data *d)
{
    if (sinew_fixture_bird(NULL, &d->pack) != SINEW_OK || !bind_bird(d))
        return false;
    uint16_t slots[16];
    for (uint16_t j = 0; j < 16; j++)
        slots[j] = j;
    sinew_skin_desc skin = sinew_skin_desc_default();
    skin.skeleton = sinew_stream_rig_skeleton(d->pack->rig);
    skin.joints = slots;
    skin.joint_count = 16;
    sinew_leash_stream_desc leash = {.rig = d->pack->rig, .idle = d->pack->clips[0]};
    d->kernel_size = sinew_kernel_palette_size(16);
    d->kernel_palette = sinew_aligned_alloc(d->kernel_size);
    d->rows = sinew_aligned_alloc((STREAM_VERTICES + 3) / 4 * 64);
    if (!d->kernel_palette || !d->rows || sinew_skin_create(&skin, &d->skin, NULL) != SINEW_OK ||
        sinew_leash_model_from_stream(&leash, &d->model, NULL) != SINEW_OK)
        return false;
    for (int i = 0; i < STREAM_BIRDS; i++) {
        stream_bird *bird = &d->birds[i];
        size_t size = sinew_stream_performer_size(d->pack->rig);
        bird->memory = sinew_aligned_alloc(size);
        if (!bird->memory || sinew_stream_performer_init(bird->memory, size, d->pack->rig,
                                                         &bird->performer) != SINEW_OK)
            return false;
        sinew_leash_init(&bird->leash);
        bird->frame = 3.0 * i;
    }
    return true;
}

bool bench_add_streams(bench *b)
{
    static const struct {
        const char *name;
        uint64_t count;
        void (*run)(void *user);
    } rows[] = {{"2 birds, pose", STREAM_BIRDS * 16, pose_birds},
                {"2 birds, same frame again", 1, show_again},
                {"2 birds, pose leash skin shade", 1, draw_birds}};
    bool wanted = bench_wants(b, "stream", "sample, 64 joints");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        wanted |= bench_wants(b, "stream", rows[i].name);
    if (!wanted || stream_bench)
        return true;
    stream_bench = calloc(1, sizeof *stream_bench);
    if (!stream_bench || !make_wave(stream_bench) || !make_birds(stream_bench)) {
        bench_release_streams();
        return false;
    }
    for (int isa = 0; isa < SINEW_ISA_COUNT; isa++) {
        if (!(sinew_isa_available() >> isa & 1u))
            continue;
        bench_row row = {.table = "stream",
                         .isa = (sinew_isa)isa,
                         .count = STREAM_JOINTS,
                         .run = sample_forward,
                         .data = stream_bench};
        snprintf(row.name, sizeof row.name, "sample, 64 joints, %s",
                 sinew_isa_name((sinew_isa)isa));
        if (isa != SINEW_ISA_SCALAR)
            snprintf(row.baseline, sizeof row.baseline, "sample, 64 joints, scalar");
        bench_add_row(b, &row);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        bench_add(b, "stream", rows[i].name, NULL, rows[i].count, rows[i].run, stream_bench);
    return true;
}

void bench_release_streams(void)
{
    stream_data *d = stream_bench;
    if (!d)
        return;
    for (int i = 0; i < STREAM_BIRDS; i++)
        sinew_aligned_free(d->birds[i].memory);
    sinew_aligned_free(d->pose.planes);
    sinew_aligned_free(d->kernel_palette);
    sinew_aligned_free(d->rows);
    sinew_mesh_binding_destroy(d->binding);
    sinew_skin_destroy(d->skin);
    sinew_leash_model_destroy(d->model);
    sinew_stream_clip_destroy(d->clip);
    sinew_stream_rig_destroy(d->rig);
    sinew_stream_pack_destroy(d->pack);
    free(d);
    stream_bench = NULL;
}
