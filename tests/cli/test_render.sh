#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sinew render: exit statuses, messages, sizes of pictures, the same bytes in every run, and files with broken textures.
set -u
sinew=${SINEW_PROGRAM:?the program to test}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
faults=0

fault() {
    echo "FAILED: $*"
    faults=$((faults + 1))
}

# expect STATUS WORDS-IN-STANDARD-ERROR ARGUMENTS...
expect() {
    local status=$1 words=$2
    shift 2
    "$sinew" render "$@" >out.txt 2>err.txt
    local got=$?
    [ "$got" -eq "$status" ] || fault "render $*: status $got, expected $status: $(cat err.txt)"
    [ -z "$words" ] || grep -qF -- "$words" err.txt || fault "render $*: '$words' is not in: $(cat err.txt)"
}

# size FILE: width and height in the header of a PNG
size() {
    od -An -tu1 -j16 -N8 "$1" | awk '{ print $1 * 16777216 + $2 * 65536 + $3 * 256 + $4 "x" \
                                             $5 * 16777216 + $6 * 65536 + $7 * 256 + $8 }'
}

# One triangle in the plane z = 0, (0,0) (1,0) (0,1), with a node animation of 2 s that moves it by (0, 1, 0). Its texture
# is whatever base64 is given. The buffer: 3 positions (36 bytes), 3 uvs (24), times 0 and 2 (8), 2 translations (24).
make_triangle() {
    local image=$1
    cat <<JSON
{ "asset": { "version": "2.0" },
  "scene": 0, "scenes": [{ "nodes": [0] }],
  "nodes": [{ "name": "part", "mesh": 0 }],
  "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0, "TEXCOORD_0": 1 }, "material": 0 }] }],
  "materials": [{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }],
  "textures": [{ "source": 0 }],
  "images": [{ "uri": "data:image/png;base64,$image" }],
  "animations": [{ "name": "rise",
    "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }],
    "samplers": [{ "input": 2, "output": 3 }] }],
  "accessors": [
    { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0] },
    { "bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC2" },
    { "bufferView": 2, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [2] },
    { "bufferView": 3, "componentType": 5126, "count": 2, "type": "VEC3" }],
  "bufferViews": [
    { "buffer": 0, "byteOffset": 0, "byteLength": 36 }, { "buffer": 0, "byteOffset": 36, "byteLength": 24 },
    { "buffer": 0, "byteOffset": 60, "byteLength": 8 }, { "buffer": 0, "byteOffset": 68, "byteLength": 24 }],
  "buffers": [{ "byteLength": 92, "uri": "data:application/octet-stream;base64,$(printf '%b' "$bytes" | base64 -w0)" }] }
JSON
}
zero='\0\0\0\0' one='\0\0\x80\x3f' two='\0\0\0\x40' # 0.0, 1.0 and 2.0 as little-endian floats
bytes="$zero$zero$zero$one$zero$zero$zero$one$zero"  # positions
bytes="$bytes$zero$zero$one$zero$zero$one"           # uvs
bytes="$bytes$zero$two"                              # times
bytes="$bytes$zero$zero$zero$zero$one$zero"          # translations

make_triangle "$(printf 'no picture at all' | base64 -w0)" >broken.gltf
make_triangle "$(printf '\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x40\0\0\0\x40\0\x08\x06\0\0\0' | base64 -w0)" >huge.gltf
printf '{ "asset": { "version": "2.0" }, "scenes": [{ "nodes": [0] }], "nodes": [{}] }' >empty.gltf

# Stills: the size asked for, the renderer named, the same bytes again.
expect 0 "textures: 1 cannot be read" broken.gltf --size 100x75 -o a.png
[ "$(cat out.txt)" = "software rasteriser, 100x75, a.png" ] || fault "standard output: $(cat out.txt)"
[ "$(size a.png)" = 100x75 ] || fault "a.png is $(size a.png)"
expect 0 "" broken.gltf --size 100x75 -o b.png
cmp -s a.png b.png || fault "two runs gave different pictures"
expect 0 "textures: 1 cannot be read" huge.gltf --size 100x75 -o c.png
cmp -s a.png c.png || fault "two broken textures gave different pictures"
expect 0 "" broken.gltf -o d.png
[ "$(size d.png)" = 640x480 ] || fault "d.png is $(size d.png)"

# The camera.
expect 0 "" broken.gltf --size 100x75 --yaw -60 -o e.png
cmp -s a.png e.png && fault "--yaw changed nothing"
expect 0 "" broken.gltf --size 100x75 --zoom 2 -o e.png
cmp -s a.png e.png && fault "--zoom changed nothing"

