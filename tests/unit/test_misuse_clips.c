// SPDX-License-Identifier: MIT
// Wrong arguments to clip.h, clip_library.h, runtime_clip.h, runtime_cost.h and runtime_file.h.
#include "../support/misuse.h"

static const float times[2] = {0.0f, 1.0f}, values[6] = {0, 0, 0, 1, 0, 0};

static sinew_track good_track(void)
{
    return (sinew_track){.node = 1,
                         .node_name = "node",
                         .interpolation = SINEW_INTERPOLATION_LINEAR,
                         .component_count = 3,
                         .key_count = 2,
                         .times = times,
                         .values = values};
}

// A desc with one track that is good but for one field.
#define SPOILS_TRACK(code, change)                                                                 \
    do {                                                                                           \
        sinew_track spoilt_track = good_track();                                                   \
        spoilt_track.change;                                                                       \
        sinew_clip_desc desc = sinew_clip_desc_default();                                          \
        desc.tracks = &spoilt_track, desc.track_count = 1;                                         \
        MAKES_NOTHING(code, sinew_clip_create, sinew_clip, (&desc, &made, NULL));                  \
    } while (0)

static void source_clips(void **state)
{
    (void)state;
    sinew_clip_desc good = sinew_clip_desc_default();
    ANSWERS(sinew_clip_desc_default, good.tracks == NULL && good.track_count == 0);
    const sinew_track tracks[2] = {good_track(), good_track()};
    good.tracks = tracks, good.track_count = 1;
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_clip_create, sinew_clip, (NULL, &made, NULL));
    REFUSES(sinew_clip_create, (&good, NULL, NULL));
    SPOILS_MAKING(INVALID_ARGUMENT, sinew_clip_create, sinew_clip_desc, good, sinew_clip,
                  tracks = NULL);
    SPOILS_MAKING(INVALID_ARGUMENT, sinew_clip_create, sinew_clip_desc, good, sinew_clip,
                  track_count = 2); // two for one property of one node
    static const float late[2] = {1.0f, 0.5f}, broken[2] = {0.0f, NAN}, early[2] = {-1.0f, 1.0f};
    static const float no_values[6] = {0, INFINITY, 0, 0, 0, 0}, zeros[8] = {0};
    SPOILS_TRACK(KEY_TIMES, times = late);
    SPOILS_TRACK(KEY_TIMES, times = early);
    SPOILS_TRACK(KEY_TIMES, times = broken);
    SPOILS_TRACK(NOT_FINITE, values = no_values);
    SPOILS_TRACK(INVALID_ARGUMENT, times = NULL);
    SPOILS_TRACK(INVALID_ARGUMENT, values = NULL);
    SPOILS_TRACK(INVALID_ARGUMENT, key_count = 0);
    SPOILS_TRACK(INVALID_ARGUMENT, component_count = 4);
    SPOILS_TRACK(INVALID_ARGUMENT, property = (sinew_property)9);
    SPOILS_TRACK(INVALID_ARGUMENT, interpolation = (sinew_interpolation)9);
    sinew_track turn = good_track();
    turn.property = SINEW_PROPERTY_ROTATION, turn.component_count = 4, turn.values = zeros;
    good.tracks = &turn;
    MAKES_NOTHING(ZERO_QUATERNION, sinew_clip_create, sinew_clip, (&good, &made, NULL));

    const sinew_clip *clip = misuse.creature->clips[0];
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_clip_clone, sinew_clip, (NULL, NULL, &made));
    REFUSES(sinew_clip_clone, (clip, NULL, NULL));
    NOTHING(sinew_clip_destroy, (NULL));
    ANSWERS(sinew_clip_name, sinew_clip_name(NULL)[0] == '\0');
    ANSWERS(sinew_clip_duration, sinew_clip_duration(NULL) == 0.0);
    ANSWERS(sinew_clip_first_key, sinew_clip_first_key(NULL) == 0.0);
    ANSWERS(sinew_clip_track_count, sinew_clip_track_count(NULL) == 0);
    ANSWERS(sinew_clip_tracks, sinew_clip_tracks(NULL) == NULL);
    ANSWERS(sinew_clip_find_track, !sinew_clip_find_track(NULL, 0, SINEW_PROPERTY_ROTATION));
    ANSWERS(sinew_clip_find_track, !sinew_clip_find_track(clip, -7, SINEW_PROPERTY_ROTATION));
    ANSWERS(sinew_clip_find_track, !sinew_clip_find_track(clip, 0, (sinew_property)99));
    ANSWERS(sinew_clip_find_track_by_name,
            !sinew_clip_find_track_by_name(NULL, "head", SINEW_PROPERTY_ROTATION));
    ANSWERS(sinew_clip_find_track_by_name,
            !sinew_clip_find_track_by_name(clip, NULL, SINEW_PROPERTY_ROTATION));
    ANSWERS(sinew_clip_find_track_by_name,
            !sinew_clip_find_track_by_name(clip, "head", (sinew_property)99));
}

