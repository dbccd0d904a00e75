// SPDX-License-Identifier: MIT
// The vertices of a mesh out of words.wgsl: positions, normals, tangents with their morph targets, and influences.
// Joined with others as text (skin.wgsl says which).

/// Offsets and strides in bytes, multiples of 4 but for those of joints and weights. All of sinew_words; nothing is
/// read where vertex_count or target_count is 0.
struct sinew_mesh_facts {
    vertex_count: u32,
    instance_count: u32,
    palette_stride: u32,  // vec4 from the palette of an instance to the next
    influence_count: u32, // of a vertex, any number; 0: all follow the first joint
    positions: u32,       // x y z, metres, bind space
    position_stride: u32,
    normals: u32,         // x y z; SINEW_NONE: none
    normal_stride: u32,
    tangents: u32,        // x y z w; SINEW_NONE: none
    tangent_stride: u32,
    joints: u32,          // [influence_count] a vertex, side by side: slots of the skin
    joint_stride: u32,    // from vertex to vertex
    joint_size: u32,      // 1, 2 or 4 bytes each
    weights: u32,         // the same; SINEW_NONE: all 1 (one influence)
    weight_stride: u32,
    weight_size: u32,     // 1 unorm8, 2 unorm16, 4 float
    targets: u32,         // [target_count] morph targets of five words, see sinew_morph_vertex
    target_count: u32,
    unused_0: u32,
    unused_1: u32,
}

@group(0) @binding(0) var<uniform> sinew_mesh: sinew_mesh_facts;

/// [instance_count][target_count] weights of morph targets; a buffer of 4 bytes or more where there are none.
@group(0) @binding(3) var<storage, read> sinew_morph_weights: array<f32>;

fn sinew_mesh_joint(vertex: u32, i: u32) -> u32 {
    return sinew_unsigned(
        sinew_mesh.joints + vertex * sinew_mesh.joint_stride + i * sinew_mesh.joint_size, sinew_mesh.joint_size);
}

fn sinew_mesh_weight(vertex: u32, i: u32) -> f32 {
    if sinew_mesh.weights == SINEW_NONE {
        return 1.0;
    }
    return sinew_weight(
        sinew_mesh.weights + vertex * sinew_mesh.weight_stride + i * sinew_mesh.weight_size, sinew_mesh.weight_size);
}

/// The matrix of a vertex by the palette of its instance.
fn sinew_mesh_matrix(vertex: u32, instance: u32) -> sinew_matrix {
    var blend = sinew_blend_begin(instance * sinew_mesh.palette_stride);
    if sinew_mesh.influence_count == 0u {
        sinew_blend_add(&blend, 0u, 1.0);
    }
    for (var i = 0u; i < sinew_mesh.influence_count && blend.kind != 0u; i++) {
        sinew_blend_pivot(&blend, sinew_mesh_joint(vertex, i), sinew_mesh_weight(vertex, i));
    }
    for (var i = 0u; i < sinew_mesh.influence_count; i++) {
        sinew_blend_add(&blend, sinew_mesh_joint(vertex, i), sinew_mesh_weight(vertex, i));
    }
    return sinew_blend_end(blend);
}

/// Where a vertex stands in a target's offsets: itself, or its place among ascending indices; SINEW_NONE: nowhere.
fn sinew_target_place(vertex: u32, count: u32, indices: u32) -> u32 {
    if indices == SINEW_NONE {
        return select(SINEW_NONE, vertex, vertex < count);
    }
    var low = 0u;
    var high = count;
    while low < high {
        let middle = (low + high) / 2u;
        if sinew_word(indices + 4u * middle) < vertex {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    if low < count && sinew_word(indices + 4u * low) == vertex {
        return low;
    }
    return SINEW_NONE;
}

fn sinew_morph_sum(v: vec3<f32>, offsets: u32, place: u32, weight: f32) -> vec3<f32> {
    if offsets == SINEW_NONE {
        return v;
    }
    return fma(vec3<f32>(weight), sinew_floats3(offsets + 12u * place), v);
}

/// Adds weighted morph targets, in order. A target is five words:
///     count     vertices with offsets
///     indices   offset of [count] ascending vertices, 4 bytes each; SINEW_NONE: the first `count` vertices
///     positions, normals, tangents   offsets of [count][3] floats; SINEW_NONE: none
fn sinew_morph_vertex(vertex: u32, instance: u32, v: sinew_vertex) -> sinew_vertex {
    var sum = v;
    for (var i = 0u; i < sinew_mesh.target_count; i++) {
        let weight = sinew_morph_weights[instance * sinew_mesh.target_count + i];
        if weight == 0.0 {
            continue;
        }
        let at = sinew_mesh.targets + 20u * i;
        let place = sinew_target_place(vertex, sinew_word(at), sinew_word(at + 4u));
        if place == SINEW_NONE {
            continue;
        }
        sum.position = sinew_morph_sum(sum.position, sinew_word(at + 8u), place, weight);
        if sinew_mesh.normals != SINEW_NONE {
            sum.normal = sinew_morph_sum(sum.normal, sinew_word(at + 12u), place, weight);
        }
        if sinew_mesh.tangents != SINEW_NONE {
            let tangent = sinew_morph_sum(sum.tangent.xyz, sinew_word(at + 16u), place, weight);
            sum.tangent = vec4<f32>(tangent, sum.tangent.w);
        }
    }
    return sum;
}

/// A vertex as the mesh has it, morphed by its instance's weights.
fn sinew_mesh_vertex(vertex: u32, instance: u32) -> sinew_vertex {
    var v = sinew_vertex(vec3<f32>(0.0), vec3<f32>(0.0), vec4<f32>(0.0));
    v.position = sinew_floats3(sinew_mesh.positions + vertex * sinew_mesh.position_stride);
    if sinew_mesh.normals != SINEW_NONE {
        v.normal = sinew_floats3(sinew_mesh.normals + vertex * sinew_mesh.normal_stride);
    }
    if sinew_mesh.tangents != SINEW_NONE {
        v.tangent = sinew_floats4(sinew_mesh.tangents + vertex * sinew_mesh.tangent_stride);
    }
    return sinew_morph_vertex(vertex, instance, v);
}

/// The whole way: read, morphed, skinned by the palette of its instance.
fn sinew_skin_mesh_vertex(vertex: u32, instance: u32) -> sinew_vertex {
    return sinew_move_vertex(sinew_mesh_matrix(vertex, instance), sinew_mesh_vertex(vertex, instance));
}
