#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Installs what is missing, then builds and passes tests.
#   test.sh [PART...]     default, and what CI runs: release asan tsan sse2
#   release    g++: everything. As one of the default parts without the unit tests of some folders, which compile the
#              longest or run the same code, and which asan and tsan have
#   asan       clang 19 (or clang) with ASan and UBSan: the unit tests of all folders but some whose programs others
#              have too; fuzzing
#   asan-all   the same, the unit tests of all folders
#   tsan       clang with TSan: what has threads of its own
#   tsan-all   the same, all unit tests of folders in which anything has
#   sse2       g++ for SSE2: kernel tests
#   oracle[=COUNT[,SEED]]   what libtorch computes too, and COUNT (40) random programs and half as many random networks
#              beside PyTorch. Installs them: a download of 152 MB, 680 MB on disk, half a minute. So CI leaves it out.
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
    unit_folders=$(ls tests/unit | grep -vxE 'data|hook|metric|network|registry|storage|trainer' | paste -sd ';')
    # These count allocations; sanitizers bring operators of their own.
    unit_folders="$unit_folders;data/batches;trainer/trainer"
fi
asan_folders="core;data;device;function;hook;metric;network;plan;registry;storage;tape;trainer;worker"
tsan_folders="environment;registry;data/batches"
with_threads="hook/background;hook/compute;hook/hook_thread;hook/pass;hook/save;"
with_threads+="trainer/batch_ring;trainer/control;trainer/tasks;trainer/trainer_threads"
for part in "${@:-release asan tsan sse2}"; do
    for name in $part; do
        started=$SECONDS
        case $name in
            release)
                configure release "-DSIGMA_UNIT_FOLDERS=$unit_folders"
                cmake --build --preset release --parallel "$jobs"
                ctest --preset release --parallel "$jobs"
                ;;
            asan | asan-all)
                [ "$name" = asan ] || asan_folders=
                configure asan "${clang[@]}" -DSIGMA_FUZZ_SECONDS=60 "-DSIGMA_UNIT_FOLDERS=$asan_folders"
                cmake --build --preset asan --parallel "$jobs" --target sigma_unit_tests sigma_fuzz
                ctest --preset asan --parallel "$jobs"
                ctest --test-dir build/asan --label-regex fuzz --parallel "$jobs" --output-on-failure
                ;;
            tsan | tsan-all)
                [ "$name" = tsan ] || with_threads="device;hook;trainer;worker"
                configure tsan "${clang[@]}" "-DSIGMA_UNIT_FOLDERS=$tsan_folders;$with_threads"
                cmake --build --preset tsan --parallel "$jobs" --target sigma_unit_tests
                still=(setarch -R)  # older TSan does not know how Linux spreads addresses today
                "${still[@]}" true 2>/dev/null || still=()
                "${still[@]}" ctest --preset tsan --parallel "$jobs" --label-regex unit
                ;;
            oracle | oracle=*)
                if command -v apt-get >/dev/null; then scripts/install-dependencies.sh oracle; fi
                IFS=, read -r count seed <<< "${name#oracle}"
                count=${count#=}
                # g++, since clang does not take the headers of libtorch 1.13; Debian's Python, which has its PyTorch.
                configure oracle "-DSIGMA_ORACLE_COUNT=${count:-40}" "-DSIGMA_ORACLE_SEED=${seed:-1}" \
                    "-DSIGMA_ORACLE_COMPILER=${clang[0]#*=}" -DPython3_EXECUTABLE=/usr/bin/python3
                cmake --build --preset oracle --parallel "$jobs" --target sigma_oracle_tests
                ctest --preset oracle
                ;;
            sse2)
                configure sse2 -DSIGMA_UNIT_FOLDERS="device;worker"
                cmake --build --preset sse2 --parallel "$jobs" --target sigma_unit_tests
                ctest --preset sse2 --parallel "$jobs"
                ;;
            *) echo "$0: expected release, asan, asan-all, tsan, tsan-all, sse2 or oracle, found '$name'" >&2; exit 2 ;;
        esac
        echo "== $name passed in $((SECONDS - started)) s"
    done
done
