// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/metric/arrays.hpp>

namespace sigma {

/// exp of the mean of -log p[label]: between how many equally likely classes the predictions leave the choice. Infinite
/// if a label ever had probability 0, NaN before the first record.
class Perplexity {
public:
    explicit Perplexity(std::size_t classes, detail::Ignored ignore = {});

    /// Probabilities (…, classes), as SoftmaxCE predicts them, and labels (…).
    template <class Probabilities, class Labels>
    void add(const Probabilities& probabilities, const Labels& labels) {
        add({"perplexity", probabilities, labels, classes_, ignore_});
    }
    /// A mean cross-entropy over `count` labels, such as a loss that a trainer reports.
    void add_loss(double mean, std::size_t count);
    double value() const;
    std::size_t count() const { return count_; }
    void reset() { total_ = 0, count_ = 0; }

private:
    void add(const detail::MetricRows& rows);
    std::size_t classes_;
    detail::Ignored ignore_;
    double total_ = 0;
    std::size_t count_ = 0;
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/metric/impl/perplexity.ipp>
#endif
