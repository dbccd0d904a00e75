// SPDX-License-Identifier: MIT
// Wrong arguments to ik.h, joint_spring.h and spring.h.
#include "../support/misuse.h"

static sinew_pose pose, planeless, bird;
static sinew_mat4 *model;
static uint32_t hip, knee, ankle, past;

static uint32_t joint(const char *name)
{
    int32_t found = sinew_skeleton_find_joint(misuse.skeleton, name);
    assert_true(found >= 0);
    return (uint32_t)found;
}

static sinew_ik_rig good_rig(void)
{
    return (sinew_ik_rig){.skeleton = misuse.skeleton,
                          .pose = &pose,
                          .model = model,
                          .out_model = model,
                          .model_count = misuse.joint_count};
}

static void make_figure(void)
{
    pose = misuse_pose(misuse.skeleton);
    planeless = pose;
    planeless.planes = NULL;
    bird = misuse_pose(sinew_stream_rig_skeleton(misuse.bird->rig));
    past = misuse.joint_count;
    model = misuse_block(past * sizeof *model);
    memcpy(model, sinew_skeleton_rest_model(misuse.skeleton), past * sizeof *model);
    hip = joint("thigh_l"), knee = joint("shin_l"), ankle = joint("foot_l");
}

// What all solvers ask of a rig.
#define SPOILS_RIG(call, type, good)                                                               \
    do {                                                                                           \
        REFUSES(call, (NULL));                                                                     \
        SPOILS(INVALID_ARGUMENT, call, type, good, rig.skeleton = NULL);                           \
        SPOILS(INVALID_ARGUMENT, call, type, good, rig.pose = NULL);                               \
        SPOILS(INVALID_ARGUMENT, call, type, good, rig.pose = &planeless);                         \
        SPOILS(INVALID_ARGUMENT, call, type, good, rig.pose = &bird);                              \
        SPOILS(INVALID_ARGUMENT, call, type, good, rig.model = NULL);                              \
        SPOILS(BUFFER_TOO_SMALL, call, type, good, rig.model_count--);                             \
        SPOILS(NOT_FINITE, call, type, good, weight = NAN);                                        \
    } while (0)

static void two_bones(void **state)
{
    (void)state;
    make_figure();
    const sinew_two_bone_ik_args good = {.rig = good_rig(),
                                         .start = hip,
                                         .mid = knee,
                                         .end = ankle,
                                         .target = {0.1f, 0.2f, 0.1f},
                                         .weight = 1};
    assert_ok(sinew_two_bone_ik(&good));
    SPOILS_RIG(sinew_two_bone_ik, sinew_two_bone_ik_args, good);
#define SPOILS_LIMB(code, change)                                                                  \
    SPOILS(code, sinew_two_bone_ik, sinew_two_bone_ik_args, good, change)
    SPOILS_LIMB(INVALID_ARGUMENT, start = past);
    SPOILS_LIMB(INVALID_ARGUMENT, mid = past);
    SPOILS_LIMB(INVALID_ARGUMENT, end = UINT32_MAX);
    SPOILS_LIMB(INVALID_ARGUMENT, mid = hip);
    SPOILS_LIMB(INVALID_ARGUMENT, end = hip);
    SPOILS_LIMB(INVALID_ARGUMENT, pole_kind = (sinew_ik_pole)9);
    SPOILS_LIMB(NOT_FINITE, target.x = NAN);
    SPOILS_LIMB(NOT_FINITE, pole.y = INFINITY);
    SPOILS_LIMB(NOT_FINITE, hinge.z = NAN);
    SPOILS_LIMB(NOT_FINITE, soft = NAN);
    SPOILS_LIMB(NOT_FINITE, twist = INFINITY);

    sinew_two_bone_lanes block = {0};
    REFUSES(sinew_two_bone_ik_batch, (NULL, 1));
    assert_ok(sinew_two_bone_ik_batch(&block, 16)); // zeros are fine
    for (int lane = 0; lane < SINEW_IK_LANES; lane++)
        assert_true(isfinite(block.out_start[3][lane]) && isfinite(block.out_mid[3][lane]));
    REFUSES(sinew_two_bone_lanes_set, (NULL, 0, &good));
    REFUSES(sinew_two_bone_lanes_set, (&block, 16, &good));
    REFUSES(sinew_two_bone_lanes_set, (&block, 0, NULL));
    REFUSES(sinew_two_bone_lanes_apply, (NULL, 0, &good));
    REFUSES(sinew_two_bone_lanes_apply, (&block, 16, &good));
    REFUSES(sinew_two_bone_lanes_apply, (&block, 0, NULL));
    REFUSES(sinew_two_bone_lanes_set, (&block, 0, &(sinew_two_bone_ik_args){0}));
    REFUSES(sinew_two_bone_lanes_apply, (&block, 0, &(sinew_two_bone_ik_args){0}));
}

