// SPDX-License-Identifier: MIT
// The layout of files of runtime clips, shared by writing and reading them. Little-endian, nothing
// between the parts but zeros where a clip begins at a multiple of 64:
//
//     head, clip records, skeleton records, scalars, joints of skeletons, names, clips
//
// docs/runtime_clips.md writes it down field by field.
#ifndef SINEW_CLIP_RUNTIME_FILE_INTERNAL_H
#define SINEW_CLIP_RUNTIME_FILE_INTERNAL_H

#include "clip/runtime_internal.h"
#include "sinew/runtime_file.h"

#define SINEWI_RUNTIME_FILE_MAGIC 0x31465253u // "SRF1"
enum {
    SINEWI_RUNTIME_FILE_VERSION = 1,
    SINEWI_RUNTIME_FILE_HEAD = 64,
    SINEWI_RUNTIME_FILE_CLIP = 24,     ///< bytes of a clip's record
    SINEWI_RUNTIME_FILE_SKELETON = 16, ///< of a skeleton's
    SINEWI_RUNTIME_FILE_SCALAR = 8,
    SINEWI_RUNTIME_FILE_ALIGN = 64, ///< clips begin at multiples of this
    /// Least bytes of a joint: what it has, its parent, a translation, the end of its name.
    SINEWI_RUNTIME_FILE_JOINT = 1 + 2 + 12 + 1
};

/// What a joint has beside parent, translation and name; bits 4 and 5 are its scale rule.
enum {
    SINEWI_RUNTIME_JOINT_ROTATION = 1, ///< else none
    SINEWI_RUNTIME_JOINT_SCALE = 2,    ///< else 1
    SINEWI_RUNTIME_JOINT_SHEAR = 4,    ///< else none
    SINEWI_RUNTIME_JOINT_NODE = 8      ///< else -1
};

#endif
