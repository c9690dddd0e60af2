// SPDX-License-Identifier: BSL-1.0
#include <sigma/tape/print.hpp>

#include "support/networks.hpp"
#include "support/random_program.hpp"
#include "support/rewrite.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace sigma;
using namespace sigma::test;

namespace {

/// A tape with some leaves to write on.
struct Paper {
    sigma::detail::Tape tape{};
    Variable x = leaf(Shape(batch, 3), 0), y = leaf(Shape(batch, 3), 1), row = leaf(Shape(3), 2),
             one = leaf(Shape(1), 3);
    Variable matrix = leaf(Shape(4, 5), 4), cube = leaf(Shape(2, 3, 4), 5);

    explicit Paper(bool passes = true) { tape.sharing = tape.identities = passes; }
    Variable k(double value) { return constant(&tape, value); }

private:
    Variable leaf(const Shape& s, std::uint64_t number) {
        return {&tape, tape.leaf(sigma::detail::Operation::input, s, number)};
    }
};

constexpr std::uint64_t order(int a, int b, int c) {
    return static_cast<std::uint64_t>(a) | static_cast<std::uint64_t>(b) << 4 | static_cast<std::uint64_t>(c) << 8;
}
int count(const sigma::detail::Tape& tape, sigma::detail::Operation o) {
    int n = 0;
    for (int i = 0; i < tape.size(); ++i) n += tape[i].operation == o;
    return n;
}

}  // namespace

TEST_CASE("equal nodes are one node", "[tape]") {
    Paper p;
    CHECK(exp(p.x).id == exp(p.x).id);
    CHECK((p.x + p.y).id == (p.y + p.x).id);
    CHECK((p.x * p.y).id == (p.y * p.x).id);
    CHECK(max(p.x, p.y).id == max(p.y, p.x).id);
    CHECK(equal(p.x, p.y).id == equal(p.y, p.x).id);
    CHECK(p.k(0.5).id == p.k(0.5).id);
    CHECK(sigma::detail::reciprocal_batch(&p.tape).id == sigma::detail::reciprocal_batch(&p.tape).id);
    CHECK(slice(p.matrix, 0, 1, 2).id == slice(p.matrix, 0, 1, 2).id);
    CHECK(sigma::detail::reduce(sigma::detail::Operation::sum, p.matrix, Shape(4, 1)).id ==
          sigma::detail::reduce(sigma::detail::Operation::sum, p.matrix, Shape(4, 1)).id);
}

TEST_CASE("nodes that differ in anything stay apart", "[tape]") {
    Paper p;
    CHECK((p.x - p.y).id != (p.y - p.x).id);
    CHECK((p.x / p.y).id != (p.y / p.x).id);
    CHECK(less(p.x, p.y).id != less(p.y, p.x).id);
    CHECK(slice(p.matrix, 0, 1, 2).id != slice(p.matrix, 0, 2, 2).id);
    CHECK(slice(p.matrix, 0, 1, 2).id != slice(p.matrix, 1, 1, 2).id);
    CHECK(sigma::detail::expand(p.one, Shape(3)).id != sigma::detail::expand(p.one, Shape(4)).id);
    CHECK(p.k(0.0).id != p.k(-0.0).id);
    CHECK(sigma::detail::copy(p.x).id != sigma::detail::copy(p.x).id);
    CHECK(p.tape.leaf(sigma::detail::Operation::uniform, Shape(3), 1) !=
          p.tape.leaf(sigma::detail::Operation::uniform, Shape(3), 1));
}

TEST_CASE("equal nodes are found on a tape that has grown", "[tape]") {
    Paper p;
    std::vector<int> ids;
    for (int i = 0; i < 1000; ++i) ids.push_back((p.x * p.k(i + 2)).id);
    for (int i = 0; i < 1000; ++i) CHECK((p.x * p.k(i + 2)).id == ids[static_cast<std::size_t>(i)]);
}

