// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_score_takes_metrics_not_values<.*use_score_of_the_data_alone_for_accuracy_and_validation_error
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(3) + SoftmaxCE()> {};
#ifdef TWIN
auto use(Trainer<Tiny, Adam>& trainer, const Dataset& data) {
    return trainer.add(every(epoch).then(score(data), report(accuracy)));
}
#else
auto use(Trainer<Tiny, Adam>& trainer, const Dataset& data) {
    return trainer.add(every(epoch).then(score(data, accuracy)));
}
#endif
