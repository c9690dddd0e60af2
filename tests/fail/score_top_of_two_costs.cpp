// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_scored_network_has_one_input_and_one_cost<1, 2>
#include <sigma/hook/score_metrics.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/trainer.hpp>
using namespace sigma;

struct Two : Network<Input(4) + Dense(3) + Costs(SoftmaxCE(), Dense(3) + SoftmaxCE())> {};

void add(Trainer<Two, GradientDescent>& trainer, const Dataset& data) {
#ifdef TWIN
    trainer.add(every(1, epoch).then(score(data)));
#else
    trainer.add(every(1, epoch).then(score(data, top<1>)));
#endif
}
