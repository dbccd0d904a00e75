// SPDX-License-Identifier: MIT
// Sets for a person, as JSON, as a graph and as canonical text; and bound to the rigs of a file.
#include "cli/inspect_set.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/findings.h"
#include "cli/set_input.h"
#include "cli/text.h"
#include "sinew/set_query.h"

// Sets on rigs: a binding for each of both.
typedef struct set_rigs {
    sinew_document *document;
    sinew_skeleton **skeletons;   // [rig_count]
    sinew_set_binding **bindings; // [rig_count][set_count]
    uint32_t set_count;
    bool *holds; // predicates, all false
} set_rigs;

typedef struct set_inspection {
    const inspect_set_options *options;
    sinew_set_file *file;
    const sinew_set **sets; // those that are shown
    uint32_t set_count;
    set_rigs rigs;
} set_inspection;

// ---- On rigs ----------------------------------------------------------------------------------------------

static const sinew_set_binding *binding_of(const set_rigs *rigs, uint32_t rig, uint32_t set)
{
    return rigs->bindings[(size_t)rig * rigs->set_count + set];
}

static void free_rigs(set_rigs *rigs)
{
    const uint32_t count = rigs->document ? rigs->document->rig_count : 0;
    for (size_t i = 0; rigs->bindings && i < (size_t)count * rigs->set_count; i++)
        sinew_set_binding_destroy(rigs->bindings[i]);
    for (uint32_t r = 0; rigs->skeletons && r < count; r++)
        sinew_skeleton_destroy(rigs->skeletons[r]);
    free(rigs->bindings);
    free(rigs->skeletons);
    free(rigs->holds);
    sinew_document_destroy(rigs->document);
}

static int bind_sets(set_inspection *inspection)
{
    const inspect_set_options *o = inspection->options;
    set_rigs *rigs = &inspection->rigs;
    int status = cli_open("inspect", o->on, false, o->json, &rigs->document);
    if (status != CLI_EXIT_OK)
        return status;
    const uint32_t count = rigs->document->rig_count;
    size_t predicates = 1;
    for (uint32_t i = 0; i < inspection->set_count; i++)
        if (sinew_set_predicate_count(inspection->sets[i]) > predicates)
            predicates = sinew_set_predicate_count(inspection->sets[i]);
    rigs->set_count = inspection->set_count;
    rigs->holds = calloc(predicates, sizeof *rigs->holds);
    rigs->skeletons = calloc((size_t)count + 1, sizeof *rigs->skeletons);
    rigs->bindings = calloc((size_t)count * rigs->set_count + 1, sizeof *rigs->bindings);
    sinew_error error = {.code = SINEW_ERROR_OUT_OF_MEMORY};
    if (!rigs->holds || !rigs->skeletons || !rigs->bindings)
        return cli_input_error(o->on, &error, o->json);
    for (uint32_t r = 0; r == 0 || r < count; r++) { // without rigs the first is asked for, too
        status = cli_open_rig(o->on, rigs->document, r, o->json, &rigs->skeletons[r]);
        if (status != CLI_EXIT_OK)
            return status;
        for (uint32_t i = 0; i < rigs->set_count; i++) {
            error.code =
                cli_bind_set(inspection->sets[i], rigs->document, rigs->skeletons[r], o->prefix,
                             rigs->holds, &rigs->bindings[(size_t)r * rigs->set_count + i], &error);
            if (error.code != SINEW_OK)
                return cli_input_error(o->file, &error, o->json);
        }
    }
    return CLI_EXIT_OK;
}

// Clips of a set that the rig has not.
static uint32_t missing_clips(const sinew_set_binding *binding)
{
    uint32_t count, missing = 0;
    const sinew_finding *findings = sinew_set_binding_findings(binding, &count);
    for (uint32_t f = 0; f < count; f++)
        missing += findings[f].code == SINEW_CLIP_MISSING;
    return missing;
}

// ---- JSON -------------------------------------------------------------------------------------------------

// A bound that the file does not give is null.
static void write_bound(json_writer *w, const char *key, double value)
{
    if (isfinite(value))
        json_double(w, key, value);
    else
        json_text(w, key, NULL);
}

