// SPDX-License-Identifier: MIT
// What import does where the world fails it: files that end too early, memory that runs out at each
// single allocation, and files that cannot be opened, measured or read at each single call. The
// answer is an error (or, for an image, a finding), with nothing left behind, nothing leaked, and
// each file closed that was opened.
#include "../support/gltf_builder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/counting_allocator.h"

enum { CUTS = 50, MAX_PATH = 512, MAX_OPENED = 64, MAX_NAME = 256 };

// ---- Files that fail on demand ----------------------------------------------------------------------------

typedef enum disk_fault {
    FAULT_NONE,
    FAULT_OPEN,         // NULL
    FAULT_SIZE,         // UINT64_MAX
    FAULT_SIZE_SMALLER, // a byte less than there are
    FAULT_SIZE_LARGER,  // a byte more
    FAULT_SIZE_NOTHING, // 0
    FAULT_SIZE_HUGE,    // beyond every limit
    FAULT_READ_SHORT,   // a byte less than asked
    FAULT_READ_NOTHING, // 0
    FAULT_COUNT
} disk_fault;

typedef struct disk_file {
    uint8_t *bytes;
    size_t size;
    bool open;
} disk_file;

/// A folder, read through callbacks. The first URI is the document's own path, whole.
typedef struct disk {
    const char *path; // of the document
    size_t folder_size;
    disk_fault fault;
    uint32_t fault_at; // the call of this number (from 1) to the callback that the fault concerns
    const char *cut_uri;
    size_t cut_size;     // this file ends here
    uint32_t call_count; // of that callback
    char failed_uri[MAX_NAME];
    char opened[MAX_OPENED][MAX_NAME]; // URIs in the order of opening
    uint32_t opened_count, closed_count, fault_count;
    disk_file files[MAX_OPENED]; // beside `opened`
} disk;

static uint8_t *read_whole(const char *path, size_t *out_size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(size > 0 ? (size_t)size : 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)size, file), size);
    fclose(file);
    *out_size = (size_t)size;
    return bytes;
}

// Whether this call is the one that fails.
static bool fails_now(disk *d, disk_fault first, disk_fault last, const char *uri)
{
    if (d->fault < first || d->fault > last || ++d->call_count != d->fault_at)
        return false;
    snprintf(d->failed_uri, sizeof d->failed_uri, "%s", uri);
    return true;
}

static void *disk_open(void *user, const char *uri)
{
    disk *d = user;
    if (fails_now(d, FAULT_OPEN, FAULT_OPEN, uri))
        return NULL;
    char path[2 * MAX_PATH];
    bool own = strcmp(uri, d->path) == 0;
    snprintf(path, sizeof path, "%.*s%s", own ? 0 : (int)d->folder_size, d->path, uri);
    assert_true(d->opened_count < MAX_OPENED);
    disk_file *file = &d->files[d->opened_count];
    file->bytes = read_whole(path, &file->size);
    if (!file->bytes)
        return NULL;
    if (d->cut_uri && strcmp(uri, d->cut_uri) == 0)
        file->size = d->cut_size;
    file->open = true;
    snprintf(d->opened[d->opened_count++], MAX_NAME, "%s", uri);
    return file;
}

static const char *uri_of(const disk *d, const disk_file *file)
{
    return d->opened[file - d->files];
}

static uint64_t disk_size(void *user, void *handle)
{
    disk *d = user;
    disk_file *file = handle;
    d->fault_count += !file->open;
    if (!fails_now(d, FAULT_SIZE, FAULT_SIZE_HUGE, uri_of(d, file)))
        return file->size;
    switch (d->fault) {
    case FAULT_SIZE_SMALLER:
        return file->size - 1;
    case FAULT_SIZE_LARGER:
        return file->size + 1;
    case FAULT_SIZE_NOTHING:
        return 0;
    case FAULT_SIZE_HUGE:
        return UINT64_MAX - 1;
    default:
        return UINT64_MAX;
    }
}

static size_t disk_read(void *user, void *handle, uint64_t offset, void *out, size_t size)
{
    disk *d = user;
    disk_file *file = handle;
    d->fault_count += !file->open;
    if (offset > file->size)
        return 0;
    size_t left = file->size - (size_t)offset;
    size = size < left ? size : left;
    if (fails_now(d, FAULT_READ_SHORT, FAULT_READ_NOTHING, uri_of(d, file)))
        size = d->fault == FAULT_READ_NOTHING || size == 0 ? 0 : size - 1;
    if (size)
        memcpy(out, file->bytes + offset, size);
    return size;
}

