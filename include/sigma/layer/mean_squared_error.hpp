// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/reduction.hpp>

namespace sigma {

template <class>
struct error_MeanSquaredError_has_no_such_option;

/// Loss for regression: (z - y)² of each element, by default the mean over all elements of all records.
struct MeanSquaredError : ElementLoss<MeanSquaredError, Reduction::over_elements> {
    using ElementLoss::ElementLoss;
    template <class Unknown = error_MeanSquaredError_has_no_such_option<detail::ReductionOptionNames>>
    constexpr explicit MeanSquaredError(...) = delete;

    static constexpr Text kind = "mean_squared_error";

    static constexpr auto term(auto, auto z, auto y) { return square(z - y); }
};

}  // namespace sigma
