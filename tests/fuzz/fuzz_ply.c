// SPDX-License-Identifier: MIT
// Fuzz target: any bytes as a PLY file. What is read is finite, and comes back the same from what
// is written of it, as text and as bytes; what is refused is refused with a code, a place in the
// file and a sentence.
#undef NDEBUG
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "extras/ply.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_ply(const sinew_ply *ply)
{
    assert(ply->positions);
    for (size_t i = 0; i < 3 * (size_t)ply->point_count; i++) {
        assert(isfinite(ply->positions[i]));
        assert(!ply->normals || isfinite(ply->normals[i]));
        assert(!ply->colors || (ply->colors[i] >= 0.0f && ply->colors[i] <= 1.0f));
    }
}

static void check_same(const void *a, const void *b, size_t count, size_t size)
{
    assert(!a == !b && (!a || memcmp(a, b, count * size) == 0));
}

static void write_again(const sinew_ply *ply, bool ascii)
{
    const sinew_ply_content content = {.point_count = ply->point_count,
                                       .positions = ply->positions,
                                       .normals = ply->normals,
                                       .colors = ply->colors,
                                       .groups = ply->groups,
                                       .ascii = ascii};
    uint8_t *bytes;
    size_t size;
    sinew_ply again;
    assert(sinew_ply_encode(&content, &bytes, &size) == SINEW_OK);
    assert(sinew_ply_read(bytes, size, &again, NULL) == SINEW_OK);
    free(bytes);
    const size_t n = ply->point_count;
    assert(again.point_count == n && !ply->colors == !again.colors);
    check_same(ply->positions, again.positions, n, 3 * sizeof(float));
    check_same(ply->normals, again.normals, n, 3 * sizeof(float));
    assert(!ply->groups == !again.groups);
    for (size_t i = 0; ply->groups && i < n; i++)
        assert(again.groups[i] ==
               (ply->groups[i] <= INT32_MAX ? ply->groups[i] : SINEW_PLY_NO_GROUP));
    sinew_ply_destroy(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sinew_ply ply;
    sinew_error error;
    memset(&error, 0xFF, sizeof error);
    sinew_result result = sinew_ply_read(data, size, &ply, &error);
    if (result == SINEW_OK) {
        check_ply(&ply);
        write_again(&ply, false);
        write_again(&ply, true);
    } else {
        assert(!ply.positions && !ply.normals && !ply.colors && !ply.groups && !ply.point_count);
        assert(error.code == result && error.message[0] && error.offset <= size);
        assert(memchr(error.message, '\0', sizeof error.message));
        assert(!error.line == !error.column);
    }
    sinew_ply_destroy(&ply);
    return 0;
}
