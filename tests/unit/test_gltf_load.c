// SPDX-License-Identifier: MIT
// Files read by path keep their bytes where the document can point at them; those in the caller's
// memory are copied. Nobody may see a difference: both ways give the same numbers, and what has to
// be changed is changed in a copy. Also: the quick way through influences against the long one.
#include "../support/gltf_builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../support/counting_allocator.h"
#include "../support/random.h"

#define COUNT_OF(a) ((uint32_t)(sizeof(a) / sizeof *(a)))

// ---- Files that lie in memory -------------------------------------------------------------------

typedef struct two_files {
    const uint8_t *bytes[2]; // the document, and a buffer beside it
    size_t sizes[2];
} two_files;

static void *two_open(void *user, const char *uri)
{
    return (char *)user + (strcmp(uri, "model") == 0 ? 0 : 1); // which one
}
static uint64_t two_size(void *user, void *file)
{
    return ((two_files *)user)->sizes[(char *)file - (char *)user];
}
static size_t two_read(void *user, void *file, uint64_t offset, void *out, size_t size)
{
    memcpy(out, ((two_files *)user)->bytes[(char *)file - (char *)user] + offset, size);
    return size;
}
static void two_close(void *user, void *file)
{
    (void)user, (void)file;
}

enum form { GLB, DATA_URI, OTHER_FILE, FORM_COUNT };

static sinew_document *load_form(gltf_builder *b, enum form form, const sinew_allocator *allocator)
{
    two_files files = {{NULL, NULL}, {0, 0}};
    files.bytes[1] = gltf_builder_buffer(b, &files.sizes[1]);
    if (form == GLB) {
        files.bytes[0] = gltf_builder_glb(b, &files.sizes[0]);
    } else {
        const char *text =
            form == DATA_URI ? gltf_builder_text(b) : gltf_builder_text_with_uri(b, "a.bin");
        files.bytes[0] = (const uint8_t *)text;
        files.sizes[0] = strlen(text);
    }
    sinew_file_io io = {two_open, two_size, two_read, two_close, &files};
    sinew_import_desc desc = sinew_import_desc_default();
    desc.io = &io;
    if (allocator)
        desc.allocator = *allocator;
    sinew_document *d;
    sinew_error error;
    sinew_result result = sinew_gltf_load("model", &desc, &d, &error);
    if (result != SINEW_OK)
        print_error("%s: %s\n", error.path, error.message);
    assert_ok(result);
    return d;
}

enum { VERTICES = 500, INDICES = 900 };

// Every attribute in the form that can be shared. Returns where its accessors begin: positions,
// normals, tangents, texture coordinates, colours, indices.
static gltf_builder *sharable_file(float *positions)
{
    gltf_builder *b = gltf_builder_new();
    float numbers[VERTICES * 4 + 8];
    uint32_t indices[INDICES];
    test_random random = test_random_make(11);
    for (uint32_t i = 0; i < COUNT_OF(numbers); i++)
        numbers[i] = test_random_float(&random, -1, 1);
    for (uint32_t i = 0; i < INDICES; i++)
        indices[i] = test_random_below(&random, VERTICES);
    gltf_builder_floats(b, "VEC3", VERTICES, positions ? positions : numbers);
    gltf_builder_floats(b, "VEC3", VERTICES, numbers + 5);
    gltf_builder_floats(b, "VEC4", VERTICES, numbers);
    gltf_builder_floats(b, "VEC2", VERTICES, numbers + 9);
    gltf_builder_floats(b, "VEC4", VERTICES, numbers);
    uint32_t view = gltf_builder_view(b, indices, sizeof indices, 0);
    gltf_builder_accessor(b, (int32_t)view, 0, 5125, "SCALAR", INDICES, NULL);
    uint32_t picture = gltf_builder_view(b, "a picture", 9, 0);
    gltf_builder_add(
        b,
        "'meshes': [{'primitives': [{'attributes': {'POSITION': 0, 'NORMAL': 1, 'TANGENT': 2, "
        "'TEXCOORD_0': 3, 'COLOR_0': 4}, 'indices': 5, 'targets': [{'POSITION': 1}]}]}], 'images': "
        "[{'bufferView': %u, 'mimeType': 'image/png'}], 'nodes': [{'mesh': 0}]",
        picture);
    return b;
}

