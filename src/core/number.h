// SPDX-License-Identifier: MIT
// Decimal numbers as doubles: correctly rounded, the same in every locale. What readers of text
// share.
#ifndef SINEW_CORE_NUMBER_H
#define SINEW_CORE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Digits past so many cannot matter but for being there at all: a half-way point between doubles
/// has at most 767 significant digits.
enum { SINEWI_MAX_DIGITS = 800 };

/// A decimal as it is gathered, digit by digit. Zero-initialised it is 0.
typedef struct sinewi_digits {
    char digits[SINEWI_MAX_DIGITS + 1];
    int count;
    int64_t exponent; ///< of the last digit kept; what stands behind an 'e' is added to it
    bool more;        ///< a digit that is not 0 was left out
} sinewi_digits;

/// `fraction`: it stands behind the point.
void sinewi_digits_add(sinewi_digits *d, char digit, bool fraction);
/// The nearest double, of two equally near ones the even one; infinity beyond them.
double sinewi_digits_value(sinewi_digits *d);

/// Reads a number at the start of a text: a sign, digits with a point somewhere or nowhere, an
/// exponent. 5, -.5, +5. and 5e-3 are numbers; words such as nan are not. Returns how many bytes it
/// takes, 0 where none begins; what stands behind it is the caller's to look at. Beyond doubles it
/// is an infinity.
size_t sinewi_scan_number(const char *text, size_t size, double *out);

#endif
