// SPDX-License-Identifier: MIT
// Chains of joints that swing. A frame is cut into steps of a fixed length; in each, every chain is
// walked from its first link down: heads follow from what is above, tails are moved, kept at their
// bones' lengths and out of colliders. The pose then gets the directions between the last two
// steps.
#include "sinew/joint_spring.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/core.h"

#define SPRING_STEP (1.0 / 60.0)
#define SPRING_LONGEST 2.0 ///< seconds of an update that are worked out
#define SPRING_TAIL 0.07f  ///< of a last bone without a child (VRM 0.x)

typedef struct swing_link {
    sinew_spring_link given; // tail and gravity direction filled in
    float length;            // of the tail, in the joint's space
    sinew_vec3 axis;         // its direction
    // from this link's joint to what the next link's joint hangs under, at rest
    sinew_quat to_next;
    sinew_vec3 next_offset; // where the next link's joint is, in this one's space
} swing_link;

typedef struct spring_chain {
    uint32_t first_link, link_count;
    int32_t center;
    const uint16_t *colliders;
    uint32_t collider_count;
} spring_chain;

struct sinew_joint_springs {
    sinewi_arena arena; // holds all that is below
    const sinew_skeleton *skeleton;
    spring_chain *chains;
    swing_link *links;
    sinew_spring_collider *colliders;
    uint32_t chain_count, link_count, collider_count;
    double step;
};

// ---- State ------------------------------------------------------------------------------------------------

// A place and a turn in the world, and the size of things there.
typedef struct spring_frame {
    sinew_vec3 place;
    sinew_quat turn;
    float size;
} spring_frame;

typedef struct link_state {
    sinew_vec3 tail, tail_before;           // at the last two steps; in the center's space
    sinew_vec3 direction, direction_before; // from the head, in the world
} link_state;

typedef struct chain_state {
    spring_frame base;   // of the last frame: where the first link's head is, its parent's turn
    spring_frame center; // of the last frame
} chain_state;

typedef struct collider_state {
    sinew_vec3 a, b; // ends in the world, at the last frame
    float radius;
} collider_state;

typedef struct spring_memory {
    link_state *links;
    chain_state *chains;
    collider_state *colliders, *colliders_now; // at the last frame, and at this one
} spring_memory;

static size_t align_64(size_t size)
{
    return (size + 63) / 64 * 64;
}

static spring_memory memory_of(const sinew_joint_springs *s, void *memory)
{
    char *at = memory;
    spring_memory m = {.links = (link_state *)(void *)at};
    at += align_64(s->link_count * sizeof(link_state));
    m.chains = (chain_state *)(void *)at;
    at += align_64(s->chain_count * sizeof(chain_state));
    m.colliders = (collider_state *)(void *)at;
    m.colliders_now = m.colliders + s->collider_count;
    return m;
}

size_t sinew_joint_springs_state_size(const sinew_joint_springs *s)
{
    return align_64(s->link_count * sizeof(link_state)) +
           align_64(s->chain_count * sizeof(chain_state)) +
           align_64(2 * (size_t)s->collider_count * sizeof(collider_state) + 1);
}

sinew_result sinew_joint_springs_state_init(sinew_joint_springs_state *state,
                                            const sinew_joint_springs *springs, void *memory,
                                            size_t memory_size)
{
    if (!state || !springs || !memory)
        return SINEW_ERROR_INVALID_ARGUMENT;
    if ((uintptr_t)memory % SINEW_BLOCK_ALIGN)
        return SINEW_ERROR_MISALIGNED;
    if (memory_size < sinew_joint_springs_state_size(springs))
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    memset(memory, 0, sinew_joint_springs_state_size(springs));
    *state = (sinew_joint_springs_state){.memory = memory, .springs = springs};
    return SINEW_OK;
}

// ---- Making -----------------------------------------------------------------------------------------------

