// SPDX-License-Identifier: BSL-1.0
// Ridge regression: the weights are the solution of a system of linear equations. The penalty of large weights is
// learned from the gradient of the validation error, through that solution.
#include <sigma/function/function.hpp>
#include <sigma/tape/linear_algebra.hpp>

#include <cmath>
#include <cstdio>
#include <xtensor/xrandom.hpp>

using namespace sigma;

constexpr int records = 40, columns = 30;

// [ridge]
constexpr auto weights = [](auto x, auto y, auto penalty) {
    const auto identity = one_hot(iota_beside(x, columns), columns);
    const auto products = dot(transpose(x), x);
    return solve(products + penalty * identity, dot(transpose(x), y));  // (xᵀx + λ·1)⁻¹·xᵀy
};
constexpr auto error = [](auto x, auto y, auto other_x, auto other_y, auto log_penalty) {
    return mean(square(dot(other_x, weights(x, y, exp(log_penalty))) - other_y));
};
// [ridge]

int main() {
    xt::random::seed(3);
    const xt::xtensor<double, 1> truth = xt::random::randn<double>({columns}) * 0.3;
    const auto inputs = [] { return xt::xtensor<double, 2>(xt::random::randn<double>({records, columns})); };
    const auto targets = [&](const xt::xtensor<double, 2>& x) {
        xt::xtensor<double, 1> y = xt::random::randn<double>({records});  // noise
        for (std::size_t i = 0; i < records; ++i)
            for (std::size_t j = 0; j < columns; ++j) y(i) += x(i, j) * truth(j);
        return y;
    };
    const auto x = inputs(), other_x = inputs();
    const auto y = targets(x), other_y = targets(other_x);
    const auto at = [&](auto f, double log_penalty) {
        return f(shaped<records, columns>(x), shaped<records>(y), shaped<records, columns>(other_x),
                 shaped<records>(other_y), log_penalty);
    };

    double log_penalty = -3;
    const double before = at(evaluate(error), log_penalty);
    for (int step = 0; step < 200; ++step) log_penalty -= 0.5 * at(gradient(error, wrt<4>), log_penalty);
    const double learned = at(evaluate(error), log_penalty);

    double best = before, best_at = log_penalty;
    for (double other = -3; other < 7; other += 0.05)
        if (const double found = at(evaluate(error), other); found < best) best = found, best_at = other;
    std::printf("penalty %7.3f: error %.4f\n", std::exp(-3.0), before);
    std::printf("penalty %7.3f: error %.4f, learned\n", std::exp(log_penalty), learned);
    std::printf("penalty %7.3f: error %.4f, the best of 200 values\n", std::exp(best_at), best);
    const bool good = learned <= best + 1e-4;
    std::puts(good ? "Learned as well as searched." : "The learned penalty is not the best.");
    return good ? 0 : 1;
}
