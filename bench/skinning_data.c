// SPDX-License-Identifier: MIT
#include "bench/skinning_data.h"
#include "extras/system.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIGURE_LIMBS = 8,
    FIGURE_LIMB_JOINTS = 8,
    FIGURE_JOINTS = FIGURE_LIMBS * FIGURE_LIMB_JOINTS
};

static skinning_mesh *meshes_made;
static skinning_bound *bounds_made;

static float skinning_random(void) // 0 <= x < 1
{
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) * (1.0f / 16777216.0f);
}

static float *some_floats(size_t count)
{
    float *made = sinew_aligned_alloc(count * sizeof(float));
    if (made)
        memset(made, 0, count * sizeof(float)); // so that no row meets memory never touched
    return made;
}

// ---- Any mesh ---------------------------------------------------------------------------------------------

static skinning_mesh *new_mesh(uint32_t vertices, uint32_t influences, uint32_t joints,
                               unsigned attributes)
{
    skinning_mesh *mesh = calloc(1, sizeof *mesh);
    if (!mesh)
        return NULL;
    mesh->next_made = meshes_made;
    meshes_made = mesh;
    const size_t n = vertices;
    mesh->vertex_count = mesh->copy_size = vertices;
    mesh->copy_count = 1;
    mesh->influence_count = influences;
    mesh->joint_count = joints;
    mesh->positions = some_floats(3 * n);
    mesh->out_positions = some_floats(3 * n);
    if (attributes & SKINNING_NORMALS) {
        mesh->normals = some_floats(3 * n);
        mesh->out_normals = some_floats(3 * n);
        mesh->out_shades = some_floats(4 * n);
    }
    if (attributes & SKINNING_TANGENTS) {
        mesh->tangents = some_floats(4 * n);
        mesh->out_tangents = some_floats(4 * n);
    }
    mesh->joints = calloc(n * influences + 1, sizeof *mesh->joints);
    mesh->weights = some_floats(n * influences);
    mesh->palette = calloc(joints + 1, sizeof *mesh->palette);
    mesh->columns = some_floats(16 * (size_t)joints);
    mesh->duals = some_floats(8 * (size_t)joints);
    bool good = mesh->positions && mesh->out_positions && mesh->joints && mesh->weights &&
                mesh->palette && mesh->columns && mesh->duals;
    if (attributes & SKINNING_NORMALS)
        good = good && mesh->normals && mesh->out_normals && mesh->out_shades;
    if (attributes & SKINNING_TANGENTS)
        good = good && mesh->tangents && mesh->out_tangents;
    return good ? mesh : NULL; // what there is of it is released with the others
}

static void make_columns(skinning_mesh *mesh)
{
    for (uint32_t j = 0; j < mesh->joint_count; j++) {
        sinew_mat4 m = sinew_mat4_from_mat3x4(&mesh->palette[j]);
        memcpy(mesh->columns + 16 * (size_t)j, m.m, sizeof m.m);
        sinew_transform t = sinew_transform_identity();
        sinew_mat4_decompose(&m, &t, NULL);
        sinew_quat r = t.rotation;
        sinew_quat e =
            sinew_quat_mul(sinew_quat_make(0.5f * t.translation.x, 0.5f * t.translation.y,
                                           0.5f * t.translation.z, 0.0f),
                           r);
        const float dual[8] = {r.x, r.y, r.z, r.w, e.x, e.y, e.z, e.w};
        memcpy(mesh->duals + 8 * (size_t)j, dual, sizeof dual);
    }
}

bench_vertices skinning_vertices(const skinning_mesh *mesh, unsigned attributes)
{
    return (bench_vertices){.count = mesh->vertex_count,
                            .influence_count = mesh->influence_count,
                            .positions = mesh->positions,
                            .normals = attributes & SKINNING_NORMALS ? mesh->normals : NULL,
                            .tangents = attributes & SKINNING_TANGENTS ? mesh->tangents : NULL,
                            .joints = mesh->joints,
                            .weights = mesh->weights,
                            .out_positions = mesh->out_positions,
                            .out_normals = attributes & SKINNING_NORMALS ? mesh->out_normals : NULL,
                            .out_tangents =
                                attributes & SKINNING_TANGENTS ? mesh->out_tangents : NULL};
}

// ---- Bindings ---------------------------------------------------------------------------------------------

