// SPDX-License-Identifier: MIT
// Wrong arguments to stream.h, stream_pack.h, flipbook.h and leash.h.
#include "../support/misuse.h"

static void rigs(void **state)
{
    (void)state;
    sinew_stream_joint_desc joint = {
        .joint = {.name = "a", .parent = -1, .node = -1, .rest = sinew_transform_identity()}};
    sinew_stream_rig_desc good = sinew_stream_rig_desc_default();
    ANSWERS(sinew_stream_rig_desc_default, good.joints == NULL && good.joint_count == 0);
    good.joints = &joint, good.joint_count = 1;
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_stream_rig_create, sinew_stream_rig, (NULL, &made, NULL));
    REFUSES(sinew_stream_rig_create, (&good, NULL, NULL));
#define SPOILS_RIG(code, change)                                                                   \
    SPOILS_MAKING(code, sinew_stream_rig_create, sinew_stream_rig_desc, good, sinew_stream_rig,    \
                  change)
    SPOILS_RIG(INVALID_ARGUMENT, joints = NULL);
    SPOILS_RIG(TOO_MANY_JOINTS, joint_count = SINEW_MAX_JOINTS + 1);
    SPOILS_RIG(INVALID_ARGUMENT, angle_unit = (sinew_angle_unit)9);
    SPOILS_RIG(NOT_FINITE, root_scale = NAN);
    SPOILS_RIG(NOT_FINITE, height = INFINITY);
    joint.order = (sinew_euler_order)9;
    SPOILS_RIG(INVALID_ARGUMENT, joint_count = 1);
    const sinew_stream_rig *rig = misuse.bird->rig;
    NOTHING(sinew_stream_rig_destroy, (NULL));
    ANSWERS(sinew_stream_rig_skeleton, !sinew_stream_rig_skeleton(NULL));
    ANSWERS(sinew_stream_rig_angle_unit, sinew_stream_rig_angle_unit(NULL) == SINEW_ANGLE_RADIANS);
    ANSWERS(sinew_stream_rig_root_scale, sinew_stream_rig_root_scale(NULL) == 1.0f);
    ANSWERS(sinew_stream_rig_height, sinew_stream_rig_height(NULL) == 0.0f);
    ANSWERS(sinew_stream_rig_order, sinew_stream_rig_order(NULL, 0) == SINEW_EULER_ZYX);
    ANSWERS(sinew_stream_rig_order, sinew_stream_rig_order(rig, 9999) == SINEW_EULER_ZYX);
    ANSWERS(sinew_stream_rig_vertex_counts, !sinew_stream_rig_vertex_counts(NULL));
    ANSWERS(sinew_angle_turn, sinew_angle_turn((sinew_angle_unit)9) > 0.0);
    const sinew_vec3 none = {0, 0, 0};
    ANSWERS(sinew_quat_from_euler,
            sinew_quat_from_euler(none, (sinew_euler_order)9, (sinew_angle_unit)9).w == 1.0f);
    ANSWERS(sinew_euler_order_name, sinew_euler_order_name((sinew_euler_order)9) != NULL);
    ANSWERS(sinew_euler_order_name, sinew_euler_order_name((sinew_euler_order)-1) != NULL);
}

static void clips(void **state)
{
    (void)state;
    const sinew_stream_rig *rig = misuse.bird->rig;
    const uint32_t n = sinew_skeleton_joint_count(sinew_stream_rig_skeleton(rig));
    static sinew_stream_channels channels[64];
    assert_true(n <= 64);
    sinew_stream_clip_desc good = sinew_stream_clip_desc_default();
    ANSWERS(sinew_stream_clip_desc_default, good.rate == 30.0 && good.rig == NULL);
    good.rig = rig, good.joints = channels, good.joint_count = n, good.frame_count = 2;
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_stream_clip_create, sinew_stream_clip,
                  (NULL, &made, NULL));
    REFUSES(sinew_stream_clip_create, (&good, NULL, NULL));
