#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Uses Sinew as others do: from an installed package, through pkg-config, as a subdirectory, as a single file, from C and
# C++. Also: each public header alone, and which symbols the libraries show.
set -u
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$sinew_root" || exit 1
begin consumers

consumer=$sinew_root/tests/consumer
prefix=$suite_dir/prefix
warnings=(-Wall -Wextra -Wpedantic -Werror)

check "release builds" scripts/build.sh release "-DSINEW_TEST_DATA=$SINEW_TEST_DATA" || finish
rm -rf "$suite_dir" && mkdir -p "$suite_dir"
check "install" cmake --install build --prefix "$prefix" || finish
libdir=$(dirname "$(find "$prefix" -name libsinew.a)")

# ---- Single file: one core for half a minute each, so they are compiled beside each other and all that follows -----------------

single_file() { # COMPILER FOLDER FLAGS...
    local compiler=$1 folder=$2
    shift 2
    "$compiler" -std=c17 -O1 -ffp-contract=off "${warnings[@]}" -DSINEW_SINGLE_FILE "$@" -I"$folder" "$folder/sinew.c" \
        "$consumer/consumer.c" -o "$folder/consumer-$compiler" -lm && "$folder/consumer-$compiler"
}

declare -A running=()
start() { # NAME COMMAND...: for ended
    local name=$1
    shift
    "$@" >"$suite_dir/$name.log" 2>&1 </dev/null &
    running[$name]=$!
}
ended() { # NAME: waits; prints and returns what it did
    local status
    wait "${running[$1]}"
    status=$?
    cat "$suite_dir/$1.log"
    return $status
}

single=$suite_dir/single
if check "single file is made" scripts/amalgamate.py "$single"; then
    for compiler in gcc clang; do
        has_command $compiler && start "single-$compiler" single_file $compiler "$single"
    done
fi
if check "single file without import is made" scripts/amalgamate.py "$single-core" --without import; then
    start single-core single_file gcc "$single-core" -DSINEW_NO_IMPORT
fi

# ---- CMake ------------------------------------------------------------------------------------------------

cmake_consumer() { # FOLDER BUILD_NAME WORDS...
    local build=$suite_dir/$2 folder=$1 program
    shift 2
    cmake -S "$consumer/$folder" -B "$build" "$@" && cmake --build "$build" -j "$JOBS" || return
    for program in "$build"/consumer*; do
        if [ -f "$program" ] && [ -x "$program" ]; then "$program" || return; fi
    done
}

check "CMake package, static" cmake_consumer package package-static "-DCMAKE_PREFIX_PATH=$prefix"
check "CMake package, shared" cmake_consumer package package-shared "-DCMAKE_PREFIX_PATH=$prefix" -DBUILD_SHARED_LIBS=ON
check "CMake subdirectory" cmake_consumer subdirectory subdirectory "-DSINEW_SOURCE_DIR=$sinew_root"

without_import() {
    local build=$suite_dir/without-import
    cmake -S . -B "$build" -DSINEW_WITH_IMPORT=OFF -DSINEW_BUILD_PROGRAM=OFF -DSINEW_BUILD_EXAMPLES=OFF \
        -DSINEW_BUILD_TESTS=OFF -DSINEW_BUILD_SHARED=OFF && cmake --build "$build" -j "$JOBS" &&
        cmake --install "$build" --prefix "$build/prefix" && ! [ -e "$build/prefix/include/sinew/gltf.h" ]
}
check "library without import" without_import

# ---- pkg-config -------------------------------------------------------------------------------------------

with_pkg_config() { # [--static]: for the compiler and for pkg-config
    local program=$suite_dir/pkg-config${1:-} flags
    flags=$(PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config "$@" --cflags --libs sinew) || return
    # shellcheck disable=SC2086 # words of flags
    cc -std=c17 "$@" "${warnings[@]}" -o "$program" "$consumer/consumer.c" $flags && LD_LIBRARY_PATH=$libdir "$program"
}

if has_command pkg-config; then
    check "pkg-config, shared" with_pkg_config
    check "pkg-config, static" with_pkg_config --static
else
    skip "pkg-config" "pkg-config is not installed"
fi

program_runs() { "$prefix/bin/sinew" version && "$prefix/bin/sinew" version --json; }
check "installed program" program_runs

# ---- C++ and each header alone ----------------------------------------------------------------------------

with_cpp() {
    "$1" -std=c++17 "${warnings[@]}" "$consumer/consumer.cpp" -I"$prefix/include" -o "$suite_dir/$1" "$libdir/libsinew.a" &&
        "$suite_dir/$1"
}
for compiler in g++ clang++; do
    if has_command $compiler; then
        check "C++ with $compiler" with_cpp $compiler
    else
        skip "C++ with $compiler" "$compiler is not installed"
    fi
done

header_alone() {
    local compiler
    for compiler in gcc clang; do
        has_command $compiler || continue
        # Twice: the guard works.
        printf '#include <%s>\n#include <%s>\n' "$1" "$1" >"$suite_dir/alone.c"
        $compiler -std=c17 "${warnings[@]}" -I"$prefix/include" -fsyntax-only "$suite_dir/alone.c" || return
    done
    for compiler in g++ clang++; do
        has_command $compiler || continue
        $compiler -std=c++17 "${warnings[@]}" -I"$prefix/include" -fsyntax-only -x c++ "$suite_dir/alone.c" || return
    done
}
for header in "$prefix"/include/sinew/*.h; do
    check "$(basename "$header") alone, C and C++" header_alone "sinew/$(basename "$header")"
done

# ---- The single files, which were begun above ------------------------------------------------------------------

for compiler in gcc clang; do
    if [ -n "${running[single-$compiler]:-}" ]; then
        check "single file with $compiler" ended "single-$compiler"
    elif ! has_command $compiler; then
        skip "single file with $compiler" "$compiler is not installed"
    fi
done
[ -z "${running[single-core]:-}" ] || check "single file without import" ended single-core

# ---- Symbols ----------------------------------------------------------------------------------------------

# Defined global symbols of a library that do not match a pattern; none is right.
other_symbols() { # PATTERN NM_WORDS...
    local pattern=$1 others
    shift
    others=$(nm --defined-only --extern-only "$@" | awk 'NF == 3 { print $3 }' | grep -vE "$pattern" | sort -u)
    echo "$others"
    [ -z "$others" ]
}
if has_command nm; then
    check "shared library shows sinew_ names alone" other_symbols '^sinew_[a-z]' --dynamic "$libdir/libsinew.so"
    check "static library has sinew_ and sinewi_ names alone" other_symbols '^sinewi?_[a-z]' "$libdir/libsinew.a"
else
    skip "symbols" "nm is not installed"
fi
finish
