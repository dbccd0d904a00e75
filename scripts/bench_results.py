#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the benchmarks once for each instruction set and keeps the rows in bench/results/MACHINE/ISA.csv.

Usage: scripts/bench_results.py [--program build/sinew] [--machine NAME] [--isa NAME]... [--large] [--runs N]

MACHINE is made of the processor's name and its cores unless given. Each file is one whole run with SINEW_ISA, baselines
included, so that its ratios are of one run; `--large` adds the rows of eight million vertices, which need some gigabytes.
With --runs the run with the smallest sum of medians over minima is kept: the one that was disturbed least.
"""
import argparse
import csv
import io
import json
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
FIELDS = ['table', 'name', 'isa', 'threads', 'count', 'ns', 'ns_min', 'baseline', 'ratio', 'ratio_min', 'unit', 'units']


def said(*words):
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
    return done.stdout.strip() if done.returncode == 0 else ''


def flags_of(program):
    """What the build folder of the program says of its flags."""
    try:
        with open(os.path.join(os.path.dirname(program), 'CMakeCache.txt'), encoding='utf-8') as cache:
            found = dict(re.findall(r'^(CMAKE_BUILD_TYPE|CMAKE_C_FLAGS|CMAKE_C_FLAGS_RELEASE):\w+=(.*)$', cache.read(), re.M))
    except OSError:
        return 'unknown'
    words = [found.get('CMAKE_C_FLAGS', '')]
    if found.get('CMAKE_BUILD_TYPE') == 'Release':
        words.append(found.get('CMAKE_C_FLAGS_RELEASE', ''))
    return ' '.join([*' '.join(words).split(), '-ffp-contract=off'])


def run(program, isa, options):
    done = subprocess.run([program, 'bench', '--json', *options], capture_output=True, text=True,
                          env={**os.environ, 'SINEW_ISA': isa})
    if done.returncode != 0:
        sys.exit(f'bench_results: {done.stderr.strip()}')
    return json.loads(done.stdout)


def calmest(program, isa, options, runs):
    return min((run(program, isa, options) for _ in range(runs)),
               key=lambda r: sum(row['ns'] / row['ns_min'] for row in r['rows']) / len(r['rows']))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--program', default=os.path.join(ROOT, 'build', 'sinew'))
    parser.add_argument('--machine')
    parser.add_argument('--isa', action='append')
    parser.add_argument('--large', action='store_true')
    parser.add_argument('--runs', type=int, default=1)
    args = parser.parse_args()

    version = json.loads(said(args.program, 'version', '--json') or '{}')
    isas = args.isa or version.get('isa_built') or ['scalar']
    commit = said('git', 'rev-parse', '--short', 'HEAD') or 'unknown'
    if said('git', 'status', '--porcelain', '--untracked-files=no', '--', ':!bench/results'):
        commit += '+'
    for isa in isas:
        result = calmest(args.program, isa, [], args.runs)
        if args.large:
            result['rows'] += calmest(args.program, isa, ['--filter', '8M'], args.runs)['rows']
        machine = result['machine']
        name = args.machine or re.sub(r'[^a-z0-9]+', '-', f"{machine['cpu']} {machine['cores']} cores".lower()).strip('-')
        folder = os.path.join(ROOT, 'bench', 'results', name)
        os.makedirs(folder, exist_ok=True)
        text = io.StringIO()
        for word, value in (('cpu', machine['cpu']), ('cores', machine['cores']), ('compiler', machine['compiler']),
                            ('flags', flags_of(args.program)), ('commit', commit), ('isa', isa)):
            text.write(f'# {word}: {value}\n')
        rows = csv.writer(text, lineterminator='\n')
        rows.writerow(FIELDS)
        for row in result['rows']:
            rows.writerow([f'{row[f]:.4g}' if isinstance(row[f], float) else '' if row[f] is None else row[f] for f in FIELDS])
        with open(os.path.join(folder, isa + '.csv'), 'w', encoding='utf-8') as out:
            out.write(text.getvalue())
        print(os.path.relpath(out.name, ROOT))


main()
