// SPDX-License-Identifier: MIT
// The matrices of transforms that lie side by side, LANE_COUNT at once: element 4r + c of them all
// is m[4r + c]. Planes (sinew_pose) stand `stride` floats apart. Included by kernels that have a
// layer of core/lanes_*.h as LANES(name); COMPOSE_FN holds the attributes,
// COMPOSE_NAME the name. Multiplies and adds are
// those of sinew_mat4_from_transform in their order, so the bits are the scalar ones.

COMPOSE_FN void COMPOSE_NAME(const float *p, size_t stride, LANES(t) m[12])
{
    LANES(t) x = LANES(load)(p + 3 * stride), y = LANES(load)(p + 4 * stride);
    LANES(t) z = LANES(load)(p + 5 * stride), w = LANES(load)(p + 6 * stride);
    LANES(t) sx = LANES(load)(p + 7 * stride), sy = LANES(load)(p + 8 * stride);
    LANES(t) sz = LANES(load)(p + 9 * stride), one = LANES(set)(1.0f);
    LANES(t) x2 = LANES(add)(x, x), y2 = LANES(add)(y, y), z2 = LANES(add)(z, z);
    LANES(t) xx = LANES(mul)(x, x2), yy = LANES(mul)(y, y2), zz = LANES(mul)(z, z2);
    LANES(t) xy = LANES(mul)(x, y2), xz = LANES(mul)(x, z2), yz = LANES(mul)(y, z2);
    LANES(t) wx = LANES(mul)(w, x2), wy = LANES(mul)(w, y2), wz = LANES(mul)(w, z2);
    m[0] = LANES(mul)(LANES(sub)(one, LANES(add)(yy, zz)), sx);
    m[1] = LANES(mul)(LANES(sub)(xy, wz), sy);
    m[2] = LANES(mul)(LANES(add)(xz, wy), sz);
    m[3] = LANES(load)(p);
    m[4] = LANES(mul)(LANES(add)(xy, wz), sx);
    m[5] = LANES(mul)(LANES(sub)(one, LANES(add)(xx, zz)), sy);
    m[6] = LANES(mul)(LANES(sub)(yz, wx), sz);
    m[7] = LANES(load)(p + stride);
    m[8] = LANES(mul)(LANES(sub)(xz, wy), sx);
    m[9] = LANES(mul)(LANES(add)(yz, wx), sy);
    m[10] = LANES(mul)(LANES(sub)(one, LANES(add)(xx, yy)), sz);
    m[11] = LANES(load)(p + 2 * stride);
}

#undef COMPOSE_FN
#undef COMPOSE_NAME
