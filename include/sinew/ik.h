// SPDX-License-Identifier: MIT
/// Inverse kinematics: rotations of joints that bring a hand, a foot or a look to a target.
///
/// | call                  | what it is for                                                    |
/// | --------------------- | ----------------------------------------------------------------- |
/// | sinew_two_bone_ik     | arms and legs: two bones, closed form, exact                      |
/// | sinew_aim_ik          | a head, an eye, a weapon: an axis of one joint towards a point    |
/// | sinew_aim_chain_ik    | the same shared out over a spine and a neck                       |
/// | sinew_chain_ik        | tails, tentacles, fingers: FABRIK or CCD, with limits             |
/// | sinew_place_feet      | legs on uneven ground: pelvis, legs and feet                      |
/// | sinew_two_bone_ik_batch | many arms or legs side by side, the bits of sinew_two_bone_ik   |
///
/// All of them read a pose and its model matrices, change rotations of the pose (feet also move the
/// pelvis) and, where asked, update the model matrices from the first changed joint down. They are
/// pure functions of what they get: nothing is kept from one frame to the next, so a call each
/// frame starts from the animated pose and nothing creeps. Positions, directions and angles of
/// arguments are in model space (that of the matrices) unless a field says otherwise.
///
/// Promises (SPEC 15): the first joint stays in its place and every translation and scale of the
/// pose keeps its bits, so lengths stay; a target within reach is reached to 1e-5 of the chain's
/// length; one out of reach is pointed at, straight; weight 0 leaves the pose's bits; no NaN comes
/// out of finite input. Weights below 1 blend each joint's local rotation by nlerp.
///
/// Scale: lengths are those that the matrices have. With scales that are even (one factor for all
/// axes), mirrors included, solvers are exact. Where a joint above or in the chain scales unevenly,
/// matrices shear and a length depends on the rotation: solvers then repeat from where they came
/// to, and reach what is well within reach; pole and up are kept nearly.
///
/// SPEC n in comments is section n of docs/spec.md; docs/ik.md says when to use which.
#ifndef SINEW_IK_H
#define SINEW_IK_H

#include "sinew/pose.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SINEW_IK_MAX_CHAIN = 128, ///< joints of a chain
    SINEW_IK_MAX_LEGS = 16    ///< legs of a figure
};

/// The figure that a solver works on. Zero-initialise, then fill.
typedef struct sinew_ik_rig {
    const sinew_skeleton *skeleton;
    const sinew_pose *pose;  ///< local transforms, in and out: rotations are changed
    const sinew_mat4 *model; ///< [joint_count] model matrices of the pose as it comes in
    /// [joint_count] what sinew_local_to_model gave as out_inherit; required where a scale rule is
    /// not INHERIT.
    const sinew_mat4 *inherit;
    const sinew_mat4 *root; ///< what roots hang under, as in sinew_local_to_model; NULL: identity
    /// NULL: only the pose is changed. Else [joint_count] matrices that are up to date afterwards:
    /// `model` itself, of which those from the first changed joint down are written, or another
    /// array, into which the rest is copied.
    sinew_mat4 *out_model;
    sinew_mat4 *out_inherit; ///< beside out_model, where `inherit` is required
    uint32_t model_count;    ///< room in each of these arrays
} sinew_ik_rig;

/// Which way an elbow or a knee points.
typedef enum sinew_ik_pole {
    SINEW_IK_POLE_NONE,   ///< the plane that the pose has
    SINEW_IK_POLE_VECTOR, ///< `pole` is a direction of any length
    SINEW_IK_POLE_POINT   ///< `pole` is a point
} sinew_ik_pole;

// ---- Two bones --------------------------------------------------------------------------------------------

