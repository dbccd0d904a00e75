// SPDX-License-Identifier: MIT
// The table of clouds: ns a point of binding, posing and springing loose points, for 100,000 and a
// million of them, scattered over the limbs of a figure of 64 joints in no order.
//
//     bind           each point to the nearest two joints, sixteen against all segments
//     pose plain     points in their own order, two influences
//     pose body      the same points in a body
//     springs        a step of springs towards targets that were posed before
//     fused          body and springs in one pass
//
// Baselines are the loops that everyone writes first: `naive bind` measures a point against each
// segment, `naive pose` moves it by both joints and weighs the results, `naive spring` is an array
// of structs with a mass, a stiffness and a damping each, stepped by Euler; `naive all` is these
// two. `copy 60 B` copies so many bytes a point from memory to memory: fused reads 48 B (where
// points were bound, place, velocity, last target) and a few for weights, and writes 36. A set of
// instructions in brackets is one that is weaker than the one in use.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "extras/system.h"
#include "sinew/sinew.h"

enum { CLOUD_LIMBS = 8, CLOUD_CHAIN = 8, CLOUD_JOINTS = 64, CLOUD_SIZES = 2 };
static const uint32_t cloud_sizes[CLOUD_SIZES] = {100000, 1000000};
static const char *const cloud_size_names[CLOUD_SIZES] = {"100k", "1M"};

typedef struct naive_point {
    sinew_vec3 place, velocity;
    float mass, stiffness, damping;
} naive_point;

typedef struct cloud_data {
    uint32_t count;
    float *positions, *out, *targets;
    uint16_t *nearest; // of the naive loop, two a point
    float *nearest_weights;
    naive_point *naive;
    char *copy_from, *copy_to; // 60 B a point
    sinew_cloud_binding *binding;
    sinew_cloud_body *body;
    sinew_springs springs;
    void *spring_memory;
} cloud_data;

static struct {
    sinew_skeleton *skeleton;
    sinew_mat3x4 palette[CLOUD_JOINTS];
    void *kernel_palette;
    sinew_spring_step step;
    sinew_spring spring;
    cloud_data sizes[CLOUD_SIZES];
} clouds;

static uint32_t cloud_random_state = 1;

static float cloud_random(void) // in [-1, 1)
{
    cloud_random_state = cloud_random_state * 1664525u + 1013904223u;
    return (float)(int32_t)cloud_random_state * (1.0f / 2147483648.0f);
}

// ---- The loops that everyone writes -----------------------------------------------------------------------

static float naive_distance(const float *p, sinew_vec3 a, sinew_vec3 b)
{
    const sinew_vec3 way = sinew_vec3_sub(b, a),
                     d = sinew_vec3_sub(sinew_vec3_make(p[0], p[1], p[2]), a);
    const float square = sinew_vec3_dot(way, way);
    float t = square > 0.0f ? sinew_vec3_dot(d, way) / square : 0.0f;
    t = t < 0.0f ? 0.0f : t > 1.0f ? 1.0f : t;
    return sinew_vec3_length(sinew_vec3_sub(d, sinew_vec3_scale(way, t)));
}

static sinew_vec3 joint_place_of(uint32_t joint)
{
    const float *m = sinew_skeleton_rest_model(clouds.skeleton)[joint].m;
    return sinew_vec3_make(m[12], m[13], m[14]);
}

static void run_naive_bind(void *user)
{
    cloud_data *d = user;
    const int32_t *parents = sinew_skeleton_parents(clouds.skeleton);
    sinew_vec3 ends[CLOUD_JOINTS]; // one child each in a limb; leaves end where they begin
    sinew_vec3 places[CLOUD_JOINTS];
    for (uint32_t j = 0; j < CLOUD_JOINTS; j++)
        places[j] = ends[j] = joint_place_of(j);
    for (uint32_t j = 0; j < CLOUD_JOINTS; j++)
        if (parents[j] >= 0)
            ends[parents[j]] = places[j];
    for (uint32_t p = 0; p < d->count; p++) {
        float nearest = INFINITY, second = INFINITY;
        uint16_t *joints = d->nearest + 2 * (size_t)p;
        for (uint32_t j = 0; j < CLOUD_JOINTS; j++) {
            const float distance = naive_distance(d->positions + 3 * (size_t)p, places[j], ends[j]);
            if (distance < nearest) {
                second = nearest, joints[1] = joints[0];
                nearest = distance, joints[0] = (uint16_t)j;
            } else if (distance < second) {
                second = distance, joints[1] = (uint16_t)j;
            }
        }
        const float near = 1.0f - (second - nearest) / 0.1f, k = near > 0.0f ? near : 0.0f;
        d->nearest_weights[2 * (size_t)p + 1] = 0.5f * k * k;
        d->nearest_weights[2 * (size_t)p] = 1.0f - 0.5f * k * k;
    }
}

