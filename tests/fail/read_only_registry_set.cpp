// SPDX-License-Identifier: BSL-1.0
// expected-first-error: no member named .set.
#include <sigma/registry/registry.hpp>
using namespace sigma;

void forget([[maybe_unused]] ReadOnlyRegistry view, [[maybe_unused]] Registry registry) {
#ifdef TWIN
    registry.set("shared.accuracy", view.get<double>("shared.accuracy") / 2);
#else
    view.set("shared.accuracy", view.get<double>("shared.accuracy") / 2);
#endif
}
