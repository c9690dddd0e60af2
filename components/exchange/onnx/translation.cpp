// SPDX-License-Identifier: BSL-1.0
#include <onnx/translation.hpp>

#include <onnx/translator.hpp>
#include <sigma/tape/interpreter.hpp>

#include <algorithm>

namespace sigma::detail::onnx {

Translation::Translation(const PortableModel& model, format::GraphProto& graph)
    : model_(model), program_(model.prediction), tape_(program_.tape), members_(tape_), graph_(graph),
      to_(graph, model.element == Dtype::f64 ? format::TensorProto::DOUBLE : format::TensorProto::FLOAT),
      fixed_(tape_.size(), 0), uses_(at(tape_.size())), wanted_(at(tape_.size())),
      loop_wanted_(at(tape_.loops().size())), matches_(at(tape_.size())), cells_of_(at(tape_.size()), -1),
      fusions_(at(tape_.size())), result_names_(at(tape_.size())), values_(at(tape_.size())),
      constants_(at(tape_.size())) {}

namespace {

/// The most elements that the export computes and stores in the file.
constexpr long long most_fixed = 1 << 18;

}  // namespace

void Translation::find_fixed() {
    for (int i = 0; i < tape_.size(); ++i) {
        const Node& n = node(i);
        bool all = !n.shape.batched() && n.shape.count() <= most_fixed;
        for (const int o : {n.a, n.b, n.c}) all = all && (o < 0 || fixed_[o]);
        const bool leaf = n.operation == Operation::constant || n.operation == Operation::iota;
        fixed_[i] = all && (leaf || (!is_leaf(n.operation) && !is_loop_value(n.operation) &&
                                     facts(n.operation).kind != OperationKind::effect));
    }
}

void Translation::each_operand(int i, auto f) const {
    for (const int o : {node(i).a, node(i).b, node(i).c})
        if (o >= 0) f(o);
}
void Translation::each_read(int i, auto f) const {
    if (fixed_[i]) return;
    const Fusion& u = fusions_[at(i)];
    if (cells_of_[at(i)] >= 0) {
        f(cells_of_[at(i)]);
    } else if (matches_[at(i)].op) {
        for (const int o : matches_[at(i)].operands) f(o);
        for (const int o : matches_[at(i)].states)
            if (o >= 0) f(o);
    } else if (u.kind == Fusion::none) {
        // ONNX factorizes the matrix itself, so only the matrix is read.
        const Operation o = node(i).operation;
        if (o == Operation::determinant || o == Operation::log_determinant) f(node(i).a);
        else each_operand(i, f);
    } else {
        if (u.kind == Fusion::biased_product) f(node(u.product).a), f(node(u.product).b);
        if (u.kind == Fusion::convolution) f(u.window.weights);
        for (const int o : {u.bias, u.from})
            if (o >= 0) f(o);
    }
}

/// Finds the needed nodes. `each(i, f)` calls f for the operands of node i. A loop is needed with all its carries.
std::vector<char> Translation::reached(auto each) const {
    std::vector<char> wanted(at(tape_.size())), loops(at(tape_.loops().size()));
    const auto want = [&](int i) {  // a whole loop: its last nodes are behind its stacks
        wanted[at(i)] = 1;
        if (is_scanned(i)) loops[at(loop_of(node(i)))] = 1;
    };
    for (const int output : program_.outputs) want(output);
    for (int i = tape_.size() - 1; i >= 0; --i) {
        const Node& n = node(i);
        const bool of_loop = n.operation == Operation::advance || n.operation == Operation::step;
        if (of_loop && loops[at(loop_of(n))]) wanted[at(i)] = 1;
        if (!wanted[at(i)]) continue;
        each(i, want);
    }
    return wanted;
}

/// Finds products with biases, convolutions with padding and biases, and averages.
void Translation::find_fusion(int i) {
    const Node& n = node(i);
    Fusion& f = fusions_[at(i)];
    const auto read_once = [&](int o) { return uses_[at(o)] == 1 && members_.of(o) == members_.of(i); };
    int convolution = i;
    f.window = recognized_convolution(tape_, i);
    for (const auto& [y, b] : {std::pair{n.a, n.b}, std::pair{n.b, n.a}}) {
        if (n.operation != Operation::add || !read_once(y) || !(shape(y) == n.shape)) continue;
        const Shape& s = shape(b);
        if (s.batched() || s.count() != n.shape.last() || s.last() != n.shape.last()) continue;
        const Operation o = node(y).operation;
        if (o == Operation::dot && n.shape.rank == 2 && node(y).attribute == 0 && rank(node(y).b) == 2)
            f.kind = Fusion::biased_product, f.product = y, f.bias = b;
        const WindowMatch window = recognized_convolution(tape_, y);
        if (window.image >= 0) f.window = window, convolution = y, f.bias = b;
    }
    if (f.window.image >= 0) return find_convolution(f, convolution);
    for (const auto& [k, total] : {std::pair{n.a, n.b}, std::pair{n.b, n.a}}) {
        if (n.operation != Operation::multiply || node(k).operation != Operation::constant) continue;
        int last = total;
        if (is_reshape(last) && read_once(last)) last = node(last).a;
        if (node(last).operation != Operation::sum || (last != total && !read_once(last))) continue;
        int from = node(last).a;
        while (node(from).operation == Operation::sum && read_once(from)) from = node(from).a;
        const double share = static_cast<double>(n.shape.count()) / static_cast<double>(shape(from).count());
        if (shape(from).batched() == n.shape.batched() && node(k).constant == share)
            f.kind = Fusion::mean, f.product = last, f.from = from;
    }
}
/// Finds loops that are recurrent layers of ONNX. Only the first state may be read, or the last one of an LSTM's cells.
/// Weights must be constants, because ONNX has them in another order. (ONNX Runtime has no recurrent layers of
/// double.)
void Translation::find_recurrent_layers() {
    if (to_.element() == format::TensorProto::DOUBLE) return;
    for (int loop = 0; loop < tape_.loops().size(); ++loop) {
        std::vector<int> stacks;
        for (int i = 0; i < tape_.size(); ++i)
            if (node(i).operation == Operation::stack && loop_of(node(i)) == loop && uses_[at(i)] > 0)
                stacks.push_back(i);
        for (const int stack : stacks) {
            const Match m = recognized(tape_, stack);
            const bool whole = m.op && std::all_of(m.operands.begin() + 1, m.operands.end(),
                                                   [&](int w) { return node(w).operation == Operation::parameter; });
            const auto is_cells = [&](int other) { return m.next.size() > 1 && node(other).a == m.next[1]; };
            const auto served = [&](int other) { return other == stack || (is_cells(other) && only_last(other)); };
            if (!whole || !std::all_of(stacks.begin(), stacks.end(), served)) continue;
            matches_[at(stack)] = m;
            for (const int other : stacks)
                if (other != stack) cells_of_[at(other)] = stack;
            break;
        }
    }
}
/// Returns whether only the value after the last step of a stack is read.
bool Translation::only_last(int stack) const {
    const Loop& loop = tape_.loops()[loop_of(node(stack))];
    for (const Node& n : tape_)
        if (n.a == stack || n.b == stack || n.c == stack)
            if (n.operation != Operation::slice || axis_of(n) != 1 || n.shape[1] != 1 ||
                first_of(n) != (loop.backwards ? 0 : loop.count - 1))
                return false;
    return true;
}
void Translation::find_convolution(Fusion& f, int convolution) const {
    const int axes = rank(convolution) - 2;
    f.kind = Fusion::convolution, f.product = convolution, f.from = f.window.image;
    // All planes of a kernel over volumes read the same padding.
    const auto read_here_only = [&](int x) { return uses_[at(x)] == 1 || (axes == 3 && x == f.window.image); };
    while (node(f.from).operation == Operation::pad && read_here_only(f.from)) {
        const Node& x = node(f.from);
        const int along = axis_of(x) - 1;
        if (along < 0 || along >= axes) break;
        f.before[along] += first_of(x);
        f.after[along] += x.shape[along + 1] - first_of(x) - shape(x.a)[along + 1];
        f.from = x.a;
    }
    const Node& w = node(f.window.weights);
    const Node& k = w.operation == Operation::expand ? node(w.a) : w;
    if (k.operation == Operation::constant && k.constant == 1.0 / (w.shape[0] * w.shape[1]) && f.bias < 0 &&
        f.window.groups == shape(convolution).last() && f.window.dilations == std::vector<int>(at(axes), 1))
        f.kind = Fusion::average_pool;
}

void Translation::evaluate_fixed() {
    if (to_.element() == format::TensorProto::DOUBLE) {
        const debugging::Bindings<double> none{};
        constants_ = debugging::Interpreter<double>(tape_, none, 1).run(&fixed_);
        return;
    }
    const debugging::Bindings<float> none{};
    const auto values = debugging::Interpreter<float>(tape_, none, 1).run(&fixed_);
    for (std::size_t i = 0; i < values.size(); ++i) constants_[i].assign(values[i].begin(), values[i].end());
}

/// Returns whether a node is a parameter, or the only view of one, which is then written as the view shows it.
bool Translation::is_weight(int i) const { return weight_of(i) >= 0; }
int Translation::weight_of(int i) const {
    while (true) {
        const Node& n = node(i);
        if (n.operation == Operation::parameter) return static_cast<int>(n.attribute);
        const bool view = is_reshape(i) || n.operation == Operation::permute;
        if (!view || uses_[at(n.a)] != 1 || members_.of(i) >= 0) return -1;
        i = n.a;
    }
}
std::vector<double> Translation::weight_values(int i) const {
    const Node& n = node(i);
    if (n.operation == Operation::parameter) return model_.values(static_cast<int>(n.attribute));
    std::vector<double> of = weight_values(n.a);
    if (n.operation != Operation::permute) return of;
    Order o;
    for (int k = 0; k < n.shape.rank; ++k) o.push_back(source_axis(n, k));
    return moved(of, shape(n.a), o);
}

std::string Translation::layer_of(int i) const {
    const int origin = program_.origins[at(i)];
    for (const LayerRecord& l : model_.layers)
        if (origin >= l.first_node && origin < l.end_node) return std::string(l.name.view());
    const auto& costs = model_.network.costs;
    for (int k = 0; k < costs.size(); ++k)
        if (origin <= model_.prediction.outputs[k].id) return std::string(costs[k].name.view());
    return "prediction";
}

void Translation::run() {
    const NetworkTable& network = model_.network;
    for (const ParameterRecord& r : network.parameters) to_.reserve(std::string(r.name.view()));
    for (const HyperparameterRecord& r : network.hyperparameters) to_.reserve(std::string(r.name.view()));
    std::vector<std::string> input_names;
    const auto add_input = [&](const std::string& name, const Shape& s) {
        input_names.push_back(to_.fresh(name));
        set_type(*graph_.add_input(), input_names.back(), to_.element(), extents(s));
    };
    for (int i = 0; i < network.inputs.size(); ++i)
        add_input(std::string(network.layers[i].name.view()), network.inputs[i]);
    for (const CarriedState& each : network.states)
        add_input(std::string(each.name.view()), Shape{sigma::batch, each.units});
    const List<int>& outputs = program_.outputs;
    for (int i = 0; i < outputs.size(); ++i) {
        const int state = i - network.costs.size();
        const std::string wish = state < 0 ? std::string(network.costs[i].name.view())
                                           : std::string(network.states[state].name.view()) + ".next";
        result_names_[at(outputs[i])] = to_.fresh(wish);
        set_type(*graph_.add_output(), result_names_[at(outputs[i])], to_.element(), extents(shape(outputs[i])));
    }

    find_fixed();
    const std::vector<char> read = reached([this](int i, auto f) { each_operand(i, f); });
    for (int i = 0; i < tape_.size(); ++i) {
        if (!read[at(i)]) fixed_[i] = 0;
        else if (!fixed_[i]) each_operand(i, [&](int o) { ++uses_[at(o)]; });
    }
    for (const int output : outputs) ++uses_[at(output)];
    find_recurrent_layers();
    wanted_ = reached([this](int i, auto f) {
        if (!fixed_[i]) {
            if (node(i).operation != Operation::stack) matches_[at(i)] = recognized(tape_, i);
            if (!matches_[at(i)].op) find_fusion(i);
        }
        each_read(i, f);
    });
    std::fill(uses_.begin(), uses_.end(), 0);  // from here: uses in the written graph
    for (int i = 0; i < tape_.size(); ++i)
        if (wanted_[at(i)]) each_read(i, [&](int o) { ++uses_[at(o)]; });
    for (const int output : outputs) ++uses_[at(output)];
    evaluate_fixed();

    for (int i = 0; i < tape_.size(); ++i) {
        const Node& n = node(i);
        if (n.operation == Operation::input && read[at(i)]) out(i, input_names[static_cast<std::size_t>(n.attribute)]);
        if (wanted_[at(i)] && is_scanned(i)) loop_wanted_[at(loop_of(n))] = 1;
    }
    for (int i = 0; i < tape_.size(); ++i) {
        const Node& n = node(i);
        const int loop = members_.of(i);
        if (loop >= 0) {
            if (loop_wanted_[at(loop)] && members_.last(loop) == i) write_loop(loop);
        } else if (wanted_[at(i)] && !fixed_[i] && !is_weight(i) && n.operation != Operation::input &&
                   n.operation != Operation::advance && !is_scanned(i) && cells_of_[at(i)] < 0) {
            write(i);
        }
    }
    for (const int output : outputs) {
        const std::string& name = result_names_[at(output)];
        if (plain(output) != name) to_.node("Identity", {plain(output)}, {}, name);
    }
    to_.remove_unused();
}

void translate(const PortableModel& model, format::GraphProto& graph) { Translation(model, graph).run(); }

}  // namespace sigma::detail::onnx
