# SPDX-License-Identifier: MIT
"""share/set.schema.json says what the program says. The example sets pass both; a list of wrong files is refused by both;
of some hundred files with one thing changed, what the schema refuses the program refuses, and what the program refuses for
reasons that a schema can see, the schema refuses. Needs python3-jsonschema."""
import copy
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

try:
    from jsonschema import Draft202012Validator
except ImportError:
    print('python3-jsonschema is not installed')
    sys.exit(77)

PROGRAM = os.environ.get('SINEW_PROGRAM', '')
SHARE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'share')
SETS = [os.path.join(SHARE, 'sets', name) for name in sorted(os.listdir(os.path.join(SHARE, 'sets')))]
with open(os.path.join(SHARE, 'set.schema.json'), encoding='utf-8') as schema_file:
    SCHEMA = json.load(schema_file)
SCHEMA_VALIDATOR = Draft202012Validator(SCHEMA)

# One of everything.
WHOLE = {
    '$schema': 's', 'version': 1, 'sets': {'a': {
        'note': 'n', 'start': 's',
        'parameters': {'x': 1, 'y': {'default': 1, 'min': 0, 'max': 2}, 'b': True, 'z': {}},
        'predicates': ['p', 'q'],
        'clips': {'c': {'notifies': [{'name': 'n', 'at': 0.5}, {'name': 'm', 'phase': 1}],
                        'markers': [{'name': 'l', 'phase': 0}, {'name': 'r', 'phase': 0.5}]},
                  'd': {'markers': [{'name': 'l', 'at': 0}, {'name': 'r', 'at': 5}]}, 'e': {}},
        'states': {
            's': {'note': 'n', 'fade': 0.1, 'kind': 'cut', 'curve': 'linear', 'choices': [
                {'clip': 'c', 'need': {'x': {'min': 0, 'max': 2}, 'y': 1, 'b': False, 'p': True}, 'rate': -2},
                {'clip': 'd', 'rate_by': 'x', 'ground': 0.5, 'rate_min': 0.1, 'rate_max': 3},
                {'blend': {'by': 'x', 'points': [{'clip': 'c', 'at': 0, 'ground': 1}, {'clip': 'd', 'at': 1, 'ground': 2}]},
                 'rate_by': 'y'},
                {'blend': {'by': ['x'], 'points': [{'clip': 'c', 'at': 0}, {'clip': 'd', 'at': 1}]}},
                {'blend': {'by': ['x', 'y'], 'points': [{'clip': 'c', 'at': [0, 0]}, {'clip': 'd', 'at': [1, 0]},
                                                        {'clip': 'e', 'at': [0, 1]}]}, 'rate': 2}]},
            't': {'loop': False, 'choices': [{'clip': 'e'}], 'next': 's'},
            'u': {'loop': False, 'choices': [{'clip': 'e'}], 'next': {'to': 's', 'fade': 0, 'kind': 'cross', 'curve': 'smooth'}}},
        'transitions': [
            {'from': '*', 'to': 't', 'fade': 1, 'kind': 'inertialize', 'curve': 'ease_in', 'note': 'n', 'when': {'q': False}},
            {'from': 's', 'to': 'u', 'when': {}}, {'from': '*', 'to': 's', 'sync': False}]}}}

REMOVE = object()


def at(file, path):
    for key in path:
        file = file[key]
    return file


def changed(path, value):
    file = copy.deepcopy(WHOLE)
    inside = at(file, path[:-1])
    if value is REMOVE:
        del inside[path[-1]]
    elif isinstance(inside, list) and path[-1] == len(inside):
        inside.append(value)
    else:
        inside[path[-1]] = value
    return file