static void aims(void **state)
{
    (void)state;
    const uint32_t chain[2] = {joint("neck_1"), joint("head")}, wrong[2] = {hip, chain[1]};
    static const float negative[2] = {-1.0f, 1.0f}, broken[2] = {NAN, 1.0f};
    const sinew_aim_ik_args good = {.rig = good_rig(),
                                    .joint = chain[1],
                                    .target = {1, 1, 1},
                                    .forward = {0, 0, 1},
                                    .weight = 1,
                                    .chain = chain,
                                    .chain_count = 2};
    assert_ok(sinew_aim_ik(&good));
    assert_ok(sinew_aim_chain_ik(&good));
    SPOILS_RIG(sinew_aim_ik, sinew_aim_ik_args, good);
    SPOILS_RIG(sinew_aim_chain_ik, sinew_aim_ik_args, good);
#define SPOILS_AIM(code, change)                                                                   \
    do {                                                                                           \
        SPOILS(code, sinew_aim_ik, sinew_aim_ik_args, good, change);                               \
        SPOILS(code, sinew_aim_chain_ik, sinew_aim_ik_args, good, change);                         \
    } while (0)
    SPOILS_AIM(INVALID_ARGUMENT, joint = past);
    SPOILS_AIM(INVALID_ARGUMENT, forward.z = 0.0f);
    SPOILS_AIM(NOT_FINITE, target.x = NAN);
    SPOILS_AIM(NOT_FINITE, offset.y = INFINITY);
    SPOILS_AIM(NOT_FINITE, up.y = NAN);
    SPOILS_AIM(NOT_FINITE, max_angle = NAN);
#define SPOILS_CHAIN(code, change) SPOILS(code, sinew_aim_chain_ik, sinew_aim_ik_args, good, change)
    SPOILS_CHAIN(INVALID_ARGUMENT, chain = NULL);
    SPOILS_CHAIN(INVALID_ARGUMENT, chain = wrong);
    SPOILS_CHAIN(INVALID_ARGUMENT, chain_count = 0);
    SPOILS_CHAIN(INVALID_ARGUMENT, shares = negative);
    SPOILS_CHAIN(NOT_FINITE, shares = broken);
}

static void chains(void **state)
{
    (void)state;
    static const sinew_ik_limit limits[1] = {{{0, 1, 0}, 1, 0.5f, -0.5f}};
    const sinew_chain_ik_args good = {.rig = good_rig(),
                                      .start = joint("tail_1"),
                                      .end = joint("tail_6"),
                                      .target = {0.2f, 0.3f, -0.4f},
                                      .weight = 1};
    assert_ok(sinew_chain_ik(&good));
    SPOILS_RIG(sinew_chain_ik, sinew_chain_ik_args, good);
#define SPOILS_TAIL(code, change) SPOILS(code, sinew_chain_ik, sinew_chain_ik_args, good, change)
    SPOILS_TAIL(INVALID_ARGUMENT, start = past);
    SPOILS_TAIL(INVALID_ARGUMENT, end = UINT32_MAX);
    SPOILS_TAIL(INVALID_ARGUMENT, end = hip);
    SPOILS_TAIL(INVALID_ARGUMENT, method = (sinew_chain_method)4);
    SPOILS_TAIL(NOT_FINITE, target.z = INFINITY);
    SPOILS_TAIL(NOT_FINITE, tolerance = NAN);
    sinew_chain_ik_args limited = good;
    limited.limits = limits, limited.limit_count = 1; // too few, and min above max
    REFUSES(sinew_chain_ik, (&limited));
}

