// SPDX-License-Identifier: MIT
// The skin, as functions for compute and vertex stages alike: skin.glsl in WGSL, by the same names.
//
// WGSL has no #include: join these files as text, in any order, into one module.
//
//     meshes into buffers     palette_*.wgsl skin.wgsl words.wgsl mesh.wgsl skin_compute.wgsl
//     meshes drawn            palette_*.wgsl skin.wgsl words.wgsl mesh.wgsl draw.wgsl skin_draw.wgsl
//     from vertex attributes  palette_*.wgsl skin.wgsl draw.wgsl skin_attributes.wgsl
//     clouds                  palette_*.wgsl skin.wgsl words.wgsl cloud.wgsl
//     springs                 spring.wgsl
//
// where palette_*.wgsl is one of palette_storage, palette_uniform and palette_texture. This file has no bindings, and
// wants of others, or of the user, no more than
//
//     fn sinew_palette(index: u32) -> vec4<f32>     a vec4 of the palettes, wherever they are
//
// Palettes are laid out as sinew/shader_palette.h says (sinew_shader_palette_write):
//
//     [0 1 2] C   [3 4 5] base   [6] kind, 1: the base is the identity, joints, 0   [7 ...] joints
//     kind 0  linear        3 a joint: the rows of M - C
//     kind 1  dual rigid    2 a joint: r, e             M = [R(r) | t] base, e = t r / 2
//     kind 2  dual general  5 a joint: r, f0 ... f3     f_c = (column c of M - C) r
//
// A vertex goes through
//
//     var blend = sinew_blend_begin(first);             first: vec4 before its instance's palette
//     sinew_blend_pivot(&blend, joint, weight);         each influence, unless the heaviest comes first
//     sinew_blend_add(&blend, joint, weight);           each influence
//     let matrix = sinew_blend_end(blend);
//     sinew_move(matrix, position)                      sinew_turn_normal(...)  sinew_turn_tangent(...)
//
// Linear blend: A = C + sum w (M - C). At rest all differences are 0 and A is C, to the last bit whatever the weights.
// Dual quaternions: the formulas of src/skin/dual_palette.c (Kavan, Collins, Zara, O'Sullivan 2008, with scale and
// shear beside them).

/// Rows of a 3x4 matrix.
struct sinew_matrix {
    x: vec4<f32>,
    y: vec4<f32>,
    z: vec4<f32>,
}

struct sinew_blend {
    first: u32,    // vec4 of the palette's header
    kind: u32,     // 0 linear, 1 dual rigid, 2 dual general
    joints: u32,   // how many there are
    pivot: u32,    // the heaviest joint; SINEW_NO_JOINT: none yet
    heaviest: f32, // its weight
    r_first: vec4<f32>, // its quaternion
    r: vec4<f32>,  // sum of w s r
    f0: vec4<f32>, // sums: rows of the matrix | e | four columns
    f1: vec4<f32>,
    f2: vec4<f32>,
    f3: vec4<f32>,
}

const SINEW_HEADER = 7u;
const SINEW_NO_JOINT = 0xffffffffu;

fn sinew_blend_begin(first: u32) -> sinew_blend {
    let facts = sinew_palette(first + 6u);
    var b: sinew_blend; // zeros
    b.first = first;
    b.kind = u32(facts.x);
    b.joints = u32(facts.z);
    b.pivot = SINEW_NO_JOINT;
    if b.kind == 0u {
        b.f0 = sinew_palette(first);
        b.f1 = sinew_palette(first + 1u);
        b.f2 = sinew_palette(first + 2u);
    }
    return b;
}

fn sinew_blend_entry(b: ptr<function, sinew_blend>, joint: u32) -> u32 {
    return (*b).first + SINEW_HEADER + select(select(5u, 2u, (*b).kind == 1u), 3u, (*b).kind == 0u) * joint;
}

