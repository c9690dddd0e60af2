// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/execution/inspect.hpp>
#include <sigma/execution/step.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/optimizer/gradient_descent.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <support/direct_step.hpp>
#include <vector>

namespace sigma::test {

using Values = std::vector<double>;

inline Values normal(std::size_t count, std::uint64_t seed, double deviation = 1) {
    Values x(count);
    Philox(seed, RandomUse::user, 0).fill_normal(std::span<double>(x), 0.0, deviation);
    return x;
}

/// Every parameter far from where it starts: ones and zeros would hide mistakes.
template <class N>
void scramble(Model<N, double>& model, std::uint64_t seed) {
    for (int i = 0; i < model.parameter_count; ++i) {
        auto w = model.parameter(i);
        const Values r = normal(w.size(), seed + static_cast<std::uint64_t>(i), 0.5);
        std::size_t k = 0;
        for (auto& v : w) {  // statistics stay positive: some are variances
            v = model.records.parameters[i].trained ? r[k] : 1 + 0.5 * std::tanh(r[k]);
            ++k;
        }
    }
}

/// The greatest difference of a training step's gradients from central differences, over all parameters, relative to
/// max(1, |gradient|). Random targets give a random upstream gradient; a first layer `Elementwise()` in front of the
/// tested one brings the gradient of the input. The number of the step fixes its random numbers. h = 1e-5 leaves an
/// error of about h² f'''/6 and of 1e-16 |f| / h, both below 1e-8 for losses and derivatives up to a few hundred.
template <class N>
double gradient_error(std::ptrdiff_t records, std::uint64_t seed = 1) {
    Model<N, double> model(seed);
    scramble(model, 100 * seed);
    sigma::test::DirectStep<N, GradientDescent, double> step(model);
    const Values x = normal(static_cast<std::size_t>(N::input.count() * records), seed + 1);
    const Values y = normal(static_cast<std::size_t>(N::target.count() * records), seed + 2);
    const auto memory = model.parameter_memory();
    const Values before(memory.begin(), memory.end());
    const auto restore = [&] { std::copy(before.begin(), before.end(), memory.begin()); };
    const auto loss = [&] { return step(GradientDescent{.learning_rate = 0}, 5, x.data(), y.data(), records); };
    step(GradientDescent{.learning_rate = 1}, 5, x.data(), y.data(), records);
    std::vector<Values> gradients;
    for (int i = 0; i < model.parameter_count; ++i) {
        const auto w = model.parameter(i);
        gradients.emplace_back(w.begin(), w.end());
    }
    restore();
    double worst = 0;
    for (int i = 0; i < model.parameter_count; ++i) {
        if (!model.records.parameters[i].trained) continue;
        auto w = model.parameter(i);
        std::size_t k = 0;
        for (auto& v : w) {
            constexpr double h = 1e-5;
            const double middle = v, gradient = middle - gradients[static_cast<std::size_t>(i)][k++];
            v = middle + h;
            const double above = loss();
            v = middle - h;
            const double below = loss();
            v = middle;
            const double wanted = (above - below) / (2 * h);
            worst = std::max(worst, std::abs(gradient - wanted) / std::max(1.0, std::abs(wanted)));
            if (!std::isfinite(gradient) || !std::isfinite(wanted)) return INFINITY;
        }
    }
    return worst;
}
inline constexpr double gradient_tolerance = 1e-7;

/// Predictions for these records.
template <class N>
Values predict(Model<N, double>& model, const Values& x) {
    const auto records = static_cast<std::ptrdiff_t>(x.size()) / N::input.count();
    Values y(static_cast<std::size_t>(N::output.count() * records));
    model.predict(x.data(), y.data(), records);
    return y;
}
inline double distance(const Values& a, const Values& b) {
    if (a.size() != b.size()) return INFINITY;
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        worst = std::max(worst, std::isnan(a[i]) ? INFINITY : std::abs(a[i] - b[i]));
    return worst;
}
template <class V>
Values values(const V& view) {
    return {view.begin(), view.end()};
}

}  // namespace sigma::test
