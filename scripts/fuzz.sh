#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs fuzz targets of tests/fuzz for FUZZ_SECONDS each, starting from their corpora: scripts/fuzz.sh [NAME...], all of them
# unless named. Inputs that reach something new are gathered in build/fuzz-finds/fuzz_NAME, from where the next run goes on;
# what breaks a target goes to build/fuzz-finds/fuzz_NAME-crash-* and the like.
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
    [ $# -eq 0 ] || [[ " $* " == *" ${name#fuzz_} "* ]] || continue
    mkdir -p "$suite_dir/$name"
    corpus=tests/fuzz/corpus/${name#fuzz_}
    [ -d "$corpus" ] || corpus=
    check "$name, ${FUZZ_SECONDS:-60} s" "build/fuzz/tests/$name" -max_total_time="${FUZZ_SECONDS:-60}" -timeout=20 \
        -rss_limit_mb=4096 -print_final_stats=1 -artifact_prefix="$suite_dir/$name-" "$suite_dir/$name" $corpus
    sed -n 's/^stat::number_of_executed_units: */        inputs tried: /p' "$suite_dir/check.log"
done
finish
