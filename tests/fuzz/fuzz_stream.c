// SPDX-License-Identifier: MIT
// Fuzz target: packs of frame streams made by code, written and read back. The bytes are a rig of
// up to six joints, clips of streams of either type, and a mesh; what a pack can be made from can
// be written, and reading the text gives the same rig, the same poses at every frame and the same
// mesh, to the last bit; its document as a GLB is read without a word, with the same nodes.
//
//     0   joints, clips     1   frames     2   angle unit, root scale, inverse binds
//     3   rules of scale, orders     4   vertices, influences of a vertex
//     ... numbers of 16 bits each, from the start again when they end
#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "byte_source.h"
#include "sinew/gltf.h"
#include "sinew/leash.h"
#include "sinew/stream_pack.h"
#include "support/test_main.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    HEAD = 5,
    MOST_JOINTS = 6,
    MOST_CLIPS = 3,
    MOST_FRAMES = 12,
    MOST_VERTICES = 6,
    MOST_INFLUENCES = 3,
    COMPONENTS = 9
};

static sinew_vec3 take_vector(source *s)
{
    const float x = take(s), y = take(s), z = take(s);
    return (sinew_vec3){x, y, z};
}

// All that a pack is made from.
typedef struct recipe {
    sinew_stream_joint_desc joints[MOST_JOINTS];
    char names[MOST_JOINTS][4];
    sinew_stream_channels channels[MOST_CLIPS][MOST_JOINTS];
    float values[MOST_CLIPS][MOST_JOINTS][COMPONENTS][MOST_FRAMES];
    int16_t wholes[MOST_CLIPS][MOST_JOINTS][COMPONENTS][MOST_FRAMES];
    sinew_stream_clip_desc clips[MOST_CLIPS];
    char clip_names[MOST_CLIPS][4];
    bool loops[MOST_CLIPS];
    sinew_mat4 binds[MOST_JOINTS];
    float positions[MOST_VERTICES * 3], weights[MOST_VERTICES * MOST_INFLUENCES];
    uint16_t slots[MOST_VERTICES * MOST_INFLUENCES];
    uint32_t indices[MOST_VERTICES];
    sinew_stream_mesh mesh;
    sinew_stream_pack_desc desc;
} recipe;

static void make_joints(recipe *r, source *s, const uint8_t *head)
{
    for (uint32_t j = 0; j < r->desc.rig.joint_count; j++) {
        sinew_stream_joint_desc *joint = &r->joints[j];
        const uint8_t parent = take_byte(s), letter = take_byte(s);
        r->names[j][0] = (char)(letter % 16 ? 'a' + (char)j : '"');
        r->names[j][1] = (char)('0' + j);
        joint->joint.name = r->names[j];
        joint->joint.parent = j ? parent % (int32_t)j : -1;
        joint->joint.node = (int32_t)j;
        joint->joint.rest = sinew_transform_identity();
        joint->joint.rest.translation = take_vector(s);
        if (parent & 128)
            joint->joint.rest.rotation =
                sinew_quat_normalize((sinew_quat){take(s), take(s), take(s), 1.5f}); // never near 0
        if (parent & 64)
            joint->joint.rest.scale =
                sinew_vec3_add((sinew_vec3){1.5f, 1.5f, 1.5f}, take_vector(s));
        joint->joint.scale_rule = (sinew_scale_rule)((head[3] >> (j % 2 ? 2 : 0) & 3) % 3);
        joint->order = (sinew_euler_order)((head[3] / 16 + j) % SINEW_EULER_COUNT);
    }
}

// A component of a joint: not there, one value for all frames, floats, or whole numbers.
static void make_stream(recipe *r, source *s, uint32_t clip, uint32_t joint, uint32_t component,
                        sinew_stream_values *out)
{
    const uint8_t how = take_byte(s);
    float *values = r->values[clip][joint][component];
    int16_t *wholes = r->wholes[clip][joint][component];
    if (how % 4 == 0)
        return;
    const float size = how & 64 ? 40.0f : 1.0f;
    for (uint32_t f = 0; f < MOST_FRAMES; f++) {
        values[f] = size * take(s) + (component >= 6 ? 1.5f * size : 0.0f);
        wholes[f] = (int16_t)(values[f] * 100.0f);
    }
    const bool whole = how % 4 == 2;
    *out = (sinew_stream_values){.values = whole ? (const void *)wholes : values,
                                 .stride = how % 4 == 1 ? 0
                                           : whole      ? sizeof *wholes
                                                        : sizeof *values,
                                 .type = whole ? SINEW_STREAM_INT16 : SINEW_STREAM_FLOAT};
}

