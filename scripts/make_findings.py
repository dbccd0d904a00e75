#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes docs/findings.md from the one table of codes in sinew/base.h, and from what src/core/result.c says to them. With --check it only says whether it is up to date."""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, 'docs', 'findings.md')
HEAD = '''# Findings

Import never repairs in silence. A finding has a code, a severity, the place of the first case, a count, the worst value and a
sentence with the numbers in it; `sinew inspect` prints them, and a document holds them. With `strict` repairs and warnings are
errors, the first one ends the reading. Codes are one table (`SINEW_RESULT_TABLE` in `sinew/base.h`), shared with the results
of calls and the errors of readers; it only grows. This page is made from it by `make docs`.
'''
PARTS = (('REPAIR', 'Repairs', 'The data of the file was changed so that it can be used.'),
         ('WARNING', 'Warnings', 'The file breaks a rule; nothing that is drawn changes.'),
         ('INFO', 'Infos', 'Worth knowing; never an error.'), ('ERROR', 'Errors', 'Nothing is loaded.'))

with open(os.path.join(ROOT, 'include', 'sinew', 'base.h'), encoding='utf-8') as file:
    rows = re.findall(r'X\((\w+),\s+"(\w+)",\s+(\w+),\s+"([^"]*)"\)', file.read())
with open(os.path.join(ROOT, 'src', 'core', 'result.c'), encoding='utf-8') as file:
    advices = {name: ''.join(re.findall(r'"([^"]*)"', texts))
               for name, texts in re.findall(r'ADVICE\((\w+),((?:\s*"[^"]*")+)\)', file.read())}
lines = [HEAD]
for severity, title, text in PARTS:
    mine = [(name, word, sentence) for name, word, of, sentence in rows if of == severity and name != 'OK']
    lines += ['## ' + title, text, '']
    if severity == 'ERROR':
        lines += ['| code | what it says |', '| --- | --- |']
        lines += [f'| `{word}` | {sentence} |' for name, word, sentence in mine]
    else:
        lines += ['| code | what it says | does it matter? |', '| --- | --- | --- |']
        lines += [f'| `{word}` | {sentence} | {advices[name]} |' for name, word, sentence in mine]
    lines.append('')
page = '\n'.join(lines)
if '--check' in sys.argv:
    with open(PAGE, encoding='utf-8') as file:
        if file.read() != page:
            sys.exit('docs/findings.md is not what include/sinew/base.h says: make docs')
else:
    with open(PAGE, 'w', encoding='utf-8') as file:
        file.write(page)
