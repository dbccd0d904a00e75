// SPDX-License-Identifier: MIT
// One buffer for all that a mesh or a cloud has: a glTF buffer as it is, or arrays one behind the other. A device need
// not have more than eight storage buffers a stage, and outputs want some of them. Joined with others as text
// (skin.wgsl says which).

/// Numbers of any kind, found by offsets and strides in bytes from the start (mesh.wgsl, cloud.wgsl).
@group(0) @binding(2) var<storage, read> sinew_words: array<u32>;

/// The offset of an array that is not there.
const SINEW_NONE = 0xffffffffu;

/// `at` is a multiple of 4.
fn sinew_word(at: u32) -> u32 {
    return sinew_words[at >> 2u];
}

fn sinew_float(at: u32) -> f32 {
    return bitcast<f32>(sinew_word(at));
}

fn sinew_floats3(at: u32) -> vec3<f32> {
    return vec3<f32>(sinew_float(at), sinew_float(at + 4u), sinew_float(at + 8u));
}

fn sinew_floats4(at: u32) -> vec4<f32> {
    return vec4<f32>(sinew_floats3(at), sinew_float(at + 12u));
}

/// An unsigned number of 1, 2 or 4 bytes (little-endian, as WebGPU is); `at` is a multiple of its size.
fn sinew_unsigned(at: u32, size: u32) -> u32 {
    let word = sinew_word(at & ~3u);
    if size == 4u {
        return word;
    }
    return extractBits(word, 8u * (at & 3u), 8u * size);
}

/// A weight: 1 byte is unorm8, 2 are unorm16, 4 a float.
fn sinew_weight(at: u32, size: u32) -> f32 {
    let bits = sinew_unsigned(at, size);
    if size == 4u {
        return bitcast<f32>(bits);
    }
    return f32(bits) / select(65535.0, 255.0, size == 1u);
}
