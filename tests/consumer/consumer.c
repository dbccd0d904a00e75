// SPDX-License-Identifier: MIT
// What a program that uses Sinew looks like from outside, in the common part of C and C++: a
// skeleton of two joints, posed by hand, and model matrices. Returns 0 where the library answers as
// the arithmetic below says.
//
// Compiled in every way in which Sinew can be had: package, subdirectory, pkg-config, single file,
// C and C++.
#ifdef SINEW_SINGLE_FILE
#include "sinew.h"
#else
#include <sinew/gltf.h>
#include <sinew/sinew.h>
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed(const char *what)
{
    fprintf(stderr, "consumer: %s\n", what);
    return 1;
}

static int near_to(float a, float b)
{
    return fabsf(a - b) < 1e-6f;
}

int main(void)
{
    if (sinew_version() != SINEW_VERSION)
        return failed("the library is not the headers' version");

    // A root, and one joint 2 m above it.
    sinew_joint_desc joints[2];
    memset(joints, 0, sizeof joints);
    for (int i = 0; i < 2; i++) {
        joints[i].parent = i - 1;
        joints[i].node = -1;
        joints[i].rest.rotation.w = 1.0f;
        joints[i].rest.scale = sinew_vec3_make(1.0f, 1.0f, 1.0f);
    }
    joints[0].name = "root";
    joints[1].name = "tip";
    joints[1].rest.translation = sinew_vec3_make(0.0f, 2.0f, 0.0f);

    sinew_skeleton_desc desc = sinew_skeleton_desc_default();
    desc.joints = joints;
    desc.joint_count = 2;
    sinew_skeleton *skeleton = NULL;
    sinew_error error;
    if (sinew_skeleton_create(&desc, &skeleton, &error) != SINEW_OK)
        return failed(error.message);

    // Poses want 64-byte alignment: taken from a larger block, which C and C++ both have.
    size_t size = sinew_pose_size(2);
    char *block = (char *)malloc(size + 64);
    if (!block)
        return failed("no memory");
    sinew_pose pose;
    if (sinew_pose_init(&pose, 2, block + (64 - (uintptr_t)block % 64), size) != SINEW_OK)
        return failed("sinew_pose_init");
    if (sinew_pose_set_rest(&pose, skeleton) != SINEW_OK)
        return failed("sinew_pose_set_rest");

    // A quarter turn of the root about +Z takes the tip from (0, 2, 0) to (-2, 0, 0).
    sinew_transform root = sinew_pose_get(&pose, 0);
    root.rotation.z = root.rotation.w = sqrtf(0.5f);
    sinew_pose_set(&pose, 0, &root);

    sinew_mat4 model[2];
    sinew_local_to_model_args args;
    memset(&args, 0, sizeof args);
    args.skeleton = skeleton;
    args.pose = &pose;
    args.out_model = model;
    args.out_count = 2;
    if (sinew_local_to_model(&args) != SINEW_OK)
        return failed("sinew_local_to_model");
    const float *tip = &model[1].m[12];
    if (!near_to(tip[0], -2.0f) || !near_to(tip[1], 0.0f) || !near_to(tip[2], 0.0f))
        return failed("the tip is in the wrong place");
    free(block);
    sinew_skeleton_destroy(skeleton);

#ifndef SINEW_NO_IMPORT
    // The part that reads files is there too, and says what is wrong with this one.
    sinew_import_desc import = sinew_import_desc_default();
    sinew_document *document = NULL;
    if (sinew_gltf_read("{}", 2, &import, &document, &error) == SINEW_OK)
        return failed("an empty document was read as a glTF file");
#endif
    printf("sinew %s\n", SINEW_VERSION_STRING);
    return 0;
}
