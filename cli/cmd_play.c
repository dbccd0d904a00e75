// SPDX-License-Identifier: MIT
// sinew play: one player of an animation set, driven by a script, and what it shows at every tick.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/findings.h"
#include "cli/set_input.h"
#include "cli/text.h"
#include "extras/system.h"
#include "sinew/set_script.h"

const char cmd_play_help[] =
    "sinew play SETS.json FILE --set KEY --script SCRIPT.json [options]\n"
    "\n"
    "Runs a player of an animation set (docs/sets.md) on a rig of FILE, with FILE's clips: which "
    "state plays, which clip,\n"
    "where it stands, and which events are passed.\n"
    "\n"
    "  --set KEY            the set; needless where SETS.json has one\n"
    "  --script SCRIPT.json what is set and asked for, and when:\n"
    "                       { \"seconds\": 3, \"steps\": [ { \"at\": 0.5, \"set\": { \"speed\": "
    "1.4 } },\n"
    "                                                  { \"at\": 2, \"request\": \"jump\" } ] }\n"
    "  --rig I              a rig of FILE, by index; 0 unless given\n"
    "  --prefix TEXT        stands before the set's names in FILE's names of clips\n"
    "  --fps F              ticks a second, 60 unless given, 0.001 to 100000\n" CLI_BVH_HELP
    "  --json               one JSON object: ticks with time, state, choice (the clip as the set "
    "names it, or null),\n"
    "                       phase, rate, fade and events; requests that were refused; findings\n"
    "\n"
    "The first tick is at 0 with no time behind it, then one every 1/F up to the length. A step is "
    "done before the first\n"
    "tick whose time is not before its \"at\". Predicates of the set are false until \"set\" says "
    "otherwise. A request\n"
    "that leads nowhere is a warning. Without --json a line stands for each tick at which "
    "something "
    "changed.\n";

enum { PLAY_EVENTS = 4096, PLAY_MOST_TICKS = 10000000 };
#define PLAY_ROUNDING 1e-9 // seconds that a time of the script may be behind its tick

// A request that no transition answers.
typedef struct play_refusal {
    uint32_t step;
    double time;
    const char *state;
    char *message;
} play_refusal;

typedef struct play_run {
    const char *sets_file, *script_file;
    sinew_set_file *sets;
    const sinew_set *set;
    sinew_document *document;
    sinew_skeleton *skeleton;
    bool *holds; // [predicate_count] what the script says
    sinew_set_binding *binding;
    sinew_player *player;
    sinew_set_script *script;
    double fps;
    uint64_t tick_count;
    void *planes, *scratch;
    sinew_pose pose;
    size_t scratch_size;
    // as it runs
    sinew_player_event *events; // of the tick
    uint32_t event_count;
    uint64_t all_events, lost_events;
    uint32_t first_step, next_step; // steps [first, next) belong to the tick
    play_refusal *refusals;
    uint32_t refusal_count;
} play_run;

static void end_play(play_run *run)
{
    for (uint32_t i = 0; i < run->refusal_count; i++)
        free(run->refusals[i].message);
    free(run->refusals);
    free(run->events);
    sinew_aligned_free(run->planes);
    sinew_aligned_free(run->scratch);
    sinew_set_script_destroy(run->script);
    sinew_player_destroy(run->player);
    sinew_set_binding_destroy(run->binding);
    free(run->holds);
    sinew_skeleton_destroy(run->skeleton);
    sinew_document_destroy(run->document);
    sinew_set_file_destroy(run->sets);
}

// ---- What is needed ---------------------------------------------------------------------------------------

static sinew_result read_play_script(play_run *run, sinew_error *error)
{
    sinew_set_script_desc desc = sinew_set_script_desc_default();
    char *text = cli_read_file(run->script_file, CLI_MOST_TEXT, &desc.size, error);
    if (!text)
        return error->code;
    desc.text = text;
    desc.file = run->script_file;
    desc.set = run->set;
    sinew_result result = sinew_set_script_create(&desc, &run->script, error);
    free(text);
    return result;
}

