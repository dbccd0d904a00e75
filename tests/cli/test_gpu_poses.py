# SPDX-License-Identifier: MIT
"""`sinew pose --path compute` against `--path cpu`: strips whose numbers of vertices lie about the size of a work group, and
every real model that has a skin, morph targets or copies, at three moments of its first clip. Both ways to blend skins.

By hand, with all vertices of all models both ways: test_gpu_poses.py all"""
import json
import os
import struct
import subprocess
import sys

PROGRAM = os.environ['SINEW_PROGRAM']
FOLDER = os.path.join(os.environ.get('SINEW_TEST_DATA', ''), 'data', 'gltf')
EVERYTHING = sys.argv[1:] == ['all']
SHOWN = '4294967295' if EVERYTHING else '150'  # vertices that are written; all are posed
DUAL_MODELS = 1 if EVERYTHING else 5  # every so many models are blended as dual quaternions, too
TIMES = '0.1,0.45,1.3'

# Of the primitive's largest coordinate: sums of some ten products in floats, the CPU's fused, the driver's as it likes.
POSITIONS = 1e-6
# Directions are quotients of such sums, and where a blend has nearly cancelled out their errors grow.
NORMALS = 2e-4


def start(words, **environment):
    return subprocess.Popen([PROGRAM, 'pose', *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            encoding='utf-8', env={**os.environ, **environment})


def run(words, **environment):
    process = start(words, **environment)
    out, err = process.communicate()
    return process.returncode, out, err


def poses(words):
    """Of both paths, which run side by side; None where the file is not to be read at all."""
    both = [start([*words, '--json', '--path', path]) for path in ('cpu', 'compute')]
    (cpu, _), (gpu, err) = [process.communicate() for process in both]
    codes = [process.returncode for process in both]
    assert codes in ([0, 0], [1, 1]), (words, codes, err)
    return (json.loads(cpu), json.loads(gpu)) if codes == [0, 0] else None


def same_but_vertices(a, b, where):
    """All but the vertices is the CPU's in both."""
    for key in ('time', 'local_time', 'nodes'):
        assert a[key] == b[key], (where, key)
    assert len(a['instances']) == len(b['instances']), where
    for x, y in zip(a['instances'], b['instances']):
        assert {k: v for k, v in x.items() if k != 'primitives'} == {k: v for k, v in y.items() if k != 'primitives'}, where
        assert len(x['primitives']) == len(y['primitives']), where
        for p, q in zip(x['primitives'], y['primitives']):
            assert p.keys() == q.keys() and p['vertex_count'] == q['vertex_count'], where
            yield (x['node'], p['index']), p, q


def apart(a, b, where):
    assert len(a) == len(b) and None not in a and None not in b, where
    return max((abs(x - y) for x, y in zip(a, b)), default=0.0)


class Worst:
    """The largest differences so far, each with its place."""

    def __init__(self):
        self.positions = self.normals = self.tangents = (0.0, '')
        self.primitives = self.vertices = 0

    def compare(self, words):
        both = poses(words)
        if not both:
            return False
        cpu, gpu = both
        assert cpu['renderer'].startswith('CPU, ') and gpu['renderer'], (cpu['renderer'], gpu['renderer'])
        assert cpu['clip'] == gpu['clip'] and len(cpu['poses']) == len(gpu['poses'])
        for a, b in zip(cpu['poses'], gpu['poses']):
            for place, p, q in same_but_vertices(a, b, words):
                where = '%s at %g s, node %d, primitive %d' % (' '.join(words), a['time'], *place)
                size = max(map(abs, p['positions']), default=0.0)
                off = apart(p['positions'], q['positions'], where)
                self.positions = max(self.positions, (off / size if size else off, where))
                self.normals = max(self.normals, (apart(p.get('normals', []), q.get('normals', []), where), where))
                self.tangents = max(self.tangents, (apart(p.get('tangents', []), q.get('tangents', []), where), where))
                self.primitives += 1
                self.vertices += len(p['positions']) // 3
        return True

    def check(self, what):
        print('%s: %d primitives, %d vertices; positions %.3g (%s), normals %.3g (%s), tangents %.3g (%s)'
              % (what, self.primitives, self.vertices, *self.positions, *self.normals, *self.tangents))
        assert self.primitives
        assert self.positions[0] <= POSITIONS, self.positions
        assert self.normals[0] <= NORMALS, self.normals
        assert self.tangents[0] <= NORMALS, self.tangents


def at_rest(words):
    """The file's bits: what the CPU has, which is what the file says."""
    cpu, gpu = poses(words)
    out = []
    for place, p, q in same_but_vertices(cpu['poses'][0], gpu['poses'][0], words):
        assert p['positions'] == q['positions'], (words, place)  # as numbers: -0 may be 0
        out.append(q['positions'])
    return out


def check_strips():
    worst = Worst()
    for n in (1, 63, 64, 65, 4096):
        file = '@strip:4:%d' % n
        for skinning in ('linear', 'dual'):
            assert worst.compare([file, '--clip', '0', '--times', TIMES, '--skinning', skinning])
            (positions,) = at_rest([file, '--skinning', skinning])
            # sinew_fixtures.h: a zigzag a quarter of the spacing wide, at heights evenly over three spacings
            for v in range(n):
                x, y, z = positions[3 * v:3 * v + 3]
                assert (x, z) == (-0.125 if v % 2 == 0 else 0.125, 0.0), (n, v, x, z)
                assert abs(y - (3.0 * v / (n - 1) if n > 1 else 0.0)) <= 3e-7, (n, v, y)
    for file in ('@creature', '@bird'):
        assert worst.compare([file, '--clip', '0', '--times', TIMES, '--max-vertices', SHOWN])
    for file in ('@creature', '@cub'):
        assert at_rest([file, '--max-vertices', SHOWN])
    assert at_rest(['@chain:5']) == []  # no mesh
    worst.check('made by code')


def is_animated(path):
    """None: it has neither skins nor morph targets nor copies."""
    data = open(path, 'rb').read()
    if data[:4] == b'glTF':
        data = data[20:20 + struct.unpack('<I', data[12:16])[0]]
    try:
        file = json.loads(data)
    except ValueError:
        return None
    skinned = any('skin' in node for node in file.get('nodes', []))
    morphed = any(p.get('targets') for mesh in file.get('meshes', []) for p in mesh.get('primitives', []))
    copied = 'EXT_mesh_gpu_instancing' in file.get('extensionsUsed', [])
    return (len(file.get('animations', [])) > 0) if skinned or morphed or copied else None


def check_models():
    paths = sorted(os.path.join(folder, name) for folder, _, names in os.walk(FOLDER) for name in names
                   if name.endswith(('.glb', '.gltf', '.vrm')))
    worst, count = Worst(), 0
    for path in paths:
        animated = is_animated(path)
        if animated is None:
            continue
        words = [path, '--times', TIMES, '--wrap', 'loop', '--max-vertices', SHOWN] + (['--clip', '0'] if animated else [])
        if not worst.compare(words):
            continue
        if count % DUAL_MODELS == 0:
            worst.compare([*words, '--skinning', 'dual'])
        count += 1
    worst.check('%d models' % count)


def check_words():
    code, out, err = run(['@creature', '--path', 'compute', '--binding', 'block'])
    assert (code, out) == (2, '') and '--binding block' in err, (code, err)
    for path in ('gpu', 'vertex', ''):
        code, out, err = run(['@creature', '--path', path])
        assert (code, out) == (2, '') and '--path is compute or cpu' in err, (code, err)
    words = ['@strip:3:10', '--clip', '0', '--time', '0.5', '--json']
    plain, named = json.loads(run(words)[1]), json.loads(run([*words, '--path', 'cpu'])[1])
    assert named.pop('renderer').startswith('CPU, ') and plain == named


def check_hidden_driver(there_is_one):
    code, out, err = run(['@strip:3:10', '--path', 'compute', '--json'], __EGL_VENDOR_LIBRARY_FILENAMES='/nonexistent')
    assert (code, out) == (3, ''), (code, out)
    assert err.startswith('sinew pose: --path compute: ') and err.count('\n') == 1, err
    assert not there_is_one or 'libgl1-mesa-dri' in err, err


def main():
    check_words()
    code, out, err = run(['@strip:3:10', '--path', 'compute'])
    if code == 3 or os.path.isdir('/usr/share/glvnd'):  # there is none, or it can be hidden
        check_hidden_driver(code == 0)
    if code == 3:
        print(err.strip())
        sys.exit(77)
    assert code == 0, (code, err)
    print(out.split('\n')[0])
    assert out.startswith('renderer: '), out
    check_strips()
    if not os.path.isdir(FOLDER):
        print('no models at SINEW_TEST_DATA')
        sys.exit(77)
    check_models()


if __name__ == '__main__':
    main()