static bool lies_below(const sinew_skeleton *skeleton, uint32_t joint, uint32_t above)
{
    const int32_t *parents = sinew_skeleton_parents(skeleton);
    int32_t p = parents[joint];
    while (p >= 0 && p != (int32_t)above)
        p = parents[p];
    return p >= 0;
}

static bool in_range(float x, float low, float high)
{
    return x >= low && x <= high;
}

static bool vec3_finite(sinew_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static bool vec3_zero(sinew_vec3 v)
{
    return v.x == 0.0f && v.y == 0.0f && v.z == 0.0f;
}

// The rotation of a joint's matrix, without its scale.
static sinew_quat turn_of_matrix(const sinew_mat4 *m)
{
    sinew_transform t;
    sinew_mat4_decompose(m, &t, NULL);
    return sinew_quat_normalize(t.rotation);
}

// Where the rest pose has a joint, in the space of another.
static bool rest_in_joint(const sinew_skeleton *skeleton, uint32_t joint, uint32_t space,
                          sinew_vec3 *out)
{
    const sinew_mat4 *rest = sinew_skeleton_rest_model(skeleton);
    sinew_mat4 inverse;
    if (!sinew_mat4_inverse(&rest[space], &inverse))
        return false;
    *out = sinew_mat4_transform_point(
        &inverse, sinew_vec3_make(rest[joint].m[12], rest[joint].m[13], rest[joint].m[14]));
    return true;
}

// Where a bone ends that nobody gave an end.
static bool find_tail(const sinew_skeleton *skeleton, uint32_t joint, int32_t next, sinew_vec3 *out)
{
    const int32_t *parents = sinew_skeleton_parents(skeleton);
    for (uint32_t j = joint + 1; next < 0 && j < sinew_skeleton_joint_count(skeleton); j++)
        if (parents[j] == (int32_t)joint)
            next = (int32_t)j;
    if (next >= 0)
        return rest_in_joint(skeleton, (uint32_t)next, joint, out);
    sinew_vec3 back = sinew_vec3_make(0.0f, -1.0f, 0.0f); // to the parent
    if (parents[joint] >= 0 && !rest_in_joint(skeleton, (uint32_t)parents[joint], joint, &back))
        return false;
    *out = sinew_vec3_scale(sinew_vec3_normalize(back, sinew_vec3_make(0.0f, -1.0f, 0.0f)),
                            -SPRING_TAIL);
    return true;
}

static sinew_result make_link(const sinew_joint_springs_desc *desc, const sinew_spring_chain *chain,
                              uint32_t index, swing_link *out, const char *place,
                              sinew_error *error)
{
    const sinew_skeleton *skeleton = desc->skeleton;
    const sinew_spring_link *link = &chain->links[index];
    const bool last = index + 1 == chain->link_count;
    if (index && !lies_below(skeleton, link->joint, chain->links[index - 1].joint))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, place,
                            "'%.100s' does not lie below the link before",
                            sinew_skeleton_joint_name(skeleton, link->joint));
    if (!in_range(link->stiffness, 0.0f, 1e6f) || !in_range(link->drag, 0.0f, 1.0f) ||
        !in_range(link->gravity, 0.0f, 1e6f) || !in_range(link->radius, 0.0f, 1e6f) ||
        !vec3_finite(link->tail) || !vec3_finite(link->gravity_direction))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, place,
                            "stiffness, gravity and radius are 0 or more, drag is 0 to 1");
    out->given = *link;
    if (vec3_zero(link->tail) &&
        !find_tail(skeleton, link->joint, last ? -1 : (int32_t)chain->links[index + 1].joint,
                   &out->given.tail))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, place,
                            "'%.100s' has a size of 0 at rest",
                            sinew_skeleton_joint_name(skeleton, link->joint));
    out->length = sinew_vec3_length(out->given.tail);
    if (!(out->length > 1e-9f) || !isfinite(out->length))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, place,
                            "the bone of '%.100s' has no length; give its tail",
                            sinew_skeleton_joint_name(skeleton, link->joint));
    out->axis = sinew_vec3_scale(out->given.tail, 1.0f / out->length);
    out->given.gravity_direction =
        sinew_vec3_normalize(link->gravity_direction, sinew_vec3_make(0.0f, -1.0f, 0.0f));
    out->to_next = sinew_quat_identity();
    if (last)
        return SINEW_OK;
    const uint32_t next = chain->links[index + 1].joint;
    if (!lies_below(skeleton, next, link->joint))
        return SINEW_OK; // said when its turn comes
    const sinew_mat4 *rest = sinew_skeleton_rest_model(skeleton);
    const int32_t under = sinew_skeleton_parents(skeleton)[next];
    out->to_next = sinew_quat_mul(sinew_quat_conjugate(turn_of_matrix(&rest[link->joint])),
                                  turn_of_matrix(&rest[under]));
    if (under == (int32_t)link->joint)
        out->to_next = sinew_quat_identity();
    if (!rest_in_joint(skeleton, next, link->joint, &out->next_offset))
        out->next_offset = out->given.tail;
    return SINEW_OK;
}

