// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Shapes of tensors: Shape, batch. Included by `<sigma/sigma.hpp>`.

namespace sigma {

/// The extent of an axis that has one element for each record of a minibatch. The number is known when a step runs.
///
/// An extent of -k means k times that number, so that (batch, 5, 3) reshapes to (-5, 3). Only one axis of a shape may
/// have such an extent.
///
/// @par Example
/// @code
/// constexpr Shape shape(batch, 28, 28);
/// static_assert(shape.batch_axis() == 0);
/// @endcode
///
/// @see Shape
inline constexpr int batch = -1;

namespace detail {

inline constexpr int max_rank = 6;

}  // namespace detail

/// The shape of a tensor: 0 axes (a scalar) to 6, in row-major order. You can use a Shape as a template argument.
///
/// @par Example
/// @code
/// constexpr Shape record(3, 32, 32);
/// static_assert(record.count() == 3072);
/// static_assert(record.with(0, 1) == Shape(1, 32, 32));
/// @endcode
///
/// @see batch, Tensor
struct Shape {
    int rank = 0;                    ///< Number of axes, 0 to 6.
    int extent[detail::max_rank]{};  ///< Extents of the axes. Those from `rank` on are unused.

    /// Constructs the shape of a scalar.
    constexpr Shape() = default;
    /// Constructs a shape.
    /// @param extents  1 to 6 extents. One of them may be `batch`, or -k for k times the number of records.
    template <class... E>
        requires(sizeof...(E) > 0 && sizeof...(E) <= detail::max_rank)
    constexpr explicit(sizeof...(E) == 1) Shape(E... extents)
        : rank(static_cast<int>(sizeof...(E))), extent{static_cast<int>(extents)...} {}

    /// Returns the extent of an axis.
    /// @param axis  number of the axis, from 0 to `rank` - 1; not checked
    constexpr int operator[](int axis) const { return extent[axis]; }
    /// Returns the extent of the last axis; 1 for a scalar.
    /// @return the extent of the last axis; 1 for a scalar
    constexpr int last() const { return rank ? extent[rank - 1] : 1; }
    /// Returns the number of the axis that contains the batch, or -1 if there is none.
    /// @return the number of the axis that contains the batch, or -1 if there is none
    constexpr int batch_axis() const {
        for (int i = 0; i < rank; ++i)
            if (extent[i] < 0) return i;
        return -1;
    }
    /// Returns whether an axis contains the batch.
    /// @return true if an axis contains the batch
    constexpr bool batched() const { return batch_axis() >= 0; }
    /// Returns the number of elements, or the number of elements of one record if the shape is batched.
    /// @return the number of elements, or the number of elements of one record if the shape is batched
    constexpr long long count() const {
        long long n = 1;
        for (int i = 0; i < rank; ++i) n *= extent[i] < 0 ? -extent[i] : extent[i];
        return n;
    }
    /// Returns whether the shape has exactly one element, whatever its number of axes.
    /// @return true if there is one element
    constexpr bool scalar() const { return count() == 1 && !batched(); }
    /// Returns a copy with another extent of one axis.
    /// @param axis   number of the axis, from 0
    /// @param value  new extent
    /// @return the new shape
    constexpr Shape with(int axis, int value) const {
        Shape s = *this;
        s.extent[axis] = value;
        return s;
    }
    /// Returns a copy without one axis.
    /// @param axis  number of the axis to remove, from 0
    /// @return the new shape
    constexpr Shape without(int axis) const {
        Shape s;
        for (int i = 0; i < rank; ++i)
            if (i != axis) s.extent[s.rank++] = extent[i];
        return s;
    }
    /// Returns a copy with one more axis.
    /// @param axis   number of the new axis in the result, from 0 to `rank`
    /// @param value  extent of the new axis
    /// @return the new shape
    constexpr Shape inserted(int axis, int value) const {
        Shape s;
        for (int i = 0; i <= rank; ++i) s.extent[s.rank++] = i < axis ? extent[i] : i == axis ? value : extent[i - 1];
        return s;
    }
    /// Returns a copy with another number of axes: extents of 1 are added in front, or leading axes are removed.
    /// @param axes  number of axes of the result, 0 to 6
    /// @return the new shape
    constexpr Shape aligned(int axes) const {
        Shape s;
        s.rank = axes;
        for (int i = 0; i < axes; ++i) s.extent[i] = i < axes - rank ? 1 : extent[i - (axes - rank)];
        return s;
    }
    /// Returns whether two shapes have the same axes and extents.
    /// @param left   one shape
    /// @param right  the other one
    friend constexpr bool operator==(const Shape& left, const Shape& right) {
        if (left.rank != right.rank) return false;
        for (int i = 0; i < left.rank; ++i)
            if (left.extent[i] != right.extent[i]) return false;
        return true;
    }
};

namespace detail {

/// Returns whether two shapes differ only in leading ones, so that one can replace the other when shapes broadcast.
constexpr bool equivalent(const Shape& a, const Shape& b) {
    const int rank = a.rank > b.rank ? a.rank : b.rank;
    for (int i = 1; i <= rank; ++i) {
        const int x = i <= a.rank ? a.extent[a.rank - i] : 1, y = i <= b.rank ? b.extent[b.rank - i] : 1;
        if (x != y) return false;
    }
    return true;
}

/// Returns the extent that two extents broadcast to by NumPy's rule; 0 if they do not broadcast.
constexpr int broadcast(int a, int b) { return a == b || b == 1 ? a : a == 1 ? b : 0; }

/// Returns whether two shapes broadcast.
constexpr bool broadcastable(const Shape& a, const Shape& b) {
    const int rank = a.rank > b.rank ? a.rank : b.rank;
    const Shape x = a.aligned(rank), y = b.aligned(rank);
    for (int i = 0; i < rank; ++i)
        if (broadcast(x[i], y[i]) == 0) return false;
    return true;
}

/// Returns the shape that two shapes broadcast to. They must be broadcastable.
constexpr Shape broadcast(const Shape& a, const Shape& b) {
    if (a == b) return a;
    const int rank = a.rank > b.rank ? a.rank : b.rank;
    const Shape x = a.aligned(rank), y = b.aligned(rank);
    Shape s = x;
    for (int i = 0; i < rank; ++i) s.extent[i] = broadcast(x[i], y[i]);
    return s;
}

}  // namespace detail

/// @cond internal
// Mistakes in calls that tensors and records have in common; the others are in `tape/mistake.hpp`.
template <int... extents>
struct shape;
template <int... numbers>
struct axes_given;
template <class, class>
struct error_reshape_changes_the_number_of_elements;
template <class, class>
struct error_permute_needs_each_axis_once;
/// @endcond

}  // namespace sigma
