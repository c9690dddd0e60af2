// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/memory.hpp>
#include <sigma/network/network.hpp>

#include <algorithm>
#include <string>
#include <vector>

/// Which layer reads the outputs of which, found on the tape, so that it holds for any layer and any function.
namespace sigma {

namespace detail {

/// Layers by their numbers, then costs.
struct Graph {
    std::vector<std::vector<int>> from;
    std::vector<long long> multiply_adds;  ///< per record

    /// Does each layer read only the one before it?
    bool is_chain() const {
        for (std::size_t i = 1; i < from.size(); ++i)
            if (from[i] != std::vector<int>{static_cast<int>(i) - 1}) return false;
        return true;
    }
};

/// Traces at run time. Each layer's output has a node of its own: going back from it, a search ends at the outputs of
/// the layers that it reads.
template <class N>
Graph graph_of() {
    const auto traced = NetworkRecords<N>::traced();
    const Tape& tape = traced.program.tape;
    const auto layers = static_cast<std::size_t>(traced.layers.size());
    std::vector<int> layer_of(static_cast<std::size_t>(tape.size()), -1);
    for (const LayerOutput& o : traced.outputs) layer_of[static_cast<std::size_t>(o.variable)] = o.layer;
    Graph graph;
    graph.from.resize(layers + static_cast<std::size_t>(traced.results.size()));
    graph.multiply_adds.resize(layers);
    std::vector<char> counted(static_cast<std::size_t>(tape.size()));

    const auto search = [&](std::vector<int> open, std::size_t to) {
        std::vector<char> seen(static_cast<std::size_t>(tape.size()));
        while (!open.empty()) {
            const int at = open.back();
            open.pop_back();
            if (at < 0 || std::exchange(seen[static_cast<std::size_t>(at)], 1)) continue;
            if (const int layer = layer_of[static_cast<std::size_t>(at)]; layer >= 0) {
                graph.from[to].push_back(layer);
                continue;
            }
            const Node& n = tape[at];
            if (is_product(n.operation) && to < layers && !std::exchange(counted[static_cast<std::size_t>(at)], 1))
                graph.multiply_adds[to] += n.shape.count() * tape[n.a].shape.last();
            open.insert(open.end(), {n.a, n.b, n.c});
        }
        std::ranges::sort(graph.from[to]);
        graph.from[to].erase(std::ranges::unique(graph.from[to]).begin(), graph.from[to].end());
    };
    for (const LayerOutput& o : traced.outputs) search({tape[o.variable].a}, static_cast<std::size_t>(o.layer));
    for (int i = 0; i < traced.results.size(); ++i) search({traced.results[i]}, layers + static_cast<std::size_t>(i));
    return graph;
}

}  // namespace detail

/// The network as text in the language of Graphviz: `dot -Tsvg`. Layers are boxes with the shape of their output, costs
/// are ellipses.
template <AnyNetwork N>
std::string graphviz() {
    constexpr auto& records = detail::NetworkRecords<N>::records;
    const detail::Graph graph = detail::graph_of<N>();
    std::string text = "digraph network {\n  node [shape=box];\n";
    for (int i = 0; i < records.layers.size(); ++i) {
        const LayerRecord& r = records.layers[i];
        text += sentence("  n", i, " [label=\"", r.name.view(), "\\n", detail::extents_text(r.output),
                         r.parameters > 0 ? sentence("\\n", r.parameters, " parameters") : std::string(), "\"];\n");
    }
    for (int i = 0; i < N::cost_count; ++i) {
        const auto& cost = records.costs[i];
        text += sentence("  n", records.layers.size() + i, " [shape=ellipse, label=\"", cost.name.view(),
                         cost.importance == 1 ? std::string() : sentence("\\n", cost.importance, " times"), "\"];\n");
    }
    for (std::size_t to = 0; to < graph.from.size(); ++to)
        for (const int from : graph.from[to]) text += sentence("  n", from, " -> n", to, ";\n");
    return text + "}\n";
}
template <AnyNetwork N>
std::string graphviz(const N&) {
    return graphviz<N>();
}

}  // namespace sigma
