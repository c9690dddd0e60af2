// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// The parts of layers of your own: Layer, Loss, Context, parameter, hyperparameter, statistic, inner, random numbers.
/// Included by `<sigma/sigma.hpp>`.
#include <sigma/core/extent.hpp>
#include <sigma/core/field.hpp>
#include <sigma/core/list.hpp>
#include <sigma/core/pattern.hpp>
#include <sigma/core/text.hpp>
#include <sigma/core/words.hpp>
#include <sigma/initializer/initializer.hpp>
#include <sigma/tape/compose.hpp>
#include <sigma/tape/tensor.hpp>

#include <string_view>
#include <utility>

namespace sigma {

inline constexpr Given::Label input_is{"input"}, output_is{"output"}, in_thousandths{"given"};
inline constexpr Fault error_layer_does_not_accept{"the layer does not accept this input"};

// The options of a layer in braces. A compile-time mistake in an option prints this list.
template <class...>
struct options_are;

/// Declares the options of a layer, which a mistake in an option prints. Keep the list short.
#define SIGMA_OPTIONS(layer, ...)              \
    template <class>                           \
    struct error_##layer##_has_no_such_option; \
    namespace takes {                          \
    using layer = __VA_ARGS__;                 \
    }
/// Rejects unknown options in braces: use it in a layer, with the arguments before the options.
#define SIGMA_NO_OTHER(layer, ...)                                              \
    template <class Unknown = error_##layer##_has_no_such_option<takes::layer>> \
    constexpr explicit layer(__VA_ARGS__ __VA_OPT__(, )...) = delete

namespace detail {
inline constexpr Given::Label size_is_called{"size"}, size_given{"value"}, shape_is{"shape"},
    hyperparameter_is{"hyperparameter"};
}

inline constexpr Fault error_network_has_more_than_16_named_sizes{"a network has at most 16 named sizes"},
    error_size_has_no_value{"a size of the network has no value: write dim<\"…\"> = …"},
    error_hyperparameter_is_not_in_its_range{"a hyperparameter is outside of the range of its layer or loss"},
    error_parameter_is_too_large{"a parameter has more than 2147483647 elements"},
    error_layer_is_too_large{
        "the parameters of a layer, or its output for a record, have more than 2147483647 elements"},
    error_size_is_not_positive_or_too_large{"a size of the network is not positive, or too large"};

/// The base of every layer.
///
/// A layer of your own has `static constexpr Text kind` and `constexpr Tensor forward(Context&, Tensor) const`. A layer
/// with sizes that may be named, members of type `Extent`, lists them:
/// `static constexpr void each_size(auto& self, auto f) { f(self.units); }`. `forward` then reads them as numbers.
///
/// @par Example
/// @code
/// struct Bias : Layer {
///     static constexpr Text kind = "bias";
///     constexpr Tensor forward(Context& context, Tensor x) const {
///         return x + parameter(context, x.shape().without(0), "biases");
///     }
/// };
/// @endcode
///
/// @see parameter, inner, hyperparameter, Loss
struct Layer {};
/// The base of every loss, the last layer of a network: it compares outputs z with targets y.
///
/// A loss of your own has `kind` and these const members:
/// - `loss(z, y)` returns a scalar tensor.
/// - `predict(z)` returns the predictions.
/// - `target(shape)` returns the shape of y for this shape of z.
/// - `classifies`, a `static constexpr bool`: true if y holds class numbers. y then has one axis less than z, and
///   numbers from 0 to one less than the last extent of z, or those that `labels` returns.
///
/// These members are optional:
/// - `check_output(z)` refuses outputs that the loss does not accept.
/// - `accuracy(z, y)` returns the share of right answers, if they are not class numbers.
///
/// Derive from `ElementLoss` if the loss adds up over elements.
///
/// @see ElementLoss, RowLoss, docs/losses.md
struct Loss : Layer {};

namespace detail {

inline constexpr long long most_elements = 2147483647;
/// Returns whether an int can count its elements, or those of a record.
constexpr bool countable(const Shape& s) {
    long long n = 1;
    for (int i = 0; i < s.rank; ++i) {
        n *= s[i] < 0 ? -s[i] : s[i];
        if (n > most_elements) return false;
    }
    return true;
}

/// The base of what combines layers but is no layer: `trace(context, values)` passes values through the layers inside,
/// and `each_loss(f)` visits their losses.
struct Combinator {};

/// A tensor. It makes a `forward` with many templates a template itself, so that unused layers cost no compile time.
template <class X>
concept TensorOf = std::is_same_v<X, Tensor>;

/// The values between two layers: one, or several side by side.
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
    Text name{};  ///< "1-dense.weights"; "hidden.weights" in a named layer
    Shape shape{};
    Initializer initializer{};
    int variable = -1;
    bool trained = true;  ///< False for statistics and frozen parameters.
};
/// A statistic and its value at the end of a training step, as positions on the tape.
struct StatisticUpdate {
    int target = -1, value = -1;
};
/// A state that batches and predictions hand on: its units, and the position on the tape of its value at the end.
struct CarriedState {
    Text name{};  ///< "1-lstm.h_state"
    int units = 0, last = -1;
    int positions = 0;  ///< capacity, if positions are counted
};
struct LayerRecord {
    Text name{};  ///< "1-dense"; "hidden" or "tower/1-dense" if the expression names it
    Shape output{};
    int parameters = 0;  ///< number of elements
    int variable = -1;   ///< the output, on the tape
    int first_node = 0, end_node = 0;
    Text kind{};         ///< "dense"
    Text tags{};         ///< "fc head", see `tagged`
    bool named = false;  ///< True if its name does not begin with its number.

