// SPDX-License-Identifier: MIT
// Characters made by code. Chain and strip: values worked out by hand from SPEC 17. The creature:
// what its header promises, measured through the public calls alone: closed surfaces, influences,
// rest, loops that close, paws that stand still on their ground.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sinew_fixtures.h"
#include "support/closed_mesh.h"
#include "support/counting_allocator.h"
#include "support/test_main.h"

// ---- A document that plays ----------------------------------------------------------------------

typedef struct actor {
    sinew_document *document;
    sinew_skeleton *skeleton;
    sinew_skin *skins[2];
    sinew_clip_binding *binding;
    void *block;
    sinew_pose pose;
    sinew_mat4 *model;
    uint32_t joint_count;
} actor;

static void actor_init(actor *a, sinew_document *document)
{
    memset(a, 0, sizeof *a);
    a->document = document;
    assert_int_equal(document->rig_count, 1);
    assert_ok(sinew_document_rig_skeleton(document, 0, NULL, &a->skeleton, NULL));
    a->joint_count = sinew_skeleton_joint_count(a->skeleton);
    for (uint32_t s = 0; s < document->skin_count; s++)
        assert_ok(sinew_document_make_skin(document, s, a->skeleton, NULL, &a->skins[s], NULL));
    a->block = test_block(sinew_pose_size(a->joint_count));
    assert_ok(sinew_pose_init(&a->pose, a->joint_count, a->block, sinew_pose_size(a->joint_count)));
    a->model = calloc(a->joint_count, sizeof *a->model);
    assert_non_null(a->model);
}

static const sinew_clip *actor_bind(actor *a, const char *name)
{
    const int32_t clip = sinew_document_find_clip(a->document, name);
    assert_true(clip >= 0);
    sinew_clip_binding_destroy(a->binding);
    sinew_clip_binding_desc desc = sinew_clip_binding_desc_default();
    desc.clip = a->document->clips[clip];
    desc.skeleton = a->skeleton;
    assert_ok(sinew_clip_binding_create(&desc, &a->binding));
    uint32_t unmatched;
    sinew_clip_binding_unmatched(a->binding, &unmatched);
    assert_int_equal(unmatched, 0);
    return desc.clip;
}

static void actor_pose(actor *a, double time)
{
    assert_ok(sinew_clip_sample(
        &(sinew_sample_args){.binding = a->binding, .time = time, .out_pose = &a->pose}));
    assert_ok(sinew_local_to_model(&(sinew_local_to_model_args){.skeleton = a->skeleton,
                                                                .pose = &a->pose,
                                                                .out_model = a->model,
                                                                .out_count = a->joint_count}));
}

static uint32_t actor_joint(const actor *a, const char *name)
{
    const int32_t joint = sinew_skeleton_find_joint(a->skeleton, name);
    assert_true(joint >= 0);
    return (uint32_t)joint;
}

static sinew_vec3 actor_at(const actor *a, uint32_t joint)
{
    const float *m = a->model[joint].m;
    return sinew_vec3_make(m[12], m[13], m[14]);
}

static sinew_vec3 actor_rest_at(const actor *a, uint32_t joint)
{
    const float *m = sinew_skeleton_rest_model(a->skeleton)[joint].m;
    return sinew_vec3_make(m[12], m[13], m[14]);
}

static void actor_free(actor *a)
{
    free(a->model);
    test_block_free(a->block);
    sinew_clip_binding_destroy(a->binding);
    for (int s = 0; s < 2; s++)
        sinew_skin_destroy(a->skins[s]);
    sinew_skeleton_destroy(a->skeleton);
    sinew_document_destroy(a->document);
}

static void creature_init(actor *a)
{
    sinew_document *document;
    assert_ok(sinew_fixture_creature(NULL, &document));
    actor_init(a, document);
}

// ---- Chain --------------------------------------------------------------------------------------

static void chain_stands_along_y(void **state)
{
    (void)state;
    sinew_document *document;
    assert_ok(sinew_fixture_chain(3, 0.5f, NULL, &document));
    actor a;
    actor_init(&a, document);
    assert_int_equal(document->node_count, 3);
    assert_int_equal(document->mesh_count, 0);
    for (uint32_t j = 0; j < 3; j++) { // j0 at 0, j1 at 0.5, j2 at 1
        const char name[3] = {'j', (char)('0' + j), 0};
        assert_string_equal(sinew_skeleton_joint_name(a.skeleton, j), name);
        assert_int_equal(sinew_skeleton_parents(a.skeleton)[j], (int32_t)j - 1);
        const sinew_vec3 at = actor_rest_at(&a, j);
        assert_true(at.x == 0.0f && at.y == 0.5f * (float)j && at.z == 0.0f);
        assert_true(document->skins[0].inverse_binds[j].m[13] == -0.5f * (float)j);
    }
    actor_free(&a);
}

// After 1 s each joint has turned by 15 degrees about +Z, after half of that by half (slerp keeps
// the speed). j1, 1 m above j0, then stands at (-sin 15, cos 15), and what is 1 m above j1 at the
// sum of that and (-sin 30, cos 30).
static void chain_bends_and_comes_back(void **state)
{
    (void)state;
    sinew_document *document;
    assert_ok(sinew_fixture_chain(2, 1.0f, NULL, &document));
    actor a;
    actor_init(&a, document);
    const sinew_clip *clip = actor_bind(&a, "bend");
    assert_same(sinew_clip_duration(clip), 2.0);
    const double degree = acos(-1.0) / 180.0;
    static const double times[] = {0.0, 0.5, 1.0, 1.5, 2.0}, turns[] = {0.0, 7.5, 15.0, 7.5, 0.0};
    for (int i = 0; i < 5; i++) {
        const double turn = turns[i] * degree;
        actor_pose(&a, times[i]);
        assert_vec3_near(actor_at(&a, 1), -sin(turn), cos(turn), 0.0, 1e-6);
        const sinew_vec3 above =
            sinew_mat4_transform_point(&a.model[1], sinew_vec3_make(0.0f, 1.0f, 0.0f));
        assert_vec3_near(above, -sin(turn) - sin(2.0 * turn), cos(turn) + cos(2.0 * turn), 0.0,
                         1e-6);
    }
    actor_free(&a);
}

