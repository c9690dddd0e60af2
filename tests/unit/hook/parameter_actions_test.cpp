// SPDX-License-Identifier: BSL-1.0
#include "support/steered_trainer.hpp"

#include <sigma/hook/parameter_actions.hpp>
#include <sigma/initializer/initializer.hpp>
#include <sigma/modifier/modifier.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

using namespace sigma;
using namespace sigma::test;

namespace {

template <Text name>
std::vector<float> values_of(SteeredTrainer& trainer) {
    const auto view = trainer.model().parameter<name>();
    return {view.begin(), view.end()};
}
/// The elements of a parameter and of its states.
std::vector<float> everything(SteeredTrainer& trainer, int p) {
    std::vector<float> all;
    for (float x : trainer.model().parameter(p)) all.push_back(x);
    for (int s = 0; s < trainer.training_step().states.size(); ++s)
        if (trainer.training_step().states[s].parameter == p)
            for (float x : trainer.training_step().state(s)) all.push_back(x);
    return all;
}
float largest(const std::vector<float>& all) {
    float most = 0;
    for (float x : all) most = std::max(most, std::abs(x));
    return most;
}

}  // namespace

TEST_CASE("Hooks freeze parameters and let them move again, bit by bit") {
    SteeredTrainer trainer, by_hand;
    trainer.add(at(2, epoch).then(freeze("1-*")), at(4, epoch).then(unfreeze("1-*.weights")));
    const int weights = trainer.model().find_parameter("1-dense.weights"),
              biases = trainer.model().find_parameter("1-dense.biases"),
              last = trainer.model().find_parameter("2-dense.weights");
    REQUIRE(weights >= 0);
    std::map<int, std::vector<std::vector<float>>> after;
    trainer.on_epoch([&](auto&) {
        for (int p : {weights, biases, last}) after[p].push_back(everything(trainer, p));
    });
    trainer.run(cpu(), 6);
    for (std::size_t e = 1; e < 6; ++e) {
        CAPTURE(e);
        CHECK((after[weights][e] == after[weights][e - 1]) == (e == 2 || e == 3));
        CHECK((after[biases][e] == after[biases][e - 1]) == (e >= 2));
        CHECK(after[last][e] != after[last][e - 1]);
    }
    by_hand.run(cpu(), 2);
    by_hand.freeze("1-*");
    by_hand.run(cpu(), 2);
    by_hand.unfreeze("1-*.weights");
    by_hand.run(cpu(), 2);
    CHECK(by_hand.parameters() == trainer.parameters());

    trainer.reset();
    CHECK_FALSE(sigma::detail::HookAccess::view(trainer).frozen(biases));
    trainer.run(cpu(), 6);
    CHECK(by_hand.parameters() == trainer.parameters());
}

TEST_CASE("What was frozen before is frozen after a reset") {
    SteeredTrainer trainer;
    trainer.freeze("*");
    trainer.add(at(1, epoch).then(unfreeze("2-*")));
    const int last = trainer.model().find_parameter("2-dense.weights");
    trainer.run(cpu(), 1);
    CHECK_FALSE(sigma::detail::HookAccess::view(trainer).frozen(last));
    trainer.reset();
    CHECK(sigma::detail::HookAccess::view(trainer).frozen(last));
}

TEST_CASE("A modifier is applied once, to what is not frozen") {
    SteeredTrainer trainer;
    trainer.freeze("2-dense.biases");
    for (float& x : trainer.model().parameter<"2-dense.biases">()) x = 3;
    trainer.add(at(2, epoch).then(modify("*", clip(-0.01, 0.01))));
    trainer.run(cpu(), 2);
    CHECK(largest(values_of<"1-dense.weights">(trainer)) <= 0.01f);
    CHECK(largest(values_of<"2-dense.weights">(trainer)) <= 0.01f);
    CHECK(values_of<"2-dense.biases">(trainer) == std::vector<float>{3});
    trainer.run(cpu(), 1);
    CHECK(largest(values_of<"1-dense.weights">(trainer)) > 0.01f);
}

