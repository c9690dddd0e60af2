// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/reduction.hpp>

namespace sigma {

/// Loss for regression: (z - y)² of each element, by default the mean over all elements of all records.
struct MeanSquaredError : ElementLoss {
    using Options = ReductionOptions<Reduction::over_elements>;
    Options options;

    constexpr explicit MeanSquaredError(Options o = {}) : options(o) {}

    static constexpr Text kind = "mean_squared_error";

    static constexpr auto loss(auto self, auto z, auto y) {
        return detail::reduced_elements<self().options>(square(z - detail::without_ignored<self().options>(y)), y);
    }
};

}  // namespace sigma