static bool build_bound_palette(skinning_bound *bound, skinning_way way, size_t size)
{
    const skinning_mesh *mesh = bound->mesh;
    const uint32_t count = mesh->joint_count;
    if (way == BOUND_DUAL)
        return sinew_dual_palette_build(mesh->palette, count, &mesh->center, bound->kernel_palette,
                                        size) == SINEW_OK;
    if (way != BOUND_SCALED)
        return sinew_kernel_palette_build(mesh->palette, count, &mesh->center,
                                          bound->kernel_palette, size) == SINEW_OK;
    sinew_mat3x4 *palette = calloc(count + 1, sizeof *palette); // the last is no rotation
    bool good = palette != NULL;
    if (good)
        memcpy(palette, mesh->palette, count * sizeof *palette);
    good = good && sinew_dual_palette_build(palette, count + 1, &mesh->center,
                                            bound->kernel_palette, size) == SINEW_OK;
    free(palette);
    return good;
}

skinning_bound *skinning_bind(const skinning_mesh *mesh, unsigned attributes, skinning_way way)
{
    skinning_bound *bound = calloc(1, sizeof *bound);
    if (!bound)
        return NULL;
    bound->next_made = bounds_made;
    bounds_made = bound;
    bound->mesh = mesh;
    bound->bindings = calloc(mesh->copy_count, sizeof(sinew_mesh_binding *));
    bound->args = calloc(mesh->copy_count, sizeof *bound->args);
    const size_t palette_size = sinew_dual_palette_size(mesh->joint_count + 1);
    bound->kernel_palette = some_floats(palette_size / sizeof(float) + 1);
    if (!bound->bindings || !bound->args || !bound->kernel_palette ||
        !build_bound_palette(bound, way, palette_size))
        return NULL;
    const bench_vertices v = skinning_vertices(mesh, attributes);
    const bool rows = attributes & SKINNING_ROWS;
    const float *normals = attributes & SKINNING_SHADES ? mesh->normals : v.normals;
    for (; bound->count < mesh->copy_count; bound->count++) {
        const size_t first = (size_t)bound->count * mesh->copy_size;
        sinew_mesh_binding_desc desc = sinew_mesh_binding_desc_default();
        desc.vertex_count = mesh->copy_size;
        desc.positions = v.positions + 3 * first;
        desc.normals = normals ? normals + 3 * first : NULL;
        desc.tangents = v.tangents ? v.tangents + 4 * first : NULL;
        desc.joint_count = mesh->joint_count;
        if (way != BOUND_RIGID) {
            desc.joints = v.joints + first * v.influence_count;
            desc.weights = v.weights + first * v.influence_count;
            desc.influence_count = v.influence_count;
        }
        desc.keep_order = way == BOUND_IN_ORDER;
        desc.storage = way == BOUND_FLOAT     ? SINEW_WEIGHT_STORAGE_FLOAT
                       : way == BOUND_UNORM16 ? SINEW_WEIGHT_STORAGE_UNORM16
                       : way == BOUND_UNORM8  ? SINEW_WEIGHT_STORAGE_UNORM8
                                              : desc.storage;
        if (sinew_mesh_binding_create(&desc, &bound->bindings[bound->count], NULL) != SINEW_OK)
            return NULL;
        bound->args[bound->count] = (sinew_skin_mesh_args){
            .binding = bound->bindings[bound->count],
            .kernel_palette = bound->kernel_palette,
            .out_positions = v.out_positions + 3 * first,
            .out_normals = v.out_normals ? v.out_normals + 3 * first : NULL,
            .out_tangents = v.out_tangents ? v.out_tangents + 4 * first : NULL,
            .out_size = mesh->copy_size,
            .exact_normals = way == BOUND_EXACT};
        sinew_skin_mesh_args *args = &bound->args[bound->count];
        if (attributes & SKINNING_SHADES)
            args->out_shades = mesh->out_shades + (rows ? 4 * first + 3 : first);
        if (rows) {
            args->out_positions = mesh->out_shades + 4 * first;
            args->out_position_stride = args->out_shade_stride = 4 * sizeof(float);
        }
    }
    return bound;
}

