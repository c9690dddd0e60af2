// SPDX-License-Identifier: BSL-1.0
#pragma once

/// @file
/// Networks as maps and tuples of Boost.Hana (libboost-dev), for compile-time code of your own. Include it yourself.
#if !__has_include(<boost/hana.hpp>)
#error "<sigma/hana.hpp> needs Boost.Hana: install libboost-dev, or add Boost's headers to the include path"
#endif
#include <sigma/core/array.hpp>
#include <sigma/core/text.hpp>
#include <sigma/data/pipeline/schema.hpp>
#include <sigma/network/model.hpp>
#include <sigma/network/network.hpp>

#include <boost/hana.hpp>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace sigma {

namespace detail {

/// Returns the layer of a parameter: the longest name before a dot of the parameter's name; -1 for none.
constexpr int layer_of_parameter(const NetworkTable& network, std::string_view parameter) {
    int found = -1, longest = 0;
    for (int i = 0; i < network.layers.size(); ++i) {
        const std::string_view name = network.layers[i].name.view();
        const auto size = static_cast<int>(name.size());
        if (size <= longest || !parameter.starts_with(name) || parameter.substr(name.size(), 1) != ".") continue;
        found = i, longest = size;
    }
    return found;
}

/// The tag of parts of networks in Hana.
struct PartTag {};

template <Text name, class Characters>
struct NameOf;
template <Text name, std::size_t... i>
struct NameOf<name, std::index_sequence<i...>> {
    using type = boost::hana::string<name.data[i]...>;
};

}  // namespace detail

}  // namespace sigma

namespace boost::hana {

/// Comparison of parts of networks: equal if they are the same part of the same network.
template <>
struct equal_impl<sigma::detail::PartTag, sigma::detail::PartTag> {
    template <class X, class Y>
    static constexpr auto apply(const X&, const Y&) {
        return bool_c<std::is_same_v<X, Y>>;
    }
};

}  // namespace boost::hana

namespace sigma {

/// A text as a hana::string, the keys of the maps. BOOST_HANA_STRING("1-dense.weights") finds a key.
/// @tparam name  the text
///
/// @see parameters
template <Text name>
inline constexpr
    typename detail::NameOf<name, std::make_index_sequence<static_cast<std::size_t>(name.size)>>::type hana_name{};

/// Layer `i` of a network, inputs first: an empty object with constants only.
/// @tparam N  type of the network
/// @tparam i  number of the layer, from 0
///
/// @see layers
template <class N, int i>
struct NetworkLayer {
    using hana_tag = detail::PartTag;                                                         ///< Tag for Hana.
    static constexpr int number = i;                                                          ///< Number of the layer.
    static constexpr Text name = detail::network_table<N>.layers[i].name;                     ///< Name: "1-dense".
    static constexpr Text kind = detail::network_table<N>.layers[i].kind;                     ///< Kind: "dense".
    static constexpr Shape output = detail::network_table<N>.layers[i].output;                ///< Shape of its output.
    static constexpr int parameter_elements = detail::network_table<N>.layers[i].parameters;  ///< Number of elements.

