// SPDX-License-Identifier: MIT
// Skins a range of vertices of some instances: one vertex an invocation, one instance a row of
// groups. Behind palette.glsl and skin.glsl.

layout(local_size_x = 64) in;

// sinewi_skin_params
layout(std140, binding = 0) uniform sinew_params {
    uint first_vertex, vertex_count, vertex_floats, attributes;
    uint influence_groups, palette_first, palette_stride, posed_stride;
    uint posed_first, unused_0, unused_1, unused_2;
};

// x y z, then the normal where attributes has 1, then the tangent where it has 2
layout(std430, binding = 0) readonly buffer sinew_rest {
    float rest[];
};
// for each vertex: the weights of all groups as floats, then their joints, two in a word
layout(std430, binding = 1) readonly buffer sinew_influences {
    uint influences[];
};
layout(std430, binding = 3) writeonly buffer sinew_posed {
    float posed[];
};

sinew_matrix vertex_matrix(uint vertex, uint palette)
{
    sinew_blend blend = sinew_blend_begin(palette);
    if (influence_groups == 0u) {
        sinew_blend_add(blend, 0u, 1.0);
        return sinew_blend_end(blend);
    }
    uint weights = vertex * influence_groups * 6u, joints = weights + 4u * influence_groups;
    for (uint i = 0u; i < 4u * influence_groups; i += 2u) {
        uint pair = influences[joints + i / 2u];
        sinew_blend_add(blend, pair & 0xffffu, uintBitsToFloat(influences[weights + i]));
        sinew_blend_add(blend, pair >> 16u, uintBitsToFloat(influences[weights + i + 1u]));
    }
    return sinew_blend_end(blend);
}

void main()
{
    uint vertex = first_vertex + gl_GlobalInvocationID.x, instance = gl_GlobalInvocationID.y;
    if (gl_GlobalInvocationID.x >= vertex_count)
        return;
    sinew_matrix m = vertex_matrix(vertex, palette_first + instance * palette_stride);
    uint from = vertex * vertex_floats, to = posed_first + instance * posed_stride + from;
    vec3 p = sinew_move(m, vec3(rest[from], rest[from + 1u], rest[from + 2u]));
    posed[to] = p.x;
    posed[to + 1u] = p.y;
    posed[to + 2u] = p.z;
    if (attributes == 0u)
        return;
    from += 3u;
    to += 3u;
    sinew_turn turn = sinew_turn_of(m);
    if ((attributes & 1u) != 0u) {
        vec3 n = sinew_turn_normal(turn, vec3(rest[from], rest[from + 1u], rest[from + 2u]));
        posed[to] = n.x;
        posed[to + 1u] = n.y;
        posed[to + 2u] = n.z;
        from += 3u;
        to += 3u;
    }
    if ((attributes & 2u) != 0u) {
        vec4 t = sinew_turn_tangent(
            turn, vec4(rest[from], rest[from + 1u], rest[from + 2u], rest[from + 3u]));
        posed[to] = t.x;
        posed[to + 1u] = t.y;
        posed[to + 2u] = t.z;
        posed[to + 3u] = t.w;
    }
}
