// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <ctime>

/// @cond internal
namespace sigma::storage {

long long process_id();

/// Returns a time in the local time zone.
std::tm local_time(std::time_t seconds);

/// Returns the number of cores on which the system may run the process.
int cores_of_process();

/// The limits of the process in bytes, for its address space and its data; the largest number means no limit.
struct MemoryLimits {
    std::size_t address_space, data;
};
MemoryLimits memory_limits();

}  // namespace sigma::storage
/// @endcond

#ifndef SIGMA_COMPILED
#include <sigma/storage/posix/impl/process.ipp>
#endif
