// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <gpu/host/host_backend.hpp>
#include <sigma/sigma.hpp>

#include <gpu/device.hpp>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>
#include <vector>

// Narrow versions of the networks of examples/, trained on data of their shapes, to compare the losses on all devices.
namespace examples {

using namespace sigma;

constexpr std::size_t records = 37, in_a_batch = 8;  // the last batch of an epoch has 5
constexpr std::int64_t epochs = 4;                   // of 5 steps each

inline Numbers drawn(std::initializer_list<std::size_t> shape, std::uint32_t seed, auto value) {
    Numbers numbers{shape, {}};
    std::size_t count = 1;
    for (const std::size_t extent : shape) count *= extent;
    const Philox random(seed, RandomUse::initialize, 0);
    for (std::size_t i = 0; i < count; ++i) numbers.values.push_back(value(random.uniform<float>(i)));
    return numbers;
}
/// Returns numbers from 0 to 1.
inline Numbers fractions(std::initializer_list<std::size_t> shape, std::uint32_t seed = 1) {
    return drawn(shape, seed, [](float x) { return x; });
}
/// Returns integers below `count`.
inline Numbers labels(std::initializer_list<std::size_t> shape, int count, std::uint32_t seed = 2) {
    return drawn(shape, seed, [=](float x) { return std::floor(x * static_cast<float>(count)); });
}

/// Returns the losses of 20 steps.
template <class N, class O>
std::vector<double> losses_on(const Device& device, const Dataset& data, O optimizer) {
    Trainer trainer("an example", N{}, optimizer, minibatches(data, in_a_batch, 5));
    std::vector<double> losses;
    trainer.on_iteration([&](auto& t) { losses.push_back(t.loss()); });
    trainer.run(device, epochs);
    return losses;
}
/// Returns the greatest difference of two losses of a step, as a share of the greater loss.
inline double apart(const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() != b.size()) return 1e30;
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double d = std::abs(a[i] - b[i]) / std::max(std::abs(a[i]), std::abs(b[i]));
        if (!(d <= most)) most = d;
    }
    return most;
}

/// The tolerance of losses. Devices sum in different orders, and half an ulp of float is 6e-8. Losses begin a few ulp
/// apart, and steps increase the difference, most of all those of Adam and Adagrad, which have full length even if a
/// gradient is near zero. The host backend differed by at most 3e-7 over all these networks and 20 steps. A GPU also
/// has other exponentials. Gradients of weights without one record of a batch would cause 1e-2.
constexpr double tolerance = 2e-5;

/// Trains on the processor, on the host backend and on a CUDA device, if there is one.
template <class N, class O>
void check_devices(const Dataset& data, O optimizer) {
    const auto here = losses_on<N>(cpu(), data, optimizer);
    REQUIRE(here.size() == 20);
    CHECK(here.front() != here.back());
    const double host = apart(losses_on<N>(on_gpu::host_device(), data, optimizer), here);
    CHECK(host < tolerance);
    const auto device = test::cuda_device();
    if (!device) return;
    CHECK(apart(losses_on<N>(Device(device), data, optimizer), here) < tolerance);
}

}  // namespace examples
