// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/reduction.hpp>

namespace sigma {

template <class>
struct error_HalfSquared_has_no_such_option;

/// Loss for regression: ½(z - y)² of each element, whose gradient is the difference; by default summed over a record
/// and the mean over the batch.
struct HalfSquared : ElementLoss<HalfSquared, Reduction::over_batch> {
    using ElementLoss::ElementLoss;
    template <class Unknown = error_HalfSquared_has_no_such_option<detail::ReductionOptionNames>>
    constexpr explicit HalfSquared(...) = delete;

    static constexpr Text kind = "half_squared";

    static constexpr auto term(auto, auto z, auto y) { return 0.5 * square(z - y); }
};

}  // namespace sigma
