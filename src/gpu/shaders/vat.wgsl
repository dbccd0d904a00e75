// SPDX-License-Identifier: MIT
// Vertex animation textures and baked palettes of `sinew bake --vat`, for vertex shaders (docs/vat.md).
// WGSL, to be put before a shader of your own:
//
//     @group(0) @binding(0) var frames: texture_2d<f32>;         // OUT.ktx2 as rgba32float
//     @group(0) @binding(1) var<uniform> how: sinew_vat_layout;  // of OUT.json
//     ...
//     let moment = sinew_vat_at(clip, seconds);
//     let v = sinew_vat_vertex(frames, how, moment, u32(vertex_id)); // v.position, v.normal
//
// Positions are in world space of the file, in its unit; normals are unit vectors. No filter is used, so
// rgba32float may be bound as unfilterable-float. Textures of 16 bits are bound as rgba16uint
// (texture_2d<u32>), which every device has: sinew_vat_vertex_u16. src/gpu/shaders/vat.glsl is the same in
// GLSL.

// ---- Frames -----------------------------------------------------------------------------------------------

// A clip of the texture: first_frame, frames, duration in seconds and loop (0 or 1) of OUT.json.
struct sinew_vat_clip {
    first_frame: u32,
    frame_count: u32,
    duration: f32,
    looping: u32,
}

// Two neighbouring frames of the texture, and how far it is from the first to the second, 0 to 1.
struct sinew_vat_moment {
    frame: u32,
    next: u32,
    part: f32,
}

// Clips that loop do so before 0 too; others hold their first and last frames. The frames of a clip are
// evenly spread from 0 to its duration, both included.
fn sinew_vat_at(clip: sinew_vat_clip, seconds: f32) -> sinew_vat_moment {
    if (clip.frame_count < 2u || !(clip.duration > 0.0)) {
        return sinew_vat_moment(clip.first_frame, clip.first_frame, 0.0);
    }
    let turns = seconds / clip.duration;
    let share = select(clamp(turns, 0.0, 1.0), turns - floor(turns), clip.looping != 0u);
    let at = share * f32(clip.frame_count - 1u);
    let frame = min(u32(at), clip.frame_count - 2u);
    return sinew_vat_moment(clip.first_frame + frame, clip.first_frame + frame + 1u, at - f32(frame));
}

// Texel `index` of the texture, row after row.
fn sinew_vat_texel(frames: texture_2d<f32>, index: u32) -> vec4<f32> {
    let width = textureDimensions(frames).x;
    return textureLoad(frames, vec2<u32>(index % width, index / width), 0);
}

fn sinew_vat_texel_u16(frames: texture_2d<u32>, index: u32) -> vec4<f32> {
    let width = textureDimensions(frames).x;
    return vec4<f32>(textureLoad(frames, vec2<u32>(index % width, index / width), 0)) / 65535.0;
}

// ---- Form "vertices" --------------------------------------------------------------------------------------

// low, stride, size, normal_scale and normal_base of OUT.json; 48 bytes as a uniform.
struct sinew_vat_layout {
    low: vec3<f32>,
    stride: u32,
    size: vec3<f32>,
    normal_scale: f32,
    normal_base: f32,
}

struct sinew_vat_shown {
    position: vec3<f32>,
    normal: vec3<f32>,
}

fn sinew_vat_unfold(at: vec2<f32>) -> vec3<f32> {
    let z = 1.0 - abs(at.x) - abs(at.y);
    let over = max(-z, 0.0);
    let folded = at + select(vec2<f32>(-over), vec2<f32>(over), at < vec2<f32>(0.0));
    return normalize(vec3<f32>(folded, z));
}

fn sinew_vat_unpack(how: sinew_vat_layout, texel: vec4<f32>) -> sinew_vat_shown {
    let w = floor(texel.w * how.normal_scale + 0.5);
    let middle = how.normal_base * 0.5 - 1.0;
    let a = floor(w / how.normal_base);
    return sinew_vat_shown(how.low + texel.xyz * how.size,
                           sinew_vat_unfold(vec2<f32>(a, w - a * how.normal_base) / middle - 1.0));
}

fn sinew_vat_mix(how: sinew_vat_layout, first: vec4<f32>, second: vec4<f32>, part: f32) -> sinew_vat_shown {
    let a = sinew_vat_unpack(how, first);
    let b = sinew_vat_unpack(how, second);
    let mixed = a.normal + (b.normal - a.normal) * part;
    var normal = a.normal;
    if (dot(mixed, mixed) > 0.0) {
        normal = normalize(mixed);
    }
    return sinew_vat_shown(a.position + (b.position - a.position) * part, normal);
}

