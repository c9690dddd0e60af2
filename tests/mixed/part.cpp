// SPDX-License-Identifier: BSL-1.0
// Compiled twice for one program, with other instructions: SIGMA_PART is the function's name. The same templates of the
// same types are in both objects.
#include "part.hpp"

#include <sigma/execution/batch_trainer.hpp>
#include <sigma/sigma.hpp>

namespace {

template <class A>
void append(std::vector<double>& to, const A& from) {
    for (const auto x : from) to.push_back(static_cast<double>(x));
}

}  // namespace

struct Mixed : sigma::Network<sigma::Input(3) + sigma::Dense(5, sigma::tanh) + sigma::Dense(7) + sigma::SquaredDiff()> {
};

Found SIGMA_PART() {
    using namespace sigma;
    const Array<float> x = {{1, 2, 3}, {-1, .5f, 2}, {0, 1, -2}};
    const Array<float> y = {{1, 2, 3, 4, 5, 6, 7}, {1, 2, 3, 4, 5, 6, 7}, {7, 6, 5, 4, 3, 2, 1}};
    Model<Mixed> model(3);
    Found found{model.lanes(), on_cpu::lanes<float>, {}};
    append(found.numbers, model.predict(x));
    BatchTrainer by_hand(model, Adam{.learning_rate = 0.1});
    for (int i = 0; i < 20; ++i) found.numbers.push_back(by_hand.train_on_batch(x, y));
    const Predictor predictor(model);
    append(found.numbers, predictor.predict(x));
    Trainer trainer("mixed", Mixed{}, GradientDescent{.learning_rate = 0.05},
                    minibatches(make_dataset(x, y, "mixed"), 2));
    trainer.run(cpu(1), 10);
    append(found.numbers, trainer.predict(x));
    return found;
}
