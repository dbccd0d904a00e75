// SPDX-License-Identifier: MIT
// sinew inspect: what a file holds, and what was found in it.
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/json_writer.h"

const char cmd_inspect_help[] =
    "sinew inspect FILE [options]\n"
    "\n"
    "What a file holds: rigs, skins, meshes, clips; and what was found in it, with every repair "
    "that was made.\n"
    "\n"
    "  --strict             the first thing that glTF forbids is an error\n"
    "  --joints             lists all joints of each rig\n"
    "  --json               one JSON object\n"
    "\n"
    "at_rest says what becomes of a skinned mesh in its rest pose: \"identity\" (it stays as it is "
    "in the file, to the last\n"
    "bit), \"common\" (it is moved as a whole), \"no\" (the file's own product, whatever it is).\n";

static const char *rest_word(const sinew_instance *instance)
{
    if (!instance->skinned)
        return NULL;
    return instance->rest.kind == SINEW_REST_IDENTITY ? "identity"
           : instance->rest.kind == SINEW_REST_COMMON ? "common"
                                                      : "no";
}

static int64_t rig_of_skin(const sinew_document *d, uint32_t skin)
{
    for (uint32_t r = 0; r < d->rig_count; r++)
        for (uint32_t k = 0; k < d->rigs[r].skin_count; k++)
            if (d->rigs[r].skins[k] == skin)
                return r;
    return -1;
}

// Which interpolations a clip's tracks have: one bit each.
static unsigned interpolations_of(const sinew_clip *clip)
{
    unsigned bits = 0;
    for (uint32_t t = 0; t < sinew_clip_track_count(clip); t++)
        bits |= 1u << sinew_clip_tracks(clip)[t].interpolation;
    return bits;
}

static uint64_t key_count_of(const sinew_clip *clip)
{
    uint64_t count = 0;
    for (uint32_t t = 0; t < sinew_clip_track_count(clip); t++)
        count += sinew_clip_tracks(clip)[t].key_count;
    return count;
}

static const char *const interpolation_words[] = {"STEP", "LINEAR", "CUBICSPLINE"};

// ---- JSON -------------------------------------------------------------------------------------------------

static void write_rigs(json_writer *w, const sinew_document *d, sinew_skeleton *const *skeletons)
{
    json_open_array(w, "rigs");
    for (uint32_t r = 0; r < d->rig_count; r++) {
        const sinew_skeleton *s = skeletons[r];
        json_open_object(w, NULL);
        json_whole(w, "index", r);
        json_text(w, "name", d->rigs[r].name);
        json_whole(w, "joint_count", sinew_skeleton_joint_count(s));
        json_open_array(w, "joints");
        for (uint32_t j = 0; j < sinew_skeleton_joint_count(s); j++) {
            json_open_object(w, NULL);
            json_whole(w, "index", j);
            json_text(w, "name", sinew_skeleton_joint_name(s, j));
            json_whole(w, "parent", sinew_skeleton_parents(s)[j]);
            json_whole(w, "node", sinew_skeleton_nodes(s)[j]);
            json_close_object(w);
        }
        json_close_array(w);
        json_close_object(w);
    }
    json_close_array(w);
}

static void write_meshes(json_writer *w, const sinew_document *d)
{
    json_open_array(w, "meshes");
    for (uint32_t m = 0; m < d->mesh_count; m++) {
        json_open_object(w, NULL);
        json_whole(w, "index", m);
        json_text(w, "name", d->meshes[m].name);
        json_open_array(w, "primitives");
        for (uint32_t p = 0; p < d->meshes[m].primitive_count; p++) {
            const sinew_primitive *primitive = &d->meshes[m].primitives[p];
            if (!primitive->positions)
                continue;
            json_open_object(w, NULL);
            json_whole(w, "index", p);
            json_whole(w, "vertex_count", primitive->vertex_count);
            json_whole(w, "max_influences", primitive->file_influence_count);
            json_whole(w, "morph_target_count", primitive->target_count);
            json_close_object(w);
        }
        json_close_array(w);
        json_close_object(w);
    }
    json_close_array(w);
}

