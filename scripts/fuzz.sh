#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs each fuzz target of tests/fuzz for FUZZ_SECONDS, starting from its corpus. What it finds goes to build/fuzz-finds.
set -u
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$sinew_root" || exit 1
begin fuzz-finds

if ! ls tests/fuzz/fuzz_*.c >/dev/null 2>&1; then
    skip "fuzz targets" "there are none in tests/fuzz"
    finish
fi
has_command clang || { skip "fuzz targets" "clang is not installed"; finish; }
check "fuzz targets build" scripts/build.sh fuzz || finish
for source in tests/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c)
    mkdir -p "$suite_dir/$name"
    corpus=tests/fuzz/corpus/${name#fuzz_}
    [ -d "$corpus" ] || corpus=
    check "$name, ${FUZZ_SECONDS:-60} s" "build/fuzz/tests/$name" -max_total_time="${FUZZ_SECONDS:-60}" -timeout=20 \
        -rss_limit_mb=4096 -artifact_prefix="$suite_dir/" "$suite_dir/$name" $corpus
done
finish
