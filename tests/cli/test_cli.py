#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The command line from the outside: exit statuses, messages, JSON, and that every fault has its place."""
import json
import math
import os
import subprocess
import sys
import tempfile

PROGRAM = os.environ['SINEW_PROGRAM']
failures = 0


def run(*words, env=None, stdout=subprocess.PIPE):
    return subprocess.run([PROGRAM, *words], stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=120,
                          env={**os.environ, **(env or {})})


def check(what, condition, detail=''):
    global failures
    if not condition:
        failures += 1
        print('FAILED:', what, detail)


def status(expected, *words, says=None, **more):
    done = run(*words, **more)
    check(f'exit {expected}: {words}', done.returncode == expected, f'was {done.returncode}: {done.stderr.strip()}')
    if says:
        check(f'{words} says {says!r}', says in done.stderr, done.stderr.strip())
    if expected:
        check(f'{words} says something', done.stderr.strip())
    return done


def refuse(text):
    raise ValueError(text)


def parsed(done):
    return json.loads(done.stdout, parse_constant=refuse)


# usage
status(2, says='a command is missing')
status(2, 'dance', says="no command 'dance'")
status(2, 'pose', says='FILE is missing')
status(2, 'pose', '@creature', '--time', 'noon', says="'noon'")
status(2, 'pose', '@creature', '--times', '0,,1')
status(2, 'pose', '@creature', '--wrap', 'round', says='ping-pong')
status(2, 'pose', '@creature', '--time', '0', '--times', '0,1')
status(2, 'pose', '@creature', '--max-vertices', '-1')
status(2, 'inspect', '@creature', '--colour', says="unknown option '--colour'")
status(2, 'inspect', '@nobody', says='@chain')
status(2, 'inspect', '@strip:3', says='@strip')
status(2, 'inspect', '@creature', 'another')
status(2, 'bench', '--filter', 'no such row')
status(0, 'help')
for command in ('inspect', 'pose', 'render', 'demo', 'bench', 'version', 'help'):
    check(f'help {command}', f'sinew {command}' in status(0, 'help', command).stdout)
status(2, 'help', 'dance')

# the environment
status(0, 'version', env={'SINEW_ISA': 'scalar'})
status(2, 'version', env={'SINEW_ISA': 'mmx'}, says='mmx')
version = parsed(status(0, 'version', '--json'))
check('version has its fields', {'version', 'isa_built', 'isa'} <= set(version))
check('the isa in use was built', version['isa'] in version['isa_built'])

# wrong input: file, place, sentence; with --json an object too
with tempfile.TemporaryDirectory() as folder:
    def file(name, content):
        path = os.path.join(folder, name)
        with open(path, 'wb') as f:
            f.write(content)
        return path

    missing = os.path.join(folder, 'missing.gltf')
    status(1, 'inspect', missing, says=f'{missing}: ')
    empty = file('empty.gltf', b'')
    status(1, 'pose', empty, says='empty')
    broken = file('broken.gltf', b'{"asset": {"version": "2.0"},\n "nodes": [,]}')
    done = status(1, 'inspect', broken, '--json', says='line 2, column 12')
    answer = parsed(done)
    check('an error is a finding', answer['findings'][0]['severity'] == 'error' and answer['findings'][0]['code'] == 'json_syntax')
    check('the file is named', answer['file'] == broken)
    cycle = file('cycle.gltf', b'{"asset":{"version":"2.0"},"nodes":[{"children":[1]},{"children":[0]}]}')
    check('a cycle has its code', parsed(status(1, 'inspect', cycle, '--json'))['findings'][0]['code'] == 'node_cycle')
    status(1, 'inspect', file('walk.sinew', b'SNW'), says='no file of runtime clips')
    status(1, 'inspect', file('bird.pack', b'{}'), says='.pack.json')
    status(1, 'inspect', file('walk.bvh', b'HIERARCHY'), says='line 1, column 10: expected ROOT')
    # a clip by digits is an index, by name the first of equal ones, with a warning
    twice = file('twice.gltf', b'{"asset":{"version":"2.0"},"animations":[{"name":"a","channels":[],"samplers":[]},'
                               b'{"name":"a","channels":[],"samplers":[]}]}')
    names = [c['name'] for c in parsed(status(0, 'inspect', twice, '--json'))['clips']]
    check('equal names get suffixes', names == ['a', 'a_2'], names)
    check('a warning about equal names', 'warning' in status(0, 'pose', twice, '--clip', 'a').stderr)
    status(1, 'inspect', twice, '--strict', says='animations[0]')
    status(1, 'pose', twice, '--clip', '2', says="no clip '2'")
    # NaN in the JSON of a file cannot be: numbers beyond float are repaired, and none comes out
    huge = file('huge.gltf', b'{"asset":{"version":"2.0"},"nodes":[{"translation":[1e300,0,0]}]}')
    parsed(status(0, 'pose', huge, '--json'))

