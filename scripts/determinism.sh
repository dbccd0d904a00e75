#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The same bits everywhere: builds the library, the fixtures and the programs in tests/determinism with several compilers
# and levels and for other machines, runs each program and compares the hashes that they print. Each program compares the
# instruction sets of the machine it runs on (scalar, SSE2, AVX2, AVX-512; NEON), one forced after the other, and numbers of
# threads. Builds for other machines are held to the warnings of the project, too.
set -u
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$sinew_root" || exit 1
begin determinism
rm -rf "$suite_dir/objects" # of older sources
foreign=tests/determinism/foreign

sources=()
for part in core pose clip anim skin stream set import; do
    [ -d "src/$part" ] || continue
    while IFS= read -r file; do sources+=("$file"); done < <(find "src/$part" -name '*.c' | sort)
done
sources+=(fixtures/*.c)
programs=()
for file in tests/determinism/*.c; do programs+=("$(basename "$file" .c)"); done
flags=(-std=c17 -ffp-contract=off -Iinclude -Isrc -I. -Ifixtures)
warnings=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wno-psabi -Werror)

# ---- One build: a folder of $suite_dir with a program each, and NAME.txt with what it printed ---------------------------

# archives_of_preset PRESET: the library, fixtures and extras as the other steps of the tests build them.
archives_of_preset() {
    local folder=build/$1
    [ "$1" = release ] && folder=build
    TARGETS="sinew_static sinew_fixtures sinew_extras" scripts/build.sh "$1" "-DSINEW_TEST_DATA=$SINEW_TEST_DATA" || return
    printf '%s\n' "$folder/libsinew_fixtures.a" "$folder/libsinew_extras.a" "$folder/libsinew.a"
}

# objects_of NAME THREADS COMPILER FLAGS...: the same from the sources. (GNU ar makes no index of WebAssembly.)
objects_of() {
    local folder=$suite_dir/objects/$1 threads=$2
    shift 2
    mkdir -p "$folder" || return
    # shellcheck disable=SC2086 # several sources in one word
    printf '%s\n' "${sources[@]}" $threads | xargs -P "$JOBS" -I {} bash -c '
        folder=$1 source=$2; shift 2
        exec "$@" -c "$source" -o "$folder/$(printf %s "$source" | tr / _).o"' compile "$folder" {} "$@" "${flags[@]}" \
        "${warnings[@]}" >&2 || return
    printf '%s\n' "$folder"/*.o
}

# build NAME ARCHIVES_COMMAND... -- COMPILER FLAGS...: links all programs.
build() {
    local name=$1 folder=$suite_dir/$1 archives=() objects
    shift
    while [ "$1" != -- ]; do archives+=("$1"); shift; done
    shift
    rm -rf "$folder" && mkdir -p "$folder" || return
    objects=$("${archives[@]}") || return
    mapfile -t objects <<<"$objects"
    printf '%s\n' "${programs[@]}" "${more_programs[@]}" | xargs -P "$JOBS" -I {} bash -c '
        folder=$1 source=$2; shift 2
        exec "$@" -o "$folder/$(basename "$source" .c)"' link "$folder" {} "$@" "${flags[@]}" -w \
        "tests/determinism/{}.c" "${objects[@]}" -lm || return
    for objects in "$folder"/*.exe; do # gcc for Windows names them so
        if [ -f "$objects" ]; then mv "$objects" "${objects%.exe}"; fi
    done
}

run_all() { # NAME RUNNER...
    local folder=$suite_dir/$1
    shift
    printf '%s\n' "${programs[@]}" | xargs -P "$JOBS" -I {} bash -c '
        program=$1; shift
        "$@" "$program" >"$program.txt" 2>"$program.err"' run "$folder/{}" "$@"
}

same_hash() { # NAME PROGRAM
    local mine=$suite_dir/$1/$2.txt first=$suite_dir/$reference/$2.txt
    cat "$suite_dir/$1/$2.err"
    [ -s "$mine" ] || { echo "no hash"; return 1; }
    echo "$(cat "$mine"), but $(cat "$first") from $reference"
    [ "$(tr -d '\r' <"$mine")" = "$(cat "$first")" ]
}

# The one value of a build: of all that its programs printed, in their order.
hash_of() {
    (cd "$suite_dir/$1" && cat "${programs[@]/%/.txt}") | tr -d '\r' | sha256sum | cut -c 1-16
}

reference='' same=()
more_programs=()

# variant NAME RUNNER... -- ARCHIVES_COMMAND... -- COMPILER FLAGS...
variant() {
    local name=$1 runner=() bad='' program
    shift
    while [ "$1" != -- ]; do runner+=("$1"); shift; done
    shift
    check "$name builds" build "$name" "$@" || return
    run_all "$name" "${runner[@]}"
    : "${reference:=$name}"
    for program in "${programs[@]}"; do
        check "$name: $program" same_hash "$name" "$program" || bad=1
    done
    [ -n "$bad" ] || same+=("$name")
}

lacks() { # NAME REASON COMMAND...: true, and skipped, where a command is not there
    local name=$1 reason=$2
    shift 2
    "$@" >/dev/null 2>&1 && return 1
    skip "$name" "$reason"
}

links() { # COMPILER FLAGS...: whether it makes programs that call the C library
    echo '#include <math.h>
int main(int argc, char **argv) { (void)argv; return (int)fmod(argc, 1.0); }' | "$@" -x c -o "$suite_dir/probe" - -lm
}

# ---- The machine at hand ------------------------------------------------------------------------------------------------

threads="extras/thread_pool.c extras/system.c"
variant gcc-O3 -- archives_of_preset release -- gcc -O3 -pthread
variant gcc-O0 -- objects_of gcc-O0 "$threads" gcc -O0 -- gcc -O0 -pthread
variant gcc-O3-scalar -- archives_of_preset scalar -- gcc -O3 -pthread -DSINEW_SCALAR_ONLY=1
lacks clang-O3 "clang is not installed" has_command clang ||
    variant clang-O3 -- archives_of_preset clang -- clang -O3 -pthread

# ---- Other machines -----------------------------------------------------------------------------------------------------

arm=(aarch64-linux-gnu-gcc -O2 -static)
lacks aarch64-gcc-O2 "aarch64-linux-gnu-gcc is not installed" links "${arm[@]}" ||
    lacks aarch64-gcc-O2 "qemu-aarch64 is not installed" has_command qemu-aarch64 ||
    variant aarch64-gcc-O2 qemu-aarch64 -- objects_of aarch64-gcc-O2 "$threads" "${arm[@]}" -- "${arm[@]}" -pthread

# 32 bits, on this machine where its kernel runs them.
x86=(i686-linux-gnu-gcc -O2 -msse2 -mfpmath=sse -static)
x87_is_refused() {
    ! i686-linux-gnu-gcc "${flags[@]}" -mno-sse -mfpmath=387 -fsyntax-only src/core/core.c 2>"$suite_dir/x87.txt" &&
        grep -q 'FLT_EVAL_METHOD 0: on 32-bit x86 build with -msse2 -mfpmath=sse' "$suite_dir/x87.txt"
}
more_programs=(foreign/sizes)
if ! lacks i686-sse2-gcc-O2 "i686-linux-gnu-gcc is not installed" links "${x86[@]}"; then
    runner=()
    "$suite_dir/probe" 2>/dev/null || runner=(qemu-i386)
    if [ ${#runner[@]} -eq 0 ] || ! lacks i686-sse2-gcc-O2 "neither the kernel nor qemu-i386 runs it" has_command qemu-i386; then
        variant i686-sse2-gcc-O2 "${runner[@]}" -- objects_of i686-sse2-gcc-O2 "$threads" "${x86[@]}" -- "${x86[@]}" -pthread
        check "i686-sse2-gcc-O2: sizes" "${runner[@]}" "$suite_dir/i686-sse2-gcc-O2/sizes"
    fi
    check "i686: x87 arithmetic is refused" x87_is_refused
fi

# WebAssembly has no threads here.
wasm=(clang --target=wasm32-wasi -O2)
# Node 20 itself may fall over when it ends with WebAssembly's memory, after all was said.
says_good() { [ "$("$@" | tee /dev/stderr)" = good ]; }
wasi=(node --no-warnings "$foreign/wasi.mjs")
lacks wasm32-clang-O2 "clang, wasm-ld, wasi-libc or its compiler runtime is not installed" links "${wasm[@]}" ||
    lacks wasm32-clang-O2 "node (18 or newer) with WASI is not installed" "${wasi[@]}" "$suite_dir/probe" ||
    {
        variant wasm32-clang-O2 "${wasi[@]}" -- objects_of wasm32-clang-O2 $foreign/serial_pool.c "${wasm[@]}" -- "${wasm[@]}"
        [ ! -f "$suite_dir/wasm32-clang-O2/sizes" ] || check "wasm32-clang-O2: sizes" says_good "${wasi[@]}" "$suite_dir/wasm32-clang-O2/sizes"
    }
more_programs=()

# MinGW's isfinite and the like have a branch for each type, with a conversion.
windows=(x86_64-w64-mingw32-gcc -O2 -Wno-float-conversion -static)
windows_program=("${windows[@]}" -include "$foreign/windows_memory.h" -pthread)
if ! lacks windows-mingw-O2 "x86_64-w64-mingw32-gcc is not installed" links "${windows[@]}"; then
    if has_command wine; then
        export WINEPREFIX=$suite_dir/wine WINEDEBUG=-all
        wineboot --init >/dev/null 2>&1
        variant windows-mingw-O2 wine -- objects_of windows-mingw-O2 "$threads" "${windows[@]}" -- "${windows_program[@]}"
    else
        check "windows-mingw-O2 builds (there is no wine to run it)" build windows-mingw-O2 \
            objects_of windows-mingw-O2 "$threads" "${windows[@]}" -- "${windows_program[@]}"
    fi
fi

rm -rf "$suite_dir/objects"
echo "        instruction sets here:" $("$suite_dir/$reference/determinism" parts | grep -E '^[a-z]+[0-9]*$')
for name in "${same[@]}"; do echo "        $(hash_of "$name")  $name"; done
finish
