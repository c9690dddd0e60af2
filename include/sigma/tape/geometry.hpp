// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/variable.hpp>

// Convolutions, poolings and look-ups on the tape. Images are (images, height, width, channels). Each operation is
// linear in each of its operands that has a gradient, and the gradients are operations of this file.
namespace sigma {

namespace detail {

/// The steps of a kernel over an image. The kernel lies inside the image at all positions: padding is a separate
/// operation before.
/// @see convolve
struct Convolution {
    int stride[2]{1, 1};    ///< steps between windows, down and right, from 1 to 4095
    int dilation[2]{1, 1};  ///< distances between neighbouring elements of the kernel, down and right, from 1 to 4095
    int groups = 1;         ///< outputs of a group depend on the channels of that group only; from 1 to 65535

    /// @cond internal
    static constexpr int most = 4095;  ///< largest stride and dilation; 65535 groups
    constexpr std::uint64_t packed() const {
        const auto part = [](int n, int at) { return static_cast<std::uint64_t>(n) << at; };
        return part(stride[0], 0) | part(stride[1], 12) | part(dilation[0], 24) | part(dilation[1], 36) |
               part(groups, 48);
    }
    static constexpr Convolution unpacked(std::uint64_t a) {
        const auto part = [a](int at) { return static_cast<int>(a >> at & 4095); };
        return {{part(0), part(12)}, {part(24), part(36)}, static_cast<int>(a >> 48)};
    }
    /// Returns the length of an axis that a kernel of `taps` elements covers.
    constexpr int reach(int axis, int taps) const { return (taps - 1) * dilation[axis] + 1; }
    constexpr int positions(int axis, int length, int taps) const {
        return (length - reach(axis, taps)) / stride[axis] + 1;
    }
    /// Returns whether there is one kernel for each channel: its weights are (height, width, 1, outputs), never turned
    /// round.
    static constexpr bool by_channel(int groups, int channels) { return groups > 1 && groups == channels; }
    /// @endcond
};

/// The windows of a pooling. They are cut off at the edges of the image; the first may begin `before` positions
/// outside.
/// @see max_pool, average_pool
struct Pooling {
    int window[2]{2, 2};  ///< height and width of a window, from 1 to 4095
    int stride[2]{2, 2};  ///< steps between windows, down and right, from 1 to 4095
    int before[2]{0, 0};  ///< positions of the first window above and left of the image, from 0 to 255

