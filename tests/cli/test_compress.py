# SPDX-License-Identifier: MIT
"""sinew compress, inspect of what it writes, and pose --runtime: figures against decoded files measured here in double
precision, the files against their layout, and what wrong use and wrong files are answered with."""
import json
import math
import os
import random
import struct
import subprocess
import tempfile
import unittest

PROGRAM = os.environ.get('SINEW_PROGRAM', '')
CORPUS = os.path.join(os.environ.get('SINEW_SOURCE_DIR', '.'), 'tests', 'fuzz', 'corpus')


def run(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=120)


def run_json(*words):
    done = run(*words, '--json')
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def write_bar(path, parents, rate, rest, samples):
    """`rest` is a list of ten numbers a joint, `samples` a list of such lists."""
    with open(path, 'wb') as f:
        f.write(struct.pack('<4sIIIf', b'SNBR', 1, len(parents), len(samples), rate))
        f.write(struct.pack('<%dh' % len(parents), *parents))
        for pose in [rest, *samples]:
            f.write(b''.join(struct.pack('<10f', *joint) for joint in pose))
    return path


def read_bar(path):
    with open(path, 'rb') as f:
        data = f.read()
    magic, version, joints, samples, rate = struct.unpack_from('<4sIIIf', data)
    assert magic == b'SNBR' and version == 1 and len(data) == 20 + 42 * joints + 40 * joints * samples
    parents = struct.unpack_from('<%dh' % joints, data, 20)
    values = struct.unpack_from('<%df' % (10 * joints * (samples + 1)), data, 20 + 2 * joints)
    poses = [[values[10 * (i * joints + j):][:10] for j in range(joints)] for i in range(samples + 1)]
    return parents, rate, poses[0], poses[1:]


