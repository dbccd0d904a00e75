#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs fuzz targets of tests/fuzz for FUZZ_SECONDS each, starting from their corpora: scripts/fuzz.sh [NAME...], all of them
# unless named. Real files of $SINEW_TEST_DATA, where it is there, are read beside the corpus (FUZZ_FILE_SIZE: the largest of
# them, 32 KiB). Inputs that reach something new are gathered in build/fuzz-finds/fuzz_NAME, from where the next run goes on;
# what breaks a target goes to build/fuzz-finds/fuzz_NAME-crash-* and the like.
set -u
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$sinew_root" || exit 1
begin fuzz-finds

if ! ls tests/fuzz/fuzz_*.c >/dev/null 2>&1; then
    skip "fuzz targets" "there are none in tests/fuzz"
    finish
fi
has_command clang || { skip "fuzz targets" "clang is not installed"; finish; }
check "fuzz targets build" scripts/build.sh fuzz || finish

# Copies the small real files of a target into build/fuzz-finds/real/NAME and prints that folder: their names, and those of
# what lies beside them, need not differ there. Nothing where there are none.
real_files() {
    local name=$1 folder=$suite_dir/real/$1 data=$SINEW_TEST_DATA/data words=() limit=${FUZZ_FILE_SIZE:-32768}
    case $name in
    gltf) words=(-iname '*.gltf' -o -iname '*.glb' -o -iname '*.vrm' -o -iname '*.vrma' -o -path '*/bad/*') ;;
    glb) words=(-iname '*.glb') ;;
    json) words=(-path '*/json/*.json') ;;
    bvh) words=(-iname '*.bvh') ;;
    bar) words=(-iname '*.bar') ;;
    picture) words=(-iname '*.png' -o -iname '*.jpg' -o -iname '*.jpeg') ;;
    *) return ;;
    esac
    [ -d "$data" ] || return
    mkdir -p "$folder"
    find "$data" -type f -size "-$((limit + 1))c" \( "${words[@]}" \) -print0 |
        while IFS= read -r -d '' file; do
            cp "$file" "$folder/$(printf %s "$file" | cksum | cut -d ' ' -f 1)_${file##*/}"
        done
    [ -z "$(ls -A "$folder")" ] || printf %s "$folder"
}

for source in tests/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c)
    [ $# -eq 0 ] || [[ " $* " == *" ${name#fuzz_} "* ]] || continue
    mkdir -p "$suite_dir/$name"
    corpus=tests/fuzz/corpus/${name#fuzz_}
    [ -d "$corpus" ] || corpus=
    real=$(real_files "${name#fuzz_}")
    check "$name, ${FUZZ_SECONDS:-60} s" "build/fuzz/tests/$name" -max_total_time="${FUZZ_SECONDS:-60}" -timeout=20 \
        -rss_limit_mb=4096 -print_final_stats=1 -artifact_prefix="$suite_dir/$name-" "$suite_dir/$name" ${corpus:+"$corpus"} ${real:+"$real"}
    sed -n -e 's/^stat::number_of_executed_units: */        inputs tried: /p' \
        -e 's/^#[0-9]*.DONE *cov: \([0-9]*\).*/        edges: \1/p' "$suite_dir/check.log"
done
finish
