# SPDX-License-Identifier: MIT
"""Animated pictures of sinew render: frames, times and sizes as they stand in the WebP file (its pixels are read back in
unit.animation), several kinds of springs side by side, and what wrong use is answered with."""
import json
import os
import struct
import subprocess
import tempfile
import unittest

PROGRAM = os.environ.get('SINEW_PROGRAM', '')


def run(*words):
    return subprocess.run([PROGRAM, 'render', *words], capture_output=True, text=True, timeout=120)


def supported():
    with tempfile.TemporaryDirectory() as folder:
        return run('@strip:2:4', '--size', '16x16', '--seconds', '0.1', '-o', os.path.join(folder, 'a.webp')).returncode != 3


class Webp:
    """Width, height, how often it is shown (0: without end), and of each frame its milliseconds and its bytes."""

    def __init__(self, path):
        with open(path, 'rb') as f:
            data = f.read()
        kind, size, form = struct.unpack_from('<4sI4s', data)
        assert (kind, form, size) == (b'RIFF', b'WEBP', len(data) - 8)
        self.times, self.frames, self.still, at = [], [], False, 12
        while at < len(data):
            kind, size = struct.unpack_from('<4sI', data, at)
            body = data[at + 8:at + 8 + size]
            assert len(body) == size
            if kind == b'VP8X':
                self.width, self.height = (1 + int.from_bytes(body[k:k + 3], 'little') for k in (4, 7))
            elif kind == b'ANIM':
                self.loops = struct.unpack_from('<H', body, 4)[0]
            elif kind == b'ANMF':
                self.times.append(int.from_bytes(body[12:15], 'little'))
                self.frames.append(body[16:])
            self.still |= kind in (b'VP8 ', b'VP8L') # not within an ANMF
            at += 8 + size + size % 2


class InFolder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def draw(self, *words, name='a.webp'):
        path = self.path(name)
        done = run(*words, '-o', path)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        self.assertEqual(sorted(n for n in os.listdir(self.folder.name) if n.endswith('.part')), [])
        return Webp(path), done.stdout


@unittest.skipUnless(supported(), 'this build writes no animated pictures')
class Animated(InFolder):
    def test_frames_times_and_size(self):
        file, text = self.draw('@strip:3:20', '--fps', '10', '--seconds', '1.5', '--size', '80x60')
        self.assertEqual((file.width, file.height, file.loops), (80, 60, 0))
        self.assertEqual(file.times, [100] * 15)
        self.assertEqual(len(set(file.frames)), 15) # the strip bends all the time
        self.assertIn('80x60, 15 pictures in 1.5 s', text)
        # 24 a second: the k-th begins at k * 1000 / 24, to the nearest millisecond
        file, _ = self.draw('@strip:3:20', '--fps', '24', '--seconds', '0.5', '--size', '80x60')
        starts = [int(k * 1000 / 24 + 0.5) for k in range(13)]
        self.assertEqual(file.times, [b - a for a, b in zip(starts, starts[1:])])

    def test_what_is_not_given(self):
        """The first clip, which takes 2 s, at 25 a second; 640x480."""
        file, _ = self.draw('@strip:3:20')
        self.assertEqual((file.width, file.height, len(file.times), sum(file.times)), (640, 480, 50, 2000))
        mix = self.path('mix.json')
        with open(mix, 'w') as f:
            json.dump({'layers': [{'inputs': [{'clip': 'bend'}]}]}, f)
        file, _ = self.draw('@strip:3:20', '--mix', mix, '--fps', '4', '--size', '40x40')
        self.assertEqual(file.times, [250] * 8)

    def test_pictures_that_stand_still_are_one(self):
        """Behind its end the clip clamps; with loop it goes on."""
        file, _ = self.draw('@strip:3:20', '--time', '2', '--fps', '10', '--seconds', '1', '--size', '40x40')
        self.assertEqual((file.times, file.still), ([], True)) # the encoder makes a still of one picture
        file, _ = self.draw('@strip:3:20', '--time', '1.7', '--fps', '10', '--seconds', '1', '--size', '40x40')
        self.assertEqual(file.times, [100] * 3 + [700])
        file, _ = self.draw('@strip:3:20', '--time', '2', '--fps', '10', '--seconds', '1', '--size', '40x40', '--wrap', 'loop')
        self.assertEqual(file.times, [100] * 10)

    def test_a_second_run_gives_the_same_bytes(self):
        words = ('@creature', '--clip', 'walk', '--wrap', 'loop', '--fps', '8', '--size', '120x90')
        self.draw(*words)
        self.draw(*words, name='b.webp')
        with open(self.path('a.webp'), 'rb') as a, open(self.path('b.webp'), 'rb') as b:
            self.assertEqual(a.read(), b.read())

    def test_springs_side_by_side(self):
        words = ('@creature', '--cloud', '@creature:500', '--clip', 'run', '--wrap', 'loop', '--fps', '8', '--size')
        three, _ = self.draw(*words, '180x60', '--spring', 'heavy,light,cloth')
        other, _ = self.draw(*words, '180x60', '--spring', 'heavy,heavy,heavy')
        self.assertEqual((three.width, three.times), (180, [125] * 4))
        self.assertNotEqual(three.frames, other.frames)

    def test_what_cannot_be_written(self):
        done = run('@strip:2:4', '--seconds', '0.1', '-o', self.path('none/a.webp'))
        self.assertEqual(done.returncode, 4)
        self.assertIn('none/a.webp: the file: cannot be written', done.stderr)
        kept = self.path('kept.webp')
        with open(kept, 'w') as f:
            f.write('as it was')
        done = run('@chain:3', '--clip', 'fall', '-o', kept)
        self.assertEqual(done.returncode, 1)
        still = self.path('still.gltf')
        with open(still, 'w') as f:
            json.dump({'asset': {'version': '2.0'}, 'scenes': [{'nodes': [0]}], 'nodes': [{}], 'skins': [{'joints': [0]}]}, f)
        done = run(still, '-o', kept)
        self.assertEqual(done.returncode, 1)
        self.assertIn('still.gltf: animations: an animated picture shows the moments of a clip', done.stderr)
        with open(kept) as f:
            self.assertEqual(f.read(), 'as it was')
        self.assertEqual(sorted(os.listdir(self.folder.name)), ['kept.webp', 'still.gltf'])


