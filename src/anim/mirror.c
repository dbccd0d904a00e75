// SPDX-License-Identifier: MIT
// Mirroring through deltas in the model frame. A reflection P of the plane's axis is a
// homomorphism, P (A B) P = (P A P)(P B P), and a joint's turn in the model since rest is the
// product of the deltas from its root down; so reflecting each joint's delta and handing it to the
// partner reflects the whole in the model, and no joint needs another's result. That makes the call
// order-free, exact twice over, and free of scratch.
//
// P D P of a rotation: its axis is a pseudovector, so the component across the plane stays and the
// two in it change sign.
#include "sinew/mirror.h"

#include <string.h>

#include "anim/side_names.h"
#include "pose/model_frames.h"
#include "pose/pose_fits.h"

typedef struct mirror_joint {
    sinewi_frame frame;
    sinew_vec3 rest_scale; // 1 where it is 0
    uint16_t partner;
    uint8_t kind;
    uint8_t from_axis[3]; // which of the partner's axes lies where x y z of this joint do
} mirror_joint;

struct sinew_mirror {
    const sinew_skeleton *skeleton;
    uint32_t joint_count, pair_count, lonely_count;
    sinew_mirror_axis axis;
    mirror_joint *joints;
    uint16_t *lonely;
    sinew_allocator allocator;
    size_t block_size;
};

static sinewi_rotation reflect_rotation(sinewi_rotation q, sinew_mirror_axis axis)
{
    q.x = axis == SINEW_MIRROR_X ? q.x : -q.x;
    q.y = axis == SINEW_MIRROR_Y ? q.y : -q.y;
    q.z = axis == SINEW_MIRROR_Z ? q.z : -q.z;
    return q;
}

static sinewi_vec reflect_vec(sinewi_vec v, sinew_mirror_axis axis)
{
    v.x = axis == SINEW_MIRROR_X ? -v.x : v.x;
    v.y = axis == SINEW_MIRROR_Y ? -v.y : v.y;
    v.z = axis == SINEW_MIRROR_Z ? -v.z : v.z;
    return v;
}

// ---- Partners by name -------------------------------------------------------------------------------------

enum { NO_PARTNER = 65535 }; // joint 65,534 is the last

/// What pairing works on: partners so far, and room for two names.
typedef struct pairing {
    const sinew_skeleton *skeleton;
    mirror_joint *joints;
    char *text, *other_text;
} pairing;

static bool is_paired(const pairing *p, uint32_t joint)
{
    return p->joints[joint].partner != NO_PARTNER;
}

// The partner of a joint's parent is the parent of its partner, all the way up: one depth, and
// where the two chains meet, no joint from there on has a partner but itself. Joints that have none
// yet are let pass.
static bool may_be_partners(const pairing *p, uint32_t a, uint32_t b)
{
    const int32_t *parents = p->skeleton->parents;
    if (a == b || is_paired(p, a) || is_paired(p, b))
        return false;
    int32_t x = parents[a], y = parents[b];
    for (; x >= 0 && y >= 0; x = parents[x], y = parents[y]) {
        uint32_t of_x = p->joints[x].partner, of_y = p->joints[y].partner;
        if (of_x == (uint32_t)y)
            return true; // what is above has been looked at when they became partners
        if ((of_x != NO_PARTNER && of_x != (uint32_t)y) ||
            (of_y != NO_PARTNER && of_y != (uint32_t)x))
            return false;
    }
    return x == y; // both past their roots
}

static void make_partners(const pairing *p, uint32_t a, uint32_t b)
{
    p->joints[a].partner = (uint16_t)b;
    p->joints[b].partner = (uint16_t)a;
    p->joints[a].kind = p->joints[b].kind = SINEW_MIRROR_PAIRED;
}

