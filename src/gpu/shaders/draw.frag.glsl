// SPDX-License-Identifier: MIT
// One light: base * (ambient + (1 - ambient) max(n . l, 0)) + emissive, in linear light; the target
// turns it into sRGB.

in vec3 v_world;
in vec3 v_normal;
in vec2 v_uv;
in vec4 v_color;

layout(binding = 1) uniform highp sampler2D u_base;

layout(location = 0) out vec4 o_color;

// The level whose texels are about as large as pixels: half the size for every quarter of the
// texels that a pixel covers.
float texture_level()
{
    vec2 size = vec2(textureSize(u_base, 0)), dx = dFdx(v_uv) * size, dy = dFdy(v_uv) * size;
    float texels = abs(dx.x * dy.y - dx.y * dy.x) * emissive.w, level = 0.0;
    while (texels > 2.0 && level < 15.0) {
        texels *= 0.25;
        level += 1.0;
    }
    return level;
}

// Flat shading: a triangle's normal is the cross product of any two directions within it.
vec3 surface_normal(vec3 to_viewer, vec3 dx, vec3 dy)
{
    if ((flags & 2u) == 0u) {
        vec3 n = cross(dx, dy);
        float square = dot(n, n);
        n = square > 0.0 ? n * inversesqrt(square) : to_viewer;
        return dot(n, to_viewer) < 0.0 ? -n : n;
    }
    float square = dot(v_normal, v_normal);
    vec3 n = square > 1e-30 ? v_normal * inversesqrt(square) : to_viewer;
    return gl_FrontFacing ? n : -n;
}

void main()
{
    // derivatives before anything is discarded
    vec3 dx = dFdx(v_world), dy = dFdy(v_world);
    vec4 base = base_color * v_color;
    if ((flags & 4u) != 0u)
        base *= textureLod(u_base, v_uv, (flags & 16u) != 0u ? 0.0 : texture_level());
    if (base.w < cutoff || base.w >= solid)
        discard;
    if ((flags & 8u) != 0u) {
        vec3 n = surface_normal(normalize(eye.xyz - v_world), dx, dy);
        float lit = max(dot(n, to_light.xyz), 0.0);
        base.xyz = base.xyz * (to_light.w + (1.0 - to_light.w) * lit) + emissive.xyz;
    }
    o_color = base;
}
