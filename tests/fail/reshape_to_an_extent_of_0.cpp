// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_reshape_needs_extents_of_at_least_1<.*shape<28, 0>, .*section(_named)?<.*(inputs|'i', 'n', 'p').*>
#include <sigma/data/transform/transforms.hpp>
using namespace sigma;
using namespace sigma::data;

#ifdef TWIN
auto images = reshape<28, 28>(inputs);
#else
auto images = reshape<28, 0>(inputs);
#endif
