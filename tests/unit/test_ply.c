// SPDX-License-Identifier: MIT
// PLY files: what is read from each format and type, what is passed over, what comes back from what
// was written, and each fault with its place. Numbers are written down by hand.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extras/ply.h"
#include "support/test_main.h"

// In a block of exactly its size, so that a sanitizer sees the first byte read past it.
static sinew_result read_bytes(const void *bytes, size_t size, sinew_ply *out, sinew_error *error)
{
    void *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    sinew_result result = sinew_ply_read(copy, size, out, error);
    free(copy);
    return result;
}

static sinew_result read_text(const char *text, sinew_ply *out, sinew_error *error)
{
    return read_bytes(text, strlen(text), out, error);
}

// ---- Reading ------------------------------------------------------------------------------------

// Properties in no order, lists, other elements before and behind, comments, empty lines; bytes 0
// and 255 are 0 and 1 in light, a group below 0 is none.
static void ascii_is_read(void **state)
{
    (void)state;
    sinew_ply ply;
    assert_ok(read_text("ply\nformat ascii 1.0\ncomment made by hand\nobj_info none\n"
                        "element camera 1\nproperty list uchar float view\n"
                        "element vertex 2\nproperty uchar blue\nproperty double z\n"
                        "property list uchar int others\nproperty float x\nproperty short y\n"
                        "property uchar red\nproperty uchar green\nproperty float quality\n"
                        "property float nz\nproperty float nx\nproperty float ny\n"
                        "property char group\n"
                        "element face 2\nproperty list uchar int vertex_indices\n"
                        "end_header\n"
                        "4 1 2 3 4\n"
                        "255 0.5 2 7 8 -1.25 -3 0 255 9 1 0 0 -1\n\n"
                        "0  1e2\t0 2 4 255 0 9 0 0 1 5\n"
                        "3 0 1 0\n0",
                        &ply, NULL));
    assert_int_equal(ply.point_count, 2);
    const float positions[] = {-1.25f, -3.0f, 0.5f, 2.0f, 4.0f, 100.0f};
    const float normals[] = {0.0f, 0.0f, 1.0f, 0.0f, 1.0f, 0.0f};
    const float colors[] = {0.0f, 1.0f, 1.0f, 1.0f, 0.0f, 0.0f};
    assert_memory_equal(ply.positions, positions, sizeof positions);
    assert_memory_equal(ply.normals, normals, sizeof normals);
    assert_memory_equal(ply.colors, colors, sizeof colors);
    assert_int_equal(ply.groups[0], SINEW_PLY_NO_GROUP);
    assert_int_equal(ply.groups[1], 5);
    sinew_ply_destroy(&ply);
}

// One row of each type, little- and big-endian, behind a list of shorts that is passed over.
static void both_byte_orders_are_read(void **state)
{
    (void)state;
    static const uint8_t little[] = {2,    1,    1,    2,    2, // a list of two shorts
                                     0xFE, 0xFF,                // short -2
                                     0,    0,    0,    0xBF,    // float -0.5
                                     0,    0,    0,    0,    0, 0, 0xF4, 0x3F, // double 1.25
                                     0xFF, 0xFF, 0xFF, 0xFF};                  // int -1
    static const uint8_t big[] = {2,    1, 1, 2, 2, 0xFF, 0xFE, 0xBF, 0,    0,    0,   0x3F,
                                  0xF4, 0, 0, 0, 0, 0,    0,    0xFF, 0xFF, 0xFF, 0xFF};
    const float positions[] = {-2.0f, -0.5f, 1.25f};
    for (int order = 0; order < 2; order++) {
        char file[512];
        int size = snprintf(file, sizeof file,
                            "ply\r\nformat binary_%s_endian 1.0\r\nelement vertex 1\r\n"
                            "property list uint8 int16 skip\r\nproperty int16 x\r\n"
                            "property float32 y\r\nproperty float64 z\r\nproperty int32 group\r\n"
                            "end_header\r\n",
                            order ? "big" : "little");
        memcpy(file + size, order ? big : little, sizeof little);
        sinew_ply ply;
        assert_ok(read_bytes(file, (size_t)size + sizeof little, &ply, NULL));
        assert_int_equal(ply.point_count, 1);
        assert_memory_equal(ply.positions, positions, sizeof positions);
        assert_true(!ply.normals && !ply.colors);
        assert_int_equal(ply.groups[0], SINEW_PLY_NO_GROUP);
        sinew_ply_destroy(&ply);
    }
}

