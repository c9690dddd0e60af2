// SPDX-License-Identifier: BSL-1.0
#include "support/steered_trainer.hpp"

#include <sigma/hook/early_stop.hpp>
#include <sigma/hook/optimizer_actions.hpp>
#include <sigma/hook/parameter_actions.hpp>
#include <sigma/hook/save.hpp>

#include <catch2/catch.hpp>
#include <support/scratch.hpp>

#include <filesystem>

using namespace sigma;
using namespace sigma::test;

namespace {

bool has(const Scratch& folder, const std::string& name) { return std::filesystem::exists(folder.path / name); }

/// The best of epoch 3 is what comes back at the end, in epoch 9. The rate falls with each step; some weights rest.
void steer(SteeredTrainer& trainer, const Scratch& folder) {
    trainer.add(every(1, epoch).then(table(validation_error, {5, 4, 3, 4, 4, 4, 4, 4, 4, 4})),
                early_stop(validation_error, {.patience = 6}), schedule(warm_up(3, cosine(40)), iteration),
                at(4, epoch).then(freeze("1-*")), at(7, epoch).then(unfreeze("*")),
                every(1, epoch).then(save(file(folder / "e", epoch)).keep_last(3)),
                every(3, iteration).then(save(file(folder / "i", iteration))));
}

}  // namespace

TEST_CASE("Whoever resumes comes to the same end, bit by bit, from each epoch and from within them") {
    const Scratch folder, copies;
    SteeredTrainer whole;
    steer(whole, folder);
    whole.run(cpu());
    REQUIRE(whole.epoch() == 9);
    CHECK_FALSE(has(folder, "e6"));
    std::filesystem::copy(folder.path, copies.path);
    for (const char* from : {"e7", "e8", "i3", "i6", "i9", "i12", "i15"}) {
        CAPTURE(from);
        SteeredTrainer resumed(0.7);
        steer(resumed, folder);
        resumed.load(copies / from);
        resumed.run(cpu());
        CHECK(resumed.epoch() == 9);
        CHECK(resumed.parameters() == whole.parameters());
        CHECK(resumed.optimizer.learning_rate == whole.optimizer.learning_rate);
    }
    std::filesystem::copy(copies.path, folder.path, std::filesystem::copy_options::overwrite_existing);
    SteeredTrainer again;
    steer(again, folder);
    again.load(copies / "e9");
    again.run(cpu(), 1);
    CHECK(has(folder, "e10"));
    CHECK_FALSE(has(folder, "e7"));
    CHECK(has(folder, "e8"));
}

TEST_CASE("Everything can be restored at the end of a run, or parameters alone") {
    const Scratch folder;
    std::vector<float> then;
    std::uint64_t epochs = 0;
    SECTION("everything") {
        SteeredTrainer trainer;
        trainer.add(at(2, epoch).then(save(folder / "a"), [&] { then = trainer.parameters(); }),
                    at(sigma::stop).then(restore(folder / "a")));
        trainer.run(cpu(), 5);
        CHECK(trainer.parameters() == then);
        CHECK(trainer.epoch() == 2);
        SteeredTrainer reference;
        reference.run(cpu(), 4);
        trainer.run(cpu(), 2);  // and restores again
        CHECK(trainer.epoch() == 2);
    }
    SECTION("parameters, within a run") {
        SteeredTrainer trainer;
        trainer.add(at(2, epoch).then(save(folder / "a"), [&] { then = trainer.parameters(); }),
                    at(9, iteration).then(restore_parameters(folder / "a", "1-*")));
        std::vector<float> last;
        trainer.on_iteration([&](auto& t) {
            if (t.iteration() == 9)
                sigma::detail::HookAccess::view(t).after_hooks(
                    [&] { last = trainer.parameters(), epochs = t.epoch(); });
        });
        trainer.run(cpu(), 5);
        CHECK(trainer.epoch() == 5);
        REQUIRE(last.size() == then.size());
        CHECK(std::equal(last.begin(), last.begin() + 3 * 5, then.begin()));  // weights of the first layer
        CHECK(last.back() != then.back());
        CHECK(epochs == 4);
    }
    SECTION("everything, within a run, which goes on from there") {
        SteeredTrainer trainer, reference;
        int left = 1;
        trainer.add(at(3, iteration).then(save(folder / "a")), at(5, iteration).then([&, from = folder / "a"](auto& t) {
            if (left-- > 0) sigma::detail::HookAccess::view(t).load_after_hooks(from);
        }));
        int steps = 0;
        trainer.on_iteration([&](auto&) { ++steps; });
        trainer.run(cpu(), 4);
        reference.run(cpu(), 4);
        CHECK(steps == 8 + 2);
        CHECK(trainer.parameters() == reference.parameters());
    }
    SECTION("not from a file that is not there") {
        SteeredTrainer trainer;
        trainer.add(at(1, epoch).then(restore(folder / "none")));
        CHECK_THROWS_AS(trainer.run(cpu(), 2), Error);
    }
}

TEST_CASE("A run that failed leaves nothing to be written by the next") {
    const Scratch folder;
    SteeredTrainer trainer;
    bool fails = true;
    trainer.add(at(1, epoch).then(save(folder / "a"), [&] {
        if (fails) throw Error("no");
    }));
    CHECK_THROWS_AS(trainer.run(cpu(), 3), HookError);
    fails = false;
    trainer.run(cpu(), 1);
    CHECK_FALSE(has(folder, "a"));
}

TEST_CASE("Rewinding takes back what hooks have done since the run began") {
    SteeredTrainer trainer(0.8);
    trainer.run(cpu(), 1);
    trainer.freeze("2-dense.biases");
    trainer.add(every(1, epoch).then(table(validation_error, {5, 4, 4, 4, 4, 4})),
                reduce_on_plateau(validation_error, {.factor = 0.5, .patience = 1}),
                at(2, epoch).then(freeze("1-*"), unfreeze("2-*")));
    trainer.run(cpu(), 3);
    const auto first = trainer.parameters();
    CHECK(trainer.optimizer.learning_rate == 0.2);
    trainer.rewind();
    CHECK(trainer.optimizer.learning_rate == 0.8);
    CHECK_FALSE(sigma::detail::HookAccess::view(trainer).frozen(trainer.model().find_parameter("1-dense.weights")));
    CHECK(sigma::detail::HookAccess::view(trainer).frozen(trainer.model().find_parameter("2-dense.biases")));
    trainer.run(cpu(), 3);
    CHECK(trainer.parameters() == first);
}