// A player and all that ticks write to. Poses are mixed: transitions begin with what was seen.
static sinew_result make_player(play_run *run)
{
    const uint32_t joints = sinew_skeleton_joint_count(run->skeleton);
    const size_t size = sinew_pose_size(joints);
    run->scratch_size = sinew_set_binding_scratch_size(run->binding);
    run->planes = sinew_aligned_alloc(size);
    run->scratch = sinew_aligned_alloc(run->scratch_size);
    run->events = calloc(PLAY_EVENTS, sizeof *run->events);
    run->refusals =
        calloc((size_t)sinew_set_script_step_count(run->script) + 1, sizeof *run->refusals);
    if (!run->planes || !run->scratch || !run->events || !run->refusals)
        return SINEW_ERROR_OUT_OF_MEMORY;
    sinew_result result = sinew_pose_init(&run->pose, joints, run->planes, size);
    if (result == SINEW_OK)
        result = sinew_player_create(&(sinew_player_desc){.binding = run->binding}, &run->player);
    return result;
}

// Without any clip it is most likely the prefix.
static void warn_of_names(const play_run *run, const char *file)
{
    enum { NAMES = 4 };
    const sinew_document *d = run->document;
    for (uint32_t s = 0; s < sinew_set_state_count(run->set); s++)
        if (sinew_set_binding_can_play(run->binding, s))
            return;
    cli_put_text(stderr, file);
    fputs(": animations: warning: none of the set's clips can be played; the file has", stderr);
    for (uint32_t c = 0; c < d->clip_count && c < NAMES; c++) {
        fputs(c ? ", '" : " '", stderr);
        cli_put_text(stderr, sinew_clip_name(d->clips[c]));
        putc('\'', stderr);
    }
    fputs(d->clip_count == 0      ? " none"
          : d->clip_count > NAMES ? ", ...; --prefix TEXT stands before the set's names"
                                  : "; --prefix TEXT stands before the set's names",
          stderr);
    putc('\n', stderr);
}

// Steps behind the last tick.
static void warn_of_late_steps(const play_run *run)
{
    const double end = (double)(run->tick_count - 1) / run->fps;
    for (uint32_t i = 0; i < sinew_set_script_step_count(run->script); i++) {
        const double at = sinew_set_script_step_at(run->script, i).at;
        if (at <= end + PLAY_ROUNDING)
            continue;
        cli_put_text(stderr, run->script_file);
        fprintf(stderr, ": steps[%u].at: warning: %g is behind the last tick, at %g: never done\n",
                i, at, end);
        return;
    }
}

// ---- A tick -----------------------------------------------------------------------------------------------

static sinew_result refuse(play_run *run, double time, int32_t state, const sinew_error *error)
{
    char *message = malloc(strlen(error->message) + 1);
    if (!message)
        return SINEW_ERROR_OUT_OF_MEMORY;
    strcpy(message, error->message);
    run->refusals[run->refusal_count++] = (play_refusal){
        run->next_step, time, sinew_set_state_name(run->set, (uint32_t)state), message};
    cli_put_text(stderr, run->script_file);
    fprintf(stderr, ": steps[%u].request: warning: ", run->next_step);
    cli_put_text(stderr, message);
    fprintf(stderr, ", at %g s\n", time);
    return SINEW_OK;
}

static sinew_result do_steps(play_run *run, double time)
{
    run->first_step = run->next_step;
    for (; run->next_step < sinew_set_script_step_count(run->script); run->next_step++) {
        const sinew_set_script_step step = sinew_set_script_step_at(run->script, run->next_step);
        if (step.at > time + PLAY_ROUNDING)
            break;
        for (uint32_t i = 0; i < step.value_count; i++) {
            const sinew_set_script_value *v = &step.values[i];
            if (v->predicate >= 0)
                run->holds[v->predicate] = v->value != 0.0;
            else
                sinew_player_set_parameter(run->player, v->parameter, v->value);
        }
        sinew_error error = {0};
        sinew_result result = SINEW_OK;
        if (step.request >= 0 &&
            sinew_player_request(run->player, step.request, &error) != SINEW_OK)
            result = refuse(run, time, step.request, &error);
        if (result != SINEW_OK)
            return result;
    }
    return SINEW_OK;
}

