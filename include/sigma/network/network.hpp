// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/text.hpp>
#include <sigma/layer/input.hpp>
#include <sigma/network/branches.hpp>
#include <sigma/network/costs.hpp>
#include <sigma/network/facts.hpp>
#include <sigma/network/table.hpp>
#include <sigma/plan/static_plan.hpp>

#include <array>
#include <concepts>
#include <type_traits>
#include <utility>
#include <vector>

namespace sigma {

/// A value for a size that the network has not, and the names of those that it has.
template <class Given, class... Names>
struct error_network_has_no_size;

namespace detail {

/// A value that is given for one of a network's sizes, whose names these are.
template <class... Names>
struct OneOfTheSizes : SizeGiven {
    constexpr OneOfTheSizes() = default;
    template <Text name, class Given = typename SpelledText<name>::type>
        requires(std::is_same_v<Given, Names> || ...)
    constexpr OneOfTheSizes(const value_of_size<name>& v) : SizeGiven{v} {}
    template <Text name, class Given = typename SpelledText<name>::type>
        requires(!(std::is_same_v<Given, Names> || ...))
    constexpr OneOfTheSizes(const value_of_size<name>&, error_network_has_no_size<Given, Names...> = {});
};

/// How many there are of what a network consists of.
struct NetworkSize {
    int parameters = 0, layers = 0, states = 0, inputs = 0, costs = 0, hyperparameters = 0;

    constexpr bool fits(const NetworkSize& room) const {
        return parameters <= room.parameters && layers <= room.layers && states <= room.states &&
               inputs <= room.inputs && costs <= room.costs && hyperparameters <= room.hyperparameters;
    }
};
template <NetworkSize room>
struct BoundedFacts {
    Refusal refusal{};
    SizeNames sizes{};
    NetworkSize size{};  ///< which may be more than there is room for
    StaticArray<ParameterRecord, room.parameters> parameters{};
    StaticArray<LayerRecord, room.layers> layers{};
    StaticArray<CarriedState, room.states> states{};
    StaticArray<CostRecord, room.costs> costs{};
    StaticArray<HyperparameterRecord, room.hyperparameters> hyperparameters{};
    StaticArray<Shape, room.inputs> inputs{};
    StaticArray<IdInput, room.inputs> ids{};
    std::uint64_t fingerprint = 0;

