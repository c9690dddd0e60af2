// SPDX-License-Identifier: BSL-1.0
// Any bytes are either refused with a DataError or a graph: then a network can be made of it, or a mistake says why
// not, and where it is small it predicts.
#include <sigma/onnx.hpp>
#include <sigma/sigma.hpp>

#include "target.hpp"

#include <span>
#include <string>
#include <vector>

namespace {

using namespace sigma;

void predict(const Model<DynamicNetwork>& model) {
    constexpr long long small = 1 << 20;
    long long elements = model.parameter_elements();
    for (const Shape& of : model.records.inputs) elements += of.count();
    for (const auto& cost : model.records.costs) elements += cost.prediction.count();
    if (elements > small || model.prediction_bytes(1) > static_cast<std::size_t>(small)) return;
    std::vector<std::vector<float>> given, results;
    for (const Shape& of : model.records.inputs) given.emplace_back(static_cast<std::size_t>(of.count()), 0.5f);
    for (const auto& cost : model.records.costs)
        results.emplace_back(static_cast<std::size_t>(cost.prediction.count()));
    Model<DynamicNetwork>::InputPointers from;
    Model<DynamicNetwork>::ResultPointers to;
    for (const auto& each : given) from.push_back(each.data());
    for (auto& each : results) to.push_back(each.data());
    model.predict(from, to, 1);
}

}  // namespace

// Its bytes hold no lengths that a change may make right.
void fuzz_repair(std::string&) {}

bool fuzz_accepts(const std::uint8_t* data, std::size_t size) try {
    const OnnxGraph graph(std::as_bytes(std::span(data, size)));
    if (graph.inputs().empty()) {
        for (std::size_t i = 0; i < graph.outputs().size(); ++i) graph.constant_output(static_cast<int>(i));
        return true;
    }
    const DynamicNetwork net = detail::onnx_network(graph);
    if (net.made().tape().nodes.size() < 2000) predict(Model<DynamicNetwork>(net));
    return true;
} catch (const DataError& refusal) {
    fuzz::require_printable(refusal);
    return false;
} catch (const MistakeError& refusal) {
    fuzz::require_printable(refusal);
    return false;
}
