// SPDX-License-Identifier: MIT
/// Sinew: results, errors and findings, memory, logging, threads, files, versions.
///
/// Conventions of the whole library follow glTF 2.0: right-handed, +Y up, metres, seconds, radians;
/// column vectors, column-major 4x4 matrices; unit quaternions stored x y z w; a transform is T * R
/// * S. Floats are binary32, clocks are double. Results assume the default rounding and denormal
/// mode of the machine (round to nearest, denormals kept): a host that sets flush-to-zero gets
/// other bits.
///
/// SPEC n in comments is section n of docs/spec.md.
#ifndef SINEW_BASE_H
#define SINEW_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- Versions -------------------------------------------------------------------------------------------

/// Version as one number: major * 1000000 + minor * 1000 + patch. Nothing is stable before 1.0.
#define SINEW_VERSION 1000
#define SINEW_VERSION_STRING "0.1.0"

#if defined(SINEW_SHARED) && defined(_WIN32)
#ifdef SINEW_BUILDING
#define SINEW_API __declspec(dllexport)
#else
#define SINEW_API __declspec(dllimport)
#endif
#elif defined(SINEW_SHARED)
#define SINEW_API __attribute__((visibility("default")))
#else
#define SINEW_API
#endif

/// Marks what may still change without notice between minor versions.
#define SINEW_EXPERIMENTAL

/// The version of the library that runs, as SINEW_VERSION was when it was built.
SINEW_API int sinew_version(void);

// ---- Results and findings -------------------------------------------------------------------------------

/// How much a finding matters. What `strict` does with each is said in SINEW_RESULT_TABLE's
/// comments.
typedef enum sinew_severity {
    SINEW_SEVERITY_INFO,    ///< worth knowing; never an error
    SINEW_SEVERITY_WARNING, ///< the file breaks a rule that changes nothing here; an error under
                            ///< `strict`
    SINEW_SEVERITY_REPAIR,  ///< the file's data was changed to be usable; an error under `strict`
    SINEW_SEVERITY_ERROR    ///< nothing was loaded
} sinew_severity;

