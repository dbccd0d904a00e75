// SPDX-License-Identifier: MIT
// A character from a file to skinned vertices, four frames of its first clip. Notice that nothing
// in the loop allocates, and that one palette would serve every mesh of the skin.
#include "extras/system.h"
#include "sinew/gltf.h"
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    sinew_error error;
    sinew_document *doc;
    if (argc < 2 || sinew_gltf_load(argv[1], NULL, &doc, &error) != SINEW_OK ||
        doc->skin_count == 0 || doc->instance_count == 0 || doc->instances[0].skin < 0 ||
        doc->clip_count == 0)
        return puts("usage: 01_skin_a_character MODEL (with a skin and a clip)"), 1;
    sinew_skeleton *skeleton;
    sinew_skin *skin;
    sinew_clip_binding *binding;
    sinew_document_rig_skeleton(doc, 0, NULL, &skeleton, NULL);
    sinew_document_make_skin(doc, (uint32_t)doc->instances[0].skin, skeleton, NULL, &skin, NULL);
    sinew_clip_binding_create(
        &(sinew_clip_binding_desc){.clip = doc->clips[0], .skeleton = skeleton}, &binding);
    uint32_t joints = sinew_skeleton_joint_count(skeleton), slots = sinew_skin_joint_count(skin);
    sinew_pose pose;
    sinew_mat3x4 center, *palette = malloc(slots * sizeof *palette);
    sinew_mat4 *model = malloc(joints * sizeof *model);
    sinew_pose_init(&pose, joints, sinew_aligned_alloc(sinew_pose_size(joints)),
                    sinew_pose_size(joints));
    const sinew_primitive *mesh = &doc->meshes[doc->instances[0].mesh].primitives[0];
    float *skinned = malloc(mesh->vertex_count * 3 * sizeof(float));
    for (double time = 0; time < 1; time += 0.25) { // a frame: nothing below allocates
        double local = sinew_wrap_time(time, sinew_clip_duration(doc->clips[0]), SINEW_WRAP_LOOP);
        sinew_clip_sample(
            &(sinew_sample_args){.binding = binding, .time = local, .out_pose = &pose});
        sinew_local_to_model(&(sinew_local_to_model_args){
            .skeleton = skeleton, .pose = &pose, .out_model = model, .out_count = joints});
        sinew_palette_build(&(sinew_palette_args){.skin = skin,
                                                  .model = model,
                                                  .model_count = joints,
                                                  .rest = &doc->instances[0].rest,
                                                  .out_palette = palette,
                                                  .out_count = slots,
                                                  .out_center = &center});
        sinew_skin_vertices(&(sinew_skin_args){.palette = palette,
                                               .palette_count = slots,
                                               .center = &center,
                                               .joints = mesh->joints,
                                               .weights = mesh->weights,
                                               .influence_count = mesh->influence_count,
                                               .vertex_count = mesh->vertex_count,
                                               .positions = mesh->positions,
                                               .out_positions = skinned,
                                               .out_size = mesh->vertex_count});
        printf("%.2f s: the first vertex is at %g %g %g\n", time, (double)skinned[0],
               (double)skinned[1], (double)skinned[2]);
    }
    free(skinned);
    free(model);
    free(palette);
    sinew_aligned_free(pose.planes);
    sinew_clip_binding_destroy(binding);
    sinew_skin_destroy(skin);
    sinew_skeleton_destroy(skeleton);
    sinew_document_destroy(doc);
    return 0;
}
