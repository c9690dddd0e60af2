// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_optimizer_has_no_such_member<.*Adam.*>
#include <sigma/hook/optimizer_actions.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/rmsprop.hpp>
#include <sigma/trainer/trainer.hpp>
using namespace sigma;

struct Net : Network<Input(2) + Dense(1) + SquaredDiff()> {};
#ifdef TWIN
void f(Trainer<Net, Adam>& trainer) { trainer.add(at(5, epoch).then(set(&Adam::beta1, 0.8))); }
#else
void f(Trainer<Net, Adam>& trainer) { trainer.add(at(5, epoch).then(set(&Adadelta::decay, 0.8))); }
#endif
