// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_batch_size_is_no_share_of_the_records<.*use_the_number_of_records
#include <sigma/sigma.hpp>
using namespace sigma;

auto use(const Dataset& data) {
#ifdef TWIN
    return minibatches(data, 10);
#else
    return minibatches(data, 0.1);
#endif
}
