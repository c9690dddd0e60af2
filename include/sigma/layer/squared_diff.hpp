// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/reduction.hpp>

namespace sigma {

/// Loss for regression: (z - y)² of each element, from outputs and targets of one shape; by default summed over a
/// record and the mean over the batch.
struct SquaredDiff : ElementLoss {
    using Options = ReductionOptions<Reduction::over_batch>;
    Options options;

    constexpr explicit SquaredDiff(Options o = {}) : options(o) {}

    static constexpr Text kind = "squared_diff";

    static constexpr auto loss(auto self, auto z, auto y) {
        return detail::reduced_elements<self().options>(square(z - detail::without_ignored<self().options>(y)), y);
    }
};

}  // namespace sigma
