#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Installs missing packages, then builds and runs tests.
#   test.sh [PART...]     default: $SIGMA_TEST, or the parts that CI runs for every change: release asan tsan sse2
#   test.sh all           release-all asan-all tsan-all sse2 header-only libcxx oracle benchmarks arm packages
# Parts:
#   release    g++: unit tests of kernels, plans, tapes and allocations; programs that must not compile; most tests of the
#              GPU; examples, pages, headers, the installed library
#   asan       clang 19 (or clang) with ASan and UBSan: all other unit tests, and kernels again; 10 s of each fuzz target,
#              20 s of the targets of monitors, which read untrusted bytes
#   tsan       clang with TSan: unit tests of code with threads
#   sse2       g++ for SSE2: kernels
#   release-all, asan-all, tsan-all   the same with all unit tests (tsan-all: all folders that have threads); also
#              programs that must not compile with clang; headers without the library; 500 kills instead of 50; 60 s of
#              each fuzz target
#   header-only   clang: all unit tests without the library
#   libcxx     clang 19 with LLVM's standard library, which macOS uses: the library, sigma::monitor, every header, the
#              first three examples; unit tests of storage, core, device, tape and layer, and of reading numbers. Installs
#              the standard library.
#   arm        g++ for 64-bit ARM, run by qemu: each operation of the vectors of xsimd and of Sigma; unit tests of device,
#              plan, tape and layer; examples that need no other C libraries, or their first epochs. Installs both. Takes
#              15 minutes.
#   packages   g++: the files of a release; lintian; the Debian packages in a new root that has nothing else but a compiler
#              and CMake (as root); the recipe for Conan, the port for vcpkg and the image of a container, each if its tool
#              is installed. Downloads 200 MB.
#   benchmarks    builds and runs the benchmarks of benchmarks/run.sh for a short time each
#   oracle[=COUNT[,SEED]]   comparisons with libtorch; then COUNT (40) random programs, COUNT / 2 random networks, and 8
#              times as many of both as text, compared with PyTorch. Installs both: a download of 152 MB, 680 MB on disk,
#              30 s.
set -euo pipefail
cd "$(dirname "$0")/.."

if command -v apt-get >/dev/null; then
    scripts/install-dependencies.sh
    scripts/install-dependencies.sh monitor || echo "cannot install the packages of sigma::monitor: it is not built" >&2
    scripts/install-dependencies.sh machines || echo "cannot install Open MPI: sigma::machines is not built" >&2
    scripts/install-dependencies.sh onnx || echo "cannot install the packages of sigma::onnx: it is not built" >&2
    # Without a browser, this installs 176 packages with Chromium: 189 MB to download, 655 MB on disk.
    if [[ " ${*:-${SIGMA_TEST:-default}} " =~ \ (default|all|release|release-all)\  ]]; then
        scripts/install-dependencies.sh site || echo "cannot install MkDocs or Doxygen: the site of the documentation is not tested" >&2
        scripts/install-dependencies.sh browser || echo "cannot install a browser: the page of monitors is not tested in one" >&2
    fi
    if [[ " ${*:-${SIGMA_TEST:-default}} " =~ \ (all|release-all)\  ]]; then
        scripts/install-dependencies.sh wasm || echo "cannot install emscripten: exported headers are not tested in WebAssembly" >&2
    fi
fi
jobs=$(nproc)

# Programs with sanitizers are compiled by clang without optimization: a third of the time of g++ with -O1.
clang=(-DCMAKE_CXX_COMPILER=clang++ "-DCMAKE_CXX_FLAGS_DEBUG=-O0 -g1")
if command -v clang++-19 >/dev/null; then clang[0]=-DCMAKE_CXX_COMPILER=clang++-19; fi

# With sanitizers, kernels are compiled for the newest instructions of this machine only: clang takes minutes for each set,
# and all sets have one source. `asan-all` compiles every set.
newest=sse2
if grep -qw avx2 /proc/cpuinfo 2>/dev/null; then newest=avx2; fi
if grep -qw avx512vl /proc/cpuinfo 2>/dev/null; then newest=avx512; fi

