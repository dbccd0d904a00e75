# SPDX-License-Identifier: MIT
"""sinew bind, and --cloud of pose and render: bindings against the formula worked out here in double precision, PLY files
that come back, groups, and what wrong use is answered with."""
import base64
import json
import math
import os
import random
import struct
import subprocess
import tempfile
import unittest

PROGRAM = os.environ.get('SINEW_PROGRAM', '')
STUB = 0.45
FORMATS = {'char': 'b', 'uchar': 'B', 'short': 'h', 'ushort': 'H', 'int': 'i', 'uint': 'I', 'float': 'f', 'double': 'd'}


def run(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=120)


def run_json(*words):
    done = run(*words, '--json')
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def write_ply(path, points, columns=('float x', 'float y', 'float z'), style='ascii', head='', tail=b''):
    """`points` are rows, a value a column; `tail` are the bytes of whatever the header names in `head`, which stands behind."""
    header = 'ply\nformat %s 1.0\nelement vertex %d\n' % (style, len(points))
    header += ''.join('property %s\n' % c for c in columns) + head + 'end_header\n'
    if style == 'ascii':
        data = ''.join(' '.join(repr(v) for v in row) + '\n' for row in points).encode()
    else:
        order = '<' if 'little' in style else '>'
        code = order + ''.join(FORMATS[c.split()[0]] for c in columns)
        data = b''.join(struct.pack(code, *row) for row in points)
    with open(path, 'wb') as f:
        f.write(header.encode() + data + tail)
    return path


def read_ply(path):
    """The rows of our own files as dictionaries, and the comments."""
    with open(path, 'rb') as f:
        data = f.read()
    head, _, body = data.partition(b'end_header\n')
    lines = head.decode().splitlines()
    columns = [line.split()[1:] for line in lines if line.startswith('property')]
    count = int(next(line.split()[2] for line in lines if line.startswith('element vertex')))
    if 'format ascii 1.0' in lines:
        rows = [[(float if kind in ('float', 'double') else int)(word) for (kind, _), word in zip(columns, line.split())]
                for line in body.decode().splitlines()]
    else:
        code = '<' + ''.join(FORMATS[kind] for kind, _ in columns)
        size = struct.calcsize(code)
        assert len(body) == size * count
        rows = [struct.unpack_from(code, body, size * k) for k in range(count)]
    assert len(rows) == count
    return ([{name: v for (_, name), v in zip(columns, row)} for row in rows],
            [line[8:] for line in lines if line.startswith('comment ')])


class Rig:
    """A rig at rest, from what inspect and pose say of it."""

    def __init__(self, file, index=0):
        self.joints = run_json('inspect', file)['rigs'][index]['joints']
        nodes = run_json('pose', file, '--max-vertices', '0')['poses'][0]['nodes']
        self.at = [nodes[j['node']]['world'][12:15] for j in self.joints]
        self.parents = [-1 if j['parent'] is None else j['parent'] for j in self.joints]
        self.names = [j['name'] for j in self.joints]
        self.segments = []
        for j, a in enumerate(self.at):
            children = [c for c, parent in enumerate(self.parents) if parent == j]
            if children:
                self.segments += [(j, a, self.at[c]) for c in children]
                continue
            way = [0.0, 1.0, 0.0]
            if self.parents[j] >= 0:
                way = [x - y for x, y in zip(a, self.at[self.parents[j]])]
                length = math.dist(a, self.at[self.parents[j]])
                way = [w * max(length, 1e-3) / length for w in way] if length > 3e-5 else [0.0, max(length, 1e-3), 0.0]
            self.segments.append((j, a, [x + STUB * w for x, w in zip(a, way)]))

    def bind(self, p, falloff, allowed=None):
        """[(joint, weight), (joint, weight)] and how near the third joint and ties are."""
        best = {}
        for j, a, b in self.segments:
            if allowed and j not in allowed:
                continue
            ab, ap = [y - x for x, y in zip(a, b)], [y - x for x, y in zip(a, p)]
            square = sum(v * v for v in ab)
            t = 0.0 if square < 1e-9 else min(1.0, max(0.0, sum(x * y for x, y in zip(ab, ap)) / square))
            d = math.dist(p, [x + t * v for x, v in zip(a, ab)])
            best[j] = min(best.get(j, math.inf), d)
        order = sorted((d, j) for j, d in best.items())
        if len(order) == 1:
            return [(order[0][1], 1.0), (order[0][1], 0.0)], math.inf
        (d1, j1), (d2, j2) = order[:2]
        near = max(0.0, 1.0 - (d2 - d1) / falloff) if falloff > 0 else 0.0
        w = 0.5 * min(near, 1.0) ** 2
        gap = min(d2 - d1, order[2][0] - d2 if len(order) > 2 else math.inf)
        return [(j1, 1.0 - w), (j2, w)], gap


