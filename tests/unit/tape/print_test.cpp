// SPDX-License-Identifier: BSL-1.0
#include <sigma/plan/planner.hpp>
#include <sigma/plan/print.hpp>
#include <sigma/tape/along_axis.hpp>
#include <sigma/tape/print.hpp>

#include "support/networks.hpp"
#include "support/rewrite.hpp"

#include <catch2/catch.hpp>

using namespace sigma;
using namespace sigma::test;

namespace {

/// A layer with something for each pass to do, written down as it stands.
sigma::detail::Program example() {
    sigma::detail::Program p;
    p.tape.sharing = p.tape.identities = false;
    Recorder r(p);
    const auto x = r.input<batch, 4>();
    const auto w = r.parameter<4, 3>();
    const auto y = dot(x, w);
    exp(y);
    const auto first = -(-relu(y)) * 1.0;  // statements: the order of operands would be the compiler's choice
    const auto second = relu(y);
    r.output(first + second);
    return p;
}

}  // namespace

TEST_CASE("a tape prints itself", "[tape]") {
    CHECK(to_text(example()) ==
          "%0 (batch, 4) = input 0\n"
          "%1 (4, 3) = parameter 0\n"
          "%2 (batch, 3) = dot(%0, %1)\n"
          "%3 (batch, 3) = exp(%2)\n"
          "%4 () = constant 0\n"
          "%5 (batch, 3) = maximum(%2, %4)\n"
          "%6 (batch, 3) = negate(%5)\n"
          "%7 (batch, 3) = negate(%6)\n"
          "%8 () = constant 1\n"
          "%9 (batch, 3) = multiply(%7, %8)\n"
          "%10 () = constant 0\n"
          "%11 (batch, 3) = maximum(%2, %10)\n"
          "%12 (batch, 3) = add(%9, %11)\n"
          "%13 (batch, 3) = copy(%12)\n"
          "outputs %13\n");
}

TEST_CASE("a tape prints itself without dead code", "[tape]") {
    CHECK(to_text(rewrite(example(), false, false)) ==
          "%0 (batch, 4) = input 0\n"
          "%1 (4, 3) = parameter 0\n"
          "%2 (batch, 3) = dot(%0, %1)\n"
          "%3 () = constant 0\n"
          "%4 (batch, 3) = maximum(%2, %3)\n"
          "%5 (batch, 3) = negate(%4)\n"
          "%6 (batch, 3) = negate(%5)\n"
          "%7 () = constant 1\n"
          "%8 (batch, 3) = multiply(%6, %7)\n"
          "%9 () = constant 0\n"
          "%10 (batch, 3) = maximum(%2, %9)\n"
          "%11 (batch, 3) = add(%8, %10)\n"
          "%12 (batch, 3) = copy(%11)\n"
          "outputs %12\n");
}

TEST_CASE("a tape prints itself with common subexpressions shared", "[tape]") {
    CHECK(to_text(rewrite(example(), true, false)) ==
          "%0 (batch, 4) = input 0\n"
          "%1 (4, 3) = parameter 0\n"
          "%2 (batch, 3) = dot(%0, %1)\n"
          "%3 () = constant 0\n"
          "%4 (batch, 3) = maximum(%2, %3)\n"
          "%5 (batch, 3) = negate(%4)\n"
          "%6 (batch, 3) = negate(%5)\n"
          "%7 () = constant 1\n"
          "%8 (batch, 3) = multiply(%6, %7)\n"
          "%9 (batch, 3) = add(%8, %4)\n"
          "%10 (batch, 3) = copy(%9)\n"
          "outputs %10\n");
}

TEST_CASE("a tape prints itself with identities applied", "[tape]") {
    // What an identity made superfluous is dead, and gone when the program is written once more.
    CHECK(to_text(rewrite(rewrite(example(), true, true), true, true)) ==
          "%0 (batch, 4) = input 0\n"
          "%1 (4, 3) = parameter 0\n"
          "%2 (batch, 3) = dot(%0, %1)\n"
          "%3 () = constant 0\n"
          "%4 (batch, 3) = maximum(%2, %3)\n"
          "%5 (batch, 3) = add(%4, %4)\n"
          "%6 (batch, 3) = copy(%5)\n"
          "outputs %6\n");
}

