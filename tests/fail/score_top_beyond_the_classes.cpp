// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_top_is_more_than_the_classes, .*given<.*top_given, 4>, .*given<.*classes_predicted, 3>
#include <sigma/hook/score_metrics.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/trainer.hpp>
using namespace sigma;

struct Classes : Network<Input(4) + Dense(3) + SoftmaxCE()> {};

void add(Trainer<Classes, GradientDescent>& trainer, const Dataset& data) {
#ifdef TWIN
    trainer.add(every(1, epoch).then(score(data, top<1, 3>)));
#else
    trainer.add(every(1, epoch).then(score(data, top<1, 4>)));
#endif
}
