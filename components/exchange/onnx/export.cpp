// SPDX-License-Identifier: BSL-1.0
#include <onnx/translation.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/version.hpp>
#include <sigma/onnx.hpp>
#include <sigma/storage/file.hpp>
#include <sigma/storage/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sigma::detail {

namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
    return std::as_bytes(std::span<const char>(text.data(), text.size()));
}
void add_fact(format::ModelProto& model, const char* key, std::string value) {
    format::StringStringEntryProto& fact = *model.add_metadata_props();
    fact.set_key(key);
    fact.set_value(std::move(value));
}
std::string json_list(const std::vector<std::string>& texts) {
    std::string list = "[";
    for (const std::string& each : texts) {
        if (list.size() > 1) list += ", ";
        storage::append_json_string(list, each);
    }
    return list + "]";
}

constexpr std::uint64_t alignment = 64;

/// Returns whether a tensor goes to the second file. Shapes and single numbers stay, because they are read first.
bool lies_beside(const format::TensorProto& t) { return t.raw_data().size() >= 1024; }

/// Moves the elements of large tensors to a second file, with a name relative to that of the model.
void move_weights(format::GraphProto& graph, AtomicFile& to, const std::string& name) {
    std::uint64_t size = 0;
    const auto write = [&](const std::string& bytes) {
        to.write(bytes_of(bytes));
        size += bytes.size();
    };
    for (format::TensorProto& t : *graph.mutable_initializer()) {
        if (!lies_beside(t)) continue;
        write(std::string(static_cast<std::size_t>((alignment - size % alignment) % alignment), '\0'));
        const auto add = [&](const char* key, std::string value) {
            format::StringStringEntryProto& fact = *t.add_external_data();
            fact.set_key(key);
            fact.set_value(std::move(value));
        };
        add("location", name);
        add("offset", sentence(size));
        add("length", sentence(t.raw_data().size()));
        write(t.raw_data());
        t.set_data_location(format::TensorProto::EXTERNAL);
        t.clear_raw_data();
    }
}

template <class List>
std::string joined_names(const List& names) {
    std::string text;
    for (const std::string& each : names) text += text.empty() ? each : ", " + each;
    return text;
}
OnnxContents contents(const format::GraphProto& graph) {
    OnnxContents c;
    const auto add = [](std::vector<std::string>& to, const format::ValueInfoProto& value) {
        std::vector<std::string> extents;
        for (const auto& d : value.type().tensor_type().shape().dim())
            extents.push_back(d.has_dim_param() ? d.dim_param() : sentence(d.dim_value()));
        to.push_back(sentence(value.name(), " (", joined_names(extents), ")"));
    };
    for (const format::ValueInfoProto& each : graph.input()) add(c.inputs, each);
    for (const format::ValueInfoProto& each : graph.output()) add(c.outputs, each);
    for (const format::NodeProto& n : graph.node())
        c.nodes.push_back(sentence(n.op_type(), "(", joined_names(n.input()), ") -> ", joined_names(n.output())));
    return c;
}

}  // namespace

OnnxContents export_onnx(const PortableModel& of, const std::string& file, const OnnxOptions& options) {
    format::ModelProto model;
    model.set_ir_version(8);  // version of operator set 17
    model.add_opset_import()->set_version(17);
    model.set_producer_name("sigma");
    model.set_producer_version(version());
    model.mutable_graph()->set_name("prediction");
    if (!of.classes.empty()) add_fact(model, "classes", json_list(of.classes));
    onnx::translate(of, *model.mutable_graph());

    std::optional<AtomicFile> beside;
    const auto& tensors = model.graph().initializer();
    if (options.weights_beside && std::any_of(tensors.begin(), tensors.end(), lies_beside)) {
        beside.emplace(file + ".data");
        move_weights(*model.mutable_graph(), *beside, file.substr(file.find_last_of('/') + 1) + ".data");
    }
    constexpr std::size_t most = 0x7FFFFFFF;  // limit of protobuf
    if (model.ByteSizeLong() > most)
        throw ArgumentError(sentence("export_onnx to '", file, "'"),
                            sentence("a model of at most ", most, " bytes, or weights_beside"),
                            sentence(model.ByteSizeLong(), " bytes"));
    std::string bytes;
    model.SerializeToString(&bytes);
    AtomicFile written(file);
    written.write(bytes_of(bytes));
    if (beside) beside->commit();
    written.commit();
    return contents(model.graph());
}

}  // namespace sigma::detail
