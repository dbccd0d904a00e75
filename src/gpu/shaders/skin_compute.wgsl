// SPDX-License-Identifier: MIT
// Skins the vertices of a mesh into buffers. Joined with others as text (skin.wgsl says which).
//
// Outputs are plain floats, tightly packed, so that they are vertex buffers: an array of vec3<f32> would step 16 bytes.

/// [instance_count][vertex_count][3] in the space of the palettes, metres.
@group(0) @binding(4) var<storage, read_write> sinew_out_positions: array<f32>;
/// [instance_count][vertex_count][3] unit length; 4 bytes or more where the mesh has no normals.
@group(0) @binding(5) var<storage, read_write> sinew_out_normals: array<f32>;
/// [instance_count][vertex_count][4] unit length, w 1 or -1; 4 bytes or more where the mesh has no tangents.
@group(0) @binding(6) var<storage, read_write> sinew_out_tangents: array<f32>;

/// Dispatch ceil(vertex_count / 64) by instance_count workgroups.
@compute @workgroup_size(64)
fn sinew_skin_mesh(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= sinew_mesh.vertex_count || id.y >= sinew_mesh.instance_count {
        return;
    }
    let v = sinew_skin_mesh_vertex(id.x, id.y);
    let place = id.y * sinew_mesh.vertex_count + id.x;
    sinew_out_positions[3u * place] = v.position.x;
    sinew_out_positions[3u * place + 1u] = v.position.y;
    sinew_out_positions[3u * place + 2u] = v.position.z;
    if sinew_mesh.normals != SINEW_NONE {
        sinew_out_normals[3u * place] = v.normal.x;
        sinew_out_normals[3u * place + 1u] = v.normal.y;
        sinew_out_normals[3u * place + 2u] = v.normal.z;
    }
    if sinew_mesh.tangents != SINEW_NONE {
        sinew_out_tangents[4u * place] = v.tangent.x;
        sinew_out_tangents[4u * place + 1u] = v.tangent.y;
        sinew_out_tangents[4u * place + 2u] = v.tangent.z;
        sinew_out_tangents[4u * place + 3u] = v.tangent.w;
    }
}
