// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/reduction.hpp>

namespace sigma {

/// Loss for regression: |z - y| of each element, by default the mean over all elements. The gradient is the sign of the
/// difference, 0 where there is none.
struct AbsoluteError : ElementLoss<AbsoluteError, Reduction::over_elements> {
    using ElementLoss::ElementLoss;

    static constexpr Text kind = "absolute_error";

    static constexpr auto term(auto, auto z, auto y) { return abs(z - y); }
};

}  // namespace sigma
