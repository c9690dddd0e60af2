// SPDX-License-Identifier: BSL-1.0
#include <onnx/translator.hpp>
#include <sigma/core/error.hpp>

#include <algorithm>
#include <string_view>

namespace sigma::detail::onnx {

namespace {

/// Returns the ONNX name of an elementwise operation, if it differs from Sigma's.
constexpr const char* onnx_name(Operation o) {
    struct Row {
        Operation operation;
        const char* name;
    };
    constexpr Row rows[] = {{Operation::negate, "Neg"},
                            {Operation::absolute, "Abs"},
                            {Operation::sign, "Sign"},
                            {Operation::exp, "Exp"},
                            {Operation::log, "Log"},
                            {Operation::sqrt, "Sqrt"},
                            {Operation::tanh, "Tanh"},
                            {Operation::sigmoid, "Sigmoid"},
                            {Operation::sin, "Sin"},
                            {Operation::cos, "Cos"},
                            {Operation::tan, "Tan"},
                            {Operation::asin, "Asin"},
                            {Operation::acos, "Acos"},
                            {Operation::atan, "Atan"},
                            {Operation::erf, "Erf"},
                            {Operation::floor, "Floor"},
                            {Operation::round, "Round"},
                            {Operation::add, "Add"},
                            {Operation::subtract, "Sub"},
                            {Operation::multiply, "Mul"},
                            {Operation::divide, "Div"},
                            {Operation::power, "Pow"},
                            {Operation::maximum, "Max"},
                            {Operation::minimum, "Min"},
                            {Operation::less, "Less"},
                            {Operation::less_equal, "LessOrEqual"},
                            {Operation::equal, "Equal"},
                            {Operation::sum, "ReduceSum"},
                            {Operation::reduce_maximum, "ReduceMax"},
                            {Operation::reduce_minimum, "ReduceMin"}};
    for (const Row& each : rows)
        if (each.operation == o) return each.name;
    return nullptr;
}
}  // namespace

void Translation::refuse(int i) const {
    throw ArgumentError(sentence("export_onnx, layer '", layer_of(i), "'"), "operations that ONNX has",
                        sentence("'", name(node(i).operation), "'"));
}

/// Writes log(1 + x) with full precision: the rounding error of 1 + x is known (Goldberg 1991, theorem 4).
std::string Translation::accurate_log1p(const std::string& x, const std::string& result) {
    const std::string u = to_.node("Add", {x, constant(1)}), logarithm = to_.node("Log", {u});
    const std::string d = to_.node("Sub", {u, constant(1)});
    const std::string corrected = to_.node("Mul", {logarithm, to_.node("Div", {x, d})});
    const std::string exact =
        to_.node("Where", {to_.node("Equal", {d, x}), logarithm, corrected});  // also for infinities
    return to_.node("Where", {to_.node("Equal", {d, constant(0)}), x, exact}, {}, result);
}
/// Writes e^x - 1 with full precision (Higham 2002, section 1.14.1).
std::string Translation::accurate_expm1(const std::string& x, const std::string& result) {
    const std::string u = to_.node("Exp", {x}), d = to_.node("Sub", {u, constant(1)});
    const std::string corrected = to_.node("Mul", {d, to_.node("Div", {x, to_.node("Log", {u})})});
    const std::string small = to_.node("Where", {to_.node("Equal", {d, constant(0)}), x, corrected});
    return to_.node("Where", {to_.node("Less", {to_.node("Abs", {x}), constant(0.5)}), small, d}, {}, result);
}

void Translation::write_elementwise(int i) {
    const Node& n = node(i);
    const Order order = common_order(i, {n.a, n.b, n.c});
    const std::string wish = wished(i, order);
    const auto operand = [&](int o) { return beside(o, n.shape.rank, order); };
    if (const char* const op = onnx_name(n.operation)) {
        Names operands{operand(n.a)};
        if (n.b >= 0) operands.push_back(operand(n.b));
        if (is_commutative(n.operation) && !shape(n.a).batched()) std::swap(operands[0], operands[1]);
        if (is_comparison(n.operation)) {
            values_[at(i)].truth = to_.node(op, operands);
            values_[at(i)].order = order;
            return;
        }
        return out(i, to_.node(op, operands, {}, wish), order);
    }
    const std::string a = n.operation == Operation::where ? std::string() : operand(n.a);
    switch (n.operation) {
        case Operation::where: {
            const std::string condition = truth_beside(n.a, n.shape.rank, order);
            return out(i, to_.node("Where", {condition, operand(n.b), operand(n.c)}, {}, wish), order);
        }
        case Operation::rsqrt: return out(i, to_.node("Reciprocal", {to_.node("Sqrt", {a})}, {}, wish), order);
        case Operation::log1p: return out(i, accurate_log1p(a, wish), order);
        case Operation::expm1: return out(i, accurate_expm1(a, wish), order);
        case Operation::mod: {  // ONNX's remainder has the sign of the first operand
            const std::string b = operand(n.b), r = to_.node("Mod", {a, b}, {{"fmod", 1ll}});
            const std::string signs = to_.node("Mul", {to_.node("Sign", {r}), to_.node("Sign", {b})});
            const std::string differ = to_.node("Less", {signs, constant(0)});
            return out(i, to_.node("Where", {differ, to_.node("Add", {r, b}), r}, {}, wish), order);
        }
        default: refuse(i);
    }
}

void Translation::write_reduction(int i, const char* op, int of) {
    const Order order = order_of(of);
    const std::string x = form(of, order), wish = wished(i, order);
    Integers axes;
    for (std::size_t k = 0; k < order.size(); ++k)
        if (shape(of)[order[k]] != shape(i)[order[k]]) axes.push_back(static_cast<long long>(k));
    const std::string_view name = op;
    const bool over_images = order.size() == 4 && order == channels_first(4) && axes == Integers{2, 3};
    std::string y;
    if (name == "ReduceSum") y = to_.node(op, {x, to_.integers(axes)}, {{"keepdims", 1ll}}, wish);
    else if (over_images && name == "ReduceMean") y = to_.node("GlobalAveragePool", {x}, {}, wish);
    else if (over_images && name == "ReduceMax") y = to_.node("GlobalMaxPool", {x}, {}, wish);
    else y = to_.node(op, {x}, {{"axes", axes}, {"keepdims", 1ll}}, wish);
    out(i, y, order);
}

/// Writes a reshape. If it only adds or removes axes of extent 1, the order of the other axes stays.
void Translation::write_reshape(int i, int a) {
    const Shape &from = shape(a), &s = shape(i);
    const auto long_axes = [](const Shape& of) {
        std::vector<int> axes;
        for (int k = 0; k < of.rank; ++k)
            if (of[k] != 1) axes.push_back(k);
        return axes;
    };
    const std::vector<int> old_axes = long_axes(from), new_axes = long_axes(s);
    bool same_axes = old_axes.size() == new_axes.size();
    for (std::size_t k = 0; same_axes && k < old_axes.size(); ++k) same_axes = from[old_axes[k]] == s[new_axes[k]];
    Order order = plain_order(s.rank);
    std::string x;
    if (same_axes) {
        const Order& was = order_of(a);
        Order moved_axes;
        for (const int axis : was)
            if (from[axis] != 1)
                moved_axes.push_back(new_axes[at(place_of(Order(old_axes.begin(), old_axes.end()), axis))]);
        for (int axis = s.rank - 1; axis >= 0; --axis)  // an axis of extent 1 stays in front of the same axis
            if (s[axis] == 1) {
                const auto next = std::find(moved_axes.begin(), moved_axes.end(), axis + 1);
                moved_axes.insert(next, axis);
            }
        order = moved_axes;
        x = form(a, was);
    } else {
        x = plain(a);
    }
    out(i, to_.reshaped(x, reshape_extents(extents(s, order)), wished(i, order)), order);
}

void Translation::write_movement(int i) {
    const Node& n = node(i);
    if (n.operation == Operation::permute) {  // another order of the same elements
        Order to(at(n.shape.rank)), order;
        for (int k = 0; k < n.shape.rank; ++k) to[at(source_axis(n, k))] = k;
        for (const int axis : order_of(n.a)) order.push_back(to[at(axis)]);
        return out(i, form(n.a, order_of(n.a)), order);
    }
    const Order order = order_of(n.a);
    const std::string x = form(n.a, order), wish = wished(i, order);
    if (cells_of_[at(n.a)] >= 0) return out(i, x, order);
    const long long first = first_of(n), place = place_of(order, axis_of(n)), extent = n.shape[axis_of(n)];
    if (n.operation == Operation::slice)
        return out(i,
                   to_.node("Slice", {x, to_.integers({first}), to_.integers({first + extent}), to_.integers({place})},
                            {}, wish),
                   order);
    if (n.operation == Operation::concatenate)
        return out(i, to_.node("Concat", {x, form(n.b, order)}, {{"axis", place}}, wish), order);
    Integers pads(2 * order.size());
    pads[static_cast<std::size_t>(place)] = first;
    pads[order.size() + static_cast<std::size_t>(place)] = extent - first - shape(n.a)[axis_of(n)];
    out(i, to_.node("Pad", {x, to_.integers(pads)}, {}, wish), order);
}

void Translation::write_product(int i) {
    const Node& n = node(i);
    const bool each = n.attribute != 0, transposed = n.operation == Operation::transposed_dot;
    const auto joined = [&](int o) {  // merges all leading axes
        const long long columns = shape(o).last();
        const Integers e = columns > 0 ? Integers{-1, columns} : Integers{shape(o).count() / -columns, -1};
        return rank(o) == 2 ? plain(o) : to_.reshaped(plain(o), e);
    };
    Order swapped = plain_order(rank(n.a));
    std::swap(swapped[swapped.size() - 1], swapped[swapped.size() - 2]);
    if (const QuantizedWeight* const w = small_weight(n.b); w != nullptr && !transposed && !each && rank(n.b) == 2)
        return out(i, to_.node("MatMul",
                               {rounded(n.a, plain_order(rank(n.a)), w->range), weight_form(n.b, *w, plain_order(2))},
                               {}, wished(i)));
    const std::string a = !transposed              ? plain(n.a)
                          : each || rank(n.a) == 2 ? form(n.a, swapped)
                                                   : to_.node("Transpose", {joined(n.a)}, {{"perm", Integers{1, 0}}});
    out(i, to_.node("MatMul", {a, each ? plain(n.b) : joined(n.b)}, {}, wished(i)));
}

void Translation::write_fusion(int i, const Fusion& f) {
    const Node& n = node(i);
    to_.enter(layer_of(f.product));
    if (f.kind == Fusion::biased_product) {
        const Node& p = node(f.product);
        if (const QuantizedWeight* const w = small_weight(p.b)) {
            const Order order = plain_order(2);
            const Names inputs{rounded(p.a, order, w->range), weight_form(p.b, *w, order), bias_form(f.bias, *w)};
            return out(i, to_.node("Gemm", inputs, {}, wished(i)));
        }
        return out(i, to_.node("Gemm", {plain(p.a), plain(p.b), vector_form(f.bias)}, {}, wished(i)));
    }
    if (f.kind == Fusion::mean) {
        write_reduction(n.shape == shape(f.product) ? i : f.product, "ReduceMean", f.from);
        if (!(n.shape == shape(f.product))) write_reshape(i, f.product);
        return;
    }
    const WindowMatch& window = f.window;
    const Order order = channels_first(n.shape.rank);
    const auto axes = n.shape.rank - 2;
    Integers pads(f.before, f.before + axes), kernel;
    pads.insert(pads.end(), f.after, f.after + axes);
    Order outputs_first{axes + 1, axes};
    for (int k = 0; k < axes; ++k) outputs_first.push_back(k), kernel.push_back(shape(window.weights)[k]);
    std::vector<Attribute> attributes{
        {"kernel_shape", kernel}, {"strides", as_integers(window.strides)}, {"pads", pads}};
    const std::string wish = wished(i, order);
    if (f.kind == Fusion::average_pool) {
        attributes.push_back({"count_include_pad", 1ll});
        return out(i, to_.node("AveragePool", {form(f.from, order)}, attributes, wish), order);
    }
    attributes.push_back({"dilations", as_integers(window.dilations)});
    attributes.push_back({"group", static_cast<long long>(window.groups)});
    const QuantizedWeight* const w = small_weight(window.weights);
    Names inputs{w != nullptr ? rounded(f.from, order, w->range) : form(f.from, order),
                 w != nullptr ? weight_form(window.weights, *w, outputs_first) : form(window.weights, outputs_first)};
    if (f.bias >= 0) inputs.push_back(w != nullptr ? bias_form(f.bias, *w) : vector_form(f.bias));
    out(i, to_.node("Conv", inputs, attributes, wish), order);
}

/// Writes a transposed convolution with weights (height, inputs, width, outputs of a group), or with one kernel for
/// each channel.
void Translation::write_convolution_input(int i) {
    const Node& n = node(i);
    const Convolution g = Convolution::unpacked(n.attribute);
    const bool by_channel = Convolution::by_channel(g.groups, n.shape[3]);
    const Shape &d = shape(n.a), &w = shape(n.b);
    const int kernel[2]{w[0], w[by_channel ? 1 : 2]};
    Integers more;
    for (int k = 0; k < 2; ++k) more.push_back(n.shape[k + 1] - ((d[k + 1] - 1) * g.stride[k] + g.reach(k, kernel[k])));
    const Order order = channels_first(4);
    out(i,
        to_.node("ConvTranspose", {form(n.a, order), form(n.b, by_channel ? Order{3, 2, 0, 1} : Order{1, 3, 0, 2})},
                 {{"kernel_shape", Integers{kernel[0], kernel[1]}},
                  {"strides", Integers{g.stride[0], g.stride[1]}},
                  {"dilations", Integers{g.dilation[0], g.dilation[1]}},
                  {"output_padding", more},
                  {"group", static_cast<long long>(g.groups)}},
                 wished(i, order)),
        order);
}

void Translation::write_max_pool(int i) {
    const Node& n = node(i);
    const Pooling p = Pooling::unpacked(n.attribute);
    Integers pads{p.before[0], p.before[1]};
    for (int k = 0; k < 2; ++k) {  // up to the end of the last window
        const int reach = (n.shape[k + 1] - 1) * p.stride[k] + p.window[k] - p.before[k];
        pads.push_back(std::max(0, reach - shape(n.a)[k + 1]));
    }
    const Order order = channels_first(4);
    out(i,
        to_.node("MaxPool", {form(n.a, order)},
                 {{"kernel_shape", Integers{p.window[0], p.window[1]}},
                  {"strides", Integers{p.stride[0], p.stride[1]}},
                  {"pads", pads}},
                 wished(i, order)),
        order);
}

void Translation::write_block(int i) {
    const Node& n = node(i);
    const bool option = n.attribute != 0;
    if (n.operation == Operation::argsort) {
        const std::string x = rank(n.a) > 0 ? plain(n.a) : to_.reshaped(plain(n.a), {1});
        format::NodeProto& t = to_.open_node("TopK", {x, to_.integers({n.shape.last()})},
                                             {{"axis", -1ll}, {"largest", static_cast<long long>(option)}});
        const std::string positions = t.name() + ".positions";
        t.add_output(t.name());
        t.add_output(positions);
        return out(i, cast(positions, to_.element(), wished(i)));
    }
    if (n.operation == Operation::gather_along) {
        const auto whole = [&](int o) {  // with all leading axes of the result
            const Shape s = n.shape.with(n.shape.rank - 1, shape(o).last());
            return s == shape(o) ? plain(o) : expanded(plain(o), shape(o), s);
        };
        const std::string x = whole(n.a), positions = cast(whole(n.b), format::TensorProto::INT64);
        return out(i, to_.node("GatherElements", {x, positions}, {{"axis", -1ll}}, wished(i)));
    }
    if (n.operation == Operation::determinant || n.operation == Operation::log_determinant) {
        std::string y = to_.node("Det", {plain(n.a)});
        if (n.operation == Operation::log_determinant)
            y = option ? to_.node("Sign", {y}) : to_.node("Log", {to_.node("Abs", {y})});
        return out(i, to_.reshaped(y, reshape_extents(extents(n.shape)), wished(i)));
    }
    if (n.operation == Operation::linear_recurrence) return write_recurrence(i);
    refuse(i);
}

void Translation::write_match(int i, const Match& m) {
    if (m.kind == PatternKind::recurrent) return write_recurrent(i, m);
    const int x = m.operands[0];
    Order order = order_of(x);
    Names inputs;
    std::vector<Attribute> attributes;
    if (m.kind != PatternKind::clip)
        for (const NamedNumber& each : m.numbers) attributes.push_back({each.name, static_cast<float>(each.value)});
    const auto vector_of = [&](double value) {
        const Integers all{shape(i).last()};
        return to_.tensor(to_.fresh(layer_of(i) + "/Constant"), all, std::vector<double>(at(shape(i).last()), value));
    };
    switch (m.kind) {
        case PatternKind::elementwise:
        case PatternKind::recurrent: break;
        case PatternKind::clip:
            for (const NamedNumber& each : m.numbers) inputs.push_back(constant(each.value));
            break;
        case PatternKind::along_axis:
            attributes.push_back({"axis", static_cast<long long>(place_of(order, m.option))});
            break;
        case PatternKind::with_slopes: inputs = {beside(m.operands[1], rank(i), order)}; break;
        case PatternKind::layer_normalization:
            order = plain_order(rank(i));
            inputs = {plain(m.operands[1]), plain(m.operands[2])};
            attributes.push_back({"axis", static_cast<long long>(m.option)});
            break;
        case PatternKind::batch_normalization:
            order = channels_first(rank(i));
            if (m.operands.size() > 3) inputs = {plain(m.operands[3]), plain(m.operands[4])};
            else inputs = {vector_of(1), vector_of(0)};
            for (const int statistic : {m.operands[1], m.operands[2]}) inputs.push_back(plain(statistic));
            break;
    }
    inputs.insert(inputs.begin(), form(x, order));
    out(i, to_.node(m.op, inputs, attributes, wished(i, order)), order);
}

void Translation::write(int i) {
    const Node& n = node(i);
    to_.enter(layer_of(i));
    if (matches_[at(i)].op) return write_match(i, matches_[at(i)]);
    if (fusions_[at(i)].kind != Fusion::none) return write_fusion(i, fusions_[at(i)]);
    switch (n.operation) {
        case Operation::copy:
        case Operation::stop_gradient: return out(i, form(n.a, order_of(n.a)), order_of(n.a));
        case Operation::expand:
            if (is_reshape(i)) return write_reshape(i, n.a);
            return out(i, expanded(plain(n.a), shape(n.a), n.shape, wished(i)));
        case Operation::reshape: return write_reshape(i, n.a);
        case Operation::permute:
        case Operation::slice:
        case Operation::pad:
        case Operation::concatenate: return write_movement(i);
        case Operation::dot:
        case Operation::transposed_dot: return write_product(i);
        case Operation::convolve_input: return write_convolution_input(i);
        case Operation::pool_max: return write_max_pool(i);
        case Operation::gather: {
            const std::string ids = cast(plain(n.b), format::TensorProto::INT64);
            return out(i, to_.node("Gather", {plain(n.a), ids}, {{"axis", 0ll}}, wished(i)));
        }
        case Operation::argmax: {
            const Order order = order_of(n.a);
            const long long place = place_of(order, static_cast<int>(n.attribute));
            const std::string position = to_.node("ArgMax", {form(n.a, order)}, {{"axis", place}, {"keepdims", 1ll}});
            return out(i, cast(position, to_.element(), wished(i, order)), order);
        }
        case Operation::reciprocal_batch:
            return out(i, to_.node("Reciprocal", {to_.reshaped(cast(batch(), to_.element()), {})}, {}, wished(i)));
        default: break;
    }
    if (is_reduction(n.operation)) return write_reduction(i, onnx_name(n.operation), n.a);
    if (is_block(n.operation)) return write_block(i);
    if (is_map(n.operation)) return write_elementwise(i);
    refuse(i);
}

}  // namespace sigma::detail::onnx
