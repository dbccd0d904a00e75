# SPDX-License-Identifier: MIT
"""The command line as scripts see it: exit statuses, lines on standard error, and every field of `inspect`, `pose` and
`version --json`. The documents are made here, small enough to work all numbers out by hand (beside each test)."""
import base64
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ.get('SINEW_PROGRAM', '')
FLOAT, UNSIGNED_SHORT = 5126, 5123
WIDTH = {'SCALAR': 1, 'VEC2': 2, 'VEC3': 3, 'VEC4': 4, 'MAT4': 16}
HALF = 0.5 ** 0.5  # sin 45 degrees


def run(*words, env=None, stdout=subprocess.PIPE, cwd=None):
    done = subprocess.run([PROGRAM, *words], stdout=stdout, stderr=subprocess.PIPE, cwd=cwd,
                          env=None if env is None else {**os.environ, **env}, timeout=120)
    done.errors = done.stderr.decode('utf-8')
    return done


def refuse(text):
    raise ValueError(text + ' is no JSON number')


def read_json(done):
    """Standard output: one line with one JSON object, strict UTF-8, no NaN, no infinity."""
    text = done.stdout.decode('utf-8')
    assert text.endswith('\n') and text.count('\n') == 1, text[:200]
    return json.loads(text, parse_constant=refuse)