trees=()
configure() {  # PRESET OPTION...
    echo "== $1"
    [[ " ${trees[*]} " == *" build/$1 "* ]] || trees+=("build/$1")
    log=$(cmake --preset "$@" -DSIGMA_JOIN_UNIT_TESTS=ON 2>&1) || { echo "$log"; return 1; }
}
build() {  # PRESET TARGET...
    cmake --build --preset "$1" --parallel "$jobs" ${2:+--target "${@:2}"}
}
pass() {  # PRESET OPTION... of ctest
    ctest --preset "$1" --parallel "$jobs" "${@:2}"
}

trap 'scripts/dearest.py "${trees[@]}" || true' EXIT

# Unit tests that g++ compiles; asan has the others. Kernels are tested with both compilers. Tests that count allocations
# cannot run with sanitizers, which replace operator new. Large products take six minutes with sanitizers, profiles one.
gcc_folders="device;plan;tape;execution;data/batches/batch_allocations;network/predictor_allocations;trainer/profile;trainer/trainer;trainer/large_product"
# Tests of the GPU, without those that train many networks.
gpu_tests=$(cd tests/gpu && ls -- *_test.cpp | sed 's/_test\.cpp$//' | grep -vxE 'examples_.*|parallel_layers' | paste -sd ';')
# The tests of device/cpu/interpreter take three minutes to compile with sanitizers.
asan_folders=$(cd tests/unit && ls -d -- * trainer/*_test.cpp device/*_test.cpp device/cpu/*_test.cpp | sed 's/_test\.cpp$//' |
    grep -vxE 'plan|tape|device|trainer|trainer/(large_product|profile)' | paste -sd ';')
tsan_folders="exchange/quantize;network/inference;core/owners;core/show_tasks;core/task;core/terminal;hook/toggle;data/batches;data/block_dataset;data/blocks;data/source/url;device/cpu/thread_pool;"
tsan_folders+="environment;monitor/attacks;monitor/board;monitor/forks;monitor/panels;monitor/predictions;monitor/run_answers;monitor/run_folder;monitor/run_library;monitor/system;monitor/terminal;monitor/web;hook/background;hook/compute;hook/hook_thread;hook/pass;hook/save;registry;storage/atomic_file;"
tsan_folders+="trainer/batch_loader;trainer/control;trainer/run_clock;trainer/tasks;trainer/trainer_threads;trainer/workers;trainer/machines;trainer/search;execution"
# The first three depend on the system and the standard library.
libcxx_folders="storage;core;data/reader/csv_number;device;tape;layer"

parts=()
for name in ${*:-${SIGMA_TEST:-default}}; do
    case $name in
        default) parts+=(release asan tsan sse2) ;;
        all) parts+=(release-all asan-all tsan-all sse2 header-only libcxx oracle benchmarks arm packages) ;;
        *) parts+=("$name") ;;
    esac
done
for name in "${parts[@]}"; do
    started=$SECONDS
    case $name in
        release)
            configure release -DSIGMA_FUZZ_SECONDS=0 "-DSIGMA_UNIT_FOLDERS=$gcc_folders" "-DSIGMA_GPU_TESTS=$gpu_tests" -DSIGMA_TEST_ALL=OFF
            build release
            pass release
            ;;
        release-all)
            configure release -DSIGMA_FUZZ_SECONDS=0 -DSIGMA_UNIT_FOLDERS= -DSIGMA_GPU_TESTS= -DSIGMA_TEST_ALL=ON
            build release
            pass release
            ;;
        asan)
            configure asan "${clang[@]}" "-DSIGMA_UNIT_FOLDERS=$asan_folders" -DSIGMA_INSTRUCTION_SETS=$newest -DSIGMA_FUZZ_SECONDS=10 \
                -DSIGMA_MONITOR_FUZZ_SECONDS=20
            build asan sigma_unit_tests sigma_fuzz
            pass asan
            ;;
        asan-all)
            configure asan "${clang[@]}" -DSIGMA_UNIT_FOLDERS= "-DSIGMA_INSTRUCTION_SETS=sse2;avx2;avx512" -DSIGMA_FUZZ_SECONDS=60 \
                -DSIGMA_MONITOR_FUZZ_SECONDS=60
            build asan sigma_unit_tests sigma_fuzz
            pass asan
            ;;
        tsan | tsan-all)
            onnx=OFF  # these tests do not use it
            if [ "$name" = tsan-all ]; then
                tsan_folders="core;data;device;environment;exchange;hook;monitor;network;registry;storage;trainer;execution"
                onnx=AUTO
            fi
            configure tsan "${clang[@]}" "-DSIGMA_UNIT_FOLDERS=$tsan_folders" -DSIGMA_INSTRUCTION_SETS=$newest "-DSIGMA_ONNX=$onnx"
            build tsan sigma_unit_tests
            still=(setarch -R)  # older TSan fails with today's address randomization of Linux
            "${still[@]}" true 2>/dev/null || still=()
            "${still[@]}" ctest --preset tsan --parallel "$jobs"
            ;;
        sse2)  # uses the library of release
            configure release -DSIGMA_TEST_SSE2=ON
            build release sigma_sse2_tests
            pass release --label-regex sse2
            ;;
        packages)
            if command -v apt-get >/dev/null; then scripts/install-dependencies.sh packages; fi
            scripts/packages.sh
            python3 tests/packages/packages.py lintian build/package/release/*.deb
            if [ "$(id -u)" = 0 ]; then
                tests/packages/bare_root.sh build/package/release
            else
                echo "skipped: tests/packages/bare_root.sh needs root"
            fi
            tests/packages/recipes.sh
            ;;
        benchmarks)
            benchmarks/run.sh --quick
            ;;
        header-only)
            configure header-only "${clang[@]}"
            build header-only sigma_unit_tests
            pass header-only
            ;;
        libcxx)
            if command -v apt-get >/dev/null; then scripts/install-dependencies.sh libcxx; fi
            scripts/header-libraries.sh build/libcxx/headers
            configure libcxx "-DCatch2_DIR=$PWD/build/libcxx/headers/Catch2" -DSIGMA_FUZZ_SECONDS=0 "-DSIGMA_UNIT_FOLDERS=$libcxx_folders"
            build libcxx sigma_unit_tests sigma_link_test example_01_expression example_02_custom_layer example_03_xor
            pass libcxx --tests-regex '^unit|link.two|example.0[123]_'
            ;;
        arm)
            if command -v apt-get >/dev/null; then scripts/install-dependencies.sh arm; fi
            scripts/header-libraries.sh build/arm/headers
            headers=$PWD/build/arm/headers
            configure arm "-Dxtensor_DIR=$headers/xtensor" "-DCatch2_DIR=$headers/Catch2" "-DSIGMA_XSIMD_INCLUDE_DIR=$headers/include" \
                -DSIGMA_FUZZ_SECONDS=0 "-DSIGMA_UNIT_FOLDERS=device;plan;tape;layer"
            # Examples that need no other C libraries, which are not installed for ARM.
            build arm sigma_bits_own_other sigma_bits_xsimd_other sigma_unit_tests example_01_expression example_02_custom_layer \
                example_03_xor example_09_tic_tac_toe example_13_forecast example_14_functional_graph example_27_ridge \
                example_28_gan example_30_cart_pole example_33_own_loss
            pass arm --tests-regex '^unit|same_bits|example.(first_epochs|01|02|03|14|27|28|30|33)'
            ;;
        oracle | oracle=*)
            if command -v apt-get >/dev/null; then scripts/install-dependencies.sh oracle; fi
            IFS=, read -r count seed <<< "${name#oracle}"
            count=${count#=}
            # g++, because clang rejects the headers of libtorch 1.13. Debian's Python, because it has Debian's PyTorch.
            configure oracle "-DSIGMA_ORACLE_COUNT=${count:-40}" "-DSIGMA_ORACLE_SEED=${seed:-1}" \
                "-DSIGMA_ORACLE_COMPILER=${clang[0]#*=}" -DPython3_EXECUTABLE=/usr/bin/python3
            build oracle sigma_oracle_tests sigma_text_oracle
            ctest --preset oracle
            ;;
        *)
            echo "$0: expected all, release[-all], asan[-all], tsan[-all], sse2, header-only, libcxx, oracle, arm, packages or benchmarks, found '$name'" >&2
            exit 2
            ;;
    esac
    echo "== $name passed in $((SECONDS - started)) s"
done
