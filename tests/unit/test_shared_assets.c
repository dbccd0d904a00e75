// SPDX-License-Identifier: MIT
// Assets are immutable and shared: several threads, each with instances of its own, sample, mix,
// tick, skin and ask the same documents, skeletons, clips, bindings, runtime clips, skins, sets and
// clouds, and come to the bits that one thread alone comes to. The thread sanitizer looks on.
#include "../support/test_main.h"

#include <string.h>

#include "extras/thread_pool.h"

#include "../support/shared_stage.h"

enum { ACTORS = 16, FRAMES = 12, MOST_VERTICES = 8192 };

/// What an actor of a thread owns: one block each of all that is written.
typedef struct actor_memory {
    sinew_pose pose, other, cub;
    void *poses, *context, *runtime_context, *scratch, *retarget_scratch, *springs, *performer;
    void *kernel_palette;
    float *vertices, *points;
    sinew_springs point_springs;
    void *point_memory;
} actor_memory;

typedef struct shared_job {
    const shared_stage *stage;
    uint64_t hashes[ACTORS];
    sinew_result results[ACTORS]; // 0, or codes of what failed
} shared_job;

static void make_memory(actor_memory *m, const shared_stage *s)
{
    const size_t pose = sinew_pose_size(s->joint_count);
    memset(m, 0, sizeof *m);
    m->poses = test_block(3 * pose);
    assert_ok(sinew_pose_init(&m->pose, s->joint_count, m->poses, pose));
    assert_ok(sinew_pose_init(&m->other, s->joint_count, (char *)m->poses + pose, pose));
    assert_ok(sinew_pose_init(&m->cub, s->joint_count, (char *)m->poses + 2 * pose, pose));
    m->context = test_block(sinew_clip_context_size(s->walk));
    m->runtime_context = test_block(sinew_runtime_context_size(s->runtime));
    m->scratch = test_block(sinew_set_binding_scratch_size(s->set_binding));
    m->retarget_scratch = test_block(sinew_retarget_scratch_size(s->map));
    m->springs = test_block(sinew_joint_springs_state_size(s->springs));
    m->performer = test_block(sinew_stream_performer_size(s->bird->rig));
    m->kernel_palette = test_block(sinew_kernel_palette_size(s->joint_count));
    m->vertices = test_block(3 * MOST_VERTICES * sizeof(float));
    m->points = test_block(3 * SHARED_POINTS * sizeof(float));
    m->point_memory = test_block(sinew_springs_size(SHARED_POINTS));
}

static void free_memory(actor_memory *m)
{
    void *const blocks[] = {m->poses,     m->context,          m->runtime_context,
                            m->scratch,   m->retarget_scratch, m->springs,
                            m->performer, m->kernel_palette,   m->vertices,
                            m->points,    m->point_memory};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        test_block_free(blocks[i]);
}

static uint64_t hash_pose(uint64_t hash, const sinew_pose *pose)
{
    return shared_hash(hash, pose->planes, sinew_pose_size(pose->joint_count));
}

// What threads make of shared assets, and ask of them.
static sinew_result make_and_ask(const shared_stage *s, uint64_t *hash)
{
    sinew_skeleton *skeleton = NULL;
    sinew_skin *skin = NULL;
    sinew_clip_binding *binding = NULL;
    sinew_runtime_clip *runtime = NULL;
    sinew_result bad = sinew_document_rig_skeleton(s->creature, 0, NULL, &skeleton, NULL);
    bad |= sinew_document_make_skin(s->creature, 0, s->skeleton, NULL, &skin, NULL);
    bad |= sinew_clip_library_bind(s->library, "fox_run", s->skeleton, NULL, &binding, NULL);
    bad |=
        sinew_runtime_clip_open(s->bytes.bytes, s->bytes.size, s->skeleton, NULL, &runtime, NULL);
    const int32_t facts[] = {sinew_skeleton_find_joint(s->skeleton, "head"),
                             sinew_skeleton_find_joint_logged(s->skeleton, "no such joint"),
                             sinew_document_find_clip(s->creature, "jump"),
                             (int32_t)sinew_clip_library_count(s->library),
                             sinew_set_find_state(sinew_set_binding_set(s->set_binding), "jump"),
                             (int32_t)sinew_skeleton_joint_count(skeleton),
                             (int32_t)sinew_skin_joint_count(skin),
                             (int32_t)sinew_runtime_clip_sample_count(runtime),
                             sinew_clip_binding_touches(binding, 1),
                             (int32_t)sinew_mirror_pair_count(s->mirror),
                             (int32_t)sinew_mesh_binding_get_info(s->mesh).block_count,
                             (int32_t)sinew_cloud_binding_get_info(s->cloud).used_joint_count};
    *hash = shared_hash(*hash, facts, sizeof facts);
    sinew_runtime_clip_destroy(runtime);
    sinew_clip_binding_destroy(binding);
    sinew_skin_destroy(skin);
    sinew_skeleton_destroy(skeleton);
    return bad;
}

