#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The same bits everywhere: builds the library, the fixtures and tests/determinism/determinism.c with several compilers
# and levels, and for 64-bit ARM, runs each and compares the hashes that they print.
set -u
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$sinew_root" || exit 1
begin determinism

sources=()
for part in core pose clip anim skin stream set import; do
    [ -d "src/$part" ] || continue
    while IFS= read -r file; do sources+=("$file"); done < <(find "src/$part" -name '*.c' | sort)
done
sources+=(fixtures/*.c tests/determinism/determinism.c)
flags=(-std=c17 -ffp-contract=off -Iinclude -Isrc -I. -Ifixtures -w)

expected='' expected_from=''

# build_and_run NAME RUNNER COMPILER FLAGS...: prints the hash.
build_and_run() {
    local program=$suite_dir/$1 runner=$2
    shift 2
    rm -f "$program"
    "$@" "${flags[@]}" "${sources[@]}" -o "$program" -lm && $runner "$program" >"$program.txt" && [ -s "$program.txt" ]
}

compare() {
    local name=$1
    build_and_run "$@" || return
    local hash
    hash=$(cat "$suite_dir/$name.txt")
    echo "$hash, but $expected from $expected_from"
    [ -z "$expected" ] || [ "$hash" = "$expected" ]
}

variant() {
    local name=$1 runner=$2 compiler=$3
    if ! has_command "$compiler"; then
        skip "$name" "$compiler is not installed"
    elif [ -n "$runner" ] && ! has_command "$runner"; then
        skip "$name" "$runner is not installed"
    elif check "$name" compare "$@" && [ -z "$expected" ]; then
        expected=$(cat "$suite_dir/$name.txt")
        expected_from=$name
        echo "        $expected"
    fi
}

for level in O0 O2 O3; do variant "gcc-$level" "" gcc "-$level"; done
for level in O0 O2 O3; do variant "clang-$level" "" clang "-$level"; done
variant gcc-scalar "" gcc -O2 -DSINEW_SCALAR_ONLY=1
variant aarch64-gcc-O2 qemu-aarch64 aarch64-linux-gnu-gcc -O2 -static
finish
