// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/tape.hpp>

#include <bit>
#include <cstdint>
#include <limits>

/// What the last operations before a loss do, as a network's tape has them.
namespace sigma::detail {

/// The value that copies and reshapes pass on.
constexpr int behind_views(const Tape& tape, int node) {
    while (tape[node].operation == Operation::copy || tape[node].operation == Operation::reshape) node = tape[node].a;
    return node;
}

/// Is a value made by the function that makes `made` of the leaf `argument`, of whatever it makes it?
class SameFunction {
public:
    constexpr SameFunction(const Tape& tape, int argument) : tape_(tape), argument_(argument) {}

    constexpr bool operator()(int made, int node) {
        node = behind_views(tape_, node);
        if (made == argument_) {
            if (found_ < 0) found_ = node;
            return found_ == node;
        }
        made = behind_views(tape_, made);
        const Node &m = tape_[made], &n = tape_[node];
        if (m.operation != n.operation || m.attribute != n.attribute || m.shape.count() != n.shape.count() ||
            std::bit_cast<std::uint64_t>(m.constant) != std::bit_cast<std::uint64_t>(n.constant))
            return false;
        return same(m.a, n.a) && same(m.b, n.b) && same(m.c, n.c);
    }

private:
    const Tape& tape_;
    int argument_, found_ = -1;

    constexpr bool same(int made, int node) { return made < 0 || node < 0 ? made == node : (*this)(made, node); }
};

/// Between which numbers outputs are, by the last operation that says so.
struct OutputRange {
    double lowest = -std::numeric_limits<double>::infinity(), greatest = std::numeric_limits<double>::infinity();
};
constexpr OutputRange range_of(const Tape& tape, int node) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    node = behind_views(tape, node);
    const Node& n = tape[node];
    const auto constant = [&](int i) {
        while (i >= 0 && (tape[i].operation == Operation::expand || tape[i].operation == Operation::copy))
            i = tape[i].a;
        return i >= 0 && tape[i].operation == Operation::constant ? &tape[i] : nullptr;
    };
    switch (n.operation) {
        case Operation::sigmoid: return {0, 1};
        case Operation::tanh: return {-1, 1};
        case Operation::exp:
        case Operation::absolute: return {0, inf};
        case Operation::maximum:
        case Operation::minimum: {
            const Node *const a = constant(n.a), *const b = constant(n.b);
            if ((a == nullptr) == (b == nullptr)) return {};
            OutputRange inner = range_of(tape, a != nullptr ? n.b : n.a);
            const double bound = a != nullptr ? a->constant : b->constant;
            if (n.operation == Operation::maximum) {
                if (bound > inner.lowest) inner.lowest = bound;
            } else if (bound < inner.greatest) inner.greatest = bound;
            return inner;
        }
        default: return {};
    }
}

}  // namespace sigma::detail
