// SPDX-License-Identifier: BSL-1.0
// Networks that are trained separately and merged equal those of explicit loops over several models.
#include <sigma/execution/batch_trainer.hpp>
#include <sigma/sigma.hpp>
#include <sigma/storage/safetensors.hpp>
#include <sigma/trainer/workers/worker_steps.hpp>
#include <sigma/trainer/workers/workers.hpp>

#include <catch2/catch.hpp>
#include <support/scratch.hpp>
#include <support/thrown.hpp>

#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

using namespace sigma;
using Catch::Matchers::Contains;

namespace {

constexpr auto plain_layers = Input(4) + Dense(6, tanh) + Dense(3) + SoftmaxCE();
struct Plain : Network<plain_layers> {};
struct Noisy
    : Network<Input(4) + Dense(6, tanh) + BatchNorm() + Dropout(0.3) + Dense(3) + SoftmaxCE({.smoothing = 0.1})> {};

Dataset points(std::size_t records = 42) {
    Numbers x{{records, 4}, std::vector<float>(4 * records)}, y{{records}, {}};
    Philox(1, RandomUse::user, 0).fill_normal(std::span(x.values));
    for (std::size_t i = 0; i < records; ++i) y.values.push_back(static_cast<float>(i * i % 7 % 3));
    return {std::move(x), std::move(y), "points"};
}
Minibatches batches(std::uint64_t seed = 5) {
    return minibatches(points(), 5, seed);
}  // nine an epoch, the last of two

std::vector<float> parameters_of(const auto& model) {
    std::vector<float> all;
    for (int i = 0; i < model.network().parameters.size(); ++i)
        for (const auto x : sigma::detail::dense_elements(parameter_rows(model, i)))
            all.push_back(static_cast<float>(x));
    return all;
}
std::vector<float> states_of(auto& step) {
    std::vector<float> all;
    for (int i = 0; i < step.state_table().size(); ++i)
        for (const float x : sigma::detail::dense_elements(step.state_rows(i))) all.push_back(x);
    return all;
}

/// Trains with explicit models and BatchTrainers. Batches are dealt out, or each has all of them in its own order.
template <class O>
std::vector<float> by_hand(std::size_t count, std::uint64_t epochs, const WorkerOptions& options, O optimizer) {
    std::vector<std::unique_ptr<Model<Plain>>> models;
    std::vector<std::unique_ptr<BatchTrainer<Plain, O, float>>> trainers;
    for (std::size_t i = 0; i < count; ++i) {
        models.push_back(std::make_unique<Model<Plain>>());
        trainers.push_back(std::make_unique<BatchTrainer<Plain, O, float>>(*models[i], optimizer));
    }
    const auto merge_all = [&] {
        for (int p = 0; p < models[0]->network().parameters.size(); ++p) {
            const auto rows = parameter_rows(*models[0], p);
            for (std::size_t r = 0; r < rows.count; ++r)
                for (std::size_t k = 0; k < rows.columns; ++k) {
                    float all = rows[r][k];
                    for (std::size_t i = 1; i < count; ++i) all += parameter_rows(*models[i], p)[r][k];
                    all *= static_cast<float>(1.0 / static_cast<double>(count));
                    for (std::size_t i = 0; i < count; ++i) parameter_rows(*models[i], p)[r][k] = all;
                }
        }
    };
    std::int64_t since = 0;
    for (std::uint64_t epoch = 0; epoch < epochs; ++epoch) {
        if (options.data == WorkerData::dealt) {
            std::size_t number = 0;
            for (const Batch& batch : epoch_of(batches(), epoch)) {
                trainers[number++ % count]->train_on_batch(batch);
                if (options.merge_every > 0 && ++since == options.merge_every * static_cast<std::int64_t>(count))
                    merge_all(), since = 0;
            }
        } else {
            for (std::size_t i = 0; i < count; ++i)
                for (const Batch& batch : epoch_of(batches(sigma::detail::WorkerSteps<float>::seed_of(5, i)), epoch))
                    trainers[i]->train_on_batch(batch);
        }
        merge_all(), since = 0;
    }
    return parameters_of(*models[0]);
}
template <class O>
std::vector<float> by_workers(int count, std::uint64_t epochs, const WorkerOptions& options, O optimizer) {
    Trainer trainer("plain", Plain{}, optimizer, batches());
    trainer.run(workers(count, options), static_cast<std::int64_t>(epochs));
    return parameters_of(trainer.model());
}
void check_near(const std::vector<float>& a, const std::vector<float>& b) {
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == Approx(b[i]).margin(2e-6));
}

}  // namespace

