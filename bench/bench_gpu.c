// SPDX-License-Identifier: MIT
// The table of the GPU: what compute shaders take for a vertex, beside the CPU's kernels on the
// same job.
//
// Names of rows: WHERE JOB. WHERE is `cpu` (one thread, through a mesh binding, the baseline), or
// how the shaders read the palette: `storage`, `uniform`, `texture`; or `draw`, where the vertex
// shader skins (by a texture) and triangles of 256 x 256 pixels are drawn. JOB is `4 P` or `4 P+N`
// (four influences; positions, and normals), `dual` before it for dual quaternions, of 100,000
// vertices; or `crowd 4 P+N`, 64 figures of 2,000 vertices with a pose each. A call writes the
// palettes, dispatches and waits for the driver; `, read` also brings the vertices back. All rows
// go by the clock on the wall: drivers have threads of their own, those that draw on the CPU as
// many as it has cores.
#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(SINEW_CLI_WITH_GPU)

#include "bench/skinning_data.h"
#include "extras/system.h"
#include "sinew/gpu.h"

enum {
    GPU_VERTICES = 100000,
    GPU_CROWD = 64,
    GPU_CROWD_VERTICES = 2000,
    GPU_INFLUENCES = 4,
    GPU_MAX_JOBS = 32,
    GPU_SIDE = 256,    // pixels of what is drawn
    GPU_WALL_CALLS = 5 // drivers that draw on the CPU take a tenth of a second for one
};

// A mesh, bound for the CPU and in the driver's memory, with a palette for each instance.
typedef struct gpu_figure {
    const skinning_bound *bound;
    uint32_t instance_count;
    bool dual;
    size_t palette_size;
    unsigned char *palettes;            // [instance_count] as kernels read them
    float *out;                         // [instance_count][vertex_count][3], then normals
    float *out_positions, *out_normals; // or NULL
    sinew_gpu_mesh mesh;
    sinew_gpu_posed posed;
    sinew_gpu_palette on_gpu[SINEW_GPU_TEXTURE + 1];
} gpu_figure;

typedef struct gpu_job {
    const gpu_figure *figure;
    sinew_gpu_palette_way way;
    bool reads, draws;
} gpu_job;

static struct {
    sinew_gpu *device;
    sinew_gpu_target target;
    gpu_figure figures[8];
    uint32_t figure_count;
    gpu_job jobs[GPU_MAX_JOBS];
    uint32_t job_count;
} on_gpu;

// ---- What is measured -------------------------------------------------------------------------------------

static const void *figure_palette(const gpu_figure *figure, uint32_t instance)
{
    return figure->palettes + instance * figure->palette_size;
}

static void run_cpu_figure(void *user)
{
    const gpu_figure *figure = ((const gpu_job *)user)->figure;
    const size_t floats = (size_t)3 * figure->bound->mesh->vertex_count;
    for (uint32_t i = 0; i < figure->instance_count; i++) {
        sinew_skin_mesh_args args = figure->bound->args[0];
        args.kernel_palette = figure_palette(figure, i);
        args.out_positions = figure->out_positions + i * floats;
        args.out_normals = figure->out_normals ? figure->out_normals + i * floats : NULL;
        sinew_skin_mesh(&args);
    }
}

// From ten metres away, which has all of it in view.
static void draw_gpu_figure(const gpu_figure *figure, sinew_gpu_palette palette)
{
    const sinew_gpu_item item = {
        .mesh = figure->mesh,
        .palette = palette,
        .instance_count = figure->instance_count,
        .material = {.base_color = {0.8f, 0.8f, 0.8f, 1.0f}, .double_sided = true}};
    sinew_gpu_draw(on_gpu.device, &(sinew_gpu_draw_args){.target = on_gpu.target,
                                                         .camera = {.eye = {0.0f, 0.0f, 10.0f},
                                                                    .right = {1.0f, 0.0f, 0.0f},
                                                                    .up = {0.0f, 1.0f, 0.0f},
                                                                    .forward = {0.0f, 0.0f, -1.0f},
                                                                    .tan_x = 0.5f,
                                                                    .tan_y = 0.5f,
                                                                    .near_distance = 0.1f},
                                                         .to_light = {0.0f, 0.0f, 1.0f},
                                                         .ambient = 0.3f,
                                                         .items = &item,
                                                         .item_count = 1});
    sinew_gpu_finish(on_gpu.device);
}

