// SPDX-License-Identifier: MIT
// Packs: the bird there and back, its document against the stream itself, and what is refused.
#include "../support/test_main.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../support/counting_allocator.h"
#include "../support/random.h"
#include "../support/stream_stage.h"
#include "sinew/gltf.h"
#include "sinew/leash.h"
#include "sinew_fixtures.h"

static sinew_stream_pack *make_bird(void)
{
    sinew_stream_pack *pack;
    assert_ok(sinew_fixture_bird(NULL, &pack));
    return pack;
}

static char *bird_text(size_t *out_size)
{
    *out_size = sinew_fixture_bird_text(NULL, 0);
    char *text = malloc(*out_size + 1);
    assert_non_null(text);
    assert_int_equal(sinew_fixture_bird_text(text, *out_size + 1), *out_size);
    assert_int_equal(strlen(text), *out_size);
    return text;
}

// ---- Vertices -----------------------------------------------------------------------------------

// Where the document's plain nodes put the vertices of a mesh, in doubles.
static void check_vertices(const sinew_document *d, const sinew_mat4 *model,
                           const sinew_stream_mesh *mesh, uint32_t mesh_index,
                           const sinew_mat4 *inverse_binds, const sinew_mat4 *draw,
                           double tolerance)
{
    const sinew_primitive *p = &mesh->primitive, *q = &d->meshes[mesh_index].primitives[0];
    const sinew_document_skin *skin = &d->skins[0];
    assert_int_equal(q->vertex_count, p->vertex_count);
    for (uint32_t v = 0; v < p->vertex_count; v++) {
        double sums[2][3] = {{0}, {0}};
        for (uint32_t k = 0; k < p->influence_count; k++) {
            size_t at = (size_t)v * p->influence_count + k;
            const float *x = p->positions + 3 * (size_t)v;
            sinew_vec3 local = sinew_vec3_make(x[0], x[1], x[2]), other = local;
            if (inverse_binds)
                local = sinew_mat4_transform_point(&inverse_binds[p->joints[at]], local);
            other = sinew_mat4_transform_point(&skin->inverse_binds[q->joints[at]], other);
            sinew_vec3 a = sinew_mat4_transform_point(&draw[p->joints[at]], local);
            sinew_vec3 b = sinew_mat4_transform_point(&model[skin->joints[q->joints[at]]], other);
            const double one[3] = {a.x, a.y, a.z}, two[3] = {b.x, b.y, b.z};
            for (int c = 0; c < 3; c++) {
                sums[0][c] += (double)p->weights[at] * one[c];
                sums[1][c] += (double)q->weights[at] * two[c];
            }
        }
        for (int c = 0; c < 3; c++)
            assert_near(sums[1][c], sums[0][c], tolerance);
    }
}

// All clips of a document at all frames against performers.
static void check_document(const sinew_stream_rig *rig, const sinew_stream_clip *const *clips,
                           uint32_t clip_count, const sinew_stream_mesh *meshes,
                           uint32_t mesh_count, const sinew_mat4 *inverse_binds,
                           const sinew_document *d)
{
    sinew_skeleton *skeleton;
    assert_ok(sinew_document_skeleton(d, NULL, &skeleton, NULL));
    uint32_t n = sinew_skeleton_joint_count(skeleton);
    char *planes = test_block(sinew_pose_size(n));
    sinew_mat4 *model = test_block(n * sizeof *model), *by_node = test_block(n * sizeof *model);
    sinew_pose pose;
    assert_ok(sinew_pose_init(&pose, n, planes, sinew_pose_size(n)));
    size_t size = sinew_stream_performer_size(rig);
    char *memory = test_block(size);
    sinew_stream_performer *performer;
    assert_ok(sinew_stream_performer_init(memory, size, rig, &performer));
    double tolerance = 1e-5 * (double)sinew_stream_rig_height(rig);
    for (uint32_t c = 0; c < clip_count; c++) {
        sinew_clip_binding_desc desc = sinew_clip_binding_desc_default();
        desc.clip = d->clips[c];
        desc.skeleton = skeleton;
        sinew_clip_binding *binding;
        assert_ok(sinew_clip_binding_create(&desc, &binding));
        for (uint32_t f = 0; f < sinew_stream_clip_frame_count(clips[c]); f++) {
            double time = (double)(float)(f / sinew_stream_clip_rate(clips[c]));
            assert_ok(sinew_clip_sample(
                &(sinew_sample_args){.binding = binding, .time = time, .out_pose = &pose}));
            assert_ok(sinew_local_to_model(&(sinew_local_to_model_args){
                .skeleton = skeleton, .pose = &pose, .out_model = model, .out_count = n}));
            for (uint32_t j = 0; j < n; j++)
                by_node[sinew_skeleton_nodes(skeleton)[j]] = model[j];
            assert_ok(sinew_stream_performer_show(performer, clips[c], f, false));
            for (uint32_t m = 0; m < mesh_count; m++)
                check_vertices(d, by_node, &meshes[m], m, inverse_binds,
                               sinew_stream_performer_draw(performer), tolerance);
        }
        sinew_clip_binding_destroy(binding);
    }
    test_block_free(memory);
    test_block_free(planes);
    test_block_free(model);
    test_block_free(by_node);
    sinew_skeleton_destroy(skeleton);
}