static void write_fade(json_writer *w, const char *key, const sinew_set_fade_info *fade)
{
    json_open_object(w, key);
    json_double(w, "seconds", fade->seconds);
    json_text(w, "kind", fade->kind);
    json_text(w, "curve", fade->curve);
    json_close_object(w);
}

static void write_condition(json_writer *w, const sinew_set_condition_info *c)
{
    json_open_object(w, NULL);
    json_text(w, c->is_predicate ? "predicate" : "parameter", c->name);
    if (c->is_boolean) {
        json_boolean(w, "is", c->min != 0.0);
    } else {
        write_bound(w, "min", c->min);
        write_bound(w, "max", c->max);
    }
    json_close_object(w);
}

static void write_parameters(json_writer *w, const sinew_set *set)
{
    json_open_array(w, "parameters");
    for (uint32_t i = 0; i < sinew_set_parameter_count(set); i++) {
        const sinew_set_parameter_info p = sinew_set_parameter_at(set, i);
        json_open_object(w, NULL);
        json_text(w, "name", p.name);
        if (p.is_boolean) {
            json_boolean(w, "default", p.start != 0.0);
        } else {
            json_double(w, "default", p.start);
            write_bound(w, "min", p.min);
            write_bound(w, "max", p.max);
        }
        json_close_object(w);
    }
    json_close_array(w);
    json_open_array(w, "predicates");
    for (uint32_t i = 0; i < sinew_set_predicate_count(set); i++)
        json_text(w, NULL, sinew_set_predicate_name(set, i));
    json_close_array(w);
}

static void write_mark(json_writer *w, const sinew_set_mark_info *mark)
{
    json_open_object(w, NULL);
    json_text(w, "name", mark->name);
    json_double(w, mark->is_phase ? "phase" : "at", mark->at);
    json_close_object(w);
}

static void write_set_clips(json_writer *w, const sinew_set *set)
{
    json_open_array(w, "clips");
    for (uint32_t c = 0; c < sinew_set_clip_count(set); c++) {
        json_open_object(w, NULL);
        json_text(w, "name", sinew_set_clip_name(set, c));
        json_open_array(w, "notifies");
        for (uint32_t i = 0; i < sinew_set_notify_count(set, c); i++) {
            const sinew_set_mark_info mark = sinew_set_notify_at(set, c, i);
            write_mark(w, &mark);
        }
        json_close_array(w);
        json_open_array(w, "markers");
        for (uint32_t i = 0; i < sinew_set_marker_count(set, c); i++) {
            const sinew_set_mark_info mark = sinew_set_marker_at(set, c, i);
            write_mark(w, &mark);
        }
        json_close_array(w);
        json_close_object(w);
    }
    json_close_array(w);
}

static void write_choice(json_writer *w, const sinew_set *set, uint32_t state, uint32_t choice)
{
    const sinew_set_choice_info c = sinew_set_choice_at(set, state, choice);
    json_open_object(w, NULL);
    json_open_array(w, "by");
    for (uint32_t a = 0; a < c.axis_count; a++)
        json_text(w, NULL, sinew_set_parameter_name(set, c.axes[a]));
    json_close_array(w);
    json_open_array(w, "clips");
    for (uint32_t p = 0; p < c.clip_count; p++) {
        const sinew_set_point_info point = sinew_set_point_at(set, state, choice, p);
        json_open_object(w, NULL);
        json_text(w, "clip", point.clip);
        if (c.axis_count) {
            json_open_array(w, "at");
            for (uint32_t a = 0; a < c.axis_count; a++)
                json_double(w, NULL, point.at[a]);
            json_close_array(w);
        }
        if (c.rate_by >= 0)
            json_double(w, "ground", point.ground);
        json_close_object(w);
    }
    json_close_array(w);
    json_open_array(w, "need");
    for (uint32_t i = 0; i < c.need_count; i++) {
        const sinew_set_condition_info need = sinew_set_need_at(set, state, choice, i);
        write_condition(w, &need);
    }
    json_close_array(w);
    if (c.rate_by < 0) {
        json_double(w, "rate", c.rate);
    } else {
        json_text(w, "rate_by", sinew_set_parameter_name(set, (uint32_t)c.rate_by));
        write_bound(w, "rate_min", c.rate_min);
        write_bound(w, "rate_max", c.rate_max);
    }
    json_close_object(w);
}

