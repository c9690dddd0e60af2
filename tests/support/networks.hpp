// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/compose.hpp>
#include <sigma/tape/differentiate.hpp>
#include <sigma/tape/program.hpp>

/// Small training steps written by hand, for tests of the passes. All are functions of nothing, so that they can be
/// planned while compiling.
namespace sigma::test {

/// The leaves of a program, and what leaves it.
class Recorder {
public:
    constexpr explicit Recorder(sigma::detail::Program& program) : p(program) {}

    template <int... extents>
    constexpr Tensor input() {
        return leaf(Shape{extents...}, sigma::detail::Operation::input, inputs_++);
    }
    template <int... extents>
    constexpr Tensor parameter() {
        const Tensor w = leaf(Shape{extents...}, sigma::detail::Operation::parameter, parameters_++);
        wrt_.push(w.variable);
        return w;
    }
    template <int... extents>
    constexpr Tensor state() {
        return leaf(Shape{extents...}, sigma::detail::Operation::state, states_++);
    }
    constexpr void output(Tensor x) { p.outputs.push(sigma::detail::copy(x.variable)); }
    constexpr void assign(Variable to, Variable value) {
        p.assignments.push({&p.tape, p.tape.put({sigma::detail::Operation::assign, to.id, value.id, -1, to.shape()})});
    }
    constexpr const sigma::detail::List<Variable>& parameters() const { return wrt_; }
    constexpr sigma::detail::List<Variable> gradients(Tensor loss) {
        return differentiate(loss.variable, constant(&p.tape, 1), wrt_);
    }
    /// Gradient descent on every parameter.
    constexpr void descend(Tensor loss, Tensor rate) {
        const sigma::detail::List<Variable> g = gradients(loss);
        for (int i = 0; i < g.size(); ++i) assign(wrt_[i], wrt_[i] - rate.variable * g[i]);
    }

private:
    sigma::detail::Program& p;
    sigma::detail::List<Variable> wrt_{};
    std::uint64_t inputs_ = 0, parameters_ = 0, states_ = 0;

    constexpr Tensor leaf(const Shape& s, sigma::detail::Operation o, std::uint64_t number) {
        return {{&p.tape, p.tape.leaf(o, s, number)}};
    }
};

/// Mean cross-entropy of logits and class numbers.
constexpr Tensor cross_entropy(Tensor logits, Tensor labels) {
    const Tensor log_probabilities = log_softmax(logits);  // statements: the order of operands is the compiler's choice
    const Tensor classes = one_hot(labels, logits.shape().last());
    return -mean(sum(classes * log_probabilities, axis(-1)));
}

/// 4-12-3, relu, softmax and cross-entropy, gradient descent.
constexpr sigma::detail::Program iris_step() {
    sigma::detail::Program p;
    Recorder r(p);
    const auto x = r.input<batch, 4>();
    const auto labels = r.input<batch>();
    const auto rate = r.input<>();
    const auto w1 = r.parameter<4, 12>();
    const auto b1 = r.parameter<12>();
    const auto w2 = r.parameter<12, 3>();
    const auto b2 = r.parameter<3>();
    const auto loss = cross_entropy(dot(relu(dot(x, w1) + b1), w2) + b2, labels);
    r.output(loss);
    r.descend(loss, rate);
    return p;
}

/// Three matrix products forward, 8-6-5-2 with tanh, and the gradients as outputs.
constexpr sigma::detail::Program three_layers() {
    sigma::detail::Program p;
    Recorder r(p);
    const auto x = r.input<batch, 8>();
    const auto w1 = r.parameter<8, 6>();
    const auto w2 = r.parameter<6, 5>();
    const auto w3 = r.parameter<5, 2>();
    const auto loss = mean(square(dot(tanh(dot(tanh(dot(x, w1)), w2)), w3)));
    for (const Variable& g : r.gradients(loss)) p.outputs.push(sigma::detail::copy(g));
    return p;
}

}  // namespace sigma::test