// Lines that end in CR alone; the first byte of the data is LF, which is no other half of an end.
static void the_first_line_says_how_lines_end(void **state)
{
    (void)state;
    static const char file[] = "ply\rformat binary_little_endian 1.0\relement vertex 1\r"
                               "property uchar x\rproperty uchar y\rproperty char z\rend_header\r"
                               "\n\x80\x80";
    sinew_ply ply;
    assert_ok(read_bytes(file, sizeof file - 1, &ply, NULL));
    assert_true(ply.positions[0] == 10.0f && ply.positions[1] == 128.0f &&
                ply.positions[2] == -128.0f);
    sinew_ply_destroy(&ply);
}

// Colours of other types: a half is the light of the byte 127.5, and 0xFFFF is 1. sRGB of 0.5 is
// ((0.5 + 0.055) / 1.055)^2.4 = 0.21404.
static void colors_of_all_types_are_light(void **state)
{
    (void)state;
    sinew_ply ply;
    assert_ok(read_text("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\n"
                        "property float y\nproperty float z\nproperty double red\n"
                        "property ushort green\nproperty float blue\nend_header\n"
                        "0 0 0 0.5 65535 1.5\n",
                        &ply, NULL));
    assert_near(ply.colors[0], 0.21404, 2e-5); // a chord of the curve between two bytes
    assert_true(ply.colors[1] == 1.0f && ply.colors[2] == 1.0f);
    sinew_ply_destroy(&ply);
}

static void nothing_is_a_cloud(void **state)
{
    (void)state;
    sinew_ply ply;
    assert_ok(read_text("ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\n"
                        "property float y\nproperty float z\nend_header\n",
                        &ply, NULL));
    assert_int_equal(ply.point_count, 0);
    sinew_ply_destroy(&ply);
    sinew_ply_destroy(&ply);
}

// ---- Faults -------------------------------------------------------------------------------------

#define HEAD "ply\nformat ascii 1.0\nelement vertex 2\n"
#define XYZ "property float x\nproperty float y\nproperty float z\n"

typedef struct fault {
    const char *text;
    sinew_result code;
    unsigned line, column;
    const char *says;
} fault;

