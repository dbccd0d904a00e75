// SPDX-License-Identifier: MIT
/// Documents: what a file holds, as plain read-only data, and the assets made from it.
///
/// A document is one object with one owner; every pointer in it lives until sinew_document_destroy.
/// Clips, skeletons and skins made from it copy what they need, so it can be freed once they are
/// made (its own `clips` go with it). Nothing here reorders vertices. Indices that name nothing are
/// -1.
#ifndef SINEW_DOCUMENT_H
#define SINEW_DOCUMENT_H

#include "sinew/clip.h"
#include "sinew/clip_library.h"
#include "sinew/joint_spring.h"
#include "sinew/skin.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Limits -----------------------------------------------------------------------------------------------

/// What a file may ask for. 0 in any field stands for the value of sinew_import_desc_default:
/// nobody who leaves one out should be open to every file.
typedef struct sinew_import_limits {
    uint64_t file_size; ///< bytes of one file
    /// Bytes for each of four: what the document holds, its clips, the files that it names, and
    /// what reading works with. Codecs have theirs besides.
    uint64_t memory;
    uint32_t json_depth; ///< nested arrays and objects
    uint32_t node_count;
    uint32_t joint_count;  ///< of one skin
    uint64_t vertex_count; ///< of all primitives together
    uint64_t key_count;    ///< of all clips together
} sinew_import_limits;

// ---- What a file holds ------------------------------------------------------------------------------------

typedef struct sinew_scene {
    const char *name;
    const uint32_t *nodes; ///< its roots
    uint32_t node_count;
    const char *extras; ///< JSON text as in the file, or NULL; the same for all `extras`
} sinew_scene;

typedef struct sinew_node {
    const char *name; ///< never NULL, never cut
    int32_t parent;
    const uint32_t *children;
    uint32_t child_count;
    int32_t mesh, skin, camera;
    sinew_transform local; ///< decomposed where the file has a matrix
    sinew_vec3 shear;      ///< what T * R * S cannot hold of a matrix (xy, xz, yz); 0 elsewhere
    bool has_matrix;
    bool in_scene; ///< reached from a root of any scene
    bool hidden;   ///< KHR_node_visibility: it, or a node above it, is not to be drawn
    /// [copy_count] EXT_mesh_gpu_instancing: its mesh is drawn once for each, at the node's world
    /// matrix * the copy's. NULL: once, at the node's. A skin knows no copies.
    const sinew_transform *copies;
    uint32_t copy_count;
    const float *weights; ///< [weight_count] morph weights of the node, or of its mesh; NULL where
                          ///< it has no targets
    uint32_t weight_count;
    const char *extras;
} sinew_node;

typedef enum sinew_topology {
    SINEW_TOPOLOGY_POINTS,
    SINEW_TOPOLOGY_LINES,
    SINEW_TOPOLOGY_LINE_LOOP,
    SINEW_TOPOLOGY_LINE_STRIP,
    SINEW_TOPOLOGY_TRIANGLES,
    SINEW_TOPOLOGY_TRIANGLE_STRIP,
    SINEW_TOPOLOGY_TRIANGLE_FAN
} sinew_topology; ///< numbered as glTF's `mode`

typedef struct sinew_primitive {
    sinew_topology topology;
    uint32_t vertex_count;
    const uint32_t *indices; ///< NULL: vertices in order
    uint32_t index_count;
    const float
        *positions; ///< [vertex_count][3], NULL where the file has none (vertex_count is then 0)
    const float *normals;    ///< [vertex_count][3] or NULL
    const float *tangents;   ///< [vertex_count][4] or NULL
    const float *const *uvs; ///< [uv_count] of [vertex_count][2]
    uint32_t uv_count;
    const float *const
        *colors; ///< [color_count] of [vertex_count][4], linear; alpha 1 where the file has none
    uint32_t color_count;
    /// Influences of all sets, merged, sorted by falling weight, summing to 1, padded with joint 0
    /// and weight 0: [vertex_count][influence_count]. influence_count 0: none. Joints are slots of
    /// the skin.
    const uint16_t *joints;
    const float *weights;
    uint32_t influence_count;
    uint32_t file_influence_count; ///< most non-zero influences of a vertex as the file has them,
                                   ///< before merging
    const sinew_morph_target *targets;
    uint32_t target_count;
    int32_t material;
    const char *extras;
} sinew_primitive;

