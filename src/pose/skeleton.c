// SPDX-License-Identifier: MIT
// Building skeletons: checks, breadth-first order, both maps, and a hash table of names, all in one
// block.
//
// Breadth-first order makes siblings neighbours, which hides the latency of the matrix products of
// local -> model, and makes every subtree one run of joints a level.
#include "pose/skeleton_internal.h"

#include <math.h>
#include <string.h>

#include "core/quaternion.h"

sinew_skeleton_desc sinew_skeleton_desc_default(void)
{
    sinew_skeleton_desc desc;
    memset(&desc, 0, sizeof desc);
    return desc;
}

static const char *joint_desc_name(const sinew_joint_desc *joint)
{
    return joint->name ? joint->name : "";
}

// "joint 3 (Hips)", the place of an error
static sinew_result joint_error(sinew_error *error, sinew_result code,
                                const sinew_skeleton_desc *desc, uint32_t i, const char *what)
{
    const char *name = joint_desc_name(&desc->joints[i]);
    char path[SINEW_ERROR_PATH_SIZE];
    sinewi_copy_text(path, sizeof path, name);
    return sinewi_error(error, code, path, "joint %u (%s): %s", i, name, what);
}

static sinew_result check_joints(const sinew_skeleton_desc *desc, sinew_error *error)
{
    uint32_t accumulating = 0;
    for (uint32_t i = 0; i < desc->joint_count; i++) {
        const sinew_joint_desc *joint = &desc->joints[i];
        const float numbers[] = {joint->rest.translation.x,
                                 joint->rest.translation.y,
                                 joint->rest.translation.z,
                                 joint->rest.rotation.x,
                                 joint->rest.rotation.y,
                                 joint->rest.rotation.z,
                                 joint->rest.rotation.w,
                                 joint->rest.scale.x,
                                 joint->rest.scale.y,
                                 joint->rest.scale.z,
                                 joint->shear.x,
                                 joint->shear.y,
                                 joint->shear.z};
        if (!sinewi_all_finite(numbers, sizeof numbers / sizeof *numbers))
            return joint_error(error, SINEW_ERROR_NOT_FINITE, desc, i,
                               "the rest transform is not finite");
        float q[4] = {joint->rest.rotation.x, joint->rest.rotation.y, joint->rest.rotation.z,
                      joint->rest.rotation.w};
        if (sinewi_normalize_rotation(q) < 0.0)
            return joint_error(error, SINEW_ERROR_ZERO_QUATERNION, desc, i,
                               "the rest rotation is the zero quaternion");
        if (joint->parent < -1 || joint->parent >= (int64_t)desc->joint_count)
            return joint_error(error, SINEW_ERROR_JOINT_PARENT, desc, i,
                               "its parent does not exist");
        if (joint->parent == (int64_t)i)
            return joint_error(error, SINEW_ERROR_JOINT_CYCLE, desc, i, "it is its own parent");
        if ((unsigned)joint->scale_rule > SINEW_SCALE_COMPENSATE)
            return joint_error(error, SINEW_ERROR_INVALID_ARGUMENT, desc, i,
                               "its scale rule does not exist");
        accumulating += joint->scale_rule == SINEW_SCALE_ACCUMULATE;
        if (accumulating != 0 && accumulating != i + 1)
            return joint_error(error, SINEW_ERROR_INVALID_ARGUMENT, desc, i,
                               "SINEW_SCALE_ACCUMULATE is for all joints of a skeleton or none");
    }
    return SINEW_OK;
}

// order[k]: the input that becomes joint k. Breadth-first from the roots, siblings as given: a
// counting sort by parent puts children in runs, and the queue is the order itself.
static sinew_result order_breadth_first(const sinew_skeleton_desc *desc, uint32_t *order,
                                        uint32_t *starts, uint32_t *children, sinew_error *error)
{
    uint32_t n = desc->joint_count;
    memset(starts, 0, ((size_t)n + 2) * sizeof *starts);
    for (uint32_t i = 0; i < n; i++) // slot 0 is for roots, slot p + 1 for the children of p
        starts[desc->joints[i].parent + 2]++;
    for (uint32_t i = 0; i <= n; i++)
        starts[i + 1] += starts[i];
    for (uint32_t i = 0; i < n; i++)
        children[starts[desc->joints[i].parent + 1]++] = i;
    for (uint32_t i = n + 1; i > 0;
         i--) // filling moved every start to its end, which is the next one's start
        starts[i] = starts[i - 1];
    starts[0] = 0;
    uint32_t count = 0;
    for (uint32_t k = starts[0]; k < starts[1]; k++)
        order[count++] = children[k];
    for (uint32_t at = 0; at < count; at++)
        for (uint32_t k = starts[order[at] + 1]; k < starts[order[at] + 2]; k++)
            order[count++] = children[k];
    if (count == n)
        return SINEW_OK;
    // Some joint never hangs under a root. Going up from it n times ends inside the cycle.
    memset(starts, 0, (size_t)n * sizeof *starts);
    for (uint32_t k = 0; k < count; k++)
        starts[order[k]] = 1;
    uint32_t lost = 0;
    while (starts[lost])
        lost++;
    for (uint32_t k = 0; k < n; k++)
        lost = (uint32_t)desc->joints[lost].parent;
    return joint_error(error, SINEW_ERROR_JOINT_CYCLE, desc, lost, "its parents form a cycle");
}

