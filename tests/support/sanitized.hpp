// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace sigma::test {

/// Whether AddressSanitizer or ThreadSanitizer is in this program: both bring operators new of their own, reserve more
/// memory than there is, and take many times as long. g++ says so by macros, clang by features.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SIGMA_TEST_IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SIGMA_TEST_IS_SANITIZED 1
#endif
#endif
#ifdef SIGMA_TEST_IS_SANITIZED
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace sigma::test
