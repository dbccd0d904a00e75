// SPDX-License-Identifier: MIT
// Rows of the table `stream` (the others: bench_streams.c): figures of 32 joints as a frame has
// them: sampled between two frames, posed, leashed, skinned and shaded. Rows with a number of
// vertices are a whole instance; `pose`, `leash`, `palette` and `skin` are parts of one of 1,311
// vertices, `two of` two instances in one call. Vertices follow one joint each, in whose space they
// are stored, or with `blended` two joints by inverse binds. A set of instructions in brackets is
// one that is weaker than the one in use.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "extras/system.h"
#include "sinew/sinew.h"

enum { STREAM_JOINTS = 32, STREAM_LIMBS = 4, STREAM_FRAMES = 40, STREAM_INSTANCES = 2 };
enum { STREAM_SMALL = 674, STREAM_LARGE = 1311 };

// What instances share, and what each of them has.
typedef struct stream_figure {
    uint32_t vertex_count;
    sinew_stream_rig *rig;
    sinew_stream_clip *clip;
    sinew_skin *skin;
    sinew_skin_rest rest;
    sinew_mesh_binding *binding;
    sinew_leash_model *leash_model;
    struct {
        void *memory;
        sinew_stream_performer *performer;
        sinew_leash leash;
        double frame;
        sinew_mat4 draw[STREAM_JOINTS];
        sinew_mat3x4 palette[STREAM_JOINTS], center;
        void *kernel_palette;
        float *positions, *shades;
    } instances[STREAM_INSTANCES];
} stream_figure;

static stream_figure *stream_figures[3]; // 674, 1,311, 1,311 blended
static uint32_t stream_random_state;

static float stream_random(void) // -1 ... 1
{
    stream_random_state = stream_random_state * 1664525u + 1013904223u;
    return (float)(stream_random_state >> 8) * 0x1p-23f - 1.0f;
}

// ---- What is measured -------------------------------------------------------------------------------------

static void pose_instance(stream_figure *f, int i)
{
    f->instances[i].frame += 0.503; // 30 Hz at 60 ticks a second, and no two ticks alike
    sinew_stream_performer_show(f->instances[i].performer, f->clip, f->instances[i].frame, true);
}

static void leash_instance(stream_figure *f, int i)
{
    sinew_leash_apply(
        &(sinew_leash_args){.model = f->leash_model,
                            .leash = &f->instances[i].leash,
                            .limit = 0.05f,
                            .dt = 1.0f / 60.0f,
                            .draw = sinew_stream_performer_draw(f->instances[i].performer),
                            .joint_count = STREAM_JOINTS,
                            .out_draw = f->instances[i].draw});
}

static void palette_instance(stream_figure *f, int i)
{
    sinew_palette_build(&(sinew_palette_args){.skin = f->skin,
                                              .model = f->instances[i].draw,
                                              .model_count = STREAM_JOINTS,
                                              .rest = &f->rest,
                                              .out_palette = f->instances[i].palette,
                                              .out_count = STREAM_JOINTS,
                                              .out_center = &f->instances[i].center});
    sinew_kernel_palette_build(f->instances[i].palette, STREAM_JOINTS, &f->instances[i].center,
                               f->instances[i].kernel_palette,
                               sinew_kernel_palette_size(STREAM_JOINTS));
}

static void skin_instance(stream_figure *f, int i)
{
    const sinew_shade shade = {0.7725f, 0.06f, 0.225f, 0.11f, (float)f->instances[i].frame};
    sinew_skin_mesh(&(sinew_skin_mesh_args){.binding = f->binding,
                                            .kernel_palette = f->instances[i].kernel_palette,
                                            .out_positions = f->instances[i].positions,
                                            .out_size = f->vertex_count,
                                            .shade = &shade,
                                            .out_shades = f->instances[i].shades});
}

static void run_stream_pose(void *data)
{
    pose_instance(data, 0);
}

static void run_stream_leash(void *data)
{
    leash_instance(data, 0);
}

static void run_stream_palette(void *data)
{
    palette_instance(data, 0);
}

static void run_stream_skin(void *data)
{
    skin_instance(data, 0);
}

static void run_stream_whole(stream_figure *f, int i)
{
    pose_instance(f, i);
    leash_instance(f, i);
    palette_instance(f, i);
    skin_instance(f, i);
}

static void run_stream_instance(void *data)
{
    run_stream_whole(data, 0);
}

static void run_stream_both(void *data)
{
    run_stream_whole(data, 0);
    run_stream_whole(data, 1);
}

// ---- Data -------------------------------------------------------------------------------------------------

// A spine of eight joints with a limb of six at four of them: parents.
static int32_t stream_parent(int32_t joint)
{
    if (joint < 8)
        return joint - 1;
    return (joint - 8) % 6 == 0 ? 2 * ((joint - 8) / 6) + 1 : joint - 1;
}

