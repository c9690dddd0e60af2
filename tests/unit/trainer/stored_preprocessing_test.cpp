// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/parameters_file.hpp>
#include <sigma/sigma.hpp>

#include "../data/transform/support.hpp"

using namespace sigma;
using namespace sigma::data;

namespace {

struct Net : Network<Input(2) + Dense(3, tanh) + Dense(2) + SoftmaxCE()> {};

Dataset points() {
    return make_dataset(xt::xarray<float>{{0, 7}, {4, 9}, {1, 2}, {30, -5}}, xt::xarray<float>{0, 1, 1, 0}, "points");
}

}  // namespace

TEST_CASE("A model and what its data went through are one file, and predictions from raw inputs are the same") {
    const Scratch scratch;
    const std::string path = scratch.path / "net.safetensors";
    const Preprocessing p = fitted(standardize(inputs), points());
    Model<Net> model(3);
    save_parameters(model, path, p);

    Model<Net> other(4);
    CHECK(load_parameters(other, path) == 4);
    const Preprocessing loaded = Preprocessing::load(path);
    const auto raw = points().inputs();
    const auto wanted = model.predict((points() >> p).inputs());
    CHECK(bool(other.predict(loaded(raw)) == wanted));
    CHECK_FALSE(bool(other.predict(raw) == wanted));
}

TEST_CASE("A trainer refuses a checkpoint of a run with other preprocessing, and is as it was") {
    const Scratch scratch;
    const std::string path = scratch.path / "run.safetensors";
    Trainer<Net, GradientDescent, float> trainer("t", Net{}, GradientDescent{0.1}, minibatches(points(), 2), element<float>, 3);
    trainer.run(cpu(), 2);
    trainer.save(path);
    CHECK(Preprocessing::load(path).empty());
    trainer.load(path);

    // The same checkpoint, as a trainer with standardized data writes it.
    const SafetensorsFile from = SafetensorsFile::open(path);
    SafetensorsWriter to;
    std::vector<std::vector<std::byte>> bytes;
    bytes.reserve(from.tensors().size());
    for (const auto& [key, value] : from.metadata())
        if (key != "preprocessing" && key != "sigma.checksum") to.metadata(key, value);
    for (const TensorInfo& t : from.tensors()) to.add(t.name, t.dtype, t.shape, bytes.emplace_back(from.bytes(t.name)));
    sigma::data::detail::add_preprocessing(to, fitted(standardize(inputs), points()));
    to.with_checksum();
    to.save(scratch.path / "other.safetensors");
    const auto before = trainer.model().predict(points().inputs());
    trainer.run(cpu(), 1);
    const auto after = trainer.model().predict(points().inputs());
    CHECK_THROWS_AS(trainer.load(scratch.path / "other.safetensors"), MismatchError);
    const std::string text = error_text([&] { trainer.load(scratch.path / "other.safetensors"); });
    CHECK(text.find("expected preprocessing 'none', found 'standardize(inputs)'") != std::string::npos);
    CHECK(bool(trainer.model().predict(points().inputs()) == after));
    CHECK_FALSE(bool(before == after));
}

TEST_CASE("A model is stored with all that its training data went through, also before the last preprocessing") {
    const Scratch scratch;
    const std::string path = scratch.path / "net.safetensors";
    const Dataset read = points() >> clamp(inputs, 0, 20);
    const Preprocessing p = fitted(standardize(inputs), read);
    const Dataset training = read >> p;
    Model<Net> model(3);
    save_parameters(model, path, training);
    const Preprocessing loaded = Preprocessing::load(path);
    CHECK(p.steps().size() == 1);
    CHECK(loaded.steps().size() == 2);
    CHECK(bool(loaded(points().inputs()) == training.inputs()));
}

TEST_CASE("A trainer scores no data that went through something else than its training data") {
    const Dataset raw = points();
    const Preprocessing p = fitted(standardize(inputs), raw);
    Trainer<Net, GradientDescent, float> trainer("t", Net{}, GradientDescent{0.1}, minibatches(raw >> p, 2), element<float>, 3);
    const auto right = trainer.evaluate(raw >> p);
    CHECK_THROWS_AS(trainer.evaluate(raw), ArgumentError);
    CHECK(error_text([&] { trainer.evaluate(raw); }) ==
          "dataset 'points': expected preprocessing 'standardize(inputs)' as of the training data 'points' (data >> p, or "
          "make_dataset(x, y, name, classes, p) of what p made already), found 'none'");
    CHECK(error_text([&] { trainer.evaluate(raw >> standardize(inputs) >> one_hot<2>(targets)); }).find("found 'standardize(inputs) >> one_hot(targets)'") !=
          std::string::npos);
    const std::vector<std::size_t> half{0, 1};
    CHECK(error_text([&] { trainer.evaluate(raw >> fitted(standardize(inputs), raw.select(half))); }) ==
          "dataset 'points': expected 'preprocessing.0.standardize.mean'[0] of 8.75 as the training data 'points' have it, found 2");
    // The same numbers, learned from the same records.
    CHECK(trainer.evaluate(raw >> standardize(inputs)).error == right.error);
    // What was made by hand says so.
    CHECK_THROWS_AS(trainer.evaluate(make_dataset(p(raw.inputs()), raw.targets(), "hand")), ArgumentError);
    CHECK(trainer.evaluate(make_dataset(p(raw.inputs()), raw.targets(), "hand", {}, p)).error == right.error);

    for (const bool aside : {false, true}) {
        const int number = aside ? trainer.add(every(1, epoch).then(score(raw)).in_background())
                                 : trainer.add(every(1, epoch).then(score(raw)));
        CHECK_THROWS_AS(trainer.run(cpu(), 3), HookError);
        trainer.remove(number);
    }
    trainer.add(every(1, epoch).then(score(raw >> p)));
    trainer.run(cpu(), 1);

    Trainer<Net, GradientDescent, float> plain("plain", Net{}, GradientDescent{0.1}, minibatches(raw, 2), element<float>, 3);
    CHECK_THROWS_AS(plain.evaluate(raw >> p), ArgumentError);
}

TEST_CASE("Validation data of fit and of a sequential network went through what the training data went through") {
    const Dataset raw = points();
    const Preprocessing p = fitted(standardize(inputs), raw);
    CHECK_THROWS_AS(fit(Net{}, raw >> p, {.epochs = 1, .validation = raw, .quiet = true}), ArgumentError);
    auto network = Sequential<Input(2)>().dense<2>().loss(losses::softmax_ce).optimizer(GradientDescent{0.1});
    CHECK_THROWS_AS(network.train(raw >> p, {.validation = raw}), ArgumentError);
    network.train(raw >> p);
    CHECK_THROWS_AS(network.evaluate(raw), ArgumentError);
    // Arrays are what the network gets, and of what they went through nothing is known.
    CHECK(network.evaluate(p(raw.inputs()), raw.targets()).error == network.evaluate(raw >> p).error);
    network.train(p(raw.inputs()), raw.targets(), {.validation = raw >> p});
    network.evaluate(raw >> p);
    fit(Net{}, p(raw.inputs()), raw.targets(), {.epochs = 1, .validation = raw >> p, .quiet = true}).evaluate(raw >> p);
}