static sinew_result make_chain(sinew_joint_springs *s, const sinew_joint_springs_desc *desc,
                               uint32_t index, uint8_t *taken, sinew_error *error)
{
    const sinew_spring_chain *given = &desc->chains[index];
    const uint32_t joints = sinew_skeleton_joint_count(desc->skeleton);
    char place[64];
    snprintf(place, sizeof place, "chains[%u]", (unsigned)index);
    if (!given->links || !given->link_count)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, place, "a chain has links");
    if (given->center >= (int32_t)joints)
        return sinewi_error(error, SINEW_ERROR_INDEX_RANGE, place, "center %d of %u joints",
                            (int)given->center, (unsigned)joints);
    if (given->collider_count && !given->colliders)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, place, "colliders are missing");
    for (uint32_t k = 0; k < given->collider_count; k++)
        if (given->colliders[k] >= desc->collider_count)
            return sinewi_error(error, SINEW_ERROR_INDEX_RANGE, place, "collider %u of %u",
                                (unsigned)given->colliders[k], (unsigned)desc->collider_count);
    for (uint32_t k = 0; k < given->link_count; k++) { // first: links look at those behind them
        snprintf(place, sizeof place, "chains[%u].links[%u]", (unsigned)index, (unsigned)k);
        if (given->links[k].joint >= joints)
            return sinewi_error(error, SINEW_ERROR_INDEX_RANGE, place, "joint %u of %u",
                                (unsigned)given->links[k].joint, (unsigned)joints);
    }
    spring_chain *chain = &s->chains[s->chain_count++];
    *chain = (spring_chain){.first_link = s->link_count,
                            .link_count = given->link_count,
                            .center = given->center,
                            .collider_count = given->collider_count};
    chain->colliders = sinewi_arena_copy(&s->arena, given->colliders, given->collider_count,
                                         sizeof *given->colliders);
    if (given->collider_count && !chain->colliders)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, place, "no memory for a chain");
    for (uint32_t k = 0; k < given->link_count; k++) {
        snprintf(place, sizeof place, "chains[%u].links[%u]", (unsigned)index, (unsigned)k);
        sinew_result result = make_link(desc, given, k, &s->links[s->link_count], place, error);
        if (result != SINEW_OK)
            return result;
        if (taken[given->links[k].joint])
            return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, place,
                                "'%.100s' swings already",
                                sinew_skeleton_joint_name(desc->skeleton, given->links[k].joint));
        taken[given->links[k].joint] = 1;
        s->link_count++;
    }
    return SINEW_OK;
}

