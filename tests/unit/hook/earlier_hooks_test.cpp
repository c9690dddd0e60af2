// SPDX-License-Identifier: BSL-1.0
// Hooks read what those of an earlier call of `add` compute.
#include <sigma/sigma.hpp>
#include <sigma/trainer/workers/workers.hpp>

#include <catch2/catch.hpp>
#include <support/scratch.hpp>
#include <support/thrown.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace sigma;
using Catch::Matchers::Contains;

namespace {

struct Plain : Network<Input(4) + Dense(6, tanh) + Dense(3) + SoftmaxCE()> {};

Dataset points(std::size_t records = 42) {
    Numbers x{{records, 4}, std::vector<float>(4 * records)}, y{{records}, {}};
    Philox(1, RandomUse::user, 0).fill_normal(std::span(x.values));
    for (std::size_t i = 0; i < records; ++i) y.values.push_back(static_cast<float>(i * i % 7 % 3));
    return {std::move(x), std::move(y), "points"};
}
auto plain_trainer() {
    return std::make_unique<Trainer<Plain, Adam>>("plain", Plain{}, Adam{}, minibatches(points(), 5, 5));
}
std::string refused(auto add) {
    auto trainer = plain_trainer();
    return thrown<ArgumentError>([&] { add(*trainer); }).what();
}

}  // namespace

TEST_CASE("earlier hooks: what they compute is there for later ones, at the same moment") {
    const auto seen = [](bool apart) {
        auto trainer = plain_trainer();
        std::vector<double> all;
        const auto note =
            use(accuracy, validation_error, [&](double a, double e) { all.push_back(a), all.push_back(e); });
        const auto fall = when(validation_error.decreases(2)).then([&] { all.push_back(-1); });
        const auto mean = every(1, epoch).then(use(average(accuracy, 2), [&](double m) { all.push_back(m); }));
        const auto often = every(3, iteration).then(use(latest(accuracy), [&](double a) { all.push_back(a); }));
        const auto scored = every(1, epoch).then(score(points()));
        if (apart) {
            trainer->add(scored);
            trainer->add(every(1, epoch).then(note), fall);
            trainer->add(mean);
            trainer->add(often);
        } else {
            trainer->add(scored, every(1, epoch).then(note), fall, mean, often);
        }
        trainer->run(cpu(), 8);
        trainer->reset();
        trainer->run(cpu(), 2);
        return all;
    };
    const auto together = seen(false);
    CHECK(together.size() > 50);
    // NaN of `latest` before the first epoch.
    const auto apart = seen(true);
    REQUIRE(apart.size() == together.size());
    for (std::size_t i = 0; i < apart.size(); ++i)
        CHECK((apart[i] == together[i] || (std::isnan(apart[i]) && std::isnan(together[i]))));
}

TEST_CASE("earlier hooks: a criterion on their value is checked when they may have computed it") {
    auto trainer = plain_trainer();
    std::vector<std::uint64_t> at_iterations;
    trainer->add(every(4, iteration).then(compute<"step">([](auto& t) { return static_cast<double>(t.iteration()); })));
    trainer->add(when(value<"step">.changes()).then(compute<"last">(value<"step">, [](double x) { return x; })));
    trainer->add(when(value<"last">.reaches(8)).then([&](auto& t) { at_iterations.push_back(t.iteration()); }));
    trainer->run(cpu(), 2);
    CHECK(at_iterations == std::vector<std::uint64_t>{8});
    // The last that computes it counts.
    trainer->add(every(1, iteration).then(compute<"step">([](auto&) { return 100.0; })));
    double now = 0;
    trainer->add(at(stop).then(use(value<"step">, [&](double x) { now = x; })));
    trainer->run(cpu(), 1);
    CHECK(now == 100);
}

TEST_CASE("earlier hooks: who reads what nobody computes is told when it is added") {
    CHECK_THAT(
        refused([](auto& t) { t.add(every(1, epoch).then(report(accuracy))); }),
        Contains("no hook computes 'accuracy', which hook 'when(every(1, epoch)).then(report(accuracy))' reads; add "
                 "score(data) in this or an earlier call of add"));
    CHECK_THAT(refused([](auto& t) { t.add(when(value<"tpo1">.reaches(1)).then(stop)); }),
               Contains("no hook computes 'tpo1'") && Contains("add compute<\"tpo1\">(…)"));
    CHECK_THAT(refused([](auto& t) { t.add(every(1, iteration).when(latest(accuracy).reaches(0.9)).then(stop)); }),
               Contains("no hook computes 'accuracy'"));
    // Later hooks compute it too late.
    CHECK_THAT(refused([](auto& t) {
                   t.add(every(1, epoch).then(report(accuracy)));
                   t.add(every(1, epoch).then(score(points())));
               }),
               Contains("in this or an earlier call of add"));
    // Nothing was added.
    auto trainer = plain_trainer();
    CHECK_THROWS_AS(trainer->add(every(1, epoch).then(report(accuracy))), ArgumentError);
    CHECK(trainer->add(every(1, epoch).then(score(points()), report(accuracy))) == 1);
}

