// SPDX-License-Identifier: MIT
// Retargeting in the model: rotations relative to rest are copied between matched joints, whatever
// hangs between them.
//
//     q_target = B (q_source Q_source^-1) B^-1 (C Q_target) = B q_source K
//
// K is worked out once, so a matched joint costs two products, and one more from the model back to
// its parent. Rotations are those of sinewi_frame_below: without sizes of scale, mirrors as
// rotations, so that q Q^-1 is the turn seen in the model on either side.
#include "sinew/retarget.h"

#include <string.h>

#include "pose/chain.h"
#include "pose/model_frames.h"
#include "pose/pose_fits.h"

typedef struct retarget_joint {
    sinewi_rotation k;        // of a matched joint: q_target = turn q_source k
    sinewi_rotation way;      // turns the source's translation from rest into this joint's
    double way_scale;         // and scales it; 0: rest
    sinewi_vec rest_position; // of a joint that travels, in the model
    sinewi_vec source_rest_position;
    sinew_transform rest;
    int32_t source; // -1: none
    bool travels;
} retarget_joint;

struct sinew_retarget {
    const sinew_skeleton *source, *target;
    uint32_t source_count, target_count, matched_count;
    uint32_t missing_in_source_count, missing_in_target_count;
    retarget_joint *joints;          // [target_count]
    sinew_vec3 *source_translations; // [source_count] at rest
    int32_t *target_of;              // [source_count]
    uint16_t *missing_in_source, *missing_in_target;
    const char *source_table, *target_table;
    double travel_scale;
    sinewi_rotation turn;
    sinew_allocator allocator;
    size_t block_size;
};

// ---- The two rigs at rest -----------------------------------------------------------------------------------

/// A rig while a map is made.
typedef struct rest_rig {
    const sinew_skeleton *skeleton;
    sinewi_local_fn local;
    const void *data;
    sinewi_frame *frames;      // [joint count]
    sinewi_rotation *rotation; // [joint count] Q
    int32_t bones[SINEW_HUMANOID_COUNT];
    const char *table;
} rest_rig;

static sinewi_vec rest_place(const rest_rig *rig, uint32_t joint)
{
    sinewi_above above;
    sinewi_chain_above(rig->skeleton, rig->local, rig->data, joint, &above);
    return sinewi_above_point(&above, sinewi_vec_from(rig->local(rig->data, joint).translation));
}

static sinew_result fill_rest_rig(rest_rig *rig, const sinew_retarget_rig *desc, bool humanoid)
{
    rig->skeleton = desc->skeleton;
    rig->local = desc->rest ? sinewi_local_of_pose : sinewi_local_of_rest;
    rig->data = desc->rest ? (const void *)desc->rest : (const void *)desc->skeleton;
    rig->table = "";
    sinew_result result = sinewi_fill_frames(desc->skeleton, desc->rest, rig->frames);
    if (result != SINEW_OK)
        return result;
    for (uint32_t j = 0; j < desc->skeleton->joint_count; j++)
        rig->rotation[j] = sinewi_rotation_normalize(sinewi_rotation_mul(
            rig->frames[j].parent, sinewi_rotation_from(rig->frames[j].rotation)));
    sinew_humanoid_match_args match = {.skeleton = desc->skeleton,
                                       .known = desc->known,
                                       .known_count = desc->known_count,
                                       .names = desc->names,
                                       .name_count = desc->name_count,
                                       .out_joints = rig->bones,
                                       .out_count = SINEW_HUMANOID_COUNT,
                                       .out_table = humanoid ? &rig->table : NULL};
    // bones serve other rigs too, as far as names tell them: for hips, legs and the facing
    return sinew_humanoid_match(&match);
}

// ---- Matching -----------------------------------------------------------------------------------------------

static void match_joints(sinew_retarget *map, uint32_t source, uint32_t target)
{
    if (map->joints[target].source >= 0)
        map->target_of[map->joints[target].source] = -1;
    if (map->target_of[source] >= 0)
        map->joints[map->target_of[source]].source = -1;
    map->joints[target].source = (int32_t)source;
    map->target_of[source] = (int32_t)target;
}

