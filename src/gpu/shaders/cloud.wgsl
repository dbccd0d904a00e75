// SPDX-License-Identifier: MIT
// Clouds: loose points that follow a skeleton (sinew/cloud.h, sinew_cloud_pose). Joined with others as text
// (skin.wgsl says which). Palettes are linear ones (kind 0, of sinew_kernel_palette_build).
//
// Positions:  C v + (sum w (M - C)) v. Weights of 0 or less, and joints past the palette, are passed over; where that
//             leaves 1e-6 or less the point stays where it is; where a joint was missing the others' sum is made 1.
// Normals:    by the cofactors of the dominant joint, at unit length; one that comes out as nothing is kept.
// Frames:     rotations turn by the dominant joint's rotation (its matrix without scale and shear, x axis first; of a
//             mirror with the x axis turned round), scales grow by the cube root of its determinant's size.
// Rest:       where all M are C, C v to the last bit; where C is the identity normals and frames keep their bits, too.
// Points past the binding are copied.

/// Offsets and strides in bytes, multiples of 4 but for those of joints and weights. All of sinew_words.
struct sinew_cloud_facts {
    point_count: u32,     // points to pose; may be fewer, or more, than are bound
    bound_count: u32,     // points of the binding
    instance_count: u32,
    palette_stride: u32,  // vec4 from the palette of an instance to the next
    positions: u32,       // x y z, metres, where the points were bound
    position_stride: u32,
    normals: u32,         // x y z; SINEW_NONE: none
    normal_stride: u32,
    rotations: u32,       // x y z w of each point's own frame (a splat's); SINEW_NONE: none
    rotation_stride: u32,
    scales: u32,          // x y z of it; SINEW_NONE: none
    scale_stride: u32,
    joints: u32,          // [bound_count][influence_count] tightly packed: joints of sinew_cloud_binding_info
    joint_size: u32,      // 1, 2 or 4 bytes each
    weights: u32,         // [bound_count][influence_count] weights of it
    weight_size: u32,     // 1 unorm8, 2 unorm16, 4 float
    influence_count: u32, // 1 to 4
    unused_0: u32,
    unused_1: u32,
    unused_2: u32,
}

@group(0) @binding(0) var<uniform> sinew_cloud: sinew_cloud_facts;

/// Plain floats, tightly packed: [instance_count][point_count][3], of rotations [4]. Outputs whose inputs are not there
/// are not written: buffers of 4 bytes or more.
@group(0) @binding(3) var<storage, read_write> sinew_out_positions: array<f32>;
@group(0) @binding(4) var<storage, read_write> sinew_out_normals: array<f32>;
@group(0) @binding(5) var<storage, read_write> sinew_out_rotations: array<f32>;
@group(0) @binding(6) var<storage, read_write> sinew_out_scales: array<f32>;

struct sinew_cloud_point {
    position: vec3<f32>,
    normal: vec3<f32>,
    rotation: vec4<f32>,
    scale: vec3<f32>,
}

fn sinew_largest(v: vec3<f32>) -> f32 {
    let sizes = abs(v);
    return max(sizes.x, max(sizes.y, sizes.z));
}

/// The cube root of a number from 0 on: the hardware's, made better by two of Newton's steps.
fn sinew_cube_root(v: f32) -> f32 {
    if v <= 0.0 {
        return 0.0;
    }
    var root = exp2(log2(v) * (1.0 / 3.0));
    root -= (root * root * root - v) / (3.0 * root * root);
    return root - (root * root * root - v) / (3.0 * root * root);
}

/// a b of quaternions x y z w.
fn sinew_quat_product(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz));
}

/// The rotation whose axes these are, by the largest of its four numbers (Shepperd 1978).
fn sinew_quat_of_axes(x: vec3<f32>, y: vec3<f32>, z: vec3<f32>) -> vec4<f32> {
    let trace = x.x + y.y + z.z;
    var q = vec4<f32>(z.x + x.z, y.z + z.y, 1.0 - x.x - y.y + z.z, x.y - y.x);
    if trace >= x.x && trace >= y.y && trace >= z.z {
        q = vec4<f32>(y.z - z.y, z.x - x.z, x.y - y.x, 1.0 + trace);
    } else if x.x >= y.y && x.x >= z.z {
        q = vec4<f32>(1.0 + x.x - y.y - z.z, x.y + y.x, z.x + x.z, y.z - z.y);
    } else if y.y >= z.z {
        q = vec4<f32>(x.y + y.x, 1.0 - x.x + y.y - z.z, y.z + z.y, z.x - x.z);
    }
    return q * (1.0 / sqrt(dot(q, q)));
}

fn sinew_axis(v: vec3<f32>, fallback: vec3<f32>) -> vec3<f32> {
    let square = dot(v, v);
    return select(fallback, v / sqrt(square), square > 1e-30);
}

