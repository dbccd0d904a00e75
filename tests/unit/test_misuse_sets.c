// SPDX-License-Identifier: MIT
// Wrong arguments to set.h, set_query.h and set_script.h.
#include "../support/misuse.h"

static const char text[] = "{\"version\": 1, \"sets\": {\"a\": {\"states\": {\"s\": {\"choices\": "
                           "[{\"clip\": \"walk\"}]}}, \"predicates\": [], \"transitions\": []}}}";

static void files(void **state)
{
    (void)state;
    sinew_set_file_desc good = sinew_set_file_desc_default();
    ANSWERS(sinew_set_file_desc_default, good.text == NULL && good.size == 0);
    good.text = text, good.size = sizeof text - 1;
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_set_file_create, sinew_set_file, (NULL, &made, NULL));
    REFUSES(sinew_set_file_create, (&good, NULL, NULL));
    SPOILS_MAKING(INVALID_ARGUMENT, sinew_set_file_create, sinew_set_file_desc, good,
                  sinew_set_file, text = NULL);
    SPOILS_MAKING(JSON_SYNTAX, sinew_set_file_create, sinew_set_file_desc, good, sinew_set_file,
                  size = 0);
    SPOILS_MAKING(JSON_SYNTAX, sinew_set_file_create, sinew_set_file_desc, good, sinew_set_file,
                  size -= 1);
    NOTHING(sinew_set_file_destroy, (NULL));
    const sinew_set_file *f = misuse.sets;
    uint32_t count = 7;
    ANSWERS(sinew_set_file_count, sinew_set_file_count(NULL) == 0);
    ANSWERS(sinew_set_file_at, !sinew_set_file_at(NULL, 0) && !sinew_set_file_at(f, 1));
    ANSWERS(sinew_set_file_find, !sinew_set_file_find(NULL, "creature"));
    ANSWERS(sinew_set_file_find, !sinew_set_file_find(f, NULL));
    ANSWERS(sinew_set_file_findings, !sinew_set_file_findings(NULL, &count) && count == 0);
    NOTHING((void)sinew_set_file_findings, (f, NULL));
    char out[4] = "abc";
    ANSWERS(sinew_set_file_write, sinew_set_file_write(NULL, out, 4) == 0 && !out[0]);
    ANSWERS(sinew_set_file_write, sinew_set_file_write(f, out, 4) > 4 && !out[3]);
    ANSWERS(sinew_set_file_write, sinew_set_file_write(f, NULL, 4) > 4);
    ANSWERS(sinew_set_file_write, sinew_set_file_write(f, NULL, 0) > 4);
}

