// SPDX-License-Identifier: MIT
// Opening what FILE stands for, and saying what is wrong with it.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/json_writer.h"
#include "cli/text.h"
#include "sinew/gltf.h"
#include "sinew_codecs.h"
#include "sinew_fixtures.h"

enum { PACK_FILE_SIZE = 1 << 28 };

// Why a file cannot be read: the library's way to it tells no more than that it cannot.
static const char *why_unread(const char *path)
{
    errno = 0;
    FILE *file = fopen(path, "rb");
    if (file) {
        (void)fgetc(file); // a folder may be opened, and not read
        int reason = ferror(file) ? errno : 0;
        fclose(file);
        errno = reason;
    }
    return errno ? strerror(errno) : NULL;
}

int cli_input_error(const char *file, const sinew_error *error, bool json)
{
    char place[SINEW_ERROR_PATH_SIZE + 64];
    size_t used = 0;
    place[0] = '\0';
    if (error->line)
        used +=
            (size_t)snprintf(place, sizeof place, "line %u, column %u", error->line, error->column);
    else if (error->offset)
        used +=
            (size_t)snprintf(place, sizeof place, "byte %llu", (unsigned long long)error->offset);
    if (error->path[0])
        snprintf(place + used, sizeof place - used, "%s%s", used ? ", " : "", error->path);
    if (!place[0])
        snprintf(place, sizeof place, "the file");
    char unread[SINEW_ERROR_MESSAGE_SIZE];
    const char *message = error->message[0] ? error->message : sinew_result_message(error->code);
    const char *why = error->code == SINEW_ERROR_IO && !error->path[0] ? why_unread(file) : NULL;
    if (why) {
        snprintf(unread, sizeof unread, "cannot be read: %s", why);
        message = unread;
    }
    cli_put_text(stderr, file); // one line, whatever bytes names hold
    fputs(": ", stderr);
    cli_put_text(stderr, place);
    fputs(": ", stderr);
    cli_put_text(stderr, message);
    putc('\n', stderr);
    if (json) {
        json_writer w = {stdout, false};
        json_open_object(&w, NULL);
        json_text(&w, "file", file);
        json_open_array(&w, "findings");
        json_open_object(&w, NULL);
        json_text(&w, "severity", "error");
        json_text(&w, "code", sinew_result_word(error->code));
        json_text(&w, "where", error->path[0] ? error->path : place);
        json_whole(&w, "count", 1);
        json_whole(&w, "worst", 0);
        json_text(&w, "message", message);
        json_whole(&w, "line", error->line);
        json_whole(&w, "column", error->column);
        json_whole(&w, "offset", (int64_t)error->offset);
        json_close_object(&w);
        json_close_array(&w);
        json_close_object(&w);
        putchar('\n');
        int status = cli_finish_output(NULL);
        if (status != CLI_EXIT_OK)
            return status;
    }
    return CLI_EXIT_INPUT;
}

int cli_finish_output(const char *command)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return CLI_EXIT_OK;
    fprintf(stderr, "sinew%s%s: standard output cannot be written\n", command ? " " : "",
            command ? command : "");
    return CLI_EXIT_WRITE;
}

char *cli_read_file(const char *path, size_t most, size_t *out_size, sinew_error *error)
{
    memset(error, 0, sizeof *error);
    error->code = SINEW_ERROR_IO;
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t size = 0, room = 0;
    for (bool more = file != NULL; more;) {
        if (size + 1 >= room) {
            room = room ? 2 * room : 1 << 16;
            char *larger = room <= most ? realloc(text, room) : NULL;
            if (!larger) {
                error->code = room > most ? SINEW_ERROR_LIMIT_EXCEEDED : SINEW_ERROR_OUT_OF_MEMORY;
                break;
            }
            text = larger;
        }
        size_t got = fread(text + size, 1, room - 1 - size, file);
        size += got;
        more = got > 0;
        if (!more && !ferror(file))
            error->code = SINEW_OK;
    }
    if (file)
        fclose(file);
    if (error->code != SINEW_OK) {
        free(text);
        return NULL;
    }
    text[size] = '\0';
    *out_size = size;
    return text;
}

static int read_pack(const char *file, bool json, sinew_stream_pack **out)
{
    sinew_error error;
    size_t size;
    char *text = cli_read_file(file, PACK_FILE_SIZE, &size, &error);
    if (!text)
        return cli_input_error(file, &error, json);
    sinew_result result = sinew_stream_pack_read(text, size, file, NULL, out, &error);
    free(text);
    return result == SINEW_OK ? CLI_EXIT_OK : cli_input_error(file, &error, json);
}

int cli_open_pack(const char *command, const char *file, bool json, sinew_stream_pack **out)
{
    *out = NULL;
    if (strcmp(file, "@bird") == 0) {
        sinew_error error = {.code = sinew_fixture_bird(NULL, out)};
        return error.code == SINEW_OK ? CLI_EXIT_OK : cli_input_error(file, &error, json);
    }
    if (cli_ends_with(file, ".pack.json"))
        return read_pack(file, json, out);
    return cli_usage(command, "a .pack.json or @bird is expected, not '%s'", file);
}

