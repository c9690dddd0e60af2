// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/sanitized.hpp"

#include <atomic>

// The sanitizers bring operators of their own, which must not be mixed with counting ones.
#ifndef SIGMA_TEST_IS_SANITIZED
#define SIGMA_COUNTS_ALLOCATIONS 1
#endif

namespace sigma::test {

/// Of the whole program by new; plain, aligned, from any thread.
extern std::atomic<long> allocations;

}  // namespace sigma::test