TEST_CASE("earlier hooks: what is computed less often than it is read, or beside training, is refused") {
    const auto scored = [](auto& t) { t.add(every(2, epoch).then(score(points()))); };
    CHECK_THAT(refused([&](auto& t) {
                   scored(t);
                   t.add(every(1, iteration).then(report(accuracy)));
               }),
               Contains("when 'when(every(2, epoch)).then(score(points))' has computed it, or latest(accuracy)") &&
                   Contains("reads it more often"));
    CHECK_THAT(refused([&](auto& t) {
                   scored(t);
                   t.add(every(1, epoch).then(report(accuracy)));
               }),
               Contains("intervals of 1, shorter than those of 2"));
    CHECK_THAT(refused([&](auto& t) {
                   t.add(every(1, epoch).then(score(points())).in_background());
                   t.add(every(1, epoch).then(report(accuracy)));
               }),
               Contains("in the background"));
    auto trainer = plain_trainer();
    scored(*trainer);
    CHECK_NOTHROW(
        trainer->add(every(2, epoch).then(report(accuracy)), every(1, iteration).then(report(latest(accuracy)))));
    double last = 0, own = 0;
    trainer->add(every(2, epoch).then(use(accuracy, [&](double x) { last = x; })).in_background());
    trainer->on_epoch([&](auto& t) { own = t.evaluate(points()).accuracy; });
    trainer->output = [](std::string_view) {};
    trainer->run(cpu(), 2);
    CHECK(last == own);
}

TEST_CASE("earlier hooks: removed ones compute nothing more, and checkpoints fit") {
    const Scratch folder;
    auto trainer = plain_trainer();
    const int scored = trainer->add(every(1, epoch).then(score(points())));
    int found = 0;
    trainer->add(when(accuracy.reaches(0)).then([] {}),
                 when(accuracy.reaches(0).continuously()).then([&] { ++found; }));
    trainer->run(cpu(), 2);
    CHECK(found == 2);
    trainer->save(folder / "file.sigma");
    auto other = plain_trainer();
    other->add(every(1, epoch).then(score(points())));
    int more = 0;
    other->add(when(accuracy.reaches(0)).then([] {}), when(accuracy.reaches(0).continuously()).then([&] { ++more; }));
    other->load(folder / "file.sigma");
    other->run(cpu(), 1);
    CHECK(more == 1);
    trainer->remove(scored);
    trainer->run(cpu(), 2);
    CHECK(found == 2);
}

TEST_CASE("earlier hooks: of each worker, and over all of them") {
    auto trainer = plain_trainer();
    trainer->output = [](std::string_view) {};
    trainer->add(in_each_worker(every(1, epoch).then(score(points()))));
    std::array<double, 3> own{}, each{};
    trainer->add(in_each_worker(every(1, epoch).then(
        use(worker_number, accuracy, [&](double n, double a) { each[static_cast<std::size_t>(n) - 1] = a; }),
        [&](auto& worker) {
            own[static_cast<std::size_t>(worker.number()) - 1] = worker.evaluate(points()).accuracy;
        })));
    double most = 0, mean = 0;
    trainer->add(every(1, epoch).then(use(maximum_over_workers(accuracy), mean_over_workers(accuracy),
                                          [&](double a, double b) { most = a, mean = b; })));
    trainer->run(workers(3), 2);
    CHECK(each == own);
    CHECK(most == std::max({own[0], own[1], own[2]}));
    CHECK(mean == Approx((own[0] + own[1] + own[2]) / 3));
    trainer->run(cpu(), 1);
    CHECK(each[0] == own[0]);
    CHECK(most == own[0]);
    // What is computed over all workers is not known in one, nor the other way round.
    CHECK_THAT(refused([](auto& t) {
                   t.add(every(1, epoch).then(score(points())));
                   t.add(in_each_worker(every(1, epoch).then(report(accuracy))));
               }),
               Contains("no hook computes 'accuracy'"));
    CHECK_THAT(refused([](auto& t) {
                   t.add(in_each_worker(every(1, epoch).then(score(points()))));
                   t.add(every(1, epoch).then(report(accuracy)));
               }),
               Contains("no hook computes 'accuracy'"));
    CHECK_THAT(
        refused([](auto& t) { t.add(every(1, epoch).then(report(maximum_over_workers(accuracy)))); }),
        Contains("'maximum_over_workers(accuracy)': expected a hook of an earlier in_each_worker that computes it"));
}