void skinning_release(void)
{
    while (bounds_made) {
        skinning_bound *bound = bounds_made;
        bounds_made = bound->next_made;
        for (uint32_t i = 0; i < bound->count; i++)
            sinew_mesh_binding_destroy(bound->bindings[i]);
        free(bound->bindings);
        free(bound->args);
        sinew_aligned_free(bound->kernel_palette);
        free(bound);
    }
    while (meshes_made) {
        skinning_mesh *mesh = meshes_made;
        meshes_made = mesh->next_made;
        sinew_aligned_free(mesh->positions);
        sinew_aligned_free(mesh->normals);
        sinew_aligned_free(mesh->tangents);
        free(mesh->joints);
        sinew_aligned_free(mesh->weights);
        sinew_aligned_free(mesh->out_positions);
        sinew_aligned_free(mesh->out_normals);
        sinew_aligned_free(mesh->out_tangents);
        sinew_aligned_free(mesh->out_shades);
        free(mesh->palette);
        sinew_aligned_free(mesh->columns);
        sinew_aligned_free(mesh->duals);
        free(mesh);
    }
}

static uint32_t influences_of(const skinning_mesh *mesh, size_t v)
{
    uint32_t count = 0; // the largest weights come first
    while (count < mesh->influence_count &&
           mesh->weights[v * mesh->influence_count + count] != 0.0f)
        count++;
    return count;
}

bool skinning_split(skinning_mesh *mesh)
{
    uint32_t counts[5] = {0};
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        uint32_t k = influences_of(mesh, v);
        counts[k < 4 ? k : 4]++;
    }
    counts[1] += counts[0];
    unsigned attributes =
        (mesh->normals ? SKINNING_NORMALS : 0u) | (mesh->tangents ? SKINNING_TANGENTS : 0u);
    for (uint32_t k = 1; k <= 4; k++) {
        if (counts[k] == 0)
            continue;
        skinning_mesh *part = mesh->parts[k - 1] =
            new_mesh(counts[k], k, mesh->joint_count, attributes);
        if (!part)
            return false;
        memcpy(part->palette, mesh->palette, mesh->joint_count * sizeof *mesh->palette);
        make_columns(part);
        size_t to = 0;
        for (size_t v = 0; v < mesh->vertex_count; v++) {
            uint32_t has = influences_of(mesh, v);
            has = has < 1 ? 1 : has < 4 ? has : 4;
            if (has != k)
                continue;
            memcpy(part->positions + 3 * to, mesh->positions + 3 * v, 3 * sizeof(float));
            if (part->normals)
                memcpy(part->normals + 3 * to, mesh->normals + 3 * v, 3 * sizeof(float));
            if (part->tangents)
                memcpy(part->tangents + 4 * to, mesh->tangents + 4 * v, 4 * sizeof(float));
            const size_t from = v * mesh->influence_count;
            memcpy(part->joints + k * to, mesh->joints + from, k * sizeof *part->joints);
            memcpy(part->weights + k * to, mesh->weights + from, k * sizeof *part->weights);
            to++;
        }
    }
    return true;
}

// ---- Made by arithmetic -----------------------------------------------------------------------------------

static void random_attributes(skinning_mesh *mesh)
{
    const size_t n = mesh->vertex_count;
    for (size_t i = 0; mesh->normals && i < 3 * n; i++)
        mesh->normals[i] = skinning_random() - 0.5f;
    for (size_t i = 0; mesh->tangents && i < 4 * n; i++)
        mesh->tangents[i] = i % 4 == 3 ? 1.0f : skinning_random() - 0.5f;
}

static void random_palette(skinning_mesh *mesh)
{
    sinew_transform identity = sinew_transform_identity();
    sinew_mat4 m = sinew_mat4_from_transform(&identity);
    mesh->center = sinew_mat3x4_from_mat4(&m);
    for (uint32_t j = 0; j < mesh->joint_count; j++) {
        sinew_transform t = identity;
        t.translation.x = skinning_random();
        t.rotation.x = skinning_random();
        t.rotation = sinew_quat_normalize(t.rotation);
        m = sinew_mat4_from_transform(&t);
        mesh->palette[j] = sinew_mat3x4_from_mat4(&m);
    }
    make_columns(mesh);
}

static void divide_by_sum(float *weights, uint32_t count)
{
    float sum = 0.0f;
    for (uint32_t i = 0; i < count; i++)
        sum += weights[i];
    for (uint32_t i = 0; i < count; i++)
        weights[i] /= sum;
}

