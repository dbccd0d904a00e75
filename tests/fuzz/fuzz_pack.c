// SPDX-License-Identifier: MIT
// Fuzz target: packs of frame-stream models. What is read performs: every clip shows poses with
// finite numbers and unit rotations at frames in and past it, wrapping and holding, its document
// can be posed; what is refused is refused with a code and a sentence, what the text says of itself
// with its place. Mutations are those of any JSON with one edit.
#undef NDEBUG
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mutate_gltf.h"
#include "replay.h"
#include "sinew/leash.h"
#include "sinew/stream_pack.h"
#include "support/test_main.h"
#include "use_document.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

static void check_pose(const sinew_pose *pose)
{
    for (uint32_t j = 0; j < pose->joint_count; j++) {
        sinew_transform t = sinew_pose_get(pose, j);
        assert(isfinite(t.translation.x) && isfinite(t.translation.y) && isfinite(t.translation.z));
        assert(isfinite(t.scale.x) && isfinite(t.scale.y) && isfinite(t.scale.z));
        assert(fabsf(sinew_quat_dot(t.rotation, t.rotation) - 1) < 1e-5f);
    }
}

static void perform(const sinew_stream_pack *pack)
{
    static const double frames[] = {0, 0.5, 1, 2.25, 9.75, 1e6 + 0.125, -3};
    size_t size = sinew_stream_performer_size(pack->rig);
    void *memory = test_block(size);
    sinew_stream_performer *performer;
    assert(sinew_stream_performer_init(memory, size, pack->rig, &performer) == SINEW_OK);
    for (uint32_t c = 0; c < pack->clip_count && c < 4; c++) {
        uint32_t count = sinew_stream_clip_frame_count(pack->clips[c]);
        for (size_t i = 0; i < 2 * sizeof frames / sizeof *frames; i++) {
            double frame = frames[i / 2];
            assert(sinew_stream_performer_show(performer, pack->clips[c], frame, i % 2) ==
                   SINEW_OK);
            assert(sinew_stream_performer_frame(performer) < count);
            check_pose(sinew_stream_performer_pose(performer));
            for (uint32_t m = 0; m < pack->mesh_count && m < 4; m++)
                sinew_flipbook_texture(pack->flipbook, 0, sinew_stream_performer_frame(performer),
                                       &pack->meshes[m].paint);
        }
    }
    test_block_free(memory);
}

static void read_pack(const uint8_t *data, size_t size)
{
    sinew_stream_pack *pack = NULL;
    sinew_error error;
    sinew_result result =
        sinew_stream_pack_read((const char *)data, size, "fuzz", NULL, &pack, &error);
    if (result == SINEW_OK) {
        assert(pack && pack->rig && pack->document);
        perform(pack);
        fuzz_check_document(pack->document);
        fuzz_use_document(pack->document);
    } else {
        assert(!pack && error.code == result && error.message[0]);
        assert(error.offset <= size);
    }
    sinew_stream_pack_destroy(pack);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_pack(data, size);
    return 0;
}

void fuzz_replay_more(const uint8_t *data, size_t size)
{
    fuzz_change_each(data, size, read_pack);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    return fuzz_mutate_mostly_gltf(data, size, max_size, seed);
}
