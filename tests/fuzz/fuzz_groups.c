// SPDX-License-Identifier: MIT
// Fuzz target: groups of clouds. What is read names joints and groups that there are, and binds a
// cloud of the creature's points by them; what is refused is refused with a code, a place and a
// sentence. Mutations are those of any JSON with one edit.
#undef NDEBUG
#include <assert.h>
#include <math.h>
#include <string.h>

#include "mutate_gltf.h"
#include "replay.h"
#include "sinew/cloud_groups.h"
#include "sinew/document.h"
#include "sinew_fixtures.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

enum { POINTS = 24 };

static sinew_skeleton *skeleton;
static float positions[POINTS * 3];

static void make_stage(void)
{
    sinew_document *creature;
    assert(sinew_fixture_creature(NULL, &creature) == SINEW_OK);
    assert(sinew_document_rig_skeleton(creature, 0, NULL, &skeleton, NULL) == SINEW_OK);
    sinew_document_destroy(creature);
    const sinew_mat4 *rest = sinew_skeleton_rest_model(skeleton);
    const uint32_t joints = sinew_skeleton_joint_count(skeleton);
    for (uint32_t p = 0; p < POINTS; p++)
        for (uint32_t c = 0; c < 3; c++)
            positions[3 * p + c] = rest[p % joints].m[12 + c] + 0.01f * (float)(c + 1);
}

static void bind(const sinew_cloud_groups_info *info)
{
    sinew_cloud_binding_desc desc = sinew_cloud_binding_desc_default();
    desc.skeleton = skeleton;
    desc.positions = positions, desc.point_count = POINTS;
    desc.groups = info->groups, desc.group_count = info->group_count;
    desc.point_groups = info->points;
    sinew_cloud_binding *binding = NULL;
    sinew_error error;
    const sinew_result result = sinew_cloud_binding_create(&desc, &binding, &error);
    assert(result == SINEW_OK && binding);
    sinew_cloud_binding_destroy(binding);
}

static void read_groups(const uint8_t *data, size_t size)
{
    if (!skeleton) // once: it is the same for all
        make_stage();
    sinew_cloud_groups_desc desc = sinew_cloud_groups_desc_default();
    desc.text = (const char *)data, desc.size = size, desc.file = "fuzz";
    desc.skeleton = skeleton, desc.point_count = POINTS;
    sinew_cloud_groups *groups = NULL;
    sinew_error error;
    const sinew_result result = sinew_cloud_groups_create(&desc, &groups, &error);
    if (result != SINEW_OK) {
        assert(!groups && error.code == result && error.message[0]);
        assert(error.offset <= size && error.line > 0 && error.column > 0);
        return;
    }
    const sinew_cloud_groups_info info = sinew_cloud_groups_get_info(groups);
    assert(info.listed_count <= POINTS && (info.points || info.listed_count == 0));
    for (uint32_t g = 0; g < info.group_count; g++)
        for (uint32_t j = 0; j < info.groups[g].joint_count; j++)
            assert(info.groups[g].joints[j] < sinew_skeleton_joint_count(skeleton));
    bind(&info);
    sinew_cloud_groups_destroy(groups);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_groups(data, size);
    return 0;
}

void fuzz_replay_more(const uint8_t *data, size_t size)
{
    fuzz_change_each(data, size, read_groups);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    return fuzz_mutate_mostly_gltf(data, size, max_size, seed);
}
