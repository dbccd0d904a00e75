#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Holds build/sinew against independent implementations on real models: poses against three.js and plain Python, which
# live with the test data (SINEW_TEST_DATA/oracle) and are copied first, since it is not written to; and files that it
# writes against the Khronos glTF validator (tests/validator).
set -u
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$sinew_root" || exit 1
begin conformance

three="poses and vertices against three.js"
bound="poses and vertices through mesh bindings against three.js"
runtime="vertices of runtime clips against three.js"
fine="vertices of fine runtime clips against three.js"
plain="structure, poses, normals and weights against plain Python"
plain_bound="vertices through mesh bindings against plain Python"
written="baked files against the glTF validator"
converted="converted skeletons and clips against the glTF validator"
played="baked files as three.js plays them"
textures="baked textures as ktx-parse reads and writes them"
models=$SINEW_TEST_DATA/data/gltf

# bake FILE OUT: clip 0, or the pose of a file without clips, at a rate that leaves a tail. 2 where there is nothing to
# bake, or the file is not to be read at all.
bake() {
    local said
    said=$(build/sinew bake "$1" --clip 0 --fps 7 -o "$2" 2>&1) && return
    case $said in
    *"there is nothing to bake"*) return 2 ;;
    *"the file has none"*) said=$(build/sinew bake "$1" --fps 7 -o "$2" 2>&1) && return ;;
    esac
    build/sinew inspect "$1" >/dev/null 2>&1 || return 2
    echo "$said"
    return 1
}

# Bakes every model, the made-up ones too, and validates what was written.
validate_baked() {
    local folder=$suite_dir/baked out file
    local pairs=()
    rm -rf "$folder" && mkdir -p "$folder"
    while IFS= read -r file; do
        out=$folder/${#pairs[@]}.glb
        bake "$file" "$out"
        case $? in
        0) pairs+=("$out" "$file") ;;
        1) return 1 ;;
        esac
    done < <(find "$(cd "$models" && pwd)" -name '*.glb' -o -name '*.gltf' -o -name '*.vrm' | sort)
    for file in @creature @strip:3:1000; do
        out=$folder/${#pairs[@]}.glb
        bake "$file" "$out" || return 1
        pairs+=("$out" -)
    done
    bake_textures "$folder" || return 1
    for file in "$folder"/texture*.glb; do pairs+=("$file" -); done
    (cd "$validator" && timeout 600 node validate.mjs "${pairs[@]}")
}

# bake_textures FOLDER: skins, morphs, several meshes and clips, in each form and format.
bake_textures() {
    local file count=0 words
    for file in "$models/Fox/Fox.glb" "$models/AnimatedMorphCube/AnimatedMorphCube.glb" \
        "$models/RobotExpressive/RobotExpressive.glb" @creature @bird; do
        [ -e "$file" ] || [ "${file#@}" != "$file" ] || continue
        for words in "vertices" "vertices --texels unorm16" "palettes"; do
            count=$((count + 1))
            # shellcheck disable=SC2086 # words
            build/sinew bake "$file" --vat $words --fps 6 --max-width 1000 -o "$1/texture$count.ktx2" || return
        done
    done
}

