// SPDX-License-Identifier: MIT
// Bindings of clouds: segments of a skeleton, points measured against them in blocks of sixteen,
// weights from distances.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pose/skeleton_internal.h"
#include "skin/cloud_internal.h"

#define CLOUD_STUB 0.45f         ///< of the way from the parent: how long a stub is
#define CLOUD_STUB_LEAST 1e-3f   ///< that way, at least, in metres
#define CLOUD_POINT_SQUARE 1e-9f ///< of a segment's length: shorter ones are points

sinew_cloud_binding_desc sinew_cloud_binding_desc_default(void)
{
    sinew_cloud_binding_desc desc;
    memset(&desc, 0, sizeof desc);
    return desc;
}

// ---- The block ------------------------------------------------------------------------------------------

static sinew_result make_cloud_block(uint32_t point_count, uint32_t joint_count,
                                     uint32_t influence_count, const sinew_allocator *given,
                                     sinew_cloud_binding **out, sinew_error *error)
{
    sinew_allocator allocator = sinewi_allocator(given);
    const size_t header = (sizeof(sinew_cloud_binding) + 63) / 64 * 64;
    size_t slots, weights, size;
    sinew_cloud_binding *b = NULL;
    // weights, joints and dominant joints: 4 + 2 bytes an influence, 2 a point
    if (sinewi_size_mul(point_count, influence_count, &slots) &&
        sinewi_size_mul(slots, sizeof(float), &weights) &&
        sinewi_size_add(weights, slots * sizeof(uint16_t), &size) &&
        sinewi_size_add(size, header, &size) &&
        sinewi_size_add(size, (size_t)point_count * sizeof(uint16_t), &size))
        b = sinewi_alloc(&allocator, size, 64);
    if (!b)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "",
                            "no memory to bind a cloud of %u points", (unsigned)point_count);
    *b = (sinew_cloud_binding){.point_count = point_count,
                               .joint_count = joint_count,
                               .influence_count = influence_count,
                               .weights = (float *)(void *)((char *)b + header),
                               .joints = (uint16_t *)(void *)((char *)b + header + weights),
                               .allocator = allocator,
                               .block_size = size};
    b->dominant = b->joints + slots;
    *out = b;
    return SINEW_OK;
}

void sinew_cloud_binding_destroy(sinew_cloud_binding *binding)
{
    if (!binding)
        return;
    sinew_allocator allocator = binding->allocator;
    sinewi_free(&allocator, binding, binding->block_size, 64);
}

// The heaviest joint of a point: another than the first only where it is strictly heavier.
static uint16_t dominant_of(const uint16_t *joints, const float *weights, uint32_t count)
{
    uint32_t heaviest = 0;
    for (uint32_t k = 1; k < count; k++)
        if (weights[k] > weights[heaviest])
            heaviest = k;
    return joints[heaviest];
}

static sinew_result finish_cloud(sinew_cloud_binding *b, sinew_error *error)
{
    uint8_t *used = sinewi_alloc(&b->allocator, (size_t)b->joint_count + 1, 16);
    if (!used)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory to bind a cloud");
    memset(used, 0, (size_t)b->joint_count + 1);
    for (uint32_t p = 0; p < b->point_count; p++) {
        const uint16_t *joints = b->joints + (size_t)p * b->influence_count;
        const float *weights = b->weights + (size_t)p * b->influence_count;
        b->dominant[p] = dominant_of(joints, weights, b->influence_count);
        for (uint32_t k = 0; k < b->influence_count; k++)
            if (weights[k] > 0.0f && joints[k] < b->joint_count)
                used[joints[k]] = 1;
    }
    for (uint32_t j = 0; j < b->joint_count; j++) {
        b->used_joint_count += used[j];
        b->highest_joint = used[j] ? j : b->highest_joint;
    }
    sinewi_free(&b->allocator, used, (size_t)b->joint_count + 1, 16);
    return SINEW_OK;
}

// ---- Segments -------------------------------------------------------------------------------------------

