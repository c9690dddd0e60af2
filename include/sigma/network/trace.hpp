// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/layer/context.hpp>
#include <sigma/layer/reduction.hpp>
#include <sigma/network/table.hpp>
#include <sigma/tape/compose.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

// Mistakes in expressions; see tape/refusal.hpp.
namespace sigma {

// clang-format off: a table
inline constexpr Given::Label values_given{"values"}, values_wanted{"wanted"}, branches_given{"branches"}, times_given{"times"},
    first_value_is{"first value"}, second_value_is{"second value"}, output_of_one{"output of one"},
    input_of_next{"input of the next"}, loss_weight_in_thousandths{"loss weight"}, characters_of_the_name{"characters"},
    name_is{"name"}, rank_given{"rank"}, pattern_is{"pattern"}, first_is{"first"}, second_is{"second"}, result_of_the_loss{"its shape"};
inline constexpr Fault
    error_network_must_start_with_Input{"a network must start with Input"},
    error_network_has_no_loss_layer{"the network has no loss layer"},
    error_loss_is_only_allowed_last{"a loss is only allowed last"},
    error_loss_needs_one_value{"a loss needs one value"},
    error_loss_must_be_one_number{"a loss must be one number"},
    error_expression_gives_wrong_number_of_values{"the expression returns a wrong number of values"},
    error_layer_has_too_many_values{"too many values side by side"},
    error_repeat_count_must_be_positive{"repeat count must be positive"},
    error_lora_rank_must_be_positive{"the rank of lora must be positive"},
    error_lora_found_no_weights_to_adapt{"lora found no weights to adapt"},
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
    /// SoftmaxCE expects scores: the softmax of a softmax is nearly uniform. Use `identity` in the layer before.
    error_loss_applies_the_activation_before_it_itself{"the loss applies the activation before it itself"};
// clang-format on

/// Names the member that a class in a network lacks: `lacks<Mine>::error_layer_has_no_kind`.
/// @see Layer, Loss
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
        error_function_must_not_capture{"a function in a compile-time network must not capture"};
};

}  // namespace sigma

