// SPDX-License-Identifier: MIT
// Baked palettes: three texels a joint and frame, the rows of M (bind space -> world, 3x4), so that
// crowds are skinned on the GPU without a pose, a hierarchy or an upload a frame.
//
// The palette of a figure is all that moves it: the joints of each skin in use, then one matrix for
// each node that shows a mesh without a skin, which its vertices follow with weight 1. The mesh
// stands in its bind pose, with morph targets at the weights of its node.
//
// vat_show_palettes is src/gpu/shaders/vat.glsl in C, line by line.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bake_vat.h"
#include "cli/cli.h"

// ---- Joints -----------------------------------------------------------------------------------------------

static bool is_skinned_part(const vat *v, const bake_part *part)
{
    return v->job->posed->instances[part->instance].skin && part->source->influence_count > 0;
}

// Instances of one skin that rest alike have the same matrices.
static bool shares_block(const vat *v, const vat_block *block, uint32_t instance, bool skinned)
{
    const posed_instance *a = &v->job->posed->instances[block->instance],
                         *b = &v->job->posed->instances[instance];
    if (block->skinned != skinned)
        return false;
    if (!skinned)
        return block->instance == instance;
    return a->skin == b->skin && a->source->rest.kind == b->source->rest.kind &&
           memcmp(&a->source->rest.k, &b->source->rest.k, sizeof a->source->rest.k) == 0;
}

static vat_block *find_block(vat *v, const bake_part *part)
{
    const bool skinned = is_skinned_part(v, part);
    for (uint32_t k = 0; k < v->block_count; k++)
        if (shares_block(v, &v->blocks[k], part->instance, skinned))
            return &v->blocks[k];
    vat_block *block = &v->blocks[v->block_count++];
    *block = (vat_block){part->instance, skinned, v->joint_count, 1};
    if (skinned)
        block->count = sinew_skin_joint_count(v->job->posed->instances[part->instance].skin);
    v->joint_count += block->count; // of at most 65,535 each: no overflow before it is checked
    return block;
}

static bool name_joints(vat *v)
{
    const sinew_document *d = v->job->document;
    v->joint_names = calloc(v->joint_count, sizeof *v->joint_names);
    v->palette = calloc(v->joint_count, sizeof *v->palette);
    if (!v->joint_names || !v->palette)
        return false;
    for (uint32_t k = 0; k < v->block_count; k++) {
        const vat_block *block = &v->blocks[k];
        const sinew_instance *source = v->job->posed->instances[block->instance].source;
        for (uint32_t j = 0; j < block->count; j++)
            v->joint_names[block->first + j] =
                d->nodes[block->skinned ? d->skins[source->skin].joints[j] : source->node].name;
    }
    return true;
}

// ---- The mesh ---------------------------------------------------------------------------------------------

static bool put_influences(const bake_part *part, const vat_block *block, bake_extra *extra)
{
    const sinew_primitive *source = part->source;
    const size_t n = source->vertex_count, each = block->skinned ? source->influence_count : 1;
    extra->set_count = (uint32_t)((each + 3) / 4);
    extra->joints = calloc(4 * n * extra->set_count, sizeof *extra->joints);
    extra->weights = calloc(4 * n * extra->set_count, sizeof *extra->weights);
    if (!extra->joints || !extra->weights)
        return false;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < each; k++) {
            const size_t to = 4 * n * (k / 4) + 4 * i + k % 4;
            const float weight = block->skinned ? source->weights[each * i + k] : 1.0f;
            const uint32_t joint = block->skinned ? source->joints[each * i + k] : 0;
            if (weight == 0.0f) // glTF wants joint 0 there
                continue;
            extra->weights[to] = weight;
            extra->joints[to] = block->first + joint;
        }
    return true;
}

static float *copy_floats(const float *values, size_t count)
{
    float *copy = malloc((count ? count : 1) * sizeof *copy);
    if (copy)
        memcpy(copy, values, count * sizeof *copy);
    return copy;
}

// What the palette moves: the file's vertices with the morph weights of the node, which the file's
// own pose has set.
static sinew_result put_bind_mesh(const vat *v, const bake_part *part, bake_extra *extra)
{
    const sinew_primitive *source = part->source;
    const posed_instance *instance = &v->job->posed->instances[part->instance];
    const size_t n = source->vertex_count;
    extra->positions = copy_floats(source->positions, 3 * n);
    if (source->normals)
        extra->normals = copy_floats(source->normals, 3 * n);
    if (source->tangents)
        extra->tangents = copy_floats(source->tangents, 4 * n);
    if (!extra->positions || (source->normals && !extra->normals) ||
        (source->tangents && !extra->tangents))
        return SINEW_ERROR_OUT_OF_MEMORY;
    return sinew_morph_vertices(&(sinew_morph_args){.targets = source->targets,
                                                    .weights = instance->weights,
                                                    .target_count = source->target_count,
                                                    .vertex_count = source->vertex_count,
                                                    .positions = extra->positions,
                                                    .normals = extra->normals,
                                                    .tangents = extra->tangents,
                                                    .out_positions = extra->positions,
                                                    .out_normals = extra->normals,
                                                    .out_tangents = extra->tangents});
}

