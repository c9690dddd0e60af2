// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <cstdint>

/// What Thrust does on a GPU beside the kernels of plans, as plain functions, compiled once: by nvcc for devices, by
/// the host's compiler for what emulates them (algorithms/algorithms.cu). nvcc reads this header, so it includes
/// nothing of Sigma.
namespace sigma::on_gpu::algorithms {

/// Keys, each with a value, in a device's memory.
struct Pairs {
    std::uint32_t* keys = nullptr;
    std::int32_t* values = nullptr;
    long long count = 0;
    void* memory = nullptr;  ///< for what is needed in between, from a multiple of 256 on: nothing is allocated
    std::size_t bytes = 0;
};

/// Bytes in between of a sort: another of each pair, and what CUB counts; it asks for 0.2 bytes a pair.
constexpr std::size_t sort_bytes(long long count) {
    return static_cast<std::size_t>(count) * 9 + (std::size_t{1} << 18);
}

// By key, equal keys in the order in which they are. Where it is asked for nothing waits, so that a capture may hold
// it. They return a cudaError_t, 0 where all is well.
namespace on_device {
/// Was it compiled for the current device?
bool has_code();
int sort(const Pairs& pairs, void* stream);
}  // namespace on_device
namespace on_processor {
int sort(const Pairs& pairs);
}

}  // namespace sigma::on_gpu::algorithms