/// Every code of the library: X(NAME, "word", SEVERITY, "sentence"). The table is append-only, so
/// that numbers stay. The same codes are results of calls, errors of importers and findings about
/// files; `word` is what scripts see (`sinew inspect --json`). SEVERITY is what the code means by
/// default.
// clang-format off
#define SINEW_RESULT_TABLE(X) \
    X(OK,                             "ok",                          INFO,    "all is well") \
    /* calls */ \
    X(ERROR_INVALID_ARGUMENT,         "invalid_argument",            ERROR,   "an argument is not allowed to have this value") \
    X(ERROR_BUFFER_TOO_SMALL,         "buffer_too_small",            ERROR,   "a buffer of the caller cannot hold the result") \
    X(ERROR_MISALIGNED,               "misaligned",                  ERROR,   "a memory block is not aligned as required") \
    X(ERROR_OUT_OF_MEMORY,            "out_of_memory",               ERROR,   "the allocator returned no memory") \
    X(ERROR_LIMIT_EXCEEDED,           "limit_exceeded",              ERROR,   "the input is larger than the limits allow") \
    X(ERROR_NOT_FOUND,                "not_found",                   ERROR,   "no such thing") \
    X(ERROR_UNSUPPORTED,              "unsupported",                 ERROR,   "this build or version does not support it") \
    X(ERROR_IO,                       "io_failed",                   ERROR,   "a file could not be opened, read or written") \
    /* skeletons */ \
    X(ERROR_JOINT_CYCLE,              "joint_cycle",                 ERROR,   "joints form a cycle") \
    X(ERROR_JOINT_PARENT,             "joint_parent_out_of_range",   ERROR,   "a joint names a parent that does not exist") \
    X(ERROR_TOO_MANY_JOINTS,          "too_many_joints",             ERROR,   "a skeleton holds at most 65,535 joints") \
    X(ERROR_NOT_FINITE,               "not_finite",                  ERROR,   "a number is a NaN or an infinity") \
    X(ERROR_ZERO_QUATERNION,          "zero_quaternion",             ERROR,   "a rotation is the zero quaternion") \
    X(ERROR_SINGULAR_MATRIX,          "singular_matrix",             ERROR,   "a matrix that must be inverted has no inverse") \
    X(ERROR_KEY_TIMES,                "key_times_invalid",           ERROR,   "key times must be finite and must not decrease") \
    /* files */ \
    X(ERROR_JSON_SYNTAX,              "json_syntax",                 ERROR,   "not valid JSON") \
    X(ERROR_JSON_TYPE,                "json_type",                   ERROR,   "a JSON value has the wrong type") \
    X(ERROR_FORMAT_UNKNOWN,           "format_unknown",              ERROR,   "not a file of a known format") \
    X(ERROR_GLB_HEADER,               "glb_header",                  ERROR,   "the GLB header is damaged") \
    X(ERROR_GLB_CHUNK,                "glb_chunk",                   ERROR,   "a GLB chunk is damaged, missing or in the wrong place") \
    X(ERROR_VERSION,                  "version_unsupported",         ERROR,   "the file's version is not supported") \
    X(ERROR_REQUIRED_EXTENSION,       "required_extension",          ERROR,   "the file requires an extension that is not supported") \
    X(ERROR_MISSING_PROPERTY,         "missing_property",            ERROR,   "a required property is missing") \
    X(ERROR_INVALID_VALUE,            "invalid_value",               ERROR,   "a property has a value that is not allowed") \
    X(ERROR_INDEX_RANGE,              "index_out_of_range",          ERROR,   "an index names something that does not exist") \
    X(ERROR_BUFFER_RANGE,             "buffer_out_of_range",         ERROR,   "data runs past the end of its buffer") \
    X(ERROR_BASE64,                   "bad_base64",                  ERROR,   "a data URI is not valid base64") \
    X(ERROR_URI_OUTSIDE,              "uri_outside_folder",          ERROR,   "a URI leaves the folder of the document") \
    X(ERROR_FILE_MISSING,             "file_missing",                ERROR,   "a file that the document names cannot be read") \
    X(ERROR_NODE_CYCLE,               "node_cycle",                  ERROR,   "nodes form a cycle") \
    X(ERROR_NODE_TWO_PARENTS,         "node_two_parents",            ERROR,   "a node has two parents") \
    X(ERROR_VERTEX_JOINT_RANGE,       "vertex_joint_out_of_range",   ERROR,   "a vertex with weight names a joint past its skin") \
    X(ERROR_COUNT_MISMATCH,           "count_mismatch",              ERROR,   "two things that belong together differ in number") \
    X(ERROR_STREAM_DAMAGED,           "stream_damaged",              ERROR,   "compressed data cannot be unpacked") \
    /* findings that repair */ \
    X(INVERSE_BINDS_MISSING,          "inverse_binds_missing",       REPAIR,  "a skin has fewer inverse bind matrices than joints; the rest are identities") \
    X(WEIGHTS_NOT_NORMALISED,         "weights_not_normalised",      REPAIR,  "skin weights of a vertex did not sum to 1; they were divided by their sum") \
    X(WEIGHTS_ZERO,                   "weights_zero",                REPAIR,  "a vertex has no usable weight; it follows the first joint listed for it") \
    X(WEIGHTS_NEGATIVE,               "weights_negative",            REPAIR,  "a skin weight is negative; it counts as 0") \
    X(WEIGHTS_NOT_FINITE,             "weights_not_finite",          REPAIR,  "a skin weight is a NaN or an infinity; it counts as 0") \
    X(JOINTS_REPEATED,                "joints_repeated",             REPAIR,  "a vertex names a joint twice; the weights were added") \
    X(JOINTS_UNUSED_OUT_OF_RANGE,     "joints_unused_out_of_range",  REPAIR,  "a vertex names a joint past its skin with weight 0; it was dropped") \
    X(POSITIONS_NOT_FINITE,           "positions_not_finite",        REPAIR,  "a vertex attribute held a NaN or an infinity; it became 0") \
    X(NODE_NOT_FINITE,                "node_not_finite",             REPAIR,  "a node's transform held a NaN or an infinity; the default was taken") \
    X(KEYS_NOT_FINITE,                "keys_not_finite",             REPAIR,  "a key held a NaN or an infinity; the previous key's value was taken") \
    X(KEY_TIMES_REPEATED,             "key_times_repeated",          REPAIR,  "keys share a time: a jump, the later value holds at that time") \
    X(KEY_TIMES_DECREASING,           "key_times_decreasing",        REPAIR,  "key times decrease; the channel was dropped") \
    X(KEY_TIMES_NEGATIVE,             "key_times_negative",          REPAIR,  "keys before 0 were cut, with the value at 0 interpolated") \
    X(QUATERNION_NOT_UNIT,            "quaternion_not_unit",         REPAIR,  "a rotation was off unit length; it was normalised") \
    X(QUATERNION_ZERO,                "quaternion_zero",             REPAIR,  "a rotation was the zero quaternion; identity was taken") \
    X(CHANNEL_REPEATED,               "channel_repeated",            REPAIR,  "two channels drive one property; the first was kept") \
    X(SPLINE_ONE_KEY,                 "spline_one_key",              REPAIR,  "a cubic spline has one key; it is a constant") \
    X(MORPH_WEIGHTS_COUNT,            "morph_weights_count",         REPAIR,  "there are more or fewer morph weights than targets; missing ones are 0") \
    X(INDICES_OUT_OF_RANGE,           "indices_out_of_range",        REPAIR,  "triangles name vertices that do not exist; they were dropped") \
    /* findings that warn */ \
    X(CHANNEL_WITHOUT_TARGET,         "channel_without_target",      WARNING, "a channel drives nothing; it was left out") \
    X(CHANNEL_TARGET_MISSING,         "channel_target_missing",      WARNING, "a channel drives a node that does not exist; it was left out") \
    X(CHANNEL_EMPTY,                  "channel_empty",               WARNING, "a channel has no keys; it was left out") \
    X(ANIMATION_EMPTY,                "animation_empty",             WARNING, "an animation has no channels; the clip is empty") \
    X(SAMPLER_STRIDE,                 "sampler_stride",              WARNING, "animation data has a stride, which glTF forbids; it was read with it") \
    X(WEIGHTS_NOT_FLAGGED,            "weights_not_flagged",         WARNING, "integer weights lack `normalized`; they were read as if they had it") \
    X(MATRIX_ANIMATED,                "matrix_animated",             WARNING, "a node with a matrix is animated; the matrix was decomposed once") \
    X(SKIN_TWO_ROOTS,                 "skin_two_roots",              WARNING, "the joints of a skin have no common root") \
    X(SKIN_EMPTY,                     "skin_empty",                  WARNING, "a skin has no joints") \
    X(SKIN_WITHOUT_INFLUENCES,        "skin_without_influences",     WARNING, "a node has a skin, but its mesh has no joints and weights; it is drawn unskinned") \
    X(INFLUENCES_WITHOUT_SKIN,        "influences_without_skin",     INFO,    "a mesh has joints and weights, but its node no skin; it is drawn unskinned") \
    X(SKIN_WITHOUT_MESH,              "skin_without_mesh",           WARNING, "a node has a skin but no mesh") \
    X(SCENE_NODE_NOT_ROOT,            "scene_node_not_root",         WARNING, "a scene lists a node that has a parent") \
    X(GLB_EXTRA_DATA,                 "glb_extra_data",              WARNING, "there are bytes after the end of the GLB") \
    X(RULE_BROKEN,                    "rule_broken",                 WARNING, "the file breaks a rule that changes nothing here") \
    X(SKELETON_NOT_ABOVE,             "skeleton_not_above",          WARNING, "a skin names a skeleton root that its joints do not stand below; the hint changes nothing") \
    X(IMAGE_MISSING,                  "image_missing",               WARNING, "an image cannot be read; the rest was loaded") \
    /* findings that inform */ \
    X(EXTENSION_IGNORED,              "extension_ignored",           INFO,    "the file uses an extension that is not supported; it was ignored") \
    X(INFLUENCES_REDUCED,             "influences_reduced",          INFO,    "a vertex has more influences than were asked for; the largest were kept") \
    X(FIRST_KEY_LATE,                 "first_key_late",              INFO,    "the first key of a clip is later than 0; before it the first value holds") \
    X(JOINTS_UNUSED,                  "joints_unused",               INFO,    "joints of a skin that move no vertex") \
    X(ROOT_NOT_A_JOINT,               "root_not_a_joint",            INFO,    "the joints hang below a node that is not a joint") \
    X(EXTENSION_IN_PART,              "extension_in_part",           INFO,    "of an extension only a part is read") \
    X(COPIES_IGNORED,                 "copies_ignored",              WARNING, "a node asks for copies of what cannot be copied; it is drawn once") \
    X(HUMAN_BONE_INVALID,             "human_bone_invalid",          WARNING, "a bone of the humanoid names no node, or is named twice; it was left out") \
    X(NODE_SHEARED,                   "node_sheared",                INFO,    "a node's matrix holds shear, which is kept beside its translation, rotation and scale") \
    /* tables of names */ \
    X(ERROR_NAME_TAKEN,               "name_taken",                  ERROR,   "something else has this name already") \
    /* animation sets */ \
    X(STATE_UNREACHABLE,              "state_unreachable",           WARNING, "nothing leads to a state of the set") \
    X(STATE_WITHOUT_EXIT,             "state_without_exit",          INFO,    "nothing leads out of a state of the set") \
    X(PARAMETER_UNUSED,               "parameter_unused",            INFO,    "a set declares a parameter or predicate that nothing asks for") \
    X(CLIP_MISSING,                   "clip_missing",                WARNING, "the rig has no clip that the set names; its choices are passed over") \
    X(STATE_WITHOUT_CLIP,             "state_without_clip",          WARNING, "the rig has no clip for a state; the rest pose stands there") \
    X(MARK_PAST_END,                  "mark_past_end",               WARNING, "a notify or marker stands past the end of its clip; it was left out") \
    X(MARKERS_DIFFER,                 "markers_differ",              INFO,    "clips of one looping state have different markers; they are kept in step by phase alone") \
    /* springs of avatars */ \
    X(SPRING_BONE_INVALID,            "spring_bone_invalid",         WARNING, "a spring bone or collider names what is not there; it was left out") \
    /* motion capture */ \
    X(ERROR_TEXT_SYNTAX,              "text_syntax",                 ERROR,   "a text breaks the rules of its format") \
    X(FRAME_COUNT_WRONG,              "frame_count_wrong",           REPAIR,  "a motion holds another number of frames than it says; those that are there were taken") \
    X(FRAME_INCOMPLETE,               "frame_incomplete",            REPAIR,  "a motion ends within a frame; that one was left out") \
    X(FIRST_FRAME_APART,              "first_frame_apart",           INFO,    "the first frame of a motion is a pose apart, such as a T-pose") \
    X(NAMES_REPEATED,                 "names_repeated",              INFO,    "joints share a name; by name the first one is found") \
    X(FRAME_GLITCH,                   "frame_glitch",                INFO,    "joints jump away for a single frame and come back") \
    /* long work */ \
    X(ERROR_STOPPED,                  "stopped",                     ERROR,   "the caller stopped the work") \
    /* GPUs */ \
    X(ERROR_NO_DEVICE,                "no_device",                   ERROR,   "this machine or build has no such device, or no driver for it") \
    X(ERROR_DEVICE,                   "device_failed",               ERROR,   "the device or its driver refused, or was lost") \
    X(ERROR_STALE_HANDLE,             "stale_handle",                ERROR,   "a handle names nothing, or what was destroyed")
