// SPDX-License-Identifier: BSL-1.0
#include <sigma/optimizer/average.hpp>
#include <sigma/optimizer/group.hpp>
#include <sigma/sigma.hpp>
#include <sigma/trainer/averages.hpp>

#include <catch2/catch.hpp>
#include <support/scratch.hpp>
#include <support/thrown.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace sigma;

namespace {

struct Net : Network<Input(3) + Dense(5, tanh) + BatchNorm() + Dense(2) + SoftmaxCE()> {};

Dataset points() {
    Numbers x{{22, 3}, {}}, y{{22}, {}};
    for (std::size_t i = 0; i < 66; ++i) x.values.push_back(static_cast<float>((i * 37 + 11) % 101) / 50 - 1);
    for (std::size_t i = 0; i < 22; ++i) y.values.push_back(x.values[3 * i] > x.values[3 * i + 1] ? 1.0f : 0.0f);
    return Dataset(x, y, "points");
}
using Values = std::vector<std::vector<double>>;
template <class M>
Values values_of(M&& model) {
    Values all;
    for (int p = 0; p < model.parameter_count; ++p) {
        const auto view = model.parameter(p);
        all.emplace_back(view.begin(), view.end());
    }
    return all;
}
bool trained(int p) { return detail::network_table<Net>.parameters[p].trained; }

/// Checks that the averages after each of 40 steps equal `average(t, a, all values so far)`.
void check_averages(auto optimizer, auto average) {
    Trainer trainer("points", Net{}, optimizer, minibatches(points(), 5, 9), element<double>, 3);
    std::vector<Values> all;
    trainer.on_iteration([&](auto& t) {
        all.push_back(values_of(t.model()));
        const Values found = values_of(averaged_model(t));
        for (int p = 0; p < t.model().parameter_count; ++p) {
            const auto at = static_cast<std::size_t>(p);
            for (std::size_t i = 0; i < found[at].size(); ++i) {
                std::vector<double> w;
                for (const Values& v : all) w.push_back(v[at][i]);
                const double wanted = trained(p) ? average(w) : w.back();
                INFO("step " << all.size() << ", parameter " << p << ", element " << i);
                if (!(std::abs(found[at][i] - wanted) <= 1e-12)) CHECK(found[at][i] == wanted);
            }
        }
    });
    trainer.run(cpu(), 8);
    CHECK(all.size() == 40);
}

/// Checks that a run that is saved within an epoch and resumed in another trainer is bit-identical to a run without a
/// stop.
void check_resume(auto optimizer) {
    const Scratch folder;
    const std::string file = (folder.path / "averages.sigma").string();
    const auto batches = minibatches(points(), 5, 9);
    Trainer whole("points", Net{}, optimizer, batches);
    whole.on_iteration([&](auto& t) {
        if (t.iteration() == 13) t.save(file);
    });
    whole.run(cpu(), 8);
    Trainer resumed("points", Net{}, optimizer, batches);
    resumed.load(file);
    resumed.run(cpu(), 8 - static_cast<std::int64_t>(resumed.epoch()));
    CHECK(resumed.iteration() == whole.iteration());
    CHECK(values_of(averaged_model(resumed)) == values_of(averaged_model(whole)));
    CHECK(values_of(resumed.model()) == values_of(whole.model()));
}

}  // namespace

TEST_CASE("An exponential average is that of all steps, and begins with the first") {
    check_averages(ema(Adam{.learning_rate = 0.05}, 0.8), [](const std::vector<double>& w) {
        double a = w[0];
        for (std::size_t t = 2; t <= w.size(); ++t) {
            const double d = std::min(0.8, (static_cast<double>(t) - 1) / (static_cast<double>(t) + 9));
            a = d * a + (1 - d) * w[t - 1];
        }
        return a;
    });
}

TEST_CASE("Stochastic weight averaging is the mean of some steps, and before them the parameters") {
    check_averages(swa(Momentum{.learning_rate = 0.05}, {.start = 7, .interval = 3}), [](const std::vector<double>& w) {
        if (w.size() < 7) return w.back();
        double sum = 0;
        int n = 0;
        for (std::size_t t = 7; t <= w.size(); t += 3) sum += w[t - 1], ++n;
        return sum / n;
    });
}

