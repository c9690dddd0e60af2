// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/config.hpp>
#include <sigma/network/graph.hpp>
#include <sigma/network/memory.hpp>

#include <algorithm>

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

SIGMA_IMPL std::string cell(std::string text, std::size_t width, bool left = false) {
    if (text.size() >= width) return text;
    return left ? text + std::string(width - text.size(), ' ') : std::string(width - text.size(), ' ') + text;
}

SIGMA_IMPL std::string summary(const NetworkTable& network, const GraphTable& graph, std::size_t element_bytes,
                               std::size_t prediction_bytes, const char* instructions, int elements,
                               const std::string& fused) {
    const bool chain = graph.is_chain();
    const auto from_text = [&](int reader) {
        std::string text;
        for (int i = 0; i < graph.layers() && !chain; ++i)
            if (graph.reads(reader, i)) {
                if (!text.empty()) text += ", ";
                text += network.layers[i].named ? std::string(network.layers[i].name.view()) : sentence(i);
            }
        return text;
    };
    std::size_t names = 18, sources = chain ? 0 : 8;
    for (const LayerRecord& r : network.layers) names = std::max(names, static_cast<std::size_t>(r.name.size) + 2);
    for (const auto& c : network.costs) names = std::max(names, static_cast<std::size_t>(c.name.size) + 2);
    for (int i = 0; i < graph.nodes() && !chain; ++i) sources = std::max(sources, from_text(i).size() + 2);
    long long all_parameters = 0, all_work = 0;
    for (int i = 0; i < network.layers.size(); ++i)
        all_parameters += network.layers[i].parameters, all_work += graph.multiply_adds[i];
    const std::string arena = sentence(prediction_bytes, " arena");
    const std::size_t counts = std::max<std::size_t>(12, sentence(all_parameters).size() + 1),
                      memory = std::max<std::size_t>(14, arena.size() + 1);
    const auto line = [&](const std::string& layer, const std::string& from, const std::string& shape,
                          const std::string& parameters, const std::string& bytes, const std::string& work) {
        return cell(layer, names, true) + cell(from, sources, true) + cell(shape, 22, true) + cell(parameters, counts) +
               cell(bytes, memory) + cell(work, 16) + "\n";
    };
    const std::string rule = std::string(38 + names + sources + counts + memory, '-') + "\n";
    std::string text =
        line("layer", chain ? "" : "from", "output", "parameters", "bytes/record", "multiply-adds") + rule;
    for (int i = 0; i < network.layers.size(); ++i) {
        const LayerRecord& r = network.layers[i];
        text +=
            line(std::string(r.name.view()), from_text(i), extents_text(r.output), sentence(r.parameters),
                 sentence(r.output.count() * static_cast<long long>(element_bytes)), sentence(graph.multiply_adds[i]));
    }
    for (int i = 0; i < network.costs.size(); ++i) {
        const auto& cost = network.costs[i];
        const std::string weight = cost.loss_weight == 1 ? "" : sentence(" * ", cost.loss_weight);
        text += line(std::string(cost.name.view()), from_text(graph.layers() + i), "()" + weight, "0",
                     sentence(element_bytes), "0");
    }
    text += rule;
    text += line("total", "", "", sentence(all_parameters), arena, sentence(all_work));
    return text + sentence("kernels: ", instructions, ", ", elements, " elements at a time; ", fused, "\n");
}

}  // namespace sigma::detail