static sinew_document *through_a_file(const sinew_document *document);

static void the_bird_has_the_same_vertices_as_plain_nodes(void **state)
{
    (void)state;
    sinew_stream_pack *pack = make_bird();
    assert_string_equal(pack->document->format, "pack");
    // 16 joints, two nodes each, the root scale, four meshes
    assert_int_equal(pack->document->node_count, 37);
    check_document(pack->rig, pack->clips, pack->clip_count, pack->meshes, pack->mesh_count,
                   pack->inverse_binds, pack->document);
    sinew_stream_pack_destroy(pack);
}

// Rigs of all rules, with random streams, translations and scales of most joints among them, and
// inverse binds.
static void rigs_of_every_rule_have(void **state)
{
    (void)state;
    test_random random = test_random_make(81);
    const sinew_scale_rule rules[] = {SINEW_SCALE_INHERIT, SINEW_SCALE_ACCUMULATE,
                                      SINEW_SCALE_COMPENSATE};
    for (int r = 0; r < 3; r++) {
        enum { JOINTS = 6, VERTICES = 30 };
        sinew_stream_rig *rig =
            stream_chain_of(JOINTS, SINEW_ANGLE_DEGREES, r ? 0.5f : 1.0f, 3.0f, rules[r]);
        sinew_stream_clip *clip = stream_of_chance(rig, 12, 0, 0.05f, 70 + (uint64_t)r);
        const sinew_stream_clip *clips[1] = {clip};
        float positions[3 * VERTICES], weights[2 * VERTICES];
        uint16_t joints[2 * VERTICES];
        for (int v = 0; v < VERTICES; v++) {
            for (int c = 0; c < 3; c++)
                positions[3 * v + c] = test_random_float(&random, -0.3f, 0.3f);
            joints[2 * v] = (uint16_t)(v % JOINTS);
            joints[2 * v + 1] = (uint16_t)((v + 1) % JOINTS);
            weights[2 * v] = 0.75f;
            weights[2 * v + 1] = 0.25f;
        }
        sinew_mat4 binds[JOINTS];
        for (int j = 0; j < JOINTS; j++) {
            sinew_transform t = test_random_transform(&random);
            binds[j] = sinew_mat4_from_transform(&t);
        }
        sinew_stream_mesh mesh;
        memset(&mesh, 0, sizeof mesh);
        mesh.name = "mesh";
        mesh.primitive.topology = SINEW_TOPOLOGY_POINTS;
        mesh.primitive.vertex_count = VERTICES;
        mesh.primitive.positions = positions;
        mesh.primitive.joints = joints;
        mesh.primitive.weights = weights;
        mesh.primitive.influence_count = 2;
        mesh.primitive.material = mesh.paint.lane = -1;
        sinew_stream_document_desc desc = sinew_stream_document_desc_default();
        desc.rig = rig;
        desc.clips = clips;
        desc.clip_count = 1;
        desc.meshes = &mesh;
        desc.mesh_count = 1;
        desc.inverse_binds = binds;
        sinew_document *d;
        sinew_error error;
        assert_ok(sinew_stream_document_create(&desc, &d, &error));
        assert_int_equal(d->node_count, (r ? 2 * JOINTS + 1 : JOINTS) + 1);
        check_document(rig, clips, 1, &mesh, 1, binds, d);
        sinew_document *read = through_a_file(d);
        check_document(rig, clips, 1, &mesh, 1, binds, read);
        sinew_document_destroy(read);
        sinew_document_destroy(d);
        // A limit of keys is kept.
        desc.memory_limit = 100;
        assert_result(sinew_stream_document_create(&desc, &d, &error), SINEW_ERROR_LIMIT_EXCEEDED);
        sinew_stream_clip_destroy(clip);
        sinew_stream_rig_destroy(rig);
    }
}

