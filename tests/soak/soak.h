// SPDX-License-Identifier: MIT
// A long run of a crowd: what must not happen in an hour of play. `make soak` runs all of it, ctest
// a shortened form of the same code.
#ifndef SINEW_TESTS_SOAK_H
#define SINEW_TESTS_SOAK_H

#include "sinew/document.h"
#include "sinew/runtime_clip.h"
#include "sinew/sinew.h"

#include "../support/counting_allocator.h"
#include "../support/random.h"

enum {
    SOAK_HZ = 60,
    SOAK_SETS = 3,   ///< creature, knight, wolf of share/sets
    SOAK_CLIPS = 32, ///< that a set may name
    SOAK_JOINTS = 48
};

/// A phase may be off by this much of a cycle; the report says by how much it is.
#define SOAK_PHASE_BOUND 1e-4

/// One set of share/sets on the creature's rig.
typedef struct soak_set {
    sinew_set_file *file;
    const sinew_set *set;
    sinew_set_binding *binding;
    double durations[SOAK_CLIPS]; ///< of the clips that the set names, as sinew_set_clip_name has
} soak_set;

/// What all share. Everything is made with the counting allocator.
typedef struct soak_stage {
    counting_allocator counter;
    sinew_allocator allocator;
    sinew_document *document;
    sinew_skeleton *skeleton;
    sinew_skin *skin; ///< of all joints, for matrices of crowds
    sinew_clip_library *library;
    soak_set sets[SOAK_SETS];
    uint32_t joint_count;
    size_t scratch_size; ///< of a tick of any of the bindings
} soak_stage;

/// Ends the program with a sentence where something is missing.
void soak_stage_make(soak_stage *stage);
void soak_stage_free(soak_stage *stage);
/// As malloc's, 64-byte aligned; ends the program where there is none.
void *soak_block(size_t size);
/// Ends the program with the sentence of a code that is not SINEW_OK.
void soak_must(sinew_result result, const char *what);

/// The host's own of a player: what its predicates answer.
typedef struct soak_mind {
    bool grounded;
} soak_mind;

// ---- Phases, worked out apart -------------------------------------------------------------------

/// Where a player must stand: a choice that began at a moment, at a phase, and has moved evenly
/// since. Moments are numbers of ticks over SOAK_HZ, in double; what the player adds up from tick
/// to tick is looked at nowhere.
typedef struct soak_phase {
    bool started;
    bool followed; ///< false in blends over two parameters, but on a point of one
    int32_t state, choice;
    double since, phase, velocity; ///< phase: of the lead, without its marker
    double marker;                 ///< of the heaviest clip, for blends; else 0
} soak_phase;

/// After a tick, the n-th of the player (from 1). `waited`: the request that waited before it, or
/// SINEW_SET_NONE. Gives the difference to what the player says, or a negative number where it is
/// not followed.
double soak_phase_check(soak_phase *model, const soak_set *set, const sinew_player *player,
                        uint64_t n, int32_t waited);

// ---- Actors: a playhead, contexts, root motion, springs, a leash --------------------------------

typedef struct soak_actors soak_actors;

typedef struct soak_actor_report {
    uint64_t not_finite;  ///< numbers of poses and matrices
    uint64_t lost_chains; ///< of springs
    double worst_time;    ///< playheads against ticks * speed / rate, in rounds
    double worst_travel;  ///< travel summed over ticks against the whole, relative
    double worst_bone;    ///< lengths of bones that swing, against rest, relative
    double worst_sample;  ///< poses with a context against those without: 0
} soak_actor_report;

soak_actors *soak_actors_make(soak_stage *stage, uint32_t count, uint64_t seed);
void soak_actors_free(soak_actors *actors);
/// The n-th tick of an actor, behind its player's: `pose` is that player's, and is swung.
void soak_actor_tick(soak_actors *actors, uint32_t index, uint64_t n, const sinew_pose *pose);
soak_actor_report soak_actors_report(const soak_actors *actors);

// ---- Clocks that have run for 30 days -----------------------------------------------------------

typedef struct soak_clock_report {
    uint64_t exact_poses;  ///< bit-equal, of so many
    uint64_t exact_faults; ///< that are not
    uint64_t near_poses;
    double worst_near; ///< largest difference of a component
    uint64_t twin_ticks;
    double worst_twin;  ///< largest difference of a component between twins
    double worst_phase; ///< and of their phases
    uint64_t twin_faults;
} soak_clock_report;

/// Largest difference of a component that a clock of 30 days may make; see soak_clock.c.
extern const double soak_near_bound, soak_twin_bound;

/// The same calls at clocks of 0 and of 30 days, and players whose host's clock began there.
soak_clock_report soak_clocks(soak_stage *stage, uint32_t twins, uint32_t seconds, uint64_t seed);

/// How many of the floats are not finite.
uint64_t soak_not_finite(const float *values, size_t count);

/// Random changes of one player as a host would make them.
void soak_drive(test_random *random, const soak_set *set, sinew_player *player, soak_mind *mind);
/// Parameters of a player that keeps them for the whole run; `which` tells them apart.
void soak_settle(const soak_set *set, uint32_t set_index, sinew_player *player, uint32_t which);

#endif