static bool pair_by_swapped_name(const pairing *p, uint32_t joint, const sinewi_side_mark *marks,
                                 uint32_t mark_count)
{
    sinewi_swap_sides(p->skeleton->names[joint], marks, mark_count, p->text);
    int32_t first = sinew_skeleton_find_joint(p->skeleton, p->text);
    // several joints may share the name: the first that fits
    for (uint32_t other = first < 0 ? p->skeleton->joint_count : (uint32_t)first;
         other < p->skeleton->joint_count; other++)
        if (strcmp(p->skeleton->names[other], p->text) == 0 && may_be_partners(p, joint, other)) {
            make_partners(p, joint, other);
            return true;
        }
    return false;
}

static bool pair_by_name(const pairing *p, uint32_t joint)
{
    for (int rule = 0; rule < SINEWI_SIDE_RULES; rule++) {
        sinewi_side_mark marks[SINEWI_SIDE_MARKS];
        uint32_t count = sinewi_find_side_marks(p->skeleton->names[joint], rule, marks);
        if (count > 1 && pair_by_swapped_name(p, joint, marks, count))
            return true;
        for (uint32_t i = count; i > 0; i--)
            if (pair_by_swapped_name(p, joint, &marks[i - 1], 1))
                return true;
    }
    return false;
}

// The side that a name says surely, by the last mark of the first of the first three rules that has
// any.
static sinewi_side side_of_name(const char *name, sinewi_side_mark *out_mark)
{
    for (int rule = SINEWI_SIDE_WORD; rule <= SINEWI_SIDE_STEP; rule++) {
        sinewi_side_mark marks[SINEWI_SIDE_MARKS];
        uint32_t count = sinewi_find_side_marks(name, rule, marks);
        if (count) {
            *out_mark = marks[count - 1];
            return out_mark->side;
        }
    }
    return SINEWI_SIDE_NONE;
}

// The letters of a name without its mark: no side, no numbers.
static sinewi_side strip_name(const char *name, char *out)
{
    sinewi_side_mark mark = {0, 0, SINEWI_SIDE_NONE};
    sinewi_side side = side_of_name(name, &mark);
    for (size_t i = 0; name[i]; i++) {
        bool marked = i >= mark.at && i < mark.at + mark.length;
        bool letter = (name[i] >= 'a' && name[i] <= 'z') || (name[i] >= 'A' && name[i] <= 'Z');
        if (letter && !marked)
            *out++ = name[i];
    }
    *out = '\0';
    return side;
}

// Siblings are compared with each other; a joint with more children is no limb, but a file with
// thousands of nodes.
enum { MAX_SIBLINGS = 1024 };

// The only joint without a partner below `parent` whose name is that of `joint` but for side and
// numbers, on that side; joint_count where there is none or more than one.
static uint32_t find_only_child(const pairing *p, int32_t parent, const char *stripped,
                                sinewi_side side)
{
    const sinew_skeleton *s = p->skeleton;
    uint32_t first = parent < 0 ? 0 : s->child_start[parent];
    uint32_t end =
        parent < 0 ? (s->joint_count ? s->child_start[0] : 0) : s->child_start[parent + 1];
    uint32_t found = s->joint_count;
    if (end - first > MAX_SIBLINGS)
        return found;
    for (uint32_t j = first; j < end; j++) {
        if (is_paired(p, j) || strip_name(s->names[j], p->other_text) != side ||
            strcmp(p->other_text, stripped) != 0)
            continue;
        if (found != s->joint_count)
            return s->joint_count;
        found = j;
    }
    return found;
}

static void pair_by_place(const pairing *p, uint32_t joint)
{
    sinewi_side side = strip_name(p->skeleton->names[joint], p->text);
    if (side == SINEWI_SIDE_NONE)
        return;
    int32_t parent = p->skeleton->parents[joint], beyond = parent;
    if (parent >= 0 && is_paired(p, (uint32_t)parent))
        beyond = p->joints[parent].partner;
    if (find_only_child(p, parent, p->text, side) != joint)
        return;
    uint32_t other = find_only_child(
        p, beyond, p->text, side == SINEWI_SIDE_LEFT ? SINEWI_SIDE_RIGHT : SINEWI_SIDE_LEFT);
    if (other < p->skeleton->joint_count && may_be_partners(p, joint, other))
        make_partners(p, joint, other);
}

