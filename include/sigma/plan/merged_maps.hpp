// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/plan/plan_view.hpp>

#include <vector>

namespace sigma::detail {

/// Returns whether an instruction loads or stores adjacent elements along the last loop.
bool is_vector(const Instruction& n);
/// Returns whether arguments of two kernels with the same loops are the same elements.
bool same_place(const Argument& x, const Argument& y);
/// Returns whether all rows that are loaded and stored begin at whole packs of elements if the first row does.
bool in_packs(std::span<const Instruction> code, std::span<const Argument> arguments, const FusedKernel& k, int pack);

/// A plan in which consecutive elementwise kernels are merged.
struct MergedPlan {
    std::vector<Kernel> kernels;
    std::vector<Instruction> instructions;
    std::vector<Argument> arguments;
    std::vector<PlannedLoop> loops;
    std::vector<int> numbers;  ///< number of each kernel's first kernel in the original plan

    /// Returns a view of this plan. `of` is the original plan. Both must outlive the view.
    PlanView view(PlanView of) const;
};

/// Last pass, for devices with costly launches: merges consecutive elementwise kernels over the same loops, if each
/// element depends only on the same element of the other results. A value that one kernel stores and the next loads
/// stays in a register. A device compiler that rounds a product and a sum once may then do so across the former
/// kernels. If the result of a product is only copied, the product stores it at the place of the copy. Epilogues of
/// products are not merged.
MergedPlan merge_maps(const PlanView& plan);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/plan/impl/merged_maps.ipp>
#endif
