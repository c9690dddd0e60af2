// SPDX-License-Identifier: BSL-1.0
#pragma once
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

/// f(rate) in training, else x. A rate of 0 is left out, so that none of it is computed; another may become 0 later.
constexpr Tensor at_rate(const Context& context, Tensor x, double rate, const Fault& wrong, const Given::Label& label,
                         auto f) {
    if (!(rate >= 0 && rate < 1)) return x.refused(wrong, {label, rate});
    if (rate == 0) return x;
    const Tensor now = hyperparameter(x, "rate", rate, NumberRange::from_0_to_below_1());
    return context.training() ? f(now) : x;
}
/// Elements, each 0 with this probability and else scaled; one decision for all where the mask has extent 1.
constexpr Tensor dropped_out(Context& context, Tensor x, const Shape& mask, Tensor rate) {
    const Tensor kept = random_uniform(context, mask) >= rate;
    const Tensor scale = 1.0 / (1.0 - rate);
    return where(kept, x * scale, 0.0);
}

}  // namespace detail

/// In training, sets each element to zero with probability `rate` and scales the others by 1 / (1 - rate), so that the
/// expectation stays (Srivastava et al. 2014, inverted form); otherwise the identity.
struct Dropout : Layer {
    double rate;

    constexpr explicit Dropout(double rate_) : rate(rate_) {}

    static constexpr Text kind = "dropout";

    constexpr Tensor forward(Context& context, Tensor x) const {
        return detail::at_rate(context, x, rate, error_Dropout_rate_must_be_at_least_0_and_below_1, rate_in_thousandths,
                               [&](Tensor now) { return detail::dropped_out(context, x, x.shape(), now); });
    }
};

/// Dropout that decides once for all positions along some axes of a record (Tompson et al. 2015, section 3.2). Without
/// axes, one decision holds along all but the last, so that whole features vanish; with `SpatialDropout(0.2, 2)` along
/// axis 2 (the batch is axis 0), so that of (batch, time, width) whole time steps do.
struct SpatialDropout : Layer {
    double rate;
    Shape along{};

    template <class... Axis>
    constexpr explicit SpatialDropout(double rate_, Axis... axes_shared) : rate(rate_) {
        static_assert(sizeof...(axes_shared) < detail::max_rank, "SpatialDropout: a record has at most five axes");
        ((along.extent[along.rank++] = axes_shared), ...);
    }
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
};

/// In training, multiplies each element by a normal number of mean 1 and variance rate / (1 - rate), the mean and
/// variance of dropout (Srivastava et al. 2014, section 10); otherwise the identity.
struct GaussianDropout : Layer {
    double rate;

    constexpr explicit GaussianDropout(double rate_) : rate(rate_) {}

    static constexpr Text kind = "gaussian_dropout";

    constexpr Tensor forward(Context& context, Tensor x) const {
        return detail::at_rate(context, x, rate, error_GaussianDropout_rate_must_be_at_least_0_and_below_1,
                               in_thousandths, [&](Tensor now) {
                                   const Tensor deviation = sqrt(now / (1.0 - now));
                                   return x * (1.0 + deviation * random_normal(context, x.shape()));
                               });
    }
};

/// Dropout for networks of selu: in training, sets each element to -λα with probability `rate`, then scales and shifts
/// all so that mean 0 and variance 1 stay what they are (Klambauer et al. 2017, section 3.2); otherwise the identity.
struct AlphaDropout : Layer {
    double rate;

    constexpr explicit AlphaDropout(double rate_) : rate(rate_) {}

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
};

/// In training, adds normal numbers of mean 0 and this deviation; otherwise the identity.
struct GaussianNoise : Layer {
    double deviation;

    constexpr explicit GaussianNoise(double deviation_) : deviation(deviation_) {}

    static constexpr Text kind = "gaussian_noise";

    constexpr Tensor forward(Context& context, Tensor x) const {
        if (!(deviation >= 0))
            return x.refused(error_GaussianNoise_deviation_must_not_be_negative, {in_thousandths, deviation});
        if (deviation == 0) return x;
        const Tensor now = hyperparameter(x, "deviation", deviation, NumberRange::finite_from_0());
        return context.training() ? x + now * random_normal(context, x.shape()) : x;
    }
};

}  // namespace sigma
