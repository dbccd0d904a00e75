// SPDX-License-Identifier: MIT
// Wrong arguments to blend.h, transition.h, mix_file.h, mirror.h, retarget.h, humanoid.h,
// model_delta.h and root_motion.h.
#include "../support/misuse.h"

static sinew_pose pose, other, cub, planeless;

static void make_poses(void)
{
    pose = misuse_pose(misuse.skeleton);
    other = misuse_pose(misuse.skeleton);
    cub = misuse_pose(sinew_stream_rig_skeleton(misuse.bird->rig)); // of another joint count
    planeless = pose;
    planeless.planes = NULL;
}

static void masks(void **state)
{
    (void)state;
    make_poses();
    sinew_joint_mask mask = {0}, none = {0};
    const uint32_t n = misuse.joint_count;
    const size_t size = sinew_joint_mask_size(n);
    char *block = misuse_block(size + 64);
    REFUSES(sinew_joint_mask_init, (NULL, n, block, size, 1.0f));
    REFUSES(sinew_joint_mask_init, (&mask, n, NULL, size, 1.0f));
    REFUSES(sinew_joint_mask_init, (&mask, SINEW_MAX_JOINTS + 1, block, SIZE_MAX, 1.0f));
    REFUSES(sinew_joint_mask_init, (&mask, n, block, size, 1.5f));
    REFUSES(sinew_joint_mask_init, (&mask, n, block, size, NAN));
    REFUSES_WITH(MISALIGNED, sinew_joint_mask_init, (&mask, n, block + 4, size, 1.0f));
    REFUSES_WITH(BUFFER_TOO_SMALL, sinew_joint_mask_init, (&mask, n, block, size - 1, 1.0f));
    assert_null(mask.weights);
    assert_ok(sinew_joint_mask_init(&mask, n, block, size, 0.5f));
    REFUSES(sinew_joint_mask_set, (NULL, 0, 1.0f));
    REFUSES(sinew_joint_mask_set, (&none, 0, 1.0f));
    REFUSES(sinew_joint_mask_set, (&mask, n, 1.0f));
    REFUSES(sinew_joint_mask_set, (&mask, 0, -0.5f));
    REFUSES(sinew_joint_mask_set, (&mask, 0, NAN));
    REFUSES(sinew_joint_mask_set_subtree, (NULL, misuse.skeleton, 0, 1.0f, 0));
    REFUSES(sinew_joint_mask_set_subtree, (&mask, NULL, 0, 1.0f, 0));
    REFUSES(sinew_joint_mask_set_subtree, (&mask, misuse.skeleton, n, 1.0f, 0));
    REFUSES(sinew_joint_mask_set_subtree, (&mask, misuse.skeleton, 0, 2.0f, 0));
    REFUSES(sinew_joint_mask_set_subtree,
            (&mask, sinew_stream_rig_skeleton(misuse.bird->rig), 0, 1.0f, 0));
    assert_ok(sinew_joint_mask_set_subtree(&mask, misuse.skeleton, 0, 0.5f, UINT32_MAX));
    REFUSES(sinew_joint_mask_invert, (NULL));
    REFUSES(sinew_joint_mask_invert, (&(sinew_joint_mask){.joint_count = 3}));
}

