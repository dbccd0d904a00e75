# SPDX-License-Identifier: MIT
"""Pictures of sinew render --path vertex, compute and cpu: one picture, up to few pixels; bending changes it, and the bind
pose covers pixels. Real models come from SINEW_TEST_DATA where that is there. A machine without a driver is told so."""
import os
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

PROGRAM = os.environ.get('SINEW_PROGRAM', '')
MODELS = os.path.join(os.environ.get('SINEW_TEST_DATA', ''), 'data', 'gltf')
# Ten with skins, morphs, textures, many influences, a crowd of copies. A clip's number, or None: the file has none.
REAL = [('Fox/Fox.glb', 1), ('CesiumMan/CesiumMan.glb', 0), ('RobotExpressive/RobotExpressive.glb', 2),
        ('KayKit_Knight/Knight.glb', 0), ('Quaternius_Wolf/Wolf.glb', 1), ('SuitMan_110k_8inf/SuitMan_110k_8inf.glb', 0),
        ('Kenney_character/character.glb', 0), ('VRM0_cryptovoxels/cryptovoxels.vrm', None),
        ('Mesh2Motion_Dragon/Dragon.glb', 0), ('Herd_297/Herd_297.glb', 0)]
MADE = [('@creature', 0), ('@cub', None), ('@strip:5:300', 0)]

# A pixel differs where a channel is more than this apart: rounding of depths and texels moves edges by less.
APART = 8
# How many may (of all pixels).
SHARE = 0.005


def run(*words, **environment):
    return subprocess.run([PROGRAM, 'render', *words], capture_output=True, text=True, timeout=120,
                          env={**os.environ, **environment})


def read_png(path):
    """Rows of pixels of a PNG of 8 bits: width, channels, bytes of each row."""
    with open(path, 'rb') as f:
        data = f.read()
    at, packed = 8, b''
    while at < len(data):
        size, kind = struct.unpack_from('>I4s', data, at)
        body = data[at + 8:at + 8 + size]
        if kind == b'IHDR':
            width, height, bits, color = struct.unpack_from('>IIBB', body)
            assert bits == 8
        elif kind == b'IDAT':
            packed += body
        at += 12 + size
    channels = {2: 3, 6: 4}[color]
    raw, stride, rows, above = zlib.decompress(packed), width * channels, [], bytes(width * channels)
    for y in range(height):
        kind, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for x in range(stride if kind else 0):
            left, up = line[x - channels] if x >= channels else 0, above[x]
            corner = above[x - channels] if x >= channels else 0
            guess = left + up - corner
            near = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
            line[x] = (line[x] + (0, left, up, (left + up) // 2, near)[kind]) & 255
        above = bytes(line)
        rows.append(above)
    return width, channels, rows


def differing(a, b, apart=APART):
    """The share of pixels with a channel more than `apart` from the other picture's."""
    width, channels, rows = a
    count = 0
    for mine, other in zip(rows, b[2]):
        if mine != other:
            count += sum(any(abs(mine[k] - other[k]) > apart for k in range(x, x + 3))
                         for x in range(0, width * channels, channels))
    return count / (width * len(rows))


class Pictures(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def draw(self, file, path, *words, size='160x120'):
        out = os.path.join(self.folder.name, 'a.png')
        done = run(file, '--path', path, '--size', size, *words, '-o', out)
        self.assertEqual((done.returncode, done.stderr), (0, ''), file)
        return read_png(out)

    def check(self, file, clip):
        words = [] if clip is None else ['--clip', str(clip), '--time', '0.3']
        cpu = self.draw(file, 'cpu', *words)
        share = differing(self.draw(file, 'vertex', *words), cpu)
        self.assertLessEqual(share, SHARE, file)
        # what stands behind is one colour; the figure covers part of it
        width, channels, rows = cpu
        ground = rows[0][:3]
        covered = sum(row[x:x + 3] != ground for row in rows for x in range(0, width * channels, channels))
        self.assertGreater(covered, 0.005 * width * len(rows), file)

    def test_made(self):
        for file, clip in MADE:
            self.check(file, clip)

    def test_real(self):
        if not os.path.isdir(MODELS):
            self.skipTest('no test data')
        for file, clip in REAL:
            self.check(os.path.join(MODELS, file), clip)

    def test_compute(self):
        for words in (['--clip', 'walk', '--time', '0.3'], ['--clip', 'walk', '--time', '0.3', '--skinning', 'dual']):
            vertex, compute = (self.draw('@creature', path, *words) for path in ('vertex', 'compute'))
            self.assertEqual(differing(vertex, compute, 1), 0)
            self.assertLessEqual(differing(vertex, self.draw('@creature', 'cpu', *words)), SHARE)

    def test_bending(self):
        """The bind pose covers pixels, and another pose covers others."""
        rest = self.draw('@creature', 'vertex')
        bent = self.draw('@creature', 'vertex', '--clip', 'walk', '--time', '0.3')
        self.assertGreater(differing(rest, bent), 0.01)

    def test_overlays(self):
        """Colours of weights and drawn joints; bones where there are no meshes."""
        for words in (['@creature', '--weights', 'all', '--joints'], ['@chain:5']):
            vertex, cpu = (self.draw(words[0], path, *words[1:]) for path in ('vertex', 'cpu'))
            self.assertLessEqual(differing(vertex, cpu), SHARE)

    def test_renderer(self):
        out = os.path.join(self.folder.name, 'a.png')
        done = run('@creature', '--path', 'vertex', '--size', '32x32', '-o', out)
        self.assertNotIn('software rasteriser', done.stdout)
        self.assertIn(', 32x32, ', done.stdout)


class Refusals(unittest.TestCase):
    def test_no_driver(self):
        """No vendor's library is found behind the dispatching one."""
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, 'a.png')
            for path in ('vertex', 'compute'):
                done = run('@creature', '--path', path, '-o', out, __EGL_VENDOR_LIBRARY_FILENAMES='/nonexistent.json')
                self.assertEqual(done.returncode, 3)
                self.assertIn('--path cpu', done.stderr)
                self.assertFalse(os.path.exists(out))

    def test_usage(self):
        for words, said in ((['--path', 'ray'], 'ray'), (['--path', 'vertex', '--cloud', '@creature:50'], '--cloud'),
                            (['--path', 'cpu', '--shade'], '--shade')):
            done = run('@creature', *words, '-o', 'x.png')
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)


def has_driver():
    with tempfile.TemporaryDirectory() as folder:
        return run('@strip:2:4', '--path', 'vertex', '--size', '16x16', '-o', os.path.join(folder, 'a.png')).returncode != 3


if __name__ == '__main__':
    if not PROGRAM:
        sys.exit(77)
    if not has_driver():
        print('no driver of OpenGL ES 3.1: only the refusals are tested')
        unittest.main(argv=[sys.argv[0], 'Refusals'])
    unittest.main()
