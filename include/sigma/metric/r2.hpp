// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/metric/arrays.hpp>

namespace sigma {

/// The coefficient of determination, 1 - Σ(y - prediction)² / Σ(y - mean of y)², of each output over all records:
/// 1 for perfect predictions, 0 for the mean, below 0 for worse. NaN where the targets of an output are all the same
/// (or there is none).
class R2 {
public:
    explicit R2(std::size_t outputs = 1);

    /// Predictions and targets of one shape, whose numbers belong to output 0, 1, …, 0, 1, … in row-major order: with
    /// several outputs, (…, outputs).
    template <class Predictions, class Targets>
    void add(const Predictions& predictions, const Targets& targets) {
        add({"R2", predictions, targets});
    }
    double value(std::size_t output) const;
    /// The mean over the outputs.
    double value() const;
    void reset();

private:
    void add(const detail::MetricPair& pair);
    /// Spread around the running mean (Welford 1962), which keeps its digits far from 0.
    struct Output {
        double count = 0, mean = 0, spread = 0, residual = 0;
        void add(double prediction, double y);
    };
    std::vector<Output> outputs_;
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/metric/impl/r2.ipp>
#endif