static void blends(void **state)
{
    (void)state;
    const sinew_joint_mask bad_mask = {0};
    sinew_blend_input inputs[2] = {{.pose = &pose, .weight = 0.5f},
                                   {.pose = &other, .weight = 0.5f}};
    const sinew_blend_args good = {
        .skeleton = misuse.skeleton, .inputs = inputs, .input_count = 2, .out_pose = &pose};
    assert_ok(sinew_blend(&good));
    REFUSES(sinew_blend, (NULL));
    REFUSES(sinew_blend, (&(sinew_blend_args){0}));
#define SPOILS_BLEND(change) SPOILS(INVALID_ARGUMENT, sinew_blend, sinew_blend_args, good, change)
    SPOILS_BLEND(skeleton = NULL);
    SPOILS_BLEND(inputs = NULL);
    SPOILS_BLEND(out_pose = NULL);
    SPOILS_BLEND(out_pose = &cub);
    SPOILS_BLEND(out_pose = &planeless);
    SPOILS_BLEND(base = &cub);
    SPOILS_BLEND(base_weight = 1.5f);
    SPOILS_BLEND(base_weight = NAN);
    SPOILS_BLEND(mask = &bad_mask);
    inputs[1].weight = -1.0f;
    SPOILS_BLEND(input_count = 2);
    inputs[1].weight = INFINITY;
    SPOILS_BLEND(input_count = 2);
    inputs[1].weight = 0.5f, inputs[1].pose = NULL;
    SPOILS_BLEND(input_count = 2);
    inputs[1].pose = &cub;
    SPOILS_BLEND(input_count = 2);
    inputs[1].pose = &other, inputs[1].mask = &bad_mask;
    SPOILS_BLEND(input_count = 2);
    inputs[1].mask = NULL;

    sinew_pose_sums sums = {0};
    const uint32_t n = misuse.joint_count;
    const size_t size = sinew_pose_sums_size(n);
    char *block = misuse_block(size + 64);
    REFUSES(sinew_pose_sums_init, (NULL, n, block, size));
    REFUSES(sinew_pose_sums_init, (&sums, n, NULL, size));
    REFUSES(sinew_pose_sums_init, (&sums, SINEW_MAX_JOINTS + 1, block, SIZE_MAX));
    REFUSES_WITH(MISALIGNED, sinew_pose_sums_init, (&sums, n, block + 8, size));
    REFUSES_WITH(BUFFER_TOO_SMALL, sinew_pose_sums_init, (&sums, n, block, size - 1));
    REFUSES(sinew_pose_sums_add, (&sums, &inputs[0])); // of nothing
    assert_ok(sinew_pose_sums_init(&sums, n, block, size));
    REFUSES(sinew_pose_sums_add, (NULL, &inputs[0]));
    REFUSES(sinew_pose_sums_add, (&sums, NULL));
    REFUSES(sinew_pose_sums_add, (&sums, &(sinew_blend_input){.pose = &cub, .weight = 1}));
    REFUSES(sinew_pose_sums_add, (&sums, &(sinew_blend_input){.pose = &pose, .weight = -1}));
    REFUSES(sinew_pose_sums_resolve, (NULL, &good));
    REFUSES(sinew_pose_sums_resolve, (&sums, NULL));
    REFUSES(sinew_pose_sums_resolve, (&(sinew_pose_sums){0}, &good));

    const sinew_additive_args add = {
        .skeleton = misuse.skeleton, .pose = &other, .weight = 1, .out_pose = &pose};
    assert_ok(sinew_blend_additive(&add));
    REFUSES(sinew_blend_additive, (NULL));
#define SPOILS_ADD(change)                                                                         \
    SPOILS(INVALID_ARGUMENT, sinew_blend_additive, sinew_additive_args, add, change)
    SPOILS_ADD(skeleton = NULL);
    SPOILS_ADD(pose = NULL);
    SPOILS_ADD(pose = &cub);
    SPOILS_ADD(reference = &cub);
    SPOILS_ADD(weight = 2.0f);
    SPOILS_ADD(weight = NAN);
    SPOILS_ADD(mask = &bad_mask);
    SPOILS_ADD(out_pose = NULL);
    SPOILS_ADD(out_pose = &planeless);
}

static void layers_and_plays(void **state)
{
    (void)state;
    sinew_pose out = misuse_pose(misuse.skeleton), scratch = misuse_pose(misuse.skeleton);
    const sinew_blend_input inputs[2] = {{.pose = &pose, .weight = 0.5f},
                                         {.pose = &other, .weight = 0.5f}};
    sinew_layer layer = {.inputs = inputs, .input_count = 2, .weight = 1};
    const sinew_layers_args good = {.skeleton = misuse.skeleton,
                                    .layers = &layer,
                                    .layer_count = 1,
                                    .scratch = &scratch,
                                    .out_pose = &out};
    assert_ok(sinew_blend_layers(&good));
    REFUSES(sinew_blend_layers, (NULL));
#define SPOILS_LAYERS(change)                                                                      \
    SPOILS(INVALID_ARGUMENT, sinew_blend_layers, sinew_layers_args, good, change)
    SPOILS_LAYERS(skeleton = NULL);
    SPOILS_LAYERS(layers = NULL);
    SPOILS_LAYERS(out_pose = NULL);
    SPOILS_LAYERS(out_pose = &cub);
    SPOILS_LAYERS(out_pose = &pose); // one of the inputs'
    layer.mode = SINEW_LAYER_ADDITIVE;
    SPOILS_LAYERS(scratch = NULL);
    SPOILS_LAYERS(scratch = &out);
    SPOILS_LAYERS(scratch = &cub);
    layer.mode = (sinew_layer_mode)7;
    SPOILS_LAYERS(layer_count = 1);
    layer.mode = SINEW_LAYER_OVERRIDE, layer.weight = NAN;
    SPOILS_LAYERS(layer_count = 1);
    layer.weight = 1, layer.inputs = NULL;
    SPOILS_LAYERS(layer_count = 1);

    const sinew_play_args play = {.first = {.binding = misuse.walk},
                                  .second = {.binding = misuse.jump},
                                  .x = 0.5f,
                                  .scratch = &scratch,
                                  .out_pose = &out};
    assert_ok(sinew_play(&play));
    REFUSES(sinew_play, (NULL));
#define SPOILS_PLAY(change) SPOILS(INVALID_ARGUMENT, sinew_play, sinew_play_args, play, change)
    SPOILS_PLAY(first.binding = NULL);
    SPOILS_PLAY(first.time = NAN);
    SPOILS_PLAY(second.time = INFINITY);
    SPOILS_PLAY(x = NAN);
    SPOILS_PLAY(scratch = NULL);
    SPOILS_PLAY(scratch = &out);
    SPOILS_PLAY(out_pose = NULL);
    SPOILS_PLAY(out_pose = &cub);
    SPOILS_PLAY(translations = (sinew_translation_mode)5);
}

