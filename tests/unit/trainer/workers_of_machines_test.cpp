// SPDX-License-Identifier: BSL-1.0
// Workers in several processes, simulated by threads, are bit-identical to as many workers in one process.
#include <sigma/sigma.hpp>
#include <sigma/trainer/machines/machines.hpp>

#include <catch2/catch.hpp>
#include <support/scratch.hpp>
#include <support/thread_group.hpp>

#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace sigma;
using Catch::Matchers::Contains;

namespace {

struct Plain : Network<Input(4) + Dense(6, tanh) + Dense(3) + SoftmaxCE()> {};
struct Noisy
    : Network<Input(4) + Dense(6, tanh) + BatchNorm() + Dropout(0.3) + Dense(3) + SoftmaxCE({.smoothing = 0.1})> {};
/// A network with tensors that several processes merge in parts.
struct Large : Network<Input(4) + Dense(700, tanh) + Dense(300, tanh) + Dense(3) + SoftmaxCE()> {};

Dataset points(std::size_t records = 42) {
    Numbers x{{records, 4}, std::vector<float>(4 * records)}, y{{records}, {}};
    Philox(1, RandomUse::user, 0).fill_normal(std::span(x.values));
    for (std::size_t i = 0; i < records; ++i) y.values.push_back(static_cast<float>(i * i % 7 % 3));
    return {std::move(x), std::move(y), "points"};
}
Minibatches batches() { return minibatches(points(), 5, 5); }  // nine an epoch, the last of two

struct Result {
    std::vector<float> numbers{};  ///< parameters, states, losses
    std::uint64_t steps = 0;
    std::size_t epochs = 0;
    std::vector<std::string> lines{};
    friend bool operator==(const Result&, const Result&) = default;
};
template <class T>
Result result_of(T& trainer) {
    Result all{{}, trainer.iteration(), trainer.history().epochs.size(), {}};
    const auto add = [&](const auto& rows) {
        for (const float x : sigma::detail::dense_elements(rows)) all.numbers.push_back(x);
    };
    for (int i = 0; i < trainer.model().network().parameters.size(); ++i)
        add(parameter_rows(std::as_const(trainer.model()), i));
    for (int i = 0; i < trainer.training_step().state_table().size(); ++i)
        add(std::as_const(trainer.training_step()).state_rows(i));
    all.numbers.push_back(static_cast<float>(trainer.training_loss()));
    all.numbers.push_back(static_cast<float>(trainer.loss()));
    return all;
}

MachineSet of(support::ThreadGroup& group, int rank, WorkerSet own, double patience = 60) {
    return {group.member(rank),
            cpu(1),
            {.patience = patience},
            sigma::detail::SharedOwner<const WorkerSet>::make(std::move(own))};
}

/// Returns the results of each process with `counts` workers. `with(trainer, rank)` adds hooks and callbacks.
template <class N = Noisy, class O = Adam, class With>
std::vector<Result> trained(const std::vector<int>& counts, const WorkerOptions& options, With with, O optimizer = {},
                            std::int64_t epochs = 3, bool fails = false) {
    support::ThreadGroup group(static_cast<int>(counts.size()));
    std::vector<Result> all(counts.size());
    const auto thrown = group.run([&](int rank) {
        std::vector<std::string> lines;
        Trainer trainer("points", N{}, optimizer, batches());
        trainer.output = [&](std::string_view line) { lines.emplace_back(line); };
        with(trainer, rank);
        trainer.run(of(group, rank, workers(counts[static_cast<std::size_t>(rank)], options)), epochs);
        auto& own = all[static_cast<std::size_t>(rank)] = result_of(trainer);
        own.lines = lines;
    });
    for (const std::string& text : thrown)
        if (!fails) CHECK(text == "");
    return all;
}
template <class N = Noisy, class O = Adam, class With>
Result on_threads(int count, const WorkerOptions& options, With with, O optimizer = {}, std::int64_t epochs = 3) {
    Result result;
    std::vector<std::string> lines;
    Trainer trainer("points", N{}, optimizer, batches());
    trainer.output = [&](std::string_view line) { lines.emplace_back(line); };
    with(trainer, 0);
    trainer.run(workers(count, options), epochs);
    result = result_of(trainer);
    result.lines = lines;
    return result;
}
const std::vector<std::vector<int>> fours{{4}, {2, 2}, {1, 2, 1}, {1, 1, 1, 1}};
/// Checks equal results on threads and in 1, 2, 3 and 4 processes. Only rank 0 prints.
template <class N = Noisy, class O = Adam, class With>
void check_same(const WorkerOptions& options, With with, O optimizer = {}) {
    const Result wanted = on_threads<N>(4, options, with, optimizer);
    for (const auto& counts : fours) {
        const auto found = trained<N>(counts, options, with, optimizer);
        CHECK(found[0] == wanted);
        for (std::size_t r = 1; r < found.size(); ++r) {
            CHECK(found[r].numbers == wanted.numbers);
            CHECK(found[r].steps == wanted.steps);
            CHECK(found[r].epochs == wanted.epochs);
            CHECK(found[r].lines.empty());
        }
    }
}
constexpr auto nothing = [](auto&, int) {};

}  // namespace