class InFolder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)


class Bind(InFolder):
    def check_bindings(self, rig, points, bindings, falloff, allowed=None):
        self.assertEqual(len(points), len(bindings))
        ties = 0
        for k, (p, got) in enumerate(zip(points, bindings)):
            wanted, gap = rig.bind(p, falloff, allowed(k) if allowed else None)
            self.assertEqual(len(got), 2)
            if gap < 1e-5: # rounding of floats chooses
                ties += 1
                continue
            for (j, w), (gj, gw) in zip(wanted, got):
                self.assertEqual(j, gj)
                self.assertAlmostEqual(w, gw, delta=1e-6 + 1e-6 / max(falloff, 1e-3))
        self.assertLess(ties, len(points) / 4 + 1)

    def test_the_formula(self):
        rig = Rig('@creature')
        source = random.Random(7)
        points = [[source.uniform(-0.3, 0.3), source.uniform(-0.1, 1.3), source.uniform(-1.1, 0.8)] for _ in range(400)]
        points = [list(struct.unpack('<3f', struct.pack('<3f', *p))) for p in points]
        cloud = write_ply(self.path('cloud.ply'), points)
        for falloff in (0.08, 0.5, 0.0, -1.0):
            out = run_json('bind', cloud, '@creature', '--falloff', str(falloff))
            self.assertEqual((out['point_count'], out['joint_count']), (400, len(rig.joints)))
            self.assertGreaterEqual(out['seconds'], 0.0)
            self.check_bindings(rig, points, out['bindings'], falloff)
        # a twentieth of the longest side of the box around the joints
        size = max(max(c) - min(c) for c in zip(*rig.at))
        out = run_json('bind', cloud, '@creature')
        self.assertAlmostEqual(out['falloff'], size / 20, places=6)
        self.check_bindings(rig, points, out['bindings'], size / 20)
        for n in (1, 3, 4):
            out = run_json('bind', cloud, '@creature', '--influences', str(n))
            for binding in out['bindings']:
                self.assertEqual(len(binding), n)
                self.assertAlmostEqual(sum(w for _, w in binding), 1.0, places=6)

    def test_along_the_body(self):
        """A hairpin of bones, 1 m up and, 0.1 m beside, 1 m down, with points 5 mm apart on them. Half way up the other
        side is 0.1 m away through the air: k = 1 - 0.1 / 0.3, weight k^2 / 2 = 0.222. Along the points it is a metre.
        In voxels of 0.2 m both sides are one."""
        file = self.path('hairpin.gltf')
        with open(file, 'w') as f:
            json.dump({'asset': {'version': '2.0'}, 'scenes': [{'nodes': [0]}], 'nodes': [
                {'name': 'low', 'children': [1]}, {'name': 'bend', 'translation': [0, 1, 0], 'children': [2]},
                {'name': 'back', 'translation': [0.1, 0, 0], 'children': [3]}, {'name': 'end', 'translation': [0, -0.7, 0]}],
                'skins': [{'joints': [0, 1, 2, 3]}]}, f)
        points = [[0.0, 0.005 * k, 0.0] for k in range(201)] + [[0.005 * k, 1.0, 0.0] for k in range(21)]
        points += [[0.1, 0.005 * k, 0.0] for k in range(201)]
        cloud = write_ply(self.path('cloud.ply'), points)

        def share(*words): # of the way up, in the middle of the way down
            bound = run_json('bind', cloud, file, '--falloff', '0.3', *words)
            return bound['way'], sum(w for j, w in bound['bindings'][222 + 100] if j == 0)

        self.assertEqual(share(), share('--way', 'nearest'))
        way, weight = share()
        self.assertEqual(way, 'nearest')
        self.assertAlmostEqual(weight, (1 - 0.1 / 0.3) ** 2 / 2, places=6)
        self.assertEqual(share('--way', 'body', '--voxel', '0.02'), ('body', 0.0))
        self.assertEqual(share('--way', 'body')[1], 0.0)
        self.assertGreater(share('--way', 'body', '--voxel', '0.2')[1], 0.2)
        posed = [run_json('pose', file, '--cloud', cloud, *words)['poses'][0]['cloud']
                 for words in ([], ['--way', 'body', '--voxel', '0.02'])]
        self.assertEqual(*posed) # at rest
        self.assertIn(' along the body, ', run('bind', cloud, file, '--way', 'body').stdout)

    def test_a_rig_below_other_nodes(self):
        """The rig's space is the scene: what stands above its joints moves it."""
        file = self.path('moved.gltf')
        with open(file, 'w') as f:
            json.dump({'asset': {'version': '2.0'}, 'scenes': [{'nodes': [0]}], 'nodes': [
                {'name': 'above', 'translation': [5, 0, 0], 'scale': [2, 2, 2], 'children': [1]},
                {'name': 'low', 'children': [2]}, {'name': 'high', 'translation': [0, 1, 0]}],
                'skins': [{'joints': [1, 2]}]}, f)
        rig = Rig(file)
        self.assertEqual(rig.at[2], [5.0, 2.0, 0.0])
        points = [[5.5, 2.25, 0.0], [5.25, 1.0, 0.5], [0.5, 0.25, 0.0]]
        cloud = write_ply(self.path('cloud.ply'), points)
        out = run_json('bind', cloud, file, '--falloff', '0.5')
        self.check_bindings(rig, points, out['bindings'], 0.5)
        for name in ('0', 'above'):
            self.assertEqual(run_json('bind', cloud, file, '--rig', name)['rig'], {'index': 0, 'name': 'above'})
        # where FILE stands at rest nothing moves, to the last bit
        posed = run_json('pose', file, '--cloud', cloud)['poses'][0]['cloud']
        self.assertEqual(posed, {'point_count': 3, 'positions': sum(points, [])})

    def test_all_formats_are_one_cloud(self):
        points = [[0.25, 0.5, -0.125], [0.0, 1.5, 0.0], [-2.0, 0.0078125, 3.0]]
        outs = []
        faces = 'element face 1\nproperty list uchar int vertex_indices\n'
        for style, tail in (('ascii', b'3 0 1 2\n'), ('binary_little_endian', struct.pack('<B3i', 3, 0, 1, 2)),
                            ('binary_big_endian', struct.pack('>B3i', 3, 0, 1, 2))):
            path = write_ply(self.path(style + '.ply'), points, style=style, head=faces, tail=tail)
            outs.append(run_json('bind', path, '@chain:3')['bindings'])
        columns = ('double z', 'uchar skip', 'float y', 'double x')
        path = write_ply(self.path('order.ply'), [[z, 7, y, x] for x, y, z in points], columns, 'binary_big_endian')
        outs.append(run_json('bind', path, '@chain:3')['bindings'])
        self.assertTrue(all(out == outs[0] for out in outs))

    def test_the_file_that_comes_out(self):
        outs = {}
        for words in ([], ['--ascii']):
            path = self.path('out%d.ply' % len(words))
            bound = run_json('bind', '@creature:500', '@creature', '-o', path, *words, '--influences', '3')
            outs[len(words)] = path
            rows, comments = read_ply(path)
            self.assertEqual(len(rows), 500)
            self.assertIn('joint 0 root', comments)
            for row, binding in zip(rows, bound['bindings']):
                self.assertEqual([[row['joint%d' % k], row['weight%d' % k]] for k in range(3)],
                                 [[j, struct.unpack('<f', struct.pack('<f', w))[0]] for j, w in binding]
                                 if not words else binding)
                self.assertAlmostEqual(math.hypot(row['nx'], row['ny'], row['nz']), 1.0, places=5)
                self.assertIn(row['group'], (0, 1))
        first, second = (read_ply(outs[k])[0] for k in (0, 1))
        for a, b in zip(first, second):
            for name in a:
                self.assertEqual(a[name], struct.unpack('<f', struct.pack('<f', b[name]))[0]
                                 if isinstance(b[name], float) else b[name])
        # points that follow one joint alone have one colour; there are many
        colors = {}
        for row in first:
            if row['weight0'] == 1.0:
                colors.setdefault(row['joint0'], set()).add((row['red'], row['green'], row['blue']))
        self.assertTrue(all(len(c) == 1 for c in colors.values()))
        self.assertGreater(len(set.union(*colors.values())), 2)
        # and either file is the same cloud as the first
        whole = run_json('bind', '@creature:500', '@creature')['bindings']
        for path in outs.values():
            self.assertEqual(run_json('bind', path, '@creature')['bindings'], whole)

    def test_groups(self):
        rig = Rig('@chain:4')
        points = [[0.1, 0.1 + 0.3 * k, 0.0] for k in range(10)]
        cloud = write_ply(self.path('cloud.ply'), [p + [k % 3 - 1] for k, p in enumerate(points)],
                          ('float x', 'float y', 'float z', 'int group'))
        groups = self.path('groups.json')
        allowed = [{3}, {0, 1}]

        def bind(data, falloff=0.4):
            with open(groups, 'w') as f:
                json.dump(data, f)
            return run_json('bind', cloud, '@chain:4', '--groups', groups, '--falloff', str(falloff))['bindings']

        points = [list(struct.unpack('<3f', struct.pack('<3f', *p))) for p in points]
        names = [['j3'], ['j1', 0]]
        of = [0, 1, -1, 1, 0, 99, None, 1]
        self.check_bindings(rig, points, bind({'groups': names, 'points': of}), 0.4,
                            lambda k: allowed[of[k]] if k < len(of) and of[k] in (0, 1) else None)
        # the groups of the cloud itself
        self.check_bindings(rig, points, bind({'groups': names}), 0.4, lambda k: (None, *allowed)[k % 3])
        # one without joints is none
        self.check_bindings(rig, points, bind({'groups': [[]], 'points': [0] * 10}), 0.4)
        # they come out as properties
        bind({'groups': names, 'points': of})
        path = self.path('out.ply')
        done = run('bind', cloud, '@chain:4', '--groups', groups, '-o', path)
        self.assertEqual(done.returncode, 0)
        self.assertIn('groups of 8 points; the other 2', done.stderr)
        self.assertEqual([row['group'] for row in read_ply(path)[0]], [0, 1, -1, 1, 0, 99, -1, 1, -1, -1])

    def test_text_for_people(self):
        done = run('bind', '@creature:100', '@creature')
        self.assertEqual(done.returncode, 0)
        self.assertIn("100 points on rig 0 'root' of 44 joints", done.stdout)
        self.assertEqual(sum(int(line.split()[0]) for line in done.stdout.splitlines()[1:]), 100)

    def test_a_million_points_take_seconds_at_most(self):
        """0.05 s on one core of 2022, some 100 times as much in slow builds; a quadratic search would take minutes."""
        for words, most in (([], 10.0), (['--way', 'body'], 60.0)):
            done = run('bind', '@creature:1000000', '@creature', *words)
            self.assertEqual(done.returncode, 0)
            first = done.stdout.splitlines()[0]
            self.assertTrue(first.startswith('@creature:1000000: 1000000 points on rig 0'))
            self.assertLess(float(first.split(', ')[-1].split()[0]), most)

    def test_an_empty_cloud(self):
        cloud = write_ply(self.path('none.ply'), [])
        self.assertEqual(run_json('bind', cloud, '@chain:2')['bindings'], [])
        path = self.path('out.ply')
        self.assertEqual(run('bind', cloud, '@chain:2', '-o', path).returncode, 0)
        self.assertEqual(read_ply(path)[0], [])
        posed = run_json('pose', '@chain:2', '--cloud', cloud)['poses'][0]['cloud']
        self.assertEqual(posed, {'point_count': 0, 'positions': []})

    def check_fails(self, status, says, *words):
        for more in ([], ['--json']):
            done = run(*words, *(more if 'render' not in words else []))
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertIn(says, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 2 if status == 2 else 1)
            if status == 1 and more and 'render' not in words:
                out = json.loads(done.stdout)
                self.assertEqual(out['findings'][0]['severity'], 'error')
                self.assertEqual(out['file'], done.stderr.split(': ')[0])
            elif status != 4:
                self.assertEqual(done.stdout, '')

    def test_wrong_use(self):
        for says, words in (
                ('a CLOUD and a FILE are missing', ['bind']),
                ('a FILE is missing', ['bind', '@creature']),
                ('one word too many', ['bind', '@creature', '@creature', '@creature']),
                ("metres, not 'wide'", ['bind', '@creature', '@creature', '--falloff', 'wide']),
                ("metres, not 'nan'", ['bind', '@creature', '@creature', '--falloff', 'nan']),
                ("1 to 4, not '5'", ['bind', '@creature', '@creature', '--influences', '5']),
                ("1 to 4, not '0'", ['bind', '@creature', '@creature', '--influences', '0']),
                ('must be a .ply', ['bind', '@creature', '@creature', '-o', 'out.obj']),
                ('--ascii belongs to', ['bind', '@creature', '@creature', '--ascii']),
                ("'@chain:3' is no PLY file", ['bind', '@chain:3', '@creature']),
                ('up to 10,000,000', ['bind', '@creature:many', '@creature']),
                ("nearest, body or surface, not 'skin'", ['bind', '@creature', '@creature', '--way', 'skin']),
                ('--voxel belongs to --way body', ['bind', '@creature', '@creature', '--voxel', '0.1']),
                ('--voxel belongs to --way body', ['bind', '@creature', '@creature', '--voxel', '0.1', '--way', 'surface']),
                ("metres above 0, not '0'", ['bind', '@creature', '@creature', '--way', 'body', '--voxel', '0']),
                ("metres above 0, not '-1'", ['bind', '@creature', '@creature', '--way', 'body', '--voxel', '-1']),
                ("metres above 0, not '1e39'", ['bind', '@creature', '@creature', '--way', 'body', '--voxel', '1e39']),
                ("metres above 0, not '1e-60'", ['bind', '@creature', '@creature', '--way', 'body', '--voxel', '1e-60']),
                ('--falloff is about joints', ['bind', '@creature', '@creature', '--way', 'surface', '--falloff', '1']),
                ('--groups is about joints', ['bind', '@creature', '@creature', '--way', 'surface', '--groups', 'g.json']),
                ('--rig is about joints', ['pose', '@creature', '--cloud', '@creature', '--way', 'surface', '--rig', '0']),
                ('holds joints and weights', ['bind', '@creature', '@creature', '--way', 'surface', '-o', 'a.ply']),
                ('--way belongs to --cloud', ['pose', '@creature', '--way', 'body']),
                ('--voxel belongs to --cloud', ['render', '@creature', '--voxel', '1', '-o', 'a.png']),
                ('--weights colours points by joints',
                 ['render', '@creature', '--cloud', '@creature', '--way', 'surface', '--weights', 'all', '-o', 'a.png']),
                ('--spring belongs to --cloud', ['pose', '@creature', '--spring', 'heavy']),
                ("light or cloth, not 'soft'", ['pose', '@creature', '--cloud', '@creature', '--spring', 'soft']),
                ('--falloff belongs to --cloud', ['pose', '@creature', '--falloff', '1']),
                ('--rig belongs to --cloud', ['pose', '@creature', '--rig', '0']),
                ('--groups belongs to --cloud', ['render', '@creature', '--groups', 'g.json', '-o', 'a.png']),
                ('--spring belongs to --cloud', ['render', '@creature', '--spring', 'heavy', '-o', 'a.png']),
                ('--with-meshes belongs to', ['render', '@creature', '--with-meshes', '-o', 'a.png']),
                ("light or cloth, or several of them such as heavy,light, not 'soft'",
                 ['render', '@creature', '--cloud', '@creature', '--spring', 'soft', '-o', 'a.png']),
                ("3px, not '0'", ['render', '@creature', '--cloud', '@creature', '--point-size', '0', '-o', 'a.png']),
                ("3px, not 'px'", ['render', '@creature', '--cloud', '@creature', '--point-size', 'px', '-o', 'a.png'])):
            self.check_fails(2, says, *words)

    def test_wrong_files(self):
        bad = self.path('bad.ply')
        cloud = write_ply(self.path('cloud.ply'), [[0, 1, 2], [3, 4, 5]])
        write_ply(bad, [[0, 1, 2], [3, 4, 'x']])
        groups = self.path('groups.json')
        with open(groups, 'w') as f:
            f.write('{"groups": [["j0"],\n ["j7"]], "points": [0]}')
        self.check_fails(1, bad + ': line 9, column 5: \'\'x\'\'; expected a number', 'bind', bad, '@chain:3')
        self.check_fails(1, self.path('none.ply') + ': the file', 'bind', self.path('none.ply'), '@chain:3')
        self.check_fails(1, self.path('none.glb') + ': ', 'bind', cloud, self.path('none.glb'))
        self.check_fails(1, "no rig 'j7'; the file has 1", 'bind', cloud, '@chain:3', '--rig', 'j7')
        self.check_fails(1, "no rig '1'; the file has 1", 'bind', cloud, '@chain:3', '--rig', '1')
        self.check_fails(1, groups + ": line 2, column 3, groups[1][0]: the skeleton has no joint 'j7'",
                         'bind', cloud, '@chain:3', '--groups', groups)
        self.check_fails(1, self.path('g.json') + ': the file', 'bind', cloud, '@chain:3', '--groups', self.path('g.json'))
        with open(groups, 'w') as f:
            f.write('{"groups": [["j0"]]}')
        self.check_fails(1, "a property 'group'", 'bind', cloud, '@chain:3', '--groups', groups)
        with open(groups, 'w') as f:
            f.write('{"groups": [], "points": [0, 0, 0]}')
        self.check_fails(1, '3 points; the cloud has 2', 'bind', cloud, '@chain:3', '--groups', groups)
        still = self.path('still.gltf')
        with open(still, 'w') as f:
            json.dump({'asset': {'version': '2.0'}, 'nodes': [{}]}, f)
        self.check_fails(1, still + ": rigs: there is no rig '0'; the file has none", 'bind', cloud, still)
        for command in (['bind', cloud, still], ['bind', cloud, '@chain:3'], ['pose', '@chain:3', '--cloud', cloud]):
            self.check_fails(1, ': meshes: there is no triangle', *command, '--way', 'surface')
        # a binary file that ends too soon: the byte of its data
        short = write_ply(self.path('short.ply'), [[0, 1, 2]], style='binary_little_endian')
        with open(short, 'rb+') as f:
            f.truncate(os.path.getsize(short) - 1)
        self.check_fails(1, short + ': byte 115: the header names 1 rows', 'bind', short, '@chain:3')
        for command in (['pose', '@chain:3'], ['render', '@chain:3', '-o', self.path('a.png')]):
            self.check_fails(1, bad + ': line 9', *command, '--cloud', bad)
        self.assertFalse(os.path.exists(self.path('a.png')))

    def test_what_cannot_be_written(self):
        path = self.path('none/out.ply')
        self.check_fails(4, path + ': the file: cannot be written', 'bind', '@creature:10', '@creature', '-o', path)
        kept = self.path('kept.ply')
        with open(kept, 'w') as f:
            f.write('as it was')
        self.assertEqual(run('bind', '@chain:1', '@chain:3', '-o', kept).returncode, 2)
        self.assertEqual(run('bind', self.path('none.ply'), '@chain:3', '-o', kept).returncode, 1)
        with open(kept) as f:
            self.assertEqual(f.read(), 'as it was')
        self.assertEqual(sorted(os.listdir(self.folder.name)), ['kept.ply'])


