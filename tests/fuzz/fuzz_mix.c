// SPDX-License-Identifier: MIT
// Fuzz target: mix files for the creature of the fixtures. What is read can be evaluated at any
// time, gives finite numbers and unit rotations, and says how long it is; what is refused is
// refused with a code, a place and a sentence. Mutations are those of any JSON with one edit.
#undef NDEBUG
#include <assert.h>
#include <math.h>
#include <string.h>

#include "mutate_gltf.h"
#include "replay.h"
#include "sinew/document.h"
#include "sinew/mix_file.h"
#include "sinew_fixtures.h"
#include "support/random.h"
#include "support/test_main.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

static sinew_document *creature;
static sinew_skeleton *skeleton;

static void check_pose(const sinew_pose *pose)
{
    for (uint32_t j = 0; j < pose->joint_count; j++) {
        sinew_transform t = sinew_pose_get(pose, j);
        assert(isfinite(t.translation.x) && isfinite(t.translation.y) && isfinite(t.translation.z));
        assert(isfinite(t.scale.x) && isfinite(t.scale.y) && isfinite(t.scale.z));
        assert(fabsf(sinew_quat_dot(t.rotation, t.rotation) - 1) < 1e-5f);
    }
}

static void play(const sinew_mix *mix)
{
    static const double times[] = {0, 0.125, 0.7, -3.25, 1e9};
    double duration = sinew_mix_duration(mix);
    assert(duration >= 0 && duration < INFINITY);
    sinew_pose pose = test_pose_at_rest(skeleton);
    size_t size = sinew_mix_scratch_size(mix);
    void *scratch = test_block(size ? size : 64);
    memset(scratch, 0xFF, size); // each number is a NaN: none may be read before it is written
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        sinew_result result = sinew_mix_evaluate(&(sinew_mix_args){.mix = mix,
                                                                   .time = times[i],
                                                                   .scratch = scratch,
                                                                   .scratch_size = size,
                                                                   .out_pose = &pose});
        assert(result == SINEW_OK);
        check_pose(&pose);
    }
    test_block_free(scratch);
    test_block_free(pose.planes);
}

static void read_mix(const uint8_t *data, size_t size)
{
    if (!skeleton) { // once: it is the same for all
        assert(sinew_fixture_creature(NULL, &creature) == SINEW_OK);
        assert(sinew_document_rig_skeleton(creature, 0, NULL, &skeleton, NULL) == SINEW_OK);
    }
    sinew_mix_desc desc = sinew_mix_desc_default();
    desc.text = (const char *)data, desc.size = size, desc.file = "fuzz";
    desc.skeleton = skeleton;
    desc.clips = creature->clips, desc.clip_count = creature->clip_count;
    sinew_mix *mix = NULL;
    sinew_error error;
    sinew_result result = sinew_mix_create(&desc, &mix, &error);
    if (result == SINEW_OK) {
        assert(mix);
        play(mix);
    } else {
        assert(!mix && error.code == result && error.message[0]);
        assert(error.offset <= size && error.line > 0 && error.column > 0);
    }
    sinew_mix_destroy(mix);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_mix(data, size);
    return 0;
}

void fuzz_replay_more(const uint8_t *data, size_t size)
{
    fuzz_change_each(data, size, read_mix);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    return fuzz_mutate_mostly_gltf(data, size, max_size, seed);
}
