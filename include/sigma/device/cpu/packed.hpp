// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/cpu/product.hpp>
#include <sigma/plan/plan.hpp>

/// Weights that every position of a loop multiplies by are packed once, before the loop.
namespace sigma::simd {

/// Is the B of this product the same at all positions of its loop, and large enough to be worth packing? Values inside a
/// loop have records; what has none comes from outside.
template <class T, class P>
constexpr bool packs_once(const P& plan, int number) {
    const Kernel& k = plan.kernels[number];
    if (k.kind != Kernel::Kind::product || k.loop < 0 || plan.loops[k.loop].count < 2) return false;
    const Argument& b = plan.arguments[k.argument + 1];
    return !k.each && b.time == 0 && b.record == 0 && k.extent[1] >= lanes<T> && k.extent[2] >= 32 && k.extent[3] == 1 &&
           k.extent[4] == 1;
}
/// Elements that the kernels before this one have packed.
template <class T, class P>
constexpr std::ptrdiff_t packed_offset(const P& plan, int number) {
    std::ptrdiff_t n = 0;
    for (int i = 0; i < number; ++i)
        if (packs_once<T>(plan, i)) n += packed_elements<T>(plan.kernels[i].extent[1], plan.kernels[i].extent[2]);
    return n;
}
template <class T, class P>
constexpr std::ptrdiff_t packed_size(const P& plan) {
    return packed_offset<T>(plan, plan.kernels.size());
}

}  // namespace sigma::simd
