// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Functions that move elements, and matrix products: reshape, flatten, permute, slice, concatenate, pad, one_hot, dot.
/// Included by `<sigma/sigma.hpp>`.
#include <sigma/tape/tensor.hpp>

namespace sigma {

// clang-format off: a table
inline constexpr Given::Label elements_before{"elements before"}, elements_after{"elements after"}, first_index{"first"},
    end_index{"end"};
inline constexpr Fault
    error_Reshape_changes_the_number_of_elements{"reshape changes the number of elements"},
    error_flatten_needs_a_batch_and_another_axis{"flatten needs a batch and another axis"},
    error_Permute_needs_each_axis_once{"permute needs each axis once"},
    error_slice_out_of_range{"slice: the positions are outside of the axis"},
    error_pad_does_not_fit{"pad does not fit"},
    error_concatenate_shapes_differ_outside_the_axis{"concatenate: shapes differ outside the axis"},
    error_dot_extents_differ{"dot: as many columns of x as rows of w are needed"},
    error_dot_leading_axes_differ{"dot: leading axes differ"},
    error_dot_result_would_have_two_batch_axes{"the result would have two axes of the batch"},
    error_dot_needs_a_matrix_or_vector{"dot needs matrices or vectors"};
// clang-format on

// ---- reshape ----

/// Gives a tensor another shape. The elements keep their row-major order.
/// @param x  a tensor
/// @param shape  the new shape, of as many elements
/// @return a tensor of this shape
///
/// @par Example
/// @code
/// const auto rows = [](Tensor x) { return reshape(x, {batch, 4, 7}); };  // (batch, 28) -> (batch, 4, 7)
/// @endcode
///
/// @see flatten, permute, Reshape
constexpr Tensor reshape(detail::At x, const Shape& shape) {
    const Shape a = x.shape();
    if (shape.count() != a.count() || shape.batched() != a.batched())
        return detail::standing_in(
            x.refused(error_Reshape_changes_the_number_of_elements, {shape_of_x, a}, {wanted_is, shape}), shape);
    return {reshape(x.variable, shape)};
}
struct use_extents_in_braces;
template <class>
struct error_reshape_takes_one_shape;
// reshape(x, batch, 7)
template <class... More>
error_reshape_takes_one_shape<use_extents_in_braces> reshape(Tensor, int, int, More...);

/// Flattens each record to one axis: (batch, a, b, …) -> (batch, a·b·…).
/// @param x  a tensor of at least two axes
/// @return a tensor of two axes
///
/// @par Example
/// @code
/// const auto flat = [](Tensor images) { return flatten(images); };
/// @endcode
///
/// @see reshape, Flatten
constexpr Tensor flatten(detail::At x) {
    const Shape a = x.shape();
    if (a.rank < 2) return x.refused(error_flatten_needs_a_batch_and_another_axis, {shape_of_x, a});
    const long long elements = a.count() / (a[0] < 0 ? -a[0] : a[0]);
    // Named sizes may multiply to more than an int counts at compile time: a number then stands for the product.
    constexpr long long most = 2147483647, prime = 2147483629;
    return {reshape(x.variable, Shape{a[0], static_cast<int>(elements <= most ? elements : 1 + elements % prime)})};
}

// ---- permute ----

namespace detail {

constexpr bool each_axis_once(const Shape& order, int rank) {
    unsigned seen = 0;
    for (int i = 0; i < order.rank; ++i)
        if (order[i] >= 0 && order[i] < rank) seen |= 1u << order[i];
    return order.rank == rank && seen == (1u << rank) - 1;
}
constexpr std::uint64_t packed_order(const Shape& order) {
    std::uint64_t packed = 0;
    for (int i = 0; i < order.rank; ++i) packed |= static_cast<std::uint64_t>(order[i]) << (4 * i);
    return packed;
}

}  // namespace detail

/// Puts axes in another order: axis `i` of the result is axis `order[i]` of x.
/// @param x  a tensor
/// @param order  numbers of all axes, each once
/// @return a tensor with its axes in this order
///
/// @par Example
/// @code
/// const auto exchanged = [](Tensor x) { return permute(x, {0, 2, 1}); };  // (batch, a, b) -> (batch, b, a)
/// @endcode
///
/// @see transpose, Permute
constexpr Tensor permute(detail::At x, const Shape& order) {
    const Shape s = x.shape();
    if (!detail::each_axis_once(order, s.rank))
        return x.refused(error_Permute_needs_each_axis_once, {axes_are, order}, {shape_of_x, s});
    return {permute(x.variable, detail::packed_order(order))};
}
/// Reverses the order of all axes, as in NumPy.
/// @param x  a tensor
/// @return a tensor with its axes reversed
///
/// @par Example
/// @code
/// const auto gram = [](Tensor x) { return dot(transpose(x), x); };  // (n, k) -> (k, k)
/// @endcode
///
/// @see permute
constexpr Tensor transpose(Tensor x) {
    const int rank = x.shape().rank;
    std::uint64_t order = 0;
    for (int i = 0; i < rank; ++i) order |= static_cast<std::uint64_t>(rank - 1 - i) << (4 * i);
    return {permute(x.variable, order)};
}

// ---- slice and concatenate ----

/// Returns elements first … end-1 along one axis.
/// @param x  a tensor
/// @param along  the axis; not the batch
/// @param first  first position, from 0
/// @param end  position after the last one
/// @return a tensor with the extent end - first along this axis
///
/// @par Example
/// @code
/// const auto first_ten = [](Tensor x) { return slice(x, axis(1), 0, 10); };
/// @endcode
///
/// @see concatenate, gather, last
constexpr Tensor slice(detail::At x, Axis along, int first, int end) {
    if (!detail::has(x, along)) return x;
    const Shape s = x.shape();
    const int at = detail::normal_axis(along.number, s.rank);
    if (first < 0 || first >= end || end > s[at])
        return x.refused(error_slice_out_of_range, {axis_given, along.number}, {first_index, first}, {end_index, end},
                         {shape_of_x, s});
    return {slice(x.variable, at, first, end - first)};
}

namespace detail {

constexpr bool concatenable(const Shape& a, const Shape& b, int number) {
    if (a.rank != b.rank || !valid_axis(number, a.rank)) return false;
    const int at = normal_axis(number, a.rank);
    if (a[at] < 0 || b[at] < 0) return false;
    return a.with(at, 1) == b.with(at, 1);
}

}  // namespace detail

/// Joins tensors along one axis.
/// @param along  the axis; not the batch
/// @param x  a tensor
/// @param y  a tensor of the same shape except along this axis
/// @return a tensor with the sum of the extents along this axis
///
/// @par Example
/// @code
/// const auto joined = [](Tensor x, Tensor y) { return concatenate(axis(1), x, y); };
/// @endcode
///
/// @see slice, Concatenate
constexpr Tensor concatenate(Axis along, detail::At x, Tensor y) {
    const Shape a = x.shape(), b = y.shape();
    if (!detail::concatenable(a, b, along.number))
        return x.refused(error_concatenate_shapes_differ_outside_the_axis, {axis_given, along.number}, {shape_of_x, a},
                         {shape_of_y, b});
    return {concatenate(x.variable, y.variable, detail::normal_axis(along.number, a.rank))};
}
/// Joins three or more tensors along one axis.
/// @param along  the axis; not the batch
/// @param x  a tensor
/// @param y  a tensor of the same shape except along this axis
/// @param more  further tensors
/// @return a tensor with the sum of the extents along this axis
///
/// @see slice
template <class... More>
    requires(sizeof...(More) > 0)
constexpr Tensor concatenate(Axis along, detail::At x, Tensor y, More... more) {
    return concatenate(along, concatenate(along, x, y), more...);
}

/// Repeats a tensor along axes that it lacks or has with extent 1.
/// @param x  a tensor
/// @param shape  the new shape
/// @return a tensor of this shape
///
/// @par Example
/// @code
/// const auto repeated = [](Tensor x) { return broadcast_to(x, {batch, 4}); };  // (4) -> (batch, 4)
/// @endcode
///
/// @see where, reshape
constexpr Tensor broadcast_to(detail::At x, const Shape& shape) {
    const Shape a = x.shape();
    if (!detail::broadcasts(a, shape) || !(detail::broadcast(a, shape) == shape))
        return detail::standing_in(x.refused(error_shapes_do_not_broadcast, {shape_of_x, a}, {wanted_is, shape}),
                                   shape);
    return {detail::expand(x.variable, shape)};
}

/// Returns 0, 1, …, count-1 as a vector.
/// @param x  any tensor of the same formula
/// @param count  number of elements
/// @return a tensor (count)
///
/// @par Example
/// @code
/// const auto ramp = [](Tensor x) { return x * iota_beside(x, x.shape().last()); };
/// @endcode
///
/// @see filled
constexpr Tensor iota_beside(Tensor x, int count) {
    detail::Tape* const tape = x.variable.tape;
    return {{tape, tape->put({detail::Operation::iota, -1, -1, -1, Shape{count}})}};
}
/// Returns a tensor filled with one number, for example the first state of a scan.
/// @param x  any tensor of the same formula
/// @param value  the number
/// @param shape  shape of the result
/// @return a tensor of this shape
///
/// @par Example
/// @code
/// const auto start = [](Tensor x) { return filled(x, 0, {batch, 32}); };
/// @endcode
///
/// @see iota_beside, scan
constexpr Tensor filled(Tensor x, double value, const Shape& shape) {
    return {detail::expand(constant(x.variable.tape, value), shape)};
}
namespace detail {

constexpr Shape column_of(Shape s) {
    s.extent[s.rank++] = 1;
    return s;
}
/// Returns (…) as (…, 1).
constexpr Tensor as_column(Tensor x) { return {reshape(x.variable, column_of(x.shape()))}; }

}  // namespace detail

/// Turns class numbers into rows with 1 at the class and 0 elsewhere: (…) -> (…, classes).
/// @param labels  class numbers from 0. A number that is no class gives a row of 0.
/// @param classes  number of classes
/// @return a tensor with one axis more
///
/// @par Example
/// @code
/// const auto rows = [](Tensor labels) { return one_hot(labels, 10); };
/// @endcode
///
/// @see gather, argmax
constexpr Tensor one_hot(Tensor labels, int classes) {
    const Tensor numbers = iota_beside(labels, classes);  // a statement: operands have no order of evaluation
    return equal(detail::as_column(labels), numbers);
}

// ---- pad ----

/// Ways to fill positions beyond the ends of an axis.
///
/// @see pad
enum class PadMode {
    edge,    ///< Repeats the element at the end.
    reflect  ///< Mirrors the elements before the end, without the end itself.
};

namespace detail {

constexpr bool paddable(const Shape& s, int number, int before, int after, PadMode mode = PadMode::edge) {
    if (!valid_axis(number, s.rank) || before < 0 || after < 0) return false;
    const int n = s[normal_axis(number, s.rank)];
    return n > 0 && (mode == PadMode::edge || (before < n && after < n));
}
constexpr Tensor not_padded(At x, Axis along, int before, int after) {
    return x.refused(error_pad_does_not_fit, {axis_given, along.number}, {elements_before, before},
                     {elements_after, after}, {shape_of_x, x.shape()});
}
constexpr Variable pad(Variable x, int at, int before, int after, PadMode mode) {
    const int n = x.shape()[at];
    const auto element = [&](int i, int often) { return expand(slice(x, at, i, 1), x.shape().with(at, often)); };
    Variable y = x;
    if (mode == PadMode::edge) {
        if (before > 0) y = concatenate(element(0, before), y, at);
        return after > 0 ? concatenate(y, element(n - 1, after), at) : y;
    }
    for (int i = 1; i <= before; ++i) y = concatenate(element(i, 1), y, at);
    for (int i = 1; i <= after; ++i) y = concatenate(y, element(n - 1 - i, 1), at);
    return y;
}

}  // namespace detail

/// Adds elements with one value before and after those of an axis.
/// @param x  a tensor
/// @param along  the axis; not the batch
/// @param before  number of elements to add before, at least 0
/// @param after  number of elements to add after, at least 0
/// @param value  value of the new elements. Default: 0.
/// @return a tensor with a greater extent along this axis
///
/// @par Example
/// @code
/// const auto delayed = [](Tensor x) { return pad(x, axis(1), 2, 0); };
/// @endcode
///
/// @see PadMode, zero_pad
constexpr Tensor pad(detail::At x, Axis along, int before, int after, double value = 0) {
    const Shape s = x.shape();
    if (!detail::paddable(s, along.number, before, after)) return detail::not_padded(x, along, before, after);
    const int at = detail::normal_axis(along.number, s.rank), n = before + s[at] + after;
    const Tensor padded{pad(x.variable, at, before, n)};
    if (value == 0) return padded;
    const Tensor numbers = iota_beside(x, n);
    const Tensor i{reshape(numbers.variable, detail::all_ones(s).with(at, n))};
    const Tensor behind = i >= double(before);  // statements: operands have no order of evaluation
    const Tensor ahead = i < double(before + s[at]);
    return where(behind * ahead, padded, value);
}
/// Adds elements of x before and after those of an axis.
/// @param x  a tensor
/// @param along  the axis; not the batch
/// @param before  number of elements to add before, at least 0; for `reflect` less than the extent
/// @param after  number of elements to add after, at least 0; for `reflect` less than the extent
/// @param mode  way to fill the new elements
/// @return a tensor with a greater extent along this axis
///
/// @par Example
/// @code
/// const auto mirrored = [](Tensor x) { return pad(x, axis(1), 2, 2, PadMode::reflect); };
/// @endcode
///
/// @see PadMode
constexpr Tensor pad(detail::At x, Axis along, int before, int after, PadMode mode) {
    const Shape s = x.shape();
    if (!detail::paddable(s, along.number, before, after, mode)) return detail::not_padded(x, along, before, after);
    return {detail::pad(x.variable, detail::normal_axis(along.number, s.rank), before, after, mode)};
}

// ---- matrix product ----

namespace detail {

constexpr bool one_batch_axis(const Shape& s) {
    int found = 0;
    for (int i = 0; i < s.rank; ++i) found += s[i] < 0;
    return found <= 1;
}

}  // namespace detail

/// Computes matrix products.
///
/// A vector counts as a row on the left and as a column on the right; this axis is removed from the result.
/// @param x  (…, m, k) or (k)
/// @param y  (k, n), (k), or (…, k, n) with the leading axes of `x`
/// @return (…, m, n). If `y` has leading axes, there is one product for each of their indices.
///
/// @par Example
/// @code
/// const auto affine = [](Tensor x, Tensor w, Tensor b) { return dot(x, w) + b; };
/// @endcode
///
/// @see einsum, Dense
constexpr Tensor dot(detail::At x, Tensor y) {
    const Shape a = x.shape(), b = y.shape();
    if (a.rank < 1 || b.rank < 1 || (b.rank > 2 && a.rank != b.rank))
        return x.refused(error_dot_needs_a_matrix_or_vector, {shape_of_x, a}, {shape_of_y, b});
    const int rows = b[b.rank >= 2 ? b.rank - 2 : 0];
    const Shape s = a.rank == 1 && b.rank == 1 ? Shape{}
                    : b.rank == 1              ? a.without(a.rank - 1)
                                               : a.with(a.rank - 1, b.last());
    if (a.last() != rows)
        return detail::standing_in(x.refused(error_dot_extents_differ, {columns_of_x, a.last()}, {rows_of_w, rows}), s);
    for (int i = 0; b.rank > 2 && i < a.rank - 2; ++i)
        if (a[i] != b[i]) return x.refused(error_dot_leading_axes_differ, {shape_of_x, a}, {shape_of_y, b});
    if (!detail::one_batch_axis(s))
        return x.refused(error_dot_result_would_have_two_batch_axes, {shape_of_x, a}, {shape_of_y, b});
    if (s.rank == 0 && a.rank == 1)
        return {reshape(detail::reduce(detail::Operation::sum, x.variable * y.variable, Shape{1}), Shape{})};
    const Variable left = a.rank == 1 ? reshape(x.variable, Shape{1, a[0]}) : x.variable;
    const Variable right = b.rank == 1 ? reshape(y.variable, Shape{b[0], 1}) : y.variable;
    return {reshape(detail::product(detail::Operation::dot, left, right, b.rank > 2), s)};
}

}  // namespace sigma
