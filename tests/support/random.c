// SPDX-License-Identifier: MIT
// Seeded random numbers, skeletons, clips and meshes.
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test_main.h"

uint64_t test_seed(void)
{
    const char *text = getenv("SINEW_TEST_SEED");
    return text != NULL ? strtoull(text, NULL, 0) : 20240917u;
}

uint64_t test_random_bits(test_random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

test_random test_random_make(uint64_t salt)
{
    test_random random = {test_seed()};
    random.state = test_random_bits(&random) ^ (salt * 0xd1342543de82ef95u);
    return random;
}

uint32_t test_random_below(test_random *random, uint32_t count)
{
    return (uint32_t)((test_random_bits(random) >> 32) * count >> 32);
}

float test_random_float(test_random *random, float low, float high)
{
    float unit = (float)(test_random_bits(random) >> 40) / 16777216.0f;
    float x = low + (high - low) * unit;
    return x < high ? x : low;
}

sinew_vec3 test_random_vec3(test_random *random, float low, float high)
{
    float x = test_random_float(random, low, high);
    float y = test_random_float(random, low, high);
    float z = test_random_float(random, low, high);
    return sinew_vec3_make(x, y, z);
}

// Points of the unit ball of four dimensions, pushed out to its surface.
sinew_quat test_random_quat(test_random *random)
{
    for (;;) {
        double q[4], square = 0.0;
        for (int i = 0; i < 4; i++) {
            q[i] = test_random_float(random, -1.0f, 1.0f);
            square += q[i] * q[i];
        }
        if (square > 1.0 || square < 0.01)
            continue;
        double inverse = 1.0 / sqrt(square);
        return sinew_quat_make((float)(q[0] * inverse), (float)(q[1] * inverse),
                               (float)(q[2] * inverse), (float)(q[3] * inverse));
    }
}

sinew_transform test_random_transform(test_random *random)
{
    sinew_transform t;
    t.translation = test_random_vec3(random, -1.0f, 1.0f);
    t.rotation = test_random_quat(random);
    t.scale = test_random_vec3(random, 0.5f, 1.5f);
    return t;
}

static void *test_memory(size_t count, size_t size)
{
    void *memory = calloc(count == 0 ? 1 : count, size);
    if (memory == NULL) {
        fprintf(stderr, "no memory for test data\n");
        abort();
    }
    return memory;
}

// ---- Skeletons ----------------------------------------------------------------------------------

sinew_skeleton *test_skeleton_of(const sinew_joint_desc *joints, uint32_t count)
{
    sinew_skeleton_desc desc = sinew_skeleton_desc_default();
    desc.joints = joints, desc.joint_count = count;
    sinew_skeleton *skeleton = NULL;
    assert_ok(sinew_skeleton_create(&desc, &skeleton, NULL));
    return skeleton;
}

test_rig test_rig_random(test_random *random, uint32_t joint_count, test_rig_kind kind)
{
    test_rig rig = {.joint_count = joint_count};
    rig.joints = test_memory(joint_count, sizeof *rig.joints);
    rig.names = test_memory(joint_count, sizeof *rig.names);
    // Joint k of the tree stands at place[k] of the given array, so parents may well come after
    // their children.
    uint32_t *place = test_memory(joint_count, sizeof *place);
    for (uint32_t i = 0; i < joint_count; i++)
        place[i] = i;
    for (uint32_t i = joint_count; i > 1; i--) {
        uint32_t other = test_random_below(random, i);
        uint32_t swap = place[i - 1];
        place[i - 1] = place[other], place[other] = swap;
    }
    uint32_t root_count = 1 + test_random_below(random, 3);
    for (uint32_t k = 0; k < joint_count; k++) {
        uint32_t at = place[k];
        sinew_joint_desc *joint = &rig.joints[at];
        snprintf(rig.names[at], sizeof rig.names[at], "joint %u", at);
        joint->name = rig.names[at];
        joint->node = (int32_t)(2 * at + 5);
        joint->rest = test_random_transform(random);
        if (k < root_count)
            joint->parent = -1;
        else if (test_random_below(random, 2) == 0)
            joint->parent = (int32_t)place[k - 1];
        else
            joint->parent = (int32_t)place[test_random_below(random, k)];
        if (kind == TEST_RIG_ACCUMULATE)
            joint->scale_rule = SINEW_SCALE_ACCUMULATE;
        else if (kind == TEST_RIG_MIXED && test_random_below(random, 2) == 0)
            joint->scale_rule = SINEW_SCALE_COMPENSATE;
        else if (kind == TEST_RIG_SHEARED && k % 3 == 0)
            joint->shear = test_random_vec3(random, -0.5f, 0.5f);
    }
    free(place);
    rig.skeleton = test_skeleton_of(rig.joints, joint_count);
    return rig;
}

void test_rig_free(test_rig *rig)
{
    sinew_skeleton_destroy(rig->skeleton);
    free(rig->names);
    free(rig->joints);
}

sinew_pose test_pose_at_rest(const sinew_skeleton *skeleton)
{
    sinew_pose pose;
    uint32_t joint_count = sinew_skeleton_joint_count(skeleton);
    size_t size = sinew_pose_size(joint_count);
    assert_ok(sinew_pose_init(&pose, joint_count, test_block(size), size));
    assert_ok(sinew_pose_set_rest(&pose, skeleton));
    return pose;
}

sinew_pose test_pose_random(test_random *random, const sinew_skeleton *skeleton)
{
    sinew_pose pose = test_pose_at_rest(skeleton);
    for (uint32_t j = 0; j < pose.joint_count; j++) {
        sinew_transform t = test_random_transform(random);
        sinew_pose_set(&pose, j, &t);
    }
    return pose;
}

void test_pose_free(sinew_pose *pose)
{
    test_block_free(pose->planes);
    pose->planes = NULL;
}

// ---- Clips --------------------------------------------------------------------------------------

enum { TEST_KEYS_MAX = 12, TEST_TARGETS = 3 };

// The components of a rotation key stay within 1.2 rad of the last one's, so that a spline between
// them keeps away from 0, where its direction would hang on the last bit.
static sinew_quat test_next_rotation(test_random *random, sinew_quat last)
{
    sinew_vec3 axis =
        sinew_vec3_normalize(test_random_vec3(random, -1.0f, 1.0f), sinew_vec3_make(1, 0, 0));
    double half = 0.5 * test_random_float(random, -1.2f, 1.2f), s = sin(half);
    sinew_quat turn = {(float)(s * axis.x), (float)(s * axis.y), (float)(s * axis.z),
                       (float)cos(half)};
    return sinew_quat_normalize(sinew_quat_mul(last, turn));
}

static void test_fill_track(test_random *random, sinew_track *track, int32_t node,
                            const char *node_name, sinew_property property, float seconds,
                            float *times, float *values)
{
    track->node = node;
    track->node_name = node_name;
    track->property = property;
    track->interpolation = (sinew_interpolation)test_random_below(random, 3);
    track->component_count = property == SINEW_PROPERTY_ROTATION  ? 4
                             : property == SINEW_PROPERTY_WEIGHTS ? TEST_TARGETS
                                                                  : 3;
    track->key_count = 1 + test_random_below(random, TEST_KEYS_MAX);
    track->times = times;
    track->values = values;
    float time =
        test_random_below(random, 3) == 0 ? test_random_float(random, 0.0f, seconds * 0.3f) : 0.0f;
    sinew_quat rotation = test_random_quat(random);
    for (uint32_t k = 0; k < track->key_count; k++) {
        times[k] = time;
        if (test_random_below(random, 6) != 0) // else the next key stands at the same time: a jump
            time += test_random_float(random, 0.01f, seconds / TEST_KEYS_MAX);
        rotation = test_next_rotation(random, rotation);
        const float r[4] = {rotation.x, rotation.y, rotation.z, rotation.w};
        uint32_t elements = track->interpolation == SINEW_INTERPOLATION_CUBIC ? 3 : 1;
        for (uint32_t e = 0; e < elements; e++) {
            bool tangent = elements == 3 && e != 1;
            for (uint32_t c = 0; c < track->component_count; c++) {
                float *value = &values[(k * elements + e) * track->component_count + c];
                if (tangent)
                    *value = test_random_float(random, -0.5f, 0.5f);
                else if (property == SINEW_PROPERTY_ROTATION)
                    *value = r[c];
                else
                    *value = test_random_float(random, 0.25f, 2.0f);
            }
        }
    }
}

sinew_clip *test_clip_random(test_random *random, const sinew_skeleton *skeleton, float seconds)
{
    uint32_t joint_count = sinew_skeleton_joint_count(skeleton);
    const int32_t *nodes = sinew_skeleton_nodes(skeleton);
    uint32_t most = joint_count * 4 + 2, count = 0;
    size_t room = (size_t)TEST_KEYS_MAX * 3 * 4;
    sinew_track *tracks = test_memory(most, sizeof *tracks);
    float *times = test_memory(most, TEST_KEYS_MAX * sizeof *times);
    float *values = test_memory(most, room * sizeof *values);
    for (uint32_t j = 0; j < joint_count; j++)
        for (int property = 0; property < SINEW_PROPERTY_COUNT; property++) {
            bool rare = property == SINEW_PROPERTY_WEIGHTS;
            if (test_random_below(random, rare ? 8 : 3) >= (rare ? 1u : 2u))
                continue;
            test_fill_track(random, &tracks[count], nodes[j],
                            sinew_skeleton_joint_name(skeleton, j), (sinew_property)property,
                            seconds, times + count * (size_t)TEST_KEYS_MAX, values + count * room);
            count++;
        }
    for (int stranger = 0; stranger < 2; stranger++) {
        test_fill_track(random, &tracks[count], 1000000 + stranger, "stranger",
                        stranger == 0 ? SINEW_PROPERTY_ROTATION : SINEW_PROPERTY_TRANSLATION,
                        seconds, times + count * (size_t)TEST_KEYS_MAX, values + count * room);
        count++;
    }
    sinew_clip_desc desc = sinew_clip_desc_default();
    desc.name = "random";
    desc.tracks = tracks;
    desc.track_count = count;
    sinew_clip *clip = NULL;
    assert_ok(sinew_clip_create(&desc, &clip, NULL));
    free(values);
    free(times);
    free(tracks);
    return clip;
}

// ---- Meshes -------------------------------------------------------------------------------------

test_mesh test_mesh_random(test_random *random, uint32_t vertex_count, uint32_t influence_count,
                           uint32_t slot_count)
{
    test_mesh mesh = {.vertex_count = vertex_count, .influence_count = influence_count};
    mesh.positions = test_memory(vertex_count, 3 * sizeof(float));
    mesh.normals = test_memory(vertex_count, 3 * sizeof(float));
    mesh.tangents = test_memory(vertex_count, 4 * sizeof(float));
    mesh.joints = test_memory((size_t)vertex_count * influence_count, sizeof(uint16_t));
    mesh.weights = test_memory((size_t)vertex_count * influence_count, sizeof(float));
    for (uint32_t v = 0; v < vertex_count; v++) {
        sinew_vec3 position = test_random_vec3(random, -2.0f, 2.0f);
        sinew_vec3 normal =
            sinew_vec3_normalize(test_random_vec3(random, -1.0f, 1.0f), sinew_vec3_make(0, 1, 0));
        sinew_vec3 tangent =
            sinew_vec3_normalize(test_random_vec3(random, -1.0f, 1.0f), sinew_vec3_make(1, 0, 0));
        memcpy(mesh.positions + 3 * (size_t)v, &position, sizeof position);
        memcpy(mesh.normals + 3 * (size_t)v, &normal, sizeof normal);
        memcpy(mesh.tangents + 4 * (size_t)v, &tangent, sizeof tangent);
        mesh.tangents[4 * (size_t)v + 3] = test_random_below(random, 2) == 0 ? 1.0f : -1.0f;
        float *weights = mesh.weights + (size_t)v * influence_count, sum = 0.0f;
        for (uint32_t i = 0; i < influence_count; i++) {
            mesh.joints[(size_t)v * influence_count + i] =
                (uint16_t)test_random_below(random, slot_count);
            weights[i] = test_random_below(random, 4) == 0 && i > 0
                             ? 0.0f
                             : test_random_float(random, 0.05f, 1.0f);
            sum += weights[i];
        }
        for (uint32_t i = 0; i < influence_count; i++)
            weights[i] /= sum;
    }
    return mesh;
}

void test_mesh_free(test_mesh *mesh)
{
    free(mesh->positions);
    free(mesh->normals);
    free(mesh->tangents);
    free(mesh->joints);
    free(mesh->weights);
}
