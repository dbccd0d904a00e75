// SPDX-License-Identifier: MIT
// Skins: which joints move a mesh and how they stood when it was attached; and how an instance of
// one rests (SPEC 8).
#include "sinew/skin.h"

#include <math.h>
#include <string.h>

#include "skin/skin_internal.h"

sinew_skin_desc sinew_skin_desc_default(void)
{
    sinew_skin_desc desc;
    memset(&desc, 0, sizeof desc);
    return desc;
}

sinew_result sinew_skin_create(const sinew_skin_desc *desc, sinew_skin **out, sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!desc || !out || !desc->skeleton || (desc->joint_count && !desc->joints))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "the desc, its skeleton and joints must be given");
    if (desc->joint_count > SINEW_MAX_JOINTS)
        return sinewi_error(error, SINEW_ERROR_TOO_MANY_JOINTS, "",
                            "%u joints; a skin holds at most %d", desc->joint_count,
                            SINEW_MAX_JOINTS);
    uint32_t joint_count = sinew_skeleton_joint_count(desc->skeleton);
    for (uint32_t i = 0; i < desc->joint_count; i++) {
        char path[64];
        if (desc->joints[i] >= joint_count) {
            snprintf(path, sizeof path, "joints[%u]", i);
            return sinewi_error(error, SINEW_ERROR_INDEX_RANGE, path,
                                "joint %u; the skeleton has %u", desc->joints[i], joint_count);
        }
        if (desc->inverse_binds && !sinewi_all_finite(desc->inverse_binds[i].m, 16)) {
            snprintf(path, sizeof path, "inverse_binds[%u]", i);
            return sinewi_error(error, SINEW_ERROR_NOT_FINITE, path,
                                "an inverse bind matrix is not finite");
        }
    }
    sinew_allocator allocator = sinewi_allocator(&desc->allocator);
    size_t binds_at = (sizeof(sinew_skin) + 15) / 16 * 16;
    size_t rows_at = binds_at + desc->joint_count * sizeof(sinew_mat4);
    size_t joints_at = rows_at + desc->joint_count * sizeof(sinew_mat3x4);
    size_t size = joints_at + desc->joint_count * sizeof(uint16_t);
    char *block = sinewi_alloc(&allocator, size, 16);
    if (!block)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "",
                            "no memory for a skin of %u joints", desc->joint_count);
    sinew_skin *skin = (sinew_skin *)(void *)block;
    skin->skeleton = desc->skeleton;
    skin->joint_count = desc->joint_count;
    skin->allocator = allocator;
    skin->block_size = size;
    skin->inverse_binds = (sinew_mat4 *)(void *)(block + binds_at);
    skin->bind_rows = (sinew_mat3x4 *)(void *)(block + rows_at);
    skin->joints = (uint16_t *)(void *)(block + joints_at);
    for (uint32_t i = 0; i < desc->joint_count; i++) {
        skin->joints[i] = desc->joints[i];
        skin->inverse_binds[i] =
            desc->inverse_binds ? desc->inverse_binds[i] : sinew_mat4_identity();
        // an affine matrix: what a file says of the last row has no meaning (glTF 2.0, "Skins")
        float *m = skin->inverse_binds[i].m;
        m[3] = m[7] = m[11] = 0.0f;
        m[15] = 1.0f;
        skin->bind_rows[i] = sinew_mat3x4_from_mat4(&skin->inverse_binds[i]);
    }
    *out = skin;
    return SINEW_OK;
}

void sinew_skin_destroy(sinew_skin *skin)
{
    if (!skin)
        return;
    sinew_allocator allocator = skin->allocator;
    sinewi_free(&allocator, skin, skin->block_size, 16);
}

uint32_t sinew_skin_joint_count(const sinew_skin *skin)
{
    return skin ? skin->joint_count : 0;
}

const uint16_t *sinew_skin_joints(const sinew_skin *skin)
{
    return skin ? skin->joints : NULL;
}

const sinew_mat4 *sinew_skin_inverse_binds(const sinew_skin *skin)
{
    return skin ? skin->inverse_binds : NULL;
}

const sinew_skeleton *sinew_skin_skeleton(const sinew_skin *skin)
{
    return skin ? skin->skeleton : NULL;
}

// ---- Rest -------------------------------------------------------------------------------------------------

#define REST_TOLERANCE 1e-5 // SPEC 8

typedef struct affine64 {
    double m[12]; // columns of 3, then the translation
} affine64;

static affine64 affine64_from(const sinew_mat4 *a)
{
    affine64 r;
    for (int c = 0; c < 4; c++)
        for (int row = 0; row < 3; row++)
            r.m[3 * c + row] = a->m[4 * c + row];
    return r;
}

