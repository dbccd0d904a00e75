// SPDX-License-Identifier: MIT
#include "shared_stage.h"

#include <string.h>

#include "test_main.h"

// A set that any creature can play: three states, a cross-fade, an inertialised change.
static const char set_text[] =
    "{\"version\": 1, \"sets\": {\"creature\": {"
    "\"parameters\": {\"speed\": 0},"
    "\"clips\": {\"walk\": {\"notifies\": [{\"name\": \"step\", \"phase\": 0.5}],"
    "                       \"markers\": [{\"name\": \"left\", \"phase\": 0}]}},"
    "\"states\": {"
    "  \"stand\": {\"choices\": [{\"clip\": \"idle\"}]},"
    "  \"move\": {\"choices\": [{\"clip\": \"run\", \"need\": {\"speed\": {\"min\": 1.4}}},"
    "                           {\"clip\": \"walk\"}]},"
    "  \"jump\": {\"loop\": false, \"choices\": [{\"clip\": \"jump\"}], \"next\": \"stand\"}},"
    "\"transitions\": ["
    "  {\"from\": \"stand\", \"to\": \"move\", \"when\": {\"speed\": {\"min\": 0.1}}},"
    "  {\"from\": \"move\", \"to\": \"stand\", \"when\": {\"speed\": {\"max\": 0.05}}},"
    "  {\"from\": \"*\", \"to\": \"jump\", \"kind\": \"inertialize\"}]}}}";

uint64_t shared_hash(uint64_t hash, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    if (hash == 0)
        hash = 14695981039346656037u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * 1099511628211u;
    return hash;
}

static sinew_clip_binding *bind(const shared_stage *s, const char *name)
{
    int32_t clip = sinew_document_find_clip(s->creature, name);
    assert_true(clip >= 0);
    sinew_clip_binding_desc desc = sinew_clip_binding_desc_default();
    desc.clip = s->creature->clips[clip], desc.skeleton = s->skeleton;
    sinew_clip_binding *binding = NULL;
    assert_ok(sinew_clip_binding_create(&desc, &binding));
    return binding;
}

static void make_clips(shared_stage *s)
{
    s->walk = bind(s, "walk");
    s->jump = bind(s, "jump");
    sinew_runtime_build_desc build = sinew_runtime_build_desc_default();
    build.binding = s->walk, build.preset = SINEW_RUNTIME_FAST;
    assert_ok(sinew_runtime_clip_build(&build, &s->bytes, NULL, NULL));
    assert_ok(sinew_runtime_clip_open(s->bytes.bytes, s->bytes.size, s->skeleton, NULL, &s->runtime,
                                      NULL));
    assert_ok(sinew_clip_library_create(NULL, &s->library));
    assert_ok(sinew_clip_library_read_document(s->library, s->creature, "fox_", NULL, NULL));
    sinew_root_motion_desc motion = sinew_root_motion_desc_default();
    motion.binding = s->jump;
    assert_ok(sinew_root_motion_create(&motion, &s->motion));
    sinew_model_frames_desc frames = sinew_model_frames_desc_default();
    frames.skeleton = s->skeleton;
    assert_ok(sinew_model_frames_create(&frames, &s->frames));
    sinew_mirror_desc mirror = sinew_mirror_desc_default();
    mirror.skeleton = s->skeleton;
    assert_ok(sinew_mirror_create(&mirror, &s->mirror, NULL));
    sinew_retarget_desc map = sinew_retarget_desc_default();
    map.source.skeleton = s->skeleton, map.target.skeleton = s->cub_skeleton;
    map.by = SINEW_RETARGET_BY_NAME;
    assert_ok(sinew_retarget_create(&map, &s->map, NULL));
}

