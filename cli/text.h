// SPDX-License-Identifier: MIT
// Text from files on its way to a terminal: names may hold line ends, escape sequences and broken
// UTF-8.
#ifndef SINEW_CLI_TEXT_H
#define SINEW_CLI_TEXT_H

#include <stddef.h>
#include <stdio.h>

// Bytes of the well-formed UTF-8 character that a text (ended by 0) begins with; 0 where there is
// none.
size_t cli_utf8_length(const char *text);
// Prints text in one line: control characters and broken bytes as \xNN. Returns how many columns it
// took, counting one a character.
size_t cli_put_text(FILE *out, const char *text);

#endif
