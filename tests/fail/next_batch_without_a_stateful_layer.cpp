// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_train_on_next_batch_needs_a_stateful_layer
#include <sigma/core/array.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/recurrent.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/execution/batch_trainer.hpp>
using namespace sigma;

#ifdef TWIN
struct Pieces : Network<Input(4, 2) + GRU(3, {.stateful = true}) + Linear(1) + SquaredDiff()> {};
#else
struct Pieces : Network<Input(4, 2) + GRU(3) + Linear(1) + SquaredDiff()> {};
#endif

void second(BatchTrainer<Pieces, GradientDescent>& trainer, const Array<float>& x, const Array<float>& y) {
    trainer.train_on_next_batch(x, y);
}
