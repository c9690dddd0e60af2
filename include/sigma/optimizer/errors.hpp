// SPDX-License-Identifier: BSL-1.0
#pragma once

/// What is told who puts optimizers into one another as they do not fit; see `tape/errors.hpp`.
namespace sigma {

template <class>
struct optimizer_is;
template <class>
struct error_gradients_are_clipped_by_value_already;
template <class>
struct error_gradients_are_clipped_by_norm_already;
template <class>
struct error_gradients_are_accumulated_already;
template <class>
struct error_parameters_are_averaged_already;
/// group(penalty(group(…))): groups stand side by side, all inside or all outside of penalties, averages, `accumulate`.
template <class>
struct error_groups_are_inside_and_outside_of_a_penalty_or_an_average;
template <class>
struct error_groups_are_inside_and_outside_of_accumulate;

namespace detail {
template <class O>
inline constexpr bool has_groups = requires { typename O::UngroupedOptimizer; };
}  // namespace detail

}  // namespace sigma