// Segments of a skeleton, and for each group those that its joints have.
typedef struct cloud_segments {
    sinewi_arena arena;
    sinewi_cloud_segments all;
    sinewi_cloud_segments *groups;     // [group_count]; count 0: all
    uint8_t **group_joints;            // [group_count][joint count] a flag each
    const sinewi_cloud_voxels *voxels; // along the body; or NULL
} cloud_segments;

static bool take_segments(sinewi_arena *arena, uint32_t count, sinewi_cloud_segments *out)
{
    float *numbers = sinewi_arena_alloc(arena, (uint64_t)count + 1, 7 * sizeof *numbers);
    uint16_t *joints = sinewi_arena_alloc(arena, (uint64_t)count + 1, sizeof *joints);
    if (!numbers || !joints)
        return false;
    const size_t step = (size_t)count + 1;
    *out = (sinewi_cloud_segments){numbers,
                                   numbers + step,
                                   numbers + 2 * step,
                                   numbers + 3 * step,
                                   numbers + 4 * step,
                                   numbers + 5 * step,
                                   numbers + 6 * step,
                                   joints,
                                   0};
    return true;
}

static void put_segment(sinewi_cloud_segments *s, uint16_t joint, sinew_vec3 a, sinew_vec3 b)
{
    // while they are made the arrays are this file's own
    float *at[] = {(float *)(uintptr_t)s->ax, (float *)(uintptr_t)s->ay, (float *)(uintptr_t)s->az,
                   (float *)(uintptr_t)s->bx, (float *)(uintptr_t)s->by, (float *)(uintptr_t)s->bz};
    const float values[] = {a.x, a.y, a.z, b.x, b.y, b.z};
    for (int i = 0; i < 6; i++)
        at[i][s->count] = values[i];
    float square = (b.x * b.x + b.y * b.y) + b.z * b.z;
    ((float *)(uintptr_t)s->inverse)[s->count] = square < CLOUD_POINT_SQUARE ? 0.0f : 1.0f / square;
    ((uint16_t *)(uintptr_t)s->joints)[s->count++] = joint;
}

static void copy_segment(sinewi_cloud_segments *to, const sinewi_cloud_segments *from, uint32_t i)
{
    put_segment(to, from->joints[i], sinew_vec3_make(from->ax[i], from->ay[i], from->az[i]),
                sinew_vec3_make(from->bx[i], from->by[i], from->bz[i]));
}

static sinew_vec3 joint_place(const sinew_mat4 *model, uint32_t joint)
{
    const float *m = model[joint].m;
    return sinew_vec3_make(m[12], m[13], m[14]);
}

// Where a joint without children ends.
static sinew_vec3 stub_of(const sinew_skeleton *skeleton, const sinew_mat4 *model, uint32_t joint)
{
    const int32_t parent = sinew_skeleton_parents(skeleton)[joint];
    if (parent < 0)
        return sinew_vec3_make(0.0f, CLOUD_STUB, 0.0f); // as from a parent 1 m away
    sinew_vec3 way =
        sinew_vec3_sub(joint_place(model, joint), joint_place(model, (uint32_t)parent));
    float length = sqrtf((way.x * way.x + way.y * way.y) + way.z * way.z);
    float stub = CLOUD_STUB * (length > CLOUD_STUB_LEAST ? length : CLOUD_STUB_LEAST);
    if (length * length < CLOUD_POINT_SQUARE)
        return sinew_vec3_make(0.0f, stub, 0.0f);
    return sinew_vec3_scale(way, stub / length);
}

// Joints stand breadth-first, so that children of one stand together behind it.
static bool make_segments(cloud_segments *s, const sinew_skeleton *skeleton,
                          const sinew_mat4 *model)
{
    const uint32_t n = sinew_skeleton_joint_count(skeleton);
    const int32_t *parents = sinew_skeleton_parents(skeleton);
    uint32_t *first_child = sinewi_arena_alloc(&s->arena, (uint64_t)n + 1, sizeof *first_child);
    if (!first_child || !take_segments(&s->arena, 2 * n, &s->all))
        return false;
    for (uint32_t j = n; j-- > 0;)
        if (parents[j] >= 0)
            first_child[parents[j]] = j;
    for (uint32_t j = 0; j < n; j++) {
        const sinew_vec3 a = joint_place(model, j);
        const uint32_t child = first_child[j];
        if (child == 0) {
            put_segment(&s->all, (uint16_t)j, a, stub_of(skeleton, model, j));
            continue;
        }
        for (uint32_t c = child; c < n; c++)
            if (parents[c] == (int32_t)j)
                put_segment(&s->all, (uint16_t)j, a, sinew_vec3_sub(joint_place(model, c), a));
            else if (parents[c] > (int32_t)j)
                break;
    }
    return true;
}

