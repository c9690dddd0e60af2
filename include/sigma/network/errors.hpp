// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/errors.hpp>

/// What a wrong graph is told, as names of types that are never defined; see `tape/errors.hpp`.
namespace sigma {

struct inside_a_branch;
struct write_static_constexpr_Text_kind;
template <class Layer, class Write>
struct error_layer_has_no_kind;
struct write_static_constexpr_auto_forward;
template <class Layer, class Write>
struct error_layer_has_no_forward;
/// `auto forward(auto x) const`, in place of `static constexpr auto forward(auto self, Context& context, auto x)`
struct auto_self_Context_context_auto_x;
template <class Layer, class Arguments>
struct error_forward_is_static_and_takes;
/// See `Loss` in layer/context.hpp.
struct static_constexpr_bool_classifies;
struct template_Shape_S_check_output;
struct target_of_auto_self_and_Shape;
struct predict_of_auto_self_and_auto_z;
struct loss_of_auto_self_auto_z_auto_y;
template <class Loss, class Member>
struct error_loss_lacks;
struct inside_a_function;
template <class...>
struct inputs_are;
template <int>
struct branches_given;
template <int>
struct values_given;
template <int>
struct loss_weight_in_thousandths;
template <class...>
struct values_are;

template <class, class>
struct error_Add_branches_do_not_fit;
template <class, class>
struct error_Average_branches_do_not_fit;
template <class, class>
struct error_Multiply_branches_do_not_fit;
template <class, class, class>
struct error_Concatenate_branches_do_not_fit;
template <class>
struct error_join_needs_at_least_two_values;
template <class>
struct error_join_needs_at_least_two_branches;
template <class, class>
struct error_Parallel_needs_one_branch_for_each_value;
template <class>
struct error_cost_branch_has_no_loss;
/// SoftmaxCE takes scores, and the softmax of a softmax is nearly even: the layer before it says `identity`.
template <class>
struct error_loss_applies_the_activation_before_it_itself;
template <class>
struct error_loss_weight_belongs_to_a_cost;
template <class>
struct error_loss_weight_must_be_finite_and_not_negative;
template <class>
struct error_Costs_needs_at_least_one_cost;
template <class>
struct error_loss_needs_one_value;
template <class>
struct error_name_must_have_1_to_24_letters_digits_or_dashes;
template <class>
struct error_name_must_not_begin_with_a_number_and_a_dash;
template <class>
struct error_two_layers_or_costs_have_the_name;
template <class>
struct error_name_is_longer_than_63_characters;
template <class, class>
struct error_shared_layers_have_different_parameters;

}  // namespace sigma