static void match_rigs(sinew_retarget *map, const sinew_retarget_desc *desc, const rest_rig *source,
                       const rest_rig *target)
{
    if (desc->by == SINEW_RETARGET_BY_HUMANOID)
        for (int b = 0; b < SINEW_HUMANOID_COUNT; b++)
            if (source->bones[b] >= 0 && target->bones[b] >= 0)
                match_joints(map, (uint32_t)source->bones[b], (uint32_t)target->bones[b]);
    if (desc->by == SINEW_RETARGET_BY_NAME)
        for (uint32_t j = 0; j < map->target_count; j++) {
            const char *name = sinew_skeleton_joint_name(map->target, j);
            int32_t other = name[0] ? sinew_skeleton_find_joint(map->source, name) : -1;
            if (other >= 0 && map->target_of[other] < 0)
                match_joints(map, (uint32_t)other, j);
        }
    for (uint32_t i = 0; i < desc->pair_count; i++)
        match_joints(map, desc->pairs[i].source, desc->pairs[i].target);
    for (uint32_t j = 0; j < map->target_count; j++) {
        if (map->joints[j].source >= 0)
            map->matched_count++;
        else
            map->missing_in_source[map->missing_in_source_count++] = (uint16_t)j;
    }
    for (uint32_t j = 0; j < map->source_count; j++)
        if (map->target_of[j] < 0)
            map->missing_in_target[map->missing_in_target_count++] = (uint16_t)j;
}

static int32_t matched_above(const sinew_retarget *map, uint32_t target)
{
    int32_t p = map->target->parents[target];
    while (p >= 0 && map->joints[p].source < 0)
        p = map->target->parents[p];
    return p;
}

// ---- Facing, travel -----------------------------------------------------------------------------------------

// From the right to the left, over the ground: of the legs, else of the arms. False where neither
// is.
static bool find_left(const rest_rig *rig, sinewi_vec *out)
{
    static const sinew_humanoid_bone sides[2] = {SINEW_HUMANOID_LEFT_UPPER_LEG,
                                                 SINEW_HUMANOID_LEFT_UPPER_ARM};
    for (int i = 0; i < 2; i++) {
        int32_t left = rig->bones[sides[i]], right = rig->bones[sides[i] + 1];
        if (left < 0 || right < 0)
            continue;
        *out = sinewi_vec_sub(rest_place(rig, (uint32_t)left), rest_place(rig, (uint32_t)right));
        out->y = 0.0;
        if (sinewi_vec_length(*out) > 1e-9)
            return true;
    }
    return false;
}

static sinewi_rotation find_turn(const rest_rig *source, const rest_rig *target)
{
    sinewi_rotation turn = sinewi_rotation_identity();
    sinewi_vec a, b;
    if (!find_left(source, &a) || !find_left(target, &b))
        return turn;
    // a turned by an angle about +Y: its cosine and sine, times both lengths
    double c = a.x * b.x + a.z * b.z, s = a.z * b.x - a.x * b.z;
    if (fabs(c) >= fabs(s)) {
        if (c < 0.0)
            turn.y = 1.0, turn.w = 0.0;
    } else {
        turn.y = s > 0.0 ? sqrt(0.5) : -sqrt(0.5);
        turn.w = sqrt(0.5);
    }
    return turn;
}

static double leg_length(const rest_rig *rig)
{
    for (int side = 0; side < 2; side++) {
        int32_t upper = rig->bones[SINEW_HUMANOID_LEFT_UPPER_LEG + side],
                lower = rig->bones[SINEW_HUMANOID_LEFT_LOWER_LEG + side],
                foot = rig->bones[SINEW_HUMANOID_LEFT_FOOT + side];
        if (upper < 0 || lower < 0 || foot < 0)
            continue;
        sinewi_vec knee = rest_place(rig, (uint32_t)lower);
        return sinewi_vec_length(sinewi_vec_sub(knee, rest_place(rig, (uint32_t)upper))) +
               sinewi_vec_length(sinewi_vec_sub(rest_place(rig, (uint32_t)foot), knee));
    }
    return 0.0;
}

static double hip_height(const rest_rig *rig)
{
    int32_t hips = rig->bones[SINEW_HUMANOID_HIPS];
    return hips >= 0 ? rest_place(rig, (uint32_t)hips).y : 0.0;
}

static double find_travel_scale(const sinew_retarget_desc *desc, const rest_rig *source,
                                const rest_rig *target)
{
    if (desc->travel_scale > 0.0f)
        return (double)desc->travel_scale;
    double from = 0.0, to = 0.0;
    if (desc->travel == SINEW_RETARGET_TRAVEL_HIP_HEIGHT) {
        from = hip_height(source);
        to = hip_height(target);
    }
    if (!(from > 1e-9) || !(to > 1e-9)) {
        from = leg_length(source);
        to = leg_length(target);
    }
    return from > 1e-9 && to > 1e-9 ? to / from : 1.0;
}

