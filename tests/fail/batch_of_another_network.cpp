// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_networks_differ_in_their_parameters
#include <sigma/core/array.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/recurrent.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/execution/batch_trainer.hpp>
using namespace sigma;

struct Long : Network<Input(8, 2) + GRU(3) + Linear(1) + SquaredDiff()> {};
#ifdef TWIN
struct Short : Network<Input(4, 2) + GRU(3) + Linear(1) + SquaredDiff()> {};
#else
struct Short : Network<Input(4, 2) + GRU(5) + Linear(1) + SquaredDiff()> {};
#endif

double first(BatchTrainer<Long, GradientDescent>& trainer, const Array<float>& x, const Array<float>& y) {
    return trainer.train_on_batch<Short>(x, y);
}
