// SPDX-License-Identifier: BSL-1.0
// An expression over arrays, and its gradient. You write the forward formula only. The compiler checks its shapes,
// differentiates it, and generates one fused kernel for value and gradient.
#include <sigma/function/function.hpp>

#include <cmath>
#include <cstdio>
#include <xtensor/xrandom.hpp>

using namespace sigma;

int main() {
    // [function]
    const auto f = [](auto x, auto w, auto b) { return mean(square(tanh(dot(x, w) + b))); };
    // [function]

    // [call]
    xt::random::seed(1);
    xt::xtensor<double, 2> x = xt::random::randn<double>({10, 4}), w = xt::random::randn<double>({4, 3});
    xt::xtensor<double, 1> b{0.1, -0.2, 0.3};

    // The type of an array has its number of axes; `shaped` adds their extents. The number of records stays open.
    const auto [value, dx, dw, db] = value_and_gradient(f)(shaped<batch, 4>(x), shaped<4, 3>(w), shaped<3>(b));
    // [call]

    std::printf("f(x, w, b) = %.6f\n", value);
    std::printf("df/db      = %.6f %.6f %.6f\n", db(0), db(1), db(2));

    // The same derivative by a difference quotient.
    const double h = 1e-6;
    b(0) += h;
    const double above = evaluate(f)(shaped<batch, 4>(x), shaped<4, 3>(w), shaped<3>(b));
    b(0) -= 2 * h;
    const double below = evaluate(f)(shaped<batch, 4>(x), shaped<4, 3>(w), shaped<3>(b));
    const double quotient = (above - below) / (2 * h);
    std::printf("quotient   = %.6f\n", quotient);

    // [second]
    // A gradient is a function like any other, so it can be differentiated: (sin x · eˣ)'' = 2 cos x · eˣ.
    const auto first = [](auto v) { return gradient([](auto u) { return sin(u) * exp(u); })(v); };
    const double second = gradient(first)(0.5);
    // [second]
    std::printf("second derivative of sin x exp x at 0.5 = %.6f\n", second);

    const bool good = std::abs(quotient - db(0)) < 1e-8 && std::abs(second - 2 * std::cos(0.5) * std::exp(0.5)) < 1e-12;
    std::puts(good ? "The gradient agrees with the difference quotient." : "The gradient is wrong.");
    return good ? 0 : 1;
}
