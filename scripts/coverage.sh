#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How much of the library the tests reach: scripts/coverage.sh [lines] [edges], both unless named. Asserts are compiled out.
#
# lines: those of src that the unit, property and kernel tests run, by gcov. A table gives each file, and
# build/coverage/missed.txt each line that was not reached; less than LINES_BAR percent (90) of all is a failure.
#
# edges: the branches of src/import, gcov's too: each way out of each condition is an edge, taken at least once or not. First
# the tests run, those of the command line as well; then the fuzz targets replay their corpus with its mutants, and what a run
# of FUZZ_SECONDS a target (0: none; it needs clang) and earlier ones have added to it. A table gives each file; less than
# COVERAGE_BAR percent (85) of all edges by both together is a failure.
set -u
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$sinew_root" || exit 1
begin coverage

build=build/coverage/preset
measures=("$@")
[ ${#measures[@]} -gt 0 ] || measures=(lines edges)
wanted() { [[ " ${measures[*]} " == *" $1 "* ]]; }
has_command gcov || { skip "coverage" "gcov is not installed"; finish; }
check "coverage build" scripts/build.sh coverage "-DSINEW_TEST_DATA=$SINEW_TEST_DATA" || finish

forget_counts() { find "$build" -name '*.gcda' -delete; }

# collect FOLDER FILE: what gcov says of a folder since the counts were last forgotten, one JSON text a source; what nothing has run counts, too.
collect() {
    find "$PWD/$build" -path "*sinew_static.dir/$1/*" -name '*.gcno' -print0 |
        (cd "$suite_dir" && xargs -0 -r -n 1 gcov --json-format --stdout --branch-probabilities 2>/dev/null) >"$suite_dir/$2"
}

forget_counts
check "unit, property and kernel tests under coverage" ctest --test-dir "$build" -L 'unit|property|kernels' \
    --output-on-failure -j "$JOBS"
if wanted lines; then
    collect src lines.json
    check "lines of src" python3 scripts/coverage_lines.py src "${LINES_BAR:-90}" "$suite_dir/lines.json" "$suite_dir/missed.txt"
    cat "$suite_dir/check.log"
fi
wanted edges || finish

check "the other tests under coverage" ctest --test-dir "$build" -LE 'fuzz|unit|property|kernels' --output-on-failure -j "$JOBS"
collect src/import tests.json
forget_counts
if [ "${FUZZ_SECONDS:-60}" != 0 ] && has_command clang; then
    check "fuzz targets find nothing" scripts/fuzz.sh gltf glb
    forget_counts
fi
for name in gltf glb; do
    found=build/fuzz-finds/fuzz_$name
    check "replay of fuzz_$name" "$build/tests/fuzz_$name" "tests/fuzz/corpus/$name"
    [ -d "$found" ] && check "replay of what fuzz_$name has gathered" "$build/tests/fuzz_$name" --as-they-are "$found"
done
collect src/import fuzz.json
forget_counts

check "edges of src/import" python3 scripts/coverage_table.py src/import "${COVERAGE_BAR:-85}" \
    "$suite_dir/tests.json" "$suite_dir/fuzz.json"
cat "$suite_dir/check.log"
finish
