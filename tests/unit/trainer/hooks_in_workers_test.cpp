// SPDX-License-Identifier: BSL-1.0
// Hooks in each worker of a run, and hooks over all workers.
#include <sigma/sigma.hpp>
#include <sigma/trainer/workers/workers.hpp>

#include <catch2/catch.hpp>
#include <support/scratch.hpp>
#include <support/thrown.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <fstream>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
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
Minibatches batches() { return minibatches(points(), 5, 5); }  // nine an epoch, the last of two
auto plain_trainer() { return std::make_unique<Trainer<Plain, Adam>>("plain", Plain{}, Adam{}, batches()); }

std::vector<float> parameters_of(const auto& model) {
    std::vector<float> all;
    for (int i = 0; i < model.network().parameters.size(); ++i)
        for (const auto x : sigma::detail::dense_elements(parameter_rows(model, i)))
            all.push_back(static_cast<float>(x));
    return all;
}
std::vector<std::string> lines_of(const std::string& file) {
    std::vector<std::string> all;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) all.push_back(line);
    return all;
}
/// The lines that a trainer prints.
struct Printed {
    std::vector<std::string> lines;
    template <class T>
    explicit Printed(T& trainer) {
        trainer.output = [this](std::string_view line) { lines.emplace_back(line); };
    }
};

}  // namespace

TEST_CASE("hooks in workers: each sees the steps of its own") {
    auto trainer = plain_trainer();
    Printed printed(*trainer);
    std::array<std::vector<std::uint64_t>, 3> iterations{};
    std::array<std::vector<double>, 3> losses{}, errors{};
    std::array<std::vector<std::uint64_t>, 3> epochs{};
    std::vector<double> all;  // of the run
    const auto at = [](const auto& worker) { return static_cast<std::size_t>(worker.number() - 1); };
    trainer->add(in_each_worker(every(1, iteration).then([&](auto& worker) {
        iterations[at(worker)].push_back(worker.iteration());
        losses[at(worker)].push_back(worker.loss());
    }),
                                every(1, epoch).then([&](auto& worker) {
                                    epochs[at(worker)].push_back(worker.epoch());
                                    errors[at(worker)].push_back(worker.training_loss());
                                })));
    trainer->add(in_each_worker(every(3, iteration).then(report(iteration, worker_number))));
    trainer->on_iteration([&](auto& t) { all.push_back(t.loss()); });
    trainer->run(workers(3), 2);
    // Each worker gets three of the nine batches of an epoch.
    for (std::size_t w = 0; w < 3; ++w) {
        CHECK(iterations[w] == std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6});
        CHECK(epochs[w] == std::vector<std::uint64_t>{1, 2});
        for (std::size_t i = 0; i < 6; ++i) CHECK(losses[w][i] == all[3 * i + w]);
        const double last = w == 2 ? 2 : 5;  // records of its last batch
        for (std::size_t e = 0; e < 2; ++e)
            CHECK(
                errors[w][e] ==
                Approx((5 * losses[w][3 * e] + 5 * losses[w][3 * e + 1] + last * losses[w][3 * e + 2]) / (10 + last)));
    }
    CHECK(printed.lines ==
          std::vector<std::string>{"worker 1  iteration 3  worker 1", "worker 2  iteration 3  worker 2",
                                   "worker 3  iteration 3  worker 3", "worker 1  iteration 6  worker 1",
                                   "worker 2  iteration 6  worker 2", "worker 3  iteration 6  worker 3"});
}

TEST_CASE("hooks in workers: they act on the worker that they are in") {
    // The parameters of each are multiplied by its number, and then they are averaged.
    Trainer trainer("plain", Plain{}, GradientDescent{.learning_rate = 0}, batches());
    const auto before = parameters_of(trainer.model());
    trainer.add(in_each_worker(at(1, epoch).then([](auto& worker) {
        for (int i = 0; i < worker.model().network().parameters.size(); ++i) {
            const auto rows = parameter_rows(worker.model(), i);
            for (std::size_t r = 0; r < rows.count; ++r)
                for (float& x : rows[r]) x *= static_cast<float>(worker.number());
        }
    })));
    double most = 0, least = 0, mean = 0;
    trainer.add(in_each_worker(every(1, iteration).then(modify("2-*", clip(-0.2, 0.2)))));
    trainer.add(
        at(4, iteration)
            .then(use(maximum_over_workers(iteration), minimum_over_workers(iteration), mean_over_workers(iteration),
                      [&](double a, double b, double c) { most = a, least = b, mean = c; })));
    trainer.run(workers(3), 1);
    const auto after = parameters_of(trainer.model());
    for (std::size_t i = 0; i < before.size(); ++i)
        CHECK(after[i] == Approx(2 * (i < 30 ? before[i] : std::clamp(before[i], -0.2f, 0.2f))).margin(1e-6));
    CHECK(most == 2);  // the first has taken the fourth step
    CHECK(least == 1);
    CHECK(mean == Approx(4.0 / 3));
}