static void questions(void **state)
{
    (void)state;
    const sinew_set *s = sinew_set_file_at(misuse.sets, 0);
    const uint32_t far = UINT32_MAX;
    ANSWERS(sinew_set_key, sinew_set_key(NULL)[0] == '\0');
    ANSWERS(sinew_set_state_count, sinew_set_state_count(NULL) == 0);
    ANSWERS(sinew_set_state_name, !sinew_set_state_name(NULL, 0)[0]);
    ANSWERS(sinew_set_state_name, !sinew_set_state_name(s, far)[0]);
    ANSWERS(sinew_set_find_state, sinew_set_find_state(NULL, "stand") == -1);
    ANSWERS(sinew_set_find_state, sinew_set_find_state(s, NULL) == -1);
    ANSWERS(sinew_set_start, sinew_set_start(NULL) == 0);
    ANSWERS(sinew_set_parameter_count, sinew_set_parameter_count(NULL) == 0);
    ANSWERS(sinew_set_parameter_name, !sinew_set_parameter_name(NULL, 0)[0]);
    ANSWERS(sinew_set_parameter_name, !sinew_set_parameter_name(s, far)[0]);
    ANSWERS(sinew_set_find_parameter, sinew_set_find_parameter(NULL, "speed") == -1);
    ANSWERS(sinew_set_find_parameter, sinew_set_find_parameter(s, NULL) == -1);
    ANSWERS(sinew_set_predicate_count, sinew_set_predicate_count(NULL) == 0);
    ANSWERS(sinew_set_predicate_name, !sinew_set_predicate_name(NULL, 0)[0]);
    ANSWERS(sinew_set_predicate_name, !sinew_set_predicate_name(s, far)[0]);
    ANSWERS(sinew_set_clip_count, sinew_set_clip_count(NULL) == 0);
    ANSWERS(sinew_set_clip_name, !sinew_set_clip_name(NULL, 0)[0]);
    ANSWERS(sinew_set_clip_name, !sinew_set_clip_name(s, far)[0]);
    char out[4] = "abc";
    ANSWERS(sinew_set_write_dot, sinew_set_write_dot(NULL, out, 4) == 0 && !out[0]);
    ANSWERS(sinew_set_write_dot, sinew_set_write_dot(s, NULL, 4) > 4);

    ANSWERS(sinew_set_note, !sinew_set_note(NULL));
    ANSWERS(sinew_set_parameter_at, !sinew_set_parameter_at(NULL, 0).name);
    ANSWERS(sinew_set_parameter_at, !sinew_set_parameter_at(s, far).name);
    ANSWERS(sinew_set_state_at, !sinew_set_state_at(NULL, 0).name);
    ANSWERS(sinew_set_state_at, !sinew_set_state_at(s, far).name);
    ANSWERS(sinew_set_choice_at, sinew_set_choice_at(NULL, 0, 0).clip_count == 0);
    ANSWERS(sinew_set_choice_at, sinew_set_choice_at(s, far, 0).clip_count == 0);
    ANSWERS(sinew_set_choice_at, sinew_set_choice_at(s, 0, far).clip_count == 0);
    ANSWERS(sinew_set_point_at, !sinew_set_point_at(NULL, 0, 0, 0).clip);
    ANSWERS(sinew_set_point_at, !sinew_set_point_at(s, 0, 0, far).clip);
    ANSWERS(sinew_set_need_at, !sinew_set_need_at(NULL, 0, 0, 0).name);
    ANSWERS(sinew_set_need_at, !sinew_set_need_at(s, 1, 0, far).name);
    ANSWERS(sinew_set_transition_count, sinew_set_transition_count(NULL) == 0);
    ANSWERS(sinew_set_transition_at, !sinew_set_transition_at(NULL, 0).fade.kind);
    ANSWERS(sinew_set_transition_at, !sinew_set_transition_at(s, far).fade.kind);
    ANSWERS(sinew_set_when_at, !sinew_set_when_at(NULL, 0, 0).name);
    ANSWERS(sinew_set_when_at, !sinew_set_when_at(s, far, 0).name);
    ANSWERS(sinew_set_when_at, !sinew_set_when_at(s, 0, far).name);
    ANSWERS(sinew_set_notify_count, sinew_set_notify_count(NULL, 0) == 0);
    ANSWERS(sinew_set_notify_count, sinew_set_notify_count(s, far) == 0);
    ANSWERS(sinew_set_notify_at, !sinew_set_notify_at(NULL, 0, 0).name);
    ANSWERS(sinew_set_notify_at, !sinew_set_notify_at(s, 0, far).name);
    ANSWERS(sinew_set_marker_count, sinew_set_marker_count(NULL, 0) == 0);
    ANSWERS(sinew_set_marker_count, sinew_set_marker_count(s, far) == 0);
    ANSWERS(sinew_set_marker_at, !sinew_set_marker_at(NULL, 0, 0).name);
    ANSWERS(sinew_set_marker_at, !sinew_set_marker_at(s, far, 0).name);
}

static void bindings(void **state)
{
    (void)state;
    static const sinew_clip *const none[1] = {NULL};
    sinew_set_binding_desc good = sinew_set_binding_desc_default();
    ANSWERS(sinew_set_binding_desc_default, good.set == NULL && good.library == NULL);
    good.set = sinew_set_file_at(misuse.sets, 0), good.skeleton = misuse.skeleton;
    good.clips = misuse.creature->clips, good.clip_count = misuse.creature->clip_count;
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_set_binding_create, sinew_set_binding,
                  (NULL, &made, NULL));
    REFUSES(sinew_set_binding_create, (&good, NULL, NULL));
