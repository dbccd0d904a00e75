// SPDX-License-Identifier: MIT
// Faults that other programs have shown, one test a kind, B24 to B31: the influences of vertices.
// Each file is made here; what is right, and why, stands above each test. Further tests of a number
// are siblings of its file, such as other exporters write.
#include "../support/gltf_builder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (uint32_t)(sizeof(array) / sizeof *(array))
enum { UBYTE = 5121, USHORT = 5123 };

static const char joints_path[] = "meshes[0].primitives[0].attributes.JOINTS_0";
static const char weights_path[] = "meshes[0].primitives[0].attributes.WEIGHTS_0";

/// Accessor 0: vertices at the origin; 1: their joints 0 1 0 0; WEIGHTS_0 is accessor 2, which is
/// the caller's. Nodes 0 and 1 are the joints, both at (1000, 0, 0), without inverse binds; node 2
/// shows the mesh.
static gltf_builder *far_away(uint32_t vertex_count)
{
    gltf_builder *b = gltf_builder_new();
    float *positions = calloc((size_t)vertex_count * 3, sizeof *positions);
    uint8_t *joints = calloc((size_t)vertex_count * 4, 1);
    assert_true(positions && joints);
    for (uint32_t v = 0; v < vertex_count; v++)
        joints[4 * v + 1] = 1;
    gltf_builder_floats(b, "VEC3", vertex_count, positions);
    gltf_builder_bytes(b, "VEC4", vertex_count, joints, NULL);
    free(positions);
    free(joints);
    gltf_builder_add(b, "'meshes': [{'primitives': [{'attributes': {'POSITION': 0, 'JOINTS_0': 1, "
                        "'WEIGHTS_0': 2}}]}], 'skins': [{'joints': [0, 1]}], "
                        "'nodes': [{'translation': [1000, 0, 0], 'children': [1]}, {}, "
                        "{'mesh': 0, 'skin': 0}]");
    return b;
}

static gltf_builder *far_away_with(uint32_t vertex_count, const float *weights)
{
    gltf_builder *b = far_away(vertex_count);
    gltf_builder_floats(b, "VEC4", vertex_count, weights);
    return b;
}

/// Where every vertex of instance 0 must be: both joints carry it to (1000, 0, 0).
static void assert_all_at_1000(const sinew_document *d)
{
    const sinew_primitive *p = &d->meshes[0].primitives[0];
    float *out = gltf_skinned(d, 0, 0, -1, 0);
    for (uint32_t v = 0; v < p->vertex_count; v++)
        assert_vec3_near(sinew_vec3_make(out[3 * v], out[3 * v + 1], out[3 * v + 2]), 1000, 0, 0,
                         1e-4); // the rounding of 1000 in float is 6e-5
    free(out);
    // the plain sum too, which has no centre to hide behind
    for (uint32_t v = 0; v < p->vertex_count; v++) {
        double sum = 0;
        for (uint32_t k = 0; k < p->influence_count; k++)
            sum += p->weights[v * p->influence_count + k];
        assert_near(sum, 1, 1e-7);
    }
}

// ---- B24, B26, B27 ----------------------------------------------------------------------------------------

// B24: weights 0.6 and 0.38 are divided by their sum 0.98: x = 1000, not 980; a finding counts the
// vertices and names the worst sum.
static void b24_weights_that_do_not_sum_to_one(void **state)
{
    (void)state;
    sinew_document *d = gltf_builder_repaired(far_away_with(1, (const float[]){0.6f, 0.38f, 0, 0}),
                                              SINEW_WEIGHTS_NOT_NORMALISED, weights_path, 1);
    assert_near(gltf_find(d, SINEW_WEIGHTS_NOT_NORMALISED, NULL)->worst, 0.98, 1e-7);
    assert_floats_near(d->meshes[0].primitives[0].weights,
                       ((const float[]){(float)(0.6 / 0.98), (float)(0.38 / 0.98)}), 2, 1e-7);
    assert_all_at_1000(d);
    sinew_document_destroy(d);
}

