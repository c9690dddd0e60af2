// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Recurrent layers: Recurrent, GRU, LSTM, Bidirectional. Included by `<sigma/sigma.hpp>`.
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/activation.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/tape/scan.hpp>

#include <array>

namespace sigma {

inline constexpr Fault error_recurrent_units_must_be_positive{"recurrent layer: units must be positive"};

/// Options of `Recurrent`, `GRU` and `LSTM`.
///
/// @see LSTM
struct RecurrentOptions {
    bool last = false;       ///< Returns the state after the last step only, (batch, units), if true.
    bool backwards = false;  ///< Runs from the last position to the first if true.
    bool bias = true;        ///< Adds biases if true.
    /// Continues predictions, record by record, from the final states of the prediction before, until `model.forget()`.
    /// Evaluation begins each record with zeros, and so does training, except for `train_on_next_batch` of a
    /// BatchTrainer.
    bool stateful = false;
};
namespace detail {

template <class L>
inline constexpr bool is_recurrent = requires(L layer) {
    layer.options.backwards;
    layer.units;
};

/// Returns whether the layer has units and the input is a sequence. Refuses the layer if not.
constexpr bool recurs(Tensor x, int units) {
    if (units < 1) x.refused(error_recurrent_units_must_be_positive, {units_given, units});
    else if (x.shape().rank != 3) x.refused(error_layer_does_not_accept, {input_is, x.shape()});
    else return true;
    return false;
}
constexpr Tensor biased(Context& context, bool bias, Tensor z, Initializer initializer = zeros) {
    return bias ? z + parameter(context, Shape{z.shape().last()}, "biases", initializer) : z;
}
/// Returns the part of a pre-activation, (batch, parts · units), that belongs to one gate.
constexpr Tensor gate(Tensor z, int part, int units) { return slice(z, axis(1), part * units, (part + 1) * units); }

/// Runs `cell(z, states...)`, which returns the next states, over a sequence z, and returns the first state at each
/// time. A step leaves the states unchanged in records where the mask, (batch, time), is 0.
template <std::size_t n, class Cell>
constexpr Tensor recur(Context& context, Tensor z, int units, const RecurrentOptions& options, Cell cell,
                       const std::array<Text, n>& names, const Tensor* mask) {
    const Direction direction = options.backwards ? Direction::backwards : Direction::forwards;
    std::array<Tensor, n> initial{};
    for (std::size_t i = 0; i < n; ++i) {
        initial[i] = filled(z, 0, {batch, units});
        if (options.stateful) initial[i] = context.begin_carried(names[i], initial[i]);
    }
    const auto masked = [&](Tensor now, Tensor given, auto... before) {
        const Tensor column = reshape(given, {batch, 1});
        std::array<Tensor, n> next = as_array(cell(now, before...));
        const std::array<Tensor, n> kept{before...};
        for (std::size_t i = 0; i < n; ++i) next[i] = where(column, next[i], kept[i]);
        return next;
    };
    const std::array<Tensor, n> all =
        as_array(mask ? scan(std::array{z, *mask}, initial, masked, direction) : scan(z, initial, cell, direction));
    for (std::size_t i = 0; options.stateful && i < n; ++i) context.end_carried(last(all[i], direction));
    return options.last ? last(all[0], direction) : all[0];
}

/// The base of recurrent layers: checks the input, and takes it with and without a mask.
template <class L>
struct RecurrentLayer : Layer {
    static constexpr void each_size(auto& self, auto f) { f(self.units); }

