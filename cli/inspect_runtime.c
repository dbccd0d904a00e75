// SPDX-License-Identifier: MIT
// sinew inspect of files of runtime clips: the clips, their skeletons, and what each part costs.
#include "cli/inspect_runtime.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/findings.h"
#include "cli/json_writer.h"
#include "cli/text.h"
#include "extras/system.h"
#include "sinew/runtime_cost.h"
#include "sinew/runtime_file.h"

bool cli_is_runtime_file(const char *file)
{
    return file[0] != '@' && cli_ends_with(file, ".sinew");
}

// The parts of a clip, by name.
enum { COST_PARTS = 9 };
static const char *const cost_names[COST_PARTS] = {
    "head", "kinds", "axes", "constants", "held", "scalars", "keys", "widths", "values"};

static void list_costs(const sinew_runtime_cost *c, uint64_t out[COST_PARTS])
{
    const uint64_t parts[COST_PARTS] = {c->head,    c->kinds, c->axes,   c->constants, c->held,
                                        c->scalars, c->keys,  c->widths, c->values};
    memcpy(out, parts, sizeof parts);
}

// What a clip says, and what its scalars take in the file.
static sinew_runtime_cost cost_of(const sinew_runtime_file_clip *c)
{
    sinew_runtime_cost cost = {0};
    sinew_runtime_clip_cost(c->clip, &cost, NULL);
    return cost;
}

static double raw_size_of(const sinew_runtime_clip *clip)
{
    return 40.0 * sinew_runtime_clip_joint_count(clip) * sinew_runtime_clip_sample_count(clip);
}

// The length of the first joint's path, metres.
static double root_travel_of(const sinew_runtime_clip *clip)
{
    static const uint16_t root[1] = {0};
    const uint32_t n = sinew_runtime_clip_joint_count(clip);
    const size_t size = sinew_pose_size(n);
    void *memory = n ? sinew_aligned_alloc(size) : NULL;
    sinew_pose pose;
    sinew_vec3 before = {0, 0, 0};
    double travel = 0.0;
    if (!memory || sinew_pose_init(&pose, n, memory, size) != SINEW_OK) {
        sinew_aligned_free(memory);
        return 0.0;
    }
    for (uint32_t i = 0; i < sinew_runtime_clip_sample_count(clip); i++) {
        sinew_runtime_clip_sample(
            &(sinew_runtime_sample_args){.clip = clip,
                                         .time = i / sinew_runtime_clip_rate(clip),
                                         .joints = root,
                                         .joint_count = 1,
                                         .out_pose = &pose});
        const sinew_vec3 at = sinew_pose_get(&pose, 0).translation;
        if (i > 0)
            travel += (double)sinew_vec3_length(sinew_vec3_sub(at, before));
        before = at;
    }
    sinew_aligned_free(memory);
    return travel;
}

// ---- JSON -------------------------------------------------------------------------------------------------

static void write_runtime_rigs(json_writer *w, const sinew_runtime_file *file)
{
    json_open_array(w, "rigs");
    for (uint32_t r = 0; r < sinew_runtime_file_skeleton_count(file); r++) {
        const sinew_skeleton *s = sinew_runtime_file_skeleton(file, r);
        json_open_object(w, NULL);
        json_whole(w, "index", r);
        json_text(w, "name", sinew_runtime_file_skeleton_name(file, r));
        json_whole(w, "joint_count", sinew_skeleton_joint_count(s));
        json_open_array(w, "joints");
        for (uint32_t j = 0; j < sinew_skeleton_joint_count(s); j++) {
            json_open_object(w, NULL);
            json_whole(w, "index", j);
            json_text(w, "name", sinew_skeleton_joint_name(s, j));
            json_whole(w, "parent", sinew_skeleton_parents(s)[j]);
            json_index(w, "node", sinew_skeleton_nodes(s)[j]);
            json_close_object(w);
        }
        json_close_array(w);
        json_close_object(w);
    }
    json_close_array(w);
}

static void write_runtime_clip(json_writer *w, uint32_t index, const sinew_runtime_file_clip *c)
{
    static const char *const properties[3] = {"translation", "rotation", "scale"};
    const sinew_runtime_cost cost = cost_of(c);
    uint64_t parts[COST_PARTS];
    list_costs(&cost, parts);
    json_open_object(w, NULL);
    json_whole(w, "index", index);
    json_text(w, "name", c->name);
    json_whole(w, "rig", c->skeleton);
    json_double(w, "duration", sinew_runtime_clip_duration(c->clip));
    json_double(w, "rate", sinew_runtime_clip_rate(c->clip));
    json_whole(w, "joint_count", sinew_runtime_clip_joint_count(c->clip));
    json_whole(w, "sample_count", sinew_runtime_clip_sample_count(c->clip));
    uint32_t channels = c->scalar_count, steps = 0;
    for (int p = 0; p < 3; p++) {
        channels += cost.animated[p] + cost.constant[p] + cost.step[p];
        steps += cost.step[p];
    }
    json_double(w, "first_key", 0.0);
    json_whole(w, "channel_count", channels);
    json_whole(w, "key_count", sinew_runtime_clip_sample_count(c->clip));
    json_open_array(w, "interpolations");
    if (steps)
        json_text(w, NULL, "STEP");
    json_text(w, NULL, "LINEAR");
    json_close_array(w);
    json_double(w, "root_travel", root_travel_of(c->clip));
    json_whole(w, "scalar_count", c->scalar_count);
    json_whole(w, "bytes", (int64_t)c->size);
    json_open_object(w, "parts");
    for (int i = 0; i < COST_PARTS; i++)
        json_whole(w, cost_names[i], (int64_t)parts[i]);
    json_close_object(w);
    json_open_object(w, "tracks");
    for (int p = 0; p < 3; p++) {
        json_open_object(w, properties[p]);
        json_whole(w, "animated", cost.animated[p]);
        json_whole(w, "constant", cost.constant[p]);
        json_whole(w, "step", cost.step[p]);
        json_close_object(w);
    }
    json_close_object(w);
    json_close_object(w);
}

