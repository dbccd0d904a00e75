// SPDX-License-Identifier: MIT
// Solvers on random rigs: chains with branches, roots, even scales, mirrors, uneven scales and
// every scale rule. Positions are those of the oracle, in double precision.
#include "../support/test_main.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../support/ik_figure.h"

// SPEC 15: reachable to 1e-5, here of the chain's length as the pose has it, at least 1 for what
// the place of the chain rounds.
#define REACH 1e-5

typedef enum scale_kind { EVEN, MIRRORED, UNEVEN, ACCUMULATED, COMPENSATED } scale_kind;

// A chain of so many joints under a root; every third has a leaf beside the next one. chain[k]:
// joint indices.
static ik_figure *random_figure(test_random *random, uint32_t chain_count, scale_kind kind,
                                uint32_t *chain)
{
    sinew_joint_desc joints[IK_FIGURE_JOINTS];
    uint32_t inputs[IK_FIGURE_JOINTS], count = 0;
    memset(joints, 0, sizeof joints);
    int32_t parent = -1;
    for (uint32_t k = 0; k <= chain_count; k++) {
        sinew_joint_desc *j = &joints[count];
        j->parent = parent, j->node = -1;
        j->rest = test_random_transform(random);
        float even = test_random_float(random, 0.7f, 1.4f);
        j->rest.scale = sinew_vec3_make(even, even, even);
        if (kind == MIRRORED && test_random_below(random, 3) == 0)
            j->rest.scale.x = -even;
        if (kind == UNEVEN || kind == ACCUMULATED || kind == COMPENSATED)
            j->rest.scale = test_random_vec3(random, 0.85f, 1.15f);
        if (kind == ACCUMULATED)
            j->scale_rule = SINEW_SCALE_ACCUMULATE;
        if (kind == COMPENSATED)
            j->scale_rule = SINEW_SCALE_COMPENSATE;
        if (k > 0)
            inputs[k - 1] = count;
        parent = (int32_t)count++;
        if (k % 3 == 1) {
            joints[count] = *j;
            joints[count].parent = parent;
            count++;
        }
    }
    ik_figure *f = ik_figure_make(joints, count);
    const uint16_t *joint_of_input = sinew_skeleton_joint_of_input(f->skeleton);
    for (uint32_t k = 0; k < chain_count; k++)
        chain[k] = joint_of_input[inputs[k]];
    f->has_root = true;
    sinew_transform root = test_random_transform(random);
    root.scale = sinew_vec3_make(root.scale.x, root.scale.x, root.scale.x);
    f->root = sinew_mat4_from_transform(&root);
    for (uint32_t j = 0; j < count; j++) {
        sinew_transform t = sinew_pose_get(&f->pose, j);
        t.rotation = test_random_quat(random);
        sinew_pose_set(&f->pose, j, &t);
    }
    ik_figure_refresh(f);
    return f;
}

static double chain_lengths(const ik_figure *f, const uint32_t *chain, uint32_t count,
                            double *lengths)
{
    double sum = 0;
    for (uint32_t k = 0; k + 1 < count; k++) {
        lengths[k] = oracle_length(
            oracle_sub(ik_figure_position(f, chain[k + 1]), ik_figure_position(f, chain[k])));
        sum += lengths[k];
    }
    return sum;
}

static sinew_vec3 random_direction(test_random *random)
{
    return sinew_quat_rotate(test_random_quat(random), sinew_vec3_make(0, 0, 1));
}

// A target so far from a joint.
static sinew_vec3 target_at(test_random *random, const ik_figure *f, uint32_t joint,
                            double distance)
{
    oracle_vec3 p = ik_figure_position(f, joint);
    sinew_vec3 d = random_direction(random);
    return sinew_vec3_make((float)(p.x + d.x * distance), (float)(p.y + d.y * distance),
                           (float)(p.z + d.z * distance));
}

