// SPDX-License-Identifier: BSL-1.0
#include <onnx/translator.hpp>
#include <sigma/tape/interpreter.hpp>

#include <algorithm>
#include <iterator>
#include <numeric>

namespace sigma::detail::onnx {

Order plain_order(int rank) {
    Order o(static_cast<std::size_t>(rank));
    std::iota(o.begin(), o.end(), 0);
    return o;
}
bool is_plain(const Order& o) { return std::is_sorted(o.begin(), o.end()); }
Order channels_first(int rank) {
    Order o = plain_order(rank);
    std::rotate(o.begin() + 1, o.end() - 1, o.end());
    return o;
}
int place_of(const Order& o, int axis) { return static_cast<int>(std::find(o.begin(), o.end(), axis) - o.begin()); }

Integers as_integers(const std::vector<int>& of) { return {of.begin(), of.end()}; }
Integers extents(const Shape& s) { return {s.extent, s.extent + s.rank}; }
Integers extents(const Shape& s, const Order& o) {
    Integers e;
    for (const int axis : o) e.push_back(s[axis]);
    return e;
}
Integers reshape_extents(Integers e) {
    for (long long& each : e)
        if (each < 0) each = -1;
    return e;
}
bool moves_only_ones(const Shape& s, const Order& from, const Order& to) {
    const auto longer = [&](const Order& o) {
        Order kept;
        std::copy_if(o.begin(), o.end(), std::back_inserter(kept), [&](int axis) { return s[axis] != 1; });
        return kept;
    };
    return longer(from) == longer(to);
}
std::vector<double> moved(const std::vector<double>& values, const Shape& s, const Order& to) {
    if (is_plain(to)) return values;
    std::vector<double> result(values.size());
    const debugging::Extents from(s, 1);
    Shape target = s;
    for (int i = 0; i < s.rank; ++i) target.extent[i] = s[to[static_cast<std::size_t>(i)]];
    const debugging::Extents into(target, 1);
    for (long long i = 0; i < into.count(); ++i) {
        const debugging::Index at = into.index(i);
        debugging::Index source{};
        for (std::size_t k = 0; k < to.size(); ++k) source[static_cast<std::size_t>(to[k])] = at[k];
        result[static_cast<std::size_t>(i)] = values[from.position(source)];
    }
    return result;
}

void Translation::out(int i, std::string name, Order order) {
    Value& v = values_[at(i)];
    v.order = order;
    v.forms.push_back({std::move(order), std::move(name)});
}
std::string Translation::wished(int i, const Order& order) const {
    return is_plain(order) ? result_names_[at(i)] : std::string();
}
void Translation::remember(int i, Form f) {
    std::vector<Form>& forms = values_[at(i)].forms;
    if (body_loop_ >= 0 && members_.of(i) != body_loop_) made_in_body_.push_back({i, forms.size()});
    forms.push_back(std::move(f));
}
/// Returns the original order of a node. Nodes that are written at their first use have none yet.
const Order& Translation::order_of(int i) {
    Value& v = values_[at(i)];
    if (v.forms.empty() && v.truth.empty()) v.order = plain_order(rank(i));
    return v.order;
}
/// Returns the first form of a value that no node of the graph makes, or of a comparison.
std::string Translation::first_form(int i, const Order& order) {
    Value& v = values_[at(i)];
    std::string name;
    if (!v.truth.empty()) {
        name = cast(v.truth, to_.element(), wished(i, v.order));
        remember(i, {v.order, name});
        return name;
    }
    if (is_weight(i)) {
        const int number = weight_of(i);
        v.order = uses_[at(i)] == 1 ? order : plain_order(rank(i));
        name =
            to_.tensor(parameter_name(number), extents(shape(i), v.order), moved(weight_values(i), shape(i), v.order));
    } else {
        v.order = order;
        const std::vector<double>& c = constants_[at(i)];
        name = rank(i) == 0 ? constant(c[0])
                            : to_.tensor(to_.fresh(layer_of(i) + "/Constant"), extents(shape(i), order),
                                         moved(c, shape(i), order));
    }
    v.forms.push_back({v.order, name});  // initializers are in the main graph
    return name;
}
/// Returns the name of a parameter. A parameter that is written in two orders needs a second name.
std::string Translation::parameter_name(int number) {
    const auto& parameters = model_.network.parameters;
    const auto& behind = model_.network.hyperparameters;
    const Text& of = number < parameters.size() ? parameters[number].name : behind[number - parameters.size()].name;
    const std::string name(of.view());
    return parameters_written_.insert(number).second ? name : to_.fresh(name);
}
std::string Translation::form(int i, const Order& order) {
    Value& v = values_[at(i)];
    if (v.forms.empty()) first_form(i, order);
    for (const Form& f : v.forms)
        if (f.order == order) return f.name;
    const Form from = v.forms.front();
    std::string name;
    if (moves_only_ones(shape(i), from.order, order)) {
        name = to_.reshaped(from.name, reshape_extents(extents(shape(i), order)), wished(i, order));
    } else {
        Integers perm;
        for (const int axis : order) perm.push_back(place_of(from.order, axis));
        name = to_.node("Transpose", {from.name}, {{"perm", perm}}, wished(i, order));
    }
    remember(i, {order, name});
    return name;
}
/// Returns a value in the order of a tensor of this rank, to which it broadcasts.
std::string Translation::beside(int i, int to_rank, const Order& order) {
    if (rank(i) == to_rank) return form(i, order);
    if (is_plain(order) || shape(i).scalar()) return plain(i);
    const Shape s = shape(i).aligned(to_rank);
    const Integers e = extents(s, order);
    if (is_weight(i) && uses_[at(i)] == 1 && values_[at(i)].forms.empty()) {
        return to_.tensor(parameter_name(weight_of(i)), e, moved(weight_values(i), s, order));
    }
    const std::string p = plain(i);
    if (moves_only_ones(s, plain_order(to_rank), order)) return to_.reshaped(p, reshape_extents(e));
    Integers perm(order.begin(), order.end());
    return to_.node("Transpose", {to_.reshaped(p, reshape_extents(extents(s)))}, {{"perm", perm}});
}
std::string Translation::truth_beside(int i, int to_rank, const Order& order) {
    const Value& v = values_[at(i)];
    if (!v.truth.empty() && (v.order == order || (is_plain(v.order) && (is_plain(order) || shape(i).scalar()))))
        return v.truth;
    return cast(beside(i, to_rank, order), format::TensorProto::BOOL);
}
/// Returns the order of node i: that of its first operand of the same size in another order, unless an operand has the
/// plain order.
Order Translation::common_order(int i, std::initializer_list<int> operands) {
    Order found = plain_order(rank(i));
    for (const int o : operands) {
        if (o < 0 || !(shape(o) == shape(i)) || fixed_[o] || is_weight(o)) continue;
        if (is_plain(order_of(o))) return plain_order(rank(i));
        if (is_plain(found)) found = order_of(o);
    }
    return found;
}

/// Returns the number of records, as a tensor with one element.
std::string Translation::batch() {
    if (!batch_.empty()) return batch_;
    // Reads the extent of an input with an axis that is the batch itself.
    const auto& inputs = model_.network.inputs;
    const auto is_batch = [](const Shape& s) { return s.batched() && s[s.batch_axis()] == sigma::batch; };
    const long long input = std::find_if(inputs.begin(), inputs.end(), is_batch) - inputs.begin();
    const long long axis = inputs[static_cast<int>(input)].batch_axis();
    format::NodeProto& n = to_.outside("Shape", {graph_.input(static_cast<int>(input)).name()});
    batch_ = to_.fresh("batch");
    n.set_name(batch_);
    n.add_output(batch_);
    to_.set(n, {"start", axis});
    to_.set(n, {"end", axis + 1});
    return batch_;
}
/// Returns a shape for Expand of a tensor with the extents `known`.
std::string Translation::extents_tensor(const Shape& s, const Shape& known) {
    const Shape own = known.aligned(s.rank);
    Integers e = extents(s);
    int dynamic = -1;
    for (int i = 0; i < s.rank; ++i)
        if (s[i] < 0) {
            if (own[i] == s[i]) e[at(i)] = 1;  // unchanged
            else dynamic = i;
        }
    if (dynamic < 0) return to_.integers(e);
    std::string of_batch = batch();
    if (s[dynamic] != -1) of_batch = to_.node("Mul", {of_batch, to_.integers({-s[dynamic]})});
    if (s.rank == 1) return of_batch;
    Names parts;
    if (dynamic > 0) parts.push_back(to_.integers({e.begin(), e.begin() + dynamic}));
    parts.push_back(of_batch);
    if (dynamic + 1 < s.rank) parts.push_back(to_.integers({e.begin() + dynamic + 1, e.end()}));
    return to_.node("Concat", parts, {{"axis", 0ll}});
}
std::string Translation::expanded(const std::string& x, const Shape& from, const Shape& s, const std::string& result) {
    return to_.node("Expand", {x, extents_tensor(s, from)}, {}, result);
}

}  // namespace sigma::detail::onnx