# poses
rest = parsed(status(0, 'pose', '@strip:3:5', '--json'))
check('no clip', rest['clip'] is None)
check('four nodes', len(rest['poses'][0]['nodes']) == 4)
check('positions', rest['poses'][0]['instances'][0]['primitives'][0]['positions'][1::3] == [0, 0.5, 1, 1.5, 2])
bent = parsed(status(0, 'pose', '@chain:2', '--clip', 'bend', '--times', '0.5,1,3', '--wrap', 'ping-pong', '--json'))
# 15 degrees at 1 s: j1 stands at (-sin 15, cos 15); 3 s of a clip of 2 s comes back to 1 s
for pose in bent['poses'][1:]:
    world = pose['nodes'][1]['world']
    check('j1', abs(world[12] + math.sin(math.radians(15))) < 1e-6 and abs(world[13] - math.cos(math.radians(15))) < 1e-6, world)
check('local times', [p['local_time'] for p in bent['poses']] == [0.5, 1, 1])
few = parsed(status(0, 'pose', '@creature', '--clip', 'walk', '--time', '0.3', '--max-vertices', '7', '--json'))
check('at most 7 vertices', all(len(p['positions']) == 21 and p['vertex_count'] > 7 for i in few['poses'][0]['instances'] for p in i['primitives']))
again = parsed(status(0, 'pose', '@creature', '--clip', 'walk', '--time', '1.3', '--wrap', 'loop', '--max-vertices', '7', '--json'))
check('a round later: the same to the clock\'s rounding', abs(again['poses'][0]['local_time'] - 0.3) < 1e-12)

# inspection
creature = parsed(status(0, 'inspect', '@creature', '--json'))
check('format', creature['format'] == 'gltf')
check('at rest', {i['at_rest'] for i in creature['instances']} == {'identity'})
check('clips', [c['name'] for c in creature['clips']] == ['idle', 'walk', 'run', 'turn', 'jump'])
check('the jump travels', abs(creature['clips'][4]['root_travel'] - 0.8) < 1e-6)
check('parents come first', all(j['parent'] < j['index'] for j in creature['rigs'][0]['joints']))

# rows
rows = parsed(status(0, 'bench', '--filter', '4 P', '--json'))
check('rows have their fields', {'table', 'name', 'isa', 'threads', 'count', 'ns', 'ns_min', 'baseline', 'ratio'} <= set(rows['rows'][0]))
check('rows by name', {'4 P', 'naive 4 P'} <= {r['name'] for r in rows['rows']})
check('names are unique', len({(r['table'], r['name']) for r in rows['rows']}) == len(rows['rows']))
check('ratios', all(r['baseline'] is None or abs(r['ratio'] * r['ns'] / by_name['ns'] - 1) < 1e-6
                    for r in rows['rows'] for by_name in rows['rows'] if by_name['name'] == r['baseline']))
real = {r['name']: r for r in parsed(status(0, 'bench', '--filter', 'real P', '--file', '@strip:5:700', '--json'))['rows']}
check('copies of a character of 700 vertices', real['real P']['count'] == 14 * 700 and real['real P, 1k']['count'] == 700)
status(1, 'bench', '--file', 'no_such_file.glb')

# what cannot be written
if os.path.exists('/dev/full'):
    with open('/dev/full', 'w') as full:
        status(4, 'pose', '@creature', '--json', stdout=full, says='cannot be written')
status(4, 'render', '@chain:2', '-o', '/no/such/folder/out.png')

print('FAILED' if failures else 'passed')
sys.exit(failures > 0)