static void tracks(void **state)
{
    (void)state;
    const sinew_track good = good_track(), empty = {0};
    float out[3];
    uint32_t key;
    REFUSES(sinew_track_sample, (NULL, 0.0, out, 3));
    REFUSES(sinew_track_sample, (&good, 0.0, NULL, 3));
    REFUSES(sinew_track_sample, (&good, NAN, out, 3));
    REFUSES(sinew_track_sample, (&empty, 0.0, out, 3));
    REFUSES_WITH(BUFFER_TOO_SMALL, sinew_track_sample, (&good, 0.0, out, 2));
    REFUSES(sinew_track_find_key, (NULL, 0.0, &key, out));
    REFUSES(sinew_track_find_key, (&empty, 0.0, &key, out));
    REFUSES(sinew_track_find_key, (&good, NAN, &key, out));
    REFUSES(sinew_track_find_key, (&good, 0.0, NULL, out));
    assert_ok(sinew_track_find_key(&good, 0.0, &key, NULL));
    // as near to the next key as a double can be: the share is still below 1
    assert_ok(sinew_track_find_key(&good, 1.0 - 0x1p-53, &key, out));
    assert_true(key == 0 && out[0] < 1.0f);
}

static void bindings(void **state)
{
    (void)state;
    sinew_clip_binding_desc good = sinew_clip_binding_desc_default();
    ANSWERS(sinew_clip_binding_desc_default, good.clip == NULL && good.by == SINEW_BIND_BY_NODE);
    good.clip = misuse.creature->clips[0], good.skeleton = misuse.skeleton;
#define SPOILS_BINDING(change)                                                                     \
    SPOILS_PLAIN(INVALID_ARGUMENT, sinew_clip_binding_create, sinew_clip_binding_desc, good,       \
                 sinew_clip_binding, change)
    SPOILS_BINDING(clip = NULL);
    SPOILS_BINDING(skeleton = NULL);
    SPOILS_BINDING(by = (sinew_bind_by)5);
#undef SPOILS_BINDING
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_clip_binding_create, sinew_clip_binding, (NULL, &made));
    REFUSES(sinew_clip_binding_create, (&good, NULL));
    NOTHING(sinew_clip_binding_destroy, (NULL));
    uint32_t count = 7;
    const uint32_t past = misuse.joint_count;
    ANSWERS(sinew_clip_binding_clip, !sinew_clip_binding_clip(NULL));
    ANSWERS(sinew_clip_binding_skeleton, !sinew_clip_binding_skeleton(NULL));
    ANSWERS(sinew_clip_binding_unmatched, !sinew_clip_binding_unmatched(NULL, &count) && !count);
    NOTHING((void)sinew_clip_binding_unmatched, (misuse.walk, NULL));
    ANSWERS(sinew_clip_binding_touches, sinew_clip_binding_touches(NULL, 0) == 0);
    ANSWERS(sinew_clip_binding_touches, sinew_clip_binding_touches(misuse.walk, past) == 0);
    ANSWERS(sinew_clip_binding_find_track,
            !sinew_clip_binding_find_track(NULL, 0, SINEW_PROPERTY_ROTATION));
    ANSWERS(sinew_clip_binding_find_track,
            !sinew_clip_binding_find_track(misuse.walk, past, SINEW_PROPERTY_ROTATION));
    count = 7;
    ANSWERS(sinew_clip_binding_scalars, !sinew_clip_binding_scalars(NULL, &count) && !count);
    ANSWERS(sinew_clip_context_size, sinew_clip_context_size(NULL) == 0);
    const size_t size = sinew_clip_context_size(misuse.walk);
    char *block = misuse_block(size + 64);
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_clip_context_init, sinew_clip_context,
                  (NULL, size, &made));
    MAKES_NOTHING(MISALIGNED, sinew_clip_context_init, sinew_clip_context,
                  (block + 1, size, &made));
    MAKES_NOTHING(BUFFER_TOO_SMALL, sinew_clip_context_init, sinew_clip_context, (block, 0, &made));
    REFUSES(sinew_clip_context_init, (block, size, NULL));
}