static void the_longest_chain_can_be_made(void **state)
{
    (void)state;
    sinew_document *document;
    assert_ok(sinew_fixture_chain(SINEW_MAX_JOINTS, 0.1f, NULL, &document));
    assert_int_equal(document->rigs[0].node_count, SINEW_MAX_JOINTS);
    assert_string_equal(document->nodes[SINEW_MAX_JOINTS - 1].name, "j65534");
    sinew_document_destroy(document);
}

// ---- Strip --------------------------------------------------------------------------------------

typedef struct strip_vertex {
    float y;
    uint16_t joints[2];
    float weights[2];
} strip_vertex;

static void check_strip(uint32_t joints, uint32_t vertices, float spacing,
                        const strip_vertex *expected)
{
    sinew_document *document;
    assert_ok(sinew_fixture_strip(joints, vertices, spacing, NULL, &document));
    const sinew_primitive *p = &document->meshes[0].primitives[0];
    assert_int_equal(p->vertex_count, vertices);
    assert_int_equal(p->influence_count, 2);
    for (uint32_t v = 0; v < vertices; v++) {
        const strip_vertex *e = &expected[v];
        assert_near(p->positions[3 * v + 1], e->y, 2e-7 * e->y);
        assert_true(p->positions[3 * v] * (v % 2 == 0 ? -1.0f : 1.0f) > 0.0f); // it has a width
        for (uint32_t k = 0; k < 2; k++) {
            assert_int_equal(p->joints[2 * v + k], e->joints[k]);
            assert_near(p->weights[2 * v + k], e->weights[k], 1e-7);
        }
    }
    assert_int_equal(document->rigs[0].node_count, joints);
    assert_int_equal(document->skins[0].joint_count, joints);
    assert_int_equal(document->instances[0].rest.kind, SINEW_REST_IDENTITY);
    sinew_document_destroy(document);
}

static void strip_shares_between_joints(void **state)
{
    (void)state;
    // three joints 2 m apart, five vertices over [0, 4]: y = 0 1 2 3 4 is 0, 0.5, 1, 1.5 and 2
    // joints up
    static const strip_vertex five[] = {{0.0f, {0, 0}, {1.0f, 0.0f}},
                                        {1.0f, {0, 1}, {0.5f, 0.5f}},
                                        {2.0f, {1, 0}, {1.0f, 0.0f}},
                                        {3.0f, {1, 2}, {0.5f, 0.5f}},
                                        {4.0f, {2, 0}, {1.0f, 0.0f}}};
    check_strip(3, 5, 2.0f, five);
    // two joints 3 m apart, four vertices: a third and two thirds between them, the heavier one
    // first
    static const strip_vertex four[] = {{0.0f, {0, 0}, {1.0f, 0.0f}},
                                        {1.0f, {0, 1}, {2.0f / 3.0f, 1.0f / 3.0f}},
                                        {2.0f, {1, 0}, {2.0f / 3.0f, 1.0f / 3.0f}},
                                        {3.0f, {1, 0}, {1.0f, 0.0f}}};
    check_strip(2, 4, 3.0f, four);
    // more joints than vertices: y = 0, 2, 4 falls on joints 0, 2, 4
    static const strip_vertex three[] = {
        {0.0f, {0, 0}, {1.0f, 0.0f}}, {2.0f, {2, 0}, {1.0f, 0.0f}}, {4.0f, {4, 0}, {1.0f, 0.0f}}};
    check_strip(5, 3, 1.0f, three);
}

static void degenerate_strips_stand_on_joint_0(void **state)
{
    (void)state;
    static const strip_vertex flat[4] = {{0.0f, {0, 0}, {1.0f, 0.0f}},
                                         {0.0f, {0, 0}, {1.0f, 0.0f}},
                                         {0.0f, {0, 0}, {1.0f, 0.0f}},
                                         {0.0f, {0, 0}, {1.0f, 0.0f}}};
    check_strip(1, 4, 1.0f, flat);
    check_strip(3, 4, 0.0f, flat);
    check_strip(3, 1, 1.0f, flat);
}

