// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/metric/class_counts.hpp>

#include <cmath>
#include <numeric>

namespace sigma {

SIGMA_IMPL ClassCounts::ClassCounts(std::size_t classes, detail::Ignored ignore)
    : classes_(classes), ignore_(ignore), counts_(classes * classes) {}

SIGMA_IMPL void ClassCounts::add(std::size_t actual, std::size_t predicted) {
    if (actual >= classes_ || predicted >= classes_)
        throw ArgumentError("confusion matrix", sentence("classes below ", classes_),
                            sentence("actual ", actual, " and predicted ", predicted));
    ++counts_[actual * classes_ + predicted];
}

SIGMA_IMPL std::size_t ClassCounts::count(std::size_t actual, std::size_t predicted) const {
    return counts_[actual * classes_ + predicted];
}

SIGMA_IMPL std::size_t ClassCounts::count_actual(std::size_t actual) const {
    const auto row = counts_.begin() + static_cast<std::ptrdiff_t>(actual * classes_);
    return std::accumulate(row, row + static_cast<std::ptrdiff_t>(classes_), std::size_t{0});
}

SIGMA_IMPL std::size_t ClassCounts::count_predicted(std::size_t predicted) const {
    std::size_t n = 0;
    for (std::size_t a = 0; a < classes_; ++a) n += count(a, predicted);
    return n;
}

SIGMA_IMPL double ClassCounts::precision(std::size_t predicted) const {
    return share(count(predicted, predicted), count_predicted(predicted));
}

SIGMA_IMPL double ClassCounts::share(std::size_t part, std::size_t whole) {
    return detail::quotient(static_cast<double>(part), static_cast<double>(whole));
}

SIGMA_IMPL std::size_t ClassCounts::found() const {
    std::size_t n = 0;
    for (std::size_t c = 0; c < classes_; ++c) n += count(c, c);
    return n;
}

SIGMA_IMPL double ClassCounts::macro(double (ClassCounts::*of)(std::size_t) const) const {
    double total = 0;
    std::size_t occur = 0;
    for (std::size_t c = 0; c < classes_; ++c) {
        if (count_actual(c) + count_predicted(c) == 0) continue;
        ++occur;
        const double value = (this->*of)(c);
        if (!std::isnan(value)) total += value;
    }
    return detail::quotient(total, static_cast<double>(occur));
}

SIGMA_IMPL void ClassCounts::add_rows(const detail::MetricRows& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows.counts(i, ignore_)) add(rows.label(i), rows.best(i));
}

SIGMA_IMPL void ClassCounts::reset() { counts_.assign(counts_.size(), 0); }

SIGMA_IMPL std::size_t ClassCounts::count() const {
    return std::accumulate(counts_.begin(), counts_.end(), std::size_t{0});
}

}  // namespace sigma
