// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/metric/arrays.hpp>

namespace sigma {

/// Right and wrong answers to yes or no: yes is predicted where the prediction is at least `threshold` (0.5 for
/// probabilities, 0 for scores). Quotients are NaN where they are 0/0.
class BinaryCounts {
public:
    explicit BinaryCounts(double threshold = 0.5);

    /// Predictions and targets of one shape, or (n, 1) and (n); targets are 0 or 1.
    template <class Predictions, class Targets>
    void add(const Predictions& predictions, const Targets& targets) {
        add({"binary counts", predictions, targets});
    }
    std::size_t true_positives() const { return counts_[3]; }
    std::size_t false_negatives() const { return counts_[2]; }
    std::size_t false_positives() const { return counts_[1]; }
    std::size_t true_negatives() const { return counts_[0]; }

    double accuracy() const {
        return share(counts_[0] + counts_[3], counts_[0] + counts_[1] + counts_[2] + counts_[3]);
    }
    double precision() const { return share(counts_[3], counts_[3] + counts_[1]); }
    double recall() const { return share(counts_[3], counts_[3] + counts_[2]); }
    double f1() const { return share(2 * counts_[3], 2 * counts_[3] + counts_[1] + counts_[2]); }
    void reset() { *this = BinaryCounts(threshold_); }

private:
    void add(const detail::MetricPair& pair);
    static double share(std::size_t part, std::size_t whole);
    double threshold_;
    std::size_t counts_[4]{};  // 2·actual + predicted
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/metric/impl/binary_counts.ipp>
#endif
