// SPDX-License-Identifier: MIT
// sinew inspect: what a file holds, and what was found in it.
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/findings.h"
#include "cli/inspect_on.h"
#include "cli/inspect_runtime.h"
#include "cli/inspect_set.h"
#include "cli/json_writer.h"
#include "cli/set_input.h"
#include "cli/text.h"

const char cmd_inspect_help[] =
    "sinew inspect FILE [options]\n"
    "\n"
    "What a file holds: rigs, skins, meshes, clips; and what was found in it, with every repair "
    "that was made. Of\n"
    "animation sets (.set.json, docs/sets.md): states, choices, transitions, parameters, clips. Of "
    "files of runtime clips\n"
    "(.sinew, docs/runtime_clips.md): the clips, and what their parts cost.\n"
    "\n"
    "  --strict             the first thing that glTF or BVH forbids is an error\n"
    "  --joints             lists all joints of each rig, with their indices\n"
    "  --on OTHER           how the clips of FILE play on each rig of OTHER, by the names of "
    "joints: tracks\n"
    "                       that move joints, joints that are moved, and what has "
    "none\n" CLI_BVH_HELP "  --json               one JSON object\n"
    "\n"
    "Of animation sets:\n"
    "\n"
    "  --set KEY            this set alone\n"
    "  --on OTHER           what the sets find on each rig of OTHER: clips that are missing, "
    "states "
    "that cannot play\n"
    "  --prefix TEXT        with --on: stands before the sets' names in OTHER's names of clips\n"
    "  --dot                the graph of each set as text for Graphviz, and nothing else\n"
    "  --canonical          the file in its canonical form, and nothing else\n"
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

// [skin_count] the rig of each skin, -1 for one without joints; NULL where there is no memory.
static int64_t *find_rigs_of_skins(const sinew_document *d)
{
    int64_t *rigs = calloc((size_t)d->skin_count + 1, sizeof *rigs);
    for (uint32_t s = 0; rigs && s < d->skin_count; s++)
        rigs[s] = -1;
    for (uint32_t r = 0; rigs && r < d->rig_count; r++)
        for (uint32_t k = 0; k < d->rigs[r].skin_count; k++)
            rigs[d->rigs[r].skins[k]] = r;
    return rigs;
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

static void write_humanoid(json_writer *w, const sinew_document *d)
{
    if (!d->humanoid)
        return;
    json_open_object(w, "humanoid");
    json_text(w, "format", d->humanoid);
    json_open_array(w, "bones");
    for (uint32_t i = 0; i < d->human_bone_count; i++) {
        const sinew_human_bone *bone = &d->human_bones[i];
        json_open_object(w, NULL);
        json_text(w, "bone", bone->bone);
        json_text(w, "file_bone", bone->file_bone);
        json_whole(w, "node", bone->node);
        json_text(w, "name", d->nodes[bone->node].name);
        json_close_object(w);
    }
    json_close_array(w);
    json_close_object(w);
}

static void write_inspection(const char *file, const sinew_document *d,
                             sinew_skeleton *const *skeletons, const int64_t *rigs_of_skins,
                             const inspect_on *on)
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
        json_index(&w, "rig", rigs_of_skins[s]);
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
        if (d->nodes[d->instances[i].node].copies)
            json_whole(&w, "copy_count", d->nodes[d->instances[i].node].copy_count);
        if (d->instances[i].hidden)
            json_boolean(&w, "hidden", true);
        json_close_object(&w);
    }
    json_close_array(&w);
    write_clips(&w, d);
    write_humanoid(&w, d);
    if (on)
        inspect_on_write(on, &w);
    cli_write_findings(&w, d->findings, d->finding_count);
    json_close_object(&w);
    putchar('\n');
}

// ---- For a person -----------------------------------------------------------------------------------------

static void print_name(const char *name)
{
    putchar('\'');
    cli_put_text(stdout, name);
    putchar('\'');
}

static void print_count(uint64_t count, const char *one, const char *many)
{
    printf("%llu %s", (unsigned long long)count, count == 1 ? one : many);
}

// The children of each joint as lists, and a stack to walk them with: rigs may be deep.
typedef struct joint_tree {
    const sinew_skeleton *skeleton;
    uint32_t joint_count;
    int32_t *first, *next; // first child, next sibling; -1 for none
    uint32_t *depth;
    int32_t *stack;
    uint32_t stacked;
} joint_tree;

