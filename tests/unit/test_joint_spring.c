// SPDX-License-Identifier: MIT
// Chains of joints that swing: lengths, rest, gravity, drag, colliders, frame rates, hitches.
#include "../support/test_main.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sinew/sinew.h"

#include "../support/counting_allocator.h"
#include "../support/random.h"

// A root and a chain of joints along +X, 0.1 m apart; the last has a child at the same distance.
enum { JOINTS = 6, LINKS = 4 };

typedef struct figure {
    sinew_skeleton *skeleton;
    sinew_joint_springs *springs;
    sinew_joint_springs_state state;
    void *memory;
    sinew_pose pose;
    sinew_mat4 model[JOINTS], world;
    sinew_spring_link links[LINKS];
    sinew_spring_chain chain;
} figure;

static figure make_figure(float stiffness, float drag, float gravity)
{
    figure f;
    memset(&f, 0, sizeof f);
    static const char *const names[JOINTS] = {"root", "a", "b", "c", "d", "end"};
    sinew_joint_desc joints[JOINTS];
    for (int j = 0; j < JOINTS; j++) {
        sinew_transform rest = sinew_transform_identity();
        rest.translation.x = j > 1 ? 0.1f : 0.0f;
        joints[j] = (sinew_joint_desc){.name = names[j], .parent = j - 1, .node = -1, .rest = rest};
    }
    f.skeleton = test_skeleton_of(joints, JOINTS);
    for (uint32_t k = 0; k < LINKS; k++)
        f.links[k] = (sinew_spring_link){
            .joint = k + 1, .stiffness = stiffness, .drag = drag, .gravity = gravity};
    f.chain = (sinew_spring_chain){.link_count = LINKS, .center = -1};
    f.pose = test_pose_at_rest(f.skeleton);
    f.world = sinew_mat4_identity();
    return f;
}

static void start_figure(figure *f, const sinew_spring_collider *colliders, uint32_t count)
{
    sinew_error error;
    f->chain.links = f->links;
    assert_ok(sinew_joint_springs_create(&(sinew_joint_springs_desc){.skeleton = f->skeleton,
                                                                     .chains = &f->chain,
                                                                     .chain_count = 1,
                                                                     .colliders = colliders,
                                                                     .collider_count = count},
                                         &f->springs, &error));
    const size_t size = sinew_joint_springs_state_size(f->springs);
    f->memory = test_block(size);
    assert_ok(sinew_joint_springs_state_init(&f->state, f->springs, f->memory, size));
}

static void end_figure(figure *f)
{
    test_pose_free(&f->pose);
    test_block_free(f->memory);
    sinew_joint_springs_destroy(f->springs);
    sinew_skeleton_destroy(f->skeleton);
}

// One frame: the pose at rest, the figure at a place in the world.
static void frame_at(figure *f, float x, float y, double dt)
{
    assert_ok(sinew_pose_set_rest(&f->pose, f->skeleton));
    assert_ok(sinew_local_to_model(&(sinew_local_to_model_args){
        .skeleton = f->skeleton, .pose = &f->pose, .out_model = f->model, .out_count = JOINTS}));
    f->world.m[12] = x;
    f->world.m[13] = y;
    assert_ok(sinew_joint_springs_update(&(sinew_joint_springs_args){.state = &f->state,
                                                                     .dt = dt,
                                                                     .world_from_model = &f->world,
                                                                     .pose = &f->pose,
                                                                     .model = f->model,
                                                                     .model_count = JOINTS}));
}

static sinew_vec3 place(const figure *f, int joint)
{
    return sinew_vec3_make(f->model[joint].m[12], f->model[joint].m[13], f->model[joint].m[14]);
}

static void assert_lengths(const figure *f)
{
    for (int j = 2; j < JOINTS; j++)
        assert_near(sinew_vec3_length(sinew_vec3_sub(place(f, j), place(f, j - 1))), 0.1, 1e-5);
}

static void a_chain_at_rest_keeps_its_bits(void **state)
{
    (void)state;
    figure f = make_figure(1.0f, 0.4f, 0.0f);
    start_figure(&f, NULL, 0);
    const sinew_pose rest = test_pose_at_rest(f.skeleton);
    for (int i = 0; i < 100; i++) {
        frame_at(&f, 3.0f, 0.0f, 1.0 / 50);
        assert_memory_equal(f.pose.planes, rest.planes, sinew_pose_size(JOINTS));
    }
    sinew_pose copy = rest;
    test_pose_free(&copy);
    end_figure(&f);
}

