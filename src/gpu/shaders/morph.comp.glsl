// SPDX-License-Identifier: MIT
// Adds weighted morph targets to the rest vertices, in the order of the targets, as
// sinew_morph_vertices does: sums are not normalised, and a tangent's w is kept. One vertex an
// invocation.

layout(local_size_x = 64) in;

// sinewi_morph_params
layout(std140, binding = 0) uniform sinew_params {
    uint vertex_count, vertex_floats, target_count, first_vertex;
};

layout(std430, binding = 0) readonly buffer sinew_rest {
    float rest[];
};
// For each vertex v its offsets are entries [targets[v], targets[v + 1]); entries begin behind
// these vertex_count + 1 words, each of 1 + vertex_floats words: the target, and what it adds at
// weight 1.
layout(std430, binding = 1) readonly buffer sinew_targets {
    uint targets[];
};
layout(std430, binding = 2) readonly buffer sinew_weights {
    float weights[];
};
layout(std430, binding = 3) writeonly buffer sinew_morphed {
    float morphed[];
};

void main()
{
    uint vertex = first_vertex + gl_GlobalInvocationID.x;
    if (vertex >= vertex_count)
        return;
    uint at = vertex * vertex_floats, first = targets[vertex], last = targets[vertex + 1u];
    float sums[10];
    for (uint k = 0u; k < vertex_floats; k++)
        sums[k] = rest[at + k];
    for (uint entry = first; entry < last; entry++) {
        uint word = vertex_count + 1u + entry * (1u + vertex_floats);
        float weight = weights[targets[word]];
        if (weight == 0.0)
            continue;
        for (uint k = 0u; k < vertex_floats; k++)
            sums[k] += weight * uintBitsToFloat(targets[word + 1u + k]);
    }
    for (uint k = 0u; k < vertex_floats; k++)
        morphed[at + k] = sums[k];
}