/// Arguments of sinew_two_bone_ik. Zero-initialise, then fill.
typedef struct sinew_two_bone_ik_args {
    sinew_ik_rig rig;
    /// Shoulder, elbow, wrist; or hip, knee, ankle. mid stands below start and end below mid;
    /// joints between them (twist joints) are carried along.
    uint32_t start, mid, end;
    sinew_vec3 target; ///< where `end` shall be
    sinew_ik_pole pole_kind;
    /// mid goes to this side of the line from start to the target. Where it is parallel to that
    /// line (within 1e-3 rad) it says nothing, and the plane that the pose has is kept.
    sinew_vec3 pole;
    /// The joint's own hinge, in mid's own space: a positive turn about it bends. It decides where
    /// the pose is straight (within 1e-3 rad), and which way counts as bent where an animation has
    /// stretched the limb too far. 0: the plane that the pose has, and where the pose is straight,
    /// the one of the rest pose; where that is straight, too, the pole's, else any.
    sinew_vec3 hinge;
    /// Soft limit: the share of the limb's length in which it eases into full stretch instead of
    /// snapping straight, 0 ... 1. 0: off. Beyond (1 - soft) * length a distance d becomes (1 -
    /// soft) * length + soft * length * (1 - 1 / (1 + x / 4)^4), x = (d - (1 - soft) * length) /
    /// (soft * length): slope 1 where it begins, full stretch at infinity.
    float soft;
    float twist;  ///< extra turn of the whole limb about the line from start to the target, radians
    float weight; ///< 0: the pose's bits; 1: all of it
    bool *
        out_reached; ///< whether the target was within reach, before weight and soft limit; or NULL
} sinew_two_bone_ik_args;

/// Bends mid and turns start so that end comes to the target.
///
/// mid turns about the axis that it is bent about in the pose (its hinge), start does the rest, so
/// both bones turn about the line to the target by the same angle and the elbow is not wrung. Out
/// of reach the limb is straight (too far) or folded (too near: nearer than the lengths differ) and
/// lies on the line to the target. A target at start itself keeps the direction from start to end.
/// The end joint keeps its local rotation.
/// Errors:  SINEW_ERROR_INVALID_ARGUMENT (NULL, joints that do not stand below each other, a pose
/// of
///          another joint count), SINEW_ERROR_BUFFER_TOO_SMALL (model_count),
///          SINEW_ERROR_NOT_FINITE (a number of the arguments; the pose is untouched).
/// Memory:  allocates nothing. Threads: any.
/// Source:  SPEC 15. Law of cosines by half angles, W. Kahan, "Miscalculating Area and Angles of a
///          Needle-like Triangle", 2014. The same bits on every machine.
SINEW_API sinew_result sinew_two_bone_ik(const sinew_two_bone_ik_args *args);

// ---- Two bones, many at once ------------------------------------------------------------------------------

enum { SINEW_IK_LANES = 16 };

/// Sixteen problems side by side, one a lane. All in one space, any. Fill it with
/// sinew_two_bone_lanes_set, or by hand from positions of your own.
typedef struct sinew_two_bone_lanes {
    float start[3][SINEW_IK_LANES], mid[3][SINEW_IK_LANES], end[3][SINEW_IK_LANES]; ///< positions
    float target[3][SINEW_IK_LANES];
    float pole[3][SINEW_IK_LANES];      ///< direction of any length; 0: none
    float hinge[3][SINEW_IK_LANES];     ///< of any length; 0: any axis where a limb is straight
    float hinge_sign[SINEW_IK_LANES];   ///< 1: the hinge says which way is bent; 0: the pose does
    float soft[SINEW_IK_LANES];         ///< as in sinew_two_bone_ik_args
    float twist_sin[SINEW_IK_LANES];    ///< sine of twist
    float twist_versin[SINEW_IK_LANES]; ///< 1 - cosine of twist
    float weight[SINEW_IK_LANES];
    /// Out: turns that come on top of the present rotations. mid's is done first, about mid, then
    /// start's about start: end' = start + R_start (mid + R_mid (end - mid) - start).
    float out_start[4][SINEW_IK_LANES], out_mid[4][SINEW_IK_LANES];
} sinew_two_bone_lanes;

/// Solves problem_count problems in blocks of sixteen lanes. Lanes past the last are solved, too;
/// zeros there are fine. Positions that are not finite, or so large that their squares are not,
/// give no turn in its own lane and disturbs no other. Errors:  SINEW_ERROR_INVALID_ARGUMENT
/// (NULL). Memory:  allocates nothing. Threads: any; blocks are apart. Speed:   the scalar loop in
/// each lane of SSE2, AVX2, AVX-512 or NEON; the same bits.
SINEW_API sinew_result sinew_two_bone_ik_batch(sinew_two_bone_lanes *blocks,
                                               uint32_t problem_count);
