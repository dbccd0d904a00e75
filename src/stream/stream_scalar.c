// SPDX-License-Identifier: MIT
// Stream sampling one slot at a time: the definition of right.
#include "core/compiler.h"
#include "core/lanes_1.h"
#include "stream/stream_kernels.h"

#define LANES(name) f1_##name
#define LANE_COUNT 1
#define STREAM_FN
#define STREAM_NAME(name) name##_scalar
#include "stream/stream_wide.inl"
