// SPDX-License-Identifier: MIT
// What the files of the glTF reader share: the reader itself, typed access to JSON with errors that
// name the place, findings, bytes and accessors.
//
//     gltf_load.c       a path or callbacks -> bytes; GLB container; order of work
//     gltf_json.c       typed members, errors with their place
//     gltf_findings.c   findings, one a code and place, in the order of the file
//     gltf_buffer.c     buffers, views, data URIs, the rule for URIs, images
//     gltf_extensions.c which extensions are read
//     gltf_meshopt.c    views that are compressed (EXT_meshopt_compression)
//     gltf_draco.c      primitives that are compressed (KHR_draco_mesh_compression)
//     gltf_accessor.c   accessors: any type, stride, sparse
//     gltf_mesh.c       meshes, morph targets
//     gltf_influences.c joints and weights of a primitive, all sets merged
//     gltf_skin.c       skins
//     gltf_copies.c     copies of a node's mesh (EXT_mesh_gpu_instancing)
//     gltf_humanoid.c   bones of avatars (VRM)
//     gltf_scene.c      scenes, nodes, materials, cameras
//     gltf_animation.c  channels -> tracks -> clips
#ifndef SINEW_IMPORT_GLTF_GLTF_INTERNAL_H
#define SINEW_IMPORT_GLTF_GLTF_INTERNAL_H

#include "core/json.h"
#include "import/document_internal.h"
#include "sinew/gltf.h"

typedef struct gltf_bytes {
    const uint8_t *data;
    size_t size;
    bool is_kept; // they lie in the reader's `files`, so that the document may point at them
} gltf_bytes;

/// A view whose range has been checked.
typedef struct gltf_view {
    gltf_bytes bytes;    // unpacked where the file has them compressed
    const char *stream;  // the extension whose compressed stream alone holds the data, and no codec
                         // unpacks it: bytes.data is NULL then
    const char *why_not; // why no codec does
} gltf_view;

/// A buffer. One that is a fallback of compressed views is read when somebody wants its bytes.
typedef struct gltf_buffer {
    gltf_bytes bytes;         // size is byteLength, even where there is no data
    bool is_read, is_missing; // is_missing: it has no uri, and no binary chunk either
    bool is_unpacked_to;      // a view of it is compressed: that explains a missing one
} gltf_buffer;

/// An accessor whose ranges have been checked: reading below `count` is safe.
///
///     element:  | column 0: rows components, padding | column 1 ... |     a vector is one column
typedef struct gltf_accessor {
    const uint8_t *data; // NULL: zeros
    bool is_kept;        // as of gltf_bytes
    size_t stride;
    uint32_t count;
    uint32_t component; // 5120 ... 5126
    uint32_t width;     // components an element, padding left out
    uint32_t rows, column_size;
    bool is_matrix, normalized;
    bool strided;        // its view has a byteStride
    uint32_t draco_view; // 1 + the view whose Draco stream it was unpacked from
    const uint8_t *sparse_indices, *sparse_values;
    uint32_t sparse_count, sparse_component;
    const gltf_view *stream; // a view whose data only a compressed stream holds: it cannot be read
} gltf_accessor;

/// The numbers of an accessor as they stand in the document: read once, shared by all that name it.
typedef struct gltf_shared {
    const float *values; // NULL: not read yet
    uint64_t cleared;    // elements that held a NaN or an infinity
} gltf_shared;

/// The indices of an accessor, read once for all primitives that name it.
typedef struct gltf_shared_indices {
    const uint32_t *values; // NULL: not read yet
    uint32_t below;         // all are below this; 0: not known
} gltf_shared_indices;

/// A finding while reading: `place` is 1 + the byte of its JSON value, 0 for the file as a whole.
typedef struct gltf_finding {
    sinew_finding finding;
    uint64_t place;
    uint32_t order;
} gltf_finding;

