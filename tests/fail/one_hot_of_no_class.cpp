// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_one_hot_needs_a_class<.*classes_given<0>, .*section(_named)?<.*(targets|'t', 'a', 'r').*>
#include <sigma/data/transform/transforms.hpp>
using namespace sigma;
using namespace sigma::data;

#ifdef TWIN
auto classes = one_hot<10>(targets);
#else
auto classes = one_hot<0>(targets);
#endif