static sinew_result make_springs(sinew_joint_springs *s, const sinew_joint_springs_desc *desc,
                                 sinew_error *error)
{
    const uint32_t joints = sinew_skeleton_joint_count(desc->skeleton);
    size_t links = 0;
    for (uint32_t i = 0; i < desc->chain_count; i++)
        links += desc->chains[i].link_count;
    s->skeleton = desc->skeleton;
    s->step = desc->step > 0.0 ? desc->step : SPRING_STEP;
    s->chains = sinewi_arena_alloc(&s->arena, desc->chain_count, sizeof *s->chains);
    s->links = links <= joints ? sinewi_arena_alloc(&s->arena, links, sizeof *s->links) : NULL;
    s->colliders =
        sinewi_arena_copy(&s->arena, desc->colliders, desc->collider_count, sizeof *s->colliders);
    uint8_t *taken = sinewi_arena_alloc(&s->arena, (uint64_t)joints + 1, 1);
    if (links > joints)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "chains",
                            "more links than the skeleton has joints");
    if (!s->chains || !s->links || (desc->collider_count && !s->colliders) || !taken)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory for joint springs");
    s->collider_count = desc->collider_count;
    for (uint32_t i = 0; i < desc->collider_count; i++) {
        const sinew_spring_collider *c = &s->colliders[i];
        char place[48];
        snprintf(place, sizeof place, "colliders[%u]", (unsigned)i);
        if (c->joint >= joints)
            return sinewi_error(error, SINEW_ERROR_INDEX_RANGE, place, "joint %u of %u",
                                (unsigned)c->joint, (unsigned)joints);
        if (!in_range(c->radius, 0.0f, 1e6f) || !vec3_finite(c->offset) || !vec3_finite(c->tail))
            return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, place,
                                "a radius is 0 or more, and all is finite");
    }
    sinew_result result = SINEW_OK;
    for (uint32_t i = 0; result == SINEW_OK && i < desc->chain_count; i++)
        result = make_chain(s, desc, i, taken, error);
    return result;
}

sinew_result sinew_joint_springs_create(const sinew_joint_springs_desc *desc,
                                        sinew_joint_springs **out, sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!desc || !out || !desc->skeleton || (desc->chain_count && !desc->chains) ||
        (desc->collider_count && !desc->colliders) || !(desc->step >= 0.0) ||
        (desc->step > 0.0 && !(desc->step >= 1e-4 && desc->step <= 1.0)))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "a skeleton, chains, colliders and out must be given; a step is 0.1 ms "
                            "to 1 s, or 0");
    const sinew_allocator allocator = sinewi_allocator(&desc->allocator);
    sinew_joint_springs *springs = sinewi_alloc(&allocator, sizeof *springs, 16);
    if (!springs)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory for joint springs");
    memset(springs, 0, sizeof *springs);
    sinewi_arena_init(&springs->arena, &allocator, 0);
    sinew_result result = make_springs(springs, desc, error);
    if (result == SINEW_OK)
        *out = springs;
    else
        sinew_joint_springs_destroy(springs);
    return result;
}

void sinew_joint_springs_destroy(sinew_joint_springs *springs)
{
    if (!springs)
        return;
    const sinew_allocator allocator = springs->arena.allocator;
    sinewi_arena_free(&springs->arena);
    sinewi_free(&allocator, springs, sizeof *springs, 16);
}

uint32_t sinew_joint_springs_link_count(const sinew_joint_springs *springs)
{
    return springs->link_count;
}

// ---- Frames -----------------------------------------------------------------------------------------------

static sinew_mat4 world_of(const sinew_joint_springs_args *args, const sinew_mat4 *model)
{
    return args->world_from_model ? sinew_mat4_mul(args->world_from_model, model) : *model;
}

static spring_frame frame_of(const sinew_mat4 *m)
{
    sinew_transform t;
    sinew_mat4_decompose(m, &t, NULL);
    const float sizes = (fabsf(t.scale.x) + fabsf(t.scale.y)) + fabsf(t.scale.z);
    return (spring_frame){t.translation, sinew_quat_normalize(t.rotation), sizes * (1.0f / 3.0f)};
}