static void disk_close(void *user, void *handle)
{
    disk *d = user;
    disk_file *file = handle;
    d->fault_count += !file->open; // closed twice
    file->open = false;
    d->closed_count++;
}

static disk disk_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    disk d;
    memset(&d, 0, sizeof d);
    d.path = path;
    d.folder_size = slash ? (size_t)(slash - path) + 1 : 0;
    return d;
}

// Loads the document; every file that was opened must have been closed, once.
static sinew_result disk_load(disk *d, bool skip_images, counting_allocator *counter,
                              sinew_document **out, sinew_error *error)
{
    sinew_file_io io = {disk_open, disk_size, disk_read, disk_close, d};
    sinew_import_desc desc = sinew_import_desc_default();
    desc.io = &io;
    desc.skip_images = skip_images;
    if (counter)
        desc.allocator = counting_allocator_use(counter);
    sinew_result result = sinew_gltf_load(d->path, &desc, out, error);
    for (uint32_t i = 0; i < d->opened_count; i++)
        free(d->files[i].bytes);
    assert_int_equal(d->closed_count, d->opened_count);
    assert_int_equal(d->fault_count, 0);
    return result;
}

// What every error must have.
static void check_error(sinew_result result, const sinew_document *document,
                        const sinew_error *error, const char *file)
{
    assert_int_not_equal(result, SINEW_OK);
    assert_null(document);
    assert_result(error->code, result);
    assert_string_equal(error->file, file);
    assert_true(error->message[0] != '\0');
}

static const char *data_folder(const char *below)
{
    static char folder[MAX_PATH];
    const char *data = getenv("SINEW_TEST_DATA");
    snprintf(folder, sizeof folder, "%s/data/%s", data ? data : "", below);
    DIR *dir = data ? opendir(folder) : NULL;
    if (!dir)
        return NULL;
    closedir(dir);
    return folder;
}

// ---- Files that end too early -----------------------------------------------------------------------------

