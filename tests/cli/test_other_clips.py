# SPDX-License-Identifier: MIT
"""--clips OTHER and --retarget of sinew pose, render and bake: clips of one file on the rig of another. The cub has the
creature's names, other lengths and other axes, so that what the two ways do can be told from the world matrices alone.
Models of others are in SINEW_TEST_DATA; without them their test is skipped."""
import base64
import json
import math
import os
import struct
import subprocess
import tempfile
import unittest

PROGRAM = os.environ.get('SINEW_PROGRAM', '')
DATA = os.path.join(os.environ.get('SINEW_TEST_DATA', ''), 'data', 'gltf')
MIXES = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'docs', 'mixes')
CUB = ('@cub', '--clips', '@creature')


def run(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=120)


def parents_of(file):
    joints = json.loads(run('inspect', file, '--json').stdout)['rigs'][0]['joints']
    names = {joint['index']: joint['name'] for joint in joints}
    return {joint['name']: names.get(joint['parent']) for joint in joints}


def places(pose):
    return {node['name']: node['world'][12:15] for node in pose['nodes']}


def rotations(pose):
    """Columns of unit length of each node's world matrix."""
    found = {}
    for node in pose['nodes']:
        columns = [node['world'][4 * c:4 * c + 3] for c in range(3)]
        found[node['name']] = [[x / math.hypot(*column) for x in column] for column in columns]
    return found