// ---- Aligning rest poses ------------------------------------------------------------------------------------

// The shortest turn from a to b.
static sinewi_rotation shortest_turn(sinewi_vec a, sinewi_vec b)
{
    double lengths = sinewi_vec_length(a) * sinewi_vec_length(b);
    if (!(lengths > 1e-18))
        return sinewi_rotation_identity();
    double dot = sinewi_vec_dot(a, b) / lengths;
    if (dot < -1.0 + 1e-9) { // opposite: about any axis square to a
        sinewi_vec e = fabs(a.x) <= fabs(a.y) && fabs(a.x) <= fabs(a.z) ? sinewi_vec_make(1, 0, 0)
                       : fabs(a.y) <= fabs(a.z)                         ? sinewi_vec_make(0, 1, 0)
                                                                        : sinewi_vec_make(0, 0, 1);
        sinewi_vec axis = sinewi_vec_cross(a, e);
        sinewi_rotation half = {axis.x, axis.y, axis.z, 0.0};
        return sinewi_rotation_normalize(half);
    }
    // q = (a x b, |a||b| + a.b), normalised, turns by half of twice the angle
    sinewi_vec axis = sinewi_vec_scale(sinewi_vec_cross(a, b), 1.0 / lengths);
    sinewi_rotation q = {axis.x, axis.y, axis.z, 1.0 + dot};
    return sinewi_rotation_normalize(q);
}

static int32_t bone_of_joint(const rest_rig *rig, uint32_t joint)
{
    for (int32_t b = 0; b < SINEW_HUMANOID_COUNT; b++)
        if (rig->bones[b] == (int32_t)joint)
            return b;
    return -1;
}

typedef enum align_kind { ALIGN_STAY, ALIGN_FOLLOW, ALIGN_TO_CHILD } align_kind;

// What aligning does to a matched joint.
static align_kind align_of_joint(const sinew_retarget_desc *desc, const rest_rig *target,
                                 uint32_t joint)
{
    if (desc->by != SINEW_RETARGET_BY_HUMANOID)
        return ALIGN_TO_CHILD;
    int32_t bone = bone_of_joint(target, joint);
    if (bone < SINEW_HUMANOID_LEFT_UPPER_LEG) // or none, -1
        return bone < 0 ? ALIGN_FOLLOW : ALIGN_STAY;
    int32_t left = bone - (bone - SINEW_HUMANOID_LEFT_UPPER_LEG) % 2;
    if (left == SINEW_HUMANOID_LEFT_FOOT || left == SINEW_HUMANOID_LEFT_TOES ||
        left == SINEW_HUMANOID_LEFT_SHOULDER)
        return ALIGN_STAY;
    return left == SINEW_HUMANOID_LEFT_HAND ? ALIGN_FOLLOW : ALIGN_TO_CHILD;
}

// C of each joint of the target, parents first; [target_count].
static void align_rests(const sinew_retarget *map, const sinew_retarget_desc *desc,
                        const rest_rig *source, const rest_rig *target, int32_t *only_child,
                        sinewi_rotation *turns)
{
    // the only matched joint below each matched one, -1 for none, -2 for several
    for (uint32_t j = 0; j < map->target_count; j++)
        only_child[j] = -1;
    for (uint32_t j = 0; j < map->target_count; j++) {
        int32_t above = map->joints[j].source >= 0 ? matched_above(map, j) : -1;
        if (above >= 0)
            only_child[above] = only_child[above] == -1 ? (int32_t)j : -2;
    }
    for (uint32_t j = 0; j < map->target_count; j++) {
        int32_t p = map->target->parents[j];
        turns[j] = p >= 0 ? turns[p] : sinewi_rotation_identity();
        if (map->joints[j].source < 0 || !desc->align_rest)
            continue;
        align_kind kind = align_of_joint(desc, target, j);
        if (kind == ALIGN_STAY)
            turns[j] = sinewi_rotation_identity();
        if (kind != ALIGN_TO_CHILD || only_child[j] < 0)
            continue;
        uint32_t child = (uint32_t)only_child[j];
        sinewi_vec mine = sinewi_vec_sub(rest_place(target, child), rest_place(target, j));
        sinewi_vec theirs = sinewi_vec_sub(rest_place(source, (uint32_t)map->joints[child].source),
                                           rest_place(source, (uint32_t)map->joints[j].source));
        if (sinewi_vec_length(mine) > 1e-9 && sinewi_vec_length(theirs) > 1e-9)
            turns[j] = shortest_turn(mine, sinewi_rotation_turn(map->turn, theirs));
    }
}

