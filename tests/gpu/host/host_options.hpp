// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace sigma::on_gpu {

/// Which of the blocks, and of the threads that may go on, goes on first. A kernel whose result depends on it lacks a
/// barrier, or its blocks are not independent of each other.
enum class HostOrder : std::uint8_t { forward, backward };

/// How a HostBackend behaves.
struct HostOptions {
    int threads = 1;             ///< of a block, at most; a multiple of `lanes`, up to 1024
    int lanes = 1;               ///< threads of a group
    long long most_blocks = 16;  ///< blocks beyond which a grid has nothing to gain
    HostOrder order = HostOrder::forward;
    std::size_t memory = std::size_t{1} << 32;  ///< bytes that can be allocated; taken from the system when asked for
    bool library_products = true;               ///< or `product` returns false, and the plain path is taken
    bool split_products = false;                ///< where a product may be split
    bool sorts = true;                          ///< or `sort_pays` returns false
    bool transposed_right = true;               ///< or `product` returns false for those that read B transposed
    std::size_t largest_allocation = ~std::size_t{0};  ///< bytes; more is not to be had, as where memory is in pieces
    std::uint64_t fail_at_allocation = 0;  ///< the allocation, counted from 1, that throws DeviceMemoryError; 0: none
    std::uint64_t fail_at_launch = 0;      ///< the launch, counted from 1, that throws KernelError; 0: none
    std::string keep_texts = {};           ///< a folder where compiled texts are left to be read; empty: nowhere
};

/// What a HostBackend was asked for since it was made.
struct HostCounters {
    std::uint64_t launches = 0;  ///< kernels run, those of replays too
    std::uint64_t products = 0;  ///< by the library, those of replays too
    std::uint64_t sorts = 0;     ///< those of replays too
    std::uint64_t copies = 0;    ///< within device memory
    std::uint64_t clears = 0;
    std::uint64_t uploads = 0;  ///< those ahead too
    std::uint64_t downloads = 0;
    std::uint64_t bytes_up = 0;
    std::uint64_t bytes_down = 0;
    std::uint64_t synchronizations = 0;  ///< `synchronize` alone
    std::uint64_t captures = 0;
    std::uint64_t replays = 0;           ///< runs of what was captured
    std::uint64_t compilations = 0;      ///< calls of `compile`
    std::uint64_t compiler_runs = 0;     ///< those for which no equal text had been compiled in this process
    std::uint64_t allocations = 0;       ///< of device memory, those that failed too
    std::uint64_t unknown_releases = 0;  ///< of memory that is not the device's
};

}  // namespace sigma::on_gpu
