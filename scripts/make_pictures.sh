#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The pictures in docs/images, made by our own program: the same pixels on every machine.
set -eu
cd "$(dirname "$0")/.."
mkdir -p docs/images
build/sinew render @creature --clip walk --sheet 8 --wrap loop -o docs/images/creature_walk.png
status=0 # 3: no driver of OpenGL ES, or no libwebpmux, and the picture that is there stays
build/sinew render @creature --clip walk --wrap loop --path vertex --yaw 55 --pitch 10 --size 480x360 --fps 20 \
    -o docs/images/creature_gpu.webp || status=$?
[ $status -eq 0 ] || [ $status -eq 3 ] || exit $status
build/sinew render @creature --weights all --joints --size 640x480 -o docs/images/creature_weights.png
build/sinew render @creature --mix docs/mixes/slope.json --yaw 10 --size 640x560 -o docs/images/planted.png
build/sinew render @creature --mix docs/mixes/look.json --sheet 4 --yaw 20 --size 1000x300 -o docs/images/look.png
build/sinew render @creature --mix docs/mixes/layers.json --sheet 4 --yaw 50 --size 1000x300 -o docs/images/layers.png
build/sinew render @creature --mix docs/mixes/turn.json --sheet 4 --yaw 20 --size 1000x300 -o docs/images/turn.png
build/sinew render @creature --mix docs/mixes/turn_mirrored.json --sheet 4 --yaw 20 --size 1000x300 -o docs/images/turn_mirrored.png
build/sinew render @creature --mix docs/mixes/walk_to_run_cut.json --sheet 8 --yaw 90 --size 1200x300 -o docs/images/walk_to_run_cut.png
build/sinew render @creature --mix docs/mixes/walk_to_run_inertialized.json --sheet 8 --yaw 90 --size 1200x300 \
    -o docs/images/walk_to_run_inertialized.png
walk=(--clip walk --wrap loop --sheet 4 --yaw 50 --size 1000x300)
build/sinew render @creature "${walk[@]}" --zoom 1.15 -o docs/images/retarget_source.png
build/sinew render @cub --clips @creature "${walk[@]}" -o docs/images/retarget_bound.png
build/sinew render @cub --clips @creature --retarget names "${walk[@]}" --zoom 1.15 -o docs/images/retarget_names.png
build/sinew compress @creature --clip turn --plot docs/images/compress_plot.png >/dev/null
cloud=(--cloud @creature:30000 --groups docs/clouds/creature_groups.json)
build/sinew render @creature "${cloud[@]}" --clip walk --wrap loop --sheet 4 --yaw 50 --size 1000x300 -o docs/images/cloud_walk.png
build/sinew render @creature "${cloud[@]}" --weights all --joints --size 640x480 -o docs/images/cloud_weights.png
hand=(--cloud @seated:300000 --clip lift --time 1 --yaw 40 --pitch 16 --zoom 1.12 --point-size 0.01 --size 460x460)
build/sinew render @seated "${hand[@]}" -o docs/images/hand_nearest.png
build/sinew render @seated "${hand[@]}" --way body --voxel 0.006 -o docs/images/hand_along_body.png
springs=(--clip walk --wrap loop --joints --yaw 80 --pitch 8 --size 840x240 --fps 24)
status=0 # 3: built without libwebpmux, and the picture that is there stays
build/sinew render @creature "${cloud[@]}" --spring heavy,light,cloth "${springs[@]}" -o docs/images/cloud_springs.webp || status=$?
[ $status -eq 0 ] || [ $status -eq 3 ] || exit $status
for kind in heavy light cloth; do
    build/sinew render @creature "${cloud[@]}" --spring $kind --clip run --wrap loop --joints --sheet 4 --yaw 90 --size 1000x250 \
        -o docs/images/cloud_$kind.png
done
build/sinew render @bird --clip fly --wrap loop --sheet 6 --yaw 50 --size 1200x300 -o docs/images/bird_fly.png
entrance=(--clip entrance --sheet 8 --yaw 60 --size 1200x300)
build/sinew render @bird "${entrance[@]}" -o docs/images/leash_without.png
build/sinew render @bird "${entrance[@]}" --leash 0.2 -o docs/images/leash_with.png
for yaw in 0 180; do
    build/sinew render @bird --clip fly --time 0.3 --yaw 20 --pitch 10 --shade $yaw --size 400x360 -o docs/images/shade_$yaw.png
done
for frame in 0 1 2; do # at 30 frames a second
    build/sinew render @bird --clip fly --flipbook blink --time 0.0$((1 + 33 * frame)) --yaw 70 --pitch 5 --size 300x260 \
        -o docs/images/blink_$frame.png
done
# Of real motion capture, where it is at hand (../shared, or SINEW_TEST_DATA): else the pictures stay as they are.
data=${SINEW_TEST_DATA:-../shared}/data
if [ -f "$data/bvh/cmu_05_05.bvh" ]; then
    build/sinew render "$data/bvh/cmu_05_05.bvh" --cut-first-frame --sheet 10 --size 1200x560 -o docs/images/dance.png
    build/sinew render "$data/gltf/Mesh2Motion_Human/Human.glb" --clips "$data/bvh/cmu_05_05.bvh" --clip 0 --cut-first-frame \
        --retarget humanoid --sheet 10 --size 1200x560 -o docs/images/dance_human.png
fi
