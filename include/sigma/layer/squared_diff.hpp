// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/reduction.hpp>

namespace sigma {

template <class>
struct error_SquaredDiff_has_no_such_option;

/// Loss for regression: (z - y)² of each element, from outputs and targets of one shape; by default summed over a
/// record and the mean over the batch.
struct SquaredDiff : ElementLoss<SquaredDiff, Reduction::over_batch> {
    using ElementLoss::ElementLoss;
    template <class Unknown = error_SquaredDiff_has_no_such_option<detail::ReductionOptionNames>>
    constexpr explicit SquaredDiff(...) = delete;

    static constexpr Text kind = "squared_diff";

    static constexpr auto term(auto, auto z, auto y) { return square(z - y); }
};

}  // namespace sigma