TEST_CASE("workers: one is the trainer itself, bit by bit") {
    const auto trained = [](auto net, auto where) {
        Trainer trainer("one", net, Adam{.learning_rate = 0.01}, batches());
        std::vector<float> all;
        trainer.on_iteration([&](auto& t) { all.push_back(static_cast<float>(t.loss())); });
        trainer.on_epoch([&](auto& t) {
            all.push_back(static_cast<float>(t.training_loss()));
            all.push_back(static_cast<float>(t.evaluate(points()).error));
        });
        trainer.run(where, 3);
        for (const float x : parameters_of(trainer.model())) all.push_back(x);
        for (const float x : states_of(trainer.training_step())) all.push_back(x);
        return all;
    };
    CHECK(trained(Noisy{}, workers(1)) == trained(Noisy{}, cpu()));
    CHECK(trained(network(plain_layers), workers(1)) == trained(network(plain_layers), cpu()));
}

TEST_CASE("workers: one without hooks is the thread of the run, and several are handed steps ahead") {
    Trainer trainer("one", Plain{}, Adam{}, batches());
    std::set<std::thread::id> seen;
    trainer.modify("1-dense.biases", [&](auto) { seen.insert(std::this_thread::get_id()); });
    trainer.run(workers(1), 1);
    CHECK(seen == std::set{std::this_thread::get_id()});
    trainer.on_iteration([](auto& t) {
        t.visit_workers([](const WorkerStatus& status) {
            CHECK(status.trains);
            CHECK(status.steps_per_second > 0);
        });
    });
    trainer.run(workers(1), 1);

    Trainer many("many", Plain{}, Adam{}, minibatches(points(6000), 2));
    std::uint64_t most = 0, last = 0;
    many.on_iteration([&](auto& t) {
        if (t.iteration() % 64 != 0) return;
        std::uint64_t taken = 0;
        t.visit_workers([&](const WorkerStatus& one) { taken += one.steps; });
        most = std::max(most, t.iteration() - taken);
    });
    many.on_epoch([&](auto& t) {
        last = 0;
        t.visit_workers([&](const WorkerStatus& one) { last += one.steps; });
    });
    many.run(workers(2), 2);
    CHECK(most > 2);  // one at a time would be as many as workers
    CHECK(most <= 512);
    CHECK(last == 6000);
}

TEST_CASE("workers: batches are dealt out and networks averaged, as by hand") {
    for (const std::size_t count : {2u, 3u, 4u, 10u})  // ten are more than there are batches
        for (const std::int64_t every : {0, 1, 2}) {
            const WorkerOptions options{.merge_every = every};
            const int n = static_cast<int>(count);
            check_near(by_workers(n, 3, options, GradientDescent{.learning_rate = 0.1}),
                       by_hand(count, 3, options, GradientDescent{.learning_rate = 0.1}));
        }
    // Once they are merged at the end alone, states are each worker's own: Adam counts the updates of each.
    check_near(by_workers(2, 1, {}, Adam{.learning_rate = 0.05}), by_hand(2, 1, {}, Adam{.learning_rate = 0.05}));
    const WorkerOptions kept{.merge_states = false};
    const WorkerOptions whole{.data = WorkerData::whole};
    check_near(by_workers(3, 2, whole, GradientDescent{.learning_rate = 0.1}),
               by_hand(3, 2, whole, GradientDescent{.learning_rate = 0.1}));
    CHECK(by_workers(3, 2, kept, Adam{}) != by_workers(3, 2, {}, Adam{}));
    // The same again, whoever was faster.
    CHECK(by_workers(4, 3, {.merge_every = 1}, Adam{}) == by_workers(4, 3, {.merge_every = 1}, Adam{}));
}