    /// Returns whether the layer has this tag. Its kind is one, too.
    /// @param tag  the tag
    static constexpr bool is(std::string_view tag) { return detail::network_table<N>.layers[i].is(tag); }
};
/// Parameter `i` of a network.
/// @tparam N  type of the network
/// @tparam i  number of the parameter, from 0
///
/// @see parameters
template <class N, int i>
struct NetworkParameter {
    using hana_tag = detail::PartTag;                                                ///< Tag for Hana.
    static constexpr int number = i;                                                 ///< Number of the parameter.
    static constexpr Text name = detail::network_table<N>.parameters[i].name;        ///< Name: "1-dense.weights".
    static constexpr Shape shape = detail::network_table<N>.parameters[i].shape;     ///< Shape.
    static constexpr bool trained = detail::network_table<N>.parameters[i].trained;  ///< False for statistics.
    /// Type of its layer.
    using Layer = NetworkLayer<N, detail::layer_of_parameter(detail::network_table<N>, name.view())>;
    static constexpr Layer layer{};  ///< Layer of the parameter.
};
/// Parameter `i` of a model, with its elements.
/// @tparam N  type of the network
/// @tparam i  number of the parameter, from 0
/// @tparam T  element type
///
/// @see parameters
template <class N, int i, class T>
struct ModelParameter : NetworkParameter<N, i> {
    ArrayView<T> elements;  ///< Elements in the model, as `model.parameter(i)` returns them.
    /// Constructs it.
    /// @param view  elements in the model
    constexpr explicit ModelParameter(ArrayView<T> view) : elements(view) {}
};
/// Input `i` of a network.
/// @tparam N  type of the network
/// @tparam i  number of the input, from 0
///
/// @see layers
template <class N, int i>
struct NetworkInput {
    using hana_tag = detail::PartTag;                           ///< Tag for Hana.
    static constexpr int number = i;                            ///< Number of the input.
    static constexpr Shape shape = N::template input_shape<i>;  ///< Shape of a batch.
};
/// Output `i` of a network: the input of its loss `i`, and the prediction.
/// @tparam N  type of the network
/// @tparam i  number of the cost, from 0
///
/// @see outputs
template <class N, int i>
struct NetworkOutput {
    using hana_tag = detail::PartTag;                                    ///< Tag for Hana.
    static constexpr int number = i;                                     ///< Number of the output.
    static constexpr Shape shape = N::records.costs[i].output;           ///< Shape of the input of the loss.
    static constexpr Shape prediction = N::records.costs[i].prediction;  ///< Shape of the prediction.
};
/// Cost `i` of a network.
/// @tparam N  type of the network
/// @tparam i  number of the cost, from 0
///
/// @see costs
template <class N, int i>
struct NetworkCost {
    using hana_tag = detail::PartTag;                                                     ///< Tag for Hana.
    static constexpr int number = i;                                                      ///< Number of the cost.
    static constexpr Text name = detail::network_table<N>.costs[i].name;                  ///< Name: "price".
    static constexpr Text kind = detail::network_table<N>.costs[i].kind;                  ///< Kind: "squared_diff".
    static constexpr Shape target = N::records.costs[i].target;                           ///< Shape of the targets.
    static constexpr double loss_weight = detail::network_table<N>.costs[i].loss_weight;  ///< Weight in the loss.
    static constexpr bool classifies = detail::network_table<N>.costs[i].classifies;      ///< True for class numbers.
};

namespace detail {

/// Returns make(f(0), f(1), …), with the numbers as constants.
template <int count, class Make, class F>
constexpr auto made_of(Make make, F f) {
    return [&]<int... i>(std::integer_sequence<int, i...>) {
        return make(f(std::integral_constant<int, i>{})...);
    }(std::make_integer_sequence<int, count>{});
}

}  // namespace detail

/// Returns a map from the names of the parameters, statistics and frozen ones included, to `NetworkParameter<N, i>`.
/// @tparam N  type of the network
/// @param network  the network, `Digits{}`
/// @par Example
/// @code{.txt}
/// constexpr auto all = parameters(Digits{});
/// constexpr auto shape = all[BOOST_HANA_STRING("1-dense.weights")].shape;
/// @endcode
///
/// @see NetworkParameter
template <ConstantNetwork N>
constexpr auto parameters([[maybe_unused]] N network) {
    return detail::made_of<detail::network_table<N>.parameters.size()>(boost::hana::make_map, [](auto i) {
        using P = NetworkParameter<N, i()>;
        return boost::hana::make_pair(hana_name<P::name>, P{});
    });
}
/// Returns a map from the names of the parameters to ModelParameter<N, i, T>, with elements that live as long as the
/// model.
/// @tparam N  type of the network
/// @tparam T  element type
/// @param model  the model
///
/// @see ModelParameter
template <ConstantNetwork N, class T>
auto parameters(Model<N, T>& model) {
    return detail::made_of<detail::network_table<N>.parameters.size()>(boost::hana::make_map, [&](auto i) {
        using P = ModelParameter<N, i(), T>;
        return boost::hana::make_pair(hana_name<P::name>, P(model.parameter(i())));
    });
}
/// Returns a tuple of the layers, `NetworkLayer<N, i>`, inputs first, in the order of computation.
/// @tparam N  type of the network
/// @param network  the network, `Digits{}`
///
/// @see NetworkLayer
template <ConstantNetwork N>
constexpr auto layers([[maybe_unused]] N network) {
    return detail::made_of<detail::network_table<N>.layers.size()>(boost::hana::make_tuple,
                                                                   [](auto i) { return NetworkLayer<N, i()>{}; });
}
inline namespace network_words {  // a namespace of its own, so that no parameter of that name shadows it
/// `inputs(network)` returns a tuple of `NetworkInput<N, i>`. It is data::inputs, so that both namespaces may be open.
using data::inputs;
}  // namespace network_words
/// Returns a tuple of the outputs, `NetworkOutput<N, i>`.
/// @tparam N  type of the network
/// @param network  the network, `Digits{}`
///
/// @see NetworkOutput
template <ConstantNetwork N>
constexpr auto outputs([[maybe_unused]] N network) {
    return detail::made_of<N::cost_count>(boost::hana::make_tuple, [](auto i) { return NetworkOutput<N, i()>{}; });
}
/// Returns a map from the names of the costs to `NetworkCost<N, i>`.
/// @tparam N  type of the network
/// @param network  the network, `Digits{}`
///
/// @see NetworkCost
template <ConstantNetwork N>
constexpr auto costs([[maybe_unused]] N network) {
    return detail::made_of<N::cost_count>(boost::hana::make_map, [](auto i) {
        using C = NetworkCost<N, i()>;
        return boost::hana::make_pair(hana_name<C::name>, C{});
    });
}
/// Returns the layers of a model's network, see `layers(network)`.
template <ConstantNetwork N, class T>
constexpr auto layers(const Model<N, T>&) {
    return layers(N{});
}
/// Returns the outputs of a model's network, see `outputs(network)`.
template <ConstantNetwork N, class T>
constexpr auto outputs(const Model<N, T>&) {
    return outputs(N{});
}
/// Returns the costs of a model's network, see `costs(network)`.
template <ConstantNetwork N, class T>
constexpr auto costs(const Model<N, T>&) {
    return costs(N{});
}

namespace data::detail {

template <>
struct Called<Text("inputs")> {
    template <ConstantNetwork N>
    static constexpr auto of(N) {
        return sigma::detail::made_of<N::input_count>(boost::hana::make_tuple,
                                                      [](auto i) { return NetworkInput<N, i()>{}; });
    }
    template <ConstantNetwork N, class T>
    static constexpr auto of(const Model<N, T>&) {
        return of(N{});
    }
};

}  // namespace data::detail

}  // namespace sigma