static sinew_result mix(const shared_stage *s, actor_memory *m, double time)
{
    sinew_clip_context *context = NULL;
    sinew_runtime_context *runtime_context = NULL;
    sinew_result bad =
        sinew_clip_context_init(m->context, sinew_clip_context_size(s->walk), &context);
    bad |= sinew_runtime_context_init(m->runtime_context, sinew_runtime_context_size(s->runtime),
                                      &runtime_context);
    bad |= sinew_clip_sample(
        &(sinew_sample_args){.binding = s->jump, .time = time, .out_pose = &m->other});
    bad |= sinew_root_motion_remove(s->motion, &m->other, NULL);
    bad |= sinew_clip_sample(&(sinew_sample_args){
        .binding = s->walk, .time = time, .context = context, .out_pose = &m->cub});
    bad |= sinew_runtime_clip_sample(&(sinew_runtime_sample_args){
        .clip = s->runtime, .time = time, .context = runtime_context, .out_pose = &m->cub});
    const sinew_blend_input inputs[2] = {{.pose = &m->other, .weight = 0.25f},
                                         {.pose = &m->cub, .weight = 0.75f}};
    bad |= sinew_blend(&(sinew_blend_args){
        .skeleton = s->skeleton, .inputs = inputs, .input_count = 2, .out_pose = &m->other});
    bad |= sinew_mirror_pose(
        &(sinew_mirror_args){.mirror = s->mirror, .pose = &m->other, .out_pose = &m->other});
    return bad | sinew_retarget_pose(
                     &(sinew_retarget_args){.map = s->map,
                                            .pose = &m->other,
                                            .out_pose = &m->cub,
                                            .scratch = m->retarget_scratch,
                                            .scratch_size = sinew_retarget_scratch_size(s->map)});
}

static sinew_result skin(const shared_stage *s, actor_memory *m, const sinew_mat4 *model,
                         uint64_t *hash)
{
    sinew_mat3x4 palette[SHARED_JOINTS], center;
    const uint32_t slots = sinew_skin_joint_count(s->body_skin);
    sinew_result bad = sinew_palette_build(&(sinew_palette_args){.skin = s->body_skin,
                                                                 .model = model,
                                                                 .model_count = s->joint_count,
                                                                 .out_palette = palette,
                                                                 .out_count = slots,
                                                                 .out_center = &center});
    bad |= sinew_kernel_palette_build(palette, slots, &center, m->kernel_palette,
                                      sinew_kernel_palette_size(slots));
    const uint32_t vertices = s->primitive->vertex_count;
    bad |= sinew_skin_mesh(&(sinew_skin_mesh_args){.binding = s->mesh,
                                                   .kernel_palette = m->kernel_palette,
                                                   .out_positions = m->vertices,
                                                   .out_size = MOST_VERTICES});
    *hash = shared_hash(*hash, m->vertices, 3 * vertices * sizeof(float));
    sinew_box box;
    bad |= sinew_skin_bounds_box(&(sinew_skin_bounds_args){.bounds = s->bounds,
                                                           .palette = palette,
                                                           .palette_count = slots,
                                                           .center = &center,
                                                           .out_box = &box});
    *hash = shared_hash(*hash, &box, sizeof box);
    bad |= sinew_skin_vertices(&(sinew_skin_args){.palette = palette,
                                                  .palette_count = slots,
                                                  .center = &center,
                                                  .joints = s->primitive->joints,
                                                  .weights = s->primitive->weights,
                                                  .influence_count = s->primitive->influence_count,
                                                  .vertex_count = vertices,
                                                  .positions = s->primitive->positions,
                                                  .out_positions = m->vertices,
                                                  .out_size = MOST_VERTICES});
    *hash = shared_hash(*hash, m->vertices, 3 * vertices * sizeof(float));
    bad |= sinew_surface_pose(&(sinew_surface_pose_args){.binding = s->surface,
                                                         .vertices = m->vertices,
                                                         .vertex_count = vertices,
                                                         .out_positions = m->points,
                                                         .out_size = SHARED_POINTS});
    return bad;
}

static sinew_result move_cloud(const shared_stage *s, actor_memory *m, const sinew_mat4 *model,
                               uint64_t *hash)
{
    sinew_mat3x4 palette[SHARED_JOINTS], center;
    sinew_result bad = sinew_palette_build(&(sinew_palette_args){.skin = s->skin,
                                                                 .model = model,
                                                                 .model_count = s->joint_count,
                                                                 .out_palette = palette,
                                                                 .out_count = s->joint_count,
                                                                 .out_center = &center});
    bad |= sinew_cloud_pose(&(sinew_cloud_pose_args){.binding = s->cloud,
                                                     .palette = palette,
                                                     .palette_count = s->joint_count,
                                                     .center = &center,
                                                     .point_count = SHARED_POINTS,
                                                     .positions = s->points->positions,
                                                     .out_positions = m->points,
                                                     .out_size = SHARED_POINTS});
    bad |= sinew_kernel_palette_build(palette, s->joint_count, &center, m->kernel_palette,
                                      sinew_kernel_palette_size(s->joint_count));
    const sinew_spring cloth = sinew_spring_preset_values(SINEW_SPRING_CLOTH);
    sinew_spring_step step;
    bad |= sinew_spring_step_make(&cloth, 1.0 / 60, &step);
    bad |= sinew_cloud_body_step(&(sinew_cloud_step_args){.body = s->body,
                                                          .kernel_palette = m->kernel_palette,
                                                          .springs = &m->point_springs,
                                                          .steps = &step,
                                                          .step_count = 1,
                                                          .out_positions = m->points,
                                                          .out_size = SHARED_POINTS});
    *hash = shared_hash(*hash, m->points, 3 * SHARED_POINTS * sizeof(float));
    return bad;
}

