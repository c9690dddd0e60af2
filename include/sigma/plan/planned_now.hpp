// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/list.hpp>
#include <sigma/plan/static_plan.hpp>

namespace sigma::detail {

/// A program that was traced at compile time, as static data.
struct TracedProgram {
    ListView<Node> nodes;
    ListView<Loop> loops;
    ListView<int> outputs, assignments;  ///< numbers of nodes
    bool sequential = false;
};
Program program_of(const TracedProgram& program);
/// Calls make_plan at run time; compiled once for all programs.
Plan plan_now(const TracedProgram& program, int lanes);

/// The program that `Make{}()` returns, traced at compile time only. At run time compilers may evaluate operands in
/// another order, so that numbers of parameters and the order of sums would differ from those of a compile-time plan.
template <class Make>
struct Traced {
    struct Size {
        int nodes = 0, loops = 0, outputs = 0, assignments = 0;

        constexpr bool within(const Size& o) const {
            return nodes <= o.nodes && loops <= o.loops && outputs <= o.outputs && assignments <= o.assignments;
        }
    };
    template <int nodes, int loops, int outputs, int assignments>
    struct Bounded {
        Size size{};  ///< exact size, which may exceed the room
        StaticArray<Node, nodes> node{};
        StaticArray<Loop, loops> loop{};
        StaticArray<int, outputs> output{};
        StaticArray<int, assignments> assignment{};
        bool sequential = false;
    };
    template <class To>
    static constexpr To make(const Size& most) {
        const Program p = Make{}();
        To f;
        f.size = {p.tape.size(), p.tape.loops().size(), p.outputs.size(), p.assignments.size()};
        f.sequential = p.sequential;
        if (!f.size.within(most)) return f;
        for (int i = 0; i < f.size.nodes; ++i) f.node.data[i] = p.tape[i];
        for (int i = 0; i < f.size.loops; ++i) f.loop.data[i] = p.tape.loops()[i];
        for (int i = 0; i < f.size.outputs; ++i) f.output.data[i] = p.outputs[i].id;
        for (int i = 0; i < f.size.assignments; ++i) f.assignment.data[i] = p.assignments[i].id;
        return f;
    }
    /// Size with room for most programs, which are then traced once.
    static constexpr Size capacity{512, 16, 64, 128};
    static constexpr auto bounded =
        make<Bounded<capacity.nodes, capacity.loops, capacity.outputs, capacity.assignments>>(capacity);
    using Exact = Bounded<bounded.size.nodes, bounded.size.loops, bounded.size.outputs, bounded.size.assignments>;
    static constexpr Exact fitted() {
        if constexpr (!bounded.size.within(capacity)) {
            return make<Exact>(bounded.size);
        } else {
            Exact f;
            f.size = bounded.size, f.sequential = bounded.sequential;
            for (int i = 0; i < f.size.nodes; ++i) f.node.data[i] = bounded.node[i];
            for (int i = 0; i < f.size.loops; ++i) f.loop.data[i] = bounded.loop[i];
            for (int i = 0; i < f.size.outputs; ++i) f.output.data[i] = bounded.output[i];
            for (int i = 0; i < f.size.assignments; ++i) f.assignment.data[i] = bounded.assignment[i];
            return f;
        }
    }
    static constexpr Exact program = fitted();
};

template <class Make>
constexpr TracedProgram traced_program() {
    constexpr auto& p = Traced<Make>::program;
    return {{p.node.data, p.size.nodes},
            {p.loop.data, p.size.loops},
            {p.output.data, p.size.outputs},
            {p.assignment.data, p.size.assignments},
            p.sequential};
}

/// A Planned program that is planned at run time.
template <class P>
struct PlannedNow;
template <class Make, int lanes>
struct PlannedNow<Planned<Make, lanes>> {
    /// Returns the plan, which the first call makes. Thread-safe.
    static const Plan& plan() {
        static const Plan& made =
            *new Plan(plan_now(traced_program<Make>(), lanes));  // never destroyed, since static objects may run it
        return made;
    }
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/plan/impl/planned_now.ipp>
#endif
