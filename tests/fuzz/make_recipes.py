#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the corpora of the fuzz targets whose inputs are recipes or small binary files: accessor, packed, picture, bar, build, stream.

Usage: make_recipes.py           writes tests/fuzz/corpus/NAME beside this script
Files there that this script does not make (what fuzzing found) stay. The recipes are told in the targets' own heads."""
import os
import struct
import zlib

import make_corpus as parts

# ---- fuzz_accessor.c: a head of 4 bytes and 17 records of 8 -----------------------------------------------------------
SLOTS = 17
POSITION, NORMAL, TANGENT, UV, COLOR, JOINTS, WEIGHTS, JOINTS_1, WEIGHTS_1, INDICES, TARGET, TARGET_NORMAL, BINDS, \
    TIMES, ROTATION, TRANSLATION, MORPHS = range(SLOTS)
NORMALIZED, NO_VIEW, SPARSE, ABSENT, SHORT, NO_BOUNDS, RAW, CUBIC = (1 << i for i in range(8))
# component types by their number in a record, from 1 on
BYTE, UBYTE, SHORTS, USHORT, NONE, UINT, FLOAT = 7, 1, 2, 3, 4, 5, 6


def accessors(records, vertices=5, keys=4, flags=0, mode=0, pool=b''):
    """records: {slot: {index in the record: byte}}"""
    out = bytearray([vertices, keys, flags, mode])
    for slot in range(SLOTS):
        record = bytearray(8)
        for at, value in records.get(slot, {}).items():
            record[at] = value
        out += record
    return bytes(out) + pool


def accessor_files():
    raw = bytes(range(0, 250, 7)) + struct.pack('<6f', 0.5, -1, float('nan'), float('inf'), 1e30, 0.25)
    return {
        'plain': accessors({}),
        'two_sets': accessors({JOINTS: {1: USHORT}, WEIGHTS: {1: UBYTE, 5: NORMALIZED}}, flags=1),
        'quantized': accessors({POSITION: {1: SHORTS, 4: 8, 5: NORMALIZED}, NORMAL: {1: BYTE, 4: 4, 5: NORMALIZED},
                                TANGENT: {1: BYTE, 5: NORMALIZED}, UV: {1: USHORT, 5: NORMALIZED},
                                COLOR: {1: UBYTE, 5: NORMALIZED}, TARGET: {1: BYTE, 4: 4}}),
        'sparse': accessors({POSITION: {5: SPARSE, 6: 2, 7: 1}, TARGET: {5: SPARSE | NO_VIEW, 6: 64 | 3, 7: 1},
                             TARGET_NORMAL: {5: SPARSE, 6: 128 | 1, 7: 1}, TRANSLATION: {5: SPARSE, 6: 1},
                             BINDS: {5: SPARSE, 6: 1}}, pool=raw),
        'sparse_indices': accessors({INDICES: {5: SPARSE, 6: 2, 7: 1}, JOINTS: {5: SPARSE, 6: 2, 7: 1}}, pool=raw),
        'splines': accessors({ROTATION: {5: CUBIC}, TRANSLATION: {5: CUBIC | RAW}, MORPHS: {5: CUBIC}}, pool=raw),
        'packed_rotation': accessors({ROTATION: {1: SHORTS, 5: NORMALIZED}, MORPHS: {1: UBYTE, 5: NORMALIZED}}),
        'no_views': accessors({slot: {5: NO_VIEW} for slot in range(SLOTS)}),
        'raw': accessors({slot: {5: RAW} for slot in range(SLOTS)}, flags=1, pool=raw),
        'counts': accessors({NORMAL: {2: 1}, UV: {2: 0x7F, 5: NO_VIEW}, TIMES: {2: 255}}),
        'strips': accessors({INDICES: {1: UINT, 5: RAW}}, vertices=9, mode=5, pool=bytes(range(9)) * 4),
        'matrices': accessors({BINDS: {2: 255}}, keys=1),
        'nothing': accessors({}, vertices=0, keys=0),
        # what was found: a finding about an accessor without elements concerned none
        'no_vertices': accessors({WEIGHTS: {1: UBYTE}, BINDS: {2: 253, 4: 64}}, vertices=0, keys=0),
    }


# ---- fuzz_packed.c: a head of 12 bytes and a stream --------------------------------------------------------------------
ATTRIBUTES, TRIANGLES, INDICES_MODE, DRACO = range(4)
OCTAHEDRAL, QUATERNION, EXPONENTIAL = 1, 2, 3


def packed(mode, stream, filter=0, count=0, indices=0, component=0, kind=0, stride=0, flags=0, ids=0, which=0):
    return struct.pack('<BBBBHBBHBB', mode, filter, component, kind, count, stride, flags, indices, ids, which) + stream