TEST_CASE("hooks in workers: they look only, and change nothing") {
    const auto trained = [](bool looks) {
        auto trainer = plain_trainer();
        Printed printed(*trainer);
        if (looks) {
            trainer->add(in_each_worker(
                every(2, iteration).then(score(points()), report(accuracy)),
                every(1, iteration)
                    .then(report(norm(gradients("*")), update_rate("*"), average(loss, 3), learning_rate))));
            trainer->add(every(1, iteration)
                             .then(report(maximum_over_workers(loss), sum_over_workers(error),
                                          mean_over_workers(norm(parameters("*"))), loss)));
        }
        trainer->run(workers(2, {.merge_every = 2}), 2);
        CHECK(printed.lines.size() == (looks ? 9 + 18 + 18 : 0));
        return parameters_of(trainer->model());
    };
    CHECK(trained(true) == trained(false));
}

TEST_CASE("hooks in workers: what they read are the worker's parameters and gradients") {
    // Two batches of one epoch, one for each of two workers: each is as a trainer of that batch alone.
    auto trainer = std::make_unique<Trainer<Plain, GradientDescent>>(
        "plain", Plain{}, GradientDescent{.learning_rate = 0.1}, minibatches(points(10), 5, 5));
    std::array<double, 2> norms{}, of_gradients{}, of_outputs{};
    std::array<std::vector<float>, 2> parameters{};
    trainer->add(in_each_worker(every(1, iteration)
                                    .then(compute<"norm">(norm(sigma::parameters("*")), [](double x) { return x; }),
                                          compute<"slope">(norm(gradients("*")), [](double x) { return x; }),
                                          compute<"kept">([&](auto& worker) {
                                              parameters[static_cast<std::size_t>(worker.number() - 1)] =
                                                  parameters_of(worker.model());
                                              return 0;
                                          })),
                                every(1, iteration).then([&](auto&) {})));
    std::atomic<int> calls = 0;
    trainer->add(in_each_worker(every(1, iteration)
                                    .then(use(worker_number, norm(sigma::parameters("*")), norm(gradients("*")),
                                              norm(outputs("*")), [&](double number, double x, double g, double y) {
                                                  const std::size_t w = static_cast<std::size_t>(number) - 1;
                                                  norms[w] = x, of_gradients[w] = g, of_outputs[w] = y;
                                                  ++calls;
                                              }))));
    double mean = 0, over_merged = 0;
    trainer->add(at(2, iteration)
                     .then(use(norm(sigma::parameters("*")), mean_over_workers(norm(sigma::parameters("*"))),
                               [&](double merged, double x) { over_merged = merged, mean = x; })));
    trainer->run(workers(2), 1);
    CHECK(calls == 2);
    std::vector<double> merged(parameters[0].size());
    for (std::size_t w = 0; w < 2; ++w) {
        double squares = 0;
        for (std::size_t i = 0; i < parameters[w].size(); ++i) {
            squares += double{parameters[w][i]} * double{parameters[w][i]};
            merged[i] += 0.5 * double{parameters[w][i]};
        }
        CHECK(norms[w] == Approx(std::sqrt(squares)));
    }
    CHECK(parameters[0] != parameters[1]);
    CHECK(of_gradients[0] != of_gradients[1]);
    CHECK(of_outputs[0] != of_outputs[1]);
    double squares = 0;
    for (const double x : merged) squares += x * x;
    CHECK(over_merged == Approx(std::sqrt(squares)));
    CHECK(mean == Approx((norms[0] + norms[1]) / 2));
    // The gradient and the outputs of the first worker are those of a trainer's first step.
    auto alone = std::make_unique<Trainer<Plain, GradientDescent>>(
        "plain", Plain{}, GradientDescent{.learning_rate = 0.1}, minibatches(points(10), 5, 5));
    double first = 0, output = 0;
    alone->add(at(1, iteration).then(use(norm(gradients("*")), norm(outputs("*")), [&](double g, double y) {
        first = g, output = y;
    })));
    alone->run(cpu(), 1);
    CHECK(of_gradients[0] == Approx(first));
    CHECK(of_outputs[0] == Approx(output));
}

TEST_CASE("hooks in workers: one that stops ends the run of all, at the same place each time") {
    for (int again = 0; again < 5; ++again) {
        auto trainer = plain_trainer();
        trainer->add(in_each_worker(when(iteration.reaches(2)).then(stop)));
        trainer->run(workers(4), 3);
        // The first worker takes its second step, the fifth of all, and is asked when it is to take its third.
        CHECK(trainer->iteration() == 8);
        CHECK(trainer->control().ending().reason == "a hook");
    }
}

