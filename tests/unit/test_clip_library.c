// SPDX-License-Identifier: MIT
// The clip library (SPEC 3): names, what reading a document takes in and passes over, where its
// memory ends, and playing clips on skeletons of other files, with a report. Real files are in
// test_clip_library_models.c.
#include "../support/gltf_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <direct.h>
#define make_folder(path) _mkdir(path)
#define remove_folder(path) _rmdir(path)
#else
#include <sys/stat.h>
#include <unistd.h>
#define make_folder(path) mkdir(path, 0700)
#define remove_folder(path) rmdir(path)
#endif

#include "../support/counting_allocator.h"
#include "../support/random.h"
#include "clip/clip_internal.h"
#include "extras/thread_pool.h"
#include "sinew/clip_library.h"

// ---- Small clips and files --------------------------------------------------------------------------------

static const float no_time[] = {0};

/// A clip of one key: node `node_name` stands at x.
static sinew_clip *clip_at(const char *name, const char *node_name, float x)
{
    sinew_clip *clip;
    const float values[] = {x, 0, 0};
    assert_ok(sinew_clip_create(
        &(sinew_clip_desc){.name = name,
                           .tracks = &(sinew_track){.node_name = node_name,
                                                    .property = SINEW_PROPERTY_TRANSLATION,
                                                    .interpolation = SINEW_INTERPOLATION_LINEAR,
                                                    .component_count = 3,
                                                    .key_count = 1,
                                                    .times = no_time,
                                                    .values = values},
                           .track_count = 1},
        &clip, NULL));
    return clip;
}

static float clip_x(const sinew_clip *clip)
{
    float value[3];
    assert_int_equal(sinew_clip_track_count(clip), 1);
    assert_ok(sinew_track_sample(sinew_clip_tracks(clip), 0, value, 3));
    return value[0];
}

/// A file with one node `hips` and a clip for each name (NULL: the file has none): clip i is at
/// first + i.
static gltf_builder *file_of(const char *const *names, uint32_t count, float first)
{
    gltf_builder *b = gltf_builder_new();
    char text[4096] = "'animations': [", part[256];
    uint32_t input = gltf_builder_floats(b, "SCALAR", 1, no_time);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t output = gltf_builder_floats(b, "VEC3", 1, (float[]){first + (float)i, 0, 0});
        strcat(text, i ? ", {" : "{");
        if (names[i]) {
            snprintf(part, sizeof part, "'name': '%s', ", names[i]);
            strcat(text, part);
        }
        snprintf(part, sizeof part,
                 "'channels': [{'sampler': 0, 'target': {'node': 0, 'path': 'translation'}}], "
                 "'samplers': [{'input': %u, 'output': %u}]}",
                 input, output);
        strcat(text, part);
    }
    strcat(text, "]");
    gltf_builder_add(b, "'nodes': [{'name': 'hips'}]");
    gltf_builder_add(b, "%s", text);
    return b;
}

static sinew_document *document_of(const char *const *names, uint32_t count, float first)
{
    return gltf_builder_document(file_of(names, count, first));
}

static sinew_clip_library *empty_library(void)
{
    sinew_clip_library *library;
    assert_ok(sinew_clip_library_create(NULL, &library));
    assert_int_equal(sinew_clip_library_count(library), 0);
    return library;
}

/// The table holds these names and no others, in this order, and finds each.
static void assert_names(const sinew_clip_library *library, const char *const *names,
                         uint32_t count)
{
    assert_int_equal(sinew_clip_library_count(library), count);
    for (uint32_t i = 0; i < count; i++) {
        const sinew_clip_entry *entry = sinew_clip_library_at(library, i);
        assert_string_equal(entry->name, names[i]);
        assert_ptr_equal(sinew_clip_library_find(library, names[i]), entry);
    }
    assert_null(sinew_clip_library_at(library, count));
}