// Some frames of one actor with all that it owns; `index` makes it another than the others.
static void run_actor(void *data, uint32_t index, uint32_t worker)
{
    (void)worker;
    shared_job *job = data;
    const shared_stage *s = job->stage;
    actor_memory m;
    make_memory(&m, s);
    uint64_t hash = 0;
    sinew_result bad = make_and_ask(s, &hash);
    sinew_player *player = NULL;
    bad |= sinew_player_create(&(sinew_player_desc){.binding = s->set_binding}, &player);
    bad |= sinew_player_set_parameter(player, 0, 0.5 * (index % 4));
    sinew_stream_performer *performer = NULL;
    bad |= sinew_stream_performer_init(m.performer, sinew_stream_performer_size(s->bird->rig),
                                       s->bird->rig, &performer);
    sinew_joint_springs_state springs;
    bad |= sinew_joint_springs_state_init(&springs, s->springs, m.springs,
                                          sinew_joint_springs_state_size(s->springs));
    bad |= sinew_springs_init(&m.point_springs, SHARED_POINTS, m.point_memory,
                              sinew_springs_size(SHARED_POINTS));
    sinew_leash leash;
    sinew_leash_init(&leash);
    for (uint32_t frame = 0; frame < FRAMES && bad == SINEW_OK; frame++) {
        const double time = 0.07 * (frame + index);
        bad |= mix(s, &m, time);
        hash = hash_pose(hash, &m.cub);
        if (frame == 5)
            bad |= sinew_player_request(player, 2, NULL);
        bad |= sinew_player_tick(&(sinew_player_tick_args){
            .player = player,
            .dt = 0.05,
            .scratch = m.scratch,
            .scratch_size = sinew_set_binding_scratch_size(s->set_binding),
            .out_pose = &m.pose});
        sinew_mat4 model[SHARED_JOINTS];
        bad |= sinew_local_to_model(&(sinew_local_to_model_args){.skeleton = s->skeleton,
                                                                 .pose = &m.pose,
                                                                 .out_model = model,
                                                                 .out_count = s->joint_count});
        bad |=
            sinew_joint_springs_update(&(sinew_joint_springs_args){.state = &springs,
                                                                   .dt = 0.05,
                                                                   .pose = &m.pose,
                                                                   .model = model,
                                                                   .model_count = s->joint_count});
        bad |= sinew_leash_apply(&(sinew_leash_args){.model = s->leash,
                                                     .leash = &leash,
                                                     .limit = 0.2f,
                                                     .dt = 0.05f,
                                                     .draw = model,
                                                     .joint_count = s->joint_count,
                                                     .out_draw = model});
        hash = hash_pose(hash, &m.pose);
        bad |= skin(s, &m, model, &hash);
        bad |= move_cloud(s, &m, model, &hash);
        bad |= sinew_stream_performer_show(performer, s->bird->clips[frame % 3],
                                           frame * 1.25 + index, true);
        hash = hash_pose(hash, sinew_stream_performer_pose(performer));
    }
    sinew_player_destroy(player);
    free_memory(&m);
    job->hashes[index] = hash;
    job->results[index] = bad;
}

static void threads_share_assets(void **state)
{
    (void)state;
    static shared_stage stage;
    static shared_job wide, alone;
    shared_stage_make(&stage);
    assert_true(stage.primitive->vertex_count <= MOST_VERTICES);
    wide.stage = alone.stage = &stage;
    sinew_thread_pool *pool = sinew_thread_pool_create(8);
    assert_non_null(pool);
    const sinew_parallel parallel = sinew_thread_pool_parallel(pool);
    sinew_parallel_for(&parallel, ACTORS, run_actor, &wide);
    sinew_thread_pool_destroy(pool);
    for (uint32_t i = 0; i < ACTORS; i++) {
        run_actor(&alone, i, 0);
        assert_ok(wide.results[i]);
        assert_ok(alone.results[i]);
        assert_true(wide.hashes[i] == alone.hashes[i]);
        // actors differ, or equal hashes would tell nothing
        assert_true(i == 0 || alone.hashes[i] != alone.hashes[i - 1]);
    }
    shared_stage_free(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_share_assets)};
    return TEST_RUN(tests);
}
