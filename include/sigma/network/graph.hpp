// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/model.hpp>
#include <sigma/network/network.hpp>
#include <sigma/tape/loops.hpp>

#include <cstddef>
#include <string>

/// Which layer reads the outputs of which, found on the tape, so that it holds for any layer and any function.
namespace sigma {

namespace detail {

/// A network's edges as data.
struct GraphTable {
    ListView<char> edges;               ///< at layers * reader + read; readers are layers, then costs
    ListView<long long> multiply_adds;  ///< of each layer, per record

    constexpr int layers() const { return multiply_adds.size(); }
    constexpr int nodes() const { return edges.size() / layers(); }
    constexpr bool reads(int reader, int read) const { return edges[layers() * reader + read] != 0; }
    /// Does each layer read only the one before it?
    constexpr bool is_chain() const {
        for (int i = 0; i < nodes(); ++i)
            for (int k = 0; k < layers(); ++k)
                if (reads(i, k) != (k == i - 1)) return false;
        return true;
    }
};

/// Edges as static data: found by the compiler, since a trace at run time would be much code for a table.
template <class N>
struct NetworkGraph {
    static constexpr int layers = N::records.size.layers, nodes = layers + N::cost_count;
    struct Found {
        StaticArray<char, layers * nodes> reads{};
        StaticArray<long long, layers> multiply_adds{};
    };
    /// Each layer's output has a node of its own: going back from it, a search ends at the outputs of the layers that
    /// it reads.
    static constexpr Found make() {
        const NetworkFacts traced = network_facts(N::expression);
        const Tape& tape = traced.tape;
        const LoopMembers members(tape);
        List<int> layer_of(tape.size(), -1), seen(tape.size(), -1);
        List<char> counted(tape.size(), 0);
        for (const LayerOutput& o : traced.outputs) layer_of[o.variable] = o.layer;
        Found result;
        const auto search = [&](int from, int reader) {
            List<int> open;
            open.push(from);
            while (!open.empty()) {
                const int at = open.pop();
                if (at < 0 || seen[at] == reader) continue;
                seen[at] = reader;
                if (layer_of[at] >= 0) {
                    result.reads.data[layers * reader + layer_of[at]] = 1;
                    continue;
                }
                const Node& n = tape[at];
                if (reader < layers && counted[at] == 0) {
                    const int loop = members.of(at);  // what a scan computes, it computes at every position
                    const long long results = n.shape.count() * (loop < 0 ? 1 : tape.loops()[loop].count);
                    if (is_product(n.operation)) result.multiply_adds.data[reader] += results * tape[n.a].shape.last();
                    if (n.operation == Operation::convolve)
                        result.multiply_adds.data[reader] +=
                            results * (tape[n.b].shape.count() / tape[n.b].shape.last());
                    counted[at] = 1;
                }
                open.push(n.a);
                open.push(n.b);
                open.push(n.c);
            }
        };
        for (const LayerOutput& o : traced.outputs) search(tape[o.variable].a, o.layer);
        for (int i = 0; i < traced.results.size(); ++i) search(traced.results[i], layers + i);
        return result;
    }
    static constexpr Found found = make();

    static constexpr GraphTable table{{found.reads.data, found.reads.size()}, {found.multiply_adds.data, layers}};

    static constexpr bool reads(int reader, int read) { return table.reads(reader, read); }
    static constexpr bool is_chain() { return table.is_chain(); }
};

std::string graphviz(const NetworkTable& network, const GraphTable& graph);

}  // namespace detail

/// The network as text in the language of Graphviz: `dot -Tsvg`. Layers are boxes with the shape of their output, costs
/// are ellipses.
template <AnyNetwork N>
std::string graphviz() {
    return detail::graphviz(detail::network_table<N>, detail::NetworkGraph<N>::table);
}
template <AnyNetwork N>
std::string graphviz(const N&) {
    return graphviz<N>();
}

namespace detail {
std::string summary(const NetworkTable& network, const GraphTable& graph, std::size_t element_bytes,
                    std::size_t prediction_bytes);
}  // namespace detail

/// A table of a network: each layer with the shape of its output, its parameters, the bytes its output takes and its
/// multiply-adds per record; then the totals, with the arena of prediction for one record, and the instructions of the
/// processor that are used: by products, convolutions and their like, and by what is fused, unless that is interpreted,
/// too. Where the network is no plain chain, `from` lists the numbers of the layers whose outputs a layer reads.
template <AnyNetwork N, class T = float>
std::string summary() {
    const std::string text = detail::summary(detail::network_table<N>, detail::NetworkGraph<N>::table, sizeof(T),
                                             Model<N, T>::prediction_bytes(1));
    using P = detail::NetworkPlan<N, detail::to_predict, T>;
    const auto& kernels = on_cpu::kernels_of<P, T>();
    const std::string fused = on_cpu::interprets<P>() ? "interpreted" : sentence("fused code: ", on_cpu::lanes<T>);
    return text +
           sentence("kernels: ", kernels.instructions, ", ", kernels.lanes, " elements at a time; ", fused, "\n");
}
template <AnyNetwork N>
std::string summary(const N&) {
    return summary<N>();
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/network/impl/graph.ipp>
#endif
