// SPDX-License-Identifier: MIT
/// Skeletons: joints, parents, names, rest pose. Immutable once made, free to share between
/// threads.
///
/// Joints are stored breadth-first, siblings in the order they were given, and that index is the
/// joint index of the whole API: parents come before children, and the children of neighbours are
/// neighbours (so that a subtree is one contiguous range a level). Both maps between the given
/// order and joints are kept.
#ifndef SINEW_SKELETON_H
#define SINEW_SKELETON_H

#include "sinew/math.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SINEW_MAX_JOINTS = 65535 };

/// How a joint's scale reaches its children (SPEC 9).
typedef enum sinew_scale_rule {
    SINEW_SCALE_INHERIT,    ///< glTF: G = G_parent * T * R * S
    SINEW_SCALE_ACCUMULATE, ///< whole rig: scale is multiplied down beside the chain, children
                            ///< continue without it
    SINEW_SCALE_COMPENSATE ///< Maya's segment scale compensation: the parent's own scale moves, but
                           ///< does not stretch
} sinew_scale_rule;

typedef struct sinew_skeleton sinew_skeleton;

/// One joint as given to sinew_skeleton_create.
typedef struct sinew_joint_desc {
    const char *name;     ///< UTF-8, any length; NULL is ""
    int32_t parent;       ///< index into the given array, any order; -1 is a root
    int32_t node;         ///< what the joint is in the document it comes from; -1 is nothing
    sinew_transform rest; ///< local rest transform; the rotation is normalised
    sinew_vec3 shear;     ///< xy, xz, yz of the unit upper triangle H behind T * R * S; 0 is none
    sinew_scale_rule scale_rule;
} sinew_joint_desc;

typedef struct sinew_skeleton_desc {
    const sinew_joint_desc *joints;
    uint32_t joint_count;
    sinew_allocator allocator;
} sinew_skeleton_desc;

SINEW_API sinew_skeleton_desc sinew_skeleton_desc_default(void);

/// Makes a skeleton. Everything is copied.
/// Errors: SINEW_ERROR_TOO_MANY_JOINTS, _JOINT_PARENT, _JOINT_CYCLE, _NOT_FINITE, _ZERO_QUATERNION
/// (the error's path
///         names the joint), SINEW_ERROR_INVALID_ARGUMENT where ACCUMULATE is not on all joints or
///         none.
/// Memory: one block from the desc's allocator.
SINEW_API sinew_result sinew_skeleton_create(const sinew_skeleton_desc *desc, sinew_skeleton **out,
                                             sinew_error *error);
/// NULL is allowed.
SINEW_API void sinew_skeleton_destroy(sinew_skeleton *skeleton);

SINEW_API uint32_t sinew_skeleton_joint_count(const sinew_skeleton *skeleton);
/// The joint's name, never NULL. Joints past the count give "".
SINEW_API const char *sinew_skeleton_joint_name(const sinew_skeleton *skeleton, uint32_t joint);
/// [joint_count] parents, -1 for roots; a parent's index is below its child's.
SINEW_API const int32_t *sinew_skeleton_parents(const sinew_skeleton *skeleton);
/// [joint_count] local rest transforms.
SINEW_API const sinew_transform *sinew_skeleton_rest(const sinew_skeleton *skeleton);
/// [joint_count] model matrices of the rest pose, as sinew_local_to_model gives them for it.
SINEW_API const sinew_mat4 *sinew_skeleton_rest_model(const sinew_skeleton *skeleton);
/// [joint_count] document nodes, -1 for none.
SINEW_API const int32_t *sinew_skeleton_nodes(const sinew_skeleton *skeleton);
/// The joint of a document node, -1 where there is none.
SINEW_API int32_t sinew_skeleton_joint_of_node(const sinew_skeleton *skeleton, int32_t node);
/// [joint_count] joint of each index of the desc's array.
SINEW_API const uint16_t *sinew_skeleton_joint_of_input(const sinew_skeleton *skeleton);
SINEW_API sinew_scale_rule sinew_skeleton_scale_rule(const sinew_skeleton *skeleton,
                                                     uint32_t joint);
/// xy, xz, yz of the joint's shear; all 0 for none.
SINEW_API sinew_vec3 sinew_skeleton_shear(const sinew_skeleton *skeleton, uint32_t joint);
/// How many given rotations were off unit length by more than 1e-4 (they were normalised).
SINEW_API uint32_t sinew_skeleton_normalized_count(const sinew_skeleton *skeleton);

/// The first joint (lowest index) of exactly this name, -1 where there is none. Says nothing.
SINEW_API int32_t sinew_skeleton_find_joint(const sinew_skeleton *skeleton, const char *name);
/// The same; a missing name goes to the log.
SINEW_API int32_t sinew_skeleton_find_joint_logged(const sinew_skeleton *skeleton,
                                                   const char *name);

#ifdef __cplusplus
}
#endif

#endif
