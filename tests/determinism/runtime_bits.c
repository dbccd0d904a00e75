// SPDX-License-Identifier: MIT
// The bits of runtime clips: all clips of the creature, built and sampled. The bytes must be one
// hash on every machine, with every compiler, every instruction set and any number of threads, and
// so must what sampling makes of them, with a context and without; all but the machine and the
// compiler are compared here.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extras/thread_pool.h"
#include "sinew/document.h"
#include "sinew/sinew.h"
#include "sinew_fixtures.h"

static uint64_t hash;

static void must(sinew_result result, const char *what)
{
    if (result == SINEW_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, sinew_result_message(result));
    exit(1);
}

static void hash_bytes(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u; // FNV-1a
}

static void hash_floats(const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        const uint8_t bytes[4] = {(uint8_t)bits, (uint8_t)(bits >> 8), (uint8_t)(bits >> 16),
                                  (uint8_t)(bits >> 24)};
        hash_bytes(bytes, sizeof bytes);
    }
}

static void hash_planes(const sinew_pose *pose)
{
    hash_floats(pose->planes, (size_t)pose->padded_count * SINEW_PLANE_COUNT);
}

static void *aligned(size_t size)
{
    void *memory = aligned_alloc(SINEW_BLOCK_ALIGN, (size + 63) / 64 * 64);
    if (!memory)
        must(SINEW_ERROR_OUT_OF_MEMORY, "memory");
    return memory;
}

static void one_clip(const sinew_clip *source, const sinew_skeleton *skeleton,
                     sinew_runtime_preset preset, const sinew_parallel *parallel)
{
    sinew_clip_binding_desc binding_desc = sinew_clip_binding_desc_default();
    binding_desc.clip = source;
    binding_desc.skeleton = skeleton;
    sinew_clip_binding *binding;
    must(sinew_clip_binding_create(&binding_desc, &binding), "binding");
    sinew_runtime_build_desc desc = sinew_runtime_build_desc_default();
    desc.binding = binding;
    desc.preset = preset;
    desc.parallel = parallel;
    sinew_runtime_bytes bytes;
    must(sinew_runtime_clip_build(&desc, &bytes, NULL, NULL), "build");
    hash_bytes(bytes.bytes, bytes.size);
    sinew_runtime_clip *clip;
    must(sinew_runtime_clip_open(bytes.bytes, bytes.size, skeleton, NULL, &clip, NULL), "open");
    const uint32_t joints = sinew_skeleton_joint_count(skeleton);
    sinew_pose pose;
    void *planes = aligned(sinew_pose_size(joints));
    must(sinew_pose_init(&pose, joints, planes, sinew_pose_size(joints)), "pose");
    const size_t context_size = sinew_runtime_context_size(clip);
    void *memory = aligned(context_size);
    sinew_runtime_context *context;
    must(sinew_runtime_context_init(memory, context_size, &context), "context");
    for (int i = 0; i < 120; i++) {
        sinew_runtime_sample_args args = {.clip = clip, .out_pose = &pose};
        args.time = sinew_runtime_clip_duration(clip) * (double)(i * 37 % 120) / 119.0;
        args.context = i & 1 ? context : NULL;
        must(sinew_runtime_clip_sample(&args), "sample");
        hash_planes(&pose);
    }
    free(memory);
    free(planes);
    sinew_runtime_clip_destroy(clip);
    sinew_runtime_bytes_free(&bytes);
    sinew_clip_binding_destroy(binding);
}

// Two clips of the creature, and a crowd between them.
static void a_crowd(const sinew_document *document, const sinew_skeleton *skeleton)
{
    enum { CLIPS = 2, ACTORS = 37 };
    sinew_skin *skin;
    must(sinew_document_make_skin(document, 0, skeleton, NULL, &skin, NULL), "skin");
    sinew_runtime_bytes bytes[CLIPS];
    sinew_runtime_clip *clips[CLIPS];
    for (uint32_t i = 0; i < CLIPS; i++) {
        sinew_clip_binding *binding;
        must(sinew_clip_binding_create(
                 &(sinew_clip_binding_desc){.clip = document->clips[i], .skeleton = skeleton},
                 &binding),
             "binding");
        sinew_runtime_build_desc desc = sinew_runtime_build_desc_default();
        desc.binding = binding;
        must(sinew_runtime_clip_build(&desc, &bytes[i], NULL, NULL), "build");
        must(
            sinew_runtime_clip_open(bytes[i].bytes, bytes[i].size, skeleton, NULL, &clips[i], NULL),
            "open");
        sinew_clip_binding_destroy(binding);
    }
    const sinew_runtime_clip *const all[CLIPS] = {clips[0], clips[1]};
    const uint32_t slots = sinew_skin_joint_count(skin);
    const size_t scratch_size = sinew_runtime_crowd_scratch_size(all, CLIPS, skin);
    void *scratch = aligned(scratch_size);
    sinew_mat3x4 *palettes = aligned((size_t)ACTORS * slots * sizeof *palettes), center;
    uint32_t playing[ACTORS];
    double times[ACTORS];
    for (uint32_t i = 0; i < ACTORS; i++) {
        playing[i] = i / 5 % CLIPS;
        times[i] =
            sinew_runtime_clip_duration(clips[playing[i]]) * (double)(i * 11 % ACTORS) / 36.0;
    }
    must(sinew_runtime_crowd_build_palettes(
             &(sinew_runtime_crowd_palette_args){.clips = all,
                                                 .clip_count = CLIPS,
                                                 .actor_clips = playing,
                                                 .actor_times = times,
                                                 .actor_count = ACTORS,
                                                 .skin = skin,
                                                 .out_palettes = palettes,
                                                 .out_count = (size_t)ACTORS * slots,
                                                 .out_center = &center,
                                                 .scratch = scratch,
                                                 .scratch_size = scratch_size}),
         "crowd");
    for (size_t i = 0; i < (size_t)ACTORS * slots; i++)
        hash_floats(palettes[i].m, 12);
    free(palettes);
    free(scratch);
    for (uint32_t i = 0; i < CLIPS; i++) {
        sinew_runtime_clip_destroy(clips[i]);
        sinew_runtime_bytes_free(&bytes[i]);
    }
    sinew_skin_destroy(skin);
}

int main(void)
{
    sinew_document *document;
    sinew_skeleton *skeleton;
    must(sinew_fixture_creature(NULL, &document), "creature");
    must(sinew_document_rig_skeleton(document, 0, NULL, &skeleton, NULL), "skeleton");
    uint64_t expected = 0;
    for (uint32_t isa = 0; isa < SINEW_ISA_COUNT; isa++) {
        if (!(sinew_isa_available() >> isa & 1))
            continue;
        sinew_isa_set_mask(1u << isa);
        sinew_thread_pool *pool = sinew_thread_pool_create(1 + isa);
        const sinew_parallel parallel = sinew_thread_pool_parallel(pool);
        hash = 14695981039346656037u;
        for (uint32_t c = 0; c < document->clip_count; c++)
            one_clip(document->clips[c], skeleton,
                     c % 2 ? SINEW_RUNTIME_FINE : SINEW_RUNTIME_DEFAULT, &parallel);
        a_crowd(document, skeleton);
        sinew_thread_pool_destroy(pool);
        if (expected && hash != expected) {
            fprintf(stderr, "%s gives other bits\n", sinew_isa_name((sinew_isa)isa));
            return 1;
        }
        expected = hash;
    }
    printf("%016llx\n", (unsigned long long)expected);
    sinew_skeleton_destroy(skeleton);
    sinew_document_destroy(document);
    return 0;
}
