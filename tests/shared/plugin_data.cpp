// SPDX-License-Identifier: BSL-1.0
// Compiled with other options than plugin.cpp.
#include "plugin.hpp"

#include <sigma/sigma.hpp>

sigma::Dataset xor_records() {
    const sigma::Array<float> inputs = {{0, 0}, {0, 1}, {1, 0}, {1, 1}}, targets = {{0}, {1}, {1}, {0}};
    return sigma::make_dataset(inputs, targets, "xor");
}
