// SPDX-License-Identifier: MIT
// Draws a mesh, skinned in the vertex stage by the function of the compute pass, from the same buffers. Joined with
// others as text (skin.wgsl says which).

/// Draw with vertex indices of the mesh and instance_count instances; no vertex buffers.
@vertex
fn sinew_draw_mesh(@builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> sinew_drawn {
    return sinew_draw(sinew_skin_mesh_vertex(vertex, instance));
}
