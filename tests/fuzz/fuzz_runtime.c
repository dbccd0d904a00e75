// SPDX-License-Identifier: MIT
// Fuzz target: any bytes as a file of runtime clips, or as one runtime clip. What is refused is
// refused with a code, a place and a sentence; what is taken can be sampled at any time, with and
// without a context to the same bits, for all joints or some, bound to another skeleton of the same
// joints, and its costs add up. Mutations get right checksums and sizes, or all would end there.
#undef NDEBUG
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "replay.h"
#include "sinew/runtime_cost.h"
#include "sinew/runtime_file.h"
#include "support/random.h"
#include "support/test_main.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) __attribute__((weak));

enum { MOST_JOINTS = 256, MOST_SCALARS = 4096, CLIP_HEAD = 64, FILE_HEAD = 64 };

static uint32_t load(const uint8_t *at, int count)
{
    uint32_t value = 0;
    for (int i = 0; i < count; i++)
        value |= (uint32_t)at[i] << (8 * i);
    return value;
}

static void store(uint8_t *at, uint64_t value, int count)
{
    for (int i = 0; i < count; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

// ---- Use --------------------------------------------------------------------------------------------------

static bool all_finite(const sinew_pose *pose)
{
    for (uint32_t j = 0; j < pose->joint_count; j++) {
        const sinew_transform t = sinew_pose_get(pose, j);
        const float *f = (const float *)&t;
        for (size_t k = 0; k < sizeof t / sizeof *f; k++)
            if (!isfinite(f[k]))
                return false;
    }
    return true;
}

// In an order that leaves blocks and comes back.
static void sample_all(const sinew_runtime_clip *clip)
{
    const uint32_t n = sinew_runtime_clip_joint_count(clip),
                   scalars = sinew_runtime_clip_scalar_count(clip);
    if (n > MOST_JOINTS || scalars > MOST_SCALARS)
        return;
    const double end = sinew_runtime_clip_duration(clip);
    const double times[] = {0.0, end, 0.31 * end, 0.33 * end, -1.0, 0.9 * end, 2.0 * end, 1e-9};
    const size_t size = sinew_pose_size(n), context_size = sinew_runtime_context_size(clip);
    sinew_pose plain, kept;
    assert(sinew_pose_init(&plain, n, test_block(size), size) == SINEW_OK);
    assert(sinew_pose_init(&kept, n, test_block(size), size) == SINEW_OK);
    void *memory = test_block(context_size);
    float *values = malloc((scalars + 1) * sizeof *values);
    sinew_runtime_context *context;
    assert(sinew_runtime_context_init(memory, context_size, &context) == SINEW_OK);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        sinew_runtime_sample_args args = {.clip = clip,
                                          .time = times[i],
                                          .out_pose = &plain,
                                          .out_scalars = values,
                                          .out_scalar_count = scalars};
        assert(sinew_runtime_clip_sample(&args) == SINEW_OK);
        args.out_pose = &kept;
        args.context = context;
        assert(sinew_runtime_clip_sample(&args) == SINEW_OK);
        for (uint32_t j = 0; j < n && all_finite(&plain); j++) {
            const sinew_transform a = sinew_pose_get(&plain, j), b = sinew_pose_get(&kept, j);
            assert(memcmp(&a, &b, sizeof a) == 0);
        }
        const uint16_t some[1] = {(uint16_t)(n - 1)};
        args.context = NULL;
        args.joints = some;
        args.joint_count = n ? 1 : 0;
        assert(sinew_runtime_clip_sample(&args) == SINEW_OK);
    }
    free(values);
    test_block_free(memory);
    test_block_free(kept.planes);
    test_block_free(plain.planes);
    sinew_runtime_cost cost;
    assert(sinew_runtime_clip_cost(clip, &cost, NULL) == SINEW_OK);
    assert(cost.values <= cost.total);
}

static void check_refusal(sinew_result result, const sinew_error *error, size_t size)
{
    assert(error->code == result && error->message[0] && error->offset <= size);
}

static void read_file(const uint8_t *data, size_t size)
{
    sinew_runtime_file *file;
    sinew_error error;
    memset(&error, 0, sizeof error);
    const sinew_result result = sinew_runtime_file_open(data, size, NULL, &file, &error);
    if (result != SINEW_OK) {
        assert(!file);
        check_refusal(result, &error, size);
        return;
    }
    for (uint32_t i = 0; i < sinew_runtime_file_clip_count(file); i++) {
        const sinew_runtime_file_clip *c = sinew_runtime_file_clip_at(file, i);
        assert(c->bytes >= data && c->bytes + c->size <= data + size);
        assert((c->bytes - data) % 64 == 0);
        sample_all(c->clip);
        sinew_runtime_clip *bound;
        assert(sinew_runtime_file_bind(file, i, sinew_runtime_file_skeleton(file, c->skeleton),
                                       NULL, &bound, &error) == SINEW_OK);
        sinew_runtime_clip_destroy(bound);
    }
    sinew_runtime_file_close(file);
}

static void read_clip(const uint8_t *data, size_t size)
{
    const uint32_t n = size >= CLIP_HEAD ? load(data + 14, 2) : 1;
    if (n > MOST_JOINTS)
        return;
    static sinew_skeleton *skeletons[MOST_JOINTS + 1]; // once: they are the same for all
    if (!skeletons[n]) {
        sinew_joint_desc joints[MOST_JOINTS] = {{0}};
        for (uint32_t j = 0; j < n; j++)
            joints[j] = (sinew_joint_desc){
                .parent = (int32_t)j - 1, .node = -1, .rest = {{0, 1, 0}, {0, 0, 0, 1}, {1, 1, 1}}};
        assert(sinew_skeleton_create(&(sinew_skeleton_desc){.joints = joints, .joint_count = n},
                                     &skeletons[n], NULL) == SINEW_OK);
    }
    sinew_runtime_clip *clip;
    sinew_error error;
    memset(&error, 0, sizeof error);
    const sinew_result result =
        sinew_runtime_clip_open(data, size, skeletons[n], NULL, &clip, &error);
    if (result == SINEW_OK)
        sample_all(clip);
    else
        check_refusal(result, &error, size);
    sinew_runtime_clip_destroy(clip);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size >= 4 && memcmp(data, "SRC1", 4) == 0)
        read_clip(data, size);
    else
        read_file(data, size);
    return 0;
}

