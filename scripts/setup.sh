#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs what building and testing Sinew need and this machine lacks.
#
#   scripts/setup.sh [build] [test] [docs]
#
# Looks for each thing itself (a command that runs, a header that compiles), not for a package, so that any system which
# has them is ready, and where all is there nothing is installed and no network is used. What is missing comes from
# apt-get on Debian and Ubuntu, as root or through sudo; elsewhere it is named, and the script stops. A required thing
# that cannot be had is an error, an optional one a warning: the tests that need it are skipped.
set -u
cd "$(dirname "$0")/.." || exit 1

# ---- Probes: is it there? -----------------------------------------------------------------------------------

has_command() { command -v "$1" >/dev/null 2>&1; }

# has_header COMPILER HEADER...: compiles, the last one after the others.
has_header() {
    local compiler=$1 header
    shift
    has_command "$compiler" || return 1
    for header in "$@"; do echo "#include <$header>"; done | "$compiler" -fsyntax-only -x c - >/dev/null 2>&1
}

has_cmake() {
    local version
    version=$(cmake --version 2>/dev/null | sed -n '1s/.*version \([0-9]*\.[0-9]*\).*/\1/p')
    [ -n "$version" ] && [ "$(printf '%s\n' 3.25 "$version" | sort -V | head -n 1)" = 3.25 ]
}

# What a locale with a decimal comma is made from, where it is not there already.
has_comma_locale() { [ -f /usr/share/i18n/locales/de_DE ] || locale -a 2>/dev/null | grep -qi '^de_DE\.utf'; }

has_node() {
    local version
    version=$(node --version 2>/dev/null | sed 's/^v\([0-9]*\).*/\1/')
    [ "${version:-0}" -ge 18 ] 2>/dev/null
}

has_clang_runtime() {
    has_command clang || return 1
    local folder
    folder=$(clang -print-runtime-dir 2>/dev/null) || return 1
    ls "$folder"/libclang_rt.fuzzer*.a >/dev/null 2>&1
}

has_draco() { echo '#include <draco/compression/decode.h>' | c++ -std=c++17 -fsyntax-only -x c++ - >/dev/null 2>&1; }

# Any driver will do; without one the tests of GPUs are skipped.
has_gles() {
    ldconfig -p 2>/dev/null | grep -q 'libEGL\.so\.1' || return 1
    compgen -G '/usr/share/glvnd/egl_vendor.d/*.json' >/dev/null || compgen -G '/etc/glvnd/egl_vendor.d/*.json' >/dev/null
}

has_python() { python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))' >/dev/null 2>&1; }

has_jsonschema() { python3 -c 'from jsonschema import Draft202012Validator' >/dev/null 2>&1; }

has_arm64() { echo 'int main(void) { return 0; }' | aarch64-linux-gnu-gcc -static -x c -o /dev/null - >/dev/null 2>&1; }

# A Vulkan driver in software that takes what WebGPU asks for: SwiftShader, which chromium brings, or one that is named.
# Mesa's is good enough from version 23 on, and has Vulkan 1.3 then.
has_software_vulkan() {
    [ -n "${VK_ICD_FILENAMES:-}${VK_DRIVER_FILES:-}" ] && return
    [ -f /usr/lib/chromium/vk_swiftshader_icd.json ] && return
    grep -qs '"api_version": *"1\.[3-9]' /usr/share/vulkan/icd.d/lvp_icd*.json &&
        ldconfig -p 2>/dev/null | grep -q 'libvulkan\.so\.1'
}

# Ubuntu's chromium is no package, and Debian 12's Mesa too old.
vulkan_packages() {
    if apt-cache show chromium-common >/dev/null 2>&1; then
        echo chromium-common
    else
        echo "mesa-vulkan-drivers libvulkan1"
    fi
}

# Programs for 32-bit x86, WebAssembly and Windows, linked.
has_i686() { echo 'int main(void) { return 0; }' | i686-linux-gnu-gcc -msse2 -mfpmath=sse -static -x c -o /dev/null - >/dev/null 2>&1; }

