// SPDX-License-Identifier: BSL-1.0
#include "support/steered_trainer.hpp"

#include <sigma/hook/optimizer_actions.hpp>

#include <catch2/catch.hpp>

using namespace sigma;
using namespace sigma::test;

namespace {
/// The rate of each step, the optimizer's before the first included.
struct Rates {
    std::vector<double> all;
    void watch(SteeredTrainer& trainer) {
        all = {trainer.optimizer.learning_rate};
        trainer.on_iteration([this](auto& t) { all.push_back(t.optimizer.learning_rate); });
    }
};
}  // namespace

TEST_CASE("A schedule sets the rate of every step") {
    SteeredTrainer trainer(0.4);
    const auto f = warm_up(5, cosine(20, 0.1));
    trainer.add(schedule(f, iteration));
    Rates rates;
    rates.watch(trainer);
    trainer.run(cpu(), 3);
    trainer.run(cpu(), 12);
    REQUIRE(rates.all.size() == 31);
    for (std::size_t t = 0; t < rates.all.size(); ++t) {
        CAPTURE(t);
        CHECK(rates.all[t] == 0.4 * f(static_cast<double>(t)));
    }
    trainer.reset();
    CHECK(trainer.optimizer.learning_rate == 0.4 * f(0));
    trainer.run(cpu(), 1);
    CHECK(trainer.optimizer.learning_rate == 0.4 * f(2));
}

TEST_CASE("A schedule may count epochs, from when it was added") {
    SteeredTrainer trainer(0.8);
    trainer.run(cpu(), 2);
    trainer.add(schedule(step_decay(0.5, 2), epoch));
    std::vector<double> rates;
    trainer.on_epoch([&](auto& t) { rates.push_back(t.optimizer.learning_rate); });
    trainer.run(cpu(), 5);
    CHECK(rates == std::vector<double>{0.8, 0.4, 0.4, 0.2, 0.2});
    trainer.optimizer.learning_rate = 7;  // the schedule knows better
    trainer.run(cpu(), 0);
    CHECK(trainer.optimizer.learning_rate == 0.2);
}

TEST_CASE("A function is a schedule, and must give finite factors") {
    SteeredTrainer trainer(1);
    trainer.add(schedule([](double t) { return 1 / (3 - t); }, epoch));
    CHECK(trainer.optimizer.learning_rate == 1.0 / 3);
    trainer.run(cpu(), 2);
    CHECK(trainer.optimizer.learning_rate == 1);
    CHECK_THROWS_WITH(trainer.run(cpu(), 1),
                      Catch::Matchers::Contains(
                          "schedule(a function, epoch): expected a finite factor of 0 or more at time 3, found inf"));
}

TEST_CASE("A number that the optimizer cannot take is refused where it is set, at the latest when an epoch begins") {
    const char* const sentence =
        "learning_rate of optimizer 'adam': expected a finite number of 0 or more, found -0.01";
    SteeredTrainer trainer(-0.01);
    const auto before = trainer.parameters();
    CHECK_THROWS_AS(trainer.run(cpu(), 1), ArgumentError);
    CHECK_THROWS_WITH(trainer.run(cpu(), 0), sentence);
    trainer.start(cpu(), 1);
    CHECK_THROWS_WITH(trainer.wait(), sentence);
    CHECK(trainer.iteration() == 0);
    CHECK(trainer.parameters() == before);
    trainer.optimizer.learning_rate = 0;  // which freezes everything
    trainer.run(cpu(), 1);
    CHECK(trainer.parameters() == before);

    trainer.optimizer.learning_rate = 0.01;
    trainer.on_epoch([](auto& t) { t.optimizer.learning_rate = -0.01; });
    CHECK_THROWS_WITH(trainer.run(cpu(), 5), sentence);
    CHECK(trainer.epoch() == 2);

    SteeredTrainer hooked(0.01);
    hooked.add(at(1, iteration).then(multiply(learning_rate, -1)));
    CHECK_THROWS_WITH(hooked.run(cpu(), 5), Catch::Matchers::Contains(sentence));
    CHECK(hooked.iteration() == 1);
    SteeredTrainer behind(0.01);
    behind.add(at(1, epoch).then(set(&Adam::beta2, 1)).in_background());
    behind.run(cpu(), 1);
    CHECK_THROWS_WITH(behind.run(cpu(), 1), "beta2 of optimizer 'adam': expected a number from 0 to below 1, found 1");
    SteeredTrainer scheduled(0.01);
    scheduled.add(schedule([](double t) { return 1.5 - t; }, epoch));
    CHECK_THROWS_WITH(scheduled.run(cpu(), 3),
                      Catch::Matchers::Contains("expected a finite factor of 0 or more at time 2, found -0.5"));
}

