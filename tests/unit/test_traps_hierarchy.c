// SPDX-License-Identifier: MIT
// Faults that other programs have shown, one test a kind, B01 to B23: hierarchies and skins of
// glTF files. Each file is made here; what is right, and why, stands above each test. Further
// tests of a number are siblings of its file, such as other exporters write.
#include "../support/gltf_builder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (uint32_t)(sizeof(array) / sizeof *(array))
#define HALF 0.70710678f // sin 45°, cos 45°

static void assert_vertex(const float *positions, uint32_t i, double x, double y, double z)
{
    assert_vec3_near(sinew_vec3_make(positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]),
                     x, y, z, 1e-6);
}

/// All vertices of an instance against [count][3].
static void assert_skinned(const sinew_document *d, uint32_t instance, int32_t clip, double time,
                           uint32_t count, const float *expected, double tolerance)
{
    float *out = gltf_skinned(d, instance, 0, clip, time);
    assert_floats_near(out, expected, (size_t)count * 3, tolerance);
    free(out);
}

/// One key at 0, which holds for all time.
static void add_constant(gltf_builder *b, uint32_t node, const char *path, const float *value)
{
    static const float zero = 0;
    gltf_builder_clips(
        b,
        &(gltf_keys){.node = node, .path = path, .key_count = 1, .times = &zero, .values = value},
        1);
}

static double determinant(const float *m)
{
    return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[4] * (m[1] * m[10] - m[2] * m[9]) +
           m[8] * (m[1] * m[6] - m[2] * m[5]);
}

// ---- B01 --------------------------------------------------------------------------------------------------

// B01: the order of `joints` says what JOINTS_n and the matrices index, no more; parents follow
// from the nodes. A, B, C each (0, 1, 0) above its parent: C stands at (0, 3, 0).
static void b01_joints_listed_child_before_parent(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_of("'nodes': [{'translation': [0, 1, 0], 'children': [1]}, "
                                      "{'translation': [0, 1, 0], 'children': [2]}, "
                                      "{'translation': [0, 1, 0]}, {'mesh': 0, 'skin': 0}]");
    float binds[48];
    gltf_put_move(binds, 0, -3, 0), gltf_put_move(binds + 16, 0, -1, 0),
        gltf_put_move(binds + 32, 0, -2, 0);
    const float positions[] = {1, 3, 0, 1, 1, 0, 1, 2, 0};
    gltf_builder_rigid_mesh(b, 3, positions);
    uint32_t ibm = gltf_builder_floats(b, "MAT4", 3, binds);
    gltf_builder_add(b, "'skins': [{'joints': [2, 0, 1], 'inverseBindMatrices': %u}]", ibm);
    // B turned by 90° about z: around its own origin (0, 2, 0), with C on it
    add_constant(b, 1, "rotation", (const float[]){0, 0, HALF, HALF});
    sinew_document *d = gltf_builder_document(b);
    assert_int_equal(d->nodes[2].parent, 1);
    assert_vec3_near(gltf_node_position(d, -1, 0, 2), 0, 3, 0, 0);
    assert_true(d->skins[0].has_inverse_binds);
    assert_int_equal(d->skins[0].joints[0], 2); // the file's order stays
    assert_int_equal(d->instances[0].rest.kind, SINEW_REST_IDENTITY);
    assert_skinned(d, 0, -1, 0, 3, positions, 0); // at rest nothing moves
    // C's vertex is (1, 1) from B's origin: (-1, 1); A's stays; B's is (1, 0): (0, 1)
    assert_skinned(d, 0, 0, 0, 3, (const float[]){-1, 3, 0, 1, 1, 0, 0, 3, 0}, 1e-6);
    sinew_document_destroy(d);
}

// The nodes themselves stand child before parent, a hundred deep, and the joints with them: node i
// hangs under node i + 1, each (0, 1, 0) above the other, so that node i stands at 100 - i.
static void b01_deep_chain_reversed(void **state)
{
    (void)state;
    enum { DEEP = 100 };
    char nodes[DEEP * 64] = "", joints[DEEP * 4] = "";
    float zeros[DEEP * 3] = {0};
    size_t used = 0, listed = 0;
    for (int i = 0; i < DEEP; i++) {
        used += (size_t)snprintf(nodes + used, sizeof nodes - used, "{'translation': [0, 1, 0]");
        if (i)
            used +=
                (size_t)snprintf(nodes + used, sizeof nodes - used, ", 'children': [%d]", i - 1);
        used += (size_t)snprintf(nodes + used, sizeof nodes - used, "}, ");
        listed +=
            (size_t)snprintf(joints + listed, sizeof joints - listed, "%s%d", i ? ", " : "", i);
    }
    gltf_builder *b = gltf_builder_new();
    gltf_builder_rigid_mesh(b, DEEP, zeros);
    gltf_builder_add(b, "'skins': [{'joints': [%s]}], 'nodes': [%s{'mesh': 0, 'skin': 0}]", joints,
                     nodes);
    sinew_document *d = gltf_builder_document(b);
    float *out = gltf_skinned(d, 0, 0, -1, 0);
    for (int i = 0; i < DEEP; i++)
        assert_same(out[3 * i + 1], DEEP - i);
    free(out);
    sinew_document_destroy(d);
}

// Two roots whose subtrees alternate in the file, below one node that is no joint.
static void b01_several_roots_interleaved(void **state)
{
    (void)state;
    gltf_builder *b =
        gltf_builder_of("'nodes': [{'translation': [0, 0, 1]}, {'translation': [0, 0, 2]}, "
                        "{'translation': [1, 0, 0], 'children': [1]}, "
                        "{'translation': [0, 1, 0], 'children': [0]}, {'children': [2, 3]}, "
                        "{'mesh': 0, 'skin': 0}], 'skins': [{'joints': [0, 2, 1, 3]}]");
    gltf_builder_rigid_mesh(b, 4, (const float[12]){0});
    sinew_document *d = gltf_builder_document(b);
    assert_skinned(d, 0, -1, 0, 4, (const float[]){0, 1, 1, 1, 0, 0, 1, 0, 2, 0, 1, 0}, 0);
    // the rig's skeleton lists parents first and knows which joint each slot is
    sinew_skeleton *skeleton;
    sinew_skin *skin;
    assert_ok(sinew_document_rig_skeleton(d, 0, NULL, &skeleton, NULL));
    const int32_t *parents = sinew_skeleton_parents(skeleton);
    for (uint32_t j = 0; j < sinew_skeleton_joint_count(skeleton); j++)
        assert_true(parents[j] < (int32_t)j);
    assert_ok(sinew_document_make_skin(d, 0, skeleton, NULL, &skin, NULL));
    for (uint32_t slot = 0; slot < 4; slot++)
        assert_int_equal(sinew_skeleton_nodes(skeleton)[sinew_skin_joints(skin)[slot]],
                         d->skins[0].joints[slot]);
    sinew_skin_destroy(skin);
    sinew_skeleton_destroy(skeleton);
    sinew_document_destroy(d);
}

// The same joints in opposite orders: slot 0 of one skin is slot 1 of the other.
static void b01_two_skins_in_opposite_orders(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_of(
        "'nodes': [{'translation': [1, 0, 0], 'children': [1]}, "
        "{'translation': [0, 2, 0]}, {'mesh': 0, 'skin': 0}, {'mesh': 0, 'skin': 1}], "
        "'skins': [{'joints': [0, 1]}, {'joints': [1, 0]}]");
    gltf_builder_rigid_mesh(b, 2, (const float[6]){0});
    sinew_document *d = gltf_builder_document(b);
    assert_int_equal(d->rig_count, 1);
    assert_skinned(d, 0, -1, 0, 2, (const float[]){1, 0, 0, 1, 2, 0}, 0);
    assert_skinned(d, 1, -1, 0, 2, (const float[]){1, 2, 0, 1, 0, 0}, 0);
    sinew_document_destroy(d);
}

