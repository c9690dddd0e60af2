#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Installs what is missing, then builds and runs the example that learns handwritten digits.
# Arguments go to the example.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install-dependencies.sh build
sources=(examples/[0-9][0-9]*digits*)
if [[ ! -e ${sources[0]} ]]; then echo "$0: there is no examples/NN_digits.cpp" >&2; exit 1; fi
name=$(basename "${sources[0]}" .cpp)
name=${name/-/_}

echo "building $name ..."
log=$(cmake --preset release -B build/digits -DSIGMA_BUILD_TESTS=OFF 2>&1 &&
    cmake --build build/digits --target "example_$name" 2>&1) || { echo "$log"; exit 1; }
exec "build/digits/examples/$name" "$@"
