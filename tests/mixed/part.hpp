// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <vector>

struct Found {
    int lanes_of_model;   ///< of the model's memory
    int lanes_of_object;  ///< that the object is compiled for
    std::vector<double> numbers;
};
Found find_for_any_processor();
Found find_for_this_processor();
