// SPDX-License-Identifier: MIT
// What a drawing is given: sinewi_draw_params of shader_params.h.

layout(std140, binding = 0) uniform sinew_draw {
    highp vec4 eye, right, up, forward; // w: 0, 1 / tan_x, 1 / tan_y, near
    highp vec4 to_light;                // w: ambient
    highp vec4 base_color;
    highp vec4 emissive; // w: texels a pixel are multiplied by it
    highp float cutoff, solid;
    highp uint flags; // 1 posed, 2 normals, 4 texture, 8 lit, 16 hard texels
    highp uint influence_groups;
    highp uint palette_first, palette_stride, unused_0, unused_1;
};
