// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_function_takes_neither_a_float_nor_a_span_of_float<.*, .*section(_named)?<.*(inputs|'i', 'n', 'p').*>
#include <sigma/data/transform/transforms.hpp>
using namespace sigma;
using namespace sigma::data;

#ifdef TWIN
auto half = apply(inputs, "half", [](float x) { return x / 2; });
#else
auto half = apply(inputs, "half", [](std::string x) { return x; });
#endif
