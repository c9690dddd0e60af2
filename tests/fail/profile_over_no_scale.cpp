// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_profile_counts_iterations_or_epochs<
#include <sigma/profile.hpp>
#include <sigma/sigma.hpp>
using namespace sigma;

struct Net : Network<Input(4) + Dense(3) + SoftmaxCE()> {};

int main() {
    Trainer trainer("net", Net{}, Adam{}, minibatches(Dataset(Numbers{{6, 4}, std::vector<float>(24)}, Numbers{{6}, std::vector<float>(6)}, "x"), 3));
#ifdef TWIN
    profile(trainer, 1, iteration).text();
#else
    profile(trainer, 1, stop).text();
#endif
}
