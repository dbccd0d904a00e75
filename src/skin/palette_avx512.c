// SPDX-License-Identifier: MIT
// Palettes with AVX-512: M = R * G * I * B, one register a matrix. G comes as columns, M leaves as
// rows, and both turn into each other within the product: lane 4r + c of
//
//     G[r][0] * I[0][c] + G[r][1] * I[1][c] + G[r][2] * I[2][c] (+ G[r][3] where c is 3)
//
// wants elements of G spread over rows (a permutation each), and rows of I repeated.
#include "core/lanes_avx512.h"
#include "skin/palette_kernels.h"

#if defined(SINEWI_X86_KERNELS)

F16_FN __m512 repeat_four_avx512(const float *p)
{
    return _mm512_broadcast_f32x4(_mm_loadu_ps(p));
}

// `has_result`, `has_bind` and `rests` are constants where this is called.
F16_FN bool palette_loop_avx512(const sinewi_palette_job *job, bool has_result, bool has_bind,
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
    const __m512i column0 = _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
    const __m512i column1 = _mm512_add_epi32(column0, _mm512_set1_epi32(4));
    const __m512i column2 = _mm512_add_epi32(column0, _mm512_set1_epi32(8));
    const __m512i column3 = _mm512_add_epi32(column0, _mm512_set1_epi32(12));
    const __m512 zero = _mm512_setzero_ps();
    __m512 r0 = zero, r1 = zero, r2 = zero, r3 = zero, b0 = zero, b1 = zero, b2 = zero;
    if (has_result) {
        const float *m = args->result->m;
        r0 = repeat_four_avx512(m), r1 = repeat_four_avx512(m + 4);
        r2 = repeat_four_avx512(m + 8), r3 = repeat_four_avx512(m + 12);
    }
    if (has_bind) {
        sinew_mat3x4 rows = sinew_mat3x4_from_mat4(args->bind);
        b0 = repeat_four_avx512(rows.m), b1 = repeat_four_avx512(rows.m + 4);
        b2 = repeat_four_avx512(rows.m + 8);
    }
    __m512 finite = zero; // 0 * the last + m: infinities become NaNs, and those stay
    for (uint32_t i = 0; i < slot_count; i++) {
        uint32_t joint = joints[i];
        __m512 g = _mm512_loadu_ps(model[joint].m);
        if (rests && f16_same(g, _mm512_loadu_ps(rest_model[joint].m)) == 0xFFFF) {
            palette[i] = *center;
            continue;
        }
        if (has_result) { // columns of R repeated, elements of G spread within its columns
            __m512 m = _mm512_add_ps(_mm512_mul_ps(r0, _mm512_permute_ps(g, 0x00)),
                                     _mm512_mul_ps(r1, _mm512_permute_ps(g, 0x55)));
            m = _mm512_add_ps(m, _mm512_mul_ps(r2, _mm512_permute_ps(g, 0xAA)));
            g = _mm512_mask_add_ps(m, 0x7000, m, r3);
        }
        const float *bind = bind_rows[i].m;
        __m512 x = _mm512_permutexvar_ps(column0, g), y = _mm512_permutexvar_ps(column1, g);
        __m512 z = _mm512_permutexvar_ps(column2, g), w = _mm512_permutexvar_ps(column3, g);
        __m512 m = _mm512_add_ps(_mm512_mul_ps(x, repeat_four_avx512(bind)),
                                 _mm512_mul_ps(y, repeat_four_avx512(bind + 4)));
        m = _mm512_add_ps(m, _mm512_mul_ps(z, repeat_four_avx512(bind + 8)));
        m = _mm512_mask_add_ps(m, 0x0888, m, w);
        if (has_bind) {
            __m512 p = _mm512_add_ps(_mm512_mul_ps(_mm512_permute_ps(m, 0x00), b0),
                                     _mm512_mul_ps(_mm512_permute_ps(m, 0x55), b1));
            p = _mm512_add_ps(p, _mm512_mul_ps(_mm512_permute_ps(m, 0xAA), b2));
            m = _mm512_mask_add_ps(p, 0x0888, p, m);
        }
        finite = _mm512_mask_fmadd_ps(finite, 0x0FFF, zero, m);
        float *out = palette[i].m;
        _mm256_storeu_ps(out, _mm512_castps512_ps256(m));
        _mm_storeu_ps(out + 8, _mm512_extractf32x4_ps(m, 2));
    }
    return f16_not_finite(finite) == 0;
}

// The common case has a loop of its own; all others share one.
SINEWI_TARGET_AVX512 bool sinewi_palette_avx512(const sinewi_palette_job *job)
{
    const bool result = job->args->result != NULL, bind = job->args->bind != NULL;
    if (!result && !bind && job->center)
        return palette_loop_avx512(job, false, false, true);
    return palette_loop_avx512(job, result, bind, job->center != NULL);
}

#endif
