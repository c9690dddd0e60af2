// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/mistake.hpp>

/// What a wrong network is told, as names of types that are never defined; see `tape/errors.hpp`.
namespace sigma {

// clang-format off: a table
template <int> struct units_given;
template <int> struct times_given;
template <int> struct rate_in_thousandths;
template <int> struct heads_given;
template <int> struct width_given;
template <int> struct features_given;
template <int> struct axes_given_count;
template <class> struct mask_is;
template <class> struct memory_is;
template <class> struct record_wanted;
/// A value that was given, times 1000 and rounded away from 0.
template <int> struct in_thousandths;
template <int> struct weights_given;
template <int> struct classes_are;
template <int> struct labels_given;
template <int> struct weight_number;
/// What a layer may be told in braces, as a mistake in that lists it.
template <class...> struct options_are;
template <class> struct after_layer;
struct inside_a_repeat;
template <int> struct extents_given;
template <class> struct last_layer_is;
template <class> struct loss_is;
/// Of a loss of one's own, or of one that is weighed already: records are weighed where detail::reduced adds up.
template <class> struct error_weighted_records_needs_a_loss_that_reduces_by_its_options;
template <class> struct first_layer_is;
template <class> struct output_is;
template <class> struct layer_is;
template <class> struct input_is;

template <class> struct error_Input_needs_at_least_one_extent;
template <class> struct error_Input_extents_must_be_positive;
template <class> struct error_Dense_units_must_be_positive;
template <class> struct error_Dropout_rate_must_be_at_least_0_and_below_1;
template <class> struct error_recurrent_units_must_be_positive;
template <class> struct error_repeat_count_must_be_positive;
template <class> struct error_Input_is_only_allowed_first;
template <class> struct error_loss_is_only_allowed_last;
template <class> struct error_network_must_start_with_Input;
template <class> struct error_network_has_no_loss_layer;
template <class> struct error_Linear_units_must_be_positive;
template <class> struct error_TransformerBlock_hidden_units_must_be_positive;
template <class> struct error_SpatialDropout_rate_must_be_at_least_0_and_below_1;
template <class, class> struct error_SpatialDropout_axes_must_be_axes_of_a_record;
template <class> struct error_GaussianDropout_rate_must_be_at_least_0_and_below_1;
template <class> struct error_AlphaDropout_rate_must_be_at_least_0_and_below_1;
template <class> struct error_GaussianNoise_deviation_must_not_be_negative;
template <class> struct error_Reshape_extents_must_be_positive_or_one_of_them_minus_1;
template <class, class> struct error_Reshape_changes_the_number_of_elements;
template <class> struct error_Permute_needs_each_axis_from_1_once;
template <class, class> struct error_Permute_needs_as_many_axes_as_a_record_has;
template <class> struct error_normalization_epsilon_must_be_positive;
template <class> struct error_BatchNorm_momentum_must_be_from_0_to_1;
template <class, class> struct error_LayerNorm_axes_must_be_from_1_to_those_of_a_record;
template <class> struct error_GroupNorm_groups_must_be_positive;
template <class> struct error_InstanceNorm_needs_records_of_positions_and_features;
template <class, class> struct error_groups_do_not_divide_the_features;
template <class> struct error_Attention_heads_must_be_positive;
template <class, class> struct error_Attention_heads_do_not_divide_the_width;
template <class> struct error_Attention_dropout_must_be_at_least_0_and_below_1;
template <class> struct error_Attention_needs_records_of_time_and_width;
template <class, class> struct error_Attention_mask_must_have_the_batch_and_the_times_attended_to;
template <class, class> struct error_causal_Attention_needs_memory_as_long_as_its_input;
template <class> struct error_position_needs_records_of_time_and_width;
template <class> struct error_SinusoidalPositions_need_an_even_width;
template <class> struct error_RotaryPositions_need_an_even_width;
template <class> struct error_RotaryPositions_base_must_be_positive;
template <class, class> struct error_rotary_Attention_needs_heads_of_even_width;
template <class> struct error_SoftmaxCE_needs_rows_of_classes;
template <class> struct error_SoftmaxCE_needs_at_least_two_classes;
template <class> struct error_SoftmaxCE_smoothing_must_be_at_least_0_and_below_1;
template <class, class> struct error_class_weights_do_not_fit_the_classes;
template <class> struct error_class_weights_must_not_be_negative;
template <class> struct error_loss_needs_rows;
template <class> struct error_Huber_delta_must_be_positive;
template <class> struct error_NLL_epsilon_must_be_above_0_and_below_one_half;
template <class> struct error_CosineLoss_epsilon_must_be_positive;
template <class> struct error_CTC_needs_scores_over_time_of_at_least_two_classes;
template <class> struct error_CTC_labels_must_be_positive;
template <class, class> struct error_repeated_layers_output_does_not_fit_its_input;
template <class, class> struct error_layer_does_not_accept;
template <class> struct error_forward_of_a_layer_must_return_a_tensor;
// clang-format on

namespace detail {

constexpr int thousandths(double x) {
    const double scaled = x * 1000;
    if (!(scaled > -2e9 && scaled < 2e9)) return x < 0 ? -2000000000 : 2000000000;
    const int down = static_cast<int>(scaled);
    return down == scaled ? down : x < 0 ? down - 1 : down + 1;
}

}  // namespace detail

/// These are the options of a layer, of which a mistake in them tells.
#define SIGMA_OPTIONS(layer, ...)              \
    template <class>                           \
    struct error_##layer##_has_no_such_option; \
    namespace detail::option {                 \
    using layer = __VA_ARGS__;                 \
    }
/// In a layer: behind these arguments, what no other constructor takes is an option in braces that there is not.
#define SIGMA_NO_OTHER(layer, ...)                                                       \
    template <class Unknown = error_##layer##_has_no_such_option<detail::option::layer>> \
    constexpr explicit layer(__VA_ARGS__ __VA_OPT__(, )...) = delete
/// How a layer that is a template of its activation is deduced: from these arguments, an activation, and options. What
/// no other guide takes is an option in braces that there is not.
#define SIGMA_GUIDES(layer, options, ...)                                              \
    layer(__VA_ARGS__ __VA_OPT__(, ) options = {}) -> layer<>;                         \
    template <class F = void>                                                          \
    layer(__VA_ARGS__ __VA_OPT__(, ) detail::Activation<F>, options = {}) -> layer<F>; \
    template <ActivationArgument<options> F>                                           \
    layer(__VA_ARGS__ __VA_OPT__(, ) F, options = {}) -> layer<FunctionOf<F>>;         \
    template <class Given>                                                             \
    struct layer<error_##layer##_has_no_such_option<Given>>;                           \
    template <class Never = void>                                                      \
    layer(__VA_ARGS__ __VA_OPT__(, )...) -> layer<error_##layer##_has_no_such_option<detail::option::layer>>;

}  // namespace sigma
