// SPDX-License-Identifier: MIT
// Bodies of clouds: one mesh binding for each kind of spring, one behind the other; and the step
// that poses and springs them tile by tile, so that targets never leave the first cache.
//
// Normals turn with the dominant joint alone. A second binding, of the same points in the same
// order, has that joint and no other for each of them: with a weight of 1 the blend C + (M - C) is
// M, and the kernels for meshes do the rest.
#include <math.h>
#include <string.h>

#include "skin/cloud_internal.h"
#include "skin/point_spring_kernels.h"

enum { BODY_TILE = 512, BODY_KINDS = 256 }; // points of a tile: 6 KB of targets

typedef struct body_part {
    sinew_mesh_binding *binding;
    sinew_mesh_binding *normals; // NULL: the body has none
    uint32_t first, point_count, kind;
} body_part;

struct sinew_cloud_body {
    sinewi_arena arena; // holds all that is below
    body_part *parts;
    uint32_t part_count, point_count, joint_count, most_kind;
    uint32_t *cloud_from_body;
    sinew_spring_run *runs;
    bool has_normals;
    double mean_joints;
    size_t size;
};

// ---- Making -----------------------------------------------------------------------------------------------

// Copies of the points of a kind, for its binding.
typedef struct part_data {
    float *positions, *weights;
    float *normals; // in the body's order, as is `dominant`; NULL where there are none
    float *zeros;   // places of the points of normals, which nobody asks for
    uint16_t *joints, *dominant;
    uint32_t *points;
    uint32_t count;
} part_data;

static bool take_part(sinewi_arena *arena, const sinew_cloud_binding *b, uint32_t most,
                      bool normals, part_data *out)
{
    out->positions = sinewi_arena_room(arena, most, 3 * sizeof(float));
    out->weights = sinewi_arena_room(arena, most, b->influence_count * sizeof(float));
    out->joints = sinewi_arena_room(arena, most, b->influence_count * sizeof(uint16_t));
    out->points = sinewi_arena_room(arena, most, sizeof(uint32_t));
    if (normals) {
        out->normals = sinewi_arena_room(arena, most, 3 * sizeof(float));
        out->zeros = sinewi_arena_alloc(arena, most, 3 * sizeof(float));
        out->dominant = sinewi_arena_room(arena, most, sizeof(uint16_t));
        if (!out->normals || !out->zeros || !out->dominant)
            return false;
    }
    return out->positions && out->weights && out->joints && out->points;
}

static void gather_part(const sinew_cloud_body_desc *desc, uint32_t kind, part_data *out)
{
    const sinew_cloud_binding *b = desc->binding;
    const size_t stride = desc->position_stride ? desc->position_stride : 3 * sizeof(float),
                 n = b->influence_count;
    out->count = 0;
    for (uint32_t p = 0; p < b->point_count; p++) {
        if ((desc->kinds ? desc->kinds[p] : 0) != kind)
            continue;
        const size_t to = out->count++;
        memcpy(out->positions + 3 * to, (const char *)desc->positions + p * stride,
               3 * sizeof(float));
        memcpy(out->weights + n * to, b->weights + n * p, n * sizeof(float));
        memcpy(out->joints + n * to, b->joints + n * p, n * sizeof(uint16_t));
        out->points[to] = p;
    }
}

