// SPDX-License-Identifier: BSL-1.0
// Classifies wines of three growers with four networks (workers) that are trained apart, each on a fourth of the
// batches, and averaged after each epoch. Then the same with one network. Hooks score the average of the workers.
#include <sigma/data/ready.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/transforms.hpp>
#include <sigma/sigma.hpp>

#include <cstdio>

using namespace sigma;

struct Wine : Network<Input(13) + Dense(24, relu) + Dropout(0.2) + Dense(3) + SoftmaxCE()> {};

namespace {

template <class Where>
double trained(const char* name, const Where& where) {
    const Dataset wine = data::wine() >> data::standardize(data::inputs);
    Trainer trainer(name, Wine{}, Adam{.learning_rate = 0.01}, minibatches(wine, 8));
    std::printf("%s\n", name);
    trainer.add(every(5, epoch).then(
        score(wine), report("  epoch {:2}  error {:.3f}  accuracy {:.3f}  largest of a worker {:.3f}", epoch,
                            validation_error, accuracy, maximum_over_workers(error))));
    trainer.run(where, 15);
    return trainer.evaluate(wine).accuracy;
}

int run() {
    // [workers]
    const double four = trained("four workers", workers(4));
    const double one = trained("one network", cpu());
    // [workers]
    std::printf("classified correctly: %.1f %% by the average of four, %.1f %% by one\n", 100 * four, 100 * one);
    return four > 0.95 && one > 0.95 ? 0 : 1;
}

}  // namespace

int main() { return run_main(run); }
