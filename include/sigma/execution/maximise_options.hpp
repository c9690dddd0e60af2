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
    std::int64_t steps = 1024;  ///< Most steps of one attempt, at least 1.
    std::int64_t attempts = 8;  ///< Most attempts, at least 1. Each starts at another random input.
    double cost = 0.06;         ///< Largest Σ (prediction - target)² that is good enough. Finite and at least 0.
    /// Uses all steps of an attempt, to reduce the penalties of decay and smoothing, if true.
    bool all_steps = false;
    /// Length of the first step: root mean square of the change of an element. Finite and above 0.
    double rate = 0.02;
    /// Deviation of the first input, which is normally distributed around 0. Finite and at least 0. Later attempts use
    /// up to 1000 times as much.
    double start_deviation = 0.01;
    ///< Attempts use up to 1000 times as much.
    double decay = 0;  ///< Weight of Σ x², which keeps irrelevant elements small. Finite and at least 0.
    /// Weight of Σ (difference of neighbours)² along the first two axes of a record. Finite and at least 0.
    double smoothing = 0;
    /// Lower bound of each element, below `highest`. Default: none.
    double lowest = -std::numeric_limits<double>::infinity();
    /// Upper bound of each element, above `lowest`. Default: none.
    double highest = std::numeric_limits<double>::infinity();
    std::uint64_t seed = 0;  ///< Seed of the random inputs.
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
    Array<T> input;          ///< The input with the closest prediction, of the shape of one record.
    Array<T> prediction;     ///< The network's prediction for the input, of the shape of one prediction.
    double cost = 0;         ///< Σ (prediction - target)².
    std::int64_t steps = 0;  ///< Steps of all attempts.
    bool success = false;    ///< True if the cost is as small as `MaximiseOptions::cost`.
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/maximise_options.ipp>
#endif
