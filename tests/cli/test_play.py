# SPDX-License-Identifier: MIT
"""sinew play: what a player shows, tick by tick, against what the rules of sinew/set.h give by arithmetic: states, rates, phases,
fades, events. The knight and the wolf are in SINEW_TEST_DATA; without them their tests are skipped."""
import json
import math
import os
import subprocess
import tempfile
import unittest

PROGRAM = os.environ.get('SINEW_PROGRAM', '')
DATA = os.path.join(os.environ.get('SINEW_TEST_DATA', ''), 'data', 'gltf')
SHARE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'share', 'sets')
CREATURE = (os.path.join(SHARE, 'creature.set.json'), '@creature')
KNIGHT = (os.path.join(SHARE, 'knight.set.json'), os.path.join(DATA, 'KayKit_Knight', 'Knight.glb'))
WOLF = (os.path.join(SHARE, 'wolf.set.json'), os.path.join(DATA, 'Quaternius_Wolf', 'Wolf.glb'))
WOLF_PREFIX = ('--prefix', 'AnimalArmature|')
EXACT = 1e-9  # sums of up to a thousand steps in double precision
SINGLE = 2e-6  # weights of blend spaces and fades are single precision


def run(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=120)


def smooth(x):
    return x * x * (3 - 2 * x)


def visits(ticks):
    """States in their order, each with the time of its first tick."""
    found = []
    for tick in ticks:
        if not found or found[-1][0] != tick['state']:
            found.append((tick['state'], tick['time']))
    return found


