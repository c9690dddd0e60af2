// SPDX-License-Identifier: BSL-1.0
// Which kernels a program uses: of the library's, those for the processor it runs on; without it, its own.
#pragma once
#include <sigma/device/cpu/kernels.hpp>
#ifndef SIGMA_COMPILED
#include <sigma/device/cpu/own_kernels.hpp>
#endif

#include <span>

#ifdef SIGMA_COMPILED
namespace sigma::on_cpu {

/// Those for this processor, chosen when first used; the environment variable SIGMA_INSTRUCTIONS (sse2, avx2, avx512)
/// chooses others that it has. Throws ArgumentError for what it lacks.
template <class T>
const Kernels<T>& kernels();
template <>
const Kernels<float>& kernels<float>();
template <>
const Kernels<double>& kernels<double>();
/// All that this processor has, best last.
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
