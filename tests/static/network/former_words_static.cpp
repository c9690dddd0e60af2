// SPDX-License-Identifier: BSL-1.0
// Words that were called otherwise mean what they meant.
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/optimizer/gradient_descent.hpp>

#include <type_traits>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
using namespace sigma;

static_assert(std::is_same_v<FullyConnected, Dense> && std::is_same_v<SoftMaxCE, SoftmaxCE>);
static_assert(std::is_same_v<SGD, GradientDescent>);
