// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/core/xtensor.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

namespace sigma {

/// How `maximise` looks for an input. Lengths are in units of the input.
struct MaximiseOptions {
    std::int64_t steps = 1024;      ///< of one attempt, at most
    std::int64_t attempts = 2;      ///< starts from other random numbers, until one succeeds
    double cost = 0.06;             ///< Σ (prediction - target)² at which an input is good enough
    bool all_steps = false;         ///< go on after that, for a smaller penalty by decay and smoothing
    double rate = 0.02;             ///< length of the first step, as the root mean square of the change of an element
    double start_deviation = 0.01;  ///< the first input is normally distributed around 0
    double decay = 0;               ///< weight of Σ x², which keeps elements small that do not matter
    double smoothing = 0;           ///< weight of Σ (difference of neighbours)² along a record's first two axes
    double lowest = -std::numeric_limits<double>::infinity();
    double highest = std::numeric_limits<double>::infinity();
    std::uint64_t seed = 0;
};

/// What `maximise` has found: the input whose prediction comes closest to the target.
template <class T>
struct Maximised {
    xt::xarray<T> input;       ///< of one record, without the axis of records
    xt::xarray<T> prediction;  ///< what the network says of it
    double cost = 0;           ///< Σ (prediction - target)²
    std::int64_t steps = 0;    ///< taken in all attempts
    bool success = false;      ///< is the cost as small as was wanted?
};

namespace detail {

inline void check_maximise_options(const MaximiseOptions& o) {
    const auto refuse = [](const char* name, const char* expected, auto found) {
        throw ArgumentError(sentence("maximise with ", name), expected, sentence(found));
    };
    if (o.steps < 1) refuse("steps", "1 or more", o.steps);
    if (o.attempts < 1) refuse("attempts", "1 or more", o.attempts);
    if (!(o.rate > 0) || std::isinf(o.rate)) refuse("rate", "a finite number above 0", o.rate);
    const auto not_negative = [&](const char* name, double x) {
        if (!(x >= 0) || std::isinf(x)) refuse(name, "a finite number, 0 or more", x);
    };
    not_negative("cost", o.cost);
    not_negative("start_deviation", o.start_deviation);
    not_negative("decay", o.decay);
    not_negative("smoothing", o.smoothing);
    if (!(o.lowest < o.highest))
        throw ArgumentError("maximise with lowest and highest", "a lowest below the highest element", sentence(o.lowest, " and ", o.highest));
}

}  // namespace detail
}  // namespace sigma