TEST_CASE("workers of machines: as many workers have the same bits in any number of processes") {
    SECTION("merged after each epoch") { check_same({}, nothing); }
    SECTION("merged every other step") { check_same({.merge_every = 2}, nothing); }
    SECTION("each takes all records") { check_same({.merge_every = 4, .data = WorkerData::whole}, nothing); }
    SECTION("each keeps the states of its optimizer") {
        check_same({.merge_every = 2, .merge_states = false}, nothing);
    }
    SECTION("mergers by pattern") {
        const auto own = [](std::span<const Tensor> x) { return max(x[0], x[3]) * 0.5 + x[1] * 0.25 + x[2] * 0.25; };
        check_same({.merge_every = 1,
                    .mergers = {merge("*", MergeBy::average), merge("*.biases", {0.5, 0.25, 0, 0.25}),
                                merge("1-*.weights", own), merge("2-*", MergeBy::maximum)}},
                   nothing);
        check_same({.merge_every = 3, .mergers = {merge("*", MergeBy::minimum), merge("1-*", MergeBy::sum)}}, nothing,
                   GradientDescent{.learning_rate = 0.01});
    }
    SECTION("large tensors") { check_same<Large>({.merge_every = 2}, nothing); }
}

TEST_CASE("workers of machines: hooks in each worker and over all") {
    const auto with = [](auto& trainer, int) {
        trainer.add(in_each_worker(
            every(2, iteration).then(report(iteration, loss, norm(parameters("*.weights")))),
            every(1, epoch).then(
                modify("*.weights", clip(-0.4, 0.4)),
                [](auto& worker) { worker.print(sentence("seen ", worker.iteration(), " in ", worker.epoch())); }),
            at(stop).then(report("end of {}", worker_number))));
        trainer.add(over_all_workers(every(1, epoch).then(
            score(points()),
            report(epoch, error, validation_error, mean_over_workers(loss), minimum_over_workers(error),
                   maximum_over_workers(norm(parameters("1-*"))), sum_over_workers(iteration)))));
        trainer.add(every(4, iteration).then(report(iteration, loss)));
    };
    check_same({.merge_every = 2}, with);
    check_same({.data = WorkerData::whole}, with);
}

TEST_CASE("workers of machines: a hook in one of them ends the run of all, at the same step") {
    const auto with = [](auto& trainer, int) {
        trainer.add(in_each_worker(every(1, iteration).then([](auto& worker) {
            if (worker.number() == 3 && worker.iteration() == 2) worker.stop();
        })));
    };
    check_same({}, with);
    CHECK(trained({1, 3}, {}, with)[1].steps ==
          9);  // worker 3 has taken the seventh, and one more would be of the next epoch
}

TEST_CASE("workers of machines: what rank 0 changes goes to all") {
    // The others' callbacks do not act.
    const auto with = [](auto& trainer, int) {
        trainer.modify("2-*", clip(-0.3, 0.3));
        trainer.add(every(3, iteration).then(multiply(learning_rate, 0.9)),
                    every(2, iteration).then(multiply(hyperparameter("*.rate"), 0.9)),
                    when(iteration.equals(7)).then(freeze("1-*")), when(iteration.equals(17)).then(unfreeze("*")));
        trainer.on_iteration([](auto& t) {
            if (t.iteration() == 5) t.model().parameter("2-batch_norm.scales").fill(0.25f);
            if (t.iteration() == 12) t.unmodify("2-*");
            if (t.iteration() == 20) t.stop();
        });
    };
    check_same({.merge_every = 2}, with, Momentum{.learning_rate = 0.1});
    CHECK(trained({2, 2}, {}, with, Momentum{.learning_rate = 0.1})[1].steps == 20);
    // Back to the beginning of the run, once.
    const auto rewinds = [](auto& trainer, int) {
        trainer.add(in_each_worker(every(2, iteration).then(report(iteration, loss))));
        trainer.on_iteration([back = false](auto& t) mutable {
            if (t.iteration() == 11 && !std::exchange(back, true)) t.rewind();
        });
    };
    check_same({}, rewinds);
}