static void feet(void **state)
{
    (void)state;
    sinew_foot foot = {.hip = hip,
                       .knee = knee,
                       .ankle = ankle,
                       .ankle_height = 0.1f,
                       .grounded = true,
                       .ground_normal = {0, 1, 0},
                       .weight = 1};
    const sinew_place_feet_args good = {
        .rig = good_rig(), .pelvis = joint("hips"), .feet = &foot, .foot_count = 1, .weight = 1};
    assert_ok(sinew_place_feet(&good));
    SPOILS_RIG(sinew_place_feet, sinew_place_feet_args, good);
#define SPOILS_FEET(code, change)                                                                  \
    SPOILS(code, sinew_place_feet, sinew_place_feet_args, good, change)
    SPOILS_FEET(INVALID_ARGUMENT, pelvis = past);
    SPOILS_FEET(INVALID_ARGUMENT, pelvis = ankle);
    SPOILS_FEET(INVALID_ARGUMENT, feet = NULL);
    SPOILS_FEET(LIMIT_EXCEEDED, foot_count = SINEW_IK_MAX_LEGS + 1);
    SPOILS_FEET(NOT_FINITE, up.x = NAN);
    SPOILS_FEET(NOT_FINITE, floor = INFINITY);
    foot.ankle = past;
    SPOILS_FEET(INVALID_ARGUMENT, foot_count = 1);
    foot.ankle = ankle, foot.ground_point.y = NAN;
    SPOILS_FEET(NOT_FINITE, foot_count = 1);
    foot.ground_point.y = 0, foot.pole_kind = (sinew_ik_pole)8;
    SPOILS_FEET(INVALID_ARGUMENT, foot_count = 1);
}

static void joint_springs(void **state)
{
    (void)state;
    sinew_spring_link links[2] = {{.joint = joint("tail_1"), .stiffness = 1},
                                  {.joint = joint("tail_2"), .stiffness = 1}};
    sinew_spring_chain chain = {.links = links, .link_count = 2, .center = -1};
    sinew_spring_collider collider = {.joint = 0, .radius = 0.1f};
    const sinew_joint_springs_desc good = {
        .skeleton = misuse.skeleton, .chains = &chain, .chain_count = 1};
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_joint_springs_create, sinew_joint_springs,
                  (NULL, &made, NULL));
    REFUSES(sinew_joint_springs_create, (&good, NULL, NULL));
#define SPOILS_SPRINGS(code, change)                                                               \
    SPOILS_MAKING(code, sinew_joint_springs_create, sinew_joint_springs_desc, good,                \
                  sinew_joint_springs, change)
    SPOILS_SPRINGS(INVALID_ARGUMENT, skeleton = NULL);
    SPOILS_SPRINGS(INVALID_ARGUMENT, chains = NULL);
    SPOILS_SPRINGS(INVALID_ARGUMENT, collider_count = 1);
    SPOILS_SPRINGS(INVALID_ARGUMENT, step = -1.0);
    SPOILS_SPRINGS(INVALID_ARGUMENT, step = NAN);
    chain.links = NULL;
    SPOILS_SPRINGS(INVALID_ARGUMENT, chain_count = 1);
    chain.links = links, chain.link_count = 0;
    SPOILS_SPRINGS(INVALID_ARGUMENT, chain_count = 1);
    chain.link_count = 2, chain.center = (int32_t)past;
    SPOILS_SPRINGS(INDEX_RANGE, chain_count = 1);
    chain.center = -1, chain.collider_count = 1;
    SPOILS_SPRINGS(INVALID_ARGUMENT, chain_count = 1);
    chain.collider_count = 0, links[1].joint = past;
    SPOILS_SPRINGS(INDEX_RANGE, chain_count = 1);
    links[1].joint = hip;
    SPOILS_SPRINGS(INVALID_ARGUMENT, chain_count = 1);
    links[1].joint = joint("tail_2"), links[1].drag = 2;
    SPOILS_SPRINGS(INVALID_ARGUMENT, chain_count = 1);
    links[1].drag = NAN;
    SPOILS_SPRINGS(INVALID_ARGUMENT, chain_count = 1);
    links[1].drag = 0, collider.joint = past;
    sinew_joint_springs_desc collided = good;
    collided.colliders = &collider, collided.collider_count = 1;
    MAKES_NOTHING(INDEX_RANGE, sinew_joint_springs_create, sinew_joint_springs,
                  (&collided, &made, NULL));

    const sinew_joint_springs *s = misuse.springs;
    NOTHING(sinew_joint_springs_destroy, (NULL));
    ANSWERS(sinew_joint_springs_link_count, sinew_joint_springs_link_count(NULL) == 0);
    ANSWERS(sinew_joint_springs_state_size, sinew_joint_springs_state_size(NULL) == 0);
    const size_t size = sinew_joint_springs_state_size(s);
    char *block = misuse_block(size + 64);
    sinew_joint_springs_state springs = {0}, none = {0};
    REFUSES(sinew_joint_springs_state_init, (NULL, s, block, size));
    REFUSES(sinew_joint_springs_state_init, (&springs, NULL, block, size));
    REFUSES(sinew_joint_springs_state_init, (&springs, s, NULL, size));
    REFUSES_WITH(MISALIGNED, sinew_joint_springs_state_init, (&springs, s, block + 4, size));
    REFUSES_WITH(BUFFER_TOO_SMALL, sinew_joint_springs_state_init, (&springs, s, block, size - 1));
    assert_ok(sinew_joint_springs_state_init(&springs, s, block, size));
    const sinew_joint_springs_args args = {
        .state = &springs, .dt = 0.02, .pose = &pose, .model = model, .model_count = past};
    assert_ok(sinew_joint_springs_update(&args));
    REFUSES(sinew_joint_springs_update, (NULL));