    /// @cond internal
    static constexpr int most = 4095;  ///< largest window and stride; 255 for `before`
    constexpr std::uint64_t packed() const {
        const auto part = [](int n, int at) { return static_cast<std::uint64_t>(n) << at; };
        return part(window[0], 0) | part(window[1], 12) | part(stride[0], 24) | part(stride[1], 36) |
               part(before[0], 48) | part(before[1], 56);
    }
    static constexpr Pooling unpacked(std::uint64_t a) {
        const auto part = [a](int at, int mask) { return static_cast<int>(a >> at & static_cast<unsigned>(mask)); };
        return {{part(0, 4095), part(12, 4095)}, {part(24, 4095), part(36, 4095)}, {part(48, 255), part(56, 255)}};
    }
    /// @endcond
};

// ---- convolution: y = x * w, and the two other faces of that trilinear form ----

/// Weights (kh, kw, c, o) as `convolve_input` reads them, (kh, o, kw, c), and back.
inline constexpr std::uint64_t turned_order = 0 | 3 << 4 | 1 << 8 | 2 << 12;
inline constexpr std::uint64_t unturned_order = 0 | 2 << 4 | 3 << 8 | 1 << 12;
constexpr Variable turned(Variable w, std::uint64_t order, const Convolution& g, int channels) {
    return Convolution::by_channel(g.groups, channels) ? w : permute(w, order);
}

}  // namespace detail

/// @cond internal
/// Convolves (n, h, w, c) by weights (kh, kw, c / groups, o) -> (n, positions, positions, o).
constexpr Variable convolve(Variable x, Variable w, const detail::Convolution& g) {
    const Shape image = x.shape(), kernel = w.shape();
    const Shape s{image[0], g.positions(0, image[1], kernel[0]), g.positions(1, image[2], kernel[1]), kernel[3]};
    return {x.tape, x.tape->put({detail::Operation::convolve, x.id, w.id, -1, s, 0, g.packed()})};
}
/// @endcond

namespace detail {

/// Returns the gradient of a convolution in its images, of shape `image`, from the gradient `d` of its result: a
/// transposed convolution. `w` is turned.
constexpr Variable convolve_input(Variable d, Variable w, const Shape& image, const Convolution& g) {
    return {d.tape, d.tape->put({Operation::convolve_input, d.id, w.id, -1, image, 0, g.packed()})};
}
/// Returns the gradient of a convolution in its weights, of shape `kernel`.
constexpr Variable convolve_weights(Variable x, Variable d, const Shape& kernel, const Convolution& g) {
    return {x.tape, x.tape->put({Operation::convolve_weights, x.id, d.id, -1, kernel, 0, g.packed()})};
}

// ---- maximum over windows, and its position ----

/// Returns whether a shape is constant along the axes of windows.
constexpr bool constant_in_windows(const Shape& s) {
    const Shape four = s.rank <= 4 ? s.aligned(4) : s;
    return s.rank <= 4 && four[1] == 1 && four[2] == 1;
}
/// Returns the greatest element of each window of (n, h, w, c), or NaN if the window contains one.
constexpr Variable pool_max(Variable x, const Shape& result, const Pooling& p) {
    const Node n = x.node();
    // A function that never decreases is applied after the maximum, to fewer elements, with bit-identical results.
    if (x.tape->identities && (n.operation == Operation::add || n.operation == Operation::maximum))
        for (int side = 0; side < 2; ++side) {
            const Variable varying = x.operand(side), other = x.operand(1 - side);
            if (!(varying.shape() == n.shape) || !constant_in_windows(other.shape())) continue;
            if (n.operation == Operation::maximum && !other.is_constant()) continue;  // its gradient shares ties
            const Variable pooled = pool_max(varying, result, p);
            return n.operation == Operation::add ? pooled + other : max(pooled, other);
        }
    return {x.tape, x.tape->put({Operation::pool_max, x.id, -1, -1, result, 0, p.packed()})};
}
/// Returns `d` at the first element of each window of `x` that equals the window's maximum `y`, summed; else 0.
constexpr Variable unpool(Variable x, Variable y, Variable d, std::uint64_t pooling) {
    return {x.tape, x.tape->put({Operation::unpool, x.id, y.id, d.id, x.shape(), 0, pooling})};
}
/// Returns the element of `g`, of the shape of `x`, at the position of the maximum of each window of `x`.
constexpr Variable pool_select(Variable x, Variable y, Variable g, std::uint64_t pooling) {
    return {x.tape, x.tape->put({Operation::pool_select, x.id, y.id, g.id, y.shape(), 0, pooling})};
}

}  // namespace detail

// ---- rows of a table ----

/// @cond internal
/// Returns rows `ids` of a table (rows, width): (…) -> (…, width). An id without a row gives NaN.
constexpr Variable gather(Variable table, Variable ids) {
    Shape s = ids.shape();
    s.extent[s.rank++] = table.shape().last();
    return {table.tape, table.tape->put({detail::Operation::gather, table.id, ids.id, -1, s})};
}
/// @endcond

namespace detail {

/// Returns (…, width) summed into the rows `ids` of a table of zeros. Ids without a row are left out.
constexpr Variable scatter_add(Variable d, Variable ids, int rows) {
    return {d.tape, d.tape->put({Operation::scatter_add, d.id, ids.id, -1, Shape{rows, d.shape().last()}})};
}

}  // namespace detail

}  // namespace sigma
