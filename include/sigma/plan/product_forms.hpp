// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/plan/plan_view.hpp>

#include <string>
#include <vector>

namespace sigma::detail {

/// What a product does with its result before it stores it: adds a bias to each row, takes the maximum with 0, or both.
enum class ProductEpilogue : std::uint8_t { none, bias, relu, bias_relu };

/// What of its neighbours' work a product of a plan can do beside its own, on devices whose products can.
struct ProductForm {
    ProductEpilogue epilogue{};  ///< all that the kernel after it does; none, where that does anything else
    int store = -1, bias = -1;   ///< arguments of that kernel: where the result goes, and what is added
    int row = 0;                 ///< elements between rows where the result goes, coded
    int transposition = -1;      ///< the kernel that made B of what may be read transposed instead, or -1
    bool invariant =
        false;  ///< B is the same at all positions of its loop, as recurrent weights are: worth packing once
};

/// Is B of a product the same at all positions of its loop, and for all of its matrices? Values inside a loop have
/// records; what has none comes from outside.
constexpr bool has_loop_invariant_b(const auto& plan, const Kernel& k) {
    if (k.kind != Kernel::Kind::product || k.loop < 0 || plan.loops.begin()[k.loop].count < 2) return false;
    const Argument& b = plan.arguments.begin()[k.argument + 1];
    return !k.product.each && b.time == 0 && b.record == 0;
}

/// Last pass, over a finished plan: the form of each kernel. A transposition is named only where products that may read
/// its operand are all that reads its result, so that it is needless where they do. Devices that have such products ask
/// for this when they get a plan; programs are not planned longer for it.
std::vector<ProductForm> find_product_forms(const PlanView& plan);

/// What is more than a product of its own.
std::string to_text(const std::vector<ProductForm>& forms);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/plan/impl/product_forms.ipp>
#endif
