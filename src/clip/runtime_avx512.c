// SPDX-License-Identifier: MIT
// Decoding runtime clips with AVX-512, sixteen joints at once.
#include "clip/runtime_internal.h"
#include "core/lanes_avx512.h"

#if defined(SINEWI_X86_KERNELS)

#define RUNTIME_OWN_UNPACK
#define RUNTIME_OWN_WIDTHS runtime_widths_avx512

// Sixteen values that follow each other lie within 64 bytes, of which as many words are read as the
// values touch: at most seven bytes behind the last. Each value takes the two words that it may
// stand in.
SINEWI_TARGET_AVX512 static inline __m512 unpack_lanes_avx512(const uint8_t *bytes, __m512i offsets,
                                                              __m512i widths)
{
    const uint32_t first = (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(offsets));
    const uint32_t end = (uint32_t)_mm_extract_epi32(_mm512_extracti32x4_epi32(offsets, 3), 3) +
                         (uint32_t)_mm_extract_epi32(_mm512_extracti32x4_epi32(widths, 3), 3);
    const uint32_t words = (end - (first & ~7u) + 31) / 32;
    const __mmask16 touched = (__mmask16)((1u << words) - 1u);
    const __m512i line = _mm512_maskz_loadu_epi32(touched, bytes + (first >> 3));
    const __m512i full = _mm512_set1_epi32(32), one = _mm512_set1_epi32(1);
    const __m512i at = _mm512_sub_epi32(offsets, _mm512_set1_epi32((int)(first & ~7u)));
    const __m512i word = _mm512_srli_epi32(at, 5);
    const __m512i bit = _mm512_and_si512(at, _mm512_set1_epi32(31));
    const __m512i low = _mm512_permutexvar_epi32(word, line);
    const __m512i high = _mm512_permutexvar_epi32(_mm512_add_epi32(word, one), line);
    // a shift by 32 gives 0
    const __m512i value = _mm512_or_si512(_mm512_srlv_epi32(low, bit),
                                          _mm512_sllv_epi32(high, _mm512_sub_epi32(full, bit)));
    const __m512i unused = _mm512_sub_epi32(full, widths);
    const __mmask16 some = _mm512_test_epi32_mask(widths, widths);
    return _mm512_cvtepi32_ps(
        _mm512_maskz_srav_epi32(some, _mm512_sllv_epi32(value, unused), unused));
}

SINEWI_TARGET_AVX512 static inline __m512
runtime_unpack_avx512(const uint8_t *bytes, const uint32_t *offsets, const uint32_t *widths)
{
    return unpack_lanes_avx512(bytes, _mm512_loadu_si512(offsets), _mm512_loadu_si512(widths));
}

SINEWI_TARGET_AVX512 static inline __m512
runtime_record_avx512(const uint8_t *bytes, uint32_t record, const sinewi_runtime_widths *widths,
                      int k, uint32_t lane, uint32_t growth)
{
    (void)lane;
    const __m512i before = _mm512_loadu_si512(widths->before[k]);
    const __m512i bases = _mm512_loadu_si512(widths->bases[k]);
    const __m512i more = _mm512_set1_epi32((int)growth);
    __m512i offsets = _mm512_and_si512(before, _mm512_set1_epi32(65535));
    offsets = _mm512_add_epi32(offsets, _mm512_mullo_epi32(_mm512_srli_epi32(before, 16), more));
    offsets = _mm512_add_epi32(offsets, _mm512_set1_epi32((int)record));
    const __mmask16 some = _mm512_cmpgt_epi32_mask(bases, _mm512_set1_epi32(-1));
    return unpack_lanes_avx512(bytes, offsets, _mm512_maskz_add_epi32(some, bases, more));
}

// Nibbles to lanes, a table of what they mean, and a running sum.
SINEWI_TARGET_AVX512 static void runtime_widths_avx512(const uint8_t *at, uint32_t lane_count,
                                                       sinewi_runtime_widths *out)
{
    const __m512i meaning =
        _mm512_setr_epi32(-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, SINEWI_RUNTIME_WIDTH);
    const __m512i shifts =
        _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 0, 4, 8, 12, 16, 20, 24, 28);
    const __m512i zero = _mm512_setzero_si512(), none = _mm512_set1_epi32(-1);
    const __mmask16 used = (__mmask16)((1u << lane_count) - 1u);
    uint32_t all = 0;
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t first = k * lane_count;
        const uint64_t nibbles = sinewi_load_u64(at + (first >> 1)) >> (4 * (first & 1));
        __m512i lanes = _mm512_inserti64x4(_mm512_set1_epi32((int)(uint32_t)nibbles),
                                           _mm256_set1_epi32((int)(uint32_t)(nibbles >> 32)), 1);
        lanes = _mm512_and_si512(_mm512_srlv_epi32(lanes, shifts), _mm512_set1_epi32(15));
        const __m512i bases = _mm512_mask_permutexvar_epi32(none, used, lanes, meaning);
        const __mmask16 some = _mm512_cmpgt_epi32_mask(bases, none);
        const __m512i own = _mm512_maskz_add_epi32(some, bases, _mm512_set1_epi32(1 << 16));
        __m512i sum = _mm512_add_epi32(own, _mm512_alignr_epi32(own, zero, 15));
        sum = _mm512_add_epi32(sum, _mm512_alignr_epi32(sum, zero, 14));
        sum = _mm512_add_epi32(sum, _mm512_alignr_epi32(sum, zero, 12));
        sum = _mm512_add_epi32(sum, _mm512_alignr_epi32(sum, zero, 8));
        sum = _mm512_add_epi32(sum, _mm512_set1_epi32((int)all));
        _mm512_storeu_si512(out->bases[k], bases);
        _mm512_storeu_si512(out->before[k], _mm512_sub_epi32(sum, own));
        all = (uint32_t)_mm_extract_epi32(_mm512_extracti32x4_epi32(sum, 3), 3);
    }
    out->all = all;
}

#define LANES(name) f16_##name
#define LANE_COUNT 16
#define RUNTIME_FN SINEWI_TARGET_AVX512
#define RUNTIME_NAME(name) name##_avx512
#define RUNTIME_TABLE sinewi_runtime_avx512
#include "clip/runtime_wide.inl"

#endif