static void transitions(void **state)
{
    (void)state;
    ANSWERS(sinew_fade, sinew_fade(SINEW_FADE_SMOOTH, NAN) == 1.0f);
    ANSWERS(sinew_fade, sinew_fade((sinew_fade_curve)77, 0.5f) == 1.0f);
    ANSWERS(sinew_fade, sinew_fade(SINEW_FADE_LINEAR, -3.0f) == 0.0f);
    sinew_crossfade fade;
    NOTHING(sinew_crossfade_init, (NULL, 0));
    sinew_crossfade_init(&fade, 3);
    ANSWERS(sinew_crossfade_to, !sinew_crossfade_to(NULL, 0, 1.0, SINEW_FADE_LINEAR));
    ANSWERS(sinew_crossfade_to, !sinew_crossfade_to(&fade, 3, 1.0, SINEW_FADE_LINEAR));
    ANSWERS(sinew_crossfade_to, sinew_crossfade_to(&fade, 4, NAN, SINEW_FADE_LINEAR));
    assert_true(fade.source_count == 1 && fade.target == 4); // a cut
    NOTHING(sinew_crossfade_advance, (NULL, 1.0));
    NOTHING(sinew_crossfade_advance, (&fade, NAN));

    sinew_transition t = {0}, none = {0};
    const uint32_t n = misuse.joint_count;
    const size_t size = sinew_transition_size(n);
    char *block = misuse_block(size + 64);
    REFUSES(sinew_transition_init, (NULL, n, block, size));
    REFUSES(sinew_transition_init, (&t, n, NULL, size));
    REFUSES(sinew_transition_init, (&t, SINEW_MAX_JOINTS + 1, block, SIZE_MAX));
    REFUSES_WITH(MISALIGNED, sinew_transition_init, (&t, n, block + 16, size));
    REFUSES_WITH(BUFFER_TOO_SMALL, sinew_transition_init, (&t, n, block, size - 1));
    assert_ok(sinew_transition_init(&t, n, block, size));
    const sinew_transition_args good = {
        .transition = &t, .seconds = 0.2, .from = &pose, .target = &other};
    assert_ok(sinew_transition_start(&good));
    REFUSES(sinew_transition_start, (NULL));
#define SPOILS_START(change)                                                                       \
    SPOILS(INVALID_ARGUMENT, sinew_transition_start, sinew_transition_args, good, change)
    SPOILS_START(transition = NULL);
    SPOILS_START(transition = &none);
    SPOILS_START(kind = (sinew_transition_kind)9);
    SPOILS_START(seconds = 0.0);
    SPOILS_START(seconds = NAN);
    SPOILS_START(seconds = INFINITY);
    SPOILS_START(from = NULL);
    SPOILS_START(from = &cub);
    SPOILS_START(before = &cub);
    SPOILS_START(target = NULL);
    SPOILS_START(target = &planeless);
    SPOILS_START(target_before = &cub);
    REFUSES(sinew_transition_apply, (NULL, 0.1, &pose));
    REFUSES(sinew_transition_apply, (&t, 0.1, NULL));
    REFUSES(sinew_transition_apply, (&t, 0.1, &cub));
    REFUSES(sinew_transition_apply, (&none, 0.1, &pose));
    assert_ok(sinew_transition_apply(&t, NAN, &pose)); // counts as 0
}

