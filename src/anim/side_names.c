// SPDX-License-Identifier: MIT
// Left and right in names: five rules, from sure to guessed, that only look at letters, their case,
// and what is no letter. Bytes of UTF-8 beyond ASCII are no letters here.
#include "anim/side_names.h"

#include <string.h>

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}
static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}
static bool is_letter(char c)
{
    return is_lower(c) || is_upper(c);
}
static char to_lower(char c)
{
    return is_upper(c) ? (char)(c - 'A' + 'a') : c;
}

// Length of "left" or "right" at a place, as left, Left or LEFT; 0 where it is something else.
static size_t side_word_at(const char *text, sinewi_side *out_side)
{
    static const char *const words[2] = {"left", "right"};
    for (int w = 0; w < 2; w++) {
        size_t length = strlen(words[w]), upper = 0, i = 0;
        for (; i < length && to_lower(text[i]) == words[w][i]; i++)
            upper += is_upper(text[i]);
        if (i == length && (upper == 0 || upper == length || (upper == 1 && is_upper(text[0])))) {
            *out_side = w == 0 ? SINEWI_SIDE_LEFT : SINEWI_SIDE_RIGHT;
            return length;
        }
    }
    return 0;
}

static bool word_stands_alone(char before, const char *word, size_t length)
{
    char after = word[length];
    bool starts = !is_letter(before) || (is_lower(before) && is_upper(word[0]));
    bool ends = !is_letter(after) || (is_upper(after) && is_lower(word[length - 1]));
    return starts && ends;
}

static bool letter_is_mark(int rule, const char *name, size_t at)
{
    char c = name[at], before = at ? name[at - 1] : '\0', after = name[at + 1];
    char after_next = after ? name[at + 2] : '\0';
    if (rule == SINEWI_SIDE_LETTER)
        return !is_letter(before) && !is_letter(after);
    if (rule == SINEWI_SIDE_STEP) {
        if (is_upper(c) && is_lower(before) && !is_letter(after))
            return true; // FootL, armL1
        if (is_lower(c) && !is_letter(before) && is_upper(after))
            return true; // lShldr
        return is_upper(c) && !is_letter(before) && is_upper(after) &&
               is_lower(after_next); // RHand
    }
    return rule == SINEWI_SIDE_EDGE && (at == 0 || !after);
}

uint32_t sinewi_find_side_marks(const char *name, int rule, sinewi_side_mark *out)
{
    uint32_t count = 0;
    for (size_t at = 0; name[at] && count < SINEWI_SIDE_MARKS; at++) {
        sinewi_side_mark mark = {at, 0, SINEWI_SIDE_NONE};
        if (rule == SINEWI_SIDE_WORD || rule == SINEWI_SIDE_PART) {
            mark.length = side_word_at(name + at, &mark.side);
            if (mark.length && rule == SINEWI_SIDE_WORD &&
                !word_stands_alone(at ? name[at - 1] : '\0', name + at, mark.length))
                mark.length = 0;
        } else {
            char c = to_lower(name[at]);
            if ((c == 'l' || c == 'r') && letter_is_mark(rule, name, at)) {
                mark.length = 1;
                mark.side = c == 'l' ? SINEWI_SIDE_LEFT : SINEWI_SIDE_RIGHT;
            }
        }
        if (mark.length) {
            out[count++] = mark;
            at += mark.length - 1;
        }
    }
    return count;
}

void sinewi_swap_sides(const char *name, const sinewi_side_mark *marks, uint32_t count, char *out)
{
    size_t from = 0, to = 0;
    for (uint32_t i = 0; i < count; i++) {
        const char *mark = name + marks[i].at;
        memcpy(out + to, name + from, marks[i].at - from);
        to += marks[i].at - from;
        from = marks[i].at + marks[i].length;
        bool right = marks[i].side == SINEWI_SIDE_LEFT; // what it becomes
        const char *word = marks[i].length == 1 ? (right ? "r" : "l") : right ? "right" : "left";
        for (size_t k = 0; word[k]; k++) {
            bool upper = is_upper(mark[0]) && (k == 0 || is_upper(mark[1]));
            out[to++] = upper ? (char)(word[k] - 'a' + 'A') : word[k];
        }
    }
    strcpy(out + to, name + from);
}
