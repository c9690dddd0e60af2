// SPDX-License-Identifier: BSL-1.0
// The calls that programs begin with.
#include <sigma/sigma.hpp>

#include <catch2/catch.hpp>

#include <deque>
#include <vector>

using namespace sigma;

namespace {

struct Kinds : Network<Input(4) + Dense(3) + SoftmaxCE()> {};

const Array<float> inputs{{1, 2, 3, 4}, {4, 3, 2, 1}, {1, 1, 1, 1}};
const Array<float> classes{0, 1, 2};

}  // namespace

TEST_CASE("A trainer and a Sequential predict one record") {
    Trainer trainer("kinds", Kinds{}, Adam{}, minibatches(inputs, classes, 3));
    const auto p = trainer.predict(Array<float>{{1, 2, 3, 4}});
    CHECK(trainer.predict(std::vector<float>{1, 2, 3, 4}) == p);
    CHECK(trainer.predict({1, 2, 3, 4}) == p);
    CHECK(trainer.predict({{1, 2, 3, 4}}) == p);
    CHECK(trainer.predict(trainer.minibatches().dataset.input(0)) == p);
    CHECK(trainer.predict<0>(std::vector<float>{1, 2, 3, 4}) == p);

    const auto words = Sequential(Input(4)).dense(3).loss(losses::softmax_ce).optimizer(Adam{});
    const auto one = words.predict(Array<float>{1, 2, 3, 4});
    CHECK(one.shape() == std::vector<std::size_t>{3});
    CHECK(words.predict(std::vector<float>{1, 2, 3, 4}) == one);
    CHECK(words.predict({1, 2, 3, 4}) == one);
}

TEST_CASE("Minibatches are made of arrays, too") {
    const Minibatches made = minibatches(inputs, classes, 2, 7);
    CHECK(made.dataset.size() == 3);
    CHECK(made.size == 2);
    CHECK(made.seed == 7);
    CHECK_THROWS_AS(minibatches(inputs, classes, 4), ArgumentError);
}

TEST_CASE("Parameters go from trainer to trainer") {
    const auto batches = minibatches(inputs, classes, 3);
    Trainer from("from", Kinds{}, Adam{}, batches, element<float>, 1);
    Trainer to("to", Kinds{}, Adam{}, batches, element<float>, 2);
    CHECK_FALSE(from.model() == to.model());
    CHECK(transfer(from, to) == 2);
    CHECK(from.model() == to.model());
    Model<Kinds> model(3);
    CHECK(transfer(from, model, "*.weights") == 1);
    CHECK(transfer(model, to) == 2);
    CHECK(model == to.model());
}

TEST_CASE("Words of hooks may be written with parentheses") {
    Trainer trainer("kinds", Kinds{}, Adam{}, minibatches(inputs, classes, 3));
    trainer.add(when(after(3, epoch)).then(stop()));
    trainer.run(cpu(), 10);
    CHECK(trainer.epoch() == 3);
}

TEST_CASE("A trainer stays where it is made: in a deque, not in a vector") {
    std::deque<Trainer<Kinds, Adam>> trainers;
    for (std::uint64_t seed = 0; seed < 3; ++seed)
        trainers.emplace_back("kinds", Kinds{}, Adam{}, minibatches(inputs, classes, 3), element<float>, seed);
    for (auto& each : trainers) each.run(cpu(), 1);
    CHECK(trainers.back().epoch() == 1);
}
