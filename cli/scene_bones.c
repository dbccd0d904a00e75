// SPDX-License-Identifier: MIT
// Bones as solids; see scene_bones.h. Flat faces show how a bone turns: its corners follow the axes
// of the joint that it begins at.
#include "cli/scene_bones.h"

#include <stdlib.h>

enum { BONE_CORNERS = 6, BONE_INDICES = 24 };
// Parts of a bone's length, and of the mean length of all: long bones are not to be clubs, nor
// short ones hairs.
#define BONE_THICK 0.12f
#define BONE_THICK_LEAST 0.12f
#define BONE_THICK_MOST 0.22f
#define BONE_WAIST 0.16f // where it is thickest
#define JOINT_SIZE 0.13f

bool scene_bones_make(scene_bones *bones, uint32_t joint_count)
{
    const size_t solids = 2 * (size_t)joint_count + 1;
    *bones = (scene_bones){
        .positions = malloc(solids * BONE_CORNERS * 3 * sizeof *bones->positions),
        .indices = malloc(solids * BONE_INDICES * sizeof *bones->indices),
    };
    return bones->positions && bones->indices;
}

void scene_bones_free(scene_bones *bones)
{
    free(bones->positions);
    free(bones->indices);
    *bones = (scene_bones){0};
}

static sinew_vec3 column(const sinew_mat4 *m, int i)
{
    return sinew_vec3_make(m->m[4 * i], m->m[4 * i + 1], m->m[4 * i + 2]);
}

// From a to b, as thick as `radius` about `waist`.
static void add_octahedron(scene_bones *bones, sinew_vec3 a, sinew_vec3 b, sinew_vec3 waist,
                           sinew_vec3 x, sinew_vec3 y, float radius)
{
    static const uint8_t faces[BONE_INDICES] = {0, 2, 3, 0, 3, 4, 0, 4, 5, 0, 5, 2,
                                                1, 3, 2, 1, 4, 3, 1, 5, 4, 1, 2, 5};
    const sinew_vec3 corners[BONE_CORNERS] = {
        a,
        b,
        sinew_vec3_add(waist, sinew_vec3_scale(x, radius)),
        sinew_vec3_add(waist, sinew_vec3_scale(y, radius)),
        sinew_vec3_add(waist, sinew_vec3_scale(x, -radius)),
        sinew_vec3_add(waist, sinew_vec3_scale(y, -radius)),
    };
    float *p = bones->positions + 3 * (size_t)bones->vertex_count;
    for (int i = 0; i < BONE_CORNERS; i++, p += 3)
        p[0] = corners[i].x, p[1] = corners[i].y, p[2] = corners[i].z;
    for (int i = 0; i < BONE_INDICES; i++)
        bones->indices[bones->index_count++] = bones->vertex_count + faces[i];
    bones->vertex_count += BONE_CORNERS;
}

static void add_bone(scene_bones *bones, const sinew_mat4 *from, sinew_vec3 a, sinew_vec3 b,
                     float radius)
{
    const sinew_vec3 along = sinew_vec3_sub(b, a);
    const sinew_vec3 up = sinew_vec3_normalize(along, sinew_vec3_make(0.0f, 1.0f, 0.0f));
    // the axis of the joint that stands most upright on the bone
    sinew_vec3 side = {1.0f, 0.0f, 0.0f};
    float best = 2.0f;
    for (int i = 0; i < 3; i++) {
        const sinew_vec3 axis =
            sinew_vec3_normalize(column(from, i), sinew_vec3_make(0.0f, 0.0f, 0.0f));
        const float lean = fabsf(sinew_vec3_dot(axis, up));
        if (sinew_vec3_dot(axis, axis) > 0.5f && lean < best) {
            best = lean;
            side = axis;
        }
    }
    const sinew_vec3 y =
        sinew_vec3_normalize(sinew_vec3_cross(up, side), sinew_vec3_make(0.0f, 0.0f, 1.0f));
    const sinew_vec3 x = sinew_vec3_cross(y, up);
    add_octahedron(bones, a, b, sinew_vec3_lerp(a, b, BONE_WAIST), x, y, radius);
}

void scene_bones_pose(scene_bones *bones, const posed_document *posed, const int32_t *parents)
{
    const uint32_t count = posed->document->node_count;
    double sum = 0.0;
    uint32_t lengths = 0;
    bones->vertex_count = bones->index_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (parents[i] < 0)
            continue;
        const float length = sinew_vec3_length(
            sinew_vec3_sub(column(&posed->world[i], 3), column(&posed->world[parents[i]], 3)));
        if (length > 0.0f && length < 1e15f) {
            sum += (double)length;
            lengths++;
        }
    }
    const float mean = lengths ? (float)(sum / lengths) : 1.0f;
    for (uint32_t i = 0; i < count; i++) {
        if (parents[i] < -1)
            continue;
        const sinew_vec3 at = column(&posed->world[i], 3);
        const float size = JOINT_SIZE * mean;
        const sinew_vec3 x = {1.0f, 0.0f, 0.0f}, y = {0.0f, 0.0f, 1.0f}, up = {0.0f, size, 0.0f};
        add_octahedron(bones, sinew_vec3_sub(at, up), sinew_vec3_add(at, up), at, x, y, size);
        if (parents[i] < 0)
            continue;
        const sinew_vec3 from = column(&posed->world[parents[i]], 3);
        const float length = sinew_vec3_length(sinew_vec3_sub(at, from));
        if (!(length > 1e-6f * mean && length < 1e15f))
            continue;
        float radius = BONE_THICK * length;
        radius = radius < BONE_THICK_LEAST * mean ? BONE_THICK_LEAST * mean : radius;
        radius = radius > BONE_THICK_MOST * mean ? BONE_THICK_MOST * mean : radius;
        add_bone(bones, &posed->world[parents[i]], from, at, radius);
    }
}