static bool make_group_segments(cloud_segments *s, const sinew_cloud_binding_desc *desc)
{
    const uint32_t n = sinew_skeleton_joint_count(desc->skeleton);
    s->groups = sinewi_arena_alloc(&s->arena, desc->group_count, sizeof *s->groups);
    s->group_joints = sinewi_arena_alloc(&s->arena, desc->group_count, sizeof *s->group_joints);
    if (!s->groups || !s->group_joints)
        return false;
    for (uint32_t g = 0; g < desc->group_count; g++) {
        const sinew_cloud_group *group = &desc->groups[g];
        uint8_t *has = sinewi_arena_alloc(&s->arena, (uint64_t)n + 1, 1);
        if (!has)
            return false;
        s->group_joints[g] = has;
        for (uint32_t k = 0; group->joints && k < group->joint_count; k++)
            if (group->joints[k] < n)
                has[group->joints[k]] = 1;
        uint32_t count = 0;
        for (uint32_t i = 0; i < s->all.count; i++)
            count += has[s->all.joints[i]];
        if (!take_segments(&s->arena, count, &s->groups[g]))
            return false;
        for (uint32_t i = 0; i < s->all.count; i++)
            if (has[s->all.joints[i]])
                copy_segment(&s->groups[g], &s->all, i);
    }
    return true;
}

// ---- Weights --------------------------------------------------------------------------------------------

// From ascending squares of distances; `found` of them.
static void weigh_nearest(const float *squares, uint32_t found, float falloff, float *out)
{
    const float nearest = sqrtf(squares[0]);
    float sum = 0.0f;
    for (uint32_t k = 1; k < found; k++) {
        float near = 1.0f - (sqrtf(squares[k]) - nearest) / falloff;
        near = near > 0.0f ? (near < 1.0f ? near : 1.0f) : 0.0f;
        const float share = 0.5f * near * near;
        if (found == 2) {
            out[1] = share;
            out[0] = 1.0f - share;
            return;
        }
        out[k] = share / (1.0f - share);
        sum += out[k];
    }
    out[0] = 1.0f / (1.0f + sum);
    for (uint32_t k = 1; k < found; k++)
        out[k] *= out[0];
}

// ---- Points, block by block -----------------------------------------------------------------------------

enum { CLOUD_RANGE = 4096 }; // points of a piece of work

typedef struct bind_job {
    const sinew_cloud_binding_desc *desc;
    const cloud_segments *segments;
    sinew_cloud_binding *binding;
    const uint32_t *order; // of points, so that those of a group stand together; NULL: as they are
    sinewi_cloud_nearest_fn nearest;
    float falloff; // 0: rigid
} bind_job;

static uint32_t group_of(const sinew_cloud_binding_desc *desc, uint32_t point)
{
    const uint32_t group = desc->point_groups ? desc->point_groups[point] : SINEW_CLOUD_NO_GROUP;
    return group < desc->group_count ? group : SINEW_CLOUD_NO_GROUP;
}

static const float *position_of(const sinew_cloud_binding_desc *desc, uint32_t point)
{
    const size_t stride = desc->position_stride ? desc->position_stride : 3 * sizeof(float);
    return (const float *)(const void *)((const char *)desc->positions + point * stride);
}

static const sinewi_cloud_segments *segments_of(const bind_job *job, uint32_t group)
{
    if (group == SINEW_CLOUD_NO_GROUP || job->segments->groups[group].count == 0)
        return &job->segments->all;
    return &job->segments->groups[group];
}

