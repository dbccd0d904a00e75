// SPDX-License-Identifier: MIT
// sinew_palette(index) from a storage buffer, a uniform block or a texture, as
// SINEW_PALETTE_STORAGE, _UNIFORM (with SINEW_PALETTE_VECTORS, its size) or _TEXTURE says.

#if defined(SINEW_PALETTE_STORAGE)
layout(std430, binding = 2) readonly buffer sinew_palette_buffer {
    vec4 sinew_palette_vectors[];
};
vec4 sinew_palette(uint index)
{
    return sinew_palette_vectors[index];
}
#elif defined(SINEW_PALETTE_UNIFORM)
layout(std140, binding = 1) uniform sinew_palette_block {
    vec4 sinew_palette_vectors[SINEW_PALETTE_VECTORS];
};
vec4 sinew_palette(uint index)
{
    return sinew_palette_vectors[index];
}
#else
// rows of 1,024 texels
layout(binding = 0) uniform highp sampler2D sinew_palette_texels;
vec4 sinew_palette(uint index)
{
    return texelFetch(sinew_palette_texels, ivec2(int(index & 1023u), int(index >> 10u)), 0);
}
#endif