static bool joint_tree_make(const sinew_skeleton *skeleton, joint_tree *out)
{
    uint32_t n = sinew_skeleton_joint_count(skeleton);
    const int32_t *parents = sinew_skeleton_parents(skeleton);
    int32_t *block = calloc((size_t)n * 4 + 1, sizeof *block);
    if (!block)
        return false;
    *out = (joint_tree){
        skeleton, n, block, block + n, (uint32_t *)block + 2 * (size_t)n, block + 3 * (size_t)n, 0};
    for (uint32_t j = 0; j < n; j++)
        out->first[j] = -1;
    for (uint32_t j = n; j-- > 0;) { // backwards, so that lists come in order; roots have none
        if (parents[j] >= 0) {
            out->next[j] = out->first[parents[j]];
            out->first[parents[j]] = (int32_t)j;
        } else {
            out->stack[out->stacked++] = (int32_t)j;
        }
    }
    return true;
}

// Children go onto the stack so that the first comes off first.
static void joint_tree_push_children(joint_tree *tree, int32_t joint, uint32_t depth)
{
    uint32_t begin = tree->stacked;
    for (int32_t c = tree->first[joint]; c >= 0; c = tree->next[c]) {
        tree->depth[c] = depth;
        tree->stack[tree->stacked++] = c;
    }
    for (uint32_t i = begin, k = tree->stacked; i + 1 < k; i++) {
        int32_t t = tree->stack[i];
        tree->stack[i] = tree->stack[--k];
        tree->stack[k] = t;
    }
}

enum { TREE_INDENT = 24, TREE_LINES = 24, TREE_COLUMNS = 90 }; // what fits a terminal

static int tree_indent(uint32_t depth)
{
    return 2 * (int)(depth < TREE_INDENT ? depth : TREE_INDENT);
}

// A joint's name, or its node where it has none. Returns the columns.
static size_t print_joint(const joint_tree *tree, int32_t joint)
{
    const char *name = sinew_skeleton_joint_name(tree->skeleton, (uint32_t)joint);
    if (name[0])
        return cli_put_text(stdout, name);
    return (size_t)printf("(node %d)", sinew_skeleton_nodes(tree->skeleton)[joint]);
}

static void print_all_joints(joint_tree *tree)
{
    while (tree->stacked) {
        int32_t j = tree->stack[--tree->stacked];
        printf("    %*s%d ", tree_indent(tree->depth[j]), "", j);
        print_joint(tree, j);
        putchar('\n');
        joint_tree_push_children(tree, j, tree->depth[j] + 1);
    }
}

// One line from a branch to the next: hip > knee > ankle.
static void print_joint_chains(joint_tree *tree)
{
    uint32_t shown = 0;
    for (uint32_t line = 0; tree->stacked; line++) {
        if (line == TREE_LINES) {
            printf("    ... and %u joints more (--joints lists all)\n", tree->joint_count - shown);
            return;
        }
        int32_t j = tree->stack[--tree->stacked];
        uint32_t depth = tree->depth[j], left_out = 0;
        printf("    %*s", tree_indent(depth), "");
        size_t columns = 4 + (size_t)tree_indent(depth);
        columns += print_joint(tree, j);
        for (shown++; tree->first[j] >= 0 && tree->next[tree->first[j]] < 0; shown++) {
            j = tree->first[j];
            if (columns > TREE_COLUMNS) {
                left_out++;
                continue;
            }
            fputs(" > ", stdout);
            columns += 3 + print_joint(tree, j);
        }
        if (left_out)
            printf(" > ... %u more", left_out);
        putchar('\n');
        joint_tree_push_children(tree, j, depth + 1);
    }
}

static bool print_rigs(const sinew_document *d, sinew_skeleton *const *skeletons, bool joints)
{
    for (uint32_t r = 0; r < d->rig_count; r++) {
        joint_tree tree;
        if (!joint_tree_make(skeletons[r], &tree))
            return false;
        printf("rig %u  ", r);
        print_name(d->rigs[r].name);
        fputs("  ", stdout);
        print_count(tree.joint_count, "joint, ", "joints, ");
        print_count(d->rigs[r].skin_count, "skin\n", "skins\n");
        if (joints)
            print_all_joints(&tree);
        else
            print_joint_chains(&tree);
        free(tree.first);
    }
    return true;
}

