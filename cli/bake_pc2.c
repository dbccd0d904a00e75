// SPDX-License-Identifier: MIT
// Point Cache 2: a header, then the points of one sample after the other, streamed. Little-endian:
//   0  char[12]  "POINTCACHE2\0"
//  12  int32     version, 1
//  16  int32     points in a sample
//  20  float     the frame of the first sample: 0
//  24  float     frames between samples: 1
//  28  int32     samples
//  32  float[3]  x y z of each point of each sample
// Layout: 3ds Max, "Point Cache" modifier; Blender's Mesh Cache modifier reads the same. The format
// knows frames, not seconds, so all samples are one frame apart: the last one holds the clip's end
// even where that falls between two frames.
#include "cli/bake.h"
#include "cli/cli.h"

int bake_write_pc2(bake_job *job)
{
    const uint64_t header_size = 32;
    if (job->vertex_count > INT32_MAX ||
        job->vertex_count * 12 > (BAKE_MAX_BYTES - header_size) / job->frame_count)
        return cli_usage(
            "bake",
            "%u frames of %llu vertices are more than the limit of 64 GiB for a point cache",
            job->frame_count, (unsigned long long)job->vertex_count);
    int status = CLI_EXIT_OK;
    cli_output *out = bake_open(job, job->output, &status);
    if (!out)
        return status;
    const uint32_t points[] = {1, (uint32_t)job->vertex_count}, samples = job->frame_count;
    const float start_and_rate[] = {0.0f, 1.0f};
    cli_output_bytes(out, "POINTCACHE2", 12);
    cli_output_wholes(out, points, 2, 4);
    cli_output_floats(out, start_and_rate, 2);
    cli_output_wholes(out, &samples, 1, 4);
    for (uint32_t k = 0; k < job->frame_count && !out->failed; k++) {
        status = bake_evaluate(job, k);
        if (status != CLI_EXIT_OK)
            return status;
        for (uint32_t p = 0; p < job->part_count; p++)
            cli_output_floats(out, job->parts[p].posed->positions,
                              (size_t)3 * job->parts[p].posed->vertex_count);
        cli_progress_step(&job->progress, k + 1, job->frame_count);
    }
    return CLI_EXIT_OK;
}
