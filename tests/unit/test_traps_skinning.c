// SPDX-License-Identifier: MIT
// Faults that other programs have shown, one test a kind, B82 to B86: what skinning gives, and
// instances. Each file is made here; what is right, and why, stands above each test. Further tests
// of a number are siblings of its file, such as other exporters write.
#include "../support/gltf_builder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (uint32_t)(sizeof(array) / sizeof *(array))
#define HALF 0.70710678f // sin 45°, cos 45°

// ---- B82 --------------------------------------------------------------------------------------------------

/// One vertex at the origin with the normal (√½, √½, 0), the tangent (√½, -√½, 0, 1) square to it.
static const float slope_normal[] = {HALF, HALF, 0}, slope_tangent[] = {HALF, -HALF, 0, 1};

typedef struct shaded {
    float position[3], normal[3], tangent[4];
} shaded;

/// Skins the vertex of the first instance with all that it has.
static shaded shade(const sinew_document *d)
{
    const sinew_instance *instance = &d->instances[0];
    const sinew_primitive *p = &d->meshes[0].primitives[0];
    sinew_skeleton *skeleton;
    shaded out;
    assert_int_equal(p->vertex_count, 1);
    assert_ok(sinew_document_skeleton(d, NULL, &skeleton, NULL));
    sinew_skin_args args = {.vertex_count = 1,
                            .positions = p->positions,
                            .normals = p->normals,
                            .tangents = p->tangents,
                            .out_positions = out.position,
                            .out_normals = out.normal,
                            .out_tangents = out.tangent,
                            .out_size = 1};
    if (instance->skinned) {
        sinew_mat3x4 palette[4], center;
        sinew_skin *skin;
        assert_ok(
            sinew_document_make_skin(d, (uint32_t)instance->skin, skeleton, NULL, &skin, NULL));
        assert_ok(sinew_palette_build(
            &(sinew_palette_args){.skin = skin,
                                  .model = sinew_skeleton_rest_model(skeleton),
                                  .model_count = sinew_skeleton_joint_count(skeleton),
                                  .rest = &instance->rest,
                                  .out_palette = palette,
                                  .out_count = COUNT_OF(palette),
                                  .out_center = &center}));
        args.palette = palette;
        args.palette_count = sinew_skin_joint_count(skin);
        args.center = &center;
        args.joints = p->joints;
        args.weights = p->weights;
        args.influence_count = p->influence_count;
        assert_ok(sinew_skin_vertices(&args));
        sinew_skin_destroy(skin);
    } else {
        int32_t joint = sinew_skeleton_joint_of_node(skeleton, (int32_t)instance->node);
        assert_ok(sinew_transform_vertices(&sinew_skeleton_rest_model(skeleton)[joint], &args));
    }
    sinew_skeleton_destroy(skeleton);
    return out;
}

/// The vertex on two joints, half each; nodes as given, the joints first. `binds`: of both, or
/// NULL.
static sinew_document *slope(const char *nodes, const float *binds)
{
    gltf_builder *b = gltf_builder_new();
    gltf_builder_floats(b, "VEC3", 1, (const float[3]){0});
    gltf_builder_floats(b, "VEC3", 1, slope_normal);
    gltf_builder_floats(b, "VEC4", 1, slope_tangent);
    gltf_builder_bytes(b, "VEC4", 1, (const uint8_t[]){0, 1, 0, 0}, NULL);
    gltf_builder_floats(b, "VEC4", 1, (const float[]){0.5f, 0.5f, 0, 0});
    gltf_builder_add(b, "'meshes': [{'primitives': [{'attributes': {'POSITION': 0, 'NORMAL': 1, "
                        "'TANGENT': 2, 'JOINTS_0': 3, 'WEIGHTS_0': 4}}]}]");
    if (binds)
        gltf_builder_floats(b, "MAT4", 2, binds);
    gltf_builder_add(b, "'skins': [{'joints': [0, 1]%s}], 'nodes': [%s]",
                     binds ? ", 'inverseBindMatrices': 5" : "", nodes);
    return gltf_builder_document(b);
}