static void assert_same_primitives(const sinew_primitive *a, const sinew_primitive *b)
{
    size_t n = a->vertex_count;
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->index_count, b->index_count);
    assert_memory_equal(a->positions, b->positions, n * 12);
    assert_memory_equal(a->normals, b->normals, n * 12);
    assert_memory_equal(a->tangents, b->tangents, n * 16);
    assert_memory_equal(a->uvs[0], b->uvs[0], n * 8);
    assert_memory_equal(a->colors[0], b->colors[0], n * 16);
    assert_memory_equal(a->targets[0].positions, b->targets[0].positions, n * 12);
    assert_memory_equal(a->indices, b->indices, a->index_count * sizeof(uint32_t));
}

static void loaded_files_are_shared(void **state)
{
    (void)state;
    gltf_builder *b = sharable_file(NULL);
    sinew_document *copied = gltf_builder_document(b); // frees the builder
    for (int form = 0; form < FORM_COUNT; form++) {
        counting_allocator counter = {0};
        sinew_allocator allocator = counting_allocator_use(&counter);
        b = sharable_file(NULL);
        sinew_document *d = load_form(b, (enum form)form, &allocator);
        gltf_builder_free(b);
        const sinew_primitive *p = &d->meshes[0].primitives[0];
        assert_same_primitives(p, &copied->meshes[0].primitives[0]);
        // they lie one behind the other, as in the file: nothing was copied
        const char *start = (const char *)p->positions;
        assert_ptr_equal(p->normals, start + VERTICES * 12);
        assert_ptr_equal(p->tangents, start + VERTICES * 24);
        assert_ptr_equal(p->uvs[0], start + VERTICES * 40);
        assert_ptr_equal(p->colors[0], start + VERTICES * 48);
        assert_ptr_equal(p->indices, start + VERTICES * 64);
        assert_ptr_equal(p->targets[0].positions, p->normals);
        assert_ptr_equal(d->images[0].bytes, start + VERTICES * 64 + INDICES * 4);
        assert_memory_equal(d->images[0].bytes, "a picture", 9);
        assert_int_equal(d->images[0].size, 9);
        sinew_document_destroy(d);
        assert_int_equal(counter.live_count, 0);
        assert_int_equal(counter.fault_count, 0);
    }
    sinew_document_destroy(copied);
}

// What is not finite is cleared in a copy: the normals, which lie in the same bytes here, keep what
// is good in them, and another reader of the file would see it as it was
static void repairs_are_made_in_copies(void **state)
{
    (void)state;
    float positions[VERTICES * 3] = {0};
    positions[300] = NAN;
    for (int form = 0; form < FORM_COUNT; form++) {
        gltf_builder *b = sharable_file(positions);
        sinew_document *d = load_form(b, (enum form)form, NULL);
        gltf_builder_free(b);
        const sinew_primitive *p = &d->meshes[0].primitives[0];
        const sinew_finding *found =
            gltf_find(d, SINEW_POSITIONS_NOT_FINITE, "meshes[0].primitives[0].attributes.POSITION");
        assert_int_equal(found->count, 1);
        assert_same(p->positions[300], 0);
        assert_ptr_not_equal(p->normals, (const char *)p->positions + VERTICES * 12);
        sinew_document_destroy(d);
    }
}

