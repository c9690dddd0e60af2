// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_parameter_is_a_statistic_which_is_not_trained<.*name_given<
#include <sigma/sigma.hpp>
#include <sigma/execution/batch_trainer.hpp>
using namespace sigma;

struct Normal : Network<Input(4) + BatchNorm() + Dense(2) + SoftmaxCE()> {};
void use(BatchTrainer<Normal, Adam>& trainer) {
#ifdef TWIN
    trainer.gradient<"1-batch_norm.scales">()(0) = 1;
#else
    trainer.gradient<"1-batch_norm.running_mean">()(0) = 1;
#endif
}