SET = ('sets', 'a')
STATES = SET + ('states',)
CHOICES = STATES + ('s', 'choices')
# Wrong in a way that a schema can say.
WRONG = [
    (('version',), REMOVE), (('version',), 2), (('version',), '1'), (('sets',), REMOVE), (('sets',), []), (('more',), 1),
    (('$schema',), ''), (('$schema',), 1), (('sets', ''), WHOLE['sets']['a']), (SET, []), (SET + ('sates',), {}), (SET + ('note',), ''),
    (SET + ('parameters',), []), (SET + ('parameters', ''), 1), (SET + ('parameters', 'x'), 'one'), (SET + ('parameters', 'x'), 2e9),
    (SET + ('parameters', 'x'), None), (SET + ('parameters', 'y', 'step'), 1), (SET + ('parameters', 'y', 'min'), '0'),
    (SET + ('parameters', 'y', 'max'), True), (SET + ('parameters', 'y', 'default'), 1e10), (SET + ('predicates',), {}),
    (SET + ('predicates',), ['p', 'q', 'p']), (SET + ('predicates', 2), ''), (SET + ('predicates', 2), 1),
    (SET + ('clips',), []), (SET + ('clips', ''), {}), (SET + ('clips', 'c', 'events'), []), (SET + ('clips', 'c', 'notifies'), {}),
    (SET + ('clips', 'c', 'notifies', 0), {'name': 'n'}), (SET + ('clips', 'c', 'notifies', 0), {'at': 1}),
    (SET + ('clips', 'c', 'notifies', 0), {'name': 'n', 'at': 1, 'phase': 1}),
    (SET + ('clips', 'c', 'notifies', 0), {'name': 'n', 'phase': 1.5}), (SET + ('clips', 'c', 'notifies', 0), {'name': 'n', 'at': -1}),
    (SET + ('clips', 'c', 'notifies', 0), {'name': 'n', 'at': 2e6}), (SET + ('clips', 'c', 'notifies', 0), {'name': '', 'at': 1}),
    (SET + ('clips', 'c', 'notifies', 0), {'name': 'n', 'at': 1, 'data': 1}), (SET + ('clips', 'c', 'notifies', 0), 1),
    (SET + ('clips', 'c', 'markers', 1), {'name': 'r', 'at': 0.5}), (SET + ('clips', 'c', 'markers'), [{'name': 'x', 'phase': 0.1}] * 257),
    (SET + ('start',), ''), (SET + ('start',), 0), (SET + ('states',), REMOVE), (SET + ('states',), {}), (SET + ('states',), []),
    (STATES + ('*',), {'choices': [{'clip': 'c'}]}), (STATES + ('',), {'choices': [{'clip': 'c'}]}), (STATES + ('s',), 'c'),
    (STATES + ('s', 'choices'), REMOVE), (STATES + ('s', 'choices'), []), (STATES + ('s', 'choices'), {}), (STATES + ('s', 'loops'), True),
    (STATES + ('s', 'loop'), 1), (STATES + ('s', 'fade'), -0.1), (STATES + ('s', 'fade'), 3601), (STATES + ('s', 'fade'), '0.2'),
    (STATES + ('s', 'kind'), 'fade'), (STATES + ('s', 'curve'), 'cubic'), (STATES + ('s', 'kind'), 1), (STATES + ('s', 'note'), 1),
    (STATES + ('s', 'next'), 't'), (STATES + ('t', 'loop'), True), (STATES + ('t', 'loop'), REMOVE), (STATES + ('t', 'next'), 1),
    (STATES + ('t', 'next'), '*'), (STATES + ('u', 'next', 'to'), REMOVE), (STATES + ('u', 'next', 'sync'), True),
    (STATES + ('u', 'next', 'kind'), 'x'), (CHOICES + (0,), 'c'), (CHOICES + (0,), {}), (CHOICES + (0, 'clip'), ''),
    (CHOICES + (0, 'clip'), 1), (CHOICES + (0, 'clip'), REMOVE), (CHOICES + (0, 'blend'), WHOLE['sets']['a']['states']['s']['choices'][3]['blend']),
    (CHOICES + (0, 'speed'), 1), (CHOICES + (0, 'rate'), 1001), (CHOICES + (0, 'rate'), '1'), (CHOICES + (0, 'ground'), 1),
    (CHOICES + (0, 'rate_min'), 1), (CHOICES + (0, 'rate_max'), 1), (CHOICES + (0, 'rate_by'), 'x'), (CHOICES + (1, 'rate'), 1),
    (CHOICES + (1, 'ground'), 0), (CHOICES + (1, 'ground'), -1), (CHOICES + (1, 'ground'), 2e6), (CHOICES + (1, 'ground'), REMOVE),
    (CHOICES + (1, 'ground'), '1'), (CHOICES + (1, 'rate_by'), REMOVE), (CHOICES + (1, 'rate_by'), 1), (CHOICES + (1, 'rate_max'), 2000),
    (CHOICES + (2, 'ground'), 1), (CHOICES + (2, 'rate_by'), REMOVE), (CHOICES + (2, 'blend', 'points', 0, 'ground'), REMOVE),
    (CHOICES + (2, 'blend', 'points', 1, 'ground'), 0), (CHOICES + (3, 'blend', 'points', 1, 'ground'), 1), (CHOICES + (2, 'blend', 'by'), REMOVE),
    (CHOICES + (2, 'blend', 'by'), []), (CHOICES + (2, 'blend', 'by'), 1), (CHOICES + (2, 'blend', 'by'), ['x', 'y', 'z']),
    (CHOICES + (2, 'blend', 'by'), ['x', 'x']), (CHOICES + (2, 'blend', 'by'), ['x', 'y']), (CHOICES + (2, 'blend', 'points'), REMOVE),
    (CHOICES + (2, 'blend', 'points'), {}), (CHOICES + (2, 'blend', 'mode'), 'x'), (CHOICES + (2, 'blend', 'points', 1), REMOVE),
    (CHOICES + (2, 'blend', 'points', 0, 'at'), [0]), (CHOICES + (2, 'blend', 'points', 0, 'at'), REMOVE),
    (CHOICES + (2, 'blend', 'points', 0, 'at'), '0'), (CHOICES + (2, 'blend', 'points', 0, 'clip'), REMOVE), (CHOICES + (2, 'blend', 'points', 0, 'x'), 1),
    (CHOICES + (4, 'blend', 'by'), 'x'), (CHOICES + (4, 'blend', 'points', 2), REMOVE), (CHOICES + (4, 'blend', 'points', 0, 'at'), 0),
    (CHOICES + (4, 'blend', 'points', 0, 'at'), [0, 0, 0]), (CHOICES + (4, 'blend', 'points', 0, 'at'), [0, '0']),
    (CHOICES + (0, 'need'), []), (CHOICES + (0, 'need', 'x'), 'y'), (CHOICES + (0, 'need', 'x'), {'least': 1}), (CHOICES + (0, 'need', 'x'), {'min': '1'}),
    (CHOICES + (0, 'need', 'y'), None), (CHOICES + (0, 'need', 'x'), 1e10), (SET + ('transitions',), {}), (SET + ('transitions', 0), 's'),
    (SET + ('transitions', 0, 'from'), REMOVE), (SET + ('transitions', 0, 'to'), REMOVE), (SET + ('transitions', 0, 'to'), '*'),
    (SET + ('transitions', 0, 'from'), ''), (SET + ('transitions', 0, 'from'), 1), (SET + ('transitions', 0, 'fade'), -1),
    (SET + ('transitions', 0, 'kind'), 'blend'), (SET + ('transitions', 0, 'curve'), ''), (SET + ('transitions', 0, 'sync'), 1),
    (SET + ('transitions', 0, 'when'), True), (SET + ('transitions', 0, 'if'), {}), (SET + ('transitions', 0, 'note'), ''),
    (SET + ('transitions', 0, 'when', ''), True)]

