// SPDX-License-Identifier: BSL-1.0
// Programs of more operations than 16 bits can count, and expressions that are deeper than a stack.
#include <sigma/device/cpu/chosen_kernels.hpp>
#include <sigma/device/made_program.hpp>
#include <sigma/device/session.hpp>
#include <sigma/function/function.hpp>
#include <sigma/xtensor.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

using namespace sigma;

namespace {

using detail::Operation, detail::Program;
constexpr int many = 34000;

Variable leaf(Program& p, const Shape& s, int number) {
    return {&p.tape, p.tape.leaf(Operation::input, s, static_cast<std::uint64_t>(number))};
}
/// Returns the only output for these inputs.
std::vector<double> run(const Program& p, const std::vector<std::vector<double>>& inputs, std::size_t size) {
    const detail::MadeProgram<double> made(p, on_cpu::kernels<double>().lanes);
    detail::Session<double> session(made.compiled());
    std::vector<double> result(size);
    for (std::size_t i = 0; i < inputs.size(); ++i) session.bind_input(static_cast<int>(i), inputs[i].data());
    session.bind_output(0, result.data());
    session.prepare(1);
    session.run();
    return result;
}
const std::vector<double> three{-1, 0.5, 2};

}  // namespace

TEST_CASE("a chain of 34,000 elementwise operations", "[plan]") {
    Program p;
    Variable x = leaf(p, Shape(3), 0);
    for (int i = 0; i < many; ++i) x = detail::unary(i % 2 ? Operation::absolute : Operation::copy, x + 1.0);
    detail::add_output(p, x);
    const std::vector<double> y = run(p, {three}, 3);
    for (std::size_t i = 0; i < 3; ++i) CHECK(y[i] == three[i] + many);
}

TEST_CASE("a value that grows step by step is computed once in each step", "[plan]") {
    // y = y + k/8 with k = sums of y up to each position: two readers of y, and k is in memory. Without a limit, each
    // reader would compute y from all k before, so that 4 times as many steps would be 16 times as many operations.
    const auto operations_of = [](int steps) {
        Program p;
        Variable y = leaf(p, Shape(3), 0);
        for (int i = 0; i < steps; ++i) y = y + 0.125 * linear_recurrence(constant(&p.tape, 1), y, false);
        detail::add_output(p, y);
        return detail::make_plan(p, 8).instructions.size();
    };
    const int few = operations_of(20), more = operations_of(80);
    CHECK(more < 5 * few);
}

TEST_CASE("a tree of 34,000 sums", "[plan]") {
    Program p;
    std::vector<Variable> terms;
    const Variable x = leaf(p, Shape(3), 0);
    for (int i = 0; i < many; ++i) terms.push_back(x * (0.5 * i));
    for (std::size_t n = terms.size(); n > 1; n = (n + 1) / 2)
        for (std::size_t i = 0; i < (n + 1) / 2; ++i)
            terms[i] = 2 * i + 1 < n ? terms[2 * i] + terms[2 * i + 1] : terms[2 * i];
    detail::add_output(p, terms[0]);
    const std::vector<double> y = run(p, {three}, 3);
    for (std::size_t i = 0; i < 3; ++i) CHECK(y[i] == Approx(three[i] * 0.25 * many * (many - 1.0)));
}

TEST_CASE("a chain of 17,000 products, each a stage of its own", "[plan]") {
    Program p;
    Variable x = leaf(p, Shape(2, 2), 0);
    const Variable w = leaf(p, Shape(2, 2), 1);
    for (int i = 0; i < 17000; ++i) x = detail::product(Operation::dot, w, x, false);
    detail::add_output(p, x);
    CHECK(run(p, {{1, 2, 3, 4}, {0, 1, 1, 0}}, 4) == std::vector<double>{1, 2, 3, 4});
}

TEST_CASE("a chain of 34,000 views", "[plan]") {
    Program p;
    Variable x = sin(leaf(p, Shape(2, 3, 4), 0));
    for (int i = 0; i < many / 2; ++i) {
        x = permute(x, 0x120);
        x = reshape(x, Shape(2, 3, 4));
    }
    detail::add_output(p, cos(x));
    std::vector<double> values(24), moved(24);
    for (std::size_t i = 0; i < 24; ++i) values[i] = static_cast<double>(i);
    std::vector<double> wanted = values;
    for (int k = 0; k < many / 2; ++k) {
        for (std::size_t a = 0; a < 2; ++a)
            for (std::size_t b = 0; b < 3; ++b)
                for (std::size_t c = 0; c < 4; ++c) moved[(a * 4 + c) * 3 + b] = wanted[(a * 3 + b) * 4 + c];
        std::swap(wanted, moved);
    }
    const std::vector<double> y = run(p, {values}, 24);
    for (std::size_t i = 0; i < 24; ++i) CHECK(y[i] == Approx(std::cos(std::sin(wanted[i]))));
}

TEST_CASE("5,000 parts side by side", "[plan]") {
    Program p;
    const Variable x = leaf(p, Shape(3), 0);
    Variable all = sin(x);
    for (int i = 1; i < 5000; ++i) all = concatenate(all, sin(x * double(i)), 0);
    detail::add_output(p, all);
    const std::vector<double> y = run(p, {three}, 15000);
    for (std::size_t i = 0; i < 5000; ++i)
        CHECK(y[3 * i + 2] == Approx(std::sin(2.0 * static_cast<double>(i == 0 ? 1 : i))));
}

TEST_CASE("the gradient of a chain of 34,000 operations", "[plan]") {
    Program p;
    const Variable x = leaf(p, Shape(3), 0);
    Variable y = x;
    for (int i = 0; i < many / 2; ++i) y = sin(y) * 1.0001;
    detail::List<Variable> wrt;
    wrt.push(x);
    const auto g =
        detail::differentiate(reshape(detail::reduce(Operation::sum, y, Shape(1)), Shape{}), constant(&p.tape, 1), wrt);
    detail::add_output(p, g[0]);
    const std::vector<double> found = run(p, {three}, 3);
    for (std::size_t i = 0; i < 3; ++i) {
        double wanted = 1, at = three[i];
        for (int k = 0; k < many / 2; ++k) {
            wanted *= 1.0001 * std::cos(at);
            at = 1.0001 * std::sin(at);
        }
        CHECK(found[i] == Approx(wanted).margin(1e-12));
    }
}

TEST_CASE("functions of long chains, traced and constant", "[plan]") {
    const xt::xtensor<double, 1> x{-1, 0.5, 2};
    const auto chain = [](auto n) {
        return [n](auto v) {
            for (int i = 0; i < n; ++i) v = abs(v + 1.0);
            return v;
        };
    };
    const auto y = evaluate(chain(many))(x);
    for (std::size_t i = 0; i < 3; ++i) CHECK(y(i) == x(i) + many);
    // Deeper than compilers allow functions to call themselves.
    const auto constant_one = evaluate([](auto v) {
        for (int i = 0; i < 300; ++i) v = abs(v + 1.0);
        return v;
    })(shaped<3>(x));
    for (std::size_t i = 0; i < 3; ++i) CHECK(constant_one(i) == x(i) + 300);
}
