// SPDX-License-Identifier: MIT
// Distances of points to all segments, LANES points side by side, and the nearest joints among
// them. Included once an instruction set with
//
//     LANES(name)          the lane layer: f4_name, f8_name, ...
//     LANE_COUNT           floats of a lane
//     CLOUD_FN             attributes
//     CLOUD_NAME(name)     name_isa
//
//     t = clamp((p - a) . b / |b|^2, 0, 1)      d^2 = |(p - a) - t b|^2
//
// A joint's own segments stand together: the least of them is put into the list of the nearest,
// which is kept sorted. Joints come in ascending order and only a smaller square moves another
// down, so of equal ones the lower joint comes first.

static CLOUD_FN void CLOUD_NAME(nearest_lanes)(sinewi_cloud_nearest *job, uint32_t lane)
{
    typedef LANES(t) lane_t;
    const sinewi_cloud_segments *s = job->segments;
    const uint32_t n = job->influence_count;
    const lane_t x = LANES(load)(job->x + lane), y = LANES(load)(job->y + lane),
                 z = LANES(load)(job->z + lane);
    const lane_t zero = LANES(set)(0.0f), one = LANES(set)(1.0f);
    lane_t squares[SINEW_CLOUD_MAX_INFLUENCES], joints[SINEW_CLOUD_MAX_INFLUENCES];
    for (uint32_t k = 0; k < SINEW_CLOUD_MAX_INFLUENCES; k++) {
        squares[k] = LANES(set)(FLT_MAX);
        joints[k] = LANES(set)(-1.0f);
    }
    for (uint32_t i = 0; i < s->count;) {
        const uint16_t joint = s->joints[i];
        lane_t least = LANES(set)(FLT_MAX);
        for (; i < s->count && s->joints[i] == joint; i++) {
            const lane_t bx = LANES(set)(s->bx[i]), by = LANES(set)(s->by[i]),
                         bz = LANES(set)(s->bz[i]);
            const lane_t dx = LANES(sub)(x, LANES(set)(s->ax[i])),
                         dy = LANES(sub)(y, LANES(set)(s->ay[i])),
                         dz = LANES(sub)(z, LANES(set)(s->az[i]));
            lane_t t =
                LANES(add)(LANES(add)(LANES(mul)(dx, bx), LANES(mul)(dy, by)), LANES(mul)(dz, bz));
            t = LANES(mul)(t, LANES(set)(s->inverse[i]));
            t = LANES(min)(LANES(max)(t, zero), one);
            const lane_t ex = LANES(sub)(dx, LANES(mul)(t, bx)),
                         ey = LANES(sub)(dy, LANES(mul)(t, by)),
                         ez = LANES(sub)(dz, LANES(mul)(t, bz));
            const lane_t square =
                LANES(add)(LANES(add)(LANES(mul)(ex, ex), LANES(mul)(ey, ey)), LANES(mul)(ez, ez));
            least = LANES(min)(square, least);
        }
        // Slots whose joint is farther move down by one, the first of them is the new one's. A slot
        // below one that moves moves, too, equal or not.
        const lane_t name = LANES(set)((float)joint);
        LANES(mask) nearer = LANES(less)(least, squares[n - 1]);
        for (uint32_t k = n - 1; k > 0; k--) {
            const LANES(mask) than_above = LANES(less)(least, squares[k - 1]);
            squares[k] = LANES(select)(nearer, least, squares[k]);
            joints[k] = LANES(select)(nearer, name, joints[k]);
            squares[k] = LANES(select)(than_above, squares[k - 1], squares[k]);
            joints[k] = LANES(select)(than_above, joints[k - 1], joints[k]);
            nearer = than_above;
        }
        squares[0] = LANES(select)(nearer, least, squares[0]);
        joints[0] = LANES(select)(nearer, name, joints[0]);
    }
    for (uint32_t k = 0; k < n; k++) {
        LANES(store)(job->squares[k] + lane, squares[k]);
        LANES(store)(job->joints[k] + lane, joints[k]);
    }
}

CLOUD_FN void CLOUD_NAME(sinewi_cloud_nearest)(sinewi_cloud_nearest *job)
{
    for (uint32_t lane = 0; lane < SINEWI_CLOUD_BLOCK; lane += LANE_COUNT)
        CLOUD_NAME(nearest_lanes)(job, lane);
}

#undef CLOUD_FN
#undef CLOUD_NAME
#undef LANES
#undef LANE_COUNT
