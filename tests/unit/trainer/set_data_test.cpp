// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/minibatches.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/transforms.hpp>
#include <sigma/sigma.hpp>
#include <sigma/storage/safetensors.hpp>
#include <sigma/trainer/registry.hpp>

#include <support/scratch.hpp>
#include <support/thrown.hpp>

#include <catch2/catch.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using namespace sigma;

namespace {

struct Net : Network<Input(3) + named("hidden", Dense(6, tanh)) + Dropout(0.2f) + Dense(2) + SoftmaxCE()> {};
using PointsTrainer = Trainer<Net, Adam, float>;

Dataset points(std::size_t records, std::size_t from, std::vector<std::string> classes = {}, std::size_t width = 3) {
    Numbers x{{records, width}, {}}, y{{records}, {}};
    for (std::size_t i = 0; i < width * records; ++i)
        x.values.push_back(static_cast<float>(((i + from) * 37 + 11) % 101) / 50 - 1);
    for (std::size_t i = 0; i < records; ++i) y.values.push_back(x.values[width * i] > 0 ? 1.0f : 0.0f);
    return Dataset(x, y, "points", std::move(classes));
}
/// Returns all parameters and states of the optimizer from a checkpoint.
std::vector<float> all_of(PointsTrainer& trainer) {
    const Scratch scratch;
    trainer.save(scratch / "a.sigma");
    const SafetensorsFile file = SafetensorsFile::open(scratch / "a.sigma");
    std::vector<float> all;
    for (const TensorInfo& t : file.tensors()) {
        if (t.name.starts_with("hooks.")) continue;
        const std::vector<float> values = file.read<float>(t.name);
        all.insert(all.end(), values.begin(), values.end());
    }
    return all;
}
PointsTrainer made(const Minibatches& batches) {
    return PointsTrainer("points", Net{}, Adam{.learning_rate = 0.01}, batches, element<float>, 3);
}

}  // namespace

TEST_CASE("The same data again change nothing; others are trained on from where the trainer is") {
    const Dataset first = points(22, 0), second = points(22, 500);
    auto straight = made(minibatches(first, 5, 9));
    straight.run(cpu(), 4);
    auto again = made(minibatches(first, 5, 9));
    again.run(cpu(), 2);
    again.set_data(minibatches(first, 5, 9));
    again.run(cpu(), 2);
    CHECK(all_of(again) == all_of(straight));

    auto changed = made(minibatches(first, 5, 9));
    changed.run(cpu(), 2);
    const Scratch scratch;
    changed.save(scratch / "two.sigma");
    changed.set_data(minibatches(second, 5, 9));
    CHECK(changed.epoch() == 2);
    CHECK(changed.iteration() == 10);
    changed.run(cpu(), 2);
    auto loaded = made(minibatches(second, 5, 1));  // the oracle: a trainer of these data from the beginning
    loaded.load(scratch / "two.sigma");
    loaded.run(cpu({.threads = 2}), 2);
    CHECK(all_of(changed) == all_of(loaded));
    CHECK(all_of(changed) != all_of(straight));
    CHECK(changed.iteration() == 20);
}

TEST_CASE(
    "More records, in other batches, ahead of their use; hooks go on counting, and checkpoints are of the new data") {
    auto trainer = made(minibatches(points(22, 0), 5, 9));
    std::vector<std::uint64_t> at_steps;
    trainer.add(every(4, iteration).then([&](auto& t) { at_steps.push_back(t.iteration()); }));
    trainer.run(cpu(), 1);
    trainer.set_data(minibatches(points(31, 70), 8, 4) >> data::prefetch(2));
    CHECK(trainer.batches_per_epoch() == 4);
    CHECK(trainer.registry().get<std::uint64_t>("iterator.records") == 31);
    trainer.run(cpu(), 2);
    CHECK(trainer.iteration() == 5 + 2 * 4);
    CHECK(at_steps == std::vector<std::uint64_t>{4, 8, 12});
    trainer.set_data(minibatches(points(9, 3), 9));
    CHECK(trainer.registry().get<std::uint64_t>("iterator.minibatch_size") == 9);

    trainer.set_data(minibatches(points(31, 70), 8, 4));
    const Scratch scratch;
    trainer.save(scratch / "new.sigma");
    auto again = made(minibatches(points(31, 70), 8, 1));
    again.load(scratch / "new.sigma", HooksFromFile::ignore);
    again.run(cpu(), 1);
    trainer.run(cpu(), 1);
    CHECK(all_of(again) == all_of(trainer));
    auto old = made(minibatches(points(22, 0), 5, 9));
    CHECK(error_text<MismatchError>([&] {
              old.load(scratch / "new.sigma", HooksFromFile::ignore);
          }).find("number of records '22'") != std::string::npos);
}

TEST_CASE("An epoch that was begun begins anew") {
    auto trainer = made(minibatches(points(22, 0), 5, 9));
    trainer.on_iteration([](auto& t) {
        if (t.iteration() == 7) t.stop();
    });
    trainer.run(cpu(), 9);
    CHECK(trainer.epoch() == 1);
    CHECK(trainer.batch() == 1);
    trainer.set_data(minibatches(points(4, 8), 2));  // fewer batches than steps were taken in the epoch
    trainer.run(cpu(), 1);
    CHECK(trainer.epoch() == 2);
    CHECK(trainer.iteration() == 7 + 2);
}

TEST_CASE("A run takes another batch size") {
    auto trainer = made(minibatches(points(22, 0), 5, 9));
    CHECK_THROWS_AS(trainer.run({.epochs = -1, .batch_size = 7}), ArgumentError);
    CHECK(trainer.registry().get<std::uint64_t>("iterator.minibatch_size") != 7);  // what is refused changes nothing
    CHECK(trainer.run({.epochs = 1, .batch_size = 11}).epochs.size() == 1);
    CHECK(trainer.iteration() == 2);
    CHECK(trainer.minibatches().size == 11);
    CHECK(trainer.minibatches().seed == 9);
    trainer.run({.epochs = 2});
    CHECK(trainer.iteration() == 6);
    for (const std::int64_t size : {-1, 23})
        CHECK(error_text<ArgumentError>([&] { trainer.run({.batch_size = size}); }) ==
              sentence("batch_size of a run of trainer 'points': expected from 1 to 22, or 0 for that of its "
                       "minibatches, found ",
                       size));
}

TEST_CASE("Data that do not fit are refused, and nothing has changed") {
    auto trainer = made(minibatches(points(22, 0, {"left", "right"}), 5, 9));
    trainer.run(cpu(), 1);
    auto straight = made(minibatches(points(22, 0, {"left", "right"}), 5, 9));
    straight.run(cpu(), 2);

    CHECK_THROWS_AS(trainer.set_data(minibatches(points(22, 0, {"left", "right"}, 4), 5)), ShapeError);
    CHECK_THROWS_AS(trainer.set_data(minibatches(points(22, 0, {"right", "left"}), 5)), ArgumentError);
    const Dataset scaled = points(22, 0, {"left", "right"}) >> data::standardize(data::inputs);
    CHECK_THROWS_AS(trainer.set_data(minibatches(scaled, 5)), ArgumentError);
    std::string said;
    trainer.on_epoch([&](auto& t) {
        said = error_text<StateError>([&] { t.set_data(minibatches(points(22, 0, {"left", "right"}), 5)); });
    });
    trainer.run(cpu(), 1);
    CHECK(said == "set_data of trainer 'points': expected an idle trainer, found a running one");
    CHECK(trainer.minibatches().size == 5);
    CHECK(all_of(trainer) == all_of(straight));
}
