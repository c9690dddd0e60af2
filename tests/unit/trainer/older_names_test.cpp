// SPDX-License-Identifier: BSL-1.0
#include <sigma/sigma.hpp>
#include <sigma/storage/safetensors_file.hpp>

#include <support/older_points.hpp>
#include <support/scratch.hpp>
#include <support/thrown.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdint>
#include <string>

/// Files of commit dce28f5, in which a named layer is numbered: "1-hidden.weights", "3-tower/dense.weights". The
/// trainer below wrote them with seed 3, after 3 epochs in which "1-hidden.biases" was frozen.
using namespace sigma;
using sigma::test::older_points;

namespace {

struct Net : Network<named("point", Input(3)) + named("hidden", Dense(6, tanh)) + Dropout(0.3f) +
                     named("tower", Dense(4) + BatchNorm() + named("inner", Dense(4, tanh))) +
                     shared("twice", Dense(4)) + shared("twice", Dense(4)) + Dense(2) + named("answer", SoftmaxCE())> {
};

auto fresh() {
    return Trainer<Net, Adam, float>("older", Net{}, Adam{.learning_rate = 7}, minibatches(older_points(), 5, 1),
                                     element<float>, 77);
}
std::string stored(const std::string& name) {
    return std::string(SIGMA_TEST_DATA_DIR) + "/../tests/unit/trainer/stored/" + name;
}
/// What the older build predicted, by its own kernels.
template <class M>
void check_predicts_as_written(const M& model) {
    const float x[] = {0.25f, -0.5f, 0.75f};
    float y[2]{};
    model.predict(x, y, 1);
    CHECK(y[0] == Approx(0.19007235765457153).epsilon(1e-5));
    CHECK(y[1] == Approx(0.80992770195007324).epsilon(1e-5));
}

}  // namespace

TEST_CASE("A checkpoint whose named layers are numbered is read, and is written with the names of today") {
    auto trainer = fresh();
    trainer.load(stored("older_names.sigma"));
    CHECK(trainer.iteration() == 15);
    CHECK(trainer.epoch() == 3);
    CHECK(trainer.loss() == 0.94414991140365601);
    check_predicts_as_written(trainer.model());

    const Scratch scratch;
    const std::string today = scratch / "today.sigma";
    trainer.save(today);
    const SafetensorsFile file = SafetensorsFile::open(today);
    for (const char* name : {"hidden.weights", "tower/1-dense.weights", "tower/2-batch_norm.scales",
                             "tower/inner.biases", "twice.weights", "8-dense.weights", "optimizer.mean.hidden.weights"})
        CHECK(file.find(name) != nullptr);
    CHECK(file.find("1-hidden.weights") == nullptr);
    REQUIRE(file.metadata("frozen") != nullptr);
    CHECK(*file.metadata("frozen") == "hidden.biases\n");

    auto again = fresh();
    again.load(today);
    const float bias = trainer.model().parameter<"hidden.biases">()(0);
    const float weight = trainer.model().parameter<"hidden.weights">()(0, 0);
    again.run(cpu(), 2);
    trainer.run(cpu(), 2);
    CHECK(again.loss() == trainer.loss());
    CHECK(trainer.model().parameter<"hidden.biases">()(0) == bias);
    CHECK(trainer.model().parameter<"hidden.weights">()(0, 0) != weight);
}

TEST_CASE("Another network does not take an older file for its own") {
    struct Other
        : Network<named("point", Input(3)) + named("hidden", Dense(6, sigmoid)) + Dropout(0.3f) +
                  named("tower", Dense(4) + BatchNorm() + named("inner", Dense(4, tanh))) + shared("twice", Dense(4)) +
                  shared("twice", Dense(4)) + Dense(2) + named("answer", SoftmaxCE())> {};
    Model<Other> model;
    const std::string said =
        error_text<MismatchError>([&] { load_parameters(model, stored("older_names_parameters.sigma")); });
    CHECK(said.find("a network that computes the same") != std::string::npos);
}

TEST_CASE("Parameters whose named layers are numbered are read, also from another place in the network") {
    Model<Net> model(5);
    CHECK(load_parameters(model, stored("older_names_parameters.sigma")) == 14);
    check_predicts_as_written(model);

    struct Later
        : Network<named("point", Input(3)) + Dropout(0.1f) + named("hidden", Dense(6, tanh)) + Dense(2) + SoftmaxCE()> {
    };
    Model<Later> later(6);
    CHECK(load_parameters(later, stored("older_names_parameters.sigma"), "hidden.*") == 2);
    CHECK(later.parameter<"hidden.weights">()(1, 2) == model.parameter<"hidden.weights">()(1, 2));
}