TEST_CASE("hooks in workers: without workers they are in one") {
    const auto seen = [](auto where) {
        auto trainer = plain_trainer();
        Printed printed(*trainer);
        std::vector<double> all;
        trainer->add(in_each_worker(every(2, iteration).then([&](auto& worker) {
            all.push_back(worker.loss());
            all.push_back(static_cast<double>(worker.iteration()));
            all.push_back(worker.number());
            all.push_back(worker.evaluate(points()).error);
        }),
                                    every(1, epoch).then(score(points()), report(error, accuracy, worker_number)),
                                    at(stop).then([&](auto& worker) { all.push_back(worker.training_loss()); })));
        trainer->run(where, 2);
        trainer->run(where, 1);
        return std::pair(all, printed.lines);
    };
    const auto [one, on_one] = seen(workers(1));
    const auto [none, on_none] = seen(cpu());
    CHECK(one == none);
    REQUIRE(on_one.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) CHECK(on_one[i] == "worker 1  " + on_none[i]);
}

TEST_CASE("hooks in workers: they count on from run to run, and from a checkpoint") {
    const Scratch folder;
    const auto add = [](auto& trainer) {
        trainer.add(in_each_worker(every(5, iteration).then(report(iteration)),
                                   when(average(loss, 4).decreases()).then(report(loss))));
    };
    const auto run_whole = [&](auto&& then) {
        auto trainer = plain_trainer();
        Printed printed(*trainer);
        add(*trainer);
        then(*trainer);
        return printed.lines;
    };
    const WorkerSet two = workers(2, {.merge_every = 1});
    const auto whole = run_whole([&](auto& t) {
        t.on_iteration([&](auto& now) {
            if (now.iteration() == 13) now.save(folder / "half.sigma");
        });
        t.run(two, 4);
    });
    const auto in_two = run_whole([&](auto& t) { t.run(two, 1), t.run(two, 3); });
    CHECK(in_two == whole);
    CHECK(whole.size() > 8);
    const auto resumed = run_whole([&](auto& t) {
        t.load(folder / "half.sigma");
        t.run(two, 3);
    });
    REQUIRE(resumed.size() < whole.size());
    CHECK(std::equal(resumed.rbegin(), resumed.rend(), whole.rbegin()));
    // Another number of workers starts again.
    CHECK_NOTHROW(run_whole([&](auto& t) {
        t.load(folder / "half.sigma");
        t.run(workers(3), 1);
        t.run(cpu(), 1);
        t.rewind();
        t.reset();
    }));
}

TEST_CASE("hooks in workers: files are of each") {
    const Scratch folder;
    auto trainer = plain_trainer();
    trainer->add(in_each_worker(every(1, iteration).then(report(iteration, loss).to(csv(folder / "curve.csv"))),
                                every(2, iteration).then(report(iteration).to(file(folder / "log")))));
    trainer->run(workers(2), 1);
    CHECK(lines_of(folder / "curve-worker-1.csv").size() == 6);
    CHECK(lines_of(folder / "curve-worker-2.csv").size() == 5);
    CHECK(lines_of(folder / "log-worker-2") == std::vector<std::string>{"iteration 2", "iteration 4"});
    trainer->run(cpu(), 1);
    CHECK(lines_of(folder / "curve.csv").size() == 10);
    CHECK(lines_of(folder / "curve-worker-2.csv").size() == 5);
}

TEST_CASE("hooks in workers: one that fails ends the run with its name, and may be taken away") {
    auto trainer = plain_trainer();
    const int number = trainer->add(in_each_worker(at(2, iteration)
                                                       .then([](auto& worker) {
                                                           if (worker.number() == 2)
                                                               throw std::runtime_error("no more");
                                                       })
                                                       .named("the second")));
    const auto failed = thrown<HookError>([&] { trainer->run(workers(3), 2); });
    CHECK(std::string(failed.what()).find("the second") != std::string::npos);
    CHECK(std::string(failed.what()).find("no more") != std::string::npos);
    trainer->remove(number);
    CHECK_THROWS_AS(trainer->remove(number), ArgumentError);
    trainer->run(workers(3), 1);
    CHECK(trainer->add(in_each_worker(every(1, epoch).then(stop))) > number);
    CHECK_THROWS_AS(trainer->add(in_each_worker(every(1, epoch).then(modify("7-*", clip(0, 1))))), ArgumentError);
    // Waiting for the end of a command would wait for the worker itself.
    auto waits = plain_trainer();
    waits->add(in_each_worker(at(1, iteration).then([&](auto&) { waits->freeze("*"); })));
    CHECK_THAT(thrown<HookError>([&] { waits->run(workers(2), 1); }).what(),
               Contains("expected a thread independent of its run"));
    // Hooks that are removed while the workers train.
    auto other = plain_trainer();
    std::atomic<int> seen = 0;
    const int added = other->add(in_each_worker(every(1, iteration).then([&] { ++seen; })));
    other->on_iteration([&](auto& t) {
        if (t.iteration() == 6) t.remove(added);
    });
    other->run(workers(3), 2);
    CHECK(seen == 6);
    // Hooks that are added while the workers train begin with the next run.
    auto third = plain_trainer();
    std::atomic<int> later = 0;
    third->on_iteration([&](auto& t) {
        if (t.iteration() == 2) t.add(in_each_worker(every(1, iteration).then([&] { ++later; })));
    });
    third->run(workers(3), 1);
    CHECK(later == 0);
    third->run(workers(3), 1);
    CHECK(later == 9);
}

