// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/decoding/edit_distance.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sigma {

namespace detail {

/// Row by row of the table of R. A. Wagner and M. J. Fischer (1974).
template <class Sequence>
std::size_t edits_between(const Sequence& a, const Sequence& b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t exchanged = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min(exchanged, std::min(diagonal, row[j]) + 1);
        }
    }
    return row.back();
}

SIGMA_IMPL std::vector<std::vector<std::size_t>> labels_of_targets(std::span<const double> targets,
                                                                   std::span<const std::size_t> shape) {
    if (shape.size() != 2) throw ShapeError("targets", "(records, labels)", shape_text(shape));
    std::vector<std::vector<std::size_t>> all(shape[0]);
    for (std::size_t r = 0; r < shape[0]; ++r)
        for (const double label : targets.subspan(r * shape[1], shape[1])) {
            if (!(std::floor(label) == label && label >= -1 && label < 0x1p53))
                throw ArgumentError(sentence("targets of record ", r), "labels from 1, or 0 and -1 at the end",
                                    sentence(label));
            if (label > 0) all[r].push_back(static_cast<std::size_t>(label));
        }
    return all;
}

}  // namespace detail

SIGMA_IMPL std::size_t edit_distance(std::span<const std::size_t> a, std::span<const std::size_t> b) {
    return detail::edits_between(a, b);
}
SIGMA_IMPL std::size_t edit_distance(std::string_view a, std::string_view b) { return detail::edits_between(a, b); }

SIGMA_IMPL double label_error_rate(const std::vector<std::vector<std::size_t>>& found,
                                   const std::vector<std::vector<std::size_t>>& wanted) {
    if (found.size() != wanted.size())
        throw ArgumentError("label error rate", sentence(wanted.size(), " sequences, as there are targets"),
                            sentence(found.size()));
    std::size_t edits = 0, labels = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        edits += edit_distance(found[i], wanted[i]);
        labels += wanted[i].size();
    }
    if (labels == 0) throw ArgumentError("label error rate", "targets of at least one label", "none");
    return static_cast<double>(edits) / static_cast<double>(labels);
}

}  // namespace sigma
