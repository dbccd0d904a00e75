// SPDX-License-Identifier: MIT
// Springs of avatars: VRM 1.0 (VRMC_springBone) as they are, VRM 0.x (secondaryAnimation) as chains
// of the same kind. What names nothing that is there is left out, with one finding.
//
// VRM 0.x lists roots, and everything below a root swings: a path down to a leaf becomes a chain,
// and what branches off another one. Offsets of its colliders have z the other way round.
#include <math.h>
#include <string.h>

#include "import/gltf/gltf_internal.h"

enum { MAX_SPRING_COLLIDERS = 65535 };

typedef struct spring_reader {
    gltf_reader *r;
    sinew_document_collider *colliders;
    sinew_document_spring *springs;
    uint32_t collider_room, spring_room;
    uint8_t *swings;  // [node_count] nodes that are links already
    int32_t *parents; // [node_count]
    uint32_t invalid;
    const sinewi_json_value *first_invalid;
} spring_reader;

static void leave_out(spring_reader *s, const sinewi_json_value *place)
{
    s->first_invalid = s->invalid++ ? s->first_invalid : place;
}

static const sinewi_json_value *spring_member(const spring_reader *s,
                                              const sinewi_json_value *object, const char *key)
{
    return sinewi_json_get(&s->r->json, object, key);
}

// A number in [low, high], else `otherwise`.
static float spring_number(const spring_reader *s, const sinewi_json_value *object, const char *key,
                           float otherwise, double low, double high)
{
    const sinewi_json_value *v = spring_member(s, object, key);
    return v && v->type == SINEWI_JSON_NUMBER && v->number >= low && v->number <= high
               ? (float)v->number
               : otherwise;
}

// An array of three numbers, or an object of x y z.
static sinew_vec3 spring_vector(const spring_reader *s, const sinewi_json_value *object,
                                const char *key, sinew_vec3 otherwise)
{
    static const char *const axes[] = {"x", "y", "z"};
    const sinewi_json_value *v = spring_member(s, object, key);
    float out[3];
    for (uint32_t i = 0; i < 3; i++) {
        const sinewi_json_value *part = !v ? NULL
                                        : v->type == SINEWI_JSON_ARRAY
                                            ? sinewi_json_at(&s->r->json, v, i)
                                            : spring_member(s, v, axes[i]);
        if (!part || part->type != SINEWI_JSON_NUMBER || !(fabs(part->number) <= 1e9))
            return otherwise;
        out[i] = (float)part->number;
    }
    return sinew_vec3_make(out[0], out[1], out[2]);
}

// An index below a count; -1 for anything else.
static int64_t spring_index(const sinewi_json_value *v, uint32_t count)
{
    if (!v || v->type != SINEWI_JSON_NUMBER || !(v->number >= 0.0) || v->number >= count ||
        v->number != floor(v->number))
        return -1;
    return (int64_t)v->number;
}

// Elements of an array; none where it is no array.
static uint32_t spring_count(const sinewi_json_value *v)
{
    return v && v->type == SINEWI_JSON_ARRAY ? v->count : 0;
}

static bool spring_below(const spring_reader *s, uint32_t node, uint32_t above)
{
    uint32_t steps = 0; // cycles are refused later
    for (int32_t p = s->parents[node]; p >= 0 && steps++ < s->r->view->node_count;
         p = s->parents[p])
        if (p == (int32_t)above)
            return true;
    return false;
}

// Colliders by groups, in either version.
typedef struct spring_groups {
    uint32_t *starts;  // [count + 1] of each group among members
    uint16_t *members; // colliders of the document
    uint32_t count;
} spring_groups;

// Colliders of a spring's groups.
static bool take_colliders(spring_reader *s, const sinewi_json_value *spring,
                           const spring_groups *groups, sinew_document_spring *out)
{
    const sinewi_json_value *own = spring_member(s, spring, "colliderGroups");
    for (int pass = 0; pass < 2; pass++) { // counted, then listed
        uint16_t *colliders =
            pass ? sinewi_gltf_alloc(s->r, out->collider_count, sizeof *colliders) : NULL;
        if (pass && !colliders)
            return false;
        uint32_t n = 0;
        for (uint32_t i = 0; i < spring_count(own); i++) {
            const sinewi_json_value *v = sinewi_json_at(&s->r->json, own, i);
            const int64_t g = spring_index(v, groups->count);
            if (g < 0 && !pass)
                leave_out(s, v);
            for (uint32_t c = g < 0 ? 0 : groups->starts[g]; g >= 0 && c < groups->starts[g + 1];
                 c++, n++)
                if (pass)
                    colliders[n] = groups->members[c];
        }
        out->collider_count = n;
        out->colliders = colliders;
    }
    return true;
}

// ---- VRM 1.0 --------------------------------------------------------------------------------------------

