# SPDX-License-Identifier: MIT
"""sinew inspect of animation sets: what it says is what the file says, and what it finds on a rig is what the rig has."""
import json
import os
import subprocess
import tempfile
import unittest

PROGRAM = os.environ.get('SINEW_PROGRAM', '')
SHARE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'share', 'sets')
CREATURE = os.path.join(SHARE, 'creature.set.json')

TWO = '''{ "version": 1, "sets": {
  "one": { "parameters": { "speed": { "default": 1, "max": 4 }, "wet": true }, "predicates": [ "asleep" ],
    "states": {
      "go": { "choices": [
        { "clip": "walk", "need": { "speed": { "min": 0.5 }, "wet": false, "asleep": false }, "rate_by": "speed", "ground": 0.7 },
        { "blend": { "by": "speed", "points": [ { "clip": "walk", "at": 1 }, { "clip": "run", "at": 2 } ] }, "rate": 0.5 } ] },
      "fly": { "loop": false, "choices": [ { "clip": "fly" } ], "next": { "to": "go", "kind": "cut" } } },
    "transitions": [ { "from": "go", "to": "fly", "when": { "speed": { "min": 2, "max": 3 }, "asleep": true }, "note": "up" } ] },
  "two": { "parameters": { "idle": 0 }, "states": { "a": { "choices": [ { "clip": "x" } ] }, "b": { "choices": [ { "clip": "y" } ] } } } } }
'''


def run(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=60)


