// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_network_does_not_answer_yes_or_no
#include <sigma/hook/score_metrics.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/trainer.hpp>
using namespace sigma;

struct Classes : Network<Input(4) + Dense(3) + SoftmaxCE()> {};

void add(Trainer<Classes, GradientDescent>& trainer, const Dataset& data) {
#ifdef TWIN
    trainer.add(every(1, epoch).then(score(data, top<1>)));
#else
    trainer.add(every(1, epoch).then(score(data, binary)));
#endif
}
