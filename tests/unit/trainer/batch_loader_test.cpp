// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/minibatches.hpp>
#include <sigma/data/transform/augmentations.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/trainer/trainer.hpp>

#include "../data/batches/counted_blocks.hpp"

#include <catch2/catch.hpp>
#include <support/scratch.hpp>

using namespace sigma;

namespace {

struct Line : Network<Input(2) + Dense(1) + SquaredDiff()> {};
using Lines = Trainer<Line, Adam>;

Dataset in_memory() { return test::counted_dataset(23); }
data::AugmentStep noisy() { return data::augment(data::noise(0.1)); }

std::vector<float> parameters(Lines& trainer) {
    const auto memory = trainer.model().parameter_memory();
    return {memory.begin(), memory.end()};
}
std::vector<float> trained(const Minibatches& batches, int epochs = 3) {
    Lines trainer("line", {}, Adam{.learning_rate = 0.1}, batches);
    trainer.run(cpu(), epochs);
    auto all = parameters(trainer);
    all.push_back(static_cast<float>(trainer.training_loss()));
    return all;
}

}  // namespace

TEST_CASE("Prefetching changes no bit of a training") {
    const Minibatches batches = minibatches(in_memory(), 4, 7) >> noisy();
    const auto plain = trained(batches);
    CHECK(trained(batches >> data::prefetch(1)) == plain);
    CHECK(trained(batches >> data::prefetch(3)) == plain);
    CHECK(trained(minibatches(in_memory(), 4, 7)) != plain);
    CHECK(trained(batches >> data::shard(0, 2)) != plain);
}

TEST_CASE("Prefetching changes no bit of a training from blocks, which are loaded once an epoch") {
    const auto blocks = std::make_shared<test::CountedBlocks>(23, 5);
    const Minibatches batches = minibatches(test::block_dataset(blocks, 2), 4, 7) >> noisy();
    CHECK(batches.prefetch == 2);
    const auto ahead = trained(batches);
    CHECK(trained(batches >> data::prefetch(0)) == ahead);
}

TEST_CASE(
    "Steps can be taken one by one, from a checkpoint, and back to the beginning of the run, with prefetching too") {
    const Minibatches batches = minibatches(in_memory(), 4, 7) >> noisy() >> data::prefetch(2);
    const auto whole = trained(batches, 4);
    const ScratchFile file;
    Lines trainer("line", {}, Adam{.learning_rate = 0.1}, batches);
    int saved_at = -1;
    trainer.on_iteration([&](auto& t) {
        if (t.iteration() == 9 && saved_at < 0) {
            sigma::detail::HookAccess::view(t).save_after_hooks(file.name);
            saved_at = 9;
        }
    });
    trainer.run(cpu(), 2);
    trainer.run(cpu(), 2);
    auto end = parameters(trainer);
    CHECK(std::equal(end.begin(), end.end(), whole.begin()));
    CHECK(trainer.gradients().of<"1-dense.weights">().size() == 2);

    trainer.load(file.name);
    CHECK(trainer.iteration() == 9);
    trainer.run(cpu(), 3);
    CHECK(parameters(trainer) == end);

    Lines other("line", {}, Adam{}, batches >> data::seeded(1));
    other.run(cpu(), 1);
    other.load(file.name);
    other.run(cpu(), 3);
    CHECK(parameters(other) == end);
}

TEST_CASE("A checkpoint wants the minibatches that wrote it") {
    const ScratchFile file;
    const Minibatches batches = minibatches(in_memory(), 4, 7);
    Lines writer("line", {}, Adam{}, batches);
    writer.save(file.name);
    const auto refusal = [&](const Minibatches& other) -> std::string {
        Lines reader("line", {}, Adam{}, other);
        try {
            reader.load(file.name);
        } catch (const MismatchError& e) { return e.expected + " | " + e.found; }
        return "none";
    };
    CHECK(refusal(batches) == "none");
    CHECK(refusal(batches >> data::prefetch(2)) == "none");
    CHECK(refusal(batches >> data::drop_last) == "drop_last 'yes' | 'no'");
    CHECK(refusal(batches >> data::shard(1, 2)) == "shard '1 of 2' | '0 of 1'");
    CHECK(refusal(batches >> noisy()) == "augmentation '0: noise(0.1)' | 'none'");
    CHECK(refusal(batches >> data::weighted(std::vector<float>(23, 1.0f))).starts_with("weights '"));
}

TEST_CASE("An error of the source comes out of run, at the batch where it happens, and a run can go on") {
    const auto blocks = std::make_shared<test::CountedBlocks>(20, 5);
    auto batches = minibatches_in_order(test::block_dataset(blocks, 2), 5);
    batches.prefetch = GENERATE(0u, 1u, 3u);
    Lines trainer("line", {}, Adam{}, batches);
    blocks->damaged = 2;
    CHECK_THROWS_AS(trainer.run(cpu(), 1), DataError);
    CHECK(trainer.iteration() == 2);
    blocks->damaged = -1;
    trainer.run(cpu(), 1);
    CHECK(trainer.iteration() == 4);
    CHECK(trainer.epoch() == 1);
}

TEST_CASE("A loss that is no number is found with prefetching, too") {
    const Minibatches batches = minibatches(in_memory(), 4, 7) >> data::prefetch(2);
    const auto fault = [&](const Minibatches& of) -> std::string {
        Lines trainer("line", {}, Adam{}, of);
        trainer.on_iteration([](auto& t) {
            if (t.iteration() == 8) t.optimizer.learning_rate = 1e38;
        });
        try {
            trainer.run(cpu(), 5);
        } catch (const NumericError& e) { return sentence(e.what(), " ", trainer.iteration()); }
        return "none";
    };
    CHECK(fault(batches) != "none");
    CHECK(fault(batches) == fault(batches >> data::prefetch(0)));
}