static void run_gpu_figure(void *user)
{
    const gpu_job *job = user;
    const gpu_figure *figure = job->figure;
    const uint32_t n = figure->bound->mesh->vertex_count;
    const sinew_gpu_palette palette = figure->on_gpu[job->way];
    for (uint32_t i = 0; i < figure->instance_count; i++)
        sinew_gpu_palette_write(on_gpu.device, palette, i, figure_palette(figure, i));
    if (job->draws) {
        draw_gpu_figure(figure, palette);
        return;
    }
    sinew_gpu_pose(on_gpu.device, &(sinew_gpu_pose_args){.posed = figure->posed,
                                                         .palette = palette,
                                                         .instance_count = figure->instance_count});
    if (!job->reads)
        sinew_gpu_finish(on_gpu.device);
    for (uint32_t i = 0; job->reads && i < figure->instance_count; i++)
        sinew_gpu_read(
            on_gpu.device,
            &(sinew_gpu_read_args){
                .posed = figure->posed,
                .instance = i,
                .out_positions = figure->out_positions + (size_t)3 * n * i,
                .out_normals = figure->out_normals ? figure->out_normals + (size_t)3 * n * i : NULL,
                .out_size = n});
}

// ---- Data, made when a row wants it -----------------------------------------------------------------------

static bool make_on_gpu(gpu_figure *figure, bool normals)
{
    const skinning_mesh *mesh = figure->bound->mesh;
    sinew_gpu_mesh_desc desc = sinew_gpu_mesh_desc_default();
    desc.vertex_count = mesh->vertex_count;
    desc.positions = mesh->positions;
    desc.normals = normals ? mesh->normals : NULL;
    desc.joints = mesh->joints;
    desc.weights = mesh->weights;
    desc.influence_count = mesh->influence_count;
    bool good = sinew_gpu_mesh_create(on_gpu.device, &desc, &figure->mesh, NULL) == SINEW_OK &&
                sinew_gpu_posed_create(on_gpu.device, figure->mesh, figure->instance_count,
                                       &figure->posed, NULL) == SINEW_OK;
    for (int way = 0; good && way <= SINEW_GPU_TEXTURE; way++)
        good = sinew_gpu_palette_create(
                   on_gpu.device,
                   &(sinew_gpu_palette_desc){.way = (sinew_gpu_palette_way)way,
                                             .joint_count = mesh->joint_count,
                                             .instance_count = figure->instance_count,
                                             .dual = figure->dual},
                   &figure->on_gpu[way], NULL) == SINEW_OK;
    return good;
}

static gpu_figure *make_figure_for_both(uint32_t vertices, uint32_t instances, unsigned attributes,
                                        bool dual)
{
    gpu_figure *figure = &on_gpu.figures[on_gpu.figure_count++];
    const skinning_mesh *mesh = skinning_make_figure(vertices, GPU_INFLUENCES, attributes);
    figure->bound =
        mesh ? skinning_bind(mesh, attributes, dual ? BOUND_DUAL : BOUND_DEFAULT) : NULL;
    if (!figure->bound)
        return NULL;
    figure->instance_count = instances;
    figure->dual = dual;
    figure->palette_size = dual ? sinew_dual_palette_size(mesh->joint_count)
                                : sinew_kernel_palette_size(mesh->joint_count);
    figure->palettes = sinew_aligned_alloc(instances * figure->palette_size);
    const size_t floats = (size_t)3 * vertices * instances;
    figure->out = calloc(2 * floats, sizeof *figure->out);
    if (!figure->palettes || !figure->out)
        return NULL;
    figure->out_positions = figure->out;
    figure->out_normals = attributes & SKINNING_NORMALS ? figure->out + floats : NULL;
    bool good = true;
    for (uint32_t i = 0; good && i < instances; i++) {
        void *palette = figure->palettes + i * figure->palette_size;
        good = (dual ? sinew_dual_palette_build(mesh->palette, mesh->joint_count, &mesh->center,
                                                palette, figure->palette_size)
                     : sinew_kernel_palette_build(mesh->palette, mesh->joint_count, &mesh->center,
                                                  palette, figure->palette_size)) == SINEW_OK;
    }
    return good && make_on_gpu(figure, attributes & SKINNING_NORMALS) ? figure : NULL;
}

// ---- Rows -------------------------------------------------------------------------------------------------

static const char *const gpu_ways[] = {"storage", "uniform", "texture"};

typedef struct gpu_row {
    const char *job;
    uint32_t vertices, instances;
    unsigned attributes;
    bool dual;
} gpu_row;