// Limb l points to corner l of a cube; its joint t stands (t + 0.5) / 10 from the middle.
static void find_nearest_joints(const float *p, uint32_t k, uint16_t *joints, float *weights)
{
    float least[FIGURE_JOINTS];
    for (uint32_t i = 0; i < k; i++)
        least[i] = 1e30f;
    for (uint32_t j = 0; j < FIGURE_JOINTS; j++) {
        float along = 0.1f * ((float)(j % FIGURE_LIMB_JOINTS) + 0.5f), square = 0.0f;
        for (uint32_t axis = 0; axis < 3; axis++) {
            float d = p[axis] - (j / FIGURE_LIMB_JOINTS >> axis & 1u ? along : -along);
            square += d * d;
        }
        if (square >= least[k - 1])
            continue;
        uint32_t at = k - 1;
        for (; at > 0 && least[at - 1] > square; at--) {
            least[at] = least[at - 1];
            joints[at] = joints[at - 1];
        }
        least[at] = square;
        joints[at] = (uint16_t)j;
    }
    for (uint32_t i = 0; i < k; i++)
        weights[i] = 1.0f / (least[i] + 1e-4f);
    divide_by_sum(weights, k);
}

skinning_mesh *skinning_make_figure(uint32_t vertices, uint32_t influences, unsigned attributes)
{
    skinning_mesh *mesh = new_mesh(vertices, influences, FIGURE_JOINTS, attributes);
    if (!mesh)
        return NULL;
    random_palette(mesh);
    random_attributes(mesh);
    for (size_t v = 0; v < vertices; v++) { // from the middle outwards, limb after limb
        float at = (float)((double)v * FIGURE_LIMBS / vertices);
        uint32_t limb = (uint32_t)at < FIGURE_LIMBS ? (uint32_t)at : FIGURE_LIMBS - 1;
        float along = 0.1f * FIGURE_LIMB_JOINTS * (at - (float)limb);
        for (uint32_t axis = 0; axis < 3; axis++)
            mesh->positions[3 * v + axis] =
                (limb >> axis & 1u ? along : -along) + 0.1f * (skinning_random() - 0.5f);
        find_nearest_joints(mesh->positions + 3 * v, influences, mesh->joints + v * influences,
                            mesh->weights + v * influences);
    }
    return mesh;
}

skinning_mesh *skinning_make_scattered(uint32_t vertices, uint32_t influences, unsigned attributes)
{
    skinning_mesh *mesh = new_mesh(vertices, influences, FIGURE_JOINTS, attributes);
    if (!mesh)
        return NULL;
    random_palette(mesh);
    random_attributes(mesh);
    for (size_t i = 0; i < 3 * (size_t)vertices; i++)
        mesh->positions[i] = skinning_random();
    for (size_t v = 0; v < vertices; v++) {
        for (uint32_t i = 0; i < influences; i++) {
            mesh->joints[v * influences + i] = (uint16_t)(skinning_random() * FIGURE_JOINTS);
            mesh->weights[v * influences + i] = skinning_random() + 0.01f;
        }
        divide_by_sum(mesh->weights + v * influences, influences);
    }
    return mesh;
}

// ---- Of a document ----------------------------------------------------------------------------------------

