// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/graph.hpp>
#include <sigma/network/model.hpp>

#include <algorithm>
#include <string>

namespace sigma {

namespace detail {
std::string cell(std::string text, std::size_t width, bool left = false);
}  // namespace detail

/// A table of a network: each layer with the shape of its output, its parameters, the bytes its output takes and its
/// multiply-adds per record; then the totals, with the arena of prediction for one record, and the instructions of the
/// processor that are used: by products, convolutions and their like, and by what is compiled with the program. Where the network is no plain
/// chain, `from` lists the numbers of the layers whose outputs a layer reads.
template <AnyNetwork N, class T = float>
std::string summary() {
    constexpr auto& records = detail::NetworkRecords<N>::records;
    using detail::cell;
    using Graph = detail::NetworkGraph<N>;
    constexpr bool chain = Graph::is_chain();
    const auto from_text = [](int reader) {
        std::string text;
        for (int i = 0; i < Graph::layers && !chain; ++i)
            if (Graph::reads(reader, i)) text += sentence(text.empty() ? "" : ", ", i);
        return text;
    };
    std::size_t names = 18, sources = chain ? 0 : 8;
    for (const LayerRecord& r : records.layers) names = std::max(names, static_cast<std::size_t>(r.name.size) + 2);
    for (const auto& c : records.costs) names = std::max(names, static_cast<std::size_t>(c.name.size) + 2);
    for (int i = 0; i < Graph::nodes && !chain; ++i) sources = std::max(sources, from_text(i).size() + 2);
    const auto line = [&](const std::string& layer, const std::string& from, const std::string& shape, const std::string& parameters,
                          const std::string& bytes, const std::string& work) {
        return cell(layer, names, true) + cell(from, sources, true) + cell(shape, 22, true) + cell(parameters, 12) +
               cell(bytes, 14) + cell(work, 16) + "\n";
    };
    const std::string rule = std::string(64 + names + sources, '-') + "\n";
    std::string text = line("layer", chain ? "" : "from", "output", "parameters", "bytes/record", "multiply-adds") + rule;
    long long parameters = 0, work = 0;
    for (int i = 0; i < records.layers.size(); ++i) {
        const LayerRecord& r = records.layers[i];
        parameters += r.parameters;
        work += Graph::found.multiply_adds[i];
        text += line(std::string(r.name.view()), from_text(i), detail::extents_text(r.output),
                     std::to_string(r.parameters), std::to_string(r.output.count() * static_cast<long long>(sizeof(T))),
                     std::to_string(Graph::found.multiply_adds[i]));
    }
    for (int i = 0; i < N::cost_count; ++i) {
        const auto& cost = records.costs[i];
        const std::string weight = cost.importance == 1 ? "" : sentence(" * ", cost.importance);
        text += line(std::string(cost.name.view()), from_text(Graph::layers + i),
                     "()" + weight, "0", std::to_string(sizeof(T)), "0");
    }
    text += rule;
    text += line("total", "", "", std::to_string(parameters), std::to_string(Model<N, T>::prediction_bytes(1)) + " arena", std::to_string(work));
    const auto& kernels = simd::kernels_of<Planned<detail::PredictionProgram<N>, simd::lanes<T>>, T>();
    return text + sentence("kernels: ", kernels.instructions, ", ", kernels.lanes, " elements at a time; fused code: ",
                           simd::lanes<T>, "\n");
}
template <AnyNetwork N>
std::string summary(const N&) {
    return summary<N>();
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/network/impl/summary.ipp>
#endif
