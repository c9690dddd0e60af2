// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Functions along one axis: cumsum, cumprod, sort, argsort, top_k, gather, linear_recurrence. Included by
/// `<sigma/sigma.hpp>`.
#include <sigma/tape/blocks.hpp>
#include <sigma/tape/movement.hpp>

#include <cstdint>

namespace sigma {

// clang-format off: a table
inline constexpr Given::Label elements_wanted{"elements wanted"}, shape_of_the_indices{"shape of the indices"};
inline constexpr Fault
    error_axis_must_not_be_the_batch{"this axis must not be the batch"},
    error_gather_indices_do_not_fit{"gather: the indices do not fit"},
    error_top_k_wants_more_than_there_is{"top_k: k is not from 1 to the extent of the axis"};
// clang-format on

namespace detail {

/// Returns whether the axis exists and is not the batch. Refuses it if not.
constexpr bool goes_along(At x, Axis along) {
    if (!has(x, along)) return false;
    if (place(x)[normal_axis(along.number, place(x).rank)] > 0) return true;
    x.refused(error_axis_must_not_be_the_batch, {axis_given, along.number}, {shape_of_x, x.shape()});
    return false;
}
constexpr int position(Tensor x, Axis along) { return normal_axis(along.number, place(x).rank); }

/// Returns x with one axis exchanged with the last. The same function undoes it.
constexpr Variable exchanged(Variable x, int axis) {
    const int last = x.shape().rank - 1;
    std::uint64_t order = 0;
    for (int i = 0; i <= last; ++i)
        order |= static_cast<std::uint64_t>(i == axis ? last : i == last ? axis : i) << (4 * i);
    return permute(x, order);
}

}  // namespace detail

/// Computes y[i] = a[i]·y[i-1] + b[i] along an axis, with y[0] = b[0]: state space models, exponential averages.
/// @param a  factors; they broadcast to the shape of `b`
/// @param b  terms
/// @param along  the axis; not the batch. Default: the last.
/// @return a tensor of the shape of `b`
///
/// @par Example
/// @code
/// const auto average = [](Tensor x) { return linear_recurrence(filled(x, 0.9, Shape{1}), 0.1 * x, axis(1)); };
/// @endcode
///
/// @see cumsum, scan
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

/// Options of `cumsum`.
///
/// @see cumsum
struct Cumulative {
    bool exclusive = false;  ///< Leaves out the element at its own position if true.
    bool reverse = false;    ///< Sums from the end if true.
};

/// Returns the sums of all elements up to each position of an axis.
/// @param x  a tensor
/// @param along  the axis; not the batch
/// @param options  exclusive or reverse sums. Default: neither.
/// @return a tensor of the shape of `x`
///
/// @par Example
/// @code
/// const auto from_the_end = [](Tensor x) { return cumsum(x, axis(1), {.reverse = true}); };
/// @endcode
///
/// @see cumprod, sum
constexpr Tensor cumsum(detail::At x, Axis along, Cumulative options = {}) {
    if (!detail::goes_along(x, along)) return x;
    const Shape s = x.shape();
    const int at = detail::position(x, along), last = s.rank - 1, n = s[at];
    Variable terms = detail::exchanged(x.variable, at);
    if (options.exclusive && n == 1) terms = detail::delayed(terms);
    else if (options.exclusive) terms = pad(slice(terms, last, options.reverse, n - 1), last, !options.reverse, n);
    const Variable one = constant(x.variable.tape, 1);
    return {detail::exchanged(linear_recurrence(one, terms, options.reverse), at)};
}
/// Returns the sums of all elements up to each position of the last axis.
/// @param x  a tensor
/// @param options  exclusive or reverse sums. Default: neither.
/// @return a tensor of the shape of `x`
///
/// @see cumprod, sum
constexpr Tensor cumsum(detail::At x, Cumulative options = {}) { return cumsum(x, axis(-1), options); }

/// Returns the products of all elements up to each position of an axis. Gradients are right for zeros, too.
/// @param x  a tensor
/// @param along  the axis; not the batch. Default: the last.
/// @return a tensor of the shape of `x`
///
/// @par Example
/// @code
/// const auto survival = [](Tensor p) { return cumprod(1.0 - p, axis(1)); };
/// @endcode
///
/// @see cumsum
constexpr Tensor cumprod(detail::At x, Axis along = axis(-1)) {
    if (!detail::goes_along(x, along)) return x;
    const int at = detail::position(x, along), n = x.shape()[at];
    const Variable factors = detail::exchanged(x.variable, at);
    const Tensor numbers = iota_beside(x, n);
    const Variable first = less(numbers.variable, constant(x.variable.tape, 0.5));
    const Variable terms = where(first, factors, constant(x.variable.tape, 0));
    return {detail::exchanged(linear_recurrence(factors, terms, false), at)};
}

/// Orders of `sort` and `argsort`.
///
/// @see sort
enum class SortOrder {
    ascending,  ///< Least first.
    descending  ///< Greatest first.
};

/// Returns the positions that put an axis in order. No gradient passes.
///
/// Equal elements keep their order. NaN counts as greatest.
/// @param x  a tensor
/// @param along  the axis; not the batch
/// @param order  ascending (default) or descending
/// @return a tensor of positions from 0, of the shape of `x`
///
/// @par Example
/// @code
/// const auto ranking = [](Tensor x) { return argsort(x, axis(1), SortOrder::descending); };
/// @endcode
///
/// @see sort, top_k, gather
constexpr Tensor argsort(detail::At x, Axis along, SortOrder order = SortOrder::ascending) {
    if (!detail::goes_along(x, along)) return x;
    const int at = detail::position(x, along), n = x.shape()[at];
    const Variable sorted = argsort(detail::exchanged(x.variable, at), n, order == SortOrder::descending);
    return {detail::exchanged(sorted, at)};
}
/// Returns the positions that put the last axis in order. No gradient passes.
/// @param x  a tensor
/// @param order  ascending (default) or descending
/// @return a tensor of positions from 0, of the shape of `x`
///
/// @see sort
constexpr Tensor argsort(detail::At x, SortOrder order = SortOrder::ascending) { return argsort(x, axis(-1), order); }

/// Sorts the elements along an axis. NaN counts as greatest.
/// @param x  a tensor
/// @param along  the axis; not the batch
/// @param order  ascending (default) or descending
/// @return a tensor of the shape of `x`
///
/// @par Example
/// @code
/// const auto sorted = [](Tensor x) { return sort(x, axis(1), SortOrder::descending); };
/// @endcode
///
/// @see argsort, top_k
constexpr Tensor sort(detail::At x, Axis along, SortOrder order = SortOrder::ascending) {
    if (!detail::goes_along(x, along)) return x;
    const int at = detail::position(x, along), n = x.shape()[at];
    const Variable moved = detail::exchanged(x.variable, at);
    const Variable sorted = argsort(moved, n, order == SortOrder::descending);
    return {detail::exchanged(detail::gather_along(moved, sorted), at)};
}
/// Sorts the elements along the last axis. NaN counts as greatest.
/// @param x  a tensor
/// @param order  ascending (default) or descending
/// @return a tensor of the shape of `x`
///
/// @see argsort
constexpr Tensor sort(detail::At x, SortOrder order = SortOrder::ascending) { return sort(x, axis(-1), order); }

/// The result of `top_k`.
///
/// @see top_k
struct TopK {
    Tensor values;   ///< Greatest elements, greatest first.
    Tensor indices;  ///< Positions of these elements, from 0.
};

/// Returns the k greatest elements of an axis and their positions, greatest first.
/// @param x  a tensor
/// @param k  number of elements, from 1 to the extent of the axis
/// @param along  the axis; not the batch. Default: the last.
/// @return values and indices, with the extent k along the axis
///
/// @par Example
/// @code
/// const auto third = [](Tensor x) { return slice(top_k(x, 3).values, axis(-1), 2, 3); };
/// @endcode
///
/// @see sort, max
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

/// Returns elements of x by their positions along one axis: y[…, i, …] = x[…, indices[…, i, …], …].
///
/// The other axes broadcast. A position that does not exist gives NaN.
/// @param x  a tensor
/// @param indices  positions from 0, with as many axes as `x`
/// @param along  the axis; not the batch
/// @return a tensor with the extent of `indices` along this axis
///
/// @par Example
/// @code
/// const auto chosen = [](Tensor x, Tensor i) { return gather(x, i, axis(1)); };
/// @endcode
///
/// @see gather(detail::At, Tensor) (rows of a table), argsort, one_hot
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
