// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Pictures and tables of networks: graphviz, summary. Included by `<sigma/sigma.hpp>`.
#include <sigma/network/edges.hpp>
#include <sigma/network/model.hpp>
#include <sigma/network/network.hpp>

#include <cstddef>
#include <string>

namespace sigma {

namespace detail {

/// The edges of a compile-time network as static data. The compiler finds them, because a trace at run time would need
/// much code for one table.
template <class N>
struct NetworkGraph {
    static constexpr int layers = N::records.size.layers, nodes = layers + N::cost_count;
    struct Found {
        StaticArray<char, layers * nodes> reads{};
        StaticArray<long long, layers> multiply_adds{};
    };
    static constexpr Found make() {
        Found result;
        find_edges(network_facts(N::expression), result.reads.data, result.multiply_adds.data);
        return result;
    }
    static constexpr Found found = make();

    static constexpr GraphTable table{{found.reads.data, found.reads.size()}, {found.multiply_adds.data, layers}};

    static constexpr bool reads(int reader, int read) { return table.reads(reader, read); }
    static constexpr bool is_chain() { return table.is_chain(); }
};

template <AnyNetwork N>
const GraphTable& graph_of([[maybe_unused]] const N& network) {
    if constexpr (MadeNetwork<N>) return network.made().graph();
    else return NetworkGraph<N>::table;
}

std::string graphviz(const NetworkTable& network, const GraphTable& graph);

}  // namespace detail

/// Returns a picture of a compile-time network in the language of Graphviz. Render it by `dot -Tsvg`.
///
/// Layers are boxes with the shape of their output, losses are ellipses. Edges are found on the tape, so layers and
/// functions of your own appear correctly.
///
/// @tparam N  the network
/// @return the text of a DOT file
///
/// @par Example
/// @code
/// std::string dot = graphviz<Digits>();
/// @endcode
///
/// @see summary, tape_graphviz
template <ConstantNetwork N>
std::string graphviz() {
    return detail::graphviz(detail::network_table<N>, detail::NetworkGraph<N>::table);
}
/// Returns a picture of a network in the language of Graphviz.
/// @param network  any network. Named sizes need values.
/// @return the text of a DOT file
template <AnyNetwork N>
std::string graphviz(const N& network) {
    if constexpr (NamedNetwork<N>) return graphviz(sigma::network(network));
    else if constexpr (MadeNetwork<N>) return detail::graphviz(network.made().table(), network.made().graph());
    else return graphviz<N>();
}
/// Returns a picture of a model's network in the language of Graphviz.
/// @param model  the model
/// @return the text of a DOT file
template <class T, AnyNetwork N>
std::string graphviz(const Model<N, T>& model) {
    return graphviz<typename Model<N, T>::Definition>(model.definition());
}

namespace detail {
std::string summary(const NetworkTable& network, const GraphTable& graph, std::size_t element_bytes,
                    std::size_t prediction_bytes, const char* instructions, int elements, const std::string& fused);
}  // namespace detail

/// Returns a table of a compile-time network as text.
///
/// Each line shows a layer with the shape of its output, its parameters, the bytes of its output, and its multiply-adds
/// per record. If the network is not a chain, the column `from` lists the layers that a layer reads. The last lines
/// show the totals, the working memory for predicting one record, and the CPU instructions of the kernels and of fused
/// code.
///
/// @tparam N  the network
/// @tparam T  type of the parameters: `float` (default) or `double`
/// @return several lines of text
///
/// @par Example
/// @code
/// std::string table = summary<Digits>();
/// @endcode
///
/// @see graphviz, formula
template <ConstantNetwork N, class T = float, class = on_cpu::Instructions>
std::string summary() {
    using P = detail::NetworkPlan<N, detail::to_predict, T>;
    const auto& kernels = on_cpu::kernels_of<P, T>();
    return detail::summary(detail::network_table<N>, detail::NetworkGraph<N>::table, sizeof(T),
                           on_cpu::arena_bytes<T>(on_cpu::plan_of<P, T>(), 1), kernels.instructions, kernels.lanes,
                           on_cpu::interprets<P>() ? "interpreted" : sentence("fused code: ", on_cpu::lanes<T>));
}
/// Returns a table of a network as text.
/// @tparam N       the network
/// @tparam T       type of the parameters: `float` (default) or `double`
/// @param network  any network. Named sizes need values.
/// @return several lines of text
template <AnyNetwork N, class T = float, class = on_cpu::Instructions>
std::string summary(const N& network) {
    if constexpr (NamedNetwork<N>) {
        return summary<DynamicNetwork, T>(sigma::network(network));
    } else if constexpr (MadeNetwork<N>) {
        const auto& kernels = on_cpu::kernels<T>();
        const detail::PlanView plan = network.made().template program<T>(detail::to_predict, on_cpu::lanes<T>).plan();
        return detail::summary(network.made().table(), network.made().graph(), sizeof(T),
                               on_cpu::arena_bytes<T>(plan, 1), kernels.instructions, kernels.lanes, "interpreted");
    } else {
        return summary<N, T>();
    }
}
/// Returns a table of a model's network as text: `summary(load_model(file))`, `summary(import_onnx(file))`.
/// @param model  the model
/// @return several lines of text
template <class T, AnyNetwork N>
std::string summary(const Model<N, T>& model) {
    return summary<typename Model<N, T>::Definition, T>(model.definition());
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/network/impl/graph.ipp>
#endif