TEST_CASE("identities of arithmetic", "[tape]") {
    Paper p;
    const Variable x = p.x, y = p.y;
    CHECK((x * 1.0).id == x.id);
    CHECK((1.0 * x).id == x.id);
    CHECK((x + 0.0).id == x.id);
    CHECK((0.0 + x).id == x.id);
    CHECK((x - 0.0).id == x.id);
    CHECK((x / 1.0).id == x.id);
    CHECK((0.0 - x).id == (-x).id);
    CHECK((x * -1.0).id == (-x).id);
    CHECK((-1.0 * x).id == (-x).id);
    CHECK((-(-x)).id == x.id);
    CHECK((x - (-y)).id == (x + y).id);
    CHECK((x + (-y)).id == (x - y).id);
    CHECK((-x + y).id == (y - x).id);
    CHECK((-x * y).id == (-(x * y)).id);
    CHECK((x * -y).id == (-(x * y)).id);
    CHECK((-x * -y).id == (x * y).id);
    CHECK((-x / y).id == (-(x / y)).id);
    CHECK(log(exp(x)).operation() == sigma::detail::Operation::log);  // of -1000 it is -inf
    CHECK(pow(x, p.k(1)).id == x.id);
    CHECK(pow(x, p.k(2)).id == (x * x).id);
    CHECK(pow(x, p.k(0.5)).operation() == sigma::detail::Operation::sqrt);
    CHECK(pow(x, p.k(-1)).id == (1.0 / x).id);
}

TEST_CASE("identities hold for every number", "[tape]") {
    constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    const Values points{0,      -0.0, inf,  -inf, nan,   5e-324, -5e-324, 2.3e-308, -2.3e-308, 1e-200,  -1e-200, 1e200,
                        -1e200, 0.5,  -0.5, 1000, -1000, 0.75,   -0.75,   1,        -1,        1.7e308, -1.7e308};
    struct Law {
        const char* text;
        Variable (*of)(Variable x, Variable y);
    };
    const Law laws[] = {{"x + 0", [](Variable x, Variable) { return x + 0.0; }},
                        {"0 + x", [](Variable x, Variable) { return 0.0 + x; }},
                        {"x - 0", [](Variable x, Variable) { return x - 0.0; }},
                        {"0 - x", [](Variable x, Variable) { return 0.0 - x; }},
                        {"x * 1", [](Variable x, Variable) { return x * 1.0; }},
                        {"x * -1", [](Variable x, Variable) { return x * -1.0; }},
                        {"x / 1", [](Variable x, Variable) { return x / 1.0; }},
                        {"x * 0", [](Variable x, Variable) { return x * 0.0; }},
                        {"0 / x", [](Variable x, Variable) { return 0.0 / x; }},
                        {"x - x", [](Variable x, Variable) { return x - x; }},
                        {"x / x", [](Variable x, Variable) { return x / x; }},
                        {"- -x", [](Variable x, Variable) { return -(-x); }},
                        {"x - -y", [](Variable x, Variable y) { return x - (-y); }},
                        {"x + -y", [](Variable x, Variable y) { return x + (-y); }},
                        {"-x + y", [](Variable x, Variable y) { return -x + y; }},
                        {"-x - y", [](Variable x, Variable y) { return -x - y; }},
                        {"-x * y", [](Variable x, Variable y) { return -x * y; }},
                        {"x * -y", [](Variable x, Variable y) { return x * -y; }},
                        {"-x / y", [](Variable x, Variable y) { return -x / y; }},
                        {"log exp x", [](Variable x, Variable) { return log(exp(x)); }},
                        {"exp log x", [](Variable x, Variable) { return exp(log(x)); }},
                        {"expm1 log1p x", [](Variable x, Variable) { return expm1(log1p(x)); }},
                        {"log1p expm1 x", [](Variable x, Variable) { return log1p(expm1(x)); }},
                        {"sqrt(x * x)", [](Variable x, Variable) { return sqrt(x * x); }},
                        {"sqrt(x)^2", [](Variable x, Variable) { return pow(sqrt(x), constant(x.tape, 2)); }},
                        {"abs of -x", [](Variable x, Variable) { return abs(-x); }},
                        {"max(x, x)", [](Variable x, Variable) { return max(x, x); }},
                        {"max(y, x)", [](Variable x, Variable y) { return max(y, x); }},
                        {"min(y, x)", [](Variable x, Variable y) { return min(y, x); }},
                        {"equal(x, x)", [](Variable x, Variable) { return equal(x, x); }},
                        {"where(x, y, y)", [](Variable x, Variable y) { return where(x, y, y); }},
                        {"where(nan, x, y)", [](Variable x, Variable y) { return where(constant(x.tape, nan), x, y); }},
                        {"where(-0, x, y)", [](Variable x, Variable y) { return where(constant(x.tape, -0.0), x, y); }},
                        {"pow(x, 0)", [](Variable x, Variable) { return pow(x, constant(x.tape, 0)); }},
                        {"pow(x, 1)", [](Variable x, Variable) { return pow(x, constant(x.tape, 1)); }},
                        {"pow(x, 2)", [](Variable x, Variable) { return pow(x, constant(x.tape, 2)); }},
                        {"pow(x, 3)", [](Variable x, Variable) { return pow(x, constant(x.tape, 3)); }},
                        {"pow(x, -1)", [](Variable x, Variable) { return pow(x, constant(x.tape, -1)); }},
                        {"pow(x, 0.5)", [](Variable x, Variable) { return pow(x, constant(x.tape, 0.5)); }},
                        {"pow(x, -0.5)", [](Variable x, Variable) { return pow(x, constant(x.tape, -0.5)); }},
                        {"pow(x, -2)", [](Variable x, Variable) { return pow(x, constant(x.tape, -2)); }}};
    Bindings bindings{{{}, {}}, {}, {}, {}};
    for (double x : points)
        for (double y : points) bindings.inputs[0].push_back(x), bindings.inputs[1].push_back(y);
    const Shape s(static_cast<int>(bindings.inputs[0].size()));
    for (const Law& law : laws) {
        Values results[2];
        for (bool identities : {false, true}) {
            sigma::detail::Program p;
            p.tape.identities = identities;
            const Variable x{&p.tape, p.tape.leaf(sigma::detail::Operation::input, s, 0)},
                y{&p.tape, p.tape.leaf(sigma::detail::Operation::input, s, 1)};
            p.outputs.push(law.of(x, y));
            results[identities] = interpret(p, bindings, 1).outputs[0];
        }
        for (std::size_t i = 0; i < results[0].size(); ++i) {
            const double wanted = results[0][i], found = results[1][i];
            INFO(law.text << " at x = " << bindings.inputs[0][i] << ", y = " << bindings.inputs[1][i]);
            CHECK((std::isnan(wanted) ? std::isnan(found)
                                      : found == wanted || std::abs(found - wanted) <= 4e-16 * std::abs(wanted)));
        }
    }
}