// A joint listed twice, with two matrices, is two slots of one joint. glTF forbids it (joints are
// unique items), but each slot means what it says.
static void b01_a_joint_listed_twice(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_of("'nodes': [{'translation': [1, 0, 0], 'children': [1]}, "
                                      "{'translation': [0, 2, 0]}, {'mesh': 0, 'skin': 0}]");
    float binds[48];
    gltf_put_move(binds, 0, 0, 1), gltf_put_move(binds + 16, 0, 0, 2),
        gltf_put_move(binds + 32, 0, 0, 3);
    gltf_builder_rigid_mesh(b, 3, (const float[9]){0});
    uint32_t ibm = gltf_builder_floats(b, "MAT4", 3, binds);
    gltf_builder_add(b, "'skins': [{'joints': [0, 1, 0], 'inverseBindMatrices': %u}]", ibm);
    sinew_document *d = gltf_builder_forbidden(b, "skins[0].joints");
    assert_int_equal(d->rigs[0].node_count, 2);
    assert_skinned(d, 0, -1, 0, 3, (const float[]){1, 0, 1, 1, 2, 2, 1, 0, 3}, 0);
    sinew_document_destroy(d);
}

// ---- B02, B03 ---------------------------------------------------------------------------------------------

// B02: without `inverseBindMatrices` each of them is the identity (glTF 2.0, "Skins"), not an
// inverse made up from the rest pose: (1, 0, 0) on J1, which rests at (0, 1, 0), is at (1, 1, 0).
static void b02_skin_without_inverse_binds(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_of("'nodes': [{'children': [1]}, {'translation': [0, 1, 0]}, "
                                      "{'mesh': 0, 'skin': 0}], 'skins': [{'joints': [0, 1]}]");
    gltf_builder_rigid_mesh(b, 2, (const float[]){1, 0, 0, 1, 0, 0});
    sinew_document *d = gltf_builder_document(b);
    assert_int_equal(d->finding_count, 0); // nothing is wrong with it
    assert_false(d->skins[0].has_inverse_binds);
    const sinew_mat4 unit = sinew_mat4_identity();
    for (uint32_t k = 0; k < 2; k++)
        assert_mat4_near(&d->skins[0].inverse_binds[k], &unit, 0);
    assert_int_equal(d->instances[0].rest.kind, SINEW_REST_NO); // the joints disagree
    assert_skinned(d, 0, -1, 0, 2, (const float[]){1, 0, 0, 1, 1, 0}, 0);
    sinew_document_destroy(d);
}

// Beside a skin that has them, on the same joints.
static void b02_beside_a_skin_that_has_them(void **state)
{
    (void)state;
    gltf_builder *b =
        gltf_builder_of("'nodes': [{'translation': [0, 1, 0]}, {'mesh': 0, 'skin': 0}, "
                        "{'mesh': 0, 'skin': 1}, {'mesh': 0, 'skin': 2}]");
    float bind[16];
    gltf_put_move(bind, 0, -1, 0);
    gltf_builder_rigid_mesh(b, 1, (const float[]){1, 0, 0});
    uint32_t ibm = gltf_builder_floats(b, "MAT4", 1, bind);
    gltf_builder_add(b,
                     "'skins': [{'joints': [0]}, {'joints': [0], 'inverseBindMatrices': %u}, "
                     "{'joints': [0]}]",
                     ibm);
    sinew_document *d = gltf_builder_document(b);
    assert_skinned(d, 0, -1, 0, 1, (const float[]){1, 1, 0}, 0);
    assert_skinned(d, 1, -1, 0, 1, (const float[]){1, 0, 0}, 0);
    assert_skinned(d, 2, -1, 0, 1, (const float[]){1, 1, 0}, 0);
    sinew_document_destroy(d);
}

// B03: three joints and two matrices break the format. The third is the identity, a finding says
// so, and the next skin keeps its place and its own matrices.
static void b03_fewer_inverse_binds_than_joints(void **state)
{
    (void)state;
    gltf_builder *b =
        gltf_builder_of("'nodes': [{'children': [1]}, {'children': [2]}, {}, {'mesh': 0, "
                        "'skin': 0}, {'mesh': 0, 'skin': 1}]");
    float binds[48];
    gltf_put_move(binds, 1, 0, 0), gltf_put_move(binds + 16, 2, 0, 0),
        gltf_put_move(binds + 32, 3, 0, 0);
    gltf_builder_rigid_mesh(b, 3, (const float[9]){0});
    uint32_t two = gltf_builder_floats(b, "MAT4", 2, binds),
             three = gltf_builder_floats(b, "MAT4", 3, binds);
    gltf_builder_add(b,
                     "'skins': [{'joints': [0, 1, 2], 'inverseBindMatrices': %u}, {'joints': [0, "
                     "1, 2], 'inverseBindMatrices': %u}]",
                     two, three);
    sinew_document *d =
        gltf_builder_repaired(b, SINEW_INVERSE_BINDS_MISSING, "skins[0].inverseBindMatrices", 1);
    assert_int_equal(gltf_count(d, SINEW_INVERSE_BINDS_MISSING), 1);
    assert_int_equal(d->skin_count, 2);
    assert_skinned(d, 0, -1, 0, 3, (const float[]){1, 0, 0, 2, 0, 0, 0, 0, 0}, 0);
    assert_skinned(d, 1, -1, 0, 3, (const float[]){1, 0, 0, 2, 0, 0, 3, 0, 0}, 0);
    sinew_document_destroy(d);
}

// None at all, at the end of the buffer: all three are identities, nothing is read.
static void b03_no_matrix_in_the_accessor(void **state)
{
    (void)state;
    gltf_builder *b =
        gltf_builder_of("'nodes': [{'translation': [0, 1, 0]}, {'translation': [0, 2, "
                        "0]}, {'children': [0, 1]}, {'mesh': 0, 'skin': 0}]");
    gltf_builder_rigid_mesh(b, 3, (const float[9]){0});
    uint32_t view = gltf_builder_view(b, NULL, 0, 0);
    uint32_t none = gltf_builder_accessor(b, (int32_t)view, 0, 5126, "MAT4", 0, NULL);
    gltf_builder_add(b, "'skins': [{'joints': [2, 1, 0], 'inverseBindMatrices': %u}]", none);
    sinew_document *d = gltf_builder_document(b); // `strict` meets the empty view first
    assert_int_equal(
        gltf_find(d, SINEW_INVERSE_BINDS_MISSING, "skins[0].inverseBindMatrices")->count, 3);
    assert_skinned(d, 0, -1, 0, 3, (const float[]){0, 0, 0, 0, 2, 0, 0, 1, 0}, 0);
    sinew_document_destroy(d);
}

// More matrices than joints are allowed (glTF 2.0: at least as many), and the first ones count.
static void b03_more_matrices_than_joints(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_of("'nodes': [{}, {'mesh': 0, 'skin': 0}]");
    float binds[48];
    gltf_put_move(binds, 1, 0, 0), gltf_put_move(binds + 16, 2, 0, 0),
        gltf_put_move(binds + 32, 3, 0, 0);
    gltf_builder_rigid_mesh(b, 1, (const float[3]){0});
    uint32_t ibm = gltf_builder_floats(b, "MAT4", 3, binds);
    gltf_builder_add(b, "'skins': [{'joints': [0], 'inverseBindMatrices': %u}]", ibm);
    sinew_document *d = gltf_builder_document(b);
    assert_int_equal(d->finding_count, 0);
    assert_skinned(d, 0, -1, 0, 1, (const float[]){1, 0, 0}, 0);
    sinew_document_destroy(d);
}

// An accessor without a bufferView is zeros (glTF 2.0, "Accessors"), and zeros are what the file
// says: every vertex falls onto its joint's origin. With sparse values one of them is a matrix.
static void b03_matrices_without_a_buffer_view(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_of("'nodes': [{'translation': [0, 5, 0], 'children': [1]}, "
                                      "{'translation': [0, 1, 0]}, {'mesh': 0, 'skin': 0}]");
    float bind[16];
    char sparse[256];
    gltf_put_move(bind, 1, 2, 3);
    gltf_builder_rigid_mesh(b, 2, (const float[]){7, 8, 9, 7, 8, 9});
    uint32_t at = gltf_builder_view(b, (const uint8_t[]){1}, 1, 0),
             by = gltf_builder_view(b, bind, sizeof bind, 0);
    snprintf(sparse, sizeof sparse,
             ", 'sparse': {'count': 1, 'indices': {'bufferView': %u, 'componentType': 5121}, "
             "'values': {'bufferView': %u}}",
             at, by);
    uint32_t ibm = gltf_builder_accessor(b, -1, 0, 5126, "MAT4", 2, sparse);
    gltf_builder_add(b, "'skins': [{'joints': [0, 1], 'inverseBindMatrices': %u}]", ibm);
    sinew_document *d = gltf_builder_document(b);
    // slot 1: (7, 8, 9) + (1, 2, 3) + (0, 6, 0)
    assert_skinned(d, 0, -1, 0, 2, (const float[]){0, 5, 0, 8, 16, 12}, 0);
    sinew_document_destroy(d);
}

