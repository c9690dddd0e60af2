// SPDX-License-Identifier: BSL-1.0
// Recurrent layers on a tape against plain loops: values, and gradients against central differences of the loops.
#include "loss_support.hpp"

#include <sigma/layer/recurrent.hpp>
#include <sigma/tape/differentiate.hpp>

#include "support/reference.hpp"

using namespace sigma;
using namespace sigma::test;

namespace {

constexpr std::size_t records = 3;

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

/// A parameter of a layer: rows after rows.
struct Matrix {
    const double* data;
    std::size_t columns;
    double operator()(std::size_t i, std::size_t j) const { return data[i * columns + j]; }
};
/// x·A, one number of it.
double product(const Numbers_& x, const Matrix& a, std::size_t j) {
    double total = 0;
    for (std::size_t i = 0; i < x.size(); ++i) total += x[i] * a(i, j);
    return total;
}

/// What stands before and after a step: h, and c of an LSTM.
struct State {
    Numbers_ h, c;
};
/// Parameters of one layer, in the order in which it asks for them.
using Parameters = std::vector<Numbers_>;

State step(const Recurrent& layer, const Parameters& p, const Numbers_& x, const State& before) {
    const auto n = static_cast<std::size_t>(layer.units);
    State after = before;
    for (std::size_t j = 0; j < n; ++j) {
        const double z = product(x, {p[0].data(), n}, j) + product(before.h, {p[1].data(), n}, j) +
                         (layer.options.bias ? p[2][j] : 0);
        const auto* const f = layer.activation.function;
        after.h[j] = f == sigma::detail::Activation(sigma::tanh).function      ? std::tanh(z)
                     : f == sigma::detail::Activation(sigma::sigmoid).function ? logistic(z)
                                                                               : z / (1 + z * z);
    }
    return after;
}
State step(const LSTM& layer, const Parameters& p, const Numbers_& x, const State& before) {
    const auto n = static_cast<std::size_t>(layer.units);
    State after = before;
    for (std::size_t j = 0; j < n; ++j) {
        const auto z = [&](std::size_t gate) {
            const std::size_t k = gate * n + j;
            return product(x, {p[0].data(), 4 * n}, k) + product(before.h, {p[1].data(), 4 * n}, k) +
                   (layer.options.bias ? p[2][k] : 0);
        };
        after.c[j] = logistic(z(1)) * before.c[j] + logistic(z(0)) * std::tanh(z(2));
        after.h[j] = logistic(z(3)) * std::tanh(after.c[j]);
    }
    return after;
}
State step(const GRU& layer, const Parameters& p, const Numbers_& x, const State& before) {
    const auto n = static_cast<std::size_t>(layer.units);
    State after = before;
    for (std::size_t j = 0; j < n; ++j) {
        const auto z = [&](std::size_t gate) {
            return product(x, {p[0].data(), 3 * n}, gate * n + j) + (layer.options.bias ? p[2][gate * n + j] : 0);
        };
        const auto a = [&](std::size_t gate) { return product(before.h, {p[1].data(), 3 * n}, gate * n + j); };
        const double r = logistic(z(0) + a(0)), u = logistic(z(1) + a(1));
        const double candidate = std::tanh(z(2) + r * (a(2) + (layer.options.bias ? p[3][j] : 0)));
        after.h[j] = (1 - u) * candidate + u * before.h[j];
    }
    return after;
}
/// All that a layer gives for records x of shape (time, features), where the mask (records, time) is not 0.
template <class L>
Numbers_ run(const L& layer, const Parameters& p, const Numbers_& x, const Numbers_& mask, std::size_t time) {
    const std::size_t features = x.size() / records / time, n = static_cast<std::size_t>(layer.units);
    Numbers_ y;
    for (std::size_t r = 0; r < records; ++r) {
        State s{Numbers_(n), Numbers_(n)};
        Numbers_ all(time * n);
        for (std::size_t k = 0; k < time; ++k) {
            const std::size_t t = layer.options.backwards ? time - 1 - k : k;
            const double* now = x.data() + (r * time + t) * features;
            if (mask[r * time + t] != 0) s = step(layer, p, Numbers_(now, now + features), s);
            std::copy(s.h.begin(), s.h.end(), all.begin() + static_cast<std::ptrdiff_t>(t * n));
        }
        const Numbers_& given = layer.options.last ? s.h : all;
        y.insert(y.end(), given.begin(), given.end());
    }
    return y;
}
template <class L>
Numbers_ run(const Bidirectional<L>& layer, const Parameters& p, const Numbers_& x, const Numbers_& mask,
             std::size_t time) {
    const auto half = static_cast<std::ptrdiff_t>(p.size() / 2);
    const Numbers_ ahead = run(layer.directed(false), Parameters(p.begin(), p.begin() + half), x, mask, time);
    const Numbers_ back = run(layer.directed(true), Parameters(p.begin() + half, p.end()), x, mask, time);
    const auto n = static_cast<std::size_t>(layer.layer.units);
    Numbers_ y;
    for (std::size_t i = 0; i < ahead.size(); i += n)
        for (const Numbers_* side : {&ahead, &back})
            y.insert(y.end(), side->begin() + static_cast<std::ptrdiff_t>(i),
                     side->begin() + static_cast<std::ptrdiff_t>(i + n));
    return y;
}

/// Compares a layer on sequences of this length with the loops. Central differences with h = 1e-5 err by less than
/// 1e-9.
template <auto layer, int time, int features, bool masked = false>
void examine() {
    constexpr std::size_t length = time;
    sigma::detail::Program p;
    const Variable x{&p.tape, p.tape.leaf(sigma::detail::Operation::input, Shape{batch, time, features}, 0)};
    const Variable mask{&p.tape, p.tape.leaf(sigma::detail::Operation::input, Shape{batch, time}, 1)};
    Context context(p.tape, true);
    const auto y = [&] {
        if constexpr (masked) return layer.forward(context, Tensor{x}, Tensor{mask});
        else return layer.forward(context, Tensor{x});
    }();
    const Variable upstream{&p.tape, p.tape.leaf(sigma::detail::Operation::input, y.shape(), 2)};
    sigma::detail::List<Variable> wrt;
    wrt.push(x);
    for (const sigma::detail::ParameterRecord& r : context.parameters) wrt.push({&p.tape, r.variable});
    p.outputs.push(sigma::detail::copy(y.variable));
    for (const Variable& g : differentiate(y.variable, upstream, wrt)) p.outputs.push(sigma::detail::copy(g));

    Numbers_ given(records * length, 1);
    if (masked)
        for (std::size_t r = 0; r < records; ++r)  // as long as 1, all, and with a hole
            for (std::size_t t = 0; t < length; ++t) given[r * length + t] = r == 0 ? t < 1 : r == 1 ? 1 : t != 1;
    Numbers_ sequence = random_numbers(1, records * length * features);
    const Numbers_ weights = random_numbers(2, records * static_cast<std::size_t>(y.shape().count()));
    Parameters parameters;
    for (const sigma::detail::ParameterRecord& r : context.parameters)
        parameters.push_back(random_numbers(parameters.size() + 3, static_cast<std::size_t>(r.shape.count()), -1, 1));
    // What is masked is not there: nothing comes of it, whatever it is.
    Numbers_ seen = sequence;
    for (std::size_t i = 0; i < seen.size(); ++i)
        if (given[i / features] == 0)
            seen[i] = i % 2 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
    const auto found = interpret(p, {{seen, given, weights}, parameters, {}, {}}, records).outputs;

    const Numbers_ wanted = run(layer, parameters, sequence, given, length);
    REQUIRE(found[0].size() == wanted.size());
    double worst = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) worst = std::max(worst, std::abs(found[0][i] - wanted[i]));
    CHECK(worst < 1e-13);

