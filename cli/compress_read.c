// SPDX-License-Identifier: MIT
// sinew compress: from files to runtime clips, one for each clip and rig.
#include <stdlib.h>
#include <string.h>

#include "cli/bar_file.h"
#include "cli/cli.h"
#include "cli/compress.h"
#include "extras/system.h"

static int compress_fail(const compress_job *job, const char *file, sinew_result code)
{
    return cli_input_error(file, &(sinew_error){.code = code}, job->json);
}

// The array with room for one more element behind `count`; NULL, and the array as it was, where
// there is none.
static void *compress_grow(void *array, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room)
        return array;
    const uint32_t more = *room ? 2 * *room : 16;
    void *larger = realloc(array, more * size);
    *room = larger ? more : *room;
    return larger;
}

static char *compress_text(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

// ---- Rigs -------------------------------------------------------------------------------------------------

static bool same_skeletons(const sinew_skeleton *a, const sinew_skeleton *b)
{
    const uint32_t n = sinew_skeleton_joint_count(a);
    if (sinew_skeleton_joint_count(b) != n ||
        memcmp(sinew_skeleton_parents(a), sinew_skeleton_parents(b), n * sizeof(int32_t)) != 0 ||
        memcmp(sinew_skeleton_nodes(a), sinew_skeleton_nodes(b), n * sizeof(int32_t)) != 0 ||
        memcmp(sinew_skeleton_rest(a), sinew_skeleton_rest(b), n * sizeof(sinew_transform)) != 0)
        return false;
    for (uint32_t j = 0; j < n; j++) {
        const sinew_vec3 x = sinew_skeleton_shear(a, j), y = sinew_skeleton_shear(b, j);
        if (sinew_skeleton_scale_rule(a, j) != sinew_skeleton_scale_rule(b, j) ||
            memcmp(&x, &y, sizeof x) != 0 ||
            strcmp(sinew_skeleton_joint_name(a, j), sinew_skeleton_joint_name(b, j)) != 0)
            return false;
    }
    return true;
}

// Takes a skeleton over; an equal one that is there already is shared.
static bool add_rig(compress_job *job, sinew_skeleton *skeleton, const char *name,
                    uint32_t *out_rig)
{
    for (uint32_t r = 0; r < job->rig_count; r++)
        if (strcmp(job->rigs[r].name, name) == 0 &&
            same_skeletons(job->rigs[r].skeleton, skeleton)) {
            sinew_skeleton_destroy(skeleton);
            *out_rig = r;
            return true;
        }
    char *copy = compress_text(name, strlen(name));
    compress_rig *rigs =
        compress_grow(job->rigs, job->rig_count, &job->rig_room, sizeof *job->rigs);
    job->rigs = rigs ? rigs : job->rigs;
    if (!copy || !rigs) {
        free(copy);
        sinew_skeleton_destroy(skeleton);
        return false;
    }
    *out_rig = job->rig_count;
    job->rigs[job->rig_count++] = (compress_rig){skeleton, copy};
    return true;
}

// ---- Names ------------------------------------------------------------------------------------------------

static bool is_taken(const compress_job *job, const char *name, const char *file_name)
{
    for (uint32_t i = 0; i < job->entry_count; i++)
        if (strcmp(job->entries[i].name, name) == 0 ||
            strcmp(job->entries[i].file_name, file_name) == 0)
            return true;
    return false;
}

static void make_file_name(const char *name, char *out)
{
    size_t length = strlen(name);
    memcpy(out, name, length + 1);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)out[i] < 0x20 || strchr("/\\:*?\"<>|", out[i]))
            out[i] = '_';
    if (out[0] == '.')
        out[0] = '_';
    if (length == 0)
        memcpy(out, "_", 2);
}

