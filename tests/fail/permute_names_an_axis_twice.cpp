// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_permute_needs_each_axis_once<.*axes_given<1, 1>, .*section(_named)?<.*(inputs|'i', 'n', 'p').*>
#include <sigma/data/transform/transforms.hpp>
using namespace sigma;
using namespace sigma::data;

#ifdef TWIN
auto turned = permute<1, 0>(inputs);
#else
auto turned = permute<1, 1>(inputs);
#endif
