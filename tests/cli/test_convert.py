# SPDX-License-Identifier: MIT
"""sinew convert: BVH to BVH value for value, BVH to GLB and glTF to BVH with every joint in its place, what the files hold,
and what is refused. Motions are made here, and a few real ones taken where there are any."""
import errno
import json
import math
import os
import random
import shutil
import struct
import subprocess
import tempfile
import unittest

PROGRAM = os.environ['SINEW_PROGRAM']
REAL = os.path.join(os.environ.get('SINEW_TEST_DATA', ''), 'data', 'bvh')
SOME_REAL = ('cmu_03_02.bvh', 'cmu_49_08.bvh', 'cmu_131_01.bvh', 'edge_rotation_first_root.bvh',
             'edge_full_precision_frame_time.bvh')
EXACT, CLOSE = 1e-6, 1e-5  # of the height: text to text, and over the floats of a GLB


def run(*words):
    return subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)


def single(x):
    return struct.unpack('<f', struct.pack('<f', x))[0]


def make_motion(path, seed, frames=40, rate=30):
    """Two roots, a chain that turns in every order, positions in the middle, a wild head that cuts."""
    rnd = random.Random(seed)
    orders = ['Zrotation Xrotation Yrotation', 'Xrotation Yrotation Zrotation', 'Yrotation', 'Zrotation Yposition Xrotation']
    text = ['HIERARCHY', 'ROOT Hips', '{', 'OFFSET 0 0.9 0',
            'CHANNELS 6 Yrotation Xposition Xrotation Yposition Zrotation Zposition']
    kinds = ['R', 'P', 'R', 'P', 'R', 'P']
    for k, order in enumerate(orders):
        words = order.split()
        text += ['JOINT part %d' % k, '{', 'OFFSET %.6f %.6f %.6f' % tuple(rnd.uniform(-.4, .4) for _ in range(3)),
                 'CHANNELS %d %s' % (len(words), order)]
        kinds += ['P' if 'position' in w else 'R' for w in words]
    text += ['End Site', '{', 'OFFSET 0 0.1 0.05', '}'] + ['}'] * (len(orders) + 1)
    text += ['ROOT prop', '{', 'OFFSET 2 0 0', 'CHANNELS 1 Zposition', '}']
    kinds += ['P']
    text += ['MOTION', 'Frames: %d' % frames, 'Frame Time: %r' % (1 / rate)]
    phases = [rnd.uniform(0, 6) for _ in kinds]
    for f in range(frames):
        row = [(0.8 if k == 'P' else 100) * math.sin(0.2 * f + p) for k, p in zip(kinds, phases)]
        if f >= frames // 2:
            row[7] += 150  # a cut: more than a quarter turn within a frame
        text.append(' '.join('%.4f' % v for v in row))
    with open(path, 'w', encoding='utf-8') as file:
        file.write('\n'.join(text) + '\n')


def read(path):
    with open(path, 'rb') as file:
        return file.read()


def numbers(path):
    """All that a BVH says but its layout: words of the hierarchy as they are, numbers as numbers."""
    out = []
    for word in read(path).decode().split():
        try:
            out.append(float(word))
        except ValueError:
            out.append(word)
    return out


def glb_parts(path):
    data = read(path)
    magic, version, length = struct.unpack('<4sII', data[:12])
    assert (magic, version, length) == (b'glTF', 2, len(data))
    size, kind = struct.unpack('<I4s', data[12:20])
    assert kind == b'JSON' and size % 4 == 0
    doc = json.loads(data[20:20 + size])
    return doc, data[28 + size:]


