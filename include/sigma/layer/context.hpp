// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/extent.hpp>
#include <sigma/core/field.hpp>
#include <sigma/core/list.hpp>
#include <sigma/core/text.hpp>
#include <sigma/core/words.hpp>
#include <sigma/initializer/initializer.hpp>
#include <sigma/tape/compose.hpp>
#include <sigma/tape/tensor.hpp>

#include <string_view>
#include <utility>

/// What layers have in common that are told what they cannot do; each layer's own mistakes stand with it.
namespace sigma {

inline constexpr Given::Label input_is{"input"}, output_is{"output"}, in_thousandths{"given"};
inline constexpr Fault error_layer_does_not_accept{"the layer does not accept this input"};

/// What a layer may be told in braces, as a mistake in that lists it.
template <class...>
struct options_are;

/// These are the options of a layer, which a mistake in them lists; the shorter the better.
#define SIGMA_OPTIONS(layer, ...)              \
    template <class>                           \
    struct error_##layer##_has_no_such_option; \
    namespace takes {                          \
    using layer = __VA_ARGS__;                 \
    }
/// In a layer: behind these arguments, what no other constructor takes is an option in braces that there is not.
#define SIGMA_NO_OTHER(layer, ...)                                              \
    template <class Unknown = error_##layer##_has_no_such_option<takes::layer>> \
    constexpr explicit layer(__VA_ARGS__ __VA_OPT__(, )...) = delete

namespace detail {
inline constexpr Given::Label size_is_called{"size"}, size_given{"value"}, shape_is{"shape"},
    hyperparameter_is{"hyperparameter"};
}

inline constexpr Fault error_network_has_more_than_16_named_sizes{"a network has at most 16 named sizes"},
    error_size_has_no_value{"a size of the network has no value: write dim<\"…\"> = …"},
    error_hyperparameter_is_not_in_its_range{"a hyperparameter is not in the range that its layer or loss gives"},
    error_parameter_is_too_large{"a parameter has more elements than an int counts"},
    error_layer_is_too_large{
        "the parameters of a layer, or its output for a record, have more elements than an int counts"},
    error_size_is_not_positive_or_too_large{"a size of the network is not positive, or too large"};

/// What every layer derives from. A layer with sizes that may have names, members of type `Extent`, says which they
/// are: `static constexpr void each_size(auto& self, auto f) { f(self.units); }`. When it is traced they are numbers.
struct Layer {};
/// What the last layer of a network derives from: it compares outputs with targets, by
///   `loss(z, y)`, a scalar tensor; `predict(z)`; `target(shape of z)`, the shape of y; and `classifies`: y holds class
///   numbers, one less in rank than z, from 0 to one less than the last extent of z, or those that `labels` says.
/// It may have `check_output(z)`, which refuses what it cannot judge. Where there is right and wrong, but of another
/// kind, the loss says with `accuracy(z, y)` which share is right.
struct Loss : Layer {};

namespace detail {

inline constexpr long long most_elements = 2147483647;
/// Are its elements, or those of a record, so few that an int counts them?
constexpr bool countable(const Shape& s) {
    long long n = 1;
    for (int i = 0; i < s.rank; ++i) {
        n *= s[i] < 0 ? -s[i] : s[i];
        if (n > most_elements) return false;
    }
    return true;
}

/// What is no layer, but says how values pass the layers inside it: `trace(context, values)` and `each_loss(f)`.
struct Combinator {};

/// A tensor. Of a layer whose formula takes many templates it makes one, so that who does not use it compiles none.
template <class X>
concept TensorOf = std::is_same_v<X, Tensor>;

/// What flows between layers: one value, or several side by side.
class Flow {
public:
    static constexpr int most = 8;

