// SPDX-License-Identifier: BSL-1.0
// A scan against the same steps written out one by one: values, gradients and second derivatives, as the tape says and
// as plans compute them.
#include <sigma/tape/compose.hpp>
#include <sigma/tape/convolution.hpp>
#include <sigma/tape/differentiate.hpp>
#include <sigma/tape/scan.hpp>

#include "support/plan_interpreter.hpp"
#include "support/plan_overlap.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <string>
#include <tuple>
#include <vector>

using namespace sigma;
using namespace sigma::test;

namespace {

// ---- what scan means ----

template <class X>
constexpr auto several(const X& x) {
    if constexpr (std::is_same_v<X, Tensor>) return std::tuple{x};
    else return std::apply([](const auto&... each) { return std::tuple{each...}; }, x);
}

struct Scanned {
    template <Direction direction = Direction::forwards, class X, class C, class F>
    static auto over(X sequences, C states, F f) {
        return several(scan(sequences, states, f, direction));
    }
};
struct Unrolled {
    template <Direction direction = Direction::forwards, class X, class C, class F>
    static auto over(X sequences, C states, F f) {
        const auto x = several(sequences);
        auto present = several(states);
        const int count = std::get<0>(x).shape()[1];
        const auto result_at = [&](int t) {
            return several(std::apply(
                f, std::tuple_cat(std::apply([&](auto... s) { return std::tuple{at(s, t)...}; }, x), present)));
        };
        std::vector<decltype(result_at(0))> results(static_cast<std::size_t>(count));
        for (int i = 0; i < count; ++i) {
            const int t = direction == Direction::forwards ? i : count - 1 - i;
            results[static_cast<std::size_t>(t)] = result_at(t);
            [&]<std::size_t... k>(std::index_sequence<k...>) {
                present = {std::get<k>(results[static_cast<std::size_t>(t)])...};
            }(std::make_index_sequence<std::tuple_size_v<decltype(present)>>{});
        }
        return [&]<std::size_t... k>(std::index_sequence<k...>) {
            return std::tuple{joined<k>(results)...};
        }(std::make_index_sequence<std::tuple_size_v<decltype(result_at(0))>>{});
    }

private:
    static Tensor at(Tensor x, int t) { return {reshape(slice(x.variable, 1, t, 1), x.shape().without(1))}; }
    template <std::size_t k, class R>
    static Tensor joined(const std::vector<R>& results) {
        const Shape s = std::get<k>(results[0]).shape();
        const auto step = [&](const R& r) { return reshape(std::get<k>(r).variable, s.inserted(1, 1)); };
        Variable all = step(results[0]);
        for (std::size_t t = 1; t < results.size(); ++t) all = concatenate(all, step(results[t]), 1);
        return {all};
    }
};

// ---- comparison ----

constexpr long long records = 3;

Values random_values(unsigned seed, const Shape& s) {
    std::mt19937 random(seed);
    Values v(static_cast<std::size_t>(Extents(s, records).count()));
    for (double& x : v) x = -1 + 2 * static_cast<double>(random() % 100003) / 100003;
    return v;
}
double difference(const Values& x, const Values& y) {
    if (x.size() != y.size()) return std::numeric_limits<double>::infinity();
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double d = std::abs(x[i] - y[i]) / std::max(1.0, std::abs(y[i]));
        worst = std::isnan(d) ? std::numeric_limits<double>::infinity() : std::max(worst, d);
    }
    return worst;
}
double difference(const std::vector<Values>& x, const std::vector<Values>& y) {
    if (x.size() != y.size()) return std::numeric_limits<double>::infinity();
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, difference(x[i], y[i]));
    return worst;
}

/// The results of `f`, their gradients in all arguments under random upstream gradients, the inner product of these
/// with random directions, and its gradients.
template <class Engine, Shape... S>
struct Recorded {
    sigma::detail::Program program{};
    Bindings bindings{};
    int results = 0;
    Variable directional{};
    static constexpr int arguments = sizeof...(S);

