// SPDX-License-Identifier: MIT
// Clouds bound along the body: a hand that rests on a thigh, sums, seams, what no joint reaches.
#include "../support/test_main.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "extras/thread_pool.h"
#include "sinew/sinew.h"
#include "sinew_fixtures.h"

#include "../support/random.h"

// Somebody who sits, with the left hand over the left thigh: joints in model space.
enum { PELVIS, SPINE, NECK, THIGH, KNEE, ANKLE, SHOULDER, ELBOW, WRIST, HAND, SEATED_JOINTS };
static const struct {
    const char *name;
    int parent;
    float x, y, z;
} seated[SEATED_JOINTS] = {{"pelvis", -1, 0, 1, 0},
                           {"spine", PELVIS, 0, 1.25f, 0},
                           {"neck", SPINE, 0, 1.5f, 0},
                           {"thigh", PELVIS, 0.1f, 1, 0},
                           {"knee", THIGH, 0.12f, 0.95f, 0.5f},
                           {"ankle", KNEE, 0.12f, 0.5f, 0.5f},
                           {"shoulder", NECK, 0.25f, 1.5f, 0},
                           {"elbow", SHOULDER, 0.4f, 1.25f, 0.1f},
                           {"wrist", ELBOW, 0.2f, 1.15f, 0.25f},
                           {"hand", WRIST, 0.13f, 1.12f, 0.33f}};

// Flesh: round rods from joint to joint.
static const struct {
    int from, to;
    float radius;
} rods[] = {{PELVIS, SPINE, 0.13f}, {SPINE, NECK, 0.12f},    {THIGH, KNEE, 0.08f},
            {KNEE, ANKLE, 0.06f},   {NECK, SHOULDER, 0.05f}, {SHOULDER, ELBOW, 0.045f},
            {ELBOW, WRIST, 0.04f},  {WRIST, HAND, 0.03f},    {PELVIS, THIGH, 0.1f}};
enum { ROD_THIGH = 2, ROD_HAND = 7, ROD_COUNT = 9 };

typedef struct scene {
    sinew_skeleton *skeleton;
    uint32_t count;
    float *points;
    uint8_t *rods;
    uint16_t joint[SEATED_JOINTS]; // of each as it is listed above
} scene;

static scene make_scene(uint32_t count)
{
    scene s = {.count = count};
    sinew_joint_desc joints[SEATED_JOINTS];
    for (int j = 0; j < SEATED_JOINTS; j++) {
        const int p = seated[j].parent;
        sinew_transform rest = sinew_transform_identity();
        rest.translation = sinew_vec3_make(seated[j].x, seated[j].y, seated[j].z);
        if (p >= 0)
            rest.translation = sinew_vec3_sub(
                rest.translation, sinew_vec3_make(seated[p].x, seated[p].y, seated[p].z));
        joints[j] =
            (sinew_joint_desc){.name = seated[j].name, .parent = p, .node = -1, .rest = rest};
    }
    s.skeleton = test_skeleton_of(joints, SEATED_JOINTS);
    for (int j = 0; j < SEATED_JOINTS; j++)
        s.joint[j] = (uint16_t)sinew_skeleton_find_joint(s.skeleton, seated[j].name);
    s.points = malloc(count * 3 * sizeof *s.points);
    s.rods = malloc(count);
    assert_true(s.points && s.rods);
    test_random random = test_random_make(7);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t rod = test_random_below(&random, ROD_COUNT);
        const int a = rods[rod].from, b = rods[rod].to;
        const float t = test_random_float(&random, 0, 1);
        sinew_vec3 out;
        float length;
        do {
            out = test_random_vec3(&random, -1, 1);
            length = sqrtf(sinew_vec3_dot(out, out));
        } while (length > 1 || length < 0.1f);
        out = sinew_vec3_scale(out, rods[rod].radius / length);
        s.points[3 * i] = seated[a].x + t * (seated[b].x - seated[a].x) + out.x;
        s.points[3 * i + 1] = seated[a].y + t * (seated[b].y - seated[a].y) + out.y;
        s.points[3 * i + 2] = seated[a].z + t * (seated[b].z - seated[a].z) + out.z;
        s.rods[i] = (uint8_t)rod;
    }
    return s;
}