static void samples(void **state)
{
    (void)state;
    sinew_pose pose = misuse_pose(misuse.skeleton), other = misuse_pose(misuse.cub_skeleton);
    sinew_clip_context *context = NULL;
    const size_t size = sinew_clip_context_size(misuse.walk);
    assert_ok(sinew_clip_context_init(misuse_block(size), size, &context));
    const sinew_sample_args good = {.binding = misuse.walk, .context = context, .out_pose = &pose};
    assert_ok(sinew_clip_sample(&good));
    other.joint_count--;
    const uint16_t backwards[2] = {2, 1}, past[1] = {(uint16_t)misuse.joint_count};
    float scalars[1];
    REFUSES(sinew_clip_sample, (NULL));
    REFUSES(sinew_clip_sample, (&(sinew_sample_args){0}));
#define SPOILS_SAMPLE(code, change) SPOILS(code, sinew_clip_sample, sinew_sample_args, good, change)
    SPOILS_SAMPLE(INVALID_ARGUMENT, binding = NULL);
    SPOILS_SAMPLE(INVALID_ARGUMENT, out_pose = NULL);
    SPOILS_SAMPLE(INVALID_ARGUMENT, out_pose = &other);
    SPOILS_SAMPLE(INVALID_ARGUMENT, out_pose = &(sinew_pose){.joint_count = misuse.joint_count});
    SPOILS_SAMPLE(INVALID_ARGUMENT, time = NAN);
    SPOILS_SAMPLE(INVALID_ARGUMENT, time = INFINITY);
    SPOILS_SAMPLE(INVALID_ARGUMENT, translations = (sinew_translation_mode)9);
    sinew_sample_args chosen = good;
    chosen.joints = backwards, chosen.joint_count = 2;
    REFUSES(sinew_clip_sample, (&chosen));
    chosen.joints = past, chosen.joint_count = 1;
    REFUSES(sinew_clip_sample, (&chosen));
    uint32_t scalar_count = 0;
    (void)sinew_clip_binding_scalars(misuse.walk, &scalar_count);
    if (scalar_count > 0)
        SPOILS_SAMPLE(BUFFER_TOO_SMALL, out_scalars = scalars);
    // a context that was made for nothing
    sinew_clip_context *small = NULL;
    static const size_t smallest = 64;
    if (sinew_clip_context_init(misuse_block(smallest), smallest, &small) == SINEW_OK)
        SPOILS_SAMPLE(BUFFER_TOO_SMALL, context = small);
#undef SPOILS_SAMPLE
}

static void clocks(void **state)
{
    (void)state;
    ANSWERS(sinew_wrap_time, sinew_wrap_time(NAN, 1.0, SINEW_WRAP_LOOP) == 0.0);
    ANSWERS(sinew_wrap_time, sinew_wrap_time(INFINITY, 1.0, SINEW_WRAP_CLAMP) == 0.0);
    ANSWERS(sinew_wrap_time, sinew_wrap_time(3.0, 0.0, SINEW_WRAP_LOOP) == 0.0);
    ANSWERS(sinew_wrap_time, sinew_wrap_time(3.0, -1.0, SINEW_WRAP_PING_PONG) == 0.0);
    ANSWERS(sinew_wrap_time, sinew_wrap_time(3.0, NAN, SINEW_WRAP_PING_PONG) == 0.0);
    sinew_playhead head;
    NOTHING(sinew_playhead_init, (NULL, 1.0, SINEW_WRAP_LOOP, 1.0, 0.0));
    NOTHING(sinew_playhead_init, (&head, NAN, SINEW_WRAP_LOOP, INFINITY, NAN));
    assert_true(head.duration == 0.0 && head.speed == 0.0 && head.time == 0.0);
    NOTHING(sinew_playhead_advance, (NULL, 1.0));
    NOTHING(sinew_playhead_advance, (&head, NAN));
    NOTHING(sinew_playhead_seek, (NULL, 1.0));
    NOTHING(sinew_playhead_seek, (&head, NAN));
    assert_true(head.time == 0.0);
    ANSWERS(sinew_playhead_phase, sinew_playhead_phase(NULL) == 0.0);
    ANSWERS(sinew_playhead_phase, sinew_playhead_phase(&head) == 0.0);
}