// Seven vertices of a hundred are off by 1 %, one of them is at 0.9803; sums above 1 count as well,
// and the worst is the one furthest from 1.
static void b24_a_few_vertices_of_many(void **state)
{
    (void)state;
    enum { VERTICES = 100 };
    float weights[VERTICES * 4] = {0};
    for (int v = 0; v < VERTICES; v++) {
        double sum = v == 42 ? 0.9803 : v % 16 == 3 ? (v % 32 == 3 ? 0.99 : 1.01) : 1.0;
        weights[4 * v] = (float)(sum * v / VERTICES);
        weights[4 * v + 1] = (float)(sum - sum * v / VERTICES);
    }
    // v % 16 == 3: 3, 19, 35, 51, 67, 83, 99, which are seven; with 42 eight
    sinew_document *d = gltf_builder_repaired(far_away_with(VERTICES, weights),
                                              SINEW_WEIGHTS_NOT_NORMALISED, weights_path, 8);
    const sinew_finding *finding = gltf_find(d, SINEW_WEIGHTS_NOT_NORMALISED, NULL);
    assert_near(finding->worst, 0.9803, 1e-6);
    assert_non_null(strstr(finding->message, "8 of 100"));
    assert_all_at_1000(d);
    sinew_document_destroy(d);
}

// Within 1e-3 of 1 there is nothing to say, but far from the origin it would show: 0.9995 leaves
// the vertex at 999.5. It is divided all the same.
static void b24_sums_that_are_nearly_one(void **state)
{
    (void)state;
    const float weights[] = {0.6f, 0.3995f, 0, 0, 0.6f, 0.4005f, 0, 0, 0.7f, 0.2999999f, 0, 0};
    sinew_document *d = gltf_builder_document(far_away_with(3, weights));
    assert_int_equal(d->finding_count, 0);
    assert_near(d->meshes[0].primitives[0].weights[0], 0.6 / 0.9995, 1e-7);
    assert_all_at_1000(d);
    sinew_document_destroy(d);
}

// 8-bit weights that sum to 254 or 256 instead of 255 are off by 1/255 = 0.0039.
static void b24_bytes_that_sum_to_254_or_256(void **state)
{
    (void)state;
    static const uint8_t weights[] = {127, 127, 0, 0, 128, 128, 0, 0, 127, 128, 0, 0};
    gltf_builder *b = far_away(3);
    gltf_builder_bytes(b, "VEC4", 3, weights, ", 'normalized': true");
    sinew_document *d = gltf_builder_repaired(b, SINEW_WEIGHTS_NOT_NORMALISED, weights_path, 2);
    assert_near(fabs(gltf_find(d, SINEW_WEIGHTS_NOT_NORMALISED, NULL)->worst - 1), 1.0 / 255, 1e-7);
    assert_floats_near(d->meshes[0].primitives[0].weights,
                       ((const float[]){0.5f, 0.5f, 0.5f, 0.5f}), 4, 1e-7);
    assert_all_at_1000(d);
    sinew_document_destroy(d);
    // 16 bits: off by one of 65,535 is within 1e-3
    b = far_away(1);
    gltf_builder_shorts(b, "VEC4", 1, (const uint16_t[]){32767, 32767, 0, 0},
                        ", 'normalized': true");
    d = gltf_builder_document(b);
    assert_int_equal(d->finding_count, 0);
    assert_all_at_1000(d);
    sinew_document_destroy(d);
}

// The sum is over all sets: two halves in two sets are whole, and 0.6 beside 0.38 is not.
static void b24_the_sum_is_over_all_sets(void **state)
{
    (void)state;
    for (int off = 0; off < 2; off++) {
        gltf_builder *b = gltf_builder_new();
        gltf_builder_floats(b, "VEC3", 1, (const float[3]){0});
        gltf_builder_bytes(b, "VEC4", 1, (const uint8_t[4]){0}, NULL);
        gltf_builder_bytes(b, "VEC4", 1, (const uint8_t[]){1, 0, 0, 0}, NULL);
        gltf_builder_floats(b, "VEC4", 1, (const float[]){off ? 0.6f : 0.625f, 0, 0, 0});
        gltf_builder_floats(b, "VEC4", 1, (const float[]){off ? 0.38f : 0.375f, 0, 0, 0});
        gltf_builder_add(b, "'meshes': [{'primitives': [{'attributes': {'POSITION': 0, 'JOINTS_0': "
                            "1, 'JOINTS_1': 2, 'WEIGHTS_0': 3, 'WEIGHTS_1': 4}}]}]");
        gltf_builder_add(b, "'skins': [{'joints': [0, 1]}], 'nodes': [{'translation': [1000, 0, "
                            "0], 'children': [1]}, {}, {'mesh': 0, 'skin': 0}]");
        sinew_document *d =
            off ? gltf_builder_repaired(b, SINEW_WEIGHTS_NOT_NORMALISED, weights_path, 1)
                : gltf_builder_document(b);
        assert_int_equal(d->finding_count, off);
        assert_int_equal(d->meshes[0].primitives[0].influence_count, 2);
        assert_all_at_1000(d);
        sinew_document_destroy(d);
    }
}

