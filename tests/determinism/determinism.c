// SPDX-License-Identifier: MIT
// Prints one hash over poses and what is made of them, model matrices, palettes and bounds: of the
// creature in all its clips, and of seeded random skeletons with clips of every interpolation,
// played under every wrap at times that match no key, alone and in crowds, and brought to targets
// by solvers. Every instruction set of a machine is gone through, and every compiler, optimisation
// level and machine must print the same. Vertices are left out: they use fma, poses do not (SPEC
// 0).
//
// With an argument the hashes of the parts are printed too, to find out where two machines part.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinew/document.h"
#include "sinew/sinew.h"
#include "sinew_fixtures.h"

static uint64_t hash = 14695981039346656037u; // FNV-1a, 64 bits
static uint64_t hashed_bytes;

static void add_bytes(const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    hashed_bytes += size;
}

// Floats go in as little-endian words. A NaN has many forms, so it is a failure and not hashed.
static void add_floats(const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        if ((bits & 0x7F800000u) == 0x7F800000u) {
            fprintf(stderr, "a value is not finite\n");
            exit(1);
        }
        unsigned char little[4] = {(unsigned char)bits, (unsigned char)(bits >> 8),
                                   (unsigned char)(bits >> 16), (unsigned char)(bits >> 24)};
        add_bytes(little, sizeof little);
    }
}

static void must(sinew_result result, const char *what)
{
    if (result == SINEW_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, sinew_result_message(result));
    exit(1);
}

static void *take(size_t size)
{
    size = (size + 63) / 64 * 64;
    void *memory = aligned_alloc(64, size ? size : 64);
    if (!memory)
        must(SINEW_ERROR_OUT_OF_MEMORY, "memory");
    memset(memory, 0, size);
    return memory;
}

// ---- One actor: a skeleton, a clip on it, skins ------------------------------------------------------------

// `bounds`: of the meshes of each skin, or NULL.
static void hash_actor(const sinew_skeleton *skeleton, const sinew_clip *clip, sinew_bind_by by,
                       sinew_skin *const *skins, sinew_skin_bounds *const *bounds,
                       uint32_t skin_count, double step)
{
    uint32_t n = sinew_skeleton_joint_count(skeleton);
    sinew_clip_binding *binding;
    must(sinew_clip_binding_create(
             &(sinew_clip_binding_desc){.clip = clip, .skeleton = skeleton, .by = by}, &binding),
         "binding");
    uint32_t scalar_count;
    sinew_clip_binding_scalars(binding, &scalar_count);
    size_t pose_size = sinew_pose_size(n), context_size = sinew_clip_context_size(binding);
    void *pose_memory = take(pose_size), *context_memory = take(context_size);
    sinew_mat4 *model = take(n * sizeof *model), *inherit = take(n * sizeof *inherit);
    float *scalars = take(scalar_count * sizeof *scalars);
    sinew_pose pose;
    sinew_clip_context *context;
    must(sinew_pose_init(&pose, n, pose_memory, pose_size), "pose");
    must(sinew_clip_context_init(context_memory, context_size, &context), "context");
    sinew_skin_rest *rests = take(skin_count * sizeof *rests);
    for (uint32_t s = 0; s < skin_count; s++)
        must(sinew_skin_find_rest(skins[s], NULL, 1.0f, &rests[s]), "rest");

    static const sinew_wrap wraps[] = {SINEW_WRAP_CLAMP, SINEW_WRAP_LOOP, SINEW_WRAP_PING_PONG};
    for (int w = 0; w < 3; w++) {
        sinew_playhead playhead;
        sinew_playhead_init(&playhead, sinew_clip_duration(clip), wraps[w], w == 1 ? -0.8 : 1.3,
                            0.0);
        for (int tick = 0; tick < 40; tick++) {
            sinew_playhead_advance(&playhead, step);
            must(sinew_clip_sample(&(sinew_sample_args){.binding = binding,
                                                        .time = playhead.time,
                                                        .context = context,
                                                        .out_pose = &pose,
                                                        .out_scalars = scalars,
                                                        .out_scalar_count = scalar_count}),
                 "sample");
            must(sinew_local_to_model(&(sinew_local_to_model_args){.skeleton = skeleton,
                                                                   .pose = &pose,
                                                                   .out_model = model,
                                                                   .out_inherit = inherit,
                                                                   .out_count = n}),
                 "local to model");
            for (uint32_t plane = 0; plane < SINEW_PLANE_COUNT; plane++)
                add_floats(pose.planes + (size_t)plane * pose.padded_count, n);
            add_floats(scalars, scalar_count);
            add_floats(model[0].m, (size_t)n * 16);
            add_floats(inherit[0].m, (size_t)n * 16);
            for (uint32_t s = 0; s < skin_count; s++) {
                uint32_t slots = sinew_skin_joint_count(skins[s]);
                sinew_mat3x4 *palette = take(slots * sizeof *palette), center;
                must(sinew_palette_build(&(sinew_palette_args){.skin = skins[s],
                                                               .model = model,
                                                               .model_count = n,
                                                               .rest = &rests[s],
                                                               .out_palette = palette,
                                                               .out_count = slots,
                                                               .out_center = &center}),
                     "palette");
                add_floats(palette[0].m, (size_t)slots * 12);
                add_floats(center.m, 12);
                if (bounds) {
                    sinew_box box;
                    must(sinew_skin_bounds_box(
                             &(sinew_skin_bounds_args){.bounds = bounds[s],
                                                       .palette = palette,
                                                       .palette_count = slots,
                                                       .center = &center,
                                                       .weights = scalars,
                                                       .weight_count = scalar_count,
                                                       .out_box = &box}),
                         "box");
                    add_floats(&box.min.x, 3);
                    add_floats(&box.max.x, 3);
                }
                free(palette);
            }
        }
    }
    free(rests);
    free(scalars);
    free(inherit);
    free(model);
    free(context_memory);
    free(pose_memory);
    sinew_clip_binding_destroy(binding);
}

