// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_parts_are_shares<.*use_0_8_and_0_2
#include <sigma/sigma.hpp>
using namespace sigma;

#ifdef TWIN
auto use(const Dataset& data) {
    return stratified_split(data, 0.8, 0.2);
}
#else
auto use(const Dataset& data) {
    return stratified_split(data, 8, 2);
}
#endif
