// SPDX-License-Identifier: MIT
// The text of a BVH file: words, numbers, places, and what is noticed on the way.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "import/bvh/bvh_internal.h"

// ---- Faults and findings ------------------------------------------------------------------------------------

bool sinewi_bvh_fail(bvh_reader *r, size_t at, const char *joint, sinew_result code,
                     const char *format, ...)
{
    if (r->result != SINEW_OK)
        return false;
    char message[SINEW_ERROR_MESSAGE_SIZE + 8]; // cut at a character's border below
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    r->result = sinewi_error(r->error, code, joint ? joint : "", "%s", message);
    if (r->error) {
        r->error->offset = at;
        sinewi_copy_text(r->error->file, sizeof r->error->file, r->file);
        sinewi_text_position(r->text, r->size, at, &r->error->line, &r->error->column);
    }
    return false;
}

bool sinewi_bvh_no_memory(bvh_reader *r)
{
    const bool over = r->scratch.over_limit || r->owner->arena.over_limit;
    if (r->result == SINEW_OK) {
        r->result = over ? sinewi_error(r->error, SINEW_ERROR_LIMIT_EXCEEDED, "",
                                        "the file needs more memory than the limit of %zu bytes",
                                        r->scratch.limit)
                         : sinewi_error(r->error, SINEW_ERROR_OUT_OF_MEMORY, "", "out of memory");
        if (r->error)
            sinewi_copy_text(r->error->file, sizeof r->error->file, r->file);
    }
    return false;
}

void sinewi_bvh_count(bvh_note *note, size_t place)
{
    if (note->count++ == 0)
        note->place = place;
}

bool sinewi_bvh_find(bvh_reader *r, sinew_result code, const size_t *place, const char *where,
                     uint64_t count, double worst, const char *format, ...)
{
    char text[SINEW_ERROR_MESSAGE_SIZE + 8], message[SINEW_ERROR_MESSAGE_SIZE], line_text[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sinewi_copy_text(message, sizeof message, text);
    const sinew_severity severity = sinew_result_severity(code);
    if (r->desc->strict && severity >= SINEW_SEVERITY_WARNING)
        return sinewi_bvh_fail(r, place ? *place : 0, where, code, "%s", message);
    if (place) {
        uint32_t line, column;
        sinewi_text_position(r->text, r->size, *place, &line, &column);
        snprintf(line_text, sizeof line_text, "line %u, column %u", line, column);
        where = line_text;
    }
    assert(r->finding_count < BVH_MAX_FINDINGS);
    sinew_finding *found = &r->findings[r->finding_count++];
    sinewi_arena *arena = &r->owner->arena;
    *found = (sinew_finding){.code = code,
                             .severity = severity,
                             .where = sinewi_arena_text(arena, where, strlen(where)),
                             .count = count,
                             .worst = isfinite(worst) ? worst : 0.0,
                             .message = sinewi_arena_text(arena, message, strlen(message))};
    return (found->where && found->message) || sinewi_bvh_no_memory(r);
}

// ---- Words --------------------------------------------------------------------------------------------------

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

bool sinewi_bvh_skip_comment(bvh_reader *r)
{
    if (r->at >= r->size ||
        (r->text[r->at] != '#' && !(r->size - r->at > 1 && memcmp(r->text + r->at, "//", 2) == 0)))
        return false;
    sinewi_bvh_count(&r->comments, r->at);
    while (r->at < r->size && !is_line_end(r->text[r->at]))
        r->at++;
    return true;
}

void sinewi_bvh_skip(bvh_reader *r)
{
    while (r->at < r->size) {
        if (is_blank(r->text[r->at]) || is_line_end(r->text[r->at]))
            r->at++;
        else if (!sinewi_bvh_skip_comment(r))
            return;
    }
}

size_t sinewi_bvh_word(const bvh_reader *r)
{
    size_t end = r->at;
    for (; end < r->size; end++) {
        const char c = r->text[end];
        if (is_blank(c) || is_line_end(c))
            break;
        if (c == '{' || c == '}')
            return end == r->at ? 1 : end - r->at;
    }
    return end - r->at;
}

bool sinewi_bvh_is(const bvh_reader *r, size_t length, const char *word)
{
    if (strlen(word) != length || r->size - r->at < length)
        return false;
    for (size_t i = 0; i < length; i++) {
        const char c = r->text[r->at + i];
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != word[i])
            return false;
    }
    return true;
}

void sinewi_bvh_quote(const bvh_reader *r, char *out, size_t out_size)
{
    const size_t length = sinewi_bvh_word(r);
    if (length == 0) {
        snprintf(out, out_size, "the end of the file");
        return;
    }
    const unsigned char first = (unsigned char)r->text[r->at];
    size_t shown = 0;
    while (shown < length && shown < 40 && r->text[r->at + shown] > 0x20 &&
           r->text[r->at + shown] < 0x7F)
        shown++;
    if (shown == 0)
        snprintf(out, out_size, "the byte 0x%02X", first);
    else
        snprintf(out, out_size, "'%.*s%s'", (int)shown, r->text + r->at,
                 shown < length ? "..." : "");
}

bool sinewi_bvh_expected(bvh_reader *r, const char *joint, const char *expected)
{
    char found[64];
    sinewi_bvh_quote(r, found, sizeof found);
    return sinewi_bvh_fail(r, r->at, joint, SINEW_ERROR_TEXT_SYNTAX, "expected %s, found %s",
                           expected, found);
}

// ---- Numbers ------------------------------------------------------------------------------------------------

size_t sinewi_bvh_no_number(const bvh_reader *r, size_t at)
{
    // "1.#" and what follows is how the C library of Windows writes them
    static const char *const words[] = {"nan",       "inf",      "infinity", "nan(ind)",
                                        "nan(snan)", "1.#ind",   "1.#inf",   "1.#qnan",
                                        "1.#snan",   "1.#ind00", "1.#inf00"};
    bvh_reader here = {.text = r->text, .size = r->size, .at = at};
    const size_t sign = at < r->size && (r->text[at] == '-' || r->text[at] == '+');
    here.at += sign;
    const size_t length = sinewi_bvh_word(&here);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (sinewi_bvh_is(&here, length, words[i]))
            return sign + length;
    return 0;
}

bool sinewi_bvh_number(bvh_reader *r, const char *joint, const char *what, double *out)
{
    sinewi_bvh_skip(r);
    const size_t word = sinewi_bvh_word(r);
    const size_t length = sinewi_scan_number(r->text + r->at, word, out);
    if (word > 0 && length == word) {
        if (!(fabs(*out) <= r->largest))
            *out = NAN;
    } else {
        if (word == 0 || sinewi_bvh_no_number(r, r->at) != word)
            return sinewi_bvh_expected(r, joint, what);
        *out = NAN;
    }
    r->at += word;
    return true;
}

bool sinewi_bvh_whole(bvh_reader *r, const char *joint, const char *what, uint64_t *out)
{
    sinewi_bvh_skip(r);
    const size_t word = sinewi_bvh_word(r);
    *out = 0;
    for (size_t i = 0; i < word; i++) {
        const char c = r->text[r->at + i];
        if (c < '0' || c > '9')
            return sinewi_bvh_expected(r, joint, what);
        if (*out <= UINT64_MAX / 10 - 1)
            *out = *out * 10 + (uint64_t)(c - '0');
    }
    if (word == 0)
        return sinewi_bvh_expected(r, joint, what);
    r->at += word;
    return true;
}
