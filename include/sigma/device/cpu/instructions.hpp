// SPDX-License-Identifier: BSL-1.0
#pragma once

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

#ifndef SIGMA_INSTRUCTIONS
#if defined(__AVX512F__)
#define SIGMA_INSTRUCTIONS avx512
#elif defined(__AVX2__) && defined(__FMA__)
#define SIGMA_INSTRUCTIONS avx2
#elif defined(__AVX__) && defined(__FMA__)
#define SIGMA_INSTRUCTIONS avx_fma
#elif defined(__AVX2__)
#define SIGMA_INSTRUCTIONS avx2_without_fma
#elif defined(__AVX__)
#define SIGMA_INSTRUCTIONS avx
#elif defined(__SSE4_1__)
#define SIGMA_INSTRUCTIONS sse4
#elif defined(__SSE2__)
#define SIGMA_INSTRUCTIONS sse2
#else
#define SIGMA_INSTRUCTIONS other
#endif
#endif

// Classes and functions outside of that namespace that use it have the instructions in their linker names, so that
// objects of one program with different -march do not share them: `class SIGMA_BY_INSTRUCTIONS Model`. g++ accepts no
// such tag for function templates, so they have an additional template argument, Instructions.
namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {
struct Instructions;
}
#ifdef __GNUC__
#define SIGMA_QUOTED_NOW(...) #__VA_ARGS__
#define SIGMA_QUOTED(...) SIGMA_QUOTED_NOW(__VA_ARGS__)
#define SIGMA_BY_INSTRUCTIONS [[gnu::abi_tag(SIGMA_QUOTED(SIGMA_INSTRUCTIONS))]]
#else
#define SIGMA_BY_INSTRUCTIONS
#endif
