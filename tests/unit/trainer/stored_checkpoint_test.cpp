// SPDX-License-Identifier: BSL-1.0
#include <sigma/sigma.hpp>

#include <support/checkpointed.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

// Checkpoints of the trainer below in tests/unit/trainer/stored, with seed 3: of step 13, when the run was paused, and
// of the end, step 30. A change of the format that rejects them fails here; then write them again.
using namespace sigma;
using namespace sigma::test::checkpointed;

namespace {

struct Net : Network<Input(3) + Dense(6, tanh) + Dropout(0.3f) + Dense(4) + BatchNorm() + Dense(2) + SoftmaxCE()> {};

/// Returns the parameters that determine predictions. Biases before a batch norm only move its running mean, and their
/// gradients, 0 up to rounding, differ between processors.
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

/// Returns a trainer with another learning rate and other seeds than those in the file.
auto fresh() {
    return Trainer<Net, Adam, float>("stored", Net{}, Adam{.learning_rate = 7}, minibatches(points(), 5, 1),
                                     element<float>, 77);
}

}  // namespace

TEST_CASE("A checkpoint of another build is read, hooks included, and the run goes on as it went there") {
    auto middle = fresh();
    add_hooks(middle);
    middle.load(stored("step_13.sigma"));
    CHECK(middle.iteration() == 13);
    CHECK(middle.epoch() == 2);
    CHECK(middle.loss() == 0.35293763875961304);
    CHECK(middle.optimizer.learning_rate == 0.01593527058);
    CHECK(decisive(middle)[0] == 0.26801988482475281f);
    CHECK(decisive(middle)[68] == 0.077238753437995911f);

    auto end = fresh();
    add_hooks(end);
    end.load(stored("step_30.sigma"));
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
