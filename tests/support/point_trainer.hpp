// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/philox.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/trainer/registry.hpp>

/// A trainer with tags, for tests of registries and environments.
namespace sigma::test {

struct Points
    : Network<Input(3) + named("deep", tagged("fc", Dense(5, tanh))) + tagged("head", Dense(2)) + SoftmaxCE()> {};
using Weights = Array<float>;
using Names = std::vector<std::string>;

inline Dataset points() {
    Numbers x{{8, 3}, std::vector<float>(24)};
    Philox(3, RandomUse::user, 0).fill_normal(std::span(x.values));
    return Dataset(x, Numbers{{8}, {0, 1, 0, 1, 1, 0, 1, 0}}, "points");
}
/// Two steps an epoch.
struct PointTrainer : Trainer<Points, Adam> {
    explicit PointTrainer(const std::string& name = "points", std::uint64_t seed = 5)
        : Trainer(name, {}, Adam{.learning_rate = 0.125}, sigma::minibatches(points(), 4, 9), {}, seed) {}
};

}  // namespace sigma::test
