// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/xtensor.hpp>
#include <sigma/execution/maximise.hpp>
#include <sigma/hook/network_actions.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/recurrent.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/branches.hpp>

#include <catch2/catch.hpp>

using namespace sigma;

namespace {

struct Pair : Network<(Input(2) & Input(3)) + Parallel(Dense(2), Dense(2)) + Add() +
                      Costs(SquaredDiff(), Dense(1) + SquaredDiff())> {};
struct Stateful : Network<Input(4, 2) + GRU(3, {.last = true, .stateful = true}) + SquaredDiff()> {};

/// What an action needs to see of a trainer.
template <class N>
struct ModelContext {
    Model<N>& its_model;
    auto& model() const { return its_model; }
};
std::vector<float> dense(const Array<float>& x) { return {x.begin(), x.end()}; }

}  // namespace

TEST_CASE("several inputs pass, and several outputs come") {
    Model<Pair> model(3);
    ModelContext<Pair> context{model};
    const xt::xarray<float> left = {{1, 2}, {3, 4}}, right = {{5, 6, 7}, {8, 9, 10}};
    int calls = 0;
    auto action = pass(left, right, [&](const auto& predictions) {
        const auto expected = model.predict(left, right);
        CHECK(dense(predictions[0]) == dense(expected[0]));
        CHECK(dense(predictions[1]) == dense(expected[1]));
        ++calls;
    });
    action.restart(context);
    action.run(context);
    CHECK(calls == 1);
    auto wrong = pass(left, xt::xarray<float>{{5, 6, 7}}, [](const auto&) {});
    CHECK_THROWS_AS(wrong.restart(context), ShapeError);
}

TEST_CASE("what a network remembers between predictions is the user's") {
    Model<Stateful> model(3), twin(3);
    ModelContext<Stateful> context{model};
    const xt::xarray<float> x = xt::ones<float>({1, 4, 2});
    std::vector<float> first, second;
    auto action = pass(x, [&](const auto& y) { (first.empty() ? first : second) = dense(y); });
    action.run(context);
    action.run(context);
    maximise(model, Array<float>{0.1f, 0, 0}, {.steps = 5});
    CHECK(first == second);
    const auto before = dense(model.predict(x));
    CHECK(before == dense(twin.predict(x)));
    CHECK(before == first);
    CHECK(dense(model.predict(x)) != before);  // which it does
    action.run(context);
    CHECK(second == first);  // it begins anew, whatever the user has predicted
    twin.predict(x);
    CHECK(dense(model.predict(x)) == dense(twin.predict(x)));
}