// The last row of a matrix must be 0 0 0 1, of inverse binds and of nodes: another one has no
// meaning, and is taken for that.
static void b03_last_rows_have_no_meaning(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_of("'nodes': [{}, {'mesh': 0, 'skin': 0}]");
    const float bind[] = {1, 0, 0, 5, 0, 1, 0, 6, 0, 0, 1, 7, 1, 2, 3, 8};
    gltf_builder_rigid_mesh(b, 1, (const float[]){1, 1, 1});
    uint32_t ibm = gltf_builder_floats(b, "MAT4", 1, bind);
    gltf_builder_add(b, "'skins': [{'joints': [0], 'inverseBindMatrices': %u}]", ibm);
    sinew_document *d = gltf_builder_forbidden(b, "skins[0].inverseBindMatrices");
    assert_skinned(d, 0, -1, 0, 1, (const float[]){2, 3, 4}, 0);
    sinew_document_destroy(d);
    // 0.99999994 is how an inverse in floats is rounded: not a word, in either mode
    b = gltf_builder_of("'nodes': [{}], 'skins': [{'joints': [0], 'inverseBindMatrices': 0}]");
    gltf_builder_floats(b, "MAT4", 1,
                        (const float[]){1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 2, 3, 0.99999994f});
    const char *text = gltf_builder_text(b);
    sinew_import_desc desc = sinew_import_desc_default();
    desc.strict = true;
    assert_ok(sinew_gltf_read(text, strlen(text), &desc, &d, NULL));
    assert_int_equal(d->finding_count, 0);
    sinew_document_destroy(d);
    gltf_builder_free(b);
    d = gltf_builder_forbidden(
        gltf_builder_of("'nodes': [{'matrix': [1, 0, 0, 5, 0, 1, 0, 6, 0, 0, 1, 7, 1, 2, 3, 8]}]"),
        "nodes[0].matrix");
    assert_vec3_near(gltf_node_position(d, -1, 0, 0), 1, 2, 3, 0);
    assert_vec3_near(d->nodes[0].local.scale, 1, 1, 1, 0);
    sinew_document_destroy(d);
}

// What cannot be read is an error at its place, never a read past the end.
static void b03_matrices_past_the_buffer(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        gltf_builder *b = gltf_builder_of("'nodes': [{}, {}, {}]");
        float binds[32] = {0};
        uint32_t view = gltf_builder_view(b, binds, sizeof binds, 0);
        // three matrices of a view that holds two; two of them from byte 4 on; the same as bytes
        gltf_builder_accessor(b, (int32_t)view, k == 1 ? 4 : 0, k == 2 ? 5121 : 5126, "MAT4",
                              k == 0 ? 3 : 2, NULL);
        gltf_builder_add(b, "'skins': [{'joints': [0, 1, 2], 'inverseBindMatrices': 0}]");
        gltf_builder_refused(b, k == 2 ? SINEW_ERROR_INVALID_VALUE : SINEW_ERROR_BUFFER_RANGE,
                             k == 2 ? "skins[0].inverseBindMatrices" : "accessors[0]", NULL);
    }
    gltf_builder_refused(
        gltf_builder_of("'nodes': [{}], 'skins': [{'joints': [0], 'inverseBindMatrices': 4}]"),
        SINEW_ERROR_INDEX_RANGE, "skins[0].inverseBindMatrices", NULL);
}

// ---- B05, B06 ---------------------------------------------------------------------------------------------

// B05: a joint's world matrix takes in all ancestors, joints or not. R turns (x, y, z) to
// (x, -z, y), S scales by 0.01, J0 is (0, 0, 2) from S: world(J0) = R S T has the inverse
// v -> 100 (x, z, -y) - (0, 0, 2), which is the matrix of the file.
static void b05_ancestors_that_are_no_joints(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_of(
        "'nodes': [{'rotation': [0.70710678, 0, 0, 0.70710678], 'children': [1]}, {'scale': [0.01, "
        "0.01, 0.01], 'children': [2]}, {'translation': [0, 0, 2], 'children': [3]}, {}, "
        "{'mesh': 0, 'skin': 0}]");
    const float binds[] = {100, 0, 0, 0, 0, 0, -100, 0, 0, 100, 0, 0, 0, 0, -2, 1,
                           100, 0, 0, 0, 0, 0, -100, 0, 0, 100, 0, 0, 0, 0, -2, 1};
    const float positions[] = {1, 0, 0, 1, 2, 3};
    gltf_builder_rigid_mesh(b, 2, positions);
    uint32_t ibm = gltf_builder_floats(b, "MAT4", 2, binds);
    gltf_builder_add(b, "'skins': [{'joints': [2, 3], 'inverseBindMatrices': %u}]", ibm);
    add_constant(b, 2, "rotation", (const float[]){0, 0, HALF, HALF});
    sinew_document *d = gltf_builder_document(b);
    assert_non_null(gltf_find(d, SINEW_ROOT_NOT_A_JOINT, "skins[0].joints"));
    assert_int_equal(d->rigs[0].node_count, 4); // the ancestors are in
    assert_vec3_near(gltf_node_position(d, -1, 0, 2), 0, -0.02, 0, 1e-8);
    assert_int_equal(d->instances[0].rest.kind, SINEW_REST_IDENTITY);
    assert_skinned(d, 0, -1, 0, 2, positions, 0);
    // a turn of the joint by 90° about its z is one about R z = -y of the world, through the
    // joint's origin, which lies on that axis: (x, y, z) -> (-z, y, x)
    assert_skinned(d, 0, 0, 0, 2, (const float[]){0, 0, 1, -3, 2, 1}, 1e-5);
    sinew_document_destroy(d);
}

// Two ancestors whose product holds shear, which no T R S is: scale (2, 1, 1) over a turn by 45°
// about z. (1, 0, 0) of J at (1, 0, 0) is (2, 0, 0), turned (√2, √2, 0), scaled (2√2, √2, 0).
static void b05_two_ancestors_make_shear(void **state)
{
    (void)state;
    const float eighth[] = {0, 0, 0.38268343f, 0.92387953f};
    char nodes[512];
    snprintf(nodes, sizeof nodes,
             "'nodes': [{'scale': [2, 1, 1], 'children': [1]}, {'rotation': [0, 0, %.9g, %.9g], "
             "'children': [2]}, {'translation': [1, 0, 0]}, {'mesh': 0, 'skin': 0}], "
             "'skins': [{'joints': [2]}]",
             (double)eighth[2], (double)eighth[3]);
    gltf_builder *b = gltf_builder_of(nodes);
    gltf_builder_rigid_mesh(b, 1, (const float[]){1, 0, 0});
    sinew_document *d = gltf_builder_document(b);
    assert_skinned(d, 0, -1, 0, 1, (const float[]){2.8284271f, 1.4142136f, 0}, 1e-6);
    sinew_document_destroy(d);
}

// One ancestor given as a matrix with shear (y leans by 0.5 towards x), or with a mirror.
static void b05_an_ancestor_with_shear_or_a_mirror(void **state)
{
    (void)state;
    static const struct {
        const char *ancestor;
        float expected[3]; // of (0, 0, 1) on a joint at (0, 1, 0)
    } cases[] = {
        {"'matrix': [1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]", {0.5f, 1, 1}},
        {"'matrix': [1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 10, 20, 30, 1]", {10.5f, 21, 31}},
        {"'matrix': [1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]", {0, -1, 1}},
        {"'scale': [1, -1, 1]", {0, -1, 1}},
        {"'scale': [-1, -1, -1]", {0, -1, -1}},
        {"'scale': [1, 0, 1]", {0, 0, 1}},
    };
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        gltf_builder *b = gltf_builder_new();
        gltf_builder_add(b,
                         "'nodes': [{%s, 'children': [1]}, {'translation': [0, 1, 0]}, "
                         "{'mesh': 0, 'skin': 0}], 'skins': [{'joints': [1]}]",
                         cases[i].ancestor);
        gltf_builder_rigid_mesh(b, 1, (const float[]){0, 0, 1});
        sinew_document *d = gltf_builder_document(b);
        assert_skinned(d, 0, -1, 0, 1, cases[i].expected, 1e-6);
        sinew_document_destroy(d);
    }
}