TEST_CASE("workers of machines: a checkpoint goes on with as many workers, wherever they are") {
    const Scratch folder;
    for (const bool merge_states : {true, false}) {
        const WorkerOptions options{.merge_every = 2, .merge_states = merge_states};
        const auto hooks = [](auto& trainer) {
            trainer.add(in_each_worker(every(3, iteration).then(report(iteration, average(loss, 3)))));
        };
        const auto saves = [&](const std::string& file) {
            return [&, file](auto& trainer, int) {
                hooks(trainer);
                trainer.on_iteration([&, file](auto& t) {
                    if (t.iteration() == 13) t.save(folder / file);  // within the second epoch
                });
            };
        };
        const auto loads = [&](const std::string& file) {
            return [&, file](auto& trainer, int) {
                hooks(trainer);
                trainer.load(folder / file);
            };
        };
        auto whole = on_threads(4, options, saves("threads"));
        const auto by_machines = trained({1, 2, 1}, options, saves("machines"));
        CHECK(by_machines[0] == whole);
        for (const char* file : {"threads", "machines"})
            for (const auto& counts : fours) {
                const auto found = trained(counts, options, loads(file), Adam{}, 2);
                CHECK(found[0].numbers == whole.numbers);
                CHECK(found.back().numbers == whole.numbers);
            }
        CHECK(on_threads(4, options, loads("machines"), Adam{}, 2).numbers == whole.numbers);
        CHECK(trained({1, 1}, options, loads("machines"), Adam{}, 2)[0].numbers != whole.numbers);
    }
}

TEST_CASE("workers of machines: runs one after the other, and by themselves") {
    const auto some = [](bool of_machines) {
        support::ThreadGroup group(2);
        std::vector<Result> all(2);
        const auto run = [&](int rank) {
            Trainer trainer("points", Noisy{}, Adam{}, batches());
            trainer.output = [&, rank](std::string_view line) {
                all[static_cast<std::size_t>(rank)].lines.emplace_back(line);
            };
            trainer.add(in_each_worker(every(4, iteration).then(report(iteration, loss))));
            const WorkerOptions options{.merge_states = false};
            for (int i = 0; i < 2; ++i) {
                if (of_machines) trainer.run(of(group, rank, workers(rank + 1, options)), 1);
                else trainer.run(workers(3, options), 1);
            }
            if (!of_machines || rank == 1) trainer.run(workers(3, options), 1);  // it goes on by itself
            auto lines = std::move(all[static_cast<std::size_t>(rank)].lines);
            all[static_cast<std::size_t>(rank)] = result_of(trainer);
            all[static_cast<std::size_t>(rank)].lines = std::move(lines);
        };
        if (!of_machines) return run(0), all;
        for (const std::string& text : group.run(run)) CHECK(text == "");
        return all;
    };
    const auto alone = some(false), both = some(true);
    CHECK(both[1].numbers == alone[0].numbers);
    CHECK(both[1].steps == alone[0].steps);
    CHECK(both[0].lines.size() + both[1].lines.size() == alone[0].lines.size());
}

TEST_CASE("workers of machines: what fails in one ends all, with its words") {
    const auto run = [](const std::vector<WorkerSet>& sets, auto with, Minibatches from = batches()) {
        support::ThreadGroup group(static_cast<int>(sets.size()));
        return group.run([&](int rank) {
            Trainer trainer("points", Plain{}, GradientDescent(0.1), from);
            with(trainer, rank);
            trainer.run(of(group, rank, sets[static_cast<std::size_t>(rank)]), 3);
        });
    };
    const std::vector<WorkerSet> two{workers(2), workers(1)};
    const auto in_hook = run(two, [](auto& trainer, int) {
        trainer.on_iteration([](auto& t) {
            if (t.iteration() == 6) throw ArgumentError("the test", "patience", "none");
        });
    });
    CHECK(in_hook == std::vector<std::string>{"the test: expected patience, found none",
                                              "rank 0: the test: expected patience, found none"});
    for (const int number : {1, 3}) {
        const auto in_worker = run(two, [number](auto& trainer, int) {
            trainer.add(in_each_worker(every(1, iteration).then([number](auto& worker) {
                if (worker.number() == number && worker.iteration() == 2) throw std::runtime_error("a hook");
            })));
        });
        CHECK_THAT(in_worker[number == 1 ? 0 : 1], Contains("iteration 2: a hook"));
        CHECK(in_worker[number == 1 ? 1 : 0] ==
              sentence("rank ", number == 1 ? 0 : 1, ": ", in_worker[number == 1 ? 0 : 1]));
    }
    const auto in_step = run(two, [](auto& trainer, int rank) {
        trainer.modify("2-*", [rank](auto) {
            if (rank == 1) throw std::runtime_error("a modifier");
        });
    });
    CHECK(in_step == std::vector<std::string>{"rank 1: a modifier", "a modifier"});
    const auto merger = [](auto f) { return workers(1, {.mergers = {merge("*", Merger::Expression(f))}}); };
    const auto wrong = merger([](std::span<const Tensor> x) { return sum(x[0]); });
    for (const std::string& text : run({wrong, wrong}, nothing))
        CHECK_THAT(text, Contains("a result of the arguments' shape"));
    for (const std::string& text : run({workers(1), workers(1, {.merge_every = 3})}, nothing))
        CHECK(text == "rank 1 is not like rank 0: expected merge_every of workers '0', found '3'");
    for (const std::string& text : run({workers(1), workers(1, {.mergers = {merge("*", MergeBy::sum)}})}, nothing))
        CHECK(text == "rank 1 is not like rank 0: expected merger 'none', found ''*' by sum'");
    for (const std::string& text : run(two, [](auto& trainer, int rank) {
             if (rank == 1) trainer.add(in_each_worker(every(1, epoch).then(report(loss))));
         }))
        CHECK_THAT(text, Contains("rank 1 is not like rank 0: expected hooks in workers 'none'"));
    const auto no_number = run(two, [](auto& trainer, int) {
        trainer.model().parameter("1-dense.biases")(0) = std::numeric_limits<float>::quiet_NaN();
    });
    CHECK_THAT(no_number[0], Contains("iteration 1") && Contains("the loss became NaN"));
    CHECK(no_number[1] == "rank 0: " + no_number[0]);
    // What rank 0 alone has added meanwhile is not known to others.
    const auto later = run(two, [](auto& trainer, int) {
        trainer.on_iteration([](auto& t) {
            if (t.iteration() == 6) t.modify("1-*", clip(-1, 1));
        });
    });
    CHECK_THAT(later[0],
               Contains("equal modifiers in all processes, added before the run, found a modifier of rank 0 only"));
}