// The normals of a part, whose points stand in their order by now.
static sinew_result add_part_normals(sinew_cloud_body *body, const sinew_cloud_body_desc *desc,
                                     const part_data *data, body_part *part, sinew_error *error)
{
    const size_t stride = desc->normal_stride ? desc->normal_stride : 3 * sizeof(float);
    for (uint32_t i = 0; i < data->count; i++) {
        const uint32_t point = body->cloud_from_body[part->first + i];
        sinew_vec3 n;
        memcpy(&n, (const char *)desc->normals + point * stride, sizeof n);
        const float square = sinew_vec3_dot(n, n);
        const bool good = square > 1e-12f && square < 1e38f;
        n = sinew_vec3_scale(n, good ? 1.0f / sqrtf(square) : 0.0f);
        n = good ? n : sinew_vec3_make(0.0f, 0.0f, 0.0f);
        memcpy(data->normals + 3 * (size_t)i, &n, sizeof n);
        data->dominant[i] = desc->binding->dominant[point];
    }
    sinew_mesh_binding_desc d = sinew_mesh_binding_desc_default();
    d.vertex_count = data->count;
    d.positions = data->zeros;
    d.normals = data->normals;
    d.joints = data->dominant;
    d.influence_count = 1;
    d.joint_count = desc->binding->joint_count;
    d.keep_order = true;
    d.storage = SINEW_WEIGHT_STORAGE_UNORM8; // 0 and 1 are exact
    d.allocator = body->arena.allocator;
    sinew_result result = sinew_mesh_binding_create(&d, &part->normals, error);
    if (result == SINEW_OK)
        body->size += sinew_mesh_binding_get_info(part->normals).size;
    return result;
}

static sinew_result add_body_part(sinew_cloud_body *body, const sinew_cloud_body_desc *desc,
                                  const part_data *data, uint32_t kind, sinew_error *error)
{
    body_part *part = &body->parts[body->part_count];
    *part = (body_part){.first = body->point_count, .point_count = data->count, .kind = kind};
    sinew_mesh_binding_desc d = sinew_mesh_binding_desc_default();
    d.vertex_count = data->count;
    d.positions = data->positions;
    d.joints = data->joints;
    d.weights = data->weights;
    d.influence_count = desc->binding->influence_count;
    d.joint_count = desc->binding->joint_count;
    d.storage = desc->storage;
    d.max_error = desc->max_error;
    d.motion = desc->motion;
    d.allocator = body->arena.allocator;
    sinew_result result = sinew_mesh_binding_create(&d, &part->binding, error);
    if (result != SINEW_OK)
        return result;
    const sinew_mesh_binding_info info = sinew_mesh_binding_get_info(part->binding);
    for (uint32_t i = 0; i < data->count; i++)
        body->cloud_from_body[part->first + i] = data->points[info.file_from_bound[i]];
    body->runs[body->part_count] = (sinew_spring_run){data->count, kind};
    body->part_count++;
    body->mean_joints += info.mean_joints * data->count;
    body->size += info.size;
    body->point_count += data->count;
    body->most_kind = kind;
    return desc->normals ? add_part_normals(body, desc, data, part, error) : SINEW_OK;
}

static sinew_result fill_body(sinew_cloud_body *body, const sinew_cloud_body_desc *desc,
                              sinew_error *error)
{
    const sinew_cloud_binding *b = desc->binding;
    uint32_t counts[BODY_KINDS] = {0}, kinds = 0, most = 0;
    for (uint32_t p = 0; p < b->point_count; p++)
        counts[desc->kinds ? desc->kinds[p] : 0]++;
    for (uint32_t k = 0; k < BODY_KINDS; k++) {
        kinds += counts[k] > 0;
        most = counts[k] > most ? counts[k] : most;
    }
    sinewi_arena scratch;
    sinewi_arena_init(&scratch, &body->arena.allocator, 0);
    part_data data = {0};
    body->parts = sinewi_arena_alloc(&body->arena, kinds, sizeof *body->parts);
    body->runs = sinewi_arena_alloc(&body->arena, kinds, sizeof *body->runs);
    body->cloud_from_body =
        sinewi_arena_room(&body->arena, b->point_count, sizeof *body->cloud_from_body);
    sinew_result result = SINEW_OK;
    if (!body->parts || !body->runs || !body->cloud_from_body ||
        !take_part(&scratch, b, most, desc->normals != NULL, &data))
        result =
            sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory for the body of a cloud");
    for (uint32_t k = 0; result == SINEW_OK && k < BODY_KINDS; k++) {
        if (!counts[k])
            continue;
        gather_part(desc, k, &data);
        result = add_body_part(body, desc, &data, k, error);
    }
    sinewi_arena_free(&scratch);
    if (body->point_count)
        body->mean_joints /= body->point_count;
    return result;
}

