// SPDX-License-Identifier: BSL-1.0
// An ordinary program of a table: CSV, preprocessing, split, early stopping, save.
#include <sigma/data/data.hpp>
#include <sigma/sigma.hpp>

#include <cstdio>

using namespace sigma;
using namespace sigma::data;

struct Iris : Network<Input(4) + Dense(10, tanh) + Dense(3) + SoftmaxCE()> {};

int main() {
    const auto flowers =
        csv(file(SIGMA_SHARE_DIR "/iris/iris.data")) >>
        sections(inputs = columns<0, 3>(), targets = labels(4, {"Iris-setosa", "Iris-versicolor", "Iris-virginica"})) >>
        dataset("iris");
    const auto [training, validation] = stratified_split(shuffled(flowers, 7), 0.8, 0.2);
    const Preprocessing standardized = fitted(standardize(inputs), training);

    Trainer trainer("iris", Iris{}, Adam{.learning_rate = 0.01}, minibatches(training >> standardized, 10));
    trainer.add(every(1, epoch).then(score(validation >> standardized), report(epoch, error, validation_error)),
                early_stop(validation_error, {.patience = 10}));
    trainer.run(cpu(1), 50);
    std::printf("%.1f %%\n", 100 * trainer.evaluate(validation >> standardized).accuracy);
    trainer.save("iris.sigma");
}
