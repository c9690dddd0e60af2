// SPDX-License-Identifier: BSL-1.0
#include <catch2/catch.hpp>
#include <sigma/device/gpu/host/host_backend.hpp>
#include <sigma/sigma.hpp>

using namespace sigma;

namespace {

struct Small : Network<Input(5) + Dense(7, tanh) + Dropout(0.3f) + Dense(3) + SoftmaxCE()> {};

Dataset points(std::size_t count) {
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

template <class N, class O>
std::vector<double> run_losses(const Device& device, Dataset data, O optimizer, std::int64_t epochs, bool read_each = true) {
    Trainer trainer("small", N{}, optimizer, minibatches(data, 16, 5));
    std::vector<double> all;
    if (read_each) trainer.on_iteration([&](auto& t) { all.push_back(t.loss()); });
    trainer.on_epoch([&](auto& t) { all.push_back(t.error()); });
    trainer.run(device, epochs);
    return all;
}

}  // namespace

TEST_CASE("a network trains on an accelerator as on the processor") {
    const auto data = points(70);
    const auto here = run_losses<Small>(cpu(), data, Adam{}, 3);
    const auto there = run_losses<Small>(gpu::host_accelerator(), data, Adam{}, 3);
    REQUIRE(here.size() == there.size());
    for (std::size_t i = 0; i < here.size(); ++i) CHECK(there[i] == Approx(here[i]).epsilon(1e-4));
}