class Play(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, 'w', encoding='utf-8') as out:
            out.write(text if isinstance(text, str) else json.dumps(text))
        return path

    def script(self, seconds, *steps):
        return self.write('script.json', {'seconds': seconds, 'steps': list(steps)})

    def played(self, what, script, *words, warns=False):
        done = run('play', *what, '--script', script, *words, '--json')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(bool(done.stderr), warns, done.stderr)
        return json.loads(done.stdout)

    def ticks(self, what, script, *words):
        return self.played(what, script, *words)['ticks']

    def durations(self, file, prefix=''):
        answer = json.loads(run('inspect', file, '--json').stdout)
        return {clip['name'][len(prefix):]: clip['duration'] for clip in answer['clips']}

    def assert_near(self, a, b, within=EXACT, message=None):
        self.assertLessEqual(abs(a - b), within, message or (a, b))

    def assert_phase(self, a, b, within=EXACT):
        """0 and 1 are one phase of a loop."""
        self.assertLessEqual(abs((a - b + 0.5) % 1 - 0.5), within, (a, b))

    def refused(self, status, text, *words):
        done = run('play', *words)
        self.assertEqual((done.returncode, done.stdout), (status, ''), done.stderr)
        self.assertIn(text, done.stderr)
        self.assertEqual(done.stderr.count('\n'), 2 if status == 2 else 1)
        return done.stderr

    # ---- When ticks are, and what belongs to them ---------------------------------------------

    def test_times_of_ticks(self):
        for seconds, fps, count in ((6, 60, 361), (0, 60, 1), (0.1, 30, 4), (0.95, 10, 10), (1, 1 / 3, 1), (0.3, 10, 4), (0.7, 1000, 701), (2, 0.5, 2)):
            words = () if fps == 60 else ('--fps', repr(fps))
            ticks = self.ticks(CREATURE, self.script(seconds), *words)
            self.assertEqual([t['time'] for t in ticks], [i / fps for i in range(count)])

    def test_form(self):
        answer = self.played(CREATURE, self.script(0.5, {'at': 0.2, 'set': {'speed': 1}}))
        self.assertEqual(list(answer), ['file', 'sets', 'set', 'findings', 'ticks', 'refused'])
        self.assertEqual((answer['file'], answer['set'], answer['findings'], answer['refused']), ('@creature', 'creature', [], []))
        for tick in answer['ticks']:
            self.assertEqual(list(tick), ['time', 'state', 'choice', 'phase', 'rate', 'fade', 'events'])

    def test_a_step_belongs_to_the_first_tick_not_before_it(self):
        for at, first in ((0.1, 1), (0.1 + 1e-10, 1), (0.1001, 2), (0.05, 1), (0, 0), (0.2, 2), (0.3, 3)):
            ticks = self.ticks(CREATURE, self.script(0.4, {'at': at, 'set': {'speed': 0.66}}), '--fps', '10')
            self.assertEqual([t['state'] for t in ticks].index('move'), first, at)

    def test_without_steps(self):
        ticks = self.ticks(CREATURE, self.write('script.json', '{"seconds": 1}'))
        self.assertEqual({t['state'] for t in ticks}, {'stand'})

    # ---- The creature: walking, running, jumping ---------------------------------------------

    def test_rate_by_ground_and_its_bounds(self):
        duration = self.durations('@creature')
        for speed, clip, rate in ((0.1, 'walk', 0.3),  # 0.1 * 1 / 0.66 = 0.15, below the least
                                  (0.35, 'walk', 0.35 * duration['walk'] / 0.66), (1.39, 'walk', 1.39 * duration['walk'] / 0.66),
                                  (1.4, 'run', duration['run']), (3, 'run', 3 * duration['run'] / 1.4), (9, 'run', 1.6)):
            ticks = self.ticks(CREATURE, self.script(1, {'at': 0.25, 'set': {'speed': speed}}))
            start = 15  # the tick at 0.25
            self.assertEqual([t['state'] for t in ticks], ['stand'] * start + ['move'] * (61 - start))
            self.assertEqual({t['choice'] for t in ticks[start:]}, {clip})
            for tick in ticks[start:]:
                self.assert_near(tick['rate'], rate, 1e-12)
                self.assert_phase(tick['phase'], (tick['time'] - 0.25) * rate / duration[clip])
                self.assert_near(tick['fade'], smooth(min(1, (tick['time'] - 0.25) / 0.2)), SINGLE)

    def test_walk_becomes_run_in_step_and_events_are_told_once(self):
        duration = self.durations('@creature')
        ticks = self.ticks(CREATURE, self.script(4, {'at': 0.5, 'set': {'speed': 0.5}}, {'at': 2, 'set': {'speed': 2}}))
        walk, run_ = 0.5 / 0.66, 2 / 1.4  # phases a second: speed * duration / ground / duration
        at_two = 1.5 * walk
        told = {'walk': [('hind_left', 0), ('front_left', 0.25), ('hind_right', 0.5), ('front_right', 0.75)],
                'run': [('hind_left', 0), ('hind_right', 0.1), ('front_right', 0.34), ('front_left', 0.45)]}
        phase_of = {'walk': lambda time: (time - 0.5) * walk, 'run': lambda time: at_two + (time - 2) * run_}
        for before, tick in zip(ticks, ticks[1:]):
            time = tick['time']
            if time < 0.5:
                self.assertEqual((tick['state'], tick['events']), ('stand', []))
                continue
            self.assertEqual((tick['state'], tick['choice']), ('move', 'walk' if time < 2 else 'run'))
            clip = 'walk' if time <= 2 else 'run'  # what played up to this tick
            low, high = phase_of[clip](before['time']), phase_of[clip](time)
            self.assert_phase(tick['phase'], high)
            expected = ['hind_left'] if time == 0.5 else [
                name for round_ in range(int(low), int(high) + 1) for name, at in told[clip] if time > 0.5 and low < round_ + at <= high]
            self.assertEqual(tick['events'], expected, time)
        self.assertEqual(duration['walk'], 1)  # so that walk and run above are right in clip seconds, too
        self.assert_near(ticks[-1]['rate'], 2 * duration['run'] / 1.4)

    def test_a_jump_hands_over_at_its_very_end(self):
        duration = self.durations('@creature')
        ticks = self.ticks(CREATURE, self.script(4, {'at': 0.5, 'set': {'speed': 1}}, {'at': 1, 'request': 'jump'},
                                                 {'at': 2, 'set': {'speed': 0}}), '--fps', '30')
        end = 1 + duration['jump']
        first = next(i / 30 for i in range(121) if i / 30 >= end)
        self.assertEqual(visits(ticks), [('stand', 0), ('move', 0.5), ('jump', 1), ('stand', first)])
        for tick in ticks:
            if tick['state'] == 'jump':
                self.assert_near(tick['phase'], (tick['time'] - 1) / duration['jump'])
                self.assertEqual(tick['rate'], 1)
            elif tick['time'] > 1:
                self.assert_phase(tick['phase'], (tick['time'] - end) / duration['idle'])
                self.assert_near(tick['fade'], smooth(min(1, (tick['time'] - end) / 0.25)), SINGLE)

    def test_what_is_seen_does_not_depend_on_the_ticks(self):
        script = self.script(5, {'at': 0.5, 'set': {'speed': 0.5}}, {'at': 1, 'set': {'speed': 2}}, {'at': 1.5, 'request': 'jump'},
                             {'at': 2, 'set': {'speed': 0}})
        slow, fast = self.ticks(CREATURE, script, '--fps', '2'), self.ticks(CREATURE, script, '--fps', '200')
        for tick in slow:
            other = fast[round(tick['time'] * 200)]
            self.assertEqual((tick['state'], tick['choice']), (other['state'], other['choice']))
            self.assert_phase(tick['phase'], other['phase'])
        self.assertEqual([e for t in slow for e in t['events']], [e for t in fast for e in t['events']])

    def test_refused_requests(self):
        script = self.script(2, {'at': 0.5, 'set': {'speed': 1}}, {'at': 1, 'request': 'turn'}, {'at': 1.5, 'request': 'jump'})
        answer = self.played(CREATURE, script, warns=True)
        self.assertEqual(answer['refused'], [{'step': 1, 'time': 1, 'request': 'turn', 'message': "no transition leads from 'move' to 'turn'"}])
        self.assertEqual(visits(answer['ticks']), [('stand', 0), ('move', 0.5), ('jump', 1.5)])
        done = run('play', *CREATURE, '--script', script)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr, script + ": steps[1].request: warning: no transition leads from 'move' to 'turn', at 1 s\n")
        self.assertIn('request turn (refused)', done.stdout)

    def test_for_a_person(self):
        done = run('play', *CREATURE, '--script', self.script(3, {'at': 0.5, 'set': {'speed': 0.66}}, {'at': 2, 'request': 'jump'}))
        lines = done.stdout.splitlines()
        self.assertTrue(lines[0].startswith("set 'creature' on rig 0 of @creature, 60 ticks a second"))
        self.assertEqual(lines[1].split(), ['seconds', 'state', 'clip', 'phase', 'rate', 'fade', 'what'])
        self.assertEqual(lines[2].split(), ['0.0000', 'stand', 'idle', '0.0000', '1.0000', '1.0000'])
        self.assertEqual(lines[3].split(None, 6), ['0.5000', 'move', 'walk', '0.0000', '1.0000', '0.0000', 'set speed 0.66, event hind_left'])
        self.assertEqual(lines[4].split(), ['0.7000', 'move', 'walk', '0.2000', '1.0000', '1.0000'])  # the fade is over
        self.assertEqual(lines[5].split(None, 6)[6], 'event front_left')
        self.assertTrue(lines[-1].startswith('181 ticks; stand 0.5 s, move 1.5 s, jump 1 s, '), lines[-1])
        self.assertLess(len(lines), 20)
        self.assertEqual([line for line in lines if line != line.rstrip()], [])

    # ---- Right and wrong use -------------------------------------------------------------------

    def test_predicates_are_what_the_script_says(self):
        sets = self.write('p.set.json', {'version': 1, 'sets': {'p': {
            'predicates': ['wet'], 'parameters': {'loud': False}, 'states': {
                'dry': {'choices': [{'clip': 'walk', 'need': {'loud': True}}, {'clip': 'idle'}]}, 'swim': {'choices': [{'clip': 'run'}]}},
            'transitions': [{'from': 'dry', 'to': 'swim', 'when': {'wet': True}}, {'from': 'swim', 'to': 'dry', 'when': {'wet': False}}]}}})
        script = self.script(3, {'at': 0.5, 'set': {'loud': True}}, {'at': 1, 'set': {'wet': True, 'loud': False}}, {'at': 2, 'set': {'wet': False}})
        ticks = self.ticks((sets, '@creature'), script, '--fps', '2')
        self.assertEqual([(t['state'], t['choice']) for t in ticks],
                         [('dry', 'idle'), ('dry', 'walk'), ('swim', 'run'), ('swim', 'run'), ('dry', 'idle'), ('dry', 'idle'), ('dry', 'idle')])

    def test_missing_clips_are_warnings_and_the_rest_pose(self):
        answer = self.played((CREATURE[0], '@chain:3'), self.script(0.5), warns=True)
        self.assertEqual([(t['choice'], t['phase'], t['rate']) for t in answer['ticks']], [(None, 0, 0)] * 31)
        self.assertEqual({f['code'] for f in answer['findings']}, {'clip_missing', 'state_without_clip'})
        self.assertEqual(len(answer['findings']), 9)
        for finding in answer['findings']:
            self.assertEqual(list(finding), ['severity', 'code', 'where', 'count', 'worst', 'message', 'advice'])
        done = run('play', *CREATURE, '--script', self.script(0.1), '--prefix', 'cat_')
        self.assertEqual(done.returncode, 0)
        self.assertIn(CREATURE[0] + ": sets.creature.states.move.choices[1].clip: warning: the rig has no clip 'cat_walk'\n", done.stderr)
        self.assertIn("@creature: animations: warning: none of the set's clips can be played; the file has 'idle', 'walk', ", done.stderr)

    def test_steps_behind_the_end_are_a_warning(self):
        script = self.script(1, {'at': 0.5, 'set': {'speed': 1}}, {'at': 1.5, 'set': {'speed': 0}})
        done = run('play', *CREATURE, '--script', script)
        self.assertEqual((done.returncode, done.stderr), (0, script + ': steps[1].at: warning: 1.5 is behind the last tick, at 1: never done\n'))

    def test_faults_of_scripts(self):
        for text, place, sentence in (
                ('{', 'line 1, column 2', ''),
                ('{}', 'line 1, column 1', "'seconds' is missing"),
                ('{"seconds": "3"}', 'line 1, column 13, seconds', 'a string'),
                ('{"seconds": -3}', 'line 1, column 13, seconds', '-3; '),
                ('{"seconds": 3,\n "steps": [{"at": -1}]}', 'line 2, column 19, steps[0].at', '-1; '),
                ('{"seconds": 3,\n "steps": [{"at": 1},\n  {"at": 0.5}]}', 'line 3, column 10, steps[1].at', '0.5 is before the step above it, at 1'),
                ('{"seconds": 3, "steps": [{"set": {}}]}', 'line 1, column 26, steps[0]', "'at' is missing"),
                ('{"seconds": 3, "steps": [{"at": 0, "ask": "jump"}]}', 'line 1, column 43, steps[0].ask', 'there is no member \'ask\' here; there are: at set request'),
                ('{"seconds": 3, "steps": [{"at": 0, "request": "fly"}]}', 'line 1, column 47, steps[0].request',
                 "there is no state 'fly'; there are: stand, move, turn, jump"),
                ('{"seconds": 3, "steps": [{"at": 0, "set": {"pace": 1}}]}', 'line 1, column 52, steps[0].set.pace',
                 "the set declares no parameter or predicate 'pace'; its parameters are: speed; its predicates: none"),
                ('{"seconds": 3, "steps": [{"at": 0, "set": {"speed": true}}]}', 'line 1, column 53, steps[0].set.speed', 'a boolean')):
            script = self.write('script.json', text)
            self.assertTrue(self.refused(1, sentence, *CREATURE, '--script', script).startswith('%s: %s: ' % (script, place)), (text, place))
            done = run('play', *CREATURE, '--script', script, '--json')
            answer = json.loads(done.stdout)
            self.assertEqual((done.returncode, answer['file'], answer['findings'][0]['severity']), (1, script, 'error'))

    def test_faults_of_the_other_files(self):
        script = self.script(1)
        bad = self.write('bad.set.json', '{"version": 2, "sets": {}}')
        self.refused(1, 'line 1, column 13, version: version 2', bad, '@creature', '--script', script)
        none = self.write('none.set.json', '{"version": 1, "sets": {}}')
        self.refused(1, 'sets: the file has none', none, '@creature', '--script', script)
        self.refused(1, "sets: there is no set 'cat'; the file has 1: creature", *CREATURE, '--set', 'cat', '--script', script)
        self.refused(1, '@creature: skins: there is no rig 1; the file has 1', *CREATURE, '--rig', '1', '--script', script)
        empty = self.write('empty.gltf', '{"asset": {"version": "2.0"}}')
        self.refused(1, ': skins: the file has no rig', CREATURE[0], empty, '--script', script)
        missing = os.path.join(self.folder, 'missing')
        for words in ((missing, '@creature', '--script', script), (*CREATURE, '--script', missing), (CREATURE[0], missing + '.glb', '--script', script)):
            self.assertTrue(self.refused(1, '', *words).startswith(missing))

    def test_wrong_usage(self):
        script = self.script(1)
        two = self.write('two.set.json', {'version': 1, 'sets': {k: {'states': {'s': {'choices': [{'clip': 'idle'}]}}} for k in 'ab'}})
        self.refused(2, 'SETS.json is missing')
        self.refused(2, 'a FILE is missing', CREATURE[0])
        self.refused(2, '--script SCRIPT.json is missing', *CREATURE)
        self.refused(2, '--set KEY is missing', two, '@creature', '--script', script)
        self.assertEqual(run('play', two, '@creature', '--script', script, '--set', 'b').returncode, 0)
        self.refused(2, 'one word too many', *CREATURE, 'more', '--script', script)
        self.refused(2, "unknown option '--wrap'", *CREATURE, '--script', script, '--wrap', 'loop')
        for fps in ('0', '-1', 'x', '1e6', 'nan', '0.0001', ''):
            self.refused(2, '--fps takes', *CREATURE, '--script', script, '--fps', fps)
        for rig in ('-1', 'x', '1.5', ''):
            self.refused(2, '--rig takes', *CREATURE, '--script', script, '--rig', rig)
        self.refused(2, 'more than 10000000 ticks', *CREATURE, '--script', self.script(1000), '--fps', '1e5')
        self.refused(2, '@nobody', CREATURE[0], '@nobody', '--script', script)
        self.assertEqual(run('help', 'play').stdout, run('play', '--help').stdout)

    # ---- The knight ------------------------------------------------------------------------------

    @unittest.skipUnless(os.path.exists(KNIGHT[1]), 'the knight is not there')
    def test_knight_walks_strafes_and_keeps_step(self):
        duration = self.durations(KNIGHT[1])
        ticks = self.ticks(KNIGHT, self.script(
            4, {'at': 0, 'set': {'grounded': True}}, {'at': 0.5, 'set': {'forward': 4.5, 'speed': 4.5}},
            {'at': 2, 'set': {'side': 3.9, 'forward': 2.25}}, {'at': 3, 'set': {'side': 0, 'forward': -0.73, 'speed': 0.73}}))
        self.assertEqual(visits(ticks), [('stand', 0), ('move', 0.5)])
        by_time = {round(t['time'] * 60): t for t in ticks}
        # on a point of the blend space its clip alone: rate = speed * duration / ground
        for tick in (t for t in ticks if 0.5 <= t['time'] < 2):
            self.assertEqual(tick['choice'], 'Running_A')
            self.assert_near(tick['rate'], 4.5 * duration['Running_A'] / 3.6, SINGLE)
            self.assert_phase(tick['phase'], (tick['time'] - 0.5) * 4.5 / 3.6, 1e-5)

        def marked(clip_from, clip_to, phase):
            """The same way between the same two feet."""
            left, right = clip_from
            into = (phase - left) % 1
            share = into / ((right - left) % 1) if into < (right - left) % 1 else 1 + (into - (right - left) % 1) / ((left - right) % 1)
            left, right = clip_to
            to = left + share * ((right - left) % 1) if share < 1 else right + (share - 1) * ((left - right) % 1)
            return to % 1
        run_marks, strafe, back = (0.16, 0.66), (0.16, 0.65), (0.54, 0.06)
        at_two = marked(run_marks, strafe, (1.5 * 4.5 / 3.6) % 1)
        self.assertEqual(by_time[120]['choice'], 'Running_Strafe_Right')
        self.assert_phase(by_time[120]['phase'], at_two, 1e-5)
        self.assert_near(by_time[120]['rate'], 4.5 * duration['Running_Strafe_Right'] / 3.6, SINGLE)
        at_three = marked(strafe, back, (at_two + 4.5 / 3.6) % 1)
        self.assertEqual(by_time[180]['choice'], 'Walking_Backwards')
        self.assert_phase(by_time[180]['phase'], at_three, 1e-5)
        self.assert_near(by_time[180]['rate'], 0.73 * duration['Walking_Backwards'] / 0.78, SINGLE)
        # left and right foot take turns, whatever the gait
        steps = [e for t in ticks for e in t['events']]
        self.assertEqual(set(steps), {'step_left', 'step_right'})
        self.assertGreaterEqual(len(steps), 7)
        self.assertEqual([a for a, b in zip(steps, steps[1:]) if a == b], [])

    @unittest.skipUnless(os.path.exists(KNIGHT[1]), 'the knight is not there')
    def test_knight_jumps_sits_and_dies(self):
        duration = self.durations(KNIGHT[1])
        script = self.script(
            12, {'at': 0, 'set': {'grounded': True}}, {'at': 0.5, 'request': 'jump'}, {'at': 0.6, 'set': {'grounded': False}},
            {'at': 1.8, 'set': {'grounded': True}}, {'at': 3, 'request': 'sit_down'}, {'at': 6, 'set': {'speed': 0.72, 'forward': 0.72}},
            {'at': 8, 'request': 'attack'}, {'at': 8.2, 'set': {'speed': 0}}, {'at': 10, 'request': 'dead'}, {'at': 11, 'request': 'hit'})
        answer = self.played(KNIGHT, script, warns=True)
        after = lambda at: math.ceil(at * 60 - 1e-6) / 60
        jumped, landed, sat = 0.5 + duration['Jump_Start'], 1.8 + duration['Jump_Land'], 3 + duration['Sit_Floor_Down']
        stood, struck = 6 + duration['Sit_Floor_StandUp'], 8 + duration['1H_Melee_Attack_Chop']
        expected = [('stand', 0), ('jump', 0.5), ('air', after(jumped)), ('land', 1.8), ('stand', after(landed)), ('sit_down', 3), ('sit', after(sat)),
                    ('stand_up', 6), ('move', after(stood)), ('attack', 8), ('stand', after(struck)), ('dead', 10)]
        found = visits(answer['ticks'])
        self.assertEqual([s for s, _ in found], [s for s, _ in expected])
        for (state, time), (_, other) in zip(found, expected):
            self.assert_near(time, other, 1e-9, state)
        self.assertEqual([t['time'] for t in answer['ticks'] if 'strike' in t['events']], [after(8.57)])
        last = answer['ticks'][-1]
        self.assertEqual((last['state'], last['choice'], last['phase']), ('dead', 'Death_A', 1))
        self.assertEqual([(r['step'], r['request']) for r in answer['refused']], [(9, 'hit')])
        # with speed the landing is run through in the tick of its entry
        running = visits(self.ticks(KNIGHT, self.script(
            2, {'at': 0, 'set': {'grounded': True, 'speed': 4.5, 'forward': 4.5}}, {'at': 0.5, 'set': {'grounded': False}},
            {'at': 1, 'set': {'grounded': True}})))
        self.assertEqual(running, [('move', 0), ('air', 0.5), ('move', 1)])

    @unittest.skipUnless(os.path.exists(KNIGHT[1]), 'the knight is not there')
    def test_knight_prefers_what_it_needs(self):
        ticks = self.ticks(KNIGHT, self.script(4, {'at': 0, 'set': {'grounded': True}}, {'at': 0.5, 'set': {'two_handed': True}},
                                               {'at': 1, 'request': 'attack'}, {'at': 1.5, 'set': {'two_handed': False}}), '--fps', '10')
        choices = []
        for tick in ticks:
            if not choices or choices[-1] != tick['choice']:
                choices.append(tick['choice'])
        # a one-shot stays with what it chose on entry
        self.assertEqual(choices, ['Idle', '2H_Melee_Idle', '2H_Melee_Attack_Chop', 'Idle'])

    # ---- The wolf --------------------------------------------------------------------------------

    @unittest.skipUnless(os.path.exists(WOLF[1]), 'the wolf is not there')
    def test_wolf_walks_and_gallops(self):
        duration = self.durations(WOLF[1], 'AnimalArmature|')
        script = self.script(5, {'at': 0.5, 'set': {'speed': 2.4}}, {'at': 2, 'set': {'speed': 4.35}}, {'at': 3, 'set': {'speed': 6.95}},
                             {'at': 4, 'set': {'speed': 12}})
        ticks = self.ticks(WOLF, script, *WOLF_PREFIX)
        self.assertEqual(visits(ticks), [('stand', 0), ('move', 0.5)])
        phase, time, marks = 0, 0.5, {'Walk': 0.82, 'Gallop': 0.45}
        last = 'Walk'
        for speed, gallop, until in ((2.4, 0, 2), (4.35, 0.3, 3), (6.95, 0.7, 4), (12, 1, 5.01)):
            length = (1 - gallop) * duration['Walk'] + gallop * duration['Gallop']
            ground = (1 - gallop) * 2.5 + gallop * 4.8
            rate = min(1.5, speed * length / ground)
            clip = 'Gallop' if gallop > 0.5 else 'Walk'
            phase += marks[clip] - marks[last]  # in step by the one foot
            last = clip
            for tick in (t for t in ticks if time - 1e-9 <= t['time'] < until - 1e-9):
                self.assertEqual(tick['choice'], clip)
                self.assert_near(tick['rate'], rate, SINGLE)
                self.assert_phase(tick['phase'], phase + (tick['time'] - time) * rate / length, 1e-5)
            phase += (until - time) * rate / length
            time = until

    @unittest.skipUnless(os.path.exists(WOLF[1]), 'the wolf is not there')
    def test_wolf_eats_leaps_and_is_hit(self):
        duration = self.durations(WOLF[1], 'AnimalArmature|')
        script = self.script(
            10, {'at': 0.5, 'set': {'eating': True}}, {'at': 2, 'set': {'speed': 8.9}}, {'at': 3, 'request': 'leap'},
            {'at': 5, 'set': {'speed': 0, 'eating': False, 'alert': False}}, {'at': 6, 'request': 'hit_left'}, {'at': 7.5, 'request': 'dead'},
            {'at': 9, 'request': 'stand'})
        answer = self.played(WOLF, script, *WOLF_PREFIX)
        after = lambda at: math.ceil(at * 60 - 1e-6) / 60
        leapt, hurt = after(3 + duration['Gallop_Jump']), after(6 + duration['Idle_HitReact_Left'])
        found = visits(answer['ticks'])
        expected = [('stand', 0), ('eat', 0.5), ('move', 2), ('leap', 3), ('move', leapt), ('stand', 5), ('hit_left', 6), ('stand', hurt),
                    ('dead', 7.5), ('stand', 9)]
        self.assertEqual([s for s, _ in found], [s for s, _ in expected])
        for (state, time), (_, other) in zip(found, expected):
            self.assert_near(time, other, 1e-9, state)
        choices = {t['choice'] for t in answer['ticks'] if t['state'] == 'stand'}
        self.assertEqual(choices, {'Idle', 'Idle_2'})
        # a walking wolf does not stand: no way leads there
        refused = self.played(WOLF, self.script(1, {'at': 0, 'set': {'speed': 2}}, {'at': 0.5, 'request': 'hit_right'}), *WOLF_PREFIX, warns=True)
        self.assertEqual(len(refused['refused']), 1)


if __name__ == '__main__':
    unittest.main()