def packed_files():
    return {
        'positions': packed(ATTRIBUTES, parts.PACKED_POSITIONS, count=4),
        'positions_khr': packed(ATTRIBUTES, parts.PACKED_POSITIONS, 128, count=4),
        'positions_beside': packed(ATTRIBUTES, parts.PACKED_POSITIONS, count=4, flags=2 | 4),
        'normals': packed(ATTRIBUTES, parts.PACKED_NORMALS, OCTAHEDRAL, count=4, component=6, flags=1 | 64),
        'rotations': packed(ATTRIBUTES, parts.PACKED_ROTATIONS, QUATERNION, count=3, flags=1),
        'moves': packed(ATTRIBUTES, parts.PACKED_MOVES, EXPONENTIAL, count=3),
        'triangles': packed(TRIANGLES, parts.PACKED_TRIANGLES, indices=6),
        'indices': packed(INDICES_MODE, parts.PACKED_INDICES, indices=6, component=3),
        'edgebreaker': packed(DRACO, parts.DRACO_EDGEBREAKER, count=4, indices=6, stride=8),
        'sequential': packed(DRACO, parts.DRACO_SEQUENTIAL, count=4, indices=6, stride=8),
        'strip': packed(DRACO, parts.DRACO_SEQUENTIAL, count=4, indices=6, stride=8 | 32),
        'indices_alone': packed(DRACO, parts.DRACO_SEQUENTIAL, count=4, indices=6, stride=15),
        'huge': packed(DRACO, parts.DRACO_SEQUENTIAL, count=4, indices=6, flags=32),
    }


# ---- fuzz_picture.c ------------------------------------------------------------------------------------------------------

def png(width, height, depth, kind, rows, palette=b'', transparent=b'', interlaced=0, parts=1):
    def chunk(name, data):
        return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))
    return b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, depth, kind, 0, 0, interlaced)) + \
        (chunk(b'PLTE', palette) if palette else b'') + (chunk(b'tRNS', transparent) if transparent else b'') + \
        chunk(b'IDAT', b'') * (parts - 1) + chunk(b'IDAT', zlib.compress(rows, 9)) + chunk(b'IEND', b'')


def bits(text):
    """Bits of a JPEG scan as bytes: filled with ones, a zero behind each 255."""
    text += '1' * (-len(text) % 8)
    return bytes(int(text[i:i + 8], 2) for i in range(0, len(text), 8)).replace(b'\xff', b'\xff\0')


def jpeg(width, height, components, frame, scans, restart=0):
    """components: sampling factors; frame: 0xC0 baseline, 0xC2 progressive; scans: (components, Ss, Se, Ah, Al, bits).
    Both tables of Huffman codes have the symbols 0, 1, 2, 0x11 and 0xF0 as 00, 01, 10, 110 and 1110."""
    def segment(marker, data):
        return struct.pack('>BBH', 0xFF, marker, len(data) + 2) + data
    table = bytes([0, 3, 1, 1] + [0] * 12)
    out = b'\xff\xd8' + segment(0xDB, b'\0' + bytes([3] * 64))
    out += segment(0xC4, b'\0' + table + bytes([0, 1, 2, 3, 4])) + segment(0xC4, b'\x10' + table + bytes([0, 1, 2, 0x11, 0xF0]))
    out += segment(frame, struct.pack('>BHHB', 8, height, width, len(components)) +
                   b''.join(bytes([i + 1, s, 0]) for i, s in enumerate(components)))
    if restart:
        out += segment(0xDD, struct.pack('>H', restart))
    for which, first, last, high, low, data in scans:
        out += segment(0xDA, bytes([len(which)]) + b''.join(bytes([c + 1, 0]) for c in which) +
                       bytes([first, last, high << 4 | low])) + data
    return out + b'\xff\xd9'


def picture_files():
    grey = b''.join(bytes([f]) + bytes((x * 9 + f * 40) % 256 for x in range(6)) for f in range(5))
    block = '01' + '1' + '01' + '1' + '10' + '01' + '00'  # a first number, two more, the end
    return {
        'filters.png': png(6, 5, 8, 0, grey),
        'colour.png': png(2, 2, 8, 2, b'\0' + bytes(range(6)) + b'\4' + bytes(range(6))),
        'alpha.png': png(2, 1, 8, 6, b'\1' + bytes([9, 8, 7, 128, 1, 2, 3, 4])),
        'deep.png': png(2, 1, 16, 6, b'\0' + bytes(range(16))),
        'palette.png': png(5, 2, 2, 3, b'\0\x1b\x40\0\xe4\x80', palette=bytes(range(12)), transparent=b'\0\x80'),
        'short_palette.png': png(5, 2, 2, 3, b'\0\x1b\x40\0\xe4\x80', palette=bytes(range(6))),
        'bits.png': png(9, 2, 1, 0, b'\0\xa5\x80\0\x5a\0'),
        'empty_part.png': png(1, 1, 8, 0, b'\0\1', parts=2),
        'key.png': png(1, 1, 8, 2, b'\0\1\2\3', transparent=b'\0\1\0\2\0\3'),
        'interlaced.png': png(3, 3, 8, 0, b'\0\1\0\2\0\3\0\4\0\5\6\0\7\x08\x09', interlaced=1),
        'claims.png': png(16000, 4000, 8, 6, b'\0'),
        'grey.jpg': jpeg(8, 8, [0x11], 0xC0, [([0], 0, 63, 0, 0, bits(block))]),
        'colour.jpg': jpeg(17, 9, [0x22, 0x11, 0x11], 0xC0, [([0, 1, 2], 0, 63, 0, 0, bits(block * 12))]),
        'restarts.jpg': jpeg(16, 8, [0x11], 0xC0, [([0], 0, 63, 0, 0, bits(block) + b'\xff\xd0' + bits(block))], 1),
        'progressive.jpg': jpeg(16, 8, [0x11], 0xC2, [
            ([0], 0, 0, 0, 1, bits('011' + '1010')), ([0], 1, 63, 0, 1, bits('011' + '00' + '1101' + '00')),
            ([0], 0, 0, 1, 0, bits('10')), ([0], 1, 63, 1, 0, bits('011100' + '001'))]),
        'claims.jpg': jpeg(8000, 8000, [0x11], 0xC0, [([0], 0, 63, 0, 0, bits(block))]),
        'four.jpg': jpeg(8, 8, [0x11, 0x11, 0x11, 0x11], 0xC0, [([0, 1, 2, 3], 0, 63, 0, 0, bits(block * 4))]),
    }


