# SPDX-License-Identifier: MIT
"""--leash, --shade and --flipbook of sinew render, and additive materials: pixels of small scenes whose colours follow from numbers, and
where a figure stands in the moments of a clip that travels."""
import base64
import json
import math
import os
import struct
import subprocess
import tempfile
import unittest
import zlib

PROGRAM = os.environ.get('SINEW_PROGRAM', '')


def run(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=120)


def read_png(path):
    """Width, height and rows of (r, g, b, a), of an 8-bit PNG without interlace."""
    with open(path, 'rb') as file:
        data = file.read()
    at, packed, width, height, kind = 8, b'', 0, 0, 0
    while at < len(data):
        size, name = struct.unpack('>I4s', data[at:at + 8])
        chunk = data[at + 8:at + 8 + size]
        if name == b'IHDR':
            width, height, depth, kind, _, _, interlace = struct.unpack('>IIBBBBB', chunk)
            assert depth == 8 and kind in (2, 6) and interlace == 0
        elif name == b'IDAT':
            packed += chunk
        at += 12 + size
    raw, step = zlib.decompress(packed), 3 if kind == 2 else 4
    rows, above = [], bytearray(width * step)
    for y in range(height):
        start = y * (width * step + 1)
        filtering, line = raw[start], bytearray(raw[start + 1:start + 1 + width * step])
        for i in range(len(line)):
            left = line[i - step] if i >= step else 0
            up, corner = above[i], above[i - step] if i >= step else 0
            guess = left + up - corner
            nearest = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
            line[i] = (line[i] + [0, left, up, (left + up) // 2, nearest][filtering]) & 255
        rows.append([tuple(line[i:i + 3]) for i in range(0, len(line), step)])
        above = line
    return width, height, rows


def png_of(r, g, b):
    """A picture of one pixel."""
    def chunk(name, body):
        return struct.pack('>I', len(body)) + name + body + struct.pack('>I', zlib.crc32(name + body))
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 1, 1, 8, 2, 0, 0, 0)) +
            chunk(b'IDAT', zlib.compress(bytes([0, r, g, b]))) + chunk(b'IEND', b''))


def encoded(linear):
    """The byte of a linear value, as sRGB has it."""
    linear = min(max(linear, 0.0), 1.0)
    value = 12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055
    return round(255 * value)


def data_uri(kind, body):
    return f'data:{kind};base64,' + base64.b64encode(body).decode()


