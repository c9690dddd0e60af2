// SPDX-License-Identifier: BSL-1.0
// Two networks begin with the same parameters, and each learns from another half of the wines. Their average then
// classifies at least as many test wines correctly as the worse of the two, and 90 % or more.
#include <sigma/data/ready.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/transforms.hpp>
#include <sigma/sigma.hpp>

#include <algorithm>
#include <cstdio>

using namespace sigma;

struct Wines : Network<Input(13) + Dense(16, tanh) + Dense(3) + SoftmaxCE()> {};

int main() {
    auto [training, testing] = stratified_split(shuffled(data::wine(), 7), 2.0 / 3, 1.0 / 3);
    const data::Preprocessing standardized = fitted(data::standardize(data::inputs), training);
    const auto [one_half, other_half] = stratified_split(training >> standardized, 0.5, 0.5);
    testing = testing >> standardized;

    // [merge]
    Trainer first("first half", Wines{}, Adam{.learning_rate = 0.01}, minibatches(one_half, 16), element<float>, 1);
    Trainer second("second half", Wines{}, Adam{.learning_rate = 0.01}, minibatches(other_half, 16), element<float>, 1);
    first.run(cpu(), 10);
    second.run(cpu(), 10);
    const Model<Wines> average = merge({first.model(), second.model()});
    // [merge]

    const double of_first = first.evaluate(testing).accuracy, of_second = second.evaluate(testing).accuracy,
                 of_both = average.evaluate(testing).accuracy;
    std::printf("accuracy on %zu test wines: first half %.3f, second half %.3f, average %.3f\n", testing.size(),
                of_first, of_second, of_both);
    if (of_both >= std::min(of_first, of_second) && of_both >= 0.9) return 0;
    std::puts("the average should classify at least as well as the worse half, and at least 90 %");
    return 1;
}
