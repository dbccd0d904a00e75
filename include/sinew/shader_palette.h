// SPDX-License-Identifier: MIT
/// Palettes as shaders read them: an array of vec4, for a storage buffer, a uniform block or a
/// texture of four floats a texel. What is in it is what the CPU's kernels read (M - C and C, or
/// dual quaternions), so that a shader has the same formulas, and a figure at rest its input bits.
///
///     [0] [1] [2]   C, row-major 3x4
///     [3] [4] [5]   the base of dual quaternions: C, or what stands for it where C is 0
///     [6]           x: the kind (0, 1, 2), y: 1 where the base is the identity, z: joint_count, w:
///     0 [7 ...]       the joints, in the order of the skin:
///                     linear         3 vec4: the rows of M - C
///                     dual rigid     2 vec4: r, e           M = [R(r) | t] base, e = t r / 2
///                     dual general   5 vec4: r, f0 ... f3   f_c = (column c of M - C) r
///
/// A crowd is such blocks one behind the other, each with room for the largest of them; how far
/// apart they are is told to the shader. The shaders that read them stand in share/sinew/shaders
/// (GLSL ES 3.1 and WGSL).
#ifndef SINEW_SHADER_PALETTE_H
#define SINEW_SHADER_PALETTE_H

#include "sinew/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sinew_shader_kind {
    SINEW_SHADER_LINEAR,      ///< of sinew_kernel_palette_build
    SINEW_SHADER_DUAL_RIGID,  ///< of sinew_dual_palette_build, where all joints move rigidly
    SINEW_SHADER_DUAL_GENERAL ///< where there is scale, shear or a mirror
} sinew_shader_kind;

enum { SINEW_SHADER_HEADER = 7 }; ///< vec4 before the joints

/// vec4 of a joint: 3, 2, 5. 0 for what is no kind.
SINEW_API uint32_t sinew_shader_joint_vectors(sinew_shader_kind kind);
/// vec4 (16 bytes each) that a palette of so many joints needs: `dual` for either kind of dual
/// quaternions, since poses change it.
SINEW_API size_t sinew_shader_palette_vectors(uint32_t joint_count, bool dual);

/// Writes what shaders read of a palette made by sinew_kernel_palette_build (linear) or
/// sinew_dual_palette_build. `out` holds `out_vectors` vec4 of any alignment for floats, so mapped
/// memory of a driver will do: each float is written once, in order, and none is read. out_kind may
/// be NULL.
/// Errors:  SINEW_ERROR_INVALID_ARGUMENT (NULL, or a block that neither call made),
///          SINEW_ERROR_BUFFER_TOO_SMALL (sinew_shader_palette_vectors).
/// Memory:  allocates nothing. Threads: any. The same bits on every machine.
/// Source:  SPEC 8 and 16; src/skin/dual_palette.c for dual quaternions.
SINEW_API sinew_result sinew_shader_palette_write(const void *kernel_palette, float *out,
                                                  size_t out_vectors, sinew_shader_kind *out_kind);

#ifdef __cplusplus
}
#endif

#endif