static void write_clips(json_writer *w, const sinew_document *d)
{
    json_open_array(w, "clips");
    for (uint32_t c = 0; c < d->clip_count; c++) {
        const sinew_clip *clip = d->clips[c];
        json_open_object(w, NULL);
        json_whole(w, "index", c);
        json_text(w, "name", sinew_clip_name(clip));
        json_text(w, "file_name", d->clip_names[c]);
        json_double(w, "duration", sinew_clip_duration(clip));
        json_double(w, "first_key", sinew_clip_first_key(clip));
        json_whole(w, "channel_count", d->clip_channel_counts[c]);
        json_whole(w, "key_count", (int64_t)key_count_of(clip));
        json_open_array(w, "interpolations");
        for (int k = 0; k < 3; k++)
            if (interpolations_of(clip) >> k & 1)
                json_text(w, NULL, interpolation_words[k]);
        json_close_array(w);
        json_double(w, "root_travel", sinew_document_root_travel(d, 0, c));
        json_close_object(w);
    }
    json_close_array(w);
}

static void write_inspection(const char *file, const sinew_document *d,
                             sinew_skeleton *const *skeletons)
{
    json_writer w = {stdout, false};
    json_open_object(&w, NULL);
    json_text(&w, "file", file);
    json_text(&w, "format", d->format);
    json_text(&w, "generator", d->generator);
    write_rigs(&w, d, skeletons);
    json_open_array(&w, "skins");
    for (uint32_t s = 0; s < d->skin_count; s++) {
        json_open_object(&w, NULL);
        json_whole(&w, "index", s);
        json_text(&w, "name", d->skins[s].name);
        json_index(&w, "rig", rig_of_skin(d, s));
        json_whole(&w, "joint_count", d->skins[s].joint_count);
        json_text(&w, "inverse_bind", d->skins[s].has_inverse_binds ? "file" : "identity");
        json_close_object(&w);
    }
    json_close_array(&w);
    write_meshes(&w, d);
    json_open_array(&w, "instances");
    for (uint32_t i = 0; i < d->instance_count; i++) {
        json_open_object(&w, NULL);
        json_whole(&w, "node", d->instances[i].node);
        json_whole(&w, "mesh", d->instances[i].mesh);
        json_index(&w, "skin", d->instances[i].skin);
        json_text(&w, "at_rest", rest_word(&d->instances[i]));
        json_close_object(&w);
    }
    json_close_array(&w);
    write_clips(&w, d);
    json_open_array(&w, "findings");
    for (uint32_t f = 0; f < d->finding_count; f++) {
        const sinew_finding *finding = &d->findings[f];
        json_open_object(&w, NULL);
        json_text(&w, "severity", sinew_severity_word(finding->severity));
        json_text(&w, "code", sinew_result_word(finding->code));
        json_text(&w, "where", finding->where);
        json_whole(&w, "count", (int64_t)finding->count);
        json_double(&w, "worst", finding->worst);
        json_text(&w, "message", finding->message);
        json_close_object(&w);
    }
    json_close_array(&w);
    json_close_object(&w);
    putchar('\n');
}

// ---- For a person -----------------------------------------------------------------------------------------

static void print_joints(const sinew_skeleton *s, int32_t parent, int depth)
{
    const int32_t *parents = sinew_skeleton_parents(s);
    for (uint32_t j = 0; j < sinew_skeleton_joint_count(s); j++)
        if (parents[j] == parent) {
            printf("    %*s%u %s\n", depth * 2, "", j, sinew_skeleton_joint_name(s, j));
            if (depth < 200)
                print_joints(s, (int32_t)j, depth + 1);
        }
}

static void print_contents(const sinew_document *d, sinew_skeleton *const *skeletons, bool joints)
{
    for (uint32_t r = 0; r < d->rig_count; r++) {
        printf("  rig %u  '%s'  %u joints, %u skins\n", r, d->rigs[r].name,
               sinew_skeleton_joint_count(skeletons[r]), d->rigs[r].skin_count);
        if (joints)
            print_joints(skeletons[r], -1, 0);
    }
    for (uint32_t m = 0; m < d->mesh_count; m++) {
        uint64_t vertices = 0;
        uint32_t influences = 0;
        for (uint32_t p = 0; p < d->meshes[m].primitive_count; p++) {
            vertices += d->meshes[m].primitives[p].vertex_count;
            if (d->meshes[m].primitives[p].file_influence_count > influences)
                influences = d->meshes[m].primitives[p].file_influence_count;
        }
        printf("  mesh %u  '%s'  %llu vertices in %u primitives", m, d->meshes[m].name,
               (unsigned long long)vertices, d->meshes[m].primitive_count);
        if (influences)
            printf(", up to %u influences a vertex", influences);
        if (d->meshes[m].target_count)
            printf(", %u morph targets", d->meshes[m].target_count);
        putchar('\n');
    }
    for (uint32_t i = 0; i < d->instance_count; i++)
        if (d->instances[i].skinned && d->instances[i].rest.kind != SINEW_REST_IDENTITY)
            printf("  node %u shows mesh %u with skin %d; at rest it %s\n", d->instances[i].node,
                   d->instances[i].mesh, d->instances[i].skin,
                   d->instances[i].rest.kind == SINEW_REST_COMMON
                       ? "is moved as a whole"
                       : "is deformed (its rest pose is not its bind pose)");
    for (uint32_t c = 0; c < d->clip_count; c++) {
        const sinew_clip *clip = d->clips[c];
        printf("  clip %u  '%s'  %.4g s, %u channels, %llu keys,", c, sinew_clip_name(clip),
               sinew_clip_duration(clip), d->clip_channel_counts[c],
               (unsigned long long)key_count_of(clip));
        for (int k = 0; k < 3; k++)
            if (interpolations_of(clip) >> k & 1)
                printf(" %s", interpolation_words[k]);
        double travel = sinew_document_root_travel(d, 0, c);
        if (travel > 0.0)
            printf(", the root travels %.4g m", travel);
        putchar('\n');
    }
}