/// Looks for the heaviest influence, of several as heavy for the lowest joint: turns of dual quaternions go the short
/// way round as seen from there. Does nothing for linear blends.
fn sinew_blend_pivot(b: ptr<function, sinew_blend>, joint: u32, weight: f32) {
    if (*b).kind == 0u || weight == 0.0 || joint >= (*b).joints {
        return;
    }
    if (*b).pivot == SINEW_NO_JOINT || weight > (*b).heaviest || (weight == (*b).heaviest && joint < (*b).pivot) {
        (*b).pivot = joint;
        (*b).heaviest = weight;
        (*b).r_first = sinew_palette(sinew_blend_entry(b, joint));
    }
}

/// A weight of 0 adds nothing, whatever stands in the matrix (0 * NaN is NaN), and so does a joint past the palette.
fn sinew_blend_add(b: ptr<function, sinew_blend>, joint: u32, weight: f32) {
    if weight == 0.0 || joint >= (*b).joints {
        return;
    }
    let at = sinew_blend_entry(b, joint);
    if (*b).kind == 0u {
        let w = vec4<f32>(weight);
        (*b).f0 = fma(w, sinew_palette(at), (*b).f0);
        (*b).f1 = fma(w, sinew_palette(at + 1u), (*b).f1);
        (*b).f2 = fma(w, sinew_palette(at + 2u), (*b).f2);
        return;
    }
    let r = sinew_palette(at);
    if (*b).pivot == SINEW_NO_JOINT {
        (*b).pivot = joint;
        (*b).r_first = r;
    }
    // the short way round, seen from the heaviest
    let w = vec4<f32>(select(weight, -weight, dot((*b).r_first, r) < 0.0));
    (*b).r = fma(w, r, (*b).r);
    (*b).f0 = fma(w, sinew_palette(at + 1u), (*b).f0);
    if (*b).kind == 2u {
        (*b).f1 = fma(w, sinew_palette(at + 2u), (*b).f1);
        (*b).f2 = fma(w, sinew_palette(at + 3u), (*b).f2);
        (*b).f3 = fma(w, sinew_palette(at + 4u), (*b).f3);
    }
}

/// vec(f r*)
fn sinew_back(f: vec4<f32>, r: vec4<f32>) -> vec3<f32> {
    return r.w * f.xyz + (cross(r.xyz, f.xyz) - f.w * r.xyz);
}

fn sinew_row_times(row: vec4<f32>, base: sinew_matrix) -> vec4<f32> {
    return fma(vec4<f32>(row.x), base.x, fma(vec4<f32>(row.y), base.y,
        fma(vec4<f32>(row.z), base.z, vec4<f32>(0.0, 0.0, 0.0, row.w))));
}

/// Three rows of a palette.
fn sinew_palette_rows(index: u32) -> sinew_matrix {
    return sinew_matrix(sinew_palette(index), sinew_palette(index + 1u), sinew_palette(index + 2u));
}

fn sinew_blend_end(b: sinew_blend) -> sinew_matrix {
    if b.kind == 0u {
        return sinew_matrix(b.f0, b.f1, b.f2);
    }
    let square = dot(b.r, b.r);
    let good = square > 1e-20 && square < 1e38; // else weights have cancelled out, or there were none
    if b.kind == 2u {
        let r = b.r * select(0.0, 1.0 / square, good);
        let c0 = sinew_back(b.f0, r);
        let c1 = sinew_back(b.f1, r);
        let c2 = sinew_back(b.f2, r);
        let c3 = sinew_back(b.f3, r);
        let center = sinew_palette_rows(b.first);
        return sinew_matrix(
            center.x + vec4<f32>(c0.x, c1.x, c2.x, c3.x),
            center.y + vec4<f32>(c0.y, c1.y, c2.y, c3.y),
            center.z + vec4<f32>(c0.z, c1.z, c2.z, c3.z));
    }
    let r = b.r;
    let s = r * select(0.0, 2.0 / square, good);
    let t = sinew_back(b.f0, s);
    let x = vec4<f32>(1.0 - (r.y * s.y + r.z * s.z), r.x * s.y - r.w * s.z, r.x * s.z + r.w * s.y, t.x);
    let y = vec4<f32>(r.x * s.y + r.w * s.z, 1.0 - (r.x * s.x + r.z * s.z), r.y * s.z - r.w * s.x, t.y);
    let z = vec4<f32>(r.x * s.z - r.w * s.y, r.y * s.z + r.w * s.x, 1.0 - (r.x * s.x + r.y * s.y), t.z);
    if sinew_palette(b.first + 6u).y != 0.0 {
        return sinew_matrix(x, y, z);
    }
    let base = sinew_palette_rows(b.first + 3u);
    return sinew_matrix(sinew_row_times(x, base), sinew_row_times(y, base), sinew_row_times(z, base));
}

