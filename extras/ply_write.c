// SPDX-License-Identifier: MIT
// Writing PLY files. Nine significant digits tell any two floats apart.
#include "extras/ply.h"

#include "extras/picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLY_MAX_INFLUENCES = 64, PLY_ROOM = 4096 }; // the longest row is far below

typedef struct ply_writer {
    uint8_t *bytes;
    size_t size, room;
    bool failed; // no memory
} ply_writer;

static void ply_put(ply_writer *w, const void *bytes, size_t size)
{
    if (!w->failed && size > w->room - w->size) {
        const size_t room = w->room + w->room / 2 + size + PLY_ROOM;
        uint8_t *larger = room > w->room ? realloc(w->bytes, room) : NULL;
        w->failed = !larger;
        if (larger) {
            w->bytes = larger;
            w->room = room;
        }
    }
    if (w->failed)
        return;
    memcpy(w->bytes + w->size, bytes, size);
    w->size += size;
}

static void ply_put_text(ply_writer *w, const char *text)
{
    ply_put(w, text, strlen(text));
}

static void ply_put_comment(ply_writer *w, const char *text)
{
    ply_put_text(w, "comment ");
    for (const char *c = text; *c; c++)
        ply_put(w, (unsigned char)*c < 0x20 || *c == 0x7F ? "?" : c, 1);
    ply_put_text(w, "\n");
}

static void ply_put_header(ply_writer *w, const sinew_ply_content *c)
{
    char line[80];
    ply_put_text(w,
                 c->ascii ? "ply\nformat ascii 1.0\n" : "ply\nformat binary_little_endian 1.0\n");
    for (uint32_t i = 0; i < c->comment_count; i++)
        ply_put_comment(w, c->comments[i]);
    snprintf(line, sizeof line, "element vertex %u\n", (unsigned)c->point_count);
    ply_put_text(w, line);
    ply_put_text(w, "property float x\nproperty float y\nproperty float z\n");
    if (c->normals)
        ply_put_text(w, "property float nx\nproperty float ny\nproperty float nz\n");
    if (c->colors)
        ply_put_text(w, "property uchar red\nproperty uchar green\nproperty uchar blue\n");
    if (c->groups)
        ply_put_text(w, "property int group\n");
    for (uint32_t k = 0; k < c->influence_count; k++) {
        snprintf(line, sizeof line, "property ushort joint%u\nproperty float weight%u\n",
                 (unsigned)k, (unsigned)k);
        ply_put_text(w, line);
    }
    ply_put_text(w, "end_header\n");
}

// A row in the making: numbers as text or as bytes.
typedef struct ply_row {
    char bytes[PLY_ROOM];
    size_t used;
    bool ascii;
} ply_row;

static void ply_row_bytes(ply_row *row, uint32_t bits, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        row->bytes[row->used++] = (char)(uint8_t)(bits >> (8 * i));
}

static void ply_row_whole(ply_row *row, int32_t value, unsigned size)
{
    if (row->ascii)
        row->used += (size_t)snprintf(row->bytes + row->used, 32, "%d ", (int)value);
    else
        ply_row_bytes(row, (uint32_t)value, size);
}

static void ply_row_single(ply_row *row, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (row->ascii)
        row->used += (size_t)snprintf(row->bytes + row->used, 32, "%.9g ", (double)value);
    else
        ply_row_bytes(row, bits, 4);
}

static void ply_put_points(ply_writer *w, const sinew_ply_content *c)
{
    sinew_srgb srgb;
    sinew_srgb_init(&srgb);
    ply_row row = {.ascii = c->ascii};
    for (size_t p = 0; p < c->point_count && !w->failed; p++) {
        row.used = 0;
        for (size_t i = 0; i < 3; i++)
            ply_row_single(&row, c->positions[3 * p + i]);
        for (size_t i = 0; c->normals && i < 3; i++)
            ply_row_single(&row, c->normals[3 * p + i]);
        for (size_t i = 0; c->colors && i < 3; i++)
            ply_row_whole(&row, sinew_srgb_encode(&srgb, c->colors[3 * p + i]), 1);
        if (c->groups)
            ply_row_whole(&row, c->groups[p] <= INT32_MAX ? (int32_t)c->groups[p] : -1, 4);
        for (size_t k = 0; k < c->influence_count; k++) {
            ply_row_whole(&row, c->joints[p * c->influence_count + k], 2);
            ply_row_single(&row, c->weights[p * c->influence_count + k]);
        }
        if (row.ascii) // the last blank
            row.bytes[row.used - 1] = '\n';
        ply_put(w, row.bytes, row.used);
    }
}

sinew_result sinew_ply_encode(const sinew_ply_content *content, uint8_t **out_bytes,
                              size_t *out_size)
{
    *out_bytes = NULL;
    *out_size = 0;
    if ((content->point_count && !content->positions) ||
        content->influence_count > PLY_MAX_INFLUENCES ||
        (content->influence_count && content->point_count &&
         (!content->joints || !content->weights)))
        return SINEW_ERROR_INVALID_ARGUMENT;
    ply_writer writer = {0};
    ply_put_header(&writer, content);
    ply_put_points(&writer, content);
    if (writer.failed) {
        free(writer.bytes);
        return SINEW_ERROR_OUT_OF_MEMORY;
    }
    *out_bytes = writer.bytes;
    *out_size = writer.size;
    return SINEW_OK;
}
