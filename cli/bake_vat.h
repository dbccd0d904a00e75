// SPDX-License-Identifier: MIT
// What the files of `sinew bake --vat` share (docs/vat.md has the layout of what is written).
//
//     bake_vat.c           options, clips, the shape of the texture; both passes over the frames
//     bake_vat_vertices.c  texels of the form "vertices", and what a shader makes of them
//     bake_vat_palettes.c  the same of the form "palettes", and the mesh that goes with it
//     bake_vat_report.c    the JSON file beside the texture, and what is said at the end
#ifndef SINEW_CLI_BAKE_VAT_H
#define SINEW_CLI_BAKE_VAT_H

#include "cli/bake.h"
#include "cli/ktx2.h"

enum {
    VAT_DEFAULT_SIZE = 4096, // what any GPU of the last ten years takes
    VAT_MIN_SIZE = 16,
    VAT_MAX_SIZE = 32768,       // so that an index of a texel fits an int
    VAT_MAX_VERTICES = 1 << 24, // vertex numbers are floats in the mesh
    VAT_MAX_JOINTS = 65535,     // and joints uint16
    VAT_BETWEEN = 64,           // intervals of a clip in whose middle the error is measured
    // Octahedral coordinates stand in one channel: a * base + b, both from 0 to base - 2, so that
    // axes are exact; 11 bits each in a float (a reader may add 0.5, which is exact below 2^23),
    // 8 bits each in 16.
    VAT_FLOAT_BASE = 2048,
    VAT_UNORM_BASE = 256
};

typedef enum vat_form { VAT_VERTICES, VAT_PALETTES } vat_form;

typedef struct vat_clip {
    int32_t clip; // of job->clips; -1: the file's own pose
    double duration;
    uint32_t first, count; // frames
    bool loop;
    // measured while frames are written
    float low[3], high[3]; // of all vertices in all frames
    double seam;           // how far a vertex is in the last frame from where it is in the first
    double error, between; // distances from exact vertices, at frames and between them
    double turn;           // the largest angle of a normal, at frames, radians
    uint32_t between_count;
} vat_clip;

// Matrices that move together: those of a skin in use, or the one of a node without.
typedef struct vat_block {
    uint32_t instance; // of the posed document
    bool skinned;
    uint32_t first, count; // joints of the palette
} vat_block;

typedef struct vat {
    bake_job *job;
    vat_form form;
    ktx2_format format;
    uint32_t max_width, max_height;
    vat_clip *clips;
    uint32_t clip_count, frame_count;
    // Frame k has its texel i at index k * stride + i, which is column index % width of row
    // index / width.
    uint32_t texels, stride, width, height; // texels: those in use of a frame
    float low[3], size[3];                  // of the box that positions are kept in
    bool has_normals;
    vat_block *blocks;
    uint32_t block_count, joint_count;
    const char **joint_names;
    bake_extra *extras;           // [part_count] of the mesh
    uint64_t morphed;             // primitives whose morph targets are not in palettes
    char *texture, *sidecar;      // paths
    char *mesh;                   // likewise
    float *now, *before;          // [4 * stride] texels of two frames as a shader reads them
    float *shown, *shown_normals; // [3 * vertices] what a shader shows
    float *first;                 // [3 * vertices] the first frame of a clip
    uint32_t *words;              // [4 * stride]
    sinew_mat3x4 *palette;        // [joint_count] of one skin
} vat;

// How `sinew bake --vat` was asked for; words as they were given, or NULL.
typedef struct vat_options {
    const char *form, *texels, *max_width, *max_height;
    const char **clips, **once;
    unsigned clip_count, once_count;
} vat_options;

// Checks what can be checked without the file. An exit status.
int vat_check(const bake_job *job, const char *clips_file, const vat_options *options, bool dual,
              vat *out);
// Bakes a job whose document is posed and whose parts are found.
int vat_bake(vat *v, const vat_options *options);
void vat_free(vat *v);

// ---- bake_vat_vertices.c ----------------------------------------------------------------------------------

// The texels of the pose evaluated last.
void vat_encode_vertices(const vat *v, float *texels);
// Fills `shown` with what a shader makes of two frames.
void vat_show_vertices(const vat *v, const float *before, const float *now, float part);
// The numbers of vertices, for the mesh.
bool vat_number_vertices(vat *v);

// ---- bake_vat_palettes.c ----------------------------------------------------------------------------------

// Finds the joints of the palette, and the mesh in its bind pose with its influences. An exit
// status.
int vat_prepare_palettes(vat *v);
sinew_result vat_encode_palettes(vat *v, float *texels);
void vat_show_palettes(const vat *v, const float *before, const float *now, float part);

// ---- bake_vat_report.c ------------------------------------------------------------------------------------

int vat_write_sidecar(vat *v);
int vat_report(const vat *v);

#endif