static void end_scene(scene *s)
{
    free(s->points);
    free(s->rods);
    sinew_skeleton_destroy(s->skeleton);
}

static sinew_cloud_binding_desc desc_of(const scene *s, sinew_cloud_way way)
{
    sinew_cloud_binding_desc desc = sinew_cloud_binding_desc_default();
    desc.skeleton = s->skeleton;
    desc.positions = s->points;
    desc.point_count = s->count;
    desc.falloff = 0.12f;
    desc.way = way;
    return desc;
}

static sinew_cloud_binding *bind(const sinew_cloud_binding_desc *desc)
{
    sinew_cloud_binding *binding;
    sinew_error error;
    assert_ok(sinew_cloud_binding_create(desc, &binding, &error));
    return binding;
}

// Points of the thigh's flesh that follow the lower arm or the hand by more than a hundredth.
static uint32_t count_bleeding(const scene *s, const sinew_cloud_binding *binding)
{
    const sinew_cloud_binding_info info = sinew_cloud_binding_get_info(binding);
    uint32_t bleeding = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        float arm = 0;
        for (uint32_t k = 0; k < info.influence_count; k++) {
            const uint16_t joint = info.joints[i * info.influence_count + k];
            if (joint == s->joint[ELBOW] || joint == s->joint[WRIST] || joint == s->joint[HAND])
                arm += info.weights[i * info.influence_count + k];
        }
        bleeding += s->rods[i] == ROD_THIGH && arm > 0.01f;
    }
    return bleeding;
}

// Between hand and thigh there is air: at the fingers the axes are 15 cm apart (1.12 against 0.97,
// at z = 0.33), their flesh 3 + 8 cm thick, so that 4 cm are left: three voxels of a 128th of 1.7
// m.
static void a_hand_on_a_thigh_does_not_bleed(void **state)
{
    (void)state;
    scene s = make_scene(200000);
    sinew_cloud_binding_desc desc = desc_of(&s, SINEW_CLOUD_NEAREST);
    sinew_cloud_binding *nearest = bind(&desc);
    desc.way = SINEW_CLOUD_ALONG_BODY;
    sinew_cloud_binding *along = bind(&desc);
    // the thigh has a ninth of all points; of those near the hand, up to a fifth follow it
    assert_true(count_bleeding(&s, nearest) > 1000);
    assert_int_equal(count_bleeding(&s, along), 0);
    sinew_cloud_binding_destroy(nearest);
    sinew_cloud_binding_destroy(along);
    end_scene(&s);
}