// B26: 8-bit and 16-bit weights are fractions of 255 and 65,535; without `normalized` they are read
// so all the same, and a warning says so.
static void b26_integer_weights(void **state)
{
    (void)state;
    for (int wide = 0; wide < 2; wide++)
        for (int flagged = 0; flagged < 2; flagged++) {
            const char *more = flagged ? ", 'normalized': true" : NULL;
            gltf_builder *b = far_away(3);
            if (wide)
                gltf_builder_shorts(
                    b, "VEC4", 3,
                    (const uint16_t[]){65535, 0, 0, 0, 13107, 52428, 0, 0, 1, 65534, 0, 0}, more);
            else
                gltf_builder_bytes(b, "VEC4", 3,
                                   (const uint8_t[]){255, 0, 0, 0, 51, 204, 0, 0, 1, 254, 0, 0},
                                   more);
            sinew_document *d =
                flagged ? gltf_builder_document(b)
                        : gltf_builder_repaired(b, SINEW_WEIGHTS_NOT_FLAGGED, weights_path, 3);
            assert_int_equal(d->finding_count, !flagged);
            const double whole = wide ? 65535 : 255;
            const float expected[] = {
                1, 0, 0.8f, 0.2f, (float)((whole - 1) / whole), (float)(1 / whole)}; // falling
            assert_floats_near(d->meshes[0].primitives[0].weights, expected, 6, 1e-7);
            assert_all_at_1000(d);
            sinew_document_destroy(d);
        }
}

// Eight influences in bytes, none of which alone is near 1: seven of 31 and one of 38 are 255.
// Sums are exact, and no fraction is cut.
static void b26_eight_influences_in_bytes(void **state)
{
    (void)state;
    for (int mixed = 0; mixed < 2; mixed++) { // the second set in bytes, or in floats
        gltf_builder *b = gltf_builder_new();
        gltf_builder_floats(b, "VEC3", 1, (const float[3]){0});
        gltf_builder_bytes(b, "VEC4", 1, (const uint8_t[]){0, 1, 2, 3}, NULL);
        gltf_builder_shorts(b, "VEC4", 1, (const uint16_t[]){4, 5, 6, 7}, NULL);
        gltf_builder_bytes(b, "VEC4", 1, (const uint8_t[]){31, 31, 31, 31}, ", 'normalized': true");
        if (mixed)
            gltf_builder_floats(
                b, "VEC4", 1, (const float[]){31 / 255.0f, 31 / 255.0f, 31 / 255.0f, 38 / 255.0f});
        else
            gltf_builder_bytes(b, "VEC4", 1, (const uint8_t[]){31, 31, 31, 38},
                               ", 'normalized': true");
        gltf_builder_add(b, "'meshes': [{'primitives': [{'attributes': {'POSITION': 0, 'JOINTS_0': "
                            "1, 'JOINTS_1': 2, 'WEIGHTS_0': 3, 'WEIGHTS_1': 4}}]}]");
        gltf_builder_add(b, "'skins': [{'joints': [0, 1, 2, 3, 4, 5, 6, 7]}], 'nodes': "
                            "[{'children': [1, 2, 3, 4, 5, 6, 7]}, {}, {}, "
                            "{}, {}, {}, {}, {'translation': [255, 0, 0]}, {'mesh': 0, 'skin': "
                            "0}]");
        sinew_document *d = gltf_builder_document(b);
        const sinew_primitive *p = &d->meshes[0].primitives[0];
        assert_int_equal(d->finding_count, 0);
        assert_int_equal(p->influence_count, 8);
        assert_int_equal(p->file_influence_count, 8);
        assert_int_equal(p->joints[0], 7);
        assert_near(p->weights[0], 38 / 255.0, 1e-7);
        for (int k = 1; k < 8; k++)
            assert_near(p->weights[k], 31 / 255.0, 1e-7);
        float *out = gltf_skinned(d, 0, 0, -1, 0);
        assert_near(out[0], 38, 1e-5); // 255 * 38 / 255
        free(out);
        sinew_document_destroy(d);
    }
}