    constexpr Tensor forward(Context& context, TensorOf auto x) const { return checked(context, x, nullptr); }
    constexpr Tensor forward(Context& context, TensorOf auto x, Tensor mask) const {
        return checked(context, x, &mask);
    }

private:
    constexpr Tensor checked(Context& context, Tensor x, const Tensor* mask) const {
        const L& layer = static_cast<const L&>(*this);
        return recurs(x, layer.units) ? layer.run(context, x, mask) : x;
    }
};

}  // namespace detail

SIGMA_OPTIONS(Recurrent, options_are<struct last, struct backwards, struct bias, struct stateful>)

/// A simple recurrent layer (Elman 1990): h(t) = activation(x(t)·W + h(t−1)·U + b), with h(−1) = 0.
///
/// Inside a layer of your own, `forward(context, x, mask)` also accepts a mask (batch, time). A step with a mask of 0
/// leaves the state unchanged.
///
/// @par Shape
/// Input (batch, time, features). Output (batch, time, units), or (batch, units) if `options.last` is true.
///
/// @par Parameters of the network
/// `weights` W (features, units), `recurrent_weights` U (units, units), and, if `options.bias` is true, `biases` b
/// (units). W is initialized by `glorot()`, U by `orthogonal()`.
///
/// @par Errors
/// `error_recurrent_units_must_be_positive`, `error_layer_does_not_accept` for records that are no sequences.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Tagger : Network<Input(50, 8) + Recurrent(32) + Linear(5) + SoftmaxCE()> {};
/// @endcode
///
/// @see LSTM, GRU, Bidirectional, docs/recurrence.md
struct Recurrent : detail::RecurrentLayer<Recurrent> {
    Extent units;                         ///< Size of the state.
    detail::Activation activation{tanh};  ///< Activation of the state. Default: tanh.
    RecurrentOptions options;             ///< Output, direction, bias and statefulness.

    /// Constructs a layer with tanh as its activation.
    /// @param units_  size of the state, at least 1. May be a named size.
    /// @param options_  output, direction, bias and statefulness
    constexpr explicit Recurrent(Extent units_, RecurrentOptions options_ = {}) : units(units_), options(options_) {}
    /// Constructs a layer with an activation.
    /// @param units_  size of the state, at least 1. May be a named size.
    /// @param activation_  an activation such as `relu`
    /// @param options_  output, direction, bias and statefulness
    constexpr Recurrent(Extent units_, detail::Activation activation_, RecurrentOptions options_ = {})
        : units(units_), activation(activation_), options(options_) {}
    /// @cond internal
    SIGMA_NO_OTHER(Recurrent, Extent);

    static constexpr Text kind = "recurrent";

    constexpr Tensor run(Context& context, detail::TensorOf auto x, const Tensor* mask) const {
        const Tensor w = parameter(context, {x.shape().last(), units}, "weights", glorot());
        const Tensor u = parameter(context, {units, units}, "recurrent_weights", orthogonal());
        const Tensor z = detail::biased(context, options.bias, dot(detail::masked_sequence(x, mask), w));
        const auto cell = [&](Tensor now, Tensor h) { return activation(now + dot(h, u)); };
        return detail::recur(context, z, units, options, cell, std::array{Text{"h_state"}}, mask);
    }
    /// @endcond
};

SIGMA_OPTIONS(GRU, Recurrent)

/// A gated recurrent unit (Cho et al. 2014), with the reset gate after the product, as in libtorch and cuDNN.
///
/// With z = x(t)·W + b and a = h(t−1)·U, each in three parts, and h(−1) = 0:
/// - r = σ(z₁ + a₁)
/// - u = σ(z₂ + a₂)
/// - n = tanh(z₃ + r·(a₃ + b'))
/// - h(t) = (1 − u)·n + u·h(t−1)
///
/// Inside a layer of your own, `forward(context, x, mask)` also accepts a mask (batch, time). A step with a mask of 0
/// leaves the state unchanged.
///
/// @par Shape
/// Input (batch, time, features). Output (batch, time, units), or (batch, units) if `options.last` is true.
///
/// @par Parameters of the network
/// `weights` W (features, 3·units), `recurrent_weights` U (units, 3·units), and, if `options.bias` is true, `biases` b
/// (3·units) and `recurrent_biases` b' (units).
///
/// @par Errors
/// `error_recurrent_units_must_be_positive`, `error_layer_does_not_accept` for records that are no sequences.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Classifier : Network<Input(50, 8) + GRU(32, {.last = true}) + Dense(5) + SoftmaxCE()> {};
/// @endcode
///
/// @see LSTM, Recurrent, Bidirectional, docs/recurrence.md
struct GRU : detail::RecurrentLayer<GRU> {
    Extent units;              ///< Size of the state.
    RecurrentOptions options;  ///< Output, direction, bias and statefulness.

