// SPDX-License-Identifier: MIT
// Two bones with problems as lanes, without a branch: selects take the rare cases in, so that one
// text is the scalar solver and every kernel. Included by files that have a layer of core/lanes_*.h
// as LANES(name), LANE_COUNT wide; IK_FN holds the attributes, IK_NAME(name) makes names.
//
//                  mid            e   start -> mid, unit          a  its length
//                 /   \           v   mid -> end, unit            b  its length
//              a /     \ b        n   hinge: a positive turn of v about it bends
//               /       \         u   start -> end, unit          d  how far end shall be
//          start --------- end    phi the bend at mid: 0 is straight
//                    d
//
// 1. The hinge n: e x v where the pose is bent; else the given axis, square to e.
// 2. Lengths give the bend, by half of it: every factor is a difference or a sum of lengths, so
// nothing is
//    lost in thin triangles (Kahan 2014), as it is with the law of cosines:
//        cos²(phi/2) = (d - (a - b)) (d + (a - b)) / 4ab     sin²(phi/2) = (a + b - d) (a + b + d)
//        / 4ab
//    and with it u0 before start turns: (a - b + 2b cos²(phi/2), 2b sin(phi/2) cos(phi/2)) / d
//    along e and across it. (The angle at start from the three lengths would be that of another
//    rounding: 4e-4 of the length beside the target at full stretch.)
// 3. mid: v is laid on e (or -e, if that is nearer) by the shortest arc, then turned by phi about
// n. For a
//    bent pose both turns have the axis n, so mid turns about its own hinge.
// 4. start: the frame (u0, n, u0 x n) goes to (u1, n1, u1 x n1). u1 points to the target; n1 is
// square to u1
//    and the pole, or else n carried along the shortest arc from u0 to u1. Then it turns by `twist`
//    about u1.
// 5. Weights: nlerp from no turn. The product of a turn with a rotation keeps distances between
//    quaternions, so this is the nlerp of the joints' rotations.

#define IK_INLINE IK_FN static inline __attribute__((always_inline))
#if !defined(__GNUC__)
#undef IK_INLINE
#define IK_INLINE IK_FN static inline
#endif
#define IK_T LANES(t)

typedef struct IK_NAME(ik_vec) {
    IK_T x, y, z;
} IK_NAME(ik_vec);
typedef struct IK_NAME(ik_quat) {
    IK_T x, y, z, w;
} IK_NAME(ik_quat);
#define IK_VEC IK_NAME(ik_vec)
#define IK_QUAT IK_NAME(ik_quat)