static void strip_triangles_face_forwards(void **state)
{
    (void)state;
    sinew_document *document;
    assert_ok(sinew_fixture_strip(3, 6, 1.0f, NULL, &document));
    const sinew_primitive *p = &document->meshes[0].primitives[0];
    assert_int_equal(p->topology, SINEW_TOPOLOGY_TRIANGLES);
    assert_int_equal(p->index_count, 3 * 4);
    for (uint32_t i = 0; i < p->index_count; i += 3) {
        const float *a = p->positions + 3 * p->indices[i];
        const float *b = p->positions + 3 * p->indices[i + 1];
        const float *c = p->positions + 3 * p->indices[i + 2];
        assert_true((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0.0f);
    }
    sinew_document_destroy(document);
    assert_ok(sinew_fixture_strip(3, 2, 1.0f, NULL, &document)); // no triangle, and no fault
    assert_int_equal(document->meshes[0].primitives[0].index_count, 0);
    sinew_document_destroy(document);
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    sinew_document *d = (sinew_document *)(void *)&state; // to be overwritten
    const sinew_result wrong = SINEW_ERROR_INVALID_ARGUMENT;
    assert_result(sinew_fixture_chain(0, 1.0f, NULL, &d), wrong);
    assert_null(d);
    assert_result(sinew_fixture_chain(65536, 1.0f, NULL, &d), wrong);
    assert_result(sinew_fixture_chain(2, -1.0f, NULL, &d), wrong);
    assert_result(sinew_fixture_chain(2, (float)NAN, NULL, &d), wrong);
    assert_result(sinew_fixture_chain(1, (float)INFINITY, NULL, &d), wrong);
    assert_result(sinew_fixture_chain(3, FLT_MAX, NULL, &d), wrong); // 2 FLT_MAX high
    assert_result(sinew_fixture_strip(0, 1, 1.0f, NULL, &d), wrong);
    assert_result(sinew_fixture_strip(2, 0, 1.0f, NULL, &d), wrong);
    assert_result(sinew_fixture_strip(2, 2, (float)INFINITY, NULL, &d), wrong);
    assert_null(d);
    assert_result(sinew_fixture_chain(1, 1.0f, NULL, NULL), wrong);
    assert_result(sinew_fixture_strip(1, 1, 1.0f, NULL, NULL), wrong);
    assert_result(sinew_fixture_creature(NULL, NULL), wrong);
    assert_result(sinew_fixture_cub(NULL, NULL), wrong);
}

// ---- Memory -------------------------------------------------------------------------------------

static sinew_result make_chain(const sinew_allocator *allocator, sinew_document **out)
{
    return sinew_fixture_chain(3, 1.0f, allocator, out);
}
static sinew_result make_strip(const sinew_allocator *allocator, sinew_document **out)
{
    return sinew_fixture_strip(3, 7, 1.0f, allocator, out);
}

// Every allocation fails once; `stride` skips some where there are many.
static void check_memory(sinew_result (*make)(const sinew_allocator *, sinew_document **),
                         size_t stride)
{
    counting_allocator counter = {0};
    sinew_allocator allocator = counting_allocator_use(&counter);
    sinew_document *document;
    assert_ok(make(&allocator, &document));
    const size_t calls = counter.call_count;
    sinew_document_destroy(document);
    assert_int_equal(counter.live_count, 0);
    assert_int_equal(counter.fault_count, 0);
    for (size_t n = 1; n <= calls; n += stride) {
        counter = (counting_allocator){.fail_at = n};
        document = (sinew_document *)&counter;
        assert_result(make(&allocator, &document), SINEW_ERROR_OUT_OF_MEMORY);
        assert_null(document);
        assert_int_equal(counter.live_count, 0);
        assert_int_equal(counter.fault_count, 0);
    }
}

static void memory_is_given_back(void **state)
{
    (void)state;
    check_memory(make_chain, 1);
    check_memory(make_strip, 1);
    check_memory(sinew_fixture_creature, 131); // a prime, to meet all stages
    check_memory(sinew_fixture_cub, 131);
    check_memory(sinew_fixture_seated, 11);
}

// ---- The creature's surface ---------------------------------------------------------------------

static void creature_has_what_it_promises(void **state)
{
    (void)state;
    actor a;
    creature_init(&a);
    const sinew_document *d = a.document;
    assert_true(a.joint_count >= 40);
    assert_int_equal(d->skin_count, 2);
    assert_int_equal(d->finding_count, 0);
    static const char *const names[] = {
        "root",    "hips",      "spine_1", "spine_3",   "chest",      "ribs",    "neck_2",
        "head",    "jaw",       "tail_1",  "tail_6",    "scarf_3",    "eye_l",   "ear_1_l",
        "ear_2_r", "scapula_l", "hand_r",  "fingers_l", "fingers_r",  "thigh_r", "shin_l",
        "foot_r",  "toes_l",    "toes_r",  "forearm_l", "upper_arm_r"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        actor_joint(&a, names[i]);
    uint32_t total = 0;
    float low = 1.0f, high = 0.0f;
    for (uint32_t m = 0; m < d->mesh_count; m++)
        for (uint32_t p = 0; p < d->meshes[m].primitive_count; p++) {
            const sinew_primitive *primitive = &d->meshes[m].primitives[p];
            total += primitive->vertex_count;
            for (size_t v = 0; v < primitive->vertex_count; v++) {
                const float y = primitive->positions[3 * v + 1];
                low = y < low ? y : low;
                high = y > high ? y : high;
            }
        }
    assert_in_range(total, 3000, 10000);
    assert_near(low, 0.0, 1e-3); // stands on the ground
    assert_true(high > 1.0f && high < 1.4f);
    assert_near(actor_rest_at(&a, actor_joint(&a, "scapula_l")).y, 0.7, 0.05);
    for (uint32_t j = 0; j < a.joint_count; j++) {
        const sinew_quat q = sinew_skeleton_rest(a.skeleton)[j].rotation;
        assert_true(q.x == 0.0f && q.y == 0.0f && q.z == 0.0f && q.w == 1.0f);
    }
    for (uint32_t i = 0; i < d->instance_count; i++) {
        assert_true(d->instances[i].skinned);
        assert_int_equal(d->instances[i].rest.kind, SINEW_REST_IDENTITY);
    }
    actor_free(&a);
}

static void creature_surfaces_are_closed(void **state)
{
    (void)state;
    sinew_document *d;
    assert_ok(sinew_fixture_creature(NULL, &d));
    for (uint32_t m = 0; m < d->mesh_count; m++)
        for (uint32_t p = 0; p < d->meshes[m].primitive_count; p++) {
            test_check_closed(&d->meshes[m].primitives[p]);
            test_check_normals(&d->meshes[m].primitives[p]);
        }
    sinew_document_destroy(d);
}

// A name that ends in _l or _r belongs to a side: 1 is left (+X), -1 right, 0 the middle.
static int side_of(const char *name)
{
    const size_t length = strlen(name);
    if (length < 2 || name[length - 2] != '_')
        return 0;
    return name[length - 1] == 'l' ? 1 : name[length - 1] == 'r' ? -1 : 0;
}

static void creature_influences_keep_their_side(void **state)
{
    (void)state;
    sinew_document *d;
    assert_ok(sinew_fixture_creature(NULL, &d));
    bool used[256] = {false};
    for (uint32_t m = 0; m < d->mesh_count; m++)
        for (uint32_t k = 0; k < d->meshes[m].primitive_count; k++) {
            const sinew_primitive *p = &d->meshes[m].primitives[k];
            const sinew_document_skin *skin = &d->skins[m];
            for (size_t v = 0; v < p->vertex_count; v++) {
                const float *w = p->weights + v * p->influence_count;
                double sum = 0.0;
                for (size_t i = 0; i < p->influence_count; i++) {
                    const uint16_t slot = p->joints[v * p->influence_count + i];
                    sum += w[i];
                    assert_true(i == 0 || w[i] <= w[i - 1]); // by falling weight
                    assert_true(w[i] > 0.0f || slot == 0);   // padding is joint 0
                    if (w[i] == 0.0f)
                        continue;
                    const uint32_t node = skin->joints[slot];
                    used[node] = true;
                    const int side = side_of(d->nodes[node].name);
                    if (m == 0) // the scarf may hang to one side
                        assert_true((float)side * p->positions[3 * v] >= 0.0f);
                }
                assert_near(sum, 1.0, 2e-7);
            }
        }
    for (uint32_t n = 1; n < d->node_count; n++) // every joint but the root moves something
        if (d->nodes[n].mesh < 0 && !used[n])
            fail_msg("no vertex follows %s", d->nodes[n].name);
    sinew_document_destroy(d);
}

static void creature_targets_close_the_eyes(void **state)
{
    (void)state;
    sinew_document *d;
    assert_ok(sinew_fixture_creature(NULL, &d));
    const sinew_mesh *body = &d->meshes[0];
    assert_int_equal(body->target_count, 2);
    for (uint32_t p = 0; p < body->primitive_count; p++) {
        assert_string_equal(body->primitives[p].targets[0].name, "blink");
        assert_string_equal(body->primitives[p].targets[1].name, "happy");
        assert_true(body->primitives[p].targets[0].count > 0);
    }
    // The eyes (all but the nose, which moves nowhere) become at most a fifth as high.
    const sinew_primitive *eyes = &body->primitives[1];
    float open[2] = {10.0f, -10.0f}, shut[2] = {10.0f, -10.0f};
    for (uint32_t v = 0; v < eyes->vertex_count; v++) {
        const float y = eyes->positions[3 * v + 1], dy = eyes->targets[0].positions[3 * v + 1];
        if (dy == 0.0f)
            continue;
        open[0] = fminf(open[0], y), open[1] = fmaxf(open[1], y);
        shut[0] = fminf(shut[0], y + dy), shut[1] = fmaxf(shut[1], y + dy);
    }
    assert_true(open[1] - open[0] > 0.03f);
    assert_true(shut[1] - shut[0] < 0.2f * (open[1] - open[0]));
    sinew_document_destroy(d);
}

// ---- The creature's clips -----------------------------------------------------------------------

static void creature_loops_close(void **state)
{
    (void)state;
    sinew_document *d;
    assert_ok(sinew_fixture_creature(NULL, &d));
    static const char *const names[] = {"idle", "walk", "run", "turn", "jump"};
    static const double durations[] = {4.0, SINEW_CREATURE_WALK_SECONDS, SINEW_CREATURE_RUN_SECONDS,
                                       1.4, 1.6};
    unsigned interpolations = 0, properties = 0;
    assert_int_equal(d->clip_count, 5);
    for (uint32_t c = 0; c < 5; c++) {
        assert_string_equal(sinew_clip_name(d->clips[c]), names[c]);
        assert_near(sinew_clip_duration(d->clips[c]), durations[c], 1e-6);
        for (uint32_t t = 0; t < sinew_clip_track_count(d->clips[c]); t++) {
            const sinew_track *track = &sinew_clip_tracks(d->clips[c])[t];
            interpolations |= 1u << track->interpolation;
            properties |= 1u << track->property;
            if (c > 2 || track->interpolation == SINEW_INTERPOLATION_STEP)
                continue;
            // idle, walk and run: the last key is the first one, tangents included
            const size_t n = track->component_count;
            const size_t row = track->interpolation == SINEW_INTERPOLATION_CUBIC ? 3 * n : n;
            const float *last = track->values + (track->key_count - 1) * row;
            assert_memory_equal(track->values, last, row * sizeof(float));
        }
    }
    assert_int_equal(interpolations, 7); // STEP, LINEAR, CUBIC
    assert_int_equal(properties, 15);    // translation, rotation, scale, weights
    sinew_document_destroy(d);
}

// Between keys a paw may leave its place by as much as the curves between them differ from the
// motion; a millimetre is less than a pixel wherever the whole fox is in the picture.
static const double STANDS = 1e-3;

static void check_gait(const char *name, const char *const *paws, const double *beats,
                       double ground, double duty, double tolerance)
{
    actor a;
    creature_init(&a);
    const double duration = sinew_clip_duration(actor_bind(&a, name));
    for (int k = 0; k < 4; k++) {
        const uint32_t joint = actor_joint(&a, paws[k]);
        const sinew_vec3 rest = actor_rest_at(&a, joint);
        double first_z = 0.0;
        for (int i = 0; i <= 100; i++) {
            const double share = duty * i / 100.0,
                         phase = beats[k] + share - floor(beats[k] + share);
            actor_pose(&a, phase * duration);
            const sinew_vec3 at = actor_at(&a, joint);
            if (i == 0)
                first_z = at.z;
            assert_near(at.x, rest.x, tolerance);
            assert_near(at.y, rest.y, tolerance);
            assert_near(at.z, first_z - ground * share, tolerance);
        }
        // half way through the swing it is off the ground
        const double swing = beats[k] + 0.5 * (1.0 + duty);
        actor_pose(&a, (swing - floor(swing)) * duration);
        assert_true(actor_at(&a, joint).y > rest.y + 0.03f);
    }
    actor_free(&a);
}

static void walking_paws_move_with_the_ground(void **state)
{
    (void)state;
    static const char *const paws[] = {"toes_l", "fingers_l", "toes_r", "fingers_r"};
    static const double beats[] = {0.0, 0.25, 0.5, 0.75};
    check_gait("walk", paws, beats, SINEW_CREATURE_WALK_GROUND, SINEW_CREATURE_WALK_DUTY, STANDS);
}

// The ground moves four times as fast as it does below the walk.
static void running_paws_move_with_the_ground(void **state)
{
    (void)state;
    static const char *const paws[] = {"toes_l", "toes_r", "fingers_r", "fingers_l"};
    static const double beats[] = {0.0, 0.10, 0.34, 0.45};
    check_gait("run", paws, beats, SINEW_CREATURE_RUN_GROUND, SINEW_CREATURE_RUN_DUTY,
               2.0 * STANDS);
    actor a;
    creature_init(&a);
    actor_bind(&a, "run");
    for (int i = 0; i <= 10; i++) { // nothing touches the ground from 0.75 to 1
        actor_pose(&a, SINEW_CREATURE_RUN_SECONDS * (0.77 + 0.021 * i));
        for (int k = 0; k < 4; k++) {
            const uint32_t joint = actor_joint(&a, paws[k]);
            assert_true(actor_at(&a, joint).y > actor_rest_at(&a, joint).y);
        }
    }
    actor_free(&a);
}

static void idle_paws_stay(void **state)
{
    (void)state;
    actor a;
    creature_init(&a);
    actor_bind(&a, "idle");
    static const char *const paws[] = {"toes_l", "fingers_l", "toes_r", "fingers_r"};
    for (int i = 0; i <= 200; i++) {
        actor_pose(&a, 0.02 * i);
        for (int k = 0; k < 4; k++) {
            const uint32_t joint = actor_joint(&a, paws[k]);
            const sinew_vec3 rest = actor_rest_at(&a, joint);
            assert_vec3_near(actor_at(&a, joint), rest.x, rest.y, rest.z, 0.2 * STANDS);
        }
    }
    actor_free(&a);
}

// A quarter turn to the left takes (x, y, z) to (z, y, -x). At all times at least two paws stand
// where they stood or where they will stand.
static void turn_ends_a_quarter_round(void **state)
{
    (void)state;
    actor a;
    creature_init(&a);
    const sinew_clip *clip = actor_bind(&a, "turn");
    actor_pose(&a, sinew_clip_duration(clip));
    for (uint32_t j = 0; j < a.joint_count; j++) {
        const sinew_vec3 rest = actor_rest_at(&a, j);
        assert_vec3_near(actor_at(&a, j), rest.z, rest.y, -rest.x, 2e-5);
    }
    static const char *const paws[] = {"toes_l", "fingers_l", "toes_r", "fingers_r"};
    sinew_vec3 before[4] = {{0.0f, 0.0f, 0.0f}};
    for (int i = 0; i <= 280; i++) {
        int still = 0;
        actor_pose(&a, 0.005 * i);
        for (int k = 0; k < 4; k++) {
            const sinew_vec3 at = actor_at(&a, actor_joint(&a, paws[k]));
            still +=
                i == 0 || sinew_vec3_length(sinew_vec3_sub(at, before[k])) < 0.5f * (float)STANDS;
            before[k] = at;
        }
        assert_true(still >= 2);
    }
    actor_free(&a);
}

static void jump_leaves_the_ground_and_lands(void **state)
{
    (void)state;
    actor a;
    creature_init(&a);
    const sinew_clip *clip = actor_bind(&a, "jump");
    static const char *const paws[] = {"toes_l", "fingers_l", "toes_r", "fingers_r"};
    const float far = SINEW_CREATURE_JUMP_GROUND;
    for (int i = 0; i <= 160; i++) {
        const double time = 0.01 * i;
        float least = 10.0f;
        actor_pose(&a, time);
        for (int k = 0; k < 4; k++) {
            const uint32_t joint = actor_joint(&a, paws[k]);
            const sinew_vec3 rest = actor_rest_at(&a, joint), at = actor_at(&a, joint);
            least = fminf(least, at.y - rest.y);
            if (time <= 0.43) // stands, then stands again ahead
                assert_vec3_near(at, rest.x, rest.y, rest.z, STANDS);
            if (time >= 1.10)
                assert_vec3_near(at, rest.x, rest.y, rest.z + far, STANDS);
        }
        if (time > 0.70 && time < 0.85) // in the air
            assert_true(least > 0.1f);
    }
    actor_pose(&a, sinew_clip_duration(clip));
    for (uint32_t j = 0; j < a.joint_count; j++) {
        const sinew_vec3 rest = actor_rest_at(&a, j);
        assert_vec3_near(actor_at(&a, j), rest.x, rest.y, rest.z + far, 2e-5);
    }
    const int32_t jump = sinew_document_find_clip(a.document, "jump");
    assert_near(sinew_document_root_travel(a.document, 0, (uint32_t)jump), far, 1e-5);
    actor_free(&a);
}

// Knees bend forwards and elbows back in all clips, and no joint's place leaves reason.
static void joints_bend_their_way(void **state)
{
    (void)state;
    actor a;
    creature_init(&a);
    static const char *const bends[4][3] = {{"thigh_l", "shin_l", "foot_l"},
                                            {"thigh_r", "shin_r", "foot_r"},
                                            {"upper_arm_l", "forearm_l", "hand_l"},
                                            {"upper_arm_r", "forearm_r", "hand_r"}};
    for (uint32_t c = 0; c < a.document->clip_count; c++) {
        const sinew_clip *clip = actor_bind(&a, sinew_clip_name(a.document->clips[c]));
        const uint32_t root = actor_joint(&a, "root");
        for (int i = 0; i <= 60; i++) {
            actor_pose(&a, sinew_clip_duration(clip) * i / 60.0);
            for (uint32_t j = 0; j < a.joint_count; j++) {
                const sinew_vec3 away = sinew_vec3_sub(actor_at(&a, j), actor_at(&a, root));
                assert_true(sinew_vec3_length(away) < 1.8f && away.y > -0.01f);
            }
            const sinew_vec3 ahead =
                sinew_mat4_transform_vector(&a.model[root], sinew_vec3_make(0.0f, 0.0f, 1.0f));
            for (int k = 0; k < 4; k++) {
                const sinew_vec3 top = actor_at(&a, actor_joint(&a, bends[k][0]));
                const sinew_vec3 knee = actor_at(&a, actor_joint(&a, bends[k][1]));
                const sinew_vec3 low = actor_at(&a, actor_joint(&a, bends[k][2]));
                // how far the knee is before the line from top to low
                const sinew_vec3 line = sinew_vec3_sub(low, top);
                const sinew_vec3 to = sinew_vec3_sub(knee, top);
                const float t = sinew_vec3_dot(to, line) / sinew_vec3_dot(line, line);
                const sinew_vec3 off = sinew_vec3_sub(to, sinew_vec3_scale(line, t));
                assert_true(sinew_vec3_dot(off, ahead) * (k < 2 ? 1.0f : -1.0f) > 0.0f);
            }
        }
    }
    actor_free(&a);
}

// Skinned by the library in every clip: the body keeps its volume within reason, so nothing is
// crushed, and stays out of the ground but for a hair.
static void creature_keeps_its_shape(void **state)
{
    (void)state;
    actor a;
    creature_init(&a);
    const sinew_primitive *p = &a.document->meshes[0].primitives[0];
    float *out = malloc(p->vertex_count * 3 * sizeof *out);
    sinew_mat3x4 palette[64], center;
    assert_non_null(out);
    double rest_volume = 0.0;
    for (uint32_t c = 0; c < a.document->clip_count; c++) {
        const sinew_clip *clip = actor_bind(&a, sinew_clip_name(a.document->clips[c]));
        for (int i = 0; i <= 12; i++) {
            actor_pose(&a, sinew_clip_duration(clip) * i / 12.0);
            if (c == 0 && i == 0) // the first time, at rest
                memcpy(a.model, sinew_skeleton_rest_model(a.skeleton),
                       a.joint_count * sizeof *a.model);
            assert_ok(
                sinew_palette_build(&(sinew_palette_args){.skin = a.skins[0],
                                                          .model = a.model,
                                                          .model_count = a.joint_count,
                                                          .rest = &a.document->instances[0].rest,
                                                          .out_palette = palette,
                                                          .out_count = 64,
                                                          .out_center = &center}));
            assert_ok(sinew_skin_vertices(
                &(sinew_skin_args){.palette = palette,
                                   .palette_count = sinew_skin_joint_count(a.skins[0]),
                                   .center = &center,
                                   .joints = p->joints,
                                   .weights = p->weights,
                                   .influence_count = p->influence_count,
                                   .vertex_count = p->vertex_count,
                                   .positions = p->positions,
                                   .out_positions = out,
                                   .out_size = p->vertex_count}));
            double volume = 0.0;
            float least = 1.0f;
            for (uint32_t k = 0; k < p->index_count; k += 3) {
                const float *u = out + 3 * p->indices[k], *v = out + 3 * p->indices[k + 1];
                const float *w = out + 3 * p->indices[k + 2];
                volume += (double)u[0] * (v[1] * w[2] - v[2] * w[1]) +
                          (double)u[1] * (v[2] * w[0] - v[0] * w[2]) +
                          (double)u[2] * (v[0] * w[1] - v[1] * w[0]);
                least = fminf(least, u[1]);
            }
            if (c == 0 && i == 0) {
                assert_memory_equal(out, p->positions, p->vertex_count * 3 * sizeof *out);
                rest_volume = volume;
            }
            assert_true(volume > 0.85 * rest_volume && volume < 1.15 * rest_volume);
            assert_true(least > -0.02f);
        }
    }
    free(out);
    actor_free(&a);
}

static void creature_is_the_same_twice(void **state)
{
    (void)state;
    sinew_document *a, *b;
    assert_ok(sinew_fixture_creature(NULL, &a));
    assert_ok(sinew_fixture_creature(NULL, &b));
    for (uint32_t m = 0; m < a->mesh_count; m++)
        for (uint32_t k = 0; k < a->meshes[m].primitive_count; k++) {
            const sinew_primitive *p = &a->meshes[m].primitives[k],
                                  *q = &b->meshes[m].primitives[k];
            const size_t n = p->vertex_count;
            assert_int_equal(n, q->vertex_count);
            assert_int_equal(p->index_count, q->index_count);
            assert_memory_equal(p->positions, q->positions, n * 12);
            assert_memory_equal(p->normals, q->normals, n * 12);
            assert_memory_equal(p->colors[0], q->colors[0], n * 16);
            assert_memory_equal(p->joints, q->joints, n * p->influence_count * 2);
            assert_memory_equal(p->weights, q->weights, n * p->influence_count * 4);
            assert_memory_equal(p->indices, q->indices, p->index_count * 4);
        }
    for (uint32_t c = 0; c < a->clip_count; c++)
        for (uint32_t t = 0; t < sinew_clip_track_count(a->clips[c]); t++) {
            const sinew_track *p = &sinew_clip_tracks(a->clips[c])[t];
            const sinew_track *q = &sinew_clip_tracks(b->clips[c])[t];
            const size_t rows = p->interpolation == SINEW_INTERPOLATION_CUBIC ? 3 : 1;
            assert_int_equal(p->key_count, q->key_count);
            assert_memory_equal(p->times, q->times, p->key_count * sizeof(float));
            assert_memory_equal(p->values, q->values,
                                p->key_count * rows * p->component_count * sizeof(float));
        }
    sinew_document_destroy(a);
    sinew_document_destroy(b);
}

// ---- The cub ------------------------------------------------------------------------------------

static void cub_has_the_creatures_joints(void **state)
{
    (void)state;
    actor creature, cub;
    creature_init(&creature);
    sinew_document *d;
    assert_ok(sinew_fixture_cub(NULL, &d));
    actor_init(&cub, d);
    assert_string_equal(d->file, "@cub");
    assert_string_equal(d->scenes[0].name, "cub");
    assert_int_equal(d->clip_count, 0);
    assert_int_equal(d->finding_count, 0);
    assert_int_equal(cub.joint_count, creature.joint_count);
    uint32_t turned = 0;
    for (uint32_t j = 0; j < cub.joint_count; j++) {
        assert_string_equal(sinew_skeleton_joint_name(cub.skeleton, j),
                            sinew_skeleton_joint_name(creature.skeleton, j));
        assert_int_equal(sinew_skeleton_parents(cub.skeleton)[j],
                         sinew_skeleton_parents(creature.skeleton)[j]);
        turned += fabsf(sinew_skeleton_rest(cub.skeleton)[j].rotation.w) < 0.999f;
    }
    assert_true(turned > cub.joint_count / 3); // within a chain that is straight they are not
    const float hips = actor_rest_at(&cub, actor_joint(&cub, "hips")).y;
    const float creature_hips = actor_rest_at(&creature, actor_joint(&creature, "hips")).y;
    assert_true(hips < 0.5f * creature_hips);
    // other proportions, not only another size: the head stands higher over the legs
    const float head = actor_rest_at(&cub, actor_joint(&cub, "eye_l")).y / hips;
    assert_true(head > 1.08f * actor_rest_at(&creature, actor_joint(&creature, "eye_l")).y /
                           creature_hips);
    actor_free(&cub);
    actor_free(&creature);
}

// +Y of a joint points to the next one, as the header says: 1 - cosine is the square of the angle
// over 2, so 1e-6 is a milliradian and a half.
static void cub_joints_point_along_bones(void **state)
{
    (void)state;
    actor a;
    sinew_document *d;
    assert_ok(sinew_fixture_cub(NULL, &d));
    actor_init(&a, d);
    static const char *const bones[][2] = {
        {"hips", "spine_1"},          {"spine_3", "chest"},    {"chest", "neck_1"},
        {"neck_2", "head"},           {"tail_2", "tail_3"},    {"scarf_1", "scarf_2"},
        {"scapula_l", "upper_arm_l"}, {"forearm_r", "hand_r"}, {"hand_l", "fingers_l"},
        {"thigh_r", "shin_r"},        {"foot_l", "toes_l"},    {"ear_1_r", "ear_2_r"}};
    for (size_t i = 0; i < sizeof bones / sizeof *bones; i++) {
        const uint32_t from = actor_joint(&a, bones[i][0]), to = actor_joint(&a, bones[i][1]);
        const sinew_vec3 way = sinew_vec3_sub(actor_rest_at(&a, to), actor_rest_at(&a, from));
        const sinew_vec3 y = sinew_mat4_transform_vector(
            &sinew_skeleton_rest_model(a.skeleton)[from], sinew_vec3_make(0.0f, 1.0f, 0.0f));
        assert_near(sinew_vec3_dot(way, y) / sinew_vec3_length(way), 1.0, 1e-6);
    }
    actor_free(&a);
}

// Surfaces are closed and not turned inside out, stand on the ground with all four paws, and are
// the mirror image of themselves where the creature's are; what it rests on is the identity.
static void cub_stands_whole_on_its_paws(void **state)
{
    (void)state;
    sinew_document *cub, *creature;
    assert_ok(sinew_fixture_cub(NULL, &cub));
    assert_ok(sinew_fixture_creature(NULL, &creature));
    float least[4] = {1.0f, 1.0f, 1.0f, 1.0f}; // of the four quarters of the ground
    for (uint32_t m = 0; m < cub->mesh_count; m++)
        for (uint32_t k = 0; k < cub->meshes[m].primitive_count; k++) {
            const sinew_primitive *p = &cub->meshes[m].primitives[k],
                                  *q = &creature->meshes[m].primitives[k];
            test_check_closed(p);
            test_check_normals(p);
            assert_int_equal(p->vertex_count, q->vertex_count);
            assert_int_equal(p->target_count, q->target_count);
            assert_memory_equal(p->indices, q->indices, p->index_count * 4);
            assert_memory_equal(p->weights, q->weights,
                                (size_t)p->vertex_count * p->influence_count * 4);
            for (size_t v = 0; v < p->vertex_count; v++) {
                const float *at = p->positions + 3 * v;
                const int quarter = (at[0] > 0.0f) + 2 * (at[2] > 0.0f);
                least[quarter] = fminf(least[quarter], at[1]);
            }
        }
    for (int i = 0; i < 4; i++)
        assert_near(least[i], 0.0, 1e-3);
    assert_int_equal(cub->instance_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(cub->instances[i].skinned);
        assert_int_equal(cub->instances[i].rest.kind, SINEW_REST_IDENTITY);
        // rounding alone: a product of some ten rotations of floats
        assert_true(cub->instances[i].rest.difference < 1e-6f);
    }
    sinew_document_destroy(creature);
    sinew_document_destroy(cub);
}

static void cub_is_the_same_twice(void **state)
{
    (void)state;
    sinew_document *a, *b;
    assert_ok(sinew_fixture_cub(NULL, &a));
    assert_ok(sinew_fixture_cub(NULL, &b));
    for (uint32_t m = 0; m < a->mesh_count; m++)
        for (uint32_t k = 0; k < a->meshes[m].primitive_count; k++) {
            const sinew_primitive *p = &a->meshes[m].primitives[k],
                                  *q = &b->meshes[m].primitives[k];
            assert_memory_equal(p->positions, q->positions, p->vertex_count * 12u);
            assert_memory_equal(p->normals, q->normals, p->vertex_count * 12u);
        }
    for (uint32_t n = 0; n < a->node_count; n++)
        assert_memory_equal(&a->nodes[n].local, &b->nodes[n].local, sizeof a->nodes[n].local);
    sinew_document_destroy(a);
    sinew_document_destroy(b);
}

// ---- Clouds -------------------------------------------------------------------------------------

static double mesh_area(const sinew_mesh *mesh)
{
    double area = 0.0;
    for (uint32_t k = 0; k < mesh->primitive_count; k++) {
        const sinew_primitive *p = &mesh->primitives[k];
        for (uint32_t i = 0; i < p->index_count; i += 3) {
            sinew_vec3 c[3];
            for (int n = 0; n < 3; n++)
                memcpy(&c[n], p->positions + 3 * p->indices[i + (uint32_t)n], sizeof c[n]);
            area += 0.5 * (double)sinew_vec3_length(sinew_vec3_cross(sinew_vec3_sub(c[1], c[0]),
                                                                     sinew_vec3_sub(c[2], c[0])));
        }
    }
    return area;
}

// The square of the way to the nearest vertex.
static double nearest_vertex(const sinew_mesh *mesh, const float *at)
{
    double nearest = DBL_MAX;
    for (uint32_t k = 0; k < mesh->primitive_count; k++) {
        const sinew_primitive *p = &mesh->primitives[k];
        for (uint32_t v = 0; v < p->vertex_count; v++) {
            double square = 0.0;
            for (int i = 0; i < 3; i++) {
                const double way = (double)at[i] - (double)p->positions[3 * v + (uint32_t)i];
                square += way * way;
            }
            nearest = square < nearest ? square : nearest;
        }
    }
    return nearest;
}

static void check_cloud(const sinew_document *d, uint32_t count)
{
    sinew_fixture_cloud *cloud;
    assert_ok(sinew_fixture_cloud_create(d, count, NULL, &cloud));
    assert_int_equal(cloud->point_count, count);
    double in_mesh[2] = {0.0, 0.0}, area[2] = {mesh_area(&d->meshes[0]), mesh_area(&d->meshes[1])};
    for (uint32_t i = 0; i < count; i++) {
        assert_true(cloud->groups[i] < 2);
        in_mesh[cloud->groups[i]] += 1.0;
        // a hair, and from its foot to a corner of a triangle
        const float *at = cloud->positions + 3 * i;
        assert_true(at[1] >= 0.0f);
        assert_true(nearest_vertex(&d->meshes[cloud->groups[i]], at) < 0.03 * 0.03);
        sinew_vec3 normal;
        memcpy(&normal, cloud->normals + 3 * i, sizeof normal);
        assert_near(sinew_vec3_length(normal), 1.0, 1e-6);
        for (int c = 0; c < 3; c++)
            assert_true(cloud->colors[3 * i + (size_t)c] >= 0.0f &&
                        cloud->colors[3 * i + (size_t)c] <= 1.0f);
    }
    // the row of areas is cut into equal parts: neither mesh has a point more or less than its
    // share
    for (int m = 0; m < 2; m++)
        assert_near(in_mesh[m], count * area[m] / (area[0] + area[1]), 1.0);
    sinew_fixture_cloud_destroy(cloud);
}

static void clouds_lie_over_the_surface(void **state)
{
    (void)state;
    sinew_document *d;
    assert_ok(sinew_fixture_creature(NULL, &d));
    check_cloud(d, 3000);
    check_cloud(d, 1);
    check_cloud(d, 0);
    sinew_document_destroy(d);
    assert_ok(sinew_fixture_cub(NULL, &d));
    check_cloud(d, 1000);
    sinew_document_destroy(d);
}

// FNV-1a over all numbers: the same with every compiler and on every machine.
static void clouds_have_the_same_bytes_everywhere(void **state)
{
    (void)state;
    sinew_document *d;
    sinew_fixture_cloud *cloud;
    assert_ok(sinew_fixture_creature(NULL, &d));
    assert_ok(sinew_fixture_cloud_create(d, 5000, NULL, &cloud));
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < 5000u * 9u; i++) { // the three lie behind each other
        uint32_t bits;
        memcpy(&bits, cloud->positions + i, sizeof bits);
        for (int b = 0; b < 4; b++)
            hash = (hash ^ (bits >> (8 * b) & 0xFF)) * 0x100000001b3u;
    }
    if (hash != 0xf2e65b37b29045ceu)
        fail_msg("the hash is 0x%llx", (unsigned long long)hash);
    sinew_fixture_cloud_destroy(cloud);
    sinew_document_destroy(d);
}

static void clouds_want_a_surface_and_memory(void **state)
{
    (void)state;
    const sinew_result wrong = SINEW_ERROR_INVALID_ARGUMENT;
    sinew_document *d;
    sinew_fixture_cloud *cloud = (sinew_fixture_cloud *)(void *)&state; // to be overwritten
    assert_ok(sinew_fixture_chain(3, 1.0f, NULL, &d));
    assert_result(sinew_fixture_cloud_create(d, 10, NULL, &cloud), wrong);
    assert_null(cloud);
    assert_result(sinew_fixture_cloud_create(d, 10, NULL, NULL), wrong);
    assert_result(sinew_fixture_cloud_create(NULL, 10, NULL, &cloud), wrong);
    sinew_document_destroy(d);
    sinew_fixture_cloud_destroy(NULL);
    assert_ok(sinew_fixture_creature(NULL, &d));
    for (size_t n = 0; n <= 4; n++) { // the holder, the struct, numbers, groups
        counting_allocator counter = {.fail_at = n};
        sinew_allocator allocator = counting_allocator_use(&counter);
        assert_result(sinew_fixture_cloud_create(d, 10, &allocator, &cloud),
                      n ? SINEW_ERROR_OUT_OF_MEMORY : SINEW_OK);
        assert_int_equal(counter.call_count, n ? n : 4);
        sinew_fixture_cloud_destroy(cloud);
        assert_true(counter.live_count == 0 && counter.fault_count == 0);
    }
    sinew_document_destroy(d);
}

// The pictures that the bird names: the middle of an open eye is darker than its rim, that of a
// shut one is the lid's blue, half an eye has both; the glow is brightest in the middle and black
// at the rim.
static void the_bird_has_its_pictures(void **state)
{
    (void)state;
    enum {
        SIDE = 33,
        MIDDLE = 4 * (16 * SIDE + 16),
        UPPER = 4 * (6 * SIDE + 16),
        LAST = 4 * SIDE * SIDE
    };
    static const char *const names[] = {"eye_open.png", "eye_shut.png", "eye_half.png", "glow.png"};
    uint8_t p[4][4 * SIDE * SIDE + 1];
    for (int i = 0; i < 4; i++) {
        p[i][LAST] = 77;
        assert_true(sinew_fixture_bird_picture(names[i], SIDE, p[i]));
        assert_int_equal(p[i][LAST], 77);
        for (int k = 3; k < LAST; k += 4)
            assert_int_equal(p[i][k], 255);
    }
    assert_true(p[0][MIDDLE] < 64 && p[0][4 * 16 * SIDE] == 255); // a pupil, and white at the left
    assert_memory_equal(&p[1][MIDDLE], &p[1][UPPER], 4);
    assert_true(p[1][MIDDLE + 2] > p[1][MIDDLE]); // blue
    assert_memory_equal(&p[2][UPPER], &p[1][UPPER], 4);
    assert_int_equal(p[2][4 * (28 * SIDE + 16)], p[0][4 * (28 * SIDE + 16)]); // below, as open
    assert_true(p[3][MIDDLE] == 255 && p[3][0] == 0 && p[3][UPPER] > 0 && p[3][UPPER] < 255);
    assert_false(sinew_fixture_bird_picture("eye.png", SIDE, p[0]));
    assert_false(sinew_fixture_bird_picture(NULL, SIDE, p[0]));
    assert_false(sinew_fixture_bird_picture(names[0], 0, p[0]));
    assert_false(sinew_fixture_bird_picture(names[0], 4097, p[0]));
    assert_false(sinew_fixture_bird_picture(names[0], SIDE, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bird_has_its_pictures),
        cmocka_unit_test(chain_stands_along_y),
        cmocka_unit_test(chain_bends_and_comes_back),
        cmocka_unit_test(the_longest_chain_can_be_made),
        cmocka_unit_test(strip_shares_between_joints),
        cmocka_unit_test(degenerate_strips_stand_on_joint_0),
        cmocka_unit_test(strip_triangles_face_forwards),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(memory_is_given_back),
        cmocka_unit_test(creature_has_what_it_promises),
        cmocka_unit_test(creature_surfaces_are_closed),
        cmocka_unit_test(creature_influences_keep_their_side),
        cmocka_unit_test(creature_targets_close_the_eyes),
        cmocka_unit_test(creature_loops_close),
        cmocka_unit_test(walking_paws_move_with_the_ground),
        cmocka_unit_test(running_paws_move_with_the_ground),
        cmocka_unit_test(idle_paws_stay),
        cmocka_unit_test(turn_ends_a_quarter_round),
        cmocka_unit_test(jump_leaves_the_ground_and_lands),
        cmocka_unit_test(joints_bend_their_way),
        cmocka_unit_test(creature_keeps_its_shape),
        cmocka_unit_test(creature_is_the_same_twice),
        cmocka_unit_test(cub_has_the_creatures_joints),
        cmocka_unit_test(cub_joints_point_along_bones),
        cmocka_unit_test(cub_stands_whole_on_its_paws),
        cmocka_unit_test(cub_is_the_same_twice),
        cmocka_unit_test(clouds_lie_over_the_surface),
        cmocka_unit_test(clouds_have_the_same_bytes_everywhere),
        cmocka_unit_test(clouds_want_a_surface_and_memory),
    };
    return TEST_RUN(tests);
}
