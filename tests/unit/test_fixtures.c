// SPDX-License-Identifier: MIT
// Characters made by code: values of chain and strip from SPEC 17 by hand; what the creature
// promises (closed surface, weights, rest, loops that close, paws that do not slide).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sinew_fixtures.h"
#include "support/test_main.h"

static void chain_stands_along_y(void **state)
{
    (void)state;
    sinew_document *d;
    assert_int_equal(sinew_fixture_chain(3, 0.5f, NULL, &d), SINEW_OK);
    assert_int_equal(d->node_count, 3);
    assert_int_equal(d->rig_count, 1);
    sinew_skeleton *s;
    assert_int_equal(sinew_document_rig_skeleton(d, 0, NULL, &s, NULL), SINEW_OK);
    for (uint32_t j = 0; j < 3; j++) { // j0 at 0, j1 at 0.5, j2 at 1
        char name[4] = {'j', (char)('0' + j), 0};
        assert_string_equal(sinew_skeleton_joint_name(s, j), name);
        assert_true(sinew_skeleton_rest_model(s)[j].m[13] == 0.5f * (float)j);
        assert_true(d->skins[0].inverse_binds[j].m[13] == -0.5f * (float)j);
    }
    sinew_skeleton_destroy(s);
    sinew_document_destroy(d);
}

static void strip_shares_between_joints(void **state)
{
    (void)state;
    sinew_document *d;
    // 3 joints 2 apart, 5 vertices over [0, 4]: y = 0 1 2 3 4, in joints 0, 0.5, 1, 1.5, 2
    assert_int_equal(sinew_fixture_strip(3, 5, 2.0f, NULL, &d), SINEW_OK);
    const sinew_primitive *p = &d->meshes[0].primitives[0];
    static const uint16_t below[5] = {0, 0, 1, 1, 2};
    static const float above[5] = {0.0f, 0.5f, 0.0f, 0.5f, 0.0f};
    assert_int_equal(p->vertex_count, 5);
    for (int v = 0; v < 5; v++) {
        assert_true(p->positions[3 * v + 1] == (float)v);
        assert_int_equal(p->joints[2 * v], below[v]);
        assert_true(p->weights[2 * v] == 1.0f - above[v]);
        assert_true(p->weights[2 * v + 1] == above[v]);
        if (above[v] > 0.0f)
            assert_int_equal(p->joints[2 * v + 1], below[v] + 1);
        assert_true(p->positions[3 * v] != 0.0f); // it has a width
    }
    assert_int_equal(p->index_count, 9);
    assert_int_equal(d->instances[0].rest.kind, SINEW_REST_IDENTITY);
    sinew_document_destroy(d);
}

static void degenerate_strips_stand_on_joint_0(void **state)
{
    (void)state;
    static const struct {
        uint32_t joints, vertices;
        float spacing;
    } cases[] = {{1, 4, 1.0f}, {3, 4, 0.0f}, {3, 1, 1.0f}};
    for (int c = 0; c < 3; c++) {
        sinew_document *d;
        assert_int_equal(
            sinew_fixture_strip(cases[c].joints, cases[c].vertices, cases[c].spacing, NULL, &d),
            SINEW_OK);
        const sinew_primitive *p = &d->meshes[0].primitives[0];
        for (uint32_t v = 0; v < p->vertex_count; v++) {
            assert_true(p->positions[3 * v + 1] == 0.0f);
            assert_int_equal(p->joints[2 * v], 0);
            assert_true(p->weights[2 * v] == 1.0f && p->weights[2 * v + 1] == 0.0f);
        }
        sinew_document_destroy(d);
    }
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    sinew_document *d;
    assert_int_equal(sinew_fixture_chain(0, 1.0f, NULL, &d), SINEW_ERROR_INVALID_ARGUMENT);
    assert_int_equal(sinew_fixture_chain(65536, 1.0f, NULL, &d), SINEW_ERROR_INVALID_ARGUMENT);
    assert_int_equal(sinew_fixture_chain(2, -1.0f, NULL, &d), SINEW_ERROR_INVALID_ARGUMENT);
    assert_int_equal(sinew_fixture_chain(2, (float)NAN, NULL, &d), SINEW_ERROR_INVALID_ARGUMENT);
    assert_int_equal(sinew_fixture_strip(2, 0, 1.0f, NULL, &d), SINEW_ERROR_INVALID_ARGUMENT);
    assert_int_equal(sinew_fixture_strip(2, 2, (float)INFINITY, NULL, &d),
                     SINEW_ERROR_INVALID_ARGUMENT);
    assert_null(d);
}

