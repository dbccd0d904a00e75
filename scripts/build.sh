#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Configures and builds one preset: scripts/build.sh PRESET [more words for cmake]
# Quiet while all goes well; the whole log is in build/PRESET.log. TARGETS="..." builds those alone.
set -u
cd "$(dirname "$0")/.." || exit 1
preset=${1:?a preset}
shift

mkdir -p build
log=build/$preset.log
export CLICOLOR_FORCE=0
# shellcheck disable=SC2086 # targets are words
if cmake --preset "$preset" "$@" >"$log" 2>&1 &&
    cmake --build --preset "$preset" -j "${JOBS:-2}" ${TARGETS:+--target $TARGETS} >>"$log" 2>&1; then
    exit 0
fi
grep -E -A 4 '(error:|warning:|Error at|undefined reference|multiple definition|No rule to make)' "$log" | head -n 40 >&2
echo "building $preset failed; the whole log is $log" >&2
exit 1
