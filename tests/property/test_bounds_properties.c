// SPDX-License-Identifier: MIT
// Bounds contain every vertex, in floats: random rigs, meshes, clips, targets and matrices against
// morphing and skinning itself, with every instruction set; real characters over their clips, where
// the volume over that of the vertices is printed; and what must be tight is.
#include "../support/test_main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinew/document.h"
#include "sinew/gltf.h"
#include "sinew_fixtures.h"

#include "../support/random.h"

enum { JOINTS = 20, VERTICES = 120, TARGETS = 5, FRAMES = 12 };

typedef struct targets {
    sinew_morph_target list[TARGETS];
    uint32_t indices[TARGETS][VERTICES];
    float offsets[TARGETS][3 * VERTICES];
} targets;

// Dense and sparse ones, one without positions.
static void targets_random(test_random *random, targets *t)
{
    memset(t, 0, sizeof *t);
    for (int k = 0; k < TARGETS; k++) {
        bool sparse = test_random_below(random, 2) == 0;
        uint32_t count = 0;
        for (uint32_t v = 0; v < VERTICES; v++)
            if (!sparse || test_random_below(random, 5) == 0)
                t->indices[k][count++] = v;
        for (uint32_t i = 0; i < 3 * count; i++)
            t->offsets[k][i] =
                test_random_below(random, 4) == 0 ? 0.0f : test_random_float(random, -0.7f, 0.7f);
        t->list[k].indices = sparse ? t->indices[k] : NULL;
        t->list[k].count = count;
        t->list[k].positions = k == 3 ? NULL : t->offsets[k];
    }
}

static sinew_skin_bounds *bounds_of(const test_mesh *mesh, const sinew_morph_target *list,
                                    uint32_t target_count, uint32_t joint_count)
{
    const sinew_bounds_part part = {.positions = mesh->positions,
                                    .vertex_count = mesh->vertex_count,
                                    .joints = mesh->joints,
                                    .weights = mesh->weights,
                                    .influence_count = mesh->influence_count,
                                    .targets = list,
                                    .target_count = target_count};
    sinew_skin_bounds_desc desc = sinew_skin_bounds_desc_default();
    desc.parts = &part, desc.part_count = 1, desc.joint_count = joint_count;
    sinew_skin_bounds *bounds = NULL;
    assert_ok(sinew_skin_bounds_create(&desc, &bounds, NULL));
    return bounds;
}

static bool contains(sinew_box box, const float *p)
{
    return box.min.x <= p[0] && p[0] <= box.max.x && box.min.y <= p[1] && p[1] <= box.max.y &&
           box.min.z <= p[2] && p[2] <= box.max.z;
}

// The box of these matrices and weights holds all vertices, whatever the instruction set. Returns
// it.
static sinew_box check_frame(const sinew_skin_bounds *bounds, const test_mesh *mesh,
                             const targets *t, const sinew_mat3x4 *palette, uint32_t palette_count,
                             const sinew_mat3x4 *center, const float *weights)
{
    sinew_box box;
    assert_ok(sinew_skin_bounds_box(&(sinew_skin_bounds_args){.bounds = bounds,
                                                              .palette = palette,
                                                              .palette_count = palette_count,
                                                              .center = center,
                                                              .weights = weights,
                                                              .weight_count = t ? TARGETS : 0,
                                                              .out_box = &box}));
    float morphed[3 * VERTICES], skinned[3 * VERTICES];
    assert_ok(sinew_morph_vertices(&(sinew_morph_args){.targets = t ? t->list : NULL,
                                                       .weights = weights,
                                                       .target_count = t ? TARGETS : 0,
                                                       .vertex_count = mesh->vertex_count,
                                                       .positions = mesh->positions,
                                                       .out_positions = morphed}));
    for (int isa = 0; isa < SINEW_ISA_COUNT; isa++) {
        if (!(sinew_isa_available() >> isa & 1u))
            continue;
        sinew_isa_set_mask(1u << isa);
        assert_ok(sinew_skin_vertices(&(sinew_skin_args){.palette = palette,
                                                         .palette_count = palette_count,
                                                         .center = center,
                                                         .joints = mesh->joints,
                                                         .weights = mesh->weights,
                                                         .influence_count = mesh->influence_count,
                                                         .vertex_count = mesh->vertex_count,
                                                         .positions = morphed,
                                                         .out_positions = skinned,
                                                         .out_size = mesh->vertex_count}));
        for (uint32_t v = 0; v < mesh->vertex_count; v++)
            if (!contains(box, skinned + 3 * v))
                fail_msg("%s: vertex %u at (%.9g, %.9g, %.9g) is not in [%.9g %.9g %.9g, %.9g %.9g "
                         "%.9g]",
                         sinew_isa_name((sinew_isa)isa), v, (double)skinned[3 * v],
                         (double)skinned[3 * v + 1], (double)skinned[3 * v + 2], (double)box.min.x,
                         (double)box.min.y, (double)box.min.z, (double)box.max.x, (double)box.max.y,
                         (double)box.max.z);
    }
    sinew_isa_set_mask(UINT32_MAX);
    return box;
}

