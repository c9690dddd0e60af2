// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/plan/plan.hpp>

namespace sigma::detail {

/// An argument of a kernel whose tensor has no place in memory yet.
struct TensorArgument : Argument {
    int tensor = -1;  ///< node
};

/// Kernels in the order of their groups.
struct LoweredKernels {
    List<Kernel> kernels{};
    List<Instruction> instructions{};
    List<TensorArgument> arguments{};
};

}  // namespace sigma::detail