// The slot of a name: where its first joint stands, or the free one where it would.
static uint32_t find_name_slot(const sinew_skeleton *skeleton, const char *name)
{
    uint32_t mask = skeleton->name_table_size - 1;
    uint32_t slot = sinewi_hash_text(name) & mask;
    while (skeleton->name_table[slot] &&
           strcmp(skeleton->names[skeleton->name_table[slot] - 1], name) != 0)
        slot = (slot + 1) & mask;
    return slot;
}

// Carves arrays out of a block, or, without one, only adds their sizes up. Sizes are bounded:
// 65,535 joints of some 200 bytes and names, which are in memory already.
typedef struct block_cursor {
    char *block;
    size_t used;
} block_cursor;

static void *carve(block_cursor *cursor, size_t count, size_t size)
{
    size_t at = (cursor->used + 15) / 16 * 16;
    cursor->used = at + count * size;
    return cursor->block ? cursor->block + at : NULL;
}

static void lay_out_skeleton(sinew_skeleton *s, block_cursor *cursor)
{
    size_t n = s->joint_count;
    carve(cursor, 1, sizeof *s);
    cursor->used = (cursor->used + 63) / 64 * 64; // kernels compare one cache line a matrix
    s->rest_model = carve(cursor, n, sizeof *s->rest_model);
    s->rest_planes = carve(cursor, sinew_pose_size(s->joint_count), 1); // 64-byte aligned, too
    s->rest = carve(cursor, n, sizeof *s->rest);
    s->parents = carve(cursor, n, sizeof *s->parents);
    s->nodes = carve(cursor, n, sizeof *s->nodes);
    s->child_start = carve(cursor, n + 1, sizeof *s->child_start);
    s->shear = s->has_shear ? carve(cursor, n, sizeof *s->shear) : NULL;
    s->scale_rules = carve(cursor, n, sizeof *s->scale_rules);
    s->joint_of_input = carve(cursor, n, sizeof *s->joint_of_input);
    s->by_node = carve(cursor, n, sizeof *s->by_node);
    s->name_table = carve(cursor, s->name_table_size, sizeof *s->name_table);
    s->names = carve(cursor, n, sizeof *s->names);
}

static bool joint_is_behind(const void *nodes, uint32_t a, uint32_t b)
{
    return ((const int32_t *)nodes)[a] > ((const int32_t *)nodes)[b];
}

