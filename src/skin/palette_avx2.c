// SPDX-License-Identifier: MIT
// Palettes with AVX2: rows 0 and 1 of a matrix in one register, row 2 in half of another. The
// products are those of palette_avx512.c.
#include "core/lanes_avx2.h"
#include "skin/palette_kernels.h"

#if defined(SINEWI_X86_KERNELS)

// Rows of four: 0 and 1, and 2.
typedef struct palette_rows_avx2 {
    __m256 upper;
    __m128 lower;
} palette_rows_avx2;

F8_FN __m256 repeat_four_avx2(const float *p)
{
    return _mm256_broadcast_ps((const __m128 *)(const void *)p);
}

F8_FN __m128 half_avx2(__m256 a)
{
    return _mm256_castps256_ps128(a);
}

// out = m * B: elements of rows of m, rows of B repeated.
F8_FN palette_rows_avx2 mul_rows_avx2(palette_rows_avx2 m, const float *b)
{
    __m256 b0 = repeat_four_avx2(b), b1 = repeat_four_avx2(b + 4), b2 = repeat_four_avx2(b + 8);
    const __m256 none = _mm256_set1_ps(-0.0f); // x + -0 is x, to the bit
    palette_rows_avx2 r;
    r.upper = _mm256_add_ps(_mm256_mul_ps(_mm256_permute_ps(m.upper, 0x00), b0),
                            _mm256_mul_ps(_mm256_permute_ps(m.upper, 0x55), b1));
    r.upper = _mm256_add_ps(r.upper, _mm256_mul_ps(_mm256_permute_ps(m.upper, 0xAA), b2));
    r.upper = _mm256_add_ps(r.upper, _mm256_blend_ps(none, m.upper, 0x88));
    r.lower = _mm_add_ps(_mm_mul_ps(_mm_permute_ps(m.lower, 0x00), half_avx2(b0)),
                         _mm_mul_ps(_mm_permute_ps(m.lower, 0x55), half_avx2(b1)));
    r.lower = _mm_add_ps(r.lower, _mm_mul_ps(_mm_permute_ps(m.lower, 0xAA), half_avx2(b2)));
    r.lower = _mm_add_ps(r.lower, _mm_blend_ps(half_avx2(none), m.lower, 0x8));
    return r;
}

// Columns to rows.
F8_FN palette_rows_avx2 rows_of_avx2(const float *m)
{
    __m128 x = _mm_loadu_ps(m), y = _mm_loadu_ps(m + 4);
    __m128 z = _mm_loadu_ps(m + 8), w = _mm_loadu_ps(m + 12);
    __m128 xy = _mm_unpacklo_ps(x, y), zw = _mm_unpacklo_ps(z, w);
    palette_rows_avx2 r;
    r.upper = _mm256_set_m128(_mm_movehl_ps(zw, xy), _mm_movelh_ps(xy, zw));
    r.lower = _mm_shuffle_ps(_mm_unpackhi_ps(x, y), _mm_unpackhi_ps(z, w), 0x44);
    return r;
}

