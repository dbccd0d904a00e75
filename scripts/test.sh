#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# All tests: scripts/test.sh [STEP...]. Without steps all of them, in the order of `all_steps`. The last line printed is
# "N passed, N failed, N skipped"; exits 1 where something failed or nothing passed.
set -u
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$sinew_root" || exit 1

all_steps=(release consumers docs-code determinism windows conformance wgsl valgrind asan tsan scalar clang tidy format)
steps=("$@")
[ ${#steps[@]} -gt 0 ] || steps=("${all_steps[@]}")

begin test-results
export SINEW_RESULTS=$suite_dir/results.txt
: >"$SINEW_RESULTS"

# ctest_of PRESET [COMMAND...]: builds the preset and runs its tests, through the command if one is given, and with the
# words of CTEST_WORDS.
ctest_of() {
    local preset=$1 binary_dir=$sinew_root/build/$1 junit=$suite_dir/$1.xml
    shift
    [ "$preset" = release ] && binary_dir=$sinew_root/build
    suite=$preset
    check "$preset builds" scripts/build.sh "$preset" "-DSINEW_TEST_DATA=$SINEW_TEST_DATA" || return
    rm -f "$junit"
    # shellcheck disable=SC2086 # words
    "$@" ctest --test-dir "$binary_dir" -j "$JOBS" ${CTEST_WORDS:-} --output-junit "$junit" --test-output-size-passed 1000000 \
        --test-output-size-failed 1000000 >"$suite_dir/$preset.log" 2>&1 </dev/null
    python3 scripts/count_tests.py "$junit" "$preset" "$SINEW_RESULTS"
}

# The build without code for instruction sets: what has such code. That it is all there, and has the same bits, is
# looked at by the determinism step.
scalar_step() {
    local file folder targets=""
    for file in tests/kernels/test_*.c tests/property/test_*.c; do
        folder=$(basename "$(dirname "$file")")
        targets+="${folder}_$(basename "$file" .c) "
    done
    TARGETS=$targets CTEST_WORDS="-L kernels|property" ctest_of scalar
}

# The thread sanitizer of older compilers fails where the kernel spreads addresses widely: then without that.
tsan_step() {
    local probe=$suite_dir/tsan_probe
    echo 'int main(void) { return 0; }' >"$probe.c"
    if ! cc -fsanitize=thread -o "$probe" "$probe.c" 2>/dev/null; then
        skip "thread sanitizer" "the compiler has none"
    elif "$probe" >/dev/null 2>&1; then
        ctest_of tsan
    elif setarch -R "$probe" >/dev/null 2>&1; then
        ctest_of tsan setarch -R
    else
        skip "thread sanitizer" "it does not run on this machine"
    fi
}

# The options of layouters change from version to version; the sources are held to one.
format_step() {
    suite=format
    if ! clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
        skip "layout of the sources" "needs clang-format 14"
    else
        check "layout of the sources" scripts/format.sh --check
    fi
}

run_step() {
    case $1 in
    release) ctest_of release ;;
    asan) ctest_of asan ;;
    scalar) scalar_step ;;
    tsan) tsan_step ;;
    clang)
        if has_command clang; then
            CTEST_WORDS="-LE cli" ctest_of clang # what the program says was looked at before
        else
            suite=clang
            skip "clang builds" "clang is not installed"
        fi
        ;;
    format) format_step ;;
    consumers) scripts/consumers.sh ;;
    docs-code) scripts/docs_code.sh ;;
    determinism) scripts/determinism.sh ;;
    valgrind) scripts/valgrind.sh ;;
    tidy) scripts/tidy.sh ;;
    conformance) scripts/conformance.sh ;;
    wgsl) scripts/wgsl.sh ;;
    windows) scripts/windows.sh ;;
    *)
        echo "test: unknown step $1 (${all_steps[*]})" >&2
        exit 2
        ;;
    esac
}

for step in "${steps[@]}"; do
    echo "== $step"
    SECONDS=0
    run_step "$step"
    echo "  $SECONDS s"
done

if grep -q '^fail' "$SINEW_RESULTS"; then
    echo "== failed"
    sed -n 's/^fail /  /p' "$SINEW_RESULTS"
fi
echo
print_counts "$SINEW_RESULTS" | tee "$suite_dir/summary.txt"
exit "${PIPESTATUS[0]}"
