// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_environment_has_no_actions<.*Coin
#include <sigma/acting/ppo.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/optimizer/adam.hpp>
#include <array>
using namespace sigma;

struct Policy : Network<Input(1) + Dense(2) + SoftmaxCE()> {};
struct Value : Network<Input(1) + Dense(1) + SquaredDiff()> {};
struct Coin {
#ifdef TWIN
    static constexpr std::size_t actions = 2;
#endif
    std::array<float, 1> reset(PhiloxSequence&) { return {}; }
    EnvironmentStep<std::array<float, 1>> step(std::size_t) { return {}; }
};

PpoUpdate learn(Model<Policy>& policy, Model<Value>& value) {
    PPO learner(policy, value, Coin{}, Adam{});
    return learner.update();
}
