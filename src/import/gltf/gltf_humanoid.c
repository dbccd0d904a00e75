// SPDX-License-Identifier: MIT
// Which node is which bone of a humanoid: VRM 0.x (extension VRM), VRM 1.0 (VRMC_vrm) and VRM
// animations (VRMC_vrm_animation). Names are given as VRM 1.0 has them, so that a motion and an
// avatar of another version meet.
#include <string.h>

#include "import/gltf/gltf_internal.h"

// VRM 0.x calls the metacarpal of a thumb its proximal joint, and so on (VRM 1.0, "Humanoid",
// differences from 0.x).
static const char *name_of_vrm1(const char *name)
{
    static const char *const renamed[][2] = {
        {"leftThumbProximal", "leftThumbMetacarpal"},
        {"leftThumbIntermediate", "leftThumbProximal"},
        {"rightThumbProximal", "rightThumbMetacarpal"},
        {"rightThumbIntermediate", "rightThumbProximal"},
    };
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
        if (strcmp(name, renamed[i][0]) == 0)
            return renamed[i][1];
    return name;
}

enum { MAX_HUMAN_BONES = 256 }; // VRM 1.0 knows 55

typedef struct humanoid_reader {
    sinew_human_bone *bones; // room for MAX_HUMAN_BONES
    uint32_t count;
    uint32_t invalid;
    const sinewi_json_value *first_invalid;
} humanoid_reader;

static bool add_bone(gltf_reader *r, humanoid_reader *h, const sinewi_json_value *place,
                     const char *name, size_t name_size, const sinewi_json_value *node,
                     bool is_vrm0)
{
    bool good = node && node->type == SINEWI_JSON_NUMBER && node->number >= 0.0 &&
                node->number < r->view->node_count && h->count < MAX_HUMAN_BONES;
    sinew_human_bone bone = {"", "", 0};
    if (good) {
        bone.file_bone = sinewi_arena_text(&r->document->arena, name, name_size);
        if (!bone.file_bone)
            return sinewi_gltf_no_memory(r);
        bone.bone = is_vrm0 ? name_of_vrm1(bone.file_bone) : bone.file_bone;
        bone.node = (uint32_t)node->number;
        good = node->number == (double)bone.node;
    }
    for (uint32_t i = 0; good && i < h->count; i++)
        good = strcmp(h->bones[i].bone, bone.bone) != 0;
    if (good) {
        h->bones[h->count++] = bone;
        return true;
    }
    h->first_invalid = h->invalid++ ? h->first_invalid : place;
    return true;
}

// VRM 0.x: an array of {"bone", "node"}. Later ones: an object of "bone": {"node"}.
static bool read_bones(gltf_reader *r, const sinewi_json_value *bones, humanoid_reader *h)
{
    for (const sinewi_json_value *v = sinewi_json_first(&r->json, bones); v;
         v = sinewi_json_next(&r->json, v)) {
        const sinewi_json_value *node = sinewi_json_get(&r->json, v, "node");
        const sinewi_json_value *name = sinewi_json_get(&r->json, v, "bone");
        bool is_vrm0 = bones->type == SINEWI_JSON_ARRAY;
        if (is_vrm0 && (!name || name->type != SINEWI_JSON_STRING))
            node = NULL;
        if (!add_bone(r, h, v, is_vrm0 ? (node ? name->string : "") : v->key,
                      is_vrm0 ? (node ? name->string_size : 0) : v->key_size, node, is_vrm0))
            return false;
    }
    return true;
}

bool sinewi_gltf_read_humanoid(gltf_reader *r)
{
    static const struct {
        const char *extension, *format;
    } kinds[] = {{"VRMC_vrm", "VRM 1"}, {"VRMC_vrm_animation", "VRMA 1"}, {"VRM", "VRM 0"}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const sinewi_json_value *extension = sinewi_gltf_extension(r, r->root, kinds[k].extension);
        const sinewi_json_value *bones = sinewi_json_get(
            &r->json, sinewi_json_get(&r->json, extension, "humanoid"), "humanBones");
        if (!bones)
            continue;
        humanoid_reader h = {.bones = sinewi_gltf_alloc(r, MAX_HUMAN_BONES, sizeof *h.bones)};
        if (!h.bones || !read_bones(r, bones, &h))
            return false;
        r->view->humanoid = kinds[k].format;
        r->view->human_bones = h.bones;
        r->view->human_bone_count = h.count;
        return !h.invalid ||
               sinewi_gltf_find(r, h.first_invalid, SINEW_HUMAN_BONE_INVALID, h.invalid, 0.0,
                                "%u bones of the humanoid name no node, or are named twice; they "
                                "were left out",
                                h.invalid);
    }
    return true;
}