#define ASSERT_NAMES(library, ...)                                                                 \
    assert_names(library, (const char *const[]){__VA_ARGS__},                                      \
                 sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void assert_report(const sinew_clip_read_report *report, uint32_t added, uint32_t known,
                          uint32_t taken, int32_t first_taken)
{
    assert_int_equal(report->added, added);
    assert_int_equal(report->known, known);
    assert_int_equal(report->taken, taken);
    assert_int_equal(report->first_taken, first_taken);
}

static sinew_clip_read_report read_into(sinew_clip_library *library, const sinew_document *d,
                                        const char *prefix)
{
    sinew_clip_read_report report;
    sinew_error error;
    assert_ok(sinew_clip_library_read_document(library, d, prefix, &report, &error));
    return report;
}

// ---- Names inside one file --------------------------------------------------------------------------------

// SPEC 3: repeated or missing names inside one document get suffixes in file order before the table
// is asked, so that a second read adds nothing; original names stay readable. A suffixed name may
// be one that the file has further on: that clip gets a suffix then, as any other.
static void names_inside_one_file(void **state)
{
    (void)state;
    static const struct {
        uint32_t count;
        const char *in[5], *out[5];
    } cases[] = {
        {3, {"run", "run", "run"}, {"run", "run_2", "run_3"}},
        {3, {NULL, "", "walk"}, {"clip", "clip_2", "walk"}},
        {3, {NULL, "clip", NULL}, {"clip", "clip_2", "clip_3"}},
        {3, {"a", "a", "a_2"}, {"a", "a_2", "a_2_2"}},
        {3, {"a_2", "a", "a"}, {"a_2", "a", "a_3"}},
        {5, {"a", "a", "a_2", "a_2", "a"}, {"a", "a_2", "a_2_2", "a_2_3", "a_3"}},
        {4, {"a", "A", "a ", "a"}, {"a", "A", "a ", "a_2"}},
        {2, {"é", "é"}, {"é", "é_2"}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        sinew_document *d = document_of(cases[k].in, cases[k].count, 10);
        sinew_clip_library *library = empty_library();
        sinew_clip_read_report report = read_into(library, d, NULL);
        assert_report(&report, cases[k].count, 0, 0, -1);
        assert_names(library, cases[k].out, cases[k].count);
        for (uint32_t i = 0; i < cases[k].count; i++) {
            const sinew_clip_entry *entry = sinew_clip_library_at(library, i);
            assert_string_equal(entry->file_name, cases[k].in[i] ? cases[k].in[i] : "");
            assert_string_equal(entry->short_name, entry->name);
            assert_int_equal(entry->file_index, i);
            assert_string_equal(entry->file, d->file);
            assert_same(clip_x(entry->clip), 10 + i); // the names went to the right clips
        }
        report = read_into(library, d, NULL);
        assert_report(&report, 0, cases[k].count, 0, -1);
        assert_names(library, cases[k].out, cases[k].count);
        sinew_clip_library_destroy(library);
        sinew_document_destroy(d);
    }
}

// The same of clips that are in no document: the library's own rule.
static void names_inside_one_source(void **state)
{
    (void)state;
    sinew_clip *clips[] = {clip_at("a", "n", 1), clip_at("a", "n", 2), clip_at("a_2", "n", 3),
                           clip_at(NULL, "n", 4)};
    sinew_clip_source source = {.clips = (const sinew_clip *const *)clips, .clip_count = 4};
    sinew_clip_library *library = empty_library();
    sinew_clip_read_report report;
    assert_ok(sinew_clip_library_read(library, &source, NULL, &report, NULL));
    assert_report(&report, 4, 0, 0, -1);
    ASSERT_NAMES(library, "a", "a_2", "a_2_2", "clip");
    assert_string_equal(sinew_clip_library_at(library, 1)->file_name, "a");
    assert_string_equal(sinew_clip_library_at(library, 3)->file_name, "");
    assert_string_equal(sinew_clip_library_at(library, 0)->file, "");
    assert_ok(sinew_clip_library_read(library, &source, NULL, &report, NULL));
    assert_report(&report, 0, 4, 0, -1);
    for (int i = 0; i < 4; i++)
        sinew_clip_destroy(clips[i]);
    assert_same(clip_x(sinew_clip_library_find(library, "a_2")->clip), 2); // a copy
    sinew_clip_library_destroy(library);
}

// ---- Reading documents ------------------------------------------------------------------------------------

// SPEC 3's test: load A, load B, read A. Reading takes what it is given, not what came last.
static void load_a_load_b_read_a(void **state)
{
    (void)state;
    sinew_document *a = document_of((const char *const[]){"walk", "run"}, 2, 1);
    sinew_document *b = document_of((const char *const[]){"fly"}, 1, 50);
    sinew_clip_library *library = empty_library();
    sinew_clip_read_report report = read_into(library, a, NULL);
    assert_report(&report, 2, 0, 0, -1);
    ASSERT_NAMES(library, "walk", "run");
    assert_same(clip_x(sinew_clip_library_find(library, "run")->clip), 2);
    report = read_into(library, b, NULL);
    assert_report(&report, 1, 0, 0, -1);
    sinew_document_destroy(b);
    report = read_into(library, a, NULL); // again, with the other gone
    assert_report(&report, 0, 2, 0, -1);
    sinew_document_destroy(a);
    ASSERT_NAMES(library, "walk", "run", "fly");
    assert_same(clip_x(sinew_clip_library_find(library, "walk")->clip), 1);
    assert_same(clip_x(sinew_clip_library_find(library, "fly")->clip), 50);
    sinew_clip_library_destroy(library);
}

// Any order, any number of times: the same table of the same clips.
static void any_order_any_number_of_times(void **state)
{
    (void)state;
    sinew_document *documents[] = {document_of((const char *const[]){"walk", "walk", NULL}, 3, 1),
                                   document_of((const char *const[]){"fly"}, 1, 50),
                                   document_of((const char *const[]){"swim", "dive"}, 2, 90)};
    static const char *const names[] = {"walk", "walk_2", "clip", "fly", "swim", "dive"};
    static const float places[] = {1, 2, 3, 50, 90, 91};
    test_random random = test_random_make(7);
    for (int round = 0; round < 50; round++) {
        sinew_clip_library *library = empty_library();
        uint32_t added = 0, reads[3] = {0, 0, 0};
        while (!reads[0] || !reads[1] || !reads[2]) {
            uint32_t which = test_random_below(&random, 3);
            sinew_clip_read_report report = read_into(library, documents[which], NULL);
            uint32_t count = documents[which]->clip_count;
            assert_int_equal(report.added, reads[which] ? 0 : count);
            assert_int_equal(report.known, reads[which] ? count : 0);
            reads[which]++;
            added += report.added;
        }
        assert_int_equal(added, 6);
        assert_int_equal(sinew_clip_library_count(library), 6);
        for (int i = 0; i < 6; i++)
            assert_same(clip_x(sinew_clip_library_find(library, names[i])->clip), places[i]);
        sinew_clip_library_destroy(library);
    }
    for (int k = 0; k < 3; k++)
        sinew_document_destroy(documents[k]);
}

// SPEC 3's test: buffers in a separate .bin in a temporary folder, which is gone before the library
// reads; and the document is gone before the library is asked.
static void buffers_in_a_folder_that_is_gone(void **state)
{
    (void)state;
    static const char folder[] = "test_clip_library_gone";
    remove("test_clip_library_gone/keys.bin"); // of a run that was broken off
    remove("test_clip_library_gone/a.gltf");
    remove_folder(folder);
    assert_int_equal(make_folder(folder), 0);
    gltf_builder *b = file_of((const char *const[]){"walk", "run"}, 2, 5);
    size_t size;
    const void *buffer = gltf_builder_buffer(b, &size);
    const char *text = gltf_builder_text_with_uri(b, "keys.bin");
    FILE *file = fopen("test_clip_library_gone/keys.bin", "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(buffer, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    file = fopen("test_clip_library_gone/a.gltf", "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
    gltf_builder_free(b);

    sinew_document *d;
    assert_ok(sinew_gltf_load("test_clip_library_gone/a.gltf", NULL, &d, NULL));
    sinew_clip_library *before = empty_library(), *after = empty_library();
    read_into(before, d, "x_");
    assert_int_equal(remove("test_clip_library_gone/keys.bin"), 0);
    assert_int_equal(remove("test_clip_library_gone/a.gltf"), 0);
    assert_int_equal(remove_folder(folder), 0);
    sinew_clip_read_report report = read_into(after, d, "x_");
    assert_report(&report, 2, 0, 0, -1);
    report = read_into(before, d, "x_");
    assert_report(&report, 0, 2, 0, -1);
    sinew_document_destroy(d);
    ASSERT_NAMES(before, "x_walk", "x_run");
    ASSERT_NAMES(after, "x_walk", "x_run");
    for (uint32_t i = 0; i < 2; i++) {
        assert_string_equal(sinew_clip_library_at(after, i)->file, "test_clip_library_gone/a.gltf");
        assert_same(clip_x(sinew_clip_library_at(after, i)->clip), 5 + i);
        assert_same(clip_x(sinew_clip_library_at(before, i)->clip), 5 + i);
    }
    sinew_clip_library_destroy(before);
    sinew_clip_library_destroy(after);
}

// A name that the table holds is passed over; whether by the same clip or another is told apart, by
// the keys, not by the file's name (the files here have one name).
static void names_that_are_held(void **state)
{
    (void)state;
    sinew_document *a = document_of((const char *const[]){"walk", "run"}, 2, 1);
    sinew_document *b = document_of((const char *const[]){"jump", "walk", "run"}, 3, 1);
    // b: jump 1, walk 2, run 3; so neither walk nor run is a's
    sinew_document *c = document_of((const char *const[]){"walk", "crawl"}, 2, 1); // walk is a's
    sinew_clip_library *library = empty_library();
    read_into(library, a, NULL);
    sinew_clip_read_report report = read_into(library, b, NULL);
    assert_report(&report, 1, 0, 2, 1);
    report = read_into(library, c, NULL);
    assert_report(&report, 1, 1, 0, -1);
    ASSERT_NAMES(library, "walk", "run", "jump", "crawl");
    assert_same(clip_x(sinew_clip_library_find(library, "walk")->clip), 1); // the first one stays
    assert_same(clip_x(sinew_clip_library_find(library, "run")->clip), 2);
    sinew_document_destroy(a);
    sinew_document_destroy(b);
    sinew_document_destroy(c);
    sinew_clip_library_destroy(library);
}

// SPEC 3: a prefix keeps the same move of two bodies apart. Names are joined as they are, so two
// prefixes may come to one name: that clip is passed over.
static void prefixes(void **state)
{
    (void)state;
    sinew_document *a = document_of((const char *const[]){"trot"}, 1, 1);
    sinew_document *b = document_of((const char *const[]){"trot"}, 1, 2);
    sinew_document *c = document_of((const char *const[]){"a_trot", "b_trot"}, 2, 3);
    sinew_clip_library *library = empty_library();
    read_into(library, a, "fox_a_");
    read_into(library, b, "fox_b_");
    ASSERT_NAMES(library, "fox_a_trot", "fox_b_trot");
    const sinew_clip_entry *entry = sinew_clip_library_find(library, "fox_b_trot");
    assert_same(clip_x(entry->clip), 2);
    assert_string_equal(entry->short_name, "trot");
    assert_ptr_equal(entry->short_name, entry->name + strlen("fox_b_"));
    assert_string_equal(entry->file_name, "trot");
    assert_string_equal(sinew_clip_name(entry->clip), "trot");
    assert_null(sinew_clip_library_find(library, "trot"));
    sinew_clip_read_report report = read_into(library, c, "fox_");
    assert_report(&report, 0, 0, 2, 0);
    report = read_into(library, a, "fox_c_"); // the same file for a third body
    assert_report(&report, 1, 0, 0, -1);
    report = read_into(library, a, "");
    assert_report(&report, 1, 0, 0, -1);
    ASSERT_NAMES(library, "fox_a_trot", "fox_b_trot", "fox_c_trot", "trot");
    sinew_document_destroy(a);
    sinew_document_destroy(b);
    sinew_document_destroy(c);
    sinew_clip_library_destroy(library);
}

// ---- One by one -------------------------------------------------------------------------------------------

static void adding_says_why_not(void **state)
{
    (void)state;
    sinew_document *d = document_of((const char *const[]){"walk"}, 1, 1);
    sinew_clip *clip = clip_at("walk", "n", 9), *nameless = clip_at(NULL, "n", 8);
    sinew_clip_library *library = empty_library();
    sinew_error error;
    read_into(library, d, NULL);
    assert_result(sinew_clip_library_add(library, clip, NULL, &error), SINEW_ERROR_NAME_TAKEN);
    assert_int_equal(error.code, SINEW_ERROR_NAME_TAKEN);
    assert_string_equal(error.path, "walk");
    assert_non_null(strstr(error.message, "'walk'"));
    char held[128];
    snprintf(held, sizeof held, "held by clip 0 'walk' of %s", d->file);
    assert_non_null(strstr(error.message, held));
    assert_same(clip_x(sinew_clip_library_find(library, "walk")->clip), 1);
    assert_ok(sinew_clip_library_add(library, clip, "stroll", &error));
    assert_result(sinew_clip_library_add(library, clip, "stroll", &error), SINEW_ERROR_NAME_TAKEN);
    assert_non_null(strstr(error.message, "clip 'walk', which no file is known of"));
    assert_result(sinew_clip_library_add(library, clip, "", &error), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_clip_library_add(library, nameless, NULL, &error),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_ok(sinew_clip_library_add(library, nameless, "stand", NULL));
    ASSERT_NAMES(library, "walk", "stroll", "stand");
    const sinew_clip_entry *entry = sinew_clip_library_find(library, "stroll");
    assert_string_equal(entry->file_name, "walk");
    assert_string_equal(entry->short_name, "stroll");
    assert_string_equal(entry->file, "");
    // read again, the name that was added by hand is somebody else's
    sinew_document *e = document_of((const char *const[]){"stroll", "walk"}, 2, 0);
    sinew_clip_read_report report = read_into(library, e, NULL); // its walk is at 1, as d's
    assert_report(&report, 0, 1, 1, 0);
    sinew_clip_destroy(clip);
    sinew_clip_destroy(nameless);
    sinew_document_destroy(d);
    sinew_document_destroy(e);
    assert_same(clip_x(sinew_clip_library_find(library, "stroll")->clip), 9);
    sinew_clip_library_destroy(library);
}

static void removing_and_clearing(void **state)
{
    (void)state;
    sinew_document *d = document_of((const char *const[]){"a", "b", "c", "d"}, 4, 1);
    sinew_clip_library *library = empty_library();
    sinew_clip_library_clear(library); // nothing in it yet
    assert_result(sinew_clip_library_remove(library, "a"), SINEW_ERROR_NOT_FOUND);
    read_into(library, d, NULL);
    const sinew_clip_entry *kept = sinew_clip_library_find(library, "d");
    assert_ok(sinew_clip_library_remove(library, "b"));
    assert_result(sinew_clip_library_remove(library, "b"), SINEW_ERROR_NOT_FOUND);
    ASSERT_NAMES(library, "a", "c", "d");
    assert_ptr_equal(sinew_clip_library_find(library, "d"), kept); // entries stay where they are
    sinew_clip_read_report report = read_into(library, d, NULL);   // b comes back, as the last
    assert_report(&report, 1, 3, 0, -1);
    ASSERT_NAMES(library, "a", "c", "d", "b");
    sinew_clip_library_clear(library);
    assert_int_equal(sinew_clip_library_count(library), 0);
    assert_null(sinew_clip_library_find(library, "a"));
    assert_null(sinew_clip_library_at(library, 0));
    report = read_into(library, d, NULL);
    assert_report(&report, 4, 0, 0, -1);
    ASSERT_NAMES(library, "a", "b", "c", "d");
    sinew_document_destroy(d);
    sinew_clip_library_destroy(library);
}

// Adding and removing at random, against a plain list: order, places, and that removal leaves no
// gap in the hash table that hides another name.
static void against_a_plain_list(void **state)
{
    (void)state;
    enum { NAMES = 200 };
    sinew_clip *clip = clip_at("x", "n", 1);
    sinew_clip_library *library = empty_library();
    uint32_t list[NAMES], count = 0;
    bool in[NAMES] = {false};
    test_random random = test_random_make(11);
    for (int step = 0; step < 6000; step++) {
        char name[16];
        uint32_t k = test_random_below(&random, NAMES);
        snprintf(name, sizeof name, "n%u", k);
        if (test_random_below(&random, 2)) {
            assert_result(sinew_clip_library_add(library, clip, name, NULL),
                          in[k] ? SINEW_ERROR_NAME_TAKEN : SINEW_OK);
            if (!in[k])
                list[count++] = k;
            in[k] = true;
        } else {
            assert_result(sinew_clip_library_remove(library, name),
                          in[k] ? SINEW_OK : SINEW_ERROR_NOT_FOUND);
            uint32_t left = 0;
            for (uint32_t i = 0; i < count; i++)
                if (list[i] != k)
                    list[left++] = list[i];
            count = left;
            in[k] = false;
        }
        assert_int_equal(sinew_clip_library_count(library), count);
        if (step % 60)
            continue;
        for (uint32_t i = 0; i < count; i++) {
            snprintf(name, sizeof name, "n%u", list[i]);
            assert_string_equal(sinew_clip_library_at(library, i)->name, name);
        }
        for (k = 0; k < NAMES; k++) {
            snprintf(name, sizeof name, "n%u", k);
            assert_int_equal(sinew_clip_library_find(library, name) != NULL, in[k]);
        }
    }
    sinew_clip_destroy(clip);
    sinew_clip_library_destroy(library);
}

// ---- Copies -----------------------------------------------------------------------------------------------

// A clone is the clip, without it: two tracks that share their times, of all that a track has.
static void a_clone_needs_no_original(void **state)
{
    (void)state;
    const float times[] = {0, 0.5f}, turns[] = {0, 0, 0, 1, 0, 0.6f, 0, 0.8f},
                weights[] = {0.25f, 0.75f, 1, 0};
    sinew_track tracks[] = {{.node = 3,
                             .node_name = "arm",
                             .property = SINEW_PROPERTY_ROTATION,
                             .interpolation = SINEW_INTERPOLATION_LINEAR,
                             .component_count = 4,
                             .key_count = 2,
                             .times = times,
                             .values = turns},
                            {.node = 1,
                             .node_name = "face",
                             .property = SINEW_PROPERTY_WEIGHTS,
                             .interpolation = SINEW_INTERPOLATION_STEP,
                             .component_count = 2,
                             .first_component = 4,
                             .key_count = 2,
                             .times = times,
                             .values = weights}};
    counting_allocator counter = {0};
    sinew_allocator allocator = counting_allocator_use(&counter);
    sinew_clip *clip, *clone;
    assert_ok(sinew_clip_create(
        &(sinew_clip_desc){.name = "wave", .tracks = tracks, .track_count = 2}, &clip, NULL));
    assert_ok(sinew_clip_clone(clip, &allocator, &clone));
    assert_int_equal(counter.call_count, 1);
    assert_true(sinewi_clip_equal(clip, clone));
    sinew_clip_destroy(clip);
    assert_string_equal(sinew_clip_name(clone), "wave");
    assert_same(sinew_clip_duration(clone), 0.5);
    assert_int_equal(sinew_clip_track_count(clone), 2);
    const sinew_track *track = sinew_clip_tracks(clone);
    assert_ptr_equal(track[0].times, track[1].times);
    assert_string_equal(track[0].node_name, "arm");
    assert_string_equal(track[1].node_name, "face");
    assert_int_equal(track[1].first_component, 4);
    assert_ptr_equal(sinew_clip_find_track(clone, 3, SINEW_PROPERTY_ROTATION), &track[0]);
    assert_ptr_equal(sinew_clip_find_track_by_name(clone, "face", SINEW_PROPERTY_WEIGHTS),
                     &track[1]);
    float value[4];
    assert_ok(sinew_track_sample(&track[0], 0.5, value, 4));
    assert_memory_equal(value, turns + 4, sizeof value);
    assert_ok(sinew_track_sample(&track[1], 0.25, value, 4));
    assert_memory_equal(value, weights, 2 * sizeof *value);
    sinew_clip_destroy(clone);
    assert_int_equal(counter.live_count, 0);
    assert_int_equal(counter.fault_count, 0);

    // an empty one, and what cannot be
    assert_ok(sinew_clip_create(&(sinew_clip_desc){.name = ""}, &clip, NULL));
    assert_ok(sinew_clip_clone(clip, NULL, &clone));
    assert_int_equal(sinew_clip_track_count(clone), 0);
    sinew_clip_destroy(clone);
    assert_result(sinew_clip_clone(NULL, NULL, &clone), SINEW_ERROR_INVALID_ARGUMENT);
    assert_null(clone);
    assert_result(sinew_clip_clone(clip, NULL, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    counter = (counting_allocator){.fail_at = 1};
    assert_result(sinew_clip_clone(clip, &allocator, &clone), SINEW_ERROR_OUT_OF_MEMORY);
    assert_null(clone);
    sinew_clip_destroy(clip);
}

// Clips are the same where every track is: node, name, property, keys, and each bit of them.
static void clips_that_are_the_same(void **state)
{
    (void)state;
    const float times[] = {0, 1}, other_times[] = {0, 2}, values[] = {1, 2, 3, 4, 5, 6},
                other_values[] = {1, 2, 3, 4, 5, 7};
    const sinew_track base = {.node = 1,
                              .node_name = "n",
                              .property = SINEW_PROPERTY_SCALE,
                              .interpolation = SINEW_INTERPOLATION_LINEAR,
                              .component_count = 3,
                              .key_count = 2,
                              .times = times,
                              .values = values};
    sinew_track tracks[9];
    for (int k = 0; k < 9; k++)
        tracks[k] = base;
    tracks[2].node = 2;
    tracks[3].node_name = "m";
    tracks[4].property = SINEW_PROPERTY_TRANSLATION;
    tracks[5].interpolation = SINEW_INTERPOLATION_STEP;
    tracks[6].key_count = 1;
    tracks[7].times = other_times;
    tracks[8].values = other_values;
    sinew_clip *clips[10];
    for (int k = 0; k < 10; k++)
        assert_ok(sinew_clip_create(&(sinew_clip_desc){.name = k == 1 ? "another" : "one",
                                                       .tracks = &tracks[k % 9],
                                                       .track_count = k < 9},
                                    &clips[k], NULL));
    for (int k = 0; k < 10; k++) // 1 is 0 under another name
        assert_int_equal(sinewi_clip_equal(clips[0], clips[k]), k < 2);
    for (int k = 0; k < 10; k++)
        sinew_clip_destroy(clips[k]);
}

// ---- On other skeletons -----------------------------------------------------------------------------------

static sinew_skeleton *skeleton_of(const char *const *names, uint32_t count)
{
    sinew_joint_desc joints[8];
    for (uint32_t j = 0; j < count; j++)
        joints[j] = (sinew_joint_desc){.name = names[j],
                                       .parent = (int32_t)j - 1,
                                       .node = (int32_t)j + 20,
                                       .rest = {{0, (float)j, 0}, {0, 0, 0, 1}, {1, 1, 1}}};
    return test_skeleton_of(joints, count);
}

/// A track of one key with the values x, 0, 0, 1.
static sinew_track still_track(int32_t node, const char *name, sinew_property property)
{
    static const float values[] = {0.5f, 0, 0, 1};
    return (sinew_track){.node = node,
                         .node_name = name,
                         .property = property,
                         .interpolation = SINEW_INTERPOLATION_LINEAR,
                         .component_count = property == SINEW_PROPERTY_ROTATION ? 4 : 3,
                         .key_count = 1,
                         .times = no_time,
                         .values = values};
}

/// Eleven tracks: hips and arm are joints of the skeleton below, hat and two nodes without a name
/// are not, a second arm comes too late for two properties of three, and a face has morph weights.
static sinew_clip *clip_for_reports(void)
{
    const sinew_track tracks[] = {still_track(7, "arm", SINEW_PROPERTY_SCALE),
                                  still_track(2, "hat", SINEW_PROPERTY_ROTATION),
                                  still_track(0, "hips", SINEW_PROPERTY_TRANSLATION),
                                  still_track(1, "arm", SINEW_PROPERTY_ROTATION),
                                  still_track(2, "hat", SINEW_PROPERTY_TRANSLATION),
                                  still_track(7, "arm", SINEW_PROPERTY_TRANSLATION),
                                  still_track(7, "arm", SINEW_PROPERTY_ROTATION),
                                  still_track(1, "arm", SINEW_PROPERTY_TRANSLATION),
                                  still_track(4, "", SINEW_PROPERTY_SCALE),
                                  still_track(5, NULL, SINEW_PROPERTY_SCALE),
                                  still_track(6, "face", SINEW_PROPERTY_WEIGHTS)};
    sinew_clip *clip;
    assert_ok(sinew_clip_create(
        &(sinew_clip_desc){.name = "wave", .tracks = tracks, .track_count = 11}, &clip, NULL));
    return clip;
}

static const char *const joint_names[] = {"root", "hips", "", "arm"};

static void assert_line(const sinew_bind_line *line, const char *name, int32_t index,
                        uint8_t properties)
{
    assert_string_equal(line->name, name);
    assert_int_equal(line->index, index);
    assert_int_equal(line->properties, properties);
}

// A binding by name and its report: tracks are moving (hips t; arm t, r, s: 4), unmatched (hat t,
// r, the nameless: 4), repeated (the second arm's t and r: 2), weights (1): 11.
static void what_found_no_joint(void **state)
{
    (void)state;
    sinew_clip *clip = clip_for_reports();
    sinew_skeleton *skeleton = skeleton_of(joint_names, 4);
    sinew_clip_library *library = empty_library();
    assert_ok(sinew_clip_library_add(library, clip, "knight_wave", NULL));
    sinew_clip_destroy(clip);
    sinew_clip_binding *binding;
    sinew_bind_report *r;
    assert_ok(sinew_clip_library_bind(library, "knight_wave", skeleton, NULL, &binding, NULL));
    assert_ptr_equal(sinew_clip_binding_clip(binding),
                     sinew_clip_library_find(library, "knight_wave")->clip);
    assert_ptr_equal(sinew_clip_binding_skeleton(binding), skeleton);
    assert_int_equal(sinew_clip_binding_touches(binding, 0), 0);
    assert_int_equal(sinew_clip_binding_touches(binding, 1), SINEW_TOUCHED_TRANSLATION);
    assert_int_equal(sinew_clip_binding_touches(binding, 2),
                     0); // no joint for those without a name
    assert_int_equal(sinew_clip_binding_touches(binding, 3), 7);
    assert_int_equal(sinew_clip_binding_touches(binding, 4), 0);
    assert_int_equal(sinew_clip_binding_touches(NULL, 0), 0);
    assert_ok(sinew_bind_report_create(binding, NULL, &r));

    // what sampling touches is what the report says
    void *memory = test_block(sinew_pose_size(4));
    sinew_pose pose;
    uint8_t touched[4];
    assert_ok(sinew_pose_init(&pose, 4, memory, sinew_pose_size(4)));
    assert_ok(sinew_clip_sample(
        &(sinew_sample_args){.binding = binding, .out_pose = &pose, .out_touched = touched}));
    for (uint32_t j = 0; j < 4; j++)
        assert_int_equal(touched[j], sinew_clip_binding_touches(binding, j));
    sinew_transform now = sinew_pose_get(&pose, 2), rest = sinew_skeleton_rest(skeleton)[2];
    assert_memory_equal(&now, &rest, sizeof now);
    test_block_free(memory);

    sinew_clip_binding_destroy(binding);
    sinew_skeleton_destroy(skeleton);
    sinew_clip_library_destroy(library); // the report needs none of them
    assert_string_equal(r->clip_name, "wave");
    assert_int_equal(r->track_count, 11);
    assert_int_equal(r->moving_track_count, 4);
    assert_int_equal(r->unmatched_track_count, 4);
    assert_int_equal(r->repeated_track_count, 2);
    assert_int_equal(r->weight_track_count, 1);
    assert_int_equal(r->joint_count, 4);
    assert_int_equal(r->moved_joint_count, 2);
    assert_int_equal(r->unmatched_count, 3);
    assert_line(&r->unmatched[0], "hat", 2, SINEW_TOUCHED_TRANSLATION | SINEW_TOUCHED_ROTATION);
    assert_line(&r->unmatched[1], "", 4, SINEW_TOUCHED_SCALE);
    assert_line(&r->unmatched[2], "", 5, SINEW_TOUCHED_SCALE);
    assert_int_equal(r->repeated_count, 1);
    assert_line(&r->repeated[0], "arm", 7, SINEW_TOUCHED_TRANSLATION | SINEW_TOUCHED_ROTATION);
    assert_int_equal(r->resting_count, 2);
    assert_line(&r->resting[0], "root", 0, 0);
    assert_line(&r->resting[1], "", 2, 0);

    static const char wanted[] =
        "clip 'wave': 4 of 10 tracks move 2 of 4 joints; tracks of morph weights: 1\n"
        "  no joint for: hat (translation, rotation), node 4 (scale), node 5 (scale)\n"
        "  another node has the joint of: arm (translation, rotation)\n"
        "  at rest: root, joint 2\n";
    char text[512];
    assert_int_equal(sinew_bind_report_text(r, text, sizeof text), sizeof wanted - 1);
    assert_string_equal(text, wanted);
    assert_int_equal(sinew_bind_report_text(r, NULL, 0), sizeof wanted - 1);
    for (size_t size = 1; size <= sizeof wanted; size++) { // cut, ended by 0, nothing behind it
        memset(text, '#', sizeof text);
        assert_int_equal(sinew_bind_report_text(r, text, size), sizeof wanted - 1);
        assert_int_equal(strlen(text), size - 1);
        assert_memory_equal(text, wanted, size - 1);
        assert_int_equal(text[size], '#');
    }
    sinew_bind_report_destroy(r);
}

// All matches: no lists. A binding by node has a report as well.
static void a_report_without_a_fault(void **state)
{
    (void)state;
    sinew_clip *clip;
    const sinew_track track = still_track(21, "né", SINEW_PROPERTY_TRANSLATION);
    assert_ok(sinew_clip_create(&(sinew_clip_desc){.name = "a", .tracks = &track, .track_count = 1},
                                &clip, NULL));
    sinew_skeleton *skeletons[] = {skeleton_of((const char *const[]){"né"}, 1),
                                   skeleton_of(joint_names, 4)}; // by node: joint 1
    for (int k = 0; k < 2; k++) {
        sinew_clip_binding *binding;
        sinew_bind_report *r;
        assert_ok(sinew_clip_binding_create(
            &(sinew_clip_binding_desc){.clip = clip,
                                       .skeleton = skeletons[k],
                                       .by = k ? SINEW_BIND_BY_NODE : SINEW_BIND_BY_NAME},
            &binding));
        assert_ok(sinew_bind_report_create(binding, NULL, &r));
        assert_int_equal(r->moving_track_count, 1);
        assert_int_equal(r->unmatched_count + r->repeated_count, 0);
        assert_int_equal(r->resting_count, k ? 3 : 0);
        char text[128];
        sinew_bind_report_text(r, text, sizeof text);
        assert_string_equal(text, k ? "clip 'a': 1 of 1 tracks move 1 of 4 joints\n"
                                      "  at rest: root, joint 2, arm\n"
                                    : "clip 'a': 1 of 1 tracks move 1 of 1 joints\n");
        sinew_bind_report_destroy(r);
        sinew_clip_binding_destroy(binding);
    }
    // a character of two bytes is not cut in the middle
    sinew_clip_binding *binding;
    sinew_bind_report *r;
    char text[128];
    assert_ok(sinew_clip_binding_create(&(sinew_clip_binding_desc){.clip = clip,
                                                                   .skeleton = skeletons[1],
                                                                   .by = SINEW_BIND_BY_NAME},
                                        &binding));
    assert_ok(sinew_bind_report_create(binding, NULL, &r));
    size_t length = sinew_bind_report_text(r, text, sizeof text);
    const char *accent = strstr(text, "\xC3\xA9");
    assert_non_null(accent);
    size_t before = (size_t)(accent - text);
    assert_int_equal(sinew_bind_report_text(r, text, before + 2), length);
    assert_int_equal(strlen(text), before); // one byte of it would have fitted
    sinew_bind_report_text(r, text, before + 3);
    assert_int_equal(strlen(text), before + 2);
    sinew_bind_report_destroy(r);
    sinew_clip_binding_destroy(binding);
    sinew_skeleton_destroy(skeletons[0]);
    sinew_skeleton_destroy(skeletons[1]);
    sinew_clip_destroy(clip);
}

static void single_tracks(void **state)
{
    (void)state;
    sinew_clip *clip = clip_for_reports();
    sinew_clip_library *library = empty_library();
    assert_ok(sinew_clip_library_add(library, clip, NULL, NULL));
    sinew_clip_destroy(clip);
    const sinew_track *track =
        sinew_clip_library_find_track(library, "wave", "hat", SINEW_PROPERTY_TRANSLATION);
    float value[3];
    assert_non_null(track);
    assert_int_equal(track->node, 2);
    assert_ok(sinew_track_sample(track, 1.5, value, 3));
    assert_same(value[0], 0.5);
    track = sinew_clip_library_find_track(library, "wave", "arm", SINEW_PROPERTY_ROTATION);
    assert_int_equal(track->node, 1); // the first arm
    track = sinew_clip_library_find_track(library, "wave", "arm", SINEW_PROPERTY_SCALE);
    assert_int_equal(track->node, 7); // the only one that has it
    track = sinew_clip_library_find_track(library, "wave", "face", SINEW_PROPERTY_WEIGHTS);
    assert_int_equal(track->component_count, 3);
    assert_null(sinew_clip_library_find_track(library, "wave", "hips", SINEW_PROPERTY_ROTATION));
    assert_null(sinew_clip_library_find_track(library, "wave", "Hips", SINEW_PROPERTY_TRANSLATION));
    assert_null(sinew_clip_library_find_track(library, "wav", "hips", SINEW_PROPERTY_TRANSLATION));
    assert_null(sinew_clip_library_find_track(library, "wave", "hips", SINEW_PROPERTY_COUNT));
    assert_null(sinew_clip_library_find_track(library, "wave", NULL, SINEW_PROPERTY_SCALE));
    assert_null(sinew_clip_library_find_track(library, NULL, "hips", SINEW_PROPERTY_SCALE));
    assert_null(sinew_clip_library_find_track(NULL, "wave", "hips", SINEW_PROPERTY_SCALE));
    assert_null(sinew_clip_find_track_by_name(NULL, "hips", SINEW_PROPERTY_SCALE));
    sinew_clip_library_destroy(library);
}

// ---- What calls refuse ------------------------------------------------------------------------------------

static void arguments(void **state)
{
    (void)state;
    sinew_clip_library *library = empty_library(), *none;
    sinew_clip *clip = clip_at("a", "n", 1);
    sinew_skeleton *skeleton = skeleton_of(joint_names, 4);
    sinew_clip_binding *binding;
    sinew_bind_report *report;
    sinew_clip_read_report counts;
    sinew_error error;
    const sinew_clip *const clips[] = {clip, NULL};
    assert_result(sinew_clip_library_create(NULL, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_clip_library_desc desc = sinew_clip_library_desc_default();
    assert_ok(sinew_clip_library_create(&desc, &none));
    sinew_clip_library_destroy(none);
    sinew_clip_library_destroy(NULL);
    sinew_clip_library_clear(NULL);
    assert_int_equal(sinew_clip_library_count(NULL), 0);
    assert_null(sinew_clip_library_at(NULL, 0));
    assert_null(sinew_clip_library_find(NULL, "a"));
    assert_null(sinew_clip_library_find(library, NULL));
    assert_null(sinew_clip_library_find(library, "a")); // nothing was ever in it

    sinew_clip_source source = {.clips = clips, .clip_count = 2};
    assert_result(sinew_clip_library_read(library, &source, NULL, &counts, &error),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_report(&counts, 0, 0, 0, -1);
    assert_non_null(strstr(error.message, "clip 1"));
    source.clip_count = 1;
    assert_result(sinew_clip_library_read(NULL, &source, NULL, NULL, NULL),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_clip_library_read(library, NULL, NULL, NULL, NULL),
                  SINEW_ERROR_INVALID_ARGUMENT);
    source.clips = NULL;
    assert_result(sinew_clip_library_read(library, &source, NULL, NULL, NULL),
                  SINEW_ERROR_INVALID_ARGUMENT);
    source.clip_count = 0; // nothing is a source too
    assert_ok(sinew_clip_library_read(library, &source, NULL, &counts, NULL));
    assert_report(&counts, 0, 0, 0, -1);
    assert_result(sinew_clip_library_read_document(library, NULL, NULL, &counts, &error),
                  SINEW_ERROR_INVALID_ARGUMENT);
    sinew_document *d = document_of((const char *const[]){"a"}, 1, 1);
    assert_result(sinew_clip_library_read_document(NULL, d, NULL, NULL, NULL),
                  SINEW_ERROR_INVALID_ARGUMENT);
    sinew_document_destroy(d);

    assert_result(sinew_clip_library_add(NULL, clip, NULL, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_clip_library_add(library, NULL, "a", NULL), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_clip_library_remove(NULL, "a"), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_clip_library_remove(library, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_clip_library_bind(library, "a", skeleton, NULL, &binding, &error),
                  SINEW_ERROR_NOT_FOUND);
    assert_null(binding);
    assert_string_equal(error.path, "a");
    assert_non_null(strstr(error.message, "empty"));
    assert_ok(sinew_clip_library_add(library, clip, NULL, NULL));
    assert_result(sinew_clip_library_bind(library, "b", skeleton, NULL, &binding, &error),
                  SINEW_ERROR_NOT_FOUND);
    assert_non_null(strstr(error.message, "holds 1, from 'a' to 'a'"));
    assert_result(sinew_clip_library_bind(NULL, "a", skeleton, NULL, &binding, NULL),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_clip_library_bind(library, NULL, skeleton, NULL, &binding, NULL),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_clip_library_bind(library, "a", NULL, NULL, &binding, NULL),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_clip_library_bind(library, "a", skeleton, NULL, NULL, NULL),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_bind_report_create(NULL, NULL, &report), SINEW_ERROR_INVALID_ARGUMENT);
    assert_null(report);
    assert_ok(sinew_clip_library_bind(library, "a", skeleton, NULL, &binding, NULL));
    assert_result(sinew_bind_report_create(binding, NULL, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    char text[4] = "abc";
    assert_int_equal(sinew_bind_report_text(NULL, text, sizeof text), 0);
    assert_string_equal(text, "");
    sinew_bind_report_destroy(NULL);
    sinew_clip_binding_destroy(binding);
    sinew_clip_destroy(clip);
    sinew_skeleton_destroy(skeleton);
    sinew_clip_library_destroy(library);
}

// ---- Memory -----------------------------------------------------------------------------------------------

// Whichever allocation fails, the table is as before, and all is given back at the end.
static void the_nth_allocation_fails(void **state)
{
    (void)state;
    sinew_document *a = document_of((const char *const[]){"a", "b", "c"}, 3, 1);
    sinew_clip *clips[20];
    for (int i = 0; i < 20; i++) { // more than the first room of the table
        char name[16];
        snprintf(name, sizeof name, "n%d", i);
        clips[i] = clip_at(i % 3 ? name : "same", "hips", (float)i);
    }
    sinew_clip_source many = {
        .file = "many", .clips = (const sinew_clip *const *)clips, .clip_count = 20};
    sinew_skeleton *skeleton = skeleton_of(joint_names, 4);
    bool done = false;
    for (size_t n = 1; !done; n++) {
        counting_allocator counter = {.fail_at = n};
        sinew_clip_library_desc desc = {.allocator = counting_allocator_use(&counter)};
        sinew_clip_library *library;
        sinew_error error;
        sinew_clip_binding *binding = NULL;
        sinew_bind_report *report = NULL;
        sinew_result result = sinew_clip_library_create(&desc, &library);
        uint32_t count = 0;
        if (result == SINEW_OK)
            result = sinew_clip_library_read_document(library, a, "a_", NULL, &error);
        if (result == SINEW_OK) {
            count = 3;
            result = sinew_clip_library_read(library, &many, NULL, NULL, &error);
        }
        if (result == SINEW_OK) {
            count = 23;
            result = sinew_clip_library_add(library, clips[0], "one", &error);
        }
        if (result == SINEW_OK) {
            count = 24;
            result = sinew_clip_library_bind(library, "one", skeleton, &desc.allocator, &binding,
                                             &error);
        }
        if (result == SINEW_OK)
            result = sinew_bind_report_create(binding, &desc.allocator, &report);
        done = result == SINEW_OK;
        assert_int_equal(done, counter.call_count < n);
        if (!done)
            assert_result(result, SINEW_ERROR_OUT_OF_MEMORY);
        if (library) {
            assert_int_equal(sinew_clip_library_count(library), count);
            static const char *const names[] = {"a_a", "a_b", "a_c"};
            for (uint32_t i = 0; i < 3 && i < count; i++)
                assert_ptr_equal(sinew_clip_library_find(library, names[i]),
                                 sinew_clip_library_at(library, i));
            if (count < 23)
                assert_null(sinew_clip_library_find(library, "same"));
            // and it works on
            if (!done && count) {
                assert_ok(sinew_clip_library_read(library, &many, "again_", NULL, &error));
                assert_int_equal(sinew_clip_library_count(library), count + 20);
            }
        }
        sinew_bind_report_destroy(report);
        sinew_clip_binding_destroy(binding);
        sinew_clip_library_destroy(library);
        assert_int_equal(counter.live_count, 0);
        assert_int_equal(counter.live_size, 0);
        assert_int_equal(counter.fault_count, 0);
    }
    for (int i = 0; i < 20; i++)
        sinew_clip_destroy(clips[i]);
    sinew_skeleton_destroy(skeleton);
    sinew_document_destroy(a);
}

// The document's allocator is not needed any more once it was read: all of it is checked and gone.
static void nothing_of_a_document_is_held(void **state)
{
    (void)state;
    counting_allocator mine = {0}, theirs = {0};
    sinew_import_desc import = sinew_import_desc_default();
    import.allocator = counting_allocator_use(&theirs);
    gltf_builder *b = file_of((const char *const[]){"a", "b"}, 2, 1);
    const char *text = gltf_builder_text(b);
    sinew_document *d;
    assert_ok(sinew_gltf_read(text, strlen(text), &import, &d, NULL));
    gltf_builder_free(b);
    sinew_clip_library_desc desc = {.allocator = counting_allocator_use(&mine)};
    sinew_clip_library *library;
    assert_ok(sinew_clip_library_create(&desc, &library));
    size_t calls = theirs.call_count;
    read_into(library, d, NULL);
    assert_int_equal(theirs.call_count, calls);
    sinew_document_destroy(d);
    assert_int_equal(theirs.live_count, 0);
    calls = mine.call_count;
    assert_same(clip_x(sinew_clip_library_find(library, "b")->clip), 2);
    assert_int_equal(mine.call_count, calls); // looking up allocates nothing
    assert_int_equal(mine.live_count, 6); // the library, its table, and two blocks for each clip
    sinew_clip_library_destroy(library);
    assert_int_equal(mine.live_count, 0);
    assert_int_equal(mine.fault_count, 0);
}

// ---- Speed and threads ------------------------------------------------------------------------------------

enum { MANY = 10000 };

static sinew_clip_library *library_of_many(counting_allocator *counter, sinew_clip_read_report *out)
{
    sinew_clip **clips = malloc(MANY * sizeof *clips);
    assert_non_null(clips);
    for (int i = 0; i < MANY; i++) {
        char name[32];
        snprintf(name, sizeof name, "clip_%05d", i);
        clips[i] = clip_at(name, "hips", (float)i);
    }
    sinew_clip_source source = {.clips = (const sinew_clip *const *)clips, .clip_count = MANY};
    sinew_clip_library_desc desc = {.allocator = counting_allocator_use(counter)};
    sinew_clip_library *library;
    assert_ok(sinew_clip_library_create(&desc, &library));
    assert_ok(sinew_clip_library_read(library, &source, "rig_", out, NULL));
    size_t live = counter->live_count;
    assert_ok(sinew_clip_library_read(library, &source, "rig_", out, NULL));
    assert_report(out, 0, MANY, 0, -1);
    assert_int_equal(counter->live_count, live);
    for (int i = 0; i < MANY; i++)
        sinew_clip_destroy(clips[i]);
    free(clips);
    return library;
}

// Ten thousand clips take work in proportion, by count: two blocks each and one table besides the
// arena's blocks of 64 KiB (names and lists: some 100 bytes a clip a read, so below 100), and
// finding each name once is 1.5 looks each at half full (Knuth), with room for bad luck 2.
static void ten_thousand_clips(void **state)
{
    (void)state;
    counting_allocator counter = {0};
    sinew_clip_read_report report;
    sinew_clip_library *library = library_of_many(&counter, &report);
    assert_int_equal(sinew_clip_library_count(library), MANY);
    assert_true(counter.call_count < 2 * MANY + 100);
    assert_true(sinewi_clip_library_steps(library) < 2 * MANY);
    assert_same(clip_x(sinew_clip_library_find(library, "rig_clip_09999")->clip), 9999);
    assert_null(sinew_clip_library_find(library, "clip_09999"));
    sinew_clip_library_destroy(library);
    assert_int_equal(counter.live_count, 0);
}

// Ten thousand equal names: counting goes on where it stood.
static void ten_thousand_equal_names(void **state)
{
    (void)state;
    const char **names = malloc(MANY * sizeof *names);
    assert_non_null(names);
    for (int i = 0; i < MANY; i++)
        names[i] = i == MANY - 1 ? "a_77" : "a";
    sinewi_arena arena;
    sinewi_arena_init(&arena, NULL, 0);
    const char **unique;
    assert_true(sinewi_unique_clip_names(names, MANY, &arena, &unique));
    assert_string_equal(unique[0], "a");
    assert_string_equal(unique[1], "a_2");
    assert_string_equal(unique[75], "a_76");
    assert_string_equal(unique[76], "a_77");
    assert_string_equal(unique[MANY - 2], "a_9999");
    assert_string_equal(unique[MANY - 1], "a_77_2");
    sinewi_arena_free(&arena);
    free(names);
}

typedef struct lookup_job {
    const sinew_clip_library *library;
    const sinew_skeleton *skeleton;
    uint32_t *found; // [MANY]
} lookup_job;

static void look_up(void *data, uint32_t index, uint32_t worker)
{
    (void)worker;
    lookup_job *job = data;
    char name[32];
    snprintf(name, sizeof name, "rig_clip_%05u", index);
    const sinew_clip_entry *entry = sinew_clip_library_find(job->library, name);
    job->found[index] = entry && entry == sinew_clip_library_at(job->library, index) &&
                        sinew_clip_library_find_track(job->library, name, "hips",
                                                      SINEW_PROPERTY_TRANSLATION) != NULL;
    if (index % 16)
        return;
    sinew_clip_binding *binding;
    if (sinew_clip_library_bind(job->library, name, job->skeleton, NULL, &binding, NULL))
        job->found[index] = 0;
    else
        sinew_clip_binding_destroy(binding);
}

// Looking up and binding from many threads at once, on a library that does not change.
static void threads_look_up(void **state)
{
    (void)state;
    counting_allocator counter = {0};
    sinew_clip_read_report report;
    lookup_job job = {.library = library_of_many(&counter, &report),
                      .skeleton = skeleton_of(joint_names, 4),
                      .found = calloc(MANY, sizeof(uint32_t))};
    assert_non_null(job.found);
    sinew_thread_pool *pool = sinew_thread_pool_create(4);
    sinew_parallel parallel = sinew_thread_pool_parallel(pool);
    sinew_parallel_for(&parallel, MANY, look_up, &job);
    sinew_thread_pool_destroy(pool);
    for (int i = 0; i < MANY; i++)
        assert_int_equal(job.found[i], 1);
    free(job.found);
    sinew_skeleton_destroy((sinew_skeleton *)(uintptr_t)job.skeleton);
    sinew_clip_library_destroy((sinew_clip_library *)(uintptr_t)job.library);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_inside_one_file),
        cmocka_unit_test(names_inside_one_source),
        cmocka_unit_test(load_a_load_b_read_a),
        cmocka_unit_test(any_order_any_number_of_times),
        cmocka_unit_test(buffers_in_a_folder_that_is_gone),
        cmocka_unit_test(names_that_are_held),
        cmocka_unit_test(prefixes),
        cmocka_unit_test(adding_says_why_not),
        cmocka_unit_test(removing_and_clearing),
        cmocka_unit_test(against_a_plain_list),
        cmocka_unit_test(a_clone_needs_no_original),
        cmocka_unit_test(clips_that_are_the_same),
        cmocka_unit_test(what_found_no_joint),
        cmocka_unit_test(a_report_without_a_fault),
        cmocka_unit_test(single_tracks),
        cmocka_unit_test(arguments),
        cmocka_unit_test(the_nth_allocation_fails),
        cmocka_unit_test(nothing_of_a_document_is_held),
        cmocka_unit_test(ten_thousand_clips),
        cmocka_unit_test(ten_thousand_equal_names),
        cmocka_unit_test(threads_look_up),
    };
    return TEST_RUN(tests);
}
