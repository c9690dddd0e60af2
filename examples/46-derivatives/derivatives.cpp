// SPDX-License-Identifier: BSL-1.0
// Derivatives beyond the gradient: Newton's method with the Hessian, the gradient of each record, the greatest
// curvature from Hessian-vector products, and the Jacobian of a robot arm.
#include <sigma/derivatives.hpp>
#include <sigma/sigma.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <xtensor/xrandom.hpp>

using namespace sigma;

constexpr int records = 200, columns = 4;

// [logistic]
// Logistic regression: the error of weights w over records x with labels y, which are 0 or 1.
constexpr auto one_error = [](auto x, auto y, auto w) {
    const auto score = dot(x, w);
    return softplus(score) - y * score;
};
constexpr auto objective = [](auto x, auto y, auto w) { return mean(one_error(x, y, w)) + 0.01 * sum(square(w)); };
// [logistic]

// [arm]
// The hand of an arm with three joints: each angle adds to those before.
constexpr auto hand = [](auto angles, auto lengths) {
    const auto direction = cumsum(angles);
    const auto across = sum(lengths * cos(direction), axis(0), keep), up = sum(lengths * sin(direction), axis(0), keep);
    return concatenate(axis(0), across, up);
};
// [arm]

int main() {
    xt::random::seed(1);
    xt::xtensor<double, 2> x = xt::random::randn<double>({records, columns});
    xt::xtensor<double, 1> y = xt::zeros<double>({records});
    std::size_t wrong = 0;
    const auto score = [&](std::size_t i) { return x(i, 0) + 2 * x(i, 1) - x(i, 2); };
    for (std::size_t i = 0; i < records; ++i) {
        y(i) = score(i) > 0 ? 1 : 0;
        if (score(i) > score(wrong)) wrong = i;
    }
    y(wrong) = 0;  // one label is wrong

    // [newton]
    const auto newton = evaluate([](auto a, auto b, auto w) {
        const auto slope = gradient(objective, wrt<2>)(a, b, w);
        return std::tuple{w - solve(hessian(objective, wrt<2>)(a, b, w), slope), norm(slope)};
    });
    xt::xtensor<double, 1> w = xt::zeros<double>({columns});
    double slope = 1;
    int steps = 0;
    for (; slope > 1e-12 && steps < 20; ++steps)
        std::tie(w, slope) = newton(shaped<records, columns>(x), shaped<records>(y), shaped<columns>(w));
    std::printf("Newton's method: slope %.0e after %d steps\n", slope, steps);
    // [newton]

    // [each]
    // A gradient for each record. The greatest one belongs to the record that fits worst.
    const auto of_each = vmap(gradient(one_error, wrt<2>), over_rows_of<0, 1>);
    const auto gradients = of_each(shaped<batch, columns>(x), y, shaped<columns>(w));  // (records, columns)
    const auto sizes = vmap([](auto g) { return norm(g); })(shaped<batch, columns>(gradients));
    const auto worst = static_cast<std::size_t>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
    // [each]
    std::printf("the record with the greatest gradient: %zu; with a wrong label: %zu\n", worst, wrong);

    // [curvature]
    // The greatest eigenvalue of the Hessian by power iteration. The Hessian itself is never computed.
    const auto along = hvp(objective, wrt<2>);
    xt::xtensor<double, 1> v = xt::ones<double>({columns});
    double greatest = 0;
    for (int i = 0; i < 100; ++i) {
        v = along(shaped<records, columns>(x), shaped<records>(y), shaped<columns>(w), shaped<columns>(v));
        greatest = evaluate([](auto a) { return norm(a); })(v);
        v /= greatest;
    }
    // [curvature]
    std::printf("greatest curvature: %.4f\n", greatest);

    // [reach]
    // The Jacobian (2, 3) says how each joint moves the hand. Damped least squares find angles that reach a point.
    const auto step = evaluate([](auto angles, auto lengths, auto target) {
        const auto j = jacobian(hand, wrt<0>)(angles, lengths);
        const auto missing = target - hand(angles, lengths);
        const auto identity = one_hot(iota_beside(j, 2), 2);  // (2, 2)
        const auto damped = dot(j, transpose(j)) + 0.001 * identity;
        return std::tuple{angles + dot(transpose(j), solve(damped, missing)), norm(missing)};
    });
    xt::xtensor<double, 1> angles{0.1, 0.1, 0.1};
    const xt::xtensor<double, 1> lengths{1.0, 0.8, 0.5}, target{0.5, 1.2};
    double missing = 1;
    for (int i = 0; i < 50; ++i)
        std::tie(angles, missing) = step(shaped<3>(angles), shaped<3>(lengths), shaped<2>(target));
    // [reach]
    std::printf("the hand misses its target by %.0e\n", missing);
    return steps < 10 && worst == wrong && greatest > 0.02 && missing < 1e-6 ? 0 : 1;
}
