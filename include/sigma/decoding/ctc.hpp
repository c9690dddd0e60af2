// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Decoding of networks with a CTC loss: ctc_greedy, ctc_beam, ctc_labellings, edit_distance, label_error_rate. Include
/// it yourself.
#include <sigma/core/any_array.hpp>
#include <sigma/core/words.hpp>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

SIGMA_INCLUDED(sigma, include_sigma_decoding_ctc_hpp);

namespace sigma {

/// Labels that a search has found, and log of their probability.
///
/// @see ctc_labellings
struct Labelling {
    std::vector<std::size_t> labels{};  ///< Labels, from 1.
    double log_probability = 0;         ///< Log of the summed probability of the paths that the search has followed.

    /// Returns whether two labellings are equal.
    friend bool operator==(const Labelling&, const Labelling&) = default;
};
/// Options of `ctc_beam` and `ctc_labellings`.
///
/// @see ctc_beam
struct CTCBeamOptions {
    std::size_t width = 16;  ///< Number of beginnings that are followed, at least 1.
};

namespace detail {
std::vector<std::vector<std::size_t>> ctc_greedy(std::span<const double> probabilities,
                                                 std::span<const std::size_t> shape);
std::vector<std::vector<Labelling>> ctc_search(std::span<const double> probabilities,
                                               std::span<const std::size_t> shape, const CTCBeamOptions& options);
std::vector<std::vector<std::size_t>> first_labels(const std::vector<std::vector<Labelling>>& all);
}  // namespace detail

/// Returns the labels of the likeliest path of each record.
///
/// It uses the likeliest class at each time; repetitions of a class become one, and then blanks (class 0) are removed.
/// The likeliest path does not always spell the likeliest labels (Graves et al. 2006): for these use `ctc_beam`.
/// @tparam E  an array type
/// @param probabilities  predictions of a network with a CTC loss, (records, time, classes)
/// @return the labels of each record
/// @throws ShapeError  if the probabilities have another rank
/// @throws ArgumentError  if a probability is negative or not finite
/// @par Example
/// @code
/// const Array<float> probabilities({2, 50, 11});  // predictions of a network with CTC
/// const std::vector<std::vector<std::size_t>> labels = ctc_greedy(probabilities);
/// @endcode
///
/// @see ctc_beam, CTC, docs/decoding.md
template <AnyArray E>
std::vector<std::vector<std::size_t>> ctc_greedy(const E& probabilities) {
    const detail::DenseElements<double> dense(probabilities);
    const std::vector<std::size_t> shape = detail::shape_of(probabilities);
    return detail::ctc_greedy({dense.data(), probabilities.size()}, shape);
}
/// Returns the labellings that a prefix beam search finds for each record, the likeliest first.
///
/// At each time it follows the `width` beginnings with the greatest summed probability of their paths so far (Graves
/// 2012; Hannun et al. 2014).
/// @tparam E  an array type
/// @param probabilities  predictions of a network with a CTC loss, (records, time, classes)
/// @param options  width of the beam. Default: 16.
/// @return up to `options.width` labellings of each record
/// @throws ShapeError  if the probabilities have another rank
/// @throws ArgumentError  if a probability is negative or not finite, or the width is 0
///
/// @see ctc_beam, ctc_greedy
template <AnyArray E>
std::vector<std::vector<Labelling>> ctc_labellings(const E& probabilities, const CTCBeamOptions& options = {}) {
    const detail::DenseElements<double> dense(probabilities);
    const std::vector<std::size_t> shape = detail::shape_of(probabilities);
    return detail::ctc_search({dense.data(), probabilities.size()}, shape, options);
}
/// Returns the likeliest labels that a prefix beam search finds for each record, see `ctc_labellings`.
/// @tparam E  an array type
/// @param probabilities  predictions of a network with a CTC loss, (records, time, classes)
/// @param options  width of the beam. Default: 16.
/// @return the labels of each record
/// @throws ShapeError  if the probabilities have another rank
/// @throws ArgumentError  if a probability is negative or not finite, or the width is 0
/// @par Example
/// @code
/// const Array<float> probabilities({2, 50, 11});  // predictions of a network with CTC
/// const auto labels = ctc_beam(probabilities, {.width = 32});
/// @endcode
///
/// @see ctc_greedy, ctc_labellings
template <AnyArray E>
std::vector<std::vector<std::size_t>> ctc_beam(const E& probabilities, const CTCBeamOptions& options = {}) {
    return detail::first_labels(ctc_labellings(probabilities, options));
}

/// Returns how many elements must be inserted, removed or replaced to make `right` of `left` (Levenshtein 1966).
/// @param left   a sequence
/// @param right  another sequence
/// @return the number of edits
/// @par Example
/// @code
/// edit_distance("kitten", "sitting");  // 3
/// @endcode
///
/// @see label_error_rate
std::size_t edit_distance(std::span<const std::size_t> left, std::span<const std::size_t> right);
/// Returns how many bytes must be inserted, removed or replaced to make `right` of `left`.
/// @param left   a text
/// @param right  another text
/// @return the number of edits
///
/// @see label_error_rate
std::size_t edit_distance(std::string_view left, std::string_view right);

/// Returns the label error rate, Σ edit_distance / Σ length of the wanted labels (Graves et al. 2006).
/// @param found  labels that were found, for each record
/// @param wanted  true labels, for each record
/// @return 0 if all labels are right; it may be above 1
/// @throws ArgumentError  if the numbers of sequences differ, or no labels are wanted
/// @par Example
/// @code
/// const Array<float> probabilities({2, 50, 11});  // predictions of a network with CTC
/// const std::vector<std::vector<std::size_t>> wanted{{1, 2}, {3}};
/// const double rate = label_error_rate(ctc_beam(probabilities), wanted);
/// @endcode
///
/// @see edit_distance, ctc_beam
double label_error_rate(const std::vector<std::vector<std::size_t>>& found,
                        const std::vector<std::vector<std::size_t>>& wanted);

namespace detail {
std::vector<std::vector<std::size_t>> labels_of_targets(std::span<const double> targets,
                                                        std::span<const std::size_t> shape);
}

/// Returns the label error rate against the targets of a CTC loss.
/// @tparam E  an array type
/// @param found  labels that were found, for each record
/// @param targets  (records, labels), with 0 or -1 after the end of shorter sequences
/// @return 0 if all labels are right; it may be above 1
/// @throws ShapeError  if the targets have another rank
/// @throws ArgumentError  if the numbers of sequences differ, a target is no label, or no labels are wanted
///
/// @see edit_distance, ctc_beam
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