IK_INLINE IK_VEC IK_NAME(ik_load)(const float (*p)[SINEW_IK_LANES], uint32_t lane)
{
    IK_VEC r = {LANES(load)(p[0] + lane), LANES(load)(p[1] + lane), LANES(load)(p[2] + lane)};
    return r;
}
IK_INLINE IK_VEC IK_NAME(ik_add)(IK_VEC a, IK_VEC b)
{
    IK_VEC r = {LANES(add)(a.x, b.x), LANES(add)(a.y, b.y), LANES(add)(a.z, b.z)};
    return r;
}
IK_INLINE IK_VEC IK_NAME(ik_sub)(IK_VEC a, IK_VEC b)
{
    IK_VEC r = {LANES(sub)(a.x, b.x), LANES(sub)(a.y, b.y), LANES(sub)(a.z, b.z)};
    return r;
}
IK_INLINE IK_VEC IK_NAME(ik_scale)(IK_VEC a, IK_T s)
{
    IK_VEC r = {LANES(mul)(a.x, s), LANES(mul)(a.y, s), LANES(mul)(a.z, s)};
    return r;
}
IK_INLINE IK_T IK_NAME(ik_dot)(IK_VEC a, IK_VEC b)
{
    return LANES(add)(LANES(add)(LANES(mul)(a.x, b.x), LANES(mul)(a.y, b.y)), LANES(mul)(a.z, b.z));
}
IK_INLINE IK_VEC IK_NAME(ik_cross)(IK_VEC a, IK_VEC b)
{
    IK_VEC r = {LANES(sub)(LANES(mul)(a.y, b.z), LANES(mul)(a.z, b.y)),
                LANES(sub)(LANES(mul)(a.z, b.x), LANES(mul)(a.x, b.z)),
                LANES(sub)(LANES(mul)(a.x, b.y), LANES(mul)(a.y, b.x))};
    return r;
}
IK_INLINE IK_VEC IK_NAME(ik_pick)(LANES(mask) mask, IK_VEC a, IK_VEC b)
{
    IK_VEC r = {LANES(select)(mask, a.x, b.x), LANES(select)(mask, a.y, b.y),
                LANES(select)(mask, a.z, b.z)};
    return r;
}
// 1 / sqrt(square), for lengths down to 1e-15.
IK_INLINE IK_T IK_NAME(ik_inverse_root)(IK_T square)
{
    return LANES(div)(LANES(set)(1.0f), LANES(sqrt)(LANES(max)(square, LANES(set)(1e-30f))));
}
// A unit vector from what of a is square to the unit vector u.
IK_INLINE IK_VEC IK_NAME(ik_square_to)(IK_VEC u, IK_VEC a)
{
    IK_VEC r = IK_NAME(ik_sub)(a, IK_NAME(ik_scale)(u, IK_NAME(ik_dot)(u, a)));
    return IK_NAME(ik_scale)(r, IK_NAME(ik_inverse_root)(IK_NAME(ik_dot)(r, r)));
}
// -a where the mask holds.
IK_INLINE IK_T IK_NAME(ik_turn_sign)(LANES(mask) mask, IK_T a)
{
    return LANES(select)(mask, LANES(sub)(LANES(set)(0.0f), a), a);
}
// Sine and cosine of half an angle from what their squares are in proportion to; no angle where
// both are 0.
IK_INLINE void IK_NAME(ik_half_angle)(IK_T sine2, IK_T cosine2, IK_T *sine, IK_T *cosine)
{
    const IK_T zero = LANES(set)(0.0f), one = LANES(set)(1.0f), least = LANES(set)(1e-36f);
    sine2 = LANES(max)(sine2, zero), cosine2 = LANES(max)(cosine2, zero);
    IK_T sum = LANES(add)(sine2, cosine2);
    IK_T inverse = LANES(div)(one, LANES(max)(sum, least));
    LANES(mask) good = LANES(less)(least, sum);
    *sine = LANES(select)(good, LANES(sqrt)(LANES(mul)(sine2, inverse)), zero);
    *cosine = LANES(select)(good, LANES(sqrt)(LANES(mul)(cosine2, inverse)), one);
}
// The rotation matrix with columns a0 -> a1, b0 -> b1, c0 -> c1 (two orthonormal frames) as a
// quaternion, by the largest of 4w², 4x², 4y², 4z² (Shepperd 1978). Not of unit length.
IK_INLINE IK_QUAT IK_NAME(ik_frame_turn)(IK_VEC a0, IK_VEC b0, IK_VEC c0, IK_VEC a1, IK_VEC b1,
                                         IK_VEC c1)
{
#define IK_ELEMENT(row, column)                                                                    \
    LANES(add)                                                                                     \
    (LANES(add)(LANES(mul)(a1.row, a0.column), LANES(mul)(b1.row, b0.column)),                     \
     LANES(mul)(c1.row, c0.column))
    IK_T xx = IK_ELEMENT(x, x), xy = IK_ELEMENT(x, y), xz = IK_ELEMENT(x, z);
    IK_T yx = IK_ELEMENT(y, x), yy = IK_ELEMENT(y, y), yz = IK_ELEMENT(y, z);
    IK_T zx = IK_ELEMENT(z, x), zy = IK_ELEMENT(z, y), zz = IK_ELEMENT(z, z);
#undef IK_ELEMENT
    const IK_T one = LANES(set)(1.0f);
    IK_T plus = LANES(add)(one, xx), minus = LANES(sub)(one, xx), sum = LANES(add)(yy, zz);
    IK_T apart = LANES(sub)(yy, zz);
    IK_T w4 = LANES(add)(plus, sum), x4 = LANES(sub)(plus, sum);
    IK_T y4 = LANES(add)(minus, apart), z4 = LANES(sub)(minus, apart);
    IK_T wx = LANES(sub)(zy, yz), wy = LANES(sub)(xz, zx), wz = LANES(sub)(yx, xy);
    IK_T sxy = LANES(add)(xy, yx), sxz = LANES(add)(xz, zx), syz = LANES(add)(yz, zy);
    LANES(mask) x_wins = LANES(less)(w4, x4);
    IK_T best = LANES(select)(x_wins, x4, w4);
    IK_QUAT q = {LANES(select)(x_wins, x4, wx), LANES(select)(x_wins, sxy, wy),
                 LANES(select)(x_wins, sxz, wz), LANES(select)(x_wins, wx, w4)};
    LANES(mask) y_wins = LANES(less)(best, y4);
    best = LANES(select)(y_wins, y4, best);
    q.x = LANES(select)(y_wins, sxy, q.x), q.y = LANES(select)(y_wins, y4, q.y);
    q.z = LANES(select)(y_wins, syz, q.z), q.w = LANES(select)(y_wins, wy, q.w);
    LANES(mask) z_wins = LANES(less)(best, z4);
    q.x = LANES(select)(z_wins, sxz, q.x), q.y = LANES(select)(z_wins, syz, q.y);
    q.z = LANES(select)(z_wins, z4, q.z), q.w = LANES(select)(z_wins, wz, q.w);
    return q;
}
IK_INLINE IK_T IK_NAME(ik_square)(IK_QUAT q)
{
    return LANES(add)(
        LANES(add)(LANES(add)(LANES(mul)(q.x, q.x), LANES(mul)(q.y, q.y)), LANES(mul)(q.z, q.z)),
        LANES(mul)(q.w, q.w));
}
// Stores the share `weight` of a turn, on the shorter arc. No turn where q is not finite.
IK_INLINE void IK_NAME(ik_store)(IK_QUAT q, IK_T weight, LANES(mask) wanted,
                                 float (*out)[SINEW_IK_LANES], uint32_t lane)
{
    const IK_T zero = LANES(set)(0.0f), one = LANES(set)(1.0f);
    IK_T square = IK_NAME(ik_square)(q);
    LANES(mask)
    good = LANES(both)(LANES(less)(LANES(set)(1e-30f), square),
                       LANES(less)(square, LANES(set)(1e38f)));
    good = LANES(both)(good, wanted);
    IK_T scale = IK_NAME(ik_turn_sign)(LANES(less)(q.w, zero), IK_NAME(ik_inverse_root)(square));
    scale = LANES(mul)(scale, weight);
    q.x = LANES(mul)(q.x, scale), q.y = LANES(mul)(q.y, scale), q.z = LANES(mul)(q.z, scale);
    q.w = LANES(add)(LANES(mul)(q.w, scale), LANES(sub)(one, weight));
    IK_T inverse = IK_NAME(ik_inverse_root)(IK_NAME(ik_square)(q));
    LANES(store)(out[0] + lane, LANES(select)(good, LANES(mul)(q.x, inverse), zero));
    LANES(store)(out[1] + lane, LANES(select)(good, LANES(mul)(q.y, inverse), zero));
    LANES(store)(out[2] + lane, LANES(select)(good, LANES(mul)(q.z, inverse), zero));
    LANES(store)(out[3] + lane, LANES(select)(good, LANES(mul)(q.w, inverse), one));
}

