// SPDX-License-Identifier: MIT
// What the parts of `sinew bake` share: the frames, the parts of the figure, and a frame evaluated.
// One file a format writes them: bake_glb.c, bake_obj.c, bake_pc2.c.
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
    cli_progress progress;
    bake_outputs outputs;
    // what people should know, told once at the end
    uint64_t replaced; // joint matrices that were not finite
    uint64_t lost;     // normals and tangents without a direction
    uint32_t textures; // that are neither PNG nor JPEG, or missing
    uint32_t turned;   // parts whose mirroring changes during the clip
} bake_job;

// Poses the document at a frame. Positions are finite then, normals and tangents unit vectors. An
// exit status; what is wrong has been said.
int bake_evaluate(bake_job *job, uint32_t frame);
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
int bake_fail_vertex(bake_job *job, const bake_part *part, uint32_t frame);
// There are no shapes at all.
int bake_fail_empty(bake_job *job);

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
