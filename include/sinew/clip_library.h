// SPDX-License-Identifier: MIT
/// A clip library: clips of many files in one table by unique names, played on any skeleton.
///
/// The library copies what it takes in. A document may be destroyed as soon as it was read, clips
/// and allocators of documents are never held; what the library hands out lives until that entry is
/// removed, or the library cleared or destroyed. Bindings made of an entry name its clip, so they
/// must go before it does.
///
///     sinew_clip_library_create(NULL, &library);
///     sinew_clip_library_read_document(library, fox, "fox_", NULL, NULL); // sinew/document.h
///     sinew_document_destroy(fox);
///     sinew_clip_library_bind(library, "fox_trot", skeleton, NULL, &binding, &error);
///
/// Threads: a library is its owner's to lock while it changes (read, add, remove, clear). As long
/// as it does not, any number of threads may look names up and bind.
#ifndef SINEW_CLIP_LIBRARY_H
#define SINEW_CLIP_LIBRARY_H

#include "sinew/clip.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sinew_clip_library sinew_clip_library;

typedef struct sinew_clip_library_desc {
    sinew_allocator allocator; ///< for the table and its copies of clips
} sinew_clip_library_desc;

SINEW_API sinew_clip_library_desc sinew_clip_library_desc_default(void);
/// An empty library. `desc` NULL: the default. Errors: SINEW_ERROR_INVALID_ARGUMENT,
/// _OUT_OF_MEMORY.
SINEW_API sinew_result sinew_clip_library_create(const sinew_clip_library_desc *desc,
                                                 sinew_clip_library **out);
/// Destroys it with all its clips. NULL is allowed.
SINEW_API void sinew_clip_library_destroy(sinew_clip_library *library);

// ---- Taking clips in --------------------------------------------------------------------------------------

/// The clips of one file.
typedef struct sinew_clip_source {
    const char *file; ///< where they come from, for messages and for people; NULL is ""
    const sinew_clip *const *clips; ///< [clip_count]
    const char *const *file_names;  ///< [clip_count] as in the file; NULL: the clips' own names
    uint32_t clip_count;
} sinew_clip_source;

/// What became of the clips of a source; the three sum to its clip_count.
typedef struct sinew_clip_read_report {
    uint32_t added; ///< new in the table
    uint32_t known; ///< passed over: their names hold the same tracks with the same keys already
    uint32_t taken; ///< passed over: their names hold other clips
    int32_t first_taken; ///< the first of the taken ones, an index into the source; -1: none
} sinew_clip_read_report;

/// Takes in each clip of a source under `prefix` and its name; those whose name the table holds are
/// passed over. So it may be done any number of times, and says how often it was. Clips without a
/// name are called "clip"; in the order of the source, one whose name an earlier one has becomes
/// NAME_2, NAME_3, ... before the table is asked (documents have done so already). Reading depends
/// on nothing but its arguments and the names that the table holds. Errors:
/// SINEW_ERROR_INVALID_ARGUMENT, _LIMIT_EXCEEDED (more than 2^30 clips), _OUT_OF_MEMORY;
///         the table is as before then. `prefix`, `out_report` and `error` may be NULL.
/// For documents: sinew_clip_library_read_document (sinew/document.h).
SINEW_API sinew_result sinew_clip_library_read(sinew_clip_library *library,
                                               const sinew_clip_source *source, const char *prefix,
                                               sinew_clip_read_report *out_report,
                                               sinew_error *error);

/// Takes one clip in, under a name; `name` NULL: the clip's own.
/// Errors: SINEW_ERROR_NAME_TAKEN where the table holds the name: the error's path is the name, its
///         message says which clip of which file has it; SINEW_ERROR_INVALID_ARGUMENT, also for an
///         empty name; _LIMIT_EXCEEDED, _OUT_OF_MEMORY.
SINEW_API sinew_result sinew_clip_library_add(sinew_clip_library *library, const sinew_clip *clip,
                                              const char *name, sinew_error *error);

/// Takes one clip out and destroys it. Those behind it move up by one.
/// Errors: SINEW_ERROR_NOT_FOUND.
SINEW_API sinew_result sinew_clip_library_remove(sinew_clip_library *library, const char *name);
/// Takes all out. The memory of the table is kept for others.
SINEW_API void sinew_clip_library_clear(sinew_clip_library *library);

