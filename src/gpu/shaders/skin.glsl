// SPDX-License-Identifier: MIT
// The skin function, for compute and vertex shaders alike (GLSL ES 3.1; no version line, so that it
// can be put behind one's own). Who includes it defines before
//
//     vec4 sinew_palette(uint index)     a vec4 of the palettes, wherever they are
//
// Palettes are laid out as sinew/shader_palette.h says. A vertex goes through
//
//     sinew_blend blend = sinew_blend_begin(first);          first: its instance's palette
//     sinew_blend_add(blend, joint, weight);                 each influence, the heaviest first
//     sinew_matrix matrix = sinew_blend_end(blend);
//     sinew_move(matrix, position)  sinew_turn_normal(...)  sinew_turn_tangent(...)
//
// Linear blend: A = C + sum w (M - C). At rest all differences are 0 and A is C, to the last bit
// whatever the weights. Dual quaternions: the formulas of src/skin/dual_palette.c (Kavan, Collins,
// Zara, O'Sullivan 2008, with scale and shear beside them).

// Rows of a 3x4 matrix.
struct sinew_matrix {
    vec4 x, y, z;
};

struct sinew_blend {
    uint first;    // vec4 of the palette's header
    uint kind;     // 0 linear, 1 dual rigid, 2 dual general
    uint joints;   // how many there are
    bool started;  // r_first is there
    vec4 r_first;  // of the heaviest influence
    vec4 r;        // sum of w s r
    vec4 f0, f1, f2, f3; // sums: rows of the matrix | e | four columns
};

const uint SINEW_HEADER = 7u;

sinew_blend sinew_blend_begin(uint first)
{
    vec4 facts = sinew_palette(first + 6u);
    sinew_blend b;
    b.first = first;
    b.kind = uint(facts.x);
    b.joints = uint(facts.z);
    b.started = false;
    b.r_first = vec4(0.0);
    b.r = vec4(0.0);
    b.f0 = b.f1 = b.f2 = b.f3 = vec4(0.0);
    if (b.kind == 0u) {
        b.f0 = sinew_palette(first);
        b.f1 = sinew_palette(first + 1u);
        b.f2 = sinew_palette(first + 2u);
    }
    return b;
}

// A weight of 0 adds nothing, whatever stands in the matrix (0 * NaN is NaN), and so does a joint
// past the palette.
void sinew_blend_add(inout sinew_blend b, uint joint, float weight)
{
    if (weight == 0.0 || joint >= b.joints)
        return;
    if (b.kind == 0u) {
        uint at = b.first + SINEW_HEADER + 3u * joint;
        b.f0 += weight * sinew_palette(at);
        b.f1 += weight * sinew_palette(at + 1u);
        b.f2 += weight * sinew_palette(at + 2u);
        return;
    }
    uint at = b.first + SINEW_HEADER + (b.kind == 1u ? 2u : 5u) * joint;
    vec4 r = sinew_palette(at);
    if (!b.started) {
        b.started = true;
        b.r_first = r;
    }
    // the short way round, seen from the heaviest
    float w = dot(b.r_first, r) < 0.0 ? -weight : weight;
    b.r += w * r;
    b.f0 += w * sinew_palette(at + 1u);
    if (b.kind == 2u) {
        b.f1 += w * sinew_palette(at + 2u);
        b.f2 += w * sinew_palette(at + 3u);
        b.f3 += w * sinew_palette(at + 4u);
    }
}

// vec(f r*)
vec3 sinew_back(vec4 f, vec4 r)
{
    return r.w * f.xyz - f.w * r.xyz + cross(r.xyz, f.xyz);
}

