// SPDX-License-Identifier: BSL-1.0
#include <sigma/execution/inspect.hpp>
#include <sigma/execution/maximise.hpp>
#include <sigma/hook/score.hpp>
#include <sigma/layer/recurrent.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/transfer.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <set>
#include <support/point_trainer.hpp>
#include <support/scratch.hpp>
#include <thread>

using namespace sigma;
using namespace sigma::test;
using namespace std::chrono_literals;

namespace {

/// Starts threads and counts those that throw.
struct Threads {
    std::vector<std::thread> all;
    std::atomic<int> failures{0};
    std::mutex mutex;
    std::string first;

    template <class F>
    void start(F f) {
        all.emplace_back([this, f] {
            try {
                f();
            } catch (const std::exception& e) {
                ++failures;
                const std::lock_guard lock(mutex);
                if (first.empty()) first = e.what();
            }
        });
    }
    std::string failure() {
        for (std::thread& t : all) t.join();
        all.clear();
        return first;
    }
};

using Bits = std::vector<float>;

/// A network of such a size that a step of 64 records is split between threads.
struct Wide : Network<Input(40) + Dense(64, tanh) + Dense(3) + SoftmaxCE()> {};
struct Memory : Network<Input(4, 3) + LSTM(5, {.last = true, .stateful = true}) + Dense(2) + SquaredDiff()> {};

Numbers numbers(std::vector<std::size_t> shape, std::uint64_t seed) {
    std::size_t n = 1;
    for (const std::size_t e : shape) n *= e;
    Numbers x{std::move(shape), std::vector<float>(n)};
    Philox(seed, RandomUse::user, 0).fill_normal(std::span(x.values));
    return x;
}
Dataset wide_records() {
    Numbers classes{{128}, std::vector<float>(128)};
    for (std::size_t i = 0; i < 128; ++i) classes.values[i] = static_cast<float>(i % 3);
    return Dataset(numbers({128, 40}, 11), classes, "wide");
}
template <class M>
Bits predicted(const M& model, const Numbers& x) {
    const auto y = model.predict(ArrayView(x.values, x.shape));
    return Bits(y.begin(), y.end());
}
/// The results that threads have seen.
struct Seen {
    std::mutex mutex;
    std::set<Bits> all;
    void add(const Bits& one) {
        const std::lock_guard lock(mutex);
        all.insert(one);
    }
};

}  // namespace

TEST_CASE("Many threads predict with one model, bit by bit what one predicts") {
    const Model<Wide> model(3);
    const Numbers x = numbers({300, 40}, 5), few = numbers({7, 40}, 6);
    const std::vector<float> targets(300, 1);
    const Bits all = predicted(model, x), some = predicted(model, few);
    const auto score = model.evaluate(x.values.data(), targets.data(), 300);
    Inspection<Wide> inspection(model);
    const double mean_loss = inspection.run(x.values.data(), targets.data(), 300);
    const auto best = maximise(model, 1, {.steps = 5, .attempts = 1});
    std::atomic<int> wrong{0};
    Threads threads;
    for (int i = 0; i < 4; ++i)
        threads.start([&, i] {
            Inspection<Wide> own(model);
            for (int k = 0; k < 40; ++k) {
                wrong += predicted(model, (i + k) % 2 ? x : few) != ((i + k) % 2 ? all : some);
                wrong += model.evaluate(x.values.data(), targets.data(), 300).error != score.error;
                if (k % 10 != i) continue;
                const Model<Wide> copy(model);
                wrong += predicted(copy, x) != all;
                wrong += own.run(x.values.data(), targets.data(), 300) != mean_loss;
                wrong += maximise(model, 1, {.steps = 5, .attempts = 1}).input != best.input;
            }
        });
    CHECK(threads.failure() == "");
    CHECK(wrong == 0);
}

TEST_CASE("Who predicts while others assign, draw, load and transfer parameters sees all of them or none") {
    Model<Wide> model(1);
    const Model<Wide> other(2);
    const Numbers x = numbers({20, 40}, 5);
    const Bits first = predicted(model, x), second = predicted(other, x);
    REQUIRE(first != second);
    std::atomic<bool> enough{false};
    std::atomic<int> torn{0}, reads{0};
    Threads threads;
    for (int i = 0; i < 3; ++i)
        threads.start([&] {
            while (!enough) {
                const Bits now = predicted(model, x);
                torn += now != first && now != second;
                ++reads;
            }
        });
    for (int k = 0; k < 30 || reads < 30; ++k) {
        if (k % 3 == 0) model = other;
        if (k % 3 == 1) transfer(other, model);
        if (k % 3 == 2)
            model.write([&] { std::ranges::copy(other.parameter_memory(), model.parameter_memory().begin()); });
        model.reset(1);
        std::this_thread::yield();
    }
    enough = true;
    CHECK(threads.failure() == "");
    CHECK(torn == 0);
    CHECK_THROWS_WITH(model.read([&] { model.reset(); }),
                      "parameters of a model: expected a call of write outside of read, found a call of write within "
                      "read, on one thread");
    model.write([&] { model.reset(2); });
    CHECK(predicted(model, x) == second);
}

