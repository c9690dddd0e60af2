// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_update_of_an_optimizer_must_be_static<.*Own
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(3) + SoftmaxCE()> {};
struct Own {
    double learning_rate = 0.1;
    constexpr std::array<double, 1> scalars(std::uint64_t) const { return {learning_rate}; }
#ifdef TWIN
    static constexpr void update(Update& u, Variable w, Variable g) { u.assign(w, w - u.scalar(0) * g); }
#else
    constexpr void update(Update& u, Variable w, Variable g) const { u.assign(w, w - u.scalar(0) * g); }
#endif
};
double use(const Dataset& data) {
    Trainer trainer("tiny", Tiny{}, Own{}, minibatches(data, 10));
    return trainer.loss();
}