# Wrong in a way that only the program sees, and right although it looks wrong.
WRONG_FOR_THE_PROGRAM = [
    (SET + ('start',), 'x'), (STATES + ('t', 'next'), 'x'), (CHOICES + (1, 'rate_by'), 'speed'), (CHOICES + (0, 'need', 'speed'), 1),
    (CHOICES + (0, 'need', 'b'), 1), (CHOICES + (0, 'need', 'y'), 3), (CHOICES + (0, 'need', 'p'), 1), (SET + ('parameters', 'y', 'min'), 3),
    (SET + ('predicates', 2), 'x'), (SET + ('clips', 'c', 'markers', 1, 'phase'), 0), (SET + ('transitions', 1, 'to'), 's'),
    (CHOICES + (2, 'blend', 'points', 0, 'at'), 1), (CHOICES + (4, 'blend', 'points', 2, 'at'), [2, 0]),
    (CHOICES + (1, 'rate_min'), 4), (SET + ('transitions', 1, 'sync'), True)]
RIGHT = [
    (SET + ('note',), REMOVE), (SET + ('clips', 'f'), {}), (SET + ('transitions',), []), (SET + ('transitions',), REMOVE), (('sets',), {}),
    (('version',), 1.0), (CHOICES + (0, 'need'), {}), (CHOICES + (0, 'need', 'x'), {}), (STATES + ('t', 'next'), REMOVE),
    (STATES + ('s', 'fade'), 0), (STATES + ('s', 'fade'), 3600), (SET + ('parameters', 'a b.c'), -1e9), (CHOICES + (1, 'ground'), 1e6),
    (SET + ('predicates',), ['p', 'q', 'r']), (('$schema',), REMOVE)]