static affine64 affine64_mul(const affine64 *a, const affine64 *b)
{
    affine64 r;
    for (int c = 0; c < 4; c++)
        for (int row = 0; row < 3; row++) {
            double sum = (a->m[row] * b->m[3 * c] + a->m[3 + row] * b->m[3 * c + 1]) +
                         a->m[6 + row] * b->m[3 * c + 2];
            r.m[3 * c + row] = c == 3 ? sum + a->m[9 + row] : sum;
        }
    return r;
}

// The longest column: what the rotation part of a matrix is measured by.
static double affine64_scale(const affine64 *a)
{
    double longest = 0.0;
    for (int c = 0; c < 3; c++) {
        const double *v = a->m + 3 * c;
        double length = sqrt((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]);
        longest = length > longest ? length : longest;
    }
    return longest;
}

// How far k is from `from`: rotation part over its scale, translation over the diagonal times that
// scale.
static double affine64_difference(const affine64 *k, const affine64 *from, double diagonal)
{
    double scale = affine64_scale(from), turn = 0.0, move = 0.0;
    for (int i = 0; i < 9; i++) {
        double d = fabs(k->m[i] - from->m[i]);
        turn = d > turn ? d : turn;
    }
    for (int i = 9; i < 12; i++) {
        double d = fabs(k->m[i] - from->m[i]);
        move = d > move ? d : move;
    }
    if (!(scale > 0.0))
        return turn == 0.0 && move == 0.0 ? 0.0 : INFINITY;
    turn /= scale;
    move /= diagonal * scale;
    return turn > move ? turn : move;
}

sinew_result sinew_skin_find_rest(const sinew_skin *skin, const sinew_mat4 *bind,
                                  float mesh_diagonal, sinew_skin_rest *out_rest)
{
    if (!skin || !out_rest)
        return SINEW_ERROR_INVALID_ARGUMENT;
    double diagonal = mesh_diagonal > 0.0f && isfinite(mesh_diagonal) ? mesh_diagonal : 1.0;
    sinew_mat4 unit_matrix = sinew_mat4_identity();
    affine64 unit = affine64_from(&unit_matrix), b = affine64_from(bind ? bind : &unit_matrix),
             first = unit;
    const sinew_mat4 *rest_model = sinew_skeleton_rest_model(skin->skeleton);
    double from_unit = 0.0, from_first = 0.0;
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        affine64 g = affine64_from(&rest_model[skin->joints[i]]),
                 inverse = affine64_from(&skin->inverse_binds[i]);
        affine64 k = affine64_mul(&g, &inverse);
        k = affine64_mul(&k, &b);
        if (i == 0)
            first = k;
        double d = affine64_difference(&k, &unit, diagonal);
        from_unit = !(d <= from_unit) ? d : from_unit;
        d = affine64_difference(&k, &first, diagonal);
        from_first = !(d <= from_first) ? d : from_first;
    }
    memset(out_rest, 0, sizeof *out_rest);
    if (skin->joint_count == 0)
        return SINEW_OK;
    if (from_unit <= REST_TOLERANCE) {
        out_rest->kind = SINEW_REST_IDENTITY;
        out_rest->k = unit_matrix;
        out_rest->difference = (float)from_unit;
    } else if (from_first <= REST_TOLERANCE) {
        out_rest->kind = SINEW_REST_COMMON;
        out_rest->difference = (float)from_first;
        out_rest->k = unit_matrix;
        for (int c = 0; c < 4; c++)
            for (int row = 0; row < 3; row++)
                out_rest->k.m[4 * c + row] = (float)first.m[3 * c + row];
    } else {
        out_rest->difference = (float)(from_unit < from_first ? from_unit : from_first);
    }
    return SINEW_OK;
}

sinew_result sinew_result_from_joints(sinew_result_space space, const sinew_mat4 *matrix,
                                      const char *node_name, sinew_mat4 *out, sinew_error *error)
{
    if (!out || (space != SINEW_SPACE_JOINTS && !matrix) || (unsigned)space > SINEW_SPACE_DETACHED)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, node_name,
                            "the matrix of the space and out must be given");
    if (space == SINEW_SPACE_JOINTS) {
        *out = sinew_mat4_identity();
        return SINEW_OK;
    }
    if (!sinew_mat4_inverse(matrix, out))
        return sinewi_error(error, SINEW_ERROR_SINGULAR_MATRIX, node_name,
                            "the %s matrix of node '%s' has no inverse (a scale of 0?)",
                            space == SINEW_SPACE_ATTACHED ? "world" : "bind",
                            node_name ? node_name : "");
    return SINEW_OK;
}