fn sinew_vat_vertex(frames: texture_2d<f32>, how: sinew_vat_layout, moment: sinew_vat_moment,
                    vertex: u32) -> sinew_vat_shown {
    return sinew_vat_mix(how, sinew_vat_texel(frames, moment.frame * how.stride + vertex),
                         sinew_vat_texel(frames, moment.next * how.stride + vertex), moment.part);
}

fn sinew_vat_vertex_u16(frames: texture_2d<u32>, how: sinew_vat_layout, moment: sinew_vat_moment,
                        vertex: u32) -> sinew_vat_shown {
    return sinew_vat_mix(how, sinew_vat_texel_u16(frames, moment.frame * how.stride + vertex),
                         sinew_vat_texel_u16(frames, moment.next * how.stride + vertex), moment.part);
}

// ---- Form "palettes" --------------------------------------------------------------------------------------

// Three rows of a matrix from the mesh's bind space to the world.
struct sinew_vat_rows {
    x: vec4<f32>,
    y: vec4<f32>,
    z: vec4<f32>,
}

fn sinew_vat_row(frames: texture_2d<f32>, stride: u32, moment: sinew_vat_moment, index: u32) -> vec4<f32> {
    let row = sinew_vat_texel(frames, moment.frame * stride + index);
    return row + (sinew_vat_texel(frames, moment.next * stride + index) - row) * moment.part;
}

fn sinew_vat_joint(frames: texture_2d<f32>, stride: u32, moment: sinew_vat_moment,
                   joint: u32) -> sinew_vat_rows {
    return sinew_vat_rows(sinew_vat_row(frames, stride, moment, 3u * joint),
                          sinew_vat_row(frames, stride, moment, 3u * joint + 1u),
                          sinew_vat_row(frames, stride, moment, 3u * joint + 2u));
}

// The rows so far, and the joints of one more set of influences (JOINTS_n and WEIGHTS_n of OUT.glb). Begin
// with rows of zeros.
fn sinew_vat_add(frames: texture_2d<f32>, stride: u32, moment: sinew_vat_moment, joints: vec4<u32>,
                 weights: vec4<f32>, so_far: sinew_vat_rows) -> sinew_vat_rows {
    var sum = so_far;
    for (var k = 0u; k < 4u; k++) {
        if (weights[k] != 0.0) {
            let rows = sinew_vat_joint(frames, stride, moment, joints[k]);
            sum.x += weights[k] * rows.x;
            sum.y += weights[k] * rows.y;
            sum.z += weights[k] * rows.z;
        }
    }
    return sum;
}

fn sinew_vat_position(rows: sinew_vat_rows, position: vec3<f32>) -> vec3<f32> {
    return vec3<f32>(dot(rows.x.xyz, position) + rows.x.w, dot(rows.y.xyz, position) + rows.y.w,
                     dot(rows.z.xyz, position) + rows.z.w);
}

// Right under scale and shear too: cofactors, turned round where the matrix mirrors.
fn sinew_vat_normal(rows: sinew_vat_rows, normal: vec3<f32>) -> vec3<f32> {
    let a = cross(rows.y.xyz, rows.z.xyz);
    let b = cross(rows.z.xyz, rows.x.xyz);
    let c = cross(rows.x.xyz, rows.y.xyz);
    let side = select(1.0, -1.0, dot(rows.x.xyz, a) < 0.0);
    let turned = side * vec3<f32>(dot(a, normal), dot(b, normal), dot(c, normal));
    if (dot(turned, turned) > 0.0) {
        return normalize(turned);
    }
    return normal;
}

// A vertex with up to four influences.
fn sinew_vat_skin(frames: texture_2d<f32>, stride: u32, moment: sinew_vat_moment, joints: vec4<u32>,
                  weights: vec4<f32>, position: vec3<f32>, normal: vec3<f32>) -> sinew_vat_shown {
    let zeros = vec4<f32>(0.0);
    let rows = sinew_vat_add(frames, stride, moment, joints, weights, sinew_vat_rows(zeros, zeros, zeros));
    return sinew_vat_shown(sinew_vat_position(rows, position), sinew_vat_normal(rows, normal));
}