static void two_bones_reach(void **state)
{
    (void)state;
    for (int kind = EVEN; kind <= COMPENSATED; kind++)
        for (uint64_t round = 0; round < 300; round++) {
            test_random random = test_random_make(10000 * (uint64_t)kind + round);
            uint32_t chain[5], count = 3 + test_random_below(&random, 3);
            ik_figure *f = random_figure(&random, count, (scale_kind)kind, chain);
            uint32_t mid = 1 + test_random_below(&random, count - 2);
            const uint32_t limb[3] = {chain[0], chain[mid], chain[count - 1]};
            double lengths[2];
            double length = chain_lengths(f, limb, 3, lengths);
            double nearest = fabs(lengths[0] - lengths[1]);
            oracle_vec3 start = ik_figure_position(f, limb[0]);
            double d = length * (double)test_random_float(&random, 0.0f, 1.3f);
            if (kind == UNEVEN && nearest > 0.4 * length) { // out of reach for some rotations
                ik_figure_free(f);
                continue;
            }
            if (kind == UNEVEN) // lengths are not kept: well within what any rotation gives
                d = nearest + (length - nearest) * (0.35 + 0.3 * (d / length / 1.3));
            sinew_vec3 target = target_at(&random, f, limb[0], d);
            float *before = ik_figure_planes(f);
            sinew_quat mid_before = ik_figure_rotation(f, limb[1]);
            bool poled = round % 2 == 1, reached = false;
            sinew_vec3 pole = random_direction(&random);
            sinew_two_bone_ik_args args = {.rig = ik_figure_rig(f),
                                           .start = limb[0],
                                           .mid = limb[1],
                                           .end = limb[2],
                                           .target = target,
                                           .pole_kind =
                                               poled ? SINEW_IK_POLE_VECTOR : SINEW_IK_POLE_NONE,
                                           .pole = pole,
                                           .weight = 1,
                                           .out_reached = &reached};
            oracle_mat4 matrices[IK_FIGURE_JOINTS];
            ik_figure_matrices(f, matrices);
            assert_ok(sinew_two_bone_ik(&args));
            ik_figure_check(f, before, limb, 2);
            oracle_vec3 to = oracle_sub(oracle_of(target), start);
            d = oracle_length(to);
            double goes = d > length ? length : d < nearest ? nearest : d;
            oracle_vec3 now_start = ik_figure_position(f, limb[0]);
            oracle_vec3 now_mid = ik_figure_position(f, limb[1]);
            oracle_vec3 now_end = ik_figure_position(f, limb[2]);
            oracle_vec3 wanted = {start.x + to.x / d * goes, start.y + to.y / d * goes,
                                  start.z + to.z / d * goes};
            double error = oracle_length(oracle_sub(now_end, wanted));
            double scale = fmax(length, 1.0);
            // the way to a target very near start is known as well as floats know start
            double blurred = d < nearest ? 4e-7 * goes / d : 0.0;
            if (!(error <= REACH * scale + blurred))
                fail_msg("kind %d, round %d: end is off by %g of %g (d %g a %g b %g at %g %g %g)",
                         kind, (int)round, error, length, d, lengths[0], lengths[1], start.x,
                         start.y, start.z);
            assert_true(oracle_length(oracle_sub(now_start, start)) == 0.0);
            if (kind != UNEVEN) {
                double kept[2];
                chain_lengths(f, limb, 3, kept);
                assert_near(kept[0], lengths[0], 1e-6 * scale);
                assert_near(kept[1], lengths[1], 1e-6 * scale);
                if (fabs(d - length) > 1e-5 * length && fabs(d - nearest) > 1e-5 * length)
                    assert_int_equal(reached, d < length && d > nearest);
            }
            // the elbow's side: along what of the pole is square to the way
            double along = oracle_dot(oracle_of(pole), to) / (d * d);
            oracle_vec3 side = {pole.x - along * to.x, pole.y - along * to.y,
                                pole.z - along * to.z};
            oracle_vec3 elbow = oracle_sub(now_mid, start);
            along = oracle_dot(elbow, to) / (d * d);
            oracle_vec3 out = {elbow.x - along * to.x, elbow.y - along * to.y,
                               elbow.z - along * to.z};
            // not where the limb is straight, or the pole says nothing
            if (poled && oracle_length(out) > 0.02 * length && oracle_length(side) > 0.02)
                assert_true(oracle_angle(out, side) < (kind == UNEVEN ? 0.1 : 1e-3));
            // mid turned about the axis that it was bent about
            if (kind != UNEVEN && count == 3) {
                const double *s = matrices[limb[0]].m + 12, *m = matrices[limb[1]].m + 12,
                             *e = matrices[limb[2]].m + 12;
                oracle_vec3 a = {m[0] - s[0], m[1] - s[1], m[2] - s[2]},
                            b = {e[0] - m[0], e[1] - m[1], e[2] - m[2]}, hinge = oracle_cross(a, b);
                oracle_quat turn =
                    oracle_quat_product(oracle_quat_of(ik_figure_rotation(f, limb[1])),
                                        oracle_quat_inverse(oracle_quat_of(mid_before)));
                // the turn's axis is in the frame that mid hangs in; to model space by the columns
                // of start, whose scale is even (or, with the other rules, does not reach mid)
                if (kind <= MIRRORED) {
                    const double *g = matrices[limb[0]].m;
                    double det = oracle_determinant3(&matrices[limb[0]]);
                    double sign = det < 0 ? -1 : 1;
                    oracle_vec3 axis = {sign * (g[0] * turn.x + g[4] * turn.y + g[8] * turn.z),
                                        sign * (g[1] * turn.x + g[5] * turn.y + g[9] * turn.z),
                                        sign * (g[2] * turn.x + g[6] * turn.y + g[10] * turn.z)};
                    double sine = sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
                    double bent = oracle_length(hinge) / oracle_length(a) / oracle_length(b);
                    if (sine > 0.05 && bent > 0.05) {
                        double off = oracle_angle(axis, hinge);
                        assert_true(fmin(off, 3.14159265358979 - off) < 1e-4);
                    }
                }
            }
            free(before);
            ik_figure_free(f);
        }
}

