// SPDX-License-Identifier: MIT
// Files of runtime clips: what is put in comes out, in place; each changed, missing or added byte
// is found; what is wrong under right checksums is refused or harmless.
#include "../support/test_main.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sinew/document.h"
#include "sinew/runtime_cost.h"
#include "sinew/runtime_file.h"
#include "sinew_fixtures.h"

// ---- A small clip: two joints, one turns, a weight moves --------------------------------------------------

static sinew_skeleton *make_skeleton(const char *second, int32_t parent_of_third)
{
    const sinew_transform at_rest = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    sinew_joint_desc joints[3] = {{.name = "root", .parent = -1, .node = 4, .rest = at_rest},
                                  {.name = second, .parent = 0, .node = -1, .rest = at_rest},
                                  {.name = "tip", .parent = parent_of_third, .rest = at_rest}};
    joints[1].rest.translation.y = 0.5f;
    joints[1].rest.rotation = (sinew_quat){0, 0.6f, 0, 0.8f};
    joints[2].rest.translation.y = 0.25f;
    joints[2].rest.scale = (sinew_vec3){1, 2, 1};
    joints[2].shear = (sinew_vec3){0, 0.125f, 0};
    joints[2].scale_rule = SINEW_SCALE_COMPENSATE;
    sinew_skeleton *skeleton;
    assert_ok(sinew_skeleton_create(&(sinew_skeleton_desc){.joints = joints, .joint_count = 3},
                                    &skeleton, NULL));
    return skeleton;
}

enum { KEYS = 12 };

static sinew_runtime_bytes make_bytes(const sinew_skeleton *skeleton)
{
    float times[KEYS], turns[4 * KEYS], weights[KEYS];
    for (int i = 0; i < KEYS; i++) {
        times[i] = (float)i / 30.0f;
        turns[4 * i] = turns[4 * i + 1] = 0.0f;
        turns[4 * i + 2] = sinf(0.3f * sinf((float)i));
        turns[4 * i + 3] = cosf(0.3f * sinf((float)i));
        weights[i] = 0.5f + 0.5f * sinf(2.0f * (float)i);
    }
    const sinew_track tracks[2] = {{.node = 4,
                                    .node_name = "root",
                                    .property = SINEW_PROPERTY_ROTATION,
                                    .interpolation = SINEW_INTERPOLATION_LINEAR,
                                    .component_count = 4,
                                    .key_count = KEYS,
                                    .times = times,
                                    .values = turns},
                                   {.node = 7,
                                    .node_name = "face",
                                    .property = SINEW_PROPERTY_WEIGHTS,
                                    .interpolation = SINEW_INTERPOLATION_LINEAR,
                                    .component_count = 1,
                                    .first_component = 3,
                                    .key_count = KEYS,
                                    .times = times,
                                    .values = weights}};
    sinew_clip *clip;
    sinew_clip_binding *binding;
    assert_ok(
        sinew_clip_create(&(sinew_clip_desc){.tracks = tracks, .track_count = 2}, &clip, NULL));
    assert_ok(sinew_clip_binding_create(
        &(sinew_clip_binding_desc){.clip = clip, .skeleton = skeleton}, &binding));
    sinew_runtime_build_desc desc = sinew_runtime_build_desc_default();
    desc.binding = binding;
    sinew_runtime_bytes bytes;
    assert_ok(sinew_runtime_clip_build(&desc, &bytes, NULL, NULL));
    sinew_clip_binding_destroy(binding);
    sinew_clip_destroy(clip);
    return bytes;
}