TEST_CASE("hooks in workers: steps that are repeated after a failure are not theirs") {
    auto trainer = plain_trainer();
    std::atomic<int> seen = 0;
    trainer->add(in_each_worker(every(1, iteration).then([&] { ++seen; })));
    trainer->run(workers(3), 1);
    trainer->model().parameter("1-dense.biases")(0) = std::numeric_limits<float>::quiet_NaN();
    CHECK(thrown<NumericError>([&] { trainer->run(workers(3), 1); }).iteration == 10);
    CHECK(seen == 18);
}

TEST_CASE("hooks over all workers are those that say nothing of workers") {
    const auto printed_by = [](auto add) {
        auto trainer = plain_trainer();
        Printed printed(*trainer);
        add(*trainer);
        trainer->run(workers(3), 2);
        return printed.lines;
    };
    const auto plain = printed_by([](auto& t) {
        t.add(every(1, epoch).then(score(points()), report(iteration, error, accuracy, maximum_over_workers(error))),
              when(accuracy.reaches(0.99)).then(stop));
    });
    const auto said = printed_by([](auto& t) {
        t.add(over_all_workers(
            every(1, epoch).then(score(points()), report(iteration, error, accuracy, maximum_over_workers(error))),
            when(accuracy.reaches(0.99)).then(stop)));
    });
    CHECK(plain == said);
    REQUIRE(plain.size() == 2);
    CHECK_THAT(plain[0], Contains("iteration 9") && Contains("maximum_over_workers(error)"));
}

TEST_CASE("values over workers: as those of each") {
    auto trainer = plain_trainer();
    std::array<double, 3> errors{};
    trainer->add(in_each_worker(every(1, epoch).then(
        [&](auto& worker) { errors[static_cast<std::size_t>(worker.number() - 1)] = worker.training_loss(); })));
    int epochs = 0;
    trainer->add(
        every(1, epoch).then(use(maximum_over_workers(error), minimum_over_workers(error), mean_over_workers(error),
                                 sum_over_workers(error), maximum_over_workers(learning_rate),
                                 [&](double most, double least, double mean, double sum, double rate) {
                                     ++epochs;
                                     CHECK(most == std::max({errors[0], errors[1], errors[2]}));
                                     CHECK(least == std::min({errors[0], errors[1], errors[2]}));
                                     CHECK(mean == Approx((errors[0] + errors[1] + errors[2]) / 3));
                                     CHECK(sum == Approx(errors[0] + errors[1] + errors[2]));
                                     CHECK(rate == 0.001);
                                 })),
        when(maximum_over_workers(error).falls_below(-1)).then(stop));
    trainer->run(workers(3, {.data = WorkerData::whole}), 2);
    CHECK(epochs == 2);
    auto without = plain_trainer();  // hooks in workers
    without->add(every(1, epoch).then(use(maximum_over_workers(learning_rate), sum_over_workers(samples_per_second),
                                          [&](double rate, double samples) {
                                              CHECK(rate == 0.001);
                                              CHECK((samples > 0 && samples < 1e8));
                                          })));
    without->run(workers(3, {.data = WorkerData::whole}), 1);
    // A worker that has taken no step has no loss; without workers it is the trainer's.
    auto few = plain_trainer();
    std::vector<double> least;
    few->add(every(1, iteration).then(use(minimum_over_workers(loss), loss, [&](double x, double now) {
        least.push_back(x);
        if (least.size() == 1 || least.size() > 9) CHECK(x == now);
        else CHECK(x <= now);
    })));
    few->run(workers(20), 1);
    few->run(cpu(), 1);
    CHECK(least.size() == 18);
}
