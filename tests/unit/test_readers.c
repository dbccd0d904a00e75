// SPDX-License-Identifier: MIT
// Every reader of files, swept: each truncation, each byte with five other values, each allocation
// failing, alone and with all later ones. (What readers make of larger changes is what fuzzing
// asks.)
#include <stdlib.h>
#include <string.h>

#include "cli/bar_file.h"
#include "extras/picture.h"
#include "extras/ply.h"
#include "sinew/bvh.h"
#include "sinew/cloud_groups.h"
#include "sinew/gltf.h"
#include "sinew/mix_file.h"
#include "sinew/runtime_file.h"
#include "sinew/set_script.h"
#include "sinew/stream_pack.h"
#include "sinew_codecs.h"
#include "sinew_fixtures.h"
#include "support/sweep.h"

static sinew_document *creature;
static sinew_skeleton *skeleton;
static sinew_set_file *sets;

static const char set_text[] =
    "{\"version\": 1, \"sets\": {\"s\": {\"parameters\": {\"speed\": 0, \"side\": 0, \"wet\": "
    "true}, "
    "\"predicates\": [\"asleep\"], \"start\": \"go\", \"states\": {\"go\": {\"choices\": "
    "[{\"clip\": "
    "\"walk\"}]}, \"stay\": {\"choices\": [{\"clip\": \"idle\"}]}}}}}";

static int make_stage(void **state)
{
    (void)state;
    assert_ok(sinew_fixture_creature(NULL, &creature));
    assert_ok(sinew_document_rig_skeleton(creature, 0, NULL, &skeleton, NULL));
    sinew_set_file_desc desc = sinew_set_file_desc_default();
    desc.text = set_text, desc.size = strlen(set_text);
    assert_ok(sinew_set_file_create(&desc, &sets, NULL));
    return 0;
}

static int end_stage(void **state)
{
    (void)state;
    sinew_set_file_destroy(sets);
    sinew_skeleton_destroy(skeleton);
    sinew_document_destroy(creature);
    return 0;
}

// ---- Readers ----------------------------------------------------------------------------------------------

static sinew_result read_gltf(const uint8_t *bytes, size_t size, const sinew_allocator *allocator,
                              sinew_error *error)
{
    sinew_import_desc desc = sinew_import_desc_default();
    desc.allocator = *allocator;
    desc.codecs = sinew_codecs();
    sinew_document *document;
    const sinew_result result = sinew_gltf_read(bytes, size, &desc, &document, error);
    sinew_document_destroy(document);
    return result;
}

static sinew_result read_bvh(const uint8_t *bytes, size_t size, const sinew_allocator *allocator,
                             sinew_error *error)
{
    sinew_bvh_desc desc = sinew_bvh_desc_default();
    desc.allocator = *allocator;
    sinew_bvh *bvh;
    sinew_document *document = NULL;
    sinew_result result = sinew_bvh_read(bytes, size, &desc, &bvh, error);
    if (result == SINEW_OK)
        result = sinew_bvh_make_document(bvh, allocator, &document, error);
    sinew_document_destroy(document);
    sinew_bvh_destroy(bvh);
    return result;
}

static sinew_result read_pack(const uint8_t *bytes, size_t size, const sinew_allocator *allocator,
                              sinew_error *error)
{
    sinew_stream_pack *pack;
    const sinew_result result =
        sinew_stream_pack_read((const char *)bytes, size, "pack", allocator, &pack, error);
    sinew_stream_pack_destroy(pack);
    return result;
}

static sinew_result read_set(const uint8_t *bytes, size_t size, const sinew_allocator *allocator,
                             sinew_error *error)
{
    sinew_set_file_desc desc = sinew_set_file_desc_default();
    desc.text = (const char *)bytes, desc.size = size, desc.allocator = *allocator;
    sinew_set_file *file;
    const sinew_result result = sinew_set_file_create(&desc, &file, error);
    sinew_set_file_destroy(file);
    return result;
}

static sinew_result read_script(const uint8_t *bytes, size_t size, const sinew_allocator *allocator,
                                sinew_error *error)
{
    sinew_set_script_desc desc = sinew_set_script_desc_default();
    desc.text = (const char *)bytes, desc.size = size, desc.allocator = *allocator;
    desc.set = sinew_set_file_at(sets, 0);
    sinew_set_script *script;
    const sinew_result result = sinew_set_script_create(&desc, &script, error);
    sinew_set_script_destroy(script);
    return result;
}

static sinew_result read_mix(const uint8_t *bytes, size_t size, const sinew_allocator *allocator,
                             sinew_error *error)
{
    sinew_mix_desc desc = sinew_mix_desc_default();
    desc.text = (const char *)bytes, desc.size = size, desc.allocator = *allocator;
    desc.skeleton = skeleton;
    desc.clips = creature->clips, desc.clip_count = creature->clip_count;
    sinew_mix *mix;
    const sinew_result result = sinew_mix_create(&desc, &mix, error);
    sinew_mix_destroy(mix);
    return result;
}

