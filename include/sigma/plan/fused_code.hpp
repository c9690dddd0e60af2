// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/list.hpp>
#include <sigma/plan/plan.hpp>

#include <bit>

namespace sigma::detail {

/// The loop structure of a fused kernel without the lengths of its loops: with the instructions, its code.
struct FusedForm {
    Kernel::Kind kind{};
    FusedKernel::Tail tail{};
    short rank = 0, outer = 0, reduced = 0, sweeps = 1;
    int arguments = 0;

    static constexpr FusedForm of(const Kernel& k) {
        const FusedKernel& f = k.fused;
        return {k.kind, f.tail, f.rank, f.outer, f.reduced, f.sweeps, k.arguments};
    }
    bool operator==(const FusedForm&) const = default;
};

/// The code of a fused kernel as a template argument. Kernels with equal code have one type in all plans, networks and
/// translation units. An instruction is packed in 64 bits, since template arguments are mangled; a constant takes 64
/// more.
template <int instructions, int constants>
struct FusedCode {
    FusedForm form{};
    StaticArray<std::uint64_t, instructions> words{};
    StaticArray<std::uint64_t, constants> values{};

    static constexpr int size() { return instructions; }
    constexpr Instruction operator[](int i) const {
        std::uint64_t left = words[i];
        const auto next = [&](int bits) {
            const auto field = static_cast<int>(left & ((std::uint64_t{1} << bits) - 1));
            left >>= bits;
            return field;
        };
        const auto reference = [&] { return static_cast<short>(next(14) - 1); };
        Instruction n;
        n.opcode = static_cast<Instruction::Opcode>(next(2));
        n.operation = static_cast<Operation>(next(8));
        n.level = static_cast<signed char>(next(2));
        n.sweep = static_cast<signed char>(next(7));
        n.broadcast = next(1) != 0;
        n.apart = next(1) != 0;
        const bool evaluates = n.opcode == Instruction::Opcode::evaluate;
        n.a = reference();
        n.b = reference();
        (evaluates ? n.c : n.argument) = reference();
        if (evaluates && n.operation == Operation::constant) n.constant = std::bit_cast<double>(values[n.a]), n.a = -1;
        return n;
    }
};

/// Packs an instruction for FusedCode's operator[]. Operands and arguments are counted from 1; 0 means none.
constexpr std::uint64_t pack(const Instruction& n, int first) {
    const bool evaluates = n.opcode == Instruction::Opcode::evaluate;
    std::uint64_t word = 0;
    int at = 0;
    const auto put = [&](int field, int bits) {
        if (field < 0 || field >> bits != 0) throw "a fused kernel is too long for the fields of an instruction";
        word |= static_cast<std::uint64_t>(field) << at;
        at += bits;
    };
    put(static_cast<int>(n.opcode), 2);
    put(static_cast<int>(n.operation), 8);
    put(n.level, 2);
    put(n.sweep, 7);
    put(n.broadcast, 1);
    put(n.apart, 1);
    put(first + 1, 14);
    put(n.b + 1, 14);
    put((evaluates ? n.c : n.argument) + 1, 14);
    return word;
}
constexpr bool is_constant(const Instruction& n) {
    return n.opcode == Instruction::Opcode::evaluate && n.operation == Operation::constant;
}
/// Packs a kernel's next instruction, after `constants` constants.
constexpr std::uint64_t next_word(const Instruction& n, int& constants) {
    return pack(n, is_constant(n) ? constants++ : n.a);
}
template <class AnyPlan>
constexpr int constants_of(const AnyPlan& plan, const FusedKernel& k) {
    int n = 0;
    for (int i = 0; i < k.instructions; ++i) n += is_constant(plan.instructions[k.instruction + i]);
    return n;
}
template <int instructions, int constants, class AnyPlan>
constexpr FusedCode<instructions, constants> make_code(const AnyPlan& plan, const Kernel& k) {
    FusedCode<instructions, constants> code;
    code.form = FusedForm::of(k);
    for (int i = 0, before = 0; i < instructions; ++i) {
        const Instruction& n = plan.instructions[k.fused.instruction + i];
        if (is_constant(n)) code.values.data[before] = std::bit_cast<std::uint64_t>(n.constant);
        code.words.data[i] = next_word(n, before);
    }
    return code;
}

/// The code of kernel `number` of a Planned program.
template <class P, int number>
inline constexpr auto code_of =
    detail::make_code<P::plan.kernels[number].fused.instructions,
                      detail::constants_of(P::plan, P::plan.kernels[number].fused)>(P::plan, P::plan.kernels[number]);

}  // namespace sigma::detail