static const fault faults[] = {
    {"", SINEW_ERROR_FORMAT_UNKNOWN, 1, 1, "'ply'"},
    {"plywood\n", SINEW_ERROR_FORMAT_UNKNOWN, 1, 1, "'ply'"},
    {"ply\n", SINEW_ERROR_BUFFER_RANGE, 2, 1, "end_header"},
    {"ply\nformat\n", SINEW_ERROR_INVALID_VALUE, 2, 7, "ascii"},
    {"ply\nformat text 1.0\n", SINEW_ERROR_INVALID_VALUE, 2, 8, "'text'"},
    {"ply\nformat ascii 1.1\n", SINEW_ERROR_VERSION, 2, 14, "'1.1'"},
    {"ply\nformat ascii 1.0 x\n", SINEW_ERROR_INVALID_VALUE, 2, 18, "'x' behind"},
    {"ply\nformat ascii 1.0\nformat ascii 1.0\n", SINEW_ERROR_NAME_TAKEN, 3, 8, "second"},
    {"ply\nelement vertex 0\n" XYZ "end_header\n", SINEW_ERROR_MISSING_PROPERTY, 6, 1, "format"},
    {"ply\nformat ascii 1.0\nend_header\n", SINEW_ERROR_MISSING_PROPERTY, 3, 1, "vertex"},
    {"ply\nverse 1\n", SINEW_ERROR_INVALID_VALUE, 2, 1, "'verse'"},
    {"ply\nproperty float x\n", SINEW_ERROR_INVALID_VALUE, 2, 1, "before any element"},
    {"ply\nelement vertex -1\n", SINEW_ERROR_INVALID_VALUE, 2, 16, "'-1'"},
    {"ply\nelement vertex 99999999999999999999\n", SINEW_ERROR_LIMIT_EXCEEDED, 2, 16, "999"},
    {"ply\nelement vertex 4294967296\n", SINEW_ERROR_LIMIT_EXCEEDED, 2, 16, "4294967295"},
    {"ply\nelement a 1\nelement a 1\n", SINEW_ERROR_NAME_TAKEN, 3, 9, "'a'"},
    {HEAD "property real x\n", SINEW_ERROR_INVALID_VALUE, 4, 10, "'real'"},
    {HEAD "property list float int a\n", SINEW_ERROR_INVALID_VALUE, 4, 10, "float"},
    {HEAD XYZ "property float y\n", SINEW_ERROR_NAME_TAKEN, 7, 16, "'y'"},
    {HEAD "property list uchar float x\n", SINEW_ERROR_INVALID_VALUE, 4, 27, "list"},
    {HEAD "property float group\n", SINEW_ERROR_INVALID_VALUE, 4, 16, "whole"},
    {HEAD "property int red\n", SINEW_ERROR_INVALID_VALUE, 4, 14, "uchar"},
    {HEAD "property float x\nproperty float y\nend_header\n", SINEW_ERROR_MISSING_PROPERTY, 6, 1,
     "'z'"},
    {HEAD XYZ "property float nx\nend_header\n0 0 0 0\n0 0 0 0\n", SINEW_ERROR_MISSING_PROPERTY, 8,
     1, "'ny'"},
    {HEAD XYZ "end_header\n1 2 3\n", SINEW_ERROR_BUFFER_RANGE, 8, 1, "2 rows"},
    {HEAD XYZ "end_header\n1.2345 2 3\n4 5\n", SINEW_ERROR_BUFFER_RANGE, 9, 4, "'z' of row 1"},
    {HEAD XYZ "end_header\n1.2345 2 3\n\n\n\n", SINEW_ERROR_BUFFER_RANGE, 12, 1, "row 1 of 2"},
    {HEAD XYZ "end_header\n1 2 3 4\n5 6 7\n", SINEW_ERROR_INVALID_VALUE, 8, 7, "too many"},
    {HEAD XYZ "end_header\n1 2 x\n5 6 7\n", SINEW_ERROR_INVALID_VALUE, 8, 5, "'x'"},
    {HEAD XYZ "end_header\n1 2 0x10\n5 6 7\n", SINEW_ERROR_INVALID_VALUE, 8, 5, "0x10"},
    {HEAD XYZ "end_header\n1 2 3\n5 nan 7\n", SINEW_ERROR_NOT_FINITE, 9, 3, "'y' of vertex 1"},
    {HEAD XYZ "end_header\n1 2 3\n5 6 1e39\n", SINEW_ERROR_NOT_FINITE, 9, 5, "past"},
    {HEAD XYZ "property uchar group\nend_header\n1 2 3 256\n1 2 3 0\n", SINEW_ERROR_INVALID_VALUE,
     9, 7, "from 0 to 255"},
    {HEAD XYZ "property int group\nend_header\n1 2 3 0\n1 2 3 0.5\n", SINEW_ERROR_INVALID_VALUE, 10,
     7, "'0.5'"},
    {HEAD XYZ "property list char int a\nend_header\n1 2 3 -1\n1 2 3 0\n",
     SINEW_ERROR_INVALID_VALUE, 9, 7, "list of -1"},
    {HEAD XYZ "property list char int a\nend_header\n1 2 3 2 8\n1 2 3 0\n",
     SINEW_ERROR_BUFFER_RANGE, 9, 10, "'a' of row 0"},
};

static void faults_have_their_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        sinew_ply ply;
        sinew_error error;
        sinew_result result = read_text(faults[i].text, &ply, &error);
        if (result != faults[i].code || error.line != faults[i].line ||
            error.column != faults[i].column || !strstr(error.message, faults[i].says))
            fail_msg("%s\nline %u, column %u: %s: %s", faults[i].text, error.line, error.column,
                     sinew_result_word(result), error.message);
        assert_true(!ply.positions && !ply.point_count && error.code == result);
    }
}

// In binary data the byte is told.
static void binary_faults_have_their_byte(void **state)
{
    (void)state;
    static const char head[] = "ply\nformat binary_little_endian 1.0\nelement vertex 1\n"
                               "property float x\nproperty float y\nproperty float z\nend_header\n";
    const size_t size = sizeof head - 1;
    char file[256] = {0};
    memcpy(file, head, size);
    sinew_ply ply;
    sinew_error error;
    assert_result(read_bytes(file, size + 11, &ply, &error), SINEW_ERROR_BUFFER_RANGE);
    assert_true(error.offset == size && error.line == 0 && strstr(error.message, "12 bytes"));
    assert_result(read_bytes(file, size + 13, &ply, &error), SINEW_ERROR_INVALID_VALUE);
    assert_true(error.offset == size + 12 && strstr(error.message, "1 bytes behind"));
    const float bad = INFINITY;
    memcpy(file + size + 4, &bad, sizeof bad);
    assert_result(read_bytes(file, size + 12, &ply, &error), SINEW_ERROR_NOT_FINITE);
    assert_true(error.offset == size + 4 && strstr(error.message, "'y' of vertex 0"));
}

