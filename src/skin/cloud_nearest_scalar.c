// SPDX-License-Identifier: MIT
// Nearest joints one point after the other: the definition of right.
#include <float.h>

#include "core/lanes_1.h"
#include "skin/cloud_internal.h"

#define LANES(name) f1_##name
#define LANE_COUNT 1
#define CLOUD_FN
#define CLOUD_NAME(name) name##_scalar
#include "skin/cloud_nearest_wide.inl"
