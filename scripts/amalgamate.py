#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Joins the library into two files, sinew.h and sinew.c, for programs that want no build system.

Usage: amalgamate.py OUT_DIR [--without PART]...

sinew.h holds all public headers, sinew.c all sources; compile sinew.c with -std=c17 -ffp-contract=off and link with -lm.
PART is a folder of src/ such as import. Quoted includes are replaced by the file they name: headers once, .inl files
each time. System includes stay where they are, since repeating them does nothing.
"""
import argparse
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PARTS = ['core', 'pose', 'clip', 'anim', 'skin', 'stream', 'set', 'import']
IMPORT_HEADERS = ('document.h', 'gltf.h', 'bvh.h')
GPU_HEADERS = ('gpu.h',) # its shaders are files of their own: it needs the build
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')
CONDITION = re.compile(r'^\s*#\s*(if|ifdef|ifndef|endif)\b')


class Joiner:
    def __init__(self, folders, already=()):
        self.folders = folders
        self.seen = set(already)
        self.lines = []

    def find(self, name, beside):
        for folder in [os.path.dirname(beside)] + self.folders:
            path = os.path.normpath(os.path.join(folder, name))
            if os.path.isfile(path):
                return path
        sys.exit(f'amalgamate: {beside} includes "{name}", which is in none of {self.folders}')

    def add(self, path, depth=0):
        """Appends a file, its includes in their places. depth: conditions (#if) around it."""
        name = os.path.relpath(path, ROOT).replace(os.sep, '/')
        self.lines.append(f'// ==== {name}')
        # The include guard of a header is a condition around all of it, which is always true here.
        if path.endswith('.h'):
            depth -= 1
        with open(path, encoding='utf-8') as file:
            for line in file.read().splitlines():
                condition = CONDITION.match(line)
                if condition:
                    depth += -1 if condition[1] == 'endif' else 1
                include = INCLUDE.match(line)
                if not include:
                    if not line.startswith('// SPDX-License-Identifier'):
                        self.lines.append(line)
                    continue
                target = self.find(include[1], path)
                if target in self.seen:
                    continue
                # Under a condition the text may be left out, so it must come again where it is wanted again.
                if target.endswith('.h') and depth <= 0:
                    self.seen.add(target)
                self.add(target, depth)
                self.lines.append(f'// ==== {name}, continued')

    def write(self, path, head):
        with open(path, 'w', encoding='utf-8') as out:
            out.write('// SPDX-License-Identifier: MIT\n' + head + '\n'.join(self.lines) + '\n')


def sources_of(part):
    found = []
    for folder, _, files in os.walk(os.path.join(ROOT, 'src', part)):
        found += [os.path.join(folder, f) for f in files if f.endswith('.c')]
    return sorted(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('out_dir')
    parser.add_argument('--without', action='append', default=[], choices=PARTS)
    arguments = parser.parse_args()
    os.makedirs(arguments.out_dir, exist_ok=True)

    include_dir = os.path.join(ROOT, 'include')
    public = sorted(f for f in os.listdir(os.path.join(include_dir, 'sinew'))
                    if f.endswith('.h') and f not in GPU_HEADERS)
    if 'import' in arguments.without:
        public = [f for f in public if f not in IMPORT_HEADERS]
    header = Joiner([include_dir])
    # The core's order is that of sinew.h; what it does not include follows.
    for name in ['sinew.h'] + [f for f in public if f != 'sinew.h']:
        path = os.path.join(include_dir, 'sinew', name)
        if path not in header.seen:
            header.seen.add(path)
            header.add(path)
    header.write(os.path.join(arguments.out_dir, 'sinew.h'),
                 '// All public headers of Sinew in one, made by scripts/amalgamate.py: change those, not this.\n')

    source = Joiner([os.path.join(ROOT, 'src'), include_dir], header.seen)
    for part in PARTS:
        if part not in arguments.without:
            for path in sources_of(part):
                source.add(path)
    source.write(os.path.join(arguments.out_dir, 'sinew.c'),
                 '// All sources of Sinew in one, made by scripts/amalgamate.py: change those, not this.\n'
                 '// Compile with -std=c17 -ffp-contract=off.\n'
                 '#if defined(__clang__) // inline helpers of internal headers are all in this file, used or not\n'
                 '#pragma clang diagnostic ignored "-Wunused-function"\n#endif\n#include "sinew.h"\n')


if __name__ == '__main__':
    main()
