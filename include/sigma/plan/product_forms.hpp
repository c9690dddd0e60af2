// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/plan/plan_view.hpp>

#include <string>
#include <vector>

namespace sigma::detail {

/// An operation on the result of a product before it is stored: adding a bias to each row, the maximum with 0, or both.
enum class ProductEpilogue : std::uint8_t { none, bias, relu, bias_relu };

/// The work of adjacent kernels that a product can include, on devices with such products.
struct ProductForm {
    ProductEpilogue epilogue{};  ///< the whole next kernel as an epilogue, or none
    int store = -1, bias = -1;   ///< arguments of the next kernel: the result and the bias
    int row = 0;                 ///< elements from row to row of the result, coded
    int transposition = -1;      ///< kernel that transposes B, which the product may read directly, or -1
    bool invariant =
        false;  ///< true if B is equal at all positions of the loop, as recurrent weights, so that packing it once pays
};

/// Returns whether B of a product is equal at all positions of its loop and for all its matrices. Values inside a loop
/// have records, so a value without records comes from outside.
constexpr bool has_loop_invariant_b(const auto& plan, const Kernel& k) {
    if (k.kind != Kernel::Kind::product || k.loop < 0 || plan.loops.begin()[k.loop].count < 2) return false;
    const Argument& b = plan.arguments.begin()[k.argument + 1];
    return !k.product.each && b.time == 0 && b.record == 0;
}

/// Last pass, over a finished plan: finds the form of each kernel. A transposition is named only if all readers of its
/// result are products that can read its operand, so that it is not needed. Devices with such products call this when
/// they load a plan, so that planning takes no longer for others.
std::vector<ProductForm> find_product_forms(const PlanView& plan);

/// Returns the forms with an epilogue, a transposition or an invariant B as text.
std::string to_text(const std::vector<ProductForm>& forms);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/plan/impl/product_forms.ipp>
#endif
