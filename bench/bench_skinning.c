// SPDX-License-Identifier: MIT
// The table of skinning: what each way of moving vertices costs a vertex.
//
// Names of rows: NUMBER or WHO, then P (positions), P+N (and normals), P+N+T (and tangents), P+S
// (positions and shades) or PS (both in rows of four floats), then how many vertices where that is
// not 10,000. `4 P` is four influences; `real P` copies of a
// character with its own influences; `static P` one matrix for all, `static real P` for those
// copies. Before them `naive` and `sse4`
// are the baselines (baselines.h), `plain` the path that needs no preparation, and `scattered` a
// mesh whose joints are picked at random, the worst there is. `dual` are dual quaternions, `dual
// scaled` those where some joint is scaled; what is not `dual` is the linear blend. Without a word
// before them rows are of bindings and their kernels; behind them stand ways to bind that are not
// the default. A set of instructions in brackets is one that is weaker than the one in use. Rows
// with `threads` (one of them is one thread) go by the clock on the wall.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/skinning_data.h"
#include "extras/thread_pool.h"
#include "sinew/sinew.h"
#include "sinew_fixtures.h"

enum { SKINNING_MAX_JOBS = 512, SKINNING_MAX_CACHED = 96 };

typedef enum skinning_kind { MESH_FIGURE, MESH_SCATTERED, MESH_CHARACTER } skinning_kind;

typedef struct skinning_job {
    const skinning_mesh *mesh;
    const skinning_bound *bound; // or NULL
    unsigned attributes;
    bool parallel;
} skinning_job;

static struct {
    skinning_job jobs[SKINNING_MAX_JOBS];
    uint32_t job_count;
    struct {
        skinning_kind kind;
        uint32_t vertices, influences;
        skinning_mesh *mesh;
    } cached[SKINNING_MAX_CACHED];
    uint32_t cached_count;
    struct {
        unsigned attributes;
        skinning_way way;
        skinning_bound *made;
    } bounds[SKINNING_MAX_CACHED];
    uint32_t bound_count;
    sinew_document *creature;
    sinew_thread_pool *pool;
    sinew_parallel parallel;
    bool failed; // memory ran out
} skinning;

// ---- What is measured -------------------------------------------------------------------------------------

static void run_memcpy(void *user)
{
    const skinning_job *job = user;
    const skinning_mesh *m = job->mesh;
    memcpy(m->out_positions, m->positions, 3 * sizeof(float) * (size_t)m->vertex_count);
}

static void run_naive(void *user)
{
    const skinning_job *job = user;
    bench_vertices vertices = skinning_vertices(job->mesh, job->attributes);
    bench_skin_naive(&vertices, job->mesh->palette);
}

static void run_naive_dual(void *user)
{
    const skinning_job *job = user;
    bench_vertices vertices = skinning_vertices(job->mesh, job->attributes);
    bench_skin_naive_dual(&vertices, job->mesh->duals);
}

static void run_128(void *user)
{
    const skinning_job *job = user;
    bench_vertices vertices = skinning_vertices(job->mesh, job->attributes);
    bench_skin_128(&vertices, job->mesh->columns);
}

static void run_128_split(void *user)
{
    const skinning_job *job = user;
    for (int k = 0; k < 4; k++) {
        if (!job->mesh->parts[k])
            continue;
        bench_vertices vertices = skinning_vertices(job->mesh->parts[k], job->attributes);
        bench_skin_128(&vertices, job->mesh->columns);
    }
}

static sinew_skin_args plain_args(const skinning_job *job)
{
    bench_vertices v = skinning_vertices(job->mesh, job->attributes);
    const bool shades = job->attributes & SKINNING_SHADES;
    return (sinew_skin_args){.palette = job->mesh->palette,
                             .palette_count = job->mesh->joint_count,
                             .center = &job->mesh->center,
                             .joints = v.joints,
                             .weights = v.weights,
                             .influence_count = v.influence_count,
                             .vertex_count = v.count,
                             .positions = v.positions,
                             .normals = shades ? job->mesh->normals : v.normals,
                             .tangents = v.tangents,
                             .out_positions = v.out_positions,
                             .out_normals = v.out_normals,
                             .out_tangents = v.out_tangents,
                             .out_shades = shades ? job->mesh->out_shades : NULL,
                             .out_size = v.count};
}

