// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_array_needs_a_name<.*Extents<28, 28>
#include <sigma/data/data.hpp>
#include <sigma/sigma.hpp>
using namespace sigma;

auto use() {
    using namespace sigma::data;
#ifdef TWIN
    return zip(inputs = bytes<28, 28>(file("images"))) >> normalize(0, 255);
#else
    return bytes<28, 28>(file("images")) >> normalize(0, 255);
#endif
}
