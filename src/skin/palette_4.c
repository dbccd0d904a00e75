// SPDX-License-Identifier: MIT
// Palettes with SSE2 or NEON: three registers a matrix, one a row. The products are those of
// palette_avx512.c.
#include "core/lanes_4.h"
#include "skin/palette_kernels.h"

#if defined(SINEWI_X86_KERNELS) || defined(SINEWI_NEON_KERNELS)

// row * B with B in rows of four, which is one row of the product.
F4_FN f4_t mul_row_4(f4_t row, f4_t b0, f4_t b1, f4_t b2)
{
    f4_t sum = f4_add(f4_mul_lane(b0, row, 0), f4_mul_lane(b1, row, 1));
    return f4_add(f4_add(sum, f4_mul_lane(b2, row, 2)), f4_last(row));
}

F4_FN void mul_rows_4(f4_t rows[4], const float *b)
{
    f4_t b0 = f4_load(b), b1 = f4_load(b + 4), b2 = f4_load(b + 8);
    rows[0] = mul_row_4(rows[0], b0, b1, b2);
    rows[1] = mul_row_4(rows[1], b0, b1, b2);
    rows[2] = mul_row_4(rows[2], b0, b1, b2);
}

#if defined(SINEWI_X86_KERNELS)
bool sinewi_palette_sse2(const sinewi_palette_job *job)
#else
bool sinewi_palette_neon(const sinewi_palette_job *job)
#endif
{
    const sinew_palette_args *args = job->args;
    const sinew_skin *skin = args->skin;
    // Held here, as stores of vectors may alias anything: they would be read again for each joint.
    const uint32_t slot_count = skin->joint_count;
    const uint16_t *joints = skin->joints;
    const sinew_mat3x4 *bind_rows = skin->bind_rows, *center = job->center;
    const sinew_mat4 *model = args->model, *rest_model = job->rest_model;
    sinew_mat3x4 *palette = args->out_palette;
    sinew_mat3x4 result = {{0}}, bind = {{0}};
    const bool has_result = args->result != NULL, has_bind = args->bind != NULL;
    if (args->result)
        result = sinew_mat3x4_from_mat4(args->result);
    if (args->bind)
        bind = sinew_mat3x4_from_mat4(args->bind);
    const f4_t zero = f4_set(0.0f);
    f4_t finite = zero; // 0 * sum is 0, but for infinities and NaNs
    for (uint32_t i = 0; i < slot_count; i++) {
        uint32_t joint = joints[i];
        const float *g = model[joint].m;
        f4_t rows[4] = {f4_load(g), f4_load(g + 4), f4_load(g + 8), f4_load(g + 12)};
        if (center) {
            const float *rest = rest_model[joint].m;
            if (f4_same(rows[0], f4_load(rest)) == 0xF && // what moves is seen at once, mostly
                (f4_same(rows[1], f4_load(rest + 4)) & f4_same(rows[2], f4_load(rest + 8)) &
                 f4_same(rows[3], f4_load(rest + 12))) == 0xF) {
                palette[i] = *center;
                continue;
            }
        }
        f4_transpose4(rows);
        if (has_result) {
            f4_t g0 = rows[0], g1 = rows[1], g2 = rows[2];
            for (int row = 0; row < 3; row++)
                rows[row] = mul_row_4(f4_load(result.m + 4 * row), g0, g1, g2);
        }
        mul_rows_4(rows, bind_rows[i].m);
        if (has_bind)
            mul_rows_4(rows, bind.m);
        // a sum of finite rows that is too large costs a second look, no more
        finite = f4_add(finite, f4_mul(zero, f4_add(f4_add(rows[0], rows[1]), rows[2])));
        for (int row = 0; row < 3; row++)
            f4_store(palette[i].m + 4 * row, rows[row]);
    }
    return f4_not_finite(finite) == 0;
}

#endif
