// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <cstdint>

// Functions of Thrust that complement the kernels of plans. They are compiled once: by nvcc for devices, by the host's
// compiler for emulated devices (algorithms/algorithms.cu). nvcc reads this header, so it includes no other header of
// Sigma.
namespace sigma::on_gpu::algorithms {

/// Keys with their values, in the memory of a device.
struct Pairs {
    std::uint32_t* keys = nullptr;
    std::int32_t* values = nullptr;
    long long count = 0;
    void* memory = nullptr;  ///< working memory, aligned to 256 bytes; nothing is allocated
    std::size_t bytes = 0;
};

/// Returns the bytes of working memory of a sort: a copy of each pair, and the counters of CUB (0.2 bytes a pair).
constexpr std::size_t sort_bytes(long long count) {
    return static_cast<std::size_t>(count) * 9 + (std::size_t{1} << 18);
}

// Stable sorts by key. They do not wait, so a capture may contain them. They return a cudaError_t, 0 for success.
namespace on_device {
/// Returns whether the functions were compiled for the current device.
bool has_code();
int sort(const Pairs& pairs, void* stream);
}  // namespace on_device
namespace on_processor {
int sort(const Pairs& pairs);
}

}  // namespace sigma::on_gpu::algorithms
