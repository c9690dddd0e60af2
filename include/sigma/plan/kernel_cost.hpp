// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/plan/plan_view.hpp>

#include <string>

namespace sigma::detail {

/// The work of one call of a kernel. Each argument counts once, even if the kernel reads it several times, so the bytes
/// are the least that must move.
struct KernelCost {
    double bytes_read = 0, bytes_written = 0;
    double multiply_adds = 0;  ///< Multiply-adds of products and convolutions.
    double operations =
        0;  ///< Other operations and steps of reductions. A function counts as one, a multiply-add as two.

    double bytes() const { return bytes_read + bytes_written; }
    /// Returns the number of arithmetic operations. A multiply-add counts as two.
    double arithmetic() const { return 2 * multiply_adds + operations; }
};

/// Returns the work of one call of a kernel with a number of records.
KernelCost kernel_cost(const PlanView& plan, const Kernel& k, long long records);

/// Returns a short description of a kernel for tables: "dot, batch x 128 x 784", or the operations of a fused kernel:
/// "add, maximum".
std::string kernel_summary(const PlanView& plan, const Kernel& k);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/plan/impl/kernel_cost.ipp>
#endif
