// SPDX-License-Identifier: MIT
// Palettes in a uniform block, which is the fast memory of many devices. Joined with others as text (skin.wgsl says
// which); one of palette_storage.wgsl, palette_uniform.wgsl and palette_texture.wgsl.

/// vec4 of the block: the buffer must hold as many. Linear palettes of 339 joints, dual general ones of 203. May be
/// changed, up to the device's maxUniformBufferBindingSize / 16 (4096 everywhere).
const SINEW_PALETTE_VECTORS = 1024u;

/// Palettes of sinew_shader_palette_write, one an instance, the same number of vec4 apart.
@group(0) @binding(1) var<uniform> sinew_palette_vectors: array<vec4<f32>, SINEW_PALETTE_VECTORS>;

fn sinew_palette(index: u32) -> vec4<f32> {
    return sinew_palette_vectors[index];
}
