// SPDX-License-Identifier: MIT
// Mixing with every instruction set that this machine has: bit for bit the scalar reference; the
// two ways of sinew_blend and sums of the caller give one result; the reference against a loop in
// double precision.
#include "../support/test_main.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../support/random.h"

enum { MOST_INPUTS = 6 };

typedef struct mix_case {
    sinew_skeleton *skeleton;
    test_rig rig;
    sinew_pose poses[MOST_INPUTS], base, out;
    sinew_joint_mask masks[MOST_INPUTS], mask;
    uint8_t *touched[MOST_INPUTS];
    sinew_blend_input inputs[MOST_INPUTS];
    sinew_blend_args args;
} mix_case;

static sinew_joint_mask random_mask(test_random *random, uint32_t joint_count)
{
    sinew_joint_mask mask;
    const size_t size = sinew_joint_mask_size(joint_count);
    assert_ok(sinew_joint_mask_init(&mask, joint_count, test_block(size), size, 1.0f));
    for (uint32_t j = 0; j < joint_count; j++) { // a third each: none, all, some
        uint32_t kind = test_random_below(random, 3);
        float share = kind == 0 ? 0.0f : kind == 1 ? 1.0f : test_random_float(random, 0.0f, 1.0f);
        assert_ok(sinew_joint_mask_set(&mask, j, share));
    }
    return mask;
}

// `plain`: no masks, no touched bits.
static void make_mix(mix_case *c, uint64_t salt, bool plain)
{
    test_random random = test_random_make(salt);
    memset(c, 0, sizeof *c);
    uint32_t n = 1 + test_random_below(&random, 90);
    c->rig = test_rig_random(&random, n, TEST_RIG_INHERIT);
    c->skeleton = c->rig.skeleton;
    uint32_t count = test_random_below(&random, MOST_INPUTS + 1);
    float total = 0.0f;
    for (uint32_t i = 0; i < count; i++) {
        c->poses[i] = test_pose_random(&random, c->skeleton);
        for (uint32_t j = 0; j < n; j++) { // far apart, some in the other hemisphere, some opposite
            sinew_transform t = sinew_pose_get(&c->poses[i], j);
            t.rotation = test_random_quat(&random);
            if (i && test_random_below(&random, 8) == 0) {
                t.rotation = sinew_pose_get(&c->poses[i - 1], j).rotation;
                t.rotation = sinew_quat_make(t.rotation.y, -t.rotation.x, t.rotation.w,
                                             -t.rotation.z); // at right angles: half a turn away
            }
            sinew_pose_set(&c->poses[i], j, &t);
        }
        c->inputs[i].pose = &c->poses[i];
        c->inputs[i].weight = test_random_below(&random, 5) ? test_random_float(&random, 0, 1) : 0;
        total += c->inputs[i].weight;
        if (!plain && test_random_below(&random, 2)) {
            c->masks[i] = random_mask(&random, n);
            c->inputs[i].mask = &c->masks[i];
        }
        if (!plain && test_random_below(&random, 2)) {
            c->touched[i] = malloc(n); // no byte more, for the address sanitizer
            assert_non_null(c->touched[i]);
            for (uint32_t j = 0; j < n; j++)
                c->touched[i][j] = (uint8_t)test_random_below(&random, 8);
            c->inputs[i].touched = c->touched[i];
        }
    }
    if (test_random_below(&random, 3) && total > 0.0f) // a third: sums of 1 and less, rounded
        for (uint32_t i = 0; i < count; i++)
            c->inputs[i].weight = c->inputs[i].weight / total * (salt % 2 ? 1.0f : 0.7f);
    c->base = test_pose_random(&random, c->skeleton);
    c->out = test_pose_at_rest(c->skeleton);
    c->args = (sinew_blend_args){
        .skeleton = c->skeleton, .inputs = c->inputs, .input_count = count, .out_pose = &c->out};
}

static void add_base(mix_case *c, uint64_t salt)
{
    test_random random = test_random_make(salt + 77);
    if (test_random_below(&random, 2))
        c->args.base = &c->base;
    if (test_random_below(&random, 2))
        c->args.base_weight = test_random_float(&random, 0.0f, 1.0f);
    if (test_random_below(&random, 2)) {
        c->mask = random_mask(&random, c->out.joint_count);
        c->args.mask = &c->mask;
    }
}

static void free_mix(mix_case *c)
{
    for (uint32_t i = 0; i < MOST_INPUTS; i++) {
        if (c->poses[i].planes)
            test_pose_free(&c->poses[i]);
        if (c->masks[i].weights)
            test_block_free(c->masks[i].weights);
        free(c->touched[i]);
    }
    if (c->mask.weights)
        test_block_free(c->mask.weights);
    test_pose_free(&c->base);
    test_pose_free(&c->out);
    test_rig_free(&c->rig);
}

static void blend_into(mix_case *c, sinew_pose *out)
{
    c->args.out_pose = out;
    assert_ok(sinew_blend(&c->args));
}