// Parents come first, and joints of one depth are neighbours: each level by names, then what is
// left of it by place.
static void find_partners(const pairing *p)
{
    const sinew_skeleton *s = p->skeleton;
    uint32_t first = 0, end = s->joint_count ? s->child_start[0] : 0;
    while (first < end) {
        for (uint32_t j = first; j < end; j++)
            if (!is_paired(p, j))
                pair_by_name(p, j);
        for (uint32_t j = first; j < end; j++)
            if (!is_paired(p, j))
                pair_by_place(p, j);
        uint32_t next_first = s->child_start[first], next_end = s->child_start[end];
        first = next_first;
        end = next_end;
    }
    for (uint32_t j = 0; j < s->joint_count; j++) {
        sinewi_side_mark mark;
        if (is_paired(p, j))
            continue;
        p->joints[j].partner = (uint16_t)j;
        p->joints[j].kind = side_of_name(s->names[j], &mark) != SINEWI_SIDE_NONE
                                ? SINEW_MIRROR_LONELY
                                : SINEW_MIRROR_CENTRE;
    }
}

// ---- Making -----------------------------------------------------------------------------------------------

static sinew_result take_partners(sinew_mirror *mirror, const uint16_t *partners,
                                  sinew_error *error)
{
    for (uint32_t j = 0; j < mirror->joint_count; j++) {
        uint32_t other = partners[j];
        const char *name = mirror->skeleton->names[j];
        if (other >= mirror->joint_count)
            return sinewi_error(error, SINEW_ERROR_INDEX_RANGE, name,
                                "joint %u has partner %u; there are %u joints", j, other,
                                mirror->joint_count);
        if (partners[other] != j)
            return sinewi_error(error, SINEW_ERROR_COUNT_MISMATCH, name,
                                "joint %u has partner %u, whose partner is %u", j, other,
                                partners[other]);
        mirror->joints[j].partner = (uint16_t)other;
        mirror->joints[j].kind = other == j ? SINEW_MIRROR_CENTRE : SINEW_MIRROR_PAIRED;
    }
    return SINEW_OK;
}

// Which of the partner's axes, reflected, comes nearest to each axis of the joint: the assignment
// with the largest sum of |cosines|. Of a joint with itself only those that are their own inverse
// count, so that twice is once and back.
static void match_axes(sinew_mirror *mirror, uint32_t joint)
{
    static const uint8_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {2, 1, 0},
                                         {1, 0, 2}, {1, 2, 0}, {2, 0, 1}};
    mirror_joint *a = &mirror->joints[joint], *b = &mirror->joints[a->partner];
    sinewi_rotation qa = sinewi_rotation_mul(a->frame.parent,
                                             sinewi_rotation_from(a->frame.rotation)),
                    qb = sinewi_rotation_mul(b->frame.parent,
                                             sinewi_rotation_from(b->frame.rotation));
    double cosine[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            sinewi_vec ei = {i == 0, i == 1, i == 2}, ek = {k == 0, k == 1, k == 2};
            cosine[i][k] =
                fabs(sinewi_vec_dot(sinewi_rotation_turn(qa, ei),
                                    reflect_vec(sinewi_rotation_turn(qb, ek), mirror->axis)));
        }
    int best = 0;
    double best_sum = -1.0;
    for (int o = 0; o < (a == b ? 4 : 6); o++) {
        double sum = (cosine[0][orders[o][0]] + cosine[1][orders[o][1]]) + cosine[2][orders[o][2]];
        if (sum > best_sum + 1e-6) { // of equal ones the first: the axes as they are
            best = o;
            best_sum = sum;
        }
    }
    for (int i = 0; i < 3; i++) {
        a->from_axis[i] = orders[best][i];
        b->from_axis[orders[best][i]] = (uint8_t)i;
    }
}

