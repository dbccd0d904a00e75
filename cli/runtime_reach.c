// SPDX-License-Identifier: MIT
// How far meshes reach from joints.
#include "cli/runtime_reach.h"

#include <math.h>

// Joints that lead a vertex: those with this much of it.
static const float reach_weight = 0.25f;

static double reach_of_primitive(const sinew_document_skin *skin, const sinew_primitive *p)
{
    double most = 0.0;
    for (uint32_t v = 0; v < p->vertex_count; v++) {
        const float *at = p->positions + 3 * (size_t)v;
        for (uint32_t k = 0; k < p->influence_count; k++) {
            const size_t i = (size_t)v * p->influence_count + k;
            if (p->weights[i] < reach_weight || p->joints[i] >= skin->joint_count)
                continue;
            const float *m = skin->inverse_binds[p->joints[i]].m;
            double sum = 0.0;
            for (int r = 0; r < 3; r++) {
                const double x = (double)m[r] * (double)at[0] + (double)m[4 + r] * (double)at[1] +
                                 (double)m[8 + r] * (double)at[2] + (double)m[12 + r];
                sum += x * x;
            }
            most = sum > most ? sum : most; // a NaN is passed over
        }
    }
    return sqrt(most);
}

float cli_runtime_reach(const sinew_document *document)
{
    double most = 0.0;
    for (uint32_t i = 0; i < document->instance_count; i++) {
        const sinew_instance *instance = &document->instances[i];
        const sinew_mesh *mesh = &document->meshes[instance->mesh];
        for (uint32_t p = 0; instance->skinned && p < mesh->primitive_count; p++)
            if (mesh->primitives[p].positions && mesh->primitives[p].influence_count)
                most = fmax(most, reach_of_primitive(&document->skins[instance->skin],
                                                     &mesh->primitives[p]));
    }
    return most < 1e6 ? (float)most : 0.0f;
}
