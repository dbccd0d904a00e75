// SPDX-License-Identifier: MIT
// A stage for players of animation sets.
#include "set_stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

static const float stage_rest_x = -1.0f;

static sinew_clip *stage_make_clip(const stage_clip *c)
{
    const float times[2] = {0.0f, c->seconds};
    const float places[6] = {c->from, 0.0f, 0.0f, c->to, 0.0f, 0.0f};
    const float turns[8] = {
        0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, sinf(0.5f * c->turn), cosf(0.5f * c->turn)};
    const float weights[2] = {c->morph, c->morph};
    const uint32_t keys = c->seconds > 0.0f ? 2 : 1;
    const sinew_track tracks[3] = {{.node = 0,
                                    .node_name = "root",
                                    .property = SINEW_PROPERTY_TRANSLATION,
                                    .interpolation = SINEW_INTERPOLATION_LINEAR,
                                    .component_count = 3,
                                    .key_count = keys,
                                    .times = times,
                                    .values = places},
                                   {.node = 1,
                                    .node_name = "tip",
                                    .property = SINEW_PROPERTY_ROTATION,
                                    .interpolation = SINEW_INTERPOLATION_LINEAR,
                                    .component_count = 4,
                                    .key_count = keys,
                                    .times = times,
                                    .values = turns},
                                   {.node = 0,
                                    .node_name = "root",
                                    .property = SINEW_PROPERTY_WEIGHTS,
                                    .interpolation = SINEW_INTERPOLATION_LINEAR,
                                    .component_count = 1,
                                    .key_count = keys,
                                    .times = times,
                                    .values = weights}};
    sinew_clip_desc desc = sinew_clip_desc_default();
    desc.name = c->name;
    desc.tracks = tracks;
    desc.track_count = c->morph > 0.0f ? 3 : 2;
    sinew_clip *clip = NULL;
    assert_ok(sinew_clip_create(&desc, &clip, NULL));
    return clip;
}

sinew_set_file *stage_read(const set_stage *stage, const char *members)
{
    const char *before = "{\"version\": 1, \"sets\": {\"actor\": {", *after = "}}}";
    size_t size = strlen(before) + strlen(members) + strlen(after);
    char *text = malloc(size + 1);
    assert_non_null(text);
    snprintf(text, size + 1, "%s%s%s", before, members, after);
    for (char *c = text; *c; c++)
        if (*c == '\'')
            *c = '"';
    sinew_set_file_desc desc = sinew_set_file_desc_default();
    desc.text = text;
    desc.size = size;
    desc.allocator = stage->allocator;
    sinew_set_file *file = NULL;
    sinew_error error;
    memset(&error, 0, sizeof error);
    if (sinew_set_file_create(&desc, &file, &error) != SINEW_OK)
        fail_msg("%s: %s\n%s", error.path, error.message, text);
    free(text);
    return file;
}

sinew_set_binding *stage_bind(const set_stage *stage, const sinew_set_file *file,
                              const stage_desc *more)
{
    sinew_set_binding_desc desc = sinew_set_binding_desc_default();
    desc.set = sinew_set_file_find(file, "actor");
    desc.skeleton = stage->skeleton;
    desc.clips = (const sinew_clip *const *)stage->clips;
    desc.clip_count = stage->clip_count;
    desc.allocator = stage->allocator;
    if (more) {
        desc.prefix = more->prefix;
        desc.predicates = more->predicates;
        desc.predicate_count = more->predicate_count;
    }
    sinew_set_binding *binding = NULL;
    assert_ok(sinew_set_binding_create(&desc, &binding, NULL));
    return binding;
}