// What is made of poses: mirrored, taken apart into deltas and root motion, played on another rig,
// here the same joints the other way round.
static void hash_motion(const sinew_skeleton *skeleton, const sinew_clip *clip, sinew_bind_by by)
{
    uint32_t n = sinew_skeleton_joint_count(skeleton);
    sinew_clip_binding *binding;
    must(sinew_clip_binding_create(
             &(sinew_clip_binding_desc){.clip = clip, .skeleton = skeleton, .by = by}, &binding),
         "binding");
    uint16_t *partners = take(n * sizeof *partners);
    sinew_retarget_pair *pairs = take(n * sizeof *pairs);
    for (uint32_t j = 0; j < n; j++) { // 0 with 1, 2 with 3, ...
        uint32_t other = (j ^ 1) < n ? j ^ 1 : j;
        partners[j] = (uint16_t)other;
        pairs[j].source = other;
        pairs[j].target = j;
    }
    sinew_mirror *mirror;
    sinew_mirror_desc mirror_desc = sinew_mirror_desc_default();
    mirror_desc.skeleton = skeleton;
    mirror_desc.partners = partners;
    must(sinew_mirror_create(&mirror_desc, &mirror, NULL), "mirror");
    sinew_model_frames *frames;
    sinew_model_frames_desc frames_desc = sinew_model_frames_desc_default();
    frames_desc.skeleton = skeleton;
    must(sinew_model_frames_create(&frames_desc, &frames), "model frames");
    sinew_root_motion *motion;
    sinew_root_motion_desc motion_desc = sinew_root_motion_desc_default();
    motion_desc.binding = binding;
    motion_desc.joint = (int32_t)(n - 1);
    must(sinew_root_motion_create(&motion_desc, &motion), "root motion");
    sinew_retarget *map;
    sinew_retarget_desc map_desc = sinew_retarget_desc_default();
    map_desc.source.skeleton = map_desc.target.skeleton = skeleton;
    map_desc.by = SINEW_RETARGET_BY_PAIRS;
    map_desc.pairs = pairs;
    map_desc.pair_count = n;
    map_desc.align_rest = true;
    map_desc.translations = SINEW_RETARGET_TRANSLATION_SCALED;
    must(sinew_retarget_create(&map_desc, &map, NULL), "retarget");

    size_t pose_size = sinew_pose_size(n), scratch_size = sinew_retarget_scratch_size(map);
    void *memory = take(pose_size), *other_memory = take(pose_size), *scratch = take(scratch_size);
    sinew_model_delta *deltas = take(n * sizeof *deltas);
    sinew_pose pose, other;
    must(sinew_pose_init(&pose, n, memory, pose_size), "pose");
    must(sinew_pose_init(&other, n, other_memory, pose_size), "pose");
    sinew_transform actor = sinew_transform_identity();
    double duration = sinew_clip_duration(clip), before = 0.0;
    for (int tick = 1; tick <= 20; tick++) {
        double now = duration * 0.213 * tick;
        must(sinew_clip_sample(
                 &(sinew_sample_args){.binding = binding,
                                      .time = sinew_wrap_time(now, duration, SINEW_WRAP_LOOP),
                                      .out_pose = &pose}),
             "sample");
        sinew_root_delta step;
        must(sinew_root_motion_delta(
                 &(sinew_root_motion_delta_args){
                     .motion = motion, .wrap = SINEW_WRAP_LOOP, .from = before, .to = now},
                 &step),
             "root motion");
        before = now;
        actor = sinew_root_delta_apply(&actor, &step);
        add_floats(&actor.translation.x, 3);
        add_floats(&actor.rotation.x, 4);
        must(sinew_root_motion_remove(motion, &pose, NULL), "root motion");
        must(sinew_mirror_pose(
                 &(sinew_mirror_args){.mirror = mirror, .pose = &pose, .out_pose = &pose}),
             "mirror");
        must(sinew_model_deltas_from_pose(&(sinew_model_deltas_args){
                 .frames = frames, .pose = &pose, .deltas = deltas, .delta_count = n}),
             "model deltas");
        must(sinew_retarget_pose(&(sinew_retarget_args){.map = map,
                                                        .pose = &pose,
                                                        .out_pose = &other,
                                                        .scratch = scratch,
                                                        .scratch_size = scratch_size}),
             "retarget");
        for (uint32_t j = 0; j < n; j++) {
            add_floats(&deltas[j].rotation.x, 4);
            add_floats(&deltas[j].offset.x, 3);
        }
        for (uint32_t plane = 0; plane < SINEW_PLANE_COUNT; plane++) {
            add_floats(pose.planes + (size_t)plane * pose.padded_count, n);
            add_floats(other.planes + (size_t)plane * other.padded_count, n);
        }
    }
    free(deltas);
    free(scratch);
    free(other_memory);
    free(memory);
    free(pairs);
    free(partners);
    sinew_retarget_destroy(map);
    sinew_root_motion_destroy(motion);
    sinew_model_frames_destroy(frames);
    sinew_mirror_destroy(mirror);
    sinew_clip_binding_destroy(binding);
}