// B27: 0.5 and 0.5 stored at unit length, 0.70711 each, sum to 1.41421 and are divided by that.
// (Divided by their length they would stay as they are.) Unequal ones keep their ratio: 0.8 and
// 0.2 at unit length are 0.97014 and 0.24254, whose sum is 1.21268.
static void b27_weights_of_unit_length(void **state)
{
    (void)state;
    const float weights[] = {0.70711f, 0.70711f, 0, 0, 0.97014250f, 0.24253563f, 0, 0};
    sinew_document *d = gltf_builder_repaired(far_away_with(2, weights),
                                              SINEW_WEIGHTS_NOT_NORMALISED, weights_path, 2);
    assert_near(gltf_find(d, SINEW_WEIGHTS_NOT_NORMALISED, NULL)->worst, 1.41422, 1e-6);
    assert_floats_near(d->meshes[0].primitives[0].weights,
                       ((const float[]){0.5f, 0.5f, 0.8f, 0.2f}), 4, 1e-7);
    assert_all_at_1000(d);
    sinew_document_destroy(d);
}

// ---- B28 --------------------------------------------------------------------------------------------------

/// A triangle at (0, 0, 0), (1, 0, 0), (0, 1, 0) whose J0 and J1 rest at the origin; the clip moves
/// J0 to (10, 0, 0) and J1 to (0, 20, 0).
static gltf_builder *triangle(const uint8_t *joints, const float *weights)
{
    static const float zero = 0, here[] = {10, 0, 0}, there[] = {0, 20, 0};
    gltf_builder *b = gltf_builder_new();
    gltf_builder_floats(b, "VEC3", 3, (const float[]){0, 0, 0, 1, 0, 0, 0, 1, 0});
    gltf_builder_bytes(b, "VEC4", 3, joints, NULL);
    gltf_builder_floats(b, "VEC4", 3, weights);
    gltf_builder_add(b, "'meshes': [{'primitives': [{'attributes': {'POSITION': 0, 'JOINTS_0': 1, "
                        "'WEIGHTS_0': 2}}]}], 'skins': [{'joints': [0, 1]}], "
                        "'nodes': [{}, {}, {'mesh': 0, 'skin': 0}]");
    gltf_builder_clips(
        b,
        (const gltf_keys[]){
            {.node = 0, .path = "translation", .key_count = 1, .times = &zero, .values = here},
            {.node = 1, .path = "translation", .key_count = 1, .times = &zero, .values = there}},
        2);
    return b;
}

static void assert_triangle(const sinew_document *d, const float *expected)
{
    float *out = gltf_skinned(d, 0, 0, 0, 0);
    assert_floats_near(out, expected, 9, 0);
    free(out);
}

// B28: a vertex without any weight follows the first joint listed for it, and a finding says so:
// never the origin, never a NaN.
static void b28_all_weights_zero(void **state)
{
    (void)state;
    sinew_document *d = gltf_builder_repaired(
        triangle((const uint8_t[12]){0}, (const float[12]){1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0}),
        SINEW_WEIGHTS_ZERO, weights_path, 1);
    assert_triangle(d, (const float[]){10, 0, 0, 11, 0, 0, 10, 1, 0});
    sinew_document_destroy(d);
    // the first slot's joint, not joint 0; -0 is zero as well, and so are two of them
    d = gltf_builder_repaired(triangle((const uint8_t[12]){0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0},
                                       (const float[12]){1, 0, 0, 0, 0, 0, 0, 0, -0.0f, -0.0f}),
                              SINEW_WEIGHTS_ZERO, weights_path, 2);
    assert_triangle(d, (const float[]){10, 0, 0, 1, 20, 0, 0, 21, 0});
    assert_null(gltf_find(d, SINEW_WEIGHTS_NEGATIVE, NULL)); // -0 is not below 0
    sinew_document_destroy(d);
}

