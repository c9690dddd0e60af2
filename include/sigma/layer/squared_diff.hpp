// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/context.hpp>
#include <sigma/layer/errors.hpp>

namespace sigma {

/// Loss for regression: mean over the batch of the sum of squared differences, from outputs and targets of one shape.
struct SquaredDiff : Loss {
    static constexpr Text kind = "squared_diff";
    static constexpr bool classifies = false;

    template <Shape S>
    static constexpr auto check_output() {
        return Verdict<>{};
    }
    static constexpr Shape target(auto, const Shape& output) { return output; }

    static constexpr auto loss(auto, auto z, auto y) {
        constexpr double elements = static_cast<double>(z.shape.count());
        return elements * mean(square(z - y));
    }
    static constexpr auto predict(auto, auto z) { return z; }
};

}  // namespace sigma