// A document as a file and back: for glTF, two keys at one time are one float apart.
static sinew_document *through_a_file(const sinew_document *document)
{
    size_t size = sinew_stream_document_write_glb(document, NULL, 0);
    assert_true(size > 0);
    char *bytes = malloc(size);
    assert_non_null(bytes);
    memset(bytes, 0xEE, size);
    assert_int_equal(sinew_stream_document_write_glb(document, bytes, size), size);
    sinew_import_desc desc = sinew_import_desc_default();
    desc.strict = true;
    desc.skip_images = true;
    sinew_document *read;
    sinew_error error;
    if (sinew_gltf_read(bytes, size, &desc, &read, &error) != SINEW_OK)
        fail_msg("%s: %s", error.path, error.message);
    // too little room: the rest is left out, nothing is written past it
    char *less = malloc(size);
    assert_non_null(less);
    memset(less, 0x55, size);
    assert_int_equal(sinew_stream_document_write_glb(document, less, size / 2), size);
    assert_memory_equal(less, bytes, size / 2);
    for (size_t i = size / 2; i < size; i++)
        assert_int_equal(less[i], 0x55);
    free(less);
    free(bytes);
    return read;
}

static void the_bird_comes_back_from_a_file(void **state)
{
    (void)state;
    sinew_stream_pack *pack = make_bird();
    sinew_document *read = through_a_file(pack->document);
    assert_int_equal(read->node_count, 37);
    assert_int_equal(read->clip_count, 3);
    check_document(pack->rig, pack->clips, pack->clip_count, pack->meshes, pack->mesh_count,
                   pack->inverse_binds, read);
    // The cut is a cut there, too: just before frame 30 the root still stands at frame 29.
    const sinew_track *travel =
        sinew_clip_find_track_by_name(read->clips[2], "root", SINEW_PROPERTY_TRANSLATION);
    assert_non_null(travel);
    float before[3], at[3];
    assert_ok(sinew_track_sample(travel, SINEW_BIRD_CUT_FRAME / 30.0 - 1e-4, before, 3));
    assert_ok(sinew_track_sample(travel, (SINEW_BIRD_CUT_FRAME - 1) / 30.0, at, 3));
    for (int c = 0; c < 3; c++)
        assert_near(before[c], at[c], 1e-4);
    for (uint32_t m = 0; m < 4; m++) {
        assert_int_equal(read->materials[m].additive, pack->document->materials[m].additive);
        assert_int_equal(read->meshes[m].primitives[0].index_count,
                         pack->meshes[m].primitive.index_count);
    }
    assert_string_equal(read->images[3].uri, "glow.png");
    sinew_document_destroy(read);
    sinew_stream_pack_destroy(pack);
    assert_int_equal(sinew_stream_document_write_glb(NULL, NULL, 0), 0);
    sinew_document *creature; // has morph targets
    assert_ok(sinew_fixture_creature(NULL, &creature));
    assert_int_equal(sinew_stream_document_write_glb(creature, NULL, 0), 0);
    sinew_document_destroy(creature);
}

// ---- The text -----------------------------------------------------------------------------------