class WrongUse(InFolder):
    def test_wrong_use(self):
        webp, png = self.path('a.webp'), self.path('a.png')
        wrong = [
            ('--fps is about an animated picture', '--fps', '30', '-o', png),
            ('--seconds is about an animated picture', '--seconds', '2', '-o', png),
            ('must be a .png or .webp', '-o', self.path('a.gif')),
            ('--sheet makes one picture', '--sheet', '4', '-o', webp),
            ("not 'many'", '--fps', 'many', '-o', webp),
            ("not '0'", '--fps', '0', '-o', webp),
            ("not '1001'", '--fps', '1001', '-o', webp),
            ("not '0'", '--seconds', '0', '-o', webp),
            ("not '-1'", '--seconds', '-1', '-o', webp),
            ("not '3601'", '--seconds', '3601', '-o', webp),
            ("not 'nan'", '--seconds', 'nan', '-o', webp),
            ('at most 16383 pixels wide and high, not 16384x8', '--size', '16384x8', '-o', webp),
            ("light,soft'", '--cloud', '@creature:9', '--spring', 'light,soft', '-o', png),
            ("such as heavy,light, not 'light,'", '--cloud', '@creature:9', '--spring', 'light,', '-o', png),
            ("light,light,light,light'", '--cloud', '@creature:9', '--spring', 'light,light,light,light', '-o', png),
            ('--sheet takes one kind', '--cloud', '@creature:9', '--spring', 'light,heavy', '--sheet', '2', '-o', png),
            ('too few for 3 kinds of springs', '--cloud', '@creature:9', '--spring', 'light,heavy,cloth', '--size', '45x40', '-o',
             png)]
        if supported():
            wrong += [('36000 pictures; at most 3600', '--fps', '1000', '--seconds', '36', '-o', webp)]
        for says, *words in wrong:
            done = run('@creature', *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(says, done.stderr)
            self.assertIn("Try 'sinew help render'.", done.stderr)
            self.assertEqual(done.stdout, '')
        self.assertEqual(os.listdir(self.folder.name), [])

    @unittest.skipIf(supported(), 'this build writes animated pictures')
    def test_a_build_without_the_library_names_it(self):
        done = run('@creature', '-o', self.path('a.webp'))
        self.assertEqual(done.returncode, 3)
        self.assertIn('libwebp-dev', done.stderr)

    def test_a_still_of_several_springs(self):
        pictures = []
        for kinds in ('heavy', 'heavy,light', 'light,heavy', 'heavy,light,cloth'):
            path = self.path('a.png')
            done = run('@creature', '--cloud', '@creature:500', '--clip', 'run', '--time', '0.2', '--wrap', 'loop', '--size',
                       '160x60', '--spring', kinds, '-o', path)
            self.assertEqual((done.returncode, done.stderr), (0, ''))
            with open(path, 'rb') as f:
                pictures.append(f.read())
        self.assertEqual(len(set(pictures)), 4)


if __name__ == '__main__':
    unittest.main()
