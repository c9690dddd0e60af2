// SPDX-License-Identifier: BSL-1.0
#include "import.hpp"

#include <unordered_map>

namespace sigma::detail {

namespace {

struct Entry {
    const OnnxOperator* row;
    Text kind;
};

/// Converts names of operators: "LayerNormalization" to "layer_normalization", "LSTM" to "lstm".
Text snake_case(std::string_view name) {
    const auto upper = [&](std::size_t i) { return i < name.size() && name[i] >= 'A' && name[i] <= 'Z'; };
    Text kind;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (upper(i) && i > 0 && (!upper(i - 1) || (i + 1 < name.size() && !upper(i + 1)))) kind.append("_");
        const char letter[] = {upper(i) ? static_cast<char>(name[i] - 'A' + 'a') : name[i], '\0'};
        kind.append(std::string_view(letter, 1));
    }
    return kind;
}
const std::unordered_map<std::string_view, Entry>& table() {
    static const std::unordered_map<std::string_view, Entry> all = [] {
        std::unordered_map<std::string_view, Entry> t;
        for (const auto rows :
             {onnx_elementwise(), onnx_shapes(), onnx_reductions(), onnx_products(), onnx_attention(), onnx_images(),
              onnx_normalizations(), onnx_recurrences(), onnx_indices(), onnx_quantization(), onnx_loops()})
            for (const OnnxOperator& row : rows) t.emplace(row.name, Entry{&row, snake_case(row.name)});
        return t;
    }();
    return all;
}

}  // namespace

const OnnxOperator* find_onnx_operator(std::string_view name) {
    const auto found = table().find(name);
    return found == table().end() ? nullptr : found->second.row;
}
const Text& kind_of(const OnnxOperator& of) { return table().at(of.name).kind; }

}  // namespace sigma::detail