static void random_weights(test_random *random, float *weights)
{
    for (int k = 0; k < TARGETS; k++)
        weights[k] =
            test_random_below(random, 3) == 0 ? 0.0f : test_random_float(random, -2.0f, 2.0f);
}

static void clips_stay_inside(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 40; round++) {
        test_random random = test_random_make(round);
        test_rig rig = test_rig_random(&random, JOINTS, (test_rig_kind)(round % 4));
        uint16_t slots[JOINTS];
        sinew_mat4 binds[JOINTS], model[JOINTS], inherit[JOINTS];
        for (uint16_t j = 0; j < JOINTS; j++) {
            slots[j] = j;
            if (!sinew_mat4_inverse(&sinew_skeleton_rest_model(rig.skeleton)[j], &binds[j]))
                binds[j] = sinew_mat4_identity();
        }
        sinew_skin_desc skin_desc = sinew_skin_desc_default();
        skin_desc.skeleton = rig.skeleton, skin_desc.joints = slots,
        skin_desc.inverse_binds = binds, skin_desc.joint_count = JOINTS;
        sinew_skin *skin = NULL;
        assert_ok(sinew_skin_create(&skin_desc, &skin, NULL));
        sinew_skin_rest rest;
        assert_ok(sinew_skin_find_rest(skin, NULL, 100, &rest));
        sinew_clip *clip = test_clip_random(&random, rig.skeleton, 3.0f);
        sinew_clip_binding_desc binding_desc = sinew_clip_binding_desc_default();
        binding_desc.clip = clip, binding_desc.skeleton = rig.skeleton;
        sinew_clip_binding *binding = NULL;
        assert_ok(sinew_clip_binding_create(&binding_desc, &binding));
        test_mesh mesh = test_mesh_random(&random, VERTICES, test_random_below(&random, 7), JOINTS);
        static targets t;
        targets_random(&random, &t);
        sinew_skin_bounds *bounds = bounds_of(&mesh, t.list, TARGETS, JOINTS);
        sinew_pose pose = test_pose_at_rest(rig.skeleton);
        for (int frame = 0; frame < FRAMES; frame++) {
            if (frame > 0) // the first is the rest pose
                assert_ok(sinew_clip_sample(
                    &(sinew_sample_args){.binding = binding,
                                         .time = (double)test_random_float(&random, 0.0f, 3.0f),
                                         .out_pose = &pose}));
            assert_ok(sinew_local_to_model(&(sinew_local_to_model_args){.skeleton = rig.skeleton,
                                                                        .pose = &pose,
                                                                        .out_model = model,
                                                                        .out_inherit = inherit,
                                                                        .out_count = JOINTS}));
            sinew_mat3x4 palette[JOINTS], center;
            assert_ok(sinew_palette_build(&(sinew_palette_args){.skin = skin,
                                                                .model = model,
                                                                .model_count = JOINTS,
                                                                .rest = frame % 2 ? NULL : &rest,
                                                                .out_palette = palette,
                                                                .out_count = JOINTS,
                                                                .out_center = &center}));
            float weights[TARGETS];
            random_weights(&random, weights);
            check_frame(bounds, &mesh, &t, palette, JOINTS, &center, weights);
        }
        test_pose_free(&pose);
        sinew_skin_bounds_destroy(bounds);
        test_mesh_free(&mesh);
        sinew_clip_binding_destroy(binding);
        sinew_clip_destroy(clip);
        sinew_skin_destroy(skin);
        test_rig_free(&rig);
    }
}

