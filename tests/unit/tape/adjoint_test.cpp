// SPDX-License-Identifier: BSL-1.0
#include "support/gradient_suite.hpp"

#include <catch2/catch.hpp>

using namespace sigma;
using namespace sigma::test;

TEST_CASE("gradients and gradients of gradients agree with central differences", "[tape]") {
    const GradientSuite suite;
    for (const GradientCheck& check : suite.checks()) {
        INFO(check.given().name);
        CHECK(check.run(Adjoints{}) == "");
    }
}

namespace {

/// The gradients of Σ upstream · f(x, y) at one point, for arguments of one shape.
struct Gradients {
    Values x, y;
};
template <class F>
Gradients gradients(Values x, Values y, const Values& upstream, F f) {
    Program p;
    Tape* tape = &p.tape;
    const Shape s(static_cast<int>(x.size()));
    const Variable a{tape, tape->leaf(Operation::input, s, 0)}, b{tape, tape->leaf(Operation::input, s, 1)};
    const Variable result = f(a, b);
    const Variable u{tape, tape->leaf(Operation::input, result.shape(), 2)};
    List<Variable> wrt;
    wrt.push(a);
    wrt.push(b);
    const List<Variable> g = differentiate(result, u, wrt);
    const Interpretation r = interpret(p, {{std::move(x), std::move(y), upstream}, {}, {}, {}}, 1);
    return {r.values[static_cast<std::size_t>(g[0].id)], r.values[static_cast<std::size_t>(g[1].id)]};
}

}  // namespace

TEST_CASE("equal operands of maximum and minimum share the gradient", "[tape]") {
    const auto max_of =
        gradients({1, 2, 3}, {1, 3, 2}, {0.6, 0.7, 0.8}, [](Variable x, Variable y) { return max(x, y); });
    CHECK(max_of.x == Values{0.3, 0, 0.8});
    CHECK(max_of.y == Values{0.3, 0.7, 0});
    const auto min_of =
        gradients({1, 2, 3}, {1, 3, 2}, {0.6, 0.7, 0.8}, [](Variable x, Variable y) { return min(x, y); });
    CHECK(min_of.x == Values{0.3, 0.7, 0});
    CHECK(min_of.y == Values{0.3, 0, 0.8});
}

TEST_CASE("equal extremes of a reduction share the gradient", "[tape]") {
    const auto of = [](Operation o, const Values& x) {
        return gradients(x, Values(x.size()), {0.9}, [o](Variable v, Variable) { return reduce(o, v, Shape(1)); }).x;
    };
    CHECK(of(Operation::reduce_maximum, {2, 5, 5, 1, 5}) == Values{0, 0.9 / 3, 0.9 / 3, 0, 0.9 / 3});
    CHECK(of(Operation::reduce_minimum, {2, 1, 5, 1}) == Values{0, 0.45, 0, 0.45});
}

TEST_CASE("a constant wins a tie, and relu is flat at zero", "[tape]") {
    const Values x{-1, 0, 2}, other(3), up{0.3, 0.4, 0.5};
    const auto with = [&](auto f) { return gradients(x, other, up, f).x; };
    CHECK(with([](Variable v, Variable) { return max(v, constant(v.tape, 0)); }) == Values{0, 0, 0.5});
    CHECK(with([](Variable v, Variable) { return max(constant(v.tape, 0), v); }) == Values{0, 0, 0.5});
    CHECK(with([](Variable v, Variable) { return min(v, constant(v.tape, 0)); }) == Values{0.3, 0, 0});
    CHECK(with([](Variable v, Variable) { return min(constant(v.tape, 0), v); }) == Values{0.3, 0, 0});
    CHECK(with([](Variable v, Variable) { return abs(v); }) == Values{-0.3, 0, 0.5});
}

TEST_CASE("powers at zero have finite gradients", "[tape]") {
    // x^0 is 1 for every x, 0^p is 0 for every p > 0.
    const auto g =
        gradients({0, 0, 0, 2}, {0, 1, 3, 0}, {0.3, 0.4, 0.5, 0.6}, [](Variable x, Variable y) { return pow(x, y); });
    CHECK(g.x == Values{0, 0.4, 0, 0});
    CHECK(g.y[0] == 0);
    CHECK(g.y[1] == 0);
    CHECK(g.y[2] == 0);
    CHECK(g.y[3] == Approx(0.6 * std::log(2.0)));
}

TEST_CASE("stop_gradient, comparisons, sign and argmax let nothing through", "[tape]") {
    const auto g = gradients({1, 2}, {3, -1}, {0.3, 0.4}, [](Variable x, Variable y) {
        return x + stop_gradient(y) + sign(y) + less(y, x) + less_equal(y, x) + equal(y, x) + argmax(y, 0);
    });
    CHECK(g.x == Values{0.3, 0.4});
    CHECK(g.y == Values{0, 0});
}

TEST_CASE("the gradient of what does not depend on an argument is zeros of its shape", "[tape]") {
    const auto g = gradients({1, 2}, {3, 4}, {0.3, 0.4}, [](Variable x, Variable) { return x * 2.0; });
    CHECK(g.y == Values{0, 0});
}