has_wasm() {
    local wasm rc
    wasm=$(mktemp) || return 1
    echo 'int main(void) { return 0; }' | clang --target=wasm32-wasi -x c -o "$wasm" - >/dev/null 2>&1
    rc=$?
    rm -f "$wasm"
    return $rc
}

has_mingw() {
    local exe rc
    exe=$(mktemp -d) || return 1
    echo 'int main(void) { return 0; }' | x86_64-w64-mingw32-gcc -static -x c -o "$exe/a.exe" - >/dev/null 2>&1
    rc=$?
    rm -rf "$exe"
    return $rc
}

# The runtime package bears the compiler's version where it is a package of its own.
clang_runtime_package() {
    local version
    version=$(apt-cache depends clang 2>/dev/null | sed -n 's/.*Depends: clang-\([0-9][0-9]*\)$/\1/p' | head -n 1)
    if apt-cache show "libclang-rt-${version:-14}-dev" >/dev/null 2>&1; then
        echo "libclang-rt-${version:-14}-dev"
    else
        echo "libclang-common-${version:-14}-dev"
    fi
}

wasm_runtime_package() {
    local version
    version=$(apt-cache depends clang 2>/dev/null | sed -n 's/.*Depends: clang-\([0-9][0-9]*\)$/\1/p' | head -n 1)
    echo "libclang-rt-${version:-14}-dev-wasm32"
}

# ---- Needs: need LEVEL PROBE PACKAGES WHY; LEVEL is required or optional ----------------------------------------

missing_required=() missing_optional=() reasons=()
level_pass=collect

need() {
    local level=$1 probe=$2 packages=$3 why=$4
    # shellcheck disable=SC2086 # a probe is a command with words
    $probe && return
    if [ "$level_pass" = collect ]; then
        [[ " ${missing_required[*]} " == *" $packages "* ]] && return # for another group already
        # shellcheck disable=SC2206 # several packages in one word
        if [ "$level" = required ]; then missing_required+=($packages); else missing_optional+=($packages); fi
        reasons+=("$packages|$why")
    elif [ "$level" = required ]; then
        echo "setup: $packages is needed ($why) and missing" >&2
        failed=1
    else
        echo "setup: $packages ($why) is missing: tests that need it will be skipped" >&2
    fi
}

needs_of() {
    case $1 in
    build)
        need required "has_header cc stdio.h" "gcc libc6-dev" "C compiler"
        need required has_cmake cmake "the build"
        need required "has_header cc stb/stb_image_write.h" libstb-dev "pictures in PNG"
        need optional "has_header cc stddef.h meshoptimizer.h" libmeshoptimizer-dev "reads EXT_meshopt_compression"
        need optional "has_header cc stddef.h webp/mux.h" libwebp-dev "animated pictures in WebP"
        need optional "has_header cc EGL/egl.h GLES3/gl31.h" "libegl-dev libgles-dev" "skins on GPUs (OpenGL ES)"
        need optional has_draco "g++ libdraco-dev" "reads KHR_draco_mesh_compression"
        ;;
    test)
        need required "has_header cc stdarg.h stddef.h stdint.h setjmp.h cmocka.h" libcmocka-dev "the tests are written with it"
        need required has_python python3 "counts tests, checks what README shows"
        need optional has_jsonschema python3-jsonschema "checks the schema of animation sets"
        need optional "has_command pkg-config" pkg-config "a consumer test: the pkg-config file"
        need optional "has_command g++" g++ "a consumer test: C++"
        need optional "has_command clang" clang "a second compiler"
        need optional has_clang_runtime CLANG_RUNTIME "fuzzing"
        need optional "has_command clang-format" clang-format "layout of the sources"
        need optional has_arm64 "gcc-aarch64-linux-gnu libc6-dev-arm64-cross" "the same bits on another machine"
        need optional "has_command qemu-aarch64" qemu-user "runs what was built for another machine"
        need optional has_gles "libegl1 libgles2 libgl1-mesa-dri" "a software driver for OpenGL ES"
        need optional has_i686 "gcc-i686-linux-gnu libc6-dev-i386-cross" "the same bits with 32 bits"
        need optional has_wasm "WASM_RUNTIME lld wasi-libc" "the same bits in WebAssembly"
        need optional has_mingw gcc-mingw-w64-x86-64-win32 "builds for Windows"
        need optional "has_command wine" "wine wine64" "runs them"
        need optional "has_command clang-tidy" clang-tidy "finds what compilers do not warn of"
        need optional "has_comma_locale" locales "numbers where a comma is the decimal point"
        need optional "has_command valgrind" valgrind "finds reads of memory that nobody wrote"
        need optional has_node nodejs "an independent implementation to compare with (three.js), the glTF validator"
        need optional "has_command npm" npm "fetches them"
        need optional has_software_vulkan VULKAN_DRIVER "a device for the WGSL shaders"
        ;;
    docs)
        need required has_python python3 "makes the reference from the headers"
        ;;
    *)
        echo "setup: unknown group $1 (build, test, docs)" >&2
        exit 2
        ;;
    esac
}