def turn_from(a, b):
    """b * a^-1, row by row, of rotations given as columns."""
    return [[sum(b[k][i] * a[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def length(a, b):
    return math.dist(a, b)


class OtherClips(unittest.TestCase):
    def json(self, *words):
        done = run('pose', *words, '--json')
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def poses(self, *words):
        return self.json(*words)['poses']

    def assert_near(self, a, b, within):
        self.assertEqual(len(a), len(b))
        for x, y in zip(a, b):
            self.assertLessEqual(abs(x - y), within, (a, b))

    # ---- Retargeted ---------------------------------------------------------------------------

    def test_lengths_stay_the_rigs_own(self):
        parents = parents_of('@cub')
        rest = places(self.poses('@cub', '--max-vertices', '0')[0])
        for way in ('names', 'humanoid'):
            for clip in ('walk', 'run', 'jump'):
                for pose in self.poses(*CUB, '--retarget', way, '--clip', clip, '--times', '0,0.2,0.37,0.5', '--max-vertices', '0'):
                    now = places(pose)
                    for name, parent in parents.items():
                        if parent and name != 'hips':  # the root and the hips travel
                            self.assertLessEqual(abs(length(now[name], now[parent]) - length(rest[name], rest[parent])),
                                                 1e-5, name)

    def test_joints_turn_as_the_creatures_do(self):
        """In the model, relative to either rest: R(t) R(rest)^-1 is one for both. And the hips go the creature's way,
        times the ratio of hip heights."""
        rests = [self.poses(file, '--max-vertices', '0')[0] for file in ('@cub', '@creature')]
        scale = places(rests[0])['hips'][1] / places(rests[1])['hips'][1]
        for clip in ('idle', 'walk', 'turn', 'jump'):
            words = ('--clip', clip, '--times', '0.1,0.45,1.1', '--max-vertices', '0')
            for mine, theirs in zip(self.poses(*CUB, '--retarget', 'names', *words), self.poses('@creature', *words)):
                self.assertEqual((mine['time'], mine['local_time']), (theirs['time'], theirs['local_time']))
                mine_now, theirs_now = rotations(mine), rotations(theirs)
                mine_rest, theirs_rest = rotations(rests[0]), rotations(rests[1])
                for name in parents_of('@creature'):
                    a = turn_from(mine_rest[name], mine_now[name])
                    b = turn_from(theirs_rest[name], theirs_now[name])
                    for row, other in zip(a, b):
                        self.assert_near(row, other, 2e-6)
                way = [scale * (now - rest) for now, rest in zip(places(theirs)['hips'], places(rests[1])['hips'])]
                self.assert_near([rest + step for rest, step in zip(places(rests[0])['hips'], way)], places(mine)['hips'], 1e-6)
                # weights go along by the names of nodes
                self.assertEqual([i['weights'] for i in mine['instances']], [i['weights'] for i in theirs['instances']])

    def test_paws_stay_near_the_ground(self):
        """Legs of other proportions: paws are turned, not planted. In the idle they stay within 2 mm, walking the
        lowest vertex is never deeper than 1 cm, of an animal that stands 29 cm high at the hips."""
        times = ','.join('%g' % (0.1 * i) for i in range(40))
        for clip, deepest in (('idle', 2e-3), ('walk', 1e-2), ('run', 1e-2)):
            for pose in self.poses(*CUB, '--retarget', 'names', '--clip', clip, '--wrap', 'loop', '--times', times):
                lowest = min(min(p['positions'][1::3]) for i in pose['instances'] for p in i['primitives'])
                self.assertGreater(lowest, -deepest)
                if clip == 'idle':
                    self.assertLess(lowest, deepest)

    def test_onto_itself(self):
        """The same rig: bound by names it is the clip itself, to the last bit; retargeted it is the clip but for
        translations and scale of bones."""
        for words in (('--clip', 'walk', '--times', '0,0.3'), ('--mix', os.path.join(MIXES, 'turn.json'), '--times', '0,0.8')):
            plain = self.poses('@creature', *words)
            self.assertEqual(self.poses('@creature', '--clips', '@creature', *words), plain)
            again = self.poses('@creature', '--clips', '@creature', '--retarget', 'names', *words)
            for a, b in zip(plain, again):
                for name in parents_of('@creature'):
                    self.assert_near(places(a)[name], places(b)[name], 2e-6)

    def test_mixes_play_on_the_other_rig(self):
        """Goals and all: a mix is the creature's, with the creature's sizes, and the cub does in the model as it does."""
        mix = ('--mix', os.path.join(MIXES, 'slope.json'), '--time', '0.5', '--max-vertices', '0')
        mine, theirs = self.poses(*CUB, '--retarget', 'names', *mix)[0], self.poses('@creature', *mix)[0]
        a, b = rotations(mine), rotations(theirs)
        mine_rest, theirs_rest = (rotations(self.poses(f, '--max-vertices', '0')[0]) for f in ('@cub', '@creature'))
        for name in ('forearm_l', 'forearm_r', 'shin_l', 'head'):
            for row, other in zip(turn_from(mine_rest[name], a[name]), turn_from(theirs_rest[name], b[name])):
                self.assert_near(row, other, 2e-6)

    # ---- Bound by names -----------------------------------------------------------------------

    def test_bound_joints_take_the_other_rigs_numbers(self):
        """The local rotation and the translation are the creature's, so lengths are no longer the cub's."""
        words = ('--clip', 'walk', '--time', '0.3', '--max-vertices', '0')
        rest, bound = places(self.poses('@cub', '--max-vertices', '0')[0]), places(self.poses(*CUB, *words)[0])
        creature = places(self.poses('@creature', *words)[0])
        mapped = places(self.poses(*CUB, '--retarget', 'names', *words)[0])
        self.assertGreater(abs(length(bound['hips'], bound['root']) - length(rest['hips'], rest['root'])), 0.1)
        self.assertLessEqual(abs(length(bound['hips'], bound['root']) - length(creature['hips'], creature['root'])), 1e-6)
        self.assertGreater(max(length(bound[name], mapped[name]) for name in bound), 0.2)

    def test_names_are_the_joints_first(self):
        """A mesh beside the rig that is called like a joint: the joint is what moves, in FILE and in OTHER."""
        with tempfile.TemporaryDirectory() as folder:
            file, other = os.path.join(folder, 'file.gltf'), os.path.join(folder, 'other.gltf')
            keys = struct.pack('<2f', 0, 1) + struct.pack('<8f', 0, 0, 0, 1, 0, 0, math.sqrt(0.5), math.sqrt(0.5))
            uri = 'data:application/octet-stream;base64,' + base64.b64encode(keys).decode()
            nodes = [{'name': 'arm', 'translation': [5, 0, 0]}, {'name': 'root', 'children': [2]}, {'name': 'arm', 'translation': [0, 1, 0]}]
            rig = {'asset': {'version': '2.0'}, 'scenes': [{'nodes': [0, 1]}], 'scene': 0, 'nodes': nodes, 'skins': [{'joints': [1, 2]}]}
            clip = {'buffers': [{'uri': uri, 'byteLength': len(keys)}],
                    'bufferViews': [{'buffer': 0, 'byteLength': 8}, {'buffer': 0, 'byteOffset': 8, 'byteLength': 32}],
                    'accessors': [{'bufferView': 0, 'componentType': 5126, 'count': 2, 'type': 'SCALAR', 'min': [0], 'max': [1]},
                                  {'bufferView': 1, 'componentType': 5126, 'count': 2, 'type': 'VEC4'}],
                    'animations': [{'samplers': [{'input': 0, 'output': 1}], 'channels': [{'sampler': 0, 'target': {'node': 2, 'path': 'rotation'}}]}]}
            for path, content in ((file, rig), (other, {**rig, **clip})):
                with open(path, 'w', encoding='utf-8') as f:
                    json.dump(content, f)
            for way in ((), ('--retarget', 'names')):
                nodes = self.poses(file, '--clips', other, *way, '--clip', '0', '--time', '1')[0]['nodes']
                self.assert_near(nodes[0]['world'][:3], [1, 0, 0], 0)      # the mesh stays
                self.assert_near(nodes[2]['world'][:3], [0, 1, 0], 1e-6)   # the joint has turned about +Z
            done = run('pose', file, '--clips', other, '--clip', '0')
            self.assertEqual(done.stderr, f'{other}: clips: bound to 1 of the 2 joints of {file} by name\n'
                                          f'{file}: clips: 1 joint at rest: root\n')

    # ---- What is said -------------------------------------------------------------------------

    def test_form(self):
        answer = self.json(*CUB, '--clip', 'walk', '--retarget', 'names', '--max-vertices', '1')
        self.assertEqual(list(answer), ['file', 'clips', 'clip', 'poses'])
        self.assertEqual((answer['file'], answer['clips'], answer['clip']), ('@cub', '@creature', {'index': 1, 'name': 'walk'}))
        self.assertEqual(list(self.json('@creature', '--clip', 'walk', '--max-vertices', '1')), ['file', 'clip', 'poses'])

    def test_report(self):
        def said(*words):
            done = run('pose', *words, '--json')
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stderr
        self.assertEqual(said(*CUB, '--clip', 'walk', '--retarget', 'names'),
                         '@creature: clips: retargeted to 44 of the 44 joints of @cub by name; travel times 0.4667\n')
        self.assertEqual(said(*CUB, '--clip', 'walk'),
                         '@creature: clips: bound to 39 of the 44 joints of @cub by name\n'
                         '@cub: clips: 5 joints at rest: root, ribs, jaw, eye_l, eye_r\n')
        lines = said(*CUB, '--clip', 'walk', '--retarget', 'humanoid').splitlines()
        self.assertEqual(lines[0], "@creature: clips: retargeted to 21 of the 44 joints of @cub as bones of humanoids "
                                   "(plain to plain); travel times 0.4667")
        self.assertTrue(lines[1].startswith('@creature: clips: 23 joints without a partner: spine_1, '), lines[1])
        self.assertTrue(lines[1].endswith(' and 17 more'), lines[1])
        self.assertTrue(lines[2].startswith('@cub: clips: 23 joints at rest: '), lines[2])

    def refused(self, status, says, *words):
        done = run(*words)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertIn(says, done.stderr)
        self.assertEqual(done.stdout, '')
        return done.stderr

    def test_wrong_usage(self):
        with tempfile.TemporaryDirectory() as folder:
            for command in (['pose'], ['render', '-o', os.path.join(folder, 'a.png')], ['bake', '-o', os.path.join(folder, 'a.pc2')]):
                self.refused(2, '--retarget needs --clips OTHER', *command, '@cub', '--clip', 'walk', '--retarget', 'names')
                self.refused(2, "--retarget is names or humanoid, not 'bones'", *command, *CUB, '--clip', '0', '--retarget', 'bones')
                self.refused(2, '@nobody', *command, '@cub', '--clips', '@nobody', '--clip', '0')
                self.refused(2, "a value is missing after '--clips'", *command, '@cub', '--clips')
            self.refused(2, '--clips needs --clip or --mix', 'pose', *CUB)
            self.refused(2, '--clips needs --clip or --mix', 'render', *CUB, '-o', os.path.join(folder, 'a.png'))
            self.refused(2, "--clip is missing: @creature has 5, from 0 'idle' to 4 'jump'", 'bake', *CUB, '-o', os.path.join(folder, 'a.pc2'))
            self.assertEqual(os.listdir(folder), [])

    def test_wrong_input_names_the_right_file(self):
        with tempfile.TemporaryDirectory() as folder:
            broken, missing, mix = (os.path.join(folder, name) for name in ('broken.gltf', 'missing.glb', 'mix.json'))
            with open(broken, 'w', encoding='utf-8') as f:
                f.write('{ "asset": ')
            with open(mix, 'w', encoding='utf-8') as f:
                f.write('{ "layers": [ { "inputs": [ { "clip": "fly" } ] } ] }')
            for command in (['pose'], ['render', '-o', os.path.join(folder, 'a.png')], ['bake', '-o', os.path.join(folder, 'a.pc2')]):
                for way in ([], ['--retarget', 'names']):
                    words = [*command, '@cub', *way, '--clip']
                    self.refused(1, broken + ': ', *words, '0', '--clips', broken)
                    self.refused(1, missing + ': ', *words, '0', '--clips', missing)
                    self.refused(1, "@creature: animations: there is no clip 'fly'", *words, 'fly', '--clips', '@creature')
                    self.refused(1, '@cub: animations: the file has no clips', *words, '0', '--clips', '@cub')
                self.refused(1, "@chain:3: animations: clip 'bend' names no joint of @cub", *command, '@cub', '--clips', '@chain:3', '--clip', '0')
                self.refused(1, '@chain:3: nodes: no joint has the name of one of @cub', *command, '@cub', '--clips', '@chain:3', '--clip', '0', '--retarget', 'names')
                self.refused(1, '@chain:3: nodes: no bone of a humanoid', *command, '@cub', '--clips', '@chain:3', '--clip', '0', '--retarget', 'humanoid')
            self.assertFalse(os.path.exists(os.path.join(folder, 'a.png')))
            for way in ([], ['--retarget', 'names']):
                self.assertIn(mix + ': ', self.refused(1, "'fly'", 'pose', *CUB, '--mix', mix, *way))
            found = json.loads(run('pose', '@cub', '--clips', broken, '--clip', '0', '--json').stdout)
            self.assertEqual((found['file'], found['findings'][0]['severity']), (broken, 'error'))

    # ---- The other commands -------------------------------------------------------------------

    def test_bake_and_render(self):
        with tempfile.TemporaryDirectory() as folder:
            cache = os.path.join(folder, 'cub.pc2')
            done = run('bake', *CUB, '--retarget', 'names', '--clip', 'run', '--fps', '4', '-o', cache, '--json')
            self.assertEqual(done.returncode, 0, done.stderr)
            answer = json.loads(done.stdout)
            self.assertEqual((answer['clips'], answer['clip'], answer['times']), ('@creature', {'index': 2, 'name': 'run'}, [0, 0.25, 0.5]))
            with open(cache, 'rb') as f:
                data = f.read()
            count, = struct.unpack_from('<i', data, 16)
            pose = self.poses(*CUB, '--retarget', 'names', '--clip', 'run', '--time', '0.25')[0]
            expected = [x for i in pose['instances'] for p in i['primitives'] for x in p['positions']]
            self.assertEqual(list(struct.unpack_from(f'<{3 * count}f', data, 32 + 12 * count)),
                             [struct.unpack('<f', struct.pack('<f', x))[0] for x in expected])
            pictures = set()
            for number, way in enumerate(([], ['--retarget', 'names'], ['--retarget', 'humanoid'])):
                path = os.path.join(folder, f'{number}.png')
                done = run('render', *CUB, *way, '--sheet', '2', '--size', '160x80', '-o', path)  # without --clip the first
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn('@creature: clips: ', done.stderr)
                with open(path, 'rb') as f:
                    pictures.add(f.read())
            self.assertEqual(len(pictures), 3)
            glb = os.path.join(folder, 'cub.glb')
            self.assertEqual(run('bake', *CUB, '--retarget', 'names', '--clip', 'run', '--fps', '4', '-o', glb).returncode, 0)
            self.refused(2, 'is the input itself', 'bake', '@cub', '--clips', glb, '-o', glb)

    @unittest.skipUnless(os.path.isdir(os.path.join(DATA, 'KayKit_Knight')), 'no models')
    def test_models_of_others(self):
        knight, manny = (os.path.join(DATA, *path) for path in (('KayKit_Knight', 'Knight.glb'), ('KayKit_Manny', 'manny_med_mod.gltf')))
        avatar, motion = (os.path.join(DATA, *path) for path in (('VRM0_cryptovoxels', 'cryptovoxels.vrm'), ('VRMA_test', 'test.vrma')))
        done = run('pose', manny, '--clips', knight, '--clip', 'Walking_A', '--time', '0.4', '--retarget', 'names', '--max-vertices', '0', '--json')
        self.assertIn(f'{knight}: clips: retargeted to 21 of the 22 joints of {manny} by name', done.stderr)
        head = places(json.loads(done.stdout)['poses'][0])['head']
        self.assertGreater(head[1], 0.9)  # upright: bound by names it lies on its face
        human = os.path.join(DATA, 'Mesh2Motion_Human', 'Human.glb')
        for source, table in ((motion, 'VRMA 1 to VRM 0'), (human, 'Unreal to VRM 0')):
            done = run('pose', avatar, '--clips', source, '--clip', '0', '--retarget', 'humanoid', '--max-vertices', '0', '--json')
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f'{source}: clips: retargeted to 43 of the 58 joints of {avatar} as bones of humanoids ({table})', done.stderr)


if __name__ == '__main__':
    unittest.main()