TEST_CASE("Who predicts while a run goes on sees the parameters of a step's end") {
    const int of_step = GENERATE(1, 2);
    Trainer trainer("wide", Wide{}, Adam{}, minibatches(wide_records(), 64));
    trainer.modify("*.weights", [](auto rows) {  // a second change, within the step
        for (std::size_t r = 0; r < rows.count; ++r)
            for (float& w : rows[r]) w *= 0.999F;
    });
    const Numbers x = numbers({5, 40}, 5);
    const Dataset records = wide_records();
    const auto& shared = trainer;
    Seen of_steps, of_threads;
    std::set<double> errors;
    const auto note = [&] {
        of_steps.add(predicted(trainer, x));
        errors.insert(trainer.evaluate(records).error);
    };
    note();
    trainer.on_iteration([&](auto&) { note(); });
    trainer.start(cpu({.threads = of_step}));
    while (trainer.iteration() == 0) std::this_thread::yield();
    std::vector<std::set<double>> scored(3);
    Threads threads;
    for (std::size_t i = 0; i < 3; ++i)
        threads.start([&, i] {
            for (int k = 0; k < 25; ++k) {
                of_threads.add(predicted(shared, x));
                if (k % 5 == 0) scored[i].insert(shared.evaluate(records).error);
                if (k % 5 == 1) of_threads.add(predicted(Model<Wide>(shared.model()), x));
            }
        });
    CHECK(threads.failure() == "");
    trainer.stop().wait();
    CHECK(of_threads.all.size() > 10);  // at most one of each step for each thread
    CHECK(std::ranges::includes(of_steps.all, of_threads.all));
    for (const auto& some : scored) CHECK(std::ranges::includes(errors, some));
}

TEST_CASE("What another thread saves while a run goes on is where a step has ended") {
    const Scratch folder;
    Trainer trainer("wide", Wide{}, Adam{}, minibatches(wide_records(), 8));
    trainer.on_iteration([](auto&) { std::this_thread::sleep_for(std::chrono::microseconds(100)); });
    trainer.start(cpu(), 60);
    std::uint64_t saved = 0;
    for (std::uint64_t last = 0; saved < 5; last = trainer.iteration()) {
        while (trainer.iteration() <= last + 20 && trainer.state() == RunState::running) std::this_thread::yield();
        if (trainer.state() != RunState::running) break;
        trainer.save(folder / sentence(saved++, ".sigma"));
    }
    trainer.wait();
    REQUIRE(saved > 1);
    const auto parameters = [](const auto& t) {
        std::vector<Bits> all;
        for (int i = 0; i < t.model().parameter_count; ++i)
            all.emplace_back(t.model().parameter(i).begin(), t.model().parameter(i).end());
        return all;
    };
    Trainer whole("wide", Wide{}, Adam{}, minibatches(wide_records(), 8));
    whole.run(cpu(), 60);
    CHECK(parameters(trainer) == parameters(whole));
    for (std::uint64_t i = 0; i < saved; ++i) {
        Trainer other("wide", Wide{}, Adam{}, minibatches(wide_records(), 8));
        other.load(folder / sentence(i, ".sigma"));
        CHECK(other.iteration() > 20 * i);
        other.run(cpu(), static_cast<std::int64_t>(60 - other.epoch()));
        CHECK(parameters(other) == parameters(whole));
    }
}

TEST_CASE("Another thread freezes, modifies and adds between two steps, and is told what only the run may read") {
    Trainer trainer("wide", Wide{}, Adam{}, minibatches(wide_records(), 8));
    int fired = 0;
    trainer.start(cpu());
    while (trainer.iteration() == 0) std::this_thread::yield();
    for (int k = 0; k < 20; ++k) {
        trainer.freeze("1-*");
        trainer.modify("2-*", clip(-1, 1));
        const int number = trainer.add(every(1, iteration).then([&] { ++fired; }));
        trainer.unmodify("2-*");
        trainer.unfreeze("1-*");
        trainer.remove(number);
    }
    CHECK_THROWS_WITH(trainer.gradients(),
                      "gradients of trainer 'wide': expected a paused or idle trainer, or a call on the "
                      "training thread, found a call on another thread during a run");
    CHECK_THROWS_AS(trainer.outputs(), StateError);
    CHECK_THROWS_AS(trainer.freeze("none"), ArgumentError);
    trainer.pause().wait();
    CHECK(trainer.outputs().size() > 1);
    trainer.stop().wait();
    CHECK(fired > 0);
    CHECK(std::isfinite(trainer.loss()));
}