    constexpr Flow() = default;
    constexpr Flow(Tensor t) : size_(1), tensor_{t} {}
    constexpr int size() const { return size_; }
    constexpr const Tensor& operator[](int i) const { return tensor_[i]; }
    constexpr Tensor& operator[](int i) { return tensor_[i]; }
    constexpr const Tensor* begin() const { return tensor_; }
    constexpr const Tensor* end() const { return tensor_ + size_; }
    constexpr void push(Tensor t) { tensor_[size_++] = t; }
    constexpr void clear() { size_ = 0; }
    constexpr bool full() const { return size_ == most; }

private:
    int size_ = 0;
    Tensor tensor_[most]{};
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
    int positions = 0;  ///< that it can hold, where these are counted
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
    bool weighed = false;    ///< does the expression say so?
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
    bool weighed = false;
    bool named = false;        ///< by the expression
    bool named_alone = false;  ///< and by a name around nothing else
};
/// A number of a layer, or of a cost, that may change while the network is trained.
struct HyperparameterRecord {
    Text name{};       ///< "2-dropout.rate", "6-softmax_ce.smoothing"
    double value = 0;  ///< as the expression has it
    NumberRange range{};
    int cost = -1;  ///< whose it is; -1: a layer's
    int variable = -1;
};
/// A tensor that leaves a layer.
struct LayerOutput {
    int variable = -1, layer = -1;
};

}  // namespace detail

/// What a layer's forward function may ask for: parameters, random numbers, and whether this is training.
class Context : public detail::Trace {
public:
    constexpr Context(detail::Tape& on, bool in_training, bool recording = false)
        : tape(&on), training_(in_training), recording_(recording) {
        on.tracer = this;
        place = [](const detail::Trace& trace) { return static_cast<const Context&>(trace).layer_; };
        hyperparameter = [](detail::Trace& trace, const Text& name, double value, const NumberRange& range) {
            return static_cast<Context&>(trace).add_hyperparameter(name, value, range);
        };
    }
    constexpr Context(const Context&) = delete;
    constexpr ~Context() {
        number_hyperparameters();
        tape->tracer = nullptr;
    }

    detail::Tape* tape;
    detail::List<detail::ParameterRecord> parameters{};
    detail::List<detail::LayerRecord> layers{};
    detail::List<detail::LossRecord> losses{};
    detail::List<detail::HyperparameterRecord> hyperparameters{};
    detail::List<Variable> inputs{};   ///< what comes from outside, of one Input after the other
    detail::List<Variable> results{};  ///< what each loss judges
    detail::List<detail::StatisticUpdate> updates{};
    detail::List<detail::CarriedState> carried{};
    static constexpr int recorded_states = 1 << 20;  ///< the number of the first of these where the context records
    static constexpr int later_hyperparameters = 1 << 21;  ///< and of those whose number is not known yet
    int first_carried = -1;  ///< the number of the input that the first of these begins with; -1: states begin with 0,
                             ///< or where the context records with what stands for them
    detail::List<detail::LayerOutput>
        outputs{};  ///< where the context records: each with a node of its own, so that edges are found
    detail::Scope scope{};
    int cost = -1;  ///< whose loss is being traced
    detail::SharedConflict conflict{};
    int too_long = 0;                              ///< characters of a name, where they are more than a Text holds
    detail::SizeNames sizes{};                     ///< that have been met
    detail::ListView<detail::SizeValue> values{};  ///< what names stand for while a program runs
    bool tries_sizes = false;                      ///< are they there to see what depends on them?

    /// What a size is: a number, or that of its name, for which a prime stands in while the compiler checks.
    constexpr int number_of(const Extent& s) {
        if (s.name == nullptr) return s.number;
        const int name = sizes.add(s.name);
        if (name == detail::SizeNames::most) refuse(error_network_has_more_than_16_named_sizes);
        else if (std::is_constant_evaluated()) return static_cast<int>(s.at(detail::SizeNames::primes[name]));
        for (const detail::SizeValue& v : values)
            if (v.name == *s.name) return checked(s.at(v.value), *s.name);
        refuse(error_size_has_no_value, {detail::size_is_called, *s.name});
        return 1;
    }
    constexpr void settle(Extent& s) { s = number_of(s); }
    constexpr void settle(detail::NamedShape& s) { s = numbers_of(s); }
    constexpr Shape numbers_of(const detail::NamedShape& s) {
        Shape found = s.numbers;
        for (int i = 0; i < found.rank; ++i)
            if (s.names[i] != nullptr) found.extent[i] = number_of({s.numbers[i], s.times[i], s.names[i]});
        return found;
    }

    /// Are all sizes what they will be? Primes in their place multiply to more than an int counts.
    constexpr bool knows_sizes() const { return sizes.count == 0 || !(tries_sizes || std::is_constant_evaluated()); }

    constexpr bool training() const { return training_; }

