// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Options and result of `maximise`. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/array.hpp>

#include <cstdint>
#include <limits>

namespace sigma {

/// Options of `maximise`. Lengths are in units of the input.
///
/// @par Example
/// @code
/// const MaximiseOptions as_picture{.steps = 150, .all_steps = true, .decay = 0.003, .lowest = 0, .highest = 1};
/// const auto seven = maximise(model, 7, as_picture);
/// @endcode
struct MaximiseOptions {
    std::int64_t steps = 1024;  ///< most steps of one attempt, 1 or more
    std::int64_t attempts = 8;  ///< most attempts, 1 or more; each starts at another random input
    double cost = 0.06;         ///< largest Σ (prediction - target)² that is good enough
    bool all_steps = false;  ///< uses all steps of an attempt, to reduce the penalties of decay and smoothing, if true
    double rate = 0.02;      ///< length of the first step: root mean square of the change of an element
    double start_deviation = 0.01;  ///< deviation of the first input, which is normally distributed around 0; later
                                    ///< attempts use up to 1000 times as much
    double decay = 0;               ///< weight of Σ x², which keeps irrelevant elements small
    double smoothing = 0;           ///< weight of Σ (difference of neighbours)² along the first two axes of a record
    double lowest = -std::numeric_limits<double>::infinity();  ///< lower bound of each element; default: none
    double highest = std::numeric_limits<double>::infinity();  ///< upper bound of each element; default: none
    std::uint64_t seed = 0;                                    ///< seed of the random inputs
};

namespace detail {

void check_maximise_options(const MaximiseOptions& o);

}  // namespace detail

/// The result of `maximise`.
///
/// @tparam T  element type of the model
///
/// @see maximise
template <class T>
struct Maximised {
    Array<T> input;          ///< the input with the closest prediction, of the shape of one record
    Array<T> prediction;     ///< the network's prediction for the input, of the shape of one prediction
    double cost = 0;         ///< Σ (prediction - target)²
    std::int64_t steps = 0;  ///< steps of all attempts
    bool success = false;    ///< true if the cost is as small as `MaximiseOptions::cost`
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/maximise_options.ipp>
#endif
