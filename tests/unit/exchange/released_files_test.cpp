// SPDX-License-Identifier: BSL-1.0
// tests/files/VERSION has files that this version of the library wrote. Each later version reads them. To add those of
// a new version, run this test once with WRITE_RELEASED_FILES=1, and released_runs_test as well.
#include <catch2/catch.hpp>
#include <sigma/core/version.hpp>
#include <sigma/data/text/vocabulary.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/preprocessing_file.hpp>
#include <sigma/data/transform/transforms.hpp>
#include <sigma/exchange/model_file.hpp>
#include <sigma/sigma.hpp>
#include <sigma/trainer/parameters_file.hpp>
#include <sigma/trainer/search.hpp>
#include <support/checkpointed.hpp>
#include <support/released.hpp>
#include <support/scratch.hpp>

#include <cmath>
#include <string>
#include <vector>

using namespace sigma;
using namespace sigma::test;

namespace {

struct Small : Network<Input(3) + Dense(6, tanh) + Dropout(0.2f) + BatchNorm() + named("top", Dense(2)) + SoftmaxCE()> {
};

Dataset prepared() { return checkpointed::points() >> data::standardize(data::inputs); }

auto small_trainer(std::uint64_t seed, double learning_rate) {
    return Trainer<Small, Adam, float>("small", Small{}, Adam{.learning_rate = learning_rate},
                                       minibatches(prepared(), 5, 1), element<float>, seed);
}

Array<float> records(std::initializer_list<std::size_t> shape) {
    auto x = Array<float>::from_shape(shape);
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<float>((i * 29 + 7) % 97) / 48 - 1;
    return x;
}

std::vector<double> numbers_of(const Array<float>& x) { return {x.begin(), x.end()}; }

Layers images() { return Input(6, 6, 1) + Conv2D(3, 3, relu) + MaxPool(2) + Dense(3) + SoftmaxCE(); }
Layers sequences() { return Input(5, 2) + LSTM(4) + Dense(1) + MeanSquaredError(); }

const SearchOptions search_options(const std::string& file) {
    return {.trials = 6, .seed = 11, .file = file, .quiet = true};
}
double bowl(Trial& trial) {
    const double width = trial.whole("width", 8, 256, SearchScale::logarithmic), rate = trial.real("rate", 0.001, 1);
    return std::abs(width - 40) + rate + static_cast<double>(trial.choice("kind", {"a", "b"}));
}

void write(const ReleasedFiles& to) {
    ReleasedNumbers numbers;
    auto trainer = small_trainer(3, 0.02);
    checkpointed::add_hooks(trainer);
    trainer.run(cpu(), 3);
    trainer.save(to / "checkpoint.sigma");
    trainer.model().set_classes({"no", "yes"});
    save_model(trainer.model(), to / "model.sigma", prepared());
    save_model(trainer.model(), to / "model-bf16.sigma", Dtype::bf16);
    save_parameters(trainer.model(), to / "parameters.safetensors", prepared().preprocessing());
    numbers["small"] = numbers_of(trainer.model().predict(records({4, 3})));
    numbers["standardized"] = numbers_of(prepared().preprocessing()(records({4, 3})));
    numbers["checkpoint"] = {static_cast<double>(trainer.iteration()), trainer.loss(), trainer.optimizer.learning_rate};
    trainer.run(cpu(), 2);
    numbers["continued"] = {static_cast<double>(trainer.iteration()), trainer.loss(), trainer.optimizer.learning_rate};

    const Model of_images(network(images()), 5), of_sequences(network(sequences()), 6);
    save_model(of_images, to / "images.sigma");
    save_model(of_sequences, to / "sequences.sigma");
    numbers["images"] = numbers_of(of_images.predict(records({2, 6, 6, 1})));
    numbers["sequences"] = numbers_of(of_sequences.predict(records({3, 5, 2})));

    numbers["search"] = {search(search_options(to / "search.jsonl"), bowl).best().loss};
    data::Vocabulary(data::memory("the cat and the dog and the end", "text"), {.unit = data::Unit::word})
        .save(to / "vocabulary.txt");
    numbers.save(to / "numbers.txt");
}

/// Checks that numbers are equal up to the rounding of other processors.
void check_near(const std::vector<double>& found, const std::vector<double>& wanted, double tolerance = 1e-5) {
    REQUIRE(found.size() == wanted.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        CHECK(found[i] == Approx(wanted[i]).epsilon(tolerance).margin(tolerance));
}

}  // namespace

TEST_CASE("Checkpoints, models, parameters, searches and vocabularies of each version are read") {
    if (ReleasedFiles::wanted()) write(ReleasedFiles(version()));
    const auto all = ReleasedFiles::all();
    REQUIRE_FALSE(all.empty());
    for (const ReleasedFiles& files : all) {
        INFO("files of version " << files.version());
        const ReleasedNumbers numbers = ReleasedNumbers::load(files / "numbers.txt");

        auto trainer = small_trainer(9, 7);
        checkpointed::add_hooks(trainer);
        trainer.load(files / "checkpoint.sigma");
        const auto state = [&] {
            return std::vector{static_cast<double>(trainer.iteration()), trainer.loss(),
                               trainer.optimizer.learning_rate};
        };
        check_near(state(), numbers.at("checkpoint"));
        check_near(numbers_of(trainer.model().predict(records({4, 3}))), numbers.at("small"));
        trainer.run(cpu(), 2);
        check_near(state(), numbers.at("continued"), 1e-4);

        const auto model = load_model(files / "model.sigma");
        CHECK(model.library() == files.version());
        CHECK(model.classes() == std::vector<std::string>{"no", "yes"});
        check_near(numbers_of(model.predict(records({4, 3}))), numbers.at("small"));
        check_near(numbers_of(model.preprocessing()(records({4, 3}))), numbers.at("standardized"));
        const Model<Small> typed = model;
        check_near(numbers_of(typed.predict(records({4, 3}))), numbers.at("small"));
        check_near(numbers_of(load_model(files / "model-bf16.sigma").predict(records({4, 3}))), numbers.at("small"),
                   0.02);
        check_near(numbers_of(load_model(files / "images.sigma").predict(records({2, 6, 6, 1}))), numbers.at("images"));
        check_near(numbers_of(load_model(files / "sequences.sigma").predict(records({3, 5, 2}))),
                   numbers.at("sequences"));

        Model<Small> other(8);
        load_parameters(other, files / "parameters.safetensors");
        check_near(numbers_of(other.predict(records({4, 3}))), numbers.at("small"));
        const auto preprocessing = data::Preprocessing::load(files / "parameters.safetensors");
        check_near(numbers_of(preprocessing(records({4, 3}))), numbers.at("standardized"));

        // The search continues from its file, so it calls the function at most to repeat the choices of the best trial.
        const Scratch scratch;
        const std::string file = scratch.write("search.jsonl", file_text(files / "search.jsonl"));
        int calls = 0;
        const SearchResult found = search(search_options(file), [&](Trial& trial) { return ++calls, bowl(trial); });
        CHECK(calls <= 1);
        CHECK(found.trials.size() == 6);
        check_near({found.best().loss}, numbers.at("search"));

        const auto vocabulary = data::Vocabulary::load(files / "vocabulary.txt");
        CHECK(vocabulary.size() >= 5);
        CHECK(vocabulary.token(vocabulary.id("the")) == "the");
    }
}