    /// What a state of a stateful layer, (batch, units), begins with: what the batch before has left, where that is
    /// handed on. `end_carried` says then, for one state after the other, what it has become. A state that holds so
    /// many `positions` of a sequence says so.
    constexpr Tensor begin_carried(Text name, Tensor zero, int positions = 0) {
        Text full = layer_;
        detail::Scope::join(full, ".", name.view(), too_long);
        const Shape s = zero.shape();
        carried.push({full, s.last(), -1, positions});
        if (recording_ && first_carried < 0) return recorded_state(s);
        if (first_carried < 0) return zero;
        const int number = first_carried + carried.size() - 1;
        return {{tape, tape->leaf(detail::Operation::input, s, static_cast<std::uint64_t>(number))}};
    }
    constexpr void end_carried(Tensor state) {
        for (detail::CarriedState& c : carried)
            if (c.last < 0) {
                c.last = state.variable.id;
                return;
            }
    }

    constexpr Tensor add_parameter(const Shape& s, Text name, detail::Initializer initializer, bool trained = true) {
        if (detail::has_unsettled(s)) refuse(error_size_has_a_name_but_its_layer_no_each_size);
        else if (knows_sizes() && !detail::countable(s)) refuse(error_parameter_is_too_large, {detail::shape_is, s});
        if (repeating_) {
            if (next_ < end_ && parameters[next_].shape == s) return {{tape, parameters[next_++].variable}};
            if (!conflict.found) conflict = {true, next_ < end_ ? parameters[next_].shape : Shape{}, s};
        }
        const Variable v{tape,
                         tape->leaf(detail::Operation::parameter, s, static_cast<std::uint64_t>(parameters.size()))};
        Text full = layer_;
        detail::Scope::join(full, ".", name.view(), too_long);
        parameters.push({full, s, initializer, v.id, trained && !scope.frozen});
        return {v};
    }
    /// Where a number is on the tape that may change while the network is trained. Costs ask for the same one again.
    constexpr int add_hyperparameter(const Text& name, double value, const NumberRange& range) {
        for (const detail::HyperparameterRecord& h : hyperparameters)
            if (cost >= 0 && h.cost == cost && h.name == name) return h.variable;
        if (!range.contains(value))
            refuse(error_hyperparameter_is_not_in_its_range, {detail::hyperparameter_is, name},
                   {in_thousandths, value});
        Text full = name;
        if (cost < 0) {
            full = layer_;
            detail::Scope::join(full, ".", name.view(), too_long);
        }
        const int number = later_hyperparameters + hyperparameters.size();
        const int v = tape->leaf(detail::Operation::parameter, Shape{}, static_cast<std::uint64_t>(number));
        hyperparameters.push({full, value, range, cost, v});
        return v;
    }
    /// They lie behind the parameters.
    constexpr void number_hyperparameters() {
        int number = parameters.size();
        for (const detail::HyperparameterRecord& h : hyperparameters)
            tape->renumber(h.variable, static_cast<std::uint64_t>(number++));
    }
    /// Traces with the parameters under this key: the first time they are made, then used again in the same order.
    template <class Traced>
    constexpr void share(const Text& key, Traced trace_it) {
        int known = 0;
        while (known < shared_.size() && !(shared_[known].key == key)) ++known;
        if (known == shared_.size()) {
            const int first = parameters.size();
            trace_it();
            shared_.push({key, first, parameters.size()});
            return;
        }
        const detail::SharedParameters these = shared_[known];
        const bool outer = std::exchange(repeating_, true);
        const int next = std::exchange(next_, these.first), end = std::exchange(end_, these.end);
        trace_it();
        if (next_ != end_ && !conflict.found) conflict = {true, parameters[next_].shape, {}};
        repeating_ = outer;
        next_ = next == these.first ? these.end : next;  // these parameters were made inside what is being repeated
        end_ = end;
    }
    /// Names of what the layers inside a layer add begin with its name and theirs: "2-block.attention.weights".
    constexpr Text enter(Text name) {
        const Text outer = layer_;
        detail::Scope::join(layer_, ".", name.view(), too_long);
        return outer;
    }
    constexpr void leave(Text outer) { layer_ = outer; }
    constexpr Tensor add_uniform(const Shape& s) {
        return {{tape, tape->leaf(detail::Operation::uniform, s, static_cast<std::uint64_t>(streams_++))}};
    }
    /// Its number, "3-dense", unless something in the expression names it: "hidden"; "tower/2-dense" is the second
    /// layer within the name. The layers of a shared expression have their numbers where it is mentioned again. A layer
    /// that was traced already says where its nodes begin.
    constexpr void begin_layer(const Text& of_kind, int first_node = -1) {
        const bool named = name_layer(of_kind);
        const int first = parameters.size();
        layers.push({layer_, {}, first, -1, first_node < 0 ? tape->size() : first_node, 0, of_kind, scope.tags, named});
    }
    /// What is traced from here on belongs to it. Does something in the expression name it?
    constexpr bool name_layer(const Text& of_kind) {
        layer = layers.size();
        kind = &of_kind;
        const bool named = !repeating_ && (scope.name.size > 0 || scope.path.size > 0);
        const std::string_view own = scope.name.size > 0 ? scope.name.view() : of_kind.view();
        layer_ = Text{};
        if (named) layer_ = scope.path;
        if (!named) layer_.append(layers.size()).append("-");
        else if (scope.name.size == 0) join_number(layers.size() - scope.outside + 1);
        detail::Scope::join(layer_, named ? "" : scope.path.view(), own, too_long);
        if (scope.too_long > too_long) too_long = scope.too_long;
        return named;
    }
    /// The layer that is being traced, to come back to it from those inside.
    struct Place {
        int layer;
        const Text* kind;
        Text name;
    };
    constexpr Place where() const { return {layer, kind, layer_}; }
    constexpr void go_back(const Place& to) { layer = to.layer, kind = to.kind, layer_ = to.name; }
    /// What flows on. A layer of several outputs is recorded with the shape of the first.
    constexpr void end_layer(detail::Flow& output) {
        for (int i = 0; recording_ && i < output.size(); ++i) {
            Variable& y = output[i].variable;
            y.id = tape->emit_unshared({detail::Operation::copy, y.id, -1, -1, y.shape()});
            outputs.push({y.id, layers.size() - 1});
        }
        detail::LayerRecord& r = layers[layers.size() - 1];
        long long elements = 0;
        for (int i = r.parameters; i < parameters.size(); ++i) elements += parameters[i].shape.count();
        if (knows_sizes() && (elements > detail::most_elements || !detail::countable(output[0].shape())))
            refuse(error_layer_is_too_large, {detail::shape_is, output[0].shape()});
        r.parameters = static_cast<int>(elements);
        r.output = output[0].shape();
        r.variable = output[0].variable.id;
        r.end_node = tape->size();
    }

private:
    Text layer_{};
    bool training_, recording_;
    int streams_ = 0;
    detail::List<detail::SharedParameters> shared_{};
    bool repeating_ = false;  // uses parameters next_ … end_ - 1 again
    int next_ = 0, end_ = 0;