// Nothing pulls but gravity: all bones hang down in the end, 0.4 m below their root.
static void gravity_hangs_a_chain_down(void **state)
{
    (void)state;
    figure f = make_figure(0.0f, 0.2f, 0.3f);
    start_figure(&f, NULL, 0);
    for (int i = 0; i < 1200; i++) {
        frame_at(&f, 0, 0, 1.0 / 60);
        assert_lengths(&f);
    }
    for (int j = 1; j < JOINTS; j++) {
        assert_near(place(&f, j).x, 0, 1e-3);
        assert_near(place(&f, j).y, -0.1 * (j - 1), 1e-3);
    }
    end_figure(&f);
}

// A drag of 1 leaves no motion to go on with: each step moves by stiffness and gravity alone. From
// the axis (1, 0, 0), with stiffness 0 and gravity g, a tail at (0.1, 0) goes to (0.1, -g / 60),
// and back to 0.1 m: g = 0.6 gives (0.1, -0.01) / |...| * 0.1 = (0.0995037, -0.00995037).
static void one_step_is_the_formula(void **state)
{
    (void)state;
    figure f = make_figure(0.0f, 1.0f, 0.6f);
    f.chain.link_count = 1;
    start_figure(&f, NULL, 0);
    frame_at(&f, 0, 0, 0);
    frame_at(&f, 0, 0, 1.0 / 60); // worked out; seen from the next step on
    frame_at(&f, 0, 0, 1.0 / 60);
    assert_near(place(&f, 2).x, 0.0995037, 1e-6);
    assert_near(place(&f, 2).y, -0.00995037, 1e-6);
    end_figure(&f);
}

// A second of motion to and fro, the same at any rate (TRAPS B101): ends within 1 % of the chain's
// length of each other.
static sinew_vec3 end_after_motion(double rate, float *out_way)
{
    figure f = make_figure(1.2f, 0.25f, 0.2f);
    start_figure(&f, NULL, 0);
    frame_at(&f, 0, 0, 0);
    const int frames = (int)(rate + 0.5);
    float way = 0;
    for (int i = 1; i <= frames; i++) {
        const float t = (float)i / (float)frames;
        frame_at(&f, 0.5f * sinf(6.2831853f * t), 0, 1.0 / rate);
        way = fmaxf(way, fabsf(place(&f, 5).y));
        assert_lengths(&f);
    }
    const sinew_vec3 end = place(&f, 5);
    *out_way = way;
    end_figure(&f);
    return end;
}

static void frame_rates_do_not_matter(void **state)
{
    (void)state;
    float way;
    const sinew_vec3 at_60 = end_after_motion(60, &way);
    assert_true(way > 0.05f); // it swings
    static const double rates[] = {30, 120, 144, 240};
    for (int i = 0; i < 4; i++) {
        const sinew_vec3 end = end_after_motion(rates[i], &way);
        assert_near(sinew_vec3_length(sinew_vec3_sub(end, at_60)), 0, 0.004);
    }
    end_after_motion(7, &way); // finite, and of the bones' lengths
}

static void a_hitch_leaves_all_finite(void **state)
{
    (void)state;
    figure f = make_figure(2.0f, 0.1f, 1.0f);
    start_figure(&f, NULL, 0);
    frame_at(&f, 0, 0, 0);
    for (int i = 0; i < 30; i++)
        frame_at(&f, 0.1f * (float)i, 0, 1.0 / 60);
    frame_at(&f, 8, 2, 0.5);
    assert_lengths(&f);
    frame_at(&f, 9, 2, 1000); // more than 2 s count as 2
    assert_lengths(&f);
    end_figure(&f);
}

// At the start, and after a teleport, no energy comes in: the pose's bits at once and from then on.
static void teleports_kick_nothing(void **state)
{
    (void)state;
    figure f = make_figure(1.0f, 0.1f, 0.0f);
    start_figure(&f, NULL, 0);
    const sinew_pose rest = test_pose_at_rest(f.skeleton);
    frame_at(&f, 100, 0, 1.0 / 60); // a first frame with time
    for (int i = 0; i < 20; i++)
        frame_at(&f, 100, 0, 1.0 / 60);
    assert_memory_equal(f.pose.planes, rest.planes, sinew_pose_size(JOINTS));
    sinew_joint_springs_state_reset(&f.state);
    for (int i = 0; i < 20; i++) {
        frame_at(&f, -50, 0, 1.0 / 60);
        assert_memory_equal(f.pose.planes, rest.planes, sinew_pose_size(JOINTS));
    }
    sinew_pose copy = rest;
    test_pose_free(&copy);
    end_figure(&f);
}

