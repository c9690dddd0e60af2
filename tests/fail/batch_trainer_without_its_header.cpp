// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_word_is_not_included<.*include_sigma_execution_batch_trainer_hpp
#ifdef TWIN
#include <sigma/execution/batch_trainer.hpp>
#endif
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(3) + SoftmaxCE()> {};
auto use(Model<Tiny>& model, const Array<float>& x, const Array<float>& y) {
    BatchTrainer trainer(model, Adam{});
    return trainer.train_on_batch(x, y);
}