static void make_skins(shared_stage *s)
{
    assert_ok(sinew_cloud_make_skin(s->skeleton, NULL, NULL, &s->skin, NULL));
    const sinew_instance *instance = &s->creature->instances[0];
    assert_true(instance->skinned);
    s->primitive = &s->creature->meshes[instance->mesh].primitives[0];
    assert_ok(sinew_document_make_skin(s->creature, (uint32_t)instance->skin, s->skeleton, NULL,
                                       &s->body_skin, NULL));
    sinew_mesh_binding_desc mesh = sinew_mesh_binding_desc_default();
    mesh.vertex_count = s->primitive->vertex_count;
    mesh.positions = s->primitive->positions, mesh.normals = s->primitive->normals;
    mesh.joints = s->primitive->joints, mesh.weights = s->primitive->weights;
    mesh.influence_count = s->primitive->influence_count;
    mesh.joint_count = sinew_skin_joint_count(s->body_skin);
    mesh.targets = s->primitive->targets, mesh.target_count = s->primitive->target_count;
    assert_ok(sinew_mesh_binding_create(&mesh, &s->mesh, NULL));
    assert_ok(sinew_document_make_bounds(s->creature, 0, NULL, &s->bounds, NULL));

    assert_ok(sinew_fixture_cloud_create(s->creature, SHARED_POINTS, NULL, &s->points));
    sinew_cloud_binding_desc cloud = sinew_cloud_binding_desc_default();
    cloud.skeleton = s->skeleton, cloud.positions = s->points->positions;
    cloud.point_count = SHARED_POINTS, cloud.falloff = 0.1f;
    assert_ok(sinew_cloud_binding_create(&cloud, &s->cloud, NULL));
    assert_ok(sinew_cloud_body_create(&(sinew_cloud_body_desc){.binding = s->cloud,
                                                               .positions = s->points->positions,
                                                               .normals = s->points->normals},
                                      &s->body, NULL));
    assert_ok(sinew_surface_binding_create(
        &(sinew_surface_binding_desc){.vertices = s->primitive->positions,
                                      .vertex_count = s->primitive->vertex_count,
                                      .indices = s->primitive->indices,
                                      .index_count = s->primitive->index_count,
                                      .positions = s->points->positions,
                                      .point_count = 64},
        &s->surface, NULL));
}

static void make_players(shared_stage *s)
{
    sinew_set_file_desc file = sinew_set_file_desc_default();
    file.text = set_text, file.size = sizeof set_text - 1;
    assert_ok(sinew_set_file_create(&file, &s->sets, NULL));
    sinew_set_binding_desc binding = sinew_set_binding_desc_default();
    binding.set = sinew_set_file_at(s->sets, 0), binding.skeleton = s->skeleton;
    binding.library = s->library, binding.prefix = "fox_";
    assert_ok(sinew_set_binding_create(&binding, &s->set_binding, NULL));

    sinew_spring_link links[6];
    static const char *const tail[6] = {"tail_1", "tail_2", "tail_3", "tail_4", "tail_5", "tail_6"};
    for (int i = 0; i < 6; i++)
        links[i] =
            (sinew_spring_link){.joint = (uint32_t)sinew_skeleton_find_joint(s->skeleton, tail[i]),
                                .stiffness = 1.0f,
                                .drag = 0.3f};
    const sinew_spring_chain chain = {.links = links, .link_count = 6, .center = -1};
    assert_ok(sinew_joint_springs_create(
        &(sinew_joint_springs_desc){.skeleton = s->skeleton, .chains = &chain, .chain_count = 1},
        &s->springs, NULL));
    assert_ok(sinew_leash_model_from_skeleton(
        &(sinew_leash_skeleton_desc){.name = "creature", .skeleton = s->skeleton}, &s->leash,
        NULL));
}

void shared_stage_make(shared_stage *s)
{
    memset(s, 0, sizeof *s);
    assert_ok(sinew_fixture_creature(NULL, &s->creature));
    assert_ok(sinew_fixture_cub(NULL, &s->cub));
    assert_ok(sinew_fixture_bird(NULL, &s->bird));
    assert_ok(sinew_document_rig_skeleton(s->creature, 0, NULL, &s->skeleton, NULL));
    assert_ok(sinew_document_rig_skeleton(s->cub, 0, NULL, &s->cub_skeleton, NULL));
    s->joint_count = sinew_skeleton_joint_count(s->skeleton);
    assert_true(s->joint_count <= SHARED_JOINTS);
    make_clips(s);
    make_skins(s);
    make_players(s);
}

void shared_stage_free(shared_stage *s)
{
    sinew_leash_model_destroy(s->leash);
    sinew_joint_springs_destroy(s->springs);
    sinew_set_binding_destroy(s->set_binding);
    sinew_set_file_destroy(s->sets);
    sinew_surface_binding_destroy(s->surface);
    sinew_cloud_body_destroy(s->body);
    sinew_cloud_binding_destroy(s->cloud);
    sinew_fixture_cloud_destroy(s->points);
    sinew_skin_bounds_destroy(s->bounds);
    sinew_mesh_binding_destroy(s->mesh);
    sinew_skin_destroy(s->body_skin);
    sinew_skin_destroy(s->skin);
    sinew_retarget_destroy(s->map);
    sinew_mirror_destroy(s->mirror);
    sinew_model_frames_destroy(s->frames);
    sinew_root_motion_destroy(s->motion);
    sinew_clip_library_destroy(s->library);
    sinew_runtime_clip_destroy(s->runtime);
    sinew_runtime_bytes_free(&s->bytes);
    sinew_clip_binding_destroy(s->jump);
    sinew_clip_binding_destroy(s->walk);
    sinew_skeleton_destroy(s->cub_skeleton);
    sinew_skeleton_destroy(s->skeleton);
    sinew_stream_pack_destroy(s->bird);
    sinew_document_destroy(s->cub);
    sinew_document_destroy(s->creature);
}
