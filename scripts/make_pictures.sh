#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The pictures in docs/images, made by our own program: the same pixels on every machine.
set -eu
cd "$(dirname "$0")/.."
mkdir -p docs/images
build/sinew render @creature --clip walk --sheet 8 --wrap loop -o docs/images/creature_walk.png
build/sinew render @creature --weights all --joints --size 640x480 -o docs/images/creature_weights.png