static sinew_runtime_bytes make_small_file(void)
{
    sinew_skeleton *skeleton = make_skeleton("middle", 1);
    sinew_runtime_bytes clip = make_bytes(skeleton), file;
    const sinew_scalar scalar = {7, 3};
    const sinew_runtime_file_part parts[2] = {{.name = "nod",
                                               .bytes = clip.bytes,
                                               .size = clip.size,
                                               .scalars = &scalar,
                                               .scalar_count = 1},
                                              {.name = "nod",
                                               .bytes = clip.bytes,
                                               .size = clip.size,
                                               .scalars = &scalar,
                                               .scalar_count = 1}};
    const sinew_skeleton *const skeletons[1] = {skeleton};
    const char *const names[1] = {"rig"};
    sinew_runtime_file_desc desc = sinew_runtime_file_desc_default();
    desc.skeletons = skeletons, desc.skeleton_names = names, desc.skeleton_count = 1;
    desc.clips = parts, desc.clip_count = 2;
    assert_ok(sinew_runtime_file_build(&desc, &file, NULL));
    sinew_runtime_bytes_free(&clip);
    sinew_skeleton_destroy(skeleton);
    return file;
}

// ---- In and out -------------------------------------------------------------------------------------------

static void assert_same_skeletons(const sinew_skeleton *a, const sinew_skeleton *b)
{
    const uint32_t n = sinew_skeleton_joint_count(a);
    assert_int_equal(sinew_skeleton_joint_count(b), n);
    assert_memory_equal(sinew_skeleton_parents(a), sinew_skeleton_parents(b), n * sizeof(int32_t));
    assert_memory_equal(sinew_skeleton_nodes(a), sinew_skeleton_nodes(b), n * sizeof(int32_t));
    assert_memory_equal(sinew_skeleton_rest(a), sinew_skeleton_rest(b),
                        n * sizeof(sinew_transform));
    for (uint32_t j = 0; j < n; j++) {
        assert_string_equal(sinew_skeleton_joint_name(a, j), sinew_skeleton_joint_name(b, j));
        assert_int_equal(sinew_skeleton_scale_rule(a, j), sinew_skeleton_scale_rule(b, j));
        assert_same(sinew_skeleton_shear(a, j).y, sinew_skeleton_shear(b, j).y);
    }
}

static void test_small_file(void **state)
{
    (void)state;
    sinew_skeleton *skeleton = make_skeleton("middle", 1);
    sinew_runtime_bytes clip = make_bytes(skeleton), bytes = make_small_file();
    sinew_runtime_file *file;
    assert_ok(sinew_runtime_file_open(bytes.bytes, bytes.size, NULL, &file, NULL));
    assert_int_equal(sinew_runtime_file_clip_count(file), 2);
    assert_int_equal(sinew_runtime_file_skeleton_count(file), 1);
    assert_same_skeletons(sinew_runtime_file_skeleton(file, 0), skeleton);
    assert_string_equal(sinew_runtime_file_skeleton_name(file, 0), "rig");
    assert_int_equal(sinew_runtime_file_find(file, "nod"), 0);
    assert_int_equal(sinew_runtime_file_find(file, "no"), -1);
    assert_null(sinew_runtime_file_clip_at(file, 2));
    const sinew_runtime_file_clip *second = sinew_runtime_file_clip_at(file, 1);
    assert_int_equal(second->size, clip.size);
    assert_memory_equal(second->bytes, clip.bytes, clip.size);
    assert_int_equal((second->bytes - bytes.bytes) % 64, 0);
    assert_int_equal(second->scalars[0].node, 7);
    assert_int_equal(second->scalars[0].target, 3);
    // the head, 2 * 24 of clips, 16 of the skeleton, 2 * 8 of scalars, joints of 1 + 2 + 12 and 4
    // (node), 16 (rotation), 12 + 12 + 4 (scale, shear, node 0) bytes and their names, "nod" twice
    // and "rig"; clips at multiples of 64
    size_t expected = 64 + 48 + 16 + 16 + (15 + 4 + 5) + (15 + 16 + 7) + (15 + 28 + 4) + 12;
    expected = (expected + 63) / 64 * 64;
    assert_int_equal(sinew_runtime_file_clip_at(file, 0)->bytes - bytes.bytes, expected);
    expected = (expected + clip.size + 63) / 64 * 64 + clip.size;
    assert_int_equal(bytes.size, expected);
    sinew_runtime_file_close(file);
    sinew_runtime_bytes_free(&bytes);
    sinew_runtime_bytes_free(&clip);
    sinew_skeleton_destroy(skeleton);
}