// The seated fixture: 18 mm of air below the hands, three voxels of 6 mm. Which flesh a point is of
// say the mesh's own weights at the triangle below it.
static void the_seated_fixture_keeps_its_thighs(void **state)
{
    (void)state;
    sinew_document *d;
    sinew_fixture_cloud *cloud;
    sinew_skeleton *skeleton;
    sinew_surface_binding *surface;
    assert_ok(sinew_fixture_seated(NULL, &d));
    assert_ok(sinew_fixture_cloud_create(d, 300000, NULL, &cloud));
    assert_ok(sinew_document_rig_skeleton(d, 0, NULL, &skeleton, NULL));
    const sinew_primitive *p = &d->meshes[0].primitives[0];
    const int32_t *nodes = sinew_skeleton_nodes(skeleton);
    uint32_t body = 0; // the stool's points stand behind
    while (body < cloud->point_count && cloud->groups[body] == 0)
        body++;
    assert_ok(
        sinew_surface_binding_create(&(sinew_surface_binding_desc){.vertices = p->positions,
                                                                   .vertex_count = p->vertex_count,
                                                                   .indices = p->indices,
                                                                   .index_count = p->index_count,
                                                                   .positions = cloud->positions,
                                                                   .point_count = body},
                                     &surface, NULL));
    const uint32_t *corners = sinew_surface_binding_get_info(surface).corners;
    for (int way = 0; way < 2; way++) {
        sinew_cloud_binding_desc desc = sinew_cloud_binding_desc_default();
        desc.skeleton = skeleton;
        desc.positions = cloud->positions;
        desc.point_count = cloud->point_count;
        desc.falloff = 0.06f;
        desc.way = way ? SINEW_CLOUD_ALONG_BODY : SINEW_CLOUD_NEAREST;
        desc.voxel_size = 0.006f;
        sinew_cloud_binding *binding = bind(&desc);
        const sinew_cloud_binding_info info = sinew_cloud_binding_get_info(binding);
        uint32_t bleeding = 0, thighs = 0, hands = 0, lame = 0;
        for (size_t i = 0; i < body; i++) {
            const size_t v = 2 * (size_t)corners[3 * i]; // its first influence is the heaviest
            const char *flesh = d->nodes[p->joints[v]].name;
            float arm = 0;
            for (size_t k = 0; k < 2; k++) {
                const char *joint = d->nodes[nodes[info.joints[2 * i + k]]].name;
                if (!strncmp(joint, "forearm", 7) || !strncmp(joint, "hand", 4) ||
                    !strncmp(joint, "fingers", 7))
                    arm += info.weights[2 * i + k];
            }
            const bool thigh = !strncmp(flesh, "thigh", 5),
                       hand = !strncmp(flesh, "hand", 4) || !strncmp(flesh, "fingers", 7);
            thighs += thigh;
            bleeding += thigh && arm > 0.01f;
            hands += hand;
            lame += hand && arm < 0.99f;
        }
        assert_true(thighs > 20000 && hands > 3000);
        if (way)
            assert_true(bleeding == 0 && lame == 0);
        else
            assert_true(bleeding > 3000); // of thighs' upper sides
        sinew_cloud_binding_destroy(binding);
    }
    sinew_surface_binding_destroy(surface);
    sinew_skeleton_destroy(skeleton);
    sinew_fixture_cloud_destroy(cloud);
    sinew_document_destroy(d);
}

// Two open pipes side by side, 40 mm apart, each with a bone in it: one 10 cm from its wall, one 2.
// Nothing encloses the bones, so that no voxel of theirs is filled. Of the wide pipe's wall the
// side that faces the other is 6 cm from the other's bone, and along the body out of its reach.
static void bones_in_open_pipes_move_their_walls(void **state)
{
    (void)state;
    enum { AROUND = 90, ALONG = 160, COUNT = 2 * AROUND * ALONG };
    const sinew_joint_desc joints[3] = {
        {.name = "root", .parent = -1, .node = -1, .rest = sinew_transform_identity()},
        {.name = "wide",
         .parent = 0,
         .node = -1,
         .rest = {.translation = {0, 1, 0}, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}}},
        {.name = "narrow",
         .parent = 0,
         .node = -1,
         .rest = {.translation = {0.16f, 1, 0}, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}}}};
    sinew_joint_desc all[5];
    memcpy(all, joints, sizeof joints);
    for (int i = 0; i < 2; i++) { // their ends, a metre up
        all[3 + i] = joints[1];
        all[3 + i].name = i ? "narrow_end" : "wide_end";
        all[3 + i].parent = 1 + i;
    }
    sinew_skeleton *skeleton = test_skeleton_of(all, 5);
    float *points = malloc(COUNT * 3 * sizeof *points);
    assert_non_null(points);
    for (int i = 0; i < COUNT; i++) {
        const bool narrow = i >= AROUND * ALONG;
        const float angle = 6.2831853f * (float)(i % AROUND) / AROUND,
                    radius = narrow ? 0.02f : 0.1f;
        points[3 * i] = (narrow ? 0.16f : 0.0f) + radius * cosf(angle);
        points[3 * i + 1] = 1.0f + (float)(i / AROUND % ALONG) / ALONG;
        points[3 * i + 2] = radius * sinf(angle);
    }
    sinew_cloud_binding_desc desc = sinew_cloud_binding_desc_default();
    desc.skeleton = skeleton;
    desc.positions = points;
    desc.point_count = COUNT;
    desc.falloff = 0.05f;
    desc.voxel_size = 0.012f;
    const uint16_t wide = (uint16_t)sinew_skeleton_find_joint(skeleton, "wide"),
                   narrow = (uint16_t)sinew_skeleton_find_joint(skeleton, "narrow");
    for (int way = 0; way < 2; way++) {
        desc.way = way ? SINEW_CLOUD_ALONG_BODY : SINEW_CLOUD_NEAREST;
        sinew_cloud_binding *binding = bind(&desc);
        const sinew_cloud_binding_info info = sinew_cloud_binding_get_info(binding);
        uint32_t strange = 0;
        for (int i = 0; i < COUNT; i++) {
            const float height = points[3 * i + 1] - 1.0f;
            if (height < 0.2f || height > 0.8f) // the joints at either end
                continue;
            const uint16_t own = i < AROUND * ALONG ? wide : narrow;
            strange += info.joints[2 * i] != own || info.weights[2 * i] < 0.999f;
        }
        if (way)
            assert_int_equal(strange, 0);
        else
            assert_true(strange > 1000);
        sinew_cloud_binding_destroy(binding);
    }
    free(points);
    sinew_skeleton_destroy(skeleton);
}

