# SPDX-License-Identifier: MIT
"""sinew bake: files are read here by a few lines of our own, and compared with arithmetic beside each test and with what
`sinew pose` says at the same times."""
import json
import math
import os
import re
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

from test_commands import Builder, moved, read_json, run

PROGRAM = os.environ.get('SINEW_PROGRAM', '')
DATA = os.path.join(os.environ.get('SINEW_TEST_DATA', ''), 'data', 'gltf')
SHORT = 5123
HALF_ULP = 2.0 ** -24  # a float is rounded by at most this share of itself


def single(x):
    """The nearest float32."""
    return struct.unpack('<f', struct.pack('<f', x))[0]


# ---- Readers --------------------------------------------------------------------------------------------------


class Glb:
    """A GLB file: its JSON, and accessors as lists of tuples."""
    WIDTH = {'SCALAR': 1, 'VEC2': 2, 'VEC3': 3, 'VEC4': 4}

    def __init__(self, path):
        with open(path, 'rb') as f:
            data = f.read()
        magic, version, size, json_size, kind = struct.unpack_from('<4sIIII', data)
        assert (magic, version, size, kind) == (b'glTF', 2, len(data), 0x4E4F534A)
        self.doc = json.loads(data[20:20 + json_size])
        self.raw_json = data[20:20 + json_size]
        bin_size, kind = struct.unpack_from('<II', data, 20 + json_size)
        assert kind == 0x004E4942 and json_size % 4 == 0 and bin_size % 4 == 0
        self.data = data[28 + json_size:]
        assert len(self.data) == bin_size == self.doc['buffers'][0]['byteLength']

    def block(self, view, offset, component, width, count):
        view = self.doc['bufferViews'][view]
        code, size = {5126: ('f', 4), 5123: ('H', 2), 5125: ('I', 4)}[component]
        offset += view.get('byteOffset', 0)
        stride = view.get('byteStride', size * width)
        assert offset % size == 0 and offset + stride * (count - 1) + size * width <= \
            view.get('byteOffset', 0) + view['byteLength']
        return [struct.unpack_from('<%d%s' % (width, code), self.data, offset + stride * i) for i in range(count)]

    def accessor(self, index):
        a = self.doc['accessors'][index]
        width = self.WIDTH[a['type']]
        values = [(0.0,) * width] * a['count']
        if 'bufferView' in a:
            values = self.block(a['bufferView'], a.get('byteOffset', 0), a['componentType'], width, a['count'])
        if 'sparse' in a:
            s = a['sparse']
            places = self.block(s['indices']['bufferView'], s['indices'].get('byteOffset', 0),
                                s['indices']['componentType'], 1, s['count'])
            for (at,), value in zip(places, self.block(s['values']['bufferView'], s['values'].get('byteOffset', 0),
                                                       a['componentType'], width, s['count'])):
                values[at] = value
        if 'min' in a:
            assert [single(x) for x in a['min']] == [min(v[k] for v in values) for k in range(width)]
            assert [single(x) for x in a['max']] == [max(v[k] for v in values) for k in range(width)]
        return values

    def primitives(self):
        """(node index, mesh, primitive) in order."""
        return [(n, self.doc['meshes'][node['mesh']], p) for n, node in enumerate(self.doc['nodes'])
                for p in self.doc['meshes'][node['mesh']]['primitives']]

    def times(self):
        return [t for t, in self.accessor(self.doc['animations'][0]['samplers'][0]['input'])]

    def weights(self, node, frame):
        """Of the morph targets of a node's mesh, at a frame."""
        targets = len(self.doc['meshes'][self.doc['nodes'][node]['mesh']]['primitives'][0].get('targets', []))
        for channel in self.doc['animations'][0]['channels'] if 'animations' in self.doc else []:
            if channel['target'] == {'node': node, 'path': 'weights'}:
                sampler = self.doc['animations'][0]['samplers'][channel['sampler']]
                assert sampler['interpolation'] == 'LINEAR'
                values = [w for w, in self.accessor(sampler['output'])]
                return values[frame * targets:(frame + 1) * targets]
        return [0.0] * targets

    def at(self, name, frame):
        """An attribute of each primitive at a frame: lists of (value, offset from the first frame) of three numbers."""
        out = []
        for node, _, p in self.primitives():
            base = self.accessor(p['attributes'][name])
            offsets = [(0.0, 0.0, 0.0)] * len(base)
            for weight, target in zip(self.weights(node, frame), p.get('targets', [])):
                if weight and name in target:
                    offsets = [tuple(a + weight * b for a, b in zip(x, y))
                               for x, y in zip(offsets, self.accessor(target[name]))]
            out.append([(tuple(a + b for a, b in zip(x, y)), y) for x, y in zip(base, offsets)])
        return out


def read_pc2(path):
    with open(path, 'rb') as f:
        data = f.read()
    signature, version, points, start, rate, samples = struct.unpack_from('<12siiffi', data)
    assert (signature, version) == (b'POINTCACHE2\0', 1) and len(data) == 32 + 12 * points * samples
    values = struct.unpack_from('<%df' % (3 * points * samples), data, 32)
    return start, rate, [values[3 * points * k:3 * points * (k + 1)] for k in range(samples)]


