// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_classify_needs_one_cost_of_classes_or_of_yes_and_no
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/model.hpp>
using namespace sigma;

#ifdef TWIN
struct Kinds : Network<Input(4) + Dense(3) + SoftmaxCE()> {};
#else
struct Kinds : Network<Input(4) + Dense(3) + SquaredDiff()> {};
#endif

std::size_t first(const Model<Kinds>& model, const Array<float>& x) {
    const auto found = model.classify(x);
    return found[0];
}