[ $# -gt 0 ] || set -- build
for group in "$@"; do needs_of "$group"; done
[ ${#reasons[@]} -gt 0 ] || exit 0

print_reasons() {
    local reason
    local named=("${reasons[@]/CLANG_RUNTIME/libclang-rt-dev}")
    for reason in "${named[@]/WASM_RUNTIME/libclang-rt-dev-wasm32}"; do
        reason=${reason/VULKAN_DRIVER/chromium-common (SwiftShader)}
        printf '  %-46s %s\n' "${reason%%|*}" "${reason#*|}"
    done
}

if ! has_command apt-get; then
    echo "Sinew needs what these Debian packages hold; please install the like on this system:" >&2
    print_reasons >&2
    [ ${#missing_required[@]} -eq 0 ]
    exit
fi

# ---- Install ----------------------------------------------------------------------------------------------

as_root=()
if [ "$(id -u)" != 0 ]; then
    if has_command sudo; then
        as_root=(sudo)
        [ -t 0 ] || as_root=(sudo -n) # nobody there to type a password
    else
        echo "setup: installing needs root or sudo, and this machine lacks:" >&2
        print_reasons >&2
        [ ${#missing_required[@]} -eq 0 ]
        exit
    fi
fi

apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Use-Pty=0 "$@" </dev/null; }
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT

updated=0
update_lists() {
    [ $updated = 0 ] || return 1
    updated=1
    echo "setup: fetching the package lists (apt-get update)"
    apt update >"$log" 2>&1 || { tail -n 5 "$log" >&2; return 1; }
}

install() {
    [ $# -gt 0 ] || return 0
    local package
    for package in "$@"; do
        apt-cache show "$package" >/dev/null 2>&1 || { update_lists; break; }
    done
    apt install --no-install-recommends "$@" >"$log" 2>&1 && return
    # Old lists name files that are gone.
    update_lists && apt install --no-install-recommends "$@" >"$log" 2>&1 && return
    grep -E '^(E:|Err:)' "$log" | head -n 5 >&2
    return 1
}

# The names of some packages are found in the lists, which a fresh machine may lack.
for i in "${!missing_optional[@]}"; do
    name=${missing_optional[i]}
    case $name in
    CLANG_RUNTIME | WASM_RUNTIME)
        apt-cache show clang >/dev/null 2>&1 || update_lists
        packages=$(clang_runtime_package)
        [ "$name" = CLANG_RUNTIME ] || packages=$(wasm_runtime_package)
        ;;
    VULKAN_DRIVER)
        apt-cache show mesa-vulkan-drivers >/dev/null 2>&1 || update_lists
        packages=$(vulkan_packages)
        ;;
    *) continue ;;
    esac
    reasons=("${reasons[@]/$name/$packages}")
    # shellcheck disable=SC2206 # several packages in one word
    missing_optional+=($packages)
    unset "missing_optional[i]"
done

echo "Sinew installs with apt-get what this machine lacks:"
print_reasons
install "${missing_required[@]}"
if ! install "${missing_optional[@]}"; then
    for package in "${missing_optional[@]}"; do install "$package"; done
fi

level_pass=report failed=0
for group in "$@"; do needs_of "$group"; done
exit $failed