static void mixes(void **state)
{
    (void)state;
    static const char text[] =
        "{\"layers\": [{\"inputs\": [{\"clip\": \"walk\", \"weight\": 1}]}]}";
    sinew_mix_desc good = sinew_mix_desc_default();
    ANSWERS(sinew_mix_desc_default, good.text == NULL && good.skeleton == NULL);
    good.text = text, good.size = sizeof text - 1, good.skeleton = misuse.skeleton;
    good.clips = misuse.creature->clips, good.clip_count = misuse.creature->clip_count;
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_mix_create, sinew_mix, (NULL, &made, NULL));
    REFUSES(sinew_mix_create, (&good, NULL, NULL));
#define SPOILS_MIX(code, change)                                                                   \
    SPOILS_MAKING(code, sinew_mix_create, sinew_mix_desc, good, sinew_mix, change)
    SPOILS_MIX(INVALID_ARGUMENT, text = NULL);
    SPOILS_MIX(JSON_SYNTAX, size = 0);
    SPOILS_MIX(INVALID_ARGUMENT, skeleton = NULL);
    SPOILS_MIX(INVALID_ARGUMENT, clips = NULL);
    SPOILS_MIX(INVALID_ARGUMENT, by = (sinew_bind_by)8);
    SPOILS_MIX(NOT_FOUND, clip_count = 0);
    sinew_mix *mix = NULL;
    sinew_error error;
    if (sinew_mix_create(&good, &mix, &error) != SINEW_OK)
        fail_msg("%s", error.message);
    NOTHING(sinew_mix_destroy, (NULL));
    ANSWERS(sinew_mix_duration, sinew_mix_duration(NULL) == 0.0);
    ANSWERS(sinew_mix_ground_count, sinew_mix_ground_count(NULL) == 0);
    ANSWERS(sinew_mix_ground_at, sinew_mix_ground_at(NULL, 0).normal.y == 0.0f);
    ANSWERS(sinew_mix_ground_at, sinew_mix_ground_at(mix, 0).normal.y == 0.0f);
    ANSWERS(sinew_mix_scratch_size, sinew_mix_scratch_size(NULL) == 0);
    const size_t size = sinew_mix_scratch_size(mix);
    char *block = misuse_block(size + 64);
    const sinew_mix_args args = {
        .mix = mix, .scratch = block, .scratch_size = size, .out_pose = &pose};
    assert_ok(sinew_mix_evaluate(&args));
    REFUSES(sinew_mix_evaluate, (NULL));
#define SPOILS_EVALUATE(code, change) SPOILS(code, sinew_mix_evaluate, sinew_mix_args, args, change)
    SPOILS_EVALUATE(INVALID_ARGUMENT, mix = NULL);
    SPOILS_EVALUATE(INVALID_ARGUMENT, time = NAN);
    SPOILS_EVALUATE(INVALID_ARGUMENT, scratch = NULL);
    SPOILS_EVALUATE(MISALIGNED, scratch = block + 4);
    SPOILS_EVALUATE(BUFFER_TOO_SMALL, scratch_size--);
    SPOILS_EVALUATE(INVALID_ARGUMENT, out_pose = NULL);
    SPOILS_EVALUATE(INVALID_ARGUMENT, out_pose = &cub);
    sinew_mix_destroy(mix);
}

static void mirrors(void **state)
{
    (void)state;
    sinew_mirror_desc good = sinew_mirror_desc_default();
    ANSWERS(sinew_mirror_desc_default, good.skeleton == NULL && good.partners == NULL);
    good.skeleton = misuse.skeleton;
    uint16_t partners[SHARED_JOINTS];
    for (uint16_t i = 0; i < SHARED_JOINTS; i++)
        partners[i] = i;
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_mirror_create, sinew_mirror, (NULL, &made, NULL));
    REFUSES(sinew_mirror_create, (&good, NULL, NULL));
