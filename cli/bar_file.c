// SPDX-License-Identifier: MIT
// Reading and writing .bar files. Little-endian, no padding, nothing behind the samples:
//
//     "SNBR", u32 version 1, u32 joints J, u32 samples N, f32 rate
//     i16 parents [J], f32 rest [J][10], f32 samples [N][J][10]
#include "cli/bar_file.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { BAR_HEAD = 20, BAR_VERSION = 1 };

static uint32_t bar_load(const char *bytes, uint32_t size)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < size; i++)
        value |= (uint32_t)(unsigned char)bytes[i] << (8 * i);
    return value;
}

static float bar_load_float(const char *bytes)
{
    const uint32_t bits = bar_load(bytes, 4);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static sinew_result bar_fault(sinew_error *error, sinew_result code, uint64_t offset,
                              const char *format, ...)
{
    va_list list;
    va_start(list, format);
    memset(error, 0, sizeof *error);
    vsnprintf(error->message, sizeof error->message, format, list);
    va_end(list);
    error->code = code;
    error->offset = offset;
    return code;
}

bool bar_file_make(uint32_t joint_count, uint32_t sample_count, float rate, bar_file *out)
{
    const size_t n = joint_count ? joint_count : 1, samples = sample_count ? sample_count : 1;
    *out = (bar_file){.joint_count = joint_count, .sample_count = sample_count, .rate = rate};
    out->parents = calloc(n, sizeof *out->parents);
    out->rest = calloc(n, BAR_CHANNELS * sizeof(float));
    out->samples = samples <= SIZE_MAX / (n * BAR_CHANNELS * sizeof(float))
                       ? calloc(samples * n, BAR_CHANNELS * sizeof(float))
                       : NULL;
    if (out->parents && out->rest && out->samples)
        return true;
    bar_file_free(out);
    return false;
}

void bar_file_free(bar_file *bar)
{
    free(bar->parents);
    free(bar->rest);
    free(bar->samples);
    memset(bar, 0, sizeof *bar);
}

// ---- Reading ----------------------------------------------------------------------------------------------

// `count` transforms at a byte of the file; what each is of is told as "rest pose" or "sample N".
static sinew_result bar_load_transforms(const char *bytes, uint64_t offset, const bar_file *bar,
                                        size_t count, bool rest, float *out, sinew_error *error)
{
    for (size_t t = 0; t < count; t++, out += BAR_CHANNELS, offset += 4 * BAR_CHANNELS) {
        const unsigned joint = (unsigned)(t % bar->joint_count),
                       sample = (unsigned)(t / bar->joint_count);
        char of[32] = "the rest pose";
        if (!rest)
            snprintf(of, sizeof of, "sample %u", sample);
        for (uint32_t c = 0; c < BAR_CHANNELS; c++) {
            out[c] = bar_load_float(bytes + offset + 4 * c);
            if (!isfinite(out[c]))
                return bar_fault(error, SINEW_ERROR_NOT_FINITE, offset + 4 * c,
                                 "number %u of joint %u in %s is not finite", c, joint, of);
        }
        const double x = (double)out[3], y = (double)out[4], z = (double)out[5], w = (double)out[6];
        if (!(x * x + y * y + z * z + w * w > 1e-60))
            return bar_fault(error, SINEW_ERROR_ZERO_QUATERNION, offset + 12,
                             "the rotation of joint %u in %s is the zero quaternion", joint, of);
    }
    return SINEW_OK;
}

static sinew_result bar_load_all(const char *bytes, size_t size, bar_file *out, sinew_error *error)
{
    if (size < 4 || memcmp(bytes, "SNBR", 4) != 0)
        return bar_fault(error, SINEW_ERROR_FORMAT_UNKNOWN, 0,
                         "this is no .bar file: it should begin with the letters SNBR");
    if (size < BAR_HEAD)
        return bar_fault(error, SINEW_ERROR_BUFFER_RANGE, size,
                         "%llu bytes are too few; the head alone has %d", (unsigned long long)size,
                         BAR_HEAD);
    const uint32_t version = bar_load(bytes + 4, 4), joints = bar_load(bytes + 8, 4),
                   samples = bar_load(bytes + 12, 4);
    const float rate = bar_load_float(bytes + 16);
    if (version != BAR_VERSION)
        return bar_fault(error, SINEW_ERROR_VERSION, 4,
                         "version %u of .bar files; this build reads %d", version, BAR_VERSION);
    if (joints == 0 || joints > BAR_MOST_JOINTS)
        return bar_fault(error, SINEW_ERROR_INVALID_VALUE, 8, "%u joints; expected 1 to %d", joints,
                         BAR_MOST_JOINTS);
    if (samples == 0)
        return bar_fault(error, SINEW_ERROR_INVALID_VALUE, 12, "no samples; expected at least 1");
    if (!(rate >= 1e-3f && rate <= 1e4f))
        return bar_fault(error, SINEW_ERROR_INVALID_VALUE, 16,
                         "a rate of %g samples a second; expected 0.001 to 10,000", (double)rate);
    // 32-bit counts: the products fit 64 bits
    const uint64_t need = BAR_HEAD + (uint64_t)joints * (2 + 4 * BAR_CHANNELS) +
                          (uint64_t)joints * samples * 4 * BAR_CHANNELS;
    if (need != size)
        return bar_fault(error, SINEW_ERROR_BUFFER_RANGE, size < need ? size : need,
                         "%u joints and %u samples are %llu bytes, and the file has %llu", joints,
                         samples, (unsigned long long)need, (unsigned long long)size);
    if (!bar_file_make(joints, samples, rate, out))
        return bar_fault(error, SINEW_ERROR_OUT_OF_MEMORY, 0, "there is no memory for the samples");
    uint64_t at = BAR_HEAD;
    for (uint32_t j = 0; j < joints; j++, at += 2) {
        const int32_t parent = (int16_t)bar_load(bytes + at, 2);
        if (parent < -1 || parent >= (int32_t)j)
            return bar_fault(error, SINEW_ERROR_JOINT_PARENT, at,
                             "the parent of joint %u is %d; expected -1 to %d", j, parent,
                             (int32_t)j - 1);
        out->parents[j] = (int16_t)parent;
    }
    sinew_result result = bar_load_transforms(bytes, at, out, joints, true, out->rest, error);
    if (result == SINEW_OK)
        result = bar_load_transforms(bytes, at + (uint64_t)joints * 4 * BAR_CHANNELS, out,
                                     (size_t)joints * samples, false, out->samples, error);
    return result;
}

sinew_result bar_file_read_bytes(const char *bytes, size_t size, bar_file *out, sinew_error *error)
{
    memset(out, 0, sizeof *out);
    const sinew_result result = bar_load_all(bytes, size, out, error);
    if (result != SINEW_OK)
        bar_file_free(out);
    return result;
}

sinew_result bar_file_read(const char *path, bar_file *out, sinew_error *error)
{
    memset(out, 0, sizeof *out);
    size_t size;
    char *bytes = cli_read_file(path, BAR_MOST_BYTES, &size, error);
    if (!bytes)
        return error->code;
    const sinew_result result = bar_file_read_bytes(bytes, size, out, error);
    free(bytes);
    return result;
}

// ---- Writing ----------------------------------------------------------------------------------------------

void bar_file_write(const bar_file *bar, cli_output *out)
{
    const uint32_t head[3] = {BAR_VERSION, bar->joint_count, bar->sample_count};
    cli_output_bytes(out, "SNBR", 4);
    cli_output_wholes(out, head, 3, 4);
    cli_output_floats(out, &bar->rate, 1);
    for (uint32_t j = 0; j < bar->joint_count; j++) {
        const uint32_t parent = (uint16_t)bar->parents[j];
        cli_output_wholes(out, &parent, 1, 2);
    }
    const size_t n = (size_t)bar->joint_count * BAR_CHANNELS;
    cli_output_floats(out, bar->rest, n);
    cli_output_floats(out, bar->samples, n * bar->sample_count);
}
