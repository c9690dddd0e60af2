// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_environment_has_no_step_that_returns_an_EnvironmentStep<.*Coin
#include <sigma/acting/dqn.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/optimizer/adam.hpp>
#include <array>
using namespace sigma;

struct Values : Network<Input(1) + Dense(2) + SquaredDiff()> {};
struct Coin {
    static constexpr std::size_t actions = 2;
    std::array<float, 1> reset(PhiloxSequence&) { return {}; }
#ifdef TWIN
    EnvironmentStep<std::array<float, 1>> step(std::size_t) { return {}; }
#else
    double step(std::size_t) { return 1; }
#endif
};

DqnReport learn(Model<Values>& values) {
    DQN learner(values, Coin{}, Adam{});
    return learner.run(100);
}