static sinew_result fill_mirror(sinew_mirror *mirror, const sinew_mirror_desc *desc,
                                sinewi_frame *frames, char *text, size_t text_size,
                                sinew_error *error)
{
    const sinew_skeleton *s = mirror->skeleton;
    sinew_result result = sinewi_fill_frames(s, desc->rest, frames);
    if (result != SINEW_OK)
        return sinewi_error(error, result, "", "the rest pose: %s", sinew_result_message(result));
    for (uint32_t j = 0; j < s->joint_count; j++) {
        mirror_joint *joint = &mirror->joints[j];
        sinew_vec3 scale = desc->rest ? sinew_pose_get(desc->rest, j).scale : s->rest[j].scale;
        joint->frame = frames[j];
        joint->rest_scale =
            sinew_vec3_make(scale.x != 0.0f ? scale.x : 1.0f, scale.y != 0.0f ? scale.y : 1.0f,
                            scale.z != 0.0f ? scale.z : 1.0f);
        joint->partner = NO_PARTNER;
        joint->kind = SINEW_MIRROR_CENTRE;
    }
    if (desc->partners) {
        result = take_partners(mirror, desc->partners, error);
        if (result != SINEW_OK)
            return result;
    } else {
        pairing p = {s, mirror->joints, text, text + text_size / 2};
        find_partners(&p);
    }
    for (uint32_t j = 0; j < s->joint_count; j++) {
        if (mirror->joints[j].partner >= j)
            match_axes(mirror, j);
        mirror->pair_count += mirror->joints[j].partner > j;
        if (mirror->joints[j].kind == SINEW_MIRROR_LONELY)
            mirror->lonely[mirror->lonely_count++] = (uint16_t)j;
    }
    return SINEW_OK;
}

sinew_mirror_desc sinew_mirror_desc_default(void)
{
    sinew_mirror_desc desc;
    memset(&desc, 0, sizeof desc);
    return desc;
}

sinew_result sinew_mirror_create(const sinew_mirror_desc *desc, sinew_mirror **out,
                                 sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!desc || !out || !desc->skeleton || (unsigned)desc->axis > SINEW_MIRROR_Z ||
        (desc->rest && !sinewi_pose_fits(desc->rest, desc->skeleton->joint_count)))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "the desc, its skeleton and out must be given, the axis be one of "
                            "three, and a rest pose have the skeleton's joints");
    const sinew_skeleton *s = desc->skeleton;
    size_t longest = 0;
    for (uint32_t j = 0; j < s->joint_count; j++) {
        size_t length = strlen(s->names[j]);
        longest = length > longest ? length : longest;
    }
    // each of two names may grow by a letter a mark
    size_t text_size = 2 * (longest + SINEWI_SIDE_MARKS + 1);
    size_t frames_size = (s->joint_count + 1) * sizeof(sinewi_frame);
    size_t joints_at = (sizeof(sinew_mirror) + 15) / 16 * 16;
    size_t lonely_at = joints_at + s->joint_count * sizeof(mirror_joint);
    size_t size = lonely_at + s->joint_count * sizeof(uint16_t);
    sinew_allocator allocator = sinewi_allocator(&desc->allocator);
    char *work = sinewi_alloc(&allocator, frames_size + text_size, 16);
    char *block = work ? sinewi_alloc(&allocator, size, 16) : NULL;
    sinew_result result = SINEW_ERROR_OUT_OF_MEMORY;
    if (block) {
        sinew_mirror *mirror = (sinew_mirror *)(void *)block;
        memset(block, 0, size);
        mirror->skeleton = s;
        mirror->joint_count = s->joint_count;
        mirror->axis = desc->axis;
        mirror->joints = (mirror_joint *)(void *)(block + joints_at);
        mirror->lonely = (uint16_t *)(void *)(block + lonely_at);
        mirror->allocator = allocator;
        mirror->block_size = size;
        result = fill_mirror(mirror, desc, (sinewi_frame *)(void *)work, work + frames_size,
                             text_size, error);
        if (result == SINEW_OK)
            *out = mirror;
        else
            sinew_mirror_destroy(mirror);
    } else {
        sinewi_error(error, result, "", "no memory for %u joints", s->joint_count);
    }
    sinewi_free(&allocator, work, frames_size + text_size, 16);
    return result;
}

