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

static void hash_planes(const sinew_pose *pose)
{
    const size_t count = (size_t)pose->padded_count * SINEW_PLANE_COUNT;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &pose->planes[i], sizeof bits);
        const uint8_t bytes[4] = {(uint8_t)bits, (uint8_t)(bits >> 8), (uint8_t)(bits >> 16),
                                  (uint8_t)(bits >> 24)};
        hash_bytes(bytes, sizeof bytes);
    }
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