static bool frame_finite(const spring_frame *f)
{
    return vec3_finite(f->place) && isfinite(f->size) && f->size > 0.0f;
}

static spring_frame mix_frames(const spring_frame *a, const spring_frame *b, float t)
{
    sinew_quat to = b->turn;
    if (sinew_quat_dot(a->turn, to) < 0.0f)
        to = sinew_quat_make(-to.x, -to.y, -to.z, -to.w);
    const float s = 1.0f - t;
    return (spring_frame){
        sinew_vec3_lerp(a->place, b->place, t),
        sinew_quat_normalize(sinew_quat_make(a->turn.x * s + to.x * t, a->turn.y * s + to.y * t,
                                             a->turn.z * s + to.z * t, a->turn.w * s + to.w * t)),
        a->size + (b->size - a->size) * t};
}

static sinew_vec3 into_frame(const spring_frame *f, sinew_vec3 world)
{
    return sinew_quat_rotate(sinew_quat_conjugate(f->turn), sinew_vec3_sub(world, f->place));
}

static sinew_vec3 out_of_frame(const spring_frame *f, sinew_vec3 local)
{
    return sinew_vec3_add(f->place, sinew_quat_rotate(f->turn, local));
}

// What a chain hangs on, now: the head of its first link with the turn and size of its parent.
static spring_frame base_of(const sinew_joint_springs_args *args, const spring_chain *chain)
{
    const sinew_joint_springs *s = args->state->springs;
    const uint32_t joint = s->links[chain->first_link].given.joint;
    const int32_t parent = sinew_skeleton_parents(s->skeleton)[joint];
    const sinew_mat4 identity = sinew_mat4_identity();
    const sinew_mat4 above = world_of(args, parent >= 0  ? &args->model[parent]
                                            : args->root ? args->root
                                                         : &identity);
    spring_frame base = frame_of(&above);
    base.place = sinew_mat4_transform_point(&above, sinew_pose_get(args->pose, joint).translation);
    return base;
}

static spring_frame center_of(const sinew_joint_springs_args *args, const spring_chain *chain)
{
    if (chain->center < 0)
        return (spring_frame){{0.0f, 0.0f, 0.0f}, sinew_quat_identity(), 1.0f};
    const sinew_mat4 world = world_of(args, &args->model[chain->center]);
    return frame_of(&world);
}

static collider_state collider_of(const sinew_joint_springs_args *args,
                                  const sinew_spring_collider *c)
{
    const sinew_mat4 world = world_of(args, &args->model[c->joint]);
    const spring_frame frame = frame_of(&world);
    const sinew_vec3 a = sinew_mat4_transform_point(&world, c->offset);
    return (collider_state){a, c->is_capsule ? sinew_mat4_transform_point(&world, c->tail) : a,
                            c->radius * frame.size};
}

// ---- A step -----------------------------------------------------------------------------------------------

// The shortest turn from one unit vector to another.
static sinew_quat swing_turn(sinew_vec3 a, sinew_vec3 b)
{
    const float dot = sinew_vec3_dot(a, b);
    if (dot < -0.999999f) { // opposite: about any axis square to a
        const sinew_vec3 e = fabsf(a.x) < 0.6f ? sinew_vec3_make(1.0f, 0.0f, 0.0f)
                                               : sinew_vec3_make(0.0f, 1.0f, 0.0f);
        const sinew_vec3 axis = sinew_vec3_normalize(sinew_vec3_cross(a, e), e);
        return sinew_quat_make(axis.x, axis.y, axis.z, 0.0f);
    }
    const sinew_vec3 axis = sinew_vec3_cross(a, b);
    return sinew_quat_normalize(sinew_quat_make(axis.x, axis.y, axis.z, 1.0f + dot));
}

