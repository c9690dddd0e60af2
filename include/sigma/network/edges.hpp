// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/facts.hpp>
#include <sigma/tape/loops.hpp>

// The edges between layers, found on the tape, so that they are correct for all layers and functions.
namespace sigma::detail {

/// The edges of a network as data.
struct GraphTable {
    ListView<char> edges;               ///< Index: layers * reader + read. Readers are layers, then costs.
    ListView<long long> multiply_adds;  ///< Multiply-adds of each layer, per record.

    constexpr int layers() const { return multiply_adds.size(); }
    constexpr int nodes() const { return edges.size() / layers(); }
    constexpr bool reads(int reader, int read) const { return edges[layers() * reader + read] != 0; }
    /// Returns whether each layer reads only the layer before it.
    constexpr bool is_chain() const {
        for (int i = 0; i < nodes(); ++i)
            for (int k = 0; k < layers(); ++k)
                if (reads(i, k) != (k == i - 1)) return false;
        return true;
    }
};

/// Writes the edges and the multiply-adds of each layer to memory of zeros. Each layer's output has a node of its own.
/// A search back from this node ends at the outputs of the layers that it reads.
constexpr void find_edges(const NetworkFacts& traced, char* reads, long long* multiply_adds) {
    const Tape& tape = traced.tape;
    const LoopMembers members(tape);
    const int layers = traced.layers.size();
    List<int> layer_of(tape.size(), -1), seen(tape.size(), -1);
    List<char> counted(tape.size(), 0);
    for (const LayerOutput& o : traced.outputs) layer_of[o.variable] = o.layer;
    const auto search = [&](int from, int reader) {
        List<int> open;
        open.push(from);
        while (!open.empty()) {
            const int at = open.pop();
            if (at < 0 || seen[at] == reader) continue;
            seen[at] = reader;
            if (layer_of[at] >= 0) {
                reads[layers * reader + layer_of[at]] = 1;
                continue;
            }
            const Node& n = tape[at];
            if (reader < layers && counted[at] == 0) {
                const int loop = members.of(at);  // a scan computes its operations at every position
                const long long results = n.shape.count() * (loop < 0 ? 1 : tape.loops()[loop].count);
                if (is_product(n.operation)) multiply_adds[reader] += results * tape[n.a].shape.last();
                if (n.operation == Operation::convolve)
                    multiply_adds[reader] += results * (tape[n.b].shape.count() / tape[n.b].shape.last());
                counted[at] = 1;
            }
            open.push(n.a);
            open.push(n.b);
            open.push(n.c);
        }
    };
    for (const LayerOutput& o : traced.outputs) search(tape[o.variable].a, o.layer);
    for (int i = 0; i < traced.results.size(); ++i) search(traced.results[i], layers + i);
}

}  // namespace sigma::detail