// B06: a channel to an ancestor that is no joint carries the joints: keys 0 -> (5, 0, 0) over one
// second give x = 2.5 at half of it.
static void b06_channel_on_an_ancestor_of_the_joints(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_of(
        "'nodes': [{'name': 'Armature', 'children': [1]}, {'name': 'J', 'translation': "
        "[0, 1, 0]}, {'mesh': 0, 'skin': 0}], 'skins': [{'joints': [1]}]");
    gltf_builder_rigid_mesh(b, 1, (const float[]){0, 0, 2});
    gltf_builder_clips(b,
                       &(gltf_keys){.node = 0,
                                    .path = "translation",
                                    .key_count = 2,
                                    .times = (const float[]){0, 1},
                                    .values = (const float[]){0, 0, 0, 5, 0, 0}},
                       1);
    sinew_document *d = gltf_builder_document(b);
    assert_vec3_near(gltf_node_position(d, 0, 0.5, 1), 2.5, 1, 0, 0);
    assert_skinned(d, 0, 0, 0.5, 1, (const float[]){2.5f, 1, 2}, 0);
    // on the rig too: the skeleton holds the ancestor, so the track finds it
    sinew_skeleton *skeleton;
    sinew_clip_binding *binding;
    uint32_t unmatched;
    assert_ok(sinew_document_rig_skeleton(d, 0, NULL, &skeleton, NULL));
    for (int by_name = 0; by_name < 2; by_name++) {
        assert_ok(sinew_clip_binding_create(
            &(sinew_clip_binding_desc){.clip = d->clips[0],
                                       .skeleton = skeleton,
                                       .by = by_name ? SINEW_BIND_BY_NAME : SINEW_BIND_BY_NODE},
            &binding));
        sinew_clip_binding_unmatched(binding, &unmatched);
        assert_int_equal(unmatched, 0);
        sinew_clip_binding_destroy(binding);
    }
    sinew_skeleton_destroy(skeleton);
    sinew_document_destroy(d);
}

// Two skins below one animated node that is no joint are two rigs; each has its own copy of the
// node, and the clip carries both. Turn and scale of ancestors further up count as well:
// 90° about z and scale 2 take (1, 0, 0) to (0, 2, 0), (0, 1, 0) to (-2, 0, 0).
static void b06_an_animated_ancestor_of_two_rigs(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_of(
        "'nodes': [{'children': [1]}, {'children': [2, 3]}, {'translation': [1, 0, 0]}, "
        "{'translation': [0, 1, 0]}, {'mesh': 0, 'skin': 0}, {'mesh': 0, 'skin': 1}], "
        "'skins': [{'joints': [2]}, {'joints': [3]}]");
    gltf_builder_rigid_mesh(b, 1, (const float[3]){0});
    const float start[] = {0};
    gltf_builder_clips(b,
                       (const gltf_keys[]){{.node = 0,
                                            .path = "rotation",
                                            .key_count = 1,
                                            .times = start,
                                            .values = (const float[]){0, 0, HALF, HALF}},
                                           {.node = 1,
                                            .path = "scale",
                                            .key_count = 1,
                                            .times = start,
                                            .values = (const float[]){2, 2, 2}}},
                       2);
    sinew_document *d = gltf_builder_document(b);
    assert_int_equal(d->rig_count, 2);
    for (uint32_t r = 0; r < 2; r++)
        assert_int_equal(d->rigs[r].node_count, 3);
    assert_skinned(d, 0, 0, 0, 1, (const float[]){0, 2, 0}, 1e-6);
    assert_skinned(d, 1, 0, 0, 1, (const float[]){-2, 0, 0}, 1e-6);
    sinew_document_destroy(d);
}

// ---- B08, B09 ---------------------------------------------------------------------------------------------

// B08: L and R below a plain node H at (0, 1, 0). `skeleton` never changes a result: absent, H, H's
// parent, a joint, a node beside.
static void b08_common_root_is_no_joint(void **state)
{
    (void)state;
    static const char *const hints[] = {"", ", 'skeleton': 1", ", 'skeleton': 0", ", 'skeleton': 2",
                                        ", 'skeleton': 4"};
    static const int32_t kept[] = {-1, 1, 0, 2, 4};
    for (uint32_t i = 0; i < COUNT_OF(hints); i++) {
        gltf_builder *b = gltf_builder_of("'nodes': [{'children': [1]}, {'translation': [0, 1, 0], "
                                          "'children': [2, 3]}, {'translation': [1, 0, 0]}, "
                                          "{'translation': [-1, 0, 0]}, {'mesh': 0, 'skin': 0}]");
        gltf_builder_rigid_mesh(b, 2, (const float[6]){0});
        gltf_builder_add(b, "'skins': [{'joints': [2, 3]%s}]", hints[i]);
        sinew_document *d = gltf_builder_document(b);
        assert_int_equal(d->skins[0].skeleton, kept[i]); // to be read all the same
        assert_skinned(d, 0, -1, 0, 2, (const float[]){1, 1, 0, -1, 1, 0}, 0);
        assert_null(gltf_find(d, SINEW_SKIN_TWO_ROOTS, NULL)); // they have a common ancestor
        assert_non_null(gltf_find(d, SINEW_ROOT_NOT_A_JOINT, "skins[0].joints"));
        assert_int_equal(d->rigs[0].node_count, 4);
        sinew_document_destroy(d);
    }
}

// B09: joints in separate trees break the common-root rule; both are kept, as below an identity,
// and a warning says so.
static void b09_joints_in_two_trees(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_of(
        "'nodes': [{'translation': [1, 0, 0]}, {'translation': [0, 2, 0]}, {'mesh': 0, "
        "'skin': 0}], 'scenes': [{'nodes': [0, 1, 2]}], 'skins': [{'joints': [0, 1]}]");
    gltf_builder_rigid_mesh(b, 2, (const float[6]){0});
    sinew_document *d = gltf_builder_repaired(b, SINEW_SKIN_TWO_ROOTS, "skins[0].joints", 2);
    assert_skinned(d, 0, -1, 0, 2, (const float[]){1, 0, 0, 0, 2, 0}, 0);
    assert_int_equal(d->rig_count, 1); // one rig with two roots
    sinew_skeleton *skeleton;
    assert_ok(sinew_document_rig_skeleton(d, 0, NULL, &skeleton, NULL));
    assert_int_equal(sinew_skeleton_joint_count(skeleton), 2);
    assert_int_equal(sinew_skeleton_parents(skeleton)[0], -1);
    assert_int_equal(sinew_skeleton_parents(skeleton)[1], -1);
    sinew_skeleton_destroy(skeleton);
    sinew_document_destroy(d);
}

// Three trees, one of them deep below a node that is no joint, one in another scene, one in none.
static void b09_three_trees_of_several_scenes(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_of(
        "'nodes': [{'translation': [1, 0, 0]}, {'translation': [0, 2, 0], 'children': [2]}, "
        "{'translation': [0, 0, 3]}, {'translation': [0, 0, 9]}, {'mesh': 0, 'skin': 0}], "
        "'scenes': [{'nodes': [0, 4]}, {'nodes': [1]}], 'skins': [{'joints': [3, 2, 0]}]");
    gltf_builder_rigid_mesh(b, 3, (const float[9]){0});
    sinew_document *d = gltf_builder_repaired(b, SINEW_SKIN_TWO_ROOTS, "skins[0].joints", 3);
    assert_int_equal(d->instance_count, 1);
    assert_skinned(d, 0, -1, 0, 3, (const float[]){0, 0, 9, 0, 2, 3, 1, 0, 0}, 0);
    sinew_document_destroy(d);
}

// ---- B11, B12, B13 ----------------------------------------------------------------------------------------

