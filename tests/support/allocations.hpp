// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <atomic>

// The sanitizers bring operators of their own, which must not be mixed with counting ones.
#if defined(__has_feature)  // clang
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SIGMA_SANITIZED 1
#endif
#endif
#if !defined(SIGMA_SANITIZED) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SIGMA_COUNTS_ALLOCATIONS 1
#endif

namespace sigma::test {

/// Of the whole program by new; plain, aligned, from any thread.
extern std::atomic<long> allocations;

}  // namespace sigma::test
