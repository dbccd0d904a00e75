// SPDX-License-Identifier: MIT
// Palettes in a texture of four floats a texel: for devices whose vertex stage has no storage buffers. Joined with
// others as text (skin.wgsl says which); one of palette_storage.wgsl, palette_uniform.wgsl and palette_texture.wgsl.

/// rgba32float, read texel by texel (sample type "unfilterable-float"): palettes of sinew_shader_palette_write, one an
/// instance, the same number of vec4 apart, row after row of the texture's width.
@group(0) @binding(1) var sinew_palette_texels: texture_2d<f32>;

fn sinew_palette(index: u32) -> vec4<f32> {
    let width = textureDimensions(sinew_palette_texels).x;
    return textureLoad(sinew_palette_texels, vec2<u32>(index % width, index / width), 0);
}