// Nothing usable is left after other repairs: negative, a NaN, an infinity. The first slot again.
static void b28_nothing_left_after_repairs(void **state)
{
    (void)state;
    sinew_document *d = gltf_builder_document(
        triangle((const uint8_t[12]){1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0},
                 (const float[12]){-1, -2, 0, 0, NAN, INFINITY, -INFINITY, 0, 1}));
    assert_int_equal(gltf_find(d, SINEW_WEIGHTS_ZERO, weights_path)->count, 2);
    assert_int_equal(gltf_find(d, SINEW_WEIGHTS_NEGATIVE, weights_path)->count, 2);
    assert_same(gltf_find(d, SINEW_WEIGHTS_NEGATIVE, weights_path)->worst, -2);
    assert_int_equal(gltf_find(d, SINEW_WEIGHTS_NOT_FINITE, weights_path)->count, 3);
    assert_triangle(d, (const float[]){0, 20, 0, 1, 20, 0, 10, 1, 0});
    sinew_document_destroy(d);
}

// The first joint of a vertex without weights is past the skin: it cannot be followed, joint 0 is.
static void b28_first_joint_past_the_skin(void **state)
{
    (void)state;
    sinew_document *d = gltf_builder_document(
        triangle((const uint8_t[12]){200, 1, 0, 0}, (const float[12]){0, 0, 0, 0, 1, 0, 0, 0, 1}));
    assert_int_equal(gltf_find(d, SINEW_WEIGHTS_ZERO, weights_path)->count, 1);
    assert_int_equal(gltf_find(d, SINEW_JOINTS_UNUSED_OUT_OF_RANGE, joints_path)->count, 1);
    assert_triangle(d, (const float[]){10, 0, 0, 11, 0, 0, 10, 1, 0});
    sinew_document_destroy(d);
}

// Zeros in set 0 and a weight in set 1 are no vertex without weight.
static void b28_the_weight_is_in_the_second_set(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_new();
    gltf_builder_floats(b, "VEC3", 1, (const float[3]){0});
    gltf_builder_bytes(b, "VEC4", 1, (const uint8_t[4]){0}, NULL);
    gltf_builder_bytes(b, "VEC4", 1, (const uint8_t[]){0, 0, 1, 0}, NULL);
    gltf_builder_floats(b, "VEC4", 1, (const float[4]){0});
    gltf_builder_floats(b, "VEC4", 1, (const float[]){0, 0, 1, 0});
    gltf_builder_add(b, "'meshes': [{'primitives': [{'attributes': {'POSITION': 0, 'JOINTS_0': 1, "
                        "'JOINTS_1': 2, 'WEIGHTS_0': 3, 'WEIGHTS_1': 4}}]}], 'skins': [{'joints': "
                        "[0, 1]}], 'nodes': [{}, {'translation': [0, 3, 0]}, {'mesh': 0, 'skin': "
                        "0}]");
    sinew_document *d = gltf_builder_document(b);
    assert_null(gltf_find(d, SINEW_WEIGHTS_ZERO, NULL));
    float *out = gltf_skinned(d, 0, 0, -1, 0);
    assert_same(out[1], 3);
    free(out);
    sinew_document_destroy(d);
}

// ---- B31 --------------------------------------------------------------------------------------------------

