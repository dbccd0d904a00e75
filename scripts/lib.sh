# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Shared by the test scripts: checks that count. A script calls
#
#   begin SCRIPT_NAME                  once
#   check NAME COMMAND...              passed where the command exits 0; its output is shown where it does not
#   skip NAME REASON
#   finish                             once, last: prints the counts if nobody else does, and exits
#
# Results go, one a line (pass NAME, fail NAME, skip NAME: REASON), to the file that SINEW_RESULTS names, so that
# scripts/test.sh can add up those of many scripts.

sinew_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
: "${JOBS:=2}"
: "${SINEW_TEST_DATA:=$sinew_root/../shared}"
export JOBS SINEW_TEST_DATA

begin() {
    suite=$1
    suite_dir=$sinew_root/build/$suite
    mkdir -p "$suite_dir"
    own_results=
    if [ -z "${SINEW_RESULTS:-}" ]; then
        own_results=1
        mkdir -p "$sinew_root/build/test-results"
        SINEW_RESULTS=$sinew_root/build/test-results/$suite.txt
        : >"$SINEW_RESULTS"
    fi
    suite_failed=0
}

pass() {
    echo "pass $suite: $1" >>"$SINEW_RESULTS"
    echo "  ok    $1"
}

fail() {
    echo "fail $suite: $1" >>"$SINEW_RESULTS"
    echo "  FAIL  $1"
    suite_failed=1
}

skip() {
    echo "skip $suite: $1: $2" >>"$SINEW_RESULTS"
    echo "  skip  $1: $2"
}

check() {
    local name=$1 log
    shift
    log=$suite_dir/check.log
    if "$@" >"$log" 2>&1 </dev/null; then
        pass "$name"
    else
        fail "$name"
        tail -n 40 "$log" | sed 's/^/        /'
        return 1
    fi
}

# Prints the counts of a results file as the closing line; 0 where something passed and nothing failed.
print_counts() {
    awk '$1 == "pass" { passed++ } $1 == "fail" { failed++ } $1 == "skip" { skipped++ }
        END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped; exit failed > 0 || passed == 0 }' "$1"
}

finish() {
    if [ -n "$own_results" ]; then
        print_counts "$SINEW_RESULTS"
        exit
    fi
    exit $suite_failed
}

has_command() { command -v "$1" >/dev/null 2>&1; }

node_is_ready() {
    local version
    version=$(node --version 2>/dev/null | sed 's/^v\([0-9]*\).*/\1/')
    [ "${version:-0}" -ge 18 ] 2>/dev/null && has_command npm
}

# npm_install FOLDER PACKAGE: what its package-lock.json says.
npm_install() {
    [ -f "$1/node_modules/$2/package.json" ] && return
    (cd "$1" && npm ci --no-audit --no-fund --fetch-retries 2 --fetch-timeout 60000 >"$suite_dir/npm.log" 2>&1 </dev/null)
}
