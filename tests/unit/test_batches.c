// SPDX-License-Identifier: MIT
// Every call that goes wide through a sinew_parallel gives the same bits on the calling thread and
// on 1 to 8 workers. The table is held against the headers: each `parallel` there has a row here.
#include "../support/test_main.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extras/thread_pool.h"

#include "../support/random.h"
#include "../support/shared_stage.h"

enum { MOST_WORKERS = 8, PLAYERS = 37, MESHES = 5, BODY_POINTS = 5000 };

static shared_stage stage;

static sinew_mat3x4 palette[SHARED_JOINTS], center;

// A palette of the walk, for what moves points.
static void make_palette(const sinew_skin *skin, void *kernel_palette)
{
    sinew_pose pose = test_pose_at_rest(stage.skeleton);
    sinew_mat4 model[SHARED_JOINTS];
    assert_ok(sinew_clip_sample(
        &(sinew_sample_args){.binding = stage.walk, .time = 0.3, .out_pose = &pose}));
    assert_ok(sinew_local_to_model(&(sinew_local_to_model_args){.skeleton = stage.skeleton,
                                                                .pose = &pose,
                                                                .out_model = model,
                                                                .out_count = stage.joint_count}));
    assert_ok(sinew_palette_build(&(sinew_palette_args){.skin = skin,
                                                        .model = model,
                                                        .model_count = stage.joint_count,
                                                        .out_palette = palette,
                                                        .out_count = SHARED_JOINTS,
                                                        .out_center = &center}));
    const uint32_t count = sinew_skin_joint_count(skin);
    assert_ok(sinew_kernel_palette_build(palette, count, &center, kernel_palette,
                                         sinew_kernel_palette_size(count)));
    test_pose_free(&pose);
}

// ---- The calls: what each makes, as a hash ------------------------------------------------------

static void mark(void *data, uint32_t index, uint32_t worker)
{
    (void)worker;
    ((uint32_t *)data)[index] = index * 2654435761u;
}

static uint64_t hash_of_parallel_for(const sinew_parallel *parallel)
{
    uint32_t marks[500] = {0};
    sinew_parallel_for(parallel, 500, mark, marks);
    return shared_hash(0, marks, sizeof marks);
}

static uint64_t hash_of_cloud_binding(const sinew_parallel *parallel)
{
    uint64_t hash = 0;
    sinew_fixture_cloud *points = NULL;
    assert_ok(sinew_fixture_cloud_create(stage.creature, BODY_POINTS, NULL, &points));
    for (int way = SINEW_CLOUD_NEAREST; way <= SINEW_CLOUD_ALONG_BODY; way++) {
        sinew_cloud_binding_desc desc = sinew_cloud_binding_desc_default();
        desc.skeleton = stage.skeleton, desc.positions = points->positions;
        desc.point_count = BODY_POINTS, desc.falloff = 0.1f, desc.influence_count = 4;
        desc.way = (sinew_cloud_way)way, desc.parallel = parallel;
        sinew_cloud_binding *binding = NULL;
        assert_ok(sinew_cloud_binding_create(&desc, &binding, NULL));
        sinew_cloud_binding_info info = sinew_cloud_binding_get_info(binding);
        size_t count = (size_t)info.point_count * info.influence_count;
        hash = shared_hash(hash, info.joints, count * sizeof *info.joints);
        hash = shared_hash(hash, info.weights, count * sizeof *info.weights);
        sinew_cloud_binding_destroy(binding);
    }
    sinew_fixture_cloud_destroy(points);
    return hash;
}

static uint64_t hash_of_surface_binding(const sinew_parallel *parallel)
{
    sinew_surface_binding *binding = NULL;
    assert_ok(sinew_surface_binding_create(
        &(sinew_surface_binding_desc){.vertices = stage.primitive->positions,
                                      .vertex_count = stage.primitive->vertex_count,
                                      .indices = stage.primitive->indices,
                                      .index_count = stage.primitive->index_count,
                                      .positions = stage.points->positions,
                                      .point_count = SHARED_POINTS,
                                      .parallel = parallel},
        &binding, NULL));
    sinew_surface_binding_info info = sinew_surface_binding_get_info(binding);
    uint64_t hash = shared_hash(0, info.corners, 3 * SHARED_POINTS * sizeof *info.corners);
    hash = shared_hash(hash, info.triangles, SHARED_POINTS * sizeof *info.triangles);
    hash = shared_hash(hash, info.shares, 3 * SHARED_POINTS * sizeof *info.shares);
    hash = shared_hash(hash, info.heights, SHARED_POINTS * sizeof *info.heights);
    sinew_surface_binding_destroy(binding);
    return hash;
}

