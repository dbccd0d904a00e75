// SPDX-License-Identifier: MIT
// What both ways of drawing end in: a camera, and a fragment stage that shows surfaces by the directional shade of
// sinew/shade.h. Users put their own material here. Joined with others as text (skin.wgsl says which).

/// From the space of the palettes to clip space, column-major as WebGPU has it (z from 0 to 1).
@group(0) @binding(7) var<uniform> sinew_clip_from_result: mat4x4<f32>;

struct sinew_drawn {
    @builtin(position) clip: vec4<f32>,
    @location(0) normal: vec3<f32>,
}

fn sinew_draw(v: sinew_vertex) -> sinew_drawn {
    return sinew_drawn(sinew_clip_from_result * vec4<f32>(v.position, 1.0), v.normal);
}

/// The default shade: up 1.00, down 0.55, +x 0.83, -x 0.71, +z 0.88, -z 0.66; a surface without normals 0.77.
@fragment
fn sinew_draw_fragment(drawn: sinew_drawn) -> @location(0) vec4<f32> {
    let n = sinew_unit(drawn.normal, 0.0, vec3<f32>(0.0));
    return vec4<f32>(vec3<f32>(0.7725 + dot(n, vec3<f32>(0.06, 0.225, 0.11))), 1.0);
}