TEST_CASE("Who averages takes the same steps, bit by bit") {
    const auto batches = minibatches(points(), 5, 9);
    Trainer plain("points", Net{}, Adam{}, batches);
    Trainer averaged("points", Net{}, ema(Adam{}), batches);
    plain.run(cpu(), 3);
    averaged.run(cpu(), 3);
    CHECK(values_of(plain.model()) == values_of(averaged.model()));
}

TEST_CASE("Averages go on from a checkpoint bit by bit") {
    check_resume(ema(AdamW{}, 0.9));
    check_resume(swa(Momentum{}, {.start = 5, .interval = 2}));
    check_resume(ema(group<"*.biases">(AdamW{}, {.rate_factor = 0.5, .decay_factor = 0}), 0.9));
}

TEST_CASE("A trainer evaluates its averages, and has its parameters and averages back") {
    Trainer trainer("points", Net{}, frozen<"1-*">(ema(Adam{.learning_rate = 0.1}, 0.9)), minibatches(points(), 5, 9));
    CHECK(error_text<StateError>([&] { averaged_model(trainer); }) ==
          "averages of parameters: expected 1 update or more, found 0");
    trainer.run(cpu(), 4);
    const Values before = values_of(trainer.model()), averages = values_of(averaged_model(trainer));
    CHECK(before != averages);
    CHECK(before[0] == averages[0]);  // frozen
    const double wanted = detail::Evaluator<Net>(points())(averaged_model(trainer)).error;
    CHECK(with_averages(trainer, [&] {
              CHECK(values_of(trainer.model()) == averages);
              return trainer.evaluate(points()).error;
          }) == wanted);
    CHECK_THROWS_AS(with_averages(trainer, [&] { throw std::runtime_error("stop"); }), std::runtime_error);
    CHECK(values_of(trainer.model()) == before);
    with_averages(trainer, [&] {
        CHECK(error_text<StateError>([&] { with_averages(trainer, [] {}); }) ==
              "averages of parameters: expected a call outside of with_averages, found a call within it");
        CHECK_THROWS_AS(averaged_model(trainer), StateError);
        CHECK(values_of(trainer.model()) == averages);
    });
    CHECK(values_of(trainer.model()) == before);
    CHECK(values_of(averaged_model(trainer)) == averages);
}

TEST_CASE("A checkpoint that is written within with_averages has what training continues from") {
    const Scratch folder;
    const std::string within = (folder.path / "within.sigma").string(),
                      parameters = (folder.path / "averages.safetensors").string();
    const auto batches = minibatches(points(), 5, 9);
    const auto make = [&] {
        return std::make_unique<Trainer<Net, WithEma<Adam>>>("t", Net{}, ema(Adam{}, 0.9), batches);
    };
    const auto whole = make(), saved = make();
    whole->run(cpu(), 6);
    saved->run(cpu(), 3);
    const Values averages = values_of(averaged_model(*saved));
    const std::vector<std::byte> outside = saved->checkpoint();
    with_averages(*saved, [&] {
        saved->save(within);
        CHECK(saved->checkpoint() == outside);
        CHECK(values_of(saved->model()) == averages);
        saved->save_parameters(parameters);
    });
    Model<Net> of_file;
    load_parameters(of_file, parameters);
    CHECK(values_of(of_file) == averages);
    const auto resumed = make();
    resumed->load(within);
    for (auto* t : {saved.get(), resumed.get()}) {
        t->run(cpu(), 3);
        CHECK(values_of(t->model()) == values_of(whole->model()));
        CHECK(values_of(averaged_model(*t)) == values_of(averaged_model(*whole)));
    }
    // In a callback of a run by workers, too.
    const auto by_workers = make(), like_them = make();
    by_workers->on_iteration([&](auto& t) {
        if (t.iteration() == 8) with_averages(t, [&] { t.save(within); });
    });
    like_them->on_iteration([&](auto& t) {
        if (t.iteration() == 8) t.save(within + ".plain");
    });
    for (auto* t : {by_workers.get(), like_them.get()}) t->run(workers(2), 2);
    const auto a = make(), b = make();
    a->load(within), b->load(within + ".plain");
    CHECK(values_of(a->model()) == values_of(b->model()));
    CHECK(values_of(averaged_model(*a)) == values_of(averaged_model(*b)));
}