    template <class F>
    explicit Recorded(F f, bool second) {
        sigma::detail::List<Variable> x;
        (x.push(leaf(S)), ...);
        const auto y = [&]<std::size_t... i>(std::index_sequence<i...>) {
            return several(f(Engine{}, Tensor{x[static_cast<int>(i)]}...));
        }(std::make_index_sequence<sizeof...(S)>{});
        Variable total = constant(&program.tape, 0);
        std::apply(
            [&](auto... r) {
                ((total = total + inner_product(r.variable, leaf(r.shape())), give(r.variable), ++results), ...);
            },
            y);
        const sigma::detail::List<Variable> first = differentiate(total, constant(&program.tape, 1), x);
        for (const Variable& g : first) give(g);
        if (!second) return;
        directional = constant(&program.tape, 0);
        for (const Variable& g : first) directional = directional + inner_product(g, leaf(g.shape()));
        give(directional);
        for (const Variable& g : differentiate(directional, constant(&program.tape, 1), x)) give(g);
    }
    Variable leaf(const Shape& s) {
        const auto number = static_cast<std::uint64_t>(bindings.inputs.size());
        bindings.inputs.push_back(random_values(static_cast<unsigned>(number) + 1, s));
        return {&program.tape, program.tape.leaf(sigma::detail::Operation::input, s, number)};
    }
    void give(Variable v) { program.outputs.push(sigma::detail::copy(v)); }
    static Variable inner_product(Variable x, Variable y) {
        return reshape(sigma::detail::reduce(sigma::detail::Operation::sum, x * y, Shape{}.aligned(x.shape().rank)),
                       Shape{});
    }
    std::vector<Values> outputs() const { return interpret(program, bindings, records).outputs; }
};

/// The second derivatives are right: central differences of the directional derivative, h² f'''/6 + 1e-16 f/h < 1e-8.
template <class R>
double second_derivative_error(R r) {
    constexpr double h = 1e-5;
    const std::vector<Values> found = r.outputs();
    const auto value = [&] { return r.outputs()[static_cast<std::size_t>(r.results + r.arguments)][0]; };
    double worst = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(r.arguments); ++i)
        for (std::size_t j = 0; j < r.bindings.inputs[i].size(); ++j) {
            double& v = r.bindings.inputs[i][j];
            const double kept = v;
            v = kept + h;
            const double above = value();
            v = kept - h;
            const double below = value();
            v = kept;
            const double error = std::abs(found[static_cast<std::size_t>(r.results + r.arguments) + 1 + i][j] -
                                          (above - below) / (2 * h));
            worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(worst, error);
        }
    return worst;
}

using Order = PlanInterpreter::Order;

/// What plans of the program compute, for vectors of all lengths and in any order that threads may take.
std::string wrong_plan(sigma::detail::Program program, const Bindings& bindings, const std::vector<Values>& wanted) {
    for (bool sequential : {false, true})
        for (int lanes : {4, 8}) {
            program.sequential = sequential;
            const sigma::detail::Plan plan = sigma::detail::make_plan(program, lanes);
            const std::string overlap = Overlap(plan).find();
            if (!overlap.empty()) return overlap;
            for (Order order : {Order::plain, Order::shards, Order::shards_reversed, Order::kernels, Order::random}) {
                PlanInterpreter machine(plan, lanes, records, records + 1);
                machine.bind(bindings);
                machine.run(order, 1, 2);
                const double d = difference(machine.outputs(), wanted);
                if (!(d < 1e-12)) return sentence("a plan's outputs differ by ", d);
            }
        }
    return "";
}

template <Shape... S, class F>
void examine(F f, bool second = true) {
    const Recorded<Scanned, S...> loop(f, second);
    const Recorded<Unrolled, S...> copies(f, second);
    const std::vector<Values> found = loop.outputs(), wanted = copies.outputs();
    REQUIRE(found.size() == wanted.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        CAPTURE(i, loop.results, loop.arguments);
        CHECK(difference(found[i], wanted[i]) < 1e-12);
    }
    CHECK(wrong_plan(loop.program, loop.bindings, found) == "");
    if (second) CHECK(second_derivative_error(loop) < 1e-7);
}

// ---- functions ----

constexpr auto elman = [](auto engine, auto x, auto h, auto w, auto u, auto b) {
    return engine.over(x, h, [&](auto now, auto before) { return tanh(dot(now, w) + dot(before, u) + b); });
};

