// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/plan/plan_view.hpp>

#include <cstddef>
#include <cstdint>

namespace sigma::detail {

/// The key of the random numbers of a step. It determines them on any device, with any threads and vector width.
struct RandomKey {
    std::uint64_t seed = 0;
    std::uint32_t step = 0;
    std::uint32_t record = 0;  ///< the position of the first record in its batch, for parts of a batch
};

}  // namespace sigma::detail

namespace sigma {

/// @cond internal
namespace on_cpu {
/// The strides of an argument of a kernel along the kernel's loops; for products and transpositions, from row to row
/// and from matrix to matrix.
using Strides = std::ptrdiff_t[sigma::detail::max_rank];

template <class T>
struct Kernels;
}  // namespace on_cpu
/// @endcond

namespace detail {

/// A fused kernel, called with the pointers and strides of its arguments, and its extents.
template <class T>
using FusedFunction = void (*)(T* const*, const on_cpu::Strides*, const std::ptrdiff_t*);

/// A program for executors and devices: its plan and, for each kernel of the plan, the function that the compiler has
/// made from its micro-operations; null for kernels of the library. Both live as long as the program.
template <class T>
struct CompiledProgram {
    PlanView (*plan_of)(const void* planned) = nullptr;
    const FusedFunction<T>* fused = nullptr;      ///< null: the plan is interpreted
    const on_cpu::Kernels<T>* kernels = nullptr;  ///< null: the library's kernels for this processor
    const void* planned = nullptr;                ///< argument of `plan_of`; null if it needs none

    /// Returns the plan. The first call may wait until the plan is made.
    PlanView plan() const { return plan_of(planned); }
};

}  // namespace detail

}  // namespace sigma
