// SPDX-License-Identifier: MIT
// How the program builds runtime clips: rates by what is between their samples. Splines between few
// keys, keys that stand on no grid, and turns by half a circle from key to key want more samples
// than keys.
#include "cli/runtime_build.h"

#include <math.h>

enum { RATE_DOUBLINGS = 6, RATE_MOST_SAMPLES = 1 << 16 };
static const double rate_most = 960.0; // samples a second

// Splines leave the straight line most where it is not looked: half way they often cross it. They
// get samples at a whole number of times the keys' rate.
static const double rate_of_splines = 60.0;

static bool has_splines(const sinew_clip *clip)
{
    for (uint32_t t = 0; t < sinew_clip_track_count(clip); t++)
        if (sinew_clip_tracks(clip)[t].interpolation == SINEW_INTERPOLATION_CUBIC &&
            sinew_clip_tracks(clip)[t].key_count > 1)
            return true;
    return false;
}

sinew_result cli_build_runtime(const sinew_runtime_build_desc *desc, double between,
                               sinew_runtime_bytes *out, sinew_runtime_report *out_report,
                               sinew_error *error)
{
    sinew_runtime_build_desc next = *desc;
    const bool splines = between > 0.0 && has_splines(sinew_clip_binding_clip(desc->binding));
    for (int doublings = 0;; doublings++) {
        const sinew_result result = sinew_runtime_clip_build(&next, out, out_report, error);
        if (result == SINEW_OK && splines && out_report->rate < 0.999 * rate_of_splines &&
            (double)out_report->sample_count * rate_of_splines / out_report->rate <
                (double)RATE_MOST_SAMPLES) {
            next.rate = (float)(out_report->rate * ceil(rate_of_splines / out_report->rate - 1e-3));
            sinew_runtime_bytes_free(out);
            continue;
        }
        if (result != SINEW_OK || between <= 0.0 || doublings == RATE_DOUBLINGS ||
            2.0 * out_report->rate > rate_most ||
            2 * out_report->sample_count > RATE_MOST_SAMPLES ||
            (out_report->gap_count == 0 &&
             out_report->max_error_between <= between * (double)out_report->error))
            return result;
        sinew_runtime_bytes_free(out);
        next.rate = (float)(2.0 * out_report->rate);
    }
}

// ---- Reach ------------------------------------------------------------------------------------------------

// Joints that lead a vertex: those with this much of it.
static const float reach_weight = 0.25f;

static double reach_of_primitive(const sinew_document_skin *skin, const sinew_primitive *p)
{
    double most = 0.0;
    for (uint32_t v = 0; v < p->vertex_count; v++) {
        const float *at = p->positions + 3 * (size_t)v;
        for (uint32_t k = 0; k < p->influence_count; k++) {
            const size_t i = (size_t)v * p->influence_count + k;
            if (p->weights[i] < reach_weight || p->joints[i] >= skin->joint_count)
                continue;
            const float *m = skin->inverse_binds[p->joints[i]].m;
            double sum = 0.0;
            for (int r = 0; r < 3; r++) {
                const double x = (double)m[r] * (double)at[0] + (double)m[4 + r] * (double)at[1] +
                                 (double)m[8 + r] * (double)at[2] + (double)m[12 + r];
                sum += x * x;
            }
            most = sum > most ? sum : most; // a NaN is passed over
        }
    }
    return sqrt(most);
}

float cli_runtime_reach(const sinew_document *document)
{
    double most = 0.0;
    for (uint32_t i = 0; i < document->instance_count; i++) {
        const sinew_instance *instance = &document->instances[i];
        const sinew_mesh *mesh = &document->meshes[instance->mesh];
        for (uint32_t p = 0; instance->skinned && p < mesh->primitive_count; p++)
            if (mesh->primitives[p].positions && mesh->primitives[p].influence_count)
                most = fmax(most, reach_of_primitive(&document->skins[instance->skin],
                                                     &mesh->primitives[p]));
    }
    return most < 1e6 ? (float)most : 0.0f;
}
