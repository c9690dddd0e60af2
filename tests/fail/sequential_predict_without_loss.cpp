// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_prediction_needs_a_loss_and_an_optimizer, .*at_layer<1, .*Dense::kind>
#include <sigma/optimizer/adam.hpp>
#include <sigma/trainer/sequential.hpp>
using namespace sigma;

#ifdef TWIN
void train(const Array<float>& x, const Array<int>& y) {
    Sequential<Input(4)>().dense<3>().loss(losses::softmax_ce).optimizer(Adam{}).predict(x);
    static_cast<void>(y);
}
#else
void train(const Array<float>& x, const Array<int>& y) {
    Sequential<Input(4)>().dense<3>().predict(x);
    static_cast<void>(y);
}
#endif