static int open_pack(const char *command, const char *file, bool json, sinew_document **out)
{
    sinew_stream_pack *pack;
    int status = cli_open_pack(command, file, json, &pack);
    if (status == CLI_EXIT_OK)
        *out = sinew_stream_pack_take_document(pack);
    sinew_stream_pack_destroy(pack);
    return status;
}

// Fixtures are named with numbers behind colons: @strip:3:100.
static int open_fixture(const char *command, const char *file, bool json, sinew_document **out)
{
    uint64_t numbers[2] = {0, 0};
    unsigned count = 0;
    const char *colon = strchr(file, ':');
    size_t name_size = colon ? (size_t)(colon - file) : strlen(file);
    for (const char *at = colon; at; count++) {
        char text[16];
        const char *next = strchr(at + 1, ':');
        size_t size = next ? (size_t)(next - at) - 1 : strlen(at + 1);
        if (count == 2 || size >= sizeof text)
            return cli_usage(command, "'%s': too many or too large numbers", file);
        memcpy(text, at + 1, size);
        text[size] = '\0';
        if (!cli_whole(text, 100000000, &numbers[count]))
            return cli_usage(command, "'%s': '%s' is not a whole number up to 100,000,000", file,
                             text);
        at = next;
    }
    sinew_result result;
    if (name_size == 9 && memcmp(file, "@creature", 9) == 0 && count == 0)
        result = sinew_fixture_creature(NULL, out);
    else if (name_size == 4 && memcmp(file, "@cub", 4) == 0 && count == 0)
        result = sinew_fixture_cub(NULL, out);
    else if (name_size == 7 && memcmp(file, "@seated", 7) == 0 && count == 0)
        result = sinew_fixture_seated(NULL, out);
    else if (name_size == 5 && memcmp(file, "@bird", 5) == 0 && count == 0)
        return open_pack(command, file, json, out);
    else if (name_size == 6 && memcmp(file, "@chain", 6) == 0 && count == 1)
        result = sinew_fixture_chain((uint32_t)numbers[0], 1.0f, NULL, out);
    else if (name_size == 6 && memcmp(file, "@strip", 6) == 0 && count == 2)
        result = sinew_fixture_strip((uint32_t)numbers[0], (uint32_t)numbers[1], 1.0f, NULL, out);
    else
        return cli_usage(command,
                         "'%s' is none of @creature, @cub, @seated, @bird, @chain:JOINTS and "
                         "@strip:JOINTS:VERTICES",
                         file);
    if (result == SINEW_OK)
        return CLI_EXIT_OK;
    if (result == SINEW_ERROR_INVALID_ARGUMENT)
        return cli_usage(command,
                         "'%s': a figure has 1 to %d joints, and a strip at least 1 vertex", file,
                         SINEW_MAX_JOINTS);
    sinew_error error = {.code = result};
    snprintf(error.message, sizeof error.message, "the character cannot be made: %s",
             sinew_result_message(result));
    return cli_input_error(file, &error, json);
}

bool cli_ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), size = strlen(ending);
    if (length < size)
        return false;
    for (size_t i = 0; i < size; i++) {
        char c = text[length - size + i];
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != ending[i])
            return false;
    }
    return true;
}

cli_bvh_options cli_bvh;

// A file of another format than its name says: which one it looks like.
static void tell_format(const char *path, sinew_error *error)
{
    char start[4096];
    FILE *file = error->code == SINEW_ERROR_FORMAT_UNKNOWN ? fopen(path, "rb") : NULL;
    if (!file)
        return;
    const size_t size = fread(start, 1, sizeof start, file), used = strlen(error->message);
    fclose(file);
    const char *ending = sinew_bvh_detect(start, size)                ? ".bvh"
                         : size > 4 && sinew_gltf_detect(start, size) ? ".glb or .gltf"
                                                                      : NULL;
    if (ending)
        snprintf(error->message + used, sizeof error->message - used,
                 "; by its start it should be named %s", ending);
}

int cli_open_bvh(const char *command, const char *file, bool strict, bool json, sinew_bvh **out)
{
    *out = NULL;
    sinew_bvh_desc desc = sinew_bvh_desc_default();
    desc.strict = strict;
    desc.skip_ends = cli_bvh.skip_ends;
    desc.cut_first_frame = cli_bvh.cut_first_frame;
    if (cli_bvh.scale &&
        (!cli_number(cli_bvh.scale, &desc.units) || !(desc.units >= 1e-6 && desc.units <= 1e6)))
        return cli_usage(command, "--scale takes a factor from 0.000001 to 1,000,000, not '%s'",
                         cli_bvh.scale);
    sinew_error error = {0};
    sinew_result result = sinew_bvh_load(file, &desc, out, &error);
    tell_format(file, &error);
    return result == SINEW_OK ? CLI_EXIT_OK : cli_input_error(file, &error, json);
}