static void the_bird_comes_back_from_its_text(void **state)
{
    (void)state;
    size_t size;
    char *text = bird_text(&size);
    sinew_stream_pack *made = make_bird(), *read;
    sinew_error error;
    sinew_result result = sinew_stream_pack_read(text, size, "bird.pack.json", NULL, &read, &error);
    if (result != SINEW_OK)
        fail_msg("line %u, %s: %s", error.line, error.path, error.message);
    assert_string_equal(read->name, "bird");
    assert_int_equal(read->clip_count, made->clip_count);
    assert_int_equal(read->idle, 0);
    assert_same(sinew_stream_rig_root_scale(read->rig), 0.01f);
    assert_same(sinew_stream_rig_height(read->rig), SINEW_BIRD_HEIGHT);
    uint32_t n = sinew_skeleton_joint_count(sinew_stream_rig_skeleton(read->rig)), vertices = 0;
    for (uint32_t j = 0; j < n; j++) {
        assert_int_equal(sinew_stream_rig_vertex_counts(read->rig)[j],
                         sinew_stream_rig_vertex_counts(made->rig)[j]);
        vertices += sinew_stream_rig_vertex_counts(read->rig)[j];
    }
    assert_int_equal(vertices, 1311); // counted by the joints that move them
    char *a = test_block(sinew_pose_size(n)), *b = test_block(sinew_pose_size(n));
    for (uint32_t c = 0; c < made->clip_count; c++) {
        assert_string_equal(sinew_stream_clip_name(read->clips[c]),
                            sinew_stream_clip_name(made->clips[c]));
        assert_int_equal(read->clip_loops[c], made->clip_loops[c]);
        assert_int_equal(sinew_stream_clip_loop_start(read->clips[c]),
                         sinew_stream_clip_loop_start(made->clips[c]));
        for (double f = 0; f < sinew_stream_clip_frame_count(made->clips[c]) + 2.0; f += 0.37) {
            stream_pose(made->clips[c], f, true, a);
            stream_pose(read->clips[c], f, true, b);
            assert_memory_equal(a, b, sinew_pose_size(n));
        }
    }
    for (uint32_t m = 0; m < made->mesh_count; m++) {
        const sinew_primitive *p = &made->meshes[m].primitive, *q = &read->meshes[m].primitive;
        assert_int_equal(q->vertex_count, p->vertex_count);
        assert_int_equal(q->index_count, p->index_count);
        assert_memory_equal(q->positions, p->positions, p->vertex_count * 12);
        assert_memory_equal(q->normals, p->normals, p->vertex_count * 12);
        assert_memory_equal(q->indices, p->indices, p->index_count * 4);
        assert_memory_equal(q->joints, p->joints, p->vertex_count * 2);
    }
    // Who paints what: the eyes' lane, and the glow that is drawn last.
    const sinew_stream_mesh *eyes = &read->meshes[2], *glow = &read->meshes[3];
    int32_t blink = sinew_flipbook_find_set(read->flipbook, "blink");
    const int32_t shown[] = {0, 2, 1, 2, 0, 0, 0}; // 6 8 7 8 6, and 6 from frame 4 on
    for (uint32_t f = 0; f < 7; f++)
        assert_int_equal(sinew_flipbook_texture(read->flipbook, blink, f, &eyes->paint), shown[f]);
    assert_int_equal(sinew_flipbook_texture(read->flipbook, -1, 1, &eyes->paint), 0); // its own
    assert_true(glow->paint.additive && !eyes->paint.additive);
    assert_string_equal(read->document->images[3].uri, "glow.png");

    // The document may be taken out.
    sinew_document *document = sinew_stream_pack_take_document(read);
    assert_null(read->document);
    sinew_stream_pack_destroy(read);
    assert_int_equal(document->clip_count, 3);
    sinew_document_destroy(document);
    sinew_stream_pack_destroy(made);
    test_block_free(a);
    test_block_free(b);
    free(text);
}

