// SPDX-License-Identifier: MIT
// How runtime clips keep numbers: scales, axes, quaternions, widths.
#include <math.h>

#include "clip/runtime_internal.h"

// 2^(k / 8) and 2^(k / 16), k = 0 ...
static float fine_power(int32_t sixteenths)
{
    static const float parts[16] = {1.0f,        1.04427378f, 1.09050773f, 1.13878863f,
                                    1.18920712f, 1.24185781f, 1.29683955f, 1.35425555f,
                                    1.41421356f, 1.47682615f, 1.54221083f, 1.61049033f,
                                    1.68179283f, 1.75625216f, 1.83400809f, 1.91520656f};
    const int32_t whole = sixteenths >= 0 ? sixteenths / 16 : -((15 - sixteenths) / 16);
    // 2^whole: floats hold these from their exponent on
    const uint32_t bits = (uint32_t)(whole + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return parts[sixteenths - 16 * whole] * power;
}

float sinewi_runtime_scale(uint32_t scale)
{
    return fine_power(2 * ((int32_t)scale - SINEWI_RUNTIME_NO_SCALE));
}

float sinewi_runtime_vector_step(uint32_t step)
{
    return fine_power(2 * ((int32_t)step - 200));
}

int32_t sinewi_runtime_base_width(uint32_t nibble)
{
    return nibble <= 13 ? (int32_t)nibble - 1 : nibble == 14 ? 15 : SINEWI_RUNTIME_WIDTH;
}

// ---- Axes -------------------------------------------------------------------------------------------------

enum { AXIS_BITS = 6, AXIS_MOST = 31, AXIS_BIAS = 800 };

// Nine numbers of six bits with a sign, over a common power of 2^(1/16) in the ten bits above.
uint64_t sinewi_runtime_pack_axes(const double axes[9])
{
    double most = 0.0;
    for (int i = 0; i < 9; i++)
        most = fabs(axes[i]) > most ? fabs(axes[i]) : most;
    int32_t power = 0; // the least at which the largest fits
    while (power < 1023 && (double)fine_power(power - AXIS_BIAS) * AXIS_MOST < most)
        power++;
    const double unit = (double)fine_power(power - AXIS_BIAS);
    uint64_t packed = (uint64_t)power << 54;
    for (int i = 0; i < 9; i++) {
        double number = floor(axes[i] / unit + 0.5);
        number = number > AXIS_MOST ? AXIS_MOST : number < -AXIS_MOST ? -AXIS_MOST : number;
        packed |= (uint64_t)(uint32_t)((int32_t)number & 63) << (AXIS_BITS * i);
    }
    return packed;
}

void sinewi_runtime_unpack_axes(uint64_t packed, float out[9])
{
    const float unit = fine_power((int32_t)(packed >> 54) - AXIS_BIAS);
    for (int i = 0; i < 9; i++) {
        const uint32_t bits = (uint32_t)(packed >> (AXIS_BITS * i)) & 63;
        out[i] = (float)((int32_t)(bits ^ 32) - 32) * unit;
    }
}

// ---- Quaternions ------------------------------------------------------------------------------------------

// The three smaller components are within 1 / sqrt(2); the largest is positive and follows.
uint64_t sinewi_runtime_pack_quat(const double q[4], uint32_t bits)
{
    int largest = 0;
    for (int k = 1; k < 4; k++)
        if (fabs(q[k]) > fabs(q[largest]))
            largest = k;
    const double most = (double)(((uint64_t)1 << (bits - 1)) - 1);
    const double sign = q[largest] < 0.0 ? -1.0 : 1.0;
    uint64_t packed = (uint64_t)largest;
    uint32_t at = 2;
    for (int k = 0; k < 4; k++) {
        if (k == largest)
            continue;
        double number = floor(sign * q[k] * 1.4142135623730951 * most + 0.5);
        number = number > most ? most : number < -most ? -most : number;
        packed |= ((uint64_t)(int64_t)number & (((uint64_t)1 << bits) - 1)) << at;
        at += bits;
    }
    return packed;
}

void sinewi_runtime_unpack_quat(uint64_t packed, uint32_t bits, float out[4])
{
    const uint32_t largest = (uint32_t)(packed & 3);
    const uint64_t mask = ((uint64_t)1 << bits) - 1, sign = (uint64_t)1 << (bits - 1);
    const double unit = 0.70710678118654752 / (double)(sign - 1);
    double q[4], rest = 1.0;
    uint32_t at = 2;
    for (uint32_t k = 0; k < 4; k++) {
        if (k == largest)
            continue;
        const uint64_t number = packed >> at & mask;
        q[k] = (double)((int64_t)(number ^ sign) - (int64_t)sign) * unit;
        rest -= q[k] * q[k];
        at += bits;
    }
    q[largest] = sqrt(rest > 0.0 ? rest : 0.0);
    double size = 0.0;
    for (int k = 0; k < 4; k++)
        size += q[k] * q[k];
    size = sqrt(size);
    for (int k = 0; k < 4; k++)
        out[k] = (float)(q[k] / size);
}

// ---- Widths -----------------------------------------------------------------------------------------------

void sinewi_runtime_read_widths(const uint8_t *at, uint32_t lane_count, sinewi_runtime_widths *out)
{
    uint32_t all = 0, index = 0;
    for (uint32_t k = 0; k < 3; k++)
        for (uint32_t lane = 0; lane < SINEWI_RUNTIME_LANES; lane++) {
            int32_t base = -1;
            if (lane < lane_count) {
                base =
                    sinewi_runtime_base_width((uint32_t)at[index >> 1] >> (4 * (index & 1)) & 15u);
                index++;
            }
            out->bases[k][lane] = base;
            out->before[k][lane] = all;
            if (base >= 0)
                all += (uint32_t)base + (1u << 16);
        }
    out->all = all;
}

size_t sinewi_runtime_records_size(const sinewi_runtime_widths *widths, const uint8_t growth[2],
                                   const sinewi_runtime_schedule *schedule)
{
    const uint32_t growths[3] = {growth[0], growth[1], 0};
    size_t bits = 0;
    for (uint32_t i = 0; i < schedule->count; i++)
        bits += sinewi_runtime_bits(widths->all, growths[schedule->steps[i].level - 1]);
    return (bits + 7) / 8;
}
