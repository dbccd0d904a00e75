#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The program for Windows: builds it with MinGW-w64 (cmake/mingw-w64.cmake), runs its commands in wine and holds all that they
# say, write and end with to build/sinew on this machine, byte for byte.
set -u
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$sinew_root" || exit 1
begin windows
here=$PWD/build/sinew
there=$PWD/build/windows/preset/sinew.exe

has_command x86_64-w64-mingw32-gcc || { skip "the program for Windows" "x86_64-w64-mingw32-gcc is not installed"; finish; }

# stb's headers lie among those of this machine, which are none of Windows: a folder with them alone.
stb=$(cd "${SINEW_STB_INCLUDE_DIR:-/usr/include}" 2>/dev/null && pwd)
[ -f "$stb/stb/stb_image_write.h" ] || { skip "the program for Windows" "stb/stb_image_write.h is not in ${SINEW_STB_INCLUDE_DIR:-/usr/include}"; finish; }
mkdir -p "$suite_dir/include" && ln -sfn "$stb/stb" "$suite_dir/include/stb"
check "the library, the program and the examples build" scripts/build.sh windows "-DSINEW_STB_INCLUDE_DIR=$suite_dir/include" || finish

has_command wine || { skip "what the program for Windows does" "wine is not installed"; finish; }
check "build/sinew" scripts/build.sh release "-DSINEW_TEST_DATA=$SINEW_TEST_DATA" || finish
export WINEPREFIX=$suite_dir/wine WINEDEBUG=-all
wineboot --init >/dev/null 2>&1

# Both run in a folder with the same files in it, so that all paths are the same words.
folders=("$suite_dir/here" "$suite_dir/there")
for folder in "${folders[@]}"; do
    rm -rf "$folder" && mkdir -p "$folder" && cp share/sets/creature.set.json "$folder" || exit 1
    printf 'HIERARCHY\nROOT hips\n{\nOFFSET 0 1 0\nCHANNELS 1 Xposition\n}\nMOTION\nFrames: 2\nFrame Time: x\n' >"$folder/bad.bvh"
    printf '{"asset": {"version": "2.0"}, "nodes": [{"children": [0]}]}' >"$folder/kreis ä.gltf"
    head -c 300 /dev/zero >"$folder/zeros.glb"
    printf '{"seconds": 3, "steps": [{"at": 0.5, "set": {"speed": 1.4}}, {"at": 2, "request": "jump"}]}' >"$folder/script.json"
    for file in gltf/Fox/Fox.glb gltf/CesiumMan/CesiumMan.glb bvh/cmu_01_01.bvh; do
        [ -f "$SINEW_TEST_DATA/data/$file" ] && cp "$SINEW_TEST_DATA/data/$file" "$folder"
    done
done

# same STATUS WORDS...: of one command, what it says (but for how long it took), ends with and leaves behind.
same() {
    local status=$1 folder
    shift
    (cd "${folders[0]}" && "$here" "$@" >out.txt 2>err.txt </dev/null; echo $? >status.txt)
    (cd "${folders[1]}" && wine "$there" "$@" >out.txt 2>err.txt </dev/null; echo $? >status.txt)
    sed -i -E 's/"((build_)?seconds)": [-+.e0-9]+/"\1": 0/g' "${folders[@]/%//out.txt}"
    if [ "$(<"${folders[0]}/status.txt")" = "$status" ] && diff -r "${folders[@]}" >"$suite_dir/diff.txt" 2>&1; then
        return
    fi
    head -n 20 "$suite_dir/diff.txt" | cut -c 1-300
    for folder in "${folders[@]}"; do echo "exit status $(<"$folder/status.txt"), not $status"; head -n 3 "$folder/err.txt"; done
    return 1
}

while read -r status words; do
    # shellcheck disable=SC2086 # several words
    check "sinew $words" same "$status" $words
done <<'COMMANDS'
0 help
0 pose --help
2 frobnicate
0 inspect @creature
0 inspect @bird --json
1 inspect bad.bvh
1 inspect zeros.glb --json
1 inspect none.glb
2 inspect @creature:5
0 pose @creature --clip walk --times 0,0.37,0.9 --json
0 pose @cub --skinning dual --binding block --json
0 pose @creature --clip 0 --time 0.2 --runtime --json
0 pose @creature --cloud @creature:300 --spring cloth --time 0.4 --json
0 render @creature --clip walk --sheet 4 --size 320x160 -o größe.png
4 render @bird -o none/bird.png
0 bake @creature --clip walk --fps 10 -o walk.glb
0 bake @strip:3:60 --clip 0 --fps 5 -o strip.pc2
0 bake @strip:3:60 --clip 0 --fps 5 -o strip_obj
0 bake @creature --clip walk --fps 10 --vat palettes -o vat.ktx2
0 convert @creature -o creature.bvh --clip walk
0 convert creature.bvh -o back.glb
1 convert bad.bvh -o bad.glb
0 inspect back.glb --json
0 compress @creature -o creature.sinew --json
0 inspect creature.sinew --json
0 play creature.set.json @creature --script script.json --json
0 bind @seated @creature --way body --json
COMMANDS
# Arguments with blanks and letters beyond ASCII.
check "inspect of a name beyond ASCII" same 1 inspect "kreis ä.gltf"
for file in "${folders[0]}"/*.glb "${folders[0]}"/*.bvh; do
    case ${file##*/} in
    Fox.glb | CesiumMan.glb) check "pose ${file##*/}" same 0 pose "${file##*/}" --clip 0 --time 0.7 --json ;;
    cmu_01_01.bvh) check "convert ${file##*/}" same 0 convert "${file##*/}" -o mocap.glb ;;
    esac
done
finish
