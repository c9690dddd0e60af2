// SPDX-License-Identifier: BSL-1.0
#pragma once

// Kernels pass vectors through small functions; one that is not inlined spills every register it was given.
#if defined(_MSC_VER) && !defined(__clang__)
#define SIGMA_INLINE __forceinline
#else
#define SIGMA_INLINE [[gnu::always_inline]] inline
#endif

// Unrolls the loop that follows completely. Register tiles need it: an array indexed by a loop counter is memory
// until its loop is gone, and neither compiler unrolls nested loops of this kind by itself.
#if defined(__clang__)
#define SIGMA_UNROLL _Pragma("clang loop unroll(full)")
#else
#define SIGMA_UNROLL _Pragma("GCC unroll 16")
#endif