// Those that are good, and which number each of the file has among them; -1: none.
static void read_colliders(spring_reader *s, const sinewi_json_value *list, int32_t *numbers)
{
    sinew_document *d = s->r->view;
    for (uint32_t i = 0; i < spring_count(list); i++) {
        const sinewi_json_value *v = sinewi_json_at(&s->r->json, list, i);
        const sinewi_json_value *shape = spring_member(s, v, "shape");
        const sinewi_json_value *capsule = spring_member(s, shape, "capsule"),
                                *round = capsule ? capsule : spring_member(s, shape, "sphere");
        const int64_t node = spring_index(spring_member(s, v, "node"), d->node_count);
        numbers[i] = -1;
        if (node < 0 || !round) {
            leave_out(s, v);
            continue;
        }
        const sinew_vec3 zero = {0.0f, 0.0f, 0.0f};
        numbers[i] = (int32_t)d->spring_collider_count;
        s->colliders[d->spring_collider_count++] =
            (sinew_document_collider){.node = (uint32_t)node,
                                      .offset = spring_vector(s, round, "offset", zero),
                                      .is_capsule = capsule != NULL,
                                      .tail = spring_vector(s, capsule, "tail", zero),
                                      .radius = spring_number(s, round, "radius", 0.0f, 0.0, 1e6)};
    }
}

// Resolves the groups once: which colliders each has, as their numbers among those that are good.
static bool read_groups(spring_reader *s, const sinewi_json_value *groups, const int32_t *numbers,
                        uint32_t number_count, spring_groups *out)
{
    size_t room = 0;
    out->count = spring_count(groups);
    for (uint32_t g = 0; g < out->count; g++)
        room += spring_count(spring_member(s, sinewi_json_at(&s->r->json, groups, g), "colliders"));
    out->starts = sinewi_gltf_scratch(s->r, (uint64_t)out->count + 1, sizeof *out->starts);
    out->members = sinewi_gltf_scratch(s->r, room + 1, sizeof *out->members);
    if (!out->starts || !out->members)
        return false;
    uint32_t n = 0;
    for (uint32_t g = 0; g < out->count; g++) {
        const sinewi_json_value *list =
            spring_member(s, sinewi_json_at(&s->r->json, groups, g), "colliders");
        out->starts[g] = n;
        for (uint32_t k = 0; k < spring_count(list); k++) {
            const int64_t c = spring_index(sinewi_json_at(&s->r->json, list, k), number_count);
            if (c >= 0 && numbers[c] >= 0)
                out->members[n++] = (uint16_t)numbers[c];
        }
    }
    out->starts[out->count] = n;
    return true;
}

// The last joint of a spring is the end of the one before.
static bool read_links(spring_reader *s, const sinewi_json_value *joints,
                       sinew_document_spring *out)
{
    const uint32_t count = spring_count(joints);
    sinew_document_spring_link *links = sinewi_gltf_alloc(s->r, count, sizeof *links);
    if (!links)
        return false;
    out->links = links;
    for (uint32_t i = 0; i < count; i++) {
        const sinewi_json_value *v = sinewi_json_at(&s->r->json, joints, i);
        const int64_t node = spring_index(spring_member(s, v, "node"), s->r->view->node_count);
        const uint32_t before = i ? links[i - 1].node : 0;
        if (node < 0 || s->swings[node] || (i && !spring_below(s, (uint32_t)node, before))) {
            leave_out(s, v ? v : joints);
            break; // what stands before it swings
        }
        links[i] = (sinew_document_spring_link){
            .node = (uint32_t)node,
            .stiffness = spring_number(s, v, "stiffness", 1.0f, 0.0, 1e6),
            .drag = spring_number(s, v, "dragForce", 0.5f, 0.0, 1.0),
            .gravity = spring_number(s, v, "gravityPower", 0.0f, 0.0, 1e6),
            .radius = spring_number(s, v, "hitRadius", 0.0f, 0.0, 1e6),
            .gravity_direction =
                spring_vector(s, v, "gravityDir", sinew_vec3_make(0.0f, -1.0f, 0.0f))};
        out->link_count++;
    }
    if (out->link_count) {
        out->link_count--;
        out->end = (int32_t)links[out->link_count].node;
    }
    for (uint32_t i = 0; i < out->link_count; i++)
        s->swings[links[i].node] = 1;
    return true;
}

