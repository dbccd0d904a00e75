// SPDX-License-Identifier: MIT
// Text that is safe to print. UTF-8 as in Unicode 15, table 3-7.
#include "cli/text.h"

#include <stdbool.h>

size_t cli_utf8_length(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    if (s[0] == 0)
        return 0;
    if (s[0] < 0x80)
        return 1;
    if (s[0] < 0xC2 || s[0] > 0xF4)
        return 0;
    size_t length = s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
    unsigned char low = s[0] == 0xE0 ? 0xA0 : s[0] == 0xF0 ? 0x90 : 0x80;
    unsigned char high = s[0] == 0xED ? 0x9F : s[0] == 0xF4 ? 0x8F : 0xBF;
    if (s[1] < low || s[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if (s[i] < 0x80 || s[i] > 0xBF)
            return 0;
    return length;
}

// C0, DEL, C1, and what turns the direction of a line or ends it (U+2028 to U+202E, U+2066 to
// U+2069).
static bool is_control(const char *text, size_t length)
{
    const unsigned char *s = (const unsigned char *)text;
    if (length == 1)
        return s[0] < 0x20 || s[0] == 0x7F;
    if (length == 2)
        return s[0] == 0xC2 && s[1] < 0xA0;
    return length == 3 && s[0] == 0xE2 &&
           ((s[1] == 0x80 && s[2] >= 0xA8 && s[2] <= 0xAE) ||
            (s[1] == 0x81 && s[2] >= 0xA6 && s[2] <= 0xA9));
}

size_t cli_put_text(FILE *out, const char *text)
{
    size_t columns = 0;
    while (*text) {
        size_t length = cli_utf8_length(text);
        if (length && !is_control(text, length)) {
            fwrite(text, 1, length, out);
            columns++;
        } else {
            length = length ? length : 1;
            for (size_t i = 0; i < length; i++)
                columns += (size_t)fprintf(out, "\\x%02X", (unsigned char)text[i]);
        }
        text += length;
    }
    return columns;
}