/// So many joints at x = i, one vertex each: side by side, or each one on from the one before. The
/// first joint shows the mesh, so that there are no more nodes than joints.
static gltf_builder *joints_in_a_row(uint32_t count, bool chain, uint32_t slot_type)
{
    gltf_builder *b = gltf_builder_new();
    size_t room = (size_t)count * 64 + 64, used = 0, listed = 0;
    char *nodes = malloc(room), *list = malloc((size_t)count * 8 + 8);
    float *positions = calloc((size_t)count * 3, sizeof *positions),
          *weights = calloc((size_t)count * 4, sizeof *weights);
    uint16_t *slots = calloc((size_t)count * 4, sizeof *slots);
    uint8_t *narrow = calloc((size_t)count, 4);
    assert_true(nodes && list && positions && weights && slots && narrow);
    for (uint32_t i = 0; i < count; i++) {
        slots[4 * i] = (uint16_t)i;
        narrow[4 * i] = (uint8_t)i;
        weights[4 * i] = 1;
        used +=
            (size_t)snprintf(nodes + used, room - used, "%s{'translation': [%u, 0, 0]%s",
                             i ? ", " : "", chain ? i != 0 : i, i ? "" : ", 'mesh': 0, 'skin': 0");
        if (chain && i + 1 < count)
            used += (size_t)snprintf(nodes + used, room - used, ", 'children': [%u]", i + 1);
        used += (size_t)snprintf(nodes + used, room - used, "}");
        listed += (size_t)sprintf(list + listed, "%s%u", i ? ", " : "", i);
    }
    gltf_builder_floats(b, "VEC3", count, positions);
    if (slot_type == UBYTE)
        gltf_builder_bytes(b, "VEC4", count, narrow, NULL);
    else
        gltf_builder_shorts(b, "VEC4", count, slots, NULL);
    gltf_builder_floats(b, "VEC4", count, weights);
    gltf_builder_add(b,
                     "'meshes': [{'primitives': [{'attributes': {'POSITION': 0, 'JOINTS_0': 1, "
                     "'WEIGHTS_0': 2}}]}], 'skins': [{'joints': [%s]}], 'nodes': [%s]",
                     list, nodes);
    free(nodes), free(list), free(positions), free(weights), free(slots), free(narrow);
    return b;
}

// B31: vertex i stands at x = i, for 300 joints and for 5000: no index wraps around.
static void b31_more_joints_than_a_byte_counts(void **state)
{
    (void)state;
    static const struct {
        uint32_t count;
        bool chain;
        uint32_t slot_type;
    } cases[] = {{300, false, USHORT}, {300, true, USHORT},   {5000, false, USHORT},
                 {5000, true, USHORT}, {256, false, UBYTE},   {256, true, USHORT},
                 {257, false, USHORT}, {65535, false, USHORT}};
    for (uint32_t c = 0; c < COUNT_OF(cases); c++) {
        sinew_document *d = gltf_builder_document(
            joints_in_a_row(cases[c].count, cases[c].chain, cases[c].slot_type));
        assert_int_equal(gltf_count(d, SINEW_JOINTS_UNUSED), 0);
        assert_int_equal(d->rigs[0].node_count, cases[c].count);
        float *out = gltf_skinned(d, 0, 0, -1, 0);
        for (uint32_t i = 0; i < cases[c].count; i++)
            assert_same(out[3 * i], i);
        free(out);
        sinew_document_destroy(d);
    }
}

// One more than a skeleton holds is refused by its count, before anything is made, and a caller's
// limit cannot lift that.
static void b31_more_joints_than_a_skeleton_holds(void **state)
{
    (void)state;
    gltf_builder *b = joints_in_a_row(65536, false, USHORT);
    const char *text = gltf_builder_text(b);
    sinew_import_desc desc = sinew_import_desc_default();
    sinew_document *d = NULL;
    sinew_error error;
    assert_result(sinew_gltf_read(text, strlen(text), &desc, &d, &error),
                  SINEW_ERROR_LIMIT_EXCEEDED);
    assert_string_equal(error.path, "skins[0].joints");
    assert_non_null(strstr(error.message, "65536"));
    assert_null(d);
    desc.limits.joint_count = 1 << 20;
    assert_result(sinew_gltf_read(text, strlen(text), &desc, &d, &error),
                  SINEW_ERROR_LIMIT_EXCEEDED);
    assert_string_equal(error.path, "skins[0].joints");
    assert_null(d);
    gltf_builder_free(b);
}

