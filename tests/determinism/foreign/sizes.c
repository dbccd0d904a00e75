// SPDX-License-Identifier: MIT
// What is larger than memory is refused where size_t has 32 bits, and not taken modulo 2^32: run
// there by scripts/determinism.sh. Prints "good", or what is not.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "sinew/sinew.h"

static int wrong;

static void check(int holds, const char *what)
{
    if (!holds)
        wrong++, printf("%s\n", what);
}

static void arenas_check_products(void)
{
    sinewi_arena arena;
    sinewi_arena_init(&arena, NULL, 0);
    check(!sinewi_arena_alloc(&arena, ((uint64_t)1 << 32) + 4, 1), "2^32 + 4 bytes");
    check(!sinewi_arena_alloc(&arena, ((uint64_t)1 << 30) + 1, 4), "2^32 + 4 bytes of floats");
    check(!sinewi_arena_room(&arena, (uint64_t)UINT32_MAX * UINT32_MAX, 8), "2^67 bytes");
    check(arena.over_limit, "what no size can say is over the limit");
    check(sinewi_arena_alloc(&arena, 4, 4) != NULL, "16 bytes");
    sinewi_arena_free(&arena);
}

// 3 arrays of 12 bytes a point: 36 * 119304647 = 2^32 - 4, and each array is padded to 64.
static void springs_have_a_largest_size(void)
{
    static union {
        char bytes[256];
        double align;
    } memory;
    char *const block = memory.bytes + (64 - (uintptr_t)memory.bytes % 64) % 64;
    sinew_springs springs;
    check(sinew_springs_size(119304647) == SIZE_MAX, "the size of springs wraps");
    check(sinew_springs_size(UINT32_MAX) == SIZE_MAX, "the size of all springs wraps");
    check(sinew_springs_size(100000000) == 3600000000u, "36 bytes a point");
    check(sinew_springs_init(&springs, 119304647, block, 128) == SINEW_ERROR_BUFFER_TOO_SMALL,
          "springs in too little memory");
}

// 129 tracks of 2^22 weights share their keys: 16 MiB in memory, 129 * 2^22 scalars of 8 bytes in a
// binding, which are 2^32 + 2^25.
static void bindings_of_shared_keys_are_refused(void)
{
    enum { TRACKS = 129, WEIGHTS = 1 << 22 };
    static sinew_track tracks[TRACKS];
    static float time;
    float *values = calloc(WEIGHTS, sizeof *values);
    for (int i = 0; values && i < TRACKS; i++)
        tracks[i] = (sinew_track){.node = i,
                                  .property = SINEW_PROPERTY_WEIGHTS,
                                  .component_count = WEIGHTS,
                                  .key_count = 1,
                                  .times = &time,
                                  .values = values};
    sinew_clip *clip = NULL;
    sinew_skeleton *skeleton = NULL;
    sinew_clip_binding *binding = NULL;
    sinew_joint_desc joint;
    memset(&joint, 0, sizeof joint);
    joint.parent = -1;
    joint.rest = sinew_transform_identity();
    const sinew_result made =
        sinew_clip_create(&(sinew_clip_desc){.tracks = tracks, .track_count = TRACKS}, &clip, NULL);
    check(values && made == SINEW_OK, "a clip whose tracks share keys");
    check(sinew_skeleton_create(&(sinew_skeleton_desc){.joints = &joint, .joint_count = 1},
                                &skeleton, NULL) == SINEW_OK,
          "a skeleton");
    if (clip && skeleton)
        check(sinew_clip_binding_create(
                  &(sinew_clip_binding_desc){.clip = clip, .skeleton = skeleton}, &binding) ==
                  SINEW_ERROR_OUT_OF_MEMORY,
              "scalars of 2^32 bytes and more");
    sinew_clip_binding_destroy(binding);
    sinew_skeleton_destroy(skeleton);
    sinew_clip_destroy(clip);
    free(values);
}

// 2^31 keys of four floats: nobody has them in memory, so they are not looked at.
static void keys_beyond_memory_are_refused(void)
{
    const float few[8] = {0, 0, 0, 1};
    const sinew_track track = {.property = SINEW_PROPERTY_ROTATION,
                               .component_count = 4,
                               .key_count = 0x80000000u,
                               .times = few,
                               .values = few};
    sinew_clip *clip = NULL;
    check(sinew_clip_create(&(sinew_clip_desc){.tracks = &track, .track_count = 1}, &clip, NULL) ==
              SINEW_ERROR_LIMIT_EXCEEDED,
          "2^31 keys");
    sinew_clip_destroy(clip);
}

int main(void)
{
    check(sizeof(size_t) == 4, "this is for sizes of 32 bits");
    if (!wrong) {
        arenas_check_products();
        springs_have_a_largest_size();
        bindings_of_shared_keys_are_refused();
        keys_beyond_memory_are_refused();
    }
    if (!wrong)
        printf("good\n");
    return wrong != 0;
}
