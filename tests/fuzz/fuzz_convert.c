// SPDX-License-Identifier: MIT
// Fuzz target: glTF and BVH files through the GLB writer of `sinew convert` and back. What was read
// is written, can be read again, and has the same nodes, skins and clips: names, parents, rest
// transforms, and every key, but for what the writer says that glTF cannot hold (shear of animated
// nodes, times that are equal) and leaves out (meshes and their weights).
#undef NDEBUG
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/convert.h"
#include "mutate_gltf.h"
#include "sinew/bvh.h"
#include "sinew/gltf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

static void is_near(const float *a, const float *b, size_t count, float tolerance)
{
    for (size_t i = 0; i < count; i++)
        assert(fabsf(a[i] - b[i]) <= tolerance * (1.0f + fabsf(a[i])));
}

static bool no_shear(const sinew_node *node)
{
    return node->shear.x == 0 && node->shear.y == 0 && node->shear.z == 0;
}

static void compare_nodes(const sinew_document *a, const sinew_document *b)
{
    assert(a->node_count == b->node_count);
    for (uint32_t i = 0; i < a->node_count; i++) {
        const sinew_node *n = &a->nodes[i], *m = &b->nodes[i];
        assert(strcmp(n->name, m->name) == 0 && n->parent == m->parent);
        if (!no_shear(n))
            continue; // a matrix is taken apart again
        is_near(&n->local.translation.x, &m->local.translation.x, 3, 0.0f);
        is_near(&n->local.rotation.x, &m->local.rotation.x, 4, 1e-6f);
        is_near(&n->local.scale.x, &m->local.scale.x, 3, 0.0f);
    }
}

static void compare_tracks(const sinew_track *a, const sinew_track *b)
{
    const bool lone = a->interpolation == SINEW_INTERPOLATION_CUBIC && a->key_count == 1;
    assert(b && a->key_count == b->key_count && a->component_count == b->component_count);
    assert(lone || a->interpolation == b->interpolation);
    for (uint32_t k = 0; k < a->key_count; k++)
        assert(fabsf(a->times[k] - b->times[k]) <=
               1e-6f * (float)a->key_count * (1.0f + fabsf(a->times[k])));
    if (lone)
        return;
    const size_t parts = a->interpolation == SINEW_INTERPOLATION_CUBIC ? 3 : 1;
    is_near(a->values, b->values, parts * a->key_count * a->component_count, 1e-6f);
}

static void compare_clips(const sinew_document *a, const sinew_document *b)
{
    uint32_t next = 0;
    for (uint32_t c = 0; c < a->clip_count; c++) {
        const sinew_track *tracks = sinew_clip_tracks(a->clips[c]);
        uint32_t kept = 0;
        for (uint32_t t = 0; t < sinew_clip_track_count(a->clips[c]); t++)
            kept += tracks[t].property != SINEW_PROPERTY_WEIGHTS;
        if (kept == 0)
            continue; // an animation has channels
        assert(next < b->clip_count);
        const sinew_clip *clip = b->clips[next++];
        assert(strcmp(sinew_clip_name(a->clips[c]), sinew_clip_name(clip)) == 0);
        assert(sinew_clip_track_count(clip) == kept);
        for (uint32_t t = 0; t < sinew_clip_track_count(a->clips[c]); t++)
            if (tracks[t].property != SINEW_PROPERTY_WEIGHTS)
                compare_tracks(&tracks[t],
                               sinew_clip_find_track(clip, tracks[t].node, tracks[t].property));
    }
    assert(next == b->clip_count);
}

static void convert(const sinew_document *document)
{
    const convert_glb_desc desc = {.document = document, .clip_count = document->clip_count};
    convert_glb_report report;
    cli_output out = {.file = tmpfile()};
    assert(out.file);
    assert(convert_write_glb(&desc, &out, &report) == SINEW_OK && !out.failed);
    uint8_t *bytes = malloc(out.size + 1);
    assert(bytes);
    rewind(out.file);
    assert(fread(bytes, 1, out.size, out.file) == out.size && fgetc(out.file) == EOF);
    fclose(out.file);
    sinew_import_desc import = sinew_import_desc_default();
    sinew_document *again;
    sinew_error error;
    const sinew_result result = sinew_gltf_read(bytes, out.size, &import, &again, &error);
    free(bytes);
    if (result != SINEW_OK) {
        fprintf(stderr, "%s: %s\n", error.path, error.message);
        abort();
    }
    compare_nodes(document, again);
    compare_clips(document, again);
    assert(again->skin_count <=
           (document->skin_count ? document->skin_count : document->rig_count));
    sinew_document_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sinew_document *document = NULL;
    sinew_error error;
    if (sinew_bvh_detect(data, size)) {
        sinew_bvh_desc desc = sinew_bvh_desc_default();
        desc.limits.memory = 16u << 20;
        sinew_bvh *bvh;
        if (sinew_bvh_read(data, size, &desc, &bvh, &error) == SINEW_OK)
            assert(sinew_bvh_make_document(bvh, NULL, &document, &error) == SINEW_OK);
        sinew_bvh_destroy(bvh);
    } else {
        sinew_import_desc desc = sinew_import_desc_default();
        desc.limits.memory = 16u << 20;
        desc.limits.vertex_count = desc.limits.key_count = 1u << 16;
        desc.skip_images = true;
        if (sinew_gltf_read(data, size, &desc, &document, &error) != SINEW_OK)
            return 0;
    }
    if (document)
        convert(document);
    sinew_document_destroy(document);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    return fuzz_mutate_mostly_gltf(data, size, max_size, seed);
}
