#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the corpus of the glTF and GLB fuzz targets: small files, each with some part of glTF in it, all made here.

Usage: make_corpus.py            writes tests/fuzz/corpus/gltf and tests/fuzz/corpus/glb beside this script
Files there that this script does not make (what fuzzing found) stay."""
import base64
import json
import os
import struct

HERE = os.path.dirname(os.path.abspath(__file__))
BYTE, UBYTE, SHORT, USHORT, UINT, FLOAT = 5120, 5121, 5122, 5123, 5125, 5126
CODE = {BYTE: 'b', UBYTE: 'B', SHORT: 'h', USHORT: 'H', UINT: 'I', FLOAT: 'f'}
WIDTH = {'SCALAR': 1, 'VEC2': 2, 'VEC3': 3, 'VEC4': 4, 'MAT2': 4, 'MAT3': 9, 'MAT4': 16}
JSON_CHUNK, BIN_CHUNK = 0x4E4F534A, 0x004E4942
HALF = 0.5 ** 0.5
NAN, INF = float('nan'), float('inf')
UNIT = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
PNG = bytes.fromhex('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d4944415478da63fcffff3f0300'
                    '05fe02fe0def46b80000000049454e44ae426082')

# A quad, streams of which stand in compressed files: made with meshoptimizer 0.18 and Draco 1.5.6. Attributes of the Draco
# meshes: 0 POSITION (11 bits), 1 JOINTS_0 (bytes), 2 WEIGHTS_0 (8 bits).
PACKED_POSITIONS = bytes.fromhex(
    'a00000013f000000ffffff013f0000007e7d7e0000010c000000ff010c0000007e0000000000000000000000'
    '00000000000000000000000000000000000000000000000000')
PACKED_TRIANGLES = bytes.fromhex(
    'e0f010007687566778a9866589689801690000')
PACKED_INDICES = bytes.fromhex(
    'd000040400020800000000')
PACKED_NORMALS = bytes.fromhex(
    'a0013f000000fefdfe010f000000fd6f00000000000000000000000000000000000000000000000000000000'
    '000000007f00')
PACKED_ROTATIONS = bytes.fromhex(
    'a0010c000000b1010c0000000a011c000000af013c0000000e03010c000000b1010c0000000a013400000003'
    '00000000000000000000000000000000000000000000000000000000000000ff07')
PACKED_MOVES = bytes.fromhex(
    'a0010c00000080012c0000000a00013c000000040a00013c000000040300013c000000040a010c0000006001'
    '3c00000007080118000000013c000000040a0000000000000000000000000000000000000000000000f50000'
    '00f5000000f5')
DRACO_EDGEBREAKER = bytes.fromhex(
    '445241434f02020101000000040202020000011fff0111ff0111ff011103ff00000000000100000100090300'
    '0002010402040001010104090400020201010100030301300110030024824a0400000000ff07000000000000'
    '00000000000000000000803f0b01010100020301400100102000000000010000000101010003030130011003'
    '00348201600000000000ff0000000000003f0000000000000000000000000000003f08')
DRACO_SEQUENTIAL = bytes.fromhex(
    '445241434f020201000000020401000102020103010300090300000402040001040904000202010200010100'
    '03030130011003002882881100000000ff070000000101000203014001003211000000000100000000010100'
    '0303013001100300248292000000000000ff0000000000000000000000000000000000803f0b0000003f0000'
    '000000000000000000000000003f08')


class File:
    def __init__(self, **members):
        self.doc = {'asset': {'version': '2.0'}, **members}
        self.data = b''
        self.more_buffers = []

    def view(self, data, **more):
        self.data += b'\0' * (-len(self.data) % 4)
        self.doc.setdefault('bufferViews', []).append(
            {'buffer': 0, 'byteOffset': len(self.data), 'byteLength': len(data), **more})
        self.data += data
        return len(self.doc['bufferViews']) - 1

    def accessor(self, kind, component, values, stride=0, **more):
        width = WIDTH[kind]
        rows = [values[i:i + width] for i in range(0, len(values), width)]
        packed = b''.join(struct.pack('<%d%s' % (width, CODE[component]), *row).ljust(stride, b'\0') for row in rows)
        view = self.view(packed, **({'byteStride': stride} if stride else {}))
        return self.bare(kind, component, len(rows), bufferView=view,
                         **({} if any(v != v or abs(v) == INF for v in values) else
                            {'min': [min(r[k] for r in rows) for k in range(width)],
                             'max': [max(r[k] for r in rows) for k in range(width)]} if rows else {}), **more)

    def bare(self, kind, component, count, **more):
        self.doc.setdefault('accessors', []).append({'type': kind, 'componentType': component, 'count': count, **more})
        return len(self.doc['accessors']) - 1

    def floats(self, kind, *values):
        return self.accessor(kind, FLOAT, list(values))

    def sparse(self, kind, count, index_type, indices, values, **base):
        where = self.view(struct.pack('<%d%s' % (len(indices), CODE[index_type]), *indices))
        what = self.view(struct.pack('<%df' % len(values), *values))
        return self.bare(kind, FLOAT, count, sparse={
            'count': len(indices), 'indices': {'bufferView': where, 'componentType': index_type},
            'values': {'bufferView': what}}, **base)

    def animate(self, *tracks, **more):
        """(node, path, times, kind, values[, interpolation]) each."""
        channels, samplers = [], []
        for node, path, times, kind, values, *rest in tracks:
            output = values if isinstance(values, int) else self.floats(kind, *values)
            samplers.append({'input': self.floats('SCALAR', *times), 'output': output,
                             **({'interpolation': rest[0]} if rest else {})})
            target = {'path': 'pointer', 'extensions': {'KHR_animation_pointer': {'pointer': path}}} if node is None \
                else {'node': node, 'path': path}
            channels.append({'sampler': len(samplers) - 1, 'target': target})
        self.doc.setdefault('animations', []).append({'channels': channels, 'samplers': samplers, **more})

    def text(self):
        if self.data:
            uri = 'data:application/octet-stream;base64,' + base64.b64encode(self.data).decode()
            self.doc['buffers'] = [{'byteLength': len(self.data), 'uri': uri}] + self.more_buffers
        return json.dumps(self.doc, separators=(',', ':')).encode()

    def glb(self):
        if self.data:
            self.doc['buffers'] = [{'byteLength': len(self.data)}] + self.more_buffers
        chunks = [(JSON_CHUNK, json.dumps(self.doc, separators=(',', ':')).encode(), b' ')]
        if self.data:
            chunks.append((BIN_CHUNK, self.data, b'\0'))
        return container([(kind, data + pad * (-len(data) % 4)) for kind, data, pad in chunks])


def container(chunks, version=2):
    body = b''.join(struct.pack('<II', len(data), kind) + data for kind, data in chunks)
    return struct.pack('<4sII', b'glTF', version, 12 + len(body)) + body


TRIANGLE = [0, 0, 0, 1, 0, 0, 0, 1, 0]


def character():
    """Nearly everything at once: a skin, two sets of influences, morph targets, three interpolations, a look."""
    f = File(scene=0, scenes=[{'name': 's', 'nodes': [0, 2]}], extensionsUsed=['KHR_texture_transform', 'KHR_materials_unlit'])
    f.doc['nodes'] = [{'name': 'hips', 'children': [1], 'translation': [0, 1, 0]},
                      {'name': 'spine', 'rotation': [0, 0, HALF, HALF], 'camera': 0},
                      {'name': 'body', 'mesh': 0, 'skin': 0, 'weights': [.25, 0], 'extras': {'k': [1, None]}}]
    attributes = {'POSITION': f.floats('VEC3', *TRIANGLE), 'NORMAL': f.floats('VEC3', *[0, 0, 1] * 3),
                  'TANGENT': f.floats('VEC4', *[1, 0, 0, 1] * 3),
                  'TEXCOORD_0': f.accessor('VEC2', USHORT, [0, 0, 65535, 0, 0, 65535], normalized=True),
                  'COLOR_0': f.accessor('VEC3', UBYTE, [255, 0, 0] * 3, stride=4, normalized=True),
                  'JOINTS_0': f.accessor('VEC4', UBYTE, [0, 1, 0, 0] * 3),
                  'WEIGHTS_0': f.floats('VEC4', *[.5, .25, 0, 0] * 3),
                  'JOINTS_1': f.accessor('VEC4', USHORT, [1, 0, 0, 0] * 3),
                  'WEIGHTS_1': f.accessor('VEC4', UBYTE, [64, 0, 0, 0] * 3, normalized=True)}
    targets = [{'POSITION': f.floats('VEC3', *[0, 0, 1] * 3), 'NORMAL': f.floats('VEC3', *[0, 1, 0] * 3)},
               {'POSITION': f.floats('VEC3', *[1, 0, 0] * 3), 'TANGENT': f.floats('VEC3', *[0, 0, 1] * 3)}]
    f.doc['meshes'] = [{'name': 'm', 'weights': [0, .5], 'extras': {'targetNames': ['up', 'out']}, 'primitives': [
        {'attributes': attributes, 'targets': targets, 'material': 0,
         'indices': f.accessor('SCALAR', USHORT, [0, 1, 2])}]}]
    f.doc['skins'] = [{'joints': [0, 1], 'skeleton': 0, 'inverseBindMatrices': f.floats('MAT4', *UNIT * 2)}]
    f.doc['cameras'] = [{'type': 'perspective', 'perspective': {'yfov': 1, 'znear': .1, 'zfar': 10, 'aspectRatio': 2}},
                        {'type': 'orthographic', 'orthographic': {'xmag': 1, 'ymag': 1, 'znear': 0, 'zfar': 1}}]
    f.doc['images'] = [{'bufferView': f.view(PNG), 'mimeType': 'image/png'}]
    f.doc['samplers'] = [{'wrapS': 33071, 'magFilter': 9729}]
    f.doc['textures'] = [{'source': 0, 'sampler': 0}]
    use = {'index': 0, 'texCoord': 0, 'extensions': {'KHR_texture_transform': {'offset': [0, 1], 'rotation': 1, 'scale': [2, 2]}}}
    f.doc['materials'] = [{'name': 'look', 'alphaMode': 'MASK', 'alphaCutoff': .4, 'doubleSided': True,
                           'emissiveFactor': [1, 0, 0], 'extensions': {'KHR_materials_unlit': {}},
                           'normalTexture': {'index': 0, 'scale': 2}, 'occlusionTexture': {'index': 0, 'strength': .5},
                           'pbrMetallicRoughness': {'baseColorFactor': [1, 1, 1, .5], 'metallicFactor': 0,
                                                    'roughnessFactor': .5, 'baseColorTexture': use}}]
    f.animate((0, 'translation', [0, 1], 'VEC3', [0, 1, 0, 1, 1, 0]),
              (1, 'rotation', [0, 1], 'VEC4', [0, 0, 0, 1, 0, 0, HALF, HALF]), name='walk')
    f.animate((2, 'weights', [.5, 1], 'SCALAR', [0, 1, 1, 0], 'STEP'),
              (1, 'scale', [0, 1], 'VEC3', [0] * 3 + [1] * 3 + [0] * 3 + [0] * 3 + [2] * 3 + [0] * 3, 'CUBICSPLINE'),
              (0, 'rotation', [0, 2], 'VEC4', [0] * 4 + [0, 0, 0, 1] + [0] * 4 + [0] * 4 + [1, 0, 0, 0] + [0] * 4,
               'CUBICSPLINE'), name='walk')
    return f


def sparse():
    f = File(scenes=[{'nodes': [0]}], nodes=[{'mesh': 0}])
    base = f.accessor('VEC3', FLOAT, TRIANGLE)
    view = f.doc['accessors'][base]['bufferView']
    bounds = {'min': [0, 0, 0], 'max': [1, 1, 9]}
    f.doc['meshes'] = [{'primitives': [
        {'attributes': {'POSITION': f.sparse('VEC3', 3, UBYTE, [2], [0, 1, 9], bufferView=view, **bounds)},
         'targets': [{'POSITION': f.sparse('VEC3', 3, USHORT, [0, 2], [1, 1, 1, 2, 2, 2], **bounds),
                      'NORMAL': f.sparse('VEC3', 3, UINT, [1], [0, 0, 1])},
                     {'TANGENT': f.sparse('VEC3', 3, UBYTE, [0, 1, 2], [1, 0, 0] * 3)}]}]}]
    f.animate((0, 'translation', [0, 1, 2], 'VEC3', f.sparse('VEC3', 3, UBYTE, [1], [4, 5, 6])))
    return f


def quantized():
    f = File(nodes=[{'mesh': 0, 'skin': 0, 'scale': [.1, .1, .1]}, {}, {}], skins=[{'joints': [1, 2]}],
             extensionsUsed=['KHR_mesh_quantization'], extensionsRequired=['KHR_mesh_quantization'])
    f.doc['meshes'] = [{'primitives': [{'attributes': {
        'POSITION': f.accessor('VEC3', SHORT, [0, 0, 0, 32767, 0, 0, 0, -32768, 0], stride=8, normalized=True),
        'NORMAL': f.accessor('VEC3', BYTE, [0, 0, 127] * 3, stride=4, normalized=True),
        'TANGENT': f.accessor('VEC4', BYTE, [127, 0, 0, -127] * 3, normalized=True),
        'TEXCOORD_0': f.accessor('VEC2', UBYTE, [0, 255, 1, 2, 3, 4], stride=4),
        'JOINTS_0': f.accessor('VEC4', UBYTE, [0, 1, 0, 0] * 3),
        'WEIGHTS_0': f.accessor('VEC4', USHORT, [32768, 32767, 0, 0] * 3, normalized=True)},
        'targets': [{'POSITION': f.accessor('VEC3', BYTE, [1, -1, 0] * 3, stride=4)}]}]}]
    f.animate((1, 'rotation', [0, 1], 'VEC4', f.accessor('VEC4', SHORT, [0, 0, 0, 32767, 32767, 0, 0, 0], normalized=True)),
              (0, 'weights', [0, 1], 'SCALAR', f.accessor('SCALAR', UBYTE, [0, 255], normalized=True)))
    return f


def topologies():
    f = File(nodes=[{'mesh': 0}])
    positions = f.floats('VEC3', *[(i * 7) % 5 for i in range(18)])
    kinds = [(0, UBYTE), (1, USHORT), (2, UINT), (3, UBYTE), (4, UINT), (5, USHORT), (6, UBYTE)]
    f.doc['meshes'] = [{'primitives': [{'attributes': {'POSITION': positions}, 'mode': mode,
                                        'indices': f.accessor('SCALAR', kind, [0, 1, 2, 3, 4, 5])} for mode, kind in kinds] +
                        [{'attributes': {'POSITION': positions}, 'mode': mode} for mode in (0, 4, 5)] +
                        [{'attributes': {'TEXCOORD_0': f.floats('VEC2', 0, 0)}}]}]
    return f


def pointers():
    f = File(nodes=[{'mesh': 0}, {}], extensionsUsed=['KHR_animation_pointer'], materials=[{}])
    f.doc['meshes'] = [{'primitives': [{'attributes': {'POSITION': f.floats('VEC3', *TRIANGLE)},
                                        'targets': [{'POSITION': f.floats('VEC3', *TRIANGLE)}] * 3}]}]
    f.animate((None, '/nodes/0/weights/1', [0, 1], 'SCALAR', [0, 1]), (None, '/nodes/0/weights/2', [0, 1], 'SCALAR', [1, 0]),
              (None, '/nodes/1/translation', [0, 1], 'VEC3', [0, 0, 0, 1, 0, 0]),
              (None, '/nodes/1/rotation', [0], 'VEC4', [0, 0, 0, 1]),
              (None, '/materials/0/alphaCutoff', [0, 1], 'SCALAR', [0, 1]))
    f.animate((None, '/nodes/0/weights', [0, 1], 'SCALAR', [0, 1, 0, 1, 0, 1], 'STEP'))
    return f


def rigs():
    """Two rigs and three skins, a mesh shown with two of them, joints in no order, an unskinned child, mirrored."""
    f = File(scenes=[{'nodes': [0, 4, 5, 6]}, {'nodes': [7]}])
    f.doc['nodes'] = [{'children': [2, 1]}, {'children': [3]}, {'mesh': 1}, {'scale': [-1, 1, 1]},
                      {'mesh': 0, 'skin': 0}, {'mesh': 0, 'skin': 1}, {'mesh': 0, 'skin': 2}, {'children': [8]}, {}]
    f.doc['skins'] = [{'joints': [3, 1], 'inverseBindMatrices': f.floats('MAT4', *UNIT * 2)}, {'joints': [1, 0, 3]},
                      {'joints': [8, 7], 'name': 'other', 'skeleton': 7}]
    box = f.floats('VEC3', *TRIANGLE)
    f.doc['meshes'] = [{'primitives': [{'attributes': {
        'POSITION': box, 'JOINTS_0': f.accessor('VEC4', USHORT, [1, 0, 0, 0] * 3),
        'WEIGHTS_0': f.floats('VEC4', *[.75, .25, 0, 0] * 3)}}] * 2}, {'primitives': [{'attributes': {'POSITION': box}}]}]
    f.animate((3, 'rotation', [0, 1, 2], 'VEC4', [0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, -1]),
              (8, 'translation', [1, 2], 'VEC3', [0, 0, 0, 0, 3, 0]), name='both')
    return f


def repairs():
    """What import mends: each finding that a file can have."""
    f = File(nodes=[{'mesh': 0, 'skin': 0, 'rotation': [0, 0, 0, 2]}, {'rotation': [0, 0, 0, 0]}, {'matrix': UNIT},
                    {'matrix': [1, 0, 0, 0, .5, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], 'children': [2]},
                    {'skin': 0}, {'mesh': 1, 'skin': 0}, {'translation': [1e39, 0, 0]}],
             scenes=[{'nodes': [0, 1, 2]}], extensionsUsed=['X', 'X', 'Y'])
    f.doc['skins'] = [{'joints': [1, 2], 'inverseBindMatrices': f.floats('MAT4', *UNIT)}, {'joints': []}]
    attributes = {'POSITION': f.floats('VEC3', NAN, 0, 0, 1, INF, 0, 0, 1, 0),
                  'JOINTS_0': f.accessor('VEC4', UBYTE, [0, 0, 9, 1, 1, 1, 0, 0, 0, 0, 0, 0]),
                  'WEIGHTS_0': f.floats('VEC4', .5, .4, 0, -1, NAN, .5, 0, 0, 0, 0, 0, 0)}
    f.doc['meshes'] = [{'weights': [1, 2], 'primitives': [
        {'attributes': attributes, 'targets': [{'POSITION': f.floats('VEC3', *[NAN] * 9)}],
         'indices': f.accessor('SCALAR', UBYTE, [0, 1, 2, 0, 1, 3])}]},
        {'primitives': [{'attributes': {'POSITION': attributes['POSITION']}, 'mode': 5,
                         'indices': f.accessor('SCALAR', UBYTE, [0, 1, 9])}]}]
    line = [0, 0, 0, 1, 1, 1, 2, 2, 2]
    f.animate((0, 'translation', [-1, 1, 2], 'VEC3', line), (0, 'translation', [0, 1, 2], 'VEC3', line),
              (1, 'scale', [0, 1, 1], 'VEC3', [1, 1, 1, NAN, 1, 1, 2, 2, 2]),
              (1, 'translation', [0, 2, 1], 'VEC3', line), (2, 'rotation', [1, NAN, 3], 'VEC4', [0] * 4 + [2] * 4 + [0, 0, 0, 1]),
              (1, 'rotation', [-2, -1, 1], 'VEC4', [0] * 4 + [0, 0, 0, 1] + [1] * 4 + [0] * 4 + [1, 0, 0, 0] + [0] * 4 +
               [0] * 4 + [0, 1, 0, 0] + [0] * 4, 'CUBICSPLINE'),
              (3, 'scale', [0], 'VEC3', [0] * 3 + [1] * 3 + [0] * 3, 'CUBICSPLINE'), (99, 'scale', [0], 'VEC3', [1] * 3),
              (3, 'weights', [0], 'SCALAR', [1]), (3, 'visible', [0], 'SCALAR', [1]),
              (4, 'scale', [-3, -2, -1], 'VEC3', line), (5, 'weights', [0], 'SCALAR', [1]))
    f.doc['animations'].append({'channels': [], 'samplers': []})
    f.doc['animations'][0]['channels'].append({'sampler': 0, 'target': {'path': 'scale'}})
    return f


def matrices():
    return File(nodes=[{'matrix': [0, 2, 0, 0, -3, 0, 0, 0, 0, 0, 4, 0, 5, 6, 7, 1], 'children': [1], 'camera': 0},
                       {'matrix': [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]},
                       {'matrix': [0] * 15 + [1], 'scale': [1, 2, 3]}, {'matrix': [1e30] * 12 + [0, 0, 0, 1]}],
                cameras=[{'type': 'perspective'}], extras=[1, 2.5, 'x', None, True, {'deep': [[[]]]}])


def vrm():
    humans = {'humanBones': {'hips': {'node': 0}, 'spine': {'node': 1}}}
    return File(nodes=[{'name': 'hips', 'children': [1]}, {'name': 'spine', 'extensions': {'VRMC_node_constraint': {
        'specVersion': '1.0', 'constraint': {'roll': {'source': 0, 'rollAxis': 'X'}}}}}], scenes=[{'nodes': [0]}],
        extensionsUsed=['VRMC_vrm', 'VRM', 'VRMC_springBone', 'VRMC_node_constraint'],
        extensions={'VRMC_vrm': {'specVersion': '1.0', 'humanoid': humans}, 'VRM': {'humanoid': {'humanBones': [
            {'bone': 'hips', 'node': 0}]}, 'secondaryAnimation': {'boneGroups': []}},
            'VRMC_springBone': {'specVersion': '1.0', 'colliders': [
                {'node': 0, 'shape': {'sphere': {'offset': [0, 1, 0], 'radius': 0.5}}},
                {'node': 1, 'shape': {'capsule': {'offset': [0, 0, 0], 'tail': [0, 1, 0], 'radius': 1}}}],
                'colliderGroups': [{'colliders': [0, 1]}], 'springs': [{'name': 'hair', 'center': 0, 'colliderGroups': [0],
                    'joints': [{'node': 0, 'stiffness': 2, 'dragForce': 0.5, 'gravityPower': 1, 'gravityDir': [0, 0, 1],
                                'hitRadius': 0.1}, {'node': 1}]}]}})


def vrm0():
    return File(nodes=[{'children': [1, 2]}, {'children': [3]}, {}, {}], extensionsUsed=['VRM'], extensions={'VRM': {
        'secondaryAnimation': {'boneGroups': [{'comment': 'skirt', 'stiffiness': 1, 'gravityPower': 0.5,
            'gravityDir': {'x': 0, 'y': -1, 'z': 0}, 'dragForce': 0.4, 'center': -1, 'hitRadius': 0.02, 'bones': [0],
            'colliderGroups': [0]}], 'colliderGroups': [{'node': 3, 'colliders': [
                {'offset': {'x': 0, 'y': 1, 'z': 2}, 'radius': 0.1}]}]}}})


def instancing():
    f = File(extensionsUsed=['EXT_mesh_gpu_instancing'])
    f.doc['meshes'] = [{'primitives': [{'attributes': {'POSITION': f.floats('VEC3', *TRIANGLE)}}]}]
    f.doc['nodes'] = [{'mesh': 0, 'extensions': {'EXT_mesh_gpu_instancing': {'attributes': {
        'TRANSLATION': f.floats('VEC3', 0, 0, 0, 2, 0, 0), 'ROTATION': f.floats('VEC4', 0, 0, 0, 1, 0, 0, 1, 0),
        'SCALE': f.floats('VEC3', 1, 1, 1, 2, 2, 2), '_ID': f.accessor('SCALAR', UINT, [3, 4])}}}}]
    return f


def fallbacks():
    """Compressed views and a compressed primitive, each with its plain data beside it."""
    f = File(nodes=[{'mesh': 0}, {'mesh': 1}], extensionsUsed=['EXT_meshopt_compression', 'KHR_draco_mesh_compression'])
    f.doc['meshes'] = [{'primitives': [{'attributes': {'POSITION': f.floats('VEC3', *TRIANGLE)}}]}]
    f.doc['meshes'].append({'primitives': [{'attributes': {'POSITION': f.floats('VEC3', *TRIANGLE)}, 'extensions': {
        'KHR_draco_mesh_compression': {'bufferView': f.view(b'DRACO\x02\x02\x01\x01\0\0'), 'attributes': {'POSITION': 0}}}}]})
    f.doc['bufferViews'][0]['extensions'] = {'EXT_meshopt_compression': {
        'buffer': 0, 'byteOffset': 0, 'byteLength': 36, 'byteStride': 12, 'count': 3, 'mode': 'ATTRIBUTES', 'filter': 'NONE'}}
    return f


def meshopt(extension):
    """Every mode and filter; the views that are unpacked lie in a buffer that is not there."""
    f = File(extensionsUsed=[extension], extensionsRequired=[extension])
    size = 0

    def packed(kind, component, count, stride, stream, mode='ATTRIBUTES', filter='NONE', **more):
        nonlocal size
        at = f.view(stream)
        form = {'buffer': 0, 'byteOffset': f.doc['bufferViews'][at]['byteOffset'], 'byteLength': len(stream),
                'byteStride': stride, 'count': count, 'mode': mode, **({} if filter == 'NONE' else {'filter': filter})}
        f.doc['bufferViews'].append({'buffer': 1, 'byteOffset': size, 'byteLength': stride * count,
                                     **({'byteStride': stride} if kind == 'VEC3' and stride == 4 else {}),
                                     'extensions': {extension: form}})
        size += (stride * count + 3) // 4 * 4
        return f.bare(kind, component, count, bufferView=len(f.doc['bufferViews']) - 1, **more)

    position = packed('VEC3', FLOAT, 4, 12, PACKED_POSITIONS, min=[0, 0, 0], max=[1, 1, 0])
    normal = packed('VEC3', BYTE, 4, 4, PACKED_NORMALS, filter='OCTAHEDRAL', normalized=True)
    triangles = packed('SCALAR', UINT, 6, 4, PACKED_TRIANGLES, 'TRIANGLES')
    indices = packed('SCALAR', USHORT, 6, 2, PACKED_INDICES, 'INDICES')
    turn = packed('VEC4', SHORT, 3, 8, PACKED_ROTATIONS, filter='QUATERNION', normalized=True)
    move = packed('VEC3', FLOAT, 3, 12, PACKED_MOVES, filter='EXPONENTIAL')
    f.doc['meshes'] = [{'primitives': [{'attributes': {'POSITION': position, 'NORMAL': normal}, 'indices': triangles},
                                       {'attributes': {'POSITION': position}, 'indices': indices}]}]
    f.doc['nodes'] = [{'mesh': 0}]
    f.animate((0, 'rotation', [0, 1, 2], 'VEC4', turn), (0, 'translation', [0, 1, 2], 'VEC3', move))
    f.more_buffers = [{'byteLength': size, 'extensions': {extension: {'fallback': True}}}]
    return f


def meshopt_ext():
    return meshopt('EXT_meshopt_compression')


def meshopt_khr():
    return meshopt('KHR_meshopt_compression')


def draco():
    f = File(extensionsUsed=['KHR_draco_mesh_compression'], extensionsRequired=['KHR_draco_mesh_compression'])
    primitives = []
    for stream in (DRACO_EDGEBREAKER, DRACO_SEQUENTIAL):
        view = f.view(stream)
        position = f.bare('VEC3', FLOAT, 4, min=[0, 0, 0], max=[1, 1, 0])
        joints, weights = f.bare('VEC4', UBYTE, 4), f.bare('VEC4', FLOAT, 4)
        primitives.append({'attributes': {'POSITION': position, 'JOINTS_0': joints, 'WEIGHTS_0': weights},
                           'indices': f.bare('SCALAR', USHORT, 6), 'extensions': {'KHR_draco_mesh_compression': {
                               'bufferView': view, 'attributes': {'POSITION': 0, 'JOINTS_0': 1, 'WEIGHTS_0': 2}}}})
    f.doc['meshes'] = [{'primitives': primitives}]
    f.doc['nodes'] = [{'mesh': 0, 'skin': 0}, {'children': [2]}, {'translation': [0, 1, 0]}]
    f.doc['skins'] = [{'joints': [1, 2]}]
    return f


def places():
    """Buffers and images from everywhere: data URIs, files that are there and that are not."""
    f = File(nodes=[{'mesh': 0}])
    doc = f.doc
    doc['buffers'] = [{'uri': 'data:;base64,' + base64.b64encode(struct.pack('<9f', *TRIANGLE)).decode(), 'byteLength': 36},
                      {'uri': 'a.bin', 'byteLength': 400}, {'uri': 'folder/b%20c.bin', 'byteLength': 1}]
    doc['bufferViews'] = [{'buffer': 0, 'byteLength': 36}, {'buffer': 1, 'byteOffset': 4, 'byteLength': 64, 'byteStride': 8},
                          {'buffer': 2, 'byteLength': 1}]
    doc['accessors'] = [{'bufferView': 0, 'componentType': FLOAT, 'type': 'VEC3', 'count': 3, 'min': [0] * 3, 'max': [1] * 3},
                        {'bufferView': 1, 'componentType': UBYTE, 'type': 'VEC4', 'count': 3}]
    doc['meshes'] = [{'primitives': [{'attributes': {'POSITION': 0, 'COLOR_0': 1}}]}]
    doc['images'] = [{'uri': 'data:image/png;base64,' + base64.b64encode(PNG).decode()}, {'uri': 'a.bin', 'name': 'i'},
                     {'uri': 'none.png'}, {'bufferView': 2, 'mimeType': 'image/jpeg'}]
    doc['textures'] = [{'source': 2}, {}]
    return f


def build():
    made = {'gltf': {}, 'glb': {}}
    for maker in (character, sparse, quantized, topologies, pointers, rigs, repairs, instancing, fallbacks,
                  meshopt_ext, meshopt_khr, draco):
        made['gltf'][maker.__name__ + '.glb'] = maker().glb()
    for maker in (sparse, matrices, vrm, vrm0, places):
        f = maker()
        made['gltf'][maker.__name__ + '.gltf'] = json.dumps(f.doc, separators=(',', ':')).encode() if maker is places \
            else f.text()
    made['gltf']['marked.gltf'] = b'\xef\xbb\xbf \n{ "asset" : {"version":"2.1","minVersion":"2.0"},"nodes":[{"name":"\\ud83e\\udd84\\n"}]}'
    # what was found: a collider, and nothing that it could stand at
    made['gltf']['springs_without_nodes.gltf'] = b'{"asset":{"version":"2.0"},"extensionsUsed":["VRMC_springBone"],"extensions":{' \
        b'"VRMC_springBone":{"colliders":[{"node":0,"shape":{"sphere":{"radius":1}}}],"springs":[{"joints":[{"node":0}]}]}}}'
    plain = b'{"asset":{"version":"2.0"},"nodes":[{}]} '.ljust(44)
    with_data = b'{"asset":{"version":"2.0"},"buffers":[{"byteLength":4}],"bufferViews":[{"buffer":0,"byteLength":4}]}'
    with_data += b' ' * (-len(with_data) % 4)
    chunk, other = (BIN_CHUNK, b'\1\2\3\4'), (0x12345678, b'abcd')
    made['glb'] = {
        'no_binary.glb': container([(JSON_CHUNK, plain)]),
        'binary.glb': container([(JSON_CHUNK, with_data), chunk]),
        'empty_binary.glb': container([(JSON_CHUNK, plain), (BIN_CHUNK, b'')]),
        'other_chunks.glb': container([(JSON_CHUNK, with_data), chunk, other, (0x1, b'')]),
        'binary_late.glb': container([(JSON_CHUNK, plain), other, chunk]),
        'two_texts.glb': container([(JSON_CHUNK, plain), (JSON_CHUNK, plain)]),
        'two_binaries.glb': container([(JSON_CHUNK, with_data), chunk, chunk]),
        'binary_first.glb': container([chunk, (JSON_CHUNK, with_data)]),
        'version_1.glb': container([(JSON_CHUNK, plain)], 1),
        'more_behind.glb': container([(JSON_CHUNK, plain)]) + b'more',
        'small.glb': sparse().glb(),
    }
    return made


def main():
    for folder, files in build().items():
        path = os.path.join(HERE, 'corpus', folder)
        os.makedirs(path, exist_ok=True)
        for name, data in files.items():
            with open(os.path.join(path, name), 'wb') as out:
                out.write(data)


if __name__ == '__main__':
    main()
