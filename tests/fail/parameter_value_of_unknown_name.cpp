// SPDX-License-Identifier: BSL-1.0
// expected-first-error: the network has no parameter of this name
#include <sigma/hook/tensor_values.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/model.hpp>
using namespace sigma;

struct Net : Network<Input(4) + Dense(3) + SquaredDiff()> {};

auto find(const Model<Net>& model) {
#ifdef TWIN
    return parameter<"1-dense.weights">().find(model);
#else
    return parameter<"2-dense.weights">().find(model);
#endif
}
