// SPDX-License-Identifier: BSL-1.0
#include "support/reported_trainer.hpp"

#include <sigma/hook/compute.hpp>
#include <sigma/hook/report.hpp>

#include <catch2/catch.hpp>

#include <mutex>

using namespace sigma;
using test::ReportedTrainer;

TEST_CASE("Computed values are read, compared and stopped on") {
    ReportedTrainer trainer;
    std::vector<double> used;
    trainer.add(when(value<"square">.reaches(9)).then(stop),
                every(1, iteration)
                    .then(use(value<"square">, loss, [&](double s, double l) { used.insert(used.end(), {s, l}); })),
                every(1, iteration).then(compute<"square">([](auto& t) { return t.loss() * t.loss(); })));
    for (const double l : {1.0, 2.0, 3.0}) {
        CHECK_FALSE(trainer.stopped);
        trainer.loss_now = l;
        trainer.happen(Moment::iteration);
    }
    CHECK(trainer.stopped);
    CHECK(used == std::vector<double>{1, 1, 4, 2, 9, 3});
}

TEST_CASE("Functions of nothing compute too") {
    ReportedTrainer trainer;
    int calls = 0;
    trainer.add(every(1, epoch).then(compute<"calls">([&] { return ++calls; }), report(value<"calls">)));
    trainer.happen(Moment::epoch);
    trainer.happen(Moment::epoch);
    CHECK(trainer.lines == std::vector<std::string>{"calls 1.000", "calls 2.000"});
}

TEST_CASE("Functions of values run in the background, with the values of their moment") {
    ReportedTrainer trainer;
    std::mutex mutex;
    std::vector<double> seen;
    trainer.add(every(1, iteration)
                    .then(compute<"gap">(loss, error, [](double l, double e) { return l - e; }))
                    .in_background(100),
                every(1, iteration)
                    .then(use(value<"gap">, iteration,
                              [&](double g, double i) {
                                  const std::lock_guard lock(mutex);
                                  seen.insert(seen.end(), {g, i});
                              }))
                    .in_background(100));
    std::vector<double> wanted;
    for (int i = 1; i <= 20; ++i) {
        trainer.loss_now = 3 * i;
        trainer.error_now = i;
        trainer.happen(Moment::iteration);
        trainer.group().dispatch(Moment::iteration);
        wanted.insert(wanted.end(), {2.0 * i, static_cast<double>(i)});
    }
    trainer.group().finish();
    CHECK(seen == wanted);
}

static_assert(decltype(compute<"a">(loss, [](double) { return 1; }))::in_background);
static_assert(!decltype(compute<"a">([](auto& t) { return t.loss(); }))::in_background);