// What the fixture promises: an exact re-expression that is slerped, one cut, a scale that
// breathes.
static void the_bird_does_what_old_models_do(void **state)
{
    (void)state;
    sinew_stream_pack *pack = make_bird();
    const sinew_skeleton *skeleton = sinew_stream_rig_skeleton(pack->rig);
    uint32_t wing = (uint32_t)sinew_skeleton_find_joint(skeleton, "wing_2_l"),
             root = (uint32_t)sinew_skeleton_find_joint(skeleton, "root");
    const sinew_stream_clip *fly = pack->clips[1], *entrance = pack->clips[2];
    for (uint32_t f = 0; f < 28; f++) {
        bool junk = f + 1 == SINEW_BIRD_JUNK_FRAME || f == SINEW_BIRD_JUNK_FRAME;
        assert_int_equal(sinew_stream_clip_step(fly, wing, SINEW_PROPERTY_ROTATION, f),
                         junk ? SINEW_STREAM_SLERP : SINEW_STREAM_BLEND);
    }
    assert_int_equal(sinew_stream_clip_loop_start(fly), SINEW_BIRD_FLY_LOOP_START);
    for (uint32_t f = 0; f + 1 < 60; f++)
        assert_int_equal(sinew_stream_clip_step(entrance, root, SINEW_PROPERTY_TRANSLATION, f),
                         f + 1 == SINEW_BIRD_CUT_FRAME ? SINEW_STREAM_HOLD : SINEW_STREAM_BLEND);
    // A leash trusts it: the idle clip keeps its body where it is.
    sinew_leash_model *model;
    sinew_leash_stream_desc leash = {
        .name = "bird", .rig = pack->rig, .idle = pack->clips[pack->idle]};
    assert_ok(sinew_leash_model_from_stream(&leash, &model, NULL));
    assert_true(sinew_leash_model_get_info(model).trusted);
    sinew_leash_model_destroy(model);
    sinew_stream_pack_destroy(pack);
}

// ---- What is refused ----------------------------------------------------------------------------