static bool make_stream_rig(stream_figure *f)
{
    sinew_stream_joint_desc joints[STREAM_JOINTS];
    char names[STREAM_JOINTS][24];
    memset(joints, 0, sizeof joints);
    for (int32_t j = 0; j < STREAM_JOINTS; j++) {
        snprintf(names[j], sizeof names[j], "joint_%d", j);
        joints[j].joint.name = names[j];
        joints[j].joint.parent = stream_parent(j);
        joints[j].joint.node = j;
        joints[j].joint.rest = sinew_transform_identity();
        joints[j].joint.rest.translation = sinew_vec3_make(
            0.2f * stream_random(), j < 8 ? 0.25f : 0.1f * stream_random(), 0.2f * stream_random());
        joints[j].vertex_count = f->vertex_count / STREAM_JOINTS;
    }
    sinew_stream_rig_desc desc = sinew_stream_rig_desc_default();
    desc.joints = joints, desc.joint_count = STREAM_JOINTS;
    desc.angle_unit = SINEW_ANGLE_BINARY;
    return sinew_stream_rig_create(&desc, &f->rig, NULL) == SINEW_OK;
}

// Small turns of all joints in binary angles; the root travels two heights and back.
static bool make_stream_clip(stream_figure *f)
{
    static int16_t turns[STREAM_JOINTS][3][STREAM_FRAMES];
    static float travel[STREAM_FRAMES];
    sinew_stream_channels channels[STREAM_JOINTS];
    memset(channels, 0, sizeof channels);
    for (int frame = 0; frame < STREAM_FRAMES; frame++)
        travel[frame] = 4.0f * sinew_sin((float)frame * (6.2831853f / STREAM_FRAMES));
    for (int j = 0; j < STREAM_JOINTS; j++)
        for (int c = 0; c < 3; c++) {
            const float size = 4000.0f * stream_random(), phase = 3.0f * stream_random();
            for (int frame = 0; frame < STREAM_FRAMES; frame++)
                turns[j][c][frame] =
                    (int16_t)(size *
                              sinew_sin(phase + (float)frame * (6.2831853f / STREAM_FRAMES)));
            channels[j].rotation[c] = (sinew_stream_values){
                .values = turns[j][c], .stride = sizeof(int16_t), .type = SINEW_STREAM_INT16};
        }
    channels[0].translation[2] = (sinew_stream_values){
        .values = travel, .stride = sizeof(float), .type = SINEW_STREAM_FLOAT};
    sinew_stream_clip_desc desc = sinew_stream_clip_desc_default();
    desc.name = "move", desc.rig = f->rig, desc.joints = channels;
    desc.joint_count = STREAM_JOINTS, desc.frame_count = STREAM_FRAMES;
    return sinew_stream_clip_create(&desc, &f->clip, NULL) == SINEW_OK;
}

static bool make_stream_mesh(stream_figure *f, bool blended)
{
    static float positions[3 * STREAM_LARGE], normals[3 * STREAM_LARGE], weights[2 * STREAM_LARGE];
    static uint16_t joints[2 * STREAM_LARGE];
    const sinew_skeleton *skeleton = sinew_stream_rig_skeleton(f->rig);
    const sinew_mat4 *rest = sinew_skeleton_rest_model(skeleton);
    uint16_t slots[STREAM_JOINTS];
    sinew_mat4 inverse_binds[STREAM_JOINTS];
    for (uint16_t j = 0; j < STREAM_JOINTS; j++) {
        slots[j] = j;
        if (!sinew_mat4_inverse(&rest[j], &inverse_binds[j]))
            return false;
    }
    for (uint32_t v = 0; v < f->vertex_count; v++) {
        const uint16_t joint = (uint16_t)(v * STREAM_JOINTS / f->vertex_count);
        const int32_t parent = sinew_skeleton_parents(skeleton)[joint];
        sinew_vec3 n = sinew_vec3_make(stream_random(), stream_random(), stream_random());
        n = sinew_vec3_normalize(n, sinew_vec3_make(0, 1, 0));
        joints[2 * v] = joint, joints[2 * v + 1] = parent < 0 ? joint : (uint16_t)parent;
        weights[2 * v] = blended ? 0.75f + 0.25f * stream_random() : 1.0f;
        weights[2 * v + 1] = 1.0f - weights[2 * v];
        for (int c = 0; c < 3; c++) {
            normals[3 * v + (uint32_t)c] = (&n.x)[c];
            positions[3 * v + (uint32_t)c] =
                0.1f * (&n.x)[c] + (blended ? rest[joint].m[12 + c] : 0.0f);
        }
    }
    sinew_skin_desc skin = sinew_skin_desc_default();
    skin.skeleton = skeleton, skin.joints = slots, skin.joint_count = STREAM_JOINTS;
    skin.inverse_binds = blended ? inverse_binds : NULL;
    sinew_mesh_binding_desc mesh = sinew_mesh_binding_desc_default();
    mesh.vertex_count = f->vertex_count, mesh.positions = positions, mesh.normals = normals;
    mesh.joints = joints, mesh.weights = weights, mesh.influence_count = 2;
    mesh.joint_count = STREAM_JOINTS;
    return sinew_skin_create(&skin, &f->skin, NULL) == SINEW_OK &&
           sinew_skin_find_rest(f->skin, NULL, 1.0f, &f->rest) == SINEW_OK &&
           sinew_mesh_binding_create(&mesh, &f->binding, NULL) == SINEW_OK;
}

