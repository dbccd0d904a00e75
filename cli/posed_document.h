// SPDX-License-Identifier: MIT
// A document in one pose: made once, with room for everything, then evaluated at any clip and time.
// World matrices of all nodes, morph weights, and the vertices of every instance after morphing and
// skinning.
#ifndef SINEW_CLI_POSED_DOCUMENT_H
#define SINEW_CLI_POSED_DOCUMENT_H

#include "cli/other_clips.h"
#include "cli/posed_gpu.h"
#include "cli/posed_leash.h"
#include "sinew/document.h"
#include "sinew/mesh_binding.h"
#include "sinew/mix_file.h"
#include "sinew/runtime_clip.h"

// World space, file order. NULL where the file has no such attribute.
typedef struct posed_primitive {
    uint32_t vertex_count; // of which `evaluate` does at most the count asked for
    float *positions, *normals, *tangents;
    sinew_mesh_binding *binding; // of the vertices without morphs, or NULL
} posed_primitive;

// An instance of the document, or one copy of it where its node asks for copies.
typedef struct posed_instance {
    const sinew_instance *source;
    const sinew_transform *copy; // NULL: the instance itself
    uint32_t copy_index;
    sinew_mat4 world; // of the node, and of the copy below it
    sinew_skin *skin; // of a skinned one, shared by all that show it
    float *weights;   // [weight_count] morph weights in use
    uint32_t weight_count;
    posed_primitive *primitives; // [primitive_count of the mesh]
} posed_instance;

typedef struct posed_document {
    const sinew_document *document;
    sinew_skeleton *skeleton;  // all nodes of the document
    sinew_mat4 *world;         // [node_count] by document node
    posed_instance *instances; // [instance_count] in the order of the document's
    uint32_t instance_count;
    uint64_t replaced; // joint matrices of the last pose that were not finite

    // what is played, and on what: of the document, unless clips of another file are
    const sinew_document *clips;
    const sinew_skeleton *stage;
    sinew_bind_by by;
    const other_clips *other; // or NULL

    posed_leash *leash; // of poses as they are evaluated; or NULL
    double leash_dt;    // seconds from the last pose to the next one; 0: targets are taken whole

    // what evaluation works with
    sinew_pose pose;
    sinew_mat4 *model; // [node_count] by joint
    sinew_skin **skins;
    sinew_mat3x4 *palette;
    uint32_t palette_room;
    sinew_clip_binding *binding; // of bound_clip
    int32_t bound_clip;          // -1: none
    float *scalars;
    bool runs; // clips are sampled in their compressed form
    sinew_runtime_preset preset;
    sinew_runtime_bytes runtime_bytes; // of bound_clip
    sinew_runtime_clip *runtime;
    sinew_mix *mix; // in the place of clips; or NULL
    void *mix_scratch;
    void *pose_memory;
    bool dual;            // dual quaternions, else linear blends
    bool binds;           // through mesh bindings, else the plain path
    void *kernel_palette; // for either of the two; NULL: neither
    size_t kernel_palette_size;
    float *bound;   // with bindings: a primitive's results in the order of its binding
    posed_gpu *gpu; // moves the vertices in the place of all of these; or NULL
} posed_document;

// Whether an instance moves a primitive by its skin; else by the matrix of its node.
bool posed_is_skinned(const sinew_instance *instance, const sinew_primitive *primitive);
// How many posed instances one of the document makes: its node's copies, else 1.
uint32_t posed_copies(const sinew_document *document, uint32_t instance);

// The document must outlive it. Errors as of sinew_document_skeleton.
sinew_result posed_document_create(const sinew_document *document, posed_document **out,
                                   sinew_error *error);
// From now on skinned primitives go through mesh bindings; results stay in file order. Errors as of
// sinew_mesh_binding_create.
sinew_result posed_document_bind_meshes(posed_document *posed, sinew_error *error);
// From now on skins are blended as dual quaternions, whichever path they take.
sinew_result posed_document_use_dual(posed_document *posed);
// From now on vertices are moved by compute shaders, whole primitives at a time; not together with
// mesh bindings. Errors as of posed_gpu_create.
sinew_result posed_document_use_gpu(posed_document *posed, sinew_error *error);
// From now on clips, also those of a mix, are another file's, which must outlive it. To be called
// before a mix is used.
void posed_document_use_clips(posed_document *posed, const other_clips *other);
// From now on clips are built as runtime clips, and those are sampled.
void posed_document_use_runtime(posed_document *posed, sinew_runtime_preset preset);
// From now on poses are those of a mix file, at the local time that is asked for; morph weights are
// the nodes' own. The error names the place in the file.
sinew_result posed_document_use_mix(posed_document *posed, const char *path, sinew_error *error);
// From now on rigs are leashed to so many of their heights; leash_dt is the caller's. Errors as of
// posed_leash_create.
sinew_result posed_document_use_leash(posed_document *posed, float limit, sinew_error *error);
void posed_document_destroy(posed_document *posed);

// clip: of `clips`; -1: the file's own pose. At most max_vertices of each primitive are done.
sinew_result posed_document_evaluate(posed_document *posed, int32_t clip, double local_time,
                                     uint32_t max_vertices);

// The palette of a skinned instance in the last pose, as sinew_kernel_palette_build or (where dual
// quaternions are used) sinew_dual_palette_build makes it; it holds until the next call.
sinew_result posed_document_kernel_palette(posed_document *posed, const posed_instance *instance,
                                           const void **out);

#endif
