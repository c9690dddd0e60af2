// SPDX-License-Identifier: BSL-1.0
// The kernel of products of 8 bits for AVX-512, on simulated vectors; quantize_test.cpp runs it.
#if defined(__x86_64__)
#include "simulated_avx512.hpp"
#define SIGMA_INT8 simulated_avx512
#undef __AVX512BW__
#undef __AVX512VNNI__
#define __AVX512BW__ 1
namespace sigma::int8::simulated_avx512 {
extern const Functions functions;
}
#include "quantized/kernel.ipp"
#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