TEST_CASE("A run waits for who reads, a paused one lets in, and who writes does it between two steps") {
    PointTrainer trainer;
    const Numbers x = numbers({2, 3}, 5);
    trainer.start(cpu());
    while (trainer.iteration() == 0) std::this_thread::yield();
    std::uint64_t before = 0, after = 1;
    trainer.model().read([&] {
        before = trainer.iteration();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        after = trainer.iteration();
    });
    CHECK(before == after);
    bool there = false;
    trainer.model().write([&] {
        there = trainer.control().on_training_thread();
        trainer.model().parameter<"2-dense.biases">().fill(3);
    });
    CHECK(there);
    CHECK_THROWS_AS(trainer.model().write([] { throw std::runtime_error("its own"); }), std::runtime_error);
    trainer.pause().wait();
    const Bits now = predicted(trainer, x);
    CHECK(predicted(trainer, x) == now);
    trainer.stop().wait();
    CHECK(predicted(trainer, x) == now);
    trainer.reset();
    CHECK(predicted(trainer, x) == predicted(Model<Points>(5), x));
}

TEST_CASE("What a network remembers changes for one prediction after the other") {
    Model<Memory> alone(4), shared(4);
    const Numbers x = numbers({1, 4, 3}, 5);
    std::multiset<Bits> expected;
    for (int k = 0; k < 60; ++k) expected.insert(predicted(alone, x));
    std::vector<std::vector<Bits>> found(3);
    Threads threads;
    for (auto& of_one : found)
        threads.start([&] {
            for (int k = 0; k < 20; ++k) of_one.push_back(predicted(shared, x));
        });
    CHECK(threads.failure() == "");
    std::multiset<Bits> all;
    for (const auto& of_one : found) all.insert(of_one.begin(), of_one.end());
    CHECK(all == expected);
}

TEST_CASE("Hooks of two runs predict with each other's networks, and hooks in the background with their own") {
    PointTrainer one, two;
    const Numbers x = numbers({2, 3}, 5);
    std::atomic<int> predictions{0};
    const auto look_at = [&](const PointTrainer& other) {
        return [&](auto&) {
            predicted(other, x);
            ++predictions;
        };
    };
    one.on_iteration(look_at(two));
    two.on_iteration(look_at(one));
    for (PointTrainer* trainer : {&one, &two})
        trainer->add(every(1, epoch)
                         .then([&, trainer] {
                             predicted(*trainer, x);
                             ++predictions;
                         })
                         .in_background());
    one.start(cpu(), 50);
    two.start(cpu(), 50);
    one.wait();
    two.wait();
    CHECK(predictions > 200);
}

TEST_CASE("A hook predicts with its own trainer while the trainer waits for it") {
    PointTrainer trainer;
    const Numbers x = numbers({2, 3}, 5);
    int predictions = 0, seen_in_front = -1;
    std::string printed;
    trainer.output = [&](std::string_view line) { printed += line; };
    const auto predict = [&] { predicted(trainer, x), ++predictions; };
    trainer.add(every(1, iteration).then(predict).in_background_if_slower(10s));
    trainer.add(at(1, iteration).then([&] { seen_in_front = predictions; }));
    trainer.run(cpu(1), 2);
    CHECK(seen_in_front == 0);  // background hooks come after all others of their moment
    CHECK(predictions == static_cast<int>(trainer.iteration()));
    CHECK(printed == "");
}

TEST_CASE("A learning rate set by another thread holds from one iteration on") {
    PointTrainer trainer;
    Registry r = trainer.registry();
    std::vector<double> rates;
    std::atomic<std::uint64_t> seen{0};
    trainer.on_iteration([&](auto& t) {
        rates.push_back(t.optimizer.learning_rate);
        seen = t.iteration();
    });
    trainer.start(cpu(1));
    while (seen < 10) std::this_thread::yield();
    r.set("optimizer.learning_rate", 0.5);
    CHECK(r.get<double>("optimizer.learning_rate") == 0.5);
    const std::uint64_t then = seen;
    while (seen < then + 3) std::this_thread::yield();
    trainer.stop();
    trainer.wait();
    const auto changed = std::ranges::find(rates, 0.5);
    CHECK(std::count(rates.begin(), changed, 0.125) == changed - rates.begin());
    CHECK(std::count(changed, rates.end(), 0.5) == rates.end() - changed);
    CHECK(static_cast<std::uint64_t>(changed - rates.begin()) <= then);
    CHECK(rates.size() >= then + 3);
}