// B82: normals turn with the inverse transpose: scale (2, 1, 1) takes (√½, √½, 0) to (√½/2, √½, 0),
// at unit length (0.44721, 0.89443, 0). Tangents take the matrix itself: (2√½, -√½, 0) is
// (0.89443, -0.44721, 0), and both are square to each other still. w changes with a mirror alone.
static void b82_normals_under_non_uniform_scale(void **state)
{
    (void)state;
    static const struct {
        const char *nodes;
        float normal[3], tangent[4];
    } cases[] = {
        // both joints
        {"{'scale': [2, 1, 1]}, {'scale': [2, 1, 1]}, {'mesh': 0, 'skin': 0}",
         {0.4472136f, 0.8944272f, 0},
         {0.8944272f, -0.4472136f, 0, 1}},
        // an ancestor that is no joint
        {"{}, {}, {'scale': [2, 1, 1], 'children': [0, 1]}, {'mesh': 0, 'skin': 0}",
         {0.4472136f, 0.8944272f, 0},
         {0.8944272f, -0.4472136f, 0, 1}},
        // no skin: the node's own matrix
        {"{}, {}, {'mesh': 0, 'scale': [2, 1, 1]}",
         {0.4472136f, 0.8944272f, 0},
         {0.8944272f, -0.4472136f, 0, 1}},
        // the blend counts: 2 and 4 halfway are 3: (1/3, 1) / √(10/9) and (3, -1) / √10
        {"{'scale': [2, 1, 1]}, {'scale': [4, 1, 1]}, {'mesh': 0, 'skin': 0}",
         {0.3162278f, 0.9486833f, 0},
         {0.9486833f, -0.3162278f, 0, 1}},
        // turned by 90° about z after the scale: (x, y) -> (-y, x)
        {"{'scale': [2, 1, 1], 'rotation': [0, 0, 0.70710678, 0.70710678]}, {'scale': [2, 1, 1], "
         "'rotation': [0, 0, 0.70710678, 0.70710678]}, {'mesh': 0, 'skin': 0}",
         {-0.8944272f, 0.4472136f, 0},
         {0.4472136f, 0.8944272f, 0, 1}},
        // scale alone, of one size: nothing turns
        {"{'scale': [50, 50, 50]}, {'scale': [50, 50, 50]}, {'mesh': 0, 'skin': 0}",
         {HALF, HALF, 0},
         {HALF, -HALF, 0, 1}},
        // a mirror: x changes its sign, w too
        {"{'scale': [-1, 1, 1]}, {'scale': [-1, 1, 1]}, {'mesh': 0, 'skin': 0}",
         {-HALF, HALF, 0},
         {-HALF, -HALF, 0, -1}},
        // all three mirrored: normals point out still, not in
        {"{'scale': [-2, -1, -1]}, {'scale': [-2, -1, -1]}, {'mesh': 0, 'skin': 0}",
         {-0.4472136f, -0.8944272f, 0},
         {-0.8944272f, 0.4472136f, 0, -1}},
        // two mirrors are a half turn: no change of w
        {"{'scale': [-1, -1, 1]}, {'scale': [-1, -1, 1]}, {'mesh': 0, 'skin': 0}",
         {-HALF, -HALF, 0},
         {-HALF, HALF, 0, 1}},
        // the mirror of a node without skin
        {"{}, {}, {'mesh': 0, 'scale': [1, -1, 1]}", {HALF, -HALF, 0}, {HALF, HALF, 0, -1}},
        // a matrix with shear, x + y/2: the inverse transpose takes (1, 1) to (1, 1/2), the matrix
        // (1, -1) to (1/2, -1)
        {"{}, {}, {'matrix': [1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], 'children': [0, "
         "1]}, {'mesh': 0, 'skin': 0}",
         {0.8944272f, 0.4472136f, 0},
         {0.4472136f, -0.8944272f, 0, 1}},
    };
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        sinew_document *d = slope(cases[i].nodes, NULL);
        shaded out = shade(d);
        assert_floats_near(out.normal, cases[i].normal, 3, 1e-6);
        assert_floats_near(out.tangent, cases[i].tangent, 4, 1e-6);
        sinew_document_destroy(d);
    }
}

