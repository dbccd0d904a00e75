// SPDX-License-Identifier: MIT
// Extensions: which are read, which in part, and what it means that one is not. A file that
// requires one that is not read is refused (glTF 2.0, "Specifying Extensions").
#include <string.h>

#include "import/gltf/gltf_internal.h"

// Read wherever they stand.
static const char *const read_extensions[] = {
    "KHR_mesh_quantization",   "KHR_texture_transform",
    "KHR_materials_unlit",     "KHR_materials_emissive_strength",
    "KHR_animation_pointer",   "KHR_node_visibility",
    "KHR_texture_basisu",      "EXT_texture_webp",
    "EXT_texture_avif",        "MSFT_texture_dds",
    "EXT_mesh_gpu_instancing", "VRMC_springBone",
};

// Read in part: what is not.
static const struct {
    const char *name, *rest;
} partly_read_extensions[] = {
    {"KHR_materials_pbrSpecularGlossiness",
     "its diffuse colour and texture are read; surfaces shine otherwise than they should"},
    {"VRM",
     "the bones of its humanoid and its springs are read; expressions and materials are not"},
    {"VRMC_vrm", "the bones of its humanoid are read; expressions, gaze and first person are not"},
    {"VRMC_vrm_animation", "the bones of its humanoid are read; expressions and gaze are not"},
};

// What it means that an extension is not read. The first that fits; a * ends a beginning.
static const struct {
    const char *name, *meaning;
} unread_extensions[] = {
    {"KHR_materials_variants", "the materials of the first variant are shown"},
    {"KHR_materials_*", "surfaces may look plainer; shape and motion are whole"},
    {"ADOBE_materials_*", "surfaces may look plainer; shape and motion are whole"},
    {"VRMC_materials_*", "surfaces may look plainer; shape and motion are whole"},
    {"KHR_lights_*", "its lights are not there; shape and motion are whole"},
    {"EXT_lights_*", "its lights are not there; shape and motion are whole"},
    {"VRMC_springBone_*", "colliders of other shapes are not there; springs swing through them"},
    {"VRMC_node_constraint", "joints that it would turn stay as their clips and parents have them"},
    {"KHR_interactivity", "nothing answers to clicks; shape and motion are whole"},
    {"KHR_node_*", "nothing answers to clicks; shape and motion are whole"},
    {"MSFT_lod", "all levels of detail are nodes like others; the finest one is shown"},
    {"FB_ngon_encoding", "triangles are what they are; nobody joins them to polygons"},
    {"KHR_xmp*", "it describes the file and changes nothing"},
    {"KHR_audio*", "there is no sound; shape and motion are whole"},
    {"MSFT_audio*", "there is no sound; shape and motion are whole"},
    {"KHR_physics*", "nothing falls or collides; shape and motion are whole"},
    {"OMI_physics*", "nothing falls or collides; shape and motion are whole"},
};

static bool name_fits(const char *pattern, const char *name)
{
    size_t size = strlen(pattern);
    if (size && pattern[size - 1] == '*')
        return strncmp(pattern, name, size - 1) == 0;
    return strcmp(pattern, name) == 0;
}

static bool is_compression(const char *name)
{
    return strcmp(name, "EXT_meshopt_compression") == 0 ||
           strcmp(name, "KHR_meshopt_compression") == 0 ||
           strcmp(name, "KHR_draco_mesh_compression") == 0;
}

// What is not read of a partly read extension; NULL for others.
static const char *unread_part(const char *name)
{
    for (size_t i = 0; i < sizeof partly_read_extensions / sizeof *partly_read_extensions; i++)
        if (strcmp(name, partly_read_extensions[i].name) == 0)
            return partly_read_extensions[i].rest;
    return NULL;
}

static bool is_read(const gltf_reader *r, const char *name)
{
    if (is_compression(name))
        return strcmp(name, "KHR_draco_mesh_compression") == 0 ? sinewi_gltf_has_draco(r)
                                                               : sinewi_gltf_has_meshopt(r);
    for (size_t i = 0; i < sizeof read_extensions / sizeof *read_extensions; i++)
        if (strcmp(name, read_extensions[i]) == 0)
            return true;
    return false;
}

static const char *meaning_of_unread(const char *name)
{
    if (is_compression(name))
        return "what lies uncompressed beside it is read";
    for (size_t i = 0; i < sizeof unread_extensions / sizeof *unread_extensions; i++)
        if (name_fits(unread_extensions[i].name, name))
            return unread_extensions[i].meaning;
    return "the rest is";
}

// Whether an extension is listed before this place too. Lists are short; a long one may say things
// twice.
static bool is_listed_before(gltf_reader *r, const sinewi_json_value *list,
                             const sinewi_json_value *name)
{
    const sinewi_json_value *v = sinewi_json_first(&r->json, list);
    for (int k = 0; k < 256 && v != name; k++, v = sinewi_json_next(&r->json, v))
        if (name->type == SINEWI_JSON_STRING && v->type == SINEWI_JSON_STRING &&
            v->string_size == name->string_size &&
            memcmp(v->string, name->string, name->string_size) == 0)
            return true;
    return false;
}

bool sinewi_gltf_check_extensions(gltf_reader *r)
{
    const sinewi_json_value *used, *required;
    if (!sinewi_gltf_member(r, r->root, "extensionsUsed", SINEWI_JSON_ARRAY, &used) ||
        !sinewi_gltf_member(r, r->root, "extensionsRequired", SINEWI_JSON_ARRAY, &required))
        return false;
    for (const sinewi_json_value *v = required ? sinewi_json_first(&r->json, required) : NULL; v;
         v = sinewi_json_next(&r->json, v)) {
        const char *name =
            v->type == SINEWI_JSON_STRING ? v->string : "an extension that is no string";
        if (!is_read(r, name) && !unread_part(name))
            return sinewi_gltf_fail(r, v, SINEW_ERROR_REQUIRED_EXTENSION,
                                    is_compression(name)
                                        ? "the file requires %.100s, for which no codec was given"
                                        : "the file requires %.100s, which is not read",
                                    name);
    }
    for (const sinewi_json_value *v = used ? sinewi_json_first(&r->json, used) : NULL; v;
         v = sinewi_json_next(&r->json, v)) {
        const char *name = v->type == SINEWI_JSON_STRING ? v->string : "(no string)";
        const char *rest = unread_part(name);
        if (is_read(r, name) || is_listed_before(r, used, v))
            continue;
        if (rest ? !sinewi_gltf_find(r, v, SINEW_EXTENSION_IN_PART, 1, 0.0,
                                     "of the extension %.100s a part is read: %s", name, rest)
                 : !sinewi_gltf_find(r, v, SINEW_EXTENSION_IGNORED, 1, 0.0,
                                     "the extension %.100s is not read: %s", name,
                                     meaning_of_unread(name)))
            return false;
    }
    return true;
}
