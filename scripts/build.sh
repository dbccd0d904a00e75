#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Configures and builds one preset: scripts/build.sh PRESET [more words for cmake]
# Quiet while all goes well; the whole log is in build/PRESET.log.
set -u
cd "$(dirname "$0")/.." || exit 1
preset=${1:?a preset}
shift

mkdir -p build
log=build/$preset.log
export CLICOLOR_FORCE=0
if cmake --preset "$preset" "$@" >"$log" 2>&1 && cmake --build --preset "$preset" -j "${JOBS:-2}" >>"$log" 2>&1; then
    exit 0
fi
grep -nE -A 12 '(error|Error|warning|undefined reference)' "$log" | head -n 80 >&2
echo "building $preset failed; the whole log is $log" >&2
exit 1
