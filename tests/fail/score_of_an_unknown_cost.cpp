// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_network_has_no_cost<.*(pirce\"|'p', 'i', 'r', 'c', 'e'>).*(price\"|'p', 'r', 'i', 'c', 'e'>)
#include <sigma/hook/score_metrics.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/trainer.hpp>
using namespace sigma;

struct Two : Network<Input(4) + Dense(3) + Costs(SoftmaxCE(), named("price", SquaredDiff()))> {};

void add(Trainer<Two, GradientDescent>& trainer, const Dataset& data) {
#ifdef TWIN
    trainer.add(every(1, epoch).then(score(data, of_cost<"price">(regression))));
#else
    trainer.add(every(1, epoch).then(score(data, of_cost<"pirce">(regression))));
#endif
}