TEST_CASE("captured weights and biases, the first state", "[scan]") {
    examine<Shape{batch, 1, 3}, Shape{batch, 4}, Shape{3, 4}, Shape{4, 4}, Shape{4}>(elman);
    examine<Shape{batch, 8, 3}, Shape{batch, 4}, Shape{3, 4}, Shape{4, 4}, Shape{4}>(elman);
    examine<Shape{batch, 8, 1}, Shape{batch, 1}, Shape{1, 1}, Shape{1, 1}, Shape{1}>(elman);
    examine<Shape{batch, 3, 5}, Shape{batch, 9}, Shape{5, 9}, Shape{9, 9}, Shape{9}>(elman, false);
}

TEST_CASE("512 steps", "[scan]") {
    examine<Shape{batch, 512, 2}, Shape{batch, 3}, Shape{2, 3}, Shape{3, 3}, Shape{3}>(elman, false);
}

TEST_CASE("from the last position to the first", "[scan]") {
    examine<Shape{batch, 5, 2}, Shape{batch, 3}, Shape{2, 3}, Shape{3, 3}>(
        [](auto engine, auto x, auto h, auto w, auto u) {
            return engine.template over<Direction::backwards>(
                x, h, [&](auto now, auto before) { return tanh(dot(now, w) + dot(before, u)); });
        });
}

TEST_CASE("several sequences and states, single numbers among them", "[scan]") {
    examine<Shape{batch, 4, 2}, Shape{batch, 4}, Shape{batch, 2}, Shape{batch}, Shape{2, 2}>(
        [](auto engine, auto x, auto y, auto a, auto b, auto w) {
            return engine.over(std::tuple{x, y}, std::tuple{a, b}, [&](auto xt, auto yt, auto at, auto bt) {
                const auto next = tanh(dot(at, w) + xt * reshape(yt, {batch, 1}));
                return std::tuple{next, sin(bt + sum(next, axis(1))) * yt};
            });
        });
}

TEST_CASE("values that are no state", "[scan]") {
    examine<Shape{batch, 4, 2}, Shape{batch, 2}, Shape{2, 2}, Shape{2, 3}>(
        [](auto engine, auto x, auto h, auto u, auto v) {
            return engine.over(x, h, [&](auto now, auto before) {
                const auto next = tanh(now + dot(before, u));
                return std::tuple{next, dot(next * now, v), sum(before * next, axis(1))};
            });
        });
    examine<Shape{batch, 3, 2}, Shape{2, 3}>([](auto engine, auto x, auto w) {  // no state at all
        return engine.over(x, std::tuple<>{}, [&](auto now) { return sin(dot(now, w)); });
    });
}

TEST_CASE("a state that becomes another state", "[scan]") {
    examine<Shape{batch, 6, 2}, Shape{batch, 2}, Shape{batch, 2}, Shape{batch, 2}>(
        [](auto engine, auto x, auto a, auto b, auto c) {  // a delay line: y is x three positions before
            return engine.over(x, std::tuple{a, b, c}, [](auto now, auto one, auto two, auto three) {
                return std::tuple{now, one, two, three * now};
            });
        });
    examine<Shape{batch, 5, 2}, Shape{batch, 2}, Shape{batch, 2}>([](auto engine, auto x, auto a, auto b) {
        return engine.over(x, std::tuple{a, b}, [](auto now, auto one, auto two) {
            return std::tuple{two, one, sin(now * one)};  // they change places
        });
    });
    examine<Shape{batch, 5, 2}, Shape{batch, 2}, Shape{batch, 2}>([](auto engine, auto x, auto a, auto b) {
        return engine.over(x, std::tuple{a, b}, [](auto now, auto one, auto two) {
            return std::tuple{one, one * two + now};  // the first stays what it was
        });
    });
}

TEST_CASE("what is not used", "[scan]") {
    examine<Shape{batch, 4, 2}, Shape{batch, 4, 3}, Shape{batch, 2}, Shape{batch, 3}>(
        [](auto engine, auto x, auto y, auto a, auto b) {
            return engine.over(std::tuple{x, y}, std::tuple{a, b},
                               [](auto xt, auto, auto, auto bt) { return std::tuple{sin(xt), cos(bt)}; });
        });
}