typedef struct gltf_reader {
    const sinew_import_desc *desc;
    sinew_import_limits limits; // no zeros left
    const char *file;
    sinewi_json json;
    uint64_t json_offset; // of the JSON in the file
    const sinewi_json_value *root;
    sinewi_arena scratch; // lives as long as the reading
    sinewi_arena files;   // what was read or unpacked; lives on with the document if it shares it
    bool shares_files;    // the document points into `files`
    sinewi_document *document;
    sinew_document *view;
    sinew_error *error;
    sinew_result result; // the first failure
    gltf_bytes glb_binary;
    bool has_glb_binary, is_glb;
    bool keeps_file; // the whole file lies in `files`

    const sinewi_json_value **buffer_values, **view_values, **accessor_values;
    gltf_buffer *buffers;
    gltf_view *views;
    uint32_t buffer_count, view_count, accessor_count;
    const sinewi_json_value **node_values, **skin_values;
    uint32_t node_count, skin_count;
    int32_t *node_parents; // [node_count] -1: none; once nodes have been read
    gltf_accessor *accessors;
    gltf_shared *shared, *shared_colors;        // [accessor_count]; colours have 4 components
    gltf_shared_indices *shared_indices;        // [accessor_count]
    struct gltf_influences **shared_influences; // [accessor_count] by JOINTS_0; gltf_influences.c
    uint64_t vertices_left, keys_left;
    uint64_t clip_bytes_left; // clips have memory of their own

    gltf_finding *findings;
    uint32_t finding_count, finding_capacity;
    uint32_t *finding_slots; // open addressing by code and place, 1 + index; a power of two, at
                             // most half full
} gltf_reader;

// ---- gltf_json.c ------------------------------------------------------------------------------------------

/// Records a failure at a place; always false. The first one stays.
bool sinewi_gltf_fail(gltf_reader *r, const sinewi_json_value *place, sinew_result code,
                      const char *format, ...) SINEWI_PRINTF(4, 5);
/// No memory, or more than the limit.
bool sinewi_gltf_no_memory(gltf_reader *r);
/// What glTF forbids but changes nothing: a failure with this code under `strict`, else the finding
/// SINEW_RULE_BROKEN. A second one at the same place says nothing new.
bool sinewi_gltf_forbid(gltf_reader *r, const sinewi_json_value *place, sinew_result code,
                        const char *format, ...) SINEWI_PRINTF(4, 5);

// Counts are 64 bits wide, so that products of what a file says are checked where size_t has 32.
void *sinewi_gltf_alloc(gltf_reader *r, uint64_t count,
                        size_t size); // in the document; NULL has failed the reader
/// The same, not cleared: for what is written whole at once.
void *sinewi_gltf_room(gltf_reader *r, uint64_t count, size_t size);
void *sinewi_gltf_scratch(gltf_reader *r, uint64_t count, size_t size); // until the end of reading
/// In `files`, not cleared.
void *sinewi_gltf_file_room(gltf_reader *r, uint64_t count, size_t size);

/// A member that must have a type where it is there. False on a wrong type; *out NULL where it is
/// missing.
bool sinewi_gltf_member(gltf_reader *r, const sinewi_json_value *object, const char *key,
                        sinewi_json_type type, const sinewi_json_value **out);
/// A whole number in [0, limit). `fallback` where it is missing.
bool sinewi_gltf_whole(gltf_reader *r, const sinewi_json_value *object, const char *key,
                       uint64_t limit, uint64_t fallback, uint64_t *out);
/// An index into something of which there are `count` (`what`, in the plural); -1 where it is
/// missing.
bool sinewi_gltf_index(gltf_reader *r, const sinewi_json_value *object, const char *key,
                       uint32_t count, const char *what, int32_t *out);
/// An index as a value itself.
bool sinewi_gltf_index_value(gltf_reader *r, const sinewi_json_value *v, uint32_t count,
                             const char *what, uint32_t *out);
