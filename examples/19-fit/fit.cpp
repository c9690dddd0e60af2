// SPDX-License-Identifier: BSL-1.0
// The shortest program that learns something: it classifies three kinds of iris flowers by four lengths.
#include <sigma/data/ready.hpp>
#include <sigma/sigma.hpp>

#include <cstdio>

using namespace sigma;

// [fit]
struct Iris : Network<Input(4) + Dense(16, tanh) + Dense(3) + SoftmaxCE()> {};

int main() {
    auto iris = fit(Iris{}, data::iris(), Adam{.learning_rate = 0.01});
    const double accuracy = iris.evaluate(data::iris()).accuracy;
    // [fit]
    std::printf("%.1f %% of all flowers are classified correctly\n", 100 * accuracy);
    return accuracy > 0.95 ? 0 : 1;
}