#define SPOILS_CLIP(code, change)                                                                  \
    SPOILS_MAKING(code, sinew_stream_clip_create, sinew_stream_clip_desc, good, sinew_stream_clip, \
                  change)
    SPOILS_CLIP(INVALID_ARGUMENT, rig = NULL);
    SPOILS_CLIP(INVALID_ARGUMENT, joints = NULL);
    SPOILS_CLIP(INVALID_ARGUMENT, joint_count = n - 1);
    SPOILS_CLIP(INVALID_ARGUMENT, frame_count = 0);
    SPOILS_CLIP(INVALID_ARGUMENT, rate = 0.0);
    SPOILS_CLIP(INVALID_ARGUMENT, rate = NAN);
    SPOILS_CLIP(INVALID_ARGUMENT, limits.turn = -1.0f);
    SPOILS_CLIP(INVALID_ARGUMENT, limits.travel = NAN);
    static const float broken[2] = {0, NAN}, huge[2] = {0, 3e38f};
    channels[1].translation[2] = (sinew_stream_values){broken, sizeof(float), SINEW_STREAM_FLOAT};
    SPOILS_CLIP(NOT_FINITE, frame_count = 2);
    channels[1].translation[2].values = huge;
    SPOILS_CLIP(INVALID_VALUE, frame_count = 2);
    channels[1].translation[2].type = (sinew_stream_type)9;
    SPOILS_CLIP(INVALID_ARGUMENT, frame_count = 2);
    memset(channels, 0, sizeof channels);

    const sinew_stream_clip *clip = misuse.bird->clips[0];
    const uint32_t frames = sinew_stream_clip_frame_count(clip);
    NOTHING(sinew_stream_clip_destroy, (NULL));
    ANSWERS(sinew_stream_clip_name, !sinew_stream_clip_name(NULL)[0]);
    ANSWERS(sinew_stream_clip_rig, !sinew_stream_clip_rig(NULL));
    ANSWERS(sinew_stream_clip_frame_count, sinew_stream_clip_frame_count(NULL) == 0);
    ANSWERS(sinew_stream_clip_rate, sinew_stream_clip_rate(NULL) == 0.0);
    ANSWERS(sinew_stream_clip_loop_start, sinew_stream_clip_loop_start(NULL) == 0);
    ANSWERS(sinew_stream_clip_duration, sinew_stream_clip_duration(NULL) == 0.0);
    ANSWERS(sinew_stream_clip_size, sinew_stream_clip_size(NULL) == 0);
    ANSWERS(sinew_stream_clip_touches, sinew_stream_clip_touches(NULL, 0) == 0);
    ANSWERS(sinew_stream_clip_touches, sinew_stream_clip_touches(clip, n) == 0);
    ANSWERS(sinew_stream_clip_moves, sinew_stream_clip_moves(NULL, 0) == 0);
    ANSWERS(sinew_stream_clip_moves, sinew_stream_clip_moves(clip, n) == 0);
    const sinew_property turn = SINEW_PROPERTY_ROTATION;
    ANSWERS(sinew_stream_clip_step, !sinew_stream_clip_step(NULL, 0, turn, 0));
    ANSWERS(sinew_stream_clip_step, !sinew_stream_clip_step(clip, n, turn, 0));
    ANSWERS(sinew_stream_clip_step, !sinew_stream_clip_step(clip, UINT32_MAX, turn, 0));
    ANSWERS(sinew_stream_clip_step, !sinew_stream_clip_step(clip, 0, turn, frames));
    ANSWERS(sinew_stream_clip_frame_at, sinew_stream_clip_frame_at(NULL, 1.0) == 0.0);
    uint32_t next = 7;
    float share = 7;
    ANSWERS(sinew_stream_frame_on_show,
            sinew_stream_frame_on_show(NULL, 3.5, true, &next, &share) == 0 && !next &&
                share == 0.0f);
    ANSWERS(sinew_stream_frame_on_show,
            sinew_stream_frame_on_show(clip, NAN, true, NULL, NULL) == 0);
    ANSWERS(sinew_stream_frame_on_show,
            sinew_stream_frame_on_show(clip, 1e300, false, NULL, NULL) == frames - 1);
    // as near to a frame as a double can be: the share is still below 1
    ANSWERS(sinew_stream_frame_on_show,
            sinew_stream_frame_on_show(clip, 1.0 - 0x1p-53, true, NULL, &share) == 0 &&
                share < 1.0f);
    sinew_playhead head = {0};
    NOTHING(sinew_stream_playhead_init, (NULL, clip, SINEW_WRAP_LOOP, 1.0, 0.0));
    NOTHING(sinew_stream_playhead_init, (&head, NULL, SINEW_WRAP_LOOP, 1.0, 0.0));
    assert_true(head.duration == 0.0 && head.speed == 1.0);

    sinew_pose pose = misuse_pose(sinew_stream_rig_skeleton(rig)), planeless = pose,
               other = misuse_pose(misuse.skeleton);
    planeless.planes = NULL;
    static const uint16_t backwards[2] = {2, 1};
    const sinew_stream_sample_args args = {.clip = clip, .out_pose = &pose};
    assert_ok(sinew_stream_clip_sample(&args));
    REFUSES(sinew_stream_clip_sample, (NULL));