static void run_plain(void *user)
{
    sinew_skin_args args = plain_args(user);
    sinew_skin_vertices(&args);
}

static void run_plain_dual(void *user)
{
    const skinning_job *job = user;
    sinew_skin_args args = plain_args(job);
    args.dual_palette = job->bound->kernel_palette;
    sinew_skin_vertices(&args);
}

static void run_plain_static(void *user)
{
    const skinning_job *job = user;
    sinew_skin_args args = plain_args(job);
    sinew_mat4 m = sinew_mat4_from_mat3x4(&job->mesh->palette[0]);
    sinew_transform_vertices(&m, &args);
}

static void run_bound(void *user)
{
    const skinning_job *job = user;
    const skinning_bound *bound = job->bound;
    if (job->parallel)
        sinew_skin_meshes(bound->args, bound->count, &skinning.parallel);
    else
        for (uint32_t i = 0; i < bound->count; i++)
            sinew_skin_mesh(&bound->args[i]);
}

// ---- Data, made when a row wants it -----------------------------------------------------------------------

static bool make_mesh(const bench *b, skinning_kind kind, uint32_t vertices, uint32_t influences,
                      skinning_mesh **out)
{
    // of the largest sizes positions alone
    const unsigned attributes = vertices > 1000000 ? 0u : SKINNING_NORMALS | SKINNING_TANGENTS;
    *out = NULL;
    if (kind == MESH_CHARACTER) {
        const sinew_document *document = b->character;
        if (!document) {
            if (!skinning.creature && sinew_fixture_creature(NULL, &skinning.creature) != SINEW_OK)
                return false;
            document = skinning.creature;
        }
        return skinning_make_character(document, vertices, attributes, out) &&
               (!*out || skinning_split(*out));
    }
    *out = kind == MESH_FIGURE ? skinning_make_figure(vertices, influences, attributes)
                               : skinning_make_scattered(vertices, influences, attributes);
    return *out;
}

static const skinning_mesh *find_mesh(const bench *b, skinning_kind kind, uint32_t vertices,
                                      uint32_t influences)
{
    for (uint32_t i = 0; i < skinning.cached_count; i++)
        if (skinning.cached[i].kind == kind && skinning.cached[i].vertices == vertices &&
            skinning.cached[i].influences == influences)
            return skinning.cached[i].mesh;
    skinning_mesh *mesh = NULL;
    if (skinning.cached_count == SKINNING_MAX_CACHED ||
        !make_mesh(b, kind, vertices, influences, &mesh)) {
        skinning.failed = true;
        return NULL;
    }
    skinning.cached[skinning.cached_count].kind = kind;
    skinning.cached[skinning.cached_count].vertices = vertices;
    skinning.cached[skinning.cached_count].influences = influences;
    skinning.cached[skinning.cached_count++].mesh = mesh;
    return mesh;
}

static const skinning_bound *find_bound(const skinning_mesh *mesh, unsigned attributes,
                                        skinning_way way)
{
    for (uint32_t i = 0; i < skinning.bound_count; i++)
        if (skinning.bounds[i].made->mesh == mesh && skinning.bounds[i].attributes == attributes &&
            skinning.bounds[i].way == way)
            return skinning.bounds[i].made;
    skinning_bound *made =
        skinning.bound_count < SKINNING_MAX_CACHED ? skinning_bind(mesh, attributes, way) : NULL;
    if (!made) {
        skinning.failed = true;
        return NULL;
    }
    skinning.bounds[skinning.bound_count].attributes = attributes;
    skinning.bounds[skinning.bound_count].way = way;
    skinning.bounds[skinning.bound_count++].made = made;
    return made;
}

// ---- Rows -------------------------------------------------------------------------------------------------

// A row to come: what it runs on, and its place in the table.
typedef struct skinning_row {
    skinning_kind kind;
    uint32_t vertices, influences; // 0 influences: the static transform
    unsigned attributes;
    sinew_isa isa; // SINEW_ISA_COUNT: the one in use
    bool foreign;
    void (*run)(void *data);
    skinning_way way; // where `run` is run_bound
    uint32_t threads; // 0: by the thread's own time
} skinning_row;

