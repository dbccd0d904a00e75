// SPDX-License-Identifier: MIT
/// Groups of a cloud from a file: which joints the points of each group may follow, and which group
/// each point is of, as JSON, for sinew_cloud_binding_create.
///
///     { "groups": [ ["chest", "spine_3"], ["upper_arm_l", "forearm_l"] ],
///       "points": [ 0, 0, 1, -1, ... ] }
///
/// A joint is given by its name (of equal ones the first) or its index. `points` may be left out.
/// A point's group that is -1, null, or no index of `groups`, and a point behind the end of the
/// list, are of no group; a group without joints counts as none: such points may follow any joint.
#ifndef SINEW_CLOUD_GROUPS_H
#define SINEW_CLOUD_GROUPS_H

#include "sinew/cloud.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sinew_cloud_groups sinew_cloud_groups; ///< immutable

/// Zero-initialise, or take the default, then fill.
typedef struct sinew_cloud_groups_desc {
    const char *text; ///< JSON, UTF-8; not needed afterwards
    size_t size;
    const char *file;               ///< for messages; NULL: "groups"
    const sinew_skeleton *skeleton; ///< not needed afterwards
    uint32_t point_count;           ///< of the cloud
    sinew_allocator allocator;
} sinew_cloud_groups_desc;

SINEW_API sinew_cloud_groups_desc sinew_cloud_groups_desc_default(void);
/// Reads and checks a file whole. Each fault is told with file, line, column and path, what stands
/// there and what may: unknown members, too, as they are mostly slips of the pen.
/// Errors: SINEW_ERROR_JSON_SYNTAX, _JSON_TYPE, _INVALID_VALUE, _NOT_FOUND (no such joint),
///         _MISSING_PROPERTY, _COUNT_MISMATCH (more points than the cloud has), _LIMIT_EXCEEDED,
///         _INVALID_ARGUMENT, _OUT_OF_MEMORY.
SINEW_API sinew_result sinew_cloud_groups_create(const sinew_cloud_groups_desc *desc,
                                                 sinew_cloud_groups **out, sinew_error *error);
SINEW_API void sinew_cloud_groups_destroy(sinew_cloud_groups *groups); ///< NULL is allowed

typedef struct sinew_cloud_groups_info {
    const sinew_cloud_group *groups; ///< [group_count]
    uint32_t group_count;
    const uint32_t *points; ///< [point_count of the desc] SINEW_CLOUD_NO_GROUP: none; NULL where
                            ///< the file has no `points`
    uint32_t listed_count;  ///< how many points the file lists
} sinew_cloud_groups_info;

SINEW_API sinew_cloud_groups_info sinew_cloud_groups_get_info(const sinew_cloud_groups *groups);

#ifdef __cplusplus
}
#endif

#endif
