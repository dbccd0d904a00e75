# SPDX-License-Identifier: MIT
"""sinew bake --vat: the files are read by a few lines of our own, which do what the sample shaders do, and compared with
arithmetic beside each test and with what `sinew pose` says at the same times. The container is held against the KTX 2.0
specification field by field."""
import json
import math
import os
import random
import struct
import sys
import tempfile
import unittest

from test_bake import Glb, animate, single, sliding, triangle
from test_commands import Builder, make_figure, moved, read_json, run

PROGRAM = os.environ.get('SINEW_PROGRAM', '')
DATA = os.path.join(os.environ.get('SINEW_TEST_DATA', ''), 'data', 'gltf')
HALF_ULP = 2.0 ** -24


# ---- Readers --------------------------------------------------------------------------------------------------


class Ktx2:
    """A KTX 2.0 file with one level of one uncompressed 2D image. Everything the specification fixes is asserted."""
    FORMATS = {109: ('f', 4), 91: ('H', 2)}  # VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_R16G16B16A16_UNORM

    def __init__(self, path):
        with open(path, 'rb') as f:
            data = f.read()
        assert data[:12] == b'\xabKTX 20\xbb\r\n\x1a\n'
        (self.format, type_size, self.width, self.height, depth, layers, faces, levels, scheme, dfd, dfd_size, kvd, kvd_size,
         sgd, sgd_size, level, size, raw_size) = struct.unpack_from('<9I4I2Q3Q', data, 12)
        code, each = self.FORMATS[self.format]
        assert (type_size, depth, layers, faces, levels, scheme) == (each, 0, 0, 1, 1, 0)
        assert (dfd, kvd, sgd, sgd_size) == (80 + 24, dfd + dfd_size, 0, 0)
        # the descriptor, 1.4 "Basic Data Format Descriptor": RGBSDA, no primaries, linear, 1 texel a block, one plane
        bits = 8 * each
        want = struct.pack('<IHHHHBBBB8B4x', 4 + 24 + 64, 0, 0, 2, 24 + 64, 1, 0, 1, 0, 0, 0, 0, 0, 4 * each, 0, 0, 0)
        for k, channel in enumerate((0, 1, 2, 15)):
            low, high = (-1.0, 1.0) if code == 'f' else (0, 65535)
            want += struct.pack('<HBB4x', bits * k, bits - 1, channel | (0xC0 if code == 'f' else 0))
            want += struct.pack('<ff' if code == 'f' else '<II', low, high)
        assert data[dfd:dfd + dfd_size] == want
        self.pairs, at = [], kvd
        while at < kvd + kvd_size:
            length, = struct.unpack_from('<I', data, at)
            key, value = data[at + 4:at + 4 + length].split(b'\0', 1)
            padding = -length % 4
            assert not any(data[at + 4 + length:at + 4 + length + padding])
            self.pairs.append((key.decode(), value))
            at += 4 + length + padding
        assert at == kvd + kvd_size and [k for k, _ in self.pairs] == sorted(k for k, _ in self.pairs)
        step = 4 * each  # the least common multiple of the texel's size and 4
        assert level == -(-at // step) * step and not any(data[at:level])
        assert size == raw_size == 4 * each * self.width * self.height and level + size == len(data)
        values = struct.unpack_from('<%d%s' % (4 * self.width * self.height, code), data, level)
        if code == 'H':
            values = [x / 65535 for x in values]
        self.texels = [values[4 * i:4 * i + 4] for i in range(self.width * self.height)]


def add(a, b, part):
    return [x + (y - x) * part for x, y in zip(a, b)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def unit(v):
    length = math.sqrt(dot(v, v))
    return [x / length for x in v]


def degrees(a, b):
    return math.degrees(math.atan2(math.sqrt(dot(cross(a, b), cross(a, b))), dot(a, b)))


class Vat:
    """What `--vat` writes, read as src/gpu/shaders/vat.glsl reads it, in doubles."""

    def __init__(self, path):
        self.ktx = Ktx2(path)
        with open(path[:-5] + '.json', encoding='utf-8') as f:
            self.doc = json.load(f)
        folder = os.path.dirname(path)
        assert os.path.join(folder, self.doc['texture']) == path
        self.glb = Glb(os.path.join(folder, self.doc['mesh']))
        d = self.doc
        assert (d['format'], d['version'], d['width'], d['height']) == ('sinew-vat', 1, self.ktx.width, self.ktx.height)
        assert {'float32': 109, 'unorm16': 91}[d['texels']] == self.ktx.format
        self.stride = d['stride']

    def at(self, clip, seconds):
        """(texel of the frame, of the next one, share)"""
        clip = self.doc['clips'][clip]
        first, count, duration = clip['first_frame'], clip['frames'], clip['duration']
        if count < 2 or duration <= 0:
            return first, first, 0.0
        turns = seconds / duration
        share = turns - math.floor(turns) if clip['loop'] else min(max(turns, 0.0), 1.0)
        at = share * (count - 1)
        frame = min(int(at), count - 2)
        return first + frame, first + frame + 1, at - frame

    def texel(self, frame, i):
        return self.ktx.texels[frame * self.stride + i]

    def unpack(self, texel):
        d = self.doc
        position = [low + x * size for low, x, size in zip(d['low'], texel, d['size'])]
        w, base = math.floor(texel[3] * d['normal_scale'] + .5), d['normal_base']
        a, b = divmod(w, base)
        x, y = a / (base / 2 - 1) - 1, b / (base / 2 - 1) - 1
        z = 1 - abs(x) - abs(y)
        over = max(-z, 0.0)
        return position, unit([x + (over if x < 0 else -over), y + (over if y < 0 else -over), z])

    def vertex(self, moment, i):
        (p, n), (q, m) = (self.unpack(self.texel(frame, i)) for frame in moment[:2])
        return add(p, q, moment[2]), unit(add(n, m, moment[2]))

    def rows(self, moment, joint):
        return [add(self.texel(moment[0], 3 * joint + r), self.texel(moment[1], 3 * joint + r), moment[2]) for r in range(3)]

    def skin(self, moment, joints, weights, position, normal):
        rows = [[0.0] * 4 for _ in range(3)]
        for joint, weight in zip(joints, weights):
            if weight:
                rows = [[x + weight * y for x, y in zip(a, b)] for a, b in zip(rows, self.rows(moment, joint))]
        axes = [r[:3] for r in rows]
        cofactors = [cross(axes[1], axes[2]), cross(axes[2], axes[0]), cross(axes[0], axes[1])]
        side = -1 if dot(axes[0], cofactors[0]) < 0 else 1
        return ([dot(r[:3], position) + r[3] for r in rows], unit([side * dot(c, normal) for c in cofactors]))

    def mesh(self):
        """The primitives of OUT.glb: attributes by name."""
        return [{name: self.glb.accessor(a) for name, a in p['attributes'].items()}
                for m in self.glb.doc['meshes'] for p in m['primitives']]

    def shown(self, moment):
        """Positions and normals of all vertices as a shader draws OUT.glb."""
        out = []
        for p in self.mesh():
            for i in range(len(p['POSITION'])):
                if self.doc['form'] == 'vertices':
                    out.append(self.vertex(moment, int(p['_VERTEX_ID'][i][0])))
                    continue
                sets = range(sum(name.startswith('JOINTS_') for name in p))
                out.append(self.skin(moment, [j for s in sets for j in p['JOINTS_%d' % s][i]],
                                     [w for s in sets for w in p['WEIGHTS_%d' % s][i]], p['POSITION'][i],
                                     p['NORMAL'][i] if 'NORMAL' in p else (0, 0, 1)))
        return out


def sheet(path, normals):
    """Points at the origin with normals, as one primitive that a node moves by (0,0,1) in a second."""
    b = Builder()
    b.doc['nodes'] = [{'mesh': 0}]
    b.doc['meshes'] = [{'primitives': [{'mode': 0, 'attributes': {
        'POSITION': b.accessor('VEC3', [0] * 3 * len(normals)),
        'NORMAL': b.accessor('VEC3', [x for n in normals for x in n])}}]}]
    animate(b, 0, 'translation', 'VEC3', [0, 1], [0, 0, 0, 0, 0, 1])
    return b.write(path)


class Textures(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def path(self, *names):
        return os.path.join(self.folder.name, *names)

    def bake(self, file, form, *words, name='out'):
        done = run('bake', file, '--vat', form, '-o', self.path(name + '.ktx2'), '--json', *words)
        self.assertEqual(done.returncode, 0, done.errors)
        answer = read_json(done)
        vat = Vat(self.path(name + '.ktx2'))
        outputs = [self.path(name + ending) for ending in ('.ktx2', '.glb', '.json')]
        self.assertEqual(sorted(answer['outputs']), sorted(outputs))
        self.assertEqual(answer['bytes'], sum(os.path.getsize(o) for o in outputs))
        self.assertEqual((answer['format'], answer['vat']), ('vat', vat.doc))
        frame = 0  # clips stand one behind the other
        for clip in vat.doc['clips']:
            self.assertEqual(clip['first_frame'], frame)
            frame += clip['frames']
        self.assertEqual(vat.doc['frames'], frame)
        self.warnings = done.errors
        return vat

    def pose(self, file, clip, time, *words):
        done = run('pose', file, '--json', '--times', '%.17g' % time, *words,
                   *(['--clip', str(clip)] if clip is not None else []))
        self.assertEqual(done.returncode, 0, done.errors)
        out = []
        for i in read_json(done)['poses'][0]['instances']:
            for p in i['primitives']:
                at, up = p['positions'], p.get('normals')
                out += [(at[k:k + 3], up[k:k + 3] if up else None) for k in range(0, len(at), 3)]
        return out

    def near(self, got, want, tolerance=1e-6):
        self.assertEqual(len(got), len(want))
        for a, b in zip(got, want):
            self.assertAlmostEqual(a, b, delta=tolerance)

    # ---- Vertices ---------------------------------------------------------------------------------------------

    def test_frames_are_evenly_spread_and_the_end_is_one_of_them(self):
        # x of the first corner is the time: 1.23 s at 10 a second are 13 intervals of 1.23/13 s
        duration = single(1.23)
        vat = self.bake(sliding(self.path('a.gltf'), [0, 1.23], [0, 1.23]), 'vertices', '--fps', '10')
        clip, = vat.doc['clips']
        self.assertEqual((clip['frames'], clip['duration'], clip['loop'], clip['name']), (14, duration, True, 'move'))
        self.assertEqual((vat.ktx.width, vat.ktx.height, vat.stride), (3, 14, 3))
        for k in range(14):
            self.assertAlmostEqual(vat.texel(k, 0)[0], duration * k / 13, delta=4 * HALF_ULP)
            self.assertEqual(vat.texel(k, 1)[0], single(vat.texel(k, 0)[0] + 1))
            self.assertEqual(vat.texel(k, 2)[1], 1)
        self.assertEqual(vat.texel(13, 0)[0], duration)
        # a straight way is right between frames too; it wraps after the end, and before the start
        for t, x in ((0, 0), (.5, .5), (1.2, 1.2), (1.23 + .7, .7), (-.23, 1), (12.3 + .05, .05)):
            self.assertAlmostEqual(vat.vertex(vat.at(0, t), 0)[0][0], x, delta=1e-5)
        self.near(clip['low'], [0, 0, 0])
        self.near(clip['high'], [2.23, 1, 0])
        self.assertAlmostEqual(clip['seam'], 1.23, delta=1e-6)
        self.assertEqual(clip['error'], 0)
        self.assertLess(clip['error_between'], 1e-6)
        self.assertEqual(clip['between'], 13)

    def test_clips_that_play_once_hold_their_ends(self):
        vat = self.bake(sliding(self.path('a.gltf'), [0, 2], [0, 4]), 'vertices', '--fps', '4', '--once', 'move')
        self.assertFalse(vat.doc['clips'][0]['loop'])
        for t, x in ((-1, 0), (0, 0), (.3, .6), (2, 4), (9, 4)):
            self.assertAlmostEqual(vat.vertex(vat.at(0, t), 0)[0][0], x, delta=1e-6)

    def test_between_frames_the_error_is_what_a_straight_line_costs(self):
        # A quarter turn about Z in 1 s, keys apart by slerp: a corner 1 off the axis cuts 1 - cos(half the step). The
        # figure's corners are at 0 and 1 from the axis; 5 a second are steps of 18 degrees.
        b = Builder()
        b.doc['nodes'] = [{'mesh': 0}]
        b.doc['meshes'] = [{'primitives': [triangle(b)]}]
        animate(b, 0, 'rotation', 'VEC4', [0, 1], [0, 0, 0, 1, 0, 0, .5 ** .5, .5 ** .5])
        vat = self.bake(b.write(self.path('a.gltf')), 'vertices', '--fps', '5')
        self.assertAlmostEqual(vat.doc['clips'][0]['error_between'], 1 - math.cos(math.radians(9)), delta=1e-6)
        # matrices blend in a straight line as well
        vat = self.bake(self.path('a.gltf'), 'palettes', '--fps', '5')
        self.assertAlmostEqual(vat.doc['clips'][0]['error_between'], 1 - math.cos(math.radians(9)), delta=1e-6)
        self.assertAlmostEqual(vat.doc['clips'][0]['seam'], 2 ** .5, delta=1e-6)

    def test_files_without_clips_are_one_frame(self):
        b = Builder()
        b.doc['nodes'] = [{'mesh': 0, 'translation': [7, 0, 0]}]
        b.doc['meshes'] = [{'primitives': [triangle(b)]}]
        vat = self.bake(b.write(self.path('still.gltf')), 'vertices')
        clip, = vat.doc['clips']
        self.assertEqual((clip['index'], clip['name'], clip['frames'], clip['duration']), (None, None, 1, 0))
        self.near(vat.vertex(vat.at(0, 5), 1)[0], [8, 0, 0])

    def test_sixteen_bits_are_half_a_step_off_at_most(self):
        # the box is 4 + 1 wide, 1 high and 0 deep: steps of 5/65535, 1/65535 and nothing
        vat = self.bake(sliding(self.path('a.gltf'), [0, 1], [-2, 2]), 'vertices', '--fps', '7', '--texels', 'unorm16')
        d = vat.doc
        self.assertEqual((d['low'], d['size'], d['normal_scale'], d['normal_base']), ([-2, 0, 0], [5, 1, 0], 65535, 256))
        worst = 0
        for k in range(8):
            for v, (x, y) in enumerate(((0, 0), (1, 0), (0, 1))):
                got = vat.unpack(vat.texel(k, v))
                want = [-2 + 4 * k / 7 + x, y, 0]
                self.assertLessEqual(abs(got[0][0] - want[0]), 5 / 131070 + 3e-7)
                self.near(got[0][1:], want[1:], 1e-9)
                self.assertEqual(got[1], [0, 0, 1])
                worst = max(worst, math.dist(got[0], want))
        self.assertAlmostEqual(d['clips'][0]['error'], worst, delta=5e-7)
        self.assertGreater(worst, 0)

    def test_normals_are_octahedral(self):
        axes = [[s * (k == axis) for k in range(3)] for axis in range(3) for s in (1, -1)]
        seed = random.Random(20)
        normals = axes + [unit([seed.gauss(0, 1) for _ in range(3)]) for _ in range(500)]
        file = sheet(self.path('a.gltf'), normals)
        # A cell of the square has sides of s = 1/127 (1/1023), and a corner of it is within s/sqrt(2). A step d on the
        # square is one of at most sqrt(3) d on the octahedron (z falls by |dx| + |dy| at most), and seen from the centre,
        # which no face is nearer to than 1/sqrt(3), an angle of 3 d: 3 s/sqrt(2) radians at most.
        for texels, step in (('unorm16', 1 / 127), ('float32', 1 / 1023)):
            bound = math.degrees(3 * step / 2 ** .5)
            vat = self.bake(file, 'vertices', '--texels', texels)
            worst = 0
            for i, n in enumerate(normals):
                got = vat.vertex(vat.at(0, .4), i)[1]
                if i < 6:
                    self.near(got, n, 0)
                worst = max(worst, degrees(got, n))
            self.assertLess(worst, bound)
            self.assertAlmostEqual(vat.doc['clips'][0]['normal_degrees'], worst, delta=1e-4)

    def test_wide_figures_take_several_rows_and_many_frames_share_one(self):
        # 100 vertices, 2 s at 15 a second
        def bake(name, *words):
            return self.bake('@strip:3:100', 'vertices', '--fps', '15', *words, name=name)
        tall = bake('tall')
        self.assertEqual((tall.ktx.width, tall.ktx.height, tall.stride), (100, 31, 100))
        # in rows of 30 at most: 4 rows of 25 a frame; of 32: 4 of 25 as well; of 33: 4 of 25; of 48: 3 rows of 34 with
        # 2 texels to spare
        for most, width, rows in ((30, 25, 4), (33, 25, 4), (48, 34, 3)):
            vat = bake('wide', '--max-width', str(most))
            self.assertEqual((vat.ktx.width, vat.ktx.height, vat.stride), (width, 31 * rows, width * rows))
            for k in range(31):
                self.assertEqual([vat.texel(k, i) for i in range(100)], [tall.texel(k, i) for i in range(100)])
                self.assertEqual([vat.texel(k, i) for i in range(100, vat.stride)], [(0,) * 4] * (vat.stride - 100))
        # 31 frames in 16 rows: two frames a row
        vat = bake('flat', '--max-height', '16')
        self.assertEqual((vat.ktx.width, vat.ktx.height, vat.stride), (200, 16, 100))
        self.assertEqual([vat.texel(k, i) for k in range(31) for i in range(100)],
                         [tall.texel(k, i) for k in range(31) for i in range(100)])
        self.assertEqual(vat.ktx.texels[31 * 100:], [(0,) * 4] * 100)
        # a joint's three texels stay in one row: rows of 16 texels hold 5 of 7 joints, so there are two rows of 4
        vat = self.bake('@strip:7:20', 'palettes', '--max-width', '16', '--fps', '15')
        self.assertEqual((vat.ktx.width, vat.stride, vat.ktx.height), (12, 24, 62))
        self.compare(vat, '@strip:7:20', 0, .35)

    def test_too_large_textures_are_refused_with_numbers(self):
        done = run('bake', '@strip:3:1000', '--vat', 'vertices', '--fps', '15', '--max-width', '100', '--max-height', '300',
                   '-o', self.path('out.ktx2'))
        self.assertEqual(done.returncode, 2)
        for word in ('31 frames', '1000 texels', '100 x 310', '100 x 300', '--max-height'):
            self.assertIn(word, done.errors)
        self.assertEqual(os.listdir(self.path()), [])

    # ---- Real figures -----------------------------------------------------------------------------------------

    def compare(self, vat, file, clip, time, tolerance=1e-5, *words):
        """At a frame the texture says what `sinew pose` says."""
        moment = vat.at(clip, time)
        share = moment[2]
        nearest = moment[:1] * 2 if share < .5 else moment[1:2] * 2
        c = vat.doc['clips'][clip]
        time = c['duration'] * (nearest[0] - c['first_frame']) / max(1, c['frames'] - 1)
        want = self.pose(file, c['index'], time, *words)
        got = vat.shown((*nearest, 0.0))
        self.assertEqual(len(got), len(want))
        worst = turn = 0
        for (p, n), (q, m) in zip(got, want):
            worst = max(worst, math.dist(p, q))
            turn = max(turn, degrees(n, m) if m else 0)
        self.assertLessEqual(worst, tolerance)
        return worst, turn

    def test_figures_are_what_pose_says(self):
        fox = os.path.join(DATA, 'Fox', 'Fox.glb')
        cases = [('@creature', 1, 1e-5), ('@seated', 0, 1e-5)]
        if os.path.exists(fox):
            cases.append((fox, 2, 1e-4))  # it is some hundred units long
        for file, clip, tolerance in cases:
            words = ['--clip', str(clip)]
            for form, texels, turn in (('vertices', 'float32', .2), ('vertices', 'unorm16', 1.0), ('palettes', 'float32', .02)):
                vat = self.bake(file, form, *words, '--texels', texels, '--fps', '10')
                step = max(vat.doc['size']) / 65535 if texels == 'unorm16' else 0
                worst, angle = self.compare(vat, file, 0, .31, tolerance + step)
                self.assertLessEqual(worst, vat.doc['clips'][0]['error'] + tolerance)
                if form == 'vertices':  # the file's normals may be no unit vectors, and pose says what is written
                    self.assertLessEqual(angle, turn)

    def test_errors_between_frames_are_measured_against_exact_poses(self):
        for form in ('vertices', 'palettes'):
            vat = self.bake('@strip:5:40', form, '--fps', '6')
            clip, = vat.doc['clips']
            self.assertEqual(clip['between'], clip['frames'] - 1)
            worst = 0
            for k in range(clip['frames'] - 1):
                time = clip['duration'] * (k + .5) / (clip['frames'] - 1)
                got = vat.shown((k, k + 1, .5))
                worst = max(worst, *(math.dist(p, q) for (p, _), (q, _) in zip(got, self.pose('@strip:5:40', 0, time))))
            self.assertGreater(worst, 1e-3)
            self.assertAlmostEqual(clip['error_between'], worst, delta=1e-5)

    # ---- Palettes ---------------------------------------------------------------------------------------------

    def test_palettes_by_hand(self):
        # make_figure: a skin of two joints, and a node without one, mirrored and stretched, whose morph weight stays .5
        file = make_figure(self.path('figure.gltf'))
        vat = self.bake(file, 'palettes', '--clip', '0', '--fps', '2')
        self.assertEqual(vat.doc['joints'], ['root', 'arm', 'box'])
        self.assertIn('1 primitives have morph targets', self.warnings)
        self.assertEqual([(p['name'], p['first_vertex'], p['vertices'], p['joint_sets']) for p in vat.doc['parts']],
                         [('shown', 0, 3, 1), ('box', 3, 1, 1)])
        body, box = vat.mesh()
        self.assertEqual(body['POSITION'], [(1, 0, 0), (1, 3, 0), (1, 2.5, 0)])
        self.assertEqual(box['POSITION'], [(1, 2, 1)])  # (1,1,1) + .5 (0,2,0)
        self.assertEqual(body['JOINTS_0'], [(0, 0, 0, 0), (1, 0, 0, 0), (0, 1, 0, 0)])
        self.assertEqual((box['JOINTS_0'], box['WEIGHTS_0']), ([(2, 0, 0, 0)], [(1, 0, 0, 0)]))
        # 1.5 s at 2 a second: frames at 0, .5, 1, 1.5. At 1.5 the root is at (1,0,4) and the arm has turned a quarter:
        # M of the root moves by (0,0,4); M of the arm turns about its place (1,2,.): (x,y,z) -> (3-y, x+1, z+4)
        self.assertEqual(vat.doc['clips'][0]['frames'], 4)
        self.near(sum(map(list, vat.rows((3, 3, 0), 0)), []), [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 4])
        self.near(sum(map(list, vat.rows((3, 3, 0), 1)), []), [0, -1, 0, 3, 1, 0, 0, 1, 0, 0, 1, 4])
        self.near(sum(map(list, vat.rows((3, 3, 0), 2)), []), [-1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 3])
        shown = vat.shown((3, 3, 0.0))
        self.near(shown[0][0], [1, 0, 4])
        self.near(shown[1][0], [0, 2, 4])
        self.near(shown[2][0], [.5 * (1 + .5), .5 * (2.5 + 2), 4])
        self.near(shown[1][1], [0, 1, 0])
        self.near(shown[3][0], [-1, 4, 4])
        self.near(shown[3][1], [0, 1, 0])
        # a mirror must not turn normals round
        skin, = vat.glb.doc['skins']
        nodes = vat.glb.doc['nodes']
        self.assertNotIn('inverseBindMatrices', skin)
        self.assertEqual([nodes[j]['name'] for j in skin['joints']], ['root', 'arm', 'box'])
        self.assertEqual([n.get('skin') for n in nodes], [0, 0, None, None, None, None])
        self.assertEqual(nodes[2], {'name': 'palette', 'children': [3, 4, 5]})
        self.assertEqual(vat.glb.doc['scenes'], [{'nodes': [0, 1, 2]}])
        # the morph goes from 0 to 1 (STEP): at 1.5 the box's y is 2 (1 + 2 - 2) off
        self.assertAlmostEqual(vat.doc['clips'][0]['error'], 2, delta=1e-6)
        vertices = self.bake(file, 'vertices', '--clip', '0', '--fps', '2')
        self.assertEqual(vertices.doc['clips'][0]['error'], 0)
        self.near(vertices.unpack(vertices.texel(3, 3))[0], [-1, 6, 4])

    def test_more_than_four_influences_take_more_sets(self):
        b = Builder()
        d = b.doc
        d['nodes'] = [{'mesh': 0, 'skin': 0}] + [{'name': 'j%d' % k} for k in range(6)]
        d['scene'], d['scenes'] = 0, [{'nodes': list(range(7))}]
        d['skins'] = [{'joints': list(range(1, 7)), 'inverseBindMatrices': b.accessor('MAT4', moved(0, 0, 0) * 6)}]
        attributes = {'POSITION': b.accessor('VEC3', [1, 0, 0] * 3),
                      'JOINTS_0': b.accessor('VEC4', [0, 1, 2, 3] * 3, 5123),
                      'WEIGHTS_0': b.accessor('VEC4', [.3, .2, .1, .1] * 3),
                      'JOINTS_1': b.accessor('VEC4', [4, 5, 0, 0] * 3, 5123),
                      'WEIGHTS_1': b.accessor('VEC4', [.2, .1, 0, 0] * 3)}
        d['meshes'] = [{'primitives': [{'attributes': attributes}]}]
        animate(b, 6, 'translation', 'VEC3', [0, 1], [0, 0, 0, 0, 10, 0])
        vat = self.bake(b.write(self.path('six.gltf')), 'palettes', '--fps', '1')
        self.assertEqual(vat.doc['parts'][0]['joint_sets'], 2)
        self.near(vat.shown((1, 1, 0.0))[0][0], [1, 1, 0])  # .1 of 10
        self.assertLess(vat.doc['clips'][0]['error'], 1e-6)

    # ---- The mesh ---------------------------------------------------------------------------------------------

    def test_the_mesh_numbers_its_vertices(self):
        file = make_figure(self.path('figure.gltf'))
        vat = self.bake(file, 'vertices', '--clip', '0')
        body, box = vat.mesh()
        self.assertEqual(body['_VERTEX_ID'], [(0,), (1,), (2,)])
        self.assertEqual(box['_VERTEX_ID'], [(3,)])
        self.assertEqual(body['TEXCOORD_0'], [(0, 0), (1, 0), (2, 0)])
        self.assertNotIn('skins', vat.glb.doc)
        self.assertNotIn('animations', vat.glb.doc)
        for p, (position, _) in zip(body['POSITION'] + box['POSITION'], vat.shown(vat.at(0, 0))):
            self.near(p, position)  # the first frame

    def test_several_clips_stand_in_one_texture(self):
        vat = self.bake('@creature', 'palettes', '--fps', '5')
        names = [c['name'] for c in vat.doc['clips']]
        self.assertEqual(names, ['idle', 'walk', 'run', 'turn', 'jump'])
        self.assertEqual([c['index'] for c in vat.doc['clips']], list(range(5)))
        some = self.bake('@creature', 'palettes', '--fps', '5', '--clip', 'run', '--clip', '1', '--once', 'run', name='some')
        self.assertEqual([(c['index'], c['loop']) for c in some.doc['clips']], [(2, False), (1, True)])
        for mine, theirs in ((0, 2), (1, 1)):
            a, b = some.doc['clips'][mine], vat.doc['clips'][theirs]
            self.assertEqual({**a, 'first_frame': 0, 'loop': 0}, {**b, 'first_frame': 0, 'loop': 0})
            for k in range(a['frames']):
                self.assertEqual(some.texel(a['first_frame'] + k, 40), vat.texel(b['first_frame'] + k, 40))
        self.assertLess(vat.doc['clips'][1]['seam'], 1e-5)

    def test_dual_quaternions_and_other_clips(self):
        vat = self.bake('@creature', 'vertices', '--clip', 'run', '--fps', '4', '--skinning', 'dual')
        self.compare(vat, '@creature', 0, .25, 1e-5, '--skinning', 'dual')
        slide = sliding(self.path('clips.gltf'), [0, 1], [0, 3])
        still = sliding(self.path('still.gltf'), [0, 1], [0, 0])
        vat = self.bake(still, 'vertices', '--clips', slide, '--fps', '1')
        self.near(vat.vertex((1, 1, 0), 0)[0], [3, 0, 0])

    # ---- Wrong arguments --------------------------------------------------------------------------------------

    def test_wrong_arguments(self):
        file = sliding(self.path('a.gltf'), [0, 1], [0, 1])
        out = self.path('b.ktx2')
        cases = (
            (['--vat', 'bones', '-o', out], "vertices or palettes, not 'bones'"),
            (['--vat', 'vertices', '-o', self.path('b.glb')], 'OUT.ktx2'),
            (['--vat', 'vertices'], '-o'),
            (['-o', out], '--vat vertices'),
            (['--texels', 'unorm16', '-o', self.path('b.glb')], 'for --vat alone'),
            (['--once', '0', '-o', self.path('b.glb')], 'for --vat alone'),
            (['--max-width', '64', '-o', self.path('b.glb')], 'for --vat alone'),
            (['--vat', 'vertices', '--texels', 'half', '-o', out], "float32 or unorm16, not 'half'"),
            (['--vat', 'palettes', '--texels', 'unorm16', '-o', out], 'palettes are float32'),
            (['--vat', 'palettes', '--skinning', 'dual', '-o', out], '--skinning dual is for --vat vertices'),
            (['--vat', 'vertices', '--max-width', '15', '-o', out], '16 to 32768'),
            (['--vat', 'vertices', '--max-height', '32769', '-o', out], '16 to 32768'),
            (['--vat', 'vertices', '--max-width', 'wide', '-o', out], "not 'wide'"),
            (['--vat', 'vertices', '--nodes', '-o', out], 'do not go together'),
            (['--vat', 'vertices', '--clip', '0', '--clip', 'move', '-o', out], 'asked for twice'),
            (['--vat', 'vertices', '--fps', '1e6', '-o', out, '--max-height', '300'], 'texture of'),
            (['--vat', 'vertices', '-o', self.path('.ktx2') + '/'], 'OUT.ktx2'))
        for words, said in cases:
            done = run('bake', file, *words)
            self.assertEqual((done.returncode, done.stdout), (2, b''), words)
            self.assertIn(said, done.errors)
            self.assertEqual(os.listdir(self.path()), ['a.gltf'], words)
        done = run('bake', file, '--vat', 'vertices', '--clip', 'walk', '-o', out)
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no clip 'walk'", done.errors)
        done = run('bake', '@creature', '--vat', 'palettes', '--clip', 'walk', '--once', 'run', '-o', out)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--once 'run'", done.errors)
        self.assertEqual(os.listdir(self.path()), ['a.gltf'])

    def test_the_input_is_never_an_output(self):
        vat = self.bake('@strip:2:9', 'vertices')
        for form in ('vertices', 'palettes'):
            done = run('bake', self.path(vat.doc['mesh']), '--vat', form, '-o', self.path('out.ktx2'))
            self.assertEqual(done.returncode, 2)
            self.assertIn('is the input itself', done.errors)

    def test_failures_leave_older_files_as_they_were(self):
        file = sliding(self.path('a.gltf'), [0, 1], [0, 1])
        for ending in ('.ktx2', '.glb'):
            with open(self.path('out' + ending), 'wb') as f:
                f.write(b'old')
        os.mkdir(self.path('out.json'))  # the last of the three cannot be written
        done = run('bake', file, '--vat', 'vertices', '-o', self.path('out.ktx2'))
        self.assertEqual(done.returncode, 4)
        self.assertIn('out.json', done.errors)
        self.assertEqual(sorted(os.listdir(self.path())), ['a.gltf', 'out.glb', 'out.json', 'out.ktx2'])
        for ending in ('.ktx2', '.glb'):
            with open(self.path('out' + ending), 'rb') as f:
                self.assertEqual(f.read(), b'old')
        done = run('bake', file, '--vat', 'vertices', '-o', self.path('nowhere', 'out.ktx2'))
        self.assertEqual(done.returncode, 4)
        if os.path.exists('/dev/full'):  # which of the three it is does not matter
            for ending in ('.ktx2', '.glb', '.json'):
                os.symlink('/dev/full', self.path('full' + ending))
                done = run('bake', file, '--vat', 'vertices', '-o', self.path('full.ktx2'))
                self.assertEqual(done.returncode, 4, ending)
                self.assertIn('full' + ending, done.errors)
                os.remove(self.path('full' + ending))
                self.assertFalse([n for n in os.listdir(self.path()) if n.startswith('full')])
        # a vertex that leaves the floats: the error names it
        b = Builder()
        b.doc['nodes'] = [{'scale': [2, 2, 2], 'children': [1]}, {'mesh': 0}]
        b.doc['meshes'] = [{'primitives': [triangle(b)]}]
        animate(b, 1, 'translation', 'VEC3', [0, 1], [0, 0, 0, 3e38, 0, 0])
        far = b.write(self.path('far.gltf'))
        for texels in ('float32', 'unorm16'):
            done = run('bake', far, '--vat', 'vertices', '--texels', texels, '-o', self.path('far.ktx2'))
            self.assertEqual(done.returncode, 1)
            self.assertIn('meshes[0].primitives[0]', done.errors)
            self.assertFalse(os.path.exists(self.path('far.ktx2')))
        # a box that does
        b = Builder()
        b.doc['nodes'] = [{'mesh': 0, 'translation': [-3e38, 0, 0]}, {'mesh': 0, 'translation': [3e38, 0, 0]}]
        b.doc['meshes'] = [{'primitives': [triangle(b)]}]
        done = run('bake', b.write(self.path('wide.gltf')), '--vat', 'vertices', '--texels', 'unorm16', '-o',
                   self.path('wide.ktx2'))
        self.assertEqual(done.returncode, 2)
        self.assertIn('further apart', done.errors)

    def test_the_text_says_sizes_and_errors(self):
        done = run('bake', sliding(self.path('a.gltf'), [0, 1], [0, 1]), '--vat', 'vertices', '--fps', '2', '-o',
                   self.path('out.ktx2'))
        text = done.stdout.decode()
        self.assertIn('3 frames of 3 vertices to ' + self.path('out.ktx2') + ', 3 x 3 texels of RGBA32F', text)
        self.assertIn("'move': frames 0 to 2, 1 s, loops (seam 1); error 0, between frames", text)


if __name__ == '__main__':
    if not PROGRAM:
        sys.exit(77)
    unittest.main()
