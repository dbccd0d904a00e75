// SPDX-License-Identifier: MIT
// Assets of all kinds from the built-in characters, made once: what threads share, and what calls
// are misused with.
#ifndef SINEW_TESTS_SHARED_STAGE_H
#define SINEW_TESTS_SHARED_STAGE_H

#include "sinew/bvh.h"
#include "sinew/document.h"
#include "sinew/gltf.h"
#include "sinew/sinew.h"
#include "sinew/stream_pack.h"

#include "sinew_fixtures.h"

enum { SHARED_POINTS = 600, SHARED_JOINTS = 48 };

typedef struct shared_stage {
    sinew_document *creature, *cub;
    sinew_stream_pack *bird;
    sinew_skeleton *skeleton, *cub_skeleton;
    uint32_t joint_count;
    sinew_clip_binding *walk, *jump;
    sinew_runtime_bytes bytes; // of the walk
    sinew_runtime_clip *runtime;
    sinew_clip_library *library;
    sinew_skin *skin;                 // of all joints
    const sinew_primitive *primitive; // of the body
    sinew_skin *body_skin;            // of the body's own slots
    sinew_mesh_binding *mesh;
    sinew_skin_bounds *bounds;
    sinew_fixture_cloud *points;
    sinew_cloud_binding *cloud;
    sinew_cloud_body *body;
    sinew_surface_binding *surface; // of the points on the primitive
    sinew_set_file *sets;
    sinew_set_binding *set_binding;
    sinew_mirror *mirror;
    sinew_retarget *map; // onto the cub
    sinew_root_motion *motion;
    sinew_model_frames *frames;
    sinew_joint_springs *springs;
    sinew_leash_model *leash;
} shared_stage;

/// Everything; a failure ends the test.
void shared_stage_make(shared_stage *stage);
void shared_stage_free(shared_stage *stage);

/// FNV-1a over bytes, going on from `hash`; begin with 0.
uint64_t shared_hash(uint64_t hash, const void *bytes, size_t size);

#endif
