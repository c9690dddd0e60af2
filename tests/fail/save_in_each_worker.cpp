// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_action_acts_on_all_workers<(const )?(sigma::)?SaveWord
#include <sigma/hook/in_each_worker.hpp>
#include <sigma/hook/save.hpp>
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
    trainer.add(every(1, epoch).then(save));
#else
    trainer.add(in_each_worker(every(1, epoch).then(save)));
#endif
}