static void two_bones_with_another_sign_are_the_same(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 50; round++) {
        test_random random = test_random_make(60000 + round);
        uint32_t chain[3];
        ik_figure *f = random_figure(&random, 3, MIRRORED, chain);
        sinew_two_bone_ik_args args = {.rig = ik_figure_rig(f),
                                       .start = chain[0],
                                       .mid = chain[1],
                                       .end = chain[2],
                                       .target = test_random_vec3(&random, -2, 2),
                                       .weight = 0.5f};
        sinew_quat q[2] = {ik_figure_rotation(f, chain[0]), ik_figure_rotation(f, chain[1])};
        oracle_vec3 ends[2];
        for (int sign = 0; sign < 2; sign++) {
            for (int k = 0; k < 2; k++)
                ik_figure_rotate(f, chain[k],
                                 sign && k == (int)(round % 2)
                                     ? sinew_quat_make(-q[k].x, -q[k].y, -q[k].z, -q[k].w)
                                     : q[k]);
            assert_ok(sinew_two_bone_ik(&args));
            ends[sign] = ik_figure_position(f, chain[2]);
        }
        assert_true(oracle_length(oracle_sub(ends[0], ends[1])) < 1e-6);
        ik_figure_free(f);
    }
}

static void lanes_are_the_solver(void **state)
{
    (void)state;
    sinew_two_bone_lanes block;
    ik_figure *figures[2][SINEW_IK_LANES];
    for (int kind = EVEN; kind <= COMPENSATED; kind++)
        for (uint64_t round = 0; round < 4; round++) {
            sinew_two_bone_ik_args args[2][SINEW_IK_LANES];
            for (uint32_t lane = 0; lane < SINEW_IK_LANES; lane++)
                for (int twin = 0; twin < 2; twin++) {
                    test_random random =
                        test_random_make(70000 + 1000 * (uint64_t)kind + 16 * round + lane);
                    uint32_t chain[3];
                    ik_figure *f = random_figure(&random, 3, (scale_kind)kind, chain);
                    figures[twin][lane] = f;
                    args[twin][lane] = (sinew_two_bone_ik_args){
                        .rig = ik_figure_rig(f),
                        .start = chain[0],
                        .mid = chain[1],
                        .end = chain[2],
                        .target = test_random_vec3(&random, -2, 2),
                        .pole_kind = (sinew_ik_pole)(lane % 3),
                        .pole = test_random_vec3(&random, -2, 2),
                        .hinge = lane % 2 ? random_direction(&random) : sinew_vec3_make(0, 0, 0),
                        .soft = lane % 4 ? 0 : 0.1f,
                        .twist = lane % 5 ? 0 : test_random_float(&random, -3, 3),
                        .weight = lane % 6 ? 1 : 0.3f};
                }
            for (uint32_t lane = 0; lane < SINEW_IK_LANES; lane++) {
                assert_ok(sinew_two_bone_ik(&args[0][lane]));
                assert_ok(sinew_two_bone_lanes_set(&block, lane, &args[1][lane]));
            }
            assert_ok(sinew_two_bone_ik_batch(&block, SINEW_IK_LANES));
            for (uint32_t lane = 0; lane < SINEW_IK_LANES; lane++) {
                assert_ok(sinew_two_bone_lanes_apply(&block, lane, &args[1][lane]));
                ik_figure *a = figures[0][lane], *b = figures[1][lane];
                assert_memory_equal(a->pose.planes, b->pose.planes, sinew_pose_size(a->count));
                assert_memory_equal(a->model, b->model, a->count * sizeof *a->model);
                ik_figure_free(a);
                ik_figure_free(b);
            }
        }
}

