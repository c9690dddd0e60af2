// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/context.hpp>

namespace sigma {

struct PReLUOptions {
    bool each_feature = false;  ///< a slope for each index of the last axis, not one for all
    detail::Initializer slopes = constant(0.25);
};
SIGMA_OPTIONS(PReLU, options_are<struct each_feature, struct slopes>)

/// x where it is positive, else slope·x, with a slope that is learned (He et al. 2015, equation 1; at 0 the gradient is
/// that of the negative side, as in libtorch): one for all elements, or one for each index of the last axis.
struct PReLU : Layer {
    PReLUOptions options;

    constexpr PReLU(PReLUOptions o = {}) : options(o) {}
    SIGMA_NO_OTHER(PReLU);

    static constexpr Text kind = "prelu";

    constexpr Tensor forward(Context& context, Tensor x) const {
        const int slopes = options.each_feature ? x.shape().last() : 1;
        const Tensor slope = parameter(context, Shape{slopes}, "slopes", options.slopes);
        const Tensor below = slope * x;
        return where(x > 0.0, x, below);
    }
};

}  // namespace sigma
