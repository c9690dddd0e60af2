// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/list_view.hpp>
#include <sigma/device/program_table.hpp>
#include <sigma/plan/fused_code.hpp>

#include <cstdint>

namespace sigma::simd {

/// A fused kernel that the library has compiled in advance, for rows of any length: its code is that of many networks.
template <class T>
struct CommonKernel {
    FusedForm form{};
    ListView<std::uint64_t> words{}, values{};  ///< as of a FusedCode
    FusedFunction<T> run = nullptr;

    bool is_of(const PlanView& plan, const Kernel& k) const {
        if (form.kind != k.kind || form.rank != k.rank || form.outer != k.outer || form.reduced != k.reduced ||
            form.phases != k.phases || form.arguments != k.arguments || words.size() != k.instructions)
            return false;
        int at = 0, constants = 0;
        for (const Instruction& n : plan.instructions_of(k)) {
            const bool constant = sigma::detail::is_constant(n);
            if (words[at++] != sigma::detail::packed(n, constant ? constants : n.a)) return false;
            if (constant &&
                (constants == values.size() || values[constants++] != std::bit_cast<std::uint64_t>(n.constant)))
                return false;
        }
        return true;
    }
};

/// That of a kernel of a plan, or null.
template <class T>
FusedFunction<T> find_common(const ListView<CommonKernel<T>>& all, const PlanView& plan, const Kernel& k) {
    for (const CommonKernel<T>& kernel : all)
        if (kernel.is_of(plan, k)) return kernel.run;
    return nullptr;
}

}  // namespace sigma::simd