typedef struct sinew_mesh {
    const char *name;
    const sinew_primitive
        *primitives; ///< index as in the file; one without positions has vertex_count 0
    uint32_t primitive_count;
    uint32_t target_count; ///< morph targets (the most of its primitives)
    const float *weights;  ///< [target_count] default morph weights
    const char *extras;
} sinew_mesh;

typedef struct sinew_document_skin {
    const char *name;
    const uint32_t *joints; ///< [joint_count] document nodes: slot -> node
    uint32_t joint_count;
    const sinew_mat4
        *inverse_binds;     ///< [joint_count], never NULL; identities where the file has none
    bool has_inverse_binds; ///< the file has them
    int32_t skeleton;       ///< the file's hint, which never changes a result
    const char *extras;
} sinew_document_skin;

typedef struct sinew_image {
    const char *name;
    const char *mime_type; ///< "" where unknown
    const char *uri;       ///< decoded; NULL for embedded images
    const uint8_t
        *bytes; ///< the encoded picture; NULL where it could not be read (a finding says so)
    size_t size;
} sinew_image;

/// A texture with its sampler; wrap modes and filters are glTF's (GL's) numbers, 0 where not given.
typedef struct sinew_texture {
    const char *name;
    int32_t image;
    uint32_t wrap_s, wrap_t, min_filter, mag_filter;
} sinew_texture;

/// A texture as a material uses it. texture -1: none.
typedef struct sinew_texture_use {
    int32_t texture;
    uint32_t uv;       ///< which of the primitive's uvs
    float scale;       ///< normal scale or occlusion strength, 1 elsewhere
    sinew_vec2 offset; ///< KHR_texture_transform
    float rotation;
    sinew_vec2 tiling; ///< its `scale`
} sinew_texture_use;

typedef enum sinew_alpha_mode {
    SINEW_ALPHA_OPAQUE,
    SINEW_ALPHA_MASK,
    SINEW_ALPHA_BLEND
} sinew_alpha_mode;

typedef struct sinew_material {
    const char *name;
    sinew_vec4 base_color; ///< linear, 1 1 1 1 unless given
    float metallic, roughness;
    sinew_vec3 emissive;
    sinew_texture_use base_color_texture, metallic_roughness_texture, normal_texture,
        occlusion_texture, emissive_texture;
    sinew_alpha_mode alpha_mode;
    float alpha_cutoff;
    bool double_sided, unlit;
    bool additive; ///< `"additive": true` in the file's extras: added to what is drawn, after all
                   ///< else, without a shadow; not drawn without a base colour texture (SPEC 11)
    const char *extras;
} sinew_material;

typedef struct sinew_camera {
    const char *name;
    bool perspective;
    float yfov, aspect; ///< aspect 0: the viewport's
    float xmag, ymag;   ///< orthographic
    float znear, zfar;  ///< zfar 0: none
} sinew_camera;

/// A mesh shown by a node of a scene.
typedef struct sinew_instance {
    uint32_t node, mesh;
    int32_t skin;         ///< the node's skin as the file has it
    bool skinned;         ///< it has a skin and at least one primitive with influences
    bool hidden;          ///< the node is
    sinew_skin_rest rest; ///< of a skinned one, with B = 1; kind NO elsewhere
} sinew_instance;

/// A bone of a humanoid avatar (VRM 0.x, VRM 1.0) or of a motion for such (VRM animation).
typedef struct sinew_human_bone {
    const char *bone; ///< by VRM 1.0's vocabulary: "hips", "leftUpperArm", "leftThumbMetacarpal"
    const char *file_bone; ///< as in the file: VRM 0.x counts the joints of a thumb otherwise
    uint32_t node;
} sinew_human_bone;

