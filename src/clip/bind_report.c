// SPDX-License-Identifier: MIT
// How a clip fits a skeleton, in names: what of the clip found no joint, what of the skeleton it
// leaves at rest. Made from the binding, which has decided all of it; one block with all names, so
// that the report outlives clip and skeleton.
#include <stdio.h>
#include <string.h>

#include "clip/clip_internal.h"
#include "sinew/clip_library.h"

typedef struct bind_report {
    sinew_bind_report view; // first: a sinew_bind_report * is one
    sinew_allocator allocator;
    size_t block_size;
} bind_report;

// Where lines and names go. The first walk has no lines and only counts.
typedef struct report_room {
    sinew_bind_line *lines;
    char *text;
    size_t line_count, text_size;
} report_room;

// A line for a property of a node or joint; a node's properties come one after the other and share
// its line. Returns how many lines that made.
static uint32_t add_bind_line(report_room *room, size_t list_start, const char *name, int32_t index,
                              uint8_t properties, int32_t *last_index)
{
    if (room->line_count > list_start && *last_index == index) {
        if (room->lines)
            room->lines[room->line_count - 1].properties |= properties;
        return 0;
    }
    *last_index = index;
    size_t size = strlen(name) + 1;
    if (room->lines) {
        char *text = room->text + room->text_size;
        memcpy(text, name, size);
        room->lines[room->line_count] = (sinew_bind_line){text, index, properties};
    }
    room->line_count++;
    room->text_size += size;
    return 1;
}

static void list_unmatched(const sinew_clip_binding *binding, report_room *room,
                           sinew_bind_report *view)
{
    size_t start = room->line_count;
    int32_t last = 0;
    const sinew_track *tracks = sinew_clip_tracks(sinew_clip_binding_clip(binding));
    const uint32_t *unmatched = sinew_clip_binding_unmatched(binding, &view->unmatched_track_count);
    view->unmatched = room->lines ? room->lines + start : NULL;
    for (uint32_t k = 0; k < view->unmatched_track_count; k++) { // by node, then property
        const sinew_track *track = &tracks[unmatched[k]];
        view->unmatched_count += add_bind_line(room, start, track->node_name, track->node,
                                               (uint8_t)(1u << track->property), &last);
    }
}

// Tracks that found a joint whose property an earlier node has. `owned` [joint_count]: the
// properties met so far.
static void list_repeated(const sinew_clip_binding *binding, uint8_t *owned, report_room *room,
                          sinew_bind_report *view)
{
    size_t start = room->line_count;
    int32_t last = 0;
    const sinew_clip *clip = sinew_clip_binding_clip(binding);
    const sinew_skeleton *skeleton = sinew_clip_binding_skeleton(binding);
    view->repeated = room->lines ? room->lines + start : NULL;
    for (uint32_t k = 0; k < clip->track_count; k++) {
        const sinew_track *track = &clip->tracks[clip->by_target[k]];
        int32_t joint = track->property == SINEW_PROPERTY_WEIGHTS || !track->node_name[0]
                            ? -1
                            : sinew_skeleton_find_joint(skeleton, track->node_name);
        if (joint < 0)
            continue;
        uint8_t bit = (uint8_t)(1u << track->property);
        if (owned[joint] & bit)
            view->repeated_count +=
                add_bind_line(room, start, track->node_name, track->node, bit, &last);
        owned[joint] |= bit;
    }
}

static void list_resting(const sinew_clip_binding *binding, report_room *room,
                         sinew_bind_report *view)
{
    size_t start = room->line_count;
    int32_t last = 0;
    const sinew_skeleton *skeleton = sinew_clip_binding_skeleton(binding);
    view->resting = room->lines ? room->lines + start : NULL;
    for (uint32_t j = 0; j < view->joint_count; j++) {
        uint8_t touched = sinew_clip_binding_touches(binding, j);
        view->moving_track_count += sinewi_count_bits(touched);
        view->moved_joint_count += touched != 0;
        if (!touched)
            view->resting_count += add_bind_line(
                room, start, sinew_skeleton_joint_name(skeleton, j), (int32_t)j, 0, &last);
    }
}

// One walk over everything; the same twice.
static void fill_bind_report(const sinew_clip_binding *binding, uint8_t *owned, report_room *room,
                             sinew_bind_report *view)
{
    const sinew_clip *clip = sinew_clip_binding_clip(binding);
    memset(view, 0, sizeof *view);
    view->clip_name = room->text;
    size_t name_size = strlen(clip->name) + 1;
    if (room->text)
        memcpy(room->text, clip->name, name_size);
    room->text_size = name_size;
    view->track_count = clip->track_count;
    view->joint_count = sinew_skeleton_joint_count(sinew_clip_binding_skeleton(binding));
    for (uint32_t t = 0; t < clip->track_count; t++)
        view->weight_track_count += clip->tracks[t].property == SINEW_PROPERTY_WEIGHTS;
    list_unmatched(binding, room, view);
    list_resting(binding, room, view);
    view->repeated_track_count = view->track_count - view->weight_track_count -
                                 view->unmatched_track_count - view->moving_track_count;
    if (!view->repeated_track_count)
        return; // always so for bindings by node
    memset(owned, 0, view->joint_count);
    list_repeated(binding, owned, room, view);
}

