#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compiles and runs each complete C program (a ```c block with a main) that README.md and docs/ show. A program gets a
# real model as its argument where test data is there; one that reads argv is skipped where it is not.
set -u
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$sinew_root" || exit 1
begin docs-code

check "release builds" scripts/build.sh release "-DSINEW_TEST_DATA=$SINEW_TEST_DATA" || finish
rm -rf "$suite_dir" && mkdir -p "$suite_dir"

# One file a block: NAME.c, and its place in NAME.where.
python3 - "$suite_dir" README.md docs/*.md <<'PYTHON' || exit 1
import os, re, sys
out, *documents = sys.argv[1:]
for document in documents:
    if not os.path.exists(document):
        continue
    text = open(document, encoding='utf-8').read()
    for block in re.finditer(r'^```c\n(.*?)^```', text, re.M | re.S):
        if not re.search(r'\bint main\(', block[1]):
            continue
        line = text[:block.start()].count('\n') + 2
        name = re.sub(r'\W+', '_', document) + f'_{line}'
        with open(os.path.join(out, name + '.c'), 'w', encoding='utf-8') as file:
            file.write(f'#line {line} "{document}"\n' + block[1])
        with open(os.path.join(out, name + '.where'), 'w', encoding='utf-8') as file:
            file.write(f'{document}:{line}')
PYTHON

model=$SINEW_TEST_DATA/data/gltf/Fox/Fox.glb
[ -f "$model" ] || model=$(find "$SINEW_TEST_DATA/data/gltf" -name '*.glb' 2>/dev/null | sort | head -n 1)

compile_and_run() { # PROGRAM
    cc -std=c17 -O2 -Wall -Wextra -Wpedantic -Werror -Iinclude -Iextras -Ifixtures "$1.c" -o "$1" build/libsinew_fixtures.a \
        build/libsinew_extras.a build/libsinew.a -pthread -lm && (cd "$suite_dir" && "$1" ${model:+"$model"})
}

found=
for file in "$suite_dir"/*.c; do
    [ -f "$file" ] || break
    found=1
    program=${file%.c}
    name=$(cat "$program.where")
    if [ -z "$model" ] && grep -q 'argv' "$file"; then
        skip "$name" "it wants a model, and there is no test data"
    else
        check "$name" compile_and_run "$program"
    fi
done
[ -n "$found" ] || skip "programs in README.md and docs" "there are none"
check "docs/findings.md is the table of codes" python3 scripts/make_findings.py --check
check "reference is made from the headers" python3 scripts/make_docs.py "$suite_dir/reference"
finish
