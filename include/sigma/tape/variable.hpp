// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Values on a tape, for optimizers of your own: Variable and its functions. Included by `<sigma/sigma.hpp>`.
#include <sigma/tape/tape.hpp>

#include <limits>

namespace sigma {

/// A value on a tape. Optimizers write their updates with it, by the operators and functions of tensors.
///
/// Shapes are not checked: `Tensor` is the checked form.
///
/// @see Update, Tensor
struct Variable {
    /// @cond internal
    detail::Tape* tape = nullptr;
    int id = -1;

    constexpr const detail::Node& node() const { return (*tape)[id]; }
    /// @endcond
    /// Returns the shape.
    constexpr Shape shape() const { return node().shape; }  // by value: the tape moves when it grows
    /// @cond internal
    constexpr detail::Operation operation() const { return node().operation; }
    constexpr bool is_constant() const { return operation() == detail::Operation::constant; }
    constexpr bool is(double value) const { return tape->identities && is_constant() && node().constant == value; }
    constexpr Variable operand(int which) const { return {tape, node().operand(which)}; }
    constexpr bool same(Variable other) const { return id == other.id; }
    /// @endcond
};

/// Returns a constant on a tape.
/// @param tape  the tape
/// @param value  the number
/// @return a scalar
///
/// @see Variable
constexpr Variable constant(detail::Tape* tape, double value) {
    return {tape, tape->put({detail::Operation::constant, -1, -1, -1, {}, value})};
}

namespace detail {

constexpr Variable reciprocal_batch(Tape* tape) { return {tape, tape->put({Operation::reciprocal_batch})}; }

constexpr Variable unary(Operation o, Variable x) { return {x.tape, x.tape->put({o, x.id, -1, -1, x.shape()})}; }

/// Returns x without an explicit broadcast if the other operand has the full shape.
constexpr Variable without_expand(Variable x, const Shape& other) {
    if (!x.tape->identities || x.operation() != Operation::expand) return x;
    return broadcast(x.operand(0).shape(), other) == broadcast(x.shape(), other) ? x.operand(0) : x;
}
constexpr void drop_expands(Variable& x, Variable& y) {
    const Variable bare = without_expand(x, y.shape());
    if (!bare.same(x)) x = bare;
    else y = without_expand(y, x.shape());
}
constexpr Variable binary(Operation o, Variable x, Variable y) {
    drop_expands(x, y);
    if (is_commutative(o) && x.id > y.id && x.tape->identities) {
        const Variable t = x;
        x = y;
        y = t;
    }
    return {x.tape, x.tape->put({o, x.id, y.id, -1, broadcast(x.shape(), y.shape())})};
}
constexpr bool both_constant(Variable x, Variable y) {
    return x.tape->identities && x.is_constant() && y.is_constant();
}
/// Returns whether `x` has the shape `broadcast(x, y)`: only then may it replace a result of this shape.
constexpr bool covers(Variable x, Variable y) { return broadcast(x.shape(), y.shape()) == x.shape(); }

constexpr Variable expand(Variable x, const Shape& s) {
    if (x.shape() == s) return x;
    const bool again = x.tape->identities && x.operation() == Operation::expand;
    return {x.tape, x.tape->put({Operation::expand, again ? x.node().a : x.id, -1, -1, s})};
}
/// Returns a node of its own with the value of `x`: results must not share memory with inputs.
constexpr Variable copy(Variable x) {
    return {x.tape, x.tape->emit_unshared({Operation::copy, x.id, -1, -1, x.shape()})};
}

}  // namespace detail

/// Negates each element.
/// @param x  a variable
/// @return a variable of the shape of `x`
///
/// @see Update
constexpr Variable operator-(Variable x) {
    if (x.tape->identities) {
        if (x.operation() == detail::Operation::negate) return x.operand(0);
        if (x.is_constant()) return constant(x.tape, -x.node().constant);
    }
    return detail::unary(detail::Operation::negate, x);
}
/// Adds two variables element by element. Operands broadcast.
/// @param x  a variable
/// @param y  a variable
/// @return a variable of the broadcast shape
///
/// @see Update
constexpr Variable operator+(Variable x, Variable y) {
    if (detail::both_constant(x, y)) return constant(x.tape, x.node().constant + y.node().constant);
    if (x.is(0) && detail::covers(y, x)) return y;
    if (y.is(0) && detail::covers(x, y)) return x;
    if (x.tape->identities && y.operation() == detail::Operation::negate)
        return detail::binary(detail::Operation::subtract, x, y.operand(0));
    if (x.tape->identities && x.operation() == detail::Operation::negate)
        return detail::binary(detail::Operation::subtract, y, x.operand(0));
    return detail::binary(detail::Operation::add, x, y);
}
/// Subtracts y from x element by element. Operands broadcast.
/// @param x  a variable
/// @param y  a variable
/// @return a variable of the broadcast shape
///
/// @see Update
constexpr Variable operator-(Variable x, Variable y) {
    if (detail::both_constant(x, y)) return constant(x.tape, x.node().constant - y.node().constant);
    if (y.is(0) && detail::covers(x, y)) return x;
    if (x.is(0) && detail::covers(y, x)) return -y;
    if (x.tape->identities && y.operation() == detail::Operation::negate)
        return detail::binary(detail::Operation::add, x, y.operand(0));
    return detail::binary(detail::Operation::subtract, x, y);
}
/// Multiplies two variables element by element. Operands broadcast.
/// @param x  a variable
/// @param y  a variable
/// @return a variable of the broadcast shape
///
/// @see Update
constexpr Variable operator*(Variable x, Variable y) {
    detail::drop_expands(x, y);
    if (detail::both_constant(x, y)) return constant(x.tape, x.node().constant * y.node().constant);
    if (x.is(1) && detail::covers(y, x)) return y;
    if (y.is(1) && detail::covers(x, y)) return x;
    if (x.is(-1) && detail::covers(y, x)) return -y;
    if (y.is(-1) && detail::covers(x, y)) return -x;
    if (x.tape->identities) {  // signs move outwards, to meet a sum or to cancel
        if (x.operation() == detail::Operation::negate) return -(x.operand(0) * y);
        if (y.operation() == detail::Operation::negate) return -(x * y.operand(0));
    }
    return detail::binary(detail::Operation::multiply, x, y);
}
/// Divides x by y element by element. Operands broadcast.
/// @param x  a variable
/// @param y  a variable
/// @return a variable of the broadcast shape
///
/// @see Update
constexpr Variable operator/(Variable x, Variable y) {
    if (detail::both_constant(x, y) && y.node().constant != 0)
        return constant(x.tape, x.node().constant / y.node().constant);
    if (y.is(1) && detail::covers(x, y)) return x;
    if (x.tape->identities && x.operation() == detail::Operation::negate) return -(x.operand(0) / y);
    return detail::binary(detail::Operation::divide, x, y);
}
/// Adds a number to each element.
/// @param k  a number
/// @param x  a variable
/// @return a variable of the shape of `x`
///
/// @see Update
constexpr Variable operator+(double k, Variable x) { return constant(x.tape, k) + x; }
/// Adds a number to each element.
/// @param x  a variable
/// @param k  a number
/// @return a variable of the shape of `x`
///
/// @see Update
constexpr Variable operator+(Variable x, double k) { return x + constant(x.tape, k); }
/// Subtracts each element from a number.
/// @param k  a number
/// @param x  a variable
/// @return a variable of the shape of `x`
///
/// @see Update
constexpr Variable operator-(double k, Variable x) { return constant(x.tape, k) - x; }
/// Subtracts a number from each element.
/// @param x  a variable
/// @param k  a number
/// @return a variable of the shape of `x`
///
/// @see Update
constexpr Variable operator-(Variable x, double k) { return x - constant(x.tape, k); }
/// Multiplies each element by a number.
/// @param k  a number
/// @param x  a variable
/// @return a variable of the shape of `x`
///
/// @see Update
constexpr Variable operator*(double k, Variable x) { return constant(x.tape, k) * x; }
/// Multiplies each element by a number.
/// @param x  a variable
/// @param k  a number
/// @return a variable of the shape of `x`
///
/// @see Update
constexpr Variable operator*(Variable x, double k) { return x * constant(x.tape, k); }
/// Divides a number by each element.
/// @param k  a number
/// @param x  a variable
/// @return a variable of the shape of `x`
///
/// @see Update
constexpr Variable operator/(double k, Variable x) { return constant(x.tape, k) / x; }
/// Divides each element by a number.
/// @param x  a variable
/// @param k  a number
/// @return a variable of the shape of `x`
///
/// @see Update
constexpr Variable operator/(Variable x, double k) { return x / constant(x.tape, k); }

/// Computes the absolute value of each element.
/// @param x  a variable
/// @return a variable of the shape of `x`
///
/// @see Update
constexpr Variable abs(Variable x) { return detail::unary(detail::Operation::absolute, x); }
#define SIGMA_unary(name) \
    constexpr Variable name(Variable x) { return detail::unary(detail::Operation::name, x); }
#define SIGMA_binary(name) \
    constexpr Variable name(Variable x, Variable y) { return detail::binary(detail::Operation::name, x, y); }
#define SIGMA_flat SIGMA_unary
#define SIGMA_FUNCTION(name, kind, ...) SIGMA_##kind(name)
SIGMA_OPERATIONS(SIGMA_NO_ROW, SIGMA_NO_ROW, SIGMA_FUNCTION)
#undef SIGMA_FUNCTION
#undef SIGMA_flat
#undef SIGMA_binary
#undef SIGMA_unary

/// Computes the greater of two elements. NaN if either is. Operands broadcast.
/// @param x  a variable
/// @param y  a variable
/// @return a variable of the broadcast shape
///
/// @see Update
constexpr Variable max(Variable x, Variable y) { return detail::binary(detail::Operation::maximum, x, y); }
/// Computes the lesser of two elements. NaN if either is. Operands broadcast.
/// @param x  a variable
/// @param y  a variable
/// @return a variable of the broadcast shape
///
/// @see Update
constexpr Variable min(Variable x, Variable y) { return detail::binary(detail::Operation::minimum, x, y); }
#define SIGMA_COMPARISON(name, sign)                                                                                \
    constexpr Variable name(Variable x, Variable y) {                                                               \
        if (detail::both_constant(x, y)) return constant(x.tape, x.node().constant sign y.node().constant ? 1 : 0); \
        return detail::binary(detail::Operation::name, x, y);                                                       \
    }
// clang-format off
SIGMA_COMPARISON(less, <)
SIGMA_COMPARISON(less_equal, <=)
SIGMA_COMPARISON(equal, ==)
#undef SIGMA_COMPARISON
// clang-format on
/// Returns `x` if the condition is not zero, else `y`, element by element. Operands broadcast.
/// @param condition  a variable
/// @param x  a variable
/// @param y  a variable
/// @return a variable of the broadcast shape
///
/// @see Update
constexpr Variable where(Variable condition, Variable x, Variable y) {
    if (x.tape->identities && x.same(y) && detail::covers(x, condition)) return x;
    if (x.tape->identities && condition.is_constant()) {
        if (!condition.is(0) && detail::covers(x, y)) return x;
        if (condition.is(0) && detail::covers(y, x)) return y;
    }
    const Shape s = detail::broadcast(condition.shape(), detail::broadcast(x.shape(), y.shape()));
    return {x.tape, x.tape->put({detail::Operation::where, condition.id, x.id, y.id, s})};
}
/// Computes x to the power of y, element by element. Operands broadcast.
/// @param x  a variable
/// @param y  a variable
/// @return a variable of the broadcast shape
///
/// @see Update
// Small constant exponents have formulas that agree for every number, except for the sign of a zero.
constexpr Variable pow(Variable x, Variable y) {
    if (y.is(1) && detail::covers(x, y)) return x;
    if (y.is(2) && detail::covers(x, y)) return x * x;
    if (y.is(3) && detail::covers(x, y)) return x * x * x;
    if (y.is(-1) && detail::covers(x, y)) return 1.0 / x;
    if ((y.is(0.5) || y.is(-0.5)) && detail::covers(x, y)) {
        const Variable infinity = constant(x.tape, std::numeric_limits<double>::infinity());
        const Variable z = where(equal(x, -infinity), infinity, x);  // a power of -inf is one of inf, its root is NaN
        return y.is(0.5) ? sqrt(z) : abs(rsqrt(z));                  // -0 to the power of -0.5 is inf, not -inf
    }
    return detail::binary(detail::Operation::power, x, y);
}

/// @cond internal
/// Returns the same elements, in the same order, in another shape. If only leading extents of 1 come or go, it is an
/// elementwise operation, which fuses; otherwise it is another view of the memory.
constexpr Variable reshape(Variable x, const Shape& s) {
    if (x.shape() == s) return x;
    if (detail::equivalent(x.shape(), s)) return detail::expand(x, s);
    if (x.tape->identities && x.operation() == detail::Operation::reshape) return reshape(x.operand(0), s);
    if (x.tape->identities && x.is_constant()) return detail::expand(x, s);
    if (x.tape->identities && x.operation() == detail::Operation::expand && x.operand(0).shape().scalar())
        return detail::expand(x.operand(0), s);
    return {x.tape, x.tape->put({detail::Operation::reshape, x.id, -1, -1, s})};
}
/// @endcond

namespace detail {

/// Reduces to a shape of the same rank, with extent 1 at reduced axes. Separate groups of axes are reduced one group at
/// a time, innermost first, so that every kernel has one run of axes.
constexpr Variable reduce(Operation o, Variable x, const Shape& target) {
    const Shape from = x.shape();
    if (from == target) return x;
    int end = from.rank - 1;
    while (end >= 0 && from[end] == target[end]) --end;
    int begin = end;  // extents of one may lie inside a run
    while (begin > 0 && (from[begin - 1] != target[begin - 1] || from[begin - 1] == 1)) --begin;
    Shape partial = from;
    for (int i = begin; i <= end; ++i) partial.extent[i] = target[i];
    const Variable r{x.tape, x.tape->put({o, x.id, -1, -1, partial})};
    return reduce(o, r, target);
}
/// Sums over the axes that broadcasting added: the adjoint of a broadcast.
constexpr Variable sum_to(Variable x, const Shape& target) {
    if (x.shape() == target) return x;
    return reshape(reduce(Operation::sum, x, target.aligned(x.shape().rank)), target);
}

}  // namespace detail

/// @cond internal
constexpr Variable argmax(Variable x, int axis) {
    return {x.tape, x.tape->put({detail::Operation::argmax, x.id, -1, -1, x.shape().with(axis, 1), 0,
                                 static_cast<std::uint64_t>(axis)})};
}

/// Permutes axes: axis `i` of the result is axis `order[i]` of `x`. `order` has four bits for each axis.
constexpr Variable permute(Variable x, std::uint64_t order) {
    Shape s = x.shape();
    bool moves = false;
    for (int i = 0; i < s.rank; ++i) {
        const int from = static_cast<int>(order >> (4 * i) & 15);
        s.extent[i] = x.shape()[from];
        moves = moves || from != i;
    }
    if (!moves) return x;
    if (x.tape->identities && x.operation() == detail::Operation::permute) {
        std::uint64_t both = 0;
        for (int i = 0; i < s.rank; ++i)
            both |= static_cast<std::uint64_t>(source_axis(x.node(), static_cast<int>(order >> (4 * i) & 15)))
                    << (4 * i);
        return permute(x.operand(0), both);
    }
    return {x.tape, x.tape->put({detail::Operation::permute, x.id, -1, -1, s, 0, order})};
}
/// @endcond

namespace detail {

constexpr std::uint64_t inverse_order(const Node& n) {
    std::uint64_t inverse = 0;
    for (int i = 0; i < n.shape.rank; ++i) inverse |= static_cast<std::uint64_t>(i) << (4 * source_axis(n, i));
    return inverse;
}

}  // namespace detail

/// @cond internal
constexpr Variable slice(Variable x, int axis, int first, int extent) {
    const Shape s = x.shape();
    if (s[axis] == extent) return x;
    const detail::Operation o = x.operation();
    if (x.tape->identities &&
        (o == detail::Operation::add || o == detail::Operation::subtract || o == detail::Operation::multiply)) {
        // Slices of cheap elementwise code become slices of the operands: these may be views, and the code fuses.
        const auto part = [&](Variable y) {
            const int own = axis - (s.rank - y.shape().rank);
            return own < 0 || y.shape()[own] == 1 ? y : slice(y, own, first, extent);
        };
        const Variable a = part(x.operand(0)), b = part(x.operand(1));
        if (detail::broadcast(a.shape(), b.shape()) == s.with(axis, extent))
            return o == detail::Operation::add ? a + b : o == detail::Operation::subtract ? a - b : a * b;
    }
    return {x.tape, x.tape->put({detail::Operation::slice, x.id, -1, -1, x.shape().with(axis, extent), 0,
                                 detail::axis_and_first(axis, first)})};
}
/// Returns `x` at position `first` of an axis of length `extent`, with zeros elsewhere: the adjoint of a slice.
constexpr Variable pad(Variable x, int axis, int first, int extent) {
    if (x.shape()[axis] == extent) return x;
    return {x.tape, x.tape->put({detail::Operation::pad, x.id, -1, -1, x.shape().with(axis, extent), 0,
                                 detail::axis_and_first(axis, first)})};
}
constexpr Variable concatenate(Variable x, Variable y, int axis) {
    return {x.tape, x.tape->put({detail::Operation::concatenate, x.id, y.id, -1,
                                 x.shape().with(axis, x.shape()[axis] + y.shape()[axis]), 0,
                                 detail::axis_and_first(axis, x.shape()[axis])})};
}
/// @endcond

namespace detail {

// Loops over time: `step` is the value of x, (batch, time, …), at the current position; `carry` is a value that lasts
// from step to step; `stack` is the values of all positions.
constexpr Variable step(Variable x, int loop) {
    return {x.tape,
            x.tape->put({Operation::step, x.id, -1, -1, x.shape().without(1), 0, static_cast<std::uint64_t>(loop)})};
}

}  // namespace detail

/// Adds a value that a loop of the tape carries from step to step. In layers, use `scan`.
/// @param initial  value before the first step
/// @param loop  number of the loop on the tape
/// @param number  number of the carry in the loop
/// @return the value in a step
///
/// @see scan
constexpr Variable carry(Variable initial, int loop, int number) {
    return {initial.tape,
            initial.tape->put({detail::Operation::carry, initial.id, -1, -1, initial.shape(), 0,
                               static_cast<std::uint64_t>(loop) | static_cast<std::uint64_t>(number) << 16})};
}

namespace detail {

constexpr Variable stack(Variable x, int loop) {
    const Shape s = x.shape().inserted(1, x.tape->loops()[loop].count);
    return {x.tape, x.tape->put({Operation::stack, x.id, -1, -1, s, 0, static_cast<std::uint64_t>(loop)})};
}
constexpr void advance(Variable carry, Variable next) {
    carry.tape->emit_unshared({Operation::advance, carry.id, next.id, -1, carry.shape(), 0, carry.node().attribute});
}

/// Exchanges the last two axes.
constexpr Variable transpose_last(Variable x) {
    const int rank = x.shape().rank;
    std::uint64_t order = 0;
    for (int i = 0; i < rank; ++i)
        order |= static_cast<std::uint64_t>(i < rank - 2 ? i : i == rank - 2 ? rank - 1 : rank - 2) << (4 * i);
    return permute(x, order);
}

/// Computes matrix products. m is all leading axes of `x` together, unless `each` keeps them apart. Then both operands
/// have equal leading axes, and there is one product for each of their indices.
///   dot             (m, k) (k, n)   -> (m, n)
///   transposed_dot  (m, k)^T (m, n) -> (k, n)
constexpr Variable product(Operation o, Variable x, Variable y, bool each) {
    if (o == Operation::dot && x.tape->identities && !each && x.operation() == Operation::permute &&
        x.shape().rank == 2)
        return product(Operation::transposed_dot, x.operand(0), y, false);
    const Shape a = x.shape(), b = y.shape();
    Shape s = a;
    if (o == Operation::dot) {
        s.extent[a.rank - 1] = b.last();
    } else if (each) {
        s.extent[a.rank - 2] = a.last();
        s.extent[a.rank - 1] = b.last();
    } else {
        s = Shape{a.last(), b.last()};
    }
    return {x.tape, x.tape->put({o, x.id, y.id, -1, s, 0, each ? 1u : 0u})};
}

}  // namespace detail

}  // namespace sigma
