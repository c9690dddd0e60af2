// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Embedding_vocabulary_and_width_must_be_positive, .*vocabulary_and_width, 0, 8>, .*at_layer<1, .*Embedding::kind>
#include <sigma/layer/embedding.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Digits : Network<Input(4) + Embedding(20, 8) + Dense(10) + SoftmaxCE()> {};
#else
struct Digits : Network<Input(4) + Embedding(0, 8) + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Digits::output.rank > 0);