static void wrong_packs_are_refused_at_their_place(void **state)
{
    (void)state;
#define RIG "\"rig\": {\"joints\": [{\"name\": \"a\"}, {\"name\": \"b\", \"parent\": 0}]}"
    const struct {
        const char *text;
        sinew_result code;
        uint32_t line;
        const char *path, *message;
    } cases[] = {
        {"", SINEW_ERROR_JSON_SYNTAX, 1, "", ""},
        {"{\"version\": 1}", SINEW_ERROR_MISSING_PROPERTY, 1, "", "'rig' is missing"},
        {"{" RIG "}", SINEW_ERROR_MISSING_PROPERTY, 1, "", "'version' is missing"},
        {"{\"version\": 2, " RIG "}", SINEW_ERROR_VERSION, 1, "version", "reads version 1"},
        {"{\"version\": 1, " RIG ",\n\"clip\": []}", SINEW_ERROR_INVALID_VALUE, 2, "clip",
         "there is no member 'clip'"},
        {"{\"version\": 1, \"rig\": {\"angles\": \"turns\", \"joints\": []}}",
         SINEW_ERROR_INVALID_VALUE, 1, "rig.angles", "radians degrees binary"},
        {"{\"version\": 1, \"rig\": {}}", SINEW_ERROR_MISSING_PROPERTY, 1, "rig", "'joints'"},
        {"{\"version\": 1, \"rig\": {\"joints\": [{\"parent\": 4}]}}", SINEW_ERROR_INVALID_VALUE, 1,
         "rig.joints[0].parent", "4; this must be a number from -1 to 0"},
        {"{\"version\": 1, \"rig\": {\"joints\": [{\"parent\": 0}]}}", SINEW_ERROR_JOINT_CYCLE, 0,
         "", ""},
        {"{\"version\": 1, \"rig\": {\"joints\": [{\"rotation\": [1, 2]}]}}",
         SINEW_ERROR_COUNT_MISMATCH, 1, "rig.joints[0].rotation", "three angles or a quaternion"},
        {"{\"version\": 1, \"rig\": {\"joints\": [{\"rotation\": [0, 0, 0, 0]}]}}",
         SINEW_ERROR_ZERO_QUATERNION, 0, "", ""},
        {"{\"version\": 1, \"rig\": {\"joints\": [{\"order\": \"ZXZ\"}]}}",
         SINEW_ERROR_INVALID_VALUE, 1, "rig.joints[0].order", "ZYX ZXY"},
        {"{\"version\": 1, \"rig\": {\"joints\": [{\"scale_rule\": \"accumulate\"}, {}]}}",
         SINEW_ERROR_INVALID_ARGUMENT, 0, "", ""},
        {"{\"version\": 1, " RIG ",\n \"clips\": [{\"name\": \"c\"}]}",
         SINEW_ERROR_MISSING_PROPERTY, 2, "clips[0]", "'frames' is missing"},
        {"{\"version\": 1, " RIG ",\n \"clips\": [{\"name\": \"c\", \"frames\": 0}]}",
         SINEW_ERROR_INVALID_VALUE, 2, "clips[0].frames", "from 1"},
        {"{\"version\": 1, " RIG ",\n \"clips\": [{\"name\": \"c\", \"frames\": 2, \"rate\": 0}]}",
         SINEW_ERROR_INVALID_VALUE, 2, "clips[0].rate", ""},
        {"{\"version\": 1, " RIG
         ",\n \"clips\": [{\"name\": \"c\", \"frames\": 2, \"loop_start\": 2}]}",
         SINEW_ERROR_INVALID_VALUE, 2, "clips[0].loop_start", "from 0 to 1"},
        {"{\"version\": 1, " RIG ",\n \"clips\": [{\"name\": \"c\", \"frames\": 2, \"streams\":\n"
         "[{\"joint\": 2}]}]}",
         SINEW_ERROR_INVALID_VALUE, 3, "clips[0].streams[0].joint", "from 0 to 1"},
        {"{\"version\": 1, " RIG ",\n \"clips\": [{\"name\": \"c\", \"frames\": 2, \"streams\":\n"
         "[{\"joint\": 1},\n{\"joint\": 1}]}]}",
         SINEW_ERROR_NAME_TAKEN, 4, "clips[0].streams[1].joint", "streams already"},
        {"{\"version\": 1, " RIG ",\n \"clips\": [{\"name\": \"c\", \"frames\": 2, \"streams\":\n"
         "[{\"joint\": 1, \"rotation\": [0, null, [1, 2, 3]]}]}]}",
         SINEW_ERROR_COUNT_MISMATCH, 3, "clips[0].streams[0].rotation[2]", "3 numbers"},
        {"{\"version\": 1, " RIG ",\n \"clips\": [{\"name\": \"c\", \"frames\": 2, \"streams\":\n"
         "[{\"joint\": 1, \"scale\": [0, 1]}]}]}",
         SINEW_ERROR_COUNT_MISMATCH, 3, "clips[0].streams[0].scale", "2 components"},
        {"{\"version\": 1, " RIG ",\n \"clips\": [{\"name\": \"c\", \"frames\": 2, \"streams\":\n"
         "[{\"joint\": 1, \"scale\": [0, 1, true]}]}]}",
         SINEW_ERROR_JSON_TYPE, 3, "clips[0].streams[0].scale[2]", "null, a number"},
        {"{\"version\": 1, " RIG ",\n \"clips\": [{\"name\": \"c\", \"frames\": 2, \"streams\":\n"
         "[{\"joint\": 1, \"scale\": [0, 1, 1e300]}]}]}",
         SINEW_ERROR_INVALID_VALUE, 3, "clips[0].streams[0].scale[2]", ""},
        {"{\"version\": 1, " RIG ", \"clips\": [{\"name\": \"c\", \"frames\": 1},"
         "{\"name\": \"c\", \"frames\": 1}]}",
         SINEW_ERROR_NAME_TAKEN, 0, "clips[1].name", "a second clip 'c'"},
        {"{\"version\": 1, " RIG ", \"idle\":\n\"rest\"}", SINEW_ERROR_NOT_FOUND, 2, "idle",
         "no clip 'rest'"},
        {"{\"version\": 1, " RIG ", \"meshes\": [{}]}", SINEW_ERROR_MISSING_PROPERTY, 1,
         "meshes[0]", "'positions'"},
        {"{\"version\": 1, " RIG ", \"meshes\": [{\"positions\": [1, 2]}]}",
         SINEW_ERROR_COUNT_MISMATCH, 1, "meshes[0].positions", "a multiple of 3"},
        {"{\"version\": 1, " RIG ", \"meshes\": [{\"positions\": [1, 2, 3], \"joint\": 2}]}",
         SINEW_ERROR_INVALID_VALUE, 1, "meshes[0].joint", "from 0 to 1"},
        {"{\"version\": 1, " RIG ", \"meshes\": [{\"positions\": [1, 2, 3], \"joint\": 1,"
         "\"joints\": [0]}]}",
         SINEW_ERROR_INVALID_VALUE, 1, "meshes[0]", "stands alone"},
        {"{\"version\": 1, " RIG ", \"meshes\": [{\"positions\": [1, 2, 3], \"joints\": [0, 1],"
         "\"influences\": 2}]}",
         SINEW_ERROR_MISSING_PROPERTY, 1, "meshes[0]", "'weights' is missing"},
        {"{\"version\": 1, " RIG ", \"meshes\": [{\"positions\": [1, 2, 3], \"joints\": [0, 1],"
         "\"influences\": 2, \"weights\": [0.5, 0.4]}]}",
         SINEW_ERROR_INVALID_VALUE, 0, "meshes[0]", "vertex 0"},
        {"{\"version\": 1, " RIG ", \"meshes\": [{\"positions\": [1, 2, 3], \"triangles\":"
         " [0, 0, 1]}]}",
         SINEW_ERROR_INVALID_VALUE, 1, "meshes[0].triangles[2]", ""},
        {"{\"version\": 1, " RIG ", \"meshes\": [{\"positions\": [1, 2, 3], \"pictures\": [0]}]}",
         SINEW_ERROR_INVALID_VALUE, 1, "meshes[0].pictures[0]", ""},
        {"{\"version\": 1, " RIG ", \"materials\": [{\"color\": [1, 1, 1]}]}",
         SINEW_ERROR_COUNT_MISMATCH, 1, "materials[0].color", "there must be 4"},
        {"{\"version\": 1, " RIG ", \"flipbooks\": {\"a\": [[0.5]]}}", SINEW_ERROR_INVALID_VALUE, 1,
         "flipbooks.a[0][0]", "a whole number"},
        {"{\"version\": 1, " RIG ", \"flipbooks\": {\"a\": [], \"a\": []}}", SINEW_ERROR_NAME_TAKEN,
         1, "flipbooks.a", "a second flipbook"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sinew_stream_pack *pack = (sinew_stream_pack *)(void *)&i;
        sinew_error error;
        sinew_result result = sinew_stream_pack_read(cases[i].text, strlen(cases[i].text), "x.json",
                                                     NULL, &pack, &error);
        if (result != cases[i].code || error.code != result || pack ||
            (cases[i].path[0] && strcmp(error.path, cases[i].path) != 0) ||
            (cases[i].line && error.line != cases[i].line) || !error.message[0] ||
            !strstr(error.message, cases[i].message) || strcmp(error.file, "x.json") != 0)
            fail_msg("%s\ngives %s in %s, line %u, '%s': %s", cases[i].text,
                     sinew_result_word(result), error.file, error.line, error.path, error.message);
    }
    sinew_stream_pack *pack;
    assert_result(sinew_stream_pack_read(NULL, 4, NULL, NULL, &pack, NULL),
                  SINEW_ERROR_INVALID_ARGUMENT);
    // the smallest pack
    static const char small[] = "{\"version\": 1, \"rig\": {\"joints\": []}}";
    assert_ok(sinew_stream_pack_read(small, sizeof small - 1, NULL, NULL, &pack, NULL));
    assert_int_equal(pack->document->node_count, 0);
    sinew_stream_pack_destroy(pack);
    sinew_stream_pack_destroy(NULL);
}

static void nothing_leaks_where_memory_ends(void **state)
{
    (void)state;
    size_t size, calls = 0;
    char *text = bird_text(&size);
    for (size_t fail_at = 0; fail_at == 0 || fail_at <= calls; fail_at++) {
        counting_allocator counter = {.fail_at = fail_at};
        sinew_allocator allocator = counting_allocator_use(&counter);
        sinew_stream_pack *pack;
        sinew_result result = sinew_stream_pack_read(text, size, NULL, &allocator, &pack, NULL);
        if (fail_at == 0) {
            assert_ok(result);
            calls = counter.call_count;
        } else {
            assert_result(result, SINEW_ERROR_OUT_OF_MEMORY);
        }
        sinew_stream_pack_destroy(pack);
        assert_int_equal(counter.live_count, 0);
        assert_int_equal(counter.fault_count, 0);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bird_has_the_same_vertices_as_plain_nodes),
        cmocka_unit_test(rigs_of_every_rule_have),
        cmocka_unit_test(the_bird_comes_back_from_a_file),
        cmocka_unit_test(the_bird_comes_back_from_its_text),
        cmocka_unit_test(the_bird_does_what_old_models_do),
        cmocka_unit_test(wrong_packs_are_refused_at_their_place),
        cmocka_unit_test(nothing_leaks_where_memory_ends),
    };
    return TEST_RUN(tests);
}
