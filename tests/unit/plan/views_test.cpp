// SPDX-License-Identifier: BSL-1.0
// Permutes, reshapes and slices without copies, in chains of any order, with extents of 1.
#include <sigma/device/cpu/chosen_kernels.hpp>
#include <sigma/device/made_program.hpp>
#include <sigma/device/session.hpp>
#include <sigma/function/function.hpp>
#include <sigma/plan/print.hpp>
#include <sigma/sigma.hpp>
#include <sigma/xtensor.hpp>

#include "support/effort.hpp"
#include "support/plan_interpreter.hpp"
#include "support/random_views.hpp"
#include "support/reference.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <string>
#include <vector>

using namespace sigma;
using namespace sigma::test;

namespace {

Values numbers(const Shape& s, long long records, std::mt19937& random) {
    Values v(static_cast<std::size_t>(Extents(s, records).count()));
    for (double& x : v) x = static_cast<double>(random() % 4001) / 1000 - 2;
    return v;
}
std::string difference(const std::vector<Values>& found, const std::vector<Values>& wanted, double tolerance) {
    for (std::size_t i = 0; i < wanted.size(); ++i)
        for (std::size_t j = 0; j < wanted[i].size(); ++j)
            if (!(std::abs(found.at(i).at(j) - wanted[i][j]) <= tolerance * (1 + std::abs(wanted[i][j]))))
                return sentence("result ", i, ", element ", j, ": expected ", wanted[i][j], ", found ", found[i][j]);
    return "";
}

/// Runs the plans for vectors of several lengths by the interpreter. Returns the differences.
std::string planned(const sigma::detail::Program& program, const Bindings& bindings, const Interpretation& wanted,
                    long long records) {
    for (int lanes : {2, 4, 8, 16}) {
        const sigma::detail::Plan plan = sigma::detail::make_plan(program, lanes);
        PlanInterpreter machine(plan, lanes, records, records);
        machine.bind(bindings);
        try {
            machine.run(PlanInterpreter::Order::plain);
        } catch (const std::logic_error& error) { return sentence(lanes, " lanes: ", error.what()); }
        if (const std::string wrong = difference(machine.outputs(), wanted.outputs, 1e-9); !wrong.empty())
            return sentence(lanes, " lanes: ", wrong, "\n", to_text(plan));
    }
    return "";
}
/// Runs the kernels of this machine. Returns the differences.
template <class T>
std::string computed(const sigma::detail::Program& program, const Bindings& bindings, const Interpretation& wanted,
                     long long records) {
    const sigma::detail::MadeProgram<T> made(program, on_cpu::kernels<T>().lanes);
    sigma::detail::Session<T> session(made.compiled());
    std::vector<std::vector<T>> inputs, outputs;
    for (const Values& v : bindings.inputs) inputs.emplace_back(v.begin(), v.end());
    for (const Values& v : wanted.outputs) outputs.emplace_back(v.size(), T(7));
    for (std::size_t i = 0; i < inputs.size(); ++i) session.bind_input(static_cast<int>(i), inputs[i].data());
    for (std::size_t i = 0; i < outputs.size(); ++i) session.bind_output(static_cast<int>(i), outputs[i].data());
    session.prepare(records);
    session.run();
    std::vector<Values> found;
    for (const std::vector<T>& v : outputs) found.emplace_back(v.begin(), v.end());
    return difference(found, wanted.outputs, sizeof(T) == 4 ? 2e-3 : 1e-9);
}

std::string examine(unsigned seed, bool gradients) {
    RandomViews views(seed);
    const sigma::detail::Program program = views.program(gradients);
    const long long records = 1 + static_cast<long long>(seed % 3);
    std::mt19937 random(seed);
    Bindings bindings;
    for (const Shape& s : views.inputs()) bindings.inputs.push_back(numbers(s, records, random));
    for (const Shape& s : views.parameters()) bindings.parameters.push_back(numbers(s, records, random));
    const Interpretation wanted = interpret(program, bindings, records);
    for (const Values& v : wanted.values)
        for (double x : v)
            if (!(std::abs(x) < 200)) return "";  // float has digits after the point left
    std::string wrong = planned(program, bindings, wanted, records);
    if (wrong.empty() && bindings.parameters.empty())
        wrong = seed % 2 ? computed<float>(program, bindings, wanted, records)
                         : computed<double>(program, bindings, wanted, records);
    return wrong.empty() ? "" : sentence(to_text(program), wrong);
}

/// Calls f with all shapes of so many elements and axes.
void each_shape(int count, int rank, Shape s, const auto& f) {
    if (s.rank == rank) return count == 1 ? f(s) : void();
    for (int n = 1; n <= count; ++n)
        if (count % n == 0) each_shape(count / n, rank, s.inserted(s.rank, n), f);
}
void each_order(int rank, const auto& f) {
    std::vector<int> axes;
    for (int i = 0; i < rank; ++i) axes.push_back(i);
    do {
        std::uint64_t order = 0;
        for (int i = 0; i < rank; ++i)
            order |= static_cast<std::uint64_t>(axes[static_cast<std::size_t>(i)]) << (4 * i);
        f(order);
    } while (std::next_permutation(axes.begin(), axes.end()));
}
/// Checks reshape(permute(x, order), to) and its gradient for x with padded rows.
std::string reshaped_behind_permute(const Shape& from, std::uint64_t order, const Shape& to, int lanes) {
    sigma::detail::Program p;
    p.sequential = true;
    const auto input = [&](const Shape& s, std::uint64_t number) {
        return Variable{&p.tape, p.tape.leaf(sigma::detail::Operation::input, s, number)};
    };
    const Variable x = sin(input(from, 0)), y = input(to, 1);
    const Variable z = reshape(permute(x, order), to), product = z * y;
    const Variable loss =
        reshape(sigma::detail::reduce(sigma::detail::Operation::sum, product, Shape{}.aligned(to.rank)), Shape{});
    sigma::detail::List<Variable> wrt;
    wrt.push(x), wrt.push(y);
    sigma::detail::add_output(p, z);
    for (const Variable& g : sigma::detail::differentiate(loss, constant(&p.tape, 1), wrt))
        sigma::detail::add_output(p, g);
    Bindings bindings;
    for (int i = 0; i < 2; ++i) bindings.inputs.emplace_back(static_cast<std::size_t>(from.count()));
    for (Values& v : bindings.inputs)
        for (double& each : v) each = 0.5 + static_cast<double>(&each - v.data());
    const sigma::detail::Plan plan = sigma::detail::make_plan(p, lanes);
    PlanInterpreter machine(plan, lanes, 1, 1);
    machine.bind(bindings);
    machine.run(PlanInterpreter::Order::plain);
    return difference(machine.outputs(), interpret(p, bindings, 1).outputs, 1e-12);
}

}  // namespace