// Indices past the vertices are dropped from a copy too; those of 2^31 and more, and just the last
static void indices_in_place(void **state)
{
    (void)state;
    static const struct {
        uint32_t bad, dropped;
    } cases[] = {{2, 0}, {3, 1}, {0x7FFFFFFF, 1}, {0x80000000u, 1}, {0xFFFFFFFFu, 1}};
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        gltf_builder *b = gltf_builder_new();
        const uint32_t indices[6] = {0, 1, 2, 2, 1, cases[i].bad};
        gltf_builder_floats(b, "VEC3", 3, (const float[9]){0});
        uint32_t view = gltf_builder_view(b, indices, sizeof indices, 0);
        gltf_builder_accessor(b, (int32_t)view, 0, 5125, "SCALAR", 6, NULL);
        gltf_builder_add(
            b, "'meshes': [{'primitives': [{'attributes': {'POSITION': 0}, 'indices': 1}]}]");
        sinew_document *d = load_form(b, GLB, NULL);
        gltf_builder_free(b);
        const sinew_primitive *p = &d->meshes[0].primitives[0];
        assert_int_equal(p->index_count, cases[i].dropped ? 3 : 6);
        assert_int_equal(gltf_count(d, SINEW_INDICES_OUT_OF_RANGE), cases[i].dropped);
        for (uint32_t k = 0; k < p->index_count; k++)
            assert_int_equal(p->indices[k], indices[k]);
        sinew_document_destroy(d);
    }
}

// Numbers that do not lie as the machine wants them are read one by one: an odd offset, a stride
static void odd_layouts_are_copied(void **state)
{
    (void)state;
    uint8_t bytes[64] = {0};
    const float points[6] = {1, 2, 3, 4, 5, 6};
    memcpy(bytes + 2, points, 24);
    memcpy(bytes + 28, points, 12);
    memcpy(bytes + 28 + 16, points + 3, 12);
    static const struct {
        size_t offset;
        uint32_t stride;
    } cases[] = {{2, 0}, {28, 16}};
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        gltf_builder *b = gltf_builder_new();
        uint32_t view = gltf_builder_view(b, bytes, sizeof bytes, cases[i].stride);
        gltf_builder_accessor(b, (int32_t)view, cases[i].offset, 5126, "VEC3", 2, NULL);
        gltf_builder_add(b, "'meshes': [{'primitives': [{'attributes': {'POSITION': 0}}]}]");
        sinew_document *d = load_form(b, GLB, NULL);
        gltf_builder_free(b);
        for (int k = 0; k < 6; k++)
            assert_same(d->meshes[0].primitives[0].positions[k], points[k]);
        sinew_document_destroy(d);
    }
}

// A clip copies its keys: with nothing else to point at, the file's bytes are not kept
static void clips_keep_no_file(void **state)
{
    (void)state;
    enum { KEYS = 20000 };
    counting_allocator counter = {0};
    sinew_allocator allocator = counting_allocator_use(&counter);
    gltf_builder *b = gltf_builder_new();
    float *times = malloc(KEYS * sizeof *times), *values = malloc(KEYS * 16);
    assert_true(times && values);
    for (int k = 0; k < KEYS; k++) {
        times[k] = (float)k;
        // off unit length by 5e-5, which is no finding, but is put right
        memcpy(values + 4 * k, ((const float[]){0, 0, 0, 1.00005f}), 16);
    }
    gltf_builder_floats(b, "SCALAR", KEYS, times);
    gltf_builder_floats(b, "VEC4", KEYS, values);
    free(times);
    free(values);
    gltf_builder_add(b, "'nodes': [{}], 'animations': [{'channels': [{'sampler': 0, 'target': "
                        "{'node': 0, 'path': 'rotation'}}], 'samplers': [{'input': 0, 'output': "
                        "1}]}]");
    sinew_document *d = load_form(b, GLB, &allocator);
    gltf_builder_free(b);
    assert_int_equal(d->finding_count, 0);
    assert_same(sinew_clip_tracks(d->clips[0])[0].values[3], 1);
    // 20,000 keys of five floats, and what a document is; the file would be as much again
    assert_true(counter.live_size < KEYS * 20 + 150000);
    sinew_document_destroy(d);
    assert_int_equal(counter.live_count, 0);
}

// ---- Influences ---------------------------------------------------------------------------------