#define SPOILS_MIRROR(code, change)                                                                \
    SPOILS_MAKING(code, sinew_mirror_create, sinew_mirror_desc, good, sinew_mirror, change)
    SPOILS_MIRROR(INVALID_ARGUMENT, skeleton = NULL);
    SPOILS_MIRROR(INVALID_ARGUMENT, axis = (sinew_mirror_axis)3);
    SPOILS_MIRROR(INVALID_ARGUMENT, rest = &cub);
    SPOILS_MIRROR(INVALID_ARGUMENT, rest = &planeless);
    partners[1] = 2;
    SPOILS_MIRROR(COUNT_MISMATCH, partners = partners);
    partners[1] = UINT16_MAX;
    SPOILS_MIRROR(INDEX_RANGE, partners = partners);
    const sinew_mirror *m = misuse.mirror;
    const uint32_t past = misuse.joint_count;
    uint32_t count = 7;
    NOTHING(sinew_mirror_destroy, (NULL));
    ANSWERS(sinew_mirror_partner, sinew_mirror_partner(NULL, 5) == 5);
    ANSWERS(sinew_mirror_partner, sinew_mirror_partner(m, past) == past);
    ANSWERS(sinew_mirror_joint_kind, sinew_mirror_joint_kind(NULL, 0) == SINEW_MIRROR_CENTRE);
    ANSWERS(sinew_mirror_joint_kind, sinew_mirror_joint_kind(m, past) == SINEW_MIRROR_CENTRE);
    ANSWERS(sinew_mirror_pair_count, sinew_mirror_pair_count(NULL) == 0);
    ANSWERS(sinew_mirror_lonely, !sinew_mirror_lonely(NULL, &count) && count == 0);
    NOTHING((void)sinew_mirror_lonely, (m, NULL));
    const sinew_mirror_args args = {.mirror = m, .pose = &pose, .out_pose = &other};
    assert_ok(sinew_mirror_pose(&args));
    REFUSES(sinew_mirror_pose, (NULL));
#define SPOILS_MIRRORING(change)                                                                   \
    SPOILS(INVALID_ARGUMENT, sinew_mirror_pose, sinew_mirror_args, args, change)
    SPOILS_MIRRORING(mirror = NULL);
    SPOILS_MIRRORING(pose = NULL);
    SPOILS_MIRRORING(pose = &cub);
    SPOILS_MIRRORING(out_pose = NULL);
    SPOILS_MIRRORING(out_pose = &planeless);
    ANSWERS(sinew_mirror_root_delta,
            sinew_mirror_root_delta(NULL, SINEW_MIRROR_X).rotation.w == 1.0f);
}

static void retargets(void **state)
{
    (void)state;
    sinew_retarget_desc good = sinew_retarget_desc_default();
    ANSWERS(sinew_retarget_desc_default, good.source.skeleton == NULL && good.pairs == NULL);
    good.source.skeleton = misuse.skeleton, good.target.skeleton = misuse.cub_skeleton;
    good.by = SINEW_RETARGET_BY_NAME;
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_retarget_create, sinew_retarget, (NULL, &made, NULL));
    REFUSES(sinew_retarget_create, (&good, NULL, NULL));
    static const sinew_retarget_pair past = {0, 9999};
#define SPOILS_MAP(code, change)                                                                   \
    SPOILS_MAKING(code, sinew_retarget_create, sinew_retarget_desc, good, sinew_retarget, change)
    SPOILS_MAP(INVALID_ARGUMENT, source.skeleton = NULL);
    SPOILS_MAP(INVALID_ARGUMENT, target.skeleton = NULL);
    SPOILS_MAP(INVALID_ARGUMENT, source.rest = &cub);
    SPOILS_MAP(INVALID_ARGUMENT, by = (sinew_retarget_by)9);
    SPOILS_MAP(INVALID_ARGUMENT, travel_scale = -1.0f);
    SPOILS_MAP(INVALID_ARGUMENT, travel_scale = NAN);
    SPOILS_MAP(INVALID_ARGUMENT, translations = (sinew_retarget_translation)9);
    SPOILS_MAP(INVALID_ARGUMENT, travel = (sinew_retarget_travel)9);
    SPOILS_MAP(INVALID_ARGUMENT, pair_count = 1); // and no pairs
    SPOILS_MAP(INVALID_ARGUMENT, source.known_count = 1);
    SPOILS_MAP(INVALID_ARGUMENT, target.name_count = 1);
    SPOILS_MAP(NOT_FOUND, by = SINEW_RETARGET_BY_PAIRS);
    good.pairs = &past;
    SPOILS_MAP(INDEX_RANGE, pair_count = 1);
    const sinew_retarget *map = misuse.map;
    uint32_t count = 7;
    NOTHING(sinew_retarget_destroy, (NULL));
    ANSWERS(sinew_retarget_matched_count, sinew_retarget_matched_count(NULL) == 0);
    ANSWERS(sinew_retarget_source_of, sinew_retarget_source_of(NULL, 0) == -1);
    ANSWERS(sinew_retarget_source_of, sinew_retarget_source_of(map, UINT32_MAX) == -1);
    ANSWERS(sinew_retarget_target_of, sinew_retarget_target_of(NULL, 0) == -1);
    ANSWERS(sinew_retarget_target_of, sinew_retarget_target_of(map, UINT32_MAX) == -1);
    ANSWERS(sinew_retarget_missing_in_source,
            !sinew_retarget_missing_in_source(NULL, &count) && count == 0);
    count = 7;
    ANSWERS(sinew_retarget_missing_in_target,
            !sinew_retarget_missing_in_target(NULL, &count) && count == 0);
    ANSWERS(sinew_retarget_source_table, sinew_retarget_source_table(NULL)[0] == '\0');
    ANSWERS(sinew_retarget_target_table, sinew_retarget_target_table(NULL)[0] == '\0');
    ANSWERS(sinew_retarget_travel_scale, sinew_retarget_travel_scale(NULL) == 1.0f);
    ANSWERS(sinew_retarget_turn, sinew_retarget_turn(NULL).w == 1.0f);
    ANSWERS(sinew_retarget_scratch_size, sinew_retarget_scratch_size(NULL) == 0);
    const size_t size = sinew_retarget_scratch_size(map);
    char *block = misuse_block(size + 64);
    sinew_pose out = misuse_pose(misuse.cub_skeleton);
    const sinew_retarget_args args = {
        .map = map, .pose = &pose, .out_pose = &out, .scratch = block, .scratch_size = size};
    assert_ok(sinew_retarget_pose(&args));
    REFUSES(sinew_retarget_pose, (NULL));