// A body of enough points for several ranges, some steps of its springs.
static uint64_t hash_of_cloud_body_step(const sinew_parallel *parallel)
{
    sinew_fixture_cloud *points = NULL;
    sinew_cloud_binding *binding = NULL;
    sinew_cloud_body *body = NULL;
    assert_ok(sinew_fixture_cloud_create(stage.creature, BODY_POINTS, NULL, &points));
    sinew_cloud_binding_desc desc = sinew_cloud_binding_desc_default();
    desc.skeleton = stage.skeleton, desc.positions = points->positions;
    desc.point_count = BODY_POINTS, desc.falloff = 0.1f;
    assert_ok(sinew_cloud_binding_create(&desc, &binding, NULL));
    assert_ok(sinew_cloud_body_create(&(sinew_cloud_body_desc){.binding = binding,
                                                               .positions = points->positions,
                                                               .normals = points->normals},
                                      &body, NULL));
    void *kernel_palette = test_block(sinew_kernel_palette_size(stage.joint_count));
    void *memory = test_block(sinew_springs_size(BODY_POINTS));
    float *normals = test_block(3 * BODY_POINTS * sizeof(float));
    make_palette(stage.skin, kernel_palette);
    sinew_springs springs;
    assert_ok(sinew_springs_init(&springs, BODY_POINTS, memory, sinew_springs_size(BODY_POINTS)));
    const sinew_spring light = sinew_spring_preset_values(SINEW_SPRING_LIGHT);
    sinew_spring_step step;
    assert_ok(sinew_spring_step_make(&light, 1.0 / 60, &step));
    uint64_t hash = 0;
    for (int frame = 0; frame < 3; frame++) {
        assert_ok(sinew_cloud_body_step(&(sinew_cloud_step_args){.body = body,
                                                                 .kernel_palette = kernel_palette,
                                                                 .springs = &springs,
                                                                 .steps = &step,
                                                                 .step_count = 1,
                                                                 .out_normals = normals,
                                                                 .out_size = BODY_POINTS,
                                                                 .parallel = parallel}));
        hash = shared_hash(hash, springs.positions, 3 * BODY_POINTS * sizeof(float));
        hash = shared_hash(hash, springs.velocities, 3 * BODY_POINTS * sizeof(float));
        hash = shared_hash(hash, normals, 3 * BODY_POINTS * sizeof(float));
        const uint32_t count = stage.joint_count;
        for (uint32_t j = 0; j < count; j++)
            palette[j].m[3] += 0.25f; // springs have something to follow
        assert_ok(sinew_kernel_palette_build(palette, count, &center, kernel_palette,
                                             sinew_kernel_palette_size(count)));
    }
    test_block_free(normals);
    test_block_free(memory);
    test_block_free(kernel_palette);
    sinew_cloud_body_destroy(body);
    sinew_cloud_binding_destroy(binding);
    sinew_fixture_cloud_destroy(points);
    return hash;
}

static uint64_t hash_of_skin_meshes(const sinew_parallel *parallel)
{
    const uint32_t vertices = stage.primitive->vertex_count;
    const size_t size = (size_t)3 * vertices * sizeof(float);
    void *kernel_palette =
        test_block(sinew_kernel_palette_size(sinew_skin_joint_count(stage.body_skin)));
    make_palette(stage.body_skin, kernel_palette);
    const float weights[2] = {0.5f, 0.25f};
    sinew_skin_mesh_args args[MESHES];
    for (int i = 0; i < MESHES; i++)
        args[i] = (sinew_skin_mesh_args){.binding = stage.mesh,
                                         .kernel_palette = kernel_palette,
                                         .out_positions = test_block(size),
                                         .out_normals = test_block(size),
                                         .out_size = vertices,
                                         .morph_weights = i % 2 ? weights : NULL,
                                         .morph_weight_count = i % 2 ? 2 : 0,
                                         .exact_normals = i == 2};
    assert_ok(sinew_skin_meshes(args, MESHES, parallel));
    uint64_t hash = 0;
    for (int i = 0; i < MESHES; i++) {
        hash = shared_hash(hash, args[i].out_positions, size);
        hash = shared_hash(hash, args[i].out_normals, size);
        test_block_free(args[i].out_positions);
        test_block_free(args[i].out_normals);
    }
    test_block_free(kernel_palette);
    return hash;
}

static uint64_t hash_of_runtime_build(const sinew_parallel *parallel)
{
    sinew_runtime_build_desc desc = sinew_runtime_build_desc_default();
    desc.binding = stage.jump, desc.parallel = parallel;
    sinew_runtime_bytes bytes;
    sinew_runtime_report report;
    assert_ok(sinew_runtime_clip_build(&desc, &bytes, &report, NULL));
    uint64_t hash = shared_hash(0, bytes.bytes, bytes.size);
    hash = shared_hash(hash, &report.max_error, sizeof report.max_error);
    sinew_runtime_bytes_free(&bytes);
    return hash;
}

