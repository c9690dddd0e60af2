// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/philox.hpp>
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/modifier/modifier.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/tape/scan.hpp>
#include <sigma/trainer/trainer.hpp>

#include <catch2/catch.hpp>
#include <support/thrown.hpp>

#include <limits>

using namespace sigma;

namespace {

/// A layer that applies a function with results that may not be finite.
template <class F>
struct Through : Layer {
    static constexpr Text kind = "through";
    static constexpr auto examine(auto) { return Mistake<>{}; }
    constexpr Tensor forward(Context&, Tensor x) const { return F{}(x); }
};
constexpr double infinity = std::numeric_limits<double>::infinity();
using Exp = decltype([](auto x) { return exp(x); });
using Log = decltype([](auto x) { return log(x); });
using Root = decltype([](auto x) { return sqrt(x); });  // at 0 its derivative is infinite
using SafeLog = decltype([](auto x) { return where(x > 0.0, log(where(x > 0.0, x, 1.0)), 0.0); });
using UnchosenLog = decltype([](auto x) { return where(x > 0.0, stop_gradient(log(x)), 0.0); });
using Masked = decltype([](auto x) { return softmax(where(x > 0.0, x, -infinity)); });
using Difference = decltype([](auto x) { return where(x > 0.0, x, -infinity) - where(x > 0.0, x, -infinity); });
using Squares = decltype([](auto x) { return sum(x * x, axis(1), keep) + x; });

template <class F>
struct Net : Network<Input(3) + Through<F>{} + SquaredDiff()> {};
struct Wide : Network<Input(7) + Dropout(0.2f) + Dense(19, tanh) + Dense(5) + SoftmaxCE()> {};
struct Line : Network<Input(3) + Dense(2) + SquaredDiff()> {};

/// Trains on one batch of four records, the third of which has the numbers.
template <class F>
void train_on(std::vector<float> numbers) {
    Numbers x{{4, 3}, std::vector<float>(12, 1.0f)}, y{{4, 3}, std::vector<float>(12, 0.0f)};
    std::ranges::copy(numbers, x.values.begin() + 6);
    Trainer trainer("net", Net<F>{}, GradientDescent{}, minibatches_in_order(Dataset(x, y, "points"), 4));
    trainer.run(debug(), 1);
}
template <class F>
OperationError error_thrown_by(const std::vector<float>& numbers) {
    return thrown<OperationError>([&] { train_on<F>(numbers); });
}

template <class N>
Dataset points(std::size_t records, std::size_t features, std::size_t classes) {
    Numbers x{{records, features}, std::vector<float>(records * features)}, y{{records}, {}};
    Philox(3, RandomUse::user, 0).fill_normal(std::span(x.values));
    for (std::size_t i = 0; i < records; ++i) y.values.push_back(static_cast<float>(i % classes));
    return {x, y, "points"};
}

}  // namespace

TEST_CASE("The first operation that leaves the finite numbers is named, with its place and what it was given") {
    const auto overflow = error_thrown_by<Exp>({1, 89, 2});
    CHECK(std::string(overflow.what()) ==
          "iteration 1, layer '1-through': exp of shape (4, 3) gave inf at record 2, element (1), from 89");
    CHECK(overflow.iteration == 1);
    CHECK(overflow.layer == "1-through");
    CHECK(overflow.origin.operation == "exp");
    CHECK(overflow.origin.shape == std::vector<long long>{4, 3});
    CHECK(overflow.origin.index == std::vector<long long>{2, 1});
    CHECK(overflow.origin.record == 2);
    CHECK(overflow.origin.value == infinity);
    CHECK(overflow.origin.operands == std::vector<double>{89});

    const auto negative = error_thrown_by<Log>({1, 1, -2});
    CHECK(std::string(negative.what()) ==
          "iteration 1, layer '1-through': log of shape (4, 3) gave NaN at record 2, element (2), from -2");
    const auto pole = error_thrown_by<Log>({0, 1, 1});
    CHECK(std::string(pole.what()) ==
          "iteration 1, layer '1-through': log of shape (4, 3) gave -inf at record 2, element (0), from 0");

    const auto sum = error_thrown_by<Squares>({1.5e19f, 1.5e19f, 1.5e19f});  // each square is finite, their sum is not
    CHECK(std::string(sum.what()) ==
          "iteration 1, layer '1-through': sum of shape (4, 1) gave inf at record 2, element (0), from (4, 3) numbers "
          "from 1 to 2.25e+38");
    const auto square = error_thrown_by<Squares>({1, 1, 1e20f});
    CHECK(square.origin.operation == "multiply");
    CHECK(square.origin.operands == std::vector<double>{1e20f, 1e20f});
}

TEST_CASE("A function within a network is a layer, which is named, too") {
    struct Function : Network<Input(3) + Dense(3) + [](auto x) { return log(x); } + SquaredDiff()> {};
    Numbers x{{4, 3}, std::vector<float>(12, 1.0f)}, y{{4, 3}, std::vector<float>(12, 0.0f)};
    Trainer trainer("net", Function{}, GradientDescent{}, minibatches_in_order(Dataset(x, y, "points"), 4));
    trainer.initialize("1-*", constant(-1));
    CHECK(thrown<OperationError>([&] { trainer.run(debug(), 1); }).layer == "2-lambda");
}

TEST_CASE("Infinite constants and what where does not choose are no origin") {
    CHECK_NOTHROW(train_on<Masked>({1, -1, 2}));
    CHECK_NOTHROW(train_on<SafeLog>({1, -1, 0}));
    CHECK_NOTHROW(train_on<UnchosenLog>({1, -1, 0}));
    // But infinity minus infinity is one, and so is a softmax of nothing.
    const auto difference = error_thrown_by<Difference>({1, 1, -1});
    CHECK(difference.origin.operation == "subtract");
    CHECK(difference.origin.operands == std::vector<double>{-infinity, -infinity});
    CHECK(error_thrown_by<Masked>({-1, -1, -1}).origin.record == 2);
}

TEST_CASE("An origin in the loss, in a gradient or in an update is told from one in a layer") {
    Numbers x{{2, 3}, {1, 2, 3, 4, 5, 6}}, y{{2, 2}, {1e30f, 0, 0, 0}};
    Trainer far("line", Line{}, GradientDescent{}, minibatches_in_order(Dataset(x, y, "far"), 2));
    CHECK_THROWS_WITH(
        far.run(debug(), 1),
        Catch::Contains(
            "iteration 1: after the last layer, multiply of shape (2, 2) gave inf at record 0, element (0), from"));

    struct RootNet : Network<Input(3) + Dense(2) + Through<Root>{} + Dense(1) + SquaredDiff()> {};
    Numbers one{{2, 1}, {1, 1}};
    Trainer gradient("root", RootNet{}, GradientDescent{}, minibatches_in_order(Dataset(x, one, "near"), 2));
    gradient.initialize("1-*", constant(0));
    try {
        gradient.run(debug(), 1);
        FAIL("no exception");
    } catch (const OperationError& error) {
        INFO(error.what());
        CHECK(error.layer == "1-dense");
        CHECK(std::string(error.what()).find("in the gradient or update of '1-dense.biases'") != std::string::npos);
    }

    Trainer rate("line", Line{}, GradientDescent{.learning_rate = 1e39},
                 minibatches_in_order(Dataset(x, {{2, 2}, {0, 0, 0, 0}}, "near"), 2));
    CHECK_THROWS_WITH(rate.run(debug(), 1),
                      "iteration 1: the hyperparameter 1e+39 of the optimizer is not finite as float");
    rate.optimizer.learning_rate = 1e38;
    const auto memory = rate.model().parameter_memory();
    const std::vector<float> before(memory.begin(), memory.end());
    CHECK_THROWS_WITH(rate.run(debug(), 1), Catch::Contains("in the gradient or update of '1-dense."));
    CHECK(std::ranges::equal(memory, before));  // the step was not taken
    CHECK(rate.iteration() == 0);
    rate.optimizer.learning_rate = 1e-3;
    rate.run(cpu(), 1);
    CHECK(rate.iteration() == 1);
}

namespace {

/// A layer that returns the state after all positions of (batch, 5, 2), beginning with zeros: s ← F(x, s).
template <class F>
struct OverTime : Layer {
    static constexpr Text kind = "over_time";
    static constexpr auto examine(auto) { return Mistake<>{}; }
    constexpr Tensor forward(Context& context, Tensor x) const {
        const auto w = parameter(context, Shape{2}, "weights", gaussian(1.0));
        return last(scan(x, filled(x, 0, {batch, 2}), [&](auto now, auto s) { return F{}(now, s, w); }));
    }
};
using Squaring = decltype([](auto x, auto s, auto) { return (s + x) * (s + x); });
using Guarded = decltype([](auto x, auto s, auto) { return where(x < 50.0, exp(x), s); });
using Cell = decltype([](auto x, auto s, auto w) { return tanh(x * w - s); });
template <class F>
struct TimeNet : Network<Input(5, 2) + OverTime<F>{} + SquaredDiff()> {};

template <class F>
auto time_trainer(const std::vector<float>& third) {
    Numbers x{{4, 5, 2}, std::vector<float>(40, 0.0f)}, y{{4, 2}, std::vector<float>(8, 0.0f)};
    std::ranges::copy(third, x.values.begin() + 20);
    return std::make_unique<Trainer<TimeNet<F>, GradientDescent, float>>(
        "time", TimeNet<F>{}, GradientDescent{.learning_rate = 0.1}, minibatches_in_order(Dataset(x, y, "points"), 4));
}

}  // namespace

TEST_CASE("Inside a loop the step is named too, and each step is looked at") {
    // 1e15 comes at time 1 and is squared twice.
    const auto trainer = time_trainer<Squaring>({0, 0, 0, 1e15f});
    CHECK_THROWS_WITH(trainer->run(debug(), 1),
                      "iteration 1, layer '1-over_time': multiply of shape (4, 2) gave inf at record 2, element (1), "
                      "time 2, from 1e+30 and 1e+30");
    CHECK_NOTHROW(time_trainer<Squaring>({0, 0, 0, 1})->run(debug(), 1));
    CHECK_NOTHROW(time_trainer<Guarded>({0, 0, 0, 1000})->run(debug(), 1));  // exp(1000) is not chosen
    const auto a = time_trainer<Cell>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}),
               b = time_trainer<Cell>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    a->run(cpu(), 3);
    b->run(debug(), 3);
    CHECK(a->training_loss() == Approx(b->training_loss()).epsilon(1e-5));
}

TEST_CASE("A parameter that is not finite is the first offender") {
    Trainer trainer("wide", Wide{}, Adam{}, minibatches(points<Wide>(20, 7, 5), 10));
    trainer.model().parameter<"3-dense.weights">()(2, 1) = std::numeric_limits<float>::quiet_NaN();
    CHECK_THROWS_WITH(
        trainer.run(debug(), 1),
        Catch::Contains("layer '3-dense': '3-dense.weights': parameter 2 of shape (19, 5) holds NaN at (2, 1)"));
    CHECK_THROWS_WITH(trainer.predict(debug(), trainer.minibatches().dataset.inputs()),
                      Catch::Contains("'3-dense.weights'"));
}

TEMPLATE_TEST_CASE("Healthy training gives what the processor gives, within rounding", "", float, double) {
    const auto run = [](auto device) {
        auto trainer = std::make_unique<Trainer<Wide, Adam, TestType>>(
            "wide", Wide{}, Adam{.learning_rate = 0.01}, minibatches(points<Wide>(35, 7, 5), 10), element<TestType>);
        trainer->modify("*.weights", clip(-0.3, 0.3));
        trainer->freeze("3-dense.biases");
        trainer->run(device, 2);
        return trainer;
    };
    const auto wanted = run(cpu()), found = run(debug());
    const double tolerance = sizeof(TestType) == 4 ? 2e-5 : 1e-12;
    CHECK(found->training_loss() == Approx(wanted->training_loss()).epsilon(tolerance));
    CHECK(found->iteration() == 8);
    for (int p = 0; p < 4; ++p) {
        auto a = wanted->model().parameter(p), b = found->model().parameter(p);
        for (auto x = a.begin(), y = b.begin(); x != a.end(); ++x, ++y)
            CHECK(static_cast<double>(*y) == Approx(static_cast<double>(*x)).epsilon(tolerance).margin(tolerance));
    }
    for (int s = 0; s < found->training_step().states.size(); ++s) {
        auto a = wanted->training_step().state(s), b = found->training_step().state(s);
        for (auto x = a.begin(), y = b.begin(); x != a.end(); ++x, ++y)
            CHECK(static_cast<double>(*y) == Approx(static_cast<double>(*x)).epsilon(tolerance).margin(tolerance));
    }
    const Array<TestType> x = found->minibatches().dataset.template inputs<TestType>();
    const auto p = found->predict(x), q = found->predict(debug(), x);
    REQUIRE(p.size() == q.size());
    for (std::size_t i = 0; i < p.size(); ++i)
        CHECK(static_cast<double>(p.data()[i]) == Approx(static_cast<double>(q.data()[i])).epsilon(tolerance));
}