static void weights_are_a_partition_of_one(void **state)
{
    (void)state;
    scene s = make_scene(20000);
    for (uint32_t influences = 1; influences <= 4; influences++)
        for (int32_t smoothing = -1; smoothing <= 4; smoothing += 5) {
            sinew_cloud_binding_desc desc = desc_of(&s, SINEW_CLOUD_ALONG_BODY);
            desc.influence_count = influences;
            desc.smoothing = smoothing;
            sinew_cloud_binding *binding = bind(&desc);
            const sinew_cloud_binding_info info = sinew_cloud_binding_get_info(binding);
            for (uint32_t i = 0; i < s.count; i++) {
                float sum = 0;
                for (uint32_t k = 0; k < influences; k++) {
                    const float weight = info.weights[i * influences + k];
                    assert_true(weight >= 0 && weight <= 1);
                    assert_true(!k || weight <= info.weights[i * influences + k - 1]);
                    sum += weight;
                }
                assert_near(sum, 1, 4 * 1.2e-7); // a rounding for each of four quotients
            }
            sinew_cloud_binding_destroy(binding);
        }
    end_scene(&s);
}

static void without_falloff_each_point_follows_one_joint(void **state)
{
    (void)state;
    scene s = make_scene(20000);
    sinew_cloud_binding_desc desc = desc_of(&s, SINEW_CLOUD_ALONG_BODY);
    desc.falloff = 0;
    sinew_cloud_binding *binding = bind(&desc);
    const sinew_cloud_binding_info info = sinew_cloud_binding_get_info(binding);
    for (uint32_t i = 0; i < s.count; i++)
        assert_true(info.weights[2 * i] == 1.0f && info.weights[2 * i + 1] == 0.0f);
    sinew_cloud_binding_destroy(binding);
    end_scene(&s);
}

// In the middle of a rod, further from its ends than the falloff, its own joint is the only one: 25
// cm of the thigh's half metre on either side.
static void flesh_follows_its_own_bone(void **state)
{
    (void)state;
    scene s = make_scene(100000);
    sinew_cloud_binding_desc desc = desc_of(&s, SINEW_CLOUD_ALONG_BODY);
    sinew_cloud_binding *binding = bind(&desc);
    const sinew_cloud_binding_info info = sinew_cloud_binding_get_info(binding);
    uint32_t tried = 0;
    for (uint32_t i = 0; i < s.count; i++)
        if (s.rods[i] == ROD_THIGH && fabsf(s.points[3 * i + 2] - 0.25f) < 0.05f) {
            assert_int_equal(info.dominant[i], s.joint[THIGH]);
            assert_near(info.weights[2 * i], 1, 0.02);
            tried++;
        }
    assert_true(tried > 100);
    sinew_cloud_binding_destroy(binding);
    end_scene(&s);
}

