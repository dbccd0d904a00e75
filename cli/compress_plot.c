// SPDX-License-Identifier: MIT
// sinew compress --plot: how far each joint is off in each sample, and what each joint costs.
//
// A row a joint. To the left its error over time, as a share of the bound: the colours are those of
// a scale beside the title, red where the bound is broken. Of several samples in one column of
// pixels the largest is shown. To the right a bar of the bytes that are the joint's own.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/compress.h"
#include "cli/output_file.h"
#include "extras/font.h"
#include "extras/system.h"
#include "sinew/runtime_cost.h"

enum {
    PLOT_MARGIN = 12,
    PLOT_TOP = 44,
    PLOT_BOTTOM = 24,
    PLOT_NAMES = 150,  // pixels for names
    PLOT_TIMES = 720,  // for the error over time
    PLOT_BARS = 200,   // for sizes
    PLOT_LETTERS = 24, // most of a name
    PLOT_MOST_ROWS = 1000
};

// A transform as a matrix of three rows, in double as the builder measures.
typedef struct plot_affine {
    double m[12];
} plot_affine;

static plot_affine plot_affine_of(const sinew_transform *t)
{
    double x = (double)t->rotation.x, y = (double)t->rotation.y, z = (double)t->rotation.z,
           w = (double)t->rotation.w;
    const double n = 1.0 / sqrt(x * x + y * y + z * z + w * w);
    x *= n, y *= n, z *= n, w *= n;
    const double sx = (double)t->scale.x, sy = (double)t->scale.y, sz = (double)t->scale.z;
    return (plot_affine){
        {(1.0 - 2.0 * (y * y + z * z)) * sx, 2.0 * (x * y - z * w) * sy, 2.0 * (x * z + y * w) * sz,
         (double)t->translation.x, 2.0 * (x * y + z * w) * sx, (1.0 - 2.0 * (x * x + z * z)) * sy,
         2.0 * (y * z - x * w) * sz, (double)t->translation.y, 2.0 * (x * z - y * w) * sx,
         2.0 * (y * z + x * w) * sy, (1.0 - 2.0 * (x * x + y * y)) * sz, (double)t->translation.z}};
}

static plot_affine plot_affine_mul(const plot_affine *a, const plot_affine *b)
{
    plot_affine out;
    for (int r = 0; r < 12; r += 4)
        for (int c = 0; c < 4; c++)
            out.m[r + c] = a->m[r] * b->m[c] + a->m[r + 1] * b->m[4 + c] +
                           a->m[r + 2] * b->m[8 + c] + (c == 3 ? a->m[r + 3] : 0.0);
    return out;
}

static double plot_distance(const plot_affine *a, const plot_affine *b, double shell)
{
    double worst = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double sum = 0.0;
        for (int r = 0; r < 12; r += 4) {
            const double e =
                (a->m[r + 3] - b->m[r + 3]) + shell * (a->m[r + axis] - b->m[r + axis]);
            sum += e * e;
        }
        worst = fmax(worst, sum);
    }
    return sqrt(worst);
}

typedef struct plot_data {
    const compress_entry *entry;
    const sinew_skeleton *skeleton;
    const sinew_runtime_clip *clip;
    uint32_t joint_count, sample_count;
    float *errors;        // [joint_count][PLOT_TIMES] the largest of a column; -1: no sample there
    uint64_t *joint_bits; // [joint_count]
    sinew_runtime_cost cost;
} plot_data;

static void plot_models(const sinew_skeleton *skeleton, const sinew_pose *pose, plot_affine *out)
{
    const int32_t *parents = sinew_skeleton_parents(skeleton);
    for (uint32_t j = 0; j < pose->joint_count; j++) {
        const sinew_transform t = sinew_pose_get(pose, j);
        const plot_affine own = plot_affine_of(&t);
        out[j] = parents[j] < 0 ? own : plot_affine_mul(&out[parents[j]], &own);
    }
}

static uint32_t plot_column(const plot_data *d, uint32_t sample)
{
    return (uint32_t)((uint64_t)sample * PLOT_TIMES / d->sample_count);
}