// clang-format on

/// What a call returns, what an error carries, what a finding is about. SINEW_OK is 0.
typedef enum sinew_result {
#define SINEW_RESULT_ENUM(name, word, severity, sentence) SINEW_##name,
    SINEW_RESULT_TABLE(SINEW_RESULT_ENUM)
#undef SINEW_RESULT_ENUM
        SINEW_RESULT_COUNT
} sinew_result;

/// The word of a code in snake case, such as "weights_not_normalised". Never NULL; "unknown" for a
/// stranger.
SINEW_API const char *sinew_result_word(sinew_result result);
/// A sentence for a code. Never NULL.
SINEW_API const char *sinew_result_message(sinew_result result);
/// For a finding: whether it matters, and what to do about it. "" for other codes, never NULL.
SINEW_API const char *sinew_result_advice(sinew_result result);
/// What the code means by default.
SINEW_API sinew_severity sinew_result_severity(sinew_result result);
/// "info", "warning", "repair" or "error".
SINEW_API const char *sinew_severity_word(sinew_severity severity);

enum { SINEW_ERROR_FILE_SIZE = 256, SINEW_ERROR_PATH_SIZE = 256, SINEW_ERROR_MESSAGE_SIZE = 512 };

/// Where and why a call that reads input failed. Owned by the caller; NULL is allowed wherever one
/// is taken. Strings end in 0 and are cut, at a character's border, where they would not fit.
typedef struct sinew_error {
    sinew_result code;
    uint64_t offset; ///< byte in the file, 0 where it is not known
    uint32_t line;   ///< 1-based; 0 where there are no lines
    uint32_t column; ///< 1-based, in bytes; 0 where there are no lines
    char file[SINEW_ERROR_FILE_SIZE];
    char path[SINEW_ERROR_PATH_SIZE]; ///< JSON path such as `skins[0].joints[3]`, or a joint's name
    char message[SINEW_ERROR_MESSAGE_SIZE];
} sinew_error;