static void write_states(json_writer *w, const sinew_set *set)
{
    json_text(w, "start", sinew_set_state_name(set, sinew_set_start(set)));
    json_open_array(w, "states");
    for (uint32_t s = 0; s < sinew_set_state_count(set); s++) {
        const sinew_set_state_info state = sinew_set_state_at(set, s);
        json_open_object(w, NULL);
        json_text(w, "name", state.name);
        if (state.note)
            json_text(w, "note", state.note);
        json_boolean(w, "loop", state.loop);
        write_fade(w, "fade", &state.fade);
        json_text(w, "next",
                  state.next < 0 ? NULL : sinew_set_state_name(set, (uint32_t)state.next));
        if (state.next >= 0)
            write_fade(w, "next_fade", &state.next_fade);
        json_open_array(w, "choices");
        for (uint32_t c = 0; c < state.choice_count; c++)
            write_choice(w, set, s, c);
        json_close_array(w);
        json_close_object(w);
    }
    json_close_array(w);
}

static void write_transitions(json_writer *w, const sinew_set *set)
{
    json_open_array(w, "transitions");
    for (uint32_t i = 0; i < sinew_set_transition_count(set); i++) {
        const sinew_set_transition_info t = sinew_set_transition_at(set, i);
        json_open_object(w, NULL);
        json_text(w, "from", t.from < 0 ? "*" : sinew_set_state_name(set, (uint32_t)t.from));
        json_text(w, "to", sinew_set_state_name(set, t.to));
        if (t.note)
            json_text(w, "note", t.note);
        write_fade(w, "fade", &t.fade);
        json_boolean(w, "sync", t.sync);
        if (t.has_when)
            json_open_array(w, "when");
        else
            json_text(w, "when", NULL);
        for (uint32_t c = 0; c < t.when_count; c++) {
            const sinew_set_condition_info when = sinew_set_when_at(set, i, c);
            write_condition(w, &when);
        }
        if (t.has_when)
            json_close_array(w);
        json_close_object(w);
    }
    json_close_array(w);
}

static void write_on(json_writer *w, const set_inspection *inspection)
{
    const set_rigs *rigs = &inspection->rigs;
    json_open_object(w, "on");
    json_text(w, "file", inspection->options->on);
    json_open_array(w, "rigs");
    for (uint32_t r = 0; r < rigs->document->rig_count; r++) {
        json_open_object(w, NULL);
        json_whole(w, "index", r);
        json_text(w, "name", rigs->document->rigs[r].name);
        json_open_array(w, "sets");
        for (uint32_t i = 0; i < rigs->set_count; i++) {
            const sinew_set *set = inspection->sets[i];
            const sinew_set_binding *binding = binding_of(rigs, r, i);
            uint32_t count;
            const sinew_finding *findings = sinew_set_binding_findings(binding, &count);
            json_open_object(w, NULL);
            json_text(w, "key", sinew_set_key(set));
            json_whole(w, "clip_count", sinew_set_clip_count(set));
            json_whole(w, "missing_clip_count", missing_clips(binding));
            json_open_array(w, "playable");
            for (uint32_t s = 0; s < sinew_set_state_count(set); s++)
                if (sinew_set_binding_can_play(binding, s))
                    json_text(w, NULL, sinew_set_state_name(set, s));
            json_close_array(w);
            cli_write_findings(w, findings, count);
            json_close_object(w);
        }
        json_close_array(w);
        json_close_object(w);
    }
    json_close_array(w);
    json_close_object(w);
}

static void write_sets(const set_inspection *inspection)
{
    json_writer w = {stdout, false};
    uint32_t count;
    const sinew_finding *findings = sinew_set_file_findings(inspection->file, &count);
    json_open_object(&w, NULL);
    json_text(&w, "file", inspection->options->file);
    json_text(&w, "format", "set");
    json_open_array(&w, "sets");
    for (uint32_t i = 0; i < inspection->set_count; i++) {
        const sinew_set *set = inspection->sets[i];
        json_open_object(&w, NULL);
        json_text(&w, "key", sinew_set_key(set));
        if (sinew_set_note(set))
            json_text(&w, "note", sinew_set_note(set));
        write_parameters(&w, set);
        write_set_clips(&w, set);
        write_states(&w, set);
        write_transitions(&w, set);
        json_close_object(&w);
    }
    json_close_array(&w);
    if (inspection->rigs.document)
        write_on(&w, inspection);
    cli_write_findings(&w, findings, count);
    json_close_object(&w);
    putchar('\n');
}

