#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every malformed file gets the answer that tests/data/bad.csv says is right, in time and in little memory.

The table's columns: file, below data/bad of the test data; exit of `sinew inspect`; code, the error's word for exit 1, the
words of all findings for exit 0; strict_code, the error's word under --strict, empty where the file loads there too; why.
Each file has 5 s of processor time and 1 GiB: of address space, or resident where a sanitizer reserves more than that."""
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile

PROGRAM = os.environ['SINEW_PROGRAM']
FOLDER = os.path.join(os.environ.get('SINEW_TEST_DATA', ''), 'data', 'bad')
TABLE = os.path.join(os.environ['SINEW_SOURCE_DIR'], 'tests', 'data', 'bad.csv')
SECONDS, BYTES = 5, 1 << 30
failures = []

with open(PROGRAM, 'rb') as program:
    code_of_program = program.read()
SANITIZED = b'__asan_init' in code_of_program or b'__tsan_init' in code_of_program


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))


def run(words):
    """Exit status (negative: the signal), peak resident bytes, what was printed."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen([PROGRAM, *words], stdout=out, stderr=err, preexec_fn=limit)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode())
        return child.returncode, used.ru_maxrss * 1024, *texts


def refuse(word):
    raise ValueError(word + ' is no JSON')


def check(name, strict, exit_wanted, codes_wanted):
    path = os.path.join(FOLDER, name)
    words = ['inspect', '--json', path] + ['--strict'] * strict
    what = name + ' --strict' * strict

    def expect(good, said):
        if not good:
            failures.append(f'{what}: {said}')

    status, peak, out, err = run(words)
    expect(status == exit_wanted, f'exit {status}, expected {exit_wanted}: {err.strip()[-2000:]}')
    expect(peak <= BYTES, f'{peak >> 20} MiB')
    if status not in (0, 1):
        return
    try:
        answer = json.loads(out, parse_constant=refuse)
    except ValueError as fault:
        expect(False, f'standard output: {fault}')
        return
    expect(answer['file'] == path, 'another file is named')
    findings = answer['findings']
    found = sorted(f['code'] for f in findings)
    expect(found == sorted(codes_wanted), f'{found}, expected {sorted(codes_wanted)}')
    expect(all(f['message'] for f in findings), 'a finding without a message')
    if status == 0:
        expect(err == '', f'standard error: {err}')
        expect(all(f['severity'] != 'error' for f in findings), 'an error, but exit 0')
        return
    expect([f['severity'] for f in findings] == ['error'], 'exit 1 comes with one error')
    expect(set(answer) == {'file', 'findings'}, f'more than file and findings: {sorted(answer)}')
    # FILE: PLACE: sentence
    expect(err.endswith('\n') and err.count('\n') == 1 and err.startswith(path + ': '), f'not one line: {err}')
    place, colon, sentence = err[len(path) + 2:].partition(': ')
    expect(place and colon and sentence.strip(), f'no place or no sentence: {err}')
    for f in findings:
        expect(f['message'] in err, f'the line lacks {f["message"]!r}: {err}')


def main():
    if not os.path.isdir(FOLDER):
        print('skipped: there is no', FOLDER)
        return 77
    with open(TABLE, encoding='utf-8', newline='') as file:
        rows = list(csv.DictReader(file))
    there = sorted(os.path.relpath(os.path.join(folder, name), FOLDER).replace(os.sep, '/')
                   for folder, _, names in os.walk(FOLDER) for name in names)
    listed = [row['file'] for row in rows]
    for name in sorted(set(there) ^ set(listed)):
        failures.append(f'{name}: ' + ('not in the table' if name in there else 'in the table, but there is no such file'))
    if len(set(listed)) != len(listed):
        failures.append('a file is listed twice')
    for row in rows:
        if row['file'] not in there:
            continue
        if not row['why'] or row['exit'] == '1' and not row['strict_code']:
            failures.append(f'{row["file"]}: the row lacks its reason, or is milder under --strict')
        check(row['file'], False, int(row['exit']), row['code'].split())
        strict = row['strict_code'].split()
        check(row['file'], True, 1 if strict else 0, strict or row['code'].split())
    for line in failures:
        print('FAILED:', line)
    print(f'{len(rows)} files, twice each: {len(failures)} failures')
    return 1 if failures else 0


sys.exit(main())
