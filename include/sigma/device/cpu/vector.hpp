// SPDX-License-Identifier: BSL-1.0
// The vectors of the library's kernels are batches of xsimd. Fused kernels of programs use the same names for vectors
// on the types of compilers, with bit-identical results: xsimd's headers would double what a program compiles.
#pragma once
#ifdef SIGMA_XSIMD
#include <sigma/device/cpu/xsimd_vector.hpp>
#else
#include <sigma/device/cpu/own_vector.hpp>
#endif
