#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Builds programs that test and time gpu() on another machine. That machine needs a GPU and the CUDA toolkit, but none of
# the packages that Sigma is built with: build/gpu-kit/ contains the programs for x86-64-v3, the libraries that they need
# besides those of glibc and CUDA, and run.sh.
#   gpu-kit.sh            Then, on that machine: bash build/gpu-kit/run.sh tests|sanitizer|benchmark. To measure a new
#                         kind of GPU in one table: build/gpu-kit/first-hour.sh
#   $GPU_KIT_PROGRAMS     folder with programs that were built before. Nothing is compiled then.
set -euo pipefail
cd "$(dirname "$0")/.."
kit=build/gpu-kit
most=62  # MiB that can be copied to a borrowed machine

programs=${GPU_KIT_PROGRAMS:-}
if [[ -z $programs ]]; then
    tree=build/gpu-kit-tree
    log=$(cmake -S . -B $tree -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=g++ -DSIGMA_ARCH=x86-64-v3 \
        -DSIGMA_CUDA=ON -DSIGMA_BUILD_BENCHMARKS=ON -DSIGMA_BUILD_EXAMPLES=OFF \
        -DCMAKE_EXE_LINKER_FLAGS=-Wl,--as-needed 2>&1) ||
        { echo "$log"; exit 1; }
    cmake --build $tree --parallel "$(nproc)" --target sigma_gpu_tests sigma_fake_cuda_tests benchmark_gpu
    programs=$(mktemp -d)
    trap 'rm -r "$programs"' EXIT
    cp $tree/tests/sigma_gpu_tests $tree/tests/sigma_fake_cuda_tests $tree/benchmarks/benchmark_gpu "$programs"
fi

rm -rf $kit
mkdir -p $kit/bin $kit/lib $kit/lib-compiler $kit/benchmarks/run
cp "$programs"/* $kit/bin/
strip $kit/bin/*
for program in $kit/bin/*; do
    while read -r name _ path _; do
        case $name in
            linux-vdso.so*|/*|ld-linux*|libc.so.*|libm.so.*|libdl.so.*|libpthread.so.*|librt.so.*|libresolv.so.*) ;;
            libcuda.so.*|libcudart.so.*|libnvrtc.so.*|libcublas*.so.*|libnccl.so.*) ;;
            # The compiler of that machine is newer and needs its own libraries.
            libstdc++.so.*|libgcc_s.so.*) cp -L "$path" $kit/lib-compiler/ ;;
            *) cp -Lu "$path" $kit/lib/ ;;
        esac
    done < <(ldd "$program")
done
strip --strip-unneeded $kit/lib/* 2>/dev/null || true
cp benchmarks/run/gpu.sh benchmarks/run/gpu_peers.py $kit/benchmarks/run/
tar -C $kit -czf $kit/programs.tar.gz bin lib lib-compiler benchmarks
rm -r ${kit:?}/{bin,lib,lib-compiler,benchmarks}
cp scripts/gpu-kit/{run.sh,first-hour.sh,probe.cu} $kit/

size=$(du -sm --apparent-size $kit | cut -f1)
echo "$kit: $size MiB"
((size <= most)) || { echo "$0: expected at most $most MiB, found $size" >&2; exit 1; }