TEST_CASE("workers: what is read meanwhile is what they would be merged to, and changes nothing") {
    const auto trained = [](bool reads) {
        Trainer trainer("noisy", Noisy{}, Adam{}, batches());
        if (reads) {
            trainer.add(every(2, iteration).then(score(points())));
            trainer.on_iteration([](auto& t) {
                const Model<Noisy> copy(t.model());
                CHECK(copy.evaluate(points()).error == t.evaluate(points()).error);
                CHECK(t.model().predict(Array<float>{{1, 2, 3, 4}})(0, 1) ==
                      copy.predict(Array<float>{{1, 2, 3, 4}})(0, 1));
            });
        }
        trainer.run(workers(3), 2);
        return parameters_of(trainer.model());
    };
    CHECK(trained(true) == trained(false));
}

TEST_CASE("workers: mergers are expressions, by pattern") {
    // One step of each worker from one network, merged in different ways.
    const auto after = [](std::vector<Merger> mergers) {
        Trainer trainer("plain", Plain{}, GradientDescent{.learning_rate = 0.5}, minibatches(points(10), 5));
        trainer.run(workers(2, {.merge_every = 1, .mergers = std::move(mergers)}), 1);
        return parameters_of(trainer.model());
    };
    const auto average = after({}), added = after({merge("*", MergeBy::sum)}),
               most = after({merge("*", MergeBy::maximum)}), least = after({merge("*", MergeBy::minimum)}),
               first = after({merge("*", std::vector<double>{1, 0})}),
               weighed = after({merge("*", std::vector<double>{3, 1})}),
               own = after({merge("*", [](std::span<const Tensor> x) { return x[0] * 2.0 - x[1]; })}),
               biases = after({merge("*.biases", MergeBy::maximum)}),
               later = after({merge("*", MergeBy::sum), merge("1-*", MergeBy::minimum)});
    bool differs = false;
    for (std::size_t i = 0; i < average.size(); ++i) {
        CHECK(added[i] == Approx(2 * average[i]).margin(1e-6));
        CHECK(most[i] + least[i] == Approx(added[i]).margin(1e-6));
        CHECK((first[i] == most[i] || first[i] == least[i]));
        const float second = added[i] - first[i];
        CHECK(weighed[i] == Approx(0.75f * first[i] + 0.25f * second).margin(1e-6));
        CHECK(own[i] == Approx(2 * first[i] - second).margin(1e-6));
        const bool is_bias = (i >= 24 && i < 30) || i >= 48, is_first = i < 30;
        CHECK(biases[i] == (is_bias ? most[i] : average[i]));
        CHECK(later[i] == (is_first ? least[i] : added[i]));
        differs = differs || most[i] != least[i];
    }
    CHECK(differs);
    CHECK_THROWS_WITH(after({merge("7-*", MergeBy::sum)}), Contains("'7-*'"));
    CHECK_THROWS_WITH(after({merge("*", std::vector<double>{1, 2, 3})}), Contains("2 weights"));
    CHECK_THROWS_WITH(after({merge("*", [](std::span<const Tensor> x) { return sum(x[0]); })}), Contains("shape"));
    CHECK_THROWS_AS(merge("*", std::vector<double>{0, 0}), ArgumentError);
    CHECK_THROWS_AS(merge("*", std::vector<double>{1, -1}), ArgumentError);
    CHECK_THROWS_AS(workers(0), ArgumentError);
    CHECK_THROWS_AS(workers(2, {.merge_every = -1}), ArgumentError);
    CHECK_THROWS_AS(workers(std::vector<Device>{}), ArgumentError);
}

TEST_CASE("workers: what is frozen stays, and modifiers act in each") {
    Trainer trainer("plain", Plain{}, GradientDescent{.learning_rate = 1}, batches());
    trainer.modify("2-*", clip(-0.05, 0.05));
    trainer.freeze("1-dense.weights");
    const Array<float> before(trainer.model().parameter("1-dense.weights"));
    trainer.on_epoch([&](auto& t) {
        if (t.epoch() <= 2) CHECK(Array<float>(t.model().parameter("1-dense.weights")) == before);
        for (const float x : sigma::detail::dense_elements(parameter_rows(t.model(), 2))) CHECK(std::abs(x) <= 0.05f);
        if (t.epoch() == 2) t.unfreeze("1-*");
    });
    trainer.run(workers(3), 2);
    trainer.run(workers(3), 1);
    CHECK_FALSE(Array<float>(trainer.model().parameter("1-dense.weights")) == before);
}

