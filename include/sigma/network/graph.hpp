// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/edges.hpp>
#include <sigma/network/model.hpp>
#include <sigma/network/network.hpp>

#include <cstddef>
#include <string>

/// Which layer reads the outputs of which, found on the tape, so that it holds for any layer and any function.
namespace sigma {

namespace detail {

/// Edges as static data: found by the compiler, since a trace at run time would be much code for a table.
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

/// The network as text in the language of Graphviz: `dot -Tsvg`. Layers are boxes with the shape of their output, costs
/// are ellipses.
template <ConstantNetwork N>
std::string graphviz() {
    return detail::graphviz(detail::network_table<N>, detail::NetworkGraph<N>::table);
}
template <AnyNetwork N>
std::string graphviz(const N& network) {
    if constexpr (NamedNetwork<N>) return graphviz(sigma::network(network));
    else if constexpr (MadeNetwork<N>) return detail::graphviz(network.made().table(), network.made().graph());
    else return graphviz<N>();
}
/// Of a model's network.
template <class T, AnyNetwork N>
std::string graphviz(const Model<N, T>& model) {
    return graphviz<typename Model<N, T>::Definition>(model.definition());
}

namespace detail {
std::string summary(const NetworkTable& network, const GraphTable& graph, std::size_t element_bytes,
                    std::size_t prediction_bytes, const char* instructions, int elements, const std::string& fused);
}  // namespace detail

/// A table of a network: each layer with the shape of its output, its parameters, the bytes its output takes and its
/// multiply-adds per record; then the totals, with the arena of prediction for one record, and the instructions of the
/// processor that are used: by products, convolutions and their like, and by what is fused, unless that is interpreted,
/// too. Where the network is no plain chain, `from` lists the numbers of the layers whose outputs a layer reads.
template <ConstantNetwork N, class T = float, class = on_cpu::Instructions>
std::string summary() {
    using P = detail::NetworkPlan<N, detail::to_predict, T>;
    const auto& kernels = on_cpu::kernels_of<P, T>();
    return detail::summary(detail::network_table<N>, detail::NetworkGraph<N>::table, sizeof(T),
                           on_cpu::arena_bytes<T>(on_cpu::plan_of<P, T>(), 1), kernels.instructions, kernels.lanes,
                           on_cpu::interprets<P>() ? "interpreted" : sentence("fused code: ", on_cpu::lanes<T>));
}
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
/// Of a model's network, in its type of numbers: `summary(load_model(file))`, `summary(import_onnx(file))`.
template <class T, AnyNetwork N>
std::string summary(const Model<N, T>& model) {
    return summary<typename Model<N, T>::Definition, T>(model.definition());
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/network/impl/graph.ipp>
#endif
