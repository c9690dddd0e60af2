// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/metric/arrays.hpp>

#include <cmath>

namespace sigma {

/// exp of the mean of -log p[label]: between how many equally likely classes the predictions leave the choice. Infinite
/// if a label ever had probability 0, NaN before the first record.
class Perplexity {
public:
    explicit Perplexity(std::size_t classes, Ignored ignore = {});

    /// Probabilities (…, classes), as SoftmaxCE predicts them, and labels (…).
    template <class Probabilities, class Labels>
    void add(const Probabilities& probabilities, const Labels& labels) {
        const detail::MetricRows rows("perplexity", probabilities, labels, classes_, ignore_);
        for (std::size_t i = 0; i < rows.predictions.values.size(); ++i) {
            const double p = rows.predictions.values[i];
            if (!(p >= 0 && p <= 1 + 1e-5))  // softmax in float rounds
                throw ArgumentError(sentence("predictions of perplexity, position ", i), "a probability from 0 to 1",
                                    sentence(p));
        }
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (rows.counts(i, ignore_)) add_loss(-std::log(rows.row(i)[rows.label(i)]), 1);
    }
    /// A mean cross-entropy over `count` labels, such as a loss that a trainer reports.
    void add_loss(double mean, std::size_t count);
    double value() const { return std::exp(detail::quotient(total_, static_cast<double>(count_))); }
    std::size_t count() const { return count_; }
    void reset() { total_ = 0, count_ = 0; }

private:
    std::size_t classes_;
    Ignored ignore_;
    double total_ = 0;
    std::size_t count_ = 0;
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/metric/impl/perplexity.ipp>
#endif