sinew_matrix sinew_blend_end(sinew_blend b)
{
    sinew_matrix m;
    if (b.kind == 0u) {
        m.x = b.f0;
        m.y = b.f1;
        m.z = b.f2;
        return m;
    }
    float square = dot(b.r, b.r);
    bool good = square > 1e-20 && square < 1e38; // else weights have cancelled out
    if (b.kind == 2u) {
        vec4 r = good ? b.r / square : vec4(0.0);
        vec3 c0 = sinew_back(b.f0, r), c1 = sinew_back(b.f1, r), c2 = sinew_back(b.f2, r),
             c3 = sinew_back(b.f3, r);
        m.x = sinew_palette(b.first) + vec4(c0.x, c1.x, c2.x, c3.x);
        m.y = sinew_palette(b.first + 1u) + vec4(c0.y, c1.y, c2.y, c3.y);
        m.z = sinew_palette(b.first + 2u) + vec4(c0.z, c1.z, c2.z, c3.z);
        return m;
    }
    vec4 s = good ? b.r * (2.0 / square) : vec4(0.0);
    vec3 t = sinew_back(b.f0, s);
    vec4 r = b.r;
    vec4 x = vec4(1.0 - (r.y * s.y + r.z * s.z), r.x * s.y - r.w * s.z, r.x * s.z + r.w * s.y, t.x);
    vec4 y = vec4(r.x * s.y + r.w * s.z, 1.0 - (r.x * s.x + r.z * s.z), r.y * s.z - r.w * s.x, t.y);
    vec4 z = vec4(r.x * s.z - r.w * s.y, r.y * s.z + r.w * s.x, 1.0 - (r.x * s.x + r.y * s.y), t.z);
    if (sinew_palette(b.first + 6u).y != 0.0) {
        m.x = x;
        m.y = y;
        m.z = z;
        return m;
    }
    vec4 b0 = sinew_palette(b.first + 3u), b1 = sinew_palette(b.first + 4u),
         b2 = sinew_palette(b.first + 5u);
    m.x = x.x * b0 + (x.y * b1 + x.z * b2);
    m.y = y.x * b0 + (y.y * b1 + y.z * b2);
    m.z = z.x * b0 + (z.y * b1 + z.z * b2);
    m.x.w += t.x;
    m.y.w += t.y;
    m.z.w += t.z;
    return m;
}

vec3 sinew_move(sinew_matrix m, vec3 p)
{
    return vec3(m.x.x * p.x + (m.x.y * p.y + (m.x.z * p.z + m.x.w)),
                m.y.x * p.x + (m.y.y * p.y + (m.y.z * p.z + m.y.w)),
                m.z.x * p.x + (m.z.y * p.y + (m.z.z * p.z + m.z.w)));
}

// v at unit length; `keep` where it has all but cancelled out: not above a millionth of the sizes
// of the terms that it is the sum of.
vec3 sinew_unit(vec3 v, float terms, vec3 keep)
{
    float square = dot(v, v), least = 1e-6 * terms;
    return square > least * least && square > 1e-37 && square < 1e38 ? v / sqrt(square) : keep;
}

// The matrix's columns, their cofactors and its determinant.
struct sinew_turn {
    vec3 a0, a1, a2, c0, c1, c2;
    float det;
};

sinew_turn sinew_turn_of(sinew_matrix m)
{
    sinew_turn t;
    t.a0 = vec3(m.x.x, m.y.x, m.z.x);
    t.a1 = vec3(m.x.y, m.y.y, m.z.y);
    t.a2 = vec3(m.x.z, m.y.z, m.z.z);
    t.c0 = cross(t.a1, t.a2);
    t.c1 = cross(t.a2, t.a0);
    t.c2 = cross(t.a0, t.a1);
    t.det = dot(t.a0, t.c0);
    return t;
}

// sign(det A) cof(A) n, normalised
vec3 sinew_turn_normal(sinew_turn t, vec3 n)
{
    vec3 v = t.c0 * n.x + t.c1 * n.y + t.c2 * n.z;
    vec3 l = vec3(length(t.a0), length(t.a1), length(t.a2));
    float terms = abs(n.x) * l.y * l.z + abs(n.y) * l.z * l.x + abs(n.z) * l.x * l.y;
    return sinew_unit(t.det < 0.0 ? -v : v, terms, n);
}

// A t, normalised; w changes sign with the determinant
vec4 sinew_turn_tangent(sinew_turn t, vec4 tangent)
{
    vec3 v = t.a0 * tangent.x + t.a1 * tangent.y + t.a2 * tangent.z;
    float terms = abs(tangent.x) * length(t.a0) + abs(tangent.y) * length(t.a1) +
                  abs(tangent.z) * length(t.a2);
    return vec4(sinew_unit(v, terms, tangent.xyz), t.det < 0.0 ? -tangent.w : tangent.w);
}
