#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Times gpu() beside PyTorch, on this machine's first GPU: builds benchmark_gpu, unless $BENCHMARK_GPU is one that was
# built before, and calls gpu_peers.py with all arguments. Ends with 77, and says so, where there is no device.
set -euo pipefail
cd "$(dirname "$0")/../.."
program=${BENCHMARK_GPU:-build/benchmarks/benchmarks/benchmark_gpu}
if [[ -z ${BENCHMARK_GPU:-} ]]; then
    log=$(cmake --preset benchmarks -DSIGMA_CUDA=ON 2>&1 && cmake --build --preset benchmarks --target benchmark_gpu 2>&1) ||
        { echo "$log"; exit 1; }
fi
exec python3 benchmarks/run/gpu_peers.py "$program" "$@"