// The trace of an expression, the same for compile-time and run-time networks: values flow through the forward
// functions, and the context records layers, parameters and losses. It also records or throws mistakes, see
// tape/refusal.hpp.
namespace sigma {

/// Any layer or expression of layers: a class derived from `Layer`.
/// @see Layer
template <class L>
concept AnyLayer = std::is_base_of_v<Layer, L>;
/// A loss: a class derived from `Loss`.
/// @see Loss
template <class L>
concept LossLayer = std::is_base_of_v<Loss, L>;

namespace detail {

/// The base class of combinators with several layers. A name around them is the beginning of a path.
struct Several : Combinator {};

/// Converts the result of a layer or a function to values. Records a mistake if the result is not a tensor.
template <class L, class Y>
constexpr Flow as_flow(Context& context, const Y& y) {
    Flow all;
    if constexpr (std::is_convertible_v<Y, Tensor>) all.push(y);
    else if constexpr (tensors_in<Y> > 0) {
        static_assert(tensors_in<Y> <= Flow::most, "a layer gives more values than may stand side by side");
        each_tensor(y, [&](Tensor each) { all.push(each); });
    } else context.refuse(lacks<L>::error_forward_of_a_layer_must_return_a_tensor);
    return all;
}
/// Calls f(x[0], …) with all values. Returns false if f does not accept this number of values.
template <class L, class F>
constexpr bool call(Context& context, Flow& x, F f) {
    const auto with = [&]<std::size_t... i>(std::index_sequence<i...>) {
        if constexpr (requires { f(x[i]...); }) {
            if (x.size() != static_cast<int>(sizeof...(i))) return false;
            x = as_flow<L>(context, f(x[static_cast<int>(i)]...));
            return true;
        } else return false;
    };
    return with(std::make_index_sequence<1>{}) || with(std::make_index_sequence<2>{}) ||
           with(std::make_index_sequence<3>{}) || with(std::make_index_sequence<4>{});
}
/// Records a mistake that belongs to no layer.
constexpr void refuse_between(Context& context, const Fault& fault, const Given& a = {}, const Given& b = {}) {
    context.kind = nullptr, context.place = nullptr;
    context.refuse(fault, a, b);
}
constexpr void refuse_values(Context& context, const Flow& x) {
    const auto value = [&](int i) { return i < x.size() ? Given(input_is, x[i].shape()) : Given(); };
    context.refuse(error_layer_does_not_accept, value(0), value(1), value(2), value(3));
}

struct Forward {
    void forward();
};
template <class L>
struct ForwardTwice : L, Forward {};
/// True if L has a member `forward`. A template has no address, but together with a second member of this name the
/// name becomes ambiguous.
template <class L>
concept SaysForward = std::is_final_v<L> || !requires { &ForwardTwice<L>::forward; };
template <class L>
concept TakesTensors = requires(const L& l, Context& c, Tensor x) { l.forward(c, x); } ||
                       requires(const L& l, Context& c, Tensor x) { l.forward(c, x, x); } ||
                       requires(const L& l, Context& c, Tensor x) { l.forward(c, x, x, x); } ||
                       requires(const L& l, Context& c, Tensor x) { l.forward(c, x, x, x, x); };

template <class L>
constexpr bool go_forward(const L& layer, Context& context, Flow& x) {
    return call<L>(context, x, [&](auto... each) -> decltype(layer.forward(context, each...)) {
        return layer.forward(context, each...);
    });
}
template <class L>
constexpr void trace_layer(const L& layer, Context& context, Flow& x) {
    context.kind = nullptr;
    if constexpr (!requires { L::kind; }) {
        context.refuse(lacks<L>::error_layer_has_no_kind);
    } else {
        context.begin_layer(L::kind);
        if constexpr (requires { layer.join(context, x); }) x = layer.join(context, x);
        else if constexpr (!SaysForward<L>) context.refuse(lacks<L>::error_layer_has_no_forward);
        else if constexpr (!TakesTensors<L>)
            context.refuse(lacks<L>::error_forward_is_const_and_takes_Context_and_Tensor);
        else if (!with_numbers(layer, context, [&](const L& l) { return go_forward(l, context, x); }))
            refuse_values(context, x);
        if (!context.failed()) context.end_layer(x);
    }
}
/// A loss with all members that a trace needs. trace_loss names a missing member.
template <class L>
concept CompleteLoss = requires(const L& loss, Shape s, Tensor z) {
    L::kind;
    L::classifies;
    { loss.target(s) } -> std::convertible_to<Shape>;
    { loss.predict(z) } -> std::convertible_to<Tensor>;
    { loss.loss(z, z) } -> std::convertible_to<Tensor>;
};
/// Traces a loss: the value that flows in is an output of the network. Losses are numbered behind the layers.
template <class L>
constexpr void trace_loss(const L& loss, Context& context, Flow& x) {
    context.layer = context.layers.size() + context.losses.size(), context.kind = nullptr;
    if constexpr (!requires { L::kind; }) context.refuse(lacks<L>::error_layer_has_no_kind);
    else if constexpr (!requires { L::classifies; }) context.refuse(lacks<L>::error_loss_has_no_classifies);
    else if constexpr (!requires(Shape s) {
                           { loss.target(s) } -> std::convertible_to<Shape>;
                       })
        context.refuse(lacks<L>::error_loss_has_no_target);
    else if constexpr (!requires(Tensor z) {
                           { loss.predict(z) } -> std::convertible_to<Tensor>;
                       })
        context.refuse(lacks<L>::error_loss_has_no_predict);
    else if constexpr (!requires(Tensor z) {
                           { loss.loss(z, z) } -> std::convertible_to<Tensor>;
                       })
        context.refuse(lacks<L>::error_loss_has_no_loss);
    else {
        context.kind = &L::kind;
        if (x.size() != 1) return context.refuse(error_loss_needs_one_value, {values_given, x.size()});
        if constexpr (requires { loss.check_output(x[0]); }) loss.check_output(x[0]);
        const Scope& scope = context.scope;
        const bool named = scope.cost.size > 0;
        context.losses.push(
            {named ? scope.cost : L::kind, scope.loss_weight, scope.weighed, named, scope.name.size > 0});
        context.results.push(x[0].variable);
        x.clear();
    }
}

/// Traces a part of an expression: replaces the values `x` by its results. A loss has no results.
template <class L>
constexpr void trace(const L& layer, Context& context, Flow& x) {
    if (context.failed()) return;
    if constexpr (std::is_base_of_v<Combinator, L>) {
        layer.trace(context, x);
    } else {
        if (x.size() == 0) {
            if (context.losses.empty()) return context.refuse(error_network_must_start_with_Input);
            return context.refuse(error_loss_is_only_allowed_last);
        }
        if constexpr (LossLayer<L>) trace_loss(layer, context, x);
        else trace_layer(layer, context, x);
    }
}
/// Traces a part inside another one, which must not be a loss.
template <class L>
constexpr void trace_inside(const L& layer, Context& context, Flow& x) {
    trace(layer, context, x);
    if (!context.failed() && x.size() == 0) context.refuse(error_loss_is_only_allowed_last);
}
/// A uniform view of a loss, with defaults for the members that are optional.
template <class L>
struct LossView {
    const L& loss;