// "4 P+N", "real P", "static P": without what stands before and behind.
static void name_job(const skinning_row *row, char name[16])
{
    static const char *const tails[] = {"P", "P+N", "", "P+N+T", "P+S", "",  "",
                                        "",  "",    "", "",      "",    "PS"};
    if (row->influences == 0)
        snprintf(name, 16, "%s %s", row->kind == MESH_CHARACTER ? "static real" : "static",
                 tails[row->attributes]);
    else if (row->kind == MESH_CHARACTER)
        snprintf(name, 16, "real %s", tails[row->attributes]);
    else
        snprintf(name, 16, "%u %s", row->influences, tails[row->attributes]);
}

static void name_size(uint32_t vertices, char name[16])
{
    if (vertices == 10000)
        name[0] = '\0';
    else if (vertices >= 1000000)
        snprintf(name, 16, ", %uM", vertices / 1000000);
    else
        snprintf(name, 16, ", %uk", vertices / 1000);
}

// `before`: "", "naive ", ...; `baseline`: what stands before the baseline's name, or NULL.
static void add_row(bench *b, const skinning_row *row, const char *before, const char *baseline)
{
    static const char *const ways[] = {"",       " float", " unorm16", " unorm8", " in file order",
                                       " exact", "",       "",         ""};
    char job_name[16], size[16], isa[16] = "", threads[24] = "";
    name_job(row, job_name);
    name_size(row->vertices, size);
    if (row->isa != SINEW_ISA_COUNT && !row->foreign)
        snprintf(isa, sizeof isa, " (%s)", sinew_isa_name(row->isa));
    if (row->threads)
        snprintf(threads, sizeof threads, ", %u thread%s", row->threads,
                 row->threads > 1 ? "s" : "");
    const char *scattered = row->kind == MESH_SCATTERED ? "scattered " : "";
    bench_row made = {.table = "skinning",
                      .isa = row->isa,
                      .foreign = row->foreign,
                      .threads = row->threads,
                      .run = row->run};
    snprintf(made.name, sizeof made.name, "%s%s%s%s%s%s%s", before, scattered, job_name,
             ways[row->way], size, threads, isa);
    skinning_row directed = *row; // what a row with shades is compared with
    directed.attributes = SKINNING_NORMALS;
    char directed_name[16];
    name_job(&directed, directed_name);
    if (baseline && (row->attributes & SKINNING_SHADES))
        snprintf(made.baseline, sizeof made.baseline, "%s%s%s", baseline, directed_name, size);
    else if (baseline && row->threads)
        snprintf(made.baseline, sizeof made.baseline, "%s%s, 1 thread", job_name, size);
    else if (baseline)
        snprintf(made.baseline, sizeof made.baseline, "%s%s%s%s", baseline, scattered,
                 row->influences ? job_name : "P", size);
    if (row->influences && !row->threads)
        snprintf(made.unit, sizeof made.unit, "static %sP%s%s",
                 row->kind == MESH_CHARACTER ? "real " : "", size, isa);
    if (!bench_wants(b, made.table, made.name) || skinning.failed)
        return;
    const skinning_mesh *mesh =
        find_mesh(b, row->kind, row->vertices, row->influences ? row->influences : 4);
    if (!mesh || skinning.job_count == SKINNING_MAX_JOBS ||
        ((row->attributes & SKINNING_NORMALS) && !mesh->normals) ||
        ((row->attributes & SKINNING_TANGENTS) && !mesh->tangents) ||
        ((row->attributes & SKINNING_SHADES) && !mesh->normals))
        return;
    skinning_job *job = &skinning.jobs[skinning.job_count++];
    *job =
        (skinning_job){.mesh = mesh, .attributes = row->attributes, .parallel = row->threads > 1};
    bool bound = row->run == run_bound || row->run == run_plain_dual;
    if (bound && !(job->bound = find_bound(mesh, row->attributes, row->way)))
        return;
    made.count = mesh->vertex_count;
    made.data = job;
    bench_add_row(b, &made);
}

