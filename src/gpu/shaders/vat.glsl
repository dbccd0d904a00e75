// SPDX-License-Identifier: MIT
// Vertex animation textures and baked palettes of `sinew bake --vat`, for vertex shaders (docs/vat.md).
// GLSL ES 3.1 (ES 3.0 will do), to be put before a shader of your own:
//
//     uniform highp sampler2D frames; // OUT.ktx2; no mipmaps are needed, and no filter is used
//     uniform sinew_vat_layout how;   // of OUT.json
//     in float vertex_id;             // _VERTEX_ID of OUT.glb
//     ...
//     vec3 position, normal;
//     sinew_vat_vertex(frames, how, sinew_vat_at(clip, seconds), int(vertex_id), position, normal);
//
// Positions are in world space of the file, in its unit; normals are unit vectors. Textures of 16 bits
// are RGBA16 where GL_EXT_texture_norm16 is there, else RGBA16UI, with the same bytes: both kinds of
// sampler are taken. src/gpu/shaders/vat.wgsl is the same in WGSL.

// ---- Frames -----------------------------------------------------------------------------------------------

// A clip of the texture: first_frame, frames, duration in seconds and loop of OUT.json.
struct sinew_vat_clip {
    int first_frame;
    int frame_count;
    float duration;
    bool loop;
};

// Two neighbouring frames of the texture, and how far it is from the first to the second, 0 to 1.
struct sinew_vat_moment {
    int frame;
    int next;
    float part;
};

// Clips that loop do so before 0 too; others hold their first and last frames. The frames of a clip are
// evenly spread from 0 to its duration, both included.
sinew_vat_moment sinew_vat_at(sinew_vat_clip clip, float seconds)
{
    if (clip.frame_count < 2 || !(clip.duration > 0.0))
        return sinew_vat_moment(clip.first_frame, clip.first_frame, 0.0);
    float turns = seconds / clip.duration;
    float at = clip.loop ? turns - floor(turns) : clamp(turns, 0.0, 1.0);
    at *= float(clip.frame_count - 1);
    int frame = min(int(at), clip.frame_count - 2);
    return sinew_vat_moment(clip.first_frame + frame, clip.first_frame + frame + 1, at - float(frame));
}

// Texel `index` of the texture, row after row.
vec4 sinew_vat_texel(highp sampler2D frames, int index)
{
    int width = textureSize(frames, 0).x;
    return texelFetch(frames, ivec2(index % width, index / width), 0);
}

vec4 sinew_vat_texel(highp usampler2D frames, int index)
{
    int width = textureSize(frames, 0).x;
    return vec4(texelFetch(frames, ivec2(index % width, index / width), 0)) / 65535.0;
}

// ---- Form "vertices" --------------------------------------------------------------------------------------

// stride, low, size, normal_scale and normal_base of OUT.json.
struct sinew_vat_layout {
    int stride;
    vec3 low;
    vec3 size;
    float normal_scale;
    float normal_base;
};

vec3 sinew_vat_unfold(vec2 at)
{
    vec3 n = vec3(at, 1.0 - abs(at.x) - abs(at.y));
    float over = max(-n.z, 0.0);
    n.x += n.x < 0.0 ? over : -over;
    n.y += n.y < 0.0 ? over : -over;
    return normalize(n);
}

void sinew_vat_unpack(sinew_vat_layout how, vec4 texel, out vec3 position, out vec3 normal)
{
    float w = floor(texel.w * how.normal_scale + 0.5), middle = how.normal_base * 0.5 - 1.0;
    float a = floor(w / how.normal_base);
    position = how.low + texel.xyz * how.size;
    normal = sinew_vat_unfold(vec2(a, w - a * how.normal_base) / middle - 1.0);
}

void sinew_vat_mix(sinew_vat_layout how, vec4 first, vec4 second, float part,
                   out vec3 position, out vec3 normal)
{
    vec3 next_position, next_normal, mixed;
    sinew_vat_unpack(how, first, position, normal);
    sinew_vat_unpack(how, second, next_position, next_normal);
    position += (next_position - position) * part;
    mixed = normal + (next_normal - normal) * part;
    normal = dot(mixed, mixed) > 0.0 ? normalize(mixed) : normal;
}

