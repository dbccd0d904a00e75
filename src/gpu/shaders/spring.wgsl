// SPDX-License-Identifier: MIT
// Springs on points (sinew/spring.h): a step that carries points to where a pose wants them. Stands alone.
//
//     x' = b + from_x (x - a) + from_v v - from_target (b - a)      a, b: the target before and now
//     v' = to_v (x - a) + keep_v v + target_v (b - a)
//
// Arrays are plain floats, [point_count][3], metres and seconds; velocities m/s. Points of several kinds are several
// dispatches with their own ranges (sinew_spring_run).

/// sinew_spring_step of sinew_spring_step_make, and which points.
struct sinew_spring_facts {
    first_point: u32,
    point_count: u32, // from the first on
    started: u32,     // 0: the first step, or the first after a teleport: points go to their targets, at rest
    is_free: u32,     // 1: no target pulls
    from_x: f32,
    from_v: f32,
    from_target: f32,
    to_v: f32,
    keep_v: f32,
    target_v: f32,
    unused_0: u32,
    unused_1: u32,
}

@group(0) @binding(0) var<uniform> sinew_spring_step: sinew_spring_facts;
/// Where points should be now: floats, as words, since what is not finite is told by its bits (compilers may take
/// floats for finite).
@group(0) @binding(1) var<storage, read> sinew_spring_targets: array<u32>;
@group(0) @binding(2) var<storage, read_write> sinew_spring_positions: array<f32>;
@group(0) @binding(3) var<storage, read_write> sinew_spring_velocities: array<f32>;
/// Targets of the last step, as words; NaN for a point that had none yet.
@group(0) @binding(4) var<storage, read_write> sinew_spring_last: array<u32>;
/// Goes up by the number of targets that are not finite.
@group(0) @binding(5) var<storage, read_write> sinew_spring_lost: atomic<u32>;

fn sinew_finite(words: vec3<u32>) -> bool {
    return all((words & vec3<u32>(0x7f800000u)) != vec3<u32>(0x7f800000u));
}

fn sinew_spring_put(at: u32, position: vec3<f32>, velocity: vec3<f32>, last: vec3<u32>) {
    for (var k = 0u; k < 3u; k++) {
        sinew_spring_positions[at + k] = position[k];
        sinew_spring_velocities[at + k] = velocity[k];
        sinew_spring_last[at + k] = last[k];
    }
}

/// Dispatch ceil(point_count / 64) workgroups.
@compute @workgroup_size(64)
fn sinew_step_springs(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= sinew_spring_step.point_count {
        return;
    }
    let at = 3u * (sinew_spring_step.first_point + id.x);
    let target_words =
        vec3<u32>(sinew_spring_targets[at], sinew_spring_targets[at + 1u], sinew_spring_targets[at + 2u]);
    let last_words = vec3<u32>(sinew_spring_last[at], sinew_spring_last[at + 1u], sinew_spring_last[at + 2u]);
    let x =
        vec3<f32>(sinew_spring_positions[at], sinew_spring_positions[at + 1u], sinew_spring_positions[at + 2u]);
    if !sinew_finite(target_words) { // the point waits
        atomicAdd(&sinew_spring_lost, 1u);
        if sinew_spring_step.started == 0u {
            sinew_spring_put(at, x, vec3<f32>(0.0), vec3<u32>(0x7fc00000u));
        }
        return;
    }
    let b = bitcast<vec3<f32>>(target_words);
    if sinew_spring_step.started == 0u || !sinew_finite(last_words) { // starts here, at rest
        sinew_spring_put(at, b, vec3<f32>(0.0), target_words);
        return;
    }
    let s = sinew_spring_step;
    let v = vec3<f32>(
        sinew_spring_velocities[at], sinew_spring_velocities[at + 1u], sinew_spring_velocities[at + 2u]);
    if s.is_free != 0u {
        sinew_spring_put(at, x + s.from_v * v, s.keep_v * v, target_words);
        return;
    }
    let a = bitcast<vec3<f32>>(last_words);
    let away = x - a;
    let way = b - a;
    sinew_spring_put(at, b + ((s.from_x * away + s.from_v * v) - s.from_target * way),
        (s.to_v * away + s.keep_v * v) + s.target_v * way, target_words);
}
