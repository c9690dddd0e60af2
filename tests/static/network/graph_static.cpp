// SPDX-License-Identifier: BSL-1.0
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/graph.hpp>

using namespace sigma;

namespace {

template <class N>
inline constexpr auto& records = N::records;
template <class N>
consteval long long elements() {
    long long n = 0;
    for (const detail::ParameterRecord& r : records<N>.parameters) n += r.shape.count();
    return n;
}

// ---- shapes, several inputs, several outputs ----

struct Two
    : Network<(Input(4, 5) & (Input(3) & named("third", Input(2)))) + Parallel(Dense(6), skip, Dense(6) + Dense(7)) +
              Concatenate() + Costs(Dense(2) + SoftmaxCE(), SquaredDiff())> {};
static_assert(Two::input_count == 3 && Two::cost_count == 2);
static_assert(Two::input == Shape{batch, 4, 5} && Two::inputs[1] == Shape{batch, 3} &&
              Two::inputs[2] == Shape{batch, 2});
static_assert(Two::output == Shape{batch, 2} && Two::target == Shape{batch} && Two::predictions[0] == Shape{batch, 2});
static_assert(Two::targets[1] == Shape{batch, 6 + 3 + 7} && Two::records.costs[1].output == Shape{batch, 16});
static_assert(records<Two>.layers[2].name.view() == "third");
static_assert(records<Two>.costs[1].name.view() == "9-squared_diff");

// ---- edges ----

struct Chained : Network<Input(3) + Dense(4) + 2 * Dense(4) + SquaredDiff()> {};
struct Branched : Network<Input(3) + Residual(Dense(4) + Dense(3)) + SquaredDiff()> {};
static_assert(detail::NetworkGraph<Chained>::is_chain());
static_assert(!detail::NetworkGraph<Branched>::is_chain());
static_assert(detail::NetworkGraph<Branched>::reads(3, 0) && detail::NetworkGraph<Branched>::reads(3, 2));
static_assert(!detail::NetworkGraph<Branched>::reads(3, 1) && detail::NetworkGraph<Branched>::reads(4, 3));
static_assert(detail::NetworkGraph<Branched>::found.multiply_adds[1] == 12);

// ---- shared parameters ----

// What comes after the second mention has parameters of its own.
struct After : Network<Input(3) + shared("a", Dense(3)) + shared("a", Dense(3)) + Dense(3) + SquaredDiff()> {};
static_assert(elements<After>() == 2 * 12);

// One inside another, whether the inner one was first mentioned inside or outside.
constexpr auto inner = shared("inner", Dense(3, tanh));
constexpr auto outer = shared("outer", Dense(3) + inner + Dense(3, relu));
struct Inside : Network<Input(3) + outer + outer + inner + Dense(2) + SquaredDiff()> {};
static_assert(elements<Inside>() == 3 * 12 + 8);
struct Outside : Network<Input(3) + inner + outer + Residual(outer) + Dense(2) + SquaredDiff()> {};
static_assert(elements<Outside>() == 3 * 12 + 8);
static_assert(records<Outside>.parameters[0].name.view() == "inner.weights");
static_assert(records<Outside>.parameters[2].name.view() == "outer/1-dense.weights");

// ---- frozen ----

struct Half : Network<Input(3) + frozen(Dense(3)) + Dense(3) + SquaredDiff()> {};
static_assert(!records<Half>.parameters[0].trained && !records<Half>.parameters[1].trained);
static_assert(records<Half>.parameters[2].trained && records<Half>.parameters[3].trained);

// ---- functions ----

struct Calls : Network<(Input(3) & Input(3)) + [](auto x, auto y) {
    const auto a = layer(Dense(4), x);
    const auto b = layer(Dense(4), y);
    const auto c = layer(Concatenate(), a, b);
    return layer<2>(Parallel(Dense(2), Dense(3)), c, c);
} + Concatenate() + SquaredDiff()> {};
static_assert(Calls::output == Shape{batch, 5} && elements<Calls>() == 16 + 16 + 18 + 27);

static_assert(detail::is_good_name("fc-1_a") && !detail::is_good_name("") && !detail::is_good_name("a*") &&
              !detail::is_good_name("a name") && !detail::is_good_name("a-name-of-twenty-five-lett"));

}  // namespace