static bool pose_palette(const sinew_document *document, const sinew_instance *instance,
                         sinew_mat3x4 *palette, uint32_t joint_count, sinew_mat3x4 *center)
{
    sinew_skeleton *skeleton = NULL;
    sinew_skin *skin = NULL;
    sinew_clip_binding *binding = NULL;
    void *memory = NULL;
    sinew_mat4 *model = NULL;
    sinew_pose pose;
    int32_t walk = sinew_document_find_clip(document, "walk");
    const sinew_clip *clip = walk >= 0              ? document->clips[walk]
                             : document->clip_count ? document->clips[0]
                                                    : NULL;
    bool good = sinew_document_skeleton(document, NULL, &skeleton, NULL) == SINEW_OK &&
                sinew_document_make_skin(document, (uint32_t)instance->skin, skeleton, NULL, &skin,
                                         NULL) == SINEW_OK;
    if (good && clip)
        good = sinew_clip_binding_create(
                   &(sinew_clip_binding_desc){.clip = clip, .skeleton = skeleton}, &binding) ==
               SINEW_OK;
    if (good) {
        uint32_t count = sinew_skeleton_joint_count(skeleton);
        size_t pose_size = sinew_pose_size(count);
        memory = sinew_aligned_alloc(pose_size);
        model = malloc((count + 1) * sizeof *model);
        good = memory && model && sinew_pose_init(&pose, count, memory, pose_size) == SINEW_OK;
        if (good)
            good = (clip ? sinew_clip_sample(
                               &(sinew_sample_args){.binding = binding,
                                                    .time = sinew_clip_duration(clip) / 3.0,
                                                    .out_pose = &pose})
                         : sinew_pose_set_rest(&pose, skeleton)) == SINEW_OK;
        if (good)
            good =
                sinew_local_to_model(&(sinew_local_to_model_args){
                    .skeleton = skeleton, .pose = &pose, .out_model = model, .out_count = count}) ==
                    SINEW_OK &&
                sinew_palette_build(&(sinew_palette_args){.skin = skin,
                                                          .model = model,
                                                          .model_count = count,
                                                          .rest = &instance->rest,
                                                          .out_palette = palette,
                                                          .out_count = joint_count,
                                                          .out_center = center}) == SINEW_OK;
    }
    free(model);
    sinew_aligned_free(memory);
    sinew_clip_binding_destroy(binding);
    sinew_skin_destroy(skin);
    sinew_skeleton_destroy(skeleton);
    return good;
}

// Vertices of the skinned parts of a mesh, and the most influences; without normals (tangents) in
// one of them there are none of the whole.
static uint32_t skinned_vertices(const sinew_mesh *mesh, uint32_t *influences, unsigned *attributes)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < mesh->primitive_count; p++) {
        const sinew_primitive *part = &mesh->primitives[p];
        if (!part->positions || part->influence_count == 0)
            continue;
        count += part->vertex_count;
        if (part->influence_count > *influences)
            *influences = part->influence_count;
        if (!part->normals)
            *attributes &= ~(unsigned)SKINNING_NORMALS;
        if (!part->tangents)
            *attributes &= ~(unsigned)SKINNING_TANGENTS;
    }
    return count;
}

bool skinning_make_character(const sinew_document *document, uint32_t vertices, unsigned attributes,
                             skinning_mesh **out)
{
    *out = NULL;
    const sinew_instance *chosen = NULL;
    uint32_t size = 0, influences = 0;
    for (uint32_t i = 0; i < document->instance_count; i++) {
        const sinew_instance *instance = &document->instances[i];
        unsigned all = attributes;
        uint32_t most = 0;
        uint32_t count = instance->skinned
                             ? skinned_vertices(&document->meshes[instance->mesh], &most, &all)
                             : 0;
        if (count > size) {
            chosen = instance;
            size = count;
            influences = most;
        }
    }
    if (!chosen)
        return true;
    const sinew_mesh *source = &document->meshes[chosen->mesh];
    skinned_vertices(source, &influences, &attributes);
    const uint32_t copies = vertices / size + (vertices % size >= size / 2 + size % 2);
    skinning_mesh *mesh = new_mesh(size * (copies ? copies : 1), influences,
                                   document->skins[chosen->skin].joint_count, attributes);
    if (!mesh || !pose_palette(document, chosen, mesh->palette, mesh->joint_count, &mesh->center))
        return false;
    make_columns(mesh);
    mesh->copy_size = size;
    mesh->copy_count = copies ? copies : 1;
    size_t at = 0;
    for (uint32_t copy = 0; copy < mesh->copy_count; copy++)
        for (uint32_t p = 0; p < source->primitive_count; p++) {
            const sinew_primitive *part = &source->primitives[p];
            if (!part->positions || part->influence_count == 0)
                continue;
            const size_t n = part->vertex_count;
            memcpy(mesh->positions + 3 * at, part->positions, 3 * n * sizeof(float));
            if (mesh->normals)
                memcpy(mesh->normals + 3 * at, part->normals, 3 * n * sizeof(float));
            if (mesh->tangents)
                memcpy(mesh->tangents + 4 * at, part->tangents, 4 * n * sizeof(float));
            for (size_t v = 0; v < n; v++, at++) {
                const uint32_t k = part->influence_count;
                memcpy(mesh->joints + at * influences, part->joints + v * k,
                       k * sizeof *part->joints);
                memcpy(mesh->weights + at * influences, part->weights + v * k,
                       k * sizeof *part->weights);
            }
        }
    *out = mesh;
    return true;
}