class Schema(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def program(self, file):
        """The code that the program refuses a file with; None where it takes it."""
        path = os.path.join(self.folder.name, 'test.set.json')
        with open(path, 'w', encoding='utf-8') as out:
            json.dump(file, out)
        done = subprocess.run([PROGRAM, 'inspect', path, '--json'], capture_output=True, text=True, timeout=60)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        answer = json.loads(done.stdout)
        if done.returncode == 0:
            return None
        self.assertEqual(answer['findings'][0]['severity'], 'error')
        return answer['findings'][0]['code']

    def test_schema_is_one(self):
        Draft202012Validator.check_schema(SCHEMA)

    def test_examples_are_right(self):
        self.assertGreaterEqual(len(SETS), 3)
        for path in SETS:
            with open(path, encoding='utf-8') as file:
                example = json.load(file)
            self.assertEqual([e.message for e in SCHEMA_VALIDATOR.iter_errors(example)], [], path)
            done = subprocess.run([PROGRAM, 'inspect', path, '--json'], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)['findings'], [], path)
            # the schema lies where the file says
            self.assertTrue(os.path.exists(os.path.join(os.path.dirname(path), example['$schema'])))

    def test_canonical_texts_are_right(self):
        for path in SETS:
            done = subprocess.run([PROGRAM, 'inspect', path, '--canonical'], capture_output=True, text=True, timeout=60)
            self.assertTrue(SCHEMA_VALIDATOR.is_valid(json.loads(done.stdout)), path)

    def test_one_of_everything_is_right(self):
        self.assertEqual([e.message for e in SCHEMA_VALIDATOR.iter_errors(WHOLE)], [])
        self.assertIsNone(self.program(WHOLE))
        for path, value in RIGHT:
            file = changed(path, value)
            self.assertTrue(SCHEMA_VALIDATOR.is_valid(file), path)
            self.assertIsNone(self.program(file), path)

    def test_wrong_files_are_refused_by_both(self):
        for path, value in WRONG:
            file = changed(path, value)
            self.assertFalse(SCHEMA_VALIDATOR.is_valid(file), (path, value))
            self.assertIsNotNone(self.program(file), (path, value))

    def test_what_a_schema_cannot_say(self):
        for path, value in WRONG_FOR_THE_PROGRAM:
            file = changed(path, value)
            self.assertTrue(SCHEMA_VALIDATOR.is_valid(file), (path, value))
            self.assertIsNotNone(self.program(file), (path, value))

    def test_one_thing_changed(self):
        """Anything in the place of anything, members taken away and put in."""
        draw = random.Random(7)
        values = [None, True, False, 0, 1, -1, 0.5, 1e12, '', 'x', 's', '*', 'cut', [], {}, [0, 1], ['x', 'y'], {'min': 1}]
        keys = ['clip', 'blend', 'ground', 'rate_by', 'rate', 'next', 'at', 'phase', 'name', 'when', 'min', 'loop', 'x', '']

        def paths(value, path=()):
            yield path
            inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
            for key, child in inside:
                yield from paths(child, path + (key,))

        places = [path for path in paths(WHOLE) if path]
        for _ in range(400):
            path = draw.choice(places)
            way = draw.randrange(3)
            if way == 0:
                file = changed(path, draw.choice(values))
            elif way == 1:
                file = changed(path, REMOVE)
            elif isinstance(at(WHOLE, path), dict):
                file = changed(path + (draw.choice(keys),), draw.choice(values))
            else:
                continue
            schema, program = SCHEMA_VALIDATOR.is_valid(file), self.program(file)
            if not schema:
                self.assertIsNotNone(program, (path, file))
            if program == 'missing_property':
                self.assertFalse(schema, (path, file))


if __name__ == '__main__':
    if not PROGRAM:
        print('SINEW_PROGRAM does not name the program')
        sys.exit(77)
    unittest.main()
