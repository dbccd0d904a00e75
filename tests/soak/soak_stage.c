// SPDX-License-Identifier: MIT
// The stage of a soak: the built-in creature, and the sets of share/sets on its rig. Sets of other
// rigs name clips that the creature lacks; theirs are the creature's own under those names, so that
// every state plays.
#include "soak.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinew_fixtures.h"

#include "../support/test_main.h"

void *soak_block(size_t size)
{
    void *block = test_block(size > 0 ? size : 64);
    memset(block, 0, size);
    return block;
}

void soak_must(sinew_result result, const char *what)
{
    if (result == SINEW_OK)
        return;
    fprintf(stderr, "soak: %s: %s\n", what, sinew_result_message(result));
    exit(1);
}

uint64_t soak_not_finite(const float *values, size_t count)
{
    uint64_t found = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        found += (bits & 0x7f800000u) == 0x7f800000u;
    }
    return found;
}

static bool is_grounded(void *user, const sinew_player *player)
{
    (void)user;
    const soak_mind *mind = sinew_player_user(player);
    return mind->grounded;
}

static char *read_text(const char *name, size_t *out_size)
{
    const char *root = getenv("SINEW_SOURCE_DIR");
    char path[1024];
    snprintf(path, sizeof path, "%s/share/sets/%s.set.json", root ? root : ".", name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "soak: cannot read %s; SINEW_SOURCE_DIR names the root of the sources\n",
                path);
        exit(1);
    }
    char *text = malloc(1 << 20);
    *out_size = text ? fread(text, 1, 1 << 20, file) : 0;
    fclose(file);
    return text;
}

// A clip of the creature in the place of the i-th of a set: loops (idle, walk, run) where states
// loop it, so that no seam shows; what is played once else.
static uint32_t stand_in(const soak_stage *stage, const sinew_set *set, const char *name,
                         uint32_t i)
{
    static const char *const loops[] = {"idle", "walk", "run"}, *const once[] = {"turn", "jump"};
    bool loop = false;
    for (uint32_t s = 0; s < sinew_set_state_count(set); s++) {
        sinew_set_state_info state = sinew_set_state_at(set, s);
        for (uint32_t c = 0; state.loop && c < state.choice_count; c++)
            for (uint32_t p = 0; p < sinew_set_choice_at(set, s, c).clip_count; p++)
                loop |= strcmp(sinew_set_point_at(set, s, c, p).clip, name) == 0;
    }
    int32_t clip = sinew_document_find_clip(stage->document, name);
    if (clip < 0)
        clip = sinew_document_find_clip(stage->document, loop ? loops[i % 3] : once[i % 2]);
    return (uint32_t)clip;
}

static void make_set(soak_stage *stage, soak_set *set, const char *name)
{
    size_t size;
    char *text = read_text(name, &size);
    sinew_set_file_desc file = sinew_set_file_desc_default();
    file.text = text, file.size = size, file.file = name, file.allocator = stage->allocator;
    soak_must(sinew_set_file_create(&file, &set->file, NULL), name);
    free(text);
    set->set = sinew_set_file_at(set->file, 0);

    char prefix[32], full[256];
    snprintf(prefix, sizeof prefix, "%s/", name);
    const uint32_t count = sinew_set_clip_count(set->set);
    for (uint32_t i = 0; i < count && i < SOAK_CLIPS; i++) {
        const char *own = sinew_set_clip_name(set->set, i);
        const sinew_clip *clip = stage->document->clips[stand_in(stage, set->set, own, i)];
        snprintf(full, sizeof full, "%s%s", prefix, own);
        soak_must(sinew_clip_library_add(stage->library, clip, full, NULL), full);
        set->durations[i] = sinew_clip_duration(clip);
    }
    static const sinew_set_predicate predicates[] = {{"grounded", is_grounded, NULL}};
    sinew_set_binding_desc binding = sinew_set_binding_desc_default();
    binding.set = set->set, binding.skeleton = stage->skeleton, binding.library = stage->library;
    binding.prefix = prefix, binding.predicates = predicates, binding.predicate_count = 1;
    binding.allocator = stage->allocator;
    sinew_error error = {0};
    soak_must(sinew_set_binding_create(&binding, &set->binding, &error), name);
    for (uint32_t s = 0; s < sinew_set_state_count(set->set); s++)
        if (!sinew_set_binding_can_play(set->binding, s)) {
            fprintf(stderr, "soak: %s cannot play %s\n", name, sinew_set_state_name(set->set, s));
            exit(1);
        }
    size_t scratch = sinew_set_binding_scratch_size(set->binding);
    if (scratch > stage->scratch_size)
        stage->scratch_size = scratch;
}