static bool make_stream_instances(stream_figure *f)
{
    const size_t size = sinew_stream_performer_size(f->rig);
    const size_t palette_size = sinew_kernel_palette_size(STREAM_JOINTS);
    for (int i = 0; i < STREAM_INSTANCES; i++) {
        f->instances[i].memory = sinew_aligned_alloc(size);
        f->instances[i].kernel_palette = sinew_aligned_alloc(palette_size);
        f->instances[i].positions = calloc(f->vertex_count, 3 * sizeof(float));
        f->instances[i].shades = calloc(f->vertex_count, sizeof(float));
        f->instances[i].frame = 3.3 * i;
        sinew_leash_init(&f->instances[i].leash);
        if (!f->instances[i].memory || !f->instances[i].kernel_palette ||
            !f->instances[i].positions || !f->instances[i].shades ||
            sinew_stream_performer_init(f->instances[i].memory, size, f->rig,
                                        &f->instances[i].performer) != SINEW_OK)
            return false;
        run_stream_whole(f, i);
    }
    return true;
}

static bool make_stream_figure(int index, uint32_t vertex_count, bool blended)
{
    stream_figure *f = stream_figures[index] = calloc(1, sizeof *f);
    if (!f)
        return false;
    f->vertex_count = vertex_count;
    stream_random_state = 1;
    return make_stream_rig(f) && make_stream_clip(f) && make_stream_mesh(f, blended) &&
           sinew_leash_model_from_stream(
               &(sinew_leash_stream_desc){.name = "figure", .rig = f->rig}, &f->leash_model,
               NULL) == SINEW_OK &&
           make_stream_instances(f);
}

bool bench_add_stream_frames(bench *b)
{
    const struct {
        const char *name;
        void (*run)(void *data);
        int figure;
    } rows[] = {
        {"674 vertices", run_stream_instance, 0},
        {"1,311 vertices", run_stream_instance, 1},
        {"1,311 vertices, blended", run_stream_instance, 2},
        {"two of 1,311 vertices", run_stream_both, 1},
        {"two of 1,311 vertices, blended", run_stream_both, 2},
        {"pose", run_stream_pose, 1},
        {"leash", run_stream_leash, 1},
        {"palette", run_stream_palette, 1},
        {"skin and shade", run_stream_skin, 1},
        {"skin and shade, blended", run_stream_skin, 2},
    };
    enum { ROWS = sizeof rows / sizeof *rows };
    bool wanted = false;
    for (int i = 0; i < ROWS; i++)
        wanted |= bench_wants(b, "stream", rows[i].name);
    if (!wanted)
        return true;
    if (!stream_figures[0] && (!make_stream_figure(0, STREAM_SMALL, false) ||
                               !make_stream_figure(1, STREAM_LARGE, false) ||
                               !make_stream_figure(2, STREAM_LARGE, true))) {
        bench_release_stream_frames();
        return false;
    }
    for (int i = 0; i < ROWS; i++) {
        bench_row row = {.table = "stream",
                         .isa = SINEW_ISA_COUNT,
                         .count = 1,
                         .run = rows[i].run,
                         .data = stream_figures[rows[i].figure]};
        snprintf(row.name, sizeof row.name, "%s", rows[i].name);
        bench_add_row(b, &row);
        if (rows[i].run != run_stream_both)
            continue;
        for (int isa = (int)b->isa - 1; isa > SINEW_ISA_SCALAR; isa--) {
            row.isa = (sinew_isa)isa;
            snprintf(row.name, sizeof row.name, "%s (%s)", rows[i].name, sinew_isa_name(row.isa));
            if (sinew_isa_available() >> isa & 1u)
                bench_add_row(b, &row);
        }
    }
    return true;
}

void bench_release_stream_frames(void)
{
    for (int k = 0; k < 3; k++) {
        stream_figure *f = stream_figures[k];
        if (!f)
            continue;
        for (int i = 0; i < STREAM_INSTANCES; i++) {
            sinew_aligned_free(f->instances[i].memory);
            sinew_aligned_free(f->instances[i].kernel_palette);
            free(f->instances[i].positions);
            free(f->instances[i].shades);
        }
        sinew_leash_model_destroy(f->leash_model);
        sinew_mesh_binding_destroy(f->binding);
        sinew_skin_destroy(f->skin);
        sinew_stream_clip_destroy(f->clip);
        sinew_stream_rig_destroy(f->rig);
        free(f);
        stream_figures[k] = NULL;
    }
}