set_stage *set_stage_new(const stage_desc *desc)
{
    set_stage *s = calloc(1, sizeof *s);
    assert_non_null(s);
    sinew_joint_desc joints[STAGE_JOINTS] = {{.name = "root", .parent = -1, .node = 0},
                                             {.name = "tip", .parent = 0, .node = 1}};
    joints[0].rest = joints[1].rest = sinew_transform_identity();
    joints[0].rest.translation.x = stage_rest_x;
    s->skeleton = test_skeleton_of(joints, STAGE_JOINTS);
    s->allocator = desc->allocator;
    assert_in_range(desc->clip_count, 0, STAGE_CLIPS);
    for (uint32_t i = 0; i < desc->clip_count; i++)
        s->clips[s->clip_count++] = stage_make_clip(&desc->clips[i]);
    s->file = stage_read(s, desc->members);
    s->set = sinew_set_file_find(s->file, "actor");
    s->binding = stage_bind(s, s->file, desc);
    sinew_player_desc player = {.binding = s->binding, .user = s, .allocator = s->allocator};
    assert_ok(sinew_player_create(&player, &s->player));
    s->scratch_size = sinew_set_binding_scratch_size(s->binding);
    s->scratch = test_block(s->scratch_size);
    s->pose_block = test_block(sinew_pose_size(STAGE_JOINTS));
    assert_ok(
        sinew_pose_init(&s->pose, STAGE_JOINTS, s->pose_block, sinew_pose_size(STAGE_JOINTS)));
    s->event_capacity = STAGE_EVENTS;
    return s;
}

set_stage *set_stage_of(const stage_clip *clips, uint32_t clip_count, const char *members)
{
    return set_stage_new(
        &(stage_desc){.clips = clips, .clip_count = clip_count, .members = members});
}

void set_stage_free(set_stage *s)
{
    sinew_player_destroy(s->player);
    sinew_set_binding_destroy(s->binding);
    sinew_set_file_destroy(s->file);
    for (uint32_t i = 0; i < s->clip_count; i++)
        sinew_clip_destroy(s->clips[i]);
    sinew_skeleton_destroy(s->skeleton);
    test_block_free(s->scratch);
    test_block_free(s->pose_block);
    free(s);
}

void stage_tick(set_stage *s, double dt)
{
    assert_ok(sinew_player_tick(&(sinew_player_tick_args){.player = s->player,
                                                          .dt = dt,
                                                          .scratch = s->scratch,
                                                          .scratch_size = s->scratch_size,
                                                          .out_pose = &s->pose,
                                                          .out_scalars = &s->scalar,
                                                          .out_scalar_count = 1,
                                                          .out_events = s->events,
                                                          .event_capacity = s->event_capacity,
                                                          .out_event_count = &s->event_count,
                                                          .out_lost_events = &s->lost_events}));
}

void stage_set(set_stage *s, const char *parameter, double value)
{
    const sinew_set *set = sinew_set_binding_set(sinew_player_binding(s->player));
    assert_ok(
        sinew_player_set_parameter(s->player, sinew_set_find_parameter(set, parameter), value));
}

sinew_result stage_request(set_stage *s, const char *state)
{
    const sinew_set *set = sinew_set_binding_set(sinew_player_binding(s->player));
    int32_t index = sinew_set_find_state(set, state);
    assert_true(index >= 0);
    return sinew_player_request(s->player, index, NULL);
}

sinew_player_info stage_info(const set_stage *s)
{
    return sinew_player_get_info(s->player);
}

float stage_x(const set_stage *s)
{
    return sinew_pose_get(&s->pose, 0).translation.x;
}

float stage_turn(const set_stage *s)
{
    sinew_quat q = sinew_pose_get(&s->pose, 1).rotation;
    return 2.0f * atan2f(q.z, q.w);
}

const char *stage_events(set_stage *s)
{
    size_t used = 0;
    s->text[0] = '\0';
    for (uint32_t i = 0; i < s->event_count && used < sizeof s->text - 64; i++)
        used += (size_t)snprintf(s->text + used, sizeof s->text - used, "%s%s %g", i ? ", " : "",
                                 s->events[i].name, round(s->events[i].ago * 1e6) / 1e6);
    return s->text;
}

void stage_assert_plays(const set_stage *s, const char *state, const char *clip, double phase,
                        const char *file, int line)
{
    sinew_player_info info = stage_info(s);
    const char *shown = info.clip ? info.clip : "the rest pose";
    clip = clip ? clip : "the rest pose";
    if (strcmp(info.name, state) != 0 || strcmp(shown, clip) != 0 ||
        !(fabs(info.phase - phase) <= 1e-12)) {
        print_error("state '%s', %s at %.17g; expected '%s', %s at %.17g\n", info.name, shown,
                    info.phase, state, clip, phase);
        _fail(file, line);
    }
}
