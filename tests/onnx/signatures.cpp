// SPDX-License-Identifier: BSL-1.0
// Compares what the importer takes for the inputs and attributes of operators with what ONNX's library says, for each
// operator set that this library has. Prints what differs.
#include <onnx/defs/schema.h>

#include <onnx/import.hpp>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace {

using Schema = onnx::OpSchema;

std::string letters(onnx::AttributeProto::AttributeType type) {
    switch (type) {
        case onnx::AttributeProto::INT: return "i";
        case onnx::AttributeProto::FLOAT: return "f";
        case onnx::AttributeProto::STRING: return "s";
        case onnx::AttributeProto::TENSOR: return "t";
        case onnx::AttributeProto::GRAPH: return "g";
        case onnx::AttributeProto::INTS: return "is";
        case onnx::AttributeProto::FLOATS: return "fs";
        case onnx::AttributeProto::STRINGS: return "ss";
        case onnx::AttributeProto::SPARSE_TENSOR: return "sparse";
        default: return "type";
    }
}
std::string attributes_of(const Schema& schema) {
    std::map<std::string, std::string> all;
    for (const auto& [name, a] : schema.attributes()) all[name] = letters(a.type) + (a.required ? "!" : "");
    std::string text;
    for (const auto& [name, kind] : all) text += (text.empty() ? "" : " ") + name + ":" + kind;
    return text;
}

}  // namespace

int main() {
    std::vector<Schema> all = onnx::OpSchemaRegistry::get_all_schemas_with_history();
    int compared = 0, different = 0;
    for (const Schema& schema : all) {
        if (!schema.domain().empty() || schema.Deprecated()) continue;
        const auto* const found = sigma::detail::find_onnx_signature(schema.Name(), schema.SinceVersion());
        if (found == nullptr) {
            if (sigma::detail::find_onnx_operator(schema.Name()) == nullptr) continue;  // which is refused at once
            std::printf("%s: expected a row, found none\n", schema.Name().c_str());
            ++different;
            continue;
        }
        ++compared;
        const int most = std::min(schema.max_input(), 1 << 20);
        if (found->fewest == schema.min_input() && std::min(found->most, 1 << 20) == most &&
            found->attributes == attributes_of(schema))
            continue;
        ++different;
        std::printf("%s of set %d: expected %d to %d inputs and '%s', found %d to %d and '%s'\n", schema.Name().c_str(),
                    schema.SinceVersion(), schema.min_input(), most, attributes_of(schema).c_str(), found->fewest,
                    found->most, std::string(found->attributes).c_str());
    }
    std::printf("%d operators of some set compared, %d differ\n", compared, different);
    return different > 0 || compared < 300 ? 1 : 0;
}
