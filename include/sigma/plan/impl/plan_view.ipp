// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/plan/plan_view.hpp>

namespace sigma::detail {

SIGMA_IMPL std::span<const Instruction> PlanView::instructions_of(const Kernel& k) const {
    if (!k.is_fused()) return {};
    return instructions.subspan(static_cast<std::size_t>(k.fused.instruction),
                                static_cast<std::size_t>(k.fused.instructions));
}

SIGMA_IMPL std::span<const Argument> PlanView::arguments_of(const Kernel& k) const {
    return arguments.subspan(static_cast<std::size_t>(k.argument), static_cast<std::size_t>(k.arguments));
}

}  // namespace sigma::detail
