// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/axes.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/layer/errors.hpp>

namespace sigma {

struct GroupNormOptions {
    double epsilon = 1e-5;
    bool affine = true;  ///< scales and shifts that are learned, one an index of the last axis
};
namespace detail {
namespace option {
struct epsilon;
struct affine;
}  // namespace option
using GroupNormOptionNames = options_are<option::epsilon, option::affine>;
}  // namespace detail

template <class>
struct error_GroupNorm_has_no_such_option;

/// Group normalization (Wu and He 2018, section 3.1): the last axis is cut into groups, and each group of a record is
/// normalized over all its positions: (x - mean) / √(variance + ε) · scale + shift.
struct GroupNorm : Layer {
    int groups;
    GroupNormOptions options;

    constexpr explicit GroupNorm(int groups_, GroupNormOptions o = {}) : groups(groups_), options(o) {}
    template <class Unknown = error_GroupNorm_has_no_such_option<detail::GroupNormOptionNames>>
    constexpr explicit GroupNorm(int, ...) = delete;

    static constexpr Text kind = "group_norm";

    static constexpr auto check(auto self) {
        if constexpr (self().groups < 1)
            return Mistake<error_GroupNorm_groups_must_be_positive<groups_given<self().groups>>>{};
        else return detail::check_epsilon(self);
    }
    template <Shape S>
    static constexpr auto check_input(auto self) {
        return MistakeIf<S.last() % self().groups != 0, error_groups_do_not_divide_the_features<
                                                            groups_given<self().groups>, features_given<S.last()>>>{};
    }
    static constexpr auto forward(auto self, Context& context, auto x) {
        constexpr int features = x.shape.last(), groups = self().groups;
        constexpr int positions = static_cast<int>(x.shape.count() / features);
        constexpr Shape grouped{batch, positions, groups, features / groups};
        const auto g = detail::tensor<grouped>(reshape(x.variable, grouped));
        const auto centred = g - mean(g, axes<1, 3>, keep);
        const auto normal = centred * rsqrt(mean(square(centred), axes<1, 3>, keep) + self().options.epsilon);
        const auto y = detail::tensor<x.shape>(reshape(normal.variable, x.shape));
        if constexpr (self().options.affine) {
            const auto scale = parameter<Shape{features}>(context, "scales", ones);
            const auto shift = parameter<Shape{features}>(context, "shifts");
            return y * scale + shift;
        } else {
            return y;
        }
    }
};

}  // namespace sigma
