// SPDX-License-Identifier: MIT
// What import noticed: one finding a code and place. Reading goes part by part, so that findings
// come in another order than their places in the file; they are sorted at the end.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/gltf/gltf_internal.h"

static uint32_t finding_hash(sinew_result code, uint64_t place)
{
    uint64_t h = (place * 64 + (uint64_t)code) * 0x9E3779B97F4A7C15ull; // Fibonacci hashing
    return (uint32_t)(h >> 32);
}

// Doubles the room; the slots are twice as many and filled anew.
static bool grow_findings(gltf_reader *r)
{
    uint32_t capacity = r->finding_capacity ? r->finding_capacity * 2 : 16;
    gltf_finding *more = sinewi_gltf_scratch(r, capacity, sizeof *more);
    uint32_t *slots = more ? sinewi_gltf_scratch(r, (uint64_t)capacity * 2, sizeof *slots) : NULL;
    if (!slots)
        return false;
    if (r->finding_count)
        memcpy(more, r->findings, r->finding_count * sizeof *more);
    for (uint32_t i = 0; i < r->finding_count; i++) {
        uint32_t at = finding_hash(more[i].finding.code, more[i].place) & (2 * capacity - 1);
        while (slots[at])
            at = (at + 1) & (2 * capacity - 1);
        slots[at] = i + 1;
    }
    r->findings = more;
    r->finding_slots = slots;
    r->finding_capacity = capacity;
    return true;
}

bool sinewi_gltf_find(gltf_reader *r, const sinewi_json_value *place, sinew_result code,
                      uint64_t count, double worst, const char *format, ...)
{
    char text[SINEW_ERROR_MESSAGE_SIZE + 8], message[SINEW_ERROR_MESSAGE_SIZE],
        path[SINEW_ERROR_PATH_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sinewi_copy_text(message, sizeof message, text);
    sinew_severity severity = sinew_result_severity(code);
    if (r->desc->strict && severity >= SINEW_SEVERITY_WARNING)
        return sinewi_gltf_fail(r, place, code, "%s", message);
    if (r->finding_count == r->finding_capacity && !grow_findings(r))
        return false;
    uint64_t key = place ? place->start + 1 : 0;
    uint32_t mask = 2 * r->finding_capacity - 1, at = finding_hash(code, key) & mask;
    for (; r->finding_slots[at]; at = (at + 1) & mask) {
        const gltf_finding *other = &r->findings[r->finding_slots[at] - 1];
        if (other->finding.code == code && other->place == key)
            return true; // the same data again, such as a sampler of two channels
    }
    path[0] = '\0';
    if (place)
        sinewi_json_path(&r->json, place, path, sizeof path);
    gltf_finding *found = &r->findings[r->finding_count];
    found->place = key;
    found->order = r->finding_count;
    found->finding.code = code;
    found->finding.severity = severity;
    found->finding.count = count ? count : 1; // of an accessor without elements: itself
    found->finding.worst = isfinite(worst) ? worst : 0.0;
    found->finding.where = sinewi_arena_text(&r->document->arena, path, strlen(path));
    found->finding.message = sinewi_arena_text(&r->document->arena, message, strlen(message));
    if (!found->finding.where || !found->finding.message)
        return sinewi_gltf_no_memory(r);
    r->finding_slots[at] = ++r->finding_count;
    return true;
}

static bool finding_comes_first(const gltf_finding *a, const gltf_finding *b)
{
    return a->place != b->place ? a->place < b->place : a->order < b->order;
}

// A heap sort: files may be made to have very many, and the C library's qsort need not be quick.
static void sift_finding(gltf_finding *heap, size_t at, size_t count)
{
    gltf_finding moved = heap[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && finding_comes_first(&heap[child], &heap[child + 1]))
            child++;
        if (!finding_comes_first(&moved, &heap[child]))
            break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

bool sinewi_gltf_keep_findings(gltf_reader *r)
{
    sinew_finding *kept = sinewi_gltf_alloc(r, r->finding_count, sizeof *kept);
    if (!kept)
        return false;
    for (size_t i = r->finding_count / 2; i-- > 0;)
        sift_finding(r->findings, i, r->finding_count);
    for (size_t i = r->finding_count; i-- > 0;) {
        kept[i] = r->findings[0].finding;
        r->findings[0] = r->findings[i];
        sift_finding(r->findings, 0, i);
    }
    r->view->findings = kept;
    r->view->finding_count = r->finding_count;
    return true;
}
