#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Draws the pictures of the tutorial into docs/pictures/tutorial/, with the programs of a build folder.
#   tutorial.sh [BUILD]     BUILD (default: build/release) has examples/tutorial_*
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "${1:-build/release}")
pictures=$PWD/docs/pictures/tutorial
mkdir -p "$pictures"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
for program in "$build"/examples/tutorial_[0-9][0-9]_*; do
    name=${program##*/tutorial_}
    SIGMA_OFFLINE=1 "$program" "$pictures/${name%%_*}.svg" > /dev/null 2>&1
    echo "docs/pictures/tutorial/${name%%_*}.svg"
done