static sinew_vec3 naive_move(const cloud_data *d, const sinew_cloud_binding_info *info, size_t p)
{
    const float *v = d->positions + 3 * p;
    float out[3] = {0.0f, 0.0f, 0.0f};
    for (size_t k = 0; k < 2; k++) {
        const float *m = clouds.palette[info->joints[2 * p + k]].m, w = info->weights[2 * p + k];
        for (int r = 0; r < 3; r++)
            out[r] +=
                w * (m[4 * r] * v[0] + m[4 * r + 1] * v[1] + m[4 * r + 2] * v[2] + m[4 * r + 3]);
    }
    return sinew_vec3_make(out[0], out[1], out[2]);
}

static void run_naive_pose(void *user)
{
    const cloud_data *d = user;
    const sinew_cloud_binding_info info = sinew_cloud_binding_get_info(d->binding);
    for (size_t p = 0; p < d->count; p++) {
        const sinew_vec3 v = naive_move(d, &info, p);
        memcpy(d->out + 3 * p, &v, sizeof v);
    }
}

static void naive_spring(naive_point *point, sinew_vec3 target, float dt)
{
    const float pull = point->stiffness / point->mass,
                drag = 2.0f * point->damping * sqrtf(point->stiffness / point->mass);
    const sinew_vec3 push =
        sinew_vec3_sub(sinew_vec3_scale(sinew_vec3_sub(target, point->place), pull),
                       sinew_vec3_scale(point->velocity, drag));
    point->velocity = sinew_vec3_add(point->velocity, sinew_vec3_scale(push, dt));
    point->place = sinew_vec3_add(point->place, sinew_vec3_scale(point->velocity, dt));
}

static void run_naive_spring(void *user)
{
    const cloud_data *d = user;
    for (size_t p = 0; p < d->count; p++) {
        const float *t = d->targets + 3 * p;
        naive_spring(&d->naive[p], sinew_vec3_make(t[0], t[1], t[2]), 1.0f / 60.0f);
    }
}

static void run_naive_all(void *user)
{
    const cloud_data *d = user;
    const sinew_cloud_binding_info info = sinew_cloud_binding_get_info(d->binding);
    for (size_t p = 0; p < d->count; p++)
        naive_spring(&d->naive[p], naive_move(d, &info, p), 1.0f / 60.0f);
}

static void run_copy(void *user)
{
    const cloud_data *d = user;
    memcpy(d->copy_to, d->copy_from, (size_t)d->count * 60);
}

// ---- Ours -------------------------------------------------------------------------------------------------

static sinew_cloud_binding *bind_cloud_data(const cloud_data *d)
{
    sinew_cloud_binding_desc desc = sinew_cloud_binding_desc_default();
    desc.skeleton = clouds.skeleton;
    desc.positions = d->positions, desc.point_count = d->count;
    desc.falloff = 0.1f;
    sinew_cloud_binding *binding = NULL;
    sinew_cloud_binding_create(&desc, &binding, NULL);
    return binding;
}

static void run_bind(void *user)
{
    sinew_cloud_binding_destroy(bind_cloud_data(user));
}

static void run_pose_plain(void *user)
{
    const cloud_data *d = user;
    sinew_cloud_pose(&(sinew_cloud_pose_args){.binding = d->binding,
                                              .palette = clouds.palette,
                                              .palette_count = CLOUD_JOINTS,
                                              .point_count = d->count,
                                              .positions = d->positions,
                                              .out_positions = d->out,
                                              .out_size = d->count});
}

static void run_pose_body(void *user)
{
    const cloud_data *d = user;
    sinew_cloud_body_step(&(sinew_cloud_step_args){.body = d->body,
                                                   .kernel_palette = clouds.kernel_palette,
                                                   .out_positions = d->out,
                                                   .out_size = d->count});
}