static void store_point(const bind_job *job, const sinewi_cloud_nearest *block, uint32_t lane,
                        uint32_t point)
{
    sinew_cloud_binding *b = job->binding;
    uint16_t *joints = b->joints + (size_t)point * b->influence_count;
    float *weights = b->weights + (size_t)point * b->influence_count;
    float squares[SINEW_CLOUD_MAX_INFLUENCES];
    // none is found where squares of distances leave the floats (1e19 m), and in no skeleton at all
    const uint16_t none = block->segments->count ? block->segments->joints[0] : 0;
    uint32_t found = 0;
    memset(weights, 0, b->influence_count * sizeof *weights);
    for (uint32_t k = 0; k < b->influence_count; k++) {
        const bool is_there = block->joints[k][lane] >= 0.0f;
        joints[k] = is_there ? (uint16_t)block->joints[k][lane] : found ? joints[0] : none;
        squares[k] = block->squares[k][lane];
        found += is_there;
    }
    weights[0] = 1.0f;
    if (job->falloff > 0.0f && found > 1)
        weigh_nearest(squares, found, job->falloff, weights);
}

// By the voxels, where they know the point.
static bool store_along(const bind_job *job, uint32_t group, uint32_t point)
{
    sinew_cloud_binding *b = job->binding;
    uint16_t *joints = b->joints + (size_t)point * b->influence_count;
    float *weights = b->weights + (size_t)point * b->influence_count;
    const bool grouped = group != SINEW_CLOUD_NO_GROUP && job->segments->groups[group].count;
    const uint32_t found =
        sinewi_cloud_voxels_weigh(job->segments->voxels, position_of(job->desc, point),
                                  grouped ? job->segments->group_joints[group] : NULL,
                                  job->falloff > 0.0f ? b->influence_count : 1, joints, weights);
    for (uint32_t k = found; found && k < b->influence_count; k++) {
        joints[k] = joints[0];
        weights[k] = 0.0f;
    }
    return found > 0;
}

static void bind_range(void *data, uint32_t index, uint32_t worker)
{
    const bind_job *job = data;
    const uint32_t count = job->binding->point_count;
    uint32_t at = index * CLOUD_RANGE;
    const uint32_t end = count - at < CLOUD_RANGE ? count : at + CLOUD_RANGE;
    sinewi_cloud_nearest block = {.influence_count = job->binding->influence_count};
    (void)worker;
    while (at < end) { // as many as are of one group, sixteen at most
        uint32_t points[SINEWI_CLOUD_BLOCK], n = 0, group = 0;
        for (; n < SINEWI_CLOUD_BLOCK && at + n < end; n++) {
            points[n] = job->order ? job->order[at + n] : at + n;
            const uint32_t own = group_of(job->desc, points[n]);
            if (n && own != group)
                break;
            group = own;
        }
        for (uint32_t i = 0; i < SINEWI_CLOUD_BLOCK; i++) {
            const float *p = position_of(job->desc, points[i < n ? i : n - 1]);
            block.x[i] = p[0], block.y[i] = p[1], block.z[i] = p[2];
        }
        block.segments = segments_of(job, group);
        job->nearest(&block);
        for (uint32_t i = 0; i < n; i++)
            if (!job->segments->voxels || !store_along(job, group, points[i]))
                store_point(job, &block, i, points[i]);
        at += n;
    }
}

static sinewi_cloud_nearest_fn choose_nearest(void)
{
    switch (sinew_isa_active()) {
#if defined(SINEWI_X86_KERNELS)
    case SINEW_ISA_AVX512:
        return sinewi_cloud_nearest_avx512;
    case SINEW_ISA_AVX2:
        return sinewi_cloud_nearest_avx2;
    case SINEW_ISA_SSE2:
        return sinewi_cloud_nearest_sse2;
#elif defined(SINEWI_NEON_KERNELS)
    case SINEW_ISA_NEON:
        return sinewi_cloud_nearest_neon;
#endif
    default:
        return sinewi_cloud_nearest_scalar;
    }
}

