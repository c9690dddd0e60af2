// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/context.hpp>
#include <sigma/layer/image.hpp>

#include <cstddef>

namespace sigma {

namespace detail {

/// What pooling layers have in common.
struct PoolingLayer : Layer {
    Sizes window;
    PoolingOptions options{};

    constexpr explicit PoolingLayer(Sizes w, PoolingOptions o = {}) : window(w), options(o) {}
    // {1, 2} are sizes, and nothing else that could be made of two numbers.
    template <std::size_t n>
        requires(n <= 2)
    constexpr explicit PoolingLayer(const int (&w)[n], PoolingOptions o = {})
        : PoolingLayer(Sizes(w[0], w[n - 1]), o) {}

    /// `pool(x, window, stride, padding)` of images, or of sequences as images of height 1.
    constexpr Tensor pooled(Tensor given, auto pool) const {
        const PoolingOptions& o = options;
        const int rank = given.shape().rank;
        const bool sequence = rank == 3;
        if (!window.positive()) return given.refused(error_kernel_sizes_must_be_positive, window.given());
        if (o.stride.height < 0 || o.stride.width < 0)
            return given.refused(error_strides_must_be_positive, o.stride.given());
        if (!o.padding.positive()) return given.refused(error_padding_is_negative, o.padding.given());
        if (sequence && !o.padding.along_time())
            return given.refused(error_padding_of_sequences_has_no_rows, o.padding.given());
        if (sequence && !(sizes_along_time(given, window) && sizes_along_time(given, o.stride))) return given;
        if (!sequence && rank != 4) return needs_images(given);

        const Tensor x = sequence ? as_image(given) : given;
        const Sizes w = sequence ? Sizes{1, window.width} : window;
        const Sizes stride{sequence              ? 1
                           : o.stride.height > 0 ? o.stride.height
                                                 : w.height,
                           o.stride.width > 0 ? o.stride.width : w.width};
        const Padding p = sequence && !o.padding.same ? Padding{0, 0, o.padding.before(), o.padding.after()}
                                                      : o.padding.resolved(x.shape()[1], x.shape()[2], w, stride);
        const Tensor y = pool(x, w, stride, p);
        return sequence ? as_sequence(y) : y;
    }
};

constexpr Tensor pooled_to_channels(Tensor x, auto reduce) {
    const int rank = x.shape().rank;
    return rank == 3 ? reduce(x, axes(1)) : rank == 4 ? reduce(x, axes(1, 2)) : needs_images(x);
}

}  // namespace detail

SIGMA_OPTIONS(MaxPool, Pooling)
SIGMA_OPTIONS(AveragePool, Pooling)

/// Greatest element of each window of each channel: images (batch, height, width, channels), or sequences (batch, time,
/// features) along time, where padding is `{before, after}`. Windows may reach into the padding, where nothing is.
///   MaxPool(2)    MaxPool(3, {.stride = 2, .padding = same})    MaxPool({1, 2})
struct MaxPool : detail::PoolingLayer {
    using PoolingLayer::PoolingLayer;
    SIGMA_NO_OTHER(MaxPool, Sizes);

    static constexpr Text kind = "max_pool";

    constexpr Tensor forward(Context&, Tensor images) const {
        return pooled(images, [](Tensor x, Sizes w, Sizes s, const detail::Padding& p) {
            return max_pool(x, {{w.height, w.width}, {s.height, s.width}, {p.top, p.left}}, p.bottom, p.right);
        });
    }
};

/// Mean of each window of each channel, of images or sequences as `MaxPool` takes them. Zeros of a padding in numbers
/// count, as PyTorch's do; of `same` only what is in the image does, as in TensorFlow.
struct AveragePool : detail::PoolingLayer {
    using PoolingLayer::PoolingLayer;
    SIGMA_NO_OTHER(AveragePool, Sizes);

    static constexpr Text kind = "average_pool";

    constexpr Tensor forward(Context&, Tensor images) const {
        return pooled(images, [this](Tensor x, Sizes w, Sizes s, const detail::Padding& p) {
            const auto averages = [&](Tensor of) {
                return average_pool(detail::padded(of, p), {{w.height, w.width}, {s.height, s.width}});
            };
            const Tensor y = averages(x);
            const bool all_inside = p.top == 0 && p.bottom == 0 && p.left == 0 && p.right == 0;
            if (!options.padding.same || all_inside) return y;
            const Shape image{1, x.shape()[1], x.shape()[2], 1};
            return y / averages({detail::expand(constant(x.variable.tape, 1), image)});
        });
    }
};

/// Greatest element of each channel over the whole image, or over time: (batch, …, channels) -> (batch, channels).
struct GlobalMaxPool : Layer {
    static constexpr Text kind = "global_max_pool";

    constexpr Tensor forward(Context&, Tensor x) const {
        return detail::pooled_to_channels(x, [](Tensor y, const Axes& over) { return max(y, over); });
    }
};

/// Mean of each channel over the whole image, or over time: (batch, …, channels) -> (batch, channels).
struct GlobalAveragePool : Layer {
    static constexpr Text kind = "global_average_pool";

    constexpr Tensor forward(Context&, Tensor x) const {
        return detail::pooled_to_channels(x, [](Tensor y, const Axes& over) { return mean(y, over); });
    }
};

}  // namespace sigma
