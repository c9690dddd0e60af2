// SPDX-License-Identifier: BSL-1.0
#include <sigma/sigma.hpp>

#include <support/older_points.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// Checkpoints that the library wrote at commit dce28f5 (`older_states` at 829b71e), in tests/unit/trainer/stored: the
/// trainer below, with seed 3, saved by a hook of step 13 and at the end, step 30. They are not written anew when the
/// format changes: it is older files that must be read.
using namespace sigma;
using sigma::test::older_points;

namespace {

struct Net : Network<Input(3) + Dense(6, tanh) + Dropout(0.3f) + Dense(4) + BatchNorm() + Dense(2) + SoftmaxCE()> {};

/// Hooks that change the run and keep counts.
template <class T>
void add_hooks(T& trainer) {
    trainer.add(every(3, iteration).then([](auto& t) { t.optimizer.learning_rate *= 0.97; }),
                when(error.decreases(2)).then([](auto& t) { t.optimizer.learning_rate *= 1.1; }),
                when(average(loss, 5).falls_below(0.6)).then([](auto& t) { t.optimizer.learning_rate *= 0.9; }));
}

/// The trained values that decide what is computed. Biases before a batch norm only move its running mean, and their
/// gradients, 0 but for rounding, are of another size on each processor.
template <class T>
std::vector<float> decisive(T& trainer) {
    std::vector<float> all;
    for (const char* name :
         {"1-dense.weights", "1-dense.biases", "3-dense.weights", "4-batch_norm.scales", "4-batch_norm.shifts",
          "4-batch_norm.running_variance", "5-dense.weights", "5-dense.biases"}) {
        const int p = trainer.model().find_parameter(name);
        REQUIRE(p >= 0);
        for (std::size_t r = 0; r < parameter_rows(trainer.model(), p).count; ++r) {
            const std::span<float> row = parameter_rows(trainer.model(), p)[r];
            all.insert(all.end(), row.begin(), row.end());
        }
    }
    return all;
}

std::string stored(const std::string& name) {
    return std::string(SIGMA_TEST_DATA_DIR) + "/../tests/unit/trainer/stored/" + name;
}

/// With another rate and other seeds than the file's, which has its own.
auto fresh() {
    return Trainer<Net, Adam, float>("older", Net{}, Adam{.learning_rate = 7}, minibatches(older_points(), 5, 1),
                                     element<float>, 77);
}

struct Remembering : Network<Input(4, 3) + named("memory", GRU(4, {.last = true, .stateful = true})) + SquaredDiff()> {
};

}  // namespace

TEST_CASE("Files of when states of stateful layers were parameters are read, and the states are zeros") {
    std::vector<float> x(6 * 12), y(6 * 4);
    Philox(3, RandomUse::user, 0).fill_normal(std::span<float>(x));
    Philox(3, RandomUse::user, 1).fill_normal(std::span<float>(y));
    const Dataset data =
        make_dataset(ArrayView<const float>(x.data(), {6, 4, 3}), ArrayView<const float>(y.data(), {6, 4}));
    Trainer trainer("remembering", Remembering{}, Adam{}, minibatches(data, 3));
    const ArrayView<const float> two(x.data(), {2, 4, 3});
    trainer.predict(two);
    trainer.load(stored("older_states.sigma"));
    CHECK(trainer.iteration() == 4);
    CHECK(trainer.model().streams() == 0);
    Model<Remembering> model;
    model.predict(two);
    CHECK(load_parameters(model, stored("older_states_parameters.sigma")) == 4);
    CHECK(model.streams() == 0);
    const auto first = trainer.predict(ArrayView<const float>(x.data(), {1, 4, 3}));
    CHECK(first(0, 0) == Approx(-0.390832335).epsilon(1e-5));
    CHECK(first(0, 1) == Approx(-0.114830613).epsilon(1e-5));
    CHECK(first(0, 2) == Approx(0.248437792).epsilon(1e-5));
    CHECK(first(0, 3) == Approx(-0.261807799).epsilon(1e-5));
}

TEST_CASE("A checkpoint of an older build is read, hooks included, and the run goes on as it went there") {
    auto middle = fresh();
    add_hooks(middle);
    middle.load(stored("older_step_13.sigma"));
    CHECK(middle.iteration() == 13);
    CHECK(middle.epoch() == 2);
    CHECK(middle.loss() == 0.2100069522857666);
    CHECK(middle.optimizer.learning_rate == 0.01593527058);
    CHECK(decisive(middle)[0] == 0.10352397710084915f);  // as another reader of the format finds them in the file
    CHECK(decisive(middle)[68] == 0.10818386822938919f);

    auto end = fresh();
    add_hooks(end);
    end.load(stored("older_step_30.sigma"));
    CHECK(end.iteration() == 30);

    // Kernels of another processor round otherwise.
    const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-4 * (1 + std::abs(b)); };
    const auto distance = [&] {
        const std::vector<float> a = decisive(middle), b = decisive(end);
        REQUIRE(a.size() == b.size());
        std::size_t apart = 0;
        for (std::size_t i = 0; i < a.size(); ++i) apart += !near(a[i], b[i]);
        return apart;
    };
    CHECK(distance() > 50);  // of 70
    middle.run(cpu(), 4);
    CHECK(middle.iteration() == 30);
    CHECK(distance() == 0);
    CHECK(near(middle.optimizer.learning_rate, end.optimizer.learning_rate));
    CHECK(near(middle.training_loss(), end.training_loss()));
}