#define SPOILS_RETARGET(code, change)                                                              \
    SPOILS(code, sinew_retarget_pose, sinew_retarget_args, args, change)
    SPOILS_RETARGET(INVALID_ARGUMENT, map = NULL);
    SPOILS_RETARGET(INVALID_ARGUMENT, pose = NULL);
    SPOILS_RETARGET(INVALID_ARGUMENT, pose = &cub);
    SPOILS_RETARGET(INVALID_ARGUMENT, out_pose = NULL);
    SPOILS_RETARGET(INVALID_ARGUMENT, out_pose = &planeless);
    SPOILS_RETARGET(INVALID_ARGUMENT, out_pose = &pose); // one pose for both
    SPOILS_RETARGET(INVALID_ARGUMENT, scratch = NULL);
    SPOILS_RETARGET(MISALIGNED, scratch = block + 4);
    SPOILS_RETARGET(BUFFER_TOO_SMALL, scratch_size--);
    const sinew_root_delta step = {{1, 0, 0}, {0, 0, 0, 1}};
    ANSWERS(sinew_retarget_root_delta, sinew_retarget_root_delta(NULL, &step).rotation.w == 1.0f);
    ANSWERS(sinew_retarget_root_delta, sinew_retarget_root_delta(map, NULL).translation.x == 0.0f);
}

static void humanoids(void **state)
{
    (void)state;
    ANSWERS(sinew_humanoid_bone_word, !sinew_humanoid_bone_word(SINEW_HUMANOID_COUNT)[0]);
    ANSWERS(sinew_humanoid_bone_word, !sinew_humanoid_bone_word((sinew_humanoid_bone)-1)[0]);
    ANSWERS(sinew_humanoid_find_bone, sinew_humanoid_find_bone(NULL) == -1);
    ANSWERS(sinew_humanoid_find_bone, sinew_humanoid_find_bone("") == -1);
    int32_t joints[SINEW_HUMANOID_COUNT];
    static const sinew_humanoid_name stranger = {"no bone", "hips"}, empty = {NULL, NULL};
    static const sinew_humanoid_joint past = {"hips", 9999};
    const sinew_humanoid_match_args good = {
        .skeleton = misuse.skeleton, .out_joints = joints, .out_count = SINEW_HUMANOID_COUNT};
    assert_ok(sinew_humanoid_match(&good));
    REFUSES(sinew_humanoid_match, (NULL));
#define SPOILS_MATCH(code, change)                                                                 \
    SPOILS(code, sinew_humanoid_match, sinew_humanoid_match_args, good, change)
    SPOILS_MATCH(INVALID_ARGUMENT, skeleton = NULL);
    SPOILS_MATCH(INVALID_ARGUMENT, out_joints = NULL);
    SPOILS_MATCH(BUFFER_TOO_SMALL, out_count--);
    SPOILS_MATCH(INVALID_ARGUMENT, known_count = 1);
    SPOILS_MATCH(INVALID_ARGUMENT, name_count = 1);
    sinew_humanoid_match_args named = good;
    named.names = &stranger, named.name_count = 1;
    REFUSES(sinew_humanoid_match, (&named));
    named.names = &empty;
    REFUSES(sinew_humanoid_match, (&named));
    named = good, named.known = &past, named.known_count = 1;
    REFUSES(sinew_humanoid_match, (&named));
}

