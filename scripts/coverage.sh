#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How much of the library the tests reach: scripts/coverage.sh [lines] [edges], both unless named. Asserts are compiled out.
#
# lines: those of src that the unit, property and kernel tests run, by gcov. A table gives each file, and
# build/coverage/missed.txt each line that was not reached; less than LINES_BAR percent (90) of all is a failure.
#
# edges: the branches of each reader of files (scripts/coverage_table.py has the list), gcov's too: each way out of each
# condition is an edge, taken at least once or not. First the tests run, those of the command line as well; then the fuzz
# targets replay their corpora with their mutants, and what a run of FUZZ_SECONDS a target (0: none; it needs clang) and
# earlier ones have added to them. A table gives each reader and each of its files; a reader of whose edges less than
# COVERAGE_BAR percent (85) are taken by both together is a failure. build/coverage/missed_edges.txt lists the lines.
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

# collect FILE FOLDER...: what gcov says of these since the counts were last forgotten, one JSON text a source; what nothing
# has run counts, too.
collect() {
    local file=$1 paths=()
    shift
    for folder in "$@"; do paths+=(-o -path "*/sinew_*.dir/$folder/*"); done
    find "$PWD/$build" -name '*.gcno' \( "${paths[@]:1}" \) -print0 |
        (cd "$suite_dir" && xargs -0 -r -n 1 gcov --json-format --stdout --branch-probabilities 2>/dev/null) >"$suite_dir/$file"
}

forget_counts
check "unit, property and kernel tests under coverage" ctest --test-dir "$build" -L 'unit|property|kernels' \
    --output-on-failure -j "$JOBS"
if wanted lines; then
    collect lines.json src
    check "lines of src" python3 scripts/coverage_lines.py src "${LINES_BAR:-90}" "$suite_dir/lines.json" "$suite_dir/missed.txt"
    cat "$suite_dir/check.log"
fi
wanted edges || finish

# Two have patience for optimised code alone: benchmarks, and a command run for each allocation that can fail.
check "the other tests under coverage" ctest --test-dir "$build" -LE 'fuzz|unit|property|kernels' -E '^cli\.(cli|memory)$' \
    --output-on-failure -j "$JOBS"
collect tests.json src extras cli
forget_counts
if [ "${FUZZ_SECONDS:-60}" != 0 ] && has_command clang; then
    check "fuzz targets find nothing" scripts/fuzz.sh
fi
for source in tests/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c)
    found=build/fuzz-finds/$name
    check "replay of $name" "$build/tests/$name" "tests/fuzz/corpus/${name#fuzz_}"
    if [ -d "$found" ]; then
        check "replay of what $name has gathered" "$build/tests/$name" --as-they-are "$found"
    fi
done
collect fuzz.json src extras cli
forget_counts

check "edges of the readers" python3 scripts/coverage_table.py "${COVERAGE_BAR:-85}" "$suite_dir/tests.json" \
    "$suite_dir/fuzz.json" "$suite_dir/missed_edges.txt"
cat "$suite_dir/check.log"
finish