// ---- For a person -----------------------------------------------------------------------------------------

static void put_quoted(const char *text)
{
    putchar('\'');
    cli_put_text(stdout, text);
    putchar('\'');
}

static void put_number_of(uint32_t count, const char *thing, const char *end)
{
    printf("%u %s%s%s", (unsigned)count, thing, count == 1 ? "" : "s", end);
}

// "speed >= 1.4", "0.1 <= speed <= 2", "not grounded"
static void put_condition(const sinew_set_condition_info *c)
{
    if (c->is_boolean) {
        fputs(c->min != 0.0 ? "" : "not ", stdout);
        cli_put_text(stdout, c->name);
        return;
    }
    if (isfinite(c->min) && isfinite(c->max) && c->min != c->max)
        printf("%g <= ", c->min);
    cli_put_text(stdout, c->name);
    if (c->min == c->max)
        printf(" = %g", c->min);
    else if (isfinite(c->max))
        printf(" <= %g", c->max);
    else if (isfinite(c->min))
        printf(" >= %g", c->min);
    else
        fputs(" is anything", stdout);
}

static void put_fade_words(const sinew_set_fade_info *fade)
{
    if (strcmp(fade->kind, "cut") == 0) {
        fputs("cut", stdout);
        return;
    }
    printf("%g s", fade->seconds);
    if (strcmp(fade->kind, "cross") != 0)
        printf(" %s", fade->kind);
    if (strcmp(fade->curve, "smooth") != 0)
        printf(" %s", fade->curve);
}

static void print_parameters(const sinew_set *set)
{
    for (uint32_t i = 0; i < sinew_set_parameter_count(set); i++) {
        const sinew_set_parameter_info p = sinew_set_parameter_at(set, i);
        fputs("  parameter ", stdout);
        cli_put_text(stdout, p.name);
        if (p.is_boolean) {
            fputs(p.start != 0.0 ? ": true\n" : ": false\n", stdout);
            continue;
        }
        printf(": %g", p.start);
        if (isfinite(p.min) && isfinite(p.max))
            printf(", within %g to %g", p.min, p.max);
        else if (isfinite(p.min))
            printf(", from %g", p.min);
        else if (isfinite(p.max))
            printf(", up to %g", p.max);
        putchar('\n');
    }
    for (uint32_t i = 0; i < sinew_set_predicate_count(set); i++) {
        fputs("  predicate ", stdout);
        cli_put_text(stdout, sinew_set_predicate_name(set, i));
        putchar('\n');
    }
}

// A clip, or "blend by speed: walk 0.5, run 2".
static void put_choice_clips(const sinew_set *set, uint32_t state, uint32_t choice,
                             const sinew_set_choice_info *c)
{
    if (c->axis_count) {
        fputs("blend by ", stdout);
        for (uint32_t a = 0; a < c->axis_count; a++) {
            fputs(a ? " and " : "", stdout);
            cli_put_text(stdout, sinew_set_parameter_name(set, c->axes[a]));
        }
        fputs(": ", stdout);
    }
    for (uint32_t p = 0; p < c->clip_count; p++) {
        const sinew_set_point_info point = sinew_set_point_at(set, state, choice, p);
        fputs(p ? ", " : "", stdout);
        cli_put_text(stdout, point.clip);
        if (c->axis_count == 1)
            printf(" at %g", point.at[0]);
        else if (c->axis_count == 2)
            printf(" at %g %g", point.at[0], point.at[1]);
        if (c->rate_by >= 0)
            printf(" (ground %g)", point.ground);
    }
}