// The scale is in the inverse bind matrices, as after a change of units: x by 1/2, which undoes the
// joints' 2 at rest. Normals are then as they were, but for the rounding of their length.
static void b82_scale_in_the_inverse_binds(void **state)
{
    (void)state;
    const float binds[] = {0.5f, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1,
                           0.5f, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    sinew_document *d =
        slope("{'scale': [2, 1, 1]}, {'scale': [2, 1, 1]}, {'mesh': 0, 'skin': 0}", binds);
    shaded out = shade(d);
    assert_int_equal(d->instances[0].rest.kind, SINEW_REST_IDENTITY);
    assert_floats_near(out.normal, slope_normal, 3, 1e-7);
    assert_floats_near(out.tangent, slope_tangent, 4, 1e-7);
    sinew_document_destroy(d);
    // without the joints' scale the matrices' own is left: x by 1/2: (2, 1) and (1/2, -1)
    d = slope("{}, {}, {'mesh': 0, 'skin': 0}", binds);
    out = shade(d);
    assert_floats_near(out.normal, ((const float[]){0.8944272f, 0.4472136f, 0}), 3, 1e-6);
    assert_floats_near(out.tangent, ((const float[]){0.4472136f, -0.8944272f, 0}), 3, 1e-6);
    sinew_document_destroy(d);
}

// Scales of 0 flatten a mesh: there is no inverse, but the normal of a plane is known, and where
// nothing is left the input is kept. Never a NaN.
static void b82_flattened_meshes(void **state)
{
    (void)state;
    static const struct {
        const char *scale;
        float normal[3];
    } cases[] = {
        {"[1, 0, 1]", {0, 1, 0}},       // flat in y: the cofactors are diag(0, 1, 0)
        {"[0, 1, 1]", {1, 0, 0}},       // flat in x
        {"[1, 1, 0]", {HALF, HALF, 0}}, // flat in z, which the normal has nothing of: kept
        {"[0, 0, 0]", {HALF, HALF, 0}}, {"[0, 0, 1]", {HALF, HALF, 0}},
    };
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        char nodes[256];
        snprintf(nodes, sizeof nodes, "{'scale': %s}, {'scale': %s}, {'mesh': 0, 'skin': 0}",
                 cases[i].scale, cases[i].scale);
        sinew_document *d = slope(nodes, NULL);
        shaded out = shade(d);
        assert_floats_near(out.normal, cases[i].normal, 3, 1e-6);
        assert_near(out.tangent[0] * out.tangent[0] + out.tangent[1] * out.tangent[1] +
                        out.tangent[2] * out.tangent[2],
                    1, 1e-6);
        sinew_document_destroy(d);
    }
}

// ---- B85 --------------------------------------------------------------------------------------------------

/// What one figure owns; everything else is shared.
typedef struct figure {
    void *memory, *context_memory;
    sinew_clip_context *context;
    sinew_pose pose;
    sinew_playhead playhead;
    sinew_mat4 model[4];
    float out[3];
} figure;

/// The assets of one walking joint: x = t over 1 s.
typedef struct walk {
    sinew_document *document;
    sinew_skeleton *skeleton;
    sinew_skin *skin;
    sinew_clip_binding *binding;
} walk;

static walk walk_make(void)
{
    walk w;
    gltf_builder *b = gltf_builder_new();
    gltf_builder_rigid_mesh(b, 1, (const float[]){0, 5, 0});
    gltf_builder_add(b, "'nodes': [{}, {'mesh': 0, 'skin': 0}], 'skins': [{'joints': [0]}]");
    gltf_builder_clips(b,
                       &(gltf_keys){.path = "translation",
                                    .key_count = 3,
                                    .times = (const float[]){0, 0.5f, 1},
                                    .values = (const float[]){0, 0, 0, 0.5f, 0, 0, 1, 0, 0}},
                       1);
    w.document = gltf_builder_document(b);
    assert_ok(sinew_document_rig_skeleton(w.document, 0, NULL, &w.skeleton, NULL));
    assert_ok(sinew_document_make_skin(w.document, 0, w.skeleton, NULL, &w.skin, NULL));
    assert_ok(sinew_clip_binding_create(
        &(sinew_clip_binding_desc){.clip = w.document->clips[0], .skeleton = w.skeleton},
        &w.binding));
    return w;
}

static void walk_free(walk *w)
{
    sinew_clip_binding_destroy(w->binding);
    sinew_skin_destroy(w->skin);
    sinew_skeleton_destroy(w->skeleton);
    sinew_document_destroy(w->document);
}

static void figure_make(figure *f, const walk *w, double phase)
{
    size_t size = sinew_pose_size(1), room = sinew_clip_context_size(w->binding);
    f->memory = test_block(size);
    f->context_memory = test_block(room);
    assert_ok(sinew_pose_init(&f->pose, 1, f->memory, size));
    assert_ok(sinew_clip_context_init(f->context_memory, room, &f->context));
    sinew_playhead_init(&f->playhead, sinew_clip_duration(w->document->clips[0]), SINEW_WRAP_LOOP,
                        1, phase);
}