// ---- Mutations --------------------------------------------------------------------------------------------

static uint32_t crc32_of(const uint8_t *bytes, size_t size)
{
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    return ~crc;
}

static void repair_clip(uint8_t *data, size_t size)
{
    if (size < CLIP_HEAD)
        return;
    store(data + 4, size, 4);
    store(data + 8, crc32_of(data + 12, size - 12), 4);
}

static void repair_file(uint8_t *data, size_t size)
{
    if (size < FILE_HEAD)
        return;
    store(data + 16, size, 8);
    const uint32_t clips = load(data + 12, 4);
    for (uint32_t i = 0; i < clips && FILE_HEAD + 24 * ((size_t)i + 1) <= size; i++) {
        const uint8_t *record = data + FILE_HEAD + 24 * (size_t)i;
        const uint32_t at = load(record, 4), clip_size = load(record + 8, 4);
        if (at <= size && clip_size <= size - at)
            repair_clip(data + at, clip_size);
    }
    store(data + 4, crc32_of(data + 8, size - 8), 4);
}

// A byte, or a number of four, becomes another.
static size_t change_once(uint8_t *data, size_t size, test_random *random)
{
    if (size < 8)
        return size;
    const uint32_t at = test_random_below(random, (uint32_t)size - 4);
    switch (test_random_below(random, 4)) {
    case 0:
        data[at] ^= (uint8_t)(1u << test_random_below(random, 8));
        break;
    case 1:
        data[at] = (uint8_t)test_random_bits(random);
        break;
    case 2:
        store(data + at, load(data + at, 4) + test_random_below(random, 9) - 4, 4);
        break;
    default:
        store(data + at, test_random_bits(random), 4);
    }
    return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    test_random random = {seed};
    if (LLVMFuzzerMutate && seed % 4)
        size = LLVMFuzzerMutate(data, size, max_size);
    else
        size = change_once(data, size, &random);
    if (seed % 16 == 0) // as it is
        return size;
    if (size >= 4 && memcmp(data, "SRC1", 4) == 0)
        repair_clip(data, size);
    else
        repair_file(data, size);
    return size;
}
