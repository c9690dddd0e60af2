// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/list.hpp>
#include <sigma/network/programs.hpp>
#include <sigma/plan/static_plan.hpp>
#include <sigma/tape/tape.hpp>

namespace sigma::detail {

/// The operations of a prediction, up to the loss of each cost, for code that inspects or interprets them. The tape is
/// not planned.
struct NetworkTape {
    ListView<Node> nodes;  ///< Inputs come first. Inputs with numbers from the number of inputs on are targets.
    ListView<Loop> loops;
    ListView<int> layers;  ///< The node of each layer's output.
    ListView<int> costs;   ///< The node of each cost's loss.
};

template <class N>
struct NetworkTapeOf {
    template <int nodes, int loops>
    struct Bounded {
        int node_count = 0, loop_count = 0;  ///< Counts, also beyond the capacity.
        StaticArray<Node, nodes> node{};
        StaticArray<Loop, loops> loop{};
        StaticArray<int, N::records.size.layers> layer{};
        StaticArray<int, N::cost_count> cost{};
    };
    template <int nodes, int loops>
    static constexpr Bounded<nodes, loops> make() {
        Program p;
        Context context(p.tape, false);
        trace_network(N::expression, context);
        const Losses losses = trace_losses(p, N::expression, context);
        context.number_hyperparameters();
        Bounded<nodes, loops> f;
        f.node_count = p.tape.size(), f.loop_count = p.tape.loops().size();
        if (f.node_count > nodes || f.loop_count > loops) return f;
        for (int i = 0; i < f.node_count; ++i) f.node.data[i] = p.tape[i];
        for (int i = 0; i < f.loop_count; ++i) f.loop.data[i] = p.tape.loops()[i];
        for (int i = 0; i < f.layer.size(); ++i) f.layer.data[i] = context.layers[i].variable;
        for (int i = 0; i < f.cost.size(); ++i) f.cost.data[i] = losses.parts[i].id;
        return f;
    }
    /// Capacity that is enough for most networks, which are then traced only once.
    static constexpr int node_capacity = 256, loop_capacity = 8;
    static constexpr auto bounded = make<node_capacity, loop_capacity>();
    using Exact = Bounded<bounded.node_count, bounded.loop_count>;
    static constexpr Exact fitted() {
        if constexpr (bounded.node_count > node_capacity || bounded.loop_count > loop_capacity) {
            return make<bounded.node_count, bounded.loop_count>();
        } else {
            Exact f;
            f.node_count = bounded.node_count, f.loop_count = bounded.loop_count;
            for (int i = 0; i < f.node_count; ++i) f.node.data[i] = bounded.node[i];
            for (int i = 0; i < f.loop_count; ++i) f.loop.data[i] = bounded.loop[i];
            f.layer = bounded.layer, f.cost = bounded.cost;
            return f;
        }
    }
    static constexpr Exact tape = fitted();
};

template <AnyNetwork N>
inline constexpr NetworkTape network_tape{
    {detail::NetworkTapeOf<N>::tape.node.data, detail::NetworkTapeOf<N>::tape.node_count},
    {detail::NetworkTapeOf<N>::tape.loop.data, detail::NetworkTapeOf<N>::tape.loop_count},
    {detail::NetworkTapeOf<N>::tape.layer.data, N::records.size.layers},
    {detail::NetworkTapeOf<N>::tape.cost.data, N::cost_count}};

}  // namespace sigma::detail
