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

SIGMA_IMPL bool PlanView::in_arena(int buffer) const {
    const Buffer::Where where = buffers[static_cast<std::size_t>(buffer)].where;
    return where == Buffer::Where::fixed || where == Buffer::Where::batched;
}

SIGMA_IMPL bool PlanView::overlap(int x, int y) const {
    const Buffer &a = buffers[static_cast<std::size_t>(x)], &b = buffers[static_cast<std::size_t>(y)];
    if (x == y || a.where != b.where || !in_arena(x)) return x == y;
    const auto end = [](const Buffer& buffer) { return buffer.offset + footprint(buffer.shape, buffer.pitch); };
    return a.offset < end(b) && b.offset < end(a);
}

}  // namespace sigma::detail
