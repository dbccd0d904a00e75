// SPDX-License-Identifier: MIT
// A character of the fixtures, posed.
#include <stdlib.h>
#include <string.h>

#include "wgsl/gpu_cases.h"

void gpu_actor_init(gpu_actor *actor, sinew_document *document)
{
    memset(actor, 0, sizeof *actor);
    actor->document = document;
    case_ok(sinew_document_rig_skeleton(document, 0, NULL, &actor->skeleton, NULL));
    case_ok(sinew_document_make_skin(document, 0, actor->skeleton, NULL, &actor->skin, NULL));
    const uint32_t joints = sinew_skeleton_joint_count(actor->skeleton);
    const size_t size = sinew_pose_size(joints);
    actor->pose_block = aligned_alloc(SINEW_BLOCK_ALIGN, size);
    case_must(actor->pose_block != NULL, "memory");
    case_ok(sinew_pose_init(&actor->pose, joints, actor->pose_block, size));
    actor->model = case_memory(joints, sizeof *actor->model);
    actor->joint_count = sinew_skin_joint_count(actor->skin);
    actor->palette = case_memory(actor->joint_count, sizeof *actor->palette);
}

void gpu_actor_pose(gpu_actor *actor, const char *clip, double time)
{
    const uint32_t joints = sinew_skeleton_joint_count(actor->skeleton);
    if (clip) {
        sinew_clip_binding *binding;
        const int32_t index = sinew_document_find_clip(actor->document, clip);
        case_must(index >= 0, clip);
        case_ok(sinew_clip_binding_create(
            &(sinew_clip_binding_desc){.clip = actor->document->clips[index],
                                       .skeleton = actor->skeleton},
            &binding));
        case_ok(sinew_clip_sample(
            &(sinew_sample_args){.binding = binding, .time = time, .out_pose = &actor->pose}));
        sinew_clip_binding_destroy(binding);
        case_ok(sinew_local_to_model(&(sinew_local_to_model_args){.skeleton = actor->skeleton,
                                                                  .pose = &actor->pose,
                                                                  .out_model = actor->model,
                                                                  .out_count = joints}));
    } else {
        memcpy(actor->model, sinew_skeleton_rest_model(actor->skeleton),
               joints * sizeof *actor->model);
    }
    sinew_skin_rest rest;
    case_ok(sinew_skin_find_rest(actor->skin, NULL, 1.0f, &rest));
    case_must(rest.kind == SINEW_REST_IDENTITY, "a fixture that rests at identity");
    case_ok(sinew_palette_build(&(sinew_palette_args){.skin = actor->skin,
                                                      .model = actor->model,
                                                      .model_count = joints,
                                                      .rest = &rest,
                                                      .out_palette = actor->palette,
                                                      .out_count = actor->joint_count,
                                                      .out_center = &actor->center}));
}

void gpu_actor_free(gpu_actor *actor)
{
    free(actor->model);
    free(actor->palette);
    free(actor->pose_block);
    sinew_skin_destroy(actor->skin);
    sinew_skeleton_destroy(actor->skeleton);
    sinew_document_destroy(actor->document);
}