static uint32_t le32(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void put_le32(uint8_t *p, uint32_t v)
{
    for (int k = 0; k < 4; k++)
        p[k] = (uint8_t)(v >> 8 * k);
}

// Reads the first `size` bytes as a document beside its other files; in a block of that size, so
// that a sanitizer sees the first byte read behind it. `mended`: the lengths in the GLB's header
// and chunks say what is left, so that the cut shows only in what is inside.
static sinew_result read_cut(disk *d, const uint8_t *bytes, size_t size, bool mended)
{
    uint8_t *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    if (mended) {
        put_le32(copy + 8, (uint32_t)size);
        uint32_t json_size = le32(bytes + 12);
        if (20 + (size_t)json_size >= size)
            put_le32(copy + 12, (uint32_t)size - 20);
        else if (28 + (size_t)json_size < size)
            put_le32(copy + 20 + json_size, (uint32_t)(size - 28 - json_size));
    }
    counting_allocator counter = {0};
    sinew_file_io io = {disk_open, disk_size, disk_read, disk_close, d};
    sinew_import_desc desc = sinew_import_desc_default();
    desc.io = &io;
    desc.file_name = "cut";
    desc.skip_images = true;
    desc.allocator = counting_allocator_use(&counter);
    sinew_document *document;
    sinew_error error;
    sinew_result result = sinew_gltf_read(copy, size, &desc, &document, &error);
    free(copy);
    for (uint32_t i = 0; i < d->opened_count; i++)
        free(d->files[i].bytes);
    assert_int_equal(d->closed_count, d->opened_count);
    if (result == SINEW_OK)
        sinew_document_destroy(document);
    else
        check_error(result, document, &error, "cut");
    assert_int_equal(counter.live_count, 0);
    assert_int_equal(counter.fault_count, 0);
    return result;
}

// How many bytes of a document it cannot do without.
static size_t needed_size(const uint8_t *bytes, size_t size)
{
    if (size >= 12 && memcmp(bytes, "glTF", 4) == 0)
        return le32(bytes + 8);
    while (size && strchr(" \t\r\n", bytes[size - 1]))
        size--;
    return size;
}

typedef struct cut_counts {
    uint32_t documents, cuts, buffers;
} cut_counts;

static void cut_document(const char *path, cut_counts *counts)
{
    disk sound = disk_of(path);
    sinew_document *document = NULL;
    sinew_error error;
    if (disk_load(&sound, true, NULL, &document, &error) != SINEW_OK)
        return;
    sinew_document_destroy(document);
    counts->documents++;
    size_t size;
    uint8_t *bytes = read_whole(path, &size);
    assert_non_null(bytes);
    size_t needed = needed_size(bytes, size);
    for (size_t k = 0; k < CUTS; k++) {
        size_t cut = size * k / CUTS;
        disk d = disk_of(path);
        sinew_result result = read_cut(&d, bytes, cut, false);
        if ((result == SINEW_OK) != (cut >= needed)) {
            print_error("%s cut at %zu of %zu: %s\n", path, cut, size, sinew_result_word(result));
            fail();
        }
        counts->cuts++;
        cut = cut / 4 * 4;
        if (memcmp(bytes, "glTF", 4) == 0 && cut >= 24 && cut + 4 < needed) {
            d = disk_of(path);
            if (read_cut(&d, bytes, cut, true) == SINEW_OK) {
                print_error("%s cut and mended at %zu of %zu is read\n", path, cut, size);
                fail();
            }
            counts->cuts++;
        }
    }
    free(bytes);
    for (uint32_t i = 1; i < sound.opened_count; i++) {
        char beside[2 * MAX_PATH];
        snprintf(beside, sizeof beside, "%.*s%s", (int)sound.folder_size, path, sound.opened[i]);
        bytes = read_whole(beside, &size);
        assert_non_null(bytes);
        free(bytes);
        counts->buffers++;
        for (size_t k = 0; k < CUTS; k++) {
            counting_allocator counter = {0};
            disk d = disk_of(path);
            d.cut_uri = sound.opened[i];
            d.cut_size = size * k / CUTS;
            sinew_result result = disk_load(&d, true, &counter, &document, &error);
            if (result == SINEW_OK) {
                print_error("%s with %s cut at %zu of %zu is read\n", path, d.cut_uri, d.cut_size,
                            size);
                fail();
            }
            check_error(result, document, &error, path);
            assert_result(result, SINEW_ERROR_BUFFER_RANGE);
            assert_int_equal(counter.live_count, 0);
            counts->cuts++;
        }
    }
}

static void cut_folder(const char *folder, cut_counts *counts)
{
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        char path[MAX_PATH];
        if (entry->d_name[0] == '.' ||
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= MAX_PATH)
            continue;
        const char *dot = strrchr(entry->d_name, '.');
        DIR *below = opendir(path);
        if (below) {
            closedir(below);
            cut_folder(path, counts);
        } else if (dot && (strcmp(dot, ".gltf") == 0 || strcmp(dot, ".glb") == 0 ||
                           strncmp(dot, ".vrm", 4) == 0)) {
            cut_document(path, counts);
        }
    }
    closedir(dir);
}

static void every_cut_is_an_error(void **state)
{
    (void)state;
    static const char *const folders[] = {"gltf", "bad"};
    for (int i = 0; i < 2; i++) {
        const char *folder = data_folder(folders[i]);
        if (!folder)
            skip();
        cut_counts counts = {0};
        cut_folder(folder, &counts);
        print_message("%s: %u documents and %u buffers beside them, %u cuts\n", folders[i],
                      counts.documents, counts.buffers, counts.cuts);
        assert_true(counts.documents >= (i ? 20 : 100));
    }
}

// ---- Ten files at which everything fails once --------------------------------------------------------------

static const char *const ten_files[] = {
    "Fox/Fox.glb",                                              // all in one file
    "Fox_meshopt_fallback/Fox_meshopt_fallback.gltf",           // two buffers, one a fallback
    "BlenderIO/24_animation_pointer/24_animation_pointer.gltf", // two buffers, six images, pointers
    "MorphPrimitivesTest/MorphPrimitivesTest.gltf",             // morph targets, an image
    "SimpleSparseAccessor/SimpleSparseAccessor.gltf",           // sparse, a data URI
    "VRM0_cryptovoxels/cryptovoxels.vrm",                       // many extensions
    "VRMA_test/test.vrma",                                      // a clip without meshes
    "magnum_skin_shared/skin.gltf",                             // several skins
    "InterpolationTest/InterpolationTest.gltf",                 // LINEAR, STEP, CUBICSPLINE
    "Kenney_character/character.glb",                           // an image in a folder of its own
};
enum { TEN = sizeof ten_files / sizeof *ten_files };