// What a header claims costs nothing: four thousand million points in a file of no bytes.
static void claims_of_a_header_are_bounded(void **state)
{
    (void)state;
    sinew_ply ply;
    sinew_error error;
    assert_result(read_text("ply\nformat binary_big_endian 1.0\nelement vertex 4294967295\n" XYZ
                            "end_header\n",
                            &ply, &error),
                  SINEW_ERROR_BUFFER_RANGE);
    assert_result(read_text("ply\nformat binary_big_endian 1.0\nelement a 18446744073709551609\n"
                            "property uchar a\nelement vertex 0\n" XYZ "end_header\n",
                            &ply, &error),
                  SINEW_ERROR_BUFFER_RANGE);
    // rows of nothing take no place
    assert_ok(read_text("ply\nformat ascii 1.0\nelement a 18446744073709551609\n"
                        "element vertex 0\n" XYZ "end_header\n",
                        &ply, &error));
    sinew_ply_destroy(&ply);
}

// ---- Writing ------------------------------------------------------------------------------------

static void what_is_written_reads_back(void **state)
{
    (void)state;
    const float positions[] = {0.1f, -0.0f, 1e-40f, 3.40282347e38f, 1.0f / 3.0f, -7.0f};
    const float normals[] = {0.0f, 1.0f, 0.0f, 0.6f, 0.8f, -0.0f};
    const float colors[] = {0.0f, 0.2f, 1.0f, 0.5f, 0.0001f, 0.9f};
    const uint32_t groups[] = {7, UINT32_MAX};
    const uint16_t joints[] = {0, 3, 65534, 1};
    const float weights[] = {0.75f, 0.25f, 1.0f, 0.0f};
    const char *const comments[] = {"two points", "a\nb"};
    sinew_ply_content content = {.point_count = 2,
                                 .positions = positions,
                                 .normals = normals,
                                 .colors = colors,
                                 .groups = groups,
                                 .joints = joints,
                                 .weights = weights,
                                 .influence_count = 2,
                                 .comments = comments,
                                 .comment_count = 2};
    sinew_ply ply[2];
    for (int ascii = 0; ascii < 2; ascii++) {
        uint8_t *bytes;
        size_t size;
        sinew_error error;
        content.ascii = ascii;
        assert_ok(sinew_ply_encode(&content, &bytes, &size));
        assert_ok(read_bytes(bytes, size, &ply[ascii], &error));
        if (ascii) {
            bytes = realloc(bytes, size + 1);
            assert_non_null(bytes);
            bytes[size] = '\0';
            assert_non_null(strstr((const char *)bytes, "comment a?b\n"));
            assert_non_null(strstr((const char *)bytes, " 7 0 0.75 3 0.25\n"));
        }
        free(bytes);
        assert_memory_equal(ply[ascii].positions, positions, sizeof positions);
        assert_memory_equal(ply[ascii].normals, normals, sizeof normals);
        assert_memory_equal(ply[ascii].groups, groups, sizeof groups);
        for (int i = 0; i < 6; i++) // the nearest of 256 steps, wider where it is light
            assert_near(ply[ascii].colors[i], colors[i], 0.0045);
    }
    assert_memory_equal(ply[0].colors, ply[1].colors, sizeof colors);
    // bytes of colours come back as they were
    uint8_t *bytes;
    size_t size;
    content.colors = ply[0].colors;
    sinew_ply again;
    assert_ok(sinew_ply_encode(&content, &bytes, &size));
    assert_ok(read_bytes(bytes, size, &again, NULL));
    assert_memory_equal(ply[0].colors, again.colors, sizeof colors);
    free(bytes);
    sinew_ply_destroy(&again);
    sinew_ply_destroy(&ply[0]);
    sinew_ply_destroy(&ply[1]);
}

static void writing_checks_what_it_gets(void **state)
{
    (void)state;
    uint8_t *bytes;
    size_t size;
    const float positions[3] = {0};
    assert_result(sinew_ply_encode(&(sinew_ply_content){.point_count = 1}, &bytes, &size),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(
        sinew_ply_encode(
            &(sinew_ply_content){.point_count = 1, .positions = positions, .influence_count = 1},
            &bytes, &size),
        SINEW_ERROR_INVALID_ARGUMENT);
    assert_null(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ascii_is_read),
        cmocka_unit_test(both_byte_orders_are_read),
        cmocka_unit_test(the_first_line_says_how_lines_end),
        cmocka_unit_test(colors_of_all_types_are_light),
        cmocka_unit_test(nothing_is_a_cloud),
        cmocka_unit_test(faults_have_their_place),
        cmocka_unit_test(binary_faults_have_their_byte),
        cmocka_unit_test(claims_of_a_header_are_bounded),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(writing_checks_what_it_gets),
    };
    return TEST_RUN(tests);
}
