#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A table of the edges (gcov branches) that two sets of runs took, each file of a folder and all together.

Usage: coverage_table.py FOLDER BAR TESTS.json FUZZ.json [--missed]
Each .json holds what `gcov --json-format --stdout` printed, one text a line. Exit 1 where both together took less than BAR
percent. --missed lists the lines whose edges neither took."""
import json
import sys


def edges(path, folder):
    """(file, line, number of the branch) -> taken"""
    found = {}
    with open(path, encoding='utf-8') as texts:
        for text in texts:
            if not text.strip():
                continue
            for source in json.loads(text)['files']:
                at = source['file'].find(folder + '/')
                if at < 0:
                    continue
                name = source['file'][at + len(folder) + 1:]
                for line in source['lines']:
                    for number, branch in enumerate(line['branches']):
                        key = name, line['line_number'], number
                        found[key] = found.get(key, False) or branch['count'] > 0
    return found


def percent(part, whole):
    return 100.0 * part / whole if whole else 100.0


def main():
    folder, bar, tests_path, fuzz_path = sys.argv[1:5]
    tests, fuzz = edges(tests_path, folder), edges(fuzz_path, folder)
    everything = sorted(set(tests) | set(fuzz))
    if not everything:
        print('no edges were counted')
        return 1
    print(f'{"edges taken in " + folder:32}{"edges":>7}{"tests %":>9}{"fuzz %":>8}{"both %":>8}')
    names = sorted({key[0] for key in everything})
    for name in names + [None]:
        keys = [k for k in everything if name is None or k[0] == name]
        by_tests, by_fuzz = sum(tests.get(k, False) for k in keys), sum(fuzz.get(k, False) for k in keys)
        both = sum(tests.get(k, False) or fuzz.get(k, False) for k in keys)
        print(f'{name or "all":32}{len(keys):7}{percent(by_tests, len(keys)):9.1f}{percent(by_fuzz, len(keys)):8.1f}'
              f'{percent(both, len(keys)):8.1f}')
    if '--missed' in sys.argv:
        for name, line in sorted({k[:2] for k in everything if not tests.get(k, False) and not fuzz.get(k, False)}):
            print(f'{folder}/{name}:{line}')
    if percent(both, len(keys)) < float(bar):
        print(f'less than {bar} %')
        return 1
    return 0


sys.exit(main())
