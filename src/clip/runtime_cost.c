// SPDX-License-Identifier: MIT
// What the parts of a runtime clip cost. The clip has been checked: what its tables say lies within
// its bytes.
#include "sinew/runtime_cost.h"
#include "clip/runtime_internal.h"

// Bytes that a track takes beside its samples.
static uint32_t cost_of_axes(uint32_t property)
{
    return property == SINEW_PROPERTY_ROTATION ? 8 + 6 + 2 : 1 + 12 + 2;
}
static uint32_t cost_of_constant(uint32_t property)
{
    return property == SINEW_PROPERTY_ROTATION ? 8 : 12;
}
static uint64_t cost_of_held(const sinewi_runtime_held *held)
{
    return 4 + (uint64_t)held->key_count * 4 * (1 + held->components);
}

static void add_table_costs(const sinew_runtime_clip *clip, sinew_runtime_cost *out,
                            uint64_t *joint_bits)
{
    const uint8_t *kinds = clip->bytes + SINEWI_RUNTIME_HEADER_SIZE;
    for (uint32_t p = 0; p < 3; p++) {
        out->constant[p] = clip->header.counts[SINEWI_RUNTIME_CONSTANT - 1][p];
        out->animated[p] = clip->header.counts[SINEWI_RUNTIME_ANIMATED - 1][p];
        out->step[p] = clip->header.counts[SINEWI_RUNTIME_HELD - 1][p];
        out->axes += (uint64_t)out->animated[p] * cost_of_axes(p);
        out->constants += (uint64_t)out->constant[p] * cost_of_constant(p);
        for (uint32_t j = 0; joint_bits && j < clip->header.joint_count; j++) {
            const uint32_t kind = kinds[j] >> (2 * p) & 3;
            if (kind == SINEWI_RUNTIME_CONSTANT)
                joint_bits[j] += 8 * cost_of_constant(p);
            else if (kind == SINEWI_RUNTIME_ANIMATED)
                joint_bits[j] += 8 * cost_of_axes(p);
        }
    }
    for (uint32_t i = 0; i < clip->held_count; i++) {
        const sinewi_runtime_held *held = &clip->held[i];
        const uint64_t bytes = cost_of_held(held);
        if (held->property == SINEW_PROPERTY_WEIGHTS) {
            out->scalars += bytes;
            continue;
        }
        out->held += bytes;
        if (joint_bits)
            joint_bits[held->target] += 8 * bytes;
    }
    for (uint32_t i = 0; i < clip->header.scalar_count; i++) {
        const sinewi_runtime_scalar *scalar = &clip->scalars[i];
        out->scalars += 1;
        if (scalar->held < 0)
            out->scalars += (scalar->width ? 8 : 4) +
                            ((uint64_t)scalar->width * clip->header.sample_count + 7) / 8;
    }
}

// A block behind its scale. Returns the bytes of its tables of widths.
static uint64_t add_block_costs(const sinew_runtime_clip *clip, uint32_t block,
                                uint64_t *joint_bits)
{
    const sinewi_runtime_header *h = &clip->header;
    const uint32_t left = h->sample_count - 1 - block * SINEWI_RUNTIME_BLOCK;
    const sinewi_runtime_schedule *schedule =
        &sinewi_runtime_schedules[left < SINEWI_RUNTIME_BLOCK ? left : SINEWI_RUNTIME_BLOCK];
    const uint8_t *at =
        clip->blocks +
        ((size_t)sinewi_load_u16(clip->offsets + 2 * (size_t)block) << h->offset_shift) + 1;
    uint64_t tables = 0;
    for (uint32_t g = 0; g < clip->group_count; g++) {
        const sinewi_runtime_group *group = &clip->groups[g];
        uint64_t bits = 0;
        for (uint32_t c = 0; c < 3u * group->count; c++) {
            const uint32_t nibble = at[c / 2] >> (4 * (c % 2)) & 15;
            const int32_t base = sinewi_runtime_base_width(nibble);
            uint64_t own = 0;
            for (uint32_t i = 0; i < schedule->count && base >= 0; i++) {
                const uint32_t level = schedule->steps[i].level - 1u;
                own += (uint32_t)base + (level < 2 ? h->growth[group->property][level] : 0u);
            }
            bits += own;
            if (joint_bits)
                joint_bits[group->joints[c % group->count]] += own + 4;
        }
        const size_t table = (3 * (size_t)group->count + 1) / 2;
        tables += table;
        at += table + (size_t)((bits + 7) / 8);
    }
    return tables;
}

sinew_result sinew_runtime_clip_cost(const sinew_runtime_clip *clip, sinew_runtime_cost *out,
                                     uint64_t *out_joint_bits)
{
    if (!clip || !out)
        return SINEW_ERROR_INVALID_ARGUMENT;
    const sinewi_runtime_header *h = &clip->header;
    memset(out, 0, sizeof *out);
    if (out_joint_bits)
        memset(out_joint_bits, 0, h->joint_count * sizeof *out_joint_bits);
    out->total = h->size;
    out->head = SINEWI_RUNTIME_HEADER_SIZE + SINEWI_RUNTIME_PAD;
    out->kinds = h->joint_count;
    add_table_costs(clip, out, out_joint_bits);
    const uint64_t keys = (uint64_t)clip->block_count + 1;
    out->keys = keys * clip->key_size;
    for (uint32_t g = 0; g < clip->group_count && out_joint_bits; g++)
        for (uint32_t lane = 0; lane < clip->groups[g].count; lane++)
            for (int k = 0; k < 3; k++)
                out_joint_bits[clip->groups[g].joints[lane]] +=
                    keys * clip->groups[g].key_widths[k][lane];
    for (uint32_t b = 0; b < clip->block_count; b++)
        out->widths += add_block_costs(clip, b, out_joint_bits);
    out->widths += 2 * (uint64_t)clip->block_count;
    out->values = out->total - out->head - out->kinds - out->axes - out->constants - out->held -
                  out->scalars - out->keys - out->widths;
    return SINEW_OK;
}