def affine(t):
    """Rows of T * R * S."""
    x, y, z, w = t[3:7]
    n = math.sqrt(x * x + y * y + z * z + w * w)
    x, y, z, w = x / n, y / n, z / n, w / n
    r = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
         [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
         [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
    return [[r[i][k] * t[7 + k] for k in range(3)] + [t[i]] for i in range(3)]


def models(parents, pose):
    out = []
    for joint, parent in enumerate(parents):
        m = affine(pose[joint])
        if parent >= 0:
            p = out[parent]
            m = [[sum(p[i][k] * m[k][c] for k in range(3)) + (p[i][3] if c == 3 else 0) for c in range(4)]
                 for i in range(3)]
        out.append(m)
    return out


def shell_error(p, q, shell):
    return max(math.sqrt(sum((p[r][3] - q[r][3] + shell * (p[r][a] - q[r][a])) ** 2 for r in range(3)))
               for a in range(3))


def largest_error(parents, raw, decoded, shell):
    """Over all joints and samples."""
    return max(shell_error(p, q, shell)
               for a, b in zip(raw, decoded) for p, q in zip(models(parents, a), models(parents, b)))


def turn(axis, angle):
    q = [0.0, 0.0, 0.0, math.cos(angle / 2)]
    q[axis] = math.sin(angle / 2)
    return q


def made_up(samples, seed=1):
    """Five joints in an order that is not breadth-first: two chains below a root that walks."""
    r = random.Random(seed)
    parents = [-1, 0, 1, 0, 3]
    rest = [[0, 1, 0, 0, 0, 0, 1, 1, 1, 1]] + [[0, 0.3, 0, 0, 0, 0, 1, 1, 1, 1] for _ in range(4)]
    waves = [[(r.uniform(0.2, 0.8), r.uniform(1, 4), r.uniform(0, 6)) for _ in range(2)] for _ in range(5)]
    poses = []
    for i in range(samples):
        t = i / 30
        pose = []
        for j in range(5):
            (a, f, p), (b, g, q) = waves[j]
            move = [0.3 * t, 1 + 0.02 * math.sin(7 * t), 0] if j == 0 else [0, 0.3, 0]
            x, y = turn(0, a * math.sin(f * t + p)), turn(1, b * math.sin(g * t + q))
            rotation = [x[3] * y[k] + x[k] * y[3] + (x[k - 2] * y[k - 1] - x[k - 1] * y[k - 2]) for k in range(3)]
            rotation.append(x[3] * y[3] - sum(x[k] * y[k] for k in range(3)))
            pose.append(move + rotation + [1, 1, 1])
        poses.append(pose)
    return parents, rest, poses


class Compress(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = lambda name: os.path.join(self.folder.name, name)

    def tearDown(self):
        self.folder.cleanup()

    def bar(self, name='walk.bar', samples=50, rate=30.0, seed=1):
        parents, rest, poses = made_up(samples, seed)
        return write_bar(self.path(name), parents, rate, rest, poses)

    def test_decoded_is_within_what_is_told(self):
        path, out = self.bar(), self.path('out.sinew')
        told = run_json('compress', path, '--error', '0.0002', '--shell', '0.05', '-o', out, '--decoded', self.path('d'))
        clip = told['clips'][0]
        parents, rate, rest, decoded = read_bar(self.path('d/walk.bar'))
        raw_parents, raw_rate, raw_rest, raw = read_bar(path)
        self.assertEqual((parents, rate, len(decoded)), (raw_parents, raw_rate, 50))
        for a, b in zip(rest, raw_rest):
            for x, y in zip(a, b):
                self.assertAlmostEqual(x, y, delta=1e-6)
        error = largest_error(parents, raw, decoded, 0.05)
        self.assertLessEqual(error, 0.0002)
        self.assertAlmostEqual(error, clip['max_error'], delta=2e-6)
        self.assertEqual(clip['name'], 'walk')
        self.assertEqual(clip['file'], path)
        self.assertEqual((clip['joint_count'], clip['sample_count']), (5, 50))
        self.assertEqual(clip['rate'], 30)
        self.assertEqual(clip['raw_bytes'], 40 * 5 * 50)
        self.assertAlmostEqual(clip['ratio'], clip['raw_bytes'] / clip['bytes'])
        self.assertGreater(clip['ratio'], 8)
        self.assertEqual(told['total']['bytes'], os.path.getsize(out))
        self.assertEqual(told['total']['raw_bytes'], clip['raw_bytes'])
        self.assertEqual(told['total']['max_error'], clip['max_error'])
        self.assertGreaterEqual(told['total']['build_seconds'], 0)
        at = clip['worst']  # in the order of the file
        there = [models(parents, pose[round(at['time'] * 30)])[at['joint']] for pose in (raw, decoded)]
        self.assertAlmostEqual(shell_error(*there, 0.05), error, delta=2e-6)
        for a, b in zip(decoded, decoded[1:]):  # neighbours stand in one half-space
            for p, q in zip(a, b):
                self.assertGreater(sum(p[k] * q[k] for k in range(3, 7)), 0)

    def test_the_same_bytes_from_any_number_of_threads(self):
        path = self.bar(samples=200)
        files = []
        for mask in ('0', '0-%d' % (os.cpu_count() - 1)):
            out = self.path('out_%d.sinew' % len(files))
            words = [PROGRAM, 'compress', path, '-o', out]
            try:
                done = subprocess.run(['taskset', '-c', mask, *words], capture_output=True, timeout=120)
            except FileNotFoundError:
                self.skipTest('no taskset')
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(out, 'rb') as f:
                files.append(f.read())
        self.assertEqual(files[0], files[1])

    def test_presets_rates_and_bounds(self):
        path = self.bar(samples=120)
        size = {p: run_json('compress', path, '--preset', p)['clips'][0] for p in ('fast', 'default', 'small', 'fine')}
        self.assertLessEqual(size['small']['bytes'], size['default']['bytes'])
        self.assertLessEqual(size['default']['bytes'], size['fast']['bytes'])
        self.assertLessEqual(size['fine']['max_rotation_error'], 1e-4)
        loose = run_json('compress', path, '--error', '0.002')['clips'][0]
        self.assertLess(loose['bytes'], size['default']['bytes'])
        self.assertLessEqual(loose['max_error'], 0.002)
        half = run_json('compress', path, '--rate', '15')['clips'][0]
        self.assertEqual(half['rate'], 15)
        self.assertEqual(half['sample_count'], 61)  # 119 / 30 s: 59.5 samples at 15 Hz, and the end
        # a joint in its place has only its rest translation: the root alone moves
        self.assertLess(run_json('compress', path, '--no-translations')['clips'][0]['bytes'],
                        size['default']['bytes'] + 1)

    def test_splines_between_few_keys(self):
        plain = run_json('compress', '@creature', '--clip', 'walk')['clips'][0]
        more = run_json('compress', '@creature', '--clip', 'walk', '--between', '5')['clips'][0]
        self.assertGreater(plain['max_error_between'], 5 * plain['error'])
        self.assertLessEqual(more['max_error_between'], 5 * more['error'])
        self.assertGreaterEqual(more['rate'], 60)
        self.assertAlmostEqual(more['rate'] / plain['rate'], round(more['rate'] / plain['rate']), delta=1e-3)

    def test_many_clips_share_a_skeleton(self):
        a, b = self.bar('a.bar'), self.bar('b.bar', seed=2)
        os.mkdir(self.path('more'))
        c = self.bar('more/a.bar', seed=3)
        out = self.path('out.sinew')
        told = run_json('compress', a, b, c, '@creature', '-o', out, '--decoded', self.path('d'))
        names = [clip['name'] for clip in told['clips']]
        self.assertEqual(names[:3], ['a', 'b', 'a_2'])
        self.assertEqual(len(names), 3 + 5)
        self.assertEqual(sorted(os.listdir(self.path('d'))), sorted(n + '.bar' for n in names))
        held = run_json('inspect', out)
        self.assertEqual(held['format'], 'sinew')
        self.assertEqual([clip['name'] for clip in held['clips']], names)
        self.assertEqual([clip['rig'] for clip in held['clips']], [0, 0, 0] + 5 * [1])
        self.assertEqual(len(held['rigs']), 2)
        creature = run_json('inspect', '@creature')
        self.assertEqual(held['rigs'][1]['joints'], creature['rigs'][0]['joints'])
        self.assertEqual(held['bytes'], os.path.getsize(out))
        for clip, written in zip(held['clips'], told['clips']):
            self.assertEqual(sum(clip['parts'].values()), clip['bytes'])
            self.assertEqual(clip['bytes'] + 8 * clip['scalar_count'], written['bytes'])
            self.assertEqual(clip['sample_count'], written['sample_count'])
        # the root of the made-up clips moves on by 0.3 m a second; its bobbing by 0.02 m adds little
        self.assertAlmostEqual(held['clips'][0]['root_travel'], 0.3 * 49 / 30, delta=0.1)
        self.assertEqual(held['clips'][0]['interpolations'], ['LINEAR'])
        self.assertLess(told['total']['bytes'], sum(c['bytes'] for c in told['clips']) + 4096)
        text = run('inspect', out).stdout
        for word in ('walk', 'samples between', 'skeletons, names'):
            self.assertIn(word, text)
        self.assertIn('hips below 0', run('inspect', out, '--joints').stdout)

    def test_plot(self):
        plot = self.path('plot.png')
        self.assertEqual(run('compress', '@creature', '--clip', 'walk', '--plot', plot).returncode, 0)
        with open(plot, 'rb') as f:
            head = f.read(24)
        self.assertEqual(head[:8], b'\x89PNG\r\n\x1a\n')
        width, height = struct.unpack('>II', head[16:24])
        self.assertGreater(width, 900)
        self.assertGreaterEqual(height, 44 * 11)  # a row a joint
        self.assertEqual(run('compress', '@creature', '--plot', plot).returncode, 2)  # five clips

    def test_pose_runtime(self):
        keys = run_json('pose', '@creature', '--clip', 'walk', '--times', '0.11,0.5,0.93')['poses']
        for preset, bound in (('default', 2e-3), ('fine', 5e-4)):
            runtime = run_json('pose', '@creature', '--clip', 'walk', '--times', '0.11,0.5,0.93', '--runtime',
                               '--preset', preset)['poses']
            differ = False
            for a, b in zip(keys, runtime):
                self.assertEqual(a['local_time'], b['local_time'])
                for p, q in zip(a['instances'], b['instances']):
                    for x, y in zip(p['primitives'][0]['positions'], q['primitives'][0]['positions']):
                        self.assertLess(abs(x - y), bound)
                        differ |= x != y
            self.assertTrue(differ)
        face = [run_json('pose', '@creature', '--clip', 'jump', '--time', '0.7', '--max-vertices', '1', *words)
                ['poses'][0]['instances'] for words in ((), ('--runtime',))]
        weights = [[w for i in instances for w in i['weights']] for instances in face]
        self.assertTrue(any(weights[0]))
        for x, y in zip(*weights):
            self.assertAlmostEqual(x, y, delta=2e-3)
        # without a clip there is nothing to compress: the pose of the file
        self.assertEqual(run_json('pose', '@creature', '--runtime')['poses'],
                         run_json('pose', '@creature')['poses'])

    def test_wrong_use(self):
        path = self.bar()
        for words, part in (((), 'a FILE is missing'), ((path, '--error', '0'), '--error'),
                            ((path, '--error', 'x'), '--error'), ((path, '--rate', '1e9'), '--rate'),
                            ((path, '--preset', 'best'), '--preset'), ((path, '-o', 'x.bin'), '.sinew'),
                            ((path, '--plot', 'x.jpg'), '.png'), ((path, '--between', '0.5'), '--between')):
            done = run('compress', *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(part, done.stderr)
            self.assertEqual(done.stdout, '')
        self.assertEqual(run('pose', '@creature', '--clip', 'walk', '--preset', 'fine').returncode, 2)
        self.assertEqual(run('inspect', self.path('x.sinew'), '--strict').returncode, 2)
        with open(path, 'rb') as f:
            before = f.read()
        done = run('compress', path, '--decoded', self.folder.name)
        self.assertEqual(done.returncode, 2)
        self.assertIn('write over', done.stderr)
        with open(path, 'rb') as f:
            self.assertEqual(f.read(), before)
        out = self.path('none/out.sinew')
        self.assertEqual(run('compress', path, '-o', out).returncode, 4)

    def refused(self, command, path, *parts):
        done = run(command, path, '--json')
        self.assertEqual(done.returncode, 1, (path, done.stderr))
        finding = json.loads(done.stdout)['findings'][0]
        self.assertEqual(finding['severity'], 'error')
        self.assertTrue(done.stderr.startswith(path + ': '))
        for part in parts:
            self.assertIn(part, done.stderr)
        return finding

    def test_wrong_bar_files(self):
        path = self.bar(samples=3)
        with open(path, 'rb') as f:
            good = f.read()

        def with_bytes(name, data, *parts):
            where = self.path(name)
            with open(where, 'wb') as f:
                f.write(data)
            return self.refused('compress', where, *parts)

        def patched(at, code, value):
            return good[:at] + struct.pack(code, value) + good[at + struct.calcsize(code):]

        self.assertEqual(with_bytes('a.bar', b'', 'SNBR')['code'], 'format_unknown')
        with_bytes('b.bar', b'SNBX' + good[4:], 'SNBR')
        with_bytes('c.bar', good[:11], '11 bytes')
        self.assertEqual(with_bytes('d.bar', patched(4, '<I', 2), 'version 2')['code'], 'version_unsupported')
        with_bytes('e.bar', patched(8, '<I', 0), '0 joints')
        with_bytes('f.bar', patched(12, '<I', 0), 'no samples')
        with_bytes('g.bar', patched(12, '<I', 4), '4 samples')
        with_bytes('h.bar', patched(12, '<I', 0xFFFFFFFF), 'samples')
        with_bytes('i.bar', good + b'\0', '%d' % (len(good) + 1))
        with_bytes('j.bar', good[:-1], '%d' % (len(good) - 1))
        self.assertEqual(with_bytes('k.bar', patched(22, '<h', 1), 'joint 1')['code'], 'joint_parent_out_of_range')
        with_bytes('l.bar', patched(16, '<f', 0.0), 'rate')
        with_bytes('m.bar', patched(16, '<f', math.nan), 'rate')
        self.assertEqual(with_bytes('n.bar', patched(30 + 200 + 40, '<f', math.inf), 'joint 1 in sample 0')['code'],
                         'not_finite')
        zero = good[:30 + 12] + b'\0' * 16 + good[30 + 28:]
        self.assertEqual(with_bytes('o.bar', zero, 'the rest pose')['code'], 'zero_quaternion')
        self.refused('compress', self.path('nothing.bar'))

    def test_wrong_files(self):
        out = self.path('out.sinew')
        self.assertEqual(run('compress', self.bar(), '-o', out).returncode, 0)
        with open(out, 'rb') as f:
            good = f.read()
        for name, data, part in (('a.sinew', b'', 'SRF1'), ('b.sinew', good[:-1], 'bytes'),
                                 ('c.sinew', good[:100] + b'\x55' + good[101:], 'checksum'),
                                 ('d.sinew', good[:8] + b'\x02' + good[9:], 'version 2')):
            with open(self.path(name), 'wb') as f:
                f.write(data)
            self.refused('inspect', self.path(name), part)
        # what reads documents says what these are
        self.assertIn('inspect', run('pose', out).stderr)
        self.assertIn('compress', run('pose', self.bar()).stderr)
        # an older file survives what fails
        self.assertEqual(run('compress', self.path('nothing.bar'), '-o', out).returncode, 1)
        with open(out, 'rb') as f:
            self.assertEqual(f.read(), good)

    def test_document_with_several_rigs(self):
        path = os.path.join(CORPUS, 'gltf', 'rigs.glb')
        rigs = len(run_json('inspect', path)['rigs'])
        clips = len(run_json('inspect', path)['clips'])
        self.assertGreater(rigs, 1)
        if clips == 0:
            self.assertIn('no clips', run('compress', path).stderr)
        else:
            self.assertEqual(len(run_json('compress', path)['clips']), rigs * clips)


if __name__ == '__main__':
    unittest.main()