TEST_CASE("workers: a checkpoint is a merge, and whoever goes on from it goes on the same") {
    const Scratch folder;
    for (const WorkerData data : {WorkerData::dealt, WorkerData::whole}) {
        const WorkerSet three = workers(3, {.data = data});
        Trainer whole("noisy", Noisy{}, Adam{}, batches());
        whole.on_iteration([&](auto& t) {
            if (t.iteration() == 13) t.save(folder / "half.sigma");  // within the second epoch
        });
        whole.run(three, 3);
        Trainer half("noisy", Noisy{}, Adam{}, batches());
        half.load(folder / "half.sigma");
        CHECK(half.batch() == 3);  // the fourth
        half.run(three, 2);
        CHECK(parameters_of(half.model()) == parameters_of(whole.model()));
    }
}

TEST_CASE("workers: states that are kept apart are in checkpoints, for as many") {
    const Scratch folder;
    const auto noisy = [] { return std::make_unique<Trainer<Noisy, Adam>>("noisy", Noisy{}, Adam{}, batches()); };
    for (const WorkerData data : {WorkerData::dealt, WorkerData::whole}) {
        const WorkerOptions apart{.merge_every = 2, .data = data, .merge_states = false};
        const WorkerSet three = workers(3, apart);
        const auto whole = noisy();
        whole->on_iteration([&](auto& t) {
            if (t.iteration() == 13) t.save(folder / "half.sigma");
        });
        whole->run(three, 3);
        whole->save(folder / "end.sigma");
        whole->run(three, 1);
        const auto end = parameters_of(whole->model());
        const auto states = states_of(whole->training_step());
        const auto goes_on = [&](const char* from, const WorkerSet& where, std::int64_t epochs) {
            const auto half = noisy();
            half->load(folder / from);
            half->save(folder / "again.sigma");  // before anybody has trained
            half->load(folder / "again.sigma");
            half->run(where, epochs);
            return std::pair(parameters_of(half->model()), states_of(half->training_step()));
        };
        // The workers that were, and those of a run before in the same program, are the same.
        CHECK(goes_on("half.sigma", three, 3) == std::pair(end, states));
        CHECK(goes_on("end.sigma", three, 1) == std::pair(end, states));
        CHECK(
            SafetensorsFile::open(folder / "half.sigma").find("workers.3.optimizer.mean.1-dense.weights").has_value());
        // Others have the averages.
        CHECK(goes_on("half.sigma", workers(2, apart), 1).first != end);
        CHECK(goes_on("half.sigma", workers(3, {.merge_every = 2, .data = data}), 3).first != end);
        CHECK_NOTHROW(goes_on("half.sigma", workers(1), 1));
        // They are over once somebody else has trained.
        const auto other = noisy();
        other->load(folder / "half.sigma");
        other->run(cpu(), 1);
        other->save(folder / "one.sigma");
        CHECK_FALSE(SafetensorsFile::open(folder / "one.sigma").metadata("workers").has_value());
        // Within a run.
        const auto within = noisy();
        within->run(three, 2);
        bool loaded = false;
        within->on_iteration([&](auto& t) {
            if (t.iteration() != 20 || loaded) return;
            loaded = true;
            t.post([&] { t.load(folder / "half.sigma"); });
        });
        within->run(three, 2);
        CHECK(within->epoch() == 4);
        CHECK(std::pair(parameters_of(within->model()), states_of(within->training_step())) == std::pair(end, states));
    }
    const WorkerSet merged = workers(3);
    const auto plain = noisy();
    plain->run(merged, 1);
    plain->save(folder / "plain.sigma");
    CHECK_FALSE(SafetensorsFile::open(folder / "plain.sigma").metadata("workers").has_value());
}