static void print_choice(const sinew_set *set, uint32_t state, uint32_t choice)
{
    const sinew_set_choice_info c = sinew_set_choice_at(set, state, choice);
    fputs("      ", stdout);
    put_choice_clips(set, state, choice, &c);
    for (uint32_t i = 0; i < c.need_count; i++) {
        const sinew_set_condition_info need = sinew_set_need_at(set, state, choice, i);
        fputs(i ? " and " : ", needs ", stdout);
        put_condition(&need);
    }
    if (c.rate_by >= 0) {
        fputs(", rate by ", stdout);
        cli_put_text(stdout, sinew_set_parameter_name(set, (uint32_t)c.rate_by));
        if (isfinite(c.rate_min) && isfinite(c.rate_max))
            printf(" within %g to %g", c.rate_min, c.rate_max);
        else if (isfinite(c.rate_min))
            printf(" from %g", c.rate_min);
        else if (isfinite(c.rate_max))
            printf(" up to %g", c.rate_max);
    } else if (c.rate != 1.0) {
        printf(", rate %g", c.rate);
    }
    putchar('\n');
}

static void print_states(const sinew_set *set)
{
    for (uint32_t s = 0; s < sinew_set_state_count(set); s++) {
        const sinew_set_state_info state = sinew_set_state_at(set, s);
        fputs("  state ", stdout);
        cli_put_text(stdout, state.name);
        fputs(s == sinew_set_start(set) ? " (start)" : "", stdout);
        fputs(state.loop ? "" : ": once", stdout);
        if (state.next >= 0) {
            fputs(", then ", stdout);
            cli_put_text(stdout, sinew_set_state_name(set, (uint32_t)state.next));
            fputs(" over ", stdout);
            put_fade_words(&state.next_fade);
        } else if (!state.loop) {
            fputs(", then held", stdout);
        }
        if (state.choice_count > 1) {
            fputs(state.loop ? ": choices over " : "; choices over ", stdout);
            put_fade_words(&state.fade);
        }
        putchar('\n');
        for (uint32_t c = 0; c < state.choice_count; c++)
            print_choice(set, s, c);
    }
}

static void print_transitions(const sinew_set *set)
{
    for (uint32_t i = 0; i < sinew_set_transition_count(set); i++) {
        const sinew_set_transition_info t = sinew_set_transition_at(set, i);
        fputs("  from ", stdout);
        cli_put_text(stdout, t.from < 0 ? "*" : sinew_set_state_name(set, (uint32_t)t.from));
        fputs(" to ", stdout);
        cli_put_text(stdout, sinew_set_state_name(set, t.to));
        fputs(" over ", stdout);
        put_fade_words(&t.fade);
        fputs(t.sync ? ", in step" : "", stdout);
        fputs(!t.has_when ? ", when asked for" : t.when_count ? ", when " : ", always", stdout);
        for (uint32_t c = 0; c < t.when_count; c++) {
            const sinew_set_condition_info when = sinew_set_when_at(set, i, c);
            fputs(c ? " and " : "", stdout);
            put_condition(&when);
        }
        putchar('\n');
    }
}

static void print_set_clips(const sinew_set *set)
{
    for (uint32_t c = 0; c < sinew_set_clip_count(set); c++) {
        const uint32_t notifies = sinew_set_notify_count(set, c),
                       markers = sinew_set_marker_count(set, c);
        fputs("  clip ", stdout);
        cli_put_text(stdout, sinew_set_clip_name(set, c));
        const char *between = ": ";
        for (uint32_t i = 0; i < notifies + markers; i++) {
            const sinew_set_mark_info mark = i < notifies
                                                 ? sinew_set_notify_at(set, c, i)
                                                 : sinew_set_marker_at(set, c, i - notifies);
            fputs(between, stdout);
            between = ", ";
            fputs(i < notifies ? "event " : "marker ", stdout);
            cli_put_text(stdout, mark.name);
            printf(" at %s%g%s", mark.is_phase ? "phase " : "", mark.at, mark.is_phase ? "" : " s");
        }
        putchar('\n');
    }
}

