// SPDX-License-Identifier: MIT
// The definition of right for mixing poses: one joint after the other, in the order of operations
// that all kernels keep. Separate multiplies and adds.
#include <math.h>

#include "anim/blend_kernels.h"
#include "sinew/math.h"

static float sign_below(float x, float sign)
{
    return sign < 0.0f ? -x : x;
}

static float quat_square(const float q[4])
{
    return ((q[0] * q[0] + q[1] * q[1]) + q[2] * q[2]) + q[3] * q[3];
}

static float quat_dot4(const float a[4], const float b[4])
{
    return ((a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]) + a[3] * b[3];
}

// ---- Even mixes -----------------------------------------------------------------------------------

static void even_scalar(const sinewi_even_job *job)
{
    for (uint32_t j = 0; j < job->padded_count; j++) {
        float sum[SINEW_PLANE_COUNT];
        for (size_t k = 0; k < SINEW_PLANE_COUNT; k++)
            sum[k] = job->weights[0] * job->planes[0][k * job->strides[0] + j];
        for (uint32_t i = 1; i < job->input_count; i++) {
            float w = job->weights[i], v[SINEW_PLANE_COUNT];
            for (size_t k = 0; k < SINEW_PLANE_COUNT; k++)
                v[k] = job->planes[i][k * job->strides[i] + j];
            float wq = sign_below(w, quat_dot4(sum + SINEW_PLANE_QX, v + SINEW_PLANE_QX));
            for (int k = 0; k < SINEW_PLANE_COUNT; k++)
                sum[k] = sum[k] + (k >= SINEW_PLANE_QX && k <= SINEW_PLANE_QW ? wq : w) * v[k];
        }
        float square = quat_square(sum + SINEW_PLANE_QX);
        float scale = 1.0f / sqrtf(square);
        for (size_t k = SINEW_PLANE_QX; k <= SINEW_PLANE_QW; k++)
            sum[k] = square < SINEWI_SHORT_SQUARE
                         ? job->planes[job->heaviest][k * job->strides[job->heaviest] + j]
                         : sum[k] * scale;
        for (size_t k = 0; k < SINEW_PLANE_COUNT; k++)
            job->out[k * job->out_stride + j] = sum[k];
    }
}

// ---- Sums -----------------------------------------------------------------------------------------

// Which total a plane belongs to.
static int blend_total_of(int plane)
{
    return plane < SINEW_PLANE_QX ? 0 : plane < SINEW_PLANE_SX ? 1 : 2;
}

static void add_scalar(float *sums, const sinewi_sum_input *input, bool first)
{
    for (int lane = 0; lane < SINEWI_BLEND_JOINTS; lane++) {
        float *s = sums + lane;
        float whole = input->mask ? input->weight * input->mask[lane] : input->weight;
        float v[SINEW_PLANE_COUNT], sum[SINEW_PLANE_COUNT], w[3];
        for (size_t k = 0; k < SINEW_PLANE_COUNT; k++) {
            v[k] = input->planes[k * input->stride + (size_t)lane];
            sum[k] = s[k * SINEWI_BLEND_JOINTS];
        }
        for (int c = 0; c < 3; c++)
            w[c] = !input->touched || input->touched[lane] >> c & 1 ? whole : 0.0f;
        float wq =
            first ? w[1] : sign_below(w[1], quat_dot4(sum + SINEW_PLANE_QX, v + SINEW_PLANE_QX));
        for (int k = 0; k < SINEW_PLANE_COUNT; k++) {
            int c = blend_total_of(k);
            float part = (c == 1 ? wq : w[c]) * v[k];
            s[k * SINEWI_BLEND_JOINTS] = first ? part : sum[k] + part;
        }
        for (int c = 0; c < 3; c++) {
            float *total = s + (SINEWI_SUM_TOTALS + c) * SINEWI_BLEND_JOINTS;
            *total = first ? w[c] : *total + w[c];
        }
        float *heaviest = s + SINEWI_SUM_HEAVIEST * SINEWI_BLEND_JOINTS;
        if (first || heaviest[0] < w[1]) {
            heaviest[0] = w[1];
            for (int k = 0; k < 4; k++)
                heaviest[(1 + k) * SINEWI_BLEND_JOINTS] = v[SINEW_PLANE_QX + k];
        }
    }
}