static sinew_result fill_skeleton(sinew_skeleton *s, const sinew_skeleton_desc *desc,
                                  uint32_t *order, char *text, uint32_t *scratch)
{
    uint32_t n = s->joint_count;
    for (uint32_t j = 0; j < n; j++)
        s->joint_of_input[order[j]] = (uint16_t)j;
    for (uint32_t j = 0; j < n; j++) {
        const sinew_joint_desc *joint = &desc->joints[order[j]];
        s->parents[j] = joint->parent < 0 ? -1 : s->joint_of_input[joint->parent];
        s->nodes[j] = joint->node < 0 ? -1 : joint->node;
        s->scale_rules[j] = (uint8_t)joint->scale_rule;
        if (s->shear)
            s->shear[j] = joint->shear;
        float q[4] = {joint->rest.rotation.x, joint->rest.rotation.y, joint->rest.rotation.z,
                      joint->rest.rotation.w};
        s->normalized_count += sinewi_normalize_rotation(q) > SINEWI_UNIT_TOLERANCE;
        s->rest[j] = joint->rest;
        s->rest[j].rotation = sinew_quat_make(q[0], q[1], q[2], q[3]);
        const char *name = joint_desc_name(joint);
        size_t size = strlen(name) + 1;
        memcpy(text, name, size);
        s->names[j] = text;
        text += size;
    }
    memset(s->name_table, 0, s->name_table_size * sizeof *s->name_table);
    for (uint32_t j = 0; j < n; j++) {
        uint32_t slot = find_name_slot(s, s->names[j]);
        if (!s->name_table[slot])
            s->name_table[slot] = j + 1;
    }
    for (uint32_t j = 0; j < n; j++) // the order has been used: its room serves for the next one
        order[j] = j;
    sinewi_sort(order, scratch, n, joint_is_behind, s->nodes);
    for (uint32_t j = 0; j < n; j++)
        s->by_node[j] = (uint16_t)order[j];
    // Children of joints are runs in the order of their parents, behind all roots.
    uint32_t child = 0;
    while (child < n && s->parents[child] < 0)
        child++;
    for (uint32_t j = 0; j < n; j++) {
        s->child_start[j] = child;
        while (child < n && s->parents[child] == (int32_t)j)
            child++;
    }
    s->child_start[n] = child;
    return SINEW_OK;
}

// The rest pose's planes, and its model matrices, through the one function that poses go through,
// so that the bits are the same.
static sinew_result fill_rest_model(sinew_skeleton *s)
{
    if (s->joint_count == 0)
        return SINEW_OK;
    size_t model_size = s->joint_count * sizeof(sinew_mat4);
    sinew_mat4 *inherit = sinewi_alloc(&s->allocator, model_size, 16);
    if (!inherit)
        return SINEW_ERROR_OUT_OF_MEMORY;
    sinew_pose pose;
    sinew_result result =
        sinew_pose_init(&pose, s->joint_count, s->rest_planes, sinew_pose_size(s->joint_count));
    for (uint32_t j = 0; j < s->joint_count; j++)
        sinew_pose_set(&pose, j, &s->rest[j]);
    if (result == SINEW_OK)
        result = sinew_local_to_model(&(sinew_local_to_model_args){.skeleton = s,
                                                                   .pose = &pose,
                                                                   .out_model = s->rest_model,
                                                                   .out_inherit = inherit,
                                                                   .out_count = s->joint_count});
    sinewi_free(&s->allocator, inherit, model_size, 16);
    return result;
}

sinew_result sinew_skeleton_create(const sinew_skeleton_desc *desc, sinew_skeleton **out,
                                   sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!desc || !out || (desc->joint_count && !desc->joints))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "the desc, its joints and out must be given");
    if (desc->joint_count > SINEW_MAX_JOINTS)
        return sinewi_error(error, SINEW_ERROR_TOO_MANY_JOINTS, "",
                            "%u joints; a skeleton holds at most %d", desc->joint_count,
                            SINEW_MAX_JOINTS);
    sinew_result result = check_joints(desc, error);
    if (result != SINEW_OK)
        return result;

    sinew_skeleton plan;
    memset(&plan, 0, sizeof plan);
    plan.joint_count = desc->joint_count;
    plan.allocator = sinewi_allocator(&desc->allocator);
    plan.all_inherit = true;
    plan.accumulate = desc->joint_count > 0;
    plan.name_table_size = 2;
    while (plan.name_table_size < 2 * desc->joint_count)
        plan.name_table_size *= 2;
    size_t text_size = 1;
    for (uint32_t i = 0; i < desc->joint_count; i++) {
        const sinew_joint_desc *joint = &desc->joints[i];
        plan.has_shear |=
            joint->shear.x != 0.0f || joint->shear.y != 0.0f || joint->shear.z != 0.0f;
        plan.all_inherit &= joint->scale_rule == SINEW_SCALE_INHERIT;
        plan.accumulate &= joint->scale_rule == SINEW_SCALE_ACCUMULATE;
        if (!sinewi_size_add(text_size, strlen(joint_desc_name(joint)) + 1, &text_size))
            return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "",
                                "the names do not fit into memory");
    }
    block_cursor cursor = {NULL, 0};
    lay_out_skeleton(&plan, &cursor);
    if (!sinewi_size_add(cursor.used, text_size, &plan.block_size))
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "",
                            "the names do not fit into memory");

    size_t scratch_size = ((size_t)desc->joint_count * 3 + 2) * sizeof(uint32_t);
    uint32_t *scratch = sinewi_alloc(&plan.allocator, scratch_size, 16);
    if (!scratch)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory for %u joints",
                            desc->joint_count);
    uint32_t *order = scratch, *children = scratch + desc->joint_count,
             *starts = children + desc->joint_count;
    result = order_breadth_first(desc, order, starts, children, error);
    sinew_skeleton *s = NULL;
    if (result == SINEW_OK) {
        s = sinewi_alloc(&plan.allocator, plan.block_size, SINEW_BLOCK_ALIGN);
        if (!s)
            result = sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory for %u joints",
                                  desc->joint_count);
    }
    if (s) {
        cursor.block = (char *)s;
        cursor.used = 0;
        lay_out_skeleton(&plan, &cursor);
        *s = plan;
        result = fill_skeleton(s, desc, order, (char *)s + cursor.used, children);
        if (result == SINEW_OK)
            result = fill_rest_model(s);
        if (result != SINEW_OK) {
            sinewi_error(error, result, "", "%s", sinew_result_message(result));
            sinew_skeleton_destroy(s);
            s = NULL;
        }
    }
    sinewi_free(&plan.allocator, scratch, scratch_size, 16);
    *out = s;
    return result;
}