static void test_empty_file(void **state)
{
    (void)state;
    sinew_runtime_bytes bytes;
    sinew_runtime_file *file;
    sinew_runtime_file_desc desc = sinew_runtime_file_desc_default();
    assert_ok(sinew_runtime_file_build(&desc, &bytes, NULL));
    assert_int_equal(bytes.size, 64);
    assert_ok(sinew_runtime_file_open(bytes.bytes, bytes.size, NULL, &file, NULL));
    assert_int_equal(sinew_runtime_file_clip_count(file), 0);
    sinew_runtime_file_close(file);
    sinew_runtime_bytes_free(&bytes);
}

// Every clip of the creature through a file: the bits of the clip alone.
static void test_creature_file(void **state)
{
    (void)state;
    sinew_document *creature;
    sinew_skeleton *skeleton;
    assert_ok(sinew_fixture_creature(NULL, &creature));
    assert_ok(sinew_document_rig_skeleton(creature, 0, NULL, &skeleton, NULL));
    const uint32_t count = creature->clip_count, n = sinew_skeleton_joint_count(skeleton);
    sinew_clip_binding **bindings = calloc(count, sizeof *bindings);
    sinew_runtime_bytes *clips = calloc(count, sizeof *clips), bytes;
    sinew_runtime_file_part *parts = calloc(count, sizeof *parts);
    for (uint32_t c = 0; c < count; c++) {
        assert_ok(sinew_clip_binding_create(
            &(sinew_clip_binding_desc){.clip = creature->clips[c], .skeleton = skeleton},
            &bindings[c]));
        sinew_runtime_build_desc desc = sinew_runtime_build_desc_default();
        desc.binding = bindings[c];
        desc.preset = SINEW_RUNTIME_FAST;
        assert_ok(sinew_runtime_clip_build(&desc, &clips[c], NULL, NULL));
        parts[c].name = sinew_clip_name(creature->clips[c]);
        parts[c].bytes = clips[c].bytes, parts[c].size = clips[c].size;
        parts[c].scalars = sinew_clip_binding_scalars(bindings[c], &parts[c].scalar_count);
    }
    const sinew_skeleton *const skeletons[1] = {skeleton};
    sinew_runtime_file_desc desc = sinew_runtime_file_desc_default();
    desc.skeletons = skeletons, desc.skeleton_count = 1;
    desc.clips = parts, desc.clip_count = count;
    assert_ok(sinew_runtime_file_build(&desc, &bytes, NULL));
    sinew_runtime_file *file;
    assert_ok(sinew_runtime_file_open(bytes.bytes, bytes.size, NULL, &file, NULL));
    assert_same_skeletons(sinew_runtime_file_skeleton(file, 0), skeleton);
    const size_t size = sinew_pose_size(n);
    sinew_pose a, b;
    assert_ok(sinew_pose_init(&a, n, test_block(size), size));
    assert_ok(sinew_pose_init(&b, n, test_block(size), size));
    for (uint32_t c = 0; c < count; c++) {
        const sinew_runtime_file_clip *in_file = sinew_runtime_file_clip_at(file, c);
        assert_string_equal(in_file->name, parts[c].name);
        sinew_runtime_clip *alone, *bound;
        assert_ok(
            sinew_runtime_clip_open(clips[c].bytes, clips[c].size, skeleton, NULL, &alone, NULL));
        assert_ok(sinew_runtime_file_bind(file, c, skeleton, NULL, &bound, NULL));
        const double time = 0.37 * sinew_runtime_clip_duration(alone);
        assert_ok(sinew_runtime_clip_sample(
            &(sinew_runtime_sample_args){.clip = alone, .time = time, .out_pose = &a}));
        assert_ok(sinew_runtime_clip_sample(
            &(sinew_runtime_sample_args){.clip = bound, .time = time, .out_pose = &b}));
        assert_memory_equal(a.planes, b.planes, size);
        assert_ok(sinew_runtime_clip_sample(
            &(sinew_runtime_sample_args){.clip = in_file->clip, .time = time, .out_pose = &b}));
        assert_memory_equal(a.planes, b.planes, size);
        sinew_runtime_clip_destroy(bound);
        sinew_runtime_clip_destroy(alone);
    }
    sinew_runtime_file_close(file);
    for (uint32_t c = 0; c < count; c++) {
        sinew_runtime_bytes_free(&clips[c]);
        sinew_clip_binding_destroy(bindings[c]);
    }
    test_block_free(a.planes);
    test_block_free(b.planes);
    sinew_runtime_bytes_free(&bytes);
    free(bindings);
    free(clips);
    free(parts);
    sinew_skeleton_destroy(skeleton);
    sinew_document_destroy(creature);
}