static void assert_same_pose(const sinew_pose *a, const sinew_pose *b)
{
    for (uint32_t j = 0; j < a->joint_count; j++) {
        sinew_transform x = sinew_pose_get(a, j), y = sinew_pose_get(b, j);
        assert_memory_equal(&x, &y, sizeof x);
    }
}

// ---- The reference ------------------------------------------------------------------------------

// One joint by the rules of blend.h, in double precision. Returns whether the sum of quaternions is
// long enough to tell a direction, and its hemispheres were clear.
static bool mix_in_double(const mix_case *c, uint32_t joint, double out[10])
{
    const sinew_transform rest = sinew_skeleton_rest(c->skeleton)[joint];
    const sinew_transform base = c->args.base ? sinew_pose_get(c->args.base, joint) : rest;
    const float *b = &base.translation.x;
    double sums[10] = {0}, totals[3] = {0};
    bool clear = true;
    for (uint32_t i = 0; i < c->args.input_count; i++) {
        const sinew_blend_input *input = &c->inputs[i];
        sinew_transform t = sinew_pose_get(input->pose, joint);
        const float *v = &t.translation.x;
        double w = (double)input->weight * (input->mask ? (double)input->mask->weights[joint] : 1);
        unsigned touched = input->touched ? input->touched[joint] : 7;
        double dot = 0.0, size = 0.0;
        for (int k = 3; k < 7; k++)
            dot += sums[k] * (double)v[k], size += sums[k] * sums[k];
        if (w > 0.0 && touched & 2 && totals[1] > 0.0 && fabs(dot) < 1e-4)
            clear = false; // either hemisphere will do
        for (int k = 0; k < 10; k++) {
            int part = k < 3 ? 0 : k < 7 ? 1 : 2;
            if (touched >> part & 1)
                sums[k] += w * (double)v[k] * (part == 1 && dot < 0.0 ? -1.0 : 1.0);
        }
        for (int part = 0; part < 3; part++)
            if (touched >> part & 1)
                totals[part] += w;
    }
    double share = 1.0 - (double)c->args.base_weight;
    if (c->args.mask)
        share *= (double)c->args.mask->weights[joint];
    double dot = 0.0, square = 0.0;
    for (int k = 0; k < 10; k++) {
        int part = k < 3 ? 0 : k < 7 ? 1 : 2;
        double total = totals[part], covered = share * (total < 1.0 ? total : 1.0);
        out[k] = sums[k] * share / (total > 1.0 ? total : 1.0);
        if (part != 1)
            out[k] += (1.0 - covered) * (double)b[k];
        else
            dot += out[k] * (double)b[k];
    }
    double missing = 1.0 - share * (totals[1] < 1.0 ? totals[1] : 1.0);
    if (missing > 1e-6 && fabs(dot) < 1e-4 && totals[1] > 0.0)
        clear = false;
    for (int k = 3; k < 7; k++) {
        out[k] += missing * (double)b[k] * (dot < 0.0 ? -1.0 : 1.0);
        square += out[k] * out[k];
    }
    for (int k = 3; k < 7; k++)
        out[k] /= sqrt(square);
    return clear && square > 1e-4;
}

static void the_reference_is_right(void **state)
{
    (void)state;
    test_use_isa(SINEW_ISA_SCALAR);
    uint32_t told = 0, all = 0;
    for (uint64_t round = 0; round < 300; round++) {
        mix_case c;
        make_mix(&c, round, round % 2);
        if (round % 3)
            add_base(&c, round);
        blend_into(&c, &c.out);
        for (uint32_t j = 0; j < c.out.joint_count; j++) {
            double expected[10];
            bool rotation = mix_in_double(&c, j, expected);
            sinew_transform t = sinew_pose_get(&c.out, j);
            const float *v = &t.translation.x;
            double length = 0.0;
            for (int k = 0; k < 10; k++) {
                assert_true(isfinite(v[k]));
                if (k < 3 || k > 6) // eight inputs of size 3 at most, a few roundings each
                    assert_near(v[k], expected[k], 3e-6);
                else if (rotation)
                    assert_near(v[k], expected[k], 3e-5); // the sum may be as short as 0.01
                if (k >= 3 && k <= 6)
                    length += (double)v[k] * (double)v[k];
            }
            assert_near(length, 1, 1e-6);
            told += rotation;
            all++;
        }
        free_mix(&c);
    }
    assert_true(told > all / 2);
}

// ---- Variants -----------------------------------------------------------------------------------

static void variants_give_the_bits_of_the_reference(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 300; round++) {
        mix_case c;
        make_mix(&c, 1000 + round, round % 2);
        if (round % 3)
            add_base(&c, round);
        sinew_pose expected = test_pose_at_rest(c.skeleton);
        test_use_isa(SINEW_ISA_SCALAR);
        blend_into(&c, &expected);
        for (int isa = SINEW_ISA_SCALAR + 1; isa < SINEW_ISA_COUNT; isa++) {
            if (!test_has_isa((sinew_isa)isa))
                continue;
            test_use_isa((sinew_isa)isa);
            blend_into(&c, &c.out);
            assert_same_pose(&c.out, &expected);
        }
        test_pose_free(&expected);
        free_mix(&c);
    }
}

