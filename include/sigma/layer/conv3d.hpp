// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/convolution.hpp>

namespace sigma {

/// A depth, a height and a width, or one number for all.
struct VolumeSizes {
    int depth = 1, height = 1, width = 1;
    constexpr VolumeSizes() = default;
    constexpr VolumeSizes(int all) : depth(all), height(all), width(all) {}
    constexpr VolumeSizes(int d, int h, int w) : depth(d), height(h), width(w) {}
    constexpr bool positive() const { return depth > 0 && height > 0 && width > 0; }
    constexpr Given given() const { return {sizes_given, Shape{depth, height, width}}; }
    constexpr Sizes plane() const { return {height, width}; }
};

namespace detail {

/// `valid`, `same`, a number for all sides, `{depth, height, width}`, or `{front, back, top, bottom, left, right}`.
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
    /// The same with numbers, for this many planes and a kernel that reaches over so many of them.
    constexpr VolumePadding resolved(VolumeSizes volume, VolumeSizes reach, VolumeSizes stride) const {
        const Padding p = plane.resolved(volume.height, volume.width, reach.plane(), stride.plane());
        if (!plane.same) return {front, back, p.top, p.bottom, p.left, p.right};
        const Padding deep = plane.resolved(volume.depth, 1, {reach.depth, 1}, {stride.depth, 1});
        return {deep.top, deep.bottom, p.top, p.bottom, p.left, p.right};
    }
};

}  // namespace detail

/// `Conv3D(8, 3, relu, {.stride = {1, 2, 2}, .padding = same})`
struct VolumeOptions {
    VolumeSizes stride{1};
    detail::VolumePadding padding{};
    VolumeSizes dilation{1};
    int groups = 1;
    bool bias = true;
};

namespace detail {

/// (batch, depth, height, width) is a volume of one channel.
constexpr Tensor volume_with_channels(Tensor x) { return x.shape().rank == 4 ? as_column(x) : x; }
/// One plane of each of `positions` depths, `stride` apart from plane `first` on, as images: (batch · positions,
/// height, width, channels). The volume is (batch, depth, height, width, channels).
constexpr Tensor planes_as_images(Tensor x, int first, int positions, int stride) {
    const Shape s = x.shape();
    const int end = first + positions * stride;
    const int beyond = end > s[1] ? end - s[1] : 0;  // planes that the last stride steps over: nobody reads them
    const Tensor run = slice(zero_pad(x, axis(1), 0, beyond), axis(1), first, end);
    const Tensor steps = reshape(run, {s[0], positions, stride, s[2] * s[3] * s[4]});
    return reshape(slice(steps, axis(2), 0, 1), {s[0] * positions, s[2], s[3], s[4]});
}

}  // namespace detail

SIGMA_OPTIONS(Conv3D, Convolution)

/// Convolution of volumes (batch, depth, height, width, channels): activation(x * W + b), W of shape (depth of the
/// kernel, its height, its width, channels / groups, filters), b of shape (filters). (batch, depth, height, width)
/// counts as one channel. `{.bias = false}` leaves b out.
///   Conv3D(8, 3, relu)    Conv3D(8, {1, 3, 3}, {.stride = 2})    Conv3D(8, 3, relu, {.padding = same, .groups = 4})
struct Conv3D : detail::ConvolutionLayer<VolumeSizes, VolumeOptions> {
    using ConvolutionLayer::ConvolutionLayer;
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
        // A convolution of images for each plane of the kernel, and then their sum.
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
};

}  // namespace sigma
