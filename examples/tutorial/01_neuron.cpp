// SPDX-License-Identifier: BSL-1.0
// Tutorial, chapter 1: one neuron learns a line from points, by a gradient and a loop.
//   tutorial_01_neuron [PICTURE.svg]
#include <sigma/xtensor.hpp>

#include <cmath>
#include <cstdio>
#include <xtensor/xrandom.hpp>
#include "picture.hpp"

using namespace sigma;

int main(int count, char** arguments) {
    // [data]
    // 50 points near the line y = 3x - 1.
    xt::random::seed(1);
    const xt::xtensor<double, 1> x = xt::random::rand<double>({50}, -1, 1);
    const xt::xtensor<double, 1> y = 3 * x - 1 + 0.2 * xt::random::randn<double>({50});
    // [data]

    // [loss]
    const auto loss = [](auto w, auto b, auto in, auto out) { return mean(square(w * in + b - out)); };
    const auto slope = value_and_gradient(loss, wrt<0, 1>);
    // [loss]

    // [loop]
    double w = 0, b = 0;
    for (int step = 0; step <= 50; ++step) {
        const auto [error, dw, db] = slope(w, b, shaped<batch>(x), shaped<batch>(y));
        if (step % 10 == 0) std::printf("step %2d  loss %.4f  w %.3f  b %.3f\n", step, error, w, b);
        w -= 0.3 * dw;
        b -= 0.3 * db;
    }
    // [loop]

    if (count > 1) {
        tutorial::Chart chart("One neuron: y = wx + b", "x", "y");
        chart.points("data", x, y);
        chart.line("learned", {-1.0, 1.0}, {b - w, b + w});
        chart.write(arguments[1]);
    }
    return std::abs(w - 3) < 0.1 && std::abs(b + 1) < 0.1 ? 0 : 1;
}
