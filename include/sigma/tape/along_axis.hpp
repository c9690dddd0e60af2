// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/blocks.hpp>
#include <sigma/tape/movement.hpp>

#include <cstdint>

/// Tensor language: what goes along one axis, the last if none is named.
namespace sigma {

// clang-format off: a table
inline constexpr Given::Label elements_wanted{"elements wanted"}, shape_of_the_indices{"shape of the indices"};
inline constexpr Fault
    error_axis_must_not_be_the_batch{"this axis must not be the batch"},
    error_gather_indices_do_not_fit{"gather: the indices do not fit"},
    error_top_k_wants_more_than_there_is{"top_k wants more than there is"};
// clang-format on

namespace detail {

/// Is there such an axis to go along?
constexpr bool goes_along(At x, Axis along) {
    if (!has(x, along)) return false;
    if (place(x)[normal_axis(along.number, place(x).rank)] > 0) return true;
    x.refused(error_axis_must_not_be_the_batch, {axis_given, along.number}, {shape_of_x, x.shape()});
    return false;
}
constexpr int position(Tensor x, Axis along) { return normal_axis(along.number, place(x).rank); }

/// `x` with one axis exchanged with the last, which the same function undoes.
constexpr Variable exchanged(Variable x, int axis) {
    const int last = x.shape().rank - 1;
    std::uint64_t order = 0;
    for (int i = 0; i <= last; ++i)
        order |= static_cast<std::uint64_t>(i == axis ? last : i == last ? axis : i) << (4 * i);
    return permute(x, order);
}

}  // namespace detail

/// y[i] = a[i]·y[i-1] + b[i] along an axis, y[0] = b[0]: of state space models, of averages that forget. `a`
/// broadcasts.
constexpr Tensor linear_recurrence(detail::At a, Tensor b, Axis along = axis(-1)) {
    const Shape s = a.shape(), t = b.shape();
    if (!detail::broadcasts(s, t) || !(detail::broadcast(s, t) == t))
        return a.refused(error_shapes_do_not_broadcast, {shape_of_x, s}, {shape_of_y, t});
    if (!detail::goes_along({b, a.line, a.file}, along)) return b;
    const int at = detail::position(b, along);
    const Variable factors = detail::exchanged(reshape(a.variable, s.aligned(t.rank)), at);
    const Variable terms = detail::exchanged(b.variable, at);
    return {detail::exchanged(linear_recurrence(factors, terms, false), at)};
}

/// Which elements a sum holds: `reverse`, from the end on; `exclusive`, not the one at its own position.
struct Cumulative {
    bool exclusive = false, reverse = false;
};

/// Sums of all elements up to each position of an axis: cumsum(x, axis(1)), cumsum(x, {.reverse = true}).
constexpr Tensor cumsum(detail::At x, Axis along, Cumulative how = {}) {
    if (!detail::goes_along(x, along)) return x;
    const Shape s = x.shape();
    const int at = detail::position(x, along), last = s.rank - 1, n = s[at];
    Variable terms = detail::exchanged(x.variable, at);
    if (how.exclusive && n == 1) terms = detail::delayed(terms);
    else if (how.exclusive) terms = pad(slice(terms, last, how.reverse, n - 1), last, !how.reverse, n);
    const Variable one = constant(x.variable.tape, 1);
    return {detail::exchanged(linear_recurrence(one, terms, how.reverse), at)};
}
constexpr Tensor cumsum(detail::At x, Cumulative how = {}) { return cumsum(x, axis(-1), how); }

/// Products of all elements up to each position of an axis. Zeros have the right gradient too.
constexpr Tensor cumprod(detail::At x, Axis along = axis(-1)) {
    if (!detail::goes_along(x, along)) return x;
    const int at = detail::position(x, along), n = x.shape()[at];
    const Variable factors = detail::exchanged(x.variable, at);
    const Tensor numbers = iota_beside(x, n);
    const Variable first = less(numbers.variable, constant(x.variable.tape, 0.5));
    const Variable terms = where(first, factors, constant(x.variable.tape, 0));
    return {detail::exchanged(linear_recurrence(factors, terms, false), at)};
}

enum class SortOrder { ascending, descending };

/// The positions that put an axis in order: argsort(x, axis(0), SortOrder::descending). What is equal stays in its
/// order; NaN counts as greatest. No gradient.
constexpr Tensor argsort(detail::At x, Axis along, SortOrder order = SortOrder::ascending) {
    if (!detail::goes_along(x, along)) return x;
    const int at = detail::position(x, along), n = x.shape()[at];
    const Variable sorted = argsort(detail::exchanged(x.variable, at), n, order == SortOrder::descending);
    return {detail::exchanged(sorted, at)};
}
constexpr Tensor argsort(detail::At x, SortOrder order = SortOrder::ascending) { return argsort(x, axis(-1), order); }

/// An axis in that order.
constexpr Tensor sort(detail::At x, Axis along, SortOrder order = SortOrder::ascending) {
    if (!detail::goes_along(x, along)) return x;
    const int at = detail::position(x, along), n = x.shape()[at];
    const Variable moved = detail::exchanged(x.variable, at);
    const Variable sorted = argsort(moved, n, order == SortOrder::descending);
    return {detail::exchanged(detail::gather_along(moved, sorted), at)};
}
constexpr Tensor sort(detail::At x, SortOrder order = SortOrder::ascending) { return sort(x, axis(-1), order); }

struct TopK {
    Tensor values, indices;
};

/// The k greatest elements of an axis, greatest first, and where they stand: auto [values, indices] = top_k(x, 3).
constexpr TopK top_k(detail::At x, int k, Axis along = axis(-1)) {
    if (!detail::goes_along(x, along)) return {x, x};
    const int at = detail::position(x, along);
    if (k < 1 || k > x.shape()[at]) {
        x.refused(error_top_k_wants_more_than_there_is, {elements_wanted, k}, {axis_given, along.number},
                  {shape_of_x, x.shape()});
        return {x, x};
    }
    const Variable moved = detail::exchanged(x.variable, at);
    const Variable first = argsort(moved, k, true);
    const Variable values = detail::exchanged(detail::gather_along(moved, first), at);
    return {{values}, {detail::exchanged(first, at)}};
}

namespace detail {

constexpr bool indexes(const Shape& a, const Shape& i, int number) {
    if (a.rank != i.rank || !valid_axis(number, a.rank)) return false;
    const int at = normal_axis(number, a.rank);
    return a[at] > 0 && i[at] > 0 && broadcasts(a.with(at, 1), i.with(at, 1)) &&
           one_batch_axis(broadcast(a.with(at, i[at]), i));
}

}  // namespace detail

/// Elements of `x` by their position along one axis: y[…, i, …] = x[…, indices[…, i, …], …]; other axes broadcast.
/// Where there is no such position: NaN.
constexpr Tensor gather(detail::At x, Tensor indices, Axis along) {
    const Shape a = x.shape(), i = indices.shape();
    if (!detail::indexes(a, i, along.number))
        return x.refused(error_gather_indices_do_not_fit, {axis_given, along.number}, {shape_of_x, a},
                         {shape_of_the_indices, i});
    const int at = detail::normal_axis(along.number, a.rank);
    const Variable from = detail::exchanged(x.variable, at);
    const Variable positions = detail::exchanged(indices.variable, at);
    return {detail::exchanged(detail::gather_along(from, positions), at)};
}

}  // namespace sigma