TEST_CASE("Many read and set while a trainer trains, runs end and begin, and hooks come and go") {
    PointTrainer trainer;
    std::atomic<bool> enough{false};
    std::atomic<int> reads{0}, torn{0};
    trainer.add(every(1, epoch).then(score(points())));
    int extra = 0;
    trainer.on_epoch([&](auto& t) {
        if (t.epoch() % 2 == 1) extra = t.add(every(1, epoch).then(score<"test">(points())));
        else t.remove(extra);
    });
    trainer.start(cpu(1), 20);
    Threads threads;
    for (int i = 0; i < 2; ++i)
        threads.start([&] {
            const Registry r = trainer.registry();  // made by whoever is first
            while (!enough) {
                const Weights w = r.get<Weights>("network.layers.deep.weights");
                torn += w.size() != 15;
                for (const float x : w) torn += !std::isfinite(x);
                r.get_all<Weights>("network.layers.<dense>.*s");
                ++reads;
            }
        });
    threads.start([&] {
        const Registry r = trainer.registry();
        while (!enough) {
            torn += r.get<std::uint64_t>("batch") > 1;
            torn += r.get<double>("accuracy") > 1;  // stays although others go
            r.resolve("**.accuracy");
            r.text();
            ++reads;
        }
    });
    threads.start([&] {
        Registry r = trainer.registry();
        for (int i = 0; !enough; ++i) {
            r.set("optimizer.learning_rate", i % 2 ? 0.01 : 0.02);
            r.set("network.layers.2-dense.biases", Weights{0.25F, -0.25F});
            r.find<Weights>("network.layers.2-dense.gradients.biases").has_value();
            std::this_thread::yield();
        }
    });
    for (int run = 0; run < 4; ++run) {
        trainer.wait();
        while (reads < 20 * (run + 1)) std::this_thread::yield();
        trainer.start(cpu(1), 20);
    }
    enough = true;
    CHECK(threads.failure() == "");
    trainer.stop();
    trainer.wait();
    CHECK(torn == 0);
}

TEST_CASE("Reading waits for no trainer that pauses or has stopped") {
    PointTrainer trainer;
    const Registry r = trainer.registry();
    trainer.start(cpu(1));
    trainer.pause().wait();
    CHECK(r.get<std::string>("state") == "paused");
    const std::uint64_t steps = r.get<std::uint64_t>("iteration");
    CHECK(r.get<Weights>("network.layers.deep.weights").size() == 15);
    CHECK(r.get<std::uint64_t>("iteration") == steps);
    trainer.stop().wait();
    CHECK(r.get<Weights>("network.layers.deep.weights").size() == 15);
}

TEST_CASE("A trainer may end while others read it, and its registry is empty then") {
    for (int i = 0; i < 20; ++i) {
        auto trainer = std::make_unique<PointTrainer>();
        Registry r = trainer->registry();
        trainer->add(every(1, epoch).then(score(points())));
        std::atomic<int> reads{0};
        Threads threads;
        for (int k = 0; k < 2; ++k)
            threads.start([&] {
                while (r.contains("name")) {
                    r.find<Weights>("network.layers.deep.weights").has_value();
                    r.find<Weights>("network.layers.deep.outputs").has_value();
                    r.find<double>("accuracy");
                    r.text();
                    ++reads;
                }
            });
        if (i % 2) trainer->start(cpu(1));
        while (reads < 10) std::this_thread::yield();
        const Watch watch = r.watch("epoch", [](std::string_view) { throw std::runtime_error("of no importance"); });
        trainer.reset();
        CHECK(threads.failure() == "");
        CHECK(r.names().empty());
        CHECK_FALSE(r.find<double>("accuracy"));
        CHECK_THROWS_AS(r.get<double>("optimizer.learning_rate"), RegistryError);
    }
}

TEST_CASE("A hook in the background sets, but is told not to read what its trainer would have to wait for") {
    PointTrainer trainer;
    Registry r = trainer.registry();
    std::string told;
    double rate = 0;
    trainer.add(at(stop)
                    .then([&] {
                        rate = r.get<double>("accuracy");
                        r.set("optimizer.learning_rate", 0.25);
                        try {
                            r.get<Weights>("network.layers.deep.weights");
                        } catch (const StateError& e) { told = e.what(); }
                    })
                    .in_background());
    r.set("accuracy", 0.75);
    trainer.run(cpu(1), 1);
    CHECK(rate == 0.75);
    CHECK(trainer.optimizer.learning_rate == 0.25);
    CHECK(told ==
          "registry of trainer 'points': expected a value without waiting, in a background hook, found a value "
          "read between two iterations");
}
