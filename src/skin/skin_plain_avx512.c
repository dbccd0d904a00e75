// SPDX-License-Identifier: MIT
// The plain path for AVX-512 (F, BW, DQ, VL), in registers of eight floats: there are 32 of them,
// so that normals need not be put aside, and turning matrices in registers of sixteen takes longer
// (4 influences, P: 3.9 ns a vertex against 3.3; P+N: 5.3 in both; Zen 4). Registers of sixteen for
// what is left when there is nothing to turn, the static transform.
#include <math.h>

#include "skin/skin_internal.h"
#include "skin/wide_avx2.h"

#if defined(SINEWI_X86_KERNELS)
// Positions by one matrix. Nothing is taken apart: float k of the results belongs to vertex k / 3
// and to row k % 3, so three registers of a row's entries serve all vertices, and x, y and z of
// each float's vertex are one permutation of a load that begins at an x, y or z:
//
//     loaded from x0   x0 y0 z0 x1 y1 z1 x2 ... x5
//     x of each float  x0 x0 x0 x1 x1 x1 x2 ... x5          (y and z: one and two floats later)
//     results          x0' y0' z0' x1' y1' z1' x2' ... x5'
//
// 0.28 ns a vertex where taking apart and weaving takes 0.37, and a copy 0.22 (Zen 4).
SINEWI_TARGET_AVX512 static void plain_move_packed_avx512(const float *in, float *out, size_t count,
                                                          const float m[12])
{
    uint32_t indices[3][16];
    float entries[3][4][16];
    for (uint32_t r = 0; r < 3; r++)
        for (uint32_t k = 0; k < 16; k++) {
            indices[r][k] = (16 * r + k) / 3 * 3 - 15 * r;
            for (uint32_t j = 0; j < 4; j++)
                entries[r][j][k] = m[4 * ((16 * r + k) % 3) + j];
        }
    __m512i index[3];
    __m512 a[3][4];
    for (int r = 0; r < 3; r++) {
        index[r] = _mm512_loadu_si512(indices[r]);
        for (int j = 0; j < 4; j++)
            a[r][j] = _mm512_loadu_ps(entries[r][j]);
    }
    for (size_t i = 0; i < count; i += 16, in += 48, out += 48) {
        __m512 results[3];
        for (int r = 0; r < 3; r++) {
            const float *from = in + 15 * r;
            __m512 x = _mm512_permutexvar_ps(index[r], _mm512_loadu_ps(from));
            __m512 y = _mm512_permutexvar_ps(index[r], _mm512_loadu_ps(from + 1));
            __m512 z = _mm512_permutexvar_ps(index[r], _mm512_loadu_ps(from + 2));
            results[r] = _mm512_fmadd_ps(
                a[r][0], x, _mm512_fmadd_ps(a[r][1], y, _mm512_fmadd_ps(a[r][2], z, a[r][3])));
        }
        for (int r = 0; r < 3; r++) // behind all loads: it may be in place
            _mm512_storeu_ps(out + 16 * r, results[r]);
    }
}

#define WIDE_FLOAT __m256
#define WIDE_MASK __m256
#define WIDE_LANES 8
#define WIDE_NAME(name) name##_avx512
#define WIDE_LAYER(name) name##_avx2
#define WIDE_ENTRY SINEWI_TARGET_AVX512
#define WIDE_PLAIN SINEWI_TARGET_AVX512 static
#define WIDE_INLINE SINEWI_TARGET_AVX512 __attribute__((always_inline)) static inline
#define WIDE_FMAF(a, b, c) fmaf(a, b, c)
#define WIDE_MOVE_PACKED plain_move_packed_avx512

#include "skin/skin_plain.inl"
#endif