// Findings of one code together: the general sentence, then the places.
static void print_findings(const sinew_document *d)
{
    static const struct {
        sinew_severity severity;
        const char *title;
    } groups[] = {
        {SINEW_SEVERITY_REPAIR,
         "Repaired (the file's data could not be used as it is; what follows was changed):"},
        {SINEW_SEVERITY_WARNING,
         "Against the rules, but harmless (nothing that is drawn changes):"},
        {SINEW_SEVERITY_INFO, "Worth knowing:"}};
    enum { PLACES = 4 };
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        bool titled = false;
        for (int code = 0; code < SINEW_RESULT_COUNT; code++) {
            uint32_t places = 0;
            for (uint32_t f = 0; f < d->finding_count; f++) {
                const sinew_finding *finding = &d->findings[f];
                if (finding->code != (sinew_result)code || finding->severity != groups[g].severity)
                    continue;
                if (!titled)
                    printf("%s\n", groups[g].title);
                titled = true;
                if (places == 0)
                    printf("  %s: %s\n", sinew_result_word(finding->code),
                           sinew_result_message(finding->code));
                if (places++ < PLACES)
                    printf("    %s%s%s\n", finding->where, finding->where[0] ? ": " : "",
                           finding->message);
            }
            if (places > PLACES)
                printf("    ... and in %u more places\n", places - PLACES);
        }
    }
    if (d->finding_count == 0)
        printf("Nothing to remark.\n");
}

// ---- The command ------------------------------------------------------------------------------------------

int cmd_inspect(int argc, char **argv)
{
    const char *file;
    bool json = false, strict = false, joints = false;
    unsigned words;
    const cli_option options[] = {{"--json", NULL, &json},
                                  {"--strict", NULL, &strict},
                                  {"--joints", NULL, &joints},
                                  {NULL, NULL, NULL}};
    int status = cli_parse(argc, argv, options, &file, 1, &words);
    if (status != CLI_EXIT_OK)
        return status;
    if (words == 0)
        return cli_usage("inspect", "a FILE is missing");
    sinew_document *d;
    status = cli_open("inspect", file, strict, json, &d);
    if (status != CLI_EXIT_OK)
        return status;
    sinew_skeleton **skeletons = calloc(d->rig_count ? d->rig_count : 1, sizeof *skeletons);
    sinew_error error = {0};
    sinew_result result = skeletons ? SINEW_OK : SINEW_ERROR_OUT_OF_MEMORY;
    for (uint32_t r = 0; result == SINEW_OK && r < d->rig_count; r++)
        result = sinew_document_rig_skeleton(d, r, NULL, &skeletons[r], &error);
    if (result != SINEW_OK) {
        error.code = result;
        status = cli_input_error(file, &error, json);
    } else if (json) {
        write_inspection(file, d, skeletons);
        status = cli_finish_output("inspect");
    } else {
        printf("%s: %s", file, d->format);
        if (d->generator[0])
            printf(", made by %s", d->generator);
        printf("; %u nodes, %u meshes, %u skins, %u clips\n", d->node_count, d->mesh_count,
               d->skin_count, d->clip_count);
        print_contents(d, skeletons, joints);
        print_findings(d);
        status = cli_finish_output("inspect");
    }
    for (uint32_t r = 0; skeletons && r < d->rig_count; r++)
        sinew_skeleton_destroy(skeletons[r]);
    free(skeletons);
    sinew_document_destroy(d);
    return status;
}
