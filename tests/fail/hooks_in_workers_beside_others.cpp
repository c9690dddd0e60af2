// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_hooks_in_workers_are_added_by_themselves<.*use_one_add_for_hooks_in_workers_and_one_for_others
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
    trainer.add(at(5, epoch).then(hold));
#else
    trainer.add(in_each_worker(every(1, epoch).then(stop)), at(5, epoch).then(hold));
#endif
}