static void libraries(void **state)
{
    (void)state;
    sinew_clip_library *library = misuse.library;
    const sinew_clip *clip = misuse.creature->clips[0];
    const uint32_t count = sinew_clip_library_count(library);
    ANSWERS(sinew_clip_library_desc_default,
            sinew_clip_library_desc_default().allocator.alloc == NULL);
    REFUSES(sinew_clip_library_create, (NULL, NULL));
    NOTHING(sinew_clip_library_destroy, (NULL));
    const sinew_clip *const clips[1] = {NULL};
    REFUSES(sinew_clip_library_read, (NULL, &(sinew_clip_source){0}, NULL, NULL, NULL));
    REFUSES(sinew_clip_library_read, (library, NULL, NULL, NULL, NULL));
    REFUSES(sinew_clip_library_read,
            (library, &(sinew_clip_source){.clip_count = 1}, NULL, NULL, NULL));
    REFUSES(sinew_clip_library_read,
            (library, &(sinew_clip_source){.clips = clips, .clip_count = 1}, NULL, NULL, NULL));
    REFUSES(sinew_clip_library_add, (NULL, clip, "name", NULL));
    REFUSES(sinew_clip_library_add, (library, NULL, "name", NULL));
    REFUSES(sinew_clip_library_add, (library, clip, "", NULL));
    REFUSES_WITH(NAME_TAKEN, sinew_clip_library_add, (library, clip, "fox_walk", NULL));
    REFUSES(sinew_clip_library_remove, (NULL, "fox_walk"));
    REFUSES(sinew_clip_library_remove, (library, NULL));
    REFUSES_WITH(NOT_FOUND, sinew_clip_library_remove, (library, "nobody"));
    NOTHING(sinew_clip_library_clear, (NULL));
    ANSWERS(sinew_clip_library_count, sinew_clip_library_count(NULL) == 0);
    ANSWERS(sinew_clip_library_at, !sinew_clip_library_at(NULL, 0));
    ANSWERS(sinew_clip_library_at, !sinew_clip_library_at(library, count));
    ANSWERS(sinew_clip_library_find, !sinew_clip_library_find(NULL, "fox_walk"));
    ANSWERS(sinew_clip_library_find, !sinew_clip_library_find(library, NULL));
    const sinew_property turn = SINEW_PROPERTY_ROTATION;
    ANSWERS(sinew_clip_library_find_track,
            !sinew_clip_library_find_track(NULL, "fox_walk", "head", turn));
    ANSWERS(sinew_clip_library_find_track,
            !sinew_clip_library_find_track(library, NULL, "head", turn));
    ANSWERS(sinew_clip_library_find_track,
            !sinew_clip_library_find_track(library, "fox_walk", NULL, turn));
    const sinew_skeleton *s = misuse.skeleton;
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_clip_library_bind, sinew_clip_binding,
                  (NULL, "fox_walk", s, NULL, &made, NULL));
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_clip_library_bind, sinew_clip_binding,
                  (library, NULL, s, NULL, &made, NULL));
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_clip_library_bind, sinew_clip_binding,
                  (library, "fox_walk", NULL, NULL, &made, NULL));
    MAKES_NOTHING(NOT_FOUND, sinew_clip_library_bind, sinew_clip_binding,
                  (library, "nobody", s, NULL, &made, NULL));
    REFUSES(sinew_clip_library_bind, (library, "fox_walk", s, NULL, NULL, NULL));
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_bind_report_create, sinew_bind_report,
                  (NULL, NULL, &made));
    REFUSES(sinew_bind_report_create, (misuse.walk, NULL, NULL));
    NOTHING(sinew_bind_report_destroy, (NULL));
    char text[4] = "abc";
    ANSWERS(sinew_bind_report_text, sinew_bind_report_text(NULL, text, 4) == 0 && !text[0]);
    ANSWERS(sinew_bind_report_text, sinew_bind_report_text(NULL, NULL, 4) == 0);
    assert_int_equal(sinew_clip_library_count(library), count); // as before
}

