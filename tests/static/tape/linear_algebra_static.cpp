// SPDX-License-Identifier: BSL-1.0
// Shapes of results are those written down.
#include <sigma/tape/linear_algebra.hpp>
#include <sigma/tape/program.hpp>

using namespace sigma;

constexpr Shape shape_of(auto f, Shape a, Shape b = {}) {
    detail::Program p;
    detail::Trace trace;
    p.tape.tracer = &trace;
    const Tensor x{detail::input(p, a, 0)}, y{detail::input(p, b, 1)};
    return f(x, y).shape();
}
constexpr auto of_determinant = [](auto x, auto) { return determinant(x); };
constexpr auto of_solution = [](auto x, auto y) { return solve(x, y); };

static_assert(shape_of(of_determinant, Shape(batch, 3, 3)) == Shape(batch));
static_assert(shape_of(of_determinant, Shape(3, 3)) == Shape{});
static_assert(shape_of(of_solution, Shape(batch, 3, 3), Shape(batch, 3)) == Shape(batch, 3));
static_assert(shape_of(of_solution, Shape(5, 3, 3), Shape(5, 3)) == Shape(5, 3));
static_assert(shape_of(of_solution, Shape(3, 3), Shape(batch, 3, 2)) == Shape(batch, 3, 2));
