// SPDX-License-Identifier: MIT
// Fuzz target: BVH files. What is read keeps its promises, can be used, and is written so that
// reading it again gives the same to the last bit; so is what its document bakes to. Mutations know
// the words of the format: half of them take, give, repeat or exchange whole words.
#undef NDEBUG
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mutate_gltf.h"
#include "sinew/bvh.h"
#include "use_document.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

// ---- Promises -----------------------------------------------------------------------------------------------

static void check_error(sinew_result result, const sinew_error *error, size_t size)
{
    assert(result != SINEW_OK && error->code == result && error->message[0]);
    assert(error->offset <= size && !error->line == !error->column);
    assert(memchr(error->message, '\0', sizeof error->message));
    assert(memchr(error->path, '\0', sizeof error->path));
}

static void check_findings(const sinew_bvh *bvh, bool strict)
{
    for (uint32_t i = 0; i < bvh->finding_count; i++) {
        const sinew_finding *f = &bvh->findings[i];
        assert(f->where[0] && f->message[0] && f->count > 0 && isfinite(f->worst));
        assert(f->severity == sinew_result_severity(f->code));
        assert(!strict || f->severity == SINEW_SEVERITY_INFO);
        assert(sinew_result_advice(f->code)[0]);
    }
}

typedef struct written {
    char *text;
    size_t size, room;
} written;

static bool take_text(void *user, const char *text, size_t size)
{
    written *w = user;
    if (w->size + size > w->room) {
        w->room = 2 * (w->size + size);
        w->text = realloc(w->text, w->room);
        assert(w->text);
    }
    memcpy(w->text + w->size, text, size);
    w->size += size;
    return true;
}

static void check_again(const sinew_bvh *bvh)
{
    written w = {0};
    sinew_error error;
    sinew_bvh *again;
    assert(sinew_bvh_write(bvh, take_text, &w, &error) == SINEW_OK); // looks at every promise, too
    sinew_bvh_desc desc = sinew_bvh_desc_default();
    desc.strict = true;
    assert(sinew_bvh_read(w.text, w.size, &desc, &again, &error) == SINEW_OK);
    free(w.text);
    check_findings(again, true);
    assert(again->joint_count == bvh->joint_count && again->channel_count == bvh->channel_count);
    assert(again->frame_count == bvh->frame_count && again->frame_time == bvh->frame_time);
    for (uint32_t j = 0; j < bvh->joint_count; j++) {
        const sinew_bvh_joint *a = &bvh->joints[j], *b = &again->joints[j];
        assert(a->parent == b->parent && a->is_end == b->is_end);
        assert(a->channel_count == b->channel_count && a->first_channel == b->first_channel);
        assert(!a->name[0] || a->is_end || strcmp(a->name, b->name) == 0);
        for (int k = 0; k < 3; k++)
            assert(a->offset[k] == b->offset[k]);
        for (uint32_t c = 0; c < a->channel_count; c++)
            assert(a->channels[c] == b->channels[c]);
    }
    const size_t count = (size_t)bvh->frame_count * bvh->channel_count;
    for (size_t i = 0; i < count; i++)
        assert(bvh->values[i] == again->values[i]);
    sinew_bvh_destroy(again);
}

// The rig and its clip as motion capture again, whatever its scales: what can be written, and read
// back to the last bit. Rates are low where a clip is long.
static void bake_again(const sinew_document *document)
{
    sinew_skeleton *skeleton;
    sinew_clip_binding *binding = NULL;
    sinew_bvh *baked;
    sinew_error error;
    assert(sinew_document_rig_skeleton(document, 0, NULL, &skeleton, NULL) == SINEW_OK);
    sinew_bvh_bake_desc desc = sinew_bvh_bake_desc_default();
    desc.skeleton = skeleton;
    if (document->clip_count && sinew_clip_duration(document->clips[0]) < 1e7) {
        const sinew_clip_binding_desc bind = {.clip = document->clips[0], .skeleton = skeleton};
        assert(sinew_clip_binding_create(&bind, &binding) == SINEW_OK);
        const double duration = sinew_clip_duration(document->clips[0]);
        desc.rate = duration > 1.0 ? 20.0 / duration : 20.0;
        desc.binding = binding;
    }
    memset(&error, 0xFF, sizeof error);
    const sinew_result result = sinew_bvh_bake(&desc, &baked, &error);
    if (result == SINEW_OK) {
        assert(baked->joint_count == document->node_count);
        check_again(baked);
    } else { // lengths whose sums are beyond floats
        if (baked || result != SINEW_ERROR_NOT_FINITE || !error.message[0]) {
            fprintf(stderr, "%s: %s\n", error.path, error.message);
            abort();
        }
    }
    sinew_bvh_destroy(baked);
    sinew_clip_binding_destroy(binding);
    sinew_skeleton_destroy(skeleton);
}

