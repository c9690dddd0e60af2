// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/context.hpp>
#include <sigma/layer/errors.hpp>
#include <sigma/layer/square_root.hpp>

namespace sigma {

/// In training, multiplies each element by a normal number of mean 1 and variance rate / (1 - rate), the mean and
/// variance of dropout (Srivastava et al. 2014, section 10); otherwise the identity.
struct GaussianDropout : Layer {
    double rate;

    constexpr explicit GaussianDropout(double rate_) : rate(rate_) {}

    static constexpr Text kind = "gaussian_dropout";

    static constexpr auto check(auto self) {
        return MistakeIf<!(self().rate >= 0 && self().rate < 1),
                         error_GaussianDropout_rate_must_be_at_least_0_and_below_1<
                             in_thousandths<detail::thousandths(self().rate)>>>{};
    }
    static constexpr auto forward(auto self, Context& context, auto x) {
        constexpr double rate = self().rate;
        if (!context.training() || rate == 0) return x;
        constexpr double deviation = detail::square_root(rate / (1 - rate));
        return x * (1.0 + deviation * random_normal<x.shape>(context));
    }
};

}  // namespace sigma