// Out of a collider, to its surface; a tail on its very axis goes `otherwise`.
static sinew_vec3 push_out(const collider_state *c, float radius, sinew_vec3 tail,
                           sinew_vec3 otherwise)
{
    const sinew_vec3 way = sinew_vec3_sub(c->b, c->a);
    const float square = sinew_vec3_dot(way, way);
    float t = square > 0.0f ? sinew_vec3_dot(sinew_vec3_sub(tail, c->a), way) / square : 0.0f;
    t = t > 0.0f ? (t < 1.0f ? t : 1.0f) : 0.0f;
    const sinew_vec3 nearest = sinew_vec3_add(c->a, sinew_vec3_scale(way, t));
    const sinew_vec3 away = sinew_vec3_sub(tail, nearest);
    const float least = c->radius + radius;
    if (!(sinew_vec3_dot(away, away) < least * least))
        return tail;
    return sinew_vec3_add(nearest, sinew_vec3_scale(sinew_vec3_normalize(away, otherwise), least));
}

// What one chain is between two frames.
typedef struct chain_moment {
    spring_frame base, center;
    float share; // of the way from the last frame to this one, for colliders
} chain_moment;

// Where each link's head and rest direction are is known as the chain is walked.
typedef struct link_walk {
    sinew_vec3 head;
    sinew_quat above; // turn of what the link's joint hangs under
    float size;
} link_walk;

static sinew_quat rest_turn(const sinew_joint_springs_args *args, const swing_link *link,
                            const link_walk *walk)
{
    return sinew_quat_mul(walk->above, sinew_pose_get(args->pose, link->given.joint).rotation);
}

// On to the next link, this one's joint being turned so.
static void walk_on(const swing_link *link, sinew_quat turn, link_walk *walk)
{
    walk->head = sinew_vec3_add(
        walk->head, sinew_quat_rotate(turn, sinew_vec3_scale(link->next_offset, walk->size)));
    walk->above = sinew_quat_mul(turn, link->to_next);
}

// A tail that was pushed out is brought back to its bone's length, and may be inside again: a few
// rounds bring it to where both hold.
static sinew_vec3 keep_out(const spring_chain *chain, const spring_memory *memory,
                           const collider_state *now, float share, const swing_link *link,
                           const link_walk *walk, sinew_vec3 direction, sinew_vec3 axis)
{
    enum { ROUNDS = 8 };
    const float length = link->length * walk->size, radius = link->given.radius * walk->size;
    bool pushed = chain->collider_count > 0;
    for (int round = 0; pushed && round < ROUNDS; round++) {
        pushed = false;
        for (uint32_t i = 0; i < chain->collider_count; i++) {
            const uint16_t c = chain->colliders[i];
            const collider_state *last = &memory->colliders[c];
            const collider_state mixed = {sinew_vec3_lerp(last->a, now[c].a, share),
                                          sinew_vec3_lerp(last->b, now[c].b, share),
                                          last->radius + (now[c].radius - last->radius) * share};
            const sinew_vec3 tail = sinew_vec3_add(walk->head, sinew_vec3_scale(direction, length));
            const sinew_vec3 out = push_out(&mixed, radius, tail, axis);
            pushed = pushed || out.x != tail.x || out.y != tail.y || out.z != tail.z;
            direction = sinew_vec3_normalize(sinew_vec3_sub(out, walk->head), direction);
        }
    }
    return direction;
}

static sinew_vec3 move_tail(const sinew_joint_springs_args *args, const spring_chain *chain,
                            const swing_link *link, const spring_memory *memory,
                            const collider_state *now, const chain_moment *moment,
                            const link_walk *walk, sinew_vec3 axis, link_state *state)
{
    const float h = (float)args->state->springs->step;
    const float length = link->length * walk->size;
    const sinew_vec3 tail = out_of_frame(&moment->center, state->tail),
                     before = out_of_frame(&moment->center, state->tail_before);
    sinew_vec3 next = sinew_vec3_add(
        tail, sinew_vec3_scale(sinew_vec3_sub(tail, before), 1.0f - link->given.drag));
    next = sinew_vec3_add(next, sinew_vec3_scale(axis, link->given.stiffness * h));
    next = sinew_vec3_add(next,
                          sinew_vec3_scale(link->given.gravity_direction, link->given.gravity * h));
    const sinew_vec3 direction =
        keep_out(chain, memory, now, moment->share, link, walk,
                 sinew_vec3_normalize(sinew_vec3_sub(next, walk->head), axis), axis);
    state->tail_before = state->tail;
    state->tail = into_frame(&moment->center,
                             sinew_vec3_add(walk->head, sinew_vec3_scale(direction, length)));
    return direction;
}

