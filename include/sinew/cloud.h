// SPDX-License-Identifier: MIT
/// Clouds: loose points that follow a skeleton. Particles, splats, hair roots, anything made by
/// code that knows no skeleton: which joints move a point is worked out from where it lies.
///
///     binding   which joints move each point, and how much; made once. Immutable.
///     body      a binding with its points, in an order that kernels like. Immutable.
///     springs   what carries points to where they should be (sinew/spring.h); one a character.
///
///     sinew_cloud_binding_desc desc = sinew_cloud_binding_desc_default();
///     desc.skeleton = skeleton;
///     desc.positions = points, desc.point_count = count, desc.falloff = 0.1f;
///     sinew_cloud_binding_create(&desc, &binding, &error);
///     sinew_cloud_make_skin(skeleton, NULL, NULL, &skin, &error); // a palette has all joints
///     ...
///     sinew_palette_build(...);                                   // as for meshes
///     sinew_cloud_pose(&(sinew_cloud_pose_args){.binding = binding, .palette = palette, ...});
///
/// Points are bound in model space: where the skeleton stands at binding, in metres. Joints are
/// those of the skeleton, and palettes hold one matrix for each of them, in its order.
///
/// Source: SPEC 13.
#ifndef SINEW_CLOUD_H
#define SINEW_CLOUD_H

#include "sinew/mesh_binding.h"
#include "sinew/spring.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SINEW_CLOUD_MAX_INFLUENCES = 4 };

/// The group of a point that belongs to none.
#define SINEW_CLOUD_NO_GROUP UINT32_MAX

typedef struct sinew_cloud_binding sinew_cloud_binding;

/// Joints that the points of a group may follow: a strap across the arm stays with the chest.
typedef struct sinew_cloud_group {
    const uint16_t *joints; ///< [joint_count] in any order; those past the skeleton do not count
    uint32_t joint_count;
} sinew_cloud_group;

/// How far a joint is from a point.
typedef enum sinew_cloud_way {
    SINEW_CLOUD_NEAREST,   ///< through the air
    SINEW_CLOUD_ALONG_BODY ///< through what the points fill: a finger does not take the thigh that
                           ///< it rests on
} sinew_cloud_way;

/// Zero-initialise, or take the default, then fill.
typedef struct sinew_cloud_binding_desc {
    const sinew_skeleton *skeleton;
    const sinew_mat4 *model; ///< [joint count] where joints stand at binding; NULL: at rest
    uint32_t point_count;
    const float *positions; ///< x y z, model space
    size_t position_stride; ///< 0: tightly packed
    /// Metres over which two joints share a point. 0, below, or not finite: the nearest alone.
    float falloff;
    uint32_t influence_count;     ///< 1 to 4; 0: 2
    const uint32_t *point_groups; ///< [point_count] an index into groups; NULL: none has a group.
                                  ///< Indices past group_count are no group
    const sinew_cloud_group *groups; ///< [group_count]; one without any joint counts as none
    uint32_t group_count;
    sinew_cloud_way way;
    /// Along the body: edge of a voxel in metres. What lies further apart than two of them is
    /// apart; points must lie closer together than one. 0: a 128th of the cloud's longest side, or
    /// so much more that a filled voxel holds four points
    float voxel_size;
    int32_t smoothing; ///< along the body: how often weights are averaged with those around; 0: 2
                       ///< times, below 0: not at all
    const sinew_parallel *parallel; ///< NULL: this thread. The result does not depend on it
    sinew_allocator allocator;
} sinew_cloud_binding_desc;

SINEW_API sinew_cloud_binding_desc sinew_cloud_binding_desc_default(void);

/// Binds each point to the joints that are nearest. A joint is as far as the nearest of its
/// segments: from its origin to each child's; a joint without children has a stub, which goes on
/// from its parent's direction for 0.45 of the way from there (of 1 mm at least; straight up where
/// there is no direction, and 0.45 m long where there is no parent). Segments shorter than 3e-5 m
/// are points.
///
/// With distances d1 <= d2 <= ... of distinct joints (of equal ones the lower joint comes first):
///     k_i = clamp(1 - (d_i - d1) / falloff, 0, 1)
///     two joints:  w2 = k2^2 / 2, w1 = 1 - w2
///     more:        w_i = u_i w1, u_i = (k_i^2 / 2) / (1 - k_i^2 / 2), w1 = 1 / (1 + sum u_i)
/// Where there are fewer joints than influences the last slots repeat the first joint with weight
/// 0. A skeleton without joints gives joint 0, weight 1.
///
/// Along the body, distances are paths through voxels: those that hold points, and what they
/// enclose. A path begins at a segment's own voxels and goes to the 26 around each; d is its
/// length. A segment that lies in the air as a whole (in a sleeve, in a body whose points leave
/// gaps) reaches the voxels with points that are nearest to each piece of it straight. Weights
/// follow by the same formula in every voxel, are averaged with those of the voxels around, and are
/// read between voxels for each point; the largest are kept and made to sum to 1. Points in voxels
/// that no joint reaches are bound to the nearest joints, as are those of groups whose joints do
/// not reach them.
///
/// The same bits on every machine and for any number of threads.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT (NULL; more than 4 influences), _NOT_FINITE (a position, or
///         where a joint stands; the error's path names it), _OUT_OF_MEMORY.
/// Speed:  every point is measured against every segment, sixteen at a time: 50 ns a point with 64
///         joints, on one thread (`sinew bench --filter clouds`).
SINEW_API sinew_result sinew_cloud_binding_create(const sinew_cloud_binding_desc *desc,
                                                  sinew_cloud_binding **out, sinew_error *error);