class Pose(InFolder):
    def test_points_follow_their_joints(self):
        """@chain:3 at 1 s of its bend: every joint 15 degrees about +Z. A point on one joint moves by its matrix; one that
        two share lies on the line between, by its weights."""
        points = [[0.0, 0.5, 0.0], [0.25, 1.75, 0.5], [0.1, 1.0, 0.0], [0.0, 2.25, 0.0]]
        cloud = write_ply(self.path('cloud.ply'), [p + [1, 0, 0] for p in points],
                          ('float x', 'float y', 'float z', 'float nx', 'float ny', 'float nz'))
        for falloff in ('0', '0.3'):
            bound = run_json('bind', cloud, '@chain:3', '--falloff', falloff)['bindings']
            out = run_json('pose', '@chain:3', '--clip', 'bend', '--times', '0,1', '--cloud', cloud, '--falloff', falloff)
            joints = run_json('inspect', '@chain:3')['rigs'][0]['joints']
            at_rest, bent = out['poses']
            self.assertEqual(at_rest['cloud']['positions'], sum([[float('%.9g' % struct.unpack('f', struct.pack('f', v))[0])
                                                                  for v in p] for p in points], []))
            for k, (p, binding) in enumerate(zip(points, bound)):
                wanted = [0.0] * 3
                for joint, weight in binding:
                    rest, world = (pose['nodes'][joints[joint]['node']]['world'] for pose in (at_rest, bent))
                    local = [x - o for x, o in zip(p, rest[12:15])] # rest rotations are the identity
                    for i in range(3):
                        wanted[i] += weight * (world[12 + i] + sum(world[4 * c + i] * local[c] for c in range(3)))
                got = bent['cloud']['positions'][3 * k:3 * k + 3]
                self.assertLess(math.dist(wanted, got), 1e-6)
                lead = bent['nodes'][joints[binding[0][0]]['node']]['world']
                self.assertLess(math.dist(lead[:3], bent['cloud']['normals'][3 * k:3 * k + 3]), 1e-6)

    def test_points_on_a_surface_follow_its_triangles(self):
        """Vertices and height of each point's triangle, put together in double precision where `pose` has the vertices."""
        source = random.Random(5)
        points = [[source.uniform(-0.2, 0.2), source.uniform(-0.1, 2.1), source.uniform(-0.1, 0.1)] for _ in range(60)]
        cloud = write_ply(self.path('cloud.ply'), points)
        bound = run_json('bind', cloud, '@strip:3:40', '--way', 'surface')
        self.assertEqual(bound['parts'], [{'node': 3, 'mesh': 0, 'name': 'strip', 'copy': 0, 'primitive': 0}])
        self.assertEqual((bound['way'], bound['point_count']), ('surface', 60))
        out = run_json('pose', '@strip:3:40', '--clip', 'bend', '--times', '0,0.5,1', '--cloud', cloud, '--way', 'surface')
        for pose in out['poses']:
            places = pose['instances'][0]['primitives'][0]['positions']
            for k, binding in enumerate(bound['bindings']):
                a, b, c = (places[3 * v:3 * v + 3] for v in binding['vertices'])
                u, v = [y - x for x, y in zip(a, b)], [y - x for x, y in zip(a, c)]
                n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
                n = [x / math.hypot(*n) for x in n]
                wanted = [sum(s * corner[i] for s, corner in zip(binding['shares'], (a, b, c))) + binding['height'] * n[i]
                          for i in range(3)]
                self.assertLess(math.dist(wanted, pose['cloud']['positions'][3 * k:3 * k + 3]), 1e-6)
                self.assertLess(math.dist(n, pose['cloud']['normals'][3 * k:3 * k + 3]), 1e-5)
        # at rest the strip is flat: what lies over it keeps its place, what lies beside comes in to its edge
        for k, (p, binding) in enumerate(zip(points, bound['bindings'])):
            got = out['poses'][0]['cloud']['positions'][3 * k:3 * k + 3]
            if all(s > 0.0 for s in binding['shares']):
                self.assertLess(math.dist(p, got), 1e-6)
                self.assertAlmostEqual(binding['height'], p[2], places=6)
        # how many vertices are shown does not matter
        cut = run_json('pose', '@strip:3:40', '--clip', 'bend', '--times', '0,0.5,1', '--cloud', cloud, '--way', 'surface',
                       '--max-vertices', '100')
        self.assertEqual([p['cloud']['positions'] for p in cut['poses']], [p['cloud']['positions'] for p in out['poses']])
        few = run_json('pose', '@strip:3:40', '--clip', 'bend', '--time', '1', '--cloud', cloud, '--way', 'surface',
                       '--max-vertices', '2')['poses'][0]
        self.assertEqual(len(few['instances'][0]['primitives'][0]['positions']), 6)
        self.assertEqual(few['cloud']['positions'], out['poses'][2]['cloud']['positions'][:6])

    def test_springs_swing_from_time_to_time(self):
        """A joint that moves at 1 m a second: after the start has died away a point is 2 z / w seconds behind, for cloth
        2 * 0.7 / 12 s; the clip clamps, so that before 0 all stands still."""
        file, data = self.path('ramp.gltf'), struct.pack('<2f6f', 0, 3, 0, 0, 0, 3, 0, 0)
        with open(file, 'w') as f:
            json.dump({'asset': {'version': '2.0'}, 'scenes': [{'nodes': [0]}], 'nodes': [{'name': 'a'}],
                       'skins': [{'joints': [0]}], 'buffers': [{'byteLength': 32, 'uri': 'data:application/octet-stream;base64,' +
                                                                base64.b64encode(data).decode()}],
                       'bufferViews': [{'buffer': 0, 'byteLength': 8}, {'buffer': 0, 'byteOffset': 8, 'byteLength': 24}],
                       'accessors': [
                           {'bufferView': 0, 'componentType': 5126, 'count': 2, 'type': 'SCALAR', 'min': [0], 'max': [3]},
                           {'bufferView': 1, 'componentType': 5126, 'count': 2, 'type': 'VEC3'}],
                       'animations': [{'channels': [{'sampler': 0, 'target': {'node': 0, 'path': 'translation'}}],
                                       'samplers': [{'input': 0, 'output': 1}]}]}, f)
        cloud = write_ply(self.path('cloud.ply'), [[0.0, 0.1, 0.0]])
        words = ['pose', file, '--clip', '0', '--cloud', cloud, '--spring', 'cloth']
        at = {t: run_json(*words, '--time', t)['poses'][0]['cloud']['positions'][0] for t in ('0', '2', '2.9')}
        self.assertEqual(at['0'], 0.0)
        # what is left of the start after 2 s: exp(-0.7 * 12 * 2) = 5e-8, and less than a tenth of a metre of it
        self.assertAlmostEqual(at['2'], 2 - 2 * 0.7 / 12, delta=1e-5)
        # in steps or in one go, the motion being a line; an earlier time begins anew
        poses = run_json(*words, '--times', '0,1,1.5,2,2,2.9,2')['poses']
        for k, t in ((0, '0'), (3, '2'), (4, '2'), (5, '2.9'), (6, '2')):
            self.assertAlmostEqual(poses[k]['cloud']['positions'][0], at[t], delta=1e-5)
            self.assertAlmostEqual(poses[k]['nodes'][0]['world'][12], float(t), places=6)

    def test_points_on_the_creature_stay_on_its_skin(self):
        """Points bound to triangles are as far from the posed mesh as they were."""
        text = run('bind', '@creature:2000', '@creature', '--way', 'surface').stdout.splitlines()
        self.assertIn('2000 points on 19192 triangles', text[0])
        self.assertEqual(sum(int(line.split()[0]) for line in text[1:]), 2000)
        out = run_json('pose', '@creature', '--cloud', '@creature:300', '--way', 'surface', '--clip', 'run', '--time', '0.1')
        bound = run_json('bind', '@creature:300', '@creature', '--way', 'surface')
        pose = out['poses'][0]
        meshes = {i['node']: i['primitives'] for i in pose['instances']}
        for k, binding in enumerate(bound['bindings']):
            part = bound['parts'][binding['part']]
            primitive = next(p for p in meshes[part['node']] if p['index'] == part['primitive'])
            place = [sum(s * primitive['positions'][3 * v + i] for s, v in zip(binding['shares'], binding['vertices']))
                     for i in range(3)]
            self.assertAlmostEqual(math.dist(place, pose['cloud']['positions'][3 * k:3 * k + 3]), abs(binding['height']),
                                   delta=1e-6)

    def test_lists_are_cut_and_text_has_a_box(self):
        out = run_json('pose', '@creature', '--clip', 'walk', '--cloud', '@creature:50', '--max-vertices', '7')
        cloud = out['poses'][0]['cloud']
        self.assertEqual((cloud['point_count'], len(cloud['positions']), len(cloud['normals'])), (50, 21, 21))
        done = run('pose', '@creature', '--cloud', '@creature:50')
        self.assertIn('  cloud: 50 points in (', done.stdout)
        self.assertNotIn('"cloud"', run('pose', '@chain:2', '--json').stdout)

    def test_with_clips_of_another_file(self):
        done = run('pose', '@cub', '--clips', '@creature', '--retarget', 'names', '--clip', 'walk', '--cloud', '@cub:40',
                   '--json')
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len(json.loads(done.stdout)['poses'][0]['cloud']['positions']), 120)


