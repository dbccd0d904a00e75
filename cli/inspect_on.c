// SPDX-License-Identifier: MIT
// Clips of one file on the rigs of another: a library of the clips, a binding and a report for each
// clip and rig.
#include "cli/inspect_on.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/text.h"

struct inspect_on {
    const char *file, *other;
    const sinew_document *document; // of FILE, the caller's
    sinew_document *rigs;           // of OTHER
    sinew_bind_report **reports;    // [rig_count][clip_count]
    size_t report_count;            // made so far
};

static const sinew_bind_report *report_of(const inspect_on *on, uint32_t rig, uint32_t clip)
{
    return on->reports[(size_t)rig * on->document->clip_count + clip];
}

void inspect_on_free(inspect_on *on)
{
    if (!on)
        return;
    for (size_t i = 0; i < on->report_count; i++)
        sinew_bind_report_destroy(on->reports[i]);
    free(on->reports);
    sinew_document_destroy(on->rigs);
    free(on);
}

// Reports of all clips of the library on one rig.
static sinew_result report_rig(inspect_on *on, const sinew_clip_library *library, uint32_t rig,
                               sinew_error *error)
{
    sinew_skeleton *skeleton;
    sinew_result result = sinew_document_rig_skeleton(on->rigs, rig, NULL, &skeleton, error);
    for (uint32_t c = 0; result == SINEW_OK && c < sinew_clip_library_count(library); c++) {
        sinew_clip_binding *binding = NULL;
        result = sinew_clip_library_bind(library, sinew_clip_library_at(library, c)->name, skeleton,
                                         NULL, &binding, error);
        if (result == SINEW_OK)
            result = sinew_bind_report_create(binding, NULL, &on->reports[on->report_count]);
        on->report_count += result == SINEW_OK;
        sinew_clip_binding_destroy(binding);
    }
    sinew_skeleton_destroy(skeleton);
    return result;
}

// The clips' names are unique in their document, so that clip c is entry c of an empty library.
static sinew_result report_all(inspect_on *on, sinew_error *error)
{
    uint32_t rigs = on->rigs->rig_count, clips = on->document->clip_count;
    on->reports = calloc((size_t)rigs * clips, sizeof(sinew_bind_report *));
    sinew_clip_library *library = NULL;
    sinew_result result =
        on->reports ? sinew_clip_library_create(NULL, &library) : SINEW_ERROR_OUT_OF_MEMORY;
    if (result == SINEW_OK)
        result = sinew_clip_library_read_document(library, on->document, NULL, NULL, error);
    for (uint32_t r = 0; result == SINEW_OK && r < rigs; r++)
        result = report_rig(on, library, r, error);
    sinew_clip_library_destroy(library);
    return result;
}

int inspect_on_make(const char *file, const sinew_document *document, const char *other,
                    bool strict, bool json, inspect_on **out)
{
    sinew_error error = {0};
    *out = NULL;
    if (document->clip_count == 0) {
        error = (sinew_error){.code = SINEW_ERROR_NOT_FOUND,
                              .path = "animations",
                              .message = "the file has no clips to play on another rig"};
        return cli_input_error(file, &error, json);
    }
    inspect_on *on = calloc(1, sizeof *on);
    if (!on) {
        error.code = SINEW_ERROR_OUT_OF_MEMORY;
        return cli_input_error(file, &error, json);
    }
    on->file = file;
    on->other = other;
    on->document = document;
    int status = cli_open("inspect", other, strict, json, &on->rigs);
    if (status == CLI_EXIT_OK && on->rigs->rig_count == 0) {
        error = (sinew_error){.code = SINEW_ERROR_NOT_FOUND,
                              .path = "skins",
                              .message = "the file has no rig: it has neither skins nor clips"};
        status = cli_input_error(other, &error, json);
    } else if (status == CLI_EXIT_OK) {
        sinew_result result = report_all(on, &error);
        error.code = result;
        if (result != SINEW_OK)
            status = cli_input_error(other, &error, json);
    }
    if (status == CLI_EXIT_OK)
        *out = on;
    else
        inspect_on_free(on);
    return status;
}

// ---- JSON -------------------------------------------------------------------------------------------------

static const char *const property_words[] = {"translation", "rotation", "scale"};

static void write_lines(json_writer *w, const char *key, const char *index,
                        const sinew_bind_line *lines, uint32_t count)
{
    json_open_array(w, key);
    for (uint32_t i = 0; i < count; i++) {
        json_open_object(w, NULL);
        json_text(w, "name", lines[i].name);
        json_whole(w, index, lines[i].index);
        if (lines[i].properties) {
            json_open_array(w, "properties");
            for (int p = 0; p < 3; p++)
                if (lines[i].properties >> p & 1)
                    json_text(w, NULL, property_words[p]);
            json_close_array(w);
        }
        json_close_object(w);
    }
    json_close_array(w);
}