// One set goes the quick way. The same with a second set of zeros goes the long one. Random weights
// with every oddity: zeros of both signs, equal weights, repeated joints, sums off by a rounding,
// by less than 1e-3 and by more.
static void both_ways_through_influences(void **state)
{
    (void)state;
    enum { COUNT = 4000, JOINTS = 12 };
    static float weights[COUNT * 4];
    static uint16_t joints[COUNT * 4];
    static const float zeros[COUNT * 4];
    static const uint16_t no_joints[COUNT * 4];
    static float positions[COUNT * 3];
    test_random random = test_random_make(12);
    for (uint32_t v = 0; v < COUNT; v++) {
        float *w = weights + 4 * v, sum = 0;
        uint32_t kind = test_random_below(&random, 8);
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t zero = test_random_below(&random, 4);
            w[k] = zero == 0   ? 0.0f
                   : zero == 1 ? (float)(1 + test_random_below(&random, 3))
                               : test_random_float(&random, 0, 1);
            sum += w[k];
            joints[4 * v + k] =
                (uint16_t)(kind == 0 ? test_random_below(&random, JOINTS) : (k * 3 + v) % JOINTS);
        }
        float by = kind == 1 ? sum * 1.0005f : kind == 2 ? sum * 1.01f : sum;
        for (uint32_t k = 0; sum > 0 && k < 4; k++)
            w[k] = w[k] / by;
        if (kind == 3)
            w[v % 4] = w[v % 4] == 0 ? -0.0f : w[v % 4];
    }
    sinew_document *documents[2];
    for (int sets = 1; sets <= 2; sets++) {
        gltf_builder *b = gltf_builder_new();
        gltf_builder_floats(b, "VEC3", COUNT, positions);
        gltf_builder_shorts(b, "VEC4", COUNT, joints, NULL);
        gltf_builder_floats(b, "VEC4", COUNT, weights);
        gltf_builder_shorts(b, "VEC4", COUNT, no_joints, NULL);
        gltf_builder_floats(b, "VEC4", COUNT, zeros);
        gltf_builder_add(b,
                         "'meshes': [{'primitives': [{'attributes': {'POSITION': 0, 'JOINTS_0': 1, "
                         "'WEIGHTS_0': 2%s}}]}], 'nodes': [{}]",
                         sets == 2 ? ", 'JOINTS_1': 3, 'WEIGHTS_1': 4" : "");
        documents[sets - 1] = gltf_builder_document(b);
    }
    const sinew_primitive *quick = &documents[0]->meshes[0].primitives[0],
                          *slow = &documents[1]->meshes[0].primitives[0];
    assert_int_equal(quick->influence_count, 4);
    assert_int_equal(slow->influence_count, 4);
    assert_int_equal(quick->file_influence_count, slow->file_influence_count);
    assert_memory_equal(quick->joints, slow->joints, COUNT * 4 * sizeof(uint16_t));
    for (uint32_t i = 0; i < COUNT * 4; i++)
        assert_same(quick->weights[i], slow->weights[i]);
    assert_int_equal(documents[0]->finding_count, documents[1]->finding_count);
    for (uint32_t i = 0; i < documents[0]->finding_count; i++) {
        assert_int_equal(documents[0]->findings[i].code, documents[1]->findings[i].code);
        assert_int_equal(documents[0]->findings[i].count, documents[1]->findings[i].count);
        assert_same(documents[0]->findings[i].worst, documents[1]->findings[i].worst);
    }
    assert_true(gltf_count(documents[0], SINEW_JOINTS_REPEATED) == 1);
    assert_true(gltf_count(documents[0], SINEW_WEIGHTS_NOT_NORMALISED) == 1);
    sinew_document_destroy(documents[0]);
    sinew_document_destroy(documents[1]);
}

// Four slots a vertex in the file, but no vertex with more than two joints: rows of two
static void rows_shrink_to_the_widest(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_new();
    gltf_builder_floats(b, "VEC3", 3, (const float[9]){0});
    gltf_builder_bytes(b, "VEC4", 3, (const uint8_t[]){1, 1, 2, 2, 3, 3, 3, 3, 0, 1, 0, 1}, NULL);
    gltf_builder_floats(b, "VEC4", 3,
                        (const float[]){0.25f, 0.25f, 0.25f, 0.25f, 0.25f, 0.25f, 0.25f, 0.25f,
                                        0.125f, 0.5f, 0.125f, 0.25f});
    gltf_builder_add(b, "'meshes': [{'primitives': [{'attributes': {'POSITION': 0, 'JOINTS_0': 1, "
                        "'WEIGHTS_0': 2}}]}]");
    sinew_document *d = gltf_builder_document(b);
    const sinew_primitive *p = &d->meshes[0].primitives[0];
    static const uint16_t joints[] = {1, 2, 3, 0, 1, 0};
    static const float weights[] = {0.5f, 0.5f, 1, 0, 0.75f, 0.25f};
    assert_int_equal(p->influence_count, 2);
    assert_int_equal(p->file_influence_count, 4);
    for (int k = 0; k < 6; k++) {
        assert_int_equal(p->joints[k], joints[k]);
        assert_same(p->weights[k], weights[k]);
    }
    sinew_document_destroy(d);
}

