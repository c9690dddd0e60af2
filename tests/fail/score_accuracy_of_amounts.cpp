// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_network_does_not_classify<.*Amounts
#include <sigma/hook/report.hpp>
#include <sigma/hook/score.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/trainer.hpp>
using namespace sigma;

struct Amounts : Network<Input(4) + Dense(2) + SquaredDiff()> {};

void add(Trainer<Amounts, GradientDescent>& trainer, const Dataset& data) {
#ifdef TWIN
    trainer.add(every(1, epoch).then(score(data), report(validation_error)));
#else
    trainer.add(every(1, epoch).then(score(data), report(accuracy)));
#endif
}
