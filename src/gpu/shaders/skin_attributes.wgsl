// SPDX-License-Identifier: MIT
// Draws a mesh from vertex attributes, skinned in the vertex stage: up to eight influences. Joined with others as text
// (skin.wgsl says which).

/// x: vec4 from the palette of an instance to the next; y: influences of a vertex, 1 to 8.
@group(0) @binding(8) var<uniform> sinew_attributes: vec4<u32>;

/// Joints as uint8x4 or uint16x4, weights as unorm8x4, unorm16x4 or float32x4: JOINTS_n and WEIGHTS_n of glTF. Of a
/// mesh with four influences or fewer the second set may be the first buffer again: it is not looked at.
struct sinew_vertex_attributes {
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) joints_0: vec4<u32>,
    @location(3) weights_0: vec4<f32>,
    @location(4) joints_1: vec4<u32>,
    @location(5) weights_1: vec4<f32>,
}

/// The vertex of these attributes, skinned by the palette of its instance.
fn sinew_skin_attributes(a: sinew_vertex_attributes, instance: u32) -> sinew_vertex {
    var joints = array<vec4<u32>, 2>(a.joints_0, a.joints_1);
    var weights = array<vec4<f32>, 2>(a.weights_0, a.weights_1);
    let count = min(sinew_attributes.y, 8u);
    var blend = sinew_blend_begin(instance * sinew_attributes.x);
    for (var i = 0u; i < count && blend.kind != 0u; i++) {
        sinew_blend_pivot(&blend, joints[i / 4u][i % 4u], weights[i / 4u][i % 4u]);
    }
    for (var i = 0u; i < count; i++) {
        sinew_blend_add(&blend, joints[i / 4u][i % 4u], weights[i / 4u][i % 4u]);
    }
    return sinew_move_vertex(sinew_blend_end(blend), sinew_vertex(a.position, a.normal, vec4<f32>(0.0)));
}

@vertex
fn sinew_draw_attributes(a: sinew_vertex_attributes, @builtin(instance_index) instance: u32) -> sinew_drawn {
    return sinew_draw(sinew_skin_attributes(a, instance));
}