static void runtime_building(void **state)
{
    (void)state;
    sinew_runtime_build_desc good = sinew_runtime_build_desc_default();
    ANSWERS(sinew_runtime_build_desc_default, good.binding == NULL && good.progress == NULL);
    good.binding = misuse.walk;
    sinew_runtime_bytes bytes = {0};
#define SPOILS_BUILD(change)                                                                       \
    do {                                                                                           \
        sinew_runtime_build_desc spoilt = good;                                                    \
        spoilt.change;                                                                             \
        REFUSES(sinew_runtime_clip_build, (&spoilt, &bytes, NULL, NULL));                          \
        assert_null(bytes.bytes);                                                                  \
    } while (0)
    SPOILS_BUILD(binding = NULL);
    SPOILS_BUILD(preset = (sinew_runtime_preset)17);
    SPOILS_BUILD(error = -1.0f);
    SPOILS_BUILD(error = NAN);
    SPOILS_BUILD(shell = -1.0f);
    SPOILS_BUILD(shell = INFINITY);
    SPOILS_BUILD(rate = -1.0f);
    SPOILS_BUILD(rate = NAN);
    REFUSES(sinew_runtime_clip_build, (NULL, &bytes, NULL, NULL));
    REFUSES(sinew_runtime_clip_build, (&good, NULL, NULL, NULL));
    SPOILS_BUILD(rate = 1e8f);
    // 2,000 s at 10,000 samples a second: more than 2^24
    static const float long_times[2] = {0.0f, 2000.0f};
    sinew_track track = good_track();
    track.times = long_times, track.node = sinew_skeleton_nodes(misuse.skeleton)[0];
    sinew_clip_desc clip_desc = sinew_clip_desc_default();
    clip_desc.tracks = &track, clip_desc.track_count = 1;
    sinew_clip *clip = NULL;
    assert_ok(sinew_clip_create(&clip_desc, &clip, NULL));
    sinew_clip_binding_desc binding = sinew_clip_binding_desc_default();
    binding.clip = clip, binding.skeleton = misuse.skeleton;
    sinew_clip_binding *endless = NULL;
    assert_ok(sinew_clip_binding_create(&binding, &endless));
    good.binding = endless, good.rate = 1e4f;
    REFUSES_WITH(LIMIT_EXCEEDED, sinew_runtime_clip_build, (&good, &bytes, NULL, NULL));
    sinew_clip_binding_destroy(endless);
    sinew_clip_destroy(clip);
    NOTHING(sinew_runtime_bytes_free, (NULL));
    NOTHING(sinew_runtime_bytes_free, (&bytes));
    NOTHING(sinew_runtime_bytes_free, (&(sinew_runtime_bytes){0}));
}