// Rows of g * B from columns of g, whose elements are spread over the rows as they are read.
F8_FN palette_rows_avx2 mul_columns_avx2(const float *g, const float *b)
{
    const __m256i spread = _mm256_set_epi32(1, 1, 1, 1, 0, 0, 0, 0);
    const __m256 none = _mm256_set1_ps(-0.0f);
    __m256 b0 = repeat_four_avx2(b), b1 = repeat_four_avx2(b + 4), b2 = repeat_four_avx2(b + 8);
    __m256 x = repeat_four_avx2(g), y = repeat_four_avx2(g + 4);
    __m256 z = repeat_four_avx2(g + 8), w = repeat_four_avx2(g + 12);
    palette_rows_avx2 r;
    r.upper = _mm256_add_ps(_mm256_mul_ps(_mm256_permutevar_ps(x, spread), b0),
                            _mm256_mul_ps(_mm256_permutevar_ps(y, spread), b1));
    r.upper = _mm256_add_ps(r.upper, _mm256_mul_ps(_mm256_permutevar_ps(z, spread), b2));
    __m256 last = _mm256_permutevar_ps(w, spread);
    r.upper = _mm256_add_ps(r.upper, _mm256_blend_ps(none, last, 0x88));
    r.lower = _mm_add_ps(_mm_mul_ps(_mm_permute_ps(half_avx2(x), 0xAA), half_avx2(b0)),
                         _mm_mul_ps(_mm_permute_ps(half_avx2(y), 0xAA), half_avx2(b1)));
    r.lower = _mm_add_ps(r.lower, _mm_mul_ps(_mm_permute_ps(half_avx2(z), 0xAA), half_avx2(b2)));
    __m128 lower_last = _mm_permute_ps(half_avx2(w), 0xAA);
    r.lower = _mm_add_ps(r.lower, _mm_blend_ps(half_avx2(none), lower_last, 0x8));
    return r;
}

// `has_result`, `has_bind` and `rests` are constants where this is called.
F8_FN bool palette_loop_avx2(const sinewi_palette_job *job, bool has_result, bool has_bind,
                             bool rests)
{
    const sinew_palette_args *args = job->args;
    const sinew_skin *skin = args->skin;
    // Held here, as stores of vectors may alias anything: they would be read again for each joint.
    const uint32_t slot_count = skin->joint_count;
    const uint16_t *joints = skin->joints;
    const sinew_mat3x4 *bind_rows = skin->bind_rows, *center = job->center;
    const sinew_mat4 *model = args->model, *rest_model = job->rest_model;
    sinew_mat3x4 *palette = args->out_palette;
    palette_rows_avx2 result = {_mm256_setzero_ps(), _mm_setzero_ps()};
    sinew_mat3x4 bind = {{0}};
    if (has_result)
        result = rows_of_avx2(args->result->m);
    if (has_bind)
        bind = sinew_mat3x4_from_mat4(args->bind);
    __m256 finite = _mm256_setzero_ps(); // 0 * m is 0, but for infinities and NaNs
    __m128 finite_lower = _mm_setzero_ps();
    const __m256 zero = finite;
    for (uint32_t i = 0; i < slot_count; i++) {
        uint32_t joint = joints[i];
        const float *g = model[joint].m;
        if (rests) {
            const float *rest = rest_model[joint].m;
            if (f8_same(f8_load(g), f8_load(rest)) == 0xFF &&
                f8_same(f8_load(g + 8), f8_load(rest + 8)) == 0xFF) {
                palette[i] = *center;
                continue;
            }
        }
        palette_rows_avx2 m;
        if (has_result) {
            m = rows_of_avx2(g);
            float rows[12];
            _mm256_storeu_ps(rows, m.upper);
            _mm_storeu_ps(rows + 8, m.lower);
            m = mul_rows_avx2(mul_rows_avx2(result, rows), bind_rows[i].m);
        } else {
            m = mul_columns_avx2(g, bind_rows[i].m);
        }
        if (has_bind)
            m = mul_rows_avx2(m, bind.m);
        finite = _mm256_fmadd_ps(zero, m.upper, finite);
        finite_lower = _mm_fmadd_ps(half_avx2(zero), m.lower, finite_lower);
        _mm256_storeu_ps(palette[i].m, m.upper);
        _mm_storeu_ps(palette[i].m + 8, m.lower);
    }
    return (f8_not_finite(finite) | (f8_not_finite(_mm256_castps128_ps256(finite_lower)) & 0xF)) ==
           0;
}

// The common case has a loop of its own; all others share one.
SINEWI_TARGET_AVX2 bool sinewi_palette_avx2(const sinewi_palette_job *job)
{
    const bool result = job->args->result != NULL, bind = job->args->bind != NULL;
    if (!result && !bind && job->center)
        return palette_loop_avx2(job, false, false, true);
    return palette_loop_avx2(job, result, bind, job->center != NULL);
}

#endif