#define SPOILS_BINDING(change)                                                                     \
    SPOILS_MAKING(INVALID_ARGUMENT, sinew_set_binding_create, sinew_set_binding_desc, good,        \
                  sinew_set_binding, change)
    SPOILS_BINDING(set = NULL);
    SPOILS_BINDING(skeleton = NULL);
    SPOILS_BINDING(clips = NULL);
    SPOILS_BINDING(clips = none);
    SPOILS_BINDING(by = (sinew_bind_by)6);
    SPOILS_BINDING(translations = (sinew_translation_mode)6);
    SPOILS_BINDING(predicate_count = 1); // and none given
    const sinew_set_binding *b = misuse.set_binding;
    uint32_t count = 7;
    NOTHING(sinew_set_binding_destroy, (NULL));
    ANSWERS(sinew_set_binding_set, !sinew_set_binding_set(NULL));
    ANSWERS(sinew_set_binding_skeleton, !sinew_set_binding_skeleton(NULL));
    ANSWERS(sinew_set_binding_can_play, !sinew_set_binding_can_play(NULL, 0));
    ANSWERS(sinew_set_binding_can_play, !sinew_set_binding_can_play(b, 99));
    ANSWERS(sinew_set_binding_findings, !sinew_set_binding_findings(NULL, &count) && !count);
    count = 7;
    ANSWERS(sinew_set_binding_scalars, !sinew_set_binding_scalars(NULL, &count) && !count);
    ANSWERS(sinew_set_binding_scratch_size, sinew_set_binding_scratch_size(NULL) == 0);
}

static void players(void **state)
{
    (void)state;
    const sinew_player_desc good = {.binding = misuse.set_binding};
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_player_create, sinew_player, (NULL, &made));
    REFUSES(sinew_player_create, (&good, NULL));
    SPOILS_PLAIN(INVALID_ARGUMENT, sinew_player_create, sinew_player_desc, good, sinew_player,
                 binding = NULL);
    sinew_player *player = NULL, *twin = NULL;
    assert_ok(sinew_player_create(&good, &player));
    assert_ok(sinew_player_create(&good, &twin));
    NOTHING(sinew_player_destroy, (NULL));
    NOTHING(sinew_player_reset, (NULL));
    REFUSES(sinew_player_rebind, (NULL, misuse.set_binding));
    REFUSES(sinew_player_rebind, (player, NULL));
    ANSWERS(sinew_player_binding, !sinew_player_binding(NULL));
    ANSWERS(sinew_player_user, !sinew_player_user(NULL));
    REFUSES(sinew_player_set_parameter, (NULL, 0, 1.0));
    REFUSES_WITH(INDEX_RANGE, sinew_player_set_parameter, (player, -1, 1.0));
    REFUSES_WITH(INDEX_RANGE, sinew_player_set_parameter, (player, 9, 1.0));
    REFUSES_WITH(NOT_FINITE, sinew_player_set_parameter, (player, 0, NAN));
    ANSWERS(sinew_player_parameter, sinew_player_parameter(NULL, 0) == 0.0);
    ANSWERS(sinew_player_parameter, sinew_player_parameter(player, -1) == 0.0);
    ANSWERS(sinew_player_parameter, sinew_player_parameter(player, 9) == 0.0);
    REFUSES(sinew_player_request, (NULL, 0, NULL));
    REFUSES_WITH(INDEX_RANGE, sinew_player_request, (player, -1, NULL));
    REFUSES_WITH(INDEX_RANGE, sinew_player_request, (player, 9, NULL));
    ANSWERS(sinew_player_get_info, sinew_player_get_info(NULL).state == SINEW_SET_NONE);

    sinew_pose pose = misuse_pose(misuse.skeleton), planeless = pose,
               bird = misuse_pose(sinew_stream_rig_skeleton(misuse.bird->rig));
    planeless.planes = NULL;
    const size_t size = sinew_set_binding_scratch_size(misuse.set_binding);
    char *block = misuse_block(2 * size + 64);
    sinew_player_tick_args tick = {
        .player = player, .dt = 0.1, .scratch = block, .scratch_size = size, .out_pose = &pose};
    assert_ok(sinew_player_tick(&tick));
    const double phase = sinew_player_get_info(player).phase;
    REFUSES(sinew_player_tick, (NULL));
