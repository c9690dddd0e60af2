// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/activation.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/layer/errors.hpp>
#include <sigma/tape/scan.hpp>

#include <array>

namespace sigma {

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

template <int units>
constexpr auto check_units() {
    return MistakeIf<(units < 1), error_recurrent_units_must_be_positive<units_given<units>>>{};
}
template <bool bias, Shape S>
constexpr auto biased(Context& context, Tensor<S> z, Initializer initializer = zeros) {
    if constexpr (bias) return z + parameter<Shape{S.last()}>(context, "biases", initializer);
    else return z;
}

template <auto options>
inline constexpr Direction direction_of = options.backwards ? Direction::backwards : Direction::forwards;

/// What a step leaves where a mask is 0: the state as it was.
template <class Next, class Before>
constexpr auto where_given(auto mask, const Next& next, const Before& before) {
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
        return std::tuple{where(mask, std::get<i>(next), std::get<i>(before))...};
    }(std::make_index_sequence<std::tuple_size_v<Before>>{});
}
/// The part of a pre-activation, (batch, parts · units), that one gate takes.
template <int part, int units, Shape S>
constexpr auto gate(Tensor<S> z) {
    return slice<1, part * units, (part + 1) * units>(z);
}

/// Runs `cell(z, states...)`, which returns a tuple of the next states, over a sequence z, and keeps the first state. A
/// mask (batch, time) tells by 0 where a sequence has no value.
template <auto options, int units, class Cell, class Z, class... Mask>
constexpr auto recur(Context& context, Z z, Cell cell, auto names, Mask... mask) {
    const auto for_each_state = [&](auto f) {
        return [&]<std::size_t... i>(std::index_sequence<i...>) {
            return std::tuple{f(std::integral_constant<std::size_t, i>{})...};
        }(std::make_index_sequence<names.size()>{});
    };
    const auto initial = for_each_state([&](auto i) {
        const auto zero = filled<batch, units>(z, 0);
        if constexpr (options.stateful) return context.begin_carried(names[i], zero);
        else return zero;
    });
    const auto step = [&](auto now, auto... rest) {
        if constexpr (sizeof...(Mask) == 0) {
            return cell(now, rest...);
        } else {
            const auto all = std::tuple{rest...};
            return [&]<std::size_t... i>(std::index_sequence<i...>) {
                const auto before = std::tuple{std::get<i + 1>(all)...};
                const auto given = reshape<batch, 1>(std::get<0>(all));
                return where_given(given, std::apply([&](auto... state) { return cell(now, state...); }, before),
                                   before);
            }(std::make_index_sequence<sizeof...(rest) - 1>{});
        }
    };
    const auto all = as_tuple(scan<direction_of<options>>(std::tuple{z, mask...}, initial, step));
    if constexpr (options.stateful)
        for_each_state([&](auto i) {
            context.end_carried(last<direction_of<options>>(std::get<i>(all)));
            return nullptr;
        });
    if constexpr (options.last) return last<direction_of<options>>(std::get<0>(all));
    else return std::get<0>(all);
}

}  // namespace detail

/// Simple recurrence (Elman 1990): h(t) = activation(x(t)·W + h(t−1)·U + b), h before the first step 0. W (features,
/// units), U (units, units), b (units).
template <class Function = void>
struct Recurrent : Layer {
    int units;
    detail::Activation<Function> activation{ActivationKind::tanh};
    RecurrentOptions options;

    constexpr explicit Recurrent(int units_, RecurrentOptions o = {}) : units(units_), options(o) {}
    constexpr Recurrent(int units_, detail::Activation<Function> a, RecurrentOptions o = {})
        : units(units_), activation(a), options(o) {}

    static constexpr Text kind = "recurrent";

    static constexpr auto check(auto self) { return detail::check_units<self().units>(); }
    template <Shape S, class... Mask>
        requires(S.rank == 3)
    static constexpr auto forward(auto self, Context& context, Tensor<S> x, Mask... mask) {
        constexpr int units = self().units;
        const auto w = parameter<Shape{S.last(), units}>(context, "weights", glorot());
        const auto u = parameter<Shape{units, units}>(context, "recurrent_weights", orthogonal());
        const auto z = detail::biased<self().options.bias>(context, dot(detail::masked_sequence(x, mask...), w));
        const auto cell = [&](auto now, auto h) { return std::tuple{activated<self().activation>(now + dot(h, u))}; };
        return detail::recur<self().options, units>(context, z, cell, std::array<Text, 1>{Text{"h_state"}}, mask...);
    }
};
SIGMA_OPTIONS(Recurrent, options_are<struct last, struct backwards, struct bias, struct stateful>)
SIGMA_GUIDES(Recurrent, RecurrentOptions, int)

