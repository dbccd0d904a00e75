// SPDX-License-Identifier: MIT
// The seated figure: what its header promises.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sinew/sinew.h"
#include "sinew_fixtures.h"
#include "support/closed_mesh.h"
#include "support/test_main.h"

static sinew_document *make_seated(void)
{
    sinew_document *d;
    assert_ok(sinew_fixture_seated(NULL, &d));
    return d;
}

// How much of a vertex's weight is of joints whose names begin so. Slots are nodes.
static float share_of(const sinew_document *d, const sinew_primitive *p, size_t v,
                      const char *const *names)
{
    float sum = 0.0f;
    for (uint32_t k = 0; k < p->influence_count; k++) {
        const char *joint = d->nodes[p->joints[v * p->influence_count + k]].name;
        for (int n = 0; names[n]; n++)
            if (strncmp(joint, names[n], strlen(names[n])) == 0)
                sum += p->weights[v * p->influence_count + k];
    }
    return sum;
}

static const char *const hand_names[] = {"hand", "fingers", NULL};
static const char *const lower_names[] = {"forearm", "hand", "fingers", NULL};
static const char *const thigh_names[] = {"thigh", NULL};

static void it_has_what_it_promises(void **state)
{
    (void)state;
    sinew_document *d = make_seated();
    assert_string_equal(d->file, "@seated");
    assert_int_equal(d->finding_count, 0);
    assert_int_equal(d->rig_count, 1);
    assert_int_equal(d->instance_count, 2);
    sinew_skeleton *skeleton;
    assert_ok(sinew_document_rig_skeleton(d, 0, NULL, &skeleton, NULL));
    static const char *const names[] = {"root",      "pelvis", "spine",      "chest",
                                        "neck",      "head",   "thigh_l",    "shin_r",
                                        "foot_l",    "toes_r", "clavicle_l", "upper_arm_r",
                                        "forearm_l", "hand_r", "fingers_l",  "fingers_r"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_true(sinew_skeleton_find_joint(skeleton, names[i]) >= 0);
    for (uint32_t j = 0; j < sinew_skeleton_joint_count(skeleton); j++) {
        const sinew_quat q = sinew_skeleton_rest(skeleton)[j].rotation;
        assert_true(q.x == 0.0f && q.y == 0.0f && q.z == 0.0f && q.w == 1.0f);
    }
    sinew_skeleton_destroy(skeleton);
    float low = FLT_MAX, high = -FLT_MAX;
    for (uint32_t m = 0; m < 2; m++) {
        const sinew_primitive *p = &d->meshes[m].primitives[0];
        test_check_closed(p);
        test_check_normals(p);
        assert_true(d->instances[m].skinned);
        assert_int_equal(d->instances[m].rest.kind, SINEW_REST_IDENTITY);
        for (size_t v = 0; v < p->vertex_count; v++) {
            low = fminf(low, p->positions[3 * v + 1]);
            high = fmaxf(high, p->positions[3 * v + 1]);
        }
    }
    assert_near(low, 0.0, 1e-3);
    assert_near(high, 1.36, 0.01);
    sinew_document_destroy(d);
}

// Weights sum to 1, stay on their side, and those of the lower arm are the lower arm's alone: what
// is nearer to a thigh's axis than its flesh is thick has none.
static void weights_keep_hands_and_thighs_apart(void **state)
{
    (void)state;
    sinew_document *d = make_seated();
    const sinew_primitive *p = &d->meshes[0].primitives[0];
    uint32_t hands = 0, thighs = 0;
    for (size_t v = 0; v < p->vertex_count; v++) {
        float sum = 0.0f;
        for (uint32_t k = 0; k < p->influence_count; k++) {
            const float weight = p->weights[v * p->influence_count + k];
            const char *joint = d->nodes[p->joints[v * p->influence_count + k]].name;
            const size_t length = strlen(joint);
            sum += weight;
            if (weight > 0.0f && strstr(joint, "arm") && length > 2)
                assert_true(joint[length - 1] == (p->positions[3 * v] > 0.0f ? 'l' : 'r'));
        }
        assert_near(sum, 1.0, 1e-6);
        const float lower = share_of(d, p, v, lower_names), thigh = share_of(d, p, v, thigh_names);
        assert_true(lower == 0.0f || thigh == 0.0f);
        hands += lower > 0.9f;
        thighs += thigh > 0.9f;
    }
    assert_true(hands > 500 && thighs > 1000);
    sinew_document_destroy(d);
}

// Vertices of each hand against those of the thighs. Nets are within a fraction of a millimetre of
// the shapes here, but vertices do not stand opposite each other: up to a step of 9.5 mm beside,
// which makes ways longer, never shorter: sqrt(18^2 + 7^2) = 19.3.
static void little_air_is_below_the_hands(void **state)
{
    (void)state;
    sinew_document *d = make_seated();
    const sinew_primitive *p = &d->meshes[0].primitives[0];
    float least[2] = {FLT_MAX, FLT_MAX};
    for (size_t v = 0; v < p->vertex_count; v++) {
        if (share_of(d, p, v, hand_names) < 0.9f)
            continue;
        float *of_side = &least[p->positions[3 * v] > 0.0f];
        for (size_t w = 0; w < p->vertex_count; w++) {
            if (share_of(d, p, w, thigh_names) < 0.5f)
                continue;
            const float x = p->positions[3 * v] - p->positions[3 * w],
                        y = p->positions[3 * v + 1] - p->positions[3 * w + 1],
                        z = p->positions[3 * v + 2] - p->positions[3 * w + 2];
            *of_side = fminf(*of_side, sqrtf(x * x + y * y + z * z));
        }
    }
    for (int side = 0; side < 2; side++)
        assert_true(least[side] > 0.012f && least[side] < 0.0193f);
    sinew_document_destroy(d);
}

static void it_lifts_its_left_hand(void **state)
{
    (void)state;
    sinew_document *d = make_seated();
    sinew_skeleton *skeleton;
    sinew_clip_binding *binding;
    assert_ok(sinew_document_rig_skeleton(d, 0, NULL, &skeleton, NULL));
    const uint32_t joints = sinew_skeleton_joint_count(skeleton);
    const int32_t left = sinew_skeleton_find_joint(skeleton, "fingers_l"),
                  right = sinew_skeleton_find_joint(skeleton, "fingers_r"),
                  clip = sinew_document_find_clip(d, "lift");
    assert_true(left >= 0 && right >= 0 && clip == 0);
    assert_near(sinew_clip_duration(d->clips[0]), 2.0, 1e-6);
    sinew_clip_binding_desc desc = sinew_clip_binding_desc_default();
    desc.clip = d->clips[0];
    desc.skeleton = skeleton;
    assert_ok(sinew_clip_binding_create(&desc, &binding));
    void *block = test_block(sinew_pose_size(joints));
    sinew_pose pose;
    sinew_mat4 *model = calloc(joints, sizeof *model);
    assert_non_null(model);
    assert_ok(sinew_pose_init(&pose, joints, block, sinew_pose_size(joints)));
    const double times[] = {0.0, 0.8, 1.0, 1.2, 2.0};
    float heights[5];
    for (int i = 0; i < 5; i++) {
        assert_ok(sinew_clip_sample(
            &(sinew_sample_args){.binding = binding, .time = times[i], .out_pose = &pose}));
        assert_ok(sinew_local_to_model(&(sinew_local_to_model_args){
            .skeleton = skeleton, .pose = &pose, .out_model = model, .out_count = joints}));
        heights[i] = model[left].m[13];
        assert_memory_equal(&model[right], &sinew_skeleton_rest_model(skeleton)[right],
                            sizeof *model);
    }
    assert_near(heights[0], 0.643, 1e-6); // as at rest
    assert_true(heights[1] > heights[0] + 0.25f);
    assert_near(heights[2], heights[1], 1e-6); // it stays
    assert_near(heights[3], heights[1], 1e-6);
    assert_near(heights[4], heights[0], 1e-6);
    free(model);
    test_block_free(block);
    sinew_clip_binding_destroy(binding);
    sinew_skeleton_destroy(skeleton);
    sinew_document_destroy(d);
}

// FNV-1a over the positions and weights of both meshes: the same with every compiler and on every
// machine.
static void it_has_the_same_bytes_everywhere(void **state)
{
    (void)state;
    sinew_document *d = make_seated();
    uint64_t hash = 0xcbf29ce484222325u;
    for (uint32_t m = 0; m < 2; m++) {
        const sinew_primitive *p = &d->meshes[m].primitives[0];
        const float *lists[3] = {p->positions, p->normals, p->weights};
        const size_t widths[3] = {3, 3, p->influence_count};
        for (int l = 0; l < 3; l++)
            for (size_t i = 0; i < p->vertex_count * widths[l]; i++) {
                uint32_t bits;
                memcpy(&bits, lists[l] + i, sizeof bits);
                for (int b = 0; b < 4; b++)
                    hash = (hash ^ (bits >> (8 * b) & 0xFF)) * 0x100000001b3u;
            }
    }
    if (hash != 0x4afea58e0d3fdf52u)
        fail_msg("the hash is 0x%llx", (unsigned long long)hash);
    sinew_document_destroy(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_has_what_it_promises),
        cmocka_unit_test(weights_keep_hands_and_thighs_apart),
        cmocka_unit_test(little_air_is_below_the_hands),
        cmocka_unit_test(it_lifts_its_left_hand),
        cmocka_unit_test(it_has_the_same_bytes_everywhere),
    };
    return TEST_RUN(tests);
}