TEST_CASE("Within with_averages nothing trains or changes parameters") {
    const Scratch folder;
    const std::string file = (folder.path / "checkpoint.sigma").string(),
                      parameters = (folder.path / "parameters.safetensors").string();
    Trainer trainer("points", Net{}, ema(Adam{.learning_rate = 0.1}, 0.9), minibatches(points(), 5, 9));
    trainer.run(cpu(), 2);
    trainer.save(file);
    trainer.save_parameters(parameters);
    trainer.run(cpu(), 2);
    const std::vector<std::byte> before = trainer.checkpoint();
    const auto refused = [&](const std::string& command, auto f) {
        INFO(command);
        CHECK(error_text<StateError>([&] { with_averages(trainer, f); }) ==
              command + " of trainer 'points': expected a call outside of with_averages, found a call within it");
        CHECK(trainer.checkpoint() == before);
    };
    refused("run", [&] { trainer.run(cpu(), 1); });
    refused("run", [&] { trainer.run({.epochs = 1}); });
    refused("run", [&] { trainer.run(workers(2), 1); });
    refused("start", [&] { trainer.start(cpu(), 1); });
    refused("load", [&] { trainer.load(file); });
    refused("load_parameters", [&] { trainer.load_parameters(parameters); });
    refused("initialize", [&] { trainer.initialize("*.weights", gaussian(0.1)); });
    refused("reset", [&] { trainer.reset().wait(); });
    refused("rewind", [&] { trainer.rewind().wait(); });
    // Changes that bypass the trainer are noticed at the end.
    const auto changes = [&](const std::string& name, auto f) {
        CHECK(error_text<StateError>([&] { with_averages(trainer, f); }) ==
              "with_averages: expected unchanged parameters of the model, found a change of '" + name +
                  "'; all parameters are restored");
        CHECK(trainer.checkpoint() == before);
    };
    changes("1-dense.weights", [&] { load_parameters(trainer.model(), parameters); });
    changes("3-dense.biases", [&] { trainer.model().parameter<"3-dense.biases">()(1) += 1; });
    changes("2-batch_norm.running_mean", [&] { trainer.model().parameter<"2-batch_norm.running_mean">()(0) += 1; });
}

TEST_CASE("Averages are not asked for on another thread while the trainer trains") {
    Trainer trainer("points", Net{}, ema(Adam{}, 0.9), minibatches(points(), 5, 9));
    trainer.start(cpu());
    while (trainer.iteration() < 2) std::this_thread::yield();
    const std::string text =
        "averages of parameters: expected an idle trainer, or a call on the training thread, "
        "found a call on another thread during a run";
    CHECK(error_text<StateError>([&] { with_averages(trainer, [] {}); }) == text);
    CHECK(error_text<StateError>([&] { averaged_model(trainer); }) == text);
    trainer.pause().wait();
    CHECK(error_text<StateError>([&] { with_averages(trainer, [] {}); }) == text);
    CHECK_NOTHROW(averaged_model(trainer));
    trainer.stop();
    trainer.wait();
    CHECK_NOTHROW(with_averages(trainer, [] {}));
}

TEST_CASE("What the trainer froze is its own average, and averages go on from there") {
    const auto near = [](const Values& a, const Values& b, std::size_t p) {
        double worst = 0;
        for (std::size_t i = 0; i < a[p].size(); ++i) worst = std::max(worst, std::abs(a[p][i] - b[p][i]));
        return worst;
    };
    Trainer trainer("points", Net{}, ema(GradientDescent{.learning_rate = 0.01}), minibatches(points(), 5, 9),
                    element<double>, 3);
    trainer.freeze("1-*");
    const Values first = values_of(trainer.model());
    trainer.run(cpu(), 8);
    Values now = values_of(trainer.model()), average = values_of(averaged_model(trainer));
    CHECK(now[0] == first[0]);
    CHECK(average[0] == first[0]);
    CHECK(near(now, average, now.size() - 2) > 0);
    trainer.unfreeze("1-*");
    trainer.run(cpu(), 1);
    now = values_of(trainer.model()), average = values_of(averaged_model(trainer));
    CHECK(now[0] != first[0]);
    CHECK(near(now, average, 0) < near(now, first, 0));  // between what was frozen and what it became
    CHECK(near(first, average, 0) < near(now, first, 0));
}

TEST_CASE("Weights are averaged every step at most") {
    Trainer trainer("points", Net{}, swa(GradientDescent{}, {.start = 7, .interval = 0.5}),
                    minibatches(points(), 5, 9));
    const std::string text = thrown<ArgumentError>([&] { trainer.run(cpu(), 1); }).what();
    CHECK(text.find("swa_interval") != std::string::npos);
}
