#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A table of the edges (gcov branches) that two sets of runs took, for each reader of files and each of its sources.

Usage: coverage_table.py BAR TESTS.json FUZZ.json MISSED.txt
Each .json holds what `gcov --json-format --stdout` printed, one text a line. MISSED.txt gets the lines with edges that
neither took. Exit 1 where both together took less than BAR percent of a reader's edges, or a reader has none."""
import json
import sys

# What reads files, and which sources are its own: names or what they begin with.
READERS = {
    'glTF, GLB, VRM': ['src/import/gltf/', 'src/import/document', 'src/import/import_file.c'],
    'BVH': ['src/import/bvh/'],
    'packs of streams': ['src/import/pack/'],
    'JSON, numbers': ['src/core/json', 'src/core/number.c'],
    'animation sets': ['src/set/set_file.c', 'src/set/set_read', 'src/set/set_write.c'],
    'set scripts': ['src/set/set_script.c'],
    'mixes': ['src/anim/mix_file.c'],
    'cloud groups': ['src/skin/cloud_groups.c'],
    'runtime clips': ['src/clip/open_runtime_file.c', 'src/clip/build_runtime_file.c'],
    'bars': ['cli/bar_file.c'],
    'PLY': ['extras/ply_'],
    'pictures': ['extras/picture', 'extras/texture.c'],
}


def reader_of(path):
    for reader, sources in READERS.items():
        if any(path.startswith(source) for source in sources):
            return reader
    return None


def edges(path):
    """(source, line, number of the branch) -> taken"""
    found = {}
    with open(path, encoding='utf-8') as texts:
        for text in texts:
            if not text.strip():
                continue
            for source in json.loads(text)['files']:
                at = max(('/' + source['file']).rfind(f'/{folder}/') for folder in ('src', 'extras', 'cli'))
                name = source['file'][at:] if at >= 0 else ''
                if not reader_of(name):
                    continue
                for line in source['lines']:
                    for number, branch in enumerate(line['branches']):
                        key = name, line['line_number'], number
                        found[key] = found.get(key, False) or branch['count'] > 0
    return found


def main():
    bar, tests_path, fuzz_path, missed_path = sys.argv[1:5]
    tests, fuzz = edges(tests_path), edges(fuzz_path)
    everything = sorted(set(tests) | set(fuzz))

    def row(name, keys):
        taken = [sum(of.get(key, False) for key in keys) for of in (tests, fuzz)]
        taken.append(sum(tests.get(key, False) or fuzz.get(key, False) for key in keys))
        shares = [100.0 * count / len(keys) for count in taken]
        print(f'{name:40}{len(keys):7}{shares[0]:9.1f}{shares[1]:8.1f}{shares[2]:8.1f}')
        return shares[2]

    print(f'{"edges taken":40}{"edges":>7}{"tests %":>9}{"fuzz %":>8}{"both %":>8}')
    low = []
    for reader in READERS:
        keys = [key for key in everything if reader_of(key[0]) == reader]
        if not keys or row(reader, keys) < float(bar):
            low.append(reader)
        names = sorted({key[0] for key in keys})
        for name in names if len(names) > 1 else []:
            row('  ' + name, [key for key in keys if key[0] == name])
    if everything:
        row('all', everything)
    with open(missed_path, 'w', encoding='utf-8') as out:
        for name, line in sorted({key[:2] for key in everything if not tests.get(key) and not fuzz.get(key)}):
            out.write(f'{name}:{line}\n')
    for reader in low:
        print(f'{reader}: less than {bar} %')
    return 1 if low else 0


sys.exit(main())
