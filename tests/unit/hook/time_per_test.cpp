// SPDX-License-Identifier: BSL-1.0
#include "support/reported_trainer.hpp"

#include <sigma/hook/compute.hpp>
#include <sigma/hook/report.hpp>

#include <catch2/catch.hpp>

using namespace sigma;
using test::ReportedTrainer;

namespace {
struct Taken {
    double mean = -1, rate = -1, last = -1, shortest = -1, longest = -1;
};
auto take(Taken& t, auto scale, int span) {
    return use(time_per(scale, span), per_second(scale, span), last_time(scale), shortest_time(scale, span),
               longest_time(scale, span),
               [&t](double a, double b, double c, double d, double e) { t = {a, b, c, d, e}; });
}
}  // namespace

TEST_CASE("Durations leave out the extremes of a span") {
    ReportedTrainer trainer;
    Taken t;
    trainer.add(every(1, iteration).then(take(t, iteration, 8)));
    trainer.runtime_now = 100;
    trainer.happen(Moment::start);
    const auto last = [&](std::initializer_list<double> durations) {
        for (const double d : durations) {
            trainer.runtime_now += d;
            trainer.happen(Moment::iteration);
        }
    };
    last({2});  // since the start
    CHECK(t.mean == 2);
    CHECK(t.rate == 0.5);
    last({4});  // of two, none is left out
    CHECK(t.mean == 3);
    last({9});  // of three, one at each end
    CHECK(t.mean == 4);
    CHECK(t.last == 9);
    CHECK(t.shortest == 2);
    CHECK(t.longest == 9);
    last({1000, 1, 8, 8, 4});  // of 2 4 9 1000 1 8 8 4, two at each end: 4 4 8 8
    CHECK(t.mean == 6);
    CHECK(t.shortest == 1);
    CHECK(t.longest == 1000);
    last({16, 16, 16});  // in place of 2 4 9: 1 4 8 8 16 16 16 1000
    CHECK(t.mean == 12);
    CHECK(t.rate == 1 / 12.0);

    trainer.group().restart();
    trainer.runtime_now = 0;
    trainer.happen(Moment::iteration);
    CHECK(std::isnan(t.mean));  // nobody knows when it began
    last({3});
    CHECK(t.mean == 3);
}

TEST_CASE("Durations of epochs do not depend on the moments at which they are read") {
    ReportedTrainer trainer;
    Taken t;
    trainer.add(every(1, iteration).then(take(t, epoch, 4)), every(1, epoch).then(report_running_time(epoch)));
    trainer.happen(Moment::start);
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 5; ++k) {
            trainer.runtime_now += 0.25;
            trainer.happen(Moment::iteration);
            if (i == 0) CHECK(std::isnan(t.last));
            else CHECK(t.last == 1.25);
        }
        trainer.happen(Moment::epoch);
        trainer.happen(Moment::start);  // runs end and go on here
    }
    CHECK(trainer.lines.back() == "epochs_per_second 0.800  time_per_epoch 1.250  last_epoch_time 1.250");
    CHECK_THROWS_WITH(time_per(epoch, 0), "time_per: expected 1 or more, found 0");
}

TEST_CASE("Durations can be waited for") {
    ReportedTrainer trainer;
    trainer.add(when(last_time(iteration).exceeds(1)).then(stop));
    trainer.happen(Moment::start);
    trainer.runtime_now = 0.5;
    trainer.happen(Moment::iteration);
    CHECK_FALSE(trainer.stopped);
    trainer.runtime_now = 2;
    trainer.happen(Moment::iteration);
    CHECK(trainer.stopped);
}