// Two skins of 40,000 joints each are one rig of 80,000 where a joint of one hangs below the other:
// refused as well, with the place.
static void b31_a_rig_of_two_large_skins(void **state)
{
    (void)state;
    enum { EACH = 40000 };
    size_t room = (size_t)EACH * 2 * 16 + 1024, used = 0;
    char *lists[2] = {calloc(1, room), calloc(1, room)}, *nodes = calloc(1, room);
    assert_true(lists[0] && lists[1] && nodes);
    for (int s = 0; s < 2; s++)
        for (int i = 0, at = 0; i < EACH; i++)
            at += sprintf(lists[s] + at, "%s%d", i ? ", " : "", s * EACH + i);
    for (int i = 0; i < 2 * EACH; i++)
        used += (size_t)sprintf(nodes + used, i == 0 ? "{'children': [%d]}, " : "{}, ", EACH);
    gltf_builder *b = gltf_builder_new();
    gltf_builder_rigid_mesh(b, 1, (const float[3]){0});
    gltf_builder_add(b,
                     "'skins': [{'joints': [%s]}, {'joints': [%s]}], 'nodes': [%s{'mesh': 0, "
                     "'skin': 1}]",
                     lists[0], lists[1], nodes);
    free(lists[0]), free(lists[1]), free(nodes);
    gltf_builder_refused(b, SINEW_ERROR_TOO_MANY_JOINTS, "skins[1]", NULL);
}

// A skin of three among 70,000 nodes: its rig is small, only the whole is too large for a skeleton.
static void b31_a_small_rig_in_a_large_scene(void **state)
{
    (void)state;
    enum { NODES = 70000 };
    gltf_builder *b = gltf_builder_new();
    char *nodes = malloc((size_t)NODES * 4 + 256);
    assert_non_null(nodes);
    size_t used = 0;
    for (int i = 0; i < NODES; i++)
        used += (size_t)sprintf(nodes + used, "{}, ");
    sprintf(nodes + used, "{'translation': [5, 0, 0]}, {'mesh': 0, 'skin': 0}");
    gltf_builder_rigid_mesh(b, 3, (const float[9]){0});
    gltf_builder_add(b, "'skins': [{'joints': [1, %d, 2]}], 'nodes': [%s]", NODES, nodes);
    free(nodes);
    sinew_document *d = gltf_builder_document(b);
    assert_int_equal(d->rigs[0].node_count, 3);
    sinew_skeleton *skeleton;
    sinew_error error;
    assert_result(sinew_document_skeleton(d, NULL, &skeleton, &error), SINEW_ERROR_TOO_MANY_JOINTS);
    assert_null(skeleton);
    assert_ok(sinew_document_rig_skeleton(d, 0, NULL, &skeleton, &error));
    int32_t joint = sinew_skeleton_joint_of_node(skeleton, NODES);
    assert_same(sinew_skeleton_rest_model(skeleton)[joint].m[12], 5);
    sinew_skeleton_destroy(skeleton);
    sinew_document_destroy(d);
}

// A vertex with weight on a joint past its skin is an error; the message says which.
static void b31_a_slot_past_the_skin(void **state)
{
    (void)state;
    sinew_error error;
    gltf_builder_refused(triangle((const uint8_t[12]){0, 0, 0, 0, 0, 2, 0, 0},
                                  (const float[12]){1, 0, 0, 0, 0.5f, 0.5f, 0, 0, 1}),
                         SINEW_ERROR_VERTEX_JOINT_RANGE, joints_path, &error);
    assert_non_null(strstr(error.message, "vertex 1"));
    assert_non_null(strstr(error.message, "joint 2"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(b24_weights_that_do_not_sum_to_one),
        cmocka_unit_test(b24_a_few_vertices_of_many),
        cmocka_unit_test(b24_sums_that_are_nearly_one),
        cmocka_unit_test(b24_bytes_that_sum_to_254_or_256),
        cmocka_unit_test(b24_the_sum_is_over_all_sets),
        cmocka_unit_test(b26_integer_weights),
        cmocka_unit_test(b26_eight_influences_in_bytes),
        cmocka_unit_test(b27_weights_of_unit_length),
        cmocka_unit_test(b28_all_weights_zero),
        cmocka_unit_test(b28_nothing_left_after_repairs),
        cmocka_unit_test(b28_first_joint_past_the_skin),
        cmocka_unit_test(b28_the_weight_is_in_the_second_set),
        cmocka_unit_test(b31_more_joints_than_a_byte_counts),
        cmocka_unit_test(b31_more_joints_than_a_skeleton_holds),
        cmocka_unit_test(b31_a_rig_of_two_large_skins),
        cmocka_unit_test(b31_a_small_rig_in_a_large_scene),
        cmocka_unit_test(b31_a_slot_past_the_skin),
    };
    return TEST_RUN(tests);
}
