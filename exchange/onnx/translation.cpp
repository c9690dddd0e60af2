// SPDX-License-Identifier: BSL-1.0
#include <onnx/translation.hpp>

#include <onnx/patterns.hpp>
#include <sigma/core/error.hpp>
#include <sigma/tape/geometry.hpp>
#include <sigma/tape/interpreter.hpp>
#include <sigma/tape/loops.hpp>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sigma::detail::onnx {

namespace {

/// Which axis of a tensor of the program each axis of the graph's tensor is. Images are channels last in a program and
/// channels first in ONNX: a value keeps the order in which it was made until somebody wants another.
using Order = std::vector<int>;

Order plain_order(int rank) {
    Order o(static_cast<std::size_t>(rank));
    std::iota(o.begin(), o.end(), 0);
    return o;
}
bool is_plain(const Order& o) { return std::is_sorted(o.begin(), o.end()); }
/// (batch, height, width, channels) as (batch, channels, height, width); of any rank.
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
/// As Reshape wants it: what depends on the batch follows from the rest.
Integers reshape_extents(Integers e) {
    for (long long& each : e)
        if (each < 0) each = -1;
    return e;
}
/// Is a tensor in these two orders the same in memory?
bool moves_only_ones(const Shape& s, const Order& from, const Order& to) {
    const auto longer = [&](const Order& o) {
        Order kept;
        std::copy_if(o.begin(), o.end(), std::back_inserter(kept), [&](int axis) { return s[axis] != 1; });
        return kept;
    };
    return longer(from) == longer(to);
}
std::vector<double> moved(const std::vector<double>& values, const Shape& s, const Order& to) {
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

/// Elementwise operations that ONNX has by another name.
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

/// What several nodes are together, beside the patterns.
struct Fusion {
    enum Kind { none, biased_product, convolution, average_pool, mean } kind = none;
    int product = -1;  ///< a product, a convolution, or the last of several sums
    int bias = -1;
    int from = -1;  ///< images without their padding; what is summed
    WindowMatch window{};
    int before[3]{}, after[3]{};
};

/// A program as it was written: on the tape what is added to the greatest of windows has been added after that.
struct Rewritten {
    Tape tape{};
    List<int> outputs{};
    std::vector<int> origins{};  ///< of each node, in the program

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

class Translation {
public:
    Translation(const PortableModel& model, format::GraphProto& graph);

    void run();

private:
    struct Form {
        Order order;
        std::string name;
    };
    /// Of a node: its tensor in each order in which it is there, the first of which is that in which it was made.
    struct Value {
        Order order{};
        std::vector<Form> forms{};
        std::string truth{};  ///< of a comparison: what is true or false, in `order`
    };

    const PortableModel& model_;
    const Rewritten program_;
    const Tape& tape_;
    const LoopMembers members_;
    format::GraphProto& graph_;
    GraphWriter to_;
    List<char> fixed_;  ///< neither of inputs nor of parameters: computed here
    std::vector<int> uses_;
    std::vector<char> wanted_;
    std::vector<char> loop_wanted_;
    std::vector<Match> matches_;
    std::vector<int> cells_of_;  ///< of the stack of an LSTM's cells, that of its outputs
    std::vector<Fusion> fusions_;
    std::vector<std::string> result_names_;  ///< of outputs
    std::vector<Value> values_;
    std::vector<std::vector<double>> constants_;
    std::vector<std::pair<int, std::size_t>>
        made_in_body_;  ///< forms of what is outside of the loop, and how many before
    int body_loop_ = -1;
    std::set<int> parameters_written_;
    std::string batch_;  ///< its name, once somebody wanted it

    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    const Node& node(int i) const { return tape_[i]; }
    const Shape& shape(int i) const { return tape_[i].shape; }
    int rank(int i) const { return tape_[i].shape.rank; }

    // what is written
    void find_fixed();
    void each_operand(int i, auto f) const;
    /// Calls f(operand) for all that node i reads as it is written.
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

    /// A stack that Scan makes.
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
    /// Of a bias: its only long axis.
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

Translation::Translation(const PortableModel& model, format::GraphProto& graph)
    : model_(model), program_(model.prediction), tape_(program_.tape), members_(tape_), graph_(graph),
      to_(graph, model.element == Dtype::f64 ? format::TensorProto::DOUBLE : format::TensorProto::FLOAT),
      fixed_(tape_.size(), 0), uses_(at(tape_.size())), wanted_(at(tape_.size())),
      loop_wanted_(at(tape_.loops().size())), matches_(at(tape_.size())), cells_of_(at(tape_.size()), -1),
      fusions_(at(tape_.size())), result_names_(at(tape_.size())), values_(at(tape_.size())),
      constants_(at(tape_.size())) {}

// ---- what is written, and what together ----

/// So many elements are computed here at most, and stand in the file.
constexpr long long most_fixed = 1 << 18;

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
        // ONNX factorizes by itself.
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

/// Which nodes are needed, where `each(i, f)` says what node i reads. A loop is needed with all that it hands on.
std::vector<char> Translation::reached(auto each) const {
    std::vector<char> wanted(at(tape_.size())), loops(at(tape_.loops().size()));
    const auto want = [&](int i) {  // a loop at once: its last nodes stand behind its stacks
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

/// Products with biases, convolutions with padding and biases, averages.
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
/// Loops that are recurrent layers of ONNX: of whose values nobody reads another than the first state, or the last one
/// of an LSTM's cells, and whose weights are numbers, which ONNX has in another order. (ONNX Runtime has none of
/// doubles.)
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
/// Does nobody read more of a stack than what stands after the last step?
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
    // Each plane of a kernel over volumes reads the same padding.
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

/// A parameter, or what a view shows of one that nobody else reads: it is written as the view shows it.
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

// ---- tensors in their orders ----

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
/// The order in which a node has been made. What is written when it is first read has none yet.
const Order& Translation::order_of(int i) {
    Value& v = values_[at(i)];
    if (v.forms.empty() && v.truth.empty()) v.order = plain_order(rank(i));
    return v.order;
}
/// Of what is not made by a node of the graph, or of a comparison.
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
    v.forms.push_back({v.order, name});  // initializers stand in the main graph
    return name;
}
/// Its own, unless something has it already: one that is written twice, in other orders.
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
/// Beside a tensor of this rank and order, to which it broadcasts.
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
/// In which order node i is made of its operands: that of the first one which is as large as it and in another order,
/// unless one is in the plain one.
Order Translation::common_order(int i, std::initializer_list<int> operands) {
    Order found = plain_order(rank(i));
    for (const int o : operands) {
        if (o < 0 || !(shape(o) == shape(i)) || fixed_[o] || is_weight(o)) continue;
        if (is_plain(order_of(o))) return plain_order(rank(i));
        if (is_plain(found)) found = order_of(o);
    }
    return found;
}

/// The number of records, one axis of one.
std::string Translation::batch() {
    if (!batch_.empty()) return batch_;
    // Of an input of which an axis is the batch itself.
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
/// A shape for Expand of something whose own extents are `known`.
std::string Translation::extents_tensor(const Shape& s, const Shape& known) {
    const Shape own = known.aligned(s.rank);
    Integers e = extents(s);
    int dynamic = -1;
    for (int i = 0; i < s.rank; ++i)
        if (s[i] < 0) {
            if (own[i] == s[i]) e[at(i)] = 1;  // stays as it is
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

// ---- operations ----

void Translation::refuse(int i) const {
    throw ArgumentError(sentence("export_onnx, layer '", layer_of(i), "'"), "operations that ONNX has",
                        sentence("'", name(node(i).operation), "'"));
}

/// log(1 + x) with all its digits: what 1 + x loses is known (Goldberg 1991, theorem 4).
std::string Translation::accurate_log1p(const std::string& x, const std::string& result) {
    const std::string u = to_.node("Add", {x, constant(1)}), logarithm = to_.node("Log", {u});
    const std::string d = to_.node("Sub", {u, constant(1)});
    const std::string corrected = to_.node("Mul", {logarithm, to_.node("Div", {x, d})});
    const std::string exact =
        to_.node("Where", {to_.node("Equal", {d, x}), logarithm, corrected});  // also where both are infinite
    return to_.node("Where", {to_.node("Equal", {d, constant(0)}), x, exact}, {}, result);
}
/// e^x - 1 in the same way (Higham 2002, section 1.14.1).
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

/// What only adds or takes away axes of extent 1 keeps the order of the others.
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
        for (int axis = s.rank - 1; axis >= 0; --axis)  // one of extent 1 stands before the axis that it stood before
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
    if (n.operation == Operation::permute) {  // another order of the same
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
    const auto joined = [&](int o) {  // all leading axes together
        const long long columns = shape(o).last();
        const Integers e = columns > 0 ? Integers{-1, columns} : Integers{shape(o).count() / -columns, -1};
        return rank(o) == 2 ? plain(o) : to_.reshaped(plain(o), e);
    };
    Order swapped = plain_order(rank(n.a));
    std::swap(swapped[swapped.size() - 1], swapped[swapped.size() - 2]);
    const std::string a = !transposed              ? plain(n.a)
                          : each || rank(n.a) == 2 ? form(n.a, swapped)
                                                   : to_.node("Transpose", {joined(n.a)}, {{"perm", Integers{1, 0}}});
    out(i, to_.node("MatMul", {a, each ? plain(n.b) : joined(n.b)}, {}, wished(i)));
}

const Order oihw{3, 2, 0, 1};

void Translation::write_fusion(int i, const Fusion& f) {
    const Node& n = node(i);
    to_.enter(layer_of(f.product));
    if (f.kind == Fusion::biased_product) {
        const Node& p = node(f.product);
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
    const std::string x = form(f.from, order), wish = wished(i, order);
    if (f.kind == Fusion::average_pool) {
        attributes.push_back({"count_include_pad", 1ll});
        return out(i, to_.node("AveragePool", {x}, attributes, wish), order);
    }
    attributes.push_back({"dilations", as_integers(window.dilations)});
    attributes.push_back({"group", static_cast<long long>(window.groups)});
    Names inputs{x, form(window.weights, outputs_first)};
    if (f.bias >= 0) inputs.push_back(vector_form(f.bias));
    out(i, to_.node("Conv", inputs, attributes, wish), order);
}

/// Transposed convolution: of turned weights, (height, inputs, width, outputs of a group), or of one kernel a channel.
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
        to_.node("ConvTranspose", {form(n.a, order), form(n.b, by_channel ? oihw : Order{1, 3, 0, 2})},
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
    for (int k = 0; k < 2; ++k) {  // so far as the last window reaches
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

/// Sums, or a loop over the last axis.
void Translation::write_recurrence(int i) {
    const Node& n = node(i);
    const long long backward = n.attribute != 0, last = n.shape.rank - 1;
    const auto whole = [&](int o) { return shape(o) == n.shape ? plain(o) : expanded(plain(o), shape(o), n.shape); };
    const Node& factor = node(n.a);
    if (factor.operation == Operation::constant && factor.constant == 1)
        return out(i, to_.node("CumSum", {whole(n.b), to_.integers({last})}, {{"reverse", backward}}, wished(i)));
    std::string a = whole(n.a);
    const std::string b = whole(n.b);
    if (backward) {  // each factor is that of the element after
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

/// A loop over time as Scan: its body reads what is outside by name.
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
    // What the body has made of values from outside is not there behind it.
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

/// A recurrent layer: its weights have gates in another order, stand the other way round and in an axis of directions.
void Translation::write_recurrent(int i, const Match& m) {
    const std::string_view op = m.op;
    const std::vector<int> gates = op == "LSTM"  ? std::vector<int>{0, 3, 1, 2}  // input, output, forget, cell
                                   : op == "GRU" ? std::vector<int>{1, 0, 2}     // update, reset, new
                                                 : std::vector<int>{0};
    const auto units = static_cast<std::size_t>(shape(i).last()), rows = gates.size() * units;
    // Row r of what stands the other way round.
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
        std::vector<double> all(2 * rows, 0.0);  // of the weights, then of the recurrent ones
        for (std::size_t r = 0; r < rows; ++r) all[r] = of[own_row(r)];
        if (m.operands.size() > 4) {  // of a GRU's new values
            const std::vector<double> recurrent = weight_values(m.operands[4]);
            std::copy(recurrent.begin(), recurrent.end(), all.end() - static_cast<std::ptrdiff_t>(units));
        }
        inputs.push_back(
            to_.tensor(parameter_name(weight_of(m.operands[3])), {1, 2 * static_cast<long long>(rows)}, all));
    }
    for (std::size_t k = 0; k < m.states.size(); ++k) {
        if (m.states[k] < 0) continue;
        inputs.resize(5 + k);  // "" is no input
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
        layer.add_output("");  // the last output, which `all` has, too
        layer.add_output(all + ".cells");
        out(static_cast<int>(k), all + ".cells", by_time);  // only the last one
    }
    out(i, to_.node("Squeeze", {all, to_.integers({1})}), by_time);
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
    std::fill(uses_.begin(), uses_.end(), 0);  // from here on of what is written
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

}  // namespace

void translate(const PortableModel& model, format::GraphProto& graph) { Translation(model, graph).run(); }

}  // namespace sigma::detail::onnx
