// SPDX-License-Identifier: MIT
// Fade curves, and the weights of cross-fades. A fade that is interrupted starts from the weights
// that are seen, so that any chain of fades sums to 1.
#include <math.h>

#include "sinew/transition.h"

float sinew_fade(sinew_fade_curve curve, float x)
{
    if (!(x < 1.0f))
        return 1.0f;
    if (x <= 0.0f)
        return 0.0f;
    float y = 1.0f;
    switch (curve) {
    case SINEW_FADE_LINEAR:
        y = x;
        break;
    case SINEW_FADE_SMOOTH:
        y = x * x * (3.0f - 2.0f * x);
        break;
    case SINEW_FADE_SMOOTHER:
        y = x * x * x * (x * (x * 6.0f - 15.0f) + 10.0f);
        break;
    case SINEW_FADE_EASE_IN:
        y = x * x;
        break;
    case SINEW_FADE_EASE_OUT:
        y = 1.0f - (1.0f - x) * (1.0f - x);
        break;
    case SINEW_FADE_COUNT:
        break;
    }
    return y < 1.0f ? y : 1.0f; // rounded past the end
}

void sinew_crossfade_init(sinew_crossfade *fade, uint32_t source)
{
    if (!fade)
        return;
    *fade = (sinew_crossfade){.sources = {source},
                              .weights = {1.0f},
                              .source_count = 1,
                              .target = source,
                              .from = {1.0f}};
}

// Where a source stands; source_count where it is not seen.
static uint32_t find_fade_source(const sinew_crossfade *fade, uint32_t source)
{
    uint32_t i = 0;
    while (i < fade->source_count && fade->sources[i] != source)
        i++;
    return i;
}

static void remove_fade_source(sinew_crossfade *fade, uint32_t i)
{
    for (; i + 1 < fade->source_count; i++) {
        fade->sources[i] = fade->sources[i + 1];
        fade->weights[i] = fade->weights[i + 1];
        fade->from[i] = fade->from[i + 1];
    }
    fade->source_count--;
}

// The lightest goes, and the others share its weight out.
static void drop_lightest(sinew_crossfade *fade)
{
    uint32_t lightest = 0;
    for (uint32_t i = 1; i < fade->source_count; i++)
        if (fade->weights[i] < fade->weights[lightest])
            lightest = i;
    float left = 1.0f - fade->weights[lightest];
    remove_fade_source(fade, lightest);
    for (uint32_t i = 0; i < fade->source_count; i++)
        fade->weights[i] /= left;
}

bool sinew_crossfade_to(sinew_crossfade *fade, uint32_t source, double seconds,
                        sinew_fade_curve curve)
{
    if (!fade)
        return false;
    if (source == fade->target)
        return false;
    if (!(seconds > 0.0) || !isfinite(seconds)) {
        sinew_crossfade_init(fade, source);
        return true;
    }
    uint32_t at = find_fade_source(fade, source);
    if (at == fade->source_count) {
        if (fade->source_count == SINEW_CROSSFADE_SOURCES)
            drop_lightest(fade);
        at = fade->source_count++;
        fade->sources[at] = source;
        fade->weights[at] = 0.0f;
    }
    double sum = 0.0; // 1, but for rounding, which would gather over many fades
    for (uint32_t i = 0; i < fade->source_count; i++)
        sum += (double)fade->weights[i];
    for (uint32_t i = 0; i < fade->source_count; i++)
        fade->from[i] = fade->weights[i] = (float)((double)fade->weights[i] / sum);
    fade->target = source;
    fade->elapsed = 0.0;
    fade->seconds = seconds;
    fade->curve = curve;
    return true;
}

void sinew_crossfade_advance(sinew_crossfade *fade, double dt)
{
    if (!fade)
        return;
    if (fade->seconds <= 0.0 || !(dt >= 0.0) || !isfinite(dt))
        return;
    fade->elapsed += dt;
    float share = sinew_fade(fade->curve, (float)(fade->elapsed / fade->seconds));
    if (fade->elapsed >= fade->seconds || share >= 1.0f) {
        sinew_crossfade_init(fade, fade->target);
        return;
    }
    for (uint32_t i = 0; i < fade->source_count; i++)
        fade->weights[i] =
            fade->from[i] * (1.0f - share) + (fade->sources[i] == fade->target ? share : 0.0f);
}
