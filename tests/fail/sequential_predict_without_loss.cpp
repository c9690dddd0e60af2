// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_prediction_needs_a_loss_and_an_optimizer<.*use_loss_and_optimizer_first
#include <sigma/optimizer/adam.hpp>
#include <sigma/trainer/sequential.hpp>
using namespace sigma;

#ifdef TWIN
void train(const Array<float>& x, const Array<int>& y) {
    Sequential().dense(3).loss(losses::softmax_ce).optimizer(Adam{}).predict(x);
    static_cast<void>(y);
}
#else
void train(const Array<float>& x, const Array<int>& y) {
    Sequential().dense(3).predict(x);
    static_cast<void>(y);
}
#endif
