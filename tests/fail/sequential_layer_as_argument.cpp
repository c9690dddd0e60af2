// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_layer_belongs_between_the_angle_brackets<.*use_add_of_Dense_8_in_angle_brackets
#include <sigma/sigma.hpp>
using namespace sigma;

#ifdef TWIN
const auto net = Sequential<Input(4)>().add<Dense(8)>();
#else
const auto net = Sequential<Input(4)>().add(Dense(8));
#endif