/// Writes a problem into a lane: positions, and the rest as sinew_two_bone_ik has it. Errors as
/// there; lane above 15 is SINEW_ERROR_INVALID_ARGUMENT.
SINEW_API sinew_result sinew_two_bone_lanes_set(sinew_two_bone_lanes *block, uint32_t lane,
                                                const sinew_two_bone_ik_args *args);
/// Turns the joints of a pose by what a lane came to, and updates the model matrices: set, batch
/// and apply give the bits of sinew_two_bone_ik with the same arguments.
SINEW_API sinew_result sinew_two_bone_lanes_apply(const sinew_two_bone_lanes *block, uint32_t lane,
                                                  const sinew_two_bone_ik_args *args);

// ---- Aim --------------------------------------------------------------------------------------------------

/// Arguments of sinew_aim_ik and sinew_aim_chain_ik. Zero-initialise, then fill.
typedef struct sinew_aim_ik_args {
    sinew_ik_rig rig;
    uint32_t joint;     ///< the joint that aims
    sinew_vec3 target;  ///< what it aims at
    sinew_vec3 forward; ///< axis of the joint, in its own space, that shall point there; not 0
    sinew_vec3
        offset; ///< where the line of sight begins, in the joint's own space (an eye of a head)
    /// Axis of the joint, in its own space, that shall point as far as it can towards up_target.
    /// 0: no turn about the line of sight.
    sinew_vec3 up;
    sinew_vec3 up_target; ///< a direction; 0: +Y. Says nothing where parallel to the line of sight
    /// No further than this from where the pose looks, radians; a target beyond is followed to the
    /// edge. 0: no limit.
    float max_angle;
    float weight;
    /// sinew_aim_chain_ik: [chain_count] joints of which each stands below the one before, the last
    /// one `joint` itself.
    const uint32_t *chain;
    /// sinew_aim_chain_ik: [chain_count] how the turn is shared out, in any unit, none negative;
    /// the last joint does what is left. NULL: equal parts.
    const float *shares;
    uint32_t chain_count;
    bool *out_reached; ///< whether it looks at the target, before weight: not held by max_angle,
                       ///< and not nearer than the line of sight passes the joint; or NULL
} sinew_aim_ik_args;

/// Turns one joint so that the line from `offset` along `forward` goes through the target.
///
/// The turn is the shortest one; where it is half a turn, it is about `up`, else any axis. A target
/// at the joint itself, or nearer to it than the line of sight passes it, turns it as near as it
/// can. Errors, memory, threads: as sinew_two_bone_ik; a forward axis of 0 is
///          SINEW_ERROR_INVALID_ARGUMENT.
SINEW_API sinew_result sinew_aim_ik(const sinew_aim_ik_args *args);
/// Shares the turn out over a chain, from the first joint on; the last one aims exactly.
SINEW_API sinew_result sinew_aim_chain_ik(const sinew_aim_ik_args *args);

// ---- Chains -----------------------------------------------------------------------------------------------

/// How far a joint may turn from its rest rotation, in its own space. That turn is split into a
/// twist about `axis` and a swing that tilts `axis`. A hinge has swing 0: it turns about `axis`
/// alone, between min and max.
typedef struct sinew_ik_limit {
    sinew_vec3 axis; ///< of the joint, in its own space: along the bone, or the hinge; 0: no limit
    float swing;     ///< how far `axis` may tilt, radians; pi and more: any
    float min, max;  ///< range of the twist, radians, -pi <= min <= max <= pi
} sinew_ik_limit;

typedef enum sinew_chain_method {
    SINEW_CHAIN_FABRIK, ///< few rounds, spreads the bend evenly: tails, tentacles, ropes
    SINEW_CHAIN_CCD     ///< bends the end first and keeps to limits more surely: fingers, machines
} sinew_chain_method;

