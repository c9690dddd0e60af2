// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/any_array.hpp>
#include <sigma/core/words.hpp>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

SIGMA_INCLUDED(sigma, include_sigma_decoding_ctc_hpp);

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

/// How many elements must be inserted, left out or exchanged to make one of the other (Levenshtein 1966).
std::size_t edit_distance(std::span<const std::size_t> a, std::span<const std::size_t> b);
/// Of bytes.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Σ edit_distance / Σ length of what was wanted (Graves et al. 2006): 0 where all is right, and it may be above 1.
/// Throws ArgumentError where the two are not of equally many sequences or nothing is wanted.
double label_error_rate(const std::vector<std::vector<std::size_t>>& found,
                        const std::vector<std::vector<std::size_t>>& wanted);

namespace detail {
std::vector<std::vector<std::size_t>> labels_of_targets(std::span<const double> targets,
                                                        std::span<const std::size_t> shape);
}

/// The same with the targets of a CTC loss, (records, labels), whose ends are filled with 0 or -1. Throws ShapeError
/// where they have another rank.
template <AnyArray E>
double label_error_rate(const std::vector<std::vector<std::size_t>>& found, const E& targets) {
    const detail::DenseElements<double> dense(targets);
    const std::vector<std::size_t> shape = detail::shape_of(targets);
    return label_error_rate(found, detail::labels_of_targets({dense.data(), targets.size()}, shape));
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/decoding/impl/ctc.ipp>
#endif