#define SPOILS_TICK(code, change)                                                                  \
    SPOILS(code, sinew_player_tick, sinew_player_tick_args, tick, change)
    SPOILS_TICK(INVALID_ARGUMENT, player = NULL);
    SPOILS_TICK(INVALID_ARGUMENT, dt = -0.1);
    SPOILS_TICK(INVALID_ARGUMENT, dt = NAN);
    SPOILS_TICK(INVALID_ARGUMENT, dt = INFINITY);
    SPOILS_TICK(INVALID_ARGUMENT, scratch = NULL);
    SPOILS_TICK(MISALIGNED, scratch = block + 32);
    SPOILS_TICK(BUFFER_TOO_SMALL, scratch_size--);
    SPOILS_TICK(INVALID_ARGUMENT, out_pose = &bird);
    SPOILS_TICK(INVALID_ARGUMENT, out_pose = &planeless);
    SPOILS_TICK(INVALID_ARGUMENT, event_capacity = 1);
    uint32_t scalar_count = 0;
    (void)sinew_set_binding_scalars(misuse.set_binding, &scalar_count);
    float scalars[1] = {0};
    if (scalar_count > 0)
        SPOILS_TICK(BUFFER_TOO_SMALL, out_scalars = scalars);
    assert_true(sinew_player_get_info(player).phase == phase); // as before

    sinew_player *both[2] = {player, twin}, *hole[2] = {player, NULL};
    sinew_pose poses[2] = {pose, misuse_pose(misuse.skeleton)}, bad_poses[2] = {pose, bird};
    const sinew_players_tick_args many = {.players = both,
                                          .player_count = 2,
                                          .dt = 0.1,
                                          .scratch = block,
                                          .scratch_size = size,
                                          .out_poses = poses};
    REFUSES(sinew_players_tick, (NULL));
#define SPOILS_TICKS(code, change)                                                                 \
    SPOILS(code, sinew_players_tick, sinew_players_tick_args, many, change)
    SPOILS_TICKS(INVALID_ARGUMENT, players = NULL);
    SPOILS_TICKS(INVALID_ARGUMENT, players = hole);
    SPOILS_TICKS(INVALID_ARGUMENT, dt = NAN);
    SPOILS_TICKS(INVALID_ARGUMENT, scratch = NULL);
    SPOILS_TICKS(MISALIGNED, scratch = block + 32);
    SPOILS_TICKS(BUFFER_TOO_SMALL, scratch_size -= 64);
    SPOILS_TICKS(INVALID_ARGUMENT, out_poses = bad_poses);
    assert_true(sinew_player_get_info(player).phase == phase); // looked for before anything ticks
    assert_ok(sinew_players_tick(&many));
    assert_ok(sinew_players_tick(&(sinew_players_tick_args){.dt = 0.1})); // nobody
    sinew_player_destroy(twin);
    sinew_player_destroy(player);
}

static void scripts(void **state)
{
    (void)state;
    static const char script_text[] = "{\"seconds\": 1, \"steps\": []}";
    sinew_set_script_desc good = sinew_set_script_desc_default();
    ANSWERS(sinew_set_script_desc_default, good.text == NULL && good.set == NULL);
    good.text = script_text, good.size = sizeof script_text - 1;
    good.set = sinew_set_file_at(misuse.sets, 0);
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_set_script_create, sinew_set_script, (NULL, &made, NULL));
    REFUSES(sinew_set_script_create, (&good, NULL, NULL));
#define SPOILS_SCRIPT(code, change)                                                                \
    SPOILS_MAKING(code, sinew_set_script_create, sinew_set_script_desc, good, sinew_set_script,    \
                  change)
    SPOILS_SCRIPT(INVALID_ARGUMENT, text = NULL);
    SPOILS_SCRIPT(INVALID_ARGUMENT, set = NULL);
    SPOILS_SCRIPT(JSON_SYNTAX, size = 0);
    sinew_set_script *script = NULL;
    assert_ok(sinew_set_script_create(&good, &script, NULL));
    NOTHING(sinew_set_script_destroy, (NULL));
    ANSWERS(sinew_set_script_seconds, sinew_set_script_seconds(NULL) == 0.0);
    ANSWERS(sinew_set_script_step_count, sinew_set_script_step_count(NULL) == 0);
    ANSWERS(sinew_set_script_step_at, !sinew_set_script_step_at(NULL, 0).values);
    ANSWERS(sinew_set_script_step_at, !sinew_set_script_step_at(script, 9).values);
    sinew_set_script_destroy(script);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files),   cmocka_unit_test(questions), cmocka_unit_test(bindings),
        cmocka_unit_test(players), cmocka_unit_test(scripts),
    };
    return MISUSE_RUN(tests);
}