TEST_CASE("Parameters are drawn anew, each time other ones") {
    SteeredTrainer trainer, other;
    std::vector<std::vector<float>> drawn;
    for (SteeredTrainer* t : {&trainer, &other}) {
        t->add(every(1, epoch).then(reinitialize("1-*.weights", gaussian(0.5))));
        t->on_epoch([&, t](auto&) { drawn.push_back(values_of<"1-dense.weights">(*t)); });
        t->run(cpu(), 2);
    }
    REQUIRE(drawn.size() == 4);
    CHECK(drawn[0] != drawn[1]);
    CHECK(drawn[0] == drawn[2]);
    CHECK(drawn[1] == drawn[3]);
    CHECK(largest(drawn[0]) < 2.5f);
    CHECK(largest(drawn[0]) > 0.25f);
    SteeredTrainer frozen;
    frozen.freeze("*");
    const auto before = frozen.parameters();
    frozen.add(every(1, epoch).then(reinitialize("*", gaussian(0.5))));
    frozen.run(cpu(), 1);
    CHECK(frozen.parameters() == before);
}

TEST_CASE("Parameters are remembered and recalled") {
    SteeredTrainer trainer;
    ParameterSlot slot;
    CHECK(slot.empty());
    std::vector<float> then;
    trainer.add(at(2, epoch).then(remember(slot), [&] { then = trainer.parameters(); }),
                at(sigma::stop).then(recall(slot)));
    CHECK_THROWS_WITH(
        trainer.run(cpu(), 1),
        Catch::Matchers::Contains("recall: expected a slot that remember has filled, found an empty slot"));
    trainer.run(cpu(), 4);
    CHECK(trainer.parameters() == then);
    trainer.reset();
    CHECK(slot.empty());
}

TEST_CASE("A remembered copy is archived") {
    SteeredTrainer trainer;
    ParameterSlot slot, other;
    const auto action = remember(slot).node->clone(), read = remember(other).node->clone();
    slot.copy->take(trainer.model());
    Archive kept;
    action->archive(kept);
    Archive again(kept.words(), kept.blobs());
    read->archive(again);
    const auto before = trainer.parameters();
    trainer.run(cpu(), 1);
    CHECK(trainer.parameters() != before);
    other.copy->put(trainer.model());
    CHECK(trainer.parameters() == before);
}

TEST_CASE("A pattern that matches nothing is refused when the hook is added") {
    SteeredTrainer trainer;
    CHECK_THROWS_WITH(
        trainer.add(at(9, epoch).then(freeze("7-*"))),
        Catch::StartsWith(
            "freeze by a hook of trainer 'hooked': expected a pattern that matches a parameter, found '7-*'"));
    CHECK_THROWS_AS(trainer.add(at(9, epoch).then(unfreeze("*.wheights"))), ArgumentError);
    CHECK_THROWS_AS(trainer.add(at(9, epoch).then(modify("", clip(-1, 1)))), ArgumentError);
    CHECK_THROWS_AS(trainer.add(at(9, epoch).then(reinitialize("dense", gaussian(1)))), ArgumentError);
}

TEST_CASE("Where a run fails is found also when a hook has changed parameters within the epoch") {
    SteeredTrainer trainer;
    const auto ruin = [](auto rows) { rows[0][0] = 1e38f; };
    trainer.add(at(2, iteration).then(modify("*", clip(-0.5, 0.5))),
                at(3, iteration).then(modify("2-dense.weights", ruin)));
    try {
        trainer.run(cpu(), 9);
        FAIL("it should have failed");
    } catch (const NumericError& e) {
        CHECK(e.iteration == 4);
        CHECK(trainer.iteration() == 3);
        CHECK(values_of<"2-dense.weights">(trainer)[0] == 1e38f);
    }
}