    /// Returns whether the layer has this tag. Its kind is one, too.
    constexpr bool is(std::string_view tag) const {
        if (kind.view() == tag) return true;
        bool found = false;
        each_pattern(tags.view(), [&](std::string_view own, int) { found = found || own == tag; });
        return found && !tag.empty();
    }
};

/// The matrices that `lora` adds to products of an expression.
struct Adapter {
    int rank;
    double scale;
    Text weights;  ///< patterns of the names of parameters to adapt, with spaces between them
};

/// Names, tags and costs that an expression gives to the layers inside it.
struct Scope {
    Text path{};  ///< names of the enclosing parts: "tower/"
    Text name{};  ///< replaces the kind
    Text tags{};
    int outside = 0;  ///< number of layers before the path was entered
    bool frozen = false;
    const Adapter* adapter = nullptr;  ///< the innermost `lora`, or null
    bool adapter_frozen = false;
    Text cost{};             ///< the innermost name: that of a cost
    double loss_weight = 1;  ///< weight of a cost
    bool weighed = false;    ///< True if the expression gives the weight.
    int too_long = 0;        ///< length of a path or of all tags that exceeds a Text

    constexpr void enter(std::string_view inner) { join(path, inner, "/", too_long); }
    constexpr void tag(std::string_view tag) { join(tags, tags.size > 0 ? " " : "", tag, too_long); }
    /// Appends two texts, or leaves the text unchanged if it has no room for them.
    static constexpr void join(Text& text, std::string_view a, std::string_view b, int& too_long) {
        const int size = text.size + static_cast<int>(a.size() + b.size());
        if (size > Text::most) too_long = size > too_long ? size : too_long;
        else text.append(a).append(b);
    }
};
/// The parameters under one key.
struct SharedParameters {
    Text key{};
    int first = 0, end = 0;
};
/// Two uses of one key that do not agree.
struct SharedConflict {
    bool found = false;
    Shape first{}, second{};
};
/// A loss at the end of an expression.
struct LossRecord {
    Text name{};
    double loss_weight = 1;
    bool weighed = false;
    bool named = false;        ///< True if the expression names it.
    bool named_alone = false;  ///< True if the name encloses nothing else.
};
/// A number of a layer or of a cost that may change during training.
struct HyperparameterRecord {
    Text name{};       ///< "2-dropout.rate", "6-softmax_ce.smoothing"
    double value = 0;  ///< initial value, from the expression
    NumberRange range{};
    int cost = -1;  ///< number of its cost; -1 for a layer's
    int variable = -1;
};
/// A tensor that leaves a layer.
struct LayerOutput {
    int variable = -1, layer = -1;
};

}  // namespace detail