// A walk of the center carries the chain along: the root as center, nothing swings.
static void a_center_carries_the_chain(void **state)
{
    (void)state;
    figure f = make_figure(1.0f, 0.2f, 0.0f);
    f.chain.center = 0;
    start_figure(&f, NULL, 0);
    for (int i = 0; i < 60; i++) {
        frame_at(&f, 0.05f * (float)i, 0.02f * (float)(i % 7), 1.0 / 60);
        for (int j = 1; j < JOINTS; j++)
            assert_near(place(&f, j).y, 0, 1e-4);
    }
    end_figure(&f);
}

// A sphere below: the chain that hangs down comes to lie on it, and no tail is inside.
static void colliders_keep_tails_out(void **state)
{
    (void)state;
    for (int capsule = 0; capsule < 2; capsule++) {
        figure f = make_figure(0.0f, 0.3f, 0.5f);
        for (int k = 0; k < LINKS; k++)
            f.links[k].radius = 0.01f;
        const sinew_spring_collider collider = {.joint = 0,
                                                .offset = {0.15f, -0.12f, capsule ? -1.0f : 0.0f},
                                                .is_capsule = capsule,
                                                .tail = {0.15f, -0.12f, 1.0f},
                                                .radius = 0.08f};
        const uint16_t which = 0;
        f.chain.colliders = &which;
        f.chain.collider_count = 1;
        start_figure(&f, &collider, 1);
        float lowest = 0;
        for (int i = 0; i < 600; i++) {
            frame_at(&f, 0, 0, 1.0 / 60);
            assert_lengths(&f);
            for (int j = 2; j < JOINTS; j++) {
                const sinew_vec3 p = place(&f, j);
                const float x = p.x - 0.15f, y = p.y + 0.12f, z = capsule ? 0 : p.z;
                // what is seen lies between two steps: a little inside is possible while it moves
                assert_true(sqrtf(x * x + y * y + z * z) > 0.09f - (i < 300 ? 0.01f : 1e-3f));
            }
            lowest = fminf(lowest, place(&f, 5).y);
        }
        assert_true(lowest < -0.05f); // it fell over the edge
        end_figure(&f);
    }
}