/// An array of indices, copied into the document; none where it is missing.
bool sinewi_gltf_index_array(gltf_reader *r, const sinewi_json_value *object, const char *key,
                             uint32_t count, const char *what, const uint32_t **out,
                             uint32_t *out_count);
bool sinewi_gltf_float(gltf_reader *r, const sinewi_json_value *object, const char *key,
                       float fallback, float *out);
bool sinewi_gltf_bool(gltf_reader *r, const sinewi_json_value *object, const char *key,
                      bool fallback, bool *out);
/// `count` numbers; *out_there says whether the member is there. Values beyond float become
/// infinities here; a single float above may not be one.
bool sinewi_gltf_floats(gltf_reader *r, const sinewi_json_value *object, const char *key,
                        uint32_t count, float *out, bool *out_there);
/// The text of a JSON string in the document, NULL without memory. U+0000 becomes U+FFFD.
const char *sinewi_gltf_copy_text(gltf_reader *r, const sinewi_json_value *v);
/// A string copied into the document; `fallback` where it is missing.
bool sinewi_gltf_text(gltf_reader *r, const sinewi_json_value *object, const char *key,
                      const char *fallback, const char **out);
bool sinewi_gltf_extras(gltf_reader *r, const sinewi_json_value *object, const char **out);
/// A top-level array of objects as an array of values.
bool sinewi_gltf_objects(gltf_reader *r, const sinewi_json_value *holder, const char *key,
                         uint32_t *out_count, const sinewi_json_value ***out);
/// extensions.NAME of an object, or NULL.
const sinewi_json_value *sinewi_gltf_extension(gltf_reader *r, const sinewi_json_value *object,
                                               const char *name);
bool sinewi_json_is(const sinewi_json_value *v, const char *text);

// ---- gltf_findings.c --------------------------------------------------------------------------------------

/// Adds a finding; a second of the same code and place says nothing new. False where `strict` makes
/// an error of it, or without memory.
bool sinewi_gltf_find(gltf_reader *r, const sinewi_json_value *place, sinew_result code,
                      uint64_t count, double worst, const char *format, ...) SINEWI_PRINTF(6, 7);
/// Hands them to the document, in the order of their places in the file.
bool sinewi_gltf_keep_findings(gltf_reader *r);

// ---- gltf_buffer.c ----------------------------------------------------------------------------------------

/// Buffers and all views, used or not.
bool sinewi_gltf_read_buffers(gltf_reader *r);
/// Bytes of a buffer, checked to be there.
bool sinewi_gltf_buffer_bytes(gltf_reader *r, const sinewi_json_value *place, uint32_t buffer,
                              uint64_t offset, uint64_t length, gltf_bytes *out);
bool sinewi_gltf_read_images(gltf_reader *r);

// ---- gltf_meshopt.c ---------------------------------------------------------------------------------------

/// The extension that compresses a view, and its name; NULL where it is not compressed.
const sinewi_json_value *sinewi_gltf_view_compression(gltf_reader *r, const sinewi_json_value *view,
                                                      const char **out_name);
/// Whether a codec for it was given.
bool sinewi_gltf_has_meshopt(const gltf_reader *r);
/// Unpacks a compressed view of `size` bytes. Where no codec can, *out_why says why not, and
/// out->data stays NULL.
bool sinewi_gltf_unpack_view(gltf_reader *r, const sinewi_json_value *compression, const char *name,
                             size_t size, gltf_bytes *out, const char **out_why);

// ---- gltf_accessor.c --------------------------------------------------------------------------------------

/// Checks all accessors, used or not.
bool sinewi_gltf_prepare_accessors(gltf_reader *r);
/// The accessor that a member names. `place` is the member's value.
bool sinewi_gltf_accessor(gltf_reader *r, const sinewi_json_value *place,
                          const gltf_accessor **out);
