// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_lbfgs_does_not_move_statistics_of_batches<.*Normed
#include <sigma/layer/dense.hpp>
#include <sigma/layer/normalization.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/execution/lbfgs.hpp>
using namespace sigma;

#ifdef TWIN
struct Normed : Network<Input(4) + LayerNorm() + Dense(1) + SquaredDiff()> {};
#else
struct Normed : Network<Input(4) + BatchNorm() + Dense(1) + SquaredDiff()> {};
#endif
void train(Model<Normed>& model, const Dataset& data) {
    lbfgs(model, data);
}
