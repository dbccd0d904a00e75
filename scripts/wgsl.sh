#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs the WGSL shaders (src/gpu/shaders) on a device of WebGPU, and compares with what the library's CPU paths make of
# the same cases (tests/wgsl). The device is that of npm's webgpu (Dawn) on whatever Vulkan driver there is: the one that
# VK_ICD_FILENAMES names, else SwiftShader where chromium brought it, which computes on the CPU.
set -u
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$sinew_root" || exit 1
begin wgsl

groups=(shaders meshes vertices points pictures)
names=(
    "shaders compile without a message"
    "meshes in a compute pass against the CPU"
    "meshes in a vertex stage against the CPU"
    "clouds and springs against the CPU"
    "pictures against triangles of the CPU"
)
textures="baked textures against their reader and exact poses"
example="the program of docs/gpu_wgsl.md prints what it says"

skip_all() {
    local name
    for name in "${names[@]}" "$textures" "$example"; do skip "$name" "$1"; done
    finish
}

node_is_ready || skip_all "needs Node.js 18 or newer with npm"

run=$suite_dir/run
mkdir -p "$run" "$suite_dir/cases"
cp -f tests/wgsl/*.mjs tests/wgsl/package*.json "$run"/
npm_install "$run" webgpu || skip_all "npm could not fetch webgpu"

swiftshader=$(find /usr/lib/chromium /usr/lib64/chromium-browser -name vk_swiftshader_icd.json 2>/dev/null | head -n 1)
if [ -z "${VK_ICD_FILENAMES:-}${VK_DRIVER_FILES:-}" ] && [ -n "$swiftshader" ]; then
    export VK_ICD_FILENAMES=$swiftshader
    # its folder holds a Vulkan loader, too
    if ! ldconfig -p 2>/dev/null | grep -q 'libvulkan\.so\.1'; then
        LD_LIBRARY_PATH=$(dirname "$swiftshader")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
        export LD_LIBRARY_PATH
    fi
fi
device=$(cd "$run" && timeout 120 node run.mjs probe 2>"$suite_dir/probe.log")
status=$?
printf '%s\n' "$device" >>"$suite_dir/probe.log"
case $status in
0) echo "  on $device" ;;
77) skip_all "${device:-no device}" ;;
*) skip_all "the driver fails where a device is opened ($suite_dir/probe.log)" ;;
esac

check "cases are written" env "TARGETS=wgsl_write_cases sinew_cli" scripts/build.sh release "-DSINEW_TEST_DATA=$SINEW_TEST_DATA" &&
    check "the CPU's results are written" build/tests/wgsl_write_cases "$suite_dir/cases" || finish

run_group() { (cd "$run" && timeout 300 node run.mjs "$1" "$sinew_root/src/gpu/shaders" "$suite_dir/cases"); }
for i in "${!groups[@]}"; do
    check "${names[i]}" run_group "${groups[i]}"
    grep -h '^worst' "$suite_dir/check.log" | sed 's/^/        /'
done

check "$textures" env "SINEW_PROGRAM=$sinew_root/build/sinew" "SINEW_SOURCE_DIR=$sinew_root" \
    "SINEW_VAT_SHADER=node '$run/vat_shader.mjs'" timeout 300 python3 tests/cli/test_vat_shader.py

# The page's only block of JavaScript that imports something, and the text block behind it.
run_example() {
    python3 - docs/gpu_wgsl.md "$run" <<'PYTHON' || return
import re, sys
page, folder = sys.argv[1:]
text = open(page, encoding='utf-8').read()
found = re.search(r'^```js\n(import .*?)^```.*?^```text\n(.*?)^```', text, re.M | re.S)
for name, body in (('example.mjs', found[1]), ('example.txt', found[2])):
    with open(f'{folder}/{name}', 'w', encoding='utf-8') as file:
        file.write(body)
PYTHON
    (cd "$run" && SINEW_SHADERS=$sinew_root/src/gpu/shaders timeout 120 node example.mjs >example.out) &&
        diff "$run/example.txt" "$run/example.out"
}
check "$example" run_example
finish