void sinew_vat_vertex(highp sampler2D frames, sinew_vat_layout how, sinew_vat_moment moment, int vertex,
                      out vec3 position, out vec3 normal)
{
    sinew_vat_mix(how, sinew_vat_texel(frames, moment.frame * how.stride + vertex),
                  sinew_vat_texel(frames, moment.next * how.stride + vertex), moment.part, position, normal);
}

void sinew_vat_vertex(highp usampler2D frames, sinew_vat_layout how, sinew_vat_moment moment, int vertex,
                      out vec3 position, out vec3 normal)
{
    sinew_vat_mix(how, sinew_vat_texel(frames, moment.frame * how.stride + vertex),
                  sinew_vat_texel(frames, moment.next * how.stride + vertex), moment.part, position, normal);
}

// ---- Form "palettes" --------------------------------------------------------------------------------------

// Three rows of a matrix from the mesh's bind space to the world.
struct sinew_vat_rows {
    vec4 x, y, z;
};

vec4 sinew_vat_row(highp sampler2D frames, int stride, sinew_vat_moment moment, int index)
{
    vec4 row = sinew_vat_texel(frames, moment.frame * stride + index);
    return row + (sinew_vat_texel(frames, moment.next * stride + index) - row) * moment.part;
}

sinew_vat_rows sinew_vat_joint(highp sampler2D frames, int stride, sinew_vat_moment moment, uint joint)
{
    int index = 3 * int(joint);
    return sinew_vat_rows(sinew_vat_row(frames, stride, moment, index),
                          sinew_vat_row(frames, stride, moment, index + 1),
                          sinew_vat_row(frames, stride, moment, index + 2));
}

// Adds the joints of one set of influences (JOINTS_n and WEIGHTS_n of OUT.glb). Begin with rows of zeros.
void sinew_vat_add(highp sampler2D frames, int stride, sinew_vat_moment moment, uvec4 joints,
                   vec4 weights, inout sinew_vat_rows sum)
{
    for (int k = 0; k < 4; k++) {
        if (weights[k] == 0.0)
            continue;
        sinew_vat_rows rows = sinew_vat_joint(frames, stride, moment, joints[k]);
        sum.x += weights[k] * rows.x;
        sum.y += weights[k] * rows.y;
        sum.z += weights[k] * rows.z;
    }
}

vec3 sinew_vat_position(sinew_vat_rows rows, vec3 position)
{
    return vec3(dot(rows.x.xyz, position) + rows.x.w, dot(rows.y.xyz, position) + rows.y.w,
                dot(rows.z.xyz, position) + rows.z.w);
}

// Right under scale and shear too: cofactors, turned round where the matrix mirrors.
vec3 sinew_vat_normal(sinew_vat_rows rows, vec3 normal)
{
    vec3 a = cross(rows.y.xyz, rows.z.xyz), b = cross(rows.z.xyz, rows.x.xyz),
         c = cross(rows.x.xyz, rows.y.xyz);
    vec3 turned = vec3(dot(a, normal), dot(b, normal), dot(c, normal));
    turned *= dot(rows.x.xyz, a) < 0.0 ? -1.0 : 1.0;
    return dot(turned, turned) > 0.0 ? normalize(turned) : normal;
}

// A vertex with up to four influences.
void sinew_vat_skin(highp sampler2D frames, int stride, sinew_vat_moment moment, uvec4 joints,
                    vec4 weights, inout vec3 position, inout vec3 normal)
{
    sinew_vat_rows rows = sinew_vat_rows(vec4(0.0), vec4(0.0), vec4(0.0));
    sinew_vat_add(frames, stride, moment, joints, weights, rows);
    position = sinew_vat_position(rows, position);
    normal = sinew_vat_normal(rows, normal);
}