static void print_sets(const set_inspection *inspection)
{
    uint32_t count;
    const sinew_finding *findings = sinew_set_file_findings(inspection->file, &count);
    cli_put_text(stdout, inspection->options->file);
    fputs(": ", stdout);
    put_number_of(sinew_set_file_count(inspection->file), "animation set", "\n");
    for (uint32_t i = 0; i < inspection->set_count; i++) {
        const sinew_set *set = inspection->sets[i];
        fputs("set ", stdout);
        put_quoted(sinew_set_key(set));
        fputs("  ", stdout);
        put_number_of(sinew_set_state_count(set), "state", ", ");
        put_number_of(sinew_set_transition_count(set), "transition", ", ");
        put_number_of(sinew_set_clip_count(set), "clip", "\n");
        if (sinew_set_note(set)) {
            fputs("  ", stdout);
            cli_put_text(stdout, sinew_set_note(set));
            putchar('\n');
        }
        print_parameters(set);
        print_states(set);
        print_transitions(set);
        print_set_clips(set);
    }
    cli_print_findings(findings, count, "Probably not meant:");
}

static void print_on(const set_inspection *inspection)
{
    const set_rigs *rigs = &inspection->rigs;
    for (uint32_t i = 0; i < rigs->set_count; i++)
        for (uint32_t r = 0; r < rigs->document->rig_count; r++) {
            const sinew_set *set = inspection->sets[i];
            const sinew_set_binding *binding = binding_of(rigs, r, i);
            const uint32_t clips = sinew_set_clip_count(set), states = sinew_set_state_count(set);
            uint32_t playable = 0, count;
            const sinew_finding *findings = sinew_set_binding_findings(binding, &count);
            for (uint32_t s = 0; s < states; s++)
                playable += sinew_set_binding_can_play(binding, s);
            fputs("set ", stdout);
            put_quoted(sinew_set_key(set));
            printf(" on rig %u ", r);
            put_quoted(rigs->document->rigs[r].name);
            fputs(" of ", stdout);
            cli_put_text(stdout, inspection->options->on);
            printf(": %u of %u clips are there, %u of %u states can play\n",
                   clips - missing_clips(binding), clips, playable, states);
            cli_print_findings(findings, count, "Missing on this rig:");
        }
}

// ---- The command ------------------------------------------------------------------------------------------

// Canonical text or graphs. False where there is no memory.
static bool print_text(const set_inspection *inspection)
{
    for (uint32_t i = 0; i < inspection->set_count; i++) {
        const bool dot = inspection->options->dot;
        const sinew_set *set = inspection->sets[i];
        const size_t size = 1 + (dot ? sinew_set_write_dot(set, NULL, 0)
                                     : sinew_set_file_write(inspection->file, NULL, 0));
        char *text = malloc(size);
        if (!text)
            return false;
        if (dot)
            sinew_set_write_dot(set, text, size);
        else
            sinew_set_file_write(inspection->file, text, size);
        fputs(text, stdout);
        free(text);
        if (!dot)
            break; // the whole file
    }
    return true;
}

static int pick_sets(set_inspection *inspection)
{
    const inspect_set_options *o = inspection->options;
    const uint32_t count = sinew_set_file_count(inspection->file);
    inspection->sets = calloc((size_t)count + 1, sizeof *inspection->sets);
    if (!inspection->sets)
        return cli_input_error(o->file, &(sinew_error){.code = SINEW_ERROR_OUT_OF_MEMORY}, o->json);
    inspection->set_count = o->key ? 1 : count;
    for (uint32_t i = 0; i < count; i++)
        inspection->sets[i] = sinew_set_file_at(inspection->file, i);
    return o->key ? cli_find_set(o->file, inspection->file, o->key, o->json, &inspection->sets[0])
                  : CLI_EXIT_OK;
}

int inspect_set(const inspect_set_options *options)
{
    set_inspection inspection = {.options = options};
    int status = cli_open_sets(options->file, options->json, &inspection.file);
    if (status == CLI_EXIT_OK)
        status = pick_sets(&inspection);
    if (status == CLI_EXIT_OK && options->on)
        status = bind_sets(&inspection);
    if (status == CLI_EXIT_OK) {
        bool good = true;
        if (options->json)
            write_sets(&inspection);
        else if (options->dot || options->canonical)
            good = print_text(&inspection);
        else if (options->on)
            print_on(&inspection);
        else
            print_sets(&inspection);
        status = good ? cli_finish_output("inspect")
                      : cli_input_error(options->file,
                                        &(sinew_error){.code = SINEW_ERROR_OUT_OF_MEMORY}, false);
    }
    free_rigs(&inspection.rigs);
    free(inspection.sets);
    sinew_set_file_destroy(inspection.file);
    return status;
}