    constexpr int checked(long long size, const Text& name) {
        if (size >= 1 && size <= 2147483647) return static_cast<int>(size);
        refuse(error_size_is_not_positive_or_too_large, {detail::size_is_called, name},
               {detail::size_given, static_cast<double>(size)});
        return 1;
    }
    constexpr void join_number(int number) {
        Text digits;
        digits.append(number);
        detail::Scope::join(layer_, digits.view(), "-", too_long);
    }
    /// As the statistic that states once were, with a number behind all parameters: so fingerprints in files hold.
    constexpr Tensor recorded_state(const Shape& s) {
        const int number = recorded_states + carried.size() - 1;
        const Variable v{tape,
                         tape->leaf(detail::Operation::parameter, Shape{s.last()}, static_cast<std::uint64_t>(number))};
        return {detail::expand(v, s)};
    }
};

/// A parameter of the layer being traced, learned in training: `parameter(context, {3, 4}, "weights", glorot())`.
constexpr Tensor parameter(Context& context, const Shape& shape, Text name, detail::Initializer initializer = zeros) {
    return context.add_parameter(shape, name, initializer);
}
/// What is told who gives `parameter` something else.
struct write_context_shape_name_initializer;
template <class Write>
struct error_parameter_takes_other_arguments;
struct write_constant_of_the_number;
template <class Write>
struct error_initializer_of_a_parameter_is_no_number;
auto parameter(Context&, Text, const Shape&, auto...)
    -> error_parameter_takes_other_arguments<write_context_shape_name_initializer>;
auto parameter(const Shape&, Text, auto...)
    -> error_parameter_takes_other_arguments<write_context_shape_name_initializer>;
template <class X>
    requires std::is_arithmetic_v<X>
auto parameter(Context&, const Shape&, Text, X)
    -> error_initializer_of_a_parameter_is_no_number<write_constant_of_the_number>;
namespace detail {
/// What `y()` makes, and biases, which come before it on the tape.
constexpr Tensor plus_biases(Context& context, bool bias, const Shape& shape, Initializer initializer, auto y) {
    if (!bias) return y();
    const Tensor b = parameter(context, shape, "biases", initializer);
    return y() + b;
}
/// A sequence (batch, time, …) with 0 where its mask (batch, time), if it has one, is: what stands there, which may be
/// infinite or NaN, must not reach a gradient, since 0 times it is no 0.
constexpr Tensor masked_sequence(Tensor x, const Tensor* mask) {
    return mask ? where(reshape(*mask, {batch, x.shape()[1], 1}), x, 0.0) : x;
}
}  // namespace detail
/// A number of the layer, or of the loss, that is being traced and may change while the network is trained: hooks set
/// it, `set(hyperparameter("2-dropout.rate"), 0.3)`, and a trainer's registry and checkpoints have it. Outside of
/// networks it is a constant. Any tensor that is there says where it is wanted.
constexpr Tensor hyperparameter(Tensor beside, Text name, double value, const NumberRange& range = {}) {
    detail::Tape* const tape = beside.variable.tape;
    auto* const trace = static_cast<detail::Trace*>(tape->tracer.tracer);
    if (trace == nullptr || trace->hyperparameter == nullptr) return {constant(tape, value)};
    return {{tape, trace->hyperparameter(*trace, name, value, range)}};
}
/// A tensor that is stored with the parameters and not trained, such as a running mean: `update` replaces it at the end
/// of each training step.
constexpr Tensor statistic(Context& context, const Shape& shape, Text name, detail::Initializer initializer = zeros) {
    return context.add_parameter(shape, name, initializer, false);
}
constexpr void update(Context& context, Tensor statistic, Tensor value) {
    if (!context.training() || context.scope.frozen) return;
    for (detail::StatisticUpdate& u : context.updates)
        if (u.target == statistic.variable.id) {  // of a shared layer: its last use decides
            u.value = value.variable.id;
            return;
        }
    context.updates.push({statistic.variable.id, value.variable.id});
}

namespace detail {

constexpr bool has_name(const Extent& s) { return s.name != nullptr; }
constexpr bool has_name(const NamedShape& s) { return s.has_names(); }
/// f(layer) of a layer that knows its sizes as numbers.
template <class L, class F>
constexpr auto with_numbers(const L& layer, [[maybe_unused]] Context& context, F f) {
    if constexpr (requires { L::each_size(layer, [](const auto&) {}); }) {
        bool named = false;
        L::each_size(layer, [&](const auto& s) { named = named || has_name(s); });
        if (named) {
            L settled = layer;
            L::each_size(settled, [&](auto& s) { context.settle(s); });
            return f(static_cast<const L&>(settled));
        }
    }
    return f(layer);
}

}  // namespace detail

/// A layer inside a layer, under a name of its own: `inner(Dense(64, gelu), context, "hidden", x)`.
template <class L>
constexpr Tensor inner(const L& layer, Context& context, Text name, auto... x) {
    const Text outer = context.enter(name);
    const Tensor y = detail::with_numbers(layer, context, [&](const L& l) { return l.forward(context, x...); });
    context.leave(outer);
    return y;
}
/// Random numbers in [0, 1), drawn anew in each step.
constexpr Tensor random_uniform(Context& context, const Shape& shape) { return context.add_uniform(shape); }
/// Standard normal numbers, drawn anew in each step, from two uniform ones each (Box and Muller 1958).
constexpr Tensor random_normal(Context& context, const Shape& shape) {
    const Tensor u = random_uniform(context, shape);
    const Tensor v = random_uniform(context, shape);
    const Tensor length = sqrt(-2.0 * log(1.0 - u));  // 1 - u: never log(0)
    return length * cos(6.283185307179586 * v);
}

}  // namespace sigma