void inspect_on_write(const inspect_on *on, json_writer *w)
{
    json_open_object(w, "on");
    json_text(w, "file", on->other);
    json_open_array(w, "rigs");
    for (uint32_t r = 0; r < on->rigs->rig_count; r++) {
        json_open_object(w, NULL);
        json_whole(w, "index", r);
        json_text(w, "name", on->rigs->rigs[r].name);
        json_whole(w, "joint_count", on->rigs->rigs[r].node_count);
        json_open_array(w, "clips");
        for (uint32_t c = 0; c < on->document->clip_count; c++) {
            const sinew_bind_report *report = report_of(on, r, c);
            json_open_object(w, NULL);
            json_whole(w, "index", c);
            json_text(w, "name", report->clip_name);
            json_whole(w, "track_count", report->track_count);
            json_whole(w, "moving_track_count", report->moving_track_count);
            json_whole(w, "unmatched_track_count", report->unmatched_track_count);
            json_whole(w, "repeated_track_count", report->repeated_track_count);
            json_whole(w, "weight_track_count", report->weight_track_count);
            json_whole(w, "moved_joint_count", report->moved_joint_count);
            write_lines(w, "unmatched", "node", report->unmatched, report->unmatched_count);
            write_lines(w, "repeated", "node", report->repeated, report->repeated_count);
            write_lines(w, "resting", "joint", report->resting, report->resting_count);
            json_close_object(w);
        }
        json_close_array(w);
        json_close_object(w);
    }
    json_close_array(w);
    json_close_object(w);
}

// ---- For a person -----------------------------------------------------------------------------------------

// Names in lines of some width: "  TITLE: a, b (3 clips), c".
typedef struct name_list {
    const char *title;
    size_t column; // 0: nothing was listed yet
} name_list;

// `clips` 0: without a number.
static void list_name(name_list *list, const char *name, const char *thing, uint32_t index,
                      uint32_t clips)
{
    enum { COLUMNS = 96 };
    size_t width = strlen(name) + (clips ? 14 : 2);
    if (!list->column) {
        list->column = (size_t)printf("  %s: ", list->title);
    } else if (list->column + width > COLUMNS) {
        fputs(",\n    ", stdout);
        list->column = 4;
    } else {
        fputs(", ", stdout);
        list->column += 2;
    }
    list->column += name[0] ? cli_put_text(stdout, name) : (size_t)printf("(%s %u)", thing, index);
    if (clips)
        list->column += (size_t)printf(" (%u %s)", clips, clips == 1 ? "clip" : "clips");
}

static void end_names(const name_list *list)
{
    if (list->column)
        putchar('\n');
}

// Of how many clips each node has no joint, or comes behind another; and which joints all clips
// leave at rest. `counts` [most of nodes and joints].
static void print_rig_lists(const inspect_on *on, uint32_t rig, uint32_t *counts)
{
    const sinew_document *d = on->document;
    for (int list = 0; list < 2; list++) {
        name_list names = {list ? "behind another node of the name" : "no joint for", 0};
        memset(counts, 0, d->node_count * sizeof *counts);
        for (uint32_t c = 0; c < d->clip_count; c++) {
            const sinew_bind_report *report = report_of(on, rig, c);
            const sinew_bind_line *lines = list ? report->repeated : report->unmatched;
            uint32_t count = list ? report->repeated_count : report->unmatched_count;
            for (uint32_t i = 0; i < count; i++)
                counts[lines[i].index]++;
        }
        for (uint32_t n = 0; n < d->node_count; n++)
            if (counts[n])
                list_name(&names, d->nodes[n].name, "node", n,
                          counts[n] == d->clip_count ? 0 : counts[n]);
        end_names(&names);
    }
    uint32_t joints = report_of(on, rig, 0)->joint_count;
    memset(counts, 0, joints * sizeof *counts);
    for (uint32_t c = 0; c < d->clip_count; c++)
        for (uint32_t i = 0; i < report_of(on, rig, c)->resting_count; i++)
            counts[report_of(on, rig, c)->resting[i].index]++;
    name_list names = {"moved by no clip", 0};
    const sinew_bind_report *report = report_of(on, rig, 0);
    for (uint32_t i = 0; i < report->resting_count; i++) // what rests in all rests in the first
        if (counts[report->resting[i].index] == d->clip_count)
            list_name(&names, report->resting[i].name, "joint", (uint32_t)report->resting[i].index,
                      0);
    end_names(&names);
}

bool inspect_on_print(const inspect_on *on)
{
    const sinew_document *d = on->document;
    size_t room = d->node_count;
    for (uint32_t r = 0; r < on->rigs->rig_count; r++)
        if (on->rigs->rigs[r].node_count > room)
            room = on->rigs->rigs[r].node_count;
    uint32_t *counts = calloc(room + 1, sizeof *counts);
    if (!counts)
        return false;
    for (uint32_t r = 0; r < on->rigs->rig_count; r++) {
        printf("%u %s of ", d->clip_count, d->clip_count == 1 ? "clip" : "clips");
        cli_put_text(stdout, on->file);
        printf(" on rig %u '", r);
        cli_put_text(stdout, on->rigs->rigs[r].name);
        fputs("' of ", stdout);
        cli_put_text(stdout, on->other);
        fputs("\nclip     tracks of       joints of       name\n", stdout);
        for (uint32_t c = 0; c < d->clip_count; c++) {
            const sinew_bind_report *report = report_of(on, r, c);
            printf("%4u  %9u / %-6u %6u / %-6u '", c, report->moving_track_count,
                   report->track_count - report->weight_track_count, report->moved_joint_count,
                   report->joint_count);
            cli_put_text(stdout, report->clip_name);
            fputs("'\n", stdout);
        }
        print_rig_lists(on, r, counts);
    }
    free(counts);
    return true;
}
