// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_network_has_no_cost<.*name_given<.*nearest_is<
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Costs(Dense(3) + SoftmaxCE(), named("price", Dense(1) + SquaredDiff()))> {};
#ifdef TWIN
auto use(const Model<Tiny>& model, const Array<float>& x) {
    return model.predict<"price">(x);
}
#else
auto use(const Model<Tiny>& model, const Array<float>& x) {
    return model.predict<"prize">(x);
}
#endif
