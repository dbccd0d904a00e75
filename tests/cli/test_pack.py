# SPDX-License-Identifier: MIT
"""Packs of frame-stream models on the command line: the example of docs/streams.md and files with one thing changed, by the
program and by share/pack.schema.json; every command on a pack; faults with their places."""
import copy
import errno
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ.get('SINEW_PROGRAM', '')
if not PROGRAM:
    sys.exit(77)
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
with open(os.path.join(ROOT, 'docs', 'streams.md'), encoding='utf-8') as page:
    LAMP = json.loads(re.search(r'```json\n(.*?)```', page.read(), re.S)[1])
try:
    from jsonschema import Draft202012Validator
    with open(os.path.join(ROOT, 'share', 'pack.schema.json'), encoding='utf-8') as schema_file:
        SCHEMA = Draft202012Validator(json.load(schema_file))
except ImportError:
    SCHEMA = None

REMOVE = object()

# What a schema can see, by path.
WRONG = [
    (['version'], 2), (['version'], REMOVE), (['rig'], REMOVE), (['more'], 1), (['clips'], {}),
    (['rig', 'angles'], 'turns'), (['rig', 'joints'], REMOVE), (['rig', 'root_scale'], '1'),
    (['rig', 'joints', 0, 'parent'], -2), (['rig', 'joints', 0, 'order'], 'ZXZ'),
    (['rig', 'joints', 0, 'rotation'], [1, 2]), (['rig', 'joints', 0, 'inverse_bind'], [1] * 15),
    (['rig', 'joints', 0, 'scale_rule'], 'maya'), (['rig', 'joints', 0, 'translation'], [0, 0]),
    (['clips', 0, 'name'], REMOVE), (['clips', 0, 'name'], ''), (['clips', 0, 'frames'], 0), (['clips', 0, 'frames'], 1.5),
    (['clips', 0, 'rate'], 0), (['clips', 0, 'loop'], 1), (['clips', 0, 'limits'], {'turn': -1}),
    (['clips', 0, 'streams', 0, 'joint'], REMOVE), (['clips', 0, 'streams', 0, 'rotation'], [0, 0]),
    (['clips', 0, 'streams', 0, 'rotation'], ['a', 0, 0]), (['clips', 0, 'streams', 0, 'rotation'], [1e39, 0, 0]),
    (['meshes', 0, 'positions'], REMOVE), (['meshes', 0, 'joint'], -1), (['meshes', 0, 'triangles'], [0.5, 1, 2]),
    (['meshes', 0, 'influences'], 0), (['materials', 0, 'color'], [1, 1, 1]), (['materials', 0, 'shiny'], True),
    (['textures', 0], ''), (['flipbooks', 'flicker'], [0]), (['flipbooks', 'flicker', 0], [-2]),
]


def changed(path, value):
    file = copy.deepcopy(LAMP)
    place = file
    for key in path[:-1]:
        place = place[key]
    if value is REMOVE:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return file


def run(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False)


