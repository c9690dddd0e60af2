// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_training_needs_an_optimizer<.*use_optimizer_first
#include <sigma/optimizer/adam.hpp>
#include <sigma/trainer/sequential.hpp>
using namespace sigma;

#ifdef TWIN
void train(const Array<float>& x, const Array<int>& y) {
    Sequential().dense(3).loss(losses::softmax_ce).optimizer(Adam{}).train(make_dataset(x, y));
}
#else
void train(const Array<float>& x, const Array<int>& y) {
    Sequential().dense(3).loss(losses::softmax_ce).train(make_dataset(x, y));
}
#endif
