// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <onnx/graph_writer.hpp>
#include <onnx/patterns.hpp>
#include <sigma/exchange/portable_model.hpp>
#include <sigma/tape/geometry.hpp>
#include <sigma/tape/loops.hpp>

#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace sigma::detail::onnx {

/// The order of axes: for each axis of the graph's tensor the axis of the program's tensor. Images are channels last in
/// a program and channels first in ONNX. A value keeps its order until a reader needs another one.
using Order = std::vector<int>;

Order plain_order(int rank);
bool is_plain(const Order& o);
/// Returns the order of (batch, height, width, channels) as (batch, channels, height, width), for any rank.
Order channels_first(int rank);
int place_of(const Order& o, int axis);

Integers as_integers(const std::vector<int>& of);
Integers extents(const Shape& s);
Integers extents(const Shape& s, const Order& o);
/// Returns extents for Reshape: an extent that depends on the batch becomes -1.
Integers reshape_extents(Integers e);
/// Returns whether a tensor in both orders has the same memory.
bool moves_only_ones(const Shape& s, const Order& from, const Order& to);
/// Returns the elements in another order.
std::vector<double> moved(const std::vector<double>& values, const Shape& s, const Order& to);

/// Several nodes that are written together, besides the patterns.
struct Fusion {
    enum Kind { none, biased_product, convolution, average_pool, mean } kind = none;
    int product = -1;  ///< A product, a convolution, or the last of several sums.
    int bias = -1;
    int from = -1;  ///< Images without their padding, or the summed value.
    WindowMatch window{};
    int before[3]{}, after[3]{};
};

/// A program in its original order: the tape adds biases after the maximum of windows.
struct Rewritten {
    Tape tape{};
    List<int> outputs{};
    std::vector<int> origins{};  ///< The node in the program, for each node.

    explicit Rewritten(const Program& p) {
        std::vector<int> now(static_cast<std::size_t>(p.tape.size()), -1);
        const auto place = [&](int i) { return i < 0 ? -1 : now[static_cast<std::size_t>(i)]; };
        for (const Loop& each : p.tape.loops()) tape.add_loop(each);
        for (int i = 0; i < p.tape.size(); ++i) {
            Node n = p.tape[i];
            n.a = place(n.a), n.b = place(n.b), n.c = place(n.c);
            for (const auto& [pool, other] : {std::pair{n.a, n.b}, std::pair{n.b, n.a}}) {
                if (n.operation != Operation::add || tape[pool].operation != Operation::pool_max) continue;
                Node greatest = tape[pool];
                if (!constant_in_windows(tape[other].shape) || !(greatest.shape == n.shape)) continue;
                greatest.a = add({Operation::add, greatest.a, other, -1, tape[greatest.a].shape}, pool);
                n = greatest;
                break;
            }
            now[static_cast<std::size_t>(i)] = add(n, -1, i);
        }
        for (const Variable& v : p.outputs) outputs.push(place(v.id));
    }

private:
    int add(const Node& n, int beside, int origin = -1) {
        origins.push_back(beside < 0 ? origin : origins[static_cast<std::size_t>(tape[beside].a)]);
        return tape.emit_unshared(n);
    }
};

/// Translates a program to a graph. translation.cpp first finds the nodes to write, and those to write together. Then
/// operations.cpp and loops.cpp write the nodes in order. forms.cpp provides their operands.
class Translation {
public:
    Translation(const PortableModel& model, format::GraphProto& graph);

    void run();

private:
    struct Form {
        Order order;
        std::string name;
    };
    /// The tensors of a node, one for each order of axes. The first one is the original order.
    struct Value {
        Order order{};
        std::vector<Form> forms{};
        std::string truth{};  ///< The boolean result of a comparison, in `order`.
    };

