// SPDX-License-Identifier: BSL-1.0
// The states of the optimizer and the updates of parameters in a trainer's registry, compared with the formulas.
#include <sigma/hook/report.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/sigma.hpp>
#include <sigma/trainer/machines/machines.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <support/point_trainer.hpp>
#include <support/thread_group.hpp>

using namespace sigma;
using namespace sigma::test;

namespace {

const Names trained{"deep.weights", "deep.biases", "2-dense.weights", "2-dense.biases"};

std::string state_of(const std::string& parameter, const char* state) {
    return sentence("optimizer.state.", parameter, ".", state);
}
/// "network.layers.deep.updates.weights" for "deep.weights".
std::string name_of(const std::string& parameter, const char* kind) {
    const std::size_t dot = parameter.find('.');
    return sentence("network.layers.", parameter.substr(0, dot), ".", kind, parameter.substr(dot));
}
template <class A, class B, class F>
bool all_near(const A& found, const B& like, F wanted, double tolerance) {
    bool near = found.size() == like.size();
    for (std::size_t i = 0; near && i < found.size(); ++i) near = std::abs(found.data()[i] - wanted(i)) <= tolerance;
    return near;
}
/// All records are one batch, so that the gradients now are those of the next step.
template <class O>
auto whole_batch(O optimizer) {
    return Trainer<Points, O, double>("points", {}, optimizer, minibatches(points(), 8, 9), element<double>, 5);
}
/// Takes a step whose gradients are those of the present parameters.
void step(auto& trainer) { trainer.run(cpu(1), 1); }

}  // namespace

TEST_CASE("The registry has the moments of Adam and the updates, as the formulas give them") {
    const Adam adam{.learning_rate = 0.01};
    auto trainer = whole_batch(adam);
    Registry r = trainer.registry();
    r.set("network.keep_updates", true);
    step(trainer);  // so that there are gradients
    for (int t = 2; t <= 4; ++t) {
        struct Of {
            Array<double> m, v, g, w;
        };
        std::vector<Of> before;
        for (const std::string& p : trained)
            before.push_back({r.get<Array<double>>(state_of(p, "mean")), r.get<Array<double>>(state_of(p, "squares")),
                              r.get<Array<double>>(name_of(p, "gradients")),
                              r.get<Array<double>>("network.layers." + p)});
        step(trainer);
        for (std::size_t i = 0; i < trained.size(); ++i) {
            const auto& [m, v, g, w] = before[i];
            const auto at = [](const Array<double>& x, std::size_t k) { return x.data()[k]; };
            const auto next_m = [&](std::size_t k) { return 0.9 * at(m, k) + 0.1 * at(g, k); };
            const auto next_v = [&](std::size_t k) { return 0.999 * at(v, k) + 0.001 * at(g, k) * at(g, k); };
            const auto change = [&](std::size_t k) {
                const double m_hat = next_m(k) / (1 - std::pow(0.9, t)), v_hat = next_v(k) / (1 - std::pow(0.999, t));
                return -0.01 * m_hat / (std::sqrt(v_hat) + 1e-8);
            };
            CHECK(all_near(r.get<Array<double>>(state_of(trained[i], "mean")), m, next_m, 1e-15));
            CHECK(all_near(r.get<Array<double>>(state_of(trained[i], "squares")), v, next_v, 1e-15));
            const auto update = r.get<Array<double>>(name_of(trained[i], "updates"));
            CHECK(update.shape() == w.shape());
            CHECK(all_near(update, w, change, 1e-9));
            const auto now = r.get<Array<double>>("network.layers." + trained[i]);
            CHECK(all_near(update, w, [&](std::size_t k) { return at(now, k) - at(w, k); }, 0));
        }
    }
    CHECK(r.resolve("**.updates.**").size() == 4);
    CHECK(r.resolve("optimizer.state.**.mean").size() == 4);
}

