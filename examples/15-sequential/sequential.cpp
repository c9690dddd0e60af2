// SPDX-License-Identifier: BSL-1.0
// Classifies three kinds of iris with `Sequential`, which needs no declared network and no trainer, then estimates the
// width of their petals. At least 94 % of the test flowers are classified correctly, and the root mean squared error of
// the width is at most 0.4 standard deviations.
#include <sigma/data/ready.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/transforms.hpp>
#include <sigma/sigma.hpp>

#include <cstdio>
#include <utility>

using namespace sigma;

namespace {

/// Returns the other three columns, and the width of the petals.
std::pair<Array<float>, Array<float>> without_width(const Dataset& flowers) {
    const auto all = flowers.inputs();
    Array<float> others = Array<float>::from_shape({flowers.size(), 3}),
                 widths = Array<float>::from_shape({flowers.size(), 1});
    for (std::size_t i = 0; i < flowers.size(); ++i) {
        for (std::size_t k = 0; k < 3; ++k) others(i, k) = static_cast<float>(all(i, k));
        widths(i, 0) = static_cast<float>(all(i, 3));
    }
    return {others, widths};
}

}  // namespace

int main() {
    auto [training, testing] = stratified_split(shuffled(data::iris(), 7), 2.0 / 3, 1.0 / 3);
    const data::Preprocessing standardized = fitted(data::standardize(data::inputs), training);
    training = training >> standardized;
    testing = testing >> standardized;

    // [network]
    auto network = Sequential()
                       .dense(20, sigmoid)
                       .dense(3)
                       .loss(losses::softmax_ce)
                       .optimizer(clip_gradient_norm(Adam{.learning_rate = 0.02}, 1.0));
    // [network]

    // [train]
    const auto x = training.inputs(), y = training.targets();  // (records, 4) and (records)
    const auto history = network.train(x, y, {.epochs = 60, .batch_size = 10, .validation = testing});
    // [train]
    std::puts(network.summary().c_str());
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
    if (found < wanted) {
        std::printf("the accuracy should be at least %.0f %%\n", 100 * wanted);
        return 1;
    }

    const auto [features, labels] = without_width(training);
    const auto [other_features, other_labels] = without_width(testing);
    // [regression]
    auto petals = Sequential().dense(20, sigmoid).dense(1).loss(losses::rmse).optimizer(Adam{.learning_rate = 0.02});
    petals.train(features, labels, {.epochs = 100});
    const double rmse = petals.evaluate(other_features, other_labels, regression)["rmse"];
    // [regression]
    std::printf("root mean squared error of the width of petals: %.2f standard deviations\n", rmse);
    return rmse <= 0.4 ? 0 : 1;
}