// A float of any size between 1e-6 and 1e6, and 0 at times.
static float any_size(test_random *random)
{
    if (test_random_below(random, 8) == 0)
        return 0.0f;
    float x = test_random_float(random, -1.0f, 1.0f);
    for (uint32_t n = test_random_below(random, 7); n > 0; n--)
        x *= test_random_below(random, 2) == 0 ? 10.0f : 0.1f;
    return x;
}

// Weights in 64ths, which sum to 1 exactly: then nothing is added for their sum.
static void weights_in_64ths(test_random *random, test_mesh *mesh)
{
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        float *weights = mesh->weights + (size_t)v * mesh->influence_count;
        memset(weights, 0, mesh->influence_count * sizeof *weights);
        for (int k = 0; k < 64; k++)
            weights[test_random_below(random, mesh->influence_count)] += 1.0f / 64.0f;
    }
}

static void rounding_stays_inside(void **state)
{
    (void)state;
    // Where a box is a point or nearly so, all that keeps vertices inside is the slack for
    // rounding: all vertices in one place, matrices that cancel, unlike sizes.
    for (uint64_t round = 0; round < 800; round++) {
        test_random random = test_random_make(1000 + round);
        uint32_t influences = 1 + test_random_below(&random, 12);
        test_mesh mesh = test_mesh_random(&random, 60, influences, JOINTS);
        if (round % 8 < 4)
            weights_in_64ths(&random, &mesh);
        const float place[3] = {any_size(&random), any_size(&random), any_size(&random)};
        for (uint32_t v = 0; v < mesh.vertex_count; v++)
            memcpy(mesh.positions + 3 * v, place, sizeof place);
        sinew_mat3x4 palette[JOINTS], center;
        sinew_mat3x4 base;
        for (int k = 0; k < 12; k++)
            base.m[k] = any_size(&random);
        for (int k = 0; k < 12; k++)
            center.m[k] = test_random_below(&random, 2) == 0 ? base.m[k] : any_size(&random);
        for (int j = 0; j < JOINTS; j++)
            for (int k = 0; k < 12; k++) // alike up to some last bits, in half of the rounds
                palette[j].m[k] = base.m[k] * (1.0f + (round % 2 ? 1e-6f : 0.0f) *
                                                          test_random_float(&random, -1.0f, 1.0f));
        if (round % 3 == 0)
            for (int row = 0; row < 3; row++) { // the place goes to about 0
                float sum = 0.0f;
                for (int k = 0; k < 3; k++)
                    sum += base.m[4 * row + k] * place[k];
                for (int j = 0; j < JOINTS; j++)
                    palette[j].m[4 * row + 3] = -sum;
            }
        static targets t;
        targets_random(&random, &t);
        bool morph = round % 4 == 0;
        float weights[TARGETS];
        random_weights(&random, weights);
        sinew_skin_bounds *bounds = NULL;
        if (morph) { // targets name VERTICES vertices
            test_mesh_free(&mesh);
            mesh = test_mesh_random(&random, VERTICES, influences, JOINTS);
            bounds = bounds_of(&mesh, t.list, TARGETS, JOINTS);
        } else {
            bounds = bounds_of(&mesh, NULL, 0, JOINTS);
        }
        check_frame(bounds, &mesh, morph ? &t : NULL, palette, JOINTS, NULL, weights);
        check_frame(bounds, &mesh, morph ? &t : NULL, palette, JOINTS, &center, weights);
        sinew_skin_bounds_destroy(bounds);
        test_mesh_free(&mesh);
    }
}