static const gpu_row gpu_rows[] = {
    {"4 P", GPU_VERTICES, 1, 0, false},
    {"4 P+N", GPU_VERTICES, 1, SKINNING_NORMALS, false},
    {"dual 4 P", GPU_VERTICES, 1, 0, true},
    {"dual 4 P+N", GPU_VERTICES, 1, SKINNING_NORMALS, true},
    {"crowd 4 P+N", GPU_CROWD_VERTICES, GPU_CROWD, SKINNING_NORMALS, false},
};
enum {
    GPU_ROWS = sizeof gpu_rows / sizeof *gpu_rows,
    GPU_WAYS = 3,
    GPU_READ = GPU_WAYS + 1,
    GPU_DRAW = GPU_WAYS + 2
};

// Row 0 is the CPU's, then the ways, then the first of them with reading back, then drawing.
static void name_gpu_row(const gpu_row *row, int k, char *out, size_t size)
{
    const char *where = k == 0          ? "cpu"
                        : k == GPU_DRAW ? "draw"
                                        : gpu_ways[k <= GPU_WAYS ? k - 1 : 0];
    snprintf(out, size, "%s %s%s", where, row->job, k == GPU_READ ? ", read" : "");
}

static bool wants_gpu_row(const bench *b, const gpu_row *row)
{
    bool wanted = false;
    for (int k = 0; k <= GPU_DRAW; k++) {
        char name[BENCH_NAME_SIZE];
        name_gpu_row(row, k, name, sizeof name);
        wanted |= bench_wants(b, "gpu", name);
    }
    return wanted;
}

static void add_gpu_rows(bench *b, const gpu_row *row, const gpu_figure *figure)
{
    for (int k = 0; k <= GPU_DRAW; k++) {
        gpu_job *job = &on_gpu.jobs[on_gpu.job_count++];
        job->figure = figure;
        job->way = k >= 1 && k <= GPU_WAYS ? (sinew_gpu_palette_way)(k - 1)
                   : k == GPU_DRAW         ? SINEW_GPU_TEXTURE
                                           : SINEW_GPU_STORAGE;
        job->reads = k == GPU_READ;
        job->draws = k == GPU_DRAW;
        bench_row made = {.table = "gpu",
                          .isa = SINEW_ISA_COUNT,
                          .threads = 1,
                          .wall_calls = k ? GPU_WALL_CALLS : 0,
                          .count = (uint64_t)row->vertices * row->instances,
                          .run = k ? run_gpu_figure : run_cpu_figure,
                          .data = job};
        name_gpu_row(row, k, made.name, sizeof made.name);
        if (k)
            name_gpu_row(row, 0, made.baseline, sizeof made.baseline);
        bench_add_row(b, &made);
    }
}

bool bench_add_gpu(bench *b)
{
    _Static_assert(GPU_ROWS * (GPU_DRAW + 1) <= GPU_MAX_JOBS, "room for all jobs");
    for (int r = 0; r < GPU_ROWS; r++) {
        if (!wants_gpu_row(b, &gpu_rows[r]))
            continue;
        const sinew_gpu_desc desc = sinew_gpu_desc_default();
        sinew_error error = {0};
        if (!on_gpu.device && sinew_gpu_create(&desc, &on_gpu.device, &error) != SINEW_OK) {
            fprintf(stderr, "sinew bench: the table gpu is left out: %s\n", error.message);
            b->lacks_gpu = true;
            return true;
        }
        if (!on_gpu.target.id && sinew_gpu_target_create(on_gpu.device, GPU_SIDE, GPU_SIDE,
                                                         &on_gpu.target, NULL) != SINEW_OK)
            return false;
        b->gpu = sinew_gpu_get_info(on_gpu.device).renderer;
        const gpu_figure *figure = make_figure_for_both(gpu_rows[r].vertices, gpu_rows[r].instances,
                                                        gpu_rows[r].attributes, gpu_rows[r].dual);
        if (!figure)
            return false;
        add_gpu_rows(b, &gpu_rows[r], figure);
    }
    return true;
}

void bench_release_gpu(void)
{
    sinew_gpu_destroy(on_gpu.device);
    for (uint32_t i = 0; i < on_gpu.figure_count; i++) {
        sinew_aligned_free(on_gpu.figures[i].palettes);
        free(on_gpu.figures[i].out);
    }
    memset(&on_gpu, 0, sizeof on_gpu);
}

#else

bool bench_add_gpu(bench *b)
{
    b->lacks_gpu = !b->filter || strncmp(b->filter, "gpu", 3) == 0;
    if (b->lacks_gpu)
        fputs("sinew bench: the table gpu is left out: this program was built without the part for "
              "GPUs (SINEW_WITH_GPU)\n",
              stderr);
    return true;
}

void bench_release_gpu(void)
{
}

#endif
