# SPDX-License-Identifier: MIT
"""World places of joints in real motion capture files, against an independent reading of the files: a parser and forward
kinematics in plain Python, all in double. 200 random frames of each file, to 1e-5 of the figure's height.

A moment is the frame's own time as clips keep it, a float: there the pose is the frame's, whatever lies between frames."""
import json
import math
import os
import random
import struct
import subprocess
import sys

PROGRAM = os.environ['SINEW_PROGRAM']
FOLDER = os.path.join(os.environ.get('SINEW_TEST_DATA', ''), 'data', 'bvh')
FRAMES = 200
TOLERANCE = 1e-5  # of the height: floats of 24 bits along some ten joints, as far from the origin as a room is wide
SEED = 20240607


def parse(path):
    """Joints as (name, parent, offset, [(kind, axis, column)]), lines of the motion, seconds of a frame."""
    head, _, motion = open(path, encoding='utf-8').read().partition('MOTION')
    words = head.split()
    joints, stack, column, at = [], [], 0, 1
    while at < len(words):
        word = words[at]
        if word in ('ROOT', 'JOINT', 'End'):
            name = words[at + 1] if word != 'End' else joints[stack[-1]][0] + '_End'
            joints.append((name, stack[-1] if stack else -1, [0.0, 0.0, 0.0], []))
            at += 2
        elif word == '{':
            stack.append(len(joints) - 1)
            at += 1
        elif word == '}':
            stack.pop()
            at += 1
        elif word == 'OFFSET':
            joints[stack[-1]][2][:] = map(float, words[at + 1:at + 4])
            at += 4
        else:
            assert word == 'CHANNELS', word
            count = int(words[at + 1])
            for channel in words[at + 2:at + 2 + count]:
                joints[stack[-1]][3].append((channel[1:], 'XYZ'.index(channel[0]), column))
                column += 1
            at += 2 + count
    lines = [line for line in motion.split('\n') if line.strip()]
    assert lines[0].startswith('Frames:') and lines[1].startswith('Frame Time:')
    assert int(lines[0][7:]) == len(lines) - 2
    return joints, lines[2:], float(lines[1][11:])


IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
RADIANS = math.pi / 180.0


def turned(r, axis, degrees):
    """A rotation (rows) times a turn about an axis of its own: two columns turn towards each other."""
    a0, a1, a2, a3, a4, a5, a6, a7, a8 = r
    c, s = math.cos(degrees * RADIANS), math.sin(degrees * RADIANS)
    if axis == 0:  # y goes to z
        return a0, a1 * c + a2 * s, a2 * c - a1 * s, a3, a4 * c + a5 * s, a5 * c - a4 * s, a6, a7 * c + a8 * s, a8 * c - a7 * s
    if axis == 1:  # z goes to x
        return a0 * c - a2 * s, a1, a2 * c + a0 * s, a3 * c - a5 * s, a4, a5 * c + a3 * s, a6 * c - a8 * s, a7, a8 * c + a6 * s
    return a0 * c + a1 * s, a1 * c - a0 * s, a2, a3 * c + a4 * s, a4 * c - a3 * s, a5, a6 * c + a7 * s, a7 * c - a6 * s, a8


def places(joints, values):
    """World places of all joints, and their rotations: parents come first."""
    out = []
    for _, parent, (x, y, z), channels in joints:
        px, py, pz, r = out[parent] if parent >= 0 else (0.0, 0.0, 0.0, IDENTITY)
        p = r
        for kind, axis, column in channels:
            if kind == 'rotation':
                if values[column] != 0.0:
                    r = turned(r, axis, values[column])
            elif axis == 0:
                x = values[column]
            elif axis == 1:
                y = values[column]
            else:
                z = values[column]
        out.append((px + p[0] * x + p[1] * y + p[2] * z, py + p[3] * x + p[4] * y + p[5] * z,
                    pz + p[6] * x + p[7] * y + p[8] * z, r))
    return out


def single(x):
    return struct.unpack('<f', struct.pack('<f', x))[0]


def check(name):
    """The largest distance, in heights, and where."""
    path = os.path.join(FOLDER, name)
    joints, lines, seconds = parse(path)
    chosen = sorted(random.Random(SEED + len(lines)).sample(range(len(lines)), min(FRAMES, len(lines))))
    rate = 1.0 / seconds
    moments = ','.join('%.17g' % single(k / rate) for k in chosen)
    done = subprocess.run([PROGRAM, 'pose', path, '--clip', '0', '--times', moments, '--json'], stdout=subprocess.PIPE, check=True)
    poses = json.loads(done.stdout)['poses']
    assert len(poses) == len(chosen)
    heights = [p[1] for p in places(joints, [0.0] * sum(len(j[3]) for j in joints))]
    height = max(heights) - min(heights)
    assert height > 0.0
    worst = (0.0, '')
    for k, pose in zip(chosen, poses):
        nodes = pose['nodes']
        assert len(nodes) == len(joints)
        for joint, (x, y, z, r), node in zip(joints, places(joints, [float(v) for v in lines[k].split()]), nodes):
            m = node['world']
            away = max(abs(m[12] - x), abs(m[13] - y), abs(m[14] - z)) / height
            # the turn too: the diagonal of the matrix and two more tell a rotation apart
            turn = max(abs(m[0] - r[0]), abs(m[1] - r[3]), abs(m[5] - r[4]), abs(m[6] - r[7]), abs(m[10] - r[8]))
            if not max(away, turn) <= worst[0]:
                worst = (max(away, turn), '%s, frame %d, %s' % (name, k, joint[0]))
            assert node['name'] == joint[0], (node['name'], joint[0])
    return worst


def main():
    if not os.path.isdir(FOLDER):
        print('no files at SINEW_TEST_DATA')
        sys.exit(77)
    names = sorted(n for n in os.listdir(FOLDER) if n.endswith('.bvh'))
    assert names
    worst = max(check(name) for name in names)
    print('%d files, worst %.2g: %s' % (len(names), worst[0], worst[1]))
    if not worst[0] <= TOLERANCE:
        sys.exit('that is more than %g' % TOLERANCE)


if __name__ == '__main__':
    main()