// A name that no entry has, nor one whose file has the same: with _2, _3, ... behind it.
static bool name_entry(const compress_job *job, compress_entry *entry, const char *name)
{
    const size_t room = strlen(name) + 16;
    entry->name = malloc(room);
    entry->file_name = malloc(room);
    if (!entry->name || !entry->file_name)
        return false;
    for (unsigned number = 1;; number++) {
        if (number == 1)
            snprintf(entry->name, room, "%s", name);
        else
            snprintf(entry->name, room, "%s_%u", name, number);
        make_file_name(entry->name, entry->file_name);
        if (!is_taken(job, entry->name, entry->file_name))
            return true;
    }
}

// ---- Building ---------------------------------------------------------------------------------------------

static bool say_progress(void *user, double done)
{
    compress_job *job = user;
    const double share = job->file_begin + job->file_share * done;
    cli_progress_step(&job->progress, (uint64_t)(1e6 * ((double)job->file_index + share)),
                      (uint64_t)job->file_count * 1000000u);
    return true;
}

static void free_entry(compress_entry *entry)
{
    free(entry->name);
    free(entry->file_name);
    free(entry->order);
    free(entry->scalars);
    sinew_runtime_bytes_free(&entry->bytes);
    sinew_clip_binding_destroy(entry->binding);
    sinew_clip_destroy(entry->clip);
}

// Builds the runtime clip of an entry that has its file and rig, and takes `own` over (NULL: the
// clip is the document's). `order` goes to the entry.
static int build_entry(compress_job *job, const char *file, const char *name, uint32_t rig,
                       const sinew_clip *clip, sinew_clip *own, float rate, uint16_t *order)
{
    compress_entry entry = {.file = file, .rig = rig, .clip = own, .order = order};
    sinew_error error = {0};
    sinew_result result = name_entry(job, &entry, name) ? SINEW_OK : SINEW_ERROR_OUT_OF_MEMORY;
    if (result == SINEW_OK)
        result = sinew_clip_binding_create(
            &(sinew_clip_binding_desc){.clip = clip, .skeleton = job->rigs[rig].skeleton},
            &entry.binding);
    if (result == SINEW_OK) {
        const sinew_scalar *scalars =
            sinew_clip_binding_scalars(entry.binding, &entry.scalar_count);
        entry.scalars = malloc((entry.scalar_count ? entry.scalar_count : 1) * sizeof *scalars);
        if (entry.scalars && entry.scalar_count)
            memcpy(entry.scalars, scalars, entry.scalar_count * sizeof *scalars);
        result = entry.scalars ? SINEW_OK : SINEW_ERROR_OUT_OF_MEMORY;
    }
    if (result == SINEW_OK) {
        sinew_runtime_build_desc desc = job->desc;
        desc.binding = entry.binding;
        desc.progress = say_progress;
        desc.progress_user = job;
        if (desc.rate == 0.0f)
            desc.rate = rate;
        const double begin = sinew_clock_seconds();
        result = sinew_runtime_clip_build(&desc, &entry.bytes, &entry.report, &error);
        entry.seconds = sinew_clock_seconds() - begin;
    }
    compress_entry *entries =
        compress_grow(job->entries, job->entry_count, &job->entry_room, sizeof *job->entries);
    job->entries = entries ? entries : job->entries;
    if (result == SINEW_OK && !entries)
        result = SINEW_ERROR_OUT_OF_MEMORY;
    if (result != SINEW_OK) {
        free_entry(&entry);
        error.code = result;
        if (!error.path[0])
            snprintf(error.path, sizeof error.path, "clip %.200s", name);
        cli_progress_end(&job->progress);
        return cli_input_error(file, &error, job->json);
    }
    if (!job->keep_sources) {
        sinew_clip_binding_destroy(entry.binding);
        sinew_clip_destroy(entry.clip);
        entry.binding = NULL;
        entry.clip = NULL;
    }
    job->entries[job->entry_count++] = entry;
    return CLI_EXIT_OK;
}

// ---- .bar -------------------------------------------------------------------------------------------------

