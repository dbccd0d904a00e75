// SPDX-License-Identifier: MIT
// What two rotations weigh in a slerp, LANE_COUNT at once, with sinew_acos and sinew_sin of
// core/math.c and their bits. Included by kernels that have a layer of core/lanes_*.h as
// LANES(name); SLERP_FN holds the attributes, SLERP_NAME(name) makes names.

// sinew_acos of 0 <= x (1 where it is more)
SLERP_FN LANES(t) SLERP_NAME(acos)(LANES(t) x)
{
    const LANES(t) one = LANES(set)(1.0f), half = LANES(set)(0.5f);
    x = LANES(select)(LANES(less)(one, x), one, x);
    LANES(mask) near = LANES(less)(half, x);
    LANES(t) near_size = LANES(sqrt)(LANES(mul)(half, LANES(sub)(one, x)));
    LANES(t) size = LANES(select)(near, near_size, x), z = LANES(mul)(size, size);
    LANES(t)
    p = LANES(add)(LANES(mul)(LANES(set)(4.2163199048e-2f), z), LANES(set)(2.4181311049e-2f));
    p = LANES(add)(LANES(mul)(p, z), LANES(set)(4.5470025998e-2f));
    p = LANES(add)(LANES(mul)(p, z), LANES(set)(7.4953002686e-2f));
    p = LANES(add)(LANES(mul)(p, z), LANES(set)(1.6666752422e-1f));
    LANES(t) asin = LANES(add)(LANES(mul)(LANES(mul)(p, z), size), size);
    LANES(t) far = LANES(sub)(LANES(set)(1.57079633f), asin);
    return LANES(select)(near, LANES(mul)(LANES(set)(2.0f), asin), far);
}

// sinew_sin of 0 <= x <= pi / 2
SLERP_FN LANES(t) SLERP_NAME(sin)(LANES(t) x)
{
    const LANES(t) one = LANES(set)(1.0f);
    LANES(t) turns = LANES(add)(LANES(mul)(x, LANES(set)(0.636619772f)), LANES(set)(0.5f));
    LANES(mask) low = LANES(less)(turns, one);
    LANES(t) over = LANES(sub)(x, LANES(set)(1.5703125f));
    over = LANES(sub)(over, LANES(set)(4.837512969970703125e-4f));
    over = LANES(sub)(over, LANES(set)(7.54978995489188e-8f));
    LANES(t) r = LANES(select)(low, x, over), z = LANES(mul)(r, r);
    LANES(t)
    s = LANES(add)(LANES(mul)(LANES(set)(-1.9515295891e-4f), z), LANES(set)(8.3321608736e-3f));
    s = LANES(sub)(LANES(mul)(s, z), LANES(set)(1.6666654611e-1f));
    s = LANES(add)(LANES(mul)(LANES(mul)(s, z), r), r);
    LANES(t)
    c = LANES(sub)(LANES(mul)(LANES(set)(2.443315711809948e-5f), z),
                   LANES(set)(1.388731625493765e-3f));
    c = LANES(add)(LANES(mul)(c, z), LANES(set)(4.166664568298827e-2f));
    c = LANES(sub)(LANES(mul)(LANES(mul)(c, z), z), LANES(mul)(LANES(set)(0.5f), z));
    return LANES(select)(low, s, LANES(add)(c, one));
}

// How much of the first and of the second rotation sinew_quat_slerp takes: d is the size of their
// dot product, 0 < t <= 1. `neighbours`: all are likely to be close together, which is worth a
// look.
SLERP_FN void SLERP_NAME(weights)(LANES(t) d, LANES(t) t, bool neighbours, LANES(t) * from,
                                  LANES(t) * to)
{
    const LANES(t) zero = LANES(set)(0.0f), one = LANES(set)(1.0f);
    LANES(t) s = LANES(sub)(one, t);
    LANES(mask) close = LANES(less)(LANES(set)(0.9999f), d);
    LANES(t) sixth = LANES(mul)(LANES(sub)(one, d), LANES(set)(1.0f / 3.0f));
    LANES(t) near_from = LANES(mul)(sixth, LANES(sub)(one, LANES(mul)(s, s)));
    LANES(t) near_to = LANES(mul)(sixth, LANES(sub)(one, LANES(mul)(t, t)));
    *from = near_from = LANES(add)(s, LANES(mul)(s, near_from));
    *to = near_to = LANES(add)(t, LANES(mul)(t, near_to));
    if (neighbours && !LANES(any)(LANES(except)(close)))
        return;
    LANES(mask) whole = LANES(less)(s, LANES(set)(1e-30f));
    LANES(t) theta = SLERP_NAME(acos)(d);
    LANES(t) inverse = LANES(div)(one, SLERP_NAME(sin)(theta));
    LANES(t) far_from = LANES(mul)(SLERP_NAME(sin)(LANES(mul)(s, theta)), inverse);
    LANES(t) far_to = LANES(mul)(SLERP_NAME(sin)(LANES(mul)(t, theta)), inverse);
    far_from = LANES(select)(whole, zero, far_from);
    far_to = LANES(select)(whole, one, far_to);
    *from = LANES(select)(close, near_from, far_from);
    *to = LANES(select)(close, near_to, far_to);
}

#undef SLERP_FN
#undef SLERP_NAME
