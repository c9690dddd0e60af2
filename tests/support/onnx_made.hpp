// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/onnx.hpp>
#include <sigma/sigma.hpp>

#include <onnx/format.hpp>

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace format = sigma::onnx_format;
using Extents = std::vector<long long>;

/// A file in the making.
struct Made {
    format::ModelProto model{};
    format::GraphProto& graph;

    explicit Made(int set = 13) : graph(*model.mutable_graph()) {
        model.set_ir_version(8);
        model.add_opset_import()->set_version(set);
        graph.set_name("g");
    }
    Made(const Made&) = delete;
    Made& operator=(const Made&) = delete;

    static void describe(format::ValueInfoProto& v, const std::string& name, const Extents& dims, int type) {
        v.set_name(name);
        auto& t = *v.mutable_type()->mutable_tensor_type();
        t.set_elem_type(type);
        auto& shape = *t.mutable_shape();
        for (const long long d : dims) {
            auto& dim = *shape.add_dim();
            if (d < 0) dim.set_dim_param(d == -1 ? "n" : "open");
            else dim.set_dim_value(d);
        }
    }
    Made& input(const std::string& name, const Extents& dims, int type = format::TensorProto::FLOAT) {
        describe(*graph.add_input(), name, dims, type);
        return *this;
    }
    Made& output(const std::string& name) {
        graph.add_output()->set_name(name);
        return *this;
    }
    format::TensorProto& floats(const std::string& name, const Extents& dims, const std::vector<float>& values) {
        auto& t = *graph.add_initializer();
        t.set_name(name), t.set_data_type(format::TensorProto::FLOAT);
        for (const long long d : dims) t.add_dims(d);
        for (const float x : values) t.add_float_data(x);
        return t;
    }
    format::TensorProto& wholes(const std::string& name, const Extents& dims, const Extents& values) {
        auto& t = *graph.add_initializer();
        t.set_name(name), t.set_data_type(format::TensorProto::INT64);
        for (const long long d : dims) t.add_dims(d);
        for (const long long x : values) t.add_int64_data(x);
        return t;
    }
    format::NodeProto& node(const std::string& op, const std::vector<std::string>& in,
                            const std::vector<std::string>& out, const std::string& name = "") {
        auto& n = *graph.add_node();
        n.set_op_type(op), n.set_name(name);
        for (const auto& each : in) n.add_input(each);
        for (const auto& each : out) n.add_output(each);
        return n;
    }
    std::string bytes() const { return model.SerializeAsString(); }
    sigma::OnnxGraph read(const sigma::OnnxImport& how = {}) const {
        const std::string all = bytes();
        return sigma::OnnxGraph(std::as_bytes(std::span(all)), how, "made");
    }
    std::string refused(const sigma::OnnxImport& how = {}) const {
        try {
            static_cast<void>(read(how));
        } catch (const sigma::DataError& e) { return e.what(); }
        return "no error";
    }
};
inline void set(format::NodeProto& n, const std::string& name, int value) {
    auto& a = *n.add_attribute();
    a.set_name(name), a.set_type(format::AttributeProto::INT), a.set_i(value);
}
inline void set(format::NodeProto& n, const std::string& name, double value) {
    auto& a = *n.add_attribute();
    a.set_name(name), a.set_type(format::AttributeProto::FLOAT), a.set_f(static_cast<float>(value));
}
inline void set(format::NodeProto& n, const std::string& name, const char* value) {
    auto& a = *n.add_attribute();
    a.set_name(name), a.set_type(format::AttributeProto::STRING), a.set_s(value);
}
inline void set(format::NodeProto& n, const std::string& name, std::initializer_list<long long> values) {
    auto& a = *n.add_attribute();
    a.set_name(name), a.set_type(format::AttributeProto::INTS);
    for (const long long x : values) a.add_ints(x);
}

inline void set(format::NodeProto& n, const std::string& name, const format::GraphProto& body) {
    auto& a = *n.add_attribute();
    a.set_name(name), a.set_type(format::AttributeProto::GRAPH);
    *a.mutable_g() = body;
}

inline std::vector<float> counted(std::size_t n, float first = -1, float step = 0.125f) {
    std::vector<float> all;
    for (std::size_t i = 0; i < n; ++i) all.push_back(first + step * static_cast<float>(i * 7 % 17));
    return all;
}
inline sigma::Model<sigma::DynamicNetwork> model_of(const Made& made, const sigma::OnnxImport& how = {}) {
    return sigma::Model<sigma::DynamicNetwork>(sigma::detail::onnx_network(made.read(how)));
}
/// An output for these inputs.
inline std::vector<float> predicted_of(const sigma::Model<sigma::DynamicNetwork>& model,
                                       const std::vector<std::vector<float>>& inputs, std::ptrdiff_t records,
                                       std::size_t output = 0) {
    using M = sigma::Model<sigma::DynamicNetwork>;
    std::vector<std::vector<float>> all;
    for (const auto& cost : model.records.costs)
        all.emplace_back(static_cast<std::size_t>(cost.prediction.count() * records));
    M::InputPointers from;
    M::ResultPointers to;
    for (const auto& each : inputs) from.push_back(each.data());
    for (auto& each : all) to.push_back(each.data());
    model.predict(from, to, records);
    return all[output];
}