static void run_springs(void *user)
{
    cloud_data *d = user;
    sinew_springs_step(&(sinew_springs_step_args){
        .state = &d->springs, .steps = &clouds.step, .step_count = 1, .targets = d->targets});
}

static void run_fused(void *user)
{
    cloud_data *d = user;
    sinew_cloud_body_step(&(sinew_cloud_step_args){.body = d->body,
                                                   .kernel_palette = clouds.kernel_palette,
                                                   .springs = &d->springs,
                                                   .steps = &clouds.step,
                                                   .step_count = 1});
}

// ---- Data -------------------------------------------------------------------------------------------------

// Eight limbs of eight joints, 25 cm apart, from a ring outwards, and a palette that turns each
// joint a little.
static bool make_cloud_figure(void)
{
    sinew_joint_desc joints[CLOUD_JOINTS];
    memset(joints, 0, sizeof joints);
    for (int32_t j = 0; j < CLOUD_JOINTS; j++) {
        const int32_t limb = j / CLOUD_CHAIN;
        const float angle = 6.2831853f / CLOUD_LIMBS * (float)limb;
        const float step = j % CLOUD_CHAIN ? 0.25f : 0.1f;
        joints[j].parent = j % CLOUD_CHAIN ? j - 1 : -1;
        joints[j].rest = sinew_transform_identity();
        joints[j].rest.translation =
            sinew_vec3_make(step * sinew_cos(angle), 0.1f * step, step * sinew_sin(angle));
    }
    const size_t size = sinew_kernel_palette_size(CLOUD_JOINTS);
    clouds.kernel_palette = sinew_aligned_alloc(size);
    if (!clouds.kernel_palette ||
        sinew_skeleton_create(&(sinew_skeleton_desc){.joints = joints, .joint_count = CLOUD_JOINTS},
                              &clouds.skeleton, NULL) != SINEW_OK)
        return false;
    for (int j = 0; j < CLOUD_JOINTS; j++) {
        sinew_transform t = sinew_transform_identity();
        float n[6]; // one after the other: the order of arguments is the compiler's own
        for (int i = 0; i < 6; i++)
            n[i] = 0.2f * cloud_random();
        t.rotation = sinew_quat_normalize(sinew_quat_make(n[0], n[1], n[2], 1.0f));
        t.translation = sinew_vec3_make(n[3], n[4], n[5]);
        const sinew_mat4 m = sinew_mat4_from_transform(&t);
        clouds.palette[j] = sinew_mat3x4_from_mat4(&m);
    }
    clouds.spring = sinew_spring_preset_values(SINEW_SPRING_CLOTH);
    return sinew_spring_step_make(&clouds.spring, 1.0 / 60, &clouds.step) == SINEW_OK &&
           sinew_kernel_palette_build(clouds.palette, CLOUD_JOINTS, NULL, clouds.kernel_palette,
                                      size) == SINEW_OK;
}

static bool make_cloud_state(cloud_data *d)
{
    const size_t n = d->count;
    d->body = NULL;
    if (sinew_cloud_body_create(
            &(sinew_cloud_body_desc){.binding = d->binding, .positions = d->positions}, &d->body,
            NULL) != SINEW_OK)
        return false;
    const size_t size = sinew_springs_size(d->count);
    d->spring_memory = sinew_aligned_alloc(size);
    d->naive = malloc(n * sizeof *d->naive);
    if (!d->spring_memory || !d->naive ||
        sinew_springs_init(&d->springs, d->count, d->spring_memory, size) != SINEW_OK)
        return false;
    run_pose_body(d);
    memcpy(d->targets, d->out, 3 * n * sizeof(float));
    for (size_t p = 0; p < n; p++)
        d->naive[p] = (naive_point){.mass = clouds.spring.mass,
                                    .stiffness = clouds.spring.stiffness,
                                    .damping = clouds.spring.damping};
    return true;
}

