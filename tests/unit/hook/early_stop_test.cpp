// SPDX-License-Identifier: BSL-1.0
#include "support/steered_trainer.hpp"

#include <sigma/hook/early_stop.hpp>

#include <catch2/catch.hpp>

#include <map>

using namespace sigma;
using namespace sigma::test;

namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

/// Runs until something stops it; the parameters after each epoch, before early_stop looks.
struct Curve {
    std::map<std::uint64_t, std::vector<float>> after;
    auto note() {
        return every(1, epoch)
            .then([this](auto& t) { after[t.epoch()] = static_cast<SteeredTrainer&>(t).parameters(); })
            .template priority<900>();
    }
};
std::uint64_t stops_at(std::vector<double> values, EarlyStopping how) {
    SteeredTrainer trainer;
    trainer.add(every(1, epoch).then(table(validation_error, std::move(values))), early_stop(validation_error, how));
    trainer.run(cpu(), 30);
    return trainer.epoch();
}

}  // namespace

TEST_CASE("Patience counts looks in a row without improvement") {
    struct Row {
        std::vector<double> values;
        EarlyStopping how;
        std::uint64_t end;
    };
    const Row rows[] = {
        {{5, 4, 3, 3, 3, 3}, {.patience = 2}, 5},
        {{5, 4, 3, 4, 2, 3, 3, 3}, {.patience = 3}, 8},
        {{5, 6}, {.patience = 1}, 2},
        {{5, 4.9, 4.8, 4.7, 4.6}, {.patience = 2, .min_change = 0.5}, 3},
        {{5, 4.75, 4.5, 4.25, 4.0}, {.patience = 3, .min_change = 0.5}, 8},
        {{1, 2, 3, 4, 4, 4}, {.patience = 2, .best = Best::largest}, 6},
        {{1, 2, 3}, {.patience = 2, .best = Best::smallest}, 3},
        {{no_number, no_number, no_number}, {.patience = 3}, 3},
        {{5, no_number, 4, no_number, no_number, no_number}, {.patience = 3}, 6},
        {{5}, {.patience = 40}, 30},
    };
    for (const Row& row : rows) {
        CAPTURE(row.values, row.how.patience);
        CHECK(stops_at(row.values, row.how) == row.end);
    }
    SteeredTrainer trainer;
    trainer.add(every(1, epoch).then(table(accuracy, {0.1, 0.2, 0.3, 0.2})), early_stop(accuracy, {.patience = 2}));
    trainer.run(cpu());
    CHECK(trainer.epoch() == 5);
}

TEST_CASE("The best parameters come back bit by bit, and the next run is patient again") {
    Curve curve;
    SteeredTrainer trainer;
    trainer.add(every(1, epoch).then(table(validation_error, {5, 3, 4, 4, 2, 6})), curve.note(),
                early_stop(validation_error, {.patience = 2}));
    trainer.run(cpu(), 100);
    CHECK(trainer.epoch() == 4);
    REQUIRE(curve.after.size() == 4);
    CHECK(curve.after[2] != curve.after[4]);
    CHECK(trainer.parameters() == curve.after[2]);
    trainer.run(cpu(), 100);  // 2, 6, 6: two more looks than it would have without fresh patience
    CHECK(trainer.epoch() == 7);
    CHECK(trainer.parameters() == curve.after[5]);

    SteeredTrainer stays;
    Curve its;
    stays.add(every(1, epoch).then(table(validation_error, {5, 3, 4, 4})), its.note(),
              early_stop(validation_error, {.patience = 2, .restore_best = false}));
    stays.run(cpu(), 100);
    CHECK(stays.parameters() == its.after[4]);
}

TEST_CASE("Two short runs are one long one") {
    SteeredTrainer trainer;
    trainer.add(every(1, epoch).then(table(validation_error, {5, 3, 4, 4, 4})),
                early_stop(validation_error, {.patience = 3}));
    trainer.run(cpu(), 3);
    trainer.run(cpu(), 100);
    CHECK(trainer.epoch() == 5);
}

TEST_CASE("A reset forgets the best") {
    SteeredTrainer trainer;
    trainer.add(every(1, epoch).then(table(validation_error, {5, 3, 4, 4})),
                early_stop(validation_error, {.patience = 2}));
    trainer.run(cpu());
    const auto first = trainer.parameters();
    trainer.reset();
    CHECK(trainer.parameters() != first);
    trainer.run(cpu());
    CHECK(trainer.epoch() == 4);
    CHECK(trainer.parameters() == first);
}

