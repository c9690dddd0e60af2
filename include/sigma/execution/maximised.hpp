// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/array.hpp>

#include <cstdint>

namespace sigma {

/// What `maximise` has found: the input whose prediction comes closest to the target.
template <class T>
struct Maximised {
    Array<T> input;          ///< of one record, without the axis of records
    Array<T> prediction;     ///< what the network says of it
    double cost = 0;         ///< Σ (prediction - target)²
    std::int64_t steps = 0;  ///< taken in all attempts
    bool success = false;    ///< is the cost as small as was wanted?
};

}  // namespace sigma