static void figure_free(figure *f)
{
    test_block_free(f->memory);
    test_block_free(f->context_memory);
}

static void figure_pose(figure *f, const walk *w)
{
    assert_ok(sinew_clip_sample(&(sinew_sample_args){.binding = w->binding,
                                                     .time = f->playhead.time,
                                                     .context = f->context,
                                                     .out_pose = &f->pose}));
    assert_ok(sinew_local_to_model(&(sinew_local_to_model_args){
        .skeleton = w->skeleton, .pose = &f->pose, .out_model = f->model, .out_count = 4}));
}

static void figure_skin(figure *f, const walk *w)
{
    const sinew_primitive *p = &w->document->meshes[0].primitives[0];
    sinew_mat3x4 palette[1], center;
    assert_ok(sinew_palette_build(&(sinew_palette_args){.skin = w->skin,
                                                        .model = f->model,
                                                        .model_count = 1,
                                                        .rest = &w->document->instances[0].rest,
                                                        .out_palette = palette,
                                                        .out_count = 1,
                                                        .out_center = &center}));
    assert_ok(sinew_skin_vertices(&(sinew_skin_args){.palette = palette,
                                                     .palette_count = 1,
                                                     .center = &center,
                                                     .joints = p->joints,
                                                     .weights = p->weights,
                                                     .influence_count = p->influence_count,
                                                     .vertex_count = 1,
                                                     .positions = p->positions,
                                                     .out_positions = f->out,
                                                     .out_size = 1}));
}

/// A sum over all that is shared, to see that nobody writes there.
static uint32_t sum_of_assets(const walk *w)
{
    const sinew_track *track = sinew_clip_tracks(w->document->clips[0]);
    const struct {
        const void *bytes;
        size_t size;
    } parts[] = {{track->times, 3 * sizeof(float)},
                 {track->values, 9 * sizeof(float)},
                 {sinew_skeleton_rest(w->skeleton), sizeof(sinew_transform)},
                 {sinew_skeleton_rest_model(w->skeleton), sizeof(sinew_mat4)},
                 {sinew_skin_inverse_binds(w->skin), sizeof(sinew_mat4)},
                 {w->document->meshes[0].primitives[0].positions, 3 * sizeof(float)}};
    uint32_t sum = 2166136261u; // FNV-1a
    for (uint32_t i = 0; i < COUNT_OF(parts); i++)
        for (size_t k = 0; k < parts[i].size; k++)
            sum = (sum ^ ((const uint8_t *)parts[i].bytes)[k]) * 16777619u;
    return sum;
}

// B85: one asset, two players at phases 0 and 0.5, both posed and then both skinned in one tick of
// 1/64 s: each is where its own clock says, and the shared assets keep every bit.
static void b85_two_instances_of_one_asset(void **state)
{
    (void)state;
    walk w = walk_make();
    figure figures[2];
    uint32_t before = sum_of_assets(&w);
    for (int i = 0; i < 2; i++)
        figure_make(&figures[i], &w, 0.5 * i);
    for (int tick = 1; tick <= 200; tick++) {
        for (int i = 0; i < 2; i++)
            sinew_playhead_advance(&figures[i].playhead, 1.0 / 64);
        for (int i = 0; i < 2; i++)
            figure_pose(&figures[i], &w);
        for (int i = 0; i < 2; i++)
            figure_skin(&figures[i], &w);
        for (int i = 0; i < 2; i++) {
            double x = fmod(tick / 64.0 + 0.5 * i, 1);
            assert_floats_near(figures[i].out, ((const float[]){(float)x, 5, 0}), 3, 1e-6);
        }
    }
    assert_int_equal(sum_of_assets(&w), before);
    for (int i = 0; i < 2; i++)
        figure_free(&figures[i]);
    walk_free(&w);
}

// A context is one actor's memory, but answers never depend on it: lent to another actor in every
// second tick, it changes nothing.
static void b85_contexts_lent_to_another(void **state)
{
    (void)state;
    walk w = walk_make();
    figure figures[2];
    for (int i = 0; i < 2; i++)
        figure_make(&figures[i], &w, 0.5 * i);
    for (int tick = 1; tick <= 200; tick++) {
        sinew_clip_context *lent = figures[0].context;
        figures[0].context = figures[1].context;
        figures[1].context = lent;
        for (int i = 0; i < 2; i++) {
            sinew_playhead_advance(&figures[i].playhead, 1.0 / 64);
            figure_pose(&figures[i], &w);
            figure_skin(&figures[i], &w);
            double x = fmod(tick / 64.0 + 0.5 * i, 1);
            assert_near(figures[i].out[0], x, 1e-6);
        }
    }
    for (int i = 0; i < 2; i++)
        figure_free(&figures[i]);
    walk_free(&w);
}