// The same clip in a crowd of one skin, each instance at a time of its own and under a root of its
// own. Two of them stand at rest.
static void hash_crowd(const sinew_skeleton *skeleton, const sinew_clip *clip, sinew_bind_by by,
                       const sinew_skin *skin)
{
    enum { INSTANCES = 21 };
    uint32_t n = sinew_skeleton_joint_count(skeleton), slots = sinew_skin_joint_count(skin);
    sinew_clip_binding *binding;
    must(sinew_clip_binding_create(
             &(sinew_clip_binding_desc){.clip = clip, .skeleton = skeleton, .by = by}, &binding),
         "binding");
    size_t pose_size = sinew_pose_size(n), scratch_size = sinew_crowd_scratch_size(skin);
    char *pose_memory = take(INSTANCES * pose_size), *scratch = take(scratch_size);
    sinew_mat3x4 *palettes = take((size_t)INSTANCES * slots * sizeof *palettes), center;
    sinew_pose poses[INSTANCES];
    sinew_mat4 roots[INSTANCES];
    sinew_skin_rest rest;
    must(sinew_skin_find_rest(skin, NULL, 1.0f, &rest), "rest");
    for (uint32_t i = 0; i < INSTANCES; i++) {
        must(sinew_pose_init(&poses[i], n, pose_memory + i * pose_size, pose_size), "pose");
        must(sinew_pose_set_rest(&poses[i], skeleton), "rest pose");
        double time = sinew_clip_duration(clip) * (0.013 + 0.047 * i);
        if (i % 10 != 7)
            must(sinew_clip_sample(
                     &(sinew_sample_args){.binding = binding, .time = time, .out_pose = &poses[i]}),
                 "sample");
        roots[i] = sinew_mat4_identity();
        roots[i].m[12] = 0.7f * (float)(i % 5);
        roots[i].m[14] = -1.1f * (float)(i / 5);
    }
    for (int rooted = 0; rooted < 2; rooted++) {
        must(sinew_crowd_build_palettes(&(sinew_crowd_args){.skin = skin,
                                                            .instance_count = INSTANCES,
                                                            .poses = poses,
                                                            .roots = rooted ? roots : NULL,
                                                            .rest = &rest,
                                                            .out_palettes = palettes,
                                                            .out_count = (size_t)INSTANCES * slots,
                                                            .out_center = &center,
                                                            .scratch = scratch,
                                                            .scratch_size = scratch_size}),
             "crowd");
        add_floats(palettes[0].m, (size_t)INSTANCES * slots * 12);
        add_floats(center.m, 12);
    }
    free(palettes);
    free(scratch);
    free(pose_memory);
    sinew_clip_binding_destroy(binding);
}

