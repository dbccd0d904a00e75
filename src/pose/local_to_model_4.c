// SPDX-License-Identifier: MIT
// local -> model with SSE2 or NEON: four registers a matrix.
#include "core/lanes_4.h"
#include "pose/hierarchy.h"

#if defined(SINEWI_X86_KERNELS) || defined(SINEWI_NEON_KERNELS)

F4_FN void hierarchy_load_4(const float **above, const float *m)
{
    *above = m;
}

#define HIERARCHY_COLUMN(c)                                                                        \
    f4_add(f4_add(f4_mul_lane(a0, row0, c), f4_mul_lane(a1, row1, c)), f4_mul_lane(a2, row2, c))

F4_FN void hierarchy_mul_4(const float *const *above, const float *rows, float *out)
{
    const float *m = *above;
    f4_t a0 = f4_load(m), a1 = f4_load(m + 4), a2 = f4_load(m + 8), a3 = f4_load(m + 12);
    f4_t row0 = f4_load(rows), row1 = f4_load(rows + 64), row2 = f4_load(rows + 128);
    f4_store(out, f4_end_zero(HIERARCHY_COLUMN(0)));
    f4_store(out + 4, f4_end_zero(HIERARCHY_COLUMN(1)));
    f4_store(out + 8, f4_end_zero(HIERARCHY_COLUMN(2)));
    f4_store(out + 12, f4_end_one(f4_add(HIERARCHY_COLUMN(3), a3)));
}

#define LANES(name) f4_##name
#define LANE_COUNT 4
#define HIERARCHY_FN
#if defined(SINEWI_X86_KERNELS)
#define HIERARCHY_NAME(name) name##_sse2
#else
#define HIERARCHY_NAME(name) name##_neon
#endif
#define HIERARCHY_ABOVE const float *
#define HIERARCHY_LOAD hierarchy_load_4
#define HIERARCHY_MUL hierarchy_mul_4
#include "pose/local_to_model_wide.inl"

#endif
