#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The pictures in docs/images, made by our own program: the same pixels on every machine.
set -eu
cd "$(dirname "$0")/.."
mkdir -p docs/images
build/sinew render @creature --clip walk --sheet 8 --wrap loop -o docs/images/creature_walk.png
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
for kind in heavy light cloth; do
    build/sinew render @creature "${cloud[@]}" --spring $kind --clip run --wrap loop --joints --sheet 4 --yaw 90 --size 1000x250 \
        -o docs/images/cloud_$kind.png
done