// ---- The creature -----------------------------------------------------------------------------------------

// Of the mesh that is shown with a skin. Its clips animate the weights of one mesh alone.
static sinew_skin_bounds *make_bounds(const sinew_document *document, uint32_t skin)
{
    uint32_t shown = UINT32_MAX;
    for (uint32_t i = 0; i < document->instance_count; i++)
        if (document->instances[i].skin == (int32_t)skin)
            shown = i;
    sinew_skin_bounds *bounds;
    must(sinew_document_make_bounds(document, shown, NULL, &bounds, NULL), "bounds");
    return bounds;
}

static void hash_creature(void)
{
    sinew_document *document;
    must(sinew_fixture_creature(NULL, &document), "creature");
    for (uint32_t r = 0; r < document->rig_count; r++) {
        sinew_skeleton *skeleton;
        must(sinew_document_rig_skeleton(document, r, NULL, &skeleton, NULL), "skeleton");
        uint32_t skin_count = document->rigs[r].skin_count;
        sinew_skin **skins = take(skin_count * sizeof *skins);
        sinew_skin_bounds **bounds = take(skin_count * sizeof *bounds);
        for (uint32_t s = 0; s < skin_count; s++) {
            must(sinew_document_make_skin(document, document->rigs[r].skins[s], skeleton, NULL,
                                          &skins[s], NULL),
                 "skin");
            bounds[s] = make_bounds(document, document->rigs[r].skins[s]);
        }
        for (uint32_t c = 0; c < document->clip_count; c++)
            hash_actor(skeleton, document->clips[c], SINEW_BIND_BY_NODE, skins, bounds, skin_count,
                       0.0371);
        for (uint32_t s = 0; s < skin_count; s++)
            hash_crowd(skeleton, document->clips[0], SINEW_BIND_BY_NODE, skins[s]);
        for (uint32_t s = 0; s < skin_count; s++) {
            sinew_skin_bounds_destroy(bounds[s]);
            sinew_skin_destroy(skins[s]);
        }
        free(bounds);
        free(skins);
        sinew_skeleton_destroy(skeleton);
    }
    sinew_document_destroy(document);
}