static int compress_bar(compress_job *job, const char *file)
{
    bar_file bar;
    sinew_error error = {0};
    sinew_result result = bar_file_read(file, &bar, &error);
    if (result != SINEW_OK)
        return cli_input_error(file, &error, job->json);
    const char *base = file + strlen(file);
    while (base > file && base[-1] != '/' && base[-1] != '\\')
        base--;
    char *name = compress_text(base, strlen(base) - strlen(".bar"));
    sinew_skeleton *skeleton = NULL;
    sinew_clip *clip = NULL;
    uint16_t *order = malloc(bar.joint_count * sizeof *order);
    uint32_t rig = 0;
    if (!name || !order)
        result = SINEW_ERROR_OUT_OF_MEMORY;
    if (result == SINEW_OK)
        result = bar_file_skeleton(&bar, &skeleton, &error);
    if (result == SINEW_OK) {
        memcpy(order, sinew_skeleton_joint_of_input(skeleton), bar.joint_count * sizeof *order);
        if (!add_rig(job, skeleton, "", &rig))
            result = SINEW_ERROR_OUT_OF_MEMORY;
    }
    if (result == SINEW_OK)
        result = bar_file_clip(&bar, name, &clip, &error);
    const float rate = bar.rate;
    bar_file_free(&bar);
    int status;
    if (result == SINEW_OK) {
        job->file_begin = 0.0;
        job->file_share = 1.0;
        status = build_entry(job, file, name, rig, clip, clip, rate, order);
    } else {
        error.code = result;
        free(order);
        status = cli_input_error(file, &error, job->json);
    }
    free(name);
    return status;
}

// ---- Documents --------------------------------------------------------------------------------------------

// Whether the weights of a node ride along with a rig: its mesh uses one of the rig's skins. A rig
// without skins takes all.
static bool node_goes_with(const sinew_document *d, const sinew_rig *rig, int32_t node)
{
    const int32_t skin = node >= 0 && (uint32_t)node < d->node_count ? d->nodes[node].skin : -1;
    for (uint32_t s = 0; s < rig->skin_count; s++)
        if (skin >= 0 && rig->skins[s] == (uint32_t)skin)
            return true;
    return rig->skin_count == 0;
}

// The clip without weights of meshes that are not the rig's. NULL where nothing is to be left out,
// or the clip would end earlier.
static sinew_result leave_weights_out(const sinew_document *d, const sinew_rig *rig,
                                      const sinew_clip *clip, sinew_clip **out)
{
    *out = NULL;
    const uint32_t count = sinew_clip_track_count(clip);
    sinew_track *tracks = malloc((count ? count : 1) * sizeof *tracks);
    if (!tracks)
        return SINEW_ERROR_OUT_OF_MEMORY;
    uint32_t kept = 0;
    for (uint32_t t = 0; t < count; t++) {
        const sinew_track *track = &sinew_clip_tracks(clip)[t];
        if (track->property != SINEW_PROPERTY_WEIGHTS || node_goes_with(d, rig, track->node))
            tracks[kept++] = *track;
    }
    sinew_result result = SINEW_OK;
    if (kept < count)
        result = sinew_clip_create(&(sinew_clip_desc){.name = sinew_clip_name(clip),
                                                      .tracks = tracks,
                                                      .track_count = kept},
                                   out, NULL);
    free(tracks);
    if (*out && sinew_clip_duration(*out) != sinew_clip_duration(clip)) {
        sinew_clip_destroy(*out);
        *out = NULL;
    }
    return result;
}

static int compress_pair(compress_job *job, const char *file, const sinew_document *d,
                         uint32_t clip_index, uint32_t rig_index, uint32_t rig)
{
    const sinew_clip *clip = d->clips[clip_index];
    sinew_clip *own;
    const sinew_result result = leave_weights_out(d, &d->rigs[rig_index], clip, &own);
    const char *clip_name = sinew_clip_name(clip), *rig_name = d->rigs[rig_index].name;
    const size_t room = strlen(clip_name) + strlen(rig_name) + 2;
    char *name = malloc(room);
    if (result != SINEW_OK || !name) {
        free(name);
        sinew_clip_destroy(own);
        return compress_fail(job, file, SINEW_ERROR_OUT_OF_MEMORY);
    }
    if (d->rig_count > 1)
        snprintf(name, room, "%s.%s", clip_name, rig_name);
    else
        snprintf(name, room, "%s", clip_name);
    const int status = build_entry(job, file, name, rig, own ? own : clip, own, 0.0f, NULL);
    free(name);
    return status;
}

