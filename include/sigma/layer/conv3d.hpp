// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Convolution of volumes: Conv3D. Included by `<sigma/sigma.hpp>`.
#include <sigma/layer/convolution.hpp>

namespace sigma {

/// A depth, a height and a width.
///
/// @par Example
/// @code
/// struct Scan : Network<Input(8, 16, 16) + Conv3D(4, {1, 3, 3}, relu) + Dense(2) + SoftmaxCE()> {};
/// @endcode
struct VolumeSizes {
    int depth = 1;   ///< Size along axis 1.
    int height = 1;  ///< Size along axis 2.
    int width = 1;   ///< Size along axis 3.
    /// Constructs sizes of 1.
    constexpr VolumeSizes() = default;
    /// Constructs three equal sizes.
    /// @param all  size for all three axes
    constexpr VolumeSizes(int all) : depth(all), height(all), width(all) {}
    /// Constructs sizes for each axis.
    /// @param depth_  size along axis 1
    /// @param height_  size along axis 2
    /// @param width_  size along axis 3
    constexpr VolumeSizes(int depth_, int height_, int width_) : depth(depth_), height(height_), width(width_) {}
    /// @cond internal
    constexpr bool positive() const { return depth > 0 && height > 0 && width > 0; }
    constexpr Given given() const { return {sizes_given, Shape{depth, height, width}}; }
    constexpr Sizes plane() const { return {height, width}; }
    /// @endcond
};

namespace detail {

/// Padding of a volume: `valid`, `same`, a number for all sides, `{depth, height, width}`, or
/// `{front, back, top, bottom, left, right}`.
struct VolumePadding {
    int front = 0, back = 0;
    Padding plane{};
    constexpr VolumePadding() = default;
    constexpr VolumePadding(Padding p) : front(p.top), back(p.bottom), plane(p) {}
    constexpr VolumePadding(int all) : VolumePadding(all, all, all) {}
    constexpr VolumePadding(int d, int h, int w) : front(d), back(d), plane(h, w) {}
    constexpr VolumePadding(int f, int b, int t, int d, int l, int r) : front(f), back(b), plane(t, d, l, r) {}
    constexpr bool positive() const { return front >= 0 && back >= 0 && plane.positive(); }
    constexpr Given given() const {
        return {padding_given, Shape{front, back, plane.top, plane.bottom, plane.left, plane.right}};
    }
    /// Returns this padding in numbers, for a volume of these extents and a kernel that covers `reach`.
    constexpr VolumePadding resolved(VolumeSizes volume, VolumeSizes reach, VolumeSizes stride) const {
        const Padding p = plane.resolved(volume.height, volume.width, reach.plane(), stride.plane());
        if (!plane.same) return {front, back, p.top, p.bottom, p.left, p.right};
        const Padding deep = plane.resolved(volume.depth, 1, {reach.depth, 1}, {stride.depth, 1});
        return {deep.top, deep.bottom, p.top, p.bottom, p.left, p.right};
    }
};

}  // namespace detail

/// Options of `Conv3D`.
///
/// @see Conv3D
struct VolumeOptions {
    VolumeSizes stride{1};  ///< Step between windows, at least 1: a number or `{depth, height, width}`.
    /// `valid` (default), `same`, or numbers of zeros of at least 0, see `Conv3D`.
    detail::VolumePadding padding{};
    /// Distance between neighbouring elements of the kernel, at least 1: a number or `{depth, height, width}`.
    VolumeSizes dilation{1};
    int groups = 1;    ///< Number of groups, at least 1. Divides the channels and the filters.
    bool bias = true;  ///< Adds the parameter `biases` if true.
};

namespace detail {

/// Returns x with a channel axis: (batch, depth, height, width) is a volume of one channel.
constexpr Tensor volume_with_channels(Tensor x) { return x.shape().rank == 4 ? as_column(x) : x; }
/// Returns one plane at each of `positions` depths, `stride` apart from plane `first` on, as images: (batch ·
/// positions, height, width, channels). The volume is (batch, depth, height, width, channels).
constexpr Tensor planes_as_images(Tensor x, int first, int positions, int stride) {
    const Shape s = x.shape();
    const int end = first + positions * stride;
    const int beyond = end > s[1] ? end - s[1] : 0;  // planes that the last stride steps over; not read
    const Tensor run = slice(zero_pad(x, axis(1), 0, beyond), axis(1), first, end);
    const Tensor steps = reshape(run, {s[0], positions, stride, s[2] * s[3] * s[4]});
    return reshape(slice(steps, axis(2), 0, 1), {s[0] * positions, s[2], s[3], s[4]});
}

}  // namespace detail

SIGMA_OPTIONS(Conv3D, Convolution)

/// A convolution of volumes: activation(x * W + b).
///
/// A record of rank 3, (depth, height, width), is a volume of one channel. `.padding` is `valid`, `same`, a number for
/// all sides, `{depth, height, width}`, or `{front, back, top, bottom, left, right}`.
///
/// @par Shape
/// Input (batch, depth, height, width, channels). Output (batch, d, h, w, filters), with
/// d = ⌊(depth + padding - reach) / stride⌋ + 1 and reach = (kernel - 1)·dilation + 1, and likewise h and w. With
/// padding `same`, d = ⌈depth / stride⌉.
///
/// @par Parameters of the network
/// `weights` (kernel depth, kernel height, kernel width, channels / groups, filters) and, if `options.bias` is true,
/// `biases` (filters).
///
/// @par Errors
/// Those of `Conv2D`, with `error_layer_needs_volumes` for records of another rank.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Scan : Network<Input(8, 16, 16) + Conv3D(4, 3, relu, {.padding = same}) + Dense(2) + SoftmaxCE()> {};
/// @endcode
///
/// @see Conv2D, VolumeOptions
struct Conv3D : detail::ConvolutionLayer<VolumeSizes, VolumeOptions> {
    using ConvolutionLayer::ConvolutionLayer;

