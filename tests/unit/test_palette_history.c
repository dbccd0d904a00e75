// SPDX-License-Identifier: MIT
// Palettes of the frame before: which frame that is, whatever the host builds, holds or leaves out.
#include "../support/test_main.h"

#include <stdlib.h>
#include <string.h>

#include "sinew/sinew.h"

#include "../support/random.h"

// One root joint with an identity inverse bind: the palette is the model matrix, so that the x of a
// translation tells which build a palette is of.
typedef struct figure {
    sinew_skeleton *skeleton;
    sinew_skin *skin;
    void *memory;
    sinew_palette_history history;
} figure;

static figure make(void)
{
    figure f;
    memset(&f, 0, sizeof f);
    const sinew_joint_desc joint = {
        .name = "root", .parent = -1, .node = -1, .rest = sinew_transform_identity()};
    f.skeleton = test_skeleton_of(&joint, 1);
    const uint16_t slot = 0;
    sinew_skin_desc skin_desc = sinew_skin_desc_default();
    skin_desc.skeleton = f.skeleton, skin_desc.joints = &slot, skin_desc.joint_count = 1;
    assert_ok(sinew_skin_create(&skin_desc, &f.skin, NULL));
    size_t size = sinew_palette_history_size(1);
    f.memory = test_block(size);
    assert_ok(sinew_palette_history_init(&f.history, 1, f.memory, size));
    return f;
}

static void end(figure *f)
{
    test_block_free(f->memory);
    sinew_skin_destroy(f->skin);
    sinew_skeleton_destroy(f->skeleton);
}

// Builds a frame in which the joint stands at x, and R moves everything by y.
static sinew_result build_with(figure *f, uint64_t frame, float x, float y)
{
    sinew_mat4 model = sinew_mat4_identity(), result = sinew_mat4_identity();
    model.m[12] = x;
    result.m[13] = y;
    sinew_skin_rest rest = {.kind = SINEW_REST_IDENTITY, .k = sinew_mat4_identity()};
    return sinew_palette_history_build(
        &f->history, frame,
        &(sinew_palette_args){
            .skin = f->skin, .model = &model, .model_count = 1, .result = &result, .rest = &rest});
}

static void build(figure *f, uint64_t frame, float x)
{
    assert_ok(build_with(f, frame, x, 0));
}

static void assert_frames(const figure *f, uint64_t frame, float palette, float previous,
                          bool has_previous)
{
    assert_true(f->history.built);
    assert_int_equal(f->history.frame, frame);
    assert_same(f->history.palette->m[3], palette);
    assert_same(f->history.previous->m[3], previous);
    assert_int_equal(f->history.has_previous, has_previous);
}

static void the_table_of_the_header(void **state)
{
    (void)state;
    figure f = make();
    assert_false(f.history.built);
    build(&f, 0, 10);
    assert_frames(&f, 0, 10, 10, false);
    build(&f, 1, 11);
    assert_frames(&f, 1, 11, 10, true);
    build(&f, 1, 12);
    assert_frames(&f, 1, 12, 10, true);
    build(&f, 2, 13);
    assert_frames(&f, 2, 13, 12, true);
    sinew_palette_history_hold(&f.history, 3);
    assert_frames(&f, 3, 13, 13, true);
    build(&f, 7, 14);
    assert_frames(&f, 7, 14, 14, false);
    build(&f, 8, 15);
    assert_frames(&f, 8, 15, 14, true);
    end(&f);
}

static void a_first_frame_may_be_built_again(void **state)
{
    (void)state;
    figure f = make();
    build(&f, 5, 1);
    build(&f, 5, 2); // still no frame before it: no motion from 1 to 2
    assert_frames(&f, 5, 2, 2, false);
    build(&f, 6, 3);
    assert_frames(&f, 6, 3, 2, true);
    build(&f, 9, 4);
    build(&f, 9, 5); // the same after a gap
    assert_frames(&f, 9, 5, 5, false);
    build(&f, 8, 6); // and where numbers go back
    assert_frames(&f, 8, 6, 6, false);
    build(&f, 9, 7);
    assert_frames(&f, 9, 7, 6, true);
    build(&f, UINT64_MAX, 8);
    build(&f, 0, 9); // numbers may wrap
    assert_frames(&f, 0, 9, 8, true);
    end(&f);
}