// ---- B86 --------------------------------------------------------------------------------------------------

/// Mesh 0 has joints and weights, 1 has none, 2 has one primitive of each kind. Skin 0 has a joint,
/// node 0 at (0, 3, 0); skin 1 has none. Node 1 is the one that shows, at (7, 0, 0).
static gltf_builder *pair_of(int32_t mesh, int32_t skin)
{
    gltf_builder *b = gltf_builder_new();
    char shown[64] = "";
    gltf_builder_floats(b, "VEC3", 1, (const float[]){1, 0, 0});
    gltf_builder_bytes(b, "VEC4", 1, (const uint8_t[4]){0}, NULL);
    gltf_builder_floats(b, "VEC4", 1, (const float[]){1, 0, 0, 0});
    static const char with[] = "{'attributes': {'POSITION': 0, 'JOINTS_0': 1, 'WEIGHTS_0': 2}}",
                      without[] = "{'attributes': {'POSITION': 0}}";
    gltf_builder_add(b,
                     "'meshes': [{'primitives': [%s]}, {'primitives': [%s]}, {'primitives': "
                     "[%s, %s]}]",
                     with, without, with, without);
    if (mesh >= 0)
        snprintf(shown, sizeof shown, ", 'mesh': %d", mesh);
    if (skin >= 0)
        snprintf(shown + strlen(shown), sizeof shown - strlen(shown), ", 'skin': %d", skin);
    gltf_builder_add(b,
                     "'skins': [{'joints': [0]}, {'joints': []}], 'nodes': [{'translation': [0, "
                     "3, 0]}, {'translation': [7, 0, 0]%s}]",
                     shown);
    return b;
}

/// Where vertex 0 of a primitive is drawn: by the skin where it has influences and the instance is
/// skinned, else rigidly with its node.
static sinew_vec3 drawn(const sinew_document *d, uint32_t primitive)
{
    const sinew_instance *instance = &d->instances[0];
    const sinew_primitive *p = &d->meshes[instance->mesh].primitives[primitive];
    float out[3];
    if (instance->skinned && p->influence_count) {
        float *skinned = gltf_skinned(d, 0, primitive, -1, 0);
        memcpy(out, skinned, sizeof out);
        free(skinned);
    } else {
        sinew_mat4 *world = gltf_pose(d, -1, 0);
        assert_ok(sinew_transform_vertices(&world[instance->node],
                                           &(sinew_skin_args){.vertex_count = 1,
                                                              .positions = p->positions,
                                                              .out_positions = out,
                                                              .out_size = 1}));
        free(world);
    }
    return sinew_vec3_make(out[0], out[1], out[2]);
}