// The cub and the seated figure are made by more arithmetic of their own: rigs, surfaces, and the
// latter's weights, which are a cloud's.
static void hash_figure(sinew_result (*make)(const sinew_allocator *, sinew_document **),
                        const char *name)
{
    sinew_document *document;
    must(make(NULL, &document), name);
    for (uint32_t n = 0; n < document->node_count; n++) {
        const sinew_transform *local = &document->nodes[n].local;
        add_floats(&local->translation.x, 3);
        add_floats(&local->rotation.x, 4);
    }
    for (uint32_t s = 0; s < document->skin_count; s++)
        for (uint32_t j = 0; j < document->skins[s].joint_count; j++)
            add_floats(document->skins[s].inverse_binds[j].m, 16);
    for (uint32_t m = 0; m < document->mesh_count; m++)
        for (uint32_t k = 0; k < document->meshes[m].primitive_count; k++) {
            const sinew_primitive *p = &document->meshes[m].primitives[k];
            add_floats(p->positions, 3 * (size_t)p->vertex_count);
            add_floats(p->normals, 3 * (size_t)p->vertex_count);
            add_floats(p->weights, (size_t)p->influence_count * p->vertex_count);
            for (uint32_t t = 0; t < p->target_count; t++)
                add_floats(p->targets[t].positions, 3 * (size_t)p->targets[t].count);
        }
    sinew_document_destroy(document);
}

// ---- Random skeletons -------------------------------------------------------------------------------------

static uint64_t random_state;

static uint32_t random_bits(void) // xorshift64*, S. Vigna 2016
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return (uint32_t)((random_state * 2685821657736338717u) >> 32);
}

// In [-1, 1), a multiple of 2^-23: exact in float everywhere.
static float random_signed(void)
{
    return (float)((int32_t)(random_bits() >> 8) - (1 << 23)) * (1.0f / 8388608.0f);
}

// One after the other: the order in which a call's arguments are worked out is the compiler's
// choice.
static sinew_vec3 random_vec3(void)
{
    sinew_vec3 v;
    v.x = random_signed();
    v.y = random_signed();
    v.z = random_signed();
    return v;
}

