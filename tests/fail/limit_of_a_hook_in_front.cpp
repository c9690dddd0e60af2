// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_only_hooks_in_the_background_have_a_limit<.*HookOf<.*StopWord
#include <sigma/hook/words.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/trainer.hpp>

#include <chrono>
using namespace sigma;

struct Tiny : Network<Input(2) + Dense(2) + SoftmaxCE()> {};

void train(Trainer<Tiny, GradientDescent>& trainer) {
#ifdef TWIN
    trainer.add(every(1, epoch).then(stop).in_background().limit(std::chrono::seconds(1)));
#else
    trainer.add(every(1, epoch).then(stop).limit(std::chrono::seconds(1)));
#endif
}