static int compress_clips(compress_job *job, const char *file, const sinew_document *d)
{
    sinew_error error = {.code = SINEW_ERROR_NOT_FOUND};
    if (d->clip_count == 0 || d->rig_count == 0) {
        snprintf(error.message, sizeof error.message, "the file has no %s to compress",
                 d->clip_count ? "rig whose clips there are" : "clips");
        return cli_input_error(file, &error, job->json);
    }
    uint32_t first = 0, end = d->clip_count;
    if (job->clip) {
        const int status = cli_find_clip(file, d, job->clip, job->json, &first);
        if (status != CLI_EXIT_OK)
            return status;
        end = first + 1;
    }
    const double parts = (double)(end - first) * (double)d->rig_count;
    job->file_share = 1.0 / parts;
    double done = 0.0;
    for (uint32_t r = 0; r < d->rig_count; r++) {
        sinew_skeleton *skeleton;
        uint32_t rig;
        const sinew_result result = sinew_document_rig_skeleton(d, r, NULL, &skeleton, &error);
        if (result != SINEW_OK) {
            error.code = result;
            return cli_input_error(file, &error, job->json);
        }
        if (!add_rig(job, skeleton, d->rigs[r].name, &rig))
            return compress_fail(job, file, SINEW_ERROR_OUT_OF_MEMORY);
        for (uint32_t c = first; c < end; c++, done += 1.0) {
            job->file_begin = done / parts;
            const int status = compress_pair(job, file, d, c, r, rig);
            if (status != CLI_EXIT_OK)
                return status;
        }
    }
    return CLI_EXIT_OK;
}

// ---- The call ---------------------------------------------------------------------------------------------

int compress_read(compress_job *job, const char *file)
{
    if (file[0] != '@' && cli_ends_with(file, ".bar"))
        return compress_bar(job, file);
    sinew_document *d;
    int status = cli_open("compress", file, job->strict, job->json, &d);
    if (status != CLI_EXIT_OK)
        return status;
    status = compress_clips(job, file, d);
    if (job->keep_sources && status == CLI_EXIT_OK) { // bindings read the document's clips
        sinew_document **documents = compress_grow(job->documents, job->document_count,
                                                   &job->document_room, sizeof(sinew_document *));
        if (documents) {
            job->documents = documents;
            job->documents[job->document_count++] = d;
            return status;
        }
        status = compress_fail(job, file, SINEW_ERROR_OUT_OF_MEMORY);
    }
    for (uint32_t i = 0; i < job->entry_count; i++) {
        sinew_clip_binding_destroy(job->entries[i].binding);
        job->entries[i].binding = NULL;
    }
    sinew_document_destroy(d);
    return status;
}

uint32_t compress_joint(const compress_job *job, const compress_entry *entry, uint32_t joint)
{
    const uint32_t n = sinew_skeleton_joint_count(job->rigs[entry->rig].skeleton);
    for (uint32_t j = 0; entry->order && j < n; j++)
        if (entry->order[j] == joint)
            return j;
    return joint;
}

const char *compress_joint_name(const compress_job *job, const compress_entry *entry,
                                uint32_t joint)
{
    return sinew_skeleton_joint_name(job->rigs[entry->rig].skeleton, joint);
}

void compress_free(compress_job *job)
{
    for (uint32_t i = 0; i < job->entry_count; i++)
        free_entry(&job->entries[i]);
    for (uint32_t r = 0; r < job->rig_count; r++) {
        sinew_skeleton_destroy(job->rigs[r].skeleton);
        free(job->rigs[r].name);
    }
    for (uint32_t i = 0; i < job->document_count; i++)
        sinew_document_destroy(job->documents[i]);
    free(job->entries);
    free(job->rigs);
    free(job->documents);
}