static void make_clips(recipe *r, source *s, uint32_t frames)
{
    for (uint32_t c = 0; c < r->desc.clip_count; c++) {
        sinew_stream_clip_desc *clip = &r->clips[c];
        for (uint32_t j = 0; j < r->desc.rig.joint_count; j++) {
            sinew_stream_values *streams[3] = {r->channels[c][j].translation,
                                               r->channels[c][j].rotation, r->channels[c][j].scale};
            for (uint32_t k = 0; k < COMPONENTS; k++)
                make_stream(r, s, c, j, k, &streams[k / 3][k % 3]);
        }
        const uint8_t how = take_byte(s);
        *clip = sinew_stream_clip_desc_default();
        r->clip_names[c][0] = (char)('k' + c);
        clip->name = r->clip_names[c];
        clip->joints = r->channels[c];
        clip->joint_count = r->desc.rig.joint_count;
        clip->frame_count = frames;
        clip->loop_start = how % 16;
        clip->rate = how & 128 ? 30.0 : 0.1 * (1 + take_byte(s));
        if (how & 64)
            clip->limits.turn = 0.1f + take(s) * 0.05f;
        r->loops[c] = how & 32;
    }
}

static void make_mesh(recipe *r, source *s, uint32_t vertices, uint32_t influences)
{
    sinew_primitive *p = &r->mesh.primitive;
    r->mesh.name = "m";
    r->mesh.paint.lane = r->mesh.paint.texture = -1;
    for (uint32_t v = 0; v < vertices; v++) {
        const sinew_vec3 at = take_vector(s);
        memcpy(&r->positions[3 * v], &at, sizeof at);
        float rest = 1.0f;
        for (uint32_t i = 0; i < influences; i++) {
            const float weight = i + 1 < influences ? rest * 0.5f : rest;
            r->slots[v * influences + i] =
                (uint16_t)((v + i + take_byte(s)) % r->desc.rig.joint_count);
            r->weights[v * influences + i] = weight;
            rest -= weight;
        }
        r->indices[v] = take_byte(s) % vertices;
    }
    *p = (sinew_primitive){.topology = SINEW_TOPOLOGY_TRIANGLES,
                           .vertex_count = vertices,
                           .positions = r->positions,
                           .indices = vertices % 3 == 0 ? r->indices : NULL,
                           .index_count = vertices % 3 == 0 ? vertices : 0,
                           .joints = influences ? r->slots : NULL,
                           .weights = influences ? r->weights : NULL,
                           .influence_count = influences,
                           .material = -1};
    r->desc.meshes = &r->mesh;
    r->desc.mesh_count = 1;
}

// ---- Comparing ------------------------------------------------------------------------------------------

static void compare_rigs(const sinew_stream_rig *a, const sinew_stream_rig *b)
{
    const sinew_skeleton *x = sinew_stream_rig_skeleton(a), *y = sinew_stream_rig_skeleton(b);
    const uint32_t count = sinew_skeleton_joint_count(x);
    assert(sinew_skeleton_joint_count(y) == count);
    assert(sinew_stream_rig_angle_unit(a) == sinew_stream_rig_angle_unit(b));
    assert(sinew_stream_rig_root_scale(a) == sinew_stream_rig_root_scale(b));
    assert(sinew_stream_rig_height(a) == sinew_stream_rig_height(b));
    for (uint32_t j = 0; j < count; j++) {
        assert(strcmp(sinew_skeleton_joint_name(x, j), sinew_skeleton_joint_name(y, j)) == 0);
        assert(sinew_stream_rig_order(a, j) == sinew_stream_rig_order(b, j));
    }
    assert(memcmp(sinew_skeleton_parents(x), sinew_skeleton_parents(y),
                  count * sizeof *sinew_skeleton_parents(x)) == 0);
    assert(memcmp(sinew_skeleton_rest_model(x), sinew_skeleton_rest_model(y),
                  count * sizeof(sinew_mat4)) == 0);
}

static sinew_stream_performer *make_performer(const sinew_stream_rig *rig, void **out_memory)
{
    const size_t size = sinew_stream_performer_size(rig);
    sinew_stream_performer *performer;
    *out_memory = test_block(size);
    assert(sinew_stream_performer_init(*out_memory, size, rig, &performer) == SINEW_OK);
    return performer;
}

static void compare_clips(const sinew_stream_pack *a, const sinew_stream_pack *b)
{
    void *memory[2];
    sinew_stream_performer *x = make_performer(a->rig, &memory[0]);
    sinew_stream_performer *y = make_performer(b->rig, &memory[1]);
    const uint32_t joints = sinew_skeleton_joint_count(sinew_stream_rig_skeleton(a->rig));
    assert(a->clip_count == b->clip_count && a->idle == b->idle);
    for (uint32_t c = 0; c < a->clip_count; c++) {
        const sinew_stream_clip *k = a->clips[c], *l = b->clips[c];
        assert(strcmp(sinew_stream_clip_name(k), sinew_stream_clip_name(l)) == 0);
        assert(sinew_stream_clip_frame_count(k) == sinew_stream_clip_frame_count(l));
        assert(sinew_stream_clip_rate(k) == sinew_stream_clip_rate(l));
        assert(sinew_stream_clip_loop_start(k) == sinew_stream_clip_loop_start(l));
        assert(a->clip_loops[c] == b->clip_loops[c]);
        for (uint32_t f = 0; f < 2 * sinew_stream_clip_frame_count(k); f++) {
            assert(sinew_stream_performer_show(x, k, 0.5 * f, true) == SINEW_OK);
            assert(sinew_stream_performer_show(y, l, 0.5 * f, true) == SINEW_OK);
            for (uint32_t j = 0; j < joints; j++) {
                const sinew_transform t = sinew_pose_get(sinew_stream_performer_pose(x), j),
                                      u = sinew_pose_get(sinew_stream_performer_pose(y), j);
                assert(memcmp(&t, &u, sizeof t) == 0);
            }
        }
    }
    test_block_free(memory[0]);
    test_block_free(memory[1]);
}