    static constexpr const Text& kind() { return L::kind; }
    constexpr Shape target(const Shape& output) const { return loss.target(output); }
    constexpr Tensor predict(Tensor z) const { return loss.predict(z); }
    constexpr Tensor value(Tensor z, Tensor y) const { return loss.loss(z, y); }
    /// True if the loss has a formula of its own for accuracy.
    static constexpr bool has_accuracy = requires(const L& l, Tensor z) { l.accuracy(z, z); };
    constexpr bool says_right() const { return has_accuracy || L::classifies; }
    /// Returns the share of correct predictions. Only for losses that define accuracy.
    constexpr Tensor right(Tensor z, Tensor y) const {
        if constexpr (has_accuracy) return loss.accuracy(z, y);
        else return mean(equal(argmax(z), y));
    }
    /// Returns the targets that the loss ignores.
    constexpr Ignored ignored() const {
        if constexpr (requires { loss.ignored(); }) return loss.ignored();
        else if constexpr (requires {
                               { loss.options.ignore } -> std::same_as<const Ignored&>;
                           })
            return loss.options.ignore;
        else return {};
    }
    /// Returns the number of targets that are not ignored, which accuracy is a share of.
    constexpr Tensor answers(Tensor z, Tensor y) const {
        if constexpr (requires { loss.targets_of(z, y); }) y = loss.targets_of(z, y);
        return sum(not_equal_to(y, ignored().value));
    }
    /// Traces the formulas to find mistakes in them, and returns the loss.
    constexpr Tensor examine(Context& context, Tensor z, Tensor y) const {
        const Tensor l = loss.loss(z, y);
        if (l.shape().rank > 0) context.refuse(error_loss_must_be_one_number, {result_of_the_loss, l.shape()});
        if constexpr (has_accuracy) loss.accuracy(z, y);
        return l;
    }
    /// Returns whether the loss is a sum over the batch, and not a mean.
    constexpr bool is_total() const {
        if constexpr (requires { loss.options.reduction; }) return loss.options.reduction == Reduction::total;
        else return false;
    }
    /// Writes the properties of the loss, for an output of this shape.
    constexpr void describe(CostRecord& of, const Shape& output) const {
        of.kind = L::kind;
        of.classifies = L::classifies;
        if constexpr (requires { L::judges; }) of.judges = L::judges;
        of.output = output, of.target = of.compared = loss.target(output);
        of.has_accuracy = says_right(), of.ignored = ignored();
        of.yes_or_no = requires { L::answers_yes_or_no; };
        if constexpr (requires { L::predicts_probabilities; }) of.probabilities = L::predicts_probabilities;
        if constexpr (requires { L::weighs_records; }) of.weighs = true, of.compared = loss.compared(output);
        if constexpr (requires { loss.labels(output); }) of.has_labels = true, of.labels = loss.labels(output);
        if constexpr (requires { loss.targets(output).kind; }) of.has_rule = true, of.rule = loss.targets(output);
    }
};
/// Calls f(LossView) for each loss of an expression, in the order in which a trace reaches them.
template <class L, class F>
constexpr void each_loss(const L& layer, F f) {
    if constexpr (std::is_base_of_v<Combinator, L>) layer.each_loss(f);
    else if constexpr (CompleteLoss<L>) f(LossView<L>{layer});
}

}  // namespace detail
}  // namespace sigma
