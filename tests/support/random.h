// SPDX-License-Identifier: MIT
// Random numbers that can be had again (splitmix64 by Sebastiano Vigna, public domain algorithm),
// and random skeletons, clips and meshes made of them. SINEW_TEST_SEED sets the seed of the whole
// program; a failure prints it.
#ifndef SINEW_TESTS_RANDOM_H
#define SINEW_TESTS_RANDOM_H

#include "sinew/sinew.h"

typedef struct test_random {
    uint64_t state;
} test_random;

/// The seed of this run.
uint64_t test_seed(void);
/// A generator of its own for each test and round: `salt` keeps them apart.
test_random test_random_make(uint64_t salt);
uint64_t test_random_bits(test_random *random);
/// 0 ... count - 1; count is at least 1.
uint32_t test_random_below(test_random *random, uint32_t count);
/// low <= x < high, in steps that a float can hold.
float test_random_float(test_random *random, float low, float high);
sinew_vec3 test_random_vec3(test_random *random, float low, float high);
/// Uniform over all rotations; a unit quaternion to float accuracy.
sinew_quat test_random_quat(test_random *random);
/// Translation within 1, any rotation, scale 0.5 ... 1.5.
sinew_transform test_random_transform(test_random *random);

// ---- Skeletons ----------------------------------------------------------------------------------

/// A skeleton of these joints, which must be good.
sinew_skeleton *test_skeleton_of(const sinew_joint_desc *joints, uint32_t count);

typedef enum test_rig_kind {
    TEST_RIG_INHERIT,
    TEST_RIG_ACCUMULATE,
    TEST_RIG_MIXED,  ///< INHERIT and COMPENSATE
    TEST_RIG_SHEARED ///< INHERIT, and every third joint has shear
} test_rig_kind;

typedef struct test_rig {
    sinew_joint_desc *joints; ///< as given to create: in a random order, node = 2 * index + 5
    char (*names)[16];        ///< "joint <index>"
    uint32_t joint_count;
    sinew_skeleton *skeleton;
} test_rig;

/// One to three roots, chains and fans mixed.
test_rig test_rig_random(test_random *random, uint32_t joint_count, test_rig_kind kind);
void test_rig_free(test_rig *rig);

/// A pose on a block of its own, filled with random transforms near the rest ones.
sinew_pose test_pose_random(test_random *random, const sinew_skeleton *skeleton);
/// The same, at rest.
sinew_pose test_pose_at_rest(const sinew_skeleton *skeleton);
void test_pose_free(sinew_pose *pose);

// ---- Clips --------------------------------------------------------------------------------------

/// Tracks of all kinds on about two thirds of the skeleton's nodes, a few on nodes that it lacks
/// (negative ones), and morph weights; 1 ... 12 keys each within `seconds`, some of them jumps.
sinew_clip *test_clip_random(test_random *random, const sinew_skeleton *skeleton, float seconds);

// ---- Meshes -------------------------------------------------------------------------------------

typedef struct test_mesh {
    uint32_t vertex_count, influence_count;
    float *positions, *normals,
        *tangents; // 3, 3 and 4 a vertex; unit normals and tangents, w is 1 or -1
    uint16_t *joints;
    float *weights; // sum to 1 as floats do; some are 0
} test_mesh;

test_mesh test_mesh_random(test_random *random, uint32_t vertex_count, uint32_t influence_count,
                           uint32_t slot_count);
void test_mesh_free(test_mesh *mesh);

#endif
