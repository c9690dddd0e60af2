// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <atomic>

namespace sigma::detail {

/// The number of calls of the heap so far; 0 in programs that do not count them.
inline constinit std::atomic<long> counted_allocations{0};

inline void count_allocation() { counted_allocations.fetch_add(1, std::memory_order_relaxed); }

}  // namespace sigma::detail
