// SPDX-License-Identifier: MIT
// The clip library on real characters: the clips of three KayKit kits play on each other's rigs by
// the names of joints. What must match is counted again here, by comparing names of the documents'
// nodes one with another; tests/cli/test_inspect_on.py does so from the files themselves.
#include "../support/test_main.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinew/clip_library.h"
#include "sinew/gltf.h"

static const struct {
    const char *file, *prefix;
    uint32_t clip_count; // of the file, counted in its JSON
} kits[] = {{"KayKit_Knight/Knight.glb", "knight_", 76},
            {"KayKit_Manny/manny_med_mod.gltf", "manny_", 0},
            {"KayKit_Clips/Med_CombatMelee.glb", "melee_", 22},
            {"KayKit_Clips/Med_General.glb", "general_", 15},
            {"KayKit_Clips/Med_MovementAdvanced.glb", "advanced_", 13},
            {"KayKit_Clips/Med_MovementBasic.glb", "basic_", 11},
            {"KayKit_Clips/Med_Special.glb", "special_", 15}};
enum { KITS = sizeof kits / sizeof *kits, ALL_CLIPS = 76 + 22 + 15 + 13 + 11 + 15 };

/// NULL where the folder of data is missing.
static sinew_document *load_kit(int kit)
{
    const char *data = getenv("SINEW_TEST_DATA");
    char path[1024];
    sinew_document *d = NULL;
    snprintf(path, sizeof path, "%s/data/gltf/%s", data ? data : "", kits[kit].file);
    FILE *file = fopen(path, "rb");
    if (!file) {
        print_message("%s is not there\n", path);
        return NULL;
    }
    fclose(file);
    assert_ok(sinew_gltf_load(path, NULL, &d, NULL));
    return d;
}

/// Everything that a clip must do on a rig, from names alone: [joint] bits of properties that some
/// track of a node of that name moves.
static void count_by_names(const sinew_document *clips, const sinew_clip *clip,
                           const sinew_document *other, uint8_t *out_node_bits,
                           uint32_t *out_unmatched)
{
    const sinew_rig *rig = &other->rigs[0];
    memset(out_node_bits, 0, other->node_count);
    *out_unmatched = 0;
    for (uint32_t t = 0; t < sinew_clip_track_count(clip); t++) {
        const sinew_track *track = &sinew_clip_tracks(clip)[t];
        bool found = false;
        for (uint32_t k = 0; k < rig->node_count; k++)
            if (strcmp(other->nodes[rig->nodes[k]].name, clips->nodes[track->node].name) == 0) {
                assert_false(found); // the kits have each name once
                out_node_bits[rig->nodes[k]] |= (uint8_t)(1u << track->property);
                found = true;
            }
        *out_unmatched += !found;
    }
}

