// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/memory.hpp>
#include <sigma/network/network.hpp>
#include <sigma/tape/loops.hpp>

#include <string>

/// Which layer reads the outputs of which, found on the tape, so that it holds for any layer and any function.
namespace sigma {

namespace detail {

/// Edges as static data: found by the compiler, since a trace at run time would be much code for a table.
template <class N>
struct NetworkGraph {
    static constexpr int layers = NetworkRecords<N>::layer_count, nodes = layers + N::cost_count;
    struct Found {
        Frozen<char, layers * nodes> reads{};       ///< at layers * reader + read; readers are layers, then costs
        Frozen<long long, layers> multiply_adds{};  ///< per record
    };
    /// Each layer's output has a node of its own: going back from it, a search ends at the outputs of the layers that
    /// it reads.
    static constexpr Found make() {
        const auto traced = NetworkRecords<N>::traced();
        const Tape& tape = traced.program.tape;
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
                        result.multiply_adds.data[reader] += results * (tape[n.b].shape.count() / tape[n.b].shape.last());
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

    static constexpr bool reads(int reader, int read) { return found.reads[layers * reader + read] != 0; }
    /// Does each layer read only the one before it?
    static constexpr bool is_chain() {
        for (int i = 0; i < nodes; ++i)
            for (int k = 0; k < layers; ++k)
                if (reads(i, k) != (k == i - 1)) return false;
        return true;
    }
};

}  // namespace detail

/// The network as text in the language of Graphviz: `dot -Tsvg`. Layers are boxes with the shape of their output, costs
/// are ellipses.
template <AnyNetwork N>
std::string graphviz() {
    constexpr auto& records = detail::NetworkRecords<N>::records;
    using Graph = detail::NetworkGraph<N>;
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
    for (int to = 0; to < Graph::nodes; ++to)
        for (int from = 0; from < Graph::layers; ++from)
            if (Graph::reads(to, from)) text += sentence("  n", from, " -> n", to, ";\n");
    return text + "}\n";
}
template <AnyNetwork N>
std::string graphviz(const N&) {
    return graphviz<N>();
}

}  // namespace sigma