// At most so many influences a vertex: the largest of all sets, summing to 1 again
static void influences_are_reduced(void **state)
{
    (void)state;
    for (uint32_t most = 0; most <= 6; most++) {
        gltf_builder *b = gltf_builder_new();
        gltf_builder_floats(b, "VEC3", 2, (const float[6]){0});
        gltf_builder_bytes(b, "VEC4", 2, (const uint8_t[]){0, 1, 2, 3, 7, 0, 0, 0}, NULL);
        gltf_builder_floats(b, "VEC4", 2,
                            (const float[]){0.0625f, 0.25f, 0.125f, 0.125f, 1, 0, 0, 0});
        gltf_builder_bytes(b, "VEC4", 2, (const uint8_t[]){4, 0, 0, 0, 0, 0, 0, 0}, NULL);
        gltf_builder_floats(b, "VEC4", 2, (const float[]){0.4375f, 0, 0, 0, 0, 0, 0, 0});
        gltf_builder_add(b, "'meshes': [{'primitives': [{'attributes': {'POSITION': 0, 'JOINTS_0': "
                            "1, 'WEIGHTS_0': 2, 'JOINTS_1': 3, 'WEIGHTS_1': 4}}]}]");
        sinew_import_desc desc = sinew_import_desc_default();
        desc.max_influences = most;
        sinew_document *d;
        const char *text = gltf_builder_text(b);
        assert_ok(sinew_gltf_read(text, strlen(text), &desc, &d, NULL));
        const sinew_primitive *p = &d->meshes[0].primitives[0];
        // by falling weight, then joint: 4 (7/16), 1 (4/16), 2 and 3 (2/16), 0 (1/16)
        static const uint16_t joints[] = {4, 1, 2, 3, 0};
        static const float sixteenths[] = {7, 4, 2, 2, 1};
        uint32_t left = most == 0 || most > 5 ? 5 : most;
        float sum = 0;
        for (uint32_t k = 0; k < left; k++)
            sum += sixteenths[k];
        assert_int_equal(p->influence_count, left);
        assert_int_equal(p->file_influence_count, 5); // as the file has them
        for (uint32_t k = 0; k < left; k++) {
            assert_int_equal(p->joints[k], joints[k]);
            assert_near(p->weights[k], sixteenths[k] / sum, 1e-7);
        }
        assert_int_equal(p->joints[left], 7);
        assert_same(p->weights[left], 1);
        const sinew_finding *found =
            gltf_find(d, SINEW_INFLUENCES_REDUCED, "meshes[0].primitives[0].attributes.JOINTS_0");
        assert_int_equal(found != NULL, left < 5);
        if (found) {
            assert_int_equal(found->count, 1);
            assert_near(found->worst, 1 - sum / 16, 1e-7);
            assert_int_equal(found->severity, SINEW_SEVERITY_INFO);
        }
        sinew_document_destroy(d);
        gltf_builder_free(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loaded_files_are_shared),   cmocka_unit_test(repairs_are_made_in_copies),
        cmocka_unit_test(indices_in_place),          cmocka_unit_test(odd_layouts_are_copied),
        cmocka_unit_test(clips_keep_no_file),        cmocka_unit_test(both_ways_through_influences),
        cmocka_unit_test(rows_shrink_to_the_widest), cmocka_unit_test(influences_are_reduced),
    };
    return TEST_RUN(tests);
}