static void chains_reach(void **state)
{
    (void)state;
    for (int method = SINEW_CHAIN_FABRIK; method <= SINEW_CHAIN_CCD; method++)
        for (int kind = EVEN; kind <= COMPENSATED; kind++)
            for (uint64_t round = 0; round < 120; round++) {
                test_random random = test_random_make(100000 + 1000 * (uint64_t)kind + round);
                uint32_t chain[12], count = 2 + test_random_below(&random, 11);
                ik_figure *f = random_figure(&random, count, (scale_kind)kind, chain);
                double lengths[12], longest = 0;
                double length = chain_lengths(f, chain, count, lengths);
                for (uint32_t k = 0; k + 1 < count; k++)
                    longest = fmax(longest, lengths[k]);
                double nearest = fmax(longest - (length - longest), 0);
                static const float shares[] = {0.0f,  0.1f,   0.5f,     0.9f,
                                               0.99f, 0.999f, 0.99999f, 1.0f};
                double share = (double)shares[round % 8];
                double d = nearest + (length - nearest) * share;
                if (round % 10 == 9)
                    d = length * 1.5;
                if (round % 10 == 8)
                    d = nearest * 0.5;
                if (kind == UNEVEN && count > 2 && nearest > 0.4 * length) {
                    ik_figure_free(f); // out of reach for some rotations
                    continue;
                }
                if (kind == UNEVEN)
                    d = count == 2 ? length : nearest + (length - nearest) * (0.3 + 0.4 * share);
                sinew_vec3 target = target_at(&random, f, chain[0], d);
                oracle_vec3 start = ik_figure_position(f, chain[0]);
                float *before = ik_figure_planes(f), distance;
                sinew_chain_ik_args args = {.rig = ik_figure_rig(f),
                                            .start = chain[0],
                                            .end = chain[count - 1],
                                            .target = target,
                                            .method = (sinew_chain_method)method,
                                            .weight = 1,
                                            .out_distance = &distance};
                assert_ok(sinew_chain_ik(&args));
                ik_figure_check(f, before, chain, count - 1);
                oracle_vec3 to = oracle_sub(oracle_of(target), start);
                d = oracle_length(to);
                double goes = d > length ? length : d < nearest ? nearest : d;
                if (d == 0.0)
                    to.x = 1.0, d = 1.0, goes = 0.0;
                oracle_vec3 wanted = {start.x + to.x / d * goes, start.y + to.y / d * goes,
                                      start.z + to.z / d * goes};
                oracle_vec3 end = ik_figure_position(f, chain[count - 1]);
                double error = oracle_length(oracle_sub(end, wanted));
                if (kind == UNEVEN && count == 2)
                    error = oracle_angle(oracle_sub(end, start), to);
                if (!(error <= REACH * fmax(length, 1.0)))
                    fail_msg("method %d, kind %d, round %d, %u joints, share %g: off by %g of %g",
                             method, kind, (int)round, count, share, error, length);
                assert_near(distance, oracle_length(oracle_sub(end, oracle_of(target))),
                            1e-5 * fmax(length, 1.0));
                free(before);
                ik_figure_free(f);
            }
}