static void use_bvh(const sinew_bvh *bvh)
{
    sinew_document *document;
    sinew_error error;
    memset(&error, 0xFF, sizeof error);
    const sinew_result result = sinew_bvh_make_document(bvh, NULL, &document, &error);
    assert(result == SINEW_OK);
    assert(document->node_count == bvh->joint_count && document->rig_count == 1);
    assert(document->clip_count == (bvh->frame_count > 0));
    fuzz_check_document(document);
    fuzz_use_document(document);
    bake_again(document);
    sinew_document_destroy(document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ data[i]) * 16777619u;
    for (int way = 0; way < 3; way++) {
        sinew_bvh_desc desc = sinew_bvh_desc_default();
        if (way == 1) {
            desc.strict = true;
        } else if (way == 2) { // options and limits that follow from the bytes
            desc.skip_ends = hash & 1;
            desc.cut_first_frame = hash & 2;
            desc.units = hash & 4 ? 0.0254 : 1000.0;
            desc.limits.memory = 4096 + (hash >> 8 & 0xFFFF);
            desc.limits.joint_count = 1 + (hash >> 24 & 15);
            desc.limits.key_count = 1 + (hash >> 4 & 1023);
        }
        sinew_bvh *bvh;
        sinew_error error;
        memset(&error, 0xFF, sizeof error);
        const sinew_result result = sinew_bvh_read(data, size, &desc, &bvh, &error);
        if (result != SINEW_OK) {
            assert(!bvh);
            check_error(result, &error, size);
            continue;
        }
        assert(sinew_bvh_detect(data, size));
        check_findings(bvh, desc.strict);
        check_again(bvh);
        if (way != 1)
            use_bvh(bvh);
        sinew_bvh_destroy(bvh);
    }
    return 0;
}

// ---- Mutations ----------------------------------------------------------------------------------------------

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u; // Numerical Recipes' generator
    return *state >> 8;
}

// A word, with the blanks before it: [*start, *end).
static void find_fuzz_word(const uint8_t *data, size_t size, size_t from, size_t *start,
                           size_t *end)
{
    *start = from;
    while (*start > 0 && data[*start - 1] > ' ')
        (*start)--;
    *end = from;
    while (*end < size && data[*end] <= ' ')
        (*end)++;
    while (*end < size && data[*end] > ' ')
        (*end)++;
}

static size_t exchange(uint8_t *data, size_t size, size_t max_size, size_t start, size_t end,
                       const void *by, size_t by_size)
{
    if (size - (end - start) + by_size > max_size)
        return 0;
    memmove(data + start + by_size, data + end, size - end);
    if (by_size)
        memcpy(data + start, by, by_size);
    return size - (end - start) + by_size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    static const char *const words[] = {" {",
                                        " }",
                                        "\n",
                                        " ROOT",
                                        " JOINT b",
                                        " End Site",
                                        " OFFSET 0 1 0",
                                        " CHANNELS 0",
                                        " CHANNELS 3 Zrotation Xrotation Yrotation",
                                        " CHANNELS 1 Xposition",
                                        " Yposition",
                                        " Zrotation",
                                        " MOTION",
                                        " Frames: 2",
                                        " Frame Time: 0.1",
                                        " nan",
                                        " -1.#IND",
                                        " 1e30",
                                        " 1e-300",
                                        " -.5",
                                        " 12345678901234567890.5",
                                        " #x\n",
                                        " //x\n",
                                        " 0",
                                        " 90",
                                        " 4294967295",
                                        " JOINT a\n{\nOFFSET 1 2 3\nCHANNELS 0\n}\n",
                                        " \xC4",
                                        "\r",
                                        "\t"};
    uint32_t state = seed;
    size_t changed = 0;
    if (size > 0 && seed % 2) {
        size_t start, end, start2, end2;
        uint8_t copy[256];
        find_fuzz_word(data, size, next_random(&state) % size, &start, &end);
        find_fuzz_word(data, size, next_random(&state) % size, &start2, &end2);
        const size_t length = end2 - start2 < sizeof copy ? end2 - start2 : sizeof copy;
        memcpy(copy, data + start2, length);
        const char *word = words[next_random(&state) % (sizeof words / sizeof *words)];
        switch (next_random(&state) % 5) {
        case 0:
            changed = exchange(data, size, max_size, start, end, NULL, 0);
            break;
        case 1:
            changed = exchange(data, size, max_size, start, start, word, strlen(word));
            break;
        case 2:
            changed = exchange(data, size, max_size, start, end, word, strlen(word));
            break;
        case 3:
            changed = exchange(data, size, max_size, start, start, copy, length);
            break;
        default:
            changed = exchange(data, size, max_size, start, end, copy, length);
            break;
        }
    }
    if (changed == 0 && LLVMFuzzerMutate)
        changed = LLVMFuzzerMutate(data, size, max_size);
    return changed ? changed : size;
}
