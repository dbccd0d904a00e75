// SPDX-License-Identifier: MIT
// Palettes in a storage buffer: of any number and size. Joined with others as text (skin.wgsl says which); one of
// palette_storage.wgsl, palette_uniform.wgsl and palette_texture.wgsl.

/// Palettes of sinew_shader_palette_write, one an instance, the same number of vec4 apart.
@group(0) @binding(1) var<storage, read> sinew_palette_vectors: array<vec4<f32>>;

fn sinew_palette(index: u32) -> vec4<f32> {
    return sinew_palette_vectors[index];
}
