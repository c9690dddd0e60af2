// SPDX-License-Identifier: BSL-1.0
#include <onnx/patterns.hpp>

#include <sigma/layer/activation.hpp>
#include <sigma/layer/conv3d.hpp>
#include <sigma/layer/normalization.hpp>
#include <sigma/layer/recurrent.hpp>

#include <algorithm>

namespace sigma::detail::onnx {

namespace {

/// A trace of a pattern: x, and numbers that match any number of the program.
class Sketch {
    Tape tape_;  // before x, which is on this tape
    Context context_{tape_, false};

public:
    /// Constructs a sketch with the shape of x and, for some patterns, the number of units of the result.
    Sketch(const Shape& shape, int result_units, int which)
        : units(result_units), option(which), x{{&tape_, tape_.leaf(Operation::input, shape)}} {
        context_.first_carried = 1;  // states before the first step are further inputs
    }

    const int units, option;
    const Tensor x;
    Context& context() { return context_; }
    const Tape& tape() const { return tape_; }
    /// Returns the k-th number.
    static constexpr double number(int k) { return 0x1.8p-300 * (k + 1); }
    static constexpr int most_numbers = 2;
    RecurrentOptions recurrent() const {
        return {.backwards = (option & backwards) != 0, .bias = (option & without_biases) == 0, .stateful = true};
    }
};

struct Pattern {
    const char* op;
    PatternKind kind;
    Operation root;
    Tensor (*trace)(Sketch& s);
    const char* names[Sketch::most_numbers]{};  ///< Names of the open numbers.
    NamedNumber fixed[Sketch::most_numbers]{};  ///< Attributes with values that the formula determines.
};

constexpr double selu_scale = 1.0507009873554805, selu_alpha = 1.6732632423543772;

const Pattern patterns[] = {
    // clang-format off: a table
    {"Relu", PatternKind::elementwise, Operation::maximum, [](Sketch& s) { return relu(s.x); }},
    {"Clip", PatternKind::clip, Operation::minimum,
     [](Sketch& s) { return min(max(s.x, Sketch::number(0)), Sketch::number(1)); }, {"min", "max"}},
    {"LeakyRelu", PatternKind::elementwise, Operation::where,
     [](Sketch& s) { return leaky_relu(s.x, Sketch::number(0)); }, {"alpha"}},
    {"Elu", PatternKind::elementwise, Operation::add, [](Sketch& s) { return elu(s.x); }, {}, {{"alpha", 1}}},
    {"Elu", PatternKind::elementwise, Operation::add, [](Sketch& s) { return elu(s.x, Sketch::number(0)); }, {"alpha"}},
    {"Selu", PatternKind::elementwise, Operation::multiply, [](Sketch& s) { return selu(s.x); }, {},
     {{"alpha", selu_alpha}, {"gamma", selu_scale}}},
    {"Softplus", PatternKind::elementwise, Operation::add, [](Sketch& s) { return softplus(s.x); }},
    {"Softsign", PatternKind::elementwise, Operation::divide, [](Sketch& s) { return softsign(s.x); }},
    {"HardSigmoid", PatternKind::elementwise, Operation::multiply, [](Sketch& s) { return hard_sigmoid(s.x); }, {},
     {{"alpha", 1.0 / 6}, {"beta", 0.5}}},
    {"HardSwish", PatternKind::elementwise, Operation::multiply, [](Sketch& s) { return hard_swish(s.x); }},
    {"Softmax", PatternKind::along_axis, Operation::divide, [](Sketch& s) { return softmax(s.x, axis(s.option)); }},
    {"LogSoftmax", PatternKind::along_axis, Operation::subtract,
     [](Sketch& s) { return log_softmax(s.x, axis(s.option)); }},
    {"PRelu", PatternKind::with_slopes, Operation::where,
     [](Sketch& s) { return PReLU({.each_feature = s.option == 0}).forward(s.context(), s.x); }},
    {"LayerNormalization", PatternKind::layer_normalization, Operation::add,
     [](Sketch& s) {
         return LayerNorm({.epsilon = Sketch::number(0), .axes = s.x.shape().rank - s.option}).forward(s.context(), s.x);
     }, {"epsilon"}},
    {"BatchNormalization", PatternKind::batch_normalization, Operation::add,
     [](Sketch& s) { return BatchNorm({.epsilon = Sketch::number(0)}).forward(s.context(), s.x); }, {"epsilon"}},
    {"BatchNormalization", PatternKind::batch_normalization, Operation::multiply,
     [](Sketch& s) {
         return BatchNorm({.epsilon = Sketch::number(0), .affine = false}).forward(s.context(), s.x);
     }, {"epsilon"}},
    {"LSTM", PatternKind::recurrent, Operation::stack,
     [](Sketch& s) { return LSTM(s.units, s.recurrent()).forward(s.context(), s.x); }},
    {"GRU", PatternKind::recurrent, Operation::stack,
     [](Sketch& s) { return GRU(s.units, s.recurrent()).forward(s.context(), s.x); }},
    {"RNN", PatternKind::recurrent, Operation::stack,
     [](Sketch& s) { return Recurrent(s.units, s.recurrent()).forward(s.context(), s.x); }},
    // clang-format on
};

/// Finds a node of the program for each node of a sketch.
class Comparison {
public:
    Comparison(const Tape& pattern, const Tape& program)
        : pattern_(pattern), program_(program), found_(static_cast<std::size_t>(pattern.size()), -1) {}

