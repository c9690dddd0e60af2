// SPDX-License-Identifier: BSL-1.0
// Vectors of the library's kernels are xsimd's batches. Programs, whose fused kernels use the same names, have vectors
// on the compilers' own types in their place, with the same bits: xsimd's headers would double what a program compiles.
#pragma once
#ifdef SIGMA_XSIMD
#include <sigma/device/cpu/xsimd_vector.hpp>
#else
#include <sigma/device/cpu/own_vector.hpp>
#endif
