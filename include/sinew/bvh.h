// SPDX-License-Identifier: MIT
/// BVH motion capture files (Biovision hierarchy): reading, writing, and what is made of them.
///
/// A file is a hierarchy of joints and one motion: for each frame the values of all channels, in
/// the order in which the hierarchy lists them. sinew_bvh is the file as plain data, in double, so
/// that nothing of it is lost. From it come a stream rig and clip (sinew/stream.h), which keep its
/// angles, and a document (sinew/document.h), with which all else of the library works.
///
///     local_j = T(translation) * R_1 * R_2 * R_3
///
/// The translation is the joint's offset, replaced component by component where it has a position
/// channel; R_1 R_2 R_3 are its rotation channels in the order in which they are listed, in
/// degrees. So it is wherever the position channels stand among them. A file names no unit of
/// length and no axis that points up; most have +Y up, and lengths of a unit of their own. What was
/// read does not change, and may be shared between threads.
///
///     sinew_bvh *bvh;
///     sinew_bvh_desc desc = sinew_bvh_desc_default();
///     desc.units = 0.0254; // the file is in inches
///     sinew_result result = sinew_bvh_load("dance.bvh", &desc, &bvh, &error);
#ifndef SINEW_BVH_H
#define SINEW_BVH_H

#include "sinew/document.h"
#include "sinew/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- What a file holds ------------------------------------------------------------------------------------

typedef enum sinew_bvh_channel {
    SINEW_BVH_X_POSITION,
    SINEW_BVH_Y_POSITION,
    SINEW_BVH_Z_POSITION,
    SINEW_BVH_X_ROTATION, ///< degrees
    SINEW_BVH_Y_ROTATION,
    SINEW_BVH_Z_ROTATION,
    SINEW_BVH_CHANNEL_COUNT
} sinew_bvh_channel;

typedef struct sinew_bvh_joint {
    /// As in the file, without the blanks around it; "" where it has none. Of an end site the name
    /// of its joint and "_End" (a joint's second one "_End_2").
    const char *name;
    int32_t parent;         ///< a joint before this one; -1: a root
    bool is_end;            ///< an end site: a place without channels and children
    double offset[3];       ///< from its parent
    uint32_t first_channel; ///< the place of its first value in a frame: channels before it
    uint32_t channel_count;
    sinew_bvh_channel channels[SINEW_BVH_CHANNEL_COUNT]; ///< each at most once
} sinew_bvh_joint;

typedef struct sinew_bvh {
    const char *file;              ///< as given to the reader, for messages
    const char *name;              ///< of the motion: the file's without folder and ending
    const sinew_bvh_joint *joints; ///< in the order of the file: depth first
    uint32_t joint_count;
    uint32_t channel_count; ///< values of a frame
    uint32_t frame_count;   ///< at most 1 where there are no channels
    double frame_time;      ///< seconds
    const double *values;   ///< [frame_count][channel_count], all finite
    const sinew_finding *findings;
    uint32_t finding_count;
} sinew_bvh;

// ---- Reading ----------------------------------------------------------------------------------------------

typedef struct sinew_bvh_desc {
    bool strict; ///< what is repaired or breaks a rule is an error, as with sinew_import_desc
    /// Leaves the first frame out, where there is another. Many files begin with a T-pose of one
    /// frame that is no part of the motion (finding first_frame_apart).
    bool cut_first_frame;
    bool skip_ends; ///< end sites are left out
    /// What a unit of length in the file is in yours: offsets and positions are multiplied by it. 1
    /// keeps the file's. 1e-6 to 1e6; 0 is 1.
    double units;
    /// file_size; memory (of the data, and of what reading works with); joint_count; key_count (the
    /// values of all frames). 0 stands for the default, as everywhere.
    sinew_import_limits limits;
    const char *file_name;   ///< for messages, when reading from memory; NULL: "(memory)"
    const sinew_file_io *io; ///< how sinew_bvh_load reads; NULL: the C library's stdio
    sinew_allocator allocator;
} sinew_bvh_desc;

/// Not strict, everything kept, units of 1, the limits of sinew_import_desc_default.
SINEW_API sinew_bvh_desc sinew_bvh_desc_default(void);
/// True where the bytes begin like a BVH file: what the two calls below will try to read.
SINEW_API bool sinew_bvh_detect(const void *bytes, size_t size);
/// Reads a file that lies in memory; it may be freed afterwards. `desc` NULL: the default.
///
/// Read are: several roots; channels in any order and number, on any joint; names of several words,
/// or none; keywords in small or large letters; lines ended by LF, CR LF or CR; a byte order mark;
/// comments from # or // at the start of a line or before a keyword or number; frames over several
/// lines, or several on one. Numbers are rounded correctly, whatever the locale is.
/// Errors: SINEW_ERROR_FORMAT_UNKNOWN, _TEXT_SYNTAX, _MISSING_PROPERTY,
///         _INVALID_VALUE (also of a frame time that is not above 0), _COUNT_MISMATCH,
///         _TOO_MANY_JOINTS, _LIMIT_EXCEEDED, _OUT_OF_MEMORY, _INVALID_ARGUMENT (units), under
///         `strict` the codes of findings; `error` has offset, line and column, and the joint's
///         name where it is about one.
SINEW_API sinew_result sinew_bvh_read(const void *bytes, size_t size, const sinew_bvh_desc *desc,
                                      sinew_bvh **out, sinew_error *error);