static void compare_meshes(const sinew_stream_pack *a, const sinew_stream_pack *b)
{
    assert(a->mesh_count == b->mesh_count && !a->inverse_binds == !b->inverse_binds);
    for (uint32_t m = 0; m < a->mesh_count; m++) {
        const sinew_primitive *p = &a->meshes[m].primitive, *q = &b->meshes[m].primitive;
        const size_t n = p->vertex_count, k = n * p->influence_count;
        assert(q->vertex_count == n && q->influence_count == p->influence_count);
        assert(n == 0 || memcmp(p->positions, q->positions, 3 * n * sizeof(float)) == 0);
        assert(k == 0 || memcmp(p->joints, q->joints, k * sizeof *p->joints) == 0);
        assert(k == 0 || memcmp(p->weights, q->weights, k * sizeof *p->weights) == 0);
        assert(p->index_count == q->index_count);
    }
}

static void read_glb(const sinew_document *document)
{
    const size_t size = sinew_stream_document_write_glb(document, NULL, 0);
    if (size == 0) // a mesh without vertices
        return;
    void *bytes = malloc(size);
    assert(bytes && sinew_stream_document_write_glb(document, bytes, size) == size);
    sinew_document *again;
    sinew_error error;
    assert(sinew_gltf_read(bytes, size, NULL, &again, &error) == SINEW_OK);
    assert(again->node_count == document->node_count && again->mesh_count == document->mesh_count);
    assert(again->skin_count == document->skin_count);
    sinew_document_destroy(again);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static recipe r;
    if (size <= HEAD)
        return 0;
    memset(&r, 0, sizeof r);
    source s = {data + HEAD, size - HEAD, 0};
    r.desc = sinew_stream_pack_desc_default();
    r.desc.name = "p";
    r.desc.rig = sinew_stream_rig_desc_default();
    r.desc.rig.joints = r.joints;
    r.desc.rig.joint_count = 1 + data[0] % MOST_JOINTS;
    r.desc.rig.angle_unit = (sinew_angle_unit)(data[2] % 3);
    r.desc.rig.root_scale = data[2] & 16 ? 0.25f : 0.0f;
    r.desc.rig.height = data[2] & 32 ? 1.7f : 0.0f;
    r.desc.clips = r.clips;
    r.desc.clip_count = data[0] / 16 % (MOST_CLIPS + 1);
    r.desc.clip_loops = r.loops;
    make_joints(&r, &s, data);
    make_clips(&r, &s, 1 + data[1] % MOST_FRAMES);
    if (r.desc.clip_count && data[1] & 128)
        r.desc.idle = r.clip_names[0];
    if (data[4] % 8)
        make_mesh(&r, &s, data[4] % 8 % (MOST_VERTICES + 1), data[4] / 8 % (MOST_INFLUENCES + 1));
    for (uint32_t j = 0; j < r.desc.rig.joint_count; j++) {
        sinew_transform t = sinew_transform_identity();
        t.translation = take_vector(&s);
        r.binds[j] = sinew_mat4_from_transform(&t);
    }
    r.desc.inverse_binds = data[2] & 64 ? r.binds : NULL;

    sinew_stream_pack *made, *again;
    sinew_error error;
    memset(&error, 0xFF, sizeof error);
    const sinew_result result = sinew_stream_pack_create(&r.desc, &made, &error);
    if (result != SINEW_OK) {
        assert(!made && error.code == result && error.message[0]);
        return 0;
    }
    const size_t length = sinew_stream_pack_write(&r.desc, NULL, 0);
    char *text = malloc(length + 1);
    assert(text && sinew_stream_pack_write(&r.desc, text, length + 1) == length);
    assert(strlen(text) == length);
    if (sinew_stream_pack_read(text, length, "fuzz", NULL, &again, &error) != SINEW_OK) {
        fprintf(stderr, "%s: %s\n%s\n", error.path, error.message, text);
        abort();
    }
    free(text);
    compare_rigs(made->rig, again->rig);
    compare_clips(made, again);
    compare_meshes(made, again);
    read_glb(made->document);
    sinew_stream_pack_destroy(made);
    sinew_stream_pack_destroy(again);
    return 0;
}