/// A binding that is given. Zero-initialise, then fill.
typedef struct sinew_cloud_explicit_desc {
    uint32_t point_count;
    uint32_t joint_count;     ///< of the skeleton
    uint32_t influence_count; ///< 1 to 4
    const uint16_t *joints;   ///< [point_count][influence_count], below joint_count where they have
                              ///< weight
    const float *weights;     ///< the same; NULL with one influence: all 1 (rigid)
    sinew_allocator allocator;
} sinew_cloud_explicit_desc;

/// Takes a binding as it is: weights below 0, or not finite, count as 0; sums are made 1, and where
/// a sum is 1e-6 or less the point follows its first joint.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT, SINEW_ERROR_VERTEX_JOINT_RANGE (the error's path names the
///         point), _OUT_OF_MEMORY.
SINEW_API sinew_result sinew_cloud_binding_create_explicit(const sinew_cloud_explicit_desc *desc,
                                                           sinew_cloud_binding **out,
                                                           sinew_error *error);
/// All points on one joint: the same as an explicit one. Errors: SINEW_ERROR_INVALID_ARGUMENT (a
/// joint past joint_count), _OUT_OF_MEMORY.
SINEW_API sinew_result sinew_cloud_binding_create_rigid(uint32_t point_count, uint32_t joint_count,
                                                        uint16_t joint,
                                                        const sinew_allocator *allocator,
                                                        sinew_cloud_binding **out,
                                                        sinew_error *error);
SINEW_API void sinew_cloud_binding_destroy(sinew_cloud_binding *binding); ///< NULL is allowed

typedef struct sinew_cloud_binding_info {
    uint32_t point_count, joint_count, influence_count;
    const uint16_t *joints;    ///< [point_count][influence_count]
    const float *weights;      ///< [point_count][influence_count] each point's sum to 1
    const uint16_t *dominant;  ///< [point_count] the heaviest joint: another than the first only
                               ///< where it is strictly heavier
    uint32_t used_joint_count; ///< how many joints have weight on any point
    uint32_t highest_joint;    ///< the highest that has weight
} sinew_cloud_binding_info;

SINEW_API sinew_cloud_binding_info sinew_cloud_binding_get_info(const sinew_cloud_binding *binding);

/// Weights as colours: each joint has a colour of its own (its hue turns by the golden angle from
/// joint to joint, so that neighbours differ), mixed by weight: linear r g b, 0 to 1.
/// Shapes: out [point count][3]; out_size is how many points it holds.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT, _BUFFER_TOO_SMALL.
SINEW_API sinew_result sinew_cloud_binding_colors(const sinew_cloud_binding *binding, float *out,
                                                  size_t out_size);

/// A skin of all joints of a skeleton, slot by joint, for the palettes of clouds. `model` as in
/// sinew_cloud_binding_desc. Errors: those of sinew_skin_create, SINEW_ERROR_SINGULAR_MATRIX.
SINEW_API sinew_result sinew_cloud_make_skin(const sinew_skeleton *skeleton,
                                             const sinew_mat4 *model,
                                             const sinew_allocator *allocator, sinew_skin **out,
                                             sinew_error *error);

// ---- A frame ----------------------------------------------------------------------------------------------

