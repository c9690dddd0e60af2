// SPDX-License-Identifier: BSL-1.0
#include <onnx/patterns.hpp>

#include <sigma/layer/activation.hpp>
#include <sigma/layer/normalization.hpp>
#include <sigma/layer/prelu.hpp>

#include <utility>

namespace sigma::detail::onnx {

namespace {

/// What a pattern is traced on: x, and numbers that may be any in the program.
class Sketch {
    Tape tape_;  // before x, which is made on it
    Context context_{tape_, false};

public:
    Sketch(const Shape& shape, int which) : option(which), x{{&tape_, tape_.leaf(Operation::input, shape)}} {}

    const int option;
    const Tensor x;
    Context& context() { return context_; }
    const Tape& tape() const { return tape_; }
    /// The k-th of them.
    static constexpr double number(int k) { return 0x1.8p-300 * (k + 1); }
    static constexpr int most_numbers = 2;
};

struct Pattern {
    const char* op;
    PatternKind kind;
    Operation root;
    Tensor (*trace)(Sketch& s);
    const char* names[Sketch::most_numbers]{};  ///< of the numbers it leaves open
    NamedNumber fixed[Sketch::most_numbers]{};  ///< attributes that the formula fixes
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
    // clang-format on
};

/// Finds for each node of a sketch one of the program.
class Comparison {
public:
    Comparison(const Tape& pattern, const Tape& program)
        : pattern_(pattern), program_(program), found_(static_cast<std::size_t>(pattern.size()), -1) {}

    bool same(int p, int n) {
        int& found = found_[static_cast<std::size_t>(p)];
        if (found >= 0) return found == n;
        if (!(pattern_[p].shape == program_[n].shape) || !alike(pattern_[p], program_[n])) return false;
        found_[static_cast<std::size_t>(p)] = n;
        return true;
    }
    int operator[](int p) const { return found_[static_cast<std::size_t>(p)]; }
    const double* number(int k) const { return known_[k] ? &numbers_[k] : nullptr; }

private:
    const Tape &pattern_, &program_;
    std::vector<int> found_;
    double numbers_[Sketch::most_numbers]{};
    bool known_[Sketch::most_numbers]{};

    bool alike(const Node& p, const Node& n) {
        if (p.operation == Operation::input) return true;
        if (p.operation == Operation::parameter) return !n.shape.batched();
        if (p.operation != n.operation || p.attribute != n.attribute) return false;
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
        for (int k = 0; k < Sketch::most_numbers; ++k) known_[k] = to.known_[k], numbers_[k] = to.numbers_[k];
    }
};

/// Which options a pattern may have for x of this shape.
int options(PatternKind kind, const Shape& x) {
    return kind == PatternKind::along_axis || kind == PatternKind::layer_normalization ? x.rank
           : kind == PatternKind::with_slopes                                          ? 2
                                                                                       : 1;
}

}  // namespace

Match recognized(const Tape& tape, int n) {
    const Node& node = tape[n];
    for (const Pattern& p : patterns) {
        if (p.root != node.operation) continue;
        for (int option = 0; option < options(p.kind, node.shape); ++option) {
            if (p.kind == PatternKind::layer_normalization && option == 0) continue;  // the batch is an axis apart
            Sketch s(node.shape, option);
            const int root = p.trace(s).variable.id;
            Comparison to(s.tape(), tape);
            if (s.tape()[root].operation != node.operation || !to.same(root, n)) continue;
            Match m{p.op, p.kind, option, {to[s.x.variable.id]}, {}};
            for (const ParameterRecord& r : s.context().parameters) m.operands.push_back(to[r.variable]);
            for (int k = 0; k < Sketch::most_numbers; ++k) {
                if (p.names[k] && to.number(k)) m.numbers.push_back({p.names[k], *to.number(k)});
                if (p.fixed[k].name) m.numbers.push_back(p.fixed[k]);
            }
            return m;
        }
    }
    return {};
}

}  // namespace sigma::detail::onnx
