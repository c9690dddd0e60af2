// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/list.hpp>
#include <sigma/device/program_table.hpp>
#include <sigma/plan/fused_code.hpp>

#include <cstdint>

namespace sigma::on_cpu {

/// A fused kernel that is compiled into the library, for rows of any length. Many networks use its code.
template <class T>
struct CommonKernel {
    sigma::detail::FusedForm form{};
    sigma::detail::ListView<std::uint64_t> words{}, values{};  ///< words and values of its FusedCode
    sigma::detail::FusedFunction<T> run = nullptr;

    bool is_of(const sigma::detail::PlanView& plan, const sigma::detail::Kernel& k) const {
        sigma::detail::FusedForm wanted = sigma::detail::FusedForm::of(k);
        wanted.tail = form.tail;
        if (form != wanted || words.size() != k.fused.instructions) return false;
        int at = 0, before = 0;
        for (const sigma::detail::Instruction& n : plan.instructions_of(k)) {
            if (sigma::detail::is_constant(n) &&
                (before == values.size() || values[before] != std::bit_cast<std::uint64_t>(n.constant)))
                return false;
            if (words[at++] != sigma::detail::next_word(n, before)) return false;
        }
        return true;
    }
};

/// Returns the function for a kernel of a plan, or null.
template <class T>
sigma::detail::FusedFunction<T> find_common(const sigma::detail::ListView<CommonKernel<T>>& all,
                                            const sigma::detail::PlanView& plan, const sigma::detail::Kernel& k) {
    for (const CommonKernel<T>& kernel : all)
        if (kernel.is_of(plan, k)) return kernel.run;
    return nullptr;
}

}  // namespace sigma::on_cpu
