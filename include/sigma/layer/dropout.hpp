// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Layers that add noise in training: Dropout, SpatialDropout, GaussianDropout, AlphaDropout, GaussianNoise. Included
/// by `<sigma/sigma.hpp>`.
#include <sigma/layer/context.hpp>

namespace sigma {

// clang-format off: a table
inline constexpr Given::Label rate_in_thousandths{"rate"};
inline constexpr Fault
    error_Dropout_rate_must_be_at_least_0_and_below_1{"Dropout: the rate must be at least 0 and below 1"},
    error_SpatialDropout_rate_must_be_at_least_0_and_below_1{"SpatialDropout: the rate must be at least 0 and below 1"},
    error_SpatialDropout_axes_must_be_axes_of_a_record{"SpatialDropout: axes must be axes of a record"},
    error_GaussianDropout_rate_must_be_at_least_0_and_below_1{
        "GaussianDropout: the rate must be at least 0 and below 1"},
    error_AlphaDropout_rate_must_be_at_least_0_and_below_1{"AlphaDropout: the rate must be at least 0 and below 1"},
    error_GaussianNoise_deviation_must_not_be_negative{"GaussianNoise: the deviation must not be negative"};
// clang-format on

namespace detail {

/// Returns f(rate) in training, else x. A rate of 0 computes nothing and cannot be changed later; any other rate can.
constexpr Tensor at_rate(const Context& context, Tensor x, double rate, const Fault& wrong, const Given::Label& label,
                         auto f) {
    if (!(rate >= 0 && rate < 1)) return x.refused(wrong, {label, rate});
    if (rate == 0) return x;
    const Tensor now = hyperparameter(x, "rate", rate, NumberRange::from_0_to_below_1());
    return context.training() ? f(now) : x;
}
/// Returns x with each element set to 0 with this probability, else scaled. An axis on which the mask has extent 1
/// shares one decision.
constexpr Tensor dropped_out(Context& context, Tensor x, const Shape& mask, Tensor rate) {
    const Tensor kept = random_uniform(context, mask) >= rate;
    const Tensor scale = 1.0 / (1.0 - rate);
    return where(kept, x * scale, 0.0);
}

}  // namespace detail

/// Dropout: sets each element to 0 with probability `rate` and multiplies the others by 1 / (1 - rate).
///
/// The expectation stays the same (Srivastava et al. 2014, inverted form). It acts in training only; otherwise the
/// layer returns its input. The rate is a hyperparameter, `"2-dropout.rate"`, that hooks can change, unless it is 0.
///
/// @par Shape
/// Input (batch, …). Output: the same shape.
///
/// @par Errors
/// `error_Dropout_rate_must_be_at_least_0_and_below_1`.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Regular : Network<Input(28, 28) + Dense(128, relu) + Dropout(0.5) + Dense(10) + SoftmaxCE()> {};
/// @endcode
///
/// @see SpatialDropout, AlphaDropout (for selu), GaussianDropout
struct Dropout : Layer {
    double rate;  ///< Probability of setting an element to 0.

    /// Constructs the layer.
    /// @param rate_  probability from 0 to below 1. With 0 the layer does nothing, and its rate cannot be changed
    /// later.
    constexpr explicit Dropout(double rate_) : rate(rate_) {}

    /// @cond internal
    static constexpr Text kind = "dropout";

    constexpr Tensor forward(Context& context, Tensor x) const {
        return detail::at_rate(context, x, rate, error_Dropout_rate_must_be_at_least_0_and_below_1, rate_in_thousandths,
                               [&](Tensor now) { return detail::dropped_out(context, x, x.shape(), now); });
    }
    /// @endcond
};

/// Dropout that shares one decision along some axes of a record (Tompson et al. 2015, section 3.2).
///
/// Without axes it drops whole features: one decision along all axes but the batch and the last. With axes it shares
/// the decision along these. For (batch, time, width), `SpatialDropout(0.2, 2)` drops whole time steps. It acts in
/// training only.
///
/// @par Shape
/// Input (batch, …). Output: the same shape.
///
/// @par Errors
/// `error_SpatialDropout_rate_must_be_at_least_0_and_below_1`, `error_SpatialDropout_axes_must_be_axes_of_a_record`.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Maps : Network<Input(28, 28) + Conv2D(8, 5, relu) + SpatialDropout(0.2) + Dense(10) + SoftmaxCE()> {};
/// @endcode
///
/// @see Dropout
struct SpatialDropout : Layer {
    double rate;    ///< Probability of setting an element to 0.
    Shape along{};  ///< Axes that share a decision. Empty: all but the batch and the last.

    /// Constructs the layer.
    /// @param rate_  probability from 0 to below 1
    /// @param axes_  axes that share a decision, as integers; the batch is axis 0. Default: all but the batch and
    /// the last.
    template <class... Axis>
    constexpr explicit SpatialDropout(double rate_, Axis... axes_) : rate(rate_) {
        static_assert(sizeof...(axes_) < detail::max_rank, "SpatialDropout: a record has at most five axes");
        ((along.extent[along.rank++] = axes_), ...);
    }

