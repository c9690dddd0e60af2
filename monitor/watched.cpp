// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/terminal.hpp>
#include <sigma/data/transform/transform.hpp>
#include <sigma/monitor/watched.hpp>
#include <sigma/network/memory.hpp>

#include <cstdio>

namespace sigma::monitor::detail {

void print_line(std::string_view line) { terminal::print(stdout, line); }

namespace {

/// Of one record: "(28, 28)".
std::string shape_of_record(const Shape& shape) {
    std::string text = sigma::detail::extents_text(shape);
    constexpr std::string_view records = "(batch, ";
    if (text.starts_with(records)) text.replace(0, records.size(), "(");
    return text;
}

}  // namespace

void describe(Watched& to, const NetworkTable& network, const sigma::detail::GraphTable& graph,
              const Minibatches& batches) {
    for (const LayerRecord& layer : network.layers) {
        to.nodes.push_back({std::string(layer.name.view()), std::string(layer.kind.view()),
                            shape_of_record(layer.output), layer.parameters});
        to.network += sentence(to.network.empty() ? "" : " + ", layer.kind.view(), to.nodes.back().shape);
    }
    for (const sigma::detail::CostRecord& cost : network.costs) {
        to.nodes.push_back({std::string(cost.name.view()), std::string(cost.kind.view()), "", 0});
        to.network += sentence(" + ", cost.kind.view());
    }
    for (int reader = 0; reader < graph.nodes(); ++reader)
        for (int read = 0; read < graph.layers(); ++read)
            if (graph.reads(reader, read)) to.edges.emplace_back(read, reader);

    const Dataset& data = batches.dataset;
    to.classes = data.classes();
    to.data.push_back({"data", sentence(data.name(), ", ", data.size(), " records")});
    for (const data::Preprocessing::Step& step : data.preprocessing().steps())
        to.data.push_back({"transform", sentence(step.transform->kind(), " of ", step.section)});
    to.data.push_back({"minibatches", sentence(batches.size, " records", batches.shuffling ? ", shuffled" : "", ", ",
                                               batches.batches_per_epoch(), " an epoch")});
    if (const auto name = to.registry.find<std::string>("optimizer.name")) to.optimizer = *name;
}

}  // namespace sigma::monitor::detail