static void print_meshes(const sinew_document *d)
{
    for (uint32_t m = 0; m < d->mesh_count; m++) {
        uint64_t vertices = 0;
        uint32_t influences = 0;
        for (uint32_t p = 0; p < d->meshes[m].primitive_count; p++) {
            vertices += d->meshes[m].primitives[p].vertex_count;
            if (d->meshes[m].primitives[p].file_influence_count > influences)
                influences = d->meshes[m].primitives[p].file_influence_count;
        }
        printf("mesh %u  ", m);
        print_name(d->meshes[m].name);
        fputs("  ", stdout);
        print_count(vertices, "vertex in ", "vertices in ");
        print_count(d->meshes[m].primitive_count, "primitive", "primitives");
        if (influences)
            printf(", up to %u influences a vertex", influences);
        if (d->meshes[m].target_count) {
            fputs(", ", stdout);
            print_count(d->meshes[m].target_count, "morph target", "morph targets");
        }
        putchar('\n');
    }
    for (uint32_t i = 0; i < d->instance_count; i++) {
        const sinew_node *node = &d->nodes[d->instances[i].node];
        if (node->copies)
            printf("node %u shows mesh %u in %u copies\n", d->instances[i].node,
                   d->instances[i].mesh, node->copy_count);
        if (d->instances[i].hidden)
            printf("node %u does not show mesh %u: it is hidden\n", d->instances[i].node,
                   d->instances[i].mesh);
        if (d->instances[i].skinned && d->instances[i].rest.kind != SINEW_REST_IDENTITY)
            printf("node %u shows mesh %u with skin %d; at rest it %s\n", d->instances[i].node,
                   d->instances[i].mesh, d->instances[i].skin,
                   d->instances[i].rest.kind == SINEW_REST_COMMON
                       ? "is moved as a whole"
                       : "is deformed (its rest pose is not its bind pose)");
    }
}

// Bones of an avatar, as many on a line as fit.
static void print_humanoid(const sinew_document *d)
{
    enum { COLUMNS = 96 };
    if (!d->humanoid)
        return;
    printf("humanoid  %s, ", d->humanoid);
    print_count(d->human_bone_count, "bone\n", "bones\n");
    size_t column = 0;
    for (uint32_t i = 0; i < d->human_bone_count; i++) {
        const sinew_human_bone *bone = &d->human_bones[i];
        const char *node = d->nodes[bone->node].name;
        size_t width = strlen(bone->bone) + strlen(node) + 5;
        if (column && column + width > COLUMNS) {
            putchar('\n');
            column = 0;
        }
        fputs(column ? ",  " : "    ", stdout);
        column += column ? 3 : 4;
        column += cli_put_text(stdout, bone->bone);
        fputs(" = ", stdout);
        column += 3;
        column += node[0] ? cli_put_text(stdout, node) : (size_t)printf("(node %u)", bone->node);
    }
    if (d->human_bone_count)
        putchar('\n');
}

static void print_clips(const sinew_document *d)
{
    if (d->clip_count)
        printf("clip   seconds  channels      keys  name\n");
    for (uint32_t c = 0; c < d->clip_count; c++) {
        const sinew_clip *clip = d->clips[c];
        printf("%4u  %8.4g  %8u  %8llu  ", c, sinew_clip_duration(clip), d->clip_channel_counts[c],
               (unsigned long long)key_count_of(clip));
        print_name(sinew_clip_name(clip));
        for (int k = 0; k < 3; k++)
            if (interpolations_of(clip) >> k & 1)
                printf(" %s", interpolation_words[k]);
        if (sinew_clip_first_key(clip) > 0.0)
            printf(", its first key at %.4g s", sinew_clip_first_key(clip));
        double travel = sinew_document_root_travel(d, 0, c);
        if (travel > 0.0)
            printf(", the root travels %.4g m", travel);
        putchar('\n');
    }
}

// False where there is no memory.
static bool print_inspection(const char *file, const sinew_document *d,
                             sinew_skeleton *const *skeletons, bool joints)
{
    cli_put_text(stdout, file);
    printf(": %s", d->format);
    if (d->generator[0]) {
        fputs(", made by ", stdout);
        cli_put_text(stdout, d->generator);
    }
    fputs("; ", stdout);
    print_count(d->node_count, "node, ", "nodes, ");
    print_count(d->mesh_count, "mesh, ", "meshes, ");
    print_count(d->skin_count, "skin, ", "skins, ");
    print_count(d->clip_count, "clip\n", "clips\n");
    if (!print_rigs(d, skeletons, joints))
        return false;
    print_humanoid(d);
    print_meshes(d);
    print_clips(d);
    cli_print_findings(d->findings, d->finding_count,
                       "Against the rules, but harmless (nothing that is drawn changes):");
    return true;
}