static sinew_result check_cloud(const sinew_cloud_binding_desc *desc, const sinew_mat4 *model,
                                sinew_error *error)
{
    char place[48];
    for (uint32_t j = 0; j < sinew_skeleton_joint_count(desc->skeleton); j++)
        if (!sinewi_all_finite(model[j].m, 16))
            return sinewi_error(error, SINEW_ERROR_NOT_FINITE,
                                sinew_skeleton_joint_name(desc->skeleton, j),
                                "the joint's matrix holds a number that is not finite");
    for (uint32_t p = 0; p < desc->point_count; p++)
        if (!sinewi_all_finite(position_of(desc, p), 3)) {
            snprintf(place, sizeof place, "positions[%u]", (unsigned)p);
            return sinewi_error(error, SINEW_ERROR_NOT_FINITE, place, "a coordinate is not finite");
        }
    return SINEW_OK;
}

// Points sorted by group, in their own order within one.
static sinew_result sort_by_group(cloud_segments *s, const sinew_cloud_binding_desc *desc,
                                  uint32_t **out)
{
    *out = NULL;
    if (!desc->point_groups || !desc->group_count)
        return SINEW_OK;
    uint32_t *order = sinewi_arena_room(&s->arena, desc->point_count, sizeof *order);
    uint32_t *starts =
        sinewi_arena_alloc(&s->arena, (uint64_t)desc->group_count + 2, sizeof *starts);
    if (!order || !starts)
        return SINEW_ERROR_OUT_OF_MEMORY;
    for (int pass = 0; pass < 2; pass++) { // counted, then placed
        for (uint32_t p = 0; p < desc->point_count; p++) {
            const uint32_t group = group_of(desc, p);
            const uint32_t slot = group == SINEW_CLOUD_NO_GROUP ? desc->group_count : group;
            if (pass)
                order[starts[slot]++] = p;
            else
                starts[slot + 1]++;
        }
        for (uint32_t g = 0; !pass && g < desc->group_count; g++)
            starts[g + 1] += starts[g];
    }
    *out = order;
    return SINEW_OK;
}

static sinew_result bind_cloud(const sinew_cloud_binding_desc *desc, cloud_segments *segments,
                               const sinew_mat4 *model, sinew_cloud_binding *binding,
                               sinew_error *error)
{
    uint32_t *order = NULL;
    if (!make_segments(segments, desc->skeleton, model) || !make_group_segments(segments, desc) ||
        sort_by_group(segments, desc, &order) != SINEW_OK)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory to bind a cloud");
    const bool soft = desc->falloff > 0.0f && isfinite(desc->falloff);
    if (desc->way == SINEW_CLOUD_ALONG_BODY && desc->point_count) {
        segments->voxels = sinewi_cloud_voxels_make(desc, &segments->all,
                                                    soft ? desc->falloff : 0.0f, &segments->arena);
        if (!segments->voxels)
            return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "",
                                "no memory for the voxels of a cloud");
    }
    bind_job job = {.desc = desc,
                    .segments = segments,
                    .binding = binding,
                    .order = order,
                    .nearest = choose_nearest(),
                    .falloff = soft ? desc->falloff : 0.0f};
    const uint64_t pieces = ((uint64_t)desc->point_count + CLOUD_RANGE - 1) / CLOUD_RANGE;
    sinew_parallel_for(desc->parallel, (uint32_t)pieces, bind_range, &job);
    return finish_cloud(binding, error);
}

sinew_result sinew_cloud_binding_create(const sinew_cloud_binding_desc *desc,
                                        sinew_cloud_binding **out, sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!desc || !out || !desc->skeleton || (desc->point_count && !desc->positions) ||
        desc->influence_count > SINEW_CLOUD_MAX_INFLUENCES ||
        (desc->group_count && !desc->groups) || (unsigned)desc->way > SINEW_CLOUD_ALONG_BODY ||
        !(desc->voxel_size >= 0.0f) || !isfinite(desc->voxel_size) ||
        (desc->position_stride &&
         (desc->position_stride < 12 || desc->position_stride % sizeof(float))))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "a skeleton, positions, groups and out must be given; 1 to 4 "
                            "influences; strides are multiples of 4, from 12 on; a voxel's edge "
                            "is 0 or above");
    const sinew_mat4 *model = desc->model ? desc->model : sinew_skeleton_rest_model(desc->skeleton);
    sinew_result result = check_cloud(desc, model, error);
    sinew_cloud_binding *binding = NULL;
    if (result == SINEW_OK)
        result = make_cloud_block(desc->point_count, sinew_skeleton_joint_count(desc->skeleton),
                                  desc->influence_count ? desc->influence_count : 2,
                                  &desc->allocator, &binding, error);
    if (result != SINEW_OK)
        return result;
    cloud_segments segments = {.groups = NULL};
    sinewi_arena_init(&segments.arena, &binding->allocator, 0);
    result = bind_cloud(desc, &segments, model, binding, error);
    sinewi_arena_free(&segments.arena);
    if (result == SINEW_OK)
        *out = binding;
    else
        sinew_cloud_binding_destroy(binding);
    return result;
}