// B11: the same joints with other matrices are another skin: identity and translate (0, -1, 0)
// give vertices that differ by 1 in y.
static void b11_same_joints_other_inverse_binds(void **state)
{
    (void)state;
    gltf_builder *b =
        gltf_builder_of("'nodes': [{'translation': [0, 1, 0]}, {'mesh': 0, 'skin': 0}, "
                        "{'mesh': 0, 'skin': 1}]");
    float binds[32];
    gltf_put_move(binds, 0, 0, 0), gltf_put_move(binds + 16, 0, -1, 0);
    gltf_builder_rigid_mesh(b, 1, (const float[]){3, 4, 5});
    uint32_t first = gltf_builder_floats(b, "MAT4", 1, binds),
             second = gltf_builder_floats(b, "MAT4", 1, binds + 16);
    gltf_builder_add(b,
                     "'skins': [{'name': 's', 'joints': [0], 'inverseBindMatrices': %u}, "
                     "{'name': 's', 'joints': [0], 'inverseBindMatrices': %u}]",
                     first, second);
    sinew_document *d = gltf_builder_document(b);
    assert_int_equal(d->skin_count, 2);
    assert_int_equal(d->rig_count, 1); // the skeleton is shared
    assert_int_equal(d->rigs[0].skin_count, 2);
    assert_skinned(d, 0, -1, 0, 1, (const float[]){3, 5, 5}, 0);
    assert_skinned(d, 1, -1, 0, 1, (const float[]){3, 4, 5}, 0);
    assert_int_equal(d->instances[0].rest.kind, SINEW_REST_COMMON); // one mesh rests in two ways
    assert_int_equal(d->instances[1].rest.kind, SINEW_REST_IDENTITY);
    sinew_document_destroy(d);
}

// B12: skins [A, B] and [B, C] of a chain, each joint (0, 1, 0) above the other, A at the origin;
// B turns by 90° about z. One pose drives both: (1, 0, 0) of A stays, of B it is (0, 1) from B's
// origin, of C, which is (0, 1) from B, it is (1, 1) turned: (-1, 1) from B's origin.
static void b12_skins_share_part_of_their_joints(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_of(
        "'nodes': [{'children': [1]}, {'translation': [0, 1, 0], 'children': [2]}, {'translation': "
        "[0, 1, 0]}, {'mesh': 0, 'skin': 0}, {'mesh': 0, 'skin': 1}], "
        "'skins': [{'joints': [0, 1]}, {'joints': [1, 2]}]");
    gltf_builder_rigid_mesh(b, 2, (const float[]){1, 0, 0, 1, 0, 0});
    add_constant(b, 1, "rotation", (const float[]){0, 0, HALF, HALF});
    sinew_document *d = gltf_builder_document(b);
    assert_int_equal(d->rig_count, 1);
    assert_skinned(d, 0, 0, 0, 2, (const float[]){1, 0, 0, 0, 2, 0}, 1e-6);
    assert_skinned(d, 1, 0, 0, 2, (const float[]){0, 2, 0, -1, 2, 0}, 1e-6);
    sinew_skeleton *skeleton;
    sinew_skin *skins[2];
    assert_ok(sinew_document_rig_skeleton(d, 0, NULL, &skeleton, NULL));
    assert_int_equal(sinew_skeleton_joint_count(skeleton), 3);
    for (uint32_t s = 0; s < 2; s++)
        assert_ok(sinew_document_make_skin(d, s, skeleton, NULL, &skins[s], NULL));
    assert_int_equal(sinew_skin_joints(skins[1])[0], sinew_skin_joints(skins[0])[1]);
    for (uint32_t s = 0; s < 2; s++)
        sinew_skin_destroy(skins[s]);
    sinew_skeleton_destroy(skeleton);
    sinew_document_destroy(d);
}

// Three skins united by what the middle one shares with each; a fourth stands alone.
static void b12_skins_unite_in_a_row(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_of(
        "'nodes': [{'children': [1]}, {'children': [2]}, {'children': [3]}, {}, {}], "
        "'skins': [{'joints': [0, 1]}, {'joints': [4]}, {'joints': [2, 3]}, {'joints': [1, 2]}]");
    sinew_document *d = gltf_builder_document(b);
    assert_int_equal(d->rig_count, 2);
    assert_int_equal(d->rigs[0].skin_count, 3);
    assert_memory_equal(d->rigs[0].skins, ((const uint32_t[]){0, 2, 3}), 12);
    assert_int_equal(d->rigs[1].skins[0], 1);
    sinew_document_destroy(d);
}

// B13: JOINTS_0 = 1 means joints[1] and the second matrix: node 5, which stands at x = 5, and
// (0, 50, 0) of its matrix. (As a node it would be node 1, at 100.)
static void b13_joints_are_slots_of_the_skin(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_of("'nodes': [{}, {'translation': [100, 0, 0]}, {}, {}, {}, "
                                      "{'translation': [5, 0, 0]}, {}, {'translation': [7, 0, 0], "
                                      "'children': [5]}, {'mesh': 0, 'skin': 0}]");
    float binds[32];
    gltf_put_move(binds, 0, 70, 0), gltf_put_move(binds + 16, -7, 50, 0);
    gltf_builder_rigid_mesh(b, 2, (const float[6]){0});
    uint32_t ibm = gltf_builder_floats(b, "MAT4", 2, binds);
    gltf_builder_add(b, "'skins': [{'joints': [7, 5], 'inverseBindMatrices': %u}]", ibm);
    sinew_document *d = gltf_builder_document(b);
    float *out = gltf_skinned(d, 0, 0, -1, 0);
    assert_vertex(out, 0, 7, 70, 0);
    assert_vertex(out, 1, 5, 50, 0);
    free(out);
    sinew_document_destroy(d);
}

// ---- B15, B16, B17 ----------------------------------------------------------------------------------------

// B15: channels name nodes by index. Of two nodes 'Bone' the clip turns the second, by 90° about z.
static void b15_two_nodes_of_one_name(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_of("'nodes': [{'name': 'L', 'children': [1]}, {'name': 'Bone'}, "
                                      "{'name': 'R', 'children': [3]}, {'name': 'Bone'}]");
    add_constant(b, 3, "rotation", (const float[]){0, 0, HALF, HALF});
    sinew_document *d = gltf_builder_document(b);
    sinew_mat4 *world = gltf_pose(d, 0, 0);
    const sinew_mat4 unit = sinew_mat4_identity();
    assert_mat4_near(&world[1], &unit, 0);
    assert_floats_near(world[3].m, ((const float[]){0, 1, 0, 0, -1, 0, 0, 0}), 8, 1e-6);
    free(world);
    assert_string_equal(d->nodes[1].name, "Bone"); // as in the file
    assert_string_equal(d->nodes[3].name, "Bone");
    sinew_document_destroy(d);
}

// Three equal names, or three without one, each moved to another place, by channels or pointers.
static void b15_three_nodes_of_one_name(void **state)
{
    (void)state;
    static const char *const names[] = {"'name': 'Bone'", "'name': ''", "'extras': 0"};
    for (uint32_t i = 0; i < COUNT_OF(names); i++)
        for (int pointers = 0; pointers < 2; pointers++) {
            gltf_builder *b = gltf_builder_new();
            gltf_builder_add(b, "'nodes': [{%s}, {%s, 'children': [2]}, {%s}]", names[i], names[i],
                             names[i]);
            gltf_builder_floats(b, "SCALAR", 1, (const float[]){0});
            for (int k = 0; k < 3; k++)
                gltf_builder_floats(b, "VEC3", 1, (const float[]){(float)(1 << k), 0, 0});
            char channels[1024] = "";
            static const int order[] = {2, 0, 1}; // node 2 moves by 1, node 0 by 2, node 1 by 4
            for (int k = 0; k < 3; k++) {
                size_t used = strlen(channels);
                snprintf(channels + used, sizeof channels - used,
                         pointers ? "%s{'sampler': %d, 'target': {'path': 'pointer', 'extensions': "
                                    "{'KHR_animation_pointer': {'pointer': "
                                    "'/nodes/%d/translation'}}}}"
                                  : "%s{'sampler': %d, 'target': {'path': 'translation', 'node': "
                                    "%d}}",
                         k ? ", " : "", k, order[k]);
            }
            gltf_builder_add(b,
                             "'animations': [{'channels': [%s], 'samplers': [{'input': 0, "
                             "'output': 1}, {'input': 0, 'output': 2}, {'input': 0, 'output': "
                             "3}]}]",
                             channels);
            gltf_builder_add(b, "'extensionsUsed': ['KHR_animation_pointer']");
            sinew_document *d = gltf_builder_document(b);
            assert_int_equal(d->finding_count, 0);
            assert_vec3_near(gltf_node_position(d, 0, 0, 0), 2, 0, 0, 0);
            assert_vec3_near(gltf_node_position(d, 0, 0, 1), 4, 0, 0, 0);
            assert_vec3_near(gltf_node_position(d, 0, 0, 2), 5, 0, 0, 0); // below node 1
            sinew_document_destroy(d);
        }
}

