// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/text.hpp>
#include <sigma/core/words.hpp>
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/errors.hpp>
#include <sigma/tape/compose.hpp>

#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sigma {

/// What every layer derives from; it says nothing.
struct Layer {};
/// What the last layer of a network derives from: it compares outputs with targets, by
///   `loss(self, z, y)`, a scalar tensor; `predict(self, z)`; `target(self, shape of z)`, the shape of y;
///   `check_output<shape of z>()`, a Mistake; and `classifies`: y holds class numbers, one less in rank than z, from 0
///   to one less than the last extent of z, or those that `labels` says. Where there is right and wrong, but of another
///   kind, the loss says with `accuracy(self, z, y)` which share is right.
struct Loss : Layer {};

namespace detail {

/// A layer as a type: `self()` is the layer, a constant wherever it is used.
template <auto layer>
struct Self {
    constexpr const auto& operator()() const { return layer; }
};

struct ParameterRecord {
    Text name{};  ///< "1-dense.weights", "hidden.weights" of a named layer
    Shape shape{};
    Initializer initializer{};
    int variable = -1;
    bool trained = true;  ///< by the optimizer; statistics and frozen parameters are not
};
/// A statistic and what it becomes at the end of a training step, as positions on the tape.
struct StatisticUpdate {
    int target = -1, value = -1;
};
/// A state that batches and predictions hand on: its units, and what it has become at the end of this one, as a
/// position on the tape.
struct CarriedState {
    Text name{};  ///< "1-lstm.h_state"
    int units = 0, last = -1;
};
struct LayerRecord {
    Text name{};  ///< "1-dense"; "hidden", "tower/1-dense" where the expression names it
    Shape output{};
    int parameters = 0;  ///< how many elements
    int variable = -1;   ///< its output on the tape
    int first_node = 0, end_node = 0;
    Text kind{};         ///< "dense"
    Text tags{};         ///< "fc head"; see `tagged`
    bool named = false;  ///< its name does not begin with its number

    /// Has it this tag? Its kind is one.
    constexpr bool is(std::string_view tag) const {
        if (kind.view() == tag) return true;
        const std::string_view all = tags.view();
        for (std::size_t from = 0; from < all.size();) {
            const std::size_t end = all.find(' ', from) == all.npos ? all.size() : all.find(' ', from);
            if (all.substr(from, end - from) == tag) return true;
            from = end + 1;
        }
        return false;
    }
};

/// What an expression says of the layers inside it.
struct Scope {
    Text path{};  ///< names of what surrounds them: "tower/"
    Text name{};  ///< stands in place of the kind
    Text tags{};
    int outside = 0;  ///< how many layers there were when the path was entered
    bool frozen = false;
    Text cost{};             ///< the innermost name, which is that of a cost
    double loss_weight = 1;  ///< of a cost
    int too_long = 0;        ///< characters of a path, or of all tags, that are more than a Text holds

    constexpr void enter(std::string_view inner) { join(path, inner, "/", too_long); }
    constexpr void tag(std::string_view tag) { join(tags, tags.size > 0 ? " " : "", tag, too_long); }
    /// Where there is no room, the text stays as it is.
    static constexpr void join(Text& text, std::string_view a, std::string_view b, int& too_long) {
        const int size = text.size + static_cast<int>(a.size() + b.size());
        if (size > Text::most) too_long = size > too_long ? size : too_long;
        else text.append(a).append(b);
    }
};
/// Parameters under one key, and two uses of it that do not agree.
struct SharedParameters {
    Text key{};
    int first = 0, end = 0;
};
struct SharedConflict {
    bool found = false;
    Shape first{}, second{};
};
/// A loss at the end of an expression.
struct LossRecord {
    Text name{};
    double loss_weight = 1;
    bool named = false;        ///< by the expression
    bool named_alone = false;  ///< and by a name around nothing else
};
/// A tensor that leaves a layer.
struct LayerOutput {
    int variable = -1, layer = -1;
};

}  // namespace detail

/// What a layer's forward function may ask for: parameters, random numbers, and whether this is training.
class Context : public detail::Tracer {
public:
    constexpr Context(detail::Tape& on, bool in_training, bool recording = false)
        : tape(&on), training_(in_training), recording_(recording) {}

    detail::Tape* tape;
    detail::List<detail::ParameterRecord> parameters{};
    detail::List<detail::LayerRecord> layers{};
    detail::List<detail::LossRecord> losses{};
    detail::List<Variable> inputs{};  ///< what comes from outside, for one Input after the other
    detail::List<detail::StatisticUpdate> updates{};
    detail::List<detail::CarriedState> carried{};
    static constexpr int recorded_states = 1 << 20;  ///< the number of the first of these where the context records
    int first_carried = -1;  ///< the number of the input that the first of these begins with; -1: states begin with 0
    detail::List<detail::LayerOutput>
        outputs{};  ///< where the context records: each with a node of its own, so that edges are found
    detail::Scope scope{};
    detail::SharedConflict conflict{};
    int too_long = 0;  ///< characters of a name, where they are more than a Text holds

    constexpr bool training() const { return training_; }

