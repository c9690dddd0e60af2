// SPDX-License-Identifier: BSL-1.0
// A network that is too large for 80 records overfits. Its error on 159 validation records falls and then rises. The
// run ends after 15 epochs without an improvement and restores the parameters of the best epoch. The learning rate has
// a warm-up and a cosine schedule. More than 95 % of 330 test records are classified correctly.
#include <sigma/data/ready.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/transforms.hpp>
#include <sigma/sigma.hpp>

#include <cstdio>

using namespace sigma;

struct TooLarge : Network<Input(30) + Dense(128, relu) + Dense(128, relu) + Dense(2) + SoftmaxCE()> {};

namespace {

int run() {
    auto [training, validation, testing] = stratified_split(data::wdbc(), 0.14, 0.28, 0.58);
    const data::Preprocessing standardized = fitted(data::standardize(data::inputs), training);
    for (auto* part : {&training, &validation, &testing}) *part = *part >> standardized;
    std::printf("%zu training records, %zu for early stopping, %zu for testing\n\n", training.size(), validation.size(),
                testing.size());

    Trainer trainer("too large", TooLarge{}, Adam{.learning_rate = 0.003}, minibatches(training, 16));
    double least = 0;
    trainer.add(every(epoch).then(score(validation),
                                  report("epoch {:3}  rate {:.5f}  loss {:.4f}  validation {:.4f}, least {:.4f}", epoch,
                                         learning_rate, training_loss, validation_loss, smallest(validation_loss)),
                                  use(smallest(validation_loss), [&](double l) { least = l; })),
                schedule(warm_up(10, cosine(300)), iteration), early_stop(validation_loss, {.patience = 15}));
    trainer.run(cpu(), 200);

    const double restored = trainer.evaluate(validation).error, share = trainer.evaluate(testing).accuracy;
    std::printf("\nthe run ended after epoch %d; the validation loss is %.4f again\naccuracy on new records %.1f %%\n",
                static_cast<int>(trainer.epoch()), restored, 100 * share);
    if (restored != least) {
        std::printf("the parameters should be those of the least validation loss, %.4f\n", least);
        return 1;
    }
    if (trainer.epoch() == 200 || share < 0.95) {
        std::printf("the run should have stopped early, with an accuracy of at least 95 %%\n");
        return 1;
    }
    return 0;
}

}  // namespace

int main() { return run_main(run); }