TEST_CASE("workers: commands act on all") {
    Trainer trainer("noisy", Noisy{}, Adam{}, batches());
    trainer.on_iteration([](auto& t) {
        if (t.iteration() == 5) t.stop();
        if (t.iteration() == 7) t.model().set_hyperparameter("*.rate", 0.6);
    });
    trainer.run(workers(2), 3);
    CHECK(trainer.iteration() == 5);
    CHECK(trainer.device_text() == "2 workers: cpu, cpu");
    trainer.run(workers({cpu(1), cpu({.threads = 2})}), 1);
    CHECK(trainer.iteration() == 9);
    CHECK(trainer.model().hyperparameter("3-dropout.rate") == 0.6);
    CHECK(trainer.device_text() == "2 workers: cpu, cpu, 2 threads");
    // Parameters that a hook writes are those of all workers.
    Trainer written("plain", Plain{}, GradientDescent{.learning_rate = 0}, batches());
    written.on_iteration([](auto& t) {
        if (t.iteration() == 3) t.model().parameter("2-dense.biases").fill(0.25f);
    });
    written.run(workers(4), 1);
    CHECK(written.model().parameter("2-dense.biases")(1) == 0.25f);
    written.rewind();
    CHECK(written.model().parameter("2-dense.biases")(1) == 0);
}

TEST_CASE("workers: a run that fails ends with the reason, and another goes on") {
    Trainer trainer("plain", Plain{}, GradientDescent{.learning_rate = 0.1}, batches());
    trainer.run(workers(3), 1);
    const auto before = parameters_of(trainer.model());
    trainer.model().parameter("1-dense.biases")(0) = std::numeric_limits<float>::quiet_NaN();
    const auto failed = thrown<NumericError>([&] { trainer.run(workers(3), 1); });
    CHECK(failed.iteration == 10);
    CHECK(trainer.iteration() == 9);
    trainer.model().parameter("1-dense.biases")(0) = 0;
    CHECK(trainer.run(workers(3), 1).epochs.size() == 1);
    CHECK(std::isfinite(trainer.loss()));

    trainer.modify("2-*", [](auto) { throw std::runtime_error("a modifier"); });
    CHECK_THROWS_WITH(trainer.run(workers(3), 1), "a modifier");
    trainer.unmodify("2-*");
    CHECK_NOTHROW(trainer.run(workers(2), 1));
    CHECK(parameters_of(trainer.model()) != before);

    // States that are kept apart are those before the step that failed, too.
    const WorkerSet apart = workers(3, {.merge_states = false});
    Trainer kept("plain", Plain{}, Adam{}, batches());
    kept.run(apart, 1);
    kept.model().parameter("1-dense.biases")(0) = std::numeric_limits<float>::quiet_NaN();
    CHECK_THROWS_AS(kept.run(apart, 1), NumericError);
    kept.model().parameter("1-dense.biases")(0) = 0;
    CHECK_NOTHROW(kept.run(apart, 2));
}

TEST_CASE("workers: how each is doing can be seen, and nobody waits") {
    Trainer trainer("plain", Plain{}, Adam{}, batches());
    std::vector<WorkerStatus> last;
    trainer.on_iteration([&](auto& t) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));  // in which the workers wait
        last.clear();
        t.visit_workers([&](const WorkerStatus& one) { last.push_back(one); });
    });
    trainer.run(workers({cpu(1), cpu({.threads = 2})}), 4);
    REQUIRE(last.size() == 2);
    CHECK(last[0].device == "cpu");
    CHECK(last[1].device == "cpu, 2 threads");
    // Of 36 steps the last one of each worker may not be counted yet.
    CHECK(last[0].steps + last[1].steps >= 34);
    CHECK(last[0].steps <= 20);
    for (const WorkerStatus& one : last) {
        CHECK(one.loss > 0);
        CHECK(one.steps_per_second > 0);
        CHECK(one.steps_per_second < 1000);
        CHECK(one.waiting > 0.3);
        CHECK(one.waiting < 1);
    }
    trainer.run(cpu(), 1);
    CHECK(last.empty());
}

TEST_CASE("workers: a run beside the program") {
    Trainer trainer("plain", Plain{}, Adam{}, batches());
    trainer.start(workers(2), 200);
    double most = 0;
    for (int i = 0; i < 50; ++i) {
        const Model<Plain> now(trainer.model());
        most = std::max(most, std::abs(static_cast<double>(now.parameter("1-dense.weights")(0, 0))));
    }
    while (trainer.iteration() < 3) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    trainer.stop().wait();
    CHECK(most > 0);
    CHECK(trainer.iteration() > 0);
}
