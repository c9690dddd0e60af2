// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/plan/plan_view.hpp>
#include <sigma/plan/planner.hpp>
#include <sigma/tape/print.hpp>

#include <span>
#include <string>

namespace sigma::detail {

/// A plan: the arena, its buffers, and the kernels stage by stage with their micro-operations.
std::string to_text(const PlanView& plan);
/// Of a Plan, or of a frozen one.
template <class AnyPlan>
    requires requires(const AnyPlan& p) { p.kernels[0].stage, p.buffers[0].where, p.batched_size; }
std::string to_text(const AnyPlan& plan) {
    return to_text(view_of<float>(plan));
}

/// "16", "3*batch"
std::string coded_text(long long n);

/// "batched at 16 (batch, 12), rows of 16"
std::string buffer_text(const Buffer& b);

const char* name(Kernel::Kind kind);
/// Which operation of the tape a kernel that is not fused does; the kind where that says it.
const char* operation_name(const Kernel& k);

/// "product, local: b2 = dot(b0, b1), batch x 128 x 784", and the micro-operations of a fused kernel on lines of their
/// own. `number` is the kernel's; `arguments` are their names.
std::string kernel_text(const Kernel& k, int number, std::span<const Instruction> instructions,
                        std::span<const std::string> arguments);

/// What each pass has found, as text. %5 is node 5 of the tape, t5 the tensor that it is.
std::string to_text(const PassInput& in, const Liveness& liveness);
std::string to_text(const PassInput& in, const Views& views);
/// Of those tensors that are in memory and are no views.
std::string to_text(const PassInput& in, const Liveness& liveness, const Layouts& layouts);
std::string to_text(const PassInput& in, const FusedGroups& groups);
std::string to_text(const LoweredKernels& lowered);
std::string to_text(const ScheduledKernels& scheduled);
/// Of each tensor that has memory of its own.
std::string to_text(const MemoryPlan& memory);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/plan/impl/print.ipp>
#endif
