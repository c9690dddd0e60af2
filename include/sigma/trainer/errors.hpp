// SPDX-License-Identifier: BSL-1.0
#pragma once

/// What is told who calls the words of a Sequential in the wrong order, as names of types that are never defined; see
/// `tape/errors.hpp`.
namespace sigma {

template <class>
struct error_optimizer_needs_a_loss_before_it;
template <class>
struct error_training_needs_a_loss_and_an_optimizer;
template <class>
struct error_training_needs_an_optimizer;
template <class>
struct error_prediction_needs_a_loss_and_an_optimizer;
template <int>
struct dense_units;
template <class>
struct error_activation_belongs_between_the_angle_brackets;
struct write_add_of_Dense_8_in_angle_brackets;
template <class>
struct error_layer_belongs_between_the_angle_brackets;
struct write_dense_20_sigmoid;
template <class>
struct error_units_belong_between_the_angle_brackets;

}  // namespace sigma
