// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/reduction.hpp>

namespace sigma {

/// Loss for regression: |z - y| of each element, by default the mean over all elements. The gradient is the sign of the
/// difference, 0 where there is none.
struct AbsoluteError : ElementLoss {
    using Options = ReductionOptions<Reduction::over_elements>;
    Options options;

    constexpr explicit AbsoluteError(Options o = {}) : options(o) {}

    static constexpr Text kind = "absolute_error";

    static constexpr auto loss(auto self, auto z, auto y) {
        return detail::reduced_elements<self().options>(abs(z - detail::without_ignored<self().options>(y)), y);
    }
};

}  // namespace sigma
