// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/pattern.hpp>
#include <sigma/optimizer/check.hpp>
#include <sigma/optimizer/errors.hpp>
#include <sigma/optimizer/update.hpp>

#include <string_view>

namespace sigma {

namespace detail {

/// The optimizer O, which does not move the parameters whose names match the pattern.
template <AnyOptimizer O, Text pattern>
struct Unmoved : O {
    static constexpr bool trains(std::string_view name) { return !matches(pattern.view(), name) && moves<O>(name); }
    static void check_patterns(detail::PatternCheck& check) {
        if constexpr (requires { O::check_patterns(check); }) O::check_patterns(check);
        check.matches_some("frozen", pattern.view());
    }
};

}  // namespace detail

/// `frozen<"1-*">(Adam{})`: the matching parameters keep their bits and have no states, and neither their gradients nor
/// what only these need are computed. A trainer of a network where the pattern matches no trained parameter throws
/// ArgumentError when it is made.
template <Text pattern, AnyOptimizer O>
constexpr detail::Unmoved<O, pattern> frozen(O optimizer) {
    return {optimizer};
}
template <AnyOptimizer O>
error_pattern_belongs_between_the_angle_brackets<write_frozen_pattern_in_angle_brackets> frozen(std::string_view, O);

}  // namespace sigma