// LANE_COUNT problems from `lane` on.
IK_INLINE void IK_NAME(ik_solve)(sinew_two_bone_lanes *p, uint32_t lane)
{
    const sinew_two_bone_lanes *in = p;
    const IK_T zero = LANES(set)(0.0f), one = LANES(set)(1.0f), tiny = LANES(set)(1e-30f);
    // (1e-3)²: the sine² of the angle below which two directions count as parallel. Rounding turns
    // the plane through them by about 1e-7 / 1e-3 there.
    const IK_T parallel = LANES(set)(1e-6f);
    const IK_VEC start = IK_NAME(ik_load)(in->start, lane), mid = IK_NAME(ik_load)(in->mid, lane);
    const IK_VEC end = IK_NAME(ik_load)(in->end, lane);
    const IK_VEC pole = IK_NAME(ik_load)(in->pole, lane), hinge = IK_NAME(ik_load)(in->hinge, lane);

    // Bones. One of length 0 takes the direction of the other.
    IK_VEC upper = IK_NAME(ik_sub)(mid, start), lower = IK_NAME(ik_sub)(end, mid);
    IK_T a2 = IK_NAME(ik_dot)(upper, upper), b2 = IK_NAME(ik_dot)(lower, lower);
    IK_T a = LANES(sqrt)(a2), b = LANES(sqrt)(b2);
    LANES(mask) has_a = LANES(less)(tiny, a2), has_b = LANES(less)(tiny, b2);
    IK_VEC x_axis = {one, zero, zero};
    IK_VEC v = IK_NAME(ik_scale)(lower, IK_NAME(ik_inverse_root)(b2));
    IK_VEC e = IK_NAME(ik_scale)(upper, IK_NAME(ik_inverse_root)(a2));
    e = IK_NAME(ik_pick)(has_a, e, IK_NAME(ik_pick)(has_b, v, x_axis));
    v = IK_NAME(ik_pick)(has_b, v, e);

    // The hinge: the pose's bend, the given axis, the pole, or anything square to e: (0, -z, y), or
    // (-y, x, 0) where |x| >= |z|, is at least sqrt(1/2) long.
    IK_VEC bend = IK_NAME(ik_cross)(e, v);
    IK_T bend2 = IK_NAME(ik_dot)(bend, bend), along = IK_NAME(ik_dot)(e, v);
    IK_T pole2 = IK_NAME(ik_dot)(pole, pole), hinge2 = IK_NAME(ik_dot)(hinge, hinge);
    IK_T pole_min = LANES(max)(LANES(mul)(pole2, parallel), LANES(set)(1e-36f));
    IK_VEC own = IK_NAME(ik_sub)(hinge, IK_NAME(ik_scale)(e, IK_NAME(ik_dot)(e, hinge)));
    IK_VEC poled = IK_NAME(ik_cross)(pole, e);
    LANES(mask) x_small = LANES(less)(LANES(abs)(e.x), LANES(abs)(e.z));
    IK_VEC n = {LANES(select)(x_small, zero, LANES(sub)(zero, e.y)),
                LANES(select)(x_small, LANES(sub)(zero, e.z), e.x),
                LANES(select)(x_small, e.y, zero)};
    n = IK_NAME(ik_pick)(LANES(less)(pole_min, IK_NAME(ik_dot)(poled, poled)), poled, n);
    IK_T hinge_min = LANES(max)(LANES(mul)(hinge2, parallel), LANES(set)(1e-36f));
    n = IK_NAME(ik_pick)(LANES(less)(hinge_min, IK_NAME(ik_dot)(own, own)), own, n);
    LANES(mask) bent = LANES(less)(parallel, bend2);
    IK_T against = LANES(mul)(IK_NAME(ik_dot)(bend, hinge), LANES(load)(in->hinge_sign + lane));
    IK_T side = IK_NAME(ik_turn_sign)(LANES(less)(against, zero), one);
    n = IK_NAME(ik_pick)(bent, IK_NAME(ik_scale)(bend, side), n);
    n = IK_NAME(ik_scale)(n, IK_NAME(ik_inverse_root)(IK_NAME(ik_dot)(n, n)));
    n = IK_NAME(ik_square_to)(e, n); // once more: a cross product of near parallels is off

    // The way to the target, scaled so that its square is a number. At start itself: start -> end.
    IK_VEC way = IK_NAME(ik_sub)(IK_NAME(ik_load)(in->target, lane), start);
    IK_T most = LANES(max)(LANES(max)(LANES(abs)(way.x), LANES(abs)(way.y)), LANES(abs)(way.z));
    LANES(mask) has_way = LANES(less)(tiny, most);
    IK_VEC scaled = IK_NAME(ik_scale)(way, LANES(div)(one, LANES(max)(most, tiny)));
    IK_T scaled2 = IK_NAME(ik_dot)(scaled, scaled);
    IK_VEC u1 = IK_NAME(ik_scale)(scaled, IK_NAME(ik_inverse_root)(scaled2));
    IK_T d = LANES(mul)(most, LANES(sqrt)(scaled2));
    IK_VEC now = IK_NAME(ik_add)(upper, lower);
    IK_T now2 = IK_NAME(ik_dot)(now, now);
    now = IK_NAME(ik_scale)(now, IK_NAME(ik_inverse_root)(now2));
    now = IK_NAME(ik_pick)(LANES(less)(tiny, now2), now, e);
    u1 = IK_NAME(ik_pick)(has_way, u1, now);
    d = LANES(select)(has_way, d, zero);

    // How far end goes: the soft limit, then what the bones can do.
    IK_T length = LANES(add)(a, b), apart = LANES(sub)(a, b);
    IK_T soft = LANES(min)(LANES(max)(LANES(load)(in->soft + lane), zero), one);
    IK_T ease = LANES(mul)(length, soft), from = LANES(sub)(length, ease);
    IK_T past = LANES(div)(LANES(max)(LANES(sub)(d, from), zero), LANES(max)(ease, tiny));
    IK_T k = LANES(add)(one, LANES(mul)(past, LANES(set)(0.25f)));
    k = LANES(mul)(k, k), k = LANES(mul)(k, k);
    IK_T eased = LANES(add)(from, LANES(mul)(ease, LANES(sub)(one, LANES(div)(one, k))));
    LANES(mask) easing = LANES(both)(LANES(less)(zero, soft), LANES(less)(from, d));
    d = LANES(select)(easing, eased, d);
    d = LANES(min)(LANES(max)(d, LANES(abs)(apart)), length);

    // Half the bend. The end then stands at (a + b cos phi, b sin phi) along e and across it.
    IK_T bend_sine, bend_cosine;
    IK_NAME(ik_half_angle)
    (LANES(mul)(LANES(sub)(length, d), LANES(add)(length, d)),
     LANES(mul)(LANES(sub)(d, apart), LANES(add)(d, apart)), &bend_sine, &bend_cosine);
    IK_T reach = LANES(mul)(LANES(add)(b, b), bend_cosine);
    IK_T forth = LANES(add)(apart, LANES(mul)(reach, bend_cosine));
    IK_T aside = LANES(mul)(reach, bend_sine);
    IK_T reach2 = LANES(add)(LANES(mul)(forth, forth), LANES(mul)(aside, aside));
    IK_T inverse = IK_NAME(ik_inverse_root)(reach2);
    LANES(mask) apart_from_start = LANES(less)(tiny, reach2); // else folded flat: any direction
    forth = LANES(select)(apart_from_start, LANES(mul)(forth, inverse), zero);
    aside = LANES(select)(apart_from_start, LANES(mul)(aside, inverse), one);
    IK_VEC u0 = IK_NAME(ik_add)(IK_NAME(ik_scale)(e, forth),
                                IK_NAME(ik_scale)(IK_NAME(ik_cross)(n, e), aside));

    // mid: v on +-e, then phi (or phi - pi) about n.
    LANES(mask) back = LANES(less)(along, zero);
    IK_QUAT arc = {IK_NAME(ik_turn_sign)(back, LANES(sub)(zero, bend.x)),
                   IK_NAME(ik_turn_sign)(back, LANES(sub)(zero, bend.y)),
                   IK_NAME(ik_turn_sign)(back, LANES(sub)(zero, bend.z)),
                   LANES(add)(one, LANES(abs)(along))};
    IK_T turn_sine = LANES(select)(back, LANES(sub)(zero, bend_cosine), bend_sine);
    IK_T turn_cosine = LANES(select)(back, bend_sine, bend_cosine);
    IK_VEC t = IK_NAME(ik_scale)(n, turn_sine);
    IK_VEC arc_vec = {arc.x, arc.y, arc.z};
    IK_VEC turned =
        IK_NAME(ik_add)(IK_NAME(ik_scale)(arc_vec, turn_cosine), IK_NAME(ik_scale)(t, arc.w));
    turned = IK_NAME(ik_add)(turned, IK_NAME(ik_cross)(t, arc_vec));
    IK_QUAT mid_turn = {turned.x, turned.y, turned.z,
                        LANES(sub)(LANES(mul)(turn_cosine, arc.w), IK_NAME(ik_dot)(t, arc_vec))};

    // start: where the hinge goes. Along the arc from u0 to u1 n becomes n - (n.u1) / (1 + u0.u1)
    // (u0 + u1); half a turn apart it stays, and the limb swings in its own plane.
    IK_T cosine1 = LANES(add)(one, IK_NAME(ik_dot)(u0, u1));
    IK_T carried = LANES(div)(IK_NAME(ik_dot)(n, u1), LANES(max)(cosine1, parallel));
    carried = LANES(select)(LANES(less)(parallel, cosine1), carried, zero);
    IK_VEC n1 = IK_NAME(ik_sub)(n, IK_NAME(ik_scale)(IK_NAME(ik_add)(u0, u1), carried));
    IK_VEC to_pole = IK_NAME(ik_cross)(pole, u1);
    IK_T to_pole2 = IK_NAME(ik_dot)(to_pole, to_pole);
    to_pole = IK_NAME(ik_scale)(to_pole, IK_NAME(ik_inverse_root)(to_pole2));
    n1 = IK_NAME(ik_pick)(LANES(less)(pole_min, to_pole2), to_pole, n1);
    n1 = IK_NAME(ik_square_to)(u1, n1);
    IK_VEC side1 = IK_NAME(ik_cross)(u1, n1);
    IK_VEC twisted = IK_NAME(ik_sub)(IK_NAME(ik_scale)(side1, LANES(load)(in->twist_sin + lane)),
                                     IK_NAME(ik_scale)(n1, LANES(load)(in->twist_versin + lane)));
    n1 = IK_NAME(ik_add)(n1, twisted);
    IK_QUAT start_turn =
        IK_NAME(ik_frame_turn)(u0, n, IK_NAME(ik_cross)(u0, n), u1, n1, IK_NAME(ik_cross)(u1, n1));

    IK_T weight = LANES(min)(LANES(max)(LANES(load)(in->weight + lane), zero), one);
    LANES(mask) wanted = LANES(less)(tiny, LANES(add)(a2, b2));
    // A turn of one joint without the other would bring end anywhere.
    IK_T both = LANES(add)(IK_NAME(ik_square)(start_turn), IK_NAME(ik_square)(mid_turn));
    wanted = LANES(both)(wanted, LANES(less)(both, LANES(set)(1e38f)));
    IK_NAME(ik_store)(start_turn, weight, wanted, p->out_start, lane);
    IK_NAME(ik_store)(mid_turn, weight, wanted, p->out_mid, lane);
}

#undef IK_VEC
#undef IK_QUAT
#undef IK_T
#undef IK_INLINE
