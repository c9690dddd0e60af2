#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Installs what is missing, then builds and passes all tests:
#   g++: everything, but the unit tests of some folders only when asked for `release`; clang 19 (or clang) with ASan and
#   UBSan: these and more unit tests (what is left out compiles the longest and runs the same code), fuzzing; with
#   TSan: what has threads; g++ for SSE2: kernel tests.
#   test.sh [PART...]     PART: release, asan, tsan, sse2; default: all of them
set -euo pipefail
cd "$(dirname "$0")/.."

if command -v apt-get >/dev/null; then scripts/install-dependencies.sh; fi
jobs=$(nproc)

# What the sanitizers run is compiled by the other compiler, unoptimized: a third of the time that g++ takes at -O1.
clang=(-DCMAKE_CXX_COMPILER=clang++ "-DCMAKE_CXX_FLAGS_DEBUG=-O0 -g1")
if command -v clang++-19 >/dev/null; then clang[0]=-DCMAKE_CXX_COMPILER=clang++-19; fi

configure() {  # PRESET OPTION...
    echo "== $1"
    log=$(cmake --preset "$@" 2>&1) || { echo "$log"; return 1; }
}

unit_folders=  # of g++; all of them if empty
if [ $# = 0 ]; then
    unit_folders=$(ls tests/unit | grep -vxE 'data|metric|network|registry|storage' | paste -sd ';')
    unit_folders="$unit_folders;data/batches"  # which count allocations; sanitizers bring operators of their own
fi
for part in "${@:-release asan tsan sse2}"; do
    for name in $part; do
        started=$SECONDS
        case $name in
            release)
                configure release "-DSIGMA_UNIT_FOLDERS=$unit_folders"
                cmake --build --preset release --parallel "$jobs"
                ctest --preset release --parallel "$jobs"
                ;;
            asan)
                configure asan "${clang[@]}" -DSIGMA_FUZZ_SECONDS=60 \
                    "-DSIGMA_UNIT_FOLDERS=core;data;device;metric;network;plan;registry;storage;tape"
                cmake --build --preset asan --parallel "$jobs" --target sigma_unit_tests sigma_fuzz
                ctest --preset asan --parallel "$jobs"
                ctest --test-dir build/asan --label-regex fuzz --parallel "$jobs" --output-on-failure
                ;;
            tsan)
                configure tsan "${clang[@]}" "-DSIGMA_UNIT_FOLDERS=environment;registry;data/batches"
                cmake --build --preset tsan --parallel "$jobs" --target sigma_unit_tests
                still=(setarch -R)  # older TSan does not know how Linux spreads addresses today
                "${still[@]}" true 2>/dev/null || still=()
                "${still[@]}" ctest --preset tsan --parallel "$jobs" --label-regex unit
                ;;
            sse2)
                configure sse2 -DSIGMA_UNIT_FOLDERS="device;worker"
                cmake --build --preset sse2 --parallel "$jobs" --target sigma_unit_tests
                ctest --preset sse2 --parallel "$jobs"
                ;;
            *) echo "$0: expected release, asan, tsan or sse2, found '$name'" >&2; exit 2 ;;
        esac
        echo "== $name passed in $((SECONDS - started)) s"
    done
done