/// Arguments of sinew_cloud_pose. Zero-initialise, then fill. Strides of 0 mean tightly packed;
/// bytes of a stride outside the written fields keep their values.
typedef struct sinew_cloud_pose_args {
    const sinew_cloud_binding *binding;
    const sinew_mat3x4 *palette; ///< [palette_count] M, one a joint
    uint32_t palette_count;
    const sinew_mat3x4 *center; ///< C of the same build; NULL: zero

    uint32_t first_point; ///< the range to do; arrays are indexed from their own start
    uint32_t point_count; ///< how many from there: fewer, or more, than are bound

    const float *positions; ///< required
    size_t position_stride;
    const float *normals; ///< x y z, or NULL
    size_t normal_stride;
    const float *rotations; ///< x y z w of each point's own frame (a splat's), or NULL
    size_t rotation_stride;
    const float *scales; ///< x y z of it, or NULL
    size_t scale_stride;

    float *out_positions; ///< may be `positions` with the same stride; the same for the others
    size_t out_position_stride;
    float *out_normals;
    size_t out_normal_stride;
    float *out_rotations;
    size_t out_rotation_stride;
    float *out_scales;
    size_t out_scale_stride;
    size_t out_size; ///< points that each out buffer holds; at least first_point + point_count
} sinew_cloud_pose_args;

/// Moves points:  v' = C v + (sum_i w_i (M_i - C)) v
/// Weights:   a joint past the palette is passed over and the others' weights are made to sum to 1;
///            where 1e-6 or less is left the point stays where it is, normal and frame too. The
///            dominant joint is then the heaviest of the others. Points past the binding are
///            copied.
/// Normals:   by the dominant joint's cofactors, of which the largest is made 1, at unit length;
///            one that comes out with a square of 1e-12 or less is kept.
/// Frames:    rotations are turned by the dominant joint's rotation: its matrix without scale and
///            shear (x axis first), of a mirror with the x axis turned round; none where the matrix
///            is singular. Scales grow by the cube root of its determinant's size.
/// Rest:      where all M are bit-equal to C, C v to the last bit; where C is the identity normals
///            and frames keep their bits, too.
/// Errors:    SINEW_ERROR_INVALID_ARGUMENT, SINEW_ERROR_BUFFER_TOO_SMALL.
/// Memory:    allocates nothing. Threads: any; ranges may be done apart, the bits are the same.
/// Bits:      positions as of sinew_skin_vertices.
SINEW_API sinew_result sinew_cloud_pose(const sinew_cloud_pose_args *args);

// ---- Points on a surface ----------------------------------------------------------------------------------

typedef struct sinew_surface_binding sinew_surface_binding; ///< immutable, one block of memory

/// Zero-initialise, then fill. Strides of 0 mean tightly packed.
typedef struct sinew_surface_binding_desc {
    const float *vertices; ///< [vertex_count] x y z of a mesh, where the points lie about it
    size_t vertex_stride;
    uint32_t vertex_count;
    const uint32_t *indices; ///< [index_count] triangles: three each
    uint32_t index_count;
    const float *positions; ///< [point_count] x y z
    size_t position_stride;
    uint32_t point_count;
    const sinew_parallel *parallel; ///< NULL: this thread. The result does not depend on it
    sinew_allocator allocator;
} sinew_surface_binding_desc;

/// Binds each point to the triangle of a mesh that is nearest (of equal ones to the first), by the
/// place on it in barycentric coordinates and the height over it: hairs, feathers, wet spots,
/// splats of a skin. The mesh may be moved by anything: skins, morphs, cloth. Errors:
/// SINEW_ERROR_INVALID_ARGUMENT, _INDEX_RANGE (the error's path names the index),
///         _NOT_FINITE (the vertex or point), _NOT_FOUND (no triangle), _OUT_OF_MEMORY.
/// Speed:  a grid of triangles; some 4 us a point on a mesh of 15,000.
SINEW_API sinew_result sinew_surface_binding_create(const sinew_surface_binding_desc *desc,
                                                    sinew_surface_binding **out,
                                                    sinew_error *error);
SINEW_API void sinew_surface_binding_destroy(sinew_surface_binding *binding); ///< NULL is allowed

typedef struct sinew_surface_binding_info {
    uint32_t point_count, vertex_count;
    const uint32_t *corners;   ///< [point_count][3] vertices of each point's triangle
    const uint32_t *triangles; ///< [point_count] which one it is
    const float *shares;       ///< [point_count][3] barycentric: 0 to 1, sums of 1
    const float *heights; ///< [point_count] along the triangle's normal (counter-clockwise seen
                          ///< from above); of points beside all triangles the way that is square
                          ///< to the nearest
} sinew_surface_binding_info;

SINEW_API sinew_surface_binding_info
sinew_surface_binding_get_info(const sinew_surface_binding *binding);