def quads(path, parts, textures=()):
    """A glTF of squares of two metres: (z, normal, material) each. The file goes to `path`."""
    body, views, accessors, meshes, nodes = b'', [], [], [], []

    def add(numbers, kind, **more):
        nonlocal body
        packed = struct.pack(f'<{len(numbers)}f', *numbers)
        views.append({'buffer': 0, 'byteOffset': len(body), 'byteLength': len(packed)})
        accessors.append({'bufferView': len(views) - 1, 'componentType': 5126, 'type': kind,
                          'count': len(numbers) // {'VEC2': 2, 'VEC3': 3}[kind], **more})
        body += packed
        return len(accessors) - 1

    for z, normal, _ in parts:
        corners = [(-1, -1), (1, -1), (1, 1), (-1, -1), (1, 1), (-1, 1)]
        positions = add([v for x, y in corners for v in (x, y, z)], 'VEC3', min=[-1, -1, z], max=[1, 1, z])
        attributes = {'POSITION': positions, 'TEXCOORD_0': add([0.5] * 12, 'VEC2')}
        if normal:
            attributes['NORMAL'] = add(list(normal) * 6, 'VEC3')
        meshes.append({'primitives': [{'attributes': attributes, 'material': len(meshes)}]})
        nodes.append({'mesh': len(meshes) - 1})
    document = {
        'asset': {'version': '2.0'}, 'scene': 0, 'scenes': [{'nodes': list(range(len(nodes)))}], 'nodes': nodes,
        'meshes': meshes, 'materials': [material for _, _, material in parts], 'accessors': accessors,
        'bufferViews': views, 'extensionsUsed': ['KHR_materials_unlit'],
        'buffers': [{'uri': data_uri('application/octet-stream', body), 'byteLength': len(body)}]}
    if textures:
        document['images'] = [{'uri': data_uri('image/png', png_of(*color))} for color in textures]
        document['textures'] = [{'source': i} for i in range(len(textures))]
    with open(path, 'w') as file:
        json.dump(document, file)


def unlit(color, **more):
    return {'pbrMetallicRoughness': {'baseColorFactor': [*color, 1]}, 'extensions': {'KHR_materials_unlit': {}}, **more}


class LeashAndShade(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def render(self, *words):
        out = self.path('out.png')
        done = run('render', *words, '-o', out)
        self.assertEqual(done.returncode, 0, done.stderr)
        return read_png(out)

    def middle(self, *words):
        width, height, rows = self.render(*words, '--size', '64x64', '--pitch', '0', '--yaw', '0')
        return rows[height // 2][width // 2]

    # ---- Shade

    def test_a_shade_is_the_brightness_of_a_surface(self):
        file = self.path('quad.gltf')
        quads(file, [(0, (0, 0, 1), {})])
        # +z, turned by the yaw to +x, -z and -x; 0.7725 +- 0.11 and 0.06
        for words, shade in ((['--shade'], 0.8825), (['--shade', '0'], 0.8825), (['--shade', '90'], 0.8325),
                             (['--shade', '180'], 0.6625), (['--shade', '-90'], 0.7125)):
            byte = encoded(shade * shade)
            for value in self.middle(file, *words):
                self.assertLessEqual(abs(value - byte), 1, words)

    def test_colours_are_multiplied_and_surfaces_without_normals_have_the_base(self):
        file = self.path('quad.gltf')
        color = {'pbrMetallicRoughness': {'baseColorFactor': [1, 0.5, 0, 1]}}
        quads(file, [(0, (0, 0, 1), color)])
        factor = 0.8825 ** 2
        for value, linear in zip(self.middle(file, '--shade'), (factor, 0.5 * factor, 0)):
            self.assertLessEqual(abs(value - encoded(linear)), 1)
        quads(file, [(0, None, color)])
        for value, linear in zip(self.middle(file, '--shade'), (0.7725 ** 2, 0.5 * 0.7725 ** 2, 0)):
            self.assertLessEqual(abs(value - encoded(linear)), 1)

    def test_shades_follow_the_pose(self):
        words = ('@creature', '--clip', 'jump', '--time', '0.7', '--size', '160x120')
        lit = self.render(*words, '--shade')
        self.assertNotEqual(lit, self.render(*words))
        self.assertNotEqual(lit, self.render(*words, '--shade', '180'))
        self.assertEqual(lit, self.render(*words, '--shade', '360'))

    def test_the_yaw_may_be_left_out(self):
        file = self.path('quad.gltf')
        quads(file, [(0, (0, 0, 1), {})])
        out = self.path('out.png')
        self.assertEqual(run('render', '--shade', file, '-o', out).returncode, 0)
        self.assertEqual(run('render', file, '-o', out, '--shade').returncode, 0)
        self.assertEqual(run('render', '--shade', '30', file, '-o', out).returncode, 0)

    # ---- Leash

    def places(self, *words):
        """Where the fur of the creature is in two moments, 0 and 1.6 s, seen from its left, in columns of a moment."""
        width, height, rows = self.render('@creature', '--clip', 'jump', '--sheet', '2', '--yaw', '90', '--pitch', '0',
                                          '--size', '602x300', *words)
        found = []
        for first in (0, 302):
            fur = [x for row in rows for x in range(300) if row[first + x][0] > row[first + x][2] + 60]
            self.assertGreater(len(fur), 300)
            found.append((sum(fur) / len(fur), max(fur) - min(fur)))
        return found

    def test_a_leash_keeps_a_travelling_figure_in_its_place(self):
        (free_start, length), (free_end, _) = self.places()
        (start, leashed_length), (end, _) = self.places('--leash', '0.05')
        # it jumps 0.8 m; the figure is about 1.2 m long
        self.assertGreater(abs(free_end - free_start) / length, 0.5)
        # the middle of the body may be 0.05 of some 0.9 m to either side
        self.assertLess(abs(end - start) / leashed_length, 0.15)

    def test_a_long_leash_changes_nothing(self):
        words = ('@creature', '--clip', 'jump', '--sheet', '4', '--size', '400x100')
        self.assertEqual(self.render(*words), self.render(*words, '--leash', '10'))
        self.assertNotEqual(self.render(*words), self.render(*words, '--leash', '0.1'))

    def test_moments_are_eased_and_the_same_each_time(self):
        words = ('@creature', '--clip', 'jump', '--leash', '0.05', '--size', '400x100', '--sheet')
        self.assertEqual(self.render(*words, '4'), self.render(*words, '4'))
        # a cloud with springs goes with it
        self.render('@creature', '--cloud', '@creature:500', '--spring', 'light', *words[1:], '2')

    def test_a_rig_whose_idle_clip_jumps_is_not_leashed(self):
        def animation(name, heights):
            sampler = {'input': 0, 'output': heights, 'interpolation': 'STEP'}
            return {'name': name, 'samplers': [sampler, {'input': 0, 'output': 2}],
                    'channels': [{'sampler': 0, 'target': {'node': 0, 'path': 'translation'}},
                                 {'sampler': 1, 'target': {'node': 1, 'path': 'scale'}}]}

        def accessor(view, count, kind, **more):
            return {'bufferView': 0, 'byteOffset': view, 'componentType': 5126, 'count': count, 'type': kind, **more}

        body = struct.pack('<2f', 0, 1 / 30) + struct.pack('<6f', 0, 0, 0, 0, 0, 3) + struct.pack('<6f', *[1] * 6)
        file = self.path('rig.gltf')
        for name, expected in (('Idle', True), ('other', False)):
            with open(file, 'w') as out:
                json.dump({
                    'asset': {'version': '2.0'}, 'scene': 0, 'scenes': [{'nodes': [0]}],
                    'nodes': [{'name': 'a', 'children': [1]}, {'name': 'b', 'translation': [0, 1, 0]}],
                    'animations': [animation(name, 1)],
                    'accessors': [accessor(0, 2, 'SCALAR', min=[0], max=[1 / 30]), accessor(8, 2, 'VEC3'), accessor(32, 2, 'VEC3')],
                    'bufferViews': [{'buffer': 0, 'byteLength': len(body)}],
                    'buffers': [{'uri': data_uri('application/octet-stream', body), 'byteLength': len(body)}]}, out)
            done = run('render', file, '--clip', '0', '--leash', '0.1', '-o', self.path('out.png'))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual('not leashed' in done.stderr, expected, done.stderr)

    def test_wrong_options(self):
        for words, message in ((['--leash', '0'], 'heights above 0'), (['--leash', '-1'], 'heights above 0'),
                               (['--leash', 'far'], 'heights above 0'), (['--leash', 'nan'], 'heights above 0'),
                               (['--shade', '1e9'], 'degrees'),
                               (['--shade', '--weights', 'all'], 'cannot be given together')):
            done = run('render', '@creature', *words, '-o', self.path('out.png'))
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(message, done.stderr)

    # ---- Additive materials

    def test_additive_surfaces_are_added_to_what_is_drawn(self):
        file = self.path('quads.gltf')
        glow = unlit((1, 1, 1), extras={'additive': True})
        glow['pbrMetallicRoughness']['baseColorTexture'] = {'index': 0}
        # given first, nearest, red 188 (0.5 linear) over green: both
        quads(file, [(0.1, (0, 0, 1), glow), (0, (0, 0, 1), unlit((0, 1, 0)))], [(188, 0, 0)])
        self.assertEqual(self.middle(file), (188, 255, 0))
        # on a blue that is half there: red 0.5, blue 1
        quads(file, [(0.1, (0, 0, 1), glow), (0, (0, 0, 1), unlit((0.5, 0, 1)))], [(188, 0, 0)])
        self.assertEqual(self.middle(file), (255, 0, 255))
        # as an ordinary material it hides what is behind it
        del glow['extras']
        quads(file, [(0.1, (0, 0, 1), glow), (0, (0, 0, 1), unlit((0, 1, 0)))], [(188, 0, 0)])
        self.assertEqual(self.middle(file), (188, 0, 0))

    def test_an_additive_surface_without_a_picture_is_not_drawn(self):
        file = self.path('quads.gltf')
        quads(file, [(0.1, (0, 0, 1), unlit((1, 0, 0), extras={'additive': True})), (0, (0, 0, 1), unlit((0, 1, 0)))])
        self.assertEqual(self.middle(file), (0, 255, 0))

    # ---- Flipbooks

    def flip(self, **changes):
        """A pack whose square shows red, green and blue pictures by lane 0 of 'turn', over 8 frames, and in front of it one that
        is additive and follows lane 1. Addresses are those of files beside it."""
        for name, color in (('red', (255, 0, 0)), ('green', (0, 255, 0)), ('blue', (0, 0, 255))):
            with open(self.path(f'{name}.png'), 'wb') as file:
                file.write(png_of(*color))
        square = {'triangles': [0, 1, 2, 0, 2, 3], 'uvs': [0, 1, 1, 1, 1, 0, 0, 0]}

        def corners(z):
            return [c for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1)) for c in (x, y, z)]
        pack = {
            'version': 1, 'rig': {'joints': [{'name': 'a'}]},
            'clips': [{'name': 'c', 'frames': 8, 'rate': 4, 'loop_start': 2, 'loop': True}],
            'textures': ['red.png', 'green.png', 'blue.png'],
            'materials': [{'name': 'm', 'texture': 1, 'unlit': True}, {'name': 'n', 'unlit': True, 'additive': True}],
            'meshes': [{'name': 's', 'joint': 0, 'material': 0, 'lane': 0, 'pictures': [0, 1, 2, -1], 'positions': corners(0), **square},
                       {'name': 'g', 'joint': 0, 'material': 1, 'lane': 1, 'pictures': [2], 'positions': corners(0.1), **square}],
            'flipbooks': {'turn': [[0, 2, 1, 9, 3, 0]], 'still': [], 'glow': [[2], [-1, 0, -1]]}}
        pack.update(changes)
        file = self.path('flip.pack.json')
        with open(file, 'w', encoding='utf-8') as out:
            json.dump(pack, out)
        return file

    def test_pictures_take_turns_with_frames(self):
        file = self.flip()
        red, green, blue, white = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)
        # an index that is not in the table: the own texture, green; -1: none; past the end the last entry
        for frame, color in enumerate((red, blue, green, green, white, red, red, red)):
            for part in (0.01, 0.99):  # the frame on show has no fraction
                self.assertEqual(self.middle(file, '--clip', 'c', '--flipbook', 'turn', '--time', str((frame + part) / 4)), color, frame)
        # the clip loops: behind frame 7 comes frame 2
        self.assertEqual(self.middle(file, '--clip', 'c', '--flipbook', 'turn', '--time', '2'), green)
        # no clip: frame 0; by index; a set that has no lanes; no flipbook at all
        self.assertEqual(self.middle(file, '--flipbook', '0'), red)
        self.assertEqual(self.middle(file, '--flipbook', 'still', '--clip', 'c', '--time', '0.3'), green)
        self.assertEqual(self.middle(file, '--clip', 'c', '--time', '0.3'), green)

    def test_additive_pictures_come_and_go(self):
        file = self.flip(flipbooks={'glow': [[0], [-1, 0, -1]]})
        # over red nothing, then blue on top, then nothing again
        for frame, color in enumerate(((255, 0, 0), (255, 0, 255), (255, 0, 0), (255, 0, 0))):
            self.assertEqual(self.middle(file, '--clip', 'c', '--flipbook', 'glow', '--time', str((frame + 0.5) / 4)), color, frame)

    def test_a_sheet_and_the_bird(self):
        file = self.flip(flipbooks={'turn': [[0, 0, 0, 0, 2]]})
        _, _, rows = self.render(file, '--flipbook', 'turn', '--sheet', '2', '--wrap', 'loop', '--size', '128x64', '--pitch', '0', '--yaw', '0')
        self.assertEqual((rows[16][32], rows[32][96]), ((255, 0, 0), (0, 0, 255)))  # frames 0 and 4
        # at rest, so that the eyes alone differ
        awake, asleep = (self.render('@bird', '--flipbook', name, '--size', '200x200', '--yaw', '70')[2] for name in ('blink', 'sleep'))
        changed = [(x, y) for y in range(200) for x in range(200) if awake[y][x] != asleep[y][x]]
        self.assertTrue(0 < len(changed) < 400)

    def test_wrong_flipbooks(self):
        file = self.flip()
        for status, says, words in ((1, "flipbooks: there is no set 'nap'; the pack has 3, the first is 'turn'", [file, '--flipbook', 'nap']),
                                    (1, "there is no set '3'", [file, '--flipbook', '3']),
                                    (2, '.pack.json or @bird', ['@creature', '--flipbook', 'turn']),
                                    (2, '--mix', [file, '--flipbook', 'turn', '--mix', 'x.json']),
                                    (2, '--weights', [file, '--flipbook', 'turn', '--weights', 'all'])):
            done = run('render', *words, '-o', self.path('out.png'))
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertIn(says, done.stderr)
        done = run('render', self.flip(flipbooks={}), '--flipbook', '0', '-o', self.path('out.png'))
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no set '0'; the pack has 0\n", done.stderr)
        # pictures that turns may ask for are missed before anything is drawn
        file = self.flip(textures=['red.png', 'green.png', 'nowhere.png'])
        done = run('render', file, '--flipbook', 'turn', '--size', '32x32', '-o', self.path('out.png'))
        self.assertEqual(done.returncode, 0)
        self.assertIn("1 cannot be read as PNG or JPEG, 'nowhere.png'", done.stderr)


if __name__ == '__main__':
    unittest.main(argv=['test_leash_and_shade'])