static void held_frames(void **state)
{
    (void)state;
    figure f = make();
    sinew_palette_history_hold(&f.history, 3); // nothing to hold
    assert_false(f.history.built);
    build(&f, 3, 1);
    build(&f, 4, 2);
    sinew_palette_history_hold(&f.history, 4); // built already
    assert_frames(&f, 4, 2, 1, true);
    // Every other frame: 2 -> held -> 3 -> held. Motion is 1, 0, 1, 0.
    sinew_palette_history_hold(&f.history, 5);
    assert_frames(&f, 5, 2, 2, true);
    build(&f, 6, 3);
    assert_frames(&f, 6, 3, 2, true);
    sinew_palette_history_hold(&f.history, 7);
    assert_frames(&f, 7, 3, 3, true);
    build(&f, 7, 4); // held, then built after all: its motion is from frame 6
    assert_frames(&f, 7, 4, 3, true);
    sinew_palette_history_hold(&f.history, 20); // out of sight in between
    assert_frames(&f, 20, 4, 4, false);
    build(&f, 20, 5);
    assert_frames(&f, 20, 5, 5, false);
    build(&f, 21, 6);
    assert_frames(&f, 21, 6, 5, true);
    end(&f);
}

static void resets(void **state)
{
    (void)state;
    figure f = make();
    build(&f, 0, 1);
    build(&f, 1, 2);
    sinew_palette_history_reset(&f.history); // a teleport in frame 2
    assert_false(f.history.built);
    assert_false(f.history.has_previous);
    sinew_palette_history_hold(&f.history, 2);
    assert_false(f.history.built);
    build(&f, 2, 1000);
    assert_frames(&f, 2, 1000, 1000, false);
    build(&f, 3, 1001);
    assert_frames(&f, 3, 1001, 1000, true);
    sinew_palette_history_reset(&f.history); // found out late: built, reset, built again
    build(&f, 3, 5);
    assert_frames(&f, 3, 5, 5, false);
    end(&f);
}

static void centers_go_along(void **state)
{
    (void)state;
    // C = R K with K = 1: it holds the y of R.
    figure f = make();
    assert_ok(build_with(&f, 0, 0, 3));
    assert_same(f.history.center.m[7], 3);
    assert_same(f.history.previous_center.m[7], 3);
    // The joint is at rest, so that M is C to the bit, in both frames.
    assert_memory_equal(f.history.palette, &f.history.center, sizeof f.history.center);
    assert_ok(build_with(&f, 1, 0, 4));
    assert_same(f.history.center.m[7], 4);
    assert_same(f.history.previous_center.m[7], 3);
    assert_memory_equal(f.history.previous, &f.history.previous_center, sizeof f.history.center);
    assert_ok(build_with(&f, 1, 0, 5));
    assert_same(f.history.center.m[7], 5);
    assert_same(f.history.previous_center.m[7], 3);
    sinew_palette_history_hold(&f.history, 2);
    assert_same(f.history.previous_center.m[7], 5);
    end(&f);
}