TEST_CASE("every kind of node has its text", "[tape]") {
    sigma::detail::Program p;
    sigma::detail::Tape* tape = &p.tape;
    const Variable x{tape, tape->leaf(sigma::detail::Operation::state, Shape(-2, 3, 4), 7)};
    const Variable m{tape, tape->leaf(sigma::detail::Operation::uniform, Shape(4, 3), 5)};
    const auto text = [&](Variable v) {
        const std::string all = to_text(*tape, v.id);
        return all.substr(all.find(' ') + 1);
    };
    CHECK(text(x) == "(2*batch, 3, 4) = state 7");
    CHECK(text(m) == "(4, 3) = uniform stream 5");
    CHECK(text(sigma::detail::reciprocal_batch(tape)) == "() = reciprocal_batch");
    CHECK(text({tape, tape->put({sigma::detail::Operation::iota, -1, -1, -1, Shape(9)})}) == "(9) = iota");
    CHECK(text(constant(tape, -0.25)) == "() = constant -0.25");
    CHECK(text(sigma::detail::reduce(sigma::detail::Operation::sum, x, Shape(-2, 1, 1))) ==
          "(2*batch, 1, 1) = sum(%0, axes 1 2)");
    CHECK(text(argmax(x, 1)) == "(2*batch, 1, 4) = argmax(%0, axis 1)");
    CHECK(text(permute(x, 0x120)) == "(2*batch, 4, 3) = permute(%0, axes 0 2 1)");
    CHECK(text(slice(x, 2, 1, 2)) == "(2*batch, 3, 2) = slice(%0, axis 2, 1..3)");
    CHECK(text(pad(m, 0, 2, 8)) == "(8, 3) = pad(%1, axis 0, at 2)");
    CHECK(text(concatenate(m, m, 1)) == "(4, 6) = concatenate(%1, %1, axis 1)");
    CHECK(text(reshape(m, Shape(12))) == "(12) = reshape(%1)");
    CHECK(text(sigma::detail::product(sigma::detail::Operation::dot, x, m, false)) == "(2*batch, 3, 3) = dot(%0, %1)");
    CHECK(text(sigma::detail::product(sigma::detail::Operation::transposed_dot, x, x, true)) ==
          "(2*batch, 4, 4) = transposed_dot(%0, %0, each)");
    CHECK(text(argsort(m, 2, true)) == "(4, 2) = argsort(%1, descending)");
    CHECK(text(linear_recurrence(m, m, true)) == "(4, 3) = linear_recurrence(%1, %1, transposed)");
    CHECK(text(sigma::detail::lu(m)) == "(3, 4) = lu(%1)");
    const Variable one = constant(tape, 1);
    CHECK(text(where(m, one, m)) == sentence("(4, 3) = where(%1, %", one.id, ", %1)"));
}

TEST_CASE("a plan prints itself", "[plan]") {
    CHECK(to_text(sigma::detail::make_plan(rewrite(example(), true, true), 8)) ==
          "arena: 0 elements + 8 per record\n"
          "  b0: input 0 (batch, 4)\n"
          "  b1: parameter 0 (4, 3), rows of 8\n"
          "  b2: output 0 (batch, 3)\n"
          "  b3: batched at 0 (batch, 3), rows of 8\n"
          "stage 1\n"
          "  kernel 0: product, local: b3 = dot(b0, b1), batch x 3 x 4\n"
          "  kernel 1: rows, local: loops batch | 3, tail masked\n"
          "      once:   %0 = constant 0\n"
          "      vector: %1 = b3\n"
          "      vector: %2 = maximum(%0, %1)\n"
          "      vector: %3 = add(%2, %2)\n"
          "      vector: %4 = copy(%3)\n"
          "      vector: b2 = %4\n");
}

TEST_CASE("operations of blocks read permuted operands where they are", "[plan]") {
    sigma::detail::Program p;
    Recorder r(p);
    const auto x = r.input<batch, 4, 3>();
    r.output(sum(sort(x, axis(1)), axis(1)));
    const std::string text = to_text(sigma::detail::make_plan(p, 8));
    INFO(text);
    CHECK(text.find("  kernel 0: block, local: b2 = argsort(b0), extents batch 3\n"
                    "  kernel 1: block, local: b3 = gather_along(b0, b2), extents batch 3\n") != std::string::npos);
}

TEST_CASE("a plan prints sweeps, stages, folded updates and shared code", "[plan]") {
    const std::string text = to_text(sigma::detail::make_plan(iris_step(), 8));
    const auto shows = [&](const std::string& part) {
        INFO(text);
        CHECK(text.find(part) != std::string::npos);
    };
    shows("arena: 80 elements + 57 per record\n");
    shows("  kernel 0: transpose: b10 = b5, extents 12 3 1 1\n");
    shows("  kernel 4: rows, local: loops batch | 3, tail padded\n    sweep 0\n      once:   %0 = b8\n");
    shows("      row:    %21 = log, apart(%16)\n");
    shows("      vector: %28 = multiply_subtract(%25, %26, %27)\n");
    shows("      vector: %29 = sum(%22, %24), to b15\n      vector: b16 = %28\n");
    shows("stage 2\n");
    shows("product: b3 -= b2 * transposed_dot(b0, b18), 4 x 12 x batch\n");
    shows("      vector: %4 = b7\n      row:    %5 = b1\n");
    CHECK(to_text(sigma::detail::make_plan(three_layers(), 8)).find(", code of kernel 3\n") != std::string::npos);
}