static void weights_that_sum_to_about_one(void **state)
{
    (void)state;
    // Callers owe a sum of 1 within 1e-3, and within that bound vertices leave the hull of their
    // places: far from the origin by 1e-3 of the way there.
    for (uint64_t round = 0; round < 60; round++) {
        test_random random = test_random_make(2000 + round);
        test_mesh mesh = test_mesh_random(&random, VERTICES, 4, JOINTS);
        for (uint32_t v = 0; v < VERTICES; v++) {
            float by = 1.0f + test_random_float(&random, -0.99e-3f, 0.99e-3f);
            for (int i = 0; i < 4; i++)
                mesh.weights[4 * v + (size_t)i] *= by;
        }
        sinew_skin_bounds *bounds = bounds_of(&mesh, NULL, 0, JOINTS);
        sinew_mat3x4 palette[JOINTS], center = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
        for (int j = 0; j < JOINTS; j++) {
            sinew_transform transform = test_random_transform(&random);
            if (round % 2)
                transform = sinew_transform_identity();
            transform.translation.x += 1000.0f;
            sinew_mat4 m = sinew_mat4_from_transform(&transform);
            palette[j] = sinew_mat3x4_from_mat4(&m);
        }
        check_frame(bounds, &mesh, NULL, palette, JOINTS, NULL, NULL);
        check_frame(bounds, &mesh, NULL, palette, JOINTS, &center, NULL);
        sinew_skin_bounds_destroy(bounds);
        test_mesh_free(&mesh);
    }
}

static void rest_is_as_tight_as_it_can_be(void **state)
{
    (void)state;
    // All matrices the identity: the box is that of the positions, but for (n + 9 + 2) * 2^-24 of
    // the largest one, and the error of sums of weights (2 * 4 * 2^-24 of it for four weights that
    // were divided by their sum).
    for (uint64_t round = 0; round < 20; round++) {
        test_random random = test_random_make(3000 + round);
        test_mesh mesh = test_mesh_random(&random, VERTICES, 4, JOINTS);
        sinew_skin_bounds *bounds = bounds_of(&mesh, NULL, 0, JOINTS);
        const sinew_mat3x4 one = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
        sinew_mat3x4 palette[JOINTS];
        float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
        for (int j = 0; j < JOINTS; j++)
            palette[j] = one;
        for (uint32_t v = 0; v < VERTICES; v++)
            for (int k = 0; k < 3; k++) {
                low[k] = fminf(low[k], mesh.positions[3 * v + (size_t)k]);
                high[k] = fmaxf(high[k], mesh.positions[3 * v + (size_t)k]);
            }
        sinew_box box = check_frame(bounds, &mesh, NULL, palette, JOINTS, &one, NULL);
        double slack = (4 + 9 + 2 + 8) / 16777216.0 * 2.0;
        assert_vec3_near(box.min, low[0], low[1], low[2], slack);
        assert_vec3_near(box.max, high[0], high[1], high[2], slack);
        sinew_skin_bounds_destroy(bounds);
        test_mesh_free(&mesh);
    }
}

static void transformed_boxes_contain_their_points(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 500; round++) {
        test_random random = test_random_make(4000 + round);
        sinew_mat4 m = sinew_mat4_identity();
        for (int column = 0; column < 4; column++)
            for (int row = 0; row < 3; row++)
                m.m[4 * column + row] = any_size(&random);
        float points[3 * 40], moved[3 * 40];
        sinew_box box = sinew_box_empty();
        float spread = test_random_below(&random, 2) == 0 ? 0.0f : 1.0f;
        sinew_vec3 place = {any_size(&random), any_size(&random), any_size(&random)};
        for (int v = 0; v < 40; v++) {
            points[3 * v] = place.x + spread * test_random_float(&random, -1.0f, 1.0f);
            points[3 * v + 1] = place.y + spread * test_random_float(&random, -1.0f, 1.0f);
            points[3 * v + 2] = place.z + spread * test_random_float(&random, -1.0f, 1.0f);
            sinew_vec3 p = {points[3 * v], points[3 * v + 1], points[3 * v + 2]};
            box = sinew_box_union(box, (sinew_box){p, p});
        }
        sinew_box out = sinew_box_transform(&m, box);
        assert_ok(sinew_transform_vertices(&m, &(sinew_skin_args){.vertex_count = 40,
                                                                  .positions = points,
                                                                  .out_positions = moved,
                                                                  .out_size = 40}));
        for (int v = 0; v < 40; v++) {
            sinew_vec3 p = {points[3 * v], points[3 * v + 1], points[3 * v + 2]};
            sinew_vec3 q = sinew_mat4_transform_point(&m, p);
            const float other[3] = {q.x, q.y, q.z};
            assert_true(contains(out, moved + 3 * v));
            assert_true(contains(out, other));
        }
    }
}

