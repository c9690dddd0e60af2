// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/context.hpp>
#include <sigma/layer/errors.hpp>

namespace sigma {

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
