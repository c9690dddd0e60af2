// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_criterion_without_then<.*ExtremumOf<.*ErrorValue
#include <sigma/hook/words.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/trainer.hpp>
using namespace sigma;

struct Tiny : Network<Input(2) + Dense(2) + SoftmaxCE()> {};

void train(Trainer<Tiny, GradientDescent>& trainer) {
#ifdef TWIN
    trainer.add(every(1, epoch).then(stop), when(error.new_minimum()).then(stop));
#else
    trainer.add(every(1, epoch).then(stop), when(error.new_minimum()));
#endif
}