    bool same(int p, int n) {
        const int found = (*this)[p];
        if (found >= 0) return found == n;
        if (!(pattern_[p].shape == program_[n].shape)) return false;
        found_[static_cast<std::size_t>(p)] = n;  // before its operands: in a loop they may include this node
        if (alike(p, n)) return true;
        found_[static_cast<std::size_t>(p)] = -1;
        return false;
    }
    /// Returns the new value of a carry.
    static int next(const Tape& tape, int carry) {
        for (int i = carry; i < tape.size(); ++i)
            if (tape[i].operation == Operation::advance && tape[i].a == carry) return tape[i].b;
        return carry;
    }
    int operator[](int p) const { return found_[static_cast<std::size_t>(p)]; }
    const double* number(int k) const { return known_[k] ? &numbers_[k] : nullptr; }

private:
    const Tape &pattern_, &program_;
    std::vector<int> found_;
    double numbers_[Sketch::most_numbers]{};
    bool known_[Sketch::most_numbers]{};
    int loop_ = -1;

    bool alike(int at_pattern, int at_program) {
        const Node &p = pattern_[at_pattern], &n = program_[at_program];
        if (p.operation == Operation::input) return true;
        if (p.operation == Operation::parameter) return !n.shape.batched();
        if (p.operation != n.operation) return false;
        if (is_loop_value(p.operation)) {
            const Loop &own = pattern_.loops()[loop_of(p)], &other = program_.loops()[loop_of(n)];
            if (loop_ >= 0 && loop_ != loop_of(n)) return false;  // a pattern has one
            loop_ = loop_of(n);
            return own.count == other.count && own.backwards == other.backwards && same(p.a, n.a) &&
                   (p.operation != Operation::carry || same(next(pattern_, at_pattern), next(program_, at_program)));
        }
        if (p.attribute != n.attribute) return false;
        if (p.operation == Operation::constant) return same_number(p.constant, n.constant);
        const Comparison before = *this;
        if (operands(p, n.a, n.b) && (p.c < 0 || same(p.c, n.c))) return true;
        restore(before);
        if (is_commutative(p.operation) && operands(p, n.b, n.a)) return true;
        restore(before);
        return false;
    }
    bool operands(const Node& p, int a, int b) { return (p.a < 0 || same(p.a, a)) && (p.b < 0 || same(p.b, b)); }
    bool same_number(double p, double n) {
        for (int k = 0; k < Sketch::most_numbers; ++k)
            if (p == Sketch::number(k)) {
                if (known_[k]) return numbers_[k] == n;
                known_[k] = true, numbers_[k] = n;
                return true;
            }
        return p == n;
    }
    void restore(const Comparison& to) {
        found_ = to.found_;
        loop_ = to.loop_;
        for (int k = 0; k < Sketch::most_numbers; ++k) known_[k] = to.known_[k], numbers_[k] = to.numbers_[k];
    }
};

/// Returns the number of options of a pattern, for x of this shape.
int options(PatternKind kind, const Shape& x) {
    switch (kind) {
        case PatternKind::along_axis:
        case PatternKind::layer_normalization: return x.rank;
        case PatternKind::with_slopes: return 2;
        case PatternKind::recurrent: return recurrent_options;
        default: return 1;
    }
}
/// Returns the shape of the operand x of a node. For a loop, x is the sequence with products that the steps read.
Shape shape_of_x(const Tape& tape, const Node& n) {
    if (n.operation != Operation::stack) return n.shape;
    for (const Node& s : tape) {
        if (s.operation != Operation::step || loop_of(s) != loop_of(n)) continue;
        const Node& z = tape[s.a];
        for (const int product : {s.a, z.a, z.b})
            if (product >= 0 && tape[product].operation == Operation::dot) return tape[tape[product].a].shape;
    }
    return {};
}
bool is_zero(const Tape& tape, int i) {
    const Node& n = tape[i].operation == Operation::expand ? tape[tape[i].a] : tape[i];
    return n.operation == Operation::constant && n.constant == 0;
}

}  // namespace

Match recognized(const Tape& tape, int n) {
    const Node& node = tape[n];
    for (const Pattern& p : patterns) {
        if (p.root != node.operation) continue;
        const Shape x = shape_of_x(tape, node);
        if (p.kind == PatternKind::recurrent && (x.rank != 3 || node.shape.rank != 3)) continue;
        if (p.kind == PatternKind::batch_normalization && x.rank < 2) continue;
        for (int option = 0; option < options(p.kind, x); ++option) {
            if (p.kind == PatternKind::layer_normalization && option == 0) continue;  // the batch is not normalized
            Sketch s(x, node.shape.last(), option);
            const int root = p.trace(s).variable.id;
            Comparison to(s.tape(), tape);
            if (s.tape()[root].operation != node.operation || !to.same(root, n)) continue;
            Match m{p.op, p.kind, option, {to[s.x.variable.id]}};
            for (const ParameterRecord& r : s.context().parameters) m.operands.push_back(to[r.variable]);
            for (int i = 0; i < s.tape().size(); ++i) {
                const Node& carry = s.tape()[i];
                if (carry.operation != Operation::carry) continue;
                m.states.push_back(is_zero(tape, to[carry.a]) ? -1 : to[carry.a]);
                m.next.push_back(to[Comparison::next(s.tape(), i)]);
            }
            for (int k = 0; k < Sketch::most_numbers; ++k) {
                if (p.names[k] && to.number(k)) m.numbers.push_back({p.names[k], *to.number(k)});
                if (p.fixed[k].name) m.numbers.push_back(p.fixed[k]);
            }
            return m;
        }
    }
    return {};
}

namespace {

/// Returns the convolutions of images that node `n` sums, one for each plane of a kernel, or an empty list.
std::vector<int> planes_of(const Tape& tape, int n) {
    std::vector<int> waiting{n}, planes;
    while (!waiting.empty()) {
        const int i = waiting.back();
        waiting.pop_back();
        const Node& node = tape[i];
        if (node.operation == Operation::convolve) planes.push_back(i);
        else if (node.operation == Operation::add) waiting.insert(waiting.end(), {node.a, node.b});
        else return {};
        if (node.operation == Operation::convolve && node.attribute != tape[planes[0]].attribute) return {};
    }
    std::sort(planes.begin(), planes.end());
    return planes;
}
/// Returns the nodes of rank 5 behind views, the outermost first.
std::vector<int> volumes_behind(const Tape& tape, int i) {
    std::vector<int> found;
    while (true) {
        const Operation o = tape[i].operation;
        if (tape[i].shape.rank == 5) found.push_back(i);
        if (o != Operation::reshape && o != Operation::slice && o != Operation::pad && o != Operation::expand)
            return found;
        i = tape[i].a;
    }
}

}  // namespace

/// Returns the convolution that a node computes. For volumes, the layer is traced with possible strides and dilations,
/// and the rest follows from the planes.
WindowMatch recognized_convolution(const Tape& tape, int n) {
    const Node& node = tape[n];
    const auto pair = [](const int(&both)[2]) { return std::vector<int>{both[0], both[1]}; };
    if (node.operation == Operation::convolve) {
        const Convolution g = Convolution::unpacked(node.attribute);
        return {node.a, node.b, g.groups, pair(g.stride), pair(g.dilation)};
    }
    if (node.operation != Operation::reshape || node.shape.rank != 5 || tape[node.a].shape.rank != 4) return {};
    const std::vector<int> planes = planes_of(tape, node.a);
    if (planes.empty()) return {};
    const Node& first = tape[planes[0]];
    const std::vector<int> weights = volumes_behind(tape, first.b);
    if (weights.empty()) return {};
    const Shape& w = tape[weights.back()].shape;
    if (w[0] != static_cast<int>(planes.size())) return {};
    const Convolution g = Convolution::unpacked(first.attribute);
    for (const int volume : volumes_behind(tape, first.a))
        for (int stride = 1, depth = tape[volume].shape[1]; stride <= depth; ++stride)
            for (int dilation = 1; dilation <= (w[0] > 1 ? depth : 1); ++dilation) {
                const int reach = (w[0] - 1) * dilation + 1;
                if (reach > depth || (depth - reach) / stride + 1 != node.shape[1]) continue;
                Sketch s(tape[volume].shape, w[4], 0);
                const Conv3D layer(w[4], VolumeSizes(w[0], w[1], w[2]),
                                   {.stride = VolumeSizes(stride, g.stride[0], g.stride[1]),
                                    .dilation = VolumeSizes(dilation, g.dilation[0], g.dilation[1]),
                                    .groups = g.groups,
                                    .bias = false});
                const int root = layer.forward(s.context(), s.x).variable.id;
                Comparison to(s.tape(), tape);
                if (s.context().failed() || !to.same(root, n)) continue;
                return {to[s.x.variable.id],
                        to[s.context().parameters[0].variable],
                        g.groups,
                        {stride, g.stride[0], g.stride[1]},
                        {dilation, g.dilation[0], g.dilation[1]}};
            }
    return {};
}

}  // namespace sigma::detail::onnx