// A second chain that hangs on the first one's second link: where that swings, it goes along in the
// same frame, so that the joint stays where its parent puts it.
static void a_chain_hangs_on_another(void **state)
{
    (void)state;
    figure f = make_figure(0.0f, 0.2f, 0.3f);
    const sinew_spring_chain chains[] = {{.links = f.links, .link_count = 2, .center = -1},
                                         {.links = f.links + 2, .link_count = 2, .center = -1}};
    f.chain.links = f.links;
    assert_ok(sinew_joint_springs_create(
        &(sinew_joint_springs_desc){.skeleton = f.skeleton, .chains = chains, .chain_count = 2},
        &f.springs, NULL));
    const size_t size = sinew_joint_springs_state_size(f.springs);
    f.memory = test_block(size);
    assert_ok(sinew_joint_springs_state_init(&f.state, f.springs, f.memory, size));
    for (int i = 0; i < 1200; i++) {
        frame_at(&f, 0, 0, 1.0 / 60);
        assert_lengths(&f);
    }
    for (int j = 1; j < JOINTS; j++) { // all hang down in the end
        assert_near(place(&f, j).x, 0, 1e-3);
        assert_near(place(&f, j).y, -0.1 * (j - 1), 1e-3);
    }
    end_figure(&f);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    figure f = make_figure(1, 0.5f, 0);
    sinew_joint_springs *springs = NULL;
    sinew_error error;
    f.chain.links = f.links;
    sinew_joint_springs_desc desc = {.skeleton = f.skeleton, .chains = &f.chain, .chain_count = 1};
    assert_result(sinew_joint_springs_create(NULL, &springs, &error), SINEW_ERROR_INVALID_ARGUMENT);
    f.links[2].joint = 99;
    assert_result(sinew_joint_springs_create(&desc, &springs, &error), SINEW_ERROR_INDEX_RANGE);
    assert_string_equal(error.path, "chains[0].links[2]");
    f.links[2].joint = 1;
    assert_result(sinew_joint_springs_create(&desc, &springs, &error),
                  SINEW_ERROR_INVALID_ARGUMENT);
    f.links[2].joint = 3;
    f.links[1].drag = 1.5f;
    assert_result(sinew_joint_springs_create(&desc, &springs, &error),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_string_equal(error.path, "chains[0].links[1]");
    f.links[1].drag = NAN;
    assert_result(sinew_joint_springs_create(&desc, &springs, &error),
                  SINEW_ERROR_INVALID_ARGUMENT);
    f.links[1].drag = 0.5f;
    const uint16_t none = 0;
    f.chain.colliders = &none, f.chain.collider_count = 1;
    assert_result(sinew_joint_springs_create(&desc, &springs, &error), SINEW_ERROR_INDEX_RANGE);
    f.chain.collider_count = 0;
    desc.step = -1;
    assert_result(sinew_joint_springs_create(&desc, &springs, &error),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_null(springs);
    start_figure(&f, NULL, 0);
    sinew_joint_springs_args args = {
        .state = &f.state, .dt = 0.1, .pose = &f.pose, .model = f.model, .model_count = JOINTS - 1};
    assert_result(sinew_joint_springs_update(&args), SINEW_ERROR_BUFFER_TOO_SMALL);
    args.model_count = JOINTS, args.dt = -1;
    assert_result(sinew_joint_springs_update(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args.dt = NAN;
    assert_result(sinew_joint_springs_update(&args), SINEW_ERROR_INVALID_ARGUMENT);
    end_figure(&f);
}

// A root that is not finite: the chain is left, counted, and swings on afterwards.
static void what_is_not_finite_is_left_and_counted(void **state)
{
    (void)state;
    figure f = make_figure(1, 0.3f, 0.1f);
    start_figure(&f, NULL, 0);
    for (int i = 0; i < 10; i++)
        frame_at(&f, 0, 0, 1.0 / 60);
    uint32_t lost = 0;
    f.world.m[12] = NAN;
    assert_ok(sinew_joint_springs_update(&(sinew_joint_springs_args){.state = &f.state,
                                                                     .dt = 1.0 / 60,
                                                                     .world_from_model = &f.world,
                                                                     .pose = &f.pose,
                                                                     .model = f.model,
                                                                     .model_count = JOINTS,
                                                                     .out_lost = &lost}));
    assert_int_equal(lost, 1);
    for (int i = 0; i < 10; i++) {
        frame_at(&f, 0, 0, 1.0 / 60);
        assert_lengths(&f);
    }
    end_figure(&f);
}

static void memory_is_given_back(void **state)
{
    (void)state;
    figure f = make_figure(1, 0.5f, 0);
    f.chain.links = f.links;
    counting_allocator counter = {0};
    sinew_joint_springs_desc desc = {.skeleton = f.skeleton,
                                     .chains = &f.chain,
                                     .chain_count = 1,
                                     .allocator = counting_allocator_use(&counter)};
    for (uint64_t fail = 1; fail < 20; fail++) {
        sinew_joint_springs *springs = NULL;
        counter.fail_at = counter.call_count + fail;
        sinew_result result = sinew_joint_springs_create(&desc, &springs, NULL);
        counter.fail_at = 0;
        sinew_joint_springs_destroy(springs);
        assert_int_equal(counter.live_count, 0);
        assert_int_equal(counter.fault_count, 0);
        if (result == SINEW_OK)
            break;
        assert_result(result, SINEW_ERROR_OUT_OF_MEMORY);
        assert_true(fail < 19);
    }
    start_figure(&f, NULL, 0);
    end_figure(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_at_rest_keeps_its_bits),
        cmocka_unit_test(gravity_hangs_a_chain_down),
        cmocka_unit_test(one_step_is_the_formula),
        cmocka_unit_test(frame_rates_do_not_matter),
        cmocka_unit_test(a_hitch_leaves_all_finite),
        cmocka_unit_test(teleports_kick_nothing),
        cmocka_unit_test(a_center_carries_the_chain),
        cmocka_unit_test(colliders_keep_tails_out),
        cmocka_unit_test(a_chain_hangs_on_another),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(what_is_not_finite_is_left_and_counted),
        cmocka_unit_test(memory_is_given_back),
    };
    return TEST_RUN(tests);
}
