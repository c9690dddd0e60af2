// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/network/graph.hpp>
#include <sigma/network/memory.hpp>

namespace sigma::detail {

SIGMA_IMPL std::string graphviz(const NetworkTable& network, const GraphTable& graph) {
    std::string text = "digraph network {\n  node [shape=box];\n";
    for (int i = 0; i < network.layers.size(); ++i) {
        const LayerRecord& r = network.layers[i];
        text += sentence("  n", i, " [label=\"", r.name.view(), "\\n", extents_text(r.output),
                         r.parameters > 0 ? sentence("\\n", r.parameters, " parameters") : std::string(), "\"];\n");
    }
    for (int i = 0; i < network.costs.size(); ++i) {
        const CostRecord& cost = network.costs[i];
        text += sentence("  n", network.layers.size() + i, " [shape=ellipse, label=\"", cost.name.view(),
                         cost.loss_weight == 1 ? std::string() : sentence("\\n", cost.loss_weight, " times"), "\"];\n");
    }
    for (int to = 0; to < graph.nodes(); ++to)
        for (int from = 0; from < graph.layers(); ++from)
            if (graph.reads(to, from)) text += sentence("  n", from, " -> n", to, ";\n");
    return text + "}\n";
}

}  // namespace sigma::detail
