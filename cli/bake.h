// SPDX-License-Identifier: MIT
// What the parts of `sinew bake` share: the frames, the parts of the figure, and a frame evaluated.
// One file a format writes them: bake_glb.c, bake_obj.c, bake_pc2.c, bake_vat.c.
#ifndef SINEW_CLI_BAKE_H
#define SINEW_CLI_BAKE_H

#include "cli/json_writer.h"
#include "cli/output_file.h"
#include "cli/posed_document.h"
#include "cli/progress.h"

enum {
    BAKE_MAX_FRAMES = 1 << 20, // of any output
    // Each frame is an entry in the file's JSON for each primitive, and readers lay out frames
    // squared morph weights: a GiB for as many as these.
    BAKE_GLB_MAX_FRAMES = 1 << 14,
    BAKE_GLB_MAX_TARGETS = 1 << 20, // frames times primitives
};
// Of an OBJ sequence or a PC2 file: more is a mistake in --fps sooner than a wish.
#define BAKE_MAX_BYTES ((uint64_t)64 << 30)

// A primitive of an instance that has something to show, in the order of instances and primitives.
typedef struct bake_part {
    uint32_t instance, primitive; // of the posed document, of its mesh
    const sinew_primitive *source;
    const posed_primitive *posed; // the frame evaluated last
} bake_part;

// What a mesh file that goes with a texture has more of a part (bake_vat.h); arrays from malloc.
typedef struct bake_extra {
    float *ids;       // [vertex_count] numbers of its vertices, or NULL
    float *id_uvs;    // [2 * vertex_count] the same as one more uv set, or NULL
    uint32_t *joints; // [set_count][vertex_count][4], or NULL
    float *weights;   // likewise
    uint32_t set_count;
    float *positions, *normals, *tangents; // in the place of the posed ones; or NULL
} bake_extra;

// An output that has been written, still under its temporary name.
typedef struct bake_outputs {
    cli_output *files;
    size_t count, room;
} bake_outputs;

typedef struct bake_job {
    const char *file, *output;
    bool json;
    const sinew_document *document;
    other_clips *other;          // or NULL
    const sinew_document *clips; // whose clips are baked: of the document, unless of another
    posed_document *posed;
    int32_t clip; // of clips; -1: the pose of the file
    double fps;
    double *times; // [frame_count] seconds into the clip, the last one its end
    uint32_t frame_count;
    bake_part *parts;
    uint32_t part_count;
    uint64_t vertex_count;
    const bake_extra *extras;       // [part_count] while a mesh for textures is written, else NULL
    const char *const *joint_names; // of its skin, or NULL
    uint32_t joint_count;
    cli_progress progress;
    bake_outputs outputs;
    // what people should know, told once at the end
    uint64_t replaced; // joint matrices that were not finite
    uint64_t lost;     // normals and tangents without a direction
    uint32_t textures; // that are neither PNG nor JPEG, or missing
    uint32_t turned;   // parts whose mirroring changes during the clip
} bake_job;

// How many frames a clip of so many seconds is, at least 1. An exit status.
int bake_count_frames(const bake_job *job, double duration, uint32_t *out);
// Poses the document at a frame, or at a time of the clip. Positions are finite then, normals and
// tangents unit vectors. An exit status; what is wrong has been said.
int bake_evaluate(bake_job *job, uint32_t frame);
int bake_evaluate_at(bake_job *job, double time);
// Each writes its outputs but does not publish them. An exit status; what is wrong has been said.
int bake_write_glb(bake_job *job);
int bake_write_obj(bake_job *job);
int bake_write_pc2(bake_job *job);

// A new output, opened; NULL, with a message, where that failed.
cli_output *bake_open(bake_job *job, const char *path, int *out_status);
// These say what is wrong, after taking the progress away: "out of memory" and such, as an exit
// status.
int bake_fail(bake_job *job, sinew_result result);
// A vertex that a float cannot hold.
int bake_fail_vertex(bake_job *job, const bake_part *part, double time);
// There are no shapes at all.
int bake_fail_empty(bake_job *job);
// Closes all outputs, and gives them their names if every one is whole.
int bake_publish(bake_job *job);
// What people should know, on standard error.
void bake_warn(const bake_job *job, unsigned long long count, const char *what);
void bake_say_warnings(const bake_job *job);

// -1 where a part is seen mirrored in the frame evaluated last, so that its triangles must be wound
// the other way round; 1 where not; 0 where it is flat and cannot be told.
int bake_side(const bake_job *job, const bake_part *part);

// The shapes of a primitive as lists: 3 corners a triangle, 2 a line, 1 a point. Strips, fans and
// loops are taken apart, shapes with an index past the vertices and incomplete ones left out.
typedef struct bake_shapes {
    uint32_t *corners; // [count * each], from malloc
    size_t count;
    unsigned each;
    bool whole; // nothing was left out
} bake_shapes;
bool bake_list_shapes(const sinew_primitive *p, bool flip, bake_shapes *out);

// The picture of a texture, where it is one that every viewer reads: "image/png", "image/jpeg" or
// NULL.
const char *bake_image_type(const sinew_document *d, int32_t texture, const sinew_image **out);

#endif