// Every solver, on limbs that end in each joint in turn; scales are as the skeleton has them.
static void hash_solvers(const sinew_skeleton *skeleton)
{
    uint32_t n = sinew_skeleton_joint_count(skeleton);
    const int32_t *parents = sinew_skeleton_parents(skeleton);
    size_t pose_size = sinew_pose_size(n);
    void *memory = take(pose_size);
    sinew_mat4 *model = take(n * sizeof *model), *inherit = take(n * sizeof *inherit);
    sinew_pose pose;
    must(sinew_pose_init(&pose, n, memory, pose_size), "pose");
    const sinew_ik_rig rig = {.skeleton = skeleton,
                              .pose = &pose,
                              .model = model,
                              .inherit = inherit,
                              .out_model = model,
                              .out_inherit = inherit,
                              .model_count = n};
    for (uint32_t end = 0; end < n; end++) {
        if (parents[end] < 0 || parents[parents[end]] < 0)
            continue;
        uint32_t mid = (uint32_t)parents[end], start = (uint32_t)parents[mid], top = start;
        while (parents[top] >= 0)
            top = (uint32_t)parents[top];
        must(sinew_pose_set_rest(&pose, skeleton), "rest pose");
        must(sinew_local_to_model(&(sinew_local_to_model_args){.skeleton = skeleton,
                                                               .pose = &pose,
                                                               .out_model = model,
                                                               .out_inherit = inherit,
                                                               .out_count = n}),
             "local to model");
        sinew_vec3 target = random_vec3(), pole = random_vec3();
        const uint32_t chain[3] = {start, mid, end};
        must(sinew_two_bone_ik(&(sinew_two_bone_ik_args){.rig = rig,
                                                         .start = start,
                                                         .mid = mid,
                                                         .end = end,
                                                         .target = target,
                                                         .pole_kind = (sinew_ik_pole)(end % 3),
                                                         .pole = pole,
                                                         .soft = end % 2 ? 0.2f : 0.0f,
                                                         .twist = end % 5 ? 0.0f : pole.x,
                                                         .weight = end % 4 ? 1.0f : 0.6f}),
             "two-bone IK");
        must(sinew_aim_chain_ik(&(sinew_aim_ik_args){.rig = rig,
                                                     .joint = end,
                                                     .target = pole,
                                                     .forward = {0.0f, 0.0f, 1.0f},
                                                     .up = {0.0f, 1.0f, 0.0f},
                                                     .max_angle = 2.0f,
                                                     .weight = 0.7f,
                                                     .chain = chain,
                                                     .chain_count = 3}),
             "aim");
        const sinew_ik_limit limits[2] = {{.axis = {1.0f, 0.5f, 0.0f}, .min = -1.0f, .max = 1.0f},
                                          {.axis = {0.0f, 1.0f, 0.0f}, .swing = 0.5f}};
        target = random_vec3();
        for (int method = 0; method < 4; method++)
            must(sinew_chain_ik(&(sinew_chain_ik_args){.rig = rig,
                                                       .start = method / 2 ? start : top,
                                                       .end = end,
                                                       .target = target,
                                                       .method = (sinew_chain_method)(method % 2),
                                                       .limits = method / 2 ? limits : NULL,
                                                       .limit_count = 2,
                                                       .iterations = 8,
                                                       .weight = 0.5f}),
                 "chain IK");
        const sinew_foot foot = {.hip = start,
                                 .knee = mid,
                                 .ankle = end,
                                 .ankle_height = 0.1f,
                                 .grounded = true,
                                 .ground_point = target,
                                 .ground_normal = {0.2f, 1.0f, -0.3f},
                                 .weight = 1.0f};
        if (parents[start] >= 0)
            must(sinew_place_feet(&(sinew_place_feet_args){.rig = rig,
                                                           .pelvis = (uint32_t)parents[start],
                                                           .feet = &foot,
                                                           .foot_count = 1,
                                                           .weight = 1.0f}),
                 "feet");
        add_floats(pose.planes, pose_size / sizeof(float));
        add_floats(model[0].m, (size_t)n * 16);
    }
    sinew_two_bone_lanes block;
    float *rows = block.start[0];
    for (size_t i = 0; i < sizeof block / sizeof *rows; i++)
        rows[i] = random_signed();
    must(sinew_two_bone_ik_batch(&block, SINEW_IK_LANES), "two-bone lanes");
    add_floats(rows, sizeof block / sizeof *rows);
    free(inherit);
    free(model);
    free(memory);
}