/// One thing that import noticed. Strings belong to what holds the finding (a document, a report).
typedef struct sinew_finding {
    sinew_result code;
    sinew_severity severity;
    const char *where; ///< JSON path of the first place
    uint64_t count;    ///< how many elements (vertices, keys, ...) it concerns, at least 1
    double worst; ///< the worst value, in the unit that `message` says; 0 where it has no meaning
    const char *message; ///< a sentence with the numbers in it
} sinew_finding;

// ---- Memory ---------------------------------------------------------------------------------------------

/// Where assets get their memory. `alloc` returns `size` bytes aligned to `align` (a power of two),
/// or NULL; `free` gets what `alloc` returned with the same size and align. Both NULL: the C
/// library's.
typedef struct sinew_allocator {
    void *(*alloc)(size_t size, size_t align, void *user);
    void (*free)(void *pointer, size_t size, size_t align, void *user);
    void *user;
} sinew_allocator;

/// Alignment of poses and other blocks that kernels read, in bytes.
enum { SINEW_BLOCK_ALIGN = 64 };

// ---- Logging --------------------------------------------------------------------------------------------

typedef enum sinew_log_level { SINEW_LOG_INFO, SINEW_LOG_WARNING, SINEW_LOG_ERROR } sinew_log_level;

/// A sink for the few lines that the library has to say. It may be called from any thread that
/// calls Sinew.
typedef void (*sinew_log_fn)(void *user, sinew_log_level level, const char *line);

