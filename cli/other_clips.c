// SPDX-License-Identifier: MIT
// Clips of one file on the rig of another, through public calls alone: skeletons, a binding by
// names or a retargeting map, and a report of what matched.
#include "cli/other_clips.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/text.h"
#include "extras/system.h"

int other_clips_check(const char *command, const char *clips, const char *retarget, bool plays,
                      other_clips_way *out)
{
    *out = OTHER_CLIPS_BOUND;
    if (retarget && !clips)
        return cli_usage(command, "--retarget needs --clips OTHER: what to retarget from");
    if (clips && !plays)
        return cli_usage(command, "--clips needs --clip or --mix: what to play of '%s'", clips);
    if (!retarget)
        return CLI_EXIT_OK;
    if (strcmp(retarget, "names") == 0)
        *out = OTHER_CLIPS_NAMES;
    else if (strcmp(retarget, "humanoid") == 0)
        *out = OTHER_CLIPS_HUMANOID;
    else
        return cli_usage(command, "--retarget is names or humanoid, not '%s'", retarget);
    return CLI_EXIT_OK;
}

// ---- Skeletons --------------------------------------------------------------------------------------------

// Which nodes are joints of a rig; without rigs all count. For free; NULL without memory.
static bool *rig_nodes(const sinew_document *document)
{
    bool *marks = calloc((size_t)document->node_count + 1, sizeof *marks);
    for (uint32_t n = 0; marks && n < document->node_count; n++)
        marks[n] = document->rig_count == 0;
    for (uint32_t r = 0; marks && r < document->rig_count; r++)
        for (uint32_t k = 0; k < document->rigs[r].node_count; k++)
            marks[document->rigs[r].nodes[k]] = true;
    return marks;
}

// All nodes of a document, as sinew_document_skeleton has them but for names. `rigs` NULL: only
// joints of rigs have one; else also other nodes whose names are no joint's of `rigs`.
static sinew_result make_named_skeleton(const sinew_document *document, const sinew_skeleton *rigs,
                                        sinew_skeleton **out, sinew_error *error)
{
    const uint32_t count = document->node_count;
    sinew_joint_desc *joints = calloc((size_t)count + 1, sizeof *joints);
    bool *in_rig = rig_nodes(document);
    sinew_result result = joints && in_rig ? SINEW_OK : SINEW_ERROR_OUT_OF_MEMORY;
    for (uint32_t n = 0; result == SINEW_OK && n < count; n++) {
        const sinew_node *node = &document->nodes[n];
        bool named = in_rig[n] || (rigs && sinew_skeleton_find_joint(rigs, node->name) < 0);
        joints[n] = (sinew_joint_desc){.name = named ? node->name : "",
                                       .parent = node->parent,
                                       .node = (int32_t)n,
                                       .rest = node->local,
                                       .shear = node->shear};
    }
    if (result == SINEW_OK)
        result = sinew_skeleton_create(
            &(sinew_skeleton_desc){.joints = joints, .joint_count = count}, out, error);
    free(joints);
    free(in_rig);
    return result;
}

// Names go to joints first: a mesh beside the rig is often called like one. Of humanoids no other
// node has a name at all: a mesh "Head" is no bone, whatever the joint is called.
static sinew_result make_skeleton(const sinew_document *document, bool humanoid,
                                  sinew_skeleton **out, sinew_error *error)
{
    sinew_skeleton *rigs = NULL;
    sinew_result result = make_named_skeleton(document, NULL, &rigs, error);
    if (result != SINEW_OK || humanoid) {
        *out = rigs;
        return result;
    }
    result = make_named_skeleton(document, rigs, out, error);
    sinew_skeleton_destroy(rigs);
    return result;
}

// Morph weights go by the names of nodes: to FILE's first node of the name that has targets.
static sinew_result pair_nodes(other_clips *other, const sinew_document *document)
{
    const sinew_document *d = other->document;
    other->node_of = calloc((size_t)d->node_count + 1, sizeof *other->node_of);
    for (uint32_t n = 0; other->node_of && n < d->node_count; n++) {
        other->node_of[n] = -1;
        if (d->nodes[n].weight_count == 0 || !d->nodes[n].name[0])
            continue;
        for (uint32_t k = document->node_count; k-- > 0;)
            if (document->nodes[k].weight_count > 0 &&
                strcmp(document->nodes[k].name, d->nodes[n].name) == 0)
                other->node_of[n] = (int32_t)k;
    }
    return other->node_of ? SINEW_OK : SINEW_ERROR_OUT_OF_MEMORY;
}

