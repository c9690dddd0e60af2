// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <onnx/format.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sigma::detail::onnx {

using Integers = std::vector<long long>;
using Names = std::vector<std::string>;

struct Attribute {
    const char* name;
    std::variant<long long, float, Integers, std::string> value;
};

/// Writes nodes and initializers of a graph with unique names. Names begin with the scope, if there is one:
/// "1-dense/Gemm".
class GraphWriter {
public:
    GraphWriter(format::GraphProto& graph, format::TensorProto::DataType element) : main_(&graph), element_(element) {}

    format::TensorProto::DataType element() const { return element_; }
    void reserve(const std::string& name) { taken_.insert(name); }
    void enter(std::string_view scope) { scope_ = scope; }
    std::string fresh(const std::string& wish);

    /// Adds a node, and returns the name of its result: `result`, or a new name.
    std::string node(const char* operation, const Names& inputs, const std::vector<Attribute>& attributes = {},
                     const std::string& result = {});
    /// Adds a node without a result.
    format::NodeProto& open_node(const char* operation, const Names& inputs,
                                 const std::vector<Attribute>& attributes = {});
    static void set(format::NodeProto& node, const Attribute& attribute);

    std::string tensor(const std::string& name, const Integers& extents, const std::vector<double>& values);
    /// Adds an initializer of INT32, INT8 or UINT8.
    std::string whole(const std::string& name, format::TensorProto::DataType type, const Integers& extents,
                      const std::vector<double>& values);
    /// Returns an initializer with one axis of integers. Equal lists share a tensor.
    std::string integers(const Integers& values);
    std::string number(double value);

    /// Returns a tensor with other extents. A reshape of a reshape reads the first source.
    std::string reshaped(const std::string& x, const Integers& extents, const std::string& result = {});

    /// Adds the following nodes to the body of a loop.
    void begin_body(format::GraphProto& body) { body_ = &body; }
    void end_body() { body_ = nullptr; }
    /// Adds a node outside of all bodies, without a result.
    format::NodeProto& outside(const char* operation, const Names& inputs);

    /// Removes unused nodes and initializers.
    void remove_unused();

private:
    format::GraphProto* main_;
    format::GraphProto* body_ = nullptr;
    format::TensorProto::DataType element_;
    std::string scope_;
    std::set<std::string> taken_;
    std::map<Integers, std::string> integers_;
    std::map<std::uint64_t, std::string> numbers_;  ///< Names of numbers by their bits.
    std::map<std::string, std::string> sources_;    ///< Sources of reshaped tensors in the main graph.
    std::map<std::string, int> counts_;

    format::NodeProto& added(format::GraphProto& to, const char* operation, const Names& inputs);
    format::TensorProto& initializer(const std::string& name, format::TensorProto::DataType type,
                                     const Integers& extents);
};

/// Sets the type of a tensor. An extent of -k is k times the batch: "batch" or "2*batch".
void set_type(format::ValueInfoProto& of, const std::string& name, format::TensorProto::DataType element,
              const Integers& extents);

}  // namespace sigma::detail::onnx