class Render(InFolder):
    def draw(self, name, *words):
        path = self.path(name + '.png')
        done = run('render', '@creature', '--cloud', '@creature:800', '--size', '80x60', *words, '-o', path)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        with open(path, 'rb') as f:
            return f.read()

    def test_options_change_the_picture(self):
        run_at = ['--clip', 'run', '--time', '0.2', '--wrap', 'loop']
        pictures = [self.draw('a', *words) for words in (
            run_at, run_at + ['--spring', 'heavy'], run_at + ['--spring', 'light'], run_at + ['--spring', 'cloth'],
            run_at + ['--point-size', '0.05'], run_at + ['--point-size', '2px'], run_at + ['--with-meshes'],
            run_at + ['--way', 'surface'], run_at + ['--weights', 'all'], run_at + ['--weights', 'head'], run_at + ['--joints'])]
        self.assertEqual(len(set(pictures)), len(pictures))

    def test_points_that_stand_still_are_at_rest(self):
        self.assertEqual(self.draw('a'), self.draw('b', '--spring', 'light'))

    def test_a_sheet_swings_on_from_moment_to_moment(self):
        sheet = self.draw('a', '--clip', 'walk', '--wrap', 'loop', '--sheet', '3', '--spring', 'cloth')
        self.assertEqual(sheet, self.draw('b', '--clip', 'walk', '--wrap', 'loop', '--sheet', '3', '--spring', 'cloth'))
        self.assertNotEqual(sheet, self.draw('c', '--clip', 'walk', '--wrap', 'loop', '--sheet', '3'))

    def test_clouds_without_anything(self):
        for points in ([], [[0.0, 1.0, 0.0]], [[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]):
            cloud = write_ply(self.path('cloud.ply'), points)
            done = run('render', '@chain:2', '--cloud', cloud, '--spring', 'heavy', '--size', '40x40', '-o',
                       self.path('a.png'))
            self.assertEqual((done.returncode, done.stderr), (0, ''))



if __name__ == '__main__':
    unittest.main()
