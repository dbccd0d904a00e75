// SPDX-License-Identifier: MIT
// Decoding runtime clips one joint at a time: the reference.
#include "clip/runtime_builder.h"
#include "core/lanes_1.h"

#define LANES(name) f1_##name
#define LANE_COUNT 1
#define RUNTIME_FN
#define RUNTIME_NAME(name) name##_scalar
#define RUNTIME_TABLE sinewi_runtime_scalar_kernels
#include "clip/runtime_wide.inl"

// What building takes one at a time.
void sinewi_runtime_exp(const float v[3], float q[4])
{
    runtime_exp_scalar(v, q);
}

void sinewi_runtime_log(const float q[4], float v[3])
{
    runtime_log_scalar(q, v);
}

void sinewi_runtime_quat_mul(const float a[4], const float b[4], float out[4])
{
    runtime_mul_scalar(a, b, out);
}