/// Reads a file by path (UTF-8). Errors: those above, SINEW_ERROR_IO.
SINEW_API sinew_result sinew_bvh_load(const char *path, const sinew_bvh_desc *desc, sinew_bvh **out,
                                      sinew_error *error);
/// NULL is allowed. For what sinew_bvh_read, _load and _bake made, and nothing else: a struct of
/// the caller's own has nothing to give back.
SINEW_API void sinew_bvh_destroy(sinew_bvh *bvh);

// ---- What is made of it -----------------------------------------------------------------------------------

/// The joints as a stream rig: angles in degrees, nodes as in the document, no root scale, the
/// height of the rest pose (all angles 0).
/// Errors: those of sinew_stream_rig_create; SINEW_ERROR_INVALID_ARGUMENT where `bvh` was made in
///         code and is not as described above, with the joint as path.
SINEW_API sinew_result sinew_bvh_make_rig(const sinew_bvh *bvh, const sinew_allocator *allocator,
                                          sinew_stream_rig **out, sinew_error *error);
/// The motion as a stream clip for that rig. Angles and lengths are rounded to floats.
/// Errors: those of sinew_stream_clip_create; SINEW_ERROR_NOT_FOUND where there are no frames.
SINEW_API sinew_result sinew_bvh_make_clip(const sinew_bvh *bvh, const sinew_stream_rig *rig,
                                           const sinew_allocator *allocator,
                                           sinew_stream_clip **out, sinew_error *error);
/// The whole as a document of format "bvh": a node a joint, one rig of all nodes, and, where there
/// are frames, one clip as of sinew_stream_clip_to_source, its first frame at 0. The findings come
/// with it.
/// Errors: those of the two calls above.
SINEW_API sinew_result sinew_bvh_make_document(const sinew_bvh *bvh,
                                               const sinew_allocator *allocator,
                                               sinew_document **out, sinew_error *error);

// ---- Writing ----------------------------------------------------------------------------------------------

/// Takes a text piece by piece. False: it cannot, and no more is to come.
typedef bool (*sinew_text_fn)(void *user, const char *text, size_t size);
/// Writes a file: reading it gives the same joints, channels, values and frame time to the last
/// bit. Names keep their blanks; what cannot stand in a name (line ends, braces, control
/// characters) becomes '_', and a joint without a name is "joint" and its index.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT where `bvh` is not as described above, with the joint as
///         path; SINEW_ERROR_IO where `write` says so.
/// Memory: allocates nothing.
SINEW_API sinew_result sinew_bvh_write(const sinew_bvh *bvh, sinew_text_fn write, void *user,
                                       sinew_error *error);

typedef struct sinew_bvh_bake_desc {
    const sinew_skeleton *skeleton;
    const sinew_clip_binding *binding; ///< of that skeleton; NULL: one frame of the rest pose
    double rate;                       ///< frames a second; 30
    double units; ///< yours for a unit of the file: lengths are divided by it; 0 is 1
    sinew_allocator allocator;
} sinew_bvh_bake_desc;

SINEW_API sinew_bvh_bake_desc sinew_bvh_bake_desc_default(void);
/// Samples a clip at 0, 1 / rate, 2 / rate, ... up to the first moment at or past its end, which
/// shows the end. Joints stand where the skeleton's do in each frame, and turn as theirs: scale and
/// shear are worked into offsets and positions. Roots have all six channels, other joints three
/// rotations (Z, X, Y), and positions only where they move in their parent; angles go on from frame
/// to frame without whole turns between. A joint without children gets no end site.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT (no skeleton, a binding of another, a rate or units
///         that are not from 1e-6 to 1e6, more than 2^24 frames), SINEW_ERROR_UNSUPPORTED (scale
///         rules other than INHERIT), SINEW_ERROR_NOT_FINITE, SINEW_ERROR_OUT_OF_MEMORY.
SINEW_API sinew_result sinew_bvh_bake(const sinew_bvh_bake_desc *desc, sinew_bvh **out,
                                      sinew_error *error);

#ifdef __cplusplus
}
#endif

#endif