/// A sphere or capsule that swinging joints stay out of (VRM), in the space of its node.
typedef struct sinew_document_collider {
    uint32_t node;
    sinew_vec3 offset;
    bool is_capsule;
    sinew_vec3 tail; ///< of a capsule
    float radius;
} sinew_document_collider;

/// A node that swings; numbers as in sinew_spring_link.
typedef struct sinew_document_spring_link {
    uint32_t node;
    float stiffness, drag, gravity, radius;
    sinew_vec3 gravity_direction;
} sinew_document_spring_link;

/// A chain of nodes that swing: a spring of VRM 1.0 (VRMC_springBone), or a path from a root of VRM
/// 0.x (secondaryAnimation) down to a leaf; what branches off is a chain of its own, behind it.
typedef struct sinew_document_spring {
    const char *name;
    const sinew_document_spring_link *links; ///< [link_count] each node below the one before
    uint32_t link_count;
    int32_t end;    ///< the node where the last link's bone ends; -1: its first child, or 7 cm on
    int32_t center; ///< node; -1: none
    const uint16_t *colliders; ///< [collider_count] indices into spring_colliders
    uint32_t collider_count;
} sinew_document_spring;

/// A rig: skin joints and all their ancestors (SPEC 1), or all animated nodes and theirs where
/// there are no skins.
typedef struct sinew_rig {
    const char *name; ///< of its first root
    const uint32_t
        *nodes; ///< [node_count] ascending document nodes: what sinew_document_rig_skeleton takes
    uint32_t node_count;
    const uint32_t *skins; ///< [skin_count] the skins it unites
    uint32_t skin_count;
} sinew_rig;

typedef struct sinew_document {
    const char *file;   ///< as given to the importer, for messages
    const char *format; ///< "gltf", "glb", ...
    const char *generator, *copyright;
    const char *extras;
    const sinew_scene *scenes;
    uint32_t scene_count;
    int32_t default_scene;
    const sinew_node *nodes;
    uint32_t node_count;
    const sinew_mesh *meshes;
    uint32_t mesh_count;
    const sinew_document_skin *skins;
    uint32_t skin_count;
    const sinew_material *materials;
    uint32_t material_count;
    const sinew_texture *textures;
    uint32_t texture_count;
    const sinew_image *images;
    uint32_t image_count;
    const sinew_camera *cameras;
    uint32_t camera_count;
    const sinew_clip *const
        *clips; ///< one per animation, in file order, names made unique by _2, _3, ...
    const char *const *clip_names;       ///< [clip_count] names as in the file, "" where missing
    const uint32_t *clip_channel_counts; ///< [clip_count] channels as in the file
    uint32_t clip_count;
    const sinew_instance *instances; ///< by ascending node: nodes with a mesh, in any scene
    uint32_t instance_count;
    const sinew_rig *rigs;
    uint32_t rig_count;
    const char *humanoid; ///< "VRM 0", "VRM 1" or "VRMA 1"; NULL where the file has none
    const sinew_human_bone *human_bones; ///< in the order of the file, each bone once
    uint32_t human_bone_count;
    const sinew_document_spring *springs; ///< chains of joints that swing (VRM)
    uint32_t spring_count;
    const sinew_document_collider *spring_colliders;
    uint32_t spring_collider_count;
    const sinew_finding *findings; ///< in file order of their places
    uint32_t finding_count;
} sinew_document;

SINEW_API void sinew_document_destroy(sinew_document *document);

/// A node at the identity without mesh, skin or camera, and glTF's default material (white, opaque,
/// without textures): what to start from when building in code.
SINEW_API sinew_node sinew_node_default(void);
SINEW_API sinew_material sinew_material_default(void);