#define SPOILS_SAMPLE(change)                                                                      \
    SPOILS(INVALID_ARGUMENT, sinew_stream_clip_sample, sinew_stream_sample_args, args, change)
    SPOILS_SAMPLE(clip = NULL);
    SPOILS_SAMPLE(out_pose = NULL);
    SPOILS_SAMPLE(out_pose = &other);
    SPOILS_SAMPLE(out_pose = &planeless);
    SPOILS_SAMPLE(time = NAN);
    SPOILS_SAMPLE(translations = (sinew_translation_mode)9);
    SPOILS_SAMPLE(joints = backwards; spoilt.joint_count = 2);
}

static void performers(void **state)
{
    (void)state;
    const sinew_stream_rig *rig = misuse.bird->rig;
    ANSWERS(sinew_stream_performer_size, sinew_stream_performer_size(NULL) == 0);
    const size_t size = sinew_stream_performer_size(rig);
    char *block = misuse_block(size + 64);
#define INITS_NOTHING(code, ...)                                                                   \
    MAKES_NOTHING(code, sinew_stream_performer_init, sinew_stream_performer, (__VA_ARGS__, &made))
    INITS_NOTHING(INVALID_ARGUMENT, NULL, size, rig);
    INITS_NOTHING(INVALID_ARGUMENT, block, size, NULL);
    INITS_NOTHING(MISALIGNED, block + 16, size, rig);
    INITS_NOTHING(BUFFER_TOO_SMALL, block, size - 1, rig);
    REFUSES(sinew_stream_performer_init, (block, size, rig, NULL));
    sinew_stream_performer *p = NULL;
    assert_ok(sinew_stream_performer_init(block, size, rig, &p));
    const sinew_stream_clip *clip = misuse.bird->clips[0];
    assert_ok(sinew_stream_performer_show(p, clip, 3.0, true));
    REFUSES(sinew_stream_performer_show, (NULL, clip, 0.0, true));
    REFUSES(sinew_stream_performer_show, (p, NULL, 0.0, true));
    REFUSES(sinew_stream_performer_show, (p, clip, NAN, true));
    assert_int_equal(sinew_stream_performer_frame(p), 3); // it keeps what it shows
    NOTHING(sinew_stream_performer_reset, (NULL));
    ANSWERS(sinew_stream_performer_frame, sinew_stream_performer_frame(NULL) == 0);
    ANSWERS(sinew_stream_performer_evaluations, sinew_stream_performer_evaluations(NULL) == 0);
    ANSWERS(sinew_stream_performer_rig, !sinew_stream_performer_rig(NULL));
    ANSWERS(sinew_stream_performer_pose, !sinew_stream_performer_pose(NULL));
    ANSWERS(sinew_stream_performer_draw, !sinew_stream_performer_draw(NULL));
    ANSWERS(sinew_stream_performer_pivot, !sinew_stream_performer_pivot(NULL));

    sinew_stream_source_desc source = sinew_stream_source_desc_default();
    ANSWERS(sinew_stream_source_desc_default, source.clip == NULL);
    REFUSES(sinew_stream_clip_to_source, (NULL, NULL, NULL));
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_stream_clip_to_source, sinew_clip,
                  (&source, &made, NULL));
    source.clip = clip;
    REFUSES(sinew_stream_clip_to_source, (&source, NULL, NULL));
}

static void packs(void **state)
{
    (void)state;
    const sinew_stream_pack *bird = misuse.bird;
    sinew_stream_document_desc good = sinew_stream_document_desc_default();
    ANSWERS(sinew_stream_document_desc_default, good.rig == NULL && good.clip_count == 0);
    good.rig = bird->rig, good.clips = bird->clips, good.clip_count = 1;
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_stream_document_create, sinew_document,
                  (NULL, &made, NULL));
    REFUSES(sinew_stream_document_create, (&good, NULL, NULL));
    static const sinew_stream_clip *const none[1] = {NULL};
