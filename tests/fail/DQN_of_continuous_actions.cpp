// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_DQN_takes_no_continuous_actions<.*Coin
#include <sigma/acting/dqn.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/optimizer/adam.hpp>
#include <array>
using namespace sigma;

struct Values : Network<Input(1) + Dense(2) + SquaredDiff()> {};
struct Coin {
    std::array<float, 1> reset(PhiloxSequence&) { return {}; }
#ifdef TWIN
    static constexpr std::size_t actions = 2;
    EnvironmentStep<std::array<float, 1>> step(std::size_t) { return {}; }
#else
    static constexpr std::size_t action_size = 2;
    EnvironmentStep<std::array<float, 1>> step(std::span<const float>) { return {}; }
#endif
};

DqnReport learn(Model<Values>& values) {
    DQN learner(values, Coin{}, Adam{});
    return learner.run(100);
}
