// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/plan/plan.hpp>
#include <sigma/tape/print.hpp>

#include <string>

namespace sigma {

namespace detail {

/// "16", "3*batch"
std::string coded_text(long long n);

std::string to_text(const Buffer& b);

template <class Plan>
std::string to_text(const Plan& plan, const Kernel& k, const Instruction& n, int number) {
    const auto buffer = [&] { return sentence("b", plan.arguments[k.argument + n.argument].buffer); };
    constexpr const char* levels[] = {"once:   ", "row:    ", "vector: "};
    std::string text = levels[n.level];
    if (n.step == Instruction::Step::store) return text + sentence(buffer(), " = %", n.a);
    text += sentence("%", number, " = ");
    if (n.step == Instruction::Step::load) return text + buffer() + (n.spread ? ", spread" : "");
    text += name(n.operation);
    if (n.operation == Operation::constant && n.step == Instruction::Step::evaluate)
        return text + sentence(" ", n.constant);
    text += n.apart ? ", apart(" : "(";
    for (int operand : {n.a, n.b, n.c})
        if (operand >= 0) text += sentence(text.back() == '(' ? "%" : ", %", operand);
    text += ")";
    return n.step == Instruction::Step::reduce && n.argument >= 0 ? text + ", to " + buffer() : text;
}

const char* name(Kernel::Kind kind);
const char* name(FusedKernel::Tail tail);
/// Which operation of the tape a kernel that is not fused does; the kind where that says it.
const char* operation_name(const Kernel& k);

/// "loops batch | 128", with bars between loops outside, of the reduction, and along the row.
std::string loops_text(const FusedKernel& k);

/// "b2 = dot(b0, b1), batch x 128 x 784"; `first` is the first of its arguments.
std::string single_text(const Kernel& k, const Argument* first);

template <class Plan>
std::string to_text(const Plan& plan, int number) {
    const Kernel& k = plan.kernels[number];
    std::string text = sentence("  kernel ", number, ": ", name(k.kind), k.local ? ", local: " : ": ");
    if (!k.is_fused()) return text + single_text(k, &plan.arguments[k.argument]) + "\n";
    const FusedKernel& f = k.fused;
    text += loops_text(f) + sentence(", tail ", name(f.tail));
    if (f.canonical != number) text += sentence(", code of kernel ", f.canonical);
    text += "\n";
    int phase = -1;
    for (int i = 0; i < f.instructions; ++i) {
        const Instruction& n = plan.instructions[f.instruction + i];
        if (f.phases > 1 && n.phase != phase) text += sentence("    sweep ", static_cast<int>(phase = n.phase), "\n");
        text += "      " + to_text(plan, k, n, i) + "\n";
    }
    return text;
}

}  // namespace detail

/// A plan (or a frozen one): the arena, its buffers, and the kernels stage by stage with their micro-operations.
template <class AnyPlan>
    requires requires(const AnyPlan& p) { p.kernels[0].stage, p.buffers[0].where, p.batched_size; }
std::string to_text(const AnyPlan& plan) {
    std::string text = sentence("arena: ", plan.fixed_size, " elements + ", plan.batched_size, " per record\n");
    for (int b = 0; b < plan.buffers.size(); ++b)
        text += sentence("  b", b, ": ", detail::to_text(plan.buffers[b]), "\n");
    int stage = -1;
    for (int i = 0; i < plan.kernels.size(); ++i) {
        if (plan.kernels[i].stage != stage)
            text += sentence("stage ", static_cast<int>(stage = plan.kernels[i].stage), "\n");
        for (const PlannedLoop& loop : plan.loops)
            if (loop.first == i)
                text += sentence("  ", loop.count, " positions", loop.backwards ? " backwards" : "", ", kernels ",
                                 loop.first, " to ", loop.end - 1, ":\n");
        text += detail::to_text(plan, i);
    }
    return text;
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/plan/impl/print.ipp>
#endif