// ---- Making -----------------------------------------------------------------------------------------------

static void fill_joint(sinew_retarget *map, const sinew_retarget_desc *desc, const rest_rig *source,
                       const rest_rig *target, const sinewi_rotation *turns, uint32_t j)
{
    retarget_joint *joint = &map->joints[j];
    joint->rest = target->local(target->data, j);
    joint->rest.rotation = target->frames[j].rotation;
    joint->k = joint->way = sinewi_rotation_identity();
    if (joint->source < 0)
        return;
    uint32_t s = (uint32_t)joint->source;
    sinewi_rotation aligned = sinewi_rotation_mul(turns[j], target->rotation[j]);
    sinewi_rotation back = sinewi_rotation_conjugate(map->turn);
    joint->k = sinewi_rotation_normalize(sinewi_rotation_mul(
        sinewi_rotation_mul(sinewi_rotation_conjugate(source->rotation[s]), back), aligned));
    // What has no matched joint above travels, and the hips wherever they hang.
    bool hips = target->bones[SINEW_HUMANOID_HIPS] == (int32_t)j &&
                source->bones[SINEW_HUMANOID_HIPS] == (int32_t)s;
    joint->travels = hips || matched_above(map, j) < 0;
    if (joint->travels) {
        joint->rest_position = rest_place(target, j);
        joint->source_rest_position = rest_place(source, s);
    } else if (desc->translations == SINEW_RETARGET_TRANSLATION_SCALED) {
        double mine = sinewi_vec_length(sinewi_vec_from(joint->rest.translation)),
               theirs = sinewi_vec_length(sinewi_vec_from(source->frames[s].translation));
        joint->way_scale = mine > 1e-9 && theirs > 1e-9 ? mine / theirs : map->travel_scale;
        joint->way_scale *= source->frames[s].sign * target->frames[j].sign;
        int32_t p = map->target->parents[j];
        // the parent's frame as it is when the source is at rest
        sinewi_rotation frame = target->frames[j].parent;
        if (p >= 0)
            frame = sinewi_rotation_mul(turns[p], frame);
        joint->way = sinewi_rotation_normalize(
            sinewi_rotation_mul(sinewi_rotation_conjugate(frame),
                                sinewi_rotation_mul(map->turn, source->frames[s].parent)));
    }
}

static sinew_result fill_map(sinew_retarget *map, const sinew_retarget_desc *desc, rest_rig *source,
                             rest_rig *target, int32_t *only_child, sinewi_rotation *turns,
                             sinew_error *error)
{
    bool humanoid = desc->by == SINEW_RETARGET_BY_HUMANOID;
    sinew_result result = fill_rest_rig(source, &desc->source, humanoid);
    if (result != SINEW_OK)
        return sinewi_error(error, result, "source", "%s", sinew_result_message(result));
    result = fill_rest_rig(target, &desc->target, humanoid);
    if (result != SINEW_OK)
        return sinewi_error(error, result, "target", "%s", sinew_result_message(result));
    map->source_table = source->table;
    map->target_table = target->table;
    for (uint32_t j = 0; j < map->target_count; j++)
        map->joints[j].source = -1;
    for (uint32_t j = 0; j < map->source_count; j++) {
        map->target_of[j] = -1;
        map->source_translations[j] = source->frames[j].translation;
    }
    match_rigs(map, desc, source, target);
    if (map->matched_count == 0)
        return sinewi_error(error, SINEW_ERROR_NOT_FOUND, "",
                            "no joint of the %u of the source has a partner among the %u of the "
                            "target",
                            map->source_count, map->target_count);
    sinew_quat given = desc->target_from_source;
    bool none = given.x == 0.0f && given.y == 0.0f && given.z == 0.0f && given.w == 0.0f;
    map->turn =
        none ? find_turn(source, target) : sinewi_rotation_normalize(sinewi_rotation_from(given));
    map->travel_scale = find_travel_scale(desc, source, target);
    align_rests(map, desc, source, target, only_child, turns);
    for (uint32_t j = 0; j < map->target_count; j++)
        fill_joint(map, desc, source, target, turns, j);
    return SINEW_OK;
}

