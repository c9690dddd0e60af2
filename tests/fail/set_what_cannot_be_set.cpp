// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_value_cannot_be_set<.*LossValue>
#include <sigma/hook/optimizer_actions.hpp>
using namespace sigma;

#ifdef TWIN
const auto action = set(learning_rate, 0.5);
#else
const auto action = set(loss, 0.5);
#endif