static bool body_stride(size_t stride)
{
    return stride == 0 || (stride >= 3 * sizeof(float) && stride % sizeof(float) == 0);
}

sinew_result sinew_cloud_body_create(const sinew_cloud_body_desc *desc, sinew_cloud_body **out,
                                     sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!desc || !out || !desc->binding || (desc->binding->point_count && !desc->positions) ||
        !body_stride(desc->position_stride) || !body_stride(desc->normal_stride))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "a binding, positions and out must be given; strides are multiples of "
                            "4, from 12 on");
    const sinew_allocator allocator = sinewi_allocator(&desc->allocator);
    sinew_cloud_body *body = sinewi_alloc(&allocator, sizeof *body, 16);
    if (!body)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "",
                            "no memory for the body of a cloud");
    memset(body, 0, sizeof *body);
    sinewi_arena_init(&body->arena, &allocator, 0);
    body->joint_count = desc->binding->joint_count;
    body->has_normals = desc->normals != NULL;
    sinew_result result = fill_body(body, desc, error);
    body->size += body->arena.used + sizeof *body;
    if (result == SINEW_OK)
        *out = body;
    else
        sinew_cloud_body_destroy(body);
    return result;
}

void sinew_cloud_body_destroy(sinew_cloud_body *body)
{
    if (!body)
        return;
    for (uint32_t i = 0; i < body->part_count; i++) {
        sinew_mesh_binding_destroy(body->parts[i].binding);
        sinew_mesh_binding_destroy(body->parts[i].normals);
    }
    const sinew_allocator allocator = body->arena.allocator;
    sinewi_arena_free(&body->arena);
    sinewi_free(&allocator, body, sizeof *body, 16);
}

sinew_cloud_body_info sinew_cloud_body_get_info(const sinew_cloud_body *body)
{
    if (!body)
        return (sinew_cloud_body_info){0};
    return (sinew_cloud_body_info){.point_count = body->point_count,
                                   .joint_count = body->joint_count,
                                   .cloud_from_body = body->cloud_from_body,
                                   .runs = body->runs,
                                   .run_count = body->part_count,
                                   .has_normals = body->has_normals,
                                   .mean_joints = body->mean_joints,
                                   .size = body->size};
}

// ---- A step -----------------------------------------------------------------------------------------------

enum { BODY_RANGE = 16 * BODY_TILE, BODY_PIECES = 256 }; // points of a piece; pieces at most

typedef struct body_job {
    const sinew_cloud_step_args *args;
    const body_part *part;
    size_t out_stride, normal_stride;
    uint32_t range; // points of a piece, a multiple of the tile
    uint32_t *lost; // by piece
} body_job;

// Poses points [first, first + count) of a part, the first of them to `out`.
static void pose_part(const body_job *job, uint32_t first, uint32_t count, float *out,
                      size_t stride)
{
    sinew_result result =
        sinew_skin_mesh(&(sinew_skin_mesh_args){.binding = job->part->binding,
                                                .kernel_palette = job->args->kernel_palette,
                                                .first_vertex = first,
                                                .vertex_count = count,
                                                .out_positions = out,
                                                .out_position_stride = stride,
                                                .out_size = count,
                                                .out_from_first = true});
    assert(result == SINEW_OK);
    (void)result;
}

static void pose_normals(const body_job *job, uint32_t first, uint32_t count)
{
    char *out =
        (char *)job->args->out_normals + ((size_t)job->part->first + first) * job->normal_stride;
    sinew_result result =
        sinew_skin_mesh(&(sinew_skin_mesh_args){.binding = job->part->normals,
                                                .kernel_palette = job->args->kernel_palette,
                                                .first_vertex = first,
                                                .vertex_count = count,
                                                .out_normals = (float *)(void *)out,
                                                .out_normal_stride = job->normal_stride,
                                                .out_size = count,
                                                .out_from_first = true});
    assert(result == SINEW_OK);
    (void)result;
}

