#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Reads of memory that nobody wrote, and leaks, which the sanitizers of gcc do not all see: the program and the unit tests under
# valgrind's memcheck. It takes forty times as long as without: what takes longest is left out, below.
set -u
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$sinew_root" || exit 1
begin valgrind

# Unit tests that take more than an eighth of a second without valgrind, most of them by many rounds of random data or
# large models; the address sanitizer has them.
slow=' batches blend_space bvh_write cloud_along_body cloud_pose fixture_seated fixtures gltf gpu import_failures json math mix_file
    raster readers runtime_clip runtime_file runtime_rate set_binding set_fades set_faults set_file set_motion shared_assets spring stream_pack
    surface_binding traps_compression traps_influences '
slow=" ${slow//[$'\n']/ } "

if ! has_command valgrind; then
    skip "valgrind" "it is not installed"
    finish
fi
check "release builds" scripts/build.sh release "-DSINEW_TEST_DATA=$SINEW_TEST_DATA" || finish

isa=$(build/sinew version | sed -n 's/^in use: //p')
[ "$isa" = avx512 ] && isa=avx2 # valgrind has no AVX-512, and says so to programs that ask their processor
export SINEW_ISA=$isa SINEW_PROGRAM=$sinew_root/build/sinew SINEW_SOURCE_DIR=$sinew_root
grind=(valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite)
check "inspect @creature" "${grind[@]}" build/sinew inspect @creature --json
check "pose @creature" "${grind[@]}" build/sinew pose @creature --clip 0 --times 0.1,0.7 --wrap loop --json
check "pose @creature, bound" "${grind[@]}" build/sinew pose @creature --clip idle --time 2.2 --binding block --json
check "bake @creature" "${grind[@]}" build/sinew bake @creature --clip 1 --fps 3 -o "$suite_dir/creature.glb"
check "bake @creature for shaders" "${grind[@]}" build/sinew bake @creature --clip 1 --fps 3 --vat vertices --texels unorm16 \
    -o "$suite_dir/creature.ktx2"
check "bake palettes of @creature" "${grind[@]}" build/sinew bake @creature --clip 1 --fps 3 --vat palettes \
    -o "$suite_dir/creature.ktx2"

tests=() left_out=()
for file in tests/unit/test_*.c; do
    name=$(basename "$file" .c) && name=${name#test_}
    if [[ $slow == *" $name "* ]]; then left_out+=("$name"); else tests+=("$name"); fi
done
# Each in a folder of its own, with how it ended in NAME.rc.
rm -rf "$suite_dir/unit" && mkdir -p "$suite_dir/unit"
printf '%s\n' "${tests[@]}" | xargs -P "$JOBS" -I {} bash -c '
    name=$1 folder=$2 root=$3; shift 3
    mkdir -p "$folder/$name.d" && cd "$folder/$name.d" || exit
    "$@" "$root/build/tests/unit_test_$name" >"$folder/$name.log" 2>&1 </dev/null
    echo $? >"$folder/$name.rc"' grind {} "$suite_dir/unit" "$sinew_root" "${grind[@]}"
clean() {
    cat "$suite_dir/unit/$1.log"
    [ "$(cat "$suite_dir/unit/$1.rc")" = 0 ]
}
for name in "${tests[@]}"; do check "unit.$name" clean "$name"; done
echo "        left out, being slow: ${left_out[*]}"
finish
