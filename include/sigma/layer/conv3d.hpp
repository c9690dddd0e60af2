// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/activation.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/layer/image.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

namespace sigma {

/// A depth, a height and a width, or one number for all.
struct VolumeSizes {
    int depth = 1, height = 1, width = 1;
    constexpr VolumeSizes() = default;
    constexpr VolumeSizes(int all) : depth(all), height(all), width(all) {}
    constexpr VolumeSizes(int d, int h, int w) : depth(d), height(h), width(w) {}
    constexpr bool positive() const { return depth > 0 && height > 0 && width > 0; }
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

template <VolumeSizes s>
struct SpelledSizes<s> : std::type_identity<sizes_given<s.depth, s.height, s.width>> {};
template <VolumePadding p>
struct SpelledPadding<p>
    : std::type_identity<shape<p.front, p.back, p.plane.top, p.plane.bottom, p.plane.left, p.plane.right>> {};

template <Shape S>
struct NeedsVolumes : Mistake<error_layer_needs_volumes<input_is<typename Spelled<S, S.rank>::type>>> {};
template <Shape S, Shape W>
struct KernelBeyondVolume
    : Mistake<error_convolution_kernel_is_larger_than_the_padded_image<
          image_is<typename Spelled<S, S.rank>::type>, weights_are<typename Spelled<W, W.rank>::type>>> {};

/// (batch, depth, height, width) is a volume of one channel.
template <Shape S>
constexpr auto volume_with_channels(Tensor<S> x) {
    if constexpr (S.rank == 4) return reshape<S[0], S[1], S[2], S[3], 1>(x);
    else return x;
}
/// One plane of each of `positions` depths, `stride` apart from plane `first` on, as images: (batch · positions,
/// height, width, channels). The volume is (batch, depth, height, width, channels).
template <int first, int positions, int stride, Shape S>
constexpr auto planes_as_images(Tensor<S> x) {
    constexpr int end = first + positions * stride;
    constexpr int beyond = end > S[1] ? end - S[1] : 0;  // planes that the last stride steps over: nobody reads them
    const auto run = slice<1, first, end>(zero_pad<1, 0, beyond>(x));
    const auto steps = reshape<S[0], positions, stride, S[2] * S[3] * S[4]>(run);
    return reshape<S[0] * positions, S[2], S[3], S[4]>(slice<2, 0, 1>(steps));
}

}  // namespace detail

/// Convolution of volumes (batch, depth, height, width, channels): activation(x * W + b), W of shape (depth of the
/// kernel, its height, its width, channels / groups, filters), b of shape (filters). (batch, depth, height, width)
/// counts as one channel. `{.bias = false}` leaves b out.
///   Conv3D(8, 3, relu)    Conv3D(8, {1, 3, 3}, {.stride = 2})    Conv3D(8, 3, relu, {.padding = same, .groups = 4})
template <class Function = void>
struct Conv3D : Layer {
    int filters;
    VolumeSizes kernel;
    VolumeOptions options{};
    detail::Activation<Function> activation{};

    constexpr Conv3D(int f, VolumeSizes k, VolumeOptions o = {}) : filters(f), kernel(k), options(o) {}
    constexpr Conv3D(int f, VolumeSizes k, detail::Activation<Function> a, VolumeOptions o = {})
        : filters(f), kernel(k), options(o), activation(a) {}

    static constexpr Text kind = "conv3d";

    static constexpr auto check(auto self) {
        return detail::check_convolution<self().filters, self().kernel, self().options>();
    }
    static constexpr auto forward(auto self, Context& context, auto input) {
        constexpr Shape given = input.shape;
        if constexpr (given.rank < 4 || given.rank > 5) {
            return detail::NeedsVolumes<given>{};
        } else {
            constexpr VolumeOptions o = self().options;
            constexpr VolumeSizes k = self().kernel;
            constexpr VolumeSizes reach{(k.depth - 1) * o.dilation.depth + 1, (k.height - 1) * o.dilation.height + 1,
                                        (k.width - 1) * o.dilation.width + 1};
            constexpr detail::VolumePadding p = o.padding.resolved({given[1], given[2], given[3]}, reach, o.stride);
            const auto deeper = zero_pad<1, p.front, p.back>(detail::volume_with_channels(input));
            const auto x = zero_pad<3, p.plane.left, p.plane.right>(zero_pad<2, p.plane.top, p.plane.bottom>(deeper));
            constexpr Shape volume = decltype(x)::shape;
            constexpr Shape w{k.depth, k.height, k.width, volume[4] / o.groups, self().filters};
            if constexpr (volume[4] % o.groups != 0) {
                return detail::GroupsDoNotDivide<o.groups, volume, w>{};
            } else if constexpr (reach.depth > volume[1] || reach.height > volume[2] || reach.width > volume[3]) {
                return detail::KernelBeyondVolume<volume, w>{};
            } else {
                constexpr int positions = (volume[1] - reach.depth) / o.stride.depth + 1;
                constexpr detail::Convolution g{
                    {o.stride.height, o.stride.width}, {o.dilation.height, o.dilation.width}, o.groups};
                const auto weights = parameter<w>(context, "weights", glorot());
                const auto of_plane = [&]<int i>(std::integral_constant<int, i>) {
                    const auto images = detail::planes_as_images<i * o.dilation.depth, positions, o.stride.depth>(x);
                    return convolve<g>(images, reshape<w[1], w[2], w[3], w[4]>(slice<0, i, i + 1>(weights)));
                };
                // A convolution of images for each plane of the kernel, one after the other: the order of operands
                // would be the compiler's choice.
                const auto y = [&]<int... i>(std::integer_sequence<int, i...>) {
                    const std::tuple all{of_plane(std::integral_constant<int, i>{})...};
                    return std::apply([](auto... one) { return (... + one); }, all);
                }(std::make_integer_sequence<int, k.depth>{});
                constexpr Shape s = decltype(y)::shape;
                const auto z = reshape<volume[0], positions, s[1], s[2], s[3]>(y);
                if constexpr (o.bias) {
                    const auto biases = parameter<Shape{self().filters}>(context, "biases");
                    return activated<self().activation>(z + biases);
                } else {
                    return activated<self().activation>(z);
                }
            }
        }
    }
};
template <ActivationArgument<VolumeOptions> F>
Conv3D(int, VolumeSizes, F, VolumeOptions = {}) -> Conv3D<FunctionOf<F>>;

/// What no other guide takes: an option in braces that there is not.
template <class>
struct error_Conv3D_has_no_such_option;
template <class Options>
struct Conv3D<error_Conv3D_has_no_such_option<Options>>;
Conv3D(int, VolumeSizes) -> Conv3D<>;
template <class Never = void>
Conv3D(int, VolumeSizes, ...) -> Conv3D<error_Conv3D_has_no_such_option<detail::ConvolutionOptionNames>>;

}  // namespace sigma
