// SPDX-License-Identifier: MIT
// Vertex animation textures: a texel a vertex and frame, x y z the position and w the normal.
//
// RGBA32F holds positions as they are. RGBA16 holds them in steps of 1/65535 of a box around all
// frames, so that a coordinate is at most half a step off. The normal is octahedral: the octahedron
// |x| + |y| + |z| = 1 unfolded on a square, whose two coordinates are whole numbers a and b in one
// channel. Of the four pairs around the exact point the one nearest to the normal is taken.
// Sources: Cigolle, Donow, Evangelakos, Mara, McGuire, Meyer 2014, "A survey of efficient
// representations for independent unit vectors", JCGT 3(2).
//
// vat_show_vertices is src/gpu/shaders/vat.glsl in C, line by line.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bake_vat.h"

static const double vat_unorm_steps = 65535.0;

static int normal_base(const vat *v)
{
    return v->format == KTX2_RGBA16_UNORM ? VAT_UNORM_BASE : VAT_FLOAT_BASE;
}

// ---- Octahedra --------------------------------------------------------------------------------------------

static void unfold(float x, float y, float out[3])
{
    out[2] = 1.0f - fabsf(x) - fabsf(y);
    const float over = out[2] < 0.0f ? -out[2] : 0.0f; // how far behind the fold
    out[0] = x + (x < 0.0f ? over : -over);
    out[1] = y + (y < 0.0f ? over : -over);
    const float length = sqrtf(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
    for (int axis = 0; axis < 3; axis++)
        out[axis] /= length; // at least 1/sqrt(3)
}

static int encode_normal(const float n[3], int base)
{
    const double middle = base / 2 - 1, sum = fabs((double)n[0]) + fabs((double)n[1]) + fabs(n[2]);
    double x = n[0] / sum, y = n[1] / sum;
    if (n[2] < 0.0f) {
        const double folded = (1.0 - fabs(y)) * (x < 0.0 ? -1.0 : 1.0);
        y = (1.0 - fabs(x)) * (y < 0.0 ? -1.0 : 1.0);
        x = folded;
    }
    const int left = (int)floor((x + 1.0) * middle), low = (int)floor((y + 1.0) * middle);
    int best = 0;
    double nearest = -2.0;
    for (int k = 0; k < 4; k++) {
        const int a = left + k % 2, b = low + k / 2;
        float d[3];
        if (a < 0 || b < 0 || a > base - 2 || b > base - 2)
            continue;
        unfold((float)(a / middle - 1.0), (float)(b / middle - 1.0), d);
        const double dot = (double)n[0] * d[0] + (double)n[1] * d[1] + (double)n[2] * d[2];
        if (dot > nearest) {
            nearest = dot;
            best = a * base + b;
        }
    }
    return best;
}

static void decode_normal(float w, int base, float out[3])
{
    const float middle = (float)(base / 2 - 1), a = floorf(w / (float)base),
                b = w - a * (float)base;
    unfold(a / middle - 1.0f, b / middle - 1.0f, out);
}

// ---- Texels -----------------------------------------------------------------------------------------------

void vat_encode_vertices(const vat *v, float *texels)
{
    static const float up[3] = {0.0f, 0.0f, 1.0f};
    const bool unorm = v->format == KTX2_RGBA16_UNORM;
    for (uint32_t k = 0; k < v->job->part_count; k++) {
        const posed_primitive *p = v->job->parts[k].posed;
        for (size_t i = 0; i < p->vertex_count; i++, texels += 4) {
            const float *position = p->positions + 3 * i;
            const int w = encode_normal(p->normals ? p->normals + 3 * i : up, normal_base(v));
            for (int axis = 0; axis < 3; axis++) {
                texels[axis] = position[axis];
                if (!unorm)
                    continue;
                const double t = v->size[axis] > 0.0f
                                     ? ((double)position[axis] - v->low[axis]) / v->size[axis]
                                     : 0.0;
                const double step = floor(t * vat_unorm_steps + 0.5);
                texels[axis] = (float)((step > vat_unorm_steps ? vat_unorm_steps : step) /
                                       vat_unorm_steps); // as texture units give it
            }
            texels[3] = unorm ? (float)(w / vat_unorm_steps) : (float)w;
        }
    }
}

static void show_vertex(const vat *v, const float *texel, float position[3], float normal[3])
{
    for (int axis = 0; axis < 3; axis++)
        position[axis] = v->low[axis] + texel[axis] * v->size[axis];
    const float scale = v->format == KTX2_RGBA16_UNORM ? (float)vat_unorm_steps : 1.0f;
    decode_normal(floorf(texel[3] * scale + 0.5f), normal_base(v), normal);
}

void vat_show_vertices(const vat *v, const float *before, const float *now, float part)
{
    const size_t count = v->texels;
    for (size_t i = 0; i < count; i++) {
        float p[2][3], n[2][3], *normal = v->shown_normals + 3 * i;
        show_vertex(v, before + 4 * i, p[0], n[0]);
        show_vertex(v, now + 4 * i, p[1], n[1]);
        float square = 0.0f;
        for (size_t axis = 0; axis < 3; axis++) {
            v->shown[3 * i + axis] = p[0][axis] + (p[1][axis] - p[0][axis]) * part;
            normal[axis] = n[0][axis] + (n[1][axis] - n[0][axis]) * part;
            square += normal[axis] * normal[axis];
        }
        for (int axis = 0; axis < 3; axis++)
            normal[axis] = square > 0.0f ? normal[axis] / sqrtf(square) : n[0][axis];
    }
}

// ---- The mesh ---------------------------------------------------------------------------------------------

bool vat_number_vertices(vat *v)
{
    uint32_t number = 0;
    for (uint32_t k = 0; k < v->job->part_count; k++) {
        const uint32_t count = v->job->parts[k].source->vertex_count;
        bake_extra *extra = &v->extras[k];
        extra->ids = malloc(count * sizeof *extra->ids);
        extra->id_uvs = calloc(count, 2 * sizeof *extra->id_uvs);
        if (!extra->ids || !extra->id_uvs)
            return false;
        for (size_t i = 0; i < count; i++)
            extra->ids[i] = extra->id_uvs[2 * i] = (float)number++;
    }
    return true;
}