static void runtime_clips(void **state)
{
    (void)state;
    const uint8_t *bytes = misuse.bytes.bytes;
    const size_t size = misuse.bytes.size;
    const sinew_skeleton *s = misuse.skeleton;
#define OPENS_NOTHING(code, ...)                                                                   \
    MAKES_NOTHING(code, sinew_runtime_clip_open, sinew_runtime_clip, (__VA_ARGS__, &made, NULL))
    OPENS_NOTHING(INVALID_ARGUMENT, NULL, size, s, NULL);
    OPENS_NOTHING(INVALID_ARGUMENT, bytes, size, NULL, NULL);
    OPENS_NOTHING(FORMAT_UNKNOWN, bytes, 0, s, NULL);
    OPENS_NOTHING(STREAM_DAMAGED, bytes, size - 1, s, NULL);
    OPENS_NOTHING(COUNT_MISMATCH, bytes, size, sinew_stream_rig_skeleton(misuse.bird->rig), NULL);
    REFUSES(sinew_runtime_clip_open, (bytes, size, s, NULL, NULL, NULL));
    uint8_t *moved = misuse_block(size + 64); // at any address
    memcpy(moved + 1, bytes, size);
    sinew_runtime_clip *odd = NULL;
    assert_ok(sinew_runtime_clip_open(moved + 1, size, s, NULL, &odd, NULL));
    sinew_runtime_clip_destroy(odd);

    const sinew_runtime_clip *clip = misuse.runtime;
    NOTHING(sinew_runtime_clip_destroy, (NULL));
    ANSWERS(sinew_runtime_clip_joint_count, sinew_runtime_clip_joint_count(NULL) == 0);
    ANSWERS(sinew_runtime_clip_sample_count, sinew_runtime_clip_sample_count(NULL) == 0);
    ANSWERS(sinew_runtime_clip_rate, sinew_runtime_clip_rate(NULL) == 0.0);
    ANSWERS(sinew_runtime_clip_duration, sinew_runtime_clip_duration(NULL) == 0.0);
    ANSWERS(sinew_runtime_clip_scalar_count, sinew_runtime_clip_scalar_count(NULL) == 0);
    ANSWERS(sinew_runtime_clip_touches, sinew_runtime_clip_touches(NULL, 0) == 0);
    ANSWERS(sinew_runtime_clip_touches, sinew_runtime_clip_touches(clip, UINT32_MAX) == 0);
    ANSWERS(sinew_runtime_context_size, sinew_runtime_context_size(NULL) == 0);
    const size_t room = sinew_runtime_context_size(clip);
    char *block = misuse_block(room + 64);
#define INITS_NOTHING(code, ...)                                                                   \
    MAKES_NOTHING(code, sinew_runtime_context_init, sinew_runtime_context, (__VA_ARGS__, &made))
    INITS_NOTHING(INVALID_ARGUMENT, NULL, room);
    INITS_NOTHING(MISALIGNED, block + 16, room);
    INITS_NOTHING(BUFFER_TOO_SMALL, block, 0);
    REFUSES(sinew_runtime_context_init, (block, room, NULL));

    sinew_pose pose = misuse_pose(s), small = pose;
    small.joint_count--;
    const uint16_t backwards[2] = {2, 1}, past[1] = {(uint16_t)misuse.joint_count};
    float scalars[1];
    const sinew_runtime_sample_args good = {.clip = clip, .out_pose = &pose};
    assert_ok(sinew_runtime_clip_sample(&good));
    REFUSES(sinew_runtime_clip_sample, (NULL));
    REFUSES(sinew_runtime_clip_sample, (&(sinew_runtime_sample_args){0}));
#define SPOILS_SAMPLE(code, change)                                                                \
    SPOILS(code, sinew_runtime_clip_sample, sinew_runtime_sample_args, good, change)
    SPOILS_SAMPLE(INVALID_ARGUMENT, clip = NULL);
    SPOILS_SAMPLE(INVALID_ARGUMENT, out_pose = NULL);
    SPOILS_SAMPLE(INVALID_ARGUMENT, out_pose = &small);
    SPOILS_SAMPLE(INVALID_ARGUMENT, time = NAN);
    sinew_runtime_sample_args chosen = good;
    chosen.joints = backwards, chosen.joint_count = 2;
    REFUSES(sinew_runtime_clip_sample, (&chosen));
    chosen.joints = past, chosen.joint_count = 1;
    REFUSES(sinew_runtime_clip_sample, (&chosen));
    if (sinew_runtime_clip_scalar_count(clip) > 0)
        SPOILS_SAMPLE(BUFFER_TOO_SMALL, out_scalars = scalars);
#undef SPOILS_SAMPLE
    sinew_runtime_cost cost;
    REFUSES(sinew_runtime_clip_cost, (NULL, &cost, NULL));
    REFUSES(sinew_runtime_clip_cost, (clip, NULL, NULL));
}

