// SPDX-License-Identifier: MIT
// Frame-stream rigs and clips for tests, and rotations in double precision to hold them against.
#ifndef TESTS_SUPPORT_STREAM_STAGE_H
#define TESTS_SUPPORT_STREAM_STAGE_H

#include "sinew/stream.h"

/// A chain of joints "j0", "j1", ... one unit apart along +Y, all of one order.
sinew_stream_rig *stream_chain(uint32_t joint_count, sinew_angle_unit unit,
                               sinew_euler_order order);
/// The same with a root scale, a height and a scale rule.
sinew_stream_rig *stream_chain_of(uint32_t joint_count, sinew_angle_unit unit, float root_scale,
                                  float height, sinew_scale_rule rule);

/// A clip whose joint 0 has these triples of angles; other joints are at rest.
sinew_stream_clip *stream_of_angles(const sinew_stream_rig *rig, const float (*angles)[3],
                                    uint32_t frame_count, uint32_t loop_start);
/// The same from binary angles as they lie in files.
sinew_stream_clip *stream_of_binary(const sinew_stream_rig *rig, const int16_t (*angles)[3],
                                    uint32_t frame_count, uint32_t loop_start);
/// A clip whose joint 0 has these translations.
sinew_stream_clip *stream_of_travel(const sinew_stream_rig *rig, const float (*places)[3],
                                    uint32_t frame_count, uint32_t loop_start);
/// Random streams of all joints: rotations that walk by up to `step` turns a frame, and now and
/// then are written with other angles or cut; translations and scales of some.
sinew_stream_clip *stream_of_chance(const sinew_stream_rig *rig, uint32_t frame_count,
                                    uint32_t loop_start, float step, uint64_t seed);

/// A whole pose of a clip at a float frame, with one context-free call. `planes` is the caller's,
/// 64-byte aligned, of sinew_pose_size bytes.
sinew_pose stream_pose(const sinew_stream_clip *clip, double frame, bool wrap, void *planes);
/// Joint 0's transform there.
sinew_transform stream_at(const sinew_stream_clip *clip, double frame, bool wrap);

/// The product of three turns, left to right by the order, in doubles: column-major 3x3.
void oracle_euler(const double angles[3], double turn, sinew_euler_order order, double out[9]);
/// The 3x3 of a quaternion in doubles.
void oracle_matrix_of(sinew_quat q, double out[9]);
/// The angle between two rotations, radians.
double stream_angle(sinew_quat a, sinew_quat b);

#endif