static void check_clip_on_rig(const sinew_clip_library *library, const sinew_document *from,
                              const char *prefix, uint32_t clip, const sinew_document *other,
                              const sinew_skeleton *skeleton, sinew_pose *pose)
{
    char name[256];
    snprintf(name, sizeof name, "%s%s", prefix, sinew_clip_name(from->clips[clip]));
    sinew_clip_binding *binding;
    sinew_bind_report *report;
    uint8_t bits[512];
    uint32_t unmatched, moving = 0, moved = 0, joints = sinew_skeleton_joint_count(skeleton);
    assert_true(other->node_count <= sizeof bits);
    count_by_names(from, from->clips[clip], other, bits, &unmatched);
    assert_ok(sinew_clip_library_bind(library, name, skeleton, NULL, &binding, NULL));
    assert_ok(sinew_bind_report_create(binding, NULL, &report));
    for (uint32_t j = 0; j < joints; j++) {
        uint8_t b = bits[sinew_skeleton_nodes(skeleton)[j]];
        moving += (b & 1u) + (b >> 1 & 1u) + (b >> 2 & 1u);
        moved += b != 0;
    }
    assert_int_equal(report->track_count, sinew_clip_track_count(from->clips[clip]));
    assert_int_equal(report->unmatched_track_count, unmatched);
    assert_int_equal(report->moving_track_count, moving);
    assert_int_equal(report->moved_joint_count, moved);
    assert_int_equal(report->joint_count, joints);
    assert_int_equal(report->resting_count, joints - moved);
    assert_int_equal(report->repeated_track_count + report->weight_track_count, 0);

    double duration = sinew_clip_duration(from->clips[clip]);
    const sinew_transform *rest = sinew_skeleton_rest(skeleton);
    uint8_t touched[512];
    for (int k = 0; k < 5; k++) {
        assert_ok(sinew_clip_sample(&(sinew_sample_args){.binding = binding,
                                                         .time = duration * k / 4,
                                                         .out_pose = pose,
                                                         .out_touched = touched}));
        for (uint32_t j = 0; j < joints; j++) {
            uint8_t b = bits[sinew_skeleton_nodes(skeleton)[j]];
            sinew_transform now = sinew_pose_get(pose, j), wanted = rest[j];
            const float numbers[] = {now.translation.x, now.translation.y, now.translation.z,
                                     now.rotation.x,    now.rotation.y,    now.rotation.z,
                                     now.rotation.w,    now.scale.x,       now.scale.y,
                                     now.scale.z};
            for (int i = 0; i < 10; i++)
                assert_true(isfinite(numbers[i]));
            assert_int_equal(touched[j], b);
            // what the clip does not touch is at rest, to the last bit (B55)
            if (!(b & SINEW_TOUCHED_TRANSLATION))
                assert_memory_equal(&now.translation, &wanted.translation,
                                    sizeof wanted.translation);
            if (!(b & SINEW_TOUCHED_ROTATION))
                assert_memory_equal(&now.rotation, &wanted.rotation, sizeof wanted.rotation);
            if (!(b & SINEW_TOUCHED_SCALE))
                assert_memory_equal(&now.scale, &wanted.scale, sizeof wanted.scale);
        }
    }
    sinew_bind_report_destroy(report);
    sinew_clip_binding_destroy(binding);
}

// Seven files, 152 clips, each on each of the seven rigs.
static void kits_play_on_each_others_rigs(void **state)
{
    (void)state;
    sinew_document *documents[KITS];
    sinew_clip_library *library;
    assert_ok(sinew_clip_library_create(NULL, &library));
    for (int k = 0; k < KITS; k++) {
        documents[k] = load_kit(k);
        if (!documents[k]) {
            while (k-- > 0)
                sinew_document_destroy(documents[k]);
            sinew_clip_library_destroy(library);
            skip();
        }
        sinew_clip_read_report report;
        assert_ok(
            sinew_clip_library_read_document(library, documents[k], kits[k].prefix, &report, NULL));
        assert_int_equal(report.added, kits[k].clip_count);
        assert_int_equal(documents[k]->rig_count, 1);
    }
    assert_int_equal(sinew_clip_library_count(library), ALL_CLIPS);
    for (int r = 0; r < KITS; r++) {
        sinew_skeleton *skeleton;
        sinew_pose pose;
        assert_ok(sinew_document_rig_skeleton(documents[r], 0, NULL, &skeleton, NULL));
        uint32_t joints = sinew_skeleton_joint_count(skeleton);
        void *memory = test_block(sinew_pose_size(joints));
        assert_ok(sinew_pose_init(&pose, joints, memory, sinew_pose_size(joints)));
        for (int k = 0; k < KITS; k++)
            for (uint32_t c = 0; c < documents[k]->clip_count; c++)
                check_clip_on_rig(library, documents[k], kits[k].prefix, c, documents[r], skeleton,
                                  &pose);
        test_block_free(memory);
        sinew_skeleton_destroy(skeleton);
    }
    // read again in another order, and after half of the documents are gone: nothing is new
    for (int k = KITS - 1; k >= 0; k--) {
        sinew_clip_read_report report;
        assert_ok(
            sinew_clip_library_read_document(library, documents[k], kits[k].prefix, &report, NULL));
        assert_int_equal(report.known, kits[k].clip_count);
        sinew_document_destroy(documents[k]);
    }
    assert_int_equal(sinew_clip_library_count(library), ALL_CLIPS);
    sinew_clip_library_destroy(library);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kits_play_on_each_others_rigs),
    };
    return TEST_RUN(tests);
}
