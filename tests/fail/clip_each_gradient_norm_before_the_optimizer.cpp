// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_optimizer_stands_before_its_number<.*use_the_optimizer_first
#include <sigma/sigma.hpp>
using namespace sigma;

#ifdef TWIN
const auto optimizer = clip_each_gradient_norm(Adam{}, 1.0);
#else
const auto optimizer = clip_each_gradient_norm(1.0, Adam{});
#endif
