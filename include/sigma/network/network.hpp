// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Compile-time networks: `Network` and the concepts of networks. Included by `<sigma/sigma.hpp>`.
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

/// Names the mistake of a value for a size that the network does not have. `Names` are the sizes of the network.
template <class Given, class... Names>
struct error_network_has_no_size;

namespace detail {

/// A value for one of a network's named sizes. `Names` are the sizes of the network.
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

/// Counts of the parts of a network: parameters, layers, states, inputs, costs, hyperparameters.
struct NetworkSize {
    int parameters = 0, layers = 0, states = 0, inputs = 0, costs = 0, hyperparameters = 0;

    constexpr bool fits(const NetworkSize& room) const {
        return parameters <= room.parameters && layers <= room.layers && states <= room.states &&
               inputs <= room.inputs && costs <= room.costs && hyperparameters <= room.hyperparameters;
    }
};
/// Facts of a network in arrays with `room` elements.
template <NetworkSize room>
struct BoundedFacts {
    Refusal refusal{};
    SizeNames sizes{};
    NetworkSize size{};  ///< Counts of the network. They may exceed `room`; the arrays are empty then.
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
/// The facts of a network's trace as static data. The counts are known only after tracing, but the sizes of the arrays
/// are part of a type. To trace most networks only once, the facts are first stored in arrays that are large enough for
/// most networks, and then copied to arrays of the exact size.
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

/// The base class of a compile-time network. Write `Network`, which chooses this class or `NamedNetworkOf`.
///
/// @tparam expression_  the layers and the loss, such as `Input(784) + Dense(10) + SoftmaxCE()`
/// @see Network
template <auto expression_>
struct NetworkOf {
    static constexpr const auto& expression = expression_;  ///< The expression of the network.
    /// @cond internal
    static constexpr auto records = detail::NetworkRecordsOf<expression_>::fitted();

    /// @endcond

    /// Numbers of inputs and of losses (costs).
    static constexpr int input_count = records.size.inputs, cost_count = records.size.costs;
    /// @cond internal
    template <int count, class F>
    static constexpr std::array<Shape, static_cast<std::size_t>(count)> shapes(F of) {
        std::array<Shape, static_cast<std::size_t>(count)> all{};
        for (int i = 0; i < count; ++i) all[static_cast<std::size_t>(i)] = of(i);
        return all;
    }
    /// @endcond
    /// Shapes of all inputs. The first axis of each shape, and of the shapes below, is the batch.
    static constexpr auto inputs = shapes<input_count>([](int i) { return records.inputs[i]; });
    /// Shapes of the targets of all losses.
    static constexpr auto targets = shapes<cost_count>([](int i) { return records.costs[i].target; });
    /// Shapes of the predictions of all losses, as `Model::predict` returns them.
    static constexpr auto predictions = shapes<cost_count>([](int i) { return records.costs[i].prediction; });
    /// Shape of input `i`.
    template <int i>
    static constexpr Shape input_shape = records.inputs[i];
    static constexpr Shape input = records.inputs[0];         ///< Shape of the first input.
    static constexpr Shape output = records.costs[0].output;  ///< Shape of the first loss's input.
    static constexpr Shape target = records.costs[0].target;  ///< Shape of the first loss's targets.
};

namespace detail {

template <auto expression, class Numbers = std::make_integer_sequence<int, NetworkRecordsOf<expression>::sizes.count>>
struct NamesOfSizes;
template <auto expression, int... i>
struct NamesOfSizes<expression, std::integer_sequence<int, i...>> {
    using Given = OneOfTheSizes<typename SpelledText<*NetworkRecordsOf<expression>::sizes.names[i]>::type...>;
};

}  // namespace detail

/// The base class of a network with named sizes. Write `Network`, which chooses this class or `NetworkOf`.
///
/// An object holds the values of the sizes: `Table{dim<"width"> = 300}`. The static facts of the class are traced with
/// a different prime number in place of each name.
///
/// @tparam expression_  the layers and the loss, with at least one size such as `dim<"width">`
/// @see Network, dim
template <auto expression_>
struct NamedNetworkOf {
    static constexpr const auto& expression = expression_;  ///< The expression of the network.
    /// @cond internal
    static constexpr auto records = detail::NetworkRecordsOf<expression_>::fitted();
    static constexpr const detail::SizeNames& named_sizes = detail::NetworkRecordsOf<expression_>::sizes;
    /// @endcond

    /// Numbers of inputs and of losses (costs).
    static constexpr int input_count = records.size.inputs, cost_count = records.size.costs;