// ---- What is refused --------------------------------------------------------------------------------------

static sinew_result open_copy(const uint8_t *bytes, size_t size, sinew_error *error)
{
    uint8_t *copy = malloc(size ? size : 1); // exact, so that reading past the end shows
    memcpy(copy, bytes, size);
    sinew_runtime_file *file;
    const sinew_result result = sinew_runtime_file_open(copy, size, NULL, &file, error);
    assert_true((result == SINEW_OK) == (file != NULL));
    sinew_runtime_file_close(file);
    free(copy);
    return result;
}

static void test_every_change_is_found(void **state)
{
    (void)state;
    sinew_runtime_bytes bytes = make_small_file();
    sinew_error error;
    assert_ok(open_copy(bytes.bytes, bytes.size, &error));
    static const uint8_t changes[] = {0x01, 0x80, 0xFF};
    for (size_t i = 0; i < bytes.size; i++)
        for (int k = 0; k < 3; k++) {
            bytes.bytes[i] ^= changes[k];
            memset(&error, 0, sizeof error);
            const sinew_result result = open_copy(bytes.bytes, bytes.size, &error);
            assert_int_not_equal(result, SINEW_OK);
            assert_int_equal(error.code, result);
            assert_true(error.message[0] && error.offset <= bytes.size);
            assert_true(i >= 4 || result == SINEW_ERROR_FORMAT_UNKNOWN);
            assert_true((i != 8 && i != 9) || result == SINEW_ERROR_VERSION);
            bytes.bytes[i] ^= changes[k];
        }
    for (size_t size = 0; size < bytes.size; size++)
        assert_int_not_equal(open_copy(bytes.bytes, size, &error), SINEW_OK);
    uint8_t *longer = calloc(bytes.size + 64, 1);
    memcpy(longer, bytes.bytes, bytes.size);
    for (size_t more = 1; more <= 64; more++)
        assert_result(open_copy(longer, bytes.size + more, &error), SINEW_ERROR_STREAM_DAMAGED);
    free(longer);
    sinew_runtime_bytes_free(&bytes);
}

// CRC-32 bit by bit, from its definition.
static uint32_t crc32_of(const uint8_t *bytes, size_t size)
{
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    return ~crc;
}

static void put_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