/// The environment of a layer's `forward`: pass it to `parameter`, `inner`, `random_uniform` and others.
///
/// @see parameter, Layer
class Context : public detail::Trace {
public:
    /// @cond internal
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
    detail::List<Variable> inputs{};   ///< values of each Input
    detail::List<Variable> results{};  ///< outputs that each loss compares
    detail::List<detail::StatisticUpdate> updates{};
    detail::List<detail::CarriedState> carried{};
    static constexpr int recorded_states = 1 << 20;        ///< number of the first carried state in a recording context
    static constexpr int later_hyperparameters = 1 << 21;  ///< first number of hyperparameters not numbered yet
    int first_carried = -1;  ///< number of the input with the first carried state; -1: states begin with 0, or with
                             ///< stand-ins in a recording context
    detail::List<detail::LayerOutput>
        outputs{};  ///< outputs in a recording context, each with a node of its own to find edges by
    detail::Scope scope{};
    int cost = -1;  ///< number of the cost being traced
    detail::SharedConflict conflict{};
    int too_long = 0;                              ///< length of a name that exceeds a Text
    detail::SizeNames sizes{};                     ///< named sizes that have occurred
    detail::ListView<detail::SizeValue> values{};  ///< values of named sizes at run time
    bool tries_sizes = false;                      ///< True if the values are trials that show what depends on them.
    unsigned long long adapted = 0;                ///< bits: patterns of the innermost `lora` that have matched

    /// Returns the number of a size: its own, or that of its name. At compile time a prime stands for each name.
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
    constexpr void resolve(Extent& s) { s = number_of(s); }
    constexpr void resolve(detail::NamedShape& s) { s = numbers_of(s); }
    constexpr Shape numbers_of(const detail::NamedShape& s) {
        Shape found = s.numbers;
        for (int i = 0; i < found.rank; ++i)
            if (s.names[i] != nullptr) found.extent[i] = number_of({s.numbers[i], s.times[i], s.names[i]});
        return found;
    }

    /// Returns whether all sizes are final. The product of stand-in primes may exceed an int.
    constexpr bool knows_sizes() const { return sizes.count == 0 || !(tries_sizes || std::is_constant_evaluated()); }

    /// @endcond
    /// Returns whether this is the network for training. Layers such as Dropout compute something else then.
    /// @return true in training steps; false in predictions and evaluation
    ///
    /// @see Dropout, BatchNorm
    constexpr bool training() const { return training_; }
    /// @cond internal

