// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/decoding/ctc.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace sigma::detail {

SIGMA_IMPL void check_ctc(std::span<const double> probabilities, std::span<const std::size_t> shape) {
    if (shape.size() != 3 || shape[2] < 1)
        throw ShapeError("probabilities of labels", "(records, time, classes)", shape_text(shape));
    for (std::size_t i = 0; i < probabilities.size(); ++i)
        if (!(probabilities[i] >= 0 && probabilities[i] <= std::numeric_limits<double>::max()))
            throw ArgumentError(sentence("probabilities of record ", i / (shape[1] * shape[2]), ", time ",
                                         i / shape[2] % shape[1], ", class ", i % shape[2]),
                                "a finite number of at least 0", sentence(probabilities[i]));
}

SIGMA_IMPL std::vector<std::vector<std::size_t>> ctc_greedy(std::span<const double> probabilities,
                                                            std::span<const std::size_t> shape) {
    check_ctc(probabilities, shape);
    const std::size_t times = shape[1], classes = shape[2];
    std::vector<std::vector<std::size_t>> all(shape[0]);
    for (std::size_t r = 0; r < shape[0]; ++r) {
        std::size_t before = 0;
        for (std::size_t t = 0; t < times; ++t) {
            const auto p = probabilities.subspan((r * times + t) * classes, classes);
            const auto now = static_cast<std::size_t>(std::max_element(p.begin(), p.end()) - p.begin());
            if (now != 0 && now != before) all[r].push_back(now);
            before = now;
        }
    }
    return all;
}

/// Logs of summed probabilities of paths.
struct PathSums {
    static constexpr double none = -std::numeric_limits<double>::infinity();
    double blank = none, label = none;  ///< sums of paths that end in a blank, and in the last label

    static double sum(double a, double b) {
        if (a < b) std::swap(a, b);
        return b == none ? a : a + std::log1p(std::exp(b - a));
    }
    double all() const { return sum(blank, label); }
};
SIGMA_IMPL void add_path(double& to, double l) { to = PathSums::sum(to, l); }

/// Searches the labellings of one record from probabilities by times and classes.
SIGMA_IMPL std::vector<Labelling> ctc_search_record(std::span<const double> probabilities, std::size_t times,
                                                    std::size_t classes, std::size_t width) {
    using Beginning = std::pair<std::vector<std::size_t>, PathSums>;
    std::vector<Beginning> beam{{{}, {.blank = 0, .label = PathSums::none}}};
    std::vector<double> l(classes);
    for (std::size_t t = 0; t < times; ++t) {
        for (std::size_t c = 0; c < classes; ++c) l[c] = std::log(probabilities[t * classes + c]);
        std::map<std::vector<std::size_t>, PathSums> next;
        for (const auto& [labels, before] : beam) {
            const double all = before.all();
            PathSums& same = next[labels];
            add_path(same.blank, all + l[0]);
            if (!labels.empty()) add_path(same.label, before.label + l[labels.back()]);
            auto longer = labels;
            longer.push_back(0);
            for (std::size_t c = 1; c < classes; ++c) {
                longer.back() = c;
                // A repeated label is a new one only after a blank.
                const bool again = !labels.empty() && labels.back() == c;
                add_path(next[longer].label, (again ? before.blank : all) + l[c]);
            }
        }
        beam.clear();
        for (auto& [labels, sums] : next)
            if (sums.all() > PathSums::none) beam.emplace_back(labels, sums);
        std::ranges::sort(beam, [](const Beginning& a, const Beginning& b) {
            const double one = a.second.all(), other = b.second.all();
            return one != other ? one > other : a.first < b.first;
        });
        if (beam.size() > width) beam.resize(width);
    }
    std::vector<Labelling> found;
    for (auto& [labels, sums] : beam) found.push_back({std::move(labels), sums.all()});
    return found;
}

SIGMA_IMPL std::vector<std::vector<Labelling>> ctc_search(std::span<const double> probabilities,
                                                          std::span<const std::size_t> shape,
                                                          const CTCBeamOptions& options) {
    check_ctc(probabilities, shape);
    if (options.width < 1) throw ArgumentError("CTC beam search", "a width of at least 1", "0");
    const std::size_t elements = shape[1] * shape[2];
    std::vector<std::vector<Labelling>> all;
    for (std::size_t r = 0; r < shape[0]; ++r)
        all.push_back(
            ctc_search_record(probabilities.subspan(r * elements, elements), shape[1], shape[2], options.width));
    return all;
}

SIGMA_IMPL std::vector<std::vector<std::size_t>> first_labels(const std::vector<std::vector<Labelling>>& all) {
    std::vector<std::vector<std::size_t>> first;
    for (const auto& found : all) first.push_back(found.empty() ? std::vector<std::size_t>{} : found.front().labels);
    return first;
}

}  // namespace sigma::detail

namespace sigma {

namespace detail {

/// Computes the edit distance row by row (R. A. Wagner and M. J. Fischer 1974).
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
        throw ArgumentError("label error rate", sentence(wanted.size(), " sequences, as many as targets"),
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