/// The same for one whose count nothing else bounds: without bytes in the file there may not be too
/// many elements.
bool sinewi_gltf_paid_accessor(gltf_reader *r, const sinewi_json_value *place,
                               const gltf_accessor **out);
/// What must have `min` and `max` by glTF: a failure under `strict` where it lacks one.
bool sinewi_gltf_need_bounds(gltf_reader *r, const sinewi_json_value *place,
                             const gltf_accessor *a);
/// Bytes from one element to the next where nothing stands between them.
size_t sinewi_gltf_element_size(const gltf_accessor *a);
/// The elements where they lie, as numbers of the machine: tightly packed floats (or 32 bit whole
/// numbers, for `component` 5125). NULL: they have to be read.
const void *sinewi_gltf_in_place(const gltf_accessor *a, uint32_t component);
/// The same for the document to keep: NULL too where they do not lie in `files`.
const void *sinewi_gltf_share(gltf_reader *r, const gltf_accessor *a, uint32_t component);
/// Elements [0, count) as floats, integers decoded (normalised ones to [-1, 1]), all components.
/// `force_normalized`: integers are fractions whatever the flag says.
void sinewi_gltf_read_floats(const gltf_accessor *a, bool force_normalized, float *out);
/// The same of unsigned integers as they are.
void sinewi_gltf_read_wholes(const gltf_accessor *a, uint32_t *out);
/// How far from unit length a rotation may be without a finding. Integers can be no nearer than
/// their steps let them: each of four components is off by half a step at most, so the length by a
/// whole one (Cauchy-Schwarz).
double sinewi_gltf_unit_tolerance(const gltf_accessor *a);
uint32_t sinewi_gltf_sparse_index(const gltf_accessor *a, uint32_t k);

// ---- gltf_draco.c -----------------------------------------------------------------------------------------

/// Whether a codec for it was given.
bool sinewi_gltf_has_draco(const gltf_reader *r);
/// Unpacks what a primitive has in a Draco stream alone into its accessors. *out_triangles: its
/// indices are those of triangles, whatever its mode says.
bool sinewi_gltf_unpack_primitive(gltf_reader *r, const sinewi_json_value *primitive,
                                  const sinewi_json_value *attributes, bool *out_triangles);

// ---- gltf_extensions.c ------------------------------------------------------------------------------------

/// Refuses what requires more than is read; says of the rest what it means.
bool sinewi_gltf_check_extensions(gltf_reader *r);

// ---- the rest ---------------------------------------------------------------------------------------------

bool sinewi_gltf_read_meshes(gltf_reader *r);
/// slot_limit: joints of the smallest skin that shows the mesh.
bool sinewi_gltf_read_influences(gltf_reader *r, const sinewi_json_value *attributes,
                                 uint32_t slot_limit, sinew_primitive *primitive);
/// The `weights` of a mesh or node, one a target; *out NULL where there are none.
bool sinewi_gltf_morph_weights(gltf_reader *r, const sinewi_json_value *holder,
                               uint32_t target_count, const float **out);
bool sinewi_gltf_read_materials(gltf_reader *r);
bool sinewi_gltf_read_cameras(gltf_reader *r);
bool sinewi_gltf_read_skins(gltf_reader *r);
/// The last row is 0 0 0 1 but for rounding, as glTF wants it; another one has no meaning and is
/// taken for it.
bool sinewi_gltf_is_affine(const sinew_mat4 *m);
bool sinewi_gltf_read_nodes(gltf_reader *r);
/// Of a node whose mesh and skin are known.
bool sinewi_gltf_read_copies(gltf_reader *r, const sinewi_json_value *value, sinew_node *node);
bool sinewi_gltf_read_humanoid(gltf_reader *r);
bool sinewi_gltf_read_springs(gltf_reader *r);
bool sinewi_gltf_read_scenes(gltf_reader *r);
bool sinewi_gltf_read_animations(gltf_reader *r);
bool sinewi_gltf_check_skinning(gltf_reader *r);

#endif
