// SPDX-License-Identifier: BSL-1.0
#include "support/reference.hpp"

#include <catch2/catch.hpp>

#include <limits>

using namespace sigma;
using namespace sigma::test;

// The interpreter is what everything else is compared with; these values were computed by hand.
namespace {

struct Sheet {
    sigma::detail::Tape tape{};
    Bindings bindings{};

    Variable leaf(const Shape& s, Values v) {
        bindings.inputs.push_back(std::move(v));
        return {&tape, tape.leaf(sigma::detail::Operation::input, s, bindings.inputs.size() - 1)};
    }
    Values value(Variable v, long long records = 1) const {
        return Interpreter(tape, bindings, records).run()[static_cast<std::size_t>(v.id)];
    }
};

}  // namespace

TEST_CASE("products by hand", "[tape]") {
    Sheet s;
    const Variable a = s.leaf(Shape(2, 3), {1, 2, 3, 4, 5, 6}), b = s.leaf(Shape(3, 2), {1, 0, 2, 1, 0, 3});
    CHECK(s.value(sigma::detail::product(sigma::detail::Operation::dot, a, b, false)) == Values{5, 11, 14, 23});
    CHECK(s.value(sigma::detail::product(sigma::detail::Operation::transposed_dot, a, a, false)) ==
          Values{17, 22, 27, 22, 29, 36, 27, 36, 45});
    const Variable c = s.leaf(Shape(2, 1, 2), {1, 2, 3, 4}), d = s.leaf(Shape(2, 2, 1), {5, 6, 7, 8});
    CHECK(s.value(sigma::detail::product(sigma::detail::Operation::dot, c, d, true)) == Values{17, 53});
    CHECK(s.value(sigma::detail::product(sigma::detail::Operation::transposed_dot, c, c, true)) ==
          Values{1, 2, 2, 4, 9, 12, 12, 16});
    CHECK(s.value(sigma::detail::product(sigma::detail::Operation::transposed_dot, c, c, false)) ==
          Values{10, 14, 14, 20});
}

TEST_CASE("movement by hand", "[tape]") {
    Sheet s;
    const Variable a = s.leaf(Shape(2, 3), {1, 2, 3, 4, 5, 6});
    CHECK(s.value(sigma::detail::transpose_last(a)) == Values{1, 4, 2, 5, 3, 6});
    CHECK(s.value(slice(a, 1, 1, 2)) == Values{2, 3, 5, 6});
    CHECK(s.value(pad(a, 0, 1, 4)) == Values{0, 0, 0, 1, 2, 3, 4, 5, 6, 0, 0, 0});
    CHECK(s.value(concatenate(a, slice(a, 1, 0, 1), 1)) == Values{1, 2, 3, 1, 4, 5, 6, 4});
    CHECK(s.value(reshape(a, Shape(3, 2))) == Values{1, 2, 3, 4, 5, 6});
    const Variable cube = s.leaf(Shape(2, 1, 3), {1, 2, 3, 4, 5, 6});
    CHECK(s.value(permute(cube, 0x102)) == Values{1, 4, 2, 5, 3, 6});  // (3, 2, 1)
}

TEST_CASE("reductions and broadcasting by hand", "[tape]") {
    Sheet s;
    const Variable a = s.leaf(Shape(2, 3), {1, 5, 3, 4, 2, 6}), row = s.leaf(Shape(3), {10, 20, 30});
    CHECK(s.value(sigma::detail::reduce(sigma::detail::Operation::sum, a, Shape(2, 1))) == Values{9, 12});
    CHECK(s.value(sigma::detail::reduce(sigma::detail::Operation::sum, a, Shape(1, 3))) == Values{5, 7, 9});
    CHECK(s.value(sigma::detail::reduce(sigma::detail::Operation::reduce_maximum, a, Shape(1, 3))) == Values{4, 5, 6});
    CHECK(s.value(sigma::detail::reduce(sigma::detail::Operation::reduce_minimum, a, Shape(1, 1))) == Values{1});
    CHECK(s.value(argmax(a, 1)) == Values{1, 2});
    CHECK(s.value(argmax(a, 0)) == Values{1, 0, 1});
    CHECK(s.value(a - row) == Values{-9, -15, -27, -6, -18, -24});
    CHECK(s.value(sigma::detail::expand(row, Shape(2, 3))) == Values{10, 20, 30, 10, 20, 30});
    const Variable x = s.leaf(Shape(batch, 1), {7, 8});
    CHECK(s.value(x * sigma::detail::reciprocal_batch(&s.tape), 2) == Values{3.5, 4});
}

TEST_CASE("NaN passes through maxima, and the first of equals is the greatest", "[tape]") {
    Sheet s;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Variable a = s.leaf(Shape(3), {1, nan, 2}), b = s.leaf(Shape(3), {nan, 0, 2}),
                   ties = s.leaf(Shape(4), {1, 3, 3, 2});
    CHECK(std::isnan(s.value(max(a, b))[0]));
    CHECK(std::isnan(s.value(min(a, b))[1]));
    CHECK(std::isnan(s.value(sigma::detail::reduce(sigma::detail::Operation::reduce_maximum, a, Shape(1)))[0]));
    CHECK(s.value(argmax(a, 0)) == Values{1});
    CHECK(s.value(argmax(ties, 0)) == Values{1});
}

TEST_CASE("assignments happen at the end, from old values", "[tape]") {
    sigma::detail::Program p;
    const Variable x{&p.tape, p.tape.leaf(sigma::detail::Operation::state, Shape{}, 0)},
        y{&p.tape, p.tape.leaf(sigma::detail::Operation::state, Shape{}, 1)};
    const auto assign = [&](Variable to, Variable value) {
        p.assignments.push({&p.tape, p.tape.put({sigma::detail::Operation::assign, to.id, value.id, -1, to.shape()})});
    };
    assign(x, x + y);
    assign(y, x - y);
    const Interpretation r = interpret(p, {{}, {}, {{5}, {3}}, {}}, 1);
    CHECK(r.states == std::vector<Values>{{8}, {2}});
}
