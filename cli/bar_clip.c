// SPDX-License-Identifier: MIT
// .bar files as skeletons and source clips.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bar_file.h"

// Joints are named by their numbers in the file.
sinew_result bar_file_skeleton(const bar_file *bar, sinew_skeleton **out, sinew_error *error)
{
    const uint32_t n = bar->joint_count;
    sinew_joint_desc *joints = calloc(n, sizeof *joints);
    char(*names)[12] = calloc(n, sizeof *names);
    sinew_result result = joints && names ? SINEW_OK : SINEW_ERROR_OUT_OF_MEMORY;
    for (uint32_t j = 0; j < n && result == SINEW_OK; j++) {
        const float *r = bar->rest + (size_t)BAR_CHANNELS * j;
        snprintf(names[j], sizeof names[j], "%u", j);
        joints[j].name = names[j];
        joints[j].parent = bar->parents[j];
        joints[j].node = (int32_t)j;
        joints[j].rest.translation = (sinew_vec3){r[0], r[1], r[2]};
        joints[j].rest.rotation = (sinew_quat){r[3], r[4], r[5], r[6]};
        joints[j].rest.scale = (sinew_vec3){r[7], r[8], r[9]};
    }
    if (result == SINEW_OK)
        result = sinew_skeleton_create(&(sinew_skeleton_desc){.joints = joints, .joint_count = n},
                                       out, error);
    free(joints);
    free(names);
    return result;
}

// Keys stand at floats, and samples at i / rate, which is none: each sample becomes two keys, the
// floats on either side of its time, so that at its time it is as it is in the file. The last one
// is the clip's end.
static void bar_key_times(double time, float out[2])
{
    out[0] = out[1] = (float)time;
    if ((double)out[0] > time)
        out[0] = nextafterf(out[0], -1.0f);
    else
        out[1] = nextafterf(out[1], INFINITY);
}

sinew_result bar_file_clip(const bar_file *bar, const char *name, sinew_clip **out,
                           sinew_error *error)
{
    static const uint32_t first[3] = {0, 3, 7}, components[3] = {3, 4, 3};
    const size_t n = bar->joint_count, samples = bar->sample_count, keys = 2 * samples - 1;
    sinew_track *tracks = calloc(3 * n, sizeof *tracks);
    float *times = malloc(2 * samples * sizeof *times);
    float *values = malloc(keys * n * BAR_CHANNELS * sizeof *values);
    sinew_result result = tracks && times && values ? SINEW_OK : SINEW_ERROR_OUT_OF_MEMORY;
    if (keys > UINT32_MAX)
        result = SINEW_ERROR_LIMIT_EXCEEDED;
    for (size_t i = 0; i < samples && result == SINEW_OK; i++)
        bar_key_times((double)i / (double)bar->rate, times + 2 * i);
    if (result == SINEW_OK)
        times[keys - 1] = (float)((double)(samples - 1) / (double)bar->rate);
    uint32_t track_count = 0;
    float *at = values;
    for (size_t j = 0; j < n && result == SINEW_OK; j++)
        for (uint32_t p = 0; p < 3; p++) {
            tracks[track_count++] = (sinew_track){.node = (int32_t)j,
                                                  .node_name = "",
                                                  .property = (sinew_property)p,
                                                  .interpolation = SINEW_INTERPOLATION_LINEAR,
                                                  .component_count = components[p],
                                                  .key_count = (uint32_t)keys,
                                                  .times = times,
                                                  .values = at};
            for (size_t k = 0; k < keys; k++, at += components[p])
                memcpy(at, bar->samples + (k / 2 * n + j) * BAR_CHANNELS + first[p],
                       components[p] * sizeof *at);
        }
    if (result == SINEW_OK)
        result = sinew_clip_create(
            &(sinew_clip_desc){.name = name, .tracks = tracks, .track_count = track_count}, out,
            error);
    free(tracks);
    free(times);
    free(values);
    return result;
}
