# SPDX-License-Identifier: MIT
"""sinew inspect FILE --on OTHER: what it says, and that it says no other numbers than node names in the files' JSON give.
The KayKit kits are in SINEW_TEST_DATA; without them their test is skipped."""
import json
import os
import struct
import subprocess
import tempfile
import unittest

PROGRAM = os.environ.get('SINEW_PROGRAM', '')
DATA = os.path.join(os.environ.get('SINEW_TEST_DATA', ''), 'data', 'gltf')
KITS = ['KayKit_Knight/Knight.glb', 'KayKit_Manny/manny_med_mod.gltf', 'KayKit_Clips/Med_CombatMelee.glb',
        'KayKit_Clips/Med_General.glb', 'KayKit_Clips/Med_MovementAdvanced.glb', 'KayKit_Clips/Med_MovementBasic.glb',
        'KayKit_Clips/Med_Special.glb']
PROPERTIES = ('translation', 'rotation', 'scale')


def run(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=120)


def read_gltf(path):
    with open(path, 'rb') as f:
        data = f.read()
    if data[:4] == b'glTF':
        size, = struct.unpack_from('<I', data, 12)
        data = data[20:20 + size]
    return json.loads(data)


def rig_names(doc):
    """Names of the joints of a file's only rig: joints of its skins and all above them."""
    parents = {c: p for p, node in enumerate(doc['nodes']) for c in node.get('children', [])}
    rig = set()
    for skin in doc['skins']:
        for node in skin['joints']:
            while node is not None:
                rig.add(node)
                node = parents.get(node)
    return [doc['nodes'][node].get('name', '') for node in rig]


def tracks_of(doc, animation):
    """(name of the node, property) of each channel."""
    return [(doc['nodes'][c['target']['node']].get('name', ''), c['target']['path']) for c in animation['channels']]


def names_of(lines):
    """Report lines as a set of (name, property)."""
    return {(line['name'], p) for line in lines for p in line['properties']}


