// SPDX-License-Identifier: BSL-1.0
// The kernels of a program: those of the library for the current processor or, without the library, its own.
#pragma once
#include <sigma/device/cpu/kernels.hpp>
#ifndef SIGMA_COMPILED
#include <sigma/device/cpu/own_kernels.hpp>
#endif

#include <span>

#ifdef SIGMA_COMPILED
namespace sigma::on_cpu {

/// Returns the kernels for this processor, chosen at the first call. The environment variable SIGMA_INSTRUCTIONS (sse2,
/// avx2, avx512) selects other instructions. Throws ArgumentError if the processor does not have them.
template <class T>
const Kernels<T>& kernels();
template <>
const Kernels<float>& kernels<float>();
template <>
const Kernels<double>& kernels<double>();
/// Returns the kernels for all instruction sets of this processor, the best last.
template <class T>
std::span<const Kernels<T>* const> all_kernels();
template <>
std::span<const Kernels<float>* const> all_kernels<float>();
template <>
std::span<const Kernels<double>* const> all_kernels<double>();

}  // namespace sigma::on_cpu
#else
namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

template <class T>
const Kernels<T>& kernels() {
    return own_kernels<T>;
}
template <class T>
std::span<const Kernels<T>* const> all_kernels() {
    static constexpr const Kernels<T>* all[] = {&own_kernels<T>};
    return all;
}

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS
#endif