TEST_CASE("constants are computed", "[tape]") {
    Paper p;
    CHECK((p.k(2) + p.k(3)).id == p.k(5).id);
    CHECK((p.k(2) - p.k(3)).id == p.k(-1).id);
    CHECK((p.k(2) * p.k(3)).id == p.k(6).id);
    CHECK((p.k(3) / p.k(2)).id == p.k(1.5).id);
    CHECK((-p.k(2)).id == p.k(-2).id);
    CHECK(less(p.k(2), p.k(3)).id == p.k(1).id);
    CHECK(less_equal(p.k(3), p.k(2)).id == p.k(0).id);
    CHECK(equal(p.k(2), p.k(2)).id == p.k(1).id);
    CHECK((p.k(1) / p.k(0)).operation() == sigma::detail::Operation::divide);
}

TEST_CASE("a choice that is made already", "[tape]") {
    Paper p;
    CHECK(where(p.k(1), p.x, p.y).id == p.x.id);
    CHECK(where(p.k(0), p.x, p.y).id == p.y.id);
    CHECK(where(p.x, p.y, p.y).id == p.y.id);
    // but not where the result would lose its shape
    CHECK(where(p.k(1), p.row, p.x).shape() == Shape(batch, 3));
    CHECK(where(p.x, p.row, p.row).shape() == Shape(batch, 3));
}

TEST_CASE("identities of movement", "[tape]") {
    Paper p;
    CHECK(sigma::detail::transpose_last(sigma::detail::transpose_last(p.matrix)).id == p.matrix.id);
    CHECK(permute(p.cube, order(0, 1, 2)).id == p.cube.id);
    CHECK(permute(permute(p.cube, order(1, 2, 0)), order(1, 2, 0)).id == permute(p.cube, order(2, 0, 1)).id);
    CHECK(reshape(reshape(p.matrix, Shape(20)), Shape(4, 5)).id == p.matrix.id);
    CHECK(reshape(reshape(p.matrix, Shape(20)), Shape(2, 10)).id == reshape(p.matrix, Shape(2, 10)).id);
    CHECK(reshape(sigma::detail::expand(p.k(2), Shape(6)), Shape(2, 3)).id ==
          sigma::detail::expand(p.k(2), Shape(2, 3)).id);
    CHECK(reshape(p.row, Shape(1, 3)).operation() == sigma::detail::Operation::expand);
    CHECK(sigma::detail::expand(p.row, Shape(3)).id == p.row.id);
    CHECK(sigma::detail::expand(sigma::detail::expand(p.one, Shape(3)), Shape(2, 3)).id ==
          sigma::detail::expand(p.one, Shape(2, 3)).id);
    CHECK((sigma::detail::expand(p.row, Shape(batch, 3)) * p.x).id == (p.row * p.x).id);
    CHECK((sigma::detail::expand(p.row, Shape(batch, 3)) + p.one).shape() == Shape(batch, 3));
    CHECK(slice(p.matrix, 1, 0, 5).id == p.matrix.id);
    CHECK(pad(p.matrix, 1, 0, 5).id == p.matrix.id);
    CHECK(sigma::detail::reduce(sigma::detail::Operation::sum, p.matrix, Shape(4, 5)).id == p.matrix.id);
    const Variable product_of =
        sigma::detail::product(sigma::detail::Operation::dot, sigma::detail::transpose_last(p.matrix), p.matrix, false);
    CHECK(product_of.id ==
          sigma::detail::product(sigma::detail::Operation::transposed_dot, p.matrix, p.matrix, false).id);
}

