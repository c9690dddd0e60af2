// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <gpu/host/host_backend.hpp>
#include <sigma/sigma.hpp>

#include <catch2/catch.hpp>
#include <gpu/devices.hpp>
#include <support/scratch.hpp>

#include <string>
#include <vector>

// Small networks and data for tests of training on an accelerator.
namespace trained {

using namespace sigma;

struct Small : Network<Input(5) + Dense(7, tanh) + Dropout(0.3f) + Dense(3) + SoftmaxCE()> {};

/// Returns the accelerators of the tests: the host backend, and a CUDA device if there is one.
inline std::vector<Device> devices() {
    std::vector<Device> all;
    for (const auto& each : test::with_cuda({on_gpu::host_backend()})) all.emplace_back(each);
    return all;
}

/// Points of three kinds that are almost linearly separable.
inline Dataset points(std::size_t count) {
    auto x = Array<float>::from_shape({count, 5});
    auto y = Array<int>::from_shape({count});
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
/// Returns the greatest difference.
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

/// Points with two targets: a kind and a number.
inline Dataset two_targets() {
    NamedNumbers points_of{"points", {{33, 5}, {}}}, kind{"kind", {{33}, {}}}, price{"price", {{33, 1}, {}}};
    const Philox random(8, RandomUse::initialize, 0);
    for (std::size_t i = 0; i < 33; ++i) {
        for (std::size_t k = 0; k < 5; ++k) points_of.numbers.values.push_back(random.uniform<float>(5 * i + k));
        price.numbers.values.push_back(points_of.numbers.values[5 * i] + points_of.numbers.values[5 * i + 1]);
        kind.numbers.values.push_back(static_cast<float>(i % 3));
    }
    return {{points_of}, {kind, price}, "both", {}};
}

/// Returns the result of training on `first` until the seventh step, which is saved, loaded by another trainer, and
/// continued on `second`.
template <class N>
std::vector<double> continued_elsewhere(const auto& first, const auto& second, const char* name) {
    const ScratchFile kept(name);
    const std::string& file = kept.name;
    {
        Trainer trainer("moves", N{}, Adam{}, batches_of());
        trainer.on_iteration([&](auto& t) {
            if (t.iteration() == 7) sigma::detail::HookAccess::view(t).save_after_hooks(file);
        });
        trainer.run(first, 2);
    }
    Trainer trainer("moves", N{}, Adam{}, batches_of());
    trainer.load(file);
    CHECK(trainer.iteration() == 7);
    trainer.run(second, 2);
    std::vector<double> all{trainer.training_loss(), trainer.loss(), static_cast<double>(trainer.iteration())};
    for (const float x : parameters_of(trainer.model())) all.push_back(static_cast<double>(x));
    return all;
}

}  // namespace trained