class InspectOn(unittest.TestCase):
    def json(self, *words):
        done = run(*words, '--json')
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_kits_on_each_others_rigs(self):
        paths = [os.path.join(DATA, kit) for kit in KITS]
        for path in paths:
            if not os.path.exists(path):
                self.skipTest(path + ' is not there')
        checked = 0
        for clips_path in paths:
            clips = read_gltf(clips_path)
            if not clips.get('animations'):
                continue
            for rig_path in paths:
                joints = rig_names(read_gltf(rig_path))
                self.assertEqual(len(joints), len(set(joints)))
                on = self.json('inspect', clips_path, '--on', rig_path)['on']
                self.assertEqual(on['file'], rig_path)
                self.assertEqual(len(on['rigs']), 1)
                rig = on['rigs'][0]
                self.assertEqual(rig['joint_count'], len(joints))
                self.assertEqual(len(rig['clips']), len(clips['animations']))
                for i, (got, animation) in enumerate(zip(rig['clips'], clips['animations'])):
                    tracks = tracks_of(clips, animation)
                    matched = [t for t in tracks if t[0] in joints]
                    self.assertEqual((got['index'], got['name']), (i, animation['name']))
                    self.assertEqual(got['track_count'], len(tracks))
                    self.assertEqual(got['moving_track_count'], len(matched))
                    self.assertEqual(got['unmatched_track_count'], len(tracks) - len(matched))
                    self.assertEqual(got['repeated_track_count'] + got['weight_track_count'], 0)
                    self.assertEqual(got['moved_joint_count'], len({t[0] for t in matched}))
                    self.assertEqual(names_of(got['unmatched']), {t for t in tracks if t[0] not in joints})
                    self.assertEqual({line['name'] for line in got['resting']}, set(joints) - {t[0] for t in tracks})
                    checked += 1
        self.assertEqual(checked, 7 * (76 + 22 + 15 + 13 + 11 + 15))

    def test_numbers_that_stand_in_the_file(self):
        # By hand: the Knight has 42 joints, the mannequin 22, all of them the Knight's but the root `Rig_Medium` for `Rig`.
        # The Knight's rig has 20 nodes more: two hand slots and 18 of inverse kinematics.
        knight, manny = (os.path.join(DATA, kit) for kit in KITS[:2])
        if not os.path.exists(knight):
            self.skipTest(knight + ' is not there')
        rig = self.json('inspect', knight, '--on', manny)['on']['rigs'][0]
        self.assertEqual((rig['name'], rig['joint_count'], len(rig['clips'])), ('Rig_Medium', 22, 76))
        for clip in rig['clips']:
            self.assertEqual(clip['moved_joint_count'], 21)
            self.assertEqual([line['name'] for line in clip['resting']], ['Rig_Medium'])
            self.assertEqual(len(clip['unmatched']), 20)
        done = run('inspect', knight, '--on', manny)
        self.assertEqual(done.returncode, 0)
        lines = done.stdout.splitlines()
        self.assertIn("76 clips of " + knight + " on rig 0 'Rig_Medium' of " + manny, lines[0])
        self.assertEqual(lines[2].split(), ['0', '63', '/', '123', '21', '/', '22', "'1H_Melee_Attack_Chop'"])
        self.assertIn('  no joint for: handslot.l, handslot.r, ', done.stdout)
        self.assertTrue(done.stdout.endswith('  moved by no clip: Rig_Medium\n'))

    def test_a_character_on_itself(self):
        whole = self.json('inspect', '@creature', '--on', '@creature')
        plain = self.json('inspect', '@creature')
        on = whole.pop('on')
        self.assertEqual(whole, plain)  # what inspect says anyway stays
        for clip in on['rigs'][0]['clips']:
            self.assertEqual((clip['unmatched'], clip['repeated']), ([], []))
            self.assertEqual(clip['moving_track_count'] + clip['weight_track_count'], clip['track_count'])
            self.assertEqual(clip['moved_joint_count'] + len(clip['resting']), on['rigs'][0]['joint_count'])
        self.assertNotIn('no joint for', run('inspect', '@creature', '--on', '@creature').stdout)

    def test_nothing_in_common(self):
        rig = self.json('inspect', '@creature', '--on', '@chain:3')['on']['rigs'][0]
        for clip in rig['clips']:
            self.assertEqual(clip['moving_track_count'], 0)
            self.assertEqual([line['joint'] for line in clip['resting']], [0, 1, 2])
            self.assertEqual([line['name'] for line in clip['resting']], ['j0', 'j1', 'j2'])
        self.assertTrue(run('inspect', '@creature', '--on', '@chain:3').stdout.endswith('  moved by no clip: j0, j1, j2\n'))

    def refused(self, status, says, *words):
        done = run('inspect', *words)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertIn(says, done.stderr)
        self.assertEqual(done.stdout, '')
        if status == 1:
            self.assertEqual(done.stderr.count('\n'), 1)
            done = run('inspect', *words, '--json')
            self.assertEqual(done.returncode, 1)
            found = json.loads(done.stdout)
            self.assertEqual(found['findings'][0]['severity'], 'error')
            return found

    def test_wrong_input(self):
        with tempfile.TemporaryDirectory() as folder:
            empty, missing = os.path.join(folder, 'empty.gltf'), os.path.join(folder, 'missing.glb')
            with open(empty, 'w', encoding='utf-8') as f:
                json.dump({'asset': {'version': '2.0'}, 'nodes': [{'name': 'alone'}]}, f)
            found = self.refused(1, missing + ': ', '@creature', '--on', missing)
            self.assertEqual(found['file'], missing)
            found = self.refused(1, empty + ': skins: ', '@creature', '--on', empty)
            self.assertEqual((found['file'], found['findings'][0]['where']), (empty, 'skins'))
            found = self.refused(1, empty + ': animations: ', empty, '--on', '@creature')
            self.assertEqual((found['file'], found['findings'][0]['code']), (empty, 'not_found'))
        self.refused(2, "a value is missing after '--on'", '@creature', '--on')
        self.refused(2, '@nobody', '@creature', '--on', '@nobody')
        self.refused(2, '--joints and --on', '@creature', '--joints', '--on', '@creature')


if __name__ == '__main__':
    unittest.main()