static sinew_result read_groups(const uint8_t *bytes, size_t size, const sinew_allocator *allocator,
                                sinew_error *error)
{
    sinew_cloud_groups_desc desc = sinew_cloud_groups_desc_default();
    desc.text = (const char *)bytes, desc.size = size, desc.allocator = *allocator;
    desc.skeleton = skeleton, desc.point_count = 16;
    sinew_cloud_groups *groups;
    const sinew_result result = sinew_cloud_groups_create(&desc, &groups, error);
    sinew_cloud_groups_destroy(groups);
    return result;
}

static sinew_result read_runtime(const uint8_t *bytes, size_t size,
                                 const sinew_allocator *allocator, sinew_error *error)
{
    sinew_runtime_file *file;
    const sinew_result result = sinew_runtime_file_open(bytes, size, allocator, &file, error);
    sinew_runtime_file_close(file);
    return result;
}

static sinew_result read_ply(const uint8_t *bytes, size_t size, const sinew_allocator *allocator,
                             sinew_error *error)
{
    (void)allocator;
    sinew_ply ply;
    const sinew_result result = sinew_ply_read(bytes, size, &ply, error);
    sinew_ply_destroy(&ply);
    return result;
}

static sinew_result read_bar(const uint8_t *bytes, size_t size, const sinew_allocator *allocator,
                             sinew_error *error)
{
    (void)allocator;
    bar_file bar;
    const sinew_result result = bar_file_read_bytes((const char *)bytes, size, &bar, error);
    bar_file_free(&bar);
    return result;
}

static sinew_result read_picture(const uint8_t *bytes, size_t size,
                                 const sinew_allocator *allocator, sinew_error *error)
{
    (void)allocator;
    sinew_picture picture;
    const sinew_result result = sinew_picture_decode(bytes, size, &picture, error);
    sinew_picture_destroy(&picture);
    return result;
}

// ---- Files ------------------------------------------------------------------------------------------------

enum { MOST = 160 }; // bytes of a large file that are changed

static const struct {
    const char *file;
    sweep_reader reader;
    bool takes_allocator;
    /// The least that is refused, in percent of all that is read: in binary formats most bytes are
    /// numbers, which may be any.
    uint32_t least_refused;
} files[] = {
    {"gltf/sparse.gltf", {"sparse.gltf", read_gltf, false}, true, 50},
    {"gltf/rigs.glb", {"rigs.glb", read_gltf, false}, true, 50},
    {"gltf/meshopt_ext.glb", {"meshopt_ext.glb", read_gltf, false}, true, 50},
    {"gltf/draco.glb", {"draco.glb", read_gltf, false}, true, 50},
    {"bvh/plain.bvh", {"plain.bvh", read_bvh, false}, true, 30},
    {"pack/skinned.pack.json", {"skinned.pack.json", read_pack, false}, true, 50},
    {"set/blends.json", {"blends.json", read_set, false}, true, 50},
    {"script/steps.json", {"steps.json", read_script, false}, true, 50},
    {"set/acts.json", {"acts.json", read_set, false}, true, 50},
    {"mix/layers.json", {"layers.json", read_mix, false}, true, 50},
    {"mix/inertialized.json", {"inertialized.json", read_mix, false}, true, 50},
    {"mix/goals.json", {"goals.json", read_mix, false}, true, 50},
    {"groups/points.json", {"points.json", read_groups, false}, true, 50},
    {"runtime/character.sinew", {"character.sinew", read_runtime, false}, true, 100},
    {"ply/ascii_all.ply", {"ascii_all.ply", read_ply, false}, false, 30},
    {"ply/little.ply", {"little.ply", read_ply, false}, false, 20},
    {"bar/two.bar", {"two.bar", read_bar, false}, false, 20},
    {"picture/alpha.png", {"alpha.png", read_picture, true}, false, 1},
    {"picture/palette.png", {"palette.png", read_picture, true}, false, 1},
    {"picture/colour.jpg", {"colour.jpg", read_picture, true}, false, 1},
    {"picture/progressive.jpg", {"progressive.jpg", read_picture, true}, false, 1},
};
enum { FILES = sizeof files / sizeof *files };

static void every_byte_and_every_end(void **state)
{
    (void)state;
    for (size_t i = 0; i < FILES; i++) {
        size_t size;
        uint8_t *bytes = sweep_corpus_file(files[i].file, &size);
        sweep_counts counts = {0, 0};
        sweep_bytes(&files[i].reader, bytes, size, MOST, &counts);
        free(bytes);
        print_message("%-18s %5zu bytes: %5u read, %5u refused\n", files[i].reader.name, size,
                      counts.read, counts.refused);
        assert_true(100 * counts.refused >=
                    (counts.read + counts.refused) * files[i].least_refused);
    }
}

static void every_allocation(void **state)
{
    (void)state;
    for (size_t i = 0; i < FILES; i++) {
        if (!files[i].takes_allocator)
            continue;
        size_t size;
        uint8_t *bytes = sweep_corpus_file(files[i].file, &size);
        const uint32_t count = sweep_allocations(&files[i].reader, bytes, size);
        free(bytes);
        print_message("%-18s %3u allocations\n", files[i].reader.name, count);
        assert_true(count >= 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_and_every_end),
        cmocka_unit_test(every_allocation),
    };
    return test_report(cmocka_run_group_tests(tests, make_stage, end_stage));
}
