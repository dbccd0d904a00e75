#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# clang-tidy over the library's sources, with the checks of .clang-tidy: scripts/tidy.sh [FILE...]
# DEEP=1 has the static analyzer of clang go along all paths instead, which takes minutes. It knows nothing of what one file
# promises another, so what it says is shown, to be read, and is no failure.
set -u
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$sinew_root" || exit 1
begin tidy

# Checks come and go from version to version; the sources are held to those of one.
if ! clang-tidy --version 2>/dev/null | grep -q 'version 14\.'; then
    skip "clang-tidy" "needs clang-tidy 14"
    finish
fi
words=(--quiet)
# The analyzer takes memcpy, strcpy, snprintf and the like for insecure beside functions that glibc has not; version 14 takes
# each va_list for one that was not begun; and the order of members is for readers.
[ -z "${DEEP:-}" ] ||
    words+=("--checks=-*,clang-analyzer-*,-clang-analyzer-security.insecureAPI.*,-clang-analyzer-valist.*,-clang-analyzer-optin.performance.Padding"
        "--warnings-as-errors=-*")

files=("$@")
[ ${#files[@]} -gt 0 ] || mapfile -t files < <(find src -name '*.c' | sort)
look_at_all() {
    # asserts say what holds
    printf '%s\n' "${files[@]}" | xargs -P "$JOBS" -n 4 bash -c '
        count=$1; shift
        clang-tidy "${@:1:count}" "${@:count+1}" -- -std=c17 -Iinclude -Isrc' tidy ${#words[@]} "${words[@]}" 2>&1 |
        grep -v 'warnings\? generated\.$\|^Suppressed \|^Use -header-filter' | awk '!seen[$0]++'
    [ "${PIPESTATUS[1]}" -eq 0 ]
}
check "clang-tidy over ${#files[@]} sources${DEEP:+, the analyzer}" look_at_all
[ -z "${DEEP:-}" ] || grep 'warning: ' "$suite_dir/check.log"
finish
