// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/context.hpp>
#include <sigma/layer/errors.hpp>
#include <sigma/layer/square_root.hpp>

namespace sigma {

/// Dropout for networks of selu: in training, sets each element to -λα with probability `rate`, then scales and shifts
/// all so that mean 0 and variance 1 stay what they are (Klambauer et al. 2017, section 3.2); otherwise the identity.
struct AlphaDropout : Layer {
    double rate;

    constexpr explicit AlphaDropout(double rate_) : rate(rate_) {}

    static constexpr Text kind = "alpha_dropout";

    static constexpr auto check(auto self) {
        return MistakeIf<
            !(self().rate >= 0 && self().rate < 1),
            error_AlphaDropout_rate_must_be_at_least_0_and_below_1<in_thousandths<detail::thousandths(self().rate)>>>{};
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

}  // namespace sigma
