// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_array.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace sigma {

/// Labels that paths spell, and log of the probability that the search has found for them.
struct Labelling {
    std::vector<std::size_t> labels{};
    double log_probability = 0;

    friend bool operator==(const Labelling&, const Labelling&) = default;
};
struct CTCBeamOptions {
    std::size_t width = 16;  ///< so many beginnings are followed
};

namespace detail {
std::vector<std::vector<std::size_t>> ctc_greedy(std::span<const double> probabilities,
                                                 std::span<const std::size_t> shape);
std::vector<std::vector<Labelling>> ctc_search(std::span<const double> probabilities,
                                               std::span<const std::size_t> shape, const CTCBeamOptions& options);
std::vector<std::vector<std::size_t>> first_labels(const std::vector<std::vector<Labelling>>& all);
}  // namespace detail

/// What networks with a CTC loss predict, (records, time, classes), as labels: those of the likeliest class at each
/// time, where runs of one class become one and then blanks, class 0, vanish. This is the likeliest path, not always
/// the likeliest labels (Graves et al. 2006). Throws ShapeError where the probabilities have another rank,
/// ArgumentError where one is negative or not finite.
template <AnyArray E>
std::vector<std::vector<std::size_t>> ctc_greedy(const E& probabilities) {
    const detail::DenseElements<double> dense(probabilities);
    const std::vector<std::size_t> shape = detail::shape_of(probabilities);
    return detail::ctc_greedy({dense.data(), probabilities.size()}, shape);
}
/// Labels that a prefix beam search finds for each record, the likeliest first (Graves 2012; Hannun et al. 2014): at
/// each time it follows the `width` beginnings whose paths so far have the greatest sum of probabilities. Errors as of
/// ctc_greedy, and an ArgumentError where the width is 0.
template <AnyArray E>
std::vector<std::vector<Labelling>> ctc_labellings(const E& probabilities, const CTCBeamOptions& options = {}) {
    const detail::DenseElements<double> dense(probabilities);
    const std::vector<std::size_t> shape = detail::shape_of(probabilities);
    return detail::ctc_search({dense.data(), probabilities.size()}, shape, options);
}
/// Of these the likeliest of each record.
template <AnyArray E>
std::vector<std::vector<std::size_t>> ctc_beam(const E& probabilities, const CTCBeamOptions& options = {}) {
    return detail::first_labels(ctc_labellings(probabilities, options));
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/decoding/impl/ctc.ipp>
#endif
