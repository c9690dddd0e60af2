// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <ctime>

namespace sigma::storage {

long long process_id();

/// By the clock on the wall here.
std::tm local_time(std::time_t seconds);

/// How many cores the process may be put on.
int cores_of_process();

/// Bytes of address space and of data that the process may have; the largest number where nothing limits it.
struct MemoryLimits {
    std::size_t address_space, data;
};
MemoryLimits memory_limits();

}  // namespace sigma::storage

#ifndef SIGMA_COMPILED
#include <sigma/storage/posix/impl/process.ipp>
#endif
