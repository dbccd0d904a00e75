// SPDX-License-Identifier: MIT
/// The leash: keeps a performer in its place while a clip carries its body away from its origin.
///
/// Clips of older games and of motion capture travel: the root, or any joint below it, is keyed far
/// from where the host put the figure. A leash lets the body go as far as a limit and takes the
/// rest away, eased so that nothing snaps.
///
///     centre  = sum over joints of (draw origin * vertices that the joint moves most) / all
///     vertices target  = the part of (centre - bind centre) beyond limit * height, along that line
///     offset += a (target - offset),  a = 1 - 0.5^(dt / half-life)
///
/// and the offset is taken from the translation of every joint's matrices. The centre is a mean and
/// no median, which would jump when joints change places.
///
/// What is a fact of the model (weights, bind centre, height, whether its body keeps steady enough
/// to be measured) is a model, made once and shared; what moves is an offset of each instance.
/// Model matrices come in and go out as arrays, so that a leash serves any rig.
#ifndef SINEW_LEASH_H
#define SINEW_LEASH_H

#include "sinew/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Models -----------------------------------------------------------------------------------------------

typedef struct sinew_leash_model sinew_leash_model; ///< immutable, one block of memory

/// A model of numbers that the caller has. Zero-initialise, or take the default, then fill.
typedef struct sinew_leash_model_desc {
    const char *name; ///< of the model, for the log; NULL is ""
    /// [joint_count] how many vertices each joint moves most. NULL or all 0: each joint counts as
    /// one
    const uint32_t *vertex_counts;
    const sinew_mat4 *bind; ///< [joint_count] draw matrices in the bind pose
    uint32_t joint_count;
    float height; ///< in the unit of the matrices; <= 0: the model is never leashed
    /// [idle_count] centres (sinew_leash_center_of) of an idle clip's whole frames, 0 ... F - 1. A
    /// body that moves more than half its height between two neighbours is not measured well (its
    /// parts are put away and fetched, or the clip cuts): the model is then not trusted, and never
    /// leashed. None or one: trusted
    const sinew_vec3 *idle_centers;
    uint32_t idle_count;
    sinew_allocator allocator;
} sinew_leash_model_desc;

SINEW_API sinew_leash_model_desc sinew_leash_model_desc_default(void);
/// Makes a model. Everything is copied. A model that is not trusted is told to the log in one line.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT (no joints, no matrices, more than 65,535 joints),
///         SINEW_ERROR_NOT_FINITE (the error's path names the joint or frame),
///         SINEW_ERROR_OUT_OF_MEMORY.
SINEW_API sinew_result sinew_leash_model_create(const sinew_leash_model_desc *desc,
                                                sinew_leash_model **out, sinew_error *error);

/// A model of a frame-stream rig: its vertex counts, height and rest pose, and its idle clip.
typedef struct sinew_leash_stream_desc {
    const char *name;
    const sinew_stream_rig *rig;
    const sinew_stream_clip *idle; ///< the clip of that name; NULL: the rig has none
    sinew_allocator allocator;
} sinew_leash_stream_desc;
/// The idle clip is sampled in memory of its own: no performer is touched.
/// Errors: those of sinew_leash_model_create; SINEW_ERROR_INVALID_ARGUMENT for a clip of another
///         rig.
SINEW_API sinew_result sinew_leash_model_from_stream(const sinew_leash_stream_desc *desc,
                                                     sinew_leash_model **out, sinew_error *error);

/// A model of any skeleton: its rest pose, and a clip that is bound to it.
typedef struct sinew_leash_skeleton_desc {
    const char *name;
    const sinew_skeleton *skeleton;
    const uint32_t *vertex_counts; ///< [joint count], as above
    float height; ///< <= 0: the vertical extent of the rest pose's joints; none, never leashed
    const sinew_clip_binding *idle; ///< of that skeleton; NULL: none
    double idle_rate;               ///< frames a second that count as whole; 0: 30
    sinew_allocator allocator;
} sinew_leash_skeleton_desc;
/// Times 0, 1 / rate, 2 / rate ... up to the clip's end are looked at, 65,536 at most.
SINEW_API sinew_result sinew_leash_model_from_skeleton(const sinew_leash_skeleton_desc *desc,
                                                       sinew_leash_model **out, sinew_error *error);