# Sheets: the whole picture has the size asked for; moments differ as the figure rises in a shared frame.
expect 0 "" broken.gltf --sheet 3 --size 300x100 -o s.png
[ "$(size s.png)" = 300x100 ] || fault "s.png is $(size s.png)"
expect 0 "" broken.gltf --clip rise --sheet 3 --size 300x100 -o t.png
cmp -s s.png t.png || fault "the first clip is not what --sheet takes by itself"
expect 0 "" broken.gltf --sheet 3 --wrap loop --size 300x100 -o t.png
cmp -s s.png t.png && fault "--wrap loop takes the same moments"
expect 0 "" broken.gltf --sheet 5 -o u.png

# What is wrong with the input.
expect 1 "empty.gltf: " empty.gltf -o x.png
expect 1 "missing.gltf: " missing.gltf -o x.png
expect 1 "broken.gltf: animations: " broken.gltf --clip fall -o x.png
expect 1 "broken.gltf: nodes: " broken.gltf --weights elbow -o x.png
printf '{ "asset": { "version": "2.0" }, "scenes": [{ "nodes": [0] }], "nodes": [{ "mesh": 0 }],
  "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
  "accessors": [{ "count": 3, "componentType": 5126, "type": "VEC3", "min": [0, 0, 0], "max": [0, 0, 0] }] }' >point.gltf
expect 0 "" point.gltf --size 64x64 -o x.png # all corners in one place
expect 1 "point.gltf: animations: " point.gltf --sheet 4 -o y.png
[ ! -e y.png ] || fault "a picture was written in spite of an error"

# Wrong usage.
help="Try 'sinew help render'."
expect 2 "$help" -o x.png
expect 2 "$help" broken.gltf
expect 2 "$help" broken.gltf -o
expect 2 "$help" broken.gltf -o x.jpg
expect 2 "$help" broken.gltf broken.gltf -o x.png
expect 2 "$help" broken.gltf --smile -o x.png
for wrong in 0x10 10x0 10 x 10x 10x10x10 16385x1 16384x16384 -5x5 1e3x5 99999999999999999999x1; do
    expect 2 "$wrong" broken.gltf --size "$wrong" -o x.png
done
for wrong in 0 -1 1.5 many 99999999; do
    expect 2 "$wrong" broken.gltf --sheet "$wrong" -o x.png
done
expect 2 "nan" broken.gltf --time nan -o x.png
expect 2 "1s" broken.gltf --time 1s -o x.png
expect 2 "91" broken.gltf --pitch 91 -o x.png
expect 2 "0" broken.gltf --zoom 0 -o x.png
expect 2 "bounce" broken.gltf --wrap bounce -o x.png
expect 2 "ray" broken.gltf --path ray -o x.png
expect 2 "--sheet" broken.gltf --sheet 4 --time 1 -o x.png
expect 2 "too few" broken.gltf --sheet 100 --size 64x64 -o x.png
# What cannot be written. (GPUs: test_gpu_pictures.py)
expect 4 "no/such/folder/x.png" broken.gltf -o no/such/folder/x.png
rm -f folder.png
mkdir folder.png
expect 4 "folder.png" broken.gltf -o folder.png

# Real characters, where they are.
data=${SINEW_TEST_DATA:-}/data/gltf
if [ -f "$data/Fox/Fox.glb" ]; then
    expect 0 "" "$data/Fox/Fox.glb" --clip Run --time 0.1 --size 128x96 -o f1.png
    expect 0 "" "$data/Fox/Fox.glb" --clip Run --time 0.4 --size 128x96 -o f2.png
    cmp -s f1.png f2.png && fault "the fox does not move"
    expect 0 "" "$data/Fox/Fox.glb" --clip Run --time 0.1 --size 128x96 --joints -o f2.png
    cmp -s f1.png f2.png && fault "--joints changed nothing"
    expect 0 "" "$data/Fox/Fox.glb" --clip Run --time 0.1 --size 128x96 --weights all -o f2.png
    cmp -s f1.png f2.png && fault "--weights all changed nothing"
    expect 0 "" "$data/Fox/Fox.glb" --clip Run --time 0.1 --size 128x96 --weights b_Neck_04 -o f3.png
    cmp -s f2.png f3.png && fault "--weights of one joint shows all"
    expect 0 "" "$data/Fox/Fox.glb" --clip Run --time 0.1 --size 128x96 --weights 7 -o f2.png
    cmp -s f2.png f3.png || fault "a joint by node and by name gave different pictures"
    expect 0 "" "$data/Fox/Fox.glb" --clip 2 --sheet 8 -o f4.png
fi

[ "$faults" -eq 0 ] && echo "render: all passed"
exit $((faults > 0))