TEST_CASE("The registry has the velocity of momentum, as the formula gives it") {
    auto trainer = whole_batch(Momentum{.learning_rate = 0.1, .momentum = 0.5});
    const Registry& r = trainer.registry();
    step(trainer);
    const auto v = r.get<Array<double>>(state_of("deep.weights", "velocity"));
    const auto g = r.get<Array<double>>(name_of("deep.weights", "gradients"));
    const auto w = r.get<Array<double>>("network.layers.deep.weights");
    step(trainer);
    const auto next = r.get<Array<double>>(state_of("deep.weights", "velocity"));
    const auto moved = r.get<Array<double>>("network.layers.deep.weights");
    CHECK(all_near(next, v, [&](std::size_t k) { return 0.5 * v.data()[k] - 0.1 * g.data()[k]; }, 1e-15));
    CHECK(all_near(moved, w, [&](std::size_t k) { return w.data()[k] + next.data()[k]; }, 1e-15));
}

TEST_CASE("An optimizer without states has none in the registry") {
    auto trainer = whole_batch(GradientDescent{});
    CHECK(trainer.registry().resolve("optimizer.state.**").empty());
}

TEST_CASE("Updates are kept from the setting on, or by a hook that reads them") {
    PointTrainer trainer;
    Registry r = trainer.registry();
    const char* const name = "network.layers.deep.updates.weights";
    CHECK_FALSE(r.get<bool>("network.keep_updates"));
    trainer.run(cpu(1), 1);
    CHECK_FALSE(r.find<Weights>(name).has_value());
    r.set("network.keep_updates", true);
    CHECK_FALSE(r.find<Weights>(name).has_value());
    trainer.run(cpu(1), 1);
    CHECK(r.find<Weights>(name).has_value());
    r.set("network.keep_updates", false);
    trainer.run(cpu(1), 1);
    CHECK_FALSE(r.find<Weights>(name).has_value());
    trainer.add(every(1, iteration).then(use(norm(updates("deep.weights")), [&](double length) {
        double sum = 0;
        for (const float x : r.get<Weights>(name)) sum += double{x} * double{x};
        CHECK(std::sqrt(sum) == Approx(length));
    })));
    trainer.run(cpu(1), 1);
}

TEST_CASE("A state of the optimizer is set whole, or not at all") {
    PointTrainer trainer;
    Registry r = trainer.registry();
    trainer.run(cpu(1), 1);
    CHECK_THROWS_WITH(r.set("optimizer.state.deep.weights.mean", Weights::from_shape({5, 3})),
                      "state 'mean.deep.weights': expected shape (3, 5), found shape (5, 3)");
    CHECK(r.get<Weights>("optimizer.state.deep.weights.mean") != Weights::from_shape({3, 5}));
    CHECK(r.set_all("optimizer.state.deep.weights.*", Weights::from_shape({3, 5})).size() == 2);
    CHECK(r.get<Weights>("optimizer.state.deep.weights.mean") == Weights::from_shape({3, 5}));
    CHECK(trainer.training_step().state(0) == Weights::from_shape({3, 5}));
}

TEST_CASE("Watches are told of the trainer's values at the times of announce") {
    PointTrainer trainer;
    const Registry& r = trainer.registry();
    Names told;
    std::vector<float> first;
    const Watch watch = r.watch("optimizer.state.**", [&](std::string_view name) {
        told.emplace_back(name);
        first.push_back(r.get<Weights>(name).data()[0]);
    });
    trainer.run(cpu(1), 1);
    CHECK(told.empty());
    trainer.add(every(1, epoch).then(announce("optimizer.state.**.mean", "optimizer.state.deep.biases.squares")));
    trainer.run(cpu(1), 2);
    CHECK(told.size() == 10);
    CHECK(told[4] == "optimizer.state.deep.biases.squares");
    CHECK(first[5] == trainer.training_step().state(0).data()[0]);
    CHECK(first[0] != first[5]);
    trainer.add(every(1, epoch).then(announce("nothing.*")));
    CHECK_THROWS_WITH(trainer.run(cpu(1), 1),
                      Catch::Contains("announce: expected a pattern that matches a name, found 'nothing.*'"));
}

