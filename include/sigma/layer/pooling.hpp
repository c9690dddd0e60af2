// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Pooling: MaxPool, AveragePool, GlobalMaxPool, GlobalAveragePool. Included by `<sigma/sigma.hpp>`.
#include <sigma/layer/context.hpp>
#include <sigma/layer/image.hpp>

#include <cstddef>

namespace sigma {

namespace detail {

/// The common part of pooling layers.
struct PoolingLayer : Layer {
    Sizes window;              ///< Height and width of the window; for sequences, its width is along time.
    PoolingOptions options{};  ///< Stride and padding.

    /// Constructs the layer.
    /// @param window_  size of the window, at least 1: a number or `{height, width}`. A number for sequences.
    /// @param options_  stride and padding
    constexpr explicit PoolingLayer(Sizes window_, PoolingOptions options_ = {}) : window(window_), options(options_) {}
    /// @cond internal
    // Sizes such as {1, 2}: two numbers in braces would otherwise be ambiguous.
    template <std::size_t n>
        requires(n <= 2)
    constexpr explicit PoolingLayer(const int (&w)[n], PoolingOptions o = {})
        : PoolingLayer(Sizes(w[0], w[n - 1]), o) {}

    /// Calls `pool(x, window, stride, padding)` with images, or with sequences as images of height 1.
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
    /// @endcond
};

constexpr Tensor pooled_to_channels(Tensor x, auto reduce) {
    const int rank = x.shape().rank;
    return rank == 3 ? reduce(x, axes(1)) : rank == 4 ? reduce(x, axes(1, 2)) : needs_images(x);
}

}  // namespace detail

SIGMA_OPTIONS(MaxPool, Pooling)
SIGMA_OPTIONS(AveragePool, Pooling)

/// The greatest element of each window, for each channel by itself.
///
/// Construct it as `MaxPool(window, options)`; the options may be left out. Windows do not overlap unless `.stride` is
/// smaller. They may reach into the padding, which never is the greatest. For sequences, the window is a number, and
/// padding is `{before, after}`.
///
/// @par Shape
/// Input (batch, height, width, channels) or (batch, time, features). Output (batch, h, w, channels) or
/// (batch, t, features), with h = ⌊(height + padding - window) / stride⌋ + 1, and likewise w and t. With padding
/// `same`, h = ⌈height / stride⌉.
///
/// @par Errors
/// `error_layer_needs_images`, `error_kernel_sizes_must_be_positive`, `error_strides_must_be_positive`,
/// `error_padding_is_negative`, `error_padding_of_sequences_has_no_rows`, `error_sizes_of_sequences_have_no_rows`,
/// `error_pooling_window_is_larger_than_the_image`.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Pooled : Network<Input(28, 28) + Conv2D(8, 5) + MaxPool(3, {.stride = 2}) + Dense(10) + SoftmaxCE()> {};
/// @endcode
///
/// @see AveragePool, GlobalMaxPool, PoolingOptions
struct MaxPool : detail::PoolingLayer {
    using PoolingLayer::PoolingLayer;

    /// @cond internal
    SIGMA_NO_OTHER(MaxPool, Sizes);

    static constexpr Text kind = "max_pool";

    constexpr Tensor forward(Context&, Tensor images) const {
        return pooled(images, [](Tensor x, Sizes w, Sizes s, const detail::Padding& p) {
            return max_pool(x, {{w.height, w.width}, {s.height, s.width}, {p.top, p.left}}, p.bottom, p.right);
        });
    }
    /// @endcond
};

/// The mean of each window, for each channel by itself.
///
/// Construct it as `AveragePool(window, options)`; the options may be left out. Padding in numbers counts as zeros, as
/// in PyTorch. Padding `same` does not count, as in TensorFlow.
///
/// @par Shape
/// As for `MaxPool`.
///
/// @par Errors
/// Those of `MaxPool`.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Pooled : Network<Input(28, 28) + Conv2D(8, 5, relu) + AveragePool(2) + Dense(10) + SoftmaxCE()> {};
/// @endcode
///
/// @see MaxPool, GlobalAveragePool, PoolingOptions
struct AveragePool : detail::PoolingLayer {
    using PoolingLayer::PoolingLayer;

    /// @cond internal
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
    /// @endcond
};

/// The greatest element of each channel over all positions of a record.
///
/// @par Shape
/// Input (batch, height, width, channels) or (batch, time, features). Output (batch, channels) or (batch, features).
///
/// @par Errors
/// `error_layer_needs_images` for records of another rank.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Maxima : Network<Input(28, 28) + Conv2D(16, 5, relu) + GlobalMaxPool() + Dense(10) + SoftmaxCE()> {};
/// @endcode
///
/// @see GlobalAveragePool, MaxPool
struct GlobalMaxPool : Layer {
    /// @cond internal
    static constexpr Text kind = "global_max_pool";

    constexpr Tensor forward(Context&, Tensor x) const {
        return detail::pooled_to_channels(x, [](Tensor y, const Axes& over) { return max(y, over); });
    }
    /// @endcond
};

/// The mean of each channel over all positions of a record.
///
/// @par Shape
/// Input (batch, height, width, channels) or (batch, time, features). Output (batch, channels) or (batch, features).
///
/// @par Errors
/// `error_layer_needs_images` for records of another rank.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Means : Network<Input(28, 28) + Conv2D(16, 5, relu) + GlobalAveragePool() + Dense(10) + SoftmaxCE()> {};
/// @endcode
///
/// @see GlobalMaxPool, AveragePool
struct GlobalAveragePool : Layer {
    /// @cond internal
    static constexpr Text kind = "global_average_pool";

    constexpr Tensor forward(Context&, Tensor x) const {
        return detail::pooled_to_channels(x, [](Tensor y, const Axes& over) { return mean(y, over); });
    }
    /// @endcond
};

}  // namespace sigma
