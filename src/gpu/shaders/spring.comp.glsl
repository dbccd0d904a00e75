// SPDX-License-Identifier: MIT
// A step of damped springs that carry points to their targets (sinew/spring.h; SPEC 14), one point
// an invocation. Steps are worked out on the CPU (sinew_spring_step_make).

layout(local_size_x = 64) in;

// sinewi_spring_params
layout(std140, binding = 0) uniform sinew_params {
    uint point_count, target_floats, start, first_point;
};

layout(std430, binding = 0) readonly buffer sinew_posed {
    float posed[];
};
// for each point x y z of its place, its velocity, its last target
layout(std430, binding = 1) buffer sinew_state {
    float state[];
};
// which step each point takes, four in a word
layout(std430, binding = 2) readonly buffer sinew_kinds {
    uint kinds[];
};
// eight floats a step: from_x from_v from_target, to_v keep_v target_v, is_free, 0
layout(std430, binding = 3) readonly buffer sinew_steps {
    float steps[];
};

bool is_finite(vec3 v)
{
    uvec3 exponent = floatBitsToUint(v) & 0x7f800000u;
    return exponent.x != 0x7f800000u && exponent.y != 0x7f800000u && exponent.z != 0x7f800000u;
}

vec3 at(uint i)
{
    return vec3(state[i], state[i + 1u], state[i + 2u]);
}

void put(uint i, vec3 v)
{
    state[i] = v.x;
    state[i + 1u] = v.y;
    state[i + 2u] = v.z;
}

// What is far below any place or speed that matters becomes 0, so that no sum lingers in
// subnormals.
vec3 settle(vec3 v)
{
    return mix(v, vec3(0.0), lessThan(abs(v), vec3(1e-32)));
}

void main()
{
    uint point = first_point + gl_GlobalInvocationID.x;
    if (point >= point_count)
        return;
    uint from = point * target_floats, i = 9u * point;
    vec3 u = vec3(posed[from], posed[from + 1u], posed[from + 2u]);
    if (!is_finite(u)) { // as it was; at the start it waits for its first target
        if (start != 0u)
            put(i + 6u, vec3(uintBitsToFloat(0x7fc00000u)));
        return;
    }
    vec3 last = at(i + 6u);
    if (start != 0u || !is_finite(last)) {
        put(i, u);
        put(i + 3u, vec3(0.0));
        put(i + 6u, u);
        return;
    }
    uint s = 8u * ((kinds[point / 4u] >> (8u * (point & 3u))) & 255u);
    vec3 x = at(i), v = at(i + 3u), away = x - last, way = u - last;
    put(i + 6u, u);
    if (steps[s + 6u] != 0.0) {
        put(i, x + steps[s + 1u] * v);
        put(i + 3u, settle(steps[s + 4u] * v));
        return;
    }
    put(i, u + settle((steps[s] * away + steps[s + 1u] * v) - steps[s + 2u] * way));
    put(i + 3u, settle((steps[s + 3u] * away + steps[s + 4u] * v) + steps[s + 5u] * way));
}
