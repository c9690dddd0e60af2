// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_hook_in_a_worker_cannot_run_in_the_background<
#include <sigma/hook/in_each_worker.hpp>
#include <sigma/hook/words.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/trainer.hpp>
using namespace sigma;

struct Tiny : Network<Input(2) + Dense(2) + SoftmaxCE()> {};

void train(Trainer<Tiny, GradientDescent>& trainer) {
#ifdef TWIN
    trainer.add(in_each_worker(every(1, epoch).then(stop)));
#else
    trainer.add(in_each_worker(every(1, epoch).then(stop).in_background()));
#endif
}
