#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Runs the programs of a kit (scripts/gpu-kit.sh) on the machine to which it was copied. Writes results to $OUT, or to
# results/ next to this file.
#   run.sh tests [NAME...]      all tests, or the named ones, such as cuda_product_test. Without a device: "skipped"
#   run.sh sanitizer            compute-sanitizer for the tests on the device: memcheck, racecheck, synccheck
#   run.sh benchmark [OPTION]   Sigma compared with PyTorch; options of gpu_peers.py
# Exits with 77 if there is nothing to do: no device, or no compute-sanitizer.
set -uo pipefail
kit=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${OUT:-$kit/results}
mkdir -p "$out"
here=$(mktemp -d)  # folder of the unpacked programs
trap 'rm -r "$here"' EXIT
tar -xzf "$kit/programs.tar.gz" -C "$here" || exit 1
limit=${SECONDS_A_TOOL:-170}  # for each tool of compute-sanitizer

# Prints the libraries that the programs do not find in these folders.
not_found() {
    LD_LIBRARY_PATH=$1 ldd "$here/bin/sigma_gpu_tests" "$here/bin/benchmark_gpu" 2>&1 | grep 'not found'
}

use_libraries() {
    local folders=$here/lib folder
    for folder in "${CUDA_HOME:-/usr/local/cuda}"/{lib64,targets/x86_64-linux/lib}; do
        [[ -d $folder ]] && folders+=:$folder
    done
    if not_found "$folders" | grep -q 'lib\(cudart\|nvrtc\|cublasLt\)'; then
        # Packages of Python contain them, too.
        while read -r folder; do folders+=:$folder; done < <(python3 - <<'END' 2>/dev/null
import glob, site, sys
for root in {*site.getsitepackages(), *sys.path}:
    for folder in sorted(glob.glob(root + "/nvidia/*/lib")):
        print(folder)
END
        )
    fi
    # Use our libraries if theirs are older or missing. Ours work for these programs, but not for every compiler there.
    if not_found "$folders" | grep -q 'GLIBCXX_\|CXXABI_\|lib\(stdc++\|gcc_s\)'; then
        folders+=:$here/lib-compiler
    fi
    export LD_LIBRARY_PATH=$folders${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    local missing
    missing=$(not_found "$LD_LIBRARY_PATH")
    if [[ -n $missing ]]; then
        printf 'run.sh: these libraries are missing:\n%s\n' "$missing" >&2
        exit 1
    fi
}

describe() {
    nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null ||
        echo "no device found by nvidia-smi"
    "${SIGMA_HOST_CXX:-c++}" --version 2>/dev/null | head -1
}

# Tests that run on the CPU compile kernels with a C++ compiler. Tests on the device do not.
choose_compiler() {
    local name
    for name in ${SIGMA_HOST_CXX:-} g++ c++ clang++; do
        if command -v "$name" >/dev/null; then
            export SIGMA_HOST_CXX=$name
            return
        fi
    done
    echo "run.sh: no C++ compiler found: tests of the GPU code on the CPU will fail" >&2
}

tests() {
    local filter="" name rc=0
    # Without ~[fault], a name would also select the hidden test that breaks the device.
    for name in "$@"; do filter+=${filter:+,}"[#$name]~[fault]"; done
    {
        describe
        "$here/bin/sigma_gpu_tests" --filenames-as-tags --durations yes ${filter:+"$filter"} || rc=1
        if [[ -z $filter && -x $here/bin/sigma_fake_cuda_tests ]]; then
            "$here/bin/sigma_fake_cuda_tests" || rc=1
        fi
        echo "tests: $([[ $rc = 0 ]] && echo passed || echo FAILED)"
    } >"$out/tests.txt" 2>&1
    grep -v '^[0-9.]* s: ' "$out/tests.txt" | tail -n 60
    echo "skipped without a device: $(grep -c 'skipped: no CUDA device' "$out/tests.txt")"
    return $rc
}

sanitizer() {
    local tool=compute-sanitizer name rc=0 code
    command -v $tool >/dev/null || tool=${CUDA_HOME:-/usr/local/cuda}/bin/compute-sanitizer
    [[ -x $(command -v "$tool") ]] || { echo "skipped: no compute-sanitizer"; return 77; }
    nvidia-smi >/dev/null 2>&1 || { echo "skipped: no CUDA device"; return 77; }
    # Tests that run on a device. Errors of the CUDA API that tests cause on purpose are not reported.
    local on_device=""
    export SIGMA_TEST_CUDA_ALONE=1
    for name in cuda_backend cuda_product cuda_launches laws generate_fused generate_image generate_lookup \
        generate_movement generate_product operations layers random_programs program training examples_image \
        examples_sequence examples_dense; do
        on_device+=${on_device:+,}"[#${name}_test]~[fault]"
    done
    for name in memcheck racecheck synccheck; do
        timeout --kill-after=10 "$limit" "$tool" --tool $name --report-api-errors no --error-exitcode 99 \
            "$here/bin/sigma_gpu_tests" --filenames-as-tags --durations yes "$on_device" >"$out/$name.txt" 2>&1
        code=$?
        case $code in
            0) echo "$name: nothing found" ;;
            124|137) echo "$name: stopped after $limit s: $(grep -c ' s: ' "$out/$name.txt") tests done" ;;
            *) if grep -qi 'not supported\|unable to initialize' "$out/$name.txt"; then
                   echo "$name: skipped: $(grep -im1 'not supported\|unable to initialize' "$out/$name.txt")"
                   continue
               fi
               echo "$name: FAILED ($code)"
               rc=1 ;;
        esac
        grep -E '^=+ (ERROR|RACECHECK|Invalid|Error|Race)|SUMMARY' "$out/$name.txt" | head -n 20
    done
    return $rc
}

benchmark() {
    BENCHMARK_GPU=$here/bin/benchmark_gpu bash "$here/benchmarks/run/gpu.sh" --output "$out/gpu.json" "$@" 2>&1 |
        tee "$out/benchmark.txt"
    return "${PIPESTATUS[0]}"
}

what=${1:-}
case $what in
    tests|sanitizer|benchmark) ;;
    *) echo "$0: expected tests, sanitizer or benchmark, found '$what'" >&2; exit 2 ;;
esac
shift
export SIGMA_OFFLINE=1 SIGMA_CUDA_CACHE=${SIGMA_CUDA_CACHE:-/tmp/sigma-kernels}
use_libraries
choose_compiler
"$what" "$@"
