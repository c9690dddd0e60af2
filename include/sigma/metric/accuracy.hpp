// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/metric/arrays.hpp>

namespace sigma {

struct AccuracyOptions {
    std::size_t top = 1;       ///< right if the class is among this many greatest predictions
    detail::Ignored ignore{};  ///< labels that count for nothing
};

/// The share of records whose class has the greatest prediction, or one of the `top` greatest. Of equal predictions the
/// first is taken for the greater. NaN before the first record.
class Accuracy {
public:
    explicit Accuracy(std::size_t classes, AccuracyOptions options = {});

    /// Predictions (…, classes), any numbers that are greater where the class is likelier, and labels (…).
    template <class Predictions, class Labels>
    void add(const Predictions& predictions, const Labels& labels) {
        add({"accuracy", predictions, labels, classes_, options_.ignore});
    }
    double value() const { return detail::quotient(static_cast<double>(right_), static_cast<double>(count_)); }
    std::size_t count() const { return count_; }
    void reset() { right_ = count_ = 0; }

private:
    void add(const detail::MetricRows& rows);
    std::size_t classes_;
    AccuracyOptions options_;
    std::size_t right_ = 0, count_ = 0;
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/metric/impl/accuracy.ipp>
#endif
