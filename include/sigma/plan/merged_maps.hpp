// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/plan/plan_view.hpp>

#include <vector>

namespace sigma::detail {

/// Does an instruction load or store elements that lie together along the last loop?
bool is_vector(const Instruction& n);
/// Are arguments of kernels with the same loops the same elements, one by one?
bool same_place(const Argument& x, const Argument& y);
/// Do rows of all that is loaded and stored so begin on whole packs of elements where the first does?
bool in_packs(std::span<const Instruction> code, std::span<const Argument> arguments, const FusedKernel& k, int pack);

/// A plan in which maps that follow each other are one kernel.
struct MergedPlan {
    std::vector<Kernel> kernels;
    std::vector<Instruction> instructions;
    std::vector<Argument> arguments;
    std::vector<PlannedLoop> loops;
    std::vector<int> numbers;  ///< of each kernel: the number of the first that it was, in the plan

    /// `of` is the plan that this was made from. Both must live as long.
    PlanView view(PlanView of) const;
};

/// Last pass, for devices on which each launch costs: elementwise kernels over the same loops that follow each other
/// become one, where each element needs of the others' results its own alone; what one stores and the next loads stays
/// in a register; on a device whose compiler rounds a product and a sum once, it may do so across what were two. A
/// product whose result is only copied stores it where the copy would be. What a product may do as an epilogue stays as
/// it is.
MergedPlan merge_maps(const PlanView& plan);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/plan/impl/merged_maps.ipp>
#endif