static void model_frames(void **state)
{
    (void)state;
    sinew_model_frames_desc good = sinew_model_frames_desc_default();
    ANSWERS(sinew_model_frames_desc_default, good.skeleton == NULL && good.rest == NULL);
    good.skeleton = misuse.skeleton;
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_model_frames_create, sinew_model_frames, (NULL, &made));
    REFUSES(sinew_model_frames_create, (&good, NULL));
#define SPOILS_FRAMES(code, change)                                                                \
    SPOILS_PLAIN(code, sinew_model_frames_create, sinew_model_frames_desc, good,                   \
                 sinew_model_frames, change)
    SPOILS_FRAMES(INVALID_ARGUMENT, skeleton = NULL);
    SPOILS_FRAMES(INVALID_ARGUMENT, rest = &cub);
    SPOILS_FRAMES(INVALID_ARGUMENT, rest = &planeless);
    sinew_pose broken = misuse_pose(misuse.skeleton);
    broken.planes[0] = NAN;
    SPOILS_FRAMES(NOT_FINITE, rest = &broken);
    const sinew_model_frames *f = misuse.frames;
    const uint32_t past = misuse.joint_count;
    bool mirrored = true;
    NOTHING(sinew_model_frames_destroy, (NULL));
    ANSWERS(sinew_model_frames_skeleton, !sinew_model_frames_skeleton(NULL));
    ANSWERS(sinew_model_frames_parent,
            sinew_model_frames_parent(NULL, 0, &mirrored).w == 1.0f && !mirrored);
    ANSWERS(sinew_model_frames_parent, sinew_model_frames_parent(f, past, NULL).w == 1.0f);
    sinew_transform local = sinew_transform_identity();
    sinew_model_delta delta = {{0, 0, 0, 1}, {0, 0, 0}};
    REFUSES(sinew_model_delta_from_local, (NULL, 0, &local, &delta));
    REFUSES(sinew_model_delta_from_local, (f, past, &local, &delta));
    REFUSES(sinew_model_delta_from_local, (f, 0, NULL, &delta));
    REFUSES(sinew_model_delta_from_local, (f, 0, &local, NULL));
    REFUSES(sinew_model_delta_to_local, (NULL, 0, &delta, &local));
    REFUSES(sinew_model_delta_to_local, (f, past, &delta, &local));
    REFUSES(sinew_model_delta_to_local, (f, 0, NULL, &local));
    REFUSES(sinew_model_delta_to_local, (f, 0, &delta, NULL));
    sinew_model_delta deltas[SHARED_JOINTS];
    const uint16_t far[1] = {(uint16_t)past};
    const sinew_model_deltas_args args = {
        .frames = f, .pose = &pose, .deltas = deltas, .delta_count = SHARED_JOINTS};
    assert_ok(sinew_model_deltas_from_pose(&args));
    REFUSES(sinew_model_deltas_from_pose, (NULL));
    REFUSES(sinew_model_deltas_to_pose, (NULL));
#define SPOILS_DELTAS(code, change)                                                                \
    do {                                                                                           \
        SPOILS(code, sinew_model_deltas_from_pose, sinew_model_deltas_args, args, change);         \
        SPOILS(code, sinew_model_deltas_to_pose, sinew_model_deltas_args, args, change);           \
    } while (0)
    SPOILS_DELTAS(INVALID_ARGUMENT, frames = NULL);
    SPOILS_DELTAS(INVALID_ARGUMENT, pose = NULL);
    SPOILS_DELTAS(INVALID_ARGUMENT, pose = &cub);
    SPOILS_DELTAS(INVALID_ARGUMENT, pose = &planeless);
    SPOILS_DELTAS(INVALID_ARGUMENT, deltas = NULL);
    SPOILS_DELTAS(BUFFER_TOO_SMALL, delta_count = past - 1);
    sinew_model_deltas_args chosen = args;
    chosen.joints = far, chosen.joint_count = 1;
    REFUSES(sinew_model_deltas_from_pose, (&chosen));
    REFUSES(sinew_model_deltas_to_pose, (&chosen));
}

