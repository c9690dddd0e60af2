// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/reduction.hpp>

namespace sigma {

template <class>
struct error_AbsoluteError_has_no_such_option;

/// Loss for regression: |z - y| of each element, by default the mean over all elements. The gradient is the sign of the
/// difference, 0 where there is none.
struct AbsoluteError : ElementLoss<AbsoluteError, Reduction::over_elements> {
    using ElementLoss::ElementLoss;
    template <class Unknown = error_AbsoluteError_has_no_such_option<detail::ReductionOptionNames>>
    constexpr explicit AbsoluteError(...) = delete;

    static constexpr Text kind = "absolute_error";

    static constexpr auto term(auto, auto z, auto y) { return abs(z - y); }
};

}  // namespace sigma
