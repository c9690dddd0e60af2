#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Installs missing packages, then compiles and runs the example that learns handwritten digits. Arguments are passed to
# the example.
# The program is compiled from the headers alone, for the vector instructions of this machine. -O1 is enough: the kernels
# use vectors explicitly. A higher level saves a fifth of a second of training and takes longer to compile.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install-dependencies.sh digits
source=examples/05-digits/digits.cpp
program=build/digits/05_digits

if [[ ! -x $program || -n $(find include "$source" "$0" -newer "$program" -print -quit) ]]; then
    echo "compiling $source (about 30 s) ..."
    mkdir -p build/digits
    g++ -std=c++20 -O1 -DNDEBUG -march=native -fconstexpr-ops-limit=1000000000 -Iinclude "$source" -o "$program" \
        -lz -larchive -lcurl -lcrypto -pthread
fi
exec "$program" "$@"
