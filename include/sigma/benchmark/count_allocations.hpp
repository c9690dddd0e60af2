// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Counts the calls of the heap for Comparison: malloc, calloc, realloc, memalign, aligned_alloc and posix_memalign.
/// Include it in one source file of your program: `<sigma/benchmark/count_allocations.hpp>`. It needs the GNU C library
/// and no sanitizer.
#include <sigma/benchmark/allocation_counter.hpp>

#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

#if !defined(__GLIBC__)
#error "<sigma/benchmark/count_allocations.hpp> needs the GNU C library"
#endif

// A program's own malloc comes before the C library's.
extern "C" {
/// @cond internal
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void* malloc(std::size_t n) noexcept { return sigma::detail::count_allocation(), __libc_malloc(n); }
void* calloc(std::size_t n, std::size_t m) noexcept { return sigma::detail::count_allocation(), __libc_calloc(n, m); }
void* realloc(void* p, std::size_t n) noexcept { return sigma::detail::count_allocation(), __libc_realloc(p, n); }
void* memalign(std::size_t a, std::size_t n) noexcept {
    return sigma::detail::count_allocation(), __libc_memalign(a, n);
}
void* aligned_alloc(std::size_t a, std::size_t n) noexcept {
    return sigma::detail::count_allocation(), __libc_memalign(a, n);
}
int posix_memalign(void** p, std::size_t a, std::size_t n) noexcept {
    sigma::detail::count_allocation();
    if (a % sizeof(void*) != 0 || !std::has_single_bit(a)) return EINVAL;
    void* const made = __libc_memalign(a, n);
    if (made == nullptr) return ENOMEM;
    *p = made;
    return 0;
}
/// @endcond
}
