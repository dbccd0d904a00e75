#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the reference from the public headers: one HTML page a header, and an index of all names.

Usage: make_docs.py OUT_DIR

A header is its own manual, so this only lays it out: the `///` lines at the top are the page's introduction, a rule
(`// ---- Name ----`) begins a section, and `///` lines directly above a declaration belong to it and to those that follow
without a blank line. Lines such as `Errors:` are labels, indented ones code. Bodies of inline functions are left out.
"""
import html
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RULE = re.compile(r'^// -{3,}\s*(.*?)\s*-+$')
LABEL = re.compile(r'^(Shapes|Spaces|Units|Errors|Memory|Threads|Source|Ranges|Order)(:)\s*')
NAME = re.compile(r'\b(sinew_\w+|SINEW_\w+)\b')
STYLE = '''body { max-width: 56rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; color: #222; }
pre { background: #f4f4f0; padding: .7rem 1rem; overflow-x: auto; font-size: 14px; line-height: 1.4; }
code { font-size: .92em; } a { color: #06518c; text-decoration: none; } a:hover { text-decoration: underline; }
section { margin: 1.6rem 0; } h2 { border-bottom: 1px solid #ccc; margin-top: 2.5rem; }
ul.names { columns: 3 15rem; list-style: none; padding: 0; font-family: monospace; font-size: 14px; }
@media (prefers-color-scheme: dark) { body { background: #181818; color: #ddd; } pre { background: #262626; }
a { color: #7cb8f0; } }'''


class Item:
    """A documented piece of a header: the text and the declarations that it stands above."""

    def __init__(self, section, doc):
        self.section, self.doc, self.code = section, doc, []

    def names(self):
        """What the declarations introduce: functions, types, constants."""
        found = []
        for code in self.code:
            bare = re.sub(r'///<?.*|//.*', '', code)
            if code.startswith('#define'):
                found += NAME.findall(code.split('(')[0])[:1]
            elif re.match(r'(typedef )?(enum|struct|union)\b', code) and '{' in bare:
                found += re.findall(r'}\s*(sinew_\w+);', bare)
                if re.match(r'(typedef )?enum', code):
                    found += re.findall(r'[{,]\s*(SINEW_\w+)', bare)
            elif code.startswith('typedef'):
                match = re.search(r'\(\*(sinew_\w+)\)', bare) or re.search(r'(sinew_\w+);', bare)
                found += [match[1]] if match else []
            else:
                match = re.search(r'(sinew_\w+)\(', bare)
                found += [match[1]] if match else []
        return found


def read_declaration(lines, at):
    """The declaration that begins at a line, without a function's body; and the line after it."""
    code, depth, in_body = [], 0, False
    if lines[at].startswith('#define'):
        while lines[at].endswith('\\'):
            code.append(lines[at])
            at += 1
        return '\n'.join(code + [lines[at]]), at + 1
    is_function = 'static inline' in lines[at]
    while at < len(lines):
        line = lines[at]
        at += 1
        bare = re.sub(r'//.*', '', line)
        if is_function and depth == 0 and '{' in bare:
            in_body = True
            head = line[:line.index('{')].rstrip()
            if head:
                code.append(head)
            code[-1] += ';'
        elif not in_body:
            code.append(line)
        depth += bare.count('{') - bare.count('}')
        if depth == 0 and (bare.rstrip().endswith((';', '}'))):
            break
    return '\n'.join(code), at


def read_header(path):
    with open(path, encoding='utf-8') as file:
        lines = [l for l in file.read().splitlines() if not l.startswith('// SPDX') and 'clang-format o' not in l]
    intro, items, doc, section, current = [], [], [], '', None
    at = 0
    while at < len(lines) and lines[at].startswith('///'):
        intro.append(lines[at][3:])
        at += 1
    cplusplus = False
    while at < len(lines):
        line = lines[at]
        rule = RULE.match(line)
        if line.startswith('#ifdef __cplusplus'):
            cplusplus = True
        if cplusplus or not line.strip() or rule:
            if cplusplus and line.startswith('#endif'):
                cplusplus = False
            if rule:
                section = rule[1]
            doc, current = [], None
            at += 1
        elif line.startswith('///'):
            doc.append(line[3:])
            current = None
            at += 1
        elif line.startswith('//') or (line.startswith('#') and not (line.startswith('#define') and doc)):
            while line.endswith('\\') and at + 1 < len(lines):
                at += 1
                line = lines[at]
            at += 1
        else:
            code, at = read_declaration(lines, at)
            if doc or current is None:
                current = Item(section, doc)
                items.append(current)
                doc = []
            current.code.append(code)
    return intro, items