// B16: names of any kind and length, reached by index and by the whole name.
static void b16_names_of_any_kind(void **state)
{
    (void)state;
    char wide[301] = "", members[2048];
    for (int i = 0; i < 150; i++)
        strcat(wide, "\xC3\xA9"); // é: 300 bytes
    snprintf(members, sizeof members,
             "'nodes': [{'name': ''}, {'name': 'a/b:c.d[0]'}, {'name': '%s'}, {'name': "
             "'thirty-one bytes of the same text 1'}, {'name': 'thirty-one bytes of the same text "
             "2'}, {'name': '\\u00e9\\n'}, {'name': '%s!'}]",
             wide, wide);
    sinew_document *d = gltf_builder_document(gltf_builder_of(members));
    const char *names[] = {"",
                           "a/b:c.d[0]",
                           wide,
                           "thirty-one bytes of the same text 1",
                           "thirty-one bytes of the same text 2",
                           "\xC3\xA9\n"};
    sinew_skeleton *skeleton;
    assert_ok(sinew_document_skeleton(d, NULL, &skeleton, NULL));
    for (uint32_t i = 0; i < COUNT_OF(names); i++) {
        assert_string_equal(d->nodes[i].name, names[i]);
        int32_t joint = sinew_skeleton_joint_of_node(skeleton, (int32_t)i);
        assert_int_equal(sinew_skeleton_find_joint(skeleton, names[i]), joint);
        assert_string_equal(sinew_skeleton_joint_name(skeleton, (uint32_t)joint), names[i]);
    }
    assert_int_equal(strlen(d->nodes[6].name), 301);
    assert_int_equal(sinew_skeleton_find_joint(skeleton, d->nodes[6].name),
                     sinew_skeleton_joint_of_node(skeleton, 6));
    assert_int_equal(sinew_skeleton_find_joint(skeleton, "thirty-one bytes of the same text"), -1);
    sinew_skeleton_destroy(skeleton);
    sinew_document_destroy(d);
}

// Clips on such names, bound by name to another rig, find each its own joint; long paths of errors
// are cut at a character's border, never past the buffer.
static void b16_clips_bind_by_the_whole_name(void **state)
{
    (void)state;
    static const char *const names[] = {"a/b:c.d[0]", "a/b:c.d[1]",
                                        "the same text for more than thirty-two bytes 1",
                                        "the same text for more than thirty-two bytes 2"};
    sinew_document *documents[2];
    for (int other = 0; other < 2; other++) { // the other one lists them the other way round
        gltf_builder *b = gltf_builder_new();
        int first = other ? 3 : 0, step = other ? -1 : 1;
        gltf_builder_add(b,
                         "'nodes': [{'name': '%s'}, {'name': '%s'}, {'name': '%s'}, {'name': "
                         "'%s'}]",
                         names[first], names[first + step], names[first + 2 * step],
                         names[first + 3 * step]);
        static const float zero = 0;
        gltf_keys keys[4];
        const float places[4][3] = {{1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}};
        for (uint32_t i = 0; i < 4; i++)
            keys[i] = (gltf_keys){.node = i,
                                  .path = "translation",
                                  .key_count = 1,
                                  .times = &zero,
                                  .values = places[i]};
        gltf_builder_clips(b, keys, 4);
        documents[other] = gltf_builder_document(b);
    }
    sinew_skeleton *skeleton;
    sinew_clip_binding *binding;
    assert_ok(sinew_document_skeleton(documents[1], NULL, &skeleton, NULL));
    assert_ok(sinew_clip_binding_create(&(sinew_clip_binding_desc){.clip = documents[0]->clips[0],
                                                                   .skeleton = skeleton,
                                                                   .by = SINEW_BIND_BY_NAME},
                                        &binding));
    void *memory = test_block(sinew_pose_size(4));
    sinew_pose pose;
    assert_ok(sinew_pose_init(&pose, 4, memory, sinew_pose_size(4)));
    assert_ok(sinew_clip_sample(&(sinew_sample_args){.binding = binding, .out_pose = &pose}));
    for (uint32_t i = 0; i < 4; i++)
        assert_same(sinew_pose_get(&pose, (uint32_t)sinew_skeleton_find_joint(skeleton, names[i]))
                        .translation.x,
                    i + 1);
    test_block_free(memory);
    sinew_clip_binding_destroy(binding);
    sinew_skeleton_destroy(skeleton);
    sinew_document_destroy(documents[0]);
    sinew_document_destroy(documents[1]);
}

// A JSON name may hold U+0000, at which a string of C would end: U+FFFD stands there instead, so
// that names which differ behind it stay apart.
static void b16_names_with_a_zero_in_them(void **state)
{
    (void)state;
    gltf_builder *b =
        gltf_builder_of("'nodes': [{'name': 'a\\u0000b'}, {'name': 'a\\u0000c', 'mesh': 0}, "
                        "{'name': '\\u0000'}, {'name': 'a'}], 'animations': [{'name': "
                        "'x\\u0000y'}, {'name': 'x'}], 'meshes': [{'primitives': "
                        "[{'attributes': {'POSITION': 0}, 'targets': [{}]}], 'extras': "
                        "{'targetNames': ['t\\u0000u']}}]");
    gltf_builder_floats(b, "VEC3", 1, (const float[3]){0});
    sinew_document *d = gltf_builder_document(b);
    assert_string_equal(d->nodes[0].name, "a\xEF\xBF\xBD"
                                          "b");
    assert_string_equal(d->nodes[1].name, "a\xEF\xBF\xBD"
                                          "c");
    assert_string_equal(d->nodes[2].name, "\xEF\xBF\xBD");
    assert_string_equal(d->nodes[3].name, "a");
    assert_string_equal(d->clip_names[0], "x\xEF\xBF\xBDy");
    assert_int_equal(sinew_document_find_clip(d, "x"), 1);
    assert_string_equal(d->meshes[0].primitives[0].targets[0].name, "t\xEF\xBF\xBDu");
    sinew_document_destroy(d);
}

// B17: nodes and a clip, no mesh and no skin: the rig is all animated nodes with their ancestors,
// and the clip plays on it.
static void b17_motion_without_mesh_and_skin(void **state)
{
    (void)state;
    for (int empty = 0; empty < 2; empty++) { // `skins` missing, and empty
        gltf_builder *b = gltf_builder_of(
            "'nodes': [{'name': 'hips', 'translation': [0, 1, 0], 'children': [1]}, "
            "{'children': [2]}, {}, {'name': 'lamp'}]");
        if (empty)
            gltf_builder_add(b, "'skins': [], 'meshes': []");
        gltf_builder_clips(b,
                           &(gltf_keys){.node = 2,
                                        .path = "translation",
                                        .key_count = 2,
                                        .times = (const float[]){0, 1},
                                        .values = (const float[]){0, 0, 0, 4, 0, 0}},
                           1);
        sinew_document *d = gltf_builder_document(b);
        assert_int_equal(d->clip_count, 1);
        assert_int_equal(d->rig_count, 1);
        assert_int_equal(d->rigs[0].node_count, 3); // the lamp is none
        assert_memory_equal(d->rigs[0].nodes, ((const uint32_t[]){0, 1, 2}), 12);
        assert_string_equal(d->rigs[0].name, "hips");
        assert_vec3_near(gltf_node_position(d, 0, 0.25, 2), 1, 1, 0, 0);
        sinew_skeleton *skeleton;
        sinew_clip_binding *binding;
        uint32_t unmatched;
        assert_ok(sinew_document_rig_skeleton(d, 0, NULL, &skeleton, NULL));
        assert_ok(sinew_clip_binding_create(
            &(sinew_clip_binding_desc){.clip = d->clips[0], .skeleton = skeleton}, &binding));
        sinew_clip_binding_unmatched(binding, &unmatched);
        assert_int_equal(unmatched, 0);
        sinew_clip_binding_destroy(binding);
        sinew_skeleton_destroy(skeleton);
        sinew_document_destroy(d);
    }
}