/// Turns normal, rotation and scale by the dominant joint's matrix.
fn sinew_turn_details(m: sinew_matrix, p: sinew_cloud_point) -> sinew_cloud_point {
    var out = p;
    // columns of a size near 1, so that products of three neither overflow nor vanish
    var a = vec3<f32>(m.x.x, m.y.x, m.z.x);
    var b = vec3<f32>(m.x.y, m.y.y, m.z.y);
    var c = vec3<f32>(m.x.z, m.y.z, m.z.z);
    let size = max(sinew_largest(a), max(sinew_largest(b), sinew_largest(c)));
    if size > 0.0 {
        a /= size;
        b /= size;
        c /= size;
    }
    var c0 = cross(b, c);
    var c1 = cross(c, a);
    var c2 = cross(a, b);
    let determinant = dot(a, c0);
    let sign = select(1.0, -1.0, determinant < 0.0);
    let largest = max(sinew_largest(c0), max(sinew_largest(c1), sinew_largest(c2)));
    if largest > 0.0 {
        c0 /= largest;
        c1 /= largest;
        c2 /= largest;
    }
    let n = c0 * p.normal.x + c1 * p.normal.y + c2 * p.normal.z;
    let square = dot(n, n);
    if square > 1e-12 && square < 1e38 {
        out.normal = n * (sign / sqrt(square));
    }
    if determinant != 0.0 { // the rotation nearest to what the columns point to
        var x = sinew_axis(a, vec3<f32>(1.0, 0.0, 0.0));
        let y = sinew_axis(b - x * dot(x, b), vec3<f32>(0.0, 1.0, 0.0));
        x *= sign;
        out.rotation = sinew_quat_product(sinew_quat_of_axes(x, y, cross(x, y)), p.rotation);
    }
    out.scale = p.scale * (size * sinew_cube_root(abs(determinant)));
    return out;
}

fn sinew_is_zero(m: sinew_matrix) -> bool {
    return all(m.x == vec4<f32>(0.0)) && all(m.y == vec4<f32>(0.0)) && all(m.z == vec4<f32>(0.0));
}

fn sinew_is_identity(m: sinew_matrix) -> bool {
    return all(m.x == vec4<f32>(1.0, 0.0, 0.0, 0.0)) && all(m.y == vec4<f32>(0.0, 1.0, 0.0, 0.0)) &&
        all(m.z == vec4<f32>(0.0, 0.0, 1.0, 0.0));
}

fn sinew_cloud_joint(point: u32, i: u32) -> u32 {
    let place = point * sinew_cloud.influence_count + i;
    return sinew_unsigned(sinew_cloud.joints + place * sinew_cloud.joint_size, sinew_cloud.joint_size);
}

fn sinew_cloud_weight(point: u32, i: u32) -> f32 {
    let place = point * sinew_cloud.influence_count + i;
    return sinew_weight(sinew_cloud.weights + place * sinew_cloud.weight_size, sinew_cloud.weight_size);
}

/// A point posed by the palette that begins at that vec4.
fn sinew_pose_point(palette: u32, point: u32, p: sinew_cloud_point) -> sinew_cloud_point {
    if point >= sinew_cloud.bound_count {
        return p;
    }
    var blend = sinew_blend_begin(palette);
    var sum = 0.0;
    var most = 0.0;
    var dominant = 0u;
    var lacks = false;
    for (var i = 0u; i < sinew_cloud.influence_count; i++) {
        let weight = sinew_cloud_weight(point, i);
        let joint = sinew_cloud_joint(point, i);
        if !(weight > 0.0) {
            continue;
        }
        if joint >= blend.joints {
            lacks = true;
            continue;
        }
        sum += weight;
        if weight > most {
            most = weight;
            dominant = joint;
        }
    }
    if !(sum > 1e-6) {
        return p;
    }
    for (var i = 0u; i < sinew_cloud.influence_count; i++) {
        let weight = max(sinew_cloud_weight(point, i), 0.0);
        sinew_blend_add(&blend, sinew_cloud_joint(point, i), select(weight, weight / sum, lacks));
    }
    let center = sinew_palette_rows(palette);
    let difference = sinew_palette_rows(palette + SINEW_HEADER + 3u * dominant);
    var out = p;
    if !(sinew_is_zero(difference) && sinew_is_identity(center)) {
        out = sinew_turn_details(
            sinew_matrix(difference.x + center.x, difference.y + center.y, difference.z + center.z), p);
    }
    out.position = sinew_move(sinew_blend_end(blend), p.position);
    return out;
}

/// Dispatch ceil(point_count / 64) by instance_count workgroups.
@compute @workgroup_size(64)
fn sinew_pose_cloud(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= sinew_cloud.point_count || id.y >= sinew_cloud.instance_count {
        return;
    }
    var p = sinew_cloud_point(vec3<f32>(0.0), vec3<f32>(0.0), vec4<f32>(0.0, 0.0, 0.0, 1.0), vec3<f32>(1.0));
    p.position = sinew_floats3(sinew_cloud.positions + id.x * sinew_cloud.position_stride);
    if sinew_cloud.normals != SINEW_NONE {
        p.normal = sinew_floats3(sinew_cloud.normals + id.x * sinew_cloud.normal_stride);
    }
    if sinew_cloud.rotations != SINEW_NONE {
        p.rotation = sinew_floats4(sinew_cloud.rotations + id.x * sinew_cloud.rotation_stride);
    }
    if sinew_cloud.scales != SINEW_NONE {
        p.scale = sinew_floats3(sinew_cloud.scales + id.x * sinew_cloud.scale_stride);
    }
    p = sinew_pose_point(id.y * sinew_cloud.palette_stride, id.x, p);
    let place = id.y * sinew_cloud.point_count + id.x;
    for (var k = 0u; k < 3u; k++) {
        sinew_out_positions[3u * place + k] = p.position[k];
        if sinew_cloud.normals != SINEW_NONE {
            sinew_out_normals[3u * place + k] = p.normal[k];
        }
        if sinew_cloud.scales != SINEW_NONE {
            sinew_out_scales[3u * place + k] = p.scale[k];
        }
    }
    if sinew_cloud.rotations != SINEW_NONE {
        for (var k = 0u; k < 4u; k++) {
            sinew_out_rotations[4u * place + k] = p.rotation[k];
        }
    }
}
