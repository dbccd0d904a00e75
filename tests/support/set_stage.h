// SPDX-License-Identifier: MIT
// A stage for players of animation sets: a rig of two joints, clips whose pose tells the time, a
// set from JSON with ' for ", and a player whose last pose and events are kept.
//
// The root rests at x = -1, so that the rest pose shows. A clip moves the root's x evenly from one
// value to another: constant ones tell weights, others tell time.
#ifndef SINEW_TESTS_SET_STAGE_H
#define SINEW_TESTS_SET_STAGE_H

#include "test_main.h"

#include "sinew/set.h"

typedef struct stage_clip {
    const char *name;
    float seconds;  ///< 0: one key, `from`
    float from, to; ///< the root's x
    float turn;     ///< radians about z that the tip turns by, evenly
    float morph;    ///< above 0: the weight of the root's one morph target; 0: not driven
} stage_clip;

enum { STAGE_CLIPS = 16, STAGE_EVENTS = 8192, STAGE_JOINTS = 2 };

typedef struct stage_desc {
    const stage_clip *clips; ///< [clip_count]
    uint32_t clip_count;
    const char *members; ///< of the set, without the braces round it
    const char *prefix;
    const sinew_set_predicate *predicates;
    uint32_t predicate_count;
    sinew_allocator allocator; ///< of file, binding and player
} stage_desc;

typedef struct set_stage {
    sinew_skeleton *skeleton;
    sinew_clip *clips[STAGE_CLIPS];
    uint32_t clip_count;
    sinew_allocator allocator;
    sinew_set_file *file;
    const sinew_set *set;
    sinew_set_binding *binding;
    sinew_player *player;
    void *scratch, *pose_block;
    size_t scratch_size;
    sinew_pose pose; ///< of the last tick
    float scalar;    ///< the morph weight, where it is driven
    sinew_player_event events[STAGE_EVENTS];
    uint32_t event_count, event_capacity; ///< capacity: STAGE_EVENTS at first
    uint64_t lost_events;
    char text[2048];
} set_stage;

set_stage *set_stage_new(const stage_desc *desc);
/// Without predicates and prefix.
set_stage *set_stage_of(const stage_clip *clips, uint32_t clip_count, const char *members);
void set_stage_free(set_stage *stage);

/// Another file and its binding on the stage's clips, for stage_rebind and the like.
sinew_set_file *stage_read(const set_stage *stage, const char *members);
sinew_set_binding *stage_bind(const set_stage *stage, const sinew_set_file *file,
                              const stage_desc *desc);

/// One tick, which must succeed.
void stage_tick(set_stage *stage, double dt);
/// Sets a parameter, which there must be.
void stage_set(set_stage *stage, const char *parameter, double value);
/// Asks for a state, which there must be.
sinew_result stage_request(set_stage *stage, const char *state);
sinew_player_info stage_info(const set_stage *stage);
/// What the last pose says: the root's x, the tip's turn.
float stage_x(const set_stage *stage);
float stage_turn(const set_stage *stage);
/// Events of the last tick and how long ago they were, to a millionth: "left 0.2, right 0.05".
const char *stage_events(set_stage *stage);

/// State, clip (NULL: the rest pose) and phase, to 1e-12.
#define assert_plays(stage, state, clip, phase)                                                    \
    stage_assert_plays(stage, state, clip, phase, __FILE__, __LINE__)
void stage_assert_plays(const set_stage *stage, const char *state, const char *clip, double phase,
                        const char *file, int line);

#endif