def links(text, home, here):
    """Escaped text with known names as links."""

    def link(match):
        name = match[1]
        if name not in home or name == here:
            return name
        return f'<a href="{home[name]}#{name}">{name}</a>'

    return NAME.sub(link, html.escape(text, quote=False))


def prose(doc, home):
    """Doc lines as paragraphs; indented ones as code."""
    out, paragraph, block = [], [], []

    def flush():
        if paragraph:
            out.append('<p>' + '<br>'.join(paragraph) + '</p>')
        if block:
            out.append('<pre>' + '\n'.join(block) + '</pre>')
        paragraph.clear()
        block.clear()

    for line in doc:
        line = line[1:] if line.startswith(' ') else line
        if not line.strip():
            flush()
        elif line.startswith('    ') and not (paragraph and LABEL.match(re.sub('<[^>]*>', '', paragraph[-1]))):
            if paragraph:
                flush()
            block.append(links(line[4:], home, None))
        else:
            if block:
                flush()
            text = re.sub(r'`([^`]+)`', r'<code>\1</code>', links(line.strip(), home, None))
            label = LABEL.match(line)
            if label:
                paragraph.append(f'<b>{label[1]}:</b> ' + LABEL.sub('', text))
            elif paragraph:
                paragraph[-1] += ' ' + text
            else:
                paragraph.append(text)
    flush()
    return '\n'.join(out)


def page(title, body):
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
            f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>\n<body>\n{body}\n</body></html>\n')


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    out_dir = sys.argv[1]
    os.makedirs(out_dir, exist_ok=True)
    folder = os.path.join(ROOT, 'include', 'sinew')
    headers = {name: read_header(os.path.join(folder, name)) for name in sorted(os.listdir(folder)) if name.endswith('.h')}
    home = {name: f'{header[:-2]}.html' for header, (_, items) in headers.items() for item in items for name in item.names()}

    undocumented = []
    index = ['<h1>Sinew reference</h1>', '<p>Made from the headers, which say the same.</p>']
    for header, (intro, items) in headers.items():
        target = f'{header[:-2]}.html'
        index.append(f'<h2><a href="{target}">sinew/{header}</a></h2>\n{prose(intro[:1], home)}')
        names = [name for item in items for name in item.names()]
        index.append('<ul class="names">' + ''.join(f'<li><a href="{target}#{n}">{n}</a></li>' for n in names) + '</ul>')
        body, section = [f'<p><a href="index.html">All headers</a></p><h1>sinew/{header}</h1>', prose(intro, home)], ''
        for item in items:
            if item.section != section:
                section = item.section
                body.append(f'<h2>{html.escape(section)}</h2>')
            anchors = ''.join(f'<a id="{n}"></a>' for n in item.names())
            body.append(f'<section>{anchors}<pre>' + '\n'.join(links(c, home, None) for c in item.code) + '</pre>'
                        + prose(item.doc, home) + '</section>')
            if not item.doc and any('SINEW_API' in c for c in item.code):
                undocumented += item.names()
        with open(os.path.join(out_dir, target), 'w', encoding='utf-8') as file:
            file.write(page(f'sinew/{header}', '\n'.join(body)))
    with open(os.path.join(out_dir, 'index.html'), 'w', encoding='utf-8') as file:
        file.write(page('Sinew reference', '\n'.join(index)))
    print(f'{out_dir}/index.html: {len(headers)} headers, {len(home)} names')
    if undocumented:
        print('functions without a comment: ' + ', '.join(undocumented))


if __name__ == '__main__':
    main()
