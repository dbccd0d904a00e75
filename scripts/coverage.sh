#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How much of src/import the tests and the fuzz corpora reach: scripts/coverage.sh
#
# The measure is gcov's branches: each way out of each condition is an edge, taken at least once or not. Asserts are compiled
# out. First the unit, property and command line tests run; then the fuzz targets replay their corpus with its mutants, and
# what a run of FUZZ_SECONDS a target (0: none; it needs clang) and earlier ones have added to it. A table gives each file;
# less than COVERAGE_BAR percent (85) of all edges by both together is a failure.
set -u
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$sinew_root" || exit 1
begin coverage

build=build/coverage/preset
has_command gcov || { skip "coverage" "gcov is not installed"; finish; }
check "coverage build" scripts/build.sh coverage "-DSINEW_TEST_DATA=$SINEW_TEST_DATA" || finish

forget_counts() { find "$build" -name '*.gcda' -delete; }

# What gcov says of src/import since the counts were last forgotten, one JSON text a source.
collect() {
    find "$PWD/$build" -path '*sinew_static.dir/src/import/*' -name '*.gcda' -print0 |
        (cd "$suite_dir" && xargs -0 -r -n 1 gcov --json-format --stdout --branch-probabilities 2>/dev/null) >"$suite_dir/$1"
    forget_counts
}

forget_counts
check "tests under coverage" ctest --test-dir "$build" -LE fuzz --output-on-failure -j "$JOBS"
collect tests.json

if [ "${FUZZ_SECONDS:-60}" != 0 ] && has_command clang; then
    check "fuzz targets find nothing" scripts/fuzz.sh gltf glb
    forget_counts
fi
for name in gltf glb; do
    found=build/fuzz-finds/fuzz_$name
    check "replay of fuzz_$name" "$build/tests/fuzz_$name" "tests/fuzz/corpus/$name"
    [ -d "$found" ] && check "replay of what fuzz_$name has gathered" "$build/tests/fuzz_$name" --as-they-are "$found"
done
collect fuzz.json

check "edges of src/import" python3 scripts/coverage_table.py src/import "${COVERAGE_BAR:-85}" \
    "$suite_dir/tests.json" "$suite_dir/fuzz.json"
cat "$suite_dir/check.log"
finish
