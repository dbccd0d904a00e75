// SPDX-License-Identifier: MIT
// CRC-32 of IEEE 802.3 (reflected, 0xEDB88320): finds every burst of up to 32 bits, and so every
// changed byte. Eight bytes at a time: M. E. Kounavis and F. L. Berry, "Novel table lookup-based
// algorithms for high-performance CRC generation", IEEE Transactions on Computers 57 (2008).
#include "clip/runtime_internal.h"

// What a byte becomes when k + 1 bytes have gone by: a sum (exclusive or) over its bits, of which
// bit j becomes x^(39 - j + 8 k) modulo the polynomial. A row is given by those of its bits.
#define BYTE_ENTRY(i, b0, b1, b2, b3, b4, b5, b6, b7)                                              \
    (((i)&1 ? b0 : 0) ^ ((i)&2 ? b1 : 0) ^ ((i)&4 ? b2 : 0) ^ ((i)&8 ? b3 : 0) ^                   \
     ((i)&16 ? b4 : 0) ^ ((i)&32 ? b5 : 0) ^ ((i)&64 ? b6 : 0) ^ ((i)&128 ? b7 : 0))
#define BYTE_ENTRIES_4(i, ...)                                                                     \
    BYTE_ENTRY(i, __VA_ARGS__), BYTE_ENTRY(i + 1, __VA_ARGS__), BYTE_ENTRY(i + 2, __VA_ARGS__),    \
        BYTE_ENTRY(i + 3, __VA_ARGS__)
#define BYTE_ENTRIES_16(i, ...)                                                                    \
    BYTE_ENTRIES_4(i, __VA_ARGS__), BYTE_ENTRIES_4(i + 4, __VA_ARGS__),                            \
        BYTE_ENTRIES_4(i + 8, __VA_ARGS__), BYTE_ENTRIES_4(i + 12, __VA_ARGS__)
#define BYTE_ENTRIES_64(i, ...)                                                                    \
    BYTE_ENTRIES_16(i, __VA_ARGS__), BYTE_ENTRIES_16(i + 16, __VA_ARGS__),                         \
        BYTE_ENTRIES_16(i + 32, __VA_ARGS__), BYTE_ENTRIES_16(i + 48, __VA_ARGS__)
#define BYTE_ROW(...)                                                                              \
    {                                                                                              \
        BYTE_ENTRIES_64(0, __VA_ARGS__), BYTE_ENTRIES_64(64, __VA_ARGS__),                         \
            BYTE_ENTRIES_64(128, __VA_ARGS__), BYTE_ENTRIES_64(192, __VA_ARGS__)                   \
    }

static const uint32_t checksum_rows[8][256] = {
    BYTE_ROW(0x77073096u, 0xEE0E612Cu, 0x076DC419u, 0x0EDB8832u, 0x1DB71064u, 0x3B6E20C8u,
             0x76DC4190u, 0xEDB88320u),
    BYTE_ROW(0x191B3141u, 0x32366282u, 0x646CC504u, 0xC8D98A08u, 0x4AC21251u, 0x958424A2u,
             0xF0794F05u, 0x3B83984Bu),
    BYTE_ROW(0x01C26A37u, 0x0384D46Eu, 0x0709A8DCu, 0x0E1351B8u, 0x1C26A370u, 0x384D46E0u,
             0x709A8DC0u, 0xE1351B80u),
    BYTE_ROW(0xB8BC6765u, 0xAA09C88Bu, 0x8F629757u, 0xC5B428EFu, 0x5019579Fu, 0xA032AF3Eu,
             0x9B14583Du, 0xED59B63Bu),
    BYTE_ROW(0x3D6029B0u, 0x7AC05360u, 0xF580A6C0u, 0x30704BC1u, 0x60E09782u, 0xC1C12F04u,
             0x58F35849u, 0xB1E6B092u),
    BYTE_ROW(0xCB5CD3A5u, 0x4DC8A10Bu, 0x9B914216u, 0xEC53826Du, 0x03D6029Bu, 0x07AC0536u,
             0x0F580A6Cu, 0x1EB014D8u),
    BYTE_ROW(0xA6770BB4u, 0x979F1129u, 0xF44F2413u, 0x33EF4E67u, 0x67DE9CCEu, 0xCFBD399Cu,
             0x440B7579u, 0x8816EAF2u),
    BYTE_ROW(0xCCAA009Eu, 0x4225077Du, 0x844A0EFAu, 0xD3E51BB5u, 0x7CBB312Bu, 0xF9766256u,
             0x299DC2EDu, 0x533B85DAu),
};

uint32_t sinewi_runtime_checksum(const uint8_t *bytes, size_t size)
{
    uint32_t crc = 0xFFFFFFFFu;
    size_t i = 0;
    for (; size - i >= 8; i += 8) {
        const uint32_t low = crc ^ sinewi_load_u32(bytes + i),
                       high = sinewi_load_u32(bytes + i + 4);
        crc = checksum_rows[7][low & 255] ^ checksum_rows[6][low >> 8 & 255] ^
              checksum_rows[5][low >> 16 & 255] ^ checksum_rows[4][low >> 24] ^
              checksum_rows[3][high & 255] ^ checksum_rows[2][high >> 8 & 255] ^
              checksum_rows[1][high >> 16 & 255] ^ checksum_rows[0][high >> 24];
    }
    for (; i < size; i++)
        crc = (crc >> 8) ^ checksum_rows[0][(crc ^ bytes[i]) & 255];
    return ~crc;
}