// ---- Given bindings -------------------------------------------------------------------------------------

// Cleans a point's influences; false where one with weight names no joint.
static bool take_influences(const sinew_cloud_explicit_desc *desc, uint32_t point, uint16_t *joints,
                            float *weights)
{
    const uint32_t n = desc->influence_count;
    double sum = 0.0;
    for (uint32_t k = 0; k < n; k++) {
        joints[k] = desc->joints[(size_t)point * n + k];
        const float given = desc->weights ? desc->weights[(size_t)point * n + k] : 1.0f;
        weights[k] = given > 0.0f && isfinite(given) ? given : 0.0f;
        sum += (double)weights[k];
        if (weights[k] > 0.0f && joints[k] >= desc->joint_count)
            return false;
    }
    if (!(sum > 1e-6)) { // rigid to the first
        memset(weights, 0, n * sizeof *weights);
        weights[0] = 1.0f, sum = 1.0;
        if (joints[0] >= desc->joint_count)
            return false;
    }
    for (uint32_t k = 0; k < n; k++) {
        weights[k] = (float)((double)weights[k] / sum);
        if (joints[k] >= desc->joint_count) // of no weight: any joint will do
            joints[k] = 0;
    }
    return true;
}

sinew_result sinew_cloud_binding_create_explicit(const sinew_cloud_explicit_desc *desc,
                                                 sinew_cloud_binding **out, sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!desc || !out || !desc->influence_count ||
        desc->influence_count > SINEW_CLOUD_MAX_INFLUENCES || !desc->joint_count ||
        desc->joint_count > SINEW_MAX_JOINTS || (desc->point_count && !desc->joints) ||
        (!desc->weights && desc->influence_count > 1 && desc->point_count))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "joints, weights and out must be given; 1 to 4 influences; 1 to 65,535 "
                            "joints");
    sinew_cloud_binding *binding = NULL;
    sinew_result result =
        make_cloud_block(desc->point_count, desc->joint_count, desc->influence_count,
                         &desc->allocator, &binding, error);
    for (uint32_t p = 0; result == SINEW_OK && p < desc->point_count; p++) {
        const size_t at = (size_t)p * desc->influence_count;
        char place[48];
        snprintf(place, sizeof place, "joints[%u]", (unsigned)p);
        if (!take_influences(desc, p, binding->joints + at, binding->weights + at))
            result = sinewi_error(error, SINEW_ERROR_VERTEX_JOINT_RANGE, place,
                                  "a joint past the skeleton's %u", (unsigned)desc->joint_count);
    }
    if (result == SINEW_OK)
        result = finish_cloud(binding, error);
    if (result == SINEW_OK)
        *out = binding;
    else
        sinew_cloud_binding_destroy(binding);
    return result;
}

sinew_result sinew_cloud_binding_create_rigid(uint32_t point_count, uint32_t joint_count,
                                              uint16_t joint, const sinew_allocator *allocator,
                                              sinew_cloud_binding **out, sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!out || !joint_count || joint_count > SINEW_MAX_JOINTS || joint >= joint_count)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "joint %u of %u: it must be one of the skeleton's", (unsigned)joint,
                            (unsigned)joint_count);
    sinew_cloud_binding *binding = NULL;
    sinew_result result = make_cloud_block(point_count, joint_count, 1, allocator, &binding, error);
    for (uint32_t p = 0; result == SINEW_OK && p < point_count; p++) {
        binding->joints[p] = joint;
        binding->weights[p] = 1.0f;
    }
    if (result == SINEW_OK)
        result = finish_cloud(binding, error);
    if (result == SINEW_OK)
        *out = binding;
    else
        sinew_cloud_binding_destroy(binding);
    return result;
}

