// SPDX-License-Identifier: BSL-1.0
// Any text is either refused with a DataError or a network: then it is written the same again, and it predicts.
#include "model_text.hpp"
#include "target.hpp"

#include <sigma/core/error.hpp>
#include <sigma/network/model.hpp>

#include <memory>
#include <string_view>
#include <vector>

using namespace sigma;
using fuzz::require;

bool fuzz_accepts(const std::uint8_t* data, std::size_t size) try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    detail::Recording network = detail::read_model_text(text, "bytes");
    const std::string again = detail::model_text(network);
    detail::Recording read = detail::read_model_text(again, "bytes");
    require(detail::model_text(read) == again);
    long long elements = 0;
    for (const auto* tape : {&network.predicting.tape, &network.training.tape})
        for (const auto& n : *tape) elements += n.shape.count();
    if (elements > 100'000) return true;
    Model<DynamicNetwork> model(sigma::network(
        Layers(detail::RecordedNetwork(std::make_shared<const detail::Recording>(std::move(network)), true))));
    std::vector<std::vector<float>> x, y;
    std::vector<const float*> inputs;
    std::vector<float*> results;
    for (const Shape& s : model.records.inputs) x.emplace_back(2 * static_cast<std::size_t>(s.count()), 1.0f);
    for (const auto& c : model.records.costs) y.emplace_back(2 * static_cast<std::size_t>(c.prediction.count()));
    for (const auto& each : x) inputs.push_back(each.data());
    for (auto& each : y) results.push_back(each.data());
    model.predict_anew(inputs, results, 2);
    return true;
} catch (const Error&) {  // also of what can be read and not be traced
    return false;
}