// ---- Real characters ----------------------------------------------------------------------------

/// What one skinned instance of a document needs.
typedef struct shown {
    const sinew_document *document;
    const sinew_instance *instance;
    const sinew_mesh *mesh;
    sinew_skin *skin;
    sinew_skin_bounds *bounds;
    sinew_mat3x4 *palette;
    float *weights;
} shown;

static shown show(const sinew_document *d, const sinew_skeleton *skeleton, uint32_t index)
{
    shown s = {.document = d, .instance = &d->instances[index]};
    s.mesh = &d->meshes[s.instance->mesh];
    assert_ok(
        sinew_document_make_skin(d, (uint32_t)s.instance->skin, skeleton, NULL, &s.skin, NULL));
    uint32_t joint_count = sinew_skin_joint_count(s.skin);
    s.palette = calloc(joint_count + 1, sizeof *s.palette);
    s.weights = calloc(s.mesh->target_count + 1, sizeof *s.weights);
    assert_true(s.palette && s.weights);
    assert_ok(sinew_document_make_bounds(d, index, NULL, &s.bounds, NULL));
    return s;
}

static void hide(shown *s)
{
    sinew_skin_bounds_destroy(s->bounds);
    sinew_skin_destroy(s->skin);
    free(s->palette);
    free(s->weights);
}

// Checks one pose; returns the volume of the box over that of the vertices' own.
static double check_shown(const shown *s, const sinew_mat4 *model)
{
    sinew_mat3x4 center;
    uint32_t joint_count = sinew_skin_joint_count(s->skin);
    assert_ok(sinew_palette_build(&(sinew_palette_args){.skin = s->skin,
                                                        .model = model,
                                                        .model_count = s->document->node_count,
                                                        .rest = &s->instance->rest,
                                                        .out_palette = s->palette,
                                                        .out_count = joint_count,
                                                        .out_center = &center}));
    sinew_box box, own = sinew_box_empty();
    assert_ok(sinew_skin_bounds_box(&(sinew_skin_bounds_args){.bounds = s->bounds,
                                                              .palette = s->palette,
                                                              .palette_count = joint_count,
                                                              .center = &center,
                                                              .weights = s->weights,
                                                              .weight_count = s->mesh->target_count,
                                                              .out_box = &box}));
    for (uint32_t p = 0; p < s->mesh->primitive_count; p++) {
        const sinew_primitive *from = &s->mesh->primitives[p];
        if (!from->influence_count)
            continue;
        float *positions = calloc(3 * (size_t)from->vertex_count + 1, sizeof *positions);
        assert_non_null(positions);
        assert_ok(sinew_morph_vertices(&(sinew_morph_args){.targets = from->targets,
                                                           .weights = s->weights,
                                                           .target_count = from->target_count,
                                                           .vertex_count = from->vertex_count,
                                                           .positions = from->positions,
                                                           .out_positions = positions}));
        assert_ok(sinew_skin_vertices(&(sinew_skin_args){.palette = s->palette,
                                                         .palette_count = joint_count,
                                                         .center = &center,
                                                         .joints = from->joints,
                                                         .weights = from->weights,
                                                         .influence_count = from->influence_count,
                                                         .vertex_count = from->vertex_count,
                                                         .positions = positions,
                                                         .out_positions = positions,
                                                         .out_size = from->vertex_count}));
        for (uint32_t v = 0; v < from->vertex_count; v++) {
            assert_true(contains(box, positions + 3 * (size_t)v));
            sinew_vec3 at = {positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]};
            own = sinew_box_union(own, (sinew_box){at, at});
        }
        free(positions);
    }
    double volume = 1.0, own_volume = 1.0;
    volume *= (double)(box.max.x - box.min.x), own_volume *= (double)(own.max.x - own.min.x);
    volume *= (double)(box.max.y - box.min.y), own_volume *= (double)(own.max.y - own.min.y);
    volume *= (double)(box.max.z - box.min.z), own_volume *= (double)(own.max.z - own.min.z);
    return own_volume > 0.0 ? volume / own_volume : 1.0;
}

