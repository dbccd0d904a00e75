// SPDX-License-Identifier: MIT
// local -> model in registers, for joints that all INHERIT and have no shear. Instantiated by the
// files that include it: LANES(name) is the layer of core/lanes_*.h, LANE_COUNT its width,
// HIERARCHY_FN the attributes, HIERARCHY_NAME(name) names; HIERARCHY_LOAD(above, matrix) takes a
// parent's matrix (into registers where there are enough), HIERARCHY_MUL(above, rows, out)
// multiplies them by three rows.
//
// Two steps for each sixteen joints, first the matrices of their transforms with joints as lanes,
// then the products joint by joint: in breadth-first order siblings hide each other's latency. The
// matrices go between them as rows of four, which is half the shuffles of whole matrices: row r of
// four (or eight, or sixteen) joints is transposed within each four lanes,
//
//     m00: 0 1 2 3 | 4 5 6 7 | ...        joint 0: m00 m01 m02 m03 | joint 4: m00 m01 m02 m03 | ...
//     m01: 0 1 2 3 | 4 5 6 7 | ...   ->   joint 1: ...
//     m02, m03                            joints 2, 3
//
// and the product wants the elements of a row spread over its columns, one shuffle a row.
//
// Multiplies and adds are those of sinew_mat4_from_transform and sinew_mat4_mul in their order, so
// the bits are the scalar ones. No lane may add the 0 that scalar code does not add (-0 + 0 is 0).

// Where row 0 of joint k of sixteen stands, a multiple of 4; the next three are LANE_COUNT floats
// apart.
#define HIERARCHY_PLACE(k) ((k) / LANE_COUNT * (4 * LANE_COUNT) + (k) % LANE_COUNT)

#define COMPOSE_FN HIERARCHY_FN static inline __attribute__((always_inline))
#define COMPOSE_NAME HIERARCHY_NAME(hierarchy_compose)
#include "pose/compose_wide.inl"

HIERARCHY_FN static inline __attribute__((always_inline)) void
HIERARCHY_NAME(compose_rows)(const float *planes, size_t n, float rows[3 * 64])
{
    for (uint32_t i = 0; i < 16; i += LANE_COUNT) {
        LANES(t) m[12];
        HIERARCHY_NAME(hierarchy_compose)(planes + i, n, m);
        LANES(transpose4)(m);
        LANES(transpose4)(m + 4);
        LANES(transpose4)(m + 8);
        float *out = rows + 4 * i;
        for (int k = 0; k < 4; k++) {
            LANES(store)(out + k * LANE_COUNT, m[k]);
            LANES(store)(out + 64 + k * LANE_COUNT, m[4 + k]);
            LANES(store)(out + 128 + k * LANE_COUNT, m[8 + k]);
        }
    }
}

HIERARCHY_FN void HIERARCHY_NAME(sinewi_hierarchy_run)(const sinewi_hierarchy *walk, uint32_t first,
                                                       uint32_t end)
{
    const int32_t *parents = walk->skeleton->parents;
    sinew_mat4 *model = walk->model;
    const sinew_mat4 nothing = sinew_mat4_identity();
    HIERARCHY_ABOVE above;
    HIERARCHY_LOAD(&above, nothing.m);
    int32_t held = INT32_MIN; // whose columns are in `above`: siblings share them
    for (uint32_t at = first & ~15u; at < end; at += 16) {
        float rows[3 * 64];
        HIERARCHY_NAME(compose_rows)(walk->pose->planes + at, walk->pose->padded_count, rows);
        for (uint32_t four = 0; four < 16; four += 4) {
            const float *own = rows + HIERARCHY_PLACE(four);
            for (uint32_t j = at + four; j < at + four + 4; j++, own += LANE_COUNT) {
                if (j < first || j >= end)
                    continue;
                int32_t parent = parents[j];
                if (parent != held) {
                    held = parent;
                    const sinew_mat4 *matrix = parent >= 0 ? &model[parent] : walk->root;
                    if (matrix)
                        HIERARCHY_LOAD(&above, matrix->m);
                }
                if (parent >= 0 || walk->root)
                    HIERARCHY_MUL(&above, own, model[j].m);
                else
                    model[j] = sinewi_hierarchy_local(own);
            }
        }
    }
}

#undef HIERARCHY_PLACE
#undef HIERARCHY_FN
#undef HIERARCHY_NAME
#undef HIERARCHY_ABOVE
#undef HIERARCHY_LOAD
#undef HIERARCHY_MUL
#undef LANES
#undef LANE_COUNT