static int compare_edges(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void creature_is_whole(void **state)
{
    (void)state;
    sinew_document *d;
    assert_int_equal(sinew_fixture_creature(NULL, &d), SINEW_OK);
    assert_int_equal(d->rig_count, 1);
    assert_true(d->rigs[0].node_count >= 40);
    assert_int_equal(d->skin_count, 2);
    uint32_t total = 0;
    for (uint32_t m = 0; m < d->mesh_count; m++) {
        const sinew_primitive *p = &d->meshes[m].primitives[0];
        total += p->vertex_count;
        for (size_t v = 0; v < p->vertex_count; v++) {
            float sum = 0.0f;
            for (size_t k = 0; k < 4; k++)
                sum += p->weights[4 * v + k];
            assert_true(fabsf(sum - 1.0f) <= 1.2e-7f);
            const float *n = p->normals + 3 * v;
            assert_true(fabsf(sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) - 1.0f) < 1e-5f);
        }
    }
    assert_in_range(total, 3000, 10000);
    for (uint32_t i = 0; i < d->instance_count; i++)
        assert_int_equal(d->instances[i].rest.kind, SINEW_REST_IDENTITY);
    // a closed, oriented surface: every edge is walked once each way
    const sinew_primitive *body = &d->meshes[0].primitives[0];
    uint64_t *edges = malloc(body->index_count * sizeof *edges);
    assert_non_null(edges);
    for (uint32_t k = 0; k < body->index_count; k++) {
        uint64_t a = body->indices[k], b = body->indices[k % 3 == 2 ? k - 2 : k + 1];
        edges[k] = a < b ? (a << 32 | b) << 1 : (b << 32 | a) << 1 | 1;
    }
    qsort(edges, body->index_count, sizeof *edges, compare_edges);
    for (uint32_t k = 0; k < body->index_count;) { // as many forwards as backwards
        uint32_t end = k;
        int balance = 0;
        for (; end < body->index_count && edges[end] >> 1 == edges[k] >> 1; end++)
            balance += edges[end] & 1 ? 1 : -1;
        assert_int_equal(balance, 0);
        k = end;
    }
    free(edges);
    sinew_document_destroy(d);
}

static void creature_clips_close_and_cover_all_interpolations(void **state)
{
    (void)state;
    sinew_document *d;
    assert_int_equal(sinew_fixture_creature(NULL, &d), SINEW_OK);
    static const char *const names[] = {"idle", "walk", "run", "turn", "jump"};
    unsigned interpolations = 0;
    for (int c = 0; c < 5; c++) {
        int32_t clip = sinew_document_find_clip(d, names[c]);
        assert_true(clip >= 0);
        for (uint32_t t = 0; t < sinew_clip_track_count(d->clips[clip]); t++) {
            const sinew_track *track = &sinew_clip_tracks(d->clips[clip])[t];
            interpolations |= 1u << track->interpolation;
            if (c > 2)
                continue; // idle, walk and run loop: the last key is the first one
            size_t n = track->component_count,
                   parts = track->interpolation == SINEW_INTERPOLATION_CUBIC ? 3 : 1;
            const float *first = track->values + (parts == 3 ? n : 0),
                        *last = first + (size_t)(track->key_count - 1) * parts * n;
            float dot = 0.0f, square = 0.0f;
            for (size_t i = 0; i < n; i++) { // a quaternion may come back as its opposite
                dot += first[i] * last[i];
                square += first[i] * first[i];
            }
            if (track->property == SINEW_PROPERTY_ROTATION)
                dot = fabsf(dot);
            assert_true(fabsf(dot - square) <= 1e-6f * (square > 1.0f ? square : 1.0f));
        }
    }
    assert_int_equal(interpolations, 7); // STEP, LINEAR, CUBIC
    sinew_document_destroy(d);
}