static uint64_t hash_of_players(const sinew_parallel *parallel)
{
    sinew_player *players[PLAYERS];
    sinew_pose poses[PLAYERS];
    sinew_player_event events[PLAYERS][4];
    uint32_t counts[PLAYERS];
    const size_t scratch_size = sinew_set_binding_scratch_size(stage.set_binding);
    void *scratch = test_block(MOST_WORKERS * scratch_size);
    for (uint32_t i = 0; i < PLAYERS; i++) {
        poses[i] = test_pose_at_rest(stage.skeleton);
        assert_ok(
            sinew_player_create(&(sinew_player_desc){.binding = stage.set_binding}, &players[i]));
        assert_ok(sinew_player_set_parameter(players[i], 0, 0.1 * i));
    }
    uint64_t hash = 0;
    for (uint32_t tick = 0; tick < 30; tick++) {
        for (uint32_t i = tick; i < PLAYERS; i += 30)
            assert_ok(sinew_player_request(players[i], 2, NULL));
        assert_ok(sinew_players_tick(&(sinew_players_tick_args){.players = players,
                                                                .player_count = PLAYERS,
                                                                .dt = 1.0 / 20,
                                                                .parallel = parallel,
                                                                .scratch = scratch,
                                                                .scratch_size = scratch_size,
                                                                .out_poses = poses,
                                                                .out_events = events[0],
                                                                .event_capacity = 4,
                                                                .out_event_counts = counts}));
        for (uint32_t i = 0; i < PLAYERS; i++) {
            hash = shared_hash(hash, poses[i].planes, sinew_pose_size(stage.joint_count));
            for (uint32_t k = 0; k < counts[i]; k++)
                hash = shared_hash(hash, &events[i][k].ago, sizeof events[i][k].ago);
        }
        hash = shared_hash(hash, counts, sizeof counts);
    }
    for (uint32_t i = 0; i < PLAYERS; i++) {
        sinew_player_destroy(players[i]);
        test_pose_free(&poses[i]);
    }
    test_block_free(scratch);
    return hash;
}

static const struct batch {
    const char *header; ///< where its `parallel` stands
    const char *name;
    uint64_t (*hash)(const sinew_parallel *parallel);
} batches[] = {
    {"base.h", "sinew_parallel_for", hash_of_parallel_for},
    {"cloud.h", "sinew_cloud_binding_create", hash_of_cloud_binding},
    {"cloud.h", "sinew_surface_binding_create", hash_of_surface_binding},
    {"cloud.h", "sinew_cloud_body_step", hash_of_cloud_body_step},
    {"mesh_binding.h", "sinew_skin_meshes", hash_of_skin_meshes},
    {"runtime_clip.h", "sinew_runtime_clip_build", hash_of_runtime_build},
    {"set.h", "sinew_players_tick", hash_of_players},
};
enum { BATCHES = sizeof batches / sizeof batches[0] };

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    shared_stage_make(&stage);
    uint64_t alone[BATCHES];
    for (int b = 0; b < BATCHES; b++)
        alone[b] = batches[b].hash(NULL);
    for (uint32_t workers = 1; workers <= MOST_WORKERS; workers++) {
        sinew_thread_pool *pool = sinew_thread_pool_create(workers);
        assert_non_null(pool);
        const sinew_parallel parallel = sinew_thread_pool_parallel(pool);
        for (int b = 0; b < BATCHES; b++)
            if (batches[b].hash(&parallel) != alone[b])
                fail_msg("%s: other bits with %u workers", batches[b].name, workers);
        sinew_thread_pool_destroy(pool);
    }
    shared_stage_free(&stage);
}

// How often the hook is taken in a header, as a field or an argument.
static int count_hooks(const char *root, const char *header)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/include/sinew/%s", root, header);
    FILE *file = fopen(path, "rb");
    if (!file)
        return 0;
    static char text[1 << 17];
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = '\0';
    int count = 0;
    for (const char *at = text; (at = strstr(at, "const sinew_parallel *")) != NULL; at++)
        count++;
    return count;
}

static void every_hook_of_the_headers_is_here(void **state)
{
    (void)state;
    const char *root = getenv("SINEW_SOURCE_DIR");
    if (!root)
        skip();
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/include/sinew", root);
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    int files = 0;
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        int rows = 0;
        for (int b = 0; b < BATCHES; b++)
            rows += strcmp(batches[b].header, entry->d_name) == 0;
        int hooks = count_hooks(root, entry->d_name);
        if (hooks != rows)
            fail_msg("%s takes a sinew_parallel %d times, and %d rows are here", entry->d_name,
                     hooks, rows);
        files += entry->d_name[0] != '.';
    }
    closedir(entries);
    assert_true(files > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(every_hook_of_the_headers_is_here),
    };
    return TEST_RUN(tests);
}