    /// Returns the first value of a carried state, (batch, units): the last one of the batch before, or zero. Call
    /// `end_carried` with the new values, in the same order. `positions` is the capacity of a state that counts them.
    constexpr Tensor begin_carried(Text name, Tensor zero, int positions = 0) {
        const Shape s = zero.shape();
        carried.push({full_name(name), s.last(), -1, positions});
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

    constexpr Text full_name(const Text& name) {
        Text full = layer_;
        detail::Scope::join(full, ".", name.view(), too_long);
        return full;
    }
    constexpr Tensor add_parameter(const Shape& s, Text name, detail::Initializer initializer, bool trained = true) {
        return add_named(s, full_name(name), initializer, trained);
    }
    /// Adds a parameter beside the one called `weights`.
    constexpr Tensor add_adapter(const Shape& s, Text weights, const char* end, detail::Initializer initializer) {
        detail::Scope::join(weights, end, "", too_long);
        return add_named(s, weights, initializer, true);
    }
    constexpr Tensor add_named(const Shape& s, const Text& full, detail::Initializer initializer, bool trained) {
        if (detail::has_unsettled(s)) refuse(error_size_has_a_name_but_its_layer_no_each_size);
        else if (knows_sizes() && !detail::countable(s)) refuse(error_parameter_is_too_large, {detail::shape_is, s});
        if (repeating_) {
            if (next_ < end_ && parameters[next_].shape == s) return {{tape, parameters[next_++].variable}};
            if (!conflict.found) conflict = {true, next_ < end_ ? parameters[next_].shape : Shape{}, s};
        }
        const Variable v{tape,
                         tape->leaf(detail::Operation::parameter, s, static_cast<std::uint64_t>(parameters.size()))};
        parameters.push({full, s, initializer, v.id, trained && !scope.frozen});
        return {v};
    }
    /// Returns the position on the tape of a number that may change during training. A cost gets the same one again.
    constexpr int add_hyperparameter(const Text& name, double value, const NumberRange& range) {
        for (const detail::HyperparameterRecord& h : hyperparameters)
            if (cost >= 0 && h.cost == cost && h.name == name) return h.variable;
        if (!range.contains(value))
            refuse(error_hyperparameter_is_not_in_its_range, {detail::hyperparameter_is, name},
                   {in_thousandths, value});
        return push_hyperparameter(cost < 0 ? full_name(name) : name, value, range);
    }
    constexpr int push_hyperparameter(const Text& full, double value, const NumberRange& range) {
        const int number = later_hyperparameters + hyperparameters.size();
        const int v = tape->leaf(detail::Operation::parameter, Shape{}, static_cast<std::uint64_t>(number));
        hyperparameters.push({full, value, range, cost, v});
        return v;
    }
    /// Returns the scale of the adapter beside the parameter called `weights`, which later uses of the parameter share.
    constexpr Tensor add_scale(Text weights, double value) {
        detail::Scope::join(weights, "_lora", "", too_long);
        for (const detail::HyperparameterRecord& h : hyperparameters)
            if (h.name == weights) return {{tape, h.variable}};
        return {{tape, push_hyperparameter(weights, value, {})}};
    }
    /// Numbers the hyperparameters: they follow the parameters.
    constexpr void number_hyperparameters() {
        int number = parameters.size();
        for (const detail::HyperparameterRecord& h : hyperparameters)
            tape->renumber(h.variable, static_cast<std::uint64_t>(number++));
    }
    /// Traces with the parameters under this key: makes them the first time, then uses them again in the same order.
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
    /// Enters a layer inside a layer: names of its parameters begin with both names, "2-block.attention.weights".
    constexpr Text enter(Text name) {
        const Text outer = layer_;
        detail::Scope::join(layer_, ".", name.view(), too_long);
        return outer;
    }
    constexpr void leave(Text outer) { layer_ = outer; }
    constexpr Tensor add_uniform(const Shape& s) {
        return {{tape, tape->leaf(detail::Operation::uniform, s, static_cast<std::uint64_t>(streams_++))}};
    }
    /// Begins a layer and names it: by its number, "3-dense", or by the expression, "hidden". "tower/2-dense" is the
    /// second layer within a name. A repeated shared expression numbers its layers again. A layer that is already
    /// traced passes the first of its nodes.
    constexpr void begin_layer(const Text& of_kind, int first_node = -1) {
        const bool named = name_layer(of_kind);
        const int first = parameters.size();
        layers.push({layer_, {}, first, -1, first_node < 0 ? tape->size() : first_node, 0, of_kind, scope.tags, named});
    }
    /// Names the layer for all that is traced from here on. Returns whether the expression names it.
    constexpr bool name_layer(const Text& of_kind) {
        layer = layers.size();
        tape->origin.layer = static_cast<short>(layer);
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
    /// The layer being traced, to return to it from the layers inside.
    struct Place {
        int layer;
        const Text* kind;
        Text name;
    };
    constexpr Place where() const { return {layer, kind, layer_}; }
    constexpr void go_back(const Place& to) {
        layer = to.layer, kind = to.kind, layer_ = to.name;
        tape->origin.layer = static_cast<short>(to.layer);
    }
    /// Ends a layer with its output. A layer of several outputs is recorded with the shape of the first.
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

    /// @endcond
private:
    Text layer_{};
    bool training_, recording_;
    int streams_ = 0;
    detail::List<detail::SharedParameters> shared_{};
    bool repeating_ = false;  // parameters next_ … end_ - 1 are used again
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
    /// Returns a stand-in of a state, numbered after all parameters: fingerprints in files depend on it.
    constexpr Tensor recorded_state(const Shape& s) {
        const int number = recorded_states + carried.size() - 1;
        const Variable v{tape,
                         tape->leaf(detail::Operation::parameter, Shape{s.last()}, static_cast<std::uint64_t>(number))};
        return {detail::expand(v, s)};
    }
};

/// Adds a learned parameter to the layer being traced.
///
/// @param context  the context of `forward`
/// @param shape  shape of the parameter, without the batch
/// @param name  name within the layer: "weights" becomes "2-mine.weights"
/// @param initializer  distribution of the first values. Default: zeros.
/// @return the parameter as a tensor of this shape
/// @par Example
/// @code
/// const auto forward = [](Context& context, Tensor x) {
///     const Tensor w = parameter(context, {x.shape().last(), 3}, "weights", glorot());
///     return dot(x, w);
/// };
/// @endcode
///
/// @see statistic (not learned), hyperparameter (a number), Layer
constexpr Tensor parameter(Context& context, const Shape& shape, Text name, detail::Initializer initializer = zeros) {
    return context.add_parameter(shape, name, initializer);
}
// Mistakes in the arguments of `parameter`.
struct use_context_shape_name_initializer;
template <class Write>
struct error_parameter_takes_other_arguments;
struct use_constant_of_the_number;
template <class Write>
struct error_initializer_of_a_parameter_is_no_number;
auto parameter(Context&, Text, const Shape&, auto...)
    -> error_parameter_takes_other_arguments<use_context_shape_name_initializer>;
auto parameter(const Shape&, Text, auto...)
    -> error_parameter_takes_other_arguments<use_context_shape_name_initializer>;
template <class X>
    requires std::is_arithmetic_v<X>
auto parameter(Context&, const Shape&, Text, X)
    -> error_initializer_of_a_parameter_is_no_number<use_constant_of_the_number>;
namespace detail {
/// Returns y() + biases, or y() without biases. The biases come first on the tape.
constexpr Tensor plus_biases(Context& context, bool bias, const Shape& shape, Initializer initializer, auto y) {
    if (!bias) return y();
    const Tensor b = parameter(context, shape, "biases", initializer);
    return y() + b;
}
/// Returns a sequence (batch, time, …) with 0 at masked positions, at which the mask (batch, time) is 0, or unchanged
/// without a mask. Masked values may be infinite or NaN, and 0 times them is NaN: they must not reach a gradient.
constexpr Tensor masked_sequence(Tensor x, const Tensor* mask) {
    return mask ? where(reshape(*mask, {batch, x.shape()[1], 1}), x, 0.0) : x;
}
}  // namespace detail
/// Declares a number of the layer or loss being traced that may change during training.
///
/// Hooks change it with `set(hyperparameter("2-dropout.rate"), 0.3)`. Registry and checkpoints contain it. Outside of a
/// network it is a constant.
///
/// @param beside  any tensor of the layer
/// @param name  name within the layer: "rate" becomes "2-dropout.rate"
/// @param value  initial value, in `range`
/// @param range  allowed values. Default: all numbers.
/// @return a scalar tensor
/// @par Example
/// @code
/// const auto forward = [](Context&, Tensor x) {
///     const Tensor rate = hyperparameter(x, "rate", 0.5, NumberRange::from_0_to_below_1());
///     return rate * x;
/// };
/// @endcode
///
/// @see parameter, set
constexpr Tensor hyperparameter(Tensor beside, Text name, double value, const NumberRange& range = {}) {
    detail::Tape* const tape = beside.variable.tape;
    auto* const trace = static_cast<detail::Trace*>(tape->tracer.tracer);
    if (trace == nullptr || trace->hyperparameter == nullptr) return {constant(tape, value)};
    return {{tape, trace->hyperparameter(*trace, name, value, range)}};
}
namespace detail {
/// Returns a product y = x·W or, within `lora`, y + scale·(x·A)·B with new parameters A and B. A weight that is shared
/// has the name of its first use, and so have its A, B and scale.
constexpr Tensor adapted(Context& context, Tensor x, Tensor w, Tensor y) {
    const Adapter* const adapter = context.scope.adapter;
    if (adapter == nullptr) return y;
    const ParameterRecord* record = nullptr;
    for (const ParameterRecord& p : context.parameters)
        if (p.variable == w.variable.id) record = &p;
    if (record == nullptr) return y;
    const Text weights = record->name;
    bool matched = false;
    each_pattern(adapter->weights.view(), [&](std::string_view pattern, int number) {
        if (!matches(pattern, weights.view())) return;
        matched = true;
        context.adapted |= 1ull << number;
    });
    if (!matched) return y;
    const bool outer = std::exchange(context.scope.frozen, context.scope.adapter_frozen);
    constexpr Initializer to_one_of_width{Initializer::Kind::uniform, Initializer::Fan::in, -1, 1};
    const Tensor down = context.add_adapter({x.shape().last(), adapter->rank}, weights, "_lora_a", to_one_of_width);
    const Tensor up = context.add_adapter({adapter->rank, y.shape().last()}, weights, "_lora_b", zeros);
    context.scope.frozen = outer;
    return y + dot(context.add_scale(weights, adapter->scale) * dot(x, down), up);
}
}  // namespace detail
/// Adds a tensor that is stored with the parameters and not trained, such as a running mean.
///
/// @param context  the context of `forward`
/// @param shape  shape of the statistic
/// @param name  name within the layer
/// @param initializer  first values. Default: zeros.
/// @return the statistic as a tensor of this shape
///
/// @see update, BatchNorm
constexpr Tensor statistic(Context& context, const Shape& shape, Text name, detail::Initializer initializer = zeros) {
    return context.add_parameter(shape, name, initializer, false);
}
/// Replaces a statistic at the end of each training step. Does nothing outside of training and in frozen layers.
///
/// @param context  the context of `forward`
/// @param statistic  a tensor from `statistic`
/// @param value  the new value, of the shape of the statistic
/// @par Example
/// @code
/// const auto forward = [](Context& context, Tensor x) {
///     const Tensor before = statistic(context, Shape{8}, "running_mean");
///     update(context, before, 0.9 * before + 0.1 * mean(x, axis(0)));
///     return x - before;
/// };
/// @endcode
///
/// @see statistic
constexpr void update(Context& context, Tensor statistic, Tensor value) {
    if (!context.training() || context.scope.frozen) return;
    for (detail::StatisticUpdate& u : context.updates)
        if (u.target == statistic.variable.id) {  // a shared layer: its last use decides
            u.value = value.variable.id;
            return;
        }
    context.updates.push({statistic.variable.id, value.variable.id});
}

namespace detail {

constexpr bool has_name(const Extent& s) { return s.name != nullptr; }
constexpr bool has_name(const NamedShape& s) { return s.has_names(); }
/// Calls f(layer) with the sizes of the layer as numbers.
template <class L, class F>
constexpr auto with_numbers(const L& layer, [[maybe_unused]] Context& context, F f) {
    if constexpr (requires { L::each_size(layer, [](const auto&) {}); }) {
        bool named = false;
        L::each_size(layer, [&](const auto& s) { named = named || has_name(s); });
        if (named) {
            L resolved = layer;
            L::each_size(resolved, [&](auto& s) { context.resolve(s); });
            return f(static_cast<const L&>(resolved));
        }
    }
    return f(layer);
}

}  // namespace detail

/// Calls a layer inside a layer, under a name of its own.
///
/// @tparam L  type of the inner layer
/// @param layer  the inner layer, such as `Dense(64, gelu)`
/// @param context  the context of `forward`
/// @param name  name of the inner layer: its parameters become "2-mine.hidden.weights"
/// @param x  arguments of the inner layer's `forward`, usually one tensor
/// @return the output of the inner layer
/// @par Example
/// @code
/// const auto forward = [](Context& context, Tensor x) {
///     const Tensor h = inner(Dense(64, gelu), context, "hidden", x);
///     return inner(Dense(8), context, "output", h);
/// };
/// @endcode
///
/// @see Layer, parameter
template <class L>
constexpr Tensor inner(const L& layer, Context& context, Text name, auto... x) {
    const Text outer = context.enter(name);
    const Tensor y = detail::with_numbers(layer, context, [&](const L& l) { return l.forward(context, x...); });
    context.leave(outer);
    return y;
}
/// Returns uniform random numbers from [0, 1), new ones in each step.
///
/// @param context  the context of `forward`
/// @param shape  shape of the result. An extent `batch` stands for the number of records.
/// @return a tensor of this shape
///
/// @see random_normal, Dropout
constexpr Tensor random_uniform(Context& context, const Shape& shape) { return context.add_uniform(shape); }
/// Returns standard normal random numbers, new ones in each step (Box and Muller 1958).
///
/// @param context  the context of `forward`
/// @param shape  shape of the result. An extent `batch` stands for the number of records.
/// @return a tensor of this shape
///
/// @see random_uniform, GaussianNoise
constexpr Tensor random_normal(Context& context, const Shape& shape) {
    const Tensor u = random_uniform(context, shape);
    const Tensor v = random_uniform(context, shape);
    const Tensor length = sqrt(-2.0 * log(1.0 - u));  // 1 - u: never log(0)
    return length * cos(6.283185307179586 * v);
}

}  // namespace sigma