/// Makes a document of data built in code: everything of `parts` is copied (clips too), then
/// instances, rigs, parents' in_scene flags and clip name suffixes are worked out as for a file,
/// and tracks get the names of their nodes. In `parts`, the fields instances, rigs and findings are
/// ignored; a node's parent follows from `children`; strings may be NULL. Errors:
/// SINEW_ERROR_INDEX_RANGE, SINEW_ERROR_NODE_CYCLE, SINEW_ERROR_NODE_TWO_PARENTS,
/// SINEW_ERROR_VERTEX_JOINT_RANGE,
///         SINEW_ERROR_NOT_FINITE, SINEW_ERROR_ZERO_QUATERNION; the error's path names the place.
SINEW_API sinew_result sinew_document_create(const sinew_document *parts,
                                             const sinew_allocator *allocator, sinew_document **out,
                                             sinew_error *error);

// ---- Assets -----------------------------------------------------------------------------------------------

/// The skeleton of a rig. Errors: SINEW_ERROR_NOT_FOUND (no such rig), and those of
/// sinew_skeleton_create.
SINEW_API sinew_result sinew_document_rig_skeleton(const sinew_document *document, uint32_t rig,
                                                   const sinew_allocator *allocator,
                                                   sinew_skeleton **out, sinew_error *error);
/// All nodes of the document as one skeleton: what whole-file work uses.
SINEW_API sinew_result sinew_document_skeleton(const sinew_document *document,
                                               const sinew_allocator *allocator,
                                               sinew_skeleton **out, sinew_error *error);
/// A skin of the document on a skeleton of it (a rig's or the whole one).
/// Errors: SINEW_ERROR_NOT_FOUND where there is no such skin, or a joint of it is no joint of the
/// skeleton.
SINEW_API sinew_result sinew_document_make_skin(const sinew_document *document, uint32_t skin,
                                                const sinew_skeleton *skeleton,
                                                const sinew_allocator *allocator, sinew_skin **out,
                                                sinew_error *error);
/// The clip of a name (the first of equal ones), by unique name and then by the file's; -1 where
/// there is none.
SINEW_API int32_t sinew_document_find_clip(const sinew_document *document, const char *name);
/// Takes a document's clips into a library, which copies them: the document may be destroyed at
/// once. `prefix` comes before each name; prefix, out_report and error may be NULL. The rest is
/// sinew_clip_library_read's.
SINEW_API sinew_result sinew_clip_library_read_document(sinew_clip_library *library,
                                                        const sinew_document *document,
                                                        const char *prefix,
                                                        sinew_clip_read_report *out_report,
                                                        sinew_error *error);
/// The node of a humanoid's bone, by VRM 1.0's name for it; -1 where there is none.
SINEW_API int32_t sinew_document_find_human_bone(const sinew_document *document, const char *bone);
/// The document's springs for a skeleton of it: chains are cut where a node is no joint, colliders
/// of such nodes are left out. Errors: SINEW_ERROR_NOT_FOUND where nothing is left to swing, those
/// of sinew_joint_springs_create.
SINEW_API sinew_result sinew_document_make_joint_springs(const sinew_document *document,
                                                         const sinew_skeleton *skeleton,
                                                         const sinew_allocator *allocator,
                                                         sinew_joint_springs **out,
                                                         sinew_error *error);
/// Bounds of an instance's mesh under its skin: of those primitives that have influences; the rest
/// of the mesh is moved by its node. An instance that is not skinned has none: its box under a
/// matrix is sinew_box_transform's.
/// Errors: SINEW_ERROR_NOT_FOUND (no such instance, or it is not skinned), _OUT_OF_MEMORY.
SINEW_API sinew_result sinew_document_make_bounds(const sinew_document *document, uint32_t instance,
                                                  const sinew_allocator *allocator,
                                                  sinew_skin_bounds **out, sinew_error *error);
/// The length of the path of the rig's first root over one round of a clip, metres.
SINEW_API double sinew_document_root_travel(const sinew_document *document, uint32_t rig,
                                            uint32_t clip);

#ifdef __cplusplus
}
#endif

#endif
