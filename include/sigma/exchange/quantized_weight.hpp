// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <string>
#include <vector>

namespace sigma {

/// A weight as 8-bit integers.
/// @see quantize
struct QuantizedWeight {
    std::string name;                 ///< Name of the parameter, such as "1-dense.weights".
    float range = 0;                  ///< The factor of the weight is clipped to ± range, which is 127 steps.
    std::vector<float> scales;        ///< One scale for each output: a number is its integer times the scale.
    std::vector<signed char> values;  ///< Integers from -127 to 127, in the order of the parameter.
};

}  // namespace sigma