static void resolve_scalar(const float *sums, const sinewi_resolve_job *job)
{
    for (int lane = 0; lane < SINEWI_BLEND_JOINTS; lane++) {
        const float *s = sums + lane;
        float share = job->mask ? job->weight * job->mask[lane] : job->weight;
        float out[SINEW_PLANE_COUNT], base[SINEW_PLANE_COUNT], covered = 0.0f, missing = 0.0f;
        float scale = 0.0f;
        for (int k = 0; k < SINEW_PLANE_COUNT; k++) {
            base[k] = job->base[(size_t)k * job->base_stride + (size_t)lane];
            if (k == SINEW_PLANE_TX || k == SINEW_PLANE_QX || k == SINEW_PLANE_SX) {
                float total = s[(SINEWI_SUM_TOTALS + blend_total_of(k)) * SINEWI_BLEND_JOINTS];
                if (fabsf(total - 1.0f) < SINEWI_TOTAL_SLACK)
                    total = 1.0f;
                scale = (1.0f < total ? 1.0f / total : 1.0f) * share;
                float c = share * (total < 1.0f ? total : 1.0f);
                missing = 1.0f - c;
                if (k == SINEW_PLANE_QX)
                    covered = c;
            }
            out[k] = s[k * SINEWI_BLEND_JOINTS] * scale;
            if (blend_total_of(k) != 1 && 0.0f < missing)
                out[k] = out[k] + missing * base[k];
            if (k == SINEW_PLANE_QW) {
                float *q = out + SINEW_PLANE_QX;
                const float *b = base + SINEW_PLANE_QX;
                float turned = sign_below(missing, quat_dot4(q, b));
                for (int i = 0; i < 4; i++)
                    q[i] = 0.0f < missing ? q[i] + turned * b[i] : q[i];
                float square = quat_square(q);
                const float *heaviest = s + SINEWI_SUM_HEAVIEST * SINEWI_BLEND_JOINTS;
                float total = s[(SINEWI_SUM_TOTALS + 1) * SINEWI_BLEND_JOINTS];
                float unit = 1.0f / sqrtf(square);
                // alone and whole, or opposites that cancel: the heaviest as it is
                bool keep =
                    square < SINEWI_SHORT_SQUARE || (!(heaviest[0] < total) && !(covered < 1.0f));
                for (int i = 0; i < 4; i++)
                    q[i] = keep ? heaviest[(1 + i) * SINEWI_BLEND_JOINTS] : q[i] * unit;
                for (int i = 0; !(0.0f < covered) && i < 4; i++)
                    q[i] = b[i];
            }
        }
        for (size_t k = 0; k < SINEW_PLANE_COUNT; k++)
            job->out[k * job->out_stride + (size_t)lane] = out[k];
    }
}

// ---- Additive -------------------------------------------------------------------------------------

static void additive_scalar(const sinewi_additive_job *job)
{
    for (int lane = 0; lane < SINEWI_BLEND_JOINTS; lane++) {
        float whole = job->mask ? job->weight * job->mask[lane] : job->weight;
        float v[SINEW_PLANE_COUNT], from[SINEW_PLANE_COUNT], out[SINEW_PLANE_COUNT], w[3];
        for (size_t k = 0; k < SINEW_PLANE_COUNT; k++) {
            v[k] = job->planes[k * job->stride + (size_t)lane];
            from[k] = job->reference[k * job->reference_stride + (size_t)lane];
            out[k] = job->out[k * job->out_stride + (size_t)lane];
        }
        for (int c = 0; c < 3; c++)
            w[c] = !job->touched || job->touched[lane] >> c & 1 ? whole : 0.0f;
        for (int k = SINEW_PLANE_TX; k <= SINEW_PLANE_TZ; k++)
            out[k] = out[k] + w[0] * (v[k] - from[k]);
        for (int k = SINEW_PLANE_SX; k <= SINEW_PLANE_SZ; k++) {
            float ratio = from[k] == 0.0f ? 1.0f : v[k] / from[k];
            out[k] = out[k] * (1.0f + w[2] * (ratio - 1.0f));
        }
        sinew_quat reference = {from[3], from[4], from[5], from[6]};
        sinew_quat pose = {v[3], v[4], v[5], v[6]}, below = {out[3], out[4], out[5], out[6]};
        sinew_quat change = sinew_quat_mul(sinew_quat_conjugate(reference), pose);
        if (0.0f < w[1]) {
            sinew_quat part = sinew_quat_slerp(sinew_quat_identity(), change, w[1]);
            sinew_quat q = sinew_quat_mul(below, part);
            out[3] = q.x, out[4] = q.y, out[5] = q.z, out[6] = q.w;
        }
        for (size_t k = 0; k < SINEW_PLANE_COUNT; k++)
            job->out[k * job->out_stride + (size_t)lane] = out[k];
    }
}

const sinewi_blend_kernels sinewi_blend_scalar = {even_scalar, add_scalar, resolve_scalar,
                                                  additive_scalar};
