// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_environment_has_no_reset_that_returns_floats<.*Coin
#include <sigma/acting/environment.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <array>
using namespace sigma;

struct Policy : Network<Input(1) + Dense(2) + SoftmaxCE()> {};
struct Coin {
    static constexpr std::size_t actions = 2;
#ifdef TWIN
    std::array<float, 1> reset(PhiloxSequence&) { return {}; }
#else
    std::array<double, 1> reset(PhiloxSequence&) { return {}; }
#endif
    EnvironmentStep<std::array<float, 1>> step(std::size_t) { return {}; }
};

double play(const Model<Policy>& policy) {
    return play_episodes(policy, Coin{}).mean_return();
}