TEST_CASE("The documentation's program of states and updates runs") {
    struct Line : Network<Input(3) + Dense(2) + SoftmaxCE()> {};
    Trainer trainer("points", Line{}, Adam{}, minibatches(points(), 4, 9));
    const auto norm = [](const Array<float>& x) {
        double sum = 0;
        for (const float each : x) sum += double{each} * double{each};
        return std::sqrt(sum);
    };
    double largest = 0;
    // [states]
    Registry r = trainer.registry();
    r.set("network.keep_updates", true);  // before the steps
    const Watch watch = r.watch("optimizer.state.**", [&](std::string_view name) {
        largest = std::max(largest, norm(r.get<Array<float>>(name)));
    });
    trainer.add(every(100, iteration).then(announce("optimizer.state.**.mean")));
    trainer.run(cpu(), 100);
    r.get<Array<float>>("optimizer.state.1-dense.weights.squares");  // v of Adam
    r.get_all<Array<float>>("**.updates.**");                        // what the last step added
    // [states]
    CHECK(largest > 0);
    CHECK(r.get_all<Array<float>>("**.updates.**").size() == 2);
}

namespace {

struct Read {
    std::vector<float> numbers;
    friend bool operator==(const Read&, const Read&) = default;
};
/// Trains in workers. `reads` says whether the registry is read after each iteration.
template <class Where>
Read read_in(const Where& where, bool reads) {
    PointTrainer trainer;
    Registry r = trainer.registry();
    r.set("network.keep_updates", true);
    Read all;
    const auto read = [&](const char* pattern) {
        for (const auto& [name, x] : r.get_all<Weights>(pattern))
            all.numbers.insert(all.numbers.end(), x.data(), x.data() + x.size());
    };
    if (reads)
        trainer.on_iteration([&](auto&) {
            for (const char* pattern : {"network.layers.*.weights", "optimizer.state.**", "**.updates.**"})
                read(pattern);
        });
    trainer.run(where, 3);
    read("network.layers.*.weights");
    read("optimizer.state.**");
    return all;
}

}  // namespace

TEST_CASE("Workers: states and updates are those of the merged network, and reading changes nothing") {
    // Two workers take a step each with the initial parameters, so that the mean of their moments is known.
    PointTrainer trainer;
    auto still = whole_batch(GradientDescent{.learning_rate = 0});
    step(still);
    Registry r = trainer.registry();
    r.set("network.keep_updates", true);
    int compared = 0;
    trainer.on_iteration([&](auto& t) {
        if (t.iteration() != 2) return;
        for (const std::string& p : trained) {
            const auto g = still.registry().template get<Array<double>>(name_of(p, "gradients"));
            const auto m = r.get<Weights>(state_of(p, "mean"));
            compared += all_near(m, g, [&](std::size_t k) { return 0.1 * g.data()[k]; }, 1e-7);
        }
    });
    trainer.run(workers(2), 1);
    CHECK(compared == 4);

    const Read seen = read_in(workers(2), true), unseen = read_in(workers(2), false);
    REQUIRE(seen.numbers.size() > unseen.numbers.size());
    CHECK(std::ranges::equal(std::span(seen.numbers).last(unseen.numbers.size()), unseen.numbers));
}

TEST_CASE("Processes: the registry of rank 0 has what it has over threads") {
    support::ThreadGroup group(2);
    std::vector<Read> all(2);
    const auto thrown = group.run([&](int rank) {
        all[static_cast<std::size_t>(rank)] =
            read_in(MachineSet{group.member(rank),
                               cpu(1),
                               {.patience = 60},
                               sigma::detail::SharedOwner<const WorkerSet>::make(workers(1))},
                    true);
    });
    CHECK(thrown == std::vector<std::string>(2));
    CHECK(all[0] == read_in(workers(2), true));
    // The other process has the result of the run.
    CHECK(all[1] == read_in(workers(2), false));
}
