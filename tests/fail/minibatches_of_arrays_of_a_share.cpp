// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_batch_size_is_no_share_of_the_records<.*use_the_number_of_records
#include <sigma/sigma.hpp>
using namespace sigma;

auto use(const Array<float>& x, const std::vector<int>& y) {
#ifdef TWIN
    return minibatches(x, y, 10);
#else
    return minibatches(x, y, 0.1);
#endif
}