void soak_stage_make(soak_stage *stage)
{
    memset(stage, 0, sizeof *stage);
    stage->allocator = counting_allocator_use(&stage->counter);
    const sinew_allocator *allocator = &stage->allocator;
    soak_must(sinew_fixture_creature(allocator, &stage->document), "the creature");
    soak_must(sinew_document_rig_skeleton(stage->document, 0, allocator, &stage->skeleton, NULL),
              "its skeleton");
    stage->joint_count = sinew_skeleton_joint_count(stage->skeleton);
    if (stage->joint_count > SOAK_JOINTS)
        soak_must(SINEW_ERROR_TOO_MANY_JOINTS, "the creature");
    soak_must(sinew_cloud_make_skin(stage->skeleton, NULL, allocator, &stage->skin, NULL),
              "its skin");
    soak_must(sinew_clip_library_create(&(sinew_clip_library_desc){.allocator = *allocator},
                                        &stage->library),
              "the library");
    static const char *const names[SOAK_SETS] = {"creature", "knight", "wolf"};
    for (int i = 0; i < SOAK_SETS; i++)
        make_set(stage, &stage->sets[i], names[i]);
}

void soak_stage_free(soak_stage *stage)
{
    for (int i = 0; i < SOAK_SETS; i++) {
        sinew_set_binding_destroy(stage->sets[i].binding);
        sinew_set_file_destroy(stage->sets[i].file);
    }
    sinew_clip_library_destroy(stage->library);
    sinew_skin_destroy(stage->skin);
    sinew_skeleton_destroy(stage->skeleton);
    sinew_document_destroy(stage->document);
}

// ---- What hosts do ------------------------------------------------------------------------------

static void set_parameter(const soak_set *set, sinew_player *player, const char *name, double value)
{
    int32_t parameter = sinew_set_find_parameter(set->set, name);
    if (parameter >= 0)
        soak_must(sinew_player_set_parameter(player, parameter, value), name);
}

void soak_drive(test_random *random, const soak_set *set, sinew_player *player, soak_mind *mind)
{
    if (test_random_below(random, 3) == 0) { // asks for a state; that it leads nowhere is no fault
        uint32_t state = test_random_below(random, sinew_set_state_count(set->set));
        sinew_result result = sinew_player_request(player, (int32_t)state, NULL);
        if (result != SINEW_ERROR_NOT_FOUND)
            soak_must(result, "a request");
        return;
    }
    uint32_t parameter = test_random_below(random, sinew_set_parameter_count(set->set) + 1);
    if (parameter == sinew_set_parameter_count(set->set)) {
        mind->grounded = test_random_below(random, 4) != 0;
        return;
    }
    sinew_set_parameter_info info = sinew_set_parameter_at(set->set, parameter);
    double value = info.is_boolean ? (double)test_random_below(random, 2)
                                   : (double)test_random_float(random, -1.0f, 5.0f);
    if (strcmp(info.name, "speed") == 0) // a third of the time none
        value = value < 1.0 ? 0.0 : value;
    soak_must(sinew_player_set_parameter(player, (int32_t)parameter, value), "a parameter");
}

void soak_settle(const soak_set *set, uint32_t set_index, sinew_player *player, uint32_t which)
{
    // A place of a blend space whose weights are exact: points alone, or a quarter of the way.
    static const double creature[] = {0.0, 0.5, 0.9, 1.3, 1.5, 2.0},
                        wolf[] = {0.0, 2.4, 4.025, 8.9};
    if (set_index == 0) {
        set_parameter(set, player, "speed", creature[which % 6]);
    } else if (set_index == 2) {
        set_parameter(set, player, "speed", wolf[which % 4]);
    } else if (which % 2) {
        set_parameter(set, player, "forward", 4.5);
        set_parameter(set, player, "speed", 2.0 + which % 3);
    }
}