SIGMA_OPTIONS(GRU, Recurrent)

/// Gated recurrent unit (Cho et al. 2014, with the reset gate applied after the product as in libtorch and cuDNN): from
/// z = x(t)·W + b and a = h(t−1)·U in three parts,   r = σ(z₁ + a₁), u = σ(z₂ + a₂), n = tanh(z₃ + r·(a₃ + b')),
/// h(t) = (1 − u)·n + u·h(t−1).   W (features, 3·units), U (units, 3·units), b (3·units), b' (units).
struct GRU : Layer {
    int units;
    RecurrentOptions options;

    constexpr explicit GRU(int units_, RecurrentOptions o = {}) : units(units_), options(o) {}
    SIGMA_NO_OTHER(GRU, int);

    static constexpr Text kind = "gru";

    static constexpr auto check(auto self) { return detail::check_units<self().units>(); }
    template <Shape S, class... Mask>
        requires(S.rank == 3)
    static constexpr auto forward(auto self, Context& context, Tensor<S> x, Mask... mask) {
        constexpr int units = self().units;
        constexpr bool bias = self().options.bias;
        const auto w = parameter<Shape{S.last(), 3 * units}>(context, "weights", glorot());
        const auto recurrent = parameter<Shape{units, 3 * units}>(context, "recurrent_weights", orthogonal());
        const auto z = detail::biased<bias>(context, dot(detail::masked_sequence(x, mask...), w));
        const auto own = [&] {
            if constexpr (bias) return parameter<Shape{units}>(context, "recurrent_biases");
            else return filled<units>(x, 0);
        }();
        const auto cell = [&](auto now, auto h) {
            const auto a = dot(h, recurrent);
            const auto reset_now = detail::gate<0, units>(now), reset_before = detail::gate<0, units>(a);
            const auto r = sigmoid(reset_now + reset_before);
            const auto update_now = detail::gate<1, units>(now), update_before = detail::gate<1, units>(a);
            const auto u = sigmoid(update_now + update_before);
            const auto new_now = detail::gate<2, units>(now), new_before = detail::gate<2, units>(a);
            const auto n = tanh(new_now + r * (new_before + own));
            return std::tuple{n + u * (h - n)};
        };
        return detail::recur<self().options, units>(context, z, cell, std::array<Text, 1>{Text{"h_state"}}, mask...);
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
    int units;
    RecurrentOptions options;

    constexpr explicit LSTM(int units_, RecurrentOptions o = {}) : units(units_), options(o) {}
    SIGMA_NO_OTHER(LSTM, int);

    static constexpr Text kind = "lstm";

    static constexpr auto check(auto self) { return detail::check_units<self().units>(); }
    template <Shape S, class... Mask>
        requires(S.rank == 3)
    static constexpr auto forward(auto self, Context& context, Tensor<S> x, Mask... mask) {
        constexpr int units = self().units;
        const auto w = parameter<Shape{S.last(), 4 * units}>(context, "weights", glorot());
        const auto u = parameter<Shape{units, 4 * units}>(context, "recurrent_weights", orthogonal());
        const auto z = detail::biased<self().options.bias>(context, dot(detail::masked_sequence(x, mask...), w),
                                                           detail::forget_gate_open());
        const auto cell = [&](auto now, auto h, auto c) {
            const auto all = now + dot(h, u);
            const auto i = sigmoid(detail::gate<0, units>(all)), f = sigmoid(detail::gate<1, units>(all));
            const auto g = tanh(detail::gate<2, units>(all)), o = sigmoid(detail::gate<3, units>(all));
            const auto kept = f * c;
            const auto next = kept + i * g;
            return std::tuple{o * tanh(next), next};
        };
        return detail::recur<self().options, units>(context, z, cell,
                                                    std::array<Text, 2>{Text{"h_state"}, Text{"c_state"}}, mask...);
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

    constexpr L directed(bool backwards) const {
        L l = layer;
        l.options.backwards = backwards;
        return l;
    }
    static constexpr auto check(auto self) { return L::check(detail::Self<self().layer>{}); }
    template <Shape S, class... Mask>
        requires(S.rank == 3)
    static constexpr auto forward(auto self, Context& context, Tensor<S> x, Mask... mask) {
        const auto ahead = inner<self().directed(false)>(context, "forwards", x, mask...);
        const auto back = inner<self().directed(true)>(context, "backwards", x, mask...);
        return concatenate<-1>(ahead, back);
    }
};

}  // namespace sigma
