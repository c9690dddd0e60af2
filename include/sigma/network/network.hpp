// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/text.hpp>
#include <sigma/network/branches.hpp>
#include <sigma/network/costs.hpp>
#include <sigma/network/facts.hpp>
#include <sigma/network/table.hpp>
#include <sigma/plan/static_plan.hpp>

#include <array>
#include <concepts>
#include <type_traits>
#include <utility>

namespace sigma {

namespace detail {

/// How many there are of what a network consists of.
struct NetworkSize {
    int parameters = 0, layers = 0, states = 0, inputs = 0, costs = 0;

    constexpr bool fits(const NetworkSize& room) const {
        return parameters <= room.parameters && layers <= room.layers && states <= room.states &&
               inputs <= room.inputs && costs <= room.costs;
    }
};
template <NetworkSize room>
struct BoundedFacts {
    Refusal refusal{};
    NetworkSize size{};  ///< which may be more than there is room for
    StaticArray<ParameterRecord, room.parameters> parameters{};
    StaticArray<LayerRecord, room.layers> layers{};
    StaticArray<CarriedState, room.states> states{};
    StaticArray<CostRecord, room.costs> costs{};
    StaticArray<Shape, room.inputs> inputs{};
    StaticArray<IdInput, room.inputs> ids{};
    std::uint64_t fingerprint = 0;

    constexpr void take(const auto& from) {
        for (int i = 0; i < size.parameters; ++i) parameters.data[i] = from.parameters[i];
        for (int i = 0; i < size.layers; ++i) layers.data[i] = from.layers[i];
        for (int i = 0; i < size.states; ++i) states.data[i] = from.states[i];
        for (int i = 0; i < size.costs; ++i) costs.data[i] = from.costs[i];
        for (int i = 0; i < size.inputs; ++i) inputs.data[i] = from.inputs[i];
        for (int i = 0; i < size.inputs; ++i) ids.data[i] = from.ids[i];
        fingerprint = from.fingerprint;
    }
};
/// What a network's trace says, as static data. How much that is is known when it has been traced, but must be in a
/// type. To trace it once only, it is put where that of most networks has room, and from there into what fits.
template <auto expression>
struct NetworkRecordsOf {
    template <NetworkSize room>
    static constexpr BoundedFacts<room> make() {
        const NetworkFacts f = network_facts(expression);
        BoundedFacts<room> to;
        to.refusal = f.refusal;
        to.size = {f.parameters.size(), f.layers.size(), f.states.size(), f.inputs.size(), f.costs.size()};
        if (to.size.fits(room)) to.take(f);
        return to;
    }
    static constexpr NetworkSize most{48, 48, 4, 2, 2};
    static constexpr BoundedFacts<most> bounded = make<most>();
    static constexpr const Refusal& refusal = bounded.refusal;
    static constexpr NetworkSize size = bounded.size;
    static constexpr BoundedFacts<size> fitted() {
        if constexpr (size.fits(most)) {
            BoundedFacts<size> to;
            to.size = size;
            to.take(bounded);
            return to;
        } else {
            return make<size>();
        }
    }
};

}  // namespace detail

/// What a network is made of; users write `Network`. Shapes without a number are those of the first input and cost.
template <auto expression_>
struct NetworkOf {
    static constexpr const auto& expression = expression_;
    static constexpr auto records = detail::NetworkRecordsOf<expression_>::fitted();

    static constexpr int input_count = records.size.inputs, cost_count = records.size.costs;
    template <int count, class F>
    static constexpr std::array<Shape, static_cast<std::size_t>(count)> shapes(F of) {
        std::array<Shape, static_cast<std::size_t>(count)> all{};
        for (int i = 0; i < count; ++i) all[static_cast<std::size_t>(i)] = of(i);
        return all;
    }
    static constexpr auto inputs = shapes<input_count>([](int i) { return records.inputs[i]; });
    static constexpr auto targets = shapes<cost_count>([](int i) { return records.costs[i].target; });
    static constexpr auto predictions = shapes<cost_count>([](int i) { return records.costs[i].prediction; });
    template <int i>
    static constexpr Shape input_shape = records.inputs[i];
    static constexpr Shape input = records.inputs[0];
    static constexpr Shape output = records.costs[0].output;
    static constexpr Shape target = records.costs[0].target;
};

namespace detail {

/// What an expression stands for: a network, or its first mistake; `const`, since g++ then names it as a base by its
/// own name, and not by all of the expression that stands for it.
template <auto expression, bool fine>
struct NetworkOrMistake {
    using type = NetworkOf<expression>;
};
template <auto expression>
struct NetworkOrMistake<expression, false> {
    using type = const typename SpelledRefusal<NetworkRecordsOf<expression>>::type;
};

}  // namespace detail

/// A network from its expression, `struct Digits : Network<Input(784) + Dense(10) + SoftmaxCE()> {};`, always under a
/// name of its own: errors, symbols and debuggers then say `Digits`. A wrong expression does not compile: it stands for
/// a type that is declared only and whose name says what is wrong.
template <auto expression>
using Network =
    typename detail::NetworkOrMistake<expression, detail::NetworkRecordsOf<expression>::refusal.fault == nullptr>::type;

template <class N>
concept AnyNetwork = requires {
    { N::input } -> std::convertible_to<Shape>;
    { N::target } -> std::convertible_to<Shape>;
    N::cost_count;
};

namespace detail {

/// The network as data.
template <AnyNetwork N>
inline constexpr NetworkTable network_table{{N::records.parameters.data, N::records.size.parameters},
                                            {N::records.layers.data, N::records.size.layers},
                                            {N::records.costs.data, N::cost_count},
                                            {N::records.inputs.data, N::input_count},
                                            {N::records.ids.data, N::input_count},
                                            {N::records.states.data, N::records.size.states},
                                            N::records.fingerprint};

/// Does a prediction go on from the one before?
template <AnyNetwork N>
inline constexpr bool remembers = N::records.size.states > 0;

}  // namespace detail

}  // namespace sigma
