// SPDX-License-Identifier: BSL-1.0
// This file is compiled into the library once for each set of instructions. The build sets SIGMA_INSTRUCTIONS to
// library_avx2 etc., a namespace that is used nowhere else. See impl/choose_kernels.ipp.
#pragma once

#include <sigma/device/cpu/common_kernels.hpp>
#include <sigma/device/cpu/own_kernels.hpp>

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

extern const Kernels<float> float_kernels;
extern const Kernels<double> double_kernels;
extern const sigma::detail::ListView<CommonKernel<float>> float_common_kernels;  // impl/common_kernels.ipp

constexpr Kernels<float> with_common(Kernels<float> k) {
    k.common = &float_common_kernels;
    return k;
}
constexpr Kernels<float> float_kernels = with_common(make_kernels<float>());
constexpr Kernels<double> double_kernels = make_kernels<double>();

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS
