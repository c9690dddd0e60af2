// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/philox.hpp>
#include <sigma/data/dataset.hpp>
#include <sigma/data/minibatches.hpp>
#include <sigma/layer/binary_ce.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/model.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/trainer.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <vector>

using namespace sigma;

namespace {

struct Kinds : Network<Input(3) + Dense(4) + SoftmaxCE()> {};
struct YesNo : Network<Input(3) + Dense(1) + BinaryCE()> {};
struct Questions : Network<Input(3) + Dense(2) + BinaryCE()> {};
struct InPlaces : Network<Input(5, 3) + Linear(4) + SoftmaxCE()> {};

Array<float> points(std::vector<std::size_t> shape) {
    const Philox random(3, RandomUse::user, 0);
    auto x = Array<float>::from_shape(std::move(shape));
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = random.uniform<float>(i) - 0.5f;
    return x;
}
/// Where no number of a row is greater, and none before is as great.
bool is_greatest(const float* row, std::size_t n, std::size_t found) {
    for (std::size_t c = 0; c < n; ++c)
        if (row[c] > row[found] || (row[c] == row[found] && c < found)) return false;
    return found < n;
}

}  // namespace

TEST_CASE("A record is taken for the class of the greatest prediction") {
    Model<Kinds> model(1);
    const auto x = points({40, 3});
    const auto p = model.predict(x);
    const Classified found = model.classify(x);
    REQUIRE(found.size() == 40);
    std::vector<std::size_t> seen(4);
    for (std::size_t i = 0; i < 40; ++i) {
        CHECK(is_greatest(p.data() + 4 * i, 4, found[i]));
        CHECK(found.name(i) == std::to_string(found[i]));
        ++seen[found[i]];
        const std::span record(x.data() + 3 * i, 3);
        const Classified one = model.classify(record);
        REQUIRE(one.size() == 1);
        CHECK(one[0] == found[i]);
    }
    CHECK(std::ranges::count(seen, 40u) == 0);
    const Classified listed = model.classify({x(0, 0), x(0, 1), x(0, 2)});
    REQUIRE(listed.size() == 1);
    CHECK(listed[0] == found[0]);
    const Classified rows = model.classify({{x(5, 0), x(5, 1), x(5, 2)}, {x(6, 0), x(6, 1), x(6, 2)}});
    REQUIRE(rows.size() == 2);
    CHECK((rows[0] == found[5] && rows[1] == found[6]));
    model.parameter(0).fill(0);
    model.parameter(1).fill(0);
    CHECK(model.classify(x)[7] == 0);  // of equal ones the first
    CHECK_THROWS_WITH(found[40], "classes of a model: expected a position below 40, found 40");
    CHECK_THROWS_AS(model.classify(std::vector<float>(4)), ShapeError);
    model.parameter(1)(2) = std::numeric_limits<float>::quiet_NaN();
    CHECK_THROWS_AS(model.classify(x), ArgumentError);
}

TEST_CASE("Each position of a sequence is taken for a class") {
    const Model<InPlaces> model(1);
    const auto x = points({6, 5, 3});
    const auto p = model.predict(x);
    const Classified found = model.classify(x);
    REQUIRE(found.size() == 30);
    for (std::size_t i = 0; i < 30; ++i) CHECK(is_greatest(p.data() + 4 * i, 4, found[i]));
}

TEST_CASE("Yes and no are told by a threshold") {
    Model<YesNo> model(1);
    model.set_classes({"healthy", "ill"});
    const auto x = points({40, 3});
    const auto p = model.predict(x);
    const Classified found = model.classify(x), sooner = model.classify(x, 0.45), never = model.classify(x, 1.1);
    const double at = p(3, 0);
    CHECK(model.classify(x, at)[3] == 1);  // from there on
    std::size_t yes = 0, earlier = 0;
    for (std::size_t i = 0; i < 40; ++i) {
        CHECK(found[i] == (p(i, 0) >= 0.5f ? 1u : 0u));
        CHECK(found.name(i) == (p(i, 0) >= 0.5f ? "ill" : "healthy"));
        CHECK(sooner[i] == (p(i, 0) >= 0.45f ? 1u : 0u));
        CHECK(never[i] == 0);
        CHECK(model.classify(std::span(x.data() + 3 * i, 3), 0.45)[0] == sooner[i]);
        CHECK(model.classify({x(i, 0), x(i, 1), x(i, 2)}, 0.45)[0] == sooner[i]);
        yes += found[i], earlier += sooner[i];
    }
    CHECK((yes > 0 && yes < earlier && earlier < 40));
    CHECK_THROWS_AS(model.classify(x, std::numeric_limits<double>::quiet_NaN()), ArgumentError);

    Model<Questions> questions(2);
    questions.set_classes({"healthy", "ill"});  // of two questions, which these do not answer
    const Classified answers = questions.classify(x);
    const auto each = questions.predict(x);
    REQUIRE(answers.size() == 80);
    for (std::size_t i = 0; i < 80; ++i) {
        CHECK(answers[i] == (each.data()[i] >= 0.5f ? 1u : 0u));
        CHECK(answers.name(i) == (each.data()[i] >= 0.5f ? "1" : "0"));
    }
}

TEST_CASE("A trainer classifies by the names of its data") {
    const Dataset data({{3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1}}, {{3}, {0, 1, 2}}, "ones", {"ant", "bee", "cow", "dog"});
    Trainer trainer("ones", Kinds{}, GradientDescent{.learning_rate = 1.0}, minibatches(data, 3));
    trainer.run(cpu(1), 50);
    const Classified found = trainer.classify(data.inputs());
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(found[i] == i);
        CHECK(found.name(i) == data.classes()[i]);
        CHECK(trainer.classify(data.input(i)).name(0) == data.classes()[i]);
    }

    Trainer exact("ones", Kinds{}, GradientDescent{.learning_rate = 1.0}, minibatches(data, 3), element<double>);
    exact.run(cpu(1), 50);
    CHECK(exact.classify(data.input(2)).name(0) == "cow");
}
