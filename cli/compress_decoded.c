// SPDX-License-Identifier: MIT
// sinew compress --decoded: what the file of runtime clips says, as raw sampled clips.
#include <stdlib.h>
#include <string.h>

#include "cli/bar_file.h"
#include "cli/cli.h"
#include "cli/compress.h"
#include "cli/output_file.h"
#include "extras/system.h"

static void put_transform(float *out, const sinew_transform *t)
{
    const float values[BAR_CHANNELS] = {
        t->translation.x, t->translation.y, t->translation.z, t->rotation.x, t->rotation.y,
        t->rotation.z,    t->rotation.w,    t->scale.x,       t->scale.y,    t->scale.z};
    memcpy(out, values, sizeof values);
}

// Neighbouring samples stand in one half-space.
static void turn_like(const float *before, float *q)
{
    if (before[0] * q[0] + before[1] * q[1] + before[2] * q[2] + before[3] * q[3] < 0.0f)
        for (int k = 0; k < 4; k++)
            q[k] = -q[k];
}

// The joint of the skeleton at each place of the .bar, whose joints are those of the entry's file.
static sinew_result decode_entry(const compress_job *job, const compress_entry *entry,
                                 const sinew_runtime_clip *clip, bar_file *out)
{
    const sinew_skeleton *skeleton = job->rigs[entry->rig].skeleton;
    const uint32_t n = sinew_skeleton_joint_count(skeleton);
    const uint32_t samples = sinew_runtime_clip_sample_count(clip);
    if (n > BAR_MOST_JOINTS)
        return SINEW_ERROR_TOO_MANY_JOINTS;
    const float rate = (float)sinew_runtime_clip_rate(clip);
    const size_t pose_size = sinew_pose_size(n);
    uint32_t *place = malloc((n ? n : 1) * sizeof *place); // of each joint of the skeleton
    void *memory = sinew_aligned_alloc(pose_size);
    sinew_pose pose;
    sinew_result result = SINEW_ERROR_OUT_OF_MEMORY;
    if (place && memory && bar_file_make(n, samples, rate, out))
        result = sinew_pose_init(&pose, n, memory, pose_size);
    for (uint32_t k = 0; k < n && result == SINEW_OK; k++)
        place[entry->order ? entry->order[k] : k] = k;
    for (uint32_t j = 0; j < n && result == SINEW_OK; j++) {
        const int32_t parent = sinew_skeleton_parents(skeleton)[j];
        out->parents[place[j]] = (int16_t)(parent < 0 ? -1 : (int32_t)place[parent]);
        put_transform(out->rest + (size_t)BAR_CHANNELS * place[j],
                      &sinew_skeleton_rest(skeleton)[j]);
    }
    for (uint32_t i = 0; i < samples && result == SINEW_OK; i++) {
        // the last sample stands where the clip ends
        const double time = i + 1 == samples ? sinew_runtime_clip_duration(clip)
                                             : i / sinew_runtime_clip_rate(clip);
        result = sinew_runtime_clip_sample(
            &(sinew_runtime_sample_args){.clip = clip, .time = time, .out_pose = &pose});
        float *sample = out->samples + (size_t)i * n * BAR_CHANNELS;
        for (uint32_t j = 0; j < n && result == SINEW_OK; j++) {
            const sinew_transform t = sinew_pose_get(&pose, j);
            float *at = sample + (size_t)BAR_CHANNELS * place[j];
            put_transform(at, &t);
            if (i > 0)
                turn_like(at - (size_t)n * BAR_CHANNELS + 3, at + 3);
        }
    }
    free(place);
    sinew_aligned_free(memory);
    return result;
}

static char *decoded_path(const char *folder, const compress_entry *entry)
{
    const size_t room = strlen(folder) + strlen(entry->file_name) + 8;
    char *path = malloc(room);
    if (path)
        snprintf(path, room, "%s/%s.bar", folder, entry->file_name);
    return path;
}

int compress_write_decoded(const compress_job *job, const sinew_runtime_file *file,
                           const char *folder)
{
    for (uint32_t i = 0; i < job->entry_count; i++) { // nothing that was read is written over
        char *path = decoded_path(folder, &job->entries[i]);
        const bool same =
            path && job->entries[i].order && cli_same_file(path, job->entries[i].file);
        free(path);
        if (same)
            return cli_usage("compress", "--decoded would write over '%s'", job->entries[i].file);
    }
    const int reason = cli_is_folder(folder) ? 0 : cli_make_folder(folder);
    if (reason)
        return cli_output_error(folder, reason);
    for (uint32_t i = 0; i < job->entry_count; i++) {
        const compress_entry *entry = &job->entries[i];
        char *path = decoded_path(folder, entry);
        bar_file bar = {0};
        sinew_result result = SINEW_ERROR_OUT_OF_MEMORY;
        if (path)
            result = decode_entry(job, entry, sinew_runtime_file_clip_at(file, i)->clip, &bar);
        if (result != SINEW_OK) {
            sinew_error error = {.code = result};
            if (result == SINEW_ERROR_TOO_MANY_JOINTS)
                snprintf(error.message, sizeof error.message,
                         "a .bar file holds %d joints, and the rig has more", BAR_MOST_JOINTS);
            free(path);
            bar_file_free(&bar);
            return cli_input_error(entry->file, &error, job->json);
        }
        cli_output out;
        cli_output_open(&out, path);
        bar_file_write(&bar, &out);
        cli_output_close(&out);
        cli_output_publish(&out);
        const int status = out.failed ? cli_output_error(path, out.reason) : CLI_EXIT_OK;
        cli_output_discard(&out);
        bar_file_free(&bar);
        free(path);
        if (status != CLI_EXIT_OK)
            return status;
    }
    return CLI_EXIT_OK;
}
