#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts what a CTest run did, test function by test function.

Usage: count_tests.py JUNIT.xml SUITE RESULTS

JUNIT.xml is what `ctest --output-junit` wrote. A program written with cmocka counts each of its test functions; any
other test counts as one. A program that dies between its functions counts the finished ones and one failure.
Appends one line a test to RESULTS (pass NAME, fail NAME, skip NAME: REASON), prints the output of what failed, the
names of what was skipped and one line of counts. Exits 1 if something failed or nothing ran.
"""
import re
import sys
import xml.etree.ElementTree as ElementTree

FINISHED = re.compile(r'^\[ +(OK|FAILED|SKIPPED|ERROR) +\] (\S.*?)\s*$')
NO_NAME = re.compile(r'^(\d+ test\(s\)|---)')  # sums, and the place of a failure


def functions_of(output):
    """(result, name) of each cmocka test function that came to an end, in order; each once."""
    found = {}
    for line in output.splitlines():
        match = FINISHED.match(line)  # cmocka lists failed and skipped ones once more at its end
        if match and not NO_NAME.search(match[2]):
            found[match[2]] = {'OK': 'pass', 'SKIPPED': 'skip'}.get(match[1], 'fail')
    return [(result, name) for name, result in found.items()]


def reason_of(output):
    """Why a test was skipped: the last line that it printed before it said so."""
    lines = [l.strip() for l in output.splitlines() if l.strip() and not re.match(r'^\[[ =]', l.strip())]
    return lines[-1] if lines else 'no reason given'


def results_of(case):
    name, status = case.get('name'), case.get('status')
    output = (case.findtext('system-out') or '')
    if status in ('notrun', 'disabled') or case.find('skipped') is not None:
        skipped = case.find('skipped')
        message = skipped.get('message', '') if skipped is not None else ''
        if 'SKIP' in message or status == 'disabled':
            return [('skip', name, reason_of(output))], output
        return [('fail', name, message)], output  # a program that could not be started is no skip
    functions = functions_of(output)
    results = [(result, f'{name}.{function}', reason_before(output, function) if result == 'skip' else '')
               for result, function in functions]
    failed = status == 'fail' or case.find('failure') is not None
    if not functions:
        return [('fail' if failed else 'pass', name, '')], output
    if failed and not any(result == 'fail' for result, _ in functions):
        results.append(('fail', f'{name} (ended early)', ''))
    return results, output


def lines_of(output, function):
    """What a cmocka test function printed."""
    lines, inside = [], False
    for line in output.splitlines():
        if re.match(r'^\[ RUN +\] ' + re.escape(function) + r'\s*$', line):
            lines, inside = [], True
        elif re.match(r'^\[ +(OK|FAILED|SKIPPED|ERROR) +\] ' + re.escape(function) + r'\s*$', line):
            break
        elif inside and line.strip():
            lines.append(line.strip())
    return lines


def reason_before(output, function):
    """The last line that a function printed before it skipped."""
    return (lines_of(output, function) or ['what it needs is missing'])[-1]


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__.strip())
    _, path, suite, results_path = sys.argv
    counts = {'pass': 0, 'fail': 0, 'skip': 0}
    with open(results_path, 'a', encoding='utf-8') as out:
        try:
            cases = list(ElementTree.parse(path).getroot().iter('testcase'))
        except (OSError, ElementTree.ParseError) as fault:
            print(f'  {path}: {fault}')
            out.write(f'fail {suite}: no results\n')
            return 1
        for case in cases:
            results, output = results_of(case)
            for result, name, reason in results:
                counts[result] += 1
                own = lines_of(output, name[len(case.get('name')) + 1:])
                out.write(f'{result} {suite}: {name}' + (f': {reason}' if reason else '') + '\n')
                if result == 'skip':
                    print(f'  skip  {name}: {reason}')
                elif result == 'fail':
                    print(f'  FAIL  {name}' + (f': {reason}' if reason else ''))
                    for line in own[-40:] or output.splitlines()[-40:]:
                        print('        ' + line)
    print(f"  {suite}: {counts['pass']} passed, {counts['fail']} failed, {counts['skip']} skipped"
          f" in {len(cases)} programs and scripts")
    return 1 if counts['fail'] or not counts['pass'] else 0


if __name__ == '__main__':
    sys.exit(main())