static void root_motions(void **state)
{
    (void)state;
    sinew_root_motion_desc good = sinew_root_motion_desc_default();
    ANSWERS(sinew_root_motion_desc_default, good.binding == NULL && good.joint == -1);
    good.binding = misuse.jump;
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_root_motion_create, sinew_root_motion, (NULL, &made));
    REFUSES(sinew_root_motion_create, (&good, NULL));
#define SPOILS_MOTION(change)                                                                      \
    SPOILS_PLAIN(INVALID_ARGUMENT, sinew_root_motion_create, sinew_root_motion_desc, good,         \
                 sinew_root_motion, change)
    SPOILS_MOTION(binding = NULL);
    SPOILS_MOTION(joint = (int32_t)misuse.joint_count);
    SPOILS_MOTION(joint = -2);
    SPOILS_MOTION(axes = 16);
    const sinew_root_motion *m = misuse.motion;
    NOTHING(sinew_root_motion_destroy, (NULL));
    ANSWERS(sinew_root_motion_joint, sinew_root_motion_joint(NULL) == 0);
    ANSWERS(sinew_root_motion_axes, sinew_root_motion_axes(NULL) == 0);
    sinew_root_delta delta;
    const sinew_root_motion_delta_args args = {.motion = m, .wrap = SINEW_WRAP_LOOP, .to = 1.0};
    REFUSES(sinew_root_motion_delta, (NULL, &delta));
    REFUSES(sinew_root_motion_delta, (&args, NULL));
#define SPOILS_DELTA(change)                                                                       \
    do {                                                                                           \
        sinew_root_motion_delta_args spoilt = args;                                                \
        spoilt.change;                                                                             \
        REFUSES(sinew_root_motion_delta, (&spoilt, &delta));                                       \
    } while (0)
    SPOILS_DELTA(motion = NULL);
    SPOILS_DELTA(from = NAN);
    SPOILS_DELTA(to = INFINITY);
    SPOILS_DELTA(wrap = (sinew_wrap)9);
    REFUSES(sinew_root_motion_remove, (NULL, &pose, &delta));
    REFUSES(sinew_root_motion_remove, (m, NULL, &delta));
    REFUSES(sinew_root_motion_remove, (m, &cub, &delta));
    REFUSES(sinew_root_motion_remove, (m, &planeless, NULL));

    // steps of zeros, and sums of nothing
    const sinew_root_delta zero = {{0, 0, 0}, {0, 0, 0, 0}}, one = sinew_root_delta_identity();
    const sinew_transform actor = sinew_transform_identity();
    sinew_root_delta_sum sum = {0};
    ANSWERS(sinew_root_delta_mul, sinew_root_delta_mul(&zero, &zero).rotation.w == 1.0f);
    ANSWERS(sinew_root_delta_apply, sinew_root_delta_apply(&actor, &zero).rotation.w == 1.0f);
    NOTHING(sinew_root_delta_sum_add, (&sum, &one, NAN));
    NOTHING(sinew_root_delta_sum_add, (&sum, &one, -1.0f));
    ANSWERS(sinew_root_delta_sum_resolve, sinew_root_delta_sum_resolve(&sum).rotation.w == 1.0f);
    ANSWERS(sinew_root_delta_blend, sinew_root_delta_blend(&one, &zero, NAN).rotation.w == 1.0f);
    DIES(sinew_root_delta_mul, (NULL, &one));
    DIES(sinew_root_delta_mul, (&one, NULL));
    DIES(sinew_root_delta_apply, (NULL, &one));
    DIES(sinew_root_delta_apply, (&actor, NULL));
    DIES(sinew_root_delta_sum_add, (NULL, &one, 1.0f));
    DIES(sinew_root_delta_sum_add, (&sum, NULL, 1.0f));
    DIES(sinew_root_delta_sum_resolve, (NULL));
    DIES(sinew_root_delta_blend, (NULL, &one, 0.5f));
    DIES(sinew_root_delta_blend, (&one, NULL, 0.5f));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks),
        cmocka_unit_test(blends),
        cmocka_unit_test(layers_and_plays),
        cmocka_unit_test(transitions),
        cmocka_unit_test(mixes),
        cmocka_unit_test(mirrors),
        cmocka_unit_test(retargets),
        cmocka_unit_test(humanoids),
        cmocka_unit_test(model_frames),
        cmocka_unit_test(root_motions),
    };
    return MISUSE_RUN(tests);
}