class Builder:
    """A glTF document with its buffer inside."""

    def __init__(self):
        self.data = b''
        self.doc = {'asset': {'version': '2.0', 'generator': 'by hand'}, 'accessors': [], 'bufferViews': []}

    def accessor(self, kind, values, component=FLOAT):
        code = 'f' if component == FLOAT else 'H'
        packed = struct.pack('<%d%s' % (len(values), code), *values)
        packed += b'\0' * (-len(packed) % 4)
        self.doc['bufferViews'].append({'buffer': 0, 'byteOffset': len(self.data), 'byteLength': len(packed)})
        self.doc['accessors'].append({'bufferView': len(self.doc['bufferViews']) - 1, 'componentType': component,
                                      'type': kind, 'count': len(values) // WIDTH[kind]})
        if component == FLOAT:
            columns = [values[k::WIDTH[kind]] for k in range(WIDTH[kind])]
            self.doc['accessors'][-1].update(min=[min(c) for c in columns], max=[max(c) for c in columns])
        self.data += packed
        return len(self.doc['accessors']) - 1

    def write(self, path):
        if self.data:
            uri = 'data:application/octet-stream;base64,' + base64.b64encode(self.data).decode()
            self.doc['buffers'] = [{'byteLength': len(self.data), 'uri': uri}]
        with open(path, 'w', encoding='utf-8') as f:
            json.dump(self.doc, f, ensure_ascii=False)
        return path


def moved(x, y, z):
    return [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1]


def make_figure(path, weights=(1, 0, 0, 0, 1, 0, 0, 0, .5, .5, 0, 0)):
    """Node 0 `root` at (1,0,0), over it 1 `arm` at (0,2,0); 2 shows a skinned mesh of three vertices and stands elsewhere,
    which must not matter; 3 shows a vertex with a morph target, mirrored and stretched; 4 is in no scene.

    Clip 0 `turn`, keys at 0.5 and 1.5: the root moves by (0,0,4), the arm turns a quarter about Z (LINEAR), the morph weight
    goes from 0 to 1 (STEP). Clip 1 bears the same name: the arm moves by a spline without slopes."""
    b = Builder()
    d = b.doc
    d['scene'], d['scenes'] = 0, [{'nodes': [0, 2, 3]}]
    d['nodes'] = [{'name': 'root', 'translation': [1, 0, 0], 'children': [1]}, {'name': 'arm', 'translation': [0, 2, 0]},
                  {'name': 'shown', 'translation': [50, 0, 0], 'mesh': 0, 'skin': 0},
                  {'name': 'box', 'translation': [0, 0, 3], 'scale': [-1, 2, 1], 'mesh': 1, 'weights': [0.5]},
                  {'name': 'hidden', 'mesh': 1}]
    d['skins'] = [{'name': 'the skin', 'joints': [0, 1],
                   'inverseBindMatrices': b.accessor('MAT4', moved(-1, 0, 0) + moved(-1, -2, 0))}]
    skinned = {'POSITION': b.accessor('VEC3', [1, 0, 0, 1, 3, 0, 1, 2.5, 0]), 'NORMAL': b.accessor('VEC3', [1, 0, 0] * 3),
               'JOINTS_0': b.accessor('VEC4', [0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0], UNSIGNED_SHORT),
               'WEIGHTS_0': b.accessor('VEC4', list(weights))}
    box = {'POSITION': b.accessor('VEC3', [1, 1, 1]), 'NORMAL': b.accessor('VEC3', [0, 1, 0]),
           'TANGENT': b.accessor('VEC4', [1, 0, 0, 1])}
    d['meshes'] = [{'name': 'body', 'primitives': [{'attributes': skinned, 'mode': 0}]},
                   {'name': 'box', 'primitives': [{'attributes': box, 'mode': 0,
                                                   'targets': [{'POSITION': b.accessor('VEC3', [0, 2, 0])}]}]}]
    times = b.accessor('SCALAR', [0.5, 1.5])

    def channel(sampler, node, what):
        return {'sampler': sampler, 'target': {'node': node, 'path': what}}
    d['animations'] = [
        {'name': 'turn', 'channels': [channel(0, 0, 'translation'), channel(1, 1, 'rotation'), channel(2, 3, 'weights')],
         'samplers': [{'input': times, 'output': b.accessor('VEC3', [1, 0, 0, 1, 0, 4])},
                      {'input': times, 'output': b.accessor('VEC4', [0, 0, 0, 1, 0, 0, HALF, HALF])},
                      {'input': times, 'output': b.accessor('SCALAR', [0, 1]), 'interpolation': 'STEP'}]},
        {'name': 'turn', 'channels': [channel(0, 1, 'translation')],
         'samplers': [{'input': b.accessor('SCALAR', [0, 1]), 'interpolation': 'CUBICSPLINE',
                       'output': b.accessor('VEC3', [0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0])}]}]
    return b.write(path)


class Commands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.figure = make_figure(cls.path('figure.gltf'))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), 'wb') as f:
            f.write(text if isinstance(text, bytes) else text.encode())
        return self.path(name)

    def json(self, *words):
        done = run(*words, '--json')
        self.assertEqual(done.returncode, 0, done.errors)
        return read_json(done)

    def near(self, got, want, tolerance=1e-6):
        self.assertEqual(len(got), len(want))
        for a, b in zip(got, want):
            self.assertAlmostEqual(a, b, delta=tolerance)

    # ---- Bindings -------------------------------------------------------------------------------------------

    def test_bindings_give_the_vertices_of_the_plain_path_in_file_order(self):
        # The creature is 1.2 m long: weights are rounded by at most 1e-5 of that, floats by less. At 2.2 s of `idle` it
        # blinks, so vertices are morphed before they are skinned.
        for words in (['--clip', 'walk', '--times', '0,0.31'], ['--clip', 'idle', '--times', '2.2,0.5']):
            plain = self.json('pose', '@creature', *words)
            block = self.json('pose', '@creature', *words, '--binding', 'block')
            vertices = 0
            for a, b in zip(plain['poses'], block['poses']):
                self.assertEqual(a['nodes'], b['nodes'])
                for i, j in zip(a['instances'], b['instances']):
                    self.assertEqual(i['weights'], j['weights'])
                    for p, q in zip(i['primitives'], j['primitives']):
                        self.assertEqual(p['vertex_count'], q['vertex_count'])
                        self.near(q['positions'], p['positions'], 2e-5)
                        self.near(q['normals'], p['normals'], 1e-4)
                        vertices += p['vertex_count']
            self.assertGreater(vertices, 2000)
        self.assertIn([0, 1], [i['weights'] for i in plain['poses'][0]['instances']])

    def test_bindings_keep_a_figure_at_rest_to_the_bit(self):
        plain, block = (self.json('pose', '@creature', '--binding', b)['poses'][0]['instances'] for b in ('plain', 'block'))
        for a, b in zip(plain, block):
            self.assertEqual([p['positions'] for p in a['primitives']], [p['positions'] for p in b['primitives']])

    def test_bindings_and_a_limit_of_vertices(self):
        words = ('pose', '@creature', '--clip', 'run', '--time', '0.2', '--binding', 'block')
        whole, cut = (self.json(*words, *more)['poses'][0]['instances'] for more in ((), ('--max-vertices', '7')))
        for a, b in zip(whole, cut):
            for p, q in zip(a['primitives'], b['primitives']):
                self.assertEqual(p['positions'][:21], q['positions'])

    def test_dual_quaternions_bend_about_the_joint(self):
        # At 1.5 s the arm at (1,2) has turned by 90 degrees about Z and all has moved by (0,0,4); the third vertex, half a
        for binding in ('plain', 'block'):
            words = ('pose', self.figure, '--clip', '0', '--time', '1.5', '--binding', binding)
            dual, linear = (self.json(*words, '--skinning', s)['poses'][0]['instances'][0]['primitives'][0]
                            for s in ('dual', 'linear'))
            self.near(dual['positions'][6:], [1 - 0.5 * HALF, 2 + 0.5 * HALF, 4], 1e-5)
            self.near(dual['normals'][6:], [HALF, HALF, 0], 3e-5)
            self.near(linear['positions'][6:], [0.75, 2.25, 4], 1e-5)
            self.near(dual['positions'][:6], linear['positions'][:6])  # one joint each
            rest = self.json('pose', self.figure, '--binding', binding, '--skinning', 'dual')
            self.assertEqual(rest['poses'][0]['instances'][0]['primitives'][0]['positions'], [1, 0, 0, 1, 3, 0, 1, 2.5, 0])
        # and in what is baked: a point cache has the last frame's positions at its end
        out = self.path('dual.pc2')
        done = run('bake', self.figure, '--clip', '0', '--fps', '1', '--skinning', 'dual', '-o', out)
        self.assertEqual(done.returncode, 0, done.errors)
        with open(out, 'rb') as f:
            data = f.read()
        points = struct.unpack_from('<i', data, 16)[0]
        last = struct.unpack('<%df' % (3 * points), data[-12 * points:])
        self.near(last[6:9], [1 - 0.5 * HALF, 2 + 0.5 * HALF, 4])

    # ---- Statuses -------------------------------------------------------------------------------------------

    def test_wrong_usage_is_2_and_says_how_to_get_help(self):
        f = self.figure
        for words in ([], ['what'], ['play', f], ['compress'], ['inspect'], ['inspect', f, f], ['inspect', '--nothing', f],
                      ['pose'], ['pose', f, '--time'], ['pose', f, '--time', 'soon'], ['pose', f, '--time', 'nan'],
                      ['pose', f, '--time', '1e999'], ['pose', f, '--time', '0x1'], ['pose', f, '--times', '1,,2'],
                      ['pose', f, '--times', ''], ['pose', f, '--time', '1,2'], ['pose', f, '--time', '1', '--times', '1'],
                      ['pose', f, '--wrap', 'around'], ['pose', f, '--max-vertices', '-1'],
                      ['pose', f, '--max-vertices', 'all'], ['pose', f, '--binding', 'blocks'], ['pose', f, '--skinning', 'cubic'],
                      ['bake', f, '--clip', '0', '--skinning', '', '-o', 'x.glb'], ['render', f, '--skinning', 'Dual', '-o', 'x.png'],
                      ['version', 'now'], ['help', 'what'], ['help', 'pose', 'bench'],
                      ['inspect', '@'], ['inspect', '@creatur'], ['inspect', '@creature:1'], ['inspect', '@chain'],
                      ['inspect', '@chain:'], ['inspect', '@chain:x'], ['inspect', '@chain:-1'], ['inspect', '@chain:0'],
                      ['inspect', '@chain:65536'], ['inspect', '@chain:99999999999999999999'], ['inspect', '@strip:2'],
                      ['inspect', '@strip:2:0'], ['inspect', '@strip:1:2:3']):
            done = run(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertEqual(done.stdout, b'', words)
            self.assertRegex(done.errors, r"^sinew[^\n]*: [^\n]+\nTry 'sinew help[^\n]*'\.\n$", words)

    def test_unknown_commands_get_the_list_of_what_there_is(self):
        for words in (['what'], ['help', 'what']):
            errors = run(*words).errors
            for name in ('inspect', 'pose', 'compress', 'version', 'help'):
                self.assertIn(name, errors)

    def test_help_is_there_for_every_command_it_lists(self):
        text = run('help').stdout.decode()
        names = re.findall(r'^  (\w+)  ', text, re.M)
        self.assertGreaterEqual(set(names), {'inspect', 'pose', 'version', 'help'})
        for name in names:
            page = run('help', name)
            self.assertEqual(page.returncode, 0)
            self.assertTrue(page.stdout.startswith(b'sinew ' + name.encode()))
            for words in ([name, '--help'], [name, 'FILE', '--help']):
                self.assertEqual(run(*words).stdout, page.stdout)
        self.assertEqual(run('--help').stdout.decode(), text)
        for option in ('--clip', '--time', '--times', '--wrap', '--max-vertices', '--json'):
            self.assertIn(option, run('help', 'pose').stdout.decode())

    def test_faults_of_a_file_are_1_with_one_line_and_one_object(self):
        cases = (('{"asset":', 'json_syntax', r'line 1, column 10'),
                 ('{"asset":\n  {"version":"3.0"}}', 'version_unsupported', r'asset\.version'),
                 ('{"asset":{"version":"2.0"},"nodes":[{"children":[7]}]}', 'index_out_of_range', r'nodes\[0\]\.children\[0\]'),
                 ('', 'format_unknown', ''), ('hello', 'format_unknown', ''))
        for number, (text, code, place) in enumerate(cases):
            path = self.write('bad%d.gltf' % number, text)
            for command in ('inspect', 'pose'):
                plain, asked = run(command, path), run(command, path, '--json')
                for done in (plain, asked):
                    self.assertEqual(done.returncode, 1)
                    self.assertRegex(done.errors, '^' + re.escape(path) + r': [^\n]*' + place + r'[^\n]*: [^\n]+\n$')
                self.assertEqual(plain.stdout, b'')
                answer = read_json(asked)
                self.assertEqual(answer['file'], path)
                self.assertEqual(len(answer['findings']), 1)
                finding = answer['findings'][0]
                self.assertGreaterEqual(set(finding), {'severity', 'code', 'where', 'count', 'worst', 'message'})
                self.assertEqual((finding['severity'], finding['code']), ('error', code))
                self.assertRegex(finding['where'], place or '.')
                self.assertIn(finding['message'], asked.errors)

    def test_what_cannot_be_opened_is_1(self):
        for name, code in (('nowhere.glb', 'io_failed'), ('walk.bvh', 'io_failed'), ('moves.set.json', 'io_failed'),
                           ('clips.sinew', 'io_failed')):
            done = run('inspect', self.path(name), '--json')
            self.assertEqual(done.returncode, 1)
            self.assertEqual(read_json(done)['findings'][0]['code'], code)
        self.assertEqual(run('inspect', self.folder.name).returncode, 1)

    def test_more_nodes_than_a_skeleton_holds_are_1_with_an_object(self):
        path = self.write('many.gltf', '{"asset":{"version":"2.0"},"nodes":[%s]}' % ','.join(['{}'] * 65536))
        done = run('pose', path, '--json')
        self.assertEqual(done.returncode, 1)
        self.assertEqual(read_json(done)['findings'][0]['code'], 'too_many_joints')
        self.assertEqual(run('inspect', path).returncode, 0)

    def test_output_that_cannot_be_written_is_4(self):
        for words in (['inspect', self.figure], ['inspect', self.figure, '--json'], ['pose', self.figure, '--json'],
                      ['version'], ['help'], ['help', 'pose'], ['inspect', self.path('nowhere.glb'), '--json']):
            if os.path.exists('/dev/full'):
                with open('/dev/full', 'wb') as full:
                    done = run(*words, stdout=full)
                self.assertEqual(done.returncode, 4, words)
                self.assertIn('cannot be written', done.errors)
            closed = subprocess.run(['sh', '-c', '"$0" "$@" >&-', PROGRAM, *words], stderr=subprocess.PIPE, timeout=60)
            self.assertEqual(closed.returncode, 4, words)

    def test_an_instruction_set_can_be_forced(self):
        answer = self.json('version')
        self.assertRegex(answer['version'], r'^\d+\.\d+\.\d+$')
        self.assertIn('scalar', answer['isa_built'])
        self.assertIn(answer['isa'], answer['isa_built'])
        forced = run('version', '--json', env={'SINEW_ISA': 'scalar'})
        self.assertEqual(read_json(forced)['isa'], 'scalar')
        self.assertEqual(run('version', env={'SINEW_ISA': 'mmx'}).returncode, 2)
        self.assertIn('mmx', run('version', env={'SINEW_ISA': 'mmx'}).errors)
        missing = [isa for isa in ('neon', 'wasm', 'avx512') if isa not in answer['isa_built']]
        for isa in missing:
            done = run('version', env={'SINEW_ISA': isa})
            self.assertEqual(done.returncode, 3)
            self.assertIn(isa, done.errors)
        self.assertTrue(run('version').stdout.decode().startswith('sinew ' + answer['version']))

    # ---- inspect --------------------------------------------------------------------------------------------

    def test_inspect_answers_every_field(self):
        answer = self.json('inspect', self.figure)
        self.assertEqual((answer['file'], answer['format']), (self.figure, 'gltf'))
        self.assertEqual(answer['rigs'], [{'index': 0, 'name': 'root', 'joint_count': 2, 'joints': [
            {'index': 0, 'name': 'root', 'parent': -1, 'node': 0}, {'index': 1, 'name': 'arm', 'parent': 0, 'node': 1}]}])
        self.assertEqual(answer['skins'], [{'index': 0, 'name': 'the skin', 'rig': 0, 'joint_count': 2,
                                            'inverse_bind': 'file'}])
        self.assertEqual(answer['meshes'], [
            {'index': 0, 'name': 'body', 'primitives': [
                {'index': 0, 'vertex_count': 3, 'max_influences': 2, 'morph_target_count': 0}]},
            {'index': 1, 'name': 'box', 'primitives': [
                {'index': 0, 'vertex_count': 1, 'max_influences': 0, 'morph_target_count': 1}]}])
        # G_0 I_0 = T(1,0,0) T(-1,0,0) and G_1 I_1 = T(1,2,0) T(-1,-2,0): the identity both
        self.assertEqual(answer['instances'], [{'node': 2, 'mesh': 0, 'skin': 0, 'at_rest': 'identity'},
                                               {'node': 3, 'mesh': 1, 'skin': None, 'at_rest': None}])
        turn, spline = answer['clips']
        self.assertEqual((turn['index'], turn['name'], spline['name']), (0, 'turn', 'turn_2'))
        self.assertEqual((turn['duration'], turn['first_key'], turn['channel_count'], turn['key_count']), (1.5, 0.5, 3, 6))
        self.assertEqual(sorted(turn['interpolations']), ['LINEAR', 'STEP'])
        self.assertEqual(turn['root_travel'], 4)  # from (1,0,0) to (1,0,4)
        self.assertEqual((spline['duration'], spline['first_key'], spline['root_travel']), (1, 0, 0))
        self.assertEqual(spline['interpolations'], ['CUBICSPLINE'])
        late = [f for f in answer['findings'] if f['code'] == 'first_key_late']
        self.assertEqual([f['severity'] for f in late], ['info'])
        self.assertAlmostEqual(late[0]['worst'], 0.5)
        for finding in answer['findings']:
            self.assertEqual(set(finding), {'severity', 'code', 'where', 'count', 'worst', 'message', 'advice'})
            self.assertNotEqual(finding['severity'], 'error')

    def test_repairs_are_listed_and_strict_refuses_them(self):
        path = make_figure(self.path('weights.gltf'), (.5, 0, 0, 0, 1, 0, 0, 0, .5, .5, 0, 0))
        found = [f for f in self.json('inspect', path)['findings'] if f['severity'] == 'repair']
        self.assertEqual([(f['code'], f['where'], f['count']) for f in found],
                         [('weights_not_normalised', 'meshes[0].primitives[0].attributes.WEIGHTS_0', 1)])
        done = run('inspect', path, '--strict', '--json')
        self.assertEqual(done.returncode, 1)
        self.assertEqual(read_json(done)['findings'][0]['code'], 'weights_not_normalised')
        self.assertEqual(run('inspect', self.figure, '--strict').returncode, 0)

    def test_inspect_can_be_read_by_a_person(self):
        text = run('inspect', self.figure).stdout.decode()
        for part in ('root > arm', "'body'", '3 vertices', "'turn'", "'turn_2'", 'first_key_late'):
            self.assertIn(part, text)
        text = run('inspect', '@chain:300', '--joints').stdout.decode()
        self.assertEqual([int(n) for n in re.findall(r'^ +\d+ j(\d+)$', text, re.M)], list(range(300)))

    def test_many_joints_of_one_parent_take_no_time(self):
        joints = 60000
        path = self.write('wide.gltf', json.dumps({
            'asset': {'version': '2.0'}, 'nodes': [{'children': list(range(1, joints))}] + [{}] * (joints - 1),
            'skins': [{'joints': list(range(joints))}]}))
        done = run('inspect', path, '--joints')
        self.assertEqual(done.returncode, 0)
        self.assertGreater(done.stdout.count(b'\n'), joints)

    # ---- Names ----------------------------------------------------------------------------------------------

    def test_names_of_any_bytes_do_no_harm(self):
        b = Builder()
        b.doc['nodes'] = [{'name': 'a\n\x1b[31mb\u202e"\\'}]
        b.doc['animations'] = [{'name': 'x\ny', 'channels': [], 'samplers': []}]
        b.doc['extensionsUsed'] = ['x' + '\u00e9' * 80]  # messages may cut it, but not through a character
        path = b.write(self.path('names.gltf'))
        self.assertEqual(self.json('pose', path)['poses'][0]['nodes'][0]['name'], 'a\n\x1b[31mb\u202e"\\')
        self.assertEqual(self.json('inspect', path)['clips'][0]['name'], 'x\ny')
        for words in (['inspect', path], ['pose', path, '--clip', 'x\ny']):
            done = run(*words)
            self.assertEqual(done.returncode, 0)
            self.assertIsNone(re.search('[\x00-\x09\x0b-\x1f\u202e]', done.stdout.decode('utf-8')))
        done = run('pose', path, '--clip', 'p\nq', '--json')
        self.assertEqual((done.returncode, done.errors.count('\n')), (1, 1))
        read_json(done)
        b.doc['extensionsRequired'] = b.doc['extensionsUsed']
        read_json(run('inspect', b.write(self.path('cut.gltf')), '--json'))
        odd = os.path.join(os.fsencode(self.folder.name), b'odd\xff.gltf')
        try:
            os.rename(path, odd)
        except OSError:
            return  # a file system that knows no such names
        read_json(run('inspect', odd, '--json'))

    # ---- pose -----------------------------------------------------------------------------------------------

    def test_without_a_clip_the_file_stands_as_it_is(self):
        answer = self.json('pose', self.figure)
        self.assertEqual((answer['file'], answer['clip'], len(answer['poses'])), (self.figure, None, 1))
        pose = answer['poses'][0]
        self.assertEqual((pose['time'], pose['local_time']), (0, 0))
        self.assertEqual([(n['index'], n['name']) for n in pose['nodes']],
                         [(0, 'root'), (1, 'arm'), (2, 'shown'), (3, 'box'), (4, 'hidden')])
        for node, at in ((0, (1, 0, 0)), (1, (1, 2, 0)), (2, (50, 0, 0)), (4, (0, 0, 0))):
            self.assertEqual(pose['nodes'][node]['world'], moved(*at))
        self.assertEqual(pose['nodes'][3]['world'], [-1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0, 0, 0, 3, 1])
        body, box = pose['instances']
        self.assertEqual((body['node'], body['mesh'], body['skin'], body['weights']), (2, 0, 0, []))
        # at rest a figure gives its own positions back, bit for bit
        self.assertEqual(body['primitives'], [{'index': 0, 'vertex_count': 3, 'positions': [1, 0, 0, 1, 3, 0, 1, 2.5, 0],
                                               'normals': [1, 0, 0] * 3}])
        # half of (0,2,0) added: (1,2,1); then x mirrored, y doubled, z moved by 3. The normal stays; the mirrored
        # tangent changes its side.
        self.assertEqual((box['node'], box['mesh'], box['skin'], box['weights']), (3, 1, None, [0.5]))
        self.assertEqual(box['primitives'], [{'index': 0, 'vertex_count': 1, 'positions': [-1, 4, 4], 'normals': [0, 1, 0],
                                              'tangents': [-1, 0, 0, -1]}])

    def test_a_clip_moves_joints_vertices_and_weights(self):
        answer = self.json('pose', self.figure, '--clip', '0', '--time', '1.5')
        self.assertEqual(answer['clip'], {'index': 0, 'name': 'turn'})
        pose = answer['poses'][0]
        self.near(pose['nodes'][0]['world'], moved(1, 0, 4))
        # the arm's x axis is (0,1,0) now, its y axis (-1,0,0)
        self.near(pose['nodes'][1]['world'], [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 1, 2, 4, 1])
        body, box = pose['instances']
        # vertex 0 follows the root: (1,0,4). Vertex 1 is (0,1,0) from the arm: (1,2,4) + (-1,0,0). Vertex 2 is half
        # (1,2.5,4) and half (1,2,4) + (-0.5,0,0).
        self.near(body['primitives'][0]['positions'], [1, 0, 4, 0, 2, 4, .75, 2.25, 4])
        # normals: as they are; turned to (0,1,0); and along the sum of both halves
        self.near(body['primitives'][0]['normals'], [1, 0, 0, 0, 1, 0, HALF, HALF, 0])
        self.assertEqual(box['weights'], [1])
        self.near(box['primitives'][0]['positions'], [-1, 6, 4])  # (1,3,1)

    def test_a_mix_file_stands_in_the_place_of_a_clip(self):
        mix = self.write('half.json', '{"layers": [{"inputs": [{"clip": 0, "weight": 0.5, "wrap": "clamp"}]}]}')
        answer = self.json('pose', self.figure, '--mix', mix, '--time', '1.5')
        self.assertEqual(answer['clip'], None)
        pose = answer['poses'][0]
        self.assertEqual((pose['time'], pose['local_time']), (1.5, 1.5))
        # half of the way from (1,0,0) to (1,0,4); half of a quarter turn: 45 degrees
        self.near(pose['nodes'][0]['world'], moved(1, 0, 2))
        self.near(pose['nodes'][1]['world'], [HALF, HALF, 0, 0, -HALF, HALF, 0, 0, 0, 0, 1, 0, 1, 2, 2, 1])
        # the arm (at rest) looks at a point that moves: its y axis along (1,0,0)
        mix = self.write('aim.json', '{"layers": [], "ik": [{"type": "aim", "joint": "arm", "forward": [0, 1, 0], '
                         '"target": [0, 2, 0], "velocity": [2, 0, 0]}]}')
        pose = self.json('pose', self.figure, '--mix', mix, '--time', '2')['poses'][0]
        self.near(pose['nodes'][1]['world'], [0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 2, 0, 1])
        picture = self.path('mix.png')
        done = run('render', self.figure, '--mix', mix, '--size', '64x64', '-o', picture)
        self.assertEqual(done.returncode, 0, done.errors)
        self.assertTrue(os.path.getsize(picture) > 0)

    def test_faults_of_a_mix_file_are_1_and_have_a_line(self):
        mix = self.write('wrong.json', '{"layers": [\n {"inputs": [{"clip": "fly"}]}]}')
        for command in (['pose', self.figure], ['render', self.figure, '-o', self.path('no.png')]):
            done = run(*command, '--mix', mix)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.errors,
                             mix + ": line 2, column 23, layers[0].inputs[0].clip: there is no clip 'fly'\n")
        done = run('pose', self.figure, '--mix', mix, '--json')
        self.assertEqual(read_json(done)['findings'][0]['code'], 'not_found')
        done = run('pose', self.figure, '--mix', self.path('none.json'))
        self.assertEqual(done.returncode, 1)
        self.assertIn('none.json', done.errors)
        self.assertEqual(run('pose', self.figure, '--mix', mix, '--clip', '0').returncode, 2)
        self.assertEqual(run('render', self.figure, '--mix', mix, '--clip', '0', '-o', 'x.png').returncode, 2)

    def test_the_figure_of_the_docs_is_planted_on_its_slope(self):
        mixes = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'docs', 'mixes')
        with open(os.path.join(mixes, 'slope.json'), encoding='utf-8') as f:
            feet = json.load(f)['ik'][0]['feet']

        def places(*words):
            nodes = self.json('pose', '@creature', '--max-vertices', '0', *words)['poses'][0]['nodes']
            return {n['name']: n['world'][12:15] for n in nodes}

        def dot(a, b):
            return sum(x * y for x, y in zip(a, b))

        def minus(a, b):
            return [x - y for x, y in zip(a, b)]

        def bend(at, foot):  # how far, and to which side along z, the knee stands from the line of its leg
            leg = minus(at[foot['ankle']], at[foot['hip']])
            knee = minus(at[foot['knee']], at[foot['hip']])
            along = dot(knee, leg) / dot(leg, leg)
            return knee[2] - along * leg[2]

        for time in ('0', '1.3', '2.6'):
            flat = places('--clip', 'idle', '--time', time)
            slope = places('--mix', os.path.join(mixes, 'slope.json'), '--time', time)
            for foot in feet:
                # the slope rises 0.75 m a metre along x: its unit normal is (-0.6, 0.8, 0)
                self.assertEqual(foot['ground_normal'], [-0.75, 1, 0])
                height = dot([-0.6, 0.8, 0], minus(slope[foot['ankle']], foot['ground_point']))
                self.assertAlmostEqual(height, foot['ankle_height'], delta=0.01)  # the sole: within 1 cm
                self.assertTrue(bend(flat, foot) * bend(slope, foot) > 0, foot['knee'])  # bent the same way
            self.assertTrue(slope['hips'][1] < flat['hips'][1] - 0.02, 'the pelvis is lowered')

    def test_times_wrap(self):
        # the clip lasts 1.5 s
        for wrap, asked, local in (('clamp', '2.0', 1.5), ('clamp', '-1', 0), ('loop', '2.0', 0.5), ('loop', '1.5', 0),
                                   ('loop', '-0.5', 1.0), ('ping-pong', '2.0', 1.0), ('ping-pong', '3.5', 0.5)):
            pose = self.json('pose', self.figure, '--clip', '0', '--time', asked, '--wrap', wrap)['poses'][0]
            self.assertEqual((pose['time'], pose['local_time']), (float(asked), local), (wrap, asked))
        poses = self.json('pose', self.figure, '--clip', '0', '--times', '0.1,1e-3,0.30000000000000004,100')['poses']
        self.assertEqual([p['time'] for p in poses], [0.1, 1e-3, 0.1 + 0.2, 100.0])  # to the last bit
        self.assertEqual(poses[3]['local_time'], 1.5)
        # a pose does not depend on the others of a call
        for pose in poses:
            alone = self.json('pose', self.figure, '--clip', '0', '--time', repr(pose['time']))['poses'][0]
            self.assertEqual(alone, pose)

    def test_clips_are_found_by_index_and_by_name(self):
        for word, index, warned in (('0', 0, False), ('1', 1, False), ('turn', 0, True), ('turn_2', 1, False)):
            done = run('pose', self.figure, '--clip', word, '--json')
            self.assertEqual(read_json(done)['clip']['index'], index)
            self.assertEqual('warning' in done.errors, warned, word)
            self.assertEqual(done.errors.count('\n'), int(warned))
        for word in ('2', 'Turn', '', '99999999999999999999'):
            done = run('pose', self.figure, '--clip', word, '--json')
            self.assertEqual(done.returncode, 1)
            self.assertEqual(read_json(done)['findings'][0]['code'], 'not_found')
        self.assertEqual(run('pose', '@chain:2', '--clip', 'bend').returncode, 0)

    def test_vertices_can_be_cut(self):
        whole = self.json('pose', self.figure, '--clip', '0', '--time', '1')['poses'][0]['instances']
        for count in (0, 1, 2, 3, 1000):
            cut = self.json('pose', self.figure, '--clip', '0', '--time', '1', '--max-vertices', str(count))
            for a, b in zip(cut['poses'][0]['instances'], whole):
                for p, q in zip(a['primitives'], b['primitives']):
                    self.assertEqual(p['vertex_count'], q['vertex_count'])
                    self.assertEqual(p['positions'], q['positions'][:3 * count])
                    self.assertEqual(p['normals'], q['normals'][:3 * count])

    def test_copies_of_a_mesh_are_placed_and_drawn(self):
        # EXT_mesh_gpu_instancing: world = node * copy. The node turns a quarter about z and moves (10, 0, 0); the copies
        # move (0, 0, 0) and (5, 0, 0), the second scaled by -1 in x: its triangle runs the other way round.
        b = Builder()
        b.accessor('VEC3', [0, 0, 0, 1, 0, 0, 0, 1, 0])
        b.accessor('VEC3', [0, 0, 0, 5, 0, 0])
        b.accessor('VEC3', [1, 1, 1, -1, 1, 1])
        b.doc.update(extensionsUsed=['EXT_mesh_gpu_instancing', 'KHR_node_visibility'],
                     extensionsRequired=['EXT_mesh_gpu_instancing'],
                     meshes=[{'primitives': [{'attributes': {'POSITION': 0}}]}],
                     nodes=[{'mesh': 0, 'rotation': [0, 0, HALF, HALF], 'translation': [10, 0, 0], 'extensions': {
                         'EXT_mesh_gpu_instancing': {'attributes': {'TRANSLATION': 1, 'SCALE': 2}}}},
                         {'mesh': 0, 'extensions': {'KHR_node_visibility': {'visible': False}}}])
        path = self.path('copies.gltf')
        b.write(path)
        instances = self.json('pose', path)['poses'][0]['instances']
        self.assertEqual([(i['node'], i.get('copy'), i.get('hidden', False)) for i in instances],
                         [(0, 0, False), (0, 1, False), (1, None, True)])
        # x becomes y, y becomes -x
        self.near(instances[0]['primitives'][0]['positions'], [10, 0, 0, 10, 1, 0, 9, 0, 0])
        self.near(instances[1]['primitives'][0]['positions'], [10, 5, 0, 10, 4, 0, 9, 5, 0])
        out = self.path('copies.obj') + '_dir/'
        self.assertEqual(run('bake', path, '-o', out).returncode, 0)
        with open(os.path.join(out, sorted(n for n in os.listdir(out) if n.endswith('.obj'))[0])) as file:
            lines = file.read().split('\n')
        self.assertEqual(len([line for line in lines if line.startswith('o ')]), 2)  # the hidden one is not there
        self.assertEqual([line.split()[1:] for line in lines if line.startswith('f ')], [['1', '2', '3'], ['4', '6', '5']])
        self.assertEqual(run('render', path, '-o', self.path('copies.png')).returncode, 0)

    def test_numbers_read_back_to_the_same_bits(self):
        values = [0.1, 1 / 3, 16777217.0, 1e-30, 3.4028234663852886e38, -0.0, 1e-45, 123456.789]
        singles = [struct.unpack('<f', struct.pack('<f', v))[0] for v in values]
        b = Builder()
        b.doc['nodes'] = [{'translation': [v, 0, 0]} for v in values]
        path = b.write(self.path('numbers.gltf'))
        got = [n['world'][12] for n in self.json('pose', path)['poses'][0]['nodes']]
        self.assertEqual([struct.pack('<f', float(v)) for v in got], [struct.pack('<f', v) for v in singles])

    def test_pose_can_be_read_by_a_person(self):
        text = run('pose', self.figure, '--clip', '0', '--time', '1.5').stdout.decode()
        self.assertIn('arm', text)
        self.assertRegex(text, r'1\.0+ +2\.0+ +4\.0+ +arm')
        self.assertIn('3 vertices', text)

    # ---- What the library makes itself ----------------------------------------------------------------------

    def test_chain_and_strip_have_spacing_1(self):
        pose = self.json('pose', '@chain:3')['poses'][0]
        self.assertEqual([n['world'][12:15] for n in pose['nodes']], [[0, 0, 0], [0, 1, 0], [0, 2, 0]])
        answer = self.json('inspect', '@strip:3:5')
        self.assertEqual(answer['rigs'][0]['joint_count'], 3)
        self.assertEqual(answer['meshes'][0]['primitives'][0]['vertex_count'], 5)
        self.assertEqual(answer['instances'][0]['at_rest'], 'identity')
        strip = self.json('pose', '@strip:3:5')['poses'][0]['instances'][0]['primitives'][0]
        self.assertEqual(strip['positions'][1::3], [0, .5, 1, 1.5, 2])

    def test_the_creature_is_there(self):
        answer = self.json('inspect', '@creature')
        self.assertIn('walk', [c['name'] for c in answer['clips']])
        self.assertEqual([f for f in answer['findings'] if f['severity'] in ('error', 'repair', 'warning')], [])


if __name__ == '__main__':
    if not PROGRAM:
        print('SINEW_PROGRAM names the program to test')
        sys.exit(77)
    unittest.main(verbosity=2)
