// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/plan/plan_view.hpp>
#include <sigma/plan/planner.hpp>
#include <sigma/tape/print.hpp>

#include <span>
#include <string>

namespace sigma::detail {

/// Returns a plan as text: the arena, its buffers, and the kernels of each stage with their micro-operations.
std::string to_text(const PlanView& plan);
/// Returns a Plan or a StaticPlan as text.
template <class AnyPlan>
    requires requires(const AnyPlan& p) { p.kernels[0].stage, p.buffers[0].where, p.batched_size; }
std::string to_text(const AnyPlan& plan) {
    return to_text(view_of<float>(plan));
}

/// Returns a coded extent as text: "16", "3*batch".
std::string coded_text(long long n);

/// Returns a buffer as text: "batched at 16 (batch, 12), rows of 16".
std::string buffer_text(const Buffer& b);

const char* name(Kernel::Kind kind);
/// Returns the operation of a kernel that is not fused, or the name of its kind.
const char* operation_name(const Kernel& k);

/// Returns a kernel as text: "product, local: b2 = dot(b0, b1), batch x 128 x 784". A fused kernel has further lines
/// for its micro-operations. `number` is the number of the kernel; `arguments` are the names of its arguments.
std::string kernel_text(const Kernel& k, int number, std::span<const Instruction> instructions,
                        std::span<const std::string> arguments);

// The results of each pass as text. %5 is node 5 of the tape, t5 its tensor.
std::string to_text(const PassInput& in, const Liveness& liveness);
std::string to_text(const PassInput& in, const Views& views);
/// Returns the layouts of the tensors that are in memory and are not views.
std::string to_text(const PassInput& in, const Liveness& liveness, const Layouts& layouts);
std::string to_text(const PassInput& in, const FusedGroups& groups);
std::string to_text(const LoweredKernels& lowered);
std::string to_text(const ScheduledKernels& scheduled);
/// Returns the places of all tensors with their own memory.
std::string to_text(const MemoryPlan& memory);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/plan/impl/print.ipp>
#endif