int vat_prepare_palettes(vat *v)
{
    bake_job *job = v->job;
    sinew_result result = posed_document_evaluate(job->posed, -1, 0.0, 0);
    v->blocks = calloc(job->part_count, sizeof *v->blocks);
    if (!v->blocks)
        result = SINEW_ERROR_OUT_OF_MEMORY;
    for (uint32_t k = 0; result == SINEW_OK && k < job->part_count; k++) {
        const bake_part *part = &job->parts[k];
        const vat_block *block = find_block(v, part);
        if (v->joint_count > VAT_MAX_JOINTS)
            return cli_usage("bake", "the figure has more than %d joints in palettes",
                             VAT_MAX_JOINTS);
        v->morphed += part->source->target_count > 0;
        if (!put_influences(part, block, &v->extras[k]))
            result = SINEW_ERROR_OUT_OF_MEMORY;
        else
            result = put_bind_mesh(v, part, &v->extras[k]);
    }
    if (result == SINEW_OK && !name_joints(v))
        result = SINEW_ERROR_OUT_OF_MEMORY;
    return result == SINEW_OK ? CLI_EXIT_OK : bake_fail(job, result);
}

// ---- Texels -----------------------------------------------------------------------------------------------

sinew_result vat_encode_palettes(vat *v, float *texels)
{
    const posed_document *posed = v->job->posed;
    sinew_result result = SINEW_OK;
    for (uint32_t k = 0; result == SINEW_OK && k < v->block_count; k++) {
        const vat_block *block = &v->blocks[k];
        const posed_instance *instance = &posed->instances[block->instance];
        sinew_mat3x4 *out = v->palette + block->first, center;
        if (block->skinned)
            result = sinew_palette_build(
                &(sinew_palette_args){.skin = instance->skin,
                                      .model = posed->model,
                                      .model_count = posed->document->node_count,
                                      .rest = &instance->source->rest,
                                      .out_palette = out,
                                      .out_count = block->count,
                                      .out_center = &center});
        else
            *out = sinew_mat3x4_from_mat4(&instance->world);
    }
    memcpy(texels, v->palette, (size_t)v->joint_count * sizeof *v->palette);
    return result;
}

static float dot3(const float *a, const float *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross3(const float *a, const float *b, float *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

// The cofactors of the rows turn normals; a mirror's turn them round.
static void show_normal(float rows[3][4], const float n[3], float out[3])
{
    float cofactors[3][3];
    for (int r = 0; r < 3; r++)
        cross3(rows[(r + 1) % 3], rows[(r + 2) % 3], cofactors[r]);
    const float side = dot3(rows[0], cofactors[0]) < 0.0f ? -1.0f : 1.0f;
    for (int r = 0; r < 3; r++)
        out[r] = side * dot3(cofactors[r], n);
    const float square = dot3(out, out);
    for (int axis = 0; axis < 3; axis++)
        out[axis] = square > 0.0f ? out[axis] / sqrtf(square) : n[axis];
}

void vat_show_palettes(const vat *v, const float *before, const float *now, float part)
{
    static const float up[3] = {0.0f, 0.0f, 1.0f};
    float *shown = v->shown, *normals = v->shown_normals;
    for (uint32_t k = 0; k < v->job->part_count; k++) {
        const bake_extra *extra = &v->extras[k];
        const size_t n = v->job->parts[k].source->vertex_count;
        for (size_t i = 0; i < n; i++, shown += 3, normals += 3) {
            float rows[3][4] = {{0}};
            for (size_t s = 0; s < 4 * (size_t)extra->set_count; s++) {
                const size_t at = 4 * n * (s / 4) + 4 * i + s % 4;
                const float weight = extra->weights[at];
                if (weight == 0.0f)
                    continue;
                const float *a = before + (size_t)12 * extra->joints[at],
                            *b = now + (size_t)12 * extra->joints[at];
                for (int c = 0; c < 12; c++)
                    rows[c / 4][c % 4] += weight * (a[c] + (b[c] - a[c]) * part);
            }
            const float *p = extra->positions + 3 * i;
            for (int r = 0; r < 3; r++)
                shown[r] = dot3(rows[r], p) + rows[r][3];
            show_normal(rows, extra->normals ? extra->normals + 3 * i : up, normals);
        }
    }
}
