// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/activation.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/tape/scan.hpp>

#include <array>

namespace sigma {

inline constexpr Fault error_recurrent_units_must_be_positive{"recurrent layer: units must be positive"};

/// What recurrent layers share. They take sequences (batch, time, features) and give (batch, time, units).
struct RecurrentOptions {
    bool last = false;       ///< only what stands after the last step: (batch, units)
    bool backwards = false;  ///< from the last position to the first
    bool bias = true;
    /// Predictions go on, record by record, from the states in which the prediction before has ended;
    /// `model.forget()` begins anew. Evaluation begins every record with zeros, and so does training, but for
    /// `train_on_next_batch` of a BatchTrainer.
    bool stateful = false;
};
namespace detail {

template <class L>
inline constexpr bool is_recurrent = requires(L layer) {
    layer.options.backwards;
    layer.units;
};

/// Has the layer units, and is that a sequence?
constexpr bool recurs(Tensor x, int units) {
    if (units < 1) x.refused(error_recurrent_units_must_be_positive, {units_given, units});
    else if (x.shape().rank != 3) x.refused(error_layer_does_not_accept, {input_is, x.shape()});
    else return true;
    return false;
}
constexpr Tensor biased(Context& context, bool bias, Tensor z, Initializer initializer = zeros) {
    return bias ? z + parameter(context, Shape{z.shape().last()}, "biases", initializer) : z;
}
/// The part of a pre-activation, (batch, parts · units), that one gate takes.
constexpr Tensor gate(Tensor z, int part, int units) { return slice(z, axis(1), part * units, (part + 1) * units); }

/// Runs `cell(z, states...)`, which returns the next states, over a sequence z, and keeps the first state. A mask
/// (batch, time) tells by 0 where a sequence has no value: there a step leaves the states as they were.
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

}  // namespace detail

SIGMA_OPTIONS(Recurrent, options_are<struct last, struct backwards, struct bias, struct stateful>)

/// Simple recurrence (Elman 1990): h(t) = activation(x(t)·W + h(t−1)·U + b), h before the first step 0. W (features,
/// units), U (units, units), b (units).
struct Recurrent : Layer {
    Extent units;
    detail::Activation activation{tanh};
    RecurrentOptions options;

    constexpr explicit Recurrent(Extent units_, RecurrentOptions o = {}) : units(units_), options(o) {}
    constexpr Recurrent(Extent units_, detail::Activation a, RecurrentOptions o = {})
        : units(units_), activation(a), options(o) {}
    SIGMA_NO_OTHER(Recurrent, Extent);

    static constexpr Text kind = "recurrent";
    static constexpr void each_size(auto& self, auto f) { f(self.units); }

    constexpr Tensor forward(Context& context, detail::TensorOf auto x) const { return run(context, x, nullptr); }
    constexpr Tensor forward(Context& context, detail::TensorOf auto x, Tensor mask) const {
        return run(context, x, &mask);
    }

private:
    constexpr Tensor run(Context& context, detail::TensorOf auto x, const Tensor* mask) const {
        if (!detail::recurs(x, units)) return x;
        const Tensor w = parameter(context, {x.shape().last(), units}, "weights", glorot());
        const Tensor u = parameter(context, {units, units}, "recurrent_weights", orthogonal());
        const Tensor z = detail::biased(context, options.bias, dot(detail::masked_sequence(x, mask), w));
        const auto cell = [&](Tensor now, Tensor h) { return activation(now + dot(h, u)); };
        return detail::recur(context, z, units, options, cell, std::array{Text{"h_state"}}, mask);
    }
};

SIGMA_OPTIONS(GRU, Recurrent)

/// Gated recurrent unit (Cho et al. 2014, with the reset gate applied after the product as in libtorch and cuDNN): from
/// z = x(t)·W + b and a = h(t−1)·U in three parts,   r = σ(z₁ + a₁), u = σ(z₂ + a₂), n = tanh(z₃ + r·(a₃ + b')),
/// h(t) = (1 − u)·n + u·h(t−1).   W (features, 3·units), U (units, 3·units), b (3·units), b' (units).
struct GRU : Layer {
    Extent units;
    RecurrentOptions options;

    constexpr explicit GRU(Extent units_, RecurrentOptions o = {}) : units(units_), options(o) {}
    SIGMA_NO_OTHER(GRU, Extent);

    static constexpr Text kind = "gru";
    static constexpr void each_size(auto& self, auto f) { f(self.units); }

    constexpr Tensor forward(Context& context, detail::TensorOf auto x) const { return run(context, x, nullptr); }
    constexpr Tensor forward(Context& context, detail::TensorOf auto x, Tensor mask) const {
        return run(context, x, &mask);
    }

private:
    constexpr Tensor run(Context& context, detail::TensorOf auto x, const Tensor* mask) const {
        if (!detail::recurs(x, units)) return x;
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
};

namespace detail {
/// 1 for the forget gate (Gers et al. 2000), so that memory lasts before anything is learned; 0 for the others.
constexpr Initializer forget_gate_open() {
    return custom([](const ElementIndex& at, const Shape& s, ElementRandom&) {
        return static_cast<std::uint64_t>(at[0]) * 4 / static_cast<std::uint64_t>(s[0]) == 1 ? 1.0 : 0.0;
    });
}
}  // namespace detail

SIGMA_OPTIONS(LSTM, Recurrent)

/// Long short-term memory (Hochreiter and Schmidhuber 1997, with forget gates): from z = x(t)·W + h(t−1)·U + b in four
/// parts,   i = σ(z₁), f = σ(z₂), g = tanh(z₃), o = σ(z₄),   c(t) = f·c(t−1) + i·g,   h(t) = o·tanh(c(t)).
/// W (features, 4·units), U (units, 4·units), b (4·units), gates in the order i, f, g, o.
struct LSTM : Layer {
    Extent units;
    RecurrentOptions options;

    constexpr explicit LSTM(Extent units_, RecurrentOptions o = {}) : units(units_), options(o) {}
    SIGMA_NO_OTHER(LSTM, Extent);

    static constexpr Text kind = "lstm";
    static constexpr void each_size(auto& self, auto f) { f(self.units); }

    constexpr Tensor forward(Context& context, detail::TensorOf auto x) const { return run(context, x, nullptr); }
    constexpr Tensor forward(Context& context, detail::TensorOf auto x, Tensor mask) const {
        return run(context, x, &mask);
    }

private:
    constexpr Tensor run(Context& context, detail::TensorOf auto x, const Tensor* mask) const {
        if (!detail::recurs(x, units)) return x;
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
};

/// A recurrent layer twice, once in each direction, with parameters of their own; the results stand side by side:
/// (batch, time, 2·units), or (batch, 2·units) for a layer that gives its last state.
template <class L>
    requires detail::is_recurrent<L>
struct Bidirectional : Layer {
    L layer;

    constexpr explicit Bidirectional(L l) : layer(l) {}

    static constexpr Text kind = "bidirectional";
    static constexpr void each_size(auto& self, auto f) { L::each_size(self.layer, f); }

    constexpr L directed(bool backwards) const {
        L l = layer;
        l.options.backwards = backwards;
        return l;
    }
    constexpr Tensor forward(Context& context, Tensor x) const { return both(context, x); }
    constexpr Tensor forward(Context& context, Tensor x, Tensor mask) const { return both(context, x, mask); }

private:
    constexpr Tensor both(Context& context, auto... x) const {
        const Tensor ahead = inner(directed(false), context, "forwards", x...);
        const Tensor back = inner(directed(true), context, "backwards", x...);
        return concatenate(axis(-1), ahead, back);
    }
};

}  // namespace sigma
