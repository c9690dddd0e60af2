// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_optimizer_has_no_learning_rate<.*Signs.*>
#include <sigma/hook/optimizer_actions.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
#include <sigma/trainer/trainer.hpp>
using namespace sigma;

struct Net : Network<Input(2) + Dense(1) + SquaredDiff()> {};
struct Signs {
#ifdef TWIN
    double learning_rate = 0.1;
#else
    double pace = 0.1;
#endif
    static constexpr Text name = "signs";
    static constexpr std::array<double, 1> scalars(std::uint64_t) { return {0.1}; }
    static constexpr void update(Update& u, Variable w, Variable g) { u.assign(w, w - u.scalar(0) * g); }
};
void f(Trainer<Net, Signs>& trainer) { trainer.add(schedule(exponential(0.9), epoch)); }
