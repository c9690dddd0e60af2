// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/context.hpp>
#include <sigma/layer/image.hpp>

#include <cstddef>

namespace sigma {

namespace detail {

/// Values that a pooling layer was given.
template <Sizes window, PoolingOptions o>
constexpr auto check_pooling() {
    if constexpr (!window.positive()) return Mistake<error_kernel_sizes_must_be_positive<SizesGiven<window>>>{};
    else if constexpr (o.stride.height < 0 || o.stride.width < 0)
        return Mistake<error_strides_must_be_positive<SizesGiven<o.stride>>>{};
    else if constexpr (!o.padding.positive())
        return Mistake<
            error_padding_is_negative<shape<o.padding.top, o.padding.bottom, o.padding.left, o.padding.right>>>{};
    else return Mistake<>{};
}
/// Sizes for images of shape S that stand for images or, with height 1, for sequences.
constexpr Sizes pooling_window(Sizes w, bool sequence) { return sequence ? Sizes{1, w.width} : w; }
constexpr Sizes pooling_stride(Sizes s, Sizes w, bool sequence) {
    return {sequence ? 1 : s.height > 0 ? s.height : w.height, s.width > 0 ? s.width : w.width};
}
constexpr Padding pooling_padding(Padding p, int height, int width, Sizes w, Sizes s, bool sequence) {
    if (sequence && !p.same) return {0, 0, p.before(), p.after()};
    return p.resolved(height, width, w, s);
}

/// What pooling layers have in common: `P::pooled<sequence>(self, x)` of images, or of sequences as images of height 1.
template <class P>
struct PoolingLayer : Layer {
    Sizes window;
    PoolingOptions options{};

    constexpr explicit PoolingLayer(Sizes w, PoolingOptions o = {}) : window(w), options(o) {}
    // {1, 2} are sizes, and nothing else that could be made of two numbers.
    template <std::size_t n>
        requires(n <= 2)
    constexpr explicit PoolingLayer(const int (&w)[n], PoolingOptions o = {})
        : PoolingLayer(Sizes(w[0], w[n - 1]), o) {}

    static constexpr auto check(auto self) { return check_pooling<self().window, self().options>(); }
    static constexpr auto forward(auto self, Context&, auto x) {
        if constexpr (x.shape.rank == 3 && !self().options.padding.along_time()) {
            return PaddingHasRows<self().options.padding>{};
        } else if constexpr (x.shape.rank == 3 && !sizes_along_time(self().window)) {
            return SizesHaveRows<self().window>{};
        } else if constexpr (x.shape.rank == 3 && !sizes_along_time(self().options.stride)) {
            return SizesHaveRows<self().options.stride>{};
        } else if constexpr (x.shape.rank == 3) {
            const auto y = P::template pooled<true>(self, as_image(x));
            if constexpr (requires { y.variable; }) return as_sequence(y);
            else return y;
        } else if constexpr (x.shape.rank == 4) {
            return P::template pooled<false>(self, x);
        } else {
            return NeedsImages<x.shape>{};
        }
    }
};

}  // namespace detail

SIGMA_OPTIONS(MaxPool, Pooling)

/// Greatest element of each window of each channel: images (batch, height, width, channels), or sequences (batch, time,
/// features) along time, where padding is `{before, after}`. Windows may reach into the padding, where nothing is.
///   MaxPool(2)    MaxPool(3, {.stride = 2, .padding = same})    MaxPool({1, 2})
struct MaxPool : detail::PoolingLayer<MaxPool> {
    using PoolingLayer::PoolingLayer;
    SIGMA_NO_OTHER(MaxPool, Sizes);

    static constexpr Text kind = "max_pool";

    template <bool sequence>
    static constexpr auto pooled(auto self, auto x) {
        constexpr Sizes w = detail::pooling_window(self().window, sequence),
                        s = detail::pooling_stride(self().options.stride, w, sequence);
        constexpr detail::Padding p =
            detail::pooling_padding(self().options.padding, x.shape[1], x.shape[2], w, s, sequence);
        constexpr detail::Pooling g{{w.height, w.width}, {s.height, s.width}, {p.top, p.left}};
        using Wrong = detail::PoolingMistake<g, x.shape>;
        if constexpr (!detail::is_fine<Wrong>) return Wrong{};
        else if constexpr (p.bottom >= w.height || p.right >= w.width) return detail::WindowTooLarge<w, x.shape>{};
        else return max_pool<g, p.bottom, p.right>(x);
    }
};

SIGMA_OPTIONS(AveragePool, Pooling)

/// Mean of each window of each channel, of images or sequences as `MaxPool` takes them. Zeros of the padding count.
struct AveragePool : detail::PoolingLayer<AveragePool> {
    using PoolingLayer::PoolingLayer;
    SIGMA_NO_OTHER(AveragePool, Sizes);

    static constexpr Text kind = "average_pool";

    template <bool sequence>
    static constexpr auto pooled(auto self, auto given) {
        constexpr Sizes w = detail::pooling_window(self().window, sequence),
                        s = detail::pooling_stride(self().options.stride, w, sequence);
        constexpr detail::Padding p =
            detail::pooling_padding(self().options.padding, given.shape[1], given.shape[2], w, s, sequence);
        constexpr detail::Pooling g{{w.height, w.width}, {s.height, s.width}, {0, 0}};
        const auto x = detail::padded<p>(given);
        using Wrong = detail::PoolingMistake<g, decltype(x)::shape>;
        if constexpr (!detail::is_fine<Wrong>) return Wrong{};
        else return average_pool<g>(x);
    }
};

/// Greatest element of each channel over the whole image, or over time: (batch, …, channels) -> (batch, channels).
struct GlobalMaxPool : Layer {
    static constexpr Text kind = "global_max_pool";

    static constexpr auto forward(auto, Context&, auto x) {
        if constexpr (x.shape.rank == 3) return max(x, axis<1>);
        else if constexpr (x.shape.rank == 4) return max(x, axes<1, 2>);
        else return detail::NeedsImages<x.shape>{};
    }
};

/// Mean of each channel over the whole image, or over time: (batch, …, channels) -> (batch, channels).
struct GlobalAveragePool : Layer {
    static constexpr Text kind = "global_average_pool";

    static constexpr auto forward(auto, Context&, auto x) {
        if constexpr (x.shape.rank == 3) return mean(x, axis<1>);
        else if constexpr (x.shape.rank == 4) return mean(x, axes<1, 2>);
        else return detail::NeedsImages<x.shape>{};
    }
};

}  // namespace sigma
