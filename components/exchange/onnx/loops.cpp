// SPDX-License-Identifier: BSL-1.0
#include <onnx/translator.hpp>
#include <sigma/core/error.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace sigma::detail::onnx {

/// Writes a linear recurrence as sums, or as a loop over the last axis.
void Translation::write_recurrence(int i) {
    const Node& n = node(i);
    const long long backward = n.attribute != 0, last = n.shape.rank - 1;
    const auto whole = [&](int o) { return shape(o) == n.shape ? plain(o) : expanded(plain(o), shape(o), n.shape); };
    const Node& factor = node(n.a);
    if (factor.operation == Operation::constant && factor.constant == 1)
        return out(i, to_.node("CumSum", {whole(n.b), to_.integers({last})}, {{"reverse", backward}}, wished(i)));
    std::string a = whole(n.a);
    const std::string b = whole(n.b);
    if (backward) {  // each factor is that of the next element
        Integers pads(2 * at(n.shape.rank));
        pads.back() = 1;
        a = to_.node("Slice", {to_.node("Pad", {a, to_.integers(pads)}), to_.integers({1}),
                               to_.integers({n.shape.last() + 1}), to_.integers({last})});
    }
    Shape one = n.shape;
    --one.rank;
    const std::string zeros = expanded(constant(0), {}, one);
    format::NodeProto& loop = to_.open_node("Scan", {zeros, a, b},
                                            {{"num_scan_inputs", 2ll},
                                             {"scan_input_axes", Integers{last, last}},
                                             {"scan_output_axes", Integers{last}},
                                             {"scan_input_directions", Integers{backward, backward}},
                                             {"scan_output_directions", Integers{backward}}});
    format::AttributeProto& body = *loop.add_attribute();
    body.set_name("body");
    body.set_type(format::AttributeProto::GRAPH);
    format::GraphProto& g = *body.mutable_g();
    const std::string name = loop.name(), y = name + ".y", now = name + ".a", term = name + ".b",
                      product = name + ".product", next = name + ".next", result = name + ".result";
    g.set_name(name + ".body");
    for (const std::string& each : {y, now, term}) set_type(*g.add_input(), each, to_.element(), extents(one));
    for (const std::string& each : {next, result}) set_type(*g.add_output(), each, to_.element(), extents(one));
    const auto add = [&](const char* op, std::initializer_list<std::string> inputs, const std::string& output) {
        format::NodeProto& s = *g.add_node();
        s.set_op_type(op);
        for (const std::string& each : inputs) s.add_input(each);
        s.add_output(output);
    };
    add("Mul", {now, y}, product);
    add("Add", {product, term}, next);
    add("Identity", {next}, result);
    loop.add_output(name + ".last");
    loop.add_output(result_names_[at(i)].empty() ? name : result_names_[at(i)]);
    out(i, loop.output(1));
}

/// Writes a loop over time as Scan. Its body reads outer values by name.
void Translation::write_loop(int loop) {
    const long long backwards = tape_.loops()[loop].backwards;
    std::vector<int> carries, steps, stacks, nexts;
    for (int i = 0; i < tape_.size(); ++i) {
        const Node& n = node(i);
        const bool own = is_loop_value(n.operation) || n.operation == Operation::advance;
        if (!own || !wanted_[at(i)] || loop_of(n) != loop) continue;
        if (n.operation == Operation::carry) carries.push_back(i);
        if (n.operation == Operation::step) steps.push_back(i);
        if (n.operation == Operation::stack) stacks.push_back(i);
    }
    nexts.resize(carries.size(), -1);
    for (int i = 0; i < tape_.size(); ++i)
        if (node(i).operation == Operation::advance && loop_of(node(i)) == loop)
            for (std::size_t k = 0; k < carries.size(); ++k)
                if (carries[k] == node(i).a) nexts[k] = node(i).b;

    Names inputs;
    for (const int each : carries) inputs.push_back(plain(node(each).a));
    for (const int each : steps) inputs.push_back(plain(node(each).a));
    const int first = steps.front();
    to_.enter(layer_of(first));
    const std::string name = to_.fresh(layer_of(first) + "/Scan");
    format::GraphProto body;
    body.set_name(name + ".body");
    to_.begin_body(body);
    body_loop_ = loop;
    const auto begin = [&](int i, const char* word) {
        const std::string of = to_.fresh(sentence(name, ".", word));
        set_type(*body.add_input(), of, to_.element(), extents(shape(i)));
        out(i, of);
    };
    for (const int each : carries) begin(each, "state");
    for (const int each : steps) begin(each, "step");
    for (int i = 0; i <= members_.last(loop); ++i)
        if (members_.of(i) == loop && wanted_[at(i)] && !is_loop_value(node(i).operation)) write(i);
    const auto end = [&](int i, int of, const char* word) {
        const std::string result = to_.node("Identity", {plain(of)}, {}, to_.fresh(sentence(name, ".", word)));
        set_type(*body.add_output(), result, to_.element(), extents(shape(i)));
    };
    for (std::size_t k = 0; k < carries.size(); ++k) end(carries[k], nexts[k] < 0 ? carries[k] : nexts[k], "next");
    for (const int each : stacks) end(node(each).a, node(each).a, "result");
    to_.end_body();
    body_loop_ = -1;
    // Forms of outer values that the body has made do not exist after it.
    for (auto each = made_in_body_.rbegin(); each != made_in_body_.rend(); ++each)
        values_[at(each->first)].forms.resize(each->second);
    made_in_body_.clear();

    format::NodeProto& n = to_.outside("Scan", inputs);
    n.set_name(name);
    for (std::size_t k = 0; k < carries.size(); ++k) n.add_output(to_.fresh(name + ".last"));
    for (const int each : stacks) {
        const std::string& wish = result_names_[at(each)];
        n.add_output(wish.empty() ? to_.fresh(name + ".all") : wish);
        out(each, n.output(n.output_size() - 1));
    }
    const auto all = [](const std::vector<int>& of, long long value) { return Integers(of.size(), value); };
    to_.set(n, {"num_scan_inputs", static_cast<long long>(steps.size())});
    to_.set(n, {"scan_input_axes", all(steps, 1)});
    to_.set(n, {"scan_output_axes", all(stacks, 1)});
    to_.set(n, {"scan_input_directions", all(steps, backwards)});
    to_.set(n, {"scan_output_directions", all(stacks, backwards)});
    format::AttributeProto& attribute = *n.add_attribute();
    attribute.set_name("body");
    attribute.set_type(format::AttributeProto::GRAPH);
    attribute.mutable_g()->Swap(&body);
}

