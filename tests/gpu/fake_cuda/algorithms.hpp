// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/algorithms.hpp>

#include "runtime.hpp"

#include <algorithm>
#include <vector>

// The functions that nvcc compiles for devices, as work of the fake runtime.
namespace sigma::on_gpu::algorithms {

inline bool on_device::has_code() { return fake_cuda::machine().sorts; }
inline int on_device::sort(const Pairs& pairs, void* stream) {
    if (pairs.bytes < sort_bytes(pairs.count)) return cudaErrorMemoryAllocation;
    return fake_cuda::enqueue(static_cast<cudaStream_t>(stream), [pairs] {
        std::vector<std::pair<std::uint32_t, std::int32_t>> all;
        for (long long i = 0; i < pairs.count; ++i) all.emplace_back(pairs.keys[i], pairs.values[i]);
        std::ranges::stable_sort(all, {}, &std::pair<std::uint32_t, std::int32_t>::first);
        for (std::size_t i = 0; i < all.size(); ++i) {
            pairs.keys[i] = all[i].first;
            pairs.values[i] = all[i].second;
        }
    });
}

}  // namespace sigma::on_gpu::algorithms
