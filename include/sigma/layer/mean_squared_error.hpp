// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/reduction.hpp>

namespace sigma {

/// Loss for regression: (z - y)² of each element, by default the mean over all elements of all records.
struct MeanSquaredError : ElementLoss<MeanSquaredError, Reduction::over_elements> {
    using ElementLoss::ElementLoss;

    static constexpr Text kind = "mean_squared_error";

    static constexpr auto term(auto, auto z, auto y) { return square(z - y); }
};

}  // namespace sigma