#define SPOILS_DOCUMENT(change)                                                                    \
    SPOILS_MAKING(INVALID_ARGUMENT, sinew_stream_document_create, sinew_stream_document_desc,      \
                  good, sinew_document, change)
    SPOILS_DOCUMENT(rig = NULL);
    SPOILS_DOCUMENT(clips = NULL);
    SPOILS_DOCUMENT(clips = none);
    SPOILS_DOCUMENT(mesh_count = 1);
    SPOILS_DOCUMENT(material_count = 1);
    SPOILS_DOCUMENT(texture_count = 1);
    SPOILS_DOCUMENT(image_count = 1);
    char few[8];
    ANSWERS(sinew_stream_document_write_glb, sinew_stream_document_write_glb(NULL, few, 8) == 0);
    ANSWERS(sinew_stream_document_write_glb,
            sinew_stream_document_write_glb(bird->document, few, 8) > 8);
    ANSWERS(sinew_stream_document_write_glb,
            sinew_stream_document_write_glb(bird->document, NULL, 8) > 8);

    sinew_stream_joint_desc joint = {
        .joint = {.name = "a", .parent = -1, .node = -1, .rest = sinew_transform_identity()}};
    sinew_stream_pack_desc pack = sinew_stream_pack_desc_default();
    ANSWERS(sinew_stream_pack_desc_default, pack.clip_count == 0 && pack.mesh_count == 0);
    pack.rig.joints = &joint, pack.rig.joint_count = 1;
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_stream_pack_create, sinew_stream_pack,
                  (NULL, &made, NULL));
    REFUSES(sinew_stream_pack_create, (&pack, NULL, NULL));
#define SPOILS_PACK(code, change)                                                                  \
    SPOILS_MAKING(code, sinew_stream_pack_create, sinew_stream_pack_desc, pack, sinew_stream_pack, \
                  change)
    SPOILS_PACK(INVALID_ARGUMENT, rig.joints = NULL);
    SPOILS_PACK(INVALID_ARGUMENT, clip_count = 1);
    SPOILS_PACK(INVALID_ARGUMENT, mesh_count = 1);
    SPOILS_PACK(INVALID_ARGUMENT, material_count = 1);
    SPOILS_PACK(INVALID_ARGUMENT, texture_count = 1);
    SPOILS_PACK(INVALID_ARGUMENT, flipbook_count = 1);
    SPOILS_PACK(NOT_FOUND, idle = "nobody");
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_stream_pack_read, sinew_stream_pack,
                  (NULL, 9, NULL, NULL, &made, NULL));
    MAKES_NOTHING(JSON_SYNTAX, sinew_stream_pack_read, sinew_stream_pack,
                  ("{", 0, NULL, NULL, &made, NULL));
    REFUSES(sinew_stream_pack_read, ("{}", 2, NULL, NULL, NULL, NULL));
    char text[4] = "abc";
    ANSWERS(sinew_stream_pack_write, sinew_stream_pack_write(NULL, text, 4) == 0 && !text[0]);
    ANSWERS(sinew_stream_pack_write, sinew_stream_pack_write(&pack, text, 4) > 4 && !text[3]);
    ANSWERS(sinew_stream_pack_write, sinew_stream_pack_write(&pack, NULL, 4) > 4);
    ANSWERS(sinew_stream_pack_take_document, !sinew_stream_pack_take_document(NULL));
    NOTHING(sinew_stream_pack_destroy, (NULL));
}

static void flipbooks(void **state)
{
    (void)state;
    static const int32_t entries[2] = {1, 2};
    sinew_flipbook_stream lane = {entries, 2};
    sinew_flipbook_set_desc sets[2] = {{.name = "a", .lanes = &lane, .lane_count = 1},
                                       {.name = "b"}};
    sinew_flipbook_desc good = sinew_flipbook_desc_default();
    ANSWERS(sinew_flipbook_desc_default, good.sets == NULL && good.set_count == 0);
    good.sets = sets, good.set_count = 2;
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_flipbook_create, sinew_flipbook, (NULL, &made, NULL));
    REFUSES(sinew_flipbook_create, (&good, NULL, NULL));
