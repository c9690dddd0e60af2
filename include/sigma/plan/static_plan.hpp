// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/list.hpp>
#include <sigma/plan/planner.hpp>

#include <limits>
#include <type_traits>

namespace sigma::detail {

/// A plan as static data, the result of constant evaluation.
template <int kernel_count, int instruction_count, int argument_count, int buffer_count, int output_count,
          int iota_count, int loop_count>
struct StaticPlan {
    StaticArray<Kernel, kernel_count> kernels{};
    StaticArray<Instruction, instruction_count> instructions{};
    StaticArray<Argument, argument_count> arguments{};
    StaticArray<Buffer, buffer_count> buffers{};
    StaticArray<int, output_count> outputs{};
    StaticArray<int, iota_count> iotas{};
    StaticArray<PlannedLoop, loop_count> loops{};
    int reciprocal = -1, fixed_size = 0, batched_size = 0, stages = 0, lanes = 1;
};

/// The greatest number of nodes of programs that are planned at compile time by default. Longer programs are
/// interpreted, since compilers take seconds and a gigabyte to plan them, and fused kernels gain little in such
/// networks.
inline constexpr int most_fused_nodes = 500;
/// The greatest number of nodes for the program of Make{}(). `Make` may define its own limit.
template <class Make>
inline constexpr int most_fused_nodes_of = most_fused_nodes;
template <class Make>
    requires requires { Make::most_fused_nodes; }
inline constexpr int most_fused_nodes_of<Make> = Make::most_fused_nodes;

template <class Make, int lanes>
struct Planned;

struct PlanSize {
    int kernels, instructions, arguments, buffers, outputs, iotas, loops;

    constexpr bool within(const PlanSize& o) const {
        return kernels <= o.kernels && instructions <= o.instructions && arguments <= o.arguments &&
               buffers <= o.buffers && outputs <= o.outputs && iotas <= o.iotas && loops <= o.loops;
    }
};
template <PlanSize s>
using StaticPlanOf = StaticPlan<s.kernels, s.instructions, s.arguments, s.buffers, s.outputs, s.iotas, s.loops>;

/// Copies `size` elements of each list between plans of any kind.
constexpr void copy_plan(auto& to, const auto& from, const PlanSize& size) {
    const auto copy = [](auto& t, const auto& f, int count) {
        for (int i = 0; i < count; ++i) t.data[i] = f[i];
    };
    copy(to.kernels, from.kernels, size.kernels);
    copy(to.instructions, from.instructions, size.instructions);
    copy(to.arguments, from.arguments, size.arguments);
    copy(to.buffers, from.buffers, size.buffers);
    copy(to.outputs, from.outputs, size.outputs);
    copy(to.iotas, from.iotas, size.iotas);
    copy(to.loops, from.loops, size.loops);
    to.reciprocal = from.reciprocal;
    to.fixed_size = from.fixed_size;
    to.batched_size = from.batched_size;
    to.stages = from.stages;
    to.lanes = from.lanes;
}

/// Size with room for most plans. The lengths of a plan's lists are part of its type, but are known only after it is
/// made. A plan is made once in this size and copied to its exact size. Longer plans are made twice.
inline constexpr PlanSize capacity{1024, 4096, 4096, 1024, 512, 64, 64};
struct BoundedPlan {
    int nodes = 0;  ///< number of nodes of the program
    PlanSize size{};
    StaticPlanOf<capacity> plan{};
};
template <class Make, int lanes, int most>
constexpr BoundedPlan make_bounded_plan() {
    const Program program = Make{}();
    const int nodes = program.tape.size();
    if (nodes > most) return {nodes};
    const Plan p = make_plan(program, lanes);
    BoundedPlan r{nodes};
    r.size = {p.kernels.size(), p.instructions.size(), p.arguments.size(), p.buffers.size(),
              p.outputs.size(), p.iotas.size(),        p.loops.size()};
    if (r.size.within(capacity)) copy_plan(r.plan, p, r.size);
    return r;
}
/// The plan of a program, or only its number of nodes if there are more than `most`.
template <class Make, int lanes, int most = most_fused_nodes_of<Make>>
struct Bounded {
    static constexpr BoundedPlan made = make_bounded_plan<Make, lanes, most>();
};
/// True if the program of a Planned has so many nodes that it is interpreted. Does not plan the program, although g++
/// evaluates all static members of a class that it instantiates.
template <class P>
inline constexpr bool is_long = false;
template <class Make, int lanes>
inline constexpr bool is_long<Planned<Make, lanes>> = Bounded<Make, lanes>::made.nodes > most_fused_nodes_of<Make>;
template <class Make, int lanes>
using Found = std::conditional_t<is_long<Planned<Make, lanes>>, Bounded<Make, lanes, std::numeric_limits<int>::max()>,
                                 Bounded<Make, lanes>>;
template <class Make, int lanes, PlanSize size>
constexpr StaticPlanOf<size> make_static_plan() {
    StaticPlanOf<size> f;
    if constexpr (size.within(capacity)) copy_plan(f, Found<Make, lanes>::made.plan, size);
    else copy_plan(f, make_plan(Make{}(), lanes), size);
    return f;
}

/// The plan of the program that `Make{}()` returns, for vectors of `lanes` elements.
template <class Make, int lanes>
struct Planned {
    // Named constexpr functions: g++ evaluates the initializer of a variable three times, a function's result once.
    static constexpr detail::PlanSize size = detail::Found<Make, lanes>::made.size;
    static constexpr auto plan = detail::make_static_plan<Make, lanes, size>();
};

}  // namespace sigma::detail
