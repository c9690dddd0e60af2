// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Embedding_vocabulary_must_be_at_most_16777216, .*vocabulary_and_width, 16777217, 8>, .*at_layer<1, .*Embedding::kind>
#include <sigma/layer/embedding.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Digits : Network<Input(4) + Embedding(1 << 24, 8) + Dense(10) + SoftmaxCE()> {};
#else
struct Digits : Network<Input(4) + Embedding((1 << 24) + 1, 8) + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Digits::output.rank > 0);