#define SPOILS_BOOK(code, change)                                                                  \
    SPOILS_MAKING(code, sinew_flipbook_create, sinew_flipbook_desc, good, sinew_flipbook, change)
    SPOILS_BOOK(INVALID_ARGUMENT, sets = NULL);
    SPOILS_BOOK(LIMIT_EXCEEDED, set_count = SINEW_FLIPBOOK_MAX_SETS + 1);
    lane.entries = NULL;
    SPOILS_BOOK(INVALID_ARGUMENT, set_count = 2);
    lane.entries = entries, sets[1].lane_count = 1;
    SPOILS_BOOK(INVALID_ARGUMENT, set_count = 2);
    sets[1].lane_count = 0, sets[1].name = "a";
    SPOILS_BOOK(NAME_TAKEN, set_count = 2);
    const sinew_flipbook *book = misuse.bird->flipbook;
    NOTHING(sinew_flipbook_destroy, (NULL));
    ANSWERS(sinew_flipbook_set_count, sinew_flipbook_set_count(NULL) == 0);
    ANSWERS(sinew_flipbook_set_name, !sinew_flipbook_set_name(NULL, 0)[0]);
    ANSWERS(sinew_flipbook_set_name, !sinew_flipbook_set_name(book, 99)[0]);
    ANSWERS(sinew_flipbook_find_set, sinew_flipbook_find_set(NULL, "blink") == -1);
    ANSWERS(sinew_flipbook_find_set, sinew_flipbook_find_set(book, NULL) == -1);
    ANSWERS(sinew_flipbook_lane_count, sinew_flipbook_lane_count(NULL, 0) == 0);
    ANSWERS(sinew_flipbook_lane_count, sinew_flipbook_lane_count(book, 99) == 0);
    ANSWERS(sinew_flipbook_lane, sinew_flipbook_lane(NULL, 0, 0).count == 0);
    ANSWERS(sinew_flipbook_lane, sinew_flipbook_lane(book, -1, 0).count == 0);
    ANSWERS(sinew_flipbook_lane, sinew_flipbook_lane(book, 0, 99).count == 0);
    int32_t entry;
    ANSWERS(sinew_flipbook_entry, !sinew_flipbook_entry(NULL, 0, 0, 0, &entry));
    ANSWERS(sinew_flipbook_entry, !sinew_flipbook_entry(book, 0, 0, 0, NULL));
    ANSWERS(sinew_flipbook_entry, !sinew_flipbook_entry(book, 0, -1, 0, &entry));
    const sinew_flipbook_primitive own = {.lane = 0, .texture = 5};
    ANSWERS(sinew_flipbook_texture, sinew_flipbook_texture(NULL, 0, 0, &own) == 5);
    ANSWERS(sinew_flipbook_texture, sinew_flipbook_texture(book, 0, 0, &own) == 5);
    ANSWERS(sinew_flipbook_texture, sinew_flipbook_texture(book, 0, 0, NULL) == -1);
    sinew_flipbook_draw draws[1];
    ANSWERS(sinew_flipbook_draws, sinew_flipbook_draws(NULL, -1, 0, &own, 1, draws) == 1);
    ANSWERS(sinew_flipbook_draws, sinew_flipbook_draws(book, 0, 0, NULL, 1, draws) == 0);
    ANSWERS(sinew_flipbook_draws, sinew_flipbook_draws(book, 0, 0, &own, 1, NULL) == 0);
}

static void leashes(void **state)
{
    (void)state;
    static sinew_mat4 bind[SHARED_JOINTS];
    for (int i = 0; i < SHARED_JOINTS; i++)
        bind[i] = sinew_mat4_identity();
    sinew_leash_model_desc good = sinew_leash_model_desc_default();
    ANSWERS(sinew_leash_model_desc_default, good.bind == NULL && good.joint_count == 0);
    good.bind = bind, good.joint_count = 2, good.height = 1;
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_leash_model_create, sinew_leash_model,
                  (NULL, &made, NULL));
    REFUSES(sinew_leash_model_create, (&good, NULL, NULL));
