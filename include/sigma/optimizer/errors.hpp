// SPDX-License-Identifier: BSL-1.0
#pragma once

/// What is told who puts optimizers into one another as they do not fit; see `tape/errors.hpp`.
namespace sigma {

// clang-format off: a table
template <class> struct optimizer_is;
/// clip_gradient_norm(1.0, Adam{})
struct write_the_optimizer_first;
template <class> struct error_optimizer_stands_before_its_number;
/// frozen("1-*", Adam{}), l2_penalty(Adam{}, 0.1): a pattern is a constant of the program
template <class> struct error_pattern_belongs_between_the_angle_brackets;
struct write_frozen_pattern_in_angle_brackets;
struct write_group_pattern_in_angle_brackets;
template <class> struct error_gradients_are_clipped_by_value_already;
template <class> struct error_gradients_are_clipped_by_norm_already;
template <class> struct error_gradients_are_accumulated_already;
template <class> struct error_parameters_are_averaged_already;
/// group(penalty(group(…))): groups stand side by side, all inside or all outside of penalties, averages, `accumulate`.
template <class> struct error_groups_are_inside_and_outside_of_a_penalty_or_an_average;
template <class> struct error_groups_are_inside_and_outside_of_accumulate;
// clang-format on

namespace detail {
template <class O>
inline constexpr bool has_groups = requires { typename O::UngroupedOptimizer; };
}  // namespace detail

}  // namespace sigma
