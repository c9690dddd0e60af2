// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/errors.hpp>

/// What a wrong graph is told; see `tape/refusal.hpp`.
namespace sigma {

// clang-format off: a table
inline constexpr Given::Label values_given{"values"}, values_wanted{"wanted"}, branches_given{"branches"}, times_given{"times"},
    first_value_is{"first value"}, second_value_is{"second value"}, output_of_one{"output of one"},
    input_of_next{"input of the next"}, loss_weight_in_thousandths{"loss weight"}, characters_of_the_name{"characters"},
    name_is{"name"}, first_is{"first"}, second_is{"second"}, result_of_the_loss{"its shape"};
inline constexpr Fault
    error_network_must_start_with_Input{"a network must start with Input"},
    error_network_has_no_loss_layer{"the network has no loss layer"},
    error_loss_is_only_allowed_last{"a loss is only allowed last"},
    error_loss_needs_one_value{"a loss needs one value"},
    error_loss_must_be_one_number{"a loss must be one number"},
    error_layer_gives_another_number_of_values{"the expression gives another number of values"},
    error_layer_has_too_many_values{"more values side by side than there is room for"},
    error_repeat_count_must_be_positive{"repeat count must be positive"},
    error_repeated_layers_output_does_not_fit_its_input{"a repeated layer's output does not fit its input"},
    error_Add_branches_do_not_fit{"Add: branches do not fit"},
    error_Average_branches_do_not_fit{"Average: branches do not fit"},
    error_Multiply_branches_do_not_fit{"Multiply: branches do not fit"},
    error_Concatenate_branches_do_not_fit{"Concatenate: branches do not fit"},
    error_join_needs_at_least_two_values{"a join needs at least two values"},
    error_join_needs_at_least_two_branches{"a join needs at least two branches"},
    error_Parallel_needs_one_branch_for_each_value{"Parallel needs one branch for each value"},
    error_cost_branch_has_no_loss{"a branch of Costs has no loss"},
    error_Costs_needs_at_least_one_cost{"Costs needs at least one cost"},
    error_loss_weight_belongs_to_a_cost{"a loss weight belongs to a cost"},
    error_loss_weight_must_be_finite_and_not_negative{"a loss weight must be finite and not negative"},
    error_name_must_have_1_to_24_letters_digits_or_dashes{"a name must have 1 to 24 letters, digits or dashes"},
    error_name_must_not_begin_with_a_number_and_a_dash{"a name must not begin with a number and a dash"},
    error_two_layers_or_costs_have_the_name{"two layers or costs have the same name"},
    error_name_is_longer_than_63_characters{"a name is longer than 63 characters"},
    error_shared_layers_have_different_parameters{"shared layers have different parameters"},
    /// SoftmaxCE takes scores, and the softmax of a softmax is nearly even: the layer before it says `identity`.
    error_loss_applies_the_activation_before_it_itself{"the loss applies the activation before it itself"};
// clang-format on

/// What a class lacks that stands in a network; the compiler names it: `lacks<Mine>::error_layer_has_no_kind`.
template <class L>
struct lacks {
    static constexpr Fault error_layer_has_no_kind{"a layer needs static constexpr Text kind"},
        error_layer_has_no_forward{"a layer needs constexpr Tensor forward(Context&, Tensor) const"},
        error_forward_is_const_and_takes_Context_and_Tensor{
            "forward of a layer is const and takes Context& and Tensors"},
        error_forward_of_a_layer_must_return_a_tensor{"forward of a layer must return a tensor"},
        error_loss_has_no_classifies{"a loss needs static constexpr bool classifies"},
        error_loss_has_no_target{"a loss needs constexpr Shape target(const Shape& output) const"},
        error_loss_has_no_predict{"a loss needs constexpr Tensor predict(Tensor z) const"},
        error_loss_has_no_loss{"a loss needs constexpr Tensor loss(Tensor z, Tensor y) const"},
        error_function_must_not_capture{"a function in a network that is a constant must not capture"};
};

}  // namespace sigma