static bool read_vrm1_springs(spring_reader *s, const sinewi_json_value *extension)
{
    gltf_reader *r = s->r;
    const sinewi_json_value *colliders = spring_member(s, extension, "colliders"),
                            *groups = spring_member(s, extension, "colliderGroups"),
                            *springs = spring_member(s, extension, "springs");
    if (spring_count(colliders) > MAX_SPRING_COLLIDERS)
        return sinewi_gltf_fail(r, colliders, SINEW_ERROR_LIMIT_EXCEEDED, "%u colliders",
                                (unsigned)colliders->count);
    s->colliders = sinewi_gltf_alloc(r, spring_count(colliders), sizeof *s->colliders);
    s->springs = sinewi_gltf_alloc(r, spring_count(springs), sizeof *s->springs);
    int32_t *numbers =
        sinewi_gltf_scratch(r, (uint64_t)spring_count(colliders) + 1, sizeof *numbers);
    if (!s->colliders || !s->springs || !numbers)
        return false;
    read_colliders(s, colliders, numbers);
    spring_groups by_group;
    if (!read_groups(s, groups, numbers, spring_count(colliders), &by_group))
        return false;
    for (uint32_t i = 0; i < spring_count(springs); i++) {
        const sinewi_json_value *v = sinewi_json_at(&r->json, springs, i);
        const sinewi_json_value *name = spring_member(s, v, "name");
        sinew_document_spring spring = {.name = "", .end = -1, .center = -1};
        spring.center = (int32_t)spring_index(spring_member(s, v, "center"), r->view->node_count);
        if (name && name->type == SINEWI_JSON_STRING)
            spring.name = sinewi_gltf_copy_text(r, name);
        if (!spring.name || !read_links(s, spring_member(s, v, "joints"), &spring) ||
            !take_colliders(s, v, &by_group, &spring))
            return false;
        if (spring.link_count)
            s->springs[r->view->spring_count++] = spring;
    }
    return true;
}

// ---- VRM 0.x --------------------------------------------------------------------------------------------

// Groups are of one node each; where group i's colliders begin is told, [group count + 1].
static bool read_vrm0_colliders(spring_reader *s, const sinewi_json_value *groups,
                                spring_groups *out)
{
    gltf_reader *r = s->r;
    uint64_t total = 0;
    const uint32_t count = spring_count(groups);
    for (uint32_t i = 0; i < count; i++)
        total += spring_count(spring_member(s, sinewi_json_at(&r->json, groups, i), "colliders"));
    if (total > MAX_SPRING_COLLIDERS)
        return sinewi_gltf_fail(r, groups, SINEW_ERROR_LIMIT_EXCEEDED, "%u colliders",
                                (unsigned)total);
    s->colliders = sinewi_gltf_alloc(r, (uint64_t)total, sizeof *s->colliders);
    out->count = count;
    out->starts = sinewi_gltf_scratch(r, (uint64_t)count + 1, sizeof *out->starts);
    out->members = sinewi_gltf_scratch(r, (uint64_t)total + 1, sizeof *out->members);
    if (!s->colliders || !out->starts || !out->members)
        return false;
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        const sinewi_json_value *group = sinewi_json_at(&r->json, groups, i),
                                *list = spring_member(s, group, "colliders");
        const int64_t node = spring_index(spring_member(s, group, "node"), r->view->node_count);
        out->starts[i] = n;
        if (node < 0 && spring_count(list))
            leave_out(s, group);
        for (uint32_t k = 0; node >= 0 && k < spring_count(list); k++) {
            const sinewi_json_value *v = sinewi_json_at(&r->json, list, k);
            sinew_vec3 offset = spring_vector(s, v, "offset", sinew_vec3_make(0.0f, 0.0f, 0.0f));
            offset.z = 0.0f - offset.z;
            out->members[n] = (uint16_t)n;
            s->colliders[n++] =
                (sinew_document_collider){.node = (uint32_t)node,
                                          .offset = offset,
                                          .radius = spring_number(s, v, "radius", 0.0f, 0.0, 1e6)};
        }
    }
    out->starts[count] = n;
    r->view->spring_collider_count = n;
    return true;
}

// The chain from a node down its first children; branches wait on the stack.
static bool add_vrm0_chain(spring_reader *s, uint32_t node, const sinew_document_spring *model,
                           const sinew_document_spring_link *link, uint32_t *stack,
                           uint32_t *stack_count)
{
    gltf_reader *r = s->r;
    uint32_t count = 0;
    for (uint32_t n = node; count <= r->view->node_count; n = r->view->nodes[n].children[0]) {
        count++;
        if (!r->view->nodes[n].child_count || s->swings[r->view->nodes[n].children[0]])
            break;
    }
    sinew_document_spring_link *links = sinewi_gltf_alloc(r, count, sizeof *links);
    if (!links)
        return false;
    sinew_document_spring spring = *model;
    spring.links = links;
    for (uint32_t n = node;;) {
        const sinew_node *at = &r->view->nodes[n];
        s->swings[n] = 1;
        links[spring.link_count] = *link;
        links[spring.link_count++].node = n;
        for (uint32_t k = 1; k < at->child_count; k++)
            if (!s->swings[at->children[k]] && *stack_count < r->view->node_count)
                stack[(*stack_count)++] = at->children[k];
        if (!at->child_count || s->swings[at->children[0]] || spring.link_count == count)
            break;
        n = at->children[0];
    }
    if (r->view->spring_count < s->spring_room)
        s->springs[r->view->spring_count++] = spring;
    return true;
}