    template <Shape S>
    constexpr Tensor<S> next_input() {
        return {inputs[inputs_taken_++]};
    }

    /// What a state of a stateful layer, (batch, units), begins with: what the batch before has left, where that is
    /// handed on. `end_carried` says then, for one state after the other, what it has become.
    template <Shape S>
    constexpr Tensor<S> begin_carried(Text name, Tensor<S> zero) {
        Text full = layer_;
        detail::Scope::join(full, ".", name.view(), too_long);
        carried.push({full, S.last()});
        if (recording_) return recorded_state(zero);
        if (first_carried < 0) return zero;
        const int number = first_carried + carried.size() - 1;
        return {{tape, tape->leaf(detail::Operation::input, S, static_cast<std::uint64_t>(number))}};
    }
    template <Shape S>
    constexpr void end_carried(Tensor<S> state) {
        for (detail::CarriedState& c : carried)
            if (c.last < 0) {
                c.last = state.variable.id;
                return;
            }
    }

    template <Shape S>
    constexpr Tensor<S> add_parameter(Text name, detail::Initializer initializer, bool trained = true) {
        if (repeating_) {
            if (next_ < end_ && parameters[next_].shape == S) return {{tape, parameters[next_++].variable}};
            if (!conflict.found) conflict = {true, next_ < end_ ? parameters[next_].shape : Shape{}, S};
        }
        const Variable v{tape,
                         tape->leaf(detail::Operation::parameter, S, static_cast<std::uint64_t>(parameters.size()))};
        Text full = layer_;
        detail::Scope::join(full, ".", name.view(), too_long);
        parameters.push({full, S, initializer, v.id, trained && !scope.frozen});
        return {v};
    }
    /// Traces with the parameters under this key: the first time they are made, then used again in the same order.
    template <class Trace>
    constexpr auto share(const Text& key, Trace trace) {
        int known = 0;
        while (known < shared_.size() && !(shared_[known].key == key)) ++known;
        if (known == shared_.size()) {
            const int first = parameters.size();
            const auto y = trace();
            shared_.push({key, first, parameters.size()});
            return y;
        }
        const detail::SharedParameters these = shared_[known];
        const bool outer = std::exchange(repeating_, true);
        const int next = std::exchange(next_, these.first), end = std::exchange(end_, these.end);
        const auto y = trace();
        if (next_ != end_ && !conflict.found) conflict = {true, parameters[next_].shape, {}};
        repeating_ = outer;
        next_ = next == these.first ? these.end : next;  // these parameters were made inside what is being repeated
        end_ = end;
        return y;
    }
    /// Names of what the layers inside a layer add begin with its name and theirs: "2-block.attention.weights".
    constexpr Text enter(Text name) {
        const Text outer = layer_;
        detail::Scope::join(layer_, ".", name.view(), too_long);
        return outer;
    }
    constexpr void leave(Text outer) { layer_ = outer; }
    template <Shape S>
    constexpr Tensor<S> add_uniform() {
        return {{tape, tape->leaf(detail::Operation::uniform, S, static_cast<std::uint64_t>(streams_++))}};
    }
    /// Its number, "3-dense", unless something in the expression names it: "hidden"; "tower/2-dense" is the second
    /// layer within the name. The layers of a shared expression have their numbers where it is mentioned again. A layer
    /// that was traced already says where its nodes begin.
    constexpr void begin_layer(Text kind, int first_node = -1) {
        const bool named = !repeating_ && (scope.name.size > 0 || scope.path.size > 0);
        const std::string_view own = scope.name.size > 0 ? scope.name.view() : kind.view();
        layer_ = Text{};
        if (named) layer_ = scope.path;
        if (!named) layer_.append(layers.size()).append("-");
        else if (scope.name.size == 0) join_number(layers.size() - scope.outside + 1);
        detail::Scope::join(layer_, named ? "" : scope.path.view(), own, too_long);
        if (scope.too_long > too_long) too_long = scope.too_long;
        const int first = parameters.size();
        layers.push({layer_, {}, first, -1, first_node < 0 ? tape->size() : first_node, 0, kind, scope.tags, named});
    }
    /// Returns what flows on. A layer of several outputs is recorded with the shape of the first.
    template <Shape S>
    constexpr Tensor<S> end_layer(Tensor<S> output) {
        if (recording_) output = recorded(output);
        finish_layer(S, output.variable);
        return output;
    }
    template <class... Y>
    constexpr std::tuple<Y...> end_layer(std::tuple<Y...> output) {
        if (recording_) std::apply([&](auto&... y) { ((y = recorded(y)), ...); }, output);
        finish_layer(std::tuple_element_t<0, std::tuple<Y...>>::shape, std::get<0>(output).variable);
        return output;
    }

private:
    Text layer_{};
    bool training_, recording_;
    int streams_ = 0, inputs_taken_ = 0;
    detail::List<detail::SharedParameters> shared_{};
    bool repeating_ = false;  // uses parameters next_ … end_ - 1 again
    int next_ = 0, end_ = 0;