// The library on one job, with each set of instructions up to the one in use.
static void add_isas(bench *b, skinning_row row, const char *before, const char *baseline)
{
    row.foreign = false;
    row.isa = SINEW_ISA_COUNT;
    add_row(b, &row, before, baseline);
    // the weaker ones where they tell something: not for all sizes, nor for all counts of both
    if ((row.vertices != 10000 && row.vertices != 8000000) || row.kind == MESH_SCATTERED ||
        (row.attributes && row.influences != 4))
        return;
    for (int isa = (int)b->isa - 1; isa >= 0; isa--) {
        row.isa = (sinew_isa)isa;
        if ((sinew_isa_available() >> isa & 1u) &&
            (isa > SINEW_ISA_SCALAR || row.vertices == 10000)) // a second a round
            add_row(b, &row, before, baseline);
    }
}

static void add_bound(bench *b, skinning_row row, const char *baseline)
{
    row.run = run_bound;
    add_isas(b, row, "", baseline);
}

static void add_plain(bench *b, skinning_row row, const char *baseline)
{
    row.run = row.influences ? run_plain : run_plain_static;
    add_isas(b, row, "plain ", baseline);
}

// The naive loop, the 128-bit style and the library on one job.
static void add_job(bench *b, skinning_kind kind, uint32_t vertices, uint32_t influences,
                    unsigned attributes)
{
    skinning_row row = {.kind = kind,
                        .vertices = vertices,
                        .influences = influences,
                        .attributes = attributes,
                        .isa = SINEW_ISA_SCALAR,
                        .foreign = true,
                        .run = run_naive};
    add_row(b, &row, "naive ", NULL);
    if (bench_has_128() && influences <= 4) {
        row.isa = SINEW_ISA_SSE2;
        row.run = kind == MESH_CHARACTER ? run_128_split : run_128;
        add_row(b, &row, "sse4 ", "naive ");
    }
    add_bound(b, row, "naive ");
    if (vertices == 10000)
        add_plain(b, row, "naive ");
}

// Other ways to bind, and threads.
static void add_variants(bench *b, skinning_kind kind, uint32_t vertices, uint32_t influences)
{
    skinning_row row = {.kind = kind,
                        .vertices = vertices,
                        .influences = influences,
                        .isa = SINEW_ISA_COUNT,
                        .run = run_bound};
    if (kind == MESH_CHARACTER)
        for (row.way = BOUND_FLOAT; row.way <= BOUND_IN_ORDER; row.way++)
            add_row(b, &row, "", "naive ");
    if (vertices <= 1000000) {
        row.way = BOUND_EXACT;
        row.attributes = SKINNING_NORMALS;
        add_row(b, &row, "", "naive ");
        row.attributes = 0;
    }
    row.way = BOUND_DEFAULT;
    const uint32_t workers = sinew_thread_pool_worker_count(skinning.pool);
    if (vertices < 1000000 || workers < 2)
        return;
    row.threads = 1;
    add_row(b, &row, "", NULL);
    row.threads = workers;
    add_row(b, &row, "", "");
}

// Shades, against positions and normals of the same way.
static void add_shades(bench *b, skinning_kind kind, skinning_way way)
{
    skinning_row row = {.kind = kind,
                        .vertices = 10000,
                        .influences = way == BOUND_RIGID ? 0 : 4,
                        .isa = SINEW_ISA_COUNT,
                        .way = way,
                        .run = run_bound};
    if (way == BOUND_RIGID) {
        row.attributes = SKINNING_NORMALS;
        add_row(b, &row, "", NULL);
    }
    row.attributes = SKINNING_SHADES;
    add_row(b, &row, "", "");
    row.attributes = SKINNING_SHADES | SKINNING_ROWS;
    add_row(b, &row, "", "");
    row.attributes = SKINNING_SHADES;
    row.run = run_plain;
    if (way != BOUND_RIGID)
        add_row(b, &row, "plain ", "plain ");
}