    const PortableModel& model_;
    const Rewritten program_;
    const Tape& tape_;
    const LoopMembers members_;
    format::GraphProto& graph_;
    GraphWriter to_;
    List<char> fixed_;  ///< Independent of inputs and parameters: computed during the export.
    std::vector<int> uses_;
    std::vector<char> wanted_;
    std::vector<char> loop_wanted_;
    std::vector<Match> matches_;
    std::vector<int> cells_of_;  ///< Index: the stack of an LSTM's cells. Value: the stack of its outputs.
    std::vector<Fusion> fusions_;
    std::vector<std::string> result_names_;  ///< Names of outputs.
    std::vector<Value> values_;
    std::vector<std::vector<double>> constants_;
    std::vector<std::pair<int, std::size_t>>
        made_in_body_;  ///< Forms of values outside of the loop, and their previous number.
    int body_loop_ = -1;
    std::map<std::tuple<std::string, float, int>, std::string>
        rounded_;  ///< Rounded tensors by tensor, scale and loop.
    std::map<std::pair<int, Order>, std::string> small_weights_;
    std::string zeros_[2]{};  ///< Zeros of unsigned and of signed bytes.
    std::set<int> parameters_written_;
    std::string batch_;  ///< Name of the batch, after the first use.

    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    const Node& node(int i) const { return tape_[i]; }
    const Shape& shape(int i) const { return tape_[i].shape; }
    int rank(int i) const { return tape_[i].shape.rank; }

    // nodes to write
    void find_fixed();
    void each_operand(int i, auto f) const;
    /// Calls f(operand) for all operands of node i in its written form.
    void each_read(int i, auto f) const;
    std::vector<char> reached(auto each) const;
    void find_fusion(int i);
    void find_convolution(Fusion& f, int convolution) const;
    void find_recurrent_layers();
    bool only_last(int stack) const;
    bool is_reshape(int i) const {
        const Node& n = node(i);
        return n.operation == Operation::reshape ||
               (n.operation == Operation::expand && equivalent(n.shape, shape(n.a)));
    }
    void evaluate_fixed();
    bool is_weight(int i) const;
    std::vector<double> weight_values(int i) const;
    int weight_of(int i) const;
    std::string layer_of(int i) const;

    /// Returns whether Scan makes a stack.
    bool is_scanned(int i) const {
        return node(i).operation == Operation::stack && !matches_[at(i)].op && cells_of_[at(i)] < 0;
    }

    // tensors
    void out(int i, std::string name, Order order);
    void out(int i, std::string name) { out(i, std::move(name), plain_order(rank(i))); }
    std::string wished(int i, const Order& order) const;
    std::string wished(int i) const { return wished(i, plain_order(rank(i))); }
    const Order& order_of(int i);
    std::string form(int i, const Order& order);
    std::string plain(int i) { return form(i, plain_order(rank(i))); }
    /// Returns a bias as a vector: its only axis with more than one element.
    std::string vector_form(int i) { return rank(i) == 1 ? plain(i) : to_.reshaped(plain(i), {shape(i).last()}); }
    std::string beside(int i, int rank, const Order& order);
    std::string truth_beside(int i, int rank, const Order& order);
    void remember(int i, Form form);
    std::string first_form(int i, const Order& order);
    std::string parameter_name(int number);
    Order common_order(int i, std::initializer_list<int> operands);

    std::string batch();
    std::string extents_tensor(const Shape& s, const Shape& known);
    std::string expanded(const std::string& x, const Shape& from, const Shape& s, const std::string& result = {});
    std::string cast(const std::string& x, format::TensorProto::DataType type, const std::string& result = {}) {
        return to_.node("Cast", {x}, {{"to", static_cast<long long>(type)}}, result);
    }
    std::string constant(double k) { return to_.number(k); }

    // products of 8 bits
    const QuantizedWeight* small_weight(int i) const;
    bool never_negative(int i) const;
    std::string rounded(int i, const Order& order, float range);
    std::string dequantized(const std::string& name, format::TensorProto::DataType type, const Integers& extents,
                            const std::vector<double>& values, const std::vector<double>& scales, long long axis);
    std::string weight_form(int i, const QuantizedWeight& w, const Order& order);
    std::string bias_form(int i, const QuantizedWeight& w);

    // operations
    void write(int i);
    void write_match(int i, const Match& m);
    void write_recurrent(int i, const Match& m);
    void write_fusion(int i, const Fusion& f);
    void write_elementwise(int i);
    void write_reduction(int i, const char* op, int of);
    void write_reshape(int i, int a);
    void write_movement(int i);
    void write_product(int i);
    void write_convolution_input(int i);
    void write_max_pool(int i);
    void write_block(int i);
    void write_recurrence(int i);
    void write_loop(int loop);
    std::string accurate_log1p(const std::string& x, const std::string& result);
    std::string accurate_expm1(const std::string& x, const std::string& result);
    [[noreturn]] void refuse(int i) const;
};

}  // namespace sigma::detail::onnx