static sinew_result do_tick(play_run *run, double time, double dt)
{
    uint64_t lost = 0;
    sinew_result result = do_steps(run, time);
    if (result == SINEW_OK)
        result = sinew_player_tick(&(sinew_player_tick_args){.player = run->player,
                                                             .dt = dt,
                                                             .scratch = run->scratch,
                                                             .scratch_size = run->scratch_size,
                                                             .out_pose = &run->pose,
                                                             .out_events = run->events,
                                                             .event_capacity = PLAY_EVENTS,
                                                             .out_event_count = &run->event_count,
                                                             .out_lost_events = &lost});
    run->all_events += run->event_count + lost;
    run->lost_events += lost;
    return result;
}

// ---- JSON -------------------------------------------------------------------------------------------------

static void write_tick(json_writer *w, const play_run *run, double time)
{
    const sinew_player_info info = sinew_player_get_info(run->player);
    json_open_object(w, NULL);
    json_double(w, "time", time);
    json_text(w, "state", info.name);
    json_text(w, "choice", info.clip);
    json_double(w, "phase", info.phase);
    json_double(w, "rate", info.rate);
    json_single(w, "fade", info.fade);
    json_open_array(w, "events");
    for (uint32_t e = 0; e < run->event_count; e++)
        json_text(w, NULL, run->events[e].name);
    json_close_array(w);
    json_close_object(w);
}

static void write_refusals(json_writer *w, const play_run *run)
{
    json_open_array(w, "refused");
    for (uint32_t i = 0; i < run->refusal_count; i++) {
        json_open_object(w, NULL);
        json_whole(w, "step", run->refusals[i].step);
        json_double(w, "time", run->refusals[i].time);
        json_text(w, "request", run->refusals[i].state);
        json_text(w, "message", run->refusals[i].message);
        json_close_object(w);
    }
    json_close_array(w);
}

// ---- For a person -----------------------------------------------------------------------------------------

// What the last line showed, and how long each state has played.
typedef struct play_table {
    int state_width, clip_width;
    sinew_player_info last;
    double *seconds;
} play_table;

static int widest_name(const sinew_set *set, uint32_t count, int least,
                       const char *(*name)(const sinew_set *set, uint32_t index))
{
    enum { MOST = 32 };
    size_t most = (size_t)least;
    for (uint32_t i = 0; i < count; i++)
        if (strlen(name(set, i)) > most)
            most = strlen(name(set, i));
    return most < MOST ? (int)most : MOST;
}

static void put_column(const char *text, int width)
{
    const size_t columns = cli_put_text(stdout, text);
    printf("%*s  ", columns < (size_t)width ? width - (int)columns : 0, "");
}

static bool was_refused(const play_run *run, uint32_t step)
{
    for (uint32_t i = run->refusal_count; i-- > 0;)
        if (run->refusals[i].step == step)
            return true;
    return false;
}