// ---- What they hold -------------------------------------------------------------------------------------

sinew_cloud_binding_info sinew_cloud_binding_get_info(const sinew_cloud_binding *binding)
{
    return (sinew_cloud_binding_info){.point_count = binding->point_count,
                                      .joint_count = binding->joint_count,
                                      .influence_count = binding->influence_count,
                                      .joints = binding->joints,
                                      .weights = binding->weights,
                                      .dominant = binding->dominant,
                                      .used_joint_count = binding->used_joint_count,
                                      .highest_joint = binding->highest_joint};
}

// A full, light colour of a hue of 0 to 1.
static sinew_vec3 hue_color(float hue)
{
    float rgb[3];
    for (int i = 0; i < 3; i++) { // three tents a third of the circle apart
        float away = fabsf(hue - (float)i / 3.0f);
        away = away > 0.5f ? 1.0f - away : away;
        float part = 2.0f - 6.0f * away;
        rgb[i] = 0.05f + 0.9f * (part > 0.0f ? (part < 1.0f ? part : 1.0f) : 0.0f);
    }
    return sinew_vec3_make(rgb[0], rgb[1], rgb[2]);
}

sinew_result sinew_cloud_binding_colors(const sinew_cloud_binding *binding, float *out,
                                        size_t out_size)
{
    if (!binding || (binding->point_count && !out))
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (out_size < binding->point_count)
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    for (uint32_t p = 0; p < binding->point_count; p++) {
        sinew_vec3 color = sinew_vec3_make(0.0f, 0.0f, 0.0f);
        for (uint32_t k = 0; k < binding->influence_count; k++) {
            const size_t at = (size_t)p * binding->influence_count + k;
            float turns = (float)binding->joints[at] * 0.61803399f;
            color = sinew_vec3_add(
                color, sinew_vec3_scale(hue_color(turns - floorf(turns)), binding->weights[at]));
        }
        memcpy(out + 3 * (size_t)p, &color, sizeof color);
    }
    return SINEW_OK;
}

sinew_result sinew_cloud_make_skin(const sinew_skeleton *skeleton, const sinew_mat4 *model,
                                   const sinew_allocator *given, sinew_skin **out,
                                   sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!skeleton || !out)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "a skeleton and out must be given");
    const uint32_t n = sinew_skeleton_joint_count(skeleton);
    const sinew_allocator allocator = sinewi_allocator(given);
    const sinew_mat4 *stand = model ? model : sinew_skeleton_rest_model(skeleton);
    sinewi_arena arena;
    sinewi_arena_init(&arena, &allocator, 0);
    uint16_t *joints = sinewi_arena_alloc(&arena, n, sizeof *joints);
    sinew_mat4 *inverses = sinewi_arena_alloc(&arena, n, sizeof *inverses);
    sinew_result result = joints && inverses ? SINEW_OK : SINEW_ERROR_OUT_OF_MEMORY;
    if (result != SINEW_OK)
        sinewi_error(error, result, "", "no memory for a skin");
    for (uint32_t j = 0; result == SINEW_OK && j < n; j++) {
        joints[j] = (uint16_t)j;
        if (!sinew_mat4_inverse(&stand[j], &inverses[j]))
            result = sinewi_error(error, SINEW_ERROR_SINGULAR_MATRIX,
                                  sinew_skeleton_joint_name(skeleton, j),
                                  "the joint's matrix at binding has no inverse");
    }
    if (result == SINEW_OK)
        result = sinew_skin_create(&(sinew_skin_desc){.skeleton = skeleton,
                                                      .joints = joints,
                                                      .inverse_binds = inverses,
                                                      .joint_count = n,
                                                      .allocator = allocator},
                                   out, error);
    sinewi_arena_free(&arena);
    return result;
}