TEST_CASE("the last position only", "[scan]") {
    examine<Shape{batch, 4, 2}, Shape{batch, 2}, Shape{2, 2}>([](auto engine, auto x, auto h, auto u) {
        const auto step = [&](auto now, auto before) { return tanh(now + dot(before, u)); };
        return std::tuple{
            last(std::get<0>(engine.over(x, h, step))),
            last(std::get<0>(engine.template over<Direction::backwards>(x, h, step)), Direction::backwards)};
    });
}

TEST_CASE("one scan after another, and both directions side by side", "[scan]") {
    examine<Shape{batch, 4, 2}, Shape{batch, 3}, Shape{2, 3}, Shape{3, 3}, Shape{3, 3}>(
        [](auto engine, auto x, auto h, auto w, auto u, auto v) {
            const auto z = dot(x, w);
            const auto first =
                std::get<0>(engine.over(z, h, [&](auto now, auto before) { return tanh(now + dot(before, u)); }));
            const auto step = [&](auto now, auto before) { return tanh(now + dot(before, v)); };
            const auto second = std::get<0>(engine.over(first * z, h, step));
            const auto back = std::get<0>(engine.template over<Direction::backwards>(first, h, step));
            return concatenate(axis(-1), second, back, first);
        });
}

TEST_CASE("a mask keeps the state", "[scan]") {
    examine<Shape{batch, 4, 2}, Shape{batch, 4}, Shape{batch, 2}, Shape{2, 2}>(
        [](auto engine, auto x, auto m, auto h, auto u) {
            return engine.over(std::tuple{x, m}, h, [&](auto now, auto given, auto before) {
                return where(reshape(given, {batch, 1}) > 0.1, tanh(now + dot(before, u)), before);
            });
        });
}

TEST_CASE("a product for each record with what every position captures", "[scan]") {
    examine<Shape{batch, 3, 2}, Shape{batch, 2}, Shape{batch, 4, 2}, Shape{2, 2}>(
        [](auto engine, auto x, auto h, auto memory, auto u) {
            return engine.over(x, h, [&](auto now, auto before) {  // attention to a memory
                const auto weight = softmax(reshape(dot(memory, reshape(before, {batch, 2, 1})), {batch, 4}));
                const auto seen = reshape(dot(reshape(weight, {batch, 1, 4}), memory), {batch, 2});
                return tanh(now + dot(seen, u));
            });
        });
}

TEST_CASE("records of several axes, joins and movement inside a step", "[scan]") {
    examine<Shape{batch, 3, 2, 3}, Shape{batch, 3, 2}, Shape{batch, 1, 2}, Shape{2, 2}>(
        [](auto engine, auto x, auto h, auto captured, auto w) {
            return engine.over(x, h, [&](auto now, auto before) {
                const auto turned = dot(permute(now, {0, 2, 1}), w);
                const auto longer = concatenate(axis(1), captured, turned * before);
                return sin(slice(longer, axis(1), 0, 3)) + max(before, axis(2), keep);
            });
        });
}

TEST_CASE("a table that every position looks up", "[scan]") {
    examine<Shape{batch, 4}, Shape{batch, 2}, Shape{3, 2}>([](auto engine, auto x, auto h, auto table) {
        return engine.over(
            x, h, [&](auto now, auto before) { return tanh(gather(table, 1.0 + stop_gradient(sign(now))) + before); });
    });
}

TEST_CASE("values from outside that leave a step", "[scan]") {
    examine<Shape{batch, 4, 2}, Shape{batch, 2}, Shape{batch, 2}>([](auto engine, auto x, auto h, auto captured) {
        return engine.over(x, h, [&](auto now, auto before) { return std::tuple{now * before, captured}; });
    });
    examine<Shape{batch, 4, 2}, Shape{batch, 2}, Shape{batch, 2}>([](auto engine, auto x, auto h, auto captured) {
        return engine.over(x, h, [&](auto now, auto before) { return std::tuple{sin(captured), now * before}; });
    });
}

}  // namespace
