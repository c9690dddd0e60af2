// SPDX-License-Identifier: BSL-1.0
#include <onnx/graph_writer.hpp>

#include <sigma/core/error.hpp>
#include <sigma/core/number_text.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace sigma::detail::onnx {

static_assert(std::endian::native == std::endian::little, "raw data of ONNX is little-endian");

std::string GraphWriter::fresh(const std::string& wish) {
    int& count = counts_[wish];
    std::string name = wish;
    while (!taken_.insert(name).second) name = sentence(wish, "_", ++count + 1);
    return name;
}

void GraphWriter::set(format::NodeProto& node, const Attribute& attribute) {
    format::AttributeProto& to = *node.add_attribute();
    to.set_name(attribute.name);
    if (const auto* i = std::get_if<long long>(&attribute.value)) {
        to.set_type(format::AttributeProto::INT);
        to.set_i(*i);
    } else if (const auto* f = std::get_if<float>(&attribute.value)) {
        to.set_type(format::AttributeProto::FLOAT);
        to.set_f(*f);
    } else if (const auto* s = std::get_if<std::string>(&attribute.value)) {
        to.set_type(format::AttributeProto::STRING);
        to.set_s(*s);
    } else {
        to.set_type(format::AttributeProto::INTS);
        for (const long long each : std::get<Integers>(attribute.value)) to.add_ints(each);
    }
}

format::NodeProto& GraphWriter::added(format::GraphProto& to, const char* operation, const Names& inputs) {
    format::NodeProto& n = *to.add_node();
    n.set_op_type(operation);
    for (const std::string& each : inputs) n.add_input(each);
    return n;
}
format::NodeProto& GraphWriter::outside(const char* operation, const Names& inputs) {
    return added(*main_, operation, inputs);
}
format::NodeProto& GraphWriter::open_node(const char* operation, const Names& inputs,
                                          const std::vector<Attribute>& attributes) {
    format::NodeProto& n = added(body_ ? *body_ : *main_, operation, inputs);
    n.set_name(fresh(scope_.empty() ? operation : scope_ + "/" + operation));
    for (const Attribute& each : attributes) set(n, each);
    return n;
}
std::string GraphWriter::node(const char* operation, const Names& inputs, const std::vector<Attribute>& attributes,
                              const std::string& result) {
    format::NodeProto& n = open_node(operation, inputs, attributes);
    n.add_output(result.empty() ? n.name() : result);
    return n.output(0);
}

format::TensorProto& GraphWriter::initializer(const std::string& name, format::TensorProto::DataType type,
                                              const Integers& extents) {
    format::TensorProto& t = *main_->add_initializer();
    t.set_name(name);
    t.set_data_type(type);
    for (const long long each : extents) t.add_dims(each);
    return t;
}
std::string GraphWriter::tensor(const std::string& name, const Integers& extents, const std::vector<double>& values) {
    format::TensorProto& t = initializer(name, element_, extents);
    std::string& raw = *t.mutable_raw_data();
    if (element_ == format::TensorProto::DOUBLE) {
        raw.resize(values.size() * sizeof(double));
        std::memcpy(raw.data(), values.data(), raw.size());
    } else {
        raw.resize(values.size() * sizeof(float));
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto x = static_cast<float>(values[i]);
            std::memcpy(raw.data() + i * sizeof x, &x, sizeof x);
        }
    }
    return name;
}
std::string GraphWriter::whole(const std::string& name, format::TensorProto::DataType type, const Integers& extents,
                               const std::vector<double>& values) {
    std::string& raw = *initializer(name, type, extents).mutable_raw_data();
    for (const double each : values) {
        const auto i = static_cast<std::int32_t>(each);
        raw.append(reinterpret_cast<const char*>(&i), type == format::TensorProto::INT32 ? sizeof i : 1);
    }
    return name;
}
std::string GraphWriter::integers(const Integers& values) {
    std::string& name = integers_[values];
    if (!name.empty()) return name;
    std::string wish = "integers";
    for (const long long each : values) wish += sentence(" ", each);
    name = fresh(wish);
    format::TensorProto& t = initializer(name, format::TensorProto::INT64, {static_cast<long long>(values.size())});
    std::string& raw = *t.mutable_raw_data();
    for (const long long each : values) {
        const auto i = static_cast<std::int64_t>(each);
        raw.append(reinterpret_cast<const char*>(&i), sizeof i);
    }
    return name;
}
std::string GraphWriter::number(double value) {
    std::string& name = numbers_[std::bit_cast<std::uint64_t>(value)];
    if (name.empty())
        name = tensor(fresh(element_ == format::TensorProto::DOUBLE ? sentence("number ", value)
                                                                    : sentence("number ", static_cast<float>(value))),
                      {}, {value});
    return name;
}

std::string GraphWriter::reshaped(const std::string& x, const Integers& extents, const std::string& result) {
    const auto source = sources_.find(x);
    const std::string from = source == sources_.end() ? x : source->second;
    const std::string name = node("Reshape", {from, integers(extents)}, {}, result);
    if (!body_) sources_[name] = from;
    return name;
}

namespace {

void add_names_read(const format::GraphProto& graph, std::set<std::string>& to) {
    for (const format::NodeProto& n : graph.node()) {
        to.insert(n.input().begin(), n.input().end());
        for (const format::AttributeProto& a : n.attribute())
            if (a.has_g()) add_names_read(a.g(), to);
    }
    for (const format::ValueInfoProto& v : graph.output()) to.insert(v.name());
}
template <class List, class Keep>
void keep_only(List& list, Keep keeps) {
    List kept;
    for (auto& each : list)
        if (keeps(each)) kept.Add()->Swap(&each);
    list.Swap(&kept);
}

}  // namespace

void GraphWriter::remove_unused() {
    const auto needed = [&](const format::NodeProto& n, const std::set<std::string>& read) {
        return std::any_of(n.output().begin(), n.output().end(),
                           [&](const std::string& o) { return read.contains(o); });
    };
    std::set<std::string> read;
    for (int before = -1; before != main_->node_size();) {
        before = main_->node_size();
        read.clear();
        add_names_read(*main_, read);
        keep_only(*main_->mutable_node(), [&](const format::NodeProto& n) { return needed(n, read); });
    }
    keep_only(*main_->mutable_initializer(), [&](const format::TensorProto& t) { return read.contains(t.name()); });
}

void set_type(format::ValueInfoProto& of, const std::string& name, format::TensorProto::DataType element,
              const Integers& extents) {
    of.set_name(name);
    format::TypeProto::Tensor& type = *of.mutable_type()->mutable_tensor_type();
    type.set_elem_type(element);
    type.mutable_shape();
    for (const long long each : extents) {
        format::TensorShapeProto::Dimension& d = *type.mutable_shape()->add_dim();
        if (each >= 0) d.set_dim_value(each);
        else d.set_dim_param(each == -1 ? std::string("batch") : sentence(-each, "*batch"));
    }
}

}  // namespace sigma::detail::onnx