static sinew_result check_retarget_desc(const sinew_retarget_desc *desc, sinew_error *error)
{
    const sinew_retarget_rig *rigs[2] = {&desc->source, &desc->target};
    for (int i = 0; i < 2; i++)
        if (!rigs[i]->skeleton ||
            (rigs[i]->rest && !sinewi_pose_fits(rigs[i]->rest, rigs[i]->skeleton->joint_count)))
            return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, i ? "target" : "source",
                                "a skeleton must be given, and a rest pose have its joints");
    const float turn[4] = {desc->target_from_source.x, desc->target_from_source.y,
                           desc->target_from_source.z, desc->target_from_source.w};
    if ((unsigned)desc->by > SINEW_RETARGET_BY_PAIRS ||
        (unsigned)desc->translations > SINEW_RETARGET_TRANSLATION_SCALED ||
        (unsigned)desc->travel > SINEW_RETARGET_TRAVEL_LEG_LENGTH ||
        (desc->pair_count && !desc->pairs) || !(desc->travel_scale >= 0.0f) ||
        !sinewi_all_finite(&desc->travel_scale, 1) || !sinewi_all_finite(turn, 4))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "choices must be among those there are, pairs be given, the travel "
                            "scale be at least 0");
    for (uint32_t i = 0; i < desc->pair_count; i++)
        if (desc->pairs[i].source >= desc->source.skeleton->joint_count ||
            desc->pairs[i].target >= desc->target.skeleton->joint_count)
            return sinewi_error(error, SINEW_ERROR_INDEX_RANGE, "pairs",
                                "pair %u is (%u, %u); there are %u and %u joints", i,
                                desc->pairs[i].source, desc->pairs[i].target,
                                desc->source.skeleton->joint_count,
                                desc->target.skeleton->joint_count);
    return SINEW_OK;
}

sinew_retarget_desc sinew_retarget_desc_default(void)
{
    sinew_retarget_desc desc;
    memset(&desc, 0, sizeof desc);
    return desc;
}

// Room of count elements at *io_size, 16-byte aligned; returns where.
static size_t take_room(size_t *io_size, size_t count, size_t size)
{
    size_t at = (*io_size + 15) / 16 * 16;
    *io_size = at + count * size;
    return at;
}

sinew_result sinew_retarget_create(const sinew_retarget_desc *desc, sinew_retarget **out,
                                   sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!desc || !out)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "the desc and out must be given");
    sinew_result result = check_retarget_desc(desc, error);
    if (result != SINEW_OK)
        return result;
    // at most 65,535 joints of some 400 bytes
    size_t n = desc->source.skeleton->joint_count, m = desc->target.skeleton->joint_count;
    size_t size = sizeof(sinew_retarget);
    size_t joints_at = take_room(&size, m, sizeof(retarget_joint));
    size_t translations_at = take_room(&size, n, sizeof(sinew_vec3));
    size_t target_of_at = take_room(&size, n, sizeof(int32_t));
    size_t missing_source_at = take_room(&size, m, sizeof(uint16_t));
    size_t missing_target_at = take_room(&size, n, sizeof(uint16_t));
    size_t work_size = 0;
    size_t source_frames_at = take_room(&work_size, n, sizeof(sinewi_frame));
    size_t source_rotations_at = take_room(&work_size, n, sizeof(sinewi_rotation));
    size_t target_frames_at = take_room(&work_size, m, sizeof(sinewi_frame));
    size_t target_rotations_at = take_room(&work_size, m, sizeof(sinewi_rotation));
    size_t turns_at = take_room(&work_size, m, sizeof(sinewi_rotation));
    size_t children_at = take_room(&work_size, m, sizeof(int32_t));
    sinew_allocator allocator = sinewi_allocator(&desc->allocator);
    char *work = sinewi_alloc(&allocator, work_size, 16);
    char *block = work ? sinewi_alloc(&allocator, size, 16) : NULL;
    if (!block) {
        sinewi_free(&allocator, work, work_size, 16);
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory for %zu joints",
                            n + m);
    }
    memset(block, 0, size);
    sinew_retarget *map = (sinew_retarget *)(void *)block;
    map->source = desc->source.skeleton;
    map->target = desc->target.skeleton;
    map->source_count = (uint32_t)n;
    map->target_count = (uint32_t)m;
    map->joints = (retarget_joint *)(void *)(block + joints_at);
    map->source_translations = (sinew_vec3 *)(void *)(block + translations_at);
    map->target_of = (int32_t *)(void *)(block + target_of_at);
    map->missing_in_source = (uint16_t *)(void *)(block + missing_source_at);
    map->missing_in_target = (uint16_t *)(void *)(block + missing_target_at);
    map->allocator = allocator;
    map->block_size = size;
    rest_rig source = {.frames = (sinewi_frame *)(void *)(work + source_frames_at),
                       .rotation = (sinewi_rotation *)(void *)(work + source_rotations_at)};
    rest_rig target = {.frames = (sinewi_frame *)(void *)(work + target_frames_at),
                       .rotation = (sinewi_rotation *)(void *)(work + target_rotations_at)};
    result = fill_map(map, desc, &source, &target, (int32_t *)(void *)(work + children_at),
                      (sinewi_rotation *)(void *)(work + turns_at), error);
    sinewi_free(&allocator, work, work_size, 16);
    if (result != SINEW_OK) {
        sinew_retarget_destroy(map);
        return result;
    }
    *out = map;
    return SINEW_OK;
}

