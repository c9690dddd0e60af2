// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_network_does_not_predict_numbers, .*loss_of_the_cost, .*softmax_ce
#include <sigma/sigma.hpp>
using namespace sigma;

struct Kinds : Network<Input(4) + Dense(3) + SoftmaxCE()> {};

double scored(const Trainer<Kinds, Adam>& trainer, const Dataset& data) {
#ifdef TWIN
    return trainer.evaluate(data, top<1, 2>)["top1"];
#else
    return trainer.evaluate(data, regression)["rmse"];
#endif
}