static sinew_result plot_measure(plot_data *d)
{
    const uint32_t n = d->joint_count;
    const size_t size = sinew_pose_size(n);
    void *memory[2] = {sinew_aligned_alloc(size), sinew_aligned_alloc(size)};
    plot_affine *models = calloc(2 * (size_t)n + 1, sizeof *models);
    sinew_pose poses[2];
    sinew_result result = memory[0] && memory[1] && models ? SINEW_OK : SINEW_ERROR_OUT_OF_MEMORY;
    for (int k = 0; k < 2 && result == SINEW_OK; k++)
        result = sinew_pose_init(&poses[k], n, memory[k], size);
    for (uint32_t i = 0; i < d->sample_count && result == SINEW_OK; i++) {
        const double time = i + 1 == d->sample_count ? sinew_runtime_clip_duration(d->clip)
                                                     : i / sinew_runtime_clip_rate(d->clip);
        result = sinew_clip_sample(&(sinew_sample_args){
            .binding = d->entry->binding, .time = time, .out_pose = &poses[0]});
        if (result == SINEW_OK)
            result = sinew_runtime_clip_sample(
                &(sinew_runtime_sample_args){.clip = d->clip, .time = time, .out_pose = &poses[1]});
        if (result != SINEW_OK)
            break;
        plot_models(d->skeleton, &poses[0], models);
        plot_models(d->skeleton, &poses[1], models + n);
        for (uint32_t j = 0; j < n; j++) {
            float *cell = &d->errors[(size_t)j * PLOT_TIMES + plot_column(d, i)];
            const double e =
                plot_distance(&models[j], &models[n + j], (double)d->entry->report.shell);
            *cell = fmaxf(*cell, (float)e);
        }
    }
    sinew_aligned_free(memory[0]);
    sinew_aligned_free(memory[1]);
    free(models);
    return result;
}

// ---- Drawing ----------------------------------------------------------------------------------------------

// From dark blue over green to yellow; red beyond the bound.
static void plot_color(double share, uint8_t out[4])
{
    static const uint8_t stops[5][3] = {
        {24, 30, 70}, {32, 90, 130}, {40, 150, 120}, {140, 200, 80}, {250, 230, 60}};
    out[3] = 255;
    if (share > 1.0) {
        out[0] = 230, out[1] = 40, out[2] = 40;
        return;
    }
    const double place = fmax(share, 0.0) * 4.0;
    const int low = place < 3.0 ? (int)place : 3;
    for (int k = 0; k < 3; k++)
        out[k] = (uint8_t)((double)stops[low][k] +
                           (place - low) * (double)(stops[low + 1][k] - stops[low][k]) + 0.5);
}

// Capitals, what the font lacks as a point, cut to what fits.
static void plot_label(const char *text, char out[PLOT_LETTERS + 1])
{
    size_t length = 0;
    for (; text[length] && length < PLOT_LETTERS; length++) {
        const char c = text[length];
        const bool small = c >= 'a' && c <= 'z', known = (c >= 'A' && c <= 'Z') ||
                                                         (c >= '0' && c <= '9') ||
                                                         (c != '\0' && strchr("_-+:./ ", c));
        out[length] = small ? (char)(c - 'a' + 'A') : known ? c : '.';
    }
    out[length] = '\0';
}

static void plot_row(sinew_picture *picture, const plot_data *d, uint32_t joint, uint32_t index,
                     uint32_t height, uint64_t most_bits)
{
    static const uint8_t text_color[4] = {225, 225, 225, 255}, bar_color[4] = {120, 160, 220, 255};
    const int32_t top = PLOT_TOP + (int32_t)(index * height), left = PLOT_MARGIN + PLOT_NAMES;
    const int32_t inner = (int32_t)(height > 2 ? height - 1 : height);
    float last = -1.0f;
    for (int32_t x = 0; x < PLOT_TIMES; x++) {
        const float e = d->errors[(size_t)joint * PLOT_TIMES + (size_t)x];
        last = e >= 0.0f ? e : last; // between two samples the first of them is shown
        uint8_t color[4];
        plot_color((double)last / (double)d->entry->report.error, color);
        sinew_picture_fill(picture, left + x, top, 1, inner, color);
    }
    const int32_t bars = left + PLOT_TIMES + PLOT_MARGIN;
    const int32_t width =
        most_bits ? (int32_t)((double)d->joint_bits[joint] / (double)most_bits * (PLOT_BARS - 50))
                  : 0;
    sinew_picture_fill(picture, bars, top, width, inner, bar_color);
    if (height < SINEW_FONT_HEIGHT + 2)
        return;
    const int32_t y = top + (inner - SINEW_FONT_HEIGHT) / 2;
    char label[PLOT_LETTERS + 1], number[24];
    plot_label(sinew_skeleton_joint_name(d->skeleton, joint), label);
    sinew_font_draw(picture, PLOT_MARGIN, y, 1, text_color, label);
    snprintf(number, sizeof number, "%llu", (unsigned long long)(d->joint_bits[joint] + 7) / 8);
    sinew_font_draw(picture, bars + width + 4, y, 1, text_color, number);
}