parse_textures() {
    local folder=$suite_dir/textures
    rm -rf "$folder" && mkdir -p "$folder"
    bake_textures "$folder" || return
    timeout 300 node tests/validator/ktx2.mjs "$oracle/node_modules/three/examples/jsm/libs/ktx-parse.module.js" \
        "$folder"/*.ktx2
}

# The skeletons and clips of every model and of every motion capture file, as GLB. Of a file that is written without
# meshes nothing is to be excused.
validate_converted() {
    local folder=$suite_dir/converted out file
    local pairs=()
    rm -rf "$folder" && mkdir -p "$folder"
    while IFS= read -r file; do
        out=$folder/${#pairs[@]}.glb
        if ! build/sinew convert "$file" -o "$out" >"$suite_dir/convert.log" 2>&1; then
            build/sinew inspect "$file" >/dev/null 2>&1 || continue # not to be read at all
            cat "$suite_dir/convert.log"
            return 1
        fi
        pairs+=("$out" -)
    done < <(find "$(cd "$models" && pwd)" "$(cd "$models/../bvh" && pwd)" -name '*.glb' -o -name '*.gltf' -o -name '*.vrm' \
        -o -name '*.bvh' | sort)
    (cd "$validator" && timeout 600 node validate.mjs "${pairs[@]}")
}

# Morphs, skins, several primitives, and so many frames that the weights are sparse.
play_baked() {
    local folder=$suite_dir/played file
    rm -rf "$folder" && mkdir -p "$folder"
    for file in "$models/Fox/Fox.glb" "$models/AnimatedMorphCube/AnimatedMorphCube.glb" \
        "$models/RobotExpressive/RobotExpressive.glb" @creature; do
        build/sinew bake "$file" --clip 0 --fps 6 -o "$folder/$(basename "$file" .glb).glb" || return
    done
    build/sinew bake @strip:3:50 --fps 400 -o "$folder/long.glb" || return
    timeout 300 python3 "$oracle/compare.py" build/sinew "$folder" --cap 200 --out "$suite_dir/oracle-out"
}

if [ ! -d "$models" ] || [ ! -f "$SINEW_TEST_DATA/oracle/compare.py" ]; then
    skip "$three" "no test data at SINEW_TEST_DATA"
    skip "$bound" "no test data at SINEW_TEST_DATA"
    skip "$runtime" "no test data at SINEW_TEST_DATA"
    skip "$fine" "no test data at SINEW_TEST_DATA"
    skip "$plain" "no test data at SINEW_TEST_DATA"
    skip "$plain_bound" "no test data at SINEW_TEST_DATA"
    skip "$written" "no test data at SINEW_TEST_DATA"
    skip "$converted" "no test data at SINEW_TEST_DATA"
    skip "$played" "no test data at SINEW_TEST_DATA"
    skip "$textures" "no test data at SINEW_TEST_DATA"
    finish
fi
if [ ! -x build/sinew ]; then
    check "release builds" scripts/build.sh release || finish
fi

oracle=$suite_dir/oracle
mkdir -p "$oracle"
cp -f "$SINEW_TEST_DATA"/oracle/* "$oracle"/ && chmod -R u+w "$oracle"

if ! node_is_ready; then
    skip "$three" "needs Node.js 18 or newer with npm"
    skip "$bound" "needs Node.js 18 or newer with npm"
    skip "$runtime" "needs Node.js 18 or newer with npm"
    skip "$fine" "needs Node.js 18 or newer with npm"
    skip "$played" "needs Node.js 18 or newer with npm"
    skip "$textures" "needs Node.js 18 or newer with npm"
elif ! npm_install "$oracle" three; then
    skip "$three" "npm could not fetch three.js"
    skip "$bound" "npm could not fetch three.js"
    skip "$runtime" "npm could not fetch three.js"
    skip "$fine" "npm could not fetch three.js"
    skip "$played" "npm could not fetch three.js"
    skip "$textures" "npm could not fetch three.js"
else
    check "$three" timeout 900 python3 "$oracle/compare.py" build/sinew "$models" --cap 200 --out "$suite_dir/oracle-out"
    check "$bound" timeout 900 python3 "$oracle/compare.py" build/sinew "$models" --cap 200 \
        --out "$suite_dir/oracle-out" --pose-options '--binding block'
    check "$runtime" timeout 900 python3 "$oracle/compare.py" build/sinew "$models" --cap 200 \
        --out "$suite_dir/oracle-out" --pose-options=--runtime --positions-only --tolerance 2e-3
    check "$fine" timeout 900 python3 "$oracle/compare.py" build/sinew "$models" --cap 200 \
        --out "$suite_dir/oracle-out" '--pose-options=--runtime --preset fine' --positions-only --tolerance 5e-4
    check "$played" play_baked
    check "$textures" parse_textures
fi
check "$plain" timeout 900 python3 "$oracle/reference_check.py" build/sinew "$models" --quick
check "$plain_bound" timeout 900 python3 "$oracle/reference_check.py" build/sinew "$models" --quick \
    --pose-options '--binding block'

validator=$suite_dir/validator
mkdir -p "$validator"
cp -f tests/validator/* "$validator"/
if ! node_is_ready; then
    skip "$written" "needs Node.js 18 or newer with npm"
    skip "$converted" "needs Node.js 18 or newer with npm"
elif ! npm_install "$validator" gltf-validator; then
    skip "$written" "npm could not fetch the glTF validator"
    skip "$converted" "npm could not fetch the glTF validator"
else
    check "$written" validate_baked
    check "$converted" validate_converted
fi
finish
