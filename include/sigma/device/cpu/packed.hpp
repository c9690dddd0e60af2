// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/plan/plan_view.hpp>
#include <sigma/plan/product_forms.hpp>

#include <cstddef>

/// Weights that every position of a loop multiplies by are packed once, before the loop.
namespace sigma::on_cpu {

/// Elements in the widest vector of any machine: what is measured in these has room for the vectors of all.
template <class T>
inline constexpr int most_lanes = static_cast<int>(64 / sizeof(T));

/// Is B of this product, the same at all positions of its loop, large enough to be worth packing for these vectors?
template <class T, class P>
constexpr bool packs_once(const P& plan, const sigma::detail::Kernel& k) {
    return has_loop_invariant_b(plan, k) && k.product.n >= most_lanes<T> && k.product.k >= 32;
}
/// Elements that its packed B takes.
template <class T, class P>
constexpr std::ptrdiff_t packed_elements_of(const P& plan, const sigma::detail::Kernel& k) {
    return packs_once<T>(plan, k) ? std::ptrdiff_t{sigma::detail::round_up(k.product.n, most_lanes<T>)} * k.product.k
                                  : 0;
}
template <class T, class P>
constexpr std::ptrdiff_t packed_size(const P& plan) {
    std::ptrdiff_t n = 0;
    for (const sigma::detail::Kernel& k : plan.kernels) n += packed_elements_of<T>(plan, k);
    return n;
}

/// Bytes of the arena in which a plan runs on `records` records, and of the weights that it packs.
template <class T>
std::size_t arena_bytes(const sigma::detail::PlanView& plan, std::size_t records) {
    return sizeof(T) * (static_cast<std::size_t>(plan.fixed_size) + static_cast<std::size_t>(packed_size<T>(plan)) +
                        static_cast<std::size_t>(plan.batched_size) * records);
}

}  // namespace sigma::on_cpu