static void step_chain(const sinew_joint_springs_args *args, const spring_chain *chain,
                       const spring_memory *memory, const collider_state *now,
                       const chain_moment *moment)
{
    const sinew_joint_springs *s = args->state->springs;
    link_walk walk = {moment->base.place, moment->base.turn, moment->base.size};
    for (uint32_t k = 0; k < chain->link_count; k++) {
        const swing_link *link = &s->links[chain->first_link + k];
        link_state *state = &memory->links[chain->first_link + k];
        const sinew_quat rest = rest_turn(args, link, &walk);
        const sinew_vec3 axis = sinew_quat_rotate(rest, link->axis);
        const sinew_vec3 direction =
            move_tail(args, chain, link, memory, now, moment, &walk, axis, state);
        state->direction_before = state->direction;
        state->direction = direction;
        walk_on(link, sinew_quat_mul(swing_turn(axis, direction), rest), &walk);
    }
}

// Puts a chain where the pose has it, at rest.
static void start_chain(const sinew_joint_springs_args *args, const spring_chain *chain,
                        const spring_memory *memory, const chain_moment *moment)
{
    const sinew_joint_springs *s = args->state->springs;
    link_walk walk = {moment->base.place, moment->base.turn, moment->base.size};
    for (uint32_t k = 0; k < chain->link_count; k++) {
        const swing_link *link = &s->links[chain->first_link + k];
        link_state *state = &memory->links[chain->first_link + k];
        const sinew_quat rest = rest_turn(args, link, &walk);
        state->direction = state->direction_before = sinew_quat_rotate(rest, link->axis);
        state->tail = state->tail_before = into_frame(
            &moment->center, sinew_vec3_add(walk.head, sinew_vec3_scale(state->direction,
                                                                        link->length * walk.size)));
        walk_on(link, rest, &walk);
    }
}

// ---- What is seen -----------------------------------------------------------------------------------------

// Turns the links to the directions between the last two steps; those that point where the pose has
// them keep their bits.
static void show_chain(const sinew_joint_springs_args *args, const spring_chain *chain,
                       const spring_memory *memory, const spring_frame *base, double ahead)
{
    const sinew_joint_springs *s = args->state->springs;
    const float share = (float)(ahead / s->step);
    link_walk walk = {base->place, base->turn, base->size};
    for (uint32_t k = 0; k < chain->link_count; k++) {
        const swing_link *link = &s->links[chain->first_link + k];
        const link_state *state = &memory->links[chain->first_link + k];
        const sinew_quat rest = rest_turn(args, link, &walk);
        const sinew_vec3 axis = sinew_quat_rotate(rest, link->axis);
        const sinew_vec3 direction = sinew_vec3_normalize(
            sinew_vec3_lerp(state->direction_before, state->direction, share), axis);
        sinew_quat turn = rest;
        const sinew_vec3 off = sinew_vec3_sub(direction, axis);
        if (sinew_vec3_dot(off, off) > 1e-12f) {
            turn = sinew_quat_mul(swing_turn(axis, direction), rest);
            sinew_transform local = sinew_pose_get(args->pose, link->given.joint);
            local.rotation =
                sinew_quat_normalize(sinew_quat_mul(sinew_quat_conjugate(walk.above), turn));
            sinew_pose_set(args->pose, link->given.joint, &local);
        }
        walk_on(link, turn, &walk);
    }
}

