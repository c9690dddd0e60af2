// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace sigma {

/// The number of records of a minibatch, known when a step runs. An extent -k means k times that number, so that
/// (batch, 5, 3) reshapes to (-5, 3). A shape may contain the batch in one axis only.
inline constexpr int batch = -1;

namespace detail {

inline constexpr int max_rank = 6;

}  // namespace detail

/// Extents of a tensor, row-major, rank 0 (a scalar) to 6. Structural, so that it can be part of a type.
struct Shape {
    int rank = 0;
    int extent[detail::max_rank]{};

    constexpr Shape() = default;
    template <class... E>
        requires(sizeof...(E) > 0 && sizeof...(E) <= detail::max_rank)
    constexpr explicit(sizeof...(E) == 1) Shape(E... extents)
        : rank(static_cast<int>(sizeof...(E))), extent{static_cast<int>(extents)...} {}

    constexpr int operator[](int axis) const { return extent[axis]; }
    constexpr int last() const { return rank ? extent[rank - 1] : 1; }
    /// Position of the batch axis, or -1.
    constexpr int batch_axis() const {
        for (int i = 0; i < rank; ++i)
            if (extent[i] < 0) return i;
        return -1;
    }
    constexpr bool batched() const { return batch_axis() >= 0; }
    /// Number of elements, or of elements per record where the shape is batched.
    constexpr long long count() const {
        long long n = 1;
        for (int i = 0; i < rank; ++i) n *= extent[i] < 0 ? -extent[i] : extent[i];
        return n;
    }
    constexpr bool scalar() const { return count() == 1 && !batched(); }
    constexpr Shape with(int axis, int value) const {
        Shape s = *this;
        s.extent[axis] = value;
        return s;
    }
    constexpr Shape without(int axis) const {
        Shape s;
        for (int i = 0; i < rank; ++i)
            if (i != axis) s.extent[s.rank++] = extent[i];
        return s;
    }
    constexpr Shape inserted(int axis, int value) const {
        Shape s;
        for (int i = 0; i <= rank; ++i) s.extent[s.rank++] = i < axis ? extent[i] : i == axis ? value : extent[i - 1];
        return s;
    }
    /// The same extents with ones in front, up to `to` axes; or without leading ones, down to `to` axes.
    constexpr Shape aligned(int to) const {
        Shape s;
        s.rank = to;
        for (int i = 0; i < to; ++i) s.extent[i] = i < to - rank ? 1 : extent[i - (to - rank)];
        return s;
    }
    friend constexpr bool operator==(const Shape& a, const Shape& b) {
        if (a.rank != b.rank) return false;
        for (int i = 0; i < a.rank; ++i)
            if (a.extent[i] != b.extent[i]) return false;
        return true;
    }
};

namespace detail {

/// Equal but for leading ones: interchangeable wherever shapes broadcast.
constexpr bool equivalent(const Shape& a, const Shape& b) {
    const int rank = a.rank > b.rank ? a.rank : b.rank;
    for (int i = 1; i <= rank; ++i) {
        const int x = i <= a.rank ? a.extent[a.rank - i] : 1, y = i <= b.rank ? b.extent[b.rank - i] : 1;
        if (x != y) return false;
    }
    return true;
}

/// NumPy's rule for two extents; 0 where they do not broadcast.
constexpr int broadcast(int a, int b) { return a == b || b == 1 ? a : a == 1 ? b : 0; }

constexpr bool broadcastable(const Shape& a, const Shape& b) {
    const int rank = a.rank > b.rank ? a.rank : b.rank;
    const Shape x = a.aligned(rank), y = b.aligned(rank);
    for (int i = 0; i < rank; ++i)
        if (broadcast(x[i], y[i]) == 0) return false;
    return true;
}

constexpr Shape broadcast(const Shape& a, const Shape& b) {
    if (a == b) return a;
    const int rank = a.rank > b.rank ? a.rank : b.rank;
    const Shape x = a.aligned(rank), y = b.aligned(rank);
    Shape s = x;
    for (int i = 0; i < rank; ++i) s.extent[i] = broadcast(x[i], y[i]);
    return s;
}

}  // namespace detail

// What a tensor's and a record's ill-shaped call is told; the others are in `tape/mistake.hpp`.
template <int... extents>
struct shape;
template <int... numbers>
struct axes_given;
template <class, class>
struct error_reshape_changes_the_number_of_elements;
template <class, class>
struct error_permute_needs_each_axis_once;

}  // namespace sigma
