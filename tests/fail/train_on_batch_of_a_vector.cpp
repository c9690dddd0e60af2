// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_train_on_batch_takes_arrays<.*use_an_array_or_ArrayView_of_numbers_and_their_shape
#include <sigma/execution/batch_trainer.hpp>
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(3) + SoftmaxCE()> {};
double use(Model<Tiny>& model, const Array<float>& x, const std::vector<float>& y) {
    BatchTrainer trainer{model, Adam{}};
#ifdef TWIN
    return trainer.train_on_batch(x, ArrayView(y, {y.size()}));
#else
    return trainer.train_on_batch(x, y);
#endif
}