static void chains_keep_to_limits(void **state)
{
    (void)state;
    for (int method = SINEW_CHAIN_FABRIK; method <= SINEW_CHAIN_CCD; method++)
        for (uint64_t round = 0; round < 200; round++) {
            test_random random = test_random_make(200000 + round);
            uint32_t chain[8], count = 2 + test_random_below(&random, 7);
            ik_figure *f = random_figure(&random, count, MIRRORED, chain);
            sinew_ik_limit limits[8];
            for (uint32_t k = 0; k < count; k++) {
                sinew_ik_limit *l = &limits[k];
                l->axis = sinew_vec3_scale(random_direction(&random), 2.0f);
                l->swing = k % 3 ? test_random_float(&random, 0, 2) : 0.0f;
                float a = test_random_float(&random, -3.1f, 3.1f);
                float b = test_random_float(&random, -3.1f, 3.1f);
                l->min = fminf(a, b), l->max = fmaxf(a, b);
            }
            float *before = ik_figure_planes(f);
            sinew_chain_ik_args args = {.rig = ik_figure_rig(f),
                                        .start = chain[0],
                                        .end = chain[count - 1],
                                        .target = test_random_vec3(&random, -3, 3),
                                        .method = (sinew_chain_method)method,
                                        .limits = limits,
                                        .limit_count = count - 1,
                                        .weight = 1};
            assert_ok(sinew_chain_ik(&args));
            ik_figure_check(f, before, chain, count - 1);
            for (uint32_t k = 0; k + 1 < count; k++) {
                oracle_quat rest =
                    oracle_quat_of(sinew_skeleton_rest(f->skeleton)[chain[k]].rotation);
                oracle_quat turn = oracle_quat_product(
                    oracle_quat_inverse(rest), oracle_quat_of(ik_figure_rotation(f, chain[k])));
                double length = oracle_length(oracle_of(limits[k].axis));
                double ax = limits[k].axis.x / length, ay = limits[k].axis.y / length,
                       az = limits[k].axis.z / length;
                double sine = ax * turn.x + ay * turn.y + az * turn.z;
                double twist = 2 * atan2(sine, turn.w);
                twist = remainder(twist, 2 * 3.14159265358979323846);
                // swing * twist: what of the turn is square to the axis belongs to the swing
                oracle_vec3 tilt = {turn.x - sine * ax, turn.y - sine * ay, turn.z - sine * az};
                double swing = 2 * atan2(oracle_length(tilt), sqrt(sine * sine + turn.w * turn.w));
                if (!(swing <= limits[k].swing + 2e-6))
                    fail_msg("round %d, joint %u: swing %g is above %g", (int)round, k, swing,
                             limits[k].swing);
                // where the axis is nearly turned over, the twist is anybody's guess
                if (swing < 2.5) {
                    bool within = (twist >= limits[k].min - 2e-5 && twist <= limits[k].max + 2e-5);
                    if (!within)
                        fail_msg("round %d, joint %u: twist %g is not in %g ... %g", (int)round, k,
                                 twist, limits[k].min, limits[k].max);
                }
            }
            free(before);
            ik_figure_free(f);
        }
}

static void aims_meet_their_targets(void **state)
{
    (void)state;
    for (int kind = EVEN; kind <= COMPENSATED; kind++)
        for (uint64_t round = 0; round < 200; round++) {
            test_random random = test_random_make(300000 + 1000 * (uint64_t)kind + round);
            uint32_t chain[6], count = 1 + test_random_below(&random, 6);
            ik_figure *f = random_figure(&random, count, (scale_kind)kind, chain);
            sinew_vec3 up_target = random_direction(&random);
            float shares[6];
            for (uint32_t k = 0; k < count; k++)
                shares[k] = test_random_float(&random, 0, 1);
            bool reached;
            sinew_aim_ik_args args = {.rig = ik_figure_rig(f),
                                      .joint = chain[count - 1],
                                      .target = test_random_vec3(&random, -9, 9),
                                      .forward = test_random_vec3(&random, -1, 1),
                                      .offset = round % 3 ? sinew_vec3_make(0, 0, 0)
                                                          : test_random_vec3(&random, -0.1f, 0.1f),
                                      .weight = 1,
                                      .chain = chain,
                                      .shares = round % 4 ? shares : NULL,
                                      .chain_count = count,
                                      .out_reached = &reached};
            if (round % 2)
                args.up = test_random_vec3(&random, -1, 1), args.up_target = up_target;
            float *before = ik_figure_planes(f);
            assert_ok(sinew_aim_chain_ik(&args));
            ik_figure_check(f, before, chain, count);
            oracle_mat4 matrices[IK_FIGURE_JOINTS];
            ik_figure_matrices(f, matrices);
            const oracle_mat4 *g = &matrices[chain[count - 1]];
            oracle_vec3 eye = oracle_point(g, &args.offset.x);
            float ahead[3] = {args.offset.x + args.forward.x, args.offset.y + args.forward.y,
                              args.offset.z + args.forward.z};
            oracle_vec3 sight = oracle_sub(oracle_point(g, ahead), eye);
            oracle_vec3 to = oracle_sub(oracle_of(args.target), eye);
            if (oracle_length(to) > 0.5 && reached && !(oracle_angle(sight, to) < 2e-5))
                fail_msg("kind %d, round %d, %u joints: sight is off by %g, %g away", kind,
                         (int)round, count, oracle_angle(sight, to), oracle_length(to));
            if (round % 2 && round % 3 &&
                reached) { // no offset: up in the plane of sight and up_target
                float above[3] = {args.up.x, args.up.y, args.up.z}, zero[3] = {0};
                oracle_vec3 up = oracle_sub(oracle_point(g, above), oracle_point(g, zero));
                oracle_vec3 a = oracle_cross(sight, up),
                            b = oracle_cross(sight, oracle_of(up_target));
                if (oracle_length(a) > 0.05 * oracle_length(sight) * oracle_length(up) &&
                    oracle_length(b) > 0.05 * oracle_length(sight))
                    assert_true(oracle_angle(a, b) < (kind == UNEVEN ? 0.1 : 1e-3));
            }
            free(before);
            ik_figure_free(f);
        }
}