#define SPOILS_LEASH(code, change)                                                                 \
    SPOILS_MAKING(code, sinew_leash_model_create, sinew_leash_model_desc, good, sinew_leash_model, \
                  change)
    SPOILS_LEASH(INVALID_ARGUMENT, bind = NULL);
    SPOILS_LEASH(INVALID_ARGUMENT, joint_count = 0);
    SPOILS_LEASH(INVALID_ARGUMENT, joint_count = SINEW_MAX_JOINTS + 1);
    SPOILS_LEASH(INVALID_ARGUMENT, idle_count = 2);
    SPOILS_LEASH(NOT_FINITE, height = NAN);
    bind[1].m[12] = INFINITY;
    SPOILS_LEASH(NOT_FINITE, joint_count = 2);
    bind[1].m[12] = 0;
    sinew_leash_stream_desc stream = {.rig = NULL};
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_leash_model_from_stream, sinew_leash_model,
                  (NULL, &made, NULL));
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_leash_model_from_stream, sinew_leash_model,
                  (&stream, &made, NULL));
    stream.rig = misuse.bird->rig;
    REFUSES(sinew_leash_model_from_stream, (&stream, NULL, NULL));
    sinew_leash_skeleton_desc skeleton = {.skeleton = NULL};
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_leash_model_from_skeleton, sinew_leash_model,
                  (NULL, &made, NULL));
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_leash_model_from_skeleton, sinew_leash_model,
                  (&skeleton, &made, NULL));
    skeleton.skeleton = misuse.cub_skeleton, skeleton.idle = misuse.walk; // of another skeleton
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_leash_model_from_skeleton, sinew_leash_model,
                  (&skeleton, &made, NULL));
    skeleton.skeleton = misuse.skeleton;
    REFUSES(sinew_leash_model_from_skeleton, (&skeleton, NULL, NULL));
    NOTHING(sinew_leash_model_destroy, (NULL));
    ANSWERS(sinew_leash_model_get_info, sinew_leash_model_get_info(NULL).joint_count == 0);
    uint32_t counts[2] = {0, 0};
    static const uint16_t joints[2] = {0, 9};
    static const float weights[2] = {1, 1};
    NOTHING(sinew_leash_count_vertices, (NULL, weights, 1, 2, NULL, 0, counts, 2));
    NOTHING(sinew_leash_count_vertices, (joints, NULL, 1, 2, NULL, 0, counts, 2));
    NOTHING(sinew_leash_count_vertices, (joints, weights, 1, 2, NULL, 0, NULL, 2));
    assert_true(counts[0] == 0 && counts[1] == 0);
    NOTHING(sinew_leash_count_vertices, (joints, weights, 1, 2, NULL, 0, counts, 2));
    assert_true(counts[0] == 1 && counts[1] == 0); // a joint that is none counts nowhere
    ANSWERS(sinew_leash_center_of, sinew_leash_center_of(NULL, NULL, 2).x == 0.0f);
    ANSWERS(sinew_leash_center_of, sinew_leash_center_of(NULL, bind, 0).x == 0.0f);
    sinew_leash leash;
    NOTHING(sinew_leash_init, (NULL));
    NOTHING(sinew_leash_reset, (NULL));
    sinew_leash_init(&leash);
    const sinew_leash_args args = {.model = misuse.leash,
                                   .leash = &leash,
                                   .limit = 0.2f,
                                   .dt = 0.1f,
                                   .draw = bind,
                                   .joint_count = misuse.joint_count,
                                   .out_draw = bind};
    assert_ok(sinew_leash_apply(&args));
    REFUSES(sinew_leash_apply, (NULL));
#define SPOILS_APPLY(change)                                                                       \
    SPOILS(INVALID_ARGUMENT, sinew_leash_apply, sinew_leash_args, args, change)
    SPOILS_APPLY(model = NULL);
    SPOILS_APPLY(leash = NULL);
    SPOILS_APPLY(draw = NULL);
    SPOILS_APPLY(joint_count--);
    SPOILS_APPLY(out_draw = NULL);
    static sinew_mat4 pivot[SHARED_JOINTS];
    SPOILS_APPLY(pivot = pivot); // and nowhere to write it
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigs),  cmocka_unit_test(clips),     cmocka_unit_test(performers),
        cmocka_unit_test(packs), cmocka_unit_test(flipbooks), cmocka_unit_test(leashes),
    };
    return MISUSE_RUN(tests);
}