/// Writes a recurrent layer. ONNX has the gates in another order, transposed weights, and an axis of directions.
void Translation::write_recurrent(int i, const Match& m) {
    const std::string_view op = m.op;
    const std::vector<int> gates = op == "LSTM"  ? std::vector<int>{0, 3, 1, 2}  // input, output, forget, cell
                                   : op == "GRU" ? std::vector<int>{1, 0, 2}     // update, reset, new
                                                 : std::vector<int>{0};
    const auto units = static_cast<std::size_t>(shape(i).last()), rows = gates.size() * units;
    // Row r of the transposed weights.
    const auto own_row = [&](std::size_t r) { return at(gates[r / units]) * units + r % units; };
    const auto turned = [&](int w) {
        const std::vector<double> values = weight_values(w);
        const std::size_t columns = values.size() / rows;
        std::vector<double> result;
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t c = 0; c < columns; ++c) result.push_back(values[c * rows + own_row(r)]);
        return to_.tensor(parameter_name(weight_of(w)),
                          {1, static_cast<long long>(rows), static_cast<long long>(columns)}, result);
    };
    const Order by_time{1, 0, 2};
    Names inputs{form(m.operands[0], by_time), turned(m.operands[1]), turned(m.operands[2])};
    if ((m.option & without_biases) == 0) {
        const std::vector<double> of = weight_values(m.operands[3]);
        std::vector<double> all(2 * rows, 0.0);  // biases of the input, then recurrent biases
        for (std::size_t r = 0; r < rows; ++r) all[r] = of[own_row(r)];
        if (m.operands.size() > 4) {  // biases of a GRU's candidate
            const std::vector<double> recurrent = weight_values(m.operands[4]);
            std::copy(recurrent.begin(), recurrent.end(), all.end() - static_cast<std::ptrdiff_t>(units));
        }
        inputs.push_back(
            to_.tensor(parameter_name(weight_of(m.operands[3])), {1, 2 * static_cast<long long>(rows)}, all));
    }
    for (std::size_t k = 0; k < m.states.size(); ++k) {
        if (m.states[k] < 0) continue;
        inputs.resize(5 + k);  // "" means no input
        inputs.push_back(to_.reshaped(plain(m.states[k]), {1, -1, shape(i).last()}));
    }
    std::vector<Attribute> attributes{{"hidden_size", static_cast<long long>(units)}};
    if (m.option & backwards) attributes.push_back({"direction", std::string("reverse")});
    if (op == "GRU") attributes.push_back({"linear_before_reset", 1ll});
    format::NodeProto& layer = to_.open_node(m.op, inputs, attributes);
    const std::string all = layer.name();
    layer.add_output(all);
    for (std::size_t k = 0; k < cells_of_.size(); ++k) {
        if (cells_of_[k] != i) continue;
        layer.add_output("");  // the last output, which `all` contains
        layer.add_output(all + ".cells");
        out(static_cast<int>(k), all + ".cells", by_time);  // only the last cell
    }
    out(i, to_.node("Squeeze", {all, to_.integers({1})}), by_time);
}

}  // namespace sigma::detail::onnx