void sinew_retarget_destroy(sinew_retarget *map)
{
    if (!map)
        return;
    sinew_allocator allocator = map->allocator;
    sinewi_free(&allocator, map, map->block_size, 16);
}

// ---- Report -----------------------------------------------------------------------------------------------

uint32_t sinew_retarget_matched_count(const sinew_retarget *map)
{
    return map ? map->matched_count : 0;
}

int32_t sinew_retarget_source_of(const sinew_retarget *map, uint32_t target_joint)
{
    return map && target_joint < map->target_count ? map->joints[target_joint].source : -1;
}

int32_t sinew_retarget_target_of(const sinew_retarget *map, uint32_t source_joint)
{
    return map && source_joint < map->source_count ? map->target_of[source_joint] : -1;
}

const uint16_t *sinew_retarget_missing_in_source(const sinew_retarget *map, uint32_t *out_count)
{
    if (out_count)
        *out_count = map ? map->missing_in_source_count : 0;
    return map ? map->missing_in_source : NULL;
}

const uint16_t *sinew_retarget_missing_in_target(const sinew_retarget *map, uint32_t *out_count)
{
    if (out_count)
        *out_count = map ? map->missing_in_target_count : 0;
    return map ? map->missing_in_target : NULL;
}

const char *sinew_retarget_source_table(const sinew_retarget *map)
{
    return map ? map->source_table : "";
}

const char *sinew_retarget_target_table(const sinew_retarget *map)
{
    return map ? map->target_table : "";
}

float sinew_retarget_travel_scale(const sinew_retarget *map)
{
    return map ? sinewi_round_within(map->travel_scale) : 1.0f;
}

sinew_quat sinew_retarget_turn(const sinew_retarget *map)
{
    return map ? sinewi_rotation_round(map->turn) : sinew_quat_identity();
}

// ---- Per frame --------------------------------------------------------------------------------------------

size_t sinew_retarget_scratch_size(const sinew_retarget *map)
{
    return map ? ((size_t)map->source_count + map->target_count) * sizeof(sinewi_rotation) : 0;
}

// The frame that a joint hangs in, from its parent's model rotation.
static sinewi_rotation frame_in_pose(const sinew_skeleton *skeleton, const sinew_pose *pose,
                                     const sinewi_rotation *rotations, uint32_t joint)
{
    int32_t p = skeleton->parents[joint];
    if (p < 0)
        return sinewi_rotation_identity();
    if (skeleton->scale_rules[joint] != SINEW_SCALE_INHERIT)
        return rotations[p];
    double sign;
    sinewi_rotation signs = sinewi_scale_signs(sinew_pose_get(pose, (uint32_t)p).scale, &sign);
    return signs.w == 0.0 ? sinewi_rotation_mul(rotations[p], signs) : rotations[p];
}

static void model_rotations(const sinew_skeleton *skeleton, const sinew_pose *pose,
                            sinewi_rotation *out)
{
    for (uint32_t j = 0; j < skeleton->joint_count; j++)
        out[j] = sinewi_rotation_normalize(
            sinewi_rotation_mul(frame_in_pose(skeleton, pose, out, j),
                                sinewi_rotation_from(sinew_pose_get(pose, j).rotation)));
}