static void check_character(const char *name, const sinew_document *d)
{
    test_random random = test_random_make(5000);
    sinew_skeleton *skeleton = NULL;
    assert_ok(sinew_document_skeleton(d, NULL, &skeleton, NULL));
    sinew_pose pose = test_pose_at_rest(skeleton);
    sinew_mat4 *model = calloc(d->node_count, sizeof *model);
    assert_non_null(model);
    double sum = 0.0, most = 0.0;
    int count = 0;
    for (uint32_t i = 0; i < d->instance_count; i++) {
        if (!d->instances[i].skinned)
            continue;
        shown s = show(d, skeleton, i);
        for (uint32_t c = 0; c < d->clip_count; c++) {
            sinew_clip_binding_desc desc = sinew_clip_binding_desc_default();
            desc.clip = d->clips[c], desc.skeleton = skeleton;
            sinew_clip_binding *binding = NULL;
            assert_ok(sinew_clip_binding_create(&desc, &binding));
            for (int frame = 0; frame < 8; frame++) {
                double time = sinew_clip_duration(d->clips[c]) * frame / 8;
                assert_ok(sinew_clip_sample(
                    &(sinew_sample_args){.binding = binding, .time = time, .out_pose = &pose}));
                assert_ok(
                    sinew_local_to_model(&(sinew_local_to_model_args){.skeleton = skeleton,
                                                                      .pose = &pose,
                                                                      .out_model = model,
                                                                      .out_count = d->node_count}));
                for (uint32_t w = 0; w < s.mesh->target_count; w++)
                    s.weights[w] = frame % 2 ? test_random_float(&random, -2.0f, 2.0f) : 0.0f;
                double ratio = check_shown(&s, model);
                if (frame % 2 == 0 || s.mesh->target_count == 0) {
                    sum += ratio, most = ratio > most ? ratio : most;
                    count++;
                }
            }
            sinew_clip_binding_destroy(binding);
        }
        hide(&s);
    }
    assert_true(count > 0);
    print_message("%s: %d poses, volume over the vertices' own %.3f, at most %.3f\n", name, count,
                  sum / count, most);
    free(model);
    test_pose_free(&pose);
    sinew_skeleton_destroy(skeleton);
}

static void real_characters_stay_inside(void **state)
{
    (void)state;
    const char *folder = getenv("SINEW_TEST_DATA");
    if (!folder)
        skip();
    static const char *const names[] = {"CesiumMan/CesiumMan", "Fox/Fox",
                                        "RobotExpressive/RobotExpressive",
                                        "RiggedFigure/RiggedFigure"};
    int found = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/data/gltf/%s.glb", folder, names[i]);
        FILE *file = fopen(path, "rb");
        if (!file)
            continue;
        fclose(file);
        sinew_import_desc desc = sinew_import_desc_default();
        sinew_document *d = NULL;
        assert_ok(sinew_gltf_load(path, &desc, &d, NULL));
        check_character(names[i], d);
        sinew_document_destroy(d);
        found++;
    }
    if (found == 0)
        skip();
}

static void the_creature_stays_inside(void **state)
{
    (void)state;
    sinew_document *d = NULL;
    assert_ok(sinew_fixture_creature(NULL, &d)); // clips, morph targets, two skins
    check_character("creature", d);
    sinew_document_destroy(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clips_stay_inside),
        cmocka_unit_test(rounding_stays_inside),
        cmocka_unit_test(weights_that_sum_to_about_one),
        cmocka_unit_test(rest_is_as_tight_as_it_can_be),
        cmocka_unit_test(transformed_boxes_contain_their_points),
        cmocka_unit_test(real_characters_stay_inside),
        cmocka_unit_test(the_creature_stays_inside),
    };
    return TEST_RUN(tests);
}
