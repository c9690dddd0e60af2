// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_pattern_belongs_between_the_angle_brackets<.*use_frozen_pattern_in_angle_brackets
#include <sigma/sigma.hpp>
using namespace sigma;

#ifdef TWIN
const auto optimizer = frozen<"1-*">(Adam{});
#else
const auto optimizer = frozen("1-*", Adam{});
#endif
