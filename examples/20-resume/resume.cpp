// SPDX-License-Identifier: BSL-1.0
// A run that is killed resumes from its last checkpoint. Its result is bit-identical to an uninterrupted run: with
// dropout, shuffled batches, a learning-rate schedule and hooks.
#include <sigma/data/ready.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/transforms.hpp>
#include <sigma/hook/notify.hpp>
#include <sigma/sigma.hpp>

#include <cstdio>

#include <sys/wait.h>
#include <unistd.h>

using namespace sigma;

struct Wine : Network<Input(13) + Dense(32, relu) + Dropout(0.3f) + Dense(3) + SoftmaxCE()> {};

namespace {

constexpr int epochs = 40;
const char* const file_name = "wine.sigma";

/// Trains, and resumes from the checkpoint if there is one. Calls `on_step` with the number of each iteration.
template <class F>
Model<Wine> train(const Minibatches& batches, F on_step) {
    Trainer trainer("wine", Wine{}, Adam{.learning_rate = 0.01}, batches);
    trainer.add(schedule(cosine(epochs), epoch), every(10, epoch).then(report(epoch, error, learning_rate)),
                every(7, iteration).then(save(file_name)), at(stop).then(report("finished").to(sound())),
                every(1, iteration).then([&](auto& t) { on_step(t.iteration()); }));
    // [load]
    if (trainer.load_if_exists(file_name))
        std::printf("resuming after epoch %d, step %d of the next\n", static_cast<int>(trainer.epoch()),
                    static_cast<int>(trainer.iteration() - trainer.epoch() * trainer.batches_per_epoch()));
    // [load]
    trainer.run(cpu(), epochs - static_cast<std::int64_t>(trainer.epoch()));
    return trainer.model();
}

int run() {
    const auto batches = minibatches(data::wine() >> data::standardize(data::inputs), 16);
    std::remove(file_name);
    std::printf("a run without interruption\n");
    const auto whole = train(batches, [](std::uint64_t) {});
    std::remove(file_name);

    std::printf("\na run that is killed at step 250, and after every ten steps again\n");
    std::fflush(stdout);
    for (std::uint64_t victim = 250; victim < 300; victim += 10) {
        const pid_t child = ::fork();
        if (child == 0) {
            train(batches, [&](std::uint64_t step) {
                if (step == victim) ::raise(SIGKILL);
            });
            ::_exit(0);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        if (!WIFSIGNALED(status)) return 1;
    }
    auto resumed = train(batches, [](std::uint64_t) {});
    std::remove(file_name);

    auto expected = whole;
    bool equal = true;
    for (int i = 0; i < Model<Wine>::parameter_count; ++i)
        equal = equal && expected.parameter(i) == resumed.parameter(i);
    std::printf("\nthe parameters are %s\n", equal ? "the same, bit by bit" : "not the same");
    return equal ? 0 : 1;
}

}  // namespace

int main() { return run_main(run); }