#define SPOILS_UPDATE(code, change)                                                                \
    SPOILS(code, sinew_joint_springs_update, sinew_joint_springs_args, args, change)
    SPOILS_UPDATE(INVALID_ARGUMENT, state = NULL);
    SPOILS_UPDATE(INVALID_ARGUMENT, state = &none);
    SPOILS_UPDATE(INVALID_ARGUMENT, dt = -0.1);
    SPOILS_UPDATE(INVALID_ARGUMENT, dt = NAN);
    SPOILS_UPDATE(INVALID_ARGUMENT, pose = NULL);
    SPOILS_UPDATE(INVALID_ARGUMENT, pose = &bird);
    SPOILS_UPDATE(INVALID_ARGUMENT, pose = &planeless);
    SPOILS_UPDATE(INVALID_ARGUMENT, model = NULL);
    SPOILS_UPDATE(BUFFER_TOO_SMALL, model_count--);
}

static void point_springs(void **state)
{
    (void)state;
    ANSWERS(sinew_spring_preset_values,
            sinew_spring_preset_values((sinew_spring_preset)9).mass > 0.0f);
    const sinew_spring good = {1, 100, 0.5f};
    sinew_spring_step step = {0};
    REFUSES(sinew_spring_step_make, (NULL, 0.1, &step));
    REFUSES(sinew_spring_step_make, (&good, 0.1, NULL));
    REFUSES(sinew_spring_step_make, (&good, -0.1, &step));
    REFUSES(sinew_spring_step_make, (&good, NAN, &step));
    REFUSES(sinew_spring_step_make, (&(sinew_spring){0, 100, 0.5f}, 0.1, &step));
    REFUSES(sinew_spring_step_make, (&(sinew_spring){1, -1, 0.5f}, 0.1, &step));
    REFUSES(sinew_spring_step_make, (&(sinew_spring){1, 100, NAN}, 0.1, &step));
    assert_ok(sinew_spring_step_make(&good, 0.1, &step));
    ANSWERS(sinew_springs_size, sinew_springs_size(0) % 64 == 0);
    ANSWERS(sinew_springs_size, sinew_springs_size(UINT32_MAX) >= (size_t)UINT32_MAX * 36);
    const size_t size = sinew_springs_size(3);
    char *block = misuse_block(size + 64);
    sinew_springs springs = {0};
    REFUSES(sinew_springs_init, (NULL, 3, block, size));
    REFUSES(sinew_springs_init, (&springs, 3, NULL, size));
    REFUSES_WITH(MISALIGNED, sinew_springs_init, (&springs, 3, block + 4, size));
    REFUSES_WITH(BUFFER_TOO_SMALL, sinew_springs_init, (&springs, 3, block, size - 1));
    assert_ok(sinew_springs_init(&springs, 3, block, size));
    static const float targets[9] = {0};
    static const sinew_spring_run few = {2, 0}, stranger = {3, 1};
    float out[9];
    const sinew_springs_step_args args = {
        .state = &springs, .steps = &step, .step_count = 1, .targets = targets};
    assert_ok(sinew_springs_step(&args));
    REFUSES(sinew_springs_step, (NULL));
#define SPOILS_STEP(change)                                                                        \
    SPOILS(INVALID_ARGUMENT, sinew_springs_step, sinew_springs_step_args, args, change)
    SPOILS_STEP(state = NULL);
    SPOILS_STEP(steps = NULL);
    SPOILS_STEP(step_count = 0);
    SPOILS_STEP(targets = NULL);
    SPOILS_STEP(target_stride = 5);
    SPOILS_STEP(run_count = 1); // and no runs
    sinew_springs_step_args spoilt = args;
    spoilt.runs = &few, spoilt.run_count = 1;
    REFUSES(sinew_springs_step, (&spoilt));
    spoilt.runs = &stranger;
    REFUSES(sinew_springs_step, (&spoilt));
    spoilt = args, spoilt.out_positions = out, spoilt.out_position_stride = 7;
    REFUSES(sinew_springs_step, (&spoilt));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_bones),     cmocka_unit_test(aims),
        cmocka_unit_test(chains),        cmocka_unit_test(feet),
        cmocka_unit_test(joint_springs), cmocka_unit_test(point_springs),
    };
    return MISUSE_RUN(tests);
}
