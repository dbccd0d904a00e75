// SPDX-License-Identifier: MIT
// Fuzz target: any bytes as a .bar file (raw sampled clips, of the program). What is read has
// parents in order, finite numbers and rotations, is written again as the same bytes, and becomes a
// skeleton and a clip that shows each sample at its time; what is refused is refused with a code, a
// place and a sentence. Mutations have counts that fit the size, or all would end there.
#if !defined(_WIN32) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L // open_memstream
#endif
#undef NDEBUG
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bar_file.h"
#include "support/random.h"
#include "support/test_main.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) __attribute__((weak));

enum { HEAD = 20, MOST_JOINTS = 64, MOST_SAMPLES = 64 };

static void check_bar(const bar_file *bar)
{
    assert(bar->joint_count > 0 && bar->joint_count <= BAR_MOST_JOINTS && bar->sample_count > 0);
    assert(bar->rate >= 1e-3f && bar->rate <= 1e4f);
    for (uint32_t j = 0; j < bar->joint_count; j++)
        assert(bar->parents[j] >= -1 && bar->parents[j] < (int32_t)j);
    const size_t n = (size_t)bar->joint_count * BAR_CHANNELS;
    for (size_t i = 0; i < n; i++)
        assert(isfinite(bar->rest[i]));
    for (size_t i = 0; i < n * bar->sample_count; i++)
        assert(isfinite(bar->samples[i]));
}

static void write_again(const bar_file *bar, const uint8_t *data, size_t size)
{
    char *bytes = NULL;
    size_t written = 0;
    cli_output out = {.file = open_memstream(&bytes, &written)};
    assert(out.file);
    bar_file_write(bar, &out);
    cli_output_close(&out);
    assert(!out.failed && written == size && memcmp(bytes, data, size) == 0);
    free(bytes);
}

// The last sample is one key, at the float that is nearest to its time.
static void show(const bar_file *bar)
{
    sinew_skeleton *skeleton = NULL;
    sinew_clip *clip = NULL;
    sinew_error error;
    const sinew_result result = bar_file_skeleton(bar, &skeleton, &error);
    assert(result == SINEW_OK || result == SINEW_ERROR_NOT_FINITE); // model matrices beyond floats
    if (result == SINEW_OK && bar_file_clip(bar, "fuzz", &clip, &error) == SINEW_OK) {
        sinew_clip_binding *binding;
        sinew_clip_binding_desc desc = sinew_clip_binding_desc_default();
        desc.clip = clip, desc.skeleton = skeleton;
        assert(sinew_clip_binding_create(&desc, &binding) == SINEW_OK);
        sinew_pose pose = test_pose_at_rest(skeleton);
        const uint16_t *joint_of = sinew_skeleton_joint_of_input(skeleton);
        for (uint32_t i = 0; i < bar->sample_count; i++) {
            const double time =
                i + 1 < bar->sample_count ? i / (double)bar->rate : sinew_clip_duration(clip);
            sinew_sample_args args = {.binding = binding, .time = time, .out_pose = &pose};
            assert(sinew_clip_sample(&args) == SINEW_OK);
            for (uint32_t j = 0; j < bar->joint_count; j++) {
                const float *s = bar->samples + ((size_t)i * bar->joint_count + j) * BAR_CHANNELS;
                const sinew_transform t = sinew_pose_get(&pose, joint_of[j]);
                // both keys have the sample's values, so what is between them has, too, but for a
                // rounding; where numbers are extreme their differences overflow
                if (fabsf(s[0]) < 1e6f && fabsf(s[7]) < 1e6f) {
                    assert(fabsf(t.translation.x - s[0]) <= 1e-6f * fabsf(s[0]));
                    assert(fabsf(t.scale.x - s[7]) <= 1e-6f * fabsf(s[7]));
                }
                assert(fabsf(sinew_quat_dot(t.rotation, t.rotation) - 1) < 1e-5f);
            }
        }
        test_pose_free(&pose);
        sinew_clip_binding_destroy(binding);
    }
    sinew_clip_destroy(clip);
    sinew_skeleton_destroy(skeleton);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bar_file bar;
    sinew_error error;
    memset(&bar, 0xFF, sizeof bar);
    memset(&error, 0xFF, sizeof error);
    const sinew_result result = bar_file_read_bytes((const char *)data, size, &bar, &error);
    if (result == SINEW_OK) {
        check_bar(&bar);
        write_again(&bar, data, size);
        if (bar.joint_count <= MOST_JOINTS && bar.sample_count <= MOST_SAMPLES)
            show(&bar);
    } else {
        assert(!bar.parents && !bar.rest && !bar.samples && !bar.joint_count);
        assert(error.code == result && error.message[0] && error.offset <= size);
        assert(result != SINEW_ERROR_OUT_OF_MEMORY);
    }
    bar_file_free(&bar);
    return 0;
}

// ---- Mutations --------------------------------------------------------------------------------------------

static void put_whole(uint8_t *at, uint32_t value, int bytes)
{
    for (int k = 0; k < bytes; k++)
        at[k] = (uint8_t)(value >> 8 * k);
}

// As many samples as fit; parents that stand before their children.
static size_t repair(uint8_t *data, size_t size)
{
    static const uint8_t head[8] = {'S', 'N', 'B', 'R', 1};
    const uint32_t joints = 1 + data[8] % 6u;
    const size_t rest = joints * (2 + 4 * (size_t)BAR_CHANNELS), each = joints * 4 * BAR_CHANNELS;
    if (size < HEAD + rest + each)
        return size;
    const uint32_t samples = (uint32_t)((size - HEAD - rest) / each);
    memcpy(data, head, sizeof head);
    put_whole(data + 8, joints, 4);
    put_whole(data + 12, samples, 4);
    for (uint32_t j = 0; j < joints; j++)
        put_whole(data + HEAD + 2 * (size_t)j, (uint32_t)(data[HEAD + 2 * (size_t)j] % (j + 1)) - 1,
                  2);
    return HEAD + rest + samples * each;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    test_random random = {seed};
    if (LLVMFuzzerMutate)
        size = LLVMFuzzerMutate(data, size, max_size);
    else if (size)
        data[test_random_below(&random, (uint32_t)size)] = (uint8_t)test_random_bits(&random);
    return size >= HEAD && seed % 8 ? repair(data, size) : size;
}