    constexpr void join_number(int number) {
        Text digits;
        digits.append(number);
        detail::Scope::join(layer_, digits.view(), "-", too_long);
    }
    /// As the statistic that states once were, with a number behind all parameters: so fingerprints in files hold.
    template <Shape S>
    constexpr Tensor<S> recorded_state(Tensor<S>) {
        const int number = recorded_states + carried.size() - 1;
        const Variable v{tape,
                         tape->leaf(detail::Operation::parameter, Shape{S.last()}, static_cast<std::uint64_t>(number))};
        return {detail::expand(v, S)};
    }
    template <Shape S>
    constexpr Tensor<S> recorded(Tensor<S> y) {
        y.variable.id = tape->emit_unshared({detail::Operation::copy, y.variable.id, -1, -1, S});
        outputs.push({y.variable.id, layers.size() - 1});
        return y;
    }
    constexpr void finish_layer(const Shape& shape, Variable output) {
        detail::LayerRecord& r = layers[layers.size() - 1];
        int elements = 0;
        for (int i = r.parameters; i < parameters.size(); ++i)
            elements += static_cast<int>(parameters[i].shape.count());
        r.parameters = elements;
        r.output = shape;
        r.variable = output.id;
        r.end_node = tape->size();
    }
};

/// A parameter of the layer being traced, learned in training: `parameter<Shape{3, 4}>(context, "weights", glorot())`.
template <Shape S>
constexpr Tensor<S> parameter(Context& context, Text name, detail::Initializer initializer = zeros) {
    return context.add_parameter<S>(name, initializer);
}
namespace detail {
/// What `y()` makes, and biases of shape S, which come before it on the tape.
template <bool bias, Shape S>
constexpr auto plus_biases(Context& context, Initializer initializer, auto y) {
    if constexpr (bias) {
        const auto b = parameter<S>(context, "biases", initializer);
        return y() + b;
    } else {
        return y();
    }
}
/// A sequence (batch, time, …) with 0 where its mask (batch, time), if it has one, is: what stands there, which may be
/// infinite or NaN, must not reach a gradient, since 0 times it is no 0.
template <Shape S>
constexpr auto masked_sequence(Tensor<S> x) {
    return x;
}
template <Shape S, Shape M>
constexpr auto masked_sequence(Tensor<S> x, Tensor<M> mask) {
    return where(reshape<batch, S[1], 1>(mask), x, 0.0);
}
}  // namespace detail
/// A tensor that is stored with the parameters and not trained, such as a running mean: `update` replaces it at the end
/// of each training step.
template <Shape S>
constexpr Tensor<S> statistic(Context& context, Text name, detail::Initializer initializer = zeros) {
    return context.add_parameter<S>(name, initializer, false);
}
template <Shape S>
constexpr void update(Context& context, Tensor<S> statistic, Tensor<S> value) {
    if (!context.training() || context.scope.frozen) return;
    for (detail::StatisticUpdate& u : context.updates)
        if (u.target == statistic.variable.id) {  // of a shared layer: its last use decides
            u.value = value.variable.id;
            return;
        }
    context.updates.push({statistic.variable.id, value.variable.id});
}
namespace detail {
/// What a layer says against its values and against inputs of these shapes, in `check(self)` and in
/// `check_input<S...>(self)`.
template <auto layer, Shape... S>
consteval auto check_shapes() {
    using L = std::remove_cvref_t<decltype(layer)>;
    if constexpr (requires { requires !is_fine<decltype(L::check(Self<layer>{}))>; }) return L::check(Self<layer>{});
    else if constexpr (requires { L::template check_input<S...>(Self<layer>{}); })
        return L::template check_input<S...>(Self<layer>{});
    else return Mistake<>{};
}
template <auto layer, class... X>
using InnerMistake = MistakeOf<decltype(check_shapes<layer, X::shape...>())>;
}  // namespace detail

/// A layer inside a layer, under a name of its own: `inner<Dense(64, gelu)>(context, "hidden", x)`.
template <auto layer, class... X>
    requires(!std::is_void_v<detail::InnerMistake<layer, X...>>)
constexpr auto inner(Context& context, Text name, X... x)
    -> decltype(detail::plainly(std::type_identity<detail::InnerMistake<layer, X...>>{}));
template <auto layer, class... X>
    requires std::is_void_v<detail::InnerMistake<layer, X...>>
constexpr auto inner(Context& context, Text name, X... x) {
    const Text outer = context.enter(name);
    const auto y = std::remove_cvref_t<decltype(layer)>::forward(detail::Self<layer>{}, context, x...);
    context.leave(outer);
    return y;
}
/// Random numbers in [0, 1), drawn anew in each step.
template <Shape S>
constexpr Tensor<S> random_uniform(Context& context) {
    return context.add_uniform<S>();
}
/// Standard normal numbers, drawn anew in each step, from two uniform ones each (Box and Muller 1958).
template <Shape S>
constexpr Tensor<S> random_normal(Context& context) {
    const auto u = random_uniform<S>(context);
    const auto v = random_uniform<S>(context);
    const auto length = sqrt(-2.0 * log(1.0 - u));  // 1 - u: never log(0)
    return length * cos(6.283185307179586 * v);
}

}  // namespace sigma
