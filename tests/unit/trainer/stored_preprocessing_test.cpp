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
        if (key != "preprocessing") to.metadata(key, value);
    for (const TensorInfo& t : from.tensors()) to.add(t.name, t.dtype, t.shape, bytes.emplace_back(from.bytes(t.name)));
    sigma::data::detail::add_preprocessing(to, fitted(standardize(inputs), points()));
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