sinew_result sinew_bind_report_create(const sinew_clip_binding *binding,
                                      const sinew_allocator *allocator, sinew_bind_report **out)
{
    if (out)
        *out = NULL;
    if (!binding || !out)
        return SINEW_ERROR_INVALID_ARGUMENT;
    sinew_allocator memory = sinewi_allocator(allocator);
    size_t owned_size = sinew_skeleton_joint_count(sinew_clip_binding_skeleton(binding));
    uint8_t *owned = sinewi_alloc(&memory, owned_size, 16);
    if (!owned)
        return SINEW_ERROR_OUT_OF_MEMORY;
    sinew_bind_report counted;
    report_room room = {NULL, NULL, 0, 0};
    fill_bind_report(binding, owned, &room, &counted);
    // as many lines as joints and tracks, and their names, all of which are in memory already
    size_t lines_at = (sizeof(bind_report) + 15) / 16 * 16;
    size_t text_at = lines_at + room.line_count * sizeof(sinew_bind_line);
    size_t size = text_at + room.text_size;
    char *block = sinewi_alloc(&memory, size, 16);
    if (block) {
        bind_report *report = (bind_report *)(void *)block;
        report->allocator = memory;
        report->block_size = size;
        room = (report_room){(sinew_bind_line *)(void *)(block + lines_at), block + text_at, 0, 0};
        fill_bind_report(binding, owned, &room, &report->view);
        *out = &report->view;
    }
    sinewi_free(&memory, owned, owned_size, 16);
    return block ? SINEW_OK : SINEW_ERROR_OUT_OF_MEMORY;
}

void sinew_bind_report_destroy(sinew_bind_report *report)
{
    if (!report)
        return;
    bind_report *block = (bind_report *)(void *)report;
    sinew_allocator allocator = block->allocator;
    sinewi_free(&allocator, block, block->block_size, 16);
}

// ---- As text ----------------------------------------------------------------------------------------------

typedef struct report_writer {
    char *out;
    size_t size, length; // bytes of out; bytes of the whole so far
} report_writer;

static void put_report_text(report_writer *w, const char *text)
{
    size_t length = strlen(text);
    if (w->length < w->size) {
        size_t fits = w->size - w->length;
        memcpy(w->out + w->length, text, length < fits ? length : fits);
    }
    w->length += length;
}

static void put_report_number(report_writer *w, uint32_t number)
{
    char text[16];
    snprintf(text, sizeof text, "%u", number);
    put_report_text(w, text);
}

// "  TITLE: hat (translation, rotation), shoe (scale)"; nameless things by their index.
static void put_report_lines(report_writer *w, const char *title, const char *thing,
                             const sinew_bind_line *lines, uint32_t count)
{
    static const char *const words[] = {"translation", "rotation", "scale"};
    for (uint32_t i = 0; i < count; i++) {
        put_report_text(w, i ? ", " : title);
        char nameless[24];
        snprintf(nameless, sizeof nameless, "%s %d", thing, lines[i].index);
        put_report_text(w, lines[i].name[0] ? lines[i].name : nameless);
        const char *before = " (";
        for (int p = 0; p < 3; p++)
            if (lines[i].properties >> p & 1) {
                put_report_text(w, before);
                put_report_text(w, words[p]);
                before = ", ";
            }
        if (lines[i].properties)
            put_report_text(w, ")");
    }
    if (count)
        put_report_text(w, "\n");
}

size_t sinew_bind_report_text(const sinew_bind_report *report, char *out, size_t size)
{
    report_writer w = {out, out ? size : 0, 0};
    if (w.size)
        out[0] = '\0';
    if (!report)
        return 0;
    put_report_text(&w, "clip '");
    put_report_text(&w, report->clip_name);
    put_report_text(&w, "': ");
    put_report_number(&w, report->moving_track_count);
    put_report_text(&w, " of ");
    put_report_number(&w, report->track_count - report->weight_track_count);
    put_report_text(&w, " tracks move ");
    put_report_number(&w, report->moved_joint_count);
    put_report_text(&w, " of ");
    put_report_number(&w, report->joint_count);
    put_report_text(&w, " joints");
    if (report->weight_track_count) {
        put_report_text(&w, "; tracks of morph weights: ");
        put_report_number(&w, report->weight_track_count);
    }
    put_report_text(&w, "\n");
    put_report_lines(&w, "  no joint for: ", "node", report->unmatched, report->unmatched_count);
    put_report_lines(&w, "  another node has the joint of: ", "node", report->repeated,
                     report->repeated_count);
    put_report_lines(&w, "  at rest: ", "joint", report->resting, report->resting_count);
    if (w.size) {
        size_t end = w.length < w.size ? w.length : w.size - 1;
        if (w.length >= w.size) // not through a UTF-8 character: 10xxxxxx goes on with one
            while (end && ((unsigned char)out[end] & 0xC0) == 0x80)
                end--;
        out[end] = '\0';
    }
    return w.length;
}