void sinew_mirror_destroy(sinew_mirror *mirror)
{
    if (!mirror)
        return;
    sinew_allocator allocator = mirror->allocator;
    sinewi_free(&allocator, mirror, mirror->block_size, 16);
}

uint32_t sinew_mirror_partner(const sinew_mirror *mirror, uint32_t joint)
{
    return mirror && joint < mirror->joint_count ? mirror->joints[joint].partner : joint;
}

sinew_mirror_kind sinew_mirror_joint_kind(const sinew_mirror *mirror, uint32_t joint)
{
    return mirror && joint < mirror->joint_count ? (sinew_mirror_kind)mirror->joints[joint].kind
                                                 : SINEW_MIRROR_CENTRE;
}

uint32_t sinew_mirror_pair_count(const sinew_mirror *mirror)
{
    return mirror ? mirror->pair_count : 0;
}

const uint16_t *sinew_mirror_lonely(const sinew_mirror *mirror, uint32_t *out_count)
{
    if (out_count)
        *out_count = mirror ? mirror->lonely_count : 0;
    return mirror ? mirror->lonely : NULL;
}

// ---- Per frame --------------------------------------------------------------------------------------------

// What `joint` does when its partner did `local`.
static sinew_transform mirrored_local(const sinew_mirror *mirror, const mirror_joint *joint,
                                      const sinew_transform *local)
{
    const mirror_joint *partner = &mirror->joints[joint->partner];
    sinew_transform mine;
    mine.rotation = sinewi_frame_rotation(
        &joint->frame,
        reflect_rotation(sinewi_frame_delta(&partner->frame, local->rotation), mirror->axis));
    mine.translation = sinewi_frame_translation(
        &joint->frame,
        reflect_vec(sinewi_frame_offset(&partner->frame, local->translation), mirror->axis));
    const float now[3] = {local->scale.x, local->scale.y, local->scale.z};
    const float theirs[3] = {partner->rest_scale.x, partner->rest_scale.y, partner->rest_scale.z};
    const float own[3] = {joint->rest_scale.x, joint->rest_scale.y, joint->rest_scale.z};
    double scale[3];
    for (int i = 0; i < 3; i++) {
        uint8_t k = joint->from_axis[i];
        scale[i] = (double)now[k] * ((double)own[i] / (double)theirs[k]);
    }
    mine.scale = sinewi_vec_round(sinewi_vec_make(scale[0], scale[1], scale[2]));
    return mine;
}

sinew_result sinew_mirror_pose(const sinew_mirror_args *args)
{
    if (!args || !args->mirror || !sinewi_pose_fits(args->pose, args->mirror->joint_count) ||
        !sinewi_pose_fits(args->out_pose, args->mirror->joint_count))
        return SINEW_ERROR_INVALID_ARGUMENT;
    const sinew_mirror *mirror = args->mirror;
    for (uint32_t j = 0; j < mirror->joint_count; j++) {
        const mirror_joint *a = &mirror->joints[j];
        uint32_t other = a->partner;
        if (other < j)
            continue; // done with its partner
        // both are read before either is written: out_pose may be the pose itself
        sinew_transform mine = sinew_pose_get(args->pose, j),
                        theirs = sinew_pose_get(args->pose, other);
        sinew_transform new_mine = mirrored_local(mirror, a, &theirs),
                        new_theirs = mirrored_local(mirror, &mirror->joints[other], &mine);
        sinew_pose_set(args->out_pose, j, &new_mine);
        if (other != j)
            sinew_pose_set(args->out_pose, other, &new_theirs);
    }
    return SINEW_OK;
}

sinew_root_delta sinew_mirror_root_delta(const sinew_root_delta *delta, sinew_mirror_axis axis)
{
    if (!delta)
        return sinew_root_delta_identity();
    sinew_root_delta mirrored = {
        sinewi_vec_round(reflect_vec(sinewi_vec_from(delta->translation), axis)),
        sinewi_rotation_round(reflect_rotation(sinewi_rotation_from(delta->rotation), axis))};
    return mirrored;
}