# ---- fuzz_bar.c -----------------------------------------------------------------------------------------------------------

def bar(parents, samples, rate=30.0, version=1, count=None):
    """samples: one list of transforms a sample, the rest pose first."""
    head = struct.pack('<4sIIIf', b'SNBR', version, len(parents), len(samples) - 1 if count is None else count, rate)
    return head + struct.pack('<%dh' % len(parents), *parents) + \
        b''.join(struct.pack('<10f', *t) for sample in samples for t in sample)


def bar_files():
    def at(x, turn=0.0):
        return [x, 1, 0, 0, turn, 0, 1, 1, 1, 1]
    two = [[at(0), at(1)], [at(0), at(1, 0.5)], [at(0.5), at(1, 1)]]
    return {
        'two.bar': bar([-1, 0], two),
        'one.bar': bar([-1], [[at(0)], [at(0)]], 24.0),
        'long.bar': bar([-1, 0, 1], [[at(0, 0.1 * i), at(1, -0.1 * i), at(2)] for i in range(20)], 60.0),
        'version.bar': bar([-1], [[at(0)], [at(0)]], version=2),
        'nan.bar': bar([-1], [[at(0)], [at(parts.NAN)]]),
        'zero.bar': bar([-1], [[at(0)], [[0] * 10]]),
        'parent.bar': bar([0], [[at(0)], [at(0)]]),
        'rate.bar': bar([-1], [[at(0)], [at(0)]], rate=0.0),
        'claims.bar': bar([-1], [[at(0)], [at(0)]], count=0xFFFFFFFF),
    }


# ---- fuzz_build.c ---------------------------------------------------------------------------------------------------------

def build_files():
    wave = bytes((i * i * 5 + i // 7) % 256 for i in range(600))
    return {
        'one': bytes([0, 5, 1, 0, 0]) + wave[:90],
        'limb': bytes([3, 19, 1, 1, 1]) + wave,
        'scaled': bytes([5, 11, 5, 9, 3]) + wave,
        'fine': bytes([2, 17, 3, 17, 1]) + wave,
        'small': bytes([1, 9, 2, 24, 1 | 8]) + wave[:240],
        'jumps': bytes([1, 9, 0, 2, 4 | 8 | 1]) + bytes([0, 3, 0, 200]) * 60,
        # what was found: bounds of a rig of no size, kept by numbers that ended early
        'no_size': bytes([11, 22, 24, 0, 1]) + b'\xff' * 60 + b'\xe1\xce\3\0\x10a' + bytes(30),
    }


# ---- fuzz_stream.c --------------------------------------------------------------------------------------------------------

def stream_files():
    wave = bytes((i * i * 7 + i // 5) % 256 for i in range(700))
    return {
        'one': bytes([0x10, 3, 0, 0, 0]) + wave[:90],
        'limb': bytes([0x23, 0x85, 1, 0x10, 0x0B]) + wave,
        'binary': bytes([0x35, 11, 2 | 16, 0x26, 0x1E]) + wave,
        'scales': bytes([0x15, 7, 0 | 32, 0x59, 0x13]) + wave[::-1],
        'bound': bytes([0x14, 2, 1 | 64, 0x40, 0x16]) + wave[100:],
    }


def main():
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'corpus')
    for name, files in {'accessor': accessor_files(), 'packed': packed_files(), 'picture': picture_files(),
                        'bar': bar_files(), 'build': build_files(), 'stream': stream_files()}.items():
        os.makedirs(os.path.join(folder, name), exist_ok=True)
        for file, data in files.items():
            with open(os.path.join(folder, name, file), 'wb') as out:
                out.write(data)


if __name__ == '__main__':
    main()