int cli_open(const char *command, const char *file, bool strict, bool json, sinew_document **out)
{
    *out = NULL;
    if (file[0] == '@')
        return open_fixture(command, file, json, out);
    sinew_error error = {0};
    if (cli_ends_with(file, ".pack.json"))
        return open_pack(command, file, json, out);
    if (cli_ends_with(file, ".pack")) {
        error.code = SINEW_ERROR_UNSUPPORTED;
        snprintf(error.message, sizeof error.message,
                 "packs are JSON here, and their names end in .pack.json");
        return cli_input_error(file, &error, json);
    }
    if (cli_ends_with(file, ".sinew") || cli_ends_with(file, ".bar")) {
        error.code = SINEW_ERROR_UNSUPPORTED;
        snprintf(error.message, sizeof error.message,
                 cli_ends_with(file, ".bar")
                     ? "raw sampled clips are read by 'sinew compress'; here a document is expected"
                     : "runtime clips are read by 'sinew inspect'; here a document is expected");
        return cli_input_error(file, &error, json);
    }
    if (cli_ends_with(file, ".set.json")) {
        error.code = SINEW_ERROR_UNSUPPORTED;
        snprintf(error.message, sizeof error.message,
                 "animation sets are read by 'sinew inspect' and 'sinew play'; here a character is "
                 "expected");
        return cli_input_error(file, &error, json);
    }
    if (cli_ends_with(file, ".bvh")) {
        sinew_bvh *bvh;
        int status = cli_open_bvh(command, file, strict, json, &bvh);
        if (status != CLI_EXIT_OK)
            return status;
        sinew_result result = sinew_bvh_make_document(bvh, NULL, out, &error);
        sinew_bvh_destroy(bvh);
        return result == SINEW_OK ? CLI_EXIT_OK : cli_input_error(file, &error, json);
    }
    sinew_import_desc desc = sinew_import_desc_default();
    desc.strict = strict;
    desc.codecs = sinew_codecs();
    sinew_result result = sinew_gltf_load(file, &desc, out, &error);
    tell_format(file, &error);
    return result == SINEW_OK ? CLI_EXIT_OK : cli_input_error(file, &error, json);
}

int cli_find_clip(const char *file, const sinew_document *document, const char *clip, bool json,
                  uint32_t *out)
{
    uint64_t index;
    sinew_error error = {.code = SINEW_ERROR_NOT_FOUND};
    if (clip[0] && clip[strspn(clip, "0123456789")] == '\0') {
        if (cli_whole(clip, UINT32_MAX, &index) && index < document->clip_count) {
            *out = (uint32_t)index;
            return CLI_EXIT_OK;
        }
    } else {
        int32_t found = sinew_document_find_clip(document, clip);
        if (found >= 0) {
            *out = (uint32_t)found;
            for (uint32_t c = 0; c < document->clip_count; c++)
                if (c != *out && strcmp(document->clip_names[c], clip) == 0) {
                    cli_put_text(stderr, file);
                    fputs(": animations: warning: several clips are named '", stderr);
                    cli_put_text(stderr, clip);
                    fprintf(stderr, "'; clip %u is taken\n", *out);
                    break;
                }
            return CLI_EXIT_OK;
        }
    }
    int used = snprintf(error.message, sizeof error.message, "there is no clip '%.100s'; ", clip);
    if (document->clip_count == 0)
        snprintf(error.message + used, sizeof error.message - (size_t)used, "the file has none");
    else
        snprintf(error.message + used, sizeof error.message - (size_t)used,
                 "the file has %u, from 0 '%.100s' to %u '%.100s'", document->clip_count,
                 sinew_clip_name(document->clips[0]), document->clip_count - 1,
                 sinew_clip_name(document->clips[document->clip_count - 1]));
    snprintf(error.path, sizeof error.path, "animations");
    return cli_input_error(file, &error, json);
}

int cli_find_rig(const char *file, const sinew_document *document, const char *rig, bool json,
                 uint32_t *out)
{
    uint64_t index = UINT64_MAX;
    const bool digits = rig[0] && rig[strspn(rig, "0123456789")] == '\0';
    if (digits && !cli_whole(rig, UINT32_MAX, &index))
        index = UINT64_MAX;
    for (uint32_t r = 0; !digits && r < document->rig_count && index == UINT64_MAX; r++)
        if (strcmp(document->rigs[r].name, rig) == 0)
            index = r;
    if (index < document->rig_count) {
        *out = (uint32_t)index;
        return CLI_EXIT_OK;
    }
    sinew_error error = {.code = SINEW_ERROR_NOT_FOUND};
    int used = snprintf(error.message, sizeof error.message, "there is no rig '%.100s'; ", rig);
    if (document->rig_count == 0)
        snprintf(error.message + used, sizeof error.message - (size_t)used, "the file has none");
    else
        snprintf(error.message + used, sizeof error.message - (size_t)used,
                 "the file has %u, from 0 '%.100s' on", document->rig_count,
                 document->rigs[0].name);
    snprintf(error.path, sizeof error.path, "rigs");
    return cli_input_error(file, &error, json);
}
