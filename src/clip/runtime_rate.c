// SPDX-License-Identifier: MIT
// The call that builds runtime clips, and its rates by what is between samples. Splines between few
// keys, keys that stand on no grid, and turns by half a circle from key to key want more samples
// than keys: the rate is doubled until what is half way between samples is right, too.
#include <math.h>

#include "clip/runtime_builder.h"

enum { RATE_DOUBLINGS = 6, RATE_MOST_SAMPLES = 1 << 16 };
static const double rate_most = 960.0; // samples a second

// Splines leave the straight line most where it is not looked: half way they often cross it. They
// get samples at a whole number of times the keys' rate.
static const double rate_of_splines = 60.0;

static bool has_splines(const sinew_clip *clip)
{
    for (uint32_t t = 0; t < clip->track_count; t++)
        if (clip->tracks[t].interpolation == SINEW_INTERPOLATION_CUBIC &&
            clip->tracks[t].key_count > 1)
            return true;
    return false;
}

// How many more rates there will be is not known: each takes half of what is left.
typedef struct rate_progress {
    const sinew_runtime_build_desc *desc;
    double begin, share;
} rate_progress;

static bool tell_of_rate(void *user, double done)
{
    const rate_progress *p = user;
    return p->desc->progress(p->desc->progress_user, p->begin + p->share * done);
}

static bool is_good_between(const sinew_runtime_build_desc *desc, const sinew_runtime_report *r)
{
    return r->gap_count == 0 && r->max_error_between <= (double)desc->between * (double)r->error;
}

// The next rate to try; 0: the last one stays.
static double next_rate(const sinew_runtime_build_desc *desc, const sinew_runtime_report *r,
                        uint32_t tried)
{
    const double samples = (double)r->sample_count;
    if (has_splines(desc->binding->clip) && r->rate < 0.999 * rate_of_splines &&
        samples * rate_of_splines / r->rate < (double)RATE_MOST_SAMPLES)
        return r->rate * ceil(rate_of_splines / r->rate - 1e-3);
    if (tried > RATE_DOUBLINGS || 2.0 * r->rate > rate_most ||
        2.0 * samples > (double)RATE_MOST_SAMPLES || is_good_between(desc, r))
        return 0.0;
    return 2.0 * r->rate;
}

static sinew_result build_by_rate(const sinew_runtime_build_desc *desc, sinew_runtime_bytes *out,
                                  sinew_runtime_report *report, sinew_error *error)
{
    rate_progress progress = {desc, 0.0, 0.5};
    sinew_runtime_build_desc next = *desc;
    next.progress_user = &progress;
    if (next.progress)
        next.progress = tell_of_rate;
    for (uint32_t tried = 1;; tried++) {
        sinew_result result = sinewi_runtime_build_once(&next, out, report, error);
        if (result != SINEW_OK)
            return result;
        const double rate = next_rate(desc, report, tried);
        if (rate == 0.0 && desc->progress && !desc->progress(desc->progress_user, 1.0))
            result = sinewi_error(error, SINEW_ERROR_STOPPED, NULL,
                                  "the progress call stopped building a runtime clip");
        if (rate == 0.0 && result == SINEW_OK)
            return result;
        sinew_runtime_bytes_free(out);
        if (result != SINEW_OK)
            return result;
        next.rate = (float)rate;
        progress.begin += progress.share;
        progress.share *= 0.5;
    }
}

sinew_result sinew_runtime_clip_build(const sinew_runtime_build_desc *desc,
                                      sinew_runtime_bytes *out, sinew_runtime_report *out_report,
                                      sinew_error *error)
{
    if (out)
        memset(out, 0, sizeof *out);
    if (!out)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, NULL, "out is required");
    const sinew_result result = sinewi_runtime_check_desc(desc, error);
    if (result != SINEW_OK)
        return result;
    sinew_runtime_report report;
    return desc->between > 0.0f ? build_by_rate(desc, out, out_report ? out_report : &report, error)
                                : sinewi_runtime_build_once(desc, out, out_report, error);
}
