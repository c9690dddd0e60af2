// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/plan/plan_view.hpp>
#include <sigma/plan/product_forms.hpp>

#include <cstddef>

// Weights that every position of a loop multiplies by are packed once, before the loop.
namespace sigma::on_cpu {

/// The number of elements of the widest vector of any machine. Sizes in this unit fit the vectors of all machines.
template <class T>
inline constexpr int most_lanes = static_cast<int>(64 / sizeof(T));

/// Returns whether B of a product is the same at all positions of its loop and large enough for packing to pay.
template <class T, class P>
constexpr bool packs_once(const P& plan, const sigma::detail::Kernel& k) {
    return has_loop_invariant_b(plan, k) && k.product.n >= most_lanes<T> && k.product.k >= 32;
}
/// Returns the number of elements of the packed B of a product.
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

/// Returns the bytes of the arena of a plan for `records` records, and of the weights that it packs.
template <class T>
std::size_t arena_bytes(const sigma::detail::PlanView& plan, std::size_t records) {
    return sizeof(T) * (static_cast<std::size_t>(plan.fixed_size) + static_cast<std::size_t>(packed_size<T>(plan)) +
                        static_cast<std::size_t>(plan.batched_size) * records);
}

}  // namespace sigma::on_cpu