TEST_CASE("The state of early stopping survives in an archive") {
    const auto hooks = [](auto& trainer, Curve& curve) {
        return sigma::detail::make_hook_group(static_cast<Trainer<SteeredNetwork, Adam>&>(trainer),
                                              every(1, epoch).then(table(validation_error, {5, 3, 4, 4, 4})),
                                              curve.note(), early_stop(validation_error, {.patience = 3}));
    };
    Curve curve;
    SteeredTrainer trainer, resumed;
    const auto before = hooks(trainer, curve), after = hooks(resumed, curve);
    trainer.on_epoch([&](auto&) { before->fire(Moment::epoch); });
    trainer.run(cpu(), 3);
    Archive kept;
    before->archive(kept);
    Archive again(kept.words(), kept.blobs());
    after->archive(again);
    CHECK(again.finished());

    resumed.run(cpu(), 3);  // to be where the first one is
    CHECK(resumed.parameters() == trainer.parameters());
    resumed.on_epoch([&](auto&) { after->fire(Moment::epoch); });
    resumed.run(cpu(), 100);
    CHECK(resumed.epoch() == 5);
    CHECK(resumed.parameters() == curve.after[2]);

    std::vector<std::vector<std::byte>> short_blobs = kept.blobs();
    for (auto& blob : short_blobs) blob.resize(blob.size() / 2);
    Archive damaged(kept.words(), short_blobs);
    SteeredTrainer other;
    const auto broken = hooks(other, curve);
    broken->archive(damaged);
    other.on_epoch([&](auto&) { broken->fire(Moment::epoch); });
    CHECK_THROWS_AS(other.run(cpu(), 100), HookError);
}

TEST_CASE("The time of looking can be said") {
    SteeredTrainer trainer;
    trainer.add(every(1, epoch).then(table(validation_error, {5, 1, 4, 4, 4, 4, 4, 4, 4})),
                every(2, epoch).then(EarlyStop(validation_error, {.patience = 2})));
    trainer.run(cpu());
    CHECK(trainer.epoch() == 6);
}

TEST_CASE("The learning rate falls on a plateau") {
    const auto rates = [](std::vector<double> values, sigma::PlateauOptions how, int epochs) {
        SteeredTrainer trainer(0.8);
        std::vector<double> all;
        trainer.add(every(1, epoch).then(table(validation_error, std::move(values))),
                    reduce_on_plateau(validation_error, how));
        trainer.on_epoch([&](auto& t) { all.push_back(t.optimizer.learning_rate); });
        trainer.run(cpu(), epochs);
        trainer.reset();
        CHECK(trainer.optimizer.learning_rate == 0.8);
        return all;
    };
    using Rates = std::vector<double>;
    CHECK(rates({5, 4, 4, 4, 4, 4, 4}, {.factor = 0.5, .patience = 2}, 7) == Rates{0.8, 0.8, 0.8, 0.4, 0.4, 0.2, 0.2});
    CHECK(rates({5, 4, 4, 3, 3, 3, 3}, {.factor = 0.5, .patience = 2}, 6) == Rates{0.8, 0.8, 0.8, 0.8, 0.8, 0.4});
    CHECK(rates({5}, {.factor = 0.5, .patience = 1, .min_rate = 0.3}, 5) == Rates{0.8, 0.4, 0.3, 0.3, 0.3});
    CHECK(rates({5}, {.factor = 0.5, .patience = 1, .cooldown = 2}, 7) == Rates{0.8, 0.4, 0.4, 0.4, 0.2, 0.2, 0.2});
    CHECK(rates({1, 2, 3, 3, 3}, {.factor = 0.5, .patience = 2, .best = Best::largest}, 5) ==
          Rates{0.8, 0.8, 0.8, 0.8, 0.4});
}

TEST_CASE("Numbers that make no sense are refused") {
    CHECK_THROWS_WITH(early_stop(error, {.patience = 0}), "early_stop with patience: expected 1 or more, found 0");
    CHECK_THROWS_WITH(early_stop(error, {.min_change = -1}),
                      "early_stop with min_change: expected 0 or more, found -1");
    CHECK_THROWS_AS(early_stop(error, {.min_change = no_number}), ArgumentError);
    CHECK_THROWS_WITH(reduce_on_plateau(error, {.factor = 1}),
                      "reduce_on_plateau with factor: expected a number above 0 and below 1, found 1");
    CHECK_THROWS_AS(reduce_on_plateau(error, {.patience = -1}), ArgumentError);
    CHECK_THROWS_AS(reduce_on_plateau(error, {.min_rate = -1}), ArgumentError);
    CHECK_THROWS_AS(reduce_on_plateau(error, {.cooldown = -1}), ArgumentError);
    CHECK(early_stop(error, {.patience = 3}).text() == "when(error is new).then(early_stop(error, patience 3))");
}

TEST_CASE("Patience may stand alone") {
    SteeredTrainer trainer;
    trainer.add(every(1, epoch).then(table(validation_error, {5, 4, 3, 3, 3, 3})), early_stop(validation_error, 2));
    trainer.run(cpu(), 30);
    CHECK(trainer.epoch() == 5);
    CHECK_THROWS_AS(early_stop(validation_error, 0), ArgumentError);
    CHECK_THROWS_AS(early_stop(validation_error, -1), ArgumentError);
}