TEST_CASE("workers of machines: a run that failed is as at the beginning of the epoch, and another goes on") {
    support::ThreadGroup group(2);
    std::vector<Result> all(2);
    const auto thrown = group.run([&](int rank) {
        Trainer trainer("points", Plain{}, Adam{}, batches());
        trainer.add(in_each_worker(every(1, iteration).then([](auto& worker) {
            if (worker.number() == 2 && worker.epoch() == 1) throw std::runtime_error("a hook");
        })));
        CHECK_THROWS(trainer.run(of(group, rank, workers(1)), 3));
        all[static_cast<std::size_t>(rank)] = result_of(trainer);
        CHECK(trainer.state() == RunState::idle);
        trainer.run(cpu(1), 1);
        CHECK(std::isfinite(trainer.loss()));
    });
    for (const std::string& text : thrown) CHECK(text == "");
    CHECK(all[0].steps == 9);
    CHECK(all[0].numbers[0] != all[1].numbers[0]);  // which has done nothing that counts
}

TEST_CASE("workers of machines: how each is doing, on rank 0") {
    support::ThreadGroup group(2);
    std::vector<WorkerStatus> last;
    std::string text;
    const auto thrown = group.run([&](int rank) {
        Trainer trainer("points", Plain{}, Adam{}, batches());
        trainer.on_iteration([&](auto& t) {
            last.clear();
            t.visit_workers([&](const WorkerStatus& one) { last.push_back(one); });
        });
        trainer.run(of(group, rank, rank == 0 ? workers(1) : workers({cpu(1), cpu({.threads = 2})})), 4);
        if (rank == 1) text = trainer.device_text();
    });
    for (const std::string& each : thrown) CHECK(each == "");
    CHECK(text == "rank 1 of 2: 2 workers: cpu, cpu, 2 threads");
    REQUIRE(last.size() == 3);
    CHECK(last[2].device == "cpu, 2 threads");
    for (const WorkerStatus& one : last) {
        CHECK(one.steps >= 9);  // of the last epoch some may be handed out, and not yet taken
        CHECK(one.steps <= 12);
        CHECK(one.loss > 0);
        CHECK(one.steps_per_second > 0);
    }
}

TEST_CASE("workers of machines: a run beside the program") {
    for (const bool apart : {true, false}) {
        support::ThreadGroup group(2);
        std::vector<Result> all(2);
        const auto thrown = group.run([&](int rank) {
            Trainer trainer("points", Plain{}, Adam{}, batches());
            trainer.start(apart ? of(group, rank, workers(2)) : MachineSet{group.member(rank), cpu(1), {}}, 1'000'000);
            if (rank == 0) {
                while (trainer.iteration() < 30) std::this_thread::sleep_for(std::chrono::milliseconds(1));
                trainer.pause().wait();
                CHECK(trainer.state() == RunState::paused);
                trainer.step().wait();
                trainer.stop().wait();
            }
            trainer.wait();
            all[static_cast<std::size_t>(rank)] = result_of(trainer);
        });
        for (const std::string& text : thrown) CHECK(text == "");
        CHECK(all[0].steps >= 31);
        CHECK(all[1].steps == all[0].steps);
        CHECK(all[1].numbers == all[0].numbers);
    }
}