static void place_traveller(const sinew_retarget *map, const sinew_retarget_args *args,
                            uint32_t joint, sinew_vec3 *io_translation)
{
    const retarget_joint *entry = &map->joints[joint];
    uint32_t s = (uint32_t)entry->source;
    sinewi_above above;
    sinewi_chain_above(map->source, sinewi_local_of_pose, args->pose, s, &above);
    sinewi_vec place =
        sinewi_above_point(&above, sinewi_vec_from(sinew_pose_get(args->pose, s).translation));
    sinewi_vec way =
        sinewi_rotation_turn(map->turn, sinewi_vec_sub(place, entry->source_rest_position));
    place = sinewi_vec_add(entry->rest_position, sinewi_vec_scale(way, map->travel_scale));
    sinewi_chain_above(map->target, sinewi_local_of_pose, args->out_pose, joint, &above);
    sinewi_vec translation;
    if (sinewi_above_translation(&above, place, &translation))
        *io_translation = sinewi_vec_round(translation);
}

sinew_result sinew_retarget_pose(const sinew_retarget_args *args)
{
    if (!args || !args->map || !sinewi_pose_fits(args->pose, args->map->source_count) ||
        !sinewi_pose_fits(args->out_pose, args->map->target_count) ||
        args->pose->planes == args->out_pose->planes || !args->scratch)
        return SINEW_ERROR_INVALID_ARGUMENT;
    const sinew_retarget *map = args->map;
    if (args->scratch_size < sinew_retarget_scratch_size(map))
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    if ((uintptr_t)args->scratch % 16 != 0)
        return SINEW_ERROR_MISALIGNED;
    sinewi_rotation *theirs = args->scratch, *mine = theirs + map->source_count;
    model_rotations(map->source, args->pose, theirs);
    for (uint32_t j = 0; j < map->target_count; j++) {
        const retarget_joint *entry = &map->joints[j];
        sinew_transform local = entry->rest;
        sinewi_rotation frame = frame_in_pose(map->target, args->out_pose, mine, j);
        if (entry->source < 0) {
            mine[j] = sinewi_rotation_mul(frame, sinewi_rotation_from(local.rotation));
        } else {
            mine[j] = sinewi_rotation_mul(sinewi_rotation_mul(map->turn, theirs[entry->source]),
                                          entry->k);
            sinew_quat turned = sinewi_rotation_round(
                sinewi_rotation_mul(sinewi_rotation_conjugate(frame), mine[j]));
            // of q and -q the one on the rest pose's side, so that poses blend
            if (sinew_quat_dot(turned, local.rotation) < 0.0f)
                turned = sinew_quat_make(-turned.x, -turned.y, -turned.z, -turned.w);
            local.rotation = turned;
        }
        mine[j] = sinewi_rotation_normalize(mine[j]);
        if (entry->travels) {
            place_traveller(map, args, j, &local.translation);
        } else if (entry->way_scale != 0.0) {
            uint32_t s = (uint32_t)entry->source;
            sinewi_vec way =
                sinewi_vec_sub(sinewi_vec_from(sinew_pose_get(args->pose, s).translation),
                               sinewi_vec_from(map->source_translations[s]));
            way = sinewi_vec_scale(sinewi_rotation_turn(entry->way, way), entry->way_scale);
            local.translation =
                sinewi_vec_round(sinewi_vec_add(sinewi_vec_from(local.translation), way));
        }
        sinew_pose_set(args->out_pose, j, &local);
    }
    return SINEW_OK;
}

sinew_root_delta sinew_retarget_root_delta(const sinew_retarget *map, const sinew_root_delta *delta)
{
    if (!map || !delta)
        return sinew_root_delta_identity();
    sinewi_rotation turn = sinewi_rotation_normalize(sinewi_rotation_from(delta->rotation));
    turn = sinewi_rotation_mul(sinewi_rotation_mul(map->turn, turn),
                               sinewi_rotation_conjugate(map->turn));
    sinew_root_delta result = {
        sinewi_vec_round(
            sinewi_vec_scale(sinewi_rotation_turn(map->turn, sinewi_vec_from(delta->translation)),
                             map->travel_scale)),
        sinewi_rotation_round(turn)};
    return result;
}