TEST_CASE("chains of permutes, reshapes and slices read what they name", "[plan]") {
    constexpr unsigned last = effort(20000);
    for (unsigned seed = 1; seed <= last; ++seed)
        for (bool gradients : {false, true}) {
            const std::string wrong = examine(seed, gradients);
            if (wrong.empty()) continue;
            INFO("seed " << seed << (gradients ? ", gradients\n" : "\n") << wrong);
            CHECK(wrong.empty());
        }
}

TEST_CASE("chains that read padding once", "[plan]") {
    for (unsigned seed : {495u, 1082u, 2706u, 3203u, 4294u, 4511u, 6395u, 8235u, 8761u, 10961u, 16975u, 19008u})
        for (bool gradients : {false, true}) {
            INFO("seed " << seed << (gradients ? ", gradients" : ""));
            CHECK(examine(seed, gradients) == "");
        }
}

TEST_CASE("every reshape behind every permute", "[plan]") {
    int number = 0;
    for (int rank = 2; rank <= 4; ++rank)
        for (int count : {2, 3, 4, 6, 10})
            each_shape(count, rank, {}, [&](const Shape& from) {
                each_order(rank, [&](std::uint64_t order) {
                    for (int axes = 1; axes <= 3; ++axes)
                        each_shape(count, axes, {}, [&](const Shape& to) {
                            if (++number % (effort(10) == 10 ? 1 : 10) != 0) return;
                            INFO(sigma::detail::shape_text(std::span(from.extent, from.extent + from.rank))
                                 << std::hex << order);
                            CHECK(reshaped_behind_permute(from, order, to, 4) == "");
                        });
                });
            });
    CHECK(number > 16000);
}