// Each byte changed, and the checksums made right again, the second clip's too where it is in it:
// what is then taken can be sampled.
static void test_changes_under_right_checksums(void **state)
{
    (void)state;
    sinew_runtime_bytes bytes = make_small_file();
    sinew_runtime_file *file;
    assert_ok(sinew_runtime_file_open(bytes.bytes, bytes.size, NULL, &file, NULL));
    const size_t clip_size = sinew_runtime_file_clip_at(file, 1)->size,
                 clip_at = bytes.size - clip_size, pose_size = sinew_pose_size(3);
    sinew_runtime_file_close(file);
    sinew_pose pose;
    assert_ok(sinew_pose_init(&pose, 3, test_block(pose_size), pose_size));
    uint8_t *copy = malloc(bytes.size);
    uint32_t taken = 0, refused = 0;
    static const uint8_t changes[] = {0x01, 0x10, 0x80, 0xFF};
    for (size_t i = 10; i < bytes.size; i++)
        for (int k = 0; k < 4; k++) {
            memcpy(copy, bytes.bytes, bytes.size);
            copy[i] ^= changes[k];
            if (i >= clip_at + 12)
                put_u32(copy + clip_at + 8, crc32_of(copy + clip_at + 12, clip_size - 12));
            put_u32(copy + 4, crc32_of(copy + 8, bytes.size - 8));
            if (sinew_runtime_file_open(copy, bytes.size, NULL, &file, NULL) != SINEW_OK) {
                refused++;
                continue;
            }
            taken++;
            for (uint32_t c = 0; c < 2; c++)
                for (int t = -1; t < 14; t++) {
                    float scalar;
                    assert_ok(sinew_runtime_clip_sample(&(sinew_runtime_sample_args){
                        .clip = sinew_runtime_file_clip_at(file, c)->clip,
                        .time = t / 33.0,
                        .out_pose = &pose,
                        .out_scalars = &scalar,
                        .out_scalar_count = 1}));
                }
            sinew_runtime_file_close(file);
        }
    assert_true(taken > 100 && refused > 100); // names and values may change, tables may not
    free(copy);
    test_block_free(pose.planes);
    sinew_runtime_bytes_free(&bytes);
}

static void test_bindings_of_files(void **state)
{
    (void)state;
    sinew_runtime_bytes bytes = make_small_file();
    sinew_runtime_file *file;
    sinew_runtime_clip *clip;
    sinew_error error;
    assert_ok(sinew_runtime_file_open(bytes.bytes, bytes.size, NULL, &file, NULL));
    sinew_skeleton *same = make_skeleton("middle", 1), *renamed = make_skeleton("center", 1),
                   *moved = make_skeleton("middle", 0), *other;
    assert_ok(sinew_runtime_file_bind(file, 0, same, NULL, &clip, &error));
    sinew_runtime_clip_destroy(clip);
    assert_result(sinew_runtime_file_bind(file, 2, same, NULL, &clip, &error),
                  SINEW_ERROR_NOT_FOUND);
    assert_result(sinew_runtime_file_bind(file, 0, renamed, NULL, &clip, &error),
                  SINEW_ERROR_COUNT_MISMATCH);
    assert_string_equal(error.path, "middle");
    assert_null(clip);
    assert_result(sinew_runtime_file_bind(file, 0, moved, NULL, &clip, &error),
                  SINEW_ERROR_COUNT_MISMATCH);
    assert_string_equal(error.path, "tip");
    const sinew_joint_desc one = {
        .name = "root", .parent = -1, .rest = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}}};
    assert_ok(sinew_skeleton_create(&(sinew_skeleton_desc){.joints = &one, .joint_count = 1},
                                    &other, NULL));
    assert_result(sinew_runtime_file_bind(file, 0, other, NULL, &clip, &error),
                  SINEW_ERROR_COUNT_MISMATCH);
    assert_result(sinew_runtime_file_bind(file, 0, NULL, NULL, &clip, &error),
                  SINEW_ERROR_INVALID_ARGUMENT);
    sinew_skeleton_destroy(other);
    sinew_skeleton_destroy(moved);
    sinew_skeleton_destroy(renamed);
    sinew_skeleton_destroy(same);
    sinew_runtime_file_close(file);
    sinew_runtime_bytes_free(&bytes);
}

