// SPDX-License-Identifier: MIT
// Bindings of clouds: which joints a point follows and how much, by numbers worked out by hand and
// against every segment measured in double precision; groups, given bindings, colours, skins, each
// error, and each allocation that may fail.
#include "../support/test_main.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/counting_allocator.h"
#include "../support/random.h"
#include "extras/thread_pool.h"
#include "sinew/cloud.h"

// Distances are right to some 4 units in the last place of coordinates of a few metres, 1e-6 m; a
// weight k^2 / 2 moves by k dk <= that over the falloff. Hand-worked cases have falloffs of 1 m and
// more.
static const double weight_near = 4e-6;

// Joints that stand at these places, in breadth-first order, so that indices stay.
static sinew_skeleton *stand(const int32_t *parents, const float (*places)[3], uint32_t count)
{
    sinew_joint_desc joints[64];
    char names[64][16];
    assert_in_range(count, 0, 64);
    memset(joints, 0, sizeof joints);
    for (uint32_t j = 0; j < count; j++) {
        snprintf(names[j], sizeof names[j], "j%u", (unsigned)j);
        joints[j] = (sinew_joint_desc){
            names[j], parents[j], -1, sinew_transform_identity(), {0, 0, 0}, SINEW_SCALE_INHERIT};
        for (int k = 0; k < 3; k++)
            (&joints[j].rest.translation.x)[k] =
                places[j][k] - (parents[j] < 0 ? 0.0f : places[parents[j]][k]);
    }
    return test_skeleton_of(joints, count);
}

static sinew_cloud_binding *bind(const sinew_cloud_binding_desc *desc)
{
    sinew_cloud_binding *binding = NULL;
    sinew_error error;
    assert_ok(sinew_cloud_binding_create(desc, &binding, &error));
    return binding;
}

// One point's binding.
typedef struct bound_point {
    uint16_t joints[4];
    float weights[4];
    uint16_t dominant;
} bound_point;

static bound_point bind_one(const sinew_skeleton *skeleton, float x, float y, float z,
                            float falloff, uint32_t influences)
{
    const float position[3] = {x, y, z};
    sinew_cloud_binding_desc desc = sinew_cloud_binding_desc_default();
    desc.skeleton = skeleton, desc.positions = position, desc.point_count = 1;
    desc.falloff = falloff, desc.influence_count = influences;
    sinew_cloud_binding *binding = bind(&desc);
    sinew_cloud_binding_info info = sinew_cloud_binding_get_info(binding);
    assert_int_equal(info.influence_count, influences ? influences : 2);
    assert_int_equal(info.point_count, 1);
    assert_int_equal(info.joint_count, sinew_skeleton_joint_count(skeleton));
    bound_point out = {.dominant = info.dominant[0]};
    memcpy(out.joints, info.joints, info.influence_count * sizeof *info.joints);
    memcpy(out.weights, info.weights, info.influence_count * sizeof *info.weights);
    sinew_cloud_binding_destroy(binding);
    return out;
}

// Two influences, by the nearer joint, the other one and its weight.
#define assert_bound(point, first, second, weight)                                                 \
    do {                                                                                           \
        bound_point p_ = (point);                                                                  \
        assert_int_equal(p_.joints[0], first);                                                     \
        assert_int_equal(p_.joints[1], second);                                                    \
        assert_near(p_.weights[1], weight, weight_near);                                           \
        assert_near(p_.weights[0], 1.0 - (weight), weight_near);                                   \
    } while (0)

// ---- Segments -----------------------------------------------------------------------------------

