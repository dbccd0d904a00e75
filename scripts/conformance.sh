#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Holds build/sinew against two independent implementations on real models: three.js, and plain Python. Both live with
# the test data (SINEW_TEST_DATA/oracle), which is copied first, since it is not written to.
set -u
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$sinew_root" || exit 1
begin conformance

three="poses and vertices against three.js"
plain="structure, poses, normals and weights against plain Python"
models=$SINEW_TEST_DATA/data/gltf
if [ ! -d "$models" ] || [ ! -f "$SINEW_TEST_DATA/oracle/compare.py" ]; then
    skip "$three" "no test data at SINEW_TEST_DATA"
    skip "$plain" "no test data at SINEW_TEST_DATA"
    finish
fi
if [ ! -x build/sinew ]; then
    check "release builds" scripts/build.sh release || finish
fi

oracle=$suite_dir/oracle
mkdir -p "$oracle"
cp -f "$SINEW_TEST_DATA"/oracle/* "$oracle"/ && chmod -R u+w "$oracle"

node_is_ready() {
    local version
    version=$(node --version 2>/dev/null | sed 's/^v\([0-9]*\).*/\1/')
    [ "${version:-0}" -ge 18 ] 2>/dev/null && has_command npm
}

install_three() {
    [ -f "$oracle/node_modules/three/package.json" ] && return
    (cd "$oracle" && npm ci --no-audit --no-fund --fetch-retries 2 --fetch-timeout 60000 >"$suite_dir/npm.log" 2>&1 </dev/null)
}

if ! node_is_ready; then
    skip "$three" "needs Node.js 18 or newer with npm"
elif ! install_three; then
    skip "$three" "npm could not fetch three.js"
else
    check "$three" timeout 900 python3 "$oracle/compare.py" build/sinew "$models" --cap 200 --out "$suite_dir/oracle-out"
fi
check "$plain" timeout 900 python3 "$oracle/reference_check.py" build/sinew "$models" --quick
finish