static void test_wrong_parts(void **state)
{
    (void)state;
    sinew_skeleton *skeleton = make_skeleton("middle", 1);
    sinew_runtime_bytes clip = make_bytes(skeleton), out;
    const sinew_scalar scalar = {7, 3}, nowhere = {-1, 0};
    const sinew_skeleton *const skeletons[1] = {skeleton};
    sinew_runtime_file_part part = {
        .bytes = clip.bytes, .size = clip.size, .scalars = &scalar, .scalar_count = 1};
    sinew_runtime_file_desc desc = sinew_runtime_file_desc_default();
    desc.skeletons = skeletons, desc.skeleton_count = 1, desc.clips = &part, desc.clip_count = 1;
    sinew_error error;
    part.skeleton = 1;
    assert_result(sinew_runtime_file_build(&desc, &out, &error), SINEW_ERROR_INDEX_RANGE);
    assert_string_equal(error.path, "clips[0]");
    part.skeleton = 0, part.scalar_count = 0;
    assert_result(sinew_runtime_file_build(&desc, &out, &error), SINEW_ERROR_COUNT_MISMATCH);
    part.scalar_count = 1, part.scalars = &nowhere;
    assert_result(sinew_runtime_file_build(&desc, &out, &error), SINEW_ERROR_INVALID_ARGUMENT);
    part.scalars = &scalar, part.size--;
    assert_result(sinew_runtime_file_build(&desc, &out, &error), SINEW_ERROR_STREAM_DAMAGED);
    assert_string_equal(error.path, "clips[0]");
    part.bytes = NULL;
    assert_result(sinew_runtime_file_build(&desc, &out, &error), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_runtime_file_build(NULL, &out, &error), SINEW_ERROR_INVALID_ARGUMENT);
    assert_null(out.bytes);
    sinew_runtime_bytes_free(&clip);
    sinew_skeleton_destroy(skeleton);
}

// ---- Costs ------------------------------------------------------------------------------------------------

static void test_costs_add_up(void **state)
{
    (void)state;
    sinew_skeleton *skeleton = make_skeleton("middle", 1);
    sinew_runtime_bytes bytes = make_bytes(skeleton);
    sinew_runtime_clip *clip;
    assert_ok(sinew_runtime_clip_open(bytes.bytes, bytes.size, skeleton, NULL, &clip, NULL));
    sinew_runtime_cost cost;
    uint64_t bits[3];
    assert_ok(sinew_runtime_clip_cost(clip, &cost, bits));
    assert_int_equal(cost.total, bytes.size);
    assert_int_equal(cost.head, 72);
    assert_int_equal(cost.kinds, 3);
    assert_int_equal(cost.animated[SINEW_PROPERTY_ROTATION], 1);
    assert_int_equal(cost.axes, 16);
    assert_int_equal(cost.constants + cost.held, 0);
    assert_int_equal(bits[1] + bits[2], 0); // they rest
    // What the joint's values take, found bit by bit, against what is left of the bytes: each of
    // the three keys, two blocks of values and two tables is rounded up to whole bytes.
    const uint64_t own = bits[0] - 8 * cost.axes, left = 8 * (cost.keys + cost.values) + 2 * 12;
    assert_true(own <= left && own + 7 * 5 >= left);
    assert_int_equal(cost.widths, 2 * 2 + 2 * 2); // 12 bits of a table, and where blocks begin
    assert_result(sinew_runtime_clip_cost(NULL, &cost, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_runtime_clip_destroy(clip);
    sinew_runtime_bytes_free(&bytes);
    sinew_skeleton_destroy(skeleton);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_file),
        cmocka_unit_test(test_empty_file),
        cmocka_unit_test(test_creature_file),
        cmocka_unit_test(test_every_change_is_found),
        cmocka_unit_test(test_changes_under_right_checksums),
        cmocka_unit_test(test_bindings_of_files),
        cmocka_unit_test(test_wrong_parts),
        cmocka_unit_test(test_costs_add_up),
    };
    return TEST_RUN(tests);
}
