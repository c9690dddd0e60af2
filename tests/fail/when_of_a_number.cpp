// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_when_takes_a_criterion<int>
#include <sigma/hook/words.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/trainer.hpp>
using namespace sigma;

struct Tiny : Network<Input(2) + Dense(2) + SoftmaxCE()> {};

void train(Trainer<Tiny, GradientDescent>& trainer) {
#ifdef TWIN
    trainer.add(when(epoch.reaches(3)).then(stop));
#else
    trainer.add(when(3).then(stop));
#endif
}
