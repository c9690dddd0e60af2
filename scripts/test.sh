#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Installs what is missing, then builds and passes all tests:
#   g++: everything; clang 19 (or clang) and g++ with ASan and UBSan: the unit tests of most folders (what they leave out
#   compiles the longest and runs the same code), and a minute of fuzzing; g++ for SSE2: kernel tests.
#   test.sh [PART...]     PART: release, clang, asan, sse2; default: all of them
set -euo pipefail
cd "$(dirname "$0")/.."

if command -v apt-get >/dev/null; then scripts/install-dependencies.sh; fi
jobs=$(nproc)

configure() {  # PRESET OPTION...
    echo "== $1"
    log=$(cmake --preset "$@" 2>&1) || { echo "$log"; return 1; }
}

for part in "${@:-release clang asan tsan sse2}"; do
    for name in $part; do
        started=$SECONDS
        case $name in
            release)
                configure release
                cmake --build --preset release --parallel "$jobs"
                ctest --preset release --parallel "$jobs"
                ;;
            clang)
                preset=clang-19
                command -v clang++-19 >/dev/null || preset=clang
                configure $preset -DSIGMA_BUILD_EXAMPLES=OFF "-DSIGMA_UNIT_FOLDERS=core;device;network;plan;registry;storage;tape"
                cmake --build --preset $preset --parallel "$jobs" --target sigma_unit_tests
                ctest --preset $preset --parallel "$jobs" --label-regex unit
                ;;
            asan)
                configure asan "-DSIGMA_UNIT_FOLDERS=core;data;device;metric;plan;registry;storage;tape" -DSIGMA_FUZZ_SECONDS=60
                cmake --build --preset asan --parallel "$jobs" --target sigma_unit_tests sigma_fuzz
                ctest --preset asan --parallel "$jobs"
                ctest --test-dir build/asan --label-regex fuzz --parallel "$jobs" --output-on-failure
                ;;
            tsan)
                configure tsan -DSIGMA_BUILD_EXAMPLES=OFF "-DSIGMA_UNIT_FOLDERS=environment;registry;data/batches"
                cmake --build --preset tsan --parallel "$jobs" --target sigma_unit_tests
                still=(setarch -R)  # TSan of g++ 12 does not know how Linux spreads addresses today
                "${still[@]}" true 2>/dev/null || still=()
                "${still[@]}" ctest --preset tsan --parallel "$jobs" --label-regex unit
                ;;
            sse2)
                configure sse2 -DSIGMA_UNIT_FOLDERS="device;worker"
                cmake --build --preset sse2 --parallel "$jobs" --target sigma_unit_tests
                ctest --preset sse2 --parallel "$jobs"
                ;;
            *) echo "$0: expected release, clang, asan, tsan or sse2, found '$name'" >&2; exit 2 ;;
        esac
        echo "== $name passed in $((SECONDS - started)) s"
    done
done