    /// @cond internal
    static constexpr Text kind = "spatial_dropout";
    constexpr Tensor forward(Context& context, Tensor x) const {
        Shape mask = x.shape();
        for (int i = 0; i < along.rank; ++i)
            if (along[i] < 1 || along[i] >= mask.rank)
                return x.refused(error_SpatialDropout_axes_must_be_axes_of_a_record, {axes_are, along},
                                 {input_is, x.shape()});
        for (int i = 1; along.rank == 0 && i < mask.rank - 1; ++i) mask.extent[i] = 1;
        for (int i = 0; i < along.rank; ++i) mask.extent[along[i]] = 1;
        return detail::at_rate(context, x, rate, error_SpatialDropout_rate_must_be_at_least_0_and_below_1,
                               in_thousandths, [&](Tensor now) { return detail::dropped_out(context, x, mask, now); });
    }
    /// @endcond
};

/// Multiplies each element by a normal number of mean 1 and variance rate / (1 - rate), those of dropout.
///
/// See Srivastava et al. 2014, section 10. It acts in training only.
///
/// @par Shape
/// Input (batch, …). Output: the same shape.
///
/// @par Errors
/// `error_GaussianDropout_rate_must_be_at_least_0_and_below_1`.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Noisy : Network<Input(28, 28) + Dense(128, relu) + GaussianDropout(0.3) + Dense(10) + SoftmaxCE()> {};
/// @endcode
///
/// @see Dropout
struct GaussianDropout : Layer {
    double rate;  ///< Rate of a dropout with the mean and variance of the noise.

    /// Constructs the layer.
    /// @param rate_  rate from 0 to below 1. With 0 the layer does nothing, and its rate cannot be changed later.
    constexpr explicit GaussianDropout(double rate_) : rate(rate_) {}

    /// @cond internal
    static constexpr Text kind = "gaussian_dropout";

    constexpr Tensor forward(Context& context, Tensor x) const {
        return detail::at_rate(context, x, rate, error_GaussianDropout_rate_must_be_at_least_0_and_below_1,
                               in_thousandths, [&](Tensor now) {
                                   const Tensor deviation = sqrt(now / (1.0 - now));
                                   return x * (1.0 + deviation * random_normal(context, x.shape()));
                               });
    }
    /// @endcond
};

/// Dropout for networks of `selu`: sets elements to -λα with probability `rate` and keeps mean 0 and variance 1.
///
/// λ and α are the constants of `selu`. After dropping, all elements are scaled and shifted (Klambauer et al. 2017,
/// section 3.2). It acts in training only.
///
/// @par Shape
/// Input (batch, …). Output: the same shape.
///
/// @par Errors
/// `error_AlphaDropout_rate_must_be_at_least_0_and_below_1`.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Selu : Network<Input(28, 28) + Dense(128, selu) + AlphaDropout(0.1) + Dense(10) + SoftmaxCE()> {};
/// @endcode
///
/// @see selu, Dropout
struct AlphaDropout : Layer {
    double rate;  ///< Probability of dropping an element.

    /// Constructs the layer.
    /// @param rate_  probability from 0 to below 1. With 0 the layer does nothing, and its rate cannot be changed
    /// later.
    constexpr explicit AlphaDropout(double rate_) : rate(rate_) {}

    /// @cond internal
    static constexpr Text kind = "alpha_dropout";

    constexpr Tensor forward(Context& context, Tensor x) const {
        constexpr double dropped = -1.0507009873554805 * 1.6732632423543772;
        return detail::at_rate(context, x, rate, error_AlphaDropout_rate_must_be_at_least_0_and_below_1, in_thousandths,
                               [&](Tensor now) {
                                   const Tensor kept = random_uniform(context, x.shape()) >= now;
                                   const Tensor spread = 1.0 + dropped * dropped * now;
                                   const Tensor variance = (1.0 - now) * spread;
                                   const Tensor scale = 1.0 / sqrt(variance);
                                   const Tensor chosen = where(kept, x, dropped);
                                   const Tensor centred = chosen - dropped * now;
                                   return scale * centred;
                               });
    }
    /// @endcond
};

/// Adds a normal number of mean 0 and the given standard deviation to each element, in training only.
///
/// The deviation is a hyperparameter, `"1-gaussian_noise.deviation"`, that hooks can change, unless it is 0.
///
/// @par Shape
/// Input (batch, …). Output: the same shape.
///
/// @par Errors
/// `error_GaussianNoise_deviation_must_not_be_negative`.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Jitter : Network<Input(28, 28) + GaussianNoise(0.1) + Dense(10) + SoftmaxCE()> {};
/// @endcode
///
/// @see GaussianDropout
struct GaussianNoise : Layer {
    double deviation;  ///< Standard deviation of the noise.

    /// Constructs the layer.
    /// @param deviation_  standard deviation, at least 0. With 0 the layer does nothing, and it cannot be changed
    /// later.
    constexpr explicit GaussianNoise(double deviation_) : deviation(deviation_) {}

    /// @cond internal
    static constexpr Text kind = "gaussian_noise";

    constexpr Tensor forward(Context& context, Tensor x) const {
        if (!(deviation >= 0))
            return x.refused(error_GaussianNoise_deviation_must_not_be_negative, {in_thousandths, deviation});
        if (deviation == 0) return x;
        const Tensor now = hyperparameter(x, "deviation", deviation, NumberRange::finite_from_0());
        return context.training() ? x + now * random_normal(context, x.shape()) : x;
    }
    /// @endcond
};

}  // namespace sigma