// ---- The map ----------------------------------------------------------------------------------------------

// A document's own list of bones, as joints. For free; an empty list where it has none.
static sinew_humanoid_joint *known_bones(const sinew_document *document,
                                         const sinew_skeleton *skeleton)
{
    sinew_humanoid_joint *known = calloc((size_t)document->human_bone_count + 1, sizeof *known);
    for (uint32_t i = 0; known && i < document->human_bone_count; i++)
        known[i] = (sinew_humanoid_joint){.bone = document->human_bones[i].bone,
                                          .joint = (uint32_t)sinew_skeleton_joint_of_node(
                                              skeleton, (int32_t)document->human_bones[i].node)};
    return known;
}

static sinew_result make_map(other_clips *other, const sinew_document *document, sinew_error *error)
{
    const bool humanoid = other->way == OTHER_CLIPS_HUMANOID;
    sinew_humanoid_joint *theirs = known_bones(other->document, other->stage),
                         *mine = known_bones(document, other->target);
    sinew_retarget_desc desc = sinew_retarget_desc_default();
    desc.by = humanoid ? SINEW_RETARGET_BY_HUMANOID : SINEW_RETARGET_BY_NAME;
    desc.source.skeleton = other->stage;
    desc.source.known = theirs;
    desc.source.known_count = other->document->human_bone_count;
    desc.target.skeleton = other->target;
    desc.target.known = mine;
    desc.target.known_count = document->human_bone_count;
    sinew_result result = theirs && mine ? sinew_retarget_create(&desc, &other->map, error)
                                         : SINEW_ERROR_OUT_OF_MEMORY;
    free(theirs);
    free(mine);
    if (result == SINEW_ERROR_NOT_FOUND) {
        snprintf(error->path, sizeof error->path, "nodes");
        snprintf(error->message, sizeof error->message,
                 humanoid ? "no bone of a humanoid is found both here and in %.100s"
                          : "no joint has the name of one of %.100s",
                 document->file);
    }
    if (result != SINEW_OK)
        return result;
    const uint32_t count = other->document->node_count;
    const size_t pose_size = sinew_pose_size(count);
    other->scratch_size =
        (sinew_retarget_scratch_size(other->map) / SINEW_BLOCK_ALIGN + 1) * SINEW_BLOCK_ALIGN;
    other->scratch = sinew_aligned_alloc(other->scratch_size);
    other->pose_memory = sinew_aligned_alloc(pose_size);
    if (!other->scratch || !other->pose_memory)
        return SINEW_ERROR_OUT_OF_MEMORY;
    return sinew_pose_init(&other->pose, count, other->pose_memory, pose_size);
}

const sinew_pose *other_clips_pose(const other_clips *other, const sinew_pose *pose)
{
    return other->map ? &other->pose : pose;
}

sinew_result other_clips_arrive(const other_clips *other, const sinew_pose *pose)
{
    if (!other->map)
        return SINEW_OK;
    return sinew_retarget_pose(&(sinew_retarget_args){.map = other->map,
                                                      .pose = &other->pose,
                                                      .out_pose = pose,
                                                      .scratch = other->scratch,
                                                      .scratch_size = other->scratch_size});
}

// ---- Opening ----------------------------------------------------------------------------------------------

static sinew_result join_files(other_clips *other, const sinew_document *document,
                               sinew_error *error)
{
    const bool humanoid = other->way == OTHER_CLIPS_HUMANOID;
    if (other->document->clip_count == 0) {
        snprintf(error->path, sizeof error->path, "animations");
        snprintf(error->message, sizeof error->message, "the file has no clips to play");
        return SINEW_ERROR_NOT_FOUND;
    }
    sinew_skeleton *mine = NULL;
    sinew_result result = pair_nodes(other, document);
    if (result == SINEW_OK)
        result = make_skeleton(document, humanoid, &mine, error);
    if (result != SINEW_OK)
        return result;
    if (other->way == OTHER_CLIPS_BOUND) {
        other->stage = mine;
        other->by = SINEW_BIND_BY_NAME;
        return SINEW_OK;
    }
    other->target = mine;
    other->by = SINEW_BIND_BY_NODE;
    result = make_skeleton(other->document, humanoid, &other->stage, error);
    return result == SINEW_OK ? make_map(other, document, error) : result;
}