static void ten_path(char *path, int i)
{
    const char *folder = data_folder("gltf");
    if (!folder)
        skip();
    assert_true(snprintf(path, MAX_PATH, "%s/%s", folder, ten_files[i]) < MAX_PATH);
}

static bool is_image(const sinew_document *sound, const char *uri)
{
    for (uint32_t i = 0; i < sound->image_count; i++)
        if (sound->images[i].uri && strcmp(sound->images[i].uri, uri) == 0)
            return true;
    return false;
}

// The load must run with the n-th allocation failing, for n = 1, 2, ... until n is beyond them all.
// `alone`: that allocation fails, and later ones would not; else all later ones do too.
static uint32_t fail_allocations(const char *path, bool through_callbacks, bool alone)
{
    for (uint32_t n = 1;; n++) {
        counting_allocator counter = {.fail_at = n, .fail_after = !alone};
        sinew_document *document;
        sinew_error error;
        sinew_result result;
        if (through_callbacks) {
            disk d = disk_of(path);
            result = disk_load(&d, false, &counter, &document, &error);
        } else {
            sinew_import_desc desc = sinew_import_desc_default();
            desc.allocator = counting_allocator_use(&counter);
            result = sinew_gltf_load(path, &desc, &document, &error);
        }
        bool beyond = counter.call_count < n;
        if (result != SINEW_OK) {
            check_error(result, document, &error, path);
            // without callbacks of ours, opening a file allocates its path
            if (result != SINEW_ERROR_OUT_OF_MEMORY &&
                (through_callbacks ||
                 (result != SINEW_ERROR_IO && result != SINEW_ERROR_FILE_MISSING))) {
                print_error("%s, allocation %u: %s\n", path, n, sinew_result_word(result));
                fail();
            }
        } else if (!beyond) { // an image whose file could not be opened: nothing else may be lost
            assert_false(through_callbacks);
            assert_non_null(gltf_find(document, SINEW_IMAGE_MISSING, NULL));
        }
        assert_true(result == SINEW_OK || !beyond);
        sinew_document_destroy(document);
        assert_int_equal(counter.live_count, 0);
        assert_int_equal(counter.live_size, 0);
        assert_int_equal(counter.fault_count, 0);
        if (beyond)
            return n - 1;
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    uint32_t all = 0;
    for (int i = 0; i < TEN; i++) {
        char path[MAX_PATH];
        ten_path(path, i);
        uint32_t count = fail_allocations(path, true, true);
        assert_true(count > 3);
        assert_int_equal(fail_allocations(path, true, false), count);
        fail_allocations(path, false, true);
        print_message("%4u allocations: %s\n", count, ten_files[i]);
        all += count;
    }
    assert_true(all > 100);
}

// Every limit of memory up to the one that is enough, a small step apart: with a small limit each
// allocation out of an arena may be the one that no longer fits.
static void every_limit_of_memory(void **state)
{
    (void)state;
    static const int small_ones[] = {4, 6, 7, 8};
    for (size_t k = 0; k < sizeof small_ones / sizeof *small_ones; k++) {
        char path[MAX_PATH];
        ten_path(path, small_ones[k]);
        size_t size;
        uint8_t *bytes = read_whole(path, &size);
        assert_non_null(bytes);
        uint32_t refused = 0;
        for (uint64_t limit = 1;; limit += 40 + limit / 256) {
            counting_allocator counter = {0};
            disk d = disk_of(path);
            sinew_file_io io = {disk_open, disk_size, disk_read, disk_close, &d};
            sinew_import_desc desc = sinew_import_desc_default();
            desc.limits.memory = limit;
            desc.io = &io;
            desc.file_name = "small";
            desc.allocator = counting_allocator_use(&counter);
            sinew_document *document;
            sinew_error error;
            sinew_result result = sinew_gltf_read(bytes, size, &desc, &document, &error);
            for (uint32_t i = 0; i < d.opened_count; i++)
                free(d.files[i].bytes);
            assert_int_equal(d.closed_count, d.opened_count);
            if (result != SINEW_OK) {
                check_error(result, document, &error, "small");
                assert_result(result, SINEW_ERROR_LIMIT_EXCEEDED);
                refused++;
            }
            sinew_document_destroy(document);
            assert_int_equal(counter.live_count, 0);
            assert_int_equal(counter.fault_count, 0);
            if (result == SINEW_OK)
                break;
        }
        free(bytes);
        assert_true(refused > 100);
    }
}

// The answer to a call that failed for a file: `main_file`, else an image, else a buffer.
static void check_answer(const disk *d, bool main_file, bool image, sinew_result result,
                         const sinew_document *document)
{
    switch (d->fault) {
    case FAULT_SIZE_HUGE:
        assert_true(result == SINEW_ERROR_LIMIT_EXCEEDED ||
                    (main_file && result == SINEW_ERROR_IO)); // more than memory can hold
        break;
    case FAULT_SIZE_SMALLER: // an image is opaque; all else is cut
    case FAULT_SIZE_NOTHING:
        if (image)
            assert_ok(result);
        else if (!main_file)
            assert_result(result, SINEW_ERROR_BUFFER_RANGE);
        else // the last byte of a text may be the end of a line
            assert_true(result != SINEW_OK || d->fault == FAULT_SIZE_SMALLER);
        break;
    default:
        assert_result(result, main_file ? SINEW_ERROR_IO
                              : image   ? SINEW_OK
                                        : SINEW_ERROR_FILE_MISSING);
        if (image) {
            const sinew_finding *missing = gltf_find(document, SINEW_IMAGE_MISSING, NULL);
            assert_non_null(missing);
            assert_non_null(strstr(missing->message, d->failed_uri));
        }
    }
}

static void every_callback_may_fail(void **state)
{
    (void)state;
    uint32_t calls = 0;
    for (int i = 0; i < TEN; i++) {
        char path[MAX_PATH];
        ten_path(path, i);
        disk plain = disk_of(path);
        sinew_document *sound;
        sinew_error error;
        assert_ok(disk_load(&plain, false, NULL, &sound, &error));
        assert_int_equal(gltf_count(sound, SINEW_IMAGE_MISSING), 0);
        for (int fault = FAULT_OPEN; fault < FAULT_COUNT; fault++)
            for (uint32_t n = 1;; n++) {
                counting_allocator counter = {0};
                disk d = disk_of(path);
                d.fault = (disk_fault)fault;
                d.fault_at = n;
                sinew_document *document;
                sinew_result result = disk_load(&d, false, &counter, &document, &error);
                bool beyond = !d.failed_uri[0], main_file = strcmp(d.failed_uri, path) == 0;
                if (result != SINEW_OK)
                    check_error(result, document, &error, path);
                if (beyond)
                    assert_ok(result);
                else
                    check_answer(&d, main_file, is_image(sound, d.failed_uri), result, document);
                sinew_document_destroy(document);
                assert_int_equal(counter.live_count, 0);
                assert_int_equal(counter.fault_count, 0);
                if (beyond) {
                    assert_int_equal(n - 1, plain.opened_count); // each file is asked once
                    break;
                }
                calls++;
            }
        sinew_document_destroy(sound);
    }
    print_message("%u calls failed\n", calls);
    assert_true(calls >= 10 * (FAULT_COUNT - 1));
}

static void callbacks_must_be_there(void **state)
{
    (void)state;
    disk d = disk_of("none");
    const sinew_file_io whole = {disk_open, disk_size, disk_read, disk_close, &d};
    for (int missing = 0; missing < 3; missing++) {
        sinew_file_io io = whole;
        if (missing == 0)
            io.open = NULL;
        else if (missing == 1)
            io.size = NULL;
        else
            io.read = NULL;
        sinew_import_desc desc = sinew_import_desc_default();
        desc.io = &io;
        sinew_document *document;
        sinew_error error;
        sinew_result result = sinew_gltf_load("none", &desc, &document, &error);
        check_error(result, document, &error, "none");
        assert_result(result, SINEW_ERROR_INVALID_ARGUMENT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cut_is_an_error),   cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(every_limit_of_memory),   cmocka_unit_test(every_callback_may_fail),
        cmocka_unit_test(callbacks_must_be_there),
    };
    return TEST_RUN(tests);
}
