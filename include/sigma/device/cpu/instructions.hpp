// SPDX-License-Identifier: BSL-1.0
#pragma once

// What is compiled for a set of instructions is in an inline namespace with the name of that set, so that a program may
// hold the same code for several: in its own translation units, and in the library, which names the namespaces itself.
// A function that is not there and is not inlined would be one symbol for all of them, and the linker would take any.
#ifndef SIGMA_INSTRUCTIONS
#if defined(__AVX512F__)
#define SIGMA_INSTRUCTIONS avx512
#elif defined(__AVX2__) && defined(__FMA__)
#define SIGMA_INSTRUCTIONS avx2
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