// Weights do not jump: points 2 mm apart (a seventh of a voxel) differ by little. The formula's
// steepest slope is 1 / falloff = 8.3 a metre at d2 = d1, 0.017 over 2 mm, and paths are up to a
// tenth longer in some directions than in others; what is seen between voxels changes by no more
// than the difference of neighbours, 14 mm apart: 0.12, over 2 mm a seventh of it.
static void weights_change_smoothly(void **state)
{
    (void)state;
    scene s = make_scene(100000);
    enum { LINE = 400 };
    float *line = malloc((s.count + LINE) * 3 * sizeof *line);
    assert_non_null(line);
    memcpy(line, s.points, s.count * 3 * sizeof *line);
    for (int i = 0; i < LINE; i++) { // along the shin's and the thigh's outer side, over the knee
        float *p = line + 3 * (s.count + (uint32_t)i);
        const float way = 0.002f * (float)i; // 0 ... 0.8 m
        p[0] = 0.12f + 0.055f;
        p[1] = way < 0.4f ? 0.55f + way : 0.95f;
        p[2] = way < 0.4f ? 0.5f : 0.5f - (way - 0.4f);
    }
    sinew_cloud_binding_desc desc = desc_of(&s, SINEW_CLOUD_ALONG_BODY);
    desc.positions = line;
    desc.point_count = s.count + LINE;
    desc.influence_count = 4;
    sinew_cloud_binding *binding = bind(&desc);
    const sinew_cloud_binding_info info = sinew_cloud_binding_get_info(binding);
    float before = 1;
    for (int i = 0; i < LINE; i++) {
        float knee = 0;
        for (uint32_t k = 0; k < 4; k++)
            if (info.joints[4 * (s.count + (uint32_t)i) + k] == s.joint[KNEE])
                knee += info.weights[4 * (s.count + (uint32_t)i) + k];
        if (i)
            assert_near(knee, before, 0.035);
        before = knee;
    }
    assert_near(before, 0, 1e-6); // half way up the thigh the shin is far
    sinew_cloud_binding_destroy(binding);
    free(line);
    end_scene(&s);
}

// Ten points a metre above the head: no path leads there, so they take the nearest joint.
static void what_no_joint_reaches_is_bound_to_the_nearest(void **state)
{
    (void)state;
    scene s = make_scene(20000);
    for (uint32_t i = 0; i < 10; i++) {
        s.points[3 * i] = 0.25f;
        s.points[3 * i + 1] = 2.5f + 0.001f * (float)i;
        s.points[3 * i + 2] = 0;
    }
    sinew_cloud_binding_desc desc = desc_of(&s, SINEW_CLOUD_ALONG_BODY);
    desc.falloff = 0.05f;
    sinew_cloud_binding *along = bind(&desc);
    desc.way = SINEW_CLOUD_NEAREST;
    sinew_cloud_binding *nearest = bind(&desc);
    const sinew_cloud_binding_info a = sinew_cloud_binding_get_info(along),
                                   b = sinew_cloud_binding_get_info(nearest);
    assert_memory_equal(a.joints, b.joints, 20 * sizeof *a.joints);
    assert_memory_equal(a.weights, b.weights, 20 * sizeof *a.weights);
    sinew_cloud_binding_destroy(along);
    sinew_cloud_binding_destroy(nearest);
    end_scene(&s);
}

static void groups_keep_to_their_joints(void **state)
{
    (void)state;
    scene s = make_scene(20000);
    const uint16_t trunk[] = {s.joint[PELVIS], s.joint[SPINE], s.joint[NECK]};
    const sinew_cloud_group group = {trunk, 3};
    uint32_t *groups = calloc(s.count, sizeof *groups);
    assert_non_null(groups);
    sinew_cloud_binding_desc desc = desc_of(&s, SINEW_CLOUD_ALONG_BODY);
    desc.groups = &group;
    desc.group_count = 1;
    desc.point_groups = groups;
    sinew_cloud_binding *binding = bind(&desc);
    const sinew_cloud_binding_info info = sinew_cloud_binding_get_info(binding);
    for (uint32_t i = 0; i < 2 * s.count; i++)
        assert_true(info.weights[i] == 0 || info.joints[i] == trunk[0] ||
                    info.joints[i] == trunk[1] || info.joints[i] == trunk[2]);
    sinew_cloud_binding_destroy(binding);
    free(groups);
    end_scene(&s);
}