static void crowds_of_runtime_clips(void **state)
{
    (void)state;
    const sinew_runtime_clip *const clips[1] = {misuse.runtime}, *const none[1] = {NULL};
    ANSWERS(sinew_runtime_crowd_scratch_count, sinew_runtime_crowd_scratch_count(NULL, 0) == 0);
    ANSWERS(sinew_runtime_crowd_scratch_count, sinew_runtime_crowd_scratch_count(NULL, 3) == 0);
    const uint32_t room = sinew_runtime_crowd_scratch_count(clips, 1);
    uint32_t *scratch = misuse_block(room * sizeof *scratch), order[2];
    const uint32_t actor_clips[2] = {0, 0}, past[2] = {0, 1};
    const double actor_times[2] = {0.0, 0.5}, broken[2] = {0.0, NAN};
    const sinew_runtime_crowd_args good = {.clips = clips,
                                           .clip_count = 1,
                                           .actor_clips = actor_clips,
                                           .actor_times = actor_times,
                                           .actor_count = 2,
                                           .out_order = order,
                                           .scratch = scratch,
                                           .scratch_count = room};
    assert_ok(sinew_runtime_crowd_order(&good));
    REFUSES(sinew_runtime_crowd_order, (NULL));
#define SPOILS_ORDER(code, change)                                                                 \
    SPOILS(code, sinew_runtime_crowd_order, sinew_runtime_crowd_args, good, change)
    SPOILS_ORDER(INVALID_ARGUMENT, clips = NULL);
    SPOILS_ORDER(INVALID_ARGUMENT, clips = none);
    SPOILS_ORDER(INVALID_ARGUMENT, actor_clips = NULL);
    SPOILS_ORDER(INVALID_ARGUMENT, actor_clips = past);
    SPOILS_ORDER(INVALID_ARGUMENT, actor_times = NULL);
    SPOILS_ORDER(INVALID_ARGUMENT, actor_times = broken);
    SPOILS_ORDER(INVALID_ARGUMENT, out_order = NULL);
    SPOILS_ORDER(INVALID_ARGUMENT, scratch = NULL);
    SPOILS_ORDER(BUFFER_TOO_SMALL, scratch_count--);

    // To palettes.
    ANSWERS(sinew_runtime_crowd_scratch_size,
            sinew_runtime_crowd_scratch_size(clips, 1, NULL) == 0);
    ANSWERS(sinew_runtime_crowd_scratch_size,
            sinew_runtime_crowd_scratch_size(NULL, 1, misuse.skin) == 0);
    const size_t size = sinew_runtime_crowd_scratch_size(clips, 1, misuse.skin);
    const uint32_t n = sinew_skin_joint_count(misuse.skin), too_far[2] = {0, 2};
    sinew_mat3x4 *palettes = misuse_block(2 * n * sizeof *palettes), center;
    sinew_mat4 infinite = sinew_mat4_identity();
    infinite.m[5] = INFINITY;
    const sinew_runtime_crowd_palette_args crowd = {.clips = clips,
                                                    .clip_count = 1,
                                                    .actor_clips = actor_clips,
                                                    .actor_times = actor_times,
                                                    .actor_count = 2,
                                                    .order = order,
                                                    .order_count = 2,
                                                    .skin = misuse.skin,
                                                    .out_palettes = palettes,
                                                    .out_count = 2 * (size_t)n,
                                                    .out_center = &center,
                                                    .scratch = misuse_block(size + 64),
                                                    .scratch_size = size};
    assert_ok(sinew_runtime_crowd_build_palettes(&crowd));
    REFUSES(sinew_runtime_crowd_build_palettes, (NULL));
#define SPOILS_CROWD(code, change)                                                                 \
    SPOILS(code, sinew_runtime_crowd_build_palettes, sinew_runtime_crowd_palette_args, crowd,      \
           change)
    SPOILS_CROWD(INVALID_ARGUMENT, clips = NULL);
    SPOILS_CROWD(INVALID_ARGUMENT, clips = none);
    SPOILS_CROWD(INVALID_ARGUMENT, actor_clips = NULL);
    SPOILS_CROWD(INVALID_ARGUMENT, actor_clips = past);
    SPOILS_CROWD(INVALID_ARGUMENT, actor_times = NULL);
    SPOILS_CROWD(INVALID_ARGUMENT, actor_times = broken);
    SPOILS_CROWD(INVALID_ARGUMENT, order = too_far);
    SPOILS_CROWD(INVALID_ARGUMENT, skin = NULL);
    SPOILS_CROWD(INVALID_ARGUMENT, bind = &infinite);
    SPOILS_CROWD(INVALID_ARGUMENT, result = &infinite);
    SPOILS_CROWD(INVALID_ARGUMENT, out_palettes = NULL);
    SPOILS_CROWD(INVALID_ARGUMENT, out_center = NULL);
    SPOILS_CROWD(INVALID_ARGUMENT, scratch = NULL);
    SPOILS_CROWD(MISALIGNED, scratch = (char *)crowd.scratch + 16);
    SPOILS_CROWD(BUFFER_TOO_SMALL, scratch_size--);
    SPOILS_CROWD(BUFFER_TOO_SMALL, out_count--);
#undef SPOILS_CROWD
}