// ---- Looking clips up -------------------------------------------------------------------------------------

/// A clip of the table. It stays where it is, with its texts, until it is removed.
typedef struct sinew_clip_entry {
    const char *name;       ///< prefix and short name: unique in the table
    const char *short_name; ///< without the prefix; points into `name`
    const char *file_name;  ///< as in its file, before suffixes; "" where it had none there
    const char *file;       ///< the source's; "" for clips added one by one
    uint32_t file_index;    ///< which of the source's clips it was
    const sinew_clip *clip; ///< its tracks name nodes of their own document alone
} sinew_clip_entry;

SINEW_API uint32_t sinew_clip_library_count(const sinew_clip_library *library);
/// The entries in the order in which they came; NULL past the last.
SINEW_API const sinew_clip_entry *sinew_clip_library_at(const sinew_clip_library *library,
                                                        uint32_t index);
/// The entry of exactly this name, NULL where there is none. One look into a hash table.
SINEW_API const sinew_clip_entry *sinew_clip_library_find(const sinew_clip_library *library,
                                                          const char *name);
/// One track by clip, joint and property, for sinew_track_sample and sinew_track_find_key; NULL
/// where there is no such clip or track. Of several joints of that name the first of the file.
SINEW_API const sinew_track *sinew_clip_library_find_track(const sinew_clip_library *library,
                                                           const char *name, const char *joint_name,
                                                           sinew_property property);

// ---- Playing them on a skeleton ---------------------------------------------------------------------------

/// Binds a clip to a skeleton by the names of joints (SINEW_BIND_BY_NAME).
/// Errors: SINEW_ERROR_NOT_FOUND where there is no such clip; _INVALID_ARGUMENT, _OUT_OF_MEMORY.
///         `allocator` and `error` may be NULL.
SINEW_API sinew_result sinew_clip_library_bind(const sinew_clip_library *library, const char *name,
                                               const sinew_skeleton *skeleton,
                                               const sinew_allocator *allocator,
                                               sinew_clip_binding **out, sinew_error *error);

/// A node of the clip, or a joint of the skeleton, in a report.
typedef struct sinew_bind_line {
    const char *name;   ///< "" where it has none
    int32_t index;      ///< of the node in the clip's document, or of the joint
    uint8_t properties; ///< SINEW_TOUCHED_ bits: what the clip has for it; 0 for joints at rest
} sinew_bind_line;

/// How a clip fits a skeleton, with names: plain data that needs neither of them any more.
typedef struct sinew_bind_report {
    const char *clip_name;            ///< the clip's own
    uint32_t track_count;             ///< of the clip: the sum of the next four
    uint32_t moving_track_count;      ///< they move joints
    uint32_t unmatched_track_count;   ///< their node is no joint of the skeleton
    uint32_t repeated_track_count;    ///< an earlier node of the same name has the joint's property
    uint32_t weight_track_count;      ///< morph weights, which no joint has
    uint32_t joint_count;             ///< of the skeleton
    uint32_t moved_joint_count;       ///< moved in any property
    const sinew_bind_line *unmatched; ///< [unmatched_count] nodes, ascending
    uint32_t unmatched_count;
    const sinew_bind_line *repeated; ///< [repeated_count] nodes, ascending
    uint32_t repeated_count;
    const sinew_bind_line *resting; ///< [joint_count - moved_joint_count] joints that the clip
                                    ///< leaves at rest, ascending
    uint32_t resting_count;
} sinew_bind_report;

/// Says how the clip of a binding fits its skeleton. One block of memory.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT, SINEW_ERROR_OUT_OF_MEMORY.
SINEW_API sinew_result sinew_bind_report_create(const sinew_clip_binding *binding,
                                                const sinew_allocator *allocator,
                                                sinew_bind_report **out);
SINEW_API void sinew_bind_report_destroy(sinew_bind_report *report);
/// The report in lines for a log or a terminal, names as they are. Writes what fits into size
/// bytes, ended by 0 and cut at a character's border, and returns the length of the whole, as
/// snprintf does; `out` may be NULL where size is 0.
///
///     clip 'walk': 60 of 62 tracks move 21 of 22 joints
///       no joint for: hat (translation, rotation)
///       at rest: root
SINEW_API size_t sinew_bind_report_text(const sinew_bind_report *report, char *out, size_t size);

#ifdef __cplusplus
}
#endif

#endif