// Steps and events of the tick, on the rest of the line.
static void print_what(const play_run *run)
{
    const char *between = "  ";
    for (uint32_t i = run->first_step; i < run->next_step; i++) {
        const sinew_set_script_step step = sinew_set_script_step_at(run->script, i);
        for (uint32_t k = 0; k < step.value_count; k++) {
            const sinew_set_script_value *v = &step.values[k];
            printf("%sset ", between);
            cli_put_text(stdout, v->predicate >= 0
                                     ? sinew_set_predicate_name(run->set, (uint32_t)v->predicate)
                                     : sinew_set_parameter_name(run->set, (uint32_t)v->parameter));
            printf(" %g", v->value);
            between = ", ";
        }
        if (step.request >= 0) {
            printf("%srequest ", between);
            cli_put_text(stdout, sinew_set_state_name(run->set, (uint32_t)step.request));
            fputs(was_refused(run, i) ? " (refused)" : "", stdout);
            between = ", ";
        }
    }
    for (uint32_t e = 0; e < run->event_count; e++) {
        printf("%sevent ", between);
        cli_put_text(stdout, run->events[e].name);
        between = ", ";
    }
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static void print_tick(const play_run *run, play_table *table, uint64_t tick, double time)
{
    const sinew_player_info info = sinew_player_get_info(run->player), *last = &table->last;
    const bool changed = info.state != last->state || info.choice != last->choice ||
                         !same_text(info.clip, last->clip) || info.finished != last->finished ||
                         (info.fade >= 1.0f) != (last->fade >= 1.0f);
    if (tick && tick + 1 < run->tick_count && !changed && run->first_step == run->next_step &&
        !run->event_count) {
        table->last = info;
        return;
    }
    table->last = info;
    printf("%10.4f  ", time);
    put_column(info.name, table->state_width);
    put_column(info.clip ? info.clip : "(rest pose)", table->clip_width);
    printf("%6.4f  %8.4f  %6.4f", info.phase, info.rate, (double)info.fade);
    print_what(run);
    if (info.finished)
        printf("%sat its end",
               run->first_step == run->next_step && !run->event_count ? "  " : ", ");
    putchar('\n');
}

static bool begin_table(const play_run *run, const char *file, uint64_t rig, play_table *table)
{
    const uint32_t states = sinew_set_state_count(run->set);
    table->seconds = calloc((size_t)states + 1, sizeof *table->seconds);
    table->state_width = widest_name(run->set, states, 5, sinew_set_state_name);
    table->clip_width =
        widest_name(run->set, sinew_set_clip_count(run->set), 11, sinew_set_clip_name);
    if (!table->seconds)
        return false;
    fputs("set '", stdout);
    cli_put_text(stdout, sinew_set_key(run->set));
    printf("' on rig %llu of ", (unsigned long long)rig);
    cli_put_text(stdout, file);
    printf(", %g ticks a second; a line for each tick at which something changed\n", run->fps);
    printf("%10s  %-*s  %-*s  %6s  %8s  %6s  what\n", "seconds", table->state_width, "state",
           table->clip_width, "clip", "phase", "rate", "fade");
    return true;
}

static void end_table(const play_run *run, const play_table *table)
{
    printf("%llu ticks;", (unsigned long long)run->tick_count);
    for (uint32_t s = 0; s < sinew_set_state_count(run->set); s++)
        if (table->seconds[s] > 0.0) {
            putchar(' ');
            cli_put_text(stdout, sinew_set_state_name(run->set, s));
            printf(" %.4g s,", table->seconds[s]);
        }
    printf(" %llu %s, %u %s refused\n", (unsigned long long)run->all_events,
           run->all_events == 1 ? "event" : "events", run->refusal_count,
           run->refusal_count == 1 ? "request" : "requests");
}

// ---- The command ------------------------------------------------------------------------------------------

static int run_ticks(play_run *run, const char *file, uint64_t rig, bool json)
{
    json_writer w = {stdout, false};
    play_table table = {0};
    sinew_error error = {0};
    if (json) {
        uint32_t count;
        const sinew_finding *findings = sinew_set_binding_findings(run->binding, &count);
        json_open_object(&w, NULL);
        json_text(&w, "file", file);
        json_text(&w, "sets", run->sets_file);
        json_text(&w, "set", sinew_set_key(run->set));
        cli_write_findings(&w, findings, count);
        json_open_array(&w, "ticks");
    } else if (!begin_table(run, file, rig, &table)) {
        error.code = SINEW_ERROR_OUT_OF_MEMORY;
        return cli_input_error(file, &error, false);
    }
    for (uint64_t i = 0; i < run->tick_count && error.code == SINEW_OK; i++) {
        const double time = (double)i / run->fps;
        const double dt = i ? time - (double)(i - 1) / run->fps : 0.0;
        if (table.seconds && i)
            table.seconds[sinew_player_get_info(run->player).state] += dt;
        error.code = do_tick(run, time, dt);
        if (json)
            write_tick(&w, run, time);
        else
            print_tick(run, &table, i, time);
    }
    if (json) {
        json_close_array(&w);
        write_refusals(&w, run);
        json_close_object(&w);
        putchar('\n');
    } else {
        end_table(run, &table);
    }
    free(table.seconds);
    if (error.code != SINEW_OK)
        return cli_input_error(file, &error, false);
    if (run->lost_events) {
        cli_put_text(stderr, run->sets_file);
        fprintf(stderr,
                ": the file: warning: %llu events of ticks with more than %d were left out\n",
                (unsigned long long)run->lost_events, PLAY_EVENTS);
    }
    return cli_finish_output("play");
}

int cmd_play(int argc, char **argv)
{
    const char *words[2], *key = NULL, *script = NULL, *rig_text = "0", *prefix = "",
                          *fps_text = "60";
    bool json = false;
    unsigned word_count;
    const cli_option options[] = {{"--set", &key, NULL},
                                  {"--script", &script, NULL},
                                  {"--rig", &rig_text, NULL},
                                  {"--prefix", &prefix, NULL},
                                  {"--fps", &fps_text, NULL},
                                  {"--json", NULL, &json},
                                  CLI_BVH_ROWS,
                                  {NULL, NULL, NULL}};
    int status = cli_parse(argc, argv, options, words, 2, &word_count);
    if (status != CLI_EXIT_OK)
        return status;
    if (word_count < 2)
        return cli_usage("play", "%s is missing", word_count ? "a FILE" : "SETS.json");
    if (!script)
        return cli_usage("play", "--script SCRIPT.json is missing");
    const char *file = words[1];
    play_run run = {.sets_file = words[0], .script_file = script};
    uint64_t rig;
    if (!cli_whole(rig_text, UINT32_MAX, &rig))
        return cli_usage("play", "--rig takes the index of a rig, not '%s'", rig_text);
    if (!cli_number(fps_text, &run.fps) || run.fps < 1e-3 || run.fps > 1e5)
        return cli_usage("play", "--fps takes ticks a second, 0.001 to 100000, not '%s'", fps_text);

    sinew_error error = {0};
    status = cli_open_sets(run.sets_file, json, &run.sets);
    if (status == CLI_EXIT_OK && !key && sinew_set_file_count(run.sets) > 1)
        status = cli_usage("play",
                           "--set KEY is missing: '%s' has more than one set; sinew inspect "
                           "lists them",
                           run.sets_file);
    if (status == CLI_EXIT_OK)
        status = cli_find_set(run.sets_file, run.sets, key, json, &run.set);
    if (status == CLI_EXIT_OK)
        status = cli_open("play", file, false, json, &run.document);
    if (status == CLI_EXIT_OK)
        status = cli_open_rig(file, run.document, rig, json, &run.skeleton);
    if (status == CLI_EXIT_OK) {
        error.code = read_play_script(&run, &error);
        if (error.code != SINEW_OK)
            status = cli_input_error(script, &error, json);
    }
    if (status == CLI_EXIT_OK) {
        const double ticks =
            floor((sinew_set_script_seconds(run.script) + PLAY_ROUNDING) * run.fps) + 1.0;
        if (ticks > PLAY_MOST_TICKS)
            status = cli_usage("play", "%g seconds at %g ticks a second are more than %d ticks",
                               sinew_set_script_seconds(run.script), run.fps, PLAY_MOST_TICKS);
        else
            run.tick_count = (uint64_t)ticks;
    }
    if (status == CLI_EXIT_OK) {
        run.holds = calloc((size_t)sinew_set_predicate_count(run.set) + 1, sizeof *run.holds);
        error.code = run.holds ? cli_bind_set(run.set, run.document, run.skeleton, prefix,
                                              run.holds, &run.binding, &error)
                               : SINEW_ERROR_OUT_OF_MEMORY;
        if (error.code == SINEW_OK)
            error.code = make_player(&run);
        if (error.code != SINEW_OK)
            status = cli_input_error(run.sets_file, &error, json);
    }
    if (status == CLI_EXIT_OK) {
        uint32_t count;
        const sinew_finding *findings = sinew_set_binding_findings(run.binding, &count);
        cli_warn_findings(run.sets_file, findings, count);
        warn_of_names(&run, file);
        warn_of_late_steps(&run);
        status = run_ticks(&run, file, rig, json);
    }
    end_play(&run);
    return status;
}