static void threads_and_instruction_sets_do_not_matter(void **state)
{
    (void)state;
    scene s = make_scene(30000);
    sinew_thread_pool *pool = sinew_thread_pool_create(3);
    const sinew_parallel parallel = sinew_thread_pool_parallel(pool);
    sinew_cloud_binding_desc desc = desc_of(&s, SINEW_CLOUD_ALONG_BODY);
    sinew_cloud_binding *alone = bind(&desc);
    desc.parallel = &parallel;
    sinew_isa_set_mask(1u << SINEW_ISA_SCALAR);
    sinew_cloud_binding *wide = bind(&desc);
    sinew_isa_set_mask(UINT32_MAX);
    const sinew_cloud_binding_info a = sinew_cloud_binding_get_info(alone),
                                   b = sinew_cloud_binding_get_info(wide);
    assert_memory_equal(a.joints, b.joints, 2 * s.count * sizeof *a.joints);
    assert_memory_equal(a.weights, b.weights, 2 * s.count * sizeof *a.weights);
    sinew_cloud_binding_destroy(alone);
    sinew_cloud_binding_destroy(wide);
    sinew_thread_pool_destroy(pool);
    end_scene(&s);
}

// A cloud of one point, of equal points, of a line, and as large as floats are.
static void odd_clouds_are_bound(void **state)
{
    (void)state;
    scene s = make_scene(64);
    sinew_cloud_binding_desc desc = desc_of(&s, SINEW_CLOUD_ALONG_BODY);
    for (int shape = 0; shape < 5; shape++) {
        for (uint32_t i = 0; i < s.count; i++) {
            const float way = (float)i / 64;
            const float places[5][3] = {{0, 1, 0},
                                        {0, 1 + 0.5f * way, 0},
                                        {1e30f * way, 0, 0},
                                        {3e38f * (2 * way - 1), 3e38f, 0},
                                        {1e-30f * way, 1, 0}};
            memcpy(s.points + 3 * i, places[shape], 3 * sizeof(float));
        }
        desc.point_count = shape ? s.count : 1;
        sinew_cloud_binding *binding = bind(&desc);
        const sinew_cloud_binding_info info = sinew_cloud_binding_get_info(binding);
        for (uint32_t i = 0; i < desc.point_count; i++) {
            assert_true(info.joints[2 * i] < SEATED_JOINTS &&
                        info.joints[2 * i + 1] < SEATED_JOINTS);
            assert_near(info.weights[2 * i] + info.weights[2 * i + 1], 1, 2.4e-7);
        }
        sinew_cloud_binding_destroy(binding);
    }
    desc.voxel_size = -1;
    sinew_cloud_binding *binding = NULL;
    assert_result(sinew_cloud_binding_create(&desc, &binding, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    end_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hand_on_a_thigh_does_not_bleed),
        cmocka_unit_test(the_seated_fixture_keeps_its_thighs),
        cmocka_unit_test(bones_in_open_pipes_move_their_walls),
        cmocka_unit_test(weights_are_a_partition_of_one),
        cmocka_unit_test(without_falloff_each_point_follows_one_joint),
        cmocka_unit_test(flesh_follows_its_own_bone),
        cmocka_unit_test(weights_change_smoothly),
        cmocka_unit_test(what_no_joint_reaches_is_bound_to_the_nearest),
        cmocka_unit_test(groups_keep_to_their_joints),
        cmocka_unit_test(threads_and_instruction_sets_do_not_matter),
        cmocka_unit_test(odd_clouds_are_bound),
    };
    return TEST_RUN(tests);
}
