// SPDX-License-Identifier: MIT
// The springs of a document (VRM) as springs of a skeleton: nodes become joints, and the end of the
// last bone is worked out from the nodes, since a rig need not have it.
#include <string.h>

#include "import/document_internal.h"

// Where a node is in the space of one above it; false where it is not above.
static bool node_in_node(const sinew_document *d, uint32_t node, uint32_t above, sinew_vec3 *out)
{
    sinew_vec3 place = {0.0f, 0.0f, 0.0f};
    uint32_t steps = 0;
    for (int32_t n = (int32_t)node; n >= 0 && steps++ <= d->node_count; n = d->nodes[n].parent) {
        if (n == (int32_t)above) {
            *out = place;
            return true;
        }
        const sinew_mat4 local = sinew_mat4_from_transform(&d->nodes[n].local);
        place = sinew_mat4_transform_point(&local, place);
    }
    return false;
}

typedef struct springs_build {
    const sinew_document *document;
    const sinew_skeleton *skeleton;
    sinewi_arena arena;
    sinew_spring_chain *chains;
    sinew_spring_collider *colliders;
    int32_t *collider_of; // [spring_collider_count] or -1
    uint32_t chain_count, collider_count;
} springs_build;

static int32_t spring_joint(const springs_build *b, int32_t node)
{
    return node < 0 ? -1 : sinew_skeleton_joint_of_node(b->skeleton, node);
}

static void build_spring_colliders(springs_build *b)
{
    for (uint32_t i = 0; i < b->document->spring_collider_count; i++) {
        const sinew_document_collider *c = &b->document->spring_colliders[i];
        const int32_t joint = spring_joint(b, (int32_t)c->node);
        b->collider_of[i] = joint < 0 ? -1 : (int32_t)b->collider_count;
        if (joint >= 0)
            b->colliders[b->collider_count++] = (sinew_spring_collider){.joint = (uint32_t)joint,
                                                                        .offset = c->offset,
                                                                        .is_capsule = c->is_capsule,
                                                                        .tail = c->tail,
                                                                        .radius = c->radius};
    }
}

static bool build_spring_chain(springs_build *b, const sinew_document_spring *s)
{
    sinew_spring_link *links = sinewi_arena_alloc(&b->arena, s->link_count, sizeof *links);
    uint16_t *colliders = sinewi_arena_alloc(&b->arena, s->collider_count, sizeof *colliders);
    if (!links || !colliders)
        return false;
    sinew_spring_chain chain = {
        .links = links, .center = spring_joint(b, s->center), .colliders = colliders};
    for (uint32_t k = 0; k < s->link_count; k++) {
        const sinew_document_spring_link *l = &s->links[k];
        const int32_t joint = spring_joint(b, (int32_t)l->node);
        if (joint < 0)
            break;
        links[chain.link_count++] = (sinew_spring_link){.joint = (uint32_t)joint,
                                                        .stiffness = l->stiffness,
                                                        .drag = l->drag,
                                                        .gravity = l->gravity,
                                                        .gravity_direction = l->gravity_direction,
                                                        .radius = l->radius};
    }
    for (uint32_t k = 0; k < s->collider_count; k++)
        if (b->collider_of[s->colliders[k]] >= 0)
            colliders[chain.collider_count++] = (uint16_t)b->collider_of[s->colliders[k]];
    if (!chain.link_count)
        return true;
    sinew_spring_link *last = &links[chain.link_count - 1];
    const uint32_t node = s->links[chain.link_count - 1].node;
    const int32_t end = chain.link_count < s->link_count
                            ? (int32_t)s->links[chain.link_count].node // cut: where it went on
                            : s->end;
    if (end >= 0 && !node_in_node(b->document, (uint32_t)end, node, &last->tail))
        last->tail = (sinew_vec3){0.0f, 0.0f, 0.0f};
    b->chains[b->chain_count++] = chain;
    return true;
}

sinew_result sinew_document_make_joint_springs(const sinew_document *document,
                                               const sinew_skeleton *skeleton,
                                               const sinew_allocator *allocator,
                                               sinew_joint_springs **out, sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!document || !skeleton || !out)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "a document, a skeleton and out must be given");
    springs_build b = {.document = document, .skeleton = skeleton};
    const sinew_allocator memory = sinewi_allocator(allocator);
    sinewi_arena_init(&b.arena, &memory, 0);
    b.chains = sinewi_arena_alloc(&b.arena, document->spring_count, sizeof *b.chains);
    b.colliders =
        sinewi_arena_alloc(&b.arena, document->spring_collider_count, sizeof *b.colliders);
    b.collider_of =
        sinewi_arena_alloc(&b.arena, document->spring_collider_count, sizeof *b.collider_of);
    bool good = b.chains && b.colliders && b.collider_of;
    if (good)
        build_spring_colliders(&b);
    for (uint32_t i = 0; good && i < document->spring_count; i++)
        good = build_spring_chain(&b, &document->springs[i]);
    sinew_result result = SINEW_OK;
    if (!good)
        result = sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory for springs");
    else if (!b.chain_count)
        result = sinewi_error(error, SINEW_ERROR_NOT_FOUND, "springs",
                              "no spring of the document swings a joint of the skeleton");
    else
        result = sinew_joint_springs_create(
            &(sinew_joint_springs_desc){.skeleton = skeleton,
                                        .chains = b.chains,
                                        .chain_count = b.chain_count,
                                        .colliders = b.colliders,
                                        .collider_count = b.collider_count,
                                        .allocator = memory},
            out, error);
    sinewi_arena_free(&b.arena);
    return result;
}
