# SPDX-License-Identifier: MIT
"""The clips of SINEW_TEST_DATA/data/bar: every sample within the bound, as its own bar.py measures what was decoded; each
clip smaller than the best open codec makes it (baseline.csv), with that codec's goal and with the bound kept; and so many
times smaller than raw by set. Skipped without the data."""
import concurrent.futures
import csv
import glob
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ.get('SINEW_PROGRAM', '')
FOLDER = os.path.join(os.environ.get('SINEW_TEST_DATA', ''), 'data', 'bar')
RATIOS = {'mocap': 18.5, 'game': 17.0, 'stress': 15.5}
ERROR, SHELL = '0.0001', '0.03'


def largest_error(pair):
    """Over all joints and samples of two files, as their own measure has it."""
    sys.path.insert(0, FOLDER)
    sys.dont_write_bytecode = True  # the folder is not ours
    import bar
    raw, decoded = map(bar.load, pair)
    assert raw.parents == decoded.parents and raw.rate == decoded.rate
    return max(map(max, bar.errors(raw, decoded, float(SHELL))))


class Bar(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        done = subprocess.run([PROGRAM, 'compress', '--error', ERROR, '--shell', SHELL, '--decoded', cls.folder.name,
                               '--json', *sorted(glob.glob(os.path.join(FOLDER, '*.bar')))],
                              capture_output=True, text=True, timeout=280)
        assert done.returncode == 0, done.stderr
        cls.clips = {clip['name']: clip for clip in json.loads(done.stdout)['clips']}
        with open(os.path.join(FOLDER, 'baseline.csv'), newline='') as f:
            cls.baseline = {row['clip']: row for row in csv.DictReader(f)}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_all_are_there(self):
        self.assertEqual(sorted(self.clips), sorted(self.baseline))
        for name, clip in self.clips.items():
            row = self.baseline[name]
            self.assertEqual((clip['joint_count'], clip['sample_count'], clip['raw_bytes']),
                             (int(row['joints']), int(row['samples']), int(row['raw_bytes'])))
            self.assertLessEqual(clip['max_error'], float(ERROR), name)

    def test_every_sample_is_within_the_bound(self):
        pairs = [(os.path.join(FOLDER, name + '.bar'), os.path.join(self.folder.name, name + '.bar'))
                 for name in self.clips]
        with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
            for (raw, _), error in zip(pairs, pool.map(largest_error, pairs)):
                self.assertLessEqual(error, float(ERROR), raw)

    def test_smaller_than_the_best_open_codec(self):
        for name, clip in self.clips.items():
            for column in ('acl_bytes', 'acl_bound_bytes'):
                if self.baseline[name][column]:
                    self.assertLess(clip['bytes'], int(self.baseline[name][column]), name)

    def test_ratios_by_set(self):
        for kind, least in RATIOS.items():
            clips = [clip for name, clip in self.clips.items() if self.baseline[name]['set'] == kind]
            ratio = sum(c['raw_bytes'] for c in clips) / sum(c['bytes'] for c in clips)
            self.assertGreaterEqual(ratio, least, kind)


if __name__ == '__main__':
    if not os.path.exists(os.path.join(FOLDER, 'baseline.csv')):
        sys.exit(77)
    unittest.main()
