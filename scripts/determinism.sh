#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The same bits everywhere: builds the library, the fixtures and the programs in tests/determinism with several compilers
# and levels, and for 64-bit ARM, runs each and compares the hashes that they print.
set -u
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$sinew_root" || exit 1
begin determinism
rm -rf "$suite_dir/objects" # of older sources

sources=()
for part in core pose clip anim skin stream set import; do
    [ -d "src/$part" ] || continue
    while IFS= read -r file; do sources+=("$file"); done < <(find "src/$part" -name '*.c' | sort)
done
sources+=(fixtures/*.c extras/thread_pool.c)
flags=(-std=c17 -ffp-contract=off -Iinclude -Isrc -I. -Ifixtures -w -pthread)

program='' expected='' expected_from=''

# objects_of COMPILER FLAGS...: everything but the programs, compiled once for each compiler and flags, as archives
# whose paths are printed, one a line. Only a whole one has its name. gcc -O3 is how the release is built.
objects_of() {
    if [ "$*" = "gcc -O3" ]; then
        scripts/build.sh release "-DSINEW_TEST_DATA=$SINEW_TEST_DATA" || return
        printf '%s\n' build/libsinew_fixtures.a build/libsinew_extras.a build/libsinew.a
        return
    fi
    local folder=$suite_dir/objects/${*//[^A-Za-z0-9]/_}
    if [ ! -f "$folder/all.a" ]; then
        rm -rf "$folder" && mkdir -p "$folder" || return
        printf '%s\n' "${sources[@]}" | xargs -P "$JOBS" -I {} bash -c '
            folder=$1 source=$2; shift 2
            exec "$@" -c "$source" -o "$folder/$(printf %s "$source" | tr / _).o"' compile "$folder" {} "$@" "${flags[@]}" || return
        ar rcs "$folder/part.a" "$folder"/*.o && mv "$folder/part.a" "$folder/all.a" || return
    fi
    echo "$folder/all.a"
}

# build_and_run NAME RUNNER COMPILER FLAGS...: prints the hash.
build_and_run() {
    local built=$suite_dir/$1 runner=$2 objects
    shift 2
    rm -f "$built"
    mapfile -t objects < <(objects_of "$@")
    [ ${#objects[@]} -gt 0 ] && "$@" "${flags[@]}" "tests/determinism/$program.c" "${objects[@]}" -o "$built" -lm &&
        $runner "$built" >"$built.txt" && [ -s "$built.txt" ]
}

compare() {
    local name=$1
    build_and_run "$@" || return
    local hash
    hash=$(cat "$suite_dir/$name.txt")
    echo "$hash, but $expected from $expected_from"
    [ -z "$expected" ] || [ "$hash" = "$expected" ]
}

variant() {
    local name=$1 runner=$2 compiler=$3
    if ! has_command "$compiler"; then
        skip "$name" "$compiler is not installed"
    elif [ -n "$runner" ] && ! has_command "$runner"; then
        skip "$name" "$runner is not installed"
    elif check "$name" compare "$@" && [ -z "$expected" ]; then
        expected=$(cat "$suite_dir/$name.txt")
        expected_from=$name
        echo "        $expected"
    fi
}

# Poses, by whole playbacks.
program=determinism
for level in O0 O3; do variant "gcc-$level" "" gcc "-$level"; done
variant clang-O2 "" clang -O2
variant gcc-scalar "" gcc -O2 -DSINEW_SCALAR_ONLY=1
variant aarch64-gcc-O2 qemu-aarch64 aarch64-linux-gnu-gcc -O2 -static

# Vertices: each program also compares the instruction sets of its machine with the scalar reference.
program=skin_bits expected=''
variant skin-gcc-O3 "" gcc -O3
variant skin-clang-O2 "" clang -O2
variant skin-gcc-scalar "" gcc -O2 -DSINEW_SCALAR_ONLY=1
variant skin-aarch64-gcc-O2 qemu-aarch64 aarch64-linux-gnu-gcc -O2 -static

# A minute of mixing; each program also compares its machine's instruction sets, and numbers of threads.
program=mix_bits expected=''
variant mix-gcc-O3 "" gcc -O3
variant mix-clang-O2 "" clang -O2
variant mix-gcc-scalar "" gcc -O2 -DSINEW_SCALAR_ONLY=1
variant mix-aarch64-gcc-O2 qemu-aarch64 aarch64-linux-gnu-gcc -O2 -static

# A minute of animation sets, likewise.
program=set_bits expected=''
variant set-gcc-O3 "" gcc -O3
variant set-clang-O2 "" clang -O2
variant set-gcc-scalar "" gcc -O2 -DSINEW_SCALAR_ONLY=1
variant set-aarch64-gcc-O2 qemu-aarch64 aarch64-linux-gnu-gcc -O2 -static

# A minute of frame streams.
program=stream_bits expected=''
variant stream-gcc-O3 "" gcc -O3
variant stream-clang-O2 "" clang -O2
variant stream-gcc-scalar "" gcc -O2 -DSINEW_SCALAR_ONLY=1
variant stream-aarch64-gcc-O2 qemu-aarch64 aarch64-linux-gnu-gcc -O2 -static

# Bindings of clouds, and springs.
program=cloud_bits expected=''
variant cloud-gcc-O0 "" gcc -O0
variant cloud-gcc-O3 "" gcc -O3
variant cloud-clang-O2 "" clang -O2
variant cloud-gcc-scalar "" gcc -O2 -DSINEW_SCALAR_ONLY=1
variant cloud-aarch64-gcc-O2 qemu-aarch64 aarch64-linux-gnu-gcc -O2 -static

# Runtime clips, built and sampled.
program=runtime_bits expected=''
variant runtime-gcc-O0 "" gcc -O0
variant runtime-gcc-O3 "" gcc -O3
variant runtime-clang-O2 "" clang -O2
variant runtime-gcc-scalar "" gcc -O2 -DSINEW_SCALAR_ONLY=1
variant runtime-aarch64-gcc-O2 qemu-aarch64 aarch64-linux-gnu-gcc -O2 -static
rm -rf "$suite_dir/objects"
finish