// ---- The command ------------------------------------------------------------------------------------------

static int inspect_document(const char *file, const char *other, bool strict, bool joints,
                            bool json)
{
    sinew_document *d;
    inspect_on *on = NULL;
    int status = cli_open("inspect", file, strict, json, &d);
    if (status == CLI_EXIT_OK && other)
        status = inspect_on_make(file, d, other, strict, json, &on);
    if (status != CLI_EXIT_OK) {
        sinew_document_destroy(d);
        return status;
    }
    sinew_skeleton **skeletons = calloc(d->rig_count ? d->rig_count : 1, sizeof *skeletons);
    sinew_error error = {0};
    int64_t *rigs_of_skins = find_rigs_of_skins(d);
    sinew_result result = skeletons && rigs_of_skins ? SINEW_OK : SINEW_ERROR_OUT_OF_MEMORY;
    for (uint32_t r = 0; result == SINEW_OK && r < d->rig_count; r++)
        result = sinew_document_rig_skeleton(d, r, NULL, &skeletons[r], &error);
    if (result != SINEW_OK) {
        error.code = result;
        status = cli_input_error(file, &error, json);
    } else if (json) {
        write_inspection(file, d, skeletons, rigs_of_skins, on);
        status = cli_finish_output("inspect");
    } else if (on ? inspect_on_print(on) : print_inspection(file, d, skeletons, joints)) {
        status = cli_finish_output("inspect");
    } else {
        error.code = SINEW_ERROR_OUT_OF_MEMORY;
        status = cli_input_error(file, &error, false);
    }
    for (uint32_t r = 0; skeletons && r < d->rig_count; r++)
        sinew_skeleton_destroy(skeletons[r]);
    free(skeletons);
    free(rigs_of_skins);
    inspect_on_free(on);
    sinew_document_destroy(d);
    return status;
}

// The options that belong to files of the other kind, or do not go together.
static int check_set_options(const inspect_set_options *o, bool is_set, bool strict, bool joints)
{
    if (!is_set && (o->key || o->prefix || o->dot || o->canonical))
        return cli_usage("inspect", "%s is for animation sets, and '%s' is none",
                         o->key      ? "--set"
                         : o->prefix ? "--prefix"
                         : o->dot    ? "--dot"
                                     : "--canonical",
                         o->file);
    if (!is_set && joints && o->on)
        return cli_usage("inspect", "--joints and --on do not go together");
    if (!is_set)
        return CLI_EXIT_OK;
    if (strict || joints)
        return cli_usage("inspect", "%s is not for animation sets",
                         strict ? "--strict" : "--joints");
    if (o->dot + o->canonical + (o->on != NULL) > 1 || ((o->dot || o->canonical) && o->json))
        return cli_usage("inspect", "--dot and --canonical go with no other form");
    if (o->canonical && o->key)
        return cli_usage("inspect", "--canonical is the whole file, and goes without --set");
    if (o->prefix && !o->on)
        return cli_usage("inspect", "--prefix goes with --on OTHER");
    return CLI_EXIT_OK;
}

int cmd_inspect(int argc, char **argv)
{
    inspect_set_options set = {0};
    bool strict = false, joints = false;
    unsigned words;
    const cli_option options[] = {{"--json", NULL, &set.json},
                                  {"--strict", NULL, &strict},
                                  {"--joints", NULL, &joints},
                                  {"--on", &set.on, NULL},
                                  {"--set", &set.key, NULL},
                                  {"--prefix", &set.prefix, NULL},
                                  {"--dot", NULL, &set.dot},
                                  {"--canonical", NULL, &set.canonical},
                                  CLI_BVH_ROWS,
                                  {NULL, NULL, NULL}};
    int status = cli_parse(argc, argv, options, &set.file, 1, &words);
    if (status != CLI_EXIT_OK)
        return status;
    if (words == 0)
        return cli_usage("inspect", "a FILE is missing");
    if (cli_is_runtime_file(set.file)) {
        if (strict || set.on || set.key || set.prefix || set.dot || set.canonical)
            return cli_usage("inspect", "of files of runtime clips only --joints and --json");
        return inspect_runtime(set.file, joints, set.json);
    }
    const bool is_set = cli_is_set_file(set.file);
    status = check_set_options(&set, is_set, strict, joints);
    if (status == CLI_EXIT_OK && is_set)
        status = inspect_set(&set);
    else if (status == CLI_EXIT_OK)
        status = inspect_document(set.file, set.on, strict, joints, set.json);
    return status;
}
