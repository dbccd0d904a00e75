// SPDX-License-Identifier: MIT
// --clips OTHER [--retarget names|humanoid]: clips of one file on the rig of another.
//
//     bound by names      OTHER's clips -> FILE's skeleton
//     retargeted          OTHER's clips -> OTHER's skeleton -> a map -> FILE's skeleton
//
// `stage` is the skeleton that clips and mixes are played on, in either case. Both sides are all
// nodes of their documents; where a joint of a rig shares its name with a node outside, a mesh
// often, the name is the joint's.
#ifndef SINEW_CLI_OTHER_CLIPS_H
#define SINEW_CLI_OTHER_CLIPS_H

#include "sinew/document.h"
#include "sinew/retarget.h"

typedef enum other_clips_way {
    OTHER_CLIPS_BOUND, // by the names of joints
    OTHER_CLIPS_NAMES, // retargeted, joints of equal names
    OTHER_CLIPS_HUMANOID
} other_clips_way;

typedef struct other_clips {
    const char *file;         // OTHER, as given
    sinew_document *document; // of OTHER
    other_clips_way way;
    sinew_skeleton *stage; // what clips are played on
    sinew_bind_by by;      // how they find its joints
    int32_t *node_of;      // [OTHER's nodes] which node of FILE gets its morph weights; -1: none

    // where retargeted
    sinew_retarget *map;
    sinew_skeleton *target; // FILE's nodes; in the order of sinew_document_skeleton
    sinew_pose pose;        // on the stage
    void *pose_memory, *scratch;
    size_t scratch_size;
} other_clips;

// Checks what the command line says: the words of --clips and --retarget, NULL where not given, and
// whether anything is played. An exit status.
int other_clips_check(const char *command, const char *clips, const char *retarget, bool plays,
                      other_clips_way *out);
// Opens OTHER and joins it to FILE's document, which must outlive the result. What is wrong has
// been said, of the right file; returns the exit status. `*out` is to be closed in any case.
int other_clips_open(const char *command, const char *other, other_clips_way way, bool strict,
                     bool json, const sinew_document *document, other_clips **out);
void other_clips_close(other_clips *other); // NULL is allowed

// Says on standard error how a clip (-1: any, as of a mix) fits FILE: how many joints take part,
// and what found none. Not one: an error. An exit status.
int other_clips_report(const other_clips *other, const sinew_document *document, int32_t clip,
                       bool json);

// Where to put a pose of the stage, on its way to `pose`, and how it gets there.
const sinew_pose *other_clips_pose(const other_clips *other, const sinew_pose *pose);
sinew_result other_clips_arrive(const other_clips *other, const sinew_pose *pose);

#endif