static void additive_variants_give_the_bits_of_the_reference(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 200; round++) {
        test_random random = test_random_make(2000 + round);
        mix_case c;
        make_mix(&c, 3000 + round, false);
        sinew_pose pose = test_pose_random(&random, c.skeleton);
        sinew_pose reference = test_pose_random(&random, c.skeleton);
        const uint32_t n = pose.joint_count;
        uint8_t *touched = malloc(n);
        assert_non_null(touched);
        for (uint32_t j = 0; j < n; j++) {
            sinew_transform t = sinew_pose_get(&pose, j);
            if (test_random_below(&random, 2))
                t.rotation = test_random_quat(&random); // far away, else near the reference
            if (test_random_below(&random, 9) == 0)
                t = sinew_pose_get(&reference, j);
            sinew_pose_set(&pose, j, &t);
            t = sinew_pose_get(&reference, j);
            if (test_random_below(&random, 9) == 0)
                t.scale.y = 0.0f;
            sinew_pose_set(&reference, j, &t);
            touched[j] = (uint8_t)test_random_below(&random, 8);
        }
        sinew_joint_mask mask = random_mask(&random, n);
        sinew_additive_args args = {.skeleton = c.skeleton,
                                    .pose = &pose,
                                    .reference = round % 3 ? &reference : NULL,
                                    .weight =
                                        round % 4 ? test_random_float(&random, 0.0f, 1.0f) : 1.0f,
                                    .mask = round % 5 < 2 ? &mask : NULL,
                                    .touched = round % 7 < 3 ? touched : NULL};
        sinew_pose expected = test_pose_at_rest(c.skeleton);
        test_use_isa(SINEW_ISA_SCALAR);
        assert_ok(sinew_pose_copy(&expected, &c.base));
        args.out_pose = &expected;
        assert_ok(sinew_blend_additive(&args));
        for (int isa = SINEW_ISA_SCALAR + 1; isa < SINEW_ISA_COUNT; isa++) {
            if (!test_has_isa((sinew_isa)isa))
                continue;
            test_use_isa((sinew_isa)isa);
            assert_ok(sinew_pose_copy(&c.out, &c.base));
            args.out_pose = &c.out;
            assert_ok(sinew_blend_additive(&args));
            assert_same_pose(&c.out, &expected);
        }
        free(touched);
        test_block_free(mask.weights);
        test_pose_free(&pose);
        test_pose_free(&reference);
        test_pose_free(&expected);
        free_mix(&c);
    }
}

// ---- One result by each way -----------------------------------------------------------------------

static void sums_are_the_same_mix(void **state)
{
    (void)state;
    sinew_isa_set_mask(UINT32_MAX);
    for (uint64_t round = 0; round < 200; round++) {
        mix_case c;
        make_mix(&c, 4000 + round, round % 2);
        if (round % 3 == 0)
            add_base(&c, round);
        const uint32_t n = c.out.joint_count;
        uint8_t touched[128], expected_touched[128];
        sinew_pose expected = test_pose_at_rest(c.skeleton);
        c.args.out_touched = expected_touched;
        blend_into(&c, &expected);
        sinew_pose_sums sums;
        const size_t size = sinew_pose_sums_size(n);
        void *memory = test_block(size);
        memset(memory, 0xFF, size); // NaNs: nothing of it may be read
        assert_ok(sinew_pose_sums_init(&sums, n, memory, size));
        for (uint32_t i = 0; i < c.args.input_count; i++)
            assert_ok(sinew_pose_sums_add(&sums, &c.inputs[i]));
        c.args.out_pose = &c.out;
        c.args.out_touched = touched;
        assert_ok(sinew_pose_sums_resolve(&sums, &c.args));
        assert_same_pose(&c.out, &expected);
        assert_memory_equal(touched, expected_touched, n);
        // in place of each input, and of the base
        for (uint32_t i = 0; i <= c.args.input_count; i++) {
            sinew_pose *target = i < c.args.input_count ? &c.poses[i] : &c.base;
            assert_ok(sinew_pose_copy(&c.out, target));
            blend_into(&c, target);
            assert_same_pose(target, &expected);
            assert_ok(sinew_pose_copy(target, &c.out));
        }
        test_block_free(memory);
        test_pose_free(&expected);
        free_mix(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_is_right),
        cmocka_unit_test(variants_give_the_bits_of_the_reference),
        cmocka_unit_test(additive_variants_give_the_bits_of_the_reference),
        cmocka_unit_test(sums_are_the_same_mix),
    };
    return TEST_RUN(tests);
}
