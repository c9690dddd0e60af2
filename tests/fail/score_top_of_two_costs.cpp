// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_metric_needs_the_name_of_a_cost<.*costs_of_the_network<2> *>
#include <sigma/hook/score_metrics.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/trainer.hpp>
using namespace sigma;

struct Two : Network<Input(4) + Dense(3) + Costs(SoftmaxCE(), Dense(3) + SoftmaxCE())> {};

void add(Trainer<Two, GradientDescent>& trainer, const Dataset& data) {
#ifdef TWIN
    trainer.add(every(1, epoch).then(score(data, of_cost<"softmax_ce">(top<1>))));
#else
    trainer.add(every(1, epoch).then(score(data, top<1>)));
#endif
}