    /// @cond internal
    SIGMA_NO_OTHER(Conv3D, Extent, VolumeSizes);

    static constexpr Text kind = "conv3d";

    constexpr Tensor forward(Context& context, Tensor input) const {
        const VolumeOptions& o = options;
        const VolumeSizes k = kernel;
        if (!detail::good_convolution(input, filters, k, o)) return input;
        const Shape given = input.shape();
        if (given.rank < 4 || given.rank > 5) return input.refused(error_layer_needs_volumes, {input_is, given});
        const VolumeSizes reach{(k.depth - 1) * o.dilation.depth + 1, (k.height - 1) * o.dilation.height + 1,
                                (k.width - 1) * o.dilation.width + 1};
        const detail::VolumePadding p = o.padding.resolved({given[1], given[2], given[3]}, reach, o.stride);
        const Tensor deeper = zero_pad(detail::volume_with_channels(input), axis(1), p.front, p.back);
        const Tensor higher = zero_pad(deeper, axis(2), p.plane.top, p.plane.bottom);
        const Tensor x = zero_pad(higher, axis(3), p.plane.left, p.plane.right);
        const Shape volume = x.shape(), w{k.depth, k.height, k.width, volume[4] / o.groups, filters};
        if (volume[4] % o.groups != 0) return detail::groups_do_not_divide(x, o.groups, w);
        if (reach.depth > volume[1] || reach.height > volume[2] || reach.width > volume[3])
            return x.refused(error_convolution_kernel_is_larger_than_the_padded_image, {image_is, volume},
                             {weights_are, w});
        const int positions = (volume[1] - reach.depth) / o.stride.depth + 1;
        const detail::Convolution g{{o.stride.height, o.stride.width}, {o.dilation.height, o.dilation.width}, o.groups};
        const Tensor weights = parameter(context, w, "weights", glorot());
        // A convolution of images for each plane of the kernel, summed.
        detail::List<Tensor> planes;
        for (int i = 0; i < k.depth; ++i) {
            const Tensor images = detail::planes_as_images(x, i * o.dilation.depth, positions, o.stride.depth);
            const Tensor of_plane = reshape(slice(weights, axis(0), i, i + 1), w.without(0));
            planes.push(convolve(images, of_plane, g));
        }
        Tensor y = planes[0];
        for (int i = 1; i < k.depth; ++i) y = y + planes[i];
        const Shape s = y.shape();
        const Tensor z = reshape(y, {volume[0], positions, s[1], s[2], s[3]});
        return activation(detail::plus_biases(context, o.bias, Shape{filters}, zeros, [&] { return z; }));
    }
    /// @endcond
};

}  // namespace sigma
