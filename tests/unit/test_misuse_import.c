// SPDX-License-Identifier: MIT
// Wrong arguments to document.h, gltf.h and bvh.h.
#include "../support/misuse.h"

static void documents(void **state)
{
    (void)state;
    const sinew_document *d = misuse.creature;
    const sinew_skeleton *s = misuse.skeleton;
    NOTHING(sinew_document_destroy, (NULL));
    ANSWERS(sinew_node_default, sinew_node_default().mesh == -1);
    ANSWERS(sinew_material_default, sinew_material_default().base_color.w == 1.0f);
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_document_create, sinew_document,
                  (NULL, NULL, &made, NULL));
    REFUSES(sinew_document_create, (d, NULL, NULL, NULL));
    const sinew_document hollow = {.node_count = 1}, clips = {.clip_count = 1};
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_document_create, sinew_document,
                  (&hollow, NULL, &made, NULL));
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_document_create, sinew_document,
                  (&clips, NULL, &made, NULL));
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_document_rig_skeleton, sinew_skeleton,
                  (NULL, 0, NULL, &made, NULL));
    MAKES_NOTHING(NOT_FOUND, sinew_document_rig_skeleton, sinew_skeleton,
                  (d, 9, NULL, &made, NULL));
    REFUSES(sinew_document_rig_skeleton, (d, 0, NULL, NULL, NULL));
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_document_skeleton, sinew_skeleton,
                  (NULL, NULL, &made, NULL));
    REFUSES(sinew_document_skeleton, (d, NULL, NULL, NULL));
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_document_make_skin, sinew_skin,
                  (NULL, 0, s, NULL, &made, NULL));
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_document_make_skin, sinew_skin,
                  (d, 0, NULL, NULL, &made, NULL));
    MAKES_NOTHING(NOT_FOUND, sinew_document_make_skin, sinew_skin, (d, 9, s, NULL, &made, NULL));
    REFUSES(sinew_document_make_skin, (d, 0, s, NULL, NULL, NULL));
    ANSWERS(sinew_document_find_clip, sinew_document_find_clip(NULL, "walk") == -1);
    ANSWERS(sinew_document_find_clip, sinew_document_find_clip(d, NULL) == -1);
    REFUSES(sinew_clip_library_read_document, (NULL, d, NULL, NULL, NULL));
    REFUSES(sinew_clip_library_read_document, (misuse.library, NULL, NULL, NULL, NULL));
    ANSWERS(sinew_document_find_human_bone, sinew_document_find_human_bone(NULL, "hips") == -1);
    ANSWERS(sinew_document_find_human_bone, sinew_document_find_human_bone(d, NULL) == -1);
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_document_make_joint_springs, sinew_joint_springs,
                  (NULL, s, NULL, &made, NULL));
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_document_make_joint_springs, sinew_joint_springs,
                  (d, NULL, NULL, &made, NULL));
    MAKES_NOTHING(NOT_FOUND, sinew_document_make_joint_springs, sinew_joint_springs,
                  (d, s, NULL, &made, NULL));
    REFUSES(sinew_document_make_joint_springs, (d, s, NULL, NULL, NULL));
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_document_make_bounds, sinew_skin_bounds,
                  (NULL, 0, NULL, &made, NULL));
    MAKES_NOTHING(NOT_FOUND, sinew_document_make_bounds, sinew_skin_bounds,
                  (d, 99, NULL, &made, NULL));
    REFUSES(sinew_document_make_bounds, (d, 0, NULL, NULL, NULL));
    ANSWERS(sinew_document_root_travel, sinew_document_root_travel(NULL, 0, 0) == 0.0);
    ANSWERS(sinew_document_root_travel, sinew_document_root_travel(d, 9, 0) == 0.0);
    ANSWERS(sinew_document_root_travel, sinew_document_root_travel(d, 0, 99) == 0.0);
}

static void gltf_files(void **state)
{
    (void)state;
    static const char text[] = "{\"asset\": {\"version\": \"2.0\"}}";
    sinew_import_desc desc = sinew_import_desc_default();
    ANSWERS(sinew_import_desc_default, desc.limits.json_depth > 0 && !desc.strict);
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_gltf_read, sinew_document,
                  (NULL, sizeof text - 1, &desc, &made, NULL));
    REFUSES(sinew_gltf_read, (text, sizeof text - 1, &desc, NULL, NULL));
    MAKES_NOTHING(FORMAT_UNKNOWN, sinew_gltf_read, sinew_document, (text, 0, &desc, &made, NULL));
    MAKES_NOTHING(JSON_SYNTAX, sinew_gltf_read, sinew_document,
                  (text, sizeof text - 2, &desc, &made, NULL));
    // without a desc, and from an address that is aligned for nothing
    char moved[sizeof text + 1];
    memcpy(moved + 1, text, sizeof text);
    sinew_document *document = NULL;
    assert_ok(sinew_gltf_read(moved + 1, sizeof text - 1, NULL, &document, NULL));
    sinew_document_destroy(document);
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_gltf_load, sinew_document, (NULL, &desc, &made, NULL));
    MAKES_NOTHING(IO, sinew_gltf_load, sinew_document, ("", &desc, &made, NULL));
    MAKES_NOTHING(IO, sinew_gltf_load, sinew_document, ("no/such/file.glb", NULL, &made, NULL));
    REFUSES(sinew_gltf_load, ("no/such/file.glb", &desc, NULL, NULL));
    const sinew_file_io io = {0}; // a hook of nothing
    desc.io = &io;
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_gltf_load, sinew_document,
                  ("no/such/file.glb", &desc, &made, NULL));
    ANSWERS(sinew_gltf_detect, !sinew_gltf_detect(NULL, 12));
    ANSWERS(sinew_gltf_detect, !sinew_gltf_detect(text, 0));
}

