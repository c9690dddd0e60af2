// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/context.hpp>
#include <sigma/layer/errors.hpp>

namespace sigma {

namespace detail {

/// √x in constant evaluation, where std::sqrt is not to be had (Newton's iteration from above).
constexpr double square_root(double x) {
    if (!(x > 0)) return 0;
    double r = x > 1 ? x : 1;
    for (double next = (r + x / r) / 2; next < r; next = (r + x / r) / 2) r = next;
    return r;
}
/// What a layer says of a rate that is none.
template <template <class> class Wrong>
constexpr auto check_rate(auto self) {
    constexpr double rate = self().rate;
    return MistakeIf<!(rate >= 0 && rate < 1), Wrong<in_thousandths<thousandths(rate)>>>{};
}
/// Elements, each 0 with this probability and else scaled; one decision for all where the mask has extent 1.
template <Shape mask>
constexpr auto dropped_out(Context& context, auto x, double rate) {
    const auto kept = random_uniform<mask>(context) >= rate;
    return where(kept, x * (1 / (1 - rate)), 0.0);
}

}  // namespace detail

/// In training, sets each element to zero with probability `rate` and scales the others by 1 / (1 - rate), so that the
/// expectation stays (Srivastava et al. 2014, inverted form); otherwise the identity.
struct Dropout : Layer {
    float rate;

    constexpr explicit Dropout(double rate_) : rate(static_cast<float>(rate_)) {}

    static constexpr Text kind = "dropout";

    static constexpr auto check(auto self) {
        return MistakeIf<!(self().rate >= 0 && self().rate < 1),
                         error_Dropout_rate_must_be_at_least_0_and_below_1<rate_in_thousandths<static_cast<int>(
                             self().rate * 1000 + (self().rate < 0 ? -0.5f : 0.5f))>>>{};
    }
    static constexpr auto forward(auto self, Context& context, auto x) {
        constexpr double rate = self().rate;
        if (!context.training() || rate == 0) return x;
        return detail::dropped_out<x.shape>(context, x, rate);
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

    static constexpr auto check(auto self) {
        return detail::check_rate<error_SpatialDropout_rate_must_be_at_least_0_and_below_1>(self);
    }
    static constexpr bool inside(const Shape& axes_shared, int rank) {
        for (int i = 0; i < axes_shared.rank; ++i)
            if (axes_shared[i] < 1 || axes_shared[i] >= rank) return false;
        return true;
    }
    template <Shape S>
    static constexpr auto check_input(auto self) {
        constexpr Shape a = self().along;
        return MistakeIf<!inside(a, S.rank), error_SpatialDropout_axes_must_be_axes_of_a_record<
                                                 typename detail::Spelled<a, a.rank>::type,
                                                 input_is<typename detail::Spelled<S, S.rank>::type>>>{};
    }
    static constexpr Shape mask_shape(Shape s, const Shape& axes_shared) {
        if (axes_shared.rank == 0)
            for (int i = 1; i < s.rank - 1; ++i) s.extent[i] = 1;
        for (int i = 0; i < axes_shared.rank; ++i) s.extent[axes_shared[i]] = 1;
        return s;
    }
    static constexpr auto forward(auto self, Context& context, auto x) {
        constexpr double rate = self().rate;
        if (!context.training() || rate == 0) return x;
        return detail::dropped_out<mask_shape(x.shape, self().along)>(context, x, rate);
    }
};

/// In training, multiplies each element by a normal number of mean 1 and variance rate / (1 - rate), the mean and
/// variance of dropout (Srivastava et al. 2014, section 10); otherwise the identity.
struct GaussianDropout : Layer {
    double rate;

    constexpr explicit GaussianDropout(double rate_) : rate(rate_) {}

    static constexpr Text kind = "gaussian_dropout";

    static constexpr auto check(auto self) {
        return detail::check_rate<error_GaussianDropout_rate_must_be_at_least_0_and_below_1>(self);
    }
    static constexpr auto forward(auto self, Context& context, auto x) {
        constexpr double rate = self().rate;
        if (!context.training() || rate == 0) return x;
        constexpr double deviation = detail::square_root(rate / (1 - rate));
        return x * (1.0 + deviation * random_normal<x.shape>(context));
    }
};

/// Dropout for networks of selu: in training, sets each element to -λα with probability `rate`, then scales and shifts
/// all so that mean 0 and variance 1 stay what they are (Klambauer et al. 2017, section 3.2); otherwise the identity.
struct AlphaDropout : Layer {
    double rate;

    constexpr explicit AlphaDropout(double rate_) : rate(rate_) {}

    static constexpr Text kind = "alpha_dropout";

    static constexpr auto check(auto self) {
        return detail::check_rate<error_AlphaDropout_rate_must_be_at_least_0_and_below_1>(self);
    }
    static constexpr auto forward(auto self, Context& context, auto x) {
        constexpr double rate = self().rate;
        if (!context.training() || rate == 0) return x;
        constexpr double dropped = -1.0507009873554805 * 1.6732632423543772;
        constexpr double scale = 1 / detail::square_root((1 - rate) * (1 + rate * dropped * dropped));
        constexpr double shift = -scale * dropped * rate;
        const auto kept = random_uniform<x.shape>(context) >= rate;
        return where(kept, scale * x + shift, scale * dropped + shift);
    }
};

/// In training, adds normal numbers of mean 0 and this deviation; otherwise the identity.
struct GaussianNoise : Layer {
    double deviation;

    constexpr explicit GaussianNoise(double deviation_) : deviation(deviation_) {}

    static constexpr Text kind = "gaussian_noise";

    static constexpr auto check(auto self) {
        return MistakeIf<!(self().deviation >= 0), error_GaussianNoise_deviation_must_not_be_negative<
                                                       in_thousandths<detail::thousandths(self().deviation)>>>{};
    }
    static constexpr auto forward(auto self, Context& context, auto x) {
        constexpr double deviation = self().deviation;
        if (!context.training() || deviation == 0) return x;
        return x + deviation * random_normal<x.shape>(context);
    }
};

}  // namespace sigma