static sinew_result check_update(const sinew_joint_springs_args *args)
{
    if (!args || !args->state || !args->state->springs || !args->pose || !args->model ||
        !(args->dt >= 0.0) || !isfinite(args->dt))
        return SINEW_ERROR_INVALID_ARGUMENT;
    const uint32_t joints = sinew_skeleton_joint_count(args->state->springs->skeleton);
    if (args->pose->joint_count != joints)
        return SINEW_ERROR_INVALID_ARGUMENT;
    return args->model_count < joints ? SINEW_ERROR_BUFFER_TOO_SMALL : SINEW_OK;
}

// One chain from the last frame to this one; false where what it hangs on is not finite.
static bool update_chain(const sinew_joint_springs_args *args, uint32_t index,
                         const spring_memory *memory, const collider_state *now, uint32_t steps,
                         double dt)
{
    const sinew_joint_springs *s = args->state->springs;
    const spring_chain *chain = &s->chains[index];
    chain_state *last = &memory->chains[index];
    const spring_frame base = base_of(args, chain), center = center_of(args, chain);
    if (!frame_finite(&base) || !frame_finite(&center))
        return false;
    if (!args->state->started || !(last->base.size > 0.0f)) {
        const chain_moment moment = {base, center, 1.0f};
        start_chain(args, chain, memory, &moment);
    } else {
        for (uint32_t i = 1; i <= steps; i++) {
            // seconds of this frame that the step's end lies in
            const double into = (double)i * s->step - args->state->ahead;
            const float share = dt > 0.0 ? (float)(into / dt) : 1.0f;
            const chain_moment moment = {mix_frames(&last->base, &base, share),
                                         mix_frames(&last->center, &center, share), share};
            step_chain(args, chain, memory, now, &moment);
        }
    }
    last->base = base;
    last->center = center;
    return true;
}

sinew_result sinew_joint_springs_update(const sinew_joint_springs_args *args)
{
    sinew_result result = check_update(args);
    if (result != SINEW_OK)
        return result;
    sinew_joint_springs_state *state = args->state;
    const sinew_joint_springs *s = state->springs;
    const spring_memory memory = memory_of(s, state->memory);
    const double dt = args->dt < SPRING_LONGEST ? args->dt : SPRING_LONGEST;
    const uint32_t steps = state->started ? (uint32_t)floor((state->ahead + dt) / s->step) : 0;
    collider_state *now = memory.colliders_now;
    const size_t colliders_size = s->collider_count * sizeof *now;
    for (uint32_t c = 0; c < s->collider_count; c++)
        now[c] = collider_of(args, &s->colliders[c]);
    if (!state->started)
        memcpy(memory.colliders, now, colliders_size);
    const double ahead = state->started ? (state->ahead + dt) - (double)steps * s->step : 0.0;
    uint32_t lost = 0;
    for (uint32_t i = 0; i < s->chain_count; i++) { // one after the other: some hang on others
        const spring_chain *chain = &s->chains[i];
        if (!update_chain(args, i, &memory, now, steps, dt)) {
            lost++;
            continue;
        }
        if (!state->started)
            continue;
        const spring_frame base = base_of(args, chain);
        show_chain(args, chain, &memory, &base, ahead);
        result = sinew_local_to_model(
            &(sinew_local_to_model_args){.skeleton = s->skeleton,
                                         .pose = args->pose,
                                         .root = args->root,
                                         .from_joint = true,
                                         .from = s->links[chain->first_link].given.joint,
                                         .out_model = args->model,
                                         .out_count = args->model_count});
        if (result != SINEW_OK)
            return result;
    }
    state->ahead = ahead;
    memcpy(memory.colliders, now, colliders_size);
    state->started = true;
    if (args->out_lost)
        *args->out_lost = lost;
    return SINEW_OK;
}