static void a_joint_reaches_to_each_of_its_children(void **state)
{
    (void)state;
    sinew_skeleton *s =
        stand((int32_t[]){-1, 0, 0}, (const float[][3]){{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, 3);
    // 0.1 from the way to joint 1, sqrt(0.25 + 0.01) from joint 1 itself:
    // k = 1 - (0.509902 - 0.1) = 0.590098, k^2 / 2 = 0.174108
    assert_bound(bind_one(s, 0.5f, -0.1f, 0, 1, 2), 0, 1, 0.174108);
    // the same beside the way to joint 2
    assert_bound(bind_one(s, -0.1f, 0.5f, 0, 1, 2), 0, 2, 0.174108);
    // beside a segment and before its beginning: (-0.3, -0.4) is 0.5 from the root, and
    // sqrt(1.69 + 0.16) = 1.360147 from joint 1: k = 1 - 0.860147, k^2 / 2 = 0.009779
    assert_bound(bind_one(s, -0.3f, -0.4f, 0, 1, 2), 0, 1, 0.009779);
    sinew_skeleton_destroy(s);
}

static void a_stub_goes_on_for_less_than_half_the_way(void **state)
{
    (void)state;
    sinew_skeleton *s = stand((int32_t[]){-1, 0}, (const float[][3]){{0, 0, 0}, {0, 2, 0}}, 2);
    // from (0, 2) to (0, 2.9): the point (0.3, 3.3) is 0.5 from its end and
    // sqrt(0.09 + 1.69) = 1.334166 from the root's: k = 1 - 0.834166 / 2, k^2 / 2 = 0.169896
    assert_bound(bind_one(s, 0.3f, 3.3f, 0, 2, 2), 1, 0, 0.169896);
    sinew_skeleton_destroy(s);
    s = stand((int32_t[]){-1, 0}, (const float[][3]){{0, 0, 0}, {-3, 0, 4}}, 2);
    // along (-0.6, 0, 0.8), 2.25 long, to (-4.35, 0, 5.8): 1 m beside that end and sqrt(1 + 2.25^2)
    // = 2.462214 from the root's: k = 1 - 1.462214 / 2, k^2 / 2 = 0.036151
    assert_bound(bind_one(s, -4.35f, 1, 5.8f, 2, 2), 1, 0, 0.036151);
    sinew_skeleton_destroy(s);
}

static void a_short_stub_has_a_millimetre_to_go_by(void **state)
{
    (void)state;
    // 0.5 mm along +X: the stub is 0.45 mm long nevertheless, to 0.95 mm
    sinew_skeleton *s =
        stand((int32_t[]){-1, 0}, (const float[][3]){{0, 0, 0}, {0.0005f, 0, 0}}, 2);
    // at 2 mm: 1.05 mm and 1.5 mm away: k = 1 - 0.45 / 1, k^2 / 2 = 0.15125 (falloff 1 mm)
    assert_bound(bind_one(s, 0.002f, 0, 0, 0.001f, 2), 1, 0, 0.15125);
    sinew_skeleton_destroy(s);
}

static void a_stub_without_a_direction_goes_up(void **state)
{
    (void)state;
    sinew_skeleton *s = stand((int32_t[]){-1, 0}, (const float[][3]){{0, 0, 0}, {0, 0, 0}}, 2);
    // 0.45 mm up: at 10 mm the child is 9.55 mm away, the root 10: k = 0.55
    assert_bound(bind_one(s, 0, 0.01f, 0, 0.001f, 2), 1, 0, 0.15125);
    // below both are 10 mm away, and the lower index comes first
    assert_bound(bind_one(s, 0, -0.01f, 0, 0.001f, 2), 0, 1, 0.5);
    sinew_skeleton_destroy(s);
}

static void a_joint_without_parent_and_children_has_a_stub_of_its_own(void **state)
{
    (void)state;
    sinew_skeleton *s = stand((int32_t[]){-1, -1}, (const float[][3]){{0, 0, 0}, {1, 0, 0}}, 2);
    // up to 0.45 m: (0.2, 0.85) is sqrt(0.04 + 0.16) = 0.447214 and sqrt(0.64 + 0.16) = 0.894427
    // away: k = 1 - 0.447214, k^2 / 2 = 0.152786
    assert_bound(bind_one(s, 0.2f, 0.85f, 0, 1, 2), 0, 1, 0.152786);
    // level with the stub: 0.25 and 0.75: k = 0.5
    assert_bound(bind_one(s, 0.25f, 0.3f, 0, 1, 2), 0, 1, 0.125);
    sinew_skeleton_destroy(s);
}

static void very_short_segments_are_points(void **state)
{
    (void)state;
    // 20 micrometres: the root is as far as its origin, and the child has no direction. At 1 m,
    // with a falloff of 0.1 mm: k = 1 - 0.02 / 0.1, k^2 / 2 = 0.32. A segment would make it a tie.
    sinew_skeleton *s = stand((int32_t[]){-1, 0}, (const float[][3]){{0, 0, 0}, {2e-5f, 0, 0}}, 2);
    bound_point p = bind_one(s, 1, 0, 0, 1e-4f, 2);
    assert_int_equal(p.joints[0], 1);
    assert_int_equal(p.joints[1], 0);
    assert_near(p.weights[1], 0.32, 1.2e-3); // distances at 1 m have 6e-8 over the falloff, twice
    sinew_skeleton_destroy(s);
    // 50 micrometres are a segment: the root reaches where the child stands
    s = stand((int32_t[]){-1, 0}, (const float[][3]){{0, 0, 0}, {0, 0, 5e-5f}}, 2);
    p = bind_one(s, 0, 1, 5e-5f, 1e-4f, 2);
    assert_int_equal(p.joints[0], 0);
    assert_near(p.weights[1], 0.5, 1.2e-3);
    sinew_skeleton_destroy(s);
}

static void joints_stand_where_the_model_says(void **state)
{
    (void)state;
    sinew_skeleton *s = stand((int32_t[]){-1, -1}, (const float[][3]){{0, 0, 0}, {1, 0, 0}}, 2);
    sinew_mat4 model[2] = {sinew_mat4_identity(), sinew_mat4_identity()};
    model[0].m[12] = 5, model[1].m[12] = 4; // turned round
    const float position[] = {4.25f, 0.3f, 0};
    sinew_cloud_binding_desc desc = sinew_cloud_binding_desc_default();
    desc.skeleton = s, desc.model = model, desc.positions = position, desc.point_count = 1;
    desc.falloff = 1;
    sinew_cloud_binding *binding = bind(&desc);
    sinew_cloud_binding_info info = sinew_cloud_binding_get_info(binding);
    assert_int_equal(info.joints[0], 1); // 0.25 and 0.75 away
    assert_near(info.weights[1], 0.125, weight_near);
    sinew_cloud_binding_destroy(binding);
    sinew_skeleton_destroy(s);
}

// ---- Weights ------------------------------------------------------------------------------------

static void a_branching_joint_is_not_its_own_second(void **state)
{
    (void)state;
    // (2, 0.5) is 0.5 from the root's way to joint 2 and sqrt(4.25) = 2.061553 both from its way to
    // joint 1, which is listed first, and from joint 2: k = 1 - 1.561553 / 4, k^2 / 2 = 0.185813
    sinew_skeleton *s =
        stand((int32_t[]){-1, 0, 0}, (const float[][3]){{0, 0, 0}, {-4, 0, 0}, {4, 0, 0}}, 3);
    assert_bound(bind_one(s, 2, 0.5f, 0, 4, 2), 0, 2, 0.185813);
    // and where the near one is listed first
    assert_bound(bind_one(s, -2, 0.5f, 0, 4, 2), 0, 1, 0.185813);
    // all three joints once each
    bound_point p = bind_one(s, 2, 0.5f, 0, 4, 3);
    assert_int_equal(p.joints[2], 1);
    sinew_skeleton_destroy(s);
}

static void falloff_is_where_the_second_lets_go(void **state)
{
    (void)state;
    // 0.25 and 0.75 away
    sinew_skeleton *s = stand((int32_t[]){-1, -1}, (const float[][3]){{0, 0, 0}, {1, 0, 0}}, 2);
    assert_bound(bind_one(s, 0.25f, 0, 0, 2, 2), 0, 1, 0.28125); // k = 0.75
    assert_bound(bind_one(s, 0.25f, 0, 0, 1, 2), 0, 1, 0.125);   // k = 0.5
    assert_same(bind_one(s, 0.25f, 0, 0, 0.5f, 2).weights[1], 0);
    assert_same(bind_one(s, 0.25f, 0, 0, 0.25f, 2).weights[1], 0);
    assert_same(bind_one(s, 0.25f, 0, 0, FLT_MIN, 2).weights[1], 0);
    assert_near(bind_one(s, 0.25f, 0, 0, FLT_MAX, 2).weights[1], 0.5, weight_near);
    const float rigid[] = {0.0f, -0.0f, -1.0f, NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 6; i++)
        for (uint32_t n = 1; n <= 4; n++) {
            bound_point p = bind_one(s, 0.5f, 0, 0, rigid[i], n); // a tie, even
            assert_int_equal(p.joints[0], 0);
            assert_same(p.weights[0], 1);
            for (uint32_t k = 1; k < n; k++)
                assert_same(p.weights[k], 0);
        }
    sinew_skeleton_destroy(s);
}

static void of_equal_ones_the_lower_index_comes_first(void **state)
{
    (void)state;
    // four joints 1 m from the axis, to every side; k = 1 for all
    sinew_skeleton *s = stand((int32_t[]){-1, -1, -1, -1},
                              (const float[][3]){{0, 0, -1}, {1, 0, 0}, {-1, 0, 0}, {0, 0, 1}}, 4);
    assert_bound(bind_one(s, 0, 0.2f, 0, 1, 2), 0, 1, 0.5);
    bound_point p = bind_one(s, 0, 3, 0, 1, 4);
    for (uint32_t k = 0; k < 4; k++) {
        assert_int_equal(p.joints[k], k);
        assert_near(p.weights[k], 0.25, weight_near); // u = 1: 1 / (1 + 3)
    }
    assert_int_equal(p.dominant, 0); // none is strictly heavier
    // nearer to 1: the tie of 0 and 3 is behind it
    p = bind_one(s, 0.5f, 0, 0, 4, 3);
    assert_int_equal(p.joints[0], 1);
    assert_int_equal(p.joints[1], 0);
    assert_int_equal(p.joints[2], 3);
    sinew_skeleton_destroy(s);
    // a tie that a later, nearer joint pushes down: the lower of the two stays
    s = stand((int32_t[]){-1, -1, -1}, (const float[][3]){{1, 0, 0}, {-1, 0, 0}, {0, 0, 0.5f}}, 3);
    assert_bound(bind_one(s, 0, 0, 0, 1, 2), 2, 0, 0.125);
    sinew_skeleton_destroy(s);
}

static void missing_joints_repeat_the_first(void **state)
{
    (void)state;
    sinew_skeleton *s = stand((int32_t[]){-1}, (const float[][3]){{0, 0, 0}}, 1);
    for (uint32_t n = 1; n <= 4; n++) {
        bound_point p = bind_one(s, 3, 2, 1, 1, n);
        for (uint32_t k = 0; k < n; k++) {
            assert_int_equal(p.joints[k], 0);
            assert_same(p.weights[k], k == 0 ? 1 : 0);
        }
    }
    sinew_skeleton_destroy(s);
    s = stand((int32_t[]){-1, -1}, (const float[][3]){{0, 0, 0}, {1, 0, 0}}, 2);
    bound_point p = bind_one(s, 0.75f, 0, 0, 1, 4); // joint 1 first
    const uint16_t joints[] = {1, 0, 1, 1};
    const float weights[] = {0.875f, 0.125f, 0, 0}; // with two joints both formulas are one
    for (int k = 0; k < 4; k++)
        assert_int_equal(p.joints[k], joints[k]);
    assert_floats_near(p.weights, weights, 4, weight_near);
    sinew_skeleton_destroy(s);
}

static void one_to_four_joints_share_a_point(void **state)
{
    (void)state;
    // 1, 1.25, 1.5 and 2 m from the origin, falloff 1: k = 1, 0.75, 0.5, 0
    //     u = 0.28125 / 0.71875 = 0.391304, 0.125 / 0.875 = 0.142857, 0
    sinew_skeleton *s =
        stand((int32_t[]){-1, -1, -1, -1},
              (const float[][3]){{0, 0, -2}, {-1.5f, 0, 0}, {1, 0, 0}, {0, 0, 1.25f}}, 4);
    bound_point p = bind_one(s, 0, 0, 0, 1, 1);
    assert_int_equal(p.joints[0], 2);
    assert_same(p.weights[0], 1);
    assert_bound(bind_one(s, 0, 0, 0, 1, 2), 2, 3, 0.28125);
    assert_bound(bind_one(s, 0, 0, 0, 1, 0), 2, 3, 0.28125);           // 0 is 2
    const double w1 = 1.0 / (1.0 + 0.28125 / 0.71875 + 0.125 / 0.875); // 0.651822
    for (uint32_t n = 3; n <= 4; n++) {
        p = bind_one(s, 0, 0, 0, 1, n);
        assert_int_equal(p.joints[0], 2);
        assert_int_equal(p.joints[1], 3);
        assert_int_equal(p.joints[2], 1);
        assert_near(p.weights[0], w1, weight_near);
        assert_near(p.weights[1], 0.28125 / 0.71875 * w1, weight_near);
        assert_near(p.weights[2], 0.125 / 0.875 * w1, weight_near);
    }
    assert_int_equal(p.joints[3], 0);
    assert_same(p.weights[3], 0);
    sinew_skeleton_destroy(s);
}

static void no_joints_give_joint_0(void **state)
{
    (void)state;
    sinew_skeleton *s = stand(NULL, NULL, 0);
    for (uint32_t n = 1; n <= 4; n++) {
        bound_point p = bind_one(s, 3, 2, 1, 1, n);
        assert_int_equal(p.dominant, 0);
        for (uint32_t k = 0; k < n; k++) {
            assert_int_equal(p.joints[k], 0);
            assert_same(p.weights[k], k == 0 ? 1 : 0);
        }
    }
    sinew_skeleton_destroy(s);
}

static void no_points_are_a_binding(void **state)
{
    (void)state;
    sinew_skeleton *s = stand((int32_t[]){-1}, (const float[][3]){{0, 0, 0}}, 1);
    sinew_cloud_binding_desc desc = sinew_cloud_binding_desc_default();
    desc.skeleton = s;
    sinew_cloud_binding *binding = bind(&desc);
    sinew_cloud_binding_info info = sinew_cloud_binding_get_info(binding);
    assert_int_equal(info.point_count, 0);
    assert_int_equal(info.used_joint_count, 0);
    assert_int_equal(info.highest_joint, 0);
    assert_ok(sinew_cloud_binding_colors(binding, NULL, 0));
    sinew_cloud_binding_destroy(binding);
    sinew_cloud_binding_destroy(NULL);
    sinew_skeleton_destroy(s);
}

static void very_far_points_follow_a_joint_that_they_may(void **state)
{
    (void)state;
    // squares of 3e19 leave the floats: nothing can be measured
    sinew_skeleton *s = stand((int32_t[]){-1, -1}, (const float[][3]){{0, 0, 0}, {1, 0, 0}}, 2);
    const float positions[] = {3e19f, 0, 0, -FLT_MAX, FLT_MAX, 0};
    const uint16_t second[] = {1};
    const sinew_cloud_group group = {second, 1};
    sinew_cloud_binding_desc desc = sinew_cloud_binding_desc_default();
    desc.skeleton = s, desc.positions = positions, desc.point_count = 2, desc.falloff = 1;
    desc.point_groups = (uint32_t[]){0, SINEW_CLOUD_NO_GROUP};
    desc.groups = &group, desc.group_count = 1;
    sinew_cloud_binding *binding = bind(&desc);
    sinew_cloud_binding_info info = sinew_cloud_binding_get_info(binding);
    for (int p = 0; p < 2; p++) {
        assert_same(info.weights[2 * p], 1);
        assert_same(info.weights[2 * p + 1], 0);
    }
    assert_int_equal(info.joints[0], 1);
    assert_int_equal(info.joints[2], 0);
    sinew_cloud_binding_destroy(binding);
    sinew_skeleton_destroy(s);
}

// ---- Groups -------------------------------------------------------------------------------------

static void a_group_chooses_its_joints(void **state)
{
    (void)state;
    // the point stands at joint 1, whose group has 0 and 2 alone: 1 and 2 m away
    sinew_skeleton *s =
        stand((int32_t[]){-1, -1, -1}, (const float[][3]){{0, 0, 0}, {1, 0, 0}, {3, 0, 0}}, 3);
    const float positions[3 * 8] = {1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0,
                                    1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0};
    const uint16_t apart[] = {2, 0, 2, 60000}, past[] = {3, 65535}, alone[] = {2};
    const sinew_cloud_group groups[] = {
        {apart, 4}, // in any order, twice, and some past the skeleton
        {apart, 0}, // empty
        {NULL, 4},  // missing
        {past, 2},  // leaves no segment
        {alone, 1},
    };
    // groups 5 and UINT32_MAX are unknown; the last point has none
    const uint32_t point_groups[8] = {0, 1, 2, 3, 4, 5, 1000000, SINEW_CLOUD_NO_GROUP};
    sinew_cloud_binding_desc desc = sinew_cloud_binding_desc_default();
    desc.skeleton = s, desc.positions = positions, desc.point_count = 8, desc.falloff = 4;
    desc.point_groups = point_groups, desc.groups = groups, desc.group_count = 5;
    sinew_cloud_binding *binding = bind(&desc);
    sinew_cloud_binding_info info = sinew_cloud_binding_get_info(binding);
    for (uint32_t p = 0; p < 8; p++) {
        const uint16_t *joints = info.joints + 2 * p;
        const float *weights = info.weights + 2 * p;
        if (p == 0) { // k = 1 - (2 - 1) / 4
            assert_int_equal(joints[0], 0);
            assert_int_equal(joints[1], 2);
            assert_near(weights[1], 0.28125, weight_near);
        } else if (p == 4) {
            assert_int_equal(joints[0], 2);
            assert_int_equal(joints[1], 2);
            assert_same(weights[0], 1);
            assert_same(weights[1], 0);
        } else { // the whole skeleton: 0 and 1 m away, k = 0.75
            assert_int_equal(joints[0], 1);
            assert_int_equal(joints[1], 0);
            assert_near(weights[1], 0.28125, weight_near);
        }
    }
    assert_int_equal(info.used_joint_count, 3);
    assert_int_equal(info.highest_joint, 2);
    sinew_cloud_binding_destroy(binding);
    // no groups at all: their indices mean nothing
    desc.groups = NULL, desc.group_count = 0;
    binding = bind(&desc);
    assert_int_equal(sinew_cloud_binding_get_info(binding).joints[0], 1);
    sinew_cloud_binding_destroy(binding);
    // groups that no point is in
    desc.groups = groups, desc.group_count = 5, desc.point_groups = NULL;
    binding = bind(&desc);
    assert_int_equal(sinew_cloud_binding_get_info(binding).joints[0], 1);
    sinew_cloud_binding_destroy(binding);
    sinew_skeleton_destroy(s);
}

// ---- Against every segment, in double -------------------------------------------------------------

typedef struct double3 {
    double x, y, z;
} double3;

static double3 place_of(const sinew_mat4 *model, uint32_t joint)
{
    return (double3){(double)model[joint].m[12], (double)model[joint].m[13],
                     (double)model[joint].m[14]};
}

static double segment_distance(double3 p, double3 a, double3 way)
{
    const double square = way.x * way.x + way.y * way.y + way.z * way.z;
    const double3 d = {p.x - a.x, p.y - a.y, p.z - a.z};
    double t = square < 1e-9 ? 0.0 : (d.x * way.x + d.y * way.y + d.z * way.z) / square;
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    const double x = d.x - t * way.x, y = d.y - t * way.y, z = d.z - t * way.z;
    return sqrt(x * x + y * y + z * z);
}

static double joint_distance(const sinew_skeleton *s, const sinew_mat4 *model, uint32_t joint,
                             double3 p)
{
    const int32_t *parents = sinew_skeleton_parents(s);
    const double3 a = place_of(model, joint);
    double least = INFINITY;
    for (uint32_t c = 0; c < sinew_skeleton_joint_count(s); c++) {
        if (parents[c] != (int32_t)joint)
            continue;
        const double3 b = place_of(model, c);
        least = fmin(least, segment_distance(p, a, (double3){b.x - a.x, b.y - a.y, b.z - a.z}));
    }
    if (least < INFINITY)
        return least;
    if (parents[joint] < 0)
        return segment_distance(p, a, (double3){0, 0.45, 0});
    const double3 b = place_of(model, (uint32_t)parents[joint]);
    const double3 way = {a.x - b.x, a.y - b.y, a.z - b.z};
    const double length = sqrt(way.x * way.x + way.y * way.y + way.z * way.z);
    const double stub = 0.45 * fmax(length, 0.001), share = stub / length;
    if (length * length < 1e-9)
        return segment_distance(p, a, (double3){0, stub, 0});
    return segment_distance(p, a, (double3){way.x * share, way.y * share, way.z * share});
}

static void random_points_are_bound_as_every_segment_says(void **state)
{
    (void)state;
    enum { POINTS = 70, MOST = 40 };
    for (uint64_t round = 0; round < 60; round++) {
        test_random random = test_random_make(1300 + round);
        test_rig rig =
            test_rig_random(&random, 1 + test_random_below(&random, MOST), TEST_RIG_INHERIT);
        const sinew_mat4 *model = sinew_skeleton_rest_model(rig.skeleton);
        const uint32_t n = rig.joint_count, influences = 1 + test_random_below(&random, 4);
        const float falloff = test_random_float(&random, 0.1f, 3.0f);
        float positions[POINTS][5]; // with a stride
        uint32_t point_groups[POINTS];
        uint16_t chosen[2][MOST];
        sinew_cloud_group groups[2] = {{chosen[0], 0}, {chosen[1], 0}};
        bool has[3][MOST] = {{false}};
        for (uint32_t j = 0; j < n; j++)
            for (int g = 0; g < 3; g++)
                if (g == 2 || test_random_below(&random, 2)) {
                    has[g][j] = true;
                    if (g < 2)
                        chosen[g][groups[g].joint_count++] = (uint16_t)j;
                }
        for (int g = 0; g < 2; g++) // none: all
            for (uint32_t j = 0; groups[g].joint_count == 0 && j < n; j++)
                has[g][j] = true;
        for (uint32_t p = 0; p < POINTS; p++) {
            const uint32_t near = test_random_below(&random, n);
            for (int k = 0; k < 3; k++)
                positions[p][k] = model[near].m[12 + k] + test_random_float(&random, -1.0f, 1.0f);
            positions[p][3] = positions[p][4] = NAN; // nobody's
            point_groups[p] = test_random_below(&random, 3);
        }
        sinew_cloud_binding_desc desc = sinew_cloud_binding_desc_default();
        desc.skeleton = rig.skeleton, desc.positions = positions[0], desc.point_count = POINTS;
        desc.position_stride = sizeof positions[0], desc.falloff = falloff;
        desc.influence_count = influences;
        desc.point_groups = point_groups, desc.groups = groups, desc.group_count = 2;
        sinew_cloud_binding *binding = bind(&desc);
        sinew_cloud_binding_info info = sinew_cloud_binding_get_info(binding);
        bool used[MOST] = {false};
        for (uint32_t p = 0; p < POINTS; p++) {
            const uint16_t *joints = info.joints + p * influences;
            const float *weights = info.weights + p * influences;
            const double3 at = {(double)positions[p][0], (double)positions[p][1],
                                (double)positions[p][2]};
            double sorted[MOST], size = fabs(at.x) + fabs(at.y) + fabs(at.z);
            uint32_t found = 0;
            for (uint32_t j = 0; j < n; j++) {
                if (!has[point_groups[p]][j])
                    continue;
                const double d = joint_distance(rig.skeleton, model, j, at);
                size = fmax(size, d);
                uint32_t k = found++;
                for (; k > 0 && sorted[k - 1] > d; k--)
                    sorted[k] = sorted[k - 1];
                sorted[k] = d;
            }
            // Places, ways and products are rounded once each, some twenty times on the way; a
            // square root takes half of a share from a square, but near 0 all of it.
            const double near = 40 * 0x1p-24 * (1.0 + size);
            double u[4] = {0}, sum = 0.0;
            for (uint32_t k = 0; k < influences; k++) {
                if (k >= found) {
                    assert_int_equal(joints[k], joints[0]);
                    assert_same(weights[k], 0);
                    continue;
                }
                assert_true(has[point_groups[p]][joints[k]]);
                for (uint32_t i = 0; i < k; i++)
                    assert_int_not_equal(joints[i], joints[k]);
                assert_near(joint_distance(rig.skeleton, model, joints[k], at), sorted[k], near);
                const double lets_go =
                    fmin(fmax(1.0 - (sorted[k] - sorted[0]) / (double)falloff, 0.0), 1.0);
                u[k] = 0.5 * lets_go * lets_go / (1.0 - 0.5 * lets_go * lets_go);
                sum += k ? u[k] : 0.0;
            }
            double total = 0.0;
            for (uint32_t k = 0; k < influences && k < found; k++) {
                const double w = (k ? u[k] : 1.0) / (1.0 + sum);
                // du / dk = k / (1 - k^2 / 2)^2 <= 4, and weights fall with u
                assert_near(weights[k], w, 8.0 * near / (double)falloff + 1e-6);
                total += (double)weights[k];
                used[joints[k]] |= weights[k] > 0.0f;
            }
            assert_near(total, 1.0, 4 * 0x1p-24);
            assert_int_equal(info.dominant[p], joints[0]); // the nearest is never lighter
        }
        uint32_t count = 0, highest = 0;
        for (uint32_t j = 0; j < n; j++) {
            count += used[j];
            highest = used[j] ? j : highest;
        }
        assert_int_equal(info.used_joint_count, count);
        assert_int_equal(info.highest_joint, highest);
        sinew_cloud_binding_destroy(binding);
        test_rig_free(&rig);
    }
}

// Threads, the instruction sets and the place of a point in the array change no bit.
static void threads_and_instruction_sets_change_nothing(void **state)
{
    (void)state;
    enum { POINTS = 10007 };
    test_random random = test_random_make(7);
    test_rig rig = test_rig_random(&random, 30, TEST_RIG_INHERIT);
    float *positions = test_block(POINTS * 3 * sizeof *positions);
    uint32_t *point_groups = test_block(POINTS * sizeof *point_groups);
    for (uint32_t i = 0; i < 3 * POINTS; i++)
        positions[i] = test_random_float(&random, -3.0f, 3.0f);
    for (uint32_t p = 0; p < POINTS; p++)
        point_groups[p] = test_random_below(&random, 4);
    const uint16_t few[] = {1, 5, 9}, more[] = {0, 1, 2, 3, 4, 20, 21, 22};
    const sinew_cloud_group groups[] = {{few, 3}, {more, 8}, {NULL, 0}};
    sinew_cloud_binding_desc desc = sinew_cloud_binding_desc_default();
    desc.skeleton = rig.skeleton, desc.positions = positions, desc.point_count = POINTS;
    desc.falloff = 0.7f, desc.influence_count = 3;
    desc.point_groups = point_groups, desc.groups = groups, desc.group_count = 3;
    test_use_isa(SINEW_ISA_SCALAR);
    sinew_cloud_binding *reference = bind(&desc);
    const sinew_cloud_binding_info a = sinew_cloud_binding_get_info(reference);
    sinew_thread_pool *pool = sinew_thread_pool_create(3);
    assert_non_null(pool);
    const sinew_parallel parallel = sinew_thread_pool_parallel(pool);
    for (int isa = 0; isa < SINEW_ISA_COUNT; isa++) {
        if (!test_has_isa((sinew_isa)isa))
            continue;
        test_use_isa((sinew_isa)isa);
        for (int threads = 0; threads < 2; threads++) {
            desc.parallel = threads ? &parallel : NULL;
            sinew_cloud_binding *binding = bind(&desc);
            const sinew_cloud_binding_info b = sinew_cloud_binding_get_info(binding);
            assert_memory_equal(b.joints, a.joints, POINTS * 3 * sizeof *a.joints);
            assert_memory_equal(b.weights, a.weights, POINTS * 3 * sizeof *a.weights);
            assert_memory_equal(b.dominant, a.dominant, POINTS * sizeof *a.dominant);
            assert_int_equal(b.used_joint_count, a.used_joint_count);
            sinew_cloud_binding_destroy(binding);
        }
    }
    sinew_isa_set_mask(UINT32_MAX);
    desc.parallel = NULL;
    for (uint32_t p = 0; p < POINTS; p += 997) { // a point alone
        desc.positions = positions + 3 * p, desc.point_count = 1;
        desc.point_groups = point_groups + p;
        sinew_cloud_binding *binding = bind(&desc);
        const sinew_cloud_binding_info b = sinew_cloud_binding_get_info(binding);
        assert_memory_equal(b.joints, a.joints + 3 * p, 3 * sizeof *a.joints);
        assert_memory_equal(b.weights, a.weights + 3 * p, 3 * sizeof *a.weights);
        sinew_cloud_binding_destroy(binding);
    }
    sinew_thread_pool_destroy(pool);
    sinew_cloud_binding_destroy(reference);
    test_block_free(point_groups);
    test_block_free(positions);
    test_rig_free(&rig);
}

// ---- Given bindings -----------------------------------------------------------------------------

static void given_bindings_are_taken_and_normalised(void **state)
{
    (void)state;
    enum { POINTS = 7 };
    const uint16_t joints[2 * POINTS] = {3, 1, 2, 4, 1, 2, 4, 0, 2, 3, 1, 60000, 0, 1};
    const float weights[2 * POINTS] = {
        1.0f,  3.0f,     // 0.25, 0.75
        -1.0f, 2.0f,     // below 0 is 0: 0, 1
        NAN,   INFINITY, // neither counts: rigid to the first
        4e-7f, 5e-7f,    // a sum of 9e-7: rigid to the first
        2e-6f, 2e-6f,    // half and half
        5.0f,  0.0f,     // garbage without weight
        0.5f,  0.5f,     // a tie: the first is dominant
    };
    const float expected[2 * POINTS] = {0.25f, 0.75f, 0,    1, 1, 0,    1,
                                        0,     0.5f,  0.5f, 1, 0, 0.5f, 0.5f};
    const uint16_t dominant[POINTS] = {1, 4, 1, 4, 2, 1, 0};
    const sinew_cloud_explicit_desc desc = {.point_count = POINTS,
                                            .joint_count = 5,
                                            .influence_count = 2,
                                            .joints = joints,
                                            .weights = weights};
    sinew_cloud_binding *binding = NULL;
    assert_ok(sinew_cloud_binding_create_explicit(&desc, &binding, NULL));
    const sinew_cloud_binding_info info = sinew_cloud_binding_get_info(binding);
    assert_int_equal(info.point_count, POINTS);
    assert_int_equal(info.joint_count, 5);
    assert_int_equal(info.influence_count, 2);
    assert_floats_near(info.weights, expected, (size_t)2 * POINTS, 0x1p-24);
    for (uint32_t p = 0; p < POINTS; p++) {
        assert_int_equal(info.joints[2 * p], joints[2 * p]);
        assert_int_equal(info.dominant[p], dominant[p]);
        assert_in_range(info.joints[2 * p + 1], 0, 4);
    }
    assert_int_equal(info.used_joint_count, 5); // 3 1, 4, 1, 4, 2 3, 1, 0 1
    assert_int_equal(info.highest_joint, 4);
    sinew_cloud_binding_destroy(binding);
}

static void the_heaviest_is_dominant_and_weights_may_be_left_out(void **state)
{
    (void)state;
    const uint16_t joints[] = {0, 1, 2, 3};
    const float weights[] = {1, 2, 4, 1};
    sinew_cloud_explicit_desc desc = {.point_count = 1,
                                      .joint_count = 4,
                                      .influence_count = 4,
                                      .joints = joints,
                                      .weights = weights};
    sinew_cloud_binding *binding;
    assert_ok(sinew_cloud_binding_create_explicit(&desc, &binding, NULL));
    sinew_cloud_binding_info info = sinew_cloud_binding_get_info(binding);
    assert_int_equal(info.dominant[0], 2);
    assert_same(info.weights[2], 0.5);
    sinew_cloud_binding_destroy(binding);
    desc.influence_count = 1, desc.point_count = 4, desc.weights = NULL;
    assert_ok(sinew_cloud_binding_create_explicit(&desc, &binding, NULL));
    info = sinew_cloud_binding_get_info(binding);
    for (uint32_t p = 0; p < 4; p++) {
        assert_int_equal(info.dominant[p], p);
        assert_same(info.weights[p], 1);
    }
    sinew_cloud_binding_destroy(binding);
    // sums that leave the floats
    desc.influence_count = 4, desc.point_count = 1;
    desc.weights = (float[]){FLT_MAX, FLT_MAX, FLT_MAX, FLT_MAX};
    assert_ok(sinew_cloud_binding_create_explicit(&desc, &binding, NULL));
    for (uint32_t k = 0; k < 4; k++)
        assert_same(sinew_cloud_binding_get_info(binding).weights[k], 0.25);
    sinew_cloud_binding_destroy(binding);
}

static void a_rigid_binding_is_all_on_one_joint(void **state)
{
    (void)state;
    sinew_cloud_binding *binding;
    assert_ok(sinew_cloud_binding_create_rigid(100, 12, 7, NULL, &binding, NULL));
    sinew_cloud_binding_info info = sinew_cloud_binding_get_info(binding);
    assert_int_equal(info.point_count, 100);
    assert_int_equal(info.joint_count, 12);
    assert_int_equal(info.influence_count, 1);
    assert_int_equal(info.used_joint_count, 1);
    assert_int_equal(info.highest_joint, 7);
    for (uint32_t p = 0; p < 100; p++) {
        assert_int_equal(info.joints[p], 7);
        assert_int_equal(info.dominant[p], 7);
        assert_same(info.weights[p], 1);
    }
    sinew_cloud_binding_destroy(binding);
}

// ---- Colours, skins -----------------------------------------------------------------------------

static void colours_are_mixed_by_weight(void **state)
{
    (void)state;
    enum { JOINTS = 12 };
    uint16_t joints[2 * JOINTS + 2];
    float weights[2 * JOINTS + 2], colors[3 * (JOINTS + 1)];
    for (uint16_t j = 0; j < JOINTS; j++) {
        joints[2 * j] = joints[2 * j + 1] = j;
        weights[2 * j] = 1, weights[2 * j + 1] = 0;
    }
    joints[2 * JOINTS] = 3, joints[2 * JOINTS + 1] = 8;
    weights[2 * JOINTS] = 0.75f, weights[2 * JOINTS + 1] = 0.25f;
    const sinew_cloud_explicit_desc desc = {.point_count = JOINTS + 1,
                                            .joint_count = JOINTS,
                                            .influence_count = 2,
                                            .joints = joints,
                                            .weights = weights};
    sinew_cloud_binding *binding;
    assert_ok(sinew_cloud_binding_create_explicit(&desc, &binding, NULL));
    assert_result(sinew_cloud_binding_colors(NULL, colors, 100), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_cloud_binding_colors(binding, NULL, 100), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_cloud_binding_colors(binding, colors, JOINTS),
                  SINEW_ERROR_BUFFER_TOO_SMALL);
    assert_ok(sinew_cloud_binding_colors(binding, colors, JOINTS + 1));
    for (uint32_t j = 0; j < JOINTS; j++) {
        for (int k = 0; k < 3; k++)
            assert_true(colors[3 * j + (uint32_t)k] >= 0 && colors[3 * j + (uint32_t)k] <= 1);
        for (uint32_t i = 0; i < j; i++) { // each its own, and neighbours at a glance
            double apart = 0.0;
            for (uint32_t k = 0; k < 3; k++)
                apart += fabs((double)(colors[3 * j + k] - colors[3 * i + k]));
            assert_true(apart > (i + 1 == j ? 0.5 : 0.05));
        }
    }
    for (int k = 0; k < 3; k++)
        assert_near(colors[3 * JOINTS + k],
                    0.75 * (double)colors[9 + k] + 0.25 * (double)colors[24 + k], 1e-6);
    sinew_cloud_binding_destroy(binding);
}

static void a_skin_of_all_joints_rests(void **state)
{
    (void)state;
    test_random random = test_random_make(3);
    test_rig rig = test_rig_random(&random, 20, TEST_RIG_INHERIT);
    sinew_skin *skin;
    assert_ok(sinew_cloud_make_skin(rig.skeleton, NULL, NULL, &skin, NULL));
    assert_int_equal(sinew_skin_joint_count(skin), 20);
    assert_ptr_equal(sinew_skin_skeleton(skin), rig.skeleton);
    for (uint32_t j = 0; j < 20; j++)
        assert_int_equal(sinew_skin_joints(skin)[j], j);
    sinew_skin_rest rest;
    assert_ok(sinew_skin_find_rest(skin, NULL, 1, &rest));
    assert_int_equal(rest.kind, SINEW_REST_IDENTITY);
    sinew_skin_destroy(skin);
    // where it stands otherwise: the inverse is that stand's
    sinew_mat4 model[20];
    for (int j = 0; j < 20; j++) {
        model[j] = sinew_mat4_identity();
        model[j].m[12] = (float)j, model[j].m[0] = 2;
    }
    assert_ok(sinew_cloud_make_skin(rig.skeleton, model, NULL, &skin, NULL));
    assert_same(sinew_skin_inverse_binds(skin)[6].m[0], 0.5);
    assert_same(sinew_skin_inverse_binds(skin)[6].m[12], -3);
    sinew_skin_destroy(skin);
    sinew_error error;
    memset(model[11].m, 0, 12 * sizeof(float));
    assert_result(sinew_cloud_make_skin(rig.skeleton, model, NULL, &skin, &error),
                  SINEW_ERROR_SINGULAR_MATRIX);
    assert_null(skin);
    assert_string_equal(error.path, sinew_skeleton_joint_name(rig.skeleton, 11));
    assert_result(sinew_cloud_make_skin(NULL, NULL, NULL, &skin, NULL),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_cloud_make_skin(rig.skeleton, NULL, NULL, NULL, NULL),
                  SINEW_ERROR_INVALID_ARGUMENT);
    test_rig_free(&rig);
}

// ---- Misuse -------------------------------------------------------------------------------------

// What a binding keeps does not grow with anything but joints, weights and the dominant joints:
// 6 bytes for each influence of a point, and 2 for each point.
static void a_binding_holds_joints_and_weights_alone(void **state)
{
    (void)state;
    sinew_skeleton *s = stand((int32_t[]){-1, 0}, (const float[][3]){{0, 0, 0}, {0, 1, 0}}, 2);
    for (uint32_t n = 1; n <= 4; n++) {
        size_t sizes[2];
        for (uint32_t more = 0; more < 2; more++) {
            const uint32_t count = 1000 + 1024 * more;
            float *positions = calloc(count, 3 * sizeof *positions);
            assert_non_null(positions);
            counting_allocator counter = {0};
            sinew_cloud_binding_desc desc = sinew_cloud_binding_desc_default();
            desc.skeleton = s, desc.positions = positions, desc.point_count = count;
            desc.influence_count = n, desc.allocator = counting_allocator_use(&counter);
            sinew_cloud_binding *binding = bind(&desc);
            sizes[more] = counter.live_size;
            sinew_cloud_binding_destroy(binding);
            assert_int_equal(counter.live_count, 0);
            free(positions);
        }
        assert_int_equal(sizes[1] - sizes[0], 1024 * (6 * n + 2));
    }
    sinew_skeleton_destroy(s);
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    sinew_skeleton *s = stand((int32_t[]){-1, 0}, (const float[][3]){{0, 0, 0}, {0, 1, 0}}, 2);
    const float positions[6] = {0};
    sinew_cloud_binding_desc good = sinew_cloud_binding_desc_default();
    good.skeleton = s, good.positions = positions, good.point_count = 2;
    sinew_cloud_binding *binding = (void *)&good;
    assert_result(sinew_cloud_binding_create(NULL, &binding, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    assert_null(binding);
    assert_result(sinew_cloud_binding_create(&good, NULL, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    for (int i = 0; i < 6; i++) {
        sinew_cloud_binding_desc desc = good;
        switch (i) {
        case 0:
            desc.skeleton = NULL;
            break;
        case 1:
            desc.positions = NULL;
            break;
        case 2:
            desc.influence_count = 5;
            break;
        case 3:
            desc.group_count = 1;
            break;
        case 4:
            desc.position_stride = 8;
            break;
        default:
            desc.position_stride = 13;
            break;
        }
        sinew_error error = {0};
        assert_result(sinew_cloud_binding_create(&desc, &binding, &error),
                      SINEW_ERROR_INVALID_ARGUMENT);
        assert_null(binding);
        assert_true(error.message[0] != 0);
    }
    sinew_skeleton_destroy(s);
}

static void numbers_that_are_not_finite_are_named(void **state)
{
    (void)state;
    sinew_skeleton *s = stand((int32_t[]){-1, 0}, (const float[][3]){{0, 0, 0}, {0, 1, 0}}, 2);
    float positions[3 * 20] = {0};
    sinew_cloud_binding_desc desc = sinew_cloud_binding_desc_default();
    desc.skeleton = s, desc.positions = positions, desc.point_count = 20;
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++) {
        positions[3 * 17 + k] = bad[k];
        sinew_cloud_binding *binding;
        sinew_error error;
        assert_result(sinew_cloud_binding_create(&desc, &binding, &error), SINEW_ERROR_NOT_FINITE);
        assert_null(binding);
        assert_string_equal(error.path, "positions[17]");
        positions[3 * 17 + k] = 0;
    }
    sinew_mat4 model[2] = {sinew_mat4_identity(), sinew_mat4_identity()};
    model[1].m[13] = NAN;
    desc.model = model;
    sinew_cloud_binding *binding;
    sinew_error error;
    assert_result(sinew_cloud_binding_create(&desc, &binding, &error), SINEW_ERROR_NOT_FINITE);
    assert_null(binding);
    assert_string_equal(error.path, "j1");
    sinew_skeleton_destroy(s);
}

static void wrong_given_bindings_are_refused(void **state)
{
    (void)state;
    const uint16_t joints[4] = {0, 1, 2, 1};
    const float weights[4] = {1, 0, 0.5f, 0.5f};
    const sinew_cloud_explicit_desc good = {.point_count = 2,
                                            .joint_count = 2,
                                            .influence_count = 2,
                                            .joints = joints,
                                            .weights = weights};
    sinew_cloud_binding *binding;
    sinew_error error;
    assert_result(sinew_cloud_binding_create_explicit(&good, &binding, &error),
                  SINEW_ERROR_VERTEX_JOINT_RANGE); // joint 2 of 2
    assert_null(binding);
    assert_string_equal(error.path, "joints[1]");
    sinew_cloud_explicit_desc desc = good;
    desc.weights = (float[]){1, 0, 0, 0}; // rigid to a first joint that there is not
    assert_result(sinew_cloud_binding_create_explicit(&desc, &binding, &error),
                  SINEW_ERROR_VERTEX_JOINT_RANGE);
    for (int i = 0; i < 6; i++) {
        desc = good;
        desc.joint_count = 3;
        switch (i) {
        case 0:
            desc.joint_count = 0;
            break;
        case 1:
            desc.joint_count = 65536;
            break;
        case 2:
            desc.influence_count = 0;
            break;
        case 3:
            desc.influence_count = 5;
            break;
        case 4:
            desc.joints = NULL;
            break;
        default:
            desc.weights = NULL;
            break;
        }
        assert_result(sinew_cloud_binding_create_explicit(&desc, &binding, NULL),
                      SINEW_ERROR_INVALID_ARGUMENT);
        assert_null(binding);
    }
    assert_result(sinew_cloud_binding_create_explicit(NULL, &binding, NULL),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_cloud_binding_create_explicit(&good, NULL, NULL),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_cloud_binding_create_rigid(1, 2, 2, NULL, &binding, NULL),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_cloud_binding_create_rigid(1, 0, 0, NULL, &binding, NULL),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_cloud_binding_create_rigid(1, 2, 0, NULL, NULL, NULL),
                  SINEW_ERROR_INVALID_ARGUMENT);
}

// ---- Memory -------------------------------------------------------------------------------------

typedef sinew_result (*cloud_maker)(const sinew_skeleton *s, const sinew_allocator *allocator,
                                    void **out);

static sinew_result make_bound(const sinew_skeleton *s, const sinew_allocator *allocator,
                               void **out)
{
    static const float positions[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    static const uint32_t point_groups[3] = {1, 0, 7};
    static const uint16_t first[1] = {0};
    static const sinew_cloud_group groups[2] = {{first, 1}, {NULL, 0}};
    sinew_cloud_binding_desc desc = sinew_cloud_binding_desc_default();
    desc.skeleton = s, desc.positions = positions, desc.point_count = 3, desc.falloff = 1;
    desc.point_groups = point_groups, desc.groups = groups, desc.group_count = 2;
    desc.allocator = *allocator;
    return sinew_cloud_binding_create(&desc, (sinew_cloud_binding **)out, NULL);
}

static sinew_result make_given(const sinew_skeleton *s, const sinew_allocator *allocator,
                               void **out)
{
    static const uint16_t joints[3] = {1, 0, 1};
    (void)s;
    const sinew_cloud_explicit_desc desc = {.point_count = 3,
                                            .joint_count = 2,
                                            .influence_count = 1,
                                            .joints = joints,
                                            .allocator = *allocator};
    return sinew_cloud_binding_create_explicit(&desc, (sinew_cloud_binding **)out, NULL);
}

static sinew_result make_rigid(const sinew_skeleton *s, const sinew_allocator *allocator,
                               void **out)
{
    (void)s;
    return sinew_cloud_binding_create_rigid(3, 2, 1, allocator, (sinew_cloud_binding **)out, NULL);
}

static sinew_result make_skin(const sinew_skeleton *s, const sinew_allocator *allocator, void **out)
{
    return sinew_cloud_make_skin(s, NULL, allocator, (sinew_skin **)out, NULL);
}

static void every_allocation_may_fail_and_nothing_is_left(void **state)
{
    (void)state;
    sinew_skeleton *s = stand((int32_t[]){-1, 0}, (const float[][3]){{0, 0, 0}, {0, 1, 0}}, 2);
    const cloud_maker makers[] = {make_bound, make_given, make_rigid, make_skin};
    for (int i = 0; i < 4; i++) {
        sinew_result result = SINEW_ERROR_OUT_OF_MEMORY;
        for (size_t fail_at = 1; result != SINEW_OK; fail_at++) {
            counting_allocator counter = {.fail_at = fail_at};
            const sinew_allocator allocator = counting_allocator_use(&counter);
            void *thing = &counter;
            result = makers[i](s, &allocator, &thing);
            if (result != SINEW_OK) {
                assert_result(result, SINEW_ERROR_OUT_OF_MEMORY);
                assert_null(thing);
                assert_int_equal(counter.call_count >= fail_at, 1);
            } else if (i == 3) {
                sinew_skin_destroy(thing);
            } else {
                sinew_cloud_binding_destroy(thing);
            }
            assert_int_equal(counter.live_count, 0);
            assert_int_equal(counter.fault_count, 0);
            assert_in_range(fail_at, 1, 30);
        }
    }
    sinew_skeleton_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_joint_reaches_to_each_of_its_children),
        cmocka_unit_test(a_stub_goes_on_for_less_than_half_the_way),
        cmocka_unit_test(a_short_stub_has_a_millimetre_to_go_by),
        cmocka_unit_test(a_stub_without_a_direction_goes_up),
        cmocka_unit_test(a_joint_without_parent_and_children_has_a_stub_of_its_own),
        cmocka_unit_test(very_short_segments_are_points),
        cmocka_unit_test(joints_stand_where_the_model_says),
        cmocka_unit_test(a_branching_joint_is_not_its_own_second),
        cmocka_unit_test(falloff_is_where_the_second_lets_go),
        cmocka_unit_test(of_equal_ones_the_lower_index_comes_first),
        cmocka_unit_test(missing_joints_repeat_the_first),
        cmocka_unit_test(one_to_four_joints_share_a_point),
        cmocka_unit_test(no_joints_give_joint_0),
        cmocka_unit_test(no_points_are_a_binding),
        cmocka_unit_test(very_far_points_follow_a_joint_that_they_may),
        cmocka_unit_test(a_group_chooses_its_joints),
        cmocka_unit_test(random_points_are_bound_as_every_segment_says),
        cmocka_unit_test(threads_and_instruction_sets_change_nothing),
        cmocka_unit_test(given_bindings_are_taken_and_normalised),
        cmocka_unit_test(the_heaviest_is_dominant_and_weights_may_be_left_out),
        cmocka_unit_test(a_rigid_binding_is_all_on_one_joint),
        cmocka_unit_test(colours_are_mixed_by_weight),
        cmocka_unit_test(a_skin_of_all_joints_rests),
        cmocka_unit_test(a_binding_holds_joints_and_weights_alone),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(numbers_that_are_not_finite_are_named),
        cmocka_unit_test(wrong_given_bindings_are_refused),
        cmocka_unit_test(every_allocation_may_fail_and_nothing_is_left),
    };
    return TEST_RUN(tests);
}