class InspectSet(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.two = self.write('two.set.json', TWO)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, 'w', encoding='utf-8') as out:
            out.write(text)
        return path

    def json(self, *words):
        done = run('inspect', *words, '--json')
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def refused(self, status, text, *words):
        done = run('inspect', *words)
        self.assertEqual(done.returncode, status, done)
        self.assertIn(text, done.stderr)
        self.assertEqual(done.stdout, '')

    def test_members(self):
        answer = self.json(self.two)
        self.assertEqual((answer['file'], answer['format']), (self.two, 'set'))
        self.assertEqual([s['key'] for s in answer['sets']], ['one', 'two'])
        one = answer['sets'][0]
        self.assertEqual(one['parameters'], [{'name': 'speed', 'default': 1, 'min': None, 'max': 4}, {'name': 'wet', 'default': True}])
        self.assertEqual(one['predicates'], ['asleep'])
        self.assertEqual([c['name'] for c in one['clips']], ['walk', 'run', 'fly'])
        self.assertEqual(one['start'], 'go')
        go, fly = one['states']
        fade = {'seconds': 0.2, 'kind': 'cross', 'curve': 'smooth'}
        self.assertEqual((go['name'], go['loop'], go['next'], go['fade']), ('go', True, None, fade))
        self.assertEqual((fly['loop'], fly['next'], fly['next_fade']), (False, 'go', {**fade, 'kind': 'cut'}))
        self.assertEqual(go['choices'][0], {
            'by': [], 'clips': [{'clip': 'walk', 'ground': 0.7}],
            'need': [{'parameter': 'speed', 'min': 0.5, 'max': None}, {'parameter': 'wet', 'is': False}, {'predicate': 'asleep', 'is': False}],
            'rate_by': 'speed', 'rate_min': None, 'rate_max': None})
        self.assertEqual(go['choices'][1], {
            'by': ['speed'], 'clips': [{'clip': 'walk', 'at': [1]}, {'clip': 'run', 'at': [2]}], 'need': [], 'rate': 0.5})
        self.assertEqual(one['transitions'], [{
            'from': 'go', 'to': 'fly', 'note': 'up', 'fade': fade, 'sync': False,
            'when': [{'parameter': 'speed', 'min': 2, 'max': 3}, {'predicate': 'asleep', 'is': True}]}])
        found = {(f['code'], f['where'], f['severity']) for f in answer['findings']}
        self.assertEqual(found, {('state_unreachable', 'sets.two.states.b', 'warning'), ('state_without_exit', 'sets.two.states.a', 'info'),
                                 ('state_without_exit', 'sets.two.states.b', 'info'), ('parameter_unused', 'sets.two.parameters.idle', 'info')})
        for finding in answer['findings']:
            self.assertEqual(list(finding), ['severity', 'code', 'where', 'count', 'worst', 'message', 'advice'])
        self.assertEqual([s['key'] for s in self.json(self.two, '--set', 'two')['sets']], ['two'])

    def test_for_a_person(self):
        done = run('inspect', self.two)
        self.assertEqual(done.returncode, 0)
        for line in ("set 'one'  2 states, 1 transition, 3 clips", '  parameter speed: 1, up to 4', '  parameter wet: true', '  predicate asleep',
                     '      walk (ground 0.7), needs speed >= 0.5 and not wet and not asleep, rate by speed',
                     '      blend by speed: walk at 1, run at 2, rate 0.5', '  state fly: once, then go over cut',
                     '  from go to fly over 0.2 s, when 2 <= speed <= 3 and asleep'):
            self.assertIn(line + '\n', done.stdout)
        self.assertIn('state_unreachable', done.stdout)
        self.assertNotIn("set 'two'", run('inspect', self.two, '--set', 'one').stdout)

    def test_examples_have_nothing_to_remark(self):
        for name in os.listdir(SHARE):
            done = run('inspect', os.path.join(SHARE, name))
            self.assertEqual((done.returncode, done.stderr), (0, ''), name)
            self.assertTrue(done.stdout.endswith('Nothing to remark.\n'), name)

    def test_canonical_text_is_stable_and_says_the_same(self):
        first = run('inspect', self.two, '--canonical').stdout
        again = self.write('again.set.json', first)
        self.assertEqual(run('inspect', again, '--canonical').stdout, first)
        self.assertEqual(self.json(again)['sets'], self.json(self.two)['sets'])
        json.loads(first)

    def test_graph(self):
        graphs = run('inspect', self.two, '--dot').stdout
        self.assertEqual(graphs.count('digraph'), 2)
        graph = run('inspect', self.two, '--dot', '--set', 'one').stdout
        self.assertTrue(graph.startswith('digraph "one" {') and graph.endswith('}\n'))
        self.assertEqual(graph.count('->'), 2)  # the transition, and fly's next
        self.assertEqual(graph.count('{'), graph.count('}'))

    def test_on_rigs(self):
        on = self.json(CREATURE, '--on', '@creature')['on']
        self.assertEqual((on['file'], len(on['rigs'])), ('@creature', 1))
        found = on['rigs'][0]['sets'][0]
        self.assertEqual((found['key'], found['clip_count'], found['missing_clip_count'], found['findings']), ('creature', 5, 0, []))
        self.assertEqual(found['playable'], ['stand', 'move', 'turn', 'jump'])
        one = self.json(self.two, '--on', '@creature', '--set', 'one')['on']['rigs'][0]['sets'][0]
        self.assertEqual((one['missing_clip_count'], one['playable']), (1, ['go']))
        self.assertEqual([(f['code'], f['message']) for f in one['findings']],
                         [('clip_missing', "the rig has no clip 'fly'"), ('state_without_clip', "this rig has no clip for state 'fly'")])
        prefixed = self.json(CREATURE, '--on', '@creature', '--prefix', 'cat_')['on']['rigs'][0]['sets'][0]
        self.assertEqual((prefixed['missing_clip_count'], prefixed['playable']), (5, []))
        self.assertIn("the rig has no clip 'cat_walk'", [f['message'] for f in prefixed['findings']])
        said = run('inspect', self.two, '--on', '@creature').stdout
        self.assertIn("set 'one' on rig 0 'root' of @creature: 2 of 3 clips are there, 1 of 2 states can play\n", said)
        self.assertIn("this rig has no clip for state 'fly'", said)

    def test_faults(self):
        bad = self.write('bad.set.json', '{"version": 1,\n "sets": {"a": {"states": {"s": {"choices": [{"clip": "x", "rte": 1}]}}}}}')
        done = run('inspect', bad, '--json')
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stderr.startswith(bad + ': line 2, column '), done.stderr)
        self.assertIn(', sets.a.states.s.choices[0].rte: there is no member \'rte\' here; there are: clip blend', done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual((answer['file'], answer['findings'][0]['code'], answer['findings'][0]['line']), (bad, 'invalid_value', 2))
        self.refused(1, ': the file: ', os.path.join(self.folder, 'none.set.json'))
        self.refused(1, "there is no set 'three'; the file has 2: one, two", self.two, '--set', 'three')
        self.refused(1, ': skins: the file has no rig', self.two, '--on', self.write(
            'empty.gltf', '{"asset": {"version": "2.0"}}'))
        for command in ('pose', 'bake'):
            done = run(command, CREATURE, '-o', os.path.join(self.folder, 'x.glb')) if command == 'bake' else run(command, CREATURE)
            self.assertEqual(done.returncode, 1)
            self.assertIn("animation sets are read by 'sinew inspect' and 'sinew play'", done.stderr)

    def test_a_plain_json_file_that_holds_sets(self):
        plain = self.write('plain.json', TWO)
        self.assertEqual(self.json(plain)['format'], 'set')
        self.refused(1, 'not a glTF 2.0 file', self.write('mix.json', '{"layers": []}'))

    def test_wrong_usage(self):
        for words in (('--strict',), ('--joints',), ('--prefix', 'a'), ('--dot', '--json'), ('--canonical', '--json'), ('--dot', '--canonical'),
                      ('--canonical', '--set', 'one'), ('--dot', '--on', '@creature'), ('--set',)):
            self.refused(2, "Try 'sinew help inspect'", self.two, *words)
        for words in (('--set', 'a'), ('--prefix', 'a'), ('--dot',), ('--canonical',)):
            self.refused(2, "is for animation sets, and '@creature' is none", '@creature', *words)


if __name__ == '__main__':
    unittest.main()
