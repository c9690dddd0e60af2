// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace sigma::on_gpu {

/// The order in which blocks, and threads that can continue, run. If the result of a kernel depends on the order, a
/// barrier is missing or its blocks are not independent.
enum class HostOrder : std::uint8_t { forward, backward };

/// Options of a HostBackend.
struct HostOptions {
    int threads = 1;             ///< most threads of a block; a multiple of `lanes`, up to 1024
    int lanes = 1;               ///< threads of a group
    long long most_blocks = 16;  ///< blocks above which a grid gains nothing
    HostOrder order = HostOrder::forward;
    std::size_t memory = std::size_t{1} << 32;  ///< bytes that can be allocated; taken from the system on request
    bool library_products = true;               ///< false: `product` returns false, and kernels compute products
    bool split_products = false;                ///< products may be split
    bool sorts = true;                          ///< false: `sort_pays` returns false
    bool transposed_right = true;               ///< false: `product` returns false for a transposed B
    std::size_t largest_allocation = ~std::size_t{0};  ///< bytes; larger allocations fail, as with fragmented memory
    std::uint64_t fail_at_allocation = 0;  ///< number of the allocation that throws DeviceMemoryError, from 1; 0: none
    std::uint64_t fail_at_launch = 0;      ///< number of the launch that throws KernelError, from 1; 0: none
    std::string keep_texts = {};           ///< a folder in which compiled texts are kept; empty for none
};

/// Counters of the calls of a HostBackend.
struct HostCounters {
    std::uint64_t launches = 0;  ///< kernels run, including replays
    std::uint64_t products = 0;  ///< products of the library, including replays
    std::uint64_t sorts = 0;     ///< sorts, including replays
    std::uint64_t copies = 0;    ///< copies within device memory
    std::uint64_t clears = 0;
    std::uint64_t uploads = 0;  ///< uploads, including those ahead
    std::uint64_t downloads = 0;
    std::uint64_t bytes_up = 0;
    std::uint64_t bytes_down = 0;
    std::uint64_t synchronizations = 0;  ///< calls of `synchronize`
    std::uint64_t captures = 0;
    std::uint64_t replays = 0;           ///< runs of what was captured
    std::uint64_t compilations = 0;      ///< calls of `compile`
    std::uint64_t compiler_runs = 0;     ///< calls with a text that was not compiled before in this process
    std::uint64_t allocations = 0;       ///< allocations of device memory, including failed ones
    std::uint64_t unknown_releases = 0;  ///< releases of foreign memory
};

}  // namespace sigma::on_gpu
