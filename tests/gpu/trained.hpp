// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/host/host_backend.hpp>
#include <sigma/sigma.hpp>

#include <vector>

// Small networks and data for tests of training on an accelerator.
namespace trained {

using namespace sigma;

struct Small : Network<Input(5) + Dense(7, tanh) + Dropout(0.3f) + Dense(3) + SoftmaxCE()> {};

/// Points of three kinds, all but linearly separable.
inline Dataset points(std::size_t count) {
    xt::xarray<float> x(std::vector<std::size_t>{count, 5});
    xt::xarray<int> y(std::vector<std::size_t>{count});
    const Philox random(3, RandomUse::initialize, 0);
    for (std::size_t i = 0; i < count; ++i) {
        float sum = 0;
        for (std::size_t k = 0; k < 5; ++k) sum += x(i, k) = random.uniform<float>(5 * i + k) - 0.5f;
        y(i) = sum < -0.3f ? 0 : sum < 0.3f ? 1 : 2;
    }
    return make_dataset(x, y, "points");
}
inline auto batches_of(std::size_t count = 70) { return minibatches(points(count), 16, 5); }

template <class M>
std::vector<float> parameters_of(const M& model) {
    std::vector<float> all;
    for (int p = 0; p < M::parameter_count; ++p) {
        const auto rows = parameter_rows(model, p);
        for (std::size_t r = 0; r < rows.count; ++r) all.insert(all.end(), rows[r].begin(), rows[r].end());
    }
    return all;
}
/// The greatest difference.
template <class A, class B>
double apart(const A& a, const B& b) {
    if (a.size() != b.size()) return 1e30;
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double d = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
        if (!(d <= most)) most = d;
    }
    return most;
}

}  // namespace trained