class Convert(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.made = self.path('made.bvh')
        make_motion(self.made, 1)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def done(self, *words):
        done = run(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def refused(self, status, says, *words):
        done = run(*words)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertIn(says, done.stderr.decode())
        self.assertEqual(done.stdout, b'')

    def poses(self, file, times, *more):
        words = ['pose', file, '--clip', '0', '--times', ','.join('%.17g' % t for t in times), '--json', *more]
        return json.loads(self.done(*words).stdout)['poses']

    def sources(self):
        """Motions with the times of some frames, as clips keep them, and the heights of their figures."""
        files = [self.made] + [os.path.join(REAL, n) for n in SOME_REAL if os.path.isdir(REAL)]
        for file in files:
            words = numbers(file)
            frames, seconds = int(words[words.index('Frames:') + 1]), words[words.index('Time:') + 1]
            chosen = sorted({0, 1, frames - 1, *(random.Random(4).randrange(frames) for _ in range(20))})
            chosen = [k for k in chosen if k < frames]
            pose = json.loads(self.done('pose', file, '--json').stdout)['poses'][0]
            ys = [n['world'][13] for n in pose['nodes']]
            yield file, [single(k / (1 / seconds)) for k in chosen], max(ys) - min(ys)

    def assert_close(self, poses, others, bound):
        self.assertEqual(len(poses), len(others))
        for a, b in zip(poses, others):
            named = {n['name']: n['world'] for n in b['nodes']}
            self.assertEqual(len(named), len(b['nodes']))
            for node in a['nodes']:
                for k in (12, 13, 14):
                    self.assertLessEqual(abs(node['world'][k] - named[node['name']][k]), bound, node['name'])

    def test_bvh_to_bvh_is_value_for_value(self):
        for file, times, height in self.sources():
            out = self.path('out.bvh')
            self.done('convert', file, '-o', out)
            self.assertEqual(numbers(out), numbers(file))
            self.assert_close(self.poses(file, times), self.poses(out, times), EXACT * height)
            again = self.path('again.bvh')
            self.done('convert', out, '-o', again)
            self.assertEqual(read(again), read(out))

    def test_bvh_to_glb_has_every_joint_in_its_place(self):
        for file, times, height in self.sources():
            out = self.path('out.glb')
            self.done('convert', file, '-o', out)
            a, b = self.poses(file, times), self.poses(out, times)
            self.assert_close(a, b, CLOSE * height)
            for p, q in zip(a, b):
                self.assertEqual([n['name'] for n in p['nodes']], [n['name'] for n in q['nodes']])
                for n, m in zip(p['nodes'], q['nodes']):
                    for x, y in zip(n['world'][:12], m['world'][:12]):
                        self.assertLessEqual(abs(x - y), 1e-5)
            inspected = json.loads(self.done('inspect', out, '--json').stdout)
            self.assertEqual([c['name'] for c in inspected['clips']], [os.path.basename(file)[:-4]])
            self.assertFalse([f for f in inspected['findings'] if f['severity'] in ('repair', 'warning')], inspected['findings'])

    def test_a_sampled_bvh_has_every_joint_in_its_place(self):
        for file, times, height in self.sources():
            words = numbers(file)
            seconds = words[words.index('Time:') + 1]
            out = self.path('sampled.bvh')
            self.done('convert', file, '--fps', '%.17g' % (1 / seconds), '-o', out)
            # floats of poses in between, some five steps of 6e-8 of a place that may be far from the origin
            far = max(abs(x) for p in self.poses(file, times) for n in p['nodes'] for x in n['world'][12:15])
            self.assert_close(self.poses(file, times), self.poses(out, times), EXACT * (height + far))

    def test_gltf_to_bvh(self):
        for clip in ('walk', 'run'):
            out = self.path(clip + '.bvh')
            self.done('convert', '@creature', '--clip', clip, '--fps', '24', '--rig', '0', '-o', out)
            bvh = numbers(out)
            frames = int(bvh[bvh.index('Frames:') + 1])
            self.assertEqual(bvh[bvh.index('Time:') + 1], 1 / 24)
            duration = next(c['duration'] for c in json.loads(self.done('inspect', '@creature', '--json').stdout)['clips']
                            if c['name'] == clip)
            self.assertEqual(frames, math.ceil(duration * 24 - 1e-6) + 1)
            times = [single(k / 24) for k in range(frames - 1)]
            asked = ['pose', '@creature', '--clip', clip, '--times', ','.join('%.17g' % (k / 24) for k in range(frames - 1)), '--json']
            creature = json.loads(self.done(*asked).stdout)['poses']
            # names of the rig alone: the creature has other nodes besides
            baked = self.poses(out, times)
            names = {n['name'] for n in baked[0]['nodes']}
            for pose in creature:
                pose['nodes'] = [n for n in pose['nodes'] if n['name'] in names]
            self.assertEqual(len(creature[0]['nodes']), len(names))
            self.assert_close(creature, baked, 3e-6)  # it is about a metre high
            cm = self.path('cm.bvh')
            self.done('convert', '@creature', '--clip', clip, '--fps', '24', '--rig', '0', '--scale', '100', '-o', cm)
            for a, b in zip(baked, self.poses(cm, times)):
                for n, m in zip(a['nodes'], b['nodes']):
                    for k in (12, 13, 14):
                        self.assertAlmostEqual(100 * n['world'][k], m['world'][k], delta=1e-4)

    def test_what_a_glb_holds(self):
        out = self.path('out.glb')
        answer = json.loads(self.done('convert', self.made, '--json', '-o', out).stdout)
        doc, binary = glb_parts(out)
        self.assertEqual((answer['format'], answer['clips'], answer['nodes']), ('glb', 1, 7))
        self.assertEqual(answer['bytes'], os.path.getsize(out))
        self.assertEqual(len(doc['nodes']), 7)
        self.assertEqual(doc['scenes'], [{'nodes': [0, 6]}])
        self.assertNotIn('skins', doc)  # its joints have no root in common
        self.assertEqual(doc['buffers'][0]['byteLength'], len(binary))
        animation = doc['animations'][0]
        self.assertEqual(len(animation['channels']), answer['tracks'])
        for sampler in animation['samplers']:
            times = doc['accessors'][sampler['input']]
            view = doc['bufferViews'][times['bufferView']]
            values = struct.unpack_from('<%df' % times['count'], binary, view['byteOffset'])
            self.assertTrue(all(a < b for a, b in zip(values, values[1:])))
            self.assertEqual((single(times['min'][0]), single(times['max'][0])), (values[0], values[-1]))
        # the cut holds: two keys a step of a float apart
        counts = {doc['accessors'][s['input']]['count'] for s in animation['samplers']}
        self.assertEqual(counts, {40, 41})
        one_root = self.path('one.bvh')
        with open(one_root, 'w', encoding='utf-8') as file:
            file.write('HIERARCHY\nROOT a\n{\nOFFSET 0 1 0\nCHANNELS 1 Xrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n'
                       'MOTION\nFrames: 2\nFrame Time: 0.5\n0\n90\n')
        self.done('convert', one_root, '--fps', '8', '-o', out)
        doc, binary = glb_parts(out)
        self.assertEqual(doc['skins'][0]['joints'], [0, 1])
        binds = doc['accessors'][doc['skins'][0]['inverseBindMatrices']]
        at = doc['bufferViews'][binds['bufferView']]['byteOffset']
        self.assertEqual(struct.unpack_from('<32f', binary, at)[12:15], (0, -1, 0))
        self.assertEqual(struct.unpack_from('<32f', binary, at)[28:31], (0, -2, 0))
        keys = doc['accessors'][doc['animations'][0]['samplers'][0]['input']]
        self.assertEqual((keys['count'], keys['max']), (5, [0.5]))
        still = self.path('still.bvh')  # no frames: nodes alone
        with open(still, 'w', encoding='utf-8') as file:
            file.write('HIERARCHY\nROOT a\n{\nOFFSET 0 1 0\nCHANNELS 0\n}\nROOT b\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\n'
                       'MOTION\nFrames: 0\nFrame Time: 1\n')
        self.done('convert', still, '-o', out)
        doc, binary = glb_parts(out)
        self.assertEqual((sorted(doc), binary), (['asset', 'nodes', 'scene', 'scenes'], b''))

    def test_options_of_motion_files(self):
        out = self.path('out.bvh')
        self.done('convert', self.made, '--scale', '2', '--cut-first-frame', '--no-ends', '-o', out)
        answer = json.loads(self.done('convert', out, '--json', '-o', self.path('x.bvh')).stdout)
        self.assertEqual((answer['joints'], answer['frames']), (6, 39))
        times = [single(k / 30) for k in range(5)]
        a, b = self.poses(self.made, [single((k + 1) / 30) for k in range(5)]), self.poses(out, times)
        for p, q in zip(a, b):
            nodes = [n for n in p['nodes'] if not n['name'].endswith('_End')]
            for n, m in zip(nodes, q['nodes']):
                for k in (12, 13, 14):
                    self.assertAlmostEqual(2 * n['world'][k], m['world'][k], delta=1e-5)
        # as options of any command
        posed = self.poses(self.made, times, '--scale', '2', '--cut-first-frame', '--no-ends')
        self.assert_close(posed, b, 1e-6)

    def test_commands_take_motion_files(self):
        answer = json.loads(self.done('inspect', self.made, '--json').stdout)
        self.assertEqual(answer['format'], 'bvh')
        self.assertEqual([j['name'] for j in answer['rigs'][0]['joints']][:3], ['Hips', 'prop', 'part 0'])  # breadth first
        self.assertEqual(answer['rigs'][0]['joint_count'], 7)
        clip = answer['clips'][0]
        self.assertEqual((clip['name'], clip['first_key'], clip['channel_count']), ('made', 0, 6 + 3 + 3 + 1 + 3 + 1))
        self.assertAlmostEqual(clip['duration'], 39 / 30, delta=1e-6)
        self.assertEqual(answer['findings'], [])
        cut = self.path('cut.bvh')
        text = read(self.made).decode()
        with open(cut, 'w', encoding='utf-8') as file:
            file.write(text[:len(text) - 60])
        answer = json.loads(self.done('inspect', cut, '--json').stdout)
        self.assertEqual([f['code'] for f in answer['findings']], ['frame_incomplete', 'frame_count_wrong'])
        line = text[:len(text) - 60].count('\n') + 1
        for finding in answer['findings']:
            self.assertEqual(finding['severity'], 'repair')
            self.assertTrue(finding['where'].startswith('line %d, column ' % line), finding['where'])
        self.refused(1, 'line %d, column' % line, 'inspect', cut, '--strict')
        self.done('render', self.made, '--sheet', '4', '--size', '160x120', '-o', self.path('made.png'))
        self.assertEqual(read(self.path('made.png'))[:4], b'\x89PNG')
        self.refused(1, 'nothing to bake', 'bake', self.made, '-o', self.path('made.pc2'))

    def test_what_is_refused(self):
        out = self.path('out.glb')
        self.refused(2, 'FILE is missing', 'convert', '-o', out)
        self.refused(2, '-o OUT', 'convert', self.made)
        self.refused(2, 'neither', 'convert', self.made, '-o', self.path('out.fbx'))
        self.refused(2, '--fps', 'convert', self.made, '--fps', '0', '-o', out)
        self.refused(2, '--scale', 'convert', self.made, '--scale', 'x', '-o', out)
        self.refused(2, '--scale', 'convert', '@creature', '--scale', '2', '-o', out)
        self.refused(2, '--scale', 'convert', '@creature', '--scale', '0', '-o', self.path('out.bvh'))
        self.refused(2, '--rig', 'convert', self.made, '--rig', '0', '-o', out)
        self.refused(2, '--clip is missing', 'convert', '@creature', '-o', self.path('out.bvh'))
        self.refused(2, 'the input itself', 'convert', self.made, '-o', self.made)
        self.refused(1, "no clip '3'", 'convert', self.made, '--clip', '3', '-o', out)
        self.refused(1, "no clip '3'", 'convert', self.made, '--clip', '3', '-o', self.path('out.bvh'))
        self.refused(1, "no rig 'x'", 'convert', '@creature', '--clip', '0', '--rig', 'x', '-o', self.path('out.bvh'))
        self.refused(4, '', 'convert', self.made, '-o', self.path('no/out.glb'))
        with open(self.path('bad.bvh'), 'w', encoding='utf-8') as file:
            file.write('HIERARCHY\nROOT a\n{\nOFFSET 0 0\n}\n')
        nowhere = self.path('nowhere.bvh')
        self.refused(1, f'{nowhere}: the file: cannot be read: {os.strerror(errno.ENOENT)}\n', 'convert', nowhere, '-o', out)
        for name in ('folder.bvh', 'folder.glb'):
            os.mkdir(self.path(name))
            self.refused(1, f'{self.path(name)}: the file: cannot be read: {os.strerror(errno.EISDIR)}\n', 'convert', self.path(name), '-o', out)
        with open(self.path('text.bvh'), 'w', encoding='utf-8') as file:
            file.write('hello world\n')
        self.refused(1, "line 1, column 1: not a BVH file: expected HIERARCHY at the start, found 'hello'\n", 'convert', self.path('text.bvh'), '-o', out)
        # names that say another format than the file
        shutil.copy(self.made, self.path('made.glb'))
        self.refused(1, "found 'HIERARCHY'; by its start it should be named .bvh\n", 'convert', self.path('made.glb'), '-o', out)
        self.done('convert', self.made, '-o', self.path('good.glb'))
        shutil.copy(self.path('good.glb'), self.path('good.bvh'))
        self.refused(1, '; by its start it should be named .glb or .gltf\n', 'convert', self.path('good.bvh'), '-o', out)
        self.refused(1, 'line 5, column 1, a: ', 'convert', self.path('bad.bvh'), '-o', out)
        self.assertFalse(os.path.exists(out))
        self.assertEqual([n for n in os.listdir(self.folder.name) if n.endswith('.part')], [])


if __name__ == '__main__':
    unittest.main()
