// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_SoftmaxCE_has_no_such_option<
// expected-first-error-clang: call to deleted constructor of 'SoftmaxCE'
#include <sigma/sigma.hpp>
using namespace sigma;

#ifdef TWIN
struct N : Network<Input(9) + Dense(3) + SoftmaxCE({.smoothing = 0.1})> {};
#else
struct N : Network<Input(9) + Dense(3) + SoftmaxCE({.label_smoothing = 0.1})> {};
#endif
static_assert(N::output.rank > 0);
