#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Lays out all C sources with clang-format, or says with --check which ones it would change.
set -u
cd "$(dirname "$0")/.." || exit 1
command -v clang-format >/dev/null || { echo "clang-format is not installed (Debian: clang-format)" >&2; exit 1; }

if git rev-parse --git-dir >/dev/null 2>&1; then
    files() { git ls-files -z --cached --others --exclude-standard -- '*.c' '*.h' '*.cc' '*.inl'; }
else
    files() { find . -path ./build -prune -o -type f \( -name '*.c' -o -name '*.h' -o -name '*.inl' \) -print0; }
fi

if [ "${1:-}" != --check ]; then
    files | xargs -0 -r clang-format -i
    exit
fi
changed=0
while IFS= read -r -d '' file; do
    [ -f "$file" ] || continue
    difference=$(clang-format "$file" | diff -u --label "$file" --label "$file, laid out" "$file" -)
    [ -z "$difference" ] && continue
    changed=1
    printf '%s\n' "$difference" | head -n 12
done < <(files)
[ $changed = 0 ] || echo "make format lays these out"
exit $changed
