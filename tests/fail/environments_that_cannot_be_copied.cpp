// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_environment_cannot_be_copied<.*Coin
#include <sigma/acting/environment.hpp>
#include <array>
using namespace sigma;

struct Coin {
    static constexpr std::size_t actions = 2;
    Coin() = default;
#ifndef TWIN
    Coin(const Coin&) = delete;
#endif
    std::array<float, 1> reset(PhiloxSequence&) { return {}; }
    EnvironmentStep<std::array<float, 1>> step(std::size_t) { return {}; }
};

std::size_t count() {
    const Coin coin;
    ParallelEnvironments coins(coin, 3);
    return coins.size();
}
