// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/array.hpp>

#include <cstdint>
#include <limits>

namespace sigma {

/// How `maximise` looks for an input. Lengths are in units of the input.
struct MaximiseOptions {
    std::int64_t steps = 1024;      ///< of one attempt, at most
    std::int64_t attempts = 8;      ///< starts from other random numbers, until one succeeds
    double cost = 0.06;             ///< Σ (prediction - target)² at which an input is good enough
    bool all_steps = false;         ///< go on after that, for a smaller penalty by decay and smoothing
    double rate = 0.02;             ///< length of the first step, as the root mean square of the change of an element
    double start_deviation = 0.01;  ///< the first input is normally distributed around 0; further ones up to 1000 times
                                    ///< as widely, since all from near 0 may lead to the same wrong place
    double decay = 0;               ///< weight of Σ x², which keeps elements small that do not matter
    double smoothing = 0;           ///< weight of Σ (difference of neighbours)² along a record's first two axes
    double lowest = -std::numeric_limits<double>::infinity();
    double highest = std::numeric_limits<double>::infinity();
    std::uint64_t seed = 0;
};

namespace detail {

void check_maximise_options(const MaximiseOptions& o);

}  // namespace detail

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

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/maximise_options.ipp>
#endif