TEST_CASE("a column that was a padded row follows the next without a gap", "[plan]") {
    const xt::xtensor<double, 3> w{{{1, 2}, {3, 4}, {5, 6}}};
    xt::xtensor<double, 2> x = xt::zeros<double>({6, 1});
    const auto column = [](auto q) { return reshape(permute(q, {1, 2, 0}), {6, 1}); };
    const auto product = [](auto q, auto u) { return sum(permute(reshape(q, {3, 2, 1}), {2, 0, 1}) * u); };
    const Values wanted{1, 2, 3, 4, 5, 6};
    const auto values = [](const auto& y) { return Values(y.begin(), y.end()); };
    CHECK(values(evaluate([&](auto q) { return column(q * 2.0 - q); })(w)) == wanted);
    CHECK(values(gradient(product, wrt<0>)(x, w)) == wanted);
    CHECK(values(gradient(product, wrt<0>)(shaped<6, 1>(x), shaped<1, 3, 2>(w))) == wanted);
}

TEST_CASE("axes of extent 1 in einsum", "[plan]") {
    xt::xtensor<double, 4> x = xt::zeros<double>({2, 3, 4, 1});
    xt::xtensor<double, 1> y = xt::zeros<double>({4});
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<double>(i % 7) - 2;
    for (std::size_t i = 0; i < y.size(); ++i) y(i) = static_cast<double>(i) + 0.5;
    const auto f = [](auto a, auto b) { return einsum("abcd,c->dab", a + 0.25, b); };
    const auto z = evaluate(f)(x, y);
    const auto g = gradient([&](auto a, auto b) { return sum(square(f(a, b))); })(x, y);
    for (std::size_t a = 0; a < 2; ++a)
        for (std::size_t b = 0; b < 3; ++b) {
            double sum = 0;
            for (std::size_t c = 0; c < 4; ++c) sum += (x(a, b, c, 0) + 0.25) * y(c);
            CHECK(z(0, a, b) == Approx(sum));
            for (std::size_t c = 0; c < 4; ++c) CHECK(std::get<0>(g)(a, b, c, 0) == Approx(2 * sum * y(c)));
        }
}

TEST_CASE("a network that is made now permutes and reshapes padded rows", "[plan]") {
    const auto predicted = [](const DynamicNetwork& made) {
        Model<DynamicNetwork, double> model(made, 1);
        model.parameter("1-elementwise.weights").fill(2);
        model.parameter("1-elementwise.biases").fill(1);
        Array<double> x = Array<double>::from_shape({2, 1, 3, 2});
        for (int i = 0; i < 12; ++i) x.data()[i] = i < 6 ? i + 1 : 5 - i;
        const Array<double> y = model.predict(x);
        return Values(y.data(), y.data() + y.size());
    };
    CHECK(predicted(network(Input(1, 3, 2) + Elementwise() + Permute(2, 3, 1) + Reshape(6, 1) + SquaredDiff())) ==
          Values{3, 5, 7, 9, 11, 13, -1, -3, -5, -7, -9, -11});
    CHECK(predicted(network(Input(1, 3, 2) + Elementwise() + Permute(3, 1, 2) + Reshape(6, 1, 1) + SquaredDiff())) ==
          Values{3, 7, 11, 5, 9, 13, -1, -5, -9, -3, -7, -11});
}

TEST_CASE("a plan whose layout does not exist is refused", "[plan]") {
    sigma::detail::Program p;
    const Variable x{&p.tape, p.tape.leaf(sigma::detail::Operation::input, Shape(1, 3, 2), 0)};
    const Variable padded = sin(x), column = reshape(permute(padded, 0x021), Shape(6, 1));
    sigma::detail::add_output(p, cos(column));
    sigma::detail::Passes found(p, 4);
    REQUIRE_FALSE(found.layouts.padded[padded.id]);
    REQUIRE(found.views.view[column.id]);
    found.layouts.padded[padded.id] = 1;
    CHECK_THROWS_WITH(lower(found.in, found.views, found.layouts, found.groups),
                      Catch::Matchers::Contains("would read the wrong elements"));
}