    /// Constructs the layer.
    /// @param units_  size of the state, at least 1. May be a named size.
    /// @param options_  output, direction, bias and statefulness

    constexpr explicit GRU(Extent units_, RecurrentOptions options_ = {}) : units(units_), options(options_) {}
    /// @cond internal
    SIGMA_NO_OTHER(GRU, Extent);

    static constexpr Text kind = "gru";

    constexpr Tensor run(Context& context, detail::TensorOf auto x, const Tensor* mask) const {
        const Tensor w = parameter(context, {x.shape().last(), 3 * units}, "weights", glorot());
        const Tensor recurrent = parameter(context, {units, 3 * units}, "recurrent_weights", orthogonal());
        const Tensor z = detail::biased(context, options.bias, dot(detail::masked_sequence(x, mask), w));
        const Tensor own =
            options.bias ? parameter(context, Shape{units}, "recurrent_biases") : filled(x, 0, Shape{units});
        const auto cell = [&](Tensor now, Tensor h) {
            const Tensor a = dot(h, recurrent);
            const Tensor reset_now = detail::gate(now, 0, units), reset_before = detail::gate(a, 0, units);
            const Tensor r = sigmoid(reset_now + reset_before);
            const Tensor update_now = detail::gate(now, 1, units), update_before = detail::gate(a, 1, units);
            const Tensor u = sigmoid(update_now + update_before);
            const Tensor new_now = detail::gate(now, 2, units), new_before = detail::gate(a, 2, units);
            const Tensor n = tanh(new_now + r * (new_before + own));
            return n + u * (h - n);
        };
        return detail::recur(context, z, units, options, cell, std::array{Text{"h_state"}}, mask);
    }
    /// @endcond
};

namespace detail {
/// Returns 1 for biases of the forget gate (Gers et al. 2000), so that memory lasts from the start; 0 for the others.
constexpr Initializer forget_gate_open() {
    return custom([](const ElementIndex& at, const Shape& s, ElementRandom&) {
        return static_cast<std::uint64_t>(at[0]) * 4 / static_cast<std::uint64_t>(s[0]) == 1 ? 1.0 : 0.0;
    });
}
}  // namespace detail

SIGMA_OPTIONS(LSTM, Recurrent)

/// Long short-term memory (Hochreiter and Schmidhuber 1997, with forget gates).
///
/// With z = x(t)·W + h(t−1)·U + b in four parts, and h(−1) = c(−1) = 0:
/// - i = σ(z₁)
/// - f = σ(z₂)
/// - g = tanh(z₃)
/// - o = σ(z₄)
/// - c(t) = f·c(t−1) + i·g
/// - h(t) = o·tanh(c(t))
///
/// Inside a layer of your own, `forward(context, x, mask)` also accepts a mask (batch, time). A step with a mask of 0
/// leaves the states unchanged.
///
/// @par Shape
/// Input (batch, time, features). Output h: (batch, time, units), or (batch, units) if `options.last` is true.
///
/// @par Parameters of the network
/// `weights` W (features, 4·units), `recurrent_weights` U (units, 4·units), and, if `options.bias` is true, `biases` b
/// (4·units), with gates in the order i, f, g, o. Biases of f begin with 1, all others with 0.
///
/// @par Errors
/// `error_recurrent_units_must_be_positive`, `error_layer_does_not_accept` for records that are no sequences.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Classifier : Network<Input(50, 8) + LSTM(32, {.last = true}) + Dense(5) + SoftmaxCE()> {};
/// @endcode
///
/// @see GRU, Recurrent, Bidirectional, docs/recurrence.md
struct LSTM : detail::RecurrentLayer<LSTM> {
    Extent units;              ///< Size of each state.
    RecurrentOptions options;  ///< Output, direction, bias and statefulness.

