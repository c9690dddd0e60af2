// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/reduction.hpp>

namespace sigma {

/// Loss for regression: ½(z - y)² of each element, whose gradient is the difference; by default summed over a record
/// and the mean over the batch.
struct HalfSquared : ElementLoss {
    using Options = ReductionOptions<Reduction::over_batch>;
    Options options;

    constexpr explicit HalfSquared(Options o = {}) : options(o) {}

    static constexpr Text kind = "half_squared";

    static constexpr auto loss(auto self, auto z, auto y) {
        return detail::reduced_elements<self().options>(0.5 * square(z - detail::without_ignored<self().options>(y)),
                                                        y);
    }
};

}  // namespace sigma