// While a paw is on the ground it moves straight back at the clip's speed.
static void walking_paws_do_not_slide(void **state)
{
    (void)state;
    sinew_document *d;
    sinew_skeleton *s;
    sinew_clip_binding *b;
    sinew_pose pose;
    assert_int_equal(sinew_fixture_creature(NULL, &d), SINEW_OK);
    assert_int_equal(sinew_document_rig_skeleton(d, 0, NULL, &s, NULL), SINEW_OK);
    uint32_t n = sinew_skeleton_joint_count(s);
    const sinew_clip *walk = d->clips[sinew_document_find_clip(d, "walk")];
    assert_int_equal(
        sinew_clip_binding_create(&(sinew_clip_binding_desc){.clip = walk, .skeleton = s}, &b),
        SINEW_OK);
    void *memory = aligned_alloc(SINEW_BLOCK_ALIGN, sinew_pose_size(n));
    sinew_mat4 *model = malloc(n * sizeof *model);
    assert_int_equal(sinew_pose_init(&pose, n, memory, sinew_pose_size(n)), SINEW_OK);
    static const char *const toes[] = {"fingers_l", "fingers_r", "toes_l", "toes_r"};
    static const float offsets[] = {0.75f, 0.25f, 0.0f,
                                    0.5f}; // LH RH a half apart, fore paws a quarter later
    double duration = sinew_clip_duration(walk);
    for (int k = 0; k < 4; k++) {
        int32_t joint = sinew_skeleton_find_joint(s, toes[k]);
        assert_true(joint >= 0);
        for (int i = 1; i < 60; i++) { // inside the 65 % on the ground
            double u = 0.65 * i / 60 - offsets[k];
            u -= floor(u);
            assert_int_equal(sinew_clip_sample(&(sinew_sample_args){
                                 .binding = b, .time = u * duration, .out_pose = &pose}),
                             SINEW_OK);
            assert_int_equal(sinew_local_to_model(&(sinew_local_to_model_args){
                                 .skeleton = s, .pose = &pose, .out_model = model, .out_count = n}),
                             SINEW_OK);
            const float *rest = sinew_skeleton_rest_model(s)[joint].m;
            double half = 0.5 * SINEW_CREATURE_WALK_GROUND * 0.65;
            double z = rest[14] + half - 2.0 * half * i / 60;
            // between keys a leg's joints turn apart: up to a millimetre
            assert_true(fabs(model[joint].m[14] - z) < 1.5e-3);
            assert_true(fabs(model[joint].m[13] - rest[13]) < 1.5e-3);
        }
    }
    free(model);
    free(memory);
    sinew_clip_binding_destroy(b);
    sinew_skeleton_destroy(s);
    sinew_document_destroy(d);
}

static void creature_is_the_same_twice(void **state)
{
    (void)state;
    sinew_document *a, *b;
    assert_int_equal(sinew_fixture_creature(NULL, &a), SINEW_OK);
    assert_int_equal(sinew_fixture_creature(NULL, &b), SINEW_OK);
    for (uint32_t m = 0; m < a->mesh_count; m++) {
        const sinew_primitive *p = &a->meshes[m].primitives[0], *q = &b->meshes[m].primitives[0];
        assert_int_equal(p->vertex_count, q->vertex_count);
        assert_memory_equal(p->positions, q->positions, p->vertex_count * 12);
        assert_memory_equal(p->weights, q->weights, p->vertex_count * 16);
    }
    sinew_document_destroy(a);
    sinew_document_destroy(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain_stands_along_y),
        cmocka_unit_test(strip_shares_between_joints),
        cmocka_unit_test(degenerate_strips_stand_on_joint_0),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(creature_is_whole),
        cmocka_unit_test(creature_clips_close_and_cover_all_interpolations),
        cmocka_unit_test(walking_paws_do_not_slide),
        cmocka_unit_test(creature_is_the_same_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
