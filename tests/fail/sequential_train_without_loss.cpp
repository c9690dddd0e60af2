// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_training_needs_a_loss_and_an_optimizer<.*use_loss_and_optimizer_first
#include <sigma/optimizer/adam.hpp>
#include <sigma/trainer/sequential.hpp>
using namespace sigma;

#ifdef TWIN
void train(const Array<float>& x, const Array<int>& y) {
    Sequential().dense(3).loss(losses::softmax_ce).optimizer(Adam{}).train(x, y, {.epochs = 2});
}
#else
void train(const Array<float>& x, const Array<int>& y) {
    Sequential().dense(3).train(x, y, {.epochs = 2});
}
#endif