int other_clips_open(const char *command, const char *file, other_clips_way way, bool strict,
                     bool json, const sinew_document *document, other_clips **out)
{
    sinew_error error = {.code = SINEW_ERROR_OUT_OF_MEMORY};
    other_clips *other = *out = calloc(1, sizeof *other);
    if (!other)
        return cli_input_error(file, &error, json);
    other->file = file;
    other->way = way;
    int status = cli_open(command, file, strict, json, &other->document);
    if (status != CLI_EXIT_OK)
        return status;
    error.code = join_files(other, document, &error);
    return error.code == SINEW_OK ? CLI_EXIT_OK : cli_input_error(file, &error, json);
}

void other_clips_close(other_clips *other)
{
    if (!other)
        return;
    sinew_retarget_destroy(other->map);
    sinew_skeleton_destroy(other->stage);
    sinew_skeleton_destroy(other->target);
    sinew_document_destroy(other->document);
    free(other->node_of);
    sinew_aligned_free(other->pose_memory);
    sinew_aligned_free(other->scratch);
    free(other);
}

// ---- Report -----------------------------------------------------------------------------------------------

static void say_start(const char *file)
{
    cli_put_text(stderr, file);
    fputs(": clips: ", stderr);
}

// "FILE: clips: 3 joints WHAT: a, b, c": the first few joints whose mark is as `wanted`.
static void say_joints(const sinew_document *document, const bool *joints, const bool *marks,
                       bool wanted, const char *what)
{
    enum { SHOWN = 6 };
    uint32_t count = 0, shown = 0;
    for (uint32_t n = 0; n < document->node_count; n++)
        count += joints[n] && marks[n] == wanted;
    if (!count)
        return;
    say_start(document->file);
    fprintf(stderr, "%u %s %s: ", count, count == 1 ? "joint" : "joints", what);
    for (uint32_t n = 0; n < document->node_count && shown < SHOWN; n++) {
        if (!joints[n] || marks[n] != wanted)
            continue;
        fputs(shown++ ? ", " : "", stderr);
        if (document->nodes[n].name[0])
            cli_put_text(stderr, document->nodes[n].name);
        else
            fprintf(stderr, "(node %u)", n);
    }
    if (count > shown)
        fprintf(stderr, " and %u more", count - shown);
    putc('\n', stderr);
}

// Who takes part.
typedef struct match_marks {
    bool *moved; // [FILE's nodes] moved by what is played
    bool *lost;  // [OTHER's nodes] played, without a partner
} match_marks;

// A clip bound by names, added to what others did.
static sinew_result mark_bound(const other_clips *other, uint32_t clip, match_marks *marks)
{
    sinew_clip_binding *binding = NULL;
    sinew_bind_report *report = NULL;
    sinew_result result = sinew_clip_binding_create(
        &(sinew_clip_binding_desc){
            .clip = other->document->clips[clip], .skeleton = other->stage, .by = other->by},
        &binding);
    if (result == SINEW_OK)
        result = sinew_bind_report_create(binding, NULL, &report);
    const int32_t *nodes = sinew_skeleton_nodes(other->stage);
    for (uint32_t j = 0; result == SINEW_OK && j < report->joint_count; j++)
        if (sinew_clip_binding_touches(binding, j))
            marks->moved[nodes[j]] = true;
    for (uint32_t i = 0; result == SINEW_OK && i < report->unmatched_count; i++)
        marks->lost[report->unmatched[i].index] = true;
    sinew_bind_report_destroy(report);
    sinew_clip_binding_destroy(binding);
    return result;
}

