#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A table of the lines that runs reached, each file of a folder and all together.

Usage: coverage_lines.py FOLDER BAR COUNTS.json MISSED.txt
COUNTS.json holds what `gcov --json-format --stdout` printed, one text a line. A line that several objects have (.inl files,
headers) is reached where it is in one of them. MISSED.txt gets the lines that were not, as FILE:FIRST-LAST. Exit 1 where
less than BAR percent of all lines were reached."""
import json
import sys


def lines_of(path, folder):
    """file -> {line: reached}"""
    found = {}
    with open(path, encoding='utf-8') as texts:
        for text in texts:
            if not text.strip():
                continue
            for source in json.loads(text)['files']:
                at = ('/' + source['file']).rfind('/' + folder + '/')
                if at < 0:
                    continue
                lines = found.setdefault(source['file'][at:], {})
                for line in source['lines']:
                    number = line['line_number']
                    lines[number] = lines.get(number, False) or line['count'] > 0
    return found


def ranges(numbers, all_numbers):
    """Runs of lines with nothing reached between them: [(first, last)]"""
    found, missed = [], set(numbers)
    for number in sorted(all_numbers):
        if number not in missed:
            found.append(None)
        elif found and found[-1]:
            found[-1] = found[-1][0], number
        else:
            found.append((number, number))
    return [r for r in found if r]


def main():
    folder, bar, counts_path, missed_path = sys.argv[1:5]
    files = lines_of(counts_path, folder)
    total = sum(len(lines) for lines in files.values())
    if not total:
        print('no lines were counted')
        return 1
    print(f'{"lines reached in " + folder:48}{"lines":>7}{"missed":>8}{"%":>8}')
    reached = 0
    with open(missed_path, 'w', encoding='utf-8') as out:
        for name in sorted(files):
            lines = files[name]
            missed = [number for number in lines if not lines[number]]
            reached += len(lines) - len(missed)
            print(f'{name:48}{len(lines):7}{len(missed):8}{100.0 * (len(lines) - len(missed)) / len(lines):8.1f}')
            for first, last in ranges(missed, lines):
                out.write(f'{name}:{first}' + (f'-{last}' if last > first else '') + '\n')
    percent = 100.0 * reached / total
    print(f'{"all":48}{total:7}{total - reached:8}{percent:8.1f}')
    if percent < float(bar):
        print(f'less than {bar} %')
        return 1
    return 0


sys.exit(main())
