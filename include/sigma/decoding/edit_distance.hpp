// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_array.hpp>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace sigma {

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
#include <sigma/decoding/impl/edit_distance.ipp>
#endif
