// SPDX-License-Identifier: MIT
// Reading motion capture: a BVH of some 10 MB in memory, as the files of the CMU database are (31
// joints, 96 channels, four decimals), against strtod on each of its numbers, which is what most
// readers do and less than all of it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "sinew/bvh.h"

enum { MOTION_JOINTS = 31, MOTION_FRAMES = 14000, MOTION_CHANNELS = 3 + 3 * MOTION_JOINTS };

typedef struct motion_data {
    char *text;          // ended by 0
    size_t size, motion; // where the values begin
    sinew_bvh *bvh;
    double sum; // of what was read, so that it is
} motion_data;

static motion_data motion_bench;

typedef struct motion_text {
    char *text;
    size_t size, room;
} motion_text;

static bool motion_put(void *user, const char *text, size_t size)
{
    motion_text *t = user;
    if (t->size + size + 1 > t->room) {
        const size_t room = 2 * (t->size + size) + 4096;
        char *larger = realloc(t->text, room);
        if (!larger)
            return false;
        t->text = larger;
        t->room = room;
    }
    memcpy(t->text + t->size, text, size);
    t->size += size;
    t->text[t->size] = '\0';
    return true;
}

// A chain that swings: angles up to 90 degrees, rounded to four decimals as captured ones are.
static bool make_motion(motion_data *d)
{
    static sinew_bvh_joint joints[MOTION_JOINTS];
    double *values = malloc((size_t)MOTION_FRAMES * MOTION_CHANNELS * sizeof *values);
    uint32_t channels = 0;
    for (uint32_t j = 0; j < MOTION_JOINTS; j++) {
        const uint32_t first = j ? SINEW_BVH_X_ROTATION : SINEW_BVH_X_POSITION;
        joints[j] = (sinew_bvh_joint){.name = "joint",
                                      .parent = (int32_t)j - 1,
                                      .offset = {0.0, 1.5, 0.25},
                                      .first_channel = channels};
        for (uint32_t c = first; c < SINEW_BVH_CHANNEL_COUNT; c++)
            joints[j].channels[joints[j].channel_count++] = (sinew_bvh_channel)c;
        channels += joints[j].channel_count;
    }
    for (uint32_t f = 0; values && f < MOTION_FRAMES; f++)
        for (uint32_t c = 0; c < MOTION_CHANNELS; c++)
            values[(size_t)f * MOTION_CHANNELS + c] =
                floor(900000.0 * sin(0.01 * f + 1.7 * c) + 0.5) / 10000.0;
    const sinew_bvh bvh = {.joints = joints,
                           .joint_count = MOTION_JOINTS,
                           .channel_count = channels,
                           .frame_count = MOTION_FRAMES,
                           .frame_time = 1.0 / 120.0,
                           .values = values};
    motion_text text = {0};
    const bool good = values && sinew_bvh_write(&bvh, motion_put, &text, NULL) == SINEW_OK;
    free(values);
    d->text = text.text;
    d->size = text.size;
    const char *head = good ? strstr(d->text, "Frame Time:") : NULL;
    d->motion = head ? (size_t)(strchr(head, '\n') - d->text) : 0;
    return head && sinew_bvh_read(d->text, d->size, NULL, &d->bvh, NULL) == SINEW_OK;
}

static void run_strtod(void *user)
{
    motion_data *d = user;
    const char *at = d->text + d->motion;
    for (char *end;; at = end) {
        const double value = strtod(at, &end);
        if (end == at)
            return;
        d->sum += value;
    }
}

static void run_read_bvh(void *user)
{
    motion_data *d = user;
    sinew_bvh *bvh;
    if (sinew_bvh_read(d->text, d->size, NULL, &bvh, NULL) != SINEW_OK)
        abort();
    d->sum += bvh->values[bvh->channel_count];
    sinew_bvh_destroy(bvh);
}

static void run_make_document(void *user)
{
    motion_data *d = user;
    sinew_document *document;
    if (sinew_bvh_make_document(d->bvh, NULL, &document, NULL) != SINEW_OK)
        abort();
    d->sum += sinew_clip_duration(document->clips[0]);
    sinew_document_destroy(document);
}

static bool motion_write_nothing(void *user, const char *text, size_t size)
{
    motion_data *d = user;
    d->sum += text[size - 1];
    return true;
}

static void run_write_bvh(void *user)
{
    motion_data *d = user;
    if (sinew_bvh_write(d->bvh, motion_write_nothing, d, NULL) != SINEW_OK)
        abort();
}

void bench_release_motion(void)
{
    sinew_bvh_destroy(motion_bench.bvh);
    free(motion_bench.text);
    memset(&motion_bench, 0, sizeof motion_bench);
}

bool bench_add_motion(bench *b)
{
    static const char *const names[] = {"bvh of 10 MB, strtod", "bvh of 10 MB, read",
                                        "bvh of 10 MB, to a document", "bvh of 10 MB, written"};
    static void (*const runs[])(void *) = {run_strtod, run_read_bvh, run_make_document,
                                           run_write_bvh};
    bool wanted = false;
    for (int i = 0; i < 4; i++)
        wanted |= bench_wants(b, "import", names[i]);
    if (!wanted)
        return true;
    if (!make_motion(&motion_bench))
        return false;
    for (int i = 0; i < 4; i++)
        bench_add(b, "import", names[i], i == 1 ? names[0] : NULL, motion_bench.size, runs[i],
                  &motion_bench);
    return true;
}