/// Arguments of sinew_surface_pose. Zero-initialise, then fill. Strides of 0 mean tightly packed.
typedef struct sinew_surface_pose_args {
    const sinew_surface_binding *binding;
    const float *vertices; ///< [vertex_count] of the mesh now: out_positions of the skin
    size_t vertex_stride;
    uint32_t vertex_count;
    uint32_t first_point, point_count; ///< the range to do; a count of 0: to the end
    bool flat;                         ///< heights count as 0: points lie on the surface
    float *out_positions;
    size_t out_position_stride;
    float *out_normals; ///< of the triangles, at unit length (+Y where one has no area); or NULL
    size_t out_normal_stride;
    size_t out_size; ///< points that each out buffer holds
} sinew_surface_pose_args;

/// Puts points on the surface as it is now: s0 v0 + s1 v1 + s2 v2 + height n. With height 0 the
/// point of the surface itself, in the same tick, to rounding. Errors:
/// SINEW_ERROR_INVALID_ARGUMENT, _BUFFER_TOO_SMALL. Memory: allocates nothing. Threads: any.
SINEW_API sinew_result sinew_surface_pose(const sinew_surface_pose_args *args);

// ---- Bodies: a cloud in the kernels' order ----------------------------------------------------------------

typedef struct sinew_cloud_body sinew_cloud_body;

/// Zero-initialise, then fill.
typedef struct sinew_cloud_body_desc {
    const sinew_cloud_binding *binding; ///< not needed afterwards
    const float *positions;             ///< [point count] where the points were bound
    size_t position_stride;             ///< 0: tightly packed
    /// [point count] x y z, of any length; NULL: the body has none. Those without a direction (not
    /// finite, or a square of 1e-12 or less) come out as 0
    const float *normals;
    size_t normal_stride;
    /// [point count] which kind of spring each point is of; points of one kind stand together in
    /// the body. NULL: all are of kind 0
    const uint8_t *kinds;
    sinew_weight_storage storage; ///< of weights, as in sinew_mesh_binding_desc
    float max_error, motion;
    sinew_allocator allocator;
} sinew_cloud_body_desc;

/// Sorts the points of a cloud so that sixteen that follow the same joints stand together, kind by
/// kind: what sinew_mesh_binding does for vertices. Renderers of loose points seldom care for their
/// order; those that do have the map.
/// Errors: those of sinew_mesh_binding_create.
SINEW_API sinew_result sinew_cloud_body_create(const sinew_cloud_body_desc *desc,
                                               sinew_cloud_body **out, sinew_error *error);
SINEW_API void sinew_cloud_body_destroy(sinew_cloud_body *body); ///< NULL is allowed

typedef struct sinew_cloud_body_info {
    uint32_t point_count;
    uint32_t joint_count;
    const uint32_t *cloud_from_body; ///< [point_count] a point of the body -> of the cloud
    const sinew_spring_run *runs;    ///< [run_count] kinds, for sinew_springs_step
    uint32_t run_count;
    bool has_normals;
    double mean_joints; ///< of sixteen points
    size_t size;        ///< bytes
} sinew_cloud_body_info;

SINEW_API sinew_cloud_body_info sinew_cloud_body_get_info(const sinew_cloud_body *body);

/// Arguments of sinew_cloud_body_step. Zero-initialise, then fill.
typedef struct sinew_cloud_step_args {
    const sinew_cloud_body *body;
    /// Of sinew_kernel_palette_build, for at least the binding's joints.
    const void *kernel_palette;
    sinew_springs *springs; ///< of as many points; NULL: points are where the pose puts them
    const sinew_spring_step *steps; ///< [step_count] one for each kind
    uint32_t step_count;
    float *out_positions; ///< [point count] in the body's order; may be NULL with springs, whose
                          ///< positions are the same
    size_t out_position_stride;
    float *out_normals; ///< [point count] in the body's order, where the body has some; or NULL
    size_t out_normal_stride;
    size_t out_size;    ///< points that each out buffer holds
    uint32_t *out_lost; ///< targets that were not finite; or NULL
    const sinew_parallel *parallel;
} sinew_cloud_step_args;

/// Poses a body and moves its springs in one pass over memory: a few hundred points at a time are
/// posed into the first cache, and sprung from there. The bits of posing all, then springing all.
/// Normals: those of the pose, whatever springs do: turned by the dominant joint, as
/// sinew_cloud_pose
///          does it but through kernels. Where no axis of a joint is scaled to a tenth of another
///          they are within 1e-5 of its normals, and at rest of what they were.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT (also fewer steps than kinds),
/// SINEW_ERROR_BUFFER_TOO_SMALL. Memory: allocates nothing. Threads: one a springs state; results
/// do not depend on `parallel`.
SINEW_API sinew_result sinew_cloud_body_step(const sinew_cloud_step_args *args);

#ifdef __cplusplus
}
#endif

#endif
