// SPDX-License-Identifier: BSL-1.0
// Classifies three kinds of iris with `Sequential`, which needs no declared network and no trainer. At least 94 % of
// the test flowers are classified correctly.
#include <sigma/data/ready.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/transforms.hpp>
#include <sigma/sigma.hpp>

#include <cstdio>

using namespace sigma;

int main() {
    auto [training, testing] = stratified_split(shuffled(data::iris(), 7), 2.0 / 3, 1.0 / 3);
    const data::Preprocessing standardized = fitted(data::standardize(data::inputs), training);
    training = training >> standardized;
    testing = testing >> standardized;

    // [network]
    auto network = Sequential<Input(4)>()
                       .dense<20, sigmoid>()
                       .dense<3>()
                       .loss(losses::softmax_ce)
                       .optimizer(clip_gradient_norm(Adam{.learning_rate = 0.02}, 1.0));
    // [network]
    std::puts(network.summary().c_str());

    // [train]
    const auto x = training.inputs(), y = training.targets();  // (records, 4) and (records)
    const auto history = network.train(x, y, {.epochs = 60, .batch_size = 10, .validation = testing});
    // [train]
    for (const EpochResult& e : history.epochs)
        if (e.epoch % 10 == 0)
            std::printf("epoch %2d  loss %.4f  accuracy on the test flowers %.3f\n", static_cast<int>(e.epoch),
                        e.training_loss, e.accuracy);

    // [predict]
    const Array<float> flower = {-0.9f, 1.0f, -1.3f, -1.2f};  // one record, in units of standard deviations
    const auto p = network.predict(flower);
    // [predict]
    std::printf("\na flower with small petals: %.3f %.3f %.3f\n", static_cast<double>(p(0)), static_cast<double>(p(1)),
                static_cast<double>(p(2)));

    constexpr double wanted = 0.94;
    const double found = network.evaluate(testing).accuracy;
    std::printf("accuracy on the test flowers %.3f\n", found);
    if (found >= wanted) return 0;
    std::printf("the accuracy should be at least %.0f %%\n", 100 * wanted);
    return 1;
}