TEST_CASE("A schedule goes on from an archive") {
    const auto hook = [](auto& trainer) {
        return sigma::detail::make_hook_group(static_cast<Trainer<SteeredNetwork, Adam>&>(trainer),
                                              schedule(exponential(0.5), epoch));
    };
    SteeredTrainer trainer(0.8);
    trainer.run(cpu(), 1);
    const auto before = hook(trainer);
    trainer.on_epoch([&](auto&) { before->fire(Moment::epoch); });
    trainer.run(cpu(), 2);
    CHECK(trainer.optimizer.learning_rate == 0.2);
    Archive kept;
    before->archive(kept);

    SteeredTrainer resumed(0.3);  // another base, which the archive knows better
    resumed.run(cpu(), 3);
    const auto after = hook(resumed);
    Archive again(kept.words(), kept.blobs());
    after->archive(again);
    CHECK(again.finished());
    after->fire(Moment::start);
    CHECK(resumed.optimizer.learning_rate == 0.2);
    resumed.on_epoch([&](auto&) { after->fire(Moment::epoch); });
    resumed.run(cpu(), 1);
    CHECK(resumed.optimizer.learning_rate == 0.1);
}

TEST_CASE("Numbers of the optimizer are set and multiplied within bounds") {
    SteeredTrainer trainer(0.5);
    trainer.add(at(1, epoch).then(set(learning_rate, 0.25)),
                every(1, epoch)
                    .when(learning_rate.falls_below(0.3).continuously())
                    .then(multiply(learning_rate, 0.5).at_least(0.1)),
                at(3, epoch).then(set(&Adam::beta1, 0.8)), at(4, epoch).then(multiply(&Adam::beta1, 2).at_most(0.99)));
    std::vector<double> rates, betas;
    trainer.on_epoch([&](auto& t) {
        rates.push_back(t.optimizer.learning_rate);
        betas.push_back(t.optimizer.beta1);
    });
    trainer.run(cpu(), 4);
    CHECK(rates == std::vector<double>{0.125, 0.1, 0.1, 0.1});
    CHECK(betas == std::vector<double>{0.9, 0.9, 0.8, 0.99});
    trainer.reset();
    CHECK(trainer.optimizer.learning_rate == 0.5);
    CHECK(trainer.optimizer.beta1 == 0.9);
}

TEST_CASE("A hook in the background sets a number between two iterations") {
    SteeredTrainer trainer(0.5);
    trainer.add(at(1, epoch).then(set(learning_rate, 0.25)).in_background());
    trainer.run(cpu(), 1);
    CHECK(trainer.optimizer.learning_rate == 0.25);
}

TEST_CASE("Actions on numbers say what they are and refuse what makes no sense") {
    CHECK(set(learning_rate, 0.25).text() == "set(learning_rate, 0.25)");
    CHECK(multiply(&Adam::beta2, 0.5).text() == "multiply(beta2 of adam, 0.5)");
    CHECK_THROWS_WITH(set(learning_rate, std::nan("")), "set: expected a finite number, found nan");
    CHECK_THROWS_WITH(set(learning_rate, 1).at_least(2).at_most(1),
                      "bounds of set: expected a lower bound that is at most the upper one, found 2 and 1");
}