// Dual quaternions: the naive loop, the plain path, bindings with each set of instructions.
static void add_dual(bench *b, skinning_kind kind, unsigned attributes)
{
    skinning_row row = {.kind = kind,
                        .vertices = 10000,
                        .influences = 4,
                        .attributes = attributes,
                        .isa = SINEW_ISA_SCALAR,
                        .foreign = true,
                        .run = run_naive_dual};
    add_row(b, &row, "naive dual ", NULL);
    row.foreign = false;
    row.isa = SINEW_ISA_COUNT;
    row.way = BOUND_DUAL;
    row.run = run_plain_dual;
    add_row(b, &row, "plain dual ", "naive dual ");
    row.run = run_bound;
    add_row(b, &row, "dual ", "naive dual ");
    for (int isa = (int)b->isa - 1; isa >= 0; isa--) {
        row.isa = (sinew_isa)isa;
        if (sinew_isa_available() >> isa & 1u)
            add_row(b, &row, "dual ", "naive dual ");
    }
    row.isa = SINEW_ISA_COUNT;
    row.way = BOUND_SCALED;
    add_row(b, &row, "dual scaled ", "naive dual ");
}

static void add_size(bench *b, uint32_t n)
{
    static const uint32_t influences[] = {1, 2, 4, 8};
    static const unsigned attributes[] = {0, SKINNING_NORMALS,
                                          SKINNING_NORMALS | SKINNING_TANGENTS};
    skinning_row row = {.vertices = n, .isa = SINEW_ISA_COUNT, .foreign = true, .run = run_memcpy};
    char size[16], name[32];
    name_size(n, size);
    snprintf(name, sizeof name, "memcpy P%s", size);
    const skinning_mesh *mesh =
        bench_wants(b, "skinning", name) ? find_mesh(b, MESH_FIGURE, n, 4) : NULL;
    if (mesh && skinning.job_count < SKINNING_MAX_JOBS) {
        skinning_job *job = &skinning.jobs[skinning.job_count++];
        *job = (skinning_job){.mesh = mesh};
        bench_add(b, "skinning", name, NULL, n, run_memcpy, job);
    }
    row.way = BOUND_RIGID;
    add_bound(b, row, "memcpy ");
    row.kind = MESH_CHARACTER; // the same copies as those of the rows `real`
    add_bound(b, row, "memcpy ");
    row.kind = MESH_FIGURE;
    if (n == 10000) {
        row.way = BOUND_DEFAULT;
        add_plain(b, row, "memcpy ");
    }
    for (size_t k = 0; k < 4; k++)
        for (size_t a = 0; a < 3; a++)
            if (n == 10000 || (influences[k] == 4 && (n <= 1000000 || a == 0)))
                add_job(b, MESH_FIGURE, n, influences[k], attributes[a]);
    add_job(b, MESH_CHARACTER, n, 4, 0);
    if (n <= 1000000)
        add_job(b, MESH_CHARACTER, n, 4, SKINNING_NORMALS);
    if (n == 10000)
        add_job(b, MESH_SCATTERED, n, 4, 0);
    if (n == 10000) {
        add_shades(b, MESH_FIGURE, BOUND_DEFAULT);
        add_shades(b, MESH_CHARACTER, BOUND_DEFAULT);
        add_shades(b, MESH_FIGURE, BOUND_RIGID);
    }
    for (unsigned a = 0; n == 10000 && a < 2; a++) { // without and with normals
        add_dual(b, MESH_FIGURE, a);
        add_dual(b, MESH_CHARACTER, a);
    }
    if (n >= 1000000 || n == 10000) {
        add_variants(b, MESH_FIGURE, n, 4);
        add_variants(b, MESH_CHARACTER, n, 4);
    }
}

bool bench_add_skinning(bench *b)
{
    static const uint32_t sizes[] = {1000, 10000, 100000, 1000000, 8000000};
    skinning.pool = sinew_thread_pool_create(0);
    skinning.parallel = sinew_thread_pool_parallel(skinning.pool);
    for (size_t s = 0; skinning.pool && s < sizeof sizes / sizeof *sizes; s++)
        if (sizes[s] <= 1000000 || (b->filter && strstr(b->filter, "8M"))) // those are gigabytes
            add_size(b, sizes[s]);
    return skinning.pool && !skinning.failed;
}

void bench_release_skinning(void)
{
    skinning_release();
    sinew_thread_pool_destroy(skinning.pool);
    sinew_document_destroy(skinning.creature);
    memset(&skinning, 0, sizeof skinning);
}