static void runtime_files(void **state)
{
    (void)state;
    const sinew_skeleton *const skeletons[1] = {misuse.skeleton}, *const none[1] = {NULL};
    uint32_t scalar_count = 0;
    const sinew_scalar *scalars = sinew_clip_binding_scalars(misuse.walk, &scalar_count);
    sinew_runtime_file_part part = {.name = "walk",
                                    .bytes = misuse.bytes.bytes,
                                    .size = misuse.bytes.size,
                                    .scalars = scalars,
                                    .scalar_count = scalar_count};
    sinew_runtime_file_desc good = sinew_runtime_file_desc_default();
    ANSWERS(sinew_runtime_file_desc_default, good.clips == NULL && good.clip_count == 0);
    good.skeletons = skeletons, good.skeleton_count = 1, good.clips = &part, good.clip_count = 1;
    sinew_runtime_bytes bytes = {0};
    REFUSES(sinew_runtime_file_build, (NULL, &bytes, NULL));
    REFUSES(sinew_runtime_file_build, (&good, NULL, NULL));
#define SPOILS_FILE(code, change)                                                                  \
    do {                                                                                           \
        sinew_runtime_file_desc spoilt = good;                                                     \
        spoilt.change;                                                                             \
        REFUSES_WITH(code, sinew_runtime_file_build, (&spoilt, &bytes, NULL));                     \
        assert_null(bytes.bytes);                                                                  \
    } while (0)
    SPOILS_FILE(INVALID_ARGUMENT, skeletons = NULL);
    SPOILS_FILE(INVALID_ARGUMENT, skeletons = none);
    SPOILS_FILE(INVALID_ARGUMENT, clips = NULL);
    part.bytes = NULL;
    SPOILS_FILE(INVALID_ARGUMENT, clip_count = 1);
    part.bytes = misuse.bytes.bytes, part.skeleton = 1;
    SPOILS_FILE(INDEX_RANGE, clip_count = 1);
    part.skeleton = 0, part.scalar_count++;
    SPOILS_FILE(COUNT_MISMATCH, clip_count = 1);
    part.scalar_count--;
    assert_ok(sinew_runtime_file_build(&good, &bytes, NULL));

#define OPENS_NO_FILE(code, ...)                                                                   \
    MAKES_NOTHING(code, sinew_runtime_file_open, sinew_runtime_file, (__VA_ARGS__, &made, NULL))
    OPENS_NO_FILE(INVALID_ARGUMENT, NULL, bytes.size, NULL);
    OPENS_NO_FILE(FORMAT_UNKNOWN, bytes.bytes, 0, NULL);
    OPENS_NO_FILE(STREAM_DAMAGED, bytes.bytes, bytes.size - 1, NULL);
    REFUSES(sinew_runtime_file_open, (bytes.bytes, bytes.size, NULL, NULL, NULL));
    sinew_runtime_file *file = NULL;
    assert_ok(sinew_runtime_file_open(bytes.bytes, bytes.size, NULL, &file, NULL));
    NOTHING(sinew_runtime_file_close, (NULL));
    ANSWERS(sinew_runtime_file_clip_count, sinew_runtime_file_clip_count(NULL) == 0);
    ANSWERS(sinew_runtime_file_clip_at, !sinew_runtime_file_clip_at(NULL, 0));
    ANSWERS(sinew_runtime_file_clip_at, !sinew_runtime_file_clip_at(file, 1));
    ANSWERS(sinew_runtime_file_find, sinew_runtime_file_find(NULL, "walk") == -1);
    ANSWERS(sinew_runtime_file_find, sinew_runtime_file_find(file, NULL) == -1);
    ANSWERS(sinew_runtime_file_skeleton_count, sinew_runtime_file_skeleton_count(NULL) == 0);
    ANSWERS(sinew_runtime_file_skeleton, !sinew_runtime_file_skeleton(NULL, 0));
    ANSWERS(sinew_runtime_file_skeleton, !sinew_runtime_file_skeleton(file, 1));
    ANSWERS(sinew_runtime_file_skeleton_name, !sinew_runtime_file_skeleton_name(NULL, 0)[0]);
    ANSWERS(sinew_runtime_file_skeleton_name, !sinew_runtime_file_skeleton_name(file, 9)[0]);
    const sinew_skeleton *s = misuse.skeleton;
#define BINDS_NOTHING(code, ...)                                                                   \
    MAKES_NOTHING(code, sinew_runtime_file_bind, sinew_runtime_clip, (__VA_ARGS__, &made, NULL))
    BINDS_NOTHING(INVALID_ARGUMENT, NULL, 0, s, NULL);
    BINDS_NOTHING(INVALID_ARGUMENT, file, 0, NULL, NULL);
    BINDS_NOTHING(NOT_FOUND, file, 1, s, NULL);
    BINDS_NOTHING(COUNT_MISMATCH, file, 0, sinew_stream_rig_skeleton(misuse.bird->rig), NULL);
    REFUSES(sinew_runtime_file_bind, (file, 0, s, NULL, NULL, NULL));
    sinew_runtime_file_close(file);
    sinew_runtime_bytes_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(source_clips),
        cmocka_unit_test(tracks),
        cmocka_unit_test(bindings),
        cmocka_unit_test(samples),
        cmocka_unit_test(clocks),
        cmocka_unit_test(libraries),
        cmocka_unit_test(runtime_building),
        cmocka_unit_test(runtime_clips),
        cmocka_unit_test(crowds_of_runtime_clips),
        cmocka_unit_test(runtime_files),
    };
    return MISUSE_RUN(tests);
}
