// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/errors.hpp>

/// What a wrong network is told, as names of types that are never defined; see `tape/errors.hpp`.
namespace sigma {

/// What a check answers: `Verdict<>` where nothing is wrong, or the type that names the mistake.
template <class Mistake = void>
struct Verdict {
    using mistake = Mistake;
};

template <int>
struct units_given;
template <int>
struct times_given;
template <int>
struct rate_in_thousandths;
template <class>
struct after;
struct inside_a_repeat;
template <int>
struct extents_given;
template <class>
struct last_layer_is;
template <class>
struct first_layer_is;
template <class>
struct output_is;
template <class>
struct layer_is;
template <class>
struct input_is;

template <class>
struct error_Input_needs_at_least_one_extent;
template <class>
struct error_Input_extents_must_be_positive;
template <class>
struct error_Dense_units_must_be_positive;
template <class>
struct error_Dropout_rate_must_be_at_least_0_and_below_1;
template <class>
struct error_recurrent_units_must_be_positive;
template <class>
struct error_repeat_count_must_be_positive;
template <class>
struct error_Input_is_only_allowed_first;
template <class>
struct error_loss_is_only_allowed_last;
template <class>
struct error_network_must_start_with_Input;
template <class>
struct error_network_has_no_loss_layer;
template <class>
struct error_SoftmaxCE_needs_one_row_of_classes_a_record;
template <class, class>
struct error_repeated_layers_output_does_not_fit_its_input;
template <class, class>
struct error_layer_does_not_accept;
template <class>
struct error_forward_of_a_layer_must_return_a_tensor;

}  // namespace sigma
