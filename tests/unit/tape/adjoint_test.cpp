// SPDX-License-Identifier: BSL-1.0
#include "support/gradient_suite.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <limits>

using namespace sigma;
using namespace sigma::test;

TEST_CASE("gradients and gradients of gradients agree with central differences", "[tape]") {
    const GradientSuite suite;
    for (const GradientCheck& examine : suite.checks()) {
        INFO(examine.given().name);
        CHECK(examine.run(sigma::detail::Adjoints{}) == "");
    }
}

namespace {

/// The gradients of Σ upstream · f(x, y) at one point, for arguments of one shape.
struct Gradients {
    Values x, y;
};
template <class F>
Gradients gradients(Values x, Values y, const Values& upstream, F f) {
    sigma::detail::Program p;
    sigma::detail::Tape* tape = &p.tape;
    const Shape s(static_cast<int>(x.size()));
    const Variable a{tape, tape->leaf(sigma::detail::Operation::input, s, 0)},
        b{tape, tape->leaf(sigma::detail::Operation::input, s, 1)};
    const Variable result = f(a, b);
    const Variable u{tape, tape->leaf(sigma::detail::Operation::input, result.shape(), 2)};
    sigma::detail::List<Variable> wrt;
    wrt.push(a);
    wrt.push(b);
    const sigma::detail::List<Variable> g = sigma::detail::differentiate(result, u, wrt);
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
    const auto of = [](sigma::detail::Operation o, const Values& x) {
        return gradients(x, Values(x.size()), {0.9},
                         [o](Variable v, Variable) { return sigma::detail::reduce(o, v, Shape(1)); })
            .x;
    };
    CHECK(of(sigma::detail::Operation::reduce_maximum, {2, 5, 5, 1, 5}) == Values{0, 0.9 / 3, 0.9 / 3, 0, 0.9 / 3});
    CHECK(of(sigma::detail::Operation::reduce_minimum, {2, 1, 5, 1}) == Values{0, 0.45, 0, 0.45});
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

TEST_CASE("NaN wins, and where an operand is NaN both have the gradient, as in libtorch", "[tape]") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const bool is_max : {true, false}) {
        const auto of = gradients({nan, 1, nan}, {1, nan, nan}, {0.3, 0.4, 0.5},
                                  [=](Variable x, Variable y) { return is_max ? max(x, y) : min(x, y); });
        CHECK(of.x == Values{0.3, 0.4, 0.5});
        CHECK(of.y == Values{0.3, 0.4, 0.5});
        const auto flat = gradients({nan}, {1}, {0.3}, [=](Variable x, Variable) {
            const Variable zero = constant(x.tape, 0);
            return is_max ? max(x, zero) : min(zero, x);
        });
        CHECK(flat.x == Values{0.3});
    }
}

TEST_CASE("a row with a NaN has no other gradient of its extreme", "[tape]") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const auto o : {sigma::detail::Operation::reduce_maximum, sigma::detail::Operation::reduce_minimum})
        for (const double d : gradients({1, nan, 3}, {0, 0, 0}, {0.3}, [o](Variable v, Variable) {
                                  return sigma::detail::reduce(o, v, Shape(1));
                              }).x)
            CHECK(std::isnan(d));
}

TEST_CASE("the gradient of mod in its divisor is the whole number that its value takes", "[tape]") {
    // The quotients are rounded up to 10, 55 and -1.
    const double x = 5.5f, y = 0.1f;
    const auto of = gradients({1, x, -1e-20, 7.5, -7.5, 3}, {0.1, y, 3, 2, 2, -2}, {1, 1, 1, 1, 1, 1},
                              [](Variable a, Variable b) { return mod(a, b); });
    CHECK(of.x == Values{1, 1, 1, 1, 1, 1});
    CHECK(of.y == Values{-9, -54, 1, -3, 4, 2});
}

