// SPDX-License-Identifier: BSL-1.0
// Random functions by the public interface, compared with the interpreter in double. The memory of arguments and
// results ends with their last element, so that the address sanitizer finds accesses beyond it.
#include <sigma/device/cpu/executor.hpp>
#include <sigma/tape/interpreter.hpp>

#include "support/effort.hpp"
#include "support/plan_interpreter.hpp"
#include "support/random_function.hpp"
#include "support/reference.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <string>

using namespace sigma;
using namespace sigma::test;

namespace {

template <class T, Shape s>
auto random_argument(std::mt19937& random, std::ptrdiff_t records) {
    auto x = sigma::detail::make_result<T, s>(records);
    const auto number = [&] { return static_cast<T>(static_cast<int>(random() % 4001)) / T(1000) - T(2); };
    if constexpr (s.rank == 0) x = number();
    else
        for (T& v : x) v = number();
    return x;
}
template <Shape s, class X>
auto bound(const X& x) {
    if constexpr (s.rank == 0) return x;
    else return sigma::detail::Shaped<s, X>{x};
}
template <class X>
Values values_of(const X& x) {
    if constexpr (std::is_arithmetic_v<X>) return {static_cast<double>(x)};
    else return Values(x.begin(), x.end());
}
std::string difference(int number, const Values& found, const Values& wanted, double tolerance) {
    if (found.size() != wanted.size())
        return sentence("result ", number, " has ", found.size(), " elements, not ", wanted.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        if (!(std::abs(found[i] - wanted[i]) <= tolerance * (1 + std::abs(wanted[i]))))
            return sentence("result ", number, ", element ", i, ": expected ", wanted[i], ", found ", found[i]);
    return "";
}

/// Returns whether all values are so small that float has digits after the point, as has their sine.
bool is_tame(const Interpretation& r) {
    for (const Values& v : r.values)
        for (double x : v)
            if (!(std::abs(x) < 200)) return false;
    return true;
}

int compared = 0;

/// Runs F as a user does, and its program by the interpreter. Returns the differences.
template <class T, class F, std::size_t... i>
std::string compare(F f, auto shapes, unsigned seed, std::ptrdiff_t records, std::index_sequence<i...>) {
    std::mt19937 random(seed);
    const std::tuple arguments{random_argument<T, shapes().argument[i]>(random, records)...};
    const auto results = f(bound<shapes().argument[i]>(std::get<i>(arguments))...);
    const sigma::detail::Program program = sigma::detail::FunctionProgram<F, shapes().argument[i]...>{}();
    const Bindings bindings{{values_of(std::get<i>(arguments))...}, {}, {}, {}};
    const Interpretation wanted = interpret(program, bindings, (shapes().argument[i].batched() || ...) ? records : 1);
    if (!is_tame(wanted)) return "";
    ++compared;
    std::string wrong;
    int number = 0;
    const auto examine = [&](const Values& found) {
        if (wrong.empty())
            wrong = difference(number, found, wanted.outputs.at(static_cast<std::size_t>(number)),
                               sizeof(T) == 4 ? 2e-4 : 1e-10);
        ++number;
    };
    std::apply([&](const auto&... r) { (examine(values_of(r)), ...); }, results);
    return wrong;
}
template <unsigned seed>
void examine() {
    using T = std::conditional_t<seed % 2 == 0, float, double>;
    constexpr auto shapes = [] { return sigma::test::detail::Random<seed>::shapes; };
    constexpr auto all = std::make_index_sequence<RandomFunction::arguments>{};
    for (std::ptrdiff_t records : {1, 5}) {
        INFO("seed " << seed << ", " << records << " records");
        CHECK(compare<T>(evaluate(RandomResults<seed>{}), shapes, seed, records, all) == "");
        CHECK(compare<T>(value_and_gradient(RandomLoss<seed>{}), shapes, seed, records, all) == "");
    }
}
template <unsigned... seed>
void check_all(std::integer_sequence<unsigned, seed...>) {
    (examine<seed>(), ...);
}

// ---- many more without compiling them, by the interpreter of plans, which checks every access ----

std::string planned(unsigned seed, bool gradients, long long records) {
    const sigma::detail::Program program = program_of(seed, gradients);
    std::mt19937 random(seed);
    Bindings bindings;
    for (int i = 0; i < RandomFunction::arguments; ++i) {
        Values v(static_cast<std::size_t>(debugging::Extents(RandomFunction(seed).shape(i), records).count()));
        for (double& x : v) x = static_cast<double>(random() % 4001) / 1000 - 2;
        bindings.inputs.push_back(v);
    }
    const Interpretation wanted = interpret(program, bindings, records);
    for (int lanes : {2, 4, 8, 16}) {
        const sigma::detail::Plan plan = sigma::detail::make_plan(program, lanes);
        PlanInterpreter machine(plan, lanes, records, records);
        machine.bind(bindings);
        try {
            machine.run(PlanInterpreter::Order::plain);
        } catch (const std::logic_error& error) { return sentence(lanes, " lanes: ", error.what()); }
        if (!is_tame(wanted)) continue;
        ++compared;
        const std::vector<Values> found = machine.outputs();
        for (std::size_t i = 0; i < found.size(); ++i)
            if (const std::string wrong = difference(static_cast<int>(i), found[i], wanted.outputs.at(i), 1e-10);
                !wrong.empty())
                return sentence(lanes, " lanes: ", wrong);
    }
    return "";
}

}  // namespace

TEST_CASE("random functions compute what their programs say, within their arrays", "[plan]") {
    compared = 0;
    // Chosen among 400 for the many ways in which their kernels read arguments and write results.
    check_all(std::integer_sequence<unsigned, 65, 75, 177, 219, 242, 250, 315, 380>{});
    CHECK(compared > 24);  // of 32
}

TEST_CASE("plans of random functions stay within what is bound from outside", "[plan]") {
    compared = 0;
    constexpr unsigned last = effort(400);
    for (unsigned seed = 1; seed <= last; ++seed)
        for (bool gradients : {false, true}) {
            INFO("seed " << seed << (gradients ? ", gradients" : ""));
            CHECK(planned(seed, gradients, 1 + 2 * static_cast<long long>(seed % 3)) == "");
        }
    CHECK(compared > 5 * static_cast<int>(last));
}

TEST_CASE("the gradient of a slice is cleared to its last element", "[plan]") {
    const auto f = gradient([](auto x) { return sum(sin(slice(x, axis(0), 0, 3))); });
    using P = sigma::detail::Planned<sigma::detail::FunctionProgram<std::decay_t<decltype(f)>, Shape(9)>,
                                     on_cpu::lanes<double>>;
    const Values x(9, 0.5);
    Values found(32, 7);
    on_cpu::Executor<double> executor(on_cpu::compiled_program<P, double>);
    executor.bind_input(0, x.data());
    executor.bind_output(0, found.data());
    executor.prepare(1);
    executor.run();
    for (std::size_t i = 0; i < found.size(); ++i)
        CHECK(found[i] == (i < 3 ? Approx(std::cos(0.5)) : Approx(i < 9 ? 0 : 7)));
}

TEST_CASE("an extent merges with a batch behind it", "[plan]") {
    sigma::detail::Program p;
    p.sequential = true;
    const Variable x{&p.tape, p.tape.leaf(sigma::detail::Operation::input, Shape(batch, 5, 4), 0)};
    sigma::detail::add_output(p, sin(reshape(permute(x, 0x021), Shape(5, -4))));  // of (5, 4, batch)
    Bindings bindings;
    bindings.inputs.push_back(Values(60));
    for (std::size_t i = 0; i < 60; ++i) bindings.inputs[0][i] = static_cast<double>(i);
    const sigma::detail::Plan plan = sigma::detail::make_plan(p, 8);
    PlanInterpreter machine(plan, 8, 3, 3);
    machine.bind(bindings);
    machine.run(PlanInterpreter::Order::plain);
    CHECK(machine.outputs() == interpret(p, bindings, 3).outputs);
}

TEST_CASE("random functions that were planned wrongly once", "[plan]") {
    // Axes of extent 1 among those that a product takes as one, and a padded row that became a column.
    for (unsigned seed : {162u, 263u, 549u, 2213u, 2561u, 2567u})
        for (bool gradients : {false, true}) {
            INFO("seed " << seed << (gradients ? ", gradients" : ""));
            CHECK(planned(seed, gradients, 5) == "");
        }
}

TEST_CASE("a product of rows with an axis of extent 1 between", "[plan]") {
    const xt::xtensor<double, 2> x{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}}, w{{1, 2}, {3, 4}, {5, 6}, {7, 8}};
    const auto y = evaluate([](auto a, auto b) { return dot(reshape(a, {batch, 1, 4}), b); })(shaped<batch, 4>(x),
                                                                                              shaped<4, 2>(w));
    CHECK(Values(y.begin(), y.end()) == Values{34, 40, 98, 120, 162, 200});
}