TEST_CASE("a tape without passes keeps what was written", "[tape]") {
    Paper p(false);
    CHECK(exp(p.x).id != exp(p.x).id);
    CHECK((p.x * 1.0).id != p.x.id);
    CHECK((-(-p.x)).id != p.x.id);
    CHECK((p.k(2) + p.k(3)).operation() == sigma::detail::Operation::add);
    CHECK(log(exp(p.x)).operation() == sigma::detail::Operation::log);
    CHECK(sigma::detail::transpose_last(sigma::detail::transpose_last(p.matrix)).operation() ==
          sigma::detail::Operation::permute);
    CHECK(where(p.k(1), p.x, p.y).operation() == sigma::detail::Operation::where);
}

TEST_CASE("nobody asks for the gradient of the data", "[tape]") {
    const sigma::detail::Program p = three_layers();
    CHECK(count(p.tape, sigma::detail::Operation::dot) == 3 + 2);  // forward, and back through two layers, not three
    CHECK(count(p.tape, sigma::detail::Operation::transposed_dot) == 3);  // the weights
    CHECK(count(p.tape, sigma::detail::Operation::tanh) == 2);            // their derivatives use the values
}

TEST_CASE("a gradient is not taken through what does not depend on the arguments", "[tape]") {
    Paper p;
    const Variable frozen =
        tanh(sigma::detail::product(sigma::detail::Operation::dot, p.x, p.row * reshape(p.row, Shape(3, 1)), false));
    const Variable y = sigma::detail::reduce(sigma::detail::Operation::sum, frozen * p.y, Shape(1, 1));
    sigma::detail::List<Variable> wrt;
    wrt.push(p.y);
    const int before = p.tape.size();
    sigma::detail::differentiate(y, p.k(1), wrt);
    for (int i = before; i < p.tape.size(); ++i) CHECK_FALSE(is_product(p.tape[i].operation));
}

TEST_CASE("sharing and identities change no value", "[tape]") {
    int smaller = 0;
    for (unsigned seed = 1; seed <= 150; ++seed) {
        const RandomProgram random(seed, false);
        const sigma::detail::Program& written = random.program();
        const Bindings bindings = random.bindings(3, seed);
        const Interpretation wanted = interpret(written, bindings, 3);
        for (const auto& [sharing, identities] :
             {std::pair{false, false}, {true, false}, {false, true}, {true, true}}) {
            const sigma::detail::Program rewritten = rewrite(written, sharing, identities);
            const Interpretation found = interpret(rewritten, bindings, 3);
            INFO("seed " << seed << ", sharing " << sharing << ", identities " << identities << "\n"
                         << to_text(written) << to_text(rewritten));
            smaller += rewritten.tape.size() < written.tape.size();
            const auto agree = [](const std::vector<Values>& x, const std::vector<Values>& y) {
                for (std::size_t i = 0; i < x.size(); ++i)
                    for (std::size_t j = 0; j < x[i].size(); ++j)
                        if (std::isfinite(x[i][j]) &&
                            !(std::abs(x[i][j] - y.at(i)[j]) <= 1e-9 * (1 + std::abs(x[i][j]))))
                            return false;
                return true;
            };
            CHECK(agree(wanted.outputs, found.outputs));
            CHECK(agree(wanted.parameters, found.parameters));
            CHECK(agree(wanted.states, found.states));
        }
    }
    CHECK(smaller > 300);
}