static void mark_mapped(const other_clips *other, match_marks *marks)
{
    const int32_t *mine = sinew_skeleton_nodes(other->target),
                  *theirs = sinew_skeleton_nodes(other->stage);
    for (uint32_t j = 0; j < sinew_skeleton_joint_count(other->target); j++)
        marks->moved[mine[j]] = sinew_retarget_source_of(other->map, j) >= 0;
    for (uint32_t j = 0; j < sinew_skeleton_joint_count(other->stage); j++)
        marks->lost[theirs[j]] = sinew_retarget_target_of(other->map, j) < 0;
}

static const char *bones_by(const sinew_document *document, const char *table)
{
    return table[0] ? table : document->human_bone_count ? document->humanoid : "no table";
}

static void say_matches(const other_clips *other, const sinew_document *document,
                        const match_marks *marks, const bool *mine, const bool *theirs)
{
    uint32_t joints = 0, moved = 0;
    for (uint32_t n = 0; n < document->node_count; n++) {
        joints += mine[n];
        moved += mine[n] && marks->moved[n];
    }
    say_start(other->file);
    fprintf(stderr, "%s %u of the %u joints of ", other->map ? "retargeted to" : "bound to", moved,
            joints);
    cli_put_text(stderr, document->file);
    if (other->way == OTHER_CLIPS_HUMANOID)
        fprintf(stderr, " as bones of humanoids (%s to %s)",
                bones_by(other->document, sinew_retarget_source_table(other->map)),
                bones_by(document, sinew_retarget_target_table(other->map)));
    else
        fputs(" by name", stderr);
    if (other->map)
        fprintf(stderr, "; travel times %.4g", (double)sinew_retarget_travel_scale(other->map));
    putc('\n', stderr);
    say_joints(other->document, theirs, marks->lost, true, "without a partner");
    say_joints(document, mine, marks->moved, false, "at rest");
}

// Whether anything at all is moved: joints, other nodes, or morph weights.
static bool moves_something(const other_clips *other, const sinew_document *document, int32_t clip,
                            const match_marks *marks)
{
    for (uint32_t n = 0; n < document->node_count; n++)
        if (marks->moved[n])
            return true;
    for (uint32_t c = 0; c < other->document->clip_count; c++) {
        const sinew_clip *played = other->document->clips[c];
        for (uint32_t t = 0; (clip < 0 || clip == (int32_t)c) && t < sinew_clip_track_count(played);
             t++) {
            const sinew_track *track = &sinew_clip_tracks(played)[t];
            if (track->property == SINEW_PROPERTY_WEIGHTS && other->node_of[track->node] >= 0)
                return true;
        }
    }
    return false;
}

int other_clips_report(const other_clips *other, const sinew_document *document, int32_t clip,
                       bool json)
{
    sinew_error error = {.code = SINEW_ERROR_OUT_OF_MEMORY};
    bool *mine = rig_nodes(document), *theirs = rig_nodes(other->document);
    match_marks marks = {calloc((size_t)document->node_count + 1, sizeof(bool)),
                         calloc((size_t)other->document->node_count + 1, sizeof(bool))};
    if (mine && theirs && marks.moved && marks.lost)
        error.code = SINEW_OK;
    for (uint32_t c = 0; !other->map && c < other->document->clip_count; c++)
        if (error.code == SINEW_OK && (clip < 0 || clip == (int32_t)c))
            error.code = mark_bound(other, c, &marks);
    if (error.code == SINEW_OK && other->map)
        mark_mapped(other, &marks);
    if (error.code == SINEW_OK && !moves_something(other, document, clip, &marks)) {
        error.code = SINEW_ERROR_NOT_FOUND;
        snprintf(error.path, sizeof error.path, "animations");
        if (clip < 0)
            snprintf(error.message, sizeof error.message, "no clip moves a joint of %.100s",
                     document->file);
        else
            snprintf(error.message, sizeof error.message,
                     "clip '%.100s' names no joint of %.100s; --retarget humanoid matches joints "
                     "of other names",
                     sinew_clip_name(other->document->clips[clip]), document->file);
    }
    if (error.code == SINEW_OK)
        say_matches(other, document, &marks, mine, theirs);
    free(mine);
    free(theirs);
    free(marks.moved);
    free(marks.lost);
    return error.code == SINEW_OK ? CLI_EXIT_OK : cli_input_error(other->file, &error, json);
}