/// Arguments of sinew_chain_ik. Zero-initialise, then fill.
typedef struct sinew_chain_ik_args {
    sinew_ik_rig rig;
    uint32_t start, end; ///< end stands below start; all joints between are the chain's
    sinew_vec3 target;   ///< where `end` shall be
    sinew_chain_method method;
    /// [joints of the chain] from start on (that of `end` is not used), or NULL: none.
    const sinew_ik_limit *limits;
    uint32_t limit_count;
    uint32_t iterations; ///< at most; 0: 64
    float tolerance;     ///< distance that is near enough; 0: 1e-6 of the chain's length
    float weight;
    float *out_distance;           ///< from end to target, before weight; or NULL
    uint32_t *out_iteration_count; ///< or NULL
} sinew_chain_ik_args;

/// Turns the joints of a chain so that its end comes to the target.
///
/// Without limits a target beyond the chain's length is pointed at, straight; one within reach is
/// reached: iterations end a hundredth of the length away, and what is left is closed by two bones,
/// the chain split where both halves can do it. A straight chain whose target lies on its own line
/// bends about an axis square to it, the one of the rest pose's bend where that has one. With
/// limits every joint keeps to its own, in the pose that comes in, too, and `end` comes as near as
/// the iterations bring it.
///
/// Errors, memory, threads: as sinew_two_bone_ik; SINEW_ERROR_LIMIT_EXCEEDED above
///          SINEW_IK_MAX_CHAIN joints, SINEW_ERROR_INVALID_ARGUMENT for limits that are too few, or
///          a range whose min is above its max.
/// Source:  A. Aristidou, J. Lasenby, "FABRIK: A fast, iterative solver for the Inverse Kinematics
///          problem", 2011; L. Wang, C. Chen, "A combined optimization method for solving the
///          inverse kinematics problem of mechanical manipulators", 1991 (CCD).
SINEW_API sinew_result sinew_chain_ik(const sinew_chain_ik_args *args);

// ---- Feet -------------------------------------------------------------------------------------------------

/// One leg, and the ground that was found below its foot.
typedef struct sinew_foot {
    uint32_t hip, knee, ankle; ///< as start, mid and end of sinew_two_bone_ik
    sinew_ik_pole pole_kind;
    sinew_vec3 pole;
    sinew_vec3 hinge;
    float ankle_height; ///< of the ankle joint above the sole, where the foot stands flat
    bool grounded;      ///< false: no ground was found, the foot stays where the animation has it
    sinew_vec3 ground_point;
    sinew_vec3 ground_normal; ///< of any length, not downwards
    float weight; ///< 0: the leg goes with the pelvis, and has no say in where that goes
} sinew_foot;

/// Arguments of sinew_place_feet. Zero-initialise, then fill.
typedef struct sinew_place_feet_args {
    sinew_ik_rig rig;
    uint32_t pelvis; ///< all hips stand below it
    const sinew_foot *feet;
    uint32_t foot_count; ///< at most SINEW_IK_MAX_LEGS
    sinew_vec3 up;       ///< 0: +Y
    float floor;         ///< height, along `up`, of the flat ground that the animation was made for
    /// Steepest ground that feet turn to, radians; they stand on steeper ground as on this. 0: 60
    /// degrees.
    float max_slope;
    /// Ground further than this above or below `floor` is none. 0: no limit.
    float max_step;
    float soft; ///< of all legs, as in sinew_two_bone_ik_args
    float weight;
    float *out_pelvis_move; ///< along `up`, weight included; or NULL
    sinew_vec3 *out_ankles; ///< [foot_count] where ankles were meant to be; or NULL
} sinew_place_feet_args;

/// Puts feet on uneven ground.
///
/// An ankle keeps its place seen from above; its height over the ground is the one that the
/// animation gives it over `floor`: ankle_height over the sloping ground under it where the foot
/// stands, more while it is lifted. The pelvis moves along `up` by the least that any grounded foot
/// moves, so that the foot furthest down reaches as in the animation and the other legs bend more;
/// then each leg is solved as two bones, and each foot is turned from `up` to the ground's normal.
/// Errors, memory, threads: as sinew_two_bone_ik; SINEW_ERROR_SINGULAR_MATRIX where the pelvis's
///          parent has a scale of 0; SINEW_ERROR_LIMIT_EXCEEDED above SINEW_IK_MAX_LEGS feet.
SINEW_API sinew_result sinew_place_feet(const sinew_place_feet_args *args);

#ifdef __cplusplus
}
#endif

#endif