    const auto value = [&] {
        const Numbers_ all = run(layer, parameters, sequence, given, length);
        double total = 0;
        for (std::size_t i = 0; i < all.size(); ++i) total += weights[i] * all[i];
        return total;
    };
    for (std::size_t i = 0; i <= parameters.size(); ++i) {
        Numbers_& argument = i == 0 ? sequence : parameters[i - 1];
        REQUIRE(found[1 + i].size() == argument.size());
        worst = 0;
        for (std::size_t k = 0; k < argument.size(); ++k) {
            constexpr double h = 1e-5;
            const double kept = argument[k];
            argument[k] = kept + h;
            const double above = value();
            argument[k] = kept - h;
            const double below = value();
            argument[k] = kept;
            const double error = std::abs(found[1 + i][k] - (above - below) / (2 * h));
            worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(worst, error);
        }
        CAPTURE(i);
        CHECK(worst < 1e-7);
    }
}

constexpr auto own = [](auto x) { return x / (1.0 + x * x); };

TEST_CASE("a recurrent layer is its formula", "[layer]") {
    examine<Recurrent(4), 5, 3>();
    examine<Recurrent(1, sigmoid), 1, 1>();
    examine<Recurrent(3, own), 4, 2>();
    examine<Recurrent(3, {.last = true, .backwards = true, .bias = false}), 4, 2>();
}
TEST_CASE("an LSTM is its formula", "[layer]") {
    examine<LSTM(4), 5, 3>();
    examine<LSTM(1), 1, 1>();
    examine<LSTM(3, {.last = true}), 4, 2>();
    examine<LSTM(3, {.backwards = true, .bias = false}), 4, 5>();
}
TEST_CASE("a GRU is its formula", "[layer]") {
    examine<GRU(4), 5, 3>();
    examine<GRU(1), 1, 1>();
    examine<GRU(3, {.last = true, .backwards = true}), 4, 2>();
    examine<GRU(5, {.bias = false}), 3, 2>();
}
TEST_CASE("both directions stand side by side", "[layer]") {
    examine<Bidirectional(Recurrent(3, tanh)), 4, 2>();
    examine<Bidirectional(LSTM(2)), 4, 3>();
    examine<Bidirectional(GRU(3, {.last = true})), 4, 2>();
}
TEST_CASE("where a mask is 0 the state stays", "[layer]") {
    examine<Recurrent(3), 4, 2, true>();
    examine<LSTM(3), 4, 2, true>();
    examine<GRU(3, {.last = true, .backwards = true}), 4, 2, true>();
    examine<Bidirectional(LSTM(2, {.last = true})), 4, 2, true>();
}

TEST_CASE("the forget gate begins open", "[layer]") {
    sigma::detail::Program p;
    Context context(p.tape, true);
    LSTM(4).forward(context, Tensor{sigma::detail::input(p, Shape{batch, 2, 3}, 0)});
    REQUIRE(context.parameters.size() == 3);
    const sigma::detail::ParameterRecord& biases = context.parameters[2];
    REQUIRE(biases.shape == Shape(16));
    for (std::uint64_t i = 0; i < 16; ++i)
        CHECK(biases.initializer.draw(biases.shape, Philox(1, RandomUse::initialize, 2), i) ==
              (i >= 4 && i < 8 ? 1 : 0));
}

}  // namespace