namespace {

/// Of an elementwise function its second derivatives, element by element: in x and x, x and y, y and x, y and y.
template <class F>
std::array<Values, 4> second_derivatives(const Values& x, const Values& y, F f) {
    sigma::detail::Program p;
    sigma::detail::Tape* tape = &p.tape;
    const Shape s(static_cast<int>(x.size()));
    const Variable a{tape, tape->leaf(sigma::detail::Operation::input, s, 0)},
        b{tape, tape->leaf(sigma::detail::Operation::input, s, 1)};
    const Variable u{tape, tape->leaf(sigma::detail::Operation::input, s, 2)},
        v{tape, tape->leaf(sigma::detail::Operation::input, s, 3)};
    sigma::detail::List<Variable> wrt;
    wrt.push(a);
    wrt.push(b);
    const Variable result = f(a, b);
    const sigma::detail::List<Variable> first = sigma::detail::differentiate(result, u, wrt);
    const sigma::detail::List<Variable> of_x = sigma::detail::differentiate(first[0], v, wrt),
                                        of_y = sigma::detail::differentiate(first[1], v, wrt);
    const Values ones(x.size(), 1);
    const Interpretation r = interpret(p, {{x, y, ones, ones}, {}, {}, {}}, 1);
    const auto values = [&](Variable z) { return r.values[static_cast<std::size_t>(z.id)]; };
    return {values(of_x[0]), values(of_x[1]), values(of_y[0]), values(of_y[1])};
}

}  // namespace

TEST_CASE("second derivatives are finite where a first one is guarded, and do not depend on the order", "[tape]") {
    const Values x{0, 0, 0, 0, 2, -2, 2, -0.0, 3}, y{0, 2, 3, 4.5, 0, 3, 2, 3, 1};
    const auto power = second_derivatives(x, y, [](Variable a, Variable b) { return pow(a, b); });
    CHECK(power[0] == Values{0, 2, 0, 0, 0, -12, 2, 0, 0});
    for (std::size_t i = 0; i < x.size(); ++i) {
        INFO(x[i] << " to the power of " << y[i]);
        if (x[i] < 0) continue;  // its logarithm is NaN
        CHECK(power[1][i] == Approx(power[2][i]));
        CHECK(std::isfinite(power[3][i]));
    }
    CHECK(power[1][4] == 0.5);  // x^(y-1)·(1 + y·log x)
    CHECK(power[3][6] == Approx(4 * std::log(2.0) * std::log(2.0)));

    for (const double exponent : {0.0, 2.0, 3.0, 4.0, 5.0}) {
        INFO("exponent " << exponent);
        const auto of = second_derivatives(
            {0, 2}, {3, 3}, [=](Variable a, Variable b) { return b * pow(a, constant(a.tape, exponent)); });
        CHECK(of[0] == Values{exponent == 2 ? 6.0 : 0.0, 3 * exponent * (exponent - 1) * std::pow(2, exponent - 2)});
        CHECK(of[1] == of[2]);
        CHECK(of[3] == Values{0, 0});
    }
    // x^0 is 1 for every x, to derivatives of any order.
    const double infinity = std::numeric_limits<double>::infinity();
    const Values odd{0, -0.0, 5e-324, 1e-310, -1e-310, std::numeric_limits<double>::quiet_NaN(), infinity, -infinity};
    const Values all_one(odd.size(), 1), all_zero(odd.size(), 0);
    const auto of_number =
        second_derivatives(odd, all_one, [](Variable a, Variable b) { return b * pow(a, constant(a.tape, 0)); });
    CHECK(of_number[0] == all_zero);
    CHECK(of_number[1] == all_zero);
    CHECK(of_number[2] == all_zero);
    CHECK(gradients(odd, all_zero, all_one, [](Variable a, Variable) { return pow(a, constant(a.tape, 0)); }).x ==
          all_zero);
    CHECK(gradients(odd, all_zero, all_one, [](Variable a, Variable b) { return pow(a, b); }).x == all_zero);
    CHECK(second_derivatives(odd, all_zero, [](Variable a, Variable b) { return pow(a, b); })[0] == all_zero);
    // In the exponent: as libtorch.
    CHECK(gradients({0, 0, 0, 5e-324}, {0, 2, -1, 0}, {1, 1, 1, 1}, [](Variable a, Variable b) {
              return pow(a, b);
          }).y == Values{0, 0, -infinity, std::log(5e-324)});

    using Binary = Variable (*)(Variable, Variable);
    for (const Binary f : {Binary([](Variable a, Variable b) { return max(a, b) * a; }),
                           Binary([](Variable a, Variable b) { return min(a, b) * b; }),
                           Binary([](Variable a, Variable b) { return mod(a, b + 1.0) * a; }),
                           Binary([](Variable a, Variable b) { return where(a, log(a + 1.0) * b, b * b); }),
                           Binary([](Variable a, Variable b) { return abs(a) * b / (1.0 + a * a); })}) {
        const auto of = second_derivatives({0, 0, 1, 1, 2.5}, {0, 1, 1, 0, 3}, f);
        CHECK(of[1] == of[2]);
    }
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
