// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_pattern_belongs_between_the_angle_brackets<.*use_group_pattern_in_angle_brackets
#include <sigma/sigma.hpp>
using namespace sigma;

#ifdef TWIN
auto optimizer = group<"*biases">(AdamW{}, {.decay_factor = 0});
#else
auto optimizer = group("*biases", AdamW{}, {.decay_factor = 0});
#endif