    /// Constructs the layer.
    /// @param units_  size of each state, at least 1. May be a named size.
    /// @param options_  output, direction, bias and statefulness

    constexpr explicit LSTM(Extent units_, RecurrentOptions options_ = {}) : units(units_), options(options_) {}
    /// @cond internal
    SIGMA_NO_OTHER(LSTM, Extent);

    static constexpr Text kind = "lstm";

    constexpr Tensor run(Context& context, detail::TensorOf auto x, const Tensor* mask) const {
        const Tensor w = parameter(context, {x.shape().last(), 4 * units}, "weights", glorot());
        const Tensor u = parameter(context, {units, 4 * units}, "recurrent_weights", orthogonal());
        const Tensor z =
            detail::biased(context, options.bias, dot(detail::masked_sequence(x, mask), w), detail::forget_gate_open());
        const auto cell = [&](Tensor now, Tensor h, Tensor c) {
            const Tensor all = now + dot(h, u);
            const Tensor i = sigmoid(detail::gate(all, 0, units)), f = sigmoid(detail::gate(all, 1, units));
            const Tensor g = tanh(detail::gate(all, 2, units)), o = sigmoid(detail::gate(all, 3, units));
            const Tensor kept = f * c;
            const Tensor next = kept + i * g;
            return std::array{o * tanh(next), next};
        };
        return detail::recur(context, z, units, options, cell, std::array{Text{"h_state"}, Text{"c_state"}}, mask);
    }
    /// @endcond
};

/// Two copies of a recurrent layer, one in each direction, with separate parameters. Their outputs stand side by side.
/// @tparam L  type of the layer: `Recurrent`, `GRU` or `LSTM`
///
/// @par Shape
/// Input (batch, time, features). Output (batch, time, 2·units), or (batch, 2·units) if `last` of the layer is true.
///
/// @par Parameters of the network
/// those of the layer twice, under "forwards" and "backwards": `"1-bidirectional.forwards.weights"`.
///
/// @par Errors
/// those of the layer.
///
/// @par Example
/// @code
/// struct Classifier : Network<Input(50, 8) + Bidirectional(LSTM(32, {.last = true})) + Dense(5) + SoftmaxCE()> {};
/// @endcode
///
/// @see LSTM, GRU, Recurrent
template <class L>
    requires detail::is_recurrent<L>
struct Bidirectional : Layer {
    L layer;  ///< Layer that is used in both directions. Its option `backwards` is ignored.

    /// Constructs the layer.
    /// @param layer_  a recurrent layer
    constexpr explicit Bidirectional(L layer_) : layer(layer_) {}

    /// @cond internal

    static constexpr Text kind = "bidirectional";
    static constexpr void each_size(auto& self, auto f) { L::each_size(self.layer, f); }

    constexpr L directed(bool backwards) const {
        L l = layer;
        l.options.backwards = backwards;
        return l;
    }
    constexpr Tensor forward(Context& context, Tensor x) const { return both(context, x); }
    constexpr Tensor forward(Context& context, Tensor x, Tensor mask) const { return both(context, x, mask); }
    /// @endcond

private:
    constexpr Tensor both(Context& context, auto... x) const {
        const Tensor ahead = inner(directed(false), context, "forwards", x...);
        const Tensor back = inner(directed(true), context, "backwards", x...);
        return concatenate(axis(-1), ahead, back);
    }
};

}  // namespace sigma