def read_obj(path):
    """Vertices, texture coordinates, normals, and elements as (letter, [[v, t, n], ...]), from 0."""
    lists = {'v': [], 'vt': [], 'vn': []}
    elements, objects, library = [], [], None
    with open(path, encoding='ascii') as f:
        for line in f:
            word, *rest = line.split()
            if word in lists:
                lists[word].append([float(x) for x in rest])
            elif word in ('f', 'l', 'p'):
                elements.append((word, [[int(i) - 1 if i else None for i in c.split('/')] for c in rest]))
            elif word == 'o':
                objects.append(rest[0])
            elif word == 'mtllib':
                library = rest[0]
    return lists['v'], lists['vt'], lists['vn'], elements, objects, library


# ---- Files to bake --------------------------------------------------------------------------------------------


def png():
    """One red pixel (PNG, second edition): header, data, end."""
    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 1, 1, 8, 2, 0, 0, 0)) +
            chunk(b'IDAT', zlib.compress(b'\0\xff\0\0')) + chunk(b'IEND', b''))


def triangle(b, **more):
    """(0,0,0) (1,0,0) (0,1,0), seen from +Z, as a primitive."""
    attributes = {'POSITION': b.accessor('VEC3', [0, 0, 0, 1, 0, 0, 0, 1, 0]),
                  'NORMAL': b.accessor('VEC3', [0, 0, 1] * 3)}
    return {'attributes': {**attributes, **more.pop('attributes', {})}, **more}


def animate(b, node, path, kind, times, values, name='move', interpolation='LINEAR'):
    b.doc.setdefault('animations', []).append({
        'name': name, 'channels': [{'sampler': 0, 'target': {'node': node, 'path': path}}],
        'samplers': [{'input': b.accessor('SCALAR', times), 'output': b.accessor(kind, values),
                      'interpolation': interpolation}]})


def sliding(path, times, places, interpolation='LINEAR'):
    """A triangle that moves along X."""
    b = Builder()
    b.doc['nodes'] = [{'name': 'part', 'mesh': 0}]
    b.doc['meshes'] = [{'primitives': [triangle(b)]}]
    animate(b, 0, 'translation', 'VEC3', times, [x for place in places for x in (place, 0, 0)],
            interpolation=interpolation)
    return b.write(path)


