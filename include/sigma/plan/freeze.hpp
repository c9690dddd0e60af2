// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/plan/planner.hpp>

namespace sigma {

/// A fixed array that may have no elements.
template <class T, int n>
struct Frozen {
    T data[n > 0 ? n : 1]{};
    static constexpr int size() { return n; }
    constexpr const T& operator[](int i) const { return data[i]; }
    constexpr const T* begin() const { return data; }
    constexpr const T* end() const { return data + n; }
};

/// A plan as static data: what constant evaluation leaves behind.
template <int kernel_count, int instruction_count, int argument_count, int buffer_count, int output_count, int iota_count,
          int loop_count>
struct FrozenPlan {
    Frozen<Kernel, kernel_count> kernels{};
    Frozen<Instruction, instruction_count> instructions{};
    Frozen<Argument, argument_count> arguments{};
    Frozen<Buffer, buffer_count> buffers{};
    Frozen<int, output_count> outputs{};
    Frozen<int, iota_count> iotas{};
    Frozen<PlannedLoop, loop_count> loops{};
    int reciprocal = -1, fixed_size = 0, batched_size = 0, stages = 0;
};

namespace detail {

struct PlanSize {
    int kernels, instructions, arguments, buffers, outputs, iotas, loops;
};
template <class Make, int lanes>
constexpr PlanSize plan_size() {
    const Plan p = make_plan(Make{}(), lanes);
    return {p.kernels.size(), p.instructions.size(), p.arguments.size(), p.buffers.size(), p.outputs.size(), p.iotas.size(),
            p.loops.size()};
}
template <class Make, int lanes, PlanSize size>
constexpr auto freeze() {
    const Plan p = make_plan(Make{}(), lanes);
    FrozenPlan<size.kernels, size.instructions, size.arguments, size.buffers, size.outputs, size.iotas, size.loops> f;
    const auto copy = [](auto& to, const auto& from) {
        for (int i = 0; i < from.size(); ++i) to.data[i] = from[i];
    };
    copy(f.kernels, p.kernels);
    copy(f.instructions, p.instructions);
    copy(f.arguments, p.arguments);
    copy(f.buffers, p.buffers);
    copy(f.outputs, p.outputs);
    copy(f.iotas, p.iotas);
    copy(f.loops, p.loops);
    f.reciprocal = p.reciprocal;
    f.fixed_size = p.fixed_size;
    f.batched_size = p.batched_size;
    f.stages = p.stages;
    return f;
}

}  // namespace detail

/// The frozen plan of the program that `Make{}()` returns, for vectors of `lanes` elements.
template <class Make, int lanes>
struct Planned {
    // Named constexpr functions: g++ evaluates the initializer of a variable three times, a function's result once.
    static constexpr detail::PlanSize size = detail::plan_size<Make, lanes>();
    static constexpr auto plan = detail::freeze<Make, lanes, size>();
};

}  // namespace sigma