// B86: every pair of mesh (none, with joints, without, one primitive of each) and skin (none, one,
// one without joints). With influences but no skin: drawn rigidly with the node, an info. With a
// skin but no influences: a warning, drawn unskinned; so is the one primitive of two. With a skin
// and no mesh: a warning, nothing is drawn. A skin without joints moves nothing.
static void b86_meshes_and_skins_that_do_not_belong(void **state)
{
    (void)state;
    enum { EMPTY = 1, INFLUENCES = 2, SKIN = 4, MESH = 8 };
    static const struct {
        int32_t mesh, skin;
        int found; // EMPTY is there always, for the skin itself
        bool shown, skinned;
    } pairs[] = {
        {-1, -1, 0, false, false},        {-1, 0, MESH, false, false}, {-1, 1, MESH, false, false},
        {0, -1, INFLUENCES, true, false}, {0, 0, 0, true, true},       {0, 1, 0, true, false},
        {1, -1, 0, true, false},          {1, 0, SKIN, true, false},   {1, 1, SKIN, true, false},
        {2, -1, INFLUENCES, true, false}, {2, 0, SKIN, true, true},    {2, 1, SKIN, true, false},
    };
    for (uint32_t i = 0; i < COUNT_OF(pairs); i++) {
        sinew_document *d = gltf_builder_document(pair_of(pairs[i].mesh, pairs[i].skin));
        assert_int_equal(gltf_find(d, SINEW_SKIN_EMPTY, "skins[1]")->count, 1);
        static const struct {
            int bit;
            sinew_result code;
            sinew_severity severity;
        } kinds[] = {
            {INFLUENCES, SINEW_INFLUENCES_WITHOUT_SKIN, SINEW_SEVERITY_INFO},
            {SKIN, SINEW_SKIN_WITHOUT_INFLUENCES, SINEW_SEVERITY_WARNING},
            {MESH, SINEW_SKIN_WITHOUT_MESH, SINEW_SEVERITY_WARNING},
        };
        uint32_t count = 1;
        for (uint32_t k = 0; k < COUNT_OF(kinds); k++) {
            const sinew_finding *finding = gltf_find(d, kinds[k].code, "nodes[1]");
            if ((finding != NULL) != !!(pairs[i].found & kinds[k].bit))
                print_error("mesh %d, skin %d\n", pairs[i].mesh, pairs[i].skin);
            assert_int_equal(finding != NULL, !!(pairs[i].found & kinds[k].bit));
            if (finding) {
                assert_int_equal(finding->severity, kinds[k].severity);
                assert_int_equal(finding->count, 1);
                count++;
            }
        }
        assert_int_equal(d->finding_count, count);
        assert_int_equal(d->instance_count, pairs[i].shown);
        if (pairs[i].shown) {
            assert_int_equal(d->instances[0].skinned, pairs[i].skinned);
            // by the joint, or by the node
            sinew_vec3 first = drawn(d, 0);
            if (pairs[i].skinned)
                assert_vec3_near(first, 1, 3, 0, 0);
            else
                assert_vec3_near(first, 8, 0, 0, 0);
            if (pairs[i].mesh == 2)
                assert_vec3_near(drawn(d, 1), 8, 0, 0, 0);
        }
        sinew_document_destroy(d);
    }
}

// One mesh, shown by a node with a skin and by one without: each is drawn as it says, and the info
// is about the second alone.
static void b86_one_mesh_with_and_without_a_skin(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_new();
    gltf_builder_rigid_mesh(b, 1, (const float[]){1, 0, 0});
    gltf_builder_add(b,
                     "'skins': [{'joints': [0]}], 'nodes': [{'translation': [0, 3, 0]}, {'mesh': "
                     "0, 'skin': 0}, {'mesh': 0, 'translation': [7, 0, 0]}]");
    sinew_document *d = gltf_builder_repaired(b, SINEW_INFLUENCES_WITHOUT_SKIN, "nodes[2]", 1);
    assert_int_equal(d->finding_count, 1);
    assert_int_equal(d->instance_count, 2);
    assert_true(d->instances[0].skinned);
    assert_false(d->instances[1].skinned);
    assert_vec3_near(drawn(d, 0), 1, 3, 0, 0);
    sinew_document_destroy(d);
}

// Indices that name no skin, joint or node are errors with their place.
static void b86_indices_of_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *members, *path;
    } faults[] = {
        {"'nodes': [{'skin': 0}]", "nodes[0].skin"},
        {"'nodes': [{'mesh': 0, 'skin': 1}], 'skins': [{'joints': [0]}]", "nodes[0].mesh"},
        {"'nodes': [{}], 'skins': [{'joints': [0, 1]}]", "skins[0].joints[1]"},
        {"'nodes': [{}], 'skins': [{'joints': [0], 'skeleton': 1}]", "skins[0].skeleton"},
    };
    for (uint32_t i = 0; i < COUNT_OF(faults); i++) {
        gltf_builder *b = gltf_builder_new();
        gltf_builder_add(b, "%s", faults[i].members);
        gltf_builder_refused(b, SINEW_ERROR_INDEX_RANGE, faults[i].path, NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(b82_normals_under_non_uniform_scale),
        cmocka_unit_test(b82_scale_in_the_inverse_binds),
        cmocka_unit_test(b82_flattened_meshes),
        cmocka_unit_test(b85_two_instances_of_one_asset),
        cmocka_unit_test(b85_contexts_lent_to_another),
        cmocka_unit_test(b86_meshes_and_skins_that_do_not_belong),
        cmocka_unit_test(b86_one_mesh_with_and_without_a_skin),
        cmocka_unit_test(b86_indices_of_nothing),
    };
    return TEST_RUN(tests);
}
