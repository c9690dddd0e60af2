// SPDX-License-Identifier: BSL-1.0
#pragma once

// A network as maps and tuples of Boost.Hana (libboost-dev), for compile-time code of one's own.
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

/// The layer that a parameter belongs to: the longest name that stands before a dot of the parameter's; -1 for none.
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

/// What parts of networks are to Hana.
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

/// Comparable: two parts of networks are equal where they are the same part of the same network.
template <>
struct equal_impl<sigma::detail::PartTag, sigma::detail::PartTag> {
    template <class X, class Y>
    static constexpr auto apply(const X&, const Y&) {
        return bool_c<std::is_same_v<X, Y>>;
    }
};

}  // namespace boost::hana

namespace sigma {

/// A text as a hana::string, which is what maps have as keys: BOOST_HANA_STRING("1-dense.weights") finds it.
template <Text name>
inline constexpr
    typename detail::NameOf<name, std::make_index_sequence<static_cast<std::size_t>(name.size)>>::type hana_name{};

/// Layer `i` of a network, inputs first: an empty object, all of which is known while compiling.
template <class N, int i>
struct NetworkLayer {
    using hana_tag = detail::PartTag;
    static constexpr int number = i;
    static constexpr Text name = detail::network_table<N>.layers[i].name;  ///< "1-dense"
    static constexpr Text kind = detail::network_table<N>.layers[i].kind;  ///< "dense"
    static constexpr Shape output = detail::network_table<N>.layers[i].output;
    static constexpr int parameter_elements = detail::network_table<N>.layers[i].parameters;

    /// Has it this tag? Its kind is one.
    static constexpr bool is(std::string_view tag) { return detail::network_table<N>.layers[i].is(tag); }
};
/// Parameter `i` of a network.
template <class N, int i>
struct NetworkParameter {
    using hana_tag = detail::PartTag;
    static constexpr int number = i;
    static constexpr Text name = detail::network_table<N>.parameters[i].name;  ///< "1-dense.weights"
    static constexpr Shape shape = detail::network_table<N>.parameters[i].shape;
    static constexpr bool trained = detail::network_table<N>.parameters[i].trained;
    using Layer = NetworkLayer<N, detail::layer_of_parameter(detail::network_table<N>, name.view())>;
    static constexpr Layer layer{};
};
/// The same with its elements in a model, as `model.parameter(i)` gives them.
template <class N, int i, class T>
struct ModelParameter : NetworkParameter<N, i> {
    ArrayView<T> elements;
    constexpr explicit ModelParameter(ArrayView<T> view) : elements(view) {}
};
/// Input `i` of a network.
template <class N, int i>
struct NetworkInput {
    using hana_tag = detail::PartTag;
    static constexpr int number = i;
    static constexpr Shape shape = N::template input_shape<i>;
};
/// Output `i` of a network: what its loss `i` gets, and what a prediction shows.
template <class N, int i>
struct NetworkOutput {
    using hana_tag = detail::PartTag;
    static constexpr int number = i;
    static constexpr Shape shape = N::records.costs[i].output;
    static constexpr Shape prediction = N::records.costs[i].prediction;
};
/// Cost `i` of a network.
template <class N, int i>
struct NetworkCost {
    using hana_tag = detail::PartTag;
    static constexpr int number = i;
    static constexpr Text name = detail::network_table<N>.costs[i].name;  ///< "price", "5-squared_diff"
    static constexpr Text kind = detail::network_table<N>.costs[i].kind;  ///< "squared_diff"
    static constexpr Shape target = N::records.costs[i].target;
    static constexpr double loss_weight = detail::network_table<N>.costs[i].loss_weight;
    static constexpr bool classifies = detail::network_table<N>.costs[i].classifies;
};

namespace detail {

/// make(f(0), f(1), …), of numbers as constants.
template <int count, class Make, class F>
constexpr auto made_of(Make make, F f) {
    return [&]<int... i>(std::integer_sequence<int, i...>) {
        return make(f(std::integral_constant<int, i>{})...);
    }(std::make_integer_sequence<int, count>{});
}

}  // namespace detail

/// Name → NetworkParameter<N, i>, statistics and what is frozen among them: parameters(Digits{}).
template <ConstantNetwork N>
constexpr auto parameters(N) {
    return detail::made_of<detail::network_table<N>.parameters.size()>(boost::hana::make_map, [](auto i) {
        using P = NetworkParameter<N, i()>;
        return boost::hana::make_pair(hana_name<P::name>, P{});
    });
}
/// Name → ModelParameter<N, i, T>, whose elements are the model's: they live as long as it does.
template <ConstantNetwork N, class T>
auto parameters(Model<N, T>& model) {
    return detail::made_of<detail::network_table<N>.parameters.size()>(boost::hana::make_map, [&](auto i) {
        using P = ModelParameter<N, i(), T>;
        return boost::hana::make_pair(hana_name<P::name>, P(model.parameter(i())));
    });
}
/// The layers as a tuple of NetworkLayer<N, i>, inputs first, in the order in which they compute.
template <ConstantNetwork N>
constexpr auto layers(N) {
    return detail::made_of<detail::network_table<N>.layers.size()>(boost::hana::make_tuple,
                                                                   [](auto i) { return NetworkLayer<N, i()>{}; });
}
inline namespace network_words {  // of its own, so that no parameter of that name shadows it
/// `inputs(n)`, a tuple of NetworkInput<N, i>: the word of data, so that both namespaces may be open.
using data::inputs;
}  // namespace network_words
/// A tuple of NetworkOutput<N, i>.
template <ConstantNetwork N>
constexpr auto outputs(N) {
    return detail::made_of<N::cost_count>(boost::hana::make_tuple, [](auto i) { return NetworkOutput<N, i()>{}; });
}
/// Name → NetworkCost<N, i>.
template <ConstantNetwork N>
constexpr auto costs(N) {
    return detail::made_of<N::cost_count>(boost::hana::make_map, [](auto i) {
        using C = NetworkCost<N, i()>;
        return boost::hana::make_pair(hana_name<C::name>, C{});
    });
}
template <ConstantNetwork N, class T>
constexpr auto layers(const Model<N, T>&) {
    return layers(N{});
}
template <ConstantNetwork N, class T>
constexpr auto outputs(const Model<N, T>&) {
    return outputs(N{});
}
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
