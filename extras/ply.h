// SPDX-License-Identifier: MIT
/// Clouds of points as PLY files: ASCII and binary of either byte order in, ASCII and binary
/// little-endian out.
///
/// Of the element `vertex` these properties are read, in any order: x y z (any scalar type), nx ny
/// nz, red green blue (uchar, ushort, float or double; coded as sRGB, like what pictures hold) and
/// group (any whole type; below 0 is none). All other properties and elements, lists too, are
/// passed over. A row of an ASCII file is a line.
///
/// Source: G. Turk, "The PLY Polygon File Format", Stanford, 1994.
#ifndef SINEW_EXTRAS_PLY_H
#define SINEW_EXTRAS_PLY_H

#include "sinew/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The group of a point that belongs to none: that of sinew/cloud.h.
#define SINEW_PLY_NO_GROUP UINT32_MAX

typedef struct sinew_ply {
    uint32_t point_count;
    float *positions; ///< [point_count][3] finite
    float *normals;   ///< [point_count][3] finite, as in the file; NULL where it has none
    float *colors;    ///< [point_count][3] linear, 0 to 1; or NULL
    uint32_t *groups; ///< [point_count] or NULL
} sinew_ply;

/// Reads a file that lies in memory. Every fault is told with its line and column (in the header,
/// and of ASCII files) or with the byte where it is, what stands there and what was expected. A
/// header that claims more than the file holds is refused before memory is taken for it.
/// Errors: SINEW_ERROR_FORMAT_UNKNOWN (no PLY), _VERSION, _INVALID_VALUE, _MISSING_PROPERTY,
///         _NAME_TAKEN (two elements or properties of one name), _BUFFER_RANGE (the file ends too
///         early), _NOT_FINITE, _LIMIT_EXCEEDED (2^32 - 1 points, 256 elements, 1,024 properties),
///         _OUT_OF_MEMORY. `out` is empty then.
sinew_result sinew_ply_read(const void *bytes, size_t size, sinew_ply *out, sinew_error *error);
void sinew_ply_destroy(sinew_ply *ply); ///< empties it; an empty one is allowed

/// What a file is to hold. Zero-initialise, then fill; NULL and 0 are left out.
typedef struct sinew_ply_content {
    uint32_t point_count;
    const float *positions;      ///< [point_count][3] finite
    const float *normals;        ///< [point_count][3]
    const float *colors;         ///< [point_count][3] linear; written as sRGB, a byte each
    const uint32_t *groups;      ///< [point_count] from 2^31 on: none, written as -1
    const uint16_t *joints;      ///< [point_count][influence_count] as joint0, joint1, ...
    const float *weights;        ///< [point_count][influence_count] as weight0, weight1, ...
    uint32_t influence_count;    ///< of joints and weights, which come together
    const char *const *comments; ///< [comment_count] a line each; control characters become '?'
    uint32_t comment_count;
    bool ascii; ///< else binary, little-endian. Numbers read back to the same bits
} sinew_ply_content;

/// Writes a file into memory that the caller frees with free().
/// Errors: SINEW_ERROR_INVALID_ARGUMENT, _OUT_OF_MEMORY.
sinew_result sinew_ply_encode(const sinew_ply_content *content, uint8_t **out_bytes,
                              size_t *out_size);

#ifdef __cplusplus
}
#endif

#endif
