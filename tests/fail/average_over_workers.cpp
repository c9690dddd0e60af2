// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_value_is_not_known_in_each_worker<.*Accumulated<
#include <sigma/hook/over_time.hpp>
#include <sigma/hook/over_workers.hpp>
#include <sigma/hook/report.hpp>
#include <sigma/hook/words.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/trainer.hpp>
using namespace sigma;

struct Tiny : Network<Input(2) + Dense(2) + SoftmaxCE()> {};

void train(Trainer<Tiny, GradientDescent>& trainer) {
#ifdef TWIN
    trainer.add(every(1, epoch).then(report(average(maximum_over_workers(loss), 10))));
#else
    trainer.add(every(1, epoch).then(report(maximum_over_workers(average(loss, 10)))));
#endif
}
