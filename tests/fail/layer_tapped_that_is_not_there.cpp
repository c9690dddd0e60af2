// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_network_has_no_cost<.*hiden
#include <sigma/sigma.hpp>

using namespace sigma;

struct Net : Network<Input(4) + named("hidden", Dense(5)) + Dense(3) + SoftmaxCE()> {};

#ifdef TWIN
auto tapped(const Model<Net>& model, const Array<float>& x) { return model.predict<"hidden">(x); }
#else
auto tapped(const Model<Net>& model, const Array<float>& x) { return model.predict<"hiden">(x); }
#endif