static uint32_t spring_tile(const body_job *job, uint32_t first, uint32_t count)
{
    const sinew_springs *s = job->args->springs;
    const body_part *part = job->part;
    float targets[3 * BODY_TILE];
    pose_part(job, first, count, targets, 0);
    const uint32_t at = part->first + first;
    const uint32_t lost =
        s->started ? sinewi_springs_range(s, &job->args->steps[part->kind], at, count, targets)
                   : sinewi_springs_start(s, at, count, targets);
    for (uint32_t p = at; job->args->out_positions && p < at + count; p++)
        memcpy((char *)job->args->out_positions + p * job->out_stride, s->positions + 3 * (size_t)p,
               3 * sizeof(float));
    return lost;
}

static void step_range(void *data, uint32_t index, uint32_t worker)
{
    const body_job *job = data;
    const uint32_t first = index * job->range, left = job->part->point_count - first,
                   end = first + (left < job->range ? left : job->range);
    (void)worker;
    if (job->args->out_normals)
        pose_normals(job, first, end - first);
    if (!job->args->springs && job->args->out_positions) {
        float *out = (float *)(void *)((char *)job->args->out_positions +
                                       ((size_t)job->part->first + first) * job->out_stride);
        pose_part(job, first, end - first, out, job->out_stride);
    }
    for (uint32_t at = first; job->args->springs && at < end; at += BODY_TILE)
        job->lost[index] += spring_tile(job, at, end - at < BODY_TILE ? end - at : BODY_TILE);
}

static sinew_result check_step(const sinew_cloud_step_args *args)
{
    if (!args || !args->body || !args->kernel_palette ||
        (!args->springs && !args->out_positions && !args->out_normals) ||
        !body_stride(args->out_position_stride) || !body_stride(args->out_normal_stride))
        return SINEW_ERROR_INVALID_ARGUMENT;
    const sinew_cloud_body *body = args->body;
    if (args->springs && (args->springs->point_count != body->point_count || !args->steps ||
                          (body->part_count && args->step_count <= body->most_kind)))
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (args->out_normals && !body->has_normals)
        return SINEW_ERROR_INVALID_ARGUMENT;
    if ((args->out_positions || args->out_normals) && args->out_size < body->point_count)
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    // the palette is looked at by the call that uses it; nothing is written before that
    for (uint32_t i = 0; i < body->part_count; i++) {
        float room[3 * SINEW_MESH_BLOCK];
        sinew_result result = sinew_skin_mesh(
            &(sinew_skin_mesh_args){.binding = body->parts[i].binding,
                                    .kernel_palette = args->kernel_palette,
                                    .vertex_count = body->parts[i].point_count < SINEW_MESH_BLOCK
                                                        ? body->parts[i].point_count
                                                        : SINEW_MESH_BLOCK,
                                    .out_positions = room,
                                    .out_size = SINEW_MESH_BLOCK});
        if (result != SINEW_OK)
            return result;
    }
    return SINEW_OK;
}

sinew_result sinew_cloud_body_step(const sinew_cloud_step_args *args)
{
    sinew_result result = check_step(args);
    if (result != SINEW_OK)
        return result;
    uint32_t lost = 0;
    for (uint32_t i = 0; i < args->body->part_count; i++) {
        const body_part *part = &args->body->parts[i];
        uint32_t counts[BODY_PIECES] = {0};
        body_job job = {.args = args,
                        .part = part,
                        .out_stride = args->out_position_stride ? args->out_position_stride : 12,
                        .normal_stride = args->out_normal_stride ? args->out_normal_stride : 12,
                        .range = BODY_RANGE,
                        .lost = counts};
        while ((part->point_count + (uint64_t)job.range - 1) / job.range > BODY_PIECES)
            job.range *= 2;
        const uint32_t pieces =
            (uint32_t)((part->point_count + (uint64_t)job.range - 1) / job.range);
        sinew_parallel_for(args->parallel, pieces, step_range, &job);
        for (uint32_t k = 0; k < pieces; k++)
            lost += counts[k];
    }
    if (args->springs)
        args->springs->started = true;
    if (args->out_lost)
        *args->out_lost = lost;
    return SINEW_OK;
}
