#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# An hour of a crowd in simulated time: 1,000 players at 60 Hz, 216 million ticks, while parameters and requests change
# at random. scripts/soak.sh [words for the program]; SOAK_SECONDS shortens it. tests/soak/soak.c says what must hold.
set -u
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$sinew_root" || exit 1
begin soak

TARGETS=soak check "soak builds" scripts/build.sh release || finish
export SINEW_SOURCE_DIR=$sinew_root
# Its own lines are the report: shown as they come, and kept.
if build/tests/soak --threads "$JOBS" --seconds "${SOAK_SECONDS:-3600}" "$@" 2>&1 | tee "$suite_dir/report.txt"; [ "${PIPESTATUS[0]}" = 0 ]; then
    pass "soak"
else
    fail "soak"
fi
finish