void sinew_skeleton_destroy(sinew_skeleton *skeleton)
{
    if (!skeleton)
        return;
    sinew_allocator allocator = skeleton->allocator;
    sinewi_free(&allocator, skeleton, skeleton->block_size, SINEW_BLOCK_ALIGN);
}

// ---- Reading ----------------------------------------------------------------------------------------------

uint32_t sinew_skeleton_joint_count(const sinew_skeleton *skeleton)
{
    return skeleton ? skeleton->joint_count : 0;
}

const char *sinew_skeleton_joint_name(const sinew_skeleton *skeleton, uint32_t joint)
{
    return skeleton && joint < skeleton->joint_count ? skeleton->names[joint] : "";
}

const int32_t *sinew_skeleton_parents(const sinew_skeleton *skeleton)
{
    return skeleton ? skeleton->parents : NULL;
}

const sinew_transform *sinew_skeleton_rest(const sinew_skeleton *skeleton)
{
    return skeleton ? skeleton->rest : NULL;
}

const sinew_mat4 *sinew_skeleton_rest_model(const sinew_skeleton *skeleton)
{
    return skeleton ? skeleton->rest_model : NULL;
}

const int32_t *sinew_skeleton_nodes(const sinew_skeleton *skeleton)
{
    return skeleton ? skeleton->nodes : NULL;
}

int32_t sinew_skeleton_joint_of_node(const sinew_skeleton *skeleton, int32_t node)
{
    if (!skeleton)
        return -1;
    if (node < 0)
        return -1;
    uint32_t low = 0, high = skeleton->joint_count; // the first joint whose node is not below
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (skeleton->nodes[skeleton->by_node[middle]] < node)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == skeleton->joint_count || skeleton->nodes[skeleton->by_node[low]] != node)
        return -1;
    return skeleton->by_node[low];
}

const uint16_t *sinew_skeleton_joint_of_input(const sinew_skeleton *skeleton)
{
    return skeleton ? skeleton->joint_of_input : NULL;
}

sinew_scale_rule sinew_skeleton_scale_rule(const sinew_skeleton *skeleton, uint32_t joint)
{
    return skeleton && joint < skeleton->joint_count
               ? (sinew_scale_rule)skeleton->scale_rules[joint]
               : SINEW_SCALE_INHERIT;
}

sinew_vec3 sinew_skeleton_shear(const sinew_skeleton *skeleton, uint32_t joint)
{
    return skeleton && skeleton->shear && joint < skeleton->joint_count ? skeleton->shear[joint]
                                                                        : sinew_vec3_make(0, 0, 0);
}

uint32_t sinew_skeleton_normalized_count(const sinew_skeleton *skeleton)
{
    return skeleton ? skeleton->normalized_count : 0;
}

int32_t sinew_skeleton_find_joint(const sinew_skeleton *skeleton, const char *name)
{
    if (!skeleton || !name)
        return -1;
    return (int32_t)skeleton->name_table[find_name_slot(skeleton, name)] - 1;
}

int32_t sinew_skeleton_find_joint_logged(const sinew_skeleton *skeleton, const char *name)
{
    int32_t joint = sinew_skeleton_find_joint(skeleton, name);
    if (joint < 0)
        sinewi_log(SINEW_LOG_WARNING, "the skeleton has no joint named '%s'",
                   name ? name : "(null)");
    return joint;
}
