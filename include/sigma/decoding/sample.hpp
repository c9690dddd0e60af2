// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/philox.hpp>

#include <cstddef>
#include <span>

namespace sigma {

/// How one of several is drawn. What they ask for is done in this order.
struct SampleOptions {
    double temperature = 1;  ///< p becomes p^(1/temperature); 0: no draw, the first greatest
    std::size_t top_k = 0;   ///< only so many of the greatest, of equal ones the first; 0: all
    double top_p = 1;        ///< only as many of the greatest as reach this share (Holtzman et al. 2020)
};

/// The number of one of several, drawn with these probabilities, which need not add up to 1. Takes one number of
/// `random`, none where the temperature is 0. Throws ArgumentError where no probability is above 0, one is negative or
/// not finite, or an option is out of its range.
std::size_t sample(std::span<const float> probabilities, PhiloxSequence& random, const SampleOptions& options = {});
std::size_t sample(std::span<const double> probabilities, PhiloxSequence& random, const SampleOptions& options = {});

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/decoding/impl/sample.ipp>
#endif