static bool refuse_text(void *user, const char *text, size_t size)
{
    (void)user, (void)text, (void)size;
    return false;
}

static void bvh_files(void **state)
{
    (void)state;
    static const char text[] = "HIERARCHY\nROOT a\n{\n OFFSET 0 0 0\n CHANNELS 1 Xrotation\n"
                               " End Site\n {\n  OFFSET 0 1 0\n }\n}\n"
                               "MOTION\nFrames: 1\nFrame Time: 0.1\n0\n";
    const size_t size = sizeof text - 1;
    sinew_bvh_desc desc = sinew_bvh_desc_default();
    ANSWERS(sinew_bvh_desc_default, !desc.strict);
    ANSWERS(sinew_bvh_detect, !sinew_bvh_detect(NULL, 9));
    ANSWERS(sinew_bvh_detect, !sinew_bvh_detect(text, 0));
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_bvh_read, sinew_bvh, (NULL, size, &desc, &made, NULL));
    MAKES_NOTHING(TEXT_SYNTAX, sinew_bvh_read, sinew_bvh, (text, 20, &desc, &made, NULL));
    REFUSES(sinew_bvh_read, (text, size, &desc, NULL, NULL));
    desc.units = -1.0;
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_bvh_read, sinew_bvh, (text, size, &desc, &made, NULL));
    desc.units = NAN;
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_bvh_read, sinew_bvh, (text, size, &desc, &made, NULL));
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_bvh_load, sinew_bvh, (NULL, NULL, &made, NULL));
    MAKES_NOTHING(IO, sinew_bvh_load, sinew_bvh, ("no/such/file.bvh", NULL, &made, NULL));
    REFUSES(sinew_bvh_load, ("no/such/file.bvh", NULL, NULL, NULL));
    NOTHING(sinew_bvh_destroy, (NULL));
    sinew_bvh *bvh = NULL;
    assert_ok(sinew_bvh_read(text, size, NULL, &bvh, NULL));

    const sinew_bvh hollow = {.joint_count = 1}, lost = {.frame_count = 1, .channel_count = 1};
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_bvh_make_rig, sinew_stream_rig,
                  (NULL, NULL, &made, NULL));
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_bvh_make_rig, sinew_stream_rig,
                  (&hollow, NULL, &made, NULL));
    REFUSES(sinew_bvh_make_rig, (bvh, NULL, NULL, NULL));
    sinew_stream_rig *rig = NULL;
    assert_ok(sinew_bvh_make_rig(bvh, NULL, &rig, NULL));
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_bvh_make_clip, sinew_stream_clip,
                  (NULL, rig, NULL, &made, NULL));
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_bvh_make_clip, sinew_stream_clip,
                  (bvh, NULL, NULL, &made, NULL));
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_bvh_make_clip, sinew_stream_clip,
                  (bvh, misuse.bird->rig, NULL, &made, NULL));
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_bvh_make_clip, sinew_stream_clip,
                  (&hollow, rig, NULL, &made, NULL));
    REFUSES(sinew_bvh_make_clip, (bvh, rig, NULL, NULL, NULL));
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_bvh_make_document, sinew_document,
                  (NULL, NULL, &made, NULL));
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_bvh_make_document, sinew_document,
                  (&hollow, NULL, &made, NULL));
    REFUSES(sinew_bvh_make_document, (bvh, NULL, NULL, NULL));
    REFUSES(sinew_bvh_write, (NULL, refuse_text, NULL, NULL));
    REFUSES(sinew_bvh_write, (bvh, NULL, NULL, NULL));
    REFUSES(sinew_bvh_write, (&hollow, refuse_text, NULL, NULL));
    REFUSES(sinew_bvh_write, (&lost, refuse_text, NULL, NULL));
    REFUSES_WITH(IO, sinew_bvh_write, (bvh, refuse_text, NULL, NULL));
    sinew_stream_rig_destroy(rig);
    sinew_bvh_destroy(bvh);

    sinew_bvh_bake_desc bake = sinew_bvh_bake_desc_default();
    ANSWERS(sinew_bvh_bake_desc_default, bake.rate == 30.0);
    bake.skeleton = misuse.skeleton, bake.binding = misuse.walk;
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_bvh_bake, sinew_bvh, (NULL, &made, NULL));
    REFUSES(sinew_bvh_bake, (&bake, NULL, NULL));
#define SPOILS_BAKE(code, change)                                                                  \
    SPOILS_MAKING(code, sinew_bvh_bake, sinew_bvh_bake_desc, bake, sinew_bvh, change)
    SPOILS_BAKE(INVALID_ARGUMENT, skeleton = NULL);
    SPOILS_BAKE(INVALID_ARGUMENT, skeleton = misuse.cub_skeleton);
    SPOILS_BAKE(INVALID_ARGUMENT, rate = 0.0);
    SPOILS_BAKE(INVALID_ARGUMENT, rate = NAN);
    SPOILS_BAKE(INVALID_ARGUMENT, rate = 1e9);
    SPOILS_BAKE(INVALID_ARGUMENT, units = -1.0);
    SPOILS_BAKE(INVALID_ARGUMENT, units = NAN);
    SPOILS_BAKE(UNSUPPORTED, skeleton = sinew_stream_rig_skeleton(misuse.bird->rig);
                spoilt.binding = NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents),
        cmocka_unit_test(gltf_files),
        cmocka_unit_test(bvh_files),
    };
    return MISUSE_RUN(tests);
}
