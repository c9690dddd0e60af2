// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/group_norm.hpp>

namespace sigma {

template <class>
struct error_InstanceNorm_has_no_such_option;

/// Instance normalization (Ulyanov et al. 2016, equation 1): each feature of each record, on the last axis, is
/// normalized over all positions of the record: (x - mean) / √(variance + ε) · scale + shift, the variance divided by
/// n. It is the same in training and prediction.
struct InstanceNorm : Layer {
    GroupNormOptions options;

    constexpr InstanceNorm(GroupNormOptions o = {}) : options(o) {}
    template <class Unknown = error_InstanceNorm_has_no_such_option<detail::GroupNormOptionNames>>
    constexpr explicit InstanceNorm(...) = delete;

    static constexpr Text kind = "instance_norm";

    static constexpr auto check(auto self) { return detail::check_epsilon(self); }
    template <Shape S>
    static constexpr auto check_input(auto) {
        return MistakeIf<(S.rank < 3), error_InstanceNorm_needs_records_of_positions_and_features<
                                           input_is<typename detail::Spelled<S, S.rank>::type>>>{};
    }
    static constexpr auto forward(auto self, Context& context, auto x) {
        return GroupNorm::forward(detail::Self<GroupNorm(x.shape.last(), self().options)>{}, context, x);
    }
};

}  // namespace sigma
