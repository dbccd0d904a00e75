// SPDX-License-Identifier: MIT
// Draws a mesh, skinned by the same function as in compute. Behind palette.glsl and skin.glsl, or,
// with SINEW_POSED, without them: then vertices are posed already.

layout(location = 0) in vec3 a_position;
layout(location = 1) in vec3 a_normal;
layout(location = 2) in vec2 a_uv;
layout(location = 3) in vec4 a_color;
#if !defined(SINEW_POSED)
layout(location = 4) in vec4 a_weights_0;
layout(location = 5) in vec4 a_weights_1;
layout(location = 6) in uvec4 a_joints_0;
layout(location = 7) in uvec4 a_joints_1;
#endif

out vec3 v_world;
out vec3 v_normal;
out vec2 v_uv;
out vec4 v_color;

#if !defined(SINEW_POSED)
void add_four(inout sinew_blend blend, uvec4 joints, vec4 weights)
{
    sinew_blend_add(blend, joints.x, weights.x);
    sinew_blend_add(blend, joints.y, weights.y);
    sinew_blend_add(blend, joints.z, weights.z);
    sinew_blend_add(blend, joints.w, weights.w);
}
#endif

void main()
{
    v_world = a_position;
    v_normal = a_normal;
#if !defined(SINEW_POSED)
    sinew_blend blend = sinew_blend_begin(palette_first + uint(gl_InstanceID) * palette_stride);
    if (influence_groups == 0u)
        sinew_blend_add(blend, 0u, 1.0);
    if (influence_groups > 0u)
        add_four(blend, a_joints_0, a_weights_0);
    if (influence_groups > 1u)
        add_four(blend, a_joints_1, a_weights_1);
    sinew_matrix m = sinew_blend_end(blend);
    v_world = sinew_move(m, a_position);
    v_normal = sinew_turn_normal(sinew_turn_of(m), a_normal);
#endif
    v_uv = a_uv;
    v_color = a_color;
    // Depth is near / w, and the larger one is nearer: clip z goes from w at the near plane to -w.
    vec3 d = v_world - eye.xyz;
    float w = dot(d, forward.xyz);
    gl_Position = vec4(dot(d, right.xyz) * right.w, dot(d, up.xyz) * up.w, 2.0 * forward.w - w, w);
}
