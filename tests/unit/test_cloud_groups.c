// SPDX-License-Identifier: MIT
// Groups of clouds from files, on a chain of three joints j0, j1, j2.
#include <stdlib.h>
#include <string.h>

#include "sinew/cloud_groups.h"
#include "sinew/document.h"
#include "sinew_fixtures.h"
#include "support/test_main.h"

static sinew_skeleton *make_chain(void)
{
    sinew_document *document;
    sinew_skeleton *skeleton;
    assert_ok(sinew_fixture_chain(3, 1.0f, NULL, &document));
    assert_ok(sinew_document_rig_skeleton(document, 0, NULL, &skeleton, NULL));
    sinew_document_destroy(document);
    return skeleton;
}

static sinew_result read_groups(const sinew_skeleton *skeleton, const char *text,
                                const sinew_allocator *allocator, sinew_cloud_groups **out,
                                sinew_error *error)
{
    sinew_cloud_groups_desc desc = sinew_cloud_groups_desc_default();
    desc.text = text, desc.size = strlen(text), desc.file = "groups.json";
    desc.skeleton = skeleton;
    desc.point_count = 4;
    if (allocator)
        desc.allocator = *allocator;
    return sinew_cloud_groups_create(&desc, out, error);
}

static const char good[] = "{\"groups\": [[\"j2\", 0], [], [\"j1\"]], \"points\": [2, -1, 7]}";

static void a_file_is_read(void **state)
{
    (void)state;
    sinew_skeleton *skeleton = make_chain();
    sinew_cloud_groups *groups;
    assert_ok(read_groups(skeleton, good, NULL, &groups, NULL));
    sinew_cloud_groups_info info = sinew_cloud_groups_get_info(groups);
    assert_int_equal(info.group_count, 3);
    assert_int_equal(info.groups[0].joint_count, 2);
    assert_int_equal(info.groups[0].joints[0], 2);
    assert_int_equal(info.groups[0].joints[1], 0);
    assert_int_equal(info.groups[1].joint_count, 0);
    assert_int_equal(info.groups[2].joints[0], 1);
    assert_int_equal(info.listed_count, 3);
    const uint32_t points[4] = {2, SINEW_CLOUD_NO_GROUP, 7, SINEW_CLOUD_NO_GROUP};
    assert_memory_equal(info.points, points, sizeof points);

    // As the binding takes them: of points above j2 the one whose group is {j1} is bound to j1;
    // groups that are unknown or missing leave them to j2.
    const float at[12] = {0, 2.5f, 0, 0, 2.5f, 0, 0, 2.5f, 0, 0, 2.5f, 0};
    sinew_cloud_binding_desc desc = sinew_cloud_binding_desc_default();
    desc.skeleton = skeleton;
    desc.positions = at, desc.point_count = 4;
    desc.groups = info.groups, desc.group_count = info.group_count;
    desc.point_groups = info.points;
    sinew_cloud_binding *binding;
    assert_ok(sinew_cloud_binding_create(&desc, &binding, NULL));
    const uint16_t *dominant = sinew_cloud_binding_get_info(binding).dominant;
    assert_int_equal(dominant[0], 1);
    for (int p = 1; p < 4; p++)
        assert_int_equal(dominant[p], 2);
    sinew_cloud_binding_destroy(binding);
    sinew_cloud_groups_destroy(groups);

    assert_ok(read_groups(skeleton, "{\"groups\": []}", NULL, &groups, NULL));
    info = sinew_cloud_groups_get_info(groups);
    assert_true(!info.points && !info.group_count && !info.listed_count);
    sinew_cloud_groups_destroy(groups);
    assert_ok(read_groups(skeleton, "{\"groups\": [], \"points\": [null]}", NULL, &groups, NULL));
    assert_true(sinew_cloud_groups_get_info(groups).points[0] == SINEW_CLOUD_NO_GROUP);
    sinew_cloud_groups_destroy(groups);
    sinew_skeleton_destroy(skeleton);
}

static void faults_are_told_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        sinew_result code;
        unsigned column;
        const char *path, *says;
    } faults[] = {
        {"{\"groups\": [[]", SINEW_ERROR_JSON_SYNTAX, 15, "", ""},
        {"[]", SINEW_ERROR_JSON_TYPE, 1, "", "object"},
        {"{}", SINEW_ERROR_MISSING_PROPERTY, 1, "", "'groups'"},
        {"{\"group\": []}", SINEW_ERROR_INVALID_VALUE, 11, "group", "groups points"},
        {"{\"groups\": [1]}", SINEW_ERROR_JSON_TYPE, 13, "groups[0]", "array of joints"},
        {"{\"groups\": [[true]]}", SINEW_ERROR_JSON_TYPE, 14, "groups[0][0]", "joint"},
        {"{\"groups\": [[\"j3\"]]}", SINEW_ERROR_NOT_FOUND, 14, "groups[0][0]", "'j3'"},
        {"{\"groups\": [[\"j1\", 3]]}", SINEW_ERROR_NOT_FOUND, 20, "groups[0][1]", "has 3"},
        {"{\"groups\": [[0.5]]}", SINEW_ERROR_INVALID_VALUE, 14, "groups[0][0]", "whole"},
        {"{\"groups\": [], \"points\": [0.5]}", SINEW_ERROR_INVALID_VALUE, 27, "points[0]",
         "whole"},
        {"{\"groups\": [], \"points\": [-2]}", SINEW_ERROR_INVALID_VALUE, 27, "points[0]", "-1"},
        {"{\"groups\": [], \"points\": [\"a\"]}", SINEW_ERROR_JSON_TYPE, 27, "points[0]", "number"},
        {"{\"groups\": [], \"points\": [0,0,0,0,0]}", SINEW_ERROR_COUNT_MISMATCH, 26, "points",
         "has 4"},
    };
    sinew_skeleton *skeleton = make_chain();
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        sinew_cloud_groups *groups = (sinew_cloud_groups *)skeleton; // to be taken away
        sinew_error error;
        sinew_result result = read_groups(skeleton, faults[i].text, NULL, &groups, &error);
        if (result != faults[i].code || groups || error.line != 1 ||
            error.column != faults[i].column || strcmp(error.path, faults[i].path) != 0 ||
            !strstr(error.message, faults[i].says))
            fail_msg("%s: line %u, column %u, %s: %s", faults[i].text, error.line, error.column,
                     error.path, error.message);
        assert_string_equal(error.file, "groups.json");
    }
    sinew_cloud_groups *groups;
    assert_result(sinew_cloud_groups_create(NULL, &groups, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_cloud_groups_desc desc = sinew_cloud_groups_desc_default();
    assert_result(sinew_cloud_groups_create(&desc, &groups, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_skeleton_destroy(skeleton);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read),
        cmocka_unit_test(faults_are_told_with_their_place),
    };
    return TEST_RUN(tests);
}
