// SPDX-License-Identifier: BSL-1.0
// The program that tests/machines/machines.py starts by mpirun: program WHAT [RANK]. Ranks print "rank N: …".
#include <sigma/machines.hpp>
#include <sigma/sigma.hpp>
#include <sigma/trainer/search.hpp>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <unit/data/blocks/generated.hpp>

#include <vector>

using namespace sigma;

namespace {

struct Plain : Network<Input(4) + Dense(64, tanh) + Dense(3) + SoftmaxCE()> {};
struct Lazy : Network<Input(2) + Dense(16, tanh) + Dense(1) + MeanSquaredError()> {};
struct Other : Network<Input(4) + Dense(65, tanh) + Dense(3) + SoftmaxCE()> {};
struct Normal : Network<Input(4) + Dense(300) + BatchNorm() + Dropout(0.3) + Dense(900, tanh) + BatchNorm() + Dense(3) +
                        SoftmaxCE()> {};

Dataset points(std::size_t records, float first = 0) {
    Numbers x{{records, 4}, std::vector<float>(4 * records)}, y{{records}, {}};
    Philox(1, RandomUse::user, 0).fill_normal(std::span(x.values));
    x.values[0] += first;
    for (std::size_t i = 0; i < records; ++i) y.values.push_back(static_cast<float>(i * i % 7 % 3));
    return {std::move(x), std::move(y), "points"};
}

/// A source of blocks that notes which blocks were loaded.
struct SeenBlocks : GeneratedBlocks {
    mutable std::set<std::size_t> seen{};
    mutable std::mutex mutex{};
    mutable int sleeping = 0;  ///< seconds to sleep before the sixth block is loaded
    SeenBlocks() : GeneratedBlocks(480, 8) {}
    void load(std::size_t number, data::Block& to) const override {
        const std::lock_guard lock(mutex);
        if (seen.size() == 5) std::this_thread::sleep_for(std::chrono::seconds(std::exchange(sleeping, 0)));
        seen.insert(number);
        GeneratedBlocks::load(number, to);
    }
};

template <class N, class O>
void say(const char* what, const Trainer<N, O>& trainer, int rank) {
    std::uint64_t digest = 14695981039346656037u;
    for (int i = 0; i < trainer.model().network().parameters.size(); ++i)
        for (const float x : sigma::detail::dense_elements(parameter_rows(trainer.model(), i))) {
            std::uint32_t bits = 0;
            std::memcpy(&bits, &x, sizeof bits);
            digest = (digest ^ bits) * 1099511628211u;
        }
    std::printf("rank %d: %s %016llx after %llu steps, loss %.9g\n", rank, what,
                static_cast<unsigned long long>(digest), static_cast<unsigned long long>(trainer.iteration()),
                trainer.training_loss());
}

template <class N, class O>
void train(const char* what, O optimizer, const MachineSet& all) {
    Trainer trainer("points", N{}, optimizer, minibatches(points(500), 48, 5));
    trainer.run(all, 3);
    say(what, trainer, all.rank());
}

/// Trains four workers in all processes, or in this one alone, merged in several ways, with hooks in each.
void train_apart(const std::string& what, WorkerData data) {
    const MachineSet here = machines();
    const int own = here.count() == 1 ? 4 : here.count() == 2 ? 2 : here.count() == 3 ? 1 + here.rank() % 2 : 1;
    const auto mean = [](std::span<const Tensor> x) { return (x[0] + x[1]) * 0.25 + max(x[2], x[3]) * 0.5; };
    const WorkerOptions options{.merge_every = 3,
                                .data = data,
                                .merge_states = false,
                                .mergers = {merge("*.biases", MergeBy::maximum), merge("1-*", mean)}};
    Trainer trainer("points", Normal{}, Adam{.learning_rate = 0.01}, minibatches(points(500), 48, 5));
    trainer.output = [](std::string_view line) {
        std::printf("said %.*s\n", static_cast<int>(line.size()), line.data());
    };
    trainer.add(
        in_each_worker(every(10, iteration).then(report(iteration, loss)), every(1, iteration).then([&](auto& w) {
            if (what == "worker-throws" && w.number() == 3 && w.iteration() == 7)
                throw ArgumentError("hook of the test", "a good number", "13");
        })));
    trainer.add(every(1, epoch).then(
        report(epoch, error, maximum_over_workers(error), mean_over_workers(norm(parameters("*"))))));
    const char* const folder = std::getenv("SIGMA_TEST_FILE");
    const std::string file = sentence(folder ? folder : "", data == WorkerData::dealt ? ".dealt" : ".whole");
    const bool resumes = what == "workers-resume";
    if (resumes) trainer.load(file);
    if (what == "workers-save")
        trainer.on_iteration([&](auto& t) {
            if (t.iteration() == 15) t.save(file);
        });
    if (what == "threads") trainer.run(workers(4, options), 3);
    else trainer.run(machines(workers(own, options)), resumes ? 2 : 3);
    say(data == WorkerData::dealt ? "dealt" : "whole", trainer, here.rank());
}

/// Searches a grid in all processes. Some trials fail; the best model comes from the process that found it.
void search_grid(const MachineSet& all) {
    SearchOptions options{
        .by = SearchBy::grid, .points = 4, .stop = SearchStop::halving, .machines = &all, .quiet = true};
    const std::string folder = std::getenv("SIGMA_TEST_FILE");
    options.file = folder + ".jsonl", options.best = folder + ".best";
    int calls = 0;
    const SearchResult found = search(options, [&](Trial& trial) {
        ++calls;
        const auto kind = trial.choice("kind", {"plain", "deep", "none"});
        const double rate = trial.real("rate", 0.01, 0.2, SearchScale::logarithmic);
        if (kind == 2) throw ArgumentError("trial", "a network", "none");
        const int width = kind == 1 ? trial.whole("width", 4, 7) : 8;
        const auto net = network(Input(4) + Dense(width, tanh) + Dense(3) + SoftmaxCE());
        Trainer trainer("trial", net, GradientDescent(rate), minibatches(points(200), 48, 5));
        trainer.run(cpu(1), 2);
        trial.keep(trainer.training_loss(), [&](const std::string& file) { trainer.save_parameters(file); });
        return trainer.training_loss();
    });
    std::printf("rank %d: %zu trials, the best %lld with %.9g\n", all.rank(), found.trials.size(),
                static_cast<long long>(found.best().number), found.best().loss);
    std::printf("calls %d\n", calls);
}

int run(const std::string& what, int who) {
    if (what == "grid") return search_grid(machines()), 0;
    if (what == "threads" || what.starts_with("worker")) {
        train_apart(what, WorkerData::dealt);
        train_apart(what, WorkerData::whole);
        return 0;
    }
    const bool absent = what == "absent";
    const char* const number = std::getenv("OMPI_COMM_WORLD_RANK");
    if ((what == "late" || what == "later") && number && std::atoi(number) == who)  // loads data, say
        std::this_thread::sleep_for(std::chrono::seconds(what == "late" ? 11 : 20));
    const MachineSet all = machines(cpu(1), {.patience = absent || what == "later" ? 3.0 : 60.0});
    const bool mine = all.rank() == who;
    if (what == "bits") {
        train<Plain>("descent", GradientDescent(0.1), all);
        train<Plain>("adam", Adam{.learning_rate = 0.01}, all);
        train<Normal>("normal", Adam{.learning_rate = 0.01}, all);
        return 0;
    }
    if (what == "save" || what == "resume") {  // from the middle of an epoch
        Trainer trainer("points", Plain{}, Adam{.learning_rate = 0.01}, minibatches(points(500), 48, 5));
        const std::string file = std::getenv("SIGMA_TEST_FILE");
        if (what == "resume") trainer.load(file);
        else
            trainer.on_iteration([&](auto& t) {  // in rank 0 alone
                if (t.iteration() == 15) t.save(file);
            });
        trainer.run(all, what == "resume" ? 2 : 3);
        say("resumed", trainer, all.rank());
        return 0;
    }
    if (what == "blocks" || what == "throw" || what == "busy") {  // of which a rank loads those that its records are in
        const auto blocks = std::make_shared<SeenBlocks>();
        if (what == "throw" && mine) blocks->failing = 55;
        if (what == "busy" && mine) blocks->sleeping = 11;
        const Dataset data(std::make_shared<data::ActiveBlocks>(blocks, "generated", data::BlockLimits{.blocks = 4}));
        Trainer trainer("blocks", Lazy{}, Adam{.learning_rate = 0.01}, minibatches_in_order(data, 64));
        blocks->seen.clear();
        trainer.run(all, 1);
        say("blocks", trainer, all.rank());
        std::printf("rank %d loaded %zu blocks\n", all.rank(), blocks->seen.size());
        return 0;
    }
    if (absent && mine) {
        std::this_thread::sleep_for(std::chrono::seconds(20));
        return 0;
    }
    if (what == "program" && mine) return train<Other>("other", GradientDescent(0.1), all), 0;
    Trainer trainer(
        "points", Plain{}, GradientDescent(what == "nan" ? 1e38 : 0.1),
        minibatches(points(what == "records" && mine ? 499 : 500, what == "values" && mine ? 1.0f : 0.0f), 48, 5));
    std::thread killer;
    if (what == "kill" && mine)
        killer = std::thread([] {
            std::this_thread::sleep_for(std::chrono::milliseconds(500));
            std::raise(SIGKILL);
        });
    trainer.on_iteration([&](auto& t) {
        if (what == "hook" && t.iteration() == 7) throw ArgumentError("hook of the test", "a good number", "13");
        if (what == "disk" && t.iteration() == 7) t.save("/dev/full/points.sigma");
    });
    if (what == "seed" && mine) trainer.model().set_seed(77);
    if (what == "rate" && mine) trainer.optimizer.learning_rate = 0.2;
    if (what == "order" && mine) trainer.set_data(minibatches(points(500), 48, 6));
    if (what == "unshuffled" && mine) trainer.set_data(minibatches_in_order(points(500), 48));
    if (what == "slow" && mine) std::this_thread::sleep_for(std::chrono::seconds(12));
    trainer.run(all, what == "kill" ? 1'000'000 : what == "epochs" && mine ? 4 : 3);
    say("trained", trainer, all.rank());
    if (killer.joinable()) killer.join();
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    try {
        return run(count > 1 ? arguments[1] : "bits", count > 2 ? std::atoi(arguments[2]) : -1);
    } catch (const std::exception& e) {
        std::printf("rank %s: error: %s\n",
                    std::getenv("OMPI_COMM_WORLD_RANK") ? std::getenv("OMPI_COMM_WORLD_RANK") : "0", e.what());
        std::fflush(stdout);
        return 1;
    }
}