static void weights_blend_rotations(void **state)
{
    (void)state;
    for (int solver = 0; solver < 4; solver++)
        for (uint64_t round = 0; round < 40; round++) {
            sinew_quat turned[3][3];
            static const float weights[3] = {0.0f, 1.0f, 0.3f};
            uint32_t chain[4];
            for (int w = 0; w < 3; w++) {
                test_random random = test_random_make(400000 + round);
                ik_figure *f = random_figure(&random, 4, MIRRORED, chain);
                sinew_vec3 target = test_random_vec3(&random, -2, 2);
                float *before = ik_figure_planes(f);
                sinew_two_bone_ik_args limb = {.rig = ik_figure_rig(f),
                                               .start = chain[0],
                                               .mid = chain[1],
                                               .end = chain[2],
                                               .target = target,
                                               .weight = weights[w]};
                sinew_aim_ik_args aim = {.rig = ik_figure_rig(f),
                                         .joint = chain[2],
                                         .target = target,
                                         .forward = {1, 2, 3},
                                         .weight = weights[w],
                                         .chain = chain,
                                         .chain_count = 3};
                sinew_chain_ik_args tail = {.rig = ik_figure_rig(f),
                                            .start = chain[0],
                                            .end = chain[3],
                                            .target = target,
                                            .method =
                                                solver == 2 ? SINEW_CHAIN_FABRIK : SINEW_CHAIN_CCD,
                                            .weight = weights[w]};
                assert_ok(solver == 0   ? sinew_two_bone_ik(&limb)
                          : solver == 1 ? sinew_aim_chain_ik(&aim)
                                        : sinew_chain_ik(&tail));
                ik_figure_check(f, before, chain, w == 0 ? 0 : 3); // weight 0: the pose's bits
                for (int k = 0; k < 3; k++)
                    turned[w][k] = ik_figure_rotation(f, chain[k]);
                free(before);
                ik_figure_free(f);
            }
            for (int k = 0; k < 3; k++) { // nlerp, in double
                const float *a = &turned[0][k].x, *b = &turned[1][k].x, *got = &turned[2][k].x;
                double dot = 0, square = 0, expected[4];
                for (int i = 0; i < 4; i++)
                    dot += (double)a[i] * b[i];
                for (int i = 0; i < 4; i++) {
                    expected[i] = 0.7f * a[i] + (double)0.3f * b[i] * (dot < 0 ? -1 : 1);
                    square += expected[i] * expected[i];
                }
                dot = 0;
                for (int i = 0; i < 4; i++)
                    dot += expected[i] * got[i];
                double sign = dot < 0 ? -1 : 1;
                for (int i = 0; i < 4; i++)
                    assert_near(sign * got[i], expected[i] / sqrt(square), 2e-6);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_bones_reach),
        cmocka_unit_test(two_bones_with_another_sign_are_the_same),
        cmocka_unit_test(lanes_are_the_solver),
        cmocka_unit_test(chains_reach),
        cmocka_unit_test(chains_keep_to_limits),
        cmocka_unit_test(aims_meet_their_targets),
        cmocka_unit_test(weights_blend_rotations),
    };
    return TEST_RUN(tests);
}