    constexpr void take(const auto& from) {
        for (int i = 0; i < size.parameters; ++i) parameters.data[i] = from.parameters[i];
        for (int i = 0; i < size.layers; ++i) layers.data[i] = from.layers[i];
        for (int i = 0; i < size.states; ++i) states.data[i] = from.states[i];
        for (int i = 0; i < size.costs; ++i) costs.data[i] = from.costs[i];
        for (int i = 0; i < size.hyperparameters; ++i) hyperparameters.data[i] = from.hyperparameters[i];
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
        to.refusal = f.refusal, to.sizes = f.sizes;
        to.size = {f.parameters.size(), f.layers.size(), f.states.size(),
                   f.inputs.size(),     f.costs.size(),  f.hyperparameters.size()};
        if (to.size.fits(room)) to.take(f);
        return to;
    }
    static constexpr NetworkSize most{48, 48, 4, 2, 2, 4};
    static constexpr BoundedFacts<most> bounded = make<most>();
    static constexpr const Refusal& refusal = bounded.refusal;
    static constexpr const SizeNames& sizes = bounded.sizes;
    static constexpr NetworkSize size = bounded.size;
    static constexpr BoundedFacts<size> fitted() {
        if constexpr (size.fits(most)) {
            BoundedFacts<size> to;
            to.size = size, to.sizes = sizes;
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

template <auto expression, class Numbers = std::make_integer_sequence<int, NetworkRecordsOf<expression>::sizes.count>>
struct NamesOfSizes;
template <auto expression, int... i>
struct NamesOfSizes<expression, std::integer_sequence<int, i...>> {
    using Given = OneOfTheSizes<typename SpelledText<*NetworkRecordsOf<expression>::sizes.names[i]>::type...>;
};

}  // namespace detail

/// A network some of whose sizes have a name; users write `Network`. What is known of it here is for the primes that
/// stand for the names. An object of it has values for them: `Table{dim<"width"> = 300}`.
template <auto expression_>
struct NamedNetworkOf {
    static constexpr const auto& expression = expression_;
    static constexpr auto records = detail::NetworkRecordsOf<expression_>::fitted();
    static constexpr const detail::SizeNames& named_sizes = detail::NetworkRecordsOf<expression_>::sizes;
    static constexpr int input_count = records.size.inputs, cost_count = records.size.costs;

    typename detail::NamesOfSizes<expression_>::Given given[static_cast<std::size_t>(named_sizes.count)]{};
};

namespace detail {

/// What an expression stands for: a network, or its first mistake; `const`, since g++ then names it as a base by its
/// own name, and not by all of the expression that stands for it.
template <auto expression, bool fine, bool named>
struct NetworkOrMistake {
    using type = NetworkOf<expression>;
};
template <auto expression>
struct NetworkOrMistake<expression, true, true> {
    using type = NamedNetworkOf<expression>;
};
template <auto expression, bool named>
struct NetworkOrMistake<expression, false, named> {
    using type = const typename SpelledRefusal<NetworkRecordsOf<expression>>::type;
};
/// One that only predicts.
template <auto expression, bool named>
    requires(NetworkRecordsOf<expression>::refusal.fault == &error_network_has_no_loss_layer)
struct NetworkOrMistake<expression, false, named> {
    static constexpr auto complete = expression + NoLoss();
    using Records = NetworkRecordsOf<complete>;
    using type =
        typename NetworkOrMistake<complete, Records::refusal.fault == nullptr, (Records::sizes.count > 0)>::type;
};

}  // namespace detail

/// A network from its expression, `struct Digits : Network<Input(784) + Dense(10) + SoftmaxCE()> {};`, always under a
/// name of its own: errors, symbols and debuggers then say `Digits`. A wrong expression does not compile: it stands for
/// a type that is declared only and whose name says what is wrong. One without a loss predicts only, see `NoLoss`.
template <auto expression>
using Network =
    typename detail::NetworkOrMistake<expression, detail::NetworkRecordsOf<expression>::refusal.fault == nullptr,
                                      (detail::NetworkRecordsOf<expression>::sizes.count > 0)>::type;

class DynamicNetwork;

/// One with sizes that have names, see `dim`: it is made while the program runs, too.
template <class N>
concept NamedNetwork = requires { N::named_sizes; };
/// One that is made while the program runs, see dynamic_network.hpp: of which shapes only its tables say.
template <class N>
concept MadeNetwork = std::is_base_of_v<DynamicNetwork, N> || NamedNetwork<N>;
/// One that is a constant of the compiler's.
template <class N>
concept ConstantNetwork = requires {
    { N::input } -> std::convertible_to<Shape>;
    { N::target } -> std::convertible_to<Shape>;
    N::cost_count;
};
template <class N>
concept AnyNetwork = ConstantNetwork<N> || MadeNetwork<N>;

namespace detail {

/// Inputs, or costs, of a network whose number nobody knows before it runs.
inline constexpr int when_run = -1;
/// Could it be so many?
constexpr bool may_be(int count, std::size_t given) {
    return count == when_run ? given > 0 : static_cast<std::size_t>(count) == given;
}
/// Could so many arrays be its inputs and the targets of its costs?
template <class N, std::size_t given>
inline constexpr bool may_take_records = N::input_count == when_run
                                             ? given > 1
                                             : static_cast<std::size_t>(N::input_count + N::cost_count) == given;
/// So many of these, or as many as there are.
template <class X, int count>
struct EachOf {
    using type = std::array<X, static_cast<std::size_t>(count)>;
    static type make(int) { return {}; }
};
template <class X>
struct EachOf<X, when_run> {
    using type = std::vector<X>;
    static type make(int number) { return type(static_cast<std::size_t>(number)); }
};

template <class N>
constexpr NetworkTable table_of_records() {
    return {{N::records.parameters.data, N::records.size.parameters},
            {N::records.layers.data, N::records.size.layers},
            {N::records.costs.data, N::cost_count},
            {N::records.inputs.data, N::input_count},
            {N::records.ids.data, N::input_count},
            {N::records.states.data, N::records.size.states},
            N::records.fingerprint,
            {N::records.hyperparameters.data, N::records.size.hyperparameters}};
}
/// The network as data.
template <ConstantNetwork N>
inline constexpr NetworkTable network_table = table_of_records<N>();
/// The same with primes for the sizes that have names.
template <NamedNetwork N>
inline constexpr NetworkTable primed_table = table_of_records<N>();

/// Does a prediction go on from the one before?
template <ConstantNetwork N>
inline constexpr bool remembers = N::records.size.states > 0;
/// Of networks made while the program runs their tables say.
template <AnyNetwork N>
inline constexpr bool may_remember = [] {
    if constexpr (MadeNetwork<N>) return true;
    else return remembers<N>;
}();
/// Has it a loss, or do only its tables know?
template <class N>
inline constexpr bool may_judge = [] {
    if constexpr (ConstantNetwork<N>) return network_table<N>.judges();
    else if constexpr (NamedNetwork<N>) return primed_table<N>.judges();
    else return true;
}();
/// The network as data, with primes where it has names of sizes.
template <AnyNetwork N>
const NetworkTable& table_of([[maybe_unused]] const N& network) {
    if constexpr (NamedNetwork<N>) return primed_table<N>;
    else if constexpr (MadeNetwork<N>) return network.made().table();
    else return network_table<N>;
}
}  // namespace detail

}  // namespace sigma
