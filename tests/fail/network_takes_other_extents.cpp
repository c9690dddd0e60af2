// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_network_takes_other_extents<.*network_takes<.*Extents<784> *>, .*data_gives<.*Extents<28, 28> *> *>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/reshape.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/trainer.hpp>
using namespace sigma;

#ifdef TWIN
struct Digits : Network<Input(28, 28) + Flatten() + Dense(10) + SoftmaxCE()> {};
#else
struct Digits : Network<Input(784) + Dense(10) + SoftmaxCE()> {};
#endif

using Images = data::Schema<data::SectionField<"inputs", data::Role::input, data::Extents<28, 28>>,
                            data::SectionField<"targets", data::Role::target, data::Extents<>>>;

void train(const data::DatasetOf<Images>& digits) {
    Trainer trainer("digits", Digits{}, GradientDescent{0.1}, minibatches(digits, 100));
}
