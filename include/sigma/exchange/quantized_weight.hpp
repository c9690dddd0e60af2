// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <string>
#include <vector>

namespace sigma {

/// A weight in 8 bits.
struct QuantizedWeight {
    std::string name;                 ///< "1-dense.weights"
    float range = 0;                  ///< what is multiplied by it is cut off beyond: 127 steps from 0
    std::vector<float> scales;        ///< of each output: a number is its whole number times this
    std::vector<signed char> values;  ///< whole numbers from -127 to 127, in the order of the parameter
};

}  // namespace sigma