static bool make_cloud(cloud_data *d, uint32_t count)
{
    const size_t n = count;
    d->count = count;
    d->positions = malloc(3 * n * sizeof(float));
    d->out = malloc(3 * n * sizeof(float));
    d->targets = malloc(3 * n * sizeof(float));
    d->nearest = calloc(2 * n, sizeof *d->nearest);
    d->nearest_weights = malloc(2 * n * sizeof(float));
    d->copy_from = calloc(n, 60);
    d->copy_to = calloc(n, 60);
    if (!d->positions || !d->out || !d->targets || !d->nearest || !d->nearest_weights ||
        !d->copy_from || !d->copy_to)
        return false;
    for (size_t p = 0; p < n; p++) {
        const uint32_t joint = (uint32_t)((cloud_random() + 1.0f) * 0.5f * CLOUD_JOINTS);
        const sinew_vec3 place = joint_place_of(joint < CLOUD_JOINTS ? joint : 0);
        for (int k = 0; k < 3; k++)
            d->positions[3 * p + (size_t)k] = (&place.x)[k] + 0.12f * cloud_random();
    }
    memset(d->copy_from, 1, 60 * n);
    d->binding = bind_cloud_data(d);
    return d->binding && make_cloud_state(d);
}

static void add_cloud_row(bench *b, int size, const char *name, const char *baseline,
                          void (*run)(void *data), bool foreign)
{
    const bool is_bind = run == run_bind;
    for (int isa = SINEW_ISA_COUNT; isa >= 0; isa--) {
        // in use, then the weaker ones: binding a million takes them a second
        if (isa < SINEW_ISA_COUNT && (foreign || isa >= (int)b->isa || (is_bind && size) ||
                                      !(sinew_isa_available() >> isa & 1u)))
            continue;
        bench_row row = {.table = "cloud",
                         .isa = foreign ? SINEW_ISA_SCALAR : (sinew_isa)isa,
                         .foreign = foreign,
                         .count = cloud_sizes[size],
                         .run = run,
                         .data = &clouds.sizes[size]};
        snprintf(row.name, sizeof row.name, "%s %s%s%s%s", name, cloud_size_names[size],
                 isa < SINEW_ISA_COUNT ? " (" : "",
                 isa < SINEW_ISA_COUNT ? sinew_isa_name((sinew_isa)isa) : "",
                 isa < SINEW_ISA_COUNT ? ")" : "");
        if (baseline)
            snprintf(row.baseline, sizeof row.baseline, "%s %s", baseline, cloud_size_names[size]);
        if (run == run_fused)
            snprintf(row.unit, sizeof row.unit, "copy 60 B %s", cloud_size_names[size]);
        bench_add_row(b, &row);
    }
}

bool bench_add_clouds(bench *b)
{
    for (int size = 0; size < CLOUD_SIZES; size++) {
        const uint32_t before = b->row_count;
        add_cloud_row(b, size, "copy 60 B", NULL, run_copy, true);
        add_cloud_row(b, size, "naive bind", NULL, run_naive_bind, true);
        add_cloud_row(b, size, "bind", "naive bind", run_bind, false);
        add_cloud_row(b, size, "naive pose", NULL, run_naive_pose, true);
        add_cloud_row(b, size, "pose plain", "naive pose", run_pose_plain, false);
        add_cloud_row(b, size, "pose body", "naive pose", run_pose_body, false);
        add_cloud_row(b, size, "naive spring", NULL, run_naive_spring, true);
        add_cloud_row(b, size, "springs", "naive spring", run_springs, false);
        add_cloud_row(b, size, "naive all", NULL, run_naive_all, true);
        add_cloud_row(b, size, "fused", "naive all", run_fused, false);
        if (b->row_count == before)
            continue; // nobody asks for its data
        if ((!clouds.skeleton && !make_cloud_figure()) ||
            !make_cloud(&clouds.sizes[size], cloud_sizes[size]))
            return false;
    }
    return true;
}

void bench_release_clouds(void)
{
    for (int size = 0; size < CLOUD_SIZES; size++) {
        cloud_data *d = &clouds.sizes[size];
        free(d->positions);
        free(d->out);
        free(d->targets);
        free(d->nearest);
        free(d->nearest_weights);
        free(d->naive);
        free(d->copy_from);
        free(d->copy_to);
        sinew_aligned_free(d->spring_memory);
        sinew_cloud_body_destroy(d->body);
        sinew_cloud_binding_destroy(d->binding);
    }
    sinew_aligned_free(clouds.kernel_palette);
    sinew_skeleton_destroy(clouds.skeleton);
    memset(&clouds, 0, sizeof clouds);
}