static void write_runtime_file(const char *name, const sinew_runtime_file *file, size_t size)
{
    json_writer w = {stdout, false};
    json_open_object(&w, NULL);
    json_text(&w, "file", name);
    json_text(&w, "format", "sinew");
    json_whole(&w, "bytes", (int64_t)size);
    write_runtime_rigs(&w, file);
    static const char *const empty[] = {"skins", "meshes", "instances"};
    for (int i = 0; i < 3; i++) { // such files hold none
        json_open_array(&w, empty[i]);
        json_close_array(&w);
    }
    json_open_array(&w, "clips");
    for (uint32_t i = 0; i < sinew_runtime_file_clip_count(file); i++)
        write_runtime_clip(&w, i, sinew_runtime_file_clip_at(file, i));
    json_close_array(&w);
    cli_write_findings(&w, NULL, 0);
    json_close_object(&w);
    putchar('\n');
}

// ---- For a person -----------------------------------------------------------------------------------------

static void print_runtime_rigs(const sinew_runtime_file *file, bool joints)
{
    for (uint32_t r = 0; r < sinew_runtime_file_skeleton_count(file); r++) {
        const sinew_skeleton *s = sinew_runtime_file_skeleton(file, r);
        printf("rig %u  '", r);
        cli_put_text(stdout, sinew_runtime_file_skeleton_name(file, r));
        printf("'  %u joint%s\n", sinew_skeleton_joint_count(s),
               sinew_skeleton_joint_count(s) == 1 ? "" : "s");
        for (uint32_t j = 0; joints && j < sinew_skeleton_joint_count(s); j++) {
            printf("    %u ", j);
            cli_put_text(stdout, sinew_skeleton_joint_name(s, j));
            if (sinew_skeleton_parents(s)[j] >= 0)
                printf(" below %d", sinew_skeleton_parents(s)[j]);
            putchar('\n');
        }
    }
}

static void print_runtime_file(const char *name, const sinew_runtime_file *file, size_t size,
                               bool joints)
{
    const uint32_t clips = sinew_runtime_file_clip_count(file);
    cli_put_text(stdout, name);
    printf(": sinew; %u clip%s, %llu bytes\n", clips, clips == 1 ? "" : "s",
           (unsigned long long)size);
    print_runtime_rigs(file, joints);
    if (clips)
        printf("clip  seconds     Hz  samples  rig joints    bytes  ratio  name\n");
    uint64_t sums[COST_PARTS] = {0}, all = 0;
    for (uint32_t i = 0; i < clips; i++) {
        const sinew_runtime_file_clip *c = sinew_runtime_file_clip_at(file, i);
        const sinew_runtime_cost cost = cost_of(c);
        uint64_t parts[COST_PARTS];
        list_costs(&cost, parts);
        for (int k = 0; k < COST_PARTS; k++)
            sums[k] += parts[k];
        all += cost.total;
        printf("%4u %8.4g %6.4g %8u %4u %6u %8llu %6.2f  '", i,
               sinew_runtime_clip_duration(c->clip), sinew_runtime_clip_rate(c->clip),
               sinew_runtime_clip_sample_count(c->clip), c->skeleton,
               sinew_runtime_clip_joint_count(c->clip), (unsigned long long)c->size,
               raw_size_of(c->clip) / (double)c->size);
        cli_put_text(stdout, c->name);
        printf("'");
        if (c->scalar_count)
            printf(", %u morph weight%s", c->scalar_count, c->scalar_count == 1 ? "" : "s");
        putchar('\n');
    }
    static const char *const meanings[COST_PARTS] = {"heads",
                                                     "what each joint does",
                                                     "axes and references of what moves",
                                                     "what stands still, but not at rest",
                                                     "STEP tracks",
                                                     "morph weights",
                                                     "samples at the ends of blocks",
                                                     "how many bits the values of blocks have",
                                                     "samples between"};
    for (int k = 0; k < COST_PARTS && all; k++)
        if (sums[k])
            printf("  %8llu bytes  %4.1f %%  %s\n", (unsigned long long)sums[k],
                   100.0 * (double)sums[k] / (double)all, meanings[k]);
    if (clips)
        printf("  %8llu bytes  skeletons, names and where clips begin\n",
               (unsigned long long)(size - all));
}

// ---- The call ---------------------------------------------------------------------------------------------

int inspect_runtime(const char *file, bool joints, bool json)
{
    enum { MOST_BYTES = 1 << 30 };
    sinew_error error = {0};
    size_t size;
    char *bytes = cli_read_file(file, MOST_BYTES, &size, &error);
    if (!bytes)
        return cli_input_error(file, &error, json);
    sinew_runtime_file *runtime;
    const sinew_result result = sinew_runtime_file_open(bytes, size, NULL, &runtime, &error);
    int status;
    if (result != SINEW_OK) {
        error.code = result;
        status = cli_input_error(file, &error, json);
    } else {
        if (json)
            write_runtime_file(file, runtime, size);
        else
            print_runtime_file(file, runtime, size, joints);
        status = cli_finish_output("inspect");
    }
    sinew_runtime_file_close(runtime);
    free(bytes);
    return status;
}
