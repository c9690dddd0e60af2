// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_network_to_be_trained_has_no_loss<.*Digits>
// first-error-of-g++: in step.hpp, what a class derives from is looked at where the class stands
// first-error-of-clang: in step.hpp, what a class derives from is looked at where the class stands
#include <sigma/sigma.hpp>

using namespace sigma;

#ifdef TWIN
struct Digits : Network<Input(64) + Dense(10) + SoftmaxCE()> {};
#else
struct Digits : Network<Input(64) + Dense(10)> {};
#endif

void train(const Dataset& data) {
    Trainer trainer("digits", Digits{}, Adam{}, minibatches(data, 10));
    trainer.run(cpu(), 1);
}
