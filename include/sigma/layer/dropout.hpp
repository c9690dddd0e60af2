// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/context.hpp>
#include <sigma/layer/errors.hpp>

namespace sigma {

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
        const auto kept = random_uniform<x.shape>(context) >= rate;
        return where(kept, x * (1 / (1 - rate)), 0.0);
    }
};

}  // namespace sigma
