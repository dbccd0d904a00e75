# SPDX-License-Identifier: MIT
"""src/gpu/shaders/vat.glsl on this machine's OpenGL ES driver (Mesa's llvmpipe where there is no GPU): what it makes of textures
of `sinew bake --vat` against the reader of test_vat.py, and against exact poses. With tests/wgsl/vat_shader.mjs as
SINEW_VAT_SHADER ("node PATH") it is vat.wgsl."""
import math
import os
import random
import shlex
import subprocess
import sys
import tempfile
import unittest

from test_commands import make_figure, read_json, run
from test_vat import Vat, degrees, sliding

SHADER = shlex.split(os.environ.get('SINEW_VAT_SHADER', ''))  # tests/gpu/vat_shader.c
WGSL = bool(SHADER) and SHADER[-1].endswith('.mjs')
SOURCE = os.path.join(os.environ.get('SINEW_SOURCE_DIR', ''), 'src', 'gpu', 'shaders', 'vat.wgsl' if WGSL else 'vat.glsl')


def ask(path, kind, words):
    return subprocess.run([*SHADER, SOURCE, path, kind], input=' '.join(map(str, words)).encode(), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=120)


class Shader(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def bake(self, file, form, *words):
        done = run('bake', file, '--vat', form, '-o', self.path('out.ktx2'), *words)
        self.assertEqual(done.returncode, 0, done.errors)
        return Vat(self.path('out.ktx2'))

    def draw(self, vat, kind, clip, times, vertices):
        """[time][vertex] of (position, normal). Vertices: numbers, or (position, normal, joints, weights)."""
        d, c = vat.doc, vat.doc['clips'][clip]
        how = [d['stride'], *d['low'], *d['size'], d['normal_scale'], d['normal_base']] if d['form'] == 'vertices' else \
            [d['stride']]
        words = [d['form'], *how, c['first_frame'], c['frames'], repr(c['duration']), int(c['loop']), len(times),
                 *map(repr, times), len(vertices)]
        for v in vertices:
            words += [v] if d['form'] == 'vertices' else [repr(x) for part in v for x in part]
        done = ask(self.path('out.ktx2'), kind, words)
        if done.returncode == 77:
            self.skipTest(done.stderr.decode().strip())
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        rows = [[float(x) for x in line.split()] for line in done.stdout.decode().splitlines()]
        self.assertEqual(len(rows), len(times) * len(vertices))
        n = len(vertices)
        return [[(r[:3], r[3:]) for r in rows[n * k:n * k + n]] for k in range(len(times))]

    def compare(self, vat, kind, clip, times, vertices, turn=.02):
        """With the reader. A float of a time near t is off by t 2^-24, and so is what moves by that much; positions are
        rounded some ten times: a few 2^-24 of the largest coordinate, 1e-6 of it as the rest of the GPU's checks."""
        c = vat.doc['clips'][clip]
        largest = max(map(abs, c['low'] + c['high']))
        drawn = self.draw(vat, kind, clip, times, vertices)
        for t, row in zip(times, drawn):
            moment = vat.at(clip, t)
            # between frames a vertex moves no more than the clip's box in one interval
            slack = 1e-6 * largest + abs(t) / max(c['duration'], 1e-9) * 2 ** -23 * c['frames'] * largest
            for v, (p, n) in zip(vertices, row):
                q, m = vat.vertex(moment, v) if vat.doc['form'] == 'vertices' else vat.skin(moment, v[2], v[3], v[0], v[1])
                self.assertLessEqual(math.dist(p, q), slack, (t, v))
                self.assertLessEqual(degrees(n, m), turn, (t, v))
                self.assertAlmostEqual(sum(x * x for x in n), 1, delta=1e-6)
        return drawn

    def times(self, clip):
        """Frames, places between them, rounds before and after."""
        d, last = clip['duration'], max(1, clip['frames'] - 1)
        return [0.0, d / last, .37 * d, d * .999, d * (last - .5) / last, d * 1.25, -d * .25, d * 5.5]

    def against_poses(self, vat, file, clip, kind, pick):
        """In the middle of intervals what is drawn is as far from exact poses as the JSON says, or nearer."""
        c = vat.doc['clips'][clip]
        intervals = [k for k in range(c['frames'] - 1) if k % 3 == 0]
        times = [c['duration'] * (k + .5) / (c['frames'] - 1) for k in intervals]
        vertices = pick(vat)
        drawn = self.draw(vat, kind, clip, times, [v for _, v in vertices])
        done = run('pose', file, '--json', '--clip', str(c['index']), '--times', ','.join('%.17g' % t for t in times))
        largest = max(map(abs, c['low'] + c['high']))
        worst = 0
        for row, pose in zip(drawn, read_json(done)['poses']):
            exact = [p['positions'][k:k + 3] for i in pose['instances'] for p in i['primitives']
                     for k in range(0, len(p['positions']), 3)]
            for (i, _), (p, _) in zip(vertices, row):
                worst = max(worst, math.dist(p, exact[i]))
        self.assertLessEqual(worst, c['error_between'] + 1e-5 * largest)
        self.assertGreater(worst, 0)

    @staticmethod
    def numbers(vat):
        seed = random.Random(4)
        return [(i, i) for i in sorted(seed.sample(range(vat.doc['vertices']), min(200, vat.doc['vertices'])))]

    @staticmethod
    def influences(vat):
        every = []
        for p in vat.mesh():
            up = p.get('NORMAL', [(0, 0, 1)] * len(p['POSITION']))
            every += zip(p['POSITION'], up, p['JOINTS_0'], p['WEIGHTS_0'])
        return [(i, every[i]) for i, _ in Shader.numbers(vat)]

    def test_vertices_in_all_shapes_of_texture(self):
        for words in ([], ['--max-width', '48'], ['--max-height', '16']):
            vat = self.bake('@strip:3:100', 'vertices', '--fps', '15', *words)
            self.compare(vat, 'float', 0, self.times(vat.doc['clips'][0]), [v for _, v in self.numbers(vat)])
            self.against_poses(vat, '@strip:3:100', 0, 'float', self.numbers)

    def test_sixteen_bits_as_numbers_and_as_shares(self):
        vat = self.bake('@creature', 'vertices', '--texels', 'unorm16', '--clip', 'run', '--clip', 'jump', '--once', 'jump')
        for kind in ('uint',) if WGSL else ('uint', 'norm'):
            for clip in range(2):
                self.compare(vat, kind, clip, self.times(vat.doc['clips'][clip]), [v for _, v in self.numbers(vat)])
            self.against_poses(vat, '@creature', 0, kind, self.numbers)

    def test_palettes(self):
        vat = self.bake('@creature', 'palettes', '--clip', 'walk', '--clip', 'run', '--max-width', '100')
        for clip in range(2):
            self.compare(vat, 'float', clip, self.times(vat.doc['clips'][clip]), [v for _, v in self.influences(vat)])
            self.against_poses(vat, '@creature', clip, 'float', self.influences)

    def test_mirrored_and_stretched_nodes(self):
        vat = self.bake(make_figure(self.path('figure.gltf')), 'palettes', '--clip', '0', '--fps', '4')
        self.compare(vat, 'float', 0, self.times(vat.doc['clips'][0]), [v for _, v in self.influences(vat)])

    def test_one_frame(self):
        vat = self.bake(sliding(self.path('a.gltf'), [0], [3]), 'vertices')
        drawn = self.draw(vat, 'float', 0, [0.0, 5.0], [0, 1])
        self.assertEqual([[p for p, _ in row] for row in drawn], [[[3, 0, 0], [4, 0, 0]]] * 2)

    def test_messages_of_the_compiler_are_failures(self):
        vat = self.bake('@strip:2:3', 'vertices')
        with open(SOURCE, encoding='ascii') as f:
            text = f.read()
        broken = self.path('broken.glsl')
        with open(broken, 'w', encoding='ascii') as f:
            f.write(text.replace('vec3 low;', 'vec2 low;').replace('low: vec3<f32>', 'low: vec2<f32>'))
        done = subprocess.run([*SHADER, broken, self.path('out.ktx2'), 'float'], input=b'vertices 3 0 0 0 1 1 1 1 2048 0 1 0 0 0 0', stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=120)
        if done.returncode == 77:
            self.skipTest(done.stderr.decode().strip())
        self.assertEqual(done.returncode, 1)


if __name__ == '__main__':
    if not SHADER:
        print('SINEW_VAT_SHADER names the program that runs shaders; it is built where EGL and OpenGL ES are')
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, 'probe.ktx2')
        run('bake', '@strip:2:3', '--vat', 'vertices', '-o', file)
        probe = ask(file, 'float', ['vertices', 3, 0, 0, 0, 1, 1, 1, 1, 2048, 0, 1, 0, 0, 0, 0])
        if probe.returncode == 77:
            print(probe.stderr.decode().strip())
            sys.exit(77)
    unittest.main()
