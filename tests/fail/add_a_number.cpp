// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_add_takes_hooks<int>
#include <sigma/hook/words.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/trainer.hpp>
using namespace sigma;

struct Tiny : Network<Input(2) + Dense(2) + SoftmaxCE()> {};

void train(Trainer<Tiny, GradientDescent>& trainer) {
#ifdef TWIN
    [[maybe_unused]] const auto n = trainer.add(every(1, epoch).then(stop));
#else
    [[maybe_unused]] const auto n = trainer.add(5);
#endif
}
