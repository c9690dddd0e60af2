// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/plan/plan_view.hpp>

#include <cstddef>
#include <cstdint>

namespace sigma::detail {

/// Which random numbers a step draws: the same key gives the same numbers on any device, thread and vector width.
struct RandomKey {
    std::uint64_t seed = 0;
    std::uint32_t step = 0;
    std::uint32_t record = 0;  ///< the place of the first record in its batch, where that is a part of one
};

}  // namespace sigma::detail

namespace sigma {

namespace on_cpu {
/// How far an argument of a kernel steps along each of the kernel's loops; of products and transpositions, from row to
/// row and from matrix to matrix.
using Strides = std::ptrdiff_t[sigma::detail::max_rank];

template <class T>
struct Kernels;
}  // namespace on_cpu

namespace detail {

/// A fused kernel: from the pointers and strides of its arguments, and its extents.
template <class T>
using FusedFunction = void (*)(T* const*, const on_cpu::Strides*, const std::ptrdiff_t*);

/// What executors and devices see of a program: its plan and, for each kernel of the plan, the function that the
/// compiler has made of its micro-operations; null for kernels of the library. Both live as long as the program.
template <class T>
struct CompiledProgram {
    PlanView (*plan_of)(const void* planned) = nullptr;
    const FusedFunction<T>* fused = nullptr;      ///< null: the plan is interpreted
    const on_cpu::Kernels<T>* kernels = nullptr;  ///< null: those that the library has for this processor
    const void* planned = nullptr;                ///< what has the plan; null where the function knows it

    /// Who calls it first may wait until the plan is made.
    PlanView plan() const { return plan_of(planned); }
};

}  // namespace detail

}  // namespace sigma