    /// Values of the sizes: write `dim<"name"> = value` for each, in braces and in any order.
    typename detail::NamesOfSizes<expression_>::Given given[static_cast<std::size_t>(named_sizes.count)]{};
};

namespace detail {

/// The base class that an expression stands for: a network, or the type that names its first mistake. The mistake is
/// `const`, because g++ then prints the name of the mistake, and not the whole expression.
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
/// The base class of an expression without a loss: a network that only predicts.
template <auto expression, bool named>
    requires(NetworkRecordsOf<expression>::refusal.fault == &error_network_has_no_loss_layer)
struct NetworkOrMistake<expression, false, named> {
    static constexpr auto complete = expression + NoLoss();
    using Records = NetworkRecordsOf<complete>;
    using type =
        typename NetworkOrMistake<complete, Records::refusal.fault == nullptr, (Records::sizes.count > 0)>::type;
};

}  // namespace detail

/// A compile-time network, made from an expression of layers.
///
/// Derive a struct of your own from it. Errors, symbols and debuggers then show the short name of the struct. Shapes
/// are checked when the struct is compiled. If the expression is wrong, `Network` is an incomplete type with a name
/// that describes the mistake, and the struct does not compile. A network without a loss can only predict, see
/// `NoLoss`.
///
/// If a size has a name (`dim<"width">`), the network is completed when the program runs, see `network`.
///
/// @tparam expression  the inputs, layers and losses, joined by `+`
///
/// @par Example
/// @code
/// struct Classifier : Network<Input(28, 28) + Dense(64, relu) + Dense(10) + SoftmaxCE()> {};
/// Model<Classifier> classifier(42);  // parameters drawn with seed 42
/// @endcode
///
/// @see Model, DynamicNetwork, docs/networks.md
template <auto expression>
using Network =
    typename detail::NetworkOrMistake<expression, detail::NetworkRecordsOf<expression>::refusal.fault == nullptr,
                                      (detail::NetworkRecordsOf<expression>::sizes.count > 0)>::type;

class DynamicNetwork;

/// A network with named sizes, see `dim`. Its sizes are set when the program runs.
/// @see network
template <class N>
concept NamedNetwork = requires { N::named_sizes; };
/// A network with shapes that are known only when the program runs: a `DynamicNetwork`, or a network with named sizes.
/// @see DynamicNetwork
template <class N>
concept MadeNetwork = std::is_base_of_v<DynamicNetwork, N> || NamedNetwork<N>;
/// A compile-time network: all its shapes are known to the compiler.
/// @see Network
template <class N>
concept ConstantNetwork = requires {
    { N::input } -> std::convertible_to<Shape>;
    { N::target } -> std::convertible_to<Shape>;
    N::cost_count;
};
/// Any network: compile-time, run-time, or with named sizes.
/// @see Network, DynamicNetwork
template <class N>
concept AnyNetwork = ConstantNetwork<N> || MadeNetwork<N>;

namespace detail {

/// Stands for a number of inputs or costs that is known only when the program runs.
inline constexpr int when_run = -1;
/// Returns whether `given` may be the number, as far as the compiler knows the number (`count`).
constexpr bool may_be(int count, std::size_t given) {
    return count == when_run ? given > 0 : static_cast<std::size_t>(count) == given;
}
/// True if `given` arrays may be the inputs of the network together with the targets of its costs.
template <class N, std::size_t given>
inline constexpr bool may_take_records = N::input_count == when_run
                                             ? given > 1
                                             : static_cast<std::size_t>(N::input_count + N::cost_count) == given;
/// The type that holds one `X` for each input or cost: an array, or a vector if the number is known only when the
/// program runs.
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
/// The tables of a compile-time network.
template <ConstantNetwork N>
inline constexpr NetworkTable network_table = table_of_records<N>();
/// The tables of a network with named sizes, with a prime in place of each name.
template <NamedNetwork N>
inline constexpr NetworkTable primed_table = table_of_records<N>();

/// True if a prediction continues from the states that the previous one has left.
template <ConstantNetwork N>
inline constexpr bool remembers = N::records.size.states > 0;
/// True if predictions may continue from states. Always true for run-time networks: their tables decide.
template <AnyNetwork N>
inline constexpr bool may_remember = [] {
    if constexpr (MadeNetwork<N>) return true;
    else return remembers<N>;
}();
/// True if the network may have a loss. Always true for run-time networks: their tables decide.
template <class N>
inline constexpr bool may_judge = [] {
    if constexpr (ConstantNetwork<N>) return network_table<N>.judges();
    else if constexpr (NamedNetwork<N>) return primed_table<N>.judges();
    else return true;
}();
/// Returns the tables of a network. Named sizes are primes there.
template <AnyNetwork N>
const NetworkTable& table_of([[maybe_unused]] const N& network) {
    if constexpr (NamedNetwork<N>) return primed_table<N>;
    else if constexpr (MadeNetwork<N>) return network.made().table();
    else return network_table<N>;
}
}  // namespace detail

}  // namespace sigma