/// NULL is allowed.
SINEW_API void sinew_leash_model_destroy(sinew_leash_model *model);

typedef struct sinew_leash_model_info {
    uint32_t joint_count;
    sinew_vec3 bind_center;
    float height;       ///< 0: never leashed
    float largest_step; ///< of the idle clip's centre between neighbours, in heights
    bool trusted;       ///< the largest step is half a height at most
} sinew_leash_model_info;
SINEW_API sinew_leash_model_info sinew_leash_model_get_info(const sinew_leash_model *model);

/// Adds the vertices of a mesh to those that each joint moves most: [vertex_count][influence_count]
/// joints (slots of a skin, whose joints are skin_joints; NULL: joints themselves) and weights. Of
/// equal weights the first counts; a vertex without weight, or whose joint is none, counts nowhere.
SINEW_API void sinew_leash_count_vertices(const uint16_t *joints, const float *weights,
                                          uint32_t influence_count, uint32_t vertex_count,
                                          const uint16_t *skin_joints, uint32_t skin_joint_count,
                                          uint32_t *counts, uint32_t joint_count);
/// The centre of a body. vertex_counts as in the desc.
SINEW_API sinew_vec3 sinew_leash_center_of(const uint32_t *vertex_counts, const sinew_mat4 *draw,
                                           uint32_t joint_count);

// ---- Instances --------------------------------------------------------------------------------------------

/// What an instance remembers: plain data of the caller, set by sinew_leash_init. It survives a
/// change of clip.
typedef struct sinew_leash {
    sinew_vec3 offset; ///< what was taken away last
    float half_life;   ///< seconds; <= 0: the target is taken whole each time
    bool started;      ///< there was a target; the first one is taken whole
} sinew_leash;

/// No offset, and a half-life of 0.05 s.
SINEW_API void sinew_leash_init(sinew_leash *leash);
/// Forgets the offset, for teleports: the next target is taken whole. The half-life stays.
SINEW_API void sinew_leash_reset(sinew_leash *leash);

/// Arguments of sinew_leash_apply. Zero-initialise, then fill.
typedef struct sinew_leash_args {
    const sinew_leash_model *model;
    sinew_leash *leash;
    float limit; ///< how far the centre may be from the bind centre, in heights; <= 0: nothing is
                 ///< done, and the leash keeps what it has
    float dt;    ///< seconds since the last call; <= 0: the target is taken whole
    /// [joint_count] model matrices of the pose, never leashed before: the offset does not add up
    const sinew_mat4 *draw;
    const sinew_mat4 *pivot; ///< [joint_count] what children continue from; NULL, or the same array
                             ///< as draw: there is none beside it
    uint32_t joint_count;    ///< as many as the model has
    sinew_mat4 *out_draw;    ///< [joint_count] may be draw
    sinew_mat4 *out_pivot;   ///< [joint_count] may be pivot; required where there is one
} sinew_leash_args;

/// Moves the offset on and takes it from a pose.
/// Spaces:  draw and pivot in one space, that of the bind matrices (metres, the model's own
/// origin). Result:  where target and offset are both 0 the matrices keep their bits. An offset
/// under 1e-6
///          heights becomes 0. A centre that is not finite leaves the offset as it was. Models that
///          are not trusted or have no height: nothing is done.
/// Errors:  SINEW_ERROR_INVALID_ARGUMENT (a missing pointer, another number of joints).
/// Memory:  allocates nothing. Threads: any, one a leash.
/// Source:  SPEC 10; the same bits on every machine (no fma, one fixed order). Correction and
///          measure have no limit of their rate: such limits lose honest travel.
SINEW_API sinew_result sinew_leash_apply(const sinew_leash_args *args);

#ifdef __cplusplus
}
#endif

#endif
