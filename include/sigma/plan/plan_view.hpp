// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/plan/plan.hpp>

#include <span>
#include <type_traits>

namespace sigma::detail {

enum class ElementType : std::uint8_t { float32, float64 };
template <class T>
inline constexpr ElementType element_type = std::is_same_v<T, float> ? ElementType::float32 : ElementType::float64;
constexpr std::size_t bytes_of(ElementType type) { return type == ElementType::float32 ? 4 : 8; }
constexpr const char* name(ElementType type) { return type == ElementType::float32 ? "float" : "double"; }

/// A view of a plan of any size at run time, from which a device makes its own kernels. The plan must outlive the view.
struct PlanView {
    std::span<const Kernel> kernels;
    std::span<const Instruction> instructions;
    std::span<const Argument> arguments;
    std::span<const Buffer> buffers;
    std::span<const PlannedLoop> loops;
    std::span<const int> outputs, iotas;
    int reciprocal = -1, fixed_size = 0, batched_size = 0, stages = 0, lanes = 1;
    ElementType element = ElementType::float32;

    /// Returns the instructions of a fused kernel; none for other kernels.
    std::span<const Instruction> instructions_of(const Kernel& k) const;
    std::span<const Argument> arguments_of(const Kernel& k) const;
    /// Returns whether a buffer is in the program's own memory, in which buffers with separate lifetimes share places.
    bool in_arena(int buffer) const;
    /// Returns whether two buffers share memory. Buffers that are bound from outside share none.
    bool overlap(int x, int y) const;
};

/// Returns a view of a Plan or a StaticPlan for elements of type T.
template <class T, class AnyPlan>
constexpr PlanView view_of(const AnyPlan& plan) {
    const auto all = [](const auto& list) { return std::span(list.begin(), list.end()); };
    return {all(plan.kernels), all(plan.instructions), all(plan.arguments), all(plan.buffers),
            all(plan.loops),   all(plan.outputs),      all(plan.iotas),     plan.reciprocal,
            plan.fixed_size,   plan.batched_size,      plan.stages,         plan.lanes,
            element_type<T>};
}

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/plan/impl/plan_view.ipp>
#endif