class Packs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, 'lamp.pack.json')

    def tearDown(self):
        self.folder.cleanup()

    def write(self, file):
        with open(self.path, 'w', encoding='utf-8') as out:
            out.write(file if isinstance(file, str) else json.dumps(file))

    def test_the_example_of_the_page(self):
        self.write(LAMP)
        if SCHEMA:
            self.assertEqual([e.message for e in SCHEMA.iter_errors(LAMP)], [])
        result = run('inspect', self.path, '--json')
        self.assertEqual(result.returncode, 0, result.stderr)
        said = json.loads(result.stdout)
        self.assertEqual(said['format'], 'pack')
        self.assertEqual([c['name'] for c in said['clips']], ['nod'])
        self.assertAlmostEqual(said['clips'][0]['duration'], 4 / 30, places=6)
        # three joints of two nodes each, the root scale, a mesh
        self.assertIn('; 8 nodes, 1 mesh, 1 skin, 1 clip', run('inspect', self.path).stdout)

    def test_every_command_takes_a_pack(self):
        self.write(LAMP)
        picture = os.path.join(self.folder.name, 'lamp.png')
        baked = os.path.join(self.folder.name, 'lamp.glb')
        for words in (['pose', self.path, '--clip', 'nod', '--time', '0.1'],
                      ['render', self.path, '--clip', 'nod', '--size', '64x64', '-o', picture],
                      ['bake', self.path, '--clip', 'nod', '-o', baked],
                      ['inspect', baked]):
            result = run(*words)
            self.assertEqual(result.returncode, 0, f'{words}: {result.stderr}')

    def test_plain_nodes(self):
        self.write(LAMP)
        plain = os.path.join(self.folder.name, 'plain.glb')
        result = run('bake', self.path, '--nodes', '-o', plain, '--json')
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(json.loads(result.stdout)['nodes'], 8)
        for time in ('0', str(1 / 30), '0.1'):
            both = [json.loads(run('pose', file, '--clip', 'nod', '--time', time, '--json').stdout) for file in (self.path, plain)]
            for a, b in zip(self.vertices(both[0]), self.vertices(both[1])):
                for x, y in zip(a, b):
                    self.assertAlmostEqual(x, y, delta=5e-6)  # 1e-5 of half a metre
        self.assertEqual(run('bake', self.path, '--nodes', '-o', plain, '--clip', 'nod').returncode, 2)
        self.assertEqual(run('bake', self.path, '--nodes', '-o', os.path.join(self.folder.name, 'x.pc2')).returncode, 2)
        result = run('bake', '@creature', '--nodes', '-o', plain)
        self.assertEqual(result.returncode, 1)
        self.assertIn('frame-stream models', result.stderr)

    def test_vertices_at_a_frame(self):
        # Frame 1 at 1/30 s, by hand. The arm turns by 900 steps about x and is stretched by 1.1 along y, which the head, below
        # it, inherits: its offset (0, 30, 0) becomes 33 along the turned y, and its own vertices are stretched too.
        self.write(LAMP)
        result = run('pose', self.path, '--clip', 'nod', '--time', str(1 / 30), '--json')
        self.assertEqual(result.returncode, 0, result.stderr)
        from math import cos, pi, sin
        turn, lean = 900 * pi / 32768, 4096 * pi / 32768
        x, y, z = 0, 6 * 1.1, 0  # the third vertex in the head's space, scaled
        x, y = x * cos(lean) - y * sin(lean), x * sin(lean) + y * cos(lean)
        y += 33
        y, z = y * cos(turn), y * sin(turn)
        expected = [0.01 * x, 0.01 * (y + 20), 0.01 * z]
        positions = self.vertices(json.loads(result.stdout))
        for a, b in zip(positions[2], expected):
            self.assertAlmostEqual(a, b, places=6)

    @staticmethod
    def vertices(said):
        """The positions of the first mesh, wherever the JSON has them."""
        if isinstance(said, dict):
            if 'positions' in said:
                flat = said['positions']
                return flat if isinstance(flat[0], list) else [flat[i:i + 3] for i in range(0, len(flat), 3)]
            said = list(said.values())
        for value in said if isinstance(said, list) else []:
            found = Packs.vertices(value)
            if found:
                return found
        return None

    def test_wrong_files(self):
        for path, value in WRONG:
            file = changed(path, value)
            self.write(file)
            result = run('inspect', self.path)
            self.assertEqual(result.returncode, 1, f'{path}: {result.stdout}')
            self.assertRegex(result.stderr, r'lamp\.pack\.json: line 1, column \d+')
            if SCHEMA:
                self.assertFalse(SCHEMA.is_valid(file), path)

    def test_places(self):
        self.write(json.dumps(changed(['clips', 0, 'streams', 0, 'scale'], [1, [1, 2], 1]), indent=1))
        result = run('inspect', self.path)
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r'line \d\d+, column \d+, clips\[0\]\.streams\[0\]\.scale\[1\]: 2 numbers')
        self.write('{"version": 1,\n "rig": {]}')
        result = run('inspect', self.path)
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r'line 2, column 10')
        for path, value, says in ((['rig', 'joints', 1, 'parent'], 7, r'rig\.joints\[1\]\.parent: 7; this must be a number from -1 to 2'),
                                  (['idle'], 'nap', r"idle: there is no clip 'nap'; the pack has 1, the first is 'nod'")):
            self.write(json.dumps(changed(path, value), indent=1))
            self.assertRegex(run('inspect', self.path).stderr, r'lamp\.pack\.json: line \d\d+, column \d+, ' + says)
        os.remove(self.path)
        result = run('inspect', self.path)
        self.assertEqual((result.returncode, result.stderr), (1, f'{self.path}: the file: cannot be read: {os.strerror(errno.ENOENT)}\n'))

    def test_pictures(self):
        # Those of @bird are made by code.
        drawn = os.path.join(self.folder.name, 'drawn.png')
        result = run('render', '@bird', '--size', '32x32', '-o', drawn)
        self.assertEqual((result.returncode, result.stderr), (0, ''))
        # A file's are read beside it, and in folders below.
        says = "textures: 1 cannot be read as PNG or JPEG, '{}'; what wears them is drawn without"
        deep = os.path.join(self.folder.name, 'deep')
        os.mkdir(deep)
        for address, place in (('off.png', ''), ('deep/off.png', 'deep')):
            self.write(changed(['textures', 0], address))
            result = run('render', self.path, '--size', '32x32', '-o', drawn)
            self.assertEqual(result.returncode, 0)
            self.assertIn(says.format(address), result.stderr)
            with open(drawn, 'rb') as file, open(os.path.join(self.folder.name, place, 'off.png'), 'wb') as copy_:
                copy_.write(file.read())
            result = run('render', self.path, '--size', '32x32', '-o', drawn)
            self.assertEqual((result.returncode, result.stderr), (0, ''))
        # Not above it, nor anywhere else.
        self.path = os.path.join(deep, 'lamp.pack.json')
        for address in ('../off.png', 'x/../../off.png', os.path.join(self.folder.name, 'off.png'), 'file:off.png'):
            self.write(changed(['textures', 0], address))
            self.assertIn(says.format(address), run('render', self.path, '--size', '32x32', '-o', drawn).stderr)


if __name__ == '__main__':
    unittest.main(argv=['test_pack'])
