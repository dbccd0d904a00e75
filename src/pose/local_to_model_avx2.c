// SPDX-License-Identifier: MIT
// local -> model with AVX2: two registers a matrix.
#include "core/lanes_avx2.h"
#include "pose/hierarchy.h"

#if defined(SINEWI_X86_KERNELS)

// As with AVX-512, columns 0 and 1 in one register, 2 and 3 in another.
F8_FN __m256 broadcast_four_avx2(const float *p)
{
    return _mm256_broadcast_ps((const __m128 *)(const void *)p);
}

// A parent's columns come from memory for each child: sixteen registers are too few to keep them.
F8_FN void hierarchy_load_avx2(const float **above, const float *m)
{
    *above = m;
}

F8_FN void hierarchy_mul_avx2(const float *const *above, const float *rows, float *out)
{
    const __m256i spread01 = _mm256_set_epi32(1, 1, 1, 1, 0, 0, 0, 0);
    const __m256i spread23 = _mm256_set_epi32(3, 3, 3, 3, 2, 2, 2, 2);
    const float *m = *above;
    __m256 a0 = broadcast_four_avx2(m), a1 = broadcast_four_avx2(m + 4);
    __m256 a2 = broadcast_four_avx2(m + 8), a3 = broadcast_four_avx2(m + 12);
    a3 = _mm256_blend_ps(_mm256_set1_ps(-0.0f), a3, 0x70); // x + -0 is x, to the bit
    __m256 row0 = broadcast_four_avx2(rows), row1 = broadcast_four_avx2(rows + 64);
    __m256 row2 = broadcast_four_avx2(rows + 128);
    __m256 left = _mm256_add_ps(_mm256_mul_ps(a0, _mm256_permutevar_ps(row0, spread01)),
                                _mm256_mul_ps(a1, _mm256_permutevar_ps(row1, spread01)));
    left = _mm256_add_ps(left, _mm256_mul_ps(a2, _mm256_permutevar_ps(row2, spread01)));
    __m256 right = _mm256_add_ps(_mm256_mul_ps(a0, _mm256_permutevar_ps(row0, spread23)),
                                 _mm256_mul_ps(a1, _mm256_permutevar_ps(row1, spread23)));
    right = _mm256_add_ps(right, _mm256_mul_ps(a2, _mm256_permutevar_ps(row2, spread23)));
    right = _mm256_add_ps(right, a3);
    const __m256 last_row = _mm256_set_ps(1, 0, 0, 0, 0, 0, 0, 0);
    _mm256_storeu_ps(out, _mm256_blend_ps(left, _mm256_setzero_ps(), 0x88));
    _mm256_storeu_ps(out + 8, _mm256_blend_ps(right, last_row, 0x88));
}

#define LANES(name) f8_##name
#define LANE_COUNT 8
#define HIERARCHY_FN SINEWI_TARGET_AVX2
#define HIERARCHY_NAME(name) name##_avx2
#define HIERARCHY_ABOVE const float *
#define HIERARCHY_LOAD hierarchy_load_avx2
#define HIERARCHY_MUL hierarchy_mul_avx2
#include "pose/local_to_model_wide.inl"

#endif