class Bake(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def path(self, *names):
        return os.path.join(self.folder.name, *names)

    def names(self, *names):
        return sorted(os.listdir(self.path(*names)))

    def bake(self, *words):
        done = run('bake', *words, '--json')
        self.assertEqual(done.returncode, 0, done.errors)
        return read_json(done)

    def glb(self, file, *words):
        answer = self.bake(file, '-o', self.path('out.glb'), *words)
        self.assertEqual(answer['bytes'], os.path.getsize(self.path('out.glb')))
        return answer, Glb(self.path('out.glb'))

    def poses(self, file, clip, times):
        done = run('pose', file, '--json', '--times', ','.join('%.17g' % t for t in times),
                   *(['--clip', str(clip)] if clip is not None else []))
        self.assertEqual(done.returncode, 0, done.errors)
        return [[p for i in pose['instances'] for p in i['primitives']] for pose in read_json(done)['poses']]

    def near(self, got, want, tolerance=1e-6):
        self.assertEqual(len(got), len(want))
        for a, b in zip(got, want):
            self.assertAlmostEqual(a, b, delta=tolerance)

    # ---- Frames -----------------------------------------------------------------------------------------------

    def test_frames_stand_at_the_rate_and_the_last_one_at_the_end(self):
        thirty_seven = single(37 / 30)  # 37.0000014 frames: the end is the 37th
        cases = (([0, 1.23], 10, [k / 10 for k in range(13)] + [single(1.23)]),
                 ([0, 1, 2, 3, 4], 1.25, [0, .8, 1.6, 2.4, 3.2, 4]),
                 ([0, .1], 15, [0, 1 / 15, single(.1)]),
                 ([0, thirty_seven], 30, [k / 30 for k in range(37)] + [thirty_seven]),
                 ([0, 1.5], 2, [0, .5, 1, 1.5]),
                 ([0, 1], .25, [0, 1]),           # slower than the clip is long
                 ([.5, 1], 2, [0, .5, 1]),        # a late first key: the clip still begins at 0
                 ([0], 30, [0]))                  # no length: one frame
        for number, (keys, fps, times) in enumerate(cases):
            file = sliding(self.path('%d.gltf' % number), keys, keys)
            answer, glb = self.glb(file, '--fps', str(fps))
            self.assertEqual((answer['frames'], answer['fps']), (len(times), fps), number)
            self.near(answer['times'], times, 1e-12)
            self.assertEqual(answer['times'][-1], times[-1])
            if len(times) > 1:
                self.assertEqual(glb.times(), [single(t) for t in times])
            for k, t in enumerate(times):  # x of the first corner is the time, but before the first key
                want = max(t, keys[0])
                self.assertAlmostEqual(glb.at('POSITION', k)[0][0][0][0], want, delta=3 * HALF_ULP * want)
            samples = self.bake(file, '-o', self.path('out.pc2'), '--fps', str(fps))
            self.assertEqual(samples['times'], answer['times'])
            self.assertEqual(len(read_pc2(self.path('out.pc2'))[2]), len(times))

    def test_the_clip_is_chosen_or_there_is_but_one(self):
        b = Builder()
        b.doc['nodes'] = [{'mesh': 0, 'translation': [7, 0, 0]}]
        b.doc['meshes'] = [{'primitives': [triangle(b)]}]
        still = b.write(self.path('still.gltf'))
        answer, glb = self.glb(still)
        self.assertEqual((answer['clip'], answer['frames'], answer['times']), (None, 1, [0]))
        self.assertEqual([v for v, _ in glb.at('POSITION', 0)[0]], [(7, 0, 0), (8, 0, 0), (7, 1, 0)])
        self.assertNotIn('animations', glb.doc)
        animate(b, 0, 'translation', 'VEC3', [0, 1], [0, 0, 0, 2, 0, 0], 'one')
        one = b.write(self.path('one.gltf'))
        self.assertEqual(self.bake(one, '-o', self.path('a.pc2'))['clip'], {'index': 0, 'name': 'one'})
        animate(b, 0, 'translation', 'VEC3', [0, 1], [0, 0, 0, 3, 0, 0], 'two')
        two = b.write(self.path('two.gltf'))
        done = run('bake', two, '-o', self.path('b.pc2'))
        self.assertEqual(done.returncode, 2)
        self.assertIn("'one'", done.errors)
        self.assertIn("'two'", done.errors)
        for clip in ('two', '1'):
            self.assertEqual(self.bake(two, '--clip', clip, '-o', self.path('b.pc2'))['clip']['index'], 1)
            self.near(read_pc2(self.path('b.pc2'))[2][-1][:3], [3, 0, 0])
        self.assertEqual(run('bake', two, '--clip', 'three', '-o', self.path('c.pc2')).returncode, 1)
        self.assertFalse(os.path.exists(self.path('c.pc2')))

    # ---- GLB --------------------------------------------------------------------------------------------------

    def test_glb_by_hand_plays_between_frames_as_well(self):
        b = Builder()
        b.doc['nodes'] = [{'name': 'still', 'mesh': 0}, {'name': 'slider', 'mesh': 1, 'rotation': [0, 0, 1, 0]}]
        b.doc['meshes'] = [{'name': 'a', 'primitives': [triangle(b)]}, {'name': 'b', 'primitives': [triangle(b)]}]
        animate(b, 1, 'translation', 'VEC3', [0, 1, 2], [0, 0, 0, 4, 0, 0, 4, 0, 8], 'go')
        answer, glb = self.glb(b.write(self.path('two.gltf')), '--fps', '1')
        self.assertEqual((answer['frames'], answer['vertices'], answer['format']), (3, 6, 'glb'))
        self.assertEqual(answer['outputs'], [self.path('out.glb')])
        self.assertEqual([n['name'] for n in glb.doc['nodes']], ['still', 'slider'])
        for node in glb.doc['nodes']:
            self.assertEqual(set(node), {'name', 'mesh'})  # no transforms: the world is in the vertices
        self.assertNotIn('skins', glb.doc)
        # what never moves has no targets and no channel; half a turn about Z maps (x,y) to (-x,-y)
        self.assertNotIn('targets', glb.doc['meshes'][0]['primitives'][0])
        self.assertEqual([c['target']['node'] for c in glb.doc['animations'][0]['channels']], [1])
        self.assertEqual(glb.doc['animations'][0]['name'], 'go')
        for k, (x, z) in enumerate([(0, 0), (4, 0), (4, 8)]):
            corners = [v for v, _ in glb.at('POSITION', k)[1]]
            for got, want in zip(corners, [(x, 0, z), (x - 1, 0, z), (x, -1, z)]):
                self.near(got, want)
        # a player blends weights between keys: read by sinew, half-way is half-way
        for t, want in ((.5, (2, 0, 0)), (1.25, (4, 0, 2)), (9, (4, 0, 8))):
            self.near(self.poses(self.path('out.glb'), 0, [t])[0][1]['positions'][:3], want)

    def test_frames_that_repeat_take_no_target(self):
        # STEP: at 0 in place, 1..2 at 5, 3 back in place, 4 at 5 for the second time
        file = sliding(self.path('step.gltf'), [0, 1, 3, 4], [0, 5, 0, 5], 'STEP')
        _, glb = self.glb(file, '--fps', '1')
        self.assertEqual(len(glb.primitives()[0][2]['targets']), 2)
        self.assertEqual([glb.weights(0, k) for k in range(5)], [[0, 0], [1, 0], [1, 0], [0, 0], [0, 1]])
        self.assertEqual([glb.at('POSITION', k)[0][1][0][0] for k in range(5)], [1, 6, 6, 1, 6])
        # the normal never moves: targets without it
        self.assertEqual(set(glb.primitives()[0][2]['targets'][0]), {'POSITION'})

    def test_few_moving_vertices_are_sparse_and_none_take_no_bytes(self):
        b = Builder()
        points = [c for i in range(40) for c in (i, 0, 0)]
        b.doc['nodes'] = [{'mesh': 0}]
        b.doc['meshes'] = [{'weights': [0], 'primitives': [
            {'mode': 0, 'attributes': {'POSITION': b.accessor('VEC3', points)},
             'targets': [{'POSITION': b.accessor('VEC3', [0] * 57 + [0, 2, 0] + [0] * 60)}]},
            {'mode': 0, 'attributes': {'POSITION': b.accessor('VEC3', points)},
             'targets': [{'POSITION': b.accessor('VEC3', [0] * 120)}]}]}]
        animate(b, 0, 'weights', 'SCALAR', [0, 1], [0, 1])
        _, glb = self.glb(b.write(self.path('sparse.gltf')), '--fps', '1')
        moving, still = (p['targets'] for _, _, p in glb.primitives())
        self.assertEqual((len(moving), len(still)), (1, 1))
        entry = glb.doc['accessors'][moving[0]['POSITION']]
        self.assertEqual((entry['sparse']['count'], 'bufferView' in entry), (1, False))
        self.assertFalse({'sparse', 'bufferView'} & set(glb.doc['accessors'][still[0]['POSITION']]))
        self.assertEqual(glb.at('POSITION', 1)[0][19][0], (19, 2, 0))
        self.assertEqual(glb.at('POSITION', 1)[0][18][0], (18, 0, 0))
        self.near(self.poses(self.path('out.glb'), 0, [1])[0][0]['positions'][57:60], [19, 2, 0])

    def test_many_frames_have_sparse_weights(self):
        # 600 frames: 600 * 599 weights of 4 bytes are more than a MiB, 599 ones and their places are 4,792 bytes
        file = sliding(self.path('long.gltf'), [0, 599], [0, 599])
        answer, glb = self.glb(file, '--fps', '1')
        self.assertEqual(answer['frames'], 600)
        output = glb.doc['accessors'][glb.doc['animations'][0]['samplers'][0]['output']]
        self.assertEqual((output['count'], output['sparse']['count']), (600 * 599, 599))
        for k in (1, 300, 599):
            self.assertEqual([v[0] for v, _ in glb.at('POSITION', k)[0]], [k, k + 1, k])
        self.near(self.poses(self.path('out.glb'), 0, [300.5])[0][0]['positions'][:3], [300.5, 0, 0], 1e-4)

    def test_mirrored_nodes_are_wound_round(self):
        b = Builder()
        b.doc['nodes'] = [
            {'name': 'mirrored', 'mesh': 0, 'scale': [-1, 1, 1]},
            {'name': 'strip', 'mesh': 1, 'scale': [1, 1, -1]},
            {'name': 'root', 'scale': [-1, 1, 1], 'children': [3, 4]}, {'name': 'joint'},
            {'name': 'under the root', 'mesh': 2, 'skin': 0},   # node and joints mirror: wound round
            {'name': 'elsewhere', 'mesh': 2, 'skin': 0},        # only the joints: as in the file
            {'name': 'skewed', 'mesh': 2, 'skin': 1, 'scale': [-1, 1, 1]}, {'name': 'plain joint'}]  # only the node
        skinned = {'JOINTS_0': b.accessor('VEC4', [0] * 12, SHORT), 'WEIGHTS_0': b.accessor('VEC4', [1, 0, 0, 0] * 3)}
        square = {'POSITION': b.accessor('VEC3', [0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0])}
        b.doc['skins'] = [{'joints': [3]}, {'joints': [7]}]
        b.doc['meshes'] = [{'primitives': [triangle(b)]}, {'primitives': [{'mode': 5, 'attributes': square}]},
                           {'primitives': [triangle(b, attributes=skinned)]}]
        file = b.write(self.path('mirror.gltf'))
        _, glb = self.glb(file)
        found = {glb.doc['nodes'][n]['name']: p for n, _, p in glb.primitives()}

        def corners(name):
            p = found[name]
            return [i for i, in glb.accessor(p['indices'])] if 'indices' in p else None
        # (0,0,0) (0,1,0) (-1,0,0) winds about +Z, and so do the normals point
        self.assertEqual(corners('mirrored'), [0, 2, 1])
        self.assertEqual(glb.accessor(found['mirrored']['attributes']['POSITION']), [(0, 0, 0), (-1, 0, 0), (0, 1, 0)])
        self.assertEqual(glb.accessor(found['mirrored']['attributes']['NORMAL']), [(0, 0, 1)] * 3)
        # a strip becomes a list: triangles 0 1 2 and 1 3 2 (glTF 2.0, 3.7.2.1), each turned round
        self.assertEqual(corners('strip'), [0, 2, 1, 1, 2, 3])
        self.assertNotIn('mode', found['strip'])
        self.assertEqual(corners('under the root'), [0, 2, 1])
        self.assertEqual(corners('elsewhere'), None)
        self.assertEqual(corners('skewed'), None)

    def test_mirroring_that_changes_is_right_in_each_obj_and_told_for_glb(self):
        b = Builder()
        b.doc['nodes'] = [{'name': 'part', 'mesh': 0}]
        b.doc['meshes'] = [{'primitives': [triangle(b)]}]
        animate(b, 0, 'scale', 'VEC3', [0, 1], [1, 1, 1, -1, 1, 1])
        file = b.write(self.path('turning.gltf'))
        done = run('bake', file, '--fps', '1', '-o', self.path('out.glb'))
        self.assertEqual(done.returncode, 0)
        self.assertIn('inside out', done.errors)
        self.bake(file, '--fps', '1', '-o', self.path('objs'))
        for k, order in ((1, [0, 1, 2]), (2, [0, 2, 1])):
            _, _, _, elements, _, _ = read_obj(self.path('objs', 'move_000%d.obj' % k))
            self.assertEqual(elements, [('f', [[i, None, i] for i in order])])

    def test_materials_and_textures_come_along(self):
        picture = png()
        b = Builder()
        start = len(b.data)
        b.data += picture + b'\0' * (-len(picture) % 4)
        b.doc['bufferViews'].append({'buffer': 0, 'byteOffset': start, 'byteLength': len(picture)})
        b.doc['images'] = [{'bufferView': 0, 'mimeType': 'image/png'}, {'uri': 'data:image/webp;base64,UklGRgAAAAA='}]
        b.doc['samplers'] = [{'wrapS': 33071, 'magFilter': 9728}]
        b.doc['textures'] = [{'source': 0, 'sampler': 0}, {'source': 1}]
        b.doc['materials'] = [
            {'name': 'red', 'alphaMode': 'MASK', 'alphaCutoff': .25, 'doubleSided': True,
             'extensions': {'KHR_materials_unlit': {}},
             'pbrMetallicRoughness': {'baseColorFactor': [1, .5, .25, .75], 'metallicFactor': .125, 'roughnessFactor': .5,
                                      'baseColorTexture': {'index': 0, 'texCoord': 1, 'extensions': {
                                          'KHR_texture_transform': {'offset': [.5, 0], 'scale': [2, 3]}}}}},
            {'name': 'unused'},
            {'name': 'odd', 'emissiveFactor': [1, .5, 0], 'emissiveTexture': {'index': 1},
             'extensions': {'KHR_materials_emissive_strength': {'emissiveStrength': 4}}}]
        b.doc['extensionsUsed'] = ['KHR_materials_unlit', 'KHR_texture_transform', 'KHR_materials_emissive_strength']
        uvs = {'TEXCOORD_0': b.accessor('VEC2', [0] * 6), 'TEXCOORD_1': b.accessor('VEC2', [0, 0, 1, 0, 0, .25]),
               'COLOR_0': b.accessor('VEC4', [1, 0, 0, 1] * 3)}
        few = {'TEXCOORD_0': b.accessor('VEC2', [0] * 6)}
        b.doc['nodes'] = [{'mesh': 0}, {'mesh': 0, 'translation': [3, 0, 0]}]
        b.doc['meshes'] = [{'primitives': [triangle(b, attributes=uvs, material=0), triangle(b, attributes=few, material=0),
                                           triangle(b, material=2)]}]
        file = b.write(self.path('looks.gltf'))
        done = run('bake', file, '-o', self.path('out.glb'))
        self.assertEqual(done.returncode, 0, done.errors)
        self.assertIn('neither PNG nor JPEG', done.errors)
        glb = Glb(self.path('out.glb'))
        first, second, third = (p for _, _, p in glb.primitives()[:3])
        m = glb.doc['materials'][first['material']]
        self.assertEqual((m['name'], m['alphaMode'], m['alphaCutoff'], m['doubleSided']), ('red', 'MASK', .25, True))
        self.assertEqual(m['extensions'], {'KHR_materials_unlit': {}})
        pbr = m['pbrMetallicRoughness']
        self.assertEqual((pbr['baseColorFactor'], pbr['metallicFactor'], pbr['roughnessFactor']),
                         ([1, .5, .25, .75], .125, .5))
        self.assertEqual(pbr['baseColorTexture'], {'index': 0, 'texCoord': 1, 'extensions': {
            'KHR_texture_transform': {'offset': [.5, 0], 'rotation': 0, 'scale': [2, 3]}}})
        self.assertEqual(glb.doc['samplers'], [{'magFilter': 9728, 'wrapS': 33071}])
        view = glb.doc['bufferViews'][glb.doc['images'][0]['bufferView']]
        self.assertEqual(glb.doc['images'][0]['mimeType'], 'image/png')
        self.assertEqual(glb.data[view['byteOffset']:view['byteOffset'] + view['byteLength']], picture)
        # one that lacks the texture's set of coordinates wears the material without the texture
        self.assertNotIn('baseColorTexture', glb.doc['materials'][second['material']]['pbrMetallicRoughness'])
        odd = glb.doc['materials'][third['material']]
        self.assertNotIn('emissiveTexture', odd)
        self.assertEqual((odd['emissiveFactor'], odd['extensions']),
                         ([1, .5, 0], {'KHR_materials_emissive_strength': {'emissiveStrength': 4}}))
        self.assertNotIn('unused', [x['name'] for x in glb.doc['materials']])
        self.assertEqual(set(glb.doc['extensionsUsed']), set(b.doc['extensionsUsed']))
        self.assertEqual(glb.accessor(first['attributes']['TEXCOORD_1']), [(0, 0), (1, 0), (0, .25)])
        self.assertEqual(glb.accessor(first['attributes']['COLOR_0']), [(1, 0, 0, 1)] * 3)
        # instances of one mesh share what does not move
        for name in ('TEXCOORD_0', 'TEXCOORD_1', 'COLOR_0'):
            self.assertEqual(glb.primitives()[3][2]['attributes'][name], first['attributes'][name])
        # OBJ: v points up there, and the transform is worked in: (2 u + .5, 1 - 3 v)
        answer = self.bake(file, '-o', self.path('objs'))
        self.assertEqual(self.names('objs'), ['looks.mtl', 'looks_0001.obj', 'looks_texture0.png'])
        self.assertEqual(sorted(answer['outputs']), [self.path('objs', n) for n in self.names('objs')])
        self.assertEqual(answer['bytes'], sum(os.path.getsize(n) for n in answer['outputs']))
        _, uvs, _, _, objects, library = read_obj(self.path('objs', 'looks_0001.obj'))
        self.assertEqual((uvs[:3], library, len(objects)), ([[.5, 1], [2.5, 1], [.5, .25]], 'looks.mtl', 6))
        with open(self.path('objs', 'looks.mtl')) as f:
            text = f.read()
        self.assertIn('newmtl m0_red\nKd 1 0.5 0.25\nd 0.75\n', text)
        self.assertIn('map_Kd looks_texture0.png\n', text)
        with open(self.path('objs', 'looks_texture0.png'), 'rb') as f:
            self.assertEqual(f.read(), picture)

    def test_what_is_not_a_unit_vector_becomes_one(self):
        b = Builder()
        b.doc['nodes'] = [{'mesh': 0}]
        b.doc['meshes'] = [{'primitives': [{'attributes': {
            'POSITION': b.accessor('VEC3', [0, 0, 0, 1, 0, 0, 0, 1, 0]),
            'NORMAL': b.accessor('VEC3', [0, 3, 4, 0, 0, 0, 0, 0, 1])}}]}]
        done = run('bake', b.write(self.path('normals.gltf')), '-o', self.path('out.glb'))
        self.assertEqual(done.returncode, 0)
        self.assertIn('1 normals or tangents have no direction', done.errors)
        glb = Glb(self.path('out.glb'))
        normals = glb.accessor(glb.primitives()[0][2]['attributes']['NORMAL'])
        for got, want in zip(normals, [(0, .6, .8), (0, 0, 1), (0, 0, 1)]):
            self.near(got, want)

    # ---- OBJ and PC2 --------------------------------------------------------------------------------------------

    def test_obj_takes_all_shapes_apart(self):
        b = Builder()
        five = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 2, 0]
        b.doc['nodes'] = [{'name': 'a b#/c', 'mesh': 0}]
        b.doc['meshes'] = [{'primitives': [
            {'mode': mode, 'attributes': {'POSITION': b.accessor('VEC3', five)}} for mode in range(7)]}]
        b.doc['meshes'][0]['primitives'].append(
            {'attributes': {'POSITION': b.accessor('VEC3', five)}, 'indices': b.accessor('SCALAR', [4, 2, 0], SHORT)})
        self.bake(b.write(self.path('shapes.gltf')), '-o', self.path('objs'))
        vertices, _, _, elements, objects, library = read_obj(self.path('objs', 'shapes_0001.obj'))
        self.assertEqual(objects, ['n0_a_b__c_%d' % k for k in range(8)])
        self.assertIsNone(library)
        self.assertEqual(vertices, [five[3 * i:3 * i + 3] for i in range(5)] * 8)
        # glTF 2.0, 3.7.2.1; an incomplete line or triangle is left out
        want = ([('p', [i]) for i in range(5)] + [('l', [0, 1]), ('l', [2, 3])] +
                [('l', [i, (i + 1) % 5]) for i in range(5)] + [('l', [i, i + 1]) for i in range(4)] +
                [('f', [0, 1, 2])] + [('f', [0, 1, 2]), ('f', [1, 3, 2]), ('f', [2, 3, 4])] +
                [('f', [1, 2, 0]), ('f', [2, 3, 0]), ('f', [3, 4, 0])] + [('f', [4, 2, 0])])
        counts = [5, 2, 5, 4, 1, 3, 3, 1]
        firsts = [5 * k for k, n in enumerate(counts) for _ in range(n)]
        self.assertEqual(elements, [(letter, [[first + i] for i in c]) for (letter, c), first in zip(want, firsts)])

    def test_obj_numbers_files_and_leaves_others_alone(self):
        file = sliding(self.path('clip.gltf'), [0, 1], [0, 1])
        os.mkdir(self.path('there'))
        with open(self.path('there', 'note.txt'), 'w') as f:
            f.write('mine')
        self.bake(file, '--fps', '2', '-o', self.path('there'))
        self.assertEqual(self.names('there'), ['move_0001.obj', 'move_0002.obj', 'move_0003.obj', 'note.txt'])
        self.assertEqual(read_obj(self.path('there', 'move_0002.obj'))[0], [[.5, 0, 0], [1.5, 0, 0], [.5, 1, 0]])
        self.bake(file, '--fps', '1', '-o', self.path('with.dot') + '/')
        self.assertEqual(self.names('with.dot'), ['move_0001.obj', 'move_0002.obj'])

    def test_pc2_by_hand(self):
        file = sliding(self.path('clip.gltf'), [0, 1.25], [0, 5])
        self.bake(file, '--fps', '2', '-o', self.path('out.pc2'))
        start, rate, samples = read_pc2(self.path('out.pc2'))
        self.assertEqual((start, rate), (0, 1))
        # frames at 0, .5, 1 and the end: 4 metres a second
        for sample, x in zip(samples, (0, 2, 4, 5)):
            self.near(sample, [x, 0, 0, x + 1, 0, 0, x, 1, 0])
        self.assertEqual(len(samples), 4)

    # ---- Real figures -------------------------------------------------------------------------------------------

    def compare(self, file, clip, fps):
        """All three formats against `sinew pose`."""
        shutil.rmtree(self.path('objs'), ignore_errors=True)
        answer, glb = self.glb(file, '--clip', str(clip), '--fps', str(fps))
        self.bake(file, '--clip', str(clip), '--fps', str(fps), '-o', self.path('out.pc2'))
        self.bake(file, '--clip', str(clip), '--fps', str(fps), '-o', self.path('objs'))
        _, _, samples = read_pc2(self.path('out.pc2'))
        names = [n for n in self.names('objs') if n.endswith('.obj')]
        last = answer['frames'] - 1
        self.assertEqual(len(samples), answer['frames'])
        self.assertEqual(len(names), answer['frames'])
        frames = sorted({0, 1, last // 2, last})
        for k, pose in zip(frames, self.poses(file, clip, [answer['times'][k] for k in frames])):
            flat = [x for p in pose for x in p['positions']]
            self.assertEqual(len(flat), 3 * answer['vertices'])
            # nothing is computed on the way to PC2 and OBJ: the same bits
            self.assertEqual(list(samples[k]), [single(x) for x in flat])
            vertices, _, _, elements, _, _ = read_obj(self.path('objs', names[k]))
            self.assertEqual([single(x) for v in vertices for x in v], [single(x) for x in flat])
            self.assertTrue(all(0 <= c[0] < len(vertices) for _, e in elements for c in e))
            # An offset is a difference of two floats, rounded once: half an ulp of it, and our sum is exact enough.
            for primitive, p in zip(glb.at('POSITION', k), pose):
                got = [(x, o) for value, offset in primitive for x, o in zip(value, offset)]
                self.assertEqual(len(got), len(p['positions']))
                for (x, offset), want in zip(got, p['positions']):
                    self.assertLessEqual(abs(x - single(want)), HALF_ULP * abs(offset) * 1.001 + 1e-44)
            if all('normals' in p for p in pose):
                for primitive, p in zip(glb.at('NORMAL', k), pose):
                    got = [x for value, _ in primitive for x in value]
                    self.near(got, p['normals'], 1e-3)  # those not quite unit vectors are made so
        return glb

    def test_the_creature_in_all_formats(self):
        glb = self.compare('@creature', 1, 7)
        self.assertEqual(len(glb.doc['meshes']), 2)
        self.assertEqual(len(glb.primitives()), 3)

    def test_real_models(self):
        files = [os.path.join(DATA, f) for f in (
            'CesiumMan/CesiumMan.glb', 'Fox/Fox.glb', 'RiggedFigure/RiggedFigure.glb', 'AnimatedMorphCube/AnimatedMorphCube.glb',
            'InterpolationTest/InterpolationTest.gltf', 'Quaternius_Bat/Bat.glb')]
        if not os.path.isdir(DATA):
            self.skipTest('no test data at SINEW_TEST_DATA')
        for file in files:
            with self.subTest(file=file):
                self.compare(file, 0, 3)

    # ---- What goes wrong ----------------------------------------------------------------------------------------

    def test_wrong_usage_is_2(self):
        f = sliding(self.path('clip.gltf'), [0, 1], [0, 1])
        os.mkdir(self.path('out.d'))
        out = self.path('x.glb')
        for words in ([], [f], ['-o', out], [f, '-o'], [f, f, '-o', out], [f, '-o', out, '--fps', '0'],
                      [f, '-o', out, '--fps', '-1'], [f, '-o', out, '--fps', 'nan'], [f, '-o', out, '--fps', '1e9'],
                      [f, '-o', out, '--fps', 'fast'], [f, '-o', out, '--fps', '1e-9'], [f, '-o', ''],
                      [f, '-o', self.path('x.obj')], [f, '-o', self.path('x.gltf')], [f, '-o', out, '--wrap', 'loop']):
            done = run('bake', *words)
            self.assertEqual((done.returncode, done.stdout), (2, b''), words)
            self.assertRegex(done.errors, r"^sinew bake: [^\n]+\nTry 'sinew help bake'\.\n$", words)
        copy = self.path('self.glb')
        self.bake(f, '-o', copy)
        done = run('bake', copy, '-o', copy)
        self.assertEqual(done.returncode, 2)
        self.assertIn('the input itself', done.errors)
        self.assertEqual(self.names(), ['clip.gltf', 'out.d', 'self.glb'])

    def test_sizes_are_refused_by_name_before_anything_is_written(self):
        f = sliding(self.path('long.gltf'), [0, 1000], [0, 1])
        for words, limit in ((['x.pc2', '--fps', '2000'], '1048576'), (['x.glb', '--fps', '20'], '16384 frames')):
            done = run('bake', f, '-o', self.path(words[0]), *words[1:])
            self.assertEqual(done.returncode, 2)
            self.assertIn('limit', done.errors)
            self.assertIn(limit, done.errors)
        # 100,000 vertices of 12 bytes in 1,048,001 frames are 1.1 TiB
        for out, limit in (('x.pc2', '64 GiB'), ('x/', '64 GiB')):
            done = run('bake', '@strip:2:100000', '-o', self.path(out), '--fps', '500000')
            self.assertEqual(done.returncode, 2, done.errors)
            self.assertIn(limit, done.errors)
        self.assertEqual(self.names(), ['long.gltf'])

    def test_wrong_input_is_1(self):
        b = Builder()
        b.doc['nodes'] = [{}]
        empty = b.write(self.path('empty.gltf'))
        far = Builder()
        far.doc['nodes'] = [{'mesh': 0, 'scale': [1e38, 1, 1]}]
        far.doc['meshes'] = [{'primitives': [{'attributes': {'POSITION': far.accessor('VEC3', [0, 0, 0, 9, 0, 0, 0, 1, 0])}}]}]
        far = far.write(self.path('far.gltf'))
        for file, words in ((empty, 'nothing to bake'), (far, 'too far out'), (self.path('nowhere.glb'), 'nowhere')):
            for out in ('x.glb', 'x.pc2', 'x'):
                done = run('bake', file, '-o', self.path(out), '--json')
                self.assertEqual(done.returncode, 1, (file, out))
                self.assertIn(words, done.errors)
                self.assertEqual(len(read_json(done)['findings']), 1)
        self.assertEqual(self.names(), ['empty.gltf', 'far.gltf'])

    def test_what_cannot_be_written_is_4_and_leaves_nothing(self):
        f = sliding(self.path('clip.gltf'), [0, 1], [0, 1])
        with open(self.path('file'), 'w') as old:
            old.write('old')
        os.mkdir(self.path('taken'))
        os.mkdir(self.path('taken', 'move_0002.obj'))
        for out in (self.path('no', 'x.glb'), self.path('no', 'x.pc2'), self.path('no', 'x'), self.path('file'),
                    self.path('file', 'x.glb'), self.path('taken')):
            done = run('bake', f, '-o', out)
            self.assertEqual((done.returncode, done.stdout), (4, b''), out)
            self.assertRegex(done.errors, '^' + re.escape(out) + r'[^\n]*: the file: cannot be written: [^\n]+\n$')
        self.assertEqual(self.names(), ['clip.gltf', 'file', 'taken'])
        self.assertEqual(self.names('taken'), ['move_0002.obj'])

    def test_a_full_disk_in_the_middle_keeps_the_old_file(self):
        def limited():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # then writing past the limit is an error (EFBIG)
            resource.setrlimit(resource.RLIMIT_FSIZE, (200000, 200000))
        for name in ('x.glb', 'x.pc2'):
            with open(self.path(name), 'wb') as old:
                old.write(b'old')
        for out in ('x.glb', 'x.pc2', 'x'):
            done = subprocess.run([PROGRAM, 'bake', '@strip:3:5000', '--fps', '9', '-o', self.path(out)],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limited, timeout=120)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn(b'cannot be written', done.stderr)
        self.assertEqual(self.names(), ['x.glb', 'x.pc2'])
        for name in self.names():
            with open(self.path(name), 'rb') as f:
                self.assertEqual(f.read(), b'old')

    def test_devices_are_written_through(self):
        f = sliding(self.path('clip.gltf'), [0, 1], [0, 1])
        if not os.path.exists('/dev/full'):
            self.skipTest('this system has no /dev/full')
        for name in ('full.glb', 'full.pc2'):
            os.symlink('/dev/full', self.path(name))
            self.assertEqual(run('bake', f, '-o', self.path(name)).returncode, 4)
            self.assertTrue(os.path.islink(self.path(name)))
        with open('/dev/full', 'wb') as full:
            self.assertEqual(run('bake', f, '-o', self.path('ok.pc2'), stdout=full).returncode, 4)

    def test_a_person_gets_one_line(self):
        f = sliding(self.path('clip.gltf'), [0, 1], [0, 1])
        done = run('bake', f, '--fps', '2', '-o', self.path('x.pc2'))
        # 32 bytes of header and 3 samples of 3 points of 12 bytes
        self.assertEqual(done.stdout.decode(), "%s, clip 0 'move': 3 frames at 2 fps (1 s) of 3 vertices to %s, 140 bytes "
                         'in 1 file\n' % (f, self.path('x.pc2')))
        self.assertEqual(done.errors, '')

    # ---- Progress -----------------------------------------------------------------------------------------------

    def on_a_terminal(self, *words):
        """Seconds, and what came to standard error, which is a terminal."""
        import pty
        ours, theirs = pty.openpty()
        start = time.monotonic()
        process = subprocess.Popen([PROGRAM, *words], stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        text = b''
        while True:
            if select.select([ours], [], [], 120)[0]:
                try:
                    some = os.read(ours, 4096)
                except OSError:  # its other end is closed
                    break
                if not some:
                    break
                text += some
        os.close(ours)
        self.assertEqual(process.wait(), 0, text)
        return time.monotonic() - start, text.decode()

    def test_progress_shows_on_a_terminal_once_work_is_long(self):
        # A cloud of points that stands still until its last frame: long to check, nothing to write.
        b = Builder()
        b.doc['nodes'] = [{'mesh': 0}]
        b.doc['meshes'] = [{'primitives': [{'mode': 0, 'attributes': {
            'POSITION': b.accessor('VEC3', [math.sin(i) for i in range(600000)])}}]}]
        animate(b, 0, 'translation', 'VEC3', [0, 1], [0, 0, 0, 1, 0, 0], interpolation='STEP')
        file, fps, seconds, text = b.write(self.path('cloud.gltf')), 30, 0, ''
        seconds, text = self.on_a_terminal('bake', file, '-o', self.path('x.glb'), '--fps', '1')
        if seconds < .9:
            self.assertEqual(text, '')
        while seconds < 2 and fps < 16000:
            fps *= 2
            seconds, text = self.on_a_terminal('bake', file, '-o', self.path('x.glb'), '--fps', str(min(fps, 16000)))
        if seconds < 2:
            self.skipTest('this machine is too fast')
        self.assertRegex(text, r'^(\rsinew bake: +\d+ %)+\r +\r$')
        shown = [int(n) for n in re.findall(r'(\d+) %', text)]
        self.assertEqual(shown, sorted(shown))
        self.assertLessEqual(len(shown), 10 * seconds + 1)
        self.assertLessEqual(max(shown), 100)
        # the same work with standard error in a pipe
        done = run('bake', file, '-o', self.path('x.glb'), '--fps', str(min(fps, 16000)))
        self.assertEqual(done.errors, '')


if __name__ == '__main__':
    if not PROGRAM:
        print('SINEW_PROGRAM names the program to test')
        sys.exit(77)
    unittest.main()