// Two clips on other nodes: the rig is what any of them drives. A clip of morph weights alone
// drives a node, too. Without clips there is no rig.
static void b17_rigs_of_several_clips_or_none(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_of("'nodes': [{'children': [1, 2]}, {}, {}, {}, {'mesh': 0}], "
                                      "'meshes': [{'primitives': [{'attributes': {'POSITION': 0}, "
                                      "'targets': [{'POSITION': 0}]}]}]");
    gltf_builder_floats(b, "VEC3", 1, (const float[]){1, 2, 3});
    const float start[] = {0}, place[] = {0, 0, 0};
    gltf_builder_clips(b,
                       (const gltf_keys[]){{.clip = 0,
                                            .node = 2,
                                            .path = "scale",
                                            .key_count = 1,
                                            .times = start,
                                            .values = place},
                                           {.clip = 1,
                                            .node = 3,
                                            .path = "scale",
                                            .key_count = 1,
                                            .times = start,
                                            .values = place},
                                           {.clip = 2,
                                            .node = 4,
                                            .path = "weights",
                                            .key_count = 1,
                                            .times = start,
                                            .values = place,
                                            .target_count = 1}},
                       3);
    sinew_document *d = gltf_builder_document(b);
    assert_int_equal(d->rig_count, 1);
    assert_int_equal(d->rigs[0].node_count, 4);
    assert_memory_equal(d->rigs[0].nodes, ((const uint32_t[]){0, 2, 3, 4}), 16);
    sinew_document_destroy(d);
    d = gltf_builder_document(gltf_builder_of("'nodes': [{'children': [1]}, {}]"));
    assert_int_equal(d->rig_count, 0);
    sinew_document_destroy(d);
}

// ---- B19, B20 ---------------------------------------------------------------------------------------------

// B19: J's matrix is diag(-1, 1, 1) at (1, 2, 3); its child K at (1, 0, 0) stands at (0, 2, 3).
static void b19_matrix_with_a_reflection(void **state)
{
    (void)state;
    gltf_builder *b =
        gltf_builder_of("'nodes': [{'matrix': [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1], "
                        "'children': [1]}, {'translation': [1, 0, 0]}, {'mesh': 0, 'skin': 0}], "
                        "'skins': [{'joints': [0, 1]}]");
    gltf_builder_rigid_mesh(b, 2, (const float[]){1, 1, 1, 0, 0, 0});
    add_constant(b, 1, "scale", (const float[]){1, 1, 1}); // J itself is not animated
    sinew_document *d = gltf_builder_document(b);
    assert_int_equal(d->finding_count, 0);
    assert_true(d->nodes[0].has_matrix);
    for (int32_t clip = -1; clip < 1; clip++) {
        assert_vec3_near(gltf_node_position(d, clip, 0, 1), 0, 2, 3, 1e-6);
        assert_skinned(d, 0, clip, 0, 2, (const float[]){0, 3, 4, 0, 2, 3}, 1e-6);
        sinew_mat4 *world = gltf_pose(d, clip, 0);
        assert_near(determinant(world[0].m), -1, 1e-6);
        assert_floats_near(world[0].m, // put together again it is the matrix
                           ((const float[]){-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1}), 16,
                           1e-6);
        free(world);
    }
    sinew_document_destroy(d);
}

// Every mirror, with a turn, scale, shear and columns of length 0: what is taken apart comes back.
static void b19_matrices_come_back_whole(void **state)
{
    (void)state;
    static const float matrices[][9] = {
        // columns
        {1, 0, 0, 0, -1, 0, 0, 0, 1},
        {1, 0, 0, 0, 1, 0, 0, 0, -1},
        {-1, 0, 0, 0, -1, 0, 0, 0, -1},
        {-1, 0, 0, 0, -1, 0, 0, 0, 1}, // the last is a half turn
        {0, 1, 0, 1, 0, 0, 0, 0, 1},
        {0, 0, 2, 0, 3, 0, 4, 0, 0},
        {-2, 0, 0, 0, 0, 3, 0, 0.5f, 0},
        {1, 0, 0, 0.5f, -1, 0, 0.25f, 0.5f, 3},
        {1, 2, 3, 4, 5, 6, 7, 8, 10},
        {-1, 2, -3, 4, 5, 6, 7, 8, 10},
        {0, 0, 0, 0, 1, 0, 0, 0, -1},
        {1, 0, 0, 0, 0, 0, 0, 0, 1},
        {1e-3f, 0, 0, 0, -1e3f, 0, 0, 0, 1},
    };
    for (uint32_t i = 0; i < COUNT_OF(matrices); i++) {
        const float *c = matrices[i];
        const float whole[16] = {c[0], c[1], c[2], 0, c[3], c[4], c[5], 0,
                                 c[6], c[7], c[8], 0, 5,    -6,   7,    1};
        double size = 0;
        gltf_builder *b = gltf_builder_new();
        char text[512] = "";
        for (int k = 0; k < 16; k++) {
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%.9g", k ? ", " : "",
                     (double)whole[k]);
            size = fmax(size, fabs((double)whole[k]));
        }
        gltf_builder_add(b, "'nodes': [{'matrix': [%s]}]", text);
        sinew_document *d = gltf_builder_document(b);
        sinew_mat4 *world = gltf_pose(d, -1, 0);
        assert_floats_near(world[0].m, whole, 16, 2e-6 * size); // some roundings of the largest
        free(world);
        sinew_document_destroy(d);
    }
}

// B20: a channel to a node with a matrix is forbidden; the matrix is decomposed once, a warning
// says so, and its translation (1, 0, 0) stays while the clip turns the node.
static void b20_animated_node_with_a_matrix(void **state)
{
    (void)state;
    const float times[] = {0, 1}, turn[] = {0, 0, 0, 1, 0, 0, HALF, HALF};
    gltf_builder *b =
        gltf_builder_of("'nodes': [{'matrix': [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1], "
                        "'children': [1]}, {'translation': [1, 0, 0]}]");
    gltf_builder_clips(b,
                       (const gltf_keys[]){{.clip = 0,
                                            .node = 0,
                                            .path = "rotation",
                                            .key_count = 2,
                                            .times = times,
                                            .values = turn},
                                           {.clip = 1,
                                            .node = 0,
                                            .path = "rotation",
                                            .key_count = 2,
                                            .times = times,
                                            .values = turn}},
                       2);
    sinew_document *d = gltf_builder_repaired(b, SINEW_MATRIX_ANIMATED, "nodes[0]", 1);
    assert_int_equal(gltf_count(d, SINEW_MATRIX_ANIMATED), 1); // once, however many clips
    for (int32_t clip = 0; clip < 2; clip++) {
        assert_vec3_near(gltf_node_position(d, clip, 0, 0), 1, 0, 0, 0);
        assert_vec3_near(gltf_node_position(d, clip, 1, 0), 1, 0, 0, 0);
        assert_vec3_near(gltf_node_position(d, clip, 0, 1), 2, 0, 0, 1e-6);
        assert_vec3_near(gltf_node_position(d, clip, 1, 1), 1, 1, 0, 1e-6);
    }
    sinew_document_destroy(d);
}

// What the clip does not drive stays of the matrix, scale, mirror and shear too: scale (2, 3, -4)
// with y leaning by 0.5 of x, at (1, 2, 3), moved to (7, 8, 9).
static void b20_the_rest_of_the_matrix_stays(void **state)
{
    (void)state;
    gltf_builder *b =
        gltf_builder_of("'nodes': [{'matrix': [2, 0, 0, 0, 1, 3, 0, 0, 0, 0, -4, 0, 1, 2, 3, 1]}]");
    add_constant(b, 0, "translation", (const float[]){7, 8, 9});
    sinew_document *d = gltf_builder_document(b);
    assert_non_null(gltf_find(d, SINEW_MATRIX_ANIMATED, "nodes[0]"));
    sinew_mat4 *world = gltf_pose(d, 0, 0);
    assert_floats_near(
        world[0].m, ((const float[]){2, 0, 0, 0, 1, 3, 0, 0, 0, 0, -4, 0, 7, 8, 9, 1}), 16, 2e-6);
    free(world);
    sinew_document_destroy(d);
}

// Morph weights of a node with a matrix may be animated: the rule is about its transform.
static void b20_morph_weights_are_no_transform(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_of(
        "'nodes': [{'mesh': 0, 'matrix': [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1]}], "
        "'meshes': [{'primitives': [{'attributes': {'POSITION': 0}, 'targets': [{'POSITION': "
        "0}]}]}]");
    gltf_builder_floats(b, "VEC3", 1, (const float[]){1, 2, 3});
    const float zero[] = {0};
    gltf_builder_clips(
        b,
        &(gltf_keys){
            .path = "weights", .key_count = 1, .times = zero, .values = zero, .target_count = 1},
        1);
    sinew_document *d = gltf_builder_document(b);
    assert_int_equal(d->finding_count, 0);
    sinew_document_destroy(d);
}