static void plot_titles(sinew_picture *picture, const plot_data *d)
{
    static const uint8_t color[4] = {225, 225, 225, 255};
    const int32_t left = PLOT_MARGIN + PLOT_NAMES;
    char label[PLOT_LETTERS + 1], text[128];
    plot_label(d->entry->name, label);
    snprintf(text, sizeof text, "%s  %llu : %llu BYTES", label,
             (unsigned long long)d->entry->report.raw_size, (unsigned long long)d->cost.total);
    sinew_font_draw(picture, left, PLOT_MARGIN, 1, color, text);
    snprintf(text, sizeof text, "ERROR 0");
    sinew_font_draw(picture, left, PLOT_MARGIN + 14, 1, color, text);
    for (int32_t x = 0; x < 100; x++) {
        uint8_t shade[4];
        plot_color((double)x / 99.0, shade);
        sinew_picture_fill(picture, left + 48 + x, PLOT_MARGIN + 14, 1, 8, shade);
    }
    snprintf(text, sizeof text, "%.4g MM   LARGEST %.4g MM", 1e3 * (double)d->entry->report.error,
             1e3 * d->entry->report.max_error);
    sinew_font_draw(picture, left + 154, PLOT_MARGIN + 14, 1, color, text);
    sinew_font_draw(picture, left + PLOT_TIMES + PLOT_MARGIN, PLOT_MARGIN + 14, 1, color,
                    "BYTES BY JOINT");
    const int32_t y = (int32_t)picture->height - PLOT_BOTTOM + 8;
    for (int k = 0; k <= 4; k++) {
        snprintf(text, sizeof text, "%.3gs", sinew_runtime_clip_duration(d->clip) * k / 4.0);
        const int32_t width = (int32_t)sinew_font_width(text, 1);
        sinew_font_draw(picture, left + (PLOT_TIMES - 1) * k / 4 - width * k / 4, y, 1, color,
                        text);
    }
}

static sinew_result plot_draw(const plot_data *d, sinew_picture *picture)
{
    static const uint8_t ground[4] = {16, 18, 24, 255};
    const uint32_t rows = d->joint_count < PLOT_MOST_ROWS ? d->joint_count : PLOT_MOST_ROWS;
    const uint32_t height = rows <= 80 ? 11 : rows <= 400 ? 3 : 1;
    const sinew_result result = sinew_picture_create(
        PLOT_MARGIN + PLOT_NAMES + PLOT_TIMES + PLOT_MARGIN + PLOT_BARS + PLOT_MARGIN,
        PLOT_TOP + rows * height + PLOT_BOTTOM, picture);
    if (result != SINEW_OK)
        return result;
    sinew_picture_fill(picture, 0, 0, (int32_t)picture->width, (int32_t)picture->height, ground);
    uint64_t most = 0;
    for (uint32_t j = 0; j < d->joint_count; j++)
        most = d->joint_bits[j] > most ? d->joint_bits[j] : most;
    for (uint32_t j = 0; j < rows; j++)
        plot_row(picture, d, j, j, height, most);
    plot_titles(picture, d);
    return SINEW_OK;
}

int compress_write_plot(const compress_job *job, const sinew_runtime_file *file, const char *path)
{
    plot_data d = {.entry = &job->entries[0]};
    sinew_picture picture = {0};
    sinew_error error = {0};
    d.skeleton = job->rigs[d.entry->rig].skeleton;
    d.clip = sinew_runtime_file_clip_at(file, 0)->clip;
    d.joint_count = sinew_skeleton_joint_count(d.skeleton);
    d.sample_count = sinew_runtime_clip_sample_count(d.clip);
    const size_t cells = (size_t)d.joint_count * PLOT_TIMES;
    d.errors = malloc((cells ? cells : 1) * sizeof *d.errors);
    d.joint_bits = calloc((size_t)d.joint_count + 1, sizeof *d.joint_bits);
    sinew_result result = d.errors && d.joint_bits ? SINEW_OK : SINEW_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < cells && result == SINEW_OK; i++)
        d.errors[i] = -1.0f;
    if (result == SINEW_OK)
        result = sinew_runtime_clip_cost(d.clip, &d.cost, d.joint_bits);
    if (result == SINEW_OK)
        result = plot_measure(&d);
    if (result == SINEW_OK)
        result = plot_draw(&d, &picture);
    free(d.errors);
    free(d.joint_bits);
    if (result != SINEW_OK) {
        error.code = result;
        sinew_picture_destroy(&picture);
        return cli_input_error(d.entry->file, &error, job->json);
    }
    result = sinew_picture_write_png(&picture, path, &error);
    sinew_picture_destroy(&picture);
    if (result == SINEW_OK)
        return CLI_EXIT_OK;
    fprintf(stderr, "%s: the file: cannot be written: %s\n", path, error.message);
    return CLI_EXIT_WRITE;
}
