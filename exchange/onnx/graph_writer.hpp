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

/// Nodes and initializers of a graph, with names that nothing else has. What has a scope is named after it:
/// "1-dense/Gemm".
class GraphWriter {
public:
    GraphWriter(format::GraphProto& graph, format::TensorProto::DataType element) : main_(&graph), element_(element) {}

    format::TensorProto::DataType element() const { return element_; }
    void reserve(const std::string& name) { taken_.insert(name); }
    void enter(std::string_view scope) { scope_ = scope; }
    std::string fresh(const std::string& wish);

    /// A node and its result, which gets this name where one is given.
    std::string node(const char* operation, const Names& inputs, const std::vector<Attribute>& attributes = {},
                     const std::string& result = {});
    /// A node without a result as yet.
    format::NodeProto& open_node(const char* operation, const Names& inputs,
                                 const std::vector<Attribute>& attributes = {});
    static void set(format::NodeProto& node, const Attribute& attribute);

    std::string tensor(const std::string& name, const Integers& extents, const std::vector<double>& values);
    /// Of INT32, INT8 or UINT8.
    std::string whole(const std::string& name, format::TensorProto::DataType type, const Integers& extents,
                      const std::vector<double>& values);
    /// One axis of whole numbers; equal ones are the same tensor.
    std::string integers(const Integers& values);
    std::string number(double value);

    /// The same elements under other extents; of what was reshaped itself, those of its source.
    std::string reshaped(const std::string& x, const Integers& extents, const std::string& result = {});

    /// Nodes go into the body of a loop meanwhile.
    void begin_body(format::GraphProto& body) { body_ = &body; }
    void end_body() { body_ = nullptr; }
    /// A node that is in no body, and has no name as yet.
    format::NodeProto& outside(const char* operation, const Names& inputs);

    /// Nodes and initializers that nothing needs.
    void remove_unused();

private:
    format::GraphProto* main_;
    format::GraphProto* body_ = nullptr;
    format::TensorProto::DataType element_;
    std::string scope_;
    std::set<std::string> taken_;
    std::map<Integers, std::string> integers_;
    std::map<std::uint64_t, std::string> numbers_;  ///< by their bits
    std::map<std::string, std::string> sources_;    ///< of what was reshaped, in the main graph
    std::map<std::string, int> counts_;

    format::NodeProto& added(format::GraphProto& to, const char* operation, const Names& inputs);
    format::TensorProto& initializer(const std::string& name, format::TensorProto::DataType type,
                                     const Integers& extents);
};

/// A tensor's type; an extent -k is k times the batch, "batch" or "2*batch".
void set_type(format::ValueInfoProto& of, const std::string& name, format::TensorProto::DataType element,
              const Integers& extents);

}  // namespace sigma::detail::onnx