static bool read_vrm0_springs(spring_reader *s, const sinewi_json_value *secondary)
{
    gltf_reader *r = s->r;
    const sinewi_json_value *groups = spring_member(s, secondary, "colliderGroups"),
                            *springs = spring_member(s, secondary, "boneGroups");
    uint32_t stack_count = 0;
    spring_groups by_group = {NULL, NULL, 0};
    if (!read_vrm0_colliders(s, groups, &by_group))
        return false;
    s->spring_room = r->view->node_count; // each node swings once
    s->springs = sinewi_gltf_alloc(r, s->spring_room, sizeof *s->springs);
    uint32_t *stack = sinewi_gltf_scratch(r, (uint64_t)r->view->node_count + 1, sizeof *stack);
    if (!s->springs || !stack)
        return false;
    for (uint32_t i = 0; i < spring_count(springs); i++) {
        const sinewi_json_value *v = sinewi_json_at(&r->json, springs, i),
                                *bones = spring_member(s, v, "bones"),
                                *name = spring_member(s, v, "comment");
        sinew_document_spring spring = {.name = "", .end = -1, .center = -1};
        spring.center = (int32_t)spring_index(spring_member(s, v, "center"), r->view->node_count);
        if (name && name->type == SINEWI_JSON_STRING)
            spring.name = sinewi_gltf_copy_text(r, name);
        if (!spring.name || !take_colliders(s, v, &by_group, &spring))
            return false;
        const sinew_document_spring_link link = {
            .stiffness = spring_number(s, v, "stiffiness", 1.0f, 0.0, 1e6), // as VRM 0.x spells it
            .drag = spring_number(s, v, "dragForce", 0.5f, 0.0, 1.0),
            .gravity = spring_number(s, v, "gravityPower", 0.0f, 0.0, 1e6),
            .radius = spring_number(s, v, "hitRadius", 0.0f, 0.0, 1e6),
            .gravity_direction =
                spring_vector(s, v, "gravityDir", sinew_vec3_make(0.0f, -1.0f, 0.0f))};
        for (uint32_t k = 0; k < spring_count(bones); k++) {
            const sinewi_json_value *bone = sinewi_json_at(&r->json, bones, k);
            const int64_t node = spring_index(bone, r->view->node_count);
            if (node < 0 || s->swings[node]) {
                leave_out(s, bone);
                continue;
            }
            stack[stack_count++] = (uint32_t)node;
            while (stack_count) {
                const uint32_t root = stack[--stack_count];
                if (!s->swings[root] &&
                    !add_vrm0_chain(s, root, &spring, &link, stack, &stack_count))
                    return false;
            }
        }
    }
    return true;
}

// ---- Either ---------------------------------------------------------------------------------------------

bool sinewi_gltf_read_springs(gltf_reader *r)
{
    const sinewi_json_value *vrm1 = sinewi_gltf_extension(r, r->root, "VRMC_springBone");
    const sinewi_json_value *vrm0 =
        sinewi_json_get(&r->json, sinewi_gltf_extension(r, r->root, "VRM"), "secondaryAnimation");
    spring_reader s = {.r = r};
    if (!vrm1 && !vrm0)
        return true;
    s.swings = sinewi_gltf_scratch(r, (uint64_t)r->view->node_count + 1, sizeof *s.swings);
    s.parents = sinewi_gltf_scratch(r, (uint64_t)r->view->node_count + 1, sizeof *s.parents);
    if (!s.swings || !s.parents)
        return false;
    memset(s.swings, 0, (size_t)r->view->node_count + 1);
    for (uint32_t n = 0; n < r->view->node_count; n++)
        s.parents[n] = -1;
    for (uint32_t n = 0; n < r->view->node_count; n++)
        for (uint32_t k = 0; k < r->view->nodes[n].child_count; k++)
            s.parents[r->view->nodes[n].children[k]] = (int32_t)n;
    if (!(vrm1 ? read_vrm1_springs(&s, vrm1) : read_vrm0_springs(&s, vrm0)))
        return false;
    r->view->spring_colliders = s.colliders;
    r->view->springs = s.springs;
    return !s.invalid ||
           sinewi_gltf_find(r, s.first_invalid, SINEW_SPRING_BONE_INVALID, s.invalid, 0.0,
                            "%u spring bones or colliders name what is not there, or "
                            "swing already; they were left out",
                            (unsigned)s.invalid);
}