static void hash_random(uint64_t seed)
{
    random_state = seed * 0x9E3779B97F4A7C15u + 1;
    uint32_t n = 2 + random_bits() % 60;
    sinew_joint_desc *joints = take(n * sizeof *joints);
    sinew_scale_rule rule = (sinew_scale_rule)(seed % 3); // ACCUMULATE must be on all
    for (uint32_t i = 0; i < n; i++) {
        joints[i].parent = i == 0 || random_bits() % 16 == 0 ? -1 : (int32_t)(random_bits() % i);
        joints[i].node = (int32_t)i;
        joints[i].rest.translation = random_vec3();
        sinew_vec3 turn = random_vec3(), stretch = random_vec3(), shear = random_vec3();
        joints[i].rest.rotation = sinew_quat_make(turn.x, turn.y, turn.z, 1.5f);
        joints[i].rest.scale =
            sinew_vec3_make(1.0f + 0.5f * stretch.x, 1.0f + 0.5f * stretch.y, 1.0f);
        joints[i].scale_rule =
            rule == SINEW_SCALE_COMPENSATE && random_bits() % 2 ? SINEW_SCALE_INHERIT : rule;
        if (seed % 4 == 1)
            joints[i].shear = sinew_vec3_make(0.2f * shear.x, 0.0f, 0.1f * shear.z);
    }
    sinew_skeleton *skeleton;
    must(sinew_skeleton_create(&(sinew_skeleton_desc){.joints = joints, .joint_count = n},
                               &skeleton, NULL),
         "skeleton");

    sinew_track *tracks = take(3 * n * sizeof *tracks);
    uint32_t track_count = 0;
    for (uint32_t i = 0; i < 3 * n; i++) {
        if (random_bits() % 4 == 0)
            continue;
        sinew_track *t = &tracks[track_count++];
        t->node = (int32_t)(i / 3);
        t->property = (sinew_property)(i % 3);
        t->interpolation = (sinew_interpolation)(random_bits() % 3);
        t->component_count = t->property == SINEW_PROPERTY_ROTATION ? 4 : 3;
        t->key_count = 1 + random_bits() % 9;
        size_t values = (size_t)t->key_count * t->component_count * 3;
        float *times = take(t->key_count * sizeof *times), *keys = take(values * sizeof *keys),
              time = 0.0f;
        for (uint32_t k = 0; k < t->key_count; k++) {
            time += random_bits() % 8 == 0 ? 0.0f
                                           : 0.3f * (random_signed() + 1.0f); // now and then a jump
            times[k] = time;
        }
        for (size_t k = 0; k < values; k++)
            keys[k] = random_signed() + (t->property == SINEW_PROPERTY_SCALE ? 1.5f : 0.0f);
        t->times = times;
        t->values = keys;
    }
    sinew_clip *clip;
    must(sinew_clip_create(&(sinew_clip_desc){.tracks = tracks, .track_count = track_count}, &clip,
                           NULL),
         "clip");

    uint16_t *slots = take(n * sizeof *slots);
    sinew_mat4 *binds = take(n * sizeof *binds);
    for (uint32_t i = 0; i < n; i++) {
        slots[i] = (uint16_t)i;
        binds[i] = sinew_mat4_identity();
        sinew_mat4_inverse(&sinew_skeleton_rest_model(skeleton)[i], &binds[i]);
    }
    sinew_skin *skin;
    must(sinew_skin_create(
             &(sinew_skin_desc){
                 .skeleton = skeleton, .joints = slots, .inverse_binds = binds, .joint_count = n},
             &skin, NULL),
         "skin");
    hash_actor(skeleton, clip, SINEW_BIND_BY_NODE, &skin, NULL, 1, 0.0713);
    hash_motion(skeleton, clip, SINEW_BIND_BY_NODE);
    hash_crowd(skeleton, clip, SINEW_BIND_BY_NODE, skin);
    hash_solvers(skeleton);
    sinew_skin_destroy(skin);
    sinew_clip_destroy(clip);
    sinew_skeleton_destroy(skeleton);
    for (uint32_t i = 0; i < track_count; i++) {
        free((void *)tracks[i].times);
        free((void *)tracks[i].values);
    }
    free(binds);
    free(slots);
    free(tracks);
    free(joints);
}

static void hash_all(bool parts)
{
    hash = 14695981039346656037u;
    hashed_bytes = 0;
    hash_creature();
    if (parts)
        printf("creature %016llx\n", (unsigned long long)hash);
    hash_figure(sinew_fixture_cub, "cub");
    hash_figure(sinew_fixture_seated, "seated");
    if (parts)
        printf("cub %016llx\n", (unsigned long long)hash);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        hash_random(seed);
        if (parts)
            printf("random %llu %016llx\n", (unsigned long long)seed, (unsigned long long)hash);
    }
}

int main(int argc, char **argv)
{
    (void)argv;
    uint64_t first = 0;
    for (int isa = 0; isa < SINEW_ISA_COUNT; isa++) {
        if (!(sinew_isa_available() >> isa & 1u))
            continue;
        sinew_isa_set_mask(1u << isa);
        if (argc > 1)
            printf("%s\n", sinew_isa_name((sinew_isa)isa));
        hash_all(argc > 1);
        if (isa == SINEW_ISA_SCALAR)
            first = hash;
        if (hash != first) {
            fprintf(stderr, "%s gives %016llx, scalar code %016llx\n",
                    sinew_isa_name((sinew_isa)isa), (unsigned long long)hash,
                    (unsigned long long)first);
            return 1;
        }
    }
    printf("%016llx over %llu bytes\n", (unsigned long long)hash, (unsigned long long)hashed_bytes);
    return 0;
}