fn sinew_row_of_point(row: vec4<f32>, p: vec3<f32>) -> f32 {
    return fma(row.x, p.x, fma(row.y, p.y, fma(row.z, p.z, row.w)));
}

/// A p. The bits of p where A is the identity.
fn sinew_move(m: sinew_matrix, p: vec3<f32>) -> vec3<f32> {
    return vec3<f32>(sinew_row_of_point(m.x, p), sinew_row_of_point(m.y, p), sinew_row_of_point(m.z, p));
}

/// v at unit length; `keep` where it has all but cancelled out: not above a millionth of the sizes of the terms that it
/// is the sum of.
fn sinew_unit(v: vec3<f32>, terms: f32, keep: vec3<f32>) -> vec3<f32> {
    let square = dot(v, v);
    let least = 1e-6 * terms;
    if square > least * least && square > 1e-37 && square < 1e38 {
        return v / sqrt(square);
    }
    return keep;
}

/// The matrix's columns, their cofactors and its determinant.
struct sinew_turn {
    a0: vec3<f32>,
    a1: vec3<f32>,
    a2: vec3<f32>,
    c0: vec3<f32>,
    c1: vec3<f32>,
    c2: vec3<f32>,
    det: f32,
}

fn sinew_turn_of(m: sinew_matrix) -> sinew_turn {
    var t: sinew_turn;
    t.a0 = vec3<f32>(m.x.x, m.y.x, m.z.x);
    t.a1 = vec3<f32>(m.x.y, m.y.y, m.z.y);
    t.a2 = vec3<f32>(m.x.z, m.y.z, m.z.z);
    t.c0 = cross(t.a1, t.a2);
    t.c1 = cross(t.a2, t.a0);
    t.c2 = cross(t.a0, t.a1);
    t.det = dot(t.a0, t.c0);
    return t;
}

/// sign(det A) cof(A) n, normalised. A normal of 0 stays 0.
fn sinew_turn_normal(t: sinew_turn, n: vec3<f32>) -> vec3<f32> {
    let v = t.c0 * n.x + t.c1 * n.y + t.c2 * n.z;
    let l = vec3<f32>(length(t.a0), length(t.a1), length(t.a2));
    return sinew_unit(select(v, -v, t.det < 0.0), dot(abs(n), l.yzx * l.zxy), n);
}

/// A t, normalised; w changes sign with the determinant.
fn sinew_turn_tangent(t: sinew_turn, tangent: vec4<f32>) -> vec4<f32> {
    let v = t.a0 * tangent.x + t.a1 * tangent.y + t.a2 * tangent.z;
    let l = vec3<f32>(length(t.a0), length(t.a1), length(t.a2));
    return vec4<f32>(
        sinew_unit(v, dot(abs(tangent.xyz), l), tangent.xyz), select(tangent.w, -tangent.w, t.det < 0.0));
}

/// Position, unit normal, unit tangent (w: 1 or -1). A normal or tangent of 0 is none, and stays 0.
struct sinew_vertex {
    position: vec3<f32>,
    normal: vec3<f32>,
    tangent: vec4<f32>,
}

fn sinew_move_vertex(m: sinew_matrix, v: sinew_vertex) -> sinew_vertex {
    let turn = sinew_turn_of(m);
    return sinew_vertex(
        sinew_move(m, v.position), sinew_turn_normal(turn, v.normal), sinew_turn_tangent(turn, v.tangent));
}
