// SPDX-License-Identifier: MIT
// The bytes of a fuzz target as numbers without end: from the start again where they end.
#ifndef SINEW_TESTS_FUZZ_BYTE_SOURCE_H
#define SINEW_TESTS_FUZZ_BYTE_SOURCE_H

#include <stddef.h>
#include <stdint.h>

typedef struct source {
    const uint8_t *bytes;
    size_t size, at; // size above 0
} source;

static inline uint8_t take_byte(source *s)
{
    return s->bytes[s->at++ % s->size];
}

static inline float take(source *s) // -1 ... 1
{
    const uint32_t low = take_byte(s);
    return (float)(int16_t)(low | (uint32_t)take_byte(s) << 8) / 32768.0f;
}

#endif
