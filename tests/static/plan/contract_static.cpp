// SPDX-License-Identifier: BSL-1.0
// Which products become one operation with the sum that reads them.
#include <sigma/plan/contract.hpp>

using namespace sigma;

namespace {

using Opcode = detail::Instruction::Opcode;

constexpr detail::Instruction load(int level = 2, int sweep = 0) {
    detail::Instruction n;
    n.argument = 0;
    n.level = static_cast<signed char>(level);
    n.sweep = static_cast<signed char>(sweep);
    return n;
}
constexpr detail::Instruction evaluate(detail::Operation o, int a, int b = -1, int c = -1, int level = 2,
                                       int sweep = 0) {
    detail::Instruction n = load(level, sweep);
    n.opcode = Opcode::evaluate;
    n.argument = -1;
    n.operation = o;
    n.a = static_cast<short>(a), n.b = static_cast<short>(b), n.c = static_cast<short>(c);
    return n;
}
constexpr detail::Instruction store(int a) {
    detail::Instruction n = load();
    n.opcode = Opcode::store;
    n.operation = detail::Operation::copy;
    n.a = static_cast<short>(a);
    return n;
}
constexpr detail::Instruction reduce(detail::Operation o, int a, int sweep = 0) {
    detail::Instruction n = evaluate(o, a, -1, -1, 2, sweep);
    n.opcode = Opcode::reduce;
    return n;
}

/// A kernel of these micro-operations, after one that must stay as it is.
struct Code {
    detail::Plan plan{};
    detail::FusedKernel kernel{};

    template <class... N>
    constexpr explicit Code(N... n) {
        plan.instructions.push(evaluate(detail::Operation::multiply, 0, 0));
        kernel.instruction = 1;
        kernel.instructions = sizeof...(n);
        (plan.instructions.push(n), ...);
        detail::Contraction(plan.instructions, kernel).run();
    }
    constexpr const detail::Instruction& operator[](int i) const { return plan.instructions[kernel.instruction + i]; }
    constexpr int size() const { return kernel.instructions; }
    constexpr bool is(int i, detail::Operation o, int a, int b, int c) const {
        const detail::Instruction& n = (*this)[i];
        return n.operation == o && n.a == a && n.b == b && n.c == c && !n.apart;
    }
    constexpr bool whole() const {
        return plan.instructions.size() == kernel.instruction + kernel.instructions &&
               plan.instructions[0] == evaluate(detail::Operation::multiply, 0, 0);
    }
};
using O = detail::Operation;

// ---- what a product becomes ----

constexpr bool contracts() {
    const Code plus(load(), load(), load(), evaluate(O::multiply, 0, 1), evaluate(O::add, 3, 2), store(4));
    const Code right(load(), load(), load(), evaluate(O::multiply, 0, 1), evaluate(O::add, 2, 3), store(4));
    const Code less(load(), load(), load(), evaluate(O::multiply, 0, 1), evaluate(O::subtract, 3, 2), store(4));
    const Code from(load(), load(), load(), evaluate(O::multiply, 0, 1), evaluate(O::subtract, 2, 3), store(4));
    return plus.is(3, O::multiply_add, 0, 1, 2) && right.is(3, O::multiply_add, 0, 1, 2) &&
           less.is(3, O::multiply_subtract, 0, 1, 2) && from.is(3, O::subtract_product, 0, 1, 2) && plus.size() == 5 &&
           plus[4].a == 3 && plus.whole() && from.whole();
}
static_assert(contracts());

constexpr bool sums() {
    const Code sum(load(), load(), evaluate(O::multiply, 0, 1), reduce(O::sum, 2));
    const Code greatest(load(), load(), evaluate(O::multiply, 0, 1), reduce(O::reduce_maximum, 2));
    return sum.size() == 3 && sum.is(2, O::sum, 0, 1, -1) && greatest.size() == 4 &&
           greatest.is(3, O::reduce_maximum, 2, -1, -1) && !greatest[2].apart;
}
static_assert(sums());

/// Of two products the first goes in, and the other keeps to itself; chains follow one another.
constexpr bool chains() {
    const Code two(load(), load(), evaluate(O::multiply, 0, 0), evaluate(O::multiply, 1, 1), evaluate(O::add, 2, 3),
                   store(4));
    const Code chain(load(), load(), evaluate(O::multiply, 0, 1), evaluate(O::add, 2, 1), evaluate(O::multiply, 3, 0),
                     evaluate(O::add, 4, 1), store(5));
    return two.size() == 5 && two.is(3, O::multiply_add, 0, 0, 2) && two[2].operation == O::multiply &&
           chain.size() == 5 && chain.is(2, O::multiply_add, 0, 1, 1) && chain.is(3, O::multiply_add, 2, 0, 1) &&
           chain[4].a == 3;
}
static_assert(chains());

// ---- what stays, and is hidden from compilers ----

constexpr bool stays() {
    const Code twice(load(), load(), evaluate(O::multiply, 0, 1), evaluate(O::add, 2, 1), store(3), store(2));
    const Code same(load(), load(), evaluate(O::multiply, 0, 1), evaluate(O::add, 2, 2), store(3));
    const Code rows(load(1), load(1), evaluate(O::multiply, 0, 1, -1, 1), load(), evaluate(O::add, 2, 3), store(4));
    const Code sweeps(load(), load(), evaluate(O::multiply, 0, 1), evaluate(O::add, 2, 2, -1, 2, 1), store(3));
    const Code function(load(), evaluate(O::multiply, 0, 0), evaluate(O::log1p, 1), evaluate(O::add, 2, 0), store(3));
    for (const Code* c : {&twice, &same, &rows, &sweeps})
        if (!(*c)[2].apart || (*c)[2].operation != O::multiply || !c->whole()) return false;
    return function[1].apart && function[2].apart && !function[3].apart;
}
static_assert(stays());

constexpr bool is_not_hidden() {
    const Code product(load(), evaluate(O::multiply, 0, 0), evaluate(O::multiply, 1, 0), evaluate(O::maximum, 2, 0),
                       store(3));
    return product.size() == 5 && !product[1].apart && !product[2].apart;
}
static_assert(is_not_hidden());

/// Once a kernel there are no sweeps.
constexpr bool once() {
    const Code code(load(0), evaluate(O::multiply, 0, 0, -1, 0), evaluate(O::subtract, 0, 1, -1, 0, 1), store(2));
    return code.is(1, O::subtract_product, 0, 0, 0);
}
static_assert(once());

}  // namespace