// ---- B22, B23 ---------------------------------------------------------------------------------------------

// B22: the nodes' rest pose need not be the bind pose. J rests turned by 90° about z, its matrix is
// the identity: (1, 0, 0) is at (0, 1, 0) without any clip, and the mesh's own node moves nothing.
static void b22_rest_pose_is_not_the_bind_pose(void **state)
{
    (void)state;
    static const char *const shown[] = {"", ", 'translation': [100, 0, 0]", ", 'scale': [3, 3, 3]"};
    for (uint32_t i = 0; i < COUNT_OF(shown); i++) {
        gltf_builder *b = gltf_builder_new();
        gltf_builder_add(b,
                         "'nodes': [{'rotation': [0, 0, 0.70710678, 0.70710678]}, {'mesh': 0, "
                         "'skin': 0%s}], 'skins': [{'joints': [0]}]",
                         shown[i]);
        gltf_builder_rigid_mesh(b, 1, (const float[]){1, 0, 0});
        sinew_document *d = gltf_builder_document(b);
        assert_int_equal(d->instances[0].rest.kind, SINEW_REST_COMMON); // one matrix for all joints
        assert_skinned(d, 0, -1, 0, 1, (const float[]){0, 1, 0}, 1e-6);
        sinew_document_destroy(d);
    }
}

// The mesh's node is a child of a joint, or the joint itself: it is not moved twice.
static void b22_the_mesh_hangs_below_its_joint(void **state)
{
    (void)state;
    static const char *const nodes[] = {
        "{'translation': [1, 0, 0], 'children': [1]}, {'mesh': 0, 'skin': 0}",
        "{'translation': [1, 0, 0], 'mesh': 0, 'skin': 0}"};
    for (uint32_t i = 0; i < COUNT_OF(nodes); i++) {
        gltf_builder *b = gltf_builder_new();
        gltf_builder_add(b, "'nodes': [%s], 'skins': [{'joints': [0]}]", nodes[i]);
        gltf_builder_rigid_mesh(b, 1, (const float[]){0, 2, 0});
        add_constant(b, 0, "translation", (const float[]){5, 0, 0});
        sinew_document *d = gltf_builder_document(b);
        assert_skinned(d, 0, -1, 0, 1, (const float[]){1, 2, 0}, 0);
        assert_skinned(d, 0, 0, 0, 1, (const float[]){5, 2, 0}, 0);
        sinew_document_destroy(d);
    }
}

// B23: a rig is the skin's joints and their ancestors; meshes, cameras and tools beside or below
// them are no joints, and the skin's own map says which joint each slot is.
static void b23_nodes_that_are_no_joints(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_of(
        "'nodes': [{'name': 'body', 'mesh': 0, 'skin': 0}, {'name': 'eye', 'camera': 0}, "
        "{'name': 'armature', 'children': [3, 0, 1]}, {'name': 'a', 'children': [6, 4]}, "
        "{'name': 'b', 'children': [5]}, {'name': 'c', 'children': [7]}, {'name': 'sword', 'mesh': "
        "1}, {'name': 'tip'}], 'cameras': [{'type': 'perspective', 'perspective': {'yfov': 1, "
        "'znear': 1}}], 'skins': [{'joints': [5, 3, 4]}]");
    uint32_t p = gltf_builder_floats(b, "VEC3", 1, (const float[]){0, 0, 0});
    uint32_t j = gltf_builder_bytes(b, "VEC4", 1, (const uint8_t[4]){0}, NULL);
    uint32_t w = gltf_builder_floats(b, "VEC4", 1, (const float[]){1, 0, 0, 0});
    gltf_builder_add(b,
                     "'meshes': [{'primitives': [{'attributes': {'POSITION': %u, 'JOINTS_0': "
                     "%u, 'WEIGHTS_0': %u}}]}, {'primitives': [{'attributes': {'POSITION': "
                     "%u}}]}]",
                     p, j, w, p);
    sinew_document *d = gltf_builder_document(b);
    assert_int_equal(d->rig_count, 1);
    assert_int_equal(d->rigs[0].node_count, 4);
    assert_memory_equal(d->rigs[0].nodes, ((const uint32_t[]){2, 3, 4, 5}), 16);
    sinew_skeleton *skeleton;
    sinew_skin *skin;
    assert_ok(sinew_document_rig_skeleton(d, 0, NULL, &skeleton, NULL));
    assert_ok(sinew_document_make_skin(d, 0, skeleton, NULL, &skin, NULL));
    static const char *const joints[] = {"armature", "a", "b", "c"};
    assert_int_equal(sinew_skeleton_joint_count(skeleton), 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_string_equal(sinew_skeleton_joint_name(skeleton, i), joints[i]);
    static const int32_t others[] = {0, 1, 6, 7};
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(sinew_skeleton_joint_of_node(skeleton, others[i]), -1);
    assert_memory_equal(sinew_skin_joints(skin), ((const uint16_t[]){3, 1, 2}), 6);
    sinew_skin_destroy(skin);
    sinew_skeleton_destroy(skeleton);
    // the whole document is there for those who want it
    assert_ok(sinew_document_skeleton(d, NULL, &skeleton, NULL));
    assert_int_equal(sinew_skeleton_joint_count(skeleton), 8);
    sinew_skeleton_destroy(skeleton);
    sinew_document_destroy(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(b01_joints_listed_child_before_parent),
        cmocka_unit_test(b01_deep_chain_reversed),
        cmocka_unit_test(b01_several_roots_interleaved),
        cmocka_unit_test(b01_two_skins_in_opposite_orders),
        cmocka_unit_test(b01_a_joint_listed_twice),
        cmocka_unit_test(b02_skin_without_inverse_binds),
        cmocka_unit_test(b02_beside_a_skin_that_has_them),
        cmocka_unit_test(b03_fewer_inverse_binds_than_joints),
        cmocka_unit_test(b03_no_matrix_in_the_accessor),
        cmocka_unit_test(b03_more_matrices_than_joints),
        cmocka_unit_test(b03_matrices_without_a_buffer_view),
        cmocka_unit_test(b03_last_rows_have_no_meaning),
        cmocka_unit_test(b03_matrices_past_the_buffer),
        cmocka_unit_test(b05_ancestors_that_are_no_joints),
        cmocka_unit_test(b05_two_ancestors_make_shear),
        cmocka_unit_test(b05_an_ancestor_with_shear_or_a_mirror),
        cmocka_unit_test(b06_channel_on_an_ancestor_of_the_joints),
        cmocka_unit_test(b06_an_animated_ancestor_of_two_rigs),
        cmocka_unit_test(b08_common_root_is_no_joint),
        cmocka_unit_test(b09_joints_in_two_trees),
        cmocka_unit_test(b09_three_trees_of_several_scenes),
        cmocka_unit_test(b11_same_joints_other_inverse_binds),
        cmocka_unit_test(b12_skins_share_part_of_their_joints),
        cmocka_unit_test(b12_skins_unite_in_a_row),
        cmocka_unit_test(b13_joints_are_slots_of_the_skin),
        cmocka_unit_test(b15_two_nodes_of_one_name),
        cmocka_unit_test(b15_three_nodes_of_one_name),
        cmocka_unit_test(b16_names_of_any_kind),
        cmocka_unit_test(b16_clips_bind_by_the_whole_name),
        cmocka_unit_test(b16_names_with_a_zero_in_them),
        cmocka_unit_test(b17_motion_without_mesh_and_skin),
        cmocka_unit_test(b17_rigs_of_several_clips_or_none),
        cmocka_unit_test(b19_matrix_with_a_reflection),
        cmocka_unit_test(b19_matrices_come_back_whole),
        cmocka_unit_test(b20_animated_node_with_a_matrix),
        cmocka_unit_test(b20_the_rest_of_the_matrix_stays),
        cmocka_unit_test(b20_morph_weights_are_no_transform),
        cmocka_unit_test(b22_rest_pose_is_not_the_bind_pose),
        cmocka_unit_test(b22_the_mesh_hangs_below_its_joint),
        cmocka_unit_test(b23_nodes_that_are_no_joints),
    };
    return TEST_RUN(tests);
}