/// Sets the sink of the process; NULL (the default) drops all lines. Call it before threads use the
/// library.
SINEW_API void sinew_set_log(sinew_log_fn log, void *user);

// ---- Threads --------------------------------------------------------------------------------------------

/// One range of a parallel job. `worker` is below the worker count of the hook that runs it.
typedef void (*sinew_range_fn)(void *data, uint32_t index, uint32_t worker);

/// How to go wide. `run` calls fn(data, index, worker) once for each index below count, from as
/// many threads as it likes, and returns when all are done. A zeroed struct runs everything on the
/// calling thread. Results never depend on it. The library owns no threads.
typedef struct sinew_parallel {
    void (*run)(void *user, uint32_t count, sinew_range_fn fn, void *data);
    uint32_t worker_count;
    void *user;
} sinew_parallel;

/// Runs a job through the hook, or here where `parallel` is NULL or empty.
SINEW_API void sinew_parallel_for(const sinew_parallel *parallel, uint32_t count, sinew_range_fn fn,
                                  void *data);

// ---- Files ----------------------------------------------------------------------------------------------

/// How import reads the files that a document names. URIs arrive decoded, relative, with '/' as
/// separator, and are already known to stay inside the document's folder (unless the import desc
/// allows others).
typedef struct sinew_file_io {
    /// Opens a file for reading. Returns an opaque file, or NULL if it cannot be opened.
    void *(*open)(void *user, const char *uri);
    /// Size of an open file in bytes, or UINT64_MAX on failure.
    uint64_t (*size)(void *user, void *file);
    /// Reads up to `size` bytes at `offset` into `out`; returns how many. Fewer than asked is a
    /// failure.
    size_t (*read)(void *user, void *file, uint64_t offset, void *out, size_t size);
    void (*close)(void *user, void *file);
    void *user;
} sinew_file_io;

// ---- Instruction sets -----------------------------------------------------------------------------------

/// The instruction sets that kernels may be written for, weakest first on each machine.
typedef enum sinew_isa {
    SINEW_ISA_SCALAR,
    SINEW_ISA_SSE2,
    SINEW_ISA_AVX2,
    SINEW_ISA_AVX512,
    SINEW_ISA_NEON,
    SINEW_ISA_WASM,
    SINEW_ISA_COUNT
} sinew_isa;

/// "scalar", "sse2", ... Never NULL.
SINEW_API const char *sinew_isa_name(sinew_isa isa);
/// Bit i is set where this build holds kernels for isa i.
SINEW_API uint32_t sinew_isa_built(void);
/// Bit i is set where this machine can run isa i and this build holds kernels for it.
SINEW_API uint32_t sinew_isa_available(void);
/// The isa that kernels run with now: the strongest available one that the mask allows.
SINEW_API sinew_isa sinew_isa_active(void);
/// Allows only the instruction sets of `mask` (scalar is always allowed); UINT32_MAX allows all.
/// Not for use while other threads are in the library.
SINEW_API void sinew_isa_set_mask(uint32_t mask);

#ifdef __cplusplus
}
#endif

#endif