static void errors_leave_it_alone(void **state)
{
    (void)state;
    figure f = make();
    build(&f, 0, 1);
    build(&f, 1, 2);
    sinew_palette_history before = f.history;
    const sinew_palette_args nothing = {0};
    for (uint64_t frame = 0; frame < 4; frame++) {
        assert_result(sinew_palette_history_build(&f.history, frame, &nothing),
                      SINEW_ERROR_INVALID_ARGUMENT);
        assert_result(sinew_palette_history_build(&f.history, frame, NULL),
                      SINEW_ERROR_INVALID_ARGUMENT);
        assert_memory_equal(&f.history, &before, sizeof before);
        assert_frames(&f, 1, 2, 1, true);
    }
    assert_result(sinew_palette_history_build(NULL, 0, &nothing), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_palette_history zero;
    memset(&zero, 0, sizeof zero);
    assert_result(sinew_palette_history_build(&zero, 0, &nothing), SINEW_ERROR_INVALID_ARGUMENT);

    sinew_palette_history h;
    char *memory = test_block(512);
    assert_int_equal(sinew_palette_history_size(0), 0);
    assert_int_equal(sinew_palette_history_size(1), 128); // 48 bytes, each on lines of its own
    assert_int_equal(sinew_palette_history_size(4), 384); // 4 * 48 = 3 * 64
    assert_int_equal(sinew_palette_history_size(5), 512); // 240 bytes in 4 * 64
    assert_result(sinew_palette_history_init(NULL, 1, memory, 512), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_palette_history_init(&h, 1, NULL, 512), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_palette_history_init(&h, 65536, memory, 512), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_palette_history_init(&h, 1, memory + 4, 508), SINEW_ERROR_MISALIGNED);
    assert_result(sinew_palette_history_init(&h, 5, memory, 511), SINEW_ERROR_BUFFER_TOO_SMALL);
    assert_ok(sinew_palette_history_init(&h, 5, memory, 512));
    assert_int_equal((uintptr_t)h.palette % 64, 0);
    assert_int_equal((uintptr_t)h.previous % 64, 0);
    // Fewer joints than the skin has, and none.
    sinew_mat4 model = sinew_mat4_identity();
    sinew_palette_args args = {.skin = f.skin, .model = &model, .model_count = 1};
    assert_ok(sinew_palette_history_build(&h, 0, &args)); // more than it has is allowed
    assert_ok(sinew_palette_history_init(&h, 0, memory, 0));
    assert_result(sinew_palette_history_build(&h, 0, &args), SINEW_ERROR_BUFFER_TOO_SMALL);
    assert_false(h.built);
    test_block_free(memory);
    end(&f);
}

static void counts_what_is_replaced(void **state)
{
    (void)state;
    figure f = make();
    sinew_mat4 model = sinew_mat4_identity();
    model.m[12] = NAN;
    uint32_t replaced = 7;
    assert_ok(sinew_palette_history_build(
        &f.history, 0,
        &(sinew_palette_args){
            .skin = f.skin, .model = &model, .model_count = 1, .out_replaced = &replaced}));
    assert_int_equal(replaced, 1);
    assert_frames(&f, 0, 0, 0, false);
    end(&f);
}

static void motion_of_vertices(void **state)
{
    (void)state;
    // A random figure of 12 joints walks for some frames. The positions that `previous` gives are,
    // to the bit, those that the frame before had; where nothing moves, motion is 0.
    test_random random = test_random_make(1);
    test_rig rig = test_rig_random(&random, 12, TEST_RIG_INHERIT);
    uint16_t slots[12];
    for (uint16_t j = 0; j < 12; j++)
        slots[j] = j;
    sinew_skin_desc desc = sinew_skin_desc_default();
    desc.skeleton = rig.skeleton, desc.joints = slots, desc.joint_count = 12;
    sinew_skin *skin = NULL;
    assert_ok(sinew_skin_create(&desc, &skin, NULL));
    sinew_skin_rest rest;
    assert_ok(sinew_skin_find_rest(skin, NULL, 1, &rest));
    test_mesh mesh = test_mesh_random(&random, 40, 4, 12);
    size_t size = sinew_palette_history_size(12);
    void *memory = test_block(size);
    sinew_palette_history history;
    assert_ok(sinew_palette_history_init(&history, 12, memory, size));
    float last[120], now[120], before[120];
    sinew_pose pose = test_pose_random(&random, rig.skeleton);
    for (uint64_t frame = 0; frame < 6; frame++) {
        if (frame != 3) { // in frame 3 the pose is the last one
            test_pose_free(&pose);
            pose = test_pose_random(&random, rig.skeleton);
        }
        sinew_mat4 model[12];
        assert_ok(sinew_local_to_model(&(sinew_local_to_model_args){
            .skeleton = rig.skeleton, .pose = &pose, .out_model = model, .out_count = 12}));
        assert_ok(sinew_palette_history_build(
            &history, frame,
            &(sinew_palette_args){.skin = skin, .model = model, .model_count = 12, .rest = &rest}));
        sinew_skin_args args = {.palette = history.palette,
                                .palette_count = 12,
                                .center = &history.center,
                                .joints = mesh.joints,
                                .weights = mesh.weights,
                                .influence_count = 4,
                                .vertex_count = 40,
                                .positions = mesh.positions,
                                .out_positions = now,
                                .out_size = 40};
        assert_ok(sinew_skin_vertices(&args));
        args.palette = history.previous, args.center = &history.previous_center;
        args.out_positions = before;
        assert_ok(sinew_skin_vertices(&args));
        assert_memory_equal(before, frame == 0 ? now : last, sizeof before);
        if (frame == 0 || frame == 3)
            assert_memory_equal(before, now, sizeof before);
        else
            assert_memory_not_equal(before, now, sizeof before);
        memcpy(last, now, sizeof last);
    }
    test_pose_free(&pose);
    test_block_free(memory);
    test_mesh_free(&mesh);
    sinew_skin_destroy(skin);
    test_rig_free(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_of_the_header),
        cmocka_unit_test(a_first_frame_may_be_built_again),
        cmocka_unit_test(held_frames),
        cmocka_unit_test(resets),
        cmocka_unit_test(centers_go_along),
        cmocka_unit_test(errors_leave_it_alone),
        cmocka_unit_test(counts_what_is_replaced),
        cmocka_unit_test(motion_of_vertices),
    };
    return TEST_RUN(tests);
}
