// SPDX-License-Identifier: MIT
// The checksum of runtime clips is CRC-32 of IEEE 802.3, however long the bytes are.
#include "clip/runtime_internal.h"
#include "support/random.h"
#include "support/test_main.h"

// The definition, a bit at a time.
static uint32_t checksum_by_bits(const uint8_t *bytes, size_t size)
{
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
    }
    return ~crc;
}

// The check value that catalogues of CRCs give (CRC-32/ISO-HDLC).
static void the_nine_digits_have_the_known_sum(void **state)
{
    (void)state;
    assert_int_equal(sinewi_runtime_checksum((const uint8_t *)"123456789", 9), 0xCBF43926u);
    assert_int_equal(sinewi_runtime_checksum((const uint8_t *)"", 0), 0);
}

// Every value of every byte of the eight that are taken at a time, and of those left over.
static void each_byte_counts_at_each_place(void **state)
{
    (void)state;
    uint8_t bytes[21] = {0};
    for (size_t at = 0; at < sizeof bytes; at++) {
        for (int value = 0; value < 256; value++) {
            bytes[at] = (uint8_t)value;
            assert_int_equal(sinewi_runtime_checksum(bytes, sizeof bytes),
                             checksum_by_bits(bytes, sizeof bytes));
        }
        bytes[at] = (uint8_t)(37 * at);
    }
}

static void any_length_from_any_address(void **state)
{
    (void)state;
    uint8_t bytes[128];
    test_random random = test_random_make(7);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)test_random_below(&random, 256);
    for (size_t from = 0; from < 9; from++)
        for (size_t size = 0; from + size <= sizeof bytes; size++)
            assert_int_equal(sinewi_runtime_checksum(bytes + from, size),
                             checksum_by_bits(bytes + from, size));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nine_digits_have_the_known_sum),
        cmocka_unit_test(each_byte_counts_at_each_place),
        cmocka_unit_test(any_length_from_any_address),
    };
    return TEST_RUN(tests);
}
