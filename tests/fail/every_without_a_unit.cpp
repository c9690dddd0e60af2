// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_time_without_a_unit<int>
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
    trainer.add(every(std::chrono::seconds(30)).then(stop));
#else
    trainer.add(every(30).then(stop));
#endif
}
